/* SPDX-License-Identifier: MIT
 *
 * strip-ansi - removes what was meant for terminals: escape sequences (ECMA-48).
 *
 * A machine of six states looks at each byte once, so sequences may be cut by buffers anywhere.
 * A sequence that never ends swallows nothing but itself: a newline ends it.
 */
#include "builtins/builtin.h"

enum state {
	TEXT,
	ESCAPE,       /* ESC */
	INTERMEDIATE, /* ESC and bytes such as ( or #: one more follows */
	CONTROL,      /* ESC [ */
	STRING,       /* ESC ] and its like: up to BEL or ESC \ */
	STRING_ESCAPE,
};

struct stripper {
	struct cmd *c;
	enum state state;
};

/* The state behind a byte; *keep: whether it belongs to the text. */
static enum state step(enum state state, unsigned char ch, bool *keep)
{
	*keep = false;
	if (ch == '\n' && state != TEXT) {
		*keep = true;
		return TEXT;
	}
	switch (state) {
	case ESCAPE:
		if (ch == '[')
			return CONTROL;
		if (strchr("]PX^_", ch) != NULL && ch != 0)
			return STRING;
		return ch >= 0x20 && ch <= 0x2f ? INTERMEDIATE : ch == 0x1b ? ESCAPE : TEXT;
	case INTERMEDIATE: return ch >= 0x20 && ch <= 0x2f ? INTERMEDIATE : TEXT;
	case CONTROL: return ch >= 0x40 && ch <= 0x7e ? TEXT : ch == 0x1b ? ESCAPE : CONTROL;
	case STRING: return ch == 0x07 ? TEXT : ch == 0x1b ? STRING_ESCAPE : STRING;
	case STRING_ESCAPE: return ch == '\\' ? TEXT : ch == 0x1b ? STRING_ESCAPE : STRING;
	default: break;
	}
	*keep = ch != 0x1b;
	return ch == 0x1b ? ESCAPE : TEXT;
}

static int strip_file(struct input *in, void *arg)
{
	struct stripper *s = arg;
	struct bytes block;
	int got;

	s->state = TEXT;
	while ((got = input_block(in, &block)) > 0) {
		cmd_charge_bytes(s->c, block.len);
		for (size_t i = 0; i < block.len;) {
			const char *hit = s->state == TEXT
						  ? memchr(block.ptr + i, 0x1b, block.len - i)
						  : block.ptr + i;
			size_t to = hit != NULL ? (size_t)(hit - block.ptr) : block.len;
			bool keep;

			cmd_write(s->c, block.ptr + i, to - i);
			i = to;
			if (i == block.len)
				break;
			s->state = step(s->state, (unsigned char)block.ptr[i], &keep);
			if (keep)
				cmd_putc(s->c, block.ptr[i]);
			i++;
		}
	}
	return got;
}

static int strip_ansi_run(struct cmd *c)
{
	struct stripper s = { c, TEXT };

	return cmd_each_file(c, strip_file, &s);
}

const struct builtin builtin_strip_ansi = {
	.name = "strip-ansi",
	.usage = "[FILE]...",
	.summary = "Writes files (or standard input) without the escape sequences of terminals:\n"
		   "colours, movements, titles, links.",
	.run = strip_ansi_run,
	.family = "cowsh",
};
