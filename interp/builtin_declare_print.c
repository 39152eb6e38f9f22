/* SPDX-License-Identifier: MIT
 *
 * Variables and functions printed so that they can be read again: declare -p, set, export -p.
 */
#include "interp/builtin.h"

/* In the order in which bash writes them. */
static const struct {
	unsigned flag;
	char letter;
} attributes[] = {
	{ VAR_ARRAY, 'a' },    { VAR_ASSOC, 'A' }, { VAR_INTEGER, 'i' }, { VAR_NAMEREF, 'n' },
	{ VAR_READONLY, 'r' }, { VAR_TRACE, 't' }, { VAR_EXPORT, 'x' },  { VAR_CAPITAL, 'c' },
	{ VAR_LOWER, 'l' },    { VAR_UPPER, 'u' },
};

/* Nothing for none. */
void print_attributes(struct buf *out, unsigned flags)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if ((flags & attributes[i].flag) != 0)
			buf_putc(out, attributes[i].letter);
	}
}

/* Whether a key can't stand in brackets as it is. */
static bool key_is_special(struct bytes key)
{
	static const char meta[] = " \t\n'\"\\|&;()<>!{}*[]?^$`";

	if (key.len == 0 || key.ptr[0] == '~' || key.ptr[0] == '#' || bytes_is(key, "@"))
		return true;
	for (size_t i = 0; i < key.len; i++) {
		if (strchr(meta, key.ptr[i]) != NULL)
			return true;
		if (key.ptr[i] == '~' && (key.ptr[i - 1] == '=' || key.ptr[i - 1] == ':'))
			return true;
	}
	return false;
}

static void put_key(struct shell *sh, struct buf *out, struct bytes key)
{
	struct buf quoted = buf_in(out->arena);

	quote_for_declare(sh, &quoted, key);
	if (quoted.ptr[0] == '$' || key_is_special(key))
		buf_add(out, buf_bytes(&quoted));
	else
		buf_add(out, key);
}

/* ([0]="a" [2]="b") */
static void put_array(struct shell *sh, struct buf *out, struct var *v)
{
	struct bytes *keys;
	struct bytes *values;
	size_t n = var_keys(sh, v, &keys);
	bool assoc = (v->flags & VAR_ASSOC) != 0;

	var_values(sh, v, &values);
	buf_putc(out, '(');
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && !assoc)
			buf_putc(out, ' ');
		buf_putc(out, '[');
		if (assoc)
			put_key(sh, out, keys[i]);
		else
			buf_add(out, keys[i]);
		buf_puts(out, "]=");
		quote_for_declare(sh, out, values[i]);
		if (assoc)
			buf_putc(out, ' ');
	}
	buf_putc(out, ')');
}

bool print_array_value(struct shell *sh, struct buf *out, struct var *v)
{
	if ((v->flags & VAR_SET) != 0)
		put_array(sh, out, v);
	return (v->flags & VAR_SET) != 0;
}

/* A scalar's value as listings show it: dynamic ones have none until they are asked for, but for
 * those that are constant. */
static bool listed_value(struct shell *sh, struct var *v, struct bytes *out)
{
	if ((v->flags & VAR_SET) != 0)
		*out = (struct bytes){ v->value, v->len };
	else if ((v->flags & (VAR_DYNAMIC | VAR_READONLY)) != (VAR_DYNAMIC | VAR_READONLY))
		return false;
	return (v->flags & VAR_DYNAMIC) == 0 || v->value != NULL || var_scalar(sh, v, out);
}

/* name=value and the newline. */
static void put_named_value(struct shell *sh, struct buf *out, struct var *v)
{
	struct bytes value;

	buf_add(out, v->name);
	if ((v->flags & (VAR_ARRAY | VAR_ASSOC)) != 0 && (v->flags & VAR_SET) != 0) {
		buf_putc(out, '=');
		put_array(sh, out, v);
	} else if ((v->flags & (VAR_ARRAY | VAR_ASSOC)) == 0 && listed_value(sh, v, &value)) {
		buf_putc(out, '=');
		quote_for_declare(sh, out, value);
	}
	buf_putc(out, '\n');
}

void print_variable(struct shell *sh, struct buf *out, struct var *v)
{
	struct buf letters = buf_in(sh->arena);

	if ((v->flags & VAR_DYNAMIC) != 0 && (v->flags & (VAR_ARRAY | VAR_ASSOC)) != 0)
		var_count(sh, v); /* brings it up to date */
	print_attributes(&letters, v->flags);
	buf_printf(out, "declare -%s ", letters.len != 0 ? letters.ptr : "-");
	put_named_value(sh, out, v);
}

void print_posix_variable(struct shell *sh, struct buf *out, struct var *v, const char *builtin)
{
	buf_printf(out, "%s ", builtin);
	if ((v->flags & (VAR_ARRAY | VAR_ASSOC)) != 0)
		buf_puts(out, (v->flags & VAR_ARRAY) != 0 ? "-a " : "-A ");
	put_named_value(sh, out, v);
}

void print_assignment(struct shell *sh, struct buf *out, struct var *v)
{
	bool array = (v->flags & (VAR_ARRAY | VAR_ASSOC)) != 0;
	struct bytes value;

	if (array && (v->flags & VAR_DYNAMIC) != 0)
		var_count(sh, v); /* brings it up to date */
	if (array ? (v->flags & VAR_SET) == 0 : !listed_value(sh, v, &value))
		return;
	buf_add(out, v->name);
	buf_putc(out, '=');
	if (array)
		put_array(sh, out, v);
	else
		quote_for_set(sh, out, value);
	buf_putc(out, '\n');
}

void print_shell_function(struct shell *sh, struct buf *out, const struct function *f)
{
	print_function(out, f->node, opt_set(sh, SET_POSIX));
	buf_putc(out, '\n');
}

void print_function_line(struct buf *out, const struct function *f)
{
	buf_puts(out, "declare -f");
	if (f->readonly)
		buf_putc(out, 'r');
	if (f->traced)
		buf_putc(out, 't');
	if (f->exported)
		buf_putc(out, 'x');
	buf_putc(out, ' ');
	buf_add(out, f->name);
	buf_putc(out, '\n');
}

void print_all_variables(struct shell *sh, struct buf *out, bool functions)
{
	struct var **vars;
	struct function **list;
	size_t n = var_list(sh, &vars);

	sh->listing = true;
	for (size_t i = 0; i < n; i++)
		print_assignment(sh, out, vars[i]);
	sh->listing = false;
	if (!functions)
		return;
	int count = function_list(sh, &list);

	for (int i = 0; i < count; i++)
		print_shell_function(sh, out, list[i]);
}
