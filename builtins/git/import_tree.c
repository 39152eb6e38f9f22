/* SPDX-License-Identifier: MIT
 *
 * Trees of fast-import's branches: directories loaded where paths lead, changed, and stored.
 *
 * Entries of a directory are sorted by the bytes of their names; the order that trees have is
 * made when one is stored. Its bytes are kept then: the next version is a delta of them.
 */
#include "builtins/git/import.h"

/* What moving an entry counts, however large pointers are. */
enum { ENTRY_CHARGE = 64 };

struct import_dir {
	struct import_node *at;
	size_t n, cap;
	struct bytes stored; /* in the pool */
	struct import_object *stored_at;
};

static _Noreturn void too_deep(struct import *im)
{
	import_die(im, "exceeded maximum allowed tree depth");
}

static bool is_dir(const struct import_node *n)
{
	return (n->mode & S_FMT) == S_DIR;
}

/* --- memory --- */

static void free_dir(struct import *im, struct import_dir *d)
{
	struct pool *pool = im->g->c->pool;

	if (d == NULL)
		return;
	for (size_t i = 0; i < d->n; i++)
		import_tree_clear(im, &d->at[i]);
	cmd_charge(im->g->c, d->n / 4 + 1);
	pool_free(pool, d->at, d->cap * sizeof(*d->at));
	if (d->stored.ptr != NULL)
		pool_free(pool, (char *)d->stored.ptr, d->stored.len + 1);
	pool_free(pool, d, sizeof(*d));
}

void import_tree_clear(struct import *im, struct import_node *n)
{
	free_dir(im, n->dir);
	if (n->name != NULL)
		pool_free(im->g->c->pool, n->name, n->length + 1);
	*n = (struct import_node){ .name = NULL };
}

static struct import_dir *new_dir(struct import *im)
{
	return pool_zalloc(im->g->c->pool, sizeof(struct import_dir));
}

static struct import_dir *copy_dir(struct import *im, const struct import_dir *d, int depth)
{
	struct pool *pool = im->g->c->pool;
	struct import_dir *out = new_dir(im);

	if (depth > GIT_DEPTH_MAX)
		too_deep(im);
	out->at = pool_zalloc(pool, (d->n + 1) * sizeof(*d->at));
	out->cap = d->n + 1;
	for (size_t i = 0; i < d->n; i++) {
		const struct import_node *from = &d->at[i];
		struct import_node *to = &out->at[out->n++];

		*to = *from;
		to->name = pool_dup(pool, (struct bytes){ from->name, from->length });
		if (from->dir != NULL)
			to->dir = copy_dir(im, from->dir, depth + 1);
	}
	cmd_charge(im->g->c, d->n + 1);
	if (d->stored.ptr != NULL)
		out->stored = (struct bytes){ pool_dup(pool, d->stored), d->stored.len };
	out->stored_at = d->stored_at;
	return out;
}

/* Directories below each other. */
static int height(struct import *im, const struct import_dir *d, int depth)
{
	int most = depth;

	if (d == NULL || depth > GIT_DEPTH_MAX)
		return depth;
	for (size_t i = 0; i < d->n; i++) {
		int one = d->at[i].dir != NULL ? height(im, d->at[i].dir, depth + 1) : depth;

		most = one > most ? one : most;
	}
	cmd_charge(im->g->c, d->n / 4 + 1);
	return most;
}

/* --- entries --- */

static int by_tree_order(const void *a, const void *b)
{
	const struct import_node *x = a, *y = b;

	return tree_name_cmp((struct bytes){ x->name, x->length }, x->mode,
			     (struct bytes){ y->name, y->length }, y->mode);
}

static int by_bytes(const void *a, const void *b)
{
	const struct import_node *x = a, *y = b;

	return bytes_cmp((struct bytes){ x->name, x->length },
			 (struct bytes){ y->name, y->length });
}

/* Where a name is or belongs. */
static size_t find(const struct import_dir *d, struct bytes name, bool *found)
{
	size_t lo = 0, hi = d->n;

	*found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int got = bytes_cmp(name, (struct bytes){ d->at[mid].name, d->at[mid].length });

		if (got == 0) {
			*found = true;
			return mid;
		}
		if (got > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct import_node *insert(struct import *im, struct import_dir *d, size_t at,
				  struct bytes name)
{
	struct git *g = im->g;

	LIST_ROOM(g, d->at, d->n, d->cap);
	memmove(d->at + at + 1, d->at + at, (d->n - at) * sizeof(*d->at));
	cmd_charge_bytes(g->c, (d->n - at) * ENTRY_CHARGE);
	d->n++;
	d->at[at] = (struct import_node){ .name = pool_dup(g->c->pool, name), .length = name.len };
	return &d->at[at];
}

static void drop(struct import *im, struct import_dir *d, size_t at)
{
	d->n--;
	memmove(d->at + at, d->at + at + 1, (d->n - at) * sizeof(*d->at));
	cmd_charge_bytes(im->g->c, (d->n - at) * ENTRY_CHARGE);
}

/* Gives a directory its entries, if it has none yet. */
static void load(struct import *im, struct import_node *n)
{
	struct git *g = im->g;
	struct arena a;
	struct bytes data, rest;
	struct tree_entry e;
	int got;

	if (n->dir != NULL)
		return;
	n->dir = new_dir(im);
	if (oid_is_null(&n->oid))
		return;
	arena_init_under(&a, g->keep);
	if (import_read(im, &a, &n->oid, &data) != OBJECT_TREE)
		import_die(im, "Can't load tree %s", oid_hex(g, &n->oid));
	rest = data;
	while ((got = tree_next(&rest, &e)) > 0) {
		struct import_node *to = insert(im, n->dir, n->dir->n, e.name);

		to->mode = e.mode;
		to->oid = e.oid;
	}
	if (got < 0)
		import_die(im, "Corrupt mode in %s", oid_hex(g, &n->oid));
	git_sort(g, n->dir->at, n->dir->n, sizeof(*n->dir->at), by_bytes);
	n->dir->stored_at = import_known(im, &n->oid);
	if (n->dir->stored_at != NULL)
		n->dir->stored = (struct bytes){ pool_dup(g->c->pool, data), data.len };
	cmd_charge_bytes(g->c, data.len);
	arena_clear(&a);
}

void import_tree_start(struct import *im, struct import_node *root, const struct oid *tree)
{
	import_tree_clear(im, root);
	root->mode = S_DIR;
	if (tree != NULL)
		root->oid = *tree;
	root->dirty = tree == NULL;
}

void import_tree_empty(struct import *im, struct import_node *root)
{
	struct import_dir *d;

	load(im, root);
	d = root->dir;
	for (size_t i = 0; i < d->n; i++)
		import_tree_clear(im, &d->at[i]);
	cmd_charge(im->g->c, d->n / 4 + 1);
	d->n = 0;
	root->mode = S_DIR;
	root->dirty = true;
}

/* --- paths --- */

struct step {
	struct import_node *node; /* a directory */
	size_t at;                /* of the entry the path goes on with */
};

static bool next_part(const char **path, struct bytes *out)
{
	size_t n = strcspn(*path, "/");

	*out = (struct bytes){ *path, n };
	*path += n;
	if (**path != '/')
		return false;
	(*path)++;
	return true;
}

static void fill(struct import *im, struct import_node *to, const struct import_node *leaf,
		 int depth)
{
	if (leaf->dir != NULL && height(im, leaf->dir, depth) > GIT_DEPTH_MAX)
		too_deep(im);
	free_dir(im, to->dir);
	to->mode = leaf->mode;
	to->oid = leaf->oid;
	to->dir = leaf->dir;
	to->dirty = leaf->dirty;
}

void import_tree_set(struct import *im, struct import_node *root, const char *path,
		     const struct import_node *leaf)
{
	struct import_node *n = root;
	struct bytes name;
	bool more = path[0] != '\0';
	int depth = 0;

	while (more) {
		bool found;
		size_t at;

		more = next_part(&path, &name);
		if (name.len == 0)
			import_die(im, "Empty path component found in input");
		if (++depth > GIT_DEPTH_MAX)
			too_deep(im);
		n->dirty = true;
		load(im, n);
		at = find(n->dir, name, &found);
		if (!found)
			n = insert(im, n->dir, at, name);
		else
			n = &n->dir->at[at];
		if (more && !is_dir(n)) {
			*n = (struct import_node){
				n->name, n->length, S_DIR, oid_null, true, NULL
			};
		}
	}
	fill(im, n, leaf, depth);
}

void import_tree_get(struct import *im, struct import_node *root, const char *path,
		     struct import_node *out)
{
	struct import_node *n = root;
	struct bytes name;
	bool more = path[0] != '\0';

	*out = (struct import_node){ .mode = 0 };
	while (more) {
		bool found;
		size_t at;

		more = next_part(&path, &name);
		if (name.len == 0)
			import_die(im, "Empty path component found in input");
		if (!is_dir(n) && n != root)
			return;
		load(im, n);
		at = find(n->dir, name, &found);
		if (!found)
			return;
		n = &n->dir->at[at];
	}
	*out = (struct import_node){ .mode = n->mode, .oid = n->oid, .dirty = n->dirty };
	if (n->dir != NULL)
		out->dir = copy_dir(im, n->dir, 0);
}

static void remove_root(struct import *im, struct import_node *root, struct import_node *out)
{
	if (out != NULL) {
		*out = *root;
		*root = (struct import_node){ .mode = 0 };
	} else {
		import_tree_clear(im, root);
	}
	root->dirty = true;
}

void import_tree_remove(struct import *im, struct import_node *root, const char *path,
			struct import_node *out)
{
	struct step *steps = arena_array(im->g->a, GIT_DEPTH_MAX, sizeof(*steps));
	struct import_node *n = root;
	struct bytes name;
	bool more = path[0] != '\0';
	size_t depth = 0;

	if (out != NULL)
		*out = (struct import_node){ .mode = 0 };
	if (!more) {
		remove_root(im, root, out);
		return;
	}
	while (more) {
		bool found;
		size_t at;

		more = next_part(&path, &name);
		if ((!is_dir(n) && n != root) || depth == GIT_DEPTH_MAX)
			return;
		load(im, n);
		at = find(n->dir, name, &found);
		if (!found)
			return;
		steps[depth++] = (struct step){ n, at };
		n = &n->dir->at[at];
	}
	if (out != NULL) {
		*out = (struct import_node){ NULL, 0, n->mode, n->oid, n->dirty, n->dir };
		n->dir = NULL;
	}
	/* Directories without files are none. */
	for (bool empty = true; depth > 0; depth--) {
		struct step *s = &steps[depth - 1];

		s->node->dirty = true;
		if (!empty)
			continue;
		import_tree_clear(im, &s->node->dir->at[s->at]);
		drop(im, s->node->dir, s->at);
		empty = s->node->dir->n == 0;
	}
}

/* --- storing --- */

static void put_entries(struct import *im, const struct import_dir *d, struct buf *out)
{
	struct git *g = im->g;
	struct import_node *sorted = arena_array(g->a, d->n + 1, sizeof(*sorted));
	bool in_order = true;

	for (size_t i = 0; i < d->n; i++) {
		sorted[i] = d->at[i];
		if (i > 0 && by_tree_order(&sorted[i - 1], &sorted[i]) > 0)
			in_order = false;
	}
	if (!in_order)
		git_sort(g, sorted, d->n, sizeof(*sorted), by_tree_order);
	for (size_t i = 0; i < d->n; i++) {
		const struct import_node *e = &sorted[i];
		char mode[12];
		size_t at = sizeof(mode);

		mode[--at] = ' ';
		for (uint32_t m = e->mode; m != 0; m >>= 3)
			mode[--at] = (char)('0' + (m & 7));
		buf_put(out, mode + at, sizeof(mode) - at);
		buf_put(out, e->name, e->length + 1);
		buf_put(out, e->oid.hash, OID_BYTES);
	}
	cmd_charge(g->c, d->n + 1);
}

static void store_at(struct import *im, struct import_node *n, int depth)
{
	struct git *g = im->g;
	struct arena_mark mark;
	struct import_dir *d;
	struct import_base base;
	struct buf data;

	if (!n->dirty)
		return;
	if (depth > GIT_DEPTH_MAX)
		too_deep(im);
	load(im, n);
	d = n->dir;
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i].dirty)
			store_at(im, &d->at[i], depth + 1);
	mark = arena_mark(g->a);
	data = buf_in(g->a);
	put_entries(im, d, &data);
	base = (struct import_base){ d->stored, d->stored_at };
	d->stored_at = import_put(im, OBJECT_TREE, buf_bytes(&data), &base);
	if (d->stored.ptr != NULL)
		pool_free(g->c->pool, (char *)d->stored.ptr, d->stored.len + 1);
	d->stored = (struct bytes){ pool_dup(g->c->pool, buf_bytes(&data)), data.len };
	n->oid = d->stored_at->oid;
	n->dirty = false;
	arena_release(g->a, mark);
}

void import_tree_store(struct import *im, struct import_node *n)
{
	store_at(im, n, 0);
}

/* --- notes --- */

struct note_walk {
	struct import *im;
	struct names paths;
	char path[GIT_DEPTH_MAX];
};

char *import_note_path(struct git *g, const char *hex, int fanout)
{
	struct buf b = buf_in(g->a);

	for (int i = 0; i < fanout && i < OID_BYTES - 1; i++) {
		buf_put(&b, hex, 2);
		buf_putc(&b, '/');
		hex += 2;
	}
	buf_puts(&b, hex);
	return buf_cstr(&b);
}

/* Whether a path is 40 digits, or can become it: slashes aside. */
static bool is_digits(struct bytes name)
{
	for (size_t i = 0; i < name.len; i++)
		if (byte_digit((unsigned char)name.ptr[i]) < 0 ||
		    byte_digit((unsigned char)name.ptr[i]) >= 16)
			return false;
	return true;
}

static void find_notes(struct note_walk *w, struct import_node *dir, size_t length, size_t digits)
{
	load(w->im, dir);
	cmd_charge(w->im->g->c, dir->dir->n + 1);
	for (size_t i = 0; i < dir->dir->n; i++) {
		struct import_node *e = &dir->dir->at[i];
		size_t all = digits + e->length;

		if (all > OID_HEX || !is_digits((struct bytes){ e->name, e->length }))
			continue;
		memcpy(w->path + length, e->name, e->length);
		if (is_dir(e) && all < OID_HEX) {
			w->path[length + e->length] = '/';
			find_notes(w, e, length + e->length + 1, all);
		} else if (!is_dir(e) && all == OID_HEX) {
			w->path[length + e->length] = '\0';
			names_add(w->im->g, &w->paths, w->path);
		}
	}
}

uint64_t import_tree_notes(struct import *im, struct import_node *root, int fanout)
{
	struct note_walk w = { .im = im };

	if (!is_dir(root))
		return 0;
	find_notes(&w, root, 0, 0);
	for (size_t i = 0; fanout >= 0 && i < w.paths.n; i++) {
		char hex[OID_HEX + 1];
		const char *to;
		struct import_node leaf;
		size_t n = 0;

		for (const char *at = w.paths.at[i]; *at != '\0'; at++)
			if (*at != '/')
				hex[n++] = *at;
		hex[n] = '\0';
		to = import_note_path(im->g, hex, fanout);
		if (strcmp(to, w.paths.at[i]) == 0)
			continue;
		import_tree_remove(im, root, w.paths.at[i], &leaf);
		import_tree_set(im, root, to, &leaf);
	}
	return w.paths.n;
}
