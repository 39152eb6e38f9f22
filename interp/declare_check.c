/* SPDX-License-Identifier: MIT
 *
 * What declare and its kin refuse: readonly variables, arrays of the other kind, references to
 * what is no name.
 */
#include "interp/declare.h"
#include "interp/exec.h"

int declare_check_readonly(struct declare *d, const struct operand *o, const struct var *v)
{
	if ((v->flags & VAR_READONLY) == 0)
		return 0;
	/* Through a reference to nothing nothing can be taken away. */
	if (!o->has_value && (v->flags & VAR_NAMEREF & ~d->on & ~d->off) != 0 && v->len == 0)
		return 0;
	if (o->has_value && o->literal == NULL && d->plain && (d->on & ATTR_ARRAYS) != 0)
		return declare_fail(d, "%s: readonly variable", v->name.ptr);
	if (o->has_value && (d->plain || o->literal != NULL)) {
		shell_error(d->sh, "%s: readonly variable", v->name.ptr);
		exec_errexit(d->sh);
		d->status = special_error(d->sh, 1);
		if (o->literal != NULL) { /* as for an assignment: the line is given up */
			d->sh->status = 1;
			d->sh->flow = FLOW_ABORT;
		}
		return -1;
	}
	if (o->has_value || (d->off & VAR_READONLY) != 0 ||
	    (d->off & v->flags & VAR_NAMEREF & (v->len != 0 ? ~0u : 0u)) != 0 ||
	    (d->on & ~v->flags & VAR_NAMEREF) != 0)
		return declare_fail(d, "%s: readonly variable", v->name.ptr);
	return 0;
}

/* Said while bash assigns an array literal, before the builtin runs: in the name of the function
 * whose first command that is. */
static void literal_error(struct declare *d, const char *format, const char *name)
{
	if (d->sh->entered != NULL)
		builtin_error(d->sh, d->sh->entered, format, name);
	else
		shell_error(d->sh, format, name);
}

/* FUNCNAME, GROUPS, BASH_ARGC and their like; but every command sets PIPESTATUS. */
static bool is_shells_list(const struct var *v)
{
	const unsigned list = VAR_DYNAMIC | VAR_ARRAY | VAR_NOASSIGN;

	return (v->flags & list) == list && !bytes_is(v->name, "PIPESTATUS");
}

/* A new local variable can't hide a readonly one, nor a list that the shell keeps. */
int declare_check_hidden(struct declare *d, const struct operand *o)
{
	uint64_t hash = name_hash(o->name);
	struct var *v = var_find(d->sh, o->name, hash);

	if (v == NULL || v->scope != 0 || !declare_is_fresh(d, o->name, hash))
		return 0;
	if (is_shells_list(v))
		return declare_fail(d, "%s: variable may not be assigned value", v->name.ptr);
	if ((v->flags & VAR_READONLY) != 0) {
		if (o->literal != NULL) /* its assignment is tried before the builtin runs */
			literal_error(d, "%s: readonly variable", v->name.ptr);
		return declare_fail(d, "%s: readonly variable", v->name.ptr);
	}
	return 0;
}

/* Without looking through references. */
static const char *name_as_written(struct shell *sh, const struct operand *o)
{
	return arena_dup(sh->arena, (struct bytes){ o->text, strcspn(o->text, "+=[") });
}

/* With a list it is noticed before the builtin runs; outside functions that ends the line. */
static int cannot_convert(struct declare *d, const struct operand *o, const struct var *v,
			  const char *message)
{
	if (o->literal != NULL)
		literal_error(d, message, v->name.ptr);
	if (o->literal == NULL || (declare_scope(d->sh) != 0 && !d->plain))
		return declare_fail(d, message, name_as_written(d->sh, o));
	d->status = d->sh->status = 1;
	d->sh->flow = FLOW_ABORT;
	return -1;
}

int declare_check_arrays(struct declare *d, const struct operand *o, const struct var *v)
{
	if ((d->off & v->flags & ATTR_ARRAYS) != 0)
		return declare_fail(d, "%s: cannot destroy array variables in this way",
				    v->name.ptr);
	if ((d->on & VAR_ASSOC) != 0 && (v->flags & VAR_ARRAY) != 0)
		return cannot_convert(d, o, v, "%s: cannot convert indexed to associative array");
	if ((d->on & VAR_ARRAY) != 0 && (v->flags & VAR_ASSOC) != 0)
		return cannot_convert(d, o, v, "%s: cannot convert associative to indexed array");
	return 0;
}

static bool is_reference_target(struct bytes text)
{
	struct bytes name;
	struct bytes sub;

	return parse_name_ref(text, &name, &sub);
}

static struct bytes joined(struct shell *sh, struct bytes a, struct bytes b)
{
	struct buf out = buf_in(sh->arena);

	buf_add(&out, a);
	buf_add(&out, b);
	return buf_bytes(&out);
}

/* What a reference is to refer to. */
static int check_reference_value(struct declare *d, const struct operand *o, const struct var *v)
{
	struct bytes value = o->has_value ? o->value : (struct bytes){ v->value, v->len };
	struct bytes name;
	struct bytes sub;

	if (o->append && (v->flags & VAR_NAMEREF) != 0)
		value = joined(d->sh, (struct bytes){ v->value, v->len }, value);
	if (!o->has_value && (v->flags & (VAR_SET | ATTR_ARRAYS)) != VAR_SET)
		return 0;
	if (o->has_value && value.len == 0)
		return declare_fail(d, "`%s': not a valid identifier",
				    arena_dup(d->sh->arena, value));
	if (!is_reference_target(value))
		return declare_fail(d, "`%s': invalid variable name for name reference",
				    arena_dup(d->sh->arena, value));
	if (!parse_name_ref(value, &name, &sub) || !bytes_eq(name, o->name) ||
	    (v->scope == 0 && !o->has_value))
		return 0;
	if (v->scope == 0 && o->append) {
		shell_error(d->sh, "%s: nameref variable self references not allowed", v->name.ptr);
		return -1;
	}
	if (v->scope == 0)
		return declare_fail(d, "%s: nameref variable self references not allowed",
				    v->name.ptr);
	builtin_error(d->sh, d->name, "warning: %s: circular name reference", v->name.ptr);
	var_say_circular(d->sh, v->name);
	return 0;
}

/* The value becomes what v, a reference to nothing yet, refers to. A global one that can't have
 * it is gone; as an integer it is never a name. */
int declare_check_new_target(struct declare *d, const struct operand *o, const struct var *v)
{
	bool self = bytes_eq(o->value, o->name);
	bool valid = is_reference_target(o->value);

	if (v->scope != 0 && self)
		var_say_circular(d->sh, o->name);
	if (v->scope != 0 && !valid)
		return declare_fail(d, "`%s': invalid variable name for name reference",
				    o->value.ptr);
	if (v->scope != 0 || (valid && !self && (d->on & VAR_INTEGER) == 0))
		return 0;
	if (self)
		shell_error(d->sh, "%s: nameref variable self references not allowed", v->name.ptr);
	else if (!valid)
		declare_fail(d, "`%s': not a valid identifier", o->value.ptr);
	var_unset(d->sh, v->name, v->hash, true);
	return -1;
}

int declare_check_reference(struct declare *d, const struct operand *o, const struct var *v)
{
	if ((d->on & VAR_NAMEREF) == 0)
		return 0;
	if (o->literal == NULL && o->sub.ptr == NULL && check_reference_value(d, o, v) != 0)
		return -1;
	if ((d->on & ATTR_ARRAYS) != 0 && (v->flags & ATTR_ARRAYS) == 0 && o->literal == NULL)
		return 0;
	if (((v->flags | d->on) & ATTR_ARRAYS) == 0 && o->literal == NULL && o->sub.ptr == NULL)
		return 0;
	return declare_fail(
		d, "%s: reference variable cannot be an array",
		o->sub.ptr == NULL
			? v->name.ptr
			: arena_dup(d->sh->arena,
				    (struct bytes){ o->name.ptr, (size_t)(o->sub.ptr + o->sub.len +
									  1 - o->name.ptr) }));
}
