/* SPDX-License-Identifier: MIT
 *
 * What declare and its kin do with functions, and what they list: functions, variables, operands.
 */
#include "interp/declare.h"
#include "interp/exec.h"
#include "interp/print.h"

/* As bash, declare and local tell that a whole list was lost, but have not failed. */
static int list_flush(struct declare *d, bool whole, struct buf *out)
{
	int status = out_flush(d->sh, d->name, out);

	return whole && !d->plain ? 0 : status;
}

/* --- functions --- */

/* A function of this shell whose attributes may be changed. */
static struct function *own_function(struct shell *sh, struct function *f)
{
	struct bytes name = f->name;

	if (!sh->overlay || f->readonly)
		return f;
	function_define(sh, f->node);
	return function_find(sh, name, name_hash(name));
}

static void change_function(struct declare *d, struct function *f)
{
	if ((d->off & VAR_READONLY) != 0 && f->readonly) {
		declare_fail(d, "%s: readonly function", f->name.ptr);
		return;
	}
	if (d->plain && (d->on & VAR_EXPORT) != 0 &&
	    (strchr(f->name.ptr, '=') != NULL || strchr(f->name.ptr, '/') != NULL)) {
		declare_fail(d, "%s: cannot export", f->name.ptr);
		return;
	}
	f = own_function(d->sh, f);
	f->exported = ((d->on & VAR_EXPORT) != 0 || f->exported) && (d->off & VAR_EXPORT) == 0;
	f->traced = ((d->on & VAR_TRACE) != 0 || f->traced) && (d->off & VAR_TRACE) == 0;
	f->readonly = f->readonly || (d->on & VAR_READONLY) != 0;
}

static void print_named_function(struct declare *d, struct buf *out, const struct function *f)
{
	if (!d->function_names)
		print_shell_function(d->sh, out, f);
	else if (opt_shopt(d->sh, SHOPT_extdebug))
		buf_printf(out, "%s %d %s\n", f->name.ptr, f->node->node.line, f->source);
	else if (d->print)
		print_function_line(out, f);
	else
		buf_printf(out, "%s\n", f->name.ptr);
}

/* False: what follows is not looked at. */
static bool function_operand(struct declare *d, struct buf *out, const char *word)
{
	struct bytes name = bytes_of(word);
	struct function *f = function_find(d->sh, name, name_hash(name));

	if (strchr(word, '=') != NULL && !d->plain) {
		declare_fail(d, "cannot use `-%s' to make functions", "f");
		return false;
	}
	if (f == NULL) {
		out_lines(d->sh, d->name, out);
		if (d->plain)
			declare_fail(d, "%s: not a function", word);
		else if (d->print)
			declare_fail(d, "%s: not found", word);
		d->status = 1;
		return true;
	}
	if (d->on == 0 && d->off == 0)
		print_named_function(d, out, f);
	else
		change_function(d, f);
	return true;
}

static void list_functions(struct declare *d, struct buf *out)
{
	struct function **list;
	int n = function_list(d->sh, &list);

	for (int i = 0; i < n; i++) {
		const struct function *f = list[i];

		if (((d->on & VAR_EXPORT) != 0 && !f->exported) ||
		    ((d->on & VAR_READONLY) != 0 && !f->readonly) ||
		    ((d->on & VAR_TRACE) != 0 && !f->traced))
			continue;
		if (!d->function_names)
			print_shell_function(d->sh, out, f);
		if (d->function_names || d->plain || d->on != 0)
			print_function_line(out, f);
	}
}

int declare_functions(struct declare *d, int argc, char **argv)
{
	struct buf out = buf_in(d->sh->arena);

	if ((d->on & (ATTR_ARRAYS | VAR_INTEGER)) != 0 && argc > 0) {
		builtin_error(d->sh, d->name, "-%c: invalid option",
			      (d->on & VAR_INTEGER) != 0 ? 'i'
			      : (d->on & VAR_ASSOC) != 0 ? 'A'
							 : 'a');
		return 1;
	}
	if (argc == 0 && (d->on & ATTR_ARRAYS) == 0)
		list_functions(d, &out);
	for (int i = 0; i < argc && function_operand(d, &out, argv[i]); i++)
		continue;
	return list_flush(d, argc == 0, &out) != 0 ? 1 : d->status;
}

/* --- printing --- */

static void print_operand(struct declare *d, struct buf *out, const char *word)
{
	struct bytes name = bytes_of(word);
	struct var *v = var_find(d->sh, name, name_hash(name));
	struct bytes value;

	if (v == NULL || (d->is_local && v->scope != declare_scope(d->sh))) {
		out_lines(d->sh, d->name, out);
		declare_fail(d, "%s: not found", word);
		return;
	}
	/* A dynamic variable has a value when it is asked for one. */
	if ((v->flags & (VAR_DYNAMIC | ATTR_ARRAYS)) == VAR_DYNAMIC &&
	    var_scalar(d->sh, v, &value)) {
		struct var shown = *v;

		shown.value = arena_dup(d->sh->arena, value);
		shown.len = value.len;
		shown.flags |= VAR_SET;
		print_variable(d->sh, out, &shown);
		return;
	}
	print_variable(d->sh, out, v);
}

/* Whether a listing with attribute options shows v. */
static bool is_listed(const struct declare *d, const struct var *v)
{
	unsigned arrays = d->on & ATTR_ARRAYS;
	unsigned rest = d->on & ~(unsigned)ATTR_ARRAYS;

	if (d->is_local && v->scope != declare_scope(d->sh))
		return false;
	if (arrays != 0 && (v->flags & arrays) == 0)
		return false;
	return rest == 0 || (v->flags & rest) != 0;
}

static void list_variable(struct declare *d, struct buf *out, struct var *v)
{
	if (opt_set(d->sh, SET_POSIX) && d->plain)
		print_posix_variable(d->sh, out, v, d->name);
	else
		print_variable(d->sh, out, v);
}

int declare_list_variables(struct declare *d)
{
	struct buf out = buf_in(d->sh->arena);
	struct var **vars;
	size_t n = var_list(d->sh, &vars);

	if (d->is_local && d->sh->frame->options_saved)
		buf_puts(&out, "local -\n");
	d->sh->listing = true;
	for (size_t i = 0; i < n; i++) {
		if (is_listed(d, vars[i]))
			list_variable(d, &out, vars[i]);
	}
	d->sh->listing = false;
	return list_flush(d, true, &out);
}

int declare_print_operands(struct declare *d, int argc, char **argv)
{
	struct buf out = buf_in(d->sh->arena);

	for (int i = 0; i < argc; i++)
		print_operand(d, &out, argv[i]);
	return out_flush(d->sh, d->name, &out) != 0 ? 1 : d->status;
}

int declare_list_all(struct declare *d)
{
	struct buf out = buf_in(d->sh->arena);

	print_all_variables(d->sh, &out, !opt_set(d->sh, SET_POSIX));
	return out_flush(d->sh, d->name, &out);
}
