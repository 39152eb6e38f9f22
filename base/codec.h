/* SPDX-License-Identifier: MIT
 *
 * Compressed data: deflate, bzip2, xz, lzma and zstd behind one streaming face.
 *
 * The work is done by zlib, libbz2, liblzma and libzstd, each in one codec_*.c; all their
 * memory comes from the pool given here. The caller sets in and out, calls codec_run, and looks
 * at what is left:
 *
 *   in  ─────────────►│ codec_run │─────────────► out
 *   (in_len unread)                  (out_len free)
 *
 * One stream each: what follows the end of a stream is left in `in`, for the caller to judge.
 * (Of lzip the library takes all members, if that is wanted: it knows what may follow them.)
 */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include "base/heap.h"

enum codec_kind {
	CODEC_DEFLATE,
	CODEC_BZIP2,
	CODEC_XZ,
	CODEC_LZMA,
	CODEC_LZIP, /* decoding only */
	CODEC_RAW,  /* a chain of xz's filters without any header */
	CODEC_ZSTD,
};

enum codec_result {
	CODEC_MORE,      /* wants more input or more room */
	CODEC_END,       /* the stream is complete */
	CODEC_BAD,       /* the data are not such a stream, or damaged */
	CODEC_BAD_MAGIC, /* damaged in its first bytes */
	CODEC_BAD_CHECK, /* a checksum is wrong */
	CODEC_OPTIONS,   /* needs what the library does not have */
	CODEC_MEMORY,    /* needs more memory than memory_max */
};

/* A filter of a chain of xz, or that of lzma. */
enum codec_filter_kind {
	CODEC_FILTER_LZMA1,
	CODEC_FILTER_LZMA2,
	CODEC_FILTER_DELTA,
	CODEC_FILTER_X86,
	CODEC_FILTER_POWERPC,
	CODEC_FILTER_IA64,
	CODEC_FILTER_ARM,
	CODEC_FILTER_ARMTHUMB,
	CODEC_FILTER_ARM64,
	CODEC_FILTER_SPARC,
};

enum { CODEC_FILTERS_MAX = 4 };

/* Parameters of zstd's encoder, numbers as libzstd's. */
enum codec_zstd_param {
	CODEC_ZSTD_WINDOW_LOG,
	CODEC_ZSTD_CHAIN_LOG,
	CODEC_ZSTD_HASH_LOG,
	CODEC_ZSTD_SEARCH_LOG,
	CODEC_ZSTD_MIN_MATCH,
	CODEC_ZSTD_TARGET_LENGTH,
	CODEC_ZSTD_STRATEGY,
	CODEC_ZSTD_OVERLAP_LOG,
	CODEC_ZSTD_LONG, /* matches over long distances */
	CODEC_ZSTD_LONG_HASH_LOG,
	CODEC_ZSTD_LONG_MIN_MATCH,
	CODEC_ZSTD_LONG_BUCKET_LOG,
	CODEC_ZSTD_LONG_RATE_LOG,
	CODEC_ZSTD_TARGET_BLOCK,
	CODEC_ZSTD_SIZE_HINT,
	CODEC_ZSTD_LITERALS, /* 1: compressed, 2: not */
	CODEC_ZSTD_ROWS,     /* 1: the finder of matches by rows, 2: not that */
	CODEC_ZSTD_NO_SIZE,  /* 1: the size of the content is not put down */
	CODEC_ZSTD_NO_DICT_ID,
	CODEC_ZSTD_PARAMS,
};

struct codec_filter {
	enum codec_filter_kind kind;
	uint32_t value; /* the distance of delta, where code of others starts */
	uint32_t dict, lc, lp, pb, mode, finder, nice, depth; /* of LZMA, numbers as liblzma's */
};

struct codec_options {
	enum codec_kind kind;
	bool decode;
	int level;           /* encoding: as the kind counts them */
	bool extreme;        /* xz -e */
	bool gzip;           /* deflate: with the plainest header of gzip, and its trailer */
	int check;           /* xz: 0 none, 1 CRC32, 4 CRC64, 10 SHA-256; zstd: 1 a checksum */
	const int *zstd;     /* encoding zstd: CODEC_ZSTD_PARAMS numbers; 0: the level's own */
	uint64_t size;       /* zstd: the size of the content if known; UINT64_MAX: not */
	struct bytes dict;   /* zstd: a dictionary, there as long as the stream is */
	bool prefix;         /* zstd: it is what the content goes on from */
	uint32_t dictionary; /* encoding xz, lzma: its size; 0: the level's own */
	const struct codec_filter *filters; /* raw; encoding xz, lzma: instead of the level */
	int nfilters;
	uint64_t block_size; /* encoding xz: of the input; 0: one block */
	/* Sizes of its first blocks, there as long as the stream is. The last is that of the rest,
	 * if that is 0 block_size counts; also larger ones become blocks of block_size. */
	const uint64_t *block_list;
	size_t nblocks;
	uint64_t memory_max; /* decoding xz, lzma, lzip, zstd; 0: no limit of its own */
	bool unverified;     /* decoding xz, lzip, zstd: checks are not looked at */
	bool all_members;    /* decoding lzip: not only the first */
};

struct codec {
	const uint8_t *in; /* unread input */
	size_t in_len;
	uint8_t *out; /* free room */
	size_t out_len;
	uint64_t needed;     /* after CODEC_MEMORY of xz and lzma: how much */
	const char *message; /* after CODEC_BAD of deflate: what zlib calls it, or NULL */
	bool flush;          /* deflate: the stream can be read from behind this input on */
	bool unchecked;      /* xz: its check is of an unknown kind */
	/* private */
	const struct codec_ops *ops;
	struct pool *pool;
	void *state;
	bool decode;
};

/* What an encoder of xz or lzma takes; the size of a level's dictionary. */
uint64_t codec_xz_memory(enum codec_kind kind, int level, bool extreme, uint32_t dictionary);
uint32_t codec_xz_dictionary(int level, bool extreme);

/* The fields of LZMA as a level has them. False: there is none. */
bool codec_filter_preset(struct codec_filter *f, int level, bool extreme);
/* What a chain takes; UINT64_MAX: it can't be. */
uint64_t codec_filters_memory(const struct codec_filter *filters, int n, bool decode);

/* What a level of zstd means for a content of that size: 2^cycle_log is how far matches are found
 * without CODEC_ZSTD_LONG. */
struct codec_zstd_choice {
	int strategy;
	int cycle_log;
};
struct codec_zstd_choice codec_zstd_choose(int level, uint64_t size, size_t dict_size);

/* What each library's file implements. */
struct codec_ops {
	bool (*start)(struct codec *c, const struct codec_options *o);
	enum codec_result (*run)(struct codec *c, bool finish);
	void (*stop)(struct codec *c);
};

/* What a library used of the input and made of the room; without bytes there may be no place. */
static inline void codec_advance(struct codec *c, size_t used, size_t made)
{
	if (used != 0)
		c->in += used;
	if (made != 0)
		c->out += made;
	c->in_len -= used;
	c->out_len -= made;
}

/* Starts a stream. False if the options can't be (a level that does not exist). */
bool codec_start(struct codec *c, struct pool *pool, const struct codec_options *o);
/* Works until in is used up or out is full. finish: no input will follow what is in `in`. An
 * encoder then gives CODEC_END once all is out; a decoder CODEC_BAD if the stream is cut. */
enum codec_result codec_run(struct codec *c, bool finish);
/* Gives its memory back. */
void codec_stop(struct codec *c);

/* The CRC-32 of gzip, zip, xz: begin with 0. */
uint32_t codec_crc32(uint32_t crc, const void *data, size_t len);

/* For the libraries' allocator hooks: blocks that remember their size. */
void *codec_alloc(struct pool *pool, size_t count, size_t size);
void codec_free(struct pool *pool, void *block);

extern const struct codec_ops codec_deflate;
extern const struct codec_ops codec_bzip2;
extern const struct codec_ops codec_lzma;
extern const struct codec_ops codec_zstd;

#endif
