/* SPDX-License-Identifier: MIT
 *
 * Captures: what $( ) reads. Writers never wait; the reader waits until they are gone.
 */
#include "kernel/internal.h"

enum { FIRST_BYTES = 1024, KEPT_BYTES = 16384 };

struct capture {
	char *data;
	size_t len;
	size_t cap;
	struct waitq wait;
	struct capture *next; /* in the cache */
};

static bool reserve(struct kernel *k, struct capture *c, size_t n)
{
	size_t cap = c->cap != 0 ? c->cap : FIRST_BYTES;
	char *data;

	if (c->cap - c->len >= n)
		return true;
	while (cap - c->len < n) {
		if (cap > SIZE_MAX / 2)
			return false;
		cap *= 2;
	}
	data = heap_alloc(&k->heap, cap);
	if (data == NULL)
		return false;
	if (c->len != 0)
		memcpy(data, c->data, c->len);
	heap_free(&k->heap, c->data, c->cap);
	c->data = data;
	c->cap = cap;
	return true;
}

static int64_t capture_read(struct proc *p, struct file *f, void *out, size_t n)
{
	(void)p;
	(void)f;
	(void)out;
	(void)n;
	return -E_BADF;
}

static int64_t capture_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	struct capture *c = f->u.capture;

	if (n == 0)
		return 0;
	if (!reserve(p->k, c, n))
		proc_limit(p, LIMIT_MEMORY);
	memcpy(c->data + c->len, data, n);
	c->len += n;
	return (int64_t)n;
}

static int capture_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	(void)f;
	*out = (struct vfs_stat){ .ino = 2,
				  .dev = 14,
				  .mode = S_FIFO | 0600,
				  .nlink = 1,
				  .uid = p->cred.uid,
				  .gid = p->cred.gid };
	stat_now(p->k, out);
	return 0;
}

static void free_capture(struct kernel *k, struct capture *c)
{
	heap_free(&k->heap, c->data, c->cap);
	heap_free(&k->heap, c, sizeof *c);
}

static void capture_close(struct kernel *k, struct file *f)
{
	struct capture *c = f->u.capture;

	if (c->cap > KEPT_BYTES || k->capture_cache != NULL) {
		free_capture(k, c);
		return;
	}
	c->len = 0;
	k->capture_cache = c;
}

void capture_clear_cache(struct kernel *k)
{
	if (k->capture_cache != NULL)
		free_capture(k, k->capture_cache);
	k->capture_cache = NULL;
}

const struct file_ops file_capture = {
	.name = "capture",
	.read = capture_read,
	.write = capture_write,
	.stat = capture_stat,
	.close = capture_close,
};

void capture_alone(struct file *f)
{
	sched_wake_all(&f->u.capture->wait);
}

int64_t sys_capture(struct proc *p)
{
	struct kernel *k = p->k;
	struct capture *c;
	struct file *f;

	proc_charge(p, 2);
	c = k->capture_cache;
	k->capture_cache = NULL;
	if (c == NULL)
		c = heap_zalloc(&k->heap, sizeof *c);
	f = c != NULL ? file_new(k, &file_capture, O_WRONLY_) : NULL;
	if (f == NULL) {
		if (c != NULL)
			free_capture(k, c);
		return -E_NOMEM;
	}
	f->u.capture = c;
	return fd_install(p, f, false);
}

int64_t sys_capture_take(struct proc *p, int fd, struct bytes *out)
{
	struct file *f = fd_file(p, fd);
	struct capture *c;

	if (f == NULL || f->ops != &file_capture)
		return -E_BADF;
	c = f->u.capture;
	while (f->refs > 1) {
		int r = sched_block(p, &c->wait, TIMER_NEVER);

		if (r != 0)
			return r;
	}
	*out = arena_bytes(&p->arena, (struct bytes){ c->data, c->len });
	fd_drop(p, fd);
	proc_charge(p, 2 + out->len / 64);
	return (int64_t)out->len;
}
