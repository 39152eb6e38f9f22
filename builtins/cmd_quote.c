/* SPDX-License-Identifier: MIT
 *
 * Quoting of names as GNU's tools show them, in messages and in listings.
 *
 * The shell styles give what a shell reads back: 'a b', "it's", 'a'$'\n''b'. The C styles
 * escape with backslashes; the locale style does so between ‘ and ’.
 */
#include "builtins/cmd_private.h"

const struct opt_word quote_words[] = {
	{ "literal", QUOTE_LITERAL },
	{ "shell", QUOTE_SHELL },
	{ "shell-always", QUOTE_SHELL_ALWAYS },
	{ "shell-escape", QUOTE_SHELL_ESCAPE },
	{ "shell-escape-always", QUOTE_SHELL_ESCAPE_ALWAYS },
	{ "c", QUOTE_C },
	{ "c-maybe", QUOTE_C_MAYBE },
	{ "escape", QUOTE_ESCAPE },
	{ "locale", QUOTE_LOCALE },
	{ "clocale", QUOTE_CLOCALE },
	{ NULL, 0 },
};

/* The length of the printable character at `at`, or 0 with *bad bytes to be escaped. */
static size_t printable(struct bytes s, size_t at, bool utf8, size_t *bad)
{
	unsigned char first = (unsigned char)s.ptr[at];
	uint32_t code;

	*bad = 1;
	if (first < 0x80)
		return byte_is_print(first) ? 1 : 0;
	size_t len = utf8 ? utf8_decode(s, at, &code) : 0;

	if (len == 0)
		return 0;
	*bad = len;
	return utf8_is(code, UTF8_PRINT) ? len : 0;
}

static void put_escape(struct buf *out, unsigned char byte)
{
	static const char letters[] = "abtnvfr";

	buf_putc(out, '\\');
	if (byte >= 7 && byte <= 13)
		buf_putc(out, letters[byte - 7]);
	else
		buf_printf(out, "%03o", byte);
}

/* --- shell styles --- */

struct shell_need {
	bool quotes;    /* quotes of some kind are needed */
	bool single;    /* there is a ' */
	bool no_double; /* something that "..." would not keep, or that '...' is for */
	bool escape;    /* something that is not printable */
};

/* Texts may be long. */
static void charge_at(const struct buf *out, size_t i)
{
	if (i % 256 == 255)
		arena_charge(out->arena, 8);
}

static struct shell_need shell_needs(struct bytes s, const char *also, bool utf8, bool escapes)
{
	struct shell_need need = { .quotes = s.len == 0 };

	for (size_t i = 0; i < s.len;) {
		char ch = s.ptr[i];
		size_t bad;
		size_t len = printable(s, i, utf8, &bad);

		if (len == 0) {
			need.escape |= escapes;
			need.quotes |= escapes || ch == '\t' || ch == '\n' || ch == '\r';
			need.no_double = true;
			i += bad;
			continue;
		}
		if (len > 1) {
			i += len;
			continue;
		}
		if (ch == '\'')
			need.single = need.quotes = true;
		else if (strchr("!\"$&()*;<=>?[\\^`|", ch) != NULL)
			need.quotes = need.no_double = true;
		else if (strchr("#~{}", ch) != NULL) {
			need.no_double = true;
			need.quotes |= i == 0 && (ch == '#' || ch == '~' || s.len == 1);
		} else if (ch == ' ' || strchr(also, ch) != NULL)
			need.quotes = true;
		i++;
	}
	return need;
}

/* '...' with \' and $'...' for what needs it. With a quote in it and an escape at its end GNU's
 * begins with an empty text, unless a quote is first. */
static void put_single(struct buf *out, struct bytes s, bool escapes, bool utf8)
{
	bool escaping = false;
	size_t start = out->len;
	bool single = false;

	buf_putc(out, '\'');
	for (size_t i = 0; i < s.len;) {
		size_t bad;
		size_t len = printable(s, i, utf8, &bad);

		charge_at(out, i);
		if (len == 0 && escapes) {
			if (!escaping)
				buf_puts(out, "'$'");
			escaping = true;
			for (size_t k = 0; k < bad; k++)
				put_escape(out, (unsigned char)s.ptr[i + k]);
			i += bad;
			continue;
		}
		single |= s.ptr[i] == '\'';
		if (escaping && s.ptr[i] != '\'')
			buf_puts(out, "''");
		escaping = false;
		len = len != 0 ? len : bad;
		if (s.ptr[i] == '\'')
			buf_puts(out, "'\\''");
		else
			buf_put(out, s.ptr + i, len);
		i += len;
	}
	buf_putc(out, '\'');
	if (!escaping || !single || s.ptr[0] == '\'')
		return;
	buf_puts(out, "''");
	memmove(out->ptr + start + 2, out->ptr + start, out->len - 2 - start);
	memcpy(out->ptr + start, "''", 2);
}

static void put_shell(struct buf *out, struct bytes s, enum quote_style style, const char *also,
		      bool utf8)
{
	bool escapes = style == QUOTE_SHELL_ESCAPE || style == QUOTE_SHELL_ESCAPE_ALWAYS;
	bool always = style == QUOTE_SHELL_ALWAYS || style == QUOTE_SHELL_ESCAPE_ALWAYS;
	struct shell_need need = shell_needs(s, also, utf8, escapes);

	if (!always && !need.quotes) {
		buf_add(out, s);
	} else if (need.single && !need.no_double) {
		buf_putc(out, '"');
		buf_add(out, s);
		buf_putc(out, '"');
	} else {
		put_single(out, s, escapes, utf8);
	}
}

/* --- C styles --- */

static void put_escaped(struct buf *out, struct bytes s, struct bytes close, const char *also,
			bool utf8)
{
	for (size_t i = 0; i < s.len;) {
		size_t bad;
		size_t len = printable(s, i, utf8, &bad);
		struct bytes rest = bytes_slice(s, i, s.len);

		charge_at(out, i);
		if (len == 0) {
			for (size_t k = 0; k < bad; k++)
				put_escape(out, (unsigned char)s.ptr[i + k]);
			i += bad;
			continue;
		}
		if (s.ptr[i] == '\\' || (close.len != 0 && bytes_starts(rest, close)) ||
		    (len == 1 && strchr(also, s.ptr[i]) != NULL))
			buf_putc(out, '\\');
		buf_put(out, s.ptr + i, len);
		i += len;
	}
}

static void put_between(struct buf *out, struct bytes s, const char *open, const char *close,
			const char *also, bool utf8)
{
	buf_puts(out, open);
	put_escaped(out, s, bytes_of(close), also, utf8);
	buf_puts(out, close);
}

static void put_c_maybe(struct buf *out, struct bytes s, const char *also, bool utf8)
{
	size_t before = out->len;

	put_between(out, s, "\"", "\"", "", utf8);
	if (out->len - before != s.len + 2)
		return;
	for (size_t i = 0; i < s.len; i++)
		if (strchr(also, s.ptr[i]) != NULL)
			return;
	out->len = before;
	buf_add(out, s);
}

void quote_put(struct buf *out, struct bytes s, enum quote_style style, const char *also, bool utf8)
{
	switch (style) {
	case QUOTE_LITERAL: buf_add(out, s); break;
	case QUOTE_SHELL:
	case QUOTE_SHELL_ALWAYS:
	case QUOTE_SHELL_ESCAPE:
	case QUOTE_SHELL_ESCAPE_ALWAYS: put_shell(out, s, style, also, utf8); break;
	case QUOTE_C: put_between(out, s, "\"", "\"", also, utf8); break;
	case QUOTE_C_MAYBE: put_c_maybe(out, s, also, utf8); break;
	case QUOTE_ESCAPE: put_escaped(out, s, BYTES(""), also, utf8); break;
	case QUOTE_LOCALE:
	case QUOTE_CLOCALE:
		if (utf8)
			put_between(out, s, "\xe2\x80\x98", "\xe2\x80\x99", also, true);
		else if (style == QUOTE_LOCALE)
			put_between(out, s, "'", "'", also, false);
		else
			put_between(out, s, "\"", "\"", also, false);
		break;
	}
}

/* --- for messages --- */

const char *cmd_slot(struct cmd *c, struct bytes s)
{
	struct bytes *slot = &c->priv->slot[c->priv->next_slot++ % CMD_SLOTS];

	if (slot->ptr != NULL)
		pool_free(c->pool, (char *)(uintptr_t)slot->ptr, slot->len + 1);
	*slot = (struct bytes){ pool_dup(c->pool, s), s.len };
	return slot->ptr;
}

static const char *quote_slot(struct cmd *c, struct bytes s, enum quote_style style,
			      const char *also)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf text = buf_in(c->arena);

	quote_put(&text, s, style, also, c->utf8);
	const char *kept = cmd_slot(c, buf_bytes(&text));

	arena_release(c->arena, mark);
	return kept;
}

const char *cmd_quote(struct cmd *c, const char *s)
{
	return quote_slot(c, bytes_of(s), QUOTE_LOCALE, "");
}

const char *cmd_quote_n(struct cmd *c, struct bytes s)
{
	return quote_slot(c, s, QUOTE_LOCALE, "");
}

const char *cmd_quoteaf(struct cmd *c, const char *s)
{
	return quote_slot(c, bytes_of(s), QUOTE_SHELL_ESCAPE_ALWAYS, "");
}

const char *cmd_quotef(struct cmd *c, const char *s)
{
	return quote_slot(c, bytes_of(s), QUOTE_SHELL_ESCAPE, ":");
}

const char *cmd_quote_input(struct cmd *c, const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : cmd_quotef(c, path);
}
