/* SPDX-License-Identifier: MIT
 *
 * Shell patterns: compiling them as bash reads them, and the calls of base/glob.h.
 */
#include "base/glob_private.h"

struct parse {
	struct arena *arena;
	struct glob *g;
	struct bytes p;
	bool too_deep;
	size_t known_end;     /* for a part that ends here it is known: */
	size_t behind_last;   /* no ']' is at or behind this place */
	size_t no_class_from; /* nor a ":]" at or behind this one */
};

/* Whether there is a ']' behind `at`. */
static bool may_close(struct parse *x, size_t at, size_t end)
{
	if (x->known_end != end) {
		size_t last = end;

		while (last > at && x->p.ptr[last - 1] != ']')
			last--;
		arena_charge(x->arena, (end - last) / 64);
		x->known_end = end;
		x->behind_last = last > at ? last : 0;
		x->no_class_from = end;
	}
	return x->behind_last > at;
}

static bool is_ext(const struct parse *x, size_t at)
{
	return (x->g->flags & GLOB_EXTGLOB) != 0 && at + 1 < x->p.len && x->p.ptr[at + 1] == '(' &&
	       strchr("?*+@!", x->p.ptr[at]) != NULL && x->p.ptr[at] != '\0';
}

static void add_item(struct parse *x, struct glob_seq *seq, struct glob_item i)
{
	/* Stars in a row are one. */
	if (i.op == GLOB_STAR && seq->n != 0 && seq->item[seq->n - 1].op == GLOB_STAR)
		return;
	if (seq->n == seq->cap) {
		uint32_t cap = seq->cap != 0 ? seq->cap * 2 : 8;

		seq->item = arena_grow(x->arena, seq->item, seq->cap * sizeof(i), cap * sizeof(i));
		seq->cap = cap;
	}
	seq->item[seq->n++] = i;
}

static void add_char(struct parse *x, struct glob_seq *seq, uint32_t c)
{
	if ((x->g->flags & GLOB_ICASE) != 0)
		c = utf8_to_lower(c);
	add_item(x, seq, (struct glob_item){ .op = GLOB_CHAR, .c = c });
}

/* --- brackets --- */

struct bracket {
	struct parse *x;
	struct rx_set *set;
	size_t at;
	size_t end;
	unsigned classes; /* bit per enum utf8_class */
};

static char look(const struct bracket *b, size_t ahead)
{
	return b->at + ahead < b->end ? b->x->p.ptr[b->at + ahead] : '\0';
}

/* [:name:] at b->at, if it is one: an unknown name matches nothing. */
static bool take_class(struct bracket *b)
{
	size_t from = b->at + 2;
	enum utf8_class class;

	if (look(b, 0) != '[' || look(b, 1) != ':' || from >= b->x->no_class_from)
		return false;
	for (size_t at = from; at + 1 < b->end; at++) {
		struct bytes name = bytes_slice(b->x->p, from, at);
		bool utf8 = (b->x->g->flags & GLOB_UTF8) != 0;

		if (at % 64 == 63)
			arena_charge(b->x->arena, 1);
		if (b->x->p.ptr[at] != ':' || b->x->p.ptr[at + 1] != ']')
			continue;
		class = utf8_class_of(name);
		if (class != UTF8_NCLASSES)
			b->classes |= 1u << class;
		else if (bytes_is(name, "word"))
			rx_set_add_word(b->x->arena, b->set, utf8);
		else if (bytes_is(name, "ascii"))
			rx_set_add(b->x->arena, b->set, 0, 0x7f);
		b->at = at + 2;
		return true;
	}
	b->x->no_class_from = from;
	return false;
}

/* The name in [.name.] at b->at, a character's or its POSIX name: true if it is one at all,
 * and then *c is GLOB_NO_SYMBOL if there is no such character. */
static bool take_symbol(struct bracket *b, uint32_t *c)
{
	size_t from = b->at + 2;

	if (look(b, 0) != '[' || look(b, 1) != '.')
		return false;
	for (size_t at = from; at + 1 < b->end; at++) {
		struct bytes name = bytes_slice(b->x->p, from, at);

		if (at % 64 == 63)
			arena_charge(b->x->arena, 1);
		if (b->x->p.ptr[at] != '.' || b->x->p.ptr[at + 1] != ']' || name.len == 0)
			continue;
		if (glob_char(b->x->g, name, 0, c) != name.len)
			*c = glob_symbol(name);
		b->at = at + 2;
		return true;
	}
	return false;
}

/* One character of a bracket: escaped, [.x.] or itself. False at the end of the pattern. */
static bool take_char(struct bracket *b, uint32_t *c)
{
	if (b->at >= b->end)
		return false;
	if (take_symbol(b, c))
		return true;
	if (look(b, 0) == '\\' && (b->x->g->flags & GLOB_NOESCAPE) == 0) {
		b->at++;
		if (b->at >= b->end)
			return false;
	}
	b->at += glob_char(b->x->g, b->x->p, b->at, c);
	return true;
}

/* [=x=]: one character. */
static bool take_equivalence(struct bracket *b)
{
	size_t n;
	uint32_t c;

	if (look(b, 0) != '[' || look(b, 1) != '=' || b->at + 2 >= b->end)
		return false;
	n = glob_char(b->x->g, b->x->p, b->at + 2, &c);
	if (look(b, 2 + n) != '=' || look(b, 3 + n) != ']')
		return false;
	rx_set_add(b->x->arena, b->set, c, c);
	b->at += n + 4;
	return true;
}

/* A character or a range. False if the bracket is not closed. */
static bool take_range(struct bracket *b)
{
	uint32_t lo, hi;

	if (!take_char(b, &lo))
		return false;
	hi = lo;
	if ((b->x->g->flags & GLOB_PATHNAME) != 0 && look(b, 0) == '/')
		return false;
	if (look(b, 0) == '-' && b->at + 1 < b->end && look(b, 1) != ']') {
		b->at++;
		if (!take_char(b, &hi))
			return false;
	}
	if (lo != GLOB_NO_SYMBOL && hi != GLOB_NO_SYMBOL)
		rx_set_add(b->x->arena, b->set, lo, hi);
	return true;
}

static void finish_set(struct bracket *b, bool negate)
{
	struct glob *g = b->x->g;

	bool utf8 = (g->flags & GLOB_UTF8) != 0;

	rx_set_finish(b->set);
	if ((g->flags & GLOB_ICASE) != 0)
		rx_set_fold(b->x->arena, b->set, utf8);
	/* Classes tell small from capital letters even then. */
	for (int class = 0; class < UTF8_NCLASSES; class ++) {
		if ((b->classes >> class & 1) != 0)
			rx_set_add_class(b->x->arena, b->set, (enum utf8_class) class, utf8);
	}
	rx_set_finish(b->set);
	arena_charge(b->x->arena, b->set->n / 8);
	if (!negate)
		return;
	rx_set_negate(b->x->arena, b->set, utf8);
	/* Unlike in regular expressions a stray byte is a character. */
	if (utf8) {
		rx_set_add(b->x->arena, b->set, RX_RAW + 0x80, RX_TOP - 1);
		rx_set_finish(b->set);
	}
}

/* A bracket expression at `at` (behind '['): returns where it ends, or 0 if it is none. */
static size_t take_bracket(struct parse *x, size_t at, size_t end, struct glob_seq *seq)
{
	struct bracket b = { .x = x, .at = at, .end = end };
	bool negate = look(&b, 0) == '!' || look(&b, 0) == '^';

	if (!may_close(x, at, end))
		return 0;
	b.set = rx_set_new(x->arena);
	if (negate)
		b.at++;
	for (bool first = true; first || look(&b, 0) != ']'; first = false) {
		arena_charge(x->arena, 1);
		if (b.at >= end)
			return 0;
		if (!take_class(&b) && !take_equivalence(&b) && !take_range(&b))
			return 0;
		if (b.at >= end)
			return 0;
	}
	finish_set(&b, negate);
	add_item(x, seq, (struct glob_item){ .op = GLOB_SET, .set = b.set });
	return b.at + 1;
}

/* --- sequences --- */

/* Skips a bracket while looking for the end of an extended glob. */
static size_t skip_bracket(const struct parse *x, size_t at, size_t end)
{
	size_t i = at + 1;

	if (i < end && (x->p.ptr[i] == '!' || x->p.ptr[i] == '^'))
		i++;
	if (i < end && x->p.ptr[i] == ']')
		i++;
	for (; i < end; i++) {
		char c = x->p.ptr[i];

		if (c == ']')
			return i;
		if (c == '\\' && (x->g->flags & GLOB_NOESCAPE) == 0) {
			i++;
		} else if (c == '[' && i + 1 < end && strchr(":.=", x->p.ptr[i + 1]) != NULL &&
			   x->p.ptr[i + 1] != '\0') {
			size_t k = i + 2;

			while (k + 1 < end &&
			       !(x->p.ptr[k] == x->p.ptr[i + 1] && x->p.ptr[k + 1] == ']'))
				k++;
			arena_charge(x->arena, (k - i) / 64);
			if (k + 1 < end)
				i = k + 1;
		}
	}
	return SIZE_MAX;
}

/* A bracket in an extended glob that is not closed takes all the rest into it. */
#define OPEN_BRACKET (SIZE_MAX - 1)

/* From behind "x(": the place of the ')' that ends it, or of the '|' that ends the first
 * alternative if `bar`; SIZE_MAX if there is none, or OPEN_BRACKET. */
static size_t scan_ext(const struct parse *x, size_t at, size_t end, bool bar)
{
	size_t nest = 0;

	for (; at < end; at++) {
		char c = x->p.ptr[at];

		if (c == '\\' && (x->g->flags & GLOB_NOESCAPE) == 0)
			at++;
		else if (c == '[') {
			at = skip_bracket(x, at, end);
			if (at == SIZE_MAX)
				return OPEN_BRACKET;
		} else if (c == '(')
			nest++;
		else if (c == ')' && nest-- == 0)
			return at;
		else if (c == '|' && bar && nest == 0)
			return at;
	}
	return SIZE_MAX;
}

static struct glob_seq *parse_seq(struct parse *x, size_t at, size_t end, unsigned depth);

/* The alternatives between `at` and the ')' at `close`. */
static void take_ext(struct parse *x, struct glob_seq *seq, char ext, size_t at, size_t close,
		     unsigned depth)
{
	struct glob_item i = { .op = GLOB_EXT, .ext = ext };
	struct glob_seq *first = NULL;
	struct glob_seq *last = NULL;

	x->g->simple = false;
	if (ext == '!')
		i.number = x->g->nnots++;
	for (;;) {
		size_t stop = scan_ext(x, at, close + 1, true);
		struct glob_seq *alt;

		if (stop == SIZE_MAX || stop > close)
			stop = close;
		alt = parse_seq(x, at, stop, depth + 1);
		if (first == NULL)
			first = alt;
		else
			last->next = alt;
		last = alt;
		if (stop == close)
			break;
		at = stop + 1;
	}
	i.alts = first;
	add_item(x, seq, i);
}

/* The rest of the pattern, as it stands. */
static size_t take_rest(struct parse *x, struct glob_seq *seq, size_t at, size_t end)
{
	while (at < end) {
		uint32_t c;

		at += glob_char(x->g, x->p, at, &c);
		add_char(x, seq, c);
	}
	return at;
}

static size_t take_special(struct parse *x, struct glob_seq *seq, size_t at, size_t end)
{
	size_t after;

	switch (x->p.ptr[at]) {
	case '?': add_item(x, seq, (struct glob_item){ .op = GLOB_ANY }); return at + 1;
	case '*': add_item(x, seq, (struct glob_item){ .op = GLOB_STAR }); return at + 1;
	case '[':
		after = take_bracket(x, at + 1, end, seq);
		if (after != 0)
			return after;
		break;
	case '\\':
		if ((x->g->flags & GLOB_NOESCAPE) == 0 && at + 1 < end)
			at++;
		break;
	}
	if (at < end) {
		uint32_t c;

		at += glob_char(x->g, bytes_slice(x->p, 0, end), at, &c);
		add_char(x, seq, c);
	}
	return at;
}

static struct glob_seq *parse_seq(struct parse *x, size_t at, size_t end, unsigned depth)
{
	struct glob_seq *seq = arena_zalloc(x->arena, sizeof(*seq));

	if (depth > GLOB_DEPTH_MAX)
		x->too_deep = true;
	while (at < end && !x->too_deep) {
		size_t close;

		if (!is_ext(x, at) || at + 1 >= end) {
			at = take_special(x, seq, at, end);
			continue;
		}
		close = scan_ext(x, at + 2, end, false);
		if (close == OPEN_BRACKET && memchr(x->p.ptr + at, ')', end - at) != NULL) {
			struct rx_set *nothing = rx_set_new(x->arena);

			rx_set_finish(nothing);
			add_item(x, seq, (struct glob_item){ .op = GLOB_SET, .set = nothing });
			x->g->open = true;
			return seq;
		}
		if (close >= OPEN_BRACKET) {
			at = take_rest(x, seq, at, end);
		} else {
			take_ext(x, seq, x->p.ptr[at], at + 2, close, depth);
			at = close + 1;
		}
	}
	return seq;
}

/* --- shortcuts --- */

/* The bytes of items [from, to), if all of them are characters. */
static bool literal_part(struct parse *x, uint32_t from, uint32_t to, struct bytes *out)
{
	const struct glob_item *item = x->g->all->item;
	char *text = arena_alloc(x->arena, (size_t)(to - from) * 4 + 1);
	size_t n = 0;

	for (uint32_t i = from; i < to; i++) {
		if (item[i].op != GLOB_CHAR)
			return false;
		if (item[i].c >= RX_RAW || (x->g->flags & GLOB_UTF8) == 0)
			text[n++] = (char)item[i].c;
		else
			n += utf8_encode(item[i].c, text + n);
	}
	*out = (struct bytes){ text, n };
	return true;
}

static void find_shortcuts(struct parse *x)
{
	struct glob *g = x->g;
	const struct glob_seq *s = g->all;
	uint32_t nchars = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		nchars += s->item[i].op == GLOB_CHAR;
		g->star = g->star || s->item[i].op == GLOB_STAR || s->item[i].op == GLOB_EXT;
	}
	if (nchars + 1 < s->n)
		return;
	if (nchars == s->n)
		g->literal = literal_part(x, 0, s->n, &g->text);
	if ((g->flags & (GLOB_PATHNAME | GLOB_PERIOD | GLOB_ICASE)) != 0 || g->literal)
		return;
	if (s->item[0].op == GLOB_STAR)
		g->star_text = literal_part(x, 1, s->n, &g->text);
	else if (s->item[s->n - 1].op == GLOB_STAR)
		g->text_star = literal_part(x, 0, s->n - 1, &g->text);
}

struct glob *glob_compile(struct arena *arena, struct bytes pattern, unsigned flags)
{
	struct glob *g = arena_zalloc(arena, sizeof(*g));
	struct parse x = { .arena = arena, .g = g, .p = pattern };

	g->flags = flags;
	g->simple = true;
	g->star_first = pattern.len != 0 && pattern.ptr[0] == '*';
	g->all = parse_seq(&x, 0, pattern.len, 0);
	if (x.too_deep)
		return NULL;
	if (g->open)
		g->source = arena_bytes(arena, pattern);
	find_shortcuts(&x);
	return g;
}

bool glob_is_literal(const struct glob *g)
{
	return g->literal && (g->flags & GLOB_ICASE) == 0;
}

bool glob_begins_with_star(const struct glob *g)
{
	return g->star_first;
}

struct bytes glob_literal(const struct glob *g)
{
	return g->text;
}

void glob_set_work(struct glob *g, void (*poll)(void *arg, uint64_t work), void *arg)
{
	g->poll = poll;
	g->poll_arg = arg;
}

void glob_charge(struct glob *g, uint64_t steps)
{
	enum { WORK_STEP = 4096 };

	g->work += steps;
	if (g->work >= WORK_STEP) {
		uint64_t work = g->work;

		g->work = 0;
		if (g->poll != NULL)
			g->poll(g->poll_arg, work);
	}
}

bool glob_has_magic(struct bytes word, bool extglob)
{
	bool open = false;

	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (c == '*' || c == '?' || (c == ']' && open))
			return true;
		/* A bracket must be closed before the next slash. */
		open = c == '[' || (open && c != '/');
		i += c == '\\';
		if (extglob && (c == '+' || c == '@' || c == '!') && i + 1 < word.len &&
		    word.ptr[i + 1] == '(')
			return true;
	}
	return false;
}
