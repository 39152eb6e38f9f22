/* SPDX-License-Identifier: MIT
 *
 * dos2unix, unix2dos, mac2unix, unix2mac - convert line ends.
 *
 * The four are one conversion with other defaults: from CRLF, LF or CR to another of them.
 * UTF-16 input becomes UTF-8, or stays (-u); bytes from 0x80 on go from a code page to ISO-8859-1
 * or back (-iso, -437 ...). A file is written beside the old one, then takes its name.
 */
#include "builtins/builtin.h"
#include "builtins/iconv/iconv.h"

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
	int page;           /* with -iso or the page's own option; 0: none */
	bool keep_wide;     /* -u */
	enum utf16 assumed; /* -ul, -ub */
	int bom;            /* 'k' keep, 'm' add, 'r' remove */
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
	bool gb18030; /* and that is what it says */
	enum utf16 wide;
	int bad;     /* the first binary byte; -1 */
	int held[4]; /* read while a mark was looked for */
	int nheld;
	int held_at;
	const char *name;         /* of the input */
	bool broken;              /* half of a surrogate pair */
	const unsigned char *map; /* of bytes from 0x80 on; NULL: as they are */
};

static bool is_word(const char *text, const char *word)
{
	while (*word != '\0' && byte_to_lower((unsigned char)*text) == *word) {
		text++;
		word++;
	}
	return *text == *word;
}

static int use_iso(struct cmd *c)
{
	struct dos2unix *o = c->opts;

	cmd_warn(c, 0, "active code page: 0");
	o->page = o->page != 0 ? o->page : 437;
	o->seven = o->mac = false;
	return 0;
}

static int set_mode(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct dos2unix *o = c->opts;

	(void)opt;
	if (is_word(arg, "iso"))
		return use_iso(c);
	o->page = 0;
	o->seven = is_word(arg, "7bit");
	o->mac = is_word(arg, "mac");
	if (!o->seven && !o->mac && !is_word(arg, "ascii"))
		return cmd_error(c, 0, "invalid %s conversion mode specified", arg);
	return 0;
}

static int set_assumed(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	((struct dos2unix *)c->opts)->assumed = strcmp(opt->name, "assume-utf16be") == 0 ? UTF16_BE
											 : UTF16_LE;
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
	static const int pages[] = { 1252, 437, 850, 860, 863, 865 };
	const char *word = argv[i];

	(void)argc;
	if (strcmp(word, "-ul") == 0 || strcmp(word, "-ub") == 0) {
		o->assumed = word[2] == 'b' ? UTF16_BE : UTF16_LE;
		return 1;
	}
	if (strcmp(word, "-iso") == 0) {
		use_iso(c);
		return 1;
	}
	if (strcmp(word, "-ascii") == 0 || strcmp(word, "-7") == 0) {
		o->seven = word[1] == '7';
		o->mac = false;
		o->page = 0;
		return 1;
	}
	for (size_t at = 0; at < sizeof(pages) / sizeof(*pages); at++) {
		uint64_t n;

		if (word[0] != '-' || !num_plain(word + 1, &n) || n != (uint64_t)pages[at])
			continue;
		o->page = pages[at];
		o->seven = o->mac = false;
		return 1;
	}
	return 0;
}

static const struct opt dos2unix_options[] = {
	OPT_IGNORED(0, "allow-chown", NULL),
	OPT_IGNORED(0, "no-allow-chown", NULL),
	OPT_SET('b', "keep-bom", struct dos2unix, bom, 'k', "keep a byte order mark"),
	OPT_CALL_ARG('c', "convmode", set_mode, "MODE", "ascii, 7bit, iso or mac"),
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
	OPT_FLAG('u', "keep-utf16", struct dos2unix, keep_wide, "UTF-16 stays UTF-16"),
	OPT_CALL(0, "assume-utf16le", set_assumed, "without a mark it is UTF-16LE (-ul)"),
	OPT_CALL(0, "assume-utf16be", set_assumed, "without a mark it is UTF-16BE (-ub)"),
	OPT_FLAG('v', "verbose", struct dos2unix, verbose, "count line ends"),
	OPT_SET('F', "follow-symlink", struct dos2unix, links, LINK_FOLLOW,
		"convert what links point to"),
	OPT_SET('R', "replace-symlink", struct dos2unix, links, LINK_REPLACE,
		"replace links by converted files"),
	OPT_SET('S', "skip-symlink", struct dos2unix, links, LINK_SKIP, "leave links (default)"),
	OPT_END(),
};

/* --- code pages --- */

static const uint16_t *page_points(struct cmd *c, int page)
{
	struct buf name = buf_in(c->arena);
	const struct half *tables[] = { iconv_halves, iconv_halves_more };

	buf_printf(&name, "CP%d", page);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct half *h = tables[i]; h->name != NULL; h++)
			if (strcmp(h->name, buf_cstr(&name)) == 0)
				return h->point;
	return NULL;
}

/* From the page to ISO-8859-1, or back; what is not there is a dot. */
static unsigned char *page_map(struct cmd *c, int page, bool to_page)
{
	unsigned char *map = arena_alloc(c->arena, 128);
	const uint16_t *points = page_points(c, page);

	memset(map, '.', 128);
	for (unsigned i = 0; points != NULL && i < 128; i++) {
		unsigned point = points[i];

		if (point < 0x80 || point > 0xff)
			continue;
		if (to_page)
			map[point - 0x80] = (unsigned char)(i + 0x80);
		else
			map[i] = (unsigned char)point;
	}
	/* What 863 lacks is taken from 437. */
	if (to_page && page == 863) {
		const unsigned char *other = page_map(c, 437, true);

		for (int i = 0; i < 128; i++)
			map[i] = map[i] == '.' ? other[i] : map[i];
	}
	return map;
}

static void choose_map(struct dos2unix *o)
{
	o->map = NULL;
	if (o->page == 0 || o->wide != UTF16_NO || o->info)
		return;
	if (!o->quiet)
		cmd_warn(o->c, 0, "using code page %d.", o->page);
	if (!o->has_bom)
		o->map = page_map(o->c, o->page, o->to != BREAK_UNIX);
}

/* --- conversion --- */

static void put_unit(struct dos2unix *o, unsigned unit)
{
	char low = (char)(unit & 0xff);
	char high = (char)(unit >> 8);

	output_write(o->out, o->wide == UTF16_LE ? &low : &high, 1);
	output_write(o->out, o->wide == UTF16_LE ? &high : &low, 1);
}

/* Line ends and bytes; what is wide has its own unit each with -u. */
static void put(struct dos2unix *o, const char *text, size_t len)
{
	if (o->out == NULL)
		return;
	if (o->wide == UTF16_NO || !o->keep_wide) {
		output_write(o->out, text, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		put_unit(o, (unsigned char)text[i]);
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
	if (ch > 0xff) { /* of UTF-16 that stays so */
		if (o->out != NULL)
			put_unit(o, (unsigned)ch);
		return;
	}
	if (o->seven && ch >= 0x80 && o->wide == UTF16_NO && !o->has_bom)
		one = ' ';
	else if (o->map != NULL && ch >= 0x80)
		one = (char)o->map[ch - 0x80];
	put(o, &one, 1);
}

static int next_byte(struct dos2unix *o)
{
	return o->held_at < o->nheld ? o->held[o->held_at++] : input_byte(o->in);
}

/* A unit of UTF-16; -1 at the end (an odd byte is dropped). */
static int next_unit(struct dos2unix *o)
{
	int a = next_byte(o);
	int b = a >= 0 ? next_byte(o) : -1;

	if (b < 0)
		return -1;
	return o->wide == UTF16_LE ? b << 8 | a : a << 8 | b;
}

static void put_wide(struct dos2unix *o, uint32_t ch)
{
	char text[4];
	size_t n = utf8_encode(ch, text);

	if (ch < 0x80) {
		put_byte(o, (int)ch);
		return;
	}
	for (size_t i = 0; i < n; i++)
		put_byte(o, (unsigned char)text[i]);
}

/* Half of a pair ends the conversion. */
static void broken_pair(struct dos2unix *o, const char *which)
{
	o->broken = o->out != NULL;
	if (o->broken)
		cmd_warn(o->c, 0, "error: Invalid surrogate pair. Missing %s surrogate.", which);
}

static void convert_wide(struct dos2unix *o)
{
	int unit;
	int high = -1;

	while ((unit = next_unit(o)) >= 0 && (o->bad < 0 || o->force || o->out == NULL)) {
		cmd_charge(o->c, 1);
		if (o->keep_wide) {
			put_byte(o, unit);
			continue;
		}
		bool low = (unit & 0xfc00) == 0xdc00;

		if (low != (high >= 0)) {
			broken_pair(o, low ? "high" : "low");
			if (o->broken)
				return;
		}
		if ((unit & 0xfc00) == 0xd800) {
			high = unit;
			continue;
		}
		put_wide(o,
			 low ? 0x10000 + ((uint32_t)(high & 0x3ff) << 10 | (uint32_t)(unit & 0x3ff))
			     : (uint32_t)unit);
		high = -1;
	}
}

static const char *mark_name(const struct dos2unix *o)
{
	return o->wide == UTF16_LE   ? "UTF-16LE"
	       : o->wide == UTF16_BE ? "UTF-16BE"
	       : o->gb18030          ? "GB18030"
				     : "UTF-8";
}

static void put_mark(struct dos2unix *o)
{
	bool wide = o->wide != UTF16_NO && o->keep_wide;

	if (wide && o->out != NULL)
		put_unit(o, 0xfeff);
	else if (o->gb18030)
		put(o, "\x84\x31\x95\x33", 4);
	else
		put(o, "\xef\xbb\xbf", 3);
	if (o->verbose && !o->quiet && o->out != NULL)
		cmd_warn(o->c, 0, "Writing %s BOM.",
			 wide || o->wide == UTF16_NO ? mark_name(o) : "UTF-8");
}

static void say_mark(struct dos2unix *o)
{
	if (!o->has_bom || !o->verbose || o->quiet || o->out == NULL)
		return;
	cmd_warn(o->c, 0, "Input file %s has %s BOM.", o->name, mark_name(o));
}

/* Reads a byte order mark, or what is there instead, which is held. */
static void take_mark(struct dos2unix *o)
{
	int *byte = o->held;
	int n = 0;

	o->nheld = o->held_at = 0;
	o->gb18030 = false;
	while (n < 4 && (byte[n] = input_byte(o->in)) >= 0) {
		n++;
		if (n == 2 && byte[0] == 0xff && byte[1] == 0xfe)
			o->wide = UTF16_LE;
		if (n == 2 && byte[0] == 0xfe && byte[1] == 0xff)
			o->wide = UTF16_BE;
		if (o->wide != UTF16_NO) {
			o->has_bom = true;
			return;
		}
		if ((n == 1 && byte[0] != 0xef && byte[0] != 0xff && byte[0] != 0xfe &&
		     byte[0] != 0x84) ||
		    (n == 3 && byte[0] != 0x84))
			break;
	}
	o->gb18030 = n == 4 && byte[1] == 0x31 && byte[2] == 0x95 && byte[3] == 0x33;
	o->has_bom = o->gb18030 ||
		     (n == 3 && byte[0] == 0xef && byte[1] == 0xbb && byte[2] == 0xbf);
	if (o->has_bom)
		return;
	o->nheld = n;
	o->wide = o->assumed;
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
	o->broken = false;
	take_mark(o);
	say_mark(o);
	choose_map(o);
	if ((o->bom == 'k' && (o->has_bom || o->wide != UTF16_NO)) || o->bom == 'm')
		put_mark(o);
	for (int i = 0; o->wide == UTF16_NO && i < o->nheld; i++)
		put_byte(o, o->held[i]);
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
	bool mac = o->from == BREAK_MAC || o->to == BREAK_MAC;
	uint64_t all = o->dos + o->lf + (mac ? o->cr : 0);
	const char *stays = o->wide == UTF16_NO ? "" : o->keep_wide ? wide[o->wide] : "UTF-8 ";

	if (o->quiet)
		return;
	if (o->verbose)
		cmd_warn(o->c, 0, "Converted %llu out of %llu line breaks.",
			 (unsigned long long)o->converted, (unsigned long long)all);
	if (from == NULL)
		return;
	if (to != NULL)
		cmd_warn(o->c, 0, "converting %sfile %s to file %s in %s%s format...",
			 wide[o->wide], from, to, stays, type_name(o));
	else
		cmd_warn(o->c, 0, "converting %sfile %s to %s%s format...", wide[o->wide], from,
			 stays, type_name(o));
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

static int say_broken(struct dos2unix *o)
{
	if (!o->quiet)
		cmd_warn(o->c, 0,
			 "Skipping UTF-16 file %s, an UTF-16 conversion error occurred on line "
			 "%llu.",
			 o->name, (unsigned long long)o->line);
	return 1;
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
	out.drop = temp;
	o->name = from;
	int bad = convert(o, &in, &out);

	output_close(&out);
	input_close(&in);
	if (o->broken) {
		cmd_unlink(c, CMD_CWD, temp, 0);
		return say_broken(o);
	}
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
		cmd_printf(c, "  %-8s", o->has_bom ? mark_name(o) : "no_bom");
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
	o->name = "stdin";
	int bad = convert(o, &in, &o->c->out);

	if (o->broken)
		return say_broken(o);
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
