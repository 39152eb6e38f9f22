/* SPDX-License-Identifier: MIT
 *
 * From one tree to another: index and files follow, local changes that do not touch stay.
 */
#include "builtins/git/merge.h"

struct change {
	const char *path;
	const struct leaf *from; /* NULL: not there */
	const struct leaf *to;
};

struct switching {
	struct git *g;
	struct index *x;
	const struct switch_opts *o;
	const struct leaves *from;
	struct change *at; /* what must be done */
	size_t n;
	size_t cap;
	struct names changed; /* "Your local changes ... would be overwritten" */
	struct names untracked_over;
	struct names untracked_removed;
	struct names dirs;
};

static bool entry_is(const struct entry *e, const struct leaf *f)
{
	if (e == NULL || f == NULL)
		return (e == NULL) == (f == NULL);
	return e->mode == f->mode && oid_eq(&e->oid, &f->oid);
}

static void must_do(struct switching *s, const char *path, const struct leaf *from,
		    const struct leaf *to)
{
	LIST_ROOM(s->g, s->at, s->n, s->cap);
	s->at[s->n++] = (struct change){ path, from, to };
}

/* A file that is not in the index stands where one, or a directory of it, is to be. */
static void check_untracked(struct switching *s, const struct leaf *to)
{
	struct git *g = s->g;
	struct vfs_stat st;
	struct oid o;

	if (s->o->force || s->o->no_work)
		return;
	const char *in_the_way = work_in_the_way(g, to->path);

	if (in_the_way != NULL &&
	    !(index_has(s->x, in_the_way) && leaves_find(s->from, in_the_way) != NULL) &&
	    !gitignore_path_deep(g, in_the_way, false, NULL))
		names_add(g, &s->untracked_over, in_the_way);
	if (cmd_lstat(g->c, to->path, &st) < 0 || work_behind_link(g, to->path))
		return;
	/* A submodule that stayed behind is one again. */
	if (to->mode == MODE_GITLINK && repo_is_nested(g, to->path))
		return;
	if ((st.mode & S_FMT) == S_DIR) {
		struct names list = { NULL, 0, 0 };
		struct pathspec ps;
		char *operand = git_format(g->a, ":(top,literal)%s", to->path);

		/* Tracked files in it are going; others are in the way. */
		pathspec_of(g, &operand, 1, &ps);
		work_untracked(g, s->x, UNTRACKED_ALL, &ps, &list, NULL);
		if (list.n != 0)
			names_add(g, &s->dirs, to->path);
		return;
	}
	if (gitignore_path_deep(g, to->path, false, NULL))
		return;
	if ((st.mode & S_FMT) == S_REG && (to->mode & S_FMT) == S_REG &&
	    work_hash(g, to->path, to->mode, false, &o) == 0 && oid_eq(&o, &to->oid))
		return;
	names_add(g, &s->untracked_over, to->path);
}

static void one_path(struct switching *s, const char *path, const struct leaf *from,
		     const struct leaf *to)
{
	struct git *g = s->g;
	struct entry *e = index_find(s->x, path);
	bool unmerged = e == NULL && index_has(s->x, path);
	enum entry_state state;

	cmd_charge(g->c, 1);
	if (unmerged) {
		if (s->o->force)
			must_do(s, path, from, to);
		else
			names_add(g, &s->changed, path);
		return;
	}
	if (s->o->force) {
		must_do(s, path, from, to);
		return;
	}
	/* What HEAD and the target have in common is not touched. */
	if (from != NULL && to != NULL && from->mode == to->mode && oid_eq(&from->oid, &to->oid))
		return;
	if (from == NULL && to == NULL)
		return;
	if (e != NULL && entry_is(e, to))
		return; /* already so */
	if (e == NULL) {
		if (to != NULL && from == NULL) {
			check_untracked(s, to);
			must_do(s, path, from, to);
		} else if (to != NULL) {
			names_add(g, &s->changed, path); /* removed from the index, changed there */
		}
		return;
	}
	if (!entry_is(e, from)) {
		names_add(g, &s->changed, path);
		return;
	}
	/* What a submodule has checked out stays. */
	state = s->o->no_work || e->mode == MODE_GITLINK ? ENTRY_SAME
							 : index_check(g, s->x, e, NULL);
	if (state == ENTRY_MISSING ? work_replaced(g, path) : state != ENTRY_SAME) {
		names_add(g, &s->changed, path);
		return;
	}
	must_do(s, path, from, to);
}

static void plan(struct switching *s, const struct leaves *a, const struct leaves *b)
{
	size_t i = 0, j = 0;

	while (i < a->n || j < b->n) {
		int order = i == a->n ? 1 : j == b->n ? -1 : strcmp(a->at[i].path, b->at[j].path);
		const struct leaf *from = order <= 0 ? &a->at[i] : NULL;
		const struct leaf *to = order >= 0 ? &b->at[j] : NULL;

		one_path(s, from != NULL ? from->path : to->path, from, to);
		i += order <= 0;
		j += order >= 0;
	}
}

static void list_paths(struct git *g, const struct names *list, struct buf *out)
{
	for (size_t i = 0; i < list->n; i++)
		buf_printf(out, "\t%s\n", list->at[i]);
	(void)g;
}

static bool complain(struct switching *s)
{
	struct git *g = s->g;
	const char *action = s->o->action != NULL ? s->o->action : "checkout";
	bool checkout = strcmp(action, "checkout") == 0;
	const char *advice = checkout ? "switch branches" : action;
	struct buf b = buf_in(g->a);

	if (s->changed.n + s->untracked_over.n + s->dirs.n == 0)
		return false;
	if (s->changed.n != 0) {
		list_paths(g, &s->changed, &b);
		git_error(g,
			  "Your local changes to the following files would be overwritten by "
			  "%s:\n%sPlease commit your changes or stash them before you %s.",
			  action, buf_cstr(&b), advice);
		b.len = 0;
	}
	if (s->dirs.n != 0) {
		list_paths(g, &s->dirs, &b);
		git_error(g,
			  "Updating the following directories would lose untracked files in "
			  "them:\n%s",
			  buf_cstr(&b));
		b.len = 0;
	}
	if (s->untracked_over.n != 0) {
		list_paths(g, &s->untracked_over, &b);
		git_error(g,
			  "The following untracked working tree files would be overwritten by "
			  "%s:\n%sPlease move or remove them before you %s.",
			  action, buf_cstr(&b), advice);
	}
	git_say(g, "Aborting\n");
	return true;
}

static bool carry_out(struct switching *s)
{
	struct git *g = s->g;
	bool all = true;

	for (size_t i = 0; i < s->n; i++) {
		const struct change *c = &s->at[i];

		if (c->to != NULL)
			continue;
		if (!s->o->no_work && index_has(s->x, c->path)) {
			int err = work_remove(g, c->path);

			if (err == -E_ACCES || err == -E_PERM || err == -E_ROFS)
				git_warn(g, "unable to unlink '%s': %s", c->path, err_text(err));
			else if (err == -E_NOTEMPTY && c->from != NULL &&
				 c->from->mode == MODE_GITLINK)
				git_warn(g, "unable to rmdir '%s': %s", c->path, err_text(err));
		}
		index_remove(s->x, c->path);
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct change *c = &s->at[i];
		struct entry *e;

		if (c->to == NULL)
			continue;
		/* Forced, but already as it shall be: the file is not touched. */
		e = index_find(s->x, c->path);
		if (e != NULL && entry_is(e, c->to) &&
		    (s->o->no_work || index_check(g, s->x, e, NULL) == ENTRY_SAME))
			continue;
		e = index_put(s->x, c->path, c->to->mode, &c->to->oid);
		if (!s->o->no_work)
			all = work_write(g, c->path, c->to->mode, &c->to->oid, e) && all;
	}
	s->x->dirty = true;
	return all;
}

bool work_switch(struct git *g, const struct oid *old, const struct oid *new_tree,
		 const struct switch_opts *o)
{
	struct switching s = { .g = g, .x = index_get(g), .o = o };
	struct leaves a = { NULL, 0, 0 };
	struct leaves b = { NULL, 0, 0 };

	if (o->force) {
		/* Whatever is in the index counts as what was there. */
		for (size_t i = 0; i < s.x->n; i++) {
			struct entry *e = &s.x->at[i];

			if (a.n > 0 && strcmp(a.at[a.n - 1].path, e->path) == 0)
				continue;
			LIST_ROOM(g, a.at, a.n, a.cap);
			a.at[a.n++] = (struct leaf){ e->path, e->mode, e->oid };
		}
	} else if (old != NULL) {
		tree_flatten(g, g->keep, old, &a);
	}
	tree_flatten(g, g->keep, new_tree, &b);
	for (size_t i = 0; i < b.n; i++)
		if (!path_safe(b.at[i].path)) {
			git_error(g, "invalid path '%s'", b.at[i].path);
			return false;
		}
	s.from = &a;
	plan(&s, &a, &b);
	if (o->only_local != NULL && s.changed.n != 0) {
		if (s.untracked_over.n != 0)
			git_error(g,
				  "Untracked working tree file '%s' would be overwritten by merge.",
				  s.untracked_over.at[0]);
		else if (s.dirs.n != 0)
			git_error(g, "Updating '%s' would lose untracked files in it",
				  s.dirs.at[0]);
		if (s.untracked_over.n + s.dirs.n != 0)
			git_exit(g, GIT_STATUS_FATAL);
		*o->only_local = true;
		return false;
	}
	if (complain(&s))
		return false;
	if (o->keep_index)
		return true;
	/* A checkout goes through although some files can't be written; a merge and a reset do not.
	 */
	return carry_out(&s) ||
	       (!o->force && (o->action == NULL || strcmp(o->action, "checkout") == 0));
}

bool work_reset(struct git *g, const struct oid *tree)
{
	static const struct switch_opts force = { .force = true };

	return work_switch(g, NULL, tree, &force);
}

void work_reset_index(struct git *g, const struct oid *tree)
{
	struct index *x = index_get(g);
	struct leaves l = { NULL, 0, 0 };
	struct names gone = { NULL, 0, 0 };

	tree_flatten(g, g->keep, tree, &l);
	for (size_t i = 0; i < x->n; i++) {
		const struct leaf *f = leaves_find(&l, x->at[i].path);

		if (f == NULL)
			names_add(g, &gone, x->at[i].path);
		else if (x->at[i].stage == 0 && !entry_is(&x->at[i], f) &&
			 x->at[i].mode != MODE_GITLINK &&
			 index_check(g, x, &x->at[i], NULL) != ENTRY_SAME)
			git_die(g, "Entry '%s' not uptodate. Cannot merge.", f->path);
	}
	for (size_t i = 0; i < gone.n; i++) {
		work_remove(g, gone.at[i]);
		index_remove(x, gone.at[i]);
	}
	for (size_t i = 0; i < l.n; i++) {
		struct entry *e = index_find(x, l.at[i].path);

		if (e != NULL && entry_is(e, &l.at[i]))
			continue;
		e = index_put(x, l.at[i].path, l.at[i].mode, &l.at[i].oid);
		work_write(g, l.at[i].path, l.at[i].mode, &l.at[i].oid, e);
	}
}
