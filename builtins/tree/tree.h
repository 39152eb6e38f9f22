/* SPDX-License-Identifier: MIT
 *
 * tree: tree.c has the options and the roots, read.c reads directories, from.c lists of paths,
 * list.c writes lines, data.c JSON and XML, colors.c knows colours.
 *
 * A tree is read whole (as deep as wanted) before it is written: sizes of directories, pruning
 * and the lines in front of names need what comes later.
 */
#ifndef BUILTINS_TREE_H
#define BUILTINS_TREE_H

#include "base/glob.h"
#include "base/ignore.h"
#include "builtins/builtin.h"
#include "builtins/zone.h"

enum { TREE_DEPTH_MAX = 2100, TREE_STACK_NEEDED = 16384 };
enum tree_sort { SORT_NAME, SORT_VERSION, SORT_MTIME, SORT_CTIME, SORT_SIZE, SORT_NONE };

struct tree_opts {
	bool all;
	bool only_dirs;
	bool full_path;
	bool no_indent;
	bool follow;
	bool one_device;
	bool sizes;
	bool human;
	bool si;
	bool modes;
	bool users;
	bool groups;
	bool dates;
	bool inodes;
	bool devices;
	bool classify;
	bool quote;
	bool question; /* -q */
	bool raw;      /* -N */
	bool ansi;
	bool cp437;
	const char *charset; /* as given; NULL: the locale's */
	bool json;
	bool color;
	bool no_color;
	bool reverse;
	int dirs_first; /* 1: first, -1: last */
	int sort;
	bool no_report;
	bool prune;
	bool total; /* --du */
	bool match_dirs;
	bool fold;
	bool ascii;
	const char *time_format;
	uint64_t depth;
	uint64_t limit; /* --filelimit */
	const char *output;
	const char *include_text[64];
	const char *exclude_text[64];
	struct glob *include[64];
	size_t nincludes;
	struct glob *exclude[64];
	size_t nexcludes;
	bool xml;
	bool git_ignore;
	struct ignore_rules *git_file; /* --gitfile: those for names in any directory */
	bool from_file;
	bool links; /* --fflinks */
	bool latin1;
	bool no_links;
	const char *html; /* -H: what links begin with */
	const char *title;
	const char *intro;
	const char *outro;
};

struct tree_node {
	const char *name;
	struct vfs_stat st;
	bool is_dir; /* or a link to one */
	bool link;
	const char *target;
	uint32_t target_mode;
	const char *note; /* behind the name: why it was not entered */
	struct tree_node **child;
	size_t nchildren;
	uint64_t size;
	struct tree_node *parent; /* of lists of paths only */
};

struct tree {
	struct cmd *c;
	struct tree_opts *o;
	uint64_t dirs;
	uint64_t files;
	uint64_t bytes;
	struct zone *zone;
	const struct tree_node *root; /* that is being written, and the length of its path */
	size_t root_len;
	int status;
	const struct tree_colors *colors; /* NULL: none */
	/* inodes of the directories above, for loops */
	uint64_t above[TREE_DEPTH_MAX + 1];
	/* --gitignore: rules of the directories above, and how long their paths are */
	struct ignore_rules *rules[TREE_DEPTH_MAX + 1];
	size_t rules_base[TREE_DEPTH_MAX + 1];
};

struct tree_writing {
	struct tree *t;
	const struct tree_node *n;
	const char *path;
	const char *lines; /* in front of the children */
	size_t level;
};

/* read.c */
/* What path is, without what is in it. */
void tree_examine(struct tree *t, struct tree_node *n, const char *path);
/* Children of a directory, level 1 is the root. */
void tree_read(struct tree *t, struct tree_node *n, const char *path, size_t level);
/* Whether a node is to be shown at all. */
bool tree_wanted(struct tree *t, const struct tree_node *n);
/* Sorts the children; room for as many pointers must follow them. */
void tree_sort_children(struct tree *t, struct tree_node *n);
/* from.c: the children of a root are the paths in a file ("." is standard input). */
int tree_from_file(struct tree *t, struct tree_node *root, const char *path);
/* list.c */
void tree_size_text(const struct tree *t, struct buf *out, uint64_t size);
/* "[drwxr-xr-x root  4.0K]  ", or "", in the arena. */
const char *tree_details(struct tree *t, const struct tree_node *n);
/* With what is not printable escaped, as options have it. */
void tree_put_name(struct tree *t, const char *name);
void tree_put_node(struct tree *t, const struct tree_node *n, const char *path);
void tree_put_children(struct tree *t, const struct tree_node *n, const char *path,
		       const char *lines, size_t level);
/* a, b and d joined, in the arena. */
const char *tree_join(struct cmd *c, const char *a, const char *b, const char *d);
/* data.c */
void tree_put_json(struct tree *t, const struct tree_node *root);
void tree_put_xml(struct tree *t, const struct tree_node *root);
/* html.c: a name with its link and the end of the line; what comes before and behind all. */
void tree_put_html(struct tree *t, const struct tree_node *n, const char *path);
void tree_put_intro(struct tree *t);
void tree_put_outro(struct tree *t);
/* colors.c */
const struct tree_colors *tree_colors_new(struct cmd *c);
/* The code for a name of that mode (0: what does not exist), NULL: none. */
const char *tree_color(const struct tree_colors *k, const char *name, uint32_t mode);
/* The same for a link; exists: what it points to. */
const char *tree_color_link(const struct tree_colors *k, const char *target, uint32_t target_mode);

#endif
