/* SPDX-License-Identifier: MIT
 *
 * tee - copy standard input to standard output and to files.
 */
#include "builtins/builtin.h"

enum { TEE_WARN = 1, TEE_WARN_NOPIPE, TEE_EXIT, TEE_EXIT_NOPIPE };

struct tee_opts {
	bool append;
	bool ignore_int;
	int on_error; /* 0: default */
};

static const struct opt_word error_words[] = {
	{ "warn", TEE_WARN }, { "warn-nopipe", TEE_WARN_NOPIPE },
	{ "exit", TEE_EXIT }, { "exit-nopipe", TEE_EXIT_NOPIPE },
	{ NULL, 0 },
};

static const struct opt tee_options[] = {
	OPT_FLAG('a', "append", struct tee_opts, append, "add to the files' ends"),
	OPT_FLAG('i', "ignore-interrupts", struct tee_opts, ignore_int, "ignore SIGINT"),
	OPT_SET('p', NULL, struct tee_opts, on_error, TEE_WARN_NOPIPE,
		"--output-error=warn-nopipe"),
	OPT_ENUM_OPTIONAL(0, "output-error", struct tee_opts, on_error, error_words,
			  TEE_WARN_NOPIPE, "MODE",
			  "what an error of writing does: warn, exit (-nopipe)"),
	OPT_END(),
};

struct sink {
	int fd; /* -1: given up */
	const char *name;
};

/* Returns a status; ends the command where the mode says so. */
static int failed(struct cmd *c, const struct tee_opts *o, struct sink *s, int err)
{
	bool nopipe = o->on_error == TEE_WARN_NOPIPE || o->on_error == TEE_EXIT_NOPIPE;

	s->fd = -1;
	if (err == -E_PIPE && nopipe)
		return 0;
	int status = cmd_error(c, err, "%s", cmd_quotef(c, s->name));

	if (o->on_error == TEE_EXIT || o->on_error == TEE_EXIT_NOPIPE)
		cmd_exit(c, 1);
	return status;
}

static int open_sinks(struct cmd *c, const struct tee_opts *o, struct sink *list)
{
	unsigned oflags = O_WRONLY_ | O_CREAT_ | O_CLOEXEC_ | (o->append ? O_APPEND_ : O_TRUNC_);
	int status = 0;

	list[0] = (struct sink){ 1, "standard output" };
	for (int i = 0; i < c->nargs; i++) {
		struct sink *s = &list[i + 1];

		s->name = c->args[i];
		s->fd = cmd_open(c, CMD_CWD, s->name, oflags, 0666);
		if (s->fd < 0)
			status |= failed(c, o, s, s->fd);
	}
	return status;
}

static int tee_run(struct cmd *c)
{
	const struct tee_opts *o = c->opts;
	struct sink *list = arena_array(c->arena, (size_t)c->nargs + 1, sizeof(*list));
	struct input in;
	struct bytes block;
	int live = 1;
	int more = 1;

	if (o->ignore_int)
		cmd_signal(c, 2, CMD_SIG_IGNORE);
	if (o->on_error != 0)
		cmd_signal(c, 13, CMD_SIG_IGNORE);
	int status = open_sinks(c, o, list);

	input_init(&in, c, 0, "-");
	while (live > 0 && (more = input_block(&in, &block)) > 0) {
		live = 0;
		for (int i = 0; i <= c->nargs; i++) {
			int err = list[i].fd >= 0
					  ? cmd_write_fd(c, list[i].fd, block.ptr, block.len)
					  : 0;

			if (err < 0)
				status |= failed(c, o, &list[i], err);
			live += list[i].fd >= 0;
		}
		cmd_charge_bytes(c, block.len);
	}
	return more < 0 ? cmd_error(c, more, "read error") : status;
}

const struct builtin builtin_tee = {
	.name = "tee",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Copies standard input to standard output and to each file.",
	.run = tee_run,
	.opts = tee_options,
	.opts_size = sizeof(struct tee_opts),
};
