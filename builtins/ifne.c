/* SPDX-License-Identifier: MIT
 *
 * ifne - run a command if standard input is not empty, which it then reads.
 */
#include "builtins/builtin.h"

enum { SIG_PIPE = 13 };

struct ifne_opts {
	bool invert;
};

static const struct opt ifne_options[] = {
	OPT_FLAG('n', NULL, struct ifne_opts, invert, "run it if standard input is empty"),
	OPT_END(),
};

/* Runs the command on the first bytes and what follows them: its status. */
static int run_fed(struct cmd *c, struct input *in, struct bytes first)
{
	int ends[2];
	int err = cmd_pipe(c, ends);

	if (err < 0)
		return cmd_error(c, err, "pipe");
	const int fds[3] = { ends[0], 1, 2 };
	struct cmd_program prog = { .argv = c->args, .fds = fds, .nfds = 3 };
	char *held = pool_dup(c->pool, first);
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, ends[0]);
	if (pid < 0)
		return cmd_error(c, pid, "%s", c->args[0]);
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
	const struct ifne_opts *o = c->opts;
	struct input in;
	struct bytes block;

	if (c->nargs == 0)
		return cmd_usage(c, "a command is needed");
	int err = input_open(&in, c, "-");
	int got = err < 0 ? err : input_block(&in, &block);

	if (got < 0)
		return cmd_error(c, got, "read");
	if (got == 0 && o->invert) {
		err = cmd_become(c, c->args, NULL);
		return cmd_error(c, err, "%s", c->args[0]);
	}
	if (got == 0)
		return 0;
	if (!o->invert)
		return run_fed(c, &in, block);
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
	.opts = ifne_options,
	.opts_size = sizeof(struct ifne_opts),
	.flags = BUILTIN_STOP,
	.family = "moreutils 0.67",
};
