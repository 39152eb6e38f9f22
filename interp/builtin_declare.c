/* SPDX-License-Identifier: MIT
 *
 * declare, typeset, local, export, readonly.
 *
 * All are one: options say which attributes go on and off, and what the operands are. export
 * and readonly differ in that they change the binding in force and never make a local one.
 */
#include "interp/declare.h"
#include "interp/exec.h"
#include "interp/var_private.h"

int declare_fail(struct declare *d, const char *format, const char *word)
{
	builtin_error(d->sh, d->name, format, word);
	d->status = 1;
	return -1;
}

/* --- operands --- */

/* expanded: the subscript is, so that nothing in it is quoted or nested. */
static bool operand_scan(const char *word, bool expanded, struct operand *o)
{
	struct bytes text = bytes_of(word);
	size_t i = 0;

	*o = (struct operand){ .text = word };
	while (i < text.len && byte_is_name((unsigned char)text.ptr[i]))
		i++;
	o->name = bytes_slice(text, 0, i);
	if (i < text.len && text.ptr[i] == '[') {
		const char *first = memchr(text.ptr + i, ']', text.len - i);
		size_t end = !expanded       ? subscript_close(text, i)
			     : first != NULL ? (size_t)(first - text.ptr)
					     : text.len;

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
		return operand_scan(argv[i], false, o);
	*o = (struct operand){ .name = a->name,
			       .has_value = true,
			       .append = a->append,
			       .literal = a->array ? a : NULL,
			       .text = argv[i] };
	if (a->array)
		return true;
	if (!operand_scan(argv[i], opt_shopt(d->sh, SHOPT_assoc_expand_once), o))
		return false;
	o->parsed = true;
	return true;
}

/* --- scopes --- */

/* The scope of the innermost function being executed; 0 outside. A temporary environment may
 * lie above it. */
int declare_scope(const struct shell *sh)
{
	for (const struct frame *f = sh->frame; f != sh->dead_frame; f = f->up) {
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

	sh->scope = declare_scope(sh);
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
bool declare_is_fresh(struct declare *d, struct bytes name, uint64_t hash)
{
	int scope = declare_scope(d->sh);

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

	if (declare_is_fresh(d, o->name, hash))
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
		if (o->sub.ptr != NULL && !d->plain && declare_scope(d->sh) == 0)
			return unreferenced(d, v);
		if (follow(d, o) != 0)
			return NULL;
		hash = name_hash(o->name);
		if (declare_is_fresh(d, o->name, hash))
			return local_binding(d, o->name, hash);
	}
	v = var_ensure(d->sh, o->name, hash);
	if (o->sub.ptr != NULL && ((d->on | d->off) & VAR_NAMEREF) == 0 &&
	    var_unreference(d->sh, &v, o->sub) != 0)
		return NULL;
	return v;
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
		       : subscript_text(d->sh, v, o->sub, &sub)) != 0)
		return -1;
	if (sub.len == 0 && o->sub.len != 0 && (v->flags & VAR_ASSOC) == 0)
		sub = BYTES("0"); /* an expression that expands to nothing */
	if (sub.len != 0)
		return var_assign_element(d->sh, v, sub, o->value, how);
	shell_error(d->sh, "%s[%.*s]: bad array subscript", v->name.ptr, (int)o->sub.len,
		    o->sub.ptr);
	exec_errexit(d->sh);
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
	var_run_own_hook(sh, v);
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
	    o->literal == NULL && declare_check_new_target(d, o, v) != 0)
		return -1;
	make_first(d, o, v);
	if (declare_check_readonly(d, o, v) != 0 || declare_check_arrays(d, o, v) != 0 ||
	    declare_check_reference(d, o, v) != 0)
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
		if (assign_unnamed(sh, o->literal, v) != 0)
			return -1;
	}
	if ((d->on & ATTR_ARRAYS) == ATTR_ARRAYS && !d->plain)
		return declare_fail(d, "%s: cannot convert associative to indexed array",
				    v->name.ptr);
	if (o->literal != NULL)
		return 0;
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
	    v->len == 0 || (v->flags & VAR_READONLY) != 0 || declare_is_fresh(d, o->name, v->hash))
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
	bool fresh = declare_is_fresh(d, o->name, hash);
	struct var *v = NULL;
	int failed;

	if (remove_reference(d, o, o->name))
		return;
	if (o->literal != NULL && fresh &&
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
	/* Nothing is left of what was made for nothing; but a name that is empty is seen late, as
	 * is an expression that is wrong. */
	if (v != NULL && (d->sh->flow == FLOW_NONE || (v->flags & VAR_INTEGER) == 0) &&
	    (fresh ? !o->has_value || o->value.len != 0 : !existed) &&
	    (v->flags & (VAR_SET | VAR_READONLY | ATTR_ARRAYS)) == 0)
		var_drop(d->sh, v);
}

/* `local -`: the options are put back when the function returns. */
static void save_options(struct shell *sh)
{
	struct frame *f = sh->frame;

	while (f != NULL && !f->is_function)
		f = f->up;
	if (f == NULL || f->options_saved)
		return;
	f->saved_options = sh->opt;
	f->options_saved = true;
}

static void bad_operand(struct declare *d, const struct operand *o)
{
	const char *text = o->text;

	if (d->plain && o->sub.ptr != NULL && o->name.len != 0)
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
	if (declare_check_hidden(d, &o) == 0)
		declare_value(d, &o);
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
			return declare_list_variables(d);
		return d->any_option ? 0 : declare_list_all(d);
	}
	if (d->print)
		return declare_print_operands(d, argc - o.index, argv + o.index);
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
	if (declare_scope(sh) == 0) {
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
		return declare_list_variables(d);
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
