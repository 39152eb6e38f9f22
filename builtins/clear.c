/* SPDX-License-Identifier: MIT
 *
 * clear, reset - clean the terminal. What they write goes to standard output, whatever that is.
 */
#include "builtins/tput.h"

struct clear_opts {
	const char *terminal;
	bool keep;
};

static const struct opt clear_options[] = {
	OPT_STR('T', NULL, struct clear_opts, terminal, NULL, "TERM", "instead of $TERM"),
	OPT_FLAG('x', NULL, struct clear_opts, keep, "keep what scrolled away"),
	OPT_END(),
};

static int clear_run(struct cmd *c)
{
	const struct clear_opts *o = c->opts;
	const char *term = o->terminal != NULL ? o->terminal : cmd_getenv(c, "TERM");
	struct buf text = buf_in(c->arena);

	if (term == NULL || !terminal_is_known(term)) {
		if (term == NULL)
			buf_puts(&text, "TERM environment variable not set.\n");
		else
			buf_printf(&text, "'%s': unknown terminal type.\n", term);
		cmd_err_write(c, text.ptr, text.len);
		return 1;
	}
	if (!terminal_capability(term, "clear", 0, NULL, &text))
		return 1;
	if (!o->keep)
		terminal_capability(term, "E3", 0, NULL, &text);
	cmd_bytes(c, buf_bytes(&text));
	return 0;
}

const struct builtin builtin_clear = {
	.name = "clear",
	.usage = "[OPTION]...",
	.summary = "Cleans the terminal.",
	.run = clear_run,
	.opts = clear_options,
	.opts_size = sizeof(struct clear_opts),
	.family = "ncurses 6.4",
};

static int reset_run(struct cmd *c)
{
	if (cmd_isatty(c, 1)) {
		cmd_puts(c, "\033c\033[!p\033[?3;4l\033[4l\033>");
		return 0;
	}
	return cmd_error(c, 0, "terminal attributes: No such device or address\n");
}

const struct builtin builtin_reset = {
	.name = "reset",
	.usage = "",
	.summary = "Puts the terminal back into its first state.",
	.run = reset_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "ncurses 6.4",
};
