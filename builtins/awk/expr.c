/* SPDX-License-Identifier: MIT
 *
 * awk's expressions, by recursive descent: from the loosest operators to the tightest.
 *
 * Two characters mean different things by place: in print's list '>' and '|' redirect, in
 * for's head `in` belongs to the loop. An assignment is taken where a variable begins what a
 * comparison or a looser operator joins, as gawk's grammar has it: `1 && x = 2`, but not
 * `1 + x = 2`.
 */
#include "builtins/awk/parse.h"

enum { SUBARRAYS_MAX = 200 };

/* --- nodes --- */

struct node *awk_node_new(struct parser *p, enum node_op op)
{
	struct node *n = arena_zalloc(p->arena, sizeof *n);

	n->op = (uint8_t)op;
	n->line = p->l.line;
	n->file = p->l.file;
	if (p->a->o->profile != NULL)
		n->counter = ++p->prog->ncounters;
	awk_work(p->a, 1);
	return n;
}

void awk_node_add(struct node *list, struct node *item)
{
	item->next = NULL;
	if (list->last == NULL)
		list->list = item;
	else
		list->last->next = item;
	list->last = item;
	list->count++;
}

static struct node *binary(struct parser *p, enum node_op op, int sub, struct node *a,
			   struct node *b)
{
	struct node *n = awk_node_new(p, op);

	/* "(1, 2)" is something in front of `in` only. */
	if ((a != NULL && a->op == N_GROUP) || (b != NULL && b->op == N_GROUP))
		awk_lex_unexpected(&p->l);
	n->sub = (uint8_t)sub;
	n->a = a;
	n->b = b;
	return n;
}

bool awk_node_is_lvalue(const struct node *n)
{
	return !n->grouped && (n->op == N_VAR || n->op == N_INDEX || n->op == N_FIELD);
}

/* --- recursion --- */

struct deeper {
	struct parser *p;
	struct node *(*fn)(struct parser *p);
	struct node *out;
};

static int run_deeper(void *arg)
{
	struct deeper *d = arg;

	d->out = d->fn(d->p);
	return 0;
}

struct node *awk_parse_deeper(struct parser *p, struct node *(*fn)(struct parser *p))
{
	struct deeper d = { .p = p, .fn = fn };

	if (++p->depth > AWK_DEPTH_MAX)
		awk_lex_refuse(&p->l, "program nested too deeply");
	if (cmd_stack_left(p->a->c) < AWK_STACK_NEED)
		cmd_deepen(p->a->c, AWK_STACK_NEED, run_deeper, &d);
	else
		d.out = fn(p);
	p->depth--;
	return d.out;
}

/* --- operands --- */

static struct node *parse_unary(struct parser *p);
static struct node *parse_concat(struct parser *p);
static struct node *parse_postfix(struct parser *p, bool assigns);
static struct node *parse_primary(struct parser *p);
static struct node *increment(struct parser *p, struct node *n);
static void check_message(struct parser *p, const struct node *n);

void awk_parse_list(struct parser *p, struct node *list, int end)
{
	while (!at_token(p, end)) {
		awk_node_add(list, awk_parse_expr(p));
		if (!at_token(p, ','))
			break;
		awk_lex_next(&p->l);
		awk_skip_newlines(p);
		if (at_token(p, end))
			awk_lex_unexpected(&p->l);
	}
}

/* What is in parentheses or brackets is free of the rules around it. */
static void parse_inside(struct parser *p, struct node *list, int end)
{
	bool no_gt = p->no_gt;
	bool no_in = p->no_in;
	bool no_pipe = p->no_pipe;

	p->no_gt = p->no_in = p->no_pipe = false;
	awk_parse_list(p, list, end);
	p->no_gt = no_gt;
	p->no_in = no_in;
	p->no_pipe = no_pipe;
	if (!at_token(p, end))
		awk_lex_unexpected(&p->l);
	awk_lex_next(&p->l);
}

struct node *awk_parse_variable(struct parser *p)
{
	struct node *n = awk_node_new(p, N_VAR);
	struct bytes name = p->l.name;
	int depth = 0;

	n->text = name;
	n->var = INT32_MIN;
	for (int i = 0; p->fn != NULL && i < p->fn->nparams; i++)
		if (bytes_eq(p->fn->params[i], name))
			n->var = ~i;
	if (n->var == INT32_MIN) {
		struct function *f = awk_program_find_function(p->prog, name);

		if (f != NULL && f->defined)
			awk_lex_refuse(&p->l,
				       "function `%.*s' called with space between name and `(',\n"
				       "or used as a variable or an array",
				       (int)name.len, name.ptr);
		n->var = awk_program_global(p->prog, name);
		p->prog->tables |= n->var == GLOBAL_SYMTAB || n->var == GLOBAL_FUNCTAB ||
				   n->var == GLOBAL_PROCINFO;
	}
	awk_lex_next(&p->l);
	while (at_token(p, '[')) {
		struct node *index = awk_node_new(p, N_INDEX);

		index->a = n;
		awk_lex_next(&p->l);
		if (at_token(p, ']'))
			awk_lex_unexpected(&p->l);
		parse_inside(p, index, ']');
		if (++depth > SUBARRAYS_MAX)
			awk_lex_error(&p->l, "syntax error");
		n = index;
	}
	return n;
}

/* Functions get what matching $0 gives, not the expression. */
static void warn_of_regexes(struct parser *p, const struct node *arg)
{
	for (int i = 1; arg != NULL; arg = arg->next, i++)
		if (arg->op == N_REGEX && !arg->grouped)
			awk_lex_warn(&p->l,
				     "regexp constant for parameter #%d yields boolean value", i);
}

static struct node *parse_call(struct parser *p)
{
	struct node *n = awk_node_new(p, N_CALL);
	struct bytes name = p->l.name;

	for (int i = 0; p->fn != NULL && i < p->fn->nparams; i++)
		if (bytes_eq(p->fn->params[i], name))
			awk_lex_refuse(&p->l, "attempt to use non-function `%.*s' in function call",
				       (int)name.len, name.ptr);
	struct function *f = awk_program_function(p->prog, name);

	if (!f->used && !f->defined) {
		f->line = n->line;
		f->file = n->file;
	}
	f->used = true;
	n->text = name;
	n->var = f->index;
	awk_lex_next(&p->l);
	awk_lex_next(&p->l);
	parse_inside(p, n, ')');
	warn_of_regexes(p, n->list);
	return n;
}

static bool is_literal(const struct node *n)
{
	return !n->grouped && (n->op == N_NUM || n->op == N_STR);
}

/* The third argument of sub and gsub: a constant is taken too, also one that is calculated. */
static bool may_be_edited(const struct node *n)
{
	if (awk_node_is_lvalue(n))
		return true;
	if (n->grouped)
		return false;
	switch (n->op) {
	case N_NUM:
	case N_STR: return true;
	case N_NEG:
	case N_NOT: return is_literal(n->a);
	case N_BINARY: return is_literal(n->a) && is_literal(n->b);
	case N_CONCAT: return n->count == 2 && is_literal(n->list) && is_literal(n->last);
	default: return false;
	}
}

static struct node *parse_builtin(struct parser *p)
{
	struct node *n = awk_node_new(p, N_BUILTIN);
	const struct fn_row *row = &awk_fn_rows[p->l.sub];

	n->fn = (uint16_t)p->l.sub;
	awk_lex_next(&p->l);
	if (!at_token(p, '(')) {
		if (n->fn != FN_LENGTH)
			awk_lex_unexpected(&p->l);
		return n;
	}
	awk_lex_next(&p->l);
	bool no_gt = p->no_gt;
	bool no_in = p->no_in;
	bool no_pipe = p->no_pipe;

	p->no_gt = p->no_in = p->no_pipe = false;
	awk_parse_list(p, n, ')');
	p->no_gt = no_gt;
	p->no_in = no_in;
	p->no_pipe = no_pipe;
	if (!at_token(p, ')'))
		awk_lex_unexpected(&p->l);
	if (n->count < row->min || (row->max >= 0 && n->count > row->max))
		awk_lex_error(&p->l, "%d is invalid as number of arguments for %s", n->count,
			      row->name);
	if ((n->fn == FN_SUB || n->fn == FN_GSUB) && n->count == 3 && !may_be_edited(n->last))
		awk_lex_error(&p->l, "%s third parameter is not a changeable object", row->name);
	if (n->fn == FN_INDEX && !n->last->grouped &&
	    (n->last->op == N_REGEX || n->last->op == N_TYPED_REGEX))
		awk_lex_fatal(&p->l, "index: regexp constant as second argument is not allowed");
	check_message(p, n);
	awk_lex_next(&p->l);
	return n;
}

/* @name(args): the function is named by the variable's value. */
static struct node *parse_indirect(struct parser *p)
{
	struct node *n = awk_node_new(p, N_INDIRECT);

	awk_lex_next(&p->l);
	if (at_token(p, '/')) {
		awk_lex_regex(&p->l);
		n->op = N_TYPED_REGEX;
		n->text = p->l.name;
		awk_lex_next(&p->l);
		return n;
	}
	if (!at_token(p, T_FUNC_NAME))
		awk_lex_unexpected(&p->l);
	n->a = awk_parse_variable(p);
	awk_lex_next(&p->l);
	parse_inside(p, n, ')');
	warn_of_regexes(p, n->list);
	return n;
}

static struct node *parse_group(struct parser *p)
{
	struct node *list = awk_node_new(p, N_GROUP);

	awk_lex_next(&p->l);
	if (at_token(p, ')'))
		awk_lex_unexpected(&p->l);
	parse_inside(p, list, ')');
	if (list->count == 1) {
		struct node *n = list->list;

		awk_node_group(n);
		return n;
	}
	awk_node_group(list);
	return list;
}

/* The variable that getline sets, if there is one. */
static struct node *optional_lvalue(struct parser *p)
{
	if (!at_token(p, '$') && !at_token(p, T_NAME))
		return NULL;
	return parse_postfix(p, false);
}

static struct node *parse_getline(struct parser *p)
{
	struct node *n = awk_node_new(p, N_GETLINE);

	n->sub = REDIRECT_NONE;
	awk_lex_next(&p->l);
	n->a = optional_lvalue(p);
	if (at_token(p, '<')) {
		awk_lex_next(&p->l);
		n->sub = REDIRECT_FROM_FILE;
		n->b = parse_postfix(p, false);
	} else if (p->fn == NULL && (p->rule == RULE_BEGINFILE || p->rule == RULE_ENDFILE)) {
		awk_lex_refuse(&p->l, "non-redirected `getline' invalid inside `%s' rule",
			       p->rule == RULE_BEGINFILE ? "BEGINFILE" : "ENDFILE");
	}
	return n;
}

static struct node *parse_field(struct parser *p)
{
	struct node *n = awk_node_new(p, N_FIELD);

	awk_lex_next(&p->l);
	if (at_token(p, T_INCR) || at_token(p, T_DECR)) {
		struct node *incr = awk_node_new(p, N_INCR);

		incr->sub = at_token(p, T_DECR) ? INCR_DOWN : 0;
		awk_lex_next(&p->l);
		incr->a = parse_postfix(p, false);
		if (!awk_node_is_lvalue(incr->a))
			awk_lex_unexpected(&p->l);
		n->a = incr;
	} else if (at_token(p, '-') || at_token(p, '+') || at_token(p, '!')) {
		int op = p->l.token == '-' ? N_NEG : p->l.token == '+' ? N_PLUS : N_NOT;

		awk_lex_next(&p->l);
		n->a = binary(p, (enum node_op)op, 0, NULL, NULL);
		n->a->a = parse_postfix(p, false);
	} else if (at_token(p, '$')) {
		/* "$$i++" increments the inner field... */
		n->a = awk_parse_deeper(p, parse_primary);
		if (at_token(p, T_INCR) || at_token(p, T_DECR))
			n->a = increment(p, n->a);
	} else {
		/* ...and "$i++" the only one. */
		n->a = awk_parse_deeper(p, parse_primary);
	}
	return n;
}

/* -g: a text to be translated, and its plural. */
static void put_message(struct parser *p, const struct node *text, const struct node *plural)
{
	struct buf out = buf_in(p->arena);

	if (text->file != NULL)
		buf_printf(&out, "#: %s:%u\n", text->file, text->line);
	buf_puts(&out, "msgid ");
	awk_put_quoted(&out, text->text, '"');
	if (plural != NULL) {
		buf_puts(&out, "\nmsgid_plural ");
		awk_put_quoted(&out, plural->text, '"');
		buf_puts(&out, "\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n");
	} else {
		buf_puts(&out, "\nmsgstr \"\"\n\n");
	}
	output_write(&p->a->c->out, buf_bytes(&out).ptr, out.len);
}

/* Texts of the functions that translate, and what is marked there though it needs no mark. */
static void check_message(struct parser *p, const struct node *n)
{
	const struct node *text = n->list;
	bool plural = n->fn == FN_DCNGETTEXT;

	if (!plural && n->fn != FN_DCGETTEXT)
		return;
	for (const struct node *i = text; i != NULL && (i == text || (plural && i == text->next));
	     i = i->next)
		if (i->op == N_STR && i->sub)
			awk_lex_warn(&p->l,
				     "use of %s(_\"...\") is incorrect: remove leading underscore",
				     awk_fn_rows[n->fn].name);
	if (!p->a->o->pot || text->op != N_STR || text->sub)
		return;
	if (!plural)
		put_message(p, text, NULL);
	else if (text->next->op == N_STR && !text->next->sub)
		put_message(p, text, text->next);
}

static struct node *parse_literal(struct parser *p)
{
	struct node *n = awk_node_new(p, p->l.token == T_NUMBER ? N_NUM : N_STR);

	n->num = p->l.num;
	n->sub = p->l.marked;
	n->text = n->op == N_STR ? p->l.name : bytes_slice(p->l.text, p->l.start, p->l.at);
	if (n->sub && p->a->o->pot)
		put_message(p, n, NULL);
	awk_lex_next(&p->l);
	return n;
}

static struct node *parse_primary(struct parser *p)
{
	struct node *n = p->pending;

	if (n != NULL) {
		p->pending = NULL;
		return n;
	}
	switch (p->l.token) {
	case T_NUMBER:
	case T_STRING: return parse_literal(p);
	case T_NAME: return awk_parse_variable(p);
	case T_FUNC_NAME: return parse_call(p);
	case T_BUILTIN: return parse_builtin(p);
	case T_GETLINE: return parse_getline(p);
	case '@': return parse_indirect(p);
	case '(': return parse_group(p);
	case '$': return parse_field(p);
	case '/': awk_lex_regex(&p->l); break;
	case T_ASSIGN:
		if (p->l.sub == ARITH_DIV) {
			awk_lex_regex(&p->l);
			break;
		}
		awk_lex_unexpected(&p->l);
	default: awk_lex_unexpected(&p->l);
	}
	n = awk_node_new(p, N_REGEX);
	n->text = p->l.name;
	awk_lex_next(&p->l);
	return n;
}

static struct node *assign(struct parser *p, struct node *target)
{
	struct node *n = awk_node_new(p, at_token(p, '=') ? N_ASSIGN : N_OPASSIGN);

	n->sub = (uint8_t)p->l.sub;
	awk_lex_next(&p->l);
	n->a = target;
	n->b = awk_parse_deeper(p, awk_parse_expr);
	return n;
}

/* n++ or n--, at the operator. */
static struct node *increment(struct parser *p, struct node *n)
{
	struct node *incr = awk_node_new(p, N_INCR);

	incr->sub = INCR_POST | (at_token(p, T_DECR) ? INCR_DOWN : 0);
	incr->a = n;
	awk_lex_next(&p->l);
	return incr;
}

static struct node *parse_postfix(struct parser *p, bool assigns)
{
	bool first = p->first;
	struct node *n;

	p->first = false;
	if (at_token(p, T_INCR) || at_token(p, T_DECR)) {
		struct node *incr = awk_node_new(p, N_INCR);

		incr->sub = at_token(p, T_DECR) ? INCR_DOWN : 0;
		awk_lex_next(&p->l);
		if (!at_token(p, T_NAME) && !at_token(p, '$'))
			awk_lex_unexpected(&p->l);
		incr->a = awk_parse_deeper(p, parse_primary);
		return incr;
	}
	n = awk_parse_deeper(p, parse_primary);
	if (!awk_node_is_lvalue(n))
		return n;
	if (first && (at_token(p, '=') || at_token(p, T_ASSIGN)))
		return assign(p, n);
	if (!assigns || (!at_token(p, T_INCR) && !at_token(p, T_DECR)))
		return n;
	n = increment(p, n);
	if (n->a->op == N_FIELD && (at_token(p, '=') || at_token(p, T_ASSIGN))) {
		assign(p, n);
		awk_lex_error(&p->l, "cannot assign a value to the result of a field "
				     "post-increment expression");
	}
	return n;
}

static struct node *parse_power(struct parser *p)
{
	struct node *left = parse_postfix(p, true);

	if (!at_token(p, T_POW))
		return left;
	awk_lex_next(&p->l);
	return binary(p, N_BINARY, ARITH_POW, left, awk_parse_deeper(p, parse_unary));
}

static struct node *parse_unary(struct parser *p)
{
	int token = p->pending != NULL ? 0 : p->l.token;
	struct node *n;

	if (token != '!' && token != '-' && token != '+')
		return parse_power(p);
	p->first = false;
	n = awk_node_new(p, token == '!' ? N_NOT : token == '-' ? N_NEG : N_PLUS);
	awk_lex_next(&p->l);
	n->a = awk_parse_deeper(p, parse_unary);
	return n;
}

/* --- operators --- */

static int product_op(int token)
{
	return token == '*' ? ARITH_MUL : token == '/' ? ARITH_DIV : token == '%' ? ARITH_MOD : -1;
}

/* What follows the first operand of a product. */
static struct node *more_products(struct parser *p, struct node *left)
{
	int op;

	while ((op = product_op(p->l.token)) >= 0) {
		awk_lex_next(&p->l);
		left = binary(p, N_BINARY, op, left, parse_unary(p));
	}
	return left;
}

static struct node *parse_product(struct parser *p)
{
	return more_products(p, parse_unary(p));
}

/* What follows the first operand of a sum. */
static struct node *more_sums(struct parser *p, struct node *left)
{
	while (at_token(p, '+') || at_token(p, '-')) {
		int op = at_token(p, '+') ? ARITH_ADD : ARITH_SUB;

		awk_lex_next(&p->l);
		left = binary(p, N_BINARY, op, left, parse_product(p));
	}
	return left;
}

static struct node *parse_sum(struct parser *p)
{
	return more_sums(p, parse_product(p));
}

static bool begins_operand(const struct parser *p)
{
	switch (p->l.token) {
	case T_NUMBER:
	case T_STRING:
	case T_NAME:
	case T_FUNC_NAME:
	case T_BUILTIN:
	case '$':
	case '!':
	case '(':
	case '@':
	case T_INCR:
	case T_DECR: return true;
	default: return false;
	}
}

/* command | getline [lvalue] */
static struct node *parse_pipe(struct parser *p, struct node *command)
{
	struct node *n = awk_node_new(p, N_GETLINE);

	n->sub = at_token(p, T_BOTH) ? REDIRECT_BOTH : REDIRECT_FROM_PIPE;
	awk_lex_next(&p->l);
	if (!at_token(p, T_GETLINE))
		awk_lex_unexpected(&p->l);
	awk_lex_next(&p->l);
	n->a = optional_lvalue(p);
	n->b = command;
	return n;
}

/* Whether "| getline" follows; the token is '|' or "|&". */
static bool pipe_follows(const struct parser *p)
{
	struct lex ahead = p->l;

	if (!at_token(p, T_BOTH) && !at_token(p, '|'))
		return false;
	if (!p->no_pipe)
		return true;
	awk_lex_next(&ahead);
	return ahead.token == T_GETLINE && at_token(p, T_BOTH);
}

static struct node *parse_concat(struct parser *p)
{
	struct node *left = parse_sum(p);

	for (;;) {
		if (pipe_follows(p)) {
			/* "cmd" | getline x + 1 is (... getline x) + 1 */
			left = more_sums(p, more_products(p, parse_pipe(p, left)));
		} else if (begins_operand(p)) {
			if (left->op == N_GROUP)
				awk_lex_unexpected(&p->l);
			if (left->op != N_CONCAT || left->grouped) {
				struct node *list = awk_node_new(p, N_CONCAT);

				awk_node_add(list, left);
				left = list;
			}
			awk_node_add(left, parse_sum(p));
		} else {
			return left;
		}
	}
}

static int compare_op(const struct parser *p)
{
	switch (p->l.token) {
	case '<': return CMP_LT;
	case T_LE: return CMP_LE;
	case T_EQ: return CMP_EQ;
	case T_NE: return CMP_NE;
	case T_GE: return CMP_GE;
	case '>': return p->no_gt ? -1 : CMP_GT;
	default: return -1;
	}
}

static struct node *parse_compare(struct parser *p)
{
	p->first = true;
	struct node *left = parse_concat(p);
	int op = compare_op(p);

	if (op < 0)
		return left;
	awk_lex_next(&p->l);
	p->first = true;
	left = binary(p, N_COMPARE, op, left, parse_concat(p));
	if (compare_op(p) >= 0)
		awk_lex_unexpected(&p->l);
	return left;
}

static struct node *parse_match(struct parser *p)
{
	struct node *left = parse_compare(p);

	while (at_token(p, '~') || at_token(p, T_NO_MATCH)) {
		int negated = at_token(p, T_NO_MATCH);

		if (left->op == N_REGEX && !left->grouped)
			awk_lex_warn(&p->l, "regular expression on left of `~' or `!~' operator");
		awk_lex_next(&p->l);
		left = binary(p, N_MATCH, negated, left, parse_compare(p));
	}
	return left;
}

static struct node *parse_in(struct parser *p)
{
	struct node *left = parse_match(p);

	while (at_token(p, T_IN) && !p->no_in) {
		struct node *n = awk_node_new(p, N_IN);

		awk_lex_next(&p->l);
		if (!at_token(p, T_NAME))
			awk_lex_unexpected(&p->l);
		if (left->op == N_GROUP) {
			n->list = left->list;
			n->count = left->count;
		} else {
			awk_node_add(n, left);
		}
		n->a = awk_parse_variable(p);
		left = n;
	}
	if (left->op == N_GROUP)
		awk_lex_unexpected(&p->l);
	return left;
}

static struct node *parse_and(struct parser *p)
{
	struct node *left = parse_in(p);

	while (at_token(p, T_AND)) {
		awk_lex_next(&p->l);
		awk_skip_newlines(p);
		left = binary(p, N_AND, 0, left, parse_in(p));
	}
	return left;
}

static struct node *parse_or(struct parser *p)
{
	struct node *left = parse_and(p);

	while (at_token(p, T_OR)) {
		awk_lex_next(&p->l);
		awk_skip_newlines(p);
		left = binary(p, N_OR, 0, left, parse_and(p));
	}
	return left;
}

/* Around the signs of a condition, where POSIX has none. */
static void skip_gnu_newlines(struct parser *p)
{
	if (!p->a->o->posix)
		awk_skip_newlines(p);
}

static struct node *parse_ternary(struct parser *p)
{
	struct node *left = parse_or(p);

	if (!at_token(p, '?'))
		return left;
	struct node *n = awk_node_new(p, N_COND);

	n->a = left;
	awk_lex_next(&p->l);
	skip_gnu_newlines(p);
	n->b = awk_parse_deeper(p, parse_ternary);
	skip_gnu_newlines(p);
	awk_expect(p, ':');
	skip_gnu_newlines(p);
	n->c = awk_parse_deeper(p, parse_ternary);
	return n;
}

struct node *awk_parse_expr(struct parser *p)
{
	return awk_parse_deeper(p, parse_ternary);
}

struct node *awk_parse_target(struct parser *p)
{
	return parse_concat(p);
}
