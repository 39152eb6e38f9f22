/* SPDX-License-Identifier: MIT
 *
 * System calls on paths.
 */
#include "microvm/private.h"

enum { PATH_BYTES = 4096, DIRENT_HEAD = 19, DIRENT_ROOM = 280 };

int get_path(struct task *t, uint64_t address, char **out)
{
	return guest_string(t->p, t->space, address, PATH_BYTES, &t->p->arena, out);
}

int get_timespec(struct task *t, uint64_t address, int64_t *ns)
{
	int64_t v[2];

	if (get_user(t, v, address, sizeof v) != 0)
		return -E_FAULT;
	if (v[1] < 0 || v[1] > 999999999 || v[0] < 0)
		return -E_INVAL;
	*ns = v[0] > INT64_MAX / 1000000000 - 1 ? INT64_MAX / 2 : v[0] * 1000000000 + v[1];
	if (*ns > INT64_MAX / 2)
		*ns = INT64_MAX / 2;
	return 0;
}

int put_timespec(struct task *t, uint64_t address, int64_t ns)
{
	int64_t v[2] = { ns / 1000000000, ns % 1000000000 };

	return put_user(t, address, v, sizeof v);
}

/* --- open --- */

static int64_t open_at(struct task *t, int dir, uint64_t address, uint64_t flags, uint64_t mode)
{
	unsigned known = O_ACCMODE_ | O_CREAT_ | O_EXCL_ | O_NOCTTY_ | O_TRUNC_ | O_APPEND_ |
			 O_NONBLOCK_ | O_DIRECTORY_ | O_NOFOLLOW_ | O_CLOEXEC_ | O_PATH_;
	char *path;
	int r = get_path(t, address, &path);
	int64_t fd;

	if (r != 0)
		return r;
	if ((flags & 020000000) != 0) /* O_TMPFILE */
		return -E_OPNOTSUPP;
	fd = sys_open(t->p, dir, path, (unsigned)flags & known, (uint32_t)mode & 07777);
	return fd == -E_INTR ? RESTART : fd;
}

int64_t call_open(struct task *t, const uint64_t *a)
{
	return open_at(t, AT_FDCWD_, a[0], a[1], a[2]);
}

int64_t call_creat(struct task *t, const uint64_t *a)
{
	return open_at(t, AT_FDCWD_, a[0], O_CREAT_ | O_WRONLY_ | O_TRUNC_, a[1]);
}

int64_t call_openat(struct task *t, const uint64_t *a)
{
	return open_at(t, (int)a[0], a[1], a[2], a[3]);
}

/* --- stat --- */

struct user_stat {
	uint64_t dev, ino, nlink;
	uint32_t mode, uid, gid, pad;
	uint64_t rdev;
	int64_t size, blksize, blocks;
	int64_t times[6];
	int64_t unused[3];
};

static uint64_t device(uint64_t rdev)
{
	return (rdev >> 8 & 0xfff) << 8 | (rdev & 0xff);
}

static void put_times(int64_t *out, int64_t ns)
{
	out[0] = ns / 1000000000;
	out[1] = ns % 1000000000;
}

void user_stat_bytes(const struct vfs_stat *st, char *out)
{
	struct user_stat u = { .dev = device(st->dev),
			       .ino = st->ino,
			       .nlink = st->nlink,
			       .mode = st->mode,
			       .uid = st->uid,
			       .gid = st->gid,
			       .rdev = device(st->rdev),
			       .size = (int64_t)st->size,
			       .blksize = PAGE_BYTES,
			       .blocks = (int64_t)st->blocks };

	put_times(u.times, st->atime_ns);
	put_times(u.times + 2, st->mtime_ns);
	put_times(u.times + 4, st->ctime_ns);
	_Static_assert(sizeof u == USER_STAT_BYTES, "Linux's struct stat");
	memcpy(out, &u, sizeof u);
}

static int put_stat(struct task *t, uint64_t address, const struct vfs_stat *st)
{
	char bytes[USER_STAT_BYTES];

	user_stat_bytes(st, bytes);
	return put_user(t, address, bytes, sizeof bytes);
}

static int64_t stat_path(struct task *t, int dir, uint64_t path, int flags, struct vfs_stat *st)
{
	char *name;
	int r = get_path(t, path, &name);

	if (r != 0)
		return r;
	if (name[0] == '\0' && (flags & AT_EMPTY_) != 0 && dir != AT_FDCWD_)
		return sys_fstat(t->p, dir, st);
	return sys_stat(t->p, dir, name, flags, st);
}

static int64_t stat_at(struct task *t, int dir, uint64_t path, int flags, uint64_t out)
{
	struct vfs_stat st;
	int64_t r = stat_path(t, dir, path, flags, &st);

	return r != 0 ? r : put_stat(t, out, &st);
}

int64_t call_stat(struct task *t, const uint64_t *a)
{
	return stat_at(t, AT_FDCWD_, a[0], 0, a[1]);
}

int64_t call_lstat(struct task *t, const uint64_t *a)
{
	return stat_at(t, AT_FDCWD_, a[0], AT_NOFOLLOW_, a[1]);
}

int64_t call_fstat(struct task *t, const uint64_t *a)
{
	struct vfs_stat st;
	int64_t r = sys_fstat(t->p, (int)a[0], &st);

	return r != 0 ? r : put_stat(t, a[1], &st);
}

int64_t call_newfstatat(struct task *t, const uint64_t *a)
{
	return stat_at(t, (int)a[0], a[1], (int)a[3] & (AT_NOFOLLOW_ | AT_EMPTY_), a[2]);
}

struct user_statx_time {
	int64_t sec;
	uint32_t nsec;
	int32_t pad;
};

struct user_statx {
	uint32_t mask, blksize;
	uint64_t attributes;
	uint32_t nlink, uid, gid;
	uint16_t mode, pad;
	uint64_t ino, size, blocks, attributes_mask;
	struct user_statx_time atime, btime, ctime, mtime;
	uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
	uint64_t mount, pads[13];
};

static struct user_statx_time statx_time(int64_t ns)
{
	return (struct user_statx_time){ ns / 1000000000, (uint32_t)(ns % 1000000000), 0 };
}

int64_t call_statx(struct task *t, const uint64_t *a)
{
	struct user_statx u = { .mask = 0xfff, .blksize = PAGE_BYTES };
	struct vfs_stat st;
	int64_t r = stat_path(t, (int)a[0], a[1], (int)a[2] & (AT_NOFOLLOW_ | AT_EMPTY_), &st);

	if (r != 0)
		return r;
	u.nlink = st.nlink;
	u.uid = st.uid;
	u.gid = st.gid;
	u.mode = (uint16_t)st.mode;
	u.ino = st.ino;
	u.size = st.size;
	u.blocks = st.blocks;
	u.atime = statx_time(st.atime_ns);
	u.btime = statx_time(st.btime_ns);
	u.ctime = statx_time(st.ctime_ns);
	u.mtime = statx_time(st.mtime_ns);
	u.rdev_major = (uint32_t)(st.rdev >> 8);
	u.rdev_minor = (uint32_t)(st.rdev & 0xff);
	u.dev_major = (uint32_t)(st.dev >> 8);
	u.dev_minor = (uint32_t)(st.dev & 0xff);
	return put_user(t, a[4], &u, sizeof u);
}

/* As the real user, but for AT_EACCESS. */
static int64_t access_at(struct task *t, int dir, uint64_t address, uint64_t mask, bool effective)
{
	struct proc *p = t->p;
	uint32_t uid = p->cred.uid;
	uint32_t gid = p->cred.gid;
	char *path;
	int64_t r = get_path(t, address, &path);

	if (r != 0)
		return r;
	if (mask > 7)
		return -E_INVAL;
	if (!effective) {
		p->cred.uid = p->real_uid;
		p->cred.gid = p->real_gid;
	}
	r = sys_access(p, dir, path, (unsigned)mask);
	p->cred.uid = uid;
	p->cred.gid = gid;
	return r;
}

int64_t call_access(struct task *t, const uint64_t *a)
{
	return access_at(t, AT_FDCWD_, a[0], a[1], false);
}

int64_t call_faccessat(struct task *t, const uint64_t *a)
{
	return access_at(t, (int)a[0], a[1], a[2], false);
}

int64_t call_faccessat2(struct task *t, const uint64_t *a)
{
	return access_at(t, (int)a[0], a[1], a[2], (a[3] & 0x200) != 0);
}

/* --- names --- */

#define PATH_ARGUMENT(name, index)                                                                 \
	char *name;                                                                                \
	int name##_error = get_path(t, a[index], &name);                                           \
	if (name##_error != 0)                                                                     \
	return name##_error

int64_t call_mkdir(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_mkdir(t->p, AT_FDCWD_, path, (uint32_t)a[1]);
}

int64_t call_mkdirat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 1);
	return sys_mkdir(t->p, (int)a[0], path, (uint32_t)a[2]);
}

int64_t call_rmdir(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_unlink(t->p, AT_FDCWD_, path, AT_REMOVEDIR_);
}

int64_t call_unlink(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_unlink(t->p, AT_FDCWD_, path, 0);
}

int64_t call_unlinkat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 1);
	return sys_unlink(t->p, (int)a[0], path, (int)a[2] & AT_REMOVEDIR_);
}

int64_t call_rename(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(old, 0);
	PATH_ARGUMENT(new, 1);
	return sys_rename(t->p, AT_FDCWD_, old, AT_FDCWD_, new, 0);
}

int64_t call_renameat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(old, 1);
	PATH_ARGUMENT(new, 3);
	return sys_rename(t->p, (int)a[0], old, (int)a[2], new, 0);
}

int64_t call_renameat2(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(old, 1);
	PATH_ARGUMENT(new, 3);
	return a[4] > 3 ? -E_INVAL
			: sys_rename(t->p, (int)a[0], old, (int)a[2], new, (unsigned)a[4]);
}

int64_t call_link(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(old, 0);
	PATH_ARGUMENT(new, 1);
	return sys_link(t->p, AT_FDCWD_, old, AT_FDCWD_, new, 0);
}

int64_t call_linkat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(old, 1);
	PATH_ARGUMENT(new, 3);
	return sys_link(t->p, (int)a[0], old, (int)a[2], new, (int)a[4]);
}

int64_t call_symlink(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(target, 0);
	PATH_ARGUMENT(path, 1);
	return sys_symlink(t->p, target, AT_FDCWD_, path);
}

int64_t call_symlinkat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(target, 0);
	PATH_ARGUMENT(path, 2);
	return sys_symlink(t->p, target, (int)a[1], path);
}

static int64_t read_link(struct task *t, int dir, const char *path, uint64_t out, uint64_t n)
{
	struct bytes text;
	int64_t r = sys_readlink(t->p, dir, path, &t->p->arena, &text);
	size_t len;

	if (r < 0)
		return r;
	len = text.len < n ? text.len : (size_t)n;
	return put_user(t, out, text.ptr, len) != 0 ? -E_FAULT : (int64_t)len;
}

int64_t call_readlink(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return (int64_t)a[2] <= 0 ? -E_INVAL : read_link(t, AT_FDCWD_, path, a[1], a[2]);
}

int64_t call_readlinkat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 1);
	return (int64_t)a[3] <= 0 ? -E_INVAL : read_link(t, (int)a[0], path, a[2], a[3]);
}

int64_t call_mknod(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_mknod(t->p, AT_FDCWD_, path, (uint32_t)a[1], a[2]);
}

int64_t call_mknodat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 1);
	return sys_mknod(t->p, (int)a[0], path, (uint32_t)a[2], a[3]);
}

/* --- attributes --- */

int64_t call_chmod(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_chmod(t->p, AT_FDCWD_, path, (uint32_t)a[1] & 07777, 0);
}

int64_t call_fchmod(struct task *t, const uint64_t *a)
{
	return sys_fchmod(t->p, (int)a[0], (uint32_t)a[1] & 07777);
}

int64_t call_fchmodat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 1);
	return sys_chmod(t->p, (int)a[0], path, (uint32_t)a[2] & 07777, 0);
}

int64_t call_chown(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_chown(t->p, AT_FDCWD_, path, (uint32_t)a[1], (uint32_t)a[2], 0);
}

int64_t call_lchown(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_chown(t->p, AT_FDCWD_, path, (uint32_t)a[1], (uint32_t)a[2], AT_NOFOLLOW_);
}

int64_t call_fchown(struct task *t, const uint64_t *a)
{
	return sys_chown(t->p, (int)a[0], "", (uint32_t)a[1], (uint32_t)a[2], AT_EMPTY_);
}

int64_t call_fchownat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 1);
	return sys_chown(t->p, (int)a[0], path, (uint32_t)a[2], (uint32_t)a[3],
			 (int)a[4] & (AT_NOFOLLOW_ | AT_EMPTY_));
}

/* Seconds beyond what nanoseconds can count are the last that they can, as file systems do. */
static int64_t time_of_seconds(int64_t seconds)
{
	const int64_t last = 9000000000;

	return (seconds > last ? last : seconds < -last ? -last : seconds) * 1000000000;
}

/* unit: 1 for timespec, 1000 for timeval. */
static int user_time(const int64_t *v, int64_t unit, int64_t *ns)
{
	if (unit == 1 && v[1] == 0x3fffffff) {
		*ns = VFS_UTIME_NOW;
		return 0;
	}
	if (unit == 1 && v[1] == 0x3ffffffe) {
		*ns = VFS_UTIME_OMIT;
		return 0;
	}
	if (v[1] < 0 || v[1] >= 1000000000 / unit)
		return -E_INVAL;
	*ns = time_of_seconds(v[0]) + v[1] * unit;
	return 0;
}

static int64_t set_times(struct task *t, int dir, const char *path, uint64_t address, int64_t unit,
			 int flags)
{
	int64_t v[4];
	int64_t atime, mtime;
	int r;

	if (address == 0)
		return sys_utimes(t->p, dir, path, VFS_UTIME_NOW, VFS_UTIME_NOW, flags);
	if (get_user(t, v, address, sizeof v) != 0)
		return -E_FAULT;
	r = user_time(v, unit, &atime);
	if (r == 0)
		r = user_time(v + 2, unit, &mtime);
	return r != 0 ? r : sys_utimes(t->p, dir, path, atime, mtime, flags);
}

int64_t call_utimensat(struct task *t, const uint64_t *a)
{
	if (a[1] == 0)
		return set_times(t, (int)a[0], "", a[2], 1, AT_EMPTY_);
	PATH_ARGUMENT(path, 1);
	return set_times(t, (int)a[0], path, a[2], 1, (int)a[3] & (AT_NOFOLLOW_ | AT_EMPTY_));
}

int64_t call_utimes(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return set_times(t, AT_FDCWD_, path, a[1], 1000, 0);
}

int64_t call_futimesat(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 1);
	return set_times(t, (int)a[0], path, a[2], 1000, 0);
}

int64_t call_utime(struct task *t, const uint64_t *a)
{
	int64_t v[2];

	PATH_ARGUMENT(path, 0);
	if (a[1] == 0)
		return sys_utimes(t->p, AT_FDCWD_, path, VFS_UTIME_NOW, VFS_UTIME_NOW, 0);
	if (get_user(t, v, a[1], sizeof v) != 0)
		return -E_FAULT;
	return sys_utimes(t->p, AT_FDCWD_, path, time_of_seconds(v[0]), time_of_seconds(v[1]), 0);
}

/* --- directories --- */

int64_t call_getcwd(struct task *t, const uint64_t *a)
{
	char *path;
	int64_t r = sys_getcwd(t->p, &t->p->arena, &path);
	size_t n;

	if (r < 0)
		return r;
	n = strlen(path) + 1;
	if (n > a[1])
		return -E_RANGE;
	return put_user(t, a[0], path, n) != 0 ? -E_FAULT : (int64_t)n;
}

int64_t call_chdir(struct task *t, const uint64_t *a)
{
	PATH_ARGUMENT(path, 0);
	return sys_chdir(t->p, path);
}

int64_t call_fchdir(struct task *t, const uint64_t *a)
{
	return sys_fchdir(t->p, (int)a[0]);
}

int64_t call_umask(struct task *t, const uint64_t *a)
{
	return sys_umask(t->p, (uint32_t)a[0]);
}

/* One entry as getdents64 has it, or with the type behind the name as getdents; its length. */
static size_t put_entry(char *out, vfs_ino ino, uint64_t next, uint32_t type, struct bytes name,
			bool old)
{
	size_t n = (DIRENT_HEAD + name.len + 1 + 7) & ~(size_t)7;
	uint16_t len = (uint16_t)n;

	memset(out, 0, n);
	memcpy(out, &ino, 8);
	memcpy(out + 8, &next, 8);
	memcpy(out + 16, &len, 2);
	out[old ? len - 1 : 18] = (char)(type >> 12);
	memcpy(out + DIRENT_HEAD - old, name.ptr, name.len);
	return n;
}

static int64_t list_entries(struct task *t, const uint64_t *a, bool old)
{
	struct proc *p = t->p;
	int fd = (int)a[0];
	size_t room = a[2] < 65536 ? (size_t)a[2] : 65536;
	size_t most = room / DIRENT_ROOM;
	struct vfs_dirent *list = call_memory(t, (most + 1) * sizeof *list);
	char *out = call_memory(t, room + DIRENT_ROOM);
	int64_t place = sys_dir_place(p, fd);
	size_t len = 0;
	int64_t n;

	if (place < 0)
		return place;
	if (most == 0)
		return -E_INVAL;
	if (place == 0) {
		struct vfs_stat st;

		if (sys_fstat(p, fd, &st) != 0)
			return -E_INVAL;
		len += put_entry(out, st.ino, 1, S_DIR, bytes_of("."), old);
		len += put_entry(out + len, st.ino, 2, S_DIR, bytes_of(".."), old);
		place = 2;
		most = (room - len) / DIRENT_ROOM;
	}
	n = most != 0 ? sys_readdir(p, fd, &p->arena, list, most) : 0;
	if (n < 0)
		return n;
	for (int64_t i = 0; i < n; i++)
		len += put_entry(out + len, list[i].ino, (uint64_t)(place + i + 1), list[i].type,
				 list[i].name, old);
	sys_dir_move(p, fd, place + n);
	return put_user(t, a[1], out, len) != 0 ? -E_FAULT : (int64_t)len;
}

int64_t call_getdents64(struct task *t, const uint64_t *a)
{
	return list_entries(t, a, false);
}

int64_t call_getdents(struct task *t, const uint64_t *a)
{
	return list_entries(t, a, true);
}

static int64_t put_statfs(struct task *t, uint64_t address)
{
	struct vfs_statfs f;
	uint64_t u[15] = { 0x01021994 };

	vfs_statfs(kernel_vfs(t->m->k), &f);
	u[1] = u[9] = f.block_bytes;
	u[2] = f.blocks;
	u[3] = u[4] = f.blocks_free;
	u[5] = f.inodes;
	u[6] = f.inodes_free;
	u[8] = VFS_NAME_MAX;
	return put_user(t, address, u, sizeof u);
}

int64_t call_statfs(struct task *t, const uint64_t *a)
{
	struct vfs_stat st;
	int64_t r;

	PATH_ARGUMENT(path, 0);
	r = sys_stat(t->p, AT_FDCWD_, path, 0, &st);
	return r != 0 ? r : put_statfs(t, a[1]);
}

int64_t call_fstatfs(struct task *t, const uint64_t *a)
{
	struct vfs_stat st;
	int64_t r = sys_fstat(t->p, (int)a[0], &st);

	return r != 0 ? r : put_statfs(t, a[1]);
}
