/* SPDX-License-Identifier: MIT
 *
 * declare, typeset, local, export, readonly.
 *
 * All are one: options say which attributes go on and off, and what the operands are. export
 * and readonly differ in that they change the binding in force and never make a local one.
 */
#include "interp/builtin.h"
#include "interp/exec.h"
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

static int declare_fail(struct declare *d, const char *format, const char *word)
{
	builtin_error(d->sh, d->name, format, word);
	d->status = 1;
	return -1;
}

/* --- operands --- */

static bool operand_scan(const char *word, struct operand *o)
{
	struct bytes text = bytes_of(word);
	size_t i = 0;

	*o = (struct operand){ .text = word };
	while (i < text.len && byte_is_name((unsigned char)text.ptr[i]))
		i++;
	o->name = bytes_slice(text, 0, i);
	if (i < text.len && text.ptr[i] == '[') {
		size_t end = subscript_close(text, i);

		if (end == text.len)
			return false;
		o->sub = bytes_slice(text, i + 1, end);
		i = end + 1;
	}
	if (i + 1 < text.len && text.ptr[i] == '+' && text.ptr[i + 1] == '=') {
		o->append = true;
		i++;
	}
	if (i < text.len) {
		if (text.ptr[i] != '=')
			return false;
		o->has_value = true;
		o->value = bytes_slice(text, i + 1, text.len);
	}
	return is_name(o->name);
}

static bool operand_at(struct declare *d, char **argv, int i, struct operand *o)
{
	const struct assign *a = d->sh->declare_args != NULL ? d->sh->declare_args[i] : NULL;

	if (a == NULL)
		return operand_scan(argv[i], o);
	*o = (struct operand){ .name = a->name,
			       .has_value = true,
			       .append = a->append,
			       .literal = a->array ? a : NULL,
			       .text = argv[i] };
	if (a->array)
		return true;
	if (!operand_scan(argv[i], o))
		return false;
	o->parsed = true;
	return true;
}

/* --- scopes --- */

/* The scope of the innermost function being executed; 0 outside. A temporary environment may
 * lie above it. */
static int function_scope(const struct shell *sh)
{
	for (const struct frame *f = sh->frame; f != NULL; f = f->up) {
		if (f->is_function)
			return f->scope + 1;
	}
	return 0;
}

static struct var *global_binding(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct var *v = var_ensure(sh, name, hash);

	while (v->scope != 0 && v->shadowed != NULL)
		v = v->shadowed;
	if (v->scope == 0)
		return v;
	var_set(sh, name, hash, BYTES(""), VAR_GLOBAL | VAR_NO_REF);
	for (v = var_ensure(sh, name, hash); v->scope != 0;)
		v = v->shadowed;
	v->flags &= ~(unsigned)VAR_SET;
	return v;
}

static struct var *local_binding(struct declare *d, struct bytes name, uint64_t hash)
{
	struct shell *sh = d->sh;
	int scope = sh->scope;

	sh->scope = function_scope(sh);
	struct var *below = var_find(sh, name, hash);
	bool fresh = below == NULL || below->scope != sh->scope;
	struct var *v = var_local(sh, name, hash);

	if (v == NULL)
		d->status = 1;
	else if (d->inherit && fresh && below != NULL)
		var_inherit(sh, v);
	sh->scope = scope;
	return v;
}

/* Whether a new local variable would be made. */
static bool is_fresh_local(struct declare *d, struct bytes name, uint64_t hash)
{
	int scope = function_scope(d->sh);

	if (scope == 0 || d->global || d->plain)
		return false;
	struct var *v = var_find(d->sh, name, hash);

	return v == NULL || v->scope != scope;
}

/* export and readonly of a reference that names no variable: a value goes through it, and
 * may give it a name. The status does not tell that there was none. */
static int refuse_reference(struct declare *d, struct operand *o, struct var *v)
{
	struct bytes text;

	if (o->has_value &&
	    var_set(d->sh, o->name, name_hash(o->name), o->value, o->append ? VAR_APPEND : 0) != 0)
		d->status = 1;
	o->has_value = false;
	v = var_find(d->sh, v->name, v->hash);
	text = v != NULL ? (struct bytes){ v->value, v->len } : BYTES("");
	if (is_name(text)) {
		o->name = arena_bytes(d->sh->arena, text);
		return 0;
	}
	builtin_error(d->sh, d->name, "`%.*s': not a valid identifier", (int)text.len, text.ptr);
	return -1;
}

/* The last one of a chain of references. */
static struct var *last_reference(struct shell *sh, struct bytes name)
{
	struct var *v = var_find(sh, name, name_hash(name));
	struct var *next = v;

	for (int i = 0; i < NAMEREF_HOPS_MAX && next != NULL; i++) {
		struct bytes to = { next->value, next->len };

		if ((next->flags & VAR_NAMEREF) == 0)
			break;
		v = next;
		next = is_name(to) ? var_find(sh, to, name_hash(to)) : NULL;
	}
	return v;
}

/* Follows references from o->name; -1: there is nothing to be declared, d->status is set. */
static int follow(struct declare *d, struct operand *o)
{
	struct shell *sh = d->sh;
	struct bytes name = o->name;
	uint64_t hash = name_hash(name);
	struct bytes sub;
	struct var *v;

	if (var_follow(sh, &name, &hash, &sub, &v) != 0) {
		var_say_circular(sh, o->name);
		return -1;
	}
	if (d->plain && (sub.ptr != NULL || (v != NULL && (v->flags & VAR_NAMEREF) != 0)))
		return refuse_reference(d, o, last_reference(sh, o->name));
	if (sub.ptr != NULL && o->literal != NULL) {
		var_refuse_element(sh, NULL, name, sub);
		sh->flow = FLOW_ABORT;
		d->status = sh->status = 1;
		return -1;
	}
	o->name = name;
	if (sub.ptr != NULL)
		o->sub = sub;
	return 0;
}

/* A subscript makes an array of the reference itself. */
static struct var *unreferenced(struct declare *d, struct var *v)
{
	shell_error(d->sh, "warning: %s: removing nameref attribute", v->name.ptr);
	v = var_own(d->sh, v);
	var_clear_array(d->sh, v);
	v->flags &= ~(unsigned)VAR_NAMEREF;
	return v;
}

/* The variable that the operand names, made if it is missing; namerefs followed unless -n is
 * given or a new local variable is made. NULL: nothing is to be done, or there was a message. */
static struct var *target(struct declare *d, struct operand *o)
{
	uint64_t hash = name_hash(o->name);
	struct var *v;

	if (is_fresh_local(d, o->name, hash))
		return local_binding(d, o->name, hash);
	if (d->global) {
		v = global_binding(d->sh, o->name, hash);
		if (((d->on | d->off | ~v->flags) & VAR_NAMEREF) != 0 || v->len == 0)
			return v;
		o->name = arena_bytes(d->sh->arena, (struct bytes){ v->value, v->len });
		return is_name(o->name) ? global_binding(d->sh, o->name, name_hash(o->name)) : v;
	}
	v = var_find(d->sh, o->name, hash);
	if (((d->on | d->off) & VAR_NAMEREF) == 0 && v != NULL && (v->flags & VAR_NAMEREF) != 0) {
		if (o->sub.ptr != NULL && !d->plain && function_scope(d->sh) == 0)
			return unreferenced(d, v);
		if (follow(d, o) != 0)
			return NULL;
		hash = name_hash(o->name);
		if (is_fresh_local(d, o->name, hash))
			return local_binding(d, o->name, hash);
	}
	v = var_ensure(d->sh, o->name, hash);
	if (o->sub.ptr != NULL && ((d->on | d->off) & VAR_NAMEREF) == 0 &&
	    var_unreference(d->sh, &v, o->sub) != 0)
		return NULL;
	return v;
}

/* --- checks --- */

static int check_readonly(struct declare *d, const struct operand *o, const struct var *v)
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

/* A new local variable can't hide a readonly one. */
static int check_hidden(struct declare *d, const struct operand *o)
{
	uint64_t hash = name_hash(o->name);
	struct var *v = var_find(d->sh, o->name, hash);

	if (v != NULL && (v->flags & VAR_READONLY) != 0 && v->scope == 0 &&
	    is_fresh_local(d, o->name, hash))
		return declare_fail(d, "%s: readonly variable", v->name.ptr);
	return 0;
}

/* With a list it is noticed before the builtin runs; outside functions that ends the line. */
static int cannot_convert(struct declare *d, const struct operand *o, const struct var *v,
			  const char *message)
{
	if (o->literal != NULL)
		shell_error(d->sh, message, v->name.ptr);
	if (o->literal == NULL || function_scope(d->sh) != 0)
		return declare_fail(d, message, v->name.ptr);
	d->status = d->sh->status = 1;
	d->sh->flow = FLOW_ABORT;
	return -1;
}

static int check_arrays(struct declare *d, const struct operand *o, const struct var *v)
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
static int check_new_target(struct declare *d, const struct operand *o, const struct var *v)
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

static int check_reference(struct declare *d, const struct operand *o, const struct var *v)
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

/* --- changing --- */

static void change_flags(struct declare *d, struct var *v)
{
	unsigned on = d->on & ~(unsigned)(VAR_READONLY | ATTR_ARRAYS);

	if ((on & ATTR_CASE) != 0) {
		v->flags &= ~(unsigned)ATTR_CASE;
		if ((on & VAR_LOWER) != 0 && (on & VAR_UPPER) != 0)
			on &= ~(unsigned)ATTR_CASE;
	}
	if ((d->on & ATTR_ARRAYS) != 0) { /* no reference, even if it is said to be one */
		on &= ~(unsigned)VAR_NAMEREF;
		v->flags &= ~(unsigned)VAR_NAMEREF;
	} else if ((on & VAR_NAMEREF) != 0) {
		v->flags &= ~(unsigned)VAR_INTEGER;
	}
	v->flags &= ~(d->off & ~(unsigned)ATTR_ARRAYS) | (v->flags & VAR_READONLY);
	v->flags |= on;
	if ((d->on & (VAR_EXPORT | VAR_READONLY)) != 0 && (v->flags & VAR_TEMPORARY) != 0)
		v->flags |= VAR_KEPT;
	if ((d->on & ATTR_ARRAYS) != 0)
		var_make_array(d->sh, v, (d->on & VAR_ASSOC) != 0);
	if (((d->on | d->off) & VAR_EXPORT) != 0)
		var_flags_changed(d->sh, v);
}

static bool is_compound(struct bytes value)
{
	return value.len >= 2 && value.ptr[0] == '(' && value.ptr[value.len - 1] == ')';
}

static int assign_subscripted(struct declare *d, struct operand *o, struct var *v, unsigned how)
{
	struct bytes sub;

	if ((o->parsed ? subscript_argument(d->sh, v, o->sub, &sub)
		       : subscript_text(d->sh, o->sub, &sub)) != 0)
		return -1;
	if (sub.len != 0)
		return var_assign_element(d->sh, v, sub, o->value, how);
	shell_error(d->sh, "%s[%.*s]: bad array subscript", v->name.ptr, (int)o->sub.len,
		    o->sub.ptr);
	return -1;
}

/* 0, or -1 when the assignment failed after a message. */
static int assign_value(struct declare *d, struct operand *o, struct var *v)
{
	struct shell *sh = d->sh;
	unsigned how = o->append ? VAR_APPEND : 0;

	if (o->sub.ptr != NULL && (d->on & ATTR_ARRAYS) != 0 && is_compound(o->value))
		return assign_compound_text(sh, v, o->value, o->append);
	if (o->sub.ptr != NULL)
		return assign_subscripted(d, o, v, how);
	if ((v->flags & ATTR_ARRAYS) != 0 && is_compound(o->value) &&
	    (!d->plain || (d->on & ATTR_ARRAYS) != 0))
		return assign_compound_text(sh, v, o->value, o->append);
	/* The expression may name the variable itself, which counts as 0 under -u too. */
	if (opt_set(sh, SET_NOUNSET) &&
	    (v->flags & (VAR_INTEGER | VAR_SET | ATTR_ARRAYS)) == VAR_INTEGER &&
	    var_assign(sh, v, BYTES("0"), 0) != 0)
		return -1;
	return var_assign(sh, v, o->value, how);
}

/* Messages about an array literal do not name the builtin. */
static int assign_unnamed(struct shell *sh, const struct assign *a, struct var *v)
{
	const char *name = sh->command_name;
	int err;

	sh->command_name = NULL;
	err = assign_list(sh, a, v, a->append ? VAR_APPEND : 0);
	sh->command_name = name;
	return err;
}

/*
 * The words of an array literal are expanded before a new local variable hides the outer one:
 * they are collected in a variable whose name no script can write, and moved from there.
 */
static int assign_literal(struct declare *d, struct operand *o, struct var **made)
{
	static const struct bytes hidden = { " ", 1 };
	struct assign copy = *o->literal;
	uint64_t hash = name_hash(hidden);
	struct shell *sh = d->sh;
	struct var *tmp = var_ensure(sh, hidden, hash);
	unsigned kind = (d->on & VAR_ASSOC) != 0 ? VAR_ASSOC : VAR_ARRAY;

	copy.append = false;
	tmp->flags &= ~(unsigned)(ATTR_CASE | VAR_INTEGER);
	var_make_array(sh, tmp, kind == VAR_ASSOC);
	tmp->flags |= d->on & (ATTR_CASE | VAR_INTEGER);
	if (assign_unnamed(sh, &copy, tmp) != 0) {
		var_unset(sh, hidden, hash, true);
		return -1;
	}
	struct var *v = target(d, o);

	if (v == NULL)
		return -1;
	change_flags(d, v);
	var_clear_array(sh, v);
	v->flags = (v->flags & ~(unsigned)ATTR_ARRAYS) | kind | VAR_SET;
	v->array = tmp->array;
	tmp->array = NULL;
	tmp->flags &= ~(unsigned)ATTR_ARRAYS;
	var_unset(sh, hidden, hash, true);
	*made = v;
	return 0;
}

/* Attributes that an array can't have or lose: bash notices only when it made the array. */
static void make_first(struct declare *d, const struct operand *o, struct var *v)
{
	bool wrong = (d->off & VAR_ARRAY) != 0 ||
		     (o->literal != NULL && (d->on & VAR_NAMEREF) != 0);

	if (!wrong || (v->flags & VAR_READONLY) != 0)
		return;
	if (o->literal != NULL)
		assign_list(d->sh, o->literal, v, o->append ? VAR_APPEND : 0);
	else if (o->sub.ptr != NULL && (v->flags & ATTR_ARRAYS) == 0)
		var_clear_array(d->sh, v);
}

/* Gives v its value and attributes; 0, or -1 after a message. */
static int declare_variable(struct declare *d, struct operand *o, struct var *v)
{
	struct shell *sh = d->sh;

	if ((v->flags & VAR_NAMEREF & ~d->on) != 0 && v->len == 0 && o->has_value &&
	    o->literal == NULL && check_new_target(d, o, v) != 0)
		return -1;
	make_first(d, o, v);
	if (check_readonly(d, o, v) != 0 || check_arrays(d, o, v) != 0 ||
	    check_reference(d, o, v) != 0)
		return -1;
	/* A number is no name: nothing is said. */
	if (o->has_value && (d->on & (VAR_NAMEREF | VAR_INTEGER)) == (VAR_NAMEREF | VAR_INTEGER) &&
	    o->literal == NULL)
		return -1;
	if (o->sub.ptr != NULL && (v->flags & ATTR_ARRAYS) == 0) {
		if (is_compound(o->value) && (d->on & ATTR_ARRAYS) == 0)
			shell_error(sh, "warning: %s: quoted compound array assignment deprecated",
				    o->text);
		var_make_array(sh, v, (d->on & VAR_ASSOC) != 0);
	}
	change_flags(d, v);
	if (o->literal != NULL) {
		if ((v->flags & VAR_NAMEREF & ~d->on) != 0)
			v = unreferenced(d, v);
		return assign_unnamed(sh, o->literal, v);
	}
	return o->has_value ? assign_value(d, o, v) : 0;
}

static void declare_value(struct declare *d, struct operand *o);

/* +n: values and other attributes go where the reference still points; then it is none. True:
 * that is done. */
static bool remove_reference(struct declare *d, const struct operand *o, struct bytes name)
{
	struct var *v = var_find(d->sh, name, name_hash(name));
	struct declare rest = *d;
	struct operand target = *o;

	if ((d->off & VAR_NAMEREF) == 0 || v == NULL || (v->flags & VAR_NAMEREF) == 0 ||
	    v->len == 0 || (v->flags & VAR_READONLY) != 0 || is_fresh_local(d, o->name, v->hash))
		return false;
	rest.off &= ~(unsigned)VAR_NAMEREF;
	if (rest.on == 0 && rest.off == 0 && !o->has_value)
		return false;
	declare_value(&rest, &target);
	d->status = rest.status;
	v = var_own(d->sh, v);
	v->flags &= ~(unsigned)VAR_NAMEREF;
	return true;
}

static void declare_value(struct declare *d, struct operand *o)
{
	uint64_t hash = name_hash(o->name);
	bool existed = var_find(d->sh, o->name, hash) != NULL;
	struct var *v = NULL;
	int failed;

	if (remove_reference(d, o, o->name))
		return;
	if (o->literal != NULL && is_fresh_local(d, o->name, hash) &&
	    !(existed && (d->inherit || opt_shopt(d->sh, SHOPT_localvar_inherit)))) {
		failed = assign_literal(d, o, &v);
	} else {
		v = target(d, o);
		if (v == NULL)
			return;
		failed = declare_variable(d, o, v);
	}
	if (failed == 0) {
		if ((d->on & VAR_READONLY) != 0)
			v->flags |= VAR_READONLY;
		return;
	}
	d->status = 1;
	/* Nothing is left of what was made for nothing. */
	if (v != NULL && !existed && (v->flags & (VAR_SET | VAR_READONLY | ATTR_ARRAYS)) == 0)
		var_unset(d->sh, v->name, v->hash, true);
}

/* `local -`: the options are put back when the function returns. */
static void save_options(struct shell *sh)
{
	struct frame *f = sh->frame;

	while (f != NULL && !f->is_function)
		f = f->up;
	if (f == NULL || f->saved_options != NULL)
		return;
	f->saved_options = arena_alloc(sh->arena, sizeof(*f->saved_options));
	*f->saved_options = sh->opt;
}

static void bad_operand(struct declare *d, const struct operand *o)
{
	const char *text = o->text;

	if (d->plain && o->sub.ptr != NULL)
		text = arena_dup(
			d->sh->arena,
			(struct bytes){ text, (size_t)(o->sub.ptr + o->sub.len + 1 - text) });
	declare_fail(d, "`%s': not a valid identifier", text);
}

static void declare_operand(struct declare *d, char **argv, int i)
{
	struct operand o;

	if (d->is_local && strcmp(argv[i], "-") == 0) {
		save_options(d->sh);
		return;
	}
	if (!operand_at(d, argv, i, &o) || (d->plain && o.sub.ptr != NULL)) {
		bad_operand(d, &o);
		return;
	}
	if (check_hidden(d, &o) == 0)
		declare_value(d, &o);
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
	f = own_function(d->sh, f);
	f->exported = ((d->on & VAR_EXPORT) != 0 || f->exported) && (d->off & VAR_EXPORT) == 0;
	f->traced = ((d->on & VAR_TRACE) != 0 || f->traced) && (d->off & VAR_TRACE) == 0;
	f->readonly = f->readonly || (d->on & VAR_READONLY) != 0;
}

static void print_named_function(struct declare *d, struct buf *out, const struct function *f)
{
	if (!d->function_names)
		print_shell_function(out, f);
	else if (opt_shopt(d->sh, SHOPT_extdebug))
		buf_printf(out, "%s %d %s\n", f->name.ptr, f->node->node.line, f->source);
	else if (d->print)
		print_function_line(out, f);
	else
		buf_printf(out, "%s\n", f->name.ptr);
}

static void function_operand(struct declare *d, struct buf *out, const char *word)
{
	struct bytes name = bytes_of(word);
	struct function *f = function_find(d->sh, name, name_hash(name));

	if (f == NULL && strchr(word, '=') != NULL && !d->plain) {
		declare_fail(d, "cannot use `-%s' to make functions", "f");
		return;
	}
	if (f == NULL) {
		out_lines(d->sh, d->name, out);
		if (d->plain)
			declare_fail(d, "%s: not a function", word);
		else if (d->print)
			declare_fail(d, "%s: not found", word);
		d->status = 1;
		return;
	}
	if (d->on == 0 && d->off == 0)
		print_named_function(d, out, f);
	else
		change_function(d, f);
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
			print_shell_function(out, f);
		if (d->function_names || d->plain || d->on != 0)
			print_function_line(out, f);
	}
}

static int declare_functions(struct declare *d, int argc, char **argv)
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
	for (int i = 0; i < argc; i++)
		function_operand(d, &out, argv[i]);
	return out_flush(d->sh, d->name, &out) != 0 ? 1 : d->status;
}

/* --- printing --- */

static void print_operand(struct declare *d, struct buf *out, const char *word)
{
	struct bytes name = bytes_of(word);
	struct var *v = var_find(d->sh, name, name_hash(name));
	struct bytes value;

	if (v == NULL || (d->is_local && v->scope != function_scope(d->sh))) {
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

	if (d->is_local && v->scope != function_scope(d->sh))
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

static int list_variables(struct declare *d)
{
	struct buf out = buf_in(d->sh->arena);
	struct var **vars;
	size_t n = var_list(d->sh, &vars);

	for (size_t i = 0; i < n; i++) {
		if (is_listed(d, vars[i]))
			list_variable(d, &out, vars[i]);
	}
	return out_flush(d->sh, d->name, &out);
}

static int print_operands(struct declare *d, int argc, char **argv)
{
	struct buf out = buf_in(d->sh->arena);

	for (int i = 0; i < argc; i++)
		print_operand(d, &out, argv[i]);
	return out_flush(d->sh, d->name, &out) != 0 ? 1 : d->status;
}

static int list_all(struct declare *d)
{
	struct buf out = buf_in(d->sh->arena);

	print_all_variables(d->sh, &out, !opt_set(d->sh, SET_POSIX));
	return out_flush(d->sh, d->name, &out);
}

/* --- options --- */

static unsigned attribute_of(int letter)
{
	static const char letters[] = "aAinrtxclu";
	static const unsigned flags[] = { VAR_ARRAY,    VAR_ASSOC, VAR_INTEGER, VAR_NAMEREF,
					  VAR_READONLY, VAR_TRACE, VAR_EXPORT,  VAR_CAPITAL,
					  VAR_LOWER,    VAR_UPPER };
	const char *at = strchr(letters, letter);

	return at != NULL ? flags[at - letters] : 0;
}

static void declare_option(struct declare *d, int letter, bool plus)
{
	d->any_option = true;
	switch (letter) {
	case 'f': d->functions = true; break;
	case 'F':
		d->functions = true;
		d->function_names = true;
		break;
	case 'g': d->global = !d->is_local; break;
	case 'I': d->inherit = true; break;
	case 'p': d->print = true; break;
	default:
		if (plus)
			d->off |= attribute_of(letter);
		else
			d->on |= attribute_of(letter);
	}
}

/* The builtin fails, but bash has assigned array literals before it looked at its options. */
static void keep_literals(struct declare *d, int argc, char **argv)
{
	struct operand o;

	for (int i = 1; i < argc && argv[i][0] == '-'; i++) {
		for (const char *letter = argv[i] + 1; *letter != '\0'; letter++)
			d->on |= attribute_of(*letter);
	}
	d->on &= ATTR_ARRAYS | VAR_INTEGER;
	d->off = 0;
	for (int i = 1; i < argc && d->sh->flow == FLOW_NONE; i++) {
		if (operand_at(d, argv, i, &o) && o.literal != NULL)
			declare_value(d, &o);
	}
}

static int declare_run(struct declare *d, int argc, char **argv)
{
	struct shell *sh = d->sh;
	struct optscan o = { 0 };
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "+aAcfFgiIlnprtux")) != -1) {
		if (c == '?') {
			keep_literals(d, argc, argv);
			return STATUS_MISUSE;
		}
		declare_option(d, c, o.plus);
	}
	if (d->functions)
		return declare_functions(d, argc - o.index, argv + o.index);
	if (o.index == argc) {
		if (d->is_local || d->print || d->on != 0 || d->off != 0)
			return list_variables(d);
		return d->any_option ? 0 : list_all(d);
	}
	if (d->print)
		return print_operands(d, argc - o.index, argv + o.index);
	for (int i = o.index; i < argc && sh->flow == FLOW_NONE; i++)
		declare_operand(d, argv, i);
	return d->status;
}

int do_declare(struct shell *sh, int argc, char **argv)
{
	struct declare d = { .sh = sh, .name = argv[0] };

	return declare_run(&d, argc, argv);
}

int do_typeset(struct shell *sh, int argc, char **argv)
{
	return do_declare(sh, argc, argv);
}

int do_local(struct shell *sh, int argc, char **argv)
{
	struct declare d = { .sh = sh, .name = "local", .is_local = true };

	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return declare_run(&d, argc, argv);
	if (function_scope(sh) == 0) {
		builtin_error(sh, "local", "can only be used in a function");
		keep_literals(&d, argc, argv);
		return 1;
	}
	return declare_run(&d, argc, argv);
}

/* export and readonly */
static int attribute_builtin(struct declare *d, int argc, char **argv, const char *letters)
{
	unsigned attribute = d->on;
	struct optscan o = { 0 };
	int c;

	while ((c = optscan_next(d->sh, NULL, &o, argc, argv, letters)) != -1) {
		if (c == '?') {
			keep_literals(d, argc, argv);
			return STATUS_MISUSE;
		}
		if (c == 'n') {
			/* Nothing takes read-only away. */
			d->off |= attribute & ~(unsigned)VAR_READONLY;
			d->on &= ~attribute;
		} else if (c != 'p') {
			declare_option(d, c, false);
		}
	}
	if (d->functions) {
		if (o.index == argc)
			d->on = attribute;
		return declare_functions(d, argc - o.index, argv + o.index);
	}
	if (o.index == argc) {
		d->on |= attribute;
		return list_variables(d);
	}
	for (int i = o.index; i < argc && d->sh->flow == FLOW_NONE; i++)
		declare_operand(d, argv, i);
	return d->status;
}

int do_export(struct shell *sh, int argc, char **argv)
{
	struct declare d = { .sh = sh, .name = "export", .on = VAR_EXPORT, .plain = true };

	return attribute_builtin(&d, argc, argv, "aAfnp");
}

int do_readonly(struct shell *sh, int argc, char **argv)
{
	struct declare d = { .sh = sh, .name = "readonly", .on = VAR_READONLY, .plain = true };

	return attribute_builtin(&d, argc, argv, "aAfnp");
}
