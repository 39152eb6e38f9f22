/* SPDX-License-Identifier: MIT
 *
 * mkdir - make directories.
 *
 * With -p the path is followed step by step with descriptors, so it may be longer than a
 * system call would take.
 */
#include "builtins/builtin.h"

struct mkdir_opts {
	const char *mode;
	bool parents;
	bool verbose;
	struct mode_change *change;
};

static const struct opt mkdir_options[] = {
	OPT_STR('m', "mode", struct mkdir_opts, mode, NULL, "MODE", "permissions, as in chmod"),
	OPT_FLAG('p', "parents", struct mkdir_opts, parents,
		 "make parents too; no error if it exists"),
	OPT_FLAG('v', "verbose", struct mkdir_opts, verbose, "say what is made"),
	OPT_IGNORED('Z', NULL, "no effect"),
	OPT_CALL_OPTIONAL(0, "context", opt_ignored, "CTX", NULL),
	OPT_END(),
};

static int cannot(struct cmd *c, int err, struct bytes path)
{
	return cmd_error(c, err, "cannot create directory %s", cmd_quote_n(c, path));
}

static void say(struct cmd *c, const struct mkdir_opts *o, struct bytes path)
{
	if (o->verbose)
		cmd_printf(c, "%s: created directory %s\n", c->name,
			   cmd_quoteaf(c, arena_dup(c->arena, path)));
}

/* Makes the last part with the mode that was asked for. */
static int make_last(struct cmd *c, const struct mkdir_opts *o, int dir, const char *name)
{
	int err;
	uint32_t mask = cmd_umask(c);

	if (o->change == NULL)
		return cmd_mkdir(c, dir, name, 0777);
	uint32_t mode = mode_apply(o->change, 0777, true, mask);

	cmd_set_umask(c, 0);
	err = cmd_mkdir(c, dir, name, mode & 0777);
	cmd_set_umask(c, mask);
	if (err == 0 && (mode & ~(uint32_t)0777) != 0)
		err = cmd_chmod(c, dir, name, mode, 0);
	return err;
}

/* Parents can be entered and written by their owner whatever the umask says. */
static int make_parent(struct cmd *c, int dir, const char *name)
{
	uint32_t mask = cmd_umask(c);

	cmd_set_umask(c, mask & ~(uint32_t)0300);
	int err = cmd_mkdir(c, dir, name, 0777);

	cmd_set_umask(c, mask);
	return err;
}

struct path_walk {
	struct cmd *c;
	const struct mkdir_opts *o;
	int dir; /* where the next part is looked up */
	struct bytes path;
};

/* One part of the path, which ends at `to`. */
static int step(struct path_walk *w, const char *name, size_t to, bool last)
{
	struct cmd *c = w->c;
	struct vfs_stat st;
	int err = last ? make_last(c, w->o, w->dir, name) : make_parent(c, w->dir, name);
	struct bytes so_far = bytes_slice(w->path, 0, to);

	if (err == 0)
		say(c, w->o, so_far);
	else if (cmd_stat_at(c, w->dir, name, 0, &st) != 0)
		return cannot(c, err, so_far);
	else if ((st.mode & S_FMT) != S_DIR)
		return last ? cannot(c, -E_EXIST, w->path) : cannot(c, -E_NOTDIR, so_far);
	if (last)
		return 0;
	int next = cmd_open(c, w->dir, name, O_PATH_ | O_DIRECTORY_ | O_CLOEXEC_, 0);

	if (next < 0)
		return cannot(c, next, so_far);
	if (w->dir >= 0)
		cmd_close(c, w->dir);
	w->dir = next;
	return 0;
}

static int make_all(struct cmd *c, const struct mkdir_opts *o, const char *path)
{
	struct path_walk w = { .c = c, .o = o, .dir = CMD_CWD, .path = bytes_of(path) };
	size_t at = strspn(path, "/");
	int status = 0;

	if (path[0] == '\0')
		return cannot(c, -E_NOENT, w.path);
	if (at > 0)
		w.dir = cmd_open(c, CMD_CWD, "/", O_PATH_ | O_DIRECTORY_ | O_CLOEXEC_, 0);
	while (status == 0 && path[at] != '\0') {
		struct arena_mark mark = arena_mark(c->arena);
		size_t len = strcspn(path + at, "/");
		const char *name = arena_dup(c->arena, (struct bytes){ path + at, len });
		size_t next = at + len + strspn(path + at + len, "/");

		status = step(&w, name, at + len, path[next] == '\0');
		at = next;
		arena_release(c->arena, mark);
		cmd_charge(c, 1);
	}
	if (w.dir >= 0)
		cmd_close(c, w.dir);
	return status;
}

static int make_one(struct cmd *c, const struct mkdir_opts *o, const char *path)
{
	int err = make_last(c, o, CMD_CWD, path);

	if (err < 0)
		return cannot(c, err, bytes_of(path));
	say(c, o, bytes_of(path));
	return 0;
}

static int mkdir_run(struct cmd *c)
{
	struct mkdir_opts *o = c->opts;
	int status = cmd_operands(c, 1, -1);

	if (status != 0)
		return status;
	if (o->mode != NULL) {
		o->change = mode_parse(c, o->mode);
		if (o->change == NULL)
			return cmd_error(c, 0, "invalid mode %s", cmd_quote(c, o->mode));
	}
	for (int i = 0; i < c->nargs; i++)
		status |= o->parents ? make_all(c, o, c->args[i]) : make_one(c, o, c->args[i]);
	return status;
}

const struct builtin builtin_mkdir = {
	.name = "mkdir",
	.usage = "[OPTION]... DIRECTORY...",
	.summary = "Makes directories.",
	.run = mkdir_run,
	.opts = mkdir_options,
	.opts_size = sizeof(struct mkdir_opts),
};
