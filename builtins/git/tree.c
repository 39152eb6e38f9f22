/* SPDX-License-Identifier: MIT
 *
 * Trees: flattened into lists of files, and written from an index.
 */
#include "builtins/git/git.h"

int tree_name_cmp(struct bytes a, uint32_t amode, struct bytes b, uint32_t bmode)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int got = memcmp(a.ptr, b.ptr, n);
	unsigned char ca, cb;

	if (got != 0)
		return got;
	ca = a.len > n ? (unsigned char)a.ptr[n] : (amode & S_FMT) == S_DIR ? '/' : 0;
	cb = b.len > n ? (unsigned char)b.ptr[n] : (bmode & S_FMT) == S_DIR ? '/' : 0;
	return ca < cb ? -1 : ca > cb;
}

struct frame {
	struct bytes rest;
	size_t prefix; /* length of the path in front */
};

static struct bytes need_tree(struct git *g, struct arena *a, const struct oid *o)
{
	struct bytes data;
	enum object_type type = object_read(g, a, o, &data);

	if (type != OBJECT_TREE)
		git_die(g, "unable to read tree %s", oid_hex(g, o));
	return data;
}

static int leaf_cmp(const void *a, const void *b)
{
	return strcmp(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

void tree_flatten(struct git *g, struct arena *a, const struct oid *tree, struct leaves *out)
{
	struct frame *stack = pool_alloc(g->c->pool, GIT_DEPTH_MAX * sizeof(*stack));
	struct buf path = buf_in(g->a);
	struct arena objects;
	size_t depth = 1;
	bool sorted = true;

	arena_init_under(&objects, g->a);
	stack[0] = (struct frame){ need_tree(g, &objects, tree), 0 };
	while (depth > 0) {
		struct frame *f = &stack[depth - 1];
		struct tree_entry e;
		int got = tree_next(&f->rest, &e);

		cmd_charge(g->c, 1);
		if (got < 0)
			git_die(g, "corrupt tree file");
		path.len = f->prefix;
		if (got == 0) {
			depth--;
			continue;
		}
		buf_add(&path, e.name);
		if ((e.mode & S_FMT) == S_DIR) {
			if (depth == GIT_DEPTH_MAX)
				git_die(g, "exceeded maximum allowed tree depth");
			buf_putc(&path, '/');
			stack[depth++] = (struct frame){ need_tree(g, &objects, &e.oid), path.len };
			continue;
		}
		LIST_ROOM(g, out->at, out->n, out->cap);
		out->at[out->n] = (struct leaf){ arena_dup(a, buf_bytes(&path)), e.mode, e.oid };
		if (out->n > 0 && strcmp(out->at[out->n - 1].path, out->at[out->n].path) >= 0)
			sorted = false;
		out->n++;
	}
	arena_clear(&objects);
	pool_free(g->c->pool, stack, GIT_DEPTH_MAX * sizeof(*stack));
	if (!sorted)
		git_sort(g, out->at, out->n, sizeof(*out->at), leaf_cmp);
}

const struct leaf *leaves_find(const struct leaves *l, const char *path)
{
	size_t lo = 0;
	size_t hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int got = strcmp(path, l->at[mid].path);

		if (got == 0)
			return &l->at[mid];
		if (got > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* --- writing --- */

struct node {
	uint32_t mode;
	struct bytes name;
	struct oid oid;
};

static int node_cmp(const void *a, const void *b)
{
	const struct node *x = a;
	const struct node *y = b;

	return tree_name_cmp(x->name, x->mode, y->name, y->mode);
}

static void write_nodes(struct git *g, struct node *list, size_t n, struct oid *out)
{
	struct buf data = buf_in(g->a);

	git_sort(g, list, n, sizeof(*list), node_cmp);
	for (size_t i = 0; i < n; i++) {
		buf_printf(&data, "%o ", list[i].mode);
		buf_add(&data, list[i].name);
		buf_putc(&data, '\0');
		buf_put(&data, list[i].oid.hash, OID_BYTES);
	}
	object_write(g, OBJECT_TREE, buf_bytes(&data), out);
}

/* Directories that are being filled: what is finished becomes a node of the one above. */
struct level {
	struct node *at;
	size_t n;
	size_t cap;
	size_t prefix; /* length of the directory's path with its slash */
};

struct writer {
	struct git *g;
	struct level *level;
	size_t depth;
	struct bytes path; /* of the leaf handled last */
};

static void add_node(struct writer *w, size_t depth, struct node n)
{
	struct level *l = &w->level[depth];

	LIST_ROOM(w->g, l->at, l->n, l->cap);
	l->at[l->n++] = n;
}

static void close_level(struct writer *w)
{
	struct level *l = &w->level[--w->depth];
	const struct level *above = &w->level[w->depth - 1];
	struct node n = { .mode = MODE_TREE };

	n.name = bytes_slice(w->path, above->prefix, l->prefix - 1);
	write_nodes(w->g, l->at, l->n, &n.oid);
	l->n = 0;
	add_node(w, w->depth - 1, n);
}

static void add_leaf(struct writer *w, const struct leaf *f)
{
	struct bytes path = bytes_of(f->path);
	const char *slash;

	while (w->depth > 1 &&
	       !bytes_starts(path, bytes_slice(w->path, 0, w->level[w->depth - 1].prefix)))
		close_level(w);
	w->path = path;
	for (;;) {
		size_t from = w->level[w->depth - 1].prefix;

		slash = memchr(path.ptr + from, '/', path.len - from);
		if (slash == NULL)
			break;
		if (w->depth == GIT_DEPTH_MAX)
			git_die(w->g, "exceeded maximum allowed tree depth");
		w->level[w->depth].n = 0;
		w->level[w->depth++].prefix = (size_t)(slash - path.ptr) + 1;
	}
	add_node(w, w->depth - 1,
		 (struct node){ f->mode, bytes_slice(path, w->level[w->depth - 1].prefix, path.len),
				f->oid });
	cmd_charge(w->g->c, 2);
}

void tree_write_leaves(struct git *g, const struct leaves *l, struct oid *out)
{
	struct writer w = { .g = g, .depth = 1, .path = { "", 0 } };

	w.level = pool_zalloc(g->c->pool, GIT_DEPTH_MAX * sizeof(*w.level));
	for (size_t i = 0; i < l->n; i++)
		add_leaf(&w, &l->at[i]);
	while (w.depth > 1)
		close_level(&w);
	write_nodes(g, w.level[0].at, w.level[0].n, out);
	for (size_t i = 0; i < GIT_DEPTH_MAX; i++)
		pool_free(g->c->pool, w.level[i].at, w.level[i].cap * sizeof(struct node));
	pool_free(g->c->pool, w.level, GIT_DEPTH_MAX * sizeof(*w.level));
}

bool tree_write_index(struct git *g, struct index *x, bool missing_ok, struct oid *out)
{
	struct leaves l = { NULL, 0, 0 };
	bool good = true;

	for (size_t i = 0; i < x->n; i++) {
		const struct entry *e = &x->at[i];

		if (e->gone || (e->xflags & ENTRY_INTENT))
			continue;
		if (e->stage != 0) {
			git_say(g, "%s: unmerged (%s)\n", e->path, oid_hex(g, &e->oid));
			good = false;
			continue;
		}
		if (!missing_ok && e->mode != MODE_GITLINK && !object_exists(g, &e->oid)) {
			git_error(g, "invalid object %06o %s for '%s'", e->mode,
				  oid_hex(g, &e->oid), e->path);
			good = false;
		}
		LIST_ROOM(g, l.at, l.n, l.cap);
		l.at[l.n++] = (struct leaf){ e->path, e->mode, e->oid };
	}
	if (good)
		tree_write_leaves(g, &l, out);
	pool_free(g->c->pool, l.at, l.cap * sizeof(*l.at));
	return good;
}
