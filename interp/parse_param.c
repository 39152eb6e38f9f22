/* SPDX-License-Identifier: MIT
 *
 * ${...}: the parameter, its subscript, the operator and the operator's words.
 *
 * What is no valid expansion is not a syntax error: it becomes OP_BAD, which is reported when
 * it is expanded.
 */
#include <limits.h>

#include "interp/parser.h"

struct braced {
	struct parser *p;
	struct word_state *w;
	struct param *param;
	size_t start;
	bool ok;
};

static bool is_special(int c)
{
	return c == '@' || c == '*' || c == '#' || c == '?' || c == '-' || c == '$' || c == '!';
}

/* --- the parameter --- */

/* As source_peek, with $'...' taken for its text where that may be. */
static int peek_plain(struct parser *p)
{
	int c = source_peek(p);

	while (c == '$' && p->in_quotes && source_second(p) == '\'') {
		if (!parse_ansi_plain(p))
			return -1;
		c = source_peek(p);
	}
	return c;
}

static void read_name(struct parser *p, struct param *param)
{
	size_t base = p->lit.len;
	int c;

	while (c = peek_plain(p), byte_is_name(c)) {
		buf_putc(&p->lit, (char)c);
		p->pos++;
	}
	param->kind = PARAM_NAME;
	param->name = lit_take(p, base);
	param->hash = bytes_hash(param->name);
}

static void read_number(struct parser *p, struct param *param)
{
	uint64_t n = 0;
	int c;

	while (c = source_peek(p), byte_is_digit(c)) {
		n = n < UINT32_MAX ? n * 10 + (uint64_t)(c - '0') : n;
		p->pos++;
	}
	param->kind = PARAM_POSITIONAL;
	param->index = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	if (n == 0) {
		param->kind = PARAM_SPECIAL;
		param->special = '0';
	}
}

/* @] or *] : a whole array. */
static bool read_whole_array(struct parser *p, struct param *param)
{
	int c = source_peek(p);

	if ((c != '@' && c != '*') || source_second(p) != ']')
		return false;
	param->subscript = c == '@' ? SUB_AT : SUB_STAR;
	p->pos += 2;
	return true;
}

/* What is between [ and ]. False if there is no such end. */
static bool guess_subscript(struct parser *p, struct param *param, bool dq)
{
	struct word_state w;
	size_t start = p->pos;
	int line = p->line;
	bool ok;

	word_begin(p, &w, MODE_SUB_BRACED);
	w.stop_dq = dq;
	p->guessing++;
	ok = word_pieces(p, &w);
	p->guessing--;
	if (!ok)
		return false;
	param->sub = word_finish(p, &w, start, line);
	if (source_peek(p) != ']')
		return false;
	p->pos++;
	return !w.brace_closed || source_peek(p) == '}';
}

/* One that does not end makes the expansion a wrong one, up to its brace. */
static bool read_subscript(struct parser *p, struct param *param, bool dq)
{
	struct parse_error error = p->error;
	struct source_mark mark;

	if (source_peek(p) != '[')
		return true;
	mark = source_mark(p);
	p->pos++;
	if (read_whole_array(p, param))
		return true;
	if (source_guess_known(p, mark.pos) || !guess_subscript(p, param, dq)) {
		param->sub = NULL;
		param->unclosed = dq;
		if (p->failed && !p->error.at_end)
			return false;
		p->failed = false;
		p->error = error;
		source_return(p, mark);
		source_guess_failed(p, mark.pos);
		return false;
	}
	param->subscript = SUB_INDEX;
	param->sub_arith = arith_of_word(p, param->sub);
	param->sub_arith->index = true;
	return param->sub->text.len != 0;
}

/* The parameter with its subscript. False if there is none. */
static bool read_parameter(struct parser *p, struct param *param, bool dq)
{
	int c = peek_plain(p);

	if (byte_is_digit(c)) {
		read_number(p, param);
		return true;
	}
	if (byte_is_name(c)) {
		read_name(p, param);
		return read_subscript(p, param, dq);
	}
	if (c < 0 || !is_special(c))
		return false;
	param->kind = PARAM_SPECIAL;
	param->special = (char)c;
	p->pos++;
	return true;
}

/* --- prefixes # and ! --- */

/* Whether ${# is followed by a parameter whose length is meant. */
static bool is_length(struct parser *p)
{
	int c = source_raw(p);
	int next = source_second(p);

	return byte_is_name(c) || (c > 0 && is_special(c) && next == '}');
}

/* ${#, and what else can't be the number of parameters with an operator. */
static bool is_bad_count(const struct parser *p)
{
	int c = p->pos + 1 < p->len ? (unsigned char)p->src[p->pos + 1] : -1;
	int next = p->pos + 2 < p->len ? (unsigned char)p->src[p->pos + 2] : -1;

	if (c == ',' || c == '^' || c == '~')
		return true;
	return next == '}' && (c == ':' || c == '/' || c == '%' || c == '=' || c == '+');
}

/* $? and $-, whose letters can't be changed. */
static bool is_caseless(const struct param *param)
{
	return param->kind == PARAM_SPECIAL && !param->indirect &&
	       (param->special == '?' || param->special == '-');
}

/* In a POSIX shell ${!#x} and ${!?x} are about $!. */
static bool is_indirect(struct parser *p)
{
	int c = source_raw(p);

	if (c == '#' || c == '?')
		return (p->flags & PARSE_POSIX) == 0;
	return byte_is_name(c) || c == '@' || c == '*';
}

/* --- operators --- */

static struct word *read_arg(struct braced *b)
{
	bool dq = b->w->dq;

	return word_read(b->p, dq ? MODE_ARG_DQ : MODE_ARG, false);
}

static bool read_default(struct braced *b, int c)
{
	static const enum param_op ops[] = {
		['-'] = OP_DEFAULT, ['='] = OP_ASSIGN, ['?'] = OP_ERROR, ['+'] = OP_ALTERNATE
	};

	b->p->pos++;
	b->param->op = ops[c];
	b->param->arg = read_arg(b);
	return b->param->arg != NULL;
}

/* colons: those that do not end it, besides the ones that belong to a question mark. */
static struct arith_text *read_offset(struct parser *p, int colons)
{
	struct word_state w;
	struct word *word;
	size_t start = p->pos;
	int line = p->line;

	word_begin(p, &w, MODE_OFFSET);
	w.questions = colons;
	word = word_pieces(p, &w) ? word_finish(p, &w, start, line) : NULL;
	return word != NULL ? arith_of_word(p, word) : NULL;
}

static bool read_substring(struct braced *b)
{
	struct param *param = b->param;

	param->op = OP_SUBSTRING;
	if (source_peek(b->p) == '}') {
		param->op = OP_BAD;
		return true;
	}
	param->offset = read_offset(b->p, 0);
	if (param->offset == NULL)
		return false;
	param->arg = param->offset->word;
	if (!source_accept(b->p, ':'))
		return true;
	param->length = read_offset(b->p, INT_MAX / 2);
	if (param->length == NULL)
		return false;
	param->arg2 = param->length->word;
	return true;
}

static bool read_colon(struct braced *b)
{
	int c;

	b->p->pos++;
	c = source_peek(b->p);
	if (c != '-' && c != '=' && c != '?' && c != '+')
		return read_substring(b);
	b->param->colon = true;
	return read_default(b, c);
}

/* Operators that may be doubled: # % ^ , ~ with a pattern. */
static bool read_pattern_op(struct braced *b, int c)
{
	bool in_quotes = b->p->in_quotes;
	enum param_op op = c == '#'   ? OP_PREFIX
			   : c == '%' ? OP_SUFFIX
			   : c == '^' ? OP_UPPER
			   : c == ',' ? OP_LOWER
				      : OP_TOGGLE;

	b->p->pos++;
	if (source_accept(b->p, (char)c))
		op = (enum param_op)(op + 1);
	b->param->op = op;
	b->p->in_quotes |= b->w->dq && (b->p->flags & PARSE_EXTQUOTE); /* in here-documents too */
	b->param->arg = word_read(b->p, MODE_ARG, false);
	b->p->in_quotes = in_quotes;
	return b->param->arg != NULL;
}

static struct word *read_replaced(struct parser *p, bool anchored)
{
	struct word_state w;
	size_t start = p->pos;
	int line = p->line;

	word_begin(p, &w, MODE_PATTERN);
	w.begun = anchored;
	w.tilde &= !anchored;
	return word_pieces(p, &w) ? word_finish(p, &w, start, line) : NULL;
}

static bool read_replace(struct braced *b)
{
	struct param *param = b->param;
	struct parser *p = b->p;

	p->pos++;
	param->op = source_accept(p, '/')   ? OP_REPLACE_ALL
		    : source_accept(p, '#') ? OP_REPLACE_HEAD
		    : source_accept(p, '%') ? OP_REPLACE_TAIL
					    : OP_REPLACE;
	param->arg = read_replaced(p, param->op == OP_REPLACE_HEAD || param->op == OP_REPLACE_TAIL);
	if (param->arg == NULL)
		return false;
	if (!source_accept(p, '/'))
		return true;
	param->arg2 = word_read(p, MODE_ARG, false);
	return param->arg2 != NULL;
}

static bool read_transform(struct braced *b)
{
	int c;

	b->p->pos++;
	c = source_peek(b->p);
	if (b->param->indirect && c == '}' && b->param->kind == PARAM_NAME &&
	    b->param->subscript == SUB_NONE) {
		b->param->op = OP_NAMES;
		b->param->transform = '@';
		b->param->indirect = false;
		return true;
	}
	if (c <= 0 || memchr("UuLQEPAKak", c, 10) == NULL || source_second(b->p) != '}') {
		b->param->op = OP_BAD;
		b->param->transform = '@';
		return true;
	}
	b->p->pos++;
	b->param->op = OP_TRANSFORM;
	b->param->transform = (char)c;
	return true;
}

static bool read_names(struct braced *b)
{
	b->param->op = OP_BAD;
	if (b->param->indirect && source_second(b->p) == '}' && b->param->kind == PARAM_NAME &&
	    b->param->subscript == SUB_NONE) {
		b->p->pos++;
		b->param->op = OP_NAMES;
		b->param->transform = '*';
		b->param->indirect = false;
	}
	return true;
}

static bool read_operator(struct braced *b)
{
	int c = peek_plain(b->p);

	switch (c) {
	case '}': return true;
	case ':': return read_colon(b);
	case '-':
	case '=':
	case '?':
	case '+': return read_default(b, c);
	case '#':
	case '%':
	case '^':
	case ',':
	case '~': return read_pattern_op(b, c);
	case '/': return read_replace(b);
	case '@': return read_transform(b);
	case '*': return read_names(b);
	default: b->param->op = OP_BAD; return true;
	}
}

/* --- the whole --- */

/* Skips to the closing brace of what makes no sense. */
static bool skip_rest(struct braced *b)
{
	struct word *rest = read_arg(b);

	return rest != NULL;
}

/* ${${..}}, ${$'..'} and their like: what begins with the second $ is nothing to expand. */
static bool is_nested(struct parser *p)
{
	struct source_mark mark = source_mark(p);
	int c;

	if (source_peek(p) != '$')
		return false;
	p->pos++;
	c = source_peek(p);
	source_return(p, mark);
	return c == '{' || c == '(' || c == '\'' || c == '"';
}

/* Takes the # of a length or the ! of an indirection, if that is what is next. */
static bool read_prefix(struct braced *b)
{
	struct parser *p = b->p;
	struct source_mark mark = source_mark(p);
	int c = peek_plain(p);
	bool length;

	if (c != '#' && c != '!')
		return false;
	p->pos++;
	peek_plain(p);
	length = c == '#' && is_length(p);
	b->param->indirect = c == '!' && is_indirect(p);
	if (!length && !b->param->indirect)
		source_return(p, mark);
	return length;
}

static bool read_body(struct braced *b)
{
	struct parser *p = b->p;
	struct param *param = b->param;
	bool length = read_prefix(b);
	bool dq = b->w->mode == MODE_DQ || b->w->mode == MODE_ARG_DQ;
	bool count = !length && !param->indirect && source_peek(p) == '#';

	if ((count && is_bad_count(p)) || is_nested(p) || !read_parameter(p, param, dq)) {
		param->op = OP_BAD;
		param->unclosed &= !length;
		return !p->failed && skip_rest(b);
	}
	if (!length && is_caseless(param) && memchr(",^~", source_peek(p), 3) != NULL) {
		param->op = OP_BAD;
		return skip_rest(b);
	}
	if (length) {
		param->op = source_peek(p) == '}' ? OP_LENGTH : OP_BAD;
	} else if (param->indirect && param->subscript > SUB_INDEX && source_peek(p) == '}') {
		param->op = OP_KEYS;
		param->indirect = false;
	} else if (!read_operator(b)) {
		return false;
	}
	return param->op != OP_BAD || skip_rest(b);
}

/* What a wrong expansion is called: as it stands there, with $'...' as functions show it. */
static struct bytes shown_source(struct parser *p, size_t start, size_t nsubs)
{
	struct buf b = buf_in(p->arena);

	for (; nsubs < p->nsubs; nsubs++) {
		const struct sub_span *s = &p->subs[nsubs];

		if (s->command != NULL || s->from < start)
			continue;
		buf_add(&b, source_slice(p, start, s->from));
		buf_add(&b, s->text);
		start = s->to;
	}
	buf_add(&b, source_slice(p, start, p->pos));
	return buf_bytes(&b);
}

static int braced_run(void *arg)
{
	struct braced *b = arg;
	struct parser *p = b->p;
	int line = p->line;
	struct part part = { .kind = PART_PARAM, .quoted = b->w->dq, .param = b->param };
	bool in_quotes = p->in_quotes;
	size_t nsubs = p->nsubs;
	bool ok;

	p->in_quotes |= (p->flags & PARSE_EXTQUOTE) && !p->text_only &&
			(b->w->mode == MODE_DQ || b->w->mode == MODE_ARG_DQ);
	ok = read_body(b);
	p->in_quotes = in_quotes;
	if (!ok)
		return 0;
	if (source_peek(p) != '}') {
		if (source_peek(p) < 0)
			parse_fail_matching(p, line, '}');
		else
			b->param->op = OP_BAD;
		if (p->failed || !skip_rest(b))
			return 0;
		if (source_peek(p) != '}') {
			parse_fail_matching(p, line, '}');
			return 0;
		}
	}
	p->pos++;
	if (b->param->op == OP_BAD)
		b->param->source = shown_source(p, b->start, nsubs);
	else
		source_keep(p, &b->param->source, b->start, p->pos);
	part.text = (struct bytes){ (const char *)(uintptr_t)b->start, p->pos - b->start };
	word_add(p, b->w, &part);
	b->ok = true;
	return 0;
}

bool parse_braced_param(struct parser *p, struct word_state *w, size_t start)
{
	struct braced b = { .p = p, .w = w, .start = start };

	word_flush(p, w);
	b.param = arena_zalloc(p->arena, sizeof *b.param);
	b.param->braced = true;
	parse_deeper(p, braced_run, &b);
	return b.ok;
}
