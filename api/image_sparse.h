/* SPDX-License-Identifier: MIT
 *
 * The map of a sparse member of a tar archive: which parts of the file the archive has, one
 * after the other; the rest of the file is holes.
 */
#ifndef API_IMAGE_SPARSE_H
#define API_IMAGE_SPARSE_H

#include "base/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sparse {
	struct store *store;
	struct sparse_part {
		uint64_t begin;
		uint64_t len;
	} * part;
	size_t count;
	size_t cap;
	uint64_t size;   /* of the file */
	uint64_t stored; /* bytes of all parts */
	/* reading */
	uint64_t pos;
	size_t at; /* the part that pos is in or before */
};

/* The next part: behind those before. -E_INVAL: it is not; -E_FBIG: there are too many. */
int sparse_add(struct sparse *s, uint64_t begin, uint64_t len);
/* The map is complete: whether it fits the size of the file and the bytes in the archive. */
bool sparse_fits(const struct sparse *s, uint64_t stored);
/* Up to n bytes of the file; those of parts come from data. */
int64_t sparse_read(struct sparse *s, int64_t (*data)(void *user, void *into, size_t n), void *user,
		    void *into, size_t n);
/* Passes over a hole, by whole units. */
uint64_t sparse_skip(struct sparse *s, uint64_t unit);
/* Empty again, and what it took is given back. */
void sparse_clear(struct sparse *s);

#endif
