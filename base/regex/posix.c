/* SPDX-License-Identifier: MIT
 *
 * The parser of POSIX basic and extended syntax with GNU's extensions, and of fixed strings.
 *
 * It accepts and refuses what GNU's regcomp does with the syntax bits that bash, grep, sed and
 * awk give it. Groups are kept on a stack of frames in the arena, so nesting costs no C stack.
 */
#include "base/regex/private.h"

enum token {
	TOKEN_END,
	TOKEN_CHAR,
	TOKEN_ALT,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_STAR,
	TOKEN_PLUS,
	TOKEN_QUESTION,
	TOKEN_BRACE,
	TOKEN_BRACE_END,
	TOKEN_BRACKET,
	TOKEN_ANY,
	TOKEN_ASSERT,
	TOKEN_WORD_EDGE,
	TOKEN_BACKREF,
	TOKEN_CLASS,
	TOKEN_BACKSLASH,
};

/* An open group: the alternatives so far and the branch being read. */
struct frame {
	struct frame *up;
	struct rx_node *alt;
	struct rx_node *cat;
	uint32_t group;
	uint32_t done_before; /* closed groups that every alternative may refer to */
	uint32_t done_inside; /* closed in the alternatives so far: for what follows all of them */
};

struct posix {
	struct rx_parse *p;
	struct frame *top;
	enum token token;
	uint32_t value;     /* of the token: character, group, assertion, letter of a class */
	size_t start;       /* of the token */
	uint32_t base;      /* groups of the patterns before, in a set of patterns */
	uint32_t done;      /* bits of the groups 1 to 9 that are closed */
	bool extended;      /* ( ) { } | + ? without backslash */
	bool ops_literal;   /* an operator at the beginning is a character */
	bool ops_skipped;   /* or is skipped */
	bool dup_strict;    /* \{ at the beginning and ** are errors */
	bool brace_literal; /* a broken { } is text */
	bool close_literal; /* so is a ) too many */
	bool newline_alt;
	bool backrefs;
};

static void set_syntax(struct posix *x, unsigned flags)
{
	bool grep = (flags & REGEX_GREP) != 0;
	bool awk = (flags & REGEX_AWK) != 0;

	x->extended = (flags & REGEX_ERE) != 0;
	x->ops_literal = !x->extended || awk;
	x->ops_skipped = grep && x->extended;
	x->dup_strict = !x->extended && !grep && (flags & REGEX_ANY_REPEAT) == 0;
	x->brace_literal = x->extended && (grep || awk);
	x->close_literal = x->extended && (flags & REGEX_SED) == 0;
	x->newline_alt = grep;
	x->backrefs = !awk;
}

static enum token set_token(struct posix *x, enum token token, uint32_t value)
{
	x->value = value;
	x->token = token;
	return token;
}

/* The letters that mean the same behind a backslash in both syntaxes. */
static enum token gnu_escape(struct posix *x, char c)
{
	bool awk = (x->p->flags & REGEX_AWK) != 0;

	switch (c) {
	case '<': return set_token(x, TOKEN_ASSERT, RX_WORD_BEGIN);
	case '>': return set_token(x, TOKEN_ASSERT, RX_WORD_END);
	case '`': return set_token(x, TOKEN_ASSERT, RX_TEXT_BEGIN);
	case '\'': return set_token(x, TOKEN_ASSERT, RX_TEXT_END);
	case 'b': return awk ? set_token(x, TOKEN_CHAR, 8) : set_token(x, TOKEN_WORD_EDGE, 0);
	case 'y': return awk ? set_token(x, TOKEN_WORD_EDGE, 0) : set_token(x, TOKEN_CHAR, 'y');
	case 'B': return set_token(x, TOKEN_WORD_EDGE, 1);
	case 'w':
	case 'W':
	case 's':
	case 'S': return set_token(x, TOKEN_CLASS, (unsigned char)c);
	default: return TOKEN_END;
	}
}

/* An operator that needs the backslash in basic syntax only. */
static enum token basic_operator(char c)
{
	switch (c) {
	case '|': return TOKEN_ALT;
	case '(': return TOKEN_OPEN;
	case ')': return TOKEN_CLOSE;
	case '+': return TOKEN_PLUS;
	case '?': return TOKEN_QUESTION;
	case '{': return TOKEN_BRACE;
	case '}': return TOKEN_BRACE_END;
	default: return TOKEN_END;
	}
}

static enum token escaped(struct posix *x)
{
	struct rx_parse *p = x->p;
	uint32_t value;
	char c;

	if (p->at == p->p.len)
		return set_token(x, TOKEN_BACKSLASH, 0);
	value = rx_escape(p, false);
	if (value != RX_NONE)
		return set_token(x, TOKEN_CHAR, value);
	c = p->p.ptr[p->at];
	value = rx_take_char(p);
	if (!x->extended && basic_operator(c) != TOKEN_END)
		return set_token(x, basic_operator(c), value);
	if (x->backrefs && c >= '1' && c <= '9')
		return set_token(x, TOKEN_BACKREF, value - '0');
	if (gnu_escape(x, c) != TOKEN_END)
		return x->token;
	return set_token(x, TOKEN_CHAR, value);
}

/* Whether '$' (just taken) ends a branch in basic syntax. */
static bool dollar_ends(const struct posix *x)
{
	struct bytes rest = bytes_slice(x->p->p, x->p->at, x->p->p.len);

	return rest.len == 0 || bytes_starts(rest, BYTES("\\)")) ||
	       bytes_starts(rest, BYTES("\\|")) || (x->newline_alt && rest.ptr[0] == '\n');
}

static enum token next_token(struct posix *x, bool caret_here)
{
	struct rx_parse *p = x->p;
	uint32_t value;

	x->start = p->at;
	if (p->at == p->p.len)
		return set_token(x, TOKEN_END, 0);
	value = rx_take_char(p);
	switch (value) {
	case '\\': return escaped(x);
	case '*': return set_token(x, TOKEN_STAR, value);
	case '[': return set_token(x, TOKEN_BRACKET, value);
	case '.': return set_token(x, TOKEN_ANY, value);
	case '^':
		if (x->extended || caret_here || x->start == 0 ||
		    (x->newline_alt && p->p.ptr[x->start - 1] == '\n'))
			return set_token(x, TOKEN_ASSERT, RX_LINE_BEGIN);
		break;
	case '$':
		if (x->extended || dollar_ends(x))
			return set_token(x, TOKEN_ASSERT, RX_LINE_END);
		break;
	case '\n':
		if (x->newline_alt)
			return set_token(x, TOKEN_ALT, value);
		break;
	default:
		if (x->extended && value < 0x80 && basic_operator((char)value) != TOKEN_END)
			return set_token(x, basic_operator((char)value), value);
	}
	return set_token(x, TOKEN_CHAR, value);
}

static void push(struct posix *x, uint32_t group)
{
	struct frame *f = arena_alloc(x->p->arena, sizeof(*f));

	f->up = x->top;
	f->alt = rx_node(x->p, RX_ALT);
	f->cat = rx_node(x->p, RX_CAT);
	f->group = group;
	f->done_before = x->done;
	f->done_inside = 0;
	x->top = f;
}

/* GNU tries an empty first alternative behind the second one. */
static void prefer_second(struct rx_node *alt)
{
	struct rx_node *first = alt->kid;
	struct rx_node *second = first != NULL ? first->next : NULL;

	if (second == NULL || first->op != RX_EMPTY)
		return;
	first->next = second->next;
	first->prev = second;
	second->next = first;
	second->prev = NULL;
	if (first->next != NULL)
		first->next->prev = first;
	else
		alt->last = first;
	alt->kid = second;
}

static struct rx_node *close_alternatives(struct posix *x)
{
	struct frame *f = x->top;

	rx_append(x->p, f->alt, rx_simplify(x->p, f->cat));
	prefer_second(f->alt);
	x->done |= f->done_inside;
	x->top = f->up;
	return rx_simplify(x->p, f->alt);
}

/* A number of {n,m}: RX_NONE if there is none, RX_NONE - 1 when what is there is no number. */
enum { NO_NUMBER = -1, BAD_NUMBER = -2 };
static int32_t take_number(struct posix *x)
{
	int32_t value = NO_NUMBER;

	for (;;) {
		next_token(x, false);
		if (x->p->at % 16 == 0)
			arena_charge(x->p->arena, 1);
		if (x->token == TOKEN_END)
			return BAD_NUMBER;
		if (x->token == TOKEN_BRACE_END || (x->token == TOKEN_CHAR && x->value == ','))
			return value;
		if (x->token != TOKEN_CHAR || x->value < '0' || x->value > '9' ||
		    value == BAD_NUMBER)
			value = BAD_NUMBER;
		else if (value == NO_NUMBER)
			value = (int32_t)x->value - '0';
		else
			value = value * 10 + (int32_t)x->value - '0';
		if (value > RX_REPEAT_MAX)
			value = RX_REPEAT_MAX + 1;
	}
}

enum interval { INTERVAL_OK, INTERVAL_TEXT, INTERVAL_BAD };

/* Reads {n,m} behind the brace. */
static enum interval take_interval(struct posix *x, int32_t *min, int32_t *max)
{
	*max = 0;
	*min = take_number(x);
	if (*min == NO_NUMBER) {
		if (x->token != TOKEN_CHAR) {
			rx_error(x->p, "Invalid content of \\{\\}");
			return INTERVAL_BAD;
		}
		*min = 0;
	}
	if (*min != BAD_NUMBER)
		*max = x->token == TOKEN_BRACE_END ? *min : take_number(x);
	if (*min == BAD_NUMBER || *max == BAD_NUMBER) {
		if (x->brace_literal)
			return INTERVAL_TEXT;
		rx_error(x->p,
			 x->token == TOKEN_END ? "Unmatched \\{" : "Invalid content of \\{\\}");
		return INTERVAL_BAD;
	}
	if ((*max != NO_NUMBER && *min > *max) || x->token != TOKEN_BRACE_END) {
		rx_error(x->p, "Invalid content of \\{\\}");
		return INTERVAL_BAD;
	}
	if ((*max == NO_NUMBER ? *min : *max) > RX_REPEAT_MAX) {
		rx_error(x->p, RX_TOO_BIG);
		return INTERVAL_BAD;
	}
	return INTERVAL_OK;
}

/* Applies the operator that is the current token. NULL on error. */
static struct rx_node *repeat(struct posix *x, struct rx_node *atom)
{
	int32_t min = x->token == TOKEN_PLUS;
	int32_t max = x->token == TOKEN_QUESTION ? 1 : NO_NUMBER;
	size_t brace = x->start;

	if (x->token == TOKEN_BRACE) {
		switch (take_interval(x, &min, &max)) {
		case INTERVAL_BAD: return NULL;
		case INTERVAL_TEXT:
			x->p->at = brace + 1;
			x->start = brace;
			set_token(x, TOKEN_CHAR, '{');
			return atom;
		case INTERVAL_OK: break;
		}
	}
	next_token(x, false);
	return rx_repeat(x->p, atom, (uint32_t)min, max == NO_NUMBER ? RX_INFINITE : (uint32_t)max,
			 RX_GREEDY);
}

static bool is_repeat(enum token t)
{
	return t == TOKEN_STAR || t == TOKEN_PLUS || t == TOKEN_QUESTION || t == TOKEN_BRACE;
}

/* Takes the operators behind an atom and adds the whole to the branch. The current token is
 * the one behind the atom. */
static void finish_atom(struct posix *x, struct rx_node *atom)
{
	while (is_repeat(x->token)) {
		atom = repeat(x, atom);
		if (atom == NULL)
			return;
		if (x->dup_strict && (x->token == TOKEN_STAR || x->token == TOKEN_BRACE)) {
			rx_error(x->p, "Invalid preceding regular expression");
			return;
		}
	}
	if (atom->op != RX_EMPTY)
		rx_append(x->p, x->top->cat, atom);
}

static struct rx_node *class_atom(struct posix *x)
{
	struct rx_set *s = rx_set_new(x->p->arena);
	bool utf8 = rx_utf8(x->p);

	if (x->value == 'w' || x->value == 'W')
		rx_set_add_word(x->p->arena, s, utf8);
	else
		rx_set_add_class(x->p->arena, s, UTF8_SPACE, utf8);
	rx_set_finish(s);
	if (byte_is_upper((int)x->value))
		rx_set_negate(x->p->arena, s, utf8);
	return rx_set_node(x->p, s);
}

static struct rx_node *backref_atom(struct posix *x)
{
	struct rx_node *n;

	if ((x->done >> x->value & 1) == 0) {
		rx_error(x->p, "Invalid back reference");
		return NULL;
	}
	n = rx_node(x->p, RX_BACKREF);
	n->n = x->base + x->value;
	n->icase = (x->p->flags & REGEX_ICASE) != 0;
	x->p->backrefs = true;
	return n;
}

/* An atom of one token, or NULL on error. */
static struct rx_node *simple_atom(struct posix *x)
{
	switch (x->token) {
	case TOKEN_BRACKET: return rx_bracket(x->p);
	case TOKEN_ANY: return rx_any(x->p, (x->p->flags & REGEX_NEWLINE) != 0);
	case TOKEN_CLASS: return class_atom(x);
	case TOKEN_BACKREF: return backref_atom(x);
	case TOKEN_BACKSLASH: rx_error(x->p, "Trailing backslash"); return NULL;
	default: return rx_char(x->p, x->value);
	}
}

/* An assertion: no operator may follow, what looks like one is the next atom. */
static void add_assertion(struct posix *x)
{
	if (x->token == TOKEN_WORD_EDGE)
		rx_append(x->p, x->top->cat, rx_word_edge(x->p, x->value != 0));
	else
		rx_append(x->p, x->top->cat, rx_assertion(x->p, (enum rx_assert)x->value));
	next_token(x, false);
}

/* A repeat operator with nothing before it. */
static void stray_repeat(struct posix *x)
{
	bool strict = x->token == TOKEN_BRACE ? x->dup_strict : false;

	if (strict || (!x->ops_literal && !x->ops_skipped)) {
		rx_error(x->p, "Invalid preceding regular expression");
	} else if (x->ops_skipped && x->token == TOKEN_BRACE) {
		/* GNU grep skips a well-formed {n,m}, and takes another one for text. */
		if (repeat(x, rx_node(x->p, RX_EMPTY)) != NULL && x->token == TOKEN_CHAR &&
		    x->p->at == x->start + 1 && x->value == '{') {
			next_token(x, false);
			finish_atom(x, rx_char(x->p, '{'));
		}
	} else if (x->ops_skipped) {
		next_token(x, false);
	} else {
		struct rx_node *atom = rx_char(x->p, x->value);

		next_token(x, false);
		finish_atom(x, atom);
	}
}

static void close_group(struct posix *x)
{
	uint32_t group = x->top->group;
	struct rx_node *atom;

	if (x->top->up == NULL) {
		if (!x->close_literal) {
			rx_error(x->p, "Unmatched ) or \\)");
			return;
		}
		atom = rx_char(x->p, ')');
	} else {
		atom = rx_unary(x->p, RX_GROUP, close_alternatives(x));
		atom->n = group;
		if (group - x->base <= 9)
			x->done |= 1u << (group - x->base);
	}
	next_token(x, false);
	finish_atom(x, atom);
}

static void parse_one(struct posix *x)
{
	struct rx_node *atom;

	switch (x->token) {
	case TOKEN_ALT:
		rx_append(x->p, x->top->alt, rx_simplify(x->p, x->top->cat));
		x->top->cat = rx_node(x->p, RX_CAT);
		x->top->done_inside |= x->done;
		x->done = x->top->done_before;
		next_token(x, true);
		return;
	case TOKEN_OPEN:
		if (x->p->ngroups == REGEX_GROUPS_MAX)
			rx_error(x->p, RX_TOO_BIG);
		push(x, ++x->p->ngroups);
		next_token(x, true);
		return;
	case TOKEN_CLOSE: close_group(x); return;
	case TOKEN_STAR:
	case TOKEN_PLUS:
	case TOKEN_QUESTION:
	case TOKEN_BRACE: stray_repeat(x); return;
	case TOKEN_ASSERT:
	case TOKEN_WORD_EDGE: add_assertion(x); return;
	default:
		atom = simple_atom(x);
		if (atom == NULL)
			return;
		next_token(x, false);
		finish_atom(x, atom);
	}
}

struct rx_node *rx_parse_posix(struct rx_parse *p)
{
	struct posix x = { .p = p, .base = p->ngroups };

	set_syntax(&x, p->flags);
	push(&x, 0);
	next_token(&x, true);
	while (x.token != TOKEN_END && p->error == NULL)
		parse_one(&x);
	if (p->error == NULL && x.top->up != NULL)
		rx_error(p, "Unmatched ( or \\(");
	return p->error == NULL ? close_alternatives(&x) : NULL;
}

struct rx_node *rx_parse_fixed(struct rx_parse *p)
{
	struct rx_node *cat = rx_node(p, RX_CAT);

	while (p->at < p->p.len)
		rx_append(p, cat, rx_char(p, rx_take_char(p)));
	return rx_simplify(p, cat);
}
