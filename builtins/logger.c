/* SPDX-License-Identifier: MIT
 *
 * logger - messages for the system's log, which nobody keeps here: with -s they are written to
 * standard error, as the real one does besides.
 */
#include "base/time.h"
#include "builtins/builtin.h"
#include "builtins/zone.h"

enum { MESSAGE_MAX = 1024, PRIORITY_USER_NOTICE = 13 };

struct logger_opts {
	int priority;
	bool pid;
	const char *id;
	const char *file;
	bool skip_empty;
	bool no_act;
	bool prio_prefix;
	bool to_stderr;
	const char *size_text;
	const char *tag;
	/* settled */
	uint64_t size;
	struct buf head; /* between the priority and the message */
};

static int set_priority(struct cmd *c, const struct opt *opt, const char *arg);

static int set_id(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct logger_opts *o = c->opts;

	(void)opt;
	o->pid = true;
	o->id = arg;
	return 0;
}

static const struct opt logger_options[] = {
	OPT_FLAG('i', NULL, struct logger_opts, pid, "with the number of this process"),
	OPT_CALL_OPTIONAL(0, "id", set_id, "ID", "with ID, or the number of this process"),
	OPT_STR('f', "file", struct logger_opts, file, NULL, "FILE", "the lines of FILE"),
	OPT_FLAG('e', "skip-empty", struct logger_opts, skip_empty, "leave empty lines out"),
	OPT_FLAG(0, "no-act", struct logger_opts, no_act,
		 "no effect: nothing is logged in any case"),
	OPT_CALL_ARG('p', "priority", set_priority, "PRIORITY", "user.notice, or another"),
	OPT_FLAG(0, "prio-prefix", struct logger_opts, prio_prefix,
		 "lines may begin with <PRIORITY>"),
	OPT_FLAG('s', "stderr", struct logger_opts, to_stderr, "write to standard error"),
	OPT_STR('S', "size", struct logger_opts, size_text, NULL, "SIZE",
		"how long a message may be (1KiB)"),
	OPT_STR('t', "tag", struct logger_opts, tag, NULL, "TAG",
		"what messages begin with: the user's name"),
	OPT_MISSING_ARG('n', "server"),
	OPT_MISSING_ARG('P', "port"),
	OPT_MISSING('T', "tcp"),
	OPT_MISSING('d', "udp"),
	OPT_MISSING_ARG('u', "socket"),
	OPT_MISSING(0, "rfc3164"),
	OPT_MISSING(0, "rfc5424"),
	OPT_MISSING(0, "octet-count"),
	OPT_MISSING(0, "journald"),
	OPT_END(),
};

/* --- priorities --- */

struct code {
	const char *name;
	int value;
};

static const struct code levels[] = {
	{ "emerg", 0 },  { "panic", 0 }, { "alert", 1 }, { "crit", 2 },
	{ "err", 3 },    { "error", 3 }, { "warn", 4 },  { "warning", 4 },
	{ "notice", 5 }, { "info", 6 },  { "debug", 7 }, { NULL, -1 },
};

static const struct code facilities[] = {
	{ "kern", 0 },     { "user", 1 },      { "mail", 2 },    { "daemon", 3 },  { "auth", 4 },
	{ "syslog", 5 },   { "lpr", 6 },       { "news", 7 },    { "uucp", 8 },    { "cron", 9 },
	{ "security", 4 }, { "authpriv", 10 }, { "ftp", 11 },    { "local0", 16 }, { "local1", 17 },
	{ "local2", 18 },  { "local3", 19 },   { "local4", 20 }, { "local5", 21 }, { "local6", 22 },
	{ "local7", 23 },  { NULL, -1 },
};

static int code_of(const struct code *table, struct bytes name)
{
	for (; table->name != NULL; table++)
		if (bytes_is(name, table->name))
			return table->value;
	return -1;
}

/* "user.notice", "err", "13"; -1 if it is none. */
static int priority_of(const char *text)
{
	const char *dot = strchr(text, '.');
	uint64_t number;

	if (num_plain(text, &number))
		return number < 192 ? (int)(number < 8 ? 8 + number : number) : -1;
	if (dot == NULL) {
		int level = code_of(levels, bytes_of(text));

		return level < 0 ? -1 : 8 + level;
	}
	int facility = code_of(facilities, (struct bytes){ text, (size_t)(dot - text) });
	int level = code_of(levels, bytes_of(dot + 1));

	return facility < 0 || level < 0 ? -1 : facility * 8 + level;
}

static int set_priority(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct logger_opts *o = c->opts;

	(void)opt;
	o->priority = priority_of(arg);
	return o->priority < 0 ? cmd_error(c, 0, "unknown priority name: %s", arg) : 0;
}

/* --- messages --- */

static void set_head(struct cmd *c, struct logger_opts *o)
{
	int64_t seconds = cmd_now(c) / 1000000000;
	struct civil civil;
	const char *user = cmd_user_name(c, cmd_uid(c));

	o->head = buf_in(c->arena);
	time_civil(zone_of_command(c), seconds, &civil);
	time_format(&o->head, BYTES("%b %e %H:%M:%S "), &civil, seconds, TIME_LIBC);
	buf_puts(&o->head, o->tag != NULL ? o->tag : user != NULL ? user : "<someone>");
	if (o->id != NULL)
		buf_printf(&o->head, "[%s]", o->id);
	else if (o->pid)
		buf_printf(&o->head, "[%d]", cmd_pid(c));
	buf_puts(&o->head, ": ");
}

/* Takes "<4>" off the message: the priority that it says. */
static int take_prefix(struct logger_opts *o, struct bytes *text)
{
	size_t at = 1;
	int value = 0;

	if (!o->prio_prefix || text->len < 3 || text->ptr[0] != '<')
		return o->priority;
	for (; at < text->len && at < 4 && byte_is_digit(text->ptr[at]); at++)
		value = value * 10 + (text->ptr[at] - '0');
	if (at == 1 || at == text->len || text->ptr[at] != '>' || value > 191)
		return o->priority;
	*text = bytes_slice(*text, at + 1, text->len);
	/* Without a facility of its own it has that of -p. */
	o->priority = value < 8 ? (o->priority & ~7) | value : value;
	return o->priority;
}

static void put_message(struct cmd *c, struct logger_opts *o, struct bytes text)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf line = buf_in(c->arena);

	if (o->skip_empty && text.len == 0)
		return;
	buf_printf(&line, "<%d>", take_prefix(o, &text));
	buf_add(&line, buf_bytes(&o->head));
	buf_add(&line, bytes_slice(text, 0, text.len < o->size ? text.len : (size_t)o->size));
	buf_putc(&line, '\n');
	if (o->to_stderr)
		cmd_err_write(c, line.ptr, line.len);
	arena_release(c->arena, mark);
}

static int put_file(struct cmd *c, struct logger_opts *o, const char *path)
{
	struct input in;
	struct bytes line;
	int err = input_open(&in, c, path);

	if (err < 0)
		return cmd_error(c, err, "file %s", path);
	while (input_line(&in, '\n', &line) > 0) {
		put_message(c, o, line);
		cmd_charge_bytes(c, line.len);
	}
	input_close(&in);
	return 0;
}

static int logger_run(struct cmd *c)
{
	struct logger_opts *o = c->opts;
	struct buf text = buf_in(c->arena);

	o->size = MESSAGE_MAX;
	if (o->size_text != NULL && num_parse_u64(o->size_text, "KMG", &o->size) != 0)
		return cmd_error(c, -E_INVAL, "failed to parse message size: '%s'", o->size_text);
	set_head(c, o);
	if (o->file != NULL || c->nargs == 0)
		return put_file(c, o, o->file != NULL ? o->file : "-");
	for (int i = 0; i < c->nargs; i++) {
		buf_puts(&text, i > 0 ? " " : "");
		buf_puts(&text, c->args[i]);
	}
	put_message(c, o, buf_bytes(&text));
	return 0;
}

static void logger_defaults(struct cmd *c)
{
	((struct logger_opts *)c->opts)->priority = PRIORITY_USER_NOTICE;
}

const struct builtin builtin_logger = {
	.name = "logger",
	.usage = "[OPTION]... [MESSAGE]...",
	.summary = "Takes a message, or the lines of standard input, for the system's log, which\n"
		   "a session does not have: -s writes them to standard error.",
	.run = logger_run,
	.opts = logger_options,
	.opts_size = sizeof(struct logger_opts),
	.defaults = logger_defaults,
	.family = "util-linux 2.38.1",
};
