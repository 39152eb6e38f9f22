/* SPDX-License-Identifier: MIT
 *
 * What bzip2, xz and zstd share: a file through a codec into another file that takes its place.
 * What they say of it is their own.
 */
#ifndef BUILTINS_CODER_CODER_H
#define BUILTINS_CODER_CODER_H

#include "base/codec.h"
#include "builtins/builtin.h"

enum { CODER_BLOCK = 65536 };

/* One input on its way. */
struct coder {
	struct cmd *c;
	struct codec_options options;
	struct input in;
	struct vfs_stat st;
	struct output out;
	bool has_out;
	bool at_end;          /* of the input */
	const char *out_name; /* a file of our making, or NULL */
	uint64_t bytes_in;
	uint64_t needed; /* memory, after CODEC_MEMORY */
	bool unchecked;  /* of a stream of xz: its check is of an unknown kind */
	uint64_t bytes_out;
	int read_err;
	uint64_t streams;
	uint8_t *block;
};

void coder_begin(struct coder *k, struct cmd *c, int fd, const char *name);
/* Makes the new file, which must not be there. 0 or -E_. */
int coder_create(struct coder *k, const char *name);
void coder_to_stdout(struct coder *k);
/* The next n bytes (at most 18) of the input without taking them: how many there are. */
size_t coder_peek(struct coder *k, uint8_t *out, size_t n);
/* Runs one stream. Decoding leaves what follows it. CODEC_MORE: the input ended too early. */
enum codec_result coder_stream(struct coder *k);
/* Input to output as it is. */
void coder_copy(struct coder *k);
/* Takes zero bytes from the input: how many. */
uint64_t coder_skip_zeros(struct coder *k);
/* Closes; a file gets the attributes of the input. */
void coder_finish(struct coder *k);
/* The file that was begun goes away. */
void coder_discard(struct coder *k);
void coder_end(struct coder *k);
bool coder_has_suffix(const char *name, const char *suffix);
const char *coder_add_suffix(struct cmd *c, const char *name, const char *suffix);
/* name without `from`, with `to` instead. */
const char *coder_replace_suffix(struct cmd *c, const char *name, const char *from, const char *to);

#endif
