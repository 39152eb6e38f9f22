/* SPDX-License-Identifier: MIT
 *
 * What incremental archives know of directories: the snapshot of the last time, and this time.
 */
#ifndef BUILTINS_TAR_INCREMENTAL_H
#define BUILTINS_TAR_INCREMENTAL_H

#include "builtins/tar/tar.h"

enum { INC_BUCKETS = 4096 };
#define INC_SECONDS_MAX INT64_C(9000000000)

struct tar_dir {
	struct tar_dir *next; /* in the order in which they came */
	struct tar_dir *next_name;
	struct tar_dir *next_ino;
	const char *name; /* without slashes at the end */
	uint64_t ino;
	uint64_t dev;
	bool nfs; /* its device says nothing */
	int64_t mtime_s;
	uint32_t mtime_ns;
	struct bytes old; /* what the snapshot says is in it: codes and names */
	struct bytes now; /* the same for this time */
	bool found;       /* this time */
	bool all;         /* nothing in it is known */
	bool queued;      /* it is read, or will be */
	struct tar_dir *next_queued;
	int here;         /* index of the directory that the name starts in */
	uint64_t root;    /* the device of the operand, for --one-file-system */
	const char *from; /* the name that it had */
};

struct tar_inc {
	struct tar_dir *first;
	struct tar_dir **end;
	size_t n;
	struct tar_dir *by_name[INC_BUCKETS];
	struct tar_dir *by_ino[INC_BUCKETS];
	struct tar_dir *queue;
	struct tar_dir **queue_end;
	int fd; /* of the snapshot, or -1 */
	int64_t last_ns;
	struct tar_top *tops;
	struct tar_top **tops_end;
	size_t ntops;
};

/* Opens and reads the snapshot; ends tar if it is malformed. */
void snapshot_open(struct tar *t, struct tar_inc *inc);
/* Replaces it by what was found. */
void snapshot_write(struct tar *t, struct tar_inc *inc);
struct tar_dir *snapshot_add(struct tar *t, struct tar_inc *inc, const char *name, uint64_t ino);
struct tar_dir *snapshot_by_name(struct tar *t, struct tar_inc *inc, const char *name);
/* One that was not found yet. */
struct tar_dir *snapshot_by_inode(struct tar *t, struct tar_inc *inc, const struct vfs_stat *st);
bool snapshot_same_device(const struct tar *t, const struct tar_dir *d, const struct vfs_stat *st);
void snapshot_moved(struct tar *t, struct tar_inc *inc, const char *from, const char *to);

#endif
