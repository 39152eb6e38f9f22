/* SPDX-License-Identifier: MIT
 *
 * The tree of a pattern: making nodes, and what can be said about one without running it.
 */
#include "base/regex/private.h"

void rx_error(struct rx_parse *p, const char *text)
{
	if (p->error == NULL) {
		p->error = text;
		p->error_at = p->at;
	}
}

struct rx_node *rx_node(struct rx_parse *p, enum rx_op op)
{
	struct rx_node *n = arena_zalloc(p->arena, sizeof(*n));

	arena_charge(p->arena, 1);
	n->op = (uint8_t)op;
	n->depth = 1;
	n->nullable = op == RX_EMPTY || op == RX_CAT || op == RX_ASSERT || op == RX_BACKREF ||
		      op == RX_LOOK || op == RX_KEEP || op == RX_CALL;
	return n;
}

void rx_append(struct rx_parse *p, struct rx_node *list, struct rx_node *kid)
{
	if (kid->depth >= RX_DEPTH_MAX)
		rx_error(p, RX_TOO_BIG);
	else if (kid->depth + 1 > list->depth)
		list->depth = (uint16_t)(kid->depth + 1);
	if (list->op == RX_CAT)
		list->nullable = list->nullable && kid->nullable;
	else if (list->op == RX_ALT || list->op == RX_COND)
		list->nullable = list->nullable || kid->nullable;
	list->groups = list->groups || kid->groups || kid->op == RX_GROUP;
	kid->prev = list->last;
	if (list->last != NULL)
		list->last->next = kid;
	else
		list->kid = kid;
	list->last = kid;
}

struct rx_node *rx_unary(struct rx_parse *p, enum rx_op op, struct rx_node *kid)
{
	struct rx_node *n = rx_node(p, op);

	rx_append(p, n, kid);
	n->nullable = op == RX_LOOK || kid->nullable;
	return n;
}

struct rx_node *rx_simplify(struct rx_parse *p, struct rx_node *list)
{
	struct rx_node *only = list->kid;

	if (only == NULL)
		return rx_node(p, RX_EMPTY);
	if (only->next != NULL)
		return list;
	only->prev = NULL;
	return only;
}

/* x? x* or x+ of something, greedy. Groups would show how often. */
static bool is_simple_repeat(const struct rx_node *n)
{
	return n->op == RX_REPEAT && n->kind == RX_GREEDY && n->min <= 1 && !n->groups &&
	       (n->max == 1 || n->max == RX_INFINITE);
}

struct rx_node *rx_repeat(struct rx_parse *p, struct rx_node *kid, uint32_t min, uint32_t max,
			  enum rx_mode mode)
{
	struct rx_node *n;

	if (kid->op == RX_EMPTY || max == 0)
		return rx_node(p, RX_EMPTY);
	/* Such a repeat of such a repeat is one, so that a row of stars is no deep tree. */
	if (is_simple_repeat(kid) && mode == RX_GREEDY && min <= 1 &&
	    (max == 1 || max == RX_INFINITE)) {
		kid->min = kid->min < min ? kid->min : min;
		kid->max = kid->max > max ? kid->max : max;
		kid->nullable = kid->min == 0 || kid->kid->nullable;
		return kid;
	}
	n = rx_unary(p, RX_REPEAT, kid);
	n->kind = (uint8_t)mode;
	n->min = min;
	n->max = max;
	n->nullable = min == 0 || kid->nullable;
	return n;
}

struct rx_node *rx_set_node(struct rx_parse *p, const struct rx_set *s)
{
	struct rx_node *n = rx_node(p, RX_SET);

	n->set = s;
	return n;
}

/* The set of the cases of c, or NULL if it has only one. Those of ASCII are made once: finding
 * them takes a walk over all characters that have cases. */
static const struct rx_set *cases_of(struct rx_parse *p, uint32_t c)
{
	struct rx_set *s;
	uint32_t members = 0;

	if (c < 0x80 && !byte_is_alpha((int)c))
		return NULL;
	if (c >= RX_UNICODE_TOP || (c >= 0x80 && !rx_utf8(p)))
		return NULL;
	if (c < 0x80 && p->cases[c] != NULL)
		return p->cases[c];
	s = rx_set_new(p->arena);
	rx_set_add(p->arena, s, c, c);
	rx_set_fold(p->arena, s, rx_utf8(p));
	for (uint32_t i = 0; i < s->n; i++)
		members += s->range[i].hi - s->range[i].lo + 1;
	if (c < 0x80)
		p->cases[c] = s;
	return members > 1 ? s : NULL;
}

struct rx_node *rx_char(struct rx_parse *p, uint32_t c)
{
	const struct rx_set *s = (p->flags & REGEX_ICASE) != 0 ? cases_of(p, c) : NULL;
	struct rx_node *n;

	if (s == NULL) {
		n = rx_node(p, RX_CHAR);
		n->n = c;
		return n;
	}
	n = rx_set_node(p, s);
	if (c < 0x80 && s->n == 2 && s->range[1].hi < 0x80)
		n->fold = (uint8_t)byte_to_lower((int)c);
	return n;
}

struct rx_node *rx_assertion(struct rx_parse *p, enum rx_assert kind)
{
	struct rx_node *n = rx_node(p, RX_ASSERT);

	n->kind = (uint8_t)kind;
	return n;
}

struct rx_node *rx_word_edge(struct rx_parse *p, bool negate)
{
	struct rx_node *n = rx_node(p, RX_ALT);

	rx_append(p, n, rx_assertion(p, negate ? RX_WORD_INSIDE : RX_WORD_BEGIN));
	rx_append(p, n, rx_assertion(p, negate ? RX_WORD_OUTSIDE : RX_WORD_END));
	return n;
}

struct rx_node *rx_any(struct rx_parse *p, bool line)
{
	bool perl = (p->flags & REGEX_SYNTAX) == REGEX_PERL;
	unsigned char eol = perl ? '\n' : (unsigned char)rx_eol(p->flags);
	struct rx_set *s;

	if (p->any[line] == NULL) {
		p->any[line] = s = rx_set_new(p->arena);
		if (line)
			rx_set_add(p->arena, s, eol, eol);
		rx_set_negate(p->arena, s, rx_utf8(p));
	}
	return rx_set_node(p, p->any[line]);
}

uint32_t rx_take_char(struct rx_parse *p)
{
	uint32_t c;

	p->at += rx_char_at(p->p, p->at, rx_utf8(p), &c);
	return c;
}

static size_t encoded_size(uint32_t c, bool utf8)
{
	if (!utf8 || c < 0x80 || c >= RX_RAW)
		return 1;
	if (c < 0x800)
		return 2;
	return c < 0x10000 ? 3 : 4;
}

static struct rx_extent set_extent(const struct rx_set *s, bool utf8)
{
	if (s->n == 0)
		return (struct rx_extent){ 0, 0 };
	return (struct rx_extent){ encoded_size(s->range[0].lo, utf8),
				   encoded_size(s->range[s->n - 1].hi, utf8) };
}

static size_t add_sizes(size_t a, size_t b)
{
	return a > SIZE_MAX / 4 || b > SIZE_MAX / 4 ? SIZE_MAX : a + b;
}

static size_t multiply_sizes(size_t a, uint32_t times)
{
	if (a == 0 || times == 0)
		return 0;
	if (times == RX_INFINITE || a > SIZE_MAX / 4 / times)
		return SIZE_MAX;
	return a * times;
}

/* Of the kids of a CAT or ALT. */
static struct rx_extent list_extent(const struct rx_node *n, bool utf8)
{
	struct rx_extent e = { 0, 0 };

	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next) {
		struct rx_extent k = rx_extent(kid, utf8);

		if (n->op == RX_CAT) {
			e.min = add_sizes(e.min, k.min);
			e.max = add_sizes(e.max, k.max);
		} else if (kid == n->kid) {
			e = k;
		} else {
			e.min = k.min < e.min ? k.min : e.min;
			e.max = k.max > e.max ? k.max : e.max;
		}
	}
	return e;
}

struct rx_extent rx_extent(const struct rx_node *n, bool utf8)
{
	struct rx_extent e = { 0, 0 };

	switch (n->op) {
	case RX_CHAR: e.min = e.max = encoded_size(n->n, utf8); return e;
	case RX_SET: return set_extent(n->set, utf8);
	case RX_CAT:
	case RX_ALT: return list_extent(n, utf8);
	case RX_REPEAT:
		e = rx_extent(n->kid, utf8);
		e.min = multiply_sizes(e.min, n->min);
		e.max = multiply_sizes(e.max, n->max);
		return e;
	case RX_GROUP:
	case RX_ATOMIC: return rx_extent(n->kid, utf8);
	case RX_BACKREF:
	case RX_COND:
	case RX_CALL: e.max = SIZE_MAX; return e;
	default: return e;
	}
}

bool rx_anchored(const struct rx_node *n, bool line)
{
	switch (n->op) {
	case RX_ASSERT: return n->kind == RX_TEXT_BEGIN || (n->kind == RX_LINE_BEGIN && !line);
	case RX_CAT:
	case RX_GROUP:
	case RX_ATOMIC: return n->kid != NULL && rx_anchored(n->kid, line);
	case RX_REPEAT: return n->min > 0 && rx_anchored(n->kid, line);
	case RX_ALT:
		for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
			if (!rx_anchored(kid, line))
				return false;
		return n->kid != NULL;
	default: return false;
	}
}
