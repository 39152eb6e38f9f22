/* SPDX-License-Identifier: MIT
 *
 * Sparse members: image_sparse.h.
 */
#include "api/image_sparse.h"

#include "base/err.h"

#include <string.h>

enum { PARTS_FIRST = 64, PARTS_MAX = 1 << 20 };

static int grow(struct sparse *s)
{
	size_t cap = s->cap != 0 ? 2 * s->cap : PARTS_FIRST;
	struct sparse_part *part;

	if (s->cap >= PARTS_MAX)
		return -E_FBIG;
	part = store_alloc(s->store, cap * sizeof *part);
	if (part == NULL)
		return -E_NOMEM;
	if (s->count != 0)
		memcpy(part, s->part, s->count * sizeof *part);
	store_free(s->store, s->part, s->cap * sizeof *part);
	s->part = part;
	s->cap = cap;
	return 0;
}

static uint64_t end_of(const struct sparse *s)
{
	return s->count != 0 ? s->part[s->count - 1].begin + s->part[s->count - 1].len : 0;
}

int sparse_add(struct sparse *s, uint64_t begin, uint64_t len)
{
	int err;

	if (begin < end_of(s) || len > INT64_MAX - s->stored || begin > INT64_MAX - len)
		return -E_INVAL;
	if (len == 0)
		return 0;
	err = s->count == s->cap ? grow(s) : 0;
	if (err != 0)
		return err;
	s->part[s->count++] = (struct sparse_part){ begin, len };
	s->stored += len;
	return 0;
}

bool sparse_fits(const struct sparse *s, uint64_t stored)
{
	return end_of(s) <= s->size && s->stored == stored;
}

/* How many bytes from pos on are a hole. */
static uint64_t hole(struct sparse *s)
{
	while (s->at < s->count && s->pos >= s->part[s->at].begin + s->part[s->at].len)
		s->at++;
	if (s->at == s->count)
		return s->size - s->pos;
	return s->pos < s->part[s->at].begin ? s->part[s->at].begin - s->pos : 0;
}

int64_t sparse_read(struct sparse *s, int64_t (*data)(void *, void *, size_t), void *user,
		    void *into, size_t n)
{
	uint64_t zeros = hole(s);
	uint64_t left = s->size - s->pos;
	int64_t got;

	if (n > left)
		n = (size_t)left;
	if (zeros != 0) {
		got = (int64_t)(zeros < n ? zeros : n);
		memset(into, 0, (size_t)got);
	} else if (n == 0) {
		return 0;
	} else {
		left = s->part[s->at].begin + s->part[s->at].len - s->pos;
		got = data(user, into, n < left ? n : (size_t)left);
	}
	if (got > 0)
		s->pos += (uint64_t)got;
	return got;
}

uint64_t sparse_skip(struct sparse *s, uint64_t unit)
{
	uint64_t n = hole(s) / unit * unit;

	s->pos += n;
	return n;
}

void sparse_clear(struct sparse *s)
{
	store_free(s->store, s->part, s->cap * sizeof *s->part);
	*s = (struct sparse){ .store = s->store };
}
