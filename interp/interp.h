/* SPDX-License-Identifier: MIT
 *
 * The bash interpreter, as other rooms see it: the program `bash`, and the shell of a session
 * that outlives its commands.
 */
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "kernel/kernel.h"

struct shell;

/*
 * The program `bash` (or `sh`, by the base name of argv[0]): parses its options (-c, -s, -e, -x,
 * -o, -O, --posix, --version, ...), runs and returns the exit status. For a program format.
 */
int interp_program(struct proc *p, int argc, char **argv, char **envp);

/* The session's own shell as task of p. arg0 is $0 and the name in messages ("bash"). */
struct shell *interp_new(struct proc *p, char *const *envp, const char *arg0);
/* Positional parameters for the next commands; copied. */
void interp_set_params(struct shell *sh, int count, char *const *values);
/*
 * Executes a script's text in the session's shell, as `bash -c` would, but keeps the state:
 * `exit` and `set -e` end only this command (*exited tells). Runs on p's coroutine.
 */
int interp_command(struct shell *sh, struct bytes script, bool *exited);
/* Whether commands are typed by somebody: then aliases are expanded, lines go into the history,
 * messages have no line numbers, jobs that end are told of and PROMPT_COMMAND is run behind each
 * command, SIGINT gives up a command, and PS1 and PS2 are set. Runs on p's coroutine, between
 * commands. */
void interp_set_interactive(struct shell *sh, bool on);
/* Whether a terminal would send its signals to p: not to jobs in the background that have a group
 * of their own, and to the shell itself if it is interactive and catches them. */
bool interp_takes_signal(const struct shell *sh, const struct proc *p, int sig);
/* What PS1 or PS2 shows, in the arena; it may run commands. Runs on p's coroutine. */
struct bytes interp_prompt(struct shell *sh, const char *name);
/* Whether the text is the beginning of a command that needs more lines. Runs on p's coroutine. */
bool interp_incomplete(struct shell *sh, struct bytes text);
/* Ends the session's shell: runs the EXIT trap, once. */
int interp_end(struct shell *sh);
/* Between commands: what is left of the one before, in the arena of the shell's process. */
void interp_release(struct shell *sh);
/* After a limit cut a command short: the shell is consistent again, `status` is $?. */
void interp_recover(struct shell *sh, int status);
/* Gives process `child` of another kernel a copy of the shell (fork of a session). */
struct shell *interp_copy(struct proc *child, struct shell *from);
/* The state of a fork's shell as bytes, while its coroutine runs; original: what it is a fork of.
 * With jobs also those, as there are processes that will go on. How many functions had to be left
 * out. */
struct unpack;
int interp_pack(struct shell *sh, struct buf *out, struct shell *original, bool jobs);
/* A session's shell as interp_pack left it, with variables of env added. NULL: the bytes are not
 * what it wrote. */
struct shell *interp_unpack(struct proc *p, struct unpack *in, char *const *env);
/* The environment of a program that the host starts, NULL-ended; valid until the program has it.
 * The session's shell does not count in SHLVL. */
char *const *interp_environ(struct shell *sh);
/* Variables for the host: value of a scalar or element 0; false if unset. View until the next
 * command. */
bool interp_get_variable(struct shell *sh, struct bytes name, struct bytes *out);

/*
 * For hosts that look, between runs: all variables of a shell by name, but for those that are
 * computed when they are read. Allocates from the shell's process: the caller marks and releases.
 * Stops when each returns non-zero.
 */
struct interp_variable {
	const char *name;
	const char *attributes; /* as letters of declare */
	struct bytes value;     /* ptr NULL: declared only */
};
void interp_list_variables(struct shell *sh,
			   int (*each)(void *user, const struct interp_variable *v), void *user);

/* --- analysis: what a script would do --- */

/* Why a word is not known: what is in it. */
enum interp_unknown {
	INTERP_UNKNOWN_PARAMETER = 1,
	INTERP_UNKNOWN_COMMAND = 2,
	INTERP_UNKNOWN_ARITHMETIC = 4,
	INTERP_UNKNOWN_PROCESS = 8,
	INTERP_UNKNOWN_GLOB = 16,
	INTERP_UNKNOWN_TILDE = 32,
	INTERP_UNKNOWN_BRACE = 64,
	INTERP_UNKNOWN_INPUT = 128, /* it comes from the input of xargs, or the finds of find */
	INTERP_UNKNOWN_COUNT = 256, /* it may become several words, or none */
};

struct interp_word {
	struct bytes text; /* as the shell will see it; if something is unknown, as it is written */
	unsigned unknown;  /* 0: nothing */
};

enum interp_found {
	INTERP_FOUND_COMMAND,  /* words, nwords, program */
	INTERP_FOUND_PATH,     /* word, access: of a redirection */
	INTERP_FOUND_ASSIGN,   /* name, word; text.ptr NULL: no value */
	INTERP_FOUND_FUNCTION, /* name */
	INTERP_FOUND_TEXT,     /* word: will be executed, but is not known */
	INTERP_FOUND_SYNTAX,   /* name: the message; the text ends there */
};

enum interp_program {
	INTERP_UNKNOWN_NAME,
	INTERP_FUNCTION, /* of the script or the session */
	INTERP_BUILTIN,  /* of the shell */
	INTERP_PROGRAM,
	INTERP_REAL_PROGRAM, /* an ELF file */
	INTERP_MISSING,
};

enum interp_access {
	INTERP_READS = 1,
	INTERP_WRITES = 2,
	INTERP_APPENDS = 4,
	INTERP_REMOVES = 8,
	INTERP_CHANGES_MODE = 16, /* owner and times, too */
	INTERP_EXECUTES = 32,
};

struct interp_finding {
	enum interp_found kind;
	int line;
	int depth;          /* of substitutions, functions, texts, commands in commands */
	bool conditional;   /* not sure to happen, or once */
	const char *within; /* "", "function f", "$( )", "eval", "xargs", ... */
	enum interp_program program;
	unsigned access;
	const struct interp_word *words;
	int nwords;
	struct interp_word word;
	struct bytes name;
};

/*
 * Tells what is found in the text, in its order; nothing of it is expanded or executed. Stops
 * when `each` returns non-zero, and returns that. Runs on p's coroutine; the shell is to be thrown
 * away afterwards, as functions of the text are defined in it.
 */
int interp_analyze(struct shell *sh, struct bytes text,
		   int (*each)(void *user, const struct interp_finding *finding), void *user);

#endif
