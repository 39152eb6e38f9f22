/* SPDX-License-Identifier: MIT
 *
 * Reading directories: which entries are wanted, and their order.
 */
#include "base/sort.h"
#include "builtins/tree/tree.h"

/* --- reading --- */

static bool any_match(struct tree *t, struct glob *const *list, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] != NULL && glob_match(list[i], t->c->arena, name))
			return true;
	return false;
}

/* What all options but -P want. */
static bool is_listed(struct tree *t, const struct tree_node *n)
{
	const struct tree_opts *o = t->o;

	if (!o->all && !o->from_file && n->name[0] == '.')
		return false;
	if (o->only_dirs && !n->is_dir)
		return false;
	return !any_match(t, o->exclude, o->nexcludes, bytes_of(n->name));
}

bool tree_wanted(struct tree *t, const struct tree_node *n)
{
	const struct tree_opts *o = t->o;
	bool is_dir = n->is_dir && !n->link;

	if (!is_listed(t, n))
		return false;
	return is_dir || o->nincludes == 0 ||
	       any_match(t, o->include, o->nincludes, bytes_of(n->name));
}

/* --matchdirs: a directory that -P names is not pruned. */
static bool is_matched_dir(struct tree *t, const struct tree_node *n)
{
	const struct tree_opts *o = t->o;

	return o->match_dirs && n->is_dir && !n->link &&
	       any_match(t, o->include, o->nincludes, bytes_of(n->name));
}

/* Digits compare as numbers. */
static int compare_versions(const char *a, const char *b)
{
	for (;; a++, b++) {
		if (byte_is_digit(*a) && byte_is_digit(*b)) {
			size_t skip_a = strspn(a, "0");
			size_t skip_b = strspn(b, "0");
			size_t len_a = strspn(a + skip_a, "0123456789");
			size_t len_b = strspn(b + skip_b, "0123456789");

			if (len_a != len_b)
				return len_a < len_b ? -1 : 1;
			int order = memcmp(a + skip_a, b + skip_b, len_a);

			if (order != 0)
				return order;
			a += skip_a + len_a;
			b += skip_b + len_b;
		}
		if (*a != *b || *a == '\0')
			return (unsigned char)*a - (unsigned char)*b;
	}
}

static int compare_nodes(const struct tree_opts *o, const struct tree_node *a,
			 const struct tree_node *b)
{
	int order = 0;

	if (o->dirs_first != 0 && a->is_dir != b->is_dir)
		return a->is_dir ? -o->dirs_first : o->dirs_first;
	if (o->sort == SORT_VERSION)
		order = compare_versions(a->name, b->name);
	else if (o->sort == SORT_SIZE)
		order = a->size < b->size ? 1 : a->size > b->size ? -1 : 0;
	else if (o->sort == SORT_MTIME)
		order = a->st.mtime_ns / 1000000000 < b->st.mtime_ns / 1000000000
				? -1
				: a->st.mtime_ns / 1000000000 > b->st.mtime_ns / 1000000000;
	else if (o->sort == SORT_CTIME)
		order = a->st.ctime_ns / 1000000000 < b->st.ctime_ns / 1000000000
				? -1
				: a->st.ctime_ns / 1000000000 > b->st.ctime_ns / 1000000000;
	if (order == 0)
		order = strcmp(a->name, b->name);
	return o->reverse ? -order : order;
}

static int compare(void *arg, const void *a, const void *b)
{
	struct tree *t = arg;

	cmd_charge(t->c, 1);
	return compare_nodes(t->o, *(struct tree_node *const *)a, *(struct tree_node *const *)b);
}

void tree_examine(struct tree *t, struct tree_node *n, const char *path)
{
	struct vfs_stat target;
	struct bytes text;

	if (cmd_lstat(t->c, path, &n->st) != 0)
		return;
	n->link = (n->st.mode & S_FMT) == S_LNK;
	n->is_dir = (n->st.mode & S_FMT) == S_DIR;
	n->size = n->st.size;
	if (!n->link)
		return;
	if (cmd_readlink(t->c, CMD_CWD, path, &text) >= 0)
		n->target = arena_dup(t->c->arena, text);
	if (cmd_stat(t->c, path, &target) == 0) {
		n->target_mode = target.mode;
		n->is_dir = (target.mode & S_FMT) == S_DIR;
		if (t->o->follow && n->is_dir)
			n->st.ino = target.ino;
	}
}

void tree_sort_children(struct tree *t, struct tree_node *n)
{
	if (t->o->sort != SORT_NONE || t->o->from_file)
		sort_stable(n->child, n->nchildren, sizeof *n->child, n->child + n->nchildren,
			    compare, t);
}

/* --gitignore: the rules in a directory, and of which paths below it they speak. */
static void read_rules(struct tree *t, const char *path, size_t level)
{
	const char *slash = bytes_ends(bytes_of(path), BYTES("/")) ? "" : "/";
	const char *file = tree_join(t->c, path, slash, ".gitignore");
	struct vfs_stat st;
	struct bytes text;

	t->rules[level - 1] = NULL;
	if (!t->o->git_ignore || cmd_stat(t->c, file, &st) < 0 ||
	    cmd_read_all(t->c, file, &text) < 0)
		return;
	t->rules[level - 1] = ignore_new(t->c->arena, false);
	t->rules_base[level - 1] = strlen(path) + strlen(slash);
	ignore_add_file(t->rules[level - 1], text);
}

/* The deepest file that says something decides. */
static bool is_ignored(struct tree *t, const char *path, bool is_dir, size_t level)
{
	uint64_t work = 0;
	enum ignore_verdict verdict = IGNORE_NONE;

	for (size_t i = level; i-- > 0 && verdict == IGNORE_NONE;)
		if (t->rules[i] != NULL)
			verdict = ignore_match(t->rules[i], bytes_of(path + t->rules_base[i]),
					       is_dir, &work);
	if (verdict == IGNORE_NONE && t->o->git_file != NULL)
		verdict = ignore_match(t->o->git_file, bytes_of(path), is_dir, &work);
	cmd_charge(t->c, work / 8 + 1);
	return verdict == IGNORE_YES;
}

struct reading {
	struct tree *t;
	struct tree_node *n;
	const char *path;
	size_t level;
};

static int read_dir(void *arg);

static void read_child(struct tree *t, struct tree_node *n, const char *path, size_t level,
		       uint64_t dev)
{
	struct reading r = { t, n, path, level };

	if (!n->is_dir || (n->link && !t->o->follow) || level > t->o->depth ||
	    level >= TREE_DEPTH_MAX)
		return;
	if (t->o->one_device && n->st.dev != dev)
		return;
	for (size_t i = 0; n->link && i < level; i++)
		if (t->above[i] == n->st.ino)
			n->note = "recursive, not followed";
	if (n->note != NULL)
		return;
	if (cmd_stack_left(t->c) < TREE_STACK_NEEDED)
		cmd_deepen(t->c, TREE_STACK_NEEDED, read_dir, &r);
	else
		read_dir(&r);
}

/* And what is in it is shown, if it is named by its path below the root. */
static bool shows_all(struct tree *t, const struct reading *r)
{
	const struct tree_opts *o = t->o;
	size_t from = strlen(r->path);

	if (!o->match_dirs || r->level < 2 || r->n->link)
		return false;
	for (size_t slashes = 0; from > 0 && slashes < r->level - 1; from--)
		slashes += r->path[from - 1] == '/';
	from += r->path[from] == '/';
	return any_match(t, o->include, o->nincludes, bytes_of(r->path + from));
}

/* Removes what --prune leaves out; adds sizes. */
static void settle(struct tree *t, struct tree_node *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->nchildren; i++) {
		struct tree_node *child = n->child[i];

		if (t->o->prune && !t->o->only_dirs && child->is_dir && child->nchildren == 0 &&
		    !(child->link && child->note != NULL) && !is_matched_dir(t, child))
			continue;
		if (t->o->total)
			n->size += child->size;
		n->child[kept++] = child;
	}
	n->nchildren = kept;
}

static int read_dir(void *arg)
{
	struct reading *r = arg;
	struct tree *t = r->t;
	struct vfs_dirent *entry;
	struct buf note = buf_in(t->c->arena);
	size_t count;
	bool all = shows_all(t, r);
	int err = cmd_list(t->c, CMD_CWD, r->path, t->c->arena, &entry, &count);

	if (err < 0) {
		r->n->note = "error opening dir";
		t->status = 2;
		return 0;
	}
	r->n->child = arena_array(t->c->arena, count * 2 + 1, sizeof(struct tree_node *));
	t->above[r->level - 1] = r->n->st.ino;
	read_rules(t, r->path, r->level);
	for (size_t i = 0; i < count; i++) {
		struct tree_node *n = arena_zalloc(t->c->arena, sizeof(*n));
		struct buf path = buf_in(t->c->arena);

		n->name = entry[i].name.ptr;
		buf_printf(&path, "%s%s%s", r->path,
			   bytes_ends(bytes_of(r->path), BYTES("/")) ? "" : "/", n->name);
		tree_examine(t, n, buf_cstr(&path));
		cmd_charge(t->c, 1);
		if (!(all ? is_listed(t, n) : tree_wanted(t, n)) ||
		    (t->o->git_ignore &&
		     is_ignored(t, buf_cstr(&path), n->is_dir && !n->link, r->level)))
			continue;
		r->n->child[r->n->nchildren++] = n;
	}
	if (t->o->limit > 0 && r->n->nchildren > t->o->limit) {
		buf_printf(&note, "%zu entries exceeds filelimit, not opening dir",
			   r->n->nchildren);
		r->n->note = buf_cstr(&note);
		r->n->nchildren = 0;
		return 0;
	}
	for (size_t i = 0; i < r->n->nchildren; i++) {
		struct tree_node *n = r->n->child[i];
		struct buf path = buf_in(t->c->arena);

		buf_printf(&path, "%s%s%s", r->path,
			   bytes_ends(bytes_of(r->path), BYTES("/")) ? "" : "/", n->name);
		read_child(t, n, buf_cstr(&path), r->level + 1, r->n->st.dev);
	}
	settle(t, r->n);
	tree_sort_children(t, r->n);
	return 0;
}

void tree_read(struct tree *t, struct tree_node *n, const char *path, size_t level)
{
	struct reading r = { t, n, path, level };

	read_dir(&r);
}
