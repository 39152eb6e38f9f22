/* SPDX-License-Identifier: MIT
 *
 * git clean: what is not tracked goes.
 */
#include "builtins/git/menu.h"
#include "builtins/git/walk.h"

struct clean_opts {
	bool dry_run, quiet, dirs, ignored_too, only_ignored, interactive;
	int force;
	struct names exclude;
};
static const struct git_option clean_options[] = {
	GIT_FLAG('q', "quiet", struct clean_opts, quiet),
	GIT_FLAG('n', "dry-run", struct clean_opts, dry_run),
	GIT_COUNT('f', "force", struct clean_opts, force),
	GIT_FLAG('i', "interactive", struct clean_opts, interactive),
	GIT_FLAG('d', NULL, struct clean_opts, dirs),
	GIT_LIST('e', "exclude", struct clean_opts, exclude),
	GIT_FLAG('x', NULL, struct clean_opts, ignored_too),
	GIT_FLAG('X', NULL, struct clean_opts, only_ignored),
	GIT_END(),
};
static const char *const clean_usage[] = {
	"git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]", NULL
};

/* Without -d and paths, directories are no candidates. */
static void choose_kind(struct names *list, bool dirs)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (dirs || !git_ends(list->at[i], "/"))
			list->at[kept++] = list->at[i];
	list->n = kept;
}

int git_cmd_clean(struct git *g, struct args *args)
{
	struct clean_opts o = { .dry_run = false };
	const struct git_parser p = { clean_options, &o, clean_usage, 0, NULL };
	struct names list = { NULL, 0, 0 };
	struct pathspec ps;
	char dot[] = ".";
	char *here[1] = { dot };
	int status = 0;

	git_parse(g, args, &p);
	if (!o.dry_run && !o.interactive && o.force == 0 &&
	    config_bool(g, "clean.requireforce", true))
		git_die(g, config_get(g, "clean.requireforce") != NULL
				   ? "clean.requireForce set to true and neither -i, -n, nor -f "
				     "given; "
				     "refusing to clean"
				   : "clean.requireForce defaults to true and neither -i, -n, nor "
				     "-f given; "
				     "refusing to clean");
	if (o.ignored_too && o.only_ignored)
		git_die(g, "options '%s' and '%s' cannot be used together", "-x", "-X");
	if (o.ignored_too)
		gitignore_standard(g, false);
	for (size_t i = 0; i < o.exclude.n; i++)
		gitignore_add_pattern(g, o.exclude.at[i]);
	if (args->argc == 0 && g->prefix[0] != '\0')
		pathspec_of(g, here, 1, &ps);
	else
		pathspec_of(g, args->argv, args->argc, &ps);
	work_untracked(g, index_get(g),
		       UNTRACKED_EMPTY_DIRS | (o.only_ignored ? UNTRACKED_IGNORED : 0u) |
			       (o.dirs || ps.n != 0 ? UNTRACKED_KEEP : 0u),
		       &ps, &list, NULL);
	if (o.interactive) {
		choose_kind(&list, o.dirs || ps.n != 0);
		if (!clean_ask(g, &list))
			return 0;
	}
	for (size_t i = 0; i < list.n; i++) {
		char *path = list.at[i];
		size_t n = strlen(path);
		bool dir = n > 0 && path[n - 1] == '/';
		const char *shown = git_quoted(g, path_relative(g, path));

		if (dir && !o.dirs && ps.n == 0)
			continue;
		if (dir && file_exists(g, git_format(g->a, "%s.git", path)) && o.force < 2) {
			if (!o.quiet)
				git_printf(g,
					   o.dry_run ? "Would skip repository %s\n"
						     : "Skipping repository %s\n",
					   shown);
			continue;
		}
		if (o.dry_run) {
			git_printf(g, "Would remove %s\n", shown);
			continue;
		}
		if (!o.quiet)
			git_printf(g, "Removing %s\n", shown);
		if (dir)
			path[n - 1] = '\0';
		if (!file_remove_tree(g, path))
			status = 1;
	}
	return status;
}
