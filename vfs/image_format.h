/* SPDX-License-Identifier: MIT
 *
 * The layout of image files, and what their readers and writers share. docs/formats.md says the
 * same for strangers.
 *
 *   page 0        header: magic, version, kind
 *   page ...      contents, small pieces, directories; after each 128 of them a page with their
 *                 hashes, after each 128 of those one with theirs, ...
 *   last page     the summary: how many pages, the root's entry, the hash of the topmost
 *                 page of hashes, and its own
 *
 * A place is an offset in the pages without those of hashes. All numbers are little-endian.
 */
#ifndef VFS_IMAGE_FORMAT_H
#define VFS_IMAGE_FORMAT_H

#include <setjmp.h>

#include "base/codec.h"
#include "base/digest.h"
#include "vfs/image.h"
#include "vfs/private.h"

enum {
	HASH_BYTES = 32,
	HASH_BITS = 7, /* hashes in a page: 128 */
	HASH_FAN = 1 << HASH_BITS,
	HASH_LEVELS_MAX = 8,
	BLOCK_PAGES = 16, /* compressed together */
};

#define IMAGE_MAGIC     "cowshimg"
#define IMAGE_END_MAGIC "cowshend"
#define PAGES_MAX       ((uint64_t)1 << 44)
#define IN_BASE         ((uint64_t)1 << 63) /* a place in the base's pages */

/* Offsets in the summary. */
enum {
	END_MAGIC = 0,
	END_VERSION = 8,
	END_KIND = 12,
	END_PAGES = 16,
	END_ROOT = 24,
	END_NUMBERS = 32,
	END_FILES = 40,
	END_BYTES = 48,
	END_EAGER = 56, /* place and length of the entries that are loaded at once */
	END_STATE = 72,
	END_BASE_NAME = 88,
	END_BASE_FIRST = 104,
	END_USED_BYTES = 112,
	END_USED_FILES = 120,
	END_TOP = 128, /* hash of the topmost page of hashes */
	END_BASE_ID = 160,
	END_HAS_BASE = 192,
	END_BASE_OWNED = 196, /* 32 bits: what it has belongs to those below, not to its own */
	END_BASE_UID = 200,
	END_BASE_GID = 204,
	END_ZERO = 208, /* from here to the hash */
	END_HASH = 4096 - HASH_BYTES,
};

/* One entry of a directory. Its name, its target, its extended attributes, NULs up to a multiple of
 * 8 follow. */
enum {
	ENTRY_INO = 0,
	ENTRY_MTIME = 8,
	ENTRY_ATIME = 16,
	ENTRY_CTIME = 24,
	ENTRY_BTIME = 32,
	ENTRY_SIZE = 40,    /* of a file; of a directory: bytes of its entries */
	ENTRY_CONTENT = 48, /* see CONTENT_*; of a directory: the place of its entries */
	ENTRY_RDEV = 56,    /* of a regular file: its pages that are no holes */
	ENTRY_CHARGED = 64,
	ENTRY_MODE = 72,
	ENTRY_NLINK = 76,
	ENTRY_UID = 80,
	ENTRY_GID = 84,
	ENTRY_NAME_LEN = 88,   /* 16 bits */
	ENTRY_TARGET_LEN = 90, /* 16 bits */
	ENTRY_FLAGS = 92,      /* 16 bits */
	ENTRY_XATTRS_LEN = 94, /* 16 bits */
	ENTRY_BYTES = 96,
	ENTRY_OWNED = 1, /* flags */
};

/* A file's content is a place with one of these in its low bits, or 0: a hole. */
enum {
	CONTENT_INLINE = 1,  /* the bytes, all in one page */
	CONTENT_EXTENTS = 2, /* how many extents (8 bytes), then the extents by position */
	CONTENT_MASK = 7,
};

/* Pages of a file. What lies between extents is a hole. */
enum {
	EXTENT_FIRST = 0,   /* page of the file */
	EXTENT_AT = 8,      /* page of the image, or the place of a compressed block */
	EXTENT_COUNT = 16,  /* pages; 32 bits */
	EXTENT_STORED = 20, /* bytes of a compressed block; 32 bits; else 0 */
	EXTENT_SKIP = 24,   /* pages of the block before these; 32 bits */
	EXTENT_FLAGS = 28,  /* 1: in the base; 32 bits */
	EXTENT_BYTES = 32,
};

struct extent {
	uint64_t first;
	uint64_t at;
	uint32_t count;
	uint32_t stored;
	uint32_t skip;
	bool in_base;
};

struct image_entry {
	struct vfs_source_entry e; /* name and target point into text */
	uint64_t content;
	uint64_t next; /* place behind it */
	char text[VFS_NAME_MAX + VFS_PATH_MAX + 2 + VFS_XATTRS_MAX];
};

struct image {
	struct store *store;
	const uint8_t *bytes;
	uint64_t size;
	uint64_t pages;
	uint32_t levels; /* of pages of hashes */
	const uint8_t *end;
	_Atomic uint32_t *checked; /* a bit for each page of the file */
	size_t checked_bytes;
	bool fast; /* digest_sha256_is_fast */
	struct image *base;
	struct vfs_source source;
	struct vfs_source read_only; /* the same, mounted so */
	uint64_t root;               /* place of the root's entry */
};

static inline uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}
static inline void put_le(uint8_t *at, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++, v >>= 8)
		at[i] = (uint8_t)v;
}
static inline void put16(uint8_t *at, uint16_t v)
{
	put_le(at, v, 2);
}
static inline void put32(uint8_t *at, uint32_t v)
{
	put_le(at, v, 4);
}
static inline void put64(uint8_t *at, uint64_t v)
{
	put_le(at, v, 8);
}

/* --- image_file.c --- */

void image_hash(const void *data, size_t len, uint8_t out[HASH_BYTES]);
/* Where page `d` lies in the file, counted in pages. */
uint64_t image_position(uint64_t d);
/* Page d, checked; NULL: it is not there or damaged. */
const uint8_t *image_page(struct image *i, uint64_t d);
/* Copies bytes from a place. 0 or -E_IO. */
int image_copy(struct image *i, uint64_t place, void *out, uint64_t len);
/* The image and the place in it that a number of the source stands for; NULL: there is none. */
struct image *image_of(struct image *i, uint64_t *place);
/* The entry at a place; checked whether it can be. */
int image_entry_at(struct image *i, uint64_t place, struct image_entry *out);

/* How a session's base was mounted. */
struct base_mount {
	vfs_ino first;  /* what its inode numbers are added to; 0: it was not */
	uint32_t owned; /* uid and gid below hold for all of it */
	uint32_t uid;
	uint32_t gid;
};
void image_base_mount(const struct image *i, struct base_mount *out);

/* --- image_source.c --- */

void image_init_source(struct image *i);
bool image_is_source(const struct vfs_source *source);
/* The entry of an object by its number in the source of *i; *i becomes the image that its content
 * lies in. 0 or -E_IO. */
int image_find(struct image **i, uint64_t id, struct image_entry *out);
/* The extent that has the page of a file, or the next one; count 0: there is none. */
int image_extent(struct image *i, uint64_t content, uint64_t index, struct extent *out);
/* Calls each for the entries of a directory. */
int image_each(struct image *i, uint64_t dir_place,
	       int (*each)(void *user, struct image_entry *e, uint64_t place), void *user);

/* --- image_out.c: pages out --- */

struct image_out;
int image_out_new(struct store *s, const struct image_sink *sink, enum image_kind kind,
		  struct image_out **out);
void image_out_free(struct image_out *o);
/* A page; its number, which may be that of an equal one before. */
int image_out_page(struct image_out *o, const void *page, uint64_t *d);
/* Bytes that lie together, at a place that is a multiple of 8; up to a page, in one page. */
int image_out_bytes(struct image_out *o, const void *data, size_t len, uint64_t *place);
bool image_out_compresses(const struct image_out *o);
/* An equal block that is there already; else remembers where this one is going to be. */
bool image_out_known(struct image_out *o, const uint8_t hash[HASH_BYTES], uint64_t *at,
		     uint32_t *stored);
void image_out_remember(struct image_out *o, const uint8_t hash[HASH_BYTES], uint64_t at,
			uint32_t stored);
/* The last page; `end` has what the tree's writer knows. */
int image_out_finish(struct image_out *o, uint8_t end[PAGE_BYTES], struct image_info *info);

/* --- image_content.c: contents of files out --- */

/* A file being written: pages in order, holes left out. */
struct content {
	struct image_out *out;
	struct store *store;
	uint8_t *extents; /* as they are stored, behind 8 bytes for their number */
	size_t len;
	size_t cap;
	uint64_t pages;       /* in the extents */
	uint64_t block_first; /* pages that wait to be compressed together */
	uint32_t block_count;
	uint8_t *block;
};

void content_start(struct content *c, struct image_out *out, struct store *s);
int content_page(struct content *c, uint64_t index, const void *page);
int content_extent(struct content *c, const struct extent *e);
/* *content as an entry has it. */
int content_finish(struct content *c, uint64_t *content);
void content_clear(struct content *c);

/* --- image_tree.c --- */

struct tree_save {
	struct image_out *out;
	struct image *base;
	const struct vfs_source
		*pending;       /* files whose content is written already: id says where */
	const struct vfs *live; /* whose open files are loaded at once; or NULL */
	const struct image_save *session; /* its memory; or NULL */
};

/* Writes what v has and fills in its part of the summary. */
int tree_write(struct vfs *v, const struct tree_save *save, uint8_t end[PAGE_BYTES]);

#endif
