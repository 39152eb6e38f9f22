/* SPDX-License-Identifier: MIT
 *
 * What the parts of find share: the expression as a tree of tests and actions.
 */
#ifndef BUILTINS_FIND_FIND_H
#define BUILTINS_FIND_FIND_H

#include "base/glob.h"
#include "base/regex.h"
#include "builtins/builtin.h"
#include "builtins/date_parse.h"

enum { FIND_DEPTH_MAX = 200, FIND_STACK = 256 * 1024 /* for a tree that deep */ };

struct find;
struct expr;

typedef bool find_fn(struct find *f, const struct expr *x, struct walk_entry *e);

/* How a number given as +N, -N or N compares. */
enum find_cmp { FIND_EQUAL, FIND_MORE, FIND_LESS };

enum expr_op { EXPR_TEST, EXPR_NOT, EXPR_AND, EXPR_OR, EXPR_COMMA };

struct expr {
	enum expr_op op;
	struct expr *left;
	struct expr *right;
	/* EXPR_TEST */
	find_fn *fn;
	const char *name; /* "-name" */
	enum find_cmp cmp;
	int64_t number;
	int64_t unit; /* of sizes and ages */
	char field;   /* which time: a, c, m, B */
	char how;     /* of -perm: 0, '-' or '/' */
	uint32_t mode;
	uint32_t dir_mode; /* -perm: X means something else there */
	uint64_t types;    /* -type: a bit per letter */
	struct glob *glob;
	struct regex *regex;
	const char *text;
	struct output *out; /* -fprint and friends; NULL: standard output */
	struct find_exec *exec;
	struct format_part *format;
};

struct find {
	struct cmd *c;
	struct expr *root;
	unsigned walk_flags;
	int64_t depth_min;
	int64_t depth_max;
	bool post; /* -depth */
	bool has_action;
	bool prune;
	bool deletes;
	bool asks;
	bool quit;
	bool failed;
	bool daystart;
	unsigned regex_flags;
	bool regex_emacs; /* patterns have Emacs' syntax, as long as no -regextype is given */
	int64_t now_ns;
	int64_t day_end_ns; /* with -daystart ages count from here */
	const char *list;   /* -files0-from; NULL: the starting points are operands */
	const char *start;  /* the starting point being walked */
	struct walk *walk;
	bool skip;                 /* -prune was met */
	struct find_exec *batches; /* -exec ... +: to be run at the end */
	struct find_file *files;   /* outputs by name */
	struct zone *zone;
};

/* parse.c: the expression behind the starting points, argv[at..]. Ends find on bad ones. */
void find_parse(struct find *f, int at);

/* test.c, action.c: predicates by name. NULL: there is none. */
struct predicate {
	const char *name;
	int args; /* 0 or 1; -1: takes the rest by itself */
	find_fn *fn;
	/* Fills x from the argument; for args == -1 *at is the first one and is moved. */
	void (*prepare)(struct find *f, struct expr *x, char **argv, int *at);
	bool action;
};
const struct predicate *find_test(const char *name);
const struct predicate *find_action(const char *name);

_Noreturn void find_bad_argument(struct find *f, const struct expr *x, const char *arg);
void find_error(struct find *f, int err, const char *path);
int64_t find_time(const struct vfs_stat *st, char field);

/* action.c */
void find_finish(struct find *f);
struct output *find_output(struct find *f, const char *path);

/* format.c */
struct format_part *find_format(struct find *f, const char *text);
void find_put_format(struct find *f, struct output *o, const struct format_part *parts,
		     struct walk_entry *e);
void find_put_ls(struct find *f, struct output *o, struct walk_entry *e);

#endif
