/* SPDX-License-Identifier: MIT
 *
 * Units of sizes as ls, du and df take them: "1M", "kB", "'K", "human-readable".
 */
#ifndef BUILTINS_BLOCK_SIZE_H
#define BUILTINS_BLOCK_SIZE_H

#include "builtins/builtin.h"

struct block_size {
	uint64_t unit;  /* bytes; 0: for people */
	unsigned base;  /* of those: 1024 or 1000 */
	char suffix[4]; /* behind each number: "K" does that, "1K" does not */
};

/* An option's argument. 0, or a status after a message that calls the option `given`. */
int block_size_parse(struct cmd *c, const char *given, const char *text, struct block_size *out);
/*
 * What the environment says: the variable `own`, else BLOCK_SIZE, BLOCKSIZE, POSIXLY_CORRECT;
 * else units of 1024. What is no size is as if it said nothing. Returns whether one of the first
 * two is set.
 */
bool block_size_of_env(struct cmd *c, const char *own, struct block_size *out);

#endif
