/* SPDX-License-Identifier: MIT
 *
 * Lines and their classes.
 *
 * What both files begin and end with byte by byte is set aside first (but for the horizon, so
 * that changes can move); only the lines between are hashed.
 */
#include "builtins/diff/diff.h"

/* Removes the CR before each newline. */
static struct bytes strip_returns(struct cmd *c, struct bytes s)
{
	char *out = arena_alloc(c->arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '\r' || i + 1 == s.len || s.ptr[i + 1] != '\n')
			out[n++] = s.ptr[i];
	return (struct bytes){ out, n };
}

static size_t count_lines(struct bytes s)
{
	size_t n = s.len > 0 && s.ptr[s.len - 1] != '\n';

	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == '\n';
	return n;
}

void diff_split(struct diff *d, int which)
{
	struct diff_file *f = &d->file[which];
	const char *at;
	const char *end;

	if (d->o->strip_cr)
		f->all = strip_returns(d->c, f->all);
	f->n = count_lines(f->all);
	f->line = arena_array(d->c->arena, f->n + 1, sizeof(*f->line));
	f->unended = f->all.len > 0 && f->all.ptr[f->all.len - 1] != '\n';
	at = f->all.ptr;
	end = at + f->all.len;
	for (size_t i = 0; i < f->n; i++) {
		const char *hit = memchr(at, '\n', (size_t)(end - at));
		const char *stop = hit != NULL ? hit : end;

		f->line[i] = (struct bytes){ at, (size_t)(stop - at) };
		at = stop + 1;
	}
	cmd_charge_bytes(d->c, f->all.len);
}

/* --- what both have in common at both ends --- */

/* Whether a last line without newline differs from the same line with one. */
static bool newline_counts(const struct diff_opts *o)
{
	return o->style != DIFF_ED && o->style != DIFF_FORWARD_ED && o->space < DIFF_SPACE_TRAILING;
}

static bool lacks_newline(const struct diff_file *f, size_t i)
{
	return f->unended && i + 1 == f->n;
}

static bool same_bytes(const struct diff *d, size_t i, size_t k)
{
	const struct diff_file *a = &d->file[0];
	const struct diff_file *b = &d->file[1];

	bool ed = d->o->style == DIFF_ED || d->o->style == DIFF_FORWARD_ED;

	return bytes_eq(a->line[i], b->line[k]) &&
	       (ed || lacks_newline(a, i) == lacks_newline(b, k));
}

static void find_middle(struct diff *d)
{
	struct diff_file *a = &d->file[0];
	struct diff_file *b = &d->file[1];
	size_t horizon = d->o->horizon > d->o->context ? (size_t)d->o->horizon : d->o->context;
	size_t shorter = a->n < b->n ? a->n : b->n;
	size_t head = 0;
	size_t tail = 0;

	while (head < shorter && same_bytes(d, head, head))
		head++;
	head = head > horizon ? head - horizon : 0;
	while (tail < shorter - head && same_bytes(d, a->n - 1 - tail, b->n - 1 - tail))
		tail++;
	tail = tail > horizon ? tail - horizon : 0;
	a->from = b->from = head;
	a->to = a->n - tail;
	b->to = b->n - tail;
	cmd_charge(d->c, (head + tail) / 4);
}

/* --- classes --- */

/* Appends a line as it counts: without what is to be ignored. */
static void put_canonical(struct buf *out, const struct diff_opts *o, struct bytes s)
{
	size_t column = 0;
	size_t start = out->len;
	size_t end = s.len;

	if (o->space >= DIFF_SPACE_TRAILING)
		while (end > 0 && byte_is_space((unsigned char)s.ptr[end - 1]))
			end--;
	for (size_t i = 0; i < end; i++) {
		int ch = (unsigned char)s.ptr[i];

		if (byte_is_space(ch) && o->space == DIFF_SPACE_ALL)
			continue;
		if (byte_is_space(ch) && o->space == DIFF_SPACE_CHANGE) {
			if (out->len == start || out->ptr[out->len - 1] != ' ')
				buf_putc(out, ' ');
			continue;
		}
		if (ch == '\t' && (o->space & DIFF_SPACE_TABS) != 0) {
			size_t pad = (size_t)(o->tab_size - column % o->tab_size);

			buf_fill(out, ' ', pad);
			column += pad;
			continue;
		}
		column = ch == '\b' ? column - (column > 0) : ch == '\r' ? 0 : column + 1;
		buf_putc(out, (char)(o->fold ? byte_to_lower(ch) : ch));
	}
}

/* Lines seen, in an open hash table of their classes. */
struct table {
	struct bytes *text; /* of class i + 1 */
	uint32_t *hash;
	uint32_t n;
	uint32_t *slot; /* class; 0: free */
	size_t mask;
};

static void init_table(struct cmd *c, struct table *t, size_t lines)
{
	t->mask = 63;
	while (t->mask < lines * 2)
		t->mask = t->mask * 2 + 1;
	t->slot = arena_array(c->arena, t->mask + 1, sizeof(*t->slot));
	t->text = arena_array(c->arena, lines + 1, sizeof(*t->text));
	t->hash = arena_array(c->arena, lines + 1, sizeof(*t->hash));
	t->n = 0;
}

static uint64_t hash_text(struct bytes s)
{
	uint64_t h = s.len * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = 0;

	for (; s.len - i >= 8; i += 8) {
		uint64_t word = 0;

		for (int k = 0; k < 8; k++)
			word |= (uint64_t)(unsigned char)s.ptr[i + (size_t)k] << (8 * k);
		h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	for (; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(0x100000001b3);
	h ^= h >> 29;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 32;
}

static uint32_t class_of(struct table *t, struct bytes text, bool *fresh)
{
	uint64_t hash = hash_text(text);
	size_t at = (size_t)hash & t->mask;

	for (; t->slot[at] != 0; at = (at + 1) & t->mask) {
		uint32_t class = t->slot[at];

		if (t->hash[class - 1] == (uint32_t)(hash >> 32) &&
		    bytes_eq(t->text[class - 1], text)) {
			*fresh = false;
			return class;
		}
	}
	t->text[t->n] = text;
	t->hash[t->n] = (uint32_t)(hash >> 32);
	t->slot[at] = ++t->n;
	*fresh = true;
	return t->n;
}

static void classify_file(struct diff *d, int which, struct table *t)
{
	struct diff_file *f = &d->file[which];
	bool exact = d->o->space == DIFF_SPACE_EXACT && !d->o->fold;
	bool fresh;

	f->class = arena_array(d->c->arena, f->to - f->from + 1, sizeof(*f->class));
	for (size_t i = f->from; i < f->to; i++) {
		struct buf canonical = buf_in(d->c->arena);
		struct arena_mark mark = arena_mark(d->c->arena);
		struct bytes text = f->line[i];

		if (!exact) {
			put_canonical(&canonical, d->o, text);
			text = buf_bytes(&canonical);
		}
		f->class[i - f->from] = class_of(t, text, &fresh);
		if (!exact && !fresh)
			arena_release(d->c->arena, mark);
		cmd_charge_bytes(d->c, f->line[i].len);
	}
	/* The class 0 belongs to last lines without newline, if those are something else. */
	if (f->unended && f->to == f->n && f->n > f->from && newline_counts(d->o))
		f->class[f->n - 1 - f->from] = 0;
}

void diff_classify(struct diff *d)
{
	struct table t;
	struct diff_file *a = &d->file[0];
	struct diff_file *b = &d->file[1];

	find_middle(d);
	init_table(d->c, &t, a->to - a->from + b->to - b->from);
	classify_file(d, 0, &t);
	classify_file(d, 1, &t);
	/* Two last lines without newline that are not equal. */
	if (a->to > a->from && b->to > b->from && a->class[a->to - a->from - 1] == 0 &&
	    b->class[b->to - b->from - 1] == 0) {
		struct buf text[2] = { buf_in(d->c->arena), buf_in(d->c->arena) };

		put_canonical(&text[0], d->o, a->line[a->n - 1]);
		put_canonical(&text[1], d->o, b->line[b->n - 1]);
		if (!bytes_eq(buf_bytes(&text[0]), buf_bytes(&text[1])))
			b->class[b->to - b->from - 1] = t.n + 1;
	}
	for (int i = 0; i < 2; i++)
		d->file[i].changed = (char *)arena_array(d->c->arena, d->file[i].n + 2, 1) + 1;
}
