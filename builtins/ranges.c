/* SPDX-License-Identifier: MIT
 *
 * Lists of positions: each range is read and checked, then all are sorted and merged.
 */
#include "builtins/ranges.h"

static int too_large(struct cmd *c, unsigned flags, struct bytes digits)
{
	return cmd_usage(c, "%s %s is too large",
			 flags & RANGES_FIELDS ? "field number" : "byte/character offset",
			 cmd_quote_n(c, digits));
}

/* The number at *at. -1: none there; else 0, or a status. */
static int take_number(struct cmd *c, unsigned flags, const char **at, uint64_t *out)
{
	const char *start = *at;
	bool overflow = false;

	*out = 0;
	for (; byte_is_digit(**at); ++*at) {
		uint64_t digit = (uint64_t)(**at - '0');

		overflow |= *out > (UINT64_MAX - digit) / 10;
		*out = *out * 10 + digit;
	}
	if (overflow || (*out == UINT64_MAX))
		return too_large(c, flags, (struct bytes){ start, (size_t)(*at - start) });
	return *at == start ? -1 : 0;
}

static void add_range(struct cmd *c, struct ranges *out, struct range r)
{
	size_t size = out->n * sizeof(r);

	if ((out->n & (out->n - 1)) == 0)
		out->list = arena_grow(c->arena, out->list, size, (out->n * 2 + 1) * sizeof(r));
	out->list[out->n++] = r;
}

static int number_from_1(struct cmd *c, unsigned flags)
{
	return cmd_usage(c, flags & RANGES_FIELDS ? "fields are numbered from 1"
						  : "byte/character positions are numbered from 1");
}

static bool ends_range(char ch)
{
	return ch == '\0' || ch == ',' || byte_is_blank(ch);
}

/* One of N, N-, N-M, -M at *at; "-" if that is allowed. */
static int take_range(struct cmd *c, unsigned flags, const char **at, struct ranges *out)
{
	struct range r;
	int low = take_number(c, flags, at, &r.from);
	int high = 0;
	bool dash = **at == '-';

	if (low > 0)
		return low;
	r.to = r.from;
	if (dash) {
		++*at;
		high = take_number(c, flags, at, &r.to);
		if (high > 0)
			return high;
		if (**at == '-')
			return cmd_usage(c, flags & RANGES_FIELDS
						    ? "invalid field range"
						    : "invalid byte or character range");
		if (low < 0 && high < 0 && !(flags & RANGES_ALL) && ends_range(**at))
			return cmd_usage(c, "invalid range with no endpoint: -");
		if (low < 0)
			r.from = 1;
		if (high < 0)
			r.to = UINT64_MAX;
	}
	if (!ends_range(**at))
		return cmd_usage(c,
				 flags & RANGES_FIELDS ? "invalid field value %s"
						       : "invalid byte/character position %s",
				 cmd_quote(c, *at));
	if (r.from == 0 || (!dash && low < 0))
		return number_from_1(c, flags);
	if (r.to < r.from)
		return cmd_usage(c, "invalid decreasing range");
	add_range(c, out, r);
	return 0;
}

/* Insertion sort: lists are short, and mostly in order already. */
static void sort_ranges(struct cmd *c, struct ranges *out)
{
	for (size_t i = 1; i < out->n; i++) {
		struct range r = out->list[i];
		size_t k = i;

		for (; k > 0 && out->list[k - 1].from > r.from; k--)
			out->list[k] = out->list[k - 1];
		out->list[k] = r;
		cmd_charge(c, i - k + 1);
	}
}

static void merge_ranges(struct ranges *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct range r = out->list[i];

		if (n > 0 && r.from <= out->list[n - 1].to) {
			if (r.to > out->list[n - 1].to)
				out->list[n - 1].to = r.to;
		} else {
			out->list[n++] = r;
		}
	}
	out->n = n;
}

static void complement_ranges(struct cmd *c, struct ranges *out)
{
	struct ranges old = *out;
	uint64_t from = 1;

	*out = (struct ranges){ 0 };
	for (size_t i = 0; i < old.n; i++) {
		if (old.list[i].from > from)
			add_range(c, out, (struct range){ from, old.list[i].from - 1 });
		from = old.list[i].to == UINT64_MAX ? 0 : old.list[i].to + 1;
	}
	if (from != 0)
		add_range(c, out, (struct range){ from, UINT64_MAX });
}

int ranges_parse(struct cmd *c, const char *list, unsigned flags, struct ranges *out)
{
	*out = (struct ranges){ 0 };
	for (;;) {
		int status = take_range(c, flags, &list, out);

		if (status != 0)
			return status;
		if (*list == '\0')
			break;
		list++;
	}
	sort_ranges(c, out);
	merge_ranges(out);
	if (flags & RANGES_COMPLEMENT)
		complement_ranges(c, out);
	return 0;
}
