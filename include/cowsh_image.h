/* SPDX-License-Identifier: MIT
 *
 * Images and saved sessions of cowsh (see cowsh.h for the conventions).
 *
 * An image is a tree of files in one file, made once and mounted in any number of sessions and
 * processes at no cost. A saved session has the same format: its files, or how they differ from
 * a base image, and the whole state of its shell.
 *
 *	cowsh_image_open(store, bytes, size, NULL, &image, &why);    bytes: a mapped file
 *	cowsh_load(store, &config, &host, image, &session);          milliseconds, whatever it holds
 *	cowsh_run(session, "make more", 9, &result);
 *	cowsh_save(session, &sink, NULL, NULL, &saved);              to another file, then renamed
 *
 * Nothing is read before it is used, and every page is checked against a tree of hashes when it
 * is. A damaged or hostile file gives an error (-COWSH_EIO inside the session) and nothing worse.
 * The bytes of an image must begin at a multiple of 4,096 and stay as they are as long as sessions
 * and snapshots exist that may use them.
 */
#ifndef COWSH_IMAGE_H
#define COWSH_IMAGE_H

#include "cowsh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cowsh_image cowsh_image;
typedef struct cowsh_image_builder cowsh_image_builder;

struct cowsh_image_mount {
	const char *path; /* absolute, in the session */
	cowsh_image *image;
	bool read_only;
};

struct cowsh_image_info {
	size_t size;          /* of this struct: COWSH_IMAGE_INFO_INIT sets it */
	bool session;         /* a saved session, not an image */
	bool has_base;        /* it can only be read with its base */
	uint64_t files;       /* objects of all types */
	uint64_t bytes;       /* of their contents */
	uint64_t stored;      /* size of the image */
	unsigned char id[32]; /* SHA-256: two images with the same id are the same */
	unsigned char base_id[32];
};
#define COWSH_IMAGE_INFO_INIT                                                                      \
	{                                                                                          \
		sizeof(struct cowsh_image_info), false, false, 0, 0, 0, { 0 },                     \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

/* base: the image that a delta session is based on, or NULL. When the bytes are no image, or one
 * that can't be used, the result is -COWSH_EINVAL, and *why (may be NULL) says why: "damaged". */
COWSH_API int cowsh_image_open(cowsh_store *store, const void *bytes, uint64_t size,
			       cowsh_image *base, cowsh_image **out, const char **why);
/* When no session, snapshot or delta uses it any more. */
COWSH_API void cowsh_image_close(cowsh_image *image);
COWSH_API int cowsh_image_get_info(const cowsh_image *image, struct cowsh_image_info *out);
/* By what name a saved session's base was known, without opening it: "" if it has none. Fills at
 * most `size` bytes with NUL; its length, or -COWSH_EINVAL. */
COWSH_API int64_t cowsh_image_base_name(cowsh_store *store, const void *bytes, uint64_t size,
					char *name, size_t name_size);
/* Reads everything: 0, or -COWSH_EIO if something is not as it was written. */
COWSH_API int cowsh_image_verify(cowsh_image *image);

/* The image's root appears at path: in constant time, but for "/" and other directories that have
 * entries, which get what they lack. Files belong to the session's user; in a path that had
 * entries, to whom the image says. */
COWSH_API int cowsh_mount_image(cowsh *session, const char *path, cowsh_image *image,
				bool read_only);

/* --- writing --- */

/* Takes the bytes of an image in order, in pieces of at most 512 KiB. 0, or a negative error. */
struct cowsh_sink {
	size_t size; /* COWSH_SINK_INIT sets it */
	int (*write)(void *user, const void *data, size_t len);
	void *user;
	bool compress; /* contents of files, in blocks of 64 KiB, with zstd */
};
#define COWSH_SINK_INIT                                                                            \
	{                                                                                          \
		sizeof(struct cowsh_sink), NULL, NULL, false                                       \
	}

struct cowsh_image_object {
	size_t size;      /* COWSH_IMAGE_OBJECT_INIT sets it */
	const char *path; /* in the image: "dir/file"; "" is its root */
	unsigned mode;    /* type and permissions, as Linux */
	unsigned uid;
	unsigned gid;
	int64_t mtime_ns;
	uint64_t rdev;      /* of a device */
	const char *target; /* of a symbolic link */
	const char *link;   /* another path of the same object, which is there already; or NULL */
	uint64_t length;    /* of a regular file, whose bytes read gives in order: at most `len` at
			     * a time, 0 at the end (if that comes early, the file is shorter) */
	int64_t (*read)(void *user, void *into, size_t len);
	void *user;
	/* Optional: where the next bytes are a hole, passes over as many units as lie in it whole;
	 * how many bytes that is. read gives what comes behind. */
	uint64_t (*skip)(void *user, uint64_t unit);
};
#define COWSH_IMAGE_OBJECT_INIT                                                                    \
	{                                                                                          \
		sizeof(struct cowsh_image_object), NULL, 0, 0, 0, 0, 0, NULL, NULL, 0, NULL, NULL, \
			NULL                                                                       \
	}

/* Memory: about 4 MB and 300 bytes for each file, whatever their contents. */
COWSH_API int cowsh_image_builder_new(cowsh_store *store, const struct cowsh_sink *sink,
				      cowsh_image_builder **out);
/* Missing directories are made; what is there already is replaced. */
COWSH_API int cowsh_image_add(cowsh_image_builder *builder,
			      const struct cowsh_image_object *object);
/* All members of a tar archive (ustar, pax, GNU), read in order. -COWSH_EINVAL when it is none
 * or damaged: *why says what, and where. */
COWSH_API int cowsh_image_add_tar(cowsh_image_builder *builder,
				  int64_t (*read)(void *user, void *into, size_t len), void *user,
				  const char **why);
/* An extended attribute ("user.mime") of what was added as path: of files and directories, at most
 * 4,000 bytes for all of one, else -COWSH_ENOSPC. -COWSH_EINVAL for what an image can't hold:
 * access lists, labels, names that begin with neither "user." nor "trusted.". */
COWSH_API int cowsh_image_add_xattr(cowsh_image_builder *builder, const char *path,
				    const char *name, const void *value, size_t len);
/* How many members of archives had extended attributes or access lists that an image can't hold. */
COWSH_API uint64_t cowsh_image_left_out(const cowsh_image_builder *builder);
/* Writes the rest. The builder is to be freed, whatever comes back. */
COWSH_API int cowsh_image_finish(cowsh_image_builder *builder, struct cowsh_image_info *out);
COWSH_API void cowsh_image_builder_free(cowsh_image_builder *builder);

/* --- sessions --- */

/* What a saved session could not keep, besides custom commands, which the host adds again. */
struct cowsh_saved {
	size_t size;        /* COWSH_SAVED_INIT sets it */
	unsigned processes; /* in the background: they end with the session */
	unsigned
		descriptors; /* pipes and sockets of the shell, what programs have of other kinds */
	struct cowsh_image_info info;
	int lost[8]; /* the first of these processes */
};
#define COWSH_SAVED_INIT                                                                           \
	{                                                                                          \
		sizeof(struct cowsh_saved), 0, 0, COWSH_IMAGE_INFO_INIT,                           \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

/* Writes the whole session: files, variables, functions, options, traps, directory, descriptors,
 * random state, clock, how much of its limits it has used, and the real programs that are alive
 * (see cowsh_fork), with their memory, files, pipes and sockets. With a base, which must be mounted
 * or be what the session was loaded with, files are saved as their difference from it, and
 * base_name as what it is called. What a mounted directory of the host shows becomes part of the
 * session. -COWSH_EBUSY while a command runs. */
COWSH_API int cowsh_save(cowsh *session, const struct cowsh_sink *sink, cowsh_image *base,
			 const char *base_name, struct cowsh_saved *out);
/* A session that goes on where the saved one was. Of config count the limits, which are never
 * taken from a file, mounts, microvm and profile; env is added. Real programs go on in the next
 * command; without a microvm they are lost (cowsh_lost_processes). -COWSH_EIO: the file is damaged.
 */
COWSH_API int cowsh_load(cowsh_store *store, const struct cowsh_config *config,
			 const struct cowsh_host *host, cowsh_image *image, cowsh **out);

#ifdef __cplusplus
}
#endif

#endif
