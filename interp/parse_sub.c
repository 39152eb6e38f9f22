/* SPDX-License-Identifier: MIT
 *
 * Commands and arithmetic inside words: $( ) ` ` <( ) >( ) $(( )) $[ ].
 */
#include "interp/parser.h"

/* --- arithmetic --- */

struct arith_text *arith_of_word(struct parser *p, struct word *w)
{
	struct arith_text *a = arena_zalloc(p->arena, sizeof *a);
	size_t from = (size_t)(uintptr_t)w->text.ptr;

	a->word = w;
	a->arena = p->arena;
	source_keep(p, &a->text, from, from + w->text.len);
	return a;
}

/* Up to ) without a partner; then another one must follow. */
static struct arith_text *try_arith(struct parser *p, int line)
{
	struct word_state w;
	struct word *word;
	size_t start = p->pos;

	word_begin(p, &w, MODE_ARITH);
	w.stop = ')';
	if (!word_pieces(p, &w))
		return NULL;
	if (source_peek(p) < 0)
		return parse_fail_matching(p, line, ')');
	word = word_finish(p, &w, start, line);
	p->pos++;
	if (!source_accept(p, ')'))
		return NULL;
	return arith_of_word(p, word);
}

struct arith_text *parse_arith_parens(struct parser *p, int line)
{
	size_t at = p->pos;
	struct source_mark mark = source_mark(p);
	struct arith_text *a;

	if (source_guess_known(p, at))
		return NULL;
	p->guessing++;
	a = try_arith(p, line);
	p->guessing--;
	if (a != NULL)
		return a;
	source_return(p, mark);
	source_guess_failed(p, at);
	return NULL;
}

/* A part for what stands in src[start..pos). */
static void add_part(struct parser *p, struct word_state *w, struct part part, size_t start)
{
	part.text = (struct bytes){ (const char *)(uintptr_t)start, p->pos - start };
	word_add(p, w, &part);
}

static bool add_arith(struct parser *p, struct word_state *w, struct arith_text *a, size_t start)
{
	struct part part = { .kind = PART_ARITH, .quoted = w->dq, .arith = a };

	add_part(p, w, part, start);
	return true;
}

/* --- commands --- */

struct sub {
	struct parser *p;
	struct word_state *w;
	size_t start;
	char direction;
	bool arith; /* $[ */
	bool ok;
};

/* The command is one redirection < file. */
static bool is_input_file(const struct node *n)
{
	const struct simple *s = (const struct simple *)n;

	return n != NULL && n->kind == NODE_SIMPLE && s->nwords == 0 && s->nassigns == 0 &&
	       n->nredirs == 1 && n->redirs[0].kind == REDIR_IN && n->redirs[0].fd == -1 &&
	       n->redirs[0].var.len == 0;
}

/* Here-documents that began inside and were not read go before those from outside. */
static void defer_docs(struct parser *p, size_t outer, size_t base)
{
	size_t n = p->ndocs - base;

	if (n == 0 || p->failed)
		return;
	parse_warn(p, p->line,
		   parse_text(p, "warning: command substitution: %zu unterminated here-document%s",
			      n, n == 1 ? "" : "s"));
	for (size_t i = 0; i < n; i++) {
		struct here_doc doc = p->docs[base + i];

		memmove(p->docs + outer + i + 1, p->docs + outer + i,
			(base - outer) * sizeof *p->docs);
		p->docs[outer + i] = doc;
	}
}

/* Outside of POSIX mode a substitution sees the aliases that there are when it is executed. */
static void without_aliases(struct parser *p)
{
	if ((p->flags & PARSE_POSIX) == 0)
		p->flags &= ~(unsigned)PARSE_ALIASES;
}

/* Commands up to ), which is consumed. The token under construction outside is kept. */
static bool read_commands(struct parser *p, struct command_sub *cs)
{
	struct token saved = p->tok;
	size_t docs_base = p->docs_base;
	size_t nsubs = p->nsubs;
	bool alias_next = p->alias_next;
	bool in_sub = p->in_sub;
	bool in_quotes = p->in_quotes;
	unsigned flags = p->flags;

	without_aliases(p);
	p->docs_base = p->ndocs;
	p->in_sub = true;
	p->in_quotes = false;
	p->has_tok = p->alias_next = false;
	if (parse_optional_list(p, &cs->root)) {
		if (token_peek(p, CTX_COMMAND) == TOK_EOF) {
			parse_fail_matching(p, p->line, ')');
			p->error.status = PARSE_STATUS_2;
		} else if (p->tok.kind != TOK_RPAREN) {
			parse_fail_token(p);
		}
	}
	if (p->failed && !p->error.at_end)
		p->error.status = PARSE_STATUS_SUB;
	defer_docs(p, docs_base, p->docs_base);
	p->docs_base = docs_base;
	p->tok = saved;
	p->has_tok = false;
	p->alias_next = alias_next;
	p->in_sub = in_sub;
	p->in_quotes = in_quotes;
	p->nsubs = nsubs;
	p->flags = flags;
	return !p->failed;
}

void note_sub(struct parser *p, size_t from, struct command_sub *command, struct bytes text)
{
	p->subs = parser_grow(p, p->subs, &p->subs_cap, p->nsubs + 1, sizeof *p->subs);
	p->subs[p->nsubs++] = (struct sub_span){
		.from = from, .to = p->pos, .command = command, .text = text
	};
}

static int command_run(void *arg)
{
	struct sub *s = arg;
	struct parser *p = s->p;
	struct command_sub *cs = arena_zalloc(p->arena, sizeof *cs);
	struct part part = { .kind = PART_COMMAND, .quoted = s->w->dq, .command = cs };
	size_t from = p->pos;

	cs->direction = s->direction;
	cs->line = p->line;
	cs->raw = p->text_only;
	if (!read_commands(p, cs))
		return 0;
	cs->input_file = is_input_file(cs->root);
	source_keep(p, &cs->text, from, p->pos - 1);
	note_sub(p, s->start, cs, BYTES(""));
	if (s->direction != 0)
		part.kind = PART_PROCSUB;
	add_part(p, s->w, part, s->start);
	s->ok = true;
	return 0;
}

static bool run_sub(struct parser *p, struct word_state *w, size_t start, char direction,
		    int (*fn)(void *))
{
	struct sub s = { .p = p, .w = w, .start = start, .direction = direction };

	word_flush(p, w);
	parse_deeper(p, fn, &s);
	return s.ok;
}

/* Whether a comment would begin in the text, outside of quotes, and last to its end: that is how
 * bash looks for the end of $(( )) when it expands it. */
static bool is_commented(struct bytes text)
{
	char quote = '\0';

	for (size_t i = 1; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\\' && quote != '\'')
			i++;
		else if (c == quote)
			quote = '\0';
		else if (quote == '\0' && (c == '\'' || c == '"'))
			quote = c;
		else if (quote == '\0' && c == '#' && byte_is_space((unsigned char)text.ptr[i - 1]))
			return memchr(text.ptr + i, '\n', text.len - i) == NULL;
	}
	return false;
}

/* $(( : arithmetic, or else a command that begins with a subshell. */
static int parens_run(void *arg)
{
	struct sub *s = arg;
	struct parser *p = s->p;
	int line = p->line;
	struct parse_error error = p->error;
	struct arith_text *a;

	p->pos++;
	a = parse_arith_parens(p, line);
	if (a != NULL) {
		a->commented = is_commented(source_slice(p, s->start, p->pos));
		s->ok = add_arith(p, s->w, a, s->start);
		return 0;
	}
	p->pos--;
	if (p->failed && p->error.at_end) {
		struct parse_error first = p->error;

		p->failed = false;
		p->error = error;
		command_run(arg);
		if (p->failed && p->error.at_end)
			p->error = first;
		return 0;
	}
	return command_run(arg);
}

bool parse_command_sub(struct parser *p, struct word_state *w, size_t start)
{
	p->pos++;
	return run_sub(p, w, start, 0, source_peek(p) == '(' ? parens_run : command_run);
}

bool parse_process_sub(struct parser *p, struct word_state *w)
{
	size_t start = p->pos;

	p->pos++;
	source_accept(p, '(');
	return run_sub(p, w, start, p->src[start], command_run);
}

static int bracket_run(void *arg)
{
	struct sub *s = arg;
	struct parser *p = s->p;
	int line = p->line;
	struct word *word = word_read(p, MODE_BRACKET, false);

	if (word == NULL)
		return 0;
	if (source_peek(p) != ']') {
		parse_fail_matching(p, line, ']');
		return 0;
	}
	p->pos++;
	s->ok = add_arith(p, s->w, arith_of_word(p, word), s->start);
	return 0;
}

bool parse_bracket_arith(struct parser *p, struct word_state *w, size_t start)
{
	p->pos++;
	return run_sub(p, w, start, 0, bracket_run);
}

/* --- backquotes --- */

/* The text between backquotes, with the backslashes that quote \ $ ` removed; directly inside of
 * double quotes (dq) also those before ". */
static bool backquote_text(struct parser *p, bool dq, struct bytes *out)
{
	size_t base = p->lit.len;
	int line = p->line;
	int c;

	p->pos++;
	while (c = source_raw(p), c >= 0 && c != '`') {
		if (c == '\\') {
			int next = source_second(p);

			if (next == '\n') {
				source_skip_continuation(p);
				continue;
			}
			if (next == '$' || next == '`' || next == '\\' || (dq && next == '"'))
				p->pos++;
		}
		if (source_raw(p) < 0)
			break;
		buf_putc(&p->lit, p->src[p->pos]);
		source_step(p);
	}
	if (source_raw(p) < 0)
		return parse_fail_matching(p, line, '`');
	p->pos++;
	*out = lit_take(p, base);
	return true;
}

static void parse_backquoted(struct parser *p, struct command_sub *cs, int line)
{
	struct parser *in = parse_inner_new(p, cs->text, line);

	without_aliases(in);
	if (parse_optional_list(in, &cs->root) && token_peek(in, CTX_COMMAND) != TOK_EOF)
		parse_fail_token(in);
	cs->error = parse_inner_done(p, in);
	if (cs->error != NULL)
		cs->root = NULL;
	cs->input_file = is_input_file(cs->root);
}

static int backquote_run(void *arg)
{
	struct sub *s = arg;
	struct parser *p = s->p;
	struct command_sub *cs = arena_zalloc(p->arena, sizeof *cs);
	struct part part = { .kind = PART_COMMAND, .quoted = s->w->dq, .command = cs };
	int line = p->line;

	cs->backquoted = cs->raw = true;
	cs->line = line;
	if (!backquote_text(p, s->w->mode == MODE_DQ, &cs->text))
		return 0;
	parse_backquoted(p, cs, line);
	add_part(p, s->w, part, s->start);
	s->ok = true;
	return 0;
}

bool parse_backquote(struct parser *p, struct word_state *w)
{
	return run_sub(p, w, p->pos, 0, backquote_run);
}
