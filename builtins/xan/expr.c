/* SPDX-License-Identifier: MIT
 *
 * Expressions over the cells of a row: column names, numbers, texts, comparisons, arithmetic,
 * functions.
 *
 * == and its kin compare numbers when both sides are numbers, texts otherwise; eq, lt and theirs
 * always texts. Names that are no words: col("my column") or `my column`.
 */
#include "base/number.h"
#include "base/regex.h"
#include "builtins/xan/xan.h"

#include <math.h>

enum { DEPTH_MAX = 40, TREE_MAX = 100, ARGS_MAX = 8 };

enum op {
	OP_CONST,
	OP_COLUMN,
	OP_CALL,
	OP_NOT,
	OP_NEGATE,
	OP_OR,
	OP_AND,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_TEXT_EQ,
	OP_TEXT_NE,
	OP_TEXT_LT,
	OP_TEXT_LE,
	OP_TEXT_GT,
	OP_TEXT_GE,
	OP_IN,
	OP_ADD,
	OP_SUB,
	OP_JOIN,
	OP_MUL,
	OP_DIV,
	OP_INT_DIV,
	OP_MOD,
	OP_POWER,
};

enum function {
	F_LEN,
	F_LOWER,
	F_UPPER,
	F_TRIM,
	F_CONTAINS,
	F_STARTS,
	F_ENDS,
	F_MATCH,
	F_REPLACE,
	F_IF,
	F_INT,
	F_ABS,
	F_ROUND,
	F_FLOOR,
	F_CEIL,
	F_SQRT,
	F_CONCAT,
	F_COALESCE,
	F_EMPTY,
	F_NOT,
	F_INDEX,
	F_SLICE,
	F_MIN,
	F_MAX,
	F_COL,
};

struct expr {
	enum op op;
	enum function function;
	struct value value;
	size_t column;
	struct regex *re;
	struct expr *arg[ARGS_MAX];
	int nargs;
	int depth; /* of the tree below: what evaluation needs of the stack */
};

struct parser {
	struct reader *r;
	const char *text;
	const char *at;
	int depth;
};

static struct expr *parse_level(struct parser *p, int level);

/* --- numbers and texts --- */

bool xan_number(struct bytes text, double *out)
{
	size_t from = 0;
	size_t to = text.len;

	while (from < to && text.ptr[from] == ' ')
		from++;
	while (to > from && text.ptr[to - 1] == ' ')
		to--;
	struct bytes trimmed = bytes_slice(text, from, to);

	if (trimmed.len == 0 ||
	    !(byte_is_digit(trimmed.ptr[0]) || strchr("+-.", trimmed.ptr[0]) != NULL))
		return false;
	return number_parse_double(trimmed, out, NULL) == trimmed.len;
}

void xan_put_number(double d, struct buf *out)
{
	char digits[17];
	int exponent;

	if (d != d) {
		buf_puts(out, "NaN");
	} else if (d > -1e15 && d < 1e15 && d == (double)(int64_t)d) {
		buf_put_i64(out, (int64_t)d);
	} else if (d - d != 0) {
		buf_puts(out, d > 0 ? "inf" : "-inf");
	} else {
		number_put_g(out, d, number_shortest(d, digits, &exponent));
	}
}

bool value_is_true(struct value v)
{
	if (v.kind == VALUE_TEXT)
		return v.text.len > 0;
	return v.kind != VALUE_NONE && v.number != 0;
}

void value_put(struct value v, struct buf *out)
{
	if (v.kind == VALUE_TEXT)
		buf_add(out, v.text);
	else if (v.kind == VALUE_BOOL)
		buf_puts(out, v.number != 0 ? "true" : "false");
	else if (v.kind == VALUE_NUMBER)
		xan_put_number(v.number, out);
}

static struct value number(double d)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = d };
}

static struct value boolean(bool b)
{
	return (struct value){ .kind = VALUE_BOOL, .number = b };
}

static struct value text(struct bytes s)
{
	return (struct value){ .kind = VALUE_TEXT, .text = s };
}

static bool as_number(struct value v, double *out)
{
	*out = v.number;
	if (v.kind == VALUE_TEXT)
		return xan_number(v.text, out);
	return v.kind != VALUE_NONE;
}

static struct bytes as_text(struct reader *r, struct value v)
{
	struct buf out = buf_in(r->c->arena);

	if (v.kind == VALUE_TEXT)
		return v.text;
	value_put(v, &out);
	return buf_bytes(&out);
}

/* --- parsing --- */

_Noreturn static void fail(struct parser *p, const char *message)
{
	cmd_fatal(p->r->c, 0, "could not parse expression \"%s\" at %d: %s", p->text,
		  (int)(p->at - p->text), message);
}

static void blanks(struct parser *p)
{
	while (byte_is_space(*p->at))
		p->at++;
}

static struct expr *new_expr(struct parser *p, enum op op)
{
	struct expr *e = arena_zalloc(p->r->c->arena, sizeof *e);

	e->op = op;
	return e;
}

static struct expr *measured(struct parser *p, struct expr *e)
{
	for (int i = 0; i < e->nargs; i++)
		if (e->arg[i]->depth >= e->depth)
			e->depth = e->arg[i]->depth + 1;
	if (e->depth > TREE_MAX)
		fail(p, "nested too deeply");
	return e;
}

static struct expr *binary(struct parser *p, enum op op, struct expr *a, struct expr *b)
{
	struct expr *e = new_expr(p, op);

	e->arg[0] = a;
	e->arg[1] = b;
	e->nargs = 2;
	return measured(p, e);
}

static struct expr *column(struct parser *p, struct bytes name)
{
	struct expr *e = new_expr(p, OP_COLUMN);
	size_t *list;
	struct buf quoted = buf_in(p->r->c->arena);

	cmd_charge(p->r->c, p->r->names.n * (name.len / 64 + 1) / 8);
	for (size_t i = 0; i < p->r->names.n; i++) {
		if (bytes_eq(p->r->names.cell[i], name)) {
			e->column = i;
			return e;
		}
	}
	buf_add(&quoted, name);
	if (xan_select(p->r, buf_cstr(&quoted), &list) == 0)
		fail(p, "no such column");
	e->column = list[0];
	return e;
}

static struct bytes quoted(struct parser *p)
{
	char quote = *p->at++;
	struct buf out = buf_in(p->r->c->arena);

	while (*p->at != quote) {
		if (*p->at == '\0')
			fail(p, "a quote is never closed");
		if (*p->at == '\\' && p->at[1] != '\0' && quote != '`') {
			p->at++;
			buf_putc(&out, *p->at == 'n' ? '\n' : *p->at == 't' ? '\t' : *p->at);
		} else {
			buf_putc(&out, *p->at);
		}
		p->at++;
	}
	p->at++;
	return buf_bytes(&out);
}

static const struct {
	const char *name;
	enum function function;
	int least;
	int most;
} functions[] = {
	{ "len", F_LEN, 1, 1 },
	{ "lower", F_LOWER, 1, 1 },
	{ "upper", F_UPPER, 1, 1 },
	{ "trim", F_TRIM, 1, 1 },
	{ "contains", F_CONTAINS, 2, 2 },
	{ "startswith", F_STARTS, 2, 2 },
	{ "endswith", F_ENDS, 2, 2 },
	{ "match", F_MATCH, 2, 2 },
	{ "replace", F_REPLACE, 3, 3 },
	{ "if", F_IF, 2, 3 },
	{ "int", F_INT, 1, 1 },
	{ "trunc", F_INT, 1, 1 },
	{ "abs", F_ABS, 1, 1 },
	{ "round", F_ROUND, 1, 1 },
	{ "floor", F_FLOOR, 1, 1 },
	{ "ceil", F_CEIL, 1, 1 },
	{ "sqrt", F_SQRT, 1, 1 },
	{ "concat", F_CONCAT, 1, ARGS_MAX },
	{ "coalesce", F_COALESCE, 1, ARGS_MAX },
	{ "empty", F_EMPTY, 1, 1 },
	{ "is_empty", F_EMPTY, 1, 1 },
	{ "not", F_NOT, 1, 1 },
	{ "index", F_INDEX, 0, 0 },
	{ "slice", F_SLICE, 2, 3 },
	{ "min", F_MIN, 1, ARGS_MAX },
	{ "max", F_MAX, 1, ARGS_MAX },
	{ "col", F_COL, 1, 1 },
};

static void take_arguments(struct parser *p, struct expr *e)
{
	for (blanks(p); *p->at != ')'; blanks(p)) {
		if (e->nargs == ARGS_MAX)
			fail(p, "too many arguments");
		e->arg[e->nargs++] = parse_level(p, 0);
		blanks(p);
		if (*p->at == ',')
			p->at++;
		else if (*p->at != ')')
			fail(p, "expected , or )");
	}
	p->at++;
}

/* /pattern/ or a text as the second argument of match and replace. */
static void compile_pattern(struct parser *p, struct expr *e)
{
	struct expr *pattern = e->arg[1];
	const char *message;
	size_t offset;

	if (pattern->op != OP_CONST || pattern->value.kind != VALUE_TEXT)
		fail(p, "the pattern must be a text");
	if (regex_compile(p->r->c->arena, pattern->value.text, REGEX_PERL | REGEX_UTF8, &e->re,
			  &message, &offset) != 0)
		fail(p, message);
	regex_set_work(e->re, cmd_work, p->r->c);
	p->r->has_regex = true;
}

static struct expr *call(struct parser *p, struct bytes name)
{
	struct expr *e = new_expr(p, OP_CALL);

	p->at++;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!bytes_is(name, functions[i].name))
			continue;
		e->function = functions[i].function;
		take_arguments(p, e);
		if (e->nargs < functions[i].least || e->nargs > functions[i].most)
			fail(p, "wrong number of arguments");
		if (e->function == F_COL && e->arg[0]->op == OP_CONST)
			return column(p, as_text(p->r, e->arg[0]->value));
		if (e->function == F_COL)
			fail(p, "col takes a text or a number");
		if (e->function == F_MATCH || e->function == F_REPLACE)
			compile_pattern(p, e);
		return measured(p, e);
	}
	fail(p, "unknown function");
}

static struct expr *constant(struct parser *p, struct value v)
{
	struct expr *e = new_expr(p, OP_CONST);

	e->value = v;
	return e;
}

static struct expr *word(struct parser *p)
{
	const char *from = p->at;

	while (byte_is_name(*p->at) || (unsigned char)*p->at >= 128)
		p->at++;
	struct bytes name = { from, (size_t)(p->at - from) };

	if (*p->at == '(')
		return call(p, name);
	if (bytes_is(name, "true") || bytes_is(name, "false"))
		return constant(p, boolean(from[0] == 't'));
	if (bytes_is(name, "null") || bytes_is(name, "none"))
		return constant(p, (struct value){ .kind = VALUE_NONE });
	return column(p, name);
}

static struct expr *pattern_literal(struct parser *p)
{
	struct buf out = buf_in(p->r->c->arena);

	for (p->at++; *p->at != '/'; p->at++) {
		if (*p->at == '\0')
			fail(p, "a pattern is never closed");
		if (*p->at == '\\' && p->at[1] == '/')
			p->at++;
		else if (*p->at == '\\' && p->at[1] != '\0')
			buf_putc(&out, *p->at++);
		buf_putc(&out, *p->at);
	}
	p->at++;
	return constant(p, text(buf_bytes(&out)));
}

static struct expr *primary(struct parser *p)
{
	blanks(p);
	if (*p->at == '(') {
		p->at++;
		struct expr *e = parse_level(p, 0);

		blanks(p);
		if (*p->at != ')')
			fail(p, "expected )");
		p->at++;
		return e;
	}
	if (*p->at == '"' || *p->at == '\'')
		return constant(p, text(quoted(p)));
	if (*p->at == '`')
		return column(p, quoted(p));
	if (*p->at == '/')
		return pattern_literal(p);
	if (byte_is_digit(*p->at) || (*p->at == '.' && byte_is_digit(p->at[1]))) {
		double d = 0;

		p->at += number_parse_double(bytes_of(p->at), &d, NULL);
		return constant(p, number(d));
	}
	if (byte_is_name(*p->at) || (unsigned char)*p->at >= 128)
		return word(p);
	fail(p, *p->at == '\0' ? "something is missing" : "unexpected character");
}

/* Operators by level, those that bind least first; longer ones before their beginnings. */
static const struct {
	const char *text;
	int level;
	enum op op;
} operators[] = {
	{ "||", 0, OP_OR },      { "or", 0, OP_OR },      { "&&", 1, OP_AND },
	{ "and", 1, OP_AND },    { "==", 2, OP_EQ },      { "!=", 2, OP_NE },
	{ "<=", 2, OP_LE },      { ">=", 2, OP_GE },      { "<", 2, OP_LT },
	{ ">", 2, OP_GT },       { "eq", 2, OP_TEXT_EQ }, { "ne", 2, OP_TEXT_NE },
	{ "lt", 2, OP_TEXT_LT }, { "le", 2, OP_TEXT_LE }, { "gt", 2, OP_TEXT_GT },
	{ "ge", 2, OP_TEXT_GE }, { "in", 2, OP_IN },      { "++", 3, OP_JOIN },
	{ "+", 3, OP_ADD },      { "-", 3, OP_SUB },      { "**", 5, OP_POWER },
	{ "*", 4, OP_MUL },      { "//", 4, OP_INT_DIV }, { "/", 4, OP_DIV },
	{ "%", 4, OP_MOD },
};

enum { LEVELS = 6 };

static bool take_operator(struct parser *p, int level, enum op *op)
{
	blanks(p);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t len = strlen(operators[i].text);
		bool is_word = byte_is_alpha(operators[i].text[0]);

		if (strncmp(p->at, operators[i].text, len) != 0 ||
		    (is_word && byte_is_name(p->at[len])))
			continue;
		if (operators[i].level != level)
			return false;
		p->at += len;
		*op = operators[i].op;
		return true;
	}
	return false;
}

static bool take_not(struct parser *p)
{
	blanks(p);
	if (*p->at == '!' && p->at[1] != '=') {
		p->at++;
		return true;
	}
	if (strncmp(p->at, "not", 3) == 0 && byte_is_space(p->at[3])) {
		p->at += 3;
		return true;
	}
	return false;
}

static struct expr *unary(struct parser *p)
{
	struct expr *e;

	blanks(p);
	if (*p->at != '-' && !take_not(p))
		return primary(p);
	if (++p->depth > DEPTH_MAX)
		fail(p, "nested too deeply");
	e = new_expr(p, *p->at == '-' ? OP_NEGATE : OP_NOT);
	p->at += e->op == OP_NEGATE;
	e->arg[0] = unary(p);
	e->nargs = 1;
	p->depth--;
	return measured(p, e);
}

static struct expr *parse_level(struct parser *p, int level)
{
	struct expr *left;
	enum op op;

	if (level == LEVELS)
		return unary(p);
	if (++p->depth > DEPTH_MAX * LEVELS)
		fail(p, "nested too deeply");
	left = parse_level(p, level + 1);
	while (take_operator(p, level, &op)) {
		left = binary(p, op, left, parse_level(p, level + 1));
		cmd_charge(p->r->c, 1);
	}
	p->depth--;
	return left;
}

struct expr *expr_parse(struct reader *r, const char *source)
{
	struct parser p = { .r = r, .text = source, .at = source };
	struct expr *e = parse_level(&p, 0);

	blanks(&p);
	if (*p.at != '\0')
		fail(&p, "something follows the expression");
	return e;
}

/* --- lists --- */

/* " as NAME" behind an expression, or its text. */
static struct bytes take_name(struct parser *p, const char *from)
{
	const char *to = p->at;

	while (to > from && byte_is_space(to[-1]))
		to--;
	blanks(p);
	if (strncmp(p->at, "as", 2) != 0 || !byte_is_space(p->at[2]))
		return (struct bytes){ from, (size_t)(to - from) };
	p->at += 2;
	blanks(p);
	if (*p->at == '"' || *p->at == '\'' || *p->at == '`')
		return quoted(p);
	from = p->at;
	p->at += strcspn(p->at, ", \t\n");
	return (struct bytes){ from, (size_t)(p->at - from) };
}

/* "sum(expr)": the total in *name and the expression, or none for count(). */
static struct expr *take_total(struct parser *p, const char **name)
{
	const char *from = p->at;
	struct expr *e = NULL;

	while (byte_is_name(*p->at))
		p->at++;
	*name = arena_dup(p->r->c->arena, (struct bytes){ from, (size_t)(p->at - from) });
	if (*p->at != '(' || !total_known(*name))
		fail(p, "expected a total such as sum(COLUMN)");
	p->at++;
	blanks(p);
	if (*p->at != ')')
		e = parse_level(p, 0);
	else if (strcmp(*name, "count") != 0)
		fail(p, "a column is missing");
	blanks(p);
	if (*p->at != ')')
		fail(p, "expected )");
	p->at++;
	return e;
}

struct named_expr *expr_parse_list(struct reader *r, const char *source, bool totals)
{
	struct parser p = { .r = r, .text = source, .at = source };
	struct named_expr *first = NULL;
	struct named_expr **end = &first;

	for (;;) {
		struct named_expr *n = arena_zalloc(r->c->arena, sizeof *n);
		const char *from;

		blanks(&p);
		from = p.at;
		n->expr = totals ? take_total(&p, &n->total) : parse_level(&p, 0);
		n->name = take_name(&p, from);
		*end = n;
		end = &n->next;
		blanks(&p);
		if (*p.at == '\0')
			return first;
		if (*p.at != ',')
			fail(&p, "expected ,");
		p.at++;
	}
}

/* --- evaluation --- */

static int order(struct reader *r, struct value a, struct value b, bool texts)
{
	double x;
	double y;

	if (!texts && as_number(a, &x) && as_number(b, &y))
		return x < y ? -1 : x > y;
	return bytes_cmp(as_text(r, a), as_text(r, b));
}

static struct value compare(struct reader *r, enum op op, struct value a, struct value b)
{
	bool texts = op >= OP_TEXT_EQ;
	int o = order(r, a, b, texts);

	switch (texts ? op - OP_TEXT_EQ + OP_EQ : op) {
	case OP_EQ: return boolean(o == 0);
	case OP_NE: return boolean(o != 0);
	case OP_LT: return boolean(o < 0);
	case OP_LE: return boolean(o <= 0);
	case OP_GT: return boolean(o > 0);
	default: return boolean(o >= 0);
	}
}

static bool is_empty(struct value v)
{
	return v.kind == VALUE_NONE || (v.kind == VALUE_TEXT && v.text.len == 0);
}

static struct value arithmetic(struct reader *r, enum op op, struct value a, struct value b)
{
	double x;
	double y;

	if (op == OP_ADD && (is_empty(a) || is_empty(b)))
		return (struct value){ .kind = VALUE_NONE };
	if (op == OP_JOIN || (op == OP_ADD && (!as_number(a, &x) || !as_number(b, &y)))) {
		struct buf out = buf_in(r->c->arena);

		buf_add(&out, as_text(r, a));
		buf_add(&out, as_text(r, b));
		return text(buf_bytes(&out));
	}
	if (!as_number(a, &x) || !as_number(b, &y))
		return (struct value){ .kind = VALUE_NONE };
	switch (op) {
	case OP_ADD: return number(x + y);
	case OP_SUB: return number(x - y);
	case OP_MUL: return number(x * y);
	case OP_DIV: return number(x / y);
	case OP_INT_DIV: return number(floor(x / y));
	case OP_MOD: return y == 0 ? (struct value){ .kind = VALUE_NONE } : number(fmod(x, y));
	default: return number(pow(x, y));
	}
}

static struct value change_case(struct reader *r, struct bytes s, bool upper)
{
	struct buf out = buf_in(r->c->arena);

	for (size_t i = 0; i < s.len;) {
		uint32_t code;
		size_t len = utf8_decode(s, i, &code);
		char bytes[4];

		if (len == 0) {
			buf_putc(&out, s.ptr[i++]);
			continue;
		}
		code = upper ? utf8_to_upper(code) : utf8_to_lower(code);
		buf_put(&out, bytes, utf8_encode(code, bytes));
		i += len;
	}
	return text(buf_bytes(&out));
}

static struct value replace_all(struct reader *r, struct regex *re, struct bytes s, struct bytes by)
{
	struct buf out = buf_in(r->c->arena);
	struct regex_span m;
	size_t at = 0;
	size_t from = 0;

	while (from <= s.len && regex_search(re, s, from, 0, &m, 1) == 0) {
		buf_add(&out, bytes_slice(s, at, m.from));
		buf_add(&out, by);
		at = m.to;
		from = m.to > m.from ? m.to : m.to + 1;
		cmd_charge(r->c, 1);
	}
	buf_add(&out, bytes_slice(s, at < s.len ? at : s.len, s.len));
	return text(buf_bytes(&out));
}

static struct value trim(struct bytes s)
{
	while (s.len > 0 && byte_is_space(s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	while (s.len > 0 && byte_is_space(s.ptr[s.len - 1]))
		s.len--;
	return text(s);
}

static struct value slice(struct bytes s, const struct value *v, int n)
{
	double from = 0;
	double to = (double)s.len;

	as_number(v[1], &from);
	if (n > 2)
		as_number(v[2], &to);
	size_t chars = utf8_count(s);
	size_t a = from > 0 ? from < (double)chars ? (size_t)from : chars : 0;
	size_t b = to > (double)a ? to < (double)chars ? (size_t)to : chars : a;

	return text(bytes_slice(s, utf8_offset(s, a), utf8_offset(s, b)));
}

static struct value on_number(enum function f, struct value v)
{
	double d;

	if (!as_number(v, &d))
		return (struct value){ .kind = VALUE_NONE };
	switch (f) {
	case F_INT: return number(d < 0 ? ceil(d) : floor(d));
	case F_ABS: return number(d < 0 ? -d : d);
	case F_ROUND: return number(d < 0 ? -floor(-d + 0.5) : floor(d + 0.5));
	case F_FLOOR: return number(floor(d));
	case F_CEIL: return number(ceil(d));
	default: return d < 0 ? (struct value){ .kind = VALUE_NONE } : number(sqrt(d));
	}
}

static struct value extreme(struct reader *r, const struct value *v, int n, bool low)
{
	struct value best = v[0];

	for (int i = 1; i < n; i++)
		if ((order(r, v[i], best, false) < 0) == low)
			best = v[i];
	return best;
}

static struct value apply(const struct expr *e, struct reader *r, const struct value *v)
{
	struct bytes s = e->nargs > 0 ? as_text(r, v[0]) : BYTES("");
	struct bytes other = e->nargs > 1 ? as_text(r, v[1]) : BYTES("");
	struct regex_span m;

	switch (e->function) {
	case F_LEN: return number((double)utf8_count(s));
	case F_LOWER:
	case F_UPPER: return change_case(r, s, e->function == F_UPPER);
	case F_TRIM: return trim(s);
	case F_CONTAINS: return boolean(bytes_find(s, other) != NULL);
	case F_STARTS: return boolean(bytes_starts(s, other));
	case F_ENDS: return boolean(bytes_ends(s, other));
	case F_MATCH: return boolean(regex_search(e->re, s, 0, 0, &m, 1) == 0);
	case F_REPLACE: return replace_all(r, e->re, s, as_text(r, v[2]));
	case F_SLICE: return slice(s, v, e->nargs);
	case F_EMPTY: return boolean(is_empty(v[0]));
	case F_NOT: return boolean(!value_is_true(v[0]));
	case F_MIN:
	case F_MAX: return extreme(r, v, e->nargs, e->function == F_MIN);
	case F_COALESCE:
		for (int i = 0; i < e->nargs; i++)
			if (!is_empty(v[i]))
				return v[i];
		return (struct value){ .kind = VALUE_NONE };
	case F_CONCAT: {
		struct buf out = buf_in(r->c->arena);

		for (int i = 0; i < e->nargs; i++)
			buf_add(&out, as_text(r, v[i]));
		return text(buf_bytes(&out));
	}
	default: return on_number(e->function, v[0]);
	}
}

/* An operand: whatever is done with it takes time for its length. */
static struct value operand(const struct expr *e, struct reader *r, struct row row, uint64_t index)
{
	struct value v = expr_eval(e, r, row, index);

	if (v.kind == VALUE_TEXT && v.text.len >= 64)
		cmd_charge(r->c, v.text.len / 16);
	return v;
}

struct value expr_eval(const struct expr *e, struct reader *r, struct row row, uint64_t index)
{
	struct value v[ARGS_MAX];

	cmd_charge(r->c, 1);
	if (e->op == OP_CONST)
		return e->value;
	if (e->op == OP_COLUMN)
		return text(xan_cell(row, e->column));
	if (e->op == OP_CALL && e->function == F_INDEX)
		return number((double)index);
	v[0] = operand(e->arg[0], r, row, index);
	if (e->op == OP_NOT)
		return boolean(!value_is_true(v[0]));
	if (e->op == OP_NEGATE)
		return arithmetic(r, OP_SUB, number(0), v[0]);
	if (e->op == OP_OR || e->op == OP_AND) {
		if (value_is_true(v[0]) == (e->op == OP_OR))
			return v[0];
		return expr_eval(e->arg[1], r, row, index);
	}
	if (e->op == OP_CALL && e->function == F_IF) {
		bool yes = value_is_true(v[0]);

		if (!yes && e->nargs < 3)
			return (struct value){ .kind = VALUE_NONE };
		return expr_eval(e->arg[yes ? 1 : 2], r, row, index);
	}
	for (int i = 1; i < e->nargs; i++)
		v[i] = operand(e->arg[i], r, row, index);
	if (e->op == OP_CALL)
		return apply(e, r, v);
	if (e->op == OP_IN)
		return boolean(bytes_find(as_text(r, v[1]), as_text(r, v[0])) != NULL);
	if (e->op >= OP_EQ && e->op <= OP_TEXT_GE)
		return compare(r, e->op, v[0], v[1]);
	return arithmetic(r, e->op, v[0], v[1]);
}
