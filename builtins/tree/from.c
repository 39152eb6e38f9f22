/* SPDX-License-Identifier: MIT
 *
 * --fromfile: a tree made of a list of paths. Nodes are found by their parent and name in a hash
 * table, so that long lists cost no more than their length.
 */
#include "builtins/tree/tree.h"

struct listing {
	struct tree *t;
	struct tree_node **slot; /* hashed by parent and name */
	size_t mask;
	struct tree_node **all; /* in the order of the list */
	size_t n;
};

/* Nodes carry their number as inode; a root has 0. */
static size_t slot_of(const struct listing *l, const struct tree_node *parent, struct bytes name)
{
	uint64_t hash = bytes_hash(name) + parent->st.ino * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 20) & l->mask;

	while (l->slot[at] != NULL &&
	       (l->slot[at]->parent != parent || !bytes_eq(bytes_of(l->slot[at]->name), name)))
		at = (at + 1) & l->mask;
	return at;
}

static void grow(struct listing *l)
{
	if (l->slot != NULL && l->n * 2 < l->mask)
		return;
	l->mask = l->mask * 2 + 255;
	l->mask |= l->mask >> 1;
	l->mask |= l->mask >> 2;
	l->mask |= l->mask >> 4;
	l->slot = arena_zalloc(l->t->c->arena, (l->mask + 1) * sizeof *l->slot);
	for (size_t i = 0; i < l->n; i++)
		l->slot[slot_of(l, l->all[i]->parent, bytes_of(l->all[i]->name))] = l->all[i];
	cmd_charge(l->t->c, l->n / 4 + 1);
}

static struct tree_node *child_of(struct listing *l, struct tree_node *parent, struct bytes name)
{
	struct arena *a = l->t->c->arena;

	grow(l);
	size_t at = slot_of(l, parent, name);

	if (l->slot[at] != NULL)
		return l->slot[at];
	struct tree_node *n = arena_zalloc(a, sizeof *n);

	n->name = arena_dup(a, name);
	n->parent = parent;
	n->st.mode = S_REG;
	l->all = arena_room(a, l->all, l->n, sizeof *l->all);
	l->all[l->n++] = n;
	n->st.ino = l->n;
	parent->nchildren++;
	l->slot[at] = n;
	return n;
}

/* Parts of the path; what has parts behind it, if only a slash, is a directory. */
static struct tree_node *add_path(struct listing *l, struct tree_node *root, struct bytes path)
{
	struct tree_node *n = root;
	size_t depth = 0;

	for (size_t at = 0; at < path.len && depth < TREE_DEPTH_MAX - 1; depth++) {
		size_t to = at;

		while (to < path.len && path.ptr[to] != '/')
			to++;
		if (to > at)
			n = child_of(l, n, bytes_slice(path, at, to));
		if (to < path.len && n != root) {
			n->st.mode = S_DIR;
			n->is_dir = true;
		}
		at = to + 1;
	}
	cmd_charge_bytes(l->t->c, path.len);
	return n;
}

/* --fflinks: "name -> target". */
static void add_line(struct listing *l, struct tree_node *root, struct bytes line)
{
	const char *arrow = l->t->o->links ? bytes_find(line, BYTES(" -> ")) : NULL;
	size_t len = arrow != NULL ? (size_t)(arrow - line.ptr) : line.len;
	struct tree_node *n = add_path(l, root, bytes_slice(line, 0, len));

	if (arrow == NULL || n == root)
		return;
	n->target = arena_dup(l->t->c->arena, bytes_slice(line, len + 4, line.len));
	n->link = true;
	n->target_mode = S_REG;
	if (!n->is_dir)
		n->st.mode = S_LNK | 0777;
}

/* -P and -I are about files; names with a dot are left out below the top. */
static bool is_shown(const struct listing *l, const struct tree_node *root,
		     const struct tree_node *n)
{
	const struct tree_opts *o = l->t->o;

	if (o->only_dirs && !n->is_dir)
		return false;
	if (o->prune && n->is_dir && n->st.nlink == 0)
		return false;
	if (n->parent != root && !o->all && n->name[0] == '.')
		return false;
	return n->is_dir || tree_wanted(l->t, n);
}

/* --prune: nlink tells how many children lead to a file. They come behind their parents. */
static void count_kept(struct listing *l)
{
	for (size_t i = l->n; i-- > 0;) {
		struct tree_node *n = l->all[i];

		if (!n->is_dir || n->st.nlink != 0 || !l->t->o->prune)
			n->parent->st.nlink++;
	}
}

/* Children go to their parents: first the room for them, then they. */
static void settle(struct listing *l, struct tree_node *root)
{
	struct arena *a = l->t->c->arena;

	count_kept(l);
	root->child = arena_array(a, root->nchildren * 2 + 1, sizeof *root->child);
	root->nchildren = 0;
	for (size_t i = 0; i < l->n; i++) {
		l->all[i]->child = arena_array(a, l->all[i]->nchildren * 2 + 1,
					       sizeof *root->child);
		l->all[i]->nchildren = 0;
	}
	for (size_t i = 0; i < l->n; i++) {
		struct tree_node *n = l->all[i];

		if (is_shown(l, root, n))
			n->parent->child[n->parent->nchildren++] = n;
	}
	tree_sort_children(l->t, root);
	for (size_t i = 0; i < l->n; i++) {
		tree_sort_children(l->t, l->all[i]);
		l->all[i]->st.ino = 0;
	}
	cmd_charge(l->t->c, l->n / 4 + 1);
}

/* What lies deeper than -L says, or below links, is not shown. */
static void cut(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct tree_node *n = l->all[i];
		uint64_t depth = 1;

		for (const struct tree_node *up = n->parent; up->parent != NULL; up = up->parent)
			depth++;
		cmd_charge(l->t->c, depth / 16 + 1);
		if (depth >= l->t->o->depth || n->link)
			n->nchildren = 0;
	}
}

/* A list that can't be read, as a directory, ends there. */
int tree_from_file(struct tree *t, struct tree_node *root, const char *path)
{
	struct listing l = { .t = t };
	struct input in;
	struct bytes line;
	int err = input_open(&in, t->c, strcmp(path, ".") == 0 ? "-" : path);

	if (err < 0)
		return err;
	/* Facts are those of the list itself. */
	tree_examine(t, root, path);
	uint64_t ino = root->st.ino;

	root->st.ino = 0;
	root->st.nlink = 1;
	root->link = false;
	while (input_line(&in, '\n', &line) > 0) {
		while (line.len > 0 && line.ptr[line.len - 1] == '\r')
			line.len--;
		add_line(&l, root, line);
	}
	input_close(&in);
	settle(&l, root);
	root->st.ino = ino;
	cut(&l);
	return 0;
}
