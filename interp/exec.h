/* SPDX-License-Identifier: MIT
 *
 * What the files of execution share among themselves: exec*.c, redir.c, job.c, trap.c,
 * program.c. The rest of the room uses shell.h only.
 *
 *   exec_node ── exec_simple ── functions, builtins ── exec_node ...
 *       │            └── programs: sys_spawn_program, or sys_exec when nothing follows
 *       └── ( ) | & $( ) <( ): task_start gives a process of its own a struct shell
 *
 * Everything a command allocates lies in sh->arena between a mark and its release; what must
 * be undone after a command that was cut short (frames, units, scopes, descriptors) is linked
 * from struct shell, so that shell_recover and shell_release find it.
 */
#ifndef INTERP_EXEC_H
#define INTERP_EXEC_H

#include "base/err.h"
#include "interp/shell.h"

/* Below this a nested command continues on a new stack. */
enum { EXEC_STACK_BYTES = 40 * 1024 };

/* Exit statuses that bash gives a meaning. */
enum {
	STATUS_USAGE = 2,
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
	STATUS_SIGNAL = 128,
	STATUS_NO_FORK = 254,
};

/* A counted unit that is being executed. */
struct unit_ref {
	struct unit_ref *up;
	struct ast *ast;
	const struct node *command; /* sh->command when it began */
};

/* A unit's reference for the time of its execution. leave puts it, but keeps the one that
 * ended last alive for BASH_COMMAND. */
void unit_enter(struct shell *sh, struct unit_ref *ref, struct ast *ast);
void unit_leave(struct shell *sh);
/* Enters a unit that the parser gave, whose reference sh->building held until now: at no time
 * may the shell be stopped with a reference that nobody knows. unit_drop ends it at once;
 * unit_unused is for a unit that is not entered at all. */
void unit_adopt(struct shell *sh, struct ast *ast);
void unit_drop(struct shell *sh);
void unit_unused(struct shell *sh, struct ast *ast);

/* What a process of the shell is to do; in that process's arena. */
struct task {
	int (*run)(struct shell *sh, struct task *t);
	const struct node *node;
	void *arg;
	int in; /* become descriptors 0 and 1; -1: as they are */
	int out;
	int close[2];    /* ends that the child has no use for; -1: none */
	bool copy;       /* the parent goes on meanwhile: a full copy */
	bool background; /* copy as well; interrupts ignored; input from /dev/null */
	bool stops;      /* with job control the parent goes on when this is stopped: then a copy */
	bool command_sub;
	bool encloses;  /* a ( ) that is the whole node is a subshell inside of this one */
	int stage;      /* of a pipeline, from 1; 0: of none */
	int pgid;       /* in the background with job control: the group to join; 0: its own */
	bool unstarted; /* a stage in which no program was started yet */
};

/* Starts a process that runs t (copied) in a subshell of sh: its pid, or a negative error after
 * a message. A task that is not in the background reads through to sh, which must wait. */
int64_t task_start(struct shell *sh, const struct task *t, struct proc **child);
/* There are too many processes: waits for one to end, longer each turn, as bash does. */
enum { FORK_TRIES = 4 };
void fork_wait(struct shell *sh, int turn);
/* Whether the EXIT trap runs when sh ends: not in a list or loop in the background or a pipeline.
 */
bool task_ends_as_shell(const struct shell *sh);
/* task.run: executes t->node. */
int task_run_node(struct shell *sh, struct task *t);

/* "line 3:  123 Killed   text" for the child of sh->killed_pid. */
void job_report_signal(struct shell *sh);

/* --- exec.c --- */

/* ( ) is BASH_COMMAND only where ERR is trapped, which tells of its failure. */
void exec_note_subshell(struct shell *sh, const struct node *n);
/* Looks at a command's status: ERR trap and set -e. Returns the status. */
int exec_check(struct shell *sh, int status);
/* The same behind a command before which the ERR trap was set or not (trapped): one that the
 * command itself set is for the next ones. */
int exec_check_trapped(struct shell *sh, int status, bool trapped);
int exec_compound(struct shell *sh, const struct node *n);
/* Takes the mark that a command stands behind `!`. */
static inline bool exec_inverted(struct shell *sh)
{
	bool inverted = sh->inverted;

	sh->inverted = false;
	return inverted;
}
/* Runs the traps of signals that came during a command. The status, or that of the trap's exit. */
static inline int exec_signals(struct shell *sh, int status)
{
	if (!proc_has_signal(sh->p) && sh->traps_pending == 0)
		return status;
	sh->status = status;
	trap_poll(sh);
	return sh->status;
}
/* The EXIT trap, for a process that is about to end with `status`; returns the new one. */
int exec_finish(struct shell *sh, int status);
/* Whether the EXIT trap is to run where the shell stands, whose functions, redirections and
 * positional parameters it sees; exec_end_here does that, with sh->status. */
bool exec_ends_here(const struct shell *sh);
void exec_end_here(struct shell *sh);
/* `bash -c` undoes redirections before the EXIT trap, but for functions and ( ). */
void exec_leave_redirections(struct shell *sh);
/* Ends the shell with `status`, by an error: there, too, the EXIT trap runs where it stands. */
int exec_end(struct shell *sh, int status);
/* Behind a function or builtin with redirections that were undone: if set -e ends the shell, the
 * EXIT trap runs now. Returns the status. */
int exec_redirected_call(struct shell *sh, int status);
/* After an error that under set -e ends the shell wherever it stands, even in a condition. */
void exec_errexit(struct shell *sh);
/* The DEBUG trap before a command; true if it says that the command is to be skipped. */
bool exec_debug(struct shell *sh, const struct node *n);

/* --- the kinds of commands; each returns the status --- */

int exec_simple(struct shell *sh, const struct simple *s);
int exec_pipeline(struct shell *sh, const struct pipeline *p);
/* Starts its stages in the background: how many, their pids in *pids (arena). After an error fewer,
 * with sh->flow set. */
int pipeline_background(struct shell *sh, const struct pipeline *p, int **pids);
int exec_background(struct shell *sh, const struct group *g);
int exec_coproc(struct shell *sh, const struct coproc_node *c);
int exec_loop(struct shell *sh, const struct loop *l);
int exec_for(struct shell *sh, const struct for_node *f);
int exec_select(struct shell *sh, const struct for_node *f);
int exec_cfor(struct shell *sh, const struct cfor *f);
int exec_case(struct shell *sh, const struct case_node *c);
int exec_cond(struct shell *sh, const struct cond_node *c);
int exec_arith(struct shell *sh, const struct arith_node *a);
/* (( )) and the parts of for (( )): false after a message. */
bool exec_arith_text(struct shell *sh, struct arith_text *a, int64_t *out);
/* Leaves a loop? Counts down break and continue. */
bool loop_ends(struct shell *sh);

/* The environment of what takes the shell's place: envp with an SHLVL of one less. */
char *const *environ_level_down(struct shell *sh, char *const *envp);

/* --- exec_declare.c --- */

/* A word that stands for text. */
struct word *literal_word(struct shell *sh, struct bytes text);
/* The same for unset, read, printf and wait: (*elements)[i] tells that argv->v[i] was written as
 * name[sub]. */
int elements_expand(struct shell *sh, const struct simple *s, struct fields *argv,
		    const bool **elements);
/* The expanded words of a declaration builtin. */
struct declared {
	const struct assign **args; /* args[i] is the assignment of argv[i], or NULL */
	int status;                 /* of the array literals that were assigned meanwhile */
	bool nothing_left;          /* they failed, and there were no other operands */
};
int declare_expand(struct shell *sh, const struct simple *s, struct fields *argv,
		   struct declared *out);
/* set -x for a builtin's words. exports: what they assign is shown once more. args may be NULL. */
void declare_trace(struct shell *sh, const struct fields *argv, const struct assign *const *args,
		   bool exports);

/* --- exec_pattern.c --- */

/* The unit whose tree is being executed. */
struct ast *current_ast(struct shell *sh);
/* Whether a word contains no expansions. */
bool word_is_constant(const struct word *w);
/* Whether subject matches w as a pattern: 1, 0, or -1 after a message. */
int pattern_matches(struct shell *sh, const struct word *w, struct bytes subject, bool in_cond);

/* --- exec_command.c --- */

/* Whether a program may take this process over: nothing is to be done behind it. */
bool exec_may_replace(const struct shell *sh);
/* Runs a program that is neither function nor builtin. last: it may replace the process. */
int exec_program(struct shell *sh, char **argv, bool last, const struct node *n);
/* The PATH of `command -p`. */
extern const char standard_path[];
/* The path to start for a command name: hashed or searched; NULL if there is none. */
char *program_path(struct shell *sh, const char *name);
/* The environment with _=path; in sh->arena. */
char *const *program_environ(struct shell *sh, const char *path);
/* Whether EXECIGNORE leaves that path of a program out. */
bool program_ignored(struct shell *sh, const char *path);
/* Starts argv with the descriptors as they are: a pid, or minus the exit status after a
 * message. */
int64_t program_spawn(struct shell *sh, const char *path, char **argv);
/* Says why path can't be started and returns 126 or 127. */
int program_failed(struct shell *sh, const char *path, int64_t err);
/* Runs a builtin with its name in messages. */
int exec_builtin(struct shell *sh, const struct shell_builtin *b, int argc, char **argv);
/* Behind a command in the foreground: jobs that ended meanwhile are told of, and forgotten if
 * nobody can ask for them (with -c all that ended). */
void job_settle(struct shell *sh);
/* While a child in the foreground is waited for, SIGINT ends a shell without a trap for it only if
 * it ends the child, too; otherwise it is as if nothing came. False: it is not held. */
bool exec_hold_interrupt(struct shell *sh);
void exec_release_interrupt(struct shell *sh, int wait_status);
/* Whether the shell goes on when a child in the foreground is stopped. */
static inline bool exec_minds_stops(const struct shell *sh)
{
	return opt_set(sh, SET_MONITOR) && sh->task == NULL;
}
/* What it waits for. */
static inline int exec_wait_options(const struct shell *sh)
{
	return exec_minds_stops(sh) ? WUNTRACED_ : 0;
}
static inline bool is_stop(int wait_status)
{
	return (wait_status & 0xff) == 0x7f;
}
/* Waits for a foreground child. When a signal ended it, or a job meanwhile, exec_report says so,
 * once the command's redirections are undone; n for that message. */
int exec_wait(struct shell *sh, int pid, const struct node *n);
static inline void exec_report(struct shell *sh)
{
	if (sh->killed_pid != 0)
		job_report_signal(sh);
	if (sh->unsettled)
		job_settle(sh);
}
/* $_ */
void set_last_arg(struct shell *sh, const char *value);
/* Runs ~/.bash_logout, once: `exit` of a login shell. */
void shell_logout(struct shell *sh);
/* $_ that came from the environment is not exported any more. */
void last_arg_is_own(struct shell *sh);
void set_pipestatus(struct shell *sh, const int *statuses, int n);
int *copy_pipestatus(struct shell *sh); /* npipestatus of them, in the arena */

/* --- exec_sub.c --- */

/* Closes process substitutions made after `mark` and forgets them. */
struct procsub {
	struct procsub *up;
	int fd;
	int pid;
};
void procsub_close(struct shell *sh, struct procsub *mark);
/* Whether expanding w changes nothing in the shell: then it needs no process of its own. */
bool word_is_pure(struct shell *sh, const struct word *w);

/* All of a file, in sh->arena; traps are to run behind that. 0 or an error. */
int64_t exec_read_file(struct shell *sh, const char *path, struct bytes *out);
/* Opens what is closed again before the shell does anything else, also if it is stopped. */
int64_t exec_open(struct shell *sh, const char *path, unsigned flags);
/* Moves a descriptor to the highest free number up to `highest`, if there is one: its number. */
int fd_move_high(struct shell *sh, int fd, int highest, bool cloexec);

/* --- coproc.c --- */

/* A child that ended, and a descriptor that was closed: if they are the coprocess's. */
void coproc_ended(struct shell *sh, int pid);
void coproc_closed(struct shell *sh, int fd);
/* In the shell of a forked session: if its process is there, too. */
void coproc_copy(struct shell *sh, const struct shell *from);
void coproc_pack(const struct shell *sh, struct buf *out);
void coproc_unpack(struct shell *sh, struct unpack *in);

/* --- redir_net.c --- */

/* /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT. */
bool redir_is_network(struct bytes path);
/* A descriptor, or an error that is yet to be told; what bash says besides is. */
int64_t redir_connect(struct shell *sh, struct bytes path);

/* --- xtrace.c --- */

void xtrace_words(struct shell *sh, char *const *argv, int argc);
void xtrace_assign(struct shell *sh, const struct assign *a);
void xtrace_text(struct shell *sh, struct bytes text);
/* BASH_XTRACEFD was assigned or unset. */
void xtrace_fd_changed(struct shell *sh, struct var *v);

/* --- exec_text.c --- */

/* Whether a syntax error ends the shell, as -e has it. */
bool error_ends_shell(const struct shell *sh);
void parse_error_print(struct shell *sh, const char *name, const struct parse_error *e);
/* The parse_flags that the options of the shell `user` mean now. */
unsigned parse_flags_now(void *user);
/* The parse_config that all of the shell's parsing uses. */
struct parse_config shell_parse_config(struct shell *sh, struct bytes text, int line);
void parsed_cache_free(struct shell *sh);
/* Puts what was under way when the shell was cut short. */
void parsed_abandon(struct shell *sh);

/* --- trap.c, job.c --- */

static inline bool trap_is_set(const struct shell *sh, int which)
{
	return sh->traps[which].text != NULL && !sh->traps[which].parents;
}
/* A child was waited for: CHLD's action will run once more. */
static inline void child_ended(struct shell *sh)
{
	sh->children_ended += trap_is_set(sh, SIGCHLD_);
}
/* In a new shell: signals that were ignored at its start stay so. */
void trap_init(struct shell *sh);
/* In a new subshell: it is in the background, so SIGINT is ignored. */
void trap_ignore_interrupts(struct shell *sh);
/* `trap -p` in a subshell shows the parent's traps, until one is set, but not in a process
 * substitution. */
void trap_forget_parents(struct shell *sh);
/* A signal came while the shell waits for a command: its trap runs later; one without a trap
 * ends the shell. */
void trap_note(struct shell *sh);
/* Tells of jobs that a signal ended; an interactive shell does so before its prompt. */
void job_tell(struct shell *sh);
/* Whether a signal ends `wait`: one with a trap does, but traps of SIGCHLD run at once. */
bool job_wait_ends(struct shell *sh);
/* Forgets the jobs that a signal ended, once that was said. */
void job_drop_told(struct shell *sh);
/* Remembers and finds statuses of background processes that ended. */
void finished_add(struct shell *sh, int pid, int status);
/* A child that nobody waits for: its status is taken when it has ended. */
void finished_expect(struct shell *sh, int pid);
bool finished_expects(struct shell *sh, int pid);
/* `wait` without arguments: earlier statuses can't be asked for any more. */
void finished_forget(struct shell *sh);
/* In the shell of a forked session: the jobs; processes that are not there, too, were killed. */
void job_copy_all(struct shell *sh, const struct shell *from);
/* Shows sh's jobs, as they are now, to a subshell of it. */
void job_show(const struct shell *sh, struct shell *to);
/* For saved sessions; what was running and is not there any more was killed. */
void job_pack_all(const struct shell *sh, struct buf *out);
void job_unpack_all(struct shell *sh, struct unpack *in);
bool finished_take(struct shell *sh, int pid, int *status);
void job_report_pipeline(struct shell *sh, const struct pipeline *p, const int *pids,
			 const int *wait_statuses);

/* --- shell.c --- */

/* In a process of another kernel: a full copy that shares nothing. */
struct shell *shell_copy(struct proc *child, struct shell *from);
struct frame *frame_push(struct shell *sh, const char *function, const char *source);
void frame_pop(struct shell *sh);
/* set -- : copies of the values, in the pool. */
void params_set(struct shell *sh, int count, char *const *values);
/* Frees what params_set made. */
void params_free(struct shell *sh, struct params *params);
void function_tables_free(struct shell *sh);

#endif
