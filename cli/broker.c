/* SPDX-License-Identifier: MIT
 *
 * The broker: reads mounted directories for the runner, which can't open anything any more.
 *
 * Everything is opened for reading only, name by name from a mounted directory downwards, never
 * through a symbolic link. The runner is not trusted: it names objects by numbers that this
 * process gave out.
 */
#include "cli/cli.h"
#include "cli/broker.h"
#include "cli/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH_MAX = 2048 };
#define OBJECTS_MAX ((uint64_t)1 << 27)
#define NAMES_MAX   ((uint64_t)1 << 33)

/* The numbers of objects are indices; memory is address space until it is used. */
struct object {
	uint64_t name; /* offset in names */
	uint32_t parent;
};

static struct object *objects;
static uint64_t count;
static char *names;
static uint64_t names_len;
static int roots_count;
static const int *root_fds;
static int requests, replies;
static uint64_t open_id = UINT64_MAX; /* the object that was opened last stays open */
static int open_fd = -1;

static void *reserve(uint64_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		fatal("can't reserve memory for mounts");
	return memory;
}

static void send_all(const void *data, size_t len)
{
	const char *at = data;

	while (len != 0) {
		ssize_t n = write(replies, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			leave(0);
		at += n;
		len -= (size_t)n;
	}
}

static void send_result(int64_t result)
{
	struct broker_reply reply = { result };

	send_all(&reply, sizeof reply);
}

/* --- objects --- */

/* Opens name by name: a directory that was replaced by a link meanwhile leads nowhere. */
static int open_path(const uint32_t *path, int depth, int fd, int flags)
{
	int from = fd;

	while (depth-- > 0) {
		int how = depth > 0 ? O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC : flags;
		const char *name = names + objects[path[depth]].name;
		int next = (int)syscall(SYS_openat, fd, name, how);
		int err = errno;

		if (fd != from)
			close(fd);
		if (next < 0)
			return -err;
		fd = next;
	}
	return fd;
}

static int open_object(uint64_t id, bool directory)
{
	static uint32_t path[DEPTH_MAX];
	int flags = directory ? O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
			      : O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
	int depth = 0;
	int fd;

	if (id >= count)
		return -COWSH_EBADF;
	if (id == open_id)
		return open_fd;
	path[depth++] = (uint32_t)id;
	while (id >= (uint64_t)roots_count) {
		if (depth == DEPTH_MAX)
			return -COWSH_ENAMETOOLONG;
		id = objects[id].parent;
		path[depth++] = (uint32_t)id;
	}
	fd = open_path(path, depth, root_fds[id], flags);
	if (fd < 0)
		return fd;
	if (open_fd >= 0)
		close(open_fd);
	open_id = path[0];
	open_fd = fd;
	return fd;
}

/* The number of a new object, or 0 when there are too many. */
static uint64_t add_object(uint64_t parent, const char *name, size_t len)
{
	if (count == OBJECTS_MAX || names_len + len + 1 > NAMES_MAX)
		return 0;
	objects[count] = (struct object){ names_len, (uint32_t)parent };
	memcpy(names + names_len, name, len);
	names_len += len;
	names[names_len++] = '\0';
	return count++;
}

/* --- requests --- */

static void do_read(const struct broker_request *r)
{
	static char data[BROKER_CHUNK];
	size_t len = r->len < sizeof data ? (size_t)r->len : sizeof data;
	int fd = open_object(r->id, false);
	ssize_t n = fd < 0 ? fd : pread(fd, data, len, (off_t)r->pos);

	if (fd >= 0 && n < 0)
		n = -errno;
	send_result(n);
	if (n > 0)
		send_all(data, (size_t)n);
}

static void send_entry(int fd, uint64_t dir, const char *name)
{
	char target[BROKER_TARGET_MAX];
	struct broker_record record = { 0 };
	struct stat st;
	size_t len = strlen(name);
	ssize_t n = 0;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || len > BROKER_NAME_MAX)
		return;
	if (syscall(SYS_newfstatat, fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return; /* gone meanwhile */
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
		return; /* devices, sockets and pipes of the host stay outside */
	if (S_ISLNK(st.st_mode))
		n = readlinkat(fd, name, target, sizeof target);
	if (n < 0)
		return;
	record.id = add_object(dir, name, len);
	if (record.id == 0)
		return;
	record.mode = st.st_mode;
	record.size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	record.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	record.name_len = (uint16_t)len;
	record.target_len = (uint16_t)n;
	send_all(&record, sizeof record);
	send_all(name, len);
	send_all(target, (size_t)n);
}

static void do_list(const struct broker_request *r)
{
	static _Alignas(16) char data[BROKER_CHUNK];
	struct broker_record end = { 0 };
	int fd = open_object(r->id, true);
	long n;

	send_result(fd < 0 ? fd : 0);
	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, data, sizeof data)) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent *d = (const struct dirent *)(const void *)(data + at);

			at += d->d_reclen;
			send_entry(fd, r->id, d->d_name);
		}
	}
	end.size = n < 0 ? (uint64_t)errno : 0;
	send_all(&end, sizeof end);
	if (fd == open_fd) {
		/* Its offset is at the end. */
		close(open_fd);
		open_fd = -1;
		open_id = UINT64_MAX;
	}
}

static bool next_request(struct broker_request *r)
{
	size_t done = 0;

	while (done < sizeof *r) {
		ssize_t n = read(requests, (char *)r + done, sizeof *r - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static _Noreturn void serve(bool lock)
{
	struct broker_request r;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (lock) {
		lock_files(root_fds, roots_count);
		lock_down(LOCK_BROKER);
	}
	while (next_request(&r)) {
		if (r.op == BROKER_READ)
			do_read(&r);
		else if (r.op == BROKER_LIST)
			do_list(&r);
		else
			break;
	}
	leave(0);
}

void broker_start(const int *roots, int n, bool lock, int fds[2])
{
	int to[2], from[2];
	pid_t pid;

	if (pipe(to) < 0 || pipe(from) < 0)
		fatal("can't make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		fatal("can't start the reader of mounts: %s", strerror(errno));
	if (pid == 0) {
		close(to[1]);
		close(from[0]);
		requests = to[0];
		replies = from[1];
		objects = reserve(OBJECTS_MAX * sizeof *objects);
		names = reserve(NAMES_MAX);
		root_fds = roots;
		roots_count = n;
		for (int i = 0; i < n; i++)
			add_object(0, ".", 1);
		serve(lock);
	}
	close(to[0]);
	close(from[1]);
	fds[0] = to[1];
	fds[1] = from[0];
}
