/* SPDX-License-Identifier: MIT
 *
 * Code for assignments, and for functions that steer the machine: empty, error, path, first,
 * limit, range, getpath with a path.
 */
#include "builtins/jq/gen.h"

enum { PLAIN_KEYS_MAX = 64 };

/* --- assignments --- */

/* For each path of n: its register; the accumulator begins as the input. */
static unsigned gen_paths(struct gen *g, struct node *n, unsigned in, unsigned path0)
{
	unsigned pair = gen_pair(g, GEN_PATH);

	gen_emit(g, OP_MOVE, 0, path0, in, 0);
	gen_emit(g, OP_MAKE_ARRAY, 0, path0 + 1, 0, 0);
	gen(g, n, path0, pair, GEN_PATH);
	gen_emit(g, OP_CHECK_PATH, 0, 0, pair, 0);
	return pair;
}

/* --- assignments to one path: what is assigned to may be changed in place --- */

/* Whether n has one result, or an error. */
static bool is_single(struct gen *g, struct node *n)
{
	switch ((enum node_kind)n->kind) {
	case N_LITERAL:
	case N_IDENTITY:
	case N_VAR: return true;
	case N_STRING:
	case N_CALL:
		if (n->kind == N_CALL && !gen_is_native(g, n))
			return false;
		for (size_t i = 0; i < n->n; i++)
			if (!is_single(g, n->list[i]))
				return false;
		return true;
	case N_INDEX: return n->op == 0 && is_single(g, n->a) && is_single(g, n->b);
	case N_PIPE:
	case N_BINARY: return is_single(g, n->a) && is_single(g, n->b);
	default: return false;
	}
}

/* How many keys the path has that n is; -1: it is not just one path. */
static int plain_keys(struct gen *g, struct node *n)
{
	int keys = 0;

	for (; n->kind == N_INDEX && keys < PLAIN_KEYS_MAX; n = n->a, keys++)
		if (n->op != 0 || !is_single(g, n->b))
			return -1;
	return n->kind == N_IDENTITY ? keys : -1;
}

static unsigned gen_plain_path(struct gen *g, struct node *n, unsigned in, int keys)
{
	unsigned path = gen_reg(g);
	unsigned first = gen_reg(g);
	unsigned value = first;

	for (int i = 1; i < keys; i++)
		gen_reg(g);
	for (int i = keys - 1; i >= 0; i--, n = n->a)
		gen(g, n->b, in, first + (unsigned)i, 0);
	gen_emit(g, OP_MAKE_ARRAY, 0, path, first, (unsigned)keys);
	/* What can't be accessed can't be assigned to. */
	gen_emit(g, OP_GET_PATH, 0, value, in, path);
	gen_const(g, value, json_simple(JSON_NULL));
	return path;
}

static void gen_set_plain(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned last,
			  int keys)
{
	unsigned acc = gen_reg(g);
	unsigned t = gen_reg(g);
	bool move;
	unsigned value = gen_operand(g, n->b, in, 0, &move);
	unsigned path = gen_plain_path(g, n->a, in, keys);

	gen_emit(g, OP_MOVE, move ? INSN_MOVE_A : 0, t, value, 0);
	gen_emit(g, OP_MOVE, last ? INSN_MOVE_A : 0, acc, in, 0);
	gen_emit(g, OP_SET_PATH, 0, acc, path, t);
	gen_emit(g, OP_TAKE, 0, dst, acc, 0);
}

static void gen_set(struct gen *g, struct node *n, unsigned in, unsigned dst)
{
	unsigned acc = gen_reg(g);
	unsigned t = gen_reg(g);
	unsigned start = gen_pair(g, GEN_PATH);
	bool move;
	unsigned value = gen_operand(g, n->b, in, 0, &move);
	unsigned pair;
	size_t fork;

	gen_emit(g, OP_MOVE, 0, acc, in, 0);
	fork = gen_emit(g, OP_FORK, 0, 0, 0, 0);
	pair = gen_paths(g, n->a, in, start);
	gen_emit(g, OP_MOVE, 0, t, value, 0);
	gen_emit(g, OP_SET_PATH, 0, acc, pair + 1, t);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, fork);
	gen_emit(g, OP_TAKE, 0, dst, acc, 0);
}

/* The new value in u out of the old in t: |= runs n->b on it, += and its kin add `value`. */
static void gen_new_value(struct gen *g, struct node *n, unsigned t, unsigned u, unsigned value)
{
	struct node old = { .kind = N_IDENTITY, .src = n->src };
	struct node var = { .kind = N_VAR, .src = n->src, .name = BYTES("*value") };
	struct node op = { .kind = N_BINARY, .op = n->op, .src = n->src, .a = &old, .b = &var };
	struct scope *keep = g->scope;

	if (n->op == B_UPDATE) {
		gen(g, n->b, t, u, GEN_LAST);
		return;
	}
	if (n->op == B_ALT)
		op.kind = N_ALT;
	gen_bind(g, S_VAR, var.name, value);
	gen(g, &op, t, u, GEN_LAST);
	g->scope = keep;
}

static void gen_update_plain(struct gen *g, struct node *n, unsigned in, unsigned dst,
			     unsigned last, int keys)
{
	unsigned acc = gen_reg(g);
	unsigned t = gen_reg(g);
	unsigned u = gen_reg(g);
	unsigned gone = gen_reg(g);
	unsigned height = gen_reg(g);
	unsigned value = 0;
	unsigned path;
	bool move;
	size_t none;
	size_t out;

	if (n->op != B_UPDATE)
		value = gen_operand(g, n->b, in, 0, &move);
	path = gen_plain_path(g, n->a, in, keys);
	gen_emit(g, OP_MOVE, last ? INSN_MOVE_A : 0, acc, in, 0);
	none = gen_emit(g, OP_LABEL, 0, height, 0, 0);
	gen_emit(g, OP_TAKE_PATH, 0, t, acc, path);
	gen_new_value(g, n, t, u, value);
	gen_emit(g, OP_CUT, 0, 0, height, 0);
	gen_emit(g, OP_SET_PATH, 0, acc, path, u);
	gen_emit(g, OP_TAKE, 0, dst, acc, 0);
	out = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
	gen_patch(g, none);
	g->code[none].flags = INSN_OPTIONAL;
	gen_emit(g, OP_NEW_ARRAY, 0, gone, 0, 0);
	gen_emit(g, OP_APPEND, 0, gone, 0, path);
	gen_emit(g, OP_DEL_PATHS, 0, dst, acc, gone);
	gen_patch(g, out);
}

static void gen_update(struct gen *g, struct node *n, unsigned in, unsigned dst)
{
	unsigned acc = gen_reg(g);
	unsigned t = gen_reg(g);
	unsigned u = gen_reg(g);
	unsigned gone = gen_reg(g);
	unsigned height = gen_reg(g);
	unsigned start = gen_pair(g, GEN_PATH);
	unsigned value = 0;
	unsigned pair;
	bool move;
	size_t fork;
	size_t none;

	if (n->op != B_UPDATE)
		value = gen_operand(g, n->b, in, 0, &move);
	gen_emit(g, OP_MOVE, 0, acc, in, 0);
	gen_emit(g, OP_NEW_ARRAY, 0, gone, 0, 0);
	fork = gen_emit(g, OP_FORK, 0, 0, 0, 0);
	pair = gen_paths(g, n->a, in, start);
	/* The first result counts; none means that the path is deleted in the end. */
	none = gen_emit(g, OP_LABEL, 0, height, 0, 0);
	gen_emit(g, OP_TAKE_PATH, 0, t, acc, pair + 1);
	gen_new_value(g, n, t, u, value);
	gen_emit(g, OP_CUT, 0, 0, height, 0);
	gen_emit(g, OP_SET_PATH, 0, acc, pair + 1, u);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, none);
	g->code[none].flags = INSN_OPTIONAL;
	gen_emit(g, OP_APPEND, 0, gone, 0, pair + 1);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, fork);
	gen_emit(g, OP_DEL_PATHS, 0, dst, acc, gone);
}

void gen_assign(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	int keys = plain_keys(g, n->a);

	if (keys > 0 && n->op == B_SET)
		gen_set_plain(g, n, in, dst, flags & GEN_LAST, keys);
	else if (keys > 0)
		gen_update_plain(g, n, in, dst, flags & GEN_LAST, keys);
	else if (n->op == B_SET)
		gen_set(g, n, in, dst);
	else
		gen_update(g, n, in, dst);
	gen_no_path(g, dst, flags);
}

/* --- functions --- */

static void special_empty(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	(void)n;
	(void)in;
	(void)dst;
	(void)flags;
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
}

static void special_error(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	bool move;
	unsigned a = n->n == 1 ? gen_operand(g, n->list[0], in, 0, &move) : in;

	(void)dst;
	(void)flags;
	gen_emit(g, OP_RAISE, 0, 0, a, 0);
}

static void special_constant(struct gen *g, struct node *n, unsigned in, unsigned dst,
			     unsigned flags)
{
	(void)in;
	gen_const(g, dst,
		  json_simple(bytes_is(n->name, "null")   ? JSON_NULL
			      : bytes_is(n->name, "true") ? JSON_TRUE
							  : JSON_FALSE));
	gen_no_path(g, dst, flags);
}

static void special_not(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	(void)n;
	gen_emit(g, OP_TRUTH, INSN_OPTIONAL, dst, in, 0);
	gen_no_path(g, dst, flags);
}

static void special_path(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned start = gen_pair(g, GEN_PATH);
	unsigned pair = gen_paths(g, n->list[0], in, start);

	gen_move(g, dst, pair + 1, GEN_LAST);
	gen_no_path(g, dst, flags);
}

static void special_first(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned height = gen_reg(g);

	gen_emit(g, OP_LABEL, 0, height, 0, 0);
	gen(g, n->list[0], in, dst, flags & GEN_PATH);
	gen_emit(g, OP_CUT, 0, 0, height, 0);
}

static void special_limit(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned left = gen_reg(g);
	unsigned height = gen_reg(g);
	size_t none;
	size_t all;
	size_t out;

	gen(g, n->list[0], in, left, 0);
	none = gen_emit(g, OP_LIMIT, INSN_OPTIONAL, 0, left, 0);
	all = gen_emit(g, OP_LIMIT, INSN_OPTIONAL, 1, left, 0);
	gen_emit(g, OP_LABEL, 0, height, 0, 0);
	gen(g, n->list[1], in, dst, flags & GEN_PATH);
	gen_emit(g, OP_LIMIT, 0, 0, left, height);
	out = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
	gen_patch(g, none);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, all);
	gen(g, n->list[1], in, dst, flags & GEN_PATH);
	gen_patch(g, out);
}

static void special_range(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned from = gen_reg(g);
	unsigned to = gen_reg(g);

	if (n->n == 1) {
		gen(g, n->list[0], in, to, 0);
		gen_const(g, from, json_number(0));
	} else {
		gen(g, n->list[0], in, from, 0);
		gen(g, n->list[1], in, to, 0);
	}
	unsigned state = gen_reg(g);

	gen_emit(g, OP_RANGE, 0, state, from, to);
	gen_emit(g, OP_RANGE_NEXT, 0, dst, state, to);
	gen_no_path(g, dst, flags);
}

static void special_getpath(struct gen *g, struct node *n, unsigned in, unsigned dst,
			    unsigned flags)
{
	bool move;
	unsigned p = gen_operand(g, n->list[0], in, 0, &move);

	gen_emit(g, OP_GET_PATH, flags & GEN_PATH ? INSN_PATH : 0, dst, in, p);
}

struct special {
	const char *name;
	size_t nargs;
	void (*fn)(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags);
};

static const struct special specials[] = {
	{ "empty", 0, special_empty },     { "error", 0, special_error },
	{ "error", 1, special_error },     { "null", 0, special_constant },
	{ "true", 0, special_constant },   { "false", 0, special_constant },
	{ "not", 0, special_not },         { "path", 1, special_path },
	{ "first", 1, special_first },     { "limit", 2, special_limit },
	{ "range", 1, special_range },     { "range", 2, special_range },
	{ "getpath", 1, special_getpath },
};

struct bytes gen_special_nth(size_t i, size_t *nargs)
{
	if (i >= sizeof(specials) / sizeof(specials[0]))
		return BYTES("");
	*nargs = specials[i].nargs;
	return bytes_of(specials[i].name);
}

bool gen_special(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		if (specials[i].nargs != n->n || !bytes_is(n->name, specials[i].name))
			continue;
		specials[i].fn(g, n, in, dst, flags);
		return true;
	}
	return false;
}
