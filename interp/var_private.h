/* SPDX-License-Identifier: MIT
 *
 * What the files of var.h share among themselves.
 */
#ifndef INTERP_VAR_PRIVATE_H
#define INTERP_VAR_PRIVATE_H

#include "base/utf8.h"
#include "interp/shell.h"

enum { VAR_CASED = VAR_LOWER | VAR_UPPER | VAR_CAPITAL };

/* var.c */
struct var *var_table_find(const struct var_table *t, struct bytes name, uint64_t hash);
void var_table_insert(struct shell *sh, struct var *v);
/* Puts `by`, another binding of the same name or NULL, where v is linked. */
void var_table_replace(struct shell *sh, struct var *v, struct var *by);
/* A binding that is in no table yet. */
struct var *var_new(struct shell *sh, struct bytes name, uint64_t hash);
void var_free(struct shell *sh, struct var *v);
/* Frees what v holds; it is an unset scalar then. */
void var_free_value(struct shell *sh, struct var *v);
/* Takes v out of the list of its scope. */
void var_unlink_local(struct shell *sh, struct var *v);
struct var *var_copy_chain(struct shell *sh, const struct var *from);
/* Charges for a copy of its elements. */
void var_copy_cost(struct shell *sh, const struct var *v);
/* Makes value the bytes of v, nothing else. It may be a part of what v holds. */
void var_store(struct shell *sh, struct var *v, struct bytes value);
/* Environment and hooks, after a change of value or flags. */
void var_changed(struct shell *sh, struct var *v, unsigned old_flags);
/* The effect of a plain variable that has one, as it is now. */
void var_run_hook(struct shell *sh, const struct var_hook *hook);
static inline void var_run_own_hook(struct shell *sh, const struct var *v)
{
	if ((v->flags & VAR_HOOKED) != 0)
		var_run_hook(sh, v->hook);
}
/* 0, or -1 after "x: readonly variable". */
int var_check_writable(struct shell *sh, const struct var *v, unsigned how);
/* Applies -i, -l, -u, -c to the value that is to be assigned over (or appended to) `old`;
 * appending is done here then, and VAR_APPEND taken out of *how. digits may hold the result.
 * -1 after an arithmetic error. */
int var_transform(struct shell *sh, const struct var *v, struct bytes old, struct bytes *value,
		  unsigned *how, char digits[24]);

/* expand_arith.c: the subscript in text given at run time (read 'h[$k]', unset, namerefs,
 * h["x"] in arithmetic): quotes and expansions in it are seen to, as those of a word
 * if v is associative, else as in $(( )). v may be NULL. */
int subscript_text(struct shell *sh, const struct var *v, struct bytes text, struct bytes *out);
/* The same for an operand of a builtin, where assoc_expand_once forbids it. v may be NULL. */
int subscript_argument(struct shell *sh, const struct var *v, struct bytes text, struct bytes *out);
/* Splits an operand of a builtin that names a variable or an element (element: it was written as
 * name[sub]); false if it is neither. assoc_expand_once decides what is quoted in it. */
bool argument_ref(struct shell *sh, struct bytes text, bool element, struct bytes *name,
		  struct bytes *sub);
/* Evaluates an index; messages do not name the command. */
int eval_subscript(struct shell *sh, struct bytes text, int64_t *out);

/* expand_arith.c: passes on the result of an evaluation. That of a subscript or of an integer
 * variable's value, when it fails, ends all of `bash -c`, not only the line. */
int arith_must(struct shell *sh, int err);

/* var_late.c: bash's own variables that are made when somebody asks for them, of which
 * sh->vars.unmade has a bit each. Makes that of this name in sh, if `root`, the shell below, has
 * not yet; else NULL. */
struct var *var_make_late(struct shell *sh, struct shell *root, struct bytes name, uint64_t hash);
/* Makes all that nobody has asked for yet. */
void var_make_all_late(struct shell *sh);
/* The bits of those that sh does not have yet, nor a shell that it reads through to. */
uint32_t var_unmade(struct shell *sh);
/* Leaves them to be made in a new shell; those that were imported get their values. */
void var_init_late(struct shell *sh);

enum { VAR_DYNAMIC_ROWS = 24 };
/* var_special.c: the variables with values of their own making. */
extern const struct var_hook var_dynamic[VAR_DYNAMIC_ROWS];
void var_use_hook(struct var *v, const struct var_hook *hook);
/* The hook of a plain variable whose changes have effects, or NULL. */
const struct var_hook *var_hook_of(struct bytes name);

/* v in decimal, inside digits. NUL behind. */
static inline struct bytes i64_text(int64_t v, char digits[24])
{
	char *end = digits + 23;
	char *at = end;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	*end = '\0';
	do {
		*--at = (char)('0' + u % 10);
		u /= 10;
	} while (u != 0);
	if (v < 0)
		*--at = '-';
	return (struct bytes){ at, (size_t)(end - at) };
}

#endif
