/* SPDX-License-Identifier: MIT
 *
 * Simple commands, redirections, and the arrays of name=( ... ).
 */
#include "interp/parser.h"

/* --- redirections --- */

static enum redir_kind redir_kind_of(enum tok_kind kind)
{
	switch (kind) {
	case TOK_LESS: return REDIR_IN;
	case TOK_GREAT: return REDIR_OUT;
	case TOK_CLOBBER: return REDIR_CLOBBER;
	case TOK_DGREAT: return REDIR_APPEND;
	case TOK_LESSGREAT: return REDIR_RDWR;
	case TOK_LESSAND: return REDIR_DUP_IN;
	case TOK_GREATAND: return REDIR_DUP_OUT;
	case TOK_ANDGREAT: return REDIR_BOTH;
	case TOK_ANDDGREAT: return REDIR_BOTH_APPEND;
	case TOK_TLESS: return REDIR_HERESTRING;
	default: return REDIR_HEREDOC;
	}
}

/* The descriptor or {name} in front of an operator. */
static void read_redir_prefix(struct parser *p, struct redir *r)
{
	if (p->tok.kind == TOK_IO_NUMBER)
		r->fd = p->tok.number;
	else if (p->tok.kind == TOK_IO_VAR)
		r->var = p->tok.text;
	else
		return;
	token_next(p);
	token_peek(p, CTX_ARG);
}

static unsigned target_context(enum redir_kind kind)
{
	if (kind == REDIR_HERESTRING)
		return CTX_NO_BRACES | CTX_VALUE;
	return kind == REDIR_DUP_IN || kind == REDIR_DUP_OUT ? CTX_DUP : CTX_ARG;
}

bool parse_redir(struct parser *p)
{
	struct redir r = { .fd = -1, .line = p->tok.line };
	enum tok_kind op;

	read_redir_prefix(p, &r);
	op = token_peek(p, CTX_ARG);
	if (op < TOK_REDIR_FIRST)
		return parse_fail_token(p);
	r.kind = redir_kind_of(op);
	r.heredoc_tabs = op == TOK_DLESSDASH;
	token_next(p);
	if (r.kind == REDIR_HEREDOC) {
		if (!heredoc_start(p, &r))
			return false;
	} else {
		if (token_peek(p, target_context(r.kind)) != TOK_WORD)
			return p->failed ? false : parse_fail_token(p);
		r.target = p->tok.word;
		token_next(p);
	}
	stack_push(p, &p->redirs, &r, sizeof r);
	return true;
}

bool parse_redirs(struct parser *p, struct node *n)
{
	size_t base = p->redirs.len;

	while (token_is_redir(token_peek(p, CTX_COMMAND)))
		if (!parse_redir(p))
			return false;
	n->redirs = stack_take(p, &p->redirs, base, sizeof *n->redirs, &n->nredirs);
	return !p->failed;
}

/* --- arrays --- */

/* The item from `start` as a word, if there are braces to expand in it. */
static struct word *braced_item(struct parser *p, size_t start, int line)
{
	size_t end = p->pos;
	int end_line = p->line;
	struct word_state w;
	struct word *word;

	p->pos = start;
	p->line = line;
	word_begin(p, &w, MODE_WORD);
	if (!word_pieces(p, &w))
		return NULL;
	word = word_finish(p, &w, start, line);
	word_braces(p, word);
	for (int i = 0; i < word->nparts && p->pos == end; i++) {
		if (word->parts[i].kind == PART_BRACE)
			return word;
	}
	p->pos = end;
	p->line = end_line;
	return NULL;
}

/* At [ : [sub]=value, or false and nothing consumed. */
static bool read_indexed(struct parser *p, struct array_item *item)
{
	struct source_mark mark = source_mark(p);
	size_t at = p->pos;
	struct word_state w;
	size_t start;

	if (source_guess_known(p, at))
		return false;
	p->guessing++;
	p->pos++;
	item->sub = word_read(p, MODE_SUB, false);
	p->guessing--;
	if (item->sub == NULL)
		return false;
	if (source_peek(p) < 0) {
		parse_fail_matching(p, mark.line, ']');
		return false;
	}
	if (!source_accept(p, ']') ||
	    !((item->append = source_raw(p) == '+' && source_second(p) == '=') ||
	      source_raw(p) == '=')) {
		source_return(p, mark);
		source_guess_failed(p, at);
		return false;
	}
	p->pos += 1 + item->append;
	item->sub_arith = arith_of_word(p, item->sub);
	start = p->pos;
	word_begin(p, &w, MODE_WORD);
	w.assignment = true;
	item->value = word_pieces(p, &w) ? word_finish(p, &w, start, mark.line) : NULL;
	if (item->value != NULL && w.brace && !(p->flags & PARSE_NO_BRACES))
		item->braced = braced_item(p, at, mark.line);
	return item->value != NULL;
}

/* One item, or what ends the array: false on ) or failure. */
static bool read_item(struct parser *p, int line)
{
	struct array_item item = { 0 };
	size_t nsubs = p->nsubs;
	enum tok_kind kind;

	if (!p->has_tok && lex_skip_blanks(p) == '[' && read_indexed(p, &item)) {
		p->nsubs = nsubs;
		stack_push(p, &p->items, &item, sizeof item);
		return true;
	}
	kind = token_peek(p, CTX_ITEM);
	if (kind == TOK_ERROR)
		return false;
	if (kind == TOK_EOF) {
		parse_fail_matching(p, line, ')');
		p->error.resumes = true;
		return false;
	}
	if (kind == TOK_WORD) {
		item = (struct array_item){ .value = p->tok.word };
		stack_push(p, &p->items, &item, sizeof item);
	} else if (kind != TOK_NEWLINE) {
		if (kind == TOK_RPAREN)
			return false;
		parse_fail_token(p);
		p->error.resumes = true;
		return false;
	}
	token_next(p);
	return true;
}

/* What does not end inside of an array is said twice, and reading goes on behind it. */
static void fail_in_item(struct parser *p)
{
	if (!p->error.at_end || p->error.resumes)
		return;
	p->error.resumes = true;
	p->error.message[1] = BYTES("syntax error: unexpected end of file");
	p->error.second_line = p->line + (p->len != 0 && p->src[p->len - 1] != '\n');
}

bool parse_array(struct parser *p, struct assign *a)
{
	struct token saved = p->tok;
	size_t base = p->items.len;
	int line = p->line;

	p->pos++;
	p->has_tok = false;
	while (read_item(p, line))
		continue;
	p->has_tok = false;
	p->tok = saved;
	if (p->failed) {
		fail_in_item(p);
		return false;
	}
	a->items = stack_take(p, &p->items, base, sizeof *a->items, &a->nitems);
	return true;
}

/* --- simple commands --- */

static bool is_literal(const struct word *w)
{
	return (w->flags & (WORD_LITERAL | WORD_GLOB)) == WORD_LITERAL;
}

/* Written without quotes, which make of `\export x=$y` a command like others. */
static bool is_bare(const struct word *w)
{
	return is_literal(w) && !(w->flags & WORD_QUOTED);
}

/* In a POSIX shell `command` before a declaration changes nothing in how that is read. */
static bool is_command(const struct parser *p, const struct word *w)
{
	return (p->flags & PARSE_POSIX) && is_bare(w) && bytes_is(w->literal, "command");
}

/* Builtins that mind whether an operand was written as name[sub]. */
static bool takes_elements(struct bytes name)
{
	return bytes_is(name, "unset") || bytes_is(name, "read") || bytes_is(name, "printf") ||
	       bytes_is(name, "wait");
}

static void finish_simple(const struct parser *p, struct simple *s)
{
	int first = 0;

	s->all_literal = true;
	for (int i = 0; i < s->nwords; i++)
		s->all_literal = s->all_literal && is_literal(s->words[i]) &&
				 s->words[i]->assign == NULL;
	if (s->nwords == 0 || !is_literal(s->words[0]))
		return;
	s->hash = bytes_hash(s->words[0]->literal);
	while (first + 1 < s->nwords && is_command(p, s->words[first]))
		first++;
	if (is_bare(s->words[first]))
		s->declaration = declaration_find(s->words[first]->literal);
	if (s->declaration != NULL && !s->declaration->assigns)
		s->declaration = NULL;
	first = bytes_is(s->words[0]->literal, "command") && s->nwords > 1;
	if (is_literal(s->words[first]) && takes_elements(s->words[first]->literal)) {
		for (int i = first + 1; i < s->nwords; i++)
			s->elements = s->elements || (s->words[i]->flags & WORD_GLOB) != 0;
	}
}

/* Takes the next word, assignment or redirection. False at the end of the command. */
static bool simple_item(struct parser *p, unsigned context)
{
	enum tok_kind kind = token_peek(p, context);

	if (token_is_redir(kind))
		return parse_redir(p);
	if (kind == TOK_WORD)
		stack_push(p, &p->items, &p->tok.word, sizeof p->tok.word);
	else if (kind == TOK_ASSIGN)
		stack_push(p, &p->assigns, p->tok.assign, sizeof *p->tok.assign);
	else
		return false;
	token_next(p);
	return true;
}

/* Takes the assignments to their final place, where their source text is due. */
static void take_assigns(struct parser *p, struct simple *s, size_t base)
{
	s->assigns = stack_take(p, &p->assigns, base, sizeof *s->assigns, &s->nassigns);
	for (int i = 0; i < s->nassigns; i++) {
		struct bytes *text = &s->assigns[i].text;
		size_t from = (size_t)(uintptr_t)text->ptr;

		source_keep(p, text, from, from + text->len);
	}
}

/* After the first word: how the others are read. */
static unsigned argument_context(struct parser *p, const struct word *first)
{
	if (p->flags & PARSE_KEYWORD)
		return CTX_KEYWORD;
	p->decl = is_bare(first) ? declaration_find(first->literal) : NULL;
	return p->decl != NULL ? CTX_DECL : CTX_ARG;
}

/* As bash numbers a command that begins with a word: where the next token ends, which it has
 * to read because this might be a function. */
static int line_behind(struct parser *p, unsigned context)
{
	bool newline = token_peek(p, context) == TOK_NEWLINE;

	/* A newline in the text of an alias does not count. */
	return p->line - (newline && p->line > p->tok.line);
}

struct node *parse_simple(struct parser *p)
{
	size_t words = p->items.len;
	size_t redirs = p->redirs.len;
	size_t assigns = p->assigns.len;
	const struct declaration *outer = p->decl;
	struct simple *s = node_new(p, NODE_SIMPLE, sizeof *s, p->tok.line);
	unsigned context = CTX_COMMAND;
	int nitems = 0;
	bool command = false; /* so far only `command` was read */

	p->decl = NULL;
	while (simple_item(p, context)) {
		if (nitems++ == 0)
			s->node.line = p->line;
		if (context == CTX_COMMAND && p->items.len > words) {
			const struct word *first;

			memcpy(&first, p->items.ptr + words, sizeof first);
			context = argument_context(p, first);
			command = is_command(p, first);
			if (nitems == 1)
				s->node.line = line_behind(p, context);
			if (p->assigns.len == assigns && p->redirs.len == redirs &&
			    token_peek(p, context) == TOK_LPAREN) {
				p->items.len = words;
				p->decl = outer;
				return parse_function_parens(p, first, s->node.line);
			}
		} else if (command) {
			const struct word *last;

			memcpy(&last, p->items.ptr + p->items.len - sizeof last, sizeof last);
			context = argument_context(p, last);
			command = is_command(p, last);
		}
	}
	p->decl = outer;
	if (p->failed)
		return NULL;
	s->words = stack_take(p, &p->items, words, sizeof *s->words, &s->nwords);
	take_assigns(p, s, assigns);
	s->node.redirs = stack_take(p, &p->redirs, redirs, sizeof *s->node.redirs,
				    &s->node.nredirs);
	finish_simple(p, s);
	return &s->node;
}
