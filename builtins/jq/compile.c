/* SPDX-License-Identifier: MIT
 *
 * The compiler's frame: scopes, functions, calls.
 *
 * A function written in jq that does not call itself is put in where it is called, its
 * arguments' code included; so `map(select(f))` has no calls.
 */
#include "builtins/jq/gen.h"

/* --- scopes --- */

static struct scope *scope_new(struct jq *j, struct scope *parent, enum scope_kind kind,
			       struct bytes name)
{
	struct scope *s = arena_zalloc(j->a, sizeof(*s));

	s->parent = parent;
	s->kind = kind;
	s->name = name;
	return s;
}

struct scope *gen_bind(struct gen *g, enum scope_kind kind, struct bytes name, unsigned reg)
{
	struct scope *s = scope_new(g->j, g->scope, kind, name);

	s->owner = g->fn;
	s->reg = reg;
	g->scope = s;
	return s;
}

struct scope *jq_scope_data(struct jq *j, struct scope *scope, struct bytes name, struct json value)
{
	struct scope *s = scope_new(j, scope, S_CONST, name);

	s->value = value;
	return s;
}

struct scope *jq_scope_defs(struct jq *j, struct scope *scope, struct def **defs, size_t n,
			    struct bytes prefix)
{
	for (size_t i = 0; i < n; i++) {
		struct scope *s = scope_new(j, scope, S_DEF, defs[i]->name);

		s->nargs = defs[i]->nparams;
		s->def = defs[i];
		s->prefix = prefix;
		if (prefix.len == 0 && defs[i]->scope == NULL)
			defs[i]->scope = s;
		scope = s;
	}
	return scope;
}

static bool name_matches(const struct scope *s, struct bytes name)
{
	size_t n = s->prefix.len;

	if (n == 0)
		return bytes_eq(s->name, name);
	return name.len == n + 2 + s->name.len && bytes_starts(name, s->prefix) &&
	       name.ptr[n] == ':' && bytes_ends(name, s->name);
}

static struct scope *find_var(struct scope *s, struct bytes name, bool label)
{
	for (; s != NULL; s = s->parent) {
		bool fits = label ? s->kind == S_LABEL : s->kind == S_VAR || s->kind == S_CONST;

		if (fits && name_matches(s, name))
			return s;
	}
	return NULL;
}

static struct scope *find_function(struct scope *s, struct bytes name, size_t nargs)
{
	for (; s != NULL; s = s->parent)
		if ((s->kind == S_DEF || s->kind == S_PARAM || s->kind == S_INLINE) &&
		    s->nargs == nargs && name_matches(s, name))
			return s;
	return NULL;
}

/* How many frames up the one of `owner` is. */
static unsigned hops_to(struct gen *g, const struct fn *owner)
{
	unsigned n = 0;

	for (const struct fn *f = g->fn; f != NULL && f != owner; f = f->parent)
		n++;
	if (n > 250)
		cmd_fatal_status(g->j->c, 3, 0, "error: functions are nested too deep");
	return owner == NULL ? 0 : n;
}

/* --- emitting --- */

unsigned gen_reg(struct gen *g)
{
	if (g->nregs >= JQ_REGS_MAX)
		cmd_fatal_status(g->j->c, 3, 0, "error: function too large");
	return g->nregs++;
}

unsigned gen_pair(struct gen *g, unsigned flags)
{
	unsigned r = gen_reg(g);

	if (flags & GEN_PATH)
		gen_reg(g);
	return r;
}

size_t gen_emit(struct gen *g, enum op op, unsigned flags, unsigned dst, unsigned a, unsigned b)
{
	if (g->n == g->cap) {
		size_t cap = g->cap * 2 + 32;

		g->code = arena_grow(g->j->a, g->code, g->cap * sizeof(*g->code),
				     cap * sizeof(*g->code));
		g->cap = cap;
	}
	g->code[g->n] = (struct insn){ .op = (uint8_t)op,
				       .flags = (uint8_t)flags,
				       .dst = (uint16_t)dst,
				       .a = (uint16_t)a,
				       .b = (uint16_t)b };
	return g->n++;
}

struct insn *gen_insn(struct gen *g, enum op op, unsigned flags, unsigned dst, unsigned a,
		      unsigned b)
{
	size_t at = gen_emit(g, op, flags, dst, a, b);

	return &g->code[at];
}

void gen_const(struct gen *g, unsigned dst, struct json v)
{
	struct json *keep = arena_alloc(g->j->a, sizeof(*keep));

	*keep = v;
	gen_insn(g, OP_CONST, 0, dst, 0, 0)->u.value = keep;
}

void gen_patch(struct gen *g, size_t at)
{
	g->code[at].u.to = (uint32_t)g->n;
}

void gen_move(struct gen *g, unsigned dst, unsigned from, unsigned flags)
{
	if (dst == from)
		return;
	gen_emit(g, OP_MOVE, flags & GEN_LAST ? INSN_MOVE_A : 0, dst, from, 0);
	if (flags & GEN_PATH)
		gen_emit(g, OP_MOVE, flags & GEN_LAST ? INSN_MOVE_A : 0, dst + 1, from + 1, 0);
}

/* --- functions --- */

static struct fn *fn_new(struct gen *g, struct fn *parent, struct scope *scope, struct node *body)
{
	struct fn *f = arena_zalloc(g->j->a, sizeof(*f));

	f->parent = parent;
	f->scope = scope;
	f->body = body;
	return f;
}

/* User's functions are compiled even if they are not called: for their errors. */
struct pending {
	struct fn *fn;
	struct pending *next;
};

static void add_pending(struct gen *g, struct fn *f)
{
	struct pending *p = arena_alloc(g->j->a, sizeof(*p));

	*p = (struct pending){ f, g->j->pending };
	g->j->pending = p;
}

static struct fn *def_fn(struct gen *g, struct def *d)
{
	if (d->fn == NULL) {
		d->fn = fn_new(g, d->owner, d->scope, d->body);
		d->fn->def = d;
		d->fn->nparams = (uint16_t)d->nparams;
		add_pending(g, d->fn);
	}
	return d->fn;
}

static void bind_params(struct gen *g, struct def *d, unsigned form)
{
	unsigned base = form + 1;

	for (size_t i = 0; i < d->nparams; i++) {
		struct param *p = &d->params[i];
		unsigned reg = base + (unsigned)i;

		if (!p->value || p->closure)
			gen_bind(g, S_PARAM, p->name, reg);
		if (p->value && !p->closure)
			gen_bind(g, S_VAR, p->name, reg);
	}
	for (size_t i = 0; i < d->nparams; i++) {
		struct param *p = &d->params[i];

		if (!p->value || !p->closure)
			continue;
		/* As if the body began with `name as $name |`. */
		unsigned var = gen_reg(g);

		gen_insn(g, OP_CALL_CLOSURE, 0, var, 0, 0)->u.n = base + (uint32_t)i;
		gen_bind(g, S_VAR, p->name, var);
	}
}

void jq_compile_form(struct jq *j, struct fn *fn, int form)
{
	struct gen g = { .j = j, .fn = fn, .scope = fn->scope };
	bool main = fn->def == NULL && fn->parent == NULL;
	unsigned flags = GEN_LAST | (main ? 0 : GEN_TAIL) | (form ? GEN_PATH : 0);
	unsigned dst;

	g.nregs = (unsigned)form + 1 + fn->nparams;
	if (fn->def != NULL)
		bind_params(&g, fn->def, (unsigned)form);
	dst = gen_pair(&g, flags);
	gen(&g, fn->body, 0, dst, flags);
	gen_emit(&g, OP_RET, form ? INSN_PATH : 0, 0, dst, 0);
	fn->code[form] = g.code;
	fn->ncode[form] = g.n;
	fn->nregs[form] = (uint16_t)g.nregs;
}

static void compile_pending(struct jq *j)
{
	while (j->pending != NULL) {
		struct pending *p = j->pending;

		j->pending = p->next;
		cmd_charge(j->c, 1);
		if (p->fn->code[0] == NULL)
			jq_compile_form(j, p->fn, 0);
	}
}

/* --- functions written in jq --- */

/* The definition, parsed when it is first wanted; NULL: there is none. */
static struct def *find_prelude(struct jq *j, struct bytes name, size_t nargs)
{
	struct bytes text = jq_prelude(name, nargs);
	struct source *src;
	struct program *prog;

	if (text.len == 0)
		return NULL;
	for (struct scope *s = j->globals; s != NULL; s = s->parent)
		if (s->kind == S_DEF && s->nargs == nargs && bytes_eq(s->name, name) &&
		    s->owner == NULL && s->arg == NULL && s->value.kind == JSON_TRUE)
			return s->def;
	src = arena_zalloc(j->a, sizeof(*src));
	src->name = "<builtin>";
	src->own = true;
	src->text = text;
	prog = jq_parse(j, src);
	if (prog == NULL || prog->ndefs != 1)
		return NULL;

	/* Remembered behind the first scope, where no search by name comes first. */
	struct scope *s = scope_new(j, j->globals->parent, S_DEF, prog->defs[0]->name);

	s->nargs = nargs;
	s->def = prog->defs[0];
	s->value = json_simple(JSON_TRUE);
	j->globals->parent = s;
	prog->defs[0]->scope = j->globals;
	return prog->defs[0];
}

/* --- calls --- */

static bool may_inline(const struct def *d)
{
	if (d->recursive)
		return false;
	for (size_t i = 0; i < d->nparams; i++)
		if (d->params[i].closure && (d->params[i].value || d->params[i].uses > 1))
			return false;
	return true;
}

static void gen_in_scope(struct gen *g, struct node *n, struct scope *scope, unsigned in,
			 unsigned dst, unsigned flags)
{
	struct scope *keep = g->scope;

	g->scope = scope;
	gen(g, n, in, dst, flags);
	g->scope = keep;
}

static void gen_inline(struct gen *g, struct def *d, struct node *n, unsigned in, unsigned dst,
		       unsigned flags)
{
	struct scope *caller = g->scope;
	struct scope *inner = d->scope;

	for (size_t i = 0; i < d->nparams; i++) {
		struct scope *s;

		s = scope_new(g->j, inner, d->params[i].value ? S_VAR : S_INLINE,
			      d->params[i].name);
		s->owner = g->fn;
		if (d->params[i].value) {
			s->reg = gen_reg(g);
			gen(g, n->list[i], in, s->reg, 0);
		} else {
			s->arg = n->list[i];
			s->arg_scope = caller;
		}
		inner = s;
	}
	gen_in_scope(g, d->body, inner, in, dst, flags);
}

/* The function that an argument names, if it is just a name; else NULL. */
static struct scope *plain_closure(struct gen *g, struct node **arg, struct scope **scope)
{
	for (;;) {
		struct scope *s;

		if ((*arg)->kind != N_CALL || (*arg)->n != 0)
			return NULL;
		s = find_function(*scope, (*arg)->name, 0);
		if (s == NULL || s->kind == S_DEF)
			return NULL;
		if (s->kind == S_PARAM)
			return s;
		*arg = s->arg;
		*scope = s->arg_scope;
	}
	(void)g;
}

static void gen_closure_arg(struct gen *g, struct node *arg, struct scope *scope)
{
	struct scope *param = plain_closure(g, &arg, &scope);

	if (param != NULL) {
		gen_emit(g, OP_LOAD_UP, 0, 0, param->reg, hops_to(g, param->owner));
		return;
	}
	struct fn *f = fn_new(g, g->fn, scope, arg);

	add_pending(g, f);
	gen_insn(g, OP_CLOSURE, 0, 0, 0, 0)->u.fn = f;
}

static void gen_def_call(struct gen *g, struct def *d, struct node *n, unsigned in, unsigned dst,
			 unsigned flags)
{
	unsigned *value = arena_alloc(g->j->a, (n->n + 1) * sizeof(*value));
	struct fn *f = def_fn(g, d);
	size_t call;

	if (n->n > 250)
		cmd_fatal_status(g->j->c, 3, 0, "error: too many arguments");
	for (size_t i = 0; i < n->n; i++) {
		if (!d->params[i].value || d->params[i].closure)
			continue;
		value[i] = gen_reg(g);
		gen(g, n->list[i], in, value[i], 0);
	}
	call = gen_emit(g, flags & GEN_TAIL ? OP_TAIL_CALL : OP_CALL,
			(flags & GEN_PATH ? INSN_PATH : 0) | (flags & GEN_LAST ? INSN_MOVE_A : 0),
			dst, in, hops_to(g, d->owner) << 8 | (unsigned)n->n);
	g->code[call].u.fn = f;
	for (size_t i = 0; i < n->n; i++) {
		if (d->params[i].value && !d->params[i].closure)
			gen_emit(g, OP_MOVE, INSN_MOVE_A, 0, value[i], 0);
		else
			gen_closure_arg(g, n->list[i], g->scope);
	}
}

static void gen_native(struct gen *g, const struct native *native, struct node *n, unsigned in,
		       unsigned dst, unsigned flags)
{
	unsigned first = g->nregs;
	size_t call;

	for (size_t i = 0; i < n->n; i++)
		gen_reg(g);
	/* The last argument is the outermost loop. */
	for (size_t i = n->n; i-- > 0;)
		gen(g, n->list[i], in, first + (unsigned)i, 0);
	call = gen_emit(g, OP_NATIVE, flags & GEN_LAST ? INSN_MOVE_A : 0, dst, in, first);
	g->code[call].u.native = native;
	gen_no_path(g, dst, flags);
}

static void not_defined(struct gen *g, struct node *n)
{
	jq_complain(g->j, n->src, n->at, n->end, "%.*s/%zu is not defined", (int)n->name.len,
		    n->name.ptr, n->n);
}

bool gen_is_native(struct gen *g, struct node *n)
{
	struct scope *s = find_function(g->scope, n->name, n->n);

	return (s == NULL || s->value.kind == JSON_TRUE) &&
	       n->src->own >= bytes_starts(n->name, BYTES("_")) && jq_native(n->name, n->n) != NULL;
}

void gen_call(struct gen *g, struct node *n, unsigned in, unsigned dst, unsigned flags)
{
	struct scope *s = find_function(g->scope, n->name, n->n);
	const struct native *native;
	struct def *d;
	bool user = s != NULL && s->value.kind != JSON_TRUE;

	if (user && s->kind == S_INLINE) {
		gen_in_scope(g, s->arg, s->arg_scope, in, dst, flags);
		return;
	}
	if (user && s->kind == S_PARAM) {
		size_t call = gen_emit(g, OP_CALL_CLOSURE,
				       (flags & GEN_PATH ? INSN_PATH : 0) |
					       (flags & GEN_LAST ? INSN_MOVE_A : 0),
				       dst, in, 0);

		g->code[call].u.n = s->reg | hops_to(g, s->owner) << 16;
		return;
	}
	if (user) {
		gen_def_call(g, s->def, n, in, dst, flags);
		return;
	}
	if (gen_special(g, n, in, dst, flags))
		return;
	if (bytes_starts(n->name, BYTES("_")) && !n->src->own) {
		not_defined(g, n);
		return;
	}
	native = jq_native(n->name, n->n);
	if (native != NULL) {
		gen_native(g, native, n, in, dst, flags);
		return;
	}
	d = find_prelude(g->j, n->name, n->n);
	if (d == NULL)
		not_defined(g, n);
	else if (may_inline(d))
		gen_inline(g, d, n, in, dst, flags);
	else
		gen_def_call(g, d, n, in, dst, flags);
}

/* --- variables --- */

/* $ENV is made when a program uses it. */
static bool is_env(struct gen *g, struct node *n, struct scope *s)
{
	(void)g;
	return s == NULL && bytes_is(n->name, "ENV");
}

unsigned gen_var_operand(struct gen *g, struct node *n)
{
	struct scope *s = find_var(g->scope, n->name, false);
	unsigned t;

	if (s != NULL && s->kind == S_VAR && s->owner == g->fn)
		return s->reg;
	t = gen_reg(g);
	gen_var(g, n, t, 0);
	return t;
}

void gen_var(struct gen *g, struct node *n, unsigned dst, unsigned flags)
{
	struct scope *s = find_var(g->scope, n->name, false);

	if (is_env(g, n, s)) {
		const struct native *env = jq_native(BYTES("env"), 0);

		gen_const(g, dst, json_simple(JSON_NULL));
		gen_insn(g, OP_NATIVE, 0, dst, dst, 0)->u.native = env;
	} else if (s == NULL) {
		jq_complain(g->j, n->src, n->at, n->end, "$%.*s is not defined", (int)n->name.len,
			    n->name.ptr);
	} else if (s->kind == S_CONST) {
		gen_const(g, dst, s->value);
	} else if (s->owner == g->fn) {
		gen_move(g, dst, s->reg, 0);
	} else {
		gen_emit(g, OP_LOAD_UP, 0, dst, s->reg, hops_to(g, s->owner));
	}
	gen_no_path(g, dst, flags);
}

void gen_break(struct gen *g, struct node *n)
{
	struct scope *s = find_var(g->scope, n->name, true);
	unsigned reg;

	if (s == NULL) {
		jq_complain(g->j, n->src, n->at, n->end, "$*label-%.*s is not defined",
			    (int)n->name.len, n->name.ptr);
		return;
	}
	reg = s->reg;
	if (s->owner != g->fn) {
		reg = gen_reg(g);
		gen_emit(g, OP_LOAD_UP, 0, reg, s->reg, hops_to(g, s->owner));
	}
	gen_emit(g, OP_BREAK, 0, 0, reg, 0);
}

/* --- programs --- */

struct fn *jq_compile(struct jq *j, struct program *prog)
{
	struct gen g = { .j = j };
	struct scope *scope = jq_import(j, j->top, prog->imports, j->main_source);
	struct fn *main;

	scope = jq_scope_defs(j, scope, prog->defs, prog->ndefs, BYTES(""));
	for (size_t i = 0; i < prog->ndefs; i++)
		def_fn(&g, prog->defs[i]);
	main = fn_new(&g, NULL, scope, prog->main);
	jq_compile_form(j, main, 0);
	compile_pending(j);
	/* The main program's results leave the machine. */
	main->code[0][main->ncode[0] - 1].op = OP_OUTPUT;
	return j->nerrors > 0 ? NULL : main;
}
