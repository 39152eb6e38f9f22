/* SPDX-License-Identifier: MIT
 *
 * sort: putting lines in order.
 *
 * Two ways. Lines compared as plain bytes are sorted by 8 bytes at a time: by the prefix, then
 * runs of equal prefixes by the next 8 bytes, down to a fixed depth where whole comparisons
 * take over. Everything else is a stable merge sort with the cached prefix first.
 */
#include "builtins/sort/sort.h"

enum { SMALL = 12, DEPTH_MAX = 8 };

/* --- stable merge sort --- */

struct merge {
	struct cmd *c;
	const struct sort_opts *o;
	struct sort_line *tmp;
	bool by_prefix; /* only the prefix counts */
	bool reverse;   /* of the prefix */
};

static inline bool in_order(const struct merge *m, const struct sort_line *a,
			    const struct sort_line *b)
{
	if (m->by_prefix)
		return a->prefix <= b->prefix;
	if (a->prefix != b->prefix)
		return (a->prefix < b->prefix) != m->reverse;
	return sort_compare(m->o, a, b) <= 0;
}

static void insertion_sort(const struct merge *m, struct sort_line *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_line line = a[i];
		size_t k = i;

		for (; k > 0 && !in_order(m, &a[k - 1], &line); k--)
			a[k] = a[k - 1];
		a[k] = line;
	}
}

/* a[0..half) and a[half..n) are sorted; the first part is moved to tmp and merged back. */
static void merge_halves(const struct merge *m, struct sort_line *a, size_t half, size_t n)
{
	struct sort_line *left = m->tmp;
	size_t i = 0;
	size_t j = half;
	size_t k = 0;

	if (in_order(m, &a[half - 1], &a[half]))
		return;
	memcpy(left, a, half * sizeof(*a));
	while (i < half && j < n) {
		if (in_order(m, &left[i], &a[j]))
			a[k++] = left[i++];
		else
			a[k++] = a[j++];
	}
	memcpy(a + k, left + i, (half - i) * sizeof(*a));
}

/* Depth is the logarithm of n. */
static void merge_sort(const struct merge *m, struct sort_line *a, size_t n)
{
	if (n <= SMALL) {
		insertion_sort(m, a, n);
		cmd_charge(m->c, n);
		return;
	}
	size_t half = n / 2;

	merge_sort(m, a, half);
	merge_sort(m, a + half, n - half);
	merge_halves(m, a, half, n);
	cmd_charge(m->c, n);
}

/* --- plain bytes --- */

static uint64_t prefix_at(const struct sort_line *l, size_t depth)
{
	uint64_t value = 0;
	size_t from = depth * 8;
	size_t left = l->key_len > from ? l->key_len - from : 0;
	const char *at = l->ptr + l->key_from + from;

	if (left >= 8) {
		memcpy(&value, at, 8);
		return __builtin_bswap64(value);
	}
	for (size_t i = 0; i < left; i++)
		value |= (uint64_t)(unsigned char)at[i] << (56 - 8 * i);
	return value;
}

/* Keys that agree but for NULs at their ends: the shorter one comes first. */
static void sort_by_length(struct merge *m, struct sort_line *a, size_t n)
{
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		a[i].prefix = a[i].key_len;
		differ = differ || a[i].key_len != a[0].key_len;
	}
	m->by_prefix = true;
	if (differ)
		merge_sort(m, a, n);
}

/* Sorts a run whose keys agree in the first depth * 8 bytes. Depth is bounded by DEPTH_MAX. */
static void sort_by_prefix(struct merge *m, struct sort_line *a, size_t n, size_t depth)
{
	if (depth > 0)
		for (size_t i = 0; i < n; i++)
			a[i].prefix = prefix_at(&a[i], depth);
	m->by_prefix = depth < DEPTH_MAX;
	merge_sort(m, a, n);
	if (depth >= DEPTH_MAX)
		return;
	for (size_t i = 0; i < n;) {
		size_t to = i + 1;
		bool longer = a[i].key_len > depth * 8;

		for (; to < n && a[to].prefix == a[i].prefix; to++)
			longer |= a[to].key_len > depth * 8;
		if (to - i > 1 && longer)
			sort_by_prefix(m, a + i, to - i, depth + 1);
		else if (to - i > 1)
			sort_by_length(m, a + i, to - i);
		i = to;
	}
}

static void reverse_lines(struct sort_line *a, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct sort_line t = a[i];

		a[i] = a[n - 1 - i];
		a[n - 1 - i] = t;
	}
}

void sort_lines(struct cmd *c, const struct sort_opts *o, struct sort_line *lines, size_t n)
{
	struct merge m = { .c = c, .o = o, .reverse = o->keys->order.reverse };

	if (n < 2)
		return;
	m.tmp = arena_array(c->arena, n / 2 + 1, sizeof(*m.tmp));
	/* Equal whole lines can't be told apart, so order among them does not matter. */
	if (o->keys->whole && o->keys->plain && o->keys->next == NULL) {
		sort_by_prefix(&m, lines, n, 0);
		if (m.reverse)
			reverse_lines(lines, n);
		return;
	}
	merge_sort(&m, lines, n);
}
