/* SPDX-License-Identifier: MIT
 *
 * printenv - write the environment.
 */
#include "builtins/builtin.h"

struct printenv_opts {
	bool zero;
};

static int refuse(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	(void)arg;
	return cmd_usage(c, NULL);
}

static const struct opt printenv_options[] = {
	OPT_FLAG('0', "null", struct printenv_opts, zero, "end each line with NUL"),
	OPT_CALL('i', NULL, refuse, NULL), /* as env has them, and without a word why */
	OPT_CALL_ARG('u', NULL, refuse, NULL, NULL),
	OPT_END(),
};

static int printenv_run(struct cmd *c)
{
	const struct printenv_opts *o = c->opts;
	char end = o->zero ? '\0' : '\n';
	int status = 0;

	for (char *const *at = c->envp; c->nargs == 0 && at != NULL && *at != NULL; at++) {
		cmd_puts(c, *at);
		cmd_putc(c, end);
	}
	for (int i = 0; i < c->nargs; i++) {
		const char *value = strchr(c->args[i], '=') == NULL ? cmd_getenv(c, c->args[i])
								    : NULL;

		if (value == NULL) {
			status = 1;
			continue;
		}
		cmd_puts(c, value);
		cmd_putc(c, end);
	}
	return status;
}

const struct builtin builtin_printenv = {
	.name = "printenv",
	.usage = "[OPTION]... [VARIABLE]...",
	.summary = "Writes the values of the variables, or the whole environment.",
	.run = printenv_run,
	.opts = printenv_options,
	.opts_size = sizeof(struct printenv_opts),
	.usage_status = 2,
	.flags = BUILTIN_STOP,
};
