/* SPDX-License-Identifier: MIT
 *
 * The table of variables: finding, following namerefs, storing scalars, unsetting.
 *
 * Whoever changes a binding first makes it this shell's own (var_own); whoever changes what
 * the environment shows bumps export_serial; whoever changes a hooked variable runs its hook.
 */
#include "interp/expand.h"
#include "interp/var_private.h"
#include "interp/exec.h"

enum { SLOTS_FIRST = 64, SHRINK_FROM = 4096 };

/* --- the hash table --- */

static struct var **slot_of(const struct var_table *t, uint64_t hash)
{
	return &t->slot[hash & (t->size - 1)];
}

struct var *var_table_find(const struct var_table *t, struct bytes name, uint64_t hash)
{
	struct var *v;

	if (t->size == 0)
		return NULL;
	for (v = *slot_of(t, hash); v != NULL; v = v->next) {
		if (v->hash == hash && v->name.len == name.len &&
		    memcmp(v->name.ptr, name.ptr, name.len) == 0)
			return v;
	}
	return NULL;
}

static void grow_table(struct shell *sh)
{
	struct var_table *t = &sh->vars;
	struct var **old = t->slot;
	size_t old_size = t->size;
	size_t size = old_size == 0 ? SLOTS_FIRST : old_size * 2;

	t->slot = pool_zalloc(sh->pool, size * sizeof *t->slot); /* memory may end here */
	t->size = size;
	for (size_t i = 0; i < old_size; i++) {
		for (struct var *v = old[i], *next; v != NULL; v = next) {
			struct var **to = slot_of(t, v->hash);

			next = v->next;
			v->next = *to;
			*to = v;
		}
	}
	pool_free(sh->pool, old, old_size * sizeof *old);
}

struct var *var_new(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct var *v = pool_zalloc(sh->pool, sizeof *v);

	v->name = (struct bytes){ pool_dup(sh->pool, name), name.len };
	v->hash = hash;
	if (sh->vars.order == 0 && sh->overlay)
		sh->vars.order = sh->parent->vars.order;
	v->order = ++sh->vars.order;
	v->hook = var_hook_of(name);
	if (v->hook != NULL)
		v->flags = VAR_HOOKED;
	return v;
}

void var_table_insert(struct shell *sh, struct var *v)
{
	struct var_table *t = &sh->vars;
	struct var **to;

	if (t->count >= t->size)
		grow_table(sh);
	to = slot_of(t, v->hash);
	v->next = *to;
	*to = v;
	t->count++;
}

/* Puts `by`, another binding of the same name or NULL, where v is linked. */
void var_table_replace(struct shell *sh, struct var *v, struct var *by)
{
	struct var **at = slot_of(&sh->vars, v->hash);

	while (*at != v)
		at = &(*at)->next;
	if (by == NULL) {
		*at = v->next;
		sh->vars.count--;
		return;
	}
	by->next = v->next;
	*at = by;
}

/* --- finding --- */

/* Whether it begins as one of var_late.c's names does: with one of BCEFGHLMOPRS_. Scripts ask for
 * variables that are not there all the time. */
static inline bool like_late(struct bytes name)
{
	static const uint32_t from_at_sign = 0x800db1ec;

	return name.len != 0 && (*name.ptr & 0xe0) == '@' &&
	       (from_at_sign >> (*name.ptr & 31) & 1) != 0;
}

struct var *var_find(struct shell *sh, struct bytes name, uint64_t hash)
{
	for (struct shell *s = sh;; s = s->parent) {
		struct var *v = var_table_find(&s->vars, name, hash);

		if (v != NULL) {
			if ((v->flags & VAR_DELETED) != 0)
				return NULL;
			/* The hooks look at the shell that asks. */
			if (s != sh && (v->flags & VAR_DYNAMIC) != 0)
				return var_own(sh, v);
			return v;
		}
		if (!s->overlay)
			return s->vars.unmade != 0 && like_late(name)
				       ? var_make_late(sh, s, name, hash)
				       : NULL;
	}
}

static struct var *global_binding(struct var *v)
{
	while (v != NULL && v->scope != 0)
		v = v->shadowed;
	return v;
}

void var_say_circular(struct shell *sh, struct bytes name)
{
	shell_error(sh, "warning: %.*s: circular name reference", (int)name.len, name.ptr);
}

int var_follow(struct shell *sh, struct bytes *name, uint64_t *hash, struct bytes *sub,
	       struct var **out)
{
	struct var *v = var_find(sh, *name, *hash);
	struct var *first = v;

	*sub = (struct bytes){ NULL, 0 };
	for (int hops = 0; v != NULL && (v->flags & VAR_NAMEREF) != 0 && v->len != 0; hops++) {
		struct bytes target = { v->value, v->len };

		if (hops == NAMEREF_HOPS_MAX) {
			var_say_circular(sh, first->name);
			return -1;
		}
		if (!parse_name_ref(target, name, sub)) {
			*name = target;
			sub->ptr = NULL;
		}
		*hash = bytes_hash(*name);
		v = var_find(sh, *name, *hash);
		if (sub->ptr != NULL)
			break;
		if (v == first) {
			/* From local references to each other the way leads to the global one. */
			var_say_circular(sh, first->name);
			v = v->scope != 0 ? global_binding(v) : v;
			if (v != NULL && (v->flags & VAR_NAMEREF) != 0)
				return -1;
			break;
		}
	}
	*out = v;
	return 0;
}

/* What an element is read from when the name in the reference to it is a reference too. One to
 * an element has no elements. */
static struct var *element_base(struct shell *sh, struct var *v)
{
	struct bytes name;
	uint64_t hash;
	struct bytes sub;

	if (v == NULL || (v->flags & VAR_NAMEREF) == 0)
		return v;
	name = v->name;
	hash = v->hash;
	return var_follow(sh, &name, &hash, &sub, &v) == 0 && sub.ptr == NULL ? v : NULL;
}

struct var *var_resolve(struct shell *sh, struct bytes name, uint64_t hash, struct bytes *sub)
{
	struct var *v = var_find(sh, name, hash);

	sub->ptr = NULL;
	if (v == NULL || (v->flags & VAR_NAMEREF) == 0)
		return v;
	if (var_follow(sh, &name, &hash, sub, &v) != 0)
		return NULL;
	return sub->ptr != NULL ? element_base(sh, v) : v;
}

bool var_names_nothing(struct shell *sh, struct bytes name, uint64_t hash)
{
	const struct var *v = var_find(sh, name, hash);

	return v != NULL && (v->flags & VAR_NAMEREF) != 0 && v->len == 0;
}

int var_unreference(struct shell *sh, struct var **base, struct bytes sub)
{
	struct var *v = *base;
	struct bytes name;
	struct bytes unused;

	if (v == NULL || (v->flags & VAR_NAMEREF) == 0)
		return 0;
	if (parse_name_ref((struct bytes){ v->value, v->len }, &name, &unused) &&
	    bytes_eq(name, v->name)) {
		shell_error(sh, "`%s[%.*s]': not a valid identifier", v->name.ptr, (int)sub.len,
			    sub.ptr);
		return -1;
	}
	shell_error(sh, "warning: %s: removing nameref attribute", v->name.ptr);
	*base = v = var_own(sh, v);
	var_free_value(sh, v);
	v->flags &= ~(unsigned)VAR_NAMEREF;
	return 0;
}

void var_copy_cost(struct shell *sh, const struct var *v)
{
	size_t n = 0;

	if ((v->flags & VAR_ARRAY) != 0 && v->array != NULL)
		n = array_count(v->array);
	else if ((v->flags & VAR_ASSOC) != 0 && v->assoc != NULL)
		n = assoc_count(v->assoc);
	shell_cost(sh, n * 64);
}

static struct var *copy_binding(struct shell *sh, const struct var *from)
{
	struct var *v = var_new(sh, from->name, from->hash);

	v->flags = from->flags;
	v->hook = from->hook;
	v->scope = from->scope;
	v->order = from->order;
	if ((from->flags & VAR_ARRAY) != 0 && from->array != NULL)
		v->array = array_copy(sh->pool, from->array);
	else if ((from->flags & VAR_ASSOC) != 0 && from->assoc != NULL)
		v->assoc = assoc_copy(sh->pool, from->assoc);
	var_copy_cost(sh, from);
	if (from->value != NULL)
		var_store(sh, v, (struct bytes){ from->value, from->len });
	return v;
}

/* Copies a chain of bindings; the topmost one is linked into the table. */
struct var *var_copy_chain(struct shell *sh, const struct var *from)
{
	struct var *top = copy_binding(sh, from);
	struct var *last = top;

	for (from = from->shadowed; from != NULL; from = from->shadowed) {
		last->shadowed = copy_binding(sh, from);
		last = last->shadowed;
	}
	var_table_insert(sh, top);
	return top;
}

struct var *var_own(struct shell *sh, struct var *v)
{
	struct var *own;

	if (!sh->overlay)
		return v;
	own = var_table_find(&sh->vars, v->name, v->hash);
	for (struct var *b = own; b != NULL; b = b->shadowed) {
		if (b == v)
			return v;
	}
	return own != NULL ? own : var_copy_chain(sh, v);
}

struct var *var_ensure(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct var *v = var_find(sh, name, hash);

	if (v != NULL)
		return var_own(sh, v);
	v = var_table_find(&sh->vars, name, hash);
	if (v != NULL) {
		v->flags = v->hook != NULL ? VAR_HOOKED : 0;
		v->order = ++sh->vars.order;
		return v;
	}
	v = var_new(sh, name, hash);
	var_table_insert(sh, v);
	return v;
}

/* --- storing --- */

/* value may be a part of what v holds. */
void var_store(struct shell *sh, struct var *v, struct bytes value)
{
	shell_cost(sh, value.len);
	if (value.len >= v->cap || (v->cap > SHRINK_FROM && value.len < v->cap / 4)) {
		size_t cap = (value.len + 16) & ~(size_t)15;
		char *fresh = pool_alloc(sh->pool, cap);

		memcpy(fresh, value.ptr, value.len);
		pool_free(sh->pool, v->value, v->cap);
		v->value = fresh;
		v->cap = cap;
	} else {
		memmove(v->value, value.ptr, value.len);
	}
	v->len = value.len;
	v->value[v->len] = '\0';
}

static void append(struct shell *sh, struct var *v, struct bytes more)
{
	size_t len = v->len + more.len;

	if (len >= v->cap) {
		size_t cap = (len + len / 2 + 16) & ~(size_t)15;
		char *fresh = pool_alloc(sh->pool, cap);

		if (v->len != 0)
			memcpy(fresh, v->value, v->len);
		memcpy(fresh + v->len, more.ptr, more.len);
		pool_free(sh->pool, v->value, v->cap);
		v->value = fresh;
		v->cap = cap;
	} else {
		memmove(v->value + v->len, more.ptr, more.len);
	}
	v->len = len;
	v->value[len] = '\0';
}

/* Another binding than the one that changed may be in force. */
void var_run_hook(struct shell *sh, const struct var_hook *hook)
{
	struct bytes name = bytes_of(hook->name);

	if (hook->changed != NULL)
		hook->changed(sh, var_find(sh, name, bytes_hash(name)));
}

/* After any change of a binding's value or flags. */
void var_changed(struct shell *sh, struct var *v, unsigned old_flags)
{
	if (((old_flags | v->flags) & VAR_EXPORT) != 0)
		sh->vars.export_serial++;
	if (v->hook == NULL)
		return;
	if ((v->flags & VAR_HOOKED) != 0)
		var_run_hook(sh, v->hook);
	else if ((v->flags & VAR_DYNAMIC) != 0 && v->hook->changed != NULL)
		v->hook->changed(sh, v);
}

void var_flags_changed(struct shell *sh, struct var *v)
{
	(void)v;
	sh->vars.export_serial++;
}

int var_check_writable(struct shell *sh, const struct var *v, unsigned how)
{
	if ((v->flags & VAR_READONLY) == 0 || (how & VAR_FORCE) != 0)
		return 0;
	shell_error(sh, "%s: readonly variable", v->name.ptr);
	exec_errexit(sh);
	return -1;
}

static void put_cased(struct buf *out, uint32_t c, unsigned flags, bool first)
{
	char text[4];
	bool upper = (flags & VAR_UPPER) != 0 || ((flags & VAR_CAPITAL) != 0 && first);

	buf_put(out, text, utf8_encode(upper ? utf8_to_upper(c) : utf8_to_lower(c), text));
}

/* -l, -u, -c. */
static struct bytes change_case(struct shell *sh, struct bytes s, unsigned flags)
{
	struct buf out = buf_in(sh->arena);

	for (size_t i = 0; i < s.len;) {
		uint32_t c = (unsigned char)s.ptr[i];
		size_t n = sh->utf8 && c >= 0x80 ? utf8_decode(s, i, &c) : c < 0x80;

		if (n == 0) {
			buf_putc(&out, s.ptr[i++]);
			continue;
		}
		put_cased(&out, c, flags, i == 0);
		i += n;
	}
	return buf_bytes(&out);
}

static int eval_value(struct shell *sh, struct bytes text, int64_t *out)
{
	return arith_must(sh, eval_arith(sh, text, out));
}

int var_transform(struct shell *sh, const struct var *v, struct bytes old, struct bytes *value,
		  unsigned *how, char digits[24])
{
	int64_t base = 0;
	int64_t n;

	shell_cost(sh, 8 * value->len);
	if ((v->flags & VAR_INTEGER) != 0) {
		if ((*how & VAR_APPEND) != 0 && old.len != 0 && eval_value(sh, old, &base) != 0)
			return -1;
		if (eval_value(sh, *value, &n) != 0)
			return -1;
		*how &= ~(unsigned)VAR_APPEND;
		*value = i64_text((int64_t)((uint64_t)base + (uint64_t)n), digits);
		return 0;
	}
	if ((v->flags & VAR_CASED) == 0)
		return 0;
	if ((*how & VAR_APPEND) != 0) {
		struct buf whole = buf_in(sh->arena);

		buf_add(&whole, old);
		buf_add(&whole, *value);
		*value = buf_bytes(&whole);
		*how &= ~(unsigned)VAR_APPEND;
	}
	*value = change_case(sh, *value, v->flags);
	return 0;
}

static int assign_scalar(struct shell *sh, struct var *v, struct bytes value, unsigned how)
{
	unsigned old_flags = v->flags;
	char digits[24];

	if ((v->flags & (VAR_INTEGER | VAR_CASED)) != 0 &&
	    var_transform(sh, v, (struct bytes){ v->value, v->len }, &value, &how, digits) != 0)
		return -1;
	if ((how & VAR_APPEND) != 0)
		append(sh, v, value);
	else
		var_store(sh, v, value);
	v->flags |= VAR_SET;
	if ((v->flags & VAR_TEMPORARY) != 0 && v->scope == sh->passing_scope)
		v->flags |= VAR_PASSED;
	if (opt_set(sh, SET_ALLEXPORT))
		v->flags |= VAR_EXPORT;
	if (((old_flags | v->flags) & (VAR_EXPORT | VAR_HOOKED | VAR_DYNAMIC)) != 0)
		var_changed(sh, v, old_flags);
	return 0;
}

int var_assign(struct shell *sh, struct var *v, struct bytes value, unsigned how)
{
	v = var_own(sh, v);
	if (var_check_writable(sh, v, how) != 0)
		return -1;
	if ((v->flags & VAR_NOASSIGN) != 0)
		return 0;
	if ((v->flags & VAR_ARRAY) != 0)
		return var_assign_at(sh, v, 0, value, how);
	if ((v->flags & VAR_ASSOC) != 0)
		return var_assign_element(sh, v, BYTES("0"), value, how);
	if ((how & VAR_APPEND) != 0 && (v->flags & VAR_DYNAMIC) != 0) {
		struct bytes now;

		if (var_scalar(sh, v, &now))
			var_store(sh, v, now);
	}
	return assign_scalar(sh, v, value, how);
}

static struct var *ensure_global(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct var *v = var_ensure(sh, name, hash);
	struct var *bottom = v;

	while (bottom->scope != 0 && bottom->shadowed != NULL)
		bottom = bottom->shadowed;
	if (bottom->scope == 0)
		return bottom;
	bottom->shadowed = var_new(sh, name, hash);
	return bottom->shadowed;
}

/* Assigning to a reference that refers to nothing yet says what it refers to. */
static int assign_target(struct shell *sh, struct var *v, struct bytes value, unsigned how)
{
	struct bytes name;
	struct bytes sub;

	if (!parse_name_ref(value, &name, &sub)) {
		shell_error(sh, "%s%s`%.*s': not a valid identifier",
			    sh->command_name != NULL ? sh->command_name : "",
			    sh->command_name != NULL ? ": " : "", (int)value.len, value.ptr);
		return -1;
	}
	v = var_own(sh, v);
	if (var_check_writable(sh, v, how) != 0)
		return -1;
	return assign_scalar(sh, v, value, how);
}

int var_set(struct shell *sh, struct bytes name, uint64_t hash, struct bytes value, unsigned how)
{
	struct var *v = var_find(sh, name, hash);
	struct bytes sub = { NULL, 0 };

	if (v != NULL && (v->flags & VAR_NAMEREF) != 0 && (how & VAR_NO_REF) == 0) {
		if (var_follow(sh, &name, &hash, &sub, &v) != 0)
			return -1;
		if (v != NULL && (v->flags & VAR_NAMEREF) != 0 && sub.ptr == NULL)
			return assign_target(sh, v, value, how);
		if (v == NULL && var_find(sh, name, hash) != NULL)
			how |= VAR_GLOBAL; /* a local reference to its own name */
	}
	if ((how & VAR_GLOBAL) != 0)
		v = ensure_global(sh, name, hash);
	else if (v == NULL)
		v = var_ensure(sh, name, hash);
	if (sub.ptr == NULL)
		return var_assign(sh, v, value, how);
	if (var_unreference(sh, &v, sub) != 0 || subscript_text(sh, v, sub, &sub) != 0)
		return -1;
	return var_assign_element(sh, v, sub, value, how);
}

int var_set_text(struct shell *sh, const char *name, const char *value)
{
	struct bytes n = bytes_of(name);

	return var_set(sh, n, bytes_hash(n), bytes_of(value), 0);
}

int var_set_int(struct shell *sh, const char *name, int64_t value)
{
	struct bytes n = bytes_of(name);
	char digits[24];

	return var_set(sh, n, bytes_hash(n), i64_text(value, digits), 0);
}

/* --- reading --- */

bool var_scalar(struct shell *sh, struct var *v, struct bytes *out)
{
	if ((v->flags & VAR_DYNAMIC) != 0 && v->hook->get != NULL) {
		v->flags |= VAR_SET;
		return v->hook->get(sh, v, out);
	}
	if ((v->flags & (VAR_ARRAY | VAR_ASSOC)) != 0)
		return var_element_at(sh, v, 0, out) == 1;
	if ((v->flags & VAR_SET) == 0)
		return false;
	*out = (struct bytes){ v->value, v->len };
	return true;
}

static bool is_whole(struct bytes sub)
{
	return sub.len == 1 && (sub.ptr[0] == '@' || sub.ptr[0] == '*');
}

/* All elements as one string: what a reference to name[@] is where only one fits. */
static bool get_joined(struct shell *sh, struct var *v, struct bytes sub, struct bytes *out)
{
	struct bytes *many;
	size_t n = var_values(sh, v, &many);

	*out = value_join(sh, many, n, sub.ptr[0] == '*' ? ifs_first(sh) : BYTES(" "));
	return n != 0;
}

bool var_get(struct shell *sh, struct bytes name, uint64_t hash, struct bytes *out)
{
	struct var *v = var_find(sh, name, hash);
	struct bytes sub;

	if (v == NULL)
		return false;
	if ((v->flags & VAR_NAMEREF) != 0) {
		if (var_follow(sh, &name, &hash, &sub, &v) != 0 || v == NULL)
			return false;
		if (sub.ptr != NULL && (v = element_base(sh, v)) == NULL)
			return false;
		if (sub.ptr != NULL && is_whole(sub))
			return get_joined(sh, v, sub, out);
		if (sub.ptr != NULL)
			return subscript_text(sh, v, sub, &sub) == 0 &&
			       var_element(sh, v, sub, out) == 1;
		if ((v->flags & VAR_NAMEREF) != 0)
			return false;
	}
	return var_scalar(sh, v, out);
}

const char *var_get_text(struct shell *sh, const char *name)
{
	struct bytes n = bytes_of(name);
	struct bytes value;

	return var_get(sh, n, bytes_hash(n), &value) ? value.ptr : NULL;
}

/* --- unsetting --- */

void var_free_value(struct shell *sh, struct var *v)
{
	if ((v->flags & VAR_ARRAY) != 0 && v->array != NULL)
		array_free(sh->pool, v->array);
	else if ((v->flags & VAR_ASSOC) != 0 && v->assoc != NULL)
		assoc_free(sh->pool, v->assoc);
	v->array = NULL;
	pool_free(sh->pool, v->value, v->cap);
	v->value = NULL;
	v->len = 0;
	v->cap = 0;
	v->flags &= ~(unsigned)(VAR_ARRAY | VAR_ASSOC | VAR_SET);
}

void var_free(struct shell *sh, struct var *v)
{
	var_free_value(sh, v);
	pool_free(sh->pool, (char *)(uintptr_t)v->name.ptr, v->name.len + 1);
	pool_free(sh->pool, v, sizeof *v);
}

void var_unlink_local(struct shell *sh, struct var *v)
{
	enum { LOCALS_A_STEP = 16 };
	struct var **at;
	uint64_t passed = 0;

	if (v->scope == 0 || v->scope >= sh->vars.locals_cap)
		return;
	for (at = &sh->vars.locals[v->scope]; *at != NULL && *at != v; at = &(*at)->local_next)
		passed++;
	if (*at != NULL)
		*at = v->local_next;
	/* A switch here would change what is being unlinked: it comes at the next charge. */
	kernel_fuel(sh->p->k)->left -= (int64_t)(passed / LOCALS_A_STEP);
}

/* Whether the parent has what v is a copy of, or what it would show again. */
static bool parent_shows(struct shell *sh, const struct var *v)
{
	const struct var *above;

	if (!sh->overlay)
		return false;
	if ((v->flags & VAR_DYNAMIC) != 0)
		return true;
	above = var_find(sh->parent, v->name, v->hash);
	return above != NULL && above->scope >= v->scope;
}

/* Removes the binding in force, own already. */
static void remove_binding(struct shell *sh, struct var *v)
{
	const struct var_hook *hook = (v->flags & VAR_HOOKED) != 0 ? v->hook : NULL;
	struct var *below = v->shadowed;

	sh->vars.export_serial += (v->flags & VAR_EXPORT) != 0;
	if (below == NULL && parent_shows(sh, v)) {
		var_free_value(sh, v);
		v->flags = VAR_DELETED;
		var_unlink_local(sh, v);
		v->scope = 0;
	} else {
		var_unlink_local(sh, v);
		var_table_replace(sh, v, below);
		var_free(sh, v);
	}
	if (hook != NULL)
		var_run_hook(sh, hook);
}

/* A local variable that its function unsets stays local. */
static void hide_local(struct shell *sh, struct var *v)
{
	unsigned old_flags = v->flags;

	var_free_value(sh, v);
	v->flags = VAR_LOCAL | (old_flags & VAR_HOOKED);
	if (v->shadowed != NULL && (v->shadowed->flags & VAR_TEMPORARY) != 0)
		v->flags |= old_flags & VAR_EXPORT; /* `v=1 f` */
	var_changed(sh, v, old_flags);
}

/* `v=1 f` and `local v` in f are one variable to a function that f calls. */
static void remove_with_temporary(struct shell *sh, struct var *v)
{
	struct var *below = v->shadowed;
	bool one = v->scope != 0 && (v->flags & VAR_TEMPORARY) == 0 && below != NULL &&
		   (below->flags & VAR_TEMPORARY) != 0 && below->scope == v->scope - 1;

	remove_binding(sh, v);
	if (one)
		remove_binding(sh, below);
}

void var_drop(struct shell *sh, struct var *v)
{
	remove_with_temporary(sh, var_own(sh, v));
}

bool var_stays(struct shell *sh, const struct var *v)
{
	if ((v->flags & VAR_NOUNSET) != 0)
		builtin_error(sh, "unset", "%s: cannot unset", v->name.ptr);
	else if ((v->flags & VAR_READONLY) != 0)
		builtin_error(sh, "unset", "%s: cannot unset: readonly variable", v->name.ptr);
	return (v->flags & (VAR_NOUNSET | VAR_READONLY)) != 0;
}

/* That are set again before anybody looks. */
static bool comes_again(const struct var *v)
{
	return bytes_is(v->name, "_") ||
	       ((v->flags & VAR_DYNAMIC) != 0 && bytes_is(v->name, "PIPESTATUS"));
}

int var_unset(struct shell *sh, struct bytes name, uint64_t hash, bool ref_itself)
{
	struct var *v = var_find(sh, name, hash);
	struct bytes sub = { NULL, 0 };

	if (v != NULL && !ref_itself)
		v = var_resolve(sh, name, hash, &sub);
	if (v == NULL || comes_again(v))
		return 0;
	if (sub.ptr != NULL)
		return var_unset_element(sh, v, sub, false);
	if (var_stays(sh, v))
		return -1;
	v = var_own(sh, v);
	if (v->scope != 0 && (v->flags & VAR_TEMPORARY) == 0 &&
	    (v->scope == sh->scope || opt_shopt(sh, SHOPT_localvar_unset)))
		hide_local(sh, v);
	else
		remove_with_temporary(sh, v);
	return 0;
}

bool is_name(struct bytes s)
{
	if (s.len == 0 || byte_is_digit(s.ptr[0]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!byte_is_name(s.ptr[i]))
			return false;
	}
	return true;
}
