/* SPDX-License-Identifier: MIT
 *
 * git diff, and its plumbing: diff-index, diff-files.
 */
#include "builtins/git/walk.h"

static const char *const diff_usage[] = {
	"git diff [<options>] [<commit>] [--] [<path>...]",
	"git diff [<options>] --cached [--merge-base] [<commit>] [--] [<path>...]",
	"git diff [<options>] [--merge-base] <commit> [<commit>...] <commit> [--] [<path>...]",
	"git diff [<options>] <commit>...<commit> [--] [<path>...]",
	"git diff [<options>] <blob> <blob>",
	"git diff [<options>] --no-index [--] <path> <path>",
	NULL
};

struct diff_args {
	struct revs revs;
	bool cached;
	bool merge_base;
	bool plain_merge;  /* -c */
	bool missing_same; /* -m */
};

static int own_option(struct git *g, void *opts, int argc, char **argv)
{
	struct diff_args *d = opts;
	int taken;

	if (strcmp(argv[0], "-h") == 0)
		git_usage(g, diff_usage);
	if (strcmp(argv[0], "--cached") == 0 || strcmp(argv[0], "--staged") == 0) {
		d->cached = true;
		return 1;
	}
	if (strcmp(argv[0], "--merge-base") == 0) {
		d->merge_base = true;
		return 1;
	}
	if (strcmp(argv[0], "--base") == 0 || strcmp(argv[0], "--ours") == 0 ||
	    strcmp(argv[0], "--theirs") == 0 || strcmp(argv[0], "-1") == 0 ||
	    strcmp(argv[0], "-2") == 0 || strcmp(argv[0], "-3") == 0) {
		d->revs.diff.stage = argv[0][1] == '-' ? (argv[0][2] == 'b'   ? 1
							  : argv[0][2] == 'o' ? 2
									      : 3)
						       : argv[0][1] - '0';
		return 1;
	}
	if (strcmp(argv[0], "-c") == 0 || strcmp(argv[0], "--cc") == 0) {
		d->plain_merge = argv[0][1] == 'c';
		return 1;
	}
	/* diff-index: what is not there is as it was. */
	if (strcmp(argv[0], "-m") == 0 && strcmp(g->command, "diff-index") == 0)
		return d->missing_same = true;
	taken = diff_option(g, &d->revs.diff, argc, argv);
	return taken != 0 ? taken : revs_option(g, &d->revs, argc, argv);
}

static void parse_args(struct git *g, struct args *args, struct diff_args *d)
{
	const char *unknown = git_take_options(g, args, own_option, d);

	if (unknown == NULL)
		return;
	git_error(g, "invalid option: %s", unknown);
	git_exit(g, GIT_STATUS_INVALID);
}

static bool tree_item(struct git *g, const struct revs_item *it, struct oid *out)
{
	return tree_of(g, &it->oid, out);
}

/* Two blobs, or a blob and a file. */
static void add_blob(struct git *g, struct diff_args *d, struct diff_queue *q,
		     const struct revs_item *a, const struct revs_item *b)
{
	const char *pa = a->path != NULL ? a->path : a->name;
	const char *pb = b != NULL ? (b->path != NULL ? b->path : b->name)
				   : d->revs.paths.at[0].match;
	uint32_t mode = a->mode != 0 ? a->mode : MODE_FILE;
	struct diff_file *one = diff_file_new(g, a->path != NULL ? pa : pb, mode, &a->oid);
	struct diff_file *two;

	if (b != NULL)
		two = diff_file_new(g, pb, b->mode != 0 ? b->mode : MODE_FILE, &b->oid);
	else
		two = diff_file_new(g, pb, mode, NULL);
	if (a->path == NULL)
		one->path = pa;
	if (d->revs.diff.reverse)
		diff_add(g, q, two, one);
	else
		diff_add(g, q, one, two);
}

/* A merge against its parents, or one tree against several: as diff-tree --cc has it. */
static bool diff_several(struct git *g, struct diff_args *d)
{
	struct revs *r = &d->revs;
	struct commit *all = arena_zalloc(g->keep, (r->nitems + 1) * sizeof(*all));
	struct commit **parent = arena_array(g->keep, r->nitems + 1, sizeof(*parent));
	struct buf out = buf_in(g->a);
	size_t excluded = 0;

	for (size_t i = 0; i < r->nitems; i++)
		excluded += r->item[i].uninteresting;
	if (r->nitems < 3 || !(excluded == 0 || (excluded + 1 == r->nitems && excluded > 1)))
		return false;
	/* Of REV^! the others are the parents. */
	for (size_t i = 0, n = 0; i < r->nitems; i++) {
		struct commit *c = &all[i];

		if (!tree_item(g, &r->item[i], &c->tree))
			git_die(g, "unable to read tree %s", oid_hex(g, &r->item[i].oid));
		c->parsed = true;
		if (excluded != 0 ? !r->item[i].uninteresting : i == 0)
			all[r->nitems] = *c;
		else
			parent[n++] = c;
	}
	all[r->nitems].parent = parent;
	all[r->nitems].nparents = (uint32_t)r->nitems - 1;
	diff_merge_text(g, &r->diff, &all[r->nitems], !d->plain_merge, &out);
	diff_write(g, &r->diff, buf_bytes(&out));
	return true;
}

/* What the revisions say is to be compared. */
static void fill(struct git *g, struct diff_args *d, struct diff_queue *q)
{
	struct revs *r = &d->revs;
	struct diff_opts *o = &r->diff;
	struct oid t[2];
	struct revs_item *it[2] = { NULL, NULL };
	size_t n = 0;
	bool has_exclude = false;

	for (size_t i = 0; i < r->nitems; i++)
		has_exclude = has_exclude || r->item[i].uninteresting;
	/* A...B: the first merge base and B. */
	if (has_exclude && r->nitems >= 3) {
		it[0] = &r->item[0];
		it[1] = &r->item[r->nitems - 1];
		n = 2;
	} else {
		for (size_t i = 0; i < r->nitems; i++) {
			if (n == 2)
				git_refuse(g, "a diff of more than two trees");
			it[n++] = &r->item[i];
		}
		if (n == 2 && it[1]->uninteresting) {
			struct revs_item *swap = it[0];

			it[0] = it[1];
			it[1] = swap;
		}
	}
	if (n == 1 && it[0]->type == OBJECT_BLOB && r->paths.n == 1) {
		add_blob(g, d, q, it[0], NULL);
		return;
	}
	if (n == 2 && it[0]->type == OBJECT_BLOB && it[1]->type == OBJECT_BLOB) {
		add_blob(g, d, q, it[0], it[1]);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (!tree_item(g, it[i], &t[i]))
			git_die(g, "unable to read tree %s", oid_hex(g, &it[i]->oid));
	if (d->merge_base && n >= 1) {
		struct oid head;
		struct commit **bases;

		if (n == 1 && !head_oid(g, &head))
			git_die(g, "no merge base found");
		if (it[0]->c == NULL ||
		    merge_bases(g, it[0]->c, n == 2 ? it[1]->c : commit_at(g, &head), &bases) != 1)
			git_die(g, "no merge base found");
		t[0] = bases[0]->tree;
	}
	if (n == 0 && !d->cached)
		diff_work(g, o, q);
	else if (n == 0) {
		struct oid head;

		if (head_oid(g, &head) && tree_of(g, &head, &t[0]))
			diff_cached(g, o, &t[0], q);
		else
			diff_cached(g, o, NULL, q);
	} else if (n == 1 && d->cached)
		diff_cached(g, o, &t[0], q);
	else if (n == 1)
		diff_tree_work(g, o, &t[0], q);
	else
		diff_trees(g, o, &t[0], &t[1], q);
}

/* Files with conflicts, shown against both sides. */
static void put_combined(struct git *g, struct diff_opts *o, struct diff_queue *q)
{
	struct index *x = index_get(g);
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];
		struct combined_path cp = { .path = p->one->path,
					    .in_work = true,
					    .mode = p->two->mode };
		struct buf out = buf_in(g->a);
		bool found;
		size_t at;

		if (p->status != 'U') {
			/* The same path against the index's side is not shown twice. */
			if (kept > 0 && q->at[kept - 1].status == 'U' &&
			    strcmp(q->at[kept - 1].one->path, p->two->path) == 0)
				continue;
			q->at[kept++] = *p;
			continue;
		}
		at = index_search(x, cp.path, 1, &found);
		for (; at < x->n && strcmp(x->at[at].path, cp.path) == 0; at++) {
			if (x->at[at].stage < 2)
				continue;
			cp.parent[x->at[at].stage - 2].mode = x->at[at].mode;
			cp.parent[x->at[at].stage - 2].oid = x->at[at].oid;
			cp.n++;
		}
		if (cp.n == 2 && p->two->mode != 0 && (o->format & DIFF_PATCH)) {
			diff_combined(g, o, &cp, true, &out);
			diff_write(g, o, buf_bytes(&out));
		} else {
			q->at[kept++] = *p;
		}
	}
	q->n = kept;
}

static int finish(struct git *g, struct diff_args *d, struct diff_queue *q, bool worktree)
{
	struct diff_opts *o = &d->revs.diff;
	bool changed;

	o->rotate_strict = true;
	diff_finish(g, o, q);
	changed = q->n != 0;
	if (worktree && !o->quiet && o->stage == 0)
		put_combined(g, o, q);
	diff_output(g, o, q);
	return o->check_status | (o->exit_code && changed ? 1 : 0);
}

int git_cmd_diff(struct git *g, struct args *args)
{
	struct diff_args d = { .cached = false };
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	bool refresh;
	int status;

	revs_init(g, &d.revs);
	d.revs.diff.external = d.revs.diff.textconv = true;
	parse_args(g, args, &d);
	d.revs.diff.default_patch = true;
	if (d.revs.diff.no_index || g->dir == NULL) {
		diff_settle(g, &d.revs.diff);
		return diff_no_index(g, &d.revs.diff, args->argc, args->argv);
	}
	revs_operands(g, &d.revs, args);
	diff_settle(g, &d.revs.diff);
	d.revs.diff.submodules = SUBMODULE_IGNORE_UNTRACKED;
	if (!d.cached && d.revs.nitems < 2 && g->work == NULL)
		git_die(g, "this operation must be run in a work tree");
	if (diff_several(g, &d))
		return 0;
	fill(g, &d, &q);
	refresh = !d.cached && d.revs.nitems < 2;
	status = finish(g, &d, &q, refresh && d.revs.nitems == 0);
	if (refresh && g->index != NULL && g->index->dirty &&
	    config_bool(g, "diff.autorefreshindex", true))
		index_write(g, g->index);
	return status;
}

/* --- plumbing --- */

static void plumbing_init(struct git *g, struct args *args, struct diff_args *d, bool operands)
{
	*d = (struct diff_args){ .cached = false };
	revs_init(g, &d->revs);
	d->revs.diff.renames = 0;
	parse_args(g, args, d);
	if (operands)
		revs_operands(g, &d->revs, args);
	if (d->revs.diff.format == 0)
		d->revs.diff.format = DIFF_RAW;
	diff_settle(g, &d->revs.diff);
	d->revs.diff.submodules = SUBMODULE_IGNORE_UNTRACKED;
	d->revs.diff.raw_full = !d->revs.diff.abbrev_given;
}

static void drop_missing(struct diff_queue *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++)
		if (q->at[i].two->mode != 0)
			q->at[kept++] = q->at[i];
	q->n = kept;
}

int git_cmd_diff_index(struct git *g, struct args *args)
{
	struct diff_args d;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct oid tree;

	plumbing_init(g, args, &d, true);
	if (d.revs.nitems != 1 || !tree_of(g, &d.revs.item[0].oid, &tree))
		git_usage(g,
			  (const char *const[]){ "git diff-index [-m] [--cached] [--merge-base] "
						 "[<common-diff-options>] <tree-ish> [<path>...]",
						 NULL });
	if (d.revs.diff.announced == 0)
		d.revs.diff.announced = 1;
	if (d.cached)
		diff_cached(g, &d.revs.diff, &tree, &q);
	else
		diff_tree_work(g, &d.revs.diff, &tree, &q);
	if (d.missing_same)
		drop_missing(&q);
	return finish(g, &d, &q, false);
}

int git_cmd_diff_files(struct git *g, struct args *args)
{
	struct diff_args d;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };

	plumbing_init(g, args, &d, true);
	diff_work(g, &d.revs.diff, &q);
	return finish(g, &d, &q, false);
}

/* --- --no-index --- */

static struct diff_file *outside_file(struct git *g, const char *path)
{
	struct vfs_stat st;
	struct diff_file *f;

	if (strcmp(path, "/dev/null") == 0)
		return diff_file_new(g, path, 0, &oid_null);
	if (cmd_lstat(g->c, path, &st) < 0) {
		git_error(g, "Could not access '%s'", path);
		git_exit(g, 1);
	}
	f = diff_file_new(g, path,
			  (st.mode & S_FMT) == S_LNK ? MODE_LINK
			  : st.mode & 0100           ? MODE_EXEC
						     : MODE_FILE,
			  NULL);
	f->outside = true;
	return f;
}

struct name_set {
	struct names names;
};

static void list_files(struct git *g, const char *dir, struct names *out)
{
	struct walk *w = walk_new(g->c, dir, 0);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_DIR && strcmp(e->name, ".git") == 0)
			walk_skip(w);
		if (e->kind == WALK_FILE)
			names_add(g, out, e->path + strlen(dir) + 1);
		if (e->kind == WALK_ERROR) {
			git_error(g, "Could not open directory %s", e->path);
			git_exit(g, 1);
		}
		cmd_charge(g->c, 1);
	}
	walk_free(w);
	git_sort(g, out->at, out->n, sizeof(*out->at), git_name_cmp);
}

static void add_outside(struct git *g, struct diff_opts *o, struct diff_queue *q,
			struct diff_file *a, struct diff_file *b)
{
	if (a->mode != 0 && b->mode != 0 && a->mode == b->mode && diff_load(g, a) &&
	    diff_load(g, b) && bytes_eq(a->data, b->data))
		return;
	if (a->mode == 0)
		a->path = b->path;
	if (b->mode == 0)
		b->path = a->path;
	if (o->reverse)
		diff_add(g, q, b, a);
	else
		diff_add(g, q, a, b);
}

static void add_dirs(struct git *g, struct diff_opts *o, struct diff_queue *q, const char *a,
		     const char *b)
{
	struct names l[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	size_t i = 0, j = 0;

	list_files(g, a, &l[0]);
	list_files(g, b, &l[1]);
	while (i < l[0].n || j < l[1].n) {
		int order = i == l[0].n ? 1 : j == l[1].n ? -1 : strcmp(l[0].at[i], l[1].at[j]);
		char *pa = order <= 0 ? path_join(g->a, a, l[0].at[i]) : NULL;
		char *pb = order >= 0 ? path_join(g->a, b, l[1].at[j]) : NULL;
		struct diff_file *one = outside_file(g, pa != NULL ? pa : "/dev/null");
		struct diff_file *two = outside_file(g, pb != NULL ? pb : "/dev/null");

		if (o->from_operands) {
			one->place = pa;
			two->place = pb;
			one->path = two->path = order <= 0 ? l[0].at[i] : l[1].at[j];
		}
		add_outside(g, o, q, one, two);
		i += order <= 0;
		j += order >= 0;
	}
}

int diff_no_index(struct git *g, struct diff_opts *o, int argc, char **argv)
{
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	char *path[2];

	if (argc > 0 && strcmp(argv[0], "--") == 0) {
		argv++;
		argc--;
	}
	if (argc != 2) {
		if (!o->no_index)
			git_warn(
				g,
				"Not a git repository. Use --no-index to compare two paths outside "
				"a working tree");
		git_usage(g, (const char *const[]){ "git diff --no-index [<options>] <path> <path>",
						    NULL });
	}
	for (int i = 0; i < 2; i++)
		path[i] = strcmp(argv[i], "/dev/null") == 0 || argv[i][0] == '/'
				  ? argv[i]
				  : git_format(g->a, "%s%s", g->prefix, argv[i]);
	bool dir[2] = { file_is_dir(g, path[0]), file_is_dir(g, path[1]) };

	for (int i = 0; i < 2; i++)
		if (dir[i] && strlen(path[i]) > 1 && git_ends(path[i], "/"))
			path[i] = git_format(g->a, "%.*s", (int)strlen(path[i]) - 1, path[i]);
	if (dir[0] && dir[1]) {
		add_dirs(g, o, &q, path[0], path[1]);
	} else {
		if (dir[0] != dir[1])
			path[dir[0] ? 0 : 1] = path_join(g->a, path[dir[0] ? 0 : 1],
							 path_base(path[dir[0] ? 1 : 0]));
		struct diff_file *one = outside_file(g, path[0]);

		add_outside(g, o, &q, one, outside_file(g, path[1]));
	}
	o->exit_code = true;
	diff_sides(o, "1/", "2/");
	diff_finish(g, o, &q);
	diff_output(g, o, &q);
	return o->format & DIFF_CHECK ? o->check_status : q.n != 0;
}
