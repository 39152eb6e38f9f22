/* SPDX-License-Identifier: MIT
 *
 * What the files of zip, the program that makes archives, share.
 */
#ifndef BUILTINS_ZIP_MAKE_H
#define BUILTINS_ZIP_MAKE_H

#include "builtins/zip/zip.h"

#include "builtins/zone.h"

enum {
	ZIP_E_FORMAT = 3,
	ZIP_E_NONE = 12,
	ZIP_E_TEMP = 15,
	ZIP_E_PARAMS = 16,
	ZIP_E_OPEN = 18,
};

enum zip_action { ZIP_ADD, ZIP_UPDATE, ZIP_FRESHEN, ZIP_DELETE, ZIP_SYNC };

/* A file that was chosen. */
struct found {
	struct found *next;
	const char *path; /* of the file */
	const char *name; /* in the archive */
	struct vfs_stat st;
	bool is_link;
	bool used;
};

/* One run of zip. */
struct zip {
	struct cmd *c;
	enum zip_action action;
	bool recurse, recurse_here, junk, quiet, move, symlinks, no_dirs, no_extra, test,
		from_stdin;
	bool newest, show, comment;
	int verbose;
	int level;
	int convert;
	int64_t after_ns, before_ns; /* -t, -tt; 0: none */
	const char *suffixes;        /* -n */
	const char *archive;
	const char *password; /* -P; NULL: none */
	bool ask_password;    /* -e */
	struct zip_names includes;
	struct zip_names excludes;
	struct zip_names operands;
	struct found *found;
	struct found **end;
	struct zip_file z;
	bool has_old;
	struct zip_writer w;
	struct output *say;
	struct output messages;
	uint64_t in_total;
	size_t added;
	size_t skipped;
	uint64_t skipped_bytes;
	uint64_t out_total;
	int status;
	const struct zone *zone;
};

/* options.c: reads the arguments. 0, or the status behind a message. */
int zip_options(struct zip *z);

/* zip.c: "zip error: ..."; gives status back. */
int zip_fail(struct zip *z, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
