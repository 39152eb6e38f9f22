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
		size_t n = !c->utf8 || (unsigned char)line.ptr[at] < 0x80
				   ? 1
				   : utf8_decode(line, at, &code);

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
	const char *name = in->is_stdin ? "stdin" : in->name;
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
		int err = input_open(&in, c, c->files[i]);

		if (err < 0) {
			status = cmd_error(c, err, "cannot open %s", c->files[i]);
			continue;
		}
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
