/* SPDX-License-Identifier: MIT
 *
 * Walks the commands of a script.
 */
#include "interp/analyze.h"

/* --- telling --- */

void analyze_tell(struct analysis *a, struct interp_finding *f, int line)
{
	if (a->stop != 0 || a->preparing)
		return;
	f->line = line;
	f->depth = a->depth;
	f->conditional = a->conditional != 0;
	f->within = a->within;
	a->stop = a->each(a->user, f);
}

struct analyze_place analyze_enter(struct analysis *a, const char *within)
{
	struct analyze_place place = { a->depth, a->conditional, a->within };

	a->depth++;
	if (within != NULL)
		a->within = within;
	return place;
}

void analyze_leave(struct analysis *a, struct analyze_place place)
{
	a->depth = place.depth;
	a->conditional = place.conditional;
	a->within = place.within;
}

static void tell_error(struct analysis *a, const struct parse_error *e)
{
	struct interp_finding f = { .kind = INTERP_FOUND_SYNTAX, .name = e->message[0] };

	analyze_tell(a, &f, e->line);
}

void analyze_unknown_script(struct analysis *a, const struct interp_word *w, int line)
{
	struct interp_finding f = { .kind = INTERP_FOUND_TEXT, .word = *w };

	analyze_tell(a, &f, line);
}

/* --- redirections --- */

static unsigned access_of(const struct redir *r)
{
	switch (r->kind) {
	case REDIR_IN: return INTERP_READS;
	case REDIR_OUT:
	case REDIR_CLOBBER:
	case REDIR_BOTH: return INTERP_WRITES;
	case REDIR_APPEND:
	case REDIR_BOTH_APPEND: return INTERP_APPENDS;
	case REDIR_RDWR: return INTERP_READS | INTERP_WRITES;
	case REDIR_DUP_OUT: return r->fd < 0 ? INTERP_WRITES : 0;
	default: return 0;
	}
}

/* A number, a dash, or what may become one. */
static bool is_descriptor(const struct interp_word *w)
{
	if (w->unknown != 0)
		return true;
	for (size_t i = 0; i < w->text.len; i++)
		if ((w->text.ptr[i] < '0' || w->text.ptr[i] > '9') && w->text.ptr[i] != '-')
			return false;
	return true;
}

void analyze_redirs(struct analysis *a, const struct node *n)
{
	for (int i = 0; i < n->nredirs && a->stop == 0; i++) {
		const struct redir *r = &n->redirs[i];
		struct interp_finding f = { .kind = INTERP_FOUND_PATH, .access = access_of(r) };

		if (f.access != 0) {
			f.word = analyze_word(a, r->target, false);
			if (r->kind != REDIR_DUP_OUT || !is_descriptor(&f.word))
				analyze_tell(a, &f, r->line);
		}
		analyze_inside(a, r->target);
	}
}

/* --- compound commands --- */

static void walk_conditional(struct analysis *a, const struct node *n)
{
	if (n == NULL)
		return;
	a->conditional++;
	analyze_node(a, n);
	a->conditional--;
}

/* A chain leans left, and may be long: its commands in order. */
static void walk_chain(struct analysis *a, const struct node *n)
{
	struct arena_mark mark = arena_mark(a->sh->arena);
	const struct node **right;
	size_t count = 0;

	for (const struct node *at = n; at->kind == NODE_AND || at->kind == NODE_OR;
	     at = ((const struct binary *)at)->left)
		count++;
	right = arena_array(a->sh->arena, count, sizeof *right);
	for (size_t i = count; i > 0; i--) {
		right[i - 1] = ((const struct binary *)n)->right;
		n = ((const struct binary *)n)->left;
	}
	analyze_node(a, n);
	for (size_t i = 0; i < count && a->stop == 0; i++)
		walk_conditional(a, right[i]);
	arena_release(a->sh->arena, mark);
}

static void walk_words(struct analysis *a, struct word *const *words, int n)
{
	for (int i = 0; i < n; i++)
		analyze_inside(a, words[i]);
}

static void walk_case(struct analysis *a, const struct case_node *c)
{
	analyze_inside(a, c->subject);
	for (int i = 0; i < c->nitems && a->stop == 0; i++) {
		walk_words(a, c->items[i].patterns, c->items[i].npatterns);
		walk_conditional(a, c->items[i].body);
	}
}

static void walk_if(struct analysis *a, const struct if_node *n)
{
	const struct node *next = n->otherwise;
	int levels = 0;

	analyze_node(a, n->test);
	walk_conditional(a, n->then);
	while (next != NULL && next->kind == NODE_IF && next->nredirs == 0 && a->stop == 0) {
		n = (const struct if_node *)next;
		a->conditional++;
		levels++;
		analyze_node(a, n->test);
		analyze_node(a, n->then);
		next = n->otherwise;
	}
	walk_conditional(a, next);
	a->conditional -= levels;
}

static void walk_function(struct analysis *a, const struct function_node *n)
{
	struct buf within = buf_in(a->sh->arena);
	struct interp_finding f = { .kind = INTERP_FOUND_FUNCTION, .name = n->name };
	struct analyze_place place;

	if (a->preparing) {
		function_define(a->sh, n);
		return;
	}
	analyze_tell(a, &f, n->node.line);
	buf_printf(&within, "function %s", n->name.ptr);
	place = analyze_enter(a, buf_cstr(&within));
	walk_conditional(a, n->body);
	analyze_leave(a, place);
}

static int cond_deeper(void *arg);

struct deeper {
	struct analysis *a;
	const struct node *n;
	const struct cond *c;
};

static void walk_cond(struct analysis *a, const struct cond *c)
{
	struct deeper d = { a, NULL, c };

	if (c == NULL || a->stop != 0)
		return;
	proc_charge(a->sh->p, 1);
	if (proc_stack_left(a->sh->p) < EXEC_STACK_BYTES) {
		proc_deepen(a->sh->p, EXEC_STACK_BYTES, cond_deeper, &d);
		return;
	}
	analyze_inside(a, c->a);
	analyze_inside(a, c->b);
	walk_cond(a, c->left);
	walk_cond(a, c->right);
}

static int cond_deeper(void *arg)
{
	const struct deeper *d = arg;

	walk_cond(d->a, d->c);
	return 0;
}

static void walk_cfor(struct analysis *a, const struct cfor *f)
{
	analyze_inside_arith(a, f->init);
	analyze_inside_arith(a, f->test);
	analyze_inside_arith(a, f->step);
	walk_conditional(a, f->body);
}

static void walk_loop(struct analysis *a, const struct loop *l)
{
	analyze_node(a, l->test);
	walk_conditional(a, l->body);
}

static void walk_for(struct analysis *a, const struct for_node *f)
{
	walk_words(a, f->words, f->nwords);
	walk_conditional(a, f->body);
}

static void walk_list(struct analysis *a, struct node *const *commands, int count)
{
	for (int i = 0; i < count && a->stop == 0; i++)
		analyze_node(a, commands[i]);
}

static void walk_node(struct analysis *a, const struct node *n)
{
	switch (n->kind) {
	case NODE_SIMPLE: analyze_simple(a, (const struct simple *)n); return;
	case NODE_PIPELINE:
		walk_list(a, ((const struct pipeline *)n)->commands,
			  ((const struct pipeline *)n)->ncommands);
		break;
	case NODE_AND:
	case NODE_OR: walk_chain(a, n); break;
	case NODE_LIST:
		walk_list(a, ((const struct list *)n)->commands, ((const struct list *)n)->count);
		break;
	case NODE_BACKGROUND:
	case NODE_SUBSHELL:
	case NODE_GROUP: analyze_node(a, ((const struct group *)n)->body); break;
	case NODE_IF: walk_if(a, (const struct if_node *)n); break;
	case NODE_WHILE:
	case NODE_UNTIL: walk_loop(a, (const struct loop *)n); break;
	case NODE_FOR:
	case NODE_SELECT: walk_for(a, (const struct for_node *)n); break;
	case NODE_CFOR: walk_cfor(a, (const struct cfor *)n); break;
	case NODE_CASE: walk_case(a, (const struct case_node *)n); break;
	case NODE_FUNCTION: walk_function(a, (const struct function_node *)n); break;
	case NODE_COND: walk_cond(a, ((const struct cond_node *)n)->cond); break;
	case NODE_ARITH: analyze_inside_arith(a, ((const struct arith_node *)n)->expr); break;
	case NODE_COPROC: analyze_node(a, ((const struct coproc_node *)n)->body); break;
	}
	analyze_redirs(a, n);
}

static int node_deeper(void *arg)
{
	const struct deeper *d = arg;

	walk_node(d->a, d->n);
	return 0;
}

void analyze_node(struct analysis *a, const struct node *n)
{
	struct deeper d = { a, n, NULL };

	if (n == NULL || a->stop != 0)
		return;
	proc_charge(a->sh->p, 4);
	proc_deepen(a->sh->p, EXEC_STACK_BYTES, node_deeper, &d);
}

/* --- texts --- */

/* Walks the last `count` units in the order in which they came, and puts them. */
static void walk_units(struct analysis *a, size_t count)
{
	const struct node **root = arena_array(a->sh->arena, count + 1, sizeof *root);
	const struct unit_ref *u = a->sh->units;

	for (size_t i = count; i > 0; i--, u = u->up)
		root[i - 1] = u->ast->root;
	for (size_t i = 0; i < count && a->stop == 0; i++)
		analyze_node(a, root[i]);
	for (size_t i = 0; i < count; i++)
		unit_drop(a->sh);
}

struct script {
	struct analysis *a;
	struct bytes text;
	int line;
	const char *within;
};

static int walk_script(void *arg)
{
	const struct script *s = arg;
	struct analysis *a = s->a;
	struct arena_mark mark = arena_mark(a->sh->arena);
	struct parse_config config = shell_parse_config(a->sh, s->text, s->line);
	struct parser *parser = parse_new(&config);
	struct parse_error error = { 0 };
	struct analyze_place place;
	struct ast *ast;
	size_t count = 0;
	int got;

	while ((got = parse_unit(parser, &ast, &error)) == 1) {
		unit_adopt(a->sh, ast);
		count++;
		a->preparing = true;
		analyze_node(a, ast->root);
		a->preparing = false;
	}
	place = analyze_enter(a, s->within);
	a->texts++;
	walk_units(a, count);
	if (got < 0)
		tell_error(a, &error);
	a->texts--;
	analyze_leave(a, place);
	arena_release(a->sh->arena, mark);
	return 0;
}

void analyze_script(struct analysis *a, struct bytes text, int line, const char *within)
{
	struct script s = { a, text, line, within };

	proc_deepen(a->sh->p, EXEC_STACK_BYTES, walk_script, &s);
}

int interp_analyze(struct shell *sh, struct bytes text,
		   int (*each)(void *user, const struct interp_finding *finding), void *user)
{
	struct analysis a = { .sh = sh, .each = each, .user = user, .depth = -1, .within = "" };

	analyze_script(&a, text, 1, NULL);
	return a.stop;
}
