/* SPDX-License-Identifier: MIT
 *
 * Reading by lines, blocks and bytes.
 *
 * Lines are handed out of a buffer of the input's own: the kernel's views would not survive
 * the writing that happens between two lines. A line that crosses the buffer's end is moved
 * to the front; only a line longer than the buffer makes it grow.
 */
#include "builtins/cmd_private.h"

/* So many bytes of those that were taken stay in front of what is read next, as parsers give some
 * back. */
enum { INPUT_FIRST = 4096, INPUT_FULL = 65536, INPUT_KEPT = 4 };

void input_init(struct input *in, struct cmd *c, int fd, const char *name)
{
	*in = (struct input){ .c = c, .fd = fd, .name = name, .is_stdin = fd == 0 };
}

int input_open(struct input *in, struct cmd *c, const char *path)
{
	if (strcmp(path, "-") == 0) {
		input_init(in, c, 0, path);
		return 0;
	}
	int fd = cmd_open(c, CMD_CWD, path, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0)
		return fd;
	input_init(in, c, fd, path);
	in->is_stdin = false;
	return 0;
}

/* The size of the first buffer: what a small file needs, a full one otherwise. */
static size_t first_size(struct input *in)
{
	struct vfs_stat st;

	if (cmd_fstat(in->c, in->fd, &st) == 0 && (st.mode & S_FMT) == S_REG &&
	    st.size < INPUT_FIRST)
		return INPUT_FIRST;
	return INPUT_FULL;
}

static void make_room(struct input *in)
{
	size_t have = in->to - in->from;

	if (in->cap == 0) {
		in->cap = first_size(in);
		in->ptr = pool_alloc(in->c->pool, INPUT_KEPT + in->cap);
		in->from = in->to = in->scanned = INPUT_KEPT;
		return;
	}
	if (have >= in->cap) {
		size_t cap = in->cap < INPUT_FULL ? INPUT_FULL : in->cap * 2;

		in->ptr = pool_resize(in->c->pool, in->ptr, INPUT_KEPT + in->cap, INPUT_KEPT + cap);
		in->cap = cap;
	}
	if (in->from != INPUT_KEPT) {
		size_t kept = in->from < INPUT_KEPT ? in->from : INPUT_KEPT;

		memmove(in->ptr + INPUT_KEPT - kept, in->ptr + in->from - kept, kept + have);
	}
	/* Bytes taken one by one may have passed it. */
	in->scanned = in->scanned > in->from ? in->scanned - in->from + INPUT_KEPT : INPUT_KEPT;
	in->from = INPUT_KEPT;
	in->to = INPUT_KEPT + have;
}

/* Reads more behind what is unread: 1, 0 at the end, -E_. */
static int fill(struct input *in)
{
	if (in->at_end)
		return 0;
	make_room(in);
	size_t room = in->cap - (in->to - in->from);
	int64_t got = cmd_read(in->c, in->fd, in->ptr + in->to,
			       in->most != 0 && in->most < room ? in->most : room);

	if (got < 0)
		return (int)got;
	in->at_end = got == 0;
	in->to += (size_t)got;
	cmd_charge_bytes(in->c, (size_t)got);
	return got > 0;
}

/* The next line, or, with pieces, what a full buffer holds of it. */
static int next_line(struct input *in, char delim, bool pieces, struct bytes *line)
{
	if (in->scanned < in->from)
		in->scanned = in->from;
	for (;;) {
		char *hit = in->to > in->scanned
				    ? memchr(in->ptr + in->scanned, delim, in->to - in->scanned)
				    : NULL;

		if (hit != NULL) {
			*line = (struct bytes){ in->ptr + in->from,
						(size_t)(hit - in->ptr) - in->from };
			in->from += line->len + 1;
			in->scanned = in->from;
			in->ended = true;
			return 1;
		}
		in->scanned = in->to;
		if (pieces && in->to - in->from >= INPUT_FULL)
			break;
		int more = fill(in);

		if (more < 0)
			return more;
		if (more == 0)
			break;
	}
	if (in->from == in->to)
		return 0;
	*line = (struct bytes){ in->ptr + in->from, in->to - in->from };
	in->from = in->to;
	in->ended = false;
	return 1;
}

int input_line(struct input *in, char delim, struct bytes *line)
{
	return next_line(in, delim, false, line);
}

int input_piece(struct input *in, char delim, struct bytes *piece)
{
	return next_line(in, delim, true, piece);
}

static bool take_buffered(struct input *in, struct bytes *out)
{
	if (in->from == in->to)
		return false;
	*out = (struct bytes){ in->ptr + in->from, in->to - in->from };
	in->from = in->to;
	return true;
}

int input_chunk(struct input *in, struct bytes *out)
{
	if (take_buffered(in, out))
		return 1;
	const char *view;
	int64_t got = in->at_end ? 0 : cmd_view(in->c, in->fd, INPUT_FULL * 4, &view);

	if (got <= 0) {
		in->at_end = true;
		return (int)got;
	}
	*out = (struct bytes){ view, (size_t)got };
	return 1;
}

int input_block(struct input *in, struct bytes *out)
{
	int more = in->from == in->to ? fill(in) : 1;

	if (more > 0)
		take_buffered(in, out);
	return more;
}

int input_slow_byte(struct input *in)
{
	int more = fill(in);

	if (more > 0)
		return (unsigned char)in->ptr[in->from++];
	return more == 0 ? -1 : more - 1;
}

void input_unread(struct input *in)
{
	if (in->from < in->to)
		cmd_seek(in->c, in->fd, -(int64_t)(in->to - in->from), 1);
	in->from = in->to = in->scanned = in->cap != 0 ? INPUT_KEPT : 0;
}

void input_close(struct input *in)
{
	if (in->is_stdin)
		input_unread(in);
	else
		cmd_close(in->c, in->fd);
	pool_free(in->c->pool, in->ptr, in->cap != 0 ? INPUT_KEPT + in->cap : 0);
	in->ptr = NULL;
	in->cap = in->from = in->to = in->scanned = 0;
	in->at_end = true;
}

static size_t expected_size(struct input *in)
{
	struct vfs_stat st;

	if (cmd_fstat(in->c, in->fd, &st) != 0 || (st.mode & S_FMT) != S_REG)
		return 0;
	int64_t pos = cmd_seek(in->c, in->fd, 0, 1);

	return pos >= 0 && (uint64_t)pos < st.size ? (size_t)(st.size - (uint64_t)pos) : 0;
}

int input_all(struct input *in, struct bytes *out)
{
	struct buf all = buf_in(in->c->arena);
	struct bytes part = { NULL, 0 };
	int more;

	buf_reserve(&all, expected_size(in) + in->to - in->from);
	while ((more = input_chunk(in, &part)) > 0) {
		buf_add(&all, part);
		cmd_charge_bytes(in->c, part.len);
	}
	*out = (struct bytes){ buf_cstr(&all), all.len };
	return more;
}

int cmd_read_all(struct cmd *c, const char *path, struct bytes *out)
{
	struct input in;
	int err = input_open(&in, c, path);

	if (err < 0)
		return err;
	err = input_all(&in, out);
	input_close(&in);
	return err;
}

int cmd_each_file(struct cmd *c, int (*fn)(struct input *in, void *arg), void *arg)
{
	int status = 0;

	for (int i = 0; i < c->nfiles; i++) {
		struct input in;
		int err = input_open(&in, c, c->files[i]);

		if (err >= 0) {
			err = fn(&in, arg);
			input_close(&in);
		}
		if (err < 0)
			status = cmd_error(c, err, "%s", cmd_quotef(c, c->files[i]));
		else if (err > 0)
			status = err;
	}
	return status;
}
