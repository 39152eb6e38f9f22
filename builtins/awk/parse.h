/* SPDX-License-Identifier: MIT
 *
 * What awk's lexer and parser share.
 */
#ifndef BUILTINS_AWK_PARSE_H
#define BUILTINS_AWK_PARSE_H

#include "builtins/awk/code.h"

/* Single characters are tokens of their own value. */
enum token {
	T_EOF = 0,
	T_NEWLINE = '\n',
	T_NUMBER = 256,
	T_STRING,
	T_NAME,
	T_FUNC_NAME,
	T_BUILTIN,
	T_AND,
	T_OR,
	T_EQ,
	T_NE,
	T_LE,
	T_GE,
	T_NO_MATCH,
	T_INCR,
	T_DECR,
	T_APPEND,
	T_POW,
	T_BOTH,
	T_ASSIGN, /* += and so on: lex.sub is the arith */
	T_BEGIN,
	T_END,
	T_BEGINFILE,
	T_ENDFILE,
	T_FUNCTION,
	T_IF,
	T_ELSE,
	T_WHILE,
	T_FOR,
	T_DO,
	T_BREAK,
	T_CONTINUE,
	T_SWITCH,
	T_CASE,
	T_DEFAULT,
	T_NEXT,
	T_NEXTFILE,
	T_EXIT,
	T_RETURN,
	T_DELETE,
	T_PRINT,
	T_PRINTF,
	T_GETLINE,
	T_IN,
	T_INCLUDE,
	T_LOAD,
	T_NAMESPACE,
};

struct lex {
	struct awk *a;
	struct arena *arena;
	struct bytes text;
	const char *file; /* for messages; NULL: the command line */
	size_t at;
	size_t start;      /* of the token */
	size_t line_start; /* of the line the token begins in */
	uint32_t line;
	int token;
	int sub;
	double num;
	struct bytes name;         /* T_NAME, T_STRING, T_FUNC_NAME */
	bool joined;               /* T_NAME: a '(' follows at once */
	bool marked;               /* T_STRING: it was _"...", to be translated */
	bool commented;            /* the token ends a line, behind a comment */
	bool in_params;            /* between the parentheses of a function's definition */
	const struct function *fn; /* whose body this is */
	struct bytes space;        /* @namespace; empty: awk */
	const struct lex *from;    /* where @include stands */
	bool failed;               /* there was an error that did not end the reading */
	struct comment *comments;  /* -o: those that nothing has taken yet */
	struct comment *last_comment;
};

void awk_lex_next(struct lex *l);
/* Whether nothing follows the current token. */
static inline bool awk_lex_is_last(const struct lex *l)
{
	return l->at >= l->text.len;
}
/* The current token is '/' or "/=": reads the regular expression instead. */
void awk_lex_regex(struct lex *l);
/* Two lines, the second with a caret below the current token; then the end with status 1. */
_Noreturn void awk_lex_error(struct lex *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "awk: place: warning: message". */
void awk_lex_warn(struct lex *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "awk: place: error: message"; the end comes when all is read. */
void awk_lex_complain(struct lex *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same without "error: ". */
void awk_lex_complain_plainly(struct lex *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As awk_lex_complain, and the end. */
_Noreturn void awk_lex_refuse(struct lex *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same without "error: ". */
_Noreturn void awk_lex_place_error(struct lex *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same with "fatal: " and status 2. */
_Noreturn void awk_lex_fatal(struct lex *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
_Noreturn void awk_lex_unexpected(struct lex *l);
/* The escapes of a string: appends what s stands for. */
void awk_lex_unescape(struct awk *a, struct lex *l, struct buf *out, struct bytes s);

struct loop {
	int loops;
	int switches;
};

struct parser {
	struct awk *a;
	struct program *prog;
	struct arena *arena;
	struct lex l;
	struct function *fn; /* being defined */
	enum rule_kind rule;
	bool no_gt;   /* '>' is a redirection */
	bool no_pipe; /* so is '|' */
	bool no_in;
	bool first; /* the next operand may be assigned to */
	int depth;
	int loops;
	int switches;
	struct node *pending;   /* an operand that has been read already */
	const struct lex *from; /* of the text that is parsed next */
	bool failed;
	bool begun; /* something was read */
	struct include *includes;
	int nincludes;
};

static inline void awk_node_group(struct node *n)
{
	if (n->grouped < UINT8_MAX)
		n->grouped++;
}
struct node *awk_node_new(struct parser *p, enum node_op op);
void awk_node_add(struct node *list, struct node *item);
/* Skips newlines. */
void awk_skip_newlines(struct parser *p);
void awk_expect(struct parser *p, int token);
static inline bool at_token(const struct parser *p, int token)
{
	return p->l.token == token;
}
bool awk_take(struct parser *p, int token);

/* library.c: @load and the name behind it. */
void awk_parse_load(struct parser *p);

/* --- remarks.c: comments that nothing has taken yet --- */

struct comment *awk_take_comments(struct parser *p);
/* The first, if it stands behind something in its line; else NULL. */
struct comment *awk_take_line_end(struct parser *p);
struct remarks *awk_remarks_of(struct parser *p, struct node *n);
/* n gets that as its `after`. */
void awk_keep_after(struct parser *p, struct node *n);
/* All of them, behind those of a list. */
void awk_take_rest(struct parser *p, struct comment **list);

struct node *awk_parse_expr(struct parser *p);
/* What print writes to: no comparison, no condition. */
struct node *awk_parse_target(struct parser *p);
/* A variable with its subscripts: the token is a name. */
struct node *awk_parse_variable(struct parser *p);
/* Expressions between commas up to `end`, which is left; into list. */
void awk_parse_list(struct parser *p, struct node *list, int end);
bool awk_node_is_lvalue(const struct node *n);
/* Runs fn(p) on a stack that is large enough, counting depth. */
struct node *awk_parse_deeper(struct parser *p, struct node *(*fn)(struct parser *p));

#endif
