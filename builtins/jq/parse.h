/* SPDX-License-Identifier: MIT
 *
 * What the parser's files share: parse.c has expressions, parse_def.c definitions, patterns,
 * modules.
 */
#ifndef BUILTINS_JQ_PARSE_H
#define BUILTINS_JQ_PARSE_H

#include "builtins/jq/lex.h"

struct parser {
	struct jq *j;
	struct source *src;
	struct lexer lex;
	struct token tok;
	uint32_t last_end;
	int depth;
	bool failed;
	size_t failed_in; /* brackets that were open there */
	bool field_term;  /* the term just read is an access such as .name */
};

bool jqp_is(struct parser *p, const char *op);
bool jqp_accept(struct parser *p, const char *op);
/* shown: as messages have it; NULL: nothing is said to be expected. */
void jqp_expect(struct parser *p, const char *op, const char *shown);
void jqp_fail(struct parser *p, const char *expecting);
void jqp_advance(struct parser *p);
struct bytes jqp_word(struct parser *p, enum token_kind kind);
struct node *jqp_node(struct parser *p, enum node_kind kind, uint32_t at);
/* Whether an expression may begin with the next word. */
bool jqp_starts(struct parser *p);
struct node *jqp_main(struct parser *p);
struct node *jqp_key(struct parser *p);
struct pattern *jqp_patterns(struct parser *p);
struct def *jqp_def(struct parser *p);

#endif
