/* SPDX-License-Identifier: MIT
 *
 * pidof - the numbers of running programs, by their exact names.
 */
#include "builtins/builtin.h"

struct pidof_opts {
	bool single;
	bool scripts;
	const char *separator;
	bool quiet;
	struct omitted {
		struct omitted *next;
		int pid;
	} * omitted;
};

static int omit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pidof_opts *o = c->opts;

	(void)opt;
	while (*arg != '\0') {
		size_t len = strcspn(arg, ",;:");
		struct omitted *row = arena_zalloc(c->arena, sizeof *row);
		char *item = arena_dup(c->arena, (struct bytes){ arg, len });
		uint64_t pid;

		if (strcmp(item, "%PPID") == 0)
			row->pid = cmd_ppid(c);
		else if (num_plain(item, &pid) && pid <= INT32_MAX)
			row->pid = (int)pid;
		row->next = o->omitted;
		o->omitted = row;
		arg += len + (arg[len] != '\0');
	}
	return 0;
}

static const struct opt pidof_options[] = {
	OPT_FLAG('s', "single-shot", struct pidof_opts, single, "one number only"),
	OPT_IGNORED('c', "check-root", "no effect: processes have one root"),
	OPT_FLAG('q', NULL, struct pidof_opts, quiet, "write nothing, only give a status"),
	OPT_FLAG('x', NULL, struct pidof_opts, scripts, "shells that run scripts of that name too"),
	OPT_IGNORED('w', "with-workers", "no effect: there are no kernel workers"),
	OPT_CALL_ARG('o', "omit-pid", omit, "PID,...", "leave these out"),
	OPT_STR('d', NULL, struct pidof_opts, separator, " ", "TEXT", "the same as -S"),
	OPT_IGNORED('n', NULL, "no effect: there are no network shares to avoid"),
	OPT_STR('S', "separator", struct pidof_opts, separator, " ", "TEXT",
		"write TEXT between numbers"),
	OPT_END(),
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The script of "sh /path/name args". */
static bool runs_script(const struct cmd_proc *p, const char *name)
{
	const char *blank = strchr(p->args, ' ');
	char word[256];
	size_t len = blank != NULL ? strcspn(blank + 1, " ") : 0;

	if (len == 0 || len >= sizeof word)
		return false;
	memcpy(word, blank + 1, len);
	word[len] = '\0';
	return strcmp(last_part(word), name) == 0;
}

/* Names with a slash are those of files; where there is no such file, the last part of a relative
 * one is the name. */
static bool matches(const struct pidof_opts *o, const struct cmd_proc *p, const char *name,
		    const char *path)
{
	for (const struct omitted *row = o->omitted; row != NULL; row = row->next)
		if (row->pid == p->pid)
			return false;
	if (strcmp(name, p->argv0) == 0 || (path != NULL && strcmp(path, p->path) == 0))
		return true;
	if (path != NULL || name[0] == '/')
		return false;
	name = last_part(name);
	return strcmp(name, last_part(p->argv0)) == 0 || (o->scripts && runs_script(p, name));
}

static int pidof_run(struct cmd *c)
{
	const struct pidof_opts *o = c->opts;
	struct cmd_proc *list;
	size_t n = cmd_procs(c, &list);
	bool any = false;

	for (int a = 0; a < c->nargs; a++) {
		const char *name = c->args[a];
		bool found = false;
		char *path = NULL;

		if (*name == '\0')
			continue;
		if (strchr(name, '/') != NULL && cmd_canonical(c, name, CANON_EXISTING, &path) < 0)
			path = NULL;
		/* The newest first. */
		for (size_t i = n; i-- > 0 && !(found && o->single);) {
			cmd_charge(c, 1);
			if (!matches(o, &list[i], name, path))
				continue;
			if (!o->quiet)
				cmd_printf(c, "%s%d", any ? o->separator : "", list[i].pid);
			any = found = true;
		}
	}
	if (any && !o->quiet)
		cmd_putc(c, '\n');
	return any ? 0 : 1;
}

const struct builtin builtin_pidof = {
	.name = "pidof",
	.usage = "[OPTION]... PROGRAM...",
	.summary = "Writes the numbers of the processes that run the programs.",
	.run = pidof_run,
	.opts = pidof_options,
	.opts_size = sizeof(struct pidof_opts),
	.family = "procps-ng 4.0.2",
};
