/* SPDX-License-Identifier: MIT
 *
 * parallel: replacement strings with groups in their names: those of --rpl, and of --plus, such as
 * {%.gz} and {:2:3}. What the groups match stands in the code where it says $$1, $$2.
 */
#include "builtins/parallel/parallel.h"

#include "base/regex.h"

enum { GROUPS_MAX = 9 };

/* Of --plus, in the order in which they are tried. \1 stands between parts of s///. */
static const struct {
	const char *tag;
	const char *code;
} plus[] = {
	{ "\\{:-([^}]+?)\\}", "s\1^$\1$$1\1" },
	{ "\\{:(\\d+?)\\}", "s\1^(?s:.{0,$$1})\1\1" },
	{ "\\{:(\\d+?):(\\d+?)\\}", "s\1^(?s:.{0,$$1})((?s:.{0,$$2}))(?s:.*)\1$1\1" },
	{ "\\{##([^}]+?)\\}", "s\1^$$1\1\1" },
	{ "\\{#([^#}][^}]*?)\\}", "s\1^(?U:$$1)\1\1" },
	{ "\\{%%([^}]+?)\\}", "s\1$$1$\1\1" },
	{ "\\{%([^}]+?)\\}", "s\1^((?s:.*))(?:$$1)$\1$1\1" },
	{ "\\{//([^}]+?)/([^}]*?)\\}", "s\1$$1\1$$2\1g" },
	{ "\\{/([^}]+?)/([^}]*?)\\}", "s\1$$1\1$$2\1" },
	{ "\\{\\^\\^([^}]+?)\\}", "s\1($$1)\1\\U$1\1g" },
	{ "\\{\\^([^}]+?)\\}", "s\1^($$1)\1\\U$1\1" },
	{ "\\{,,([^}]+?)\\}", "s\1($$1)\1\\L$1\1g" },
	{ "\\{,([^},][^}]*?)\\}", "s\1^($$1)\1\\L$1\1" },
};

struct regex *dynamic_compile(struct cmd *c, struct bytes tag, const char **message)
{
	struct buf text = buf_in(c->arena);
	struct regex *re;

	/* The braces of a tag are themselves. */
	buf_puts(&text, "\\A(?:");
	for (size_t i = 0; i < tag.len; i++) {
		bool brace = (i == 0 && tag.ptr[i] == '{') ||
			     (i + 1 == tag.len && tag.ptr[i] == '}');

		if (brace)
			buf_putc(&text, '\\');
		buf_putc(&text, tag.ptr[i]);
	}
	buf_putc(&text, ')');
	if (regex_compile(c->arena, buf_bytes(&text), REGEX_PERL, &re, message, NULL) < 0)
		return NULL;
	regex_set_work(re, cmd_work, c);
	return re;
}

/* The code with what was matched in the places of $$1 and so on. */
static struct bytes fill(struct cmd *c, struct bytes code, struct bytes text,
			 const struct regex_span *span)
{
	struct buf out = buf_in(c->arena);

	for (size_t i = 0; i < code.len; i++) {
		if (i + 2 >= code.len || code.ptr[i] != '$' || code.ptr[i + 1] != '$' ||
		    !byte_is_digit(code.ptr[i + 2]) || code.ptr[i + 2] == '0') {
			buf_putc(&out, code.ptr[i]);
			continue;
		}
		const struct regex_span *s = &span[code.ptr[i + 2] - '0'];

		if (s->from != SIZE_MAX)
			buf_add(&out, bytes_slice(text, s->from, s->to));
		i += 2;
	}
	return buf_bytes(&out);
}

struct edit *dynamic_match(struct cmd *c, struct regex *re, struct bytes code, struct bytes s,
			   size_t *len)
{
	struct regex_span span[GROUPS_MAX + 1];
	const char *message;

	if (regex_search(re, s, 0, 0, span, GROUPS_MAX + 1) != 0 || span[0].to == 0)
		return NULL;
	*len = span[0].to;
	struct edit *e = edit_compile(c, fill(c, code, s, span), false, &message);

	if (e == NULL)
		cmd_fatal_status(c, ERROR_STATUS, 0, "Error: %.*s: %s", (int)*len, s.ptr, message);
	return e;
}

struct edit *dynamic_plus(struct cmd *c, struct regex **cache, struct bytes s, size_t *len)
{
	const char *message;

	if (s.len < 4 || s.ptr[0] != '{' || memchr(":#%/^,", s.ptr[1], 6) == NULL)
		return NULL;
	for (size_t i = 0; i < DYNAMIC_PLUS; i++) {
		if (cache[i] == NULL) {
			struct buf text = buf_in(c->arena);

			buf_printf(&text, "\\A%s", plus[i].tag);
			if (regex_compile(c->arena, buf_bytes(&text), REGEX_PERL, &cache[i],
					  &message, NULL) < 0)
				return NULL;
			regex_set_work(cache[i], cmd_work, c);
		}
		struct edit *e = dynamic_match(c, cache[i], bytes_of(plus[i].code), s, len);

		if (e != NULL)
			return e;
	}
	return NULL;
}

_Static_assert(sizeof plus / sizeof plus[0] == DYNAMIC_PLUS, "a place in the cache for each");
