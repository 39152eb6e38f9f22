/* SPDX-License-Identifier: MIT
 *
 * file: file.c looks at the kind of the file and writes the answer, text.c knows encodings and
 * languages, binary.c the formats with marks, elf.c programs; unpack.c is -z, extension.c
 * --extension.
 */
#ifndef BUILTINS_FILE_FILE_H
#define BUILTINS_FILE_FILE_H

#include "builtins/builtin.h"

enum { LOOK_BYTES = 1 << 20, LOOK_TEXT_BYTES = 64 << 10, LOOK_RULE_BYTES = 8192 };

/* What -e leaves out. */
enum {
	SKIP_SOFT = 1, /* all marks, languages too */
	SKIP_TEXT = 2,
	SKIP_CSV = 4,
	SKIP_JSON = 8,
	SKIP_ELF = 16, /* what is behind the first words of ELF files */
	SKIP_TAR = 32,
	SKIP_COMPRESS = 64,
};

/* What is known about a file. */
struct guess {
	struct cmd *c;
	struct bytes data;
	const char *path;    /* where the rest of the data is; NULL: nowhere */
	unsigned skip;       /* SKIP_... */
	bool unpacked;       /* it was looked into: less is told of its wrapping */
	struct buf text;     /* the answer */
	const char *mime;    /* "text/plain" */
	const char *charset; /* "us-ascii", "binary" ... */
	/* text */
	const char *encoding;  /* "ASCII", NULL: no text */
	const char *more_text; /* behind the encoding: "", " (with BOM)" are part of it */
};

/* Sets charset and encoding. */
void guess_encoding(struct guess *g);
/* A format with a mark: false if none. */
bool guess_binary(struct guess *g);
bool guess_elf(struct guess *g);
bool guess_media(struct guess *g); /* sounds, fonts, plain images, catalogues */
/* Bytes as they are shown in answers: others in octal. */
void put_octal(struct guess *g, struct bytes s);
/* A frame header of MPEG audio, layer III. */
void put_mpeg(struct guess *g, size_t at);
/* JSON, CSV, a language, or plain text. False: it is no text. */
bool guess_text(struct guess *g);
/* Formats whose names do not tell the encoding: certificates, PostScript... */
bool guess_marked_text(struct guess *g);

/* The start of what the data unpack to, or what is wrong. False: nothing known packed them. */
bool guess_unpack(struct cmd *c, struct bytes packed, struct bytes *out, const char **error);
bool guess_is_zlib(struct bytes s);
/* "tar/gtar", or NULL. */
const char *guess_extensions(const struct guess *g);

/* Numbers in the data; 0 behind its end. */
uint64_t load_le(struct bytes s, size_t at, size_t size);
uint64_t load_be(struct bytes s, size_t at, size_t size);
bool has_at(struct bytes s, size_t at, const char *mark, size_t len);
#define HAS(s, at, literal) has_at(s, at, literal, sizeof(literal) - 1)

#endif
