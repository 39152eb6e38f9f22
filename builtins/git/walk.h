/* SPDX-License-Identifier: MIT
 *
 * Histories: which commits, in which order, and how each is written.
 *
 *   revs.c     arguments of rev-list, log and others into struct revs
 *   history.c  the walk: limits, order, what does not touch the paths (history_simplify.c)
 *   pretty.c   --format                 graph.c  the lines of --graph
 */
#ifndef BUILTINS_GIT_WALK_H
#define BUILTINS_GIT_WALK_H

#include "builtins/git/diff.h"

enum commit_flags {
	COMMIT_SEEN = 1,
	COMMIT_UNINTERESTING = 2,
	COMMIT_SHOWN = 4,
	COMMIT_SAME = 8, /* as its parent, as far as the paths go */
	COMMIT_ADDED = 16,
	COMMIT_LEFT = 32, /* of A...B */
	COMMIT_BOUNDARY = 64,
	COMMIT_CHILD_SHOWN = 128,
	COMMIT_IN_LIST = 256,
	COMMIT_PATCH_SAME = 512,
	COMMIT_REWRITTEN = 1024,
	COMMIT_PATH = 2048,   /* of --ancestry-path */
	COMMIT_BOTTOM = 4096, /* named as what is not wanted */
	COMMIT_PULL = 8192,   /* a merge that brought what another parent has */
};

enum revs_order { ORDER_DATE, ORDER_TOPO, ORDER_TOPO_DATE, ORDER_AUTHOR_DATE };

struct revs_grep {
	struct regex *re;
	int field; /* 'a' author, 'c' committer, 'm' message */
};

struct revs_item {
	struct commit *c;
	struct oid oid;     /* as named: perhaps a tag, tree or blob */
	const char *name;   /* as given */
	const char *source; /* for --source, if that is another one */
	bool uninteresting;
	uint32_t mode;
	const char *path;
	enum object_type type;
};

struct commits {
	struct commit **at;
	size_t n;
	size_t cap;
};

/* Of a list of those that have a commit as a parent. */
struct child {
	struct child *next;
	struct commit *commit;
};

struct revs {
	struct git *g;
	struct diff_opts diff;
	struct revs_item *item;
	size_t nitems;
	size_t items_cap;
	struct pathspec paths;
	enum revs_order order;
	bool reverse;
	bool first_parent;
	bool no_walk;
	bool unsorted; /* --no-walk=unsorted */
	bool boundary;
	bool left_right;
	bool left_only, right_only;
	bool cherry_mark, cherry_pick;
	bool full_history;
	bool sparse;
	bool ancestry_path;
	bool rewrite; /* parents are those that are shown: --graph, --parents */
	bool follow;
	bool follow_copied; /* --find-copies-harder is on for the commit that is shown */
	bool show_root;
	bool default_head;
	const char *default_rev; /* --default */
	bool reflogs;            /* -g */
	bool follow_configured;  /* log.follow: of one path */
	bool ignore_missing;
	bool read_stdin;
	bool dense;
	bool show_pulls;
	bool objects;
	bool gave_rev;
	int64_t max_count; /* -1: all */
	int64_t skip;
	int64_t since; /* INT64_MIN: not said */
	int64_t until; /* INT64_MAX */
	int min_parents;
	int max_parents; /* -1: any */
	struct revs_grep *grep;
	size_t ngreps;
	size_t greps_cap;
	enum grep_kind grep_kind;
	bool grep_icase, grep_invert, grep_all_match;
	struct names grep_text[3]; /* as given: author, committer, message */
	const char * not ;         /* --not: what follows is excluded */
	bool negate;
	struct names exclude;
	/* the walk */
	bool started;
	bool limited;
	struct commits queue; /* a heap by date, then by order of coming */
	struct commits list;  /* when limited */
	size_t list_at;
	struct commits boundaries;
	uint64_t coming;
	int64_t shown;
	const char *follow_path;
	bool reversed;
	struct commits backwards;
	bool draw_graph; /* history.c must hand out all parents that count */
	bool simplify_merges;
	bool by_decoration;       /* what has none counts as the same */
	struct lookup *decorated; /* then: by object */
	struct lookup *sources;   /* --source: names by object; or NULL */
};

void revs_init(struct git *g, struct revs *r);
/* One option: how many arguments it took; 0: not one of these. */
int revs_option(struct git *g, void *r, int argc, char **argv);
/* Operands: revisions, then paths (dashdash: where "--" was, -1: nowhere). Ends the command on
 * errors. */
void revs_operands(struct git *g, struct revs *r, struct args *args);
/* One revision argument ("A..B" too): false if it is none. */
bool revs_add(struct git *g, struct revs *r, const char *arg);
void revs_add_commit(struct git *g, struct revs *r, struct commit *c, bool uninteresting);
struct commit *revs_next(struct revs *r);
/* Whether dates, texts and numbers of parents are those that are looked for. */
bool revs_takes(struct revs *r, const struct commit *c);
/* ref_choice.c: an option that chooses references, or --exclude=PATTERN, kept in *exclude for the
 * next one. visit is called for each, with its name as the option sees it: "main" for --branches.
 * False: another option. */
bool refs_choose(struct git *g, struct names *exclude, const char *arg,
		 void (*visit)(void *user, const struct ref *ref, const char *name), void *user);
/* Whether a commit has changes in the paths against its parent n. */
bool revs_tree_same(struct revs *r, const struct commit *c, const struct commit *parent);
/* All merge bases of two commits, best first. */
size_t merge_bases(struct git *g, struct commit *a, struct commit *b, struct commit ***out);
/* "A...B" (HEAD if one is left out): false unless it is that and they have one merge base. */
bool merge_base_named(struct git *g, const char *text, struct oid *out);
size_t merge_bases_many(struct git *g, struct commit *a, struct commit **b, size_t n,
			struct commit ***out);
/* cmd_merge_base.c: where a commit left what the reference was at some time; NULL: not at one
 * place. */
struct commit *fork_point(struct git *g, const char *name, struct commit *c);
bool is_ancestor(struct git *g, struct commit *a, struct commit *of);
/* How many commits only one side has. */
void count_ahead_behind(struct git *g, struct commit *a, struct commit *b, size_t *ahead,
			size_t *behind);
/* revs.c: --cherry-pick and its kin; --follow: whether c touches the file (the name moves on). */
void revs_mark_cherries(struct revs *r);
bool revs_follow(struct revs *r, struct commit *c);
/* The file of the child in its parent p, where it may have another name (in keep): false if it
 * was not there. */
bool commit_file_before(struct git *g, struct commit *p, struct commit *child, const char *path,
			const char **name, struct oid *out);
/* Flags of all commits seen are cleared: another walk can begin. */
void revs_forget(struct git *g);
/* history_simplify.c: commits of the limited list without those that --simplify-merges drops. */
void revs_simplify_merges(struct revs *r);
/* The limited list in the order that was asked for: parents behind their children. */
void revs_sort_topo(struct revs *r);
/* By which name a commit was found: --source. */
const char *revs_source(const struct revs *r, const struct commit *c);

/* --- pretty.c --- */

enum pretty_kind {
	PRETTY_MEDIUM,
	PRETTY_RAW,
	PRETTY_SHORT,
	PRETTY_FULL,
	PRETTY_FULLER,
	PRETTY_ONELINE,
	PRETTY_REFERENCE,
	PRETTY_EMAIL,
	PRETTY_MBOXRD, /* the same, in which no line of a text begins with "From " */
	PRETTY_USER,
};
struct decoration {
	const char *name; /* full */
	struct decoration *next;
};
struct pretty {
	enum pretty_kind kind;
	const char *format; /* of PRETTY_USER */
	bool separate;      /* newline between, not behind */
	struct date_style date;
	bool date_given;
	bool abbrev_commit;
	bool abbrev_asked; /* --abbrev-commit */
	bool no_abbrev;
	int abbrev;
	bool use_color;
	int decorate; /* 0 no, 1 short, 2 full */
	struct lookup *decorations;
	bool decorate_all;                            /* --clear-decorations */
	struct names decorate_only, decorate_without; /* --decorate-refs[-exclude] */
	const struct reflog_entry *reflog;
	const char *reflog_name;
	char mark; /* of %m: > < - + = */
	int indent;
	bool in_graph;
	const char *parents; /* printed with the name: --parents */
	struct pretty_mail *mail;
	struct commit *commit;
	const char *source;
	bool notes;    /* below the message */
	bool no_notes; /* --no-notes: %N is no placeholder */
	bool log_size;
	int tabs;          /* columns that tabs go to; -1: as the kind has it */
	const char *alias; /* the first one of pretty_of */
	int alias_depth;
};
/* reflog_walk.c: -g. The commits of logs; pretty gets the entry. */
struct reflog_walk *reflog_walk_new(struct git *g, struct revs *r);
struct commit *reflog_walk_next(struct reflog_walk *w, struct pretty *p);
/* "oneline", "format:...": false if unknown. */
bool pretty_of(struct git *g, const char *text, struct pretty *p);
/* The commit as log shows it, without "commit ..." line for user formats. */
void pretty_commit(struct git *g, struct pretty *p, struct commit *c, struct buf *out);
void pretty_format(struct git *g, struct pretty *p, struct commit *c, const char *format,
		   struct buf *out);
void pretty_load_decorations(struct git *g, struct pretty *p);
/* " (HEAD -> main, tag: v1)" with colours, or nothing. */
void pretty_decorate(struct git *g, struct pretty *p, const struct oid *o, const char *before,
		     const char *after, struct buf *out);
/* What mailmap makes of a person. */
void mailmap_apply(struct git *g, struct person *who);

/* pretty_trailers.c: %(trailers:OPTS). False: there are no such options. */
bool pretty_trailers(struct git *g, struct bytes message, struct bytes opts, struct buf *out);
/* A subject as part of a file's name: %f */
void pretty_file_name(struct bytes subject, struct buf *out);

/* cmd_shortlog.c: commits (oldest first) by author, as cover letters and request-pull have it. */
void shortlog_put(struct git *g, const struct commits *list, struct buf *out);

/* cmd_log.c: reflog show. */
int log_show_reflog(struct git *g, struct args *args);

/* --- graph.c --- */

struct graph;
struct graph *graph_new(struct git *g, struct revs *r, bool color);
/* The commit that comes next. */
void graph_update(struct graph *gr, struct commit *c);
/* Lines in front of the commit's own, and its mark: without newline. */
void graph_show_commit(struct graph *gr, struct buf *out);
/* What stands in front of a further line of the commit's text. */
void graph_put_padding(struct graph *gr, struct buf *out);
/* One more line; true if it was the commit's. */
bool graph_next_line(struct graph *gr, struct buf *out);
bool graph_is_finished(const struct graph *gr);
void graph_show_remainder(struct graph *gr, struct buf *out);

#endif
