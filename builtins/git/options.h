/* SPDX-License-Identifier: MIT
 *
 * Options of subcommands, as tables. Part of git.h.
 */
#ifndef BUILTINS_GIT_OPTIONS_H
#define BUILTINS_GIT_OPTIONS_H

#include "builtins/git/git.h"

enum git_option_kind {
	GIT_OPT_END,
	GIT_OPT_FLAG,      /* bool; --no-x clears it */
	GIT_OPT_SET,       /* int becomes value; --no-x: 0 */
	GIT_OPT_COUNT,     /* int */
	GIT_OPT_STR,       /* const char *, required */
	GIT_OPT_STR_MAYBE, /* const char *, only as --x=v; without: "" */
	GIT_OPT_INT,       /* int */
	GIT_OPT_LIST,      /* struct names */
	GIT_OPT_CALL,      /* fn(g, opts, arg or NULL) */
	GIT_OPT_CALL_ARG,
	GIT_OPT_CALL_MAYBE,
	GIT_OPT_MISSING, /* refused */
	GIT_OPT_MISSING_ARG,
};

struct git_option {
	int letter;
	const char *name;
	enum git_option_kind kind;
	size_t offset;
	int value;
	const char *last; /* its argument where it is the last word, or NULL: it must have one */
	/* unset: as --no-x. Returns 0 or an exit status. */
	int (*fn)(struct git *g, void *opts, const char *arg, bool unset);
};

#define GIT_FLAG(s, l, T, f)                                                                       \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = GIT_OPT_FLAG, .offset = offsetof(T, f)         \
	}
#define GIT_SET(s, l, T, f, v)                                                                     \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = GIT_OPT_SET, .offset = offsetof(T, f),         \
		.value = (v)                                                                       \
	}
#define GIT_OPTION(k, s, l, T, f)                                                                  \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = (k), .offset = offsetof(T, f)                  \
	}
#define GIT_STR(s, l, T, f)       GIT_OPTION(GIT_OPT_STR, s, l, T, f)
#define GIT_STR_MAYBE(s, l, T, f) GIT_OPTION(GIT_OPT_STR_MAYBE, s, l, T, f)
#define GIT_INT(s, l, T, f)       GIT_OPTION(GIT_OPT_INT, s, l, T, f)
#define GIT_COUNT(s, l, T, f)     GIT_OPTION(GIT_OPT_COUNT, s, l, T, f)
#define GIT_LIST(s, l, T, f)      GIT_OPTION(GIT_OPT_LIST, s, l, T, f)
/* A list of revisions: HEAD at the end of the line. */
#define GIT_LIST_HEAD(l, T, f)                                                                     \
	{                                                                                          \
		.name = (l), .kind = GIT_OPT_LIST, .offset = offsetof(T, f), .last = "HEAD"        \
	}
/* For options that ask for what happens anyway. */
int git_opt_taken(struct git *g, void *opts, const char *arg, bool unset);
/* --column[=HOW], for columns_settle() */
int git_opt_columns(struct git *g, void *opts, const char *arg, bool unset);
/* --rerere-autoupdate */
int git_opt_rerere(struct git *g, void *opts, const char *arg, bool unset);
/* --color[=WHEN] */
int git_opt_color(struct git *g, void *opts, const char *arg, bool unset);
#define GIT_CALL(s, l, f)                                                                          \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = GIT_OPT_CALL, .fn = (f)                        \
	}
#define GIT_CALL_ARG(s, l, f)                                                                      \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = GIT_OPT_CALL_ARG, .fn = (f)                    \
	}
#define GIT_CALL_MAYBE(s, l, f)                                                                    \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = GIT_OPT_CALL_MAYBE, .fn = (f)                  \
	}
#define GIT_MISSING(s, l)                                                                          \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = GIT_OPT_MISSING                                \
	}
#define GIT_MISSING_ARG(s, l)                                                                      \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = GIT_OPT_MISSING_ARG                            \
	}
#define GIT_END()                                                                                  \
	{                                                                                          \
		.kind = GIT_OPT_END                                                                \
	}

/* The arguments of a subcommand; what remains after parsing are the operands. */
struct args {
	int argc;
	char **argv;
	int dashdash; /* operands in front of "--"; -1: there was none */
};

enum git_options_flags {
	GIT_STOP_AT_OPERAND = 1,
	GIT_KEEP_DASHDASH = 2,
	GIT_KEEP_UNKNOWN = 4,
};

struct git_parser {
	const struct git_option *table;
	void *opts;
	const char *const *usage; /* lines, NULL-ended: the first behind "usage: " */
	unsigned flags;
	/* Asked first about each option: how many arguments it has taken; 0: not mine. */
	int (*other)(struct git *g, void *opts, int argc, char **argv);
};
/* args holds what is behind the subcommand's name. Errors end the command with 129. */
void git_parse(struct git *g, struct args *args, const struct git_parser *p);
/* Takes the option at argv[0]: how many arguments that were, 0: there is no such option,
 * GIT_OPERAND: it keeps its place among the operands. */
typedef int git_take_fn(struct git *g, void *opts, int argc, char **argv);
enum { GIT_OPERAND = -1 };
/* For commands whose options are those of revisions and diffs, not a table: hands each option in
 * front of "--" to take; the rest stays in args. The option that there is not, or NULL. */
const char *git_take_options(struct git *g, struct args *args, git_take_fn *take, void *opts);
/* What a subcommand's own first argument can be. */
struct git_action {
	const char *name; /* NULL: the end of the list */
	int (*run)(struct git *g, struct args *args);
};
/* Runs the one that is named, with what is behind its name; else usage and the end. */
int git_run_action(struct git *g, struct args *args, const struct git_action *actions,
		   const char *const *usage);
/* Ends the command if more than one of these options is there (the others are NULL). */
void git_one_of(struct git *g, const char *const *given, size_t n);
/* "usage: ..." on standard error, status 129. */
_Noreturn void git_usage(struct git *g, const char *const *usage);

#endif
