/* SPDX-License-Identifier: MIT
 *
 * Which objects others need: from commits to their trees and files, what is reached from
 * elsewhere left out.
 *
 * Commits that the other side has are marked with all their ancestors; of their trees only
 * those next to a wanted commit are marked, since there most of the content is shared.
 */
#include "builtins/git/transport.h"

enum { SEEN = 1, HAD = 2 };

/* The key lives in the record: it is the table's value. */
struct mark {
	struct oid oid;
	int state;
};

static struct mark *mark_of(struct reach *r, const struct oid *o)
{
	struct mark *m = lookup_get(r->seen, oid_key(o));

	if (m == NULL) {
		m = arena_zalloc(r->g->keep, sizeof(*m));
		m->oid = *o;
		*lookup_at(r->seen, oid_key(&m->oid)) = m;
	}
	return m;
}

static void add(struct reach *r, const struct oid *o, enum object_type type, uint32_t hint)
{
	LIST_ROOM(r->g, r->at, r->n, r->cap);
	r->at[r->n++] = (struct reached){ *o, type, hint };
}

static bool gone(struct reach *r, const struct oid *o)
{
	if (!r->missing_ok)
		git_die(r->g, "unable to read %s", oid_hex(r->g, o));
	r->missing++;
	return true;
}

/* Files with the same end of their path are likely alike. h: of what is in front. */
static uint32_t name_hint(uint32_t h, struct bytes name)
{
	for (size_t i = 0; i < name.len; i++)
		h = (h >> 2) + ((uint32_t)(unsigned char)name.ptr[i] << 24);
	return h;
}

/* Marks a tree and what is in it; without `only_mark` also lists it. */
static void take_tree(struct reach *r, const struct oid *tree, uint32_t hint, bool only_mark,
		      int depth)
{
	struct git *g = r->g;
	struct mark *m = mark_of(r, tree);
	struct arena a;
	struct bytes rest;
	struct tree_entry e;
	int got;

	if (m->state != 0)
		return;
	m->state = only_mark ? HAD : SEEN;
	if (depth > GIT_DEPTH_MAX)
		git_die(g, "tree %s is too deep", oid_hex(g, tree));
	arena_init_under(&a, g->a);
	if (object_read(g, &a, tree, &rest) != OBJECT_TREE) {
		arena_clear(&a);
		if (!only_mark)
			gone(r, tree);
		return;
	}
	if (!only_mark)
		add(r, tree, OBJECT_TREE, hint);
	if (depth > 0)
		hint = name_hint(hint, BYTES("/"));
	while ((got = tree_next(&rest, &e)) > 0) {
		cmd_charge(g->c, 1);
		if (e.mode == MODE_GITLINK)
			continue;
		if ((e.mode & S_FMT) == S_DIR) {
			take_tree(r, &e.oid, name_hint(hint, e.name), only_mark, depth + 1);
			continue;
		}
		m = mark_of(r, &e.oid);
		if (m->state == 0 && !only_mark) {
			if (!r->missing_ok || object_exists(g, &e.oid))
				add(r, &e.oid, OBJECT_BLOB, name_hint(hint, e.name));
			else
				gone(r, &e.oid);
		}
		if (m->state == 0)
			m->state = only_mark ? HAD : SEEN;
	}
	arena_clear(&a);
	if (got < 0 && !r->missing_ok)
		git_die(g, "corrupt tree file");
}

/* Follows tags to the end: the commit, tree or blob they name. */
static void take_object(struct reach *r, const struct oid *o, struct commits *commits,
			struct commits *trees)
{
	struct git *g = r->g;
	struct oid at = *o;

	for (int depth = 0; depth < GIT_DEPTH_MAX; depth++) {
		uint64_t size;
		enum object_type type = object_info(g, &at, &size);
		struct commit_text t;
		struct bytes text;

		if (type == OBJECT_NONE) {
			gone(r, &at);
			return;
		}
		if (type == OBJECT_COMMIT || type == OBJECT_TREE) {
			struct commits *list = type == OBJECT_COMMIT ? commits : trees;

			LIST_ROOM(g, list->at, list->n, list->cap);
			list->at[list->n++] = commit_at(g, &at);
			return;
		}
		if (mark_of(r, &at)->state != 0)
			return;
		mark_of(r, &at)->state = SEEN;
		add(r, &at, type, 0);
		if (type == OBJECT_BLOB)
			return;
		object_read(g, g->a, &at, &text);
		commit_split(text, &t);
		if (!oid_parse_bytes(t.object, &at))
			git_die(g, "bad object in tag %s", oid_hex(g, o));
	}
}

static void mark_had(struct reach *r, const struct oid *have, size_t n)
{
	struct git *g = r->g;
	struct commits todo = { NULL, 0, 0 };

	for (size_t i = 0; i < n; i++) {
		struct oid c;

		if (!object_exists(g, &have[i]))
			continue;
		mark_of(r, &have[i])->state = HAD;
		if (!object_peel(g, &have[i], OBJECT_COMMIT, &c))
			continue;
		mark_of(r, &c)->state = HAD;
		LIST_ROOM(g, todo.at, todo.n, todo.cap);
		todo.at[todo.n++] = commit_at(g, &c);
	}
	while (todo.n > 0) {
		struct commit *c = todo.at[--todo.n];

		cmd_charge(g->c, 1);
		if (!commit_load(g, c) ||
		    (r->cut != NULL && r->cut->n != 0 && names_has(g, r->cut, oid_hex(g, &c->oid))))
			continue;
		for (uint32_t i = 0; i < c->nparents; i++) {
			struct mark *m = mark_of(r, &c->parent[i]->oid);

			if (m->state == HAD)
				continue;
			m->state = HAD;
			LIST_ROOM(g, todo.at, todo.n, todo.cap);
			todo.at[todo.n++] = c->parent[i];
		}
	}
}

/* Commits in breadth: with a depth, those of the last level lose their parents. */
static void take_commits(struct reach *r, struct commits *list)
{
	struct git *g = r->g;
	size_t level_end = list->n;
	int level = 1;
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct commit *c = list->at[i];
		struct mark *m = mark_of(r, &c->oid);
		bool last;

		if (i == level_end) {
			level_end = list->n;
			level++;
		}
		cmd_charge(g->c, 1);
		if (m->state != 0)
			continue;
		m->state = SEEN;
		if (!commit_load(g, c)) {
			gone(r, &c->oid);
			continue;
		}
		add(r, &c->oid, OBJECT_COMMIT, 0);
		last = r->depth > 0 && level >= r->depth;
		if (last)
			names_add(g, &r->shallow, oid_hex(g, &c->oid));
		for (uint32_t k = 0; !last && k < c->nparents; k++) {
			LIST_ROOM(g, list->at, list->n, list->cap);
			list->at[list->n++] = c->parent[k];
		}
		list->at[kept++] = c;
		/* The list is read behind i only: the front holds what was taken. */
	}
	list->n = kept;
}

void reach_find(struct reach *r, const struct oid *want, size_t nwant, const struct oid *have,
		size_t nhave)
{
	struct git *g = r->g;
	struct commits commits = { NULL, 0, 0 };
	struct commits trees = { NULL, 0, 0 };

	r->seen = lookup_new(g);
	mark_had(r, have, nhave);
	for (size_t i = 0; i < nwant; i++)
		take_object(r, &want[i], &commits, &trees);
	take_commits(r, &commits);
	for (size_t i = 0; i < commits.n; i++)
		for (uint32_t k = 0; k < commits.at[i]->nparents; k++) {
			struct commit *p = commits.at[i]->parent[k];
			const struct mark *m = lookup_get(r->seen, oid_key(&p->oid));

			if (m != NULL && m->state == HAD && commit_load(g, p))
				take_tree(r, &p->tree, 0, true, 0);
		}
	for (size_t i = 0; i < commits.n; i++)
		take_tree(r, &commits.at[i]->tree, 0, false, 0);
	for (size_t i = 0; i < trees.n; i++)
		take_tree(r, &trees.at[i]->oid, 0, false, 0);
}

/* --- tips --- */

struct tips {
	struct git *g;
	struct oid *at;
	size_t n;
	size_t cap;
};

static void add_tip(struct tips *t, const struct oid *o)
{
	if (oid_is_null(o))
		return;
	LIST_ROOM(t->g, t->at, t->n, t->cap);
	t->at[t->n++] = *o;
}

static void add_log(struct tips *t, const char *ref)
{
	struct reflog_entry *e;
	size_t n = reflog_read(t->g, ref, &e);

	for (size_t i = 0; i < n; i++) {
		add_tip(t, &e[i].before);
		add_tip(t, &e[i].after);
	}
}

static void add_index(struct tips *t, const char *path)
{
	struct git *g = t->g;
	struct index *x;

	if (!file_exists(g, path))
		return;
	x = index_read(g, path);
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i].mode != MODE_GITLINK)
			add_tip(t, &x->at[i].oid);
}

static void add_worktrees(struct tips *t)
{
	struct git *g = t->g;
	char *dir = path_join(g->a, g->common, "worktrees");
	struct vfs_dirent *list;
	size_t n;

	if (cmd_list(g->c, CMD_CWD, dir, g->a, &list, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		char *one = git_format(g->a, "%s/%.*s", dir, (int)list[i].name.len,
				       list[i].name.ptr);
		struct bytes text;
		struct oid o;

		add_index(t, path_join(g->a, one, "index"));
		if (file_read(g, g->a, path_join(g->a, one, "HEAD"), &text) == 0 &&
		    oid_parse_bytes(text, &o))
			add_tip(t, &o);
	}
}

size_t reach_tips(struct git *g, bool logs, struct oid **out)
{
	struct tips t = { .g = g };
	struct ref *list;
	struct oid o;
	size_t n = ref_list(g, "refs/", &list);

	for (size_t i = 0; i < n; i++) {
		if (!list[i].broken)
			add_tip(&t, &list[i].oid);
		if (logs)
			add_log(&t, list[i].name);
	}
	if (head_oid(g, &o))
		add_tip(&t, &o);
	if (logs) {
		add_log(&t, "HEAD");
		add_index(&t, path_join(g->a, g->common, "index"));
		if (strcmp(g->dir, g->common) != 0)
			add_index(&t, path_join(g->a, g->dir, "index"));
		add_worktrees(&t);
	}
	*out = t.at;
	return t.n;
}
