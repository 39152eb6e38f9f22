/* SPDX-License-Identifier: MIT
 *
 * Random operations on a vfs and on the real filesystem of this machine, side by side:
 *
 *     test_vfs_random [SEED [OPERATIONS [KIND]]]
 *
 * Compared are the result and error of every operation, and now and then the whole trees:
 * names, types, modes, links, owners, sizes, times, contents, targets. Snapshots are taken on
 * the way, some become the tree that is worked on, and each must be unchanged when it goes.
 * Allocations are made to fail: the tree must then be as before, and the operation succeed
 * when tried again.
 *
 * As root the test works in a chroot below /dev/shm (or TMPDIR) and switches between users;
 * otherwise it stays in one directory, with its own rights only.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/vfs_world.h"

enum { DIRS = 5, FILES = 8, SNAPSHOTS = 4, USERS = 4, DATA_MAX = 40000, KINDS = 21 };

enum kind {
	OP_MKDIR,
	OP_OPEN,
	OP_WRITE,
	OP_READ,
	OP_FTRUNCATE,
	OP_UNLINK,
	OP_RMDIR,
	OP_RENAME,
	OP_LINK,
	OP_SYMLINK,
	OP_MKNOD,
	OP_CHMOD,
	OP_CHOWN,
	OP_UTIMES,
	OP_STAT,
	OP_ACCESS,
	OP_READLINK,
	OP_OPENDIR,
	OP_CLOSE,
	OP_SEEK,
	OP_FSTAT
};

static const char *const kind_name[KINDS] = {
	"mkdir",  "open",   "write",    "read",    "ftruncate", "unlink", "rmdir",
	"rename", "link",   "symlink",  "mknod",   "chmod",     "chown",  "utimes",
	"stat",   "access", "readlink", "opendir", "close",     "seek",   "fstat",
};

struct op {
	enum kind kind;
	unsigned user;
	unsigned dir;
	unsigned dir2;
	unsigned slot;
	unsigned flags;
	uint32_t mode;
	uint64_t pos;
	size_t len;
	uint32_t uid;
	uint32_t gid;
	char path[5000];
	char path2[5000];
};

/* What an operation tells: a number or a negative error, and a summary of what it saw. */
struct answer {
	int64_t result;
	char seen[4200];
};

struct file {
	int fd;
	vfs_ino ino;
	unsigned flags;
};

static struct vfs *v;
static bool as_root;
static bool hardlinks_protected;
static struct file file[FILES];
static struct file dir[DIRS];
static struct vfs_tree *snapshot[SNAPSHOTS];
static uint64_t snapshot_digest[SNAPSHOTS];
static char data[DATA_MAX];
static char data2[DATA_MAX];
static long differences;
static long refusals;
static long succeeded[KINDS];

static const struct vfs_cred user_cred[USERS] = {
	{ .uid = 0, .gid = 0 },
	{ .uid = 1000, .gid = 1000, .ngroups = 1, .groups = { 2000 } },
	{ .uid = 1001, .gid = 1001, .ngroups = 2, .groups = { 1000, 2000 } },
	{ .uid = 1002, .gid = 2000 },
};

static struct vfs_cred own_cred;

static const struct vfs_cred *cred_of(const struct op *o)
{
	return as_root ? &user_cred[o->user] : &own_cred;
}

/* --- making operations --- */

static const char *some_name(void)
{
	static char long_name[300];
	static const char *const names[] = { "a", "b", "c", "dd", "e", "a", "b", "c" };
	unsigned r = roll(200);

	if (r < 6)
		return ".";
	if (r < 12 && as_root)
		return "..";
	if (r < 14) {
		memset(long_name, 'n', sizeof long_name);
		long_name[254 + roll(4)] = '\0';
		return long_name;
	}
	return names[roll(8)];
}

static void some_path(char *out, bool dotdot)
{
	unsigned parts = 1 + roll(2) + (roll(3) == 0 ? roll(3) : 0);
	unsigned r = roll(400);

	*out = '\0';
	if (r == 0)
		return;
	if (r == 1) {
		memset(out, 'a', 4200);
		for (int i = 1; i < 4200; i += 2)
			out[i] = '/';
		out[4090 + roll(12)] = '\0';
		return;
	}
	if (as_root && (r < 40 || r == 399))
		strcpy(out, r < 36 ? "/" : "//");
	if (r == 399)
		return;
	for (unsigned i = 0; i < parts; i++) {
		const char *name = some_name();

		if (!dotdot && strcmp(name, "..") == 0)
			name = "a";
		strcat(out, name);
		if (i + 1 < parts)
			strcat(out, roll(30) == 0 ? "//" : "/");
	}
	if (roll(20) == 0)
		strcat(out, "/");
}

static uint32_t some_mode(void)
{
	static const uint32_t modes[] = { 0755, 0777,  01777, 0700,  0644, 0666, 0,
					  0111, 02775, 04755, 06777, 0750, 0570, 02755 };

	uint32_t mode = roll(12) == 0 ? roll(010000) : modes[roll(3) != 0 ? roll(3) : roll(14)];

	/* Who is not root must still be able to read all of the real tree. */
	return as_root ? mode : mode | 0700;
}

static uint32_t some_id(void)
{
	static const uint32_t ids[] = { 0, 1000, 1001, 1002, 2000, VFS_KEEP_ID };

	return ids[roll(6)];
}

static unsigned some_open_flags(void)
{
	unsigned flags = roll(3);

	flags |= roll(2) != 0 ? O_CREAT_ : 0;
	flags |= roll(4) == 0 ? O_EXCL_ : 0;
	flags |= roll(4) == 0 ? O_TRUNC_ : 0;
	flags |= roll(8) == 0 ? O_NOFOLLOW_ : 0;
	if ((flags & O_CREAT_) == 0 && roll(8) == 0)
		flags |= O_DIRECTORY_;
	if (roll(12) == 0)
		flags |= O_PATH_;
	return flags | O_NONBLOCK_;
}

static bool is_dead(unsigned slot)
{
	struct stat st;

	return fstat(dir[slot].fd, &st) != 0 || st.st_nlink == 0;
}

static void make_op(struct op *o, int only)
{
	static const unsigned char weights[KINDS] = { 20, 16, 12, 6, 4, 8, 6, 24, 14, 8, 5,
						      6,  6,  6,  6, 4, 4, 6, 4,  2,  3 };
	unsigned sum = 0;
	unsigned r;

	for (int i = 0; i < KINDS; i++)
		sum += weights[i];
	r = roll(sum);
	o->kind = 0;
	while (r >= weights[o->kind])
		r -= weights[o->kind++];
	if (only >= 0)
		o->kind = (enum kind)only;
	o->user = as_root && roll(2) == 0 ? roll(USERS) : 0;
	o->dir = roll(3) == 0 ? roll(DIRS) : 0;
	o->dir2 = roll(3) == 0 ? roll(DIRS) : 0;
	o->slot = o->kind == OP_OPENDIR ? 1 + roll(DIRS - 1) : roll(FILES);
	some_path(o->path, !is_dead(o->dir));
	some_path(o->path2, !is_dead(o->dir2));
	o->flags = o->kind == OP_OPEN ? some_open_flags() : roll(16);
	o->mode = some_mode();
	o->pos = roll(10) == 0 ? roll(200000) : roll(3000);
	o->len = roll(3) == 0 ? roll(DATA_MAX) : roll(600);
	o->uid = some_id();
	o->gid = some_id();
}

/* --- the real side --- */

static void become(const struct op *o)
{
	gid_t groups[VFS_GROUPS_MAX];
	const struct vfs_cred *c = cred_of(o);

	if (!as_root)
		return;
	for (uint32_t i = 0; i < c->ngroups; i++)
		groups[i] = c->groups[i];
	if (setgroups(c->ngroups, groups) != 0 || setegid(c->gid) != 0 || seteuid(c->uid) != 0)
		abort();
}

static void become_root(void)
{
	if (as_root && (seteuid(0) != 0 || setegid(0) != 0 || setgroups(0, NULL) != 0))
		abort();
}

static int real_mknod(const struct op *o)
{
	static const mode_t types[] = { S_IFIFO,  S_IFREG, S_IFCHR, S_IFBLK,
					S_IFSOCK, 0,       S_IFDIR, S_IFLNK };

	return mknodat(dir[o->dir].fd, o->path, types[o->flags & 7] | o->mode,
		       makedev(o->flags & 8 ? 0 : 200, o->flags & 8 ? 0 : 7));
}

static void describe(char *out, uint32_t mode, uint64_t nlink, uint32_t uid, uint32_t gid,
		     uint64_t size, uint64_t rdev, int64_t mtime_ns)
{
	bool sized = (mode & S_IFMT) == S_IFREG || (mode & S_IFMT) == S_IFLNK;

	/* Times set by utimes are small; all others only have to be recent. */
	if (mtime_ns > 1000000000000000)
		mtime_ns = 1;
	sprintf(out, "mode %o nlink %llu uid %u gid %u size %llu rdev %llx mtime %lld", mode,
		(unsigned long long)nlink, uid, gid, (unsigned long long)(sized ? size : 0),
		(unsigned long long)rdev, (long long)mtime_ns);
}

static void describe_real(char *out, const struct stat *st)
{
	describe(out, st->st_mode, st->st_nlink, st->st_uid, st->st_gid, (uint64_t)st->st_size,
		 (uint64_t)major(st->st_rdev) << 8 | minor(st->st_rdev),
		 st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec);
}

static int real_utimes(const struct op *o)
{
	struct timespec t[2] = { { .tv_sec = (time_t)o->pos, .tv_nsec = 5 },
				 { .tv_sec = (time_t)o->len, .tv_nsec = 7 } };

	if (o->flags & 1)
		t[0].tv_nsec = UTIME_OMIT;
	if ((o->flags & 6) == 2)
		t[0].tv_nsec = t[1].tv_nsec = UTIME_NOW;
	return utimensat(dir[o->dir].fd, o->path, t, o->flags & 8 ? AT_SYMLINK_NOFOLLOW : 0);
}

static int keep(struct file *f, int fd, unsigned flags)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = fd;
	f->flags = flags;
	return 0;
}

/* Opens; what is neither file nor directory is closed again, as the kernel above vfs opens it. */
static int64_t real_open(const struct op *o, struct file *f)
{
	struct stat st;
	int fd = openat(dir[o->dir].fd, o->path, (int)o->flags | O_CLOEXEC, o->mode);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0)
		abort();
	if (S_ISREG(st.st_mode) && (o->flags & O_PATH_) == 0)
		return keep(f, fd, o->flags);
	close(fd);
	return 0;
}

static int64_t real_opendir(const struct op *o)
{
	int fd = openat(dir[o->dir].fd, o->path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : keep(&dir[o->slot], fd, 0);
}

static int64_t call(int64_t result)
{
	return result < 0 ? -errno : result;
}

static bool may_write(const struct file *f)
{
	return f->fd >= 0 && (f->flags & O_ACCMODE_) != 0;
}

static bool may_read(const struct file *f)
{
	return f->fd >= 0 && (f->flags & O_ACCMODE_) != 1;
}

static int64_t real_stat(const struct op *o, struct answer *a)
{
	struct stat st;
	int64_t result = call(
		fstatat(dir[o->dir].fd, o->path, &st, o->flags & 1 ? AT_SYMLINK_NOFOLLOW : 0));

	if (result == 0)
		describe_real(a->seen, &st);
	return result;
}

static int64_t real_file_op(const struct op *o, struct answer *a, struct file *f)
{
	struct stat st;

	switch (o->kind) {
	case OP_WRITE: return may_write(f) ? call(pwrite(f->fd, data, o->len, (off_t)o->pos)) : 0;
	case OP_READ:
		memset(data2, 0, sizeof data2);
		return may_read(f) ? call(pread(f->fd, data2, o->len, (off_t)o->pos)) : 0;
	case OP_FTRUNCATE: return may_write(f) ? call(ftruncate(f->fd, (off_t)o->pos)) : 0;
	case OP_SEEK:
		return may_read(f) ? call(lseek(f->fd, (off_t)o->pos,
						o->flags & 1 ? SEEK_DATA : SEEK_HOLE))
				   : 0;
	case OP_FSTAT:
		if (f->fd >= 0 && fstat(f->fd, &st) == 0)
			describe_real(a->seen, &st);
		return 0;
	default:
		if (f->fd >= 0)
			close(f->fd);
		f->fd = -1;
		return 0;
	}
}

static int64_t real_path_op(const struct op *o, struct answer *a)
{
	int at = dir[o->dir].fd;
	int at2 = dir[o->dir2].fd;
	int64_t n;

	switch (o->kind) {
	case OP_MKDIR: return call(mkdirat(at, o->path, o->mode));
	case OP_UNLINK: return call(unlinkat(at, o->path, 0));
	case OP_RMDIR: return call(unlinkat(at, o->path, AT_REMOVEDIR));
	case OP_RENAME:
		return call(syscall(SYS_renameat2, at, o->path, at2, o->path2,
				    o->flags < 4 ? o->flags : 0));
	case OP_LINK:
		return call(
			linkat(at, o->path, at2, o->path2, o->flags & 1 ? AT_SYMLINK_FOLLOW : 0));
	case OP_SYMLINK: return call(symlinkat(o->path2, at, o->path));
	case OP_MKNOD: return call(real_mknod(o));
	case OP_CHMOD: return call(syscall(SYS_fchmodat, at, o->path, o->mode));
	case OP_CHOWN:
		return call(fchownat(at, o->path, o->uid, o->gid,
				     o->flags & 1 ? AT_SYMLINK_NOFOLLOW : 0));
	case OP_UTIMES: return call(real_utimes(o));
	case OP_ACCESS: return call(syscall(SYS_faccessat2, at, o->path, o->flags & 7, AT_EACCESS));
	case OP_READLINK:
		n = call(readlinkat(at, o->path, a->seen, 100));
		a->seen[n > 0 ? n : 0] = '\0';
		return n;
	default: return real_stat(o, a);
	}
}

static void do_real(const struct op *o, struct answer *a)
{
	struct file *f = &file[o->slot];

	a->seen[0] = '\0';
	become(o);
	switch (o->kind) {
	case OP_OPEN: a->result = real_open(o, f); break;
	case OP_OPENDIR: a->result = real_opendir(o); break;
	case OP_WRITE:
	case OP_READ:
	case OP_FTRUNCATE:
	case OP_CLOSE:
	case OP_FSTAT:
	case OP_SEEK: a->result = real_file_op(o, a, f); break;
	default: a->result = real_path_op(o, a);
	}
	become_root();
}

/* --- the vfs side --- */

static void describe_vfs(char *out, vfs_ino ino)
{
	struct vfs_stat st;

	if (CHECK(vfs_getattr(v, ino, &st) == 0))
		describe(out, st.mode, st.nlink, st.uid, st.gid, st.size, st.rdev, st.mtime_ns);
}

static int vfs_take(struct file *f, vfs_ino ino)
{
	vfs_drop(v, f->ino);
	f->ino = ino;
	return 0;
}

static int64_t sim_open(const struct op *o, struct file *f)
{
	struct vfs_stat st;
	vfs_ino ino;
	bool created;
	int err = vfs_open(v, cred_of(o), dir[o->dir].ino, o->path, o->flags, o->mode, &ino,
			   &created);

	if (err != 0)
		return err;
	CHECK(vfs_getattr(v, ino, &st) == 0);
	if ((st.mode & S_FMT) == S_REG && (o->flags & O_PATH_) == 0)
		return vfs_take(f, ino);
	vfs_drop(v, ino);
	/* What the kernel says to devices and FIFOs without a reader is not the vfs's matter. */
	return (st.mode & S_FMT) == S_DIR || (o->flags & O_PATH_) != 0 ? 0 : INT64_MIN;
}

static int64_t sim_opendir(const struct op *o)
{
	vfs_ino ino;
	bool created;
	int err = vfs_open(v, cred_of(o), dir[o->dir].ino, o->path, O_PATH_ | O_DIRECTORY_, 0, &ino,
			   &created);

	return err != 0 ? err : vfs_take(&dir[o->slot], ino);
}

/* A write may come out short when memory fails; it goes on where it stopped. */
static int64_t sim_write(const struct op *o, struct file *f)
{
	int64_t done = vfs_write(v, f->ino, o->pos, data, o->len);

	while (done > 0 && (size_t)done < o->len) {
		int64_t more;

		fail_after(0);
		more = vfs_write(v, f->ino, o->pos + (uint64_t)done, data + done,
				 o->len - (size_t)done);
		if (more <= 0)
			return more;
		done += more;
	}
	fail_after(0);
	if (done > 0)
		vfs_drop_setid(v, cred_of(o), f->ino);
	return done;
}

static int64_t sim_truncate(const struct op *o, struct file *f)
{
	int err = vfs_truncate(v, f->ino, o->pos);

	fail_after(0);
	return err != 0 ? err : vfs_drop_setid(v, cred_of(o), f->ino);
}

static int64_t sim_read(const struct op *o, struct file *f)
{
	static char got[DATA_MAX];
	int64_t n;

	memset(got, 0, sizeof got);
	n = vfs_read(v, f->ino, o->pos, got, o->len);
	CHECK(memcmp(got, data2, sizeof got) == 0);
	return n;
}

static int64_t sim_file_op(const struct op *o, struct answer *a, struct file *f, bool readable,
			   bool writable)
{
	switch (o->kind) {
	case OP_WRITE: return writable ? sim_write(o, f) : 0;
	case OP_READ: return readable ? sim_read(o, f) : 0;
	case OP_FTRUNCATE: return writable ? sim_truncate(o, f) : 0;
	case OP_SEEK: return readable ? vfs_seek_data(v, f->ino, o->pos, o->flags & 1 ? 3 : 4) : 0;
	case OP_FSTAT:
		if (f->ino != 0)
			describe_vfs(a->seen, f->ino);
		return 0;
	default: return vfs_take(f, 0);
	}
}

static int64_t sim_attr_op(const struct op *o, struct answer *a, vfs_ino ino)
{
	const struct vfs_cred *c = cred_of(o);
	int64_t atime = (int64_t)o->pos * 1000000000 + 5;
	int64_t mtime = (int64_t)o->len * 1000000000 + 7;
	int64_t n;

	switch (o->kind) {
	case OP_CHMOD: return vfs_chmod(v, c, ino, o->mode);
	case OP_CHOWN: return vfs_chown(v, c, ino, o->uid, o->gid);
	case OP_ACCESS: return vfs_access(v, c, ino, o->flags & 7);
	case OP_READLINK:
		n = vfs_readlink(v, ino, a->seen, 100);
		n = n > 100 ? 100 : n;
		a->seen[n > 0 ? n : 0] = '\0';
		return n;
	case OP_UTIMES:
		if (o->flags & 1)
			atime = VFS_UTIME_OMIT;
		if ((o->flags & 6) == 2)
			atime = mtime = VFS_UTIME_NOW;
		return vfs_utimes(v, c, ino, atime, mtime);
	default: describe_vfs(a->seen, ino); return 0;
	}
}

static int64_t sim_mknod(const struct op *o)
{
	static const uint32_t types[] = { S_FIFO, S_REG, S_CHR, S_BLK, S_SOCK, 0, S_DIR, S_LNK };

	return vfs_mknod(v, cred_of(o), dir[o->dir].ino, o->path, types[o->flags & 7] | o->mode,
			 o->flags & 8 ? 0 : 200 << 8 | 7);
}

static int64_t sim_path_op(const struct op *o, struct answer *a)
{
	const struct vfs_cred *c = cred_of(o);
	vfs_ino at = dir[o->dir].ino;
	vfs_ino at2 = dir[o->dir2].ino;
	bool nofollow = o->kind == OP_READLINK;
	vfs_ino ino;
	int err;

	switch (o->kind) {
	case OP_MKDIR: return vfs_mkdir(v, c, at, o->path, o->mode);
	case OP_UNLINK: return vfs_unlink(v, c, at, o->path);
	case OP_RMDIR: return vfs_rmdir(v, c, at, o->path);
	case OP_RENAME:
		return vfs_rename(v, c, at, o->path, at2, o->path2, o->flags < 4 ? o->flags : 0);
	case OP_LINK:
		return vfs_link(v, c, at, o->path, o->flags & 1 ? 0 : VFS_NOFOLLOW, at2, o->path2);
	case OP_SYMLINK: return vfs_symlink(v, c, o->path2, at, o->path);
	case OP_MKNOD: return sim_mknod(o);
	case OP_STAT:
	case OP_CHOWN: nofollow = (o->flags & 1) != 0; break;
	case OP_UTIMES: nofollow = (o->flags & 8) != 0; break;
	default: break;
	}
	err = vfs_lookup(v, c, at, o->path, nofollow ? VFS_NOFOLLOW : 0, &ino);
	return err != 0 ? err : sim_attr_op(o, a, ino);
}

static void do_vfs(const struct op *o, struct answer *a, bool readable, bool writable)
{
	struct file *f = &file[o->slot];

	a->seen[0] = '\0';
	switch (o->kind) {
	case OP_OPEN: a->result = sim_open(o, f); break;
	case OP_OPENDIR: a->result = sim_opendir(o); break;
	case OP_WRITE:
	case OP_READ:
	case OP_FTRUNCATE:
	case OP_CLOSE:
	case OP_FSTAT:
	case OP_SEEK: a->result = sim_file_op(o, a, f, readable, writable); break;
	default: a->result = sim_path_op(o, a);
	}
}

/* --- comparison of trees --- */

static void compare_content(const char *path, vfs_ino ino, const struct stat *st)
{
	static char real[4096];
	static char sim[4096];
	int64_t got;
	int64_t want;

	if (S_ISLNK(st->st_mode)) {
		want = readlink(path, real, sizeof real);
		got = vfs_readlink(v, ino, sim, sizeof sim);
		CHECK(got == want && memcmp(real, sim, (size_t)got) == 0);
	} else if (S_ISREG(st->st_mode)) {
		int fd = open(path, O_RDONLY);
		uint64_t pos = 0;

		do {
			want = read(fd, real, sizeof real);
			got = vfs_read(v, ino, pos, sim, sizeof sim);
			if (!CHECK(got == want && memcmp(real, sim, (size_t)got) == 0))
				printf("content of %s at %llu\n", path, (unsigned long long)pos);
			pos += (uint64_t)got;
		} while (want > 0);
		close(fd);
	}
}

static long compare_below(char *path, vfs_ino ino);

static long compare_entries(char *path, vfs_ino ino)
{
	struct vfs_dirent entry;
	const char *after = NULL;
	size_t len = strlen(path);
	long seen = 0;

	while (vfs_readdir(v, ino, after, &arena, &entry, 1) == 1) {
		path[len] = '/';
		memcpy(path + len + 1, entry.name.ptr, entry.name.len + 1);
		seen += compare_below(path, entry.ino);
		after = entry.name.ptr;
	}
	path[len] = '\0';
	return seen;
}

/* Every object of the vfs against the real one; the number of objects. */
static long compare_below(char *path, vfs_ino ino)
{
	char real[400];
	char sim[400];
	struct stat st;

	if (!CHECK(lstat(path, &st) == 0)) {
		printf("%s: not really there\n", path);
		return 1;
	}
	describe_real(real, &st);
	describe_vfs(sim, ino);
	if (!CHECK_STR(sim, real))
		printf("at %s\n", path);
	compare_content(path, ino, &st);
	return S_ISDIR(st.st_mode) ? 1 + compare_entries(path, ino) : 1;
}

static long real_objects;

static int count_object(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)type;
	(void)ftw;
	real_objects++;
	return 0;
}

static void compare_trees(void)
{
	static char path[70000];
	struct arena_mark mark = arena_mark(&arena);
	long seen;

	strcpy(path, ".");
	seen = compare_below(path, VFS_ROOT);
	arena_release(&arena, mark);
	real_objects = 0;
	nftw(".", count_object, 64, FTW_PHYS);
	CHECK_EQ(seen, real_objects);
}

/* --- snapshots --- */

static void drop_snapshot(unsigned i)
{
	if (snapshot[i] != NULL)
		CHECK(digest_of_tree(snapshot[i]) == snapshot_digest[i]);
	vfs_tree_put(snapshot[i]);
	snapshot[i] = NULL;
}

/* Goes on in a fork of the present tree, with all that is open. */
static void move_to_fork(struct vfs_tree *tree)
{
	struct vfs *fork;

	if (!CHECK(vfs_new(&store, tree, fake_now, NULL, &fork) == 0))
		return;
	for (unsigned i = 0; i < FILES; i++)
		if (file[i].ino != 0)
			CHECK(vfs_hold(fork, file[i].ino) == 0);
	for (unsigned i = 0; i < DIRS; i++)
		CHECK(vfs_hold(fork, dir[i].ino) == 0);
	vfs_reap(fork);
	vfs_free(v);
	v = fork;
}

static void take_snapshot(void)
{
	unsigned i = roll(SNAPSHOTS);

	drop_snapshot(i);
	snapshot[i] = vfs_snapshot(v);
	snapshot_digest[i] = digest_of(v);
	if (roll(2) == 0)
		move_to_fork(snapshot[i]);
	else if (roll(2) == 0)
		vfs_restore(v, snapshot[i]);
}

/* --- running --- */

static void report(const struct op *o, const struct answer *real, const struct answer *sim)
{
	differences++;
	printf("%s user %u dir %u \"%.300s\" dir2 %u \"%.300s\" flags %o mode %o pos %llu len %zu "
	       "uid %u gid %u\n  real %lld %s\n  vfs  %lld %s\n",
	       kind_name[o->kind], o->user, o->dir, o->path, o->dir2, o->path2, o->flags, o->mode,
	       (unsigned long long)o->pos, o->len, o->uid, o->gid, (long long)real->result,
	       real->seen, (long long)sim->result, sim->seen);
	CHECK(false);
}

/* Tries the operation with memory running out. True when it was refused and changed nothing. */
static bool refused_cleanly(const struct op *o, struct answer *a, bool readable, bool writable)
{
	/* With a snapshot everything is shared and must be copied. */
	struct vfs_tree *t = vfs_snapshot(v);
	uint64_t before = digest_of(v);
	bool refused_it;

	fail_after(1 + (long)roll(8));
	do_vfs(o, a, readable, writable);
	fail_at = 0;
	refused_it = a->result == -E_NOMEM;
	refusals += refused_it;
	if (refused_it && !CHECK(digest_of(v) == before))
		printf("changed by %s \"%.300s\" \"%.300s\" len %zu pos %llu\n", kind_name[o->kind],
		       o->path, o->path2, o->len, (unsigned long long)o->pos);
	CHECK(digest_of_tree(t) == before);
	vfs_tree_put(t);
	return refused_it;
}

static bool same(const struct op *o, const struct answer *real, const struct answer *sim)
{
	if (sim->result == INT64_MIN)
		return real->result == 0 || real->result == -ENXIO || real->result == -ENODEV;
	if (o->kind == OP_LINK && !hardlinks_protected && sim->result == -E_PERM)
		return true;
	return real->result == sim->result && strcmp(real->seen, sim->seen) == 0;
}

static void run_op(const struct op *o)
{
	static struct answer real;
	static struct answer sim;
	bool readable = may_read(&file[o->slot]);
	bool writable = may_write(&file[o->slot]);

	for (size_t i = 0; o->kind == OP_WRITE && i < o->len; i++)
		data[i] = (char)(rng >> 40) + (char)(i * 7 >> 3);
	do_real(o, &real);
	if (roll(40) != 0 || refused_cleanly(o, &sim, readable, writable))
		do_vfs(o, &sim, readable, writable);
	succeeded[o->kind] += real.result >= 0;
	if (!same(o, &real, &sim))
		report(o, &real, &sim);
}

static void run_all(long count, int only)
{
	static struct op o;

	for (long i = 0; i < count && differences < 5; i++) {
		make_op(&o, only);
		run_op(&o);
		if (roll(300) == 0)
			take_snapshot();
		if (i % 4000 == 3999)
			compare_trees();
	}
	compare_trees();
}

static bool sysctl_on(const char *path)
{
	FILE *f = fopen(path, "r");
	int c = f != NULL ? fgetc(f) : '0';

	if (f != NULL)
		fclose(f);
	return c != '0';
}

static void open_world(void)
{
	gid_t groups[VFS_GROUPS_MAX];
	int n = getgroups(VFS_GROUPS_MAX, groups);

	own_cred.uid = geteuid();
	own_cred.gid = getegid();
	for (int i = 0; i < n; i++)
		own_cred.groups[own_cred.ngroups++] = groups[i];
	fake_time = (int64_t)1700000000 * 1000000000;
	v = world_new();
	CHECK(vfs_chown(v, &root_cred, VFS_ROOT, own_cred.uid, own_cred.gid) == 0);
	for (unsigned i = 0; i < FILES; i++)
		file[i] = (struct file){ .fd = -1 };
	for (unsigned i = 0; i < DIRS; i++) {
		dir[i] = (struct file){ open(".", O_PATH | O_CLOEXEC), VFS_ROOT, 0 };
		CHECK(vfs_hold(v, VFS_ROOT) == 0);
	}
}

static void close_world(void)
{
	for (unsigned i = 0; i < SNAPSHOTS; i++)
		drop_snapshot(i);
	vfs_free(v);
	for (unsigned i = 0; i < FILES; i++)
		keep(&file[i], -1, 0);
	for (unsigned i = 0; i < DIRS; i++)
		keep(&dir[i], -1, 0);
	arena_clear(&arena);
}

static uint64_t seed = 1;
static long operations = 120000;
static int only_kind = -1;

TEST(random_operations)
{
	size_t used;

	umask(0);
	/* Once for the slabs that stay, then for the count of pages. */
	open_world();
	close_world();
	rng = seed;
	open_world();
	run_all(operations, only_kind);
	close_world();
	used = store.pages_used;
	printf("seed %llu: %ld operations, %ld refused by memory, %zu pages left\n",
	       (unsigned long long)seed, operations, refusals, used);
	for (int i = 0; i < KINDS; i++)
		printf("%s %ld%s", kind_name[i], succeeded[i],
		       i + 1 < KINDS ? ", " : " succeeded\n");
	/* A slab stays for each size of block that was ever used. */
	CHECK(used <= STORE_CLASSES * 4);
}

static int remove_object(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int run_below(const char *path)
{
	hardlinks_protected = sysctl_on("/proc/sys/fs/protected_hardlinks");
	if (chdir(path) != 0 || chmod(".", 0755) != 0)
		return 2;
	as_root = geteuid() == 0 && chroot(".") == 0;
	RUN(random_operations);
	return check_end();
}

int main(int argc, char **argv)
{
	const char *places[] = { getenv("TMPDIR"), "/dev/shm", "/tmp", "." };
	char path[4096];
	int status = 2;
	pid_t child;

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		operations = strtol(argv[2], NULL, 0);
	for (int i = 0; argc > 3 && i < KINDS; i++)
		if (strcmp(argv[3], kind_name[i]) == 0)
			only_kind = i;
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof path, "%s/vfs_random.XXXXXX",
			 places[i] != NULL ? places[i] : "/none");
		if (mkdtemp(path) != NULL)
			break;
	}
	fflush(stdout);
	child = fork();
	if (child == 0) {
		/* What runs at exit may want files that the chroot does not have. */
		status = run_below(path);
		fflush(stdout);
		_exit(status);
	}
	waitpid(child, &status, 0);
	nftw(path, remove_object, 64, FTW_DEPTH | FTW_PHYS);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
