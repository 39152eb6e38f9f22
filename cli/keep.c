/* SPDX-License-Identifier: MIT
 *
 * Files of the host that are replaced as a whole, and files that are mapped.
 *
 * The lock is on FILE.new, which exists while somebody works at FILE. The one who has it may be
 * the last owner of a file that has been renamed meanwhile: then it is opened again.
 */
#include "cli/keep.h"
#include "cli/cli.h"
#include "cli/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void split_path(struct kept *k, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	char dir[PATH_MAX] = ".";

	if (name[0] == '\0' || strlen(name) + 11 > NAME_MAX || strlen(path) >= sizeof dir)
		fatal("'%s' can't be the name of a file", path);
	if (slash != NULL)
		snprintf(dir, sizeof dir, "%.*s", (int)(slash - path) + 1, path);
	k->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (k->dir < 0)
		fatal("%s: %s", path, strerror(errno));
	snprintf(k->name, sizeof k->name, "%s", name);
	snprintf(k->fresh, sizeof k->fresh, "%s.new", name);
}

/* Whether the name still stands for the file that is open. */
static bool still_there(const struct kept *k)
{
	struct stat open_one, named;

	return fstat(k->fd, &open_one) == 0 &&
	       fstatat(k->dir, k->fresh, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino &&
	       open_one.st_uid == geteuid() && S_ISREG(open_one.st_mode);
}

/* Whoever has just ended may have it a moment longer. */
static bool lock_soon(int fd)
{
	static const struct timespec pause = { 0, 10000000 };

	for (int tries = 0; tries < 30; tries++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

void keep_open(struct kept *k, const char *path, unsigned mode)
{
	split_path(k, path);
	for (int tries = 0;; tries++) {
		k->fd = openat(k->dir, k->fresh, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
		if (k->fd < 0)
			fatal("%s.new: %s", path, strerror(errno));
		if (!lock_soon(k->fd))
			fatal("%s: another process is using it", path);
		if (still_there(k))
			break;
		close(k->fd);
		if (tries == 100)
			fatal("%s.new: it is not a file of this user", path);
	}
	if (ftruncate(k->fd, 0) < 0)
		fatal("%s.new: %s", path, strerror(errno));
}

/* The calls of a locked keeper, by their own names. */
static int sync_file(int fd)
{
	return syscall(SYS_fsync, fd) == 0 ? 0 : errno;
}

int keep_commit(const struct kept *k)
{
	int err = k->dir >= 0 ? sync_file(k->fd) : 0;

	if (err == 0 && k->dir >= 0 &&
	    syscall(SYS_renameat2, k->dir, k->fresh, k->dir, k->name, 0) != 0)
		err = errno;
	return err == 0 && k->dir >= 0 ? sync_file(k->dir) : err;
}

static void before_name(const struct kept *k, char out[NAME_MAX + 16], const char *end)
{
	snprintf(out, NAME_MAX + 16, "%.*s%s", NAME_MAX, k->name, end);
}

int keep_before(const struct kept *k)
{
	char name[NAME_MAX + 16], second[NAME_MAX + 16];

	before_name(k, name, ".before");
	before_name(k, second, ".before.new");
	syscall(SYS_unlinkat, k->dir, second, 0);
	if (syscall(SYS_linkat, k->dir, k->name, k->dir, second, 0) != 0)
		return errno == ENOENT ? 0 : errno;
	return syscall(SYS_renameat2, k->dir, second, k->dir, name, 0) == 0 ? 0 : errno;
}

int keep_undo(const struct kept *k)
{
	char name[NAME_MAX + 16];

	before_name(k, name, ".before");
	if (renameat(k->dir, name, k->dir, k->name) != 0)
		return errno;
	return sync_file(k->dir);
}

void keep_drop(const struct kept *k)
{
	if (k->dir >= 0)
		syscall(SYS_unlinkat, k->dir, k->fresh, 0);
}

/* --- the keeper --- */

static int keeper[2]; /* where it is asked, where it answers */

static _Noreturn void serve(const struct kept *k, int from, int to, bool lock, bool before)
{
	unsigned char answer;
	char asked;
	ssize_t n;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (lock)
		lock_down(LOCK_KEEPER);
	do {
		n = read(from, &asked, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1) {
		/* The state before that is given up when the new one is sure of its place. */
		answer = (unsigned char)(before ? sync_file(k->fd) : 0);
		if (answer == 0 && before)
			answer = (unsigned char)keep_before(k);
		if (answer == 0)
			answer = (unsigned char)keep_commit(k);
		if (answer != 0)
			keep_drop(k);
		(void)write_all(to, (const char *)&answer, 1);
	} else {
		keep_drop(k);
	}
	leave(0);
}

void keep_start(struct kept *k, bool lock, bool before)
{
	int to[2], from[2];
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		fatal("can't make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		fatal("can't start the keeper of the session: %s", strerror(errno));
	if (pid == 0) {
		close(to[1]);
		close(from[0]);
		serve(k, to[0], from[1], lock, before);
	}
	close(to[0]);
	close(from[1]);
	keeper[0] = to[1];
	keeper[1] = from[0];
}

int keep_ask(void)
{
	unsigned char answer;
	ssize_t n;

	if (write_all(keeper[0], "c", 1) < 0)
		return EIO;
	do {
		n = read(keeper[1], &answer, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1 ? answer : EIO;
}

/* --- mapped files --- */

/* Whoever makes a mapped file shorter takes its pages away. */
static void cut(int signal)
{
	static const char line[] = "cowsh: a file was cut off while it was in use\n";

	(void)signal;
	(void)write_all(2, line, sizeof line - 1);
	leave(2);
}

const void *map_file(const char *path, size_t *size, bool may_lack)
{
	struct sigaction action = { .sa_handler = cut };
	struct stat st;
	const void *bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT && may_lack)
		return NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		fatal("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fatal("%s: not a regular file", path);
	*size = (size_t)st.st_size;
	if (*size == 0)
		fatal("%s: it is empty", path);
	bytes = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		fatal("%s: %s", path, strerror(errno));
	close(fd);
	sigaction(SIGBUS, &action, NULL);
	return bytes;
}
