/* SPDX-License-Identifier: MIT
 *
 * Sets of characters: sorted ranges, with a bitmap for the first 256.
 */
#include "base/regex/private.h"

struct rx_set *rx_set_new(struct arena *a)
{
	return arena_zalloc(a, sizeof(struct rx_set));
}

void rx_set_add(struct arena *a, struct rx_set *s, uint32_t lo, uint32_t hi)
{
	if (lo > hi)
		return;
	if (s->n == s->cap) {
		uint32_t cap = s->cap != 0 ? s->cap * 2 : 4;

		s->range = arena_grow(a, s->range, s->cap * sizeof(s->range[0]),
				      cap * sizeof(s->range[0]));
		s->cap = cap;
	}
	s->range[s->n++] = (struct rx_range){ lo, hi };
}

void rx_set_add_set(struct arena *a, struct rx_set *s, const struct rx_set *other)
{
	for (uint32_t i = 0; i < other->n; i++)
		rx_set_add(a, s, other->range[i].lo, other->range[i].hi);
}

void rx_set_add_class(struct arena *a, struct rx_set *s, enum utf8_class class, bool utf8)
{
	uint32_t top = utf8 ? RX_UNICODE_TOP : 0x80;
	uint32_t from = 0;

	while (from < top) {
		uint32_t classes, general;
		uint32_t end = utf8_next_run(from, &classes, &general);

		if (end > top)
			end = top;
		if ((classes >> class & 1) != 0)
			rx_set_add(a, s, from, end - 1);
		from = end;
	}
}

void rx_set_add_general(struct arena *a, struct rx_set *s, uint32_t mask)
{
	for (uint32_t from = 0; from < RX_UNICODE_TOP;) {
		uint32_t classes, general;
		uint32_t end = utf8_next_run(from, &classes, &general);

		if ((mask & general) != 0)
			rx_set_add(a, s, from, end - 1);
		from = end;
	}
}

void rx_set_add_word(struct arena *a, struct rx_set *s, bool utf8)
{
	rx_set_add_class(a, s, UTF8_ALNUM, utf8);
	rx_set_add(a, s, '_', '_');
}

/* Sorts by heap: no recursion, no worst case. */
static void sift(struct rx_range *r, uint32_t root, uint32_t n)
{
	struct rx_range moved = r[root];

	for (;;) {
		uint32_t kid = 2 * root + 1;

		if (kid >= n)
			break;
		if (kid + 1 < n && r[kid + 1].lo > r[kid].lo)
			kid++;
		if (r[kid].lo <= moved.lo)
			break;
		r[root] = r[kid];
		root = kid;
	}
	r[root] = moved;
}

static void sort_ranges(struct rx_range *r, uint32_t n)
{
	bool sorted = true;

	for (uint32_t i = 1; i < n && sorted; i++)
		sorted = r[i - 1].lo <= r[i].lo;
	if (sorted)
		return;
	for (uint32_t i = n / 2; i-- > 0;)
		sift(r, i, n);
	for (uint32_t i = n; i-- > 1;) {
		struct rx_range top = r[0];

		r[0] = r[i];
		r[i] = top;
		sift(r, 0, i);
	}
}

void rx_set_finish(struct rx_set *s)
{
	uint32_t kept = 0;

	sort_ranges(s->range, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		struct rx_range r = s->range[i];

		if (kept != 0 && r.lo <= s->range[kept - 1].hi + 1) {
			if (r.hi > s->range[kept - 1].hi)
				s->range[kept - 1].hi = r.hi;
		} else {
			s->range[kept++] = r;
		}
	}
	s->n = kept;
	memset(s->low, 0, sizeof(s->low));
	for (uint32_t i = 0; i < kept && s->range[i].lo < 256; i++)
		for (uint32_t c = s->range[i].lo; c <= s->range[i].hi && c < 256; c++)
			s->low[c >> 6] |= (uint64_t)1 << (c & 63);
}

bool rx_set_find(const struct rx_set *s, uint32_t c)
{
	uint32_t low = 0;
	uint32_t high = s->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->range[mid].hi < c)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && s->range[low].lo <= c;
}

/* Case of letters as GNU's matcher has it: equal when their upper cases are. */
static void fold_unicode(struct arena *a, struct rx_set *s)
{
	rx_set_finish(s);
	for (uint32_t c = utf8_next_cased(0); c != 0; c = utf8_next_cased(c))
		if (rx_set_has(s, c))
			rx_set_add(a, s, utf8_to_upper(c), utf8_to_upper(c));
	rx_set_finish(s);
	for (uint32_t c = utf8_next_cased(0); c != 0; c = utf8_next_cased(c))
		if (rx_set_has(s, utf8_to_upper(c)))
			rx_set_add(a, s, c, c);
	rx_set_finish(s);
}

void rx_set_fold(struct arena *a, struct rx_set *s, bool utf8)
{
	if (utf8) {
		fold_unicode(a, s);
		return;
	}
	rx_set_finish(s);
	for (uint32_t c = 'a'; c <= 'z'; c++) {
		if (rx_set_has(s, c))
			rx_set_add(a, s, c - 32, c - 32);
		else if (rx_set_has(s, c - 32))
			rx_set_add(a, s, c, c);
	}
	rx_set_finish(s);
}

void rx_set_negate(struct arena *a, struct rx_set *s, bool utf8)
{
	struct rx_set other = { 0 };
	uint32_t top = utf8 ? RX_UNICODE_TOP : 256;
	uint32_t from = 0;

	if (utf8)
		rx_set_add(a, s, 0xd800, 0xdfff);
	rx_set_finish(s);
	for (uint32_t i = 0; i < s->n && s->range[i].lo < top; i++) {
		if (s->range[i].lo > from)
			rx_set_add(a, &other, from, s->range[i].lo - 1);
		from = s->range[i].hi + 1;
	}
	if (from < top)
		rx_set_add(a, &other, from, top - 1);
	rx_set_finish(&other);
	*s = other;
}
