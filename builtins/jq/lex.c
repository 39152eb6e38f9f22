/* SPDX-License-Identifier: MIT
 *
 * Words of jq programs. Strings are read by the parser, for there are programs in them.
 */
#include "builtins/jq/lex.h"

static const char *const keywords[] = {
	"def", "if",    "then",  "elif",   "else",    "end", "as", "reduce",  "foreach",
	"try", "catch", "label", "import", "include", "and", "or", "__loc__", NULL,
};

/* The longest first. */
static const char *const operators[] = {
	"?//=", "?//", "//=", "|=", "+=", "-=", "*=", "/=",
	"%=",   "==",  "!=",  "<=", ">=", "//", "..", NULL,
};

static size_t skip_comment(struct bytes s, size_t at)
{
	/* A backslash before the newline continues it; two are none. */
	while (at < s.len && s.ptr[at] != '\n') {
		if (s.ptr[at] == '\\' && at + 1 < s.len) {
			if (s.ptr[at + 1] == '\r' && at + 2 < s.len && s.ptr[at + 2] == '\n')
				at++;
			at++;
		}
		at++;
	}
	return at < s.len ? at : s.len;
}

static size_t skip_space(struct bytes s, size_t at)
{
	while (at < s.len) {
		if (s.ptr[at] == '#')
			at = skip_comment(s, at + 1);
		else if (s.ptr[at] == ' ' || s.ptr[at] == '\t' || s.ptr[at] == '\n' ||
			 s.ptr[at] == '\r')
			at++;
		else
			break;
	}
	return at;
}

static char peek(struct bytes s, size_t at)
{
	return at < s.len ? s.ptr[at] : '\0';
}

static size_t word_end(struct bytes s, size_t at)
{
	while (byte_is_name(peek(s, at)))
		at++;
	return at;
}

static bool is_word_start(char ch)
{
	return byte_is_name(ch) && !byte_is_digit(ch);
}

/* name, name::name... */
static size_t qualified_end(struct bytes s, size_t at)
{
	at = word_end(s, at);
	while (peek(s, at) == ':' && peek(s, at + 1) == ':' && is_word_start(peek(s, at + 2)))
		at = word_end(s, at + 2);
	return at;
}

static size_t number_end(struct bytes s, size_t at)
{
	size_t exp;

	while (byte_is_digit(peek(s, at)))
		at++;
	if (peek(s, at) == '.')
		at++;
	while (byte_is_digit(peek(s, at)))
		at++;
	if ((peek(s, at) | 0x20) != 'e')
		return at;
	exp = at + 1;
	if (peek(s, exp) == '+' || peek(s, exp) == '-')
		exp++;
	if (!byte_is_digit(peek(s, exp)))
		return at;
	while (byte_is_digit(peek(s, exp)))
		exp++;
	return exp;
}

static bool is_keyword(struct bytes word)
{
	for (const char *const *k = keywords; *k != NULL; k++)
		if (bytes_is(word, *k))
			return true;
	return false;
}

static size_t operator_end(struct bytes s, size_t at)
{
	struct bytes rest = bytes_slice(s, at, s.len);

	for (const char *const *op = operators; *op != NULL; op++)
		if (bytes_starts(rest, bytes_of(*op)) && strcmp(*op, "?//=") != 0)
			return at + strlen(*op);
	return at + 1;
}

static struct token make(struct lexer *l, enum token_kind kind, size_t from, size_t skip,
			 size_t end)
{
	l->at = end;
	return (struct token){ kind, (uint32_t)from, (uint32_t)end,
			       bytes_slice(l->s, from + skip, end) };
}

void jq_lex_open(struct lexer *l, char bracket)
{
	buf_putc(&l->nest, bracket);
}

/* Notes brackets; false: one that closes what is not open. */
static bool nest(struct lexer *l, char ch)
{
	static const char pairs[] = "()[]{}";
	const char *hit = ch != '\0' ? strchr(pairs, ch) : NULL;

	l->open = l->nest.len;
	if (hit == NULL)
		return true;
	if ((hit - pairs) % 2 == 0) {
		jq_lex_open(l, ch);
		return true;
	}
	if (l->nest.len == 0 || l->nest.ptr[l->nest.len - 1] != hit[-1])
		return false;
	l->nest.len--;
	return true;
}

struct token jq_lex(struct lexer *l)
{
	struct bytes s = l->s;
	size_t at = skip_space(s, l->at);
	char ch = peek(s, at);
	char next = peek(s, at + 1);

	if (at > l->at)
		l->last = (uint32_t)l->at;
	if (at >= s.len) {
		struct token end = make(l, T_END, s.len, 0, s.len);

		end.at = l->last;
		return end;
	}
	/* The end is said to be where the last word began, or the white space behind it. */
	l->last = (uint32_t)at;
	if (!nest(l, ch))
		return make(l, T_BAD, at, 0, at + 1);
	if (byte_is_digit(ch) || (ch == '.' && byte_is_digit(next)))
		return make(l, T_NUMBER, at, 0, number_end(s, at));
	if (ch == '.' && is_word_start(next))
		return make(l, T_FIELD, at, 1, word_end(s, at + 1));
	if (ch == '$' && is_word_start(next))
		return make(l, T_BINDING, at, 1, qualified_end(s, at + 1));
	if (ch == '@' && byte_is_name(next))
		return make(l, T_FORMAT, at, 0, word_end(s, at + 1));
	if (ch == '"')
		return make(l, T_QUOTE, at, 0, at + 1);
	if (is_word_start(ch)) {
		size_t end = qualified_end(s, at);
		bool keyword = is_keyword(bytes_slice(s, at, end));

		return make(l, keyword ? T_KEYWORD : T_IDENT, at, 0, end);
	}
	if (ch != '\0' && strchr(".?=;,:|+-*/%$<>()[]{}!", ch) != NULL) {
		size_t end = operator_end(s, at);

		if (ch == '!' && end == at + 1)
			return make(l, T_BAD, at, 0, end);
		return make(l, T_OP, at, 0, end);
	}
	return make(l, T_BAD, at, 0, at + 1);
}
