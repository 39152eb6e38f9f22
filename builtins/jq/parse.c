/* SPDX-License-Identifier: MIT
 *
 * The parser of jq programs: by recursive descent, operators by their precedence.
 */
#include "builtins/jq/lex.h"
#include "builtins/jq/parse.h"

/* --- tokens --- */

static void advance(struct parser *p)
{
	p->last_end = p->tok.end;
	p->tok = jq_lex(&p->lex);
}

bool jqp_is(struct parser *p, const char *op)
{
	return (p->tok.kind == T_OP || p->tok.kind == T_KEYWORD) && bytes_is(p->tok.text, op);
}

static const char *token_name(struct parser *p)
{
	static const char *const names[] = {
		"end of file", "INVALID_CHARACTER", "LITERAL", "IDENT",         "",
		"FIELD",       "BINDING",           "FORMAT",  "QQSTRING_START"
	};
	struct buf b = buf_in(p->j->a);

	if (p->tok.kind != T_OP && p->tok.kind != T_KEYWORD)
		return names[p->tok.kind];
	if (p->tok.kind == T_OP && p->tok.text.len == 1)
		buf_printf(&b, "'%c'", p->tok.text.ptr[0]);
	else
		buf_add(&b, p->tok.text);
	return buf_cstr(&b);
}

void jqp_fail(struct parser *p, const char *expecting)
{
	if (p->failed)
		return;
	p->failed = true;
	p->failed_in = p->lex.open;
	jq_complain(p->j, p->src, p->tok.at, p->tok.end,
		    "syntax error, unexpected %s%s%s (Unix shell quoting issues?)", token_name(p),
		    expecting != NULL ? ", expecting " : "", expecting != NULL ? expecting : "");
}

static void parse_error(struct parser *p, uint32_t at, const char *text)
{
	if (p->failed)
		return;
	p->failed = true;
	p->failed_in = p->lex.open;
	jq_complain(p->j, p->src, at, p->tok.end, "%s", text);
}

/* A second message, if no more than `open` brackets were open when the first was written. */
static void hint(struct parser *p, size_t open, uint32_t at, const char *text)
{
	if (p->failed && p->failed_in == open)
		jq_complain(p->j, p->src, at, p->tok.end, "%s", text);
	p->failed_in = SIZE_MAX;
}

bool jqp_accept(struct parser *p, const char *op)
{
	if (!jqp_is(p, op))
		return false;
	advance(p);
	return true;
}

void jqp_expect(struct parser *p, const char *op, const char *shown)
{
	if (!jqp_accept(p, op))
		jqp_fail(p, shown);
}

struct bytes jqp_word(struct parser *p, enum token_kind kind)
{
	struct bytes text = p->tok.text;

	if (p->tok.kind != kind) {
		jqp_fail(p, kind == T_BINDING ? "BINDING" : NULL);
		return BYTES("");
	}
	advance(p);
	return text;
}

/* --- nodes --- */

struct node *jqp_node(struct parser *p, enum node_kind kind, uint32_t at)
{
	struct node *n = arena_zalloc(p->j->a, sizeof(*n));

	n->kind = (uint8_t)kind;
	n->at = at;
	n->end = p->last_end > at ? p->last_end : p->tok.end;
	n->src = p->src;
	return n;
}

static struct node *node2(struct parser *p, enum node_kind kind, struct node *a, struct node *b)
{
	struct node *n = jqp_node(p, kind, a->at);

	n->a = a;
	n->b = b;
	return n;
}

static struct node *literal(struct parser *p, uint32_t at, struct json v)
{
	struct node *n = jqp_node(p, N_LITERAL, at);

	n->value = v;
	return n;
}

static struct node *text_literal(struct parser *p, uint32_t at, struct bytes s)
{
	return literal(p, at, json_key(&p->j->m, s));
}

static void list_add(struct parser *p, struct node *n, struct node *item)
{
	if ((n->n & (n->n - 1)) == 0) {
		size_t cap = n->n == 0 ? 1 : n->n * 2;

		n->list = arena_grow(p->j->a, n->list, n->n * sizeof(*n->list),
				     cap * sizeof(*n->list));
	}
	n->list[n->n++] = item;
}

/* --- going deep --- */

struct deep {
	struct parser *p;
	struct node *(*fn)(struct parser *p);
	struct node *out;
};

static int run_deep(void *arg)
{
	struct deep *d = arg;

	d->out = d->fn(d->p);
	return 0;
}

/* Calls fn with the nesting counted. */
static struct node *nested(struct parser *p, struct node *(*fn)(struct parser *p))
{
	struct deep d = { p, fn, NULL };

	if (p->depth >= JQ_NESTING_MAX) {
		parse_error(p, p->tok.at, "syntax error: nested too deep");
		return jqp_node(p, N_IDENTITY, p->tok.at);
	}
	p->depth++;
	cmd_charge(p->j->c, 1);
	jq_deep(p->j, run_deep, &d);
	p->depth--;
	return d.out;
}

/* --- strings --- */

static struct node *pipe_level(struct parser *p);
static struct node *unary(struct parser *p);
static struct node *postfix(struct parser *p, bool with_as);
static struct node *binary(struct parser *p, int min);

static struct node *parse_pipe(struct parser *p)
{
	return nested(p, pipe_level);
}

/* Where the piece of text from `at` ends: at a quote or at "\(". */
static size_t piece_end(struct bytes s, size_t at)
{
	while (at < s.len && s.ptr[at] != '"') {
		if (s.ptr[at] == '\\' && at + 1 < s.len) {
			if (s.ptr[at + 1] == '(')
				return at;
			at++;
		}
		at++;
	}
	return at < s.len ? at : s.len;
}

static void add_piece(struct parser *p, struct node *n, size_t from, size_t to)
{
	struct buf text = buf_in(p->j->a);
	struct buf message = buf_in(p->j->a);
	struct json v;

	if (from == to)
		return;
	/* Raw control characters may stand in programs. */
	buf_putc(&text, '"');
	for (size_t i = from; i < to; i++) {
		unsigned char ch = (unsigned char)p->lex.s.ptr[i];

		if (ch < 0x20)
			buf_printf(&text, "\\u%04x", ch);
		else
			buf_putc(&text, (char)ch);
	}
	buf_putc(&text, '"');
	if (json_parse(&p->j->m, buf_bytes(&text), &v, &message) != JSON_VALUE) {
		parse_error(p, (uint32_t)from, buf_cstr(&message));
		v = json_simple(JSON_NULL);
	}
	list_add(p, n, literal(p, (uint32_t)from, v));
}

/* The lexer stands behind the opening quote. */
static struct node *parse_string(struct parser *p, struct bytes format)
{
	uint32_t at = p->tok.at;
	struct node *n = jqp_node(p, N_STRING, at);
	struct bytes s = p->lex.s;

	n->name = format;
	for (;;) {
		size_t end = piece_end(s, p->lex.at);

		add_piece(p, n, p->lex.at, end);
		if (end >= s.len) {
			p->tok = (struct token){ T_END, (uint32_t)p->lex.at, (uint32_t)s.len,
						 BYTES("") };
			jqp_fail(p, "QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END");
			return n;
		}
		p->lex.at = end + 1;
		p->lex.last = (uint32_t)end;
		if (s.ptr[end] == '"')
			break;
		p->lex.at = end + 2;
		jq_lex_open(&p->lex, '(');
		advance(p);
		struct node *part = parse_pipe(p);

		/* Formats apply to what is put in, not to the text around it. */
		if (part->kind == N_LITERAL)
			part->op = 1;
		list_add(p, n, part);
		if (p->failed)
			return n;
		if (!jqp_is(p, ")")) {
			jqp_fail(p, NULL);
			return n;
		}
	}
	advance(p);
	if (n->n == 0)
		return text_literal(p, at, BYTES(""));
	return n->n == 1 && n->list[0]->kind == N_LITERAL && n->list[0]->op == 0 ? n->list[0] : n;
}

/* --- terms --- */

static struct node *if_branches(struct parser *p)
{
	struct node *n = jqp_node(p, N_IF, p->tok.at);

	advance(p);
	n->a = parse_pipe(p);
	jqp_expect(p, "then", NULL);
	if (p->failed)
		return n;
	n->b = parse_pipe(p);
	if (!p->failed && jqp_is(p, "elif")) {
		n->c = nested(p, if_branches);
		return n;
	}
	if (!p->failed && jqp_accept(p, "else"))
		n->c = parse_pipe(p);
	jqp_expect(p, "end", NULL);
	return n;
}

static struct node *parse_if(struct parser *p)
{
	size_t open = p->lex.open;
	struct node *n = if_branches(p);

	if (n->b != NULL)
		hint(p, open, n->at, "Possibly unterminated 'if' statement");
	return n;
}

static struct node *parse_loop(struct parser *p, enum node_kind kind)
{
	struct node *n = jqp_node(p, kind, p->tok.at);

	advance(p);
	n->a = postfix(p, false);
	jqp_expect(p, "as", "FIELD or as or '.' or '['");
	n->pattern = jqp_patterns(p);
	jqp_expect(p, "(", "'('");
	n->b = parse_pipe(p);
	jqp_expect(p, ";", NULL);
	n->c = parse_pipe(p);
	if (kind == N_FOREACH && jqp_accept(p, ";"))
		n->d = parse_pipe(p);
	jqp_expect(p, ")", NULL);
	n->end = p->last_end;
	return n;
}

static struct node *parse_reduce(struct parser *p)
{
	return parse_loop(p, N_REDUCE);
}

static struct node *parse_foreach(struct parser *p)
{
	return parse_loop(p, N_FOREACH);
}

static struct node *parse_call(struct parser *p)
{
	struct node *n = jqp_node(p, N_CALL, p->tok.at);

	n->name = p->tok.text;
	n->end = p->tok.end;
	advance(p);
	if (!jqp_accept(p, "("))
		return n;
	do
		list_add(p, n, parse_pipe(p));
	while (!p->failed && jqp_accept(p, ";"));
	jqp_expect(p, ")", "';' or ')'");
	n->end = p->last_end;
	return n;
}

/* $__loc__: where it stands. */
static struct node *parse_loc(struct parser *p, uint32_t at)
{
	struct json_mem *m = &p->j->m;
	struct json o = json_object(m, 2);
	double line = 1;

	for (uint32_t i = 0; i < at; i++)
		line += p->lex.s.ptr[i] == '\n';
	o = json_set(m, o, json_key(m, BYTES("file")), json_string(m, bytes_of(p->src->name)));
	o = json_set(m, o, json_key(m, BYTES("line")), json_number(line));
	return literal(p, at, o);
}

static struct node *parse_binding(struct parser *p)
{
	struct node *n = jqp_node(p, N_VAR, p->tok.at);

	n->name = p->tok.text;
	n->end = p->tok.end;
	advance(p);
	return bytes_is(n->name, "__loc__") ? parse_loc(p, n->at) : n;
}

static struct node *object_key(struct parser *p)
{
	struct token t = p->tok;

	if (t.kind == T_IDENT || t.kind == T_KEYWORD) {
		advance(p);
		return text_literal(p, t.at, t.text);
	}
	if (t.kind == T_NUMBER) {
		jqp_fail(p, NULL);
		hint(p, p->lex.open, t.at, "May need parentheses around object key expression");
		return NULL;
	}
	if (t.kind == T_QUOTE)
		return parse_string(p, BYTES(""));
	if (t.kind == T_FORMAT) {
		advance(p);
		if (p->tok.kind == T_QUOTE)
			return parse_string(p, t.text);
		jqp_fail(p, "QQSTRING_START");
		return NULL;
	}
	if (jqp_accept(p, "(")) {
		struct node *n = parse_pipe(p);

		jqp_expect(p, ")", NULL);
		return n;
	}
	jqp_fail(p, NULL);
	return NULL;
}

/* ObjVal: terms joined by '|', with a minus maybe. */
static struct node *object_value(struct parser *p)
{
	struct node *n = unary(p);

	while (!p->failed && jqp_is(p, "|")) {
		advance(p);
		n = node2(p, N_PIPE, n, unary(p));
	}
	return n;
}

/* A constant that can't be a key; its value then is in n->value. */
static bool is_wrong_key(struct parser *p, struct node *n)
{
	if (n->kind == N_LITERAL)
		return n->value.kind != JSON_STRING;
	if (n->kind == N_ARRAY && n->a == NULL)
		n->value = json_array(&p->j->m, 0);
	else if (n->kind == N_OBJECT && n->n == 0)
		n->value = json_object(&p->j->m, 0);
	else if (n->kind == N_CALL && n->n == 0 && bytes_is(n->name, "null"))
		n->value = json_simple(JSON_NULL);
	else if (n->kind == N_CALL && n->n == 0 && bytes_is(n->name, "true"))
		n->value = json_simple(JSON_TRUE);
	else if (n->kind == N_CALL && n->n == 0 && bytes_is(n->name, "false"))
		n->value = json_simple(JSON_FALSE);
	else
		return false;
	return true;
}

static void object_member(struct parser *p, struct node *o)
{
	uint32_t at = p->tok.at;
	struct node *key;
	struct node *value;

	if (p->tok.kind == T_BINDING) {
		key = text_literal(p, at, p->tok.text);
		value = parse_binding(p);
	} else {
		bool bracket = jqp_is(p, "(");

		key = object_key(p);
		if (key == NULL || p->failed)
			return;
		if (jqp_accept(p, ":")) {
			value = nested(p, object_value);
			if (bracket && is_wrong_key(p, key))
				jq_complain(p->j, p->src, at, key->end,
					    "Cannot use %s (%s) as object key",
					    json_kind_name(key->value), jq_dump(p->j, key->value));
		} else if (bracket) {
			jqp_fail(p, "':'");
			return;
		} else {
			value = node2(p, N_INDEX, jqp_node(p, N_IDENTITY, at), key);
		}
	}
	list_add(p, o, key);
	list_add(p, o, value);
}

static struct node *parse_object(struct parser *p)
{
	struct node *n = jqp_node(p, N_OBJECT, p->tok.at);

	advance(p);
	while (!p->failed && !jqp_is(p, "}")) {
		object_member(p, n);
		if (!jqp_accept(p, ","))
			break;
	}
	jqp_expect(p, "}", "'}'");
	return n;
}

static struct node *parse_array(struct parser *p)
{
	struct node *n = jqp_node(p, N_ARRAY, p->tok.at);

	advance(p);
	if (!jqp_is(p, "]"))
		n->a = parse_pipe(p);
	jqp_expect(p, "]", NULL);
	return n;
}

static struct node *parse_try(struct parser *p)
{
	struct node *n = jqp_node(p, N_TRY, p->tok.at);
	size_t open = p->lex.open;

	advance(p);
	n->a = unary(p);
	if (!p->failed && jqp_accept(p, "catch")) {
		n->b = unary(p);
		hint(p, open, n->at, "Possibly unterminated 'try' statement");
	}
	return n;
}

static struct node *parse_label(struct parser *p)
{
	struct node *n = jqp_node(p, N_LABEL, p->tok.at);

	advance(p);
	n->name = jqp_word(p, T_BINDING);
	jqp_expect(p, "|", "'|'");
	n->a = parse_pipe(p);
	return n;
}

static struct node *parse_number(struct parser *p)
{
	uint32_t at = p->tok.at;
	struct json v = json_parse_number(&p->j->m, p->tok.text);

	advance(p);
	return literal(p, at, v);
}

static struct node *parse_def_node(struct parser *p)
{
	struct node *n = jqp_node(p, N_DEF, p->tok.at);

	n->def = jqp_def(p);
	n->a = parse_pipe(p);
	return n;
}

static struct node *keyword_term(struct parser *p)
{
	struct bytes word = p->tok.text;

	if (bytes_is(word, "if"))
		return nested(p, parse_if);
	if (bytes_is(word, "reduce"))
		return nested(p, parse_reduce);
	if (bytes_is(word, "foreach"))
		return nested(p, parse_foreach);
	if (bytes_is(word, "try"))
		return nested(p, parse_try);
	if (bytes_is(word, "label"))
		return parse_label(p);
	if (bytes_is(word, "def"))
		return parse_def_node(p);
	jqp_fail(p, NULL);
	return jqp_node(p, N_IDENTITY, p->tok.at);
}

static struct node *dot_term(struct parser *p)
{
	struct node *n = jqp_node(p, N_IDENTITY, p->tok.at);

	advance(p);
	if (p->tok.kind == T_QUOTE) {
		n = node2(p, N_INDEX, n, parse_string(p, BYTES("")));
		p->field_term = true;
	}
	return n;
}

static struct node *format_term(struct parser *p)
{
	struct token t = p->tok;
	struct node *n;

	advance(p);
	if (p->tok.kind == T_QUOTE)
		return parse_string(p, t.text);
	n = jqp_node(p, N_FORMAT, t.at);
	n->name = t.text;
	return n;
}

static struct node *field_of(struct parser *p, struct node *n)
{
	struct node *key = text_literal(p, p->tok.at, p->tok.text);

	advance(p);
	return node2(p, N_INDEX, n, key);
}

static struct node *op_term(struct parser *p)
{
	uint32_t at = p->tok.at;
	struct node *n;

	if (jqp_is(p, "."))
		return dot_term(p);
	if (jqp_accept(p, ".."))
		return jqp_node(p, N_RECURSE, at);
	if (jqp_is(p, "["))
		return parse_array(p);
	if (jqp_is(p, "{"))
		return parse_object(p);
	if (jqp_accept(p, "(")) {
		n = parse_pipe(p);
		jqp_expect(p, ")", NULL);
		return n;
	}
	if (jqp_is(p, "$")) {
		advance(p);
		if (jqp_accept(p, "__loc__"))
			return parse_loc(p, at);
		jqp_fail(p, "'$'");
	}
	jqp_fail(p, NULL);
	return jqp_node(p, N_IDENTITY, at);
}

static struct node *term(struct parser *p)
{
	struct node *n;

	switch (p->tok.kind) {
	case T_NUMBER: return parse_number(p);
	case T_QUOTE: return parse_string(p, BYTES(""));
	case T_FORMAT: return format_term(p);
	case T_BINDING: return parse_binding(p);
	case T_FIELD:
		n = field_of(p, jqp_node(p, N_IDENTITY, p->tok.at));
		p->field_term = true;
		return n;
	case T_KEYWORD: return keyword_term(p);
	case T_OP: return op_term(p);
	case T_IDENT:
		if (!bytes_is(p->tok.text, "break"))
			return parse_call(p);
		n = jqp_node(p, N_BREAK, p->tok.at);
		advance(p);
		if (p->tok.kind != T_BINDING) {
			jqp_fail(p, "BINDING");
			hint(p, p->failed_in, n->at, "break requires a label to break to");
			return n;
		}
		n->name = jqp_word(p, T_BINDING);
		n->end = p->last_end;
		return n;
	default: jqp_fail(p, NULL); return jqp_node(p, N_IDENTITY, p->tok.at);
	}
}

/* What stands in brackets behind a term. */
static struct node *bracket_suffix(struct parser *p, struct node *n)
{
	struct node *out;
	struct node *from = NULL;

	advance(p);
	if (jqp_accept(p, "]")) {
		out = jqp_node(p, N_EACH, n->at);
		out->a = n;
		return out;
	}
	if (!jqp_is(p, ":"))
		from = parse_pipe(p);
	if (from != NULL && jqp_accept(p, "]"))
		return node2(p, N_INDEX, n, from);
	jqp_expect(p, ":", NULL);
	out = jqp_node(p, N_SLICE, n->at);
	out->a = n;
	out->b = from;
	if (from == NULL || !jqp_is(p, "]"))
		out->c = parse_pipe(p);
	jqp_expect(p, "]", NULL);
	return out;
}

static struct node *parse_as(struct parser *p, struct node *n)
{
	struct node *as = jqp_node(p, N_AS, n->at);

	advance(p);
	as->a = n;
	as->pattern = jqp_patterns(p);
	jqp_expect(p, "|", "'|'");
	as->b = parse_pipe(p);
	return as;
}

/* `?` behind an access is about that access only; behind anything else about all of it. */
static struct node *optional(struct parser *p, struct node *n, bool suffix)
{
	struct node *try;

	if (suffix && n->op == 0) {
		n->op = 1;
		return n;
	}
	try = jqp_node(p, N_TRY, n->at);
	try->a = n;
	return try;
}

static struct node *postfix(struct parser *p, bool with_as)
{
	struct node *n = term(p);

	bool suffix = n->kind == N_INDEX && p->field_term;

	p->field_term = false;
	while (!p->failed) {
		if (jqp_is(p, "?")) {
			advance(p);
			n = optional(p, n, suffix);
			suffix = false;
			continue;
		}
		if (with_as && jqp_is(p, "as"))
			return parse_as(p, n);
		suffix = true;
		if (p->tok.kind == T_FIELD) {
			n = field_of(p, n);
		} else if (jqp_is(p, "[")) {
			n = bracket_suffix(p, n);
		} else if (jqp_is(p, ".")) {
			advance(p);
			if (p->tok.kind == T_QUOTE)
				n = node2(p, N_INDEX, n, parse_string(p, BYTES("")));
			else if (jqp_is(p, "["))
				n = bracket_suffix(p, n);
			else
				jqp_fail(p, "FORMAT or QQSTRING_START or '['");
		} else {
			break;
		}
	}
	return n;
}

static struct node *negated(struct parser *p)
{
	struct node *n = jqp_node(p, N_NEGATE, p->tok.at);

	advance(p);
	n->a = binary(p, 9);
	return n;
}

static struct node *unary(struct parser *p)
{
	return jqp_is(p, "-") ? nested(p, negated) : postfix(p, true);
}

/* --- operators --- */

struct operator
{
	const char *text;
	uint8_t level; /* the higher the tighter */
	uint8_t kind;
	uint8_t op;
	bool right;
	bool alone; /* not associative */
};

static const struct operator operators[] = {
	{ ",", 2, N_COMMA, 0, false, false },      { "//", 3, N_ALT, 0, true, false },
	{ "=", 4, N_ASSIGN, B_SET, false, true },  { "|=", 4, N_ASSIGN, B_UPDATE, false, true },
	{ "+=", 4, N_ASSIGN, B_ADD, false, true }, { "-=", 4, N_ASSIGN, B_SUB, false, true },
	{ "*=", 4, N_ASSIGN, B_MUL, false, true }, { "/=", 4, N_ASSIGN, B_DIV, false, true },
	{ "%=", 4, N_ASSIGN, B_MOD, false, true }, { "//=", 4, N_ASSIGN, B_ALT, false, true },
	{ "or", 5, N_OR, 0, false, false },        { "and", 6, N_AND, 0, false, false },
	{ "==", 7, N_BINARY, B_EQ, false, true },  { "!=", 7, N_BINARY, B_NE, false, true },
	{ "<", 7, N_BINARY, B_LT, false, true },   { "<=", 7, N_BINARY, B_LE, false, true },
	{ ">", 7, N_BINARY, B_GT, false, true },   { ">=", 7, N_BINARY, B_GE, false, true },
	{ "+", 8, N_BINARY, B_ADD, false, false }, { "-", 8, N_BINARY, B_SUB, false, false },
	{ "*", 9, N_BINARY, B_MUL, false, false }, { "/", 9, N_BINARY, B_DIV, false, false },
	{ "%", 9, N_BINARY, B_MOD, false, false },
};

static const struct operator* find_operator(struct parser *p)
{
	if (p->tok.kind != T_OP && p->tok.kind != T_KEYWORD)
		return NULL;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (bytes_is(p->tok.text, operators[i].text))
			return &operators[i];
	return NULL;
}

static struct node *right_alt(struct parser *p)
{
	return binary(p, 3);
}

static struct node *binary(struct parser *p, int min)
{
	struct node *n = unary(p);
	const struct operator* op;

	while (!p->failed && (op = find_operator(p)) != NULL && op->level >= min) {
		struct node *b;

		advance(p);
		b = op->right ? nested(p, right_alt) : binary(p, op->level + 1);
		n = node2(p, op->kind, n, b);
		n->op = op->op;
		const struct operator* next = find_operator(p);

		if (op->alone && next != NULL && next->level == op->level)
			jqp_fail(p, NULL);
	}
	return n;
}

static struct node *pipe_level(struct parser *p)
{
	struct node *first = binary(p, 2);
	struct node **tail = &first;

	while (!p->failed && jqp_accept(p, "|")) {
		struct node *n = node2(p, N_PIPE, *tail, binary(p, 2));

		*tail = n;
		tail = &n->b;
	}
	return first;
}

bool jqp_starts(struct parser *p)
{
	static const char *const words[] = {
		".",  "..",     "[",       "{",   "(",     "-",   "$",
		"if", "reduce", "foreach", "try", "label", "def", NULL
	};

	if (p->tok.kind != T_OP && p->tok.kind != T_KEYWORD)
		return p->tok.kind != T_BAD;
	for (const char *const *w = words; *w != NULL; w++)
		if (bytes_is(p->tok.text, *w))
			return true;
	return false;
}

struct node *jqp_main(struct parser *p)
{
	return parse_pipe(p);
}

struct node *jqp_key(struct parser *p)
{
	return object_key(p);
}

void jqp_advance(struct parser *p)
{
	advance(p);
}
