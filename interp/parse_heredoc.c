/* SPDX-License-Identifier: MIT
 *
 * Here-documents: the delimiter is read with the redirection, the body when the newline behind
 * the command is read.
 */
#include "interp/parser.h"

/* The word with its quotes removed, but nothing expanded. */
static struct bytes delimiter_of(struct parser *p, const struct word *w)
{
	struct buf b = buf_in(p->arena);

	if (w->flags & WORD_LITERAL)
		return w->literal;
	for (int i = 0; i < w->nparts; i++) {
		const struct part *part = &w->parts[i];
		size_t from = (size_t)(uintptr_t)part->text.ptr;

		if (part->kind == PART_TILDE)
			buf_putc(&b, '~');
		buf_add(&b, part->kind == PART_TEXT || part->kind == PART_TILDE
				    ? part->text
				    : source_slice(p, from, from + part->text.len));
	}
	return buf_bytes(&b);
}

enum { HEREDOCS_MAX = 16 }; /* that wait for the end of the line, as in bash */

bool heredoc_start(struct parser *p, struct redir *r)
{
	struct here_doc doc = { .tabs = r->heredoc_tabs };
	const struct word *w;

	if (token_peek(p, CTX_NO_BRACES) != TOK_WORD)
		return p->failed ? false : parse_fail_token(p);
	if (p->ndocs - p->docs_base == HEREDOCS_MAX) {
		parse_fail(p, p->tok.line, BYTES("maximum here-document count exceeded"));
		return false;
	}
	w = p->tok.word;
	doc.quoted = (w->flags & WORD_QUOTED) != 0;
	doc.delimiter = delimiter_of(p, w);
	doc.body = arena_zalloc(p->arena, sizeof *doc.body);
	r->target = doc.body;
	r->heredoc_quoted = doc.quoted;
	r->delimiter = doc.delimiter;
	p->docs = parser_grow(p, p->docs, &p->docs_cap, p->ndocs + 1, sizeof *p->docs);
	p->docs[p->ndocs++] = doc;
	token_next(p);
	return true;
}

/* The line at pos with its newline; pos goes behind it. False at the end of the input. */
static bool next_line(struct parser *p, struct bytes *line)
{
	const char *nl;
	size_t start = p->pos;

	if (source_raw(p) < 0)
		return false;
	while (nl = memchr(p->src + p->pos, '\n', p->len - p->pos), nl == NULL) {
		p->pos = p->len;
		if (!source_pull(p))
			break;
	}
	p->pos = nl != NULL ? (size_t)(nl - p->src) + 1 : p->len;
	p->line += nl != NULL;
	*line = (struct bytes){ p->src + start, p->pos - start };
	return true;
}

static bool is_delimiter(struct bytes line, struct bytes delimiter)
{
	if (line.len != 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	return bytes_eq(line, delimiter);
}

/* Whether a backslash joins the line to the next one. */
static bool is_continued(struct bytes line)
{
	size_t n = 0;

	if (line.len == 0 || line.ptr[line.len - 1] != '\n')
		return false;
	while (n + 1 < line.len && line.ptr[line.len - 2 - n] == '\\')
		n++;
	return n % 2 != 0;
}

/* begun: the line before its text. */
static void warn_unended(struct parser *p, int line, int begun, const struct here_doc *doc)
{
	parse_warn(p, line,
		   parse_text(p,
			      "warning: here-document at line %d delimited by end-of-file "
			      "(wanted `%.*s')",
			      begun, (int)doc->delimiter.len, doc->delimiter.ptr));
}

/* In $( ), a line that begins with the delimiter and has a closing parenthesis behind it ends the
 * document, whatever stands between them. */
static bool ends_with_sub(struct bytes line, struct bytes delimiter)
{
	return line.len > delimiter.len && bytes_starts(line, delimiter) &&
	       memchr(line.ptr + delimiter.len, ')', line.len - delimiter.len) != NULL;
}

/* The lines up to the delimiter into p->lit, those that a backslash joins in one piece. */
static void collect(struct parser *p, const struct here_doc *doc)
{
	struct bytes delimiter = doc->delimiter;
	bool joined = false;
	size_t begin = 0;
	int begun = p->line - 1;
	struct bytes line;

	/* Its own tabs are taken off as well. */
	while (doc->tabs && delimiter.len != 0 && delimiter.ptr[0] == '\t')
		delimiter = bytes_slice(delimiter, 1, delimiter.len);
	while (next_line(p, &line)) {
		if (!joined)
			begin = p->lit.len;
		while (!joined && doc->tabs && line.len != 0 && line.ptr[0] == '\t')
			line = bytes_slice(line, 1, line.len);
		if (!joined && p->in_sub && ends_with_sub(line, delimiter)) {
			p->pos -= line.len - delimiter.len;
			p->line -= line.ptr[line.len - 1] == '\n';
			warn_unended(p, p->line, begun, doc);
			return;
		}
		joined = !doc->quoted && is_continued(line);
		buf_add(&p->lit, joined ? bytes_slice(line, 0, line.len - 2) : line);
		line = bytes_slice(buf_bytes(&p->lit), begin, p->lit.len);
		if (!joined && is_delimiter(line, delimiter)) {
			p->lit.len = begin;
			return;
		}
	}
	warn_unended(p, p->line - 1, begun, doc);
}

/* --- what a body begins and does not end --- */

enum { UNENDED_DEPTH_MAX = 64 };

struct scan {
	struct bytes text;
	size_t at;
	int depth;
	char open;   /* what closes the expansion that does not end; 0: none; $: a command's */
	bool bad;    /* ... a ${ in which no operator follows the name */
	size_t from; /* ... and where it begins */
};

static bool scan_looks_at(const struct scan *s, const char *what)
{
	return bytes_starts(bytes_slice(s->text, s->at, s->text.len), bytes_of(what));
}

static void scan_one(struct scan *s, bool braced);

/* Up to the byte that closes the expansion from `from` on, `open` inside it counting against it. */
static void scan_to(struct scan *s, size_t from, char open, char close)
{
	size_t nested = 0;

	while (s->at < s->text.len && s->open == 0) {
		char c = s->text.ptr[s->at];

		if (c == close && nested-- == 0) {
			s->at++;
			return;
		}
		nested += c == open;
		scan_one(s, close == '}');
	}
	if (s->open == 0) {
		s->open = close;
		s->from = from;
	}
}

static bool is_operator(const struct scan *s)
{
	return s->at < s->text.len && s->text.ptr[s->at] != '\0' &&
	       strchr(":-=?+%#/^,~@", s->text.ptr[s->at]) != NULL;
}

static void scan_braced(struct scan *s)
{
	size_t from = s->at;
	bool bad;

	s->at += 2;
	if (s->at + 1 < s->text.len && strchr("#!", s->text.ptr[s->at]) != NULL)
		s->at++;
	while (s->at < s->text.len && byte_is_name((unsigned char)s->text.ptr[s->at]))
		s->at++;
	bad = !is_operator(s);
	scan_to(s, from, '\0', '}');
	if (s->open == '}' && s->from == from)
		s->bad = bad;
}

/* `...`, and in ${ } "...": without its end it is the brace that is missed. */
static void scan_quotes(struct scan *s, char quote, bool braced)
{
	size_t from = s->at;

	for (s->at++; s->at < s->text.len && s->text.ptr[s->at] != quote; s->at++)
		s->at += s->text.ptr[s->at] == '\\';
	if (s->at < s->text.len) {
		s->at++;
	} else if (!braced) {
		s->open = quote;
		s->from = from;
	}
}

/* $( ): what is wrong in there the parser says. */
static void skip_command(struct scan *s)
{
	size_t depth = 0;

	for (s->at++; s->at < s->text.len; s->at++) {
		depth += s->text.ptr[s->at] == '(';
		if (s->text.ptr[s->at] == ')' && --depth == 0) {
			s->at++;
			return;
		}
	}
	s->open = '$';
}

/* The next byte, or a whole expansion. */
static void scan_one(struct scan *s, bool braced)
{
	size_t from = s->at;
	char c = s->text.ptr[from];

	if (++s->depth > UNENDED_DEPTH_MAX) {
		s->at++;
	} else if (c == '\\') {
		s->at += 2;
	} else if (c == '`' || (c == '"' && braced)) {
		scan_quotes(s, c, braced);
	} else if (scan_looks_at(s, "${")) {
		scan_braced(s);
	} else if (scan_looks_at(s, "$((")) {
		s->at += 3;
		scan_to(s, from, '(', ')');
		if (s->open == 0 && s->at < s->text.len && s->text.ptr[s->at] == ')')
			s->at++;
		else
			s->open = ')';
	} else if (scan_looks_at(s, "$(")) {
		skip_command(s);
	} else if (scan_looks_at(s, "$[")) {
		s->at += 2;
		scan_to(s, from, '[', ']');
	} else {
		s->at++;
	}
	s->depth--;
}

/* What bash says of a body in which an expansion does not end; empty: what the parser says. */
static struct bytes complaint_of(struct parser *p, struct bytes text)
{
	struct scan s = { .text = text };
	struct bytes shown = text;

	while (s.at < text.len && s.open == 0)
		scan_one(&s, false);
	if (s.open == 0 || s.open == '$')
		return BYTES("");
	if (s.bad)
		return parse_text(p, "%.*s: bad substitution", (int)text.len, text.ptr);
	if (s.open != '`')
		return parse_text(p, "bad substitution: no closing `%c' in %.*s", s.open,
				  (int)text.len, text.ptr);
	shown = bytes_slice(text, s.from, text.len);
	return parse_text(p, "bad substitution: no closing \"`\" in %.*s", (int)shown.len,
			  shown.ptr);
}

/* A body whose expansions are wrong: the error waits until it is expanded. */
static struct word *wrong_body(struct parser *p, struct bytes text, const struct parse_error *error)
{
	struct word *w = arena_zalloc(p->arena, sizeof *w);
	struct command_sub *cs = arena_zalloc(p->arena, sizeof *cs);

	cs->error = error;
	cs->fatal = true;
	cs->complaint = complaint_of(p, text);
	w->parts = arena_zalloc(p->arena, sizeof *w->parts);
	w->nparts = 1;
	w->parts[0] = (struct part){ .kind = PART_COMMAND, .quoted = true, .command = cs };
	return w;
}

static struct word *parse_body(struct parser *p, struct bytes text, int line)
{
	struct parser *in = parse_inner_new(p, text, line);
	const struct parse_error *error;
	struct word *w;

	in->text_only = true;
	w = word_read(in, MODE_TEXT, true);
	error = parse_inner_done(p, in);
	return error != NULL ? wrong_body(p, text, error) : w;
}

/* A guess that fails comes by its bodies again, and bodies have guesses with bodies: each is parsed
 * once, or every level would double the work. */
static struct word *text_word(struct parser *p, struct bytes text, int line)
{
	struct here_text *t, **chain;

	if (p->guessing == 0 && !p->guessed)
		return parse_body(p, text, line);
	if (p->texts == NULL)
		p->texts = arena_zalloc(p->scratch, sizeof *p->texts);
	chain = &p->texts->chain[bytes_hash(text) % HERE_TEXT_CHAINS];
	for (t = *chain; t != NULL; t = t->next)
		if (t->line == line && bytes_eq(t->text, text))
			return t->word;
	t = arena_alloc(p->arena, sizeof *t);
	*t = (struct here_text){ .text = text, .line = line, .word = parse_body(p, text, line) };
	t->next = *chain;
	*chain = t;
	p->texts->used = true;
	return t->word;
}

static struct word *quoted_body(struct parser *p, struct bytes text)
{
	struct word *w = arena_zalloc(p->arena, sizeof *w);

	w->flags = WORD_LITERAL | WORD_QUOTED;
	w->parts = arena_zalloc(p->arena, sizeof *w->parts);
	w->nparts = 1;
	w->parts[0] = (struct part){ .kind = PART_TEXT, .quoted = true, .text = text };
	w->literal = text;
	return w;
}

static void read_body(struct parser *p, const struct here_doc *doc)
{
	size_t base = p->lit.len;
	int line = p->line;
	struct bytes text;
	struct word *w;

	p->in_doc = true;
	collect(p, doc);
	p->in_doc = false;
	text = lit_take(p, base);
	w = doc->quoted ? quoted_body(p, text) : text_word(p, text, line);
	*doc->body = *w;
	doc->body->text = text;
	doc->body->line = line;
}

void heredoc_read(struct parser *p)
{
	for (size_t i = p->docs_base; i < p->ndocs && !p->failed; i++) {
		struct here_doc doc = p->docs[i];

		read_body(p, &doc);
	}
	p->ndocs = p->docs_base;
}

/* --- text that is not part of a script --- */

struct word *parse_text_word(const struct parse_config *config, struct arena *arena,
			     enum text_word kind, struct parse_error *error)
{
	static const enum word_mode modes[] = { MODE_TEXT_WORD, MODE_TEXT, MODE_ARITH_TEXT };

	struct parser *p = parse_new(config);
	struct word *w;

	p->arena = arena;
	p->text_only = true;
	p->warnings_end = &p->warnings;
	if (config->flags != NULL)
		p->flags = config->flags(config->user);
	w = word_read(p, modes[kind], kind != TEXT_WORD_PLAIN);
	if (p->failed || w == NULL) {
		*error = p->error;
		return NULL;
	}
	source_resolve(p);
	return w;
}
