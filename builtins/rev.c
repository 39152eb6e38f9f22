/* SPDX-License-Identifier: MIT
 *
 * rev - write each line backwards, character by character.
 */
#include "builtins/builtin.h"

static const struct opt rev_options[] = {
	OPT_END(),
};

/* False if the line is not text in the locale's character set. */
static bool put_reversed(struct cmd *c, struct bytes line)
{
	char *end = output_space(&c->out, line.len) + line.len;

	for (size_t at = 0; at < line.len;) {
		uint32_t code;
		size_t n = (unsigned char)line.ptr[at] < 0x80 ? 1
			   : c->utf8                          ? utf8_decode(line, at, &code)
							      : 0;

		if (n == 0)
			return false;
		end -= n;
		memcpy(end, line.ptr + at, n);
		at += n;
	}
	output_added(&c->out, line.len);
	return true;
}

static int rev_file(struct input *in, void *arg)
{
	struct cmd *c = in->c;
	const char *name = in->name;
	struct bytes line;
	int more;

	(void)arg;
	for (uint64_t n = 0; (more = input_line(in, '\n', &line)) > 0; n++) {
		if (!put_reversed(c, line))
			return cmd_error(c, E_ILSEQ, "%s: %llu", name, (unsigned long long)n);
		if (in->ended)
			cmd_putc(c, '\n');
	}
	if (more < 0)
		return cmd_error(c, more, "%s: 0", name);
	return 0;
}

static int rev_run(struct cmd *c)
{
	int status = 0;

	for (int i = 0; i < c->nfiles; i++) {
		struct input in;
		int fd = c->nargs > 0 ? cmd_open(c, CMD_CWD, c->files[i], O_RDONLY_, 0) : 0;

		if (fd < 0) {
			status = cmd_error(c, fd, "cannot open %s", c->files[i]);
			continue;
		}
		input_init(&in, c, fd, c->nargs > 0 ? c->files[i] : "stdin");
		if (rev_file(&in, NULL) != 0)
			status = 1;
		input_close(&in);
	}
	return status;
}

const struct builtin builtin_rev = {
	.name = "rev",
	.usage = "[FILE]...",
	.summary = "Writes the characters of each line in reverse order.",
	.run = rev_run,
	.opts = rev_options,
	.family = "util-linux 2.38.1",
};
