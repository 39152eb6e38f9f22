/* SPDX-License-Identifier: MIT
 *
 * assert - says what is not true, and fails.
 *
 * The expression is test's, which decides; with -C it is a command that must succeed.
 */
#include "builtins/builtin.h"

struct assert_opts {
	const char *message;
	bool command;
	bool invert;
};

static const struct opt assert_options[] = {
	OPT_STR('m', "message", struct assert_opts, message, NULL, "TEXT",
		"say TEXT, not the expression"),
	OPT_FLAG('C', "command", struct assert_opts, command,
		 "EXPRESSION is a command that must succeed"),
	OPT_FLAG('i', "invert", struct assert_opts, invert, "it must not be true"),
	OPT_END(),
};

/* What is no option of ours is an operator of test: options end there. */
static int assert_legacy(struct cmd *c, int argc, char **argv, int i)
{
	if (argv[i][0] != '-' || argv[i][1] == '\0' || strchr("mCi-", argv[i][1]) != NULL)
		return 0;
	char **longer = arena_array(c->arena, (size_t)argc + 2, sizeof(*longer));

	memcpy(longer, argv, (size_t)i * sizeof(*longer));
	longer[i] = arena_dup(c->arena, BYTES("--"));
	memcpy(longer + i + 1, argv + i, (size_t)(argc - i) * sizeof(*longer));
	c->argv = longer;
	c->argc = argc + 1;
	return -1;
}

static int run_program(struct cmd *c, char **argv)
{
	int status = 0;
	int pid = cmd_spawn(c, &(struct cmd_program){ .argv = argv });

	if (pid < 0)
		cmd_fatal_status(c, pid == -E_NOENT ? 127 : 126, pid, "%s", argv[0]);
	int err = cmd_wait(c, pid, &status, false);

	return err < 0 ? cmd_error(c, err, "%s", argv[0]) : cmd_exit_status(status);
}

static int assert_run(struct cmd *c)
{
	const struct assert_opts *o = c->opts;
	char **argv = arena_array(c->arena, (size_t)c->nargs + 2, sizeof(*argv));
	struct buf text = buf_in(c->arena);
	int first = o->command ? 0 : 1;
	int status = cmd_operands(c, 1, -1);

	if (status != 0)
		return status;
	argv[0] = arena_dup(c->arena, BYTES("test"));
	for (int i = 0; i < c->nargs; i++) {
		argv[first + i] = c->args[i];
		buf_printf(&text, " %s", cmd_quotef(c, c->args[i]));
	}
	status = run_program(c, argv);
	/* test's own status for what is no expression; its message is written. */
	if (status >= 2 && !o->command)
		return status;
	if ((status == 0) != o->invert)
		return 0;
	if (o->message != NULL)
		return cmd_error(c, 0, "%s", o->message);
	return cmd_error(c, 0, "%s:%s", o->invert ? "must not be true" : "failed", buf_cstr(&text));
}

const struct builtin builtin_assert = {
	.name = "assert",
	.usage = "[OPTION]... EXPRESSION",
	.summary = "Succeeds silently if EXPRESSION, as test has it, is true; else says so on\n"
		   "standard error. The status is 0 if it is true, 1 if not, 2 if it is none.",
	.run = assert_run,
	.opts = assert_options,
	.opts_size = sizeof(struct assert_opts),
	.flags = BUILTIN_STOP,
	.legacy = assert_legacy,
	.usage_status = 2,
	.family = "cowsh",
};
