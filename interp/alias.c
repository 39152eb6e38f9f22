/* SPDX-License-Identifier: MIT
 *
 * Aliases: a vector sorted by name. A subshell copies the parent's at its first change.
 */
#include "interp/exec.h"
#include "interp/state.h"

struct alias {
	struct bytes name;
	struct bytes value;
};

struct alias_table {
	struct alias *v;
	size_t count;
	size_t cap;
};

static struct alias_table *table_of(struct shell *sh)
{
	while (sh->aliases == NULL && sh->overlay)
		sh = sh->parent;
	return sh->aliases;
}

static struct bytes pool_bytes(struct shell *sh, struct bytes s)
{
	return (struct bytes){ pool_dup(sh->pool, s), s.len };
}

static void free_bytes(struct shell *sh, struct bytes s)
{
	pool_free(sh->pool, (void *)(uintptr_t)s.ptr, s.len + 1);
}

/* Index of the name, or where it would be inserted. */
static bool locate(const struct alias_table *t, struct bytes name, size_t *at)
{
	size_t low = 0;
	size_t high = t->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = bytes_cmp(t->v[mid].name, name);

		if (order == 0) {
			*at = mid;
			return true;
		}
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*at = low;
	return false;
}

static void insert(struct shell *sh, struct alias_table *t, size_t at, struct alias a)
{
	if (t->count == t->cap) {
		size_t cap = t->cap != 0 ? 2 * t->cap : 8;

		t->v = pool_resize(sh->pool, t->v, t->cap * sizeof(a), cap * sizeof(a));
		t->cap = cap;
	}
	memmove(t->v + at + 1, t->v + at, (t->count - at) * sizeof(a));
	t->v[at] = a;
	t->count++;
}

void alias_copy_all(struct shell *sh, struct shell *from)
{
	const struct alias_table *t = table_of(from);

	shell_cost(sh, t != NULL ? t->count * 64 : 0);
	sh->aliases = pool_zalloc(sh->pool, sizeof(*sh->aliases));
	for (size_t i = 0; t != NULL && i < t->count; i++) {
		struct alias copy = { pool_bytes(sh, t->v[i].name), pool_bytes(sh, t->v[i].value) };

		insert(sh, sh->aliases, i, copy);
	}
}

static struct alias_table *own_table(struct shell *sh)
{
	if (sh->aliases == NULL)
		alias_copy_all(sh, sh);
	return sh->aliases;
}

bool alias_any(struct shell *sh)
{
	const struct alias_table *t = table_of(sh);

	return t != NULL && t->count != 0;
}

bool alias_find(struct shell *sh, struct bytes name, struct bytes *out)
{
	const struct alias_table *t = table_of(sh);
	size_t at;

	if (t == NULL || !locate(t, name, &at))
		return false;
	*out = t->v[at].value;
	return true;
}

void alias_set(struct shell *sh, struct bytes name, struct bytes value)
{
	struct alias_table *t;
	struct bytes copy;
	size_t at;

	proc_charge(sh->p, sh->aliases != NULL ? sh->aliases->count / 8 : 0);
	t = own_table(sh);
	copy = pool_bytes(sh, value);
	if (locate(t, name, &at)) {
		free_bytes(sh, t->v[at].value);
		t->v[at].value = copy;
		return;
	}
	insert(sh, t, at, (struct alias){ pool_bytes(sh, name), copy });
}

static void free_alias(struct shell *sh, struct alias *a)
{
	free_bytes(sh, a->name);
	free_bytes(sh, a->value);
}

bool alias_unset(struct shell *sh, struct bytes name)
{
	struct alias_table *t = own_table(sh);
	size_t at;

	shell_cost(sh, t->count * 8);
	if (!locate(t, name, &at))
		return false;
	free_alias(sh, &t->v[at]);
	memmove(t->v + at, t->v + at + 1, (t->count - at - 1) * sizeof(*t->v));
	t->count--;
	return true;
}

void alias_clear(struct shell *sh)
{
	struct alias_table *t = own_table(sh);

	while (t->count > 0)
		free_alias(sh, &t->v[--t->count]);
}

int alias_list(struct shell *sh, struct bytes **names, struct bytes **values)
{
	const struct alias_table *t = table_of(sh);
	size_t n = t != NULL ? t->count : 0;

	*names = arena_array(sh->arena, n + 1, sizeof(**names));
	*values = arena_array(sh->arena, n + 1, sizeof(**values));
	for (size_t i = 0; i < n; i++) {
		(*names)[i] = t->v[i].name;
		(*values)[i] = t->v[i].value;
	}
	return (int)n;
}
