/* SPDX-License-Identifier: MIT
 *
 * -L, -T, -m, -c and -M of ps: columns that they add to the usual ones, and lines of threads.
 * Each process has one thread, whose number is its own.
 */
#include "builtins/ps/ps.h"

/* Where the field of that name is, or -1. */
static int find_field(const struct ps_view *v, const char *name)
{
	for (int i = 0; i < v->nfields; i++)
		if (strcmp(v->field[i].column->name, name) == 0)
			return i;
	return -1;
}

static void insert_field(struct ps_view *v, int at, const char *name)
{
	const struct ps_column *col = ps_column_find(bytes_of(name));

	memmove(v->field + at + 1, v->field + at, (size_t)(v->nfields - at) * sizeof v->field[0]);
	v->field[at] = (struct ps_field){ col, col->header, col->width };
	v->nfields++;
}

static void remove_field(struct ps_view *v, const char *name)
{
	int at = find_field(v, name);

	if (at < 0)
		return;
	v->nfields--;
	memmove(v->field + at, v->field + at + 1, (size_t)(v->nfields - at) * sizeof v->field[0]);
}

/* Behind the numbers of process, parent, group and session. */
static int behind_numbers(const struct ps_view *v)
{
	static const char *const numbers[] = { "pid", "ppid", "pgid", "sid", "lwp" };
	int last = -1;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int at = find_field(v, numbers[i]);

		last = at > last ? at : last;
	}
	return last + 1;
}

static void add_class(struct ps_view *v)
{
	int at = find_field(v, "c");

	if (at < 0)
		at = find_field(v, "tname");
	remove_field(v, "c");
	remove_field(v, "opri");
	remove_field(v, "ni");
	insert_field(v, at, "pri");
	insert_field(v, at, "class");
}

void ps_add_shape(struct ps_view *v, const struct ps_shape *shape)
{
	int use = find_field(v, "%cpu") >= 0 ? find_field(v, "%cpu") : find_field(v, "c");

	if (shape->lwp && (shape->full || find_field(v, "%cpu") >= 0))
		insert_field(v, use + 1, "nlwp");
	if (shape->lwp)
		insert_field(v, behind_numbers(v), "lwp");
	if (shape->spid)
		insert_field(v, find_field(v, "pid") + 1, "spid");
	if (shape->classes)
		add_class(v);
	if (shape->label)
		insert_field(v, 0, "label");
}

bool ps_hides(const struct ps_column *col, enum ps_side side)
{
	static const char *const of_process[] = {
		"%mem",  "args", "cmd",     "comm", "command", "drs",  "exe",    "fname",   "nlwp",
		"pgid",  "pgrp", "pid",     "pmem", "ppid",    "rss",  "rssize", "rsz",     "sess",
		"sid",   "size", "session", "sz",   "sz_1",    "tgid", "tt",     "thcount", "tname",
		"tpgid", "trs",  "tty",     "ucmd", "ucomm",   "vsz",  "vsize",  "label",   NULL,
	};
	static const char *const of_thread[] = {
		"blocked",   "caught",     "class", "cls",  "ignored", "lwp",
		"ni",        "nice",       "opri",  "pri",  "policy",  "priority",
		"psr",       "s",          "sgi_p", "spid", "stat",    "sig_block",
		"sig_catch", "sig_ignore", "state", "tid",  "wchan",   NULL,
	};
	const char *const *names = side == PS_PROCESS ? of_thread : of_process;

	if (side == PS_WHOLE)
		return false;
	while (*names != NULL && strcmp(*names, col->name) != 0)
		names++;
	return *names != NULL;
}
