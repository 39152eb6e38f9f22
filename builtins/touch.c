/* SPDX-License-Identifier: MIT
 *
 * touch - set the times of files, making those that do not exist.
 */
#include "builtins/date_parse.h"

enum { TOUCH_ATIME = 1, TOUCH_MTIME = 2 };

struct touch_opts {
	bool atime;
	bool mtime;
	bool no_create;
	bool no_follow;
	const char *date;
	const char *reference;
	const char *stamp;
	int64_t stamp_ns;
};

static const struct opt_word time_words[] = {
	{ "atime", TOUCH_ATIME }, { "access", TOUCH_ATIME }, { "use", TOUCH_ATIME },
	{ "mtime", TOUCH_MTIME }, { "modify", TOUCH_MTIME }, { NULL, 0 },
};

static int set_stamp(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct touch_opts *o = c->opts;

	(void)opt;
	o->stamp = arg;
	if (date_parse_posix(arg, false, cmd_now(c), zone_of_command(c), &o->stamp_ns))
		return 0;
	return cmd_error(c, 0, "invalid date format %s", cmd_quote(c, arg));
}

static int set_which(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct touch_opts *o = c->opts;
	int which;
	int status = opt_word(c, time_words, "--time", arg, &which);

	(void)opt;
	if (status != 0)
		return status;
	o->atime |= which == TOUCH_ATIME;
	o->mtime |= which == TOUCH_MTIME;
	return 0;
}

static const struct opt touch_options[] = {
	OPT_FLAG('a', NULL, struct touch_opts, atime, "only the time of access"),
	OPT_FLAG('c', "no-create", struct touch_opts, no_create, "do not make files"),
	OPT_STR('d', "date", struct touch_opts, date, NULL, "STRING", "the time, as in date -d"),
	OPT_IGNORED('f', NULL, NULL),
	OPT_FLAG('h', "no-dereference", struct touch_opts, no_follow, "symbolic links themselves"),
	OPT_FLAG('m', NULL, struct touch_opts, mtime, "only the time of modification"),
	OPT_STR('r', "reference", struct touch_opts, reference, NULL, "FILE", "the times of FILE"),
	OPT_CALL_ARG('t', NULL, set_stamp, "STAMP", "the time, [[CC]YY]MMDDhhmm[.ss]"),
	OPT_CALL_ARG(0, "time", set_which, "WORD", "only that time: access (-a) or modify (-m)"),
	OPT_END(),
};

struct times {
	int64_t atime_ns;
	int64_t mtime_ns;
};

static int reference_times(struct cmd *c, const struct touch_opts *o, struct times *t)
{
	struct vfs_stat st;
	int err = o->no_follow ? cmd_lstat(c, o->reference, &st) : cmd_stat(c, o->reference, &st);

	if (err < 0)
		return cmd_error(c, err, "failed to get attributes of %s",
				 cmd_quoteaf(c, o->reference));
	t->atime_ns = st.atime_ns;
	t->mtime_ns = st.mtime_ns;
	return 0;
}

static int choose_times(struct cmd *c, const struct touch_opts *o, struct times *t)
{
	struct zone *zone = zone_of_command(c);
	int64_t now = cmd_now(c);

	*t = (struct times){ CMD_TIME_NOW, CMD_TIME_NOW };
	if (o->stamp != NULL) {
		if (o->date != NULL || o->reference != NULL)
			return cmd_usage(c, "cannot specify times from more than one source");
		t->atime_ns = t->mtime_ns = o->stamp_ns;
		return 0;
	}
	if (o->reference != NULL && reference_times(c, o, t) != 0)
		return 1;
	if (o->date == NULL)
		return 0;
	struct times base = o->reference != NULL ? *t : (struct times){ now, now };

	if (!date_parse(c, o->date, base.atime_ns, zone, &t->atime_ns) ||
	    !date_parse(c, o->date, base.mtime_ns, zone, &t->mtime_ns))
		return cmd_error(c, 0, "invalid date format %s", cmd_quote(c, o->date));
	return 0;
}

static int touch_file(struct cmd *c, const struct touch_opts *o, const char *path,
		      const struct times *t)
{
	int flags = o->no_follow ? CMD_NOFOLLOW : 0;
	int made = 0;

	if (strcmp(path, "-") == 0)
		path = "/dev/stdout";
	if (!o->no_create && !o->no_follow) {
		made = cmd_open(c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_NONBLOCK_, 0666);
		if (made >= 0)
			cmd_close(c, made);
	}
	int err = cmd_utimes(c, CMD_CWD, path, t->atime_ns, t->mtime_ns, flags);

	if (err == 0 || (err == -E_NOENT && o->no_create))
		return 0;
	if (made < 0 && made != -E_ISDIR)
		return cmd_error(c, made, "cannot touch %s", cmd_quoteaf(c, path));
	return cmd_error(c, err, "setting times of %s", cmd_quoteaf(c, path));
}

static int touch_run(struct cmd *c)
{
	struct touch_opts *o = c->opts;
	bool atime = o->atime;
	bool mtime = o->mtime;
	struct times t;
	int status = choose_times(c, o, &t);

	if (status != 0)
		return status;
	if (c->nargs == 0)
		return cmd_usage(c, "missing file operand");
	if (mtime && !atime)
		t.atime_ns = CMD_TIME_OMIT;
	if (atime && !mtime)
		t.mtime_ns = CMD_TIME_OMIT;
	for (int i = 0; i < c->nargs; i++)
		status |= touch_file(c, o, c->args[i], &t);
	return status;
}

const struct builtin builtin_touch = {
	.name = "touch",
	.usage = "[OPTION]... FILE...",
	.summary = "Sets the times of files to now, and makes files that do not exist.",
	.run = touch_run,
	.opts = touch_options,
	.opts_size = sizeof(struct touch_opts),
};
