/* SPDX-License-Identifier: MIT
 *
 * The shell: the state that execution, expansion and the shell's own builtins share.
 *
 *   ast.h / arith.h    syntax: knows nothing of what is here
 *   var.h  var*.c      variables, arrays, scopes, environment
 *   expand*.c          words -> fields
 *   exec*.c            nodes -> statuses; redirections, pipelines, functions
 *   job.c trap.c       background jobs, traps
 *   builtin_*.c        commands that change shell state
 *   interp.h           what api/ sees
 *
 * Subshells. A subshell is a process with a struct shell of its own whose `parent` points to
 * the shell it came from. For ( ), $( ), <( ) and the stages of a pipeline the parent waits,
 * so its state cannot change meanwhile: the child reads through to it and copies only what it
 * writes (an overlay). For & and coproc the parent goes on: the child gets a full copy.
 *
 * Control flow. exec_* functions return the exit status and leave in sh->flow what is under
 * way (break, return, exit, ...); each loop and list looks at it. Nothing jumps. A process
 * may be abandoned at any kernel call, so what must be undone when a command is cut short by
 * a limit is linked into the shell (scopes, saved descriptors, frames): see shell_recover.
 *
 * Memory: what lives in variables, functions and traps is in sh->pool and freed when it is
 * replaced. Everything made while a command runs is in sh->arena, between a mark and its
 * release, so that a loop of ten million turns stays flat.
 */
#ifndef INTERP_SHELL_H
#define INTERP_SHELL_H

#include "interp/arith.h"
#include "interp/ast.h"
#include "interp/var.h"
#include "kernel/kernel.h"

/* --- options --- */

/* SET(letter, name, default): `set -o` options; letter 0 if it has none. In bash's order. */
#define SET_LIST(SET)                                                                              \
	SET('a', ALLEXPORT, "allexport", 0)                                                        \
	SET('B', BRACEEXPAND, "braceexpand", 1)                                                    \
	SET(0, EMACS, "emacs", 0)                                                                  \
	SET('e', ERREXIT, "errexit", 0)                                                            \
	SET('E', ERRTRACE, "errtrace", 0)                                                          \
	SET('T', FUNCTRACE, "functrace", 0)                                                        \
	SET('h', HASHALL, "hashall", 1)                                                            \
	SET('H', HISTEXPAND, "histexpand", 0)                                                      \
	SET(0, HISTORY, "history", 0)                                                              \
	SET(0, IGNOREEOF, "ignoreeof", 0)                                                          \
	SET(0, INTERACTIVE_COMMENTS, "interactive-comments", 1)                                    \
	SET('k', KEYWORD, "keyword", 0)                                                            \
	SET('m', MONITOR, "monitor", 0)                                                            \
	SET('C', NOCLOBBER, "noclobber", 0)                                                        \
	SET('n', NOEXEC, "noexec", 0)                                                              \
	SET('f', NOGLOB, "noglob", 0)                                                              \
	SET(0, NOLOG, "nolog", 0)                                                                  \
	SET('b', NOTIFY, "notify", 0)                                                              \
	SET('u', NOUNSET, "nounset", 0)                                                            \
	SET('t', ONECMD, "onecmd", 0)                                                              \
	SET('P', PHYSICAL, "physical", 0)                                                          \
	SET(0, PIPEFAIL, "pipefail", 0)                                                            \
	SET(0, POSIX, "posix", 0)                                                                  \
	SET('p', PRIVILEGED, "privileged", 0)                                                      \
	SET('v', VERBOSE, "verbose", 0)                                                            \
	SET(0, VI, "vi", 0)                                                                        \
	SET('x', XTRACE, "xtrace", 0)

enum set_option {
#define SET(letter, name, text, value) SET_##name,
	SET_LIST(SET)
#undef SET
		SET_COUNT,
	SET_INTERACTIVE, /* $- shows i; c and s likewise, but `set -o` does not list them */
	SET_COMMAND,
	SET_STDIN,
	SET_LOGIN,
	SET_RESTRICTED
};

/* clang-format off */
/* SHOPT(name, default): all of bash 5.2's, in its order. */
#define SHOPT_LIST(SHOPT)                                                                         \
	SHOPT(autocd, 0) SHOPT(assoc_expand_once, 0) SHOPT(cdable_vars, 0)                        \
	SHOPT(cdspell, 0) SHOPT(checkhash, 0) SHOPT(checkjobs, 0)                                 \
	SHOPT(checkwinsize, 1) SHOPT(cmdhist, 1) SHOPT(compat31, 0) SHOPT(compat32, 0)            \
	SHOPT(compat40, 0) SHOPT(compat41, 0) SHOPT(compat42, 0) SHOPT(compat43, 0)               \
	SHOPT(compat44, 0) SHOPT(complete_fullquote, 1) SHOPT(direxpand, 0)                       \
	SHOPT(dirspell, 0) SHOPT(dotglob, 0) SHOPT(execfail, 0)                                   \
	SHOPT(expand_aliases, 0) SHOPT(extdebug, 0) SHOPT(extglob, 0)                             \
	SHOPT(extquote, 1) SHOPT(failglob, 0) SHOPT(force_fignore, 1)                             \
	SHOPT(globasciiranges, 1) SHOPT(globskipdots, 1) SHOPT(globstar, 0)                       \
	SHOPT(gnu_errfmt, 0) SHOPT(histappend, 0) SHOPT(histreedit, 0)                            \
	SHOPT(histverify, 0) SHOPT(hostcomplete, 1) SHOPT(huponexit, 0)                           \
	SHOPT(inherit_errexit, 0) SHOPT(interactive_comments, 1) SHOPT(lastpipe, 0)               \
	SHOPT(lithist, 0) SHOPT(localvar_inherit, 0) SHOPT(localvar_unset, 0)                     \
	SHOPT(login_shell, 0) SHOPT(mailwarn, 0) SHOPT(no_empty_cmd_completion, 0)                \
	SHOPT(nocaseglob, 0) SHOPT(nocasematch, 0) SHOPT(noexpand_translation, 0)                 \
	SHOPT(nullglob, 0) SHOPT(patsub_replacement, 1) SHOPT(progcomp, 1)                        \
	SHOPT(progcomp_alias, 0) SHOPT(promptvars, 1) SHOPT(restricted_shell, 0)                  \
	SHOPT(shift_verbose, 0) SHOPT(sourcepath, 1) SHOPT(varredir_close, 0)                     \
	SHOPT(xpg_echo, 0)
/* clang-format on */

enum shopt_option {
#define SHOPT(name, value) SHOPT_##name,
	SHOPT_LIST(SHOPT)
#undef SHOPT
		SHOPT_COUNT
};

struct options {
	uint64_t set;   /* bit per enum set_option */
	uint64_t shopt; /* bit per enum shopt_option */
};

/* --- parts of the state --- */

enum flow {
	FLOW_NONE,
	FLOW_BREAK,    /* sh->flow_count loops to leave */
	FLOW_CONTINUE, /* sh->flow_count - 1 loops to leave, then go on */
	FLOW_RETURN,   /* from function or sourced file; status in sh->status */
	FLOW_EXIT,     /* end of the shell; status in sh->status */
	FLOW_ABORT,    /* expansion error: back to the top level (ends a non-interactive shell) */
};

/* One entry of the call stack: FUNCNAME, BASH_LINENO, BASH_SOURCE, caller. */
struct frame {
	struct frame *up;
	const char *function; /* "main", "source", or the name */
	const char *source;   /* file in which it was defined or is */
	int call_line;        /* line of the call in the caller */
	bool is_function;
	bool is_source;
	struct function *fn;          /* counted while it runs */
	struct ast *unit;             /* counted: the unit being executed */
	struct params *saved_params;  /* positional parameters of the caller */
	int loop_depth;               /* of the caller */
	int scope;                    /* sh->scope before the call */
	struct options saved_options; /* of `local -`, if options_saved */
	int getopts_index;            /* of the caller */
	int getopts_word;
	bool options_saved;
	bool returns_traced;
	int argc; /* what the call adds to BASH_ARGC and BASH_ARGV; -1: nothing */
	char **argv;
	struct trap *hidden_traps; /* DEBUG, ERR, RETURN of the caller, which were not inherited */
};

struct params {
	int count;
	char **values; /* values[0] is $1; in the pool or in an outer arena */
	bool pooled;   /* set by `set --` or shift: owned by the pool */
	int offset;    /* how many were shifted away from `values` */
};

struct function {
	struct bytes name;
	uint64_t hash;
	const struct function_node *node;
	struct ast *ast;    /* counted */
	const char *source; /* file of definition */
	int line_shift;     /* of where it was defined */
	bool exported;
	bool readonly;
	bool traced;
	bool deleted; /* in an overlay: hides the parent's */
	int running;  /* activations: freed only when 0 */
	struct function *next;
};

/* A descriptor that a redirection replaced, to be put back. Linked from sh->saved_fds. */
struct saved_fd {
	struct saved_fd *up;
	int fd;
	int copy; /* where the old one is kept (>= 10), or -1 if it was closed */
};

/* Pseudo signals of trap, beside 1..64. EXIT is 0. */
enum { TRAP_EXIT = 0, TRAP_DEBUG = 65, TRAP_ERR, TRAP_RETURN, TRAP_COUNT };

enum shell_shows { SHOW_NOTHING, SHOW_COMMANDS, SHOW_STRINGS, SHOW_PO_STRINGS };

struct trap {
	char *text;             /* in the pool; NULL: default; "" : ignored */
	bool inherited_ignored; /* ignored at start: can't be trapped in a non-interactive shell */
	bool done;              /* EXIT: it runs once, though still shown */
	bool parents; /* a subshell: shown by `trap -p` until one is set, but not executed */
};

struct job;

struct shell {
	struct proc *p;
	struct pool *pool;    /* &p->pool */
	struct arena *arena;  /* &p->arena */
	struct shell *parent; /* NULL for a shell that stands alone */
	bool overlay;         /* reads through to parent */
	int subshell_depth;   /* BASH_SUBSHELL */
	bool in_parens;       /* of ( ), and no stage of a pipeline: exec there keeps SHLVL */

	struct var_table vars;       /* var.h */
	struct function **functions; /* hash table */
	size_t functions_size;
	size_t functions_count;
	struct alias_table *aliases;
	struct options opt;
	struct params params;
	const char *arg0;        /* $0 */
	const char *script_name; /* for messages: "bash", "script.sh" */
	struct frame *frame;     /* innermost; never NULL while running */
	int frames;

	int status; /* $? */
	enum flow flow;
	int flow_count;
	int loop_depth;
	int scope;        /* function nesting of local variables; 0 is global */
	int no_errexit;   /* > 0 inside conditions, !, && || lists: set -e is off */
	int errexit_held; /* > 0 in eval and command inside such: not even errors that -e always
			     minds end */
	int line;         /* LINENO */
	int line_shift;   /* added to the lines of nodes: not 0 inside $( ) */
	/* bash's own count of lines, which errors in redirections of compound commands name: the
	 * last line of the unit, or the line of the function, for or case around; behind a
	 * subshell that is piped its last line. */
	int outer_line;
	int short_depth;            /* command substitutions inside each other on this stack */
	int function_depth;         /* functions being called, for inherited traps */
	int depth;                  /* of nested calls, evals, sources: LIMIT_RECURSION */
	const struct node *command; /* for BASH_COMMAND */
	const struct arith_text *command_part; /* of for (( )): the expression; NULL: empty */
	int *pipestatus;                       /* in the pool */
	int npipestatus;
	int last_background;  /* $!; 0 if none yet */
	int shell_pid;        /* $$ */
	const char *last_arg; /* $_ ; in the pool */

	struct trap traps[TRAP_COUNT];
	int before_return;      /* $? when `return` ran: the RETURN trap sees that */
	int trap_running;       /* which trap's action is being executed, or -1 */
	unsigned traps_busy;    /* bit n: that of TRAP_DEBUG + n, by this one or one around it */
	int trap_status;        /* $? before it: that of `exit` and `return` without a number */
	uint64_t traps_pending; /* set by the kernel's caught signals: trap_bit */
	int children_ended;     /* since CHLD's action ran: it runs for each */
	struct saved_fd *saved_fds;
	bool kept_low; /* one of them may be kept below 10 */
	bool redirs_of_program;
	struct job *jobs; /* newest first */
	int current_job;
	int previous_job;

	bool utf8;        /* from LC_ALL, LC_CTYPE, LANG */
	struct bytes ifs; /* cached value of IFS; ifs_set false: unset */
	bool ifs_set;
	uint8_t ifs_class[256];  /* 0 none, 1 white space, 2 other separator */
	uint64_t random_state;   /* $RANDOM: the generator's state, and the last value << 32 */
	int random_pid;          /* process in which it was seeded */
	int64_t seconds_base_ns; /* $SECONDS */
	int getopts_index;       /* position inside a group of letters; 0: none */
	int getopts_word;        /* the group, from 1: OPTIND says the next when it ends */
	bool procsubs_pending;   /* process substitutions of this command to reap */
	struct procsub *procsubs;
	bool in_function_env; /* a temporary environment is on top of the scopes */
	int passing_scope; /* of `x=1 builtin`, for builtins whose assignments outlive it; or 0 */
	bool is_sh;        /* invoked as sh: POSIX mode */
	bool is_command_sub;
	bool unechoed;         /* a command substitution, in which set -v was not set anew */
	bool stdin_script;     /* commands are read from descriptor 0 */
	struct coproc *coproc; /* the newest, until it is known to have ended */
	struct dir_stack *dirs;
	struct hash_table *hashed;
	struct cache *parsed; /* units by text: eval, traps, $( ) at run time */
	/* While a declaration builtin runs: declare_args[i] is the parsed assignment of argv[i], or
	 * NULL if that argument is no assignment. NULL when run through `builtin "$x"`. */
	const struct assign *const *declare_args;
	/* While unset, read, printf or wait runs: elements[i] tells that argv[i] was written as
	 * name[sub]. NULL: none was. */
	const bool *elements;
	void *history;
	void *completions;
	bool lists_shared; /* both are the parent's: a subshell copies them before it uses them */
	uint64_t builtins_disabled; /* `enable -n`: a bit per row of builtin_list.h */

	/* Execution's own; see exec.h. */
	const char *command_name; /* arithmetic errors are said by it: "((", "[[", "let"; or NULL */
	const char *entered;  /* the function, or "eval", none of whose commands is done; or NULL */
	struct buf *captured; /* output of builtins goes here, not to descriptor 1; or NULL */
	struct unit_ref *units; /* the units being executed, innermost first */
	struct ast *last_unit;  /* the unit that ended last: sh->command may point into it */
	struct shell *children; /* overlays that read through to this shell */
	struct shell *next_child;
	struct shell **child_link;
	struct arena_mark idle;    /* of a session: what lies above belongs to one command */
	struct ast *building;      /* by the parser; see parse_config */
	struct cached *recording;  /* units of texts being executed that may be kept */
	struct script *script;     /* being read from a descriptor */
	struct task *task;         /* what a subshell's process is to do */
	struct finished *finished; /* background processes that ended, for `wait pid` */
	unsigned substitutions;    /* command substitutions so far */
	unsigned command_number;   /* of the shell's own input, but -c: \# in prompts */
	unsigned jobs_known;       /* the command that told of jobs last: exit may follow */
	int indirection;           /* PS4's first character is repeated so often */
	size_t last_arg_cap;       /* 0: last_arg is not in the pool */
	bool last_arg_exported;    /* until the first command: it is the caller's */
	int pipestatus_cap;
	bool unsettled; /* a child in the foreground ended: job_settle() is due */
	int killed_pid; /* a foreground child that a signal ended: to be reported */
	int killed_status;
	const struct node *killed_node;
	const struct node *uninverted; /* the compound command whose redirections failed last */
	bool inverted;                 /* the next command stands behind `!`: its failure is none */
	/* Instead of executing: --pretty-print, -D (strings of $"..."), --dump-po-strings. */
	enum shell_shows shows;
	bool input_redirected; /* so that a command in the background may read it */
	bool session;          /* its process outlives the command: `exec` must not replace it */
	bool interruptible;    /* an interactive shell: SIGINT gives up the line, not the shell */
	bool line_only;        /* FLOW_ABORT gives up the line even in a POSIX shell */
	bool abort_firm;       /* FLOW_ABORT is not to be held up by (( )), [[ ]] and let */
	bool abort_forgiven;   /* set -e does not mind what led to FLOW_ABORT */
	bool command_kept;     /* BASH_COMMAND is that of the trap that started this subshell */
	bool exit_called;      /* FLOW_EXIT comes from `exit` or `exec` */
	bool errexit_due;      /* FLOW_EXIT comes from set -e, whose EXIT trap is still to run */
	bool entered_main;     /* an error left functions: FUNCNAME is "main" until one returns */
	bool special;          /* a special builtin is running, and not by `command` */
	bool may_exec;         /* the process ends after this command: programs replace it */
	bool jobs_foreign;     /* a command substitution: `jobs` shows the parent's */
	uint64_t jobs_shown;   /* there: those that ended and were shown, by number */
	bool jobs_last;        /* of those that ended only the last one */
	bool listing;          /* variables are being listed: none is asked for its value */
	int trace_fd;          /* what BASH_XTRACEFD says if that was valid; -1: stderr */
	int base_argc;         /* of the script, at the bottom of BASH_ARGV; -1: not recorded yet */
	bool tracing;          /* PS4 is being expanded, or an xtrace line written */
	bool compat_asked;     /* there may be a BASH_COMPAT */
	bool has_traps;        /* one was set at some time, here or in a parent */
	uint64_t traps_set;    /* bit n: traps[n].text is not NULL, for n < 64 */
	/* The outermost eval or sourced file that runs. */
	const struct node *text_command;
	/* The EXIT trap of set -e is in none of its functions. */
	const struct frame *dead_frame;
	/* Functions and builtins with redirections that are running. */
	int redirected_calls;
};

static inline bool opt_set(const struct shell *sh, enum set_option o)
{
	return (sh->opt.set >> o & 1) != 0;
}
static inline bool opt_shopt(const struct shell *sh, enum shopt_option o)
{
	return (sh->opt.shopt >> o & 1) != 0;
}

/* True if the shell is to be as bash was up to that version, one of SHOPT_compat31 to 44. */
static inline bool opt_compat(const struct shell *sh, enum shopt_option last)
{
	return (sh->opt.shopt & (((uint64_t)2 << last) - ((uint64_t)1 << SHOPT_compat31))) != 0;
}

/* The command being executed stands on this line of its text. */
static inline void shell_at(struct shell *sh, int line)
{
	sh->line = line + sh->line_shift;
}

/* --- shell.c: life --- */

/* A new shell as process p's task, with variables from envp and bash's own. NULL: it will be
 * given the state of another one, and says nothing of its directory. */
struct shell *shell_new(struct proc *p, char *const *envp, bool is_sh);
/* In the child process: a shell that reads through to `from` (which must wait) or copies it. */
struct shell *shell_subshell(struct proc *child, struct shell *from, bool copy);
/* After the process was cut short by a limit: undoes open scopes, frames, descriptors. */
void shell_recover(struct shell *sh);
/* Ends the subshells that read through to this shell, before what they read changes or goes. */
void shell_end_children(struct shell *sh);
/* proc.release of a shell process. */
void shell_release(struct proc *p);
/* Changes an option with its side effects (posix, extglob, ...). */
void shell_set_option(struct shell *sh, enum set_option o, bool on);
/* The same for an option of shopt, which has none. */
void shell_set_shopt(struct shell *sh, enum shopt_option o, bool on);
/* Makes it a restricted shell, whose PATH and the like can't be changed any more. */
void shell_restrict(struct shell *sh);
/* In a restricted shell: says that the builtin does not do that (what: NULL, or what it was asked
 * for), and returns true. */
bool restricted(struct shell *sh, const char *builtin, const char *what);
/* The same for a path; a name without a slash is let through. */
bool restricted_path(struct shell *sh, const char *builtin, const char *path);
/* The end of a function with `local -`. */
void options_put_back(struct shell *sh, const struct options *saved);
int set_option_of_name(struct bytes name); /* -1 if unknown */
int set_option_of_letter(char letter);
int shopt_of_name(struct bytes name);

/* --- error.c: messages as bash writes them --- */

/* "bash: line 3: " + text + newline, on descriptor 2. */
void shell_error(struct shell *sh, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With the builtin's name: "bash: line 3: cd: nope: No such file or directory". */
void builtin_error(struct shell *sh, const char *builtin, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* An error of a special builtin, which ends a POSIX shell. Returns status. */
int special_error(struct shell *sh, int status);
/* Gives up the line of the script, whatever eval, file or trap it is in; all of a text of -c. */
void give_up_line(struct shell *sh);
/* The prefix alone, into out. */
void shell_error_prefix(struct shell *sh, struct buf *out);

/* --- expand.c --- */

/* A list of fields (arguments); strings live in sh->arena. */
struct fields {
	char **v; /* NULL-ended */
	int count;
	int cap;
};

/* All functions below return 0, or -1 after an error message; then sh->flow is FLOW_ABORT (or
 * FLOW_EXIT for ${x?} and set -u in a script) and sh->status is set. */

/* Full expansion of command words: braces, expansions, splitting, pathnames, quote removal. */
int expand_words(struct shell *sh, struct word *const *words, int n, struct fields *out);
/* One word to exactly one string: no splitting, no pathnames (assignments, case subjects,
 * here-strings, [[ ]] operands). */
int expand_string(struct shell *sh, const struct word *w, struct bytes *out);
/* As the value of an assignment: tilde also behind ':'. */
int expand_assignment(struct shell *sh, const struct word *w, struct bytes *out);
/* As a pattern: quoted characters are escaped with backslashes. */
int expand_pattern(struct shell *sh, const struct word *w, struct bytes *out);
/* The same with a backslash before each quoted byte: as set -x shows it. */
int expand_shown(struct shell *sh, const struct word *w, struct bytes *out);
/* As a regular expression (right side of =~): quoted characters match themselves. */
int expand_regex(struct shell *sh, const struct word *w, struct bytes *out);
/* A redirection's file name: like a word, must give one field ("ambiguous redirect"). */
int expand_redirect(struct shell *sh, const struct word *w, char **out);
/* Body of a here-document. */
int expand_heredoc(struct shell *sh, const struct word *w, struct bytes *out);
/* Text given at run time, expanded as inside double quotes: PS4, ${x@P}, MAILCHECK. */
int expand_text(struct shell *sh, struct bytes text, struct bytes *out);
/* PS1-style escapes, then expand_text. */
int expand_prompt(struct shell *sh, struct bytes text, struct bytes *out);
/* Expands an arithmetic text and evaluates it. EXPAND_ARITH_TEXT if the expansion failed: (( )) and
 * its like forgive only expressions. */
enum { EXPAND_ARITH_TEXT = -2 };
int expand_arith(struct shell *sh, struct arith_text *a, int64_t *out);
/* Evaluates text given at run time (test -eq, declare -i, array subscripts). */
int eval_arith(struct shell *sh, struct bytes text, int64_t *out);
/* The same for an argument of let, which assoc_expand_once takes as expanded already. */
int eval_let(struct shell *sh, struct bytes text, int64_t *out);
/* Pathname expansion of one pattern; sorted; appends to out. Number of matches. */
int expand_pathname(struct shell *sh, struct bytes pattern, struct fields *out);
/* Longer ones are not kept with the syntax tree: nobody is charged for compiling them there. */
enum { GLOB_KEPT_BYTES = 4096 };
/* The pattern compiled under the current options; cached in the word when it is literal. */
struct glob *shell_glob(struct shell *sh, struct bytes pattern, bool for_case);
/* Its matching charges whoever runs. */
void shell_glob_work(const struct shell *sh, struct glob *g);
void fields_add(struct shell *sh, struct fields *f, char *s);
/* Splits at IFS as `read` does: at most `max` fields (0: no bound), the last takes the rest.
 * escaped[i] marks bytes that were behind a backslash (NULL: none). */
void split_fields(struct shell *sh, struct bytes text, const uint8_t *escaped, int max,
		  struct fields *out);
/* Quoting as printf %q / ${x@Q} / set / declare -p write it. */
/* Each quotes s as the shell reads it back; $'..' is for what is not printable in the locale. */
void quote_for_printf(const struct shell *sh, struct buf *out, struct bytes s); /* %q: x\ y */
void quote_single(struct buf *out, struct bytes s); /* '...'; of a single quote alone \' */
void quote_for_at_q(const struct shell *sh, struct buf *out, struct bytes s); /* 'it'\''s' */
/* `set`: only if needed, '..' or $'..', which posix mode has not. */
void quote_for_set(const struct shell *sh, struct buf *out, struct bytes s);
void quote_for_error(const struct shell *sh, struct buf *out, struct bytes s);   /* as it is */
void quote_for_declare(const struct shell *sh, struct buf *out, struct bytes s); /* "a\"b" */
void quote_for_xtrace(const struct shell *sh, struct buf *out, struct bytes s);
void quote_for_key(const struct shell *sh, struct buf *out, struct bytes s); /* [key] */
/* Letters of attributes in bash's order ("aix"), and ([0]="a" ...) as declare -p writes them. */
void quote_attributes(struct buf *out, unsigned flags);
void quote_array(struct shell *sh, struct buf *out, struct var *v);
/* $'...' escapes of s. */
void unescape_ansi_c(struct buf *out, struct bytes s, bool utf8);

/* --- exec.c --- */

/* Executes a node; returns the status, which is also sh->status. */
int exec_node(struct shell *sh, const struct node *n);
/* Parses and executes text unit by unit (eval, -c, source, traps). name and line as shown in
 * messages. Returns the last status. */
int exec_text(struct shell *sh, struct bytes text, const char *name, int line);
/* Executes a script file or descriptor 0 until its end. */
int exec_fd_script(struct shell *sh, int fd);
/* The same for the text of -c. */
int exec_given_text(struct shell *sh, struct bytes text);
/* The same for what was typed at an interactive shell. */
int exec_typed_text(struct shell *sh, struct bytes text);
/* $( ): output with trailing newlines and NULs removed, in sh->arena. Sets sh->status. */
int exec_command_sub(struct shell *sh, const struct command_sub *c, struct bytes *out);
/* <( ) >( ): the path /dev/fd/N, in sh->arena. */
int exec_process_sub(struct shell *sh, const struct command_sub *c, char **path);
/* Calls a function with argv[1..]. */
int exec_function(struct shell *sh, struct function *f, int argc, char **argv);
/* What the first word names when keywords and functions are left out as flags say: runs argv
 * as `command` and `builtin` do. */
enum { RUN_NO_FUNCTIONS = 1, RUN_BUILTIN_ONLY = 2, RUN_DEFAULT_PATH = 4, RUN_EXEC = 8 };
int exec_argv(struct shell *sh, int argc, char **argv, unsigned flags);
/* PATH search: the file to start, in sh->arena; NULL if not found. all_dirs: see type -a. */
char *find_program(struct shell *sh, const char *name, const char *path_value);
/* Applies redirections; the old descriptors are linked into sh->saved_fds until
 * redir_undo(mark). keep: for `exec`, nothing is saved. 0, or -1 after a message. */
int redir_apply(struct shell *sh, const struct redir *r, int n, bool keep);
void redir_undo(struct shell *sh, struct saved_fd *mark);
/* A descriptor is about to be replaced until redir_undo. 0, or -1 after a message. */
int redir_save(struct shell *sh, int fd);
/* What BASH_COMMAND shows for a command: of a loop or case only its head. */
void command_text(struct buf *out, const struct node *n);
/* Ends the shell process: EXIT trap, then proc_exit. */
_Noreturn void shell_exit(struct shell *sh, int status);
/* Runs traps for signals that came in; called between commands. */
void trap_poll(struct shell *sh);
/* Of a signal in sh->traps_pending. */
static inline uint64_t trap_bit(int sig)
{
	return (uint64_t)1 << (sig - 1);
}
/* Runs the action of a pseudo signal (ERR, DEBUG, RETURN, EXIT). */
void trap_run(struct shell *sh, int which);
/* True while the action of DEBUG, ERR or RETURN is executed: it does not start again then. */
bool trap_busy(const struct shell *sh, int which);
int trap_set(struct shell *sh, int which, const char *text); /* text NULL: default */
/* An interactive shell gives up the line at SIGINT; without, the signal ends the shell. */
void trap_interruptible(struct shell *sh, bool on);
/* Takes a trap (DEBUG, ERR or RETURN) away until f's function or file ends; then it is put back
 * unless there is another. */
void trap_hide(struct shell *sh, struct frame *f, int which);
void trap_show(struct shell *sh, struct frame *f);
/* In a subshell: resets caught traps to default. */
void trap_reset_for_subshell(struct shell *sh);
int trap_number(struct bytes name); /* "INT", "SIGINT", "2", "EXIT"; -1 */
void trap_name(int which, char out[16], bool sig_prefix);

/* --- functions and aliases --- */

struct function *function_find(struct shell *sh, struct bytes name, uint64_t hash);
int function_define(struct shell *sh, const struct function_node *node);
int function_unset(struct shell *sh, struct bytes name);
/* Sorted by name; in sh->arena; overlays resolved. */
int function_list(struct shell *sh, struct function ***out);
bool alias_find(struct shell *sh, struct bytes name, struct bytes *out);
void alias_set(struct shell *sh, struct bytes name, struct bytes value);
bool alias_unset(struct shell *sh, struct bytes name);
void alias_clear(struct shell *sh);
bool alias_any(struct shell *sh);
int alias_list(struct shell *sh, struct bytes **names, struct bytes **values);

/* --- job.c --- */

enum job_state { JOB_RUNNING, JOB_STOPPED, JOB_DONE };
struct job {
	struct job *next;
	int number;
	int pgid;
	int npids;
	int *pids;
	int *statuses; /* wait statuses; -1 while running */
	enum job_state state;
	char *text;
	char *stages; /* of a pipeline each process's text, NUL-ended; NULL: nobody told */
	size_t stages_len;
	bool notified;
	bool controlled; /* started with job control: a process group of its own */
	bool disowned;
	bool no_hup;
	bool foreground;
	bool is_coproc;
	bool lost;       /* was not there any more in a fork: `jobs` says so, nobody else */
	bool told;       /* ended by a signal and said so (or silently): not shown any more */
	int stop_signal; /* that stopped it last */
};

/* Records a background pipeline; returns its job. */
struct job *job_add(struct shell *sh, const int *pids, int npids, int pgid, struct bytes text);
/* Tells what each of its processes runs. */
void job_set_stages(struct shell *sh, struct job *j, struct node *const *stages);
/* A job in the foreground was stopped: an interactive shell says so (that of -c, too) and leaves
 * its loops. */
void job_stopped(struct shell *sh, struct job *j, int wait_status);
/* Collects ended children without blocking. */
void job_poll(struct shell *sh);
/* Waits until a child process ended, or with WUNTRACED_ in the options was stopped; returns its
 * exit status as $? shows it (128 + signal). */
int job_wait_pid(struct shell *sh, int pid, int options);
int job_wait(struct shell *sh, struct job *j, int options);
struct job *job_of_spec(struct shell *sh, const char *spec); /* %1 %+ %- %name %?text */
struct job *job_of_pid(struct shell *sh, int pid);
void job_remove(struct shell *sh, struct job *j);
int status_of_wait(int wait_status);
/* What `wait` returns of a job that ended: of its last process; with pipefail of the last that
 * failed. */
int job_status(const struct shell *sh, const struct job *j);
/* Process i of the job ended. */
void job_ended(struct shell *sh, struct job *j, int i, int wait_status);
/* "[1]+  Running                 sleep 5 &" */
/* Says on descriptor 2 which jobs have ended since, before an interactive shell's prompt. */
void jobs_tell(struct shell *sh);
/* checkwinsize: LINES and COLUMNS as the terminal of descriptor 2 has them, when a command in the
 * foreground has ended. */
void follow_window(struct shell *sh);
/* PROMPT_COMMAND, before an interactive shell's primary prompt: $?, $_ and PIPESTATUS stay; it may
 * end the shell (FLOW_EXIT). */
void prompt_command(struct shell *sh);
/* PS0, when a command was read and before it is run. */
void prompt_before_command(struct shell *sh);
/* Whether an interactive shell is not to end yet, after a message: there are stopped jobs, with
 * checkjobs also running ones, and the last command was neither jobs nor an exit that said so. */
bool jobs_hold(struct shell *sh);
void job_print(struct shell *sh, struct buf *out, const struct job *j, bool with_pids);

/* --- builtin.c: the shell's own commands --- */

enum builtin_flags {
	BUILTIN_SPECIAL = 1 << 0,     /* POSIX special builtin: assignments persist in posix mode,
				       * errors end a POSIX shell */
	BUILTIN_DECLARATION = 1 << 1, /* words of the form name=value are assignments */
	BUILTIN_DISABLED = 1 << 2,
};

struct shell_builtin {
	const char *name;
	int (*run)(struct shell *sh, int argc, char **argv);
	unsigned flags;
	const char *usage;   /* as `help -s` shows: "cd [-L|[-P [-e]] [-@]] [dir]" */
	const char *summary; /* first line of `help name` */
};

const struct shell_builtin *shell_builtin_find(const struct shell *sh, struct bytes name);
const struct shell_builtin *builtin_at(int i); /* sorted by name; NULL at the end */
bool builtin_enabled(const struct shell *sh, const struct shell_builtin *b);

/* Writes to descriptor 1, or to sh->captured if that is set; false after "write error: ..." was
 * said (status 1). */
bool out_write(struct shell *sh, const char *builtin, struct bytes text);

/* Letters as getopt: "ab:c"; '-' alone ends. Returns the option letter, -1 at the end, '?'
 * after an "invalid option" message with the usage line (status 2). */
struct optscan {
	int index; /* of the argument being looked at; the first operand at the end */
	int pos;
	char *value;
	bool plus; /* the option began with '+': if allowed by a leading '+' in letters */
};
int optscan_next(struct shell *sh, const struct shell_builtin *b, struct optscan *o, int argc,
		 char **argv, const char *letters);

/* Work on so many bytes of a value that may be long. No switch happens here but at the next charge,
 * so that it may stand anywhere. */
static inline void shell_cost(struct shell *sh, size_t bytes)
{
	if (bytes >= 256)
		kernel_fuel(sh->p->k)->left -= (int64_t)(bytes / 64);
}

#endif
