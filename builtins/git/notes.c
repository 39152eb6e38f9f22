/* SPDX-License-Identifier: MIT
 *
 * The tree of notes: the name of each file is the object it is about, with or without slashes
 * in it.
 */
#include "builtins/git/notes.h"

enum { FLAT_MAX = 256 }; /* above, the first two digits become directories */

const char *notes_ref(struct git *g, const char *name)
{
	if (name == NULL)
		name = cmd_getenv(g->c, "GIT_NOTES_REF");
	if (name == NULL)
		name = config_get(g, "core.notesref");
	if (name == NULL)
		return "refs/notes/commits";
	if (git_starts(name, "refs/notes/"))
		return name;
	if (git_starts(name, "notes/"))
		return git_format(g->keep, "refs/%s", name);
	return git_format(g->keep, "refs/notes/%s", name);
}

/* "ab/cdef..." without slashes: an object's name? */
static bool name_of(const char *path, struct oid *out)
{
	char hex[OID_HEX + 1];
	size_t n = 0;

	for (; *path != '\0'; path++) {
		if (*path == '/')
			continue;
		if (n == OID_HEX)
			return false;
		hex[n++] = *path;
	}
	hex[n] = '\0';
	return n == OID_HEX && oid_parse(hex, out);
}

static int by_object(const void *a, const void *b)
{
	return oid_cmp(&((const struct note *)a)->on, &((const struct note *)b)->on);
}

void notes_load(struct git *g, const char *ref, struct notes *out)
{
	struct oid commit;

	if (ref_read(g, ref, &commit, NULL) < 0)
		commit = oid_null;
	notes_load_commit(g, ref, &commit, out);
}

void notes_load_commit(struct git *g, const char *ref, const struct oid *commit, struct notes *out)
{
	struct leaves l = { NULL, 0, 0 };
	struct oid tree;

	*out = (struct notes){ .ref = ref, .commit = *commit };
	if (oid_is_null(commit))
		return;
	if (!tree_of(g, &out->commit, &tree))
		git_die(g, "Failed to read notes tree referenced by %s (%s)", ref,
			oid_hex(g, &out->commit));
	tree_flatten(g, g->keep, &tree, &l);
	for (size_t i = 0; i < l.n; i++) {
		struct note n = { .blob = l.at[i].oid };

		cmd_charge(g->c, 1);
		if (name_of(l.at[i].path, &n.on)) {
			LIST_ROOM(g, out->at, out->n, out->cap);
			out->at[out->n++] = n;
			continue;
		}
		LIST_ROOM(g, out->others.at, out->others.n, out->others.cap);
		out->others.at[out->others.n++] = l.at[i];
	}
	git_sort(g, out->at, out->n, sizeof(*out->at), by_object);
}

/* Where it is or belongs. */
static size_t place_of(const struct notes *ns, const struct oid *on)
{
	size_t lo = 0, hi = ns->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (oid_cmp(&ns->at[mid].on, on) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct note *notes_find(struct notes *ns, const struct oid *on)
{
	size_t i = place_of(ns, on);

	return i < ns->n && oid_eq(&ns->at[i].on, on) ? &ns->at[i] : NULL;
}

void notes_set(struct git *g, struct notes *ns, const struct oid *on, const struct oid *blob)
{
	size_t i = place_of(ns, on);
	bool there = i < ns->n && oid_eq(&ns->at[i].on, on);

	if (there && blob != NULL) {
		ns->at[i].blob = *blob;
	} else if (there) {
		memmove(ns->at + i, ns->at + i + 1, (ns->n - i - 1) * sizeof(*ns->at));
		ns->n--;
	} else if (blob != NULL) {
		LIST_ROOM(g, ns->at, ns->n, ns->cap);
		memmove(ns->at + i + 1, ns->at + i, (ns->n - i) * sizeof(*ns->at));
		ns->at[i] = (struct note){ *on, *blob };
		ns->n++;
	}
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

void notes_commit(struct git *g, const struct notes *ns, const struct oid *parents, size_t n,
		  const char *message, struct oid *out)
{
	struct leaves l = { NULL, 0, 0 };
	struct oid tree;

	for (size_t i = 0; i < ns->others.n; i++) {
		LIST_ROOM(g, l.at, l.n, l.cap);
		l.at[l.n++] = ns->others.at[i];
	}
	for (size_t i = 0; i < ns->n; i++) {
		const char *hex = oid_hex(g, &ns->at[i].on);
		struct leaf f = { .mode = MODE_FILE, .oid = ns->at[i].blob };

		f.path = ns->n > FLAT_MAX ? git_format(g->keep, "%.2s/%s", hex, hex + 2)
					  : git_format(g->keep, "%s", hex);
		LIST_ROOM(g, l.at, l.n, l.cap);
		l.at[l.n++] = f;
	}
	git_sort(g, l.at, l.n, sizeof(*l.at), by_path);
	tree_write_leaves(g, &l, &tree);
	commit_write(g, &tree, parents, n, NULL, bytes_of(message), out);
}

void notes_save(struct git *g, struct notes *ns, const char *message)
{
	bool first = oid_is_null(&ns->commit);
	struct oid commit;

	notes_commit(g, ns, &ns->commit, first ? 0 : 1, git_format(g->a, "%s\n", message), &commit);
	ref_update(g, ns->ref, &commit, first ? NULL : &ns->commit,
		   git_format(g->a, "notes: %s", message), true);
	ns->commit = commit;
}

void notes_join(struct git *g, const struct oid *first, const struct oid *second, struct oid *out)
{
	struct buf b = buf_in(g->a);
	struct bytes one, two = object_need(g, g->a, second, OBJECT_BLOB);

	*out = *second;
	if (oid_is_null(first) || oid_eq(first, second))
		return;
	one = object_need(g, g->a, first, OBJECT_BLOB);
	if (one.len == 0 || two.len == 0) {
		*out = one.len == 0 ? *second : *first;
		return;
	}
	if (one.ptr[one.len - 1] == '\n')
		one.len--;
	buf_add(&b, one);
	buf_puts(&b, "\n\n");
	buf_add(&b, two);
	object_write(g, OBJECT_BLOB, buf_bytes(&b), out);
}

static void show_one(struct git *g, const char *ref)
{
	struct notes **at = &g->notes;

	for (; *at != NULL; at = &(*at)->next) {
		cmd_charge(g->c, 1);
		if (strcmp((*at)->ref, ref) == 0)
			return;
	}
	*at = arena_zalloc(g->keep, sizeof(**at));
	notes_load(g, arena_dup(g->keep, bytes_of(ref)), *at);
}

static void show_pattern(struct git *g, const char *pattern)
{
	struct ref *list;
	size_t n;

	if (!wild_has_magic(pattern)) {
		if (!ref_exists(g, pattern))
			git_warn(g, "notes ref %s is invalid", pattern);
		show_one(g, pattern);
		return;
	}
	n = ref_list(g, "refs/", &list);
	for (size_t i = 0; i < n; i++)
		if (wild_match(pattern, bytes_of(list[i].name), 0))
			show_one(g, list[i].name);
}

void notes_show(struct git *g, const char *pattern)
{
	const char *more;

	if (pattern != NULL) {
		show_pattern(g, notes_ref(g, pattern));
		return;
	}
	show_one(g, notes_ref(g, NULL));
	more = cmd_getenv(g->c, "GIT_NOTES_DISPLAY_REF");
	if (more != NULL) {
		while (*more != '\0') {
			size_t n = strcspn(more, ":");

			if (n != 0)
				show_pattern(g, git_format(g->keep, "%.*s", (int)n, more));
			more += n + (more[n] == ':');
		}
		return;
	}
	for (size_t i = 0; i < g->config->n; i++)
		if (strcmp(g->config->at[i].key, "notes.displayref") == 0 &&
		    g->config->at[i].value != NULL)
			show_pattern(g, g->config->at[i].value);
}

struct notes *notes_shown(struct git *g)
{
	if (g->notes == NULL)
		notes_show(g, NULL);
	return g->notes;
}

bool notes_text(struct git *g, struct notes *ns, const struct oid *on, struct bytes *out)
{
	struct note *n = notes_find(ns, on);

	return n != NULL && object_read(g, g->a, &n->blob, out) == OBJECT_BLOB;
}
