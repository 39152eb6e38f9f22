/* SPDX-License-Identifier: MIT
 *
 * The part of Perl that renaming needs. Compiled to a list of steps, each of which makes a new
 * text out of the last. Text is bytes. What is not known is an error that names it: nothing of
 * Perl is guessed at.
 */
#include "builtins/edit.h"

#include "builtins/edit_expr.h"

enum { EDIT_STEPS_MAX = 1000, EDIT_TEXT_MAX = 1 << 20, GROUPS_KEPT = EXPR_GROUPS };

enum step_kind { STEP_SUBSTITUTE, STEP_TRANSLATE, STEP_CASE, STEP_CHOP, STEP_CHOMP, STEP_EXPR };

/* Changes of case: for what follows, or for the next character. */
enum casing { CASE_NONE, CASE_UPPER, CASE_LOWER, CASE_UPPER_1, CASE_LOWER_1, CASE_QUOTE };

enum { DELETE_BYTE = -1 };

/* A piece of a replacement: text, a group, or a change of case. */
struct piece {
	enum { PIECE_TEXT, PIECE_GROUP, PIECE_CASE, PIECE_EXPR } kind;
	struct bytes text;
	struct perl_expr *expr;
	unsigned group;
	enum casing casing;
};

struct step {
	enum step_kind kind;
	struct regex *re;
	bool global;
	struct piece *piece;
	size_t npieces;
	int16_t map[256]; /* tr: the byte, or DELETE_BYTE */
	bool mapped[256]; /* tr: the byte is in the search list */
	bool squeeze;
	enum casing casing;
	struct perl_expr *expr; /* STEP_EXPR; of s///e what stands for a match */
	struct perl_expr *when; /* it is done if this is true, or with `unless` if it is not */
	bool unless;
};

struct edit {
	struct cmd *c;
	struct perl_vars *vars;
	struct step *step;
	size_t nsteps;
};

struct parser {
	struct cmd *c;
	struct bytes code;
	size_t at;
	const char *error;
	struct edit *e;
};

static void fail(struct parser *p, const char *format, struct bytes what)
{
	struct buf text = buf_in(p->c->arena);

	if (p->error != NULL)
		return;
	buf_printf(&text, format, (int)(what.len < 100 ? what.len : 100), what.ptr);
	p->error = buf_cstr(&text);
}

static int peek(const struct parser *p)
{
	return p->at < p->code.len ? (unsigned char)p->code.ptr[p->at] : -1;
}

static void skip_space(struct parser *p)
{
	while (peek(p) >= 0 && byte_is_space(peek(p)))
		p->at++;
}

static struct bytes rest(const struct parser *p)
{
	return bytes_slice(p->code, p->at, p->code.len);
}

/* --- delimited parts --- */

static int closing(int open)
{
	switch (open) {
	case '{': return '}';
	case '(': return ')';
	case '[': return ']';
	case '<': return '>';
	default: return open;
	}
}

/* The text up to the closing delimiter; \DELIM is the delimiter, other escapes stay. */
static bool take_part(struct parser *p, int open, struct bytes *out)
{
	int close = closing(open);
	struct buf text = buf_in(p->c->arena);
	int depth = 0;

	for (; peek(p) >= 0; p->at++) {
		int ch = peek(p);

		if (ch == '\\' && p->at + 1 < p->code.len) {
			int next = (unsigned char)p->code.ptr[++p->at];

			if (next != close || close != open)
				buf_putc(&text, '\\');
			buf_putc(&text, (char)next);
			continue;
		}
		if (ch == close && depth == 0) {
			p->at++;
			*out = buf_bytes(&text);
			return true;
		}
		depth += close != open ? (ch == open) - (ch == close) : 0;
		buf_putc(&text, (char)ch);
	}
	return false;
}

/* Both parts of s///, tr///: s{a}{b} may have blanks between. */
static bool take_two(struct parser *p, struct bytes *first, struct bytes *second)
{
	skip_space(p);
	int open = peek(p);

	if (open < 0 || byte_is_name(open))
		return false;
	p->at++;
	if (!take_part(p, open, first))
		return false;
	if (closing(open) != open) {
		skip_space(p);
		open = peek(p);
		if (open < 0)
			return false;
		p->at++;
	}
	return take_part(p, open, second);
}

static struct bytes take_word(struct parser *p)
{
	size_t from = p->at;

	while (peek(p) >= 0 && byte_is_name(peek(p)))
		p->at++;
	return bytes_slice(p->code, from, p->at);
}

/* --- s/// --- */

/* One escape behind a backslash at s[*at]: its byte, *at moves behind it. */
static int escape_byte(struct bytes s, size_t *at)
{
	static const char names[] = "abefnrt0";
	static const char values[] = "\a\b\033\f\n\r\t";
	char ch = s.ptr[(*at)++];
	const char *hit = strchr(names, ch);
	int value = 0;

	if (ch == 'x') {
		for (int i = 0; i < 2 && *at < s.len && byte_is_xdigit(s.ptr[*at]); i++)
			value = value * 16 + byte_digit(s.ptr[(*at)++]);
		return value;
	}
	return hit != NULL && ch != '\0' ? (unsigned char)values[hit - names] : (unsigned char)ch;
}

static enum casing casing_of(char letter)
{
	switch (letter) {
	case 'U': return CASE_UPPER;
	case 'L': return CASE_LOWER;
	case 'u': return CASE_UPPER_1;
	case 'l': return CASE_LOWER_1;
	case 'Q': return CASE_QUOTE;
	default: return CASE_NONE;
	}
}

struct pieces {
	struct buf list; /* of struct piece */
	struct buf text; /* not yet a piece */
};

static void end_text(struct pieces *ps)
{
	struct piece piece = { .kind = PIECE_TEXT, .text = buf_bytes(&ps->text) };

	if (ps->text.len == 0)
		return;
	buf_put(&ps->list, &piece, sizeof piece);
	ps->text = buf_in(ps->text.arena);
}

static void add_piece(struct pieces *ps, struct piece piece)
{
	end_text(ps);
	buf_put(&ps->list, &piece, sizeof piece);
}

/* $1, ${1}, $& at s[*at], which is the dollar. False: something else. */
static bool take_group(struct bytes s, size_t *at, unsigned *out)
{
	size_t i = *at + 1;
	bool braces = i < s.len && s.ptr[i] == '{';
	unsigned value = 0;
	size_t from;

	i += braces;
	from = i;
	if (i < s.len && s.ptr[i] == '&') {
		i++;
	} else {
		for (; i < s.len && byte_is_digit(s.ptr[i]) && value < REGEX_GROUPS_MAX; i++)
			value = value * 10 + (unsigned)byte_digit(s.ptr[i]);
	}
	if (i == from || (braces && (i >= s.len || s.ptr[i] != '}')))
		return false;
	*out = value;
	*at = i + braces;
	return true;
}

static void take_escape(struct bytes s, size_t *at, struct pieces *ps)
{
	char next = s.ptr[*at + 1];

	++*at;
	if (casing_of(next) != CASE_NONE || next == 'E') {
		add_piece(ps, (struct piece){ .kind = PIECE_CASE, .casing = casing_of(next) });
		++*at;
	} else if (next >= '1' && next <= '9') {
		add_piece(ps, (struct piece){ .kind = PIECE_GROUP,
					      .group = (unsigned)byte_digit(next) });
		++*at;
	} else {
		buf_putc(&ps->text, (char)escape_byte(s, at));
	}
}

/* $name at s[*at]. */
static bool take_variable(struct parser *p, struct bytes s, size_t *at, struct pieces *ps)
{
	size_t to = *at + 1;

	if (s.ptr[to] == '{')
		while (to < s.len && s.ptr[to] != '}')
			to++;
	while (to < s.len && (byte_is_name(s.ptr[to]) || s.ptr[to] == '}')) {
		bool end = s.ptr[to++] == '}';

		if (end)
			break;
	}
	if (to < s.len && (s.ptr[to] == '{' || s.ptr[to] == '[')) {
		fail(p, "lists are not supported: %.*s", bytes_slice(s, *at, s.len));
		return true;
	}
	size_t from = 0;
	const char *error;
	struct perl_expr *e = perl_expr_parse(p->c, p->e->vars, bytes_slice(s, *at, to), &from,
					      &error);

	if (e == NULL) {
		p->error = p->error != NULL ? p->error : error;
		return true;
	}
	add_piece(ps, (struct piece){ .kind = PIECE_EXPR, .expr = e });
	*at = to;
	return true;
}

static void parse_replacement(struct parser *p, struct bytes s, struct step *st)
{
	struct arena *a = p->c->arena;
	struct pieces ps = { buf_in(a), buf_in(a) };
	size_t at = 0;
	unsigned group;

	while (at < s.len && p->error == NULL) {
		char ch = s.ptr[at];
		bool name = at + 1 < s.len && (byte_is_name(s.ptr[at + 1]) || s.ptr[at + 1] == '{');

		if (ch == '\\' && at + 1 < s.len) {
			take_escape(s, &at, &ps);
		} else if (ch == '$' && take_group(s, &at, &group)) {
			add_piece(&ps, (struct piece){ .kind = PIECE_GROUP, .group = group });
		} else if (ch == '$' && name && take_variable(p, s, &at, &ps)) {
			continue;
		} else if (ch == '@' && name) {
			fail(p, "lists are not supported: %.*s", bytes_slice(s, at, s.len));
		} else {
			buf_putc(&ps.text, ch);
			at++;
		}
	}
	end_text(&ps);
	st->piece = (void *)ps.list.ptr;
	st->npieces = ps.list.len / sizeof(struct piece);
}

/* All of the text as one expression. */
static struct perl_expr *parse_code(struct parser *p, struct bytes text)
{
	size_t at = 0;
	const char *error;
	struct perl_expr *e = perl_expr_parse(p->c, p->e->vars, text, &at, &error);

	while (e != NULL && at < text.len && (byte_is_space(text.ptr[at]) || text.ptr[at] == ';'))
		at++;
	if (e == NULL)
		p->error = p->error != NULL ? p->error : error;
	else if (at < text.len)
		fail(p, "not supported: %.*s", bytes_slice(text, at, text.len));
	return e;
}

static void parse_substitute(struct parser *p, struct step *st)
{
	struct bytes pattern;
	struct bytes replacement;
	unsigned flags = REGEX_PERL;
	const char *message;
	size_t offset;

	if (!take_two(p, &pattern, &replacement)) {
		fail(p, "Substitution not terminated: %.*s", p->code);
		return;
	}
	struct bytes letters = take_word(p);
	bool code = false;

	st->kind = STEP_SUBSTITUTE;
	for (size_t i = 0; i < letters.len; i++) {
		switch (letters.ptr[i]) {
		case 'g': st->global = true; break;
		case 'i': flags |= REGEX_ICASE; break;
		case 'x': flags |= REGEX_EXTENDED; break;
		case 's': flags |= REGEX_DOTALL; break;
		case 'm': flags |= REGEX_NEWLINE; break;
		case 'e': code = true; break;
		case 'a':
		case 'o': break;
		default: fail(p, "flags of s/// are e g i m s x: %.*s", letters); return;
		}
	}
	if (regex_compile(p->c->arena, pattern, flags, &st->re, &message, &offset) < 0) {
		fail(p, "%.*s", bytes_of(message));
		return;
	}
	regex_set_work(st->re, cmd_work, p->c);
	if (code)
		st->expr = parse_code(p, replacement);
	else
		parse_replacement(p, replacement, st);
}

/* --- tr/// --- */

struct tr_list {
	uint8_t byte[256 * 4];
	size_t n;
};

static bool expand_list(struct bytes s, struct tr_list *out)
{
	bool range = false;

	for (size_t at = 0; at < s.len;) {
		int ch = (unsigned char)s.ptr[at++];
		bool plain = ch != '\\' || at >= s.len;

		if (!plain)
			ch = escape_byte(s, &at);
		if (plain && ch == '-' && out->n > 0 && at < s.len && !range) {
			range = true;
			continue;
		}
		int from = range ? out->byte[out->n - 1] + 1 : ch;

		for (; from <= ch; from++) {
			if (out->n == sizeof out->byte)
				return false;
			out->byte[out->n++] = (uint8_t)from;
		}
		range = false;
	}
	return true;
}

static void complement(struct tr_list *l)
{
	bool in[256] = { false };

	for (size_t i = 0; i < l->n; i++)
		in[l->byte[i]] = true;
	l->n = 0;
	for (unsigned b = 0; b < 256; b++)
		if (!in[b])
			l->byte[l->n++] = (uint8_t)b;
}

static void parse_translate(struct parser *p, struct step *st)
{
	struct tr_list from = { .n = 0 };
	struct tr_list to = { .n = 0 };
	struct bytes search;
	struct bytes replace;
	bool removes = false;

	if (!take_two(p, &search, &replace)) {
		fail(p, "Transliteration not terminated: %.*s", p->code);
		return;
	}
	if (!expand_list(search, &from) || !expand_list(replace, &to)) {
		fail(p, "lists of tr/// are too long: %.*s", search);
		return;
	}
	struct bytes letters = take_word(p);

	st->kind = STEP_TRANSLATE;
	for (size_t i = 0; i < letters.len; i++) {
		switch (letters.ptr[i]) {
		case 'c': complement(&from); break;
		case 'd': removes = true; break;
		case 's': st->squeeze = true; break;
		default: fail(p, "flags of tr/// are c d s: %.*s", letters); return;
		}
	}
	if (to.n == 0 && !removes)
		to = from;
	for (size_t i = 0; i < from.n; i++) {
		uint8_t b = from.byte[i];

		if (st->mapped[b])
			continue;
		st->mapped[b] = true;
		st->map[b] = i < to.n  ? to.byte[i]
			     : removes ? (int16_t)DELETE_BYTE
				       : to.byte[to.n - 1];
	}
}

/* --- statements --- */

static bool skip_text(struct parser *p, const char *text)
{
	if (!bytes_starts(rest(p), bytes_of(text)))
		return false;
	p->at += strlen(text);
	skip_space(p);
	return true;
}

/* lc, lc $_, lc($_) */
static bool take_argument(struct parser *p)
{
	skip_space(p);
	if (skip_text(p, "(")) {
		skip_text(p, "$_");
		return skip_text(p, ")");
	}
	skip_text(p, "$_");
	return true;
}

static bool parse_function(struct parser *p, struct bytes word, bool assigned, struct step *st)
{
	static const struct {
		const char *name;
		enum step_kind kind;
		enum casing casing;
	} functions[] = {
		{ "lc", STEP_CASE, CASE_LOWER },        { "uc", STEP_CASE, CASE_UPPER },
		{ "ucfirst", STEP_CASE, CASE_UPPER_1 }, { "lcfirst", STEP_CASE, CASE_LOWER_1 },
		{ "chop", STEP_CHOP, CASE_NONE },       { "chomp", STEP_CHOMP, CASE_NONE },
	};

	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		if (!bytes_is(word, functions[i].name) ||
		    assigned != (functions[i].kind == STEP_CASE))
			continue;
		st->kind = functions[i].kind;
		st->casing = functions[i].casing;
		return take_argument(p);
	}
	return false;
}

/* s///, tr///, chop and the like. False: it is none of these, and nothing is taken. */
static bool parse_simple(struct parser *p, struct step *st)
{
	size_t from = p->at;
	bool assigned = false;

	if (skip_text(p, "$_")) {
		bool binds = skip_text(p, "=~");

		assigned = !binds && skip_text(p, "=");
		if (!binds && !assigned)
			p->at = from;
	}
	struct bytes word = take_word(p);

	if (bytes_is(word, "s") && !assigned) {
		parse_substitute(p, st);
		return true;
	}
	if ((bytes_is(word, "y") || bytes_is(word, "tr")) && !assigned) {
		parse_translate(p, st);
		return true;
	}
	bool known = parse_function(p, word, assigned, st);

	skip_space(p);
	if (known && (peek(p) < 0 || peek(p) == ';'))
		return true;
	p->at = from;
	*st = (struct step){ .kind = STEP_EXPR };
	return false;
}

static struct perl_expr *parse_expression(struct parser *p)
{
	const char *error;
	struct perl_expr *e = perl_expr_parse(p->c, p->e->vars, p->code, &p->at, &error);

	if (e == NULL)
		p->error = p->error != NULL ? p->error : error;
	return e;
}

static void parse_statement(struct parser *p, struct step *st)
{
	if (!parse_simple(p, st))
		st->expr = parse_expression(p);
	skip_space(p);
	if (p->error == NULL && (skip_text(p, "if") || (st->unless = skip_text(p, "unless"))))
		st->when = parse_expression(p);
	skip_space(p);
	if (p->error == NULL && peek(p) >= 0 && peek(p) != ';')
		fail(p, "not supported: %.*s", rest(p));
}

struct edit *edit_compile(struct cmd *c, struct bytes code, bool strict, const char **message)
{
	struct parser p = { .c = c, .code = code };
	struct buf steps = buf_in(c->arena);
	size_t n = 0;

	p.e = arena_zalloc(c->arena, sizeof *p.e);
	p.e->vars = perl_vars_new(c, strict);
	for (;;) {
		struct step st = { .kind = STEP_CASE };

		while (peek(&p) == ';' || (peek(&p) >= 0 && byte_is_space(peek(&p))))
			p.at++;
		if (peek(&p) < 0)
			break;
		if (n++ == EDIT_STEPS_MAX)
			fail(&p, "too many statements: %.*s", rest(&p));
		else
			parse_statement(&p, &st);
		if (p.error != NULL) {
			*message = p.error;
			return NULL;
		}
		cmd_charge(c, 4);
		buf_put(&steps, &st, sizeof st);
	}
	p.e->c = c;
	p.e->step = (void *)steps.ptr;
	p.e->nsteps = n;
	return p.e;
}

/* --- at work --- */

/* Text under the changes of case of a replacement. */
struct caser {
	struct buf out;
	enum casing lasting;
	enum casing next;
};

static void put_cased(struct caser *k, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		int ch = (unsigned char)s.ptr[i];

		if (k->next == CASE_UPPER_1 || (k->next == CASE_NONE && k->lasting == CASE_UPPER))
			ch = byte_to_upper(ch);
		else if (k->next == CASE_LOWER_1 || k->lasting == CASE_LOWER)
			ch = byte_to_lower(ch);
		if (k->lasting == CASE_QUOTE && !byte_is_name(ch))
			buf_putc(&k->out, '\\');
		buf_putc(&k->out, (char)ch);
		k->next = CASE_NONE;
	}
}

static void put_pieces(const struct step *st, struct perl_env *env, struct caser *k)
{
	struct bytes text = env->text;
	const struct regex_span *span = env->span;

	for (size_t i = 0; i < st->npieces; i++) {
		const struct piece *p = &st->piece[i];

		if (p->kind == PIECE_TEXT) {
			put_cased(k, p->text);
		} else if (p->kind == PIECE_EXPR) {
			put_cased(k, perl_expr_text(env, p->expr));
		} else if (p->kind == PIECE_GROUP) {
			const struct regex_span *g = &span[p->group < GROUPS_KEPT ? p->group : 0];

			if (p->group < GROUPS_KEPT && g->from != SIZE_MAX)
				put_cased(k, bytes_slice(text, g->from, g->to));
		} else if (p->casing == CASE_UPPER_1 || p->casing == CASE_LOWER_1) {
			k->next = p->casing;
		} else {
			k->lasting = p->casing;
		}
	}
	k->lasting = CASE_NONE;
	k->next = CASE_NONE;
}

static struct bytes substitute(const struct step *st, struct perl_env *env)
{
	struct caser k = { .out = buf_in(env->a) };
	struct bytes text = env->topic;
	struct regex_span span[GROUPS_KEPT];
	size_t from = 0;
	size_t at = 0;

	for (;;) {
		for (size_t i = 0; i < GROUPS_KEPT; i++)
			span[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
		if (at > text.len || regex_search(st->re, text, at, 0, span, GROUPS_KEPT) != 0)
			break;
		cmd_charge(env->c, 2);
		buf_add(&k.out, bytes_slice(text, from, span[0].from));
		env->text = text;
		memcpy(env->span, span, sizeof span);
		if (st->expr != NULL)
			buf_add(&k.out, perl_expr_text(env, st->expr));
		else
			put_pieces(st, env, &k);
		from = at = span[0].to;
		if (!st->global || k.out.len > EDIT_TEXT_MAX)
			break;
		/* After an empty match one byte is passed over. */
		if (span[0].to == span[0].from) {
			if (at < text.len)
				buf_putc(&k.out, text.ptr[at]);
			from = ++at;
		}
	}
	if (from < text.len)
		buf_add(&k.out, bytes_slice(text, from, text.len));
	return buf_bytes(&k.out);
}

static struct bytes translate(const struct step *st, struct arena *a, struct bytes text)
{
	struct buf out = buf_in(a);
	int last = DELETE_BYTE;

	for (size_t i = 0; i < text.len; i++) {
		uint8_t b = (uint8_t)text.ptr[i];
		int to = st->mapped[b] ? st->map[b] : b;

		if (to == DELETE_BYTE || (st->squeeze && st->mapped[b] && to == last))
			continue;
		buf_putc(&out, (char)to);
		last = st->mapped[b] ? to : DELETE_BYTE;
	}
	return buf_bytes(&out);
}

static struct bytes apply_step(const struct step *st, struct perl_env *env)
{
	struct caser k = { .out = buf_in(env->a) };
	struct bytes text = env->topic;

	switch (st->kind) {
	case STEP_SUBSTITUTE: return substitute(st, env);
	case STEP_TRANSLATE: return translate(st, env->a, text);
	case STEP_CHOP: return bytes_slice(text, 0, text.len - (text.len > 0));
	case STEP_CHOMP: return bytes_slice(text, 0, text.len - bytes_ends(text, BYTES("\n")));
	case STEP_EXPR: (void)perl_expr_text(env, st->expr); return env->topic;
	case STEP_CASE: break;
	}
	k.lasting = st->casing == CASE_UPPER || st->casing == CASE_LOWER ? st->casing : CASE_NONE;
	k.next = k.lasting == CASE_NONE ? st->casing : CASE_NONE;
	put_cased(&k, text);
	return buf_bytes(&k.out);
}

struct bytes edit_apply(const struct edit *e, struct arena *a, struct bytes text)
{
	struct perl_env *env = arena_zalloc(a, sizeof *env);

	env->c = e->c;
	env->a = a;
	env->vars = e->vars;
	env->topic = text;
	for (size_t i = 0; i < GROUPS_KEPT; i++)
		env->span[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
	for (size_t i = 0; i < e->nsteps; i++) {
		const struct step *st = &e->step[i];

		cmd_charge_bytes(e->c, env->topic.len);
		if (st->when == NULL || perl_expr_true(env, st->when) != st->unless)
			env->topic = apply_step(st, env);
	}
	return env->topic;
}
