/* SPDX-License-Identifier: MIT
 *
 * rsync: what its files share.
 *
 *   filter.c   --include, --exclude, --filter ──> whether a name takes part
 *   list.c     the sources ──> one sorted list of entries, named as in the destination
 *   update.c   each entry against the destination: what differs, and making it the same
 *   rsync.c    options, the destination, --delete, reports
 */
#ifndef BUILTINS_RSYNC_RSYNC_H
#define BUILTINS_RSYNC_RSYNC_H

#include "builtins/builtin.h"

enum { RSYNC_SYNTAX = 1, RSYNC_FILES = 3, RSYNC_IO = 11, RSYNC_PARTIAL = 23, NS = 1000000000 };

enum delete_time { DELETE_NOT, DELETE_BEFORE, DELETE_AFTER };
enum side { SIDE_SENDER = 1, SIDE_RECEIVER = 2 };

struct filters;

struct rsync_opts {
	int verbose;
	int itemize;
	bool quiet;
	bool dry_run;
	/* what is taken */
	bool recursive;
	bool dirs;
	bool relative;
	bool no_implied_dirs;
	bool copy_links;
	bool one_device;
	bool prune_empty;
	const char *files_from;
	bool from0;
	/* what is kept */
	bool links;
	bool list_targets; /* -l with a list, which has links anyway */
	bool perms;
	bool executability;
	bool times;
	bool omit_dir_times;
	bool omit_link_times;
	bool owner;
	bool group;
	bool devices;
	bool specials;
	bool hard_links;
	const char *chmod;
	/* which files are brought up to date */
	bool checksum;
	bool ignore_times;
	bool size_only;
	bool update;
	bool existing;
	bool ignore_existing;
	uint64_t max_size; /* UINT64_MAX: no bound */
	uint64_t min_size;
	bool remove_source;
	bool inplace;
	/* what happens to what was there */
	int deletes; /* enum delete_time */
	bool delete_excluded;
	bool force;
	bool backup;
	const char *backup_dir;
	const char *suffix;
	bool keep_dirlinks;
	bool mkpath;
	/* --link-dest and its kin */
	const char *alt_dir[20];
	size_t nalt;
	bool alt_links;
	bool alt_copies;
	/* reports */
	bool stats;
	bool human;
	bool progress;
	bool list_only;
	bool eight_bit;
	const char *out_format;
	bool no_names; /* --info=name0 */
	bool no_totals;
	bool no_list;
	struct filters *filters;
	struct mode_change *dir_mode; /* --chmod, taken apart */
	struct mode_change *file_mode;
};

/* --- filter.c --- */

struct filters *filters_new(struct cmd *c);
/* --exclude (include false) or --include. */
void filters_pattern(struct filters *f, struct bytes pattern, bool include);
/* The patterns of a file, one a line. */
void filters_file(struct filters *f, const char *path, bool include, bool from0);
/* A rule of --filter: 0, or the status of an error. */
int filters_rule(struct filters *f, struct bytes rule);
/* Whether a name (relative to the top of the transfer) is left out on that side. */
bool filters_exclude(const struct filters *f, struct bytes name, bool is_dir, enum side side);
/* --delete-excluded: rules say nothing about what is deleted. */
void filters_sender_only(struct filters *f);

/* --- list.c --- */

struct entry {
	const char *name; /* in the destination: "." or "d/f" */
	const char *path; /* of the source */
	struct vfs_stat st;
	const char *target; /* of a symlink */
	bool listed;        /* a directory whose contents are in the list */
	bool implied;       /* a directory that only leads to others (-R) */
	bool had_stat;      /* a directory's state before --delete worked on it */
	struct vfs_stat was;
};

struct list {
	struct entry **entry; /* sorted */
	size_t n;
	uint64_t size;    /* of all files */
	bool failed;      /* something could not be read: nothing is deleted */
	const char *root; /* --files-from: where its names are; else NULL */
};

/* Reads all sources. Errors are reported. */
void list_read(struct cmd *c, struct rsync_opts *o, char *const *source, size_t n,
	       struct list *out);
/* The order of names in a list: files before directories in each directory. */
int list_order(const char *a, bool a_is_dir, const char *b, bool b_is_dir);
/* Sorts n pointers. */
void list_sort(struct cmd *c, void **at, size_t n, int (*order)(const void *a, const void *b));
/* The entry of that name, or NULL. */
struct entry *list_find(const struct list *l, const char *name, bool is_dir);
/* "rsync: [sender] WHAT "/absolute/path" failed: text (number)" */
void rsync_failed(struct cmd *c, const char *who, const char *what, const char *path, int err);

/* --- update.c --- */

struct totals {
	uint64_t sent; /* an estimate: no bytes are sent */
	uint64_t received;
	uint64_t transferred;
	uint64_t transferred_size;
	uint64_t literal;
	uint64_t created[4]; /* files, directories, links, others */
	uint64_t deleted;
};

struct updater {
	struct cmd *c;
	struct rsync_opts *o;
	struct list *list;
	const char *dest; /* the directory, or the file */
	bool dest_is_file;
	bool dest_is_new; /* made by this run: its own entry is new */
	struct totals totals;
	int status;
	size_t done; /* entries before the current one */
	void **link; /* -H: files with several names, by inode */
	size_t nlinks;
};

/* -H: finds the files that have several names. */
void update_find_links(struct updater *u);

void update_entry(struct updater *u, const struct entry *e);
/* Times and modes of directories, when all in them is done. */
void update_dirs(struct updater *u);
/* The path of a name in the destination; in the arena. */
char *dest_path(struct cmd *c, const struct updater *u, const char *name);
/* Removes what stands at a name of the destination, contents first; made_room: something else
 * will take its place, and only the contents are reported. False: something is left. */
bool delete_item(struct updater *u, const char *name, const struct vfs_stat *st, bool made_room);
void rsync_name(struct cmd *c, const struct rsync_opts *o, struct buf *out, const char *name);

#endif
