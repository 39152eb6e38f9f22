/* SPDX-License-Identifier: MIT
 *
 * What the columns of ps say of a process, and the order that they give.
 */
#include "base/sort.h"
#include "builtins/ps/ps.h"

enum { NS = 1000000000, TICK_NS = 10000000 };

/* --- numbers behind columns --- */

static int64_t elapsed_ns(const struct ps_view *v, const struct cmd_proc *p)
{
	return v->now_ns > p->started_ns ? v->now_ns - p->started_ns : 0;
}

/* With that of children only in BSD's column and in shares. */
static int64_t cpu_ns(const struct ps_view *v, const struct cmd_proc *p)
{
	return v->cumulative ? p->cpu_ns + p->child_cpu_ns : p->cpu_ns;
}

/* Processor time in parts of the life. */
static int64_t cpu_share(const struct ps_view *v, const struct cmd_proc *p, int64_t ns, int parts)
{
	int64_t life = elapsed_ns(v, p) / parts;

	return life > 0 ? ns / life : 0;
}

static int64_t cpu_mille(const struct ps_view *v, const struct cmd_proc *p)
{
	int64_t mille = cpu_share(v, p, cpu_ns(v, p), 1000);

	return mille > 999 ? 999 : mille;
}

static int64_t id_of(enum ps_kind kind, const struct cmd_proc *p)
{
	switch (kind) {
	case PS_PID: return p->pid;
	case PS_PPID: return p->ppid;
	case PS_PGID: return p->pgid;
	case PS_SID: return p->sid;
	case PS_USER:
	case PS_UID: return p->uid;
	case PS_RUSER:
	case PS_RUID: return p->real_uid;
	case PS_SUSER:
	case PS_SUID: return p->saved_uid;
	case PS_GROUP:
	case PS_GID: return p->gid;
	case PS_RGROUP:
	case PS_RGID: return p->real_gid;
	case PS_SGROUP:
	case PS_SGID: return p->saved_gid;
	default: return 0;
	}
}

static int64_t priority_of(enum ps_kind kind, const struct cmd_proc *p)
{
	switch (kind) {
	case PS_NICE: return p->nice;
	case PS_PRI: return 19 - p->nice;
	case PS_PRIORITY: return 20 + p->nice;
	case PS_PRI_BSD: return 80 + p->nice;
	case PS_PRI_API: return -21 - p->nice;
	case PS_PRI_BAR: return 21 + p->nice;
	default: return 120 + p->nice;
	}
}

static int64_t number_of(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *p)
{
	switch (kind) {
	case PS_NICE:
	case PS_PRI:
	case PS_PRIORITY:
	case PS_PRI_BSD:
	case PS_PRI_API:
	case PS_PRI_BAR:
	case PS_PRI_BAZ: return priority_of(kind, p);
	case PS_CPU_PERCENT:
	case PS_CPU_MILLE: return cpu_mille(v, p);
	case PS_CPU_WHOLE: return cpu_mille(v, p) / 10;
	case PS_CPU_FINE: return cpu_share(v, p, p->cpu_ns, 100000);
	case PS_CPU_FINE_SUM: return cpu_share(v, p, p->cpu_ns + p->child_cpu_ns, 100000);
	case PS_MEM_PERCENT: return (int64_t)(p->memory / (v->memory_total / 1000 + 1));
	case PS_RSS: return (int64_t)(p->memory / 1024);
	case PS_SZ: return (int64_t)(p->size / 4096);
	case PS_VSZ: return (int64_t)(p->size / 1024);
	case PS_VSZ_BYTES: return (int64_t)p->size;
	case PS_DATA: return (int64_t)(p->data / 1024);
	case PS_BSDTIME: return cpu_ns(v, p) / NS;
	case PS_TIME:
	case PS_TIMES: return p->cpu_ns / NS;
	case PS_TICKS: return p->cpu_ns / TICK_NS;
	case PS_TIME_SUM: return p->child_cpu_ns / NS;
	case PS_ETIME:
	case PS_ETIMES: return elapsed_ns(v, p) / NS;
	case PS_STIME:
	case PS_START:
	case PS_BSDSTART:
	case PS_LSTART: return p->started_ns / TICK_NS;
	case PS_ONE: return 1;
	case PS_MINUS_ONE: return -1;
	default: return id_of(kind, p);
	}
}

static uint64_t mask_of(enum ps_kind kind, const struct cmd_proc *p)
{
	switch (kind) {
	case PS_PENDING: return p->pending;
	case PS_BLOCKED: return p->blocked;
	case PS_IGNORED: return p->ignored;
	case PS_CAUGHT: return p->caught;
	default: return 0;
	}
}

/* --- texts --- */

static void put_name(const struct ps_view *v, struct buf *out, int64_t id, bool group)
{
	const char *name = NULL;

	if (!v->numeric)
		name = group ? cmd_group_name(v->c, (uint32_t)id)
			     : cmd_user_name(v->c, (uint32_t)id);
	if (name != NULL)
		buf_puts(out, name);
	else
		buf_printf(out, "%u", (unsigned)id);
}

static void put_groups(const struct ps_view *v, const struct cmd_proc *p, bool names,
		       struct buf *out)
{
	for (size_t i = 0; i < p->ngroups; i++) {
		const char *name = names ? cmd_group_name(v->c, p->groups[i]) : NULL;

		buf_puts(out, i == 0 ? "" : ",");
		if (name != NULL)
			buf_puts(out, name);
		else
			buf_printf(out, "%u", p->groups[i]);
	}
	if (p->ngroups == 0)
		buf_putc(out, '-');
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
	bool long_ago = elapsed_ns(v, p) / NS >= 86400;
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
		format = long_ago ? "  %b %d" : "%H:%M:%S";
	else if (kind == PS_BSDSTART)
		format = long_ago ? "%b %d" : " %H:%M";
	time_format(out, bytes_of(format), &then, p->started_ns / NS, TIME_LIBC);
}

/* A number of parts, 10 or 1000 of which are one. */
static void put_fraction(struct buf *out, int64_t n, int parts)
{
	buf_printf(out, parts == 10 ? "%lld.%lld" : "%lld.%03lld", (long long)(n / parts),
		   (long long)(n % parts));
}

static void put_hex(struct buf *out, uint64_t mask)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		buf_putc(out, "0123456789abcdef"[mask >> shift & 15]);
}

/* What is no printable text is told as a question mark, the ends of lines as blanks. */
static void put_printable(struct cmd *c, struct bytes text, struct buf *out)
{
	size_t at = 0;

	while (at < text.len) {
		uint32_t ch = (unsigned char)text.ptr[at];
		size_t len = c->utf8 ? utf8_decode(text, at, &ch) : 1;
		bool good = len != 0 && (len > 1 ? utf8_width(ch) >= 0 : ch >= ' ' && ch < 127);

		if (good)
			buf_put(out, text.ptr + at, len);
		else
			buf_putc(out, ch == '\n' ? ' ' : '?');
		at += len != 0 ? len : 1;
	}
}

static void put_command(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *p,
			struct buf *out)
{
	struct bytes text = bytes_of(p->name);
	bool whole = kind == PS_ARGS && !v->command_short;

	if (kind == PS_FNAME)
		text = bytes_slice(text, 0, text.len < 8 ? text.len : 8);
	if (whole && p->state != 'Z')
		text = bytes_of(p->args);
	buf_puts(out, whole && p->state == 'Z' ? "[" : "");
	put_printable(v->c, text, out);
	buf_puts(out, whole && p->state == 'Z' ? "] <defunct>" : "");
	if (v->environment && kind != PS_FNAME) {
		struct bytes all = cmd_proc_environment(v->c, p->pid);

		buf_puts(out, all.len != 0 ? " " : "");
		put_printable(v->c, all, out);
	}
}

static void put_sample(const struct ps_view *v, const struct ps_column *col, struct buf *out)
{
	static const char *const of_left[] = { "3270/tty4", "ttySMX0", "iseries/vtty42", "pts/9999",
					       "tty7" };
	static const char *const of_left2[] = { "tty7", "3270/tty4", "ttySMX0", "pts/9999" };
	static const char *const of_right[] = { "9-23:59:59", "99-23:59:59", "999-23:59:59",
						"59:59" };
	static const char *const of_end[] = { "123456789-123456", "ps",
					      "[123456789-12345] <defunct>" };
	static const char *const of_end2[] = { "123456789-123456", "ps",
					       "[123456789-12345] <defunct>", "unlimited" };
	bool second = col->name[strlen(col->name) - 1] == '2';

	switch (col->name[1]) {
	case 'l': buf_puts(out, second ? of_left2[(v->row + 2) % 4] : of_left[v->row % 5]); break;
	case 'r': buf_puts(out, of_right[v->row % (second ? 3 : 4)]); break;
	default: buf_puts(out, second ? of_end2[(v->row + 1) % 4] : of_end[v->row % 3]); break;
	}
}

/* False: the column shows a number. */
static bool put_text(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *p,
		     struct buf *out)
{
	switch (kind) {
	case PS_USER:
	case PS_RUSER:
	case PS_SUSER: put_name(v, out, id_of(kind, p), false); return true;
	case PS_GROUP:
	case PS_RGROUP:
	case PS_SGROUP: put_name(v, out, id_of(kind, p), true); return true;
	case PS_COMM:
	case PS_FNAME:
	case PS_ARGS: put_command(v, kind, p, out); return true;
	case PS_EXE: buf_puts(out, p->path[0] != '\0' ? p->path : "-"); return true;
	case PS_STATE: buf_putc(out, p->state); return true;
	case PS_STAT: put_stat(p, out); return true;
	case PS_GIDS: put_groups(v, p, false, out); return true;
	case PS_GROUPS: put_groups(v, p, true, out); return true;
	case PS_TTY: buf_putc(out, '?'); return true;
	case PS_DASH: buf_putc(out, '-'); return true;
	case PS_CLASS: buf_puts(out, "TS"); return true;
	case PS_LIMIT: buf_puts(out, "xx"); return true;
	case PS_SLICE: buf_puts(out, "-.slice"); return true;
	default: return false;
	}
}

void ps_put_value(const struct ps_view *v, const struct ps_column *col, const struct cmd_proc *p,
		  struct buf *out)
{
	enum ps_kind kind = col->kind;
	int64_t n = number_of(v, kind, p);

	if (put_text(v, kind, p, out))
		return;
	switch (kind) {
	case PS_CPU_PERCENT:
	case PS_MEM_PERCENT: put_fraction(out, n, 10); break;
	case PS_CPU_FINE:
	case PS_CPU_FINE_SUM: put_fraction(out, n, 1000); break;
	case PS_TIME: put_span(out, n, false); break;
	case PS_BSDTIME: buf_printf(out, "%lld:%02d", (long long)(n / 60), (int)(n % 60)); break;
	case PS_ETIME: put_span(out, n, true); break;
	case PS_STIME:
	case PS_START:
	case PS_BSDSTART:
	case PS_LSTART: put_start(v, kind, p, out); break;
	case PS_PROCESSOR: buf_putc(out, p->state == 'R' ? '0' : '*'); break;
	case PS_ADDRESS:
	case PS_PENDING:
	case PS_BLOCKED:
	case PS_IGNORED:
	case PS_CAUGHT: put_hex(out, mask_of(kind, p)); break;
	case PS_SAMPLE: put_sample(v, col, out); break;
	default: buf_put_i64(out, n); break;
	}
}

/* --- order --- */

static int compare(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *a,
		   const struct cmd_proc *b)
{
	struct arena_mark mark = arena_mark(v->c->arena);
	struct buf left = buf_in(v->c->arena);
	struct buf right = buf_in(v->c->arena);
	int64_t x = number_of(v, kind, a);
	int64_t y = number_of(v, kind, b);
	int order = x < y ? -1 : x > y;

	if (put_text(v, kind, a, &left) && put_text(v, kind, b, &right)) {
		order = strcmp(buf_cstr(&left), buf_cstr(&right));
		cmd_charge_bytes(v->c, left.len + right.len);
	} else if (mask_of(kind, a) != mask_of(kind, b)) {
		order = mask_of(kind, a) < mask_of(kind, b) ? -1 : 1;
	}
	arena_release(v->c->arena, mark);
	return order;
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
		int order = compare(s->v, s->keys[i].kind, a, b);

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
