/* SPDX-License-Identifier: MIT
 *
 * The snapshot of -g: the directories that the last backup saw, and what was in each.
 *
 *   "GNU tar-1.34-2\n" then texts, each with a NUL behind: seconds, nanoseconds, and for each
 *   directory NFS, SECONDS, NANOSECONDS, DEVICE, INODE, NAME, then codes with names, an empty
 *   text, an empty text.
 */
#include "base/number.h"
#include "builtins/tar/incremental.h"

enum { VERSION = 2, FIELD_MAX = 24 };

static const char head[] = "GNU tar-";

/* --- the table --- */

static void link_dir(struct tar_inc *inc, struct tar_dir *d)
{
	struct tar_dir **name = &inc->by_name[bytes_hash(bytes_of(d->name)) % INC_BUCKETS];

	d->next_name = *name;
	*name = d;
}

static void unlink_dir(struct tar *t, struct tar_inc *inc, struct tar_dir *d)
{
	struct tar_dir **at = &inc->by_name[bytes_hash(bytes_of(d->name)) % INC_BUCKETS];

	for (; *at != d; at = &(*at)->next_name)
		cmd_charge(t->c, 1);
	*at = d->next_name;
}

struct tar_dir *snapshot_add(struct tar *t, struct tar_inc *inc, const char *name, uint64_t ino)
{
	struct tar_dir *d = pool_zalloc(t->c->pool, sizeof *d);

	d->name = pool_dup(t->c->pool, bytes_of(name));
	d->ino = ino;
	link_dir(inc, d);
	d->next_ino = inc->by_ino[ino % INC_BUCKETS];
	inc->by_ino[ino % INC_BUCKETS] = d;
	*inc->end = d;
	inc->end = &d->next;
	inc->n++;
	return d;
}

struct tar_dir *snapshot_by_name(struct tar *t, struct tar_inc *inc, const char *name)
{
	struct tar_dir *d = inc->by_name[bytes_hash(bytes_of(name)) % INC_BUCKETS];

	for (; d != NULL; d = d->next_name) {
		cmd_charge(t->c, 1);
		if (strcmp(d->name, name) == 0 && (!d->found || d->here == t->here))
			return d;
	}
	return NULL;
}

struct tar_dir *snapshot_by_inode(struct tar *t, struct tar_inc *inc, const struct vfs_stat *st)
{
	struct tar_dir *d = inc->by_ino[st->ino % INC_BUCKETS];

	for (; d != NULL; d = d->next_ino) {
		cmd_charge(t->c, 1);
		if (!d->found && d->ino == st->ino && snapshot_same_device(t, d, st))
			return d;
	}
	return NULL;
}

bool snapshot_same_device(const struct tar *t, const struct tar_dir *d, const struct vfs_stat *st)
{
	return t->no_device_check != 0 || d->nfs || d->dev == st->dev;
}

/* What was below the directory is looked for below its new name; it is stored whole. */
void snapshot_moved(struct tar *t, struct tar_inc *inc, const char *from, const char *to)
{
	size_t len = strlen(from);

	for (struct tar_dir *d = inc->first; d != NULL; d = d->next) {
		cmd_charge(t->c, 1);
		if (d->found || strncmp(d->name, from, len) != 0 || d->name[len] != '/')
			continue;
		struct arena_mark mark = arena_mark(t->c->arena);
		struct buf name = buf_in(t->c->arena);

		unlink_dir(t, inc, d);
		buf_printf(&name, "%s%s", to, d->name + len);
		d->name = pool_dup(t->c->pool, buf_bytes(&name));
		d->all = true;
		link_dir(inc, d);
		arena_release(t->c->arena, mark);
	}
}

/* --- reading --- */

struct reader {
	struct tar *t;
	struct bytes text;
	size_t at;
};

static _Noreturn void cut(struct reader *r)
{
	tar_fatal(r->t, 0, "%s: Unexpected EOF in snapshot file", tar_quote(r->t, r->t->snapshot));
}

/* The next text. */
static struct bytes field(struct reader *r)
{
	const char *from = r->text.ptr + r->at;
	const char *end = r->at < r->text.len ? memchr(from, '\0', r->text.len - r->at) : NULL;

	if (end == NULL)
		cut(r);
	size_t n = (size_t)(end - from);

	r->at += n + 1;
	cmd_charge_bytes(r->t->c, n + 1);
	return (struct bytes){ from, n };
}

static int64_t number(struct reader *r, const char *what, int64_t max)
{
	size_t from = r->at;
	struct bytes s = field(r);
	size_t i = s.len > 0 && s.ptr[0] == '-' ? 1 : 0;
	uint64_t v = 0;

	for (; i < s.len && byte_is_digit(s.ptr[i]); i++) {
		if (v > (UINT64_MAX - 9) / 10)
			break;
		v = v * 10 + (uint64_t)(s.ptr[i] - '0');
	}
	if (i < s.len && !byte_is_digit(s.ptr[i]))
		tar_fatal(r->t, 0, "%s: byte %llu: %s %.*s followed by invalid byte 0x%02x",
			  tar_quote(r->t, r->t->snapshot), (unsigned long long)(from + i + 1), what,
			  (int)(i < FIELD_MAX ? i : FIELD_MAX), s.ptr, (unsigned char)s.ptr[i]);
	if (i < s.len || (max != 0 && v > (uint64_t)max))
		tar_fatal(r->t, -E_RANGE, "%s: byte %llu: (valid range 0..%lld)\n\t%.*s %s",
			  tar_quote(r->t, r->t->snapshot), (unsigned long long)from, (long long)max,
			  FIELD_MAX, s.ptr, what);
	return s.len > 0 && s.ptr[0] == '-' ? -(int64_t)v : (int64_t)v;
}

static _Noreturn void unfinished(struct reader *r)
{
	tar_fatal(r->t, 0, "%s: byte %llu: Missing record terminator",
		  tar_quote(r->t, r->t->snapshot), (unsigned long long)r->text.len);
}

/* Whether a text of a directory's list is next, and not the end of the list. */
static bool more(struct reader *r)
{
	const char *next = r->text.ptr + r->at;

	if (r->at >= r->text.len || memchr(next, '\0', r->text.len - r->at) == NULL)
		unfinished(r);
	return *next != '\0';
}

static void read_dir(struct reader *r, struct tar_inc *inc)
{
	bool nfs = number(r, "nfs", 1) != 0;
	int64_t seconds = number(r, "mtime (sec)", 0);
	int64_t ns = number(r, "mtime (nsec)", 999999999);
	uint64_t dev = (uint64_t)number(r, "dev", 0);
	uint64_t ino = (uint64_t)number(r, "ino", 0);
	const char *name = field(r).ptr;
	size_t from = r->at;
	struct tar_dir *d = snapshot_add(r->t, inc, name, ino);

	d->nfs = nfs;
	d->dev = dev;
	d->mtime_s = seconds;
	d->mtime_ns = (uint32_t)ns;
	while (more(r))
		field(r);
	d->old = bytes_slice(r->text, from, r->at++);
	if (more(r))
		unfinished(r);
	r->at++;
}

/* The line at the beginning; the number of the format. */
static uint64_t read_version(struct reader *r)
{
	const char *end = memchr(r->text.ptr, '\n', r->text.len);
	struct bytes line = { r->text.ptr,
			      end != NULL ? (size_t)(end - r->text.ptr) : r->text.len };
	const char *dash = line.len > sizeof head ? bytes_rfind(line, BYTES("-")) : NULL;
	uint64_t version = 0;

	if (!bytes_starts(line, bytes_of(head)) || dash == NULL ||
	    num_parse_u64(arena_dup(r->t->c->arena,
				    bytes_slice(line, (size_t)(dash + 1 - line.ptr), line.len)),
			  "", &version) != 0)
		tar_fatal(r->t, -E_INVAL, "%s:1: Invalid time stamp",
			  tar_quote(r->t, r->t->snapshot));
	r->at = line.len + 1 < r->text.len ? line.len + 1 : r->text.len;
	return version;
}

void snapshot_open(struct tar *t, struct tar_inc *inc)
{
	unsigned flags = O_RDWR_ | O_CREAT_ | O_CLOEXEC_ | (t->level_zero ? O_TRUNC_ : 0);
	struct reader r = { t, { "", 0 }, 0 };
	int err;

	inc->last_ns = INT64_MIN;
	inc->fd = cmd_open(t->c, CMD_CWD, t->snapshot, flags, 0666);
	if (inc->fd < 0) {
		tar_error(t, inc->fd, "%s: Cannot open", tar_quote(t, t->snapshot));
		return;
	}
	err = cmd_read_all(t->c, t->snapshot, &r.text);
	if (err < 0)
		tar_fatal(t, err, "%s: Cannot read", tar_quote(t, t->snapshot));
	if (r.text.len == 0)
		return;
	uint64_t version = read_version(&r);

	if (version != VERSION) {
		cmd_warn(t->c, 0, "Unsupported incremental format version: %llu",
			 (unsigned long long)version);
		cmd_exit(t->c, 1);
	}
	int64_t seconds = number(&r, "second", 0);
	int64_t ns = number(&r, "nanosecond", 999999999);

	seconds = seconds > INC_SECONDS_MAX    ? INC_SECONDS_MAX
		  : seconds < -INC_SECONDS_MAX ? -INC_SECONDS_MAX
					       : seconds;
	inc->last_ns = seconds * 1000000000 + ns;
	while (r.at < r.text.len)
		read_dir(&r, inc);
}

/* --- writing --- */

static void put_field(struct output *out, int64_t v)
{
	char text[21];

	text[number_put_i64(text, v)] = '\0';
	output_write(out, text, strlen(text) + 1);
}

static void put_dir(struct output *out, const struct tar_dir *d)
{
	put_field(out, 0);
	put_field(out, d->mtime_s);
	put_field(out, d->mtime_ns);
	put_field(out, (int64_t)d->dev);
	put_field(out, (int64_t)d->ino);
	output_write(out, d->name, strlen(d->name) + 1);
	output_write(out, d->now.ptr, d->now.len);
	output_write(out, "\0", 2);
}

void snapshot_write(struct tar *t, struct tar_inc *inc)
{
	struct output out;
	int64_t seconds = t->start_ns / 1000000000;

	if (inc->fd < 0)
		return;
	cmd_seek(t->c, inc->fd, 0, 0);
	output_init(&out, t->c, inc->fd, true);
	output_write(&out, "GNU tar-1.34-2\n", 15);
	put_field(&out, seconds);
	put_field(&out, t->start_ns - seconds * 1000000000);
	for (const struct tar_dir *d = inc->first; d != NULL; d = d->next) {
		cmd_charge(t->c, 1);
		if (d->found)
			put_dir(&out, d);
	}
	output_flush(&out);
	if (out.err != 0)
		tar_error(t, out.err, "%s: Cannot write", tar_quote(t, t->snapshot));
	int64_t size = cmd_seek(t->c, inc->fd, 0, 1);
	int err = cmd_truncate_fd(t->c, inc->fd, size > 0 ? (uint64_t)size : 0);

	if (err < 0)
		tar_error(t, err, "%s: Cannot truncate", tar_quote(t, t->snapshot));
	cmd_close(t->c, inc->fd);
}
