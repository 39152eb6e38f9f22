/* SPDX-License-Identifier: MIT
 *
 * What the parts of declare, typeset, local, export and readonly share: builtin_declare.c gives
 * attributes and values, declare_check.c refuses, declare_list.c shows.
 */
#ifndef INTERP_DECLARE_H
#define INTERP_DECLARE_H

#include "interp/builtin.h"
#include "interp/var_private.h"

enum {
	ATTR_ARRAYS = VAR_ARRAY | VAR_ASSOC,
	ATTR_CASE = VAR_LOWER | VAR_UPPER | VAR_CAPITAL,
};

struct declare {
	struct shell *sh;
	const char *name; /* of the builtin */
	unsigned on;      /* attributes to give */
	unsigned off;
	bool functions;      /* -f */
	bool function_names; /* -F */
	bool print;
	bool global;
	bool inherit;
	bool is_local; /* the builtin is local */
	bool plain;    /* export, readonly: the binding in force */
	bool any_option;
	int status;
};

/* name[sub]+=value, as written or as parsed. */
struct operand {
	struct bytes name;
	struct bytes sub; /* ptr NULL: none */
	struct bytes value;
	bool has_value;
	bool append;
	bool parsed;                  /* was an assignment as it was read */
	const struct assign *literal; /* name=( ... ) */
	const char *text;
};

/* Says what is wrong (format has a %s for word); d->status is 1. Always -1. */
int declare_fail(struct declare *d, const char *format, const char *word);
/* The depth of the function that runs, 0 outside of functions. */
int declare_scope(const struct shell *sh);
/* Whether the builtin makes a local variable of this name that is not there yet. */
bool declare_is_fresh(struct declare *d, struct bytes name, uint64_t hash);

/* --- declare_check.c: 0, or -1 after a message --- */

int declare_check_readonly(struct declare *d, const struct operand *o, const struct var *v);
int declare_check_hidden(struct declare *d, const struct operand *o);
int declare_check_arrays(struct declare *d, const struct operand *o, const struct var *v);
int declare_check_new_target(struct declare *d, const struct operand *o, const struct var *v);
int declare_check_reference(struct declare *d, const struct operand *o, const struct var *v);

/* --- declare_list.c --- */

/* -f and -F: with operands changes or shows those functions, else lists all. The status. */
int declare_functions(struct declare *d, int argc, char **argv);
/* -p with operands; the status. */
int declare_print_operands(struct declare *d, int argc, char **argv);
/* Variables with the attributes in d->on; the status. */
int declare_list_variables(struct declare *d);
/* No operands, no attributes: variables and functions. */
int declare_list_all(struct declare *d);

#endif
