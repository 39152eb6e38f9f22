/* SPDX-License-Identifier: MIT
 *
 * Pairs of files from two trees: equal subtrees are not entered.
 */
#include "builtins/git/diff.h"

struct level {
	struct bytes a;
	struct bytes b;
	struct tree_entry ea;
	struct tree_entry eb;
	int has_a;
	int has_b;
	size_t prefix;
};

struct walk_trees {
	struct git *g;
	struct diff_opts *o;
	struct diff_queue *q;
	struct arena objects;
	struct buf path;
	struct level *level;
	size_t depth;
};

static void advance(struct walk_trees *w, struct level *l, bool a, bool b)
{
	if (a)
		l->has_a = tree_next(&l->a, &l->ea);
	if (b)
		l->has_b = tree_next(&l->b, &l->eb);
	if (l->has_a < 0 || l->has_b < 0)
		git_die(w->g, "corrupt tree file");
	cmd_charge(w->g->c, 1);
}

static struct bytes read_tree(struct walk_trees *w, const struct oid *o)
{
	struct bytes data;

	if (o == NULL)
		return BYTES("");
	if (object_read(w->g, &w->objects, o, &data) != OBJECT_TREE)
		git_die(w->g, "unable to read tree %s", oid_hex(w->g, o));
	return data;
}

static void enter(struct walk_trees *w, const struct oid *a, const struct oid *b)
{
	struct level *l;

	if (w->depth == GIT_DEPTH_MAX)
		git_die(w->g, "exceeded maximum allowed tree depth");
	l = &w->level[w->depth++];
	*l = (struct level){ .a = read_tree(w, a), .b = read_tree(w, b), .prefix = w->path.len };
	advance(w, l, true, true);
}

static bool is_tree(const struct tree_entry *e)
{
	return (e->mode & S_FMT) == S_DIR;
}

static void queue(struct walk_trees *w, const struct tree_entry *a, const struct tree_entry *b)
{
	struct git *g = w->g;
	char *path = arena_dup(g->a, buf_bytes(&w->path));
	struct diff_file *one = diff_file_new(g, path, a != NULL ? a->mode : 0,
					      a != NULL ? &a->oid : &oid_null);
	struct diff_file *two = diff_file_new(g, path, b != NULL ? b->mode : 0,
					      b != NULL ? &b->oid : &oid_null);

	if (w->o->relative != NULL && !git_starts(path, w->o->relative))
		return;
	if (w->o->reverse)
		diff_add(g, w->q, two, one);
	else
		diff_add(g, w->q, one, two);
}

/* One name, on one side or both: files are queued, directories entered. */
static void one_name(struct walk_trees *w, const struct tree_entry *a, const struct tree_entry *b)
{
	struct bytes name = a != NULL ? a->name : b->name;
	const struct tree_entry *ta = a != NULL && is_tree(a) ? a : NULL;
	const struct tree_entry *tb = b != NULL && is_tree(b) ? b : NULL;
	struct pathspec *ps = &w->o->paths;

	w->path.len = w->level[w->depth - 1].prefix;
	buf_add(&w->path, name);
	if (w->o->not_recursive || w->o->tree_entries) {
		const char *path = buf_cstr(&w->path);

		if ((w->o->not_recursive || ta != NULL || tb != NULL) &&
		    (pathspec_match(w->g, ps, path, ta != NULL || tb != NULL) ||
		     ((ta != NULL || tb != NULL) && pathspec_below(ps, path, w->path.len))))
			queue(w, a, b);
		if (w->o->not_recursive)
			return;
	}
	if ((a != NULL && ta == NULL) || (b != NULL && tb == NULL)) {
		if (pathspec_match(w->g, ps, buf_cstr(&w->path), false))
			queue(w, ta == NULL ? a : NULL, tb == NULL ? b : NULL);
	}
	if ((ta != NULL || tb != NULL) && pathspec_below(ps, buf_cstr(&w->path), w->path.len)) {
		buf_putc(&w->path, '/');
		enter(w, ta != NULL ? &ta->oid : NULL, tb != NULL ? &tb->oid : NULL);
	}
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct diff_pair *)a)->one->path,
		      ((const struct diff_pair *)b)->one->path);
}

void diff_trees(struct git *g, struct diff_opts *o, const struct oid *a, const struct oid *b,
		struct diff_queue *q)
{
	struct walk_trees w = { .g = g, .o = o, .q = q, .path = buf_in(g->a) };
	size_t from = q->n;

	if (a != NULL && b != NULL && oid_eq(a, b))
		return;
	arena_init_under(&w.objects, g->a);
	w.level = pool_alloc(g->c->pool, GIT_DEPTH_MAX * sizeof(*w.level));
	enter(&w, a, b);
	while (w.depth > 0) {
		struct level *l = &w.level[w.depth - 1];
		struct tree_entry ea = l->ea;
		struct tree_entry eb = l->eb;
		int order;

		if (l->has_a == 0 && l->has_b == 0) {
			w.depth--;
			continue;
		}
		order = l->has_a == 0   ? 1
			: l->has_b == 0 ? -1
					: tree_name_cmp(ea.name, ea.mode, eb.name, eb.mode);
		advance(&w, l, order <= 0, order >= 0);
		if (order != 0)
			one_name(&w, order < 0 ? &ea : NULL, order > 0 ? &eb : NULL);
		else if (o->find_copies_harder || ea.mode != eb.mode || !oid_eq(&ea.oid, &eb.oid))
			one_name(&w, &ea, &eb);
	}
	arena_clear(&w.objects);
	pool_free(g->c->pool, w.level, GIT_DEPTH_MAX * sizeof(*w.level));
	/* A file that became a directory stands at another place of the other tree. */
	if (!o->tree_entries && !o->not_recursive)
		git_sort(g, q->at + from, q->n - from, sizeof(*q->at), by_path);
	/* ... and a file in place of a link is one pair, not two. */
}
