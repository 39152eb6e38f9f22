/* SPDX-License-Identifier: MIT
 *
 * What the files of gzip share. gzip.c has the options and the choice of files; member.c reads
 * and writes the format; list.c prints tables; lzw.c reads what compress(1) wrote,
 * zipped.c the first member of zip archives.
 */
#ifndef BUILTINS_GZIP_GZIP_H
#define BUILTINS_GZIP_GZIP_H

#include "base/codec.h"
#include "builtins/builtin.h"

enum { GZIP_WARNING = 2, GZIP_SUFFIX_MAX = 30, GZIP_BLOCK = 65536 };

struct gzip {
	struct cmd *c;
	bool decompress;
	bool to_stdout;
	bool force;
	bool ascii; /* has no effect, but is told */
	bool keep;
	bool list;
	bool quiet;
	bool recursive;
	bool test;
	bool rsyncable;
	bool synchronous;
	int verbose;
	int level;
	int no_name; /* -1: not said */
	int no_time;
	const char *suffix;
	struct zone *zone;
	int status;
	/* for the table of -l */
	uint64_t total_in;
	uint64_t total_out;
	uint64_t last_header;
	bool listed;
};

enum gzip_format { GZIP_DEFLATE, GZIP_LZW, GZIP_PLAIN, GZIP_ZIP };

/* What the header of a member of a zip archive says. */
struct gzip_zip {
	unsigned flags;
	unsigned method;
	uint32_t crc;
	uint32_t packed;
	uint32_t size;
};

/* One file or standard input on its way. */
struct gzip_job {
	struct gzip *g;
	const char *name; /* as messages show it */
	struct input in;
	struct vfs_stat st;
	struct output out;
	const char *out_name; /* a file of our making: removed when the data turn out bad */
	bool has_out;
	enum gzip_format format;
	struct gzip_zip zip;
	unsigned part;          /* how many members were begun */
	unsigned char magic[2]; /* the first bytes, where they are no magic of a format */
	size_t magic_len;
	uint64_t bytes_in;
	uint64_t bytes_out; /* of the last member, when decompressing */
	uint64_t header_bytes;
	uint32_t crc;
	uint32_t time;      /* in the header; 0: none */
	const char *stored; /* name in the header, or NULL */
};

/* A warning: status 2 unless there is an error already. Nothing is said with -q. */
void gzip_warn(struct gzip *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "\nname: file: text": an error. */
void gzip_error(struct gzip_job *j, const char *text);
/* The same, and the end of the command: what was written so far is removed. */
_Noreturn void gzip_abort(struct gzip_job *j, const char *text);

/* Reads the header of the next member. 1; 0: there is none, or it can't be read (a message is
 * written where one is due). */
int gzip_header(struct gzip_job *j);
/* Decompresses all members to j->out (or to nothing). False: the data are wrong. */
bool gzip_unpack(struct gzip_job *j);
/* Compresses all input. */
void gzip_pack(struct gzip_job *j);
/* The next byte of the input, or -1 at the end. */
int gzip_byte(struct gzip_job *j);
/* Decompresses one stream. block: GZIP_BLOCK bytes to work in. */
void gzip_inflate(struct gzip_job *j, uint8_t *block);
/* Whether sum and size are what was written; else messages. */
bool gzip_check(struct gzip_job *j, uint32_t crc, uint32_t size);
/* The header behind the magic: 1, or 0 after a message. */
int gzip_zip_header(struct gzip_job *j);
bool gzip_unzip(struct gzip_job *j, uint8_t *block);
/* A compress(1) file behind its magic. */
void gzip_unlzw(struct gzip_job *j);
/* Writes decompressed bytes. */
void gzip_put(struct gzip_job *j, const void *data, size_t len);

/* The line of -l for a file that was read; the totals. */
void gzip_list(struct gzip_job *j, const char *name);
void gzip_list_totals(struct gzip *g);
/* " 52.2%" of num / den. */
void gzip_ratio(struct buf *text, int64_t num, int64_t den);

#endif
