/* SPDX-License-Identifier: MIT
 *
 * What the files of cpio share: cpio.c has options and the three modes, format.c the headers,
 * tar.c those of tar.
 */
#ifndef BUILTINS_CPIO_CPIO_H
#define BUILTINS_CPIO_CPIO_H

#include "base/glob.h"
#include "base/time.h"
#include "builtins/builtin.h"

enum { CPIO_NAME_MAX = 65536, CPIO_BLOCK = 512, CPIO_TAR_NAME = 100 };

enum cpio_format { CPIO_UNKNOWN, CPIO_BIN, CPIO_ODC, CPIO_NEWC, CPIO_CRC, CPIO_TAR, CPIO_USTAR };

struct cpio_entry {
	const char *name;
	uint64_t ino;
	uint32_t dev_major, dev_minor;
	uint32_t mode, uid, gid, nlink;
	uint32_t rdev_major, rdev_minor;
	uint64_t mtime;
	uint64_t size;
	uint32_t check;
	const char *link; /* tar: where a link leads, else NULL */
	bool hard;        /* it is another name of the file `link` */
};

struct cpio;

/* A regular file with more names to come. */
struct cpio_deferred {
	struct cpio_deferred *next;
	struct cpio_entry e;
	const char *path;
};

/* Where hard links of a file that was extracted are. */
struct cpio_link {
	struct cpio_link *next;
	uint64_t ino;
	uint64_t dev;
	char *path;
};

enum { CPIO_BUCKETS = 256 };

struct cpio {
	struct cmd *c;
	int mode; /* 'o', 'i', 'p', 0 */
	bool list, dirs, keep_times, replace, follow, null, append, quiet, numeric, invert, links,
		no_absolute, to_stdout, only_verify, renumber, ignore_devno, dots, nonmatching, dot,
		rename, swap_bytes, swap_halfwords, warn_truncate;
	bool no_owner;
	bool has_uid, has_gid; /* -R */
	uint32_t uid, gid;
	int verbose;
	enum cpio_format format;
	bool has_format;
	uint64_t block;
	const char *archive;
	const char *directory; /* -D */
	bool seeking;          /* for the header of an entry */
	const char *pattern_file;
	const char *rename_file;
	struct input names; /* new ones, of -r */
	int tty;            /* where -r asks, or -1 */
	struct glob **patterns;
	size_t npatterns;
	struct input in;
	char peek[CPIO_BLOCK]; /* read before the format was known */
	size_t peek_from, peek_to;
	struct output out;
	uint64_t bytes; /* of the archive so far */
	uint64_t start; /* of what is appended to it */
	bool untold;    /* the last file was left out, after a message */
	uint64_t next_ino;
	struct cpio_deferred *deferred[CPIO_BUCKETS];
	struct cpio_link *seen[CPIO_BUCKETS];
	struct zone *zone;
	bool told_prefix;
	int status;
	bool at_end;
};

/* Writes a header with the name and padding; data follow by cpio_put. False, after a message:
 * the format can't say it, and nothing was written. */
bool cpio_put_header(struct cpio *p, const struct cpio_entry *e);
void cpio_put(struct cpio *p, const void *data, size_t n);
/* Zeros so that `n` bytes of data end where the format wants it. */
void cpio_pad(struct cpio *p, uint64_t n);
/* Reads a header; the name lives in the arena. False at the end of the input. */
bool cpio_get_header(struct cpio *p, struct cpio_entry *e);
/* The next data, at most n bytes; 0: the archive is cut (fatal). */
struct bytes cpio_get(struct cpio *p, uint64_t n);
/* Exactly n of them. */
void cpio_get_all(struct cpio *p, char *to, size_t n);
void cpio_skip(struct cpio *p, uint64_t n);
void cpio_skip_pad(struct cpio *p, uint64_t n);

/* --- tar.c --- */
bool cpio_is_tar(const struct cpio *p);
/* The format of an archive that begins with this block, or CPIO_UNKNOWN. */
enum cpio_format cpio_tar_format(const char *block);
bool cpio_put_tar(struct cpio *p, const struct cpio_entry *e);
bool cpio_get_tar(struct cpio *p, struct cpio_entry *e);

/* --- cpio.c --- */
void cpio_trouble(struct cpio *p, int err, const char *name, const char *what);
/* The name on standard error, with -v. */
void cpio_tell(struct cpio *p, const char *name);
/* -D, after the archive is open; with -d the directory is made. */
void cpio_enter(struct cpio *p);
void cpio_put_blocks(struct cpio *p);
const char *cpio_safe_name(struct cpio *p, const char *name);
/* The directories that lead to a file. False: there is none to make. */
bool cpio_make_parents(struct cpio *p, const char *path);
struct cpio_deferred *cpio_defer(struct cpio *p, const struct cpio_entry *e, const char *path);
/* Takes the first that waits for the same file as e, or NULL. */
struct cpio_deferred *cpio_take(struct cpio *p, const struct cpio_entry *e);

/* --- extract.c --- */
int cpio_copy_in(struct cpio *p);
void cpio_set_attributes(struct cpio *p, const struct cpio_entry *e, const char *path);
/* False: what is there stays. */
bool cpio_may_replace(struct cpio *p, const struct cpio_entry *e, const char *path);
/* A name that the same file was given before, or NULL; else this one is remembered. */
const char *cpio_other_name(struct cpio *p, const struct cpio_entry *e, const char *path);
bool cpio_link_to_other(struct cpio *p, const struct cpio_entry *e, const char *path);
/* A directory, link or node. 0 or -E_. */
int cpio_make_other(struct cpio *p, const struct cpio_entry *e, const char *path,
		    const char *target);

#endif
