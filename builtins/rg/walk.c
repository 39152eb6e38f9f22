/* SPDX-License-Identifier: MIT
 *
 * Which files are searched: names given, and what is found below directories, without hidden
 * ones and without what .gitignore, .ignore and .rgignore files, -g and -t leave out.
 *
 * Rules belong to directories. They are read when a directory is entered and found by walking
 * up: a deeper one decides first; among those of one place .rgignore before .ignore before
 * .gitignore. The order of files is that of their paths.
 */
#include "base/sort.h"
#include "builtins/rg/rg.h"

enum rg_kind { KIND_RG, KIND_DOT, KIND_GIT, KIND_EXCLUDE, KINDS };

struct dir {
	struct dir *up;
	struct ignore_rules *rules[KINDS];
	size_t prefix; /* bytes of a path below it that are not relative to it */
	bool is_repo;
	bool in_repo; /* it or one above it */
	bool outside; /* above the root: paths are absolute there */
};

struct found {
	const char *path;
	struct vfs_stat st;
};

struct walker {
	struct rg *g;
	rg_file_fn *fn;
	struct buf absolute; /* of the root, then of the entry */
	size_t root_len;     /* bytes of the root as given */
	size_t absolute_len; /* bytes of the absolute root */
	bool rules_outside;
	struct found *list; /* when sorted by time */
	size_t n;
	size_t cap;
};

/* --- rules of a directory --- */

static bool read_file(struct rg *g, const char *dir, const char *name, struct bytes *text)
{
	struct buf path = buf_in(g->c->arena);
	struct vfs_stat st;

	buf_printf(&path, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
	return cmd_stat(g->c, buf_cstr(&path), &st) == 0 && (st.mode & S_FMT) == S_REG &&
	       cmd_read_all(g->c, buf_cstr(&path), text) == 0;
}

static struct ignore_rules *read_rules(struct rg *g, const char *dir, const char *name)
{
	struct bytes text;
	struct ignore_rules *r;

	if (!read_file(g, dir, name, &text))
		return NULL;
	r = ignore_new(g->c->arena, g->ignore_icase);
	ignore_add_file(r, text);
	return r;
}

static bool exists(struct rg *g, const char *dir, const char *name)
{
	struct buf path = buf_in(g->c->arena);
	struct vfs_stat st;

	buf_printf(&path, "%s/%s", dir, name);
	return cmd_stat(g->c, buf_cstr(&path), &st) == 0;
}

/* without: the rules of the directory do not count. */
static struct dir *enter(struct rg *g, struct dir *up, const char *path, bool without)
{
	struct dir *d = arena_zalloc(g->c->arena, sizeof *d);

	d->up = up;
	if (!g->no_ignore && !without) {
		d->rules[KIND_RG] = read_rules(g, path, ".rgignore");
		d->rules[KIND_DOT] = g->no_dot ? NULL : read_rules(g, path, ".ignore");
	}
	if (g->no_vcs || g->no_ignore)
		return d;
	d->is_repo = exists(g, path, ".git");
	d->in_repo = d->is_repo || g->no_require_git || (up != NULL && up->in_repo);
	if (without)
		return d;
	d->rules[KIND_GIT] = read_rules(g, path, ".gitignore");
	if (d->is_repo && !g->no_exclude)
		d->rules[KIND_EXCLUDE] = read_rules(g, path, ".git/info/exclude");
	return d;
}

/* The directories above the root, from "/" down. */
static struct dir *enter_above(struct walker *w, const char *absolute)
{
	struct dir *d = NULL;
	size_t len = strlen(absolute);

	if (w->g->no_ignore)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (absolute[i] != '/')
			continue;
		char *path = arena_dup(w->g->c->arena, (struct bytes){ absolute, i == 0 ? 1 : i });

		if (strcmp(path, absolute) == 0)
			break;
		d = enter(w->g, d, path, w->g->no_parent);
		d->outside = true;
		d->prefix = i + 1;
		for (int k = 0; k < KINDS; k++)
			w->rules_outside |= d->rules[k] != NULL;
	}
	return d;
}

/* --- verdicts --- */

/* The rules of one kind, from the deepest directory up. */
static enum ignore_verdict ask_kind(struct walker *w, const struct dir *d, enum rg_kind kind,
				    struct bytes path, bool is_dir)
{
	bool git = kind == KIND_GIT || kind == KIND_EXCLUDE;

	if (git && (d == NULL || !d->in_repo))
		return IGNORE_NONE;
	for (; d != NULL; d = d->up) {
		struct bytes all = d->outside ? buf_bytes(&w->absolute) : path;
		enum ignore_verdict v;

		if (d->rules[kind] != NULL && d->prefix <= all.len) {
			v = ignore_match(d->rules[kind], bytes_slice(all, d->prefix, all.len),
					 is_dir, &w->g->work);
			if (v != IGNORE_NONE)
				return v;
		}
		if (git && d->is_repo)
			break;
	}
	return IGNORE_NONE;
}

static struct bytes without_dot(struct bytes path)
{
	return bytes_starts(path, BYTES("./")) ? bytes_slice(path, 2, path.len) : path;
}

static enum ignore_verdict ask_rules(struct walker *w, const struct dir *d, struct bytes path,
				     bool is_dir)
{
	struct rg *g = w->g;
	enum ignore_verdict v = IGNORE_NONE;

	if (w->rules_outside) {
		w->absolute.len = w->absolute_len;
		if (w->absolute.ptr[w->absolute_len - 1] != '/')
			buf_putc(&w->absolute, '/');
		buf_add(&w->absolute, bytes_slice(path, w->root_len, path.len));
	}
	for (int k = 0; k < KINDS && v == IGNORE_NONE; k++)
		v = ask_kind(w, d, (enum rg_kind)k, path, is_dir);
	if (v == IGNORE_NONE && g->global != NULL)
		v = ignore_match(g->global, without_dot(path), is_dir, &g->work);
	if (v == IGNORE_NONE && g->explicit_rules != NULL)
		v = ignore_match(g->explicit_rules, without_dot(path), is_dir, &g->work);
	return v;
}

/* -g: a match takes a file, one with "!" leaves it out; if some would take files, others are
 * left out. */
static enum ignore_verdict ask_globs(struct rg *g, struct bytes path, bool is_dir)
{
	enum ignore_verdict v = IGNORE_NONE;

	if (g->nglobs == 0)
		return IGNORE_NONE;
	path = without_dot(path);
	v = ignore_match(g->over, path, is_dir, &g->work);
	if (v == IGNORE_NONE)
		v = ignore_match(g->over_icase, path, is_dir, &g->work);
	if (v != IGNORE_NONE)
		return v == IGNORE_YES ? IGNORE_NO : IGNORE_YES;
	return g->over_selects && !is_dir ? IGNORE_YES : IGNORE_NONE;
}

bool rg_pre_wants(struct rg *g, const char *path)
{
	enum ignore_verdict v = ignore_match(g->pre_over, without_dot(bytes_of(path)), false,
					     &g->work);

	return v == IGNORE_YES || (v == IGNORE_NONE && !g->pre_selects);
}

static bool is_left_out(struct walker *w, const struct dir *d, const struct walk_entry *e,
			bool is_dir)
{
	struct rg *g = w->g;
	struct bytes path = bytes_of(e->path);
	enum ignore_verdict v = ask_globs(g, path, is_dir);
	bool taken;

	if (v != IGNORE_NONE)
		return v == IGNORE_YES;
	v = ask_rules(w, d, path, is_dir);
	if (v == IGNORE_YES)
		return true;
	taken = v == IGNORE_NO;
	if (g->nchosen > 0 && !is_dir) {
		v = rg_types_verdict(g, bytes_of(e->name));
		if (v == IGNORE_YES)
			return true;
		taken |= v == IGNORE_NO;
	}
	return e->name[0] == '.' && !g->hidden && !taken;
}

/* --- order --- */

static int64_t time_of(const struct rg *g, const struct found *f)
{
	return g->sort == RG_SORT_MODIFIED   ? f->st.mtime_ns
	       : g->sort == RG_SORT_ACCESSED ? f->st.atime_ns
					     : f->st.btime_ns;
}

static int compare(void *arg, const void *x, const void *y)
{
	const struct rg *g = arg;
	const struct found *a = x;
	const struct found *b = y;
	int order;

	cmd_charge(g->c, 1);
	if (g->sort != RG_SORT_PATH) {
		int64_t s = time_of(g, a);
		int64_t t = time_of(g, b);

		order = s < t ? -1 : s > t;
	} else {
		order = strcmp(a->path, b->path);
	}
	return g->sort_down ? -order : order;
}

static void sort(struct walker *w)
{
	void *spare = arena_array(w->g->c->arena, w->n, sizeof *w->list);

	sort_stable(w->list, w->n, sizeof *w->list, spare, compare, w->g);
}

/* --- the walk --- */

static void keep(struct walker *w, const char *path, const struct vfs_stat *st)
{
	if (w->g->given || (w->g->sort == RG_SORT_PATH && !w->g->sort_down)) {
		w->fn(w->g, path, st);
		return;
	}
	if (w->n == w->cap) {
		size_t cap = w->cap * 2 + 64;

		w->list = arena_grow(w->g->c->arena, w->list, w->cap * sizeof *w->list,
				     cap * sizeof *w->list);
		w->cap = cap;
	}
	w->list[w->n++] = (struct found){ arena_dup(w->g->c->arena, bytes_of(path)), *st };
}

static struct dir *dir_of(struct walk *walk, const struct walk_entry *e, struct dir *above)
{
	return e->level == 0 ? above : *(struct dir **)walk_data(walk, e->level - 1);
}

static void visit(struct walker *w, struct walk *walk, struct walk_entry *e, struct dir *above)
{
	struct rg *g = w->g;
	struct dir *d = dir_of(walk, e, above);

	cmd_charge(g->c, 2 + g->work / 16);
	g->work = 0;
	if (e->kind == WALK_ERROR) {
		rg_complain_of_walk(g, e->path, e->err);
		return;
	}
	if (e->kind == WALK_DIR) {
		bool too_deep = g->depth >= 0 && e->level >= g->depth;

		if (too_deep || (e->level > 0 && is_left_out(w, d, e, true))) {
			walk_skip(walk);
			return;
		}
		struct dir *here = enter(g, d, e->path, false);

		here->prefix = strlen(e->path) + (e->path[strlen(e->path) - 1] != '/');
		e->data = here;
		return;
	}
	if (g->follow && e->kind == WALK_FILE && (e->st.mode & S_FMT) == S_LNK)
		rg_complain_of_walk(g, e->path, -E_NOENT);
	if (e->kind != WALK_FILE || (e->st.mode & S_FMT) != S_REG || is_left_out(w, d, e, false))
		return;
	if (g->size_max != 0 && e->has_stat && e->st.size > g->size_max)
		return;
	keep(w, e->path, &e->st);
}

static void walk_root(struct walker *w, const char *root)
{
	struct rg *g = w->g;
	unsigned flags = WALK_FOLLOW_ROOT | (g->follow ? WALK_FOLLOW : 0) |
			 (g->sort == RG_SORT_PATH && g->size_max == 0 ? WALK_NO_STAT : 0);
	struct walk *walk = walk_new(g->c, root, flags);
	struct walk_entry *e;
	struct dir *above;
	char *absolute;

	if (cmd_canonical(g->c, root, CANON_MISSING, &absolute) < 0)
		absolute = arena_dup(g->c->arena, BYTES("/"));
	w->absolute.len = 0;
	buf_puts(&w->absolute, absolute);
	w->absolute_len = w->absolute.len;
	w->root_len = strlen(root) + (root[strlen(root) - 1] != '/');
	w->rules_outside = false;
	above = enter_above(w, absolute);
	while ((e = walk_next(walk)) != NULL)
		visit(w, walk, e, above);
	walk_free(walk);
	sort(w);
	for (size_t i = 0; i < w->n; i++)
		w->fn(g, w->list[i].path, &w->list[i].st);
	w->n = 0;
}

static void walk_argument(struct walker *w, const char *path)
{
	struct rg *g = w->g;
	struct vfs_stat st;
	int err;

	if (strcmp(path, "-") == 0) {
		if (g->files)
			return;
		rg_search_stdin(g);
		return;
	}
	err = cmd_stat(g->c, path, &st);
	if (err < 0) {
		rg_complain_of_walk(g, path, err);
		return;
	}
	g->given = (st.mode & S_FMT) != S_DIR;
	if (g->given)
		keep(w, path, &st);
	else
		walk_root(w, path);
}

void rg_walk(struct rg *g, rg_file_fn *fn)
{
	struct walker w = { .g = g, .fn = fn, .absolute = buf_in(g->c->arena) };
	int first = g->c->nargs > 0 && !g->have_patterns && !g->files ? 1 : 0;

	for (int i = first; i < g->c->nargs; i++) {
		walk_argument(&w, g->c->args[i]);
		if (g->mode == RG_QUIET && g->matched)
			return;
	}
	if (first >= g->c->nargs) {
		g->given = false;
		walk_root(&w, ".");
	}
}
