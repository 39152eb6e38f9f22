/* SPDX-License-Identifier: MIT
 *
 * iconv - convert text from one encoding to another.
 *
 * Characters are decoded to code points and encoded again. Knows Unicode's encodings, ASCII, sets
 * of one byte a character and those of East Asia.
 */
#include "builtins/iconv/iconv.h"

enum kind { KIND_ASCII, KIND_HALF, KIND_WHOLE, KIND_UTF8, KIND_UTF16, KIND_UTF32, KIND_WIDE };

enum { POINT_BOM = 0xfeff, POINTS_WITH_BYTES = 0x10000, NAME_MAX_ = 64 };

struct charset {
	enum kind kind;
	bool big;
	bool marked;   /* a byte order mark is read and written */
	bool no_pairs; /* UCS-2: no surrogates */
	const struct half *half;
	const struct whole *whole;
	uint8_t *byte_of; /* of a target of one byte a character: by code point */
	size_t wide; /* KIND_WIDE: its number, and what that is, once it is known that it is needed
		      */
	struct wide *table;
};

struct iconv_opts {
	const char *from_name;
	const char *to_name;
	const char *output;
	bool drop; /* -c */
	bool verbose;
	bool list;
	/* state */
	struct charset from;
	struct charset to;
	bool translit;
	bool ignore;
	bool dropped;
	struct output file; /* -o */
	struct output *out;
	int8_t big; /* UTF-16 and UTF-32 with a mark: what it said; -1: not seen yet */
	bool mark_written;
};

static const struct opt iconv_options[] = {
	OPT_STR('f', "from-code", struct iconv_opts, from_name, NULL, "NAME", "encoding of input"),
	OPT_STR('t', "to-code", struct iconv_opts, to_name, NULL, "NAME", "encoding of output"),
	OPT_FLAG('l', "list", struct iconv_opts, list, "write the known encodings"),
	OPT_FLAG('c', NULL, struct iconv_opts, drop,
		 "leave out characters that can't be converted"),
	OPT_STR('o', "output", struct iconv_opts, output, NULL, "FILE", "write to FILE"),
	OPT_IGNORED('s', "silent", "no effect"),
	OPT_FLAG(0, "verbose", struct iconv_opts, verbose, "say which files are read"),
	OPT_END(),
};

/* --- names --- */

static const struct {
	const char *name;
	struct charset set;
} sets[] = {
	{ "ASCII", { .kind = KIND_ASCII } },
	{ "UTF-8", { .kind = KIND_UTF8 } },
	{ "UTF-16", { .kind = KIND_UTF16, .marked = true } },
	{ "UTF-16LE", { .kind = KIND_UTF16 } },
	{ "UTF-16BE", { .kind = KIND_UTF16, .big = true } },
	{ "UCS-2", { .kind = KIND_UTF16, .no_pairs = true } },
	{ "UCS-2LE", { .kind = KIND_UTF16, .no_pairs = true } },
	{ "UCS-2BE", { .kind = KIND_UTF16, .big = true, .no_pairs = true } },
	{ "UTF-32", { .kind = KIND_UTF32, .marked = true } },
	{ "UTF-32LE", { .kind = KIND_UTF32 } },
	{ "UTF-32BE", { .kind = KIND_UTF32, .big = true } },
	{ "UCS-4", { .kind = KIND_UTF32, .big = true } },
	{ "UCS-4LE", { .kind = KIND_UTF32 } },
	{ "UCS-4BE", { .kind = KIND_UTF32, .big = true } },
};

static const struct {
	const char *alias;
	const char *name;
} aliases[] = {
	{ "UTF8", "UTF-8" },
	{ "UTF16", "UTF-16" },
	{ "UTF16LE", "UTF-16LE" },
	{ "UTF16BE", "UTF-16BE" },
	{ "UTF32", "UTF-32" },
	{ "UTF32LE", "UTF-32LE" },
	{ "UTF32BE", "UTF-32BE" },
	{ "UCS2", "UCS-2" },
	{ "UCS4", "UCS-4" },
	{ "ISO-10646-UCS-2", "UCS-2" },
	{ "US-ASCII", "ASCII" },
	{ "ANSI_X3.4-1968", "ASCII" },
	{ "646", "ASCII" },
	{ "US", "ASCII" },
	{ "LATIN1", "ISO-8859-1" },
	{ "L1", "ISO-8859-1" },
	{ "ISO_8859-1", "ISO-8859-1" },
	{ "LATIN2", "ISO-8859-2" },
	{ "L2", "ISO-8859-2" },
	{ "LATIN3", "ISO-8859-3" },
	{ "LATIN4", "ISO-8859-4" },
	{ "CYRILLIC", "ISO-8859-5" },
	{ "ARABIC", "ISO-8859-6" },
	{ "GREEK", "ISO-8859-7" },
	{ "HEBREW", "ISO-8859-8" },
	{ "LATIN5", "ISO-8859-9" },
	{ "LATIN6", "ISO-8859-10" },
	{ "LATIN7", "ISO-8859-13" },
	{ "LATIN8", "ISO-8859-14" },
	{ "LATIN-9", "ISO-8859-15" },
	{ "LATIN10", "ISO-8859-16" },
	{ "MAC", "MACINTOSH" },
	{ "EUCJP", "EUC-JP" },
	{ "UJIS", "EUC-JP" },
	{ "SJIS", "SHIFT_JIS" },
	{ "SHIFT-JIS", "SHIFT_JIS" },
	{ "MS_KANJI", "SHIFT_JIS" },
	{ "CSSHIFTJIS", "SHIFT_JIS" },
	{ "MS932", "CP932" },
	{ "CP31J", "CP932" },
	{ "SJIS-WIN", "CP932" },
	{ "SJIS-OPEN", "CP932" },
	{ "EUCKR", "EUC-KR" },
	{ "UHC", "CP949" },
	{ "MSCP949", "CP949" },
	{ "EUC-CN", "GB2312" },
	{ "EUCCN", "GB2312" },
	{ "CN-GB", "GB2312" },
	{ "CP936", "GBK" },
	{ "MS936", "GBK" },
	{ "BIG-5", "BIG5" },
	{ "BIG-FIVE", "BIG5" },
	{ "BIGFIVE", "BIG5" },
	{ "CN-BIG5", "BIG5" },
	{ "CP950", "BIG5" },
	{ "KOI8R", "KOI8-R" },
	{ "KOI8U", "KOI8-U" },
	{ "CP819", "ISO-8859-1" },
	{ "8859_1", "ISO-8859-1" },
	{ "ISO-IR-100", "ISO-8859-1" },
	{ "LATIN9", "ISO-8859-15" },
	{ "MS-ANSI", "CP1252" },
	{ "MACCYRILLIC", "MAC-CYRILLIC" },
	{ "MACUKRAINIAN", "MAC-UK" },
	{ "CP1282", "MAC-CENTRALEUROPE" },
	{ "TIS620", "TIS-620" },
	{ "ROMAN8", "HP-ROMAN8" },
	{ "R8", "HP-ROMAN8" },
	{ "RUSCII", "CP1125" },
	{ "CP848", "CP1125" },
	{ "STRK1048-2002", "RK1048" },
	{ "EBCDICUS", "EBCDIC-US" },
	{ "EBCDIC-CP-US", "CP037" },
	{ "CP-1047", "CP1047" },
	{ "WCHAR_T", "UCS-4LE" },
};

static bool find_half(const char *name, const struct half *h, struct charset *out)
{
	while (h->name != NULL && strcmp(name, h->name) != 0)
		h++;
	*out = (struct charset){ .kind = KIND_HALF, .half = h };
	return h->name != NULL;
}

static bool find_name(const char *name, struct charset *out)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strcmp(name, aliases[i].alias) == 0)
			name = aliases[i].name;
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		if (strcmp(name, sets[i].name) == 0) {
			*out = sets[i].set;
			return true;
		}
	if (find_half(name, iconv_halves, out) || find_half(name, iconv_halves_more, out))
		return true;
	for (const struct whole *w = iconv_wholes; w->name != NULL; w++)
		if (strcmp(name, w->name) == 0) {
			*out = (struct charset){ .kind = KIND_WHOLE, .whole = w };
			return true;
		}
	for (size_t i = 0; iconv_wide_name(i) != NULL; i++)
		if (strcmp(name, iconv_wide_name(i)) == 0) {
			*out = (struct charset){ .kind = KIND_WIDE, .wide = i };
			return true;
		}
	return false;
}

/* The first `skip` bytes become `start`; there is room for some more. */
static void respell(char *name, size_t skip, const char *start)
{
	memmove(name + strlen(start), name + skip, strlen(name + skip) + 1);
	memcpy(name, start, strlen(start));
}

/* A name in any case, with "//TRANSLIT" and "//IGNORE" behind. */
static bool find_charset(struct iconv_opts *o, const char *text, bool target, struct charset *out)
{
	char name[NAME_MAX_ + 8];
	size_t n = 0;

	for (; *text != '\0' && *text != '/' && n < NAME_MAX_; text++)
		name[n++] = (char)byte_to_upper((unsigned char)*text);
	name[n] = '\0';
	for (; target && *text == '/'; text += strcspn(text, "/")) {
		text += strspn(text, "/");
		o->translit |= strncmp(text, "TRANSLIT", 8) == 0 ||
			       strncmp(text, "translit", 8) == 0;
		o->ignore |= strncmp(text, "IGNORE", 6) == 0 || strncmp(text, "ignore", 6) == 0;
	}
	/* Other spellings of the sets of one byte. */
	if (strncmp(name, "WINDOWS-", 8) == 0)
		respell(name, 8, "CP");
	else if (strncmp(name, "IBM", 3) == 0)
		respell(name, 3, "CP");
	else if (byte_is_digit(name[0]) && strcmp(name, "646") != 0 && n < 5)
		respell(name, 0, "CP");
	else if (strncmp(name, "ISO8859", 7) == 0)
		respell(name, 3, "ISO-");
	if (n == 0)
		memcpy(name, "UTF-8", 6);
	return find_name(name, out);
}

/* --- decoding --- */

static uint32_t unit_at(const char *at, size_t size, bool big)
{
	uint32_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | (unsigned char)at[big ? i : size - 1 - i];
	return v;
}

/* Bytes that begin no character, however many follow. */
static bool is_never_utf8(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte == 0xc0 || byte == 0xc1 || byte >= 0xfe;
}

static int decode_utf8(struct bytes s, size_t at, uint32_t *out)
{
	static const uint8_t lengths[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4 };
	size_t n = utf8_decode(s, at, out);
	size_t want = lengths[(unsigned char)s.ptr[at] >> 4];

	if (n != 0)
		return (int)n;
	if (want < 2 || s.len - at >= want || is_never_utf8(s.ptr[at]))
		return ICONV_BAD;
	for (size_t i = at + 1; i < s.len; i++)
		if (((unsigned char)s.ptr[i] & 0xc0) != 0x80)
			return ICONV_BAD;
	return ICONV_SHORT;
}

static int decode_utf16(const struct iconv_opts *o, struct bytes s, size_t at, uint32_t *out)
{
	bool big = o->big > 0;

	if (s.len - at < 2)
		return ICONV_SHORT;
	*out = unit_at(s.ptr + at, 2, big);
	if ((*out & 0xf800) != 0xd800)
		return 2;
	if (o->from.no_pairs || *out >= 0xdc00)
		return ICONV_BAD;
	if (s.len - at < 4)
		return ICONV_SHORT;
	uint32_t low = unit_at(s.ptr + at + 2, 2, big);

	if ((low & 0xfc00) != 0xdc00)
		return ICONV_BAD;
	*out = 0x10000 + ((*out & 0x3ff) << 10 | (low & 0x3ff));
	return 4;
}

/* The character at `at`: its length, ICONV_BAD or ICONV_SHORT. */
static int decode(const struct iconv_opts *o, struct bytes s, size_t at, uint32_t *out)
{
	unsigned char ch = (unsigned char)s.ptr[at];

	switch (o->from.kind) {
	case KIND_UTF8: return decode_utf8(s, at, out);
	case KIND_UTF16: return decode_utf16(o, s, at, out);
	case KIND_UTF32:
		if (s.len - at < 4)
			return ICONV_SHORT;
		*out = unit_at(s.ptr + at, 4, o->big > 0);
		return *out > 0x10ffff || (*out & 0xfffff800) == 0xd800 ? ICONV_BAD : 4;
	case KIND_ASCII: *out = ch; return ch < 0x80 ? 1 : ICONV_BAD;
	case KIND_WIDE: return iconv_wide_decode(o->from.table, s, at, out);
	case KIND_WHOLE:
		*out = o->from.whole->point[ch];
		return ch != 0 && *out == 0 ? ICONV_BAD : 1;
	case KIND_HALF: break;
	}
	*out = ch < 0x80 ? ch : o->from.half->point[ch - 0x80];
	return ch >= 0x80 && *out == 0 ? ICONV_BAD : 1;
}

/* --- encoding --- */

static void put_unit(struct iconv_opts *o, uint32_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		output_putc(o->out, (char)(v >> 8 * (o->to.big ? size - 1 - i : i)));
}

static void put_mark(struct iconv_opts *o)
{
	if (o->mark_written || !o->to.marked)
		return;
	o->mark_written = true;
	put_unit(o, POINT_BOM, o->to.kind == KIND_UTF16 ? 2 : 4);
}

/* The bytes of a set by code point: 0, none, but for that of the byte 0. */
static void find_bytes(struct cmd *c, struct charset *set)
{
	if (set->kind != KIND_WHOLE && set->kind != KIND_HALF)
		return;
	set->byte_of = arena_zalloc(c->arena, POINTS_WITH_BYTES);
	for (int i = 255; i > 0; i--) {
		uint16_t point = set->kind == KIND_WHOLE ? set->whole->point[i]
				 : i < 0x80              ? (uint16_t)i
							 : set->half->point[i - 0x80];

		if (point != 0)
			set->byte_of[point] = (uint8_t)i;
	}
}

/* False: the set has no such character. */
static bool encode(struct iconv_opts *o, uint32_t ch)
{
	char text[4];
	size_t n;

	put_mark(o);
	switch (o->to.kind) {
	case KIND_UTF8: output_write(o->out, text, utf8_encode(ch, text)); return true;
	case KIND_UTF16:
		if (ch < 0x10000) {
			put_unit(o, ch, 2);
			return true;
		}
		if (o->to.no_pairs)
			return false;
		put_unit(o, 0xd800 + ((ch - 0x10000) >> 10), 2);
		put_unit(o, 0xdc00 + ((ch - 0x10000) & 0x3ff), 2);
		return true;
	case KIND_UTF32: put_unit(o, ch, 4); return true;
	case KIND_WIDE:
		n = iconv_wide_encode(o->to.table, ch, text);
		output_write(o->out, text, n);
		return n > 0;
	case KIND_ASCII:
		if (ch >= 0x80)
			return false;
		output_putc(o->out, (char)ch);
		return true;
	case KIND_WHOLE:
	case KIND_HALF: break;
	}
	if (ch >= POINTS_WITH_BYTES || (ch != 0 && o->to.byte_of[ch] == 0))
		return false;
	output_putc(o->out, (char)o->to.byte_of[ch]);
	return true;
}

static void encode_stand_in(struct iconv_opts *o, uint32_t ch)
{
	size_t low = 0;
	size_t high = iconv_stand_in_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (iconv_stand_ins[middle].point < ch)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < iconv_stand_in_count && iconv_stand_ins[low].point == ch) {
		for (const char *at = iconv_stand_ins[low].text; *at != '\0'; at++)
			encode(o, (unsigned char)*at);
		return;
	}
	encode(o, '?');
}

/* --- files --- */

enum { ASCII_RUN_MAX = 1024 };

/* Reads a byte order mark, where the encoding has one. Its length. */
static size_t take_mark(struct iconv_opts *o, struct bytes s)
{
	size_t size = o->from.kind == KIND_UTF16 ? 2 : 4;

	if (!o->from.marked || o->big >= 0) {
		o->big = o->big >= 0 && o->from.marked ? o->big : o->from.big;
		return 0;
	}
	o->big = 0;
	if (s.len < size)
		return 0;
	if (unit_at(s.ptr, size, false) == POINT_BOM)
		return size;
	if (unit_at(s.ptr, size, true) != POINT_BOM)
		return 0;
	o->big = 1;
	return size;
}

static bool holds_ascii(const struct charset *set)
{
	return set->kind == KIND_UTF8 || set->kind == KIND_ASCII || set->kind == KIND_HALF;
}

/* Converts ASCII that stands at `at` in a set of bytes that holds it. How many bytes. */
static size_t convert_ascii(struct iconv_opts *o, struct bytes s, size_t at)
{
	size_t from = at;
	uint64_t word;
	size_t size = o->to.kind == KIND_UTF16 ? 2 : 4;
	bool wide = o->to.kind == KIND_UTF16 || o->to.kind == KIND_UTF32;

	if (s.len - at > ASCII_RUN_MAX)
		s.len = at + ASCII_RUN_MAX;
	while (s.len - at >= sizeof word) {
		memcpy(&word, s.ptr + at, sizeof word);
		if ((word & 0x8080808080808080u) != 0)
			break;
		at += sizeof word;
	}
	while (at < s.len && (unsigned char)s.ptr[at] < 0x80)
		at++;
	if (!wide) {
		output_write(o->out, s.ptr + from, at - from);
		return at - from;
	}
	if (at == from)
		return 0;
	put_mark(o);
	char *out = output_space(o->out, (at - from) * size);

	memset(out, 0, (at - from) * size);
	for (size_t i = from; i < at; i++, out += size)
		out[o->to.big ? size - 1 : 0] = s.ptr[i];
	output_added(o->out, (at - from) * size);
	return at - from;
}

/* The same for ASCII in units of 16 bits, to a set of bytes. */
static size_t convert_units(struct iconv_opts *o, struct bytes s, size_t at)
{
	size_t low = o->big > 0;
	size_t most = s.len - at > ASCII_RUN_MAX ? ASCII_RUN_MAX / 2 : (s.len - at) / 2;
	const char *unit = s.ptr + at;
	char *out = output_space(o->out, most);
	size_t n = 0;

	for (; n < most && (unsigned char)unit[low] < 0x80 && unit[1 - low] == 0; unit += 2)
		out[n++] = unit[low];
	output_added(o->out, n);
	return 2 * n;
}

static int convert(struct cmd *c, struct iconv_opts *o, struct bytes s)
{
	bool units = o->from.kind == KIND_UTF16 && holds_ascii(&o->to);
	bool bytes = holds_ascii(&o->from) &&
		     (holds_ascii(&o->to) || o->to.kind == KIND_UTF16 || o->to.kind == KIND_UTF32);
	size_t at = take_mark(o, s);

	while (at < s.len) {
		size_t run = bytes ? convert_ascii(o, s, at) : units ? convert_units(o, s, at) : 0;
		uint32_t ch = 0;

		if (run != 0) {
			at += run;
			cmd_charge_bytes(c, run);
			continue;
		}
		int n = decode(o, s, at, &ch);

		cmd_charge(c, at % 32 == 0);
		if (n == ICONV_SHORT) {
			output_flush(o->out);
			return cmd_error(c, 0,
					 "incomplete character or shift sequence at end of buffer");
		}
		if (n > 0 && encode(o, ch)) {
			at += (size_t)n;
			continue;
		}
		if (n > 0 && o->translit) {
			encode_stand_in(o, ch);
		} else if (o->drop || o->ignore) {
			o->dropped = true;
		} else {
			output_flush(o->out);
			return cmd_error(c, 0, "illegal input sequence at position %zu", at);
		}
		at += n > 0                       ? (size_t)n
		      : o->from.kind == KIND_WIDE ? iconv_wide_skip(o->from.table, s, at)
						  : 1;
	}
	return 0;
}

static int convert_file(struct cmd *c, struct iconv_opts *o, const char *path)
{
	struct bytes all;
	struct vfs_stat st;

	if (o->verbose) {
		struct buf line = buf_in(c->arena);

		buf_printf(&line, "%s:\n", path);
		cmd_err_write(c, line.ptr, line.len);
	}
	int err = strcmp(path, "-") != 0 ? cmd_stat(c, path, &st) : 0;

	if (err == 0)
		err = cmd_read_all(c, path, &all);
	if (err == -E_ISDIR) {
		output_flush(o->out);
		return cmd_error(c, err, "unable to read from input file `%s'", path);
	}
	if (err < 0) {
		output_flush(o->out);
		return cmd_error(c, err, "cannot open input file `%s'", path);
	}
	/* What -o names is not touched before there is something to write. */
	if (o->output != NULL && o->out != &o->file && all.len > 0) {
		err = output_open(&o->file, c, o->output, O_TRUNC_, false);
		if (err < 0)
			return cmd_error(c, err, "unable to open output file");
		o->out = &o->file;
	}
	/* Every file begins anew, with a mark of its own. */
	o->dropped = o->mark_written = false;
	o->big = -1;
	int status = convert(c, o, all);

	if (status == 0 && o->dropped && !o->drop) {
		output_flush(o->out);
		status = cmd_error(c, 0, "illegal input sequence at position %zu", all.len);
	}
	return status;
}

static int put_list(struct cmd *c)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		cmd_printf(c, "%s//\n", sets[i].name);
	for (const struct half *h = iconv_halves; h->name != NULL; h++)
		cmd_printf(c, "%s//\n", h->name);
	for (const struct half *h = iconv_halves_more; h->name != NULL; h++)
		cmd_printf(c, "%s//\n", h->name);
	for (const struct whole *w = iconv_wholes; w->name != NULL; w++)
		cmd_printf(c, "%s//\n", w->name);
	for (size_t i = 0; iconv_wide_name(i) != NULL; i++)
		cmd_printf(c, "%s//\n", iconv_wide_name(i));
	return 0;
}

static int iconv_run(struct cmd *c)
{
	struct iconv_opts *o = c->opts;
	int status = 0;

	if (o->list)
		return put_list(c);
	const char *locale = c->utf8 ? "UTF-8" : "ASCII";

	if (!find_charset(o, o->from_name != NULL ? o->from_name : locale, false, &o->from) ||
	    !find_charset(o, o->to_name != NULL ? o->to_name : locale, true, &o->to))
		return cmd_error(c, -E_NOENT, "failed to start conversion processing");
	if (o->from.kind == KIND_WIDE)
		o->from.table = iconv_wide_new(c, o->from.wide);
	if (o->to.kind == KIND_WIDE)
		o->to.table = iconv_wide_new(c, o->to.wide);
	find_bytes(c, &o->to);
	o->out = &c->out;
	for (int i = 0; i < c->nfiles && status == 0; i++) {
		int got = convert_file(c, o, c->files[i]);

		status = got != 0 ? got : status;
	}
	if (o->out == &o->file)
		output_close(&o->file);
	return status;
}

const struct builtin builtin_iconv = {
	.name = "iconv",
	.usage = "[OPTION...] [FILE...]",
	.summary = "Converts text from one encoding to another.",
	.run = iconv_run,
	.opts = iconv_options,
	.opts_size = sizeof(struct iconv_opts),
	.hint = "Try `%s --help' or `%s --usage' for more information.\n",
	.usage_status = 64,
	.family = "GNU libc 2.36",
	.version = "iconv (Debian GLIBC 2.36) 2.36",
};
