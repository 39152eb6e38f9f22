/* SPDX-License-Identifier: MIT
 *
 * Word tokens: plain words, and words of the form name=value, which are assignments in front of
 * a command and in the arguments of declare and its like.
 */
#include "interp/parser.h"

static const struct declaration declarations[] = {
	{ "declare", true },  { "typeset", true }, { "local", true }, { "export", true },
	{ "readonly", true }, { "eval", false },   { "let", false },  { "alias", false },
};

const struct declaration *declaration_find(struct bytes name)
{
	for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
		if (bytes_is(name, declarations[i].name))
			return &declarations[i];
	return NULL;
}

/* Length of the name at pos, or 0. */
static size_t name_length(const struct parser *p)
{
	size_t n = p->pos;

	if (n >= p->len || byte_is_digit((unsigned char)p->src[n]))
		return 0;
	while (n < p->len && byte_is_name((unsigned char)p->src[n]))
		n++;
	return n - p->pos;
}

/* = or += behind pos + n: its length, or 0. */
static size_t assign_length(const struct parser *p, size_t n)
{
	const char *at = p->src + p->pos + n;
	size_t left = p->len - p->pos - n;

	if (left != 0 && at[0] == '=')
		return 1;
	return left > 1 && at[0] == '+' && at[1] == '=' ? 2 : 0;
}

/* Consumes the name at pos, of which n bytes are known; lines may be continued inside. */
static void accept_name(struct parser *p, size_t n)
{
	p->pos += n;
	if (source_raw(p) != '\\')
		return;
	while (byte_is_name(source_peek(p)))
		p->pos++;
}

/* Consumes = or +=, or a + alone, which is none. */
static bool accept_assign(struct parser *p, bool *append)
{
	*append = source_accept(p, '+');
	return source_accept(p, '=');
}

/* An unquoted blank in a subscript, which splits the word where no assignment is sure. */
static bool has_blank(const struct word *w)
{
	for (int i = 0; i < w->nparts; i++) {
		const struct part *part = &w->parts[i];

		if (part->kind != PART_TEXT || part->quoted)
			continue;
		for (size_t n = 0; n < part->text.len; n++)
			if (byte_is_blank(part->text.ptr[n]) || part->text.ptr[n] == '\n')
				return true;
	}
	return false;
}

/* [ is next, behind a name: reads up to behind the = or nothing. */
static bool read_subscript(struct parser *p, struct assign *a, bool blanks)
{
	struct source_mark mark = source_mark(p);
	size_t at = p->pos;

	if (source_guess_known(p, at))
		return false;
	p->guessing++;
	p->pos++;
	a->sub = word_read(p, MODE_SUB, false);
	p->guessing--;
	if (a->sub == NULL)
		return false;
	if (source_raw(p) != ']') {
		if (blanks)
			return parse_fail_matching(p, mark.line, ']');
	} else {
		p->pos++;
		if ((blanks || !has_blank(a->sub)) && accept_assign(p, &a->append)) {
			a->sub_arith = arith_of_word(p, a->sub);
			a->sub_arith->index = true;
			return true;
		}
	}
	source_return(p, mark);
	source_guess_failed(p, at);
	return false;
}

/* Reads name=, name+= or name[sub]= ; NULL if that is not there, with some of it consumed. */
static struct assign *read_target(struct parser *p, bool blanks)
{
	size_t n = name_length(p);
	size_t start = p->pos;
	struct assign target = { .line = p->line };
	struct assign *a;

	if (n == 0)
		return NULL;
	accept_name(p, n);
	target.name = source_slice(p, start, p->pos);
	if (source_peek(p) == '[' ? !read_subscript(p, &target, blanks)
				  : !accept_assign(p, &target.append))
		return NULL;
	a = arena_alloc(p->arena, sizeof *a);
	*a = target;
	a->name = arena_bytes(p->arena, a->name);
	a->hash = bytes_hash(a->name);
	return a;
}

/* ( is next, of name=( ... ): up to the ) it is text, blanks and all; then the word goes on. */
static bool paren_pieces(struct parser *p, struct word_state *w)
{
	bool extglob = w->extglob;
	int line = p->line;

	w->mode = MODE_TEXT_WORD;
	w->stop = ')';
	w->extglob = false;
	if (!word_pieces(p, w))
		return false;
	if (!source_accept(p, ')'))
		return parse_fail_matching(p, line, ')');
	word_text(p, w, BYTES(")"), false);
	w->mode = MODE_WORD;
	w->extglob = extglob;
	return word_pieces(p, w);
}

static bool word_goes_on(struct parser *p)
{
	int c = source_peek(p);

	return c >= 0 && !is_metacharacter(c);
}

/* ( is next: an array literal. False with nothing read if the word goes on behind it, as in
 * a=(1+2)*3: that is text. */
static bool read_array(struct parser *p, struct assign *a)
{
	struct source_mark mark = source_mark(p);

	if (source_guess_known(p, mark.pos))
		return false;
	if (!parse_array(p, a))
		return false;
	if (!word_goes_on(p)) {
		a->array = true;
		return true;
	}
	a->items = NULL;
	a->nitems = 0;
	source_return(p, mark);
	source_guess_failed(p, mark.pos);
	return false;
}

/* The value behind =, as a word. */
static struct word *read_value(struct parser *p)
{
	struct word_state w;
	size_t start = p->pos;
	int line = p->line;
	bool paren = source_peek(p) == '(';

	word_begin(p, &w, MODE_WORD);
	w.assignment = !paren;
	return (paren ? paren_pieces(p, &w) : word_pieces(p, &w)) ? word_finish(p, &w, start, line)
								  : NULL;
}

static bool read_assigned(struct parser *p, struct assign *a)
{
	if (source_peek(p) == '(' && read_array(p, a))
		return true;
	if (p->failed)
		return false;
	a->value = read_value(p);
	return a->value != NULL;
}

/* A word of one literal text: the source from start to pos. */
static struct word *literal_word(struct parser *p, size_t start, int line)
{
	struct word_state w;

	word_begin(p, &w, MODE_WORD);
	word_text(p, &w, source_slice(p, start, p->pos), false);
	w.flags |= WORD_ASSIGNMENT;
	return word_finish(p, &w, start, line);
}

/* An argument of declare: the word, with its assignment. */
static struct word *declared_word(struct parser *p, struct assign *a, size_t start, int line)
{
	struct word_state w;
	struct word *word;
	size_t value = p->pos;
	bool paren;

	if (source_peek(p) == '(' && read_array(p, a)) {
		word = literal_word(p, start, line);
		word->assign = a;
		return word;
	}
	if (p->failed)
		return NULL;
	paren = source_peek(p) == '(';
	word_begin(p, &w, MODE_WORD);
	word_text(p, &w, source_slice(p, start, value), false);
	word_flush(p, &w);
	w.assignment = w.tilde = !paren;
	w.flags |= WORD_ASSIGNMENT;
	if (!(paren ? paren_pieces(p, &w) : word_pieces(p, &w)))
		return NULL;
	word = word_finish(p, &w, start, line);
	a->value = word_tail(p, word, 1, value);
	a->value->flags &= ~(unsigned)WORD_ASSIGNMENT;
	word->assign = a;
	if (w.brace && !(p->flags & PARSE_NO_BRACES))
		word_braces(p, word);
	return word;
}

/* name[ where a command begins, [ where an item of an array does: up to the ] it is one word,
 * blanks and all. Of the name n bytes are known. */
static bool read_bracketed(struct parser *p, struct word_state *w, size_t n)
{
	struct source_mark mark = source_mark(p);
	int line = p->line;

	accept_name(p, n);
	if (source_peek(p) != '[') {
		source_return(p, mark);
		return true;
	}
	p->pos++;
	word_text(p, w, source_slice(p, mark.pos, p->pos), false);
	w->flags |= WORD_GLOB;
	w->begun = true;
	w->mode = MODE_SUB;
	if (!word_pieces(p, w))
		return false;
	if (source_peek(p) != ']')
		return parse_fail_matching(p, line, ']');
	w->mode = MODE_WORD;
	return true;
}

static struct word *plain_word(struct parser *p, unsigned context)
{
	struct word_state w;
	struct word *word;
	size_t start = p->pos;
	int line = p->line;
	size_t n = name_length(p);
	size_t op = n != 0 && !(context & CTX_COND) ? assign_length(p, n) : 0;

	word_begin(p, &w, MODE_WORD);
	w.extglob |= (context & CTX_COND) != 0;
	if (context & CTX_VALUE) {
		w.assignment = true;
	} else if (op != 0) {
		word_text(p, &w, (struct bytes){ p->src + start, n + op }, false);
		p->pos += n + op;
		w.begun = true;
		w.assignment = w.tilde = (context & CTX_ITEM) == 0;
		w.unposix = !(context & CTX_DECL) || strcmp(p->decl->name, "alias") != 0;
		w.flags |= WORD_ASSIGNMENT;
	}
	if (((context & CTX_COMMAND && n != 0 && op == 0) || (context & CTX_ITEM && n == 0)) &&
	    !read_bracketed(p, &w, n))
		return NULL;
	if (!word_pieces(p, &w))
		return NULL;
	word = word_finish(p, &w, start, line);
	if (w.brace && !(context & (CTX_COND | CTX_NO_BRACES)) && !(p->flags & PARSE_NO_BRACES))
		word_braces(p, word);
	return word;
}

/* eval, let and alias take name=( ... ) as one word, blanks and all. */
static struct word *text_argument(struct parser *p, size_t start, int line)
{
	struct word_state w;
	struct word *word;

	word_begin(p, &w, MODE_WORD);
	w.flags |= WORD_ASSIGNMENT;
	word_text(p, &w, source_slice(p, start, p->pos), false);
	if (!paren_pieces(p, &w))
		return NULL;
	word = word_finish(p, &w, start, line);
	if (w.brace && !(p->flags & PARSE_NO_BRACES))
		word_braces(p, word);
	return word;
}

static enum tok_kind word_in_context(struct parser *p, struct token *t, unsigned context)
{
	bool command = (context & (CTX_COMMAND | CTX_KEYWORD)) != 0;
	bool assigns = command || ((context & CTX_DECL) && p->decl != NULL);
	struct source_mark mark = source_mark(p);
	struct assign *a = assigns ? read_target(p, command) : NULL;

	if (p->failed)
		return TOK_ERROR;
	if (a != NULL && command) {
		size_t nsubs = p->nsubs;

		t->assign = a;
		if (!read_assigned(p, a))
			return TOK_ERROR;
		p->nsubs = nsubs;
		source_keep(p, &a->text, t->start, p->pos);
		return TOK_ASSIGN;
	}
	if (a != NULL && p->decl->assigns) {
		t->word = declared_word(p, a, t->start, t->line);
		if (t->word != NULL)
			source_keep(p, &a->text, t->start, p->pos);
	} else if (a != NULL && source_peek(p) == '(') {
		t->word = text_argument(p, t->start, t->line);
	} else {
		source_return(p, mark);
		t->word = plain_word(p, context);
	}
	return t->word != NULL ? TOK_WORD : TOK_ERROR;
}

enum tok_kind lex_word(struct parser *p, struct token *t, unsigned context)
{
	size_t nsubs = p->nsubs;
	struct token own = *t;
	enum tok_kind kind = word_in_context(p, &own, context);

	p->nsubs = nsubs;
	*t = own;
	return kind;
}
