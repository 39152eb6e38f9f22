/* SPDX-License-Identifier: MIT
 *
 * git maintenance: run, register, unregister. Tasks: gc, loose-objects, pack-refs. Not here: the
 * tasks commit-graph, prefetch and incremental-repack, and what starts it by the clock.
 */
#include "builtins/git/transport.h"

enum schedule { SCHEDULE_NONE, SCHEDULE_WEEKLY, SCHEDULE_DAILY, SCHEDULE_HOURLY };
enum { TASKS = 6, BATCH = 50000 };

struct maintenance_opts {
	bool auto_, quiet, force;
	const char *schedule;
	const char *file;
	int order[TASKS]; /* tasks as they were selected */
	int selected;
};

static const char *const task_names[TASKS] = { "prefetch", "loose-objects", "incremental-repack",
					       "gc",       "commit-graph",  "pack-refs" };

static int add_task(struct git *g, void *opts, const char *arg, bool unset)
{
	struct maintenance_opts *o = opts;

	(void)unset;
	for (int i = 0; i < TASKS; i++) {
		if (strcmp(arg, task_names[i]) != 0)
			continue;
		for (int k = 0; k < o->selected; k++)
			if (o->order[k] == i) {
				git_error(g, "task '%s' cannot be selected multiple times", arg);
				return GIT_STATUS_USAGE;
			}
		o->order[o->selected++] = i;
		return 0;
	}
	git_error(g, "'%s' is not a valid task", arg);
	return GIT_STATUS_USAGE;
}

static const struct git_option run_options[] = {
	GIT_FLAG(0, "auto", struct maintenance_opts, auto_),
	GIT_STR(0, "schedule", struct maintenance_opts, schedule),
	GIT_FLAG(0, "quiet", struct maintenance_opts, quiet),
	GIT_CALL_ARG(0, "task", add_task),
	GIT_END(),
};
static const char *const run_usage[] = {
	"git maintenance run [--auto] [--[no-]quiet] [--task=<task>] [--schedule]", NULL
};

/* --- tasks --- */

static int run_git(struct git *g, const char *const *words)
{
	char *argv[8];
	int argc = 0;

	for (; words[argc] != NULL; argc++)
		argv[argc] = arena_dup(g->keep, bytes_of(words[argc]));
	argv[argc] = NULL;
	return git_run(g, argc, argv);
}

static void pack_loose(struct git *g)
{
	struct oid *all;
	size_t n = object_list(g, &all), kept = 0;
	struct reached *list = arena_array(g->keep, n + 1, sizeof(*list));
	const char *objects = g->odb->dirs.at[0];
	char *name;

	for (size_t i = 0; i < n && kept < BATCH; i++) {
		struct arena_mark mark = arena_mark(g->a);
		uint64_t size;

		cmd_charge(g->c, 4);
		if (file_exists(g, object_loose_path(g, g->a, objects, &all[i])))
			list[kept++] = (struct reached){ all[i], object_info(g, &all[i], &size),
							 0 };
		arena_release(g->a, mark);
	}
	if (kept == 0)
		return;
	name = pack_write_as(g, git_format(g->keep, "%s/pack/loose", objects), list, kept);
	git_printf(g, "%s\n", name);
	object_forget_packs(g);
}

static int run_task(struct git *g, const struct maintenance_opts *o, const char *name)
{
	if (strcmp(name, "gc") == 0) {
		const char *const words[] = { "gc", o->quiet ? "--quiet" : "--no-quiet",
					      o->auto_ ? "--auto" : NULL, NULL };

		return run_git(g, words);
	}
	if (strcmp(name, "pack-refs") == 0) {
		const char *const words[] = { "pack-refs", "--all", "--prune", NULL };

		return run_git(g, words);
	}
	if (strcmp(name, "loose-objects") == 0) {
		const char *const words[] = { "prune-packed", "--quiet", NULL };
		int status = run_git(g, words);

		pack_loose(g);
		return status;
	}
	git_refuse(g, git_format(g->a, "git maintenance --task=%s", name));
}

/* --- when --- */

static enum schedule parse_schedule(const char *text)
{
	static const char *const names[] = { "", "weekly", "daily", "hourly" };

	for (int i = 1; i < 4; i++)
		if (git_eq_nocase(bytes_of(text), bytes_of(names[i])))
			return (enum schedule)i;
	return SCHEDULE_NONE;
}

static enum schedule schedule_of(struct git *g, int task)
{
	static const enum schedule incremental[] = { SCHEDULE_HOURLY, SCHEDULE_DAILY,
						     SCHEDULE_DAILY,  SCHEDULE_NONE,
						     SCHEDULE_HOURLY, SCHEDULE_WEEKLY };
	const char *strategy = config_get(g, "maintenance.strategy");
	const char *v = config_get(g,
				   git_format(g->a, "maintenance.%s.schedule", task_names[task]));

	if (v != NULL)
		return parse_schedule(v);
	if (strategy != NULL && strcmp(strategy, "incremental") == 0)
		return incremental[task];
	return SCHEDULE_NONE;
}

static bool is_enabled(struct git *g, const struct maintenance_opts *o, int task)
{
	bool usual = strcmp(task_names[task], "gc") == 0;
	const char *strategy = config_get(g, "maintenance.strategy");

	if (o->schedule != NULL && strategy != NULL && strcmp(strategy, "incremental") == 0)
		usual = !usual;
	return config_bool(g, git_format(g->a, "maintenance.%s.enabled", task_names[task]), usual);
}

static int run(struct git *g, struct args *args)
{
	struct maintenance_opts o = { .quiet = !cmd_isatty(g->c, 2) };
	const struct git_parser p = { run_options, &o, run_usage, 0, NULL };
	enum schedule when = SCHEDULE_NONE;
	int status = 0;

	git_parse(g, args, &p);
	if (o.schedule != NULL && (when = parse_schedule(o.schedule)) == SCHEDULE_NONE)
		git_die(g, "unrecognized --schedule argument '%s'", o.schedule);
	if (o.auto_ && o.schedule != NULL)
		git_die(g, "use at most one of --auto and --schedule=<frequency>");
	if (args->argc != 0)
		git_usage(g, run_usage);
	for (int i = 0; o.selected == 0 && i < TASKS; i++)
		if (is_enabled(g, &o, i)) {
			o.order[o.selected++] = i;
			if (o.selected == TASKS)
				break;
		}
	for (int i = 0; i < o.selected; i++) {
		enum schedule s = schedule_of(g, o.order[i]);

		if (o.schedule != NULL && (s == SCHEDULE_NONE || s < when))
			continue;
		if (run_task(g, &o, task_names[o.order[i]]) != 0) {
			git_error(g, "task '%s' failed", task_names[o.order[i]]);
			status = 1;
		}
	}
	return status;
}

/* --- which repositories --- */

static const struct git_option register_options[] = {
	GIT_STR(0, "config-file", struct maintenance_opts, file),
	GIT_FLAG('f', "force", struct maintenance_opts, force),
	GIT_END(),
};

static char *own_path(struct git *g)
{
	return arena_dup(g->keep, bytes_of(g->work != NULL ? g->work : g->dir));
}

static bool is_registered(struct git *g, const char *path)
{
	struct names list = { NULL, 0, 0 };

	config_all(g, "maintenance.repo", &list);
	return names_has(g, &list, path);
}

static char *list_file(struct git *g, const struct maintenance_opts *o)
{
	return o->file != NULL ? path_join(g->keep, g->start, o->file) : config_path_global(g);
}

static int do_register(struct git *g, struct args *args)
{
	static const char *const usage[] = { "git maintenance register [--config-file <path>]",
					     NULL };
	struct maintenance_opts o = { .file = NULL };
	const struct git_parser p = { register_options, &o, usage, 0, NULL };
	char *local = git_format(g->keep, "%s/config", g->common);
	char *path = own_path(g);

	git_parse(g, args, &p);
	if (args->argc != 0)
		git_usage(g, usage);
	config_change(g, local, "maintenance.auto", "false", NULL, CONFIG_SET);
	if (config_get(g, "maintenance.strategy") == NULL)
		config_change(g, local, "maintenance.strategy", "incremental", NULL, CONFIG_SET);
	if (is_registered(g, path))
		return 0;
	return config_change(g, list_file(g, &o), "maintenance.repo", path, NULL, CONFIG_ADD);
}

static int unregister(struct git *g, struct args *args)
{
	static const char *const usage[] = {
		"git maintenance unregister [--config-file <path>] [--force]", NULL
	};
	struct maintenance_opts o = { .file = NULL };
	const struct git_parser p = { register_options, &o, usage, 0, NULL };
	char *path = own_path(g);
	struct buf exact = buf_in(g->keep);

	git_parse(g, args, &p);
	if (args->argc != 0)
		git_usage(g, usage);
	if (!is_registered(g, path)) {
		if (o.force)
			return 0;
		git_die(g, "repository '%s' is not registered", path);
	}
	buf_putc(&exact, '^');
	for (const char *c = path; *c != '\0'; c++)
		buf_printf(&exact, "%s%c", strchr(".[]*+?{}()|^$\\", *c) != NULL ? "\\" : "", *c);
	buf_putc(&exact, '$');
	return config_change(g, list_file(g, &o), "maintenance.repo", NULL, buf_cstr(&exact),
			     CONFIG_UNSET_ALL);
}

static int refuse(struct git *g, struct args *args)
{
	(void)args;
	git_refuse(g, "git maintenance by the clock");
}

int git_cmd_maintenance(struct git *g, struct args *args)
{
	static const struct git_action actions[] = {
		{ "run", run },
		{ "start", refuse },
		{ "stop", refuse },
		{ "register", do_register },
		{ "unregister", unregister },
		{ NULL, NULL },
	};
	static const char *const usage[] = { "git maintenance <subcommand> [<options>]", NULL };

	return git_run_action(g, args, actions, usage);
}
