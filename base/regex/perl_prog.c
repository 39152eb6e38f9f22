/* SPDX-License-Identifier: MIT
 *
 * Instructions for what only Perl's syntax has.
 */
#include "base/regex/private.h"

static uint32_t add(struct rx_prog *g, enum rx_inst_op op, uint32_t n, uint32_t out)
{
	g->linear = false;
	return rx_prog_add(g, (struct rx_inst){ .op = (uint8_t)op, .n = n, .out = out });
}

/* Characters that every match of n takes, RX_NONE if that varies. */
static uint32_t width(const struct rx_node *n)
{
	uint32_t sum = 0;

	switch (n->op) {
	case RX_CHAR:
	case RX_SET: return 1;
	case RX_REPEAT:
		sum = width(n->kid);
		return n->min == n->max && sum != RX_NONE && sum < 65536 && n->min < 65536
			       ? sum * n->min
			       : RX_NONE;
	case RX_GROUP:
	case RX_ATOMIC: return width(n->kid);
	case RX_CAT:
		for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next) {
			uint32_t w = width(kid);

			if (w == RX_NONE || sum > 65535)
				return RX_NONE;
			sum += w;
		}
		return sum;
	case RX_ALT:
		for (const struct rx_node *kid = n->kid->next; kid != NULL; kid = kid->next)
			if (width(kid) != width(n->kid))
				return RX_NONE;
		return width(n->kid);
	case RX_BACKREF:
	case RX_COND:
	case RX_CALL: return RX_NONE;
	default: return 0;
	}
}

/* One alternative of a look-behind: steps back, then matches forwards. */
static uint32_t build_behind(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	uint32_t w = width(n);

	if (w == RX_NONE) {
		g->error = "lookbehind assertion is not fixed length";
		return next;
	}
	return add(g, RX_I_BACK, w, rx_prog_node(g, n, next));
}

static uint32_t build_behind_all(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	uint32_t all;

	if (n->op != RX_ALT)
		return build_behind(g, n, next);
	all = build_behind(g, n->last, next);
	for (const struct rx_node *kid = n->last->prev; kid != NULL; kid = kid->prev) {
		uint32_t one = build_behind(g, kid, next);

		all = rx_prog_add(g, (struct rx_inst){ .op = RX_I_SPLIT, .out = one, .alt = all });
	}
	return all;
}

static uint32_t build_look(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	bool not = (n->kind & RX_NOT) != 0;
	uint32_t slot = g->nslots;
	uint32_t end, body, hold;

	g->nslots += 2;
	end = add(g, not ? RX_I_NOT_CUT : RX_I_CUT, slot, next);
	if (!g->too_big)
		g->inst[end].kind = 1;
	body = (n->kind & RX_BEHIND) != 0 ? build_behind_all(g, n->kid, end)
					  : rx_prog_node(g, n->kid, end);
	hold = add(g, not ? RX_I_NOT_HOLD : RX_I_HOLD, slot, body);
	if (!g->too_big)
		g->inst[hold].alt = next;
	return hold;
}

/* (?>x), and x*+ which is (?>x*). */
static uint32_t build_atomic(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	uint32_t slot = g->nslots;
	uint32_t end;

	g->nslots += 2;
	end = add(g, RX_I_CUT, slot, next);
	return add(g, RX_I_HOLD, slot,
		   n->op == RX_ATOMIC ? rx_prog_node(g, n->kid, end) : rx_prog_repeat(g, n, end));
}

/* What is looked for leads to `yes`, or where it is not there to `no`. */
static uint32_t build_look_cond(struct rx_prog *g, const struct rx_node *look, uint32_t yes,
				uint32_t no)
{
	bool not = (look->kind & RX_NOT) != 0;
	uint32_t slot = g->nslots;
	uint32_t end, body, hold;

	g->nslots += 2;
	end = add(g, RX_I_CUT, slot, not ? no : yes);
	if (!g->too_big)
		g->inst[end].kind = 1;
	body = (look->kind & RX_BEHIND) != 0 ? build_behind_all(g, look->kid, end)
					     : rx_prog_node(g, look->kid, end);
	hold = add(g, RX_I_NOT_HOLD, slot, body);
	if (!g->too_big)
		g->inst[hold].alt = not ? yes : no;
	return hold;
}

static uint32_t build_cond(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	if (n->kind == RX_IF_NEVER) {
		(void)rx_prog_node(g, n->kid, next);
		return next;
	}
	if (n->kind == RX_IF_LOOK) {
		const struct rx_node *branch = n->kid->next;
		uint32_t otherwise = branch != NULL && branch->next != NULL
					     ? rx_prog_node(g, branch->next, next)
					     : next;

		return build_look_cond(g, n->kid,
				       branch != NULL ? rx_prog_node(g, branch, next) : next,
				       otherwise);
	}
	uint32_t no = n->kid->next != NULL ? rx_prog_node(g, n->kid->next, next) : next;
	uint32_t yes = rx_prog_node(g, n->kid, next);
	uint32_t test = add(g, RX_I_IF_GROUP, n->n, yes);

	if (!g->too_big) {
		g->inst[test].alt = no;
		g->inst[test].kind = n->kind == RX_IF_CALLED;
	}
	return test;
}

uint32_t rx_build_perl(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	switch (n->op) {
	case RX_LOOK: return build_look(g, n, next);
	case RX_REPEAT:
	case RX_ATOMIC: return build_atomic(g, n, next);
	case RX_COND: return build_cond(g, n, next);
	case RX_KEEP: return add(g, RX_I_KEEP, 0, next);
	case RX_CALL: return add(g, RX_I_CALL, n->n, next);
	case RX_VERB: {
		uint32_t verb = add(g, RX_I_VERB, 0, next);

		if (!g->too_big)
			g->inst[verb].kind = n->kind;
		return verb;
	}
	default: return next;
	}
}

static const struct rx_node *find_group(const struct rx_node *n, uint32_t group)
{
	if (n->op == RX_GROUP && n->n == group)
		return n;
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next) {
		const struct rx_node *found = find_group(kid, group);

		if (found != NULL)
			return found;
	}
	return NULL;
}

void rx_link_calls(struct rx_prog *g, const struct rx_node *tree)
{
	for (uint32_t i = 0; i < g->n && !g->too_big; i++) {
		uint32_t group = g->inst[i].n;

		if (g->inst[i].op != RX_I_CALL)
			continue;
		/* A group that is repeated 0 times is there to be called. */
		if (group != 0 && g->entry[group] == 0) {
			const struct rx_node *n = find_group(tree, group);

			if (n != NULL)
				(void)rx_prog_node(g, n, add(g, RX_I_FAIL, 0, 0));
		}
		g->inst[i].alt = group != 0 ? g->entry[group] : g->start;
	}
}
