/* SPDX-License-Identifier: MIT
 *
 * sed - edit streams of lines.
 *
 * As with the real one, a part of the script is compiled when its option is read: -E counts for
 * what follows it. Reference: GNU sed 4.9.
 */
#include "builtins/sed/sed.h"

static int opt_expression(struct cmd *c, const struct opt *o, const char *arg)
{
	struct sed *s = c->opts;

	(void)o;
	s->have_script = true;
	sed_parse(s, bytes_of(arg), NULL);
	return 0;
}

static int opt_file(struct cmd *c, const struct opt *o, const char *arg)
{
	struct sed *s = c->opts;
	struct bytes text;
	int err = cmd_read_all(c, strcmp(arg, "/dev/stdin") == 0 ? "-" : arg, &text);

	(void)o;
	if (err < 0)
		cmd_fatal_status(c, 4, err, "couldn't open file %s", arg);
	s->have_script = true;
	sed_parse(s, text, arg);
	return 0;
}

static int opt_in_place(struct cmd *c, const struct opt *o, const char *arg)
{
	struct sed *s = c->opts;

	(void)o;
	s->in_place = s->separate = true;
	s->suffix = arg;
	return 0;
}

static int opt_line_length(struct cmd *c, const struct opt *o, const char *arg)
{
	struct sed *s = c->opts;
	int64_t n = 0;

	(void)o;
	number_parse_i64(bytes_of(arg), 10, &n, NULL);
	s->line_wrap = n < 0 ? 0 : n;
	return 0;
}

static const struct opt sed_options[] = {
	OPT_FLAG('n', "quiet", struct sed, quiet, "print only what commands print"),
	OPT_FLAG('n', "silent", struct sed, quiet, NULL),
	OPT_FLAG(0, "debug", struct sed, debug, "show the script and each of its steps"),
	OPT_CALL_ARG('e', "expression", opt_expression, "SCRIPT", "more commands"),
	OPT_CALL_ARG('f', "file", opt_file, "FILE", "more commands, from FILE"),
	OPT_FLAG('E', "regexp-extended", struct sed, extended, "extended regular expressions"),
	OPT_FLAG('r', NULL, struct sed, extended, NULL),
	OPT_CALL_OPTIONAL('i', "in-place", opt_in_place, "SUFFIX",
			  "write back to the files; with SUFFIX, keep the old ones"),
	OPT_CALL_ARG('l', "line-length", opt_line_length, "N", "where the l command breaks lines"),
	OPT_FLAG(0, "follow-symlinks", struct sed, follow, "-i edits what a link points to"),
	OPT_FLAG(0, "posix", struct sed, posix, "no GNU extensions"),
	OPT_FLAG('b', "binary", struct sed, binary, NULL),
	OPT_FLAG(0, "zero-terminated", struct sed, null_data, NULL),
	OPT_FLAG('s', "separate", struct sed, separate, "line numbers start anew in each file"),
	OPT_FLAG(0, "sandbox", struct sed, sandbox, "refuse e, r and w"),
	OPT_FLAG('u', "unbuffered", struct sed, unbuffered, "take and give line by line"),
	OPT_FLAG('z', "null-data", struct sed, null_data, "lines end with NUL"),
	OPT_END(),
};

/* Where l breaks lines: one column before COLS, if that is a number. */
static int64_t default_width(struct cmd *c)
{
	const char *text = cmd_getenv(c, "COLS");
	uint64_t n;

	return text != NULL && num_plain(text, &n) && n > 1 && n <= INT32_MAX ? (int64_t)n - 1 : 70;
}

static void set_defaults(struct cmd *c)
{
	struct sed *s = c->opts;

	s->c = c;
	s->line_wrap = default_width(c);
	s->outs = arena_zalloc(c->arena, sizeof *s->outs);
	s->outs->name = "";
	s->outs->o = &c->out;
	s->cur = s->outs;
	s->nspans = 1;
	s->spans = arena_array(c->arena, 1, sizeof *s->spans);
}

static int sed_run(struct cmd *c)
{
	struct sed *s = c->opts;
	int first = 0;

	s->delim = s->null_data ? '\0' : '\n';
	s->hold.ended = true;
	if (!s->have_script) {
		if (c->nargs == 0)
			return cmd_usage(c, NULL);
		sed_parse(s, bytes_of(c->args[first++]), NULL);
	}
	sed_parse_end(s);
	if (first < c->nargs) {
		s->files = c->args + first;
		s->nfiles = c->nargs - first;
	} else {
		s->files = arena_array(c->arena, 2, sizeof *s->files);
		s->files[0] = arena_dup(c->arena, BYTES("-"));
		s->nfiles = 1;
		if (s->in_place)
			cmd_fatal_status(c, 4, 0, "no input files");
	}
	sed_reset_ranges(s);
	if (s->debug)
		sed_debug_script(s);
	else
		sed_skip_prepare(s);
	sed_execute(s);
	sed_close_files(s);
	return s->status;
}

const struct builtin builtin_sed = {
	.name = "sed",
	.usage = "[OPTION]... {SCRIPT} [FILE]...",
	.summary = "Edits each line of the files, or of standard input, as the script says.",
	.run = sed_run,
	.opts = sed_options,
	.opts_size = sizeof(struct sed),
	.flags = BUILTIN_USAGE_LINE,
	.family = "GNU sed 4.9",
	.defaults = set_defaults,
	.write_status = 4,
	.write_error = "couldn't flush stdout",
};
