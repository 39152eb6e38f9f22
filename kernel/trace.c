/* SPDX-License-Identifier: MIT
 *
 * Making trace events. Paths are put together in memory of the session that is given back at
 * once; when there is none the event goes out without them.
 */
#include "kernel/internal.h"

struct delivery {
	struct kernel *k;
	const struct trace_event *event;
};

static int64_t deliver(void *arg)
{
	const struct delivery *d = arg;

	d->k->host.trace(d->k->host.user, d->event);
	return 0;
}

void trace_emit(struct kernel *k, struct trace_event *event)
{
	struct delivery d = { k, event };

	if (!tracing(k))
		return;
	event->seq = ++k->trace_seq;
	event->time_ns = kernel_now(k);
	if (event->pid == 0 && k->current != NULL) {
		event->pid = k->current->pid;
		event->ppid = k->current->ppid;
	}
	(void)kernel_on_host(k, deliver, &d);
}

/* --- paths --- */

/* An arena whose end is noticed instead of stopping the process. */
struct scratch {
	struct arena arena;
	jmp_buf full;
};

static void scratch_full(void *arg)
{
	longjmp(((struct scratch *)arg)->full, 1);
}

static char *dir_text(struct kernel *k, struct arena *a, vfs_ino dir)
{
	char *text;

	return vfs_dir_path(k->vfs, dir, a, &text) == 0 ? text : arena_dup(a, BYTES("?"));
}

static const char *absolute(struct kernel *k, struct arena *a, vfs_ino dir, const char *path)
{
	struct buf b = buf_in(a);

	if (path[0] == '/')
		return path;
	buf_puts(&b, dir_text(k, a, dir));
	if (b.len != 1)
		buf_putc(&b, '/');
	buf_puts(&b, path);
	return buf_cstr(&b);
}

static void fill_paths(struct kernel *k, struct scratch *s, struct trace_event *e, vfs_ino dir,
		       vfs_ino dir2)
{
	if (setjmp(s->full) != 0)
		return;
	if (e->path != NULL)
		e->path = absolute(k, &s->arena, dir, e->path);
	if (e->path2 != NULL)
		e->path2 = absolute(k, &s->arena, dir2, e->path2);
	if (e->kind == TRACE_START)
		e->cwd = dir_text(k, &s->arena, dir);
}

static void emit_with_paths(struct kernel *k, struct trace_event *e, vfs_ino dir, vfs_ino dir2)
{
	struct scratch s;

	arena_init(&s.arena, &k->heap, (struct arena_fail){ scratch_full, &s });
	fill_paths(k, &s, e, dir, dir2);
	trace_emit(k, e);
	arena_clear(&s.arena);
}

/* --- events --- */

static struct trace_event of_process(const struct proc *p, enum trace_kind kind)
{
	const char *format = p->priv->format;

	return (struct trace_event){
		.kind = kind,
		.pid = p->pid,
		.ppid = p->ppid,
		.format = format != NULL ? format : "fork",
		.name = p->name,
		.argv = p->argv,
		.steps = p->steps,
		.bytes_read = p->bytes_read,
		.bytes_written = p->bytes_written,
		.memory_peak = p->k->heap.peak,
	};
}

void trace_start(struct proc *p)
{
	struct trace_event e = of_process(p, TRACE_START);

	emit_with_paths(p->k, &e, p->cwd, 0);
}

void trace_end(struct proc *p, int status)
{
	struct trace_event e = of_process(p, TRACE_END);

	e.status = status;
	trace_emit(p->k, &e);
}

void trace_path(struct proc *p, int kind, vfs_ino dir, const char *path, vfs_ino dir2,
		const char *path2)
{
	struct trace_event e = { .kind = (enum trace_kind)kind,
				 .pid = p->pid,
				 .ppid = p->ppid,
				 .path = path,
				 .path2 = path2 };

	emit_with_paths(p->k, &e, dir, dir2);
}

void trace_limit(struct kernel *k, enum limit l)
{
	struct trace_event e = { .kind = TRACE_LIMIT, .limit = l };

	trace_emit(k, &e);
}
