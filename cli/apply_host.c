/* SPDX-License-Identifier: MIT
 *
 * The broker's other half, with --apply: makes of a mounted directory what the session has made
 * of its copy. The runner says what changed, in the order of paths; it is not trusted.
 *
 * A path is walked name by name, never through a link, and every directory on it must be the one
 * that the session saw. What is there must be as the session saw it, or not be there if it saw
 * nothing: else the host has changed it meanwhile, and it is left alone. New content goes to a
 * name of its own beside the old one, to the disk, and takes its place in one step; what came out
 * is looked at once more, and put back if it is not what was expected. So a file is changed whole
 * or not at all, also when the power fails, and other names of it (hard links) keep what they had.
 *
 * What is removed, what takes the place of a directory, and modes of directories wait to the end
 * and are done in reverse order: a directory is empty then. If anything failed before, nothing
 * is removed: what was renamed is never lost. For the same reason a file that is replaced lies
 * beside until all content has come, of which it may be a part, and comes back if that got nowhere.
 */
#include "cli/broker_private.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
	NAME_SIZE = BROKER_NAME_MAX + 1,
	SET_ID_BITS = 06000,
	MODE_BITS = 07777,
	TOUCHED_SLOTS = 65536
};
enum { KEPT_DIRS_MAX = 400 };
enum { DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
#define LATER_MAX ((uint64_t)1 << 26)

/* A name in a directory that was walked to. */
struct place {
	int dir;
	char name[NAME_SIZE];
	uint64_t object; /* what the session saw there; NO_OBJECT: nothing */
	bool replaces;   /* something is there now, and is the same */
	struct stat st;  /* of it */
};

enum later_kind { LATER_REMOVE, LATER_SWAP, LATER_MODE, LATER_DROP };

/* What waits for the end. */
struct later {
	enum later_kind kind;
	uint32_t root;
	uint32_t mode;   /* MODE */
	int64_t time_ns; /* MODE */
	uint32_t ticket; /* SWAP, DROP: of the name beside it */
	uint64_t path;   /* offset in names */
	int dir;         /* DROP: the directory, wherever it is by then; -1: walked to */
	bool opened;     /* by this one */
};

static struct later *later;
static uint64_t later_count;
static bool failed[MOUNTS_MAX]; /* by mounted directory */
static uint32_t tickets;
static bool applying; /* the first change has come */

/* The directory that was walked to last. */
static struct {
	char path[BROKER_PATH_MAX];
	size_t len;
	uint32_t root;
	int fd;
	uint64_t object;
	bool imagined; /* a rehearsal: it would have been made */
	bool changed;  /* names in it, since it was opened */
} walked = { .fd = -1 };

/* The file that APPLY began and END will close. */
static struct {
	struct place place;
	struct broker_change change;
	uint32_t root;
	uint32_t ticket;
	uint64_t path;
	int fd;
	int err;       /* of the first write that failed */
	uint64_t from; /* the object of which it has content; NO_OBJECT: none */
} file = { .fd = -1 };

/* Numbers of files with several names of which one was replaced here: their ctime has changed. */
static uint64_t touched[TOUCHED_SLOTS];
static unsigned touched_count;

static int own_number; /* in names of files that are being made */

void apply_prepare(void)
{
	own_number = getpid();
	later = reserve(LATER_MAX * sizeof *later);
}

/* --- what the session saw --- */

static bool is_touched(uint64_t ino)
{
	for (unsigned at = (unsigned)(ino % TOUCHED_SLOTS); touched[at] != 0;
	     at = (at + 1) % TOUCHED_SLOTS)
		if (touched[at] == ino)
			return true;
	return false;
}

/* When the table is full, another name of the file is told as changed. */
static void touch(const struct stat *st)
{
	unsigned at = (unsigned)(st->st_ino % TOUCHED_SLOTS);

	if (st->st_nlink < 2 || touched_count >= TOUCHED_SLOTS / 2 || is_touched(st->st_ino))
		return;
	while (touched[at] != 0)
		at = (at + 1) % TOUCHED_SLOTS;
	touched[at] = st->st_ino;
	touched_count++;
}

/* Moving a file changes its ctime: `moved` says that this was done here. */
static bool as_seen(const struct object *o, const struct stat *st, bool moved)
{
	if (o->ino != st->st_ino || (o->mode & S_IFMT) != (st->st_mode & S_IFMT))
		return false;
	if (S_ISDIR(st->st_mode))
		return true;
	return o->mtime_ns == mtime_of(st) &&
	       (!S_ISREG(st->st_mode) || o->size == (uint64_t)st->st_size) &&
	       (moved || o->ctime_ns == ctime_of(st) || is_touched(st->st_ino));
}

/* Whether what the session had there is what the list showed: a file of the sandbox's own, or of
 * another mount or an older run of the session, may have had the name before. */
static int had_it(const struct object *o, const struct broker_change *c)
{
	if (c->old_mode == 0)
		return BROKER_APPEARED;
	if (((o->mode ^ c->old_mode) & S_IFMT) != 0)
		return BROKER_CHANGED;
	return S_ISDIR(o->mode) || (o->mtime_ns == c->old_mtime_ns &&
				    (!S_ISREG(o->mode) || o->size == c->old_size))
		       ? 0
		       : BROKER_CHANGED;
}

/* --- walking --- */

/* What was changed in the directory is on the disk before anything in another one is removed. Some
 * filesystems can't do that for directories; they keep the order themselves, or nothing does. */
static void forget_walk(void)
{
	if (walked.fd >= 0 && walked.changed)
		(void)fsync(walked.fd);
	if (walked.fd >= 0)
		close(walked.fd);
	walked.fd = -1;
	walked.changed = false;
}

/* Opens the directory `name` in the one that was walked to, and goes there. */
static int step(const char *name, size_t len)
{
	uint64_t object = object_find(walked.object, name, len);
	char text[NAME_SIZE];
	struct stat st;
	int fd, err;

	if (object == NO_OBJECT)
		return BROKER_APPEARED;
	walked.object = object;
	walked.imagined = walked.imagined || object_of(object)->imagined;
	if (walked.imagined)
		return 0;
	memcpy(text, name, len);
	text[len] = '\0';
	fd = (int)syscall(SYS_openat, walked.fd, text, DIR_FLAGS);
	err = fd < 0 ? -errno : stat_at(fd, "", &st);
	if (err == 0 && !as_seen(object_of(object), &st, false))
		err = BROKER_CHANGED;
	forget_walk();
	walked.fd = fd;
	return err == -ELOOP || err == -ENOTDIR || err == -ENOENT ? BROKER_CHANGED : err;
}

static bool is_name(const char *name, size_t len)
{
	return len != 0 && len < NAME_SIZE && memchr(name, '/', len) == NULL &&
	       memchr(name, '\0', len) == NULL && !(len == 1 && name[0] == '.') &&
	       !(len == 2 && name[0] == '.' && name[1] == '.');
}

/* Goes to the directory, which `path` names up to len. */
static int walk(uint32_t root, const char *path, size_t len)
{
	int err = 0;

	if (walked.fd >= 0 && walked.root == root && walked.len == len &&
	    memcmp(walked.path, path, len) == 0)
		return 0;
	forget_walk();
	walked.fd = (int)syscall(SYS_openat, root_descriptor(root), ".", DIR_FLAGS);
	if (walked.fd < 0)
		return -errno;
	walked.root = root;
	walked.object = root;
	walked.imagined = false;
	for (size_t at = 0; at < len && err == 0;) {
		const char *slash = memchr(path + at, '/', len - at);
		size_t n = slash != NULL ? (size_t)(slash - path) - at : len - at;

		err = is_name(path + at, n) ? step(path + at, n) : -EINVAL;
		at += n + 1;
	}
	if (err < 0) {
		forget_walk();
		return err;
	}
	memcpy(walked.path, path, len);
	walked.len = len;
	return 0;
}

/* Of the directory's path in it, without a slash behind. */
static size_t parent_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? (size_t)(slash - path) : 0;
}

/* The place of a path below a mounted directory, and whether it is as the session saw it. */
static int find(uint32_t root, const char *path, struct place *out)
{
	size_t above = parent_length(path);
	const char *name = path + above + (above != 0);
	size_t n = strlen(name);
	int err = is_name(name, n) ? walk(root, path, above) : -EINVAL;

	if (err < 0)
		return err;
	out->dir = walked.fd;
	memcpy(out->name, name, n + 1);
	out->object = object_find(walked.object, name, n);
	out->replaces = false;
	if (walked.imagined)
		return 0;
	err = stat_at(out->dir, out->name, &out->st);
	out->replaces = err == 0;
	if (err == -ENOENT)
		return out->object == NO_OBJECT ? 0 : BROKER_CHANGED;
	if (err < 0)
		return err;
	if (out->object == NO_OBJECT)
		return BROKER_APPEARED;
	return as_seen(object_of(out->object), &out->st, false) ? 0 : BROKER_CHANGED;
}

/* --- changing --- */

/* A name beside the others that nobody has; which one, the ticket says. */
static char *beside(char name[NAME_SIZE], uint32_t ticket)
{
	snprintf(name, NAME_SIZE, ".cowsh-apply.%d.%u", own_number, (unsigned)ticket);
	return name;
}

/* In the directory that was walked to. */
static int rename_at(int dir, const char *from, const char *to, unsigned how)
{
	walked.changed = true;
	return syscall(SYS_renameat2, dir, from, dir, to, how) < 0 ? -errno : 0;
}

static int unlink_at(int dir, const char *name, int how)
{
	walked.changed = true;
	return unlinkat(dir, name, how) < 0 ? -errno : 0;
}

/* Filesystems without exchange: looked at as late as can be. */
static int replace_plainly(const struct place *p, const char *from)
{
	struct stat st;
	int err = stat_at(p->dir, p->name, &st);

	if (!p->replaces && err != -ENOENT)
		return err == 0 ? BROKER_APPEARED : err;
	if (p->replaces && (err < 0 || !as_seen(object_of(p->object), &st, false)))
		return BROKER_CHANGED;
	if (p->replaces && S_ISREG(st.st_mode))
		err = object_keep(p->object, NULL);
	else
		err = 0;
	if (err == 0)
		err = rename_at(p->dir, from, p->name, 0);
	if (err != -EISDIR && err != -ENOTDIR)
		return err;
	err = unlink_at(p->dir, p->name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
	return err < 0 ? err : rename_at(p->dir, from, p->name, 0);
}

static int wait_for_end(struct later what)
{
	if (what.path == UINT64_MAX || later_count == LATER_MAX)
		return -ENOMEM;
	later[later_count++] = what;
	return 0;
}

/* Opens the directory for a DROP, unless the one before has it. */
static void open_kept_dir(struct later *l, int dir)
{
	static int count;
	const struct later *last = later_count != 0 ? &later[later_count - 1] : NULL;
	size_t n = parent_length(names_at(l->path));

	l->dir = -1;
	if (last != NULL && last->kind == LATER_DROP && last->root == l->root &&
	    parent_length(names_at(last->path)) == n &&
	    memcmp(names_at(last->path), names_at(l->path), n) == 0) {
		l->dir = last->dir;
	} else if (count < KEPT_DIRS_MAX) {
		l->dir = (int)syscall(SYS_openat, dir, ".", DIR_FLAGS);
		l->opened = l->dir >= 0;
		count += l->opened;
	}
}

/* What lay there is beside now. A file is kept until all content has come: others may have it. */
static int give_up(const struct place *p, uint32_t root, uint64_t path, uint32_t ticket, int how)
{
	struct later drop = { .kind = LATER_DROP, .root = root, .path = path, .ticket = ticket };
	char name[NAME_SIZE];
	int err;

	beside(name, ticket);
	if (how != 0 || p->object == NO_OBJECT || !S_ISREG(p->st.st_mode))
		return unlink_at(p->dir, name, how);
	if (path != UINT64_MAX)
		open_kept_dir(&drop, p->dir);
	err = wait_for_end(drop);
	return err == 0 ? object_keep(p->object, name) : err;
}

/* What lies beside takes its place; what was there is given up, or lies beside again if it was not
 * what the session saw. How: unlinkat's flags for it. */
static int put_in_place(const struct place *p, uint32_t root, uint64_t path, uint32_t ticket,
			int how)
{
	char from[NAME_SIZE];
	struct stat st;
	int err;

	beside(from, ticket);
	if (!p->replaces) {
		err = rename_at(p->dir, from, p->name, RENAME_NOREPLACE);
		return err == -EEXIST   ? BROKER_APPEARED
		       : err == -EINVAL ? replace_plainly(p, from)
					: err;
	}
	err = rename_at(p->dir, from, p->name, RENAME_EXCHANGE);
	if (err == -EINVAL)
		return replace_plainly(p, from);
	if (err < 0)
		return err == -ENOENT ? BROKER_CHANGED : err;
	err = stat_at(p->dir, from, &st);
	if (err == 0 && !as_seen(object_of(p->object), &st, true))
		err = BROKER_CHANGED;
	if (err == 0) {
		touch(&st);
		err = give_up(p, root, path, ticket, how);
	}
	if (err < 0)
		(void)rename_at(p->dir, from, p->name, RENAME_EXCHANGE);
	return err == -ENOTEMPTY || err == -EEXIST ? BROKER_APPEARED : err;
}

/* What lies beside takes its place, now or, where a directory must be emptied before, later. */
static int settle(const struct place *p, uint32_t root, uint64_t path, uint32_t ticket)
{
	char from[NAME_SIZE];
	int err;

	beside(from, ticket);
	if (p->replaces && S_ISDIR(p->st.st_mode))
		err = wait_for_end((struct later){
			.kind = LATER_SWAP, .root = root, .path = path, .ticket = ticket });
	else
		err = put_in_place(p, root, path, ticket, 0);
	if (err < 0)
		(void)unlink_at(p->dir, from, 0);
	return err;
}

static void times_of(int64_t mtime_ns, struct timespec out[2])
{
	int64_t seconds = mtime_ns / 1000000000;
	int64_t rest = mtime_ns % 1000000000;

	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	}
	out[0] = (struct timespec){ 0, UTIME_OMIT };
	out[1] = (struct timespec){ (time_t)seconds, (long)rest };
}

static int set_times(int fd, const char *name, int64_t mtime_ns)
{
	struct timespec times[2];

	times_of(mtime_ns, times);
	return syscall(SYS_utimensat, fd, name, times, name != NULL ? AT_SYMLINK_NOFOLLOW : 0) < 0
		       ? -errno
		       : 0;
}

/* The mode that a change may bring: a file gets no set-id bits that the host's own has not, unless
 * that was asked for. */
static uint32_t mode_for(const struct broker_change *c, uint32_t host)
{
	bool all = S_ISDIR(c->mode) || broker_rights == BROKER_WRITES_OWNERS;

	return c->mode & (all ? MODE_BITS : (MODE_BITS & ~SET_ID_BITS) | (host & SET_ID_BITS));
}

/* Owner, then mode: a change of the owner takes set-id bits away. What the host refuses is left
 * out, as bits of the answer. */
static int set_owner_and_mode(int fd, const struct broker_change *c, uint32_t mode)
{
	bool owner = c->uid != BROKER_NOBODY || c->gid != BROKER_NOBODY;
	struct stat st;
	int left = 0;

	if (owner && (broker_rights != BROKER_WRITES_OWNERS || fchown(fd, c->uid, c->gid) < 0))
		left = BROKER_NO_OWNER;
	/* Set-id bits are for the owner that was meant, not for another. */
	if (fchmod(fd, left == 0 ? mode : mode & ~(uint32_t)SET_ID_BITS) < 0)
		return -errno;
	if (stat_at(fd, "", &st) < 0 || (mode & SET_ID_BITS & ~st.st_mode) != 0)
		left |= BROKER_NO_SET_ID;
	return left;
}

/* --- kinds of changes --- */

static int make_link(struct place *p, uint32_t root, uint64_t path, const char *target,
		     int64_t mtime_ns)
{
	uint32_t ticket = tickets++;
	char name[NAME_SIZE];

	if (symlinkat(target, p->dir, beside(name, ticket)) < 0)
		return -errno;
	(void)set_times(p->dir, name, mtime_ns);
	return settle(p, root, path, ticket);
}

/* What comes into a directory must get in, and changes its time: its own mode comes last. */
static int finish_directory(uint32_t root, uint64_t path, const struct broker_change *c)
{
	return wait_for_end((struct later){ .kind = LATER_MODE,
					    .root = root,
					    .path = path,
					    .mode = mode_for(c, 0),
					    .time_ns = c->mtime_ns });
}

static int make_directory(struct place *p, uint32_t root, uint64_t path,
			  const struct broker_change *c)
{
	uint32_t ticket = tickets++;
	char name[NAME_SIZE];
	struct stat st;
	int err, fd, left;

	beside(name, ticket);
	if (mkdirat(p->dir, name, 0700) < 0)
		return -errno;
	fd = (int)syscall(SYS_openat, p->dir, name, DIR_FLAGS);
	err = fd < 0 ? -errno : stat_at(fd, "", &st);
	left = err == 0 ? set_owner_and_mode(fd, c, mode_for(c, 0) | 0700) : err;
	if (left >= 0)
		err = put_in_place(p, root, path, ticket, 0);
	if (fd >= 0)
		close(fd);
	if (left < 0 || err < 0) {
		(void)unlink_at(p->dir, name, AT_REMOVEDIR);
		return left < 0 ? left : err;
	}
	if (!object_set(walked.object, p->name, &st))
		return -ENOMEM;
	err = finish_directory(root, path, c);
	return err < 0 ? err : left;
}

static int begin_file(struct place *p, uint32_t root, uint64_t path, const struct broker_change *c);

/* Mode, time and owner of what is there. A file that has other names becomes one of its own: they
 * may be none of the session's. */
static int set_meta(struct place *p, uint32_t root, uint64_t path, const struct broker_change *c)
{
	bool directory = S_ISDIR(p->st.st_mode);
	uint32_t mode = mode_for(c, p->st.st_mode);
	struct stat st;
	int err, fd;
	int left = 0;

	if (!p->replaces || (p->st.st_mode & S_IFMT) != (c->mode & S_IFMT))
		return BROKER_CHANGED;
	if (S_ISLNK(p->st.st_mode))
		return set_times(p->dir, p->name, c->mtime_ns);
	if (S_ISREG(p->st.st_mode) && p->st.st_nlink > 1)
		return begin_file(p, root, path, c);
	fd = (int)syscall(SYS_openat, p->dir, p->name,
			  directory ? DIR_FLAGS : O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = stat_at(fd, "", &st);
	if (err == 0 && !as_seen(object_of(p->object), &st, false))
		err = BROKER_CHANGED;
	if (err == 0 && directory)
		err = finish_directory(root, path, c);
	if (err == 0)
		err = left = set_owner_and_mode(fd, c, directory ? mode | 0700 : mode);
	if (err >= 0 && !directory)
		err = set_times(fd, NULL, c->mtime_ns);
	close(fd);
	return err < 0 ? err : left;
}

static int begin_file(struct place *p, uint32_t root, uint64_t path, const struct broker_change *c)
{
	char name[NAME_SIZE];

	file.ticket = tickets++;
	file.fd = (int)syscall(SYS_openat, p->dir, beside(name, file.ticket),
			       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file.fd < 0)
		return -errno;
	file.err = 0;
	file.from = NO_OBJECT;
	file.place = *p;
	file.change = *c;
	file.root = root;
	file.path = path;
	return BROKER_WANTS_DATA;
}

static bool goes_along(const char *name)
{
	return strncmp(name, "user.", 5) == 0 || strcmp(name, "system.posix_acl_access") == 0;
}

/* What the session does not see of the host's file, the new one gets from it: attributes of users
 * and the access list, of which a new mode changes the mask. Rights of programs
 * (security.capability) belong to the old content. */
static int copy_attributes(int from, int to)
{
	static char names[XATTR_LIST_MAX + 1];
	static char value[XATTR_SIZE_MAX];
	ssize_t len = flistxattr(from, names, XATTR_LIST_MAX);

	if (len < 0)
		return errno == ENOTSUP ? 0 : -errno;
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		ssize_t n;

		if (!goes_along(name))
			continue;
		n = fgetxattr(from, name, value, sizeof value);
		if (n < 0 || fsetxattr(to, name, value, (size_t)n, 0) < 0)
			return -errno;
	}
	return 0;
}

static int keep_attributes(const struct place *p, int to)
{
	int from = (int)syscall(SYS_openat, p->dir, p->name,
				O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int err;

	/* Who may not read it does not know what it has. */
	if (from < 0)
		return errno == EACCES ? 0 : errno == ENOENT ? BROKER_CHANGED : -errno;
	err = stat_at(from, "", &st);
	if (err == 0 && !as_seen(object_of(p->object), &st, false))
		err = BROKER_CHANGED;
	if (err == 0)
		err = copy_attributes(from, to);
	close(from);
	return err;
}

/* 0, what was left out, or an error. */
static int finish_file(uint64_t size)
{
	const struct place *p = &file.place;
	struct stat st;
	int err = stat_at(file.fd, "", &st);
	uint32_t mode;
	int left;

	if (err < 0)
		return err;
	if (ftruncate(file.fd, (off_t)size) < 0)
		return -errno;
	/* Its owner stays its owner. */
	if (p->replaces && S_ISREG(p->st.st_mode) &&
	    (p->st.st_uid != st.st_uid || p->st.st_gid != st.st_gid) &&
	    fchown(file.fd, p->st.st_uid, p->st.st_gid) < 0)
		return -errno;
	if (p->replaces && S_ISREG(p->st.st_mode))
		err = keep_attributes(p, file.fd);
	if (err < 0)
		return err;
	/* The content is the runner's: no set-id bit of the host's file goes with it. */
	mode = mode_for(&file.change, 0);
	left = set_owner_and_mode(file.fd, &file.change, mode);
	if (left < 0)
		return left;
	if (p->replaces && (p->st.st_mode & file.change.mode & SET_ID_BITS & ~mode) != 0)
		left |= BROKER_NO_SET_ID;
	err = set_times(file.fd, NULL, file.change.mtime_ns);
	/* Whole and on the disk before it takes the name: a power cut leaves the old or the new. */
	if (err == 0 && fsync(file.fd) < 0)
		err = -errno;
	return err < 0 ? err : left;
}

/* A rehearsal: what would be a directory is one from here on. */
static int imagine(const struct place *p, const struct broker_change *c)
{
	struct stat st = { .st_mode = c->mode };

	if (c->mode == 0 && !p->replaces && !walked.imagined)
		return BROKER_CHANGED;
	if (S_ISDIR(c->mode) && !(p->replaces && S_ISDIR(p->st.st_mode)) &&
	    !object_set(walked.object, p->name, &st))
		return -ENOMEM;
	return 0;
}

static int change(uint32_t root, const struct broker_change *c, const char *path,
		  const char *target)
{
	uint64_t kept = names_add(path, strlen(path));
	struct place p;
	int err;

	if (root_descriptor(root) < 0)
		return -EROFS;
	if (c->mode != 0 && !S_ISREG(c->mode) && !S_ISDIR(c->mode) && !S_ISLNK(c->mode))
		return BROKER_NO_FILE;
	err = find(root, path, &p);
	if (err == 0 && p.object != NO_OBJECT)
		err = had_it(object_of(p.object), c);
	if (err < 0)
		return err;
	if (broker_rights < BROKER_WRITES)
		return imagine(&p, c);
	if (c->mode == 0 && !p.replaces)
		return BROKER_CHANGED;
	if (c->mode == 0)
		return wait_for_end(
			(struct later){ .kind = LATER_REMOVE, .root = root, .path = kept });
	if (c->kind == 'm' || (S_ISDIR(c->mode) && p.replaces && S_ISDIR(p.st.st_mode)))
		return set_meta(&p, root, kept, c);
	if (S_ISDIR(c->mode))
		return make_directory(&p, root, kept, c);
	if (S_ISLNK(c->mode))
		return make_link(&p, root, kept, target, c->mtime_ns);
	return begin_file(&p, root, kept, c);
}

/* --- the end --- */

static int remove_object(const struct place *p)
{
	char name[NAME_SIZE];
	struct stat st;
	int err;

	if (!p->replaces)
		return BROKER_CHANGED;
	if (S_ISDIR(p->st.st_mode)) {
		err = unlink_at(p->dir, p->name, AT_REMOVEDIR);
		return err == -ENOTEMPTY || err == -EEXIST ? BROKER_APPEARED : err;
	}
	err = rename_at(p->dir, p->name, beside(name, tickets++), RENAME_NOREPLACE);
	if (err == -EINVAL) {
		touch(&p->st);
		return unlink_at(p->dir, p->name, 0);
	}
	if (err < 0)
		return err == -ENOENT ? BROKER_CHANGED : err;
	err = stat_at(p->dir, name, &st);
	if (err == 0 && !as_seen(object_of(p->object), &st, true))
		err = BROKER_CHANGED;
	if (err == 0) {
		touch(&st);
		err = unlink_at(p->dir, name, 0);
	}
	if (err < 0)
		(void)rename_at(p->dir, name, p->name, RENAME_NOREPLACE);
	return err;
}

static void drop_beside(const struct later *l)
{
	const char *path = names_at(l->path);
	bool here = l->kind == LATER_DROP && l->dir >= 0;
	char name[NAME_SIZE];

	beside(name, l->ticket);
	if (here)
		(void)unlinkat(l->dir, name, 0);
	else if (walk(l->root, path, parent_length(path)) == 0)
		(void)unlink_at(walked.fd, name, 0);
	if (here && l->opened)
		close(l->dir);
}

void apply_reads(uint64_t id)
{
	if (file.fd >= 0)
		file.from = id;
	else if (applying)
		object_want(id);
}

static bool any_failed(void)
{
	for (int i = 0; i < MOUNTS_MAX; i++)
		if (failed[i])
			return true;
	return false;
}

/* Content that was to go elsewhere comes back, if it did not get there: it is nowhere else. What
 * was read since the first change may be such content, where anything failed: the session may have
 * it from when it was compared, and ask for it no more. */
static int drop_kept(const struct later *l)
{
	const char *path = names_at(l->path);
	size_t above = parent_length(path);
	const char *name = path + above + (above != 0);
	int err = walk(l->root, path, above);
	uint64_t id = err == 0 ? object_find(walked.object, name, strlen(name)) : NO_OBJECT;
	bool wanted = id != NO_OBJECT && object_of(id)->wanted && any_failed();
	char kept[NAME_SIZE];

	if (wanted && rename_at(walked.fd, beside(kept, l->ticket), name, RENAME_EXCHANGE) < 0)
		return BROKER_KEPT;
	drop_beside(l);
	return wanted ? BROKER_KEPT : 0;
}

static int do_later(const struct later *l)
{
	const char *path = names_at(l->path);
	struct place p;
	int err;

	if (l->kind == LATER_MODE) {
		err = walk(l->root, path, strlen(path));
		if (err == 0 && fchmod(walked.fd, l->mode) < 0)
			err = -errno;
		return err < 0 ? err : set_times(walked.fd, NULL, l->time_ns);
	}
	if (l->kind == LATER_DROP)
		return drop_kept(l);
	err = find(l->root, path, &p);
	if (err == 0 && failed[l->root])
		err = BROKER_KEPT;
	if (l->kind == LATER_REMOVE)
		return err < 0 ? err : remove_object(&p);
	if (err == 0)
		err = put_in_place(&p, l->root, l->path, l->ticket, AT_REMOVEDIR);
	/* Without it nothing would know of what was made. */
	if (err < 0)
		drop_beside(l);
	return err;
}

static void finish(bool broken)
{
	struct broker_failure end = { 0 };

	for (int i = 0; broken && i < MOUNTS_MAX; i++)
		failed[i] = true;
	send_result(0);
	forget_walk();
	while (later_count > 0) {
		const struct later *l = &later[--later_count];
		const char *path = names_at(l->path);
		struct broker_failure failure = { do_later(l), l->root, (uint32_t)strlen(path) };

		if (failure.err == 0)
			continue;
		send_all(&failure, sizeof failure);
		send_all(path, failure.path_len);
	}
	send_all(&end, sizeof end);
	forget_walk();
}

/* --- requests --- */

static int write_data(const char *data, size_t len, uint64_t pos)
{
	while (len != 0) {
		ssize_t n = pwrite(file.fd, data, len, (off_t)pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		pos += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static bool take_data(const struct broker_request *r)
{
	static char data[BROKER_CHUNK];

	if (file.fd < 0 || r->len > sizeof data || r->pos > INT64_MAX - sizeof data ||
	    !receive_all(data, (size_t)r->len))
		return false;
	if (file.err == 0)
		file.err = write_data(data, (size_t)r->len, r->pos);
	send_result(file.err);
	return true;
}

static bool end_file(const struct broker_request *r)
{
	char name[NAME_SIZE];
	int err, left;

	if (file.fd < 0 || r->pos > INT64_MAX)
		return false;
	left = r->len != 0 ? -EIO : file.err != 0 ? file.err : finish_file(r->pos);
	err = left < 0 ? left : 0;
	close(file.fd);
	file.fd = -1;
	if (err < 0)
		(void)unlink_at(file.place.dir, beside(name, file.ticket), 0);
	else
		err = settle(&file.place, file.root, file.path, file.ticket);
	if (err < 0)
		failed[file.root] = true;
	if (err < 0 && file.from != NO_OBJECT)
		object_want(file.from);
	send_result(err < 0 ? err : left);
	return true;
}

static bool take_change(const struct broker_request *r)
{
	static char path[BROKER_PATH_MAX];
	static char target[BROKER_TARGET_MAX + 1];
	struct broker_change c;
	int result;

	if (file.fd >= 0 || r->id >= MOUNTS_MAX || !receive_all(&c, sizeof c) ||
	    c.path_len >= sizeof path || c.target_len >= sizeof target ||
	    !receive_all(path, c.path_len) || !receive_all(target, c.target_len))
		return false;
	path[c.path_len] = '\0';
	target[c.target_len] = '\0';
	applying = true;
	result = change((uint32_t)r->id, &c, path, target);
	if (result < 0)
		failed[r->id] = true;
	send_result(result);
	return true;
}

bool apply_request(const struct broker_request *r)
{
	switch (r->op) {
	case BROKER_APPLY: return take_change(r);
	case BROKER_DATA: return take_data(r);
	case BROKER_END: return end_file(r);
	case BROKER_FINISH: break;
	default: return false;
	}
	if (file.fd >= 0)
		return false;
	finish(r->len != 0);
	return true;
}

void apply_end(void)
{
	char name[NAME_SIZE];

	if (file.fd >= 0)
		(void)unlink_at(file.place.dir, beside(name, file.ticket), 0);
	forget_walk();
	while (later_count > 0)
		if (later[--later_count].kind == LATER_SWAP ||
		    later[later_count].kind == LATER_DROP)
			drop_beside(&later[later_count]);
}
