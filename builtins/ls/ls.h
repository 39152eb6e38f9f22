/* SPDX-License-Identifier: MIT
 *
 * What the files of ls share: options, the entries of one listing.
 */
#ifndef BUILTINS_LS_LS_H
#define BUILTINS_LS_LS_H

#include "builtins/block_size.h"

enum ls_format { LS_LONG, LS_COMMAS, LS_ACROSS, LS_COLUMNS, LS_SINGLE };
enum ls_sort { LS_NAME, LS_NONE, LS_TIME, LS_SIZE, LS_EXTENSION, LS_VERSION, LS_WIDTH };
enum ls_time { LS_MTIME, LS_ATIME, LS_CTIME, LS_BTIME };
enum ls_hidden { LS_VISIBLE, LS_ALMOST, LS_ALL };
enum ls_indicator { LS_PLAIN, LS_SLASH, LS_FILE_TYPE, LS_CLASSIFY };
enum ls_when { LS_NEVER, LS_ALWAYS, LS_AUTO };
enum ls_deref { LS_DEREF_DEFAULT, LS_DEREF_NONE, LS_DEREF_ARGS, LS_DEREF_ALL };

struct ls_pattern {
	struct glob *glob;
	bool hide; /* --hide: only as long as not -a or -A */
	struct ls_pattern *next;
};

struct ls_opts {
	int format;        /* -1: not given */
	int usual_format;  /* when none is given; -1: what suits the output */
	int usual_quoting; /* of dir and vdir; -1: as the output asks for */
	int sort;          /* -1: not given */
	int time;
	bool time_given;
	int hidden;
	int indicator;
	int classify_when;
	int color;
	int hyperlink;
	int quoting; /* -1: not given */
	int deref;
	bool reverse;
	bool recursive;
	bool directory;
	bool inode;
	bool blocks;
	bool numeric_ids;
	bool no_owner;
	bool no_group;
	bool author;
	bool human;
	bool si;
	bool kilobytes;
	bool hide_control;
	bool show_control;
	bool dirs_first;
	bool context;
	bool zero;
	bool dired;
	bool full_time;
	const char *time_style;
	const char *block_size;
	const char *width_text;
	const char *tab_text;
	struct ls_pattern *patterns;
	/* made ready by ls_run */
	uint64_t width; /* 0: no limit */
	uint64_t tab;   /* 0: no tabs */
	bool utf8;
	bool colored;
	bool color_begun;
	bool links;
	bool aligned;    /* names with quotes and others begin in the same column... */
	bool padded;     /* ... as some of this list have quotes */
	const char *dir; /* that is listed; NULL: operands are */
	struct block_size block_unit;
	struct block_size size_unit; /* of sizes in long listings */
	const char *recent;          /* time formats */
	const char *old;
	struct zone *zone;
	int64_t now_ns;
	struct buf names; /* --dired: where they begin and end in the output */
	struct buf directories;
};

struct ls_entry {
	struct bytes name;
	struct vfs_stat st;
	bool has_stat;
	bool is_operand;
	struct bytes target; /* of a symlink, in long listings */
	bool has_target;
	uint32_t target_mode; /* of what the link leads to; 0: nothing */
	bool broken;
	struct bytes text; /* the name as it is shown */
	bool quoted;       /* that has quotes */
	size_t columns;    /* the width, with the indicator */
};

struct ls_list {
	struct ls_entry *entry;
	size_t n;
	size_t cap;
	size_t behind; /* more entries behind the n: not listed, but columns are as wide as they
			  need */
};

/* What -w, TZ, styles... say: 0, or a status. */
int ls_prepare(struct cmd *c, struct ls_opts *o);
void ls_sort(struct cmd *c, struct ls_opts *o, struct ls_list *l);
/* Writes a list in the chosen format. */
void ls_put(struct cmd *c, struct ls_opts *o, struct ls_list *l);
void ls_put_long(struct cmd *c, struct ls_opts *o, struct ls_list *l);
/* The name with color, indicator, quotes; not the link's target. */
void ls_put_name(struct cmd *c, struct ls_opts *o, const struct ls_entry *e);
void ls_put_target(struct cmd *c, struct ls_opts *o, const struct ls_entry *e);
/* A name, as a link if they are wanted. */
void ls_put_linked(struct cmd *c, const struct ls_opts *o, const char *name, struct bytes text,
		   bool quoted);
/* Inode and blocks in front of a name; widths 0: as short as can be. */
void ls_put_prefix(struct cmd *c, const struct ls_opts *o, const struct ls_entry *e, size_t inode,
		   size_t blocks);
/* A size in units, as text. */
size_t ls_blocks_text(const struct ls_opts *o, uint64_t blocks512, char out[32]);
size_t ls_size_text(const struct ls_opts *o, uint64_t size, char out[32]);
/* With --dired (all output is held, so its length is the place): two blanks before a line, and
 * where what was written since `from` is. */
void ls_indent(struct cmd *c, const struct ls_opts *o);
void ls_note(const struct cmd *c, const struct ls_opts *o, struct buf *places, size_t from);
void ls_end_line(struct cmd *c, const struct ls_opts *o);
/* -q: what cannot be shown becomes '?'. */
void ls_replace_control(struct buf *text, bool utf8);
void ls_quote(struct buf *out, const struct ls_opts *o, struct bytes name);
/* Whether LS_COLORS can be read; else it says so. */
bool ls_colors_check(struct cmd *c);
/* The SGR code for an entry, "" for none. target: of the link's target. */
const char *ls_color(struct cmd *c, const struct ls_entry *e, bool target);
int64_t ls_time_of(const struct ls_opts *o, const struct ls_entry *e);
/* '/', '@', '*', '|', '=' or 0. */
char ls_indicator(const struct ls_opts *o, uint32_t mode);

#endif
