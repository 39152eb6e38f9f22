/* SPDX-License-Identifier: MIT
 *
 * The larger instructions of awk's machine: elements of arrays, getline, print. Operands are
 * taken off the stack and released, results pushed.
 */
#include "builtins/awk/vm.h"

/* --- names in messages --- */

enum { NAME_DEPTH = 8 }; /* of subarrays that are searched for one */

static void put_element(struct buf *out, struct bytes of, struct bytes key)
{
	buf_add(out, of);
	buf_puts(out, "[\"");
	buf_add(out, key);
	buf_puts(out, "\"]");
}

/* The element of `in`, known by that name, that holds x; false: none does. */
static bool find_inside(struct awk *a, const struct array *in, struct bytes name, int depth,
			const struct array *x, struct bytes *out)
{
	struct text_room tmp;
	struct member *list = arena_array(&a->scratch, in->count, sizeof *list);

	awk_walk_list(a, in, list);
	for (size_t i = 0; i < in->count; i++) {
		struct buf inner = buf_in(&a->scratch);
		const struct val *v = list[i].val;

		awk_work(a, 1);
		if (v->kind != VAL_ARRAY && v->kind != VAL_UNTYPED)
			continue;
		put_element(&inner, name, member_key(&list[i], &tmp));
		if (v->u.array == x) {
			*out = buf_bytes(&inner);
			return true;
		}
		if (depth < NAME_DEPTH &&
		    find_inside(a, v->u.array, buf_bytes(&inner), depth + 1, x, out))
			return true;
	}
	return false;
}

static bool holds(const struct val *v, const struct array *x)
{
	return (v->kind == VAL_ARRAY || v->kind == VAL_UNTYPED) && v->u.array == x;
}

/* The global variable, or the element of one, that holds an array; empty: none does. */
static struct bytes holder_of(struct awk *a, const struct array *x)
{
	struct bytes out = BYTES("");

	for (int i = SP_COUNT; i < a->prog->nglobals; i++)
		if (holds(&a->globals[i], x))
			return a->prog->names[i];
	for (int i = SP_COUNT; i < a->prog->nglobals; i++)
		if (a->globals[i].kind == VAL_ARRAY &&
		    find_inside(a, a->globals[i].u.array, a->prog->names[i], 0, x, &out))
			break;
	return out;
}

/* Whose local variable the instruction at work is about. */
static bool is_about_local(const struct awk *a)
{
	switch ((enum op)a->ip->op) {
	case OP_LOCAL:
	case OP_STORE_LOCAL:
	case OP_SET_LOCAL:
	case OP_INCR_LOCAL:
	case OP_APPEND_LOCAL: return true;
	default: return false;
	}
}

/* Appends "from b, from a, from x": the ways by which a parameter came by an array. */
static void put_origins(struct awk *a, struct buf *out, const struct array *x)
{
	size_t i = a->nframes;
	struct bytes from;
	int n;

	while (i-- > 0 && a->frames[i].fn != NULL) {
		const struct function *f = a->frames[i].fn;

		for (n = 0; n < f->nparams && !holds(&a->frames[i].fp[n], x); n++)
			;
		if (n == f->nparams)
			return;
		buf_puts(out, out->len != 0 ? ", from " : "from ");
		buf_add(out, f->params[n]);
		awk_work(a, 1);
	}
	from = holder_of(a, x);
	if (from.len != 0)
		buf_printf(out, "%sfrom %.*s", out->len != 0 ? ", " : "", (int)from.len, from.ptr);
}

_Noreturn void awk_array_as_scalar(struct awk *a, struct bytes name, const struct array *x)
{
	struct buf from = buf_in(&a->scratch);

	if (name.len == 0)
		name = holder_of(a, x);
	if (is_about_local(a))
		put_origins(a, &from, x);
	if (from.len != 0)
		awk_fatal(a, "attempt to use array `%.*s (%.*s)' in a scalar context",
			  (int)name.len, name.ptr, (int)from.len, buf_bytes(&from).ptr);
	awk_fatal(a, "attempt to use array `%.*s' in a scalar context", (int)name.len, name.ptr);
}

_Noreturn void awk_op_no_array(struct awk *a, const char *kind, struct bytes name)
{
	static const char *const nth[] = { "", "first", "second", "third", "fourth" };

	if (a->ip->x != 0)
		awk_fatal(a, "%s: %s argument is not an array", awk_fn_rows[a->ip->y].name,
			  nth[a->ip->x]);
	awk_fatal(a, "attempt to use %s `%.*s' as an array", kind, (int)name.len, name.ptr);
}

/* The name of an element: x["key"]. */
struct bytes awk_op_element_name(struct awk *a, const struct array *x, const struct key *k)
{
	struct buf out = buf_in(&a->scratch);
	struct text_room tmp;

	put_element(&out, holder_of(a, x), awk_key_text(k, &tmp));
	return buf_bytes(&out);
}

/* --- elements --- */

struct key awk_op_key_of(struct awk *a, const struct val *v, struct text_room *tmp)
{
	if (v->kind == VAL_ARRAY)
		awk_array_as_scalar(a, holder_of(a, v->u.array), v->u.array);
	if (v->kind == VAL_NUM)
		return awk_key_of_num(a, v->u.num, tmp);
	struct bytes text = awk_val_text(a, v, tmp);

	awk_work_long(a, text.len);
	return awk_key(text);
}

void awk_op_push_elem(struct awk *a, struct machine *m)
{
	struct text_room tmp;
	struct val sub = m->sp[-1];
	struct val arr = m->sp[-2];
	struct key key = awk_op_key_of(a, &sub, &tmp);
	struct val *e = elem_place(a, arr.u.array, key, false);

	if (e->kind > VAL_REGEX && (e->kind == VAL_ARRAY || e->u.array->used))
		awk_array_as_scalar(a, awk_op_element_name(a, arr.u.array, &key), e->u.array);
	m->sp[-2] = e->kind <= VAL_REGEX ? val_get(*e) : (struct val){ .kind = VAL_UNINIT };
	m->sp--;
	val_put(a, sub);
	awk_array_put(a, arr.u.array);
}

void awk_op_peek_elem(struct awk *a, struct machine *m, int depth)
{
	struct text_room tmp;
	struct val *sub = m->sp - 1 - depth;
	struct val *e = elem_place(a, sub[-1].u.array, awk_op_key_of(a, sub, &tmp), false);

	*m->sp++ = scalar_of(a, e, BYTES("?"));
}

void awk_op_push_subarray(struct awk *a, struct machine *m)
{
	struct text_room tmp;
	struct val sub = m->sp[-1];
	struct val arr = m->sp[-2];
	struct key key = awk_op_key_of(a, &sub, &tmp);
	struct val *e = elem_place(a, arr.u.array, key, false);
	struct array *x = awk_var_array(a, e);

	if (x == NULL)
		awk_op_no_array(a, "scalar", awk_op_element_name(a, arr.u.array, &key));
	x->refs++;
	m->sp[-2].u.array = x;
	m->sp--;
	val_put(a, sub);
	awk_array_put(a, arr.u.array);
}

/* An element as an argument: an array, a value, or the promise of an array. */
void awk_op_push_any_elem(struct awk *a, struct machine *m, bool promise)
{
	struct text_room tmp;
	struct val sub = m->sp[-1];
	struct val arr = m->sp[-2];
	struct val *e = elem_place(a, arr.u.array, awk_op_key_of(a, &sub, &tmp), false);

	if (e->kind == VAL_UNINIT && !e->assigned && promise) {
		e->kind = VAL_UNTYPED;
		e->u.array = awk_array_new(a);
	}
	m->sp[-2] = val_get(*e);
	m->sp--;
	val_put(a, sub);
	awk_array_put(a, arr.u.array);
}

void awk_op_push_variable(struct awk *a, struct machine *m, struct val *v, bool promise)
{
	if (v->kind == VAL_UNTYPED && v->u.array->used)
		v->kind = VAL_ARRAY;
	if (v->kind == VAL_UNINIT && !v->assigned && promise) {
		v->kind = VAL_UNTYPED;
		v->u.array = awk_array_new(a);
	}
	*m->sp++ = val_get(*v);
}

void awk_op_elem_in(struct awk *a, struct machine *m, bool array_last)
{
	struct text_room tmp;
	struct val sub = m->sp[array_last ? -2 : -1];
	struct val arr = m->sp[array_last ? -1 : -2];
	bool found = awk_array_find(arr.u.array, awk_op_key_of(a, &sub, &tmp)) != NULL;

	m->sp[-2] = val_num(found);
	m->sp--;
	val_put(a, sub);
	awk_array_put(a, arr.u.array);
}

void awk_op_delete_elem(struct awk *a, struct machine *m)
{
	struct text_room tmp;

	if (m->sp[-2].u.array->table != TABLE_NONE)
		awk_table_refuse(a, m->sp[-2].u.array, NULL);
	awk_array_delete(a, m->sp[-2].u.array, awk_op_key_of(a, &m->sp[-1], &tmp));
	m->sp = release_to(a, m->sp, m->sp - 2);
}

/* n subscripts become one. */
void awk_op_join(struct awk *a, struct machine *m, int n)
{
	struct text_room tmp;
	struct val *from = m->sp - n;
	struct str *s = awk_str_alloc(a, 0);

	for (int i = 0; i < n; i++) {
		if (i > 0)
			s = awk_str_append(a, s, a->subsep);
		struct key key = awk_op_key_of(a, &from[i], &tmp);

		s = awk_str_append(a, s, awk_key_text(&key, &tmp));
	}
	m->sp = release_to(a, m->sp, from);
	*m->sp++ = val_str(s);
}

void awk_op_concat(struct awk *a, struct machine *m, int n)
{
	struct text_room room[8];
	struct bytes text[8];
	struct val *from = m->sp - n;
	size_t len = 0;
	struct str *s;

	if (n > 8) {
		s = awk_str_alloc(a, 0);
		for (int i = 0; i < n; i++)
			s = awk_str_append(a, s, awk_val_text(a, &from[i], &room[0]));
	} else {
		for (int i = 0; i < n; i++) {
			text[i] = awk_val_text(a, &from[i], &room[i]);
			len += text[i].len;
		}
		s = awk_str_alloc(a, len);
		len = 0;
		for (int i = 0; i < n; i++) {
			memcpy(s->ptr + len, text[i].ptr, text[i].len);
			len += text[i].len;
		}
		awk_work_bytes(a, len);
	}
	m->sp = release_to(a, m->sp, from);
	*m->sp++ = val_str(s);
}

/* --- input and output --- */

void awk_op_getline_plain(struct awk *a, struct machine *m, const struct ins *i)
{
	struct bytes s = { "", 0 };
	bool named = i->y != REDIRECT_NONE;

	a->sp = m->sp;
	int got = awk_source_getline(a, (enum redirect)i->y, named ? &m->sp[-1] : NULL, &s);

	if (named)
		val_put(a, *--m->sp);
	if (got > 0)
		awk_rec_set_view(a, s);
	if (!i->x)
		*m->sp++ = val_num(got);
}

/* True: a line was pushed. */
bool awk_op_getline_var(struct awk *a, struct machine *m, const struct ins *i)
{
	struct bytes s = { "", 0 };
	bool named = i->y != REDIRECT_NONE;

	a->sp = m->sp;
	int got = awk_source_getline(a, (enum redirect)i->y, named ? &m->sp[-1] : NULL, &s);

	if (named)
		val_put(a, *--m->sp);
	a->reg = got;
	if (got <= 0)
		return false;
	*m->sp++ = val_input(a, s);
	return true;
}

bool awk_op_substitute(struct awk *a, struct machine *m, bool all)
{
	struct str *out;
	bool regex = m->sp[-1].kind == VAL_REGEX;
	size_t n = awk_fn_subst(a, m->sp - 3, all, &out);

	m->sp = release_to(a, m->sp, m->sp - 3);
	a->reg = (double)n;
	if (n == 0)
		return false;
	*m->sp++ = val_str(out);
	/* A changed pattern is a pattern. */
	if (regex)
		m->sp[-1].kind = VAL_REGEX;
	return true;
}

void awk_op_put_value(struct awk *a, struct output *o, struct val *v)
{
	struct text_room tmp;
	struct bytes s = v->kind == VAL_NUM   ? awk_num_text(a, v->u.num, SP_OFMT, &tmp)
			 : v->kind == VAL_BIG ? awk_big_text(a, v, SP_OFMT)
					      : awk_val_text(a, v, &tmp);

	output_write(o, s.ptr, s.len);
	awk_work_bytes(a, s.len);
}

void awk_op_print(struct awk *a, struct machine *m, const struct ins *i)
{
	struct stream *stream = NULL;
	struct output *o = a->stdout_to;
	struct val *from = m->sp - i->z;

	if (i->y != REDIRECT_NONE) {
		a->sp = m->sp;
		o = awk_sink_of(a, (enum redirect)i->y, &m->sp[-1], &stream);
		from--;
	}
	if (o == NULL) {
		m->sp = release_to(a, m->sp, from);
		return;
	}
	for (int k = 0; k < i->z; k++) {
		if (k > 0)
			output_write(o, a->ofs.ptr, a->ofs.len);
		awk_op_put_value(a, o, &from[k]);
	}
	if (i->z == 0) {
		struct bytes s = awk_rec_text(a);

		output_write(o, s.ptr, s.len);
		awk_work_bytes(a, s.len);
	}
	output_write(o, a->ors.ptr, a->ors.len);
	if (stream != NULL)
		awk_sink_done(a, stream);
	m->sp = release_to(a, m->sp, from);
}

void awk_op_print_formatted(struct awk *a, struct machine *m, const struct ins *i)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf text = buf_in(&a->scratch);
	struct stream *stream = NULL;
	struct output *o = a->stdout_to;
	struct val *from = m->sp - i->z;

	if (i->y != REDIRECT_NONE)
		from--;
	awk_format_values(a, &text, str_bytes(awk_val_to_str(a, &from[0])), from + 1, i->z - 1);
	if (i->y != REDIRECT_NONE) {
		a->sp = m->sp;
		o = awk_sink_of(a, (enum redirect)i->y, &m->sp[-1], &stream);
	}
	if (o != NULL)
		output_write(o, buf_bytes(&text).ptr, text.len);
	awk_work_bytes(a, text.len);
	if (o != NULL && stream != NULL)
		awk_sink_done(a, stream);
	m->sp = release_to(a, m->sp, from);
	arena_release(&a->scratch, mark);
}

void awk_op_out_field(struct awk *a, const struct ins *i)
{
	struct bytes s;

	if (awk_rec_field_bytes(a, (size_t)i->z, &s)) {
		output_write(a->stdout_to, s.ptr, s.len);
		awk_work_bytes(a, s.len);
	} else {
		struct val v = awk_rec_field(a, (size_t)i->z);

		awk_op_put_value(a, a->stdout_to, &v);
		val_put(a, v);
	}
	if (i->x)
		output_write(a->stdout_to, a->ofs.ptr, a->ofs.len);
}

void awk_op_out_record(struct awk *a)
{
	struct bytes s = awk_rec_text(a);

	output_write(a->stdout_to, s.ptr, s.len);
	output_write(a->stdout_to, a->ors.ptr, a->ors.len);
	awk_work_bytes(a, s.len);
}
