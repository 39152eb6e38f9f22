/* SPDX-License-Identifier: MIT
 *
 * git status.
 */
#include "builtins/git/status.h"
#include "builtins/git/submodule.h"

int status_set_untracked(struct git *g, void *opts, const char *arg, bool unset)
{
	struct status_opts *o = opts;

	if (unset || (arg != NULL && strcmp(arg, "no") == 0))
		o->untracked = SHOW_NO;
	else if (arg == NULL || strcmp(arg, "all") == 0)
		o->untracked = SHOW_ALL;
	else if (strcmp(arg, "normal") == 0)
		o->untracked = SHOW_NORMAL;
	else
		git_die(g, "Invalid untracked files mode '%s'", arg);
	return 0;
}

int status_set_porcelain(struct git *g, void *opts, const char *arg, bool unset)
{
	struct status_opts *o = opts;

	if (unset)
		o->format = STATUS_LONG;
	else if (arg == NULL || strcmp(arg, "v1") == 0 || strcmp(arg, "1") == 0)
		o->format = STATUS_V1;
	else if (strcmp(arg, "v2") == 0 || strcmp(arg, "2") == 0)
		o->format = STATUS_V2;
	else
		git_die(g, "unsupported porcelain version '%s'", arg);
	return 0;
}

int status_set_short(struct git *g, void *opts, const char *arg, bool unset)
{
	struct status_opts *o = opts;

	(void)g, (void)arg;
	o->format = unset ? STATUS_LONG : STATUS_SHORT;
	return 0;
}

int status_set_long(struct git *g, void *opts, const char *arg, bool unset)
{
	struct status_opts *o = opts;

	(void)g, (void)arg, (void)unset;
	o->format = STATUS_LONG;
	return 0;
}

static int set_ignored(struct git *g, void *opts, const char *arg, bool unset)
{
	struct status_opts *o = opts;

	if (unset || (arg != NULL && strcmp(arg, "no") == 0))
		o->ignored = 0;
	else if (arg == NULL || strcmp(arg, "traditional") == 0)
		o->ignored = 1;
	else if (strcmp(arg, "matching") == 0)
		o->ignored = 2;
	else
		git_die(g, "Invalid ignored mode '%s'", arg);
	return 0;
}

static int set_submodules(struct git *g, void *opts, const char *arg, bool unset)
{
	struct status_opts *o = opts;

	(void)unset;
	o->submodules = arg == NULL || arg[0] == '\0' ? SUBMODULE_IGNORE_ALL
						      : submodule_ignore_of(arg);
	if (o->submodules < 0)
		git_die(g, "bad --ignore-submodules argument: %s", arg);
	return 0;
}

static const struct git_option status_options[] = {
	GIT_COUNT('v', "verbose", struct status_opts, verbose),
	GIT_CALL('s', "short", status_set_short),
	GIT_FLAG('b', "branch", struct status_opts, branch),
	GIT_FLAG(0, "show-stash", struct status_opts, show_stash),
	GIT_FLAG(0, "ahead-behind", struct status_opts, ahead_behind),
	GIT_CALL_MAYBE(0, "porcelain", status_set_porcelain),
	GIT_CALL(0, "long", status_set_long),
	GIT_FLAG('z', "null", struct status_opts, zero),
	GIT_CALL_MAYBE('u', "untracked-files", status_set_untracked),
	GIT_CALL_MAYBE(0, "ignored", set_ignored),
	GIT_CALL_MAYBE(0, "ignore-submodules", set_submodules),
	GIT_MISSING(0, "column"),
	GIT_FLAG(0, "no-renames", struct status_opts, no_renames),
	GIT_CALL_MAYBE('M', "find-renames", git_opt_taken),
	GIT_END(),
};
static const char *const status_usage[] = { "git status [<options>] [--] [<pathspec>...]", NULL };

int git_cmd_status(struct git *g, struct args *args)
{
	struct status_opts o = { .untracked = -1 };
	const struct git_parser p = { status_options, &o, status_usage, 0, NULL };
	struct status s;
	struct buf out = buf_in(g->a);

	if (config_get(g, "status.short") != NULL && config_bool(g, "status.short", false))
		o.format = STATUS_SHORT;
	if (config_bool(g, "status.branch", false))
		o.branch = true;
	git_parse(g, args, &p);
	if (o.zero && o.format == STATUS_LONG)
		o.format = STATUS_V1;
	if (o.format == STATUS_V1 || o.format == STATUS_V2)
		g->color = 0;
	pathspec_of(g, args->argv, args->argc, &o.paths);
	status_collect(g, &s, &o);
	status_put(&s, &out);
	if (o.show_stash && o.format == STATUS_LONG) {
		struct reflog_entry *log;
		size_t n = reflog_read(g, "refs/stash", &log);

		if (n != 0)
			buf_printf(&out, "Your stash currently has %zu entr%s\n", n,
				   n == 1 ? "y" : "ies");
	}
	cmd_bytes(g->c, buf_bytes(&out));
	return 0;
}
