/* SPDX-License-Identifier: MIT
 *
 * Directories of the host as sources of files: what the session asks for comes from the broker.
 * What it says is checked like any input.
 */
#include "cli/apply.h"
#include "cli/broker.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int request_fd, reply_fd;
static int roots[MOUNTS_MAX];
static struct cowsh_source sources[MOUNTS_MAX];

bool broker_send(const void *data, size_t len)
{
	return write_all(request_fd, data, len) == 0;
}

/* Small pieces come out of what one read brought: a list has thousands. */
bool broker_receive(void *into, size_t len)
{
	static char ahead[BROKER_CHUNK];
	static size_t at, end;
	char *out = into;

	while (len != 0) {
		size_t n = end - at < len ? end - at : len;
		ssize_t got;

		memcpy(out, ahead + at, n);
		at += n;
		out += n;
		len -= n;
		if (len >= sizeof ahead)
			return read_exactly(reply_fd, out, len);
		if (len == 0)
			break;
		got = read(reply_fd, ahead, sizeof ahead);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at = 0;
		end = (size_t)got;
	}
	return true;
}

int64_t broker_answer(void)
{
	struct broker_reply reply;

	return broker_receive(&reply, sizeof reply) ? reply.result : -COWSH_EIO;
}

int64_t broker_ask(uint64_t op, uint64_t id, uint64_t pos, uint64_t len)
{
	struct broker_request r = { op, id, pos, len };

	return broker_send(&r, sizeof r) ? broker_answer() : -COWSH_EIO;
}

/* One entry into `e`, whose strings live until the next one. 0 at the end of the list. */
static int next_entry(struct cowsh_entry *e)
{
	static char name[BROKER_NAME_MAX + 1];
	static char target[BROKER_TARGET_MAX + 1];
	struct broker_record r;

	if (!broker_receive(&r, sizeof r) || r.name_len > BROKER_NAME_MAX ||
	    r.target_len > BROKER_TARGET_MAX)
		return -COWSH_EIO;
	if (r.name_len == 0)
		return r.size != 0 ? -COWSH_EIO : 0;
	if (!broker_receive(name, r.name_len) || !broker_receive(target, r.target_len))
		return -COWSH_EIO;
	name[r.name_len] = '\0';
	target[r.target_len] = '\0';
	*e = (struct cowsh_entry){ .name = name,
				   .id = r.id,
				   .mode = r.mode,
				   .size = r.size,
				   .mtime_ns = r.mtime_ns,
				   .target = r.target_len != 0 ? target : NULL,
				   .hole_bytes = r.hole_bytes };
	return 1;
}

static int list(void *user, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
		void *sink)
{
	int64_t err = broker_ask(BROKER_LIST, id, 0, 0);
	struct cowsh_entry e;
	int result = 0;
	int more;

	(void)user;
	if (err < 0)
		return (int)err;
	/* The list is taken to its end, also when it is not wanted any more. */
	while ((more = next_entry(&e)) == 1)
		if (result == 0)
			result = emit(sink, &e);
	return more < 0 ? more : result < 0 ? result : 0;
}

static int64_t read_object(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	size_t done = 0;

	(void)user;
	while (done < len) {
		int64_t n = broker_ask(BROKER_READ, id, pos + done, len - done);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		if (n > (int64_t)(len - done) || !broker_receive((char *)into + done, (size_t)n))
			return -COWSH_EIO;
		done += (size_t)n;
	}
	return (int64_t)done;
}

/* The data or the hole that was asked for last: a reader goes through a file from front to back. */
static struct {
	uint64_t id;
	uint64_t begin;
	uint64_t end;
	bool data;
} known;

static int know(uint64_t id, uint64_t pos)
{
	int64_t at;

	if (known.end > known.begin && known.id == id && pos >= known.begin && pos < known.end)
		return 0;
	at = broker_ask(BROKER_SEEK, id, pos, 1);
	known.id = id;
	known.begin = pos;
	known.data = at == (int64_t)pos;
	if (known.data)
		at = broker_ask(BROKER_SEEK, id, pos, 0);
	known.end = at == -COWSH_ENXIO ? INT64_MAX : at >= 0 ? (uint64_t)at : pos;
	return at < 0 && at != -COWSH_ENXIO ? (int)at : known.end <= pos ? -COWSH_EIO : 0;
}

static int64_t seek_object(void *user, uint64_t id, uint64_t pos, bool data)
{
	int err = know(id, pos);

	(void)user;
	if (err < 0)
		return err;
	if (known.data == data)
		return (int64_t)pos;
	return known.end == INT64_MAX ? -COWSH_ENXIO : (int64_t)known.end;
}

void hostdirs_open(struct options *o)
{
	bool writable[MOUNTS_MAX];
	int fds[2];

	for (int i = 0; i < o->nmounts; i++) {
		const char *path = o->host_dirs[i];

		roots[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (roots[i] < 0)
			fatal("can't open directory '%s': %s", path, strerror(errno));
		sources[i] = (struct cowsh_source){ .size = sizeof sources[i],
						    .list = list,
						    .read = read_object,
						    .seek = seek_object };
		o->mounts[i].source = &sources[i];
		o->mounts[i].id = (uint64_t)i;
		writable[i] = !o->mounts[i].read_only;
	}
	if (o->nmounts == 0)
		return;
	broker_start(roots, writable, o->nmounts, apply_rights(), !o->no_lockdown, fds);
	request_fd = fds[0];
	reply_fd = fds[1];
	for (int i = 0; i < o->nmounts; i++)
		close(roots[i]);
}
