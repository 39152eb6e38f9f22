/* SPDX-License-Identifier: MIT
 *
 * Expressions of Perl: read by precedence climbing into a tree. What is not known is an error when
 * it is read.
 */
#include "builtins/edit_expr.h"

#include "base/number.h"

enum { DEPTH_MAX = 60, NODES_MAX = 10000, SUM_LEVEL = 6, LOWEST_LEVEL = 2 };

struct reader {
	struct cmd *c;
	struct perl_vars *vars;
	struct bytes code;
	size_t at;
	int depth;
	size_t nodes;
	const char *error;
};

struct perl_vars *perl_vars_new(struct cmd *c, bool strict)
{
	struct perl_vars *v = arena_zalloc(c->arena, sizeof *v);

	v->c = c;
	v->strict = strict;
	return v;
}

/* --- reading --- */

static struct perl_expr *read_assign(struct reader *r);
static struct perl_expr *read_low(struct reader *r);

static struct perl_expr *fail(struct reader *r, const char *format, struct bytes what)
{
	struct buf text = buf_in(r->c->arena);

	if (r->error == NULL) {
		buf_printf(&text, format, (int)(what.len < 100 ? what.len : 100), what.ptr);
		r->error = buf_cstr(&text);
	}
	return NULL;
}

static struct perl_expr *not_supported(struct reader *r)
{
	return fail(r, "not supported: %.*s", bytes_slice(r->code, r->at, r->code.len));
}

static struct perl_expr *node(struct reader *r, enum node_kind kind)
{
	struct perl_expr *e = arena_zalloc(r->c->arena, sizeof *e);

	e->kind = kind;
	if (r->nodes++ > NODES_MAX)
		(void)fail(r, "the code is too long: %.*s", r->code);
	return e;
}

/* A NULL kid could not be read. Trees are not deep: they are walked by recursion. */
static void add_kid(struct reader *r, struct perl_expr *e, struct perl_expr *kid)
{
	struct perl_expr **link = &e->kid;

	if (kid == NULL)
		return;
	while (*link != NULL)
		link = &(*link)->next;
	*link = kid;
	e->depth = kid->depth >= e->depth ? kid->depth + 1 : e->depth;
	if (e->depth > DEPTH_MAX)
		(void)fail(r, "the code nests too deep: %.*s", r->code);
}

static void skip_space(struct reader *r)
{
	while (r->at < r->code.len && byte_is_space((unsigned char)r->code.ptr[r->at]))
		r->at++;
}

static int peek(const struct reader *r)
{
	return r->at < r->code.len ? (unsigned char)r->code.ptr[r->at] : -1;
}

static bool starts(const struct reader *r, const char *text)
{
	return bytes_starts(bytes_slice(r->code, r->at, r->code.len), bytes_of(text));
}

/* Takes an operator, with the blanks in front of it. */
static bool take(struct reader *r, const char *text)
{
	size_t from = r->at;

	skip_space(r);
	size_t end = r->at + strlen(text);
	bool word = byte_is_alpha(text[0]);

	if (!starts(r, text) || (word && end < r->code.len && byte_is_name(r->code.ptr[end]))) {
		r->at = from;
		return false;
	}
	r->at = end;
	return true;
}

static struct bytes take_name(struct reader *r)
{
	size_t from = r->at;

	while (peek(r) >= 0 && byte_is_name(peek(r)))
		r->at++;
	return bytes_slice(r->code, from, r->at);
}

static struct variable *find_variable(struct reader *r, struct bytes name, bool declare)
{
	struct variable *v = r->vars->first;

	while (v != NULL && !bytes_eq(v->name, name))
		v = v->next;
	if (v == NULL && (declare || !r->vars->strict)) {
		v = arena_zalloc(r->vars->c->arena, sizeof *v);
		v->name = arena_bytes(r->vars->c->arena, name);
		v->next = r->vars->first;
		r->vars->first = v;
	}
	if (v == NULL) {
		struct buf text = buf_in(r->c->arena);

		buf_printf(&text,
			   "Global symbol \"$%.*s\" requires explicit package name (did you "
			   "forget to declare \"my $%.*s\"?)",
			   (int)name.len, name.ptr, (int)name.len, name.ptr);
		r->error = r->error != NULL ? r->error : buf_cstr(&text);
	}
	return v;
}

/* $_ $1 $& $name ${name}, behind the dollar. */
static struct perl_expr *read_variable(struct reader *r)
{
	bool braces = peek(r) == '{';
	struct perl_expr *e;

	r->at += braces;
	if (peek(r) == '&') {
		r->at++;
		return node(r, NODE_GROUP);
	}
	struct bytes name = take_name(r);

	if (braces && peek(r) != '}')
		return not_supported(r);
	r->at += braces;
	if (name.len == 0 || peek(r) == '[' || peek(r) == '{')
		return not_supported(r);
	if (bytes_is(name, "_"))
		return node(r, NODE_TOPIC);
	e = node(r, byte_is_digit(name.ptr[0]) ? NODE_GROUP : NODE_VAR);
	for (size_t i = 0; e->kind == NODE_GROUP && i < name.len; i++) {
		if (!byte_is_digit(name.ptr[i]) || e->group > EXPR_GROUPS)
			return not_supported(r);
		e->group = e->group * 10 + (unsigned)byte_digit(name.ptr[i]);
	}
	if (e->kind == NODE_VAR)
		e->var = find_variable(r, name, false);
	return e;
}

static char escaped(char ch)
{
	static const char names[] = "ntrae0";
	static const char values[] = "\n\t\r\a\033";
	const char *hit = ch != '\0' ? strchr(names, ch) : NULL;

	return hit != NULL ? values[hit - names] : ch;
}

/* The byte of \x41, at the x; its last character is left. */
static char take_hex(struct reader *r)
{
	int value = 0;

	for (int i = 0; i < 2 && r->at + 1 < r->code.len &&
			byte_is_xdigit((unsigned char)r->code.ptr[r->at + 1]);
	     i++)
		value = value * 16 + byte_digit(r->code.ptr[++r->at]);
	return (char)value;
}

/* A text up to `end`; in double quotes variables have their values. */
static struct perl_expr *read_quoted(struct reader *r, char end, bool expands)
{
	struct perl_expr *all = node(r, NODE_JOIN);
	struct buf text = buf_in(r->c->arena);

	for (;; r->at++) {
		int ch = peek(r);

		if (ch < 0)
			return fail(r, "Can't find string terminator: %.*s", r->code);
		bool variable = expands && (ch == '$' || ch == '@') && r->at + 1 < r->code.len &&
				(byte_is_name(r->code.ptr[r->at + 1]) ||
				 strchr("{&", r->code.ptr[r->at + 1]) != NULL);

		if (ch == end || variable) {
			struct perl_expr *piece = node(r, NODE_TEXT);

			piece->text = buf_bytes(&text);
			text = buf_in(r->c->arena);
			add_kid(r, all, piece);
		}
		if (ch == end) {
			r->at++;
			return all;
		}
		if (variable && ch == '@')
			return not_supported(r);
		if (variable) {
			r->at++;
			struct perl_expr *v = read_variable(r);

			if (v == NULL)
				return NULL;
			add_kid(r, all, v);
			r->at--;
		} else if (ch == '\\' && r->at + 1 < r->code.len) {
			char next = r->code.ptr[++r->at];

			if (expands && strchr("ULulQE", next) != NULL && next != '\0')
				return not_supported(r);
			if (expands && next == 'x') {
				buf_putc(&text, take_hex(r));
				continue;
			}
			if (!expands && next != end && next != '\\')
				buf_putc(&text, '\\');
			buf_putc(&text, expands ? escaped(next) : next);
		} else {
			buf_putc(&text, (char)ch);
		}
	}
}

static struct perl_expr *read_number(struct reader *r)
{
	struct perl_expr *e = node(r, NODE_NUMBER);
	enum real_status status;
	size_t n = number_parse_double(bytes_slice(r->code, r->at, r->code.len), &e->number,
				       &status);

	/* "1..3" and "1.$x" end in front of the point. */
	if (n == 0)
		return not_supported(r);
	if (r->code.ptr[r->at + n - 1] == '.')
		n--;
	r->at += n;
	return e;
}

/* /re/ with its letters, behind the first slash. */
static struct perl_expr *read_match(struct reader *r, char end)
{
	struct buf pattern = buf_in(r->c->arena);
	struct perl_expr *e = node(r, NODE_MATCH);
	unsigned flags = REGEX_PERL;
	const char *message;

	for (; peek(r) >= 0 && peek(r) != end; r->at++) {
		if (peek(r) == '\\' && r->at + 1 < r->code.len) {
			if (r->code.ptr[r->at + 1] != end)
				buf_putc(&pattern, '\\');
			r->at++;
		}
		buf_putc(&pattern, r->code.ptr[r->at]);
	}
	if (peek(r) != end)
		return fail(r, "Search pattern not terminated: %.*s", r->code);
	r->at++;
	struct bytes letters = take_name(r);

	for (size_t i = 0; i < letters.len; i++) {
		const char *hit = strchr("imsx", letters.ptr[i]);
		static const unsigned bits[] = { REGEX_ICASE, REGEX_NEWLINE, REGEX_DOTALL,
						 REGEX_EXTENDED };

		if (hit == NULL || letters.ptr[i] == '\0')
			return fail(r, "flags of m// are i m s x: %.*s", letters);
		flags |= bits[hit - "imsx"];
	}
	if (regex_compile(r->c->arena, buf_bytes(&pattern), flags, &e->re, &message, NULL) < 0)
		return fail(r, "%.*s", bytes_of(message));
	regex_set_work(e->re, cmd_work, r->c);
	return e;
}

static const struct {
	const char *name;
	enum function f;
	int min;
	int max; /* 1: binds as an operator does */
} functions[] = {
	{ "sprintf", F_SPRINTF, 1, 50 },
	{ "lc", F_LC, 0, 1 },
	{ "uc", F_UC, 0, 1 },
	{ "lcfirst", F_LCFIRST, 0, 1 },
	{ "ucfirst", F_UCFIRST, 0, 1 },
	{ "length", F_LENGTH, 0, 1 },
	{ "int", F_INT, 0, 1 },
	{ "abs", F_ABS, 0, 1 },
	{ "ord", F_ORD, 0, 1 },
	{ "chr", F_CHR, 0, 1 },
	{ "hex", F_HEX, 0, 1 },
	{ "oct", F_OCT, 0, 1 },
	{ "substr", F_SUBSTR, 2, 3 },
	{ "index", F_INDEX, 2, 3 },
	{ "rindex", F_RINDEX, 2, 3 },
	{ "join", F_JOIN, 1, 50 },
	{ "reverse", F_REVERSE, 0, 50 },
};

static struct perl_expr *read_binary(struct reader *r, int level);

/* Whether an operand may begin here. */
static bool has_operand(const struct reader *r)
{
	int ch = peek(r);

	return ch >= 0 && (byte_is_alnum(ch) || strchr("$\"'-+(!/", ch) != NULL) &&
	       !starts(r, "if ") && !starts(r, "unless ") && !starts(r, "x ") &&
	       !starts(r, "eq ") && !starts(r, "ne ");
}

static struct perl_expr *read_call(struct reader *r, size_t which)
{
	struct perl_expr *e = node(r, NODE_CALL);
	int n = 0;

	e->op = (int)functions[which].f;
	skip_space(r);
	bool list = take(r, "(");

	skip_space(r);
	if (functions[which].max == 1 && !list) {
		if (has_operand(r)) {
			add_kid(r, e, read_binary(r, SUM_LEVEL));
			n++;
		}
	} else if (peek(r) != ')' && has_operand(r)) {
		do {
			add_kid(r, e, read_assign(r));
			n++;
		} while (r->error == NULL && take(r, ","));
	}
	if (list && r->error == NULL && !take(r, ")"))
		return not_supported(r);
	if (r->error == NULL && (n < functions[which].min || n > functions[which].max))
		return fail(r, "wrong number of arguments: %.*s", bytes_of(functions[which].name));
	if (n == 0)
		add_kid(r, e, node(r, NODE_TOPIC));
	return e;
}

/* my $x, our $x */
static struct perl_expr *read_declaration(struct reader *r, bool fresh)
{
	struct perl_expr *e = node(r, fresh ? NODE_MY : NODE_VAR);

	if (!take(r, "$"))
		return not_supported(r);
	struct bytes name = take_name(r);

	if (name.len == 0 || byte_is_digit(name.ptr[0]))
		return not_supported(r);
	e->var = find_variable(r, name, true);
	return e;
}

static struct perl_expr *read_word(struct reader *r)
{
	size_t from = r->at;
	struct bytes word = take_name(r);
	int ch = peek(r);

	if (bytes_is(word, "my") || bytes_is(word, "our"))
		return read_declaration(r, word.ptr[0] == 'm');
	if ((bytes_is(word, "q") || bytes_is(word, "qq") || bytes_is(word, "m")) && ch >= 0 &&
	    strchr("/|!#~({[", ch) != NULL) {
		r->at++;
		ch = ch == '(' ? ')' : ch == '{' ? '}' : ch == '[' ? ']' : ch;
		return word.ptr[0] == 'm' ? read_match(r, (char)ch)
					  : read_quoted(r, (char)ch, word.len == 2);
	}
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (bytes_is(word, functions[i].name))
			return read_call(r, i);
	r->at = from;
	return not_supported(r);
}

static struct perl_expr *read_primary(struct reader *r)
{
	struct perl_expr *e;

	skip_space(r);
	int ch = peek(r);

	if (ch == '$' || ch == '"' || ch == '\'' || ch == '/' || ch == '(')
		r->at++;
	switch (ch) {
	case '$': return read_variable(r);
	case '"':
	case '\'': return read_quoted(r, (char)ch, ch == '"');
	case '/': return read_match(r, '/');
	case '(': e = read_low(r); return r->error == NULL && !take(r, ")") ? not_supported(r) : e;
	default: break;
	}
	if (ch >= 0 && byte_is_digit(ch))
		return read_number(r);
	return ch >= 0 && byte_is_alpha(ch) ? read_word(r) : not_supported(r);
}

static bool is_variable(const struct perl_expr *e)
{
	return e != NULL && (e->kind == NODE_VAR || e->kind == NODE_MY || e->kind == NODE_TOPIC);
}

static struct perl_expr *read_postfix(struct reader *r)
{
	struct perl_expr *e = read_primary(r);

	if (r->error == NULL && is_variable(e) && (starts(r, "++") || starts(r, "--"))) {
		struct perl_expr *step = node(r, NODE_STEP);

		step->op = peek(r);
		step->late = true;
		add_kid(r, step, e);
		r->at += 2;
		return step;
	}
	return e;
}

static struct perl_expr *read_unary(struct reader *r)
{
	struct perl_expr *e;

	skip_space(r);
	if (++r->depth > DEPTH_MAX)
		return fail(r, "the code nests too deep: %.*s", r->code);
	if (starts(r, "++") || starts(r, "--")) {
		e = node(r, NODE_STEP);
		e->op = peek(r);
		r->at += 2;
		add_kid(r, e, read_unary(r));
		if (r->error == NULL && !is_variable(e->kid))
			(void)not_supported(r);
	} else if (peek(r) == '!' || peek(r) == '-' || peek(r) == '+') {
		e = node(r, NODE_UNARY);
		e->op = peek(r);
		r->at++;
		add_kid(r, e, read_unary(r));
	} else {
		e = read_postfix(r);
	}
	if (r->error == NULL && take(r, "**")) {
		struct perl_expr *power = node(r, NODE_BINARY);

		power->op = OP_POW;
		add_kid(r, power, e);
		add_kid(r, power, read_unary(r));
		e = power;
	}
	r->depth--;
	return e;
}

/* By strength, the strongest first; longer ones before what they begin with. */
static const struct {
	const char *text;
	int op;
	int level;
} operators[] = {
	{ "*", '*', 7 },        { "/", '/', 7 },        { "%", '%', 7 },
	{ "x", OP_REPEAT, 7 },  { "+", '+', 6 },        { "-", '-', 6 },
	{ ".", '.', 6 },        { "<=", OP_LE, 5 },     { ">=", OP_GE, 5 },
	{ "<", '<', 5 },        { ">", '>', 5 },        { "lt", OP_STR_LT, 5 },
	{ "gt", OP_STR_GT, 5 }, { "le", OP_STR_LE, 5 }, { "ge", OP_STR_GE, 5 },
	{ "==", OP_EQ, 4 },     { "!=", OP_NE, 4 },     { "eq", OP_STR_EQ, 4 },
	{ "ne", OP_STR_NE, 4 }, { "&&", OP_AND, 3 },    { "||", OP_OR, 2 },
	{ "//", OP_DOR, 2 },

};

/* The operator that comes next and is at least as strong; it is taken. -1: none. */
static int take_operator(struct reader *r, int level, int *found)
{
	size_t from = r->at;

	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
		if (operators[i].level < level || !take(r, operators[i].text))
			continue;
		/* += and the like, and x=, are assignments; ** is stronger, // not a division. */
		bool longer = peek(r) == '=' && (operators[i].level == LOWEST_LEVEL ||
						 (strchr("*/%x+-.", operators[i].text[0]) != NULL &&
						  operators[i].text[1] == '\0'));

		if (longer || (operators[i].op == '/' && peek(r) == '/') ||
		    (operators[i].op == '.' && peek(r) == '.')) {
			r->at = from;
			continue;
		}
		*found = operators[i].level;
		return operators[i].op;
	}
	return -1;
}

static struct perl_expr *read_binary(struct reader *r, int level)
{
	struct perl_expr *left = read_unary(r);
	int found;
	int op;

	while (r->error == NULL) {
		bool negated = take(r, "!~");

		if (negated || take(r, "=~")) {
			struct perl_expr *match = read_unary(r);

			if (r->error != NULL || match->kind != NODE_MATCH)
				return r->error != NULL ? NULL : not_supported(r);
			match->negated = negated;
			add_kid(r, match, left);
			left = match;
			continue;
		}
		op = take_operator(r, level, &found);
		if (op < 0)
			break;
		struct perl_expr *e = node(r, NODE_BINARY);

		e->op = op;
		if (++r->depth > DEPTH_MAX)
			return fail(r, "the code nests too deep: %.*s", r->code);
		add_kid(r, e, left);
		add_kid(r, e, read_binary(r, found + 1));
		r->depth--;
		left = e;
	}
	return left;
}

static struct perl_expr *read_assign(struct reader *r)
{
	static const struct {
		const char *text;
		int op;
	} assignments[] = { { "=", 0 },          { ".=", '.' },    { "+=", '+' },
			    { "-=", '-' },       { "*=", '*' },    { "/=", '/' },
			    { "x=", OP_REPEAT }, { "||=", OP_OR }, { "//=", OP_DOR } };

	if (++r->depth > DEPTH_MAX)
		return fail(r, "the code nests too deep: %.*s", r->code);
	struct perl_expr *e = read_binary(r, LOWEST_LEVEL);

	if (r->error == NULL && take(r, "?")) {
		struct perl_expr *choice = node(r, NODE_CHOICE);

		add_kid(r, choice, e);
		add_kid(r, choice, read_assign(r));
		if (r->error == NULL && !take(r, ":"))
			return not_supported(r);
		add_kid(r, choice, read_assign(r));
		e = choice;
	}
	skip_space(r);
	for (size_t i = 0; r->error == NULL && i < sizeof assignments / sizeof assignments[0];
	     i++) {
		if (!is_variable(e) || starts(r, "==") || starts(r, "=~") ||
		    !take(r, assignments[i].text))
			continue;
		struct perl_expr *set = node(r, NODE_ASSIGN);

		set->op = assignments[i].op;
		add_kid(r, set, e);
		add_kid(r, set, read_assign(r));
		e = set;
		break;
	}
	r->depth--;
	return e;
}

/* and, or: weaker than assignments. */
static struct perl_expr *read_low(struct reader *r)
{
	struct perl_expr *left = read_assign(r);

	while (r->error == NULL) {
		bool both = take(r, "and");

		if (!both && !take(r, "or"))
			break;
		struct perl_expr *e = node(r, NODE_BINARY);

		e->op = both ? OP_AND : OP_OR;
		add_kid(r, e, left);
		add_kid(r, e, read_assign(r));
		left = e;
	}
	return left;
}

struct perl_expr *perl_expr_parse(struct cmd *c, struct perl_vars *vars, struct bytes code,
				  size_t *at, const char **error)
{
	struct reader r = { .c = c, .vars = vars, .code = code, .at = *at };
	struct perl_expr *e = read_low(&r);

	*at = r.at;
	*error = r.error;
	return r.error == NULL ? e : NULL;
}
