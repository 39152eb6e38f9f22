/* SPDX-License-Identifier: MIT
 *
 * yes - write a line again and again, until it is killed.
 */
#include "builtins/builtin.h"

enum { BLOCK = 16384 };

static int yes_run(struct cmd *c)
{
	struct buf line = buf_in(c->arena);
	struct buf block = buf_in(c->arena);

	for (int i = 0; i < c->nargs; i++)
		buf_printf(&line, "%s%s", i > 0 ? " " : "", c->args[i]);
	if (c->nargs == 0)
		buf_putc(&line, 'y');
	buf_putc(&line, '\n');
	do
		buf_add(&block, buf_bytes(&line));
	while (block.len < BLOCK);
	for (;;) {
		int err = cmd_write_fd(c, 1, block.ptr, block.len);

		if (err < 0)
			return cmd_error(c, err, "standard output");
		cmd_charge_bytes(c, block.len);
	}
}

const struct builtin builtin_yes = {
	.name = "yes",
	.usage = "[STRING]...",
	.summary = "Writes the strings, or y, again and again.",
	.run = yes_run,
};
