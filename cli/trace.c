/* SPDX-License-Identifier: MIT
 *
 * --trace: events of the session, a line each, into a file that was opened before the lock.
 *
 * otel: every line is one export request of OTLP/JSON with one span. A command of the session is
 * a span, its processes are below it, and what they did to files are spans without length.
 */
#include "cli/cli.h"
#include "cowsh_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

enum { SHELL_SPAN = 1 << 16 }; /* above every bit of a pid, in the upper half of a span id */

static const char *path;
static bool otel;
static bool calls;
static char buffer[65536];
static struct out_stream file = { .fd = -1, .buffer = buffer, .size = sizeof buffer };
static int shell_pid; /* whose children belong to the command's span */

/* --- JSON Lines --- */

static void put_text(const char *name, const char *text)
{
	if (text == NULL)
		return;
	out_format(",\"%s\":", name);
	json_string(text, strlen(text));
}

static void put_args(const char *name, int argc, const char *const *argv)
{
	if (argv == NULL)
		return;
	out_format(",\"%s\":[", name);
	for (int i = 0; i < argc; i++) {
		if (i != 0)
			out_char(',');
		json_string(argv[i], strlen(argv[i]));
	}
	out_char(']');
}

static void put_number(const char *name, uint64_t value)
{
	out_format(",\"%s\":%" PRIu64, name, value);
}

static void put_limit(const struct cowsh_event *e)
{
	if (e->limit < 0)
		return;
	put_text("limit", cowsh_limit_name(e->limit));
	put_number("limit_value", e->limit_value);
	put_text("limit_where", e->limit_where);
}

/* What a process, a command or the session used. */
static void put_usage(const struct cowsh_event *e)
{
	put_number("steps", e->steps);
	put_number("bytes_read", e->bytes_read);
	put_number("bytes_written", e->bytes_written);
	put_number("memory_peak", e->memory_peak);
	if (e->kind == COWSH_EVENT_END)
		return;
	put_number("output_bytes", e->output_bytes);
	put_number("processes", e->processes);
	put_number("files_written", e->files_written);
}

static bool has_usage(const struct cowsh_event *e)
{
	return e->kind == COWSH_EVENT_END || e->kind == COWSH_EVENT_RESULT ||
	       e->kind == COWSH_EVENT_SUMMARY;
}

/* Of a request: a connection inside has no name. */
static bool is_request(const struct cowsh_event *e)
{
	return e->kind == COWSH_EVENT_NETWORK && e->name != NULL;
}

static bool has_status(const struct cowsh_event *e)
{
	return e->kind == COWSH_EVENT_END || e->kind == COWSH_EVENT_RESULT ||
	       e->kind == COWSH_EVENT_ESCALATE;
}

static void put_line(const struct cowsh_event *e)
{
	out_format("{\"seq\":%" PRIu64, e->seq);
	put_text("session", e->session);
	out_format(",\"command\":%" PRIu64 ",\"time_ns\":%" PRId64, e->command, e->time_ns);
	put_text("event", cowsh_event_name(e->kind));
	out_format(",\"pid\":%d,\"ppid\":%d,\"stage\":%d,\"line\":%d", e->pid, e->ppid, e->stage,
		   e->line);
	put_text("program", e->program);
	put_text("name", e->name);
	put_args("argv", e->argc, e->argv);
	put_text("cwd", e->cwd);
	if (e->text != NULL) {
		out_text(",\"text\":");
		json_string(e->text, e->text_len);
	}
	put_text("path", e->path);
	put_text("path2", e->path2);
	if (has_status(e))
		out_format(",\"status\":%d", e->status);
	if (is_request(e)) {
		out_format(",\"status\":%d", e->status);
		put_number("bytes_read", e->bytes_read);
		put_number("bytes_written", e->bytes_written);
	}
	put_limit(e);
	if (has_usage(e))
		put_usage(e);
	out_text("}\n");
}

/* --- OTLP --- */

static void put_attribute(const char *key, bool *first)
{
	out_format("%s{\"key\":\"%s\",\"value\":", *first ? "" : ",", key);
	*first = false;
}

static void attribute_text(const char *key, const char *text, bool *first)
{
	if (text == NULL)
		return;
	put_attribute(key, first);
	out_text("{\"stringValue\":");
	json_string(text, strlen(text));
	out_text("}}");
}

static void attribute_number(const char *key, int64_t value, bool *first)
{
	put_attribute(key, first);
	out_format("{\"intValue\":\"%" PRId64 "\"}}", value);
}

static void attribute_args(const struct cowsh_event *e, bool *first)
{
	if (e->argv == NULL)
		return;
	put_attribute("process.command_args", first);
	out_text("{\"arrayValue\":{\"values\":[");
	for (int i = 0; i < e->argc; i++) {
		out_text(i != 0 ? ",{\"stringValue\":" : "{\"stringValue\":");
		json_string(e->argv[i], strlen(e->argv[i]));
		out_char('}');
	}
	out_text("]}}}");
}

static void put_attributes(const struct cowsh_event *e)
{
	bool first = true;

	out_text(",\"attributes\":[");
	attribute_text("session.id", e->session, &first);
	attribute_number("cowsh.command", (int64_t)e->command, &first);
	attribute_number("process.pid", e->pid, &first);
	attribute_number("process.parent_pid", e->ppid, &first);
	attribute_args(e, &first);
	attribute_text("cowsh.program", e->program, &first);
	if (is_request(e)) {
		attribute_text("http.request.method", e->name, &first);
		attribute_text("url.full", e->path, &first);
		attribute_number("http.request.body.size", (int64_t)e->bytes_written, &first);
		attribute_number("http.response.status_code", e->status, &first);
		attribute_number("http.response.size", (int64_t)e->bytes_read, &first);
	} else {
		attribute_text("file.path", e->path, &first);
	}
	attribute_text("cowsh.path2", e->path2, &first);
	attribute_number("cowsh.pipeline.stage", e->stage, &first);
	attribute_number("code.line.number", e->line, &first);
	if (has_status(e))
		attribute_number("process.exit.code", e->status, &first);
	if (e->limit >= 0) {
		attribute_text("cowsh.limit", cowsh_limit_name(e->limit), &first);
		attribute_number("cowsh.limit.value", (int64_t)e->limit_value, &first);
	}
	if (has_usage(e)) {
		attribute_number("cowsh.steps", (int64_t)e->steps, &first);
		attribute_number("cowsh.bytes_read", (int64_t)e->bytes_read, &first);
		attribute_number("cowsh.bytes_written", (int64_t)e->bytes_written, &first);
		attribute_number("cowsh.memory_peak", (int64_t)e->memory_peak, &first);
	}
	out_char(']');
}

static uint64_t command_span(const struct cowsh_event *e)
{
	return (uint64_t)SHELL_SPAN << 32 | e->command;
}

static uint64_t process_span(const struct cowsh_event *e, int pid)
{
	return pid == shell_pid ? command_span(e) : (uint64_t)(unsigned)pid;
}

/* Everything of a session is one trace, named by the session: FNV-1a. */
static uint64_t trace_id(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

static void put_span(const struct cowsh_event *e)
{
	bool process = e->kind == COWSH_EVENT_END;
	bool command = e->kind == COWSH_EVENT_RESULT;
	bool failed = e->limit >= 0 || (has_status(e) && e->status != 0);
	uint64_t above = process ? process_span(e, e->ppid) : process_span(e, e->pid);
	uint64_t id = process   ? process_span(e, e->pid)
		      : command ? command_span(e)
				: (uint64_t)2 * SHELL_SPAN << 32 | e->seq;

	out_text("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
		 "\"value\":{\"stringValue\":\"cowsh\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":"
		 "\"cowsh\",\"version\":\"");
	out_text(cowsh_version());
	out_format("\"},\"spans\":[{\"traceId\":\"%016" PRIx64 "%016" PRIx64
		   "\",\"spanId\":\"%016" PRIx64 "\"",
		   trace_id("cowsh"), trace_id(e->session), id);
	if (!command)
		out_format(",\"parentSpanId\":\"%016" PRIx64 "\"", above);
	out_text(",\"name\":");
	if (process && e->name != NULL)
		json_string(e->name, strlen(e->name));
	else
		out_format("\"%s\"", command ? "command" : cowsh_event_name(e->kind));
	out_format(",\"kind\":1,\"startTimeUnixNano\":\"%" PRId64
		   "\",\"endTimeUnixNano\":\"%" PRId64 "\"",
		   process || command ? e->started_ns : e->time_ns, e->time_ns);
	put_attributes(e);
	out_format(",\"status\":{\"code\":%d}}]}]}]}\n", failed ? 2 : 0);
}

/* What a span needs is known at its end. */
static bool is_span(const struct cowsh_event *e)
{
	return e->kind != COWSH_EVENT_COMMAND && e->kind != COWSH_EVENT_START &&
	       e->kind != COWSH_EVENT_EXEC && e->kind != COWSH_EVENT_SUMMARY;
}

/* --- the file --- */

static void on_event(void *user, const struct cowsh_event *e)
{
	struct out_stream *before = out_select(&file);

	(void)user;
	if (e->kind == COWSH_EVENT_COMMAND)
		shell_pid = e->pid;
	if (!otel)
		put_line(e);
	else if (is_span(e))
		put_span(e);
	out_select(before);
}

bool trace_option(int argc, char **argv, int *i)
{
	const char *v;

	if ((v = option_value("--trace", argc, argv, i)) != NULL)
		path = v;
	else if (strcmp(argv[*i], "--trace-calls") == 0)
		calls = true;
	else if ((v = option_value("--trace-format", argc, argv, i)) == NULL)
		return false;
	else if (strcmp(v, "otel") != 0 && strcmp(v, "jsonl") != 0)
		fatal("--trace-format wants `jsonl` or `otel`, not '%s'", v);
	else
		otel = strcmp(v, "otel") == 0;
	return true;
}

bool trace_wanted(void)
{
	return path != NULL;
}

void trace_open(void)
{
	if (path == NULL)
		return;
	file.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file.fd < 0)
		fatal("can't write '%s': %s", path, strerror(errno));
}

void trace_begin(struct runner *r)
{
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;

	if (path == NULL)
		return;
	tracer.session = "main";
	tracer.calls = calls;
	tracer.event = on_event;
	if (cowsh_trace(r->session, &tracer) < 0)
		fatal("can't trace: out of memory");
}

void trace_end(struct runner *r)
{
	struct out_stream *before;

	if (path == NULL)
		return;
	cowsh_trace(r->session, NULL);
	before = out_select(&file);
	out_flush();
	out_select(before);
}
