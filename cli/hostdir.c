/* SPDX-License-Identifier: MIT
 *
 * A directory of the host as a source of files. Objects are numbered as they are listed; each
 * remembers its name and its directory's number. Everything is opened for reading only, below
 * the mounted directory, and never through a symbolic link: links are shown as links.
 */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct object {
	uint64_t parent;
	char *name;
};

struct hostdir {
	struct cowsh_source source;
	int root;
	struct object *objects; /* objects[0] is the root */
	size_t count;
	size_t cap;
	uint64_t open_id; /* the file that was read last stays open */
	int open_fd;
};

/* The path of an object relative to the root, in `path`, which it fills from the end. */
static const char *path_of(const struct hostdir *h, uint64_t id, char path[PATH_MAX])
{
	size_t at = PATH_MAX - 1;

	path[at] = '\0';
	for (; id != 0; id = h->objects[id].parent) {
		size_t len = strlen(h->objects[id].name);

		if (len + 2 > at)
			return NULL;
		at -= len;
		memcpy(path + at, h->objects[id].name, len);
		path[--at] = '/';
	}
	return path[at] == '\0' ? "." : path + at + 1;
}

static int open_object(struct hostdir *h, uint64_t id, int flags)
{
	char path[PATH_MAX];
	const char *relative = id < h->count ? path_of(h, id, path) : NULL;
	int fd;

	if (relative == NULL)
		return -COWSH_ENAMETOOLONG;
	fd = openat(h->root, relative, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int64_t add_object(struct hostdir *h, uint64_t parent, const char *name)
{
	if (h->count == h->cap) {
		size_t cap = h->cap == 0 ? 256 : h->cap * 2;
		struct object *more = realloc(h->objects, cap * sizeof *more);

		if (more == NULL)
			return -COWSH_ENOMEM;
		h->objects = more;
		h->cap = cap;
	}
	h->objects[h->count] = (struct object){ parent, strdup(name) };
	if (h->objects[h->count].name == NULL)
		return -COWSH_ENOMEM;
	return (int64_t)h->count++;
}

static int emit_one(struct hostdir *h, uint64_t dir, int fd, const char *name,
		    int (*emit)(void *, const struct cowsh_entry *), void *sink)
{
	char target[PATH_MAX];
	struct stat st;
	struct cowsh_entry e = { .name = name };
	int64_t id;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0; /* gone meanwhile */
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
		return 0; /* devices, sockets and pipes of the host stay outside */
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlinkat(fd, name, target, sizeof target - 1);

		if (n < 0)
			return 0;
		target[n] = '\0';
		e.target = target;
	}
	id = add_object(h, dir, name);
	if (id < 0)
		return (int)id;
	e.id = (uint64_t)id;
	e.mode = st.st_mode;
	e.size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	e.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return emit(sink, &e);
}

static int list(void *user, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
		void *sink)
{
	struct hostdir *h = user;
	int fd = open_object(h, id, O_RDONLY | O_DIRECTORY);
	struct dirent *d;
	DIR *dir;
	int result = 0;

	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (dir == NULL) {
		close(fd);
		return -COWSH_ENOMEM;
	}
	while (result == 0 && (d = readdir(dir)) != NULL)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			result = emit_one(h, id, fd, d->d_name, emit, sink);
	closedir(dir);
	return result < 0 ? result : 0;
}

static int64_t read_object(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	struct hostdir *h = user;
	size_t done = 0;

	if (h->open_fd < 0 || h->open_id != id) {
		int fd = open_object(h, id, O_RDONLY);

		if (fd < 0)
			return fd;
		if (h->open_fd >= 0)
			close(h->open_fd);
		h->open_fd = fd;
		h->open_id = id;
	}
	while (done < len) {
		ssize_t n = pread(h->open_fd, (char *)into + done, len - done, (off_t)(pos + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

const struct cowsh_source *hostdir_open(const char *path)
{
	int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct hostdir *h;

	if (root < 0)
		fatal("can't open directory '%s': %s", path, strerror(errno));
	h = calloc(1, sizeof *h);
	if (h == NULL)
		fatal("out of memory");
	h->root = root;
	h->open_fd = -1;
	if (add_object(h, 0, "") < 0)
		fatal("out of memory");
	h->source = (struct cowsh_source){
		.size = sizeof h->source, .list = list, .read = read_object, .user = h
	};
	return &h->source;
}
