/* SPDX-License-Identifier: MIT
 *
 * [[ expression ]]: bash has error messages of its own for it.
 */
#include "interp/parser.h"

struct cond_level {
	struct parser *p;
	struct cond *out;
};

static struct cond *parse_or(struct parser *p);

static const char *const binary_ops[] = { "=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
					  "-le", "-gt", "-ge", "-nt", "-ot", "-ef" };

static bool is_unary(struct bytes text)
{
	return text.len == 2 && text.ptr[0] == '-' &&
	       memchr("abcdefghknoprstuvwxzGLNORS", text.ptr[1], 26) != NULL;
}

static bool is_binary(struct bytes text)
{
	for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
		if (bytes_is(text, binary_ops[i]))
			return true;
	return false;
}

/* The unquoted literal of the word token, else empty. */
static struct bytes operator_text(struct parser *p)
{
	if (token_peek(p, CTX_NO_BRACES) != TOK_WORD || (p->tok.word->flags & WORD_QUOTED) ||
	    !(p->tok.word->flags & WORD_LITERAL))
		return BYTES("");
	return p->tok.word->literal;
}

static bool at_end(struct parser *p)
{
	return token_peek(p, CTX_NO_BRACES) == TOK_WORD && p->tok.reserved == RW_CONDEND;
}

static void skip_newlines(struct parser *p)
{
	token_skip_newlines(p, CTX_NO_BRACES);
}

static void *fail_plain(struct parser *p, struct bytes message)
{
	bool more;

	if (p->failed)
		return NULL;
	more = p->tok.kind != TOK_EOF && source_raw(p) >= 0;
	parse_fail(p, p->tok.line, message);
	/* In mid-script it does not set the status of the script, which ends by it. */
	p->error.status = more ? PARSE_STATUS_LAST : PARSE_STATUS_LAST_OR_2;
	return NULL;
}

/* A descriptor is a token that bash has no text for: it shows its number, or nothing. */
static struct bytes no_text(struct parser *p, const char *before, const char *after)
{
	int number = p->tok.kind == TOK_IO_NUMBER ? 284 : 283;

	if (strcmp(after, " in conditional command") == 0)
		return parse_text(p, "%s%d%s", before, number, after);
	if (after[0] == '\0')
		return parse_text(p, "%.*s", (int)strcspn(before, ":"), before);
	return after[0] == ',' ? bytes_of(after + 2)
			       : parse_text(p, "%.*s%s", (int)strlen(before) - 1, before, after);
}

/* A message about the next token, which stands between the two texts. */
static void *fail_at_token(struct parser *p, const char *before, const char *after)
{
	struct bytes text = BYTES("newline");

	if (p->failed)
		return NULL;
	if (p->tok.kind == TOK_IO_NUMBER || p->tok.kind == TOK_IO_VAR)
		return fail_plain(p, no_text(p, before, after));
	if (p->tok.kind == TOK_EOF)
		text = BYTES("EOF");
	else if (p->tok.kind != TOK_NEWLINE)
		text = source_slice(p, p->tok.start, p->tok.end);
	return fail_plain(p, parse_text(p, "%s`%.*s'%s", before, (int)text.len, text.ptr, after));
}

static struct cond *cond_new(struct parser *p, enum cond_kind kind)
{
	struct cond *c = arena_zalloc(p->arena, sizeof *c);

	c->kind = kind;
	c->line = p->tok.line;
	return c;
}

static struct cond *cond_pair(struct parser *p, enum cond_kind kind, struct cond *left,
			      struct cond *right)
{
	struct cond *c = cond_new(p, kind);

	c->left = left;
	c->right = right;
	return c;
}

#define NO_ARGUMENT "unexpected argument to conditional "
#define NO_END      "unexpected EOF while looking for `]]'"
#define NO_OPERATOR "conditional binary operator expected"

/* Where quotes or an expansion do not end, bash says too what is missing then. */
static void *also_missing(struct parser *p, int line, struct bytes message)
{
	if (p->failed && p->error.at_end && p->error.message[1].len == 0) {
		p->error.message[1] = message;
		p->error.second_line = line;
	}
	return NULL;
}

/* --- terms --- */

static struct cond *parse_unary(struct parser *p)
{
	struct cond *c = cond_new(p, COND_UNARY);
	struct bytes op = p->tok.word->literal;

	memcpy(c->op, op.ptr, op.len);
	token_next(p);
	if (token_peek(p, CTX_NO_BRACES) != TOK_WORD || at_end(p))
		fail_at_token(p, "unexpected argument ", " to conditional unary operator");
	if (p->failed)
		return also_missing(p, p->line, BYTES(NO_ARGUMENT "unary operator"));
	c->a = p->tok.word;
	token_next(p);
	skip_newlines(p);
	return c;
}

/* 2> and {name}> are no expression. */
static bool is_descriptor(struct parser *p, const struct word *w)
{
	int next = source_raw(p);
	size_t digits = 0;

	if (next != '<' && next != '>')
		return false;
	while (digits < w->literal.len && byte_is_digit(w->literal.ptr[digits]))
		digits++;
	return digits == w->literal.len ||
	       (w->literal.ptr[0] == '{' && bytes_ends(w->literal, BYTES("}")));
}

static struct word *parse_regex(struct parser *p)
{
	struct word *w;
	size_t start;

	lex_skip_blanks(p);
	start = p->pos;
	w = word_read(p, MODE_REGEX, false);
	if (w != NULL && p->pos > start && !bytes_is(w->literal, "]]") && !is_descriptor(p, w))
		return w;
	if (w != NULL) {
		p->pos = start;
		token_peek(p, CTX_NO_BRACES);
		fail_at_token(p, "unexpected argument ", " to conditional binary operator");
	}
	return NULL;
}

static struct word *parse_right(struct parser *p, const struct cond *c)
{
	bool pattern = c->op[0] == '=' || c->op[0] == '!';
	struct word *w;

	if (bytes_is(bytes_of(c->op), "=~"))
		return parse_regex(p);
	if (token_peek(p, pattern ? CTX_COND : CTX_NO_BRACES) != TOK_WORD || at_end(p))
		return fail_at_token(p, "unexpected argument ", " to conditional binary operator");
	w = p->tok.word;
	token_next(p);
	return w;
}

/* Behind the first word of a comparison. */
static struct cond *parse_binary(struct parser *p, struct word *left)
{
	struct cond *c = cond_new(p, COND_BINARY);

	if (p->tok.kind == TOK_WORD)
		memcpy(c->op, p->tok.word->literal.ptr, p->tok.word->literal.len);
	else
		c->op[0] = p->tok.kind == TOK_LESS ? '<' : '>';
	token_next(p);
	c->a = left;
	c->b = parse_right(p, c);
	if (c->b == NULL)
		return also_missing(p, p->line, BYTES(NO_ARGUMENT "binary operator"));
	skip_newlines(p);
	return c;
}

static struct cond *parse_word_term(struct parser *p)
{
	struct word *left = p->tok.word;
	struct cond *c;
	enum tok_kind kind;

	token_next(p);
	kind = token_peek(p, CTX_NO_BRACES);
	if (kind == TOK_LESS || kind == TOK_GREAT || is_binary(operator_text(p)))
		return parse_binary(p, left);
	if (at_end(p) || kind == TOK_AND || kind == TOK_OR || kind == TOK_RPAREN) {
		c = cond_new(p, COND_WORD);
		c->a = left;
		return c;
	}
	if (p->failed)
		return also_missing(p, p->line, BYTES(NO_OPERATOR));
	if (kind == TOK_WORD)
		return fail_plain(p, BYTES(NO_OPERATOR));
	return fail_at_token(p, "unexpected token ", ", conditional binary operator expected");
}

/* Behind ( . */
static struct cond *parse_group_term(struct parser *p)
{
	struct cond *inner;

	token_next(p);
	inner = parse_or(p);
	if (inner == NULL) {
		if (p->error.message[1].len == 0 && p->error.message[0].len != 0) {
			p->error.message[1] = BYTES("expected `)'");
			p->error.second_line = p->error.line;
		}
		return NULL;
	}
	if (token_peek(p, CTX_NO_BRACES) == TOK_WORD && !at_end(p))
		return fail_plain(p, BYTES("expected `)'"));
	if (p->tok.kind != TOK_RPAREN)
		return fail_at_token(p, "unexpected token ", ", expected `)'");
	token_next(p);
	skip_newlines(p);
	return cond_pair(p, COND_GROUP, inner, NULL);
}

static struct cond *parse_term(struct parser *p);

static struct cond *parse_not(struct parser *p)
{
	struct cond *inner;

	token_next(p);
	inner = parse_term(p);
	return inner != NULL ? cond_pair(p, COND_NOT, inner, NULL) : NULL;
}

static int term_run(void *arg)
{
	struct cond_level *level = arg;
	struct parser *p = level->p;
	enum tok_kind kind;

	skip_newlines(p);
	kind = token_peek(p, CTX_NO_BRACES);
	if (at_end(p))
		fail_plain(p, BYTES(""));
	else if (kind == TOK_LPAREN)
		level->out = parse_group_term(p);
	else if (kind != TOK_WORD)
		fail_at_token(p, "unexpected token ", " in conditional command");
	else if (p->tok.reserved == RW_BANG)
		level->out = parse_not(p);
	else if (is_unary(operator_text(p)))
		level->out = parse_unary(p);
	else
		level->out = parse_word_term(p);
	return 0;
}

static struct cond *parse_term(struct parser *p)
{
	struct cond_level level = { .p = p };

	parse_deeper(p, term_run, &level);
	return p->failed ? NULL : level.out;
}

/* --- && and || --- */

static struct cond *parse_and(struct parser *p)
{
	struct cond *c = parse_term(p);

	while (c != NULL && token_peek(p, CTX_NO_BRACES) == TOK_AND) {
		struct cond *right;

		token_next(p);
		right = parse_term(p);
		c = right != NULL ? cond_pair(p, COND_AND, c, right) : NULL;
	}
	return c;
}

static struct cond *parse_or(struct parser *p)
{
	struct cond *c = parse_and(p);

	while (c != NULL && token_peek(p, CTX_NO_BRACES) == TOK_OR) {
		struct cond *right;

		token_next(p);
		right = parse_and(p);
		c = right != NULL ? cond_pair(p, COND_OR, c, right) : NULL;
	}
	return c;
}

struct node *parse_cond_command(struct parser *p)
{
	struct cond_node *n = node_new(p, NODE_COND, sizeof *n, p->tok.line);

	token_next(p);
	n->cond = parse_or(p);
	if (n->cond == NULL)
		return NULL;
	if (at_end(p)) {
		/* bash numbers what is combined by where it ends. */
		n->node.line = n->cond->kind == COND_UNARY || n->cond->kind == COND_BINARY ||
					       n->cond->kind == COND_WORD
				       ? n->cond->line
				       : p->tok.line;
		token_next(p);
		return &n->node;
	}
	if (p->failed)
		return also_missing(p, n->node.line, BYTES(NO_END));
	if (p->tok.kind == TOK_EOF) {
		parse_fail(p, n->node.line, BYTES(NO_END));
		p->error.at_end = true;
		p->error.status = PARSE_STATUS_LAST_OR_2;
		return NULL;
	}
	if (p->tok.kind == TOK_WORD) {
		fail_plain(p, BYTES("syntax error in conditional expression"));
		p->error.line = n->node.line;
		return NULL;
	}
	return fail_at_token(p, "syntax error in conditional expression: unexpected token ", "");
}
