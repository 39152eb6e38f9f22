/* SPDX-License-Identifier: MIT
 *
 * rsync: what its files share.
 *
 *   filter.c   --include, --exclude, --filter ──> whether a name takes part
 *   list.c     the sources ──> one sorted list of entries, named as in the destination
 *   report.c   what is said of entries        stats.c   and at the end
 *   update.c   each entry against the destination: what differs, and making it the same
 *   rsync.c    options, the destination, --delete, reports
 */
#ifndef BUILTINS_RSYNC_RSYNC_H
#define BUILTINS_RSYNC_RSYNC_H

#include "builtins/builtin.h"

enum {
	RSYNC_SYNTAX = 1,
	RSYNC_UNSUPPORTED = 4,
	RSYNC_FILES = 3,
	RSYNC_IO = 11,
	RSYNC_PARTIAL = 23,
	RSYNC_DELETES = 25,
	NS = 1000000000
};

enum delete_time { DELETE_NOT, DELETE_BEFORE, DELETE_AFTER };
/* SIDE_DELETED goes with the receiver: the name is in a directory that is being deleted. */
enum side { SIDE_SENDER = 1, SIDE_RECEIVER = 2, SIDE_DELETED = 4 };

/* The flags of --info. */
enum rsync_info {
	INFO_BACKUP,
	INFO_COPY,
	INFO_DEL,
	INFO_FLIST,
	INFO_MISC,
	INFO_MOUNT,
	INFO_NAME,
	INFO_NONREG,
	INFO_PROGRESS,
	INFO_REMOVE,
	INFO_SKIP,
	INFO_STATS,
	INFO_SYMSAFE,
	INFO_FLAGS,
};

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
	bool xattrs;
	const char *temp_dir;
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
	bool append;
	bool whole_file;
	bool safe_links;
	bool ignore_missing;
	const char *chown;  /* USER:GROUP */
	uint32_t chown_uid; /* UINT32_MAX: as it is */
	uint32_t chown_gid;
	/* what happens to what was there */
	int deletes; /* enum delete_time */
	bool delete_excluded;
	int64_t max_delete; /* -1: no bound */
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
	bool list_only;
	bool to_stderr; /* all that is said */
	bool eight_bit;
	const char *out_format;
	const char *log_file;
	int log_fd;           /* 0: none */
	int info[INFO_FLAGS]; /* --info: 0 not said, else 1 and the level */
	struct filters *filters;
	bool cvs;                     /* -C */
	int merge_files;              /* -F: how often */
	struct mode_change *dir_mode; /* --chmod, taken apart */
	struct mode_change *file_mode;
};

/* --- info.c --- */

/* Letters match in either case; word is in small ones. */
bool rsync_same_word(const char *word, struct bytes text);
int rsync_set_info(struct cmd *c, const struct opt *opt, const char *arg);
int rsync_set_debug(struct cmd *c, const struct opt *opt, const char *arg);
int rsync_set_progress(struct cmd *c, const struct opt *opt, const char *arg);
/* How much is said of that: 0 nothing, 1, 2... */
int rsync_says(const struct rsync_opts *o, enum rsync_info flag);

/* --- filter.c --- */

struct filters *filters_new(struct cmd *c);
/* --exclude (include false) or --include. */
void filters_pattern(struct filters *f, struct bytes pattern, bool include);
/* The patterns of a file, one a line. */
void filters_file(struct filters *f, const char *path, bool include, bool from0);
/* A rule of --filter: 0, or the status of an error. */
int filters_rule(struct filters *f, struct bytes rule);
/* -C: what CVS ignores, and the files .cvsignore of directories. */
void filters_cvs(struct filters *f);
/* Whether a name (relative to the top of the transfer) is left out on that side. Names come in
 * the order of a walk: the rules of directories that it has left are forgotten. */
bool filters_exclude(struct filters *f, struct bytes name, bool is_dir, unsigned side);
/* The walk of that side enters a directory, whose files may have rules. */
void filters_enter(struct filters *f, enum side side, const char *name, const char *path);
/* A walk is over. */
void filters_leave(struct filters *f, enum side side);
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
	bool unsafe;        /* a symlink that leads out of the transfer: --safe-links */
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

/* What differs; the letters of an itemized line. */
enum {
	DIFF_NEW = 1,
	DIFF_CHECKSUM = 2,
	DIFF_SIZE = 4,
	DIFF_TIME = 8,
	DIFF_MODE = 16,
	DIFF_OWNER = 32,
	DIFF_GROUP = 64,
	DIFF_COPIED = 128, /* a file's data */
	DIFF_MADE = 256,   /* a directory, link, fifo */
	DIFF_LINKED = 512,
	DIFF_XATTR = 1024,
	DIFF_ATTRS = DIFF_TIME | DIFF_MODE | DIFF_OWNER | DIFF_GROUP | DIFF_XATTR,
};

struct totals {
	uint64_t sent; /* an estimate: no bytes are sent */
	uint64_t received;
	uint64_t transferred;
	uint64_t transferred_size;
	uint64_t literal;
	uint64_t created[4]; /* files, directories, links, others */
	uint64_t deleted;
	uint64_t kept; /* --max-delete */
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
/* DIR/NAME, or DIR if the name is "."; in the arena. */
char *joined_path(struct cmd *c, const char *dir, const char *name);
/* The path of a name in the destination; in the arena. */
char *dest_path(struct cmd *c, const struct updater *u, const char *name);
/* Removes what stands at a name of the destination, contents first; made_room: something else
 * will take its place, and only the contents are reported. False: something is left. */
bool delete_item(struct updater *u, const char *name, const struct vfs_stat *st, bool made_room);

/* --- rsync.c --- */

/* Tells the error that a status stands for, and returns it. */
int rsync_finish(struct cmd *c, int code);

/* --- stats.c --- */

/* 1,234,567, or with -h 1.23M. */
void rsync_number(struct buf *out, const struct rsync_opts *o, uint64_t n);
/* Statistics, totals, the status. */
int rsync_end(struct cmd *c, const struct updater *u);

/* --- report.c --- */

void rsync_name(struct cmd *c, const struct rsync_opts *o, struct buf *out, const char *name);
/* An entry was dealt with; same: the file that it is linked to, or NULL. */
void rsync_report(struct updater *u, const struct entry *e, unsigned diff, const char *same);
void rsync_report_deleted(struct updater *u, const char *name, bool dir);
/* A file was copied: how far the work is. */
void rsync_progress(struct updater *u, const struct entry *e);
void rsync_open_log(struct cmd *c, struct rsync_opts *o);
/* A line of the log, if there is one. */
void rsync_log(struct cmd *c, const struct rsync_opts *o, struct bytes text);

#endif
