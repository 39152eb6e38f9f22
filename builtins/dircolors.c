/* SPDX-License-Identifier: MIT
 *
 * dircolors - the shell command that sets LS_COLORS.
 *
 * Lines of a database are keywords or endings of names, and colours; TERM and COLORTERM lines
 * limit what follows to terminals that match. Reference: GNU coreutils.
 */
#include "base/glob.h"
#include "builtins/builtin.h"

enum shell { SHELL_GUESS, SHELL_BOURNE, SHELL_C };

struct dircolors_opts {
	int shell;
	bool database;
	bool shown; /* --print-ls-colors */
};

static const struct opt dircolors_options[] = {
	OPT_SET('b', "sh", struct dircolors_opts, shell, SHELL_BOURNE, "code for Bourne shells"),
	OPT_SET('b', "bourne-shell", struct dircolors_opts, shell, SHELL_BOURNE, NULL),
	OPT_SET('c', "csh", struct dircolors_opts, shell, SHELL_C, "code for C shells"),
	OPT_SET('c', "c-shell", struct dircolors_opts, shell, SHELL_C, NULL),
	OPT_FLAG('p', "print-database", struct dircolors_opts, database, "write the defaults"),
	OPT_FLAG(0, "print-ls-colors", struct dircolors_opts, shown,
		 "write each colour in itself, with its code"),
	OPT_END(),
};

static const struct {
	const char *words; /* keywords of the database, blanks around each */
	const char *code;  /* of LS_COLORS */
} keywords[] = {
	{ " NORMAL NORM ", "no" },
	{ " FILE ", "fi" },
	{ " RESET ", "rs" },
	{ " DIR ", "di" },
	{ " LNK LINK SYMLINK ", "ln" },
	{ " ORPHAN ", "or" },
	{ " MISSING ", "mi" },
	{ " FIFO PIPE ", "pi" },
	{ " SOCK ", "so" },
	{ " BLK BLOCK ", "bd" },
	{ " CHR CHAR ", "cd" },
	{ " DOOR ", "do" },
	{ " EXEC ", "ex" },
	{ " LEFT LEFTCODE ", "lc" },
	{ " RIGHT RIGHTCODE ", "rc" },
	{ " END ENDCODE ", "ec" },
	{ " SUID SETUID ", "su" },
	{ " SGID SETGID ", "sg" },
	{ " STICKY ", "st" },
	{ " OTHER_WRITABLE OWR ", "ow" },
	{ " STICKY_OTHER_WRITABLE OWT ", "tw" },
	{ " CAPABILITY ", "ca" },
	{ " MULTIHARDLINK ", "mh" },
	{ " CLRTOEOL ", "cl" },
	{ " OPTIONS COLOR EIGHTBIT ", NULL },
};

/* The defaults: terminals, kinds of files, and endings that share a colour. */
static const char *const default_terms =
	"Eterm ansi *color* con[0-9]*x[0-9]* cons25 console cygwin *direct* dtterm gnome hurd "
	"jfbterm konsole kterm linux linux-c mlterm putty rxvt* screen* st terminator tmux* vt100 "
	"xterm*";
static const char *const default_kinds[][2] = {
	{ "RESET", "0" },
	{ "DIR", "01;34" },
	{ "LINK", "01;36" },
	{ "MULTIHARDLINK", "00" },
	{ "FIFO", "40;33" },
	{ "SOCK", "01;35" },
	{ "DOOR", "01;35" },
	{ "BLK", "40;33;01" },
	{ "CHR", "40;33;01" },
	{ "ORPHAN", "40;31;01" },
	{ "MISSING", "00" },
	{ "SETUID", "37;41" },
	{ "SETGID", "30;43" },
	{ "CAPABILITY", "00" },
	{ "STICKY_OTHER_WRITABLE", "30;42" },
	{ "OTHER_WRITABLE", "34;42" },
	{ "STICKY", "37;44" },
	{ "EXEC", "01;32" },
};
static const struct {
	const char *color;
	const char *endings;
} default_endings[] = {
	{ "01;31", ".tar .tgz .arc .arj .taz .lha .lz4 .lzh .lzma .tlz .txz .tzo .t7z .zip "
		   ".z .dz .gz .lrz .lz .lzo .xz .zst .tzst .bz2 .bz .tbz .tbz2 .tz .deb "
		   ".rpm .jar .war .ear .sar .rar .alz .ace .zoo .cpio .7z .rz .cab .wim "
		   ".swm .dwm .esd" },
	{ "01;35", ".avif .jpg .jpeg .mjpg .mjpeg .gif .bmp .pbm .pgm .ppm .tga .xbm .xpm "
		   ".tif .tiff .png .svg .svgz .mng .pcx .mov .mpg .mpeg .m2v .mkv .webm "
		   ".webp .ogm .mp4 .m4v .mp4v .vob .qt .nuv .wmv .asf .rm .rmvb .flc .avi "
		   ".fli .flv .gl .dl .xcf .xwd .yuv .cgm .emf .ogv .ogx" },
	{ "00;36", ".aac .au .flac .m4a .mid .midi .mka .mp3 .mpc .ogg .ra .wav .oga .opus "
		   ".spx .xspf" },
	{ "00;90", "~ # .bak .old .orig .part .rej .swp .tmp .dpkg-dist .dpkg-old .ucf-dist "
		   ".ucf-new .ucf-old .rpmnew .rpmorig .rpmsave" },
};

/* --- the code --- */

struct code {
	struct cmd *c;
	bool shown;
	struct buf out;
};

/* A part of LS_COLORS inside of single quotes: what is special to ls gets a backslash. */
static void put_quoted(struct buf *out, struct bytes s)
{
	bool need = true;

	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];

		if (ch == '\'') {
			buf_puts(out, "'\\'");
			need = true;
		} else if (ch == '\\' || ch == '^') {
			need = !need;
		} else {
			if ((ch == ':' || ch == '=') && need)
				buf_putc(out, '\\');
			need = true;
		}
		buf_putc(out, ch);
	}
}

static void put_color(struct code *k, struct bytes name, const char *star, struct bytes color)
{
	struct buf *out = &k->out;

	if (k->shown) {
		buf_printf(out, "\033[%.*sm%s%.*s\t%.*s\033[0m\n", (int)color.len, color.ptr, star,
			   (int)name.len, name.ptr, (int)color.len, color.ptr);
		return;
	}
	buf_puts(out, star);
	put_quoted(out, name);
	buf_putc(out, '=');
	put_quoted(out, color);
	buf_putc(out, ':');
}

/* The code of a keyword: *known if it is one; NULL for those without effect. */
static const char *keyword_code(struct bytes word, bool *known)
{
	char upper[40] = " ";

	*known = false;
	if (word.len > sizeof upper - 3)
		return NULL;
	for (size_t i = 0; i < word.len; i++)
		upper[i + 1] = (char)byte_to_upper((unsigned char)word.ptr[i]);
	upper[word.len + 1] = ' ';
	for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
		if (strstr(keywords[i].words, upper) != NULL) {
			*known = true;
			return keywords[i].code;
		}
	return NULL;
}

static bool matches(struct cmd *c, struct bytes pattern, const char *text)
{
	struct arena_mark mark = arena_mark(c->arena);
	bool match = glob_match(glob_compile(c->arena, pattern, 0), c->arena, bytes_of(text));

	arena_release(c->arena, mark);
	return match;
}

/* The database that is built in, like others, is for terminals that it names. */
static bool terminal_has_colors(struct cmd *c)
{
	const char *color = cmd_getenv(c, "COLORTERM");
	const char *term = cmd_getenv(c, "TERM");
	bool found = color != NULL && color[0] != '\0';

	for (const char *at = default_terms; !found && term != NULL && *at != '\0';) {
		size_t len = strcspn(at, " ");

		found = matches(c, (struct bytes){ at, len }, term);
		at += len + (at[len] != '\0');
	}
	return found;
}

static void put_defaults(struct code *k)
{
	bool known;

	if (!terminal_has_colors(k->c))
		return;

	for (size_t i = 0; i < sizeof default_kinds / sizeof default_kinds[0]; i++)
		put_color(k, bytes_of(keyword_code(bytes_of(default_kinds[i][0]), &known)), "",
			  bytes_of(default_kinds[i][1]));
	for (size_t i = 0; i < sizeof default_endings / sizeof default_endings[0]; i++)
		for (const char *at = default_endings[i].endings; *at != '\0';) {
			size_t len = strcspn(at, " ");

			put_color(k, (struct bytes){ at, len }, "*",
				  bytes_of(default_endings[i].color));
			at += len + (at[len] != '\0');
		}
}

static void put_database(struct cmd *c)
{
	cmd_puts(c,
		 "# Colours of ls for dircolors: keywords and endings of names.\nCOLORTERM ?*\n");
	for (const char *at = default_terms; *at != '\0';) {
		size_t len = strcspn(at, " ");

		cmd_printf(c, "TERM %.*s\n", (int)len, at);
		at += len + (at[len] != '\0');
	}
	for (size_t i = 0; i < sizeof default_kinds / sizeof default_kinds[0]; i++)
		cmd_printf(c, "%s %s\n", default_kinds[i][0], default_kinds[i][1]);
	for (size_t i = 0; i < sizeof default_endings / sizeof default_endings[0]; i++)
		for (const char *at = default_endings[i].endings; *at != '\0';) {
			size_t len = strcspn(at, " ");

			cmd_printf(c, "%s%.*s %s\n", at[0] == '.' ? "" : "*", (int)len, at,
				   default_endings[i].color);
			at += len + (at[len] != '\0');
		}
}

/* --- a database --- */

enum section { FOR_ALL, FOR_OTHERS, FOR_THIS, FOR_THIS_BEGUN };

struct reader {
	struct code k;
	const char *name;
	uint64_t number;
	enum section section;
	const char *term;
	const char *colorterm;
	bool failed;
};

static void take_pair(struct reader *r, struct bytes word, struct bytes value)
{
	bool term = word.len == 4 && strncmp(word.ptr, "TERM", 4) == 0;
	bool known = true;

	if (term || (word.len == 9 && strncmp(word.ptr, "COLORTERM", 9) == 0)) {
		bool match = matches(r->k.c, value, term ? r->term : r->colorterm);

		if (match)
			r->section = FOR_THIS;
		else if (r->section != FOR_THIS)
			r->section = FOR_OTHERS;
		return;
	}
	if (r->section == FOR_THIS)
		r->section = FOR_THIS_BEGUN;
	if (r->section != FOR_OTHERS) {
		if (word.ptr[0] == '.') {
			put_color(&r->k, word, "*", value);
		} else if (word.ptr[0] == '*') {
			put_color(&r->k, word, "", value);
		} else {
			const char *code = keyword_code(word, &known);

			if (code != NULL)
				put_color(&r->k, bytes_of(code), "", value);
		}
	}
	if (!known && r->section != FOR_ALL) {
		r->failed = true;
		cmd_error(r->k.c, 0, "%s:%llu: unrecognized keyword %.*s", r->name,
			  (unsigned long long)r->number, (int)word.len, word.ptr);
	}
}

/* A line: word, blanks, value up to a comment. */
static void take_line(struct reader *r, struct bytes line)
{
	line = bytes_trim(line);
	r->number++;
	if (line.len == 0 || line.ptr[0] == '#')
		return;
	size_t word = 0;

	while (word < line.len && !byte_is_space((unsigned char)line.ptr[word]))
		word++;
	struct bytes rest = bytes_trim(bytes_slice(line, word, line.len));
	const char *comment = rest.len != 0 ? memchr(rest.ptr, '#', rest.len) : NULL;

	if (comment != NULL && comment != rest.ptr)
		rest = bytes_trim((struct bytes){ rest.ptr, (size_t)(comment - rest.ptr) });
	if (rest.len == 0 || rest.ptr[0] == '#') {
		r->failed = true;
		cmd_error(r->k.c, 0, "%s:%llu: invalid line;  missing second token", r->name,
			  (unsigned long long)r->number);
		return;
	}
	take_pair(r, bytes_slice(line, 0, word), rest);
}

/* False after messages. */
static bool read_database(struct cmd *c, struct code *k, const char *path)
{
	struct reader r = { .k = *k, .name = path };
	struct input in;
	struct bytes line;
	int more = input_open(&in, c, path);

	if (more < 0) {
		cmd_error(c, more, "%s", cmd_quotef(c, path));
		return false;
	}
	r.name = cmd_quotef(c, path);
	r.term = cmd_getenv(c, "TERM");
	r.colorterm = cmd_getenv(c, "COLORTERM");
	if (r.term == NULL || r.term[0] == '\0')
		r.term = "none";
	if (r.colorterm == NULL)
		r.colorterm = "";
	while ((more = input_line(&in, '\n', &line)) > 0) {
		take_line(&r, line);
		cmd_charge_bytes(c, line.len);
	}
	input_close(&in);
	*k = r.k;
	if (more < 0)
		cmd_error(c, more, "%s", cmd_quotef(c, path));
	return more == 0 && !r.failed;
}

static bool is_c_shell(const char *shell)
{
	const char *slash = strrchr(shell, '/');
	const char *name = slash != NULL ? slash + 1 : shell;

	return strcmp(name, "csh") == 0 || strcmp(name, "tcsh") == 0;
}

static int dircolors_run(struct cmd *c)
{
	const struct dircolors_opts *o = c->opts;
	struct code k = { .c = c, .shown = o->shown, .out = buf_in(c->arena) };
	int shell = o->shell;

	if ((o->database || o->shown) && shell != SHELL_GUESS)
		return cmd_usage(c, "the options to output non shell syntax,\n"
				    "and to select a shell syntax are mutually exclusive");
	if (o->database && o->shown)
		return cmd_usage(c, "options --print-database and --print-ls-colors are mutually "
				    "exclusive");
	if (c->nargs > (o->database ? 0 : 1)) {
		cmd_error(c, 0, "extra operand %s", cmd_quote(c, c->args[o->database ? 0 : 1]));
		if (o->database)
			cmd_err_write(
				c, "file operands cannot be combined with --print-database (-p)\n",
				sizeof "file operands cannot be combined with --print-database "
				       "(-p)");
		return cmd_usage(c, NULL);
	}
	if (o->database) {
		put_database(c);
		return 0;
	}
	if (shell == SHELL_GUESS && !o->shown) {
		const char *name = cmd_getenv(c, "SHELL");

		if (name == NULL || name[0] == '\0')
			return cmd_error(c, 0,
					 "no SHELL environment variable, and no shell type "
					 "option given");
		shell = is_c_shell(name) ? SHELL_C : SHELL_BOURNE;
	}
	if (c->nargs == 0)
		put_defaults(&k);
	else if (!read_database(c, &k, c->args[0]))
		return 1;
	if (!o->shown)
		cmd_puts(c, shell == SHELL_C ? "setenv LS_COLORS '" : "LS_COLORS='");
	cmd_bytes(c, buf_bytes(&k.out));
	if (!o->shown)
		cmd_puts(c, shell == SHELL_C ? "'\n" : "';\nexport LS_COLORS\n");
	return 0;
}

const struct builtin builtin_dircolors = {
	.name = "dircolors",
	.usage = "[OPTION]... [FILE]",
	.summary = "Writes the shell command that sets LS_COLORS to the colours of FILE, or the "
		   "defaults.",
	.run = dircolors_run,
	.opts = dircolors_options,
	.opts_size = sizeof(struct dircolors_opts),
};
