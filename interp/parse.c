/* SPDX-License-Identifier: MIT
 *
 * Units, lists, pipelines; the texts of syntax errors.
 */
#include "interp/parser.h"

/* --- errors --- */

struct bytes parse_text(struct parser *p, const char *format, ...)
{
	struct buf b = buf_in(p->scratch);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	return buf_bytes(&b);
}

void *parse_fail(struct parser *p, int line, struct bytes message)
{
	if (!p->failed)
		p->error = (struct parse_error){ .line = line, .message = { message } };
	p->failed = true;
	return NULL;
}

/* The second message of most errors: the line that was read last. */
static void quote_line(struct parser *p)
{
	struct bytes line = { p->src + p->last_line, p->len - p->last_line };

	if (p->original.ptr != NULL && p->original_at == p->last_line)
		line = p->original;
	if (line.len != 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	p->error.message[1] = parse_text(p, "`%.*s'", (int)line.len, line.ptr);
	p->error.second_line = p->error.line;
}

void *parse_fail_token(struct parser *p)
{
	enum tok_kind kind = token_peek(p, CTX_ANY);
	struct bytes text = BYTES("newline");

	if (p->failed)
		return NULL;
	if (kind == TOK_EOF) {
		if (p->in_sub) {
			parse_fail_matching(p, p->line, ')');
			p->error.status = PARSE_STATUS_2;
			return NULL;
		}
		/* Behind a backslash at the very end bash looks for more twice. */
		parse_fail(p, p->line + (p->len != 0 && p->src[p->len - 1] == '\\' ? 2 : 0),
			   BYTES("syntax error: unexpected end of file"));
		p->error.at_end = true;
		return NULL;
	}
	if (kind != TOK_NEWLINE) {
		struct buf shown = buf_in(p->scratch);

		quote_unprintable(&shown, source_slice(p, p->tok.start, p->tok.end), true);
		text = buf_bytes(&shown);
	}
	parse_fail(p, kind == TOK_NEWLINE ? p->tok.line : p->line,
		   parse_text(p, "syntax error near unexpected token `%.*s'", (int)text.len,
			      text.ptr));
	quote_line(p);
	return NULL;
}

void *parse_fail_matching(struct parser *p, int line, char wanted)
{
	if (p->failed)
		return NULL;
	parse_fail(p, line,
		   parse_text(p, "unexpected EOF while looking for matching `%c'", wanted));
	p->error.at_end = true;
	p->error.status = PARSE_STATUS_LAST_OR_2;
	return NULL;
}

void *parse_fail_depth(struct parser *p)
{
	return parse_fail(p, p->line, BYTES("syntax error: commands nested too deeply"));
}

void parse_warn(struct parser *p, int line, struct bytes message)
{
	struct parse_warning *w = arena_zalloc(p->scratch, sizeof *w);

	w->line = line;
	w->message = message;
	*p->warnings_end = w;
	p->warnings_end = &w->next;
}

const struct parse_warning *parse_warnings(const struct parser *p)
{
	return p->warnings;
}

/* --- depth --- */

bool parse_enter(struct parser *p)
{
	if (++p->depth <= PARSE_DEPTH_MAX)
		return true;
	parse_fail_depth(p);
	return false;
}

void parse_deeper(struct parser *p, int (*fn)(void *arg), void *arg)
{
	if (parse_enter(p)) {
		if (p->depth % 4 == 0 && p->config.deepen != NULL)
			p->config.deepen(p->config.user, fn, arg);
		else
			fn(arg);
	}
	parse_leave(p);
}

/* --- lists --- */

static struct node *background(struct parser *p, struct node *body)
{
	struct group *g = node_new(p, NODE_BACKGROUND, sizeof *g, body->line);

	g->body = body;
	return &g->node;
}

/* Whether the next token can not begin a command but may follow a list. */
static bool at_list_end(struct parser *p)
{
	switch (token_peek(p, CTX_COMMAND)) {
	case TOK_EOF:
	case TOK_ERROR:
	case TOK_NEWLINE:
	case TOK_RPAREN:
	case TOK_DSEMI:
	case TOK_SEMI_AMP:
	case TOK_DSEMI_AMP: return true;
	case TOK_WORD:
		switch (p->tok.reserved) {
		case RW_THEN:
		case RW_ELSE:
		case RW_ELIF:
		case RW_FI:
		case RW_DO:
		case RW_DONE:
		case RW_ESAC:
		case RW_RBRACE: return true;
		default: return false;
		}
	default: return false;
	}
}

static struct node *parse_and_or(struct parser *p)
{
	struct node *left = parse_pipeline(p);

	while (left != NULL) {
		enum tok_kind kind = token_peek(p, CTX_COMMAND);
		struct binary *b;

		if (kind != TOK_AND && kind != TOK_OR)
			break;
		token_next(p);
		token_skip_newlines(p, CTX_COMMAND);
		b = node_new(p, kind == TOK_AND ? NODE_AND : NODE_OR, sizeof *b, left->line);
		b->left = left;
		b->right = parse_pipeline(p);
		left = b->right != NULL ? &b->node : NULL;
	}
	return left;
}

/* The commands pushed above base: itself when there is one, else a list. */
static struct node *list_of(struct parser *p, size_t base, size_t lit_base)
{
	struct list *list;
	struct node *first;
	struct bytes separators;

	if (p->items.len - base == sizeof(struct node *)) {
		memcpy(&first, p->items.ptr + base, sizeof first);
		p->items.len = base;
		p->lit.len = lit_base;
		return first;
	}
	separators = lit_take(p, lit_base);
	memcpy(&first, p->items.ptr + base, sizeof first);
	list = node_new(p, NODE_LIST, sizeof *list, first->line);
	list->separators = p->in_sub ? separators.ptr : NULL;
	list->commands = stack_take(p, &p->items, base, sizeof *list->commands, &list->count);
	return &list->node;
}

/* Commands separated by ; & and, when `newlines`, newlines. */
static struct node *parse_list(struct parser *p, bool newlines)
{
	size_t base = p->items.len;
	size_t lit_base = p->lit.len;

	for (;;) {
		struct node *n = parse_and_or(p);
		enum tok_kind kind = token_peek(p, CTX_COMMAND);

		if (n == NULL || p->failed)
			return NULL;
		if (kind == TOK_AMP)
			n = background(p, n);
		stack_push(p, &p->items, &n, sizeof n);
		if (kind != TOK_AMP && kind != TOK_SEMI && !(newlines && kind == TOK_NEWLINE))
			break;
		buf_putc(&p->lit, kind == TOK_NEWLINE ? '\n' : ';');
		token_next(p);
		if (newlines)
			token_skip_newlines(p, CTX_COMMAND);
		if (at_list_end(p))
			break;
	}
	return list_of(p, base, lit_base);
}

struct node *parse_line_list(struct parser *p)
{
	return parse_list(p, false);
}

struct node *parse_compound_list(struct parser *p)
{
	token_skip_newlines(p, CTX_COMMAND);
	if (at_list_end(p))
		return parse_fail_token(p);
	return parse_list(p, true);
}

bool parse_optional_list(struct parser *p, struct node **out)
{
	*out = NULL;
	token_skip_newlines(p, CTX_COMMAND);
	if (at_list_end(p))
		return !p->failed;
	*out = parse_list(p, true);
	return *out != NULL;
}

/* --- pipelines --- */

static bool at_word(struct parser *p, const char *text)
{
	return token_peek(p, CTX_COMMAND) == TOK_WORD && !(p->tok.word->flags & WORD_QUOTED) &&
	       bytes_is(p->tok.word->literal, text);
}

static void parse_time(struct parser *p, struct pipeline *pl)
{
	pl->timed = true;
	if (at_word(p, "-p")) {
		pl->time_posix = true;
		token_next(p);
	}
	if (at_word(p, "--")) { /* alone it has the same effect */
		pl->time_posix = true;
		token_next(p);
	}
}

/* ! and time in front; true if the pipeline may be empty behind them. */
static bool parse_prefixes(struct parser *p, struct pipeline *pl)
{
	bool any = false;

	for (;; any = true) {
		if (token_is(p, RW_BANG)) {
			token_next(p);
			pl->negated = !pl->negated;
		} else if (token_is(p, RW_TIME)) {
			token_next(p);
			parse_time(p, pl);
		} else {
			return any;
		}
	}
}

static bool at_empty_pipeline(struct parser *p)
{
	enum tok_kind kind = token_peek(p, CTX_COMMAND);

	return kind == TOK_NEWLINE || kind == TOK_SEMI || kind == TOK_EOF;
}

static struct node *pipeline_of(struct parser *p, struct pipeline *pl, size_t base, int line)
{
	struct pipeline *kept = node_new(p, NODE_PIPELINE, sizeof *kept, line);

	pl->node = kept->node;
	*kept = *pl;
	kept->commands = stack_take(p, &p->items, base, sizeof *kept->commands, &kept->ncommands);
	return &kept->node;
}

/* `cmd |&` is `cmd 2>&1 |`: the redirection comes behind the command's own. */
static void redirect_stderr(struct parser *p, struct node *c)
{
	struct redir *all = arena_array(p->arena, (size_t)c->nredirs + 1, sizeof *all);
	struct word *target = arena_zalloc(p->arena, sizeof *target);

	target->flags = WORD_LITERAL;
	target->parts = arena_zalloc(p->arena, sizeof *target->parts);
	target->nparts = 1;
	target->parts[0] = (struct part){ .kind = PART_TEXT, .text = BYTES("1") };
	target->literal = target->text = BYTES("1");
	if (c->nredirs != 0)
		memcpy(all, c->redirs, (size_t)c->nredirs * sizeof *all);
	all[c->nredirs++] = (struct redir){
		.kind = REDIR_DUP_OUT, .fd = 2, .target = target, .line = c->line
	};
	c->redirs = all;
}

struct node *parse_pipeline(struct parser *p)
{
	struct pipeline pl = { .node = { .kind = NODE_PIPELINE } };
	size_t base = p->items.len;
	bool prefixed = parse_prefixes(p, &pl);
	int line = p->tok.line;

	for (int n = 0;; n++) {
		bool empty = n == 0 && prefixed && at_empty_pipeline(p);
		struct node *c = empty ? node_new(p, NODE_SIMPLE, sizeof(struct simple), line)
				       : parse_command(p);
		enum tok_kind kind;

		if (c == NULL)
			return NULL;
		kind = token_peek(p, CTX_COMMAND);
		stack_push(p, &p->items, &c, sizeof c);
		if (empty || (kind != TOK_PIPE && kind != TOK_PIPE_AMP)) {
			if (n > 0 || prefixed)
				return pipeline_of(p, &pl, base, line);
			p->items.len = base;
			return c;
		}
		if (kind == TOK_PIPE_AMP)
			redirect_stderr(p, c);
		token_next(p);
		token_skip_newlines(p, CTX_COMMAND);
	}
}

/* --- units --- */

static struct ast *ast_new(struct parser *p)
{
	struct ast *a = heap_zalloc(p->config.heap, sizeof *a);

	if (a == NULL)
		p->config.fail.fn(p->config.fail.arg);
	a->heap = p->config.heap;
	a->refs = 1;
	arena_init(&a->arena, p->config.heap, p->config.fail);
	if (p->config.building != NULL)
		*p->config.building = a;
	return a;
}

struct parser *parse_new(const struct parse_config *config)
{
	struct parser *p = arena_zalloc(config->scratch, sizeof *p);

	p->config = *config;
	p->scratch = config->scratch;
	p->rest = config->text;
	p->line = config->line;
	p->lit = buf_in(p->scratch);
	return p;
}

/* The text of an alias may go on behind a unit; the alias still does not stand for itself then. */
static void keep_aliases(struct parser *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->naliases; i++) {
		struct alias_use use = p->aliases[i];

		if (use.end <= p->pos)
			continue;
		use.start = use.start > p->pos ? use.start - p->pos : 0;
		use.end -= p->pos;
		p->aliases[kept++] = use;
	}
	p->naliases = kept;
}

/* What was read of the last unit goes; an alias may have left something behind it. */
static void begin_unit(struct parser *p)
{
	keep_aliases(p);
	if (p->pos != 0)
		memmove(p->src, p->src + p->pos, p->len - p->pos);
	p->len -= p->pos;
	p->pos = p->last_line = 0;
	p->original.ptr = NULL;
	p->ndrops = p->nkept = p->nnot = p->nsubs = p->ndocs = p->docs_base = 0;
	p->has_tok = p->begun = p->alias_next = p->failed = p->in_sub = p->in_quotes = p->in_doc =
		false;
	p->items.len = p->redirs.len = p->assigns.len = p->lit.len = 0;
	p->depth = p->guessing = 0;
	p->warnings = NULL;
	p->warnings_end = &p->warnings;
	p->error = (struct parse_error){ 0 };
	p->flags = p->config.flags != NULL ? p->config.flags(p->config.user)
					   : p->config.flags_given;
}

/* Blank lines and comments between units. False at the end of the input. */
static bool skip_to_unit(struct parser *p)
{
	for (;;) {
		int c;

		begin_unit(p);
		c = lex_skip_blanks(p);
		if (c != '\n')
			return c >= 0;
		source_step(p);
	}
}

static int unit_failed(struct parser *p, struct parse_error *error)
{
	*error = p->error;
	for (; p->pos < p->len; p->pos++)
		p->line += p->src[p->pos] == '\n';
	return -1;
}

int parse_unit(struct parser *p, struct ast **out, struct parse_error *error)
{
	struct ast *a;
	unsigned flags;
	bool empty;

	*out = NULL;
	if (!skip_to_unit(p))
		return 0;
	flags = p->flags;
	if (p->texts != NULL && p->texts->used)
		memset(p->texts, 0, sizeof *p->texts);
	a = p->ast = ast_new(p);
	p->arena = &a->arena;
	/* An alias may stand for nothing, or for a comment. */
	empty = token_peek(p, CTX_COMMAND) == TOK_NEWLINE || p->tok.kind == TOK_EOF;
	if (!empty)
		a->root = parse_line_list(p);
	if (a->root != NULL && token_peek(p, CTX_COMMAND) != TOK_NEWLINE && p->tok.kind != TOK_EOF)
		parse_fail_token(p);
	if (p->failed || (a->root == NULL && !empty)) {
		if (p->config.building != NULL)
			*p->config.building = NULL;
		ast_put(a);
		return unit_failed(p, error);
	}
	a->flags = flags;
	a->last_line = p->line - (p->pos > 0 && p->src[p->pos - 1] == '\n');
	a->text = source_resolve(p);
	*out = a;
	return 1;
}

static bool is_blank(struct bytes text)
{
	size_t i = 0;

	while (i < text.len && byte_is_space((unsigned char)text.ptr[i]))
		i++;
	return i == text.len;
}

bool parse_ended(const struct parser *p)
{
	return p->config.more == NULL && is_blank(p->rest) &&
	       (p->pos >= p->len || is_blank((struct bytes){ p->src + p->pos, p->len - p->pos }));
}

int parse_begin_line(const struct parser *p)
{
	return p->begin_line;
}

enum parse_place parse_place(const struct parser *p)
{
	return p->in_doc ? PARSE_IN_DOC : p->in_sub ? PARSE_IN_SUB : PARSE_IN_COMMAND;
}

int parse_line(const struct parser *p)
{
	return p->line;
}

void parse_set_line(struct parser *p, int line)
{
	p->line = line;
}

struct parser *parse_inner_new(struct parser *p, struct bytes text, int line)
{
	struct parser *inner = p->spare;

	if (inner != NULL) {
		p->spare = inner->spare;
		inner->spare = NULL;
	} else {
		inner = arena_zalloc(p->scratch, sizeof *inner);
		inner->scratch = p->scratch;
		inner->lit = buf_in(p->scratch);
	}
	inner->config = p->config;
	inner->config.more = NULL;
	inner->config.flags = NULL;
	inner->rest = text;
	inner->line = line;
	inner->pos = inner->len;
	inner->ended = inner->text_only = false;
	begin_unit(inner);
	inner->guessed = p->guessed || p->guessing != 0;
	inner->texts = p->texts;
	inner->flags = p->flags;
	inner->depth = p->depth;
	inner->ast = p->ast;
	inner->arena = p->arena;
	return inner;
}

const struct parse_error *parse_inner_done(struct parser *p, struct parser *inner)
{
	struct parse_error *error = NULL;

	if (inner->failed) {
		error = arena_alloc(p->arena, sizeof *error);
		*error = inner->error;
		for (int i = 0; i < 2; i++)
			error->message[i] = arena_bytes(p->arena, error->message[i]);
	} else {
		source_resolve(inner);
	}
	inner->spare = p->spare;
	p->spare = inner;
	return error;
}
