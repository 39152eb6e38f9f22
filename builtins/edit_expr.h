/* SPDX-License-Identifier: MIT
 *
 * Expressions of Perl in the code that edits names: sprintf, arithmetic, variables, conditions.
 * Private to edit.c, edit_expr.c (reading) and edit_value.c (values).
 */
#ifndef BUILTINS_EDIT_EXPR_H
#define BUILTINS_EDIT_EXPR_H

#include "base/regex.h"
#include "builtins/builtin.h"

enum { EXPR_GROUPS = 100 };

/* Variables: they keep their values from one text to the next. */
struct variable {
	struct variable *next;
	struct bytes name;
	bool is_number;
	double number;
	struct bytes text; /* in the pool */
};

struct perl_vars {
	struct cmd *c;
	bool strict; /* they must be declared */
	struct variable *first;
};

enum node_kind {
	NODE_TEXT,
	NODE_NUMBER,
	NODE_JOIN, /* kids, one behind the other: "a$x" */
	NODE_TOPIC,
	NODE_GROUP,
	NODE_VAR,
	NODE_MY,     /* a variable that begins anew */
	NODE_ASSIGN, /* op: 0 or the operator in front of the = */
	NODE_STEP,   /* ++ and --: op + or -; late: the value before */
	NODE_UNARY,
	NODE_BINARY,
	NODE_CHOICE,
	NODE_CALL,
	NODE_MATCH, /* kid or $_; negated */
};

/* Operators of more than one character. */
enum {
	OP_POW = 256,
	OP_EQ,
	OP_NE,
	OP_LE,
	OP_GE,
	OP_AND,
	OP_OR,
	OP_STR_EQ,
	OP_STR_NE,
	OP_STR_LT,
	OP_STR_GT,
	OP_STR_LE,
	OP_STR_GE,
	OP_REPEAT,
	OP_DOR
};

enum function {
	F_SPRINTF,
	F_LC,
	F_UC,
	F_LCFIRST,
	F_UCFIRST,
	F_LENGTH,
	F_INT,
	F_ABS,
	F_ORD,
	F_CHR,
	F_HEX,
	F_OCT,
	F_SUBSTR,
	F_INDEX,
	F_RINDEX,
	F_JOIN,
	F_REVERSE
};

struct perl_expr {
	enum node_kind kind;
	int op;
	bool late;
	bool negated;
	unsigned group;
	int depth; /* of the tree below */
	double number;
	struct bytes text;
	struct variable *var;
	struct regex *re;
	struct perl_expr *kid; /* and its nexts */
	struct perl_expr *next;
};

struct perl_vars *perl_vars_new(struct cmd *c, bool strict);

/* What an expression is about. */
struct perl_env {
	struct cmd *c;
	struct arena *a;
	struct perl_vars *vars;
	struct bytes topic; /* $_ */
	struct bytes text;  /* of the last match, */
	struct regex_span span[EXPR_GROUPS];
};

/* Reads an expression at *at, which goes behind it. NULL: *error says why. */
struct perl_expr *perl_expr_parse(struct cmd *c, struct perl_vars *vars, struct bytes code,
				  size_t *at, const char **error);
struct bytes perl_expr_text(struct perl_env *env, const struct perl_expr *e);
bool perl_expr_true(struct perl_env *env, const struct perl_expr *e);

#endif
