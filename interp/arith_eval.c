/* SPDX-License-Identifier: MIT
 *
 * Running compiled arithmetic: a stack machine for 64-bit integers that wrap around.
 *
 * A variable whose value is an expression, and a subscript, run in a frame of their own; frames
 * are linked in the scratch arena, not on the C stack. When a frame ends, the instruction that
 * opened it is completed with its result.
 */
#include "base/buf.h"
#include "interp/arith_code.h"

enum { LOCAL_STACK = 24 };

struct frame {
	const struct arith *code;
	const struct arith_ins *pc;
	int64_t *sp;
	struct frame *outer;
};

struct run {
	struct arith_env *env;
	const struct arith *code;
	const struct arith_ins *pc; /* of the next instruction */
	int64_t *sp;                /* above the top */
	struct frame *frames;
	uint32_t depth;
	const int64_t *params;
	const struct arith *root;
};

/* --- errors --- */

/* text[from..] with the values of parameters in their places. */
static void put_text(struct run *r, struct buf *out, struct bytes text, size_t from)
{
	const struct arith *root = r->root;

	if (r->code == root) {
		for (uint32_t i = 0; i < root->nholes; i++) {
			const struct arith_hole *h = &root->holes[i];

			if (h->at < from)
				continue;
			buf_add(out, bytes_slice(text, from, h->at));
			buf_put_i64(out, r->params[i]);
			from = h->at + h->len;
		}
	}
	buf_add(out, bytes_slice(text, from, text.len));
}

static int fail(struct run *r, const char *message, uint32_t where, size_t shown)
{
	struct buf b = buf_in(r->env->arena);
	struct bytes text = bytes_slice(r->code->text, 0, shown);

	put_text(r, &b, text, 0);
	buf_puts(&b, ": ");
	buf_puts(&b, message);
	buf_puts(&b, " (error token is \"");
	put_text(r, &b, text, where);
	buf_puts(&b, "\")");
	r->env->error = buf_bytes(&b);
	for (const struct frame *f = r->frames; f != NULL; f = f->outer)
		r->env->error_in_subscript |= f->pc[-1].op == AOP_PLACE;
	return ARITH_ERROR;
}

static int fail_op(struct run *r, const char *message, const struct arith_ins *ins)
{
	return fail(r, message, ins->where, r->code->text.len);
}

/* --- frames --- */

static int enter(struct run *r, const struct arith *code)
{
	struct frame *f;

	if (++r->depth > ARITH_DEPTH_MAX) {
		r->code = code;
		return fail(r, "expression recursion level exceeded", 0, code->text.len);
	}
	if (r->env->charge != NULL)
		r->env->charge(r->env->user, 1 + code->length);
	f = arena_alloc(r->env->arena, sizeof *f);
	*f = (struct frame){ .code = r->code, .pc = r->pc, .sp = r->sp, .outer = r->frames };
	r->frames = f;
	r->code = code;
	r->pc = code->code;
	r->sp = arena_array(r->env->arena, code->stack_max + 1, sizeof *r->sp);
	return 0;
}

static int64_t leave(struct run *r)
{
	struct frame *f = r->frames;
	int64_t value = r->sp[-1];

	r->code = f->code;
	r->pc = f->pc;
	r->sp = f->sp;
	r->frames = f->outer;
	r->depth--;
	return value;
}

/* --- variables --- */

static struct arith_place place_of(const struct run *r, const struct arith_ins *ins,
				   const int64_t *at)
{
	struct arith_place p = { .name = &ins->ref->name,
				 .kind = ARITH_SCALAR,
				 .plain = r->env->plain };

	if (ins->op == AOP_LOAD || ins->op == AOP_STORE || ins->op == AOP_PRE ||
	    ins->op == AOP_POST)
		return p;
	p.kind = (enum arith_kind)at[0];
	p.index = at[1];
	p.key = ins->ref->sub;
	return p;
}

static bool is_at(const struct arith_ins *ins)
{
	return ins->op == AOP_LOAD_AT || ins->op == AOP_PRE_AT || ins->op == AOP_POST_AT;
}

/* The value of the variable of a LOAD, PRE or POST is known: does the rest of it. */
static int with_value(struct run *r, const struct arith_ins *ins, int64_t value)
{
	int64_t *at = is_at(ins) ? r->sp - 2 : r->sp;
	int rc = 0;

	if (ins->amount != 0) {
		struct arith_place p = place_of(r, ins, at);
		int64_t changed = (int64_t)((uint64_t)value + (uint64_t)(int64_t)ins->amount);

		rc = r->env->set(r->env->user, &p, changed);
		if (ins->op == AOP_PRE || ins->op == AOP_PRE_AT)
			value = changed;
	}
	at[0] = value;
	r->sp = at + 1;
	return rc;
}

/* Reads the variable of a LOAD, PRE or POST; text that is no plain number opens a frame. */
static int read_value(struct run *r, const struct arith_ins *ins)
{
	struct arith_place p = place_of(r, ins, r->sp - 2);
	struct bytes text = { NULL, 0 };
	int64_t value = 0;
	int rc = r->env->get(r->env->user, &p, &value, &text);

	if (rc < 0)
		return rc;
	if (rc == 0 && text.len != 0 && !arith_plain_number(text, &value)) {
		text = arena_bytes(r->env->arena, text);
		return enter(r, arith_compile(r->env->arena, text, r->env->plain));
	}
	return with_value(r, ins, value);
}

static int store(struct run *r, const struct arith_ins *ins)
{
	struct arith_place p = place_of(r, ins, r->sp - 2);

	if (ins->op == AOP_STORE_UNDER) {
		p = place_of(r, ins, r->sp - 3);
		r->sp[-3] = r->sp[-1];
	}
	if (ins->op != AOP_STORE)
		r->sp -= 2;
	return r->env->set(r->env->user, &p, r->sp[-1]);
}

static void push_place(struct run *r, enum arith_kind kind, int64_t index)
{
	r->sp[0] = kind;
	r->sp[1] = index;
	r->sp += 2;
}

static bool has_expansions(struct bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		char ch = text.ptr[i];

		if (ch == '$' || ch == '`' || ch == '"' || ch == '\\')
			return true;
	}
	return false;
}

static int place(struct run *r, const struct arith_ins *ins)
{
	struct arith_ref *ref = ins->ref;
	int64_t index;

	if (ref->sub.len == 0 ||
	    (r->env->kind != NULL && r->env->kind(r->env->user, &ref->name) == ARITH_KEY)) {
		push_place(r, ARITH_KEY, 0);
		return 0;
	}
	if (r->env->subscript != NULL && has_expansions(ref->sub)) {
		struct bytes text;
		int rc = r->env->subscript(r->env->user, ref->sub, &text);

		return rc != 0 ? rc : enter(r, arith_compile(r->env->arena, text, r->env->plain));
	}
	if (!arith_is_constant(ref->sub_code, &index))
		return enter(r, ref->sub_code);
	push_place(r, ARITH_INDEX, index);
	return 0;
}

/* The frame that ins opened has ended. */
static int resume(struct run *r, const struct arith_ins *ins, int64_t value)
{
	if (ins->op != AOP_PLACE)
		return with_value(r, ins, value);
	push_place(r, ARITH_INDEX, value);
	return 0;
}

/* --- operators --- */

static int64_t power(int64_t base, int64_t exponent)
{
	uint64_t result = 1, factor = (uint64_t)base;

	for (; exponent != 0; exponent >>= 1) {
		if (exponent & 1)
			result *= factor;
		factor *= factor;
	}
	return (int64_t)result;
}

/* What can fail: / % ** */
static int divide(struct run *r, const struct arith_ins *ins)
{
	int64_t a = r->sp[-2], b = r->sp[-1];

	if (ins->op == AOP_POW) {
		if (b < 0)
			return fail_op(r, "exponent less than 0", ins);
		r->sp[-2] = power(a, b);
	} else if (b == 0) {
		return fail_op(r, "division by 0", ins);
	} else if (b == -1) {
		r->sp[-2] = ins->op == AOP_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
	} else {
		r->sp[-2] = ins->op == AOP_DIV ? a / b : a % b;
	}
	r->sp--;
	return 0;
}

static int64_t shift_right(int64_t a, int64_t b)
{
	return a < 0 ? ~(int64_t)(~(uint64_t)a >> (b & 63)) : (int64_t)((uint64_t)a >> (b & 63));
}

static int64_t binary(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case AOP_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
	case AOP_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
	case AOP_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
	case AOP_SHL: return (int64_t)((uint64_t)a << (b & 63));
	case AOP_SHR: return shift_right(a, b);
	case AOP_LT: return a < b;
	case AOP_GT: return a > b;
	case AOP_LE: return a <= b;
	case AOP_GE: return a >= b;
	case AOP_EQ: return a == b;
	case AOP_NE: return a != b;
	case AOP_AND: return a & b;
	case AOP_XOR: return a ^ b;
	default: return a | b;
	}
}

/* && and ||: leaves the outcome and jumps, or takes the left side off. */
static void short_circuit(struct run *r, const struct arith_ins *ins)
{
	bool value = r->sp[-1] != 0;

	if (value == (ins->op == AOP_JUMP_TRUE)) {
		r->sp[-1] = value;
		r->pc = r->code->code + ins->where;
	} else {
		r->sp--;
	}
}

static int run_error(struct run *r, const struct arith_ins *ins)
{
	/* A bad number is the last thing that is shown of the expression. */
	size_t shown = ins->amount != 0 ? ins[1].where : r->code->text.len;

	return fail(r, ins->message, ins->where, shown);
}

/* Everything but plain operators. */
static int run_other(struct run *r, const struct arith_ins *ins)
{
	switch (ins->op) {
	case AOP_ERROR: return run_error(r, ins);
	case AOP_PARAM: *r->sp++ = r->params[ins->value]; break;
	case AOP_LOAD:
	case AOP_PRE:
	case AOP_POST:
	case AOP_LOAD_AT:
	case AOP_PRE_AT:
	case AOP_POST_AT: return read_value(r, ins);
	case AOP_STORE:
	case AOP_STORE_AT:
	case AOP_STORE_UNDER: return store(r, ins);
	case AOP_PLACE: return place(r, ins);
	case AOP_KEEP: push_place(r, (enum arith_kind)r->sp[-2], r->sp[-1]); break;
	case AOP_POP: r->sp--; break;
	case AOP_NEG: r->sp[-1] = (int64_t)(0 - (uint64_t)r->sp[-1]); break;
	case AOP_NOT: r->sp[-1] = r->sp[-1] == 0; break;
	case AOP_FLIP: r->sp[-1] = ~r->sp[-1]; break;
	case AOP_BOOL: r->sp[-1] = r->sp[-1] != 0; break;
	case AOP_DIV:
	case AOP_MOD:
	case AOP_POW: return divide(r, ins);
	case AOP_JUMP: r->pc = r->code->code + ins->where; break;
	case AOP_JUMP_ZERO:
		if (*--r->sp == 0)
			r->pc = r->code->code + ins->where;
		break;
	case AOP_JUMP_FALSE:
	case AOP_JUMP_TRUE: short_circuit(r, ins); break;
	}
	return 0;
}

static int run_code(struct run *r, int64_t *out)
{
	for (;;) {
		const struct arith_ins *ins = r->pc++;
		int rc = 0;

		if (ins->op == AOP_PUSH) {
			*r->sp++ = ins->value;
		} else if (ins->op >= AOP_MUL && ins->op <= AOP_OR && ins->op != AOP_DIV &&
			   ins->op != AOP_MOD && ins->op != AOP_POW) {
			r->sp[-2] = binary(ins->op, r->sp[-2], r->sp[-1]);
			r->sp--;
		} else if (ins->op != AOP_END) {
			rc = run_other(r, ins);
		} else if (r->frames == NULL) {
			*out = r->sp[-1];
			return 0;
		} else {
			int64_t value = leave(r);

			rc = resume(r, r->pc - 1, value);
		}
		if (rc != 0)
			return rc;
	}
}

/* --- entries --- */

/* The values of the parameter expansions, or ARITH_RETRY. */
static int ask_params(const struct arith *code, struct arith_env *env, struct run *r)
{
	int64_t *values = arena_array(env->arena, code->nholes, sizeof *values);

	for (uint32_t i = 0; i < code->nholes; i++) {
		if (env->param == NULL ||
		    env->param(env->user, code->holes[i].param, &values[i]) != 1 ||
		    (values[i] < 0 && code->holes[i].after_minus))
			return ARITH_RETRY;
	}
	for (struct arith_ref *ref = code->hole_refs; ref != NULL; ref = ref->next)
		if (env->kind != NULL && env->kind(env->user, &ref->name) == ARITH_KEY)
			return ARITH_RETRY;
	r->params = values;
	return 0;
}

int arith_eval(const struct arith *code, struct arith_env *env, int64_t *out)
{
	int64_t local[LOCAL_STACK];
	struct run r = { .env = env, .code = code, .root = code, .pc = code->code, .sp = local };
	struct arena_mark mark = arena_mark(env->arena);
	int rc = 0;

	if (code->stack_max > LOCAL_STACK)
		r.sp = arena_array(env->arena, code->stack_max, sizeof *r.sp);
	if (code->nholes != 0)
		rc = ask_params(code, env, &r);
	if (rc == 0)
		rc = run_code(&r, out);
	if (rc != ARITH_ERROR)
		arena_release(env->arena, mark);
	return rc;
}

int arith_eval_text(struct bytes text, struct arith_env *env, int64_t *out)
{
	struct arena_mark mark;
	int rc;

	if (arith_plain_number(text, out))
		return 0;
	mark = arena_mark(env->arena);
	rc = arith_eval(arith_compile(env->arena, text, env->plain), env, out);
	if (rc != ARITH_ERROR)
		arena_release(env->arena, mark);
	return rc;
}

bool arith_is_constant(const struct arith *code, int64_t *out)
{
	if (code->code[0].op != AOP_PUSH || code->code[1].op != AOP_END)
		return false;
	*out = code->code[0].value;
	return true;
}

bool arith_plain_number(struct bytes text, int64_t *out)
{
	size_t i = text.len > 1 && text.ptr[0] == '-';
	bool negative = i != 0;
	int64_t v = 0;

	if (text.len - i > 18 || i == text.len || (text.ptr[i] == '0' && text.len > 1))
		return false;
	for (; i < text.len; i++) {
		if (!byte_is_digit((unsigned char)text.ptr[i]))
			return false;
		v = v * 10 + (text.ptr[i] - '0');
	}
	*out = negative ? -v : v;
	return true;
}
