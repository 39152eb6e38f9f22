/* SPDX-License-Identifier: MIT
 *
 * The broker: reads mounted directories for the runner, which can't open anything any more.
 *
 * Everything is opened name by name from a mounted directory downwards, never through a symbolic
 * link, and for reading only; apply_host.c writes, with --apply. The runner is not trusted: it
 * names objects by numbers that this process gave out.
 */
#include "cli/broker_private.h"
#include "cli/cli.h"
#include "cli/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH_MAX = 2048, SLOTS_MIN = 1024, BROKER_COPIED = 16384 };
#define OBJECTS_MAX ((uint64_t)1 << 26)
#define NAMES_MAX   ((uint64_t)1 << 33)

/* Memory is address space until it is used. */
static struct object *objects;
static uint64_t count;
static char *names;
static uint64_t names_len;
static uint32_t *slots; /* --apply: objects by directory and name, a hash table */
static uint64_t slots_count = SLOTS_MIN;
static int roots_count;
static const int *root_fds;
static const bool *root_writable;
enum broker_rights broker_rights;
static int requests, replies;
static uint64_t open_id = UINT64_MAX; /* the object that was opened last stays open */
static int open_fd = -1;
static char unsent[BROKER_CHUNK]; /* answers, until the next request is waited for */
static size_t unsent_len;

void *reserve(uint64_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		fatal("can't reserve memory for mounts");
	return memory;
}

/* The runner says nothing more, or hears nothing. */
static _Noreturn void hang_up(void)
{
	if (broker_rights >= BROKER_WRITES)
		apply_end();
	leave(0);
}

static void send_rest(void)
{
	if (write_all(replies, unsent, unsent_len) != 0)
		hang_up();
	unsent_len = 0;
}

void send_all(const void *data, size_t len)
{
	const char *at = data;

	while (len != 0) {
		size_t n = sizeof unsent - unsent_len < len ? sizeof unsent - unsent_len : len;

		memcpy(unsent + unsent_len, at, n);
		unsent_len += n;
		at += n;
		len -= n;
		if (unsent_len == sizeof unsent)
			send_rest();
	}
}

void send_result(int64_t result)
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
		const struct object *o = &objects[path[depth]];
		const char *name = names + (depth == 0 && o->kept != 0 ? o->kept : o->name);
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
	if (objects[id].kept_fd > 0)
		return objects[id].kept_fd;
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

int object_keep(uint64_t id, const char *name)
{
	uint64_t kept = name != NULL ? names_add(name, strlen(name)) : 0;
	int fd;

	if (name != NULL) {
		objects[id].kept = kept != UINT64_MAX ? kept : 0;
		return kept != UINT64_MAX ? 0 : -ENOMEM;
	}
	fd = open_object(id, false);
	if (fd < 0)
		return fd;
	/* The one that is open stays so. */
	objects[id].kept_fd = fd;
	open_id = UINT64_MAX;
	open_fd = -1;
	return 0;
}

void object_want(uint64_t id)
{
	objects[id].wanted = true;
}

const struct object *object_of(uint64_t id)
{
	return &objects[id];
}

const char *names_at(uint64_t offset)
{
	return names + offset;
}

uint64_t names_add(const char *text, size_t len)
{
	uint64_t at = names_len;

	if (names_len + len + 1 > NAMES_MAX)
		return UINT64_MAX;
	memcpy(names + at, text, len);
	names[at + len] = '\0';
	names_len += len + 1;
	return at;
}

int root_descriptor(uint64_t id)
{
	return id < (uint64_t)roots_count && root_writable[id] ? root_fds[id] : -1;
}

/* --- objects by name --- */

static uint64_t slot_for(uint64_t dir, const char *name, size_t len)
{
	uint64_t hash = (dir + 1) * 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
	return (hash ^ hash >> 29) & (slots_count - 1);
}

static void slot_insert(uint64_t id)
{
	const char *name = names + objects[id].name;
	uint64_t at = slot_for(objects[id].parent, name, strlen(name));

	while (slots[at] != NO_OBJECT)
		at = (at + 1) & (slots_count - 1);
	slots[at] = (uint32_t)id;
}

static void slot_add(uint64_t id)
{
	if (count * 2 > slots_count) {
		slots_count *= 4;
		memset(slots, 0, slots_count * sizeof *slots);
		for (uint64_t i = (uint64_t)roots_count; i < id; i++)
			slot_insert(i);
	}
	slot_insert(id);
}

uint64_t object_find(uint64_t dir, const char *name, size_t len)
{
	for (uint64_t at = slot_for(dir, name, len);; at = (at + 1) & (slots_count - 1)) {
		const struct object *o = &objects[slots[at]];

		if (slots[at] == NO_OBJECT)
			return NO_OBJECT;
		if (o->parent == dir && strncmp(names + o->name, name, len) == 0 &&
		    names[o->name + len] == '\0')
			return slots[at];
	}
}

/* --- lists --- */

int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

int64_t ctime_of(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

int stat_at(int dir, const char *name, struct stat *st)
{
	int flags = name[0] != '\0' ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;

	return syscall(SYS_newfstatat, dir, name, st, flags) < 0 ? -errno : 0;
}

static uint64_t hole_bytes(const struct stat *st)
{
	int64_t stored = (int64_t)st->st_blocks * 512;

	return S_ISREG(st->st_mode) && stored < st->st_size ? (uint64_t)(st->st_size - stored) : 0;
}

/* The number of a new object, or 0 when there are too many. */
static uint64_t add_object(uint64_t parent, const char *name, const struct stat *st,
			   const char *target)
{
	uint64_t at = names_add(name, strlen(name));

	if (count == OBJECTS_MAX || at == UINT64_MAX ||
	    names_add(target, strlen(target)) == UINT64_MAX)
		return 0;
	objects[count] = (struct object){
		.name = at,
		.size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0,
		.hole_bytes = hole_bytes(st),
		.ino = st->st_ino,
		.mtime_ns = mtime_of(st),
		.ctime_ns = ctime_of(st),
		.mode = st->st_mode,
		.parent = (uint32_t)parent,
	};
	if (broker_rights != BROKER_READS && count >= (uint64_t)roots_count)
		slot_add(count);
	return count++;
}

/* --- requests --- */

/* A result, so many bytes of the file, and how many they were; without them if there are none. */
static void send_copy(int fd, uint64_t pos, size_t len)
{
	static char data[BROKER_CHUNK];
	ssize_t n = pread(fd, data, len < sizeof data ? len : sizeof data, (off_t)pos);

	send_result(n < 0 ? -errno : n);
	if (n > 0) {
		send_all(data, (size_t)n);
		send_result(n);
	}
}

static void send_zeros(size_t n)
{
	static const char zeros[4096];

	for (size_t k; n != 0; n -= k) {
		k = n < sizeof zeros ? n : sizeof zeros;
		send_all(zeros, k);
	}
}

/* The same without a copy in this process. */
static void send_pages(int fd, uint64_t pos, size_t len)
{
	off_t at = (off_t)pos;
	size_t left = len;
	ssize_t n = 1;

	send_result((int64_t)len);
	send_rest();
	while (left != 0 && (n = sendfile(replies, fd, &at, left)) > 0)
		left -= (size_t)n;
	if (n < 0 && errno == EPIPE)
		hang_up();
	n = n < 0 ? -errno : (ssize_t)(len - left);
	send_zeros(left);
	send_result(n);
}

static void do_read(const struct broker_request *r)
{
	int fd = open_object(r->id, false);
	struct stat st = { 0 };
	uint64_t left;

	if (fd < 0) {
		send_result(fd);
		return;
	}
	if (broker_rights >= BROKER_WRITES)
		apply_reads(r->id);
	if (r->len > BROKER_COPIED && stat_at(fd, "", &st) == 0 && S_ISREG(st.st_mode) &&
	    r->pos < (uint64_t)st.st_size) {
		left = (uint64_t)st.st_size - r->pos;
		left = left < r->len ? left : r->len;
		send_pages(fd, r->pos, left < BROKER_READ_MAX ? (size_t)left : BROKER_READ_MAX);
		return;
	}
	send_copy(fd, r->pos, r->len < BROKER_CHUNK ? (size_t)r->len : BROKER_CHUNK);
}

static void do_seek(const struct broker_request *r)
{
	int fd = open_object(r->id, false);
	off_t at = -1;

	/* A directory's place is that of its list. */
	if (fd >= 0 && !S_ISREG(objects[r->id].mode))
		fd = -COWSH_EINVAL;
	if (fd >= 0)
		at = lseek(fd, (off_t)r->pos, r->len != 0 ? SEEK_DATA : SEEK_HOLE);
	send_result(fd < 0 ? fd : at < 0 ? -errno : at);
}

static void note_entry(int fd, uint64_t dir, const char *name)
{
	char target[BROKER_TARGET_MAX + 1];
	struct stat st;
	ssize_t n = 0;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strlen(name) > BROKER_NAME_MAX)
		return;
	if (stat_at(fd, name, &st) < 0)
		return; /* gone meanwhile */
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
		return; /* devices, sockets and pipes of the host stay outside */
	if (S_ISLNK(st.st_mode))
		n = readlinkat(fd, name, target, sizeof target - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	(void)add_object(dir, name, &st, target);
}

bool object_set(uint64_t dir, const char *name, const struct stat *st)
{
	uint64_t id = object_find(dir, name, strlen(name));

	if (id == NO_OBJECT)
		id = add_object(dir, name, st, "");
	if (id == NO_OBJECT)
		return false;
	objects[id].ino = st->st_ino;
	objects[id].mode = st->st_mode;
	objects[id].imagined = broker_rights == BROKER_REHEARSES;
	return true;
}

/* Reads a directory into objects. */
static int read_directory(uint64_t id, int fd)
{
	static _Alignas(16) char data[BROKER_CHUNK];
	uint64_t first = count;
	long n;

	while ((n = syscall(SYS_getdents64, fd, data, sizeof data)) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent *d = (const struct dirent *)(const void *)(data + at);

			at += d->d_reclen;
			note_entry(fd, id, d->d_name);
		}
	}
	if (n < 0)
		return -errno;
	objects[id].first = (uint32_t)first;
	objects[id].count = (uint32_t)(count - first);
	objects[id].listed = true;
	if (fd == open_fd) {
		/* Its offset is at the end. */
		close(open_fd);
		open_fd = -1;
		open_id = UINT64_MAX;
	}
	return 0;
}

static void send_entry(uint64_t id)
{
	const struct object *o = &objects[id];
	const char *name = names + o->name;
	size_t len = strlen(name);
	const char *target = name + len + 1;
	struct broker_record record = { .id = id,
					.size = o->size,
					.hole_bytes = o->hole_bytes,
					.mtime_ns = o->mtime_ns,
					.mode = o->mode,
					.name_len = (uint16_t)len,
					.target_len = (uint16_t)strlen(target) };

	send_all(&record, sizeof record);
	send_all(name, len);
	send_all(target, record.target_len);
}

static void do_list(const struct broker_request *r)
{
	struct broker_record end = { 0 };
	int err = 0;

	if (r->id >= count || !objects[r->id].listed) {
		int fd = open_object(r->id, true);

		err = fd < 0 ? fd : read_directory(r->id, fd);
	}
	send_result(err);
	if (err < 0)
		return;
	for (uint32_t i = 0; i < objects[r->id].count; i++)
		send_entry(objects[r->id].first + i);
	send_all(&end, sizeof end);
}

bool receive_all(void *into, size_t len)
{
	send_rest();
	return read_exactly(requests, into, len);
}

static _Noreturn void serve(bool lock)
{
	struct broker_request r;
	bool sane = true;

	/* It ends when the runner does. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (lock) {
		bool writes = broker_rights >= BROKER_WRITES;

		lock_files(root_fds, writes ? root_writable : NULL, roots_count);
		lock_down(writes ? LOCK_BROKER_APPLY : LOCK_BROKER);
	}
	while (sane && receive_all(&r, sizeof r)) {
		if (r.op == BROKER_READ)
			do_read(&r);
		else if (r.op == BROKER_LIST)
			do_list(&r);
		else if (r.op == BROKER_SEEK)
			do_seek(&r);
		else
			sane = broker_rights != BROKER_READS && apply_request(&r);
	}
	hang_up();
}

/* In the new process. */
static void prepare(void)
{
	objects = reserve(OBJECTS_MAX * sizeof *objects);
	names = reserve(NAMES_MAX);
	if (broker_rights != BROKER_READS) {
		slots = reserve(OBJECTS_MAX * 8 * sizeof *slots);
		apply_prepare();
	}
	for (int i = 0; i < roots_count; i++) {
		struct stat st = { 0 };

		(void)stat_at(root_fds[i], "", &st);
		add_object(0, ".", &st, "");
	}
}

void broker_start(const int *roots, const bool *writable, int n, enum broker_rights rights,
		  bool lock, int fds[2])
{
	int to[2], from[2];
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		fatal("can't make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		fatal("can't start the reader of mounts: %s", strerror(errno));
	if (pid == 0) {
		close(to[1]);
		close(from[0]);
		requests = to[0];
		replies = from[1];
		root_fds = roots;
		root_writable = writable;
		roots_count = n;
		broker_rights = rights;
		prepare();
		serve(lock);
	}
	close(to[0]);
	close(from[1]);
	fds[0] = to[1];
	fds[1] = from[0];
}
