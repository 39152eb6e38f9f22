/* SPDX-License-Identifier: MIT
 *
 * The names of a directory: a persistent B-tree, sorted by bytes.
 *
 *   struct names   [ header | slot offsets -> ... free ... | entries, packed from the end ]
 *   entry          [ value: 8 bytes | type: 1 | length: 1 | name ]
 *
 * In a leaf a value is an inode number; above, it is a child, and the name is not greater than
 * any name below it and greater than all before (the first name of a node is not looked at).
 * Nodes hold whole entries, so copying one is a memcpy, and only inner nodes count references.
 * Nodes are filled to 2 KiB, small directories have small ones. Insertion splits full nodes on
 * the way down; removal joins nodes that are three quarters empty with a neighbour.
 */
#include "vfs/private.h"

enum {
	NODE_MIN = 128,
	NODE_MAX = 2048,
	ENTRY_HEAD = 10,
	SLOT = 2,
	ENTRY_MAX = ENTRY_HEAD + VFS_NAME_MAX + SLOT
};

struct names {
	refcount refs;
	uint16_t bytes;   /* of this block */
	uint16_t n;       /* entries */
	uint16_t level;   /* 0: leaf */
	uint16_t low;     /* the lowest byte used by an entry */
	uint16_t garbage; /* bytes of removed entries at or above low */
	uint16_t slot[];
};

enum { NODE_HEAD = offsetof(struct names, slot) };

static const char *entry_at(const struct names *t, unsigned i)
{
	return (const char *)t + t->slot[i];
}

static struct bytes name_at(const struct names *t, unsigned i)
{
	const char *e = entry_at(t, i);

	return (struct bytes){ e + ENTRY_HEAD, (unsigned char)e[9] };
}

static uint64_t value_at(const struct names *t, unsigned i)
{
	uint64_t value;

	memcpy(&value, entry_at(t, i), sizeof value);
	return value;
}

static struct names *child_at(const struct names *t, unsigned i)
{
	return (struct names *)(uintptr_t)value_at(t, i);
}

static void set_value(struct names *t, unsigned i, uint64_t value)
{
	memcpy((char *)t + t->slot[i], &value, sizeof value);
}

static size_t entry_bytes(struct bytes name)
{
	return ENTRY_HEAD + name.len + SLOT;
}

static size_t live_bytes(const struct names *t)
{
	return (size_t)(t->bytes - t->low - t->garbage) + t->n * (size_t)SLOT;
}

static size_t free_bytes(const struct names *t)
{
	return t->low - (NODE_HEAD + t->n * (size_t)SLOT);
}

static int compare(struct bytes a, struct bytes b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = memcmp(a.ptr, b.ptr, n);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* The first entry whose name is not less, from `from` on. */
static unsigned lower_bound(const struct names *t, unsigned from, struct bytes name, bool *equal)
{
	unsigned low = from;
	unsigned high = t->n;

	*equal = false;
	while (low < high) {
		unsigned mid = (low + high) / 2;
		int order = compare(name_at(t, mid), name);

		if (order == 0) {
			*equal = true;
			return mid;
		}
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The child of an inner node below which name belongs. */
static unsigned child_for(const struct names *t, struct bytes name)
{
	bool equal;
	unsigned i = lower_bound(t, 1, name, &equal);

	return equal ? i : i - 1;
}

static struct names *node_new(struct store *s, size_t bytes, unsigned level)
{
	struct names *t = store_alloc(s, bytes);

	if (t == NULL)
		return NULL;
	atomic_init(&t->refs, 1);
	t->bytes = (uint16_t)bytes;
	t->n = 0;
	t->level = (uint16_t)level;
	t->low = (uint16_t)bytes;
	t->garbage = 0;
	return t;
}

/* Puts an entry at index i; there must be room. */
static void place(struct names *t, unsigned i, struct bytes name, uint64_t value, uint32_t type)
{
	char *e = (char *)t + t->low - (ENTRY_HEAD + name.len);

	memcpy(e, &value, sizeof value);
	e[8] = (char)type;
	e[9] = (char)name.len;
	memcpy(e + ENTRY_HEAD, name.ptr, name.len);
	memmove(&t->slot[i + 1], &t->slot[i], (t->n - i) * sizeof t->slot[0]);
	t->slot[i] = (uint16_t)(e - (char *)t);
	t->low = t->slot[i];
	t->n++;
}

/* Appends entries from..to of another node. */
static void append(struct names *t, const struct names *from, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		place(t, t->n, name_at(from, i), value_at(from, i), (uint8_t)entry_at(from, i)[8]);
}

static void erase(struct names *t, unsigned i)
{
	t->garbage = (uint16_t)(t->garbage + ENTRY_HEAD + name_at(t, i).len);
	memmove(&t->slot[i], &t->slot[i + 1], (t->n - i - 1u) * sizeof t->slot[0]);
	t->n--;
}

void names_put(struct store *s, struct names *t)
{
	if (t == NULL || !ref_put(&t->refs))
		return;
	if (t->level != 0)
		for (unsigned i = 0; i < t->n; i++)
			names_put(s, child_at(t, i));
	store_free(s, t, t->bytes);
}

static void get_children(const struct names *t)
{
	for (unsigned i = 0; t->level != 0 && i < t->n; i++)
		ref_get(&child_at(t, i)->refs);
}

/* Replaces *at by a copy of its entries in a block of that size. Frees or leaves the old one. */
static int rebuild(struct store *s, struct names **at, size_t bytes)
{
	struct names *old = *at;
	struct names *t = node_new(s, bytes, old->level);

	if (t == NULL)
		return -E_NOMEM;
	append(t, old, 0, old->n);
	get_children(t);
	names_put(s, old);
	*at = t;
	return 0;
}

/* Makes the node in *at one's own. */
static int node_own(struct store *s, struct names **at)
{
	struct names *old = *at;
	struct names *t;

	if (ref_alone(&old->refs))
		return 0;
	t = node_new(s, old->bytes, old->level);
	if (t == NULL)
		return -E_NOMEM;
	memcpy((char *)t + sizeof t->refs, (char *)old + sizeof old->refs,
	       old->bytes - sizeof old->refs);
	get_children(t);
	names_put(s, old);
	*at = t;
	return 0;
}

/* Moves the entries together, in place. */
static void compact(struct names *t)
{
	union {
		struct names node;
		char space[NODE_MAX];
	} old;

	memcpy(old.space, t, t->bytes);
	t->n = 0;
	t->low = t->bytes;
	t->garbage = 0;
	append(t, &old.node, 0, old.node.n);
}

/* Makes room for an entry in an owned node as long as it may grow. False: it is full. */
static int make_room(struct store *s, struct names **at, size_t need, bool *full)
{
	struct names *t = *at;
	size_t bytes = t->bytes;

	*full = false;
	if (free_bytes(t) >= need)
		return 0;
	if (NODE_HEAD + live_bytes(t) + need <= bytes) {
		compact(t);
		return 0;
	}
	while (bytes < NODE_MAX && NODE_HEAD + live_bytes(t) + need > bytes)
		bytes *= 2;
	if (NODE_HEAD + live_bytes(t) + need > bytes) {
		*full = true;
		return 0;
	}
	return rebuild(s, at, bytes);
}

/* The shortest name that is greater than a and not greater than b. */
static struct bytes separator(struct bytes a, struct bytes b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return (struct bytes){ b.ptr, n + 1 < b.len ? n + 1 : b.len };
}

/* Where to split: in the middle by bytes, but near the end when names arrive in order. */
static unsigned split_point(const struct names *t, bool at_end)
{
	size_t half = live_bytes(t) / 2;
	size_t sum = 0;
	unsigned i = 0;

	if (at_end)
		return t->n - 1u;
	while (i + 2 < t->n && sum < half)
		sum += entry_bytes(name_at(t, i++));
	return i == 0 ? 1 : i;
}

/* Splits child i of an owned parent that has room for one more entry; the child is owned. */
static int split_child(struct store *s, struct names *parent, unsigned i, bool at_end)
{
	struct names *left = child_at(parent, i);
	unsigned point = split_point(left, at_end);
	struct names *right = node_new(s, NODE_MAX, left->level);
	struct bytes sep;

	if (right == NULL)
		return -E_NOMEM;
	append(right, left, point, left->n);
	sep = name_at(right, 0);
	if (left->level == 0)
		sep = separator(name_at(left, point - 1), sep);
	place(parent, i + 1, sep, (uint64_t)(uintptr_t)right, 0);
	left->n = (uint16_t)point;
	compact(left);
	return 0;
}

/* Puts an empty inner node above the root. */
static int raise_root(struct store *s, struct names **root)
{
	struct names *top;

	if ((*root)->level + 1 >= NAMES_DEPTH_MAX)
		return -E_NOSPC;
	top = node_new(s, NODE_MAX, (*root)->level + 1u);
	if (top == NULL)
		return -E_NOMEM;
	place(top, 0, BYTES(""), (uint64_t)(uintptr_t)*root, 0);
	*root = top;
	return 0;
}

/* The child of t for name: owned, and with room; a full one is split. t has room for that. */
static int ready_child(struct store *s, struct names *t, struct bytes name, struct names **out)
{
	unsigned i = child_for(t, name);
	struct names *child = child_at(t, i);
	bool full = false;
	int err = node_own(s, &child);

	if (err == 0)
		err = make_room(s, &child, child->level == 0 ? entry_bytes(name) : ENTRY_MAX,
				&full);
	set_value(t, i, (uint64_t)(uintptr_t)child);
	if (err == 0 && full)
		err = split_child(s, t, i, compare(name_at(child, child->n - 1u), name) < 0);
	*out = child_at(t, child_for(t, name));
	return err;
}

/* Descends to the leaf for name; every node on the way is owned and has room. */
static int ready_leaf(struct store *s, struct names **root, struct bytes name, struct names **out)
{
	bool full = false;
	int err = node_own(s, root);

	if (err == 0)
		err = make_room(s, root, (*root)->level == 0 ? entry_bytes(name) : ENTRY_MAX,
				&full);
	if (err == 0 && full)
		err = raise_root(s, root);
	*out = *root;
	while (err == 0 && (*out)->level != 0)
		err = ready_child(s, *out, name, out);
	return err;
}

/* Where a new name goes in a leaf; often names arrive in order. */
static unsigned place_for(const struct names *t, struct bytes name)
{
	bool equal;

	if (t->n != 0 && compare(name_at(t, t->n - 1u), name) < 0)
		return t->n;
	return lower_bound(t, 0, name, &equal);
}

int names_insert(struct store *s, struct names **root, const struct name_entry *entry)
{
	struct names *leaf;
	int err;

	if (*root == NULL) {
		size_t bytes = NODE_MIN;

		while (bytes < NODE_HEAD + entry_bytes(entry->name))
			bytes *= 2;
		*root = node_new(s, bytes, 0);
		if (*root == NULL)
			return -E_NOMEM;
	}
	err = ready_leaf(s, root, entry->name, &leaf);
	if (err != 0)
		return err;
	place(leaf, place_for(leaf, entry->name), entry->name, entry->value, entry->type);
	return 0;
}

static struct names *leaf_for(struct names *t, struct bytes name)
{
	while (t != NULL && t->level != 0)
		t = child_at(t, child_for(t, name));
	return t;
}

static void fill_entry(const struct names *t, unsigned i, struct name_entry *out)
{
	out->name = name_at(t, i);
	out->value = value_at(t, i);
	out->type = (uint8_t)entry_at(t, i)[8];
}

bool names_get(struct names *root, struct bytes name, struct name_entry *out)
{
	struct names *leaf = leaf_for(root, name);
	bool equal;
	unsigned i;

	if (leaf == NULL)
		return false;
	i = lower_bound(leaf, 0, name, &equal);
	if (equal)
		fill_entry(leaf, i, out);
	return equal;
}

int names_own(struct store *s, struct names **root, struct bytes name)
{
	struct names *t;
	int err = node_own(s, root);

	for (t = *root; err == 0 && t->level != 0;) {
		unsigned i = child_for(t, name);
		struct names *child = child_at(t, i);

		err = node_own(s, &child);
		set_value(t, i, (uint64_t)(uintptr_t)child);
		t = child;
	}
	return err;
}

void names_set(struct names *root, const struct name_entry *entry)
{
	struct names *leaf = leaf_for(root, entry->name);
	bool equal;
	unsigned i = lower_bound(leaf, 0, entry->name, &equal);

	set_value(leaf, i, entry->value);
	((char *)leaf)[leaf->slot[i] + 8] = (char)entry->type;
}

/* Joins children i and i + 1 of an owned node if they fit well into one. Not having memory for
 * that is no error. */
static void join(struct store *s, struct names *t, unsigned i)
{
	struct names *left = child_at(t, i);
	struct names *right = child_at(t, i + 1);
	size_t need = live_bytes(left) + live_bytes(right) + ENTRY_MAX;
	struct names *both;

	if (need > NODE_MAX * 3 / 4 || (both = node_new(s, NODE_MAX, left->level)) == NULL)
		return;
	append(both, left, 0, left->n);
	place(both, both->n, left->level == 0 ? name_at(right, 0) : name_at(t, i + 1),
	      value_at(right, 0), (uint8_t)entry_at(right, 0)[8]);
	append(both, right, 1, right->n);
	get_children(both);
	names_put(s, left);
	names_put(s, right);
	set_value(t, i, (uint64_t)(uintptr_t)both);
	erase(t, i + 1);
}

/* After child i of t lost an entry: frees it when empty, joins it when nearly so. */
static void tidy_child(struct store *s, struct names *t, unsigned i)
{
	struct names *child = child_at(t, i);

	if (child->n == 0) {
		store_free(s, child, child->bytes);
		erase(t, i);
	} else if (live_bytes(child) < NODE_MAX / 4) {
		if (i + 1 < t->n)
			join(s, t, i);
		else if (i > 0)
			join(s, t, i - 1);
	}
}

static void remove_below(struct store *s, struct names *t, struct bytes name)
{
	unsigned i;

	if (t->level == 0) {
		bool equal;

		i = lower_bound(t, 0, name, &equal);
		erase(t, i);
		return;
	}
	i = child_for(t, name);
	remove_below(s, child_at(t, i), name);
	tidy_child(s, t, i);
}

void names_remove(struct store *s, struct names **root, struct bytes name)
{
	struct names *t = *root;

	remove_below(s, t, name);
	while (t->n == 0 || (t->level != 0 && t->n == 1)) {
		struct names *only = t->n == 0 ? NULL : child_at(t, 0);

		store_free(s, t, t->bytes);
		*root = t = only;
		/* A shared node stays as it is. */
		if (t == NULL || !ref_alone(&t->refs))
			return;
	}
}

void names_seek(struct names_cursor *c, struct names *root, struct bytes after)
{
	struct names *t = root;
	bool equal = false;
	unsigned i;

	c->depth = 0;
	while (t != NULL) {
		if (t->level != 0)
			i = after.ptr != NULL ? child_for(t, after) : 0;
		else
			i = after.ptr != NULL ? lower_bound(t, 0, after, &equal) + equal : 0;
		c->at[c->depth].node = t;
		c->at[c->depth++].index = i;
		t = t->level != 0 ? child_at(t, i) : NULL;
	}
}

bool names_next(struct names_cursor *c, struct name_entry *out)
{
	while (c->depth != 0) {
		struct names *t = c->at[c->depth - 1].node;
		unsigned i = c->at[c->depth - 1].index;

		if (i >= t->n) {
			c->depth--;
			if (c->depth != 0)
				c->at[c->depth - 1].index++;
		} else if (t->level == 0) {
			fill_entry(t, i, out);
			c->at[c->depth - 1].index++;
			return true;
		} else {
			c->at[c->depth].node = child_at(t, i);
			c->at[c->depth++].index = 0;
		}
	}
	return false;
}
