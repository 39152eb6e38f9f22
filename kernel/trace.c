/* SPDX-License-Identifier: MIT
 *
 * Making trace events, and asking whether to stop. Paths are put together in memory of the session
 * that is given back at once; when there is none the event goes out without them.
 */
#include "kernel/internal.h"

/* A clock of the host is not asked: tracing would show in what it says. */
int64_t kernel_trace_time(const struct kernel *k)
{
	return k->host.clock != NULL ? k->clock_last_ns : kernel_now(k);
}

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

static void set_process(struct trace_event *event, const struct proc *p)
{
	event->pid = p->pid;
	event->ppid = p->ppid;
	event->stage = p->stage;
	event->line = proc_line(p);
}

void trace_emit(struct kernel *k, struct trace_event *event)
{
	struct delivery d = { k, event };

	if (!tracing(k))
		return;
	event->seq = ++k->trace_seq;
	event->time_ns = kernel_trace_time(k);
	if (event->pid == 0 && k->current != NULL)
		set_process(event, k->current);
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
	if (e->kind == TRACE_START || e->kind == TRACE_EXEC)
		e->cwd = dir_text(k, &s->arena, dir);
}

/* The names that were looked at for who watches are not the process's to pay. */
static void forget_looked(struct kernel *k)
{
	(void)vfs_looked(k->vfs);
}

static void emit_with_paths(struct kernel *k, struct trace_event *e, vfs_ino dir, vfs_ino dir2)
{
	struct scratch s;

	arena_init(&s.arena, &k->heap, (struct arena_fail){ scratch_full, &s });
	fill_paths(k, &s, e, dir, dir2);
	forget_looked(k);
	trace_emit(k, e);
	arena_clear(&s.arena);
}

/* --- events --- */

static struct trace_event of_process(const struct proc *p, enum trace_kind kind)
{
	struct trace_event e = {
		.kind = kind,
		.format = proc_format(p),
		.name = p->name,
		.argv = p->argv,
		.started_ns = p->started_ns,
		.steps = p->steps,
		.bytes_read = p->bytes_read,
		.bytes_written = p->bytes_written,
		.memory_peak = PROC_STACK_BYTES + p->arena.peak + pool_peak(&p->pool),
	};

	set_process(&e, p);
	return e;
}

void trace_start(struct proc *p, enum trace_kind kind)
{
	struct trace_event e = of_process(p, kind);

	emit_with_paths(p->k, &e, p->cwd, 0);
}

void trace_end(struct proc *p, int status)
{
	struct trace_event e = of_process(p, TRACE_END);

	e.status = status;
	trace_emit(p->k, &e);
}

static struct trace_event of_path(const struct proc *p, int kind, const char *path,
				  const char *path2)
{
	struct trace_event e = { .kind = (enum trace_kind)kind, .path = path, .path2 = path2 };

	set_process(&e, p);
	return e;
}

void trace_path(struct proc *p, int kind, vfs_ino dir, const char *path, vfs_ino dir2,
		const char *path2)
{
	struct trace_event e = of_path(p, kind, path, path2);

	emit_with_paths(p->k, &e, dir, dir2);
}

void trace_limit(struct kernel *k, enum limit l)
{
	struct trace_event e = { .kind = TRACE_LIMIT, .limit = l, .where = k->hit_where };

	trace_emit(k, &e);
}

void trace_connect(struct proc *p, unsigned port)
{
	char text[] = "tcp:localhost:00000";
	char *at = text + sizeof text - 1;
	struct trace_event e = of_path(p, TRACE_NETWORK, text, NULL);

	for (int i = 0; i < 5; i++, port /= 10)
		*--at = (char)('0' + port % 10);
	trace_emit(p->k, &e);
}

struct trace_event trace_network(const struct proc *p)
{
	return of_path(p, TRACE_NETWORK, NULL, NULL);
}

/* --- stopping --- */

struct question {
	struct kernel *k;
	const struct trace_event *event;
};

static int64_t ask(void *arg)
{
	const struct question *q = arg;

	return q->k->host.watch(q->k->host.user, q->event);
}

static bool wants_stop(struct kernel *k, struct trace_event *e)
{
	struct question q = { k, e };

	e->time_ns = kernel_trace_time(k);
	return kernel_on_host(k, ask, &q) != 0;
}

static void fill_real(struct proc *p, struct scratch *s, struct trace_event *e, vfs_ino dir,
		      vfs_ino dir2)
{
	if (setjmp(s->full) != 0)
		return;
	e->path = path_real(p, dir, e->path, &s->arena);
	if (e->path2 != NULL)
		e->path2 = path_real(p, dir2, e->path2, &s->arena);
}

void watch_path(struct proc *p, int kind, vfs_ino dir, const char *path, vfs_ino dir2,
		const char *path2)
{
	struct trace_event e = of_path(p, kind, path, path2);
	struct scratch s;
	bool stop;

	arena_init(&s.arena, &p->k->heap, (struct arena_fail){ scratch_full, &s });
	fill_real(p, &s, &e, dir, dir2);
	forget_looked(p->k);
	stop = wants_stop(p->k, &e);
	arena_clear(&s.arena);
	if (stop)
		sched_pause(p);
}

void proc_watch_call_slow(struct proc *p, const char *what, char *const *argv)
{
	struct kernel *k = p->k;
	struct trace_event e = of_process(p, TRACE_CALL);

	e.format = what;
	e.argv = argv;
	e.name = argv[0];
	if (k->trace_calls && tracing(k))
		trace_emit(k, &e);
	if (watching(k) && wants_stop(k, &e))
		sched_pause(p);
}

static void set_watched(struct kernel *k)
{
	k->fuel.watched = watching(k) || (k->trace_calls && tracing(k));
}

void kernel_set_trace(struct kernel *k, void (*trace)(void *, const struct trace_event *),
		      bool calls)
{
	k->host.trace = trace;
	k->trace_calls = calls;
	set_watched(k);
}

void kernel_set_watch(struct kernel *k, int (*watch)(void *, const struct trace_event *))
{
	k->host.watch = watch;
	set_watched(k);
}
