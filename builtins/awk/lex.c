/* SPDX-License-Identifier: MIT
 *
 * awk's tokens. Whether a '/' divides or begins a regular expression is known to the parser
 * only: it asks for the latter.
 */
#include "builtins/awk/parse.h"

struct word {
	const char *name;
	int token;
	bool gnu;
};

static const struct word words[] = {
	{ "BEGIN", T_BEGIN, false },
	{ "END", T_END, false },
	{ "BEGINFILE", T_BEGINFILE, true },
	{ "ENDFILE", T_ENDFILE, true },
	{ "function", T_FUNCTION, false },
	{ "func", T_FUNCTION, false },
	{ "if", T_IF, false },
	{ "else", T_ELSE, false },
	{ "while", T_WHILE, false },
	{ "for", T_FOR, false },
	{ "do", T_DO, false },
	{ "break", T_BREAK, false },
	{ "continue", T_CONTINUE, false },
	{ "switch", T_SWITCH, true },
	{ "case", T_CASE, true },
	{ "default", T_DEFAULT, true },
	{ "next", T_NEXT, false },
	{ "nextfile", T_NEXTFILE, false },
	{ "exit", T_EXIT, false },
	{ "return", T_RETURN, false },
	{ "delete", T_DELETE, false },
	{ "print", T_PRINT, false },
	{ "printf", T_PRINTF, false },
	{ "getline", T_GETLINE, false },
	{ "in", T_IN, false },
};

/* --- messages --- */

/* "awk: In file included from b.awk:2," and the lines of the files around it. */
static void put_includers(struct lex *l, struct buf *out)
{
	for (const struct lex *from = l->from; from != NULL; from = from->from) {
		if (from->file != NULL)
			buf_printf(out, "%s: %s from %s:%u%c\n", l->a->name,
				   from == l->from ? "In file included" : "                ",
				   from->file, from->line, from->from != NULL ? ',' : ':');
	}
}

static void put_place(struct lex *l, struct buf *out)
{
	buf_printf(out, "%s: ", l->a->name);
	if (l->file == NULL)
		buf_printf(out, "cmd. line:%u: ", l->line);
	else
		buf_printf(out, "%s:%u: ", l->file, l->line);
}

_Noreturn void awk_lex_error(struct lex *l, const char *format, ...)
{
	struct buf out = buf_in(l->arena);
	const char *end = memchr(l->text.ptr + l->line_start, '\n', l->text.len - l->line_start);
	size_t to = end != NULL ? (size_t)(end - l->text.ptr) : l->text.len;
	va_list args;

	put_includers(l, &out);
	put_place(l, &out);
	buf_add(&out, bytes_slice(l->text, l->line_start, to));
	buf_putc(&out, '\n');
	put_place(l, &out);
	for (size_t i = l->line_start; i < l->start && i < l->text.len; i++)
		buf_putc(&out, l->text.ptr[i] == '\t' ? '\t' : ' ');
	buf_puts(&out, "^ ");
	va_start(args, format);
	buf_vprintf(&out, format, args);
	va_end(args);
	buf_putc(&out, '\n');
	cmd_flush(l->a->c);
	cmd_err_write(l->a->c, out.ptr, out.len);
	cmd_exit(l->a->c, 1);
}

static void tell(struct lex *l, const char *kind, const char *format, va_list args)
{
	struct buf out = buf_in(l->arena);

	if (strcmp(kind, "warning: ") != 0)
		put_includers(l, &out);
	put_place(l, &out);
	buf_puts(&out, kind);
	buf_vprintf(&out, format, args);
	buf_putc(&out, '\n');
	cmd_flush(l->a->c);
	cmd_err_write(l->a->c, out.ptr, out.len);
}

static _Noreturn void refuse(struct lex *l, int status, const char *kind, const char *format,
			     va_list args)
{
	tell(l, kind, format, args);
	cmd_exit(l->a->c, status);
}

void awk_lex_warn(struct lex *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(l, "warning: ", format, args);
	va_end(args);
}

void awk_lex_complain(struct lex *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(l, "error: ", format, args);
	va_end(args);
	l->failed = true;
}

void awk_lex_complain_plainly(struct lex *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(l, "", format, args);
	va_end(args);
	l->failed = true;
}

_Noreturn void awk_lex_refuse(struct lex *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse(l, 1, "error: ", format, args);
}

_Noreturn void awk_lex_place_error(struct lex *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse(l, 1, "", format, args);
}

_Noreturn void awk_lex_fatal(struct lex *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse(l, AWK_FATAL, "fatal: ", format, args);
}

/* The last line has a comment, which may have hidden what is missing. */
static _Noreturn void end_error(struct lex *l)
{
	struct buf out = buf_in(l->arena);

	put_includers(l, &out);
	put_place(l, &out);
	buf_puts(&out, "(END OF FILE)\n");
	put_place(l, &out);
	for (size_t i = l->line_start; i < l->start; i++)
		buf_putc(&out, l->text.ptr[i] == '\t' ? '\t' : ' ');
	buf_puts(&out, "^ source files / command-line arguments must contain complete functions "
		       "or rules\n");
	cmd_err_write(l->a->c, out.ptr, out.len);
	cmd_exit(l->a->c, 1);
}

/* A file has ended. cut: without a newline, which counts as one line less. */
static _Noreturn void file_end_error(struct lex *l, bool cut)
{
	const char *last = bytes_rfind(l->text, BYTES("\n"));

	if (cut && l->token == T_EOF && l->line > 1)
		l->line--;
	l->line_start = !cut ? l->start : last != NULL ? (size_t)(last - l->text.ptr) + 1 : 0;
	if (cut)
		l->start = l->text.len - 1;
	end_error(l);
}

_Noreturn void awk_lex_unexpected(struct lex *l)
{
	if (l->token == T_EOF && l->commented)
		end_error(l);
	if (l->token == T_NEWLINE || l->token == T_EOF) {
		bool cut = l->text.len > 0 && !bytes_ends(l->text, BYTES("\n"));

		if (l->token == T_NEWLINE)
			l->line++;
		if (l->file != NULL && awk_lex_is_last(l) && (l->token == T_EOF || cut))
			file_end_error(l, cut);
		awk_lex_error(l, "unexpected newline or end of string");
	}
	awk_lex_error(l, "syntax error");
}

/* Once for each byte; `l` is NULL where no program is being read. */
static void warn_escape(struct awk *a, struct lex *l, char ch)
{
	if (a->escape_warned[(unsigned char)ch])
		return;
	a->escape_warned[(unsigned char)ch] = true;
	if (l == NULL) {
		awk_warn(a, "escape sequence `\\%c' treated as plain `%c'", ch, ch);
		return;
	}
	struct buf out = buf_in(l->arena);

	put_place(l, &out);
	buf_printf(&out, "warning: escape sequence `\\%c' treated as plain `%c'\n", ch, ch);
	cmd_err_write(l->a->c, out.ptr, out.len);
}

/* --- strings --- */

static const char escapes_from[] = "abfnrtv\\\"/";
static const char escapes_to[] = "\a\b\f\n\r\t\v\\\"/";

/* \ooo or \xHH; *at is behind the backslash. */
static bool put_number(struct buf *out, struct bytes s, size_t *at)
{
	unsigned value = 0;
	size_t n = 0;
	size_t from = *at;

	if (s.ptr[from] == 'x') {
		while (n < 2 && from + 1 + n < s.len && byte_is_xdigit(s.ptr[from + 1 + n]))
			value = value * 16 + (unsigned)byte_digit(s.ptr[from + 1 + n++]);
		if (n == 0)
			return false;
		n++;
	} else {
		while (n < 3 && from + n < s.len && s.ptr[from + n] >= '0' &&
		       s.ptr[from + n] <= '7')
			value = value * 8 + (unsigned)byte_digit(s.ptr[from + n++]);
		if (n == 0)
			return false;
	}
	buf_putc(out, (char)value);
	*at = from + n;
	return true;
}

/* \uHHHHHHHH */
static bool put_unicode(struct buf *out, struct bytes s, size_t *at)
{
	uint32_t value = 0;
	size_t n = 1;
	char text[4];

	while (n <= 8 && *at + n < s.len && byte_is_xdigit(s.ptr[*at + n]))
		value = value * 16 + (uint32_t)byte_digit(s.ptr[*at + n++]);
	size_t len = n > 1 ? utf8_encode(value, text) : 0;

	if (len == 0)
		return false;
	buf_put(out, text, len);
	*at += n;
	return true;
}

void awk_lex_unescape(struct awk *a, struct lex *l, struct buf *out, struct bytes s)
{
	for (size_t i = 0; i < s.len;) {
		if (s.ptr[i] != '\\' || i + 1 == s.len) {
			buf_putc(out, s.ptr[i++]);
			continue;
		}
		char ch = s.ptr[++i];
		const char *hit = memchr(escapes_from, ch, sizeof escapes_from - 1);

		if (ch == '\n') {
			i++;
		} else if (ch == '\r' && i + 1 < s.len && s.ptr[i + 1] == '\n') {
			i += 2;
		} else if (hit != NULL) {
			if (ch == '/')
				warn_escape(a, l, ch);
			buf_putc(out, escapes_to[hit - escapes_from]);
			i++;
		} else if (ch == 'x' && a->o->posix) {
			buf_putc(out, ch);
			i++;
		} else if (!put_number(out, s, &i) && !(ch == 'u' && put_unicode(out, s, &i))) {
			warn_escape(a, l, ch);
			buf_putc(out, ch);
			i++;
		}
	}
}

static void lex_string(struct lex *l)
{
	struct buf out = buf_in(l->arena);
	size_t from = l->at;

	for (;; l->at++) {
		if (l->at >= l->text.len || l->text.ptr[l->at] == '\n')
			awk_lex_error(l, "unterminated string");
		if (l->text.ptr[l->at] == '"')
			break;
		if (l->text.ptr[l->at] == '\\' && l->at + 1 < l->text.len) {
			l->at += bytes_starts(bytes_slice(l->text, l->at + 1, l->text.len),
					      BYTES("\r\n"))
					 ? 2
					 : 1;
			l->line += l->text.ptr[l->at] == '\n';
		}
	}
	awk_lex_unescape(l->a, l, &out, bytes_slice(l->text, from, l->at));
	l->at++;
	l->token = T_STRING;
	l->name = buf_bytes(&out);
}

/* Behind the newline at `at`, which may have a carriage return in front; 0: there is none. */
static size_t line_end(const struct lex *l, size_t at)
{
	at += at < l->text.len && l->text.ptr[at] == '\r';
	return at < l->text.len && l->text.ptr[at] == '\n' ? at + 1 : 0;
}

/* Takes backslashes and newlines behind them out of a pattern. */
static void join_lines(struct lex *l)
{
	struct buf out = buf_in(l->arena);
	struct bytes s = l->name;

	for (size_t i = 0; i < s.len; i++) {
		struct bytes rest = bytes_slice(s, i, s.len);

		if (bytes_starts(rest, BYTES("\\\n"))) {
			i++;
		} else if (bytes_starts(rest, BYTES("\\\r\n"))) {
			i += 2;
		} else {
			buf_putc(&out, s.ptr[i]);
			if (s.ptr[i] == '\\' && i + 1 < s.len)
				buf_putc(&out, s.ptr[++i]);
		}
	}
	l->name = buf_bytes(&out);
}

void awk_lex_regex(struct lex *l)
{
	bool in_set = false;
	size_t from = l->start + 1;
	size_t at = from;
	size_t set_at = 0;
	uint32_t lines = 0;

	for (;; at++) {
		char ch = at < l->text.len ? l->text.ptr[at] : '\n';

		if (ch == '\n') {
			l->start++;
			awk_lex_error(l, "unterminated regexp");
		}
		if (ch == '\\' && at + 1 < l->text.len) {
			size_t joined = line_end(l, at + 1);

			at = joined != 0 ? joined - 1 : at + 1;
			lines += joined != 0;
		} else if (in_set) {
			/* ']' first in a set, or behind its '^', is an ordinary character. */
			if (ch == '[' && at + 1 < l->text.len &&
			    strchr(":.=", l->text.ptr[at + 1]) != NULL) {
				char kind = l->text.ptr[at + 1];
				size_t end = at + 2;

				while (end + 1 < l->text.len && l->text.ptr[end] != '\n' &&
				       !(l->text.ptr[end] == kind && l->text.ptr[end + 1] == ']'))
					end++;
				if (end + 1 < l->text.len && l->text.ptr[end] == kind)
					at = end + 1;
			} else if (ch == ']' && at != set_at) {
				in_set = false;
			}
		} else if (ch == '[') {
			in_set = true;
			set_at = at + 1;
			if (set_at < l->text.len && l->text.ptr[set_at] == '^')
				set_at++;
		} else if (ch == '/') {
			break;
		}
	}
	l->name = bytes_slice(l->text, from, at);
	l->at = at + 1;
	if (lines != 0)
		join_lines(l);
	l->line += lines;
}

/* --- numbers and names --- */

static void lex_number(struct lex *l)
{
	struct bytes rest = bytes_slice(l->text, l->at, l->text.len);
	bool gnu = !l->a->o->traditional && !l->a->o->posix;
	uint64_t value = 0;
	size_t n = 0;

	l->token = T_NUMBER;
	if (gnu && rest.len > 2 && rest.ptr[0] == '0' && (rest.ptr[1] | 0x20) == 'x' &&
	    byte_is_xdigit(rest.ptr[2])) {
		double hex = 0;

		for (n = 2; n < rest.len && byte_is_xdigit(rest.ptr[n]); n++)
			hex = hex * 16 + byte_digit(rest.ptr[n]);
		l->num = hex;
		l->at += n;
		return;
	}
	while (n < rest.len && byte_is_digit(rest.ptr[n]))
		n++;
	bool octal = gnu && n > 1 && rest.ptr[0] == '0' &&
		     number_parse_u64(bytes_slice(rest, 0, n), 8, &value, NULL) == n &&
		     !(n < rest.len && (rest.ptr[n] == '.' || (rest.ptr[n] | 0x20) == 'e'));

	if (octal) {
		l->num = (double)value;
		l->at += n;
		return;
	}
	if (n < rest.len && rest.ptr[n] == '.')
		for (n++; n < rest.len && byte_is_digit(rest.ptr[n]); n++)
			;
	if (n < rest.len && (rest.ptr[n] | 0x20) == 'e') {
		size_t e = n + 1;

		if (e < rest.len && (rest.ptr[e] == '+' || rest.ptr[e] == '-'))
			e++;
		if (e < rest.len && byte_is_digit(rest.ptr[e]))
			for (n = e; n < rest.len && byte_is_digit(rest.ptr[n]); n++)
				;
	}
	number_parse_double(bytes_slice(rest, 0, n), &l->num, NULL);
	l->at += n;
}

static bool all_upper(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!byte_is_upper(s.ptr[i]))
			return false;
	return true;
}

/* In a namespace plain names get its name in front. */
static struct bytes qualify(struct lex *l, struct bytes name)
{
	struct buf out = buf_in(l->arena);

	if (l->space.len == 0 || bytes_find(name, BYTES("::")) != NULL || all_upper(name))
		return name;
	buf_add(&out, l->space);
	buf_puts(&out, "::");
	buf_add(&out, name);
	return buf_bytes(&out);
}

/* gawk's own functions give way to parameters of their names. */
static bool is_parameter(const struct lex *l, struct bytes name)
{
	for (int i = 0; l->fn != NULL && i < l->fn->nparams; i++)
		if (bytes_eq(l->fn->params[i], name))
			return true;
	return l->in_params;
}

/* A keyword or a function; gnu: those that only gawk has too. */
static bool is_reserved(struct bytes name, bool gnu)
{
	int fn = awk_fn_find(name);

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (bytes_is(name, words[i].name))
			return true;
	return fn >= 0 && (gnu || !awk_fn_rows[fn].gnu);
}

bool awk_lex_is_reserved(struct bytes name)
{
	return is_reserved(name, true);
}

/* Of "space::name" neither half may be a word of the language; false: there was an error. */
static bool check_qualified(struct lex *l, struct bytes name)
{
	size_t at = (size_t)(bytes_find(name, BYTES("::")) - name.ptr);
	struct bytes space = bytes_slice(name, 0, at);
	struct bytes second = bytes_slice(name, at + 2, name.len);

	if (bytes_find(second, BYTES("::")) != NULL)
		awk_lex_refuse(l,
			       "identifier `%.*s': namespace separator can only appear once in "
			       "a qualified name",
			       (int)name.len, name.ptr);
	if (awk_lex_is_reserved(space)) {
		awk_lex_complain(l,
				 "using reserved identifier `%.*s' as a namespace is not allowed",
				 (int)space.len, space.ptr);
	} else if (is_reserved(second, false)) {
		awk_lex_complain(l,
				 "using reserved identifier `%.*s' as second component of a "
				 "qualified name is not allowed",
				 (int)second.len, second.ptr);
	} else {
		return true;
	}
	return false;
}

static bool find_word(struct lex *l, struct bytes name)
{
	bool strict = l->a->o->traditional || l->a->o->posix;

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (!bytes_is(name, words[i].name) || (words[i].gnu && strict) ||
		    (l->a->o->posix && strcmp(words[i].name, "func") == 0))
			continue;
		l->token = words[i].token;
		return true;
	}
	int fn = awk_fn_find(name);

	if (fn < 0)
		fn = awk_library_function(l->a, name);
	if (fn < 0 || (awk_fn_rows[fn].gnu && (strict || is_parameter(l, name))))
		return false;
	l->token = T_BUILTIN;
	l->sub = fn;
	return true;
}

/* In a namespace, functions that only gawk has are no words: they are found as awk::gensub. */
static bool is_own_function(const struct lex *l, struct bytes name)
{
	int fn = l->space.len != 0 ? awk_fn_find(name) : -1;

	return fn >= 0 && awk_fn_rows[fn].gnu;
}

static void skip_space(struct lex *l);

static void lex_name(struct lex *l)
{
	size_t from = l->at;

	for (;;) {
		while (l->at < l->text.len && byte_is_name(l->text.ptr[l->at]))
			l->at++;
		if (l->at + 2 >= l->text.len || l->text.ptr[l->at] != ':' ||
		    l->text.ptr[l->at + 1] != ':' || !byte_is_name(l->text.ptr[l->at + 2]) ||
		    byte_is_digit(l->text.ptr[l->at + 2]))
			break;
		l->at += 2;
	}
	l->name = bytes_slice(l->text, from, l->at);
	if (bytes_find(l->name, BYTES("::")) != NULL && !check_qualified(l, l->name)) {
		if (l->at < l->text.len && l->text.ptr[l->at] == '(')
			cmd_exit(l->a->c, 1);
		skip_space(l);
		l->start = l->at;
		awk_lex_error(l, "syntax error");
	}
	if (bytes_starts(l->name, BYTES("awk::"))) {
		l->name = bytes_slice(l->name, 5, l->name.len);
		if (find_word(l, l->name))
			return;
	} else {
		if (!is_own_function(l, l->name) && find_word(l, l->name))
			return;
		l->name = qualify(l, l->name);
	}
	l->joined = l->at < l->text.len && l->text.ptr[l->at] == '(';
	l->token = l->joined ? T_FUNC_NAME : T_NAME;
}

/* @include, @load, @namespace; else '@'. */
static void lex_directive(struct lex *l)
{
	static const struct word list[] = {
		{ "include", T_INCLUDE, true },
		{ "load", T_LOAD, true },
		{ "namespace", T_NAMESPACE, true },
	};
	struct bytes rest = bytes_slice(l->text, l->at, l->text.len);

	l->token = '@';
	if (!awk_is_gnu(l->a))
		return;
	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(list[i].name);

		if (bytes_starts(rest, bytes_of(list[i].name)) &&
		    (rest.len == n || !byte_is_name(rest.ptr[n]))) {
			l->token = list[i].token;
			l->at += n;
		}
	}
}

/* --- operators --- */

struct operator
{
	char text[4];
	int token;
	int sub;
};

/* Longer ones first. */
static const struct operator operators[] = {
	{ "**=", T_ASSIGN, ARITH_POW },
	{ "&&", T_AND, 0 },
	{ "||", T_OR, 0 },
	{ "==", T_EQ, 0 },
	{ "!=", T_NE, 0 },
	{ "<=", T_LE, 0 },
	{ ">=", T_GE, 0 },
	{ "!~", T_NO_MATCH, 0 },
	{ "++", T_INCR, 0 },
	{ "--", T_DECR, 0 },
	{ ">>", T_APPEND, 0 },
	{ "**", T_POW, 0 },
	{ "|&", T_BOTH, 0 },
	{ "+=", T_ASSIGN, ARITH_ADD },
	{ "-=", T_ASSIGN, ARITH_SUB },
	{ "*=", T_ASSIGN, ARITH_MUL },
	{ "/=", T_ASSIGN, ARITH_DIV },
	{ "%=", T_ASSIGN, ARITH_MOD },
	{ "^=", T_ASSIGN, ARITH_POW },
	{ "^", T_POW, 0 },
};

static void lex_operator(struct lex *l)
{
	struct bytes rest = bytes_slice(l->text, l->at, l->text.len);

	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
		if (!bytes_starts(rest, bytes_of(operators[i].text)))
			continue;
		if ((operators[i].token == T_BOTH && !awk_is_gnu(l->a)) ||
		    (l->a->o->posix && bytes_starts(rest, BYTES("**"))))
			break;
		l->token = operators[i].token;
		l->sub = operators[i].sub;
		l->at += strlen(operators[i].text);
		return;
	}
	if ((unsigned char)rest.ptr[0] < ' ')
		awk_lex_fatal(l, "error: invalid character '\\%03o' in source code", rest.ptr[0]);
	if (rest.ptr[0] == '.')
		awk_lex_error(l, "syntax error");
	if (strchr("{}()[];,+-*/%!<>|?:~$=&", rest.ptr[0]) == NULL)
		awk_lex_error(l, "invalid char '%c' in expression", rest.ptr[0]);
	l->token = (unsigned char)rest.ptr[0];
	l->at++;
}

/* White space, comments, and lines joined by a backslash. */
/* The comment from there to here, for -o. */
static void keep_comment(struct lex *l, size_t from)
{
	struct comment *c = arena_zalloc(l->arena, sizeof *c);
	const struct comment *before = l->last_comment;
	size_t line = from;
	int breaks = 0;

	while (line > 0 && byte_is_blank(l->text.ptr[line - 1]))
		line--;
	*c = (struct comment){ .text = bytes_slice(l->text, from, l->at), .at = l->at };
	c->own_line = line == 0 || l->text.ptr[line - 1] == '\n';
	for (size_t i = before != NULL ? before->at : from; i < from && breaks >= 0; i++)
		breaks = l->text.ptr[i] == '\n'                         ? breaks + 1
			 : byte_is_space((unsigned char)l->text.ptr[i]) ? breaks
									: -1;
	c->gap = l->comments != NULL && breaks > 1 ? breaks - 1 : 0;
	if (l->comments == NULL)
		l->comments = c;
	else
		l->last_comment->next = c;
	l->last_comment = c;
}

static void skip_space(struct lex *l)
{
	while (l->at < l->text.len) {
		char ch = l->text.ptr[l->at];
		size_t next = l->at + 1;

		if (ch == '#') {
			size_t from = l->at;

			l->start = l->at;
			l->commented = true;
			while (l->at < l->text.len && l->text.ptr[l->at] != '\n')
				l->at++;
			if (l->a->o->pretty != NULL && l->a->o->profile == NULL)
				keep_comment(l, from);
			return;
		}
		if (ch == '\\') {
			if (next < l->text.len && l->text.ptr[next] == '\r')
				next++;
			if (next >= l->text.len || l->text.ptr[next] != '\n')
				return;
			l->at = next + 1;
			l->line++;
			l->line_start = l->at;
		} else if (ch == ' ' || ch == '\t' || ch == '\r') {
			l->at++;
		} else {
			return;
		}
	}
}

/* The end is told behind a newline, which is made up where there is none. */
void awk_lex_next(struct lex *l)
{
	if (l->token == T_NEWLINE && awk_lex_is_last(l)) {
		l->token = T_EOF;
		return;
	}
	if (l->token == T_NEWLINE) {
		l->line++;
		l->line_start = l->at;
	}
	l->commented = false;
	l->marked = false;
	skip_space(l);
	if (!l->commented)
		l->start = l->at;
	if (awk_lex_is_last(l)) {
		l->token = T_NEWLINE;
		return;
	}
	char ch = l->text.ptr[l->at];
	bool dot = ch == '.' && l->at + 1 < l->text.len && byte_is_digit(l->text.ptr[l->at + 1]);

	if (ch == '\\') {
		awk_lex_error(l, "backslash not last character on line");
	} else if (ch == '\n') {
		l->token = T_NEWLINE;
		l->at++;
	} else if (ch == '"') {
		l->at++;
		lex_string(l);
	} else if (awk_is_gnu(l->a) && ch == '_' && l->at + 1 < l->text.len &&
		   l->text.ptr[l->at + 1] == '"') {
		l->at += 2;
		lex_string(l);
		l->marked = true;
	} else if (byte_is_digit(ch) || dot) {
		lex_number(l);
	} else if (byte_is_name(ch)) {
		lex_name(l);
	} else if (ch == '@') {
		l->at++;
		lex_directive(l);
	} else {
		lex_operator(l);
	}
}
