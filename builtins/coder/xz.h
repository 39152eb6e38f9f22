/* SPDX-License-Identifier: MIT
 *
 * xz: xz.c converts, xz_list.c lists.
 */
#ifndef BUILTINS_CODER_XZ_H
#define BUILTINS_CODER_XZ_H

#include "builtins/coder/coder.h"

enum xz_format { XZ_AUTO, XZ_XZ, XZ_LZMA };

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
	int level;
	int format;
	int check;
	const char *suffix;
	bool robot;
	const char *names; /* --files: where names are; NULL: no */
	char names_end;    /* what ends each */
	int status;
};

/* "NAME: TEXT", and status 1. */
void xz_fail(struct xz *x, const char *name, const char *text);
/* A size and a ratio as xz writes them. */
void xz_put_size(struct buf *out, uint64_t n);
void xz_put_ratio(struct buf *out, uint64_t small, uint64_t large);
/* Calls fn for each operand and each name of --files. */
void xz_each(struct xz *x, void (*fn)(struct xz *x, const char *name, bool operand, void *arg),
	     void *arg);

/* --- xz_list.c --- */
int xz_list(struct xz *x);

#endif
