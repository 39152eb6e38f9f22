/* SPDX-License-Identifier: MIT
 *
 * git clean -i: what is to be removed is asked on standard input.
 */
#include "builtins/git/columns.h"
#include "builtins/git/menu.h"

struct clean_menu {
	struct git *g;
	struct input in;
	struct names *list;
};

/* What follows a command. */
enum next { NEXT_MENU, NEXT_REMOVE, NEXT_QUIT };

static const char *shown(struct git *g, const char *path)
{
	return git_quoted(g, path_relative(g, path));
}

static void put_list(struct clean_menu *m)
{
	const struct columns layout = {
		.when = COLUMNS_ALWAYS, .layout = 'c', .padding = 2, .indent = "  ", .newline = "\n"
	};
	struct names cells = { NULL, 0, 0 };

	for (size_t i = 0; i < m->list->n; i++)
		names_add(m->g, &cells, shown(m->g, m->list->at[i]));
	columns_put(m->g, &layout, &cells);
}

static enum next start(struct clean_menu *m)
{
	(void)m;
	return NEXT_REMOVE;
}

/* Whether the pattern, as in .gitignore, is of the item; directories end in a slash. */
static bool names_it(struct git *g, const char *pattern, const char *item)
{
	struct bytes path = bytes_of(item);
	size_t len = strlen(pattern);
	bool dir = path.len != 0 && path.ptr[path.len - 1] == '/';

	path.len -= dir;
	if (len > 1 && pattern[len - 1] == '/') {
		if (!dir)
			return false;
		pattern = git_format(g->a, "%.*s", (int)len - 1, pattern);
	}
	if (strchr(pattern, '/') != NULL)
		return wild_match(pattern + (pattern[0] == '/'), path, WILD_PATHNAME);
	return wild_match(pattern, bytes_of(path_base(arena_dup(g->a, path))), 0);
}

/* Takes items out that one of the patterns names; false: there are none. */
static bool leave_out(struct clean_menu *m, char *patterns)
{
	size_t before = m->list->n;

	for (char *at = patterns; *at != '\0';) {
		char *word = at;
		size_t kept = 0;

		at += strcspn(at, " \t");
		if (*at != '\0')
			*at++ = '\0';
		at += strspn(at, " \t");
		for (size_t i = 0; i < m->list->n; i++) {
			cmd_charge(m->g->c, 1);
			if (!names_it(m->g, word, m->list->at[i]))
				m->list->at[kept++] = m->list->at[i];
		}
		m->list->n = kept;
	}
	return m->list->n != before;
}

static enum next filter(struct clean_menu *m)
{
	bool changed = true;

	for (;;) {
		const char *given;
		char *line;

		if (m->list->n == 0)
			break;
		if (changed)
			put_list(m);
		git_printf(m->g, "Input ignore patterns>> ");
		line = menu_line(m->g, &m->in);
		if (line == NULL)
			git_printf(m->g, "\n");
		if (line == NULL || *line == '\0')
			break;
		given = arena_dup(m->g->a, bytes_of(line));
		changed = leave_out(m, line);
		if (!changed)
			git_printf(m->g, "WARNING: Cannot find items matched by: %s\n", given);
	}
	return NEXT_MENU;
}

static enum next select_some(struct clean_menu *m)
{
	struct menu menu = { .prompt = "Select items to delete", .beside = true };
	size_t kept = 0, n;

	for (size_t i = 0; i < m->list->n; i++)
		menu_add(m->g, &menu, shown(m->g, m->list->at[i]), "");
	n = menu_choose(m->g, &menu, &m->in);
	for (size_t i = 0; n != 0 && i < menu.n; i++)
		if (menu.at[i].chosen)
			m->list->at[kept++] = m->list->at[i];
	m->list->n = kept;
	return NEXT_MENU;
}

static enum next ask_each(struct clean_menu *m)
{
	size_t kept = 0;
	bool ended = false;

	for (size_t i = 0; i < m->list->n && !ended; i++) {
		char *line;

		git_printf(m->g, "Remove %s [y/N]? ", shown(m->g, m->list->at[i]));
		line = menu_line(m->g, &m->in);
		ended = line == NULL;
		if (ended)
			git_printf(m->g, "\n");
		else if (*line != '\0' && strlen(line) <= 3 &&
			 git_eq_nocase(bytes_of(line), (struct bytes){ "yes", strlen(line) }))
			m->list->at[kept++] = m->list->at[i];
	}
	m->list->n = kept;
	return NEXT_REMOVE;
}

static enum next quit(struct clean_menu *m)
{
	git_printf(m->g, "Bye.\n");
	return NEXT_QUIT;
}

static enum next help(struct clean_menu *m)
{
	git_printf(m->g, "clean               - start cleaning\n"
			 "filter by pattern   - exclude items from deletion\n"
			 "select by numbers   - select items to be deleted by numbers\n"
			 "ask each            - confirm each deletion (like \"rm -i\")\n"
			 "quit                - stop cleaning\n"
			 "help                - this screen\n"
			 "?                   - help for prompt selection\n");
	return NEXT_MENU;
}

static const struct {
	const char *name;
	enum next (*run)(struct clean_menu *m);
} commands[] = {
	{ "clean", start },
	{ "filter by pattern", filter },
	{ "select by numbers", select_some },
	{ "ask each", ask_each },
	{ "quit", quit },
	{ "help", help },
};

/* The command that is chosen. */
static size_t ask_command(struct clean_menu *m, const struct menu *menu)
{
	for (;;) {
		char *line;
		size_t which;

		cmd_charge(m->g->c, 10);
		git_printf(m->g, "*** Commands ***\n");
		menu_show(m->g, menu, false);
		git_printf(m->g, "What now> ");
		line = menu_line(m->g, &m->in);
		if (line == NULL)
			return menu_find(menu, "quit");
		if (*line == '\0')
			continue;
		if (strcmp(line, "?") == 0) {
			menu_help(m->g, true);
			continue;
		}
		which = menu_find(menu, line);
		if (which != SIZE_MAX)
			return which;
		git_printf(m->g, "Huh (%s)?\n", line);
	}
}

bool clean_ask(struct git *g, struct names *list)
{
	struct clean_menu m = { .g = g, .list = list };
	struct menu menu = { .beside = true };
	enum next next = NEXT_MENU;

	if (list->n == 0)
		return false;
	input_init(&m.in, g->c, 0, "-");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		menu_add(g, &menu, commands[i].name, "");
	while (next == NEXT_MENU) {
		if (list->n == 0) {
			git_printf(g, "No more files to clean, exiting.\n");
			return false;
		}
		git_printf(g, "Would remove the following item%s:\n", list->n == 1 ? "" : "s");
		put_list(&m);
		next = commands[ask_command(&m, &menu)].run(&m);
	}
	return next == NEXT_REMOVE;
}
