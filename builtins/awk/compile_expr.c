/* SPDX-License-Identifier: MIT
 *
 * awk's expressions to code for a stack machine.
 *
 * An expression pushes one value. Fields that are used up at once are pushed as views of the
 * record, without a copy; that is allowed where nothing evaluated in between can change the
 * record: node_is_pure. In assignments the value comes before the target's subscripts, as gawk
 * evaluates them.
 */
#include <math.h>

#include "builtins/awk/compile.h"

enum { PURE_DEPTH_MAX = 32 };

/* --- emitting --- */

int32_t awk_c_emit(struct compiler *c, enum op op, unsigned x, unsigned y, int64_t z)
{
	struct program *p = c->p;

	if (p->ncode == p->code_cap) {
		size_t cap = p->code_cap == 0 ? 256 : p->code_cap * 2;

		p->code = arena_grow(p->arena, p->code, p->code_cap * sizeof *p->code,
				     cap * sizeof *p->code);
		p->places = arena_grow(p->arena, p->places, p->code_cap * sizeof *p->places,
				       cap * sizeof *p->places);
		p->code_cap = cap;
	}
	if (y > UINT16_MAX)
		awk_fatal(p->a, "program too large");
	awk_work(p->a, 1);
	p->code[p->ncode] = (struct ins){ (uint8_t)op, (uint8_t)x, (uint16_t)y, (int32_t)z };
	p->places[p->ncode].line = c->at != NULL ? c->at->line : 0;
	p->places[p->ncode].file = c->at != NULL ? c->at->file : NULL;
	return (int32_t)p->ncode++;
}

int32_t awk_c_here(struct compiler *c)
{
	return (int32_t)c->p->ncode;
}

/* Adds a jump at `ins` to a list. */
void awk_c_link_jump(struct compiler *c, int32_t ins, int32_t *list)
{
	c->p->code[ins].z = *list;
	*list = ins;
}

void awk_c_land(struct compiler *c, int32_t list)
{
	while (list != NO_JUMP) {
		int32_t next = c->p->code[list].z;

		c->p->code[list].z = awk_c_here(c);
		list = next;
	}
}

static int32_t constant(struct compiler *c, struct val v)
{
	struct program *p = c->p;

	if (p->nconsts == p->consts_cap) {
		int cap = p->consts_cap == 0 ? 64 : p->consts_cap * 2;

		p->consts = arena_grow(p->arena, p->consts,
				       (size_t)p->consts_cap * sizeof *p->consts,
				       (size_t)cap * sizeof *p->consts);
		p->consts_cap = cap;
	}
	p->consts[p->nconsts] = v;
	return p->nconsts++;
}

static void push_num(struct compiler *c, double d)
{
	if (d >= -1e9 && d <= 1e9 && (double)(int32_t)d == d)
		awk_c_emit(c, OP_NUM, 0, 0, (int32_t)d);
	else
		awk_c_emit(c, OP_CONST, 0, 0, constant(c, val_num(d)));
}

/* A number of the program; with -M as it is written. */
static void literal(struct compiler *c, const struct node *n)
{
	struct awk *a = c->p->a;

	if (a->o->bignum && n->text.len > 0)
		awk_c_emit(c, OP_CONST, 0, 0,
			   constant(c, awk_big_parse(a, n->text, awk_is_gnu(a))));
	else
		push_num(c, n->num);
}

static void push_text(struct compiler *c, struct bytes s, enum val_kind kind)
{
	struct val v = { .kind = (uint8_t)kind, .u.str = awk_str_new(c->p->a, s) };

	awk_c_emit(c, OP_CONST, 0, 0, constant(c, v));
}

int32_t awk_c_regex_constant(struct compiler *c, const struct node *n)
{
	struct program *p = c->p;
	struct awk *a = p->a;
	struct re_const *r = arena_zalloc(p->arena, sizeof *r);
	const char *message = NULL;

	if (p->nregexes == p->regexes_cap) {
		int cap = p->regexes_cap == 0 ? 16 : p->regexes_cap * 2;

		p->regexes = arena_grow(p->arena, p->regexes,
					(size_t)p->regexes_cap * sizeof(void *),
					(size_t)cap * sizeof(void *));
		p->regexes_cap = cap;
	}
	r->text = awk_str_new(a, n->text);
	r->re[0] = awk_regex_make(a, &r->arena, n->text,
				  awk_regex_flags_now(a) & ~(unsigned)REGEX_ICASE, &message);
	if (r->re[0] == NULL) {
		struct buf out = buf_in(p->arena);

		buf_printf(&out, "%s: %s:%u: error: %s: /%.*s/\n", a->name,
			   n->file != NULL ? n->file : "cmd. line", n->line, message,
			   (int)n->text.len, n->text.ptr);
		cmd_err_write(a->c, out.ptr, out.len);
		cmd_exit(a->c, 1);
	}
	awk_regex_warn(a, n->text, n->file, n->line);
	p->regexes[p->nregexes] = r;
	return p->nregexes++;
}

/* --- what may be taken as a view --- */

static bool pure(const struct node *n, int depth);

static bool pure_list(const struct node *n, int depth)
{
	for (; n != NULL; n = n->next)
		if (!pure(n, depth))
			return false;
	return true;
}

static bool pure(const struct node *n, int depth)
{
	if (++depth > PURE_DEPTH_MAX)
		return false;
	switch (n->op) {
	case N_NUM:
	case N_STR:
	case N_REGEX:
	case N_TYPED_REGEX:
	case N_VAR: return true;
	case N_INDEX: return n->a->op == N_VAR && pure_list(n->list, depth);
	case N_FIELD:
	case N_NOT:
	case N_NEG:
	case N_PLUS: return pure(n->a, depth);
	case N_BINARY:
	case N_COMPARE:
	case N_MATCH:
	case N_AND:
	case N_OR: return pure(n->a, depth) && pure(n->b, depth);
	case N_COND: return pure(n->a, depth) && pure(n->b, depth) && pure(n->c, depth);
	case N_CONCAT:
	case N_IN: return pure_list(n->list, depth);
	case N_BUILTIN: return awk_fn_rows[n->fn].pure && pure_list(n->list, depth);
	default: return false;
	}
}

/* Changes nothing and reads no records. */
bool awk_c_node_is_pure(const struct node *n)
{
	return pure(n, 0);
}

bool awk_c_list_is_pure(const struct node *n)
{
	return pure_list(n, 0);
}

bool awk_c_is_const_field(const struct node *n)
{
	return n->op == N_FIELD && n->a->op == N_NUM && n->a->num >= 0 && n->a->num < 1e8 &&
	       n->a->num == floor(n->a->num);
}

/* Pushes a value that is used up before anything that comes after `rest` is evaluated. */
void awk_c_operand(struct compiler *c, const struct node *n, bool safe)
{
	if (n->op != N_FIELD || !safe) {
		awk_c_expr(c, n);
		return;
	}
	if (awk_c_is_const_field(n)) {
		awk_c_emit(c, OP_VIEW, 0, 0, (int32_t)n->a->num);
	} else {
		awk_c_expr(c, n->a);
		awk_c_emit(c, OP_VIEW_DYN, 0, 0, 0);
	}
}

/* The same where only the number counts. */
static void number(struct compiler *c, const struct node *n, bool safe)
{
	if (awk_c_is_const_field(n) && !c->p->a->o->bignum)
		awk_c_emit(c, OP_FIELD_NUM, 0, 0, (int32_t)n->a->num);
	else
		awk_c_operand(c, n, safe);
}

/* All of a list; those before the last one that is not pure are no views. */
void awk_c_operands(struct compiler *c, const struct node *n, bool safe)
{
	const struct node *last = NULL;

	for (const struct node *i = n; i != NULL; i = i->next)
		if (!awk_c_node_is_pure(i))
			last = i;
	for (; n != NULL; n = n->next) {
		awk_c_operand(c, n, safe && (last == NULL || n == last));
		if (n == last)
			last = NULL;
	}
}

/* --- variables --- */

/* One key of possibly several subscripts. */
void awk_c_subscript(struct compiler *c, const struct node *n, bool safe)
{
	if (n->count == 1) {
		awk_c_operand(c, n->list, safe);
		return;
	}
	awk_c_operands(c, n->list, safe);
	awk_c_emit(c, OP_JOIN, 0, 0, n->count);
}

/* Pushes the array that n names: it becomes one. */
void awk_c_array(struct compiler *c, const struct node *n)
{
	c->at = n;
	if (n->op == N_INDEX) {
		awk_c_array(c, n->a);
		awk_c_subscript(c, n, true);
		awk_c_emit(c, OP_SUBARRAY, 0, 0, 0);
	} else if (n->op != N_VAR) {
		awk_c_expr(c, n);
	} else if (n->var < 0) {
		awk_c_emit(c, OP_ARRAY_LOCAL, 0, 0, ~n->var);
	} else {
		awk_c_emit(c, OP_ARRAY_GLOBAL, 0, 0, n->var);
	}
}

/* The same for argument i of a function, which is named if n is no array. */
static void array_argument(struct compiler *c, const struct node *n, unsigned fn, int i)
{
	if (n->op == N_VAR || n->op == N_INDEX)
		awk_c_array(c, n);
	else
		awk_c_emit(c, OP_NO_ARRAY, 0, 0, 0);
	c->p->code[c->p->ncode - 1].x = (uint8_t)(i + 1);
	c->p->code[c->p->ncode - 1].y = (uint16_t)fn;
}

static void variable(struct compiler *c, const struct node *n)
{
	if (n->var < 0)
		awk_c_emit(c, OP_LOCAL, 0, 0, ~n->var);
	else
		awk_c_emit(c, n->var < SP_COUNT ? OP_SPECIAL : OP_GLOBAL, 0, 0, n->var);
}

/*
 * A value or an array, whatever it is, for functions that take both. settled: a name that is
 * nothing yet is a value from now on.
 */
static void anything(struct compiler *c, const struct node *n, bool settled)
{
	if (n->op == N_VAR && (n->var < 0 || n->var >= SP_COUNT)) {
		awk_c_emit(c, n->var < 0 ? OP_ANY_LOCAL : OP_ANY_GLOBAL, settled, 0,
			   n->var < 0 ? ~n->var : n->var);
	} else if (n->op == N_INDEX) {
		awk_c_array(c, n->a);
		awk_c_subscript(c, n, true);
		awk_c_emit(c, OP_ANY_ELEM, 0, 0, 0);
	} else {
		awk_c_expr(c, n);
	}
}

/* What is pushed before a store's value: subscripts. How many values. */
static int prefix(struct compiler *c, const struct node *n)
{
	if (n->op == N_INDEX) {
		awk_c_array(c, n->a);
		awk_c_subscript(c, n, false);
		return 2;
	}
	if (n->op == N_FIELD && !awk_c_is_const_field(n)) {
		awk_c_expr(c, n->a);
		return 1;
	}
	return 0;
}

/* Stores the top of the stack. early: the prefix lies below the value, else above it. */
void awk_c_store(struct compiler *c, const struct node *n, bool early, bool dropped)
{
	c->at = n;
	if (n->op == N_VAR) {
		enum op op = n->var < 0          ? OP_STORE_LOCAL
			     : n->var < SP_COUNT ? OP_STORE_SPECIAL
						 : OP_STORE_GLOBAL;

		awk_c_emit(c, op, dropped, 0, n->var < 0 ? ~n->var : n->var);
	} else if (n->op == N_INDEX) {
		if (!early) {
			awk_c_array(c, n->a);
			awk_c_subscript(c, n, true);
		}
		awk_c_emit(c, OP_STORE_ELEM, dropped, early, 0);
	} else if (awk_c_is_const_field(n)) {
		awk_c_emit(c, OP_STORE_FIELD, dropped, 0, (int32_t)n->a->num);
	} else {
		if (!early)
			awk_c_expr(c, n->a);
		awk_c_emit(c, OP_STORE_FIELD_DYN, dropped, early, 0);
	}
}

/* op= and ++: the target of one of the five families of instructions. */
static void emit_update(struct compiler *c, unsigned op, bool dropped, unsigned y, int32_t z)
{
	if (c->p->a->o->bignum)
		awk_c_emit(c, OP_BIG_UPDATE, dropped, y | op << BIG_UPDATE_SHIFT, z);
	else
		awk_c_emit(c, (enum op)op, dropped, y, z);
}

static void update(struct compiler *c, const struct node *n, enum op family, unsigned y,
		   bool dropped)
{
	const struct node *t = n->a;

	c->at = n;
	if (t->op == N_VAR) {
		unsigned kind = t->var < 0 ? 1 : t->var < SP_COUNT ? 2 : 0;

		emit_update(c, family + kind, dropped, y, t->var < 0 ? ~t->var : t->var);
	} else if (t->op == N_FIELD) {
		awk_c_operand(c, t->a, true);
		emit_update(c, family + 3u, dropped, y, 0);
	} else {
		awk_c_array(c, t->a);
		awk_c_subscript(c, t, true);
		emit_update(c, family + 4u, dropped, y, 0);
	}
}

/* Whether two nodes are the same simple variable or element. */
static bool same_place(const struct node *x, const struct node *y)
{
	if (x->op != y->op)
		return false;
	switch (x->op) {
	case N_VAR: return x->var == y->var;
	case N_NUM: return x->num == y->num;
	case N_STR: return bytes_eq(x->text, y->text);
	case N_FIELD:
		return awk_c_is_const_field(x) && awk_c_is_const_field(y) && x->a->num == y->a->num;
	case N_INDEX:
		return x->a->op == N_VAR && y->a->op == N_VAR && x->a->var == y->a->var &&
		       x->count == 1 && y->count == 1 && same_place(x->list, y->list);
	default: return false;
	}
}

/* s = s x: appended in place. */
static bool append(struct compiler *c, const struct node *n, bool dropped)
{
	const struct node *t = n->a;
	const struct node *list = n->b;

	if (list->op != N_CONCAT || !same_place(t, list->list) ||
	    !awk_c_list_is_pure(list->list->next))
		return false;
	if (t->op == N_VAR && t->var >= 0 && t->var < SP_COUNT)
		return false;
	if (t->op != N_VAR && t->op != N_INDEX)
		return false;
	awk_c_operands(c, list->list->next, true);
	if (list->count > 2)
		awk_c_emit(c, OP_CONCAT, 0, 0, list->count - 1);
	c->at = n;
	if (t->op == N_VAR) {
		awk_c_emit(c, t->var < 0 ? OP_APPEND_LOCAL : OP_APPEND_GLOBAL, dropped, 0,
			   t->var < 0 ? ~t->var : t->var);
		return true;
	}
	awk_c_array(c, t->a);
	awk_c_subscript(c, t, true);
	awk_c_emit(c, OP_APPEND_ELEM, dropped, 0, 0);
	return true;
}

/* --- expressions --- */

static void assignment(struct compiler *c, const struct node *n, bool dropped)
{
	if (n->op == N_ASSIGN) {
		if (append(c, n, dropped))
			return;
		awk_c_expr(c, n->b);
		awk_c_store(c, n->a, false, dropped);
	} else if (n->op == N_OPASSIGN) {
		number(c, n->b, awk_c_node_is_pure(n->a));
		update(c, n, OP_SET_GLOBAL, n->sub, dropped);
	} else {
		update(c, n, OP_INCR_GLOBAL, n->sub, dropped);
	}
}

/* getline with a variable, and sub and gsub: what they give is stored if there is any. */
static void finish_store(struct compiler *c, const struct node *target, int npushed, int32_t ins,
			 bool dropped)
{
	int32_t failed = NO_JUMP;
	int32_t done = NO_JUMP;

	awk_c_link_jump(c, ins, &failed);
	if (target != NULL)
		awk_c_store(c, target, true, true);
	else
		awk_c_emit(c, OP_POP, 0, 0, 0);
	if (npushed > 0) {
		awk_c_link_jump(c, awk_c_emit(c, OP_JUMP, 0, 0, 0), &done);
		awk_c_land(c, failed);
		for (int i = 0; i < npushed; i++)
			awk_c_emit(c, OP_POP, 0, 0, 0);
		awk_c_land(c, done);
	} else {
		awk_c_land(c, failed);
	}
	if (!dropped)
		awk_c_emit(c, OP_REG, 0, 0, 0);
}

static void getline(struct compiler *c, const struct node *n, bool dropped)
{
	int npushed = 0;

	if (n->a != NULL)
		npushed = prefix(c, n->a);
	if (n->b != NULL)
		awk_c_expr(c, n->b);
	c->at = n;
	if (n->a == NULL) {
		awk_c_emit(c, OP_GETLINE, dropped, n->sub, 0);
		return;
	}
	int32_t ins = awk_c_emit(c, OP_GETLINE_VAR, 0, n->sub, 0);

	finish_store(c, n->a, npushed, ins, dropped);
}

/* A regular expression as an argument is itself. */
static void pattern(struct compiler *c, const struct node *n)
{
	if (n->op == N_REGEX || n->op == N_TYPED_REGEX) {
		awk_c_regex_constant(c, n);
		push_text(c, n->text, VAL_REGEX);
	} else {
		awk_c_expr(c, n);
	}
}

static void substitution(struct compiler *c, const struct node *n, bool dropped)
{
	const struct node *re = n->list;
	const struct node *with = re->next;
	const struct node *target = with->next;
	struct node zero = { .op = N_NUM };
	struct node record = { .op = N_FIELD, .a = &zero };
	int npushed;

	if (target == NULL)
		target = &record;
	bool stored = target->op == N_VAR || target->op == N_INDEX || target->op == N_FIELD;

	npushed = stored ? prefix(c, target) : 0;
	if (awk_c_is_const_field(target) && target->a->num > 0)
		awk_c_emit(c, OP_TOUCH, 0, 0, (int32_t)target->a->num);
	pattern(c, re);
	awk_c_expr(c, with);
	c->at = n;
	if (npushed == 2)
		awk_c_emit(c, OP_ELEM_PEEK, 0, 0, 2);
	else if (npushed == 1)
		awk_c_emit(c, OP_FIELD_PEEK, 0, 0, 2);
	else
		awk_c_operand(c, target, true);
	int32_t ins = awk_c_emit(c, OP_SUBST, n->fn == FN_GSUB, 0, 0);

	finish_store(c, stored ? target : NULL, npushed, ins, dropped);
}

static void builtin(struct compiler *c, const struct node *n, bool dropped)
{
	const struct fn_row *row = &awk_fn_rows[n->fn];
	const struct node *last = NULL;
	int i = 0;

	if (n->fn == FN_SUB || n->fn == FN_GSUB) {
		substitution(c, n, dropped);
		return;
	}
	for (const struct node *arg = n->list; arg != NULL; arg = arg->next)
		if (!awk_c_node_is_pure(arg))
			last = arg;
	for (const struct node *arg = n->list; arg != NULL; arg = arg->next, i++) {
		if (n->fn == FN_LENGTH || n->fn == FN_TYPEOF || n->fn == FN_ISARRAY) {
			if (arg->op == N_TYPED_REGEX || (arg->op == N_REGEX && n->fn == FN_ISARRAY))
				push_text(c, arg->text, VAL_REGEX);
			else if (arg->op == N_FIELD)
				awk_c_operand(c, arg, true);
			else
				anything(c, arg, n->fn == FN_LENGTH);
		} else if (row->array_args >> i & 1) {
			array_argument(c, arg, n->fn, i);
		} else if (row->regex_args >> i & 1) {
			pattern(c, arg);
		} else {
			awk_c_operand(c, arg, last == NULL || arg == last);
		}
		if (arg == last)
			last = NULL;
	}
	c->at = n;
	awk_c_emit(c, OP_BUILTIN, dropped, n->fn, n->count);
}

/* Arguments of functions: names that are nothing yet may become arrays there. */
static void argument(struct compiler *c, const struct node *n)
{
	if (n->grouped || (n->op != N_VAR && n->op != N_INDEX)) {
		awk_c_expr(c, n);
	} else if (n->op == N_INDEX) {
		awk_c_array(c, n->a);
		awk_c_subscript(c, n, true);
		awk_c_emit(c, OP_ARG_ELEM, 0, 0, 0);
	} else if (n->var < 0) {
		awk_c_emit(c, OP_ARG_LOCAL, 0, 0, ~n->var);
	} else {
		awk_c_emit(c, n->var < SP_COUNT ? OP_SPECIAL : OP_ARG_GLOBAL, 0, 0, n->var);
	}
}

static void call(struct compiler *c, const struct node *n)
{
	if (n->op == N_INDIRECT)
		awk_c_expr(c, n->a);
	for (const struct node *arg = n->list; arg != NULL; arg = arg->next)
		argument(c, arg);
	c->at = n;
	if (n->op == N_INDIRECT) {
		awk_c_emit(c, OP_INDIRECT, 0, 0, n->count);
		return;
	}
	awk_c_emit(c, OP_CALL, 0, (unsigned)n->count, c->p->by_index[n->var]->index);
}

static void match(struct compiler *c, const struct node *n)
{
	if (n->b->op == N_REGEX || n->b->op == N_TYPED_REGEX) {
		int32_t re = awk_c_regex_constant(c, n->b);

		awk_c_operand(c, n->a, true);
		c->at = n;
		awk_c_emit(c, OP_MATCH_CONST, n->sub, 0, re);
		return;
	}
	awk_c_operand(c, n->a, awk_c_node_is_pure(n->b));
	awk_c_expr(c, n->b);
	c->at = n;
	awk_c_emit(c, OP_MATCH, n->sub, 0, 0);
}

/* Values that are true or false by jumping: && || and the like. */
static void truth(struct compiler *c, const struct node *n)
{
	int32_t no = NO_JUMP;
	int32_t end = NO_JUMP;

	awk_c_jump_if(c, n, false, &no);
	awk_c_emit(c, OP_NUM, 0, 0, 1);
	awk_c_link_jump(c, awk_c_emit(c, OP_JUMP, 0, 0, 0), &end);
	awk_c_land(c, no);
	awk_c_emit(c, OP_NUM, 0, 0, 0);
	awk_c_land(c, end);
}

static void conditional(struct compiler *c, const struct node *n)
{
	int32_t no = NO_JUMP;
	int32_t end = NO_JUMP;

	awk_c_jump_if(c, n->a, false, &no);
	awk_c_expr(c, n->b);
	awk_c_link_jump(c, awk_c_emit(c, OP_JUMP, 0, 0, 0), &end);
	awk_c_land(c, no);
	awk_c_expr(c, n->c);
	awk_c_land(c, end);
}

static bool is_zero(const struct node *n)
{
	if (n->op == N_NEG)
		n = n->a;
	return !n->grouped && n->op == N_NUM && n->num == 0;
}

static void divide_check(struct compiler *c, const struct node *n)
{
	bool div = n->sub == ARITH_DIV;
	struct buf out = buf_in(c->p->arena);

	if ((!div && n->sub != ARITH_MOD) || !is_zero(n->b))
		return;
	buf_printf(&out, "%s: %s:%u: error: division by zero attempted%s\n", c->p->a->name,
		   n->file != NULL ? n->file : "cmd. line", n->line, div ? "" : " in `%'");
	cmd_err_write(c->p->a->c, out.ptr, out.len);
	cmd_exit(c->p->a->c, 1);
}

static void arithmetic(struct compiler *c, const struct node *n)
{
	divide_check(c, n);
	number(c, n->a, awk_c_node_is_pure(n->b));
	number(c, n->b, true);
	c->at = n;
	if (c->p->a->o->bignum)
		awk_c_emit(c, OP_BIG, 0, n->sub, 0);
	else
		awk_c_emit(c, (enum op)(OP_ADD + n->sub), 0, 0, 0);
}

static void membership(struct compiler *c, const struct node *n)
{
	if (n->count == 1 && awk_c_node_is_pure(n->list)) {
		awk_c_array(c, n->a);
		awk_c_subscript(c, n, true);
		awk_c_emit(c, OP_IN, 0, 0, 0);
		return;
	}
	awk_c_subscript(c, n, false);
	awk_c_array(c, n->a);
	awk_c_emit(c, OP_IN, 1, 0, 0);
}

static void unary(struct compiler *c, const struct node *n)
{
	if (n->op == N_NEG && n->a->op == N_NUM && !c->p->a->o->bignum) {
		push_num(c, 0 - n->a->num);
		return;
	}
	if (n->op == N_NOT)
		awk_c_operand(c, n->a, true);
	else
		number(c, n->a, true);
	c->at = n;
	if (n->op != N_NOT && c->p->a->o->bignum)
		awk_c_emit(c, OP_BIG_UNARY, n->op == N_NEG, 0, 0);
	else
		awk_c_emit(c, n->op == N_NOT ? OP_NOT : n->op == N_NEG ? OP_NEG : OP_PLUS, 0, 0, 0);
}

static void concat(struct compiler *c, const struct node *n)
{
	awk_c_operands(c, n->list, true);
	c->at = n;
	awk_c_emit(c, OP_CONCAT, 0, 0, n->count);
}

static void expr_here(struct compiler *c, const struct node *n)
{
	c->at = n;
	switch (n->op) {
	case N_NUM: literal(c, n); break;
	case N_STR: push_text(c, n->text, VAL_STR); break;
	case N_REGEX: awk_c_emit(c, OP_MATCH_RECORD, 0, 0, awk_c_regex_constant(c, n)); break;
	case N_TYPED_REGEX: push_text(c, n->text, VAL_REGEX); break;
	case N_VAR: variable(c, n); break;
	case N_INDEX:
		awk_c_array(c, n->a);
		awk_c_subscript(c, n, true);
		c->at = n;
		awk_c_emit(c, OP_ELEM, 0, 0, 0);
		break;
	case N_FIELD:
		if (awk_c_is_const_field(n)) {
			awk_c_emit(c, OP_FIELD, 0, 0, (int32_t)n->a->num);
		} else {
			awk_c_operand(c, n->a, true);
			c->at = n;
			awk_c_emit(c, OP_FIELD_DYN, 0, 0, 0);
		}
		break;
	case N_ASSIGN:
	case N_OPASSIGN:
	case N_INCR: assignment(c, n, false); break;
	case N_COND: conditional(c, n); break;
	case N_AND:
	case N_OR: truth(c, n); break;
	case N_NOT:
	case N_NEG:
	case N_PLUS: unary(c, n); break;
	case N_BINARY: arithmetic(c, n); break;
	case N_COMPARE:
		awk_c_operand(c, n->a, awk_c_node_is_pure(n->b));
		awk_c_operand(c, n->b, true);
		awk_c_emit(c, OP_COMPARE, n->sub, 0, 0);
		break;
	case N_MATCH: match(c, n); break;
	case N_IN: membership(c, n); break;
	case N_CONCAT: concat(c, n); break;
	case N_CALL:
	case N_INDIRECT: call(c, n); break;
	case N_BUILTIN: builtin(c, n, false); break;
	default: getline(c, n, false); break;
	}
}

struct deeper {
	struct compiler *c;
	const struct node *n;
	void (*fn)(struct compiler *c, const struct node *n);
};

static int run_deeper(void *arg)
{
	struct deeper *d = arg;

	d->fn(d->c, d->n);
	return 0;
}

void awk_c_deeper(struct compiler *c, const struct node *n,
		  void (*fn)(struct compiler *c, const struct node *n))
{
	struct deeper d = { c, n, fn };

	if (cmd_stack_left(c->p->a->c) < AWK_STACK_NEED)
		cmd_deepen(c->p->a->c, AWK_STACK_NEED, run_deeper, &d);
	else
		fn(c, n);
}

void awk_c_expr(struct compiler *c, const struct node *n)
{
	awk_c_deeper(c, n, expr_here);
}

/* Jumps if the truth of n is `sense`; else goes on behind. */
void awk_c_jump_if(struct compiler *c, const struct node *n, bool sense, int32_t *list)
{
	bool logic = n->op == N_NOT || n->op == N_AND || n->op == N_OR;

	if (logic && cmd_stack_left(c->p->a->c) < AWK_STACK_NEED) {
		/* expr gets a new stack. */
		awk_c_expr(c, n);
		awk_c_link_jump(c, awk_c_emit(c, sense ? OP_JUMP_TRUE : OP_JUMP_FALSE, 0, 0, 0),
				list);
	} else if (n->op == N_NOT) {
		awk_c_jump_if(c, n->a, !sense, list);
	} else if ((n->op == N_AND && !sense) || (n->op == N_OR && sense)) {
		awk_c_jump_if(c, n->a, sense, list);
		awk_c_jump_if(c, n->b, sense, list);
	} else if (n->op == N_AND || n->op == N_OR) {
		int32_t around = NO_JUMP;

		awk_c_jump_if(c, n->a, !sense, &around);
		awk_c_jump_if(c, n->b, sense, list);
		awk_c_land(c, around);
	} else if (n->op == N_COMPARE) {
		awk_c_operand(c, n->a, awk_c_node_is_pure(n->b));
		awk_c_operand(c, n->b, true);
		c->at = n;
		awk_c_link_jump(c, awk_c_emit(c, OP_JUMP_COMPARE, n->sub, sense, 0), list);
	} else {
		awk_c_operand(c, n, true);
		c->at = n;
		awk_c_link_jump(c, awk_c_emit(c, sense ? OP_JUMP_TRUE : OP_JUMP_FALSE, 0, 0, 0),
				list);
	}
}

/* An expression whose value nobody wants. */
void awk_c_drop(struct compiler *c, const struct node *n)
{
	c->at = n;
	switch (n->op) {
	case N_ASSIGN:
	case N_OPASSIGN:
	case N_INCR: assignment(c, n, true); break;
	case N_GETLINE: getline(c, n, true); break;
	case N_BUILTIN: builtin(c, n, true); break;
	default:
		awk_c_expr(c, n);
		awk_c_emit(c, OP_POP, 0, 0, 0);
		break;
	}
}
