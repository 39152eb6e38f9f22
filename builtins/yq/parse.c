/* SPDX-License-Identifier: MIT
 *
 * The expression language: operators by precedence. From loose to tight: , ; then and or, then |,
 * then the reductions, then assignments, comparisons and `as`, then // + - * / %, then paths.
 */
#include "builtins/yq/yq.h"

#include "base/utf8.h"

enum {
	BIND_COMMA = 10,
	BIND_LOGIC = 20,
	BIND_PIPE = 30,
	BIND_REDUCE = 35,
	BIND_ASSIGN = 40,
	BIND_VALUE = 42,
};

static struct yq_expr *expression(struct yq *y, int bind);

static void *fail(struct yq *y, const char *error)
{
	if (y->error == NULL) {
		y->error = error;
		y->error_at = y->at;
	}
	return NULL;
}

static int peek(const struct yq *y, size_t k)
{
	return y->text.len - y->at > k ? (unsigned char)y->text.ptr[y->at + k] : 0;
}

static void skip(struct yq *y)
{
	while (y->at < y->text.len) {
		if (byte_is_space(y->text.ptr[y->at]))
			y->at++;
		else if (y->text.ptr[y->at] == '#')
			while (y->at < y->text.len && y->text.ptr[y->at] != '\n')
				y->at++;
		else
			break;
	}
}

static bool see(struct yq *y, const char *text)
{
	skip(y);
	return bytes_starts(bytes_slice(y->text, y->at, y->text.len), bytes_of(text));
}

static bool take(struct yq *y, const char *text)
{
	if (!see(y, text))
		return false;
	y->at += strlen(text);
	return true;
}

static bool is_word(int c)
{
	return byte_is_name(c);
}

static bool see_word(struct yq *y, const char *word)
{
	return see(y, word) && !is_word(peek(y, strlen(word)));
}

static bool take_word(struct yq *y, const char *word)
{
	if (!see_word(y, word))
		return false;
	y->at += strlen(word);
	return true;
}

static struct yq_expr *make(struct yq *y, enum yq_op op, struct yq_expr *l, struct yq_expr *r)
{
	struct yq_expr *e = arena_zalloc(y->a, sizeof(*e));

	e->op = (uint8_t)op;
	e->l = l;
	e->r = r;
	return e;
}

static void add_arg(struct yq *y, struct yq_expr *e, struct yq_expr *arg)
{
	/* Grown when the count is a power of two. */
	if ((e->nargs & (e->nargs - 1)) == 0)
		e->args = arena_grow(y->a, e->args, e->nargs * sizeof(e->args[0]),
				     (e->nargs * 2 + 1) * sizeof(e->args[0]));
	e->args[e->nargs++] = arg;
}

static struct yq_expr *literal(struct yq *y, struct yaml_node *value)
{
	struct yq_expr *e = make(y, YQ_LITERAL, NULL, NULL);

	e->value = value;
	return e;
}

/* --- strings, numbers, words --- */

static bool escape(struct yq *y, struct buf *out)
{
	static const char letters[] = "nrtbf0\"\\/'";
	static const char values[] = "\n\r\t\b\f\0\"\\/'";
	int c = peek(y, 0);
	const char *found = c != 0 ? strchr(letters, c) : NULL;
	char utf8[4];

	y->at += c != 0;
	if (found != NULL) {
		buf_putc(out, values[found - letters]);
		return true;
	}
	if (c != 'u') {
		/* A backslash before anything else is one. */
		buf_putc(out, '\\');
		if (c != 0)
			buf_putc(out, (char)c);
		return true;
	}
	uint32_t code = 0;

	for (int i = 0; i < 4; i++, y->at++) {
		int v = byte_digit(peek(y, 0));

		if (v < 0 || v > 15)
			return fail(y, "invalid \\u escape"), false;
		code = code * 16 + (uint32_t)v;
	}
	buf_put(out, utf8, utf8_encode(code, utf8));
	return true;
}

/* Behind the opening quote. */
static struct yq_expr *string(struct yq *y)
{
	struct yq_expr *e = make(y, YQ_STRING, NULL, NULL);
	struct buf text = buf_in(y->a);

	for (;;) {
		int c = peek(y, 0);

		if (y->at >= y->text.len)
			return fail(y, "unterminated string");
		y->at++;
		if (c == '"')
			break;
		if (c != '\\') {
			buf_putc(&text, (char)c);
		} else if (peek(y, 0) == '(') {
			struct yq_expr *inner;

			y->at++;
			add_arg(y, e, literal(y, yq_text(y, buf_bytes(&text))));
			text = buf_in(y->a);
			inner = expression(y, 0);
			if (inner == NULL || !take(y, ")"))
				return fail(y, "unterminated interpolation");
			add_arg(y, e, inner);
		} else if (!escape(y, &text)) {
			return NULL;
		}
	}
	if (e->nargs == 0)
		return literal(y, yq_text(y, buf_bytes(&text)));
	add_arg(y, e, literal(y, yq_text(y, buf_bytes(&text))));
	return e;
}

static struct yq_expr *number(struct yq *y)
{
	size_t from = y->at;
	struct bytes text;
	struct bytes tag;

	y->at += peek(y, 0) == '-';
	while (byte_is_alnum(peek(y, 0)) || peek(y, 0) == '.' ||
	       ((peek(y, 0) == '-' || peek(y, 0) == '+') &&
		(y->text.ptr[y->at - 1] | 0x20) == 'e' &&
		!bytes_starts(bytes_slice(y->text, from, y->text.len), BYTES("0x"))))
		y->at++;
	text = bytes_slice(y->text, from, y->at);
	tag = yaml_resolve(text);
	if (!bytes_is(tag, "!!int") && !bytes_is(tag, "!!float")) {
		y->at = from;
		return fail(y, "invalid number");
	}
	return literal(y, yaml_scalar(y->a, tag, text));
}

static struct bytes word(struct yq *y)
{
	size_t from = y->at;

	while (is_word(peek(y, 0)))
		y->at++;
	return bytes_slice(y->text, from, y->at);
}

/* Characters of a name behind a dot; some only between others. */
static bool is_key_char(const struct yq *y)
{
	int c = peek(y, 0);
	int next = peek(y, 1);

	if (is_word(c) || c >= 0x80 || c == '$')
		return true;
	if (c == '*')
		return next != '=' || y->text.ptr[y->at - 1] == '.';
	return c != 0 && strchr("-/+@~%", c) != NULL && (is_word(next) || next >= 0x80);
}

static struct yq_expr *key_expr(struct yq *y, struct yq_expr *base, struct bytes name)
{
	struct yq_expr *e = make(y, YQ_KEY, base, NULL);

	e->text = name;
	return e;
}

/* --- paths --- */

/* Behind '['. */
static struct yq_expr *bracket(struct yq *y, struct yq_expr *base)
{
	struct yq_expr *e = make(y, YQ_INDEX, base, NULL);
	struct yq_expr *from = NULL;
	struct yq_expr *to = NULL;

	if (take(y, "]")) {
		e->op = YQ_EACH;
		return e;
	}
	if (!see(y, ":")) {
		from = expression(y, 0);
		if (from == NULL)
			return NULL;
	}
	if (take(y, "]")) {
		e->r = from;
		return e;
	}
	if (!take(y, ":"))
		return fail(y, "expected ']'");
	if (!see(y, "]")) {
		to = expression(y, 0);
		if (to == NULL)
			return NULL;
	}
	if (!take(y, "]"))
		return fail(y, "expected ']'");
	e->op = YQ_SLICE;
	add_arg(y, e, from);
	add_arg(y, e, to);
	return e;
}

/* Behind a dot: a name, a string, brackets; else the base itself. */
static struct yq_expr *dotted(struct yq *y, struct yq_expr *base)
{
	size_t from = y->at;

	if (peek(y, 0) == '"') {
		struct yq_expr *name;

		y->at++;
		name = string(y);
		if (name == NULL)
			return NULL;
		return make(y, YQ_INDEX, base, name);
	}
	if (peek(y, 0) == '[') {
		y->at++;
		return bracket(y, base);
	}
	while (is_key_char(y))
		y->at++;
	if (y->at == from)
		return base;
	return key_expr(y, base, bytes_slice(y->text, from, y->at));
}

static struct yq_expr *postfix(struct yq *y, struct yq_expr *e)
{
	for (int n = 0; e != NULL; n++) {
		if (n > YQ_NESTING_MAX)
			return fail(y, "path is too long");
		if (peek(y, 0) == '[') {
			y->at++;
			e = bracket(y, e);
		} else if (peek(y, 0) == '?') {
			y->at++;
			e->flags |= YQ_OPTIONAL;
		} else if (peek(y, 0) == '.' && peek(y, 1) != '.' &&
			   (is_word(peek(y, 1)) || peek(y, 1) >= 0x80 ||
			    (peek(y, 1) != 0 && strchr("\"[*$", peek(y, 1)) != NULL))) {
			y->at++;
			e = dotted(y, e);
		} else {
			return e;
		}
	}
	return NULL;
}

static struct yq_expr *path(struct yq *y)
{
	struct yq_expr *self = make(y, YQ_SELF, NULL, NULL);

	y->at++;
	if (peek(y, 0) == '.') {
		y->at++;
		self->op = YQ_RECURSE;
		if (peek(y, 0) == '.') {
			y->at++;
			self->flags = YQ_KEYS;
		}
		return self;
	}
	return dotted(y, self);
}

/* --- [..] {..} if reduce and calls --- */

static struct yq_expr *array(struct yq *y)
{
	struct yq_expr *e = make(y, YQ_COLLECT, NULL, NULL);

	if (take(y, "]"))
		return e;
	e->l = expression(y, 0);
	if (e->l == NULL || !take(y, "]"))
		return fail(y, "expected ']'");
	return e;
}

static struct yq_expr *object_key(struct yq *y)
{
	skip(y);
	if (take(y, "\""))
		return string(y);
	if (take(y, "(")) {
		struct yq_expr *e = expression(y, 0);

		return e != NULL && take(y, ")") ? e : fail(y, "expected ')'");
	}
	if (peek(y, 0) == '$') {
		struct yq_expr *e;

		y->at++;
		e = make(y, YQ_VAR, NULL, NULL);
		e->text = word(y);
		return e;
	}
	if (peek(y, 0) == '.')
		return postfix(y, path(y));
	size_t from = y->at;

	while (is_word(peek(y, 0)) || peek(y, 0) == '-' || peek(y, 0) >= 0x80)
		y->at++;
	if (y->at == from)
		return fail(y, "expected a key");
	return literal(y, yq_text(y, bytes_slice(y->text, from, y->at)));
}

static struct yq_expr *object(struct yq *y)
{
	struct yq_expr *e = make(y, YQ_OBJECT, NULL, NULL);

	while (!take(y, "}")) {
		struct yq_expr *key;
		struct yq_expr *value;

		if (e->nargs > 0 && !take(y, ","))
			return fail(y, "expected '}'");
		key = object_key(y);
		if (key == NULL)
			return NULL;
		if (take(y, ":"))
			value = expression(y, BIND_COMMA);
		else if (key->op == YQ_VAR)
			value = key, key = literal(y, yq_text(y, key->text));
		else if (key->op == YQ_KEY)
			value = key, key = literal(y, yq_text(y, key->text));
		else if (key->op == YQ_LITERAL)
			value = key_expr(y, make(y, YQ_SELF, NULL, NULL), key->value->value);
		else
			return fail(y, "expected ':'");
		if (value == NULL)
			return NULL;
		add_arg(y, e, key);
		add_arg(y, e, value);
	}
	return e;
}

/* Behind "if" or "elif". */
static struct yq_expr *conditional(struct yq *y)
{
	struct yq_expr *e = make(y, YQ_IF, NULL, NULL);
	struct yq_expr *otherwise = NULL;

	for (int i = 0; i < 2; i++) {
		struct yq_expr *part = expression(y, 0);

		if (part == NULL || (i == 0 && !take_word(y, "then")))
			return fail(y, "expected 'then'");
		add_arg(y, e, part);
	}
	if (take_word(y, "elif")) {
		if (++y->nesting > YQ_NESTING_MAX)
			return fail(y, "expression is nested too deeply");
		otherwise = conditional(y);
		y->nesting--;
		if (otherwise == NULL)
			return NULL;
	} else {
		if (take_word(y, "else")) {
			otherwise = expression(y, 0);
			if (otherwise == NULL)
				return NULL;
		}
		if (!take_word(y, "end"))
			return fail(y, "expected 'end'");
	}
	add_arg(y, e, otherwise);
	return e;
}

/* ( start; step ) of a reduction of what l as $name binds. */
static struct yq_expr *reduction(struct yq *y, struct yq_expr *bind)
{
	struct yq_expr *e = make(y, YQ_REDUCE, bind->l, NULL);
	struct yq_expr *start;
	struct yq_expr *step;

	e->text = bind->text;
	if (bind->op != YQ_BIND || !take(y, "("))
		return fail(y, "reduce needs 'as $name (start; step)'");
	start = expression(y, 0);
	if (start == NULL || !take(y, ";"))
		return fail(y, "expected ';'");
	step = expression(y, 0);
	if (step == NULL || !take(y, ")"))
		return fail(y, "expected ')'");
	add_arg(y, e, start);
	add_arg(y, e, step);
	return e;
}

/* The variable of env(NAME) is a word. */
static struct yq_expr *argument(struct yq *y, const struct yq_fn *fn)
{
	struct bytes name;

	if (strcmp(fn->name, "env") != 0 && strcmp(fn->name, "strenv") != 0)
		return expression(y, 0);
	skip(y);
	if (!is_word(peek(y, 0)))
		return expression(y, 0);
	name = word(y);
	return literal(y, yq_text(y, name));
}

/* The two arguments of a regular expression may have a comma between: sub("a", "b"). */
static void split_arguments(struct yq *y, struct yq_expr *e)
{
	static const char *const names[] = { "sub", "gsub", "match", "with_dtf", "setpath" };
	struct yq_expr *both = e->nargs == 1 ? e->args[0] : NULL;

	for (size_t i = 0; both != NULL && i < sizeof(names) / sizeof(names[0]); i++)
		if (both->op == YQ_UNION && bytes_is(e->text, names[i])) {
			e->args[0] = both->l;
			add_arg(y, e, both->r);
			return;
		}
}

static struct yq_expr *call(struct yq *y, struct bytes name)
{
	const struct yq_fn *fn = yq_function(name);
	struct yq_expr *e = make(y, YQ_CALL, NULL, NULL);

	if (fn == NULL)
		return fail(y, "unknown function");
	e->fn = fn;
	e->text = name;
	if (fn->max != 0 && take(y, "(")) {
		do {
			struct yq_expr *arg = argument(y, fn);

			if (arg == NULL)
				return NULL;
			add_arg(y, e, arg);
		} while (take(y, ";"));
		if (!take(y, ")"))
			return fail(y, "expected ')'");
	}
	split_arguments(y, e);
	if ((int)e->nargs < fn->min || (int)e->nargs > fn->max)
		return fail(y, "wrong number of arguments");
	return e;
}

static struct yq_expr *named(struct yq *y)
{
	static const char *const words[] = { "true", "false", "True", "False",
					     "TRUE", "FALSE", "null" };
	struct bytes name;
	size_t from = y->at;

	if (take_word(y, "if"))
		return conditional(y);
	if (take_word(y, "reduce")) {
		struct yq_expr *bind = expression(y, BIND_REDUCE);

		return bind != NULL ? reduction(y, bind) : NULL;
	}
	name = word(y);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bytes_is(name, words[i]))
			return literal(y, yaml_scalar(y->a, yaml_resolve(name), name));
	if (name.len == 0)
		return fail(y, "unexpected text");
	if (yq_function(name) == NULL)
		y->at = from;
	return call(y, name);
}

static struct yq_expr *primary(struct yq *y)
{
	struct yq_expr *e;

	skip(y);
	if (y->at >= y->text.len)
		return fail(y, "unexpected end");
	if (take(y, "(")) {
		e = expression(y, 0);
		return e != NULL && take(y, ")") ? e : fail(y, "expected ')'");
	}
	if (take(y, "["))
		return array(y);
	if (take(y, "{"))
		return object(y);
	if (take(y, "\""))
		return string(y);
	if (take(y, "~"))
		return literal(y, yaml_scalar(y->a, BYTES("!!null"), BYTES("~")));
	if (peek(y, 0) == '.')
		return path(y);
	if (peek(y, 0) == '$') {
		y->at++;
		e = make(y, YQ_VAR, NULL, NULL);
		e->text = word(y);
		return e->text.len > 0 ? e : fail(y, "expected a name");
	}
	if (peek(y, 0) == '@') {
		size_t from = y->at++;

		word(y);
		return call(y, bytes_slice(y->text, from, y->at));
	}
	if (byte_is_digit(peek(y, 0)) || (peek(y, 0) == '-' && byte_is_digit(peek(y, 1))))
		return number(y);
	return named(y);
}

/* --- operators --- */

struct operator
{
	const char *text;
	uint8_t bind;
	uint8_t op;
	yq_binary *binary;
};

/* Longer ones first. */
static const struct operator operators[] = {
	{ "//=", BIND_ASSIGN, YQ_COMPOUND, NULL },
	{ "//", BIND_VALUE, YQ_ALTERNATIVE, NULL },
	{ "==", BIND_ASSIGN, YQ_BINARY, yq_op_equal },
	{ "!=", BIND_ASSIGN, YQ_BINARY, yq_op_unequal },
	{ "<=", BIND_ASSIGN, YQ_BINARY, yq_op_less_equal },
	{ ">=", BIND_ASSIGN, YQ_BINARY, yq_op_greater_equal },
	{ "<", BIND_ASSIGN, YQ_BINARY, yq_op_less },
	{ ">", BIND_ASSIGN, YQ_BINARY, yq_op_greater },
	{ "|=", BIND_ASSIGN, YQ_UPDATE, NULL },
	{ "+=", BIND_ASSIGN, YQ_COMPOUND, yq_op_add },
	{ "-=", BIND_ASSIGN, YQ_COMPOUND, yq_op_subtract },
	{ "*=", BIND_ASSIGN, YQ_COMPOUND, yq_op_multiply },
	{ "/=", BIND_ASSIGN, YQ_COMPOUND, yq_op_divide },
	{ "%=", BIND_ASSIGN, YQ_COMPOUND, yq_op_modulo },
	{ "=", BIND_ASSIGN, YQ_ASSIGN, NULL },
	{ "|", BIND_PIPE, YQ_PIPE, NULL },
	{ ",", BIND_COMMA, YQ_UNION, NULL },
	{ "+", BIND_VALUE, YQ_BINARY, yq_op_add },
	{ "-", BIND_VALUE, YQ_BINARY, yq_op_subtract },
	{ "*", BIND_VALUE, YQ_BINARY, yq_op_multiply },
	{ "/", BIND_VALUE, YQ_BINARY, yq_op_divide },
	{ "%", BIND_VALUE, YQ_BINARY, yq_op_modulo },
	{ "and", BIND_LOGIC, YQ_AND, NULL },
	{ "or", BIND_LOGIC, YQ_OR, NULL },
	{ "as", BIND_ASSIGN, YQ_BIND, NULL },
	{ "ireduce", BIND_REDUCE, YQ_REDUCE, NULL },
};

static const struct operator* see_operator(struct yq *y)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		const struct operator* o = & operators[i];

		if (byte_is_alpha(o->text[0]) ? see_word(y, o->text) : see(y, o->text))
			return o;
	}
	return NULL;
}

/* The letters behind '*': how maps are merged. */
static void merge_flags(struct yq *y, struct yq_expr *e)
{
	static const char letters[] = "+d?nc";
	static const uint8_t flags[] = { YQ_APPEND, YQ_DEEP_LISTS, YQ_ONLY_EXISTING, YQ_ONLY_NEW,
					 YQ_CLOBBER };
	const char *found;

	while (peek(y, 0) != 0 && (found = strchr(letters, peek(y, 0))) != NULL &&
	       !(byte_is_alpha(*found) && is_word(peek(y, 1)) &&
		 strchr("dnc", peek(y, 1)) == NULL)) {
		e->flags |= flags[found - letters];
		y->at++;
	}
}

/* An attribute's name with '=' or "|=" behind it: style="x". The function, or NULL. */
static const struct yq_fn *see_attribute(struct yq *y, bool *relative)
{
	size_t from = y->at;
	const struct yq_fn *fn;
	struct bytes name;

	skip(y);
	name = word(y);
	fn = name.len > 0 ? yq_function(name) : NULL;
	if (fn == NULL || fn->arg < 100) {
		y->at = from;
		return NULL;
	}
	skip(y);
	*relative = peek(y, 0) == '|' && peek(y, 1) == '=';
	if (!*relative && !(peek(y, 0) == '=' && peek(y, 1) != '=')) {
		y->at = from;
		return NULL;
	}
	y->at += *relative ? 2 : 1;
	return fn;
}

static struct yq_expr *infix(struct yq *y, struct yq_expr *l, const struct operator* o)
{
	struct yq_expr *e = make(y, o->op, l, NULL);

	y->at += strlen(o->text);
	e->binary = o->binary;
	if (o->op == YQ_BIND) {
		if (!take(y, "$"))
			return fail(y, "expected a variable");
		e->text = word(y);
		return e;
	}
	if (o->op == YQ_REDUCE)
		return reduction(y, l);
	if (o->binary == yq_op_multiply) {
		/* "*=" takes its letters between: *+= , *n=. */
		merge_flags(y, e);
		if (o->op == YQ_BINARY && peek(y, 0) == '=' && peek(y, 1) != '=') {
			y->at++;
			e->op = YQ_COMPOUND;
		}
	}
	e->r = expression(y, o->op == YQ_PIPE ? BIND_PIPE - 1 : o->bind);
	return e->r != NULL ? e : NULL;
}

static struct yq_expr *attribute(struct yq *y, struct yq_expr *l, const struct yq_fn *fn,
				 bool relative)
{
	struct yq_expr *e = make(y, YQ_ASSIGN_ATTRIBUTE, l, NULL);

	e->fn = fn;
	e->flags = relative ? YQ_RELATIVE : 0;
	e->r = expression(y, BIND_ASSIGN);
	return e->r != NULL ? e : NULL;
}

/* Operators that bind tighter than `bind`. */
static struct yq_expr *operations(struct yq *y, int bind)
{
	bool relative;
	const struct yq_fn *fn;
	struct yq_expr *l;

	skip(y);
	fn = see_attribute(y, &relative);
	if (fn != NULL)
		l = attribute(y, make(y, YQ_SELF, NULL, NULL), fn, relative);
	else
		l = postfix(y, primary(y));
	for (int n = 0; l != NULL; n++) {
		const struct operator* o;

		if (n > YQ_NESTING_MAX)
			return fail(y, "expression is nested too deeply");
		skip(y);
		fn = bind < BIND_ASSIGN ? see_attribute(y, &relative) : NULL;
		if (fn != NULL) {
			l = attribute(y, l, fn, relative);
			continue;
		}
		o = see_operator(y);
		if (o == NULL || o->bind <= bind)
			return l;
		l = infix(y, l, o);
	}
	return NULL;
}

static struct yq_expr *expression(struct yq *y, int bind)
{
	struct yq_expr *e;

	if (y->nesting >= YQ_NESTING_MAX)
		return fail(y, "expression is nested too deeply");
	y->nesting++;
	e = operations(y, bind);
	y->nesting--;
	return e;
}

struct yq_expr *yq_parse(struct yq *y, struct bytes text)
{
	struct bytes outer = y->text;
	size_t outer_at = y->at;
	struct yq_expr *e;

	y->text = text;
	y->at = 0;
	y->error = NULL;
	skip(y);
	e = y->at >= text.len ? make(y, YQ_SELF, NULL, NULL) : expression(y, 0);
	skip(y);
	if (e != NULL && y->at < text.len)
		e = fail(y, "unexpected text");
	y->text = outer;
	y->at = outer_at;
	return e;
}
