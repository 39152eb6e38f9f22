/* SPDX-License-Identifier: MIT
 *
 * tput - what a terminal can do, by the names of terminfo: those that scripts use.
 *
 * All terminals but "dumb" are taken for relatives of xterm, with what is known to be different in
 * a list of its own; the number of colours follows from the name.
 */
#include "builtins/tput.h"

static const struct {
	const char *name;
	const char *text;
} fixed[] = {
	{ "E3", "\033[3J" },
	{ "bel", "\a" },
	{ "blink", "\033[5m" },
	{ "bold", "\033[1m" },
	{ "civis", "\033[?25l" },
	{ "clear", "\033[H\033[2J" },
	{ "cnorm", "\033[?12l\033[?25h" },
	{ "cr", "\r" },
	{ "cub1", "\b" },
	{ "cud1", "\n" },
	{ "cuf1", "\033[C" },
	{ "cuu1", "\033[A" },
	{ "cvvis", "\033[?12;25h" },
	{ "dch1", "\033[P" },
	{ "dim", "\033[2m" },
	{ "dl1", "\033[M" },
	{ "ed", "\033[J" },
	{ "el", "\033[K" },
	{ "el1", "\033[1K" },
	{ "flash", "\033[?5h\033[?5l" },
	{ "home", "\033[H" },
	{ "ht", "\t" },
	{ "il1", "\033[L" },
	{ "ind", "\n" },
	{ "invis", "\033[8m" },
	{ "is2", "\033[!p\033[?3;4l\033[4l\033>" },
	{ "kcub1", "\033OD" },
	{ "kcud1", "\033OB" },
	{ "kcuf1", "\033OC" },
	{ "kcuu1", "\033OA" },
	{ "kdch1", "\033[3~" },
	{ "kend", "\033OF" },
	{ "khome", "\033OH" },
	{ "op", "\033[39;49m" },
	{ "rc", "\0338" },
	{ "rev", "\033[7m" },
	{ "ri", "\033M" },
	{ "ritm", "\033[23m" },
	{ "rmam", "\033[?7l" },
	{ "rmcup", "\033[?1049l\033[23;0;0t" },
	{ "rmir", "\033[4l" },
	{ "rmkx", "\033[?1l\033>" },
	{ "rmso", "\033[27m" },
	{ "rmul", "\033[24m" },
	{ "rs1", "\033c" },
	{ "sc", "\0337" },
	{ "sgr0", "\033(B\033[m" },
	{ "sitm", "\033[3m" },
	{ "smam", "\033[?7h" },
	{ "smcup", "\033[?1049h\033[22;0;0t" },
	{ "smir", "\033[4h" },
	{ "smkx", "\033[?1h\033=" },
	{ "smso", "\033[7m" },
	{ "smul", "\033[4m" },
};

/* Where families differ from that; "": they have it not. */
static const struct {
	const char *family; /* the name up to a '-' */
	const char *name;
	const char *text;
} different[] = {
	{ "ansi", "E3", "" },
	{ "ansi", "clear", "\033[H\033[J" },
	{ "ansi", "cub1", "\033[D" },
	{ "ansi", "dim", "" },
	{ "ansi", "rmso", "\033[m" },
	{ "ansi", "rmul", "\033[m" },
	{ "ansi", "sgr0", "\033[0;10m" },
	{ "cygwin", "E3", "" },
	{ "cygwin", "blink", "" },
	{ "cygwin", "clear", "\033[H\033[J" },
	{ "cygwin", "dim", "" },
	{ "cygwin", "sgr0", "\033[0;10m" },
	{ "linux", "clear", "\033[H\033[J" },
	{ "linux", "sgr0", "\033[m\017" },
	{ "rxvt", "E3", "" },
	{ "rxvt", "dim", "" },
	{ "rxvt", "sgr0", "\033[m\017" },
	{ "screen", "E3", "" },
	{ "screen", "clear", "\033[H\033[J" },
	{ "screen", "cuu1", "\033M" },
	{ "screen", "rmso", "\033[23m" },
	{ "screen", "sgr0", "\033[m\017" },
	{ "screen", "smso", "\033[3m" },
	{ "tmux", "clear", "\033[H\033[J" },
	{ "tmux", "cuu1", "\033M" },
	{ "tmux", "sgr0", "\033[m\017" },
	{ "vt100", "E3", "" },
	{ "vt100", "clear", "\033[H\033[J" },
	{ "vt100", "dim", "" },
	{ "vt100", "rmso", "\033[m" },
	{ "vt100", "rmul", "\033[m" },
	{ "vt100", "sgr0", "\033[m\017" },
	{ "vt102", "E3", "" },
	{ "vt102", "clear", "\033[H\033[J" },
	{ "vt102", "dim", "" },
	{ "vt102", "rmso", "\033[m" },
	{ "vt102", "rmul", "\033[m" },
	{ "vt102", "sgr0", "\033[m\017" },
	{ "vt220", "E3", "" },
	{ "vt220", "clear", "\033[H\033[J" },
	{ "vt220", "dim", "" },
	{ "vt220", "sgr0", "\033[m\033(B" },
};

/* With one number; added to it first. */
static const struct {
	const char *name;
	char end;
	int add;
} counted[] = {
	{ "cub", 'D', 0 }, { "cud", 'B', 0 }, { "cuf", 'C', 0 },  { "cuu", 'A', 0 },
	{ "dch", 'P', 0 }, { "dl", 'M', 0 },  { "ech", 'X', 0 },  { "hpa", 'G', 1 },
	{ "ich", '@', 0 }, { "il", 'L', 0 },  { "indn", 'S', 0 }, { "rin", 'T', 0 },
	{ "vpa", 'd', 1 },
};

static const char booleans[] =
	" bw am xsb xhp xenl eo gn hc km hs in da db mir msgr os eslok xt hz ul xon nxon mc5i chts "
	"nrrmc npc ndscr ccc bce hls xhpa crxm daisy xvpa sam cpix lpix ";

/* What terminals are called in full, and which booleans they have. */
static const struct {
	const char *term;
	const char *name;
	const char *booleans;
} about[] = {
	{ "ansi", "ansi/pc-term compatible with color", " am mir msgr mc5i " },
	{ "cygwin", "ANSI emulation for Cygwin", " am hs mir msgr xon " },
	{ "dumb", "80-column dumb tty", " am " },
	{ "linux", "Linux console", " am xenl eo mir msgr xon ccc bce " },
	{ "rxvt", "rxvt terminal emulator (X Window System)", " am xenl eo km mir msgr xon bce " },
	{ "rxvt-unicode", "rxvt-unicode terminal (X Window System)",
	  " bw am xenl eo km hs mir msgr xon mc5i npc ccc bce " },
	{ "rxvt-unicode-256color", "rxvt-unicode terminal with 256 colors (X Window System)",
	  " bw am xenl eo km hs mir msgr xon mc5i npc ccc bce " },
	{ "screen", "VT 100/ANSI X3.64 virtual terminal", " am xenl km mir msgr " },
	{ "screen-256color", "GNU Screen with 256 colors", " am xenl km mir msgr " },
	{ "tmux", "tmux terminal multiplexer", " am xenl km hs mir msgr " },
	{ "tmux-256color", "tmux with 256 colors", " am xenl km hs mir msgr " },
	{ "vt100", "DEC VT100 (w/advanced video)", " am xenl msgr xon mc5i " },
	{ "vt102", "DEC VT102", " am xenl msgr xon mc5i " },
	{ "vt220", "DEC VT220", " am xenl mir msgr xon mc5i " },
	{ "xterm", "xterm terminal emulator (X Window System)",
	  " am xenl km mir msgr mc5i npc bce " },
	{ "xterm-256color", "xterm with 256 colors", " am xenl km mir msgr mc5i npc ccc bce " },
	{ "xterm-color", "generic color xterm", " am xenl km mir msgr " },
	{ "xterm-mono", "monochrome xterm", " am xenl km mir msgr " },
};

bool terminal_is_known(const char *term)
{
	static const char *const names[] = {
		"xterm",     "screen", "tmux", "linux",  "vt100",   "vt102", "vt220",
		"ansi",      "rxvt",   "dumb", "cygwin", "konsole", "gnome", "kitty",
		"alacritty", "putty",  "foot", "st",     "unknown",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (strncmp(term, names[i], len) == 0 && (term[len] == '\0' || term[len] == '-'))
			return true;
	}
	return false;
}

static bool is_dumb(const char *term)
{
	return strcmp(term, "dumb") == 0 || strcmp(term, "unknown") == 0;
}

static int colors_of(const char *term)
{
	if (is_dumb(term) || strncmp(term, "vt", 2) == 0)
		return -1;
	return strstr(term, "256color") != NULL ? 256 : 8;
}

static bool put_color(const char *term, int64_t n, bool back, struct buf *out)
{
	int colors = colors_of(term);

	if (colors < 0)
		return false;
	if (n < 8 || colors == 8)
		buf_printf(out, "\033[%d%lldm", back ? 4 : 3, (long long)n);
	else if (n < 16)
		buf_printf(out, "\033[%d%lldm", back ? 10 : 9, (long long)(n - 8));
	else
		buf_printf(out, "\033[%d8;5;%lldm", back ? 4 : 3, (long long)n);
	return true;
}

static bool put_scroll_region(const int64_t *args, int n, struct buf *out)
{
	buf_printf(out, "\033[%lld;%lldr", (long long)(n > 0 ? args[0] + 1 : 1),
		   (long long)(n > 1 ? args[1] + 1 : 1));
	return true;
}

/* A capability without parameters, NULL: there is none. */
static const char *find_text(const char *term, const char *name)
{
	size_t family = strcspn(term, "-");

	for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++)
		if (strcmp(different[i].name, name) == 0 &&
		    strncmp(different[i].family, term, family) == 0 &&
		    different[i].family[family] == '\0')
			return different[i].text[0] != '\0' ? different[i].text : NULL;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (strcmp(fixed[i].name, name) == 0)
			return fixed[i].text;
	return NULL;
}

bool terminal_capability(const char *term, const char *name, int n, const int64_t *args,
			 struct buf *out)
{
	int64_t first = n > 0 ? args[0] : 0;

	if (is_dumb(term)) {
		if (strcmp(name, "bel") == 0 || strcmp(name, "cr") == 0)
			buf_puts(out, name[0] == 'b' ? "\a" : "\r");
		else if (strcmp(name, "cud1") == 0 || strcmp(name, "ind") == 0)
			buf_putc(out, '\n');
		return out->len > 0;
	}
	if (strcmp(name, "setaf") == 0 || strcmp(name, "setab") == 0)
		return put_color(term, first, name[4] == 'b', out);
	if (strcmp(name, "csr") == 0)
		return put_scroll_region(args, n, out);
	if (strcmp(name, "cup") == 0) {
		buf_printf(out, "\033[%lld;%lldH", (long long)first + 1,
			   (long long)(n > 1 ? args[1] : 0) + 1);
		return true;
	}
	const char *text = find_text(term, name);

	if (text != NULL) {
		buf_puts(out, text);
		return true;
	}
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (strcmp(counted[i].name, name) == 0) {
			buf_printf(out, "\033[%lld%c", (long long)first + counted[i].add,
				   counted[i].end);
			return true;
		}
	}
	return false;
}

struct tput_opts {
	const char *term;
	bool from_input;
	bool keep;
};

static const struct opt tput_options[] = {
	OPT_FLAG('S', NULL, struct tput_opts, from_input, "names from standard input, one a line"),
	OPT_STR('T', NULL, struct tput_opts, term, NULL, "TERM", "instead of $TERM"),
	OPT_FLAG('x', NULL, struct tput_opts, keep, "clear keeps what scrolled away"),
	OPT_END(),
};

/* cols, lines, colors, it: numbers; from the environment what a terminal would say. */
static bool put_number(struct cmd *c, const char *term, const char *name)
{
	const char *given = NULL;
	unsigned size = 0;
	uint64_t n;

	if (strcmp(name, "cols") == 0 || strcmp(name, "columns") == 0)
		given = cmd_getenv(c, "COLUMNS");
	else if (strcmp(name, "lines") == 0)
		given = cmd_getenv(c, "LINES");
	else if (strcmp(name, "colors") != 0 && strcmp(name, "it") != 0)
		return false;
	for (int fd = 0; fd < 3 && size == 0; fd++)
		size = name[0] == 'l' ? cmd_terminal_rows(c, fd) : cmd_terminal_columns(c, fd);
	if (given != NULL && num_plain(given, &n) && n > 0)
		cmd_printf(c, "%s\n", given);
	else if (strcmp(name, "colors") == 0)
		cmd_printf(c, "%d\n", colors_of(term));
	else if (name[0] == 'i' || size == 0)
		cmd_puts(c, name[0] == 'i' ? "8\n" : name[0] == 'l' ? "24\n" : "80\n");
	else
		cmd_printf(c, "%u\n", size);
	return true;
}

/* How many of the words behind a name are for it. */
static int arity_of(const char *name)
{
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (strcmp(counted[i].name, name) == 0)
			return 1;
	if (strcmp(name, "cup") == 0 || strcmp(name, "csr") == 0)
		return 2;
	return strcmp(name, "setaf") == 0 || strcmp(name, "setab") == 0;
}

static bool is_word_of(struct cmd *c, const char *list, const char *name)
{
	struct buf word = buf_in(c->arena);

	buf_printf(&word, " %s ", name);
	return name[0] != '\0' && strchr(name, ' ') == NULL &&
	       strstr(list, buf_cstr(&word)) != NULL;
}

static int put_long_name(struct cmd *c, const char *term)
{
	const char *name = term;

	for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++)
		if (strcmp(about[i].term, term) == 0)
			name = about[i].name;
	cmd_puts(c, name);
	return 0;
}

/* The status: 0 if it has it. Relatives that are not listed are as xterm. */
static int test_boolean(struct cmd *c, const char *term, const char *name)
{
	const char *list = " am xenl km mir msgr mc5i npc bce ";

	for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++)
		if (strcmp(about[i].term, is_dumb(term) ? "dumb" : term) == 0)
			list = about[i].booleans;
	return !is_word_of(c, list, name);
}

static bool is_name(const char *name)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (strcmp(fixed[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (strcmp(counted[i].name, name) == 0)
			return true;
	return strcmp(name, "setaf") == 0 || strcmp(name, "setab") == 0 ||
	       strcmp(name, "cup") == 0 || strcmp(name, "csr") == 0;
}

static int put_one(struct cmd *c, const char *term, int argc, char **argv)
{
	const struct tput_opts *o = c->opts;
	const char *name = argv[0];
	int64_t args[9];
	struct buf text = buf_in(c->arena);
	int n = 0;

	for (int i = 1; i < argc && n < 9; i++)
		if (num_parse_i64(argv[i], "", &args[n]) == 0)
			n++;
	if (put_number(c, term, name))
		return 0;
	if (strcmp(name, "longname") == 0)
		return put_long_name(c, term);
	if (is_word_of(c, booleans, name))
		return test_boolean(c, term, name);
	if (strcmp(name, "init") == 0 || strcmp(name, "reset") == 0)
		name = strcmp(name, "init") == 0 ? "is2" : "rs1";
	if (!is_name(name))
		return cmd_error(c, 0, "unknown terminfo capability '%s'", name);
	if (!terminal_capability(term, name, n, args, &text))
		return 1;
	if (strcmp(name, "clear") == 0 && !o->keep)
		terminal_capability(term, "E3", 0, NULL, &text);
	cmd_bytes(c, buf_bytes(&text));
	return 0;
}

/* Names and what is theirs, to the first that fails. */
static int put_all(struct cmd *c, const char *term, int argc, char **argv)
{
	int status = 0;

	for (int i = 0; i < argc && status == 0;) {
		int used = 1 + arity_of(argv[i]);

		if (used > argc - i)
			used = argc - i;
		status = put_one(c, term, used, argv + i);
		i += used;
	}
	return status;
}

static int put_input(struct cmd *c, const char *term)
{
	struct input in;
	struct bytes line;
	int status = 0;

	input_init(&in, c, 0, "-");
	while (input_line(&in, '\n', &line) > 0) {
		char *argv[10];
		int n = 0;
		char *word = arena_dup(c->arena, line);

		while (n < 10 && *(word += strspn(word, " \t")) != '\0') {
			argv[n++] = word;
			word += strcspn(word, " \t");
			if (*word != '\0')
				*word++ = '\0';
		}
		if (n > 0)
			status |= put_all(c, term, n, argv);
		cmd_charge(c, 2);
	}
	return status;
}

static const char usage[] =
	"Usage: tput [options] [command]\n\n"
	"Options:\n"
	"  -S <<       read commands from standard input\n"
	"  -T TERM     use this instead of $TERM\n"
	"  -V          print curses-version\n"
	"  -x          do not try to clear scrollback\n\n"
	"Commands:\n"
	"  clear       clear the screen\n"
	"  init        initialize the terminal\n"
	"  reset       reinitialize the terminal\n"
	"  capname     unlike clear/init/reset, print value for capability \"capname\"\n";

static int tput_run(struct cmd *c)
{
	const struct tput_opts *o = c->opts;
	const char *term = o->term != NULL ? o->term : cmd_getenv(c, "TERM");

	if (c->nargs == 0 && !o->from_input)
		return cmd_err_write(c, usage, sizeof(usage) - 1), 2;
	if (term == NULL || *term == '\0')
		return cmd_error(c, 0, "No value for $TERM and no -T specified"), 2;
	if (!terminal_is_known(term))
		return cmd_error(c, 0, "unknown terminal \"%s\"", term), 3;
	return o->from_input ? put_input(c, term) : put_all(c, term, c->nargs, c->args);
}

const struct builtin builtin_tput = {
	.name = "tput",
	.usage = "[OPTION]... {NAME [NUMBER]...}...",
	.summary = "Writes what makes a terminal do things: bold, sgr0, setaf 1, cols...",
	.run = tput_run,
	.opts = tput_options,
	.opts_size = sizeof(struct tput_opts),
	.flags = BUILTIN_STOP,
	.usage_status = 2,
	.error_status = 4,
	.family = "ncurses 6.4",
};
