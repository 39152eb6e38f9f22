/* SPDX-License-Identifier: MIT
 *
 * lsof - open files of processes, from /proc.
 *
 * Not here: sockets (-i finds none), -r, -F.
 */
#include "builtins/builtin.h"

struct lsof_opts {
	const char *pids;
	const char *command;
	const char *user;
	const char *tree;
	bool and;
	bool terse;
	bool internet;
	bool begun; /* the line of headers is written */
};

static const struct opt lsof_options[] = {
	OPT_STR('p', NULL, struct lsof_opts, pids, NULL, "PID,...", "of these processes"),
	OPT_STR('c', NULL, struct lsof_opts, command, NULL, "NAME",
		"of programs whose name begins so"),
	OPT_STR('u', NULL, struct lsof_opts, user, NULL, "USER", "of processes of USER"),
	OPT_STR('D', NULL, struct lsof_opts, tree, NULL, "DIR", "below a directory: +D DIR"),
	OPT_FLAG('a', NULL, struct lsof_opts, and, "all that was asked for, not any of it"),
	OPT_FLAG('t', NULL, struct lsof_opts, terse, "only the numbers of processes"),
	OPT_CALL_OPTIONAL('i', NULL, opt_ignored, "ADDRESS", "of the network: there are none"),
	OPT_IGNORED('n', NULL, "no effect"),
	OPT_IGNORED('P', NULL, "no effect"),
	OPT_IGNORED('l', NULL, "no effect"),
	OPT_IGNORED('w', NULL, "no effect"),
	OPT_MISSING_ARG('F', NULL),
	OPT_MISSING_ARG('r', NULL),
	OPT_END(),
};

/* +D DIR, +d DIR, -i[ADDRESS]. */
static int lsof_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct lsof_opts *o = c->opts;

	if (argv[i][0] == '-' && argv[i][1] == 'i')
		o->internet = true;
	if (argv[i][0] != '+' || (argv[i][1] != 'D' && argv[i][1] != 'd'))
		return 0;
	if (argv[i][2] != '\0') {
		o->tree = argv[i] + 2;
		return 1;
	}
	o->tree = i + 1 < argc ? argv[i + 1] : NULL;
	return i + 1 < argc ? 2 : 1;
}

static bool is_listed(const char *list, int pid)
{
	char text[20];
	size_t n = num_format_u64((uint64_t)pid, text);

	while (*list != '\0') {
		size_t len = strcspn(list, ",");

		if (len == n && memcmp(list, text, n) == 0)
			return true;
		list += len + (list[len] != '\0');
	}
	return false;
}

/* Whether a process is asked for: by any of the options, or by all of them. */
static bool is_chosen(struct cmd *c, const struct cmd_proc *p, bool by_file)
{
	const struct lsof_opts *o = c->opts;
	uint32_t uid = 0;
	uint32_t gid;
	int asked = 0;
	int yes = 0;

	if (o->pids != NULL) {
		asked++;
		yes += is_listed(o->pids, p->pid);
	}
	if (o->command != NULL) {
		asked++;
		yes += strncmp(p->name, o->command, strlen(o->command)) == 0;
	}
	if (o->user != NULL) {
		asked++;
		yes += cmd_user_id(c, o->user, &uid, &gid) && uid == p->uid;
	}
	return asked == 0 || (o->and || by_file ? yes == asked : yes > 0);
}

static bool wants_file(struct cmd *c, const char *path, const struct vfs_stat *st, bool has_st)
{
	const struct lsof_opts *o = c->opts;
	struct vfs_stat other;

	if (o->tree != NULL) {
		size_t len = strlen(o->tree);

		return strncmp(path, o->tree, len) == 0 && (path[len] == '/' || path[len] == '\0');
	}
	for (int i = 0; i < c->nargs; i++)
		if (has_st && cmd_stat(c, c->args[i], &other) == 0 && other.ino == st->ino &&
		    other.dev == st->dev)
			return true;
	return c->nargs == 0;
}

static const char *type_of(const struct vfs_stat *st)
{
	switch (st->mode & S_FMT) {
	case S_REG: return "REG";
	case S_DIR: return "DIR";
	case S_CHR: return "CHR";
	case S_FIFO: return "FIFO";
	default: return "unknown";
	}
}

/* The line of one link below /proc/PID. False: it is not wanted. */
static bool put_file(struct cmd *c, const struct cmd_proc *p, const char *link, const char *fd)
{
	struct lsof_opts *o = c->opts;
	struct buf path = buf_in(c->arena);
	struct bytes target;
	struct vfs_stat st;
	const char *user = cmd_user_name(c, p->uid);

	buf_printf(&path, "/proc/%d/%s", p->pid, link);
	if (cmd_readlink(c, CMD_CWD, buf_cstr(&path), &target) < 0)
		return false;
	char *name = arena_dup(c->arena, target);
	bool has_st = cmd_stat(c, buf_cstr(&path), &st) == 0;

	if (!wants_file(c, name, &st, has_st))
		return false;
	if (o->terse)
		return true;
	if (!o->begun)
		cmd_puts(c,
			 "COMMAND     PID USER       FD   TYPE DEVICE  SIZE/OFF     NODE NAME\n");
	o->begun = true;
	cmd_printf(c, "%-9.9s %5d %-8.8s %4s %6s %6s %9llu %8llu %s\n", p->name, p->pid,
		   user != NULL ? user : "?", fd, has_st ? type_of(&st) : "unknown", "0,1",
		   has_st ? (unsigned long long)st.size : 0ULL,
		   has_st ? (unsigned long long)st.ino : 0ULL, name);
	return true;
}

static bool put_descriptors(struct cmd *c, const struct cmd_proc *p)
{
	struct buf dir = buf_in(c->arena);
	struct vfs_dirent *list;
	bool any = false;
	size_t n;

	buf_printf(&dir, "/proc/%d/fd", p->pid);
	if (cmd_list(c, CMD_CWD, buf_cstr(&dir), c->arena, &list, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct buf link = buf_in(c->arena);
		struct buf fd = buf_in(c->arena);
		struct buf path = buf_in(c->arena);
		struct vfs_stat st;

		buf_printf(&link, "fd/%s", list[i].name.ptr);
		buf_printf(&path, "/proc/%d/fd/%s", p->pid, list[i].name.ptr);
		uint32_t mode = cmd_lstat(c, buf_cstr(&path), &st) == 0 ? st.mode & 0600 : 0;

		buf_printf(&fd, "%s%c", list[i].name.ptr,
			   mode == 0600   ? 'u'
			   : mode == 0400 ? 'r'
					  : 'w');
		any |= put_file(c, p, buf_cstr(&link), buf_cstr(&fd));
		cmd_charge(c, 4);
	}
	return any;
}

static int lsof_run(struct cmd *c)
{
	const struct lsof_opts *o = c->opts;
	struct cmd_proc *list;
	size_t n = cmd_procs(c, &list);
	bool by_file = c->nargs > 0 || o->tree != NULL;
	bool any = false;

	if (o->internet)
		return 1;
	for (size_t i = 0; i < n; i++) {
		bool here = false;

		if (!is_chosen(c, &list[i], by_file) || (by_file && list[i].pid == cmd_pid(c)))
			continue;
		here |= put_file(c, &list[i], "cwd", "cwd");
		here |= put_file(c, &list[i], "root", "rtd");
		here |= put_file(c, &list[i], "exe", "txt");
		here |= put_descriptors(c, &list[i]);
		if (o->terse && here)
			cmd_printf(c, "%d\n", list[i].pid);
		any |= here;
	}
	return any ? 0 : 1;
}

const struct builtin builtin_lsof = {
	.name = "lsof",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes which files processes have open.",
	.run = lsof_run,
	.opts = lsof_options,
	.opts_size = sizeof(struct lsof_opts),
	.legacy = lsof_legacy,
	.family = "lsof 4.95.0",
};
