/* SPDX-License-Identifier: MIT
 *
 * stdbuf - run a program with other buffers for its standard streams.
 *
 * Programs here are no libc programs: they write to terminals line by line and flush when they
 * end, so that only the options are checked and the environment is set as the real one does.
 */
#include "builtins/builtin.h"

struct stdbuf_opts {
	const char *mode[3];
};

static int set_mode(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct stdbuf_opts *o = c->opts;
	uint64_t size;

	if (opt->value == 0 && strcmp(arg, "L") == 0)
		return cmd_usage(c, "line buffering stdin is meaningless");
	if (strcmp(arg, "L") != 0 && num_parse_u64(arg, "EGkKMPTYZ0", &size) != 0)
		return cmd_error(c, 0, "invalid mode %s", cmd_quote(c, arg));
	o->mode[opt->value] = arg;
	return 0;
}

#define STDBUF(s, l, v, text)                                                                      \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,        \
		.fn = set_mode, .value = (v), .metavar = "MODE", .help = (text)                    \
	}
static const struct opt stdbuf_options[] = {
	STDBUF('i', "input", 0, "of standard input: 0 or a size"),
	STDBUF('o', "output", 1, "of standard output: L (lines), 0 or a size"),
	STDBUF('e', "error", 2, "of standard error: L (lines), 0 or a size"),
	OPT_END(),
};
#undef STDBUF

static int stdbuf_run(struct cmd *c)
{
	static const char *const names[] = { "_STDBUF_I", "_STDBUF_O", "_STDBUF_E" };
	const struct stdbuf_opts *o = c->opts;
	struct env e;
	bool any = false;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	env_init(&e, c, false);
	for (int i = 0; i < 3; i++) {
		struct buf text = buf_in(c->arena);

		if (o->mode[i] == NULL)
			continue;
		buf_printf(&text, "%s=%s", names[i], o->mode[i]);
		env_put(&e, buf_cstr(&text));
		any = true;
	}
	if (!any)
		return cmd_usage(c, "you must specify a buffering mode option");
	int err = cmd_become(c, c->args, e.list);

	cmd_error(c, err, "failed to run command %s", cmd_quote(c, c->args[0]));
	return err == -E_NOENT ? 127 : 126;
}

const struct builtin builtin_stdbuf = {
	.name = "stdbuf",
	.usage = "OPTION... COMMAND [ARG]...",
	.summary = "Runs COMMAND with other buffers for its standard streams.",
	.run = stdbuf_run,
	.opts = stdbuf_options,
	.opts_size = sizeof(struct stdbuf_opts),
	.flags = BUILTIN_STOP,
	.usage_status = 125,
	.error_status = 125,
};
