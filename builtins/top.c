/* SPDX-License-Identifier: MIT
 *
 * top - processes and what they use: frames of text (-b). Without a terminal there is no other way.
 */
#include "builtins/ps/ps.h"
#include "builtins/uptime.h"

enum { NS = 1000000000, PIDS_MAX = 20, WIDTH_USUAL = 80, WIDTH_MIN = 3, WIDTH_MAX = 512 };

struct top_opts {
	bool batch;
	bool command;
	bool idle;
	bool threads;
	bool each_cpu;
	bool cumulative;
	bool fields;
	bool wide;
	const char *count;
	const char *delay;
	const char *order;
	const char *user;
	const char *real_user;
	const char *width;
	const char *scale;       /* of sums */
	const char *tasks_scale; /* of processes */
	/* state */
	uint64_t columns;
	uint32_t uid;
	bool not_uid;
	uint64_t pid[PIDS_MAX];
	int nlisted;
};

static int add_pids(struct cmd *c, const struct opt *opt, const char *arg);

static int set_width(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct top_opts *o = c->opts;

	(void)opt;
	o->wide = true;
	o->width = arg;
	return 0;
}

/* The width may be the next word. */
static int take_width(struct cmd *c, int argc, char **argv, int i)
{
	if (strcmp(argv[i], "-w") != 0 || i + 1 >= argc || argv[i + 1][0] == '-')
		return 0;
	set_width(c, NULL, argv[i + 1]);
	return 2;
}

static const struct opt top_options[] = {
	OPT_FLAG('b', "batch-mode", struct top_opts, batch, "frames of text, one after another"),
	OPT_STR('n', "iterations", struct top_opts, count, NULL, "N", "so many frames"),
	OPT_STR('d', "delay", struct top_opts, delay, "3", "SECONDS", "time between frames"),
	OPT_STR('o', "sort-override", struct top_opts, order, "%CPU", "FIELD",
		"sort by a field, largest first; -FIELD: smallest first"),
	OPT_FLAG('O', "list-fields", struct top_opts, fields, "list the names of fields"),
	OPT_STR('u', "filter-only-euser", struct top_opts, user, NULL, "USER",
		"only processes of USER; !USER: of others"),
	OPT_STR('U', "filter-any-user", struct top_opts, real_user, NULL, "USER",
		"the same, also by other ids"),
	OPT_CALL_ARG('p', "pid", add_pids, "PID,...", "only these processes; 0 is top itself"),
	OPT_FLAG('c', "cmdline-toggle", struct top_opts, command, "command lines instead of names"),
	OPT_FLAG('i', "idle-toggle", struct top_opts, idle, "only processes that used time"),
	OPT_CALL_OPTIONAL('w', "width", set_width, "N", "width of lines: 3 to 512, without N 512"),
	OPT_STR('E', "scale-summary-mem", struct top_opts, scale, "m", "UNIT",
		"of sums: k, m, g, t, p or e"),
	OPT_STR('e', "scale-task-mem", struct top_opts, tasks_scale, "k", "UNIT",
		"of processes: k, m, g, t or p"),
	OPT_IGNORED('s', "secure-mode", "no effect: nobody types commands"),
	OPT_FLAG('S', "accum-time-toggle", struct top_opts, cumulative,
		 "time with that of children that ended"),
	OPT_FLAG('1', "single-cpu-toggle", struct top_opts, each_cpu, "each processor: it is one"),
	OPT_FLAG('H', "threads-show", struct top_opts, threads, "threads: a process has one"),
	OPT_END(),
};

static int fail(struct cmd *c, const char *format, const char *arg)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s: ", c->name);
	buf_printf(&text, format, arg);
	buf_putc(&text, '\n');
	cmd_err_write(c, text.ptr, text.len);
	return 1;
}

/* Digits up to a comma; the message shows all that is left. */
static int add_pids(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct top_opts *o = c->opts;

	(void)opt;
	if (*arg == '\0')
		return fail(c, "-p argument missing%s", "");
	while (*arg != '\0') {
		size_t len = strcspn(arg, ",");
		char *item = arena_dup(c->arena, (struct bytes){ arg, len });
		uint64_t pid;

		if (!num_plain(item, &pid) || pid > INT32_MAX)
			return fail(c, "bad pid '%s'", arg);
		if (o->nlisted == PIDS_MAX)
			return fail(c, "pid limit (%s) exceeded", "20");
		o->pid[o->nlisted++] = pid != 0 ? pid : (uint64_t)cmd_pid(c);
		arg += len + (arg[len] != '\0');
	}
	return 0;
}

static bool is_listed(const struct top_opts *o, const struct cmd_proc *p)
{
	for (int i = 0; i < o->nlisted; i++)
		if (o->pid[i] == (uint64_t)p->pid)
			return true;
	return o->nlisted == 0;
}

static bool is_of_user(const struct top_opts *o, const struct cmd_proc *p)
{
	bool yes = p->uid == o->uid;

	if (o->real_user != NULL)
		yes |= p->real_uid == o->uid || p->saved_uid == o->uid;
	return (o->user == NULL && o->real_user == NULL) || yes != o->not_uid;
}

/* --- lines --- */

/* Text may not go beyond the width. */
static void put_cut(struct cmd *c, struct buf *text)
{
	const struct top_opts *o = c->opts;

	cmd_write(c, text->ptr, text->len < o->columns ? text->len : (size_t)o->columns);
	cmd_putc(c, '\n');
	text->len = 0;
}

static void put_tasks(struct cmd *c, const struct cmd_proc *list, size_t n)
{
	const struct top_opts *o = c->opts;
	struct buf text = buf_in(c->arena);
	int running = 0;
	int stopped = 0;
	int zombies = 0;

	for (size_t i = 0; i < n; i++) {
		running += list[i].state == 'R';
		stopped += list[i].state == 'T';
		zombies += list[i].state == 'Z';
	}
	buf_printf(&text, "%s: %3d total, %3d running, %3d sleeping, %3d stopped, %3d zombie",
		   o->threads ? "Threads" : "Tasks", (int)n, running,
		   (int)n - running - stopped - zombies, stopped, zombies);
	put_cut(c, &text);
}

static const char units[] = "kmgtpe";

static void put_right(struct buf *out, int width, struct buf *text)
{
	for (size_t n = text->len; n < (size_t)width; n++)
		buf_putc(out, ' ');
	buf_add(out, buf_bytes(text));
}

/* Bytes in a unit with one decimal, rounded. */
static void put_tenths(struct buf *out, int width, uint64_t bytes, int unit)
{
	struct buf number = buf_in(out->arena);
	uint64_t whole = (uint64_t)1 << (10 * (unit + 1));
	uint64_t tenths = unit >= 5 ? 0 : (bytes * 10 + whole / 2) / whole;

	buf_printf(&number, "%llu.%d", (unsigned long long)(tenths / 10), (int)(tenths % 10));
	put_right(out, width, &number);
}

static void put_sum(struct buf *out, uint64_t bytes, int unit, const char *name)
{
	if (unit == 0)
		buf_printf(out, "%9llu", (unsigned long long)(bytes / 1024));
	else
		put_tenths(out, 9, bytes, unit);
	buf_printf(out, " %s", name);
}

static void put_memory(struct cmd *c)
{
	const struct top_opts *o = c->opts;
	int unit = (int)(strchr(units, o->scale[0]) - units);
	struct buf text = buf_in(c->arena);
	struct cmd_usage_totals t;

	cmd_totals(c, &t);
	uint64_t rest = t.memory_total > t.memory_used ? t.memory_total - t.memory_used : 0;

	buf_puts(&text, o->each_cpu ? "%Cpu0  :" : "%Cpu(s):");
	buf_puts(&text, "  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st ");
	put_cut(c, &text);
	buf_printf(&text, "%ciB Mem :", "KMGTPE"[unit]);
	put_sum(&text, t.memory_total, unit, "total,");
	put_sum(&text, rest, unit, "free,");
	put_sum(&text, t.memory_used, unit, "used,");
	put_sum(&text, 0, unit, "buff/cache     ");
	if (o->each_cpu)
		buf_puts(&text, "  ");
	else
		put_cut(c, &text);
	buf_printf(&text, "%ciB Swap:", "KMGTPE"[unit]);
	put_sum(&text, 0, unit, "total,");
	put_sum(&text, 0, unit, "free,");
	put_sum(&text, 0, unit, "used.");
	put_sum(&text, rest, unit, "avail Mem ");
	put_cut(c, &text);
	cmd_putc(c, '\n');
}

/* Columns end where the first does not fit with a blank behind it. */
static void end_columns(struct cmd *c, struct buf *text, const char *command)
{
	static const size_t ends[] = { 8, 17, 21, 25, 33, 40, 47, 49, 55, 61, 71, 78 };
	const struct top_opts *o = c->opts;
	size_t room = o->columns > 72 ? (size_t)o->columns - 72 : 0;
	size_t len = strlen(command);
	size_t n = sizeof(ends) / sizeof(ends[0]);

	while (n > 0 && ends[n - 1] > o->columns)
		n--;
	if (n == sizeof(ends) / sizeof(ends[0]) && len > room)
		buf_printf(text, " %.*s+", (int)room - 1, command);
	else if (n == sizeof(ends) / sizeof(ends[0]))
		buf_printf(text, " %s", command);
	else
		text->len = n > 0 ? ends[n - 1] - 1 : 0;
	cmd_bytes(c, buf_bytes(text));
	cmd_putc(c, '\n');
}

/* In the unit that is wanted, or the first behind it that is not too wide. */
static void put_size(struct buf *out, int width, uint64_t bytes, char wanted)
{
	struct buf number = buf_in(out->arena);

	for (int unit = (int)(strchr(units, wanted) - units); unit < 5; unit++) {
		number.len = 0;
		if (unit == 0) {
			buf_printf(&number, "%llu", (unsigned long long)(bytes / 1024));
		} else {
			put_tenths(&number, 0, bytes, unit);
			buf_putc(&number, units[unit]);
		}
		if (number.len <= (size_t)width)
			break;
	}
	put_right(out, width + 1, &number);
}

static const char *command_of(struct cmd *c, const struct ps_view *v, const struct cmd_proc *p)
{
	struct buf text = buf_in(c->arena);

	ps_put_value(v, ps_column_find(BYTES("args")), p, &text);
	return buf_cstr(&text);
}

static void put_process(const struct ps_view *v, const struct cmd_proc *p)
{
	struct cmd *c = v->c;
	const struct top_opts *o = c->opts;
	struct arena_mark mark = arena_mark(c->arena);
	struct buf user = buf_in(c->arena);
	struct buf cpu = buf_in(c->arena);
	struct buf memory = buf_in(c->arena);
	struct buf line = buf_in(c->arena);
	int64_t hundredths = (p->cpu_ns + (o->cumulative ? p->child_cpu_ns : 0)) / 10000000;

	ps_put_value(v, ps_column_find(BYTES("user")), p, &user);
	ps_put_value(v, ps_column_find(BYTES("%cpu")), p, &cpu);
	ps_put_value(v, ps_column_find(BYTES("%mem")), p, &memory);
	if (user.len > 8)
		user.ptr[7] = '+';
	buf_printf(&line, "%7d %-8.8s  %2d %3d", p->pid, buf_cstr(&user), 20 + p->nice, p->nice);
	put_size(&line, 7, p->size, o->tasks_scale[0]);
	put_size(&line, 6, p->memory, o->tasks_scale[0]);
	put_size(&line, 6, p->shared, o->tasks_scale[0]);
	buf_printf(&line, " %c %5s %5s %3lld:%02d.%02d", p->state, buf_cstr(&cpu),
		   buf_cstr(&memory), (long long)(hundredths / 6000), (int)(hundredths / 100 % 60),
		   (int)(hundredths % 100));
	end_columns(c, &line, command_of(c, v, p));
	arena_release(c->arena, mark);
}

/* --- order --- */

static const struct {
	const char *name;
	enum ps_kind kind;
} fields[] = {
	{ "PID", PS_PID },           { "PPID", PS_PPID },      { "UID", PS_UID },
	{ "USER", PS_USER },         { "RUID", PS_RUID },      { "RUSER", PS_RUSER },
	{ "SUID", PS_SUID },         { "SUSER", PS_SUSER },    { "GID", PS_GID },
	{ "GROUP", PS_GROUP },       { "PGRP", PS_PGID },      { "TTY", PS_TTY },
	{ "TPGID", PS_MINUS_ONE },   { "SID", PS_SID },        { "PR", PS_PRIORITY },
	{ "NI", PS_NICE },           { "nTH", PS_ONE },        { "P", PS_ZERO },
	{ "%CPU", PS_CPU_MILLE },    { "TIME", PS_TICKS },     { "TIME+", PS_TICKS },
	{ "%MEM", PS_MEM_PERCENT },  { "VIRT", PS_VSZ },       { "SWAP", PS_ZERO },
	{ "RES", PS_RSS },           { "CODE", PS_ZERO },      { "DATA", PS_DATA },
	{ "SHR", PS_ZERO },          { "nMaj", PS_ZERO },      { "nMin", PS_ZERO },
	{ "nDRT", PS_ZERO },         { "S", PS_STATE },        { "COMMAND", PS_ARGS },
	{ "WCHAN", PS_DASH },        { "Flags", PS_ZERO },     { "CGROUPS", PS_DASH },
	{ "SUPGIDS", PS_GIDS },      { "SUPGRPS", PS_GROUPS }, { "TGID", PS_PID },
	{ "OOMa", PS_ZERO },         { "OOMs", PS_ZERO },      { "ENVIRON", PS_DASH },
	{ "vMj", PS_ZERO },          { "vMn", PS_ZERO },       { "USED", PS_RSS },
	{ "nsIPC", PS_DASH },        { "nsMNT", PS_DASH },     { "nsNET", PS_DASH },
	{ "nsPID", PS_DASH },        { "nsUSER", PS_DASH },    { "nsUTS", PS_DASH },
	{ "LXC", PS_DASH },          { "RSan", PS_ZERO },      { "RSfd", PS_ZERO },
	{ "RSlk", PS_ZERO },         { "RSsh", PS_ZERO },      { "CGNAME", PS_DASH },
	{ "NU", PS_ZERO },           { "LOGID", PS_DASH },     { "EXE", PS_EXE },
	{ "RSS", PS_ZERO },          { "PSS", PS_ZERO },       { "PSan", PS_ZERO },
	{ "PSfd", PS_ZERO },         { "PSsh", PS_ZERO },      { "USS", PS_ZERO },
	{ "ioR", PS_ZERO },          { "ioRop", PS_ZERO },     { "ioW", PS_ZERO },
	{ "ioWop", PS_ZERO },        { "AGID", PS_ZERO },      { "AGNI", PS_ZERO },
	{ "STARTED", PS_LSTART },    { "ELAPSED", PS_ETIME },  { "%CUU", PS_CPU_FINE },
	{ "%CUC", PS_CPU_FINE_SUM }, { "nsCGROUP", PS_DASH },  { "nsTIME", PS_DASH },
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

/* Largest first, but behind a minus. */
static bool order_of(const char *name, struct ps_key *key)
{
	bool sign = *name == '+' || *name == '-';

	for (size_t i = 0; i < FIELDS; i++) {
		if (strcmp(name + sign, fields[i].name) != 0)
			continue;
		*key = (struct ps_key){ fields[i].kind, *name != '-' };
		return true;
	}
	return false;
}

static bool is_idle(const struct ps_view *v, const struct cmd_proc *p)
{
	struct buf text = buf_in(v->c->arena);

	ps_put_value(v, ps_column_find(BYTES("%cpu")), p, &text);
	return strcmp(buf_cstr(&text), "0.0") == 0;
}

/* --- frames --- */

static void put_frame(struct ps_view *v, const struct ps_key *key)
{
	struct cmd *c = v->c;
	const struct top_opts *o = c->opts;
	struct buf text = buf_in(c->arena);
	struct cmd_proc *list;
	size_t all = cmd_procs(c, &list);
	size_t n = 0;

	for (size_t i = 0; i < all; i++)
		if (is_listed(o, &list[i]))
			list[n++] = list[i];
	v->now_ns = cmd_now(c);
	ps_sort(v, key, 1, list, n);
	buf_puts(&text, "top -");
	uptime_line(c, &text);
	put_cut(c, &text);
	put_tasks(c, list, n);
	put_memory(c);
	buf_puts(&text, "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+");
	end_columns(c, &text, "COMMAND");
	for (size_t i = 0; i < n; i++) {
		cmd_charge(c, 2);
		if (is_of_user(o, &list[i]) && !(o->idle && is_idle(v, &list[i])))
			put_process(v, &list[i]);
	}
}

/* --- options --- */

static int find_user(struct cmd *c)
{
	struct top_opts *o = c->opts;
	const char *name = o->user != NULL ? o->user : o->real_user;
	uint32_t gid;
	uint64_t id;

	if (name == NULL)
		return 0;
	if ((o->user != NULL && o->real_user != NULL) || o->nlisted > 0)
		return fail(c, "conflicting process selections (U/p/u)%s", "");
	o->not_uid = *name == '!';
	name += o->not_uid;
	if (num_plain(name, &id) && id <= UINT32_MAX)
		o->uid = (uint32_t)id;
	else if (!cmd_user_id(c, name, &o->uid, &gid))
		return fail(c, "Invalid user%s", "");
	return 0;
}

/* -w N, the terminal's or COLUMNS; nothing says: 80, but for -w. */
static int find_width(struct cmd *c)
{
	struct top_opts *o = c->opts;
	const char *columns = cmd_getenv(c, "COLUMNS");

	o->columns = o->wide ? WIDTH_MAX : WIDTH_USUAL;
	if (o->width != NULL &&
	    (!num_plain(o->width, &o->columns) || o->columns < WIDTH_MIN || o->columns > WIDTH_MAX))
		return fail(c, "bad width arg '%s'", o->width);
	if (o->width != NULL)
		return 0;
	if (columns == NULL || !num_plain(columns, &o->columns) || o->columns == 0)
		o->columns = cmd_terminal_columns(c, 1);
	if (o->columns == 0)
		o->columns = o->wide ? WIDTH_MAX : WIDTH_USUAL;
	if (o->columns > WIDTH_MAX)
		o->columns = WIDTH_MAX;
	return 0;
}

static bool is_unit(const char *text, const char *of)
{
	return text[0] != '\0' && text[1] == '\0' && strchr(of, text[0]) != NULL;
}

/* Seconds with a point or a comma. */
static int find_delay(struct cmd *c, int64_t *delay)
{
	const struct top_opts *o = c->opts;
	char *text = arena_dup(c->arena, bytes_of(o->delay));
	char *comma = strchr(text, ',');

	if (comma != NULL)
		*comma = '.';
	if (!num_parse_span(text + (text[0] == '-'), delay))
		return fail(c, "bad delay interval '%s'", o->delay);
	return text[0] == '-' ? fail(c, "-d requires positive argument%s", "") : 0;
}

/* Empty arguments are none. */
static bool is_missing(struct cmd *c)
{
	const struct top_opts *o = c->opts;
	const struct {
		const char *letter;
		const char *arg;
	} args[] = {
		{ "n", o->count }, { "d", o->delay },       { "o", o->order },
		{ "u", o->user },  { "U", o->real_user },   { "w", o->width },
		{ "E", o->scale }, { "e", o->tasks_scale },
	};

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		if (args[i].arg != NULL && args[i].arg[0] == '\0')
			return fail(c, "-%s argument missing", args[i].letter) != 0;
	return false;
}

static int check(struct cmd *c, struct ps_key *key, uint64_t *count, int64_t *delay)
{
	const struct top_opts *o = c->opts;

	if (is_missing(c))
		return 1;
	if (c->nargs > 0)
		return fail(c, "unknown option '%s'", c->args[0]);
	if (o->count != NULL && (!num_plain(o->count, count) || *count == 0))
		return fail(c, "bad iterations argument '%s'", o->count);
	if (find_delay(c, delay) != 0)
		return 1;
	if (!order_of(o->order, key))
		return fail(c, "unrecognized field name '%s'",
			    o->order + (o->order[0] == '-' || o->order[0] == '+'));
	if (!is_unit(o->scale, units))
		return fail(c, "bad memory scaling arg '%s'", o->scale);
	if (!is_unit(o->tasks_scale, "kmgtp"))
		return fail(c, "bad memory scaling arg '%s'", o->tasks_scale);
	if (find_user(c) != 0 || find_width(c) != 0)
		return 1;
	return o->batch ? 0 : fail(c, "failed tty get%s", "");
}

static int top_run(struct cmd *c)
{
	const struct top_opts *o = c->opts;
	struct ps_view v = { .c = c, .zone = zone_of_command(c), .command_short = !o->command };
	struct cmd_usage_totals totals;
	struct ps_key key;
	uint64_t count = UINT64_MAX;
	int64_t delay;

	if (o->fields) {
		for (size_t i = 0; i < FIELDS; i++)
			cmd_printf(c, "%s\n", fields[i].name);
		return 0;
	}
	if (check(c, &key, &count, &delay) != 0)
		return 1;
	cmd_totals(c, &totals);
	v.memory_total = totals.memory_total;
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0) {
			cmd_putc(c, '\n');
			cmd_flush(c);
			cmd_sleep(c, delay);
		}
		put_frame(&v, &key);
	}
	return 0;
}

const struct builtin builtin_top = {
	.name = "top",
	.usage = "-b [-n N] [OPTION]...",
	.summary = "Writes processes and what they use, as text.",
	.run = top_run,
	.opts = top_options,
	.opts_size = sizeof(struct top_opts),
	.legacy = take_width,
	.family = "procps-ng 4.0.2",
};
