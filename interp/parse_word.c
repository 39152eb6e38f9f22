/* SPDX-License-Identifier: MIT
 *
 * Words: literal text, quotes and tildes, read into parts. What ends a word and which bytes are
 * special in it depends on its mode (parser.h); expansions are in parse_dollar.c.
 */
#include "interp/parser.h"

/* Bytes that mean themselves in every mode. */
static bool is_plain(int c)
{
	return byte_is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '%' || c == '^' ||
	       c >= 0x80;
}

bool is_metacharacter(int c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\n':
	case ';':
	case '&':
	case '|':
	case '(':
	case ')':
	case '<':
	case '>': return true;
	default: return false;
	}
}

void word_begin(struct parser *p, struct word_state *w, enum word_mode mode)
{
	*w = (struct word_state){ .mode = mode,
				  .lit_base = p->lit.len,
				  .items_base = p->items.len,
				  .subs_base = p->nsubs };
	w->dq = mode == MODE_ARG_DQ || mode == MODE_DQ || mode == MODE_ARITH ||
		mode == MODE_OFFSET || mode == MODE_BRACKET || mode == MODE_ARITH_TEXT ||
		mode == MODE_TEXT;
	w->tilde = !w->dq && mode != MODE_SUB && mode != MODE_SUB_BRACED;
	w->extglob = (p->flags & PARSE_EXTGLOB) && !w->dq;
}

/* --- collecting --- */

void word_flush(struct parser *p, struct word_state *w)
{
	struct part part = { .kind = PART_TEXT, .quoted = w->part_quoted };

	if (!w->part_open)
		return;
	part.text = lit_take(p, w->lit_base);
	w->part_open = false;
	stack_push(p, &p->items, &part, sizeof part);
}

static void open_text(struct parser *p, struct word_state *w, bool quoted)
{
	w->string_open = false;
	if (w->part_open && w->part_quoted == quoted)
		return;
	word_flush(p, w);
	w->part_open = true;
	w->part_quoted = quoted;
	if (quoted)
		w->flags |= WORD_QUOTED;
}

void word_char(struct parser *p, struct word_state *w, char c, bool quoted)
{
	open_text(p, w, quoted);
	buf_putc(&p->lit, c);
	w->tilde = false;
}

void word_text(struct parser *p, struct word_state *w, struct bytes text, bool quoted)
{
	open_text(p, w, quoted);
	buf_add(&p->lit, text);
	w->tilde = false;
}

void word_add(struct parser *p, struct word_state *w, const struct part *part)
{
	word_flush(p, w);
	if (part->quoted)
		w->flags |= WORD_QUOTED;
	else if (part->kind != PART_TILDE && part->kind != PART_PROCSUB)
		w->flags |= WORD_SPLITS;
	struct part *kept = stack_push(p, &p->items, part, sizeof *part);

	kept->opens = w->string_open;
	w->string_open = w->tilde = false;
}

/* --- finishing --- */

static void set_literal(struct parser *p, struct word *w)
{
	size_t n = 0;
	char *text;

	if (w->nparts == 1) {
		w->literal = w->parts[0].text;
		return;
	}
	for (int i = 0; i < w->nparts; i++)
		n += w->parts[i].text.len;
	text = arena_alloc(p->arena, n + 1);
	w->literal = (struct bytes){ text, n };
	for (int i = 0; i < w->nparts; i++) {
		memcpy(text, w->parts[i].text.ptr, w->parts[i].text.len);
		text += w->parts[i].text.len;
	}
	*text = '\0';
}

/* A '[' without ']' is no pattern: the command [ is not looked for in the directory. */
static bool may_be_pattern(struct bytes s)
{
	const char *open = memchr(s.ptr, '[', s.len);

	if (memchr(s.ptr, '*', s.len) != NULL || memchr(s.ptr, '?', s.len) != NULL ||
	    memchr(s.ptr, '(', s.len) != NULL)
		return true;
	return open != NULL && memchr(open, ']', s.len - (size_t)(open - s.ptr)) != NULL;
}

void word_classify(struct parser *p, struct word *w)
{
	bool text = true;

	w->flags &= ~(unsigned)(WORD_LITERAL | WORD_BRACES);
	for (int i = 0; i < w->nparts; i++) {
		if (w->parts[i].kind == PART_BRACE)
			w->flags |= WORD_BRACES;
		text = text && w->parts[i].kind == PART_TEXT;
	}
	if (!text)
		return;
	if (w->nparts > 1 && (w->flags & WORD_GLOB))
		return;
	w->flags |= WORD_LITERAL;
	set_literal(p, w);
	if ((w->flags & WORD_GLOB) != 0 && !may_be_pattern(w->literal))
		w->flags &= ~(unsigned)WORD_GLOB;
}

/* What printing needs to know of the command substitutions in a word. */
static void keep_subs(struct parser *p, struct word *w, size_t base, size_t start)
{
	w->nsubs = (int)(p->nsubs - base);
	if (w->nsubs == 0)
		return;
	w->subs = arena_array(p->arena, (size_t)w->nsubs, sizeof *w->subs);
	for (int i = 0; i < w->nsubs; i++) {
		const struct sub_span *s = &p->subs[base + (size_t)i];

		w->subs[i].from = source_distance(p, start, s->from);
		w->subs[i].to = source_distance(p, start, s->to);
		w->subs[i].command = s->command;
		w->subs[i].text = s->text;
	}
}

struct word *word_finish(struct parser *p, struct word_state *w, size_t start, int line)
{
	struct word *word = arena_zalloc(p->arena, sizeof *word);

	word_flush(p, w);
	word->flags = w->flags;
	word->line = line;
	word->parts = stack_take(p, &p->items, w->items_base, sizeof *word->parts, &word->nparts);
	for (int i = 0; i < word->nparts; i++) {
		struct part *part = &word->parts[i];
		size_t from = (size_t)(uintptr_t)part->text.ptr;

		if (part->kind != PART_TEXT && part->kind != PART_TILDE)
			source_keep(p, &part->text, from, from + part->text.len);
	}
	source_keep(p, &word->text, start, p->pos);
	if (w->mode == MODE_WORD || w->mode == MODE_REGEX || w->mode == MODE_ARITH ||
	    w->mode == MODE_SUB || w->mode == MODE_SUB_BRACED)
		keep_subs(p, word, w->subs_base, start);
	word_classify(p, word);
	return word;
}

struct word *word_read(struct parser *p, enum word_mode mode, bool dq)
{
	struct word_state w;
	size_t start = p->pos;
	int line = p->line;

	word_begin(p, &w, mode);
	w.dq |= dq;
	if (!word_pieces(p, &w))
		return NULL;
	return word_finish(p, &w, start, line);
}

struct word *word_tail(struct parser *p, const struct word *w, int from, size_t start)
{
	struct word *tail = arena_zalloc(p->arena, sizeof *tail);

	*tail = *w;
	tail->parts += from;
	tail->nparts -= from;
	tail->nsubs = 0;
	source_keep(p, &tail->text, start, p->pos);
	keep_subs(p, tail, p->nsubs - (size_t)w->nsubs, start);
	word_classify(p, tail);
	return tail;
}

/* --- quotes --- */

bool parse_single_quotes(struct parser *p, struct word_state *w)
{
	int line = p->line;
	int c;

	open_text(p, w, true);
	w->tilde = false;
	while (c = source_raw(p), c >= 0 && c != '\'') {
		buf_putc(&p->lit, (char)c);
		source_step(p);
	}
	if (c < 0)
		return parse_fail_matching(p, line, '\'');
	p->pos++;
	return true;
}

bool parse_double_quotes(struct parser *p, struct word_state *w)
{
	struct word_state outer = *w;
	size_t items = p->items.len;
	size_t lit = p->lit.len;
	int line = p->line;

	w->mode = MODE_DQ;
	w->dq = true;
	w->tilde = false;
	w->stop = 0;
	w->string_open = true;
	if (!word_pieces(p, w))
		return false;
	w->string_open = false;
	w->mode = outer.mode;
	w->dq = outer.dq;
	w->stop = outer.stop;
	w->tilde = false;
	if (p->items.len == items && p->lit.len == lit)
		open_text(p, w, true); /* "" is a part of its own; but "$@" may vanish */
	if (source_raw(p) != '"')
		return parse_fail_matching(p, line, '"');
	p->pos++;
	return true;
}

/* Whether a backslash before c quotes it inside double quotes. */
static bool escapes_in_quotes(const struct word_state *w, int c)
{
	if (c == '$' || c == '`' || c == '\\')
		return true;
	if (c == '"')
		return w->mode != MODE_TEXT;
	return c == '}' && w->mode == MODE_ARG_DQ;
}

static bool is_arith(enum word_mode mode)
{
	return mode == MODE_ARITH || mode == MODE_OFFSET || mode == MODE_BRACKET ||
	       mode == MODE_ARITH_TEXT;
}

/* In arithmetic the text of a subscript is expanded a second time, as a key: what keeps it from
 * that stays in it. */
static bool in_subscript(const struct word_state *w)
{
	return w->brackets > 0 || (w->mode == MODE_BRACKET && w->nesting > 0);
}

static void read_backslash(struct parser *p, struct word_state *w)
{
	int c;

	p->pos++;
	c = source_raw(p);
	if (c < 0) {
		word_char(p, w, '\\', w->dq);
		return;
	}
	if (w->dq && !(w->mode == MODE_ARG_DQ && w->inner_quotes) && !escapes_in_quotes(w, c)) {
		word_char(p, w, '\\', true);
		/* \' opens no quotes, though the backslash stays. */
		if (c == '\'' && w->mode == MODE_ARG_DQ && !w->inner_single) {
			word_char(p, w, '\'', true);
			source_step(p);
		}
		if ((c == '[' || c == ']' || c == '\'') && is_arith(w->mode)) {
			word_char(p, w, (char)c, true);
			source_step(p);
		}
		return;
	}
	if (w->dq && c != '"' && is_arith(w->mode) && in_subscript(w))
		word_char(p, w, '\\', true);
	word_char(p, w, (char)c, true);
	source_step(p);
}

/* A ' in a subscript of arithmetic: up to the next one all is text. False if there is none. */
static bool read_subscript_quotes(struct parser *p, struct word_state *w)
{
	const char *from = p->src + p->pos;
	const char *end = memchr(from + 1, '\'', p->len - p->pos - 1);

	if (end == NULL || memchr(from, '\n', (size_t)(end - from)) != NULL)
		return false;
	word_text(p, w, (struct bytes){ from, (size_t)(end + 1 - from) }, true);
	p->pos += (size_t)(end + 1 - from);
	return true;
}

/* --- tilde --- */

/* At an unquoted ~ where a tilde prefix may stand. False if it is none. */
static bool read_tilde(struct parser *p, struct word_state *w)
{
	size_t end = p->pos + 1;
	struct part part = { .kind = PART_TILDE, .unposix = w->unposix };

	while (end < p->len && (is_plain((unsigned char)p->src[end]) || p->src[end] == '+'))
		end++;
	if (end < p->len && p->src[end] != '/' && p->src[end] != ':' &&
	    !is_metacharacter((unsigned char)p->src[end]) &&
	    !(p->src[end] == '}' && (w->mode == MODE_ARG || w->mode == MODE_PATTERN)))
		return false;
	part.text = arena_bytes(p->arena, (struct bytes){ p->src + p->pos + 1, end - p->pos - 1 });
	p->pos = end;
	word_add(p, w, &part);
	return true;
}

/* --- the loop --- */

/* Whether an unquoted ( ) [ ] ; : / } or metacharacter ends the word; counts brackets. */
static bool ends_expression(struct word_state *w, int c)
{
	bool round = w->mode == MODE_ARITH || w->mode == MODE_OFFSET;
	char open = round ? '(' : '[';
	char close = round ? ')' : ']';

	if (w->inner_single)
		return false;
	if (c == open) {
		w->nesting++;
	} else if (c == close && w->mode != MODE_OFFSET && !w->inner_quotes) {
		if (w->nesting == 0)
			return true;
		w->nesting--;
	} else if (c == close && w->nesting > 0) {
		w->nesting--;
	} else if (c == ';') {
		return w->stop == ';' && w->nesting == 0;
	}
	return false;
}

static bool ends_offset(struct word_state *w, int c)
{
	if (w->inner_single)
		return false;
	if (c == '}')
		return true;
	if (c == '?' && w->nesting == 0)
		w->questions++;
	if (c == ':' && w->nesting == 0 && w->questions-- == 0)
		return true;
	return ends_expression(w, c);
}

/* bash ends ${...} at its first }, and looks for the subscript in the whole word: where the word
 * ends behind such a brace there is none. */
static bool ends_braced(struct word_state *w, int c)
{
	if (w->brace_closed && (w->stop_dq ? c == '"' : is_metacharacter(c)))
		return true;
	w->brace_closed |= c == '}';
	return false;
}

static bool ends_word(struct parser *p, struct word_state *w, int c)
{
	if (c == '(' && w->mode == MODE_REGEX) {
		w->nesting++;
		return false;
	}
	if (w->nesting > 0) {
		w->nesting += (c == '(') - (c == ')');
		return false;
	}
	if (c == '|' && w->mode == MODE_REGEX)
		return false;
	if ((c == '<' || c == '>') && source_opens_process(p))
		return false;
	return is_metacharacter(c);
}

static bool ends_here(struct parser *p, struct word_state *w, int c)
{
	switch (w->mode) {
	case MODE_WORD:
	case MODE_REGEX: return ends_word(p, w, c);
	case MODE_ARG: return c == '}';
	case MODE_PATTERN: return c == '}' || (c == '/' && w->begun);
	case MODE_ARG_DQ: return c == '}' && !w->inner_quotes && !w->inner_single;
	case MODE_DQ: return c == '"';
	case MODE_ARITH:
	case MODE_BRACKET:
	case MODE_SUB: return ends_expression(w, c);
	case MODE_SUB_BRACED: return ends_braced(w, c) || ends_expression(w, c);
	case MODE_OFFSET: return ends_offset(w, c);
	case MODE_TEXT_WORD: return c == w->stop;
	default: return false;
	}
}

/* An extended glob such as @( begins: everything up to its ) belongs to the word. In a subscript
 * that is arithmetic. */
static bool opens_extglob(struct parser *p, const struct word_state *w, int c)
{
	return w->extglob && !w->dq && w->mode != MODE_SUB && w->mode != MODE_SUB_BRACED &&
	       source_second(p) == '(' &&
	       (c == '?' || c == '*' || c == '+' || c == '@' || c == '!');
}

/* An unquoted byte that stands for itself, for now. */
static void read_unquoted(struct parser *p, struct word_state *w, int c)
{
	if (opens_extglob(p, w, c)) {
		word_char(p, w, (char)c, false);
		word_char(p, w, '(', false);
		w->nesting++;
		w->flags |= WORD_GLOB;
		p->pos += 2;
		return;
	}
	if (c == '*' || c == '?' || c == '[')
		w->flags |= WORD_GLOB;
	if (c == '{')
		w->brace = true;
	word_char(p, w, (char)c, false);
	if (w->assignment && c == ':')
		w->tilde = true;
	source_step(p);
}

static void read_run(struct parser *p, struct word_state *w)
{
	size_t from = p->pos;

	while (p->pos < p->len && is_plain((unsigned char)p->src[p->pos]))
		p->pos++;
	word_text(p, w, (struct bytes){ p->src + from, p->pos - from }, w->dq);
}

/* A byte inside double quotes, or in text that is treated so. */
static bool read_quoted(struct parser *p, struct word_state *w, int c)
{
	if (c == '\'' && is_arith(w->mode) && in_subscript(w) && read_subscript_quotes(p, w))
		return true;
	/* Single quotes pair, though they mean nothing: no bracket between them ends the
	 * expression. */
	if (c == '\'' && is_arith(w->mode) && !w->inner_quotes && !p->in_quotes)
		w->inner_single = !w->inner_single;
	if (is_arith(w->mode) && !w->inner_single)
		w->brackets += c == '[' ? 1 : c == ']' && w->brackets > 0 ? -1 : 0;
	if (c == '"' && (w->mode == MODE_ARG_DQ || is_arith(w->mode))) {
		if (!w->inner_single)
			w->inner_quotes = !w->inner_quotes;
		p->pos++;
		return true;
	}
	if (c == '\'' && w->mode == MODE_ARG_DQ && !w->inner_quotes &&
	    (p->flags & PARSE_POSIX) == 0)
		w->inner_single = !w->inner_single;
	word_char(p, w, (char)c, true);
	source_step(p);
	return true;
}

static bool read_special(struct parser *p, struct word_state *w, int c)
{
	switch (c) {
	case '$': return parse_dollar(p, w);
	case '`': return parse_backquote(p, w);
	case '\\': read_backslash(p, w); return true;
	case '\'':
		if (w->dq)
			break;
		p->pos++;
		return parse_single_quotes(p, w);
	case '"':
		if (w->dq)
			break;
		p->pos++;
		return parse_double_quotes(p, w);
	case '~':
		if (w->tilde && read_tilde(p, w))
			return true;
		break;
	case '<':
	case '>':
		if ((w->mode == MODE_WORD || w->mode == MODE_REGEX || w->mode == MODE_ARG ||
		     w->mode == MODE_TEXT_WORD) &&
		    source_opens_process(p))
			return parse_process_sub(p, w);
		break;
	}
	if (w->dq)
		return read_quoted(p, w, c);
	read_unquoted(p, w, c);
	return true;
}

bool word_pieces(struct parser *p, struct word_state *w)
{
	int line = p->line;

	for (;;) {
		int c = source_peek(p);

		if (c < 0) {
			if (w->nesting > 0 && (w->mode == MODE_WORD || w->mode == MODE_REGEX))
				return parse_fail_matching(p, line, ')');
			if (w->inner_single)
				return parse_fail_matching(p, line, '\'');
			if (w->inner_quotes)
				return parse_fail_matching(p, line, '"');
			return !p->failed;
		}
		if (is_plain(c)) {
			read_run(p, w);
		} else if (ends_here(p, w, c)) {
			return true;
		} else if (!read_special(p, w, c) || p->failed) {
			return false;
		}
		w->begun = true;
	}
}
