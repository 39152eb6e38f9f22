/* SPDX-License-Identifier: MIT
 *
 * awk's machine: runs code on a stack of values.
 *
 * sp points at the first free slot. Each value on the stack owns a reference. The stack is a
 * list of chunks, so that values never move while something points at them; a function's
 * arguments are copied when it starts in a new chunk.
 */
#include <math.h>

#include "builtins/awk/vm.h"

enum {
	CHUNK_VALUES = 4096,
	INS_A_STEP = 64, /* instructions in a row that cost one */
};

struct chunk {
	struct chunk *up;
	struct val *end;
	struct val v[];
};

/* --- the stack --- */

static size_t chunk_size(const struct chunk *ch)
{
	return (size_t)((const char *)ch->end - (const char *)ch);
}

/* Room for `need` values above sp; n values below it move along. True: in a new chunk. */
static bool reserve(struct awk *a, struct val **sp, size_t n, size_t need)
{
	if (a->chunk != NULL && (size_t)(a->chunk->end - *sp) >= need)
		return false;
	size_t count = n + need > CHUNK_VALUES ? n + need : CHUNK_VALUES;
	struct chunk *ch = pool_alloc(a->pool, sizeof *ch + count * sizeof(struct val));

	ch->up = a->chunk;
	ch->end = ch->v + count;
	if (n != 0)
		memcpy(ch->v, *sp - n, n * sizeof(struct val));
	*sp = ch->v + n;
	a->chunk = ch;
	return true;
}

static void drop_chunk(struct awk *a)
{
	struct chunk *ch = a->chunk;

	a->chunk = ch->up;
	pool_free(a->pool, ch, chunk_size(ch));
}

/* --- names in messages --- */

static struct bytes local_name(const struct machine *m, int n)
{
	return m->fn != NULL && n < m->fn->nparams ? m->fn->params[n] : BYTES("?");
}

/* The array in a variable; kind: "scalar", "scalar parameter". */
static struct array *array_in(struct awk *a, struct val *v, const char *kind, struct bytes name)
{
	struct array *x = awk_var_array(a, v);

	if (x == NULL)
		awk_op_no_array(a, kind, name);
	return x;
}

/* --- arithmetic --- */

static double compute(struct awk *a, enum arith op, double x, double y)
{
	switch (op) {
	case ARITH_ADD: return x + y;
	case ARITH_SUB: return x - y;
	case ARITH_MUL: return x * y;
	case ARITH_DIV:
		if (y == 0)
			awk_fatal(a, "division by zero attempted%s",
				  a->ip != NULL && a->ip->op >= OP_SET_GLOBAL &&
						  a->ip->op <= OP_SET_ELEM
					  ? " in `/='"
					  : "");
		return x / y;
	case ARITH_MOD:
		if (y == 0)
			awk_fatal(a, "division by zero attempted in `%s'",
				  a->ip != NULL && a->ip->op >= OP_SET_GLOBAL &&
						  a->ip->op <= OP_SET_ELEM
					  ? "%="
					  : "%");
		return fmod(x, y);
	default: return awk_power(x, y);
	}
}

double awk_arith(struct awk *a, enum arith op, double x, double y)
{
	return awk_made(compute(a, op, x, y), x, y);
}

static bool holds(enum compare op, int order)
{
	switch (op) {
	case CMP_LT: return order < 0;
	case CMP_LE: return order <= 0;
	case CMP_EQ: return order == 0;
	case CMP_NE: return order != 0;
	case CMP_GT: return order > 0;
	default: return order >= 0;
	}
}

/* Takes both values. */
static bool compare(struct awk *a, enum compare op, struct val *x, struct val *y)
{
	if (x->kind == VAL_NUM && y->kind == VAL_NUM) {
		double p = x->u.num;
		double q = y->u.num;

		if (p != p || q != q)
			return op == CMP_NE;
		return holds(op, p < q ? -1 : p > q);
	}
	bool result = holds(op, awk_val_compare(a, x, y));

	val_put(a, *x);
	val_put(a, *y);
	return result;
}

/* --- assignments --- */

/* A copy of a variable that was never set is "unassigned" (typeof). */
static struct val to_store(struct awk *a, struct val v)
{
	if (v.kind == VAL_UNINIT)
		v.assigned = 1;
	else if (v.kind == VAL_ARRAY)
		awk_array_as_scalar(a, BYTES(""), v.u.array);
	return v;
}

/* What a place is called in messages; name is not used for elements. */
static struct bytes place_name(struct awk *a, struct bytes name)
{
	enum op op = (enum op)a->ip->op;
	bool element = op == OP_STORE_ELEM || op == OP_SET_ELEM || op == OP_INCR_ELEM ||
		       op == OP_APPEND_ELEM;

	return element ? awk_op_element_name(a, a->elem_of, &a->elem_key) : name;
}

static void assign(struct awk *a, struct val *place, struct val v, struct bytes name)
{
	struct val old = *place;

	if (old.kind == VAL_ARRAY || (old.kind == VAL_UNTYPED && old.u.array->used))
		awk_array_as_scalar(a, place_name(a, name), old.u.array);
	if (old.kind == VAL_UNTYPED)
		old.u.array->scalar = true;
	*place = to_store(a, v);
	val_put(a, old);
}

/* [value][array][subscript], or [array][subscript][value] if early. */
static void store_elem(struct awk *a, struct machine *m, bool dropped, bool early)
{
	struct text_room tmp;
	struct val *base = m->sp - 3;
	struct val v = early ? base[2] : base[0];
	struct val arr = early ? base[0] : base[1];
	struct val sub = early ? base[1] : base[2];
	struct key key = awk_op_key_of(a, &sub, &tmp);

	a->elem_of = arr.u.array;
	a->elem_key = key;
	assign(a, elem_place(a, arr.u.array, key, true), v, BYTES(""));
	elem_stored(a, arr.u.array, key);
	m->sp = base;
	if (!dropped)
		*m->sp++ = val_get(v);
	val_put(a, sub);
	awk_array_put(a, arr.u.array);
}

static void store_field(struct awk *a, struct machine *m, bool dropped, bool early)
{
	struct val v = m->sp[early ? -1 : -2];
	struct val index = m->sp[early ? -2 : -1];
	size_t n = awk_field_index(a, &index);

	m->sp -= 2;
	if (!dropped)
		*m->sp++ = val_get(v);
	awk_rec_set_field(a, n, v);
	val_put(a, index);
}

/* The number in a place, changed by an operator. */
static double change(struct awk *a, struct val *place, const struct ins *i, double y,
		     struct bytes name)
{
	if (place->kind > VAL_REGEX && (place->kind == VAL_ARRAY || place->u.array->used))
		awk_array_as_scalar(a, place_name(a, name), place->u.array);
	double result = awk_arith(a, (enum arith)i->y, val_to_num(a, place), y);

	if (place->kind != VAL_NUM) {
		struct val old = *place;

		if (old.kind == VAL_UNTYPED)
			old.u.array->scalar = true;
		*place = val_num(result);
		val_put(a, old);
	}
	*place = val_num(result);
	return result;
}

/* ++ and --: the value of the expression. */
static double step(struct awk *a, struct val *place, const struct ins *i, struct bytes name)
{
	struct ins op = { .y = i->y & INCR_DOWN ? ARITH_SUB : ARITH_ADD };
	double after = change(a, place, &op, 1, name);

	return i->y & INCR_POST ? (i->y & INCR_DOWN ? after + 1 : after - 1) : after;
}

static double old_number(struct awk *a, struct val *place)
{
	return place->kind <= VAL_REGEX ? val_to_num(a, place) : 0;
}

/* step, exactly: x++ gives x itself even where x + 1 - 1 is not x. */
static double increment(struct awk *a, struct val *place, const struct ins *i, struct bytes name)
{
	double before = i->y & INCR_POST ? old_number(a, place) : 0;
	double value = step(a, place, i, name);

	return i->y & INCR_POST ? before : value;
}

static void update_special(struct awk *a, struct machine *m, const struct ins *i, bool incr)
{
	struct val v = awk_special_get(a, (enum special)i->z);
	double before = val_to_num(a, &v);
	double y = 1;

	val_put(a, v);
	if (!incr) {
		y = val_to_num(a, &m->sp[-1]);
		val_put(a, *--m->sp);
	}
	double after = awk_arith(
		a, incr ? (i->y & INCR_DOWN ? ARITH_SUB : ARITH_ADD) : (enum arith)i->y, before, y);

	awk_special_set(a, (enum special)i->z, val_num(after));
	if (!i->x)
		*m->sp++ = val_num(incr && (i->y & INCR_POST) ? before : after);
}

/* [value] index */
static void update_field(struct awk *a, struct machine *m, const struct ins *i, bool incr)
{
	size_t n = awk_field_index(a, &m->sp[-1]);
	double before = awk_rec_num(a, n);
	double y = 1;

	val_put(a, *--m->sp);
	if (!incr) {
		y = val_to_num(a, &m->sp[-1]);
		val_put(a, *--m->sp);
	}
	double after = awk_arith(
		a, incr ? (i->y & INCR_DOWN ? ARITH_SUB : ARITH_ADD) : (enum arith)i->y, before, y);

	awk_rec_set_field(a, n, val_num(after));
	if (!i->x)
		*m->sp++ = val_num(incr && (i->y & INCR_POST) ? before : after);
}

/* [value] array subscript */
static void update_elem(struct awk *a, struct machine *m, const struct ins *i, bool incr)
{
	struct text_room tmp;
	struct val sub = m->sp[-1];
	struct val arr = m->sp[-2];
	struct key key = awk_op_key_of(a, &sub, &tmp);
	struct val *e = elem_place(a, arr.u.array, key, true);
	double result;

	a->elem_of = arr.u.array;
	a->elem_key = key;
	m->sp -= 2;
	if (incr) {
		result = increment(a, e, i, BYTES(""));
	} else {
		double y = val_to_num(a, &m->sp[-1]);

		val_put(a, *--m->sp);
		result = change(a, e, i, y, BYTES(""));
	}
	elem_stored(a, arr.u.array, key);
	val_put(a, sub);
	awk_array_put(a, arr.u.array);
	if (!i->x)
		*m->sp++ = val_num(result);
}

static void append_to(struct awk *a, struct val *place, struct val *more, struct bytes name)
{
	struct text_room tmp;

	if (place->kind > VAL_REGEX && (place->kind == VAL_ARRAY || place->u.array->used))
		awk_array_as_scalar(a, place_name(a, name), place->u.array);
	if (place->kind == VAL_UNTYPED) {
		struct val promise = *place;

		*place = scalar_of(a, &promise, name);
		val_put(a, promise);
	}
	if (place->kind == VAL_STR && more->kind != VAL_NUM && val_has_str(*more) &&
	    more->u.str == place->u.str)
		awk_val_to_str(a, more);
	struct str *s = awk_val_to_str(a, place);

	place->u.str = awk_str_append(a, s, awk_val_text(a, more, &tmp));
	place->kind = VAL_STR;
}

/* value array subscript */
static void append_elem(struct awk *a, struct machine *m, bool dropped)
{
	struct text_room tmp;
	struct val *base = m->sp - 3;
	struct key key = awk_op_key_of(a, &base[2], &tmp);
	struct val *e = elem_place(a, base[1].u.array, key, true);

	a->elem_of = base[1].u.array;
	a->elem_key = key;
	append_to(a, e, &base[0], BYTES(""));
	elem_stored(a, base[1].u.array, key);
	struct val result = dropped ? (struct val){ .kind = VAL_UNINIT } : val_get(*e);

	m->sp = release_to(a, m->sp, base);
	if (!dropped)
		*m->sp++ = result;
}

/* --- calls --- */

static void push_frame(struct awk *a, struct machine *m, struct val *base, struct val *sp,
		       bool own_chunk)
{
	if (a->nframes == a->frames_cap) {
		size_t cap = a->frames_cap == 0 ? 32 : a->frames_cap * 2;

		a->frames = pool_resize(a->pool, a->frames, a->frames_cap * sizeof *a->frames,
					cap * sizeof *a->frames);
		a->frames_cap = cap;
	}
	if (a->nframes >= AWK_CALLS_MAX)
		awk_fatal(a, "function calls nested too deeply");
	a->frames[a->nframes++] = (struct frame){ .ret = m->ip,
						  .fp = m->fp,
						  .base = base,
						  .sp = sp,
						  .fn = m->fn,
						  .own_chunk = own_chunk };
}

static void enter(struct awk *a, struct machine *m, struct function *f, int nargs)
{
	struct val *sp = m->sp;

	while (nargs > f->nparams) {
		val_put(a, *--sp);
		nargs--;
	}
	struct val *below = sp - nargs;
	size_t need = (size_t)(f->nparams - nargs + f->stack);
	bool moved = reserve(a, &sp, (size_t)nargs, need);

	push_frame(a, m, sp - nargs, below, moved);
	m->fp = sp - nargs;
	while (nargs++ < f->nparams)
		*sp++ = (struct val){ .kind = VAL_UNINIT };
	m->sp = sp;
	m->fn = f;
	m->ip = a->prog->code + f->entry;
	awk_work(a, 1 + (uint64_t)f->stack / INS_A_STEP);
}

/* What is wrong with a call. */
static void check_call(struct awk *a, const struct function *f)
{
	if (!f->defined)
		awk_fatal(a, "function `%.*s' not defined", (int)f->name.len, f->name.ptr);
	awk_warn(a, "function `%.*s' called with more arguments than declared", (int)f->name.len,
		 f->name.ptr);
}

/* Leaves the newest frame; its values are released. */
static void leave(struct awk *a, struct machine *m)
{
	struct frame *f = &a->frames[--a->nframes];

	release_to(a, m->sp, f->base);
	if (f->own_chunk)
		drop_chunk(a);
	m->sp = f->sp;
	m->fp = f->fp;
	m->fn = f->fn;
	m->ip = f->ret;
}

static void call_indirect(struct awk *a, struct machine *m, int nargs)
{
	struct val name = m->sp[-nargs - 1];
	struct text_room tmp;
	struct bytes text = awk_val_text(a, &name, &tmp);

	if (bytes_starts(text, BYTES("awk::")))
		text = bytes_slice(text, 5, text.len);
	struct function *f = awk_program_find_function(a->prog, text);

	if (f == NULL || !f->defined) {
		int id = awk_fn_find(text);

		if (id < 0)
			id = awk_library_function(a, text);

		if (id < 0)
			awk_fatal(a, "`%.*s' is not a function, so it cannot be called indirectly",
				  (int)text.len, text.ptr);
		a->sp = m->sp;
		struct val v = awk_fn_call_indirect(a, (unsigned)id, m->sp - nargs, nargs);

		m->sp = release_to(a, m->sp, m->sp - nargs - 1);
		*m->sp++ = v;
		return;
	}
	if (nargs > f->nparams)
		check_call(a, f);
	/* The name goes, the arguments move down. */
	memmove(m->sp - nargs - 1, m->sp - nargs, (size_t)nargs * sizeof(struct val));
	m->sp--;
	val_put(a, name);
	enter(a, m, f, nargs);
}

/* --- patterns --- */

static bool matches(struct awk *a, struct regex *re, const struct val *v)
{
	struct text_room tmp;
	struct bytes s = awk_val_text(a, v, &tmp);

	awk_work_bytes(a, s.len);
	return awk_regex_hits(a, re, s);
}

static void match_dynamic(struct awk *a, struct machine *m, bool negate)
{
	struct regex *re = awk_pattern_of_val(a, &m->sp[-1]);
	bool hit = matches(a, re, &m->sp[-2]);

	m->sp = release_to(a, m->sp, m->sp - 2);
	*m->sp++ = val_num(hit != negate);
}

static bool next_key(struct awk *a, struct machine *m)
{
	struct iter *it = m->sp[-1].u.iter;

	if (it->at == it->n)
		return false;
	/* The loop's own reference becomes the value's. */
	*m->sp++ = (struct val){ .kind = VAL_INPUT,
				 .u.str = awk_member_str(a, &it->list[it->at++]) };
	return true;
}

static enum run_end next_record(struct awk *a, bool file)
{
	static const char *const phases[] = { "BEGIN", "", "END" };
	const char *what = file ? "nextfile" : "next";

	if (a->in_beginfile && !file)
		awk_fatal(a, "`next' cannot be called from a `BEGINFILE' rule");
	if (a->in_endfile)
		awk_fatal(a, "`%s' cannot be called from a `ENDFILE' rule", what);
	if (a->phase != PHASE_MAIN && !a->in_beginfile)
		awk_fatal(a, "`%s' cannot be called from a `%s' rule", what, phases[a->phase]);
	if (file)
		awk_main_nextfile(a);
	return file ? RUN_NEXTFILE : RUN_NEXT;
}

/* --- the loop --- */

static void tick(struct awk *a)
{
	awk_work(a, 1);
	if (a->scratch.chunk != NULL && a->depth == 1)
		arena_clear(&a->scratch);
}

#define PUSH(v) (*m.sp++ = (v))
#define NUM(v)  (val_to_num(a, (v)))
#define ARITH(expression)                                                                          \
	do {                                                                                       \
		double y = NUM(&m.sp[-1]);                                                         \
		double x = NUM(&m.sp[-2]);                                                         \
		val_put(a, m.sp[-1]);                                                              \
		val_put(a, m.sp[-2]);                                                              \
		m.sp--;                                                                            \
		m.sp[-1] = val_num(awk_made(expression, x, y));                                    \
	} while (0)

/* Runs until OP_DONE or a jump out; with a result, until the frames above `base` are gone. */
/* long: the machine's dispatch */
static enum run_end run(struct awk *a, struct machine start, size_t base, struct val *result)
{
	struct machine m = start;
	struct program *p = a->prog;
	struct val *globals = a->globals;

	for (;;) {
		const struct ins *i = m.ip++;
		struct val v;

		a->ip = i;
		switch ((enum op)i->op) {
		case OP_CONST: PUSH(val_get(p->consts[i->z])); break;
		case OP_NUM: PUSH(val_num(i->z)); break;
		case OP_UNINIT: PUSH(((struct val){ .kind = VAL_UNINIT, .assigned = 1 })); break;
		case OP_GLOBAL: PUSH(scalar_of(a, &globals[i->z], p->names[i->z])); break;
		case OP_LOCAL: PUSH(scalar_of(a, &m.fp[i->z], local_name(&m, i->z))); break;
		case OP_SPECIAL: PUSH(awk_special_get(a, (enum special)i->z)); break;
		case OP_FIELD: PUSH(awk_rec_field(a, (size_t)i->z)); break;
		case OP_FIELD_DYN:
		case OP_VIEW_DYN: {
			size_t n = awk_field_index(a, &m.sp[-1]);

			val_put(a, *--m.sp);
			PUSH(i->op == OP_VIEW_DYN ? awk_rec_view(a, n) : awk_rec_field(a, n));
			break;
		}
		case OP_VIEW: PUSH(awk_rec_view(a, (size_t)i->z)); break;
		case OP_FIELD_NUM: PUSH(val_num(awk_rec_num(a, (size_t)i->z))); break;
		case OP_ARRAY_GLOBAL:
			v = (struct val){ .kind = VAL_ARRAY };
			if (i->z < SP_COUNT)
				awk_op_no_array(a, "scalar", p->names[i->z]);
			v.u.array = array_in(a, &globals[i->z], "scalar", p->names[i->z]);
			v.u.array->refs++;
			PUSH(v);
			break;
		case OP_ARRAY_LOCAL:
			v = (struct val){ .kind = VAL_ARRAY };
			v.u.array = array_in(a, &m.fp[i->z], "scalar parameter",
					     local_name(&m, i->z));
			v.u.array->refs++;
			PUSH(v);
			break;
		case OP_SUBARRAY: awk_op_push_subarray(a, &m); break;
		case OP_NO_ARRAY: awk_op_no_array(a, "scalar", BYTES("")); break;
		case OP_ARG_GLOBAL:
		case OP_ANY_GLOBAL:
			awk_op_push_variable(a, &m, &globals[i->z], i->op == OP_ARG_GLOBAL);
			if (i->x && globals[i->z].kind != VAL_ARRAY)
				val_put(a, scalar_of(a, &globals[i->z], p->names[i->z]));
			break;
		case OP_ARG_LOCAL:
		case OP_ANY_LOCAL:
			awk_op_push_variable(a, &m, &m.fp[i->z], i->op == OP_ARG_LOCAL);
			if (i->x && m.fp[i->z].kind != VAL_ARRAY)
				val_put(a, scalar_of(a, &m.fp[i->z], local_name(&m, i->z)));
			break;
		case OP_ARG_ELEM:
		case OP_ANY_ELEM: awk_op_push_any_elem(a, &m, i->op == OP_ARG_ELEM); break;
		case OP_ELEM: awk_op_push_elem(a, &m); break;
		case OP_ELEM_PEEK: awk_op_peek_elem(a, &m, i->z); break;
		case OP_FIELD_PEEK:
			awk_rec_touch(a, awk_field_index(a, m.sp - 1 - i->z));
			v = awk_rec_field(a, awk_field_index(a, m.sp - 1 - i->z));
			PUSH(v);
			break;
		case OP_TOUCH: awk_rec_touch(a, (size_t)i->z); break;
		case OP_IN: awk_op_elem_in(a, &m, i->x); break;
		case OP_DELETE: awk_op_delete_elem(a, &m); break;
		case OP_CLEAR:
			if (m.sp[-1].u.array->table != TABLE_NONE)
				awk_table_refuse(a, m.sp[-1].u.array, NULL);
			awk_array_clear(a, m.sp[-1].u.array);
			m.sp = release_to(a, m.sp, m.sp - 1);
			break;
		case OP_JOIN: awk_op_join(a, &m, i->z); break;
		case OP_STORE_GLOBAL:
			v = *--m.sp;
			if (!i->x)
				PUSH(val_get(v));
			assign(a, &globals[i->z], v, p->names[i->z]);
			break;
		case OP_STORE_LOCAL:
			v = *--m.sp;
			if (!i->x)
				PUSH(val_get(v));
			assign(a, &m.fp[i->z], v, local_name(&m, i->z));
			break;
		case OP_STORE_SPECIAL:
			v = *--m.sp;
			if (!i->x)
				PUSH(val_get(v));
			awk_special_set(a, (enum special)i->z, to_store(a, v));
			break;
		case OP_STORE_FIELD:
			v = *--m.sp;
			if (!i->x)
				PUSH(val_get(v));
			awk_rec_set_field(a, (size_t)i->z, v);
			break;
		case OP_STORE_FIELD_DYN: store_field(a, &m, i->x, i->y); break;
		case OP_STORE_ELEM: store_elem(a, &m, i->x, i->y); break;
		case OP_SET_GLOBAL:
		case OP_SET_LOCAL: {
			bool global = i->op == OP_SET_GLOBAL;
			double y = NUM(&m.sp[-1]);
			double d = change(a, global ? &globals[i->z] : &m.fp[i->z], i, y,
					  global ? p->names[i->z] : local_name(&m, i->z));

			val_put(a, *--m.sp);
			if (!i->x)
				PUSH(val_num(d));
			break;
		}
		case OP_SET_SPECIAL:
		case OP_INCR_SPECIAL: update_special(a, &m, i, i->op == OP_INCR_SPECIAL); break;
		case OP_SET_FIELD_DYN:
		case OP_INCR_FIELD_DYN: update_field(a, &m, i, i->op == OP_INCR_FIELD_DYN); break;
		case OP_SET_ELEM:
		case OP_INCR_ELEM: update_elem(a, &m, i, i->op == OP_INCR_ELEM); break;
		case OP_INCR_GLOBAL:
		case OP_INCR_LOCAL: {
			bool global = i->op == OP_INCR_GLOBAL;
			double d = increment(a, global ? &globals[i->z] : &m.fp[i->z], i,
					     global ? p->names[i->z] : local_name(&m, i->z));

			if (!i->x)
				PUSH(val_num(d));
			break;
		}
		case OP_APPEND_GLOBAL:
		case OP_APPEND_LOCAL: {
			struct val *place = i->op == OP_APPEND_GLOBAL ? &globals[i->z]
								      : &m.fp[i->z];

			append_to(a, place, &m.sp[-1],
				  i->op == OP_APPEND_GLOBAL ? p->names[i->z]
							    : local_name(&m, i->z));
			val_put(a, *--m.sp);
			if (!i->x)
				PUSH(val_get(*place));
			break;
		}
		case OP_APPEND_ELEM: append_elem(a, &m, i->x); break;
		case OP_ADD: ARITH(x + y); break;
		case OP_SUB: ARITH(x - y); break;
		case OP_MUL: ARITH(x * y); break;
		case OP_DIV: ARITH(compute(a, ARITH_DIV, x, y)); break;
		case OP_MOD: ARITH(compute(a, ARITH_MOD, x, y)); break;
		case OP_POW: ARITH(awk_power(x, y)); break;
		case OP_COUNT: a->counts[i->z]++; break;
		case OP_BIG: awk_op_big_binary(a, &m, (enum arith)i->y); break;
		case OP_BIG_UNARY: awk_op_big_unary(a, &m, i->x); break;
		case OP_BIG_UPDATE: awk_op_big_update(a, &m, i); break;
		case OP_NEG:
		case OP_PLUS: {
			double d = NUM(&m.sp[-1]);

			val_put(a, m.sp[-1]);
			m.sp[-1] = val_num(i->op == OP_NEG ? -d : d);
			break;
		}
		case OP_NOT:
		case OP_BOOL: {
			bool truth = awk_val_true(a, &m.sp[-1]);

			val_put(a, m.sp[-1]);
			m.sp[-1] = val_num(truth == (i->op == OP_BOOL));
			break;
		}
		case OP_COMPARE:
			m.sp -= 2;
			m.sp[0] = val_num(compare(a, (enum compare)i->x, &m.sp[0], &m.sp[1]));
			m.sp++;
			break;
		case OP_JUMP_COMPARE:
			m.sp -= 2;
			if (compare(a, (enum compare)i->x, &m.sp[0], &m.sp[1]) == i->y)
				m.ip = p->code + i->z;
			break;
		case OP_MATCH: match_dynamic(a, &m, i->x); break;
		case OP_MATCH_CONST: {
			bool hit = matches(a, awk_re_const_get(a, p->regexes[i->z]), &m.sp[-1]);

			val_put(a, m.sp[-1]);
			m.sp[-1] = val_num(hit != i->x);
			break;
		}
		case OP_MATCH_RECORD:
			awk_work_bytes(a, a->rec.len);
			PUSH(val_num(awk_regex_hits_record(a, p->regexes[i->z])));
			break;
		case OP_CONCAT: awk_op_concat(a, &m, i->z); break;
		case OP_LOOP:
			tick(a);
			awk_work(a, (uint64_t)(m.ip - (p->code + i->z)) / INS_A_STEP);
			m.ip = p->code + i->z;
			break;
		case OP_JUMP: m.ip = p->code + i->z; break;
		case OP_JUMP_FALSE:
		case OP_JUMP_TRUE: {
			bool truth = awk_val_true(a, &m.sp[-1]);

			val_put(a, *--m.sp);
			if (truth == (i->op == OP_JUMP_TRUE))
				m.ip = p->code + i->z;
			break;
		}
		case OP_POP: val_put(a, *--m.sp); break;
		case OP_ITER:
			a->sp = m.sp;
			v = (struct val){ .kind = VAL_ITER,
					  .u.iter = awk_iter_new(a, m.sp[-1].u.array) };
			awk_array_put(a, m.sp[-1].u.array);
			m.sp[-1] = v;
			break;
		case OP_ITER_NEXT:
			if (!next_key(a, &m))
				m.ip = p->code + i->z;
			break;
		case OP_CASE: {
			bool same = awk_val_compare(a, &m.sp[-2], &m.sp[-1]) == 0;

			val_put(a, *--m.sp);
			if (same) {
				val_put(a, *--m.sp);
				m.ip = p->code + i->z;
			}
			break;
		}
		case OP_CASE_REGEX:
			if (matches(a, awk_re_const_get(a, p->regexes[i->y]), &m.sp[-1])) {
				val_put(a, *--m.sp);
				m.ip = p->code + i->z;
			}
			break;
		case OP_RANGE:
			if (a->ranges[i->y])
				m.ip = p->code + i->z;
			break;
		case OP_SET_RANGE: a->ranges[i->y] = i->x; break;
		case OP_CALL:
			if (i->y > p->by_index[i->z]->nparams || !p->by_index[i->z]->defined)
				check_call(a, p->by_index[i->z]);
			enter(a, &m, p->by_index[i->z], i->y);
			break;
		case OP_INDIRECT: call_indirect(a, &m, i->z); break;
		case OP_RETURN:
			v = *--m.sp;
			leave(a, &m);
			if (result != NULL && a->nframes == base) {
				*result = v;
				return RUN_RETURN;
			}
			PUSH(v);
			break;
		case OP_BUILTIN:
			a->sp = m.sp;
			v = awk_fn_call(a, i->y, m.sp - i->z, i->z);
			m.sp = release_to(a, m.sp, m.sp - i->z);
			if (i->x)
				val_put(a, v);
			else
				PUSH(v);
			break;
		case OP_SUBST:
			if (!awk_op_substitute(a, &m, i->x))
				m.ip = p->code + i->z;
			break;
		case OP_REG: PUSH(val_num(a->reg)); break;
		case OP_GETLINE: awk_op_getline_plain(a, &m, i); break;
		case OP_GETLINE_VAR:
			if (!awk_op_getline_var(a, &m, i))
				m.ip = p->code + i->z;
			break;
		case OP_PRINT: awk_op_print(a, &m, i); break;
		case OP_PRINTF: awk_op_print_formatted(a, &m, i); break;
		case OP_OUT_FIELD: awk_op_out_field(a, i); break;
		case OP_OUT_VAL:
			awk_op_put_value(a, a->stdout_to, &m.sp[-1]);
			val_put(a, *--m.sp);
			if (i->x)
				output_write(a->stdout_to, a->ofs.ptr, a->ofs.len);
			break;
		case OP_OUT_END: output_write(a->stdout_to, a->ors.ptr, a->ors.len); break;
		case OP_OUT_RECORD: awk_op_out_record(a); break;
		case OP_NEXT:
		case OP_NEXTFILE: {
			enum run_end end = next_record(a, i->op == OP_NEXTFILE);

			while (a->nframes > base)
				leave(a, &m);
			release_to(a, m.sp, start.sp);
			return end;
		}
		case OP_EXIT:
			if (i->x)
				a->status = (int)(int64_t)NUM(&m.sp[-1]) & 0xff;
			while (a->nframes > base)
				leave(a, &m);
			release_to(a, m.sp, start.sp);
			return RUN_EXIT;
		case OP_DONE: return RUN_DONE;
		}
	}
}

static void enter_machine(struct awk *a)
{
	if (++a->depth > AWK_NESTED_RUNS_MAX)
		awk_fatal(a, "rules and order functions nested too deeply");
}

/* A run of the machine: of rules that begin at `entry`, or of a function. */
struct nested {
	struct awk *a;
	int32_t entry;
	struct function *f;
	const struct val *args;
	int n;
	struct val result;
};

/* Runs may nest deeply: each has enough of the native stack. */
static int run_deeply(struct awk *a, struct nested *n, int (*fn)(void *arg))
{
	if (cmd_stack_left(a->c) < AWK_STACK_NEED)
		return cmd_deepen(a->c, AWK_STACK_NEED, fn, n);
	return fn(n);
}

static int run_rules(void *arg)
{
	const struct nested *n = arg;
	struct awk *a = n->a;
	struct machine m = { .ip = a->prog->code + n->entry, .sp = a->sp };
	const struct ins *ip = a->ip;
	struct val *sp = a->sp;

	awk_work(a, (uint64_t)a->prog->stack_main / INS_A_STEP);
	enter_machine(a);
	bool moved = reserve(a, &m.sp, 0, (size_t)a->prog->stack_main);
	enum run_end end = run(a, m, a->nframes, NULL);

	if (moved && a->depth > 1)
		drop_chunk(a);
	else if (moved)
		sp = m.sp;
	a->depth--;
	a->sp = sp;
	if (a->depth > 0)
		a->ip = ip;
	return (int)end;
}

enum run_end awk_vm_run(struct awk *a, int32_t entry)
{
	struct nested n = { .a = a, .entry = entry };

	return (enum run_end)run_deeply(a, &n, run_rules);
}

static int run_function(void *arg)
{
	struct nested *n = arg;
	struct awk *a = n->a;
	struct machine m = { .ip = a->ip, .sp = a->sp };
	const struct ins *ip = a->ip;
	struct val *sp = a->sp;

	enter_machine(a);
	bool moved = reserve(a, &m.sp, 0, (size_t)n->n + 1);
	size_t base = a->nframes;

	for (int i = 0; i < n->n; i++)
		*m.sp++ = val_get(n->args[i]);
	enter(a, &m, n->f, n->n);
	if (run(a, m, base, &n->result) != RUN_RETURN)
		awk_exit(a, a->status);
	if (moved)
		drop_chunk(a);
	a->depth--;
	a->sp = sp;
	a->ip = ip;
	return 0;
}

struct val awk_vm_call(struct awk *a, struct function *f, const struct val *args, int n)
{
	struct nested call = { .a = a, .f = f, .args = args, .n = n };

	run_deeply(a, &call, run_function);
	return call.result;
}
