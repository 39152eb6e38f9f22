/* SPDX-License-Identifier: MIT
 *
 * Indexed arrays: a plain vector while most indexes below the last are in use, else sorted
 * chunks of (index, value).
 *
 *   dense    elem elem hole elem ...                 by index
 *   sparse   chunk* chunk* ...                       each up to 128 entries, sorted
 *
 * Values of up to 15 bytes live in the element itself.
 */
#include "interp/var.h"

enum { SMALL_MAX = 15, CHUNK_MAX = 128, DENSE_SLACK = 64, HOLES_PER_VALUE = 8 };

#define HOLE SIZE_MAX

struct elem {
	size_t len; /* HOLE: unset; up to SMALL_MAX: in `small`; else in ptr */
	union {
		char small[SMALL_MAX + 1];
		struct {
			char *ptr;
			size_t cap;
		};
	};
};

struct item {
	int64_t index;
	struct elem elem;
};

struct chunk {
	size_t n;
	struct item item[CHUNK_MAX];
};

struct array {
	size_t count;
	bool sparse;
	struct elem *dense;
	size_t size; /* elements of dense that are initialised */
	size_t cap;
	struct chunk **chunks; /* none is empty */
	size_t nchunks;
	size_t chunks_cap;
};

/* --- elements --- */

static struct bytes elem_value(const struct elem *e)
{
	return (struct bytes){ e->len <= SMALL_MAX ? e->small : e->ptr, e->len };
}

static void elem_clear(struct pool *pool, struct elem *e)
{
	if (e->len != HOLE && e->len > SMALL_MAX)
		pool_free(pool, e->ptr, e->cap);
	e->len = HOLE;
}

/* value may be a part of what the element holds. */
static void elem_set(struct pool *pool, struct elem *e, struct bytes value)
{
	struct elem fresh = { .len = value.len };

	if (value.len <= SMALL_MAX) {
		memcpy(fresh.small, value.ptr, value.len);
		fresh.small[value.len] = '\0';
	} else {
		fresh.cap = value.len + 1;
		fresh.ptr = pool_dup(pool, value);
	}
	elem_clear(pool, e);
	*e = fresh;
}

/* `more` may be a part of what the element holds, too. */
static void elem_append(struct pool *pool, struct elem *e, struct bytes more)
{
	struct bytes old = elem_value(e);
	size_t len = old.len + more.len;
	char *to = e->small;

	if (old.len > SMALL_MAX && len < e->cap) {
		to = e->ptr;
	} else if (len > SMALL_MAX) {
		to = pool_alloc(pool, len * 2);
		memcpy(to, old.ptr, old.len);
	}
	memcpy(to + old.len, more.ptr, more.len);
	to[len] = '\0';
	if (len > SMALL_MAX && to != old.ptr) {
		if (old.len > SMALL_MAX)
			pool_free(pool, e->ptr, e->cap);
		e->ptr = to;
		e->cap = len * 2;
	}
	e->len = len;
}

/* --- life --- */

struct array *array_new(struct pool *pool)
{
	return pool_zalloc(pool, sizeof(struct array));
}

static void free_chunks(struct pool *pool, struct array *a)
{
	for (size_t i = 0; i < a->nchunks; i++)
		pool_free(pool, a->chunks[i], sizeof(struct chunk));
	pool_free(pool, a->chunks, a->chunks_cap * sizeof *a->chunks);
	a->chunks = NULL;
	a->nchunks = 0;
	a->chunks_cap = 0;
}

void array_free(struct pool *pool, struct array *a)
{
	for (size_t i = 0; i < a->size; i++)
		elem_clear(pool, &a->dense[i]);
	for (size_t i = 0; i < a->nchunks; i++) {
		for (size_t k = 0; k < a->chunks[i]->n; k++)
			elem_clear(pool, &a->chunks[i]->item[k].elem);
	}
	pool_free(pool, a->dense, a->cap * sizeof *a->dense);
	free_chunks(pool, a);
	pool_free(pool, a, sizeof *a);
}

struct array *array_copy(struct pool *pool, const struct array *a)
{
	struct array *copy = array_new(pool);
	int64_t index = -1;
	struct bytes value;

	while (array_next(a, index + 1, &index, &value)) {
		array_put(pool, copy, index, value);
		if (index == INT64_MAX)
			break;
	}
	return copy;
}

/* --- sparse --- */

/* Which chunk holds, or would hold, the index. There is at least one. */
static size_t chunk_of(const struct array *a, int64_t index)
{
	size_t low = 0;
	size_t high = a->nchunks;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (a->chunks[mid]->item[0].index <= index)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* The first item of the chunk whose index is at least that. */
static size_t item_of(const struct chunk *c, int64_t index)
{
	size_t low = 0;
	size_t high = c->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->item[mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void insert_chunk(struct pool *pool, struct array *a, size_t at, struct chunk *c)
{
	if (a->nchunks == a->chunks_cap) {
		size_t cap = a->chunks_cap == 0 ? 4 : a->chunks_cap * 2;

		a->chunks = pool_resize(pool, a->chunks, a->chunks_cap * sizeof c, cap * sizeof c);
		a->chunks_cap = cap;
	}
	memmove(a->chunks + at + 1, a->chunks + at, (a->nchunks - at) * sizeof c);
	a->chunks[at] = c;
	a->nchunks++;
}

/* A full chunk becomes two; one that grows at the end of the array is left full. */
static void split_chunk(struct pool *pool, struct array *a, size_t at, bool at_end)
{
	struct chunk *c = a->chunks[at];
	struct chunk *right = pool_alloc(pool, sizeof *right);
	size_t keep = at_end ? CHUNK_MAX - 1 : CHUNK_MAX / 2;

	right->n = c->n - keep;
	memcpy(right->item, c->item + keep, right->n * sizeof *c->item);
	c->n = keep;
	insert_chunk(pool, a, at + 1, right);
}

static struct elem *sparse_ensure(struct pool *pool, struct array *a, int64_t index)
{
	size_t at;
	size_t k;
	struct chunk *c;

	if (a->nchunks == 0) {
		c = pool_alloc(pool, sizeof *c);
		c->n = 0;
		insert_chunk(pool, a, 0, c);
	}
	at = chunk_of(a, index);
	c = a->chunks[at];
	k = item_of(c, index);
	if (k < c->n && c->item[k].index == index)
		return &c->item[k].elem;
	if (c->n == CHUNK_MAX) {
		split_chunk(pool, a, at, at + 1 == a->nchunks && k == c->n);
		return sparse_ensure(pool, a, index);
	}
	memmove(c->item + k + 1, c->item + k, (c->n - k) * sizeof *c->item);
	c->n++;
	c->item[k].index = index;
	c->item[k].elem.len = HOLE;
	a->count++;
	return &c->item[k].elem;
}

static void to_sparse(struct pool *pool, struct array *a)
{
	size_t size = a->size;
	struct elem *dense = a->dense;

	a->sparse = true;
	a->count = 0;
	for (size_t i = 0; i < size; i++) {
		if (dense[i].len != HOLE)
			*sparse_ensure(pool, a, (int64_t)i) = dense[i];
	}
	pool_free(pool, dense, a->cap * sizeof *dense);
	a->dense = NULL;
	a->size = 0;
	a->cap = 0;
}

/* --- dense --- */

/* Makes elements up to and including the index exist, as holes. */
static void dense_reach(struct pool *pool, struct array *a, size_t index)
{
	if (index >= a->cap) {
		size_t cap = a->cap * 2 > index + 4 ? a->cap * 2 : index + 4;

		a->dense = pool_resize(pool, a->dense, a->cap * sizeof *a->dense,
				       cap * sizeof *a->dense);
		a->cap = cap;
	}
	while (a->size <= index)
		a->dense[a->size++].len = HOLE;
}

static bool fits_dense(const struct array *a, int64_t index)
{
	size_t i = (size_t)index;

	return i < a->size + DENSE_SLACK || i / HOLES_PER_VALUE <= a->count;
}

/* When enough came between, a sparse array becomes a vector. */
static void try_dense(struct pool *pool, struct array *a)
{
	struct array old = *a;
	int64_t last = array_last(a);

	if ((a->count & (a->count - 1)) != 0 || (size_t)last / (HOLES_PER_VALUE / 2) > a->count)
		return;
	*a = (struct array){ .count = old.count };
	dense_reach(pool, a, (size_t)last);
	for (size_t i = 0; i < old.nchunks; i++) {
		for (size_t k = 0; k < old.chunks[i]->n; k++)
			a->dense[old.chunks[i]->item[k].index] = old.chunks[i]->item[k].elem;
	}
	free_chunks(pool, &old);
}

/* --- both --- */

static const struct elem *find(const struct array *a, int64_t index)
{
	if (!a->sparse)
		return index >= 0 && (size_t)index < a->size ? &a->dense[index] : NULL;
	if (a->nchunks == 0)
		return NULL;

	const struct chunk *c = a->chunks[chunk_of(a, index)];
	size_t k = item_of(c, index);

	return k < c->n && c->item[k].index == index ? &c->item[k].elem : NULL;
}

static struct elem *ensure(struct pool *pool, struct array *a, int64_t index)
{
	if (a->sparse && a->count >= DENSE_SLACK)
		try_dense(pool, a);
	if (!a->sparse && !fits_dense(a, index))
		to_sparse(pool, a);
	if (a->sparse)
		return sparse_ensure(pool, a, index);
	dense_reach(pool, a, (size_t)index);
	a->count += a->dense[index].len == HOLE;
	return &a->dense[index];
}

bool array_get(const struct array *a, int64_t index, struct bytes *out)
{
	const struct elem *e = find(a, index);

	if (e == NULL || e->len == HOLE)
		return false;
	*out = elem_value(e);
	return true;
}

/* Growing moves the elements, and a short value may live in one of them. */
static struct bytes safe_value(struct bytes value, char copy[SMALL_MAX])
{
	if (value.len > SMALL_MAX)
		return value;
	memcpy(copy, value.ptr, value.len);
	return (struct bytes){ copy, value.len };
}

void array_put(struct pool *pool, struct array *a, int64_t index, struct bytes value)
{
	char copy[SMALL_MAX];

	value = safe_value(value, copy);
	elem_set(pool, ensure(pool, a, index), value);
}

void array_append(struct pool *pool, struct array *a, int64_t index, struct bytes more)
{
	char copy[SMALL_MAX];
	struct elem *e;

	more = safe_value(more, copy);
	e = ensure(pool, a, index);
	if (e->len == HOLE)
		elem_set(pool, e, more);
	else
		elem_append(pool, e, more);
}

static void sparse_remove(struct pool *pool, struct array *a, int64_t index)
{
	size_t at = chunk_of(a, index);
	struct chunk *c = a->chunks[at];
	size_t k = item_of(c, index);

	c->n--;
	memmove(c->item + k, c->item + k + 1, (c->n - k) * sizeof *c->item);
	if (c->n != 0)
		return;
	pool_free(pool, c, sizeof *c);
	a->nchunks--;
	memmove(a->chunks + at, a->chunks + at + 1, (a->nchunks - at) * sizeof c);
}

bool array_remove(struct pool *pool, struct array *a, int64_t index)
{
	struct elem *e = (struct elem *)(uintptr_t)find(a, index);

	if (e == NULL || e->len == HOLE)
		return false;
	elem_clear(pool, e);
	a->count--;
	if (a->sparse)
		sparse_remove(pool, a, index);
	while (a->size > 0 && a->dense[a->size - 1].len == HOLE)
		a->size--;
	return true;
}

size_t array_count(const struct array *a)
{
	return a->count;
}

int64_t array_last(const struct array *a)
{
	const struct chunk *c;

	if (!a->sparse)
		return (int64_t)a->size - 1;
	if (a->nchunks == 0)
		return -1;
	c = a->chunks[a->nchunks - 1];
	return c->item[c->n - 1].index;
}

static bool sparse_next(const struct array *a, int64_t from, int64_t *index, struct bytes *out)
{
	size_t at;
	size_t k;

	if (a->nchunks == 0)
		return false;
	at = chunk_of(a, from);
	k = item_of(a->chunks[at], from);
	if (k == a->chunks[at]->n) {
		if (++at == a->nchunks)
			return false;
		k = 0;
	}
	*index = a->chunks[at]->item[k].index;
	*out = elem_value(&a->chunks[at]->item[k].elem);
	return true;
}

bool array_next(const struct array *a, int64_t from, int64_t *index, struct bytes *out)
{
	if (a->sparse)
		return sparse_next(a, from, index, out);
	for (size_t i = (size_t)from; i < a->size; i++) {
		if (a->dense[i].len != HOLE) {
			*index = (int64_t)i;
			*out = elem_value(&a->dense[i]);
			return true;
		}
	}
	return false;
}
