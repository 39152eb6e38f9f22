/* SPDX-License-Identifier: MIT
 *
 * git init.
 */
#include "builtins/git/share.h"

struct init_opts {
	bool quiet;
	bool bare;
	const char *branch;
	const char *template;
	const char *separate;
	const char *format;
};

static const char *const init_usage[] = {
	"git init [-q | --quiet] [--bare] [--template=<template-directory>]\n"
	"         [--separate-git-dir <git-dir>] [--object-format=<format>]\n"
	"         [-b <branch-name> | --initial-branch=<branch-name>]\n"
	"         [--shared[=<permissions>]] [<directory>]",
	NULL
};

static int set_shared(struct git *g, void *o, const char *text, bool unset)
{
	(void)o;
	if (unset) {
		git_error(g, "unknown option `no-shared'");
		git_usage(g, init_usage);
	}
	g->shared = share_parse(g, text, "arg");
	return 0;
}

static const struct git_option init_options[] = {
	GIT_FLAG('q', "quiet", struct init_opts, quiet),
	GIT_FLAG(0, "bare", struct init_opts, bare),
	GIT_STR('b', "initial-branch", struct init_opts, branch),
	GIT_STR(0, "template", struct init_opts, template),
	GIT_STR(0, "separate-git-dir", struct init_opts, separate),
	GIT_CALL_MAYBE(0, "shared", set_shared),
	GIT_STR(0, "object-format", struct init_opts, format),
	GIT_END(),
};

static void enter_dir(struct git *g, const char *dir)
{
	char *full = path_join(g->a, g->start, dir);
	char *real;
	int err = file_make_dirs(g, full);

	if (err < 0 && err != -E_EXIST)
		git_die_errno(g, err, "cannot mkdir %s", dir);
	err = cmd_chdir(g->c, full);
	if (err < 0)
		git_die_errno(g, err, "cannot chdir to %s", dir);
	cmd_getcwd(g->c, &real);
	g->start = arena_dup(g->keep, bytes_of(real));
}

/* An existing repository becomes shared. */
static void share_again(struct git *g, const char *dir)
{
	char *config = path_join(g->keep, dir, "config");

	config_change(g, config, "core.sharedrepository", share_value(g, g->shared), NULL,
		      CONFIG_SET);
	config_change(g, config, "receive.denyNonFastforwards", "true", NULL, CONFIG_SET);
}

/* --separate-git-dir: the repository is in dir, moved if there was one, and .git says so. */
static void separate_dir(struct git *g, const char *link, const char *dir)
{
	const char *from = repo_of_dir(g, g->start);
	int err = 0;

	if (from != NULL && strcmp(from, dir) != 0)
		err = cmd_rename(g->c, CMD_CWD, from, CMD_CWD, dir, 0);
	if (err < 0)
		git_die_errno(g, err, "unable to move %s to %s", link, dir);
	err = file_write(g, link, bytes_of(git_format(g->a, "gitdir: %s\n", dir)), 0666);
	if (err < 0)
		git_die_errno(g, err, "could not open '%s' for writing", link);
}

int git_cmd_init(struct git *g, struct args *args)
{
	struct init_opts o = { .quiet = false };
	const struct git_parser p = { init_options, &o, init_usage, 0, NULL };
	const char *given = cmd_getenv(g->c, "GIT_DIR");
	const char *work = cmd_getenv(g->c, "GIT_WORK_TREE");
	char *dir;
	bool again;

	git_parse(g, args, &p);
	if (o.separate != NULL && o.bare)
		git_die(g, "options '--separate-git-dir' and '--bare' cannot be used together");
	if (o.format != NULL && strcmp(o.format, "sha1") != 0)
		git_die(g, "unknown hash algorithm '%s'", o.format);
	if (args->argc > 1)
		git_usage(g, init_usage);
	if (o.separate != NULL)
		o.separate = path_join(g->keep, g->start, o.separate);
	if (args->argc == 1)
		enter_dir(g, args->argv[0]);
	dir = given != NULL ? path_join(g->a, g->start, given)
	      : o.bare      ? g->start
			    : path_join(g->a, g->start, ".git");
	if (o.separate != NULL) {
		separate_dir(g, dir, o.separate);
		dir = arena_dup(g->keep, bytes_of(o.separate));
	}
	again = repo_is_dir(g, dir);
	if (o.branch != NULL && !ref_branch_valid(o.branch))
		git_die(g, "invalid initial branch name: '%s'", o.branch);
	if (again && o.branch != NULL)
		git_warn(g, "re-init: ignored --initial-branch=%s", o.branch);
	if (o.branch == NULL)
		o.branch = again ? "main" : repo_initial_branch(g, o.quiet);
	repo_create(g, dir, work != NULL ? path_join(g->a, g->start, work) : NULL, o.bare,
		    o.branch);
	if (again && g->shared != 0)
		share_again(g, dir);
	if (!o.quiet)
		git_printf(g, "%s%s Git repository in %s%s\n",
			   again ? "Reinitialized existing" : "Initialized empty",
			   g->shared != 0 ? " shared" : "", dir, git_ends(dir, "/") ? "" : "/");
	return 0;
}
