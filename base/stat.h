/* SPDX-License-Identifier: MIT
 *
 * What is known about a file: Linux's mode bits, open flags, stat and directory entries, as
 * filesystem, kernel and commands share them.
 */
#ifndef BASE_STAT_H
#define BASE_STAT_H

#include "base/bytes.h"

typedef uint64_t vfs_ino;

/* Mode bits, Linux's values. */
enum {
	S_FMT = 0170000,
	S_SOCK = 0140000,
	S_LNK = 0120000,
	S_REG = 0100000,
	S_BLK = 0060000,
	S_DIR = 0040000,
	S_CHR = 0020000,
	S_FIFO = 0010000,
	S_SUID = 04000,
	S_SGID = 02000,
	S_SVTX = 01000,
};

/* Open flags, Linux's values on x86-64. */
enum {
	O_RDONLY_ = 0,
	O_WRONLY_ = 1,
	O_RDWR_ = 2,
	O_ACCMODE_ = 3,
	O_CREAT_ = 0100,
	O_EXCL_ = 0200,
	O_NOCTTY_ = 0400,
	O_TRUNC_ = 01000,
	O_APPEND_ = 02000,
	O_NONBLOCK_ = 04000,
	O_DIRECTORY_ = 0200000,
	O_NOFOLLOW_ = 0400000,
	O_CLOEXEC_ = 02000000,
	O_PATH_ = 010000000,
};

struct vfs_stat {
	vfs_ino ino;
	uint64_t dev;
	uint32_t mode; /* type and permissions */
	uint32_t nlink;
	uint32_t uid;
	uint32_t gid;
	uint64_t rdev; /* major << 8 | minor */
	uint64_t size;
	uint64_t blocks; /* of 512 bytes, holes not counted */
	int64_t atime_ns;
	int64_t mtime_ns;
	int64_t ctime_ns;
	int64_t btime_ns;
};

struct vfs_dirent {
	struct bytes name; /* with a NUL behind */
	vfs_ino ino;
	uint32_t type; /* S_REG, S_DIR, ... */
};

#endif
