/* SPDX-License-Identifier: MIT
 *
 * zstd: zstd.c converts, zstd_options.c reads options, zstd_list.c lists.
 */
#ifndef BUILTINS_CODER_ZSTD_H
#define BUILTINS_CODER_ZSTD_H

#include "builtins/coder/coder.h"

/* Formats that are written and read, by the first bytes of each. */
struct zstd_format {
	const char *name;
	const char *suffix;
	const char *tar_suffix; /* what stands for ".tar" and the suffix, or NULL */
	enum codec_kind kind;
	struct bytes magic;
};

enum { ZSTD_FORMATS = 4 };

extern const struct zstd_format zstd_formats[ZSTD_FORMATS];

struct zstd {
	struct cmd *c;
	bool decompress;
	bool test;
	bool list;
	bool to_stdout;
	bool force;
	bool remove;
	bool recursive;
	bool ultra;
	bool no_check;
	bool exclude_compressed;
	int pass_through; /* what is not compressed: 1 as it is, -1 an error, 0 as -f and -c say */
	int display;      /* 2: results, 1: errors only, 0: nothing */
	int level;
	int params[CODEC_ZSTD_PARAMS];
	int threads;
	uint64_t memory_max;              /* decompressing; 0: the usual */
	uint64_t stream_size;             /* of standard input; 0: not known */
	const struct zstd_format *format; /* to write; NULL: zstd */
	const char *output;
	const char *flat_dir;
	const char *mirror_dir;
	struct buf lists; /* names of files of names, each ends with NUL */
	struct buf names; /* of inputs */
	bool several;     /* inputs */
	bool sharing;     /* -o takes all of them */
	struct coder shared;
	struct input answers;
	bool has_answers;
	const char *dict_name;
	const char *patch_from; /* the dictionary is a file that the content continues */
	struct bytes dict;
	bool passed;     /* the input was written as it is */
	uint64_t window; /* of the frame that is read, as its header says */
	bool reserved;   /* it uses a bit of the future */
	int files;
	uint64_t in_total;
	uint64_t out_total;
	int status;
	bool stopped; /* what went wrong ends the run */
};

extern const struct opt zstd_options[];

/* A message for those who want to read so much (display). */
void zstd_put(struct zstd *z, int display, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "   692 B", "  3.80 KiB": three digits that count; in tables units stand below each other. */
void zstd_put_size(struct buf *out, uint64_t n, bool table);
/* What the environment asks for, after a word for what can't be. */
void zstd_read_environment(struct zstd *z);
/* What the header of a frame says of the window; 0: it has that of the content. */
uint64_t zstd_window(const uint8_t h[6]);
uint64_t zstd_memory_max(const struct zstd *z);

/* --- zstd_patch.c --- */

/* Before the dictionary is read: 0, or the status that ends it, after a message. */
int zstd_check_patch(struct zstd *z);
/* Behind that. False, after a message: it can't be. */
bool zstd_begin_patch(struct zstd *z);

/* -l. The status. */
int zstd_list(struct zstd *z);

#endif
