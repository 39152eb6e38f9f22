/* SPDX-License-Identifier: MIT
 *
 * top - processes and what they use: frames of text (-b). Without a terminal there is no other way.
 */
#include "builtins/ps/ps.h"
#include "builtins/uptime.h"

enum { NS = 1000000000 };

struct top_opts {
	bool batch;
	bool command;
	bool idle;
	bool threads;
	const char *count;
	const char *delay;
	const char *order;
	const char *user;
	const char *pids;
};

static const struct opt top_options[] = {
	OPT_FLAG('b', NULL, struct top_opts, batch, "frames of text, one after another"),
	OPT_STR('n', NULL, struct top_opts, count, NULL, "N", "so many frames"),
	OPT_STR('d', NULL, struct top_opts, delay, "3", "SECONDS", "time between frames"),
	OPT_STR('o', NULL, struct top_opts, order, "%CPU", "FIELD",
		"sort by %CPU, %MEM, TIME+, PID, USER or COMMAND; +FIELD or -FIELD"),
	OPT_STR('u', NULL, struct top_opts, user, NULL, "USER", "only processes of USER"),
	OPT_STR('U', NULL, struct top_opts, user, NULL, "USER", "the same"),
	OPT_STR('p', NULL, struct top_opts, pids, NULL, "PID,...", "only these processes"),
	OPT_FLAG('c', NULL, struct top_opts, command, "command lines instead of names"),
	OPT_FLAG('i', NULL, struct top_opts, idle, "only processes that run"),
	OPT_IGNORED_ARG('w', NULL, "N", "no effect: lines are as wide as they are"),
	OPT_IGNORED('s', NULL, "no effect"),
	OPT_IGNORED('S', NULL, "no effect"),
	OPT_IGNORED('1', NULL, "no effect: there is one processor"),
	OPT_FLAG('H', NULL, struct top_opts, threads, "threads: a process has one"),
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

static bool is_listed(const char *list, int pid)
{
	while (list != NULL && *list != '\0') {
		size_t len = strcspn(list, ",");
		uint64_t n = 0;

		for (size_t i = 0; i < len; i++)
			n = n < 100000000 ? n * 10 + (uint64_t)(list[i] - '0') : n;
		if (n == (uint64_t)pid)
			return true;
		list += len + (list[len] != '\0');
	}
	return list == NULL;
}

static void put_tasks(struct cmd *c, const struct cmd_proc *list, size_t n)
{
	int running = 0;
	int stopped = 0;

	for (size_t i = 0; i < n; i++) {
		running += list[i].state == 'R';
		stopped += list[i].state == 'T';
	}
	const struct top_opts *o = c->opts;

	cmd_printf(c, "%s: %3d total, %3d running, %3d sleeping, %3d stopped, %3d zombie\n",
		   o->threads ? "Threads" : "Tasks", (int)n, running, (int)n - running - stopped,
		   stopped, 0);
}

/* Tenths of a MiB. */
static void put_mib(struct cmd *c, uint64_t bytes, const char *text)
{
	uint64_t tenths = bytes / 104857;

	cmd_printf(c, "%7llu.%llu %s", (unsigned long long)(tenths / 10),
		   (unsigned long long)(tenths % 10), text);
}

static void put_memory(struct cmd *c)
{
	struct cmd_usage_totals t;

	cmd_totals(c, &t);
	uint64_t rest = t.memory_total > t.memory_used ? t.memory_total - t.memory_used : 0;

	cmd_puts(c, "%Cpu(s):  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  "
		    "0.0 st \nMiB Mem :");
	put_mib(c, t.memory_total, "total,");
	put_mib(c, rest, "free,");
	put_mib(c, t.memory_used, "used,");
	put_mib(c, 0, "buff/cache     \nMiB Swap:");
	put_mib(c, 0, "total,");
	put_mib(c, 0, "free,");
	put_mib(c, 0, "used.");
	put_mib(c, rest, "avail Mem \n\n");
}

static void put_process(const struct ps_view *v, const struct cmd_proc *p)
{
	struct cmd *c = v->c;
	struct arena_mark mark = arena_mark(c->arena);
	struct buf user = buf_in(c->arena);
	struct buf cpu = buf_in(c->arena);
	struct buf memory = buf_in(c->arena);
	int64_t hundredths = p->cpu_ns / 10000000;

	ps_put_value(v, ps_column_find(BYTES("user")), p, &user);
	ps_put_value(v, ps_column_find(BYTES("%cpu")), p, &cpu);
	ps_put_value(v, ps_column_find(BYTES("%mem")), p, &memory);
	cmd_printf(c, "%7d %-8.8s  %2d %3d %7llu %6llu %6d %c %5s %5s %3lld:%02d.%02d %s\n", p->pid,
		   buf_cstr(&user), 20 + p->nice, p->nice, (unsigned long long)(p->memory / 1024),
		   (unsigned long long)(p->memory / 1024), 0, p->state, buf_cstr(&cpu),
		   buf_cstr(&memory), (long long)(hundredths / 6000), (int)(hundredths / 100 % 60),
		   (int)(hundredths % 100), v->command_short ? p->name : p->args);
	arena_release(c->arena, mark);
}

static bool order_of(const char *name, struct ps_key *key)
{
	static const struct {
		const char *name;
		enum ps_kind kind;
		bool down;
	} fields[] = {
		{ "%CPU", PS_CPU_PERCENT, true }, { "%MEM", PS_MEM_PERCENT, true },
		{ "TIME+", PS_TIME, true },       { "TIME", PS_TIME, true },
		{ "PID", PS_PID, true },          { "USER", PS_USER, true },
		{ "COMMAND", PS_COMM, true },     { "RES", PS_RSS, true },
		{ "VIRT", PS_RSS, true },         { "S", PS_STATE, true },
		{ "NI", PS_NICE, true },          { "PR", PS_PRIORITY, true },
	};
	bool sign = *name == '+' || *name == '-';

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(name + sign, fields[i].name) != 0)
			continue;
		*key = (struct ps_key){ fields[i].kind, fields[i].down != (*name == '-') };
		return true;
	}
	return false;
}

static void put_frame(struct ps_view *v, const struct ps_key *key, bool by_user, uint32_t uid)
{
	struct cmd *c = v->c;
	const struct top_opts *o = c->opts;
	struct cmd_proc *list;
	size_t all = cmd_procs(c, &list);
	size_t n = 0;

	for (size_t i = 0; i < all; i++)
		if (is_listed(o->pids, list[i].pid) && (!by_user || list[i].uid == uid) &&
		    (!o->idle || list[i].state == 'R'))
			list[n++] = list[i];
	v->now_ns = cmd_now(c);
	ps_sort(v, key, 1, list, n);
	cmd_puts(c, "top -");
	uptime_put_line(c);
	cmd_putc(c, '\n');
	put_tasks(c, list, n);
	put_memory(c);
	cmd_puts(
		c,
		"    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n");
	for (size_t i = 0; i < n; i++) {
		put_process(v, &list[i]);
		cmd_charge(c, 2);
	}
}

static int top_run(struct cmd *c)
{
	const struct top_opts *o = c->opts;
	struct ps_view v = { .c = c, .zone = zone_of_command(c), .command_short = !o->command };
	struct cmd_usage_totals totals;
	struct ps_key key;
	uint64_t count = UINT64_MAX;
	int64_t delay;
	uint32_t uid = 0;
	uint32_t gid;

	if (c->nargs > 0)
		return fail(c, "unknown option '%s'", c->args[0]);
	if (o->count != NULL && (!num_plain(o->count, &count) || count == 0))
		return fail(c, "bad iterations argument '%s'", o->count);
	if (!num_parse_span(o->delay, &delay))
		return fail(c, "bad delay interval '%s'", o->delay);
	if (!order_of(o->order, &key))
		return fail(c, "unrecognized field name '%s'", o->order);
	if (o->user != NULL && !cmd_user_id(c, o->user, &uid, &gid))
		return fail(c, "invalid user '%s'", o->user);
	if (!o->batch)
		return fail(c, "failed tty get%s", "");
	cmd_totals(c, &totals);
	v.memory_total = totals.memory_total;
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0) {
			cmd_putc(c, '\n');
			cmd_flush(c);
			cmd_sleep(c, delay);
		}
		put_frame(&v, &key, o->user != NULL, uid);
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
	.family = "procps-ng 4.0.2",
};
