/* SPDX-License-Identifier: MIT
 *
 * Brace expressions: {a,b} and {1..5} in the parts of a word.
 *
 * The unquoted { , } of the word are collected and matched in one pass; then the parts are cut
 * at those that make up an expression. bash expands braces in the text, before it looks for
 * variables and tildes: in $x{a,b} the names are xa and xb. Such neighbours are moved into the
 * alternatives here, so that no one else needs to know.
 */
#include "interp/parser.h"

enum { SEQUENCE_ITEMS_MAX = 1000 }; /* of one that is spelled out because of a neighbour */

/* A place in the parts of the word. */
struct spot {
	int part;
	size_t at;
};

struct range {
	struct parser *p;
	const struct word *w;
	struct spot from, to;
	size_t first, last; /* marks inside */
	size_t open;        /* of an expression: its { */
};

static void build(struct range *r);

/* --- marks --- */

static void add_mark(struct parser *p, struct spot spot, char c)
{
	struct brace_mark m = { .part = spot.part, .at = spot.at, .c = c, .match = SIZE_MAX };

	p->marks = parser_grow(p, p->marks, &p->marks_cap, p->nmarks + 1, sizeof *p->marks);
	p->marks[p->nmarks++] = m;
}

static void find_marks(struct parser *p, const struct word *w)
{
	const struct bytes dots = BYTES("..");

	for (int i = 0; i < w->nparts; i++) {
		const struct part *part = &w->parts[i];

		if (part->kind != PART_TEXT || part->quoted)
			continue;
		struct bytes text = part->text;

		/* {} where a word begins is no brace expression, whatever follows. */
		for (size_t n = i == 0 && bytes_starts(text, BYTES("{}")) ? 2 : 0; n < text.len;
		     n++) {
			char c = text.ptr[n];

			if (c == '{' || c == ',' || c == '}')
				add_mark(p, (struct spot){ i, n }, c);
			else if (c == '.' && bytes_starts(bytes_slice(text, n, text.len), dots) &&
				 (n + 2 == text.len || text.ptr[n + 2] != '}'))
				add_mark(p, (struct spot){ i, n++ }, '.');
		}
	}
}

/* Pairs { and }, and gives each comma to the { it stands in. True if there is any pair. A }
 * before any comma does not end the outermost one: {a},b} is a} and b. */
static bool match_marks(struct parser *p, size_t base)
{
	size_t open = SIZE_MAX; /* the innermost {; `owner` of it is the next one out */
	bool any = false;

	for (size_t i = base; i < p->nmarks; i++) {
		struct brace_mark *m = &p->marks[i];

		m->owner = open;
		if (m->c == '{') {
			open = i;
		} else if (open == SIZE_MAX) {
			continue;
		} else if (m->c == ',') {
			p->marks[open].commas++;
		} else if (m->c == '.') {
			p->marks[open].dots = true;
		} else if (p->marks[open].owner != SIZE_MAX || p->marks[open].commas != 0 ||
			   p->marks[open].dots) {
			p->marks[open].match = i;
			open = p->marks[open].owner;
			any = true;
		}
	}
	return any;
}

/* --- sequences --- */

static bool read_integer(struct bytes text, int64_t *out)
{
	size_t i = text.len != 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
	bool negative = i != 0 && text.ptr[0] == '-';
	int64_t v = 0;

	if (i == text.len)
		return false;
	for (; i < text.len; i++) {
		int digit = text.ptr[i] - '0';

		if (!byte_is_digit((unsigned char)text.ptr[i]) ||
		    __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, negative ? -digit : digit, &v))
			return false;
	}
	*out = v;
	return true;
}

static bool is_padded(struct bytes text)
{
	size_t sign = text.len != 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');

	return text.len - sign > 1 && text.ptr[sign] == '0';
}

/* Splits at the first ".." : false if there is none. */
static bool split_dots(struct bytes text, struct bytes *left, struct bytes *right)
{
	const char *dots = bytes_find(text, BYTES(".."));

	if (dots == NULL)
		return false;
	*left = bytes_slice(text, 0, (size_t)(dots - text.ptr));
	*right = bytes_slice(text, (size_t)(dots - text.ptr) + 2, text.len);
	return true;
}

static bool is_letter(struct bytes text)
{
	return text.len == 1 && byte_is_alpha((unsigned char)text.ptr[0]);
}

/* from..to or from..to..step */
static bool read_sequence(struct bytes text, struct brace *b)
{
	struct bytes from, to, step = { NULL, 0 };

	*b = (struct brace){ .sequence = true, .step = 1 };
	if (!split_dots(text, &from, &to))
		return false;
	if (split_dots(to, &to, &step) && (!read_integer(step, &b->step) || b->step == INT64_MIN))
		return false;
	if (is_letter(from) && is_letter(to)) {
		b->letters = true;
		b->from = (unsigned char)from.ptr[0];
		b->to = (unsigned char)to.ptr[0];
		return true;
	}
	if (!read_integer(from, &b->from) || !read_integer(to, &b->to) ||
	    __builtin_sub_overflow(b->to, b->from, &(int64_t){ 0 }))
		return false;
	if (is_padded(from) || is_padded(to))
		b->width = (int)(from.len > to.len ? from.len : to.len);
	return true;
}

static bool has_comma(const struct parser *p, size_t from, size_t to)
{
	while (from < to && p->marks[from].c != ',')
		from++;
	return from < to;
}

/* Whether the { at mark i begins an expression; a sequence is read into *b. */
static bool is_expression(const struct parser *p, const struct word *w, size_t i, struct brace *b)
{
	const struct brace_mark *open = &p->marks[i];
	const struct brace_mark *close;

	b->sequence = false;
	if (open->c != '{' || open->match == SIZE_MAX)
		return false;
	if (open->commas != 0)
		return true;
	close = &p->marks[open->match];
	if (close->part == open->part &&
	    read_sequence(bytes_slice(w->parts[open->part].text, open->at + 1, close->at), b))
		return true;
	b->sequence = false;
	return open->dots && has_comma(p, i, open->match);
}

/* {x..y} that is no sequence: bash does not look inside. */
static bool is_closed(const struct brace_mark *m)
{
	return m->c == '{' && m->match != SIZE_MAX && m->dots;
}

/* --- cutting --- */

static void push_part(struct parser *p, struct part part)
{
	stack_push(p, &p->items, &part, sizeof part);
}

/* The parts of the word between two spots. */
static void push_between(struct range *r, struct spot from, struct spot to)
{
	for (int i = from.part; i <= to.part && i < r->w->nparts; i++) {
		struct part part = r->w->parts[i];
		size_t start = i == from.part ? from.at : 0;
		size_t end = i == to.part ? to.at : part.text.len;

		if (part.kind != PART_TEXT) {
			if (i != to.part)
				push_part(r->p, part);
			continue;
		}
		if (start >= end && (start != 0 || i == to.part))
			continue;
		part.text = arena_bytes(r->p->arena, bytes_slice(part.text, start, end));
		push_part(r->p, part);
	}
}

static struct word *word_of(struct parser *p, size_t base, unsigned flags)
{
	struct word *w = arena_zalloc(p->arena, sizeof *w);

	w->flags = flags;
	w->parts = stack_take(p, &p->items, base, sizeof *w->parts, &w->nparts);
	return w;
}

/* One alternative between two marks of the same expression. */
static void push_alternative(struct range *r, size_t before, size_t behind)
{
	struct parser *p = r->p;
	size_t base = p->items.len;
	struct range inner = *r;
	struct word *w;

	inner.from = (struct spot){ p->marks[before].part, p->marks[before].at + 1 };
	inner.to = (struct spot){ p->marks[behind].part, p->marks[behind].at };
	inner.first = before + 1;
	inner.last = behind;
	build(&inner);
	w = word_of(p, base, r->w->flags);
	stack_push(p, &p->items, &w, sizeof w);
}

static int alternatives_run(void *arg)
{
	struct range *r = arg;
	struct parser *p = r->p;
	size_t close = p->marks[r->open].match;
	size_t before = r->open;
	size_t base = p->items.len;
	struct part part = { .kind = PART_BRACE };

	part.brace = arena_zalloc(p->arena, sizeof *part.brace);
	for (size_t i = r->open + 1; i <= close; i++) {
		if (p->marks[i].c == '{' && p->marks[i].match != SIZE_MAX) {
			i = p->marks[i].match;
			continue;
		}
		if (i != close && (p->marks[i].c != ',' || p->marks[i].owner != r->open))
			continue;
		push_alternative(r, before, i);
		before = i;
	}
	part.brace->alt = stack_take(p, &p->items, base, sizeof *part.brace->alt,
				     &part.brace->nalt);
	push_part(p, part);
	return 0;
}

static void push_sequence(struct parser *p, const struct brace *b)
{
	struct part part = { .kind = PART_BRACE };

	part.brace = arena_alloc(p->arena, sizeof *part.brace);
	*part.brace = *b;
	push_part(p, part);
}

/* Pushes the parts of a range, with its expressions. */
static void build(struct range *r)
{
	struct parser *p = r->p;
	struct spot at = r->from;

	for (size_t i = r->first; i < r->last && !p->failed; i++) {
		struct brace b;

		if (!is_expression(p, r->w, i, &b)) {
			if (is_closed(&p->marks[i]))
				i = p->marks[i].match;
			continue;
		}
		push_between(r, at, (struct spot){ p->marks[i].part, p->marks[i].at });
		if (b.sequence) {
			push_sequence(p, &b);
		} else {
			r->open = i;
			parse_deeper(p, alternatives_run, r);
		}
		i = p->marks[i].match;
		at = (struct spot){ p->marks[i].part, p->marks[i].at + 1 };
	}
	push_between(r, at, r->to);
}

/* --- neighbours --- */

bool brace_open_name(const struct part *part)
{
	return part->kind == PART_PARAM && !part->quoted && !part->param->braced &&
	       part->param->kind == PARAM_NAME;
}

size_t brace_name_bytes(const struct part *part)
{
	size_t n = 0;

	if (part->kind != PART_TEXT || part->quoted)
		return 0;
	while (n < part->text.len && byte_is_name((unsigned char)part->text.ptr[n]))
		n++;
	return n;
}

static struct bytes joined(struct parser *p, struct bytes a, struct bytes b)
{
	size_t base = p->lit.len;

	buf_add(&p->lit, a);
	buf_add(&p->lit, b);
	return lit_take(p, base);
}

/* $x before text that continues the name. */
static void join_name(struct parser *p, struct part *param, struct part *text)
{
	size_t n = brace_name_bytes(text);
	size_t from = (size_t)(uintptr_t)param->text.ptr;
	struct param *longer;

	if (n == 0)
		return;
	longer = arena_alloc(p->arena, sizeof *longer);
	*longer = *param->param;
	source_keep(p, &longer->source, from, from + param->text.len);
	longer->name = joined(p, longer->name, bytes_slice(text->text, 0, n));
	longer->hash = bytes_hash(longer->name);
	param->param = longer;
	text->text = bytes_slice(text->text, n, text->text.len);
}

/* ~name at the beginning of unquoted text becomes a tilde part of its own. */
static void split_tilde(struct parser *p, struct word *w)
{
	struct bytes text = w->nparts != 0 ? w->parts[0].text : BYTES("");
	const char *slash;
	struct part *parts;
	size_t n;

	if (w->nparts == 0 || w->parts[0].kind != PART_TEXT || w->parts[0].quoted ||
	    text.len == 0 || text.ptr[0] != '~')
		return;
	slash = memchr(text.ptr, '/', text.len);
	n = slash != NULL ? (size_t)(slash - text.ptr) : text.len;
	parts = arena_array(p->arena, (size_t)w->nparts + 1, sizeof *parts);
	memcpy(parts + 1, w->parts, (size_t)w->nparts * sizeof *parts);
	parts[0] = (struct part){ .kind = PART_TILDE, .text = bytes_slice(text, 1, n) };
	parts[1].text = bytes_slice(text, n, text.len);
	w->parts = parts;
	w->nparts++;
}

/* A sequence as alternatives, so that something can be put before or behind each. */
static bool spell_out(struct parser *p, struct brace *b)
{
	uint64_t step = b->step < 0 ? 0 - (uint64_t)b->step : (uint64_t)b->step;
	int64_t distance = b->to > b->from ? b->to - b->from : b->from - b->to;
	int64_t value = b->from;

	step = step == 0 ? 1 : step;
	if ((uint64_t)distance / step >= SEQUENCE_ITEMS_MAX)
		return false;
	b->sequence = false;
	b->nalt = (int)((uint64_t)distance / step) + 1;
	b->alt = arena_array(p->arena, (size_t)b->nalt, sizeof *b->alt);
	for (int i = 0; i < b->nalt; i++) {
		struct part part = { .kind = PART_TEXT };
		size_t base = p->lit.len;

		if (b->letters)
			buf_putc(&p->lit, (char)value);
		else
			buf_printf(&p->lit, "%0*lld", b->width, (long long)value);
		part.text = lit_take(p, base);
		push_part(p, part);
		b->alt[i] = word_of(p, p->items.len - sizeof part, 0);
		value = b->to > b->from ? value + (int64_t)step : value - (int64_t)step;
	}
	return true;
}

/* Puts a part in front of every alternative: $x or ~. */
static void distribute(struct parser *p, struct brace *b, const struct part *front)
{
	for (int i = 0; i < b->nalt; i++) {
		struct word *w = b->alt[i];
		struct part *parts = arena_array(p->arena, (size_t)w->nparts + 1, sizeof *parts);

		parts[0] = *front;
		if (w->nparts != 0)
			memcpy(parts + 1, w->parts, (size_t)w->nparts * sizeof *parts);
		w->parts = parts;
		w->nparts++;
		if (w->nparts > 1 && brace_open_name(front))
			join_name(p, &parts[0], &parts[1]);
	}
}

/* {..$x}abc: the name goes on behind the brace. Every alternative takes those bytes. */
static void absorb_name(struct parser *p, struct brace *b, struct part *behind)
{
	size_t n = brace_name_bytes(behind);
	struct part text = { .kind = PART_TEXT, .text = bytes_slice(behind->text, 0, n) };
	bool any = false;

	for (int i = 0; i < b->nalt; i++)
		any |= b->alt[i]->nparts != 0 &&
		       brace_open_name(&b->alt[i]->parts[b->alt[i]->nparts - 1]);
	if (!any)
		return;
	behind->text = bytes_slice(behind->text, n, behind->text.len);
	for (int i = 0; i < b->nalt; i++) {
		struct word *w = b->alt[i];
		struct part *parts = arena_array(p->arena, (size_t)w->nparts + 1, sizeof *parts);

		if (w->nparts != 0)
			memcpy(parts, w->parts, (size_t)w->nparts * sizeof *parts);
		parts[w->nparts] = text;
		if (w->nparts != 0 && brace_open_name(&parts[w->nparts - 1]))
			join_name(p, &parts[w->nparts - 1], &parts[w->nparts]);
		w->parts = parts;
		w->nparts++;
	}
}

/* Looks at what stands before and behind each expression of the word. */
static void mend_neighbours(struct parser *p, struct word *w)
{
	for (int i = 0; i < w->nparts; i++) {
		struct brace *b = w->parts[i].brace;
		struct part *front = i > 0 ? &w->parts[i - 1] : NULL;
		bool tilde = front != NULL && i == 1 && front->kind == PART_TEXT &&
			     !front->quoted && bytes_is(front->text, "~");

		if (w->parts[i].kind != PART_BRACE)
			continue;
		if (front != NULL && (tilde || brace_open_name(front)) &&
		    (!b->sequence || spell_out(p, b))) {
			distribute(p, b, front);
			*front = (struct part){ .kind = PART_TEXT, .text = BYTES("") };
		}
		for (int k = 0; (i == 0 || tilde) && !b->sequence && k < b->nalt; k++) {
			if (tilde && b->alt[k]->nparts > 1 &&
			    b->alt[k]->parts[1].kind == PART_TEXT && !b->alt[k]->parts[1].quoted)
				b->alt[k]->parts[1].text = joined(p, BYTES("~"),
								  b->alt[k]->parts[1].text);
			if (tilde && b->alt[k]->nparts > 1) {
				b->alt[k]->parts++;
				b->alt[k]->nparts--;
			}
			split_tilde(p, b->alt[k]);
		}
		if (!b->sequence && i + 1 < w->nparts && brace_name_bytes(&w->parts[i + 1]) != 0)
			absorb_name(p, b, &w->parts[i + 1]);
	}
}

/* --- entry --- */

struct kept {
	struct parser *p;
	struct brace *brace;
};

static void keep_again(struct parser *p, struct part *parts, int n);

static int keep_alternatives(void *arg)
{
	const struct kept *k = arg;

	for (int i = 0; i < k->brace->nalt; i++)
		keep_again(k->p, k->brace->alt[i]->parts, k->brace->alt[i]->nparts);
	return 0;
}

/* The parts that are kept were copied: their source is due at the new place. */
static void keep_again(struct parser *p, struct part *parts, int n)
{
	for (int i = 0; i < n; i++) {
		size_t from = (size_t)(uintptr_t)parts[i].text.ptr;

		if (parts[i].kind == PART_BRACE) {
			struct kept inner = { p, parts[i].brace };

			parse_deeper(p, keep_alternatives, &inner);
		} else if (parts[i].kind != PART_TEXT && parts[i].kind != PART_TILDE) {
			source_keep(p, &parts[i].text, from, from + parts[i].text.len);
		}
	}
}

void word_braces(struct parser *p, struct word *w)
{
	size_t base = p->nmarks;
	size_t items = p->items.len;
	struct range all = { .p = p, .w = w, .to = { w->nparts, 0 }, .first = base };
	struct word old = *w;

	find_marks(p, w);
	all.last = p->nmarks;
	if (match_marks(p, base)) {
		build(&all);
		w->parts = stack_take(p, &p->items, items, sizeof *w->parts, &w->nparts);
		word_classify(p, w);
		if (w->flags & WORD_BRACES) {
			w->assign = NULL;
			mend_neighbours(p, w);
			keep_again(p, w->parts, w->nparts);
		} else {
			*w = old;
		}
	}
	p->nmarks = base;
}
