/* SPDX-License-Identifier: MIT
 *
 * checkout -m, switch -m: local changes are carried over to what is switched to, by a merge of
 * the files with it; what was before is the base. They stay changes, nothing of them is staged.
 */
#include "builtins/git/checkout.h"
#include "builtins/git/diff.h"
#include "builtins/git/merge.h"

static void refuse_staged(struct git *g, const struct oid *tree)
{
	const char *paths = diff_staged_paths(g, tree);

	if (paths != NULL)
		git_die(g, "cannot continue with staged changes in the following files:\n%s",
			paths);
}

/* The index becomes the tree, but for what is in conflict; the files are left alone. */
static void unstage(struct git *g, struct index *x, const struct oid *tree)
{
	struct leaves l = { NULL, 0, 0 };
	struct names gone = { NULL, 0, 0 };

	tree_flatten(g, g->keep, tree, &l);
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i].stage == 0 && leaves_find(&l, x->at[i].path) == NULL)
			names_add(g, &gone, x->at[i].path);
	for (size_t i = 0; i < gone.n; i++)
		index_remove(x, gone.at[i]);
	for (size_t i = 0; i < l.n; i++) {
		const struct entry *e = index_find(x, l.at[i].path);

		if (e == NULL ? !index_has(x, l.at[i].path)
			      : e->mode != l.at[i].mode || !oid_eq(&e->oid, &l.at[i].oid))
			index_put(x, l.at[i].path, l.at[i].mode, &l.at[i].oid);
	}
	x->dirty = true;
}

bool checkout_merge(struct git *g, const struct checkout *k, const struct oid *old,
		    const char *old_name, const struct oid *tree)
{
	struct merging m = { .g = g,
			     .ours = k->name,
			     .theirs = "local",
			     .base = old_name,
			     .style = merge_style_of(g, k->o.conflict) };
	struct index *x = index_get(g);
	struct pathspec all = { .n = 0 };
	struct oid old_tree, work;

	tree_of(g, old, &old_tree);
	refuse_staged(g, &old_tree);
	stage_tracked(g, x, &all);
	if (!tree_write_index(g, x, false, &work))
		return false;
	work_reset(g, tree);
	merge_trees(&m, &old_tree, tree, &work);
	if (!merge_apply(&m, tree, "checkout"))
		return false;
	unstage(g, x, tree);
	return true;
}
