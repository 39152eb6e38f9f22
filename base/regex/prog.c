/* SPDX-License-Identifier: MIT
 *
 * From the tree to a program over characters.
 *
 * Every part is built with the instruction that follows it at hand, so nothing is patched
 * later but loops. The order of alternatives, and how repeats are unrolled, is that of GNU's
 * regcomp: which groups are reported depends on it.
 */
#include "base/regex/private.h"

const struct rx_condition rx_conditions[RX_DFA_ASSERTS] = {
	[RX_LINE_BEGIN] = { RX_LINE, RX_LINE, 0, 0 },
	[RX_LINE_END] = { 0, 0, RX_LINE, RX_LINE },
	[RX_TEXT_BEGIN] = { RX_EDGE, RX_EDGE, 0, 0 },
	[RX_TEXT_END] = { 0, 0, RX_EDGE, RX_EDGE },
	[RX_WORD_BEGIN] = { RX_WORD, 0, RX_WORD, RX_WORD },
	[RX_WORD_END] = { RX_WORD, RX_WORD, RX_WORD, 0 },
	[RX_WORD_INSIDE] = { RX_WORD, RX_WORD, RX_WORD, RX_WORD },
	[RX_WORD_OUTSIDE] = { RX_WORD, 0, RX_WORD, 0 },
	[RX_NO_WORD_BEFORE] = { RX_WORD, 0, 0, 0 },
	[RX_NO_WORD_BEHIND] = { 0, 0, RX_WORD, 0 },
};

static uint32_t add(struct rx_prog *g, struct rx_inst i)
{
	if (g->n >= g->max) {
		g->too_big = true;
		return 0;
	}
	if (g->n == g->cap) {
		uint32_t cap = g->cap != 0 ? g->cap * 2 : 16;

		g->inst = arena_grow(g->arena, g->inst, g->cap * sizeof(i), cap * sizeof(i));
		g->cap = cap;
	}
	if (g->n % 4 == 0)
		arena_charge(g->arena, 1);
	g->inst[g->n] = i;
	return g->n++;
}

static uint32_t add_op(struct rx_prog *g, enum rx_inst_op op, uint32_t n, uint32_t out)
{
	return add(g, (struct rx_inst){ .op = (uint8_t)op, .n = n, .out = out });
}

static uint32_t split(struct rx_prog *g, uint32_t out, uint32_t alt)
{
	return add(g, (struct rx_inst){ .op = RX_I_SPLIT, .out = out, .alt = alt });
}

static uint32_t build(struct rx_prog *g, const struct rx_node *n, uint32_t next);

static uint32_t build_cat(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	if (g->reverse) {
		for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
			next = build(g, kid, next);
	} else {
		for (const struct rx_node *kid = n->last; kid != NULL; kid = kid->prev)
			next = build(g, kid, next);
	}
	return next;
}

static uint32_t build_alt(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	uint32_t all = build(g, n->last, next);

	for (const struct rx_node *kid = n->last->prev; kid != NULL; kid = kid->prev) {
		uint32_t one = build(g, kid, next);

		all = split(g, one, all);
	}
	return all;
}

static uint32_t build_group(struct rx_prog *g, const struct rx_node *n, uint32_t next,
			    bool optional)
{
	uint32_t close, body, open;

	if (g->reverse)
		return build(g, n->kid, next);
	close = add_op(g, RX_I_CLOSE, n->n, next);
	if (!g->too_big)
		g->inst[close].kind = optional;
	body = build(g, n->kid, close);
	open = add_op(g, RX_I_OPEN, n->n, body);
	if (g->entry != NULL)
		g->entry[n->n] = open;
	return open;
}

/* One turn of a repeat. GNU marks the group of the first turn that may be left out, and copies
 * are not marked. */
static uint32_t build_turn(struct rx_prog *g, const struct rx_node *kid, uint32_t next, bool mark,
			   bool copy)
{
	uint32_t turn;

	mark = mark && g->copies == 0;
	g->copies += copy;
	if (kid->op == RX_GROUP && !g->too_big)
		turn = build_group(g, kid, next, mark);
	else
		turn = build(g, kid, next);
	g->copies -= copy;
	return turn;
}

/* {0,times} as GNU unrolls it, ((x?x)?x)?: the last turn alone is tried after all ways to
 * have more of them. */
static uint32_t build_optional(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	uint32_t times = n->max - n->min;
	uint32_t body = next;
	uint32_t size = 0; /* of a turn: all are built alike */

	for (uint32_t i = 1; i <= times && !g->too_big; i++) {
		bool first = i == times;
		uint32_t turn = build_turn(g, n->kid, body, first, !first || n->min > 0);

		if (turn == body)
			return next;
		size = turn - body;
		body = turn;
	}
	for (uint32_t i = 1, turn = body; i <= times && !g->too_big; i++) {
		turn -= size;
		body = split(g, body, i == times ? next : turn);
	}
	return body;
}

/* In a chain x?x?..x? every turn may be left out towards the end. */
static uint32_t build_chain(struct rx_prog *g, const struct rx_node *kid, uint32_t times,
			    uint32_t next, bool lazy)
{
	uint32_t after = next;

	for (uint32_t i = 0; i < times && !g->too_big; i++) {
		uint32_t body = build_turn(g, kid, next, false, false);

		if (body == next)
			break;
		next = lazy ? split(g, after, body) : split(g, body, after);
	}
	return next;
}

/* One character any number of times is one instruction of the backtracking matcher. */
static uint32_t build_star(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	return add(g, (struct rx_inst){ .op = RX_I_STAR,
					.kind = n->kind,
					.n = n->kid->n,
					.set = n->kid->set,
					.out = next });
}

static uint32_t build_loop(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	bool lazy = g->perl && n->kind == RX_LAZY;
	uint32_t loop = lazy ? split(g, next, 0) : split(g, 0, next);
	uint32_t back = loop;
	uint32_t body;

	if (n->kid->nullable) {
		g->loops = true;
		g->linear = false;
	}
	if (g->perl && n->kid->nullable) {
		uint32_t slot = g->nslots++;

		back = add(g, (struct rx_inst){
				      .op = RX_I_LOOP_TEST, .n = slot, .out = loop, .alt = next });
		body = add_op(g, RX_I_LOOP, slot, build_turn(g, n->kid, back, true, n->min > 0));
	} else {
		body = build_turn(g, n->kid, back, true, n->min > 0);
	}
	if (g->too_big)
		return 0;
	if (lazy)
		g->inst[loop].alt = body;
	else
		g->inst[loop].out = body;
	return loop;
}

static uint32_t build_repeat(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	if (g->perl && n->max == RX_INFINITE && n->kind != RX_LAZY &&
	    (n->kid->op == RX_CHAR || n->kid->op == RX_SET))
		next = build_star(g, n, next);
	else if (n->max == RX_INFINITE)
		next = build_loop(g, n, next);
	else if (g->perl || g->reverse)
		next = build_chain(g, n->kid, n->max - n->min, next, n->kind == RX_LAZY);
	else
		next = build_optional(g, n, next);
	for (uint32_t i = 0; i < n->min && !g->too_big; i++) {
		uint32_t body = build_turn(g, n->kid, next, false, i + 1 < n->min);

		if (body == next)
			break;
		next = body;
	}
	return next;
}

static uint32_t build(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	struct rx_inst i = { .kind = n->kind, .n = n->n, .out = next, .icase = n->icase };

	if (g->too_big)
		return 0;
	switch (n->op) {
	case RX_CHAR: return add_op(g, RX_I_CHAR, n->n, next);
	case RX_SET:
		i.op = RX_I_SET;
		i.set = n->set;
		return add(g, i);
	case RX_CAT: return build_cat(g, n, next);
	case RX_ALT: return build_alt(g, n, next);
	case RX_REPEAT:
		if (g->perl && n->kind == RX_POSSESSIVE)
			return rx_build_perl(g, n, next);
		return build_repeat(g, n, next);
	case RX_GROUP: return build_group(g, n, next, false);
	case RX_ASSERT:
		i.op = RX_I_ASSERT;
		g->words = g->words || (n->kind >= RX_WORD_BEGIN && n->kind <= RX_NO_WORD_BEHIND);
		return add(g, i);
	case RX_FAIL: return add_op(g, RX_I_FAIL, 0, 0);
	case RX_BACKREF:
		g->linear = false;
		i.op = RX_I_BACKREF;
		return add(g, i);
	case RX_EMPTY: return next;
	default: return rx_build_perl(g, n, next);
	}
}

uint32_t rx_prog_repeat(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	return build_repeat(g, n, next);
}

uint32_t rx_prog_add(struct rx_prog *g, struct rx_inst i)
{
	return add(g, i);
}

uint32_t rx_prog_node(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	return build(g, n, next);
}

static uint32_t count_nodes(const struct rx_node *n)
{
	uint32_t total = 1;

	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		total += count_nodes(kid);
	return total;
}

struct rx_prog *rx_prog_build(struct arena *a, const struct rx_node *tree, uint32_t ngroups,
			      enum rx_prog_kind kind, bool utf8, const char **error)
{
	struct rx_prog *g = arena_zalloc(a, sizeof(*g));

	g->arena = a;
	g->ngroups = ngroups;
	g->reverse = kind == RX_BACKWARD;
	g->perl = kind == RX_PERL;
	g->utf8 = utf8;
	g->linear = true;
	/* What repeats multiply is bounded, not how many words an automaton looks for. */
	g->max = REGEX_STATES_MAX + (g->perl ? 0 : 2 * count_nodes(tree));
	if (g->perl)
		g->entry = arena_array(a, ngroups + 1, sizeof(g->entry[0]));
	g->start = build(g, tree, add_op(g, RX_I_MATCH, 0, 0));
	if (g->perl && g->error == NULL)
		rx_link_calls(g, tree);
	if (!g->too_big && g->error == NULL)
		return g;
	*error = g->error != NULL ? g->error : RX_TOO_BIG;
	return NULL;
}

bool rx_has_conditions(const struct rx_prog *prog)
{
	for (uint32_t i = 0; i < prog->n; i++)
		if (prog->inst[i].op == RX_I_ASSERT)
			return true;
	return false;
}
