/* SPDX-License-Identifier: MIT
 *
 * The inside of awk's machine: its registers, and the instructions that are more than a few
 * lines (operate.c).
 */
#ifndef BUILTINS_AWK_VM_H
#define BUILTINS_AWK_VM_H

#include "builtins/awk/code.h"

/* A call. */
struct frame {
	const struct ins *ret;
	struct val *fp;      /* the caller's locals */
	struct val *base;    /* the function's own */
	struct val *sp;      /* of the caller, its arguments taken off */
	struct function *fn; /* the caller; NULL: a rule */
	bool own_chunk;
};

/* What the loop keeps in registers. */
struct machine {
	const struct ins *ip;
	struct val *sp;
	struct val *fp;
	struct function *fn;
};

static inline struct val *release_to(struct awk *a, struct val *sp, struct val *base)
{
	while (sp > base)
		val_put(a, *--sp);
	return base;
}

/* The value of a variable, which can't become an array any more. */
static inline struct val scalar_of(struct awk *a, struct val *v, struct bytes name)
{
	if (v->kind <= VAL_REGEX) {
		if (v->kind == VAL_UNINIT)
			v->assigned = 1;
		return val_get(*v);
	}
	if (v->kind == VAL_ARRAY || v->u.array->used)
		awk_array_as_scalar(a, name, v->u.array);
	v->u.array->scalar = true;
	return (struct val){ .kind = VAL_UNINIT, .assigned = 1 };
}

/* operate.c */
struct bytes awk_op_element_name(struct awk *a, const struct array *x, const struct key *k);
/* Ends the program: what should be an array is a value. */
_Noreturn void awk_op_no_array(struct awk *a, const char *kind, struct bytes name);
struct key awk_op_key_of(struct awk *a, const struct val *v, struct text_room *tmp);
void awk_op_push_elem(struct awk *a, struct machine *m);
void awk_op_peek_elem(struct awk *a, struct machine *m, int depth);
void awk_op_push_subarray(struct awk *a, struct machine *m);
void awk_op_push_any_elem(struct awk *a, struct machine *m, bool promise);
void awk_op_push_variable(struct awk *a, struct machine *m, struct val *v, bool promise);
void awk_op_elem_in(struct awk *a, struct machine *m, bool array_last);
void awk_op_delete_elem(struct awk *a, struct machine *m);
void awk_op_join(struct awk *a, struct machine *m, int n);
void awk_op_concat(struct awk *a, struct machine *m, int n);
void awk_op_getline_plain(struct awk *a, struct machine *m, const struct ins *i);
bool awk_op_getline_var(struct awk *a, struct machine *m, const struct ins *i);
bool awk_op_substitute(struct awk *a, struct machine *m, bool all);
void awk_op_put_value(struct awk *a, struct output *o, struct val *v);
void awk_op_print(struct awk *a, struct machine *m, const struct ins *i);
void awk_op_print_formatted(struct awk *a, struct machine *m, const struct ins *i);
void awk_op_out_field(struct awk *a, const struct ins *i);
void awk_op_out_record(struct awk *a);

/* vm_big.c */
void awk_op_big_binary(struct awk *a, struct machine *m, enum arith op);
void awk_op_big_unary(struct awk *a, struct machine *m, bool negate);
void awk_op_big_update(struct awk *a, struct machine *m, const struct ins *i);

#endif
