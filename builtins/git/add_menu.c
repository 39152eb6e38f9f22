/* SPDX-License-Identifier: MIT
 *
 * git add -i: a menu of what can be done with changes, on standard input.
 */
#include "builtins/git/menu.h"
#include "builtins/git/patch_mode.h"

struct change {
	const char *path;
	struct diff_counts count[2]; /* of the index against HEAD, of the work tree against it */
	bool is[2], unmerged;
};

struct changes {
	struct change *at;
	size_t n, cap;
};

enum { STAGED = 1, UNSTAGED = 2 };

struct add_menu {
	struct git *g;
	struct input in;
	struct pathspec ps;
	struct oid head; /* its tree, or the empty one */
};

static const char list_header[] = "           staged     unstaged path";

/* --- what changed --- */

static struct change *change_at(struct git *g, struct changes *list, const char *path)
{
	git_charge_search(g, list->n, path);
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->at[i].path, path) == 0)
			return &list->at[i];
	LIST_ROOM(g, list->at, list->n, list->cap);
	list->at[list->n] = (struct change){ .path = arena_dup(g->keep, bytes_of(path)) };
	return &list->at[list->n++];
}

static int change_cmp(const void *a, const void *b)
{
	return strcmp(((const struct change *)a)->path, ((const struct change *)b)->path);
}

static void collect(struct add_menu *m, int side, struct changes *list)
{
	struct git *g = m->g;
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };

	diff_init(g, &d);
	d.renames = 0;
	d.format = DIFF_NUMSTAT;
	d.paths = m->ps;
	diff_settle(g, &d);
	d.submodules = SUBMODULE_IGNORE_DIRTY;
	if (side == 0)
		diff_cached(g, &d, &m->head, &q);
	else
		diff_work(g, &d, &q);
	diff_finish(g, &d, &q);
	for (size_t i = 0; i < q.n; i++) {
		struct change *c = change_at(g, list, q.at[i].two->path);

		cmd_charge(g->c, list->n);
		c->unmerged = c->unmerged || q.at[i].status == 'U';
		c->is[side] = true;
		diff_count(g, &d, &q.at[i], &c->count[side]);
	}
}

/* which: STAGED or UNSTAGED changes, 0: all. */
static struct changes changes_of(struct add_menu *m, unsigned which)
{
	struct changes list = { NULL, 0, 0 };
	size_t kept = 0;

	collect(m, 0, &list);
	collect(m, 1, &list);
	git_sort(m->g, list.at, list.n, sizeof(*list.at), change_cmp);
	for (size_t i = 0; i < list.n; i++)
		if (which == 0 || list.at[i].is[which == UNSTAGED])
			list.at[kept++] = list.at[i];
	list.n = kept;
	return list;
}

static const char *counted(struct git *g, const struct change *c, int side)
{
	const struct diff_counts *n = &c->count[side];

	if (!c->is[side])
		return side == 0 ? "unchanged" : "nothing";
	return n->binary ? "binary" : git_format(g->a, "+%zu/-%zu", n->added, n->deleted);
}

static struct menu menu_of(struct git *g, const struct changes *list, const char *prompt)
{
	struct menu menu = { .header = list_header, .prompt = prompt };

	for (size_t i = 0; i < list->n; i++)
		menu_add(g, &menu, list->at[i].path,
			 git_format(g->keep, "%12s %12s ", counted(g, &list->at[i], 0),
				    counted(g, &list->at[i], 1)));
	return menu;
}

/* --- commands --- */

static void show_status(struct add_menu *m)
{
	struct changes list = changes_of(m, 0);
	struct menu menu = menu_of(m->g, &list, "");

	menu_show(m->g, &menu, false);
	cmd_putc(m->g->c, '\n');
}

static void stage_now(struct git *g, struct index *x, const char *path)
{
	struct vfs_stat st;
	struct entry *old = index_find(x, path);
	struct oid o;
	uint32_t mode;

	if (cmd_lstat(g->c, path, &st) < 0) {
		index_remove(x, path);
		return;
	}
	mode = work_mode(g, &st, old);
	if (work_hash(g, path, mode, true, &o) < 0)
		git_die(g, "could not stage '%s'", path);
	index_stat(g, index_put(x, path, mode, &o), &st);
}

static void take_back(struct add_menu *m, struct index *x, const char *path)
{
	uint32_t mode;
	struct oid o;

	if (tree_find(m->g, &m->head, path, &mode, &o)) {
		index_put(x, path, mode, &o);
		return;
	}
	index_remove(x, path);
	git_printf(m->g, "note: %s is untracked now.\n", path);
}

static void put_done(struct git *g, const char *what, size_t n)
{
	git_printf(g, "%s %zu path%s\n", what, n, n == 1 ? "" : "s");
}

/* back: what is chosen leaves the index; else it enters it. */
static void change_index(struct add_menu *m, struct menu *menu, bool back, const char *done)
{
	struct git *g = m->g;
	struct index *x = index_get(g);
	size_t n = menu_choose(g, menu, &m->in);

	for (size_t i = 0; n != 0 && i < menu->n; i++) {
		if (!menu->at[i].chosen)
			continue;
		if (back)
			take_back(m, x, menu->at[i].name);
		else
			stage_now(g, x, menu->at[i].name);
	}
	if (n == 0)
		return;
	x->dirty = true;
	index_write(g, x);
	put_done(g, done, n);
}

static void update(struct add_menu *m)
{
	struct changes list = changes_of(m, UNSTAGED);
	struct menu menu = menu_of(m->g, &list, "Update");

	if (menu.n != 0)
		change_index(m, &menu, false, "updated");
	cmd_putc(m->g->c, '\n');
}

static void revert(struct add_menu *m)
{
	struct changes list = changes_of(m, STAGED);
	struct menu menu = menu_of(m->g, &list, "Revert");

	if (menu.n != 0)
		change_index(m, &menu, true, "reverted");
	cmd_putc(m->g->c, '\n');
}

static void add_untracked(struct add_menu *m)
{
	struct git *g = m->g;
	struct names list = { NULL, 0, 0 };
	struct menu menu = { .header = list_header, .prompt = "Add untracked" };

	work_untracked(g, index_get(g), UNTRACKED_ALL, &m->ps, &list, NULL);
	for (size_t i = 0; i < list.n; i++)
		menu_add(g, &menu, list.at[i], "");
	if (menu.n == 0)
		git_printf(g, "No untracked files.\n");
	else
		change_index(m, &menu, false, "added");
	cmd_putc(g->c, '\n');
}

/* Those that are chosen, as operands. */
static char **chosen(struct git *g, const struct menu *menu, int *n)
{
	char **list = arena_array(g->keep, menu->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < menu->n; i++)
		if (menu->at[i].chosen)
			list[(*n)++] = git_format(g->keep, ":(top,literal)%s", menu->at[i].name);
	return list;
}

static void patch(struct add_menu *m)
{
	struct git *g = m->g;
	struct changes list = changes_of(m, UNSTAGED);
	struct menu menu;
	size_t kept = 0, all = list.n;
	int n;

	for (size_t i = 0; i < list.n; i++)
		if (!list.at[i].unmerged && !list.at[i].count[1].binary)
			list.at[kept++] = list.at[i];
	list.n = kept;
	menu = menu_of(g, &list, "Patch update");
	if (menu.n == 0)
		git_say(g, all != 0 ? "Only binary files changed.\n" : "No changes.\n");
	if (menu.n == 0 || menu_choose(g, &menu, &m->in) == 0)
		return;
	char **paths = chosen(g, &menu, &n);

	patch_ask_from(g, PATCH_STAGE, patch_difference(g, PATCH_STAGE, NULL, paths, n), &m->in);
}

static void show_diff(struct add_menu *m)
{
	struct git *g = m->g;
	struct changes list = changes_of(m, STAGED);
	struct menu menu = menu_of(g, &list, "Review diff");
	struct diff_queue q = { .at = NULL };
	struct diff_opts d;
	int n;

	menu.once = true;
	if (menu.n != 0 && menu_choose(g, &menu, &m->in) != 0) {
		char **paths = chosen(g, &menu, &n);

		diff_init(g, &d);
		d.format = DIFF_PATCH;
		d.external = d.textconv = true;
		pathspec_of(g, paths, n, &d.paths);
		diff_settle(g, &d);
		diff_cached(g, &d, &m->head, &q);
		diff_finish(g, &d, &q);
		diff_output(g, &d, &q);
	}
	cmd_putc(g->c, '\n');
}

static void show_help(struct add_menu *m)
{
	git_printf(m->g, "status        - show paths with changes\n"
			 "update        - add working tree state to the staged set of changes\n"
			 "revert        - revert staged set of changes back to the HEAD version\n"
			 "patch         - pick hunks and update selectively\n"
			 "diff          - view diff between HEAD and index\n"
			 "add untracked - add contents of untracked files to the staged set of "
			 "changes\n");
}

/* --- the menu --- */

static const struct {
	const char *name;
	void (*run)(struct add_menu *m);
} commands[] = {
	{ "status", show_status }, { "update", update },
	{ "revert", revert },      { "add untracked", add_untracked },
	{ "patch", patch },        { "diff", show_diff },
	{ "quit", NULL },          { "help", show_help },
};

static void ask_command(struct git *g)
{
	git_printf(g, "*** Commands ***\n"
		      "  1: [s]tatus\t  2: [u]pdate\t  3: [r]evert\t  4: [a]dd untracked\n"
		      "  5: [p]atch\t  6: [d]iff\t  7: [q]uit\t  8: [h]elp\n"
		      "What now> ");
}

int add_interactive(struct git *g, char **paths, int n)
{
	struct add_menu m = { .g = g, .head = oid_empty_tree };
	struct menu menu = { .prompt = "" };
	struct oid head;
	char *line;

	if (head_oid(g, &head))
		tree_of(g, &head, &m.head);
	pathspec_of(g, paths, n, &m.ps);
	input_init(&m.in, g->c, 0, "-");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		menu_add(g, &menu, commands[i].name, "");
	show_status(&m);
	for (;;) {
		size_t which;

		cmd_charge(g->c, 10);
		ask_command(g);
		line = menu_line(g, &m.in);
		if (line == NULL) {
			git_printf(g, "\n");
			break;
		}
		if (*line == '\0')
			continue;
		if (strcmp(line, "?") == 0) {
			menu_help(g, true);
			continue;
		}
		which = menu_find(&menu, line);
		if (which == SIZE_MAX)
			git_printf(g, "Huh (%s)?\n", line);
		else if (commands[which].run == NULL)
			break;
		else
			commands[which].run(&m);
	}
	git_printf(g, "Bye.\n");
	cmd_flush(g->c);
	return 0;
}
