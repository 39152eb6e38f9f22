/* SPDX-License-Identifier: MIT
 *
 * ls: what options and environment mean together, and how sizes are written.
 */
#include "base/number.h"
#include "base/time.h"
#include "builtins/ls/ls.h"
#include "builtins/zone.h"

/* A count of columns, also as 0x20 or 020: 0, -E_INVAL, -E_OVERFLOW. */
static int parse_columns(const char *text, uint64_t *out)
{
	struct bytes s = bytes_of(text);
	bool overflow = false;
	size_t used = number_parse_u64(s, 0, out, &overflow);

	if (used == 0 || used != s.len || strchr(text, '-') != NULL)
		return -E_INVAL;
	return overflow ? -E_OVERFLOW : 0;
}

/* How wide lines and tabs are: options lead; what the environment says is asked for if needed. */
static int set_width(struct cmd *c, struct ls_opts *o)
{
	const char *columns = cmd_getenv(c, "COLUMNS");
	const char *tab = cmd_getenv(c, "TABSIZE");
	bool table = o->format == LS_COLUMNS || o->format == LS_ACROSS || o->format == LS_COMMAS;

	unsigned terminal = table ? cmd_terminal_columns(c, 1) : 0;

	o->width = terminal != 0 ? terminal : 80;
	o->tab = 8;
	if (o->width_text != NULL) {
		if (parse_columns(o->width_text, &o->width) == -E_INVAL)
			return cmd_error(c, 0, "invalid line width: %s",
					 cmd_quote(c, o->width_text));
	} else if (table && terminal == 0 && columns != NULL && columns[0] != '\0') {
		if (parse_columns(columns, &o->width) == -E_INVAL) {
			o->width = 80;
			cmd_warn(c, 0, "ignoring invalid width in environment variable COLUMNS: %s",
				 cmd_quote(c, columns));
		}
	}
	if (o->tab_text != NULL) {
		if (parse_columns(o->tab_text, &o->tab) != 0)
			return cmd_error(c, 0, "invalid tab size: %s", cmd_quote(c, o->tab_text));
	} else if (table && tab != NULL && parse_columns(tab, &o->tab) != 0) {
		o->tab = 8;
		cmd_warn(c, 0, "ignoring invalid tab size in environment variable TABSIZE: %s",
			 cmd_quote(c, tab));
	}
	return 0;
}

static int bad_time_style(struct cmd *c, const char *style)
{
	static const char list[] = "Valid arguments are:\n"
				   "  - [posix-]full-iso\n"
				   "  - [posix-]long-iso\n"
				   "  - [posix-]iso\n"
				   "  - [posix-]locale\n"
				   "  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n";

	cmd_error(c, 0, "invalid argument %s for %s", cmd_quote(c, style),
		  cmd_quote(c, "time style"));
	cmd_err_write(c, list, sizeof(list) - 1);
	return cmd_usage(c, NULL);
}

static void set_format(struct cmd *c, struct ls_opts *o, const char *format)
{
	const char *newline = strchr(format, '\n');

	o->recent = o->old = format;
	if (newline == NULL)
		return;
	o->old = arena_dup(c->arena, (struct bytes){ format, (size_t)(newline - format) });
	o->recent = newline + 1;
}

static int set_time_style(struct cmd *c, struct ls_opts *o)
{
	static const struct {
		const char *name;
		const char *old;
		const char *recent;
	} styles[] = {
		{ "full-iso", "%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M:%S.%N %z" },
		{ "long-iso", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M" },
		{ "iso", "%Y-%m-%d ", "%m-%d %H:%M" },
		{ "locale", "%b %e  %Y", "%b %e %H:%M" },
	};
	const char *style = o->time_style;

	if (style == NULL)
		style = cmd_getenv(c, "TIME_STYLE");
	if (style == NULL)
		style = "locale";
	if (strncmp(style, "posix-", 6) == 0)
		style = c->utf8 ? style + 6 : "locale";
	if (style[0] == '+') {
		set_format(c, o, style + 1);
		return 0;
	}
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		if (strncmp(styles[i].name, style, strlen(style)) != 0 || style[0] == '\0')
			continue;
		o->old = styles[i].old;
		o->recent = styles[i].recent;
		return 0;
	}
	return bad_time_style(c, style);
}

/* --block-size is for blocks and sizes, as are the first two variables; -k is for blocks. */
static int set_block_size(struct cmd *c, struct ls_opts *o)
{
	bool sizes = block_size_of_env(c, "LS_BLOCK_SIZE", &o->block_unit);

	o->size_unit = sizes ? o->block_unit : (struct block_size){ .unit = 1 };
	if (o->block_size != NULL) {
		int status = block_size_parse(c, "--block-size", o->block_size, &o->block_unit);

		o->size_unit = o->block_unit;
		return status;
	}
	if (o->human || o->si)
		o->block_unit = o->size_unit = (struct block_size){ .base = o->si ? 1000 : 1024 };
	else if (o->kilobytes)
		o->block_unit = (struct block_size){ .unit = 1024 };
	return 0;
}

static bool on(struct cmd *c, int when)
{
	return when == LS_ALWAYS || (when == LS_AUTO && cmd_isatty(c, 1));
}

/* Without LS_COLORS only terminals known to have colors get any, as in the real ls. */
static bool terminal_has_colors(struct cmd *c)
{
	static const char *const known[] = {
		"Eterm",   "ansi",    "con",        "cygwin", "dtterm", "gnome", "hurd",
		"jfbterm", "konsole", "kterm",      "linux",  "mlterm", "putty", "rxvt",
		"screen",  "st",      "terminator", "tmux",   "vt100",  "vt220", "xterm",
	};
	const char *colors = cmd_getenv(c, "LS_COLORS");
	const char *colorterm = cmd_getenv(c, "COLORTERM");
	const char *term = cmd_getenv(c, "TERM");

	if ((colors != NULL && colors[0] != '\0') || (colorterm != NULL && colorterm[0] != '\0'))
		return true;
	if (term == NULL || term[0] == '\0')
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(term, known[i], strlen(known[i])) == 0)
			return true;
	return strstr(term, "color") != NULL || strstr(term, "direct") != NULL;
}

/* QUOTING_STYLE: how names are written where no option says it. */
static void set_quoting(struct cmd *c, struct ls_opts *o, bool tty)
{
	const char *style = cmd_getenv(c, "QUOTING_STYLE");

	if (o->quoting < 0 && style != NULL) {
		for (const struct opt_word *w = quote_words; w->word != NULL; w++)
			if (strcmp(w->word, style) == 0)
				o->quoting = w->value;
		if (o->quoting < 0)
			cmd_warn(c, 0,
				 "ignoring invalid value of environment variable QUOTING_STYLE: %s",
				 cmd_quote(c, style));
	}
	if (o->quoting < 0)
		o->quoting = o->usual_quoting >= 0 ? o->usual_quoting
			     : tty                 ? QUOTE_SHELL_ESCAPE
						   : QUOTE_LITERAL;
}

/* Where columns are, and the style quotes some names only. */
static bool may_align(const struct ls_opts *o)
{
	bool columns = (o->format == LS_COLUMNS || o->format == LS_ACROSS) && o->width != 0;

	return (columns || o->format == LS_LONG) &&
	       (o->quoting == QUOTE_SHELL || o->quoting == QUOTE_SHELL_ESCAPE ||
		o->quoting == QUOTE_C_MAYBE);
}

int ls_prepare(struct cmd *c, struct ls_opts *o)
{
	bool tty = cmd_isatty(c, 1);

	if (o->format < 0)
		o->format = o->usual_format;
	if (o->format < 0)
		o->format = tty ? LS_COLUMNS : LS_SINGLE;
	set_quoting(c, o, tty);
	if (tty && !o->show_control)
		o->hide_control = true;
	if (o->sort < 0)
		o->sort = o->time_given && o->format != LS_LONG ? LS_TIME : LS_NAME;
	o->utf8 = c->utf8;
	o->colored = on(c, o->color) && terminal_has_colors(c);
	o->links = on(c, o->hyperlink);
	o->dired &= o->format == LS_LONG && !o->links;
	if (o->dired && o->zero)
		return cmd_error(c, 0, "--dired and --zero are incompatible");
	o->colored = o->colored && !o->dired && ls_colors_check(c);
	if (o->indicator == LS_CLASSIFY && !on(c, o->classify_when))
		o->indicator = LS_PLAIN;
	if (o->directory)
		o->recursive = false;
	o->now_ns = cmd_now(c);
	o->zone = zone_of_command(c);
	int status = set_width(c, o);

	if (o->colored)
		o->tab = 0; /* some terminals colour what a tab passes */
	o->aligned = may_align(o);
	if (status == 0)
		status = set_block_size(c, o);
	if (status == 0 && o->format == LS_LONG)
		status = set_time_style(c, o);
	return status;
}

static size_t put_units(const struct block_size *u, uint64_t bytes, char out[32])
{
	if (u->unit == 0) {
		num_human(bytes, u->base, out);
		return strlen(out);
	}
	size_t len = num_format_u64(bytes / u->unit + (bytes % u->unit != 0), out);
	size_t suffix = strlen(u->suffix);

	memcpy(out + len, u->suffix, suffix);
	return len + suffix;
}

size_t ls_blocks_text(const struct ls_opts *o, uint64_t blocks512, char out[32])
{
	return put_units(&o->block_unit, blocks512 * 512, out);
}

size_t ls_size_text(const struct ls_opts *o, uint64_t size, char out[32])
{
	return put_units(&o->size_unit, size, out);
}
