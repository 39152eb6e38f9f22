/* SPDX-License-Identifier: MIT
 *
 * Emacs's syntax, which programs get that ask GNU's matcher for none: as a basic expression.
 */
#include "base/buf.h"
#include "base/regex.h"

/*
 * A bracket of Emacs' syntax: there are no classes in it, so it ends at the first ']'. A '[' that
 * would begin one goes to the end. Returns where it ends.
 */
static const char *put_bracket(struct buf *out, const char *at)
{
	const char *from = at + 1 + (at[1] == '^');
	const char *end = *from != '\0' ? strchr(from + 1, ']') : NULL;
	bool class = false;

	if (end == NULL) {
		buf_puts(out, at);
		return at + strlen(at);
	}
	for (; at < end; at++) {
		bool begins = at >= from && *at == '[' && strchr(":.=", at[1]) != NULL;

		class |= begins;
		if (!begins)
			buf_putc(out, *at);
	}
	buf_puts(out, class ? "[]" : "]");
	return end + 1;
}

struct bytes regex_from_emacs(struct arena *a, const char *at)
{
	struct buf out = buf_in(a);
	bool first = true; /* there is nothing to repeat yet */

	while (*at != '\0') {
		if (*at == '[') {
			at = put_bracket(&out, at);
			first = false;
		} else if (*at == '\\' && at[1] != '\0') {
			if (strchr("+?{}", at[1]) == NULL)
				buf_putc(&out, '\\');
			buf_putc(&out, at[1]);
			first = at[1] == '(' || at[1] == '|';
			at += 2;
		} else {
			if (!first && (*at == '+' || *at == '?'))
				buf_putc(&out, '\\');
			first = first && *at == '^';
			buf_putc(&out, *at++);
		}
	}
	return buf_bytes(&out);
}
