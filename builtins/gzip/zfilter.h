/* SPDX-License-Identifier: MIT
 *
 * What zgrep, zdiff, zless and their like for other compressions share: a program that writes
 * what a file holds, with a pipe behind.
 */
#ifndef BUILTINS_GZIP_ZFILTER_H
#define BUILTINS_GZIP_ZFILTER_H

#include "builtins/builtin.h"

enum { ZFILTER_TROUBLE = 2 };

/* The scripts of one package. */
struct zfamily {
	unsigned bit;               /* of the rows of suffixes that it knows */
	const char *const *program; /* with its options, up to NULL: the file's name follows */
	bool strict;                /* the status of the last file that is not 0 stays */
	const char *refused;        /* of options: "option not supported" */
};

/* What the end of a file's name says. */
struct zsuffix {
	const char *suffix;
	const char *const *program; /* that writes what the file holds */
	unsigned families;
	const char *instead; /* of the suffix, in the name of the file before */
};

extern const struct zfamily zfamily_gzip, zfamily_bzip2, zfamily_xz, zfamily_zstd;

/* Starts the program that writes what `file` ("-": standard input) holds: its pid. *out is where
 * it can be read. */
int zfilter_start(struct cmd *c, const struct zfamily *z, const char *file, int *out);
/* Waits for a child: its status. filter: one that only tells of a warning or of a closed pipe is
 * none. */
int zfilter_wait(struct cmd *c, int pid, bool filter);
/* "/usr/bin/NAME: message", as the scripts say. Returns ZFILTER_TROUBLE. */
int zfilter_complain(struct cmd *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The row of the file's suffix, NULL if the family knows none. */
const struct zsuffix *zfilter_suffix(const struct zfamily *z, const char *file);

#define Z_COMMAND(id, operands, text, fam)                                                         \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = operands,                                                                 \
		.summary = text,                                                                   \
		.run = id##_run,                                                                   \
		.flags = BUILTIN_RAW_HELP,                                                         \
		.usage_status = 2,                                                                 \
		.error_status = 2,                                                                 \
		.family = fam,                                                                     \
	}
#define ZGZIP  "gzip 1.12"
#define ZBZIP2 "bzip2 1.0.8"
#define ZXZ    "XZ Utils 5.4.1"
#define ZZSTD  "zstd 1.5.4"

#endif
