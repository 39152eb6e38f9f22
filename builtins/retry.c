/* SPDX-License-Identifier: MIT
 *
 * retry - runs a command again until it succeeds.
 *
 * What the command reads is kept for the next attempt, and what it writes until it is known
 * whether it counts: output of an attempt that is repeated goes to standard error.
 */
#include "builtins/builtin.h"
#include "builtins/temp.h"

#define SECOND INT64_C(1000000000)

struct retry_opts {
	const char *delays;
	const char *message;
	int64_t times; /* -1: for ever */
	const char *until;
	const char *during;
};

/* How a status is described: "success", "fail", "3", "2-5". False: not at all. */
static bool parse_criterion(struct bytes s, uint64_t *from, uint64_t *to)
{
	const char *dash = memchr(s.ptr, '-', s.len);
	size_t first = dash != NULL ? (size_t)(dash - s.ptr) : s.len;
	char text[2][8] = { "", "" };

	if (bytes_is(s, "success") || bytes_is(s, "true") || bytes_is(s, "fail") ||
	    bytes_is(s, "false")) {
		*from = s.ptr[0] == 'f';
		*to = s.ptr[0] == 'f' ? UINT64_MAX : 0;
		return true;
	}
	if (first >= sizeof(text[0]) || (dash != NULL && s.len - first > sizeof(text[1])))
		return false;
	memcpy(text[0], s.ptr, first);
	if (dash != NULL)
		memcpy(text[1], dash + 1, s.len - first - 1);
	return num_plain(text[0], from) && num_plain(dash != NULL ? text[1] : text[0], to);
}

/* Whether a status is among the criteria: 1, 0, or -1 if they are none. */
static int matches(const char *list, uint64_t status)
{
	int found = 0;

	for (const char *at = list;;) {
		size_t n = strcspn(at, ",");
		uint64_t from;
		uint64_t to;

		if (!parse_criterion((struct bytes){ at, n }, &from, &to))
			return -1;
		found |= status >= from && status <= to;
		if (at[n] == '\0')
			return found;
		at += n + 1;
	}
}

static int set_criteria(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct retry_opts *o = c->opts;

	if (matches(arg, 0) < 0)
		return cmd_usage(
			c,
			"%s must contain comma separated numbers, ranges, 'success/true' or "
			"'fail/false'.",
			opt->letter == 'u' ? "Until" : "While");
	*(opt->letter == 'u' ? &o->until : &o->during) = arg;
	return 0;
}

/* The delay behind an attempt (counted from 0), in seconds; the last one is repeated. */
static bool delay_of(const char *list, uint64_t attempt, uint64_t *out)
{
	for (const char *at = list;; attempt--) {
		size_t n = strcspn(at, ",");
		char text[12] = "";

		if (n == 0 || n >= sizeof(text))
			return false;
		memcpy(text, at, n);
		if (!num_plain(text, out))
			return false;
		if (attempt == 0 || at[n] == '\0')
			return true;
		at += n + 1;
	}
}

static int set_delays(struct cmd *c, const struct opt *opt, const char *arg)
{
	uint64_t seconds;

	(void)opt;
	for (uint64_t i = 0; i <= strlen(arg) / 2; i++)
		if (!delay_of(arg, i, &seconds))
			return cmd_usage(c, "Delay(s) must be bigger or equal to 0.");
	((struct retry_opts *)c->opts)->delays = arg;
	return 0;
}

static int set_times(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct retry_opts *o = c->opts;

	(void)opt;
	if (num_parse_i64(arg, "", &o->times) == 0 && o->times >= -1)
		return 0;
	return cmd_usage(c, "Times must be bigger or equal to -1.");
}

static const struct opt retry_options[] = {
	OPT_CALL_ARG('d', "delay", set_delays, "SECONDS",
		     "to wait behind an attempt (10); several with commas, the last is repeated"),
	OPT_STR('m', "message", struct retry_opts, message, NULL, "TEXT",
		"in messages, instead of the command's name"),
	OPT_CALL_ARG('t', "times", set_times, "N", "attempts (for ever)"),
	OPT_CALL_ARG('u', "until", set_criteria, "CRITERIA",
		     "end when the status is one of these: success, fail, N, N-M (success)"),
	OPT_CALL_ARG('w', "while", set_criteria, "CRITERIA",
		     "go on only while the status is one of these"),
	OPT_END(),
};

/* Runs the command once. Its output is in *out. */
static int attempt(struct cmd *c, int in, int *out, bool *killed)
{
	int status = 0;

	*out = temp_open(c, NULL);
	const int fds[3] = { in, *out, 2 };

	if (in > 0)
		cmd_seek(c, in, 0, 0);
	int pid = cmd_spawn(c, &(struct cmd_program){ .argv = c->args, .fds = fds, .nfds = 3 });

	if (pid < 0) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "Could not execute '%s', giving up: %s", c->args[0],
			   err_text(pid));
		return cmd_error(c, 0, "%s", buf_cstr(&text));
	}
	cmd_wait(c, pid, &status, false);
	*killed = (status & 0x7f) != 0;
	return cmd_exit_status(status);
}

static void say_again(struct cmd *c, int status, uint64_t seconds)
{
	const struct retry_opts *o = c->opts;
	const char *name = o->message != NULL ? o->message : c->args[0];

	if (seconds == 0)
		cmd_warn(c, 0, "%s returned %d, trying again...", name, status);
	else
		cmd_warn(c, 0, "%s returned %d, backing off for %llu second%s and trying again...",
			 name, status, (unsigned long long)seconds, seconds == 1 ? "" : "s");
}

/* All of standard input, in a file; 0: a terminal, which is not read ahead. */
static int keep_input(struct cmd *c)
{
	struct vfs_stat st;

	if (cmd_isatty(c, 0) || cmd_fstat(c, 0, &st) < 0)
		return 0;
	int fd = temp_open(c, NULL);
	struct input in;
	struct bytes block;

	input_init(&in, c, 0, "-");
	while (input_block(&in, &block) > 0) {
		cmd_charge_bytes(c, block.len);
		cmd_write_fd(c, fd, block.ptr, block.len);
	}
	return fd;
}

static int retry_run(struct cmd *c)
{
	const struct retry_opts *o = c->opts;
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "No command specified.");
	int in = keep_input(c);

	for (uint64_t i = 0; o->times < 0 || i < (uint64_t)o->times; i++) {
		struct arena_mark mark = arena_mark(c->arena);
		uint64_t seconds = 0;
		bool killed = false;
		int out;

		status = attempt(c, in, &out, &killed);
		bool again = !killed && matches(o->until, (uint64_t)status) == 0 &&
			     (o->during == NULL || matches(o->during, (uint64_t)status) > 0);

		temp_copy(c, out, again ? 2 : 1);
		cmd_close(c, out);
		if (!again)
			break;
		delay_of(o->delays, i, &seconds);
		say_again(c, status, seconds);
		if (seconds > 0)
			cmd_sleep(c, (int64_t)seconds * SECOND);
		cmd_charge(c, 1);
		arena_release(c->arena, mark);
	}
	return status;
}

static void retry_defaults(struct cmd *c)
{
	struct retry_opts *o = c->opts;

	o->delays = "10";
	o->times = -1;
	o->until = "success";
}

const struct builtin builtin_retry = {
	.name = "retry",
	.usage = "[OPTION]... COMMAND [ARG]...",
	.summary =
		"Runs COMMAND again until it succeeds. It reads the same input each time; what it\n"
		"writes goes to standard output once, that of other attempts to standard error.\n"
		"The status is COMMAND's.",
	.run = retry_run,
	.opts = retry_options,
	.opts_size = sizeof(struct retry_opts),
	.flags = BUILTIN_STOP,
	.defaults = retry_defaults,
	.family = "retry 1.0.5",
};
