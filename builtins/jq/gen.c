/* SPDX-License-Identifier: MIT
 *
 * Code for expressions. Right operands run before left ones, so that of two generators the
 * left one is the inner loop.
 */
#include "builtins/jq/gen.h"

void gen_no_path(struct gen *g, unsigned dst, unsigned flags)
{
	if (flags & GEN_PATH)
		gen_emit(g, OP_NO_PATH, 0, dst + 1, 0, 0);
}

unsigned gen_operand(struct gen *g, struct node *n, unsigned in, unsigned last, bool *move)
{
	unsigned t;

	*move = false;
	if (n->kind == N_IDENTITY) {
		*move = last != 0;
		return in;
	}
	if (n->kind == N_VAR)
		return gen_var_operand(g, n);
	t = gen_reg(g);
	gen(g, n, in, t, last);
	*move = true;
	return t;
}

/* The same with its path. */
static unsigned pair_operand(struct gen *g, struct node *n, unsigned in, unsigned flags, bool *move)
{
	unsigned t;

	if (!(flags & GEN_PATH))
		return gen_operand(g, n, in, flags & GEN_LAST, move);
	*move = n->kind != N_IDENTITY || (flags & GEN_LAST);
	if (n->kind == N_IDENTITY)
		return in;
	t = gen_pair(g, flags);
	gen(g, n, in, t, flags & (GEN_PATH | GEN_LAST));
	return t;
}

static unsigned insn_flags(unsigned flags, bool move_a, bool move_b)
{
	return (flags & GEN_PATH ? INSN_PATH : 0) | (move_a ? INSN_MOVE_A : 0) |
	       (move_b ? INSN_MOVE_B : 0);
}

/* --- access --- */

static void gen_index(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned more = n->op ? INSN_OPTIONAL : 0;
	bool move_a;
	bool move_b = false;
	unsigned a;
	unsigned b = 0;

	if (n->b->kind == N_LITERAL && n->b->value.kind == JSON_STRING) {
		size_t at;

		a = pair_operand(g, n->a, in, flags, &move_a);
		at = gen_emit(g, OP_INDEX_CONST, insn_flags(flags, move_a, false) | more, dst, a,
			      0);
		g->code[at].u.value = &n->b->value;
		return;
	}
	b = gen_operand(g, n->b, in, 0, &move_b);
	a = pair_operand(g, n->a, in, flags, &move_a);
	gen_emit(g, OP_INDEX, insn_flags(flags, move_a, move_b) | more, dst, a, b);
}

static void gen_slice(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned from = gen_reg(g);
	unsigned to = gen_reg(g);
	bool move;
	unsigned a;

	if (n->b != NULL)
		gen(g, n->b, in, from, 0);
	else
		gen_const(g, from, json_simple(JSON_NULL));
	if (n->c != NULL)
		gen(g, n->c, in, to, 0);
	else
		gen_const(g, to, json_simple(JSON_NULL));
	a = pair_operand(g, n->a, in, flags, &move);
	gen_emit(g, OP_SLICE, insn_flags(flags, move, false) | (n->op ? INSN_OPTIONAL : 0), dst, a,
		 from);
}

static void gen_each(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned more = n->op ? INSN_OPTIONAL : 0;
	unsigned state = g->nregs;
	bool move;
	unsigned a;

	/* The container, the index, with paths the container's path. */
	gen_reg(g);
	gen_reg(g);
	gen_reg(g);
	a = pair_operand(g, n->a, in, flags, &move);
	gen_emit(g, OP_EACH, insn_flags(flags, move, false) | more, dst, a, state);
	gen_emit(g, OP_EACH_NEXT, insn_flags(flags, false, false), dst, 0, state);
}

/* --- construction --- */

/* Whether n always gives exactly one value and leaves nothing to come back to. */
static bool is_single(struct node *n)
{
	switch (n->kind) {
	case N_IDENTITY:
	case N_LITERAL:
	case N_VAR:
	case N_FORMAT: return true;
	case N_INDEX: return n->op == 0 && is_single(n->a) && n->b->kind == N_LITERAL;
	default: return false;
	}
}

static size_t count_items(struct node *n)
{
	size_t total = 0;

	for (; n->kind == N_COMMA; n = n->a) {
		if (!is_single(n->b))
			return 0;
		total++;
	}
	return is_single(n) ? total + 1 : 0;
}

static void gen_array(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	size_t items = n->a != NULL ? count_items(n->a) : 0;
	unsigned first = g->nregs;
	size_t fork;
	bool move;

	gen_no_path(g, dst, flags);
	if (n->a == NULL || items > 0) {
		struct node *at = n->a;

		for (size_t i = 0; i < items; i++)
			gen_reg(g);
		for (size_t i = items; i-- > 0; at = at->a)
			gen(g, at->kind == N_COMMA ? at->b : at, in, first + (unsigned)i, 0);
		gen_emit(g, OP_MAKE_ARRAY, 0, dst, first, (unsigned)items);
		return;
	}
	unsigned acc = gen_reg(g);

	gen_emit(g, OP_NEW_ARRAY, 0, acc, 0, 0);
	fork = gen_emit(g, OP_FORK, 0, 0, 0, 0);
	unsigned t = gen_operand(g, n->a, in, 0, &move);

	gen_emit(g, OP_APPEND, move ? INSN_MOVE_B : 0, acc, 0, t);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, fork);
	gen_emit(g, OP_TAKE, 0, dst, acc, 0);
}

static void gen_object(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned first = g->nregs;

	for (size_t i = 0; i < n->n; i++)
		gen_reg(g);
	for (size_t i = 0; i < n->n; i++)
		gen(g, n->list[i], in, first + (unsigned)i, 0);
	gen_emit(g, OP_MAKE_OBJECT, 0, dst, first, (unsigned)n->n);
	gen_no_path(g, dst, flags);
}

static void gen_string(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned first = g->nregs;
	struct json *format = arena_alloc(g->j->a, sizeof(*format));
	size_t at;

	*format = json_string(&g->j->m, n->name);
	for (size_t i = 0; i < n->n; i++)
		gen_reg(g);
	for (size_t i = n->n; i-- > 0;)
		gen(g, n->list[i], in, first + (unsigned)i, 0);
	/* Which parts are text as it stands: marked in a pseudo-instruction each. */
	at = gen_emit(g, OP_MAKE_STRING, 0, dst, first, (unsigned)n->n);
	g->code[at].u.value = format;
	for (size_t i = 0; i < n->n; i++)
		gen_emit(g, OP_CONST, 0, 0,
			 n->list[i]->kind == N_LITERAL && n->list[i]->value.kind == JSON_STRING &&
				 n->list[i]->op == 0,
			 0);
	gen_no_path(g, dst, flags);
}

/* --- operators --- */

static void gen_binary(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	bool move_a;
	bool move_b;
	unsigned b = gen_operand(g, n->b, in, 0, &move_b);
	unsigned a = gen_operand(g, n->a, in, n->b->kind == N_IDENTITY ? 0 : flags & GEN_LAST,
				 &move_a);
	size_t at = gen_emit(g, OP_BINARY, insn_flags(0, move_a, move_b), dst, a, b);

	g->code[at].u.n = n->op;
	gen_no_path(g, dst, flags);
}

static void gen_logic(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	bool move;
	unsigned a = gen_operand(g, n->a, in, 0, &move);
	size_t jump = gen_emit(g, n->kind == N_AND ? OP_JUMP_FALSE : OP_JUMP_TRUE, 0, 0, a, 0);
	unsigned b = gen_operand(g, n->b, in, flags & GEN_LAST, &move);
	size_t out;

	gen_emit(g, OP_TRUTH, 0, dst, b, 0);
	out = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
	gen_patch(g, jump);
	gen_const(g, dst, json_bool(n->kind == N_OR));
	gen_patch(g, out);
	gen_no_path(g, dst, flags);
}

static void gen_comma(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	size_t fork = gen_emit(g, OP_FORK, 0, 0, 0, 0);
	size_t out;

	gen(g, n->a, in, dst, flags & GEN_PATH);
	out = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
	gen_patch(g, fork);
	gen(g, n->b, in, dst, flags);
	gen_patch(g, out);
}

/* a // b: what is true of a, or else b. */
static void gen_alt(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned found = gen_reg(g);
	unsigned t = gen_pair(g, flags);
	size_t alt;
	size_t truth;
	size_t out;
	size_t more;

	gen_const(g, found, json_simple(JSON_FALSE));
	alt = gen_emit(g, OP_FORK, 0, 0, 0, 0);
	gen(g, n->a, in, t, flags & GEN_PATH);
	truth = gen_emit(g, OP_JUMP_TRUE, 0, 0, t, 0);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, truth);
	gen_const(g, found, json_simple(JSON_TRUE));
	gen_move(g, dst, t, flags | GEN_LAST);
	out = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
	gen_patch(g, alt);
	more = gen_emit(g, OP_JUMP_FALSE, 0, 0, found, 0);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, more);
	gen(g, n->b, in, dst, flags);
	gen_patch(g, out);
}

static void gen_if(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	bool move;
	unsigned cond = gen_operand(g, n->a, in, 0, &move);
	size_t jump = gen_emit(g, OP_JUMP_FALSE, 0, 0, cond, 0);
	size_t out;

	gen(g, n->b, in, dst, flags);
	out = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
	gen_patch(g, jump);
	if (n->c != NULL)
		gen(g, n->c, in, dst, flags);
	else
		gen_move(g, dst, in, flags);
	gen_patch(g, out);
}

static void gen_try(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned height;
	unsigned error;
	size_t try;
	size_t out;

	height = gen_reg(g);
	error = gen_pair(g, flags);
	gen_no_path(g, error, flags);
	try = gen_emit(g, OP_TRY, 0, height, error, 0);
	gen(g, n->a, in, dst, flags & GEN_PATH);
	gen_emit(g, OP_TRY_END, 0, 0, height, 0);
	out = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
	gen_patch(g, try);
	if (n->b != NULL)
		gen(g, n->b, error, dst, flags | GEN_LAST);
	else
		gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, out);
}

/* --- variables --- */

static void bind_pattern(struct gen *g, struct pattern *p, unsigned in, unsigned value,
			 struct scope *common)
{
	/* The register of a name: with alternatives all names have theirs already. */
	if (p->kind == P_VAR) {
		struct scope *s = common;

		while (s != NULL && !(s->kind == S_VAR && bytes_eq(s->name, p->name)))
			s = s->parent;
		if (s != NULL)
			gen_move(g, s->reg, value, 0);
		else
			gen_bind(g, S_VAR, p->name, value);
		return;
	}
	for (size_t i = 0; i < p->n; i++) {
		unsigned part = gen_reg(g);
		unsigned key = gen_reg(g);
		bool move = false;

		if (p->kind == P_ARRAY) {
			gen_const(g, key, json_number((double)i));
		} else {
			unsigned k = gen_operand(g, p->keys[i], in, 0, &move);

			gen_move(g, key, k, 0);
		}
		gen_emit(g, OP_INDEX, 0, part, value, key);
		if (p->names[i].len > 0) {
			struct pattern var = { .kind = P_VAR, .name = p->names[i] };

			bind_pattern(g, &var, in, part, common);
		}
		if (p->parts[i] != NULL)
			bind_pattern(g, p->parts[i], in, part, common);
	}
}

static void add_names(struct gen *g, struct pattern *p, struct scope *until)
{
	struct bytes name = p->name;

	if (p->kind == P_VAR) {
		struct scope *s = g->scope;

		while (s != until && !bytes_eq(s->name, name))
			s = s->parent;
		if (s == until)
			gen_bind(g, S_VAR, name, gen_reg(g));
		return;
	}
	for (size_t i = 0; i < p->n; i++) {
		struct pattern var = { .kind = P_VAR, .name = p->names[i] };

		if (p->names[i].len > 0)
			add_names(g, &var, until);
		if (p->parts[i] != NULL)
			add_names(g, p->parts[i], until);
	}
}

/* A copy of the scopes above `until`, so that a search ends there. */
static struct scope *only_names(struct gen *g, struct scope *until)
{
	struct scope *out = NULL;

	for (struct scope *s = g->scope; s != until; s = s->parent) {
		struct scope *copy = arena_alloc(g->j->a, sizeof(*copy));

		*copy = *s;
		copy->parent = out;
		out = copy;
	}
	return out;
}

/*
 * Binds the alternatives of a pattern one after another: an error in what follows leads to the
 * next. Returns the register with the height of the try that is open, or 0.
 */
static unsigned gen_alternatives(struct gen *g, struct pattern *p, unsigned in, unsigned value)
{
	struct scope *until = g->scope;
	struct scope *names;
	unsigned height = gen_reg(g);
	unsigned error = gen_reg(g);
	size_t bodies[64];
	size_t n = 0;

	for (struct pattern *alt = p; alt != NULL; alt = alt->next)
		add_names(g, alt, until);
	names = only_names(g, until);
	for (; p != NULL && n < 64; p = p->next) {
		size_t try = 0;

		for (struct scope *s = names; s != NULL; s = s->parent)
			gen_const(g, s->reg, json_simple(JSON_NULL));
		gen_const(g, height, json_simple(JSON_NULL));
		if (p->next != NULL)
			try = gen_emit(g, OP_TRY, 0, height, error, 0);
		bind_pattern(g, p, in, value, names);
		bodies[n++] = gen_emit(g, OP_JUMP, 0, 0, 0, 0);
		if (p->next != NULL)
			gen_patch(g, try);
	}
	while (n > 0)
		gen_patch(g, bodies[--n]);
	return height;
}

/* Binds pattern to the values of n; what must be closed behind the body is returned. */
static unsigned gen_source(struct gen *g, struct node *n, struct pattern *p, unsigned in)
{
	unsigned value = gen_reg(g);

	gen(g, n, in, value, 0);
	if (p->next != NULL)
		return gen_alternatives(g, p, in, value);
	bind_pattern(g, p, in, value, NULL);
	return 0;
}

static void gen_as(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct scope *keep = g->scope;
	unsigned height = gen_source(g, n->a, n->pattern, in);

	gen(g, n->b, in, dst, height != 0 ? flags & GEN_PATH : flags);
	if (height != 0)
		gen_emit(g, OP_TRY_END, 0, 0, height, 0);
	g->scope = keep;
}

/* --- loops --- */

static void gen_reduce(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct scope *keep = g->scope;
	unsigned acc = gen_pair(g, flags);
	unsigned t = gen_pair(g, flags);
	unsigned u = gen_pair(g, flags);
	unsigned path = flags & GEN_PATH;
	size_t fork;

	gen(g, n->b, in, acc, path);
	fork = gen_emit(g, OP_FORK, 0, 0, 0, 0);
	gen_source(g, n->a, n->pattern, in);
	gen_emit(g, OP_TAKE, 0, t, acc, 0);
	if (path)
		gen_emit(g, OP_TAKE, 0, t + 1, acc + 1, 0);
	gen(g, n->c, t, u, GEN_LAST | path);
	gen_move(g, acc, u, GEN_LAST | path);
	gen_emit(g, OP_BACKTRACK, 0, 0, 0, 0);
	gen_patch(g, fork);
	g->scope = keep;
	gen_emit(g, OP_TAKE, 0, dst, acc, 0);
	if (path)
		gen_emit(g, OP_TAKE, 0, dst + 1, acc + 1, 0);
}

static void gen_foreach(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct scope *keep = g->scope;
	unsigned acc = gen_pair(g, flags);
	unsigned t = gen_pair(g, flags);
	unsigned u = gen_pair(g, flags);
	unsigned path = flags & GEN_PATH;

	gen(g, n->b, in, acc, path);
	gen_source(g, n->a, n->pattern, in);
	gen_emit(g, OP_TAKE, 0, t, acc, 0);
	if (path)
		gen_emit(g, OP_TAKE, 0, t + 1, acc + 1, 0);
	/* What the last turn left would be a second owner of the state. */
	gen_const(g, u, json_simple(JSON_NULL));
	gen(g, n->c, t, u, GEN_LAST | path);
	gen_move(g, acc, u, path);
	if (n->d != NULL)
		gen(g, n->d, u, dst, GEN_LAST | path);
	else
		gen_move(g, dst, u, GEN_LAST | path);
	g->scope = keep;
}

/* --- all --- */

static void gen_def(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct scope *keep = g->scope;
	struct scope *s = gen_bind(g, S_DEF, n->def->name, 0);

	s->def = n->def;
	s->nargs = n->def->nparams;
	/* A copy: code in both forms, or put in twice, makes its own functions. */
	struct def *copy = arena_alloc(g->j->a, sizeof(*copy));

	*copy = *n->def;
	copy->scope = s;
	copy->owner = g->fn;
	copy->fn = NULL;
	s->def = copy;
	gen(g, n->a, in, dst, flags);
	g->scope = keep;
}

static void gen_label(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct scope *keep = g->scope;
	unsigned reg = gen_reg(g);

	gen_emit(g, OP_LABEL, 0, reg, 0, 0);
	gen_bind(g, S_LABEL, n->name, reg);
	gen(g, n->a, in, dst, flags & GEN_PATH);
	g->scope = keep;
}

static void gen_pipe(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	unsigned path = flags & GEN_PATH;

	while (n->kind == N_PIPE) {
		if (n->a->kind != N_IDENTITY) {
			unsigned t = gen_pair(g, flags);

			gen(g, n->a, in, t, path | (flags & GEN_LAST));
			in = t;
			flags |= GEN_LAST;
		}
		n = n->b;
	}
	gen(g, n, in, dst, flags);
}

static void gen_simple(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct node recurse = { .kind = N_CALL, .src = n->src, .name = BYTES("recurse") };
	bool move;
	unsigned a;
	size_t at;

	if (n->kind == N_RECURSE) {
		gen_call(g, &recurse, in, dst, flags);
		return;
	}
	if (n->kind == N_LITERAL) {
		gen_const(g, dst, n->value);
	} else if (n->kind == N_FORMAT) {
		at = gen_emit(g, OP_FORMAT, flags & GEN_LAST ? INSN_MOVE_A : 0, dst, in, 0);
		struct json *name = arena_alloc(g->j->a, sizeof(*name));

		*name = json_string(&g->j->m, n->name);
		g->code[at].u.value = name;
	} else {
		a = gen_operand(g, n->a, in, flags & GEN_LAST, &move);
		gen_emit(g, OP_NEGATE, move ? INSN_MOVE_A : 0, dst, a, 0);
	}
	gen_no_path(g, dst, flags);
}

static void gen_node(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	switch ((enum node_kind)n->kind) {
	case N_IDENTITY: gen_move(g, dst, in, flags); break;
	case N_INDEX: gen_index(g, n, in, dst, flags); break;
	case N_SLICE: gen_slice(g, n, in, dst, flags); break;
	case N_EACH: gen_each(g, n, in, dst, flags); break;
	case N_STRING: gen_string(g, n, in, dst, flags); break;
	case N_ARRAY: gen_array(g, n, in, dst, flags); break;
	case N_OBJECT: gen_object(g, n, in, dst, flags); break;
	case N_PIPE: gen_pipe(g, n, in, dst, flags); break;
	case N_COMMA: gen_comma(g, n, in, dst, flags); break;
	case N_BINARY: gen_binary(g, n, in, dst, flags); break;
	case N_AND:
	case N_OR: gen_logic(g, n, in, dst, flags); break;
	case N_ALT: gen_alt(g, n, in, dst, flags); break;
	case N_ASSIGN: gen_assign(g, n, in, dst, flags); break;
	case N_IF: gen_if(g, n, in, dst, flags); break;
	case N_TRY: gen_try(g, n, in, dst, flags); break;
	case N_REDUCE: gen_reduce(g, n, in, dst, flags); break;
	case N_FOREACH: gen_foreach(g, n, in, dst, flags); break;
	case N_DEF: gen_def(g, n, in, dst, flags); break;
	case N_CALL: gen_call(g, n, in, dst, flags); break;
	case N_VAR: gen_var(g, n, dst, flags); break;
	case N_AS: gen_as(g, n, in, dst, flags); break;
	case N_LABEL: gen_label(g, n, in, dst, flags); break;
	case N_BREAK: gen_break(g, n); break;
	case N_RECURSE:
	case N_LITERAL:
	case N_FORMAT:
	case N_NEGATE:
	case N_LOC: gen_simple(g, n, in, dst, flags); break;
	}
}

struct deep_gen {
	struct gen *g;
	struct node *n;
	unsigned in;
	unsigned dst;
	unsigned flags;
};

static int run_gen(void *arg)
{
	struct deep_gen *d = arg;

	gen_node(d->g, d->n, d->in, d->dst, d->flags);
	return 0;
}

void gen(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct deep_gen d = { g, n, in, dst, flags };

	if (g->depth >= JQ_TREE_MAX)
		cmd_fatal_status(g->j->c, 3, 0, "error: program too large");
	g->depth++;
	cmd_charge(g->j->c, 1);
	jq_deep(g->j, run_gen, &d);
	g->depth--;
}
