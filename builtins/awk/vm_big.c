/* SPDX-License-Identifier: MIT
 *
 * The instructions of awk -M.
 */
#include "builtins/awk/vm.h"

void awk_op_big_binary(struct awk *a, struct machine *m, enum arith op)
{
	struct val v = awk_big_arith(a, op, &m->sp[-2], &m->sp[-1]);

	m->sp = release_to(a, m->sp, m->sp - 2);
	*m->sp++ = v;
}

void awk_op_big_unary(struct awk *a, struct machine *m, bool negate)
{
	struct val v = negate ? awk_big_negate(a, &m->sp[-1]) : awk_big_of(a, &m->sp[-1]);

	val_put(a, m->sp[-1]);
	m->sp[-1] = v;
}

/* What an instruction changes: by an operator with a value, or ++ and --. */
struct change {
	enum op op; /* OP_SET_GLOBAL and so on */
	enum arith arith;
	bool post;
	struct val y;
	struct val result; /* of the expression */
};

/* The new number of a place. */
static struct val apply(struct awk *a, struct change *ch, const struct val *before)
{
	struct val after = awk_big_arith(a, ch->arith, before, &ch->y);

	ch->result = ch->post ? awk_big_of(a, before) : val_get(after);
	val_put(a, ch->y);
	return after;
}

static void apply_to(struct awk *a, struct change *ch, struct val *place, struct bytes name)
{
	struct val old = *place;
	struct val zero = val_num(0);

	if (old.kind > VAL_REGEX && (old.kind == VAL_ARRAY || old.u.array->used))
		awk_array_as_scalar(
			a, name.len == 0 ? awk_op_element_name(a, a->elem_of, &a->elem_key) : name,
			old.u.array);
	if (old.kind == VAL_UNTYPED)
		old.u.array->scalar = true;
	*place = apply(a, ch, old.kind == VAL_UNTYPED ? &zero : &old);
	val_put(a, old);
}

static void apply_to_elem(struct awk *a, struct change *ch, struct val arr, struct val sub)
{
	struct text_room tmp;
	struct key key = awk_op_key_of(a, &sub, &tmp);
	struct val *e = elem_place(a, arr.u.array, key, true);

	a->elem_of = arr.u.array;
	a->elem_key = key;
	apply_to(a, ch, e, BYTES(""));
	elem_stored(a, arr.u.array, key);
	val_put(a, sub);
	awk_array_put(a, arr.u.array);
}

static void apply_to_special(struct awk *a, struct change *ch, enum special n)
{
	struct val before = awk_special_get(a, n);

	awk_special_set(a, n, apply(a, ch, &before));
	val_put(a, before);
}

static void apply_to_field(struct awk *a, struct change *ch, struct val index)
{
	size_t n = awk_field_index(a, &index);
	struct val before = awk_rec_field(a, n);

	awk_rec_set_field(a, n, apply(a, ch, &before));
	val_put(a, before);
	val_put(a, index);
}

void awk_op_big_update(struct awk *a, struct machine *m, const struct ins *i)
{
	enum op op = (enum op)(i->y >> BIG_UPDATE_SHIFT);
	bool incr = op >= OP_INCR_GLOBAL;
	unsigned sub = i->y & ((1u << BIG_UPDATE_SHIFT) - 1);
	struct change ch = { .op = incr ? op - OP_INCR_GLOBAL + OP_SET_GLOBAL : op,
			     .arith = incr ? (sub & INCR_DOWN ? ARITH_SUB : ARITH_ADD)
					   : (enum arith)sub,
			     .post = incr && (sub & INCR_POST) };
	int places = ch.op == OP_SET_ELEM ? 2 : ch.op == OP_SET_FIELD_DYN;
	struct val *at = m->sp - places;

	m->sp = incr ? at : at - 1;
	ch.y = incr ? val_num(1) : at[-1];
	switch (ch.op) {
	case OP_SET_GLOBAL: apply_to(a, &ch, &a->globals[i->z], a->prog->names[i->z]); break;
	case OP_SET_LOCAL: apply_to(a, &ch, &m->fp[i->z], m->fn->params[i->z]); break;
	case OP_SET_SPECIAL: apply_to_special(a, &ch, (enum special)i->z); break;
	case OP_SET_FIELD_DYN: apply_to_field(a, &ch, at[0]); break;
	default: apply_to_elem(a, &ch, at[0], at[1]);
	}
	if (i->x)
		val_put(a, ch.result);
	else
		*m->sp++ = ch.result;
}
