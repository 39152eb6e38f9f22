/* SPDX-License-Identifier: MIT
 *
 * unset, alias, unalias.
 */
#include "interp/builtin.h"

struct unset_options {
	bool functions;
	bool variables;
	bool reference; /* -n */
};

static int unset_function(struct shell *sh, const char *name)
{
	struct function *f = function_find(sh, bytes_of(name), name_hash(bytes_of(name)));

	if (f == NULL)
		return 0;
	if (f->readonly) {
		builtin_error(sh, "unset", "%s: cannot unset: readonly function", name);
		return 1;
	}
	function_unset(sh, bytes_of(name));
	return 0;
}

/* unset name[sub] */
static int unset_element(struct shell *sh, struct bytes name, struct bytes sub, bool expanded)
{
	struct bytes ref;
	struct var *v = var_resolve(sh, name, name_hash(name), &ref);

	if (v == NULL || (ref.ptr != NULL && (v->flags & (VAR_ARRAY | VAR_ASSOC)) == 0))
		return 0;
	return var_unset_element(sh, v, sub, expanded) != 0;
}

/* References that refer to each other: the one that is named is unset, with two warnings. */
static bool circular(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct bytes sub;
	struct var *v;

	return var_follow(sh, &name, &hash, &sub, &v) != 0;
}

static int unset_name(struct shell *sh, struct bytes name, bool reference)
{
	struct bytes sub = { NULL, 0 };
	uint64_t hash = name_hash(name);
	struct var *v = reference ? var_find(sh, name, hash) : var_resolve(sh, name, hash, &sub);

	if (v == NULL && !reference && var_find(sh, name, hash) != NULL && circular(sh, name, hash))
		return var_unset(sh, name, hash, true) != 0;
	if (v == NULL)
		return 0;
	if (reference && (v->flags & VAR_NAMEREF) == 0)
		return var_stays(sh, v);
	if (sub.ptr != NULL && (v->flags & (VAR_ARRAY | VAR_ASSOC)) == 0)
		return 0; /* a reference to an element of what is no array */
	if (sub.ptr != NULL)
		return unset_element(sh, v->name, sub, false);
	return var_unset(sh, v->name, v->hash, true) != 0;
}

/* element: written as name[sub], so that what is between the outer brackets is the subscript. */
static int unset_variable(struct shell *sh, const char *word, const struct unset_options *o,
			  bool element)
{
	struct bytes text = bytes_of(word);
	const char *open = strchr(word, '[');
	struct bytes name = text;
	struct bytes sub = { NULL, 0 };

	if (o->reference || is_name(text))
		return unset_name(sh, name, o->reference);
	if (element && open != NULL && text.ptr[text.len - 1] == ']' &&
	    open + 2 < text.ptr + text.len) {
		name = bytes_slice(text, 0, (size_t)(open - word));
		sub = bytes_slice(text, name.len + 1, text.len - 1);
		return unset_element(sh, name, sub, true);
	}
	if (parse_name_ref(text, &name, &sub) && sub.ptr != NULL)
		return unset_element(sh, name, sub, false);
	if (!o->variables)
		return unset_function(sh, word);
	builtin_error(sh, "unset", "`%s': not a valid identifier", word);
	return 1;
}

/* Without -f and -v: a variable of that name, else a function. */
static int unset_one(struct shell *sh, const char *word, const struct unset_options *o,
		     bool element)
{
	if (o->functions)
		return unset_function(sh, word);
	if (!o->variables && !o->reference && is_name(bytes_of(word)) &&
	    var_find(sh, bytes_of(word), name_hash(bytes_of(word))) == NULL)
		return unset_function(sh, word);
	return unset_variable(sh, word, o, element);
}

int do_unset(struct shell *sh, int argc, char **argv)
{
	const bool *elements = sh->elements;
	struct unset_options o = { 0 };
	struct optscan scan = { 0 };
	int status = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "fvn")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		o.functions = o.functions || c == 'f';
		o.variables = o.variables || c == 'v';
		o.reference = o.reference || c == 'n';
	}
	if (o.functions && o.variables) {
		builtin_error(sh, "unset", "cannot simultaneously unset a function and a variable");
		return 1;
	}
	for (int i = scan.index; i < argc; i++) {
		proc_charge(sh->p, 0); /* what finding the last one has cost */
		if (unset_one(sh, argv[i], &o, elements != NULL && elements[i]) != 0)
			status = 1;
	}
	return status;
}

/* --- aliases --- */

void print_alias(struct buf *out, const char *before, struct bytes name, struct bytes value)
{
	buf_puts(out, before);
	buf_add(out, name);
	buf_putc(out, '=');
	quote_single(out, value);
	buf_putc(out, '\n');
}

static bool is_alias_name(struct bytes name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (strchr(" \t\n&();<>|\"'\\`$/", name.ptr[i]) != NULL)
			return false;
	}
	return true;
}

/* As `alias` lists it: in posix mode without the command, unless that is asked for with -p. */
static void list_alias(struct shell *sh, struct buf *out, bool reusable, struct bytes name,
		       struct bytes value)
{
	const char *before = name.len != 0 && name.ptr[0] == '-' ? "alias -- " : "alias ";

	print_alias(out, reusable || !opt_set(sh, SET_POSIX) ? before : "", name, value);
}

static int alias_one(struct shell *sh, struct buf *out, bool reusable, const char *word)
{
	const char *equals = strchr(word, '=');
	struct bytes value;

	if (equals != NULL && equals != word) {
		struct bytes name = { word, (size_t)(equals - word) };

		if (!is_alias_name(name)) {
			out_lines(sh, "alias", out);
			builtin_error(sh, "alias", "`%.*s': invalid alias name", (int)name.len,
				      name.ptr);
			return 1;
		}
		alias_set(sh, name, bytes_of(equals + 1));
		return 0;
	}
	if (!alias_find(sh, bytes_of(word), &value)) {
		out_lines(sh, "alias", out);
		builtin_error(sh, "alias", "%s: not found", word);
		return 1;
	}
	list_alias(sh, out, reusable, bytes_of(word), value);
	return 0;
}

static void list_aliases(struct shell *sh, struct buf *out, bool reusable)
{
	struct bytes *names;
	struct bytes *values;
	int n = alias_list(sh, &names, &values);

	for (int i = 0; i < n; i++)
		list_alias(sh, out, reusable, names[i], values[i]);
}

int do_alias(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);
	struct optscan o = { 0 };
	bool print = false;
	int status = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "p")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		print = true;
	}
	if (print || o.index == argc) {
		if (!alias_any(sh))
			return 0; /* whatever is asked for */
		list_aliases(sh, &out, print);
		if (out_flush(sh, "alias", &out) != 0)
			return 1;
		out.len = 0;
	}
	for (int i = o.index; i < argc; i++)
		status = alias_one(sh, &out, print, argv[i]) != 0 ? 1 : status;
	out_flush_unchecked(sh, &out);
	return status;
}

int do_unalias(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { 0 };
	bool all = false;
	int status = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "a")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		all = true;
	}
	if (all) {
		alias_clear(sh);
		return 0;
	}
	if (o.index == argc)
		return usage_error(sh, "unalias");
	for (int i = o.index; i < argc; i++) {
		if (!alias_unset(sh, bytes_of(argv[i]))) {
			builtin_error(sh, "unalias", "%s: not found", argv[i]);
			status = 1;
		}
	}
	return status;
}
