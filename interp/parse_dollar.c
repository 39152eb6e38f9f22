/* SPDX-License-Identifier: MIT
 *
 * What begins with a dollar, and $'...'. ${...} is in parse_param.c, commands and arithmetic
 * are in parse_sub.c.
 */
#include "base/format.h"
#include "interp/parser.h"

/* --- $'...' --- */

static int octal_value(struct parser *p, int first)
{
	int v = first - '0';

	for (int n = 1; n < 3; n++) {
		int c = source_raw(p);

		if (c < '0' || c > '7')
			break;
		v = v * 8 + c - '0';
		p->pos++;
	}
	return v & 0xff;
}

/* Up to `max` hexadecimal digits; *count is how many there were. */
static uint32_t hex_value(struct parser *p, int max, int *count)
{
	uint32_t v = 0;

	for (*count = 0; *count < max; (*count)++) {
		int c = source_raw(p);

		if (!byte_is_xdigit(c))
			break;
		v = v * 16 + (uint32_t)byte_digit(c);
		p->pos++;
	}
	return v;
}

/* False for a NUL. */
static bool put_unicode(struct parser *p, int letter)
{
	int count;
	uint32_t v = hex_value(p, letter == 'u' ? 4 : 8, &count);

	if (count == 0) {
		buf_putc(&p->lit, '\\');
		buf_putc(&p->lit, (char)letter);
		return true;
	}
	format_put_unicode(&p->lit, v, (p->flags & PARSE_ASCII) == 0);
	return v != 0;
}

static bool put_hex(struct parser *p)
{
	bool brace = source_raw(p) == '{';
	int count;
	uint32_t v;

	p->pos += brace;
	v = hex_value(p, brace ? 8 : 2, &count);
	if (brace && source_raw(p) == '}')
		p->pos++;
	if (count == 0 && !brace) {
		buf_puts(&p->lit, "\\x");
		return true;
	}
	buf_putc(&p->lit, (char)v);
	return (v & 0xff) != 0;
}

static bool put_control(struct parser *p)
{
	int c = source_raw(p);
	int v;

	if (c == '\'')
		buf_puts(&p->lit, "\\c");
	if (c < 0 || c == '\'')
		return true;
	source_step(p);
	v = c == '?' ? 0x7f : byte_to_upper(c) & 0x1f;
	buf_putc(&p->lit, (char)v);
	if (c != '\\')
		return v != 0;
	/* The backslash also quotes: itself, or a quote that would end the string. */
	if (source_raw(p) == '\'')
		buf_putc(&p->lit, '\'');
	if (source_raw(p) == '\'' || source_raw(p) == '\\')
		p->pos++;
	return true;
}

/* Behind the backslash. False when a NUL byte ends the string. */
static bool put_escape(struct parser *p)
{
	static const char names[] = "abeEfnrtv\\'\"?";
	static const char values[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	int c = source_raw(p);
	const char *at = c > 0 ? memchr(names, c, sizeof names - 1) : NULL;

	if (c < 0)
		return true;
	source_step(p);
	if (at != NULL) {
		buf_putc(&p->lit, values[at - names]);
	} else if (c >= '0' && c <= '7') {
		int v = octal_value(p, c);

		buf_putc(&p->lit, (char)v);
		return v != 0;
	} else if (c == 'x') {
		return put_hex(p);
	} else if (c == 'c') {
		return put_control(p);
	} else if (c == 'u' || c == 'U') {
		return put_unicode(p, c);
	} else {
		buf_putc(&p->lit, '\\');
		buf_putc(&p->lit, (char)c);
	}
	return true;
}

/* 'text', as functions show it. */
static struct bytes single_quoted(struct parser *p, struct bytes text)
{
	struct buf b = buf_in(p->arena);

	if (bytes_is(text, "'"))
		return BYTES("\\'");
	buf_putc(&b, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			buf_puts(&b, "'\\'");
		buf_putc(&b, text.ptr[i]);
	}
	buf_putc(&b, '\'');
	return buf_bytes(&b);
}

/* Behind $' : what the quotes mean is added to the literal text. */
static bool read_ansi(struct parser *p)
{
	int line = p->line;
	size_t cut = SIZE_MAX;
	int c;

	while (c = source_raw(p), c >= 0 && c != '\'') {
		source_step(p);
		if (c != '\\')
			buf_putc(&p->lit, (char)c);
		else if (!put_escape(p) && cut == SIZE_MAX)
			cut = p->lit.len - 1;
	}
	if (cut < p->lit.len)
		p->lit.len = cut; /* a NUL ends the string, as in bash */
	if (c < 0)
		return parse_fail_matching(p, line, '\'');
	p->pos++;
	return true;
}

bool parse_ansi_quotes(struct parser *p, struct word_state *w)
{
	size_t start = p->pos - 2;
	struct bytes text;
	size_t base;

	word_text(p, w, BYTES(""), true);
	base = p->lit.len;
	if (!read_ansi(p))
		return false;
	text = bytes_slice(buf_bytes(&p->lit), base, p->lit.len);
	/* In "${x-...}" functions show the bare text. */
	note_sub(p, start, NULL,
		 w->mode == MODE_ARG_DQ ? arena_bytes(p->arena, text) : single_quoted(p, text));
	return true;
}

bool parse_ansi_plain(struct parser *p)
{
	size_t start = p->pos;
	size_t base = p->lit.len;
	int line = p->line;
	struct bytes text;

	p->pos += 2;
	if (!read_ansi(p))
		return false;
	text = lit_take(p, base);
	source_replace(p, start, p->pos, p->in_quotes ? text : single_quoted(p, text));
	p->line = line;
	return true;
}

/* --- $x --- */

static bool add_param(struct parser *p, struct word_state *w, struct param *param, size_t start)
{
	struct part part = { .kind = PART_PARAM, .quoted = w->dq, .param = param };

	source_keep(p, &param->source, start, p->pos);
	part.text = (struct bytes){ (const char *)(uintptr_t)start, p->pos - start };
	word_add(p, w, &part);
	return true;
}

static bool parse_name_param(struct parser *p, struct word_state *w, size_t start)
{
	struct param *param = arena_zalloc(p->arena, sizeof *param);
	size_t base = p->lit.len;
	int c;

	word_flush(p, w);
	base = p->lit.len;
	while (c = source_peek(p), byte_is_name(c)) {
		buf_putc(&p->lit, (char)c);
		p->pos++;
	}
	param->kind = PARAM_NAME;
	param->name = lit_take(p, base);
	param->hash = bytes_hash(param->name);
	return add_param(p, w, param, start);
}

static bool parse_short_param(struct parser *p, struct word_state *w, size_t start, int c)
{
	struct param *param = arena_zalloc(p->arena, sizeof *param);

	p->pos++;
	param->kind = PARAM_SPECIAL;
	param->special = (char)c;
	if (c >= '1' && c <= '9') {
		param->kind = PARAM_POSITIONAL;
		param->index = (uint32_t)(c - '0');
	}
	return add_param(p, w, param, start);
}

/* $"text" where quotes are bare text, as inside of "${x:-$"text"}", is a string too. */
static void show_bare_string(struct parser *p, const struct word_state *w)
{
	size_t end = p->pos + 1;

	if (p->config.translated == NULL || w->inner_quotes ||
	    (w->mode != MODE_ARG_DQ && w->mode != MODE_ARITH))
		return;
	while (end < p->len && p->src[end] != '"')
		end += p->src[end] == '\\' ? 2 : 1;
	if (end < p->len)
		p->config.translated(p->config.user, source_slice(p, p->pos, end + 1), p->line);
}

/* $' and $" : quotes with a dollar, where quotes mean something. */
static bool parse_dollar_quote(struct parser *p, struct word_state *w, int c)
{
	bool arg = w->mode == MODE_ARG_DQ && !p->text_only && !w->inner_single &&
		   !w->inner_quotes && (p->flags & PARSE_EXTQUOTE);

	if (c == '\'' && !p->text_only &&
	    (w->mode == MODE_SUB || w->mode == MODE_SUB_BRACED || w->mode == MODE_OFFSET)) {
		p->pos--;
		return parse_ansi_plain(p);
	}
	if (c == '\'' && (!w->dq || arg)) {
		p->pos++;
		return parse_ansi_quotes(p, w);
	}
	if (c == '"' && !w->dq) {
		size_t start = p->pos;
		int line = p->line;

		note_sub(p, p->pos - 1, NULL, BYTES(""));
		p->pos++;
		if (!parse_double_quotes(p, w))
			return false;
		if (p->config.translated != NULL)
			p->config.translated(p->config.user, source_slice(p, start, p->pos), line);
		return true;
	}
	if (c == '"')
		show_bare_string(p, w);
	word_char(p, w, '$', w->dq);
	return true;
}

bool parse_dollar(struct parser *p, struct word_state *w)
{
	size_t start = p->pos++;
	int c = source_peek(p);

	if (byte_is_name(c) && !byte_is_digit(c))
		return parse_name_param(p, w, start);
	switch (c) {
	case '{': p->pos++; return parse_braced_param(p, w, start);
	case '(': return parse_command_sub(p, w, start);
	case '[': return parse_bracket_arith(p, w, start);
	case '\'':
	case '"': return parse_dollar_quote(p, w, c);
	case '@':
	case '*':
	case '#':
	case '?':
	case '-':
	case '$':
	case '!': return parse_short_param(p, w, start, c);
	default:
		if (byte_is_digit(c))
			return parse_short_param(p, w, start, c);
		word_char(p, w, '$', w->dq);
		return true;
	}
}
