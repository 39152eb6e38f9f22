/* SPDX-License-Identifier: MIT
 *
 * md5sum and its family: one set of options, one way to write and to check lines.
 *
 *   sums.c    the commands whose name says the digest; options, output, reading
 *   check.c   -c: lists of digests are read and compared
 *   cksum.c   cksum and sum, which also know sums without digest
 *   shasum.c  Perl's command for all that is SHA
 */
#ifndef BUILTINS_DIGEST_SUMS_H
#define BUILTINS_DIGEST_SUMS_H

#include "base/digest.h"
#include "builtins/builtin.h"

struct sums_opts {
	bool binary;
	bool text;
	bool check;
	bool tag;
	bool untagged;
	bool zero;
	bool ignore_missing;
	bool quiet;
	bool status;
	bool strict;
	bool warn;
	bool debug;
	bool has_algorithm;
	const char *length_text; /* as given */
	uint64_t length_bits;    /* of BLAKE2b; 0: all */
	int algorithm;           /* enum digest_kind, or one of cksum's own */
	bool any_algorithm;      /* cksum -c: the lines say which */
	bool any_sha;            /* shasum -c: how long the digest is says which */
	bool universal;          /* shasum -U: line ends of all systems count as "\n" */
};

/* The name in tagged lines: "MD5". */
const char *sums_tag(int kind);
enum { SUMS_TAGS = DIGEST_BLAKE2B + 1 };

/* The digest of what is read: 0 or -E_. */
int sums_digest(struct input *in, struct digest *d, uint8_t out[DIGEST_MAX]);
/* The same with "\r\n" and "\r" read as "\n". */
int sums_digest_universal(struct input *in, struct digest *d, uint8_t out[DIGEST_MAX]);
/* Checks the lists in c->files. Returns the status. */
int sums_check(struct cmd *c, const struct sums_opts *o);
/* Writes the digests of c->files. Returns the status. */
int sums_write(struct cmd *c, const struct sums_opts *o);
/* Options that make no sense together: 0, or a status after a message. */
int sums_check_options(struct cmd *c, const struct sums_opts *o);
/* -l: of BLAKE2b at most 512 bits, which sums_check_length says once all options are known. */
opt_fn sums_set_length;
int sums_check_length(struct cmd *c, const struct sums_opts *o);

#endif
