/* SPDX-License-Identifier: MIT
 *
 * Files of the work tree: read as they would be stored, written as they are stored.
 */
#include "builtins/git/sparse.h"

uint32_t work_mode(struct git *g, const struct vfs_stat *st, const struct entry *old)
{
	switch (st->mode & S_FMT) {
	case S_LNK: return MODE_LINK;
	case S_DIR: return MODE_GITLINK;
	default: break;
	}
	if (!config_bool(g, "core.filemode", true))
		return old != NULL && (old->mode & S_FMT) == S_REG ? old->mode : MODE_FILE;
	return st->mode & 0100 ? MODE_EXEC : MODE_FILE;
}

bool work_behind_link(struct git *g, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct vfs_stat st;

	if (slash == NULL)
		return false;
	/* Neighbours in a directory ask the same again. */
	size_t len = (size_t)(slash - path);

	if (len == g->dir_seen.len && memcmp(path, g->dir_seen.ptr, len) == 0)
		return false;
	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
		char part[4097];

		if ((size_t)(p - path) >= sizeof(part))
			return true;
		memcpy(part, path, (size_t)(p - path));
		part[p - path] = '\0';
		if (cmd_lstat(g->c, part, &st) < 0 || (st.mode & S_FMT) != S_DIR)
			return true;
	}
	g->dir_seen = (struct bytes){ arena_dup(g->keep, (struct bytes){ path, len }), len };
	return false;
}

const char *work_in_the_way(struct git *g, const char *path)
{
	struct vfs_stat st;

	if (!work_behind_link(g, path))
		return NULL;
	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
		char *part = arena_dup(g->a, (struct bytes){ path, (size_t)(p - path) });

		if (cmd_lstat(g->c, part, &st) < 0)
			break;
		if ((st.mode & S_FMT) != S_DIR)
			return part;
	}
	return NULL;
}

bool work_replaced(struct git *g, const char *path)
{
	struct vfs_stat st;

	return cmd_lstat(g->c, path, &st) != -E_NOENT;
}

int work_read(struct git *g, struct arena *a, const char *path, uint32_t mode, struct bytes *out)
{
	int err;

	if ((mode & S_FMT) == S_LNK)
		return cmd_readlink(g->c, CMD_CWD, path, out);
	if (mode == MODE_GITLINK) {
		struct git *sub = repo_open(g, path_join(g->a, g->work, path));
		struct oid o;

		if (sub == NULL || !head_oid(sub, &o))
			return -E_NOENT;
		*out = bytes_of(git_format(a, "Subproject commit %s\n", oid_hex(g, &o)));
		return 0;
	}
	err = file_read(g, a, path, out);
	if (err < 0)
		return err;
	*out = convert_in(g, a, path, *out);
	return 0;
}

int work_hash(struct git *g, const char *path, uint32_t mode, bool store, struct oid *out)
{
	struct arena a;
	struct bytes data;
	int err;

	if (mode == MODE_GITLINK) {
		struct git *sub = repo_open(g, path_join(g->a, g->work, path));

		return sub != NULL && head_oid(sub, out) ? 0 : -E_NOENT;
	}
	arena_init_under(&a, g->a);
	g->ends = store ? ENDS_REFUSE : ENDS_QUIET;
	err = work_read(g, &a, path, mode, &data);
	g->ends = ENDS_QUIET;
	if (err >= 0 && store)
		object_write(g, OBJECT_BLOB, data, out);
	else if (err >= 0)
		object_hash(OBJECT_BLOB, data, out);
	if (err >= 0)
		cmd_charge_bytes(g->c, data.len * 4);
	arena_clear(&a);
	return err < 0 ? err : 0;
}

/* A directory or file in the way of path goes, if nothing is in it that counts. 0 or -E_. */
static int clear_path(struct git *g, const char *path)
{
	struct vfs_stat st;

	g->dir_seen = (struct bytes){ "", 0 };
	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
		char *part = git_format(g->a, "%.*s", (int)(p - path), path);

		if (cmd_lstat(g->c, part, &st) < 0)
			break;
		if ((st.mode & S_FMT) != S_DIR)
			return cmd_unlink(g->c, CMD_CWD, part, 0);
	}
	if (cmd_lstat(g->c, path, &st) < 0)
		return 0;
	if ((st.mode & S_FMT) == S_DIR)
		return file_remove_tree(g, path) ? 0 : -E_NOTEMPTY;
	return cmd_unlink(g->c, CMD_CWD, path, 0);
}

/* The file itself; false after a message. */
static bool put_file(struct git *g, const char *path, uint32_t mode, struct bytes data)
{
	const char *what = "file";
	int err;

	if ((mode & S_FMT) == S_LNK) {
		what = "symlink";
		err = cmd_symlink(g->c, arena_dup(g->a, data), CMD_CWD, path);
	} else if (mode == MODE_GITLINK) {
		what = "submodule directory";
		err = cmd_mkdir(g->c, CMD_CWD, path, 0777);
	} else {
		err = file_write(g, path, data, mode == MODE_EXEC ? 0777 : 0666);
		if (err < 0 && file_exists(g, path)) {
			git_error(g, "unable to write file %s", path);
			return false;
		}
	}
	if (err < 0)
		git_error(g, "unable to create %s %s: %s", what, path, err_text(err));
	return err >= 0;
}

bool work_write_bytes(struct git *g, const char *path, uint32_t mode, struct bytes data)
{
	struct vfs_stat st;
	int err;

	if (!path_safe(path))
		git_die(g, "invalid path '%s'", path);
	/* What is in a submodule is not ours. */
	if (mode == MODE_GITLINK && cmd_lstat(g->c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR)
		return true;
	err = clear_path(g, path);
	if (err < 0) {
		git_error(g, "unable to unlink old '%s': %s", path, err_text(err));
		return false;
	}
	err = file_make_parents(g, path);
	if (err < 0)
		git_die_errno(g, err, "cannot create directory at '%.*s'",
			      (int)(strrchr(path, '/') - path), path);
	cmd_charge_bytes(g->c, data.len);
	return put_file(g, path, mode, data);
}

bool work_write(struct git *g, const char *path, uint32_t mode, const struct oid *o,
		struct entry *e)
{
	struct arena a;
	struct vfs_stat st;
	struct bytes data = { "", 0 };

	/* What the index has and a sparse work tree leaves out. */
	if (e != NULL && e->stage == 0 && !sparse_has(g, path) && !file_exists(g, path)) {
		e->xflags |= ENTRY_SKIP_WORKTREE;
		return true;
	}
	arena_init_under(&a, g->a);
	if (mode != MODE_GITLINK) {
		if (object_read(g, &a, o, &data) != OBJECT_BLOB)
			git_die(g, "unable to read sha1 file of %s (%s)", path, oid_hex(g, o));
		if ((mode & S_FMT) == S_REG)
			data = convert_out(g, &a, path, data);
	}
	bool written = work_write_bytes(g, path, mode, data);

	arena_clear(&a);
	if (written && e != NULL && cmd_lstat(g->c, path, &st) == 0)
		index_stat(g, e, &st);
	return written;
}

int work_remove(struct git *g, const char *path)
{
	struct vfs_stat st;
	char *copy = arena_dup(g->a, bytes_of(path));
	int err;

	if (!path_safe(path) || work_behind_link(g, path))
		return 0;
	g->dir_seen = (struct bytes){ "", 0 };
	/* Directories that are empty go even if the file went before. */
	if (cmd_lstat(g->c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR)
		err = cmd_unlink(g->c, CMD_CWD, path, CMD_REMOVEDIR);
	else
		err = cmd_unlink(g->c, CMD_CWD, path, 0);
	if (err == -E_NOENT || err == -E_NOTDIR)
		err = 0;
	for (;;) {
		char *slash = strrchr(copy, '/');

		if (slash == NULL)
			return err;
		*slash = '\0';
		/* Not the directory the command was started in. */
		if (strncmp(g->prefix, copy, strlen(copy)) == 0 && g->prefix[strlen(copy)] == '/')
			return err;
		if (cmd_unlink(g->c, CMD_CWD, copy, CMD_REMOVEDIR) < 0)
			return err;
	}
}
