/* SPDX-License-Identifier: MIT
 *
 * Files: the system calls as commands see them.
 */
#include "builtins/cmd_private.h"

int cmd_open(struct cmd *c, int dir, const char *path, unsigned oflags, uint32_t mode)
{
	return (int)sys_open(c->p, dir, path, oflags, mode);
}

int cmd_close(struct cmd *c, int fd)
{
	return (int)sys_close(c->p, fd);
}

int64_t cmd_read(struct cmd *c, int fd, void *out, size_t n)
{
	int64_t got;

	do
		got = sys_read(c->p, fd, out, n);
	while (got == -E_INTR);
	return got;
}

int64_t cmd_pread(struct cmd *c, int fd, void *out, size_t n, uint64_t pos)
{
	return sys_pread(c->p, fd, out, n, pos);
}

int64_t cmd_pwrite(struct cmd *c, int fd, const void *data, size_t n, uint64_t pos)
{
	return sys_pwrite(c->p, fd, data, n, pos);
}

int cmd_lock(struct cmd *c, int fd, enum cmd_lock kind, uint64_t from, uint64_t len)
{
	return (int)sys_lock(c->p, fd, (enum lock_kind)kind, from, len);
}

int cmd_flock(struct cmd *c, int fd, enum cmd_lock kind, bool wait)
{
	struct lock_request r = { .owner = LOCK_WHOLE, .kind = (enum lock_kind)kind, .wait = wait };

	return (int)sys_lock_as(c->p, fd, &r, NULL);
}

int64_t cmd_write_some(struct cmd *c, int fd, const void *data, size_t n)
{
	int64_t done;

	do
		done = sys_write(c->p, fd, data, n);
	while (done == -E_INTR);
	return done;
}

int cmd_write_fd(struct cmd *c, int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		int64_t done = cmd_write_some(c, fd, at, n);

		if (done < 0)
			return (int)done;
		at += done;
		n -= (size_t)done;
		proc_charge(c->p, 1);
	}
	return 0;
}

int64_t cmd_view(struct cmd *c, int fd, size_t max, const char **out)
{
	int64_t got;

	do
		got = sys_view(c->p, fd, max, out);
	while (got == -E_INTR);
	return got;
}

int64_t cmd_seek(struct cmd *c, int fd, int64_t offset, int whence)
{
	return sys_lseek(c->p, fd, offset, whence);
}

int cmd_truncate_fd(struct cmd *c, int fd, uint64_t size)
{
	return (int)sys_ftruncate(c->p, fd, size);
}

int cmd_sync_fd(struct cmd *c, int fd)
{
	return (int)sys_fsync(c->p, fd);
}

int cmd_dup2(struct cmd *c, int from, int to)
{
	return (int)sys_dup2(c->p, from, to, false);
}

static unsigned terminal_size(struct cmd *c, int fd, int which)
{
	uint16_t size[4];

	return sys_tty_size(c->p, fd, size, false) == 0 ? size[which] : 0;
}

unsigned cmd_terminal_rows(struct cmd *c, int fd)
{
	return terminal_size(c, fd, 0);
}

unsigned cmd_terminal_columns(struct cmd *c, int fd)
{
	return terminal_size(c, fd, 1);
}

int cmd_terminal_get(struct cmd *c, int fd, struct tty_settings *out)
{
	return (int)sys_tty_get(c->p, fd, out);
}

int cmd_terminal_set(struct cmd *c, int fd, const struct tty_settings *set)
{
	return (int)sys_tty_set(c->p, fd, set, false);
}

int cmd_terminal_resize(struct cmd *c, int fd, unsigned rows, unsigned columns)
{
	uint16_t size[4] = { (uint16_t)rows, (uint16_t)columns, 0, 0 };

	return (int)sys_tty_size(c->p, fd, size, true);
}

bool cmd_isatty(struct cmd *c, int fd)
{
	return sys_isatty(c->p, fd);
}

int cmd_fstat(struct cmd *c, int fd, struct vfs_stat *out)
{
	return (int)sys_fstat(c->p, fd, out);
}

int cmd_setfl(struct cmd *c, int fd, unsigned flags)
{
	return (int)sys_setfl(c->p, fd, flags);
}

int cmd_stat_at(struct cmd *c, int dir, const char *path, int flags, struct vfs_stat *out)
{
	return (int)sys_stat(c->p, dir, path, flags, out);
}

int cmd_stat(struct cmd *c, const char *path, struct vfs_stat *out)
{
	return (int)sys_stat(c->p, AT_FDCWD_, path, 0, out);
}

int cmd_lstat(struct cmd *c, const char *path, struct vfs_stat *out)
{
	return (int)sys_stat(c->p, AT_FDCWD_, path, AT_NOFOLLOW_, out);
}

int cmd_access(struct cmd *c, int dir, const char *path, unsigned mask)
{
	return (int)sys_access(c->p, dir, path, mask);
}

int cmd_mkdir(struct cmd *c, int dir, const char *path, uint32_t mode)
{
	return (int)sys_mkdir(c->p, dir, path, mode);
}

int cmd_mknod(struct cmd *c, int dir, const char *path, uint32_t mode, uint64_t rdev)
{
	return (int)sys_mknod(c->p, dir, path, mode, rdev);
}

int cmd_symlink(struct cmd *c, const char *target, int dir, const char *path)
{
	return (int)sys_symlink(c->p, target, dir, path);
}

int cmd_link(struct cmd *c, int olddir, const char *old, int dir, const char *path, bool follow)
{
	return (int)sys_link(c->p, olddir, old, dir, path, follow ? AT_FOLLOW_ : 0);
}

int cmd_unlink(struct cmd *c, int dir, const char *path, int flags)
{
	return (int)sys_unlink(c->p, dir, path, flags);
}

int cmd_rename(struct cmd *c, int olddir, const char *old, int dir, const char *path,
	       unsigned flags)
{
	return (int)sys_rename(c->p, olddir, old, dir, path, flags);
}

int cmd_readlink(struct cmd *c, int dir, const char *path, struct bytes *out)
{
	int64_t err = sys_readlink(c->p, dir, path, c->arena, out);

	return err < 0 ? (int)err : 0;
}

int cmd_chmod(struct cmd *c, int dir, const char *path, uint32_t mode, int flags)
{
	return (int)sys_chmod(c->p, dir, path, mode, flags);
}

int cmd_chown(struct cmd *c, int dir, const char *path, uint32_t uid, uint32_t gid, int flags)
{
	return (int)sys_chown(c->p, dir, path, uid, gid, flags);
}

/* So many bytes as n says; none without memory for it. */
static char *room(struct cmd *c, int64_t n)
{
	static char none[1];

	return n > 0 ? arena_alloc(c->arena, heap_size((uint64_t)n)) : none;
}

int cmd_listxattr(struct cmd *c, int dir, const char *path, int flags, struct bytes *out)
{
	int64_t n = sys_listxattr(c->p, dir, path, flags, NULL, 0);
	char *names = room(c, n);

	if (n > 0)
		n = sys_listxattr(c->p, dir, path, flags, names, (size_t)n);
	*out = (struct bytes){ names, n > 0 ? (size_t)n : 0 };
	return n < 0 ? (int)n : 0;
}

int cmd_getxattr(struct cmd *c, int dir, const char *path, int flags, const char *name,
		 struct bytes *out)
{
	int64_t n = sys_getxattr(c->p, dir, path, flags, name, NULL, 0);
	char *value = room(c, n);

	if (n > 0)
		n = sys_getxattr(c->p, dir, path, flags, name, value, (size_t)n);
	*out = (struct bytes){ value, n > 0 ? (size_t)n : 0 };
	return n < 0 ? (int)n : 0;
}

int cmd_setxattr(struct cmd *c, const char *path, int flags, const char *name, struct bytes value)
{
	return (int)sys_setxattr(c->p, CMD_CWD, path, flags, name, value, 0);
}

int cmd_removexattr(struct cmd *c, const char *path, int flags, const char *name)
{
	return (int)sys_removexattr(c->p, CMD_CWD, path, flags, name);
}

int cmd_copy_xattrs(struct cmd *c, int dir, const char *from, const char *to, int flags)
{
	struct bytes names;
	int result = cmd_listxattr(c, dir, from, flags, &names);

	for (size_t at = 0; result >= 0 && at < names.len; at += strlen(names.ptr + at) + 1) {
		struct bytes value;
		int err = cmd_getxattr(c, dir, from, flags, names.ptr + at, &value);

		if (err == 0)
			err = cmd_setxattr(c, to, flags, names.ptr + at, value);
		if (err < 0)
			result = err;
	}
	return result;
}

int cmd_utimes(struct cmd *c, int dir, const char *path, int64_t atime_ns, int64_t mtime_ns,
	       int flags)
{
	return (int)sys_utimes(c->p, dir, path, atime_ns, mtime_ns, flags);
}

int cmd_chdir(struct cmd *c, const char *path)
{
	return (int)sys_chdir(c->p, path);
}

int cmd_getcwd(struct cmd *c, char **out)
{
	int64_t err = sys_getcwd(c->p, c->arena, out);

	return err < 0 ? (int)err : 0;
}

uint32_t cmd_umask(struct cmd *c)
{
	return c->p->umask;
}

void cmd_set_umask(struct cmd *c, uint32_t mask)
{
	sys_umask(c->p, mask);
}

int cmd_readdir(struct cmd *c, int fd, struct arena *a, struct vfs_dirent *out, size_t n)
{
	return (int)sys_readdir(c->p, fd, a, out, n);
}

int cmd_list(struct cmd *c, int dir, const char *path, struct arena *a, struct vfs_dirent **out,
	     size_t *n)
{
	enum { STEP = 64 };
	struct vfs_dirent step[STEP];
	size_t cap = 0;
	int got = 0;
	int fd = cmd_open(c, dir, path, O_RDONLY_ | O_DIRECTORY_ | O_CLOEXEC_, 0);

	*out = NULL;
	*n = 0;
	if (fd < 0)
		return fd;
	while ((got = cmd_readdir(c, fd, a, step, STEP)) > 0) {
		size_t need = *n + (size_t)got;

		if (need > cap) {
			size_t grown = cap * 2 > need ? cap * 2 : need;

			*out = arena_grow(a, *out, cap * sizeof(**out), grown * sizeof(**out));
			cap = grown;
		}
		memcpy(*out + *n, step, (size_t)got * sizeof(step[0]));
		*n = need;
		cmd_charge(c, (uint64_t)got);
	}
	cmd_close(c, fd);
	return got;
}
