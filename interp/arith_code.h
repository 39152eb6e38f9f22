/* SPDX-License-Identifier: MIT
 *
 * Inside arithmetic: the instructions that arith_parse.c makes and arith_eval.c runs, for a
 * stack of integers.
 */
#ifndef INTERP_ARITH_CODE_H
#define INTERP_ARITH_CODE_H

#include "interp/arith.h"

enum arith_op {
	AOP_END,   /* the top is the result */
	AOP_ERROR, /* text: message; where: token */
	AOP_PUSH,  /* value */
	AOP_PARAM, /* value: index of a parameter expansion */
	AOP_LOAD,  /* ref */
	AOP_STORE, /* ref; the value stays */
	AOP_PRE,
	AOP_POST,        /* ref; amount: +1 or -1 */
	AOP_PLACE,       /* ref: pushes kind and index of its subscript */
	AOP_KEEP,        /* duplicates them */
	AOP_LOAD_AT,     /* ref: takes them, pushes the value */
	AOP_STORE_AT,    /* ref: takes them from above the value */
	AOP_STORE_UNDER, /* ref: takes them from below the value */
	AOP_PRE_AT,
	AOP_POST_AT,
	AOP_POP,
	AOP_NEG,
	AOP_NOT,
	AOP_FLIP,
	AOP_BOOL,
	AOP_MUL,
	AOP_DIV,
	AOP_MOD,
	AOP_POW,
	AOP_ADD,
	AOP_SUB,
	AOP_SHL,
	AOP_SHR,
	AOP_LT,
	AOP_GT,
	AOP_LE,
	AOP_GE,
	AOP_EQ,
	AOP_NE,
	AOP_AND,
	AOP_XOR,
	AOP_OR,
	AOP_JUMP,       /* target */
	AOP_JUMP_ZERO,  /* takes the top */
	AOP_JUMP_FALSE, /* && : 0 stays and it jumps, or the top is taken */
	AOP_JUMP_TRUE,  /* || : 1 stays and it jumps, or the top is taken */
};

struct arith_hole;

struct arith_ref {
	struct arith_name name;
	struct bytes sub; /* text of the subscript; ptr NULL if none */
	struct arith *sub_code;
	struct arith_ref *next;
	const struct arith_hole *holes; /* in the subscript */
	uint32_t nholes;
	uint32_t hole; /* number of the first one */
	uint32_t sub_at;
};

struct arith_ins {
	uint8_t op;
	int8_t amount;
	uint32_t where; /* offset in the text: the token of an error; or jump target */
	union {
		int64_t value;
		struct arith_ref *ref;
		const char *message;
	};
};

struct arith {
	struct bytes text; /* without blanks in front */
	struct arith_ins *code;
	uint32_t length;
	uint32_t stack_max;
	bool failed;                    /* contains a syntax error */
	const struct arith_hole *holes; /* arith_compile_word: values asked before the run */
	uint32_t nholes;
	struct arith_ref *hole_refs; /* with a hole in the subscript */
};

enum { ARITH_TEXT_MAX = INT32_MAX, ARITH_SUBSCRIPTS_MAX = 200 };

/* Places that stand for parameter expansions in a text to compile. */
struct arith_hole {
	size_t at;
	size_t len;
	const struct param *param;
	bool after_minus; /* a negative value would make -- */
};
struct arith *arith_compile_holes(struct arena *arena, struct bytes text,
				  const struct arith_hole *holes, uint32_t nholes);
/* Without blanks in front. */
struct bytes arith_trim(struct bytes text);

#endif
