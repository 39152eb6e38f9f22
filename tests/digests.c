/* SPDX-License-Identifier: MIT
 *
 * What must be the same wherever a case runs, as a line of text: status, steps, and hashes of
 * output, trace and files. The last field is memory, which depends on the size of pointers.
 */
#include "tests/cases.h"

#include "cowsh_watch.h"

#include <stdio.h>
#include <string.h>

#define HASH_START 0xcbf29ce484222325

static unsigned long long hash(unsigned long long h, const void *data, size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ at[i]) * 0x100000001b3;
	return h;
}

enum { LINE_MAX_BYTES = 4096 };

static void add_number(char line[LINE_MAX_BYTES], const char *name, long long value)
{
	size_t n = strlen(line);

	snprintf(line + n, LINE_MAX_BYTES - n, " %s=%lld", name, value);
}

static void add_text(char line[LINE_MAX_BYTES], const char *value)
{
	size_t n = strlen(line);

	snprintf(line + n, LINE_MAX_BYTES - n, " %s", value != NULL ? value : "-");
}

/* Everything of an event but memory, which depends on the size of pointers. */
static void on_event(void *user, const struct cowsh_event *e)
{
	struct outcome *o = user;
	char line[LINE_MAX_BYTES] = "";

	add_text(line, cowsh_event_name(e->kind));
	add_number(line, "seq", (long long)e->seq);
	add_number(line, "time", e->time_ns);
	add_number(line, "pid", e->pid);
	add_number(line, "ppid", e->ppid);
	add_number(line, "stage", e->stage);
	add_number(line, "line", e->line);
	add_number(line, "status", e->status);
	add_number(line, "limit", e->limit);
	add_number(line, "steps", (long long)e->steps);
	add_number(line, "read", (long long)e->bytes_read);
	add_number(line, "written", (long long)e->bytes_written);
	add_text(line, e->program);
	add_text(line, e->cwd);
	add_text(line, e->path);
	add_text(line, e->path2);
	for (int i = 0; i < e->argc; i++)
		add_text(line, e->argv[i]);
	o->trace = hash(o->trace, line, strlen(line));
}

bool digests_start(struct cowsh *session, struct outcome *out)
{
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;

	tracer.event = on_event;
	tracer.calls = true;
	tracer.user = out;
	out->trace = HASH_START;
	return cowsh_trace(session, &tracer) == 0;
}

void digests_end(struct cowsh *session)
{
	cowsh_trace(session, NULL);
}

static unsigned long long hash_text(const struct text *t)
{
	return hash(HASH_START, t->ptr, t->len);
}

void digests_print(FILE *f, const char *file, const struct test *t, const struct outcome *o)
{
	fprintf(f, "%s: %s|status %d|steps %llu|stdout %016llx|stderr %016llx|trace %016llx|tree ",
		file, t->name, o->status, o->steps, hash_text(&o->part[OUTPUT]),
		hash_text(&o->part[ERRORS]), o->trace);
	for (size_t i = 0; i < sizeof o->tree; i++)
		fprintf(f, "%02x", o->tree[i]);
	fprintf(f, "|memory %llu\n", o->memory_peak);
}
