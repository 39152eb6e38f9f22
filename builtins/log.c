/* SPDX-License-Identifier: MIT
 *
 * log - writes a line of a log: time, level, message, fields.
 *
 * Lines are in the form that logfmt has (level=info msg="..." key=value), or JSON.
 */
#include "base/json.h"
#include "base/time.h"
#include "builtins/builtin.h"

static const struct opt_word level_words[] = {
	{ "debug", 0 }, { "info", 1 }, { "warn", 2 }, { "error", 3 }, { "fatal", 4 }, { NULL, 0 },
};

struct log_opts {
	int level;
	bool json;
	bool bare;
	const char *file;
};

static const struct opt log_options[] = {
	OPT_ENUM('l', "level", struct log_opts, level, level_words, "LEVEL",
		 "debug, info (default), warn, error, fatal"),
	OPT_FLAG('j', "json", struct log_opts, json, "write an object of JSON"),
	OPT_FLAG('T', "no-time", struct log_opts, bare, "leave the time out"),
	OPT_STR('o', "output", struct log_opts, file, NULL, "FILE",
		"append to FILE, not to standard error"),
	OPT_END(),
};

static int level_of(const char *name)
{
	for (const struct opt_word *w = level_words; w->word != NULL; w++)
		if (strcmp(w->word, name) == 0)
			return w->value;
	return -1;
}

static bool needs_quotes(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] <= ' ' || strchr("\"=\\", s.ptr[i]) != NULL)
			return true;
	return s.len == 0;
}

static void put_field(struct buf *out, bool json, struct bytes key, struct bytes value)
{
	if (json) {
		buf_puts(out, out->len == 0 ? "{" : ",");
		json_put_string(out, key, false);
		buf_putc(out, ':');
		json_put_string(out, value, false);
		return;
	}
	if (out->len > 0)
		buf_putc(out, ' ');
	buf_add(out, key);
	buf_putc(out, '=');
	if (needs_quotes(value))
		json_put_string(out, value, false);
	else
		buf_add(out, value);
}

static void put_time(struct cmd *c, struct buf *out, bool json)
{
	struct buf text = buf_in(c->arena);
	int64_t seconds = cmd_now(c) / 1000000000;
	struct civil civil;

	time_civil(zone_of_text(c->arena, NULL), seconds, &civil);
	time_format(&text, BYTES("%Y-%m-%dT%H:%M:%SZ"), &civil, seconds, TIME_LIBC);
	put_field(out, json, BYTES("time"), buf_bytes(&text));
}

/* Operands: an optional level, the message, KEY=VALUE... */
static int log_run(struct cmd *c)
{
	struct log_opts *o = c->opts;
	struct buf line = buf_in(c->arena);
	struct output out;
	int at = 0;

	if (c->nargs > 1 && level_of(c->args[0]) >= 0)
		o->level = level_of(c->args[at++]);
	int status = cmd_operands(c, at + 1, -1);

	if (status != 0)
		return status;
	const char *least = cmd_getenv(c, "LOG_LEVEL");

	if (least != NULL && level_of(least) > o->level)
		return 0;
	if (!o->bare)
		put_time(c, &line, o->json);
	put_field(&line, o->json, BYTES("level"), bytes_of(level_words[o->level].word));
	put_field(&line, o->json, BYTES("msg"), bytes_of(c->args[at++]));
	for (; at < c->nargs; at++) {
		const char *eq = strchr(c->args[at], '=');

		if (eq == NULL || eq == c->args[at])
			return cmd_usage(c, "not KEY=VALUE: %s", cmd_quote(c, c->args[at]));
		put_field(&line, o->json, (struct bytes){ c->args[at], (size_t)(eq - c->args[at]) },
			  bytes_of(eq + 1));
	}
	buf_puts(&line, o->json ? "}\n" : "\n");
	if (o->file == NULL) {
		cmd_err_write(c, line.ptr, line.len);
		return 0;
	}
	int err = output_open(&out, c, o->file, O_APPEND_, false);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, o->file));
	output_write(&out, line.ptr, line.len);
	output_close(&out);
	return 0;
}

static void log_defaults(struct cmd *c)
{
	((struct log_opts *)c->opts)->level = 1;
}

const struct builtin builtin_log = {
	.name = "log",
	.usage = "[OPTION]... [LEVEL] MESSAGE [KEY=VALUE]...",
	.summary = "Writes a line of a log to standard error: time, level, message and fields.\n"
		   "LEVEL is debug, info, warn, error or fatal; those below $LOG_LEVEL are not "
		   "written.",
	.run = log_run,
	.opts = log_options,
	.opts_size = sizeof(struct log_opts),
	.defaults = log_defaults,
	.family = "cowsh",
};
