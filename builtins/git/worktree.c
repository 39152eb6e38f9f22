/* SPDX-License-Identifier: MIT
 *
 * Work trees as .git/worktrees describes them.
 */
#include "builtins/git/worktree.h"

static char *read_line(struct git *g, const char *path)
{
	struct bytes text;

	if (file_read(g, g->a, path, &text) < 0)
		return NULL;
	return arena_dup(g->keep, git_trim(text));
}

/* HEAD of one of them, which is read by hand: it belongs to another directory. */
static void read_head(struct git *g, struct worktree *w)
{
	char *text = read_line(g, path_join(g->a, w->dir, "HEAD"));

	if (text == NULL)
		return;
	if (git_starts(text, "ref:")) {
		const char *name = text + 4;

		while (*name == ' ' || *name == '\t')
			name++;
		w->branch = arena_dup(g->keep, bytes_of(name));
		w->has_head = ref_read(g, name, &w->head, NULL) == 0;
		return;
	}
	w->has_head = oid_parse_bytes(bytes_of(text), &w->head);
}

static void read_one(struct git *g, struct worktree *w)
{
	char *file = read_line(g, path_join(g->a, w->dir, "gitdir"));

	w->locked = read_line(g, path_join(g->a, w->dir, "locked"));
	if (file == NULL) {
		w->path = w->dir;
		w->prunable = git_format(g->keep, "gitdir file does not exist");
		return;
	}
	w->path = file;
	if (git_ends(file, "/.git"))
		w->path = git_format(g->keep, "%.*s", (int)(strlen(file) - 5), file);
	if (!file_exists(g, file) && w->locked == NULL)
		w->prunable = git_format(g->keep, "gitdir file points to non-existent location");
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct worktree *)a)->path, ((const struct worktree *)b)->path);
}

size_t worktree_list(struct git *g, struct worktree **out)
{
	char *dir = path_join(g->keep, g->common, "worktrees");
	struct vfs_dirent *entry;
	struct worktree *list;
	size_t n = 0, count;
	const char *bare = config_get(g, "core.bare");

	if (cmd_list(g->c, CMD_CWD, dir, g->keep, &entry, &n) < 0)
		n = 0;
	list = arena_zalloc(g->keep, (n + 1) * sizeof(*list));
	list[0].dir = g->common;
	list[0].path = g->common;
	list[0].bare = bare != NULL && config_truth(bare) == 1;
	if (git_ends(g->common, "/.git"))
		list[0].path = git_format(g->keep, "%.*s", (int)(strlen(g->common) - 5), g->common);
	read_head(g, &list[0]);
	count = 1;
	for (size_t i = 0; i < n; i++) {
		struct worktree *w = &list[count];

		w->name = arena_dup(g->keep, entry[i].name);
		w->dir = path_join(g->keep, dir, w->name);
		if (!file_is_dir(g, w->dir))
			continue;
		read_one(g, w);
		read_head(g, w);
		count++;
	}
	git_sort(g, list + 1, count - 1, sizeof(*list), by_path);
	*out = list;
	return count;
}

const char *worktree_using(struct git *g, const char *branch)
{
	struct worktree *list;
	size_t n;

	if (!file_is_dir(g, path_join(g->a, g->common, "worktrees")))
		return NULL;
	n = worktree_list(g, &list);
	for (size_t i = 0; i < n; i++)
		if (list[i].branch != NULL && !list[i].bare &&
		    strcmp(list[i].branch, branch) == 0 && strcmp(list[i].dir, g->dir) != 0)
			return list[i].path;
	return NULL;
}
