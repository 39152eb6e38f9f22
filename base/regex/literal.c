/* SPDX-License-Identifier: MIT
 *
 * Strings of which one occurs in every match: found in the tree, and looked for in the text.
 *
 * Small nodes are described by the list of all strings they match. Lists of neighbours are
 * multiplied; where that stops, the list so far is a candidate, and the best one is kept.
 */
#include "base/regex/private.h"
#include "base/simd.h"

enum {
	STRINGS_MAX = SIMD_PAIRS_MAX,
	SET_MAX = 4,
	DEPTH_MAX = 20, /* deeper nodes are not looked into: lists take stack */
	CUT_MIN = 2,    /* bytes of a string that stands for many */
};

/* A list of strings; n == 0: not known. */
struct list {
	struct bytes str[STRINGS_MAX + 1]; /* one more for a moment */
	uint32_t n;
	bool exact;  /* the node matches these strings and no others */
	bool prefix; /* every match begins with one of them */
};

struct finder {
	struct arena *arena; /* scratch */
	unsigned flags;
	bool fold;  /* a letter in both cases was seen */
	bool plain; /* one in a single case was seen */
};

static const struct list nothing;

static size_t shortest(const struct list *l)
{
	size_t least = SIZE_MAX;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->str[i].len < least)
			least = l->str[i].len;
	return l->n != 0 ? least : 0;
}

/* Whether it matches the empty string and nothing else. */
static bool is_empty(const struct list *l)
{
	return l->n == 1 && l->str[0].len == 0;
}

/* Long strings are rare; many are slow to look for. */
static size_t score(const struct list *l)
{
	size_t len = shortest(l);

	if (len == 0)
		return 0;
	if (len > 8)
		len = 8;
	return len * 4 + (STRINGS_MAX - l->n) + (l->prefix ? 3u : 0u);
}

static void keep_best(struct list *best, const struct list *l)
{
	if (score(l) > score(best)) {
		*best = *l;
		best->exact = false;
	}
}

static struct bytes join(struct finder *f, struct bytes a, struct bytes b)
{
	char *text = arena_alloc(f->arena, a.len + b.len + 1);

	memcpy(text, a.ptr, a.len);
	memcpy(text + a.len, b.ptr, b.len);
	return (struct bytes){ text, a.len + b.len };
}

/* Multiplies; false if there would be too many or too long ones. */
static bool multiply(struct finder *f, struct list *l, const struct list *by)
{
	struct list out = { .exact = true, .prefix = l->prefix };

	if (by->n == 0 || l->n * by->n > STRINGS_MAX)
		return false;
	for (uint32_t i = 0; i < l->n; i++) {
		for (uint32_t k = 0; k < by->n; k++) {
			if (l->str[i].len + by->str[k].len > RX_LITERAL_BYTES)
				return false;
			out.str[out.n++] = join(f, l->str[i], by->str[k]);
		}
	}
	*l = out;
	return true;
}

static struct list one_string(struct finder *f, const char *text, size_t n)
{
	struct list l = { .n = 1, .exact = true, .prefix = true };

	l.str[0] = arena_bytes(f->arena, (struct bytes){ text, n });
	return l;
}

static struct list of_char(struct finder *f, uint32_t c)
{
	bool utf8 = (f->flags & REGEX_UTF8) != 0;
	char b[4] = { (char)c };

	if (c < 0x80 && byte_is_alpha((int)c))
		f->plain = true;
	if (utf8 && c >= RX_RAW)
		return nothing;
	return one_string(f, b, utf8 ? utf8_encode(c, b) : 1);
}

static struct list of_set(struct finder *f, const struct rx_node *n)
{
	struct list l = { .exact = true, .prefix = true };

	if (n->fold != 0) {
		char c = (char)n->fold;

		f->fold = true;
		return one_string(f, &c, 1);
	}
	for (uint32_t i = 0; i < n->set->n; i++) {
		for (uint32_t c = n->set->range[i].lo; c <= n->set->range[i].hi; c++) {
			struct list one;

			if (l.n == SET_MAX)
				return nothing;
			one = of_char(f, c);
			if (one.n == 0)
				return nothing;
			l.str[l.n++] = one.str[0];
		}
	}
	return l;
}

static struct list describe(struct finder *f, const struct rx_node *n);

/* Conditions: they may stand within a string, but it is no longer all that is asked. */
static bool takes_nothing(const struct rx_node *n)
{
	return n->op == RX_ASSERT || n->op == RX_LOOK || n->op == RX_KEEP || n->op == RX_VERB;
}

static struct list of_cat(struct finder *f, const struct rx_node *n)
{
	struct list best = nothing;
	struct list run = one_string(f, "", 0);
	bool whole = true;
	bool bare = true;

	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next) {
		struct list l;

		if (takes_nothing(kid)) {
			bare = false;
			continue;
		}
		l = describe(f, kid);
		if (l.exact && multiply(f, &run, &l))
			continue;
		keep_best(&best, &run);
		l.prefix = l.prefix && whole && run.prefix && is_empty(&run);
		whole = false;
		if (l.exact) {
			run = l;
			continue;
		}
		keep_best(&best, &l);
		run = one_string(f, "", 0);
		run.prefix = false;
	}
	if (!whole) {
		keep_best(&best, &run);
		return best;
	}
	run.exact = bare;
	return run;
}

/* Cuts what is longer than `len` off, and leaves out what is there already. */
static void shorten(struct list *l, size_t len)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t same = 0;

		if (l->str[i].len > len) {
			l->str[i].len = len;
			l->exact = false;
		}
		while (same < n && !bytes_eq(l->str[same], l->str[i]))
			same++;
		if (same == n)
			l->str[n++] = l->str[i];
	}
	l->n = n;
}

/* More strings than there is room for are described by how they begin, up to *len bytes. */
static void add_alternative(struct list *all, struct bytes s, size_t *len)
{
	all->str[all->n++] = s;
	shorten(all, *len);
	while (all->n > STRINGS_MAX)
		shorten(all, --*len);
}

static struct list of_alt(struct finder *f, const struct rx_node *n)
{
	struct list all = { .exact = true, .prefix = true };
	size_t len = RX_LITERAL_BYTES;

	for (const struct rx_node *kid = n->kid; kid != NULL && len >= CUT_MIN; kid = kid->next) {
		struct list l = describe(f, kid);

		if (l.n == 0)
			return nothing;
		all.exact = all.exact && l.exact;
		all.prefix = all.prefix && l.prefix;
		for (uint32_t i = 0; i < l.n; i++)
			add_alternative(&all, l.str[i], &len);
	}
	return len >= CUT_MIN ? all : nothing;
}

static struct list of_repeat(struct finder *f, const struct rx_node *n)
{
	struct list l, power;

	if (n->min == 0)
		return nothing;
	l = describe(f, n->kid);
	power = l;
	for (uint32_t i = 1; i < n->min && power.exact; i++)
		if (!multiply(f, &power, &l))
			break;
		else if (i + 1 == n->min && n->max == n->min)
			return power;
	if (n->min != 1 || n->max != 1)
		l.exact = false;
	return l;
}

static struct list describe(struct finder *f, const struct rx_node *n)
{
	if (n->depth > DEPTH_MAX)
		return nothing;
	switch (n->op) {
	case RX_EMPTY: return one_string(f, "", 0);
	case RX_CHAR: return of_char(f, n->n);
	case RX_SET: return of_set(f, n);
	case RX_CAT: return of_cat(f, n);
	case RX_ALT: return of_alt(f, n);
	case RX_REPEAT: return of_repeat(f, n);
	case RX_GROUP:
	case RX_ATOMIC: return describe(f, n->kid);
	default: return nothing;
	}
}

/* How common a byte is in text: only the order matters. */
static unsigned commonness(unsigned char c)
{
	static const char common[] = "zqxjkvbywgpfmucdlhrsnioate";
	const char *at;

	if (c == ' ' || c == '\n')
		return 60;
	if (byte_is_lower(c)) {
		at = memchr(common, c, sizeof(common) - 1);
		return 20 + (unsigned)(at - common);
	}
	if (c == 0 || c >= 0x80)
		return 12;
	if (byte_is_digit(c) || c == '.' || c == ',' || c == '/' || c == '-' || c == '_')
		return 22;
	return byte_is_upper(c) ? 15 : 10;
}

static unsigned commonness_at(struct bytes s, uint32_t at)
{
	return commonness((unsigned char)s.ptr[at]);
}

/* The rarest byte of a string that is more than `apart` from `other`; s.len if there is none. */
static uint32_t rarest(struct bytes s, uint32_t other, uint32_t apart)
{
	uint32_t best = (uint32_t)s.len;

	for (uint32_t i = 0; i < s.len; i++) {
		uint32_t distance = i > other ? i - other : other - i;

		if (other != UINT32_MAX && distance <= apart)
			continue;
		if (best == s.len || commonness_at(s, i) < commonness_at(s, best))
			best = i;
	}
	return best;
}

/* Two rare bytes of a string, from different words if that costs little. */
static struct simd_pair pair_of(struct bytes s, bool fold)
{
	enum { APART = 3, MUCH_RARER = 8 };
	struct simd_pair p = { .at = { 0, 0 } };
	uint32_t best = rarest(s, UINT32_MAX, 0);
	uint32_t second = rarest(s, best, 0);
	uint32_t far = rarest(s, best, APART);

	if (far != s.len && commonness_at(s, far) <= commonness_at(s, second) + MUCH_RARER)
		second = far;
	p.at[0] = best;
	p.at[1] = second != s.len ? second : best;
	for (int k = 0; k < 2; k++) {
		p.byte[k] = (uint8_t)s.ptr[p.at[k]];
		p.mask[k] = fold && byte_is_lower(p.byte[k]) ? 0x20 : 0;
	}
	return p;
}

struct simd_finder {
	struct simd_pair pair[STRINGS_MAX];
	size_t shortest;
	size_t reach; /* the largest distance of a pair's byte */
};

/* The strings as a table if each is one byte. */
static uint8_t *byte_table(struct arena *a, const struct rx_literals *l)
{
	uint8_t *byte;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->str[i].len != 1)
			return NULL;
	byte = arena_zalloc(a, 256);
	for (uint32_t i = 0; i < l->n; i++) {
		unsigned char c = (unsigned char)l->str[i].ptr[0];

		byte[c] = 1;
		if (l->fold)
			byte[byte_to_upper(c)] = 1;
	}
	return byte;
}

static struct rx_literals *finish(struct arena *a, const struct finder *f, const struct list *l)
{
	struct rx_literals *out = arena_zalloc(a, sizeof(*out));

	out->str = arena_array(a, l->n, sizeof(out->str[0]));
	out->n = l->n;
	out->fold = f->fold;
	out->exact = l->exact && !(f->fold && f->plain);
	out->prefix = l->prefix;
	out->finder = arena_zalloc(a, sizeof(*out->finder));
	out->finder->shortest = shortest(l);
	for (uint32_t i = 0; i < l->n; i++) {
		char *text = arena_dup(a, l->str[i]);
		struct simd_pair *p = &out->finder->pair[i];

		for (size_t k = 0; k < l->str[i].len && f->fold; k++)
			text[k] = (char)byte_to_lower((unsigned char)text[k]);
		out->str[i] = (struct bytes){ text, l->str[i].len };
		*p = pair_of(out->str[i], f->fold);
		for (int k = 0; k < 2; k++)
			if (p->at[k] > out->finder->reach)
				out->finder->reach = p->at[k];
	}
	out->byte = byte_table(a, out);
	return out;
}

struct rx_literals *rx_literals(struct arena *a, const struct rx_node *tree, unsigned flags)
{
	struct rx_scratch scratch;
	struct finder f = { .arena = rx_scratch(&scratch, a), .flags = flags };
	struct list l = describe(&f, tree);
	struct rx_literals *out = NULL;
	bool usable = l.n != 0 && shortest(&l) != 0;

	for (uint32_t i = 0; i < l.n && usable; i++)
		if (memchr(l.str[i].ptr, rx_eol(flags), l.str[i].len) != NULL)
			usable = false;
	if (usable)
		out = finish(a, &f, &l);
	rx_scratch_end(&scratch);
	return out;
}

static bool is_at(const struct rx_literals *l, const struct bytes *s, const char *p, size_t left)
{
	if (left < s->len)
		return false;
	if (!l->fold)
		return memcmp(p, s->ptr, s->len) == 0;
	for (size_t i = 0; i < s->len; i++)
		if (byte_to_lower((unsigned char)p[i]) != (unsigned char)s->ptr[i])
			return false;
	return true;
}

size_t rx_literal_at(const struct rx_literals *l, struct bytes text, size_t at)
{
	size_t longest = SIZE_MAX;

	for (uint32_t i = 0; i < l->n; i++)
		if ((longest == SIZE_MAX || l->str[i].len > longest) &&
		    is_at(l, &l->str[i], text.ptr + at, text.len - at))
			longest = l->str[i].len;
	return longest;
}

/* Whether one of the strings is at a place; their rarest bytes are looked at first. */
static bool is_one_at(const struct rx_literals *l, struct bytes text, size_t at)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const struct simd_pair *p = &l->finder->pair[i];

		if (text.len - at >= l->str[i].len &&
		    ((uint8_t)text.ptr[at + p->at[0]] | p->mask[0]) == p->byte[0] &&
		    is_at(l, &l->str[i], text.ptr + at, text.len - at))
			return true;
	}
	return false;
}

/* The last places, too near to the end for the finder. */
static size_t next_slowly(const struct rx_literals *l, struct bytes text, size_t from)
{
	for (size_t at = from; at + l->finder->shortest <= text.len; at++)
		if (is_one_at(l, text, at))
			return at;
	return SIZE_MAX;
}

size_t rx_literal_next(const struct rx_literals *l, struct bytes text, size_t from)
{
	enum { NEAR = 32 };
	size_t reach = l->finder->reach + 16;
	size_t to = text.len > reach ? text.len - reach : 0;

	if (l->byte != NULL) {
		size_t near = from + NEAR < text.len ? from + NEAR : text.len;
		size_t at = rx_next_first(l->byte, bytes_slice(text, 0, near), from);

		if (at != SIZE_MAX || near == text.len)
			return at;
		from = near;
	}
	while (from < to) {
		size_t at = simd_find_pairs(text.ptr, from, to, l->finder->pair, l->n);

		if (at == SIZE_MAX)
			break;
		if (is_one_at(l, text, at))
			return at;
		from = at + 1;
	}
	return next_slowly(l, text, from < to ? to : from);
}
