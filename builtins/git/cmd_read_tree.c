/* SPDX-License-Identifier: MIT
 *
 * git read-tree: trees into the index, one over the other; below a directory (--prefix); or one
 * in place of what is there (-m, --reset), with the files (-u). Merges are in read_tree_merge.c.
 */
#include "builtins/git/read_tree.h"
#include "builtins/git/sparse.h"

static const struct git_option read_options[] = {
	GIT_STR(0, "index-output", struct read_opts, output),
	GIT_FLAG(0, "empty", struct read_opts, empty),
	GIT_FLAG('v', "verbose", struct read_opts, verbose),
	GIT_FLAG('m', NULL, struct read_opts, merge),
	GIT_FLAG(0, "trivial", struct read_opts, trivial),
	GIT_FLAG(0, "aggressive", struct read_opts, aggressive),
	GIT_FLAG(0, "reset", struct read_opts, reset),
	GIT_STR(0, "prefix", struct read_opts, prefix),
	GIT_FLAG('u', NULL, struct read_opts, update),
	GIT_MISSING_ARG(0, "exclude-per-directory"),
	GIT_FLAG('i', NULL, struct read_opts, index_only),
	GIT_FLAG('n', "dry-run", struct read_opts, dry_run),
	GIT_FLAG(0, "no-sparse-checkout", struct read_opts, no_sparse),
	GIT_FLAG('q', "quiet", struct read_opts, quiet),
	GIT_END(),
};
static const char *const read_usage[] = {
	"git read-tree [(-m [--trivial] [--aggressive] | --reset | --prefix=<prefix>)\n"
	"              [-u | -i]] [--index-output=<file>] [--no-sparse-checkout]\n"
	"              (--empty | <tree-ish1> [<tree-ish2> [<tree-ish3>]])",
	NULL
};

static void tree_named(struct git *g, const char *name, struct oid *out)
{
	struct oid o;

	if (rev_parse(g, name, &o) < 0)
		git_die(g, "Not a valid object name %s", name);
	if (!tree_of(g, &o, out))
		git_die(g, "failed to unpack tree object %s", name);
}

static void check_options(struct reading *r, const struct args *args)
{
	struct git *g = r->g;
	const struct read_opts *o = &r->o;
	bool kind = o->merge || o->reset || o->prefix != NULL;

	if (o->prefix != NULL && o->prefix[0] == '/')
		git_die(g, "Invalid prefix, prefix cannot start with '/'");
	if ((o->merge || o->reset) + (o->prefix != NULL) > 1)
		git_die(g, "Which one? -m, --reset, or --prefix?");
	for (int i = 0; i < args->argc; i++) {
		struct oid tree;

		tree_named(g, args->argv[i], &tree);
	}
	if (o->update && !kind)
		git_die(g, "-u is meaningless without -m, --reset, or --prefix");
	if (o->update && o->index_only)
		git_die(g, "-u and -i at the same time makes no sense");
	if (o->index_only && !kind)
		git_die(g, "-i is meaningless without -m, --reset, or --prefix");
	if (o->empty && args->argc != 0)
		git_die(g, "passing trees as arguments contradicts --empty");
	if (!o->empty && args->argc == 0 && !kind)
		git_warn(g, "read-tree: emptying the index with no arguments is deprecated; use "
			    "--empty");
	if (kind && args->argc == 0)
		git_die(g, "you must specify at least one tree to merge");
	if (kind && args->argc > (o->prefix != NULL ? 1 : 3))
		git_refuse(g, o->prefix != NULL ? "read-tree --prefix of several trees"
						: "read-tree -m of more than three trees");
	if (o->merge && !o->reset && index_unmerged(r->x))
		git_die(g, "You need to resolve your current index first");
}

bool read_tree_in_the_way(struct reading *r, const char *path)
{
	const char *in_the_way;
	struct vfs_stat st;

	if (!r->o.update || r->o.reset)
		return false;
	in_the_way = work_in_the_way(r->g, path);
	if (in_the_way != NULL ? index_has(r->x, in_the_way) : cmd_lstat(r->g->c, path, &st) < 0)
		return false;
	if (!r->o.quiet)
		git_error(r->g, "Untracked working tree file '%s' would be overwritten by merge.",
			  in_the_way != NULL ? in_the_way : path);
	return true;
}

static int read_below(struct reading *r, const struct oid *tree)
{
	struct git *g = r->g;
	struct leaves l = { NULL, 0, 0 };
	const char *p = r->o.prefix;
	const char *slash = p[0] != '\0' && !git_ends(p, "/") ? "/" : "";

	tree_flatten(g, g->keep, tree, &l);
	for (size_t i = 0; i < l.n; i++) {
		char *path = git_format(g->keep, "%s%s%s", p, slash, l.at[i].path);

		if (!path_safe(path)) {
			git_error(g, "invalid path '%s'", path);
			return GIT_STATUS_FATAL;
		}
		if (index_has(r->x, path)) {
			git_error(g, "Entry '%s' overlaps with '%s'.  Cannot bind.", path, path);
			return GIT_STATUS_FATAL;
		}
		if (read_tree_in_the_way(r, path))
			return GIT_STATUS_FATAL;
		l.at[i].path = path;
		cmd_charge(g->c, 2);
	}
	for (size_t i = 0; i < l.n; i++) {
		struct entry *e = index_put(r->x, l.at[i].path, l.at[i].mode, &l.at[i].oid);

		if (r->o.update && !r->o.dry_run)
			work_write(g, e->path, e->mode, &e->oid, e);
	}
	return 0;
}

/* Whether the entry is what the tree has. */
static bool as_tree(const struct leaf *l, const struct entry *e)
{
	return l != NULL && l->mode == e->mode && oid_eq(&l->oid, &e->oid);
}

/* Whether files of entries that change are as the index knows them. */
static bool files_allow(struct reading *r, const struct leaves *l)
{
	struct git *g = r->g;

	for (size_t i = 0; i < r->x->n; i++) {
		struct entry *e = &r->x->at[i];

		if (as_tree(leaves_find(l, e->path), e) ||
		    index_check(g, r->x, e, NULL) == ENTRY_SAME ||
		    index_check(g, r->x, e, NULL) == ENTRY_MISSING)
			continue;
		if (!r->o.quiet)
			git_error(g, "Entry '%s' not uptodate. Cannot merge.", e->path);
		return false;
	}
	for (size_t i = 0; i < l->n; i++)
		if (!index_has(r->x, l->at[i].path) && read_tree_in_the_way(r, l->at[i].path))
			return false;
	return true;
}

/* One tree in place of what is there. */
static int read_instead(struct reading *r, const struct oid *tree)
{
	struct git *g = r->g;
	struct leaves l = { NULL, 0, 0 };
	bool *keep;

	tree_flatten(g, g->keep, tree, &l);
	if (!r->o.index_only && !r->o.reset && !files_allow(r, &l))
		return GIT_STATUS_FATAL;
	if (!r->o.update || r->o.dry_run) {
		index_read_tree(g, r->x, tree);
		return 0;
	}
	/* Without --reset files that stay the same may have changes. */
	keep = arena_array(g->keep, l.n + 1, sizeof(*keep));
	for (size_t i = 0; i < l.n; i++) {
		const struct entry *e = index_find(r->x, l.at[i].path);

		keep[i] = !r->o.reset && e != NULL && as_tree(&l.at[i], e);
	}
	for (size_t i = 0; i < r->x->n; i++)
		if (leaves_find(&l, r->x->at[i].path) == NULL)
			work_remove(g, r->x->at[i].path);
	index_read_tree(g, r->x, tree);
	for (size_t i = 0; i < r->x->n; i++) {
		struct entry *e = &r->x->at[i];

		if (!keep[i] && index_check(g, r->x, e, NULL) != ENTRY_SAME)
			work_write(g, e->path, e->mode, &e->oid, e);
	}
	return 0;
}

/* Trees over each other; of one path the last one's counts. */
static void read_over(struct reading *r, struct args *args)
{
	struct git *g = r->g;

	if (args->argc == 0)
		r->x->n = 0;
	for (int i = 0; i < args->argc; i++) {
		struct leaves l = { NULL, 0, 0 };
		struct oid tree;

		tree_named(g, args->argv[i], &tree);
		if (i == 0) {
			index_read_tree(g, r->x, &tree);
			continue;
		}
		tree_flatten(g, g->keep, &tree, &l);
		for (size_t k = 0; k < l.n; k++)
			index_put(r->x, l.at[k].path, l.at[k].mode, &l.at[k].oid);
	}
}

int git_cmd_read_tree(struct git *g, struct args *args)
{
	struct reading r = { .g = g };
	const struct git_parser p = { read_options, &r.o, read_usage, 0, NULL };
	struct oid tree[3];
	int status = 0;

	git_parse(g, args, &p);
	/* What was there does not matter where it is replaced. */
	if (!r.o.merge && !r.o.reset && r.o.prefix == NULL)
		g->index = index_new(g);
	r.x = index_get(g);
	check_options(&r, args);
	if (!r.o.merge && !r.o.reset && r.o.prefix == NULL) {
		read_over(&r, args);
	} else {
		for (int i = 0; i < args->argc; i++)
			tree_named(g, args->argv[i], &tree[i]);
		status = r.o.prefix != NULL ? read_below(&r, &tree[0])
			 : args->argc > 1   ? read_tree_merge(&r, tree, args->argc)
					    : read_instead(&r, &tree[0]);
	}
	if (status != 0 || r.o.dry_run)
		return status;
	if (r.o.output != NULL)
		index_write_to(g, r.x, path_join(g->a, g->start, r.o.output));
	else
		index_write(g, r.x);
	if (r.o.update && !r.o.no_sparse && r.o.output == NULL && sparse_is_on(g))
		sparse_apply(g, false);
	return 0;
}
