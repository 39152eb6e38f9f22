/* SPDX-License-Identifier: MIT
 *
 * Differences: pairs of files, where they come from, and how they are shown.
 *
 *   source (trees, index, work tree) ──> struct diff_queue ──renames, filters──> output
 *
 *   diff_options.c  options                    diff_source.c  pairs from index and work tree
 *   diff_tree.c     pairs from two trees       diff_rename.c  renames and copies
 *   diff_output.c   what is shown, in order    diff_patch.c   unified text of one pair
 *   diff_words.c    --word-diff                diff_stat.c    --stat and its kin, names, raw
 *   diff_choose.c   order, -I            diff_dirstat.c  --dirstat         submodule.c     of
 * submodules diff_check.c    --check, white space       diff_combined.c  two parents at once
 */
#ifndef BUILTINS_GIT_DIFF_H
#define BUILTINS_GIT_DIFF_H

#include "base/regex.h"
#include "builtins/git/git.h"

enum diff_format {
	DIFF_RAW = 1,
	DIFF_STAT = 2,
	DIFF_NUMSTAT = 4,
	DIFF_SHORTSTAT = 8,
	DIFF_SUMMARY = 16,
	DIFF_PATCH = 32,
	DIFF_NAMES = 64,
	DIFF_NAME_STATUS = 128,
	DIFF_CHECK = 256,
	DIFF_NONE = 512,
	DIFF_DIRSTAT = 1024,
};

enum submodule_ignore {
	SUBMODULE_IGNORE_NONE = 1,
	SUBMODULE_IGNORE_UNTRACKED,
	SUBMODULE_IGNORE_DIRTY,
	SUBMODULE_IGNORE_ALL,
};

enum submodule_format { SUBMODULE_SHORT, SUBMODULE_LOG, SUBMODULE_DIFF };

enum diff_words { WORDS_OFF, WORDS_PLAIN, WORDS_COLOR, WORDS_PORCELAIN };

enum { SCORE_MAX = 60000, SCORE_DEFAULT = 30000, RENAME_LIMIT = 1000 };

enum dirstat_what { DIRSTAT_CHANGES, DIRSTAT_LINES, DIRSTAT_FILES };

struct diff_dirstat {
	enum dirstat_what what;
	bool cumulative;
	int permille; /* less is not shown */
};

/* What is marked in colours where it has white space that is wrong. */
enum { SPACE_OLD = 1, SPACE_NEW = 2, SPACE_CONTEXT = 4 };

struct diff_opts {
	unsigned format;
	int context;
	int inter_hunk;
	bool function_context;
	unsigned lines; /* enum lines_flags */
	int renames;    /* 0 none, 1 renames, 2 copies; -1: as configured */
	int rename_score;
	bool breaks; /* -B: rewritten files count as gone and new, from which part on */
	int break_score;
	int rewrite_score;
	struct names *anchors;   /* --anchored: lines that begin so stay, if they can */
	bool find_copies_harder; /* sources queue what is the same, too: diff_renames drops it */
	int rename_limit;
	bool reverse;
	bool text;
	bool binary;
	bool full_index;
	bool exit_code;
	int check_status; /* of --check, for the command: 2 when something was told */
	bool quiet;
	bool zero; /* -z */
	bool no_index;
	bool from_operands; /* names begin below the operands of --no-index: api/export.c wants it
			     */
	bool combined;      /* -c */
	bool dense;         /* --cc */
	bool merges;        /* -m */
	bool first_parent;
	bool prefix_given; /* --default-prefix */
	bool mnemonic;     /* prefixes say what is compared: i/ w/ */
	int announced;     /* what add -N has put in counts as added: 1 yes, -1 no, 0 not said */
	const char *src_prefix;
	const char *dst_prefix;
	const char *filter; /* --diff-filter */
	const char *pickaxe;
	char pickaxe_kind; /* 'S', 'G' */
	bool pickaxe_regex;
	bool pickaxe_all;
	struct regex *pickaxe_re;
	const char *relative; /* NULL: not wanted */
	int color;            /* 1, 0, -1: as configured */
	bool use_color;
	enum diff_words words;
	const char *word_regex;
	int abbrev; /* 0: default */
	bool abbrev_given;
	bool raw_full; /* lists of names of objects have them whole */
	int stat_width;
	int stat_name_width;
	int stat_graph_width;
	int stat_count;
	bool compact_summary;
	bool default_patch; /* no format given: a patch */
	bool no_renames_given;
	const char *orderfile;
	const char *rotate_to;
	bool skip_to;       /* what is in front of rotate_to is left out */
	bool rotate_strict; /* it must be there */
	bool object_wanted;
	struct oid object;       /* --find-object */
	bool irreversible;       /* -D: of a file that goes only the header is shown */
	const char *line_prefix; /* in front of each line */
	const char *prefix;      /* the same, of log --graph */
	char indicators[3];      /* instead of "+", "-", " "; 0: these */
	struct regex **ignored;  /* -I: changes of such lines do not count */
	size_t nignored;
	size_t ignored_cap;
	struct diff_dirstat dirstat;
	bool external;       /* programs may show files: --ext-diff */
	bool textconv;       /* patches show what programs make of files */
	bool textconv_asked; /* --textconv: blobs, too */
	const char *moved;   /* --color-moved, as given */
	bool moved_space_given;
	bool moved_indentation; /* --color-moved-ws=allow-indentation-change */
	unsigned moved_space;   /* enum lines_flags */
	struct moved *moving;   /* while patches are made */
	unsigned space_marks;   /* SPACE_ */
	struct pathspec paths;
	bool tree_entries; /* -t */
	bool not_recursive;
	int submodules;       /* enum submodule_ignore; 0: only other commits count */
	int submodules_asked; /* the same, by option */
	enum submodule_format submodule_format;
	int stage;         /* of what is not merged: compared with the work tree; 0: none */
	struct output *to; /* NULL: standard output */
};

struct moved; /* moved.h */

struct diff_file {
	const char *path;
	uint32_t mode; /* 0: it is not there */
	struct oid oid;
	bool oid_known; /* else it is a file of the work tree */
	bool from_work; /* it is the file of the work tree, whatever is known of it now */
	bool loaded;
	bool warned;       /* of its line ends, when it was hashed */
	bool cut;          /* --relative has shortened the path */
	unsigned dirty;    /* a submodule with changes of its own: submodule.h */
	bool outside;      /* --no-index: a path of the system, no conversion */
	const char *place; /* where it lies, if that is not its path */
	struct bytes data;
	uint64_t size;
	int binary;                 /* -1: not looked at */
	struct hash_counts *counts; /* of diff_rename.c */
};

struct diff_pair {
	struct diff_file *one;
	struct diff_file *two;
	char status; /* A M D R C T U */
	int score;   /* of a rename; of M: the part that went, if it was rewritten */
	bool broken;
	bool copied_source;
};

struct diff_queue {
	struct diff_pair *at;
	size_t n;
	size_t cap;
	struct names unmerged;
};

void diff_init(struct git *g, struct diff_opts *o);
/* "patience" as enum lines_flags; -1: there is none of that name. */
int diff_algorithm(const char *name);
/* An option of the family: how many arguments it has taken, 0: none of them. */
int diff_option(struct git *g, void *opts, int argc, char **argv);
/* After options: what follows from configuration. */
void diff_settle(struct git *g, struct diff_opts *o);
/* What the prefixes are with diff.mnemonicPrefix. */
void diff_sides(struct diff_opts *o, const char *one, const char *two);
const char *diff_escape(const struct diff_opts *o, struct git *g, const char *slot);

/* --- sources --- */
struct diff_file *diff_file_new(struct git *g, const char *path, uint32_t mode,
				const struct oid *o);
void diff_add(struct git *g, struct diff_queue *q, struct diff_file *one, struct diff_file *two);
/* NULL: the empty tree. */
void diff_trees(struct git *g, struct diff_opts *o, const struct oid *a, const struct oid *b,
		struct diff_queue *q);
void diff_cached(struct git *g, struct diff_opts *o, const struct oid *tree, struct diff_queue *q);
/* What is staged against a tree, renames as two files. */
void diff_staged(struct git *g, const struct oid *tree, struct diff_queue *q);
/* The paths of that with blanks between, in g->a; NULL: nothing is staged. */
const char *diff_staged_paths(struct git *g, const struct oid *tree);
void diff_work(struct git *g, struct diff_opts *o, struct diff_queue *q);
void diff_tree_work(struct git *g, struct diff_opts *o, const struct oid *tree,
		    struct diff_queue *q);
int diff_no_index(struct git *g, struct diff_opts *o, int argc, char **argv);

/* --- between --- */
void diff_renames(struct git *g, const struct diff_opts *o, struct diff_queue *q);
/* Renames, filters, order. */
void diff_finish(struct git *g, struct diff_opts *o, struct diff_queue *q);
/* Frees what the pairs hold. */
bool diff_load(struct git *g, struct diff_file *f);
bool diff_is_binary(struct git *g, const struct diff_opts *o, struct diff_file *f);
/* 0..60000. */
int diff_similarity(struct git *g, struct diff_file *a, struct diff_file *b, int least);
/* Bytes of b that come from a, and those that do not. */
uint64_t diff_copied(struct git *g, struct diff_file *a, struct diff_file *b, uint64_t *added);
/* diff_break.c: rewritten files are broken into one that goes and one that comes; halves that
 * are both left become one change. */
void diff_break(struct git *g, const struct diff_opts *o, struct diff_queue *q);
void diff_mend(struct git *g, struct diff_queue *q);
/* Bytes of a that are not in b, and those of b that are not in a. */
uint64_t diff_damage(struct git *g, struct diff_file *a, struct diff_file *b);

/* --- output --- */
void diff_output(struct git *g, struct diff_opts *o, struct diff_queue *q);
/* The path without its first bytes, once. */
void diff_shown(struct diff_file *f, size_t skip);
/* diff_choose.c: what --find-object wants, in the order of -O and --rotate-to. */
void diff_choose(struct git *g, const struct diff_opts *o, struct diff_queue *q);
void diff_ignore_lines(struct git *g, struct diff_opts *o, const char *pattern);
/* Compares what is loaded; what -I leaves out is marked. */
void diff_lines(struct git *g, struct arena *a, const struct diff_opts *o, struct diff_pair *p,
		struct lines *out);
/* diff_dirstat.c: the errors as lines, or NULL. */
const char *diff_dirstat_words(struct git *g, struct diff_dirstat *d, const char *words);
void diff_put_dirstat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
/* Little of the file was kept (-B). */
bool diff_is_rewrite(const struct diff_pair *p);
/* Bytes, each line with the prefixes in front. */
void diff_write(struct git *g, const struct diff_opts *o, struct bytes text);
/* What the header says of a rename, and of objects. */
void diff_put_notes(struct git *g, struct diff_opts *o, struct diff_pair *d, struct buf *out);
/* A change of kind is shown as a file that goes and one that comes. */
bool diff_splits(struct git *g, const struct diff_pair *d, struct diff_pair out[2]);
void diff_patch(struct git *g, struct diff_opts *o, struct diff_pair *p, struct buf *out);
/* words: the pattern of a word; NULL: what stands between blanks. */
void diff_words_hunk(struct git *g, const struct diff_opts *o, const char *words,
		     struct bytes minus, struct bytes plus, struct buf *out);
void diff_put_stat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
void diff_put_shortstat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
void diff_put_numstat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
void diff_put_summary(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
void diff_put_names(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
void diff_put_raw(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
/* 0, or 2 if something is wrong. */
int diff_put_check(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out);
struct diff_counts {
	size_t added;
	size_t deleted;
	bool binary;
};
/* The lines of hunks: changes that do not count are in them if they are near others. */
void diff_count_hunks(struct git *g, struct diff_opts *o, const struct lines *l,
		      struct diff_counts *out);
void diff_count(struct git *g, struct diff_opts *o, struct diff_pair *p, struct diff_counts *out);
/* a/{b => c}/d */
void diff_put_renamed(struct git *g, struct buf *out, const char *a, const char *b);
/* Blank lines that were added at the end of the file: the first one's number, or 0. */
size_t diff_blank_at_end(const struct lines *l);

/* An object as --raw names it. */
const char *diff_raw_name(struct git *g, const struct diff_opts *o, const struct oid *id);

/* diff_combined.c: the result against several parents. */
struct combined_path {
	const char *path;
	uint32_t mode;
	struct oid oid;
	bool in_work;
	size_t n;
	struct {
		uint32_t mode;
		struct oid oid;
	} parent[16];
};
void diff_combined(struct git *g, struct diff_opts *o, const struct combined_path *p, bool dense,
		   struct buf *out);
/* The combined differences of a merge. */
void diff_merge_text(struct git *g, struct diff_opts *o, struct commit *c, bool dense,
		     struct buf *out);

#endif
