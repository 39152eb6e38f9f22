/* SPDX-License-Identifier: MIT
 *
 * What a script would do, told without running it. What is not known before it runs (variables,
 * output of commands, patterns) is told as such, with what is written there.
 */
#ifndef COWSH_ANALYZE_H
#define COWSH_ANALYZE_H

#include "cowsh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What in a word is not known; several may be. */
enum cowsh_unknown {
	COWSH_UNKNOWN_PARAMETER = 1, /* $x ${x...} */
	COWSH_UNKNOWN_COMMAND = 2,   /* $( ) ` ` */
	COWSH_UNKNOWN_ARITHMETIC = 4,
	COWSH_UNKNOWN_PROCESS = 8, /* <( ) >( ) */
	COWSH_UNKNOWN_GLOB = 16,
	COWSH_UNKNOWN_TILDE = 32,
	COWSH_UNKNOWN_BRACE = 64,
	COWSH_UNKNOWN_INPUT = 128, /* what xargs reads, what find finds */
	COWSH_UNKNOWN_COUNT = 256, /* it may become several words, or none */
};

/* A word as the command gets it; if something in it is unknown, as it is written. */
struct cowsh_word {
	const char *text;
	size_t len;
	unsigned unknown; /* 0: nothing */
};

enum cowsh_found {
	COWSH_FOUND_COMMAND,  /* a command is called: words, program */
	COWSH_FOUND_PATH,     /* a file is accessed: word, access, by */
	COWSH_FOUND_ASSIGN,   /* a variable is set: name, word (text NULL: no value) */
	COWSH_FOUND_FUNCTION, /* a function is defined: name */
	COWSH_FOUND_TEXT,     /* text is executed that is not known (eval, bash -c, trap): word */
	COWSH_FOUND_SYNTAX,   /* a syntax error: name is the message; what follows is not read */
};

enum cowsh_program {
	COWSH_PROGRAM_UNKNOWN,  /* the name is not known */
	COWSH_PROGRAM_FUNCTION, /* of the script or the session */
	COWSH_PROGRAM_SHELL,    /* a builtin of the shell */
	COWSH_PROGRAM_COMMAND,  /* a command of cowsh, of the host, or a script */
	COWSH_PROGRAM_REAL,     /* a real program (an ELF file): needs the microVM */
	COWSH_PROGRAM_MISSING,  /* there is no such command */
};

enum cowsh_access {
	COWSH_ACCESS_READ = 1,
	COWSH_ACCESS_WRITE = 2, /* made, or replaced */
	COWSH_ACCESS_APPEND = 4,
	COWSH_ACCESS_REMOVE = 8,
	COWSH_ACCESS_MODE = 16, /* permissions, owner, times */
	COWSH_ACCESS_EXECUTE = 32,
};

/* All pointers are views during the call. Operands of commands are told as paths as far as the
 * common commands are known. */
struct cowsh_finding {
	int kind;
	int line;
	int depth;          /* of substitutions, functions, texts, commands in commands */
	bool conditional;   /* in a branch, loop, function, ...: may not happen, or often */
	const char *within; /* innermost: "", "function f", "$( )", "eval", "xargs", ... */
	int program;
	unsigned access;
	const char *by; /* PATH: the command's name; NULL: a redirection */
	int nwords;
	const struct cowsh_word *words; /* [0] is the command */
	struct cowsh_word word;
	const char *name;
	size_t name_len;
};

/*
 * Tells what is found in a script, in its order; stops when `each` returns non-zero, and returns
 * that. `each` may not call the session. Commands and functions are looked up in the session,
 * which is not changed. -COWSH_EFBIG when it takes more than the limits of one command.
 */
COWSH_API int cowsh_analyze(cowsh *session, const char *script, size_t len,
			    int (*each)(void *user, const struct cowsh_finding *finding),
			    void *user);

#ifdef __cplusplus
}
#endif

#endif
