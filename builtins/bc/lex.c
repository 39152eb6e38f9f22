/* SPDX-License-Identifier: MIT
 *
 * The tokens of bc.
 */
#include "builtins/bc/bc.h"

static const char *const words[WORDS] = {
	"auto",   "break", "continue", "define", "else",   "for",   "halt",     "history",
	"ibase",  "if",    "last",     "length", "limits", "obase", "print",    "quit",
	"random", "read",  "return",   "scale",  "sqrt",   "void",  "warranty", "while",
};

void bc_extension(struct bc *b, const char *format, ...)
{
	struct arena_mark mark = arena_mark(b->c->arena);
	struct buf text = buf_in(b->c->arena);
	bool bad = b->bad;
	va_list args;

	if (b->failed || (!b->posix && !b->warn))
		return;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	bc_error(b, "%s%s", b->posix ? "Error: " : "(Warning) ", buf_cstr(&text));
	if (!b->posix)
		b->bad = bad;
	arena_release(b->c->arena, mark);
}

void bc_no_compare(struct bc *b, const char *where)
{
	if (b->compares)
		bc_extension(b, "%s", where);
	b->compares = b->in_parens = false;
}

void bc_long_name(struct bc *b, struct bytes text)
{
	if (text.len > 1)
		bc_extension(b, "multiple letter name - %.*s", (int)text.len, text.ptr);
}

void bc_error(struct bc *b, const char *format, ...)
{
	struct arena_mark mark = arena_mark(b->c->arena);
	struct buf text = buf_in(b->c->arena);
	va_list args;

	buf_printf(&text, "%s %llu: ", b->source, (unsigned long long)b->line);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	cmd_flush(b->c);
	cmd_err_write(b->c, text.ptr, text.len);
	arena_release(b->c->arena, mark);
	b->bad = true;
}

/* What can't be read is skipped; the line is not run. */
static void bad_char(struct bc *b, int ch)
{
	if (ch == '"' || byte_is_print(ch))
		bc_error(b, "illegal character: %c", ch);
	else
		bc_error(b, "illegal character: \\%03o", (unsigned)ch);
}

static struct input *standard_input(struct bc *b)
{
	if (!b->has_standard)
		input_open(&b->standard, b->c, "-");
	b->has_standard = true;
	return &b->standard;
}

/* Opens the next file, standard input behind the last. False: there is none. */
static bool next_source(struct bc *b)
{
	struct cmd *c = b->c;

	b->line = 1;
	if (b->next_file > c->nargs)
		return false;
	const char *name = b->next_file < c->nargs ? c->args[b->next_file] : NULL;
	int err = name != NULL ? input_open(&b->file, c, name) : 0;

	if (err < 0) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "File %s is unavailable.\n", name);
		cmd_flush(c);
		cmd_err_write(c, text.ptr, text.len);
		cmd_exit(c, 1);
	}
	b->source = name != NULL ? name : "(standard_in)";
	b->in = name != NULL ? &b->file : standard_input(b);
	b->next_file++;
	return true;
}

static int read_byte(struct bc *b, struct input *in)
{
	if (in->from == in->to)
		cmd_flush(b->c);
	return input_byte(in);
}

int bc_read_byte(struct bc *b)
{
	int ch = read_byte(b, standard_input(b));

	b->line += ch == '\n' && b->in == &b->standard;
	return ch;
}

/* The next byte of the program; -1 at the end. Between files there is a blank. */
static int bc_byte(struct bc *b)
{
	if (b->in == NULL && !next_source(b))
		return -1;
	int ch = read_byte(b, b->in);

	if (ch >= 0) {
		b->line += ch == '\n';
		return ch;
	}
	if (b->in == &b->file)
		input_close(b->in);
	b->in = NULL;
	return b->next_file <= b->c->nargs ? ' ' : next_source(b) ? ' ' : -1;
}

static void unread(struct bc *b, int ch)
{
	/* What stands between files can't be given back, and need not. */
	if (ch < 0 || b->in == NULL)
		return;
	input_unbyte(b->in);
	b->line -= ch == '\n';
}

/* The next byte if it is `want`. */
static bool take(struct bc *b, int want)
{
	int ch = bc_byte(b);

	if (ch == want)
		return true;
	unread(b, ch);
	return false;
}

static void skip_comment(struct bc *b)
{
	int last = 0;

	for (int ch; (ch = bc_byte(b)) >= 0; last = ch) {
		if (last == '*' && ch == '/')
			return;
		cmd_charge(b->c, 1);
	}
	bc_error(b, "EOF encountered in a comment.");
}

/* The first byte that is neither blank nor comment; -1. */
static int skip_blanks(struct bc *b)
{
	for (;;) {
		int ch = bc_byte(b);

		if (ch == '#' && !b->posix) {
			while ((ch = bc_byte(b)) >= 0 && ch != '\n')
				cmd_charge(b->c, 1);
			return ch;
		}
		if (ch == '/' && take(b, '*')) {
			skip_comment(b);
			continue;
		}
		if (ch == '\\' && take(b, '\n'))
			continue;
		if (ch != ' ' && ch != '\t')
			return ch;
		cmd_charge(b->c, 1);
	}
}

static void read_number(struct bc *b, int ch)
{
	bool point = false;

	for (;; ch = bc_byte(b)) {
		if (ch == '\\') {
			if (take(b, '\n'))
				continue;
			break;
		}
		if (ch == '.' && !point)
			point = true;
		else if (!byte_is_digit(ch) && !byte_is_upper(ch))
			break;
		buf_putc(&b->text, (char)ch);
		cmd_charge(b->c, 1);
	}
	unread(b, ch);
	b->token = TOKEN_NUMBER;
	/* A point alone is the last value. */
	if (b->text.len == 1 && b->text.ptr[0] == '.') {
		b->token = TOKEN_WORD;
		b->word = WORD_LAST;
	}
}

static void read_name(struct bc *b, int ch)
{
	for (; byte_is_lower(ch) || byte_is_digit(ch) || ch == '_'; ch = bc_byte(b)) {
		buf_putc(&b->text, (char)ch);
		cmd_charge(b->c, 1);
	}
	unread(b, ch);
	b->token = TOKEN_NAME;
	for (int i = 0; i < WORDS; i++)
		if (bytes_is(buf_bytes(&b->text), words[i])) {
			b->token = TOKEN_WORD;
			b->word = (enum word)i;
		}
}

static void read_string(struct bc *b)
{
	int ch;

	b->token = TOKEN_STRING;
	while ((ch = bc_byte(b)) >= 0 && ch != '"') {
		buf_putc(&b->text, (char)ch);
		cmd_charge(b->c, 1);
	}
	if (ch < 0) {
		bad_char(b, '"');
		b->token = TOKEN_END;
	}
}

static void set_char(struct bc *b, enum token token, int ch)
{
	b->token = token;
	b->ch = ch;
}

static void read_operator(struct bc *b, int ch)
{
	set_char(b, TOKEN_CHAR, ch);
	switch (ch) {
	case '=':
		if (take(b, '='))
			set_char(b, TOKEN_COMPARE, COMPARE_EQ);
		else
			set_char(b, TOKEN_ASSIGN, '=');
		return;
	case '!':
		if (take(b, '='))
			set_char(b, TOKEN_COMPARE, COMPARE_NE);
		return;
	case '<': set_char(b, TOKEN_COMPARE, take(b, '=') ? COMPARE_LE : COMPARE_LT); return;
	case '>': set_char(b, TOKEN_COMPARE, take(b, '=') ? COMPARE_GE : COMPARE_GT); return;
	case '&':
		if (take(b, '&'))
			b->token = TOKEN_AND;
		return;
	case '|':
		if (take(b, '|')) {
			b->token = TOKEN_OR;
			return;
		}
		break;
	case '+':
	case '-':
		if (take(b, ch)) {
			b->token = TOKEN_STEP;
			return;
		}
		if (take(b, '='))
			b->token = TOKEN_ASSIGN;
		return;
	case '*':
	case '/':
	case '%':
	case '^':
		if (take(b, '='))
			b->token = TOKEN_ASSIGN;
		return;
	case '(':
	case ')':
	case '[':
	case ']':
	case '{':
	case '}':
	case ',':
	case ';': return;
	default: break;
	}
	bad_char(b, ch);
	bc_next(b);
}

void bc_next(struct bc *b)
{
	int ch = skip_blanks(b);

	b->text.len = 0;
	cmd_charge(b->c, 1);
	if (ch < 0)
		b->token = TOKEN_END;
	else if (ch == '\n')
		b->token = TOKEN_NEWLINE;
	else if (byte_is_digit(ch) || byte_is_upper(ch) || ch == '.')
		read_number(b, ch);
	else if (byte_is_lower(ch))
		read_name(b, ch);
	else if (ch == '"')
		read_string(b);
	else
		read_operator(b, ch);
}
