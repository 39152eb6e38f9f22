/* SPDX-License-Identifier: MIT
 *
 * xz: xz.c converts, xz_list.c lists, xz_filters.c takes chains of filters.
 */
#ifndef BUILTINS_CODER_XZ_H
#define BUILTINS_CODER_XZ_H

#include "builtins/coder/coder.h"

enum xz_format { XZ_AUTO, XZ_XZ, XZ_LZMA, XZ_LZIP, XZ_RAW };

struct xz {
	struct cmd *c;
	bool decompress;
	bool test;
	bool list;
	bool to_stdout;
	int force;
	bool keep;
	int quiet;
	int verbose;
	bool extreme;
	bool no_sparse;
	bool no_warn;
	bool single_stream;
	bool ignore_check;
	int level;
	int format;
	int check;
	const char *suffix;
	uint64_t block_size;
	const uint64_t *block_list;
	size_t nblocks;
	struct codec_filter filters[CODEC_FILTERS_MAX];
	int nfilters; /* 0: what the level says */
	bool no_adjust;
	uint64_t compress_max; /* of memory; 0: none */
	uint64_t decompress_max;
	uint32_t dictionary; /* that fits in there; 0: what the level says */
	bool robot;
	const char *names; /* --files: where names are; NULL: no */
	char names_end;    /* what ends each */
	int given_words;   /* of argv that came from the environment */
	int status;
};

/* "NAME: TEXT", and status 1. */
void xz_fail(struct xz *x, const char *name, const char *text);
/* What is wrong with a stream. */
const char *xz_text_of(enum codec_result result);
/* A size and a ratio as xz writes them. */
void xz_put_size(struct buf *out, uint64_t n);
void xz_put_ratio(struct buf *out, uint64_t small, uint64_t large);
/* Calls fn for each operand and each name of --files. */
void xz_each(struct xz *x, void (*fn)(struct xz *x, const char *name, bool operand, void *arg),
	     void *arg);

/* --- xz_memory.c --- */

enum { XZ_MEMORY_COMPRESS = 1, XZ_MEMORY_DECOMPRESS = 2 };

/* A number as xz's options take them ("max", 10KiB); name is the option's, for messages. Not 0:
 * after a message. */
int xz_number(struct cmd *c, const char *name, const char *text, uint64_t min, uint64_t max,
	      uint64_t *out);
int xz_opt_memlimit(struct cmd *c, const struct opt *o, const char *arg);
/* Rounded up. */
uint64_t xz_mib(uint64_t n);
void xz_say_needed(struct xz *x, uint64_t need, uint64_t limit);
/* Before something is compressed: a dictionary that fits in the limits and in what the session has
 * left. False after a message: there is none. */
bool xz_fit_memory(struct xz *x);

/* --- xz_filters.c --- */
int xz_opt_filter(struct cmd *c, const struct opt *o, const char *arg);
/* False, after a message: the chain can't be. Without one, raw data take that of the level. */
bool xz_check_filters(struct xz *x);

/* --- xz_header.c --- */

enum { XZ_VERSION_OLDEST = 50000002, XZ_CHECK_TEXT = 2 * 64 + 1 };

/* A block as the index has it. */
struct xz_block {
	uint64_t total; /* bytes in the file, padding included */
	uint64_t size;  /* without it */
	uint64_t out;
};

struct xz_block_header {
	unsigned size;
	bool has_compressed, has_uncompressed; /* sizes stand in it */
	uint64_t compressed;
	uint64_t memory;           /* that unpacking takes */
	uint32_t version;          /* of the library, as liblzma counts them */
	const char *filters;       /* as options */
	char check[XZ_CHECK_TEXT]; /* hexadecimal, or "---" */
};

uint32_t xz_le32(const uint8_t *p);
/* A number as xz writes them, in as few bytes as it takes. */
bool xz_read_vli(const uint8_t **at, const uint8_t *end, uint64_t *out);
/* Bytes of a checksum. */
unsigned xz_check_size(unsigned kind);
/* The block's header is at pos. CODEC_END, or what is wrong. */
enum codec_result xz_read_block_header(struct xz *x, int fd, uint64_t pos, unsigned check,
				       const struct xz_block *b, struct xz_block_header *h);

/* --- xz_list.c --- */
int xz_list(struct xz *x);

#endif
