/* SPDX-License-Identifier: MIT
 *
 * What the two halves of awk's compiler share.
 */
#ifndef BUILTINS_AWK_COMPILE_H
#define BUILTINS_AWK_COMPILE_H

#include "builtins/awk/code.h"

/* Jumps to be filled in: a list through the z of the instructions. */
enum { NO_JUMP = -1 };

struct loop {
	struct loop *up;
	int32_t breaks;
	int32_t continues;
	bool is_switch;
};

struct compiler {
	struct program *p;
	struct loop *loop;
	const struct node *at;
};

/* compile_expr.c */
int32_t awk_c_emit(struct compiler *c, enum op op, unsigned x, unsigned y, int64_t z);
int32_t awk_c_here(struct compiler *c);
void awk_c_link_jump(struct compiler *c, int32_t ins, int32_t *list);
void awk_c_land(struct compiler *c, int32_t list);
int32_t awk_c_regex_constant(struct compiler *c, const struct node *n);
bool awk_c_node_is_pure(const struct node *n);
bool awk_c_list_is_pure(const struct node *n);
bool awk_c_is_const_field(const struct node *n);
void awk_c_operand(struct compiler *c, const struct node *n, bool safe);
void awk_c_operands(struct compiler *c, const struct node *n, bool safe);
void awk_c_subscript(struct compiler *c, const struct node *n, bool safe);
void awk_c_array(struct compiler *c, const struct node *n);
void awk_c_store(struct compiler *c, const struct node *n, bool early, bool dropped);
void awk_c_deeper(struct compiler *c, const struct node *n,
		  void (*fn)(struct compiler *c, const struct node *n));
void awk_c_expr(struct compiler *c, const struct node *n);
void awk_c_jump_if(struct compiler *c, const struct node *n, bool sense, int32_t *list);
void awk_c_drop(struct compiler *c, const struct node *n);

#endif
