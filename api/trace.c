/* SPDX-License-Identifier: MIT
 *
 * Trace events as cowsh_watch.h has them: the kernel's own, and those of commands and sessions.
 */
#include "api/watch.h"

static const char *const names[] = { "command", "result", "start",    "exec",   "end",
				     "call",    "create", "write",    "rename", "remove",
				     "network", "limit",  "escalate", "summary" };

const char *cowsh_event_name(int kind)
{
	return kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* --- giving events to the host --- */

static void deliver(struct cowsh *s, struct cowsh_event *e)
{
	struct trace_state *t = s->trace;

	e->session = t->session;
	e->seq = ++t->seq;
	e->command = t->command;
	if (e->kind != COWSH_EVENT_LIMIT && e->kind != COWSH_EVENT_RESULT)
		e->limit = -1;
	t->tracer.event(t->tracer.user, e);
}

static int public_kind(enum trace_kind kind)
{
	static const int kinds[] = {
		[TRACE_START] = COWSH_EVENT_START,       [TRACE_EXEC] = COWSH_EVENT_EXEC,
		[TRACE_END] = COWSH_EVENT_END,           [TRACE_CALL] = COWSH_EVENT_CALL,
		[TRACE_CREATE] = COWSH_EVENT_CREATE,     [TRACE_WRITE] = COWSH_EVENT_WRITE,
		[TRACE_RENAME] = COWSH_EVENT_RENAME,     [TRACE_REMOVE] = COWSH_EVENT_REMOVE,
		[TRACE_NETWORK] = COWSH_EVENT_NETWORK,   [TRACE_LIMIT] = COWSH_EVENT_LIMIT,
		[TRACE_ESCALATE] = COWSH_EVENT_ESCALATE,
	};

	return kinds[kind];
}

const char *program_kind(const char *format)
{
	return format != NULL && strcmp(format, "elf") == 0 ? "microvm" : format;
}

int count_args(char *const *argv)
{
	int argc = 0;

	while (argv != NULL && argv[argc] != NULL)
		argc++;
	return argc;
}

static void count(struct trace_state *t, const struct trace_event *e)
{
	if (e->kind == TRACE_CREATE || e->kind == TRACE_WRITE || e->kind == TRACE_RENAME ||
	    e->kind == TRACE_REMOVE) {
		t->here.files++;
		t->all.files++;
	}
	if (e->kind == TRACE_END) {
		t->here.bytes_read += e->bytes_read;
		t->here.bytes_written += e->bytes_written;
		t->all.bytes_read += e->bytes_read;
		t->all.bytes_written += e->bytes_written;
	}
}

static int event_status(const struct trace_event *e)
{
	if (e->kind == TRACE_NETWORK)
		return e->status;
	return (e->status & 127) != 0 ? 128 + (e->status & 127) : e->status >> 8 & 255;
}

static void on_event(void *user, const struct trace_event *e)
{
	struct cowsh *s = user;
	bool limit = e->kind == TRACE_LIMIT;
	struct cowsh_event out = {
		.kind = public_kind(e->kind),
		.time_ns = e->time_ns,
		.pid = e->pid,
		.ppid = e->ppid,
		.stage = e->stage,
		.line = e->line,
		.program = program_kind(e->format),
		.name = e->name,
		.argc = count_args(e->argv),
		.argv = (const char *const *)e->argv,
		.cwd = e->cwd,
		.status = event_status(e),
		.limit = limit ? (int)e->limit : -1,
		.limit_value = limit ? kernel_limit(s->kernel, e->limit) : 0,
		.limit_where = e->where,
		.started_ns = e->started_ns,
		.steps = e->steps,
		.bytes_read = e->bytes_read,
		.bytes_written = e->bytes_written,
		.memory_peak = e->memory_peak,
		.path = e->path,
		.path2 = e->path2,
	};

	count(s->trace, e);
	deliver(s, &out);
}

/* --- commands --- */

void trace_command(struct cowsh *s, struct bytes text, int argc, const char *const *argv)
{
	struct trace_state *t = s->trace;
	struct cowsh_event e = { .kind = COWSH_EVENT_COMMAND,
				 .time_ns = kernel_trace_time(s->kernel),
				 .pid = s->shell_proc->pid,
				 .text = text.ptr,
				 .text_len = text.len,
				 .argc = argc,
				 .argv = argv };

	t->command++;
	t->here = (struct trace_totals){ 0 };
	t->began_ns = e.time_ns;
	deliver(s, &e);
}

void trace_result(struct cowsh *s)
{
	struct trace_state *t = s->trace;
	const struct cowsh_result *r = &s->result;
	struct cowsh_event e = { .kind = COWSH_EVENT_RESULT,
				 .time_ns = kernel_trace_time(s->kernel),
				 .started_ns = t->began_ns,
				 .pid = s->shell_proc->pid,
				 .status = r->status,
				 .limit = r->limit,
				 .limit_value = r->limit_value,
				 .limit_where = r->limit_where,
				 .steps = r->steps,
				 .output_bytes = r->output_bytes,
				 .processes = r->processes,
				 .memory_peak = r->memory_peak,
				 .bytes_read = t->here.bytes_read,
				 .bytes_written = t->here.bytes_written,
				 .files_written = t->here.files };

	t->all.output += r->output_bytes;
	deliver(s, &e);
}

static void summary(struct cowsh *s)
{
	struct trace_state *t = s->trace;
	struct kernel_usage usage;
	struct cowsh_event e = { .kind = COWSH_EVENT_SUMMARY };

	kernel_get_usage(s->kernel, &usage);
	e.time_ns = kernel_trace_time(s->kernel);
	e.steps = usage.steps_total - t->steps_before;
	e.processes = usage.processes - t->processes_before;
	e.memory_peak = usage.memory_peak;
	e.output_bytes = t->all.output;
	e.bytes_read = t->all.bytes_read;
	e.bytes_written = t->all.bytes_written;
	e.files_written = t->all.files;
	deliver(s, &e);
}

/* --- on and off --- */

void trace_free(struct cowsh *s)
{
	if (s->trace == NULL)
		return;
	kernel_set_trace(s->kernel, NULL, false);
	heap_free(kernel_heap(s->kernel), s->trace, sizeof *s->trace);
	s->trace = NULL;
}

int cowsh_trace(cowsh *s, const struct cowsh_tracer *tracer)
{
	struct kernel_usage usage;
	struct trace_state *t;

	if (s == NULL ||
	    (tracer != NULL && (tracer->size < sizeof *tracer || tracer->event == NULL)))
		return -E_INVAL;
	if (s->running)
		return -E_BUSY;
	if (s->trace != NULL)
		summary(s);
	trace_free(s);
	if (tracer == NULL)
		return 0;
	t = heap_zalloc(kernel_heap(s->kernel), sizeof *t);
	if (t == NULL)
		return -E_NOMEM;
	t->tracer = *tracer;
	if (tracer->session != NULL)
		copy_text(t->session, sizeof t->session, tracer->session);
	kernel_get_usage(s->kernel, &usage);
	t->steps_before = usage.steps_total;
	t->processes_before = usage.processes;
	s->trace = t;
	kernel_set_trace(s->kernel, on_event, tracer->calls);
	return 0;
}
