/* SPDX-License-Identifier: MIT
 *
 * The columns of ps: their names and widths as procps has them, and what they show.
 *
 * What a virtual process has not (threads, terminals, pages of memory) shows as procps shows
 * it for a process without.
 */
#include "base/sort.h"
#include "builtins/ps/ps.h"

static const struct ps_column columns[] = {
	{ "%cpu", "%CPU", 4, true, PS_CPU_PERCENT },
	{ "%mem", "%MEM", 4, true, PS_MEM_PERCENT },
	{ "addr", "ADDR", 4, false, PS_DASH },
	{ "addr_1", "ADDR", 1, false, PS_DASH },
	{ "args", "COMMAND", 27, false, PS_ARGS },
	{ "blocked", "BLOCKED", 16, true, PS_BLOCKED },
	{ "bsdstart", "START", 6, true, PS_STIME },
	{ "bsdtime", "TIME", 6, true, PS_BSDTIME },
	{ "c", "C", 2, true, PS_CPU_WHOLE },
	{ "caught", "CAUGHT", 16, true, PS_CAUGHT },
	{ "class", "CLS", 3, false, PS_CLASS },
	{ "cls", "CLS", 3, true, PS_CLASS },
	{ "cmd", "CMD", 27, false, PS_ARGS },
	{ "comm", "COMMAND", 15, false, PS_COMM },
	{ "command", "COMMAND", 27, false, PS_ARGS },
	{ "cp", "CP", 3, true, PS_CPU_MILLE },
	{ "cputime", "TIME", 8, true, PS_TIME },
	{ "cputimes", "TIME", 8, true, PS_TIMES },
	{ "drs", "DRS", 5, true, PS_RSS },
	{ "egid", "EGID", 5, true, PS_GID },
	{ "egroup", "EGROUP", 8, false, PS_GROUP },
	{ "etime", "ELAPSED", 11, true, PS_ETIME },
	{ "etimes", "ELAPSED", 7, true, PS_ETIMES },
	{ "euid", "EUID", 5, true, PS_UID },
	{ "euser", "EUSER", 8, false, PS_USER },
	{ "exe", "EXE", 27, false, PS_EXE },
	{ "f", "F", 1, true, PS_ZERO },
	{ "fgid", "FGID", 5, true, PS_GID },
	{ "fgroup", "FGROUP", 8, false, PS_GROUP },
	{ "flag", "F", 1, true, PS_ZERO },
	{ "flags", "F", 1, true, PS_ZERO },
	{ "fname", "COMMAND", 8, false, PS_COMM },
	{ "fuid", "FUID", 5, true, PS_UID },
	{ "fuser", "FUSER", 8, false, PS_USER },
	{ "gid", "GID", 5, true, PS_GID },
	{ "group", "GROUP", 8, false, PS_GROUP },
	{ "ignored", "IGNORED", 16, true, PS_IGNORED },
	{ "label", "LABEL", 31, false, PS_DASH },
	{ "lstart", "STARTED", 24, true, PS_LSTART },
	{ "lwp", "LWP", 7, true, PS_PID },
	{ "maj_flt", "MAJFL", 6, true, PS_ZERO },
	{ "majfl", "MAJFL", 6, true, PS_ZERO },
	{ "majflt", "MAJFLT", 6, true, PS_ZERO },
	{ "min_flt", "MINFL", 6, true, PS_ZERO },
	{ "minfl", "MINFL", 6, true, PS_ZERO },
	{ "minflt", "MINFLT", 6, true, PS_ZERO },
	{ "ni", "NI", 3, true, PS_NICE },
	{ "nice", "NI", 3, true, PS_NICE },
	{ "nlwp", "NLWP", 4, true, PS_ONE },
	{ "opri", "PRI", 3, true, PS_PRI_BSD },
	{ "pcpu", "%CPU", 4, true, PS_CPU_PERCENT },
	{ "pending", "PENDING", 16, true, PS_PENDING },
	{ "pgid", "PGID", 7, true, PS_PGID },
	{ "pgrp", "PGRP", 7, true, PS_PGID },
	{ "pid", "PID", 7, true, PS_PID },
	{ "pmem", "%MEM", 4, true, PS_MEM_PERCENT },
	{ "policy", "POL", 3, false, PS_CLASS },
	{ "ppid", "PPID", 7, true, PS_PPID },
	{ "pri", "PRI", 3, true, PS_PRI },
	{ "priority", "PRI", 3, true, PS_PRIORITY },
	{ "psr", "PSR", 3, true, PS_ZERO },
	{ "rgid", "RGID", 5, true, PS_GID },
	{ "rgroup", "RGROUP", 8, false, PS_GROUP },
	{ "rss", "RSS", 5, true, PS_RSS },
	{ "rssize", "RSS", 5, true, PS_RSS },
	{ "rsz", "RSZ", 5, true, PS_RSS },
	{ "rtprio", "RTPRIO", 6, true, PS_DASH },
	{ "ruid", "RUID", 5, true, PS_UID },
	{ "ruser", "RUSER", 8, false, PS_USER },
	{ "s", "S", 1, false, PS_STATE },
	{ "sess", "SESS", 7, true, PS_SID },
	{ "session", "SESS", 7, true, PS_SID },
	{ "sgi_p", "P", 1, true, PS_ZERO },
	{ "sid", "SID", 7, true, PS_SID },
	{ "sig_block", "BLOCKED", 16, true, PS_BLOCKED },
	{ "sig_catch", "CATCHED", 16, true, PS_CAUGHT },
	{ "sig_ignore", "IGNORED", 16, true, PS_IGNORED },
	{ "sig_pend", "SIGNAL", 16, true, PS_PENDING },
	{ "size", "SIZE", 5, true, PS_RSS },
	{ "spid", "SPID", 7, true, PS_PID },
	{ "start", "STARTED", 8, true, PS_START },
	{ "start_time", "START", 5, false, PS_STIME },
	{ "stat", "STAT", 4, false, PS_STAT },
	{ "state", "S", 1, false, PS_STATE },
	{ "stime", "STIME", 5, false, PS_STIME },
	{ "suid", "SUID", 5, true, PS_UID },
	{ "suser", "SUSER", 8, false, PS_USER },
	{ "svuid", "SVUID", 5, true, PS_UID },
	{ "sz", "SZ", 5, true, PS_SZ },
	{ "sz_1", "SZ", 5, true, PS_SZ },
	{ "tgid", "TGID", 7, true, PS_PID },
	{ "thcount", "THCNT", 5, true, PS_ONE },
	{ "tid", "TID", 7, true, PS_PID },
	{ "time", "TIME", 8, true, PS_TIME },
	{ "times", "TIME", 8, true, PS_TIMES },
	{ "tname", "TTY", 8, false, PS_TTY },
	{ "tpgid", "TPGID", 7, true, PS_MINUS_ONE },
	{ "trs", "TRS", 5, true, PS_ZERO },
	{ "tt", "TT", 8, false, PS_TTY },
	{ "tty", "TT", 8, false, PS_TTY },
	{ "ucmd", "CMD", 15, false, PS_COMM },
	{ "ucomm", "COMMAND", 15, false, PS_COMM },
	{ "uid", "UID", 5, true, PS_UID },
	{ "uname", "USER", 8, false, PS_USER },
	{ "user", "USER", 8, false, PS_USER },
	{ "vsize", "VSZ", 6, true, PS_RSS },
	{ "vsz", "VSZ", 6, true, PS_RSS },
	{ "wchan", "WCHAN", 6, false, PS_DASH },
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), NS = 1000000000 };

const struct ps_column *ps_column_find(struct bytes name)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (bytes_is(name, columns[i].name))
			return &columns[i];
	return NULL;
}

void ps_put_columns(struct cmd *c)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (strchr(columns[i].name, '_') == NULL)
			cmd_printf(c, "%-12s %s\n", columns[i].name, columns[i].header);
}

/* --- numbers behind columns --- */

static int64_t elapsed_ns(const struct ps_view *v, const struct cmd_proc *p)
{
	return v->now_ns > p->started_ns ? v->now_ns - p->started_ns : 0;
}

/* Processor time in thousandths of the life. */
static int64_t cpu_mille(const struct ps_view *v, const struct cmd_proc *p)
{
	int64_t life = elapsed_ns(v, p) / 1000;
	int64_t mille = life > 0 ? p->cpu_ns / life : 0;

	return mille > 999 ? 999 : mille;
}

static int64_t number_of(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *p)
{
	switch (kind) {
	case PS_PID: return p->pid;
	case PS_PPID: return p->ppid;
	case PS_PGID: return p->pgid;
	case PS_SID: return p->sid;
	case PS_UID: return p->uid;
	case PS_GID: return p->gid;
	case PS_NICE: return p->nice;
	case PS_PRI: return 19 - p->nice;
	case PS_PRIORITY: return 20 + p->nice;
	case PS_PRI_BSD: return 80 + p->nice;
	case PS_CPU_PERCENT:
	case PS_CPU_MILLE: return cpu_mille(v, p);
	case PS_CPU_WHOLE: return cpu_mille(v, p) / 10 > 99 ? 99 : cpu_mille(v, p) / 10;
	case PS_MEM_PERCENT: return (int64_t)(p->memory / (v->memory_total / 1000 + 1));
	case PS_RSS: return (int64_t)(p->memory / 1024);
	case PS_SZ: return (int64_t)(p->memory / 4096);
	case PS_TIME:
	case PS_BSDTIME:
	case PS_TIMES: return p->cpu_ns / NS;
	case PS_ETIME:
	case PS_ETIMES: return elapsed_ns(v, p) / NS;
	case PS_STIME:
	case PS_START:
	case PS_LSTART: return p->started_ns;
	case PS_ONE: return 1;
	case PS_MINUS_ONE: return -1;
	default: return 0;
	}
}

static uint64_t mask_of(enum ps_kind kind, const struct cmd_proc *p)
{
	switch (kind) {
	case PS_PENDING: return p->pending;
	case PS_BLOCKED: return p->blocked;
	case PS_IGNORED: return p->ignored;
	default: return p->caught;
	}
}

/* --- texts --- */

static void put_user(struct cmd *c, struct buf *out, uint32_t id, bool group)
{
	const char *name = group ? cmd_group_name(c, id) : cmd_user_name(c, id);

	if (name != NULL)
		buf_puts(out, name);
	else
		buf_printf(out, "%u", id);
}

/* [DD-]HH:MM:SS; hours left out when they are 0 and `brief`. */
static void put_span(struct buf *out, int64_t s, bool brief)
{
	if (s >= 86400)
		buf_printf(out, "%lld-", (long long)(s / 86400));
	if (!brief || s >= 3600)
		buf_printf(out, "%02d:", (int)(s % 86400 / 3600));
	buf_printf(out, "%02d:%02d", (int)(s % 3600 / 60), (int)(s % 60));
}

static void put_stat(const struct cmd_proc *p, struct buf *out)
{
	buf_putc(out, p->state);
	if (p->nice != 0)
		buf_putc(out, p->nice < 0 ? '<' : 'N');
	if (p->sid == p->pid)
		buf_putc(out, 's');
}

/* When it started: the time of today, the day of this year, or the year. */
static void put_start(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *p,
		      struct buf *out)
{
	struct civil then;
	struct civil now;
	const char *format = "%a %b %e %H:%M:%S %Y";

	time_civil(v->zone, p->started_ns / NS, &then);
	time_civil(v->zone, v->now_ns / NS, &now);
	if (kind == PS_STIME)
		format = now.year != then.year         ? "%Y"
			 : now.yearday != then.yearday ? "%b%d"
						       : "%H:%M";
	else if (kind == PS_START)
		format = elapsed_ns(v, p) / NS >= 86400 ? "  %b %d" : "%H:%M:%S";
	time_format(out, bytes_of(format), &then, p->started_ns / NS, TIME_LIBC);
}

static void put_tenths(struct buf *out, int64_t mille)
{
	buf_printf(out, "%lld.%lld", (long long)(mille / 10), (long long)(mille % 10));
}

static void put_hex(struct buf *out, uint64_t mask)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		buf_putc(out, "0123456789abcdef"[mask >> shift & 15]);
}

void ps_put_value(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *p,
		  struct buf *out)
{
	int64_t n = number_of(v, kind, p);

	switch (kind) {
	case PS_USER: put_user(v->c, out, p->uid, false); break;
	case PS_GROUP: put_user(v->c, out, p->gid, true); break;
	case PS_COMM: buf_puts(out, p->name); break;
	case PS_ARGS: buf_puts(out, v->command_short ? p->name : p->args); break;
	case PS_EXE: buf_puts(out, p->path[0] != '\0' ? p->path : "-"); break;
	case PS_STATE: buf_putc(out, p->state); break;
	case PS_STAT: put_stat(p, out); break;
	case PS_CPU_PERCENT:
	case PS_MEM_PERCENT: put_tenths(out, n); break;
	case PS_TIME: put_span(out, n, false); break;
	case PS_BSDTIME: buf_printf(out, "%lld:%02d", (long long)(n / 60), (int)(n % 60)); break;
	case PS_ETIME: put_span(out, n, true); break;
	case PS_STIME:
	case PS_START:
	case PS_LSTART: put_start(v, kind, p, out); break;
	case PS_TTY: buf_putc(out, '?'); break;
	case PS_DASH: buf_putc(out, '-'); break;
	case PS_CLASS: buf_puts(out, "TS"); break;
	case PS_PENDING:
	case PS_BLOCKED:
	case PS_IGNORED:
	case PS_CAUGHT: put_hex(out, mask_of(kind, p)); break;
	default: buf_put_i64(out, n); break;
	}
}

/* --- order --- */

static bool is_text(enum ps_kind kind)
{
	return kind == PS_USER || kind == PS_GROUP || kind == PS_COMM || kind == PS_ARGS ||
	       kind == PS_EXE || kind == PS_STATE || kind == PS_STAT;
}

int ps_compare(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *a,
	       const struct cmd_proc *b)
{
	int64_t x = number_of(v, kind, a);
	int64_t y = number_of(v, kind, b);

	if (is_text(kind)) {
		struct arena_mark mark = arena_mark(v->c->arena);
		struct buf left = buf_in(v->c->arena);
		struct buf right = buf_in(v->c->arena);

		ps_put_value(v, kind, a, &left);
		ps_put_value(v, kind, b, &right);
		int order = strcmp(buf_cstr(&left), buf_cstr(&right));

		arena_release(v->c->arena, mark);
		return order;
	}
	return x < y ? -1 : x > y;
}

struct sorting {
	const struct ps_view *v;
	const struct ps_key *keys;
	int nkeys;
};

static int compare_all(void *arg, const void *a, const void *b)
{
	const struct sorting *s = arg;

	cmd_charge(s->v->c, 1);
	for (int i = 0; i < s->nkeys; i++) {
		int order = ps_compare(s->v, s->keys[i].kind, a, b);

		if (order != 0)
			return s->keys[i].down ? -order : order;
	}
	return 0;
}

void ps_sort(const struct ps_view *v, const struct ps_key *keys, int nkeys, struct cmd_proc *list,
	     size_t n)
{
	struct sorting s = { v, keys, nkeys };

	sort_stable(list, n, sizeof *list, arena_array(v->c->arena, n, sizeof *list), compare_all,
		    &s);
}
