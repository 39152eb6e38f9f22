/* SPDX-License-Identifier: MIT
 *
 * prlimit - show and set the limits of a process: those that ulimit knows.
 *
 * Options are applied in the order in which they were given. As with the real one, what is written
 * before a command starts is lost when it does, unless the output is a terminal: so it gathers in
 * a text. Reference: util-linux prlimit.
 */
#include "base/number.h"
#include "builtins/builtin.h"

enum { SOFT = 1, HARD = 2 };
enum { RESOURCES = 16, COLUMNS_MAX = 10 };

enum column { COL_DESCRIPTION, COL_RESOURCE, COL_SOFT, COL_HARD, COL_UNITS, COL_COUNT };

static const char *const column_names[COL_COUNT] = { "DESCRIPTION", "RESOURCE", "SOFT", "HARD",
						     "UNITS" };

/* By Linux's numbers. */
static const struct resource {
	const char *name;
	const char *text;
	const char *units;
} resources[RESOURCES] = {
	{ "CPU", "CPU time", "seconds" },
	{ "FSIZE", "max file size", "bytes" },
	{ "DATA", "max data size", "bytes" },
	{ "STACK", "max stack size", "bytes" },
	{ "CORE", "max core file size", "bytes" },
	{ "RSS", "max resident set size", "bytes" },
	{ "NPROC", "max number of processes", "processes" },
	{ "NOFILE", "max number of open files", "files" },
	{ "MEMLOCK", "max locked-in-memory address space", "bytes" },
	{ "AS", "address space limit", "bytes" },
	{ "LOCKS", "max number of file locks held", "locks" },
	{ "SIGPENDING", "max number of pending signals", "signals" },
	{ "MSGQUEUE", "max bytes in POSIX mqueues", "bytes" },
	{ "NICE", "max nice prio allowed to raise", "" },
	{ "RTPRIO", "max real-time priority", "" },
	{ "RTTIME", "timeout for real-time tasks", "microsecs" },
};

/* All of them, in the order of their names. */
static const unsigned char by_name[RESOURCES] = { 9,  4, 0, 2, 1,  10, 8,  12,
						  13, 7, 6, 5, 14, 15, 11, 3 };

/* One resource option: a limit to be set, or (which 0) to be shown. */
struct request {
	struct request *next;
	int resource;
	int which;
	uint64_t limit[2]; /* soft, hard */
};

struct prlimit_opts {
	struct request *first;
	struct request *last;
	int pid;
	enum column columns[COLUMNS_MAX];
	int ncolumns;
	bool raw;
	bool bare;
	bool verbose;
};

/* A limit at the head of text, after blanks: the bytes used, or 0. */
static size_t limit_parse(const char *text, uint64_t *out)
{
	bool overflow = false;
	size_t used;

	if (strncmp(text, "unlimited", 9) == 0) {
		*out = UINT64_MAX;
		return 9;
	}
	used = number_parse_u64(bytes_of(text), 10, out, &overflow);
	return overflow ? 0 : used;
}

/* SOFT:HARD, SOFT:, :HARD, or one for both, where anything may follow. */
static bool range_parse(const char *text, struct request *r)
{
	size_t used;

	if (*text == ':') {
		r->which = HARD;
		used = limit_parse(text + 1, &r->limit[1]);
		return used > 0 && text[1 + used] == '\0';
	}
	used = limit_parse(text, &r->limit[0]);
	if (used == 0)
		return false;
	text += used;
	if (*text != ':') {
		r->which = SOFT | HARD;
		r->limit[1] = r->limit[0];
		return true;
	}
	r->which = SOFT;
	if (text[1] == '\0')
		return true;
	r->which = SOFT | HARD;
	used = limit_parse(text + 1, &r->limit[1]);
	return used > 0 && text[1 + used] == '\0';
}

static int limit_option(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct prlimit_opts *o = c->opts;
	struct request *r = arena_array(c->arena, 1, sizeof *r);

	r->resource = opt->value;
	if (arg != NULL && !range_parse(arg + (*arg == '='), r))
		return cmd_error(c, 0, "failed to parse %s limit", resources[opt->value].name);
	if (o->last != NULL)
		o->last->next = r;
	else
		o->first = r;
	o->last = r;
	return 0;
}

static int pid_option(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct prlimit_opts *o = c->opts;
	bool overflow = false;
	int64_t pid;
	size_t used = number_parse_i64(bytes_of(arg), 10, &pid, &overflow);

	(void)opt;
	if (o->pid != 0)
		return cmd_error(c, 0, "option --pid may be specified only once");
	if (used == 0 || arg[used] != '\0')
		return cmd_error(c, 0, "invalid PID argument: '%s'", arg);
	if (overflow || pid < INT32_MIN || pid > INT32_MAX)
		return cmd_error(c, -E_RANGE, "invalid PID argument: '%s'", arg);
	o->pid = (int)pid;
	return 0;
}

/* Letters in any case. */
static bool is_name(struct bytes given, const char *name)
{
	if (given.len != strlen(name))
		return false;
	for (size_t i = 0; i < given.len; i++) {
		if (byte_to_upper((unsigned char)given.ptr[i]) != (unsigned char)name[i])
			return false;
	}
	return true;
}

static int column_find(struct bytes name)
{
	for (int i = 0; i < COL_COUNT; i++) {
		if (is_name(name, column_names[i]))
			return i;
	}
	return -1;
}

/* An empty name in the list, or too many, end the command without a message: as the real one. */
static int output_option(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct prlimit_opts *o = c->opts;

	(void)opt;
	for (o->ncolumns = 0;; arg++) {
		size_t len = strcspn(arg, ",");
		/* A comma at the very end belongs to the last name. */
		bool last = arg[len] == '\0' || arg[len + 1] == '\0';

		if (len == 0 && !last)
			return 1;
		if (*arg == '\0' || o->ncolumns == COLUMNS_MAX)
			return 1;
		int found = column_find((struct bytes){ arg, last ? strlen(arg) : len });

		if (found < 0)
			return cmd_error(c, 0, "unknown column: %s", arg);
		o->columns[o->ncolumns++] = (enum column)found;
		if (last)
			return 0;
		arg += len;
	}
}

#define LIMIT(short_name, long_name, number, text)                                                 \
	{                                                                                          \
		.letter = (short_name), .name = (long_name), .kind = OPT_KIND_CALL,                \
		.arg = OPT_ARG_OPTIONAL, .fn = limit_option, .value = (number),                    \
		.metavar = "LIMIT", .help = (text)                                                 \
	}

static const struct opt prlimit_options[] = {
	OPT_CALL_ARG('p', "pid", pid_option, "PID", "the process; without it, prlimit or COMMAND"),
	OPT_CALL_ARG('o', "output", output_option, "LIST", "which columns to show"),
	LIMIT('v', "as", 9, "virtual memory"),
	LIMIT('c', "core", 4, "size of core files"),
	LIMIT('t', "cpu", 0, "processor time in seconds"),
	LIMIT('d', "data", 2, "size of the data segment"),
	LIMIT('f', "fsize", 1, "size of files that are written"),
	LIMIT('x', "locks", 10, "locks of files"),
	LIMIT('l', "memlock", 8, "memory that may be locked"),
	LIMIT('q', "msgqueue", 12, "bytes in POSIX message queues"),
	LIMIT('e', "nice", 13, "how far the nice value may be raised"),
	LIMIT('n', "nofile", 7, "open files"),
	LIMIT('u', "nproc", 6, "processes of the user"),
	LIMIT('m', "rss", 5, "resident memory"),
	LIMIT('r', "rtprio", 14, "real-time priority"),
	LIMIT('y', "rttime", 15, "microseconds of real-time scheduling"),
	LIMIT('i', "sigpending", 11, "pending signals"),
	LIMIT('s', "stack", 3, "size of the stack"),
	OPT_FLAG(0, "noheadings", struct prlimit_opts, bare, "no line of headings"),
	OPT_FLAG(0, "raw", struct prlimit_opts, raw, "columns are not aligned"),
	OPT_FLAG(0, "verbose", struct prlimit_opts, verbose, "tell which limits are set"),
	OPT_END(),
};

/* Writes what is gathered, then ends with the status. */
static _Noreturn void finish(struct cmd *c, const struct buf *out, int status)
{
	cmd_bytes(c, buf_bytes(out));
	cmd_exit(c, status);
}

static void get_limit(struct cmd *c, const struct buf *out, int resource, const char *what,
		      uint64_t limit[2])
{
	const struct prlimit_opts *o = c->opts;
	int err = cmd_limit(c, o->pid, resource, NULL, limit);

	if (err != 0)
		finish(c, out, cmd_error(c, err, what, resources[resource].name));
}

static void put_value(struct buf *out, uint64_t v)
{
	if (v == UINT64_MAX)
		buf_puts(out, "unlimited");
	else
		buf_printf(out, "%llu", (unsigned long long)v);
}

static void set_limit(struct cmd *c, struct buf *out, struct request *r)
{
	const struct prlimit_opts *o = c->opts;
	const char *name = resources[r->resource].name;
	uint64_t old[2];

	if (r->which != (SOFT | HARD)) {
		get_limit(c, out, r->resource, "failed to get old %s limit", old);
		r->limit[r->which == SOFT] = old[r->which == SOFT];
	}
	if (r->limit[0] > r->limit[1])
		finish(c, out,
		       cmd_error(c, 0, "the soft limit %s cannot exceed the hard limit", name));
	if (o->verbose) {
		buf_printf(out, "New %s limit for pid %d: <", name,
			   o->pid != 0 ? o->pid : cmd_pid(c));
		put_value(out, r->limit[0]);
		buf_putc(out, ':');
		put_value(out, r->limit[1]);
		buf_puts(out, ">\n");
	}
	int err = cmd_limit(c, o->pid, r->resource, r->limit, NULL);

	if (err != 0)
		finish(c, out, cmd_error(c, err, "failed to set the %s resource limit", name));
}

static struct bytes cell(struct cmd *c, const struct request *r, enum column column)
{
	const struct resource *is = &resources[r->resource];
	struct buf text = buf_in(c->arena);

	switch (column) {
	case COL_DESCRIPTION: return bytes_of(is->text);
	case COL_RESOURCE: return bytes_of(is->name);
	case COL_UNITS: return bytes_of(is->units);
	default: put_value(&text, r->limit[column == COL_HARD]); return buf_bytes(&text);
	}
}

/* In raw output a blank is \x20, as it separates columns. */
static void put_raw(struct buf *out, struct bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == ' ')
			buf_puts(out, "\\x20");
		else
			buf_putc(out, text.ptr[i]);
	}
}

/* Numbers stand right, all else left; behind the last column there are no blanks. */
static void put_cell(const struct prlimit_opts *o, struct buf *out, int i, struct bytes text,
		     size_t width)
{
	bool right = o->columns[i] == COL_SOFT || o->columns[i] == COL_HARD;
	bool last = i == o->ncolumns - 1;
	size_t blanks = width > text.len ? width - text.len : 0;

	if (o->raw) {
		put_raw(out, text);
	} else {
		if (right)
			buf_fill(out, ' ', blanks);
		buf_put(out, text.ptr, text.len);
		if (!right && !last)
			buf_fill(out, ' ', blanks);
	}
	buf_putc(out, last ? '\n' : ' ');
}

static void put_table(struct cmd *c, struct buf *out, const struct request *list)
{
	const struct prlimit_opts *o = c->opts;
	size_t width[COLUMNS_MAX];

	for (int i = 0; i < o->ncolumns; i++)
		width[i] = strlen(column_names[o->columns[i]]);
	for (const struct request *r = list; r != NULL; r = r->next) {
		for (int i = 0; i < o->ncolumns; i++) {
			size_t len = cell(c, r, o->columns[i]).len;

			width[i] = len > width[i] ? len : width[i];
		}
		cmd_charge(c, 4);
	}
	for (int i = 0; i < o->ncolumns && !o->bare; i++)
		put_cell(o, out, i, bytes_of(column_names[o->columns[i]]), width[i]);
	for (const struct request *r = list; r != NULL; r = r->next) {
		for (int i = 0; i < o->ncolumns; i++)
			put_cell(o, out, i, cell(c, r, o->columns[i]), width[i]);
		cmd_charge(c, 4);
	}
}

static void default_columns(struct prlimit_opts *o)
{
	static const enum column all[] = { COL_RESOURCE, COL_DESCRIPTION, COL_SOFT, COL_HARD,
					   COL_UNITS };

	if (o->ncolumns != 0)
		return;
	o->ncolumns = COL_COUNT;
	memcpy(o->columns, all, sizeof all);
}

/* Sets and reads limits in the order of the options; the table holds those that were only named. */
static void apply(struct cmd *c, struct buf *out)
{
	struct prlimit_opts *o = c->opts;
	struct request *shown = NULL;
	struct request **end = &shown;

	for (struct request *r = o->first, *next; r != NULL; r = next) {
		next = r->next;
		cmd_charge(c, 4);
		if (r->which != 0) {
			set_limit(c, out, r);
			continue;
		}
		get_limit(c, out, r->resource, "failed to get the %s resource limit", r->limit);
		r->next = NULL;
		*end = r;
		end = &r->next;
	}
	if (shown != NULL)
		put_table(c, out, shown);
}

static void name_all(struct cmd *c, struct prlimit_opts *o)
{
	struct request *all = arena_array(c->arena, RESOURCES, sizeof *all);

	for (int i = 0; i < RESOURCES; i++) {
		all[i].resource = by_name[i];
		all[i].next = i + 1 < RESOURCES ? &all[i + 1] : NULL;
	}
	o->first = all;
}

static int prlimit_run(struct cmd *c)
{
	struct prlimit_opts *o = c->opts;
	struct buf out = buf_in(c->arena);

	if (o->pid != 0 && c->nargs > 0)
		return cmd_error(c, 0, "options --pid and COMMAND are mutually exclusive");
	default_columns(o);
	if (o->first == NULL)
		name_all(c, o);
	apply(c, &out);
	if (c->nargs == 0)
		finish(c, &out, 0);
	if (cmd_isatty(c, 1)) {
		cmd_bytes(c, buf_bytes(&out));
		out.len = 0;
	}
	int err = cmd_become(c, c->args, c->envp);

	cmd_error(c, err, "failed to execute %s", c->args[0]);
	finish(c, &out, err == -E_NOENT ? 127 : 126);
}

const struct builtin builtin_prlimit = {
	.name = "prlimit",
	.usage = "[OPTION]... [--RESOURCE[=LIMIT]]... [-p PID | COMMAND [ARG]...]",
	.summary = "Shows or sets the resource limits of a process.\n"
		   "LIMIT is SOFT:HARD, SOFT:, :HARD, or one value for both.",
	.run = prlimit_run,
	.opts = prlimit_options,
	.opts_size = sizeof(struct prlimit_opts),
	.flags = BUILTIN_STOP,
	.family = "util-linux 2.38.1",
};
