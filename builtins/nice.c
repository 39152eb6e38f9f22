/* SPDX-License-Identifier: MIT
 *
 * nice - run a program with another nice value, or write the own one.
 */
#include "base/number.h"
#include "builtins/builtin.h"

struct nice_opts {
	const char *adjustment;
};

static const struct opt nice_options[] = {
	OPT_STR('n', "adjustment", struct nice_opts, adjustment, NULL, "N",
		"add N to the nice value (10)"),
	OPT_END(),
};

/* -5, --5, -+5 as options. */
static int nice_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct nice_opts *o = c->opts;
	const char *word = argv[i];
	int sign = word[0] == '-' && (word[1] == '-' || word[1] == '+');

	(void)argc;
	if (word[0] != '-' || !byte_is_digit(word[1 + sign]))
		return 0;
	o->adjustment = word + 1;
	return 1;
}

static int nice_run(struct cmd *c)
{
	const struct nice_opts *o = c->opts;
	int64_t add = 10;
	int before = cmd_nice(c, 0);

	if (o->adjustment != NULL) {
		bool overflow;
		struct bytes text = bytes_of(o->adjustment);

		if (number_parse_i64(text, 10, &add, &overflow) != text.len || text.len == 0)
			return cmd_error(c, 0, "invalid adjustment %s",
					 cmd_quote(c, o->adjustment));
	}
	if (c->nargs == 0 && o->adjustment != NULL)
		return cmd_usage(c, "a command must be given with an adjustment");
	if (c->nargs == 0) {
		cmd_printf(c, "%d\n", before);
		return 0;
	}
	add = add > 40 ? 40 : add < -40 ? -40 : add;
	if (add < 0 && cmd_uid(c) != 0)
		cmd_error(c, -E_ACCES, "cannot set niceness");
	else
		cmd_nice(c, (int)add);
	int err = cmd_become(c, c->args, c->envp);

	cmd_error(c, err, "%s", cmd_quote(c, c->args[0]));
	return err == -E_NOENT ? 127 : 126;
}

const struct builtin builtin_nice = {
	.name = "nice",
	.usage = "[OPTION] [COMMAND [ARG]...]",
	.summary = "Runs COMMAND with another nice value; without one, writes the current value.",
	.run = nice_run,
	.opts = nice_options,
	.opts_size = sizeof(struct nice_opts),
	.flags = BUILTIN_STOP,
	.usage_status = 125,
	.error_status = 125,
	.legacy = nice_legacy,
};
