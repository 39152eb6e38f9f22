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

/* What one read brought and nobody has asked for yet. */
static struct {
	char bytes[BROKER_CHUNK];
	size_t at, end;
} early;

static size_t take_early(void *into, size_t len)
{
	size_t n = early.end - early.at < len ? early.end - early.at : len;

	memcpy(into, early.bytes + early.at, n);
	early.at += n;
	return n;
}

static bool receive_exactly(void *into, size_t len)
{
	size_t n = take_early(into, len);

	return read_exactly(reply_fd, (char *)into + n, len - n);
}

/* Small pieces come out of what one read brought: a list has thousands. */
bool broker_receive(void *into, size_t len)
{
	char *out = into;

	for (;;) {
		size_t n = take_early(out, len);
		ssize_t got;

		out += n;
		len -= n;
		if (len == 0)
			return true;
		if (len >= sizeof early.bytes)
			return read_exactly(reply_fd, out, len);
		got = read(reply_fd, early.bytes, sizeof early.bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		early.at = 0;
		early.end = (size_t)got;
	}
}

static int64_t answer(void)
{
	struct broker_reply reply;

	return receive_exactly(&reply, sizeof reply) ? reply.result : -COWSH_EIO;
}

/* The list of the first mounted directory was asked for before anybody wanted it. */
static bool listing;

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

/* It can be asked for again: a directory is read once. */
static void drop_list(void)
{
	struct cowsh_entry e;

	listing = false;
	if (answer() == 0)
		while (next_entry(&e) == 1)
			;
}

/* --- reading --- */

/* What was asked for and has not come yet. */
static struct {
	bool asked;
	bool told; /* size was */
	uint64_t id;
	uint64_t pos;
	uint64_t size, left; /* of the answer */
} coming;

/* What comes next: as many bytes as there are, at most len; or an error, or 0 at the end. */
static int64_t take(void *into, size_t len)
{
	int64_t real;
	size_t n;

	if (!coming.told) {
		int64_t size = answer();

		coming.asked = size > 0;
		coming.told = true;
		if (size <= 0)
			return size;
		coming.size = coming.left = (uint64_t)size;
	}
	n = coming.left < len ? (size_t)coming.left : len;
	if (!receive_exactly(into, n))
		return -COWSH_EIO;
	coming.pos += n;
	coming.left -= n;
	if (coming.left != 0)
		return (int64_t)n;
	coming.asked = false;
	real = answer();
	if (real < 0 || real >= (int64_t)coming.size)
		return real < 0 ? real : (int64_t)n;
	/* The file was made shorter meanwhile. */
	return (uint64_t)real > coming.size - n ? real - (int64_t)(coming.size - n) : 0;
}

static void take_rest(void)
{
	char unwanted[4096];

	while (coming.asked && take(unwanted, sizeof unwanted) > 0)
		;
	coming.asked = false;
}

bool broker_send(const void *data, size_t len)
{
	take_rest();
	if (listing)
		drop_list();
	return write_all(request_fd, data, len) == 0;
}

static bool ask_to_read(uint64_t id, uint64_t pos, uint64_t len)
{
	struct broker_request r = { BROKER_READ, id, pos, len };

	if (!broker_send(&r, sizeof r))
		return false;
	coming.asked = true;
	coming.told = false;
	coming.id = id;
	coming.pos = pos;
	return true;
}

static int64_t read_object(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	size_t done = 0;

	(void)user;
	while (done < len) {
		bool mine = coming.asked && coming.id == id && coming.pos == pos + done;
		int64_t n;

		if (!mine && !ask_to_read(id, pos + done, len - done))
			return -COWSH_EIO;
		n = take((char *)into + done, len - done);
		if (n < 0)
			return n;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

static void read_ahead(void *user, uint64_t id, uint64_t pos, uint64_t len)
{
	(void)user;
	if (!coming.asked || coming.id != id || coming.pos != pos)
		ask_to_read(id, pos, len);
}

int64_t broker_answer(void)
{
	return answer();
}

int64_t broker_ask(uint64_t op, uint64_t id, uint64_t pos, uint64_t len)
{
	struct broker_request r = { op, id, pos, len };

	return broker_send(&r, sizeof r) ? answer() : -COWSH_EIO;
}

/* --- lists --- */

static int list(void *user, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
		void *sink)
{
	bool mine = listing && id == 0;
	int64_t err = mine ? answer() : broker_ask(BROKER_LIST, id, 0, 0);
	struct cowsh_entry e;
	int result = 0;
	int more;

	(void)user;
	listing &= !mine;
	if (err < 0)
		return (int)err;
	/* The list is taken to its end, also when it is not wanted any more. */
	while ((more = next_entry(&e)) == 1)
		if (result == 0)
			result = emit(sink, &e);
	return more < 0 ? more : result < 0 ? result : 0;
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
						    .seek = seek_object,
						    .ahead = read_ahead };
		o->mounts[i].source = &sources[i];
		o->mounts[i].id = (uint64_t)i;
		writable[i] = !o->mounts[i].read_only;
	}
	if (o->nmounts == 0)
		return;
	broker_start(roots, writable, o->nmounts, apply_rights(), !o->no_lockdown, fds);
	request_fd = fds[0];
	reply_fd = fds[1];
	/* Real programs are read ahead. For all it would be more than a user may have of pipes. */
	if (o->microvm) {
		struct broker_request first = { .op = BROKER_LIST };

		fcntl(reply_fd, F_SETPIPE_SZ, BROKER_PIPE);
		listing = broker_send(&first, sizeof first);
	}
	for (int i = 0; i < o->nmounts; i++)
		close(roots[i]);
}
