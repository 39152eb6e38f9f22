/* SPDX-License-Identifier: MIT
 *
 * less, more - show files. Nobody looks at a page here: all of it is written at once, as they do
 * when standard output is no terminal.
 */
#include "builtins/less.h"

static int put_chunks(struct input *in, void *arg)
{
	struct cmd *c = arg;
	struct bytes part;
	int more;

	while ((more = input_chunk(in, &part)) > 0) {
		cmd_bytes(c, part);
		cmd_charge_bytes(c, part.len);
	}
	return more;
}

/* less writes its messages among the text. */
static void complain(struct cmd *c, const char *path, bool is_more, int err)
{
	if (is_more)
		cmd_error(c, err, "cannot open %s", path);
	else
		cmd_printf(c, "%s: %s\n", path, err_text(err));
}

static void show(struct cmd *c, const char *path, bool is_more, bool heading)
{
	struct input in;
	struct vfs_stat st;
	int err;

	if (strcmp(path, "-") != 0 && cmd_stat(c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR) {
		if (is_more)
			cmd_printf(c, "\n*** %s: directory ***\n\n", path);
		else
			cmd_printf(c, "%s is a directory\n", path);
		return;
	}
	err = input_open(&in, c, path);
	if (err >= 0) {
		if (heading)
			cmd_printf(c, "::::::::::::::\n%s\n::::::::::::::\n", path);
		err = put_chunks(&in, c);
		input_close(&in);
	}
	if (err < 0)
		complain(c, path, is_more, err);
}

int less_legacy(struct cmd *c, int argc, char **argv, int i)
{
	(void)c, (void)argc;
	return argv[i][0] == '+' ? 1 : 0;
}

static int number_option(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)c, (void)opt, (void)arg;
	return 0;
}

#define NOTHING(s, l) OPT_IGNORED(s, l, NULL)
const struct opt less_options[] = {
	OPT_IGNORED('N', "LINE-NUMBERS", "options for the screen have no effect"),
	NOTHING('n', "line-numbers"),
	NOTHING('R', "RAW-CONTROL-CHARS"),
	NOTHING('r', "raw-control-chars"),
	NOTHING('S', "chop-long-lines"),
	NOTHING('X', "no-init"),
	NOTHING('F', "quit-if-one-screen"),
	NOTHING('E', "QUIT-AT-EOF"),
	NOTHING('e', "quit-at-eof"),
	NOTHING('i', "ignore-case"),
	NOTHING('I', "IGNORE-CASE"),
	NOTHING('m', "long-prompt"),
	NOTHING('M', "LONG-PROMPT"),
	NOTHING('q', "quiet"),
	NOTHING('Q', "QUIET"),
	NOTHING('s', "squeeze-blank-lines"),
	NOTHING('f', "force"),
	NOTHING('K', "quit-on-intr"),
	NOTHING('c', "clear-screen"),
	NOTHING('g', "hilite-search"),
	NOTHING('G', "HILITE-SEARCH"),
	NOTHING('J', "status-column"),
	NOTHING('w', "hilite-unread"),
	NOTHING('L', "no-lessopen"),
	NOTHING('u', "underline-special"),
	NOTHING('a', NULL),
	NOTHING('~', "tilde"),
	NOTHING(0, "mouse"),
	NOTHING(0, "no-keypad"),
	OPT_IGNORED_ARG('p', "pattern", "PATTERN", NULL),
	OPT_IGNORED_ARG('P', "prompt", "TEXT", NULL),
	OPT_IGNORED_ARG('x', "tabs", "N", NULL),
	OPT_IGNORED_ARG('j', "jump-target", "N", NULL),
	OPT_IGNORED_ARG('z', "window", "N", NULL),
	OPT_IGNORED_ARG('b', "buffers", "N", NULL),
	OPT_IGNORED_ARG('h', "max-back-scroll", "N", NULL),
	OPT_IGNORED_ARG('y', NULL, "N", NULL),
	OPT_IGNORED_ARG('D', "color", "SPEC", NULL),
	OPT_IGNORED_ARG('t', "tag", "TAG", NULL),
	OPT_MISSING_ARG('o', "log-file"),
	OPT_MISSING_ARG('O', "LOG-FILE"),
	OPT_MISSING_ARG('k', "lesskey-file"),
	OPT_DIGITS(number_option),
	OPT_END(),
};

static const struct opt more_options[] = {
	OPT_IGNORED('d', "silent", "options for the screen have no effect"),
	NOTHING('f', "logical"),
	NOTHING('l', "no-pause"),
	NOTHING('c', "print-over"),
	NOTHING('p', "clean-print"),
	NOTHING('e', "exit-on-eof"),
	NOTHING('s', "squeeze"),
	NOTHING('u', "plain"),
	OPT_IGNORED_ARG('n', "lines", "N", NULL),
	OPT_DIGITS(number_option),
	OPT_END(),
};
#undef NOTHING

static int less_run(struct cmd *c)
{
	if (c->nargs == 0 && cmd_isatty(c, 0)) {
		cmd_puts(c, "Missing filename (\"less --help\" for help)\n");
		return 0;
	}
	for (int i = 0; i < c->nfiles; i++) {
		bool again = false;

		/* A name given twice is one file to less. */
		for (int k = 0; k < i; k++)
			again |= strcmp(c->files[k], c->files[i]) == 0;
		cmd_charge(c, (uint64_t)i / 16 + 1);
		if (!again)
			show(c, c->files[i], false, false);
	}
	return 0;
}

static int more_run(struct cmd *c)
{
	if (c->nargs == 0 && cmd_isatty(c, 0))
		return cmd_usage(c, "bad usage");
	for (int i = 0; i < c->nfiles; i++)
		show(c, c->files[i], true, c->nargs > (cmd_isatty(c, 1) ? 1 : 0));
	return 0;
}

const struct builtin builtin_less = {
	.name = "less",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes files, as less does when nobody looks.",
	.run = less_run,
	.opts = less_options,
	.legacy = less_legacy,
	.family = "less 590",
	.version = "less 590 (GNU regular expressions)",
};

const struct builtin builtin_more = {
	.name = "more",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes files, as more does when nobody looks.",
	.run = more_run,
	.opts = more_options,
	.legacy = less_legacy,
	.family = "util-linux 2.38.1",
};
