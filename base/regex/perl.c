/* SPDX-License-Identifier: MIT
 *
 * The parser of Perl's syntax, as PCRE2 reads it for grep -P.
 *
 * Groups are kept on a stack of frames in the arena, so nesting costs no C stack. Not here: \X
 * and \C, callouts, verbs within look-around or beside calls; each is refused.
 */
#include "base/regex/perl.h"

bool perl_take(struct perl *x, const char *text)
{
	struct bytes rest = bytes_slice(x->p->p, x->p->at, x->p->p.len);

	if (!bytes_starts(rest, bytes_of(text)))
		return false;
	x->p->at += strlen(text);
	return true;
}

bool perl_number(struct perl *x, uint32_t *value)
{
	size_t from = x->p->at;

	*value = 0;
	while (byte_is_digit(perl_peek(x))) {
		*value = *value * 10 + (uint32_t)(perl_peek(x) - '0');
		if (*value > 65535)
			*value = 65536;
		x->p->at++;
	}
	return x->p->at != from;
}

bool perl_name(struct perl *x, char end, struct bytes *name)
{
	size_t from = x->p->at;

	while (byte_is_name((unsigned char)perl_peek(x)))
		x->p->at++;
	*name = bytes_slice(x->p->p, from, x->p->at);
	if (name->len == 0)
		rx_error(x->p, "subpattern name expected");
	else if (byte_is_digit(name->ptr[0]))
		rx_error(x->p, "subpattern name must start with a non-digit");
	else if (perl_peek(x) != end)
		rx_error(x->p, "syntax error in subpattern name (missing terminator?)");
	else
		x->p->at++;
	return x->p->error == NULL;
}

static void flush(struct perl *x)
{
	if (x->atom != NULL)
		rx_append(x->p, x->top->cat, x->atom);
	x->atom = NULL;
}

static struct perl_frame *push(struct perl *x, enum rx_op kind)
{
	struct perl_frame *f = arena_zalloc(x->p->arena, sizeof(*f));

	flush(x);
	f->up = x->top;
	f->alt = rx_node(x->p, RX_ALT);
	f->cat = rx_node(x->p, RX_CAT);
	f->flags = x->p->flags;
	f->kind = (uint8_t)kind;
	x->top = f;
	return f;
}

static void end_branch(struct perl *x)
{
	flush(x);
	rx_append(x->p, x->top->alt, rx_simplify(x->p, x->top->cat));
	x->top->cat = rx_node(x->p, RX_CAT);
}

static void push_group(struct perl *x)
{
	struct perl_frame *f = push(x, RX_GROUP);

	if (x->p->ngroups == REGEX_GROUPS_MAX)
		rx_error(x->p, "too many capturing groups (maximum 1000)");
	f->group = ++x->p->ngroups;
}

/* (?|a|b): the groups of each branch are numbered anew. */
static void push_reset(struct perl *x)
{
	struct perl_frame *f = push(x, RX_CAT);

	f->reset = true;
	f->reset_from = f->reset_max = x->p->ngroups;
	x->p->backrefs = true;
}

static void reset_groups(struct perl *x)
{
	struct perl_frame *f = x->top;

	if (x->p->ngroups > f->reset_max)
		f->reset_max = x->p->ngroups;
	x->p->ngroups = f->reset_from;
}

static void push_look(struct perl *x, unsigned look)
{
	push(x, RX_LOOK)->look = (uint8_t)look;
	x->p->backrefs = true;
}

static void set_name(struct perl *x, struct bytes name)
{
	uint32_t group = x->p->ngroups;
	uint32_t cap = x->p->names_cap;

	bool twice = (x->p->flags & REGEX_SAME_NAMES) != 0;

	for (uint32_t i = 1; i < group && x->p->names != NULL && !twice; i++)
		if (x->p->names[i] != NULL && bytes_is(name, x->p->names[i]))
			rx_error(x->p, "two named subpatterns have the same name "
				       "(PCRE2_DUPNAMES not set)");
	if (x->p->names == NULL) {
		cap = REGEX_GROUPS_MAX + 1;
		x->p->names = arena_array(x->p->arena, cap, sizeof(x->p->names[0]));
		x->p->names_cap = cap;
	}
	if (group < cap)
		x->p->names[group] = arena_dup(x->p->arena, name);
}

static void push_named(struct perl *x, char end)
{
	struct bytes name;

	if (!perl_name(x, end, &name))
		return;
	push_group(x);
	set_name(x, name);
}

/* Letters of (?imsx-imsx), up to ':' or ')'. */
static void take_options(struct perl *x)
{
	unsigned flags = x->p->flags;
	bool on = true;
	bool fresh = perl_take(x, "^");

	if (fresh)
		flags &= ~(unsigned)(REGEX_ICASE | REGEX_NEWLINE | REGEX_DOTALL | REGEX_EXTENDED);
	for (;;) {
		char c = perl_peek(x);
		unsigned bit = 0;

		if (!perl_more(x)) {
			rx_error(x->p, "missing closing parenthesis");
			return;
		}
		x->p->at++;
		switch (c) {
		case 'i': bit = REGEX_ICASE; break;
		case 'm': bit = REGEX_NEWLINE; break;
		case 's': bit = REGEX_DOTALL; break;
		case 'x': bit = REGEX_EXTENDED; break;
		case 'U': bit = REGEX_UNGREEDY; break;
		case 'J': bit = REGEX_SAME_NAMES; break;
		case '-':
			if (fresh || !on)
				rx_error(x->p, "invalid hyphen in option setting");
			on = false;
			continue;
		case ':':
			push(x, RX_CAT);
			x->p->flags = flags;
			return;
		case ')':
			flush(x);
			x->p->flags = flags;
			return;
		default:
			x->p->at--;
			rx_error(x->p, "unrecognized character after (? or (?-");
			return;
		}
		flags = on ? flags | bit : flags & ~bit;
	}
}

void perl_add_ref(struct perl *x, struct rx_node *n, struct bytes name)
{
	struct perl_ref *r = arena_zalloc(x->p->arena, sizeof(*r));

	*r = (struct perl_ref){ x->refs, n, name, x->p->at };
	x->refs = r;
	x->p->backrefs = true;
}

struct rx_node *perl_backref(struct perl *x, struct bytes name, uint32_t number)
{
	struct rx_node *n = rx_node(x->p, RX_BACKREF);

	n->n = x->base + number;
	n->icase = (x->p->flags & REGEX_ICASE) != 0;
	perl_add_ref(x, n, name);
	return n;
}

/* (?(R) (?(R1) (?(R&name), behind the R; false: it was the beginning of a name. */
static bool take_called(struct perl *x, struct rx_node *n)
{
	struct bytes name = { "", 0 };
	uint32_t number;

	n->kind = RX_IF_CALLED;
	x->p->backrefs = true;
	if (perl_take(x, ")")) {
		n->n = RX_NONE;
		return true;
	}
	if (perl_take(x, "&")) {
		if (perl_name(x, ')', &name))
			perl_add_ref(x, n, name);
		return true;
	}
	if (!perl_number(x, &number) || !perl_take(x, ")"))
		return false;
	n->n = x->base + number;
	perl_add_ref(x, n, name);
	return true;
}

/* Whether the condition is a look-around: it is opened. */
static bool open_look_condition(struct perl *x, struct perl_frame *f)
{
	static const struct {
		const char *mark;
		unsigned look;
	} looks[] = {
		{ "?=", 0 }, { "?!", RX_NOT }, { "?<=", RX_BEHIND }, { "?<!", RX_BEHIND | RX_NOT }
	};

	for (int i = 0; i < 4; i++)
		if (perl_take(x, looks[i].mark)) {
			f->wants_look = true;
			f->alt->kind = RX_IF_LOOK;
			push_look(x, looks[i].look);
			return true;
		}
	return false;
}

/* (?(1)yes|no), (?(<name>)yes|no); behind "(?(". */
static void push_cond(struct perl *x)
{
	struct perl_frame *f = push(x, RX_COND);
	struct bytes name = { "", 0 };
	struct rx_node *n = rx_node(x->p, RX_COND);
	uint32_t number;

	n->nullable = false;
	f->alt = n;
	if (open_look_condition(x, f))
		return;
	if (perl_take(x, "DEFINE)")) {
		n->kind = RX_IF_NEVER;
		x->p->backrefs = true;
		return;
	}
	size_t from = x->p->at;

	if (perl_take(x, "R") && take_called(x, n))
		return;
	n->kind = RX_IF_GROUP;
	x->p->at = from;
	if (perl_number(x, &number)) {
		n->n = x->base + number;
		if (!perl_take(x, ")"))
			rx_error(x->p, "missing closing parenthesis for condition");
	} else if (perl_take(x, "<") || perl_take(x, "'")) {
		char end = x->p->p.ptr[x->p->at - 1] == '<' ? '>' : '\'';

		if (perl_name(x, end, &name) && !perl_take(x, ")"))
			rx_error(x->p, "missing closing parenthesis for condition");
	} else if (!perl_take(x, "?")) {
		perl_name(x, ')', &name);
	} else {
		rx_error(x->p, "assertion expected after (?( or (?(?C)");
	}
	perl_add_ref(x, n, name);
}

static void skip_comment(struct perl *x)
{
	while (perl_more(x) && perl_peek(x) != ')')
		x->p->at++;
	if (!perl_take(x, ")"))
		rx_error(x->p, "missing ) after (?# comment");
}

/* Behind "(?". */
static void open_special(struct perl *x)
{
	struct bytes name;
	struct rx_node *n;

	if (perl_call(x, &n)) {
		flush(x);
		x->atom = n;
	} else if (perl_take(x, "#")) {
		skip_comment(x);
	} else if (perl_take(x, "=")) {
		push_look(x, 0);
	} else if (perl_take(x, "!")) {
		push_look(x, RX_NOT);
	} else if (perl_take(x, "<=")) {
		push_look(x, RX_BEHIND);
	} else if (perl_take(x, "<!")) {
		push_look(x, RX_BEHIND | RX_NOT);
	} else if (perl_take(x, ">")) {
		push(x, RX_ATOMIC);
		x->p->backrefs = true;
	} else if (perl_take(x, "P<") || perl_take(x, "<")) {
		push_named(x, '>');
	} else if (perl_take(x, "'")) {
		push_named(x, '\'');
	} else if (perl_take(x, "P=")) {
		if (perl_name(x, ')', &name)) {
			flush(x);
			x->atom = perl_backref(x, name, 0);
		}
	} else if (perl_take(x, "(")) {
		push_cond(x);
	} else if (perl_take(x, "|")) {
		push_reset(x);
	} else {
		take_options(x);
	}
}

static void open_group(struct perl *x)
{
	if (perl_take(x, "?")) {
		open_special(x);
	} else if (perl_take(x, "*")) {
		struct rx_node *n = perl_verb(x);

		flush(x);
		if (n != NULL)
			rx_append(x->p, x->top->cat, n);
	} else {
		push_group(x);
	}
}

static void close_group(struct perl *x)
{
	struct perl_frame *f = x->top;
	struct rx_node *n, *body;

	if (f->up == NULL) {
		x->p->at--;
		rx_error(x->p, "unmatched closing parenthesis");
		return;
	}
	end_branch(x);
	if (f->reset && f->reset_max > x->p->ngroups)
		x->p->ngroups = f->reset_max;
	x->top = f->up;
	x->p->flags = f->flags;
	if (f->kind == RX_COND) {
		const struct rx_node *yes = f->alt->kid;

		yes = f->alt->kind == RX_IF_LOOK ? yes->next : yes;
		if (f->alt->kind == RX_IF_NEVER && yes->next != NULL)
			rx_error(x->p, "DEFINE subpattern contains more than one branch");
		if (yes != NULL && yes->next != NULL && yes->next->next != NULL)
			rx_error(x->p, "conditional subpattern contains more than two branches");
		f->alt->nullable = true;
		x->atom = f->alt;
		return;
	}
	body = rx_simplify(x->p, f->alt);
	n = f->kind == RX_CAT ? body : rx_unary(x->p, (enum rx_op)f->kind, body);
	if (f->kind == RX_GROUP)
		n->n = f->group;
	n->kind = f->kind == RX_LOOK ? f->look : n->kind;
	if (x->top->wants_look) {
		x->top->wants_look = false;
		rx_append(x->p, x->top->alt, n);
		return;
	}
	x->atom = n;
}

/* {n}, {n,} or {n,m} behind the brace; false, and nothing taken, if it is none. */
static bool take_braces(struct perl *x, uint32_t *min, uint32_t *max)
{
	size_t from = x->p->at;
	bool good = perl_number(x, min);

	*max = *min;
	if (good && perl_take(x, ",") && !perl_number(x, max))
		*max = RX_INFINITE;
	if (!good || !perl_take(x, "}")) {
		x->p->at = from;
		return false;
	}
	if (*min > 65535 || (*max > 65535 && *max != RX_INFINITE))
		rx_error(x->p, "number too big in {} quantifier");
	else if (*min > *max)
		rx_error(x->p, "numbers out of order in {} quantifier");
	return true;
}

static void quantify(struct perl *x, uint32_t min, uint32_t max)
{
	bool lazy = (x->p->flags & REGEX_UNGREEDY) != 0;
	enum rx_mode mode = lazy ? RX_LAZY : RX_GREEDY;

	if (perl_take(x, "?"))
		mode = lazy ? RX_GREEDY : RX_LAZY;
	else if (perl_take(x, "+"))
		mode = RX_POSSESSIVE;
	if (mode == RX_POSSESSIVE)
		x->p->backrefs = true;
	if (x->atom == NULL) {
		rx_error(x->p, "quantifier does not follow a repeatable item");
		return;
	}
	if (max == 0 && (x->atom->op == RX_GROUP || x->atom->groups)) {
		/* It is there to be called. */
		struct rx_node *never = rx_unary(x->p, RX_COND, x->atom);

		never->kind = RX_IF_NEVER;
		never->nullable = true;
		rx_append(x->p, x->top->cat, never);
		x->p->backrefs = true;
	} else {
		rx_append(x->p, x->top->cat, rx_repeat(x->p, x->atom, min, max, mode));
	}
	x->atom = NULL;
}

/* Whether a quantifier may follow: not an assertion, nor \K. */
static bool is_repeatable(const struct rx_node *n)
{
	if (n->op == RX_ALT)
		n = n->kid; /* of \b */
	return n->op != RX_ASSERT && n->op != RX_KEEP;
}

static void add_atom(struct perl *x, struct rx_node *n)
{
	flush(x);
	x->atom = n;
	if (!is_repeatable(n))
		flush(x);
}

static void skip_line(struct perl *x)
{
	while (perl_more(x) && perl_peek(x) != '\n')
		x->p->at++;
}

/* Text of (?x) that means nothing. */
static bool skip_space(struct perl *x, char c)
{
	if ((x->p->flags & REGEX_EXTENDED) == 0)
		return false;
	if (c == '#') {
		skip_line(x);
		return true;
	}
	if (!byte_is_space((unsigned char)c))
		return false;
	x->p->at++;
	return true;
}

static void add_anchor(struct perl *x, char c)
{
	bool lines = (x->p->flags & REGEX_NEWLINE) != 0;

	if (c == '^')
		add_atom(x, rx_assertion(x->p, lines ? RX_LINE_BEGIN : RX_TEXT_BEGIN));
	else
		add_atom(x, rx_assertion(x->p, lines ? RX_LINE_END : RX_TEXT_END_NL));
	if (!lines && c == '$')
		x->p->backrefs = true;
}

static void parse_one(struct perl *x)
{
	char c = perl_peek(x);
	uint32_t min, max;

	if (x->literal) {
		if (perl_take(x, "\\E"))
			x->literal = false;
		else
			add_atom(x, rx_char(x->p, rx_take_char(x->p)));
		return;
	}
	if (skip_space(x, c))
		return;
	x->p->at++;
	switch (c) {
	case '(': open_group(x); return;
	case ')': close_group(x); return;
	case '|':
		end_branch(x);
		if (x->top->reset)
			reset_groups(x);
		return;
	case '*': quantify(x, 0, RX_INFINITE); return;
	case '+': quantify(x, 1, RX_INFINITE); return;
	case '?': quantify(x, 0, 1); return;
	case '^':
	case '$': add_anchor(x, c); return;
	case '.': add_atom(x, rx_any(x->p, (x->p->flags & REGEX_DOTALL) == 0)); return;
	case '\\': {
		struct rx_node *n = perl_escape(x);

		if (n != NULL)
			add_atom(x, n);
		return;
	}
	case '[': {
		struct rx_node *n = perl_refuse_posix(x, x->p->at - 1) ? NULL : perl_class(x);

		if (n != NULL)
			add_atom(x, n);
		return;
	}
	case '{':
		if (take_braces(x, &min, &max)) {
			quantify(x, min, max);
			return;
		}
		break;
	default: break;
	}
	x->p->at--;
	add_atom(x, rx_char(x->p, rx_take_char(x->p)));
}

static uint32_t group_of(const struct perl *x, struct bytes name)
{
	for (uint32_t i = x->base + 1; i <= x->p->ngroups && x->p->names != NULL; i++)
		if (x->p->names[i] != NULL && bytes_is(name, x->p->names[i]))
			return i;
	return 0;
}

/* Whether there are verbs where they would not work as they should. */
static bool has_astray(const struct rx_node *n, bool astray)
{
	astray |= n->op == RX_LOOK;
	if (n->op == RX_VERB && astray)
		return true;
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		if (has_astray(kid, astray))
			return true;
	return false;
}

static bool has_calls(const struct rx_node *n)
{
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		if (has_calls(kid))
			return true;
	return n->op == RX_CALL;
}

/* Gives references their groups, which may come behind them. */
static void resolve(struct perl *x)
{
	for (struct perl_ref *r = x->refs; r != NULL && x->p->error == NULL; r = r->next) {
		if (r->name.len != 0)
			r->node->n = group_of(x, r->name);
		if (r->node->n == 0 || r->node->n > x->p->ngroups) {
			x->p->at = r->at;
			rx_error(x->p, "reference to non-existent subpattern");
		}
	}
}

struct rx_node *rx_parse_perl(struct rx_parse *p)
{
	struct perl x = { .p = p, .base = p->ngroups };
	unsigned flags = p->flags;

	push(&x, RX_CAT);
	perl_settings(&x);
	while (perl_more(&x) && p->error == NULL)
		parse_one(&x);
	if (p->error == NULL && x.top->up != NULL)
		rx_error(p, "missing closing parenthesis");
	if (p->error == NULL)
		resolve(&x);
	if (p->error != NULL)
		return NULL;
	end_branch(&x);
	if (p->error == NULL && x.verbs && has_astray(x.top->alt, has_calls(x.top->alt)))
		rx_error(p, "verbs in look-around or beside recursion are not supported");
	if (p->error != NULL)
		return NULL;
	/* The sides of a place always know lines; the tree says where they matter. */
	p->flags = flags | REGEX_NEWLINE;
	return rx_simplify(p, x.top->alt);
}
