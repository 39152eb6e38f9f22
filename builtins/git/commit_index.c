/* SPDX-License-Identifier: MIT
 *
 * The index that a commit is made of. What `commit -a`, `-i` and paths add becomes part of the
 * repository's index when the commit is made, not before: until then it is in a file beside it,
 * which the hooks and the editor are told of.
 */
#include "builtins/git/commit.h"

void stage_tracked(struct git *g, struct index *x, struct pathspec *ps)
{
	struct names changed = { NULL, 0, 0 };
	struct names gone = { NULL, 0, 0 };

	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->at[i];
		enum entry_state state;

		if (!pathspec_match(g, ps, e->path, false))
			continue;
		state = index_check(g, x, e, NULL);
		if (state == ENTRY_MISSING)
			names_add(g, &gone, e->path);
		else if (state != ENTRY_SAME || e->stage != 0)
			names_add(g, &changed, e->path);
	}
	for (size_t i = 0; i < gone.n; i++)
		index_remove(x, gone.at[i]);
	for (size_t i = 0; i < changed.n; i++) {
		struct vfs_stat st;
		struct oid o;
		uint32_t mode;

		if (cmd_lstat(g->c, changed.at[i], &st) < 0)
			continue;
		mode = work_mode(g, &st, index_find(x, changed.at[i]));
		if (work_hash(g, changed.at[i], mode, true, &o) < 0)
			git_die(g, "updating files failed");
		index_stat(g, index_put(x, changed.at[i], mode, &o), &st);
	}
}

void stage_dropped(struct git *g, struct index *x, struct pathspec *ps, const struct leaves *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *path = l->at[i].path;
		struct vfs_stat st;
		struct oid o;
		uint32_t mode;

		if (!pathspec_match(g, ps, path, false) || index_has(x, path) ||
		    cmd_lstat(g->c, path, &st) < 0)
			continue;
		mode = work_mode(g, &st, NULL);
		if (work_hash(g, path, mode, true, &o) < 0)
			git_die(g, "updating files failed");
		index_stat(g, index_put(x, path, mode, &o), &st);
	}
}

_Noreturn void commit_refuse_unmerged(struct git *g, const char *doing)
{
	const struct index *x = index_get(g);

	for (size_t i = 0; i < x->n; i++)
		if (x->at[i].stage != 0 &&
		    (i == 0 || strcmp(x->at[i - 1].path, x->at[i].path) != 0))
			git_printf(g, "U\t%s\n", git_quoted(g, x->at[i].path));
	git_error(g, "%s is not possible because you have unmerged files.", doing);
	git_hint(g, "resolveConflict",
		 "Fix them up in the work tree, and then use 'git add/rm <file>'\n"
		 "as appropriate to mark resolution and make a commit.\n");
	git_die(g, "Exiting because of an unresolved conflict.");
}

void commit_index_hold(struct git *g, struct commit_index *held, struct index *full,
		       struct index *part)
{
	held->path = git_format(g->keep, "%s/next-index-%d.lock", g->dir, cmd_pid(g->c));
	held->full = full;
	held->partial = part != full;
	g->temporary = g->index_file = held->path;
	cmd_unlink(g->c, CMD_CWD, held->path, 0);
	index_write_to(g, part, held->path);
	part->unsaved = true;
}

struct index *commit_index_again(struct git *g, struct commit_index *held)
{
	if (held->path == NULL) {
		g->index = NULL;
		return index_get(g);
	}
	g->index = index_read(g, held->path);
	g->index->unsaved = true;
	return g->index;
}

void commit_index_check(struct git *g, const struct commit_index *held)
{
	if (held->path != NULL && index_is_others(g, held->full))
		file_is_locked(g, path_join(g->a, g->dir, "index"));
}

void commit_index_keep(struct git *g, struct commit_index *held)
{
	if (held->path == NULL)
		return;
	/* What hooks add to the files of some paths is in the commit, but not in the index. */
	struct index *x = held->partial ? held->full : index_read(g, held->path);

	x->read = false;
	index_write(g, x);
	g->index = NULL;
	git_clean_up(g);
}
