/* SPDX-License-Identifier: MIT
 *
 * date - write a date. The clock of the session can't be set.
 */
#include "builtins/date_parse.h"

enum { ISO_DATE = 1, ISO_HOURS, ISO_MINUTES, ISO_SECONDS, ISO_NS };

struct date_opts {
	const char *text;
	const char *file;
	const char *reference;
	const char *set;
	const char *format;
	bool utc;
	bool resolution;
	bool debug;
	bool setting; /* the clock: what it would be is shown */
	int64_t now;
	struct zone *zone;
};

#define SECONDS_MAX ((int64_t)67768036191676799)
#define SECOND_NS   ((int64_t)1000000000)

static int set_format(struct cmd *c, const char *format)
{
	struct date_opts *o = c->opts;

	if (o->format != NULL)
		return cmd_error(c, 0, "multiple output formats specified");
	o->format = format;
	return 0;
}

static int set_iso(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct opt_word words[] = {
		{ "hours", ISO_HOURS },     { "minutes", ISO_MINUTES }, { "date", ISO_DATE },
		{ "seconds", ISO_SECONDS }, { "ns", ISO_NS },           { NULL, 0 },
	};
	static const char *const formats[] = {
		"",
		"%Y-%m-%d",
		"%Y-%m-%dT%H%:z",
		"%Y-%m-%dT%H:%M%:z",
		"%Y-%m-%dT%H:%M:%S%:z",
		"%Y-%m-%dT%H:%M:%S,%N%:z",
	};
	int which = ISO_DATE;

	(void)opt;
	if (arg != NULL && opt_word(c, words, "--iso-8601", arg, &which) != 0)
		return 1;
	return set_format(c, formats[which]);
}

static int set_rfc(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct opt_word words[] = {
		{ "date", 0 },
		{ "seconds", 1 },
		{ "ns", 2 },
		{ NULL, 0 },
	};
	static const char *const formats[] = {
		"%Y-%m-%d",
		"%Y-%m-%d %H:%M:%S%:z",
		"%Y-%m-%d %H:%M:%S.%N%:z",
	};
	int which;

	if (opt->letter == 'R')
		return set_format(c, "%a, %d %b %Y %H:%M:%S %z");
	if (opt_word(c, words, "--rfc-3339", arg, &which) != 0)
		return 1;
	return set_format(c, formats[which]);
}

static const struct opt date_options[] = {
	OPT_STR('d', "date", struct date_opts, text, NULL, "STRING", "the time that STRING means"),
	OPT_FLAG(0, "debug", struct date_opts, debug,
		 "tells on standard error how dates are understood"),
	OPT_STR('f', "file", struct date_opts, file, NULL, "FILE",
		"the same for each line of FILE"),
	OPT_CALL_OPTIONAL('I', "iso-8601", set_iso, "UNIT",
			  "ISO 8601: date, hours, minutes, seconds, ns"),
	OPT_FLAG(0, "resolution", struct date_opts, resolution, "the clock's resolution"),
	OPT_CALL('R', "rfc-email", set_rfc, "as in mails"),
	OPT_CALL('R', "rfc-822", set_rfc, NULL),
	OPT_CALL('R', "rfc-2822", set_rfc, NULL),
	OPT_CALL_ARG(0, "rfc-3339", set_rfc, "UNIT", "RFC 3339: date, seconds, ns"),
	OPT_STR('r', "reference", struct date_opts, reference, NULL, "FILE",
		"when FILE was last modified"),
	OPT_STR('s', "set", struct date_opts, set, NULL, "STRING", "not allowed here"),
	OPT_FLAG('u', "utc", struct date_opts, utc, "in UTC"),
	OPT_FLAG('u', "universal", struct date_opts, utc, NULL),
	OPT_FLAG('u', "uct", struct date_opts, utc, NULL),
	OPT_END(),
};

static int show(struct cmd *c, const struct date_opts *o, struct moment m)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf out = buf_in(c->arena);
	struct civil civil;

	/* Years have 31 bits, as in the C library. */
	if (m.seconds > SECONDS_MAX || m.seconds < -SECONDS_MAX) {
		buf_put_i64(&out, m.seconds);
		return cmd_error(c, 0, "time %s is out of range", cmd_quote(c, buf_cstr(&out)));
	}
	int status = o->setting ? cmd_error(c, -E_PERM, "cannot set date") : 0;

	if (o->debug)
		cmd_warn(c, 0, "output format: %s", cmd_quote(c, o->format));
	time_civil(o->zone, m.seconds, &civil);
	time_format(&out, bytes_of(o->format), &civil, m.seconds, (uint32_t)m.ns);
	cmd_bytes(c, buf_bytes(&out));
	cmd_putc(c, '\n');
	arena_release(c->arena, mark);
	return status;
}

static struct moment moment_of(int64_t ns)
{
	int64_t seconds = ns / SECOND_NS - (ns % SECOND_NS < 0);

	return (struct moment){ seconds, ns - seconds * SECOND_NS };
}

static int show_text(struct cmd *c, const struct date_opts *o, const char *text)
{
	struct moment m;

	const char *name = o->utc ? "UTC0" : cmd_getenv(c, "TZ");

	if (o->debug ? !date_explain(c, text, cmd_now(c), o->zone, name, &m)
		     : !date_parse_moment(c, text, cmd_now(c), o->zone, &m))
		return cmd_error(c, 0, "invalid date %s", cmd_quote(c, text));
	return show(c, o, m);
}

static int show_file(struct cmd *c, const struct date_opts *o)
{
	struct input in;
	struct bytes line;
	int status = 0;
	int err = input_open(&in, c, o->file);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, o->file));
	while ((err = input_line(&in, '\n', &line)) > 0)
		status |= show_text(c, o, arena_dup(c->arena, line));
	return err < 0 ? cmd_error(c, err, "%s", cmd_quotef(c, o->file)) : status;
}

static int show_reference(struct cmd *c, const struct date_opts *o)
{
	struct vfs_stat st;
	int err = cmd_stat(c, o->reference, &st);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, o->reference));
	return show(c, o, moment_of(st.mtime_ns));
}

/* Takes the format from the operands. 0, or a status. */
static int take_operand(struct cmd *c, struct date_opts *o)
{
	const char *arg = c->nargs > 0 ? c->args[0] : NULL;

	if (c->nargs > 1)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[1]));
	if (arg == NULL)
		return 0;
	if (arg[0] == '+')
		return set_format(c, arg + 1);
	if (o->text != NULL || o->file != NULL || o->reference != NULL)
		return cmd_usage(c,
				 "the argument %s lacks a leading '+';\n"
				 "when using an option to specify date(s), any non-option\n"
				 "argument must be a format string beginning with '+'",
				 cmd_quote(c, arg));
	if (!date_parse_posix(arg, true, cmd_now(c), o->zone, &o->now))
		return cmd_error(c, 0, "invalid date %s", cmd_quote(c, arg));
	o->setting = true;
	return 0;
}

static int date_run(struct cmd *c)
{
	struct date_opts *o = c->opts;

	if ((o->text != NULL) + (o->file != NULL) + (o->reference != NULL) > 1)
		return cmd_usage(
			c, "the options to specify dates for printing are mutually exclusive");
	o->setting = o->set != NULL;
	if (o->setting && (o->text != NULL || o->file != NULL || o->reference != NULL))
		return cmd_usage(c,
				 "the options to print and set the time may not be used together");
	if (o->setting)
		o->text = o->set;
	o->now = cmd_now(c);
	o->zone = o->utc ? zone_of_text(c->arena, "UTC0") : zone_of_command(c);
	int status = take_operand(c, o);

	if (status != 0)
		return status;
	if (o->resolution && o->format == NULL)
		o->format = "%s.%N";
	if (o->format == NULL)
		o->format = "%a %b %e %H:%M:%S %Z %Y";
	if (o->resolution)
		return show(c, o, moment_of(1));
	if (o->file != NULL)
		return show_file(c, o);
	if (o->reference != NULL)
		return show_reference(c, o);
	if (o->text != NULL)
		return show_text(c, o, o->text);
	return show(c, o, moment_of(o->now));
}

const struct builtin builtin_date = {
	.name = "date",
	.usage = "[OPTION]... [+FORMAT]",
	.summary = "Writes the time, as FORMAT says (see strftime).",
	.run = date_run,
	.opts = date_options,
	.opts_size = sizeof(struct date_opts),
};
