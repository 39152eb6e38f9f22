/* SPDX-License-Identifier: MIT
 *
 * Patches as text and what applying them means: for apply, am and the commands that ask about
 * each hunk.
 */
#ifndef BUILTINS_GIT_APPLY_H
#define BUILTINS_GIT_APPLY_H

#include "builtins/git/merge.h"

struct apply_opts {
	bool check, cached, index, reverse, stat, numstat, summary, three_way, verbose, quiet,
		reject, apply_anyway, no_add, recount, allow_empty, unidiff_zero, ignore_space,
		inaccurate_eof, binary;
	int strip;
	int context; /* lines of context that must fit; -1: all */
	const char *directory;
	const char *whitespace;
	struct names limits; /* --include, --exclude: '+' or '-', then the pattern */
	bool has_include;
};

struct hunk_line {
	char sign;
	struct bytes text; /* with its newline, unless the file has none there */
};

struct hunk {
	size_t from[2], count[2];
	struct hunk_line *at;
	size_t n, cap;
	size_t number; /* of its line in the patch */
	const char *source;
	struct bytes raw; /* as it stands in the patch */
};

/* One direction of a binary change. */
struct binary_hunk {
	bool there;
	bool delta; /* against the other side, else all of it */
	struct bytes data;
};

struct file_patch {
	char *name[2]; /* NULL: /dev/null */
	uint32_t mode[2];
	bool is_new, is_delete, is_rename, is_copy, binary;
	int similarity; /* percent, as the patch says */
	struct hunk *hunk;
	size_t n, cap;
	size_t added, deleted;
	bool has_crlf;             /* lines of the old file end so: then new ones may */
	struct binary_hunk bin[2]; /* forwards, backwards */
	struct oid blob[2];        /* what the index line says, if it says all of it */
	bool has_blobs;
	const char *blob_prefix; /* of the old one, as far as it is said; NULL */
	/* the outcome */
	struct bytes result;
	uint32_t result_mode;
	bool no_base;  /* both sides made the file */
	bool conflict; /* of --3way; what goes into stages 1 to 3 */
	struct oid stage[3];
	bool failed; /* with --reject it is left out, and the others are applied */
	size_t rejects;
	bool *rejected;       /* by hunk */
	unsigned space_rules; /* once asked for */
};

/* What is done about white space that is wrong in what a patch adds. */
enum apply_space { SPACE_NOWARN, SPACE_WARN, SPACE_ERROR, SPACE_ERROR_ALL, SPACE_FIX };

struct applying {
	struct git *g;
	struct apply_opts o;
	struct bytes rest;
	size_t line; /* counted from 1 */
	const char *source;
	enum apply_space space;
	size_t space_errors, space_fixed;
	bool git_names;
	bool too_short; /* a name had fewer parts than -p takes */
	struct file_patch *at;
	size_t n, cap;
};

/* apply_read.c: adds what the text holds. Ends the command if it is broken. */
void apply_read(struct applying *p, struct bytes text);

bool apply_binary(struct applying *p, struct file_patch *f, const char *name, struct bytes text);

/* apply_fit.c: f->result from the text of the file. False after a message (none if p->o.quiet):
 * a hunk fits nowhere. With --reject such hunks are counted and left out. */
bool apply_hunks(struct applying *p, struct file_patch *f, const char *name, struct bytes text);
/* name.rej, and messages about each hunk. */
void apply_write_rejects(struct applying *p, const struct file_patch *f);

/* apply_space.c: the value of --whitespace; ends the command with that status if it is none. */
void apply_space_mode(struct applying *p, const char *word, int status);
/* A line of f that was just read: told if it is wrong, and made right if that is wanted. */
void apply_space_line(struct applying *p, struct file_patch *f, struct hunk_line *l);
/* cmd_apply.c: whether the options let f be applied. */
bool apply_takes(const struct applying *p, const struct file_patch *f);
/* Of a hunk that ends with its file: how many blank lines are taken away again. */
size_t apply_space_end_of_file(struct applying *p, struct file_patch *f, const struct hunk *h);
/* Whether nothing may be applied because of what was told; and the message at the end. */
bool apply_space_stops(const struct applying *p);
void apply_space_sum(struct applying *p, bool applied);

/* cmd_apply.c: a patch of our own making to the index, the files or both. */
enum apply_flags {
	APPLY_CACHED = 1, /* only the index */
	APPLY_REVERSE = 2,
	APPLY_CHECK = 4,   /* nothing is written */
	APPLY_RECOUNT = 8, /* the numbers of lines in hunk headers mean nothing */
	APPLY_SILENT = 16,
};
/* False after a message: it does not fit. */
bool apply_text(struct git *g, struct bytes patch, unsigned flags);

#endif
