/* SPDX-License-Identifier: MIT
 *
 * Questions to the user. Answers are read byte by byte: what follows belongs to others.
 */
#include "builtins/ask.h"

bool ask(struct cmd *c, const char *format, ...)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf text = buf_in(c->arena);
	va_list args;
	char first = '\0';
	char ch = '\0';

	cmd_flush(c);
	buf_printf(&text, "%s: ", c->name);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, ' ');
	cmd_err_write(c, text.ptr, text.len);
	arena_release(c->arena, mark);
	for (size_t i = 0; cmd_read(c, 0, &ch, 1) == 1 && ch != '\n'; i++) {
		if (i == 0)
			first = ch;
		cmd_charge(c, 1);
	}
	return first == 'y' || first == 'Y';
}
