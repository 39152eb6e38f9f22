/* SPDX-License-Identifier: MIT
 *
 * free - memory of the session, against its limit. There is no swap and no cache.
 */
#include "builtins/builtin.h"

struct free_opts {
	int unit; /* power of the base; 0: bytes */
	bool unit_given;
	bool human;
	bool si;
	bool low;
	bool total;
	bool wide;
	bool committed;
	bool repeats;
	int64_t ns;
	uint64_t count;
};

static int set_unit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct free_opts *o = c->opts;

	(void)arg;
	if (o->unit_given)
		return cmd_error(c, 0, "Multiple unit options don't make sense.");
	o->unit_given = true;
	o->unit = opt->value & 15;
	o->si |= (opt->value & 16) != 0;
	return 0;
}

static int set_seconds(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct free_opts *o = c->opts;

	(void)opt;
	if (!num_parse_span(arg + (arg[0] == '-'), &o->ns))
		return cmd_error(c, -E_INVAL, "seconds argument failed: '%s'", arg);
	if (o->ns <= 0 || arg[0] == '-')
		return cmd_error(c, 0, "seconds argument `%s' is not positive number", arg);
	if (!o->repeats)
		o->count = UINT64_MAX;
	o->repeats = true;
	return 0;
}

static int set_count(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct free_opts *o = c->opts;

	(void)opt;
	if (num_plain(arg + (arg[0] == '-'), &o->count) &&
	    (o->count == 0 || o->count > INT32_MAX || arg[0] == '-'))
		return cmd_error(c, -E_RANGE, "failed to parse count argument: '%s'", arg);
	if (!num_plain(arg, &o->count))
		return cmd_error(c, 0, "failed to parse count argument: '%s'", arg);
	o->repeats = true;
	return 0;
}

#define UNIT(s, l, v, text)                                                                        \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = set_unit, .value = (v),   \
		.help = (text)                                                                     \
	}
static const struct opt free_options[] = {
	UNIT('b', "bytes", 0, "in bytes"),
	UNIT('k', "kibi", 1, "in KiB, as without options"),
	UNIT('m', "mebi", 2, "in MiB"),
	UNIT('g', "gibi", 3, "in GiB"),
	UNIT(0, "tebi", 4, "in TiB"),
	UNIT(0, "pebi", 5, "in PiB"),
	UNIT(0, "kilo", 17, "in KB"),
	UNIT(0, "mega", 18, "in MB"),
	UNIT(0, "giga", 19, "in GB"),
	UNIT(0, "tera", 20, "in TB"),
	UNIT(0, "peta", 21, "in PB"),
	OPT_FLAG('h', "human", struct free_opts, human, "with units"),
	OPT_FLAG(0, "si", struct free_opts, si, "powers of 1000"),
	OPT_FLAG('l', "lohi", struct free_opts, low, "low and high memory"),
	OPT_FLAG('t', "total", struct free_opts, total, "a line of sums"),
	OPT_FLAG('v', "committed", struct free_opts, committed, "what is promised"),
	OPT_CALL_ARG('s', "seconds", set_seconds, "N", "again every N seconds"),
	OPT_CALL_ARG('c', "count", set_count, "N", "so many times"),
	OPT_FLAG('w', "wide", struct free_opts, wide, "buffers and cache apart"),
	OPT_END(),
};
#undef UNIT

/* With units: two digits and a point below ten, as procps does. */
static void put_human(struct buf *out, uint64_t bytes, uint64_t base)
{
	static const char units[] = "BKMGTP";
	uint64_t divisor = 1;
	int unit = 0;

	while (bytes / divisor >= base && unit < 5) {
		divisor *= base;
		unit++;
	}
	if (unit > 0 && bytes / divisor < 10)
		buf_printf(out, "%llu.%llu", (unsigned long long)(bytes / divisor),
			   (unsigned long long)(bytes % divisor * 10 / divisor));
	else
		buf_printf(out, "%llu", (unsigned long long)(bytes / divisor));
	buf_putc(out, units[unit]);
	if (unit > 0 && base == 1024)
		buf_putc(out, 'i');
}

static void put_cell(struct cmd *c, uint64_t bytes)
{
	const struct free_opts *o = c->opts;
	struct arena_mark mark = arena_mark(c->arena);
	struct buf text = buf_in(c->arena);
	uint64_t base = o->si ? 1000 : 1024;

	if (o->human) {
		put_human(&text, bytes, base);
	} else {
		for (int i = 0; i < o->unit; i++)
			bytes /= base;
		buf_put_u64(&text, bytes);
	}
	cmd_printf(c, "%12s", buf_cstr(&text));
	arena_release(c->arena, mark);
}

static void put_row(struct cmd *c, const char *name, const uint64_t *cells, int n)
{
	cmd_printf(c, "%-8s", name);
	for (int i = 0; i < n; i++)
		put_cell(c, cells[i]);
	cmd_putc(c, '\n');
}

static void put_table(struct cmd *c)
{
	const struct free_opts *o = c->opts;
	struct cmd_usage_totals t;

	cmd_totals(c, &t);
	uint64_t rest = t.memory_total > t.memory_used ? t.memory_total - t.memory_used : 0;
	const uint64_t memory[] = { t.memory_total, t.memory_used, rest, 0, 0, rest, rest };
	const uint64_t wide[] = { t.memory_total, t.memory_used, rest, 0, 0, 0, rest };
	const uint64_t none[] = { 0, 0, 0 };

	cmd_puts(c, "               total        used        free      shared");
	cmd_puts(c, o->wide ? "     buffers       cache" : "  buff/cache");
	cmd_puts(c, "   available\n");
	if (o->wide)
		put_row(c, "Mem:", wide, 7);
	else
		put_row(c, "Mem:", memory, 6);
	if (o->low) {
		put_row(c, "Low:", memory, 3);
		put_row(c, "High:", none, 3);
	}
	put_row(c, "Swap:", none, 3);
	if (o->total)
		put_row(c, "Total:", memory, 3);
	if (o->committed) {
		const uint64_t promised[] = { t.memory_total, t.memory_used, rest };

		put_row(c, "Comm:", promised, 3);
	}
}

static void free_defaults(struct cmd *c)
{
	struct free_opts *o = c->opts;

	o->unit = 1;
	o->ns = 1000000000;
	o->count = 1;
}

static int free_run(struct cmd *c)
{
	const struct free_opts *o = c->opts;

	if (c->nargs > 0)
		return cmd_usage(c, NULL);
	for (uint64_t i = 0; i < o->count; i++) {
		if (i > 0) {
			cmd_putc(c, '\n');
			cmd_flush(c);
			cmd_sleep(c, o->ns);
		}
		put_table(c);
		cmd_charge(c, 10);
	}
	return 0;
}

const struct builtin builtin_free = {
	.name = "free",
	.usage = "[OPTION]...",
	.summary = "Writes how much memory the session has and uses.",
	.run = free_run,
	.opts = free_options,
	.opts_size = sizeof(struct free_opts),
	.defaults = free_defaults,
	.family = "procps-ng 4.0.2",
};
