/* SPDX-License-Identifier: MIT
 *
 * The syntax tree: the contract between parser and execution.
 *
 * A tree is immutable once parsed, except for fields named `cache`, which execution may set
 * (they hold what can be recomputed from the tree alone). All nodes of one unit (a complete
 * command as bash reads it: up to a newline) live in the arena of one struct ast, which is
 * counted: a function keeps the unit that defined it. Words are analysed here, so that a
 * literal word is never scanned again.
 */
#ifndef INTERP_AST_H
#define INTERP_AST_H

#include "base/glob.h"
#include "base/heap.h"

struct node;
struct word;
struct arith; /* compiled arithmetic: arith.h */

struct ast {
	struct arena arena;
	struct heap *heap;
	size_t refs;       /* of one session: not atomic */
	struct node *root; /* NULL for an empty unit */
	struct bytes text; /* the source of the unit */
	int last_line;     /* the number of its last line */
	unsigned flags;    /* enum parse_flags that it was read with */
	struct ast *next_cached;
};

/* One more owner of a tree; and one less: the last one frees it. NULL is allowed. */
struct ast *ast_get(struct ast *a);
void ast_put(struct ast *a);

/* --- words --- */

enum part_kind {
	PART_TEXT,    /* literal bytes, quotes already removed */
	PART_PARAM,   /* $x ${x...} */
	PART_COMMAND, /* $(...) `...` */
	PART_ARITH,   /* $((...)) $[...] */
	PART_PROCSUB, /* <(...) >(...) */
	PART_TILDE,   /* ~ ~user ~+ ~- where bash would expand it; text is what follows ~ */
	PART_BRACE,   /* {a,b} {1..5}: only in words with WORD_BRACES */
	PART_EXTGLOB, /* not produced: ?(...) stands in unquoted TEXT parts, with WORD_GLOB set */
};

struct part {
	enum part_kind kind;
	bool quoted;       /* in quotes or behind a backslash: no splitting, no patterns */
	bool unposix;      /* TILDE: behind name= in an argument, where posix mode has none */
	bool opens;        /* the first one of a "...", if that does not begin with text */
	struct bytes text; /* TEXT, TILDE: bytes. Others: the source, for messages and printing */
	union {
		struct param *param;
		struct command_sub *command; /* COMMAND, PROCSUB */
		struct arith_text *arith;
		struct brace *brace;
		struct word *word; /* EXTGLOB: its text as parts */
	};
};

enum word_flags {
	WORD_LITERAL = 1 << 0, /* one unquoted or quoted TEXT, nothing to expand: `literal` is it */
	WORD_QUOTED = 1 << 1,  /* some part was quoted: an empty result is still a word */
	WORD_GLOB = 1 << 2,    /* an unquoted TEXT part contains * ? [ or an extglob */
	WORD_BRACES = 1 << 3,  /* contains PART_BRACE (expanded before all else, if set -B) */
	WORD_ASSIGNMENT = 1 << 4, /* has the form name=...: for declare and friends */
	WORD_SPLITS = 1 << 5,     /* an unquoted expansion may split or vanish */
};

struct word {
	unsigned flags;
	int line;
	int nparts;
	struct part *parts;
	struct bytes literal;  /* with a NUL behind; if WORD_LITERAL */
	struct bytes text;     /* the source text of the word */
	struct assign *assign; /* if WORD_ASSIGNMENT and the command is a declaration builtin */
	int nsubs;             /* spans of the text that print differently */
	struct word_sub *subs;
	struct glob *cache_glob; /* compiled pattern of a word without expansions */
	unsigned cache_glob_flags;
};

/* A span of word.text that is printed differently: a command or process substitution from its
 * tree, $'...' and $"..." as plain quotes. */
struct word_sub {
	size_t from;
	size_t to;
	struct command_sub *command; /* NULL: `text` is printed instead */
	struct bytes text;
};

/* A brace expression. Alternatives are lists of parts; a sequence has from, to, step. */
struct brace {
	bool sequence;
	int nalt;
	struct word **alt;
	bool letters; /* {a..f} */
	int64_t from;
	int64_t to;
	int64_t step;
	int width; /* zero padding of {01..10}; 0: none */
};

enum param_kind {
	PARAM_NAME,
	PARAM_POSITIONAL, /* $1 ${10}: index */
	PARAM_SPECIAL,    /* special: one of @ * # ? - $ ! 0 */
};

enum param_op {
	OP_NONE,
	OP_DEFAULT,      /* ${x-w} */
	OP_ASSIGN,       /* ${x=w} */
	OP_ERROR,        /* ${x?w} */
	OP_ALTERNATE,    /* ${x+w} */
	OP_PREFIX,       /* ${x#w} */
	OP_PREFIX_LONG,  /* ${x##w} */
	OP_SUFFIX,       /* ${x%w} */
	OP_SUFFIX_LONG,  /* ${x%%w} */
	OP_REPLACE,      /* ${x/p/r} */
	OP_REPLACE_ALL,  /* ${x//p/r} */
	OP_REPLACE_HEAD, /* ${x/#p/r} */
	OP_REPLACE_TAIL, /* ${x/%p/r} */
	OP_UPPER,        /* ${x^p} */
	OP_UPPER_ALL,    /* ${x^^p} */
	OP_LOWER,        /* ${x,p} */
	OP_LOWER_ALL,    /* ${x,,p} */
	OP_TOGGLE,       /* ${x~p} */
	OP_TOGGLE_ALL,   /* ${x~~p} */
	OP_SUBSTRING,    /* ${x:o:l} */
	OP_TRANSFORM,    /* ${x@Q}: transform is the letter */
	OP_LENGTH,       /* ${#x} */
	OP_NAMES,        /* ${!prefix*} ${!prefix@}: transform is * or @ */
	OP_KEYS,         /* ${!a[@]} ${!a[*]} */
	OP_BAD,          /* "bad substitution" when it is expanded */
};

enum subscript_kind { SUB_NONE, SUB_INDEX, SUB_AT, SUB_STAR };

struct param {
	enum param_kind kind;
	enum param_op op;
	bool colon;    /* the : of :- := :? :+ */
	bool indirect; /* ${!x...} */
	bool braced;
	bool unclosed; /* OP_BAD in double quotes: a subscript without its ] */
	char special;
	char transform;
	uint32_t index;
	struct bytes name; /* NUL behind */
	uint64_t hash;     /* bytes_hash(name) */
	enum subscript_kind subscript;
	struct word *sub;             /* SUB_INDEX: the text between [ and ] */
	struct arith_text *sub_arith; /* the same as arithmetic, for indexed arrays */
	struct word *arg;             /* word, pattern, or offset (as text) */
	struct word *arg2;            /* replacement, or length; NULL if absent */
	struct arith_text *offset;    /* OP_SUBSTRING */
	struct arith_text *length;    /* NULL if absent */
	struct bytes source;          /* "${x...}" for messages */
};

/* An arithmetic expression: a word whose expansion is the text to evaluate. */
struct arith_text {
	struct word *word;
	struct bytes text;
	struct arith *cache; /* compiled, when the text does not depend on expansions */
	bool cache_tried;
	bool commented; /* a # behind a blank hides the end of $(( )), for bash */
	bool index;     /* of an array: quoted as in $(( )), though the word is read as one */
	/* The arena of the tree, set by the parser: expansion allocates `cache` there. NULL: the
	 * text is compiled at each use. */
	struct arena *arena;
};

struct command_sub {
	struct node *root; /* NULL if empty, or if `error` is set */
	/* Syntax error of the text, to be reported when it is expanded (backquotes and what stands
	 * in here-documents are parsed early but may be wrong until then). */
	const struct parse_error *error;
	struct bytes complaint; /* said instead of the error, if not empty */
	bool fatal;             /* the error is one of the word around it, too */
	struct bytes text;      /* between the parentheses, or unescaped from the backquotes */
	bool backquoted;
	bool raw; /* its lines count as written: backquotes, here-documents */
	/* Else bash counts them in the text that it makes of the commands: numbered when first
	 * executed, from 0. */
	bool numbered;
	int line;        /* of its first line */
	int nlines;      /* newlines in it, once numbered */
	bool input_file; /* $(< file): root is a simple command with one redirection only */
	char direction;  /* '<' or '>' for process substitution */
};

/* --- redirections and assignments --- */

enum redir_kind {
	REDIR_IN,          /* < */
	REDIR_OUT,         /* > */
	REDIR_CLOBBER,     /* >| */
	REDIR_APPEND,      /* >> */
	REDIR_RDWR,        /* <> */
	REDIR_DUP_IN,      /* <&word: digits, digits-, or - */
	REDIR_DUP_OUT,     /* >&word: also "&>" when the word is no number and fd is not given */
	REDIR_BOTH,        /* &> */
	REDIR_BOTH_APPEND, /* &>> */
	REDIR_HEREDOC,     /* << <<- */
	REDIR_HERESTRING,  /* <<< */
};

/* Builtins whose arguments may be assignments: a=(1 2). */
struct declaration {
	const char *name;
	bool assigns; /* declare and such: word.assign is filled; false: eval, let, alias */
};

struct redir {
	enum redir_kind kind;
	int fd;              /* -1: the operator's default */
	struct bytes var;    /* {var}>: name, maybe with subscript; len 0 if none */
	struct word *target; /* file name, descriptor, here-string, or body of the here-document */
	bool heredoc_quoted; /* delimiter was quoted: body is literal */
	bool heredoc_tabs;   /* <<- */
	struct bytes delimiter; /* for printing */
	int line;
};

struct assign {
	struct bytes name; /* NUL behind */
	uint64_t hash;
	bool append;      /* += */
	struct word *sub; /* name[sub]=; NULL if none */
	struct arith_text *sub_arith;
	struct word *value; /* scalar value; NULL for an array literal */
	bool array;         /* name=( ... ) */
	int nitems;
	struct array_item *items;
	struct bytes text; /* source */
	int line;
};

struct array_item {
	struct word *sub; /* [sub]=value; NULL for a plain word */
	struct arith_text *sub_arith;
	bool append; /* [sub]+=value */
	struct word *value;
	/* With braces in the value it is no subscript to an indexed array: the words that all of
	 * it makes are plain ones. Else NULL. */
	struct word *braced;
};

/* --- commands --- */

enum node_kind {
	NODE_SIMPLE,
	NODE_PIPELINE,
	NODE_AND,
	NODE_OR,
	NODE_LIST,
	NODE_BACKGROUND,
	NODE_SUBSHELL,
	NODE_GROUP,
	NODE_IF,
	NODE_WHILE,
	NODE_UNTIL,
	NODE_FOR,
	NODE_CFOR,
	NODE_SELECT,
	NODE_CASE,
	NODE_FUNCTION,
	NODE_COND,
	NODE_ARITH,
	NODE_COPROC,
};

/* Every command begins with this head; redirections belong to the compound command. */
struct node {
	enum node_kind kind;
	int line;
	int nredirs;
	struct redir *redirs;
};

struct simple {
	struct node node;
	int nassigns;
	struct assign *assigns;
	int nwords;
	struct word **words;
	bool all_literal;    /* every word is WORD_LITERAL without glob: argv can be reused */
	char **cache_argv;   /* that argv, NULL-ended, in the tree's arena */
	void *cache_command; /* execution's: resolved builtin of a literal first word */
	uint64_t hash;       /* of a literal first word */
	const struct declaration *declaration; /* set if the first word is declare, local, ... */
	bool elements; /* unset, read, printf or wait, and some other word may be name[sub] */
};

struct pipeline {
	struct node node;
	int ncommands;
	struct node **commands;
	bool negated;    /* an odd number of ! */
	bool timed;      /* time */
	bool time_posix; /* time -p */
};

struct binary { /* AND, OR: a chain leans left, and may be long */
	struct node node;
	struct node *left;
	struct node *right;
};

struct list { /* LIST: a; b; c */
	struct node node;
	int count;
	struct node **commands; /* one that ends in & is a NODE_BACKGROUND */
	const char *separators; /* ';' or '\n' behind each, for printing; NULL: all ';' */
};

struct group { /* SUBSHELL, GROUP, BACKGROUND */
	struct node node;
	struct node *body;
	int last_line;     /* SUBSHELL: where it ends; for the ERR trap */
	struct bytes text; /* BACKGROUND: source, for jobs */
};

struct if_node {
	struct node node;
	struct node *test;
	struct node *then;
	struct node *otherwise; /* NULL, a list, or another if_node for elif */
	bool is_elif;
};

struct loop { /* WHILE, UNTIL */
	struct node node;
	struct node *test;
	struct node *body;
};

struct for_node { /* FOR, SELECT */
	struct node node;
	struct bytes name;
	uint64_t hash;
	bool has_in; /* without "in": "$@" */
	int nwords;
	struct word **words;
	struct node *body;
};

struct cfor {
	struct node node;
	struct arith_text *init; /* each may be NULL */
	struct arith_text *test;
	struct arith_text *step;
	struct node *body;
};

enum case_end { CASE_BREAK, CASE_FALL, CASE_CONTINUE }; /* ;; ;& ;;& */

struct case_item {
	int npatterns;
	struct word **patterns;
	struct node *body; /* NULL if empty */
	enum case_end end;
	int line;
};

struct case_node {
	struct node node;
	struct word *subject;
	int nitems;
	struct case_item *items;
};

struct function_node {
	struct node node;
	struct bytes name;
	uint64_t hash;
	struct node *body; /* a compound command; its redirections are its own */
	struct ast *ast;   /* the unit, for ast_get */
	int last_line;     /* where the body ends: errors of the definition name it */
	bool keyword;      /* written with "function" */
};

enum cond_kind { COND_AND, COND_OR, COND_NOT, COND_UNARY, COND_BINARY, COND_WORD, COND_GROUP };

struct cond {
	enum cond_kind kind;
	struct cond *left; /* AND, OR, NOT, GROUP */
	struct cond *right;
	char op[4]; /* "-f" "==" "!=" "=~" "<" ">" "-eq" "=" ... NUL-ended */
	struct word *a;
	struct word *b;
	void *cache_regex; /* compiled right side of =~ when literal */
	int line;
};

struct cond_node {
	struct node node;
	struct cond *cond;
};

struct arith_node { /* (( )) */
	struct node node;
	struct arith_text *expr;
};

struct coproc_node {
	struct node node;
	struct bytes name; /* "COPROC" by default */
	struct node *body;
};

/* --- parsing --- */

enum parse_flags {
	PARSE_EXTGLOB = 1 << 0,
	PARSE_POSIX = 1 << 1,
	PARSE_ALIASES = 1 << 2,     /* expand_aliases */
	PARSE_NO_COMMENTS = 1 << 3, /* interactive shell with interactive_comments off */
	PARSE_NO_BRACES = 1 << 4,   /* set +B when the unit was read */
	PARSE_KEYWORD = 1 << 5,     /* set -k: assignments may stand behind the command */
	PARSE_EXTQUOTE = 1 << 6,    /* $'...' means something in "${...}" */
	PARSE_ASCII = 1 << 7,       /* a locale without letters beyond ASCII: $'\u00e9' stays */
	PARSE_FLAGS_MAX = (1 << 8) - 1,
};

enum { PARSE_DEPTH_MAX = 1000 };

struct parser;

/* Shown on standard error without stopping anything: here-documents ended by the end of input. */
struct parse_warning {
	int line;             /* of the "bash: line N: " prefix */
	struct bytes message; /* "warning: here-document at line 1 delimited by ..." */
	struct parse_warning *next;
};

struct parse_config {
	struct heap *heap;
	struct arena_fail fail;
	struct arena *scratch; /* of the process: the parser's own state */
	struct bytes text;     /* what is there at once; may be empty when more is given */
	/* Gives the next line (with its newline; view valid until the next call): 1, or 0 at the
	 * end of input, or negative. Called only when the text so far is no complete unit, so
	 * that nothing is read too early. NULL: text is all. */
	int (*more)(void *user, bool continued, struct bytes *line);
	/* The text of an alias, or false. NULL: none. */
	bool (*alias)(void *user, struct bytes name, struct bytes *out);
	/* The parse_flags now: asked before each unit. NULL: they are flags_given. */
	unsigned (*flags)(void *user);
	unsigned flags_given;
	/* Runs fn(arg), on another stack if this one may be short: at most 16 KiB are used until
	 * it is called again. Returns what fn returns. NULL: the stack is large (some MiB). */
	int (*deepen)(void *user, int (*fn)(void *arg), void *arg);
	/* Is shown each string of $"...", with its quotes, and its line. NULL: nobody wants them.
	 */
	void (*translated)(void *user, struct bytes text, int line);
	/* Charges the process for n bytes read; may not return. */
	void (*charge)(void *user, size_t n);
	void *user;
	int line; /* number of the first line, from 1 */
	/* Holds the tree under construction, then the one that parse_unit gave, which its owner
	 * takes out; else NULL: for whoever cleans up when a callback does not return (ast_put
	 * it). May itself be NULL. */
	struct ast **building;
};

struct parse_error {
	int line;
	/*
	 * Lines to print, each behind the shell's own "bash: line N: " prefix: for example
	 * "syntax error near unexpected token `fi'" and then "`if; fi'".
	 */
	struct bytes message[2]; /* message[1].len 0 if there is only one */
	int second_line;         /* line number shown with the second message */
	bool at_end;             /* "unexpected end of file": more input could mend it */
	bool resumes;            /* in name=( ): only this line is lost, with status 1 */
	/* A script that ends by it has its last status: in [[ ]]; or 2 if that is 0: quotes and
	 * brackets that are not closed. Else 2. In $( ) it ends more than others do. */
	enum { PARSE_STATUS_2, PARSE_STATUS_LAST, PARSE_STATUS_LAST_OR_2, PARSE_STATUS_SUB } status;
};

/* In config->scratch; nothing to free. */
struct parser *parse_new(const struct parse_config *config);
/* 1: *out is a unit (the caller puts it); 0: end of input; -1: *error says what is wrong, and
 * the parser is behind the offending line. */
int parse_unit(struct parser *p, struct ast **out, struct parse_error *error);
/* The warnings of the unit that parse_unit gave last, in order; NULL if there are none. */
const struct parse_warning *parse_warnings(const struct parser *p);
/* Whether only blanks are left of the text. */
bool parse_ended(const struct parser *p);
/* Line number of the input that will be read next. */
int parse_line(const struct parser *p);
/* The line of the first token of the unit that it gave or failed in. */
int parse_begin_line(const struct parser *p);
/* Where the line that it asks for stands: SUB is a command or process substitution. */
enum parse_place { PARSE_IN_COMMAND, PARSE_IN_SUB, PARSE_IN_DOC };
enum parse_place parse_place(const struct parser *p);
void parse_set_line(struct parser *p, int line);

/*
 * One word from text that is not part of a script: prompt strings, ${x@P}, array subscripts
 * found at run time, the body of $'..'-free here-documents. NULL with *error set on bad syntax.
 */
enum text_word { TEXT_WORD_PLAIN, TEXT_WORD_QUOTED /* as in "..." */, TEXT_WORD_ARITH };
struct word *parse_text_word(const struct parse_config *config, struct arena *arena,
			     enum text_word kind, struct parse_error *error);

/* Splits "name[sub]" given at run time (read, unset, printf -v, declare): false if text is not
 * such; *sub->ptr is NULL when there is no subscript. */
bool parse_name_ref(struct bytes text, struct bytes *name, struct bytes *sub);
/* The same when nothing in the subscript is quoted, and when it ends at the last bracket. */
enum name_ref_style { NAME_REF_QUOTED, NAME_REF_PLAIN, NAME_REF_WHOLE };
bool parse_name_ref_as(struct bytes text, enum name_ref_style style, struct bytes *name,
		       struct bytes *sub);
/* Where the [ at text[at] closes, quotes and nested brackets skipped; text.len: nowhere. */
size_t subscript_close(struct bytes text, size_t at);

bool is_reserved_word(struct bytes text);
/* What is executed last in a list: its last command, the right one of && and ||. */
const struct node *node_last(const struct node *n);

/* --- printing, as bash prints functions and jobs --- */

struct buf;
/* `declare -f`: "name () \n{ \n    ...\n}". posix: as the mode has it. */
void print_function(struct buf *out, const struct function_node *f, bool posix);
/* The same so that it can be read again: bash shows $'...' in ways that it can't read itself. */
void print_function_source(struct buf *out, const struct function_node *f, bool posix);
/* One line, as jobs and BASH_COMMAND show it. */
void print_command(struct buf *out, const struct node *n);
/* The same as --pretty-print shows it. */
void print_posix_command(struct buf *out, const struct node *n);

/* parse_brace.c: whether a part is $NAME without quotes and braces, which letters behind it go on.
 */
bool brace_open_name(const struct part *part);
/* How many bytes at the beginning of an unquoted part would go on with a name in front of it. */
size_t brace_name_bytes(const struct part *part);

#endif
