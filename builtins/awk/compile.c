/* SPDX-License-Identifier: MIT
 *
 * awk's statements and rules to code for a stack machine.
 */
#include "builtins/awk/compile.h"

static void statement(struct compiler *c, const struct node *n);

/* --- print --- */

static bool is_simple(const struct node *n)
{
	return n->op == N_NUM || n->op == N_STR || n->op == N_VAR || awk_c_is_const_field(n);
}

static bool all_simple(const struct node *n)
{
	for (; n != NULL; n = n->next)
		if (!is_simple(n))
			return false;
	return true;
}

static void print(struct compiler *c, const struct node *n)
{
	if (n->op == N_PRINTF || n->sub != REDIRECT_NONE ||
	    (n->count != 0 && !all_simple(n->list))) {
		bool pure = n->a == NULL || awk_c_node_is_pure(n->a);

		awk_c_operands(c, n->list, pure);
		if (n->a != NULL)
			awk_c_expr(c, n->a);
		c->at = n;
		awk_c_emit(c, n->op == N_PRINT ? OP_PRINT : OP_PRINTF, 0, n->sub, n->count);
		return;
	}
	if (n->count == 0) {
		awk_c_emit(c, OP_OUT_RECORD, 0, 0, 0);
		return;
	}
	for (const struct node *arg = n->list; arg != NULL; arg = arg->next) {
		bool more = arg->next != NULL;

		if (awk_c_is_const_field(arg)) {
			awk_c_emit(c, OP_OUT_FIELD, more, 0, (int32_t)arg->a->num);
		} else {
			awk_c_expr(c, arg);
			awk_c_emit(c, OP_OUT_VAL, more, 0, 0);
		}
	}
	awk_c_emit(c, OP_OUT_END, 0, 0, 0);
}

/* --- statements --- */

static void loop_begin(struct compiler *c, struct loop *l, bool is_switch)
{
	*l = (struct loop){
		.up = c->loop, .breaks = NO_JUMP, .continues = NO_JUMP, .is_switch = is_switch
	};
	c->loop = l;
}

/* Counts, for -p. */
static void count(struct compiler *c, uint32_t counter)
{
	if (c->p->a->o->profile != NULL)
		awk_c_emit(c, OP_COUNT, 0, 0, (int32_t)counter);
}

static void while_loop(struct compiler *c, const struct node *n)
{
	struct loop l;
	int32_t top = awk_c_here(c);

	loop_begin(c, &l, false);
	if (n->op == N_WHILE)
		awk_c_jump_if(c, n->a, false, &l.breaks);
	count(c, n->counter);
	statement(c, n->b);
	awk_c_land(c, l.continues);
	if (n->op == N_DO)
		awk_c_jump_if(c, n->a, false, &l.breaks);
	awk_c_emit(c, OP_LOOP, 0, 0, top);
	awk_c_land(c, l.breaks);
	c->loop = l.up;
}

static void for_loop(struct compiler *c, const struct node *n)
{
	struct loop l;

	if (n->a != NULL)
		statement(c, n->a);
	int32_t top = awk_c_here(c);

	loop_begin(c, &l, false);
	if (n->b != NULL)
		awk_c_jump_if(c, n->b, false, &l.breaks);
	count(c, n->counter);
	statement(c, n->d);
	awk_c_land(c, l.continues);
	if (n->c != NULL)
		statement(c, n->c);
	awk_c_emit(c, OP_LOOP, 0, 0, top);
	awk_c_land(c, l.breaks);
	c->loop = l.up;
}

static void for_in(struct compiler *c, const struct node *n)
{
	struct loop l;

	awk_c_array(c, n->b);
	awk_c_emit(c, OP_ITER, 0, 0, 0);
	int32_t top = awk_c_here(c);

	loop_begin(c, &l, false);
	awk_c_link_jump(c, awk_c_emit(c, OP_ITER_NEXT, 0, 0, 0), &l.breaks);
	awk_c_store(c, n->a, false, true);
	count(c, n->counter);
	statement(c, n->c);
	awk_c_land(c, l.continues);
	awk_c_emit(c, OP_LOOP, 0, 0, top);
	awk_c_land(c, l.breaks);
	awk_c_emit(c, OP_POP, 0, 0, 0);
	c->loop = l.up;
}

static void switch_statement(struct compiler *c, const struct node *n)
{
	struct loop l;
	int32_t *labels = arena_array(c->p->arena, (size_t)n->count + 1, sizeof *labels);
	int32_t fallback = NO_JUMP;
	int i = 0;

	awk_c_expr(c, n->a);
	loop_begin(c, &l, true);
	for (const struct node *k = n->list; k != NULL; k = k->next, i++) {
		labels[i] = NO_JUMP;
		if (k->a == NULL)
			continue;
		if (k->a->op == N_REGEX) {
			int32_t re = awk_c_regex_constant(c, k->a);

			awk_c_emit(c, OP_CASE_REGEX, 0, (unsigned)re, 0);
		} else {
			awk_c_expr(c, k->a);
			awk_c_emit(c, OP_CASE, 0, 0, 0);
		}
		awk_c_link_jump(c, awk_c_here(c) - 1, &labels[i]);
	}
	awk_c_emit(c, OP_POP, 0, 0, 0);
	awk_c_link_jump(c, awk_c_emit(c, OP_JUMP, 0, 0, 0), &fallback);
	i = 0;
	bool has_default = false;

	for (const struct node *k = n->list; k != NULL; k = k->next, i++) {
		awk_c_land(c, labels[i]);
		if (k->a == NULL) {
			awk_c_land(c, fallback);
			has_default = true;
		}
		count(c, k->counter);
		for (const struct node *s = k->list; s != NULL; s = s->next)
			statement(c, s);
	}
	if (!has_default)
		awk_c_land(c, fallback);
	awk_c_land(c, l.breaks);
	c->loop = l.up;
}

static void if_statement(struct compiler *c, const struct node *n)
{
	int32_t no = NO_JUMP;
	int32_t end = NO_JUMP;

	awk_c_jump_if(c, n->a, false, &no);
	count(c, n->a->counter);
	statement(c, n->b);
	if (n->c != NULL) {
		awk_c_link_jump(c, awk_c_emit(c, OP_JUMP, 0, 0, 0), &end);
		awk_c_land(c, no);
		count(c, (uint32_t)n->var);
		statement(c, n->c);
		awk_c_land(c, end);
	} else {
		awk_c_land(c, no);
	}
}

static void jump_statement(struct compiler *c, const struct node *n)
{
	struct loop *l = c->loop;

	if (n->op == N_CONTINUE)
		while (l->is_switch)
			l = l->up;
	awk_c_link_jump(c, awk_c_emit(c, OP_JUMP, 0, 0, 0),
			n->op == N_BREAK ? &l->breaks : &l->continues);
}

static void delete_statement(struct compiler *c, const struct node *n)
{
	const struct node *t = n->a;

	if (t->op == N_INDEX) {
		awk_c_array(c, t->a);
		awk_c_subscript(c, t, true);
		awk_c_emit(c, OP_DELETE, 0, 0, 0);
	} else {
		awk_c_array(c, t);
		awk_c_emit(c, OP_CLEAR, 0, 0, 0);
	}
}

static void statement_here(struct compiler *c, const struct node *n)
{
	c->at = n;
	if (n->op != N_BLOCK && n->op != N_WHILE && n->op != N_DO && n->op != N_FOR &&
	    n->op != N_FORIN)
		count(c, n->counter);
	switch (n->op) {
	case N_EXPR: awk_c_drop(c, n->a); break;
	case N_PRINT:
	case N_PRINTF: print(c, n); break;
	case N_IF: if_statement(c, n); break;
	case N_WHILE:
	case N_DO: while_loop(c, n); break;
	case N_FOR: for_loop(c, n); break;
	case N_FORIN: for_in(c, n); break;
	case N_SWITCH: switch_statement(c, n); break;
	case N_BREAK:
	case N_CONTINUE: jump_statement(c, n); break;
	case N_NEXT:
	case N_NEXTFILE: awk_c_emit(c, n->op == N_NEXT ? OP_NEXT : OP_NEXTFILE, 0, 0, 0); break;
	case N_EXIT:
		if (n->a != NULL)
			awk_c_expr(c, n->a);
		awk_c_emit(c, OP_EXIT, n->a != NULL, 0, 0);
		break;
	case N_RETURN:
		if (n->a != NULL)
			awk_c_expr(c, n->a);
		else
			awk_c_emit(c, OP_UNINIT, 0, 0, 0);
		awk_c_emit(c, OP_RETURN, 0, 0, 0);
		break;
	case N_DELETE: delete_statement(c, n); break;
	default:
		for (const struct node *s = n->list; s != NULL; s = s->next)
			statement(c, s);
		break;
	}
}

static void statement(struct compiler *c, const struct node *n)
{
	awk_c_deeper(c, n, statement_here);
}

/* --- rules --- */

static void rule_body(struct compiler *c, const struct rule *r)
{
	count(c, r->taken);
	if (r->body != NULL)
		statement(c, r->body);
	else
		awk_c_emit(c, OP_OUT_RECORD, 0, 0, 0);
}

static void rule(struct compiler *c, const struct rule *r)
{
	int32_t skip = NO_JUMP;
	int32_t inside = NO_JUMP;
	int32_t run = NO_JUMP;

	count(c, r->counter);
	if (r->pattern == NULL) {
		rule_body(c, r);
		return;
	}
	if (r->until == NULL) {
		awk_c_jump_if(c, r->pattern, false, &skip);
		rule_body(c, r);
		awk_c_land(c, skip);
		return;
	}
	unsigned range = (unsigned)c->p->nranges++;

	awk_c_link_jump(c, awk_c_emit(c, OP_RANGE, 0, range, 0), &inside);
	awk_c_jump_if(c, r->pattern, false, &skip);
	awk_c_emit(c, OP_SET_RANGE, 1, range, 0);
	awk_c_land(c, inside);
	awk_c_jump_if(c, r->until, false, &run);
	awk_c_emit(c, OP_SET_RANGE, 0, range, 0);
	awk_c_land(c, run);
	rule_body(c, r);
	awk_c_land(c, skip);
}

void awk_program_compile(struct program *p)
{
	struct compiler c = { .p = p };

	for (int k = 0; k < RULE_KINDS; k++) {
		c.at = NULL;
		p->entry[k] = awk_c_here(&c);
		for (const struct rule *r = p->rules[k]; r != NULL; r = r->next)
			rule(&c, r);
		awk_c_emit(&c, OP_DONE, 0, 0, 0);
	}
	p->stack_main = awk_c_here(&c) + 16;
	for (int i = 0; i < p->nfunctions; i++) {
		struct function *f = p->by_index[i];

		f->entry = awk_c_here(&c);
		/* One that is not defined is never entered. */
		if (f->body != NULL) {
			count(&c, f->counter);
			statement(&c, f->body);
		}
		awk_c_emit(&c, OP_UNINIT, 0, 0, 0);
		awk_c_emit(&c, OP_RETURN, 0, 0, 0);
		f->stack = awk_c_here(&c) - f->entry + 16;
	}
	p->a->ranges = arena_array(p->arena, (size_t)p->nranges + 1, sizeof(bool));
	p->a->counts = arena_array(p->arena, (size_t)p->ncounters + 1, sizeof(uint64_t));
}
