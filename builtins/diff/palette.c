/* SPDX-License-Identifier: MIT
 *
 * diff: colours, and what --palette makes of them.
 */
#include "builtins/diff/diff.h"

static const struct {
	const char name[3];
	const char *code;
} parts[DIFF_PARTS] = {
	[DIFF_RESET] = { "rs", "0" },    [DIFF_HEADING] = { "hd", "1" },
	[DIFF_ADDED] = { "ad", "32" },   [DIFF_DELETED] = { "de", "31" },
	[DIFF_NUMBERS] = { "ln", "36" },
};

/* Behind a backslash: a number with as many digits as there are; it wraps as bytes do. */
static const char *read_code(const char *at, unsigned base, char *out)
{
	static const char digits[] = "0123456789abcdef";
	unsigned value = 0;
	const char *hit;

	while (*at != '\0' && (hit = memchr(digits, byte_to_lower(*at), base)) != NULL) {
		value = value * base + (unsigned)(hit - digits);
		at++;
	}
	*out = (char)value;
	return at;
}

/* What stands behind a backslash; NULL at the end of the text. */
static const char *read_escape(const char *at, char *out)
{
	static const char letters[] = "abefnrtv?_";
	static const char values[] = "\a\b\033\f\n\r\t\v\177 ";
	const char *hit = *at != '\0' ? strchr(letters, *at) : NULL;

	if (*at == '\0')
		return NULL;
	if (*at >= '0' && *at <= '7')
		return read_code(at, 8, out);
	if (*at == 'x' || *at == 'X')
		return read_code(at + 1, 16, out);
	*out = hit != NULL ? values[hit - letters] : *at;
	return at + 1;
}

/* A code up to ':', with its escapes undone. NULL: it ends within one, or there is no such. */
static const char *read_value(const char *at, struct buf *out)
{
	while (*at != '\0' && *at != ':') {
		char ch = *at++;

		if (ch == '\\') {
			at = read_escape(at, &ch);
			if (at == NULL)
				return NULL;
		} else if (ch == '^') {
			if (*at != '?' && (*at < '@' || *at > '~'))
				return NULL;
			/* A '?' stays, and shows behind its code: so does GNU's. */
			ch = *at == '?' ? '\177' : (char)(*at++ & 037);
		}
		buf_putc(out, ch);
	}
	return at;
}

/* "xx=code:xx=code". False after a message about the name that is wrong. */
static bool parse(struct cmd *c, struct diff_opts *o)
{
	const char *at = o->palette_text;

	while (*at != '\0') {
		int part = 0;

		if (*at == ':') {
			at++;
			continue;
		}
		if (at[1] == '\0' || at[2] != '=')
			return false;
		while (part < DIFF_PARTS && memcmp(parts[part].name, at, 2) != 0)
			part++;
		struct buf code = buf_in(c->arena);
		const char *next = part < DIFF_PARTS ? read_value(at + 3, &code) : NULL;

		if (next == NULL) {
			cmd_error(c, 0, "unrecognized prefix: %.2s", at);
			return false;
		}
		o->palette[part] = buf_bytes(&code);
		at = next;
	}
	return true;
}

void diff_prepare_colors(struct cmd *c, struct diff_opts *o)
{
	if (!o->color || o->palette[DIFF_RESET].ptr != NULL)
		return;
	for (int i = 0; i < DIFF_PARTS; i++)
		o->palette[i] = bytes_of(parts[i].code);
	if (o->palette_text != NULL && !parse(c, o)) {
		cmd_error(c, 0, "unparsable value for --palette");
		o->color = false;
	}
}

void diff_color(struct diff *d, enum diff_part part)
{
	if (!d->o->color || part == DIFF_NO_PART)
		return;
	cmd_puts(d->c, "\033[");
	cmd_bytes(d->c, d->o->palette[part]);
	cmd_putc(d->c, 'm');
}
