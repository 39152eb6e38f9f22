/* SPDX-License-Identifier: MIT
 *
 * What a command sees of the world: options, output, input, files, processes. A narrow face
 * over the kernel, implemented in builtins/cmd*.c.
 *
 *   struct builtin (a constant record)  ──> option table, run
 *   struct cmd (one running command)    ──> opts, operands, out (buffered), err, arena, pool
 *
 * The rules that make commands short:
 *   - run gets options parsed and operands in c->args (c->files: the same, or "-" if none).
 *   - Memory comes from c->arena and dies with the command; no NULL checks, no freeing. Loops
 *     that may be long use arena_mark/arena_release or c->pool.
 *   - Functions return 0 or more, or a negative E_ number. cmd_error turns it into a message.
 *   - A write to a closed pipe ends the command as SIGPIPE does; another write error ends it
 *     with "write error: ...". So writing has no result to check.
 *   - Every loop charges: cmd_charge(c, n), about one step per 64 bytes or per simple turn.
 */
#ifndef BUILTINS_BUILTIN_H
#define BUILTINS_BUILTIN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/stat.h"
#include "base/terminal.h"
#include "base/utf8.h"

struct proc;
struct cmd;
struct opt;

/* --- the record of a command --- */

enum builtin_flags {
	BUILTIN_RAW = 1,         /* no parsing: all arguments are operands (echo, expr, test) */
	BUILTIN_RAW_HELP = 2,    /* raw, but --help or --version as the only argument are known */
	BUILTIN_STOP = 4,        /* options end at the first operand (env, timeout, xargs, nice) */
	BUILTIN_NO_HELP = 8,     /* --help and --version are options like any other: not ours */
	BUILTIN_USAGE_LINE = 16, /* usage errors also show "Usage: name OPERANDS" (grep) */
	BUILTIN_WRITE_BARE = 32, /* says "write error" without the reason (wc) */
	BUILTIN_POSIX_TEXT = 64, /* with POSIXLY_CORRECT also those are text (echo) */
};

struct builtin {
	const char *name;
	const char *usage;   /* operands and options in one line: "[OPTION]... [FILE]..." */
	const char *summary; /* one or more lines for --help */
	int (*run)(struct cmd *c);
	const struct opt *opts; /* ends with OPT_END(); NULL: none */
	size_t opts_size;       /* of the struct that options fill; zeroed before */
	unsigned flags;
	int usage_status;        /* of a usage error; 0 means 1 */
	int error_status;        /* what cmd_error returns; 0 means 1 */
	int write_status;        /* when standard output can't be written; 0: error_status */
	const char *write_error; /* what is said then; NULL: "write error" */
	/* The program it behaves as, project and version; NULL: "GNU coreutils 9.1". */
	const char *family;
	/* The first line of --version, where it is not "NAME (PROJECT) VERSION". */
	const char *version;
	/* Behind usage errors, where it is not GNU's usual hint; the first and second %s are the
	 * name. */
	const char *hint;
	/* Of an option that is not known, where it is not GNU's message; %s is as it was given. */
	const char *unknown;
	/* Of an option that is not known, between the message and the hint. */
	void (*misused)(struct cmd *c);
	/*
	 * Old option forms (head -5, tail +3, sort +1 -2): asked for every argument before it is
	 * parsed. Returns how many arguments from argv[i] on it has taken; 0: none; -1: it has
	 * replaced c->argv, c->argc and c->args, and parsing goes on at i.
	 */
	int (*legacy)(struct cmd *c, int argc, char **argv, int i);
	/* Called before options are parsed, to set defaults in c->opts. */
	void (*defaults)(struct cmd *c);
};

#define BUILTIN(name) extern const struct builtin builtin_##name;
#include "builtins/list.h"
#undef BUILTIN

/* By name ("[" included), or NULL. A path is not looked at. */
const struct builtin *builtin_lookup(const char *name);
/* All of them in the order of their names: index from 0; NULL behind the last. */
const struct builtin *builtin_nth(size_t index);
/* Runs b in process p, whose program it is. Returns the exit status, 0..255. */
int builtin_run(struct proc *p, const struct builtin *b, int argc, char **argv, char *const *envp);

/* For a name that is no program: says in one line on standard error what to do instead, and
 * returns the status; -1: nothing is known about it (advice.c). */
int builtin_advise(struct proc *p, int argc, char **argv);

/* --- options --- */

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_FLAG,
	OPT_KIND_COUNT,
	OPT_KIND_SET,
	OPT_KIND_STR,
	OPT_KIND_BYTES,
	OPT_KIND_ENUM,
	OPT_KIND_CALL,
	OPT_KIND_DIGIT,
	OPT_KIND_DIGITS,
};

enum opt_arg { OPT_ARG_NONE, OPT_ARG_REQUIRED, OPT_ARG_OPTIONAL };

struct opt_word {
	const char *word; /* NULL at the end. Words of one value stand together in messages. */
	int value;
};

/* Returns 0, or an exit status that ends the command (its message is already written). */
typedef int opt_fn(struct cmd *c, const struct opt *o, const char *arg);

struct opt {
	int letter;       /* 0: long only */
	const char *name; /* NULL: letter only */
	enum opt_kind kind;
	enum opt_arg arg;
	size_t offset;       /* of the field in the options struct */
	int value;           /* OPT_SET, and OPT_ENUM with no argument; free for callbacks */
	const char *metavar; /* of the argument in --help */
	const char *def;     /* OPT_STR, OPT_BYTES: before any occurrence */
	const struct opt_word *words;
	opt_fn *fn;
	const char *help; /* NULL: not listed */
};

/* The offset of a field, refused by the compiler if its type is not `type`. */
#define OPT_FIELD(T, field, type)                                                                  \
	(offsetof(T, field) + 0 * sizeof(1 ? &((T *)0)->field : (type *)0))

/* bool: true once seen. */
#define OPT_FLAG(s, l, T, field, text)                                                             \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_FLAG,                                 \
		.offset = OPT_FIELD(T, field, bool), .help = (text)                                \
	}
/* int: how often it was seen. */
#define OPT_COUNT(s, l, T, field, text)                                                            \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_COUNT,                                \
		.offset = OPT_FIELD(T, field, int), .help = (text)                                 \
	}
/* int: becomes val; of several options on one field the last wins. */
#define OPT_SET(s, l, T, field, val, text)                                                         \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_SET,                                  \
		.offset = OPT_FIELD(T, field, int), .value = (val), .help = (text)                 \
	}
/* const char *: the argument; `d` before (may be NULL). */
#define OPT_STR(s, l, T, field, d, meta, text)                                                     \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_STR, .arg = OPT_ARG_REQUIRED,         \
		.def = (d), .metavar = (meta), .offset = OPT_FIELD(T, field, const char *),        \
		.help = (text)                                                                     \
	}
/* const char *: the argument, or `none` if the option was given without one. */
#define OPT_STR_OPTIONAL(s, l, T, field, none, meta, text)                                         \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_STR, .arg = OPT_ARG_OPTIONAL,         \
		.words = &(const struct opt_word){ (none), 0 }, .metavar = (meta),                 \
		.offset = OPT_FIELD(T, field, const char *), .help = (text)                        \
	}
/* struct bytes: the same as bytes; ptr NULL if never seen and d is NULL. */
#define OPT_BYTES(s, l, T, field, d, meta, text)                                                   \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_BYTES, .arg = OPT_ARG_REQUIRED,       \
		.def = (d), .metavar = (meta), .offset = OPT_FIELD(T, field, struct bytes),        \
		.help = (text)                                                                     \
	}
/* int: the value of a word, abbreviations allowed. */
#define OPT_ENUM(s, l, T, field, list, meta, text)                                                 \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_ENUM, .arg = OPT_ARG_REQUIRED,        \
		.words = (list), .metavar = (meta), .offset = OPT_FIELD(T, field, int),            \
		.help = (text)                                                                     \
	}
/* int: the same, `none` if there is no argument. */
#define OPT_ENUM_OPTIONAL(s, l, T, field, list, none, meta, text)                                  \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_ENUM, .arg = OPT_ARG_OPTIONAL,        \
		.words = (list), .value = (none), .metavar = (meta),                               \
		.offset = OPT_FIELD(T, field, int), .help = (text)                                 \
	}
/* Callbacks, per occurrence and in order. arg is NULL where there is none. */
#define OPT_CALL(s, l, f, text)                                                                    \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = (f), .help = (text)       \
	}
#define OPT_CALL_ARG(s, l, f, meta, text)                                                          \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,        \
		.fn = (f), .metavar = (meta), .help = (text)                                       \
	}
#define OPT_CALL_OPTIONAL(s, l, f, meta, text)                                                     \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_OPTIONAL,        \
		.fn = (f), .metavar = (meta), .help = (text)                                       \
	}
/* Digits as options: DIGIT calls f with each run of them in an argument (grep -12n); DIGITS calls
 * it once with all that follows in the same argument (fold -80). */
#define OPT_DIGIT(f)                                                                               \
	{                                                                                          \
		.kind = OPT_KIND_DIGIT, .fn = (f)                                                  \
	}
#define OPT_DIGITS(f)                                                                              \
	{                                                                                          \
		.kind = OPT_KIND_DIGITS, .fn = (f)                                                 \
	}
/* Known to the real tool, not here: an error that says so. See docs/limits.md. */
#define OPT_MISSING(s, l)                                                                          \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = opt_missing               \
	}
#define OPT_MISSING_ARG(s, l)                                                                      \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,        \
		.fn = opt_missing                                                                  \
	}
/* Accepted without effect. */
#define OPT_IGNORED(s, l, text)                                                                    \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = opt_ignored,              \
		.help = (text)                                                                     \
	}
#define OPT_IGNORED_ARG(s, l, meta, text)                                                          \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,        \
		.fn = opt_ignored, .metavar = (meta), .help = (text)                               \
	}
#define OPT_END()                                                                                  \
	{                                                                                          \
		.kind = OPT_KIND_END                                                               \
	}

opt_fn opt_missing;
opt_fn opt_ignored;
/* Words of a variable of the environment come before the command's arguments: called from
 * `defaults`, or first of all by raw commands. */
void cmd_words_before(struct cmd *c, const char *variable);
/* The option that is being applied, as it was given: "--name" or "-x". For messages. */
const char *opt_given(struct cmd *c, const struct opt *o);
/* The value of a word out of a list (abbreviations allowed) in *out; else GNU's "invalid
 * argument ‘x’ for ‘what’" with the valid ones, and status 1. */
int opt_word(struct cmd *c, const struct opt_word *words, const char *what, const char *arg,
	     int *out);
/* The same without abbreviations. */
int opt_whole_word(struct cmd *c, const struct opt_word *words, const char *what, const char *arg,
		   int *out);

/* --- output: buffered as stdio does --- */

struct output {
	struct cmd *c;
	int fd;
	char *ptr;
	size_t len;
	size_t room; /* free bytes that may be filled without looking; 0 when line buffered */
	size_t cap;
	bool by_line;     /* terminals: flushed at each newline */
	bool quiet;       /* errors are kept in `err`, they do not end the command */
	bool held;        /* grows instead of being flushed: see output_hold */
	int err;          /* first error, negative; only if quiet */
	const char *name; /* in error messages; NULL: "write error" */
	const char *drop; /* a file that goes if writing fails; NULL: none */
	/* The same for errors before the end, when more is to come than stdio's buffer holds. */
	const char *before_end;
	bool more; /* it is before the end */
};

/* Opens a file for writing with more O_ flags (O_TRUNC_, O_APPEND_, O_EXCL_): 0 or -E_.
 * "-" is not special. Errors of writing end the command, or are returned by output_close. */
int output_open(struct output *o, struct cmd *c, const char *path, unsigned oflags, bool quiet);
void output_init(struct output *o, struct cmd *c, int fd, bool quiet);
void output_flush(struct output *o);
int output_close(struct output *o);
void output_write_slow(struct output *o, const void *ptr, size_t len);

/* While held, output collects in memory and no kernel call happens: views stay valid. */
void output_hold(struct output *o);
void output_unhold(struct output *o);

static inline void output_write(struct output *o, const void *ptr, size_t len)
{
	if (len > o->room || len == 0) {
		output_write_slow(o, ptr, len);
		return;
	}
	memcpy(o->ptr + o->len, ptr, len);
	o->len += len;
	o->room -= len;
}

static inline void output_putc(struct output *o, char ch)
{
	if (o->room == 0) {
		output_write_slow(o, &ch, 1);
		return;
	}
	o->ptr[o->len++] = ch;
	o->room--;
}

/* Where the next n bytes can be written directly; tell how many by output_added. */
char *output_space(struct output *o, size_t n);
void output_added(struct output *o, size_t n);

/* --- a running command --- */

enum { CMD_SLOTS = 8 };

struct cmd {
	struct proc *p;
	const struct builtin *b;
	const char *name; /* argv[0] as given, for messages */
	void *opts;       /* the command's own options struct */
	int argc;         /* arguments as given, the name included */
	char **argv;
	char *const *envp;
	int nargs; /* operands */
	char **args;
	int nfiles; /* operands, or one "-" if there are none */
	char **files;
	struct arena *arena; /* dies with the command */
	struct pool *pool;   /* the same; blocks can be freed earlier */
	struct output out;   /* standard output */
	bool utf8;           /* the locale's character set (LC_ALL, LC_CTYPE, LANG) */
	struct cmd_private *priv;
};

static inline void cmd_write(struct cmd *c, const void *ptr, size_t len)
{
	output_write(&c->out, ptr, len);
}
static inline void cmd_bytes(struct cmd *c, struct bytes s)
{
	output_write(&c->out, s.ptr, s.len);
}
static inline void cmd_putc(struct cmd *c, char ch)
{
	output_putc(&c->out, ch);
}
void cmd_puts(struct cmd *c, const char *s);
/* The printf subset of buf_printf: no floating point. */
void cmd_printf(struct cmd *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cmd_flush(struct cmd *c);

/* Charges n steps; may switch to other processes or end the command. */
void cmd_charge(struct cmd *c, uint64_t n);
/* Charges for n bytes of work. */
static inline void cmd_charge_bytes(struct cmd *c, uint64_t n)
{
	cmd_charge(c, n / 64 + 1);
}
/* For regex_set_work and glob_set_work: arg is the struct cmd. */
void cmd_work(void *arg, uint64_t work);
/* Flushes and ends the command. Returning from run does the same. */
_Noreturn void cmd_exit(struct cmd *c, int status);
/* Ends the command as the signal does. */
_Noreturn void cmd_die(struct cmd *c, int sig);
/* Bytes of stack left; the same function on a fresh stack if there is less than need. */
size_t cmd_stack_left(struct cmd *c);
int cmd_deepen(struct cmd *c, size_t need, int (*fn)(void *arg), void *arg);

/* For libraries whose callbacks carry no argument: what the command that is running now has set
 * as its own; NULL: nothing. */
void cmd_set_own(struct cmd *c, void *own);
void *cmd_running_own(void);

/* --- messages --- */

/* "name: message: error text" on standard error, after standard output was flushed, as GNU's
 * error(). err 0: no error text. Returns the status for failures. */
int cmd_error(struct cmd *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* cmd_error without flushing, and without a result: for warnings. */
void cmd_warn(struct cmd *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* cmd_error, then the end of the command with its status (or `status`). */
_Noreturn void cmd_fatal(struct cmd *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void cmd_fatal_status(struct cmd *c, int status, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "name: message" (unless format is NULL) and "Try 'name --help' for more information."
 * Returns the status for usage errors. */
/* What --version writes; and an option that does as --version does. */
void cmd_put_version(struct cmd *c);
/* The text of --help. */
void cmd_put_help(struct cmd *c);
int cmd_opt_version(struct cmd *c, const struct opt *opt, const char *arg);
int cmd_usage(struct cmd *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Checks the number of operands: 0, or a status after GNU's "missing operand" or "extra
 * operand". max < 0: any number. */
int cmd_operands(struct cmd *c, int min, int max);
/* Text on standard error, nothing added. */
void cmd_err_write(struct cmd *c, const void *ptr, size_t len);

/* Quoting for messages. The results are valid until CMD_SLOTS more calls of them. */
const char *cmd_quote(struct cmd *c, const char *s);   /* ‘s’, or 's' in the C locale */
const char *cmd_quoteaf(struct cmd *c, const char *s); /* 's' as the shell would read it back */
const char *cmd_quotef(struct cmd *c, const char *s);  /* the same, only if it needs quotes */
const char *cmd_quote_n(struct cmd *c, struct bytes s);
/* What GNU prints for a file name: "-" as "standard input", else cmd_quotef. */
const char *cmd_quote_input(struct cmd *c, const char *path);

/* All of GNU's quoting styles, for ls, stat and tar. */
enum quote_style {
	QUOTE_LITERAL,
	QUOTE_SHELL,
	QUOTE_SHELL_ALWAYS,
	QUOTE_SHELL_ESCAPE,
	QUOTE_SHELL_ESCAPE_ALWAYS,
	QUOTE_C,
	QUOTE_C_MAYBE,
	QUOTE_ESCAPE,
	QUOTE_LOCALE,
	QUOTE_CLOCALE,
};
extern const struct opt_word quote_words[]; /* their names, for --quoting-style */
/* Appends s in that style. also: more bytes to be quoted ("" none). */
void quote_put(struct buf *out, struct bytes s, enum quote_style style, const char *also,
	       bool utf8);

/* --- input --- */

/*
 * A buffered reader. Lines are joined in memory only when they cross a buffer's end, so any
 * length works and reading is linear. What input_line returns is valid until the next call on
 * the same input; it does not move when the command writes output.
 */
struct input {
	struct cmd *c;
	int fd;
	const char *name; /* as given; "-" is standard input */
	bool is_stdin;
	bool at_end;
	bool ended; /* the last line had its delimiter */
	char *ptr;  /* the buffer */
	size_t cap;
	size_t from; /* unread bytes are ptr[from..to) */
	size_t to;
	size_t scanned; /* ptr[from..scanned) holds no delimiter */
	size_t most;    /* to read at once, where others read on from the same pipe; 0: what fits */
};

/* "-" is standard input. 0 or -E_. */
int input_open(struct input *in, struct cmd *c, const char *path);
void input_init(struct input *in, struct cmd *c, int fd, const char *name);
/* 1: *line is the next line without its delimiter (in->ended: it had one); 0: the end; -E_. */
int input_line(struct input *in, char delim, struct bytes *line);
/* As input_line, but a line that is longer than the buffer comes in pieces: all but its last one
 * say that it has not ended. For commands that need no whole lines. */
int input_piece(struct input *in, char delim, struct bytes *piece);
/* 1: some unread bytes, now read; 0: the end; -E_. Straight from the file's pages or the pipe:
 * valid until the next kernel call of the command (writing that flushes, charging, reading). */
int input_chunk(struct input *in, struct bytes *out);
/* The same, copied to the input's buffer: valid until the next call on this input. */
int input_block(struct input *in, struct bytes *out);
/* The next byte, or -1 at the end, or an error below -1. */
int input_slow_byte(struct input *in);
static inline int input_byte(struct input *in)
{
	return in->from < in->to ? (unsigned char)in->ptr[in->from++] : input_slow_byte(in);
}
/* Gives the last byte read by input_byte back; up to four in a row. */
static inline void input_unbyte(struct input *in)
{
	in->from -= in->from != 0;
}
/* Gives what was buffered but not used back to a seekable file: what follows on a shared
 * descriptor continues there. Done by input_close for standard input. */
void input_unread(struct input *in);
void input_close(struct input *in);

/* Reads the rest into the arena, a NUL behind. 0 or -E_. */
int input_all(struct input *in, struct bytes *out);
/* A whole file; "-" is standard input. In c->arena, a NUL behind. 0 or -E_. */
int cmd_read_all(struct cmd *c, const char *path, struct bytes *out);

/*
 * Calls fn for each of c->files. Files that can't be opened are reported ("name: file: text")
 * and skipped; fn returns 0, or an error of reading (negative) that is reported likewise, or a
 * positive status after a message of its own. Returns the
 * status for the command: 0, or that of failures.
 */
int cmd_each_file(struct cmd *c, int (*fn)(struct input *in, void *arg), void *arg);

/* What --files0-from says of a "-" that it reads from standard input. */
#define CMD_NO_DASH "when reading file names from stdin, no file name of %s allowed"

/* --- files: thin faces of the system calls. dir: a directory's descriptor or CMD_CWD --- */

enum { CMD_CWD = -100, CMD_NOFOLLOW = 0x100, CMD_REMOVEDIR = 0x200 };

int cmd_open(struct cmd *c, int dir, const char *path, unsigned oflags, uint32_t mode);
int cmd_close(struct cmd *c, int fd);
int64_t cmd_read(struct cmd *c, int fd, void *out, size_t n);
int64_t cmd_pread(struct cmd *c, int fd, void *out, size_t n, uint64_t pos);
int64_t cmd_pwrite(struct cmd *c, int fd, const void *data, size_t n, uint64_t pos);
/* Advisory locks on ranges of bytes: see sys_lock. -E_AGAIN: another open file's is in the way. */
enum cmd_lock { CMD_UNLOCK, CMD_LOCK_SHARED, CMD_LOCK_EXCLUSIVE, CMD_LOCK_TEST };
int cmd_lock(struct cmd *c, int fd, enum cmd_lock kind, uint64_t from, uint64_t len);
/* flock(2): waits for others if `wait`, else -E_AGAIN; -E_INTR after a caught signal. */
int cmd_flock(struct cmd *c, int fd, enum cmd_lock kind, bool wait);
/* May write less than n. cmd_write_fd writes all, or returns -E_. */
int64_t cmd_write_some(struct cmd *c, int fd, const void *data, size_t n);
int cmd_write_fd(struct cmd *c, int fd, const void *data, size_t n);
int64_t cmd_view(struct cmd *c, int fd, size_t max, const char **out); /* as input_chunk */
int64_t cmd_seek(struct cmd *c, int fd, int64_t offset, int whence);
int cmd_truncate_fd(struct cmd *c, int fd, uint64_t size);
int cmd_sync_fd(struct cmd *c, int fd);
int cmd_dup2(struct cmd *c, int from, int to);
bool cmd_isatty(struct cmd *c, int fd);
/* Of the terminal that the descriptor is; 0: it is none, or nobody knows. */
unsigned cmd_terminal_columns(struct cmd *c, int fd);
unsigned cmd_terminal_rows(struct cmd *c, int fd);
/* Settings and size (rows, columns) of a terminal: 0 or -E_. */
int cmd_terminal_get(struct cmd *c, int fd, struct tty_settings *out);
int cmd_terminal_set(struct cmd *c, int fd, const struct tty_settings *set);
int cmd_terminal_resize(struct cmd *c, int fd, unsigned rows, unsigned columns);
int cmd_fstat(struct cmd *c, int fd, struct vfs_stat *out);
/* As F_SETFL: O_APPEND_ and O_NONBLOCK_ become as in flags. */
int cmd_setfl(struct cmd *c, int fd, unsigned flags);
int cmd_stat_at(struct cmd *c, int dir, const char *path, int flags, struct vfs_stat *out);
int cmd_stat(struct cmd *c, const char *path, struct vfs_stat *out);
int cmd_lstat(struct cmd *c, const char *path, struct vfs_stat *out);
/* mask: 4 read, 2 write, 1 execute; 0: exists. */
int cmd_access(struct cmd *c, int dir, const char *path, unsigned mask);
int cmd_mkdir(struct cmd *c, int dir, const char *path, uint32_t mode);
int cmd_mknod(struct cmd *c, int dir, const char *path, uint32_t mode, uint64_t rdev);
int cmd_symlink(struct cmd *c, const char *target, int dir, const char *path);
/* follow: a symlink at `old` is resolved first. */
int cmd_link(struct cmd *c, int olddir, const char *old, int dir, const char *path, bool follow);
int cmd_unlink(struct cmd *c, int dir, const char *path, int flags);
/* flags: 1 fails with E_EXIST if path exists, 2 exchanges. */
int cmd_rename(struct cmd *c, int olddir, const char *old, int dir, const char *path,
	       unsigned flags);
int cmd_readlink(struct cmd *c, int dir, const char *path, struct bytes *out);
int cmd_chmod(struct cmd *c, int dir, const char *path, uint32_t mode, int flags);
int cmd_chown(struct cmd *c, int dir, const char *path, uint32_t uid, uint32_t gid, int flags);
#define CMD_TIME_NOW  INT64_MAX
#define CMD_TIME_OMIT INT64_MIN
int cmd_utimes(struct cmd *c, int dir, const char *path, int64_t atime_ns, int64_t mtime_ns,
	       int flags);
/* Extended attributes: names, each with a NUL behind; the value of one. What is returned lies in
 * the command's memory. */
int cmd_listxattr(struct cmd *c, int dir, const char *path, int flags, struct bytes *out);
int cmd_getxattr(struct cmd *c, int dir, const char *path, int flags, const char *name,
		 struct bytes *out);
int cmd_setxattr(struct cmd *c, const char *path, int flags, const char *name, struct bytes value);
int cmd_removexattr(struct cmd *c, const char *path, int flags, const char *name);
/* Gives `to` all that `from` has. 0, or the error of the last that it could not be given. */
int cmd_copy_xattrs(struct cmd *c, int dir, const char *from, const char *to, int flags);
int cmd_chdir(struct cmd *c, const char *path);
int cmd_getcwd(struct cmd *c, char **out);
uint32_t cmd_umask(struct cmd *c);
void cmd_set_umask(struct cmd *c, uint32_t mask);
/* The next entries of an open directory in byte order, without "." and ".."; 0 at the end. */
int cmd_readdir(struct cmd *c, int fd, struct arena *a, struct vfs_dirent *out, size_t n);
/* All entries of a directory, in byte order, in a. */
int cmd_list(struct cmd *c, int dir, const char *path, struct arena *a, struct vfs_dirent **out,
	     size_t *n);

/* Canonical absolute path with symlinks resolved. 0 or -E_; *out in the arena. */
enum canon_mode {
	CANON_EXISTING,    /* every component exists */
	CANON_PARENT,      /* all but the last exist */
	CANON_MISSING,     /* none need exist */
	CANON_NOLINKS = 4, /* may be added: symlinks are not followed */
};
int cmd_canonical(struct cmd *c, const char *path, unsigned mode, char **out);

/* Modes: "u+x,go-w", "0755" against an old mode. NULL-safe parse: mode_parse returns NULL if
 * the text is no mode. */
struct mode_change;
struct mode_change *mode_parse(struct cmd *c, const char *text);
uint32_t mode_apply(const struct mode_change *m, uint32_t old, bool is_dir, uint32_t umask);
/* "drwxr-xr-x", 10 bytes and a NUL. */
void mode_text(uint32_t mode, char out[11]);
/* "regular file", "directory", ... as stat %F. */
const char *mode_type_text(const struct vfs_stat *st);

/* --- walking trees: one entry at a time, constant stack, any depth --- */

enum walk_flags {
	WALK_FOLLOW = 1,      /* symlinks are what they point to (-L) */
	WALK_FOLLOW_ROOT = 2, /* only those given as roots (-H) */
	WALK_ONE_DEVICE = 4,
	WALK_POST = 8,      /* directories are also given after their contents */
	WALK_BY_INODE = 32, /* entries in the order of their inodes, not of their names */
	WALK_NO_STAT = 16,  /* st of non-directories may be left out (st.mode has the type) */
};
enum walk_kind {
	WALK_FILE,    /* anything that is not entered */
	WALK_DIR,     /* before its contents */
	WALK_DIR_END, /* after them (WALK_POST) */
	WALK_LOOP,    /* a directory that is one of its own ancestors: not entered */
	WALK_ERROR,   /* err: can't be examined, or (in_dir) a directory that can't be read */
};
struct walk_entry {
	enum walk_kind kind;
	const char *path; /* root as given, then names: for messages and output */
	const char *name; /* last part */
	int dir;          /* use (dir, at) for system calls, however deep */
	const char *at;
	int level;   /* 0: the root itself */
	int err;     /* also why a link could not be followed that is given as a file */
	bool in_dir; /* the error came from reading the directory's entries */
	struct vfs_stat st;
	bool has_stat;    /* st is filled by stat, not only the type in st.mode */
	const char *loop; /* WALK_LOOP: path of the ancestor */
	void *data;       /* a directory's own: NULL at first, the same at WALK_DIR_END */
};
struct walk;
struct walk *walk_new(struct cmd *c, const char *root, unsigned flags);
/* The next entry, or NULL at the end. Valid until the next call. */
struct walk_entry *walk_next(struct walk *w);
/* The directory just given is not entered. */
void walk_skip(struct walk *w);
/* The data field of the directory that holds the current entry, level given (<= entry's). */
void **walk_data(struct walk *w, int level);
void walk_free(struct walk *w);

/* --- network --- */

struct cmd_request {
	const char *method;
	const char *url; /* absolute: http or https, printable, without user and fragment */
	const char *const *headers; /* "Name: value"; NULL-ended */
	struct bytes body;
	uint64_t timeout_ms; /* 0: the host's own */
};
/* A descriptor that gives the host's answer: status line, headers, an empty line, the body without
 * a transfer coding. -E_INVAL: what it says cannot be said. Reading it may fail: -E_NETUNREACH
 * there is no network, -E_ACCES the host refuses, -E_HOSTUNREACH, -E_CONNREFUSED, -E_TIMEDOUT,
 * -E_CONNRESET, -E_PROTO, -E_IO. */
int cmd_fetch(struct cmd *c, const struct cmd_request *r);
/* Of headers that say how a message is sent (Host, Content-Length): requests do not name them. */
bool cmd_header_is_ours(struct bytes name);
/* A connection to what listens on a port inside the sandbox: its descriptor or -E_CONNREFUSED. */
int cmd_connect(struct cmd *c, uint16_t port);
/* As cmd_read, but -E_INTR after a signal that is caught. */
int64_t cmd_receive(struct cmd *c, int fd, void *out, size_t n);

/* --- environment, programs --- */

const char *cmd_getenv(struct cmd *c, const char *name);

struct env {
	struct cmd *c;
	char **list; /* NULL-ended */
	size_t n;
	size_t cap;
};
void env_init(struct env *e, struct cmd *c, bool empty);
void env_put(struct env *e, const char *assignment); /* "NAME=value": replaces */
void env_unset(struct env *e, const char *name);

struct cmd_program {
	char *const *argv; /* argv[0] without '/' is looked up in PATH of envp */
	char *const *envp; /* NULL: the command's own */
	const int *fds;    /* as the child's 0..nfds-1, -1: closed; NULL: as they are */
	int nfds;
	int pgid; /* 0: the same group; -1: its own */
	bool ignore_int;
};
/* Whether path is a file that may be executed. */
bool cmd_is_program(struct cmd *c, const char *path);
/* Starts a program: its pid, or -E_NOENT, -E_ACCES... Flushes standard output before. A file
 * without a known format is run by /bin/sh. */
int cmd_spawn(struct cmd *c, const struct cmd_program *prog);
/* Becomes that program (execvp): returns only on error. Flushes before. */
int cmd_become(struct cmd *c, char *const *argv, char *const *envp);
/* Waits for pid (-1: any child); *status as wait(2) has it. The pid, 0 (nohang), or -E_. */
int cmd_wait(struct cmd *c, int pid, int *status, bool nohang);
int cmd_pipe(struct cmd *c, int fds[2]);
/* A wait status as an exit status: 128 + signal. */
int cmd_exit_status(int wait_status);
/* Waits until the child pid has ended, whatever signals are caught meanwhile: its exit status. */
int cmd_wait_end(struct cmd *c, int pid);

int cmd_pid(struct cmd *c);
int cmd_ppid(struct cmd *c);
int cmd_pgid(struct cmd *c);
int cmd_sid(struct cmd *c);
int cmd_kill(struct cmd *c, int pid, int sig);
/* Whether pid is a process that has not ended: one not yet waited for has. */
bool cmd_alive(struct cmd *c, int pid);
/* Whether what is written to the descriptor would go to a pipe that nobody reads any more. */
bool cmd_unread(struct cmd *c, int fd);
int cmd_setpgid(struct cmd *c, int pid, int pgid);
int cmd_setsid(struct cmd *c);
/* SIGALRM after ns; 0 cancels. */
void cmd_alarm(struct cmd *c, int64_t ns);
enum cmd_action { CMD_SIG_DEFAULT, CMD_SIG_IGNORE, CMD_SIG_CATCH };
void cmd_signal(struct cmd *c, int sig, enum cmd_action action);
enum cmd_action cmd_signal_action(struct cmd *c, int sig);
/* A caught signal that is pending, taken; 0: none. */
int cmd_next_signal(struct cmd *c);
void cmd_block_signal(struct cmd *c, int sig, bool on);
const char *cmd_sig_name(int sig);    /* "TERM", or NULL */
int cmd_sig_number(const char *text); /* "TERM", "SIGTERM", "15"; -1 */
int cmd_nice(struct cmd *c, int add); /* the new value */

/* --- all processes --- */

struct cmd_proc {
	int pid;
	int ppid;
	int pgid;
	int sid;
	uint32_t uid;
	uint32_t gid;
	uint32_t real_uid;
	uint32_t real_gid;
	uint32_t saved_uid;
	uint32_t saved_gid;
	const uint32_t *groups; /* supplementary ones */
	size_t ngroups;
	char state; /* R, S, T, Z as in /proc/PID/stat */
	int nice;
	int64_t cpu_ns;
	int64_t child_cpu_ns; /* of children that were waited for, and theirs */
	int64_t started_ns;   /* since 1970 */
	uint64_t memory;      /* bytes, as /proc/PID/statm tells: resident, */
	uint64_t size;        /* all, */
	uint64_t shared;
	uint64_t data;    /* data and stack */
	const char *name; /* at most 15 bytes */
	const char *args; /* joined by blanks; "[name]" if there are none */
	const char *argv0;
	const char *path; /* of the program; "" if it is not known */
	uint64_t pending; /* masks of signals, bit n - 1 */
	uint64_t blocked;
	uint64_t ignored;
	uint64_t caught;
};

/* All that are alive, by number, as they are now. In the arena. */
size_t cmd_procs(struct cmd *c, struct cmd_proc **out);
/* What a process was given, joined by blanks; empty where /proc/PID/environ may not be read. */
struct bytes cmd_proc_environment(struct cmd *c, int pid);
/* Another process's nice value: 0, -E_SRCH, -E_PERM or -E_ACCES. */
int cmd_set_nice(struct cmd *c, int pid, int value);
/* A process's limits, soft and hard; resource is Linux's number, pid 0 the command itself. What
 * they were is in `old`, what they become in `set`; either may be NULL. 0, -E_SRCH, -E_PERM or
 * -E_INVAL. */
int cmd_limit(struct cmd *c, int pid, int resource, const uint64_t *set, uint64_t *old);
/* Processor time of children that were waited for, and theirs. */
int64_t cmd_child_cpu(struct cmd *c);

struct cmd_usage_totals {
	uint64_t memory_total; /* the limit, or what /proc/meminfo says */
	uint64_t memory_used;
	uint64_t memory_peak;
	int processes;
};
void cmd_totals(struct cmd *c, struct cmd_usage_totals *out);

/* --- people, clock, machine --- */

uint32_t cmd_uid(struct cmd *c);
uint32_t cmd_gid(struct cmd *c);
/* Supplementary groups: how many, in *out. */
size_t cmd_groups(struct cmd *c, const uint32_t **out);
/* Names from /etc/passwd and /etc/group; NULL if there is none. */
const char *cmd_user_name(struct cmd *c, uint32_t uid);
const char *cmd_group_name(struct cmd *c, uint32_t gid);
bool cmd_user_id(struct cmd *c, const char *name, uint32_t *uid, uint32_t *gid);
bool cmd_group_id(struct cmd *c, const char *name, uint32_t *gid);
/* Ids of groups that list the user, its own first. In the arena. */
size_t cmd_user_groups(struct cmd *c, const char *user, uint32_t gid, uint32_t **out);

int64_t cmd_now(struct cmd *c); /* nanoseconds since 1970 */
int64_t cmd_uptime(struct cmd *c);
int cmd_sleep(struct cmd *c, int64_t ns);
uint64_t cmd_random(struct cmd *c);
void cmd_random_bytes(struct cmd *c, void *out, size_t n);
const char *cmd_hostname(struct cmd *c);

/* --- numbers as GNU's options take them --- */

/*
 * A whole unsigned number with an optional suffix out of `suffixes` ("bkKMGTPEZY0": each with
 * B, iB, D where GNU allows it when '0' is in the list). 0; -E_INVAL; -E_OVERFLOW (then *out
 * is the largest value).
 */
int num_parse_u64(const char *text, const char *suffixes, uint64_t *out);
int num_parse_i64(const char *text, const char *suffixes, int64_t *out);
/* The text behind blanks and a plus, as C skips them; the text itself if no digit follows. */
const char *num_start(const char *text);
/* Digits only, nothing else: true if the whole text is one number that fits. */
bool num_plain(const char *text, uint64_t *out);
/* A time span with fraction and suffix s, m, h, d, in ns (sleep, timeout). False: invalid.
 * "inf" and too long ones give INT64_MAX. */
bool num_parse_span(const char *text, int64_t *ns);
/* Sizes for people: ls -h, du -h. base 1024 or 1000; at most 5 characters and a NUL. */
void num_human(uint64_t bytes, unsigned base, char out[8]);
/* Decimal digits of v: their number; not ended by NUL. */
size_t num_format_u64(uint64_t v, char out[20]);

#endif
