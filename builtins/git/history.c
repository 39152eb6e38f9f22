/* SPDX-License-Identifier: MIT
 *
 * The walk over commits: youngest first, or limited and sorted before anything is shown.
 */
#include "builtins/git/walk.h"

enum { SLOP = 5 };

/* --- a heap of commits: youngest first, of equal ones the first that came --- */

static bool comes_before(const struct commit *a, const struct commit *b)
{
	return a->date != b->date ? a->date > b->date : a->order < b->order;
}

static void heap_push(struct git *g, struct commits *h, struct commit *c)
{
	size_t i = h->n;

	LIST_ROOM(g, h->at, h->n, h->cap);
	h->n++;
	while (i > 0 && comes_before(c, h->at[(i - 1) / 2])) {
		h->at[i] = h->at[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->at[i] = c;
}

static struct commit *heap_pop(struct commits *h)
{
	struct commit *top = h->at[0];
	struct commit *last = h->at[--h->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n && comes_before(h->at[child + 1], h->at[child]))
			child++;
		if (!comes_before(h->at[child], last))
			break;
		h->at[i] = h->at[child];
		i = child;
	}
	if (h->n > 0)
		h->at[i] = last;
	return top;
}

static void list_add(struct git *g, struct commits *l, struct commit *c)
{
	LIST_ROOM(g, l->at, l->n, l->cap);
	l->at[l->n++] = c;
}

static void enqueue(struct revs *r, struct commit *c)
{
	c->order = r->coming++;
	heap_push(r->g, &r->queue, c);
}

static void clear_commit(void *value)
{
	struct commit *c = value;

	c->flags = 0;
	c->indegree = 0;
	c->mark = 0;
	if (c->parents_saved) {
		c->parent = c->saved_parent;
		c->nparents = c->saved_nparents;
		c->parents_saved = false;
	}
}

void revs_forget(struct git *g)
{
	lookup_each(g->commits, clear_commit);
}

/* The parents as they are, before they are rewritten for display. */
static void save_parents(struct revs *r, struct commit *c)
{
	struct commit **copy;

	if (c->parents_saved)
		return;
	c->parents_saved = true;
	c->saved_parent = c->parent;
	c->saved_nparents = c->nparents;
	copy = arena_array(r->g->keep, c->nparents, sizeof(*copy));
	for (uint32_t i = 0; i < c->nparents; i++)
		copy[i] = c->parent[i];
	c->parent = copy;
}

/* --- what does not touch the paths --- */

bool revs_tree_same(struct revs *r, const struct commit *c, const struct commit *parent)
{
	struct git *g = r->g;
	struct arena_mark mark = arena_mark(g->a);
	struct diff_opts o = { .paths = r->paths };
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	bool same;

	diff_trees(g, &o, parent != NULL ? &parent->tree : NULL, &c->tree, &q);
	same = q.n == 0;
	pool_free(g->c->pool, q.at, q.cap * sizeof(*q.at));
	arena_release(g->a, mark);
	return same;
}

static void simplify(struct revs *r, struct commit *c)
{
	bool all = true;

	if (r->by_decoration && c->nparents != 0 &&
	    lookup_get(r->decorated, oid_key(&c->oid)) != NULL)
		return;
	if (r->by_decoration && c->nparents != 0 && r->paths.n == 0) {
		c->flags |= COMMIT_SAME;
		return;
	}
	if (r->paths.n == 0 || r->follow)
		return;
	if (c->nparents == 0) {
		if (revs_tree_same(r, c, NULL))
			c->flags |= COMMIT_SAME;
		return;
	}
	for (uint32_t i = 0; i < c->nparents; i++) {
		struct commit *p = c->parent[i];

		if (r->first_parent && i > 0)
			break;
		commit_need(r->g, p);
		if (!revs_tree_same(r, c, p)) {
			all = false;
			continue;
		}
		if (i > 0 && !all)
			c->flags |= COMMIT_PULL;
		if (r->full_history ||
		    (p->flags & (COMMIT_UNINTERESTING | COMMIT_BOTTOM)) == COMMIT_UNINTERESTING)
			continue;
		/* What this parent has explains it all. */
		save_parents(r, c);
		c->parent[0] = p;
		c->nparents = 1;
		c->flags |= COMMIT_SAME;
		return;
	}
	if (all)
		c->flags |= COMMIT_SAME;
}

/* --- parents --- */

static void mark_uninteresting(struct revs *r, struct commit *from)
{
	struct commits todo = { NULL, 0, 0 };

	list_add(r->g, &todo, from);
	while (todo.n > 0) {
		struct commit *c = todo.at[--todo.n];

		cmd_charge(r->g->c, 1);
		for (uint32_t i = 0; i < c->nparents; i++) {
			struct commit *p = c->parent[i];

			if (p->flags & COMMIT_UNINTERESTING)
				continue;
			p->flags |= COMMIT_UNINTERESTING;
			if (p->parsed)
				list_add(r->g, &todo, p);
		}
	}
	pool_free(r->g->c->pool, todo.at, todo.cap * sizeof(*todo.at));
}

static void pass_source(struct revs *r, const struct commit *from, const struct commit *to)
{
	void **at = r->sources != NULL ? lookup_at(r->sources, oid_key(&to->oid)) : NULL;

	if (at != NULL && *at == NULL)
		*at = lookup_get(r->sources, oid_key(&from->oid));
}

const char *revs_source(const struct revs *r, const struct commit *c)
{
	const char *name = lookup_get(r->sources, oid_key(&c->oid));

	return name != NULL ? name : "";
}

static void add_parents(struct revs *r, struct commit *c)
{
	struct git *g = r->g;

	if (c->flags & COMMIT_ADDED)
		return;
	c->flags |= COMMIT_ADDED;
	if (c->flags & COMMIT_UNINTERESTING) {
		for (uint32_t i = 0; i < c->nparents; i++) {
			struct commit *p = c->parent[i];

			p->flags |= COMMIT_UNINTERESTING;
			if (!commit_load(g, p))
				continue;
			if (p->nparents != 0)
				mark_uninteresting(r, p);
			if (p->flags & COMMIT_SEEN)
				continue;
			p->flags |= COMMIT_SEEN;
			enqueue(r, p);
		}
		return;
	}
	simplify(r, c);
	if (r->no_walk)
		return;
	for (uint32_t i = 0; i < c->nparents; i++) {
		struct commit *p = c->parent[i];

		if (r->first_parent && i > 0)
			break;
		commit_need(g, p);
		p->flags |= c->flags & COMMIT_LEFT;
		pass_source(r, c, p);
		if (p->flags & COMMIT_SEEN)
			continue;
		p->flags |= COMMIT_SEEN;
		enqueue(r, p);
	}
}

/* --- the limited list --- */

static bool everything_uninteresting(const struct revs *r)
{
	for (size_t i = 0; i < r->queue.n; i++)
		if (!(r->queue.at[i]->flags & COMMIT_UNINTERESTING))
			return false;
	return true;
}

static int still_interesting(const struct revs *r, int64_t date, int slop)
{
	if (r->queue.n == 0)
		return 0;
	if (date <= r->queue.at[0]->date)
		return SLOP;
	if (!everything_uninteresting(r))
		return SLOP;
	return slop - 1;
}

static void limit(struct revs *r)
{
	struct commits out = { NULL, 0, 0 };
	int64_t date = INT64_MAX;
	int slop = SLOP;
	size_t kept = 0;

	while (r->queue.n > 0) {
		struct commit *c = heap_pop(&r->queue);

		cmd_charge(r->g->c, 2);
		if (r->since != INT64_MIN && c->date < r->since)
			c->flags |= COMMIT_UNINTERESTING;
		add_parents(r, c);
		if (c->flags & COMMIT_UNINTERESTING) {
			mark_uninteresting(r, c);
			slop = still_interesting(r, date, slop);
			if (slop > 0)
				continue;
			break;
		}
		if (r->until != INT64_MAX && c->date > r->until && !r->draw_graph)
			continue;
		date = c->date;
		list_add(r->g, &out, c);
	}
	for (size_t i = 0; i < out.n; i++)
		if (!(out.at[i]->flags & COMMIT_UNINTERESTING))
			out.at[kept++] = out.at[i];
	out.n = kept;
	r->list = out;
}

/* Parents behind their children; lines of history stay together, or the youngest comes first. */
void revs_sort_topo(struct revs *r)
{
	struct git *g = r->g;
	struct commits *l = &r->list;
	struct commits tips = { NULL, 0, 0 };
	struct commits out = { NULL, 0, 0 };
	bool by_date = r->order != ORDER_TOPO;

	for (size_t i = 0; i < l->n; i++)
		l->at[i]->indegree = 1;
	for (size_t i = 0; i < l->n; i++)
		for (uint32_t j = 0; j < l->at[i]->nparents; j++)
			if (l->at[i]->parent[j]->indegree != 0)
				l->at[i]->parent[j]->indegree++;
	for (size_t i = by_date ? 0 : l->n; by_date ? i < l->n : i > 0; by_date ? i++ : i--) {
		struct commit *c = l->at[by_date ? i : i - 1];

		if (c->indegree != 1)
			continue;
		c->order = r->coming++;
		if (by_date)
			heap_push(g, &tips, c);
		else
			list_add(g, &tips, c);
	}
	while (tips.n > 0) {
		struct commit *c = by_date ? heap_pop(&tips) : tips.at[--tips.n];

		cmd_charge(g->c, 1);
		for (uint32_t j = 0; j < c->nparents; j++) {
			struct commit *p = c->parent[j];

			if (p->indegree == 0 || --p->indegree != 1)
				continue;
			p->order = r->coming++;
			if (by_date)
				heap_push(g, &tips, p);
			else
				list_add(g, &tips, p);
		}
		c->indegree = 0;
		list_add(g, &out, c);
	}
	r->list = out;
}

static int64_t author_date(struct git *g, const struct commit *c)
{
	struct commit_text t;
	struct person who;
	struct arena a;

	arena_init_under(&a, g->a);
	commit_text(g, &a, &c->oid, &t);
	person_split(t.author, &who);
	arena_clear(&a);
	return who.time;
}

/* The heap's order is by c->date: while it sorts, that is the author's. */
static void swap_dates(struct git *g, struct commits *l, int64_t *dates)
{
	for (size_t i = 0; i < l->n; i++) {
		cmd_charge(g->c, 4);
		dates[i] = l->at[i]->date;
		l->at[i]->date = author_date(g, l->at[i]);
	}
}

static void sort_by_author(struct revs *r)
{
	struct git *g = r->g;
	struct commits before = r->list;
	int64_t *dates = pool_alloc(g->c->pool, (before.n + 1) * sizeof(*dates));

	swap_dates(g, &before, dates);
	revs_sort_topo(r);
	for (size_t i = 0; i < before.n; i++)
		before.at[i]->date = dates[i];
	pool_free(g->c->pool, dates, (before.n + 1) * sizeof(*dates));
}

/* Only what lies between: descendants of what is excluded. */
static void keep_ancestry_path(struct revs *r)
{
	bool progress = true;
	size_t kept = 0;

	for (size_t i = 0; i < r->nitems; i++)
		if (r->item[i].uninteresting && r->item[i].c != NULL)
			r->item[i].c->flags |= COMMIT_PATH;
	while (progress) {
		progress = false;
		for (size_t i = r->list.n; i > 0; i--) {
			struct commit *c = r->list.at[i - 1];

			cmd_charge(r->g->c, 1);
			for (uint32_t j = 0; j < c->nparents; j++)
				if (!(c->flags & COMMIT_PATH) &&
				    (c->parent[j]->flags & COMMIT_PATH)) {
					c->flags |= COMMIT_PATH;
					progress = true;
				}
		}
	}
	for (size_t i = 0; i < r->list.n; i++)
		if (r->list.at[i]->flags & COMMIT_PATH)
			r->list.at[kept++] = r->list.at[i];
	r->list.n = kept;
}

/* --- what is shown --- */

static bool grep_one(struct revs *r, const struct revs_grep *p, const struct commit_text *t)
{
	struct bytes text = p->field == 'a'   ? t->author
			    : p->field == 'c' ? t->committer
					      : t->message;

	if (p->field != 'm') {
		const char *close = bytes_rfind(text, BYTES(">"));

		if (close != NULL)
			text.len = (size_t)(close + 1 - text.ptr);
	}
	(void)r;
	return regex_test(p->re, text, 0) == 0;
}

static bool grep_takes(struct revs *r, const struct commit *c)
{
	struct arena a;
	struct commit_text t;
	bool any[3] = { false, false, false };
	bool has[3] = { false, false, false };
	bool all = true;

	if (r->ngreps == 0)
		return true;
	arena_init_under(&a, r->g->a);
	commit_text_shown(r->g, &a, &c->oid, &t, true);
	for (size_t i = 0; i < r->ngreps; i++) {
		int k = r->grep[i].field == 'a' ? 0 : r->grep[i].field == 'c' ? 1 : 2;
		bool hit = grep_one(r, &r->grep[i], &t);

		has[k] = true;
		any[k] = any[k] || hit;
		if (k == 2 && !hit)
			all = false;
	}
	arena_clear(&a);
	bool message = !has[2] || (r->grep_all_match ? all : any[2]);
	bool people = (!has[0] || any[0]) && (!has[1] || any[1]);

	return (message && people) != r->grep_invert;
}

bool revs_takes(struct revs *r, const struct commit *c)
{
	if (r->since != INT64_MIN && c->date < r->since)
		return false;
	if (r->until != INT64_MAX && c->date > r->until)
		return false;
	uint32_t parents = c->parents_saved ? c->saved_nparents : c->nparents;

	return (int)parents >= r->min_parents &&
	       (r->max_parents < 0 || (int)parents <= r->max_parents) && grep_takes(r, c);
}

static bool is_shown(struct revs *r, struct commit *c)
{
	if (c->flags & (COMMIT_SHOWN | COMMIT_UNINTERESTING))
		return false;
	if (r->left_only && !(c->flags & COMMIT_LEFT))
		return false;
	if (r->right_only && (c->flags & COMMIT_LEFT))
		return false;
	if (!revs_takes(r, c))
		return false;
	if ((r->paths.n != 0 || r->by_decoration) && !r->follow && (c->flags & COMMIT_SAME) &&
	    !(r->show_pulls && (c->flags & COMMIT_PULL))) {
		/* A merge that joins lines which are shown. */
		if (!r->rewrite || c->nparents < 2)
			return r->sparse;
	}
	return true;
}

/* A parent that is not shown stands for its own parent. */
static struct commit *rewritten(struct revs *r, struct commit *p)
{
	for (;;) {
		if (!r->limited && !(p->flags & COMMIT_UNINTERESTING)) {
			commit_need(r->g, p);
			add_parents(r, p);
		}
		if (p->flags & COMMIT_UNINTERESTING)
			return p;
		if (!(p->flags & COMMIT_SAME) || (r->show_pulls && (p->flags & COMMIT_PULL)))
			return p;
		if (p->nparents == 0)
			return NULL;
		if (p->nparents > 1 && !r->first_parent)
			return p;
		cmd_charge(r->g->c, 1);
		p = p->parent[0];
	}
}

static void rewrite_parents(struct revs *r, struct commit *c)
{
	uint32_t kept = 0;

	save_parents(r, c);
	for (uint32_t i = 0; i < c->nparents; i++) {
		struct commit *p = rewritten(r, c->parent[i]);
		bool twice = p == NULL;

		cmd_charge(r->g->c, kept / 8);
		for (uint32_t j = 0; j < kept && !twice; j++)
			twice = c->parent[j] == p;
		if (!twice)
			c->parent[kept++] = p;
	}
	c->nparents = kept;
}

/* --- start and steps --- */

static void add_items(struct revs *r)
{
	for (size_t i = 0; i < r->nitems; i++) {
		struct revs_item *it = &r->item[i];

		if (it->c == NULL)
			continue;
		commit_need(r->g, it->c);
		if (it->uninteresting) {
			it->c->flags |= COMMIT_UNINTERESTING;
			it->c->flags |= COMMIT_BOTTOM;
			mark_uninteresting(r, it->c);
			r->limited = true;
		}
		if (r->sources != NULL && !it->uninteresting &&
		    lookup_get(r->sources, oid_key(&it->c->oid)) == NULL)
			*lookup_at(r->sources, oid_key(&it->c->oid)) = arena_dup(
				r->g->keep, bytes_of(it->source != NULL ? it->source : it->name));
		if (it->c->flags & COMMIT_SEEN)
			continue;
		it->c->flags |= COMMIT_SEEN;
		if (r->no_walk && !r->limited)
			list_add(r->g, &r->list, it->c);
		else
			enqueue(r, it->c);
	}
}

static int newer_first(const void *a, const void *b)
{
	const struct commit *x = *(struct commit *const *)a, *y = *(struct commit *const *)b;

	return (x->date < y->date) - (x->date > y->date);
}

static void collect_boundary(struct revs *r)
{
	for (size_t i = 0; i < r->list.n; i++) {
		struct commit *c = r->list.at[i];

		for (uint32_t j = 0; j < c->nparents; j++) {
			struct commit *p = c->parent[j];

			if (!(p->flags & COMMIT_UNINTERESTING) || (p->flags & COMMIT_BOUNDARY))
				continue;
			p->flags |= COMMIT_BOUNDARY;
			list_add(r->g, &r->boundaries, p);
		}
	}
}

static void start(struct revs *r)
{
	r->started = true;
	r->limited = r->limited || r->order != ORDER_DATE || r->ancestry_path || r->left_only ||
		     r->right_only || r->cherry_mark || r->cherry_pick || r->boundary ||
		     r->left_right || r->simplify_merges;
	bool want_limit = r->limited;

	if (r->by_decoration) {
		struct pretty all = { .decorate_all = true };

		pretty_load_decorations(r->g, &all);
		r->decorated = all.decorations;
	}

	r->limited = false;
	add_items(r);
	r->limited = r->limited || want_limit;
	if (r->no_walk && r->queue.n == 0) {
		r->limited = true;
		if (!r->unsorted)
			git_sort(r->g, r->list.at, r->list.n, sizeof(struct commit *), newer_first);
		return;
	}
	if (!r->limited)
		return;
	limit(r);
	if (r->ancestry_path)
		keep_ancestry_path(r);
	if (r->cherry_mark || r->cherry_pick)
		revs_mark_cherries(r);
	if (r->order == ORDER_AUTHOR_DATE)
		sort_by_author(r);
	else if (r->order != ORDER_DATE || r->simplify_merges)
		revs_sort_topo(r);
	if (r->simplify_merges)
		revs_simplify_merges(r);
	if (r->boundary)
		collect_boundary(r);
}

static struct commit *next_plain(struct revs *r)
{
	for (;;) {
		struct commit *c;

		if (r->limited) {
			if (r->list_at == r->list.n)
				return NULL;
			c = r->list.at[r->list_at++];
		} else {
			if (r->queue.n == 0)
				return NULL;
			c = heap_pop(&r->queue);
			/* Older ones can't be younger again, as far as dates are true. */
			if (r->since != INT64_MIN && c->date < r->since)
				continue;
			add_parents(r, c);
		}
		cmd_charge(r->g->c, 2);
		if (r->cherry_pick && (c->flags & COMMIT_PATCH_SAME))
			continue;
		if (!is_shown(r, c))
			continue;
		if (r->follow && !revs_follow(r, c))
			continue;
		if (r->rewrite && (r->paths.n != 0 || r->by_decoration) && !r->follow)
			rewrite_parents(r, c);
		return c;
	}
}

static struct commit *next_counted(struct revs *r)
{
	struct commit *c;

	while (r->skip > 0) {
		r->skip--;
		c = next_plain(r);
		if (c == NULL)
			return NULL;
		c->flags |= COMMIT_SHOWN;
	}
	if (r->max_count >= 0 && r->shown >= r->max_count)
		return NULL;
	c = next_plain(r);
	if (c != NULL) {
		c->flags |= COMMIT_SHOWN;
		r->shown++;
	}
	return c;
}

static struct commit *next_forward(struct revs *r)
{
	struct commit *c = next_counted(r);

	if (c != NULL || r->boundaries.n == 0)
		return c;
	c = r->boundaries.at[0];
	memmove(r->boundaries.at, r->boundaries.at + 1, --r->boundaries.n * sizeof(c));
	return c;
}

struct commit *revs_next(struct revs *r)
{
	if (!r->started)
		start(r);
	if (!r->reverse)
		return next_forward(r);
	if (!r->reversed) {
		struct commit *c;

		r->reversed = true;
		while ((c = next_forward(r)) != NULL)
			list_add(r->g, &r->backwards, c);
	}
	return r->backwards.n > 0 ? r->backwards.at[--r->backwards.n] : NULL;
}
