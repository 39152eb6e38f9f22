/* SPDX-License-Identifier: MIT
 *
 * read-tree -m of two trees (from one to the other, with what the index changed) and of three
 * (the base, ours, theirs): what is clear is decided, the rest stays in the index as stages.
 */
#include "builtins/git/read_tree.h"

enum fate { FATE_KEEP, FATE_REMOVE, FATE_TAKE, FATE_STAGES };

struct path_merge {
	const char *path;
	const struct leaf *tree[3]; /* NULL: it has no such file */
	struct entry *entry;        /* of the index, or NULL */
	enum fate fate;
	struct leaf result; /* of FATE_TAKE */
	bool stage[3];      /* of FATE_STAGES: which trees' */
};

struct merging {
	struct reading *r;
	struct git *g;
	struct leaves tree[3];
	int n;
	bool fresh; /* there was no index: everything is new */
	struct path_merge *at;
	size_t count, cap;
};

static bool same_leaf(const struct leaf *a, const struct leaf *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->mode == b->mode && oid_eq(&a->oid, &b->oid);
}

static bool same_entry(const struct entry *e, const struct leaf *l)
{
	return l != NULL && e->mode == l->mode && oid_eq(&e->oid, &l->oid);
}

/* --- errors --- */

static bool refuse(struct merging *m, const char *format, const char *path)
{
	if (!m->r->o.quiet)
		git_error(m->g, "%s", git_format(m->g->a, "Entry '%s' %s", path, format));
	return false;
}

static bool would_overwrite(struct merging *m, const struct path_merge *p)
{
	return refuse(m, "would be overwritten by merge. Cannot merge.", p->path);
}

/* Whether the file is as the index knows it, so that it may be changed. */
static bool is_clean(struct merging *m, const struct path_merge *p)
{
	enum entry_state state;

	if (m->r->o.index_only || m->r->o.reset || p->entry->mode == MODE_GITLINK)
		return true;
	state = index_check(m->g, m->r->x, p->entry, NULL);
	if (state == ENTRY_MISSING ? !work_replaced(m->g, p->path) : state == ENTRY_SAME)
		return true;
	return refuse(m, "not uptodate. Cannot merge.", p->path);
}

static bool take(struct merging *m, struct path_merge *p, const struct leaf *l)
{
	p->result = *l;
	if (p->entry == NULL) {
		p->fate = FATE_TAKE;
		return !read_tree_in_the_way(m->r, p->path);
	}
	if (same_entry(p->entry, l))
		return true;
	p->fate = FATE_TAKE;
	return is_clean(m, p);
}

static bool drop(struct merging *m, struct path_merge *p)
{
	struct vfs_stat st;

	p->fate = FATE_REMOVE;
	if (p->entry != NULL)
		return is_clean(m, p);
	if (!m->r->o.update || m->r->o.reset || cmd_lstat(m->g->c, p->path, &st) < 0)
		return true;
	if (!m->r->o.quiet)
		git_error(m->g, "Untracked working tree file '%s' would be removed by merge.",
			  p->path);
	return false;
}

/* --- two trees --- */

static bool merge_two(struct merging *m, struct path_merge *p)
{
	const struct leaf *from = p->tree[0], *to = p->tree[1];
	const struct entry *e = p->entry;

	if (e == NULL) {
		if (to == NULL)
			return from == NULL || drop(m, p);
		if (from != NULL && !m->fresh) {
			if (same_leaf(from, to))
				return true;
			return would_overwrite(m, p);
		}
		return take(m, p, to);
	}
	if (same_leaf(from, to) || (to != NULL && same_entry(e, to)))
		return true;
	if (!same_entry(e, from))
		return would_overwrite(m, p);
	return to != NULL ? take(m, p, to) : drop(m, p);
}

/* --- three trees --- */

static bool keep_stages(struct merging *m, struct path_merge *p)
{
	const struct leaf *base = p->tree[0], *ours = p->tree[1], *theirs = p->tree[2];

	if (p->entry != NULL && !is_clean(m, p))
		return false;
	p->fate = FATE_STAGES;
	p->stage[0] = base != NULL && !(same_leaf(base, ours) && same_leaf(base, theirs));
	p->stage[1] = ours != NULL;
	p->stage[2] = theirs != NULL;
	m->r->unclear = true;
	return true;
}

static bool merge_three(struct merging *m, struct path_merge *p)
{
	const struct leaf *base = p->tree[0], *ours = p->tree[1], *theirs = p->tree[2];
	bool ours_same = base != NULL && same_leaf(base, ours);
	bool theirs_same = base != NULL && same_leaf(base, theirs);
	bool only_theirs = theirs != NULL && same_leaf(base, ours) && !same_leaf(base, theirs);

	if (only_theirs) {
		if (p->entry != NULL && !same_entry(p->entry, theirs) &&
		    !(ours != NULL && same_entry(p->entry, ours)))
			return would_overwrite(m, p);
		return take(m, p, theirs);
	}
	if (p->entry != NULL && !same_entry(p->entry, ours))
		return would_overwrite(m, p);
	if (ours != NULL && (same_leaf(ours, theirs) || (same_leaf(base, theirs) && !ours_same)))
		return take(m, p, ours);
	if (ours == NULL && theirs == NULL && base == NULL)
		return true;
	if (m->r->o.aggressive && ((ours == NULL && theirs == NULL) ||
				   (ours == NULL && theirs_same) || (theirs == NULL && ours_same)))
		return (p->entry == NULL && ours == NULL) || drop(m, p);
	return keep_stages(m, p);
}

/* --- all paths --- */

static void add_path(struct merging *m, const char *path, size_t at[4])
{
	struct path_merge p = { .path = path };
	struct index *x = m->r->x;

	for (int k = 0; k < m->n; k++)
		if (at[k] < m->tree[k].n && strcmp(m->tree[k].at[at[k]].path, path) == 0)
			p.tree[k] = &m->tree[k].at[at[k]++];
	while (at[3] < x->n && strcmp(x->at[at[3]].path, path) == 0) {
		if (x->at[at[3]].stage == 0)
			p.entry = &x->at[at[3]];
		at[3]++;
	}
	LIST_ROOM(m->g, m->at, m->count, m->cap);
	m->at[m->count++] = p;
}

static void collect(struct merging *m)
{
	struct index *x = m->r->x;
	size_t at[4] = { 0, 0, 0, 0 };

	for (;;) {
		const char *least = at[3] < x->n ? x->at[at[3]].path : NULL;

		for (int k = 0; k < m->n; k++) {
			const char *path = at[k] < m->tree[k].n ? m->tree[k].at[at[k]].path : NULL;

			if (path != NULL && (least == NULL || strcmp(path, least) < 0))
				least = path;
		}
		if (least == NULL)
			return;
		cmd_charge(m->g->c, 1);
		add_path(m, arena_dup(m->g->keep, bytes_of(least)), at);
	}
}

static void apply(struct merging *m, const struct path_merge *p)
{
	struct index *x = m->r->x;
	bool update = m->r->o.update;

	switch (p->fate) {
	case FATE_REMOVE:
		index_remove(x, p->path);
		if (update)
			work_remove(m->g, p->path);
		break;
	case FATE_TAKE: {
		struct entry *e = index_put(x, p->path, p->result.mode, &p->result.oid);

		if (update)
			work_write(m->g, p->path, e->mode, &e->oid, e);
		break;
	}
	case FATE_STAGES:
		index_remove(x, p->path);
		for (int k = 0; k < 3; k++)
			if (p->stage[k])
				index_put_stage(x, p->path, p->tree[k]->mode, &p->tree[k]->oid,
						(unsigned)k + 1);
		break;
	default: break;
	}
	cmd_charge(m->g->c, 4);
}

int read_tree_merge(struct reading *r, const struct oid *trees, int n)
{
	struct merging m = { .r = r,
			     .g = r->g,
			     .n = n,
			     .fresh = !file_exists(r->g, repo_path(r->g, r->g->a, "index")) };

	for (int k = 0; k < n; k++)
		tree_flatten(r->g, r->g->keep, &trees[k], &m.tree[k]);
	if (r->o.reset)
		for (size_t i = 0; i < r->x->n;) {
			if (r->x->at[i].stage != 0)
				index_remove(r->x, r->x->at[i].path);
			else
				i++;
		}
	collect(&m);
	/* What only the index has comes last. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < m.count; i++) {
			struct path_merge *p = &m.at[i];
			bool in_tree = p->tree[0] != NULL || p->tree[1] != NULL ||
				       p->tree[2] != NULL;

			if (in_tree == (pass == 0) &&
			    !(n == 2 ? merge_two(&m, p) : merge_three(&m, p)))
				return GIT_STATUS_FATAL;
		}
	if (r->o.trivial && r->unclear) {
		git_error(r->g, "Merge requires file-level merging");
		return GIT_STATUS_FATAL;
	}
	if (r->o.dry_run)
		return 0;
	r->x->dirty = true;
	for (size_t i = 0; i < m.count; i++)
		apply(&m, &m.at[i]);
	return 0;
}
