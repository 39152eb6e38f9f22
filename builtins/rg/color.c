/* SPDX-License-Identifier: MIT
 *
 * rg --colors: how paths, numbers, columns and matches look.
 */
#include "builtins/rg/rg.h"

static int fail_format(struct rg *g, const char *spec)
{
	return rg_fail(g,
		       "invalid color spec format: '%s'. Valid format is "
		       "'(path|line|column|match):(fg|bg|style):(value)'.",
		       spec);
}

/* Which of the words (separated by blanks) it is, in any case of letters; -1: none. */
static int find_word(const char *words, struct bytes text)
{
	int n = 0;

	for (const char *at = words; *at != '\0'; n++) {
		size_t len = strcspn(at, " ");
		size_t i = 0;

		while (i < len && i < text.len && byte_to_lower(text.ptr[i]) == at[i])
			i++;
		if (i == len && len == text.len)
			return n;
		at += len + (at[len] == ' ');
	}
	return -1;
}

/* 0 to 255, also as 0xff. */
static bool take_byte(struct bytes text, uint8_t *out)
{
	bool hex = bytes_starts(text, BYTES("0x"));
	unsigned value = 0;

	if (hex)
		text = bytes_slice(text, 2, text.len);
	for (size_t i = 0; i < text.len; i++) {
		int digit = byte_digit((unsigned char)text.ptr[i]);

		if (digit < 0 || digit >= (hex ? 16 : 10))
			return false;
		value = value * (hex ? 16 : 10) + (unsigned)digit;
		if (value > 255)
			return false;
	}
	*out = (uint8_t)value;
	return text.len > 0;
}

static int take_rgb(struct rg *g, struct bytes text, struct rg_hue *out)
{
	struct bytes left = text;
	size_t n = 0;

	for (; n < 3; n++) {
		const char *comma = memchr(left.ptr, ',', left.len);
		size_t len = comma != NULL ? (size_t)(comma - left.ptr) : left.len;

		if (!take_byte(bytes_slice(left, 0, len), &out->value[n]) ||
		    (comma != NULL) != (n < 2))
			break;
		left = bytes_slice(left, comma != NULL ? len + 1 : len, left.len);
	}
	if (n < 3)
		return rg_fail(g,
			       "unrecognized RGB color triple, should be '[0-255],[0-255],[0-255]' "
			       "(or a hex triple), but is '%s'",
			       arena_dup(g->c->arena, text));
	out->kind = RG_COLOR_RGB;
	return 0;
}

static int take_color(struct rg *g, struct bytes text, struct rg_hue *out)
{
	static const char names[] = "black red green yellow blue magenta cyan white";
	int name = find_word(names, text);
	bool hex = true;

	if (name >= 0) {
		*out = (struct rg_hue){ RG_COLOR_NAMED, { (uint8_t)name } };
		return 0;
	}
	if (text.len > 0 && memchr(text.ptr, ',', text.len) != NULL)
		return take_rgb(g, text, out);
	if (take_byte(text, &out->value[0])) {
		out->kind = RG_COLOR_NUMBER;
		return 0;
	}
	for (size_t i = 0; i < text.len; i++) {
		int digit = byte_digit((unsigned char)text.ptr[i]);

		hex &= digit >= 0 && digit < 16;
	}
	return rg_fail(g,
		       hex ? "unrecognized ansi256 color number, should be '[0-255]' (or a hex "
			     "number), but is '%s'"
			   : "unrecognized color name '%s'. Choose from: black, blue, green, red, "
			     "cyan, magenta, yellow, white",
		       arena_dup(g->c->arena, text));
}

static int take_style(struct rg *g, struct bytes text, struct rg_style *out)
{
	int word = find_word("nobold bold nointense intense nounderline underline", text);

	if (word < 0)
		return rg_fail(g,
			       "unrecognized style attribute '%s'. Choose from: nobold, bold, "
			       "nointense, intense, nounderline, underline.",
			       arena_dup(g->c->arena, text));
	*(word < 2 ? &out->bold : word < 4 ? &out->intense : &out->underline) = word % 2 != 0;
	return 0;
}

int rg_color_spec(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	struct bytes part[3];
	size_t n = 0;

	(void)opt;
	for (const char *at = arg; at != NULL; n++) {
		size_t len = strcspn(at, ":");

		if (n == 3)
			return fail_format(g, arg);
		part[n] = (struct bytes){ at, len };
		at = at[len] == ':' ? at + len + 1 : NULL;
	}
	if (n < 2)
		return fail_format(g, arg);
	int what = find_word("path line column match", part[0]);
	int how = find_word("fg bg style none", part[1]);

	if (what < 0)
		return rg_fail(g,
			       "unrecognized output type '%s'. Choose from: path, line, column, "
			       "match.",
			       arena_dup(c->arena, part[0]));
	if (how < 0)
		return rg_fail(g, "unrecognized spec type '%s'. Choose from: fg, bg, style, none.",
			       arena_dup(c->arena, part[1]));
	struct rg_style *style = &g->style[what];

	if (how == 3)
		*style = (struct rg_style){ .bold = false };
	else if (n < 3)
		return fail_format(g, arg);
	else if (how == 2)
		return take_style(g, part[2], style);
	else
		return take_color(g, part[2], &style->color[how]);
	return 0;
}

bool rg_is_plain(const struct rg_style *s)
{
	return s->color[0].kind == RG_COLOR_NONE && s->color[1].kind == RG_COLOR_NONE && !s->bold &&
	       !s->underline;
}

void rg_put_style(struct rg *g, enum rg_part part)
{
	const struct rg_style *s = &g->style[part];
	struct buf *out = rg_tmp(g, RG_TMP_STYLE);

	buf_puts(out, "\033[0m");
	if (s->bold)
		buf_puts(out, "\033[1m");
	if (s->underline)
		buf_puts(out, "\033[4m");
	for (int i = 0; i < 2; i++) {
		const struct rg_hue *k = &s->color[i];
		int base = i == 0 ? 30 : 40;

		if (k->kind == RG_COLOR_NAMED && !s->intense)
			buf_printf(out, "\033[%dm", base + k->value[0]);
		else if (k->kind == RG_COLOR_NAMED)
			buf_printf(out, "\033[%d;5;%dm", base + 8, 8 + k->value[0]);
		else if (k->kind == RG_COLOR_NUMBER)
			buf_printf(out, "\033[%d;5;%dm", base + 8, k->value[0]);
		else if (k->kind == RG_COLOR_RGB)
			buf_printf(out, "\033[%d;2;%d;%d;%dm", base + 8, k->value[0], k->value[1],
				   k->value[2]);
	}
	rg_write(g, out->ptr, out->len);
}
