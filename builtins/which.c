/* SPDX-License-Identifier: MIT
 *
 * which - where in PATH a command is.
 */
#include "builtins/builtin.h"

struct which_opts {
	bool all;
};

static const struct opt which_options[] = {
	OPT_FLAG('a', NULL, struct which_opts, all, "all of them, not only the first"),
	OPT_END(),
};

static bool look_up(struct cmd *c, const struct which_opts *o, const char *name)
{
	const char *at = cmd_getenv(c, "PATH");
	bool found = false;

	/* It is a script of sh, which has a path of its own. */
	if (at == NULL)
		at = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	if (strchr(name, '/') != NULL) {
		if (cmd_is_program(c, name))
			cmd_printf(c, "%s\n", name);
		return cmd_is_program(c, name);
	}
	while (at != NULL && (!found || o->all)) {
		size_t len = strcspn(at, ":");
		struct buf path = buf_in(c->arena);

		if (len == 0)
			buf_putc(&path, '.');
		buf_put(&path, at, len);
		buf_printf(&path, "/%s", name);
		cmd_charge(c, 1);
		if (cmd_is_program(c, buf_cstr(&path))) {
			cmd_printf(c, "%s\n", buf_cstr(&path));
			found = true;
		}
		at = at[len] == ':' ? at + len + 1 : NULL;
	}
	return found;
}

static int which_run(struct cmd *c)
{
	int status = c->nargs == 0;

	for (int i = 0; i < c->nargs; i++)
		if (c->args[i][0] == '\0' || !look_up(c, c->opts, c->args[i]))
			status = 1;
	return status;
}

const struct builtin builtin_which = {
	.name = "which",
	.usage = "[-a] NAME...",
	.summary = "Writes the path of the program that each NAME would start.",
	.run = which_run,
	.opts = which_options,
	.opts_size = sizeof(struct which_opts),
	.usage_status = 2,
	.family = "debianutils 5.7",
};
