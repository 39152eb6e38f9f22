/* SPDX-License-Identifier: MIT
 *
 * envsubst - replace $NAME and ${NAME} in the input by the values of the environment.
 */
#include "builtins/builtin.h"

struct envsubst_opts {
	bool variables;
	/* state */
	struct cmd *c;
	bool limited; /* only names in a SHELL-FORMAT */
	struct bytes *names;
	size_t nnames;
};

static const struct opt envsubst_options[] = {
	OPT_FLAG('v', "variables", struct envsubst_opts, variables,
		 "write the variables of SHELL-FORMAT"),
	OPT_CALL('V', NULL, cmd_opt_version, NULL),
	OPT_END(),
};

static bool starts_name(int ch)
{
	return byte_is_alpha(ch) || ch == '_';
}

/* The name of a reference at text[0] == '$'; its length, 0 if there is none. *used: how many
 * bytes the reference has. */
static struct bytes name_at(struct bytes text, size_t *used)
{
	bool brace = text.len > 1 && text.ptr[1] == '{';
	size_t from = brace ? 2 : 1;
	size_t to = from;

	if (from < text.len && starts_name((unsigned char)text.ptr[from]))
		while (to < text.len && byte_is_name((unsigned char)text.ptr[to]))
			to++;
	*used = to + brace;
	if (to == from || (brace && (to == text.len || text.ptr[to] != '}')))
		return BYTES("");
	return bytes_slice(text, from, to);
}

static void collect(struct cmd *c, struct envsubst_opts *o, struct bytes format)
{
	size_t cap = 0;

	for (size_t i = 0; i < format.len; i++) {
		size_t used;
		struct bytes name;

		if (format.ptr[i] != '$')
			continue;
		name = name_at(bytes_slice(format, i, format.len), &used);
		cmd_charge(c, 1);
		if (name.len == 0)
			continue;
		if (o->variables)
			cmd_printf(c, "%.*s\n", (int)name.len, name.ptr);
		if (o->nnames == cap) {
			o->names = arena_grow(c->arena, o->names, cap * sizeof(name),
					      (cap * 2 + 16) * sizeof(name));
			cap = cap * 2 + 16;
		}
		o->names[o->nnames++] = name;
		i += used - 1;
	}
}

static bool is_wanted(const struct envsubst_opts *o, struct bytes name)
{
	for (size_t i = 0; i < o->nnames; i++)
		if (bytes_eq(o->names[i], name))
			return true;
	return !o->limited;
}

static void put_line(struct cmd *c, const struct envsubst_opts *o, struct bytes line)
{
	size_t from = 0;

	for (;;) {
		const char *hit = from < line.len ? memchr(line.ptr + from, '$', line.len - from)
						  : NULL;
		size_t at = hit != NULL ? (size_t)(hit - line.ptr) : line.len;
		size_t used;

		cmd_bytes(c, bytes_slice(line, from, at));
		if (hit == NULL)
			return;
		struct bytes name = name_at(bytes_slice(line, at, line.len), &used);

		from = at + 1;
		cmd_charge(c, 1 + (o->limited ? o->nnames / 8 : 0));
		if (name.len == 0 || !is_wanted(o, name)) {
			cmd_putc(c, '$');
			continue;
		}
		struct arena_mark mark = arena_mark(c->arena);
		const char *value = cmd_getenv(c, arena_dup(c->arena, name));

		arena_release(c->arena, mark);
		if (value != NULL)
			cmd_puts(c, value);
		from = at + used;
	}
}

static int envsubst_run(struct cmd *c)
{
	struct envsubst_opts *o = c->opts;
	struct input in;
	struct bytes line;
	int more;

	if (o->variables && c->nargs == 0)
		return cmd_error(c, 0, "missing arguments");
	if (c->nargs > 1)
		return cmd_error(c, 0, "too many arguments");
	if (c->nargs == 1) {
		o->limited = true;
		collect(c, o, bytes_of(c->args[0]));
	}
	if (o->variables)
		return 0;
	input_init(&in, c, 0, "-");
	in.is_stdin = true;
	while ((more = input_line(&in, '\n', &line)) > 0) {
		put_line(c, o, line);
		if (in.ended)
			cmd_putc(c, '\n');
		cmd_charge_bytes(c, line.len);
	}
	return more < 0 ? cmd_error(c, more, "error while reading \"standard input\"") : 0;
}

const struct builtin builtin_envsubst = {
	.name = "envsubst",
	.usage = "[OPTION] [SHELL-FORMAT]",
	.summary = "Replaces $NAME and ${NAME} by values of the environment; only those in "
		   "SHELL-FORMAT.",
	.run = envsubst_run,
	.opts = envsubst_options,
	.opts_size = sizeof(struct envsubst_opts),
	.family = "GNU gettext-runtime 0.21",
};
