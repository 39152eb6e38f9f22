/* SPDX-License-Identifier: MIT
 *
 * rg's patterns compiled: plain text, Rust's syntax (pattern.c) or Perl's, all of them as one.
 */
#include "builtins/rg/rg.h"

/* What lines end in can't be matched, but with -U. */
const char *rg_refusal(struct rg *g, uint32_t code)
{
	struct buf text = buf_in(g->c->arena);
	bool crlf = g->ends == RG_ENDS_CRLF;
	bool ends = g->ends == RG_ENDS_NUL ? code == 0 : code == '\n' || (code == '\r' && crlf);

	if (!ends || g->multiline)
		return NULL;
	buf_printf(
		&text,
		"the literal '\"\\%c\"' is not allowed in a regex\n\nConsider enabling multiline "
		"mode with the --multiline flag (or -U for short).\nWhen multiline mode is "
		"enabled, new line characters can be matched.",
		code == 0      ? '0'
		: code == '\r' ? 'r'
			       : 'n');
	return buf_cstr(&text);
}

static bool has_upper(struct bytes s, bool *any)
{
	for (size_t i = 0; i < s.len; i++) {
		*any = true;
		if (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')
			return true;
	}
	return false;
}

static bool is_caseless(const struct rg *g, bool any, bool upper)
{
	return g->letters == RG_CASE_IGNORE || (g->letters == RG_CASE_SMART && any && !upper);
}

static const char *compile_fixed(struct rg *g, unsigned flags)
{
	bool any = false;
	bool upper = false;
	const char *message;

	for (size_t i = 0; i < g->npatterns; i++) {
		upper |= has_upper(g->pattern[i], &any);
		for (size_t k = 0; k < g->pattern[i].len; k++)
			if (rg_refusal(g, (unsigned char)g->pattern[i].ptr[k]) != NULL)
				return rg_refusal(g, (unsigned char)g->pattern[i].ptr[k]);
	}
	if (is_caseless(g, any, upper))
		flags |= REGEX_ICASE;
	if (regex_compile_set(g->c->arena, g->pattern, g->npatterns, REGEX_FIXED | flags, &g->re,
			      &message) != 0)
		return message;
	return NULL;
}

static struct bytes join(struct rg *g)
{
	struct buf text = buf_in(g->c->arena);

	for (size_t i = 0; i < g->npatterns; i++) {
		if (i > 0)
			buf_putc(&text, '|');
		buf_add(&text, g->pattern[i]);
	}
	return buf_bytes(&text);
}

/* Plain text as patterns of Rust's syntax, for what the engine's own plain text does not know:
 * lines that end in CR LF. */
static void escape_patterns(struct rg *g)
{
	for (size_t i = 0; i < g->npatterns; i++) {
		struct buf out = buf_in(g->c->arena);

		for (size_t k = 0; k < g->pattern[i].len; k++) {
			char ch = g->pattern[i].ptr[k];

			if (byte_is_punct(ch))
				buf_putc(&out, '\\');
			buf_putc(&out, ch);
		}
		g->pattern[i] = buf_bytes(&out);
	}
}

/* --crlf in Perl's syntax: '.' stops before a CR, '$' matches before one. */
static struct bytes with_crlf(struct rg *g, struct bytes p)
{
	struct buf out = buf_in(g->c->arena);
	bool in_class = false;

	for (size_t i = 0; i < p.len; i++) {
		char ch = p.ptr[i];

		if (ch == '\\' && i + 1 < p.len) {
			buf_putc(&out, ch);
			ch = p.ptr[++i];
		} else if (!in_class && ch == '.') {
			buf_puts(&out, "[^\\r\\n]");
			continue;
		} else if (!in_class && ch == '$') {
			buf_puts(&out, "(?=\\r?$)");
			continue;
		} else {
			in_class = in_class ? ch != ']' : ch == '[';
		}
		buf_putc(&out, ch);
	}
	return buf_bytes(&out);
}

/* Compiles what is written for the engine. NULL, or what is wrong. */
static const char *compile_perl(struct rg *g, struct rg_pattern *p, unsigned flags,
				const char *failure)
{
	struct buf text = buf_in(g->c->arena);
	const char *message;
	size_t offset;

	if (is_caseless(g, p->literal, p->upper))
		flags |= REGEX_ICASE;
	buf_puts(&text, g->multiline ? "(?m)" : "");
	/* -x stands around the pattern where a line's end is not the engine's. */
	if (g->lines && g->ends == RG_ENDS_CRLF)
		buf_printf(&text, "^(?:%s)(?:\\r?$)", buf_cstr(&p->text));
	else
		buf_puts(&text, buf_cstr(&p->text));
	flags |= REGEX_PERL | (g->no_unicode ? 0 : (unsigned)REGEX_UCP);
	if (regex_compile(g->c->arena, buf_bytes(&text), flags, &g->re, &message, &offset) == 0)
		return NULL;
	struct buf error = buf_in(g->c->arena);

	buf_printf(&error, "%s%d: %s", failure, (int)offset, message);
	return buf_cstr(&error);
}

static const char *compile_rust(struct rg *g, unsigned flags)
{
	struct rg_pattern p;
	const char *error = rg_translate(g, join(g), &p);

	return error != NULL ? error : compile_perl(g, &p, flags, "regex error at ");
}

static const char *compile_pcre(struct rg *g, unsigned flags)
{
	struct rg_pattern p = { .text = buf_in(g->c->arena) };
	struct bytes text = join(g);

	buf_add(&p.text, g->ends == RG_ENDS_CRLF ? with_crlf(g, text) : text);
	p.upper = has_upper(text, &p.literal);
	return compile_perl(g, &p, flags, "PCRE2: error compiling pattern at offset ");
}

/* --engine auto: neither takes the pattern. */
static int fail_both(struct rg *g, const char *rust, const char *pcre)
{
	static const char line[] =
		"~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~";
	const char *hint = strstr(rust, "\n\nConsider enabling PCRE2");
	int len = hint != NULL ? (int)(hint - rust) : (int)strlen(rust);

	return rg_fail(g,
		       "regex could not be compiled with either the default regex engine or with "
		       "PCRE2.\n\ndefault regex engine error:\n%s\n%.*s\n%s\n\nPCRE2 regex "
		       "engine error:\n%s",
		       line, len, rust, line, pcre);
}

int rg_compile(struct rg *g)
{
	bool crlf_lines = g->lines && g->ends == RG_ENDS_CRLF;
	unsigned flags = REGEX_UTF8 | (g->words ? (unsigned)REGEX_WORD : 0) |
			 (g->lines && !crlf_lines ? (unsigned)REGEX_LINE : 0) |
			 (g->multiline ? 0 : (unsigned)REGEX_NEWLINE) |
			 (g->ends == RG_ENDS_NUL ? (unsigned)REGEX_NULDATA : 0) |
			 (g->dotall && g->multiline ? (unsigned)REGEX_DOTALL : 0);
	const char *error;

	g->nothing = g->npatterns == 0;
	if (g->nothing)
		return 0;
	if (g->syntax == RG_FIXED && crlf_lines) {
		escape_patterns(g);
		g->syntax = RG_RUST;
	}
	error = g->syntax == RG_FIXED  ? compile_fixed(g, flags)
		: g->syntax == RG_PCRE ? compile_pcre(g, flags)
				       : compile_rust(g, flags);
	if (error != NULL && g->syntax == RG_RUST && g->hybrid) {
		const char *other = compile_pcre(g, flags);

		if (other != NULL)
			return fail_both(g, error, other);
		error = NULL;
	}
	if (error != NULL)
		return rg_fail(g, "%s", error);
	regex_set_work(g->re, cmd_work, g->c);
	return 0;
}
