/* SPDX-License-Identifier: MIT
 *
 * ifne - run a command if standard input is not empty, which it then reads.
 */
#include "builtins/builtin.h"

enum { SIG_PIPE = 13 };

/* "-n" in front of the command is all there is of options. */
static bool is_inverted(const struct cmd *c)
{
	return c->nargs > 0 && strcmp(c->args[0], "-n") == 0;
}

static int cannot_run(struct cmd *c, int err, const char *name)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s: %s\n", name, err_text(err));
	cmd_err_write(c, text.ptr, text.len);
	return 1;
}

/* Runs the command on the first bytes and what follows them: its status. */
static int run_fed(struct cmd *c, struct input *in, struct bytes first, char **argv)
{
	int ends[2];
	int err = cmd_pipe(c, ends);

	if (err < 0)
		return cmd_error(c, err, "pipe");
	const int fds[3] = { ends[0], 1, 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };
	char *held = pool_dup(c->pool, first);
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, ends[0]);
	if (pid < 0)
		return cannot_run(c, pid, argv[0]);
	/* It need not read all of it. */
	cmd_signal(c, SIG_PIPE, CMD_SIG_IGNORE);
	err = cmd_write_fd(c, ends[1], held, first.len);
	while (err >= 0 && input_block(in, &first) > 0) {
		cmd_charge_bytes(c, first.len);
		err = cmd_write_fd(c, ends[1], first.ptr, first.len);
	}
	cmd_close(c, ends[1]);
	return cmd_wait_end(c, pid);
}

static int ifne_run(struct cmd *c)
{
	bool inverted = is_inverted(c);
	char **argv = c->args + inverted;
	struct input in;
	struct bytes block;

	if (argv[0] == NULL)
		return cmd_usage(c, "a command is needed");
	int err = input_open(&in, c, "-");
	int got = err < 0 ? err : input_block(&in, &block);

	if (got < 0)
		return cmd_error(c, got, "read");
	if (got == 0 && inverted) {
		err = cmd_become(c, argv, NULL);
		return cannot_run(c, err, argv[0]);
	}
	if (got == 0)
		return 0;
	if (!inverted)
		return run_fed(c, &in, block, argv);
	do
		cmd_bytes(c, block);
	while (input_block(&in, &block) > 0);
	return 0;
}

const struct builtin builtin_ifne = {
	.name = "ifne",
	.usage = "[-n] COMMAND [ARG]...",
	.summary = "Runs COMMAND, which reads standard input, unless that is empty.",
	.run = ifne_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "moreutils 0.67",
};
