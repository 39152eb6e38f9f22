/* SPDX-License-Identifier: MIT
 *
 * --dry-run: the script runs in a fork of the session; its commands are noted as they end, and
 * told after the run with the files that it changed.
 */
#include "cli/report.h"
#include "cowsh_watch.h"

#include <string.h>

/* What a script may make us keep; address space until it is used. */
#define NOTES_MAX ((size_t)64 << 20)

static bool wanted;
static bool json;
static cowsh *original; /* stays as it was */
static struct out_stream notes = { .fd = -1 };
static uint64_t noted;
static uint64_t left_out;

bool rehearse_wanted(void)
{
	return wanted;
}

void rehearse_want(void)
{
	wanted = true;
}

static size_t size_of(const struct cowsh_event *e)
{
	size_t size = 64;

	for (int i = 0; i < e->argc; i++)
		size += 6 * strlen(e->argv[i]) + 3;
	return size;
}

/* A negative status: a command that runs in the shell itself. */
static void note(const struct cowsh_event *e, int status)
{
	struct out_stream *before;

	if (e->argv == NULL || size_of(e) > notes.size - notes.used) {
		left_out += e->argv != NULL;
		return;
	}
	before = out_select(&notes);
	if (json)
		out_format("%s{\"status\":", noted != 0 ? "," : "");
	else
		out_text("  ");
	if (status >= 0)
		out_format(json ? "%d" : "%3d", status);
	else
		out_text(json ? "null" : "  -");
	if (json)
		out_format(",\"line\":%d,\"argv\":[", e->line);
	for (int i = 0; i < e->argc; i++) {
		if (json && i != 0)
			out_char(',');
		if (!json)
			out_char(' ');
		if (json)
			json_string(e->argv[i], strlen(e->argv[i]));
		else
			out_word(e->argv[i], strlen(e->argv[i]));
	}
	out_text(json ? "]}" : "\n");
	out_select(before);
	noted++;
}

static void on_event(void *user, const struct cowsh_event *e)
{
	const char *program = e->program != NULL ? e->program : "";

	(void)user;
	if (e->kind == COWSH_EVENT_CALL && strcmp(program, "program") != 0)
		note(e, -1);
	else if (e->kind == COWSH_EVENT_END && strcmp(program, "fork") != 0 && e->ppid > 1)
		note(e, e->status);
}

void rehearse_open(void)
{
	if (!wanted)
		return;
	notes.size = NOTES_MAX;
	notes.buffer = map_region(NOTES_MAX);
	if (notes.buffer == NULL)
		fatal("can't reserve memory for the report");
}

void rehearse_begin(struct runner *r)
{
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;
	struct cowsh_host host = r->host;

	json = r->options->json;
	original = r->session;
	fetch_refuse(&host);
	if (cowsh_fork(original, &host, &r->session) < 0)
		fatal("can't fork the session");
	tracer.calls = true;
	tracer.event = on_event;
	if (cowsh_trace(r->session, &tracer) < 0)
		fatal("can't watch the session: out of memory");
}

static const char *what_happened(char kind)
{
	switch (kind) {
	case '+': return "created";
	case '-': return "removed";
	case 'M': return "changed";
	case 'm': return "mode or time";
	default: return "replaced";
	}
}

static int tell_change(void *user, const struct cowsh_change *c)
{
	bool *begun = user;
	bool regular = (c->mode & 0170000) == 0100000;

	if (!*begun)
		out_text("files that would change:\n");
	*begun = true;
	out_format("  %s ", what_happened(c->kind));
	out_name(c->path);
	if (regular && c->kind != 'm')
		out_format(c->kind == 'M' ? " (%llu bytes, %llu before)" : " (%llu bytes)",
			   (unsigned long long)c->size, (unsigned long long)c->old_size);
	out_char('\n');
	return 0;
}

void rehearse_tell(struct runner *r, const cowsh_snapshot *before)
{
	bool begun = false;
	int err;

	cowsh_trace(r->session, NULL);
	if (json) {
		out_text(",\"commands\":[");
		out_bytes(notes.buffer, notes.used);
		out_format("],\"commands_left_out\":%llu", (unsigned long long)left_out);
		return;
	}
	out_flush();
	out_to(2);
	out_text(noted != 0 ? "commands (status, - in the shell itself):\n" : "no commands\n");
	out_bytes(notes.buffer, notes.used);
	if (left_out != 0)
		out_format("  and %llu more\n", (unsigned long long)left_out);
	err = cowsh_diff(r->session, before, tell_change, &begun);
	if (err < 0)
		out_format("cowsh: --dry-run: %s\n", cowsh_error_text(err));
	else if (!begun)
		out_text("no files would change\n");
	out_flush();
}
