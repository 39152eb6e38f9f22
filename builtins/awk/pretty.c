/* SPDX-License-Identifier: MIT
 *
 * awk -o: the program as gawk lays it out. Parentheses stay where they were; some are added.
 */
#include "builtins/awk/pretty.h"

/* --- expressions --- */

static const char *const ariths[] = { "+", "-", "*", "/", "%", "^" };
static const char *const compares[] = { "<", "<=", "==", "!=", ">", ">=" };

static void put_list(struct pretty *p, const struct node *n, const char *between)
{
	for (; n != NULL; n = n->next) {
		awk_pretty_expr(p, n);
		if (n->next != NULL)
			buf_puts(&p->out, between);
	}
}

static void put_in_parens(struct pretty *p, const struct node *n, bool parens)
{
	parens = parens && n->grouped == 0;
	buf_puts(&p->out, parens ? "(" : "");
	awk_pretty_expr(p, n);
	buf_puts(&p->out, parens ? ")" : "");
}

static bool is_unary(const struct node *n)
{
	return n->op == N_NEG || n->op == N_PLUS || n->op == N_NOT;
}

static bool is_binary(const struct node *n)
{
	switch (n->op) {
	case N_BINARY:
	case N_CONCAT:
	case N_COMPARE:
	case N_MATCH:
	case N_AND:
	case N_OR: return true;
	default: return false;
	}
}

static void put_binary(struct pretty *p, const struct node *n, const char *op)
{
	bool match = n->op == N_MATCH;
	bool power = n->op == N_BINARY && n->sub == ARITH_POW;

	put_in_parens(p, n->a, (match && is_binary(n->a)) || n->a->op == N_GETLINE);
	buf_printf(&p->out, " %s ", op);
	put_in_parens(p, n->b,
		      (match && is_binary(n->b)) || (power && is_unary(n->b)) ||
			      n->b->op == N_GETLINE);
}

static void put_unary(struct pretty *p, const struct node *n, const char *op)
{
	bool sign = n->op != N_NOT;

	buf_puts(&p->out, op);
	put_in_parens(p, n->a,
		      n->a->op == N_BINARY || (sign && (n->a->op == N_NEG || n->a->op == N_PLUS)));
}

static void put_concat(struct pretty *p, const struct node *n)
{
	for (const struct node *i = n->list; i != NULL; i = i->next) {
		put_in_parens(p, i,
			      i->op == N_BINARY || i->op == N_INDIRECT ||
				      (i->op == N_GETLINE && i->sub == REDIRECT_FROM_FILE));
		buf_puts(&p->out, i->next != NULL ? " " : "");
	}
}

static void put_regex(struct pretty *p, struct bytes s)
{
	buf_putc(&p->out, '/');
	buf_add(&p->out, s);
	buf_putc(&p->out, '/');
}

static void put_getline(struct pretty *p, const struct node *n)
{
	if (n->sub == REDIRECT_FROM_PIPE || n->sub == REDIRECT_BOTH) {
		put_in_parens(p, n->b, n->b->op == N_CONCAT);
		buf_puts(&p->out, n->sub == REDIRECT_BOTH ? " |& " : " | ");
	}
	buf_puts(&p->out, "getline");
	if (n->a != NULL) {
		buf_putc(&p->out, ' ');
		awk_pretty_expr(p, n->a);
	}
	if (n->sub == REDIRECT_FROM_FILE) {
		buf_puts(&p->out, " < ");
		awk_pretty_expr(p, n->b);
	}
}

/* Arguments that a function takes where none are given are shown. */
static void put_call(struct pretty *p, const struct node *n)
{
	const char *more = NULL;

	if (n->fn == FN_LENGTH && n->count == 0)
		more = "$0";
	else if ((n->fn == FN_SUB || n->fn == FN_GSUB) && n->count == 2)
		more = ", $0";
	else if (n->fn == FN_GENSUB && n->count == 3)
		more = ", $0";
	else if (n->fn == FN_SPLIT && n->count == 2)
		more = ", FS";
	buf_printf(&p->out, "%s(", awk_fn_rows[n->fn].name);
	put_list(p, n->list, ", ");
	buf_printf(&p->out, "%s)", more != NULL ? more : "");
}

/* Names are those of the namespace around, if there is one. */
static void put_name(struct pretty *p, struct bytes name)
{
	size_t len = p->space.len;

	if (len != 0 && bytes_starts(name, p->space) &&
	    bytes_starts(bytes_slice(name, len, name.len), BYTES("::")))
		name = bytes_slice(name, len + 2, name.len);
	else if (len != 0 && bytes_find(name, BYTES("::")) == NULL && !p->in_local &&
		 awk_special_find(name) < 0)
		buf_puts(&p->out, "awk::");
	buf_add(&p->out, name);
}

static void put_variable(struct pretty *p, const struct node *n)
{
	p->in_local = n->var < 0;
	put_name(p, n->text);
	p->in_local = false;
}

static void put_text(struct pretty *p, const struct node *n)
{
	buf_puts(&p->out, n->sub ? "_" : "");
	awk_put_quoted(&p->out, n->text, '"');
}

static void put_inner(struct pretty *p, const struct node *n)
{
	switch (n->op) {
	case N_NUM: buf_add(&p->out, n->text); break;
	case N_STR: put_text(p, n); break;
	case N_REGEX: put_regex(p, n->text); break;
	case N_TYPED_REGEX:
		buf_putc(&p->out, '@');
		put_regex(p, n->text);
		break;
	case N_VAR: put_variable(p, n); break;
	case N_INDEX:
		awk_pretty_expr(p, n->a);
		buf_putc(&p->out, '[');
		put_list(p, n->list, ", ");
		buf_putc(&p->out, ']');
		break;
	case N_FIELD:
		buf_putc(&p->out, '$');
		awk_pretty_expr(p, n->a);
		break;
	case N_ASSIGN:
	case N_OPASSIGN:
		awk_pretty_expr(p, n->a);
		buf_printf(&p->out, " %s= ", n->op == N_ASSIGN ? "" : ariths[n->sub]);
		awk_pretty_expr(p, n->b);
		break;
	case N_COND:
		awk_pretty_expr(p, n->a);
		buf_puts(&p->out, " ? ");
		awk_pretty_expr(p, n->b);
		buf_puts(&p->out, " : ");
		awk_pretty_expr(p, n->c);
		break;
	case N_AND: put_binary(p, n, "&&"); break;
	case N_OR: put_binary(p, n, "||"); break;
	case N_NOT: put_unary(p, n, "! "); break;
	case N_NEG: put_unary(p, n, "-"); break;
	case N_PLUS: put_unary(p, n, "+"); break;
	case N_BINARY: put_binary(p, n, ariths[n->sub]); break;
	case N_COMPARE: put_binary(p, n, compares[n->sub]); break;
	case N_MATCH: put_binary(p, n, n->sub ? "!~" : "~"); break;
	case N_IN:
		buf_puts(&p->out, n->count > 1 ? "(" : "");
		put_list(p, n->list, ", ");
		buf_puts(&p->out, n->count > 1 ? ") in " : " in ");
		awk_pretty_expr(p, n->a);
		break;
	case N_CONCAT: put_concat(p, n); break;
	case N_INCR:
		buf_puts(&p->out, n->sub & INCR_POST ? "" : n->sub & INCR_DOWN ? "--" : "++");
		awk_pretty_expr(p, n->a);
		buf_puts(&p->out, !(n->sub & INCR_POST) ? "" : n->sub & INCR_DOWN ? "--" : "++");
		break;
	case N_CALL:
		put_name(p, n->text);
		buf_putc(&p->out, '(');
		put_list(p, n->list, ", ");
		buf_putc(&p->out, ')');
		break;
	case N_INDIRECT:
		buf_putc(&p->out, '@');
		awk_pretty_expr(p, n->a);
		buf_putc(&p->out, '(');
		put_list(p, n->list, ", ");
		buf_putc(&p->out, ')');
		break;
	case N_BUILTIN: put_call(p, n); break;
	case N_GETLINE: put_getline(p, n); break;
	default: put_list(p, n->list, ", "); break;
	}
}

struct inner {
	struct pretty *p;
	const struct node *n;
};

static int run_inner(void *arg)
{
	struct inner *i = arg;

	put_inner(i->p, i->n);
	return 0;
}

/* Goes on with a node, on a fresh stack if there is little left of this one. */
static void put_deeper(struct pretty *p, const struct node *n, int (*run)(void *arg))
{
	struct inner inner = { p, n };

	awk_work(p->a, 1);
	if (cmd_stack_left(p->a->c) < AWK_STACK_NEED)
		cmd_deepen(p->a->c, AWK_STACK_NEED, run, &inner);
	else
		run(&inner);
}

void awk_pretty_expr(struct pretty *p, const struct node *n)
{
	buf_fill(&p->out, '(', n->grouped);
	put_deeper(p, n, run_inner);
	buf_fill(&p->out, ')', n->grouped);
}

/* --- statements --- */

/* The beginning of a line; counter: of what is there, or 0. */
static void put_start(struct pretty *p, uint32_t counter)
{
	uint64_t n = p->profile && counter != 0 ? p->a->counts[counter] : 0;

	if (p->profile && n > 0)
		buf_printf(&p->out, "%6llu  ", (unsigned long long)n);
	else if (p->profile)
		buf_putc(&p->out, '\t');
	buf_fill(&p->out, '\t', (size_t)p->depth);
}

static void put_indent(struct pretty *p)
{
	put_start(p, 0);
}
static void put_comments(struct pretty *p, const struct comment *c)
{
	for (; c != NULL; c = c->next) {
		for (int i = 0; i < c->gap; i++) {
			put_indent(p);
			buf_putc(&p->out, '\n');
		}
		put_indent(p);
		buf_add(&p->out, c->text);
		buf_putc(&p->out, '\n');
	}
}

/* At the end of a line: the first one on it. */
static void put_end(struct pretty *p, const struct comment *c)
{
	if (c != NULL && !c->own_line) {
		buf_putc(&p->out, '\t');
		buf_add(&p->out, c->text);
		c = c->next;
	}
	buf_putc(&p->out, '\n');
	put_comments(p, c);
}

static const struct remarks no_remarks;

static const struct remarks *remarks_of(const struct node *n)
{
	return n != NULL && n->remarks != NULL ? n->remarks : &no_remarks;
}

static void put_statement(struct pretty *p, const struct node *n);

static void put_statements(struct pretty *p, const struct node *n)
{
	for (; n != NULL; n = n->next)
		put_statement(p, n);
}

/* What stands between braces, behind the line with the first. */
static void put_body(struct pretty *p, const struct node *n)
{
	p->depth++;
	if (n != NULL && n->op == N_BLOCK) {
		put_comments(p, remarks_of(n)->before);
		put_statements(p, n->list);
		put_comments(p, remarks_of(n)->inner);
	} else if (n != NULL) {
		put_statement(p, n);
	}
	p->depth--;
}

/* How often a condition held, behind a '{'. */
static void put_taken(struct pretty *p, uint32_t counter)
{
	uint64_t n = p->profile ? p->a->counts[counter] : 0;

	if (n > 0)
		buf_printf(&p->out, " # %llu", (unsigned long long)n);
}

/* " {", the body, "}" without the end of its line; after: the counter of what follows there. */
static void put_braces(struct pretty *p, const struct node *body, uint32_t taken, uint32_t after)
{
	buf_puts(&p->out, " {");
	if (taken != 0)
		put_taken(p, taken);
	put_end(p, body != NULL && body->op == N_BLOCK ? remarks_of(body)->open : NULL);
	put_body(p, body);
	put_start(p, after);
	buf_putc(&p->out, '}');
}

static void put_if(struct pretty *p, const struct node *n);

static int run_if(void *arg)
{
	struct inner *i = arg;

	put_if(i->p, i->n);
	return 0;
}

static void put_if(struct pretty *p, const struct node *n)
{
	buf_puts(&p->out, "if (");
	awk_pretty_expr(p, n->a);
	buf_putc(&p->out, ')');
	put_braces(p, n->b, n->a->counter, (uint32_t)n->var);
	if (n->c == NULL)
		return;
	buf_puts(&p->out, " else");
	const struct node *inner = n->c;

	if (inner->op == N_BLOCK && inner->count == 1 && inner->remarks == NULL)
		inner = inner->list;
	if (inner->op == N_IF && inner->remarks == NULL) {
		buf_putc(&p->out, ' ');
		put_deeper(p, inner, run_if);
	} else {
		put_braces(p, n->c, 0, 0);
	}
}

/* A part of for's head: a simple statement. */
static void put_part(struct pretty *p, const struct node *n)
{
	if (n != NULL)
		awk_pretty_simple(p, n);
}

static void put_for(struct pretty *p, const struct node *n)
{
	bool empty = n->a == NULL && n->b == NULL && n->c == NULL;

	buf_puts(&p->out, "for (");
	put_part(p, n->a);
	buf_puts(&p->out, empty ? ";;" : "; ");
	if (n->b != NULL)
		awk_pretty_expr(p, n->b);
	buf_puts(&p->out, empty ? "" : "; ");
	put_part(p, n->c);
	buf_putc(&p->out, ')');
	put_braces(p, n->d, 0, 0);
}

static void put_for_in(struct pretty *p, const struct node *n)
{
	struct comment *before = (struct comment *)remarks_of(n->c)->before;

	buf_puts(&p->out, "for (");
	awk_pretty_expr(p, n->a);
	buf_puts(&p->out, " in ");
	awk_pretty_expr(p, n->b);
	buf_putc(&p->out, ')');
	if (n->c->op == N_BLOCK || before == NULL || before->own_line) {
		put_braces(p, n->c, 0, 0);
		return;
	}
	/* A comment behind the head stays there. */
	buf_puts(&p->out, " {\t");
	buf_add(&p->out, before->text);
	buf_putc(&p->out, '\n');
	n->c->remarks->before = before->next;
	put_body(p, n->c);
	put_indent(p);
	buf_putc(&p->out, '}');
}

static void put_switch(struct pretty *p, const struct node *n)
{
	buf_puts(&p->out, "switch (");
	awk_pretty_expr(p, n->a);
	buf_puts(&p->out, ") {");
	put_end(p, remarks_of(n)->open);
	for (const struct node *label = n->list; label != NULL; label = label->next) {
		/* Behind another label they belong to what is below that. */
		p->depth += label != n->list;
		put_comments(p, remarks_of(label)->before);
		p->depth -= label != n->list;
		put_start(p, label->counter);
		if (label->a != NULL) {
			buf_puts(&p->out, "case ");
			awk_pretty_expr(p, label->a);
			buf_putc(&p->out, ':');
		} else {
			buf_puts(&p->out, "default:");
		}
		put_end(p, remarks_of(label)->after);
		p->depth++;
		put_statements(p, label->list);
		p->depth--;
	}
	put_comments(p, remarks_of(n)->inner);
	put_indent(p);
	buf_putc(&p->out, '}');
}

/* Puts what was written from there on into parentheses. */
static void enclose(struct pretty *p, size_t from)
{
	buf_putc(&p->out, ')');
	buf_putc(&p->out, ')');
	memmove(p->out.ptr + from + 1, p->out.ptr + from, p->out.len - from - 1);
	p->out.ptr[from] = '(';
}

/* In parentheses, unless it is simple or begins with one. */
static void put_value(struct pretty *p, const struct node *n)
{
	size_t from = p->out.len;

	awk_pretty_expr(p, n);
	if ((is_binary(n) || n->op == N_COND || n->op == N_ASSIGN || n->op == N_OPASSIGN) &&
	    p->out.ptr[from] != '(')
		enclose(p, from);
}

static void put_print(struct pretty *p, const struct node *n)
{
	static const char *const signs[] = { "", " > ", " >> ", " | ", " |& " };
	bool redirected = n->sub != REDIRECT_NONE;
	size_t from;

	buf_puts(&p->out, n->op == N_PRINT ? "print" : "printf");
	if (n->count > 0) {
		buf_puts(&p->out, redirected ? "" : " ");
		from = p->out.len;
		put_list(p, n->list, ", ");
		/* Of what has parentheses of its own, these are not doubled. */
		if (redirected &&
		    (n->count > 1 || p->out.ptr[from] != '(' || p->out.ptr[p->out.len - 1] != ')'))
			enclose(p, from);
	}
	if (!redirected)
		return;
	buf_puts(&p->out, signs[n->sub]);
	put_value(p, n->a);
}

static void put_jump(struct pretty *p, const char *word, const struct node *value)
{
	buf_puts(&p->out, word);
	if (value == NULL)
		return;
	buf_putc(&p->out, ' ');
	put_value(p, value);
}

void awk_pretty_simple(struct pretty *p, const struct node *n)
{
	switch (n->op) {
	case N_PRINT:
	case N_PRINTF: put_print(p, n); break;
	case N_BREAK: buf_puts(&p->out, "break"); break;
	case N_CONTINUE: buf_puts(&p->out, "continue"); break;
	case N_NEXT: buf_puts(&p->out, "next"); break;
	case N_NEXTFILE: buf_puts(&p->out, "nextfile"); break;
	case N_EXIT: put_jump(p, "exit", n->a); break;
	case N_RETURN: put_jump(p, "return", n->a); break;
	case N_DELETE:
		buf_puts(&p->out, "delete ");
		if (n->a->op != N_INDEX) {
			awk_pretty_expr(p, n->a);
			break;
		}
		/* As gawk has it, without commas. */
		awk_pretty_expr(p, n->a->a);
		buf_putc(&p->out, '[');
		put_concat(p, n->a);
		buf_putc(&p->out, ']');
		break;
	default: awk_pretty_expr(p, n->a); break;
	}
}

static void put_compound(struct pretty *p, const struct node *n)
{
	switch (n->op) {
	case N_IF: put_if(p, n); break;
	case N_WHILE:
		buf_puts(&p->out, "while (");
		awk_pretty_expr(p, n->a);
		buf_putc(&p->out, ')');
		put_braces(p, n->b, 0, 0);
		break;
	case N_DO:
		buf_puts(&p->out, "do");
		put_braces(p, n->b, 0, 0);
		buf_puts(&p->out, " while (");
		awk_pretty_expr(p, n->a);
		buf_putc(&p->out, ')');
		break;
	case N_FOR: put_for(p, n); break;
	case N_FORIN: put_for_in(p, n); break;
	case N_SWITCH: put_switch(p, n); break;
	default: awk_pretty_simple(p, n); break;
	}
}

static int run_statements(void *arg)
{
	struct inner *i = arg;

	put_statements(i->p, i->n);
	return 0;
}

static int run_statement(void *arg)
{
	struct inner *i = arg;

	put_compound(i->p, i->n);
	return 0;
}

static void put_statement(struct pretty *p, const struct node *n)
{
	put_comments(p, remarks_of(n)->before);
	/* Braces that group nothing are left out. */
	if (n->op == N_BLOCK) {
		put_deeper(p, n->list, run_statements);
		put_comments(p, remarks_of(n)->inner);
		return;
	}
	put_start(p, n->counter);
	put_deeper(p, n, run_statement);
	if ((n->op == N_SWITCH || n->op == N_DELETE) && remarks_of(n)->after != NULL) {
		buf_putc(&p->out, '\n');
		put_comments(p, remarks_of(n)->after);
	} else {
		put_end(p, remarks_of(n)->after);
	}
}

/* --- rules and functions --- */

static void put_rule(struct pretty *p, const struct rule *r, const char *name)
{
	put_comments(p, r->before);
	put_start(p, name[0] == '\0' ? r->counter : 0);
	if (name[0] != '\0')
		buf_puts(&p->out, name);
	else if (r->pattern != NULL)
		awk_pretty_expr(p, r->pattern);
	if (r->until != NULL) {
		buf_puts(&p->out, ", ");
		awk_pretty_expr(p, r->until);
	}
	buf_puts(&p->out, name[0] != '\0' || r->pattern != NULL ? " {" : "{");
	/* Without anything in front it stands on a line of its own. */
	bool bare = name[0] == '\0' && r->pattern == NULL;

	if (r->pattern != NULL)
		put_taken(p, r->taken);
	put_end(p, bare ? NULL : remarks_of(r->body)->open);
	if (bare) {
		p->depth++;
		put_comments(p, remarks_of(r->body)->open);
		p->depth--;
	}
	p->depth++;
	if (r->body == NULL) {
		put_start(p, r->taken);
		buf_puts(&p->out, "print\n");
	}
	p->depth--;
	if (r->body != NULL)
		put_body(p, r->body);
	put_indent(p);
	buf_puts(&p->out, "}\n\n");
}

static int compare_functions(void *arg, const void *x, const void *y)
{
	const struct function *const *f = x;
	const struct function *const *g = y;

	(void)arg;
	return bytes_cmp((*f)->name, (*g)->name);
}

static void put_function(struct pretty *p, const struct function *f)
{
	/* Those of the head and those below it are apart. */
	for (struct comment *c = f->before; c != NULL; c = c->next)
		if (c->next != NULL && c->next->own_line && !c->own_line)
			c->next->gap = 1;
	put_comments(p, f->before);
	put_start(p, f->counter);
	buf_puts(&p->out, "function ");
	put_name(p, f->name);
	buf_putc(&p->out, '(');
	p->in_local = true;
	for (int i = 0; i < f->nparams; i++) {
		buf_puts(&p->out, i > 0 ? ", " : "");
		put_name(p, f->params[i]);
	}
	p->in_local = false;
	buf_puts(&p->out, ")\n");
	put_indent(p);
	buf_puts(&p->out, "{\n");
	p->depth++;
	put_comments(p, remarks_of(f->body)->open);
	p->depth--;
	put_body(p, f->body);
	put_indent(p);
	buf_puts(&p->out, "}\n");
}

static void put_functions(struct pretty *p)
{
	const struct program *prog = p->a->prog;
	size_t n = 0;
	size_t room = (size_t)prog->nfunctions + 1;
	const struct function **list = arena_array(prog->arena, room, sizeof *list);

	for (const struct function *f = prog->functions; f != NULL; f = f->next)
		if (f->defined)
			list[n++] = f;
	if (n > 0 && p->a->prog->includes != NULL)
		buf_putc(&p->out, '\n');
	if (n > 0 && p->profile)
		buf_puts(&p->out, "\n\t# Functions, listed alphabetically\n");
	sort_stable(list, n, sizeof *list, arena_array(prog->arena, room, sizeof *list),
		    compare_functions, NULL);
	for (size_t i = 0; i < n; i++) {
		buf_putc(&p->out, '\n');
		put_function(p, list[i]);
	}
}

static void put_head(struct pretty *p)
{
	struct val args[] = { val_bytes(p->a, BYTES("%a %b %e %H:%M:%S %Y")) };
	struct val when = awk_fn_strftime(p->a, args, 1);

	buf_printf(&p->out, "\t# gawk profile, created %.*s\n\n", (int)when.u.str->len,
		   when.u.str->ptr);
	val_put(p->a, when);
	val_put(p->a, args[0]);
}

void awk_pretty_print(struct awk *a)
{
	static const char *const names[] = { "BEGIN ", "", "END ", "BEGINFILE ", "ENDFILE " };
	static const enum rule_kind order[] = { RULE_BEGIN, RULE_BEGINFILE, RULE_MAIN, RULE_ENDFILE,
						RULE_END };
	struct pretty p = { .a = a,
			    .out = buf_in(a->prog->arena),
			    .profile = a->o->profile != NULL,
			    .space = a->prog->space };
	struct output o;

	if (p.profile)
		put_head(&p);
	put_comments(&p, a->prog->first);
	for (const struct load *l = a->prog->loads; l != NULL; l = l->next)
		buf_printf(&p.out, "@load \"%s\"\n%s", l->name, l->next == NULL ? "\n" : "");
	if (p.space.len != 0)
		buf_printf(&p.out, "\n@namespace \"%.*s\"\n\n", (int)p.space.len, p.space.ptr);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		struct buf name = buf_in(a->prog->arena);

		buf_puts(&name, names[order[i]]);
		name.len -= name.len > 0;
		if (p.profile && a->prog->rules[order[i]] != NULL)
			buf_printf(&p.out, "\t# %s%s\n\n", buf_cstr(&name),
				   order[i] == RULE_MAIN ? "Rule(s)" : " rule(s)");
		for (const struct rule *r = a->prog->rules[order[i]]; r != NULL; r = r->next)
			put_rule(&p, r, buf_cstr(&name));
	}
	put_comments(&p, a->prog->rest);
	if (a->prog->includes != NULL)
		buf_puts(&p.out, "\n# Included files (-i and/or @include)\n\n");
	for (const struct load *l = a->prog->includes; l != NULL; l = l->next)
		buf_printf(&p.out, "# @include \"%s\"\n", l->name);
	put_functions(&p);
	bool opened = awk_open_report(a, &o, p.profile ? a->o->profile : a->o->pretty, "profile");

	output_write(&o, buf_bytes(&p.out).ptr, p.out.len);
	if (opened)
		output_close(&o);
	else
		output_flush(&o);
}
