/* SPDX-License-Identifier: MIT
 *
 * Compound commands and functions.
 */
#include "interp/parser.h"

/* --- groups --- */

static struct node *parse_group(struct parser *p, int line)
{
	struct group *g = node_new(p, NODE_GROUP, sizeof *g, line);

	token_next(p);
	g->body = parse_compound_list(p);
	if (g->body == NULL || !token_expect(p, RW_RBRACE))
		return NULL;
	return &g->node;
}

/* Behind ( . */
static struct node *parse_subshell(struct parser *p, int line)
{
	struct group *g = node_new(p, NODE_SUBSHELL, sizeof *g, line);

	token_next(p);
	g->body = parse_compound_list(p);
	if (g->body == NULL)
		return NULL;
	if (token_peek(p, CTX_COMMAND) != TOK_RPAREN)
		return parse_fail_token(p);
	g->last_line = p->line;
	token_next(p);
	return &g->node;
}

/* The token is ( and another one follows directly: an arithmetic command, or NULL. */
static struct node *parse_arith_command(struct parser *p, int line)
{
	struct arith_node *n;
	struct token saved = p->tok;
	struct arith_text *expr;

	p->pos++;
	expr = parse_arith_parens(p, line);
	if (expr == NULL) {
		p->pos--;
		p->tok = saved;
		p->has_tok = true;
		return NULL;
	}
	n = node_new(p, NODE_ARITH, sizeof *n, p->line); /* where it ends, as in bash */
	n->expr = expr;
	token_next(p);
	return &n->node;
}

static struct node *parse_parens(struct parser *p, int line)
{
	struct node *n = NULL;

	if (p->pos < p->len && p->src[p->pos] == '(')
		n = parse_arith_command(p, line);
	if (n != NULL || p->failed)
		return n;
	return parse_subshell(p, line);
}

/* --- if, while --- */

/* At if or elif, up to what follows the commands of then. */
static struct if_node *parse_branch(struct parser *p, int line)
{
	struct if_node *n = node_new(p, NODE_IF, sizeof *n, line);

	token_next(p);
	n->test = parse_compound_list(p);
	if (n->test == NULL || !token_expect(p, RW_THEN))
		return NULL;
	n->then = parse_compound_list(p);
	return n->then != NULL ? n : NULL;
}

static struct node *parse_if(struct parser *p, int line)
{
	struct if_node *first = parse_branch(p, line);
	struct if_node *last = first;

	while (last != NULL && token_is(p, RW_ELIF)) {
		struct if_node *n = parse_branch(p, p->tok.line);

		if (n == NULL)
			return NULL;
		n->is_elif = true;
		last->otherwise = &n->node;
		last = n;
	}
	if (last != NULL && token_is(p, RW_ELSE)) {
		token_next(p);
		last->otherwise = parse_compound_list(p);
		if (last->otherwise == NULL)
			return NULL;
	}
	return last != NULL && token_expect(p, RW_FI) ? &first->node : NULL;
}

/* do ... done */
static struct node *parse_do(struct parser *p)
{
	struct node *body;

	if (!token_expect(p, RW_DO))
		return NULL;
	body = parse_compound_list(p);
	return body != NULL && token_expect(p, RW_DONE) ? body : NULL;
}

static struct node *parse_while(struct parser *p, int line)
{
	enum node_kind kind = p->tok.reserved == RW_WHILE ? NODE_WHILE : NODE_UNTIL;
	struct loop *n = node_new(p, kind, sizeof *n, line);

	token_next(p);
	n->test = parse_compound_list(p);
	if (n->test == NULL)
		return NULL;
	n->body = parse_do(p);
	return n->body != NULL ? &n->node : NULL;
}

/* --- for, select --- */

/* do ... done, or { ... } */
static struct node *parse_for_body(struct parser *p)
{
	struct node *body;

	token_skip_newlines(p, CTX_COMMAND);
	if (!token_is(p, RW_LBRACE))
		return parse_do(p);
	token_next(p);
	body = parse_compound_list(p);
	return body != NULL && token_expect(p, RW_RBRACE) ? body : NULL;
}

/* The words behind in, up to the end of the line or ; . */
static bool parse_for_words(struct parser *p, struct for_node *n)
{
	size_t base = p->items.len;

	n->has_in = true;
	token_next(p);
	while (token_peek(p, CTX_ARG) == TOK_WORD) {
		stack_push(p, &p->items, &p->tok.word, sizeof p->tok.word);
		token_next(p);
	}
	if (token_peek(p, CTX_ARG) != TOK_SEMI && p->tok.kind != TOK_NEWLINE)
		return p->failed ? false : parse_fail_token(p);
	n->words = stack_take(p, &p->items, base, sizeof *n->words, &n->nwords);
	token_next(p);
	return true;
}

static struct node *parse_for_in(struct parser *p, enum node_kind kind, int line)
{
	struct for_node *n = node_new(p, kind, sizeof *n, line);

	if (token_peek(p, CTX_NO_BRACES) != TOK_WORD)
		return parse_fail_token(p);
	n->name = arena_bytes(p->arena, source_slice(p, p->tok.start, p->tok.end));
	n->hash = bytes_hash(n->name);
	token_next(p);
	if (token_peek(p, CTX_COMMAND) == TOK_SEMI) {
		token_next(p);
	} else {
		token_skip_newlines(p, CTX_COMMAND);
		if (token_is(p, RW_IN) && !parse_for_words(p, n))
			return NULL;
	}
	n->body = parse_for_body(p);
	return n->body != NULL ? &n->node : NULL;
}

/* One of the three expressions; *out NULL if it is empty. */
static bool parse_for_expr(struct parser *p, struct arith_text **out)
{
	struct word_state w;
	struct word *word;
	size_t start;
	int c;

	while (c = source_peek(p), c == ' ' || c == '\t')
		source_step(p);
	start = p->pos;
	word_begin(p, &w, MODE_ARITH);
	w.stop = ';';
	if (!word_pieces(p, &w))
		return false;
	word = word_finish(p, &w, start, p->line);
	*out = p->pos > start ? arith_of_word(p, word) : NULL;
	return true;
}

/* "arithmetic expression required" or "`;' unexpected", with the text of the head. */
static void *fail_for_head(struct parser *p, size_t start, int line, const char *message)
{
	struct word_state w;

	word_begin(p, &w, MODE_ARITH);
	w.stop = ')';
	if (!word_pieces(p, &w))
		return NULL;
	if (source_peek(p) < 0)
		return parse_fail_matching(p, line, ')');
	parse_fail(p, line, bytes_of(message));
	p->error.message[1] = parse_text(p, "syntax error: `%.*s))'", (int)(p->pos - start),
					 p->src + start);
	p->error.second_line = line;
	return NULL;
}

/* Behind for: ((init; test; step)). */
static struct node *parse_cfor(struct parser *p, int line)
{
	struct cfor *n = node_new(p, NODE_CFOR, sizeof *n, line);
	struct arith_text **const exprs[] = { &n->init, &n->test, &n->step };
	size_t start = p->tok.start;

	p->pos++;
	token_next(p);
	for (int i = 0; i < 3; i++) {
		if (!parse_for_expr(p, exprs[i]))
			return NULL;
		if (i < 2 && !source_accept(p, ';'))
			return source_peek(p) < 0
				       ? parse_fail_matching(p, line, ')')
				       : fail_for_head(
						 p, start, line,
						 "syntax error: arithmetic expression required");
	}
	if (source_peek(p) == ';')
		return fail_for_head(p, start, line, "syntax error: `;' unexpected");
	if (source_peek(p) < 0)
		return parse_fail_matching(p, line, ')');
	p->pos++;
	if (!source_accept(p, ')'))
		return parse_fail_token(p);
	if (token_peek(p, CTX_COMMAND) == TOK_SEMI)
		token_next(p);
	n->body = parse_for_body(p);
	return n->body != NULL ? &n->node : NULL;
}

static struct node *parse_for(struct parser *p, int line)
{
	token_next(p);
	if (token_peek(p, CTX_NO_BRACES) == TOK_LPAREN && p->pos < p->len && p->src[p->pos] == '(')
		return parse_cfor(p, line);
	return parse_for_in(p, NODE_FOR, line);
}

static struct node *parse_select(struct parser *p, int line)
{
	token_next(p);
	return parse_for_in(p, NODE_SELECT, line);
}

/* --- case --- */

/* pattern | pattern ) , maybe behind ( . */
static bool parse_patterns(struct parser *p, struct case_item *item)
{
	size_t base = p->items.len;

	if (token_peek(p, CTX_NO_BRACES) == TOK_LPAREN) {
		token_next(p);
		token_peek(p, CTX_NO_BRACES);
	}
	for (;;) {
		if (token_peek(p, CTX_NO_BRACES) != TOK_WORD)
			return p->failed ? false : parse_fail_token(p);
		stack_push(p, &p->items, &p->tok.word, sizeof p->tok.word);
		token_next(p);
		if (token_peek(p, CTX_NO_BRACES) != TOK_PIPE)
			break;
		token_next(p);
	}
	if (p->tok.kind != TOK_RPAREN || p->failed)
		return p->failed ? false : parse_fail_token(p);
	item->patterns = stack_take(p, &p->items, base, sizeof *item->patterns, &item->npatterns);
	token_next(p);
	return true;
}

/* One item; *last when it did not end in ;; or the like. */
static bool parse_case_item(struct parser *p, bool *last)
{
	struct case_item item = { .line = p->tok.line };

	if (!parse_patterns(p, &item) || !parse_optional_list(p, &item.body))
		return false;
	switch (token_peek(p, CTX_COMMAND)) {
	case TOK_SEMI_AMP: item.end = CASE_FALL; break;
	case TOK_DSEMI_AMP: item.end = CASE_CONTINUE; break;
	case TOK_DSEMI: break;
	default: *last = true;
	}
	if (!*last)
		token_next(p);
	stack_push(p, &p->items, &item, sizeof item);
	return !p->failed;
}

static struct node *parse_case(struct parser *p, int line)
{
	struct case_node *n = node_new(p, NODE_CASE, sizeof *n, line);
	size_t base = p->items.len;
	bool last = false;

	token_next(p);
	if (token_peek(p, CTX_NO_BRACES) != TOK_WORD)
		return parse_fail_token(p);
	n->subject = p->tok.word;
	n->node.line = p->line; /* where the word ends, as bash has it */
	token_next(p);
	token_skip_newlines(p, CTX_COMMAND);
	if (!token_expect(p, RW_IN))
		return NULL;
	for (;;) {
		token_skip_newlines(p, CTX_NO_BRACES);
		if (last ||
		    (token_peek(p, CTX_NO_BRACES) == TOK_WORD && p->tok.reserved == RW_ESAC))
			break;
		if (!parse_case_item(p, &last))
			return NULL;
	}
	if (!token_expect(p, RW_ESAC))
		return NULL;
	n->items = stack_take(p, &p->items, base, sizeof *n->items, &n->nitems);
	return &n->node;
}

/* --- functions, coprocesses --- */

static struct node *function_node(struct parser *p, struct bytes name, bool keyword, int line)
{
	struct function_node *f = node_new(p, NODE_FUNCTION, sizeof *f, line);

	f->name = name;
	f->hash = bytes_hash(name);
	f->ast = p->ast;
	f->keyword = keyword;
	token_skip_newlines(p, CTX_COMMAND);
	f->body = parse_compound(p);
	/* At the top nothing behind the body has been read yet, as bash sees it. */
	f->last_line = p->line - (p->depth == keyword && p->has_tok && p->tok.kind == TOK_NEWLINE);
	return f->body != NULL ? &f->node : NULL;
}

struct node *parse_function_parens(struct parser *p, const struct word *name, int line)
{
	struct bytes text = (name->flags & (WORD_LITERAL | WORD_QUOTED)) == WORD_LITERAL
				    ? name->literal
				    : arena_bytes(p->arena,
						  source_slice(p, (size_t)(uintptr_t)name->text.ptr,
							       (size_t)(uintptr_t)name->text.ptr +
								       name->text.len));

	token_next(p);
	if (token_peek(p, CTX_COMMAND) != TOK_RPAREN)
		return parse_fail_token(p);
	token_next(p);
	return function_node(p, text, false, line);
}

/* Behind function. */
static struct node *parse_function_keyword(struct parser *p, int line)
{
	struct bytes name;

	token_next(p);
	if (token_peek(p, CTX_NO_BRACES) != TOK_WORD)
		return parse_fail_token(p);
	name = arena_bytes(p->arena, source_slice(p, p->tok.start, p->tok.end));
	token_next(p);
	if (token_peek(p, CTX_COMMAND) == TOK_LPAREN &&
	    !(p->pos < p->len && p->src[p->pos] == '(')) {
		struct source_mark mark = source_mark(p);
		struct token paren = p->tok;

		token_next(p);
		if (token_peek(p, CTX_COMMAND) == TOK_RPAREN) {
			token_next(p);
		} else {
			source_return(p, mark);
			p->tok = paren;
			p->has_tok = true;
		}
	}
	return function_node(p, name, true, line);
}

static bool begins_compound(struct parser *p)
{
	enum tok_kind kind = token_peek(p, CTX_COMMAND);

	if (kind == TOK_LPAREN)
		return true;
	if (kind != TOK_WORD)
		return false;
	switch (p->tok.reserved) {
	case RW_IF:
	case RW_CASE:
	case RW_FOR:
	case RW_SELECT:
	case RW_WHILE:
	case RW_UNTIL:
	case RW_LBRACE:
	case RW_COND: return true;
	default: return false;
	}
}

/* coproc command, or coproc NAME compound. */
static struct node *parse_coproc(struct parser *p, int line)
{
	struct coproc_node *n = node_new(p, NODE_COPROC, sizeof *n, line);

	n->name = BYTES("COPROC");
	token_next(p);
	if (!begins_compound(p) && token_peek(p, CTX_COMMAND) == TOK_WORD) {
		struct source_mark mark = source_mark(p);
		struct token name = p->tok;

		token_next(p);
		if (begins_compound(p)) {
			n->name = arena_bytes(p->arena, source_slice(p, name.start, name.end));
		} else if (!p->failed) {
			source_return(p, mark);
			p->tok = name;
			p->has_tok = true;
		}
	}
	n->body = parse_command(p);
	return n->body != NULL ? &n->node : NULL;
}

/* --- all of them --- */

static struct node *parse_reserved(struct parser *p, int line)
{
	switch (p->tok.reserved) {
	case RW_IF: return parse_if(p, line);
	case RW_CASE: return parse_case(p, line);
	case RW_FOR: return parse_for(p, line);
	case RW_SELECT: return parse_select(p, line);
	case RW_WHILE:
	case RW_UNTIL: return parse_while(p, line);
	case RW_LBRACE: return parse_group(p, line);
	case RW_COND: return parse_cond_command(p);
	default: return parse_fail_token(p);
	}
}

struct compound {
	struct parser *p;
	struct node *(*parse)(struct parser *p, int line);
	struct node *out;
};

static int compound_run(void *arg)
{
	struct compound *c = arg;

	c->out = c->parse(c->p, c->p->tok.line);
	return 0;
}

static struct node *deeper(struct parser *p, struct node *(*parse)(struct parser *p, int line))
{
	struct compound c = { .p = p, .parse = parse };

	parse_deeper(p, compound_run, &c);
	return p->failed ? NULL : c.out;
}

struct node *parse_compound(struct parser *p)
{
	enum tok_kind kind = token_peek(p, CTX_COMMAND);
	struct node *n;

	if (kind != TOK_LPAREN && kind != TOK_WORD)
		return parse_fail_token(p);
	n = deeper(p, kind == TOK_LPAREN ? parse_parens : parse_reserved);
	return n != NULL && parse_redirs(p, n) ? n : NULL;
}

struct node *parse_command(struct parser *p)
{
	enum tok_kind kind = token_peek(p, CTX_COMMAND);

	if (begins_compound(p))
		return parse_compound(p);
	if (kind == TOK_ASSIGN || token_is_redir(kind))
		return parse_simple(p);
	if (kind != TOK_WORD)
		return parse_fail_token(p);
	switch (p->tok.reserved) {
	case RW_FUNCTION: return deeper(p, parse_function_keyword);
	case RW_COPROC: return deeper(p, parse_coproc);
	case RW_THEN:
	case RW_ELSE:
	case RW_ELIF:
	case RW_FI:
	case RW_DO:
	case RW_DONE:
	case RW_ESAC:
	case RW_RBRACE:
	case RW_IN:
	case RW_CONDEND:
	case RW_BANG: return parse_fail_token(p);
	default: return parse_simple(p);
	}
}
