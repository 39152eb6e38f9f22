/* SPDX-License-Identifier: MIT
 *
 * Words of jq programs.
 */
#ifndef BUILTINS_JQ_LEX_H
#define BUILTINS_JQ_LEX_H

#include "builtins/jq/jq.h"

enum token_kind {
	T_END,
	T_BAD,
	T_NUMBER,
	T_IDENT, /* a::b too */
	T_KEYWORD,
	T_FIELD,   /* .name: text without the dot */
	T_BINDING, /* $name: text without the dollar */
	T_FORMAT,  /* @name */
	T_QUOTE,   /* a string begins: the lexer stands behind the quote */
	T_OP,
};

struct token {
	enum token_kind kind;
	uint32_t at;
	uint32_t end;
	struct bytes text;
};

struct lexer {
	struct bytes s;
	size_t at;
	uint32_t last;   /* where the last word began */
	struct buf nest; /* the brackets that are open */
	size_t open;     /* how many there were before the last word */
};

void jq_lex_open(struct lexer *l, char bracket);

struct token jq_lex(struct lexer *l);

#endif
