/* SPDX-License-Identifier: MIT
 *
 * Matching shell patterns: simple ones directly, and prefixes, suffixes and places.
 */
#include "base/glob_private.h"

bool glob_is_first(const struct glob *g, struct bytes text, size_t at)
{
	if ((g->flags & GLOB_PERIOD) == 0)
		return false;
	return at == 0 || ((g->flags & GLOB_PATHNAME) != 0 && text.ptr[at - 1] == '/');
}

bool glob_at_dot(const struct glob *g, struct bytes text, size_t at)
{
	return at < text.len && text.ptr[at] == '.' && glob_is_first(g, text, at);
}

bool glob_takes(const struct glob *g, const struct glob_item *i, uint32_t c, bool first)
{
	if (i->op == GLOB_CHAR)
		return c == i->c || ((g->flags & GLOB_ICASE) != 0 && utf8_to_lower(c) == i->c);
	if ((first && c == '.') || (c == '/' && (g->flags & GLOB_PATHNAME) != 0))
		return false;
	if (i->op == GLOB_SET)
		return rx_set_has(i->set, c);
	return true;
}

/* One item at one place: the length it takes, or 0. */
static size_t take_one(const struct glob *g, const struct glob_item *i, struct bytes text,
		       size_t at)
{
	uint32_t c;
	size_t n = glob_char(g, text, at, &c);
	bool first = i->op != GLOB_CHAR && c == '.' && glob_is_first(g, text, at);

	return glob_takes(g, i, c, first) ? n : 0;
}

/* Whether a star may take the character at `at`. */
static size_t star_step(const struct glob *g, struct bytes text, size_t at)
{
	static const struct glob_item any = { .op = GLOB_ANY };

	return take_one(g, &any, text, at);
}

bool glob_simple(struct glob *g, struct bytes text)
{
	const struct glob_seq *s = g->all;
	uint32_t i = 0;
	size_t at = 0;
	uint32_t back_item = UINT32_MAX;
	size_t back_at = 0;
	uint64_t steps = 0;

	/* A later star makes an earlier one's other ways pointless: only the last one is kept.
	 * With '/' apart that still holds, as no star crosses it. */
	for (;; steps++) {
		size_t n = 0;

		if (i < s->n && s->item[i].op == GLOB_STAR && !glob_at_dot(g, text, at)) {
			back_item = ++i;
			back_at = at;
			continue;
		}
		if (i == s->n && at == text.len)
			break;
		if (i < s->n && at < text.len && s->item[i].op != GLOB_STAR)
			n = take_one(g, &s->item[i], text, at);
		if (n != 0) {
			i++;
			at += n;
			continue;
		}
		n = back_item != UINT32_MAX && back_at < text.len ? star_step(g, text, back_at) : 0;
		if (n == 0) {
			glob_charge(g, steps);
			return false;
		}
		at = back_at += n;
		i = back_item;
	}
	glob_charge(g, steps);
	return true;
}

/* The calls take a const pattern, whose only change is its count of work. */
static struct glob *counting(const struct glob *g)
{
	union {
		const struct glob *in;
		struct glob *out;
	} u = { .in = g };

	return u.out;
}

bool glob_match(const struct glob *g, struct arena *scratch, struct bytes text)
{
	if (glob_is_literal(g))
		return bytes_eq(text, g->text);
	if (g->open && bytes_eq(text, g->source))
		return true;
	if (g->star_text)
		return bytes_ends(text, g->text);
	if (g->text_star)
		return bytes_starts(text, g->text);
	if (g->simple)
		return glob_simple(counting(g), text);
	return glob_reach(counting(g), scratch, text, 0, false, GLOB_EDGE) == text.len;
}

/* The prefix for a pattern of * and a literal. */
static size_t star_prefix(const struct glob *g, struct bytes text, bool longest)
{
	const char *hit;

	if (longest && g->text.len == 0)
		return text.len;
	hit = longest ? bytes_rfind(text, g->text) : bytes_find(text, g->text);
	return hit != NULL ? (size_t)(hit - text.ptr) + g->text.len : SIZE_MAX;
}

size_t glob_prefix(const struct glob *g, struct arena *scratch, struct bytes text, bool longest)
{
	if (glob_is_literal(g))
		return bytes_starts(text, g->text) ? g->text.len : SIZE_MAX;
	if (g->star_text)
		return star_prefix(g, text, longest);
	if (g->text_star) {
		if (!bytes_starts(text, g->text))
			return SIZE_MAX;
		return longest ? text.len : g->text.len;
	}
	return glob_reach(counting(g), scratch, text, 0, false,
			  longest ? GLOB_FARTHEST : GLOB_NEAREST);
}

/* Whether a literal may be looked for at any byte: not inside a character. */
static bool is_boundary(const struct glob *g, struct bytes text, size_t at)
{
	return (g->flags & GLOB_UTF8) == 0 || at == text.len ||
	       ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
}

size_t glob_suffix(const struct glob *g, struct arena *scratch, struct bytes text, bool longest)
{
	const char *hit;
	size_t at;

	if (glob_is_literal(g))
		return bytes_ends(text, g->text) ? g->text.len : SIZE_MAX;
	if (g->star_text && !longest)
		return bytes_ends(text, g->text) ? g->text.len : SIZE_MAX;
	if (g->star_text)
		return bytes_ends(text, g->text) ? text.len : SIZE_MAX;
	if (g->text_star && (g->text.len == 0 || is_boundary(g, g->text, 0))) {
		if (g->text.len == 0)
			return longest ? text.len : 0;
		hit = longest ? bytes_find(text, g->text) : bytes_rfind(text, g->text);
		return hit != NULL ? text.len - (size_t)(hit - text.ptr) : SIZE_MAX;
	}
	at = glob_reach(counting(g), scratch, text, text.len, true,
			longest ? GLOB_FARTHEST : GLOB_NEAREST);
	return at != SIZE_MAX ? text.len - at : SIZE_MAX;
}

/* A pattern of single characters at one place: its length there, or SIZE_MAX. */
static size_t fixed_at(const struct glob *g, struct bytes text, size_t at)
{
	size_t from = at;

	for (uint32_t i = 0; i < g->all->n; i++) {
		size_t n = at < text.len ? take_one(g, &g->all->item[i], text, at) : 0;

		if (n == 0)
			return SIZE_MAX;
		at += n;
	}
	return at - from;
}

static bool find_fixed(struct glob *g, struct bytes text, size_t from, size_t *start, size_t *end)
{
	uint32_t c;

	for (size_t at = from; at <= text.len;) {
		size_t n = fixed_at(g, text, at);

		if (n != SIZE_MAX) {
			glob_charge(g, at - from);
			*start = at;
			*end = at + n;
			return true;
		}
		if (at == text.len)
			break;
		at += glob_char(g, text, at, &c);
	}
	glob_charge(g, text.len - from);
	return false;
}

static bool find_literal(struct glob *g, struct bytes text, size_t from, size_t *start, size_t *end)
{
	while (from <= text.len) {
		const char *hit = bytes_find(bytes_slice(text, from, text.len), g->text);

		if (hit == NULL)
			break;
		glob_charge(g, ((size_t)(hit - text.ptr) - from) / 64 + 1);
		*start = (size_t)(hit - text.ptr);
		*end = *start + g->text.len;
		if (is_boundary(g, text, *start) || is_boundary(g, g->text, 0))
			return true;
		from = *start + 1;
	}
	return false;
}

bool glob_find(const struct glob *g, struct arena *scratch, struct bytes text, size_t from,
	       size_t *start, size_t *end)
{
	if (from > text.len)
		return false;
	if (glob_is_literal(g) && g->text.len != 0)
		return find_literal(counting(g), text, from, start, end);
	if (!g->star)
		return find_fixed(counting(g), text, from, start, end);
	*start = glob_first_start(counting(g), scratch, text, from);
	if (*start == SIZE_MAX)
		return false;
	*end = glob_reach(counting(g), scratch, text, *start, false, GLOB_FARTHEST);
	return *end != SIZE_MAX;
}
