/* SPDX-License-Identifier: MIT
 *
 * What the compiler's files share: compile.c has scopes, functions and calls, gen.c the other
 * expressions, gen_special.c the functions that have code of their own.
 */
#ifndef BUILTINS_JQ_GEN_H
#define BUILTINS_JQ_GEN_H

#include "builtins/jq/jq.h"

enum scope_kind {
	S_VAR,   /* a register of owner's frame */
	S_CONST, /* a value */
	S_DEF,
	S_PARAM,  /* a closure in a register of owner's frame */
	S_INLINE, /* an argument whose code is put where it is called */
	S_LABEL,
};

struct scope {
	struct scope *parent;
	enum scope_kind kind;
	struct bytes name;
	struct bytes prefix; /* module name before "::" */
	size_t nargs;
	struct fn *owner;
	unsigned reg;
	struct json value;
	struct def *def;
	struct node *arg;
	struct scope *arg_scope;
};

struct gen {
	struct jq *j;
	struct fn *fn;
	struct insn *code;
	size_t n;
	size_t cap;
	unsigned nregs;
	struct scope *scope;
	int depth;
};

enum {
	GEN_LAST = 1, /* the input is not used afterwards */
	GEN_PATH = 2,
	GEN_TAIL = 4, /* the result is the function's */
};

/* Code for n: input in register in, the result goes to dst. */
void gen(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags);
/* A register that has the value of n (not always a new one); *move: it may be emptied. */
unsigned gen_operand(struct gen *g, struct node *n, unsigned in, unsigned last, bool *move);
unsigned gen_reg(struct gen *g);
unsigned gen_pair(struct gen *g, unsigned flags);
size_t gen_emit(struct gen *g, enum op op, unsigned flags, unsigned dst, unsigned a, unsigned b);
/* The same; valid until the next one. */
struct insn *gen_insn(struct gen *g, enum op op, unsigned flags, unsigned dst, unsigned a,
		      unsigned b);
void gen_const(struct gen *g, unsigned dst, struct json v);
/* A jump at `at` leads to where code goes on. */
void gen_patch(struct gen *g, size_t at);
void gen_move(struct gen *g, unsigned dst, unsigned from, unsigned flags);
struct scope *gen_bind(struct gen *g, enum scope_kind kind, struct bytes name, unsigned reg);
void gen_call(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags);
void gen_var(struct gen *g, struct node *n, unsigned dst, unsigned flags);
unsigned gen_var_operand(struct gen *g, struct node *n);
void gen_break(struct gen *g, struct node *n);
/* Functions with code of their own: false if n is none. */
/* The names of those, and of how many arguments; an empty one at the end. */
struct bytes gen_special_nth(size_t i, size_t *nargs);
/* Whether a call is that of a function in C: one result. */
bool gen_is_native(struct gen *g, struct node *n);
bool gen_special(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags);
void gen_assign(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags);
/* Makes the value in dst one without a path. */
void gen_no_path(struct gen *g, unsigned dst, unsigned flags);

#endif
