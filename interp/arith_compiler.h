/* SPDX-License-Identifier: MIT
 *
 * Inside the compiler of arithmetic: its state, shared by tokens (arith_lex.c) and grammar
 * (arith_parse.c).
 */
#ifndef INTERP_ARITH_COMPILER_H
#define INTERP_ARITH_COMPILER_H

#include "interp/arith_code.h"

enum arith_pending_kind {
	PEND_BINARY,
	PEND_UNARY,
	PEND_PLUS,
	PEND_PAREN,
	PEND_QUESTION,
	PEND_COLON,
	PEND_AND_OR,
	PEND_ASSIGN
};

/* An operator whose right side is being read, or an open bracket of some kind. */
struct arith_pending {
	enum arith_pending_kind kind;
	uint8_t prec;
	uint8_t op;            /* BINARY, UNARY; of ASSIGN: to combine, or AOP_END */
	uint32_t where;        /* of the right operand, for division by 0 */
	uint32_t jump;         /* instruction to patch */
	struct arith_ref *ref; /* ASSIGN */
};

/* Of scripts with DOS line ends the carriage return is an error. */
static inline bool arith_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

enum arith_token { ATOK_END, ATOK_NUMBER, ATOK_NAME, ATOK_OP, ATOK_HOLE, ATOK_BAD, ATOK_STOP };

/* Two- and three-byte operators have codes of their own. */
enum {
	OP2_EQ = 256,
	OP2_NE,
	OP2_LE,
	OP2_GE,
	OP2_SHL,
	OP2_SHR,
	OP2_AND,
	OP2_OR,
	OP2_POW,
	OP2_INC,
	OP2_DEC,
	OP2_ASSIGN
};

struct arith_compiler {
	struct arena *arena;
	const char *text;
	uint32_t len;
	uint32_t pos;
	struct arith *out;
	uint32_t code_cap;
	uint32_t depth; /* of the stack now */
	struct arith_pending *pend;
	uint32_t npend, pend_cap;
	/* the token */
	enum arith_token kind;
	int op; /* OP: its byte or OP2_; of OP2_ASSIGN combined: `combine` */
	uint8_t combine;
	int64_t number;
	uint32_t start;
	uint32_t previous;  /* start of the token before */
	bool after_operand; /* a number or name was the token before */
	bool failed;
	bool plain; /* as in struct arith_env */
	/* the operand read last */
	struct arith_ref *lvalue;       /* it was a plain variable, to which may be assigned */
	const struct arith_hole *holes; /* those to come */
	size_t nholes;
	uint32_t hole;          /* number of the first of them in the whole expression */
	struct arith_ref *subs; /* with a subscript to compile */
};

struct arith_ins *arith_emit(struct arith_compiler *c, enum arith_op op, uint32_t where);
/* Ends the code with an error; open jumps lead to it. */
void arith_fail(struct arith_compiler *c, const char *message, uint32_t where);
/* Reads the next token. */
void arith_next(struct arith_compiler *c);

#endif
