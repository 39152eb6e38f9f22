/* SPDX-License-Identifier: MIT
 *
 * sponge - read all of the input, then write it to a file (that may be the input's own).
 */
#include "builtins/builtin.h"

struct sponge_opts {
	bool append;
	bool help;
};

static const struct opt sponge_options[] = {
	OPT_FLAG('a', NULL, struct sponge_opts, append, "append to the file"),
	OPT_FLAG('h', NULL, struct sponge_opts, help, NULL),
	OPT_END(),
};

static int sponge_run(struct cmd *c)
{
	static const char usage[] = "sponge [-a] <file>: soak up all input from stdin and write it "
				    "to <file>\n";
	const struct sponge_opts *o = c->opts;
	struct output out;
	struct bytes all;

	if (o->help) {
		cmd_puts(c, usage);
		return 0;
	}
	int err = cmd_read_all(c, "-", &all);

	if (err < 0)
		return cmd_error(c, err, "failed to read from stdin");
	if (c->nargs == 0) {
		cmd_bytes(c, all);
		return 0;
	}
	err = output_open(&out, c, c->args[0], o->append ? O_APPEND_ : O_TRUNC_, false);
	if (err < 0) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "error opening output file: %s\n", err_text(err));
		cmd_err_write(c, text.ptr, text.len);
		return 1;
	}
	output_write(&out, all.ptr, all.len);
	output_close(&out);
	return 0;
}

const struct builtin builtin_sponge = {
	.name = "sponge",
	.usage = "[-a] [FILE]",
	.summary = "Reads all of its input, then writes it to FILE.",
	.run = sponge_run,
	.opts = sponge_options,
	.opts_size = sizeof(struct sponge_opts),
	.family = "moreutils 0.67",
};
