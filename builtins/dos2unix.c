/* SPDX-License-Identifier: MIT
 *
 * dos2unix, unix2dos, mac2unix, unix2mac - convert line ends.
 *
 * The four are one conversion with other defaults: from CRLF, LF or CR to another of them.
 * UTF-16 input becomes UTF-8. A file is written beside the old one, then takes its name. Not
 * here: the code pages (-iso, -437 ...), -u, -ul, -ub.
 */
#include "builtins/builtin.h"

enum break_kind { BREAK_UNIX, BREAK_DOS, BREAK_MAC };
enum links { LINK_SKIP, LINK_FOLLOW, LINK_REPLACE };
enum utf16 { UTF16_NO, UTF16_LE, UTF16_BE };
struct dos2unix {
	bool force;
	bool keep_date;
	bool doubled; /* -l */
	bool new_file;
	bool quiet;
	bool verbose;
	bool seven;
	bool mac;
	int bom; /* 'k' keep, 'm' add, 'r' remove */
	int links;
	bool info;
	const char *info_flags;
	/* state of one conversion */
	struct cmd *c;
	enum break_kind from;
	enum break_kind to;
	struct input *in;
	struct output *out; /* NULL: only counting */
	int last;           /* the byte before; -1 */
	uint64_t line;
	uint64_t converted;
	uint64_t dos;
	uint64_t lf;
	uint64_t cr;
	bool has_bom;
	enum utf16 wide;
	int bad; /* the first binary byte; -1 */
};

static bool is_word(const char *text, const char *word)
{
	while (*word != '\0' && byte_to_lower((unsigned char)*text) == *word) {
		text++;
		word++;
	}
	return *text == *word;
}

static int set_mode(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct dos2unix *o = c->opts;

	(void)opt;
	o->seven = is_word(arg, "7bit");
	o->mac = is_word(arg, "mac");
	if (is_word(arg, "iso"))
		return cmd_error(c, 0, "conversion mode %s is not supported", arg);
	if (!o->seven && !o->mac && !is_word(arg, "ascii"))
		return cmd_error(c, 0, "invalid %s conversion mode specified", arg);
	return 0;
}

static int set_info(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct dos2unix *o = c->opts;

	(void)opt;
	o->info = true;
	o->info_flags = arg != NULL ? arg : "";
	for (const char *at = o->info_flags; *at != '\0'; at++)
		if (strchr("0dumbtchp", *at) == NULL)
			return cmd_error(c, 0, "wrong flag '%c' for option -i or --info", *at);
	return 0;
}

static int set_old(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct dos2unix *o = c->opts;

	(void)opt, (void)arg;
	o->new_file = false;
	return 0;
}

/* Words behind one dash. */
static int take_word(struct cmd *c, int argc, char **argv, int i)
{
	struct dos2unix *o = c->opts;
	static const char *const missing[] = { "-iso", "-1252", "-437", "-850", "-860",
					       "-863", "-865",  "-ul",  "-ub" };

	(void)argc;
	for (size_t at = 0; at < sizeof(missing) / sizeof(*missing); at++)
		if (strcmp(argv[i], missing[at]) == 0)
			cmd_exit(c, cmd_error(c, 0, "option '%s' is not supported", argv[i]));
	if (strcmp(argv[i], "-ascii") != 0 && strcmp(argv[i], "-7") != 0)
		return 0;
	o->seven = argv[i][1] == '7';
	o->mac = false;
	return 1;
}

static const struct opt dos2unix_options[] = {
	OPT_IGNORED(0, "allow-chown", NULL),
	OPT_IGNORED(0, "no-allow-chown", NULL),
	OPT_SET('b', "keep-bom", struct dos2unix, bom, 'k', "keep a byte order mark"),
	OPT_CALL_ARG('c', "convmode", set_mode, "MODE", "ascii, 7bit or mac"),
	OPT_FLAG('f', "force", struct dos2unix, force, "convert binary files, too"),
	OPT_CALL_OPTIONAL('i', "info", set_info, "FLAGS", "show what files contain"),
	OPT_FLAG('k', "keepdate", struct dos2unix, keep_date, "keep the time of the file"),
	OPT_FLAG('l', "newline", struct dos2unix, doubled, "add a line end to converted ones"),
	OPT_SET('m', "add-bom", struct dos2unix, bom, 'm', "add a byte order mark"),
	OPT_FLAG('n', "newfile", struct dos2unix, new_file, "operands are INFILE OUTFILE ..."),
	OPT_CALL('o', "oldfile", set_old, "convert files in place (default)"),
	OPT_FLAG('q', "quiet", struct dos2unix, quiet, "no messages"),
	OPT_SET('r', "remove-bom", struct dos2unix, bom, 'r', "remove a byte order mark"),
	OPT_IGNORED('s', "safe", "skip binary files (default)"),
	OPT_MISSING('u', "keep-utf16"),
	OPT_MISSING(0, "assume-utf16le"),
	OPT_MISSING(0, "assume-utf16be"),
	OPT_FLAG('v', "verbose", struct dos2unix, verbose, "count line ends"),
	OPT_SET('F', "follow-symlink", struct dos2unix, links, LINK_FOLLOW,
		"convert what links point to"),
	OPT_SET('R', "replace-symlink", struct dos2unix, links, LINK_REPLACE,
		"replace links by converted files"),
	OPT_SET('S', "skip-symlink", struct dos2unix, links, LINK_SKIP, "leave links (default)"),
	OPT_END(),
};

/* --- conversion --- */

static void put(struct dos2unix *o, const char *text, size_t len)
{
	if (o->out != NULL)
		output_write(o->out, text, len);
}

static void put_break(struct dos2unix *o, bool converted)
{
	static const struct bytes ends[] = { { "\n", 1 }, { "\r\n", 2 }, { "\r", 1 } };
	int times = converted && o->doubled ? 2 : 1;

	for (int i = 0; i < times; i++)
		put(o, ends[o->to].ptr, ends[o->to].len);
	o->converted += converted;
}

/* A line end that is as the input has it; a CR is written when what follows is known. */
static void put_byte(struct dos2unix *o, int ch)
{
	char one = (char)ch;
	int last = o->last;

	if (o->bad >= 0 && !o->force && o->out != NULL)
		return;
	o->last = ch;
	if (last == '\r') {
		if (ch == '\n') {
			o->dos++;
			o->line++;
			if (o->from == BREAK_DOS)
				put_break(o, true);
			else
				put(o, "\r\n", 2);
			return;
		}
		o->cr++;
		o->line += o->from == BREAK_MAC;
		if (o->from == BREAK_MAC)
			put_break(o, true);
		else
			put(o, "\r", 1);
		/* Of two CRs the second does not protect the LF behind it. */
		if (ch == '\r' && o->to == BREAK_DOS) {
			put(o, "\r", 1);
			o->last = -1;
			return;
		}
	}
	if (ch < 0 || ch == '\r')
		return;
	if (ch == '\n') {
		o->lf++;
		o->line++;
		if (o->from == BREAK_UNIX)
			put_break(o, true);
		else
			put(o, "\n", 1);
		return;
	}
	if (ch < 32 && ch != '\t' && ch != '\f' && o->bad < 0)
		o->bad = ch;
	if (o->bad >= 0 && !o->force && o->out != NULL)
		return;
	if (o->seven && ch >= 0x80)
		one = ' ';
	put(o, &one, 1);
}

/* A unit of UTF-16; -1 at the end (an odd byte is dropped). */
static int next_unit(struct dos2unix *o)
{
	int a = input_byte(o->in);
	int b = a >= 0 ? input_byte(o->in) : -1;

	if (b < 0)
		return -1;
	return o->wide == UTF16_LE ? b << 8 | a : a << 8 | b;
}

static void convert_wide(struct dos2unix *o)
{
	char text[4];
	int unit;
	int high = -1;

	while ((unit = next_unit(o)) >= 0 && (o->bad < 0 || o->force || o->out == NULL)) {
		uint32_t ch = (uint32_t)unit;

		cmd_charge(o->c, 1);
		if (high >= 0 && (unit & 0xfc00) == 0xdc00)
			ch = 0x10000 + ((uint32_t)(high & 0x3ff) << 10 | (uint32_t)(unit & 0x3ff));
		else if ((unit & 0xfc00) == 0xd800) {
			high = unit;
			continue;
		}
		high = -1;
		if (ch < 0x80) {
			put_byte(o, (int)ch);
			continue;
		}
		size_t n = utf8_encode(ch, text);

		for (size_t i = 0; i < n; i++)
			put_byte(o, (unsigned char)text[i]);
	}
}

static void put_mark(struct dos2unix *o)
{
	put(o, "\xef\xbb\xbf", 3);
	if (o->verbose && !o->quiet && o->out != NULL)
		cmd_warn(o->c, 0, "Writing UTF-8 BOM.");
}

/* Reads a byte order mark. */
static void take_mark(struct dos2unix *o)
{
	int byte[3];
	int n = 0;

	while (n < 3 && (byte[n] = input_byte(o->in)) >= 0) {
		n++;
		if (n == 2 && byte[0] == 0xff && byte[1] == 0xfe)
			o->wide = UTF16_LE;
		if (n == 2 && byte[0] == 0xfe && byte[1] == 0xff)
			o->wide = UTF16_BE;
		if (o->wide != UTF16_NO) {
			o->has_bom = true;
			return;
		}
		if (n == 1 && byte[0] != 0xef && byte[0] != 0xff && byte[0] != 0xfe)
			break;
	}
	o->has_bom = n == 3 && byte[0] == 0xef && byte[1] == 0xbb && byte[2] == 0xbf;
	if ((o->has_bom && o->bom == 'k') || o->bom == 'm')
		put_mark(o);
	for (int i = 0; !o->has_bom && i < n; i++)
		put_byte(o, byte[i]);
}

/* Converts all of the input (or counts). The first binary byte, or -1. */
static int convert(struct dos2unix *o, struct input *in, struct output *out)
{
	struct bytes part;

	o->in = in;
	o->out = out;
	o->last = o->bad = -1;
	o->line = 1;
	o->converted = o->dos = o->lf = o->cr = 0;
	o->has_bom = false;
	o->wide = UTF16_NO;
	take_mark(o);
	if (o->wide != UTF16_NO && (o->bom == 'k' || o->bom == 'm'))
		put_mark(o);
	if (o->wide != UTF16_NO)
		convert_wide(o);
	else
		while (input_block(in, &part) > 0) {
			for (size_t i = 0; i < part.len; i++)
				put_byte(o, (unsigned char)part.ptr[i]);
			cmd_charge_bytes(o->c, part.len * 4);
			if (o->bad >= 0 && !o->force && out != NULL)
				break;
		}
	if (o->bad < 0 || o->force || out == NULL)
		put_byte(o, -1);
	return o->force ? -1 : o->bad;
}

/* --- files --- */

static const char *type_name(const struct dos2unix *o)
{
	static const char *const names[] = { "Unix", "DOS", "Mac" };

	return names[o->to];
}

/* from NULL: standard input. */
static void say_converted(struct dos2unix *o, const char *from, const char *to)
{
	static const char *const wide[] = { "", "UTF-16LE ", "UTF-16BE " };
	uint64_t all = o->from == BREAK_DOS   ? o->dos + o->lf
		       : o->from == BREAK_MAC ? o->cr + o->lf
					      : o->lf + o->dos;

	if (o->quiet)
		return;
	if (o->verbose)
		cmd_warn(o->c, 0, "Converted %llu out of %llu line breaks.",
			 (unsigned long long)o->converted, (unsigned long long)all);
	if (from == NULL)
		return;
	if (to != NULL)
		cmd_warn(o->c, 0, "converting %sfile %s to file %s in %s%s format...",
			 wide[o->wide], from, to, o->wide != UTF16_NO ? "UTF-8 " : "",
			 type_name(o));
	else
		cmd_warn(o->c, 0, "converting %sfile %s to %s%s format...", wide[o->wide], from,
			 o->wide != UTF16_NO ? "UTF-8 " : "", type_name(o));
}

static int say_binary(struct dos2unix *o, const char *name)
{
	if (!o->quiet) {
		cmd_warn(o->c, 0, "Binary symbol 0x%02x found at line %llu", (unsigned)o->bad,
			 (unsigned long long)o->line);
		cmd_warn(o->c, 0, "Skipping binary file %s", name);
	}
	return 0;
}

/* What may be converted: 0, or after a message -1 (skipped) or a status: the error's number. */
static int check(struct dos2unix *o, const char *name, struct vfs_stat *st)
{
	struct cmd *c = o->c;
	int err = cmd_lstat(c, name, st);

	bool is_link = err == 0 && (st->mode & S_FMT) == S_LNK;

	if (is_link) {
		if (o->links == LINK_SKIP && !o->new_file && !o->info) {
			if (!o->quiet)
				cmd_warn(c, 0, "Skipping symbolic link %s.", name);
			return -1;
		}
		err = cmd_stat(c, name, st);
	}
	if (err < 0) {
		if (o->quiet)
			return -1;
		cmd_warn(c, err, "%s", name);
		cmd_warn(c, 0, "Skipping %s, not a regular file.", name);
		return -err;
	}
	if ((st->mode & S_FMT) == S_REG)
		return 0;
	if (!o->quiet)
		cmd_warn(c, 0,
			 is_link ? "Skipping symbolic link %s, target is not a regular file."
				 : "Skipping %s, not a regular file.",
			 name);
	return -1;
}

static const char *beside(struct cmd *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct buf name = buf_in(c->arena);

	buf_put(&name, path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
	buf_printf(&name, "d2utmp%06llx", (unsigned long long)(cmd_random(c) & 0xffffff));
	return buf_cstr(&name);
}

static int convert_file(struct dos2unix *o, const char *from, const char *to)
{
	struct cmd *c = o->c;
	struct vfs_stat st;
	struct input in;
	struct output out;
	int status = check(o, from, &st);

	if (status != 0)
		return status < 0 ? 0 : status;
	int err = input_open(&in, c, from);

	if (err < 0) {
		cmd_warn(c, err, "Failed to open input file %s", from);
		return -err;
	}
	const char *target = to != NULL ? to : from;
	char *real = NULL;

	if (o->links == LINK_FOLLOW && to == NULL &&
	    cmd_canonical(c, from, CANON_EXISTING, &real) == 0)
		target = real;
	const char *temp = beside(c, target);

	err = output_open(&out, c, temp, O_TRUNC_, false);
	if (err < 0) {
		cmd_warn(c, err, "Failed to open temporary output file");
		if (to != NULL)
			cmd_warn(c, 0, "problems converting file %s to file %s", from, to);
		else
			cmd_warn(c, 0, "problems converting file %s", from);
		return -err;
	}
	int bad = convert(o, &in, &out);

	output_close(&out);
	input_close(&in);
	if (bad >= 0) {
		cmd_unlink(c, CMD_CWD, temp, 0);
		return say_binary(o, from);
	}
	if (to == NULL)
		cmd_chmod(c, CMD_CWD, temp, st.mode & 07777, 0);
	if (o->keep_date)
		cmd_utimes(c, CMD_CWD, temp, st.atime_ns, st.mtime_ns, 0);
	err = cmd_rename(c, CMD_CWD, temp, CMD_CWD, target, 0);
	if (err < 0) {
		cmd_unlink(c, CMD_CWD, temp, 0);
		cmd_warn(c, err, "problems renaming '%s' to '%s'", temp, target);
		return 1;
	}
	say_converted(o, from, to);
	return 0;
}

/* --- information --- */

static void put_info(struct dos2unix *o, const char *name)
{
	struct cmd *c = o->c;
	const char *flags = o->info_flags;
	bool all = strpbrk(flags, "dumbtc") == NULL;
	const char *slash = strrchr(name, '/');
	const char *shown = strchr(flags, 'p') != NULL && slash != NULL ? slash + 1 : name;
	uint64_t would = o->from == BREAK_DOS ? o->dos : o->from == BREAK_MAC ? o->cr : o->lf;
	char end = strchr(flags, '0') != NULL ? '\0' : '\n';

	if (strchr(flags, 'c') != NULL) {
		if (would > 0 && o->bad < 0)
			cmd_printf(c, "%s%c", shown, end);
		return;
	}
	if (all || strchr(flags, 'd') != NULL)
		cmd_printf(c, "  %6llu", (unsigned long long)o->dos);
	if (all || strchr(flags, 'u') != NULL)
		cmd_printf(c, "  %6llu", (unsigned long long)o->lf);
	if (all || strchr(flags, 'm') != NULL)
		cmd_printf(c, "  %6llu", (unsigned long long)o->cr);
	if (all || strchr(flags, 'b') != NULL)
		cmd_printf(c, "  %-8s",
			   o->wide == UTF16_LE   ? "UTF-16LE"
			   : o->wide == UTF16_BE ? "UTF-16BE"
			   : o->has_bom          ? "UTF-8"
						 : "no_bom");
	if (all || strchr(flags, 't') != NULL)
		cmd_printf(c, "  %-6s", o->bad >= 0 ? "binary" : "text");
	if (*shown != '\0')
		cmd_printf(c, "  %s%c", shown, end);
	else
		cmd_putc(c, end);
}

static void put_info_head(struct dos2unix *o)
{
	static const char letters[] = "dumbt";
	static const char *const heads[] = { "     DOS", "    UNIX", "     MAC", "  BOM     ",
					     "  TXTBIN" };
	bool all = strpbrk(o->info_flags, "dumbtc") == NULL;

	if (strchr(o->info_flags, 'h') == NULL)
		return;
	for (int i = 0; i < 5; i++)
		if (all || strchr(o->info_flags, letters[i]) != NULL)
			cmd_puts(o->c, heads[i]);
	cmd_puts(o->c, all || strchr(o->info_flags, 'c') == NULL ? "  FILE" : "FILE");
	cmd_putc(o->c, strchr(o->info_flags, '0') != NULL ? '\0' : '\n');
}

static int show_file(struct dos2unix *o, const char *name)
{
	struct vfs_stat st;
	struct input in;
	int status = *name != '\0' ? check(o, name, &st) : 0;

	if (status != 0)
		return status < 0 ? 0 : status;
	int err = input_open(&in, o->c, *name != '\0' ? name : "-");

	if (err < 0) {
		cmd_warn(o->c, err, "Failed to open input file %s", name);
		return -err;
	}
	convert(o, &in, NULL);
	input_close(&in);
	put_info(o, name);
	return 0;
}

static int filter(struct dos2unix *o)
{
	struct input in;

	input_open(&in, o->c, "-");
	int bad = convert(o, &in, &o->c->out);

	if (!o->quiet && bad < 0 && o->verbose)
		say_converted(o, NULL, NULL);
	if (bad < 0)
		return 0;
	say_binary(o, "stdin");
	return !o->quiet;
}

static int run(struct cmd *c, enum break_kind from, enum break_kind to)
{
	struct dos2unix *o = c->opts;
	int status = 0;

	o->c = c;
	o->from = o->mac && from == BREAK_DOS ? BREAK_MAC : from;
	o->to = o->mac && to == BREAK_DOS ? BREAK_MAC : to;
	if (o->bom == 0)
		o->bom = to == BREAK_UNIX ? 'r' : 'k';
	if (o->info && !o->new_file) {
		put_info_head(o);
		if (c->nargs == 0)
			return show_file(o, "");
	}
	if (c->nargs == 0)
		return filter(o);
	for (int i = 0; i < c->nargs; i++) {
		int got;

		if (o->new_file && i + 1 == c->nargs) {
			cmd_error(c, 0, "target of file %s not specified in new-file mode",
				  c->args[i]);
			return 1;
		}
		got = o->new_file ? convert_file(o, c->args[i], c->args[i + 1])
		      : o->info   ? show_file(o, c->args[i])
				  : convert_file(o, c->args[i], NULL);
		i += o->new_file;
		status = got != 0 ? got : status;
	}
	return status;
}

static int dos2unix_run(struct cmd *c)
{
	return run(c, BREAK_DOS, BREAK_UNIX);
}

static int unix2dos_run(struct cmd *c)
{
	return run(c, BREAK_UNIX, BREAK_DOS);
}

static int mac2unix_run(struct cmd *c)
{
	return run(c, BREAK_MAC, BREAK_UNIX);
}

static int unix2mac_run(struct cmd *c)
{
	return run(c, BREAK_UNIX, BREAK_MAC);
}

#define COMMAND(command, text)                                                                     \
	const struct builtin builtin_##command = {                                                 \
		.name = #command,                                                                  \
		.usage = "[options] [file ...] [-n infile outfile ...]",                           \
		.summary = text,                                                                   \
		.run = command##_run,                                                              \
		.opts = dos2unix_options,                                                          \
		.opts_size = sizeof(struct dos2unix),                                              \
		.family = "dos2unix 7.4.3",                                                        \
		.legacy = take_word,                                                               \
	}

COMMAND(dos2unix, "Makes DOS line ends into those of Unix.");
COMMAND(unix2dos, "Makes Unix line ends into those of DOS.");
COMMAND(mac2unix, "Makes Mac line ends into those of Unix.");
COMMAND(unix2mac, "Makes Unix line ends into those of Mac.");
