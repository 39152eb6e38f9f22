/* SPDX-License-Identifier: MIT
 *
 * Local variables and scopes; the table as a whole: lists, the environment, copies.
 */
#include "interp/var_private.h"

/* --- scopes --- */

/* Room for link_local, before a binding is in the table: what is there and in no scope could not
 * be taken out again. */
static void reserve_local(struct shell *sh)
{
	struct var_table *t = &sh->vars;
	int cap = sh->scope < 8 ? 16 : sh->scope * 2;

	if (sh->scope < t->locals_cap)
		return;
	/* Memory may end here. */
	t->locals = pool_resize(sh->pool, t->locals, (size_t)t->locals_cap * sizeof *t->locals,
				(size_t)cap * sizeof *t->locals);
	memset(t->locals + t->locals_cap, 0, (size_t)(cap - t->locals_cap) * sizeof *t->locals);
	t->locals_cap = cap;
}

static void link_local(struct shell *sh, struct var *v)
{
	struct var_table *t = &sh->vars;

	v->local_next = t->locals[sh->scope];
	t->locals[sh->scope] = v;
}

void var_inherit(struct shell *sh, struct var *v)
{
	struct var *from = v->shadowed;
	unsigned keep = v->flags & (VAR_LOCAL | VAR_TEMPORARY | VAR_HOOKED);
	struct var *parents;

	if (from == NULL && sh->overlay) {
		parents = var_find(sh->parent, v->name, v->hash);
		from = parents;
	}
	if (from == NULL || (from->flags & (VAR_NAMEREF | VAR_DELETED)) != 0)
		return;
	if ((from->flags & VAR_ARRAY) != 0 && from->array != NULL)
		v->array = array_copy(sh->pool, from->array);
	else if ((from->flags & VAR_ASSOC) != 0 && from->assoc != NULL)
		v->assoc = assoc_copy(sh->pool, from->assoc);
	var_copy_cost(sh, from);
	if (from->value != NULL)
		var_store(sh, v, (struct bytes){ from->value, from->len });
	v->flags = keep | (from->flags & ~(unsigned)(VAR_TEMPORARY | VAR_DYNAMIC | VAR_NOASSIGN));
	v->flags |= VAR_LOCAL;
	var_changed(sh, v, 0);
}

/* The binding that a local one would hide, if it is this shell's or its parent's local of the
 * same scope: then there is nothing to make. */
static struct var *local_here(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct var *v = var_find(sh, name, hash);

	if (v == NULL || v->scope != sh->scope)
		return NULL;
	return var_own(sh, v);
}

/* `x=1 local x`: the temporary binding becomes the local one. */
static struct var *take_temporary(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct var *v = var_find(sh, name, hash);

	if (v == NULL || v->scope <= sh->scope)
		return NULL;
	v = var_own(sh, v);
	reserve_local(sh);
	var_unlink_local(sh, v);
	v->scope = sh->scope;
	v->flags = (v->flags & ~(unsigned)VAR_TEMPORARY) | VAR_LOCAL;
	link_local(sh, v);
	return v;
}

struct var *var_local(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct var *below;
	struct var *v;

	if (sh->scope == 0)
		return var_ensure(sh, name, hash);
	v = take_temporary(sh, name, hash);
	if (v == NULL)
		v = local_here(sh, name, hash);
	if (v != NULL)
		return v;
	reserve_local(sh);
	below = var_table_find(&sh->vars, name, hash);
	v = var_new(sh, name, hash);
	v->scope = sh->scope;
	v->flags |= VAR_LOCAL;
	v->shadowed = below;
	if (below != NULL)
		var_table_replace(sh, below, v);
	else
		var_table_insert(sh, v);
	link_local(sh, v);
	if (below != NULL)
		v->flags |= below->flags & VAR_EXPORT;
	sh->vars.export_serial += below == NULL || (below->flags & VAR_EXPORT) != 0;
	if ((below != NULL && (below->flags & VAR_TEMPORARY) != 0) ||
	    opt_shopt(sh, SHOPT_localvar_inherit))
		var_inherit(sh, v);
	else if ((v->flags & VAR_HOOKED) != 0)
		var_changed(sh, v, v->flags);
	return v;
}

void scope_push(struct shell *sh)
{
	sh->scope++;
}

static void unlink_binding(struct shell *sh, struct var *v)
{
	struct var *below = v->shadowed;

	sh->vars.export_serial += (v->flags & VAR_EXPORT) != 0 ||
				  (below != NULL && (below->flags & VAR_EXPORT) != 0);
	var_table_replace(sh, v, below);
}

static struct var *first_of_scope(const struct shell *sh)
{
	return sh->scope < sh->vars.locals_cap ? sh->vars.locals[sh->scope] : NULL;
}

void scope_hide(struct shell *sh)
{
	for (struct var *v = first_of_scope(sh); v != NULL; v = v->local_next) {
		unlink_binding(sh, v);
		v->flags |= VAR_HIDDEN;
		var_run_own_hook(sh, v);
	}
}

void scope_show(struct shell *sh)
{
	for (struct var *v = first_of_scope(sh); v != NULL; v = v->local_next) {
		v->shadowed = var_table_find(&sh->vars, v->name, v->hash);
		if (v->shadowed != NULL)
			var_table_replace(sh, v->shadowed, v);
		else
			var_table_insert(sh, v);
		v->flags &= ~(unsigned)VAR_HIDDEN;
		sh->vars.export_serial++;
		var_run_own_hook(sh, v);
	}
}

/* What `export x` in a function does to the x of `x=1 function`: it stays. */
static void keep_value(struct shell *sh, const struct var *v)
{
	enum { KEPT = VAR_EXPORT | VAR_READONLY | VAR_INTEGER | VAR_LOWER | VAR_UPPER };
	struct var *to = var_ensure(sh, v->name, v->hash);

	if ((to->flags & VAR_READONLY) != 0)
		return;
	var_assign(sh, to, (struct bytes){ v->value, v->len }, 0);
	to->flags |= v->flags & KEPT;
	sh->vars.export_serial++;
}

static void pop_binding(struct shell *sh, struct var *v)
{
	if ((v->flags & VAR_HIDDEN) == 0)
		unlink_binding(sh, v);
	if ((v->flags & VAR_KEPT) != 0 && (v->flags & VAR_SET) != 0)
		keep_value(sh, v);
	else if ((v->flags & VAR_PASSED) != 0)
		var_set(sh, v->name, v->hash, (struct bytes){ v->value, v->len }, 0);
	var_run_own_hook(sh, v);
	var_free(sh, v);
}

void scope_pop(struct shell *sh)
{
	struct var_table *t = &sh->vars;

	if (sh->scope < t->locals_cap) {
		struct var *v = t->locals[sh->scope];

		t->locals[sh->scope] = NULL;
		for (struct var *next; v != NULL; v = next) {
			next = v->local_next;
			pop_binding(sh, v);
		}
	}
	sh->scope--;
}

/* --- lists --- */

static int by_name(const void *a, const void *b)
{
	return bytes_cmp(((const struct var *)a)->name, ((const struct var *)b)->name);
}

static size_t collect(struct shell *sh, struct var ***out, bool dynamic)
{
	size_t cap = 1;
	size_t n = 0;

	for (struct shell *s = sh; s != NULL; s = s->overlay ? s->parent : NULL)
		cap += s->vars.count;
	*out = arena_alloc(sh->arena, cap * sizeof **out);
	for (struct shell *s = sh; s != NULL; s = s->overlay ? s->parent : NULL) {
		for (size_t i = 0; i < s->vars.size; i++) {
			for (struct var *v = s->vars.slot[i]; v != NULL; v = v->next) {
				if (!dynamic && (v->flags & VAR_DYNAMIC) != 0)
					continue;
				if (s == sh ? (v->flags & VAR_DELETED) == 0
					    : var_find(sh, v->name, v->hash) == v)
					(*out)[n++] = v;
			}
		}
	}
	(*out)[n] = NULL;
	return n;
}

/* Dynamic variables of the parent are copied when they are found: before the table is walked,
 * because that changes it. */
static void own_dynamic(struct shell *sh)
{
	if (!sh->overlay)
		return;
	for (struct shell *s = sh->parent; s != NULL; s = s->overlay ? s->parent : NULL) {
		for (size_t i = 0; i < s->vars.size; i++) {
			for (struct var *v = s->vars.slot[i]; v != NULL; v = v->next) {
				if ((v->flags & VAR_DYNAMIC) != 0)
					var_find(sh, v->name, v->hash);
			}
		}
	}
}

size_t var_list(struct shell *sh, struct var ***out)
{
	size_t n;

	own_dynamic(sh);
	var_make_all_late(sh);
	n = collect(sh, out, true);
	proc_charge(sh->p, n / 4);
	sort_pointers(sh->arena, (void **)*out, n, by_name);
	return n;
}

size_t var_peek(struct shell *sh, struct var ***out)
{
	size_t n = collect(sh, out, false);

	sort_pointers(sh->arena, (void **)*out, n, by_name);
	return n;
}

size_t var_names(struct shell *sh, struct bytes prefix, struct bytes **out)
{
	struct var **all;
	size_t n = var_list(sh, &all);
	size_t count = 0;

	*out = arena_alloc(sh->arena, (n + 1) * sizeof **out);
	for (size_t i = 0; i < n; i++) {
		if (!bytes_starts(all[i]->name, prefix))
			continue;
		if ((all[i]->flags & (VAR_SET | VAR_DYNAMIC)) != 0)
			(*out)[count++] = all[i]->name;
	}
	return count;
}

/* --- the environment --- */

enum { GLOBAL_BUCKETS = 1024, LOCAL_BUCKETS = 4 };

static unsigned bucket_of(const struct var *v)
{
	return assoc_hash(v->name) & (v->scope == 0 ? GLOBAL_BUCKETS - 1 : LOCAL_BUCKETS - 1);
}

/* bash walks the inner scopes' hash tables first, and the newest entry of a bucket first. */
static int by_environment(const void *a, const void *b)
{
	const struct var *x = a;
	const struct var *y = b;

	if (x->scope != y->scope)
		return x->scope > y->scope ? -1 : 1;
	if (bucket_of(x) != bucket_of(y))
		return bucket_of(x) < bucket_of(y) ? -1 : 1;
	return x->order > y->order ? -1 : 1;
}

static void free_environ(struct shell *sh)
{
	struct var_table *t = &sh->vars;

	if (t->environ == NULL)
		return;
	/* Building it may have been stopped in the middle. */
	for (size_t i = 0; i < t->environ_count && t->environ[i] != NULL; i++)
		pool_free(sh->pool, t->environ[i], strlen(t->environ[i]) + 1);
	pool_free(sh->pool, t->environ, (t->environ_count + 1) * sizeof *t->environ);
	t->environ = NULL;
}

/* "NAME=value" in the pool. A NUL can't be in a value. */
static char *environ_entry(struct shell *sh, struct bytes name, struct bytes value)
{
	struct buf b = buf_in(sh->arena);

	buf_add(&b, name);
	buf_putc(&b, '=');
	buf_add(&b, value);
	return pool_dup(sh->pool, bytes_of(buf_cstr(&b)));
}

static bool is_exported(const struct var *v)
{
	if ((v->flags & VAR_DYNAMIC) != 0 && v->hook->get != NULL)
		return (v->flags & VAR_EXPORT) != 0;
	return (v->flags & (VAR_EXPORT | VAR_SET | VAR_ARRAY | VAR_ASSOC)) ==
	       (VAR_EXPORT | VAR_SET);
}

static char **foreign_names(struct shell *sh, size_t *n)
{
	while (sh->overlay)
		sh = sh->parent;
	for (*n = 0; sh->vars.foreign != NULL && sh->vars.foreign[*n] != NULL; (*n)++)
		continue;
	return sh->vars.foreign;
}

/* Returns what it cost in steps. */
static uint64_t build_environ(struct shell *sh)
{
	uint64_t steps = 0;
	struct arena_mark mark = arena_mark(sh->arena);
	struct var_table *t = &sh->vars;
	struct var **all;
	size_t nforeign;
	char **foreign = foreign_names(sh, &nforeign);
	size_t n = collect(sh, &all, true);
	size_t kept = 0;
	char **to;

	for (size_t i = 0; i < n; i++) {
		struct var *v = all[i];

		/* A local variable without a value hides no exported one. */
		while (v->scope != 0 && v->shadowed != NULL && (v->flags & VAR_SET) == 0)
			v = v->shadowed;
		if (is_exported(v))
			all[kept++] = v;
	}
	sort_pointers(sh->arena, (void **)all, kept, by_environment);
	t->environ_count = nforeign + kept;
	t->environ_serial = t->export_serial - 1;
	to = pool_zalloc(sh->pool, (t->environ_count + 1) * sizeof *to);
	t->environ = to;
	for (size_t i = 0; i < nforeign; i++)
		*to++ = pool_dup(sh->pool, bytes_of(foreign[i]));
	for (size_t i = 0; i < kept; i++) {
		struct bytes value = BYTES("");

		var_scalar(sh, all[i], &value);
		*to++ = environ_entry(sh, all[i]->name, value);
		steps += 1 + value.len / 64;
	}
	*to = NULL;
	t->environ_serial = t->export_serial;
	arena_release(sh->arena, mark);
	return steps + n / 4;
}

char *const *var_environ(struct shell *sh)
{
	struct var_table *t = &sh->vars;

	/* A subshell that changed nothing of it has its parent's. */
	if (sh->overlay && t->export_serial == 0)
		return var_environ(sh->parent);
	/* While others run the variables may change again. */
	while (t->environ == NULL || t->environ_serial != t->export_serial) {
		free_environ(sh);
		proc_charge(sh->p, build_environ(sh));
	}
	return t->environ;
}

void var_copy_all(struct shell *sh, struct shell *from)
{
	size_t nforeign;
	char **foreign = foreign_names(from, &nforeign);
	struct var **all;
	size_t n;

	own_dynamic(from);
	n = collect(from, &all, true);
	shell_cost(sh, n * 64);
	for (size_t i = 0; i < n; i++)
		var_copy_chain(sh, all[i]);
	sh->vars.unmade = var_unmade(from);
	sh->vars.order = from->vars.order;
	if (nforeign == 0)
		return;
	sh->vars.foreign = pool_zalloc(sh->pool, (nforeign + 1) * sizeof *foreign);
	for (size_t i = 0; i < nforeign; i++)
		sh->vars.foreign[i] = pool_dup(sh->pool, bytes_of(foreign[i]));
}
