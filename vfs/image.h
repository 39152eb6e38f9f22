/* SPDX-License-Identifier: MIT
 *
 * Images and saved sessions: a tree of files in one file of the host. docs/formats.md has the
 * format; what follows is how it is used.
 *
 *   image_open      bytes ──> struct image: nothing is read but the last page
 *   image_source    an image as a source of files: mounted, its nodes are made at first use
 *   image_tree      a saved session's files as a tree to start from
 *   image_write     a vfs ──> bytes, given out in order; what a base has is only named
 *   image_builder   files one by one ──> an image
 *
 * Every page is checked against a tree of hashes when it is first read, and everything it says
 * is checked again before it is believed: a damaged or hostile file gives E_IO where it is used.
 * The bytes must stay as they are and where they are as long as the store.
 */
#ifndef VFS_IMAGE_H
#define VFS_IMAGE_H

#include "vfs/vfs.h"

enum { IMAGE_VERSION = 1, IMAGE_ID_BYTES = 32 };
enum image_kind { IMAGE_FILES = 1, IMAGE_SESSION = 2 };

struct image;

/* What the last page says. */
struct image_info {
	uint32_t kind;
	uint64_t pages;   /* of 4 KiB, without those of hashes */
	uint64_t numbers; /* inode numbers are below */
	uint64_t files;   /* objects of all types */
	uint64_t bytes;   /* of their contents */
	bool has_base;
	uint8_t id[IMAGE_ID_BYTES]; /* of the file: the hash that all others hang on */
	uint8_t base_id[IMAGE_ID_BYTES];
};

enum image_fault {
	IMAGE_FINE,
	IMAGE_NO_IMAGE,    /* something else */
	IMAGE_NEWER,       /* of a later version */
	IMAGE_CUT,         /* its end is missing */
	IMAGE_DAMAGED,     /* a hash does not fit */
	IMAGE_OTHER_BASE,  /* its base is not the image that was given */
	IMAGE_BASE_NEEDED, /* it has a base, and none was given */
};

/* -E_NOMEM, or -E_INVAL with the reason in *fault. base: what a delta is to be read with; it must
 * outlive this one. The image lives as long as the store, or until image_close. */
int image_open(struct store *s, const void *bytes, uint64_t size, struct image *base,
	       struct image **out, enum image_fault *fault);
/* Only when no tree refers to it. */
void image_close(struct image *i);
void image_get_info(const struct image *i, struct image_info *out);
const char *image_fault_text(enum image_fault fault);
/* Reads all pages and all directories. 0, -E_IO where something is wrong, -E_NOMEM. */
int image_verify(struct image *i);

/* The source and the number of its root directory. */
const struct vfs_source *image_source(struct image *i, bool read_only, uint64_t *root);
/* A session's files. The caller puts the reference. */
int image_tree(struct image *i, struct vfs_tree **out);
uint64_t image_size(const struct image *i);
/* What was saved beside the files, in a. */
int image_state(struct image *i, struct arena *a, struct bytes *out);
/* The name of the base of an image that was not opened yet: its length, or -E_INVAL. */
int64_t image_base_name(struct store *s, const void *bytes, uint64_t size, char *name,
			size_t name_size);

/* --- writing --- */

/* Takes the file's bytes in order. 0, or a negative error that ends the writing. */
struct image_sink {
	int (*write)(void *user, const void *data, size_t len);
	void *user;
	bool compress; /* contents of files, where it makes them smaller */
};

/* All of v as a session's file: its tree, and `state` beside it. Files that base's image has
 * unchanged are only named (base may be NULL), base_name says by what name it is found.
 * VFS_PENDING when a source is not ready: nothing is of use then. Memory of programs becomes a
 * nameless file, whose inode number is the last one (image_info.numbers - 1). */
struct image_save {
	struct image *base;
	struct bytes base_name;
	struct bytes state;
	const void *const *memory; /* pages; NULL: no such file */
	size_t nmemory;
	vfs_ino left_out; /* a nameless file that is not written: an earlier one of memory; or 0 */
};
int image_write(struct vfs *v, const struct image_sink *sink, const struct image_save *save,
		struct image_info *info);

struct image_object {
	const char *path; /* relative to the root; "" is the root itself */
	uint32_t mode;    /* type and permissions */
	uint32_t uid;
	uint32_t gid;
	int64_t mtime_ns;
	uint64_t rdev;
	const char *target; /* of a symlink */
	const char *link;   /* path of an object that this is another name of; or NULL */
	uint64_t size;      /* of a regular file: so many bytes are taken from read */
	/* Up to n bytes, in order; 0 at the end, which makes the file shorter. */
	int64_t (*read)(void *user, void *out, size_t n);
	void *user;
	/* Passes over whole units of a hole, if one begins here: how many bytes. Or NULL. */
	uint64_t (*skip)(void *user, uint64_t unit);
};

struct image_builder;
int image_builder_new(struct store *s, const struct image_sink *sink, struct image_builder **out);
/* Missing directories are made. An object that is there already is replaced, but for directories,
 * which get the new attributes. Errors as the vfs has them. */
int image_builder_add(struct image_builder *b, const struct image_object *o);
/* An extended attribute of what was added as path: errors as vfs_xattr_set has them. */
int image_builder_xattr(struct image_builder *b, const char *path, const char *name,
			struct bytes value);
/* Writes the rest of the image. */
int image_builder_finish(struct image_builder *b, struct image_info *info);
void image_builder_free(struct image_builder *b);

#endif
