/* SPDX-License-Identifier: MIT
 *
 * Buffered output. The buffer starts small and grows once, so that `true` pays nothing and
 * `seq` few kernel calls. What the buffer holds is written before anything that could show
 * its order to others: messages, started programs, the end.
 */
#include "builtins/cmd_private.h"

enum { OUTPUT_FIRST = 4096, OUTPUT_FULL = 32768 };

void output_init(struct output *o, struct cmd *c, int fd, bool quiet)
{
	*o = (struct output){ .c = c, .fd = fd, .quiet = quiet };
	o->by_line = fd == 1 && sys_isatty(c->p, fd);
}

int output_open(struct output *o, struct cmd *c, const char *path, unsigned oflags, bool quiet)
{
	int fd = cmd_open(c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_CLOEXEC_ | oflags, 0666);

	if (fd < 0)
		return fd;
	output_init(o, c, fd, quiet);
	o->name = path;
	return 0;
}

static void write_failed(struct output *o, int err)
{
	const struct builtin *b = o->c->b;

	o->err = err;
	o->len = 0;
	if (o->drop != NULL)
		cmd_unlink(o->c, CMD_CWD, o->drop, 0);
	if (o->quiet)
		return;
	o->c->priv->ending = true;
	if (o->name != NULL)
		cmd_fatal(o->c, err, "%s", cmd_quotef(o->c, o->name));
	if (o->more && o->before_end != NULL)
		cmd_fatal(o->c, err, "%s", o->before_end);
	cmd_fatal_status(o->c, b->write_status != 0 ? b->write_status : cmd_error_status(o->c),
			 (b->flags & BUILTIN_WRITE_BARE) != 0 ? 0 : err, "%s",
			 b->write_error != NULL ? b->write_error : "write error");
}

static void write_now(struct output *o, const char *ptr, size_t len)
{
	if (o->err != 0 || len == 0)
		return;
	int err = cmd_write_fd(o->c, o->fd, ptr, len);

	if (err != 0)
		write_failed(o, err);
}

static void set_room(struct output *o)
{
	o->room = o->by_line ? 0 : o->cap - o->len;
}

void output_flush(struct output *o)
{
	size_t len = o->len;

	if (len == 0 || o->held)
		return;
	/* Emptied first: an error message flushes again. */
	o->len = 0;
	set_room(o);
	write_now(o, o->ptr, len);
}

int output_close(struct output *o)
{
	output_flush(o);
	int err = cmd_close(o->c, o->fd);

	pool_free(o->c->pool, o->ptr, o->cap);
	o->ptr = NULL;
	o->cap = o->len = o->room = 0;
	if (err != 0 && o->err == 0)
		write_failed(o, err);
	return o->err;
}

static void grow(struct output *o, size_t cap)
{
	/* In the pool, not the arena: a command may write between a mark and its release. */
	o->ptr = pool_resize(o->c->pool, o->ptr, o->cap, cap);
	o->cap = cap;
	set_room(o);
}

static void make_room(struct output *o, size_t n)
{
	if (o->held) {
		size_t cap = o->cap * 2;

		grow(o, cap > o->len + n ? cap : o->len + n + OUTPUT_FIRST);
		return;
	}
	output_flush(o);
	if (o->cap < OUTPUT_FULL)
		grow(o, o->cap == 0 ? OUTPUT_FIRST : OUTPUT_FULL);
}

static void append(struct output *o, const char *ptr, size_t len)
{
	if (len == 0)
		return;
	o->more = true;
	if (len > o->cap - o->len)
		make_room(o, len);
	if (len > o->cap - o->len) {
		output_flush(o);
		write_now(o, ptr, len);
		len = 0;
	}
	o->more = false;
	memcpy(o->ptr + o->len, ptr, len);
	o->len += len;
	set_room(o);
}

void output_write_slow(struct output *o, const void *ptr, size_t len)
{
	struct bytes s = { ptr, len };

	if (o->err != 0 || len == 0)
		return;
	if (!o->by_line) {
		append(o, ptr, len);
		return;
	}
	const char *last = bytes_rfind(s, BYTES("\n"));
	size_t whole = last != NULL ? (size_t)(last - s.ptr) + 1 : 0;

	append(o, s.ptr, whole);
	if (whole != 0)
		output_flush(o);
	append(o, s.ptr + whole, len - whole);
}

void output_hold(struct output *o)
{
	o->held = true;
}

void output_unhold(struct output *o)
{
	o->held = false;
	if (o->by_line || o->len > OUTPUT_FULL / 2)
		output_flush(o);
}

char *output_space(struct output *o, size_t n)
{
	if (o->ptr == NULL || n > o->cap - o->len)
		make_room(o, n);
	if (n > o->cap - o->len)
		grow(o, o->len + n);
	return o->ptr + o->len;
}

void output_added(struct output *o, size_t n)
{
	o->len += n;
	set_room(o);
	if (o->err != 0)
		o->len = 0;
	else if (o->by_line && !o->held)
		output_flush(o);
}

/* --- standard output --- */

void cmd_puts(struct cmd *c, const char *s)
{
	output_write(&c->out, s, strlen(s));
}

void cmd_printf(struct cmd *c, const char *format, ...)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf text = buf_in(c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	output_write(&c->out, text.ptr, text.len);
	arena_release(c->arena, mark);
}

void cmd_flush(struct cmd *c)
{
	output_flush(&c->out);
}
