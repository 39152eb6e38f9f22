/* SPDX-License-Identifier: MIT
 *
 * Tokens: operators, redirections with their prefixes, words; reserved words and aliases.
 *
 * There is one token of lookahead, and it is read only when the grammar cannot do without:
 * reading a newline token also reads the here-documents that begin behind it.
 */
#include "interp/parser.h"

static const char *const reserved_words[RW_COUNT] = {
	"",     "if",     "then",  "else",  "elif", "fi",   "case",   "esac",
	"for",  "select", "while", "until", "do",   "done", "in",     "function",
	"time", "{",      "}",     "!",     "[[",   "]]",   "coproc",
};

enum reserved reserved_find(struct bytes text)
{
	if (text.len == 0 || text.len > 8)
		return RW_NONE;
	for (int i = 1; i < RW_COUNT; i++)
		if (reserved_words[i][0] == text.ptr[0] && bytes_is(text, reserved_words[i]))
			return (enum reserved)i;
	return RW_NONE;
}

bool is_reserved_word(struct bytes text)
{
	return reserved_find(text) != RW_NONE;
}

static void skip_comment(struct parser *p)
{
	while (p->pos < p->len) {
		const char *nl = memchr(p->src + p->pos, '\n', p->len - p->pos);

		p->pos = nl != NULL ? (size_t)(nl - p->src) : p->len;
		if (nl != NULL || !source_pull(p))
			return;
	}
}

int lex_skip_blanks(struct parser *p)
{
	int c;

	while (c = source_peek(p), c == ' ' || c == '\t')
		p->pos++;
	if (c == '#' && !(p->flags & PARSE_NO_COMMENTS)) {
		skip_comment(p);
		c = source_raw(p);
	}
	return c;
}

static enum tok_kind lex_less(struct parser *p)
{
	if (source_accept(p, '<')) {
		if (source_accept(p, '<'))
			return TOK_TLESS;
		return source_accept(p, '-') ? TOK_DLESSDASH : TOK_DLESS;
	}
	if (source_accept(p, '>'))
		return TOK_LESSGREAT;
	return source_accept(p, '&') ? TOK_LESSAND : TOK_LESS;
}

static enum tok_kind lex_great(struct parser *p)
{
	if (source_accept(p, '>'))
		return TOK_DGREAT;
	if (source_accept(p, '&'))
		return TOK_GREATAND;
	return source_accept(p, '|') ? TOK_CLOBBER : TOK_GREAT;
}

static enum tok_kind lex_amp(struct parser *p)
{
	if (source_accept(p, '&'))
		return TOK_AND;
	if (source_accept(p, '>'))
		return source_accept(p, '>') ? TOK_ANDDGREAT : TOK_ANDGREAT;
	return TOK_AMP;
}

static enum tok_kind lex_semi(struct parser *p)
{
	if (source_accept(p, ';'))
		return source_accept(p, '&') ? TOK_DSEMI_AMP : TOK_DSEMI;
	return source_accept(p, '&') ? TOK_SEMI_AMP : TOK_SEMI;
}

/* The first byte of an operator was consumed. */
static enum tok_kind lex_operator(struct parser *p, int c)
{
	switch (c) {
	case '<': return lex_less(p);
	case '>': return lex_great(p);
	case '&': return lex_amp(p);
	case ';': return lex_semi(p);
	case '|':
		if (source_accept(p, '|'))
			return TOK_OR;
		return source_accept(p, '&') ? TOK_PIPE_AMP : TOK_PIPE;
	case '(': return TOK_LPAREN;
	default: return TOK_RPAREN;
	}
}

/* A word that stands directly before < or >: a descriptor, or {name}. */
static enum tok_kind redirection_prefix(struct parser *p, struct token *t)
{
	bool literal = (t->word->flags & (WORD_QUOTED | WORD_LITERAL)) == WORD_LITERAL;
	int c = source_peek(p);
	struct bytes text = t->word->literal;
	int64_t n = 0;

	if (c != '<' && c != '>')
		return TOK_WORD;
	for (size_t i = 0; literal && i < text.len && byte_is_digit(text.ptr[i]) && n < INT32_MAX;
	     i++) {
		n = n * 10 + text.ptr[i] - '0';
		if (i + 1 < text.len || n > INT32_MAX)
			continue;
		t->number = (int)n;
		return TOK_IO_NUMBER;
	}
	if (!literal) /* quotes and expansions stand in the subscript only */
		text = arena_bytes(p->arena, source_slice(p, t->start, t->end));
	if (text.len > 2 && text.ptr[0] == '{' && text.ptr[text.len - 1] == '}') {
		struct bytes name, sub;

		t->text = bytes_slice(text, 1, text.len - 1);
		if (parse_name_ref(t->text, &name, &sub) && (literal || sub.ptr != NULL))
			return TOK_IO_VAR;
	}
	return TOK_WORD;
}

/* Forgets aliases whose text was read; notes a blank at the end of one. */
static void leave_aliases(struct parser *p)
{
	while (p->naliases != 0 && p->aliases[p->naliases - 1].end <= p->pos) {
		p->alias_next |= p->aliases[p->naliases - 1].blank;
		p->aliases[p->naliases - 1].blank = false;
		if (p->guessing != 0)
			break;
		p->naliases--;
	}
}

static bool alias_in_use(const struct parser *p, struct bytes name, size_t at)
{
	for (size_t i = 0; i < p->naliases; i++)
		if (at >= p->aliases[i].start && at < p->aliases[i].end &&
		    bytes_eq(p->aliases[i].name, name))
			return true;
	return false;
}

/* Whether an alias needs no blank behind it: it has one, or goes on inside quotes. */
static bool ends_word(struct bytes text)
{
	char quote = '\0';

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\\' && quote != '\'') {
			if (++i == text.len)
				return true;
		} else if (c == quote) {
			quote = '\0';
		} else if (quote == '\0' && (c == '\'' || c == '"')) {
			quote = c;
		}
	}
	return quote != '\0' ||
	       (text.len != 0 && strchr(" \t\n|&;()<>", text.ptr[text.len - 1]) != NULL);
}

/* Puts text in the place of src[from..to); a blank behind it, if it has no end of its own.
 * Returns how long it is there. */
static size_t splice(struct parser *p, size_t from, size_t to, struct bytes text)
{
	bool ends = ends_word(text);

	source_replace(p, from, to, text);
	if (!ends)
		source_replace(p, from + text.len, from + text.len, BYTES(" "));
	p->pos = from;
	return text.len + !ends;
}

bool lex_alias(struct parser *p, const struct token *t)
{
	struct bytes text;
	struct alias_use *use;
	size_t len;

	if (!(p->flags & PARSE_ALIASES) || p->config.alias == NULL ||
	    (t->word->flags & (WORD_QUOTED | WORD_LITERAL)) != WORD_LITERAL ||
	    alias_in_use(p, t->word->literal, t->start) ||
	    !p->config.alias(p->config.user, t->word->literal, &text))
		return false;
	while (p->ndrops != 0 && p->drops[p->ndrops - 1] >= t->start)
		p->ndrops--;
	p->line = t->line;
	len = splice(p, t->start, t->end, text);
	p->aliases = parser_grow(p, p->aliases, &p->aliases_cap, p->naliases + 1,
				 sizeof *p->aliases);
	use = &p->aliases[p->naliases++];
	*use = (struct alias_use){ .name = arena_bytes(p->scratch, t->word->literal),
				   .start = t->start,
				   .end = t->start + len,
				   .blank = text.len != 0 &&
					    byte_is_blank(text.ptr[text.len - 1]) };
	return true;
}

/* A word, with what it means in its place. False when an alias changed the input. */
static bool lex_word_token(struct parser *p, struct token *t, unsigned context)
{
	size_t nkept = p->nkept;
	bool may_alias = (context & CTX_COMMAND) || p->alias_next;

	p->alias_next = false;
	t->kind = lex_word(p, t, context);
	t->end = p->pos;
	if (t->kind != TOK_WORD || p->failed)
		return true;
	if (!(context & (CTX_ITEM | CTX_DUP)))
		t->kind = redirection_prefix(p, t);
	if (t->kind == TOK_WORD && may_alias && lex_alias(p, t)) {
		p->nkept = nkept;
		/* What stands for an argument may be an alias again, but not inside another. */
		p->alias_next = !(context & CTX_COMMAND) && p->naliases == 1;
		return false;
	}
	if ((t->word->flags & (WORD_QUOTED | WORD_LITERAL)) == WORD_LITERAL)
		t->reserved = reserved_find(t->word->literal);
	return true;
}

static bool is_operator(int c)
{
	return c == '<' || c == '>' || c == '&' || c == ';' || c == '|' || c == '(' || c == ')';
}

/* Reads one token into p->tok. False when it has to be tried again. */
static bool lex_token(struct parser *p, unsigned context)
{
	int c = lex_skip_blanks(p);
	struct token *t = &p->tok;

	if (p->naliases != 0)
		leave_aliases(p);
	*t = (struct token){ .line = p->line, .start = p->pos, .number = -1 };
	if (c < 0) {
		t->kind = TOK_EOF;
		return true;
	}
	if (!p->begun)
		p->begin_line = p->line;
	p->begun = true;
	if (c == '\n') {
		source_step(p);
		t->kind = TOK_NEWLINE;
		t->end = p->pos;
		heredoc_read(p);
		return true;
	}
	if (is_operator(c) && !((c == '<' || c == '>') && source_opens_process(p))) {
		p->pos++;
		t->kind = lex_operator(p, c);
		t->end = p->pos;
		return true;
	}
	return lex_word_token(p, t, context);
}

enum tok_kind token_peek(struct parser *p, unsigned context)
{
	if (p->failed)
		return TOK_ERROR;
	if (!p->has_tok) {
		while (!lex_token(p, context))
			continue;
		p->has_tok = true;
		p->tok_context = context;
	}
	return p->failed ? TOK_ERROR : p->tok.kind;
}

bool token_expect(struct parser *p, enum reserved word)
{
	if (!token_is(p, word)) {
		parse_fail_token(p);
		return false;
	}
	token_next(p);
	return true;
}

void token_skip_newlines(struct parser *p, unsigned context)
{
	while (token_peek(p, context) == TOK_NEWLINE)
		token_next(p);
}

bool token_is_redir(enum tok_kind kind)
{
	return kind >= TOK_REDIR_FIRST || kind == TOK_IO_NUMBER || kind == TOK_IO_VAR;
}
