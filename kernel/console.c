/* SPDX-License-Identifier: MIT
 *
 * The console: standard input, output and error of the session are callbacks of the host.
 *
 * Output is gathered in one buffer, for one of the two streams at a time, so that the host
 * sees the order in which it was written. It goes out when the buffer is full, when the other
 * stream is written, before the session waits for the host, and at the end of slices.
 */
#include "kernel/internal.h"

struct transfer {
	struct kernel *k;
	int fd;
	const char *data;
	char *into;
	size_t n;
};

static int64_t call_output(void *arg)
{
	const struct transfer *t = arg;
	const struct kernel_host *h = &t->k->host;

	return h->output != NULL ? h->output(h->user, t->fd, t->data, t->n) : 0;
}

static int64_t call_input(void *arg)
{
	const struct transfer *t = arg;
	const struct kernel_host *h = &t->k->host;

	return h->input != NULL ? h->input(h->user, t->into, t->n) : 0;
}

/* --- output --- */

static int send(struct kernel *k, int fd, const char *data, size_t n)
{
	struct transfer t = { .k = k, .fd = fd, .data = data, .n = n };
	int r = (int)kernel_on_host(k, call_output, &t);

	k->console.stuck = r == KERNEL_PENDING;
	if (r < 0 && r != KERNEL_PENDING)
		k->console.error[fd] = r;
	return r < 0 ? r : 0;
}

int console_flush(struct kernel *k)
{
	struct console *c = &k->console;
	int r;

	if (c->out_len == 0)
		return 0;
	if (c->stuck)
		return KERNEL_PENDING;
	r = send(k, c->out_fd, c->out, c->out_len);
	if (r != KERNEL_PENDING)
		c->out_len = 0;
	return r;
}

void kernel_flush(struct kernel *k)
{
	k->console.stuck = false;
	(void)console_flush(k);
}

void console_say(struct kernel *k, struct bytes text)
{
	if (console_flush(k) != KERNEL_PENDING)
		(void)send(k, 2, text.ptr, text.len);
}

void console_clear(struct kernel *k)
{
	struct console *c = &k->console;

	if (c->out_len == 0) {
		heap_pages_free(&k->heap, c->out, CONSOLE_BYTES / PAGE_BYTES);
		c->out = NULL;
	}
	if (c->in_pos == c->in_len) {
		heap_pages_free(&k->heap, c->in, 1);
		c->in = NULL;
		c->in_pos = 0;
		c->in_len = 0;
	}
}

/* Repeats an action that the host may put off, waiting in between. */
static int flush_waiting(struct proc *p)
{
	int r;

	while ((r = console_flush(p->k)) == KERNEL_PENDING) {
		r = proc_wait_host(p);
		if (r != 0)
			return r;
	}
	return r;
}

static int send_waiting(struct proc *p, int fd, const char *data, size_t n)
{
	int r;

	while ((r = send(p->k, fd, data, n)) == KERNEL_PENDING) {
		r = proc_wait_host(p);
		if (r != 0)
			return r;
	}
	return r;
}

/* An error of the host is told to the next writer, once per write. */
static int64_t report(struct proc *p, int fd)
{
	int r = p->k->console.error[fd];

	if (r == -E_PIPE)
		sig_send(p, SIGPIPE_);
	return r;
}

static int put(struct proc *p, int fd, const char *data, size_t n)
{
	struct console *c = &p->k->console;

	if (c->out_len != 0 && (c->out_fd != fd || c->out_len + n > CONSOLE_BYTES)) {
		bool same = c->out_fd == fd;
		int r = flush_waiting(p);

		if (r == -E_INTR || (r != 0 && same))
			return r;
	}
	if (c->out == NULL)
		c->out = heap_pages(&p->k->heap, CONSOLE_BYTES / PAGE_BYTES);
	if (n >= CONSOLE_BYTES || c->out == NULL)
		return send_waiting(p, fd, data, n);
	memcpy(c->out + c->out_len, data, n);
	c->out_len += n;
	c->out_fd = fd;
	return 0;
}

/* What the command or the session may still write, and whose limit that is. */
static uint64_t output_left(const struct kernel *k, enum limit *which)
{
	uint64_t mine = k->limit[LIMIT_OUTPUT];
	uint64_t all = k->limit[LIMIT_SESSION_OUTPUT];
	uint64_t used = k->output_total + k->output_bytes;

	mine = mine == 0 ? UINT64_MAX : mine > k->output_bytes ? mine - k->output_bytes : 0;
	all = all == 0 ? UINT64_MAX : all > used ? all - used : 0;
	*which = all < mine ? LIMIT_SESSION_OUTPUT : LIMIT_OUTPUT;
	return all < mine ? all : mine;
}

static int64_t console_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	struct kernel *k = p->k;
	enum limit which = LIMIT_OUTPUT;
	uint64_t left = output_left(k, &which);
	size_t part = n;
	int fd = f->u.console == 2 ? 2 : 1;
	int r;

	if (k->console.error[fd] != 0)
		return report(p, fd);
	if (n == 0)
		return 0;
	if (n > left)
		part = (size_t)left;
	r = part != 0 ? put(p, fd, data, part) : 0;
	if (r == -E_INTR)
		return r;
	k->output_bytes += part;
	if (part < n)
		proc_limit(p, which);
	return r != 0 ? report(p, fd) : (int64_t)n;
}

/* --- input --- */

/* Bytes into `out`, without waiting: their number, 0 at the end, KERNEL_PENDING, an error. */
static int64_t fetch(struct kernel *k, char *out, size_t n)
{
	struct transfer t = { .k = k, .into = out, .n = n };
	int64_t r;

	if (k->console.in_end)
		return 0;
	(void)console_flush(k);
	r = kernel_on_host(k, call_input, &t);
	if (r == 0 && !k->host.terminal[0])
		k->console.in_end = true;
	return r > (int64_t)n ? -E_IO : r;
}

/* Sees to it that something is in the buffer; as fetch. */
static int64_t fill(struct kernel *k)
{
	struct console *c = &k->console;
	int64_t r;

	if (c->in_pos < c->in_len)
		return (int64_t)(c->in_len - c->in_pos);
	if (c->in == NULL)
		c->in = heap_pages(&k->heap, 1);
	if (c->in == NULL)
		return -E_NOMEM;
	r = fetch(k, c->in, PAGE_BYTES);
	c->in_pos = 0;
	c->in_len = r > 0 ? (size_t)r : 0;
	return r;
}

/* The host may block where it is asked for input, and holds up everybody then: who can run is let
 * run first, as the later stages of a pipeline that got a line. 0 or -E_INTR. */
static int let_others_run(struct proc *p)
{
	enum { PATIENCE_STEPS = 200000 }; /* some never wait */
	struct kernel *k = p->k;
	uint64_t until;

	sched_settle(k);
	until = k->steps_total + PATIENCE_STEPS;
	while (k->run_first != NULL && k->steps_total < until) {
		if (sig_interrupts(p))
			return -E_INTR;
		sys_yield(p);
	}
	return 0;
}

static int64_t console_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct kernel *k = p->k;
	struct console *c = &k->console;
	int64_t r;

	if (n == 0)
		return 0;
	if (c->in_pos == c->in_len && !c->in_end && k->host.input != NULL && let_others_run(p) < 0)
		return -E_INTR;
	for (;;) {
		bool direct = c->in_pos == c->in_len && n >= PAGE_BYTES;
		int w;

		r = direct ? fetch(k, out, n) : fill(k);
		if (r != KERNEL_PENDING) {
			if (r <= 0 || direct)
				return r;
			break;
		}
		if ((f->flags & O_NONBLOCK_) != 0)
			return -E_AGAIN;
		w = proc_wait_host(p);
		if (w != 0)
			return w;
	}
	if ((size_t)r < n)
		n = (size_t)r;
	memcpy(out, c->in + c->in_pos, n);
	c->in_pos += n;
	return (int64_t)n;
}

static unsigned console_poll(struct proc *p, struct file *f)
{
	unsigned got = file_writes(f) ? POLL_WRITE_ : 0;

	if (!file_reads(f))
		return got;
	if (fill(p->k) != KERNEL_PENDING)
		return got | POLL_READ_;
	p->priv->polls_host = true;
	return got;
}

/* --- files --- */

static int console_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	bool tty = p->k->host.terminal[f->u.console];

	*out = (struct vfs_stat){ .ino = (vfs_ino)(3 + f->u.console),
				  .dev = 14,
				  .nlink = 1,
				  .mode = tty ? S_CHR | 0620 : S_FIFO | 0600,
				  .uid = p->cred.uid,
				  .gid = p->cred.gid,
				  .rdev = tty ? 136u << 8 : 0 };
	stat_now(p->k, out);
	return 0;
}

bool console_is_terminal(const struct kernel *k, const struct file *f)
{
	return f->ops == &file_console && k->host.terminal[f->u.console];
}

void kernel_get_terminal(const struct kernel *k, struct tty_settings *out)
{
	*out = k->console.settings;
}

void kernel_reset_terminal(struct kernel *k)
{
	k->console.settings = tty_usual;
}

void kernel_size_terminal(struct kernel *k, unsigned rows, unsigned columns)
{
	rows = rows != 0 ? rows : 24;
	columns = columns != 0 ? columns : 80;
	k->console.size[0] = (uint16_t)(rows < UINT16_MAX ? rows : UINT16_MAX);
	k->console.size[1] = (uint16_t)(columns < UINT16_MAX ? columns : UINT16_MAX);
}

const struct file_ops file_console = {
	.name = "console",
	.read = console_read,
	.write = console_write,
	.poll = console_poll,
	.stat = console_stat,
	.copy = copy_plain,
};

int console_open(struct kernel *k, int which, unsigned flags, struct file **out)
{
	*out = file_new(k, &file_console, flags);
	if (*out == NULL)
		return -E_NOMEM;
	(*out)->u.console = which;
	return 0;
}
