/* SPDX-License-Identifier: MIT
 *
 * patch: changes to files, as diff writes them.
 *
 *   patch.c   what becomes of a file
 *   options.c options
 *   name.c    which file a patch is for
 *   parse.c   the text of patches (unified, context, normal) into hunks of one form
 *   apply.c   where a hunk fits, with offset and fuzz; the new text
 *   merge.c   --merge: hunks that do not fit are merged
 *   reject.c  hunks that do not fit, as text
 *   script.c  ed scripts, which ed applies
 */
#ifndef BUILTINS_PATCH_PATCH_H
#define BUILTINS_PATCH_PATCH_H

#include "builtins/copy.h"

enum patch_read_only { PATCH_RO_IGNORE, PATCH_RO_WARN, PATCH_RO_FAIL };
enum patch_merge { PATCH_NO_MERGE, PATCH_MERGE, PATCH_MERGE_DIFF3 };
enum patch_format { PATCH_UNKNOWN, PATCH_UNIFIED, PATCH_CONTEXT, PATCH_NORMAL, PATCH_ED };

struct patch_opts {
	int format;
	bool reverse;
	bool forward; /* -N */
	bool force;
	bool batch;
	bool dry_run;
	bool backup;
	bool silent;
	bool verbose;
	bool remove_empty;
	bool ignore_space;
	bool binary;
	bool follow;
	bool posix;
	int set_time;  /* -T: 1, -Z: 2 */
	bool named;    /* the file is an operand */
	int64_t strip; /* -1: only the last part of names counts */
	uint64_t fuzz;
	const char *input;
	const char *output;
	const char *directory;
	const char *rejects;
	const char *suffix;
	const char *prefix;
	const char *base_prefix;
	const char *control; /* -V */
	const char *define;  /* -D */
	int merge;           /* enum patch_merge */
	int reject_format;   /* enum patch_format; PATCH_UNKNOWN: as the patch */
	enum backup_kind kind;
	enum quote_style quoting;
	enum patch_read_only read_only;
	int mismatch; /* 0: as usual, 1: backup, 2: none */
};

extern const struct opt patch_options[];
void patch_defaults(struct cmd *c);
#define PATCH_CUT "patch unexpectedly ends in middle of line\n"

/* What options and the environment say of backups: 0, or a status. */
int patch_setup(struct cmd *c, struct patch_opts *o);

struct patch_line {
	char kind;    /* ' ', '-', '+' */
	bool unended; /* no newline behind it */
	struct bytes text;
};

/* Lines are in the order of a unified diff. */
struct patch_hunk {
	size_t old_first; /* counted from 1; of an empty range the line before plus 1 */
	size_t new_first;
	size_t old_count;
	size_t new_count;
	struct patch_line *line;
	size_t n;
	struct bytes function; /* behind the @@ */
};

/* All hunks for one file. */
struct patch_file {
	enum patch_format format;
	struct bytes old_header; /* the whole heading, for rejects; may be empty */
	struct bytes new_header;
	char *name[3];       /* old, new, Index: as given; NULL: none */
	char *stamp[2];      /* the times behind the names; NULL: none */
	bool nonexistent[2]; /* old, new: /dev/null or of the epoch */
	int says[2];         /* of both sides: 1 it is empty, 2 it is not there */
	bool strip_cr;       /* lines end in CR LF, which the mail did */
	bool binary;         /* git's binary form: can't be applied */
	char *bad;           /* what is wrong behind the hunks; NULL: nothing */
	bool git;
	char *rename_from;
	char *rename_to;
	bool is_copy;      /* the old name stays */
	uint32_t mode[2];  /* old, new; 0: not said */
	size_t intro_from; /* lines of the patch text in front of the hunks */
	size_t intro_to;
	size_t header_line;  /* where the heading began, from 1 */
	char *version;       /* of Prereq: a word that has to be in the file; NULL: none */
	struct buf remark;   /* what is wrong with Prereq */
	struct bytes script; /* of ed */
	bool cut;            /* the script ends with the text, whose last line is cut */
	struct patch_hunk *hunk;
	size_t nhunks;
	size_t indent; /* columns in front of the hunks' lines */
	size_t torn;   /* the hunk, from 1, that needs the text's last line, which is cut; or 0 */
};

struct patch_text {
	struct cmd *c;
	struct bytes *line;
	size_t n;
	size_t at;
	bool unended;
	bool strip_cr; /* of the part being read */
	size_t indent;
	bool said_unended;
	char *bad; /* see patch_file */
};

/* Line i without what is in front of all lines of this part, and behind them. */
struct bytes patch_text_line(const struct patch_text *t, size_t i);
/* The next file's hunks: 1; 0: the rest is no patch. */
int patch_parse(struct patch_text *t, const struct patch_opts *o, struct patch_file *out);
/* Exchanges old and new. */
void patch_reverse(struct cmd *c, struct patch_hunk *h);

/* A name without its first parts, as -p says; NULL if there are too few. */
const char *patch_strip_name(const struct patch_opts *o, const char *name);
/* The best of the names that exist, or, if the patch makes or deletes the file, of all; or NULL. */
const char *patch_choose_name(struct cmd *c, const struct patch_opts *o, struct patch_file *f,
			      bool reverse);
/* A name that leads out of the directory by links. */
bool patch_leads_out(struct cmd *c, const struct patch_opts *o, const char *path);

/* The file that is patched. */
struct patch_target {
	struct cmd *c;
	struct bytes *line;
	size_t n;
	bool unended;
	size_t frozen;      /* lines that hunks have passed */
	int64_t offset;     /* of the last hunk that was found */
	const char *define; /* -D: both texts stay, between #ifdef and #endif */
	bool torn;          /* the last line written has no newline yet */
	bool must_be_new;   /* what is made must not be there: nothing fits an old text */
	size_t put;         /* lines written */
	size_t excess;      /* --merge: GNU patch counts lines that hunks delete as if kept */
	struct buf out;
};

bool patch_equal(const struct patch_opts *o, struct bytes a, struct bytes b);
uint32_t patch_hash_line(const struct patch_opts *o, struct bytes text);
/* Line `at` of the file, from 0, is l. */
bool patch_same_line(const struct patch_target *t, const struct patch_opts *o,
		     const struct patch_line *l, size_t at);
void patch_put_line(struct patch_target *t, struct bytes text, bool ended);
/* Writes the file's lines from the first that is not yet passed up to line `to`. */
void patch_copy_lines(struct patch_target *t, size_t to);

/* Where h fits with this fuzz: a line from 1, or 0. */
size_t patch_locate(struct patch_target *t, const struct patch_opts *o, const struct patch_hunk *h,
		    size_t fuzz);
/* Writes everything up to and with the last change of the hunk at line `where`. */
void patch_apply(struct patch_target *t, const struct patch_hunk *h, size_t where);
/* Writes the rest. */
void patch_finish(struct patch_target *t);

/* What became of a hunk. */
struct patch_merged {
	bool plain; /* the file has its old text */
	bool conflict;
	struct buf places; /* " merged at 7, NOT MERGED at 10-15" */
};

/* Writes everything up to and with the last change of the hunk, where it fits best. */
void patch_merge(struct patch_target *t, const struct patch_opts *o, const struct patch_hunk *h,
		 struct patch_merged *out);
/* Lines of context: the larger of both ends. */
size_t patch_context(const struct patch_hunk *h, size_t *before, size_t *after);

/* format: PATCH_UNIFIED, PATCH_CONTEXT, or PATCH_UNKNOWN for that of the patch. */
void patch_put_reject(struct buf *out, const struct patch_file *f, const struct patch_hunk *h,
		      enum patch_format format, bool reverse, int64_t shift);

/* A line that begins a command in ed scripts as diff writes them; *letter is its command. */
bool patch_is_ed_command(struct bytes line, char *letter);
/* Reads a script, whose first command is the current line, into f->script. */
void patch_read_script(struct patch_text *t, struct patch_file *f);
/* Lets ed edit `text` by the script: what it makes of it. */
struct bytes patch_run_script(struct cmd *c, struct bytes script, struct bytes text);

#endif
