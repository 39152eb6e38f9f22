/* SPDX-License-Identifier: MIT
 *
 * Classes of characters: those that no instruction of a program tells apart are one.
 *
 * The line of code points is cut where any set begins or ends. What covers an interval is
 * summed up as a number (one per set, by its contents), so that the cost is that of sorting
 * the cuts, however many sets there are.
 */
#include "base/regex/private.h"

struct cut {
	uint32_t at;
	uint64_t change; /* of the sum, from here on */
};

struct cuts {
	struct arena *arena;
	struct cut *cut;
	uint32_t n;
	uint32_t cap;
};

static void add_cut(struct cuts *all, uint32_t at, uint64_t change)
{
	if (all->n == all->cap) {
		uint32_t cap = all->cap != 0 ? all->cap * 2 : 32;

		all->cut = arena_grow(all->arena, all->cut, all->cap * sizeof(all->cut[0]),
				      cap * sizeof(all->cut[0]));
		all->cap = cap;
	}
	all->cut[all->n++] = (struct cut){ at, change };
}

static void cover(struct cuts *all, uint32_t lo, uint32_t hi, uint64_t id)
{
	add_cut(all, lo, id);
	add_cut(all, hi + 1, 0 - id);
}

static void sift(struct cut *c, uint32_t root, uint32_t n)
{
	struct cut moved = c[root];

	for (;;) {
		uint32_t kid = 2 * root + 1;

		if (kid >= n)
			break;
		if (kid + 1 < n && c[kid + 1].at > c[kid].at)
			kid++;
		if (c[kid].at <= moved.at)
			break;
		c[root] = c[kid];
		root = kid;
	}
	c[root] = moved;
}

static void sort(struct cut *c, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift(c, i, n);
	for (uint32_t i = n; i-- > 1;) {
		struct cut top = c[0];

		c[0] = c[i];
		c[i] = top;
		sift(c, 0, i);
	}
}

/* splitmix64 of Steele, Lea and Flood. Without the first line small numbers keep their ratios,
 * and an instruction that occurs twice counts as much as another that occurs once. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void cover_set(struct cuts *all, const struct rx_set *s)
{
	uint64_t id = mix(
		bytes_hash((struct bytes){ (const char *)s->range, s->n * sizeof(s->range[0]) }));

	for (uint32_t i = 0; i < s->n; i++)
		cover(all, s->range[i].lo, s->range[i].hi, id);
}

static void cover_program(struct cuts *all, const struct rx_prog *prog)
{
	const struct rx_set *last = NULL;

	for (uint32_t i = 0; i < prog->n; i++) {
		const struct rx_inst *inst = &prog->inst[i];

		if (inst->op == RX_I_CHAR)
			cover(all, inst->n, inst->n, mix(inst->n + 1));
		else if (inst->op == RX_I_SET && inst->set != last)
			cover_set(all, last = inst->set);
	}
}

/* Word characters, ends of lines and the kinds of bytes are always told apart. */
static void cover_sides(struct cuts *all, const struct rx_prog *prog, unsigned flags)
{
	unsigned char eol = (unsigned char)rx_eol(flags);
	struct rx_set words = { 0 };

	cover(all, eol, eol, mix(1000));
	add_cut(all, 0, 0);
	if (prog->utf8) {
		cover(all, 0x80, RX_UNICODE_TOP - 1, mix(1001));
		cover(all, RX_RAW, RX_TOP - 1, mix(1002));
	}
	if (prog->words) {
		rx_set_add_word(all->arena, &words, rx_wide_words(flags));
		for (uint32_t c = RX_RAW + 0x80; c < RX_TOP; c++)
			if (rx_is_word(c, flags))
				rx_set_add(all->arena, &words, c, c);
		rx_set_finish(&words);
		cover_set(all, &words);
	}
}

/* Numbers for the sums of intervals: a hash table in the scratch. */
struct numbers {
	uint64_t *sum;
	uint32_t *class;
	uint32_t mask;
};

static uint32_t number_of(struct numbers *t, struct rx_alphabet *alpha, uint64_t sum, uint32_t c)
{
	uint32_t at = (uint32_t)mix(sum) & t->mask;

	while (t->class[at] != 0 && t->sum[at] != sum)
		at = (at + 1) & t->mask;
	if (t->class[at] == 0) {
		t->sum[at] = sum;
		t->class[at] = alpha->n;
		alpha->sample[alpha->n++] = c;
	}
	return t->class[at];
}

static void fill_low(struct rx_alphabet *alpha, bool utf8)
{
	for (uint32_t b = 0, i = 0; b < 256; b++) {
		while (i + 1 < alpha->nintervals && alpha->interval[i + 1].lo <= b)
			i++;
		alpha->low[b] = utf8 && b >= 0x80 ? 0 : (uint16_t)alpha->interval[i].class;
	}
}

static void fill_sides(struct rx_alphabet *alpha, const struct rx_prog *prog, unsigned flags)
{
	for (uint32_t k = 1; k < alpha->n; k++) {
		uint32_t c = alpha->sample[k];
		unsigned side = 0;

		if ((flags & REGEX_NEWLINE) != 0 && c == (unsigned char)rx_eol(flags))
			side |= RX_LINE;
		if (prog->words && rx_is_word(c, flags))
			side |= RX_WORD;
		alpha->side[k] = (uint8_t)side;
	}
}

/* Merges cuts at one place and gives every interval its class. */
static void number_intervals(struct rx_alphabet *alpha, const struct cuts *all, uint32_t top)
{
	struct numbers t = { .mask = 15 };
	uint64_t sum = 0;

	while (t.mask < all->n * 2)
		t.mask = t.mask * 2 + 1;
	t.sum = arena_array(all->arena, t.mask + 1u, sizeof(t.sum[0]));
	t.class = arena_array(all->arena, t.mask + 1u, sizeof(t.class[0]));
	for (uint32_t i = 0; i < all->n && all->cut[i].at < top;) {
		uint32_t at = all->cut[i].at;
		uint32_t class;

		for (; i < all->n && all->cut[i].at == at; i++)
			sum += all->cut[i].change;
		class = number_of(&t, alpha, sum, at);
		if (alpha->nintervals == 0 || alpha->interval[alpha->nintervals - 1].class != class)
			alpha->interval[alpha->nintervals++] = (struct rx_interval){ at, class };
	}
}

struct rx_alphabet *rx_alphabet(struct arena *a, const struct rx_prog *prog, unsigned flags)
{
	struct rx_scratch scratch;
	struct cuts all = { .arena = rx_scratch(&scratch, a) };
	struct rx_alphabet *alpha = arena_zalloc(a, sizeof(*alpha));
	struct rx_alphabet work;

	cover_program(&all, prog);
	cover_sides(&all, prog, flags);
	sort(all.cut, all.n);
	work = *alpha;
	work.n = 1;
	work.interval = arena_array(all.arena, all.n, sizeof(work.interval[0]));
	work.sample = arena_array(all.arena, all.n + 1, sizeof(work.sample[0]));
	number_intervals(&work, &all, prog->utf8 ? RX_TOP : 256);
	*alpha = work;
	alpha->interval = arena_alloc(a, work.nintervals * sizeof(work.interval[0]));
	memcpy(alpha->interval, work.interval, work.nintervals * sizeof(work.interval[0]));
	alpha->sample = arena_alloc(a, work.n * sizeof(work.sample[0]));
	memcpy(alpha->sample, work.sample, work.n * sizeof(work.sample[0]));
	rx_scratch_end(&scratch);
	alpha->side = arena_zalloc(a, alpha->n);
	fill_low(alpha, prog->utf8);
	fill_sides(alpha, prog, flags);
	return alpha;
}

static uint32_t search_class(const struct rx_alphabet *alpha, uint32_t c)
{
	uint32_t low = 0;
	uint32_t high = alpha->nintervals;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (alpha->interval[mid].lo <= c)
			low = mid;
		else
			high = mid;
	}
	return alpha->interval[low].class;
}

uint32_t rx_class_of(struct rx_alphabet *alpha, uint32_t c)
{
	struct rx_interval *memo = &alpha->memo[c % RX_MEMO];

	if (c < 0x80)
		return alpha->low[c];
	if (memo->lo != c || memo->class == 0)
		*memo = (struct rx_interval){ c, search_class(alpha, c) };
	return memo->class;
}
