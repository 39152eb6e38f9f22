/* SPDX-License-Identifier: MIT
 *
 * Pairs of files from the index and the work tree.
 */
#include "builtins/git/submodule.h"
#include "builtins/git/userdiff.h"

struct diff_file *diff_file_new(struct git *g, const char *path, uint32_t mode, const struct oid *o)
{
	struct diff_file *f = arena_zalloc(g->a, sizeof(*f));

	f->path = path;
	f->mode = mode;
	f->binary = -1;
	f->from_work = o == NULL;
	if (o != NULL) {
		f->oid = *o;
		f->oid_known = true;
	}
	return f;
}

static char status_of(const struct diff_file *one, const struct diff_file *two)
{
	if (one->mode == 0)
		return 'A';
	if (two->mode == 0)
		return 'D';
	return (one->mode & S_FMT) == (two->mode & S_FMT) ? 'M' : 'T';
}

void diff_add(struct git *g, struct diff_queue *q, struct diff_file *one, struct diff_file *two)
{
	LIST_ROOM(g, q->at, q->n, q->cap);
	q->at[q->n++] = (struct diff_pair){ .one = one, .two = two, .status = status_of(one, two) };
}

static void add_unmerged(struct git *g, struct diff_queue *q, const char *path, uint32_t mode)
{
	struct diff_file *f = diff_file_new(g, path, 0, &oid_null);

	LIST_ROOM(g, q->at, q->n, q->cap);
	q->at[q->n++] = (struct diff_pair){ .one = f,
					    .two = diff_file_new(g, path, mode, NULL),
					    .status = 'U' };
}

static void queue_change(struct git *g, struct diff_opts *o, struct diff_queue *q, const char *path,
			 uint32_t mode1, const struct oid *o1, uint32_t mode2, const struct oid *o2)
{
	struct diff_file *one;
	struct diff_file *two;

	if (!pathspec_match(g, &o->paths, path, false))
		return;
	if (o->submodules_asked == SUBMODULE_IGNORE_ALL &&
	    (mode1 == MODE_GITLINK || mode2 == MODE_GITLINK))
		return;
	if (o->relative != NULL && o->relative[0] != '\0') {
		if (!git_starts(path, o->relative))
			return;
	}
	path = arena_dup(g->a, bytes_of(path));
	one = diff_file_new(g, path, mode1, o1);
	two = diff_file_new(g, path, mode2, o2);
	if (o->reverse)
		diff_add(g, q, two, one);
	else
		diff_add(g, q, one, two);
}

/* --- index against tree --- */

static bool is_intent(const struct entry *e)
{
	return (e->xflags & ENTRY_INTENT) != 0;
}

/* Only announced: not yet in the index, as far as porcelain goes. */
static bool hidden(const struct diff_opts *o, const struct entry *e)
{
	return is_intent(e) && o->announced <= 0;
}

/* Behind all stages of the path at i. */
static size_t behind(const struct index *x, size_t i)
{
	size_t j = i + 1;

	while (j < x->n && strcmp(x->at[j].path, x->at[i].path) == 0)
		j++;
	return j;
}

void diff_cached(struct git *g, struct diff_opts *o, const struct oid *tree, struct diff_queue *q)
{
	struct index *x = index_get(g);
	struct leaves l = { NULL, 0, 0 };
	size_t i = 0;
	size_t j = 0;

	diff_sides(o, "c/", "i/");
	if (tree != NULL)
		tree_flatten(g, g->a, tree, &l);
	while (i < l.n || j < x->n) {
		const struct leaf *f = i < l.n ? &l.at[i] : NULL;
		const struct entry *e = j < x->n ? &x->at[j] : NULL;
		int order = f == NULL ? 1 : e == NULL ? -1 : strcmp(f->path, e->path);

		cmd_charge(g->c, 1);
		if (order < 0) {
			queue_change(g, o, q, f->path, f->mode, &f->oid, 0, &oid_null);
			i++;
			continue;
		}
		if (e->stage != 0) {
			if (pathspec_match(g, &o->paths, e->path, false))
				add_unmerged(g, q, e->path, 0);
		} else if (order > 0 && !hidden(o, e)) {
			queue_change(g, o, q, e->path, 0, &oid_null, e->mode, &e->oid);
		} else if (order == 0 && hidden(o, e)) {
			queue_change(g, o, q, e->path, f->mode, &f->oid, 0, &oid_null);
		} else if (order == 0 && (o->find_copies_harder || f->mode != e->mode ||
					  !oid_eq(&f->oid, &e->oid))) {
			queue_change(g, o, q, e->path, f->mode, &f->oid, e->mode, &e->oid);
		}
		j = behind(x, j);
		i += order == 0;
	}
}

void diff_staged(struct git *g, const struct oid *tree, struct diff_queue *q)
{
	struct diff_opts d;

	diff_init(g, &d);
	d.renames = 0;
	d.announced = 1;
	diff_settle(g, &d);
	diff_cached(g, &d, tree, q);
}

const char *diff_staged_paths(struct git *g, const struct oid *tree)
{
	struct diff_queue q = { .at = NULL };
	struct buf b = buf_in(g->a);

	diff_staged(g, tree, &q);
	for (size_t i = 0; i < q.n; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", q.at[i].two->path);
	return q.n != 0 ? buf_cstr(&b) : NULL;
}

/* --- work tree against index --- */

static uint32_t mode_now(struct git *g, const struct entry *e)
{
	struct vfs_stat st;

	if (cmd_lstat(g->c, e->path, &st) < 0 || work_behind_link(g, e->path))
		return 0;
	if ((st.mode & S_FMT) == S_DIR)
		return e->mode == MODE_GITLINK ? MODE_GITLINK : 0;
	return work_mode(g, &st, e);
}

/* A submodule: it changed if another commit is checked out there, or something is not committed;
 * f: what it is compared with, if that is a tree's. */
static void submodule_entry(struct git *g, struct diff_opts *o, struct entry *e,
			    enum entry_state state, const struct leaf *f, struct diff_queue *q)
{
	const struct oid *old = f != NULL ? &f->oid : &e->oid;
	uint32_t mode = f != NULL ? f->mode : e->mode;
	int ignored = o->submodules == 0
			      ? SUBMODULE_IGNORE_DIRTY
			      : submodule_ignored(g, o->submodules_asked, e->path, o->submodules);
	unsigned dirt = submodule_dirt(g, e->path, ignored);
	size_t before = q->n;

	if (ignored == SUBMODULE_IGNORE_ALL)
		return;
	if (state == ENTRY_SAME && dirt == 0 && mode == e->mode && oid_eq(old, &e->oid))
		return;
	queue_change(g, o, q, e->path, mode, old, MODE_GITLINK,
		     state == ENTRY_SAME ? &e->oid : NULL);
	if (q->n != before)
		(o->reverse ? q->at[before].one : q->at[before].two)->dirty = dirt;
}

static void work_entry(struct git *g, struct diff_opts *o, struct index *x, struct entry *e,
		       struct diff_queue *q)
{
	enum entry_state state = index_check(g, x, e, NULL);

	if (state == ENTRY_SAME && e->mode == MODE_GITLINK && !o->find_copies_harder) {
		submodule_entry(g, o, e, state, NULL, q);
		return;
	}
	if (state == ENTRY_SAME) {
		if (o->find_copies_harder)
			queue_change(g, o, q, e->path, e->mode, &e->oid, e->mode, &e->oid);
		return;
	}
	if (e->mode == MODE_GITLINK && state == ENTRY_CHANGED) {
		submodule_entry(g, o, e, state, NULL, q);
		return;
	}
	if (is_intent(e)) {
		if (state != ENTRY_MISSING)
			queue_change(g, o, q, e->path, 0, &oid_null, mode_now(g, e), NULL);
		return;
	}
	if (state == ENTRY_MISSING)
		queue_change(g, o, q, e->path, e->mode, &e->oid, 0, &oid_null);
	else
		queue_change(g, o, q, e->path, e->mode, &e->oid, mode_now(g, e), NULL);
}

static void put_unmerged(struct git *g, struct diff_opts *o, struct index *x, size_t i,
			 struct diff_queue *q)
{
	size_t end = behind(x, i);
	uint32_t mode = mode_now(g, &x->at[i]);

	add_unmerged(g, q, x->at[i].path, mode);
	for (; i < end; i++)
		if (o->stage != 0 && x->at[i].stage == o->stage)
			queue_change(g, o, q, x->at[i].path, x->at[i].mode, &x->at[i].oid, mode,
				     mode != 0 ? NULL : &oid_null);
}

void diff_work(struct git *g, struct diff_opts *o, struct diff_queue *q)
{
	struct index *x = index_get(g);

	diff_sides(o, "i/", "w/");
	for (size_t i = 0; i < x->n; i = behind(x, i)) {
		struct entry *e = &x->at[i];

		if (e->gone || !pathspec_match(g, &o->paths, e->path, false))
			continue;
		if (e->stage == 0)
			work_entry(g, o, x, e, q);
		else
			put_unmerged(g, o, x, i, q);
	}
}

/* --- work tree against tree, by way of the index --- */

static void against_tree(struct git *g, struct diff_opts *o, struct index *x, struct entry *e,
			 const struct leaf *f, struct diff_queue *q)
{
	bool assumed = (e->flags & ENTRY_VALID) || (e->xflags & ENTRY_SKIP_WORKTREE);
	uint32_t mode = assumed ? e->mode : mode_now(g, e);
	const struct oid *known = NULL;

	if (mode == MODE_GITLINK && e->mode == MODE_GITLINK && e->stage == 0 && f != NULL) {
		submodule_entry(g, o, e, index_check(g, x, e, NULL), f, q);
		return;
	}
	if (mode != 0 && e->stage == 0 && !is_intent(e) &&
	    index_check(g, x, e, NULL) == ENTRY_SAME) {
		known = &e->oid;
		mode = e->mode;
	}
	if (mode == 0 && f == NULL)
		return;
	if (mode == 0)
		queue_change(g, o, q, f->path, f->mode, &f->oid, 0, &oid_null);
	else if (f == NULL)
		queue_change(g, o, q, e->path, 0, &oid_null, mode, known);
	else if (o->find_copies_harder || known == NULL || f->mode != mode ||
		 !oid_eq(known, &f->oid))
		queue_change(g, o, q, e->path, f->mode, &f->oid, mode, known);
}

void diff_tree_work(struct git *g, struct diff_opts *o, const struct oid *tree,
		    struct diff_queue *q)
{
	struct index *x = index_get(g);
	struct leaves l = { NULL, 0, 0 };
	size_t i = 0;
	size_t j = 0;

	diff_sides(o, "c/", "w/");
	tree_flatten(g, g->a, tree, &l);
	while (i < l.n || j < x->n) {
		const struct leaf *f = i < l.n ? &l.at[i] : NULL;
		struct entry *e = j < x->n ? &x->at[j] : NULL;
		int order = f == NULL ? 1 : e == NULL ? -1 : strcmp(f->path, e->path);

		cmd_charge(g->c, 1);
		if (order < 0) {
			queue_change(g, o, q, f->path, f->mode, &f->oid, 0, &oid_null);
			i++;
			continue;
		}
		if (e->stage != 0 && pathspec_match(g, &o->paths, e->path, false))
			add_unmerged(g, q, e->path, mode_now(g, e));
		if (pathspec_match(g, &o->paths, e->path, false))
			against_tree(g, o, x, e, order == 0 ? f : NULL, q);
		j = behind(x, j);
		i += order == 0;
	}
}

/* --- content --- */

bool diff_load(struct git *g, struct diff_file *f)
{
	if (f->loaded)
		return true;
	f->loaded = true;
	f->data = (struct bytes){ "", 0 };
	if (f->mode == 0)
		return true;
	if (f->mode == MODE_GITLINK && f->oid_known) {
		f->data = bytes_of(git_format(g->a, "Subproject commit %s%s\n", oid_hex(g, &f->oid),
					      f->dirty != 0 ? "-dirty" : ""));
	} else if (f->oid_known) {
		if (object_read(g, g->a, &f->oid, &f->data) == OBJECT_NONE)
			git_die(g, "unable to read %s", oid_hex(g, &f->oid));
	} else if (f->outside) {
		const char *at = f->place != NULL ? f->place : f->path;
		int err = (f->mode & S_FMT) == S_LNK ? cmd_readlink(g->c, CMD_CWD, at, &f->data)
						     : file_read(g, g->a, at, &f->data);

		if (err < 0) {
			git_error(g, "open(\"%s\"): %s", at, err_text(-err));
			git_die(g, "cannot hash %s", at);
		}
		if (g->dir != NULL && (f->mode & S_FMT) == S_REG) {
			g->ends = ENDS_WARN;
			f->data = convert_in(g, g->a, at, f->data);
			g->ends = ENDS_QUIET;
		}
	} else if (f->mode == MODE_GITLINK) {
		struct oid head;

		if (!submodule_head(g, f->path, &head))
			return false;
		f->data = bytes_of(git_format(g->a, "Subproject commit %s%s\n", oid_hex(g, &head),
					      f->dirty != 0 ? "-dirty" : ""));
	} else {
		int err;

		g->ends = f->warned ? ENDS_QUIET : ENDS_WARN;
		f->warned = false;
		err = work_read(g, g->a, f->path, f->mode, &f->data);
		g->ends = ENDS_QUIET;
		if (err < 0)
			f->data = (struct bytes){ "", 0 };
		return err >= 0;
	}
	return true;
}

bool diff_is_binary(struct git *g, const struct diff_opts *o, struct diff_file *f)
{
	if (o->text)
		return false;
	if (f->binary >= 0)
		return f->binary != 0;
	if (f->mode == 0) {
		f->binary = 0;
		return false;
	}
	f->binary = (f->mode & S_FMT) != S_REG ? -1 : userdiff_of(g, f->path)->binary;
	if (f->binary < 0)
		f->binary = diff_load(g, f) && lines_binary(f->data);
	return f->binary != 0;
}
