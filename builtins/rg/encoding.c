/* SPDX-License-Identifier: MIT
 *
 * rg -E: text in other encodings, and in UTF-16 that a mark says, as UTF-8. Labels are those of
 * the Encoding Standard; what means nothing becomes U+FFFD.
 */
#include "builtins/rg/rg.h"

#include "builtins/iconv/iconv.h"

enum { REPLACEMENT = 0xfffd, USER_DEFINED = 0xf700 };

static const struct {
	const char *labels;
	enum rg_encoding kind;
	const char *set;
} encodings[] = {
	{ "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8", RG_UTF8, "" },
	{ "utf-16 utf-16le ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff", RG_UTF16LE, "" },
	{ "utf-16be unicodefffe", RG_UTF16BE, "" },
	{ "x-user-defined", RG_USER_DEFINED, "" },
	{ "latin1 l1 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 "
	  "csisolatin1 "
	  "ascii us-ascii ansi_x3.4-1968 ibm819 cp819 windows-1252 cp1252 x-cp1252",
	  RG_ONE_BYTE, "CP1252" },
	{ "latin2 l2 iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 "
	  "csisolatin2",
	  RG_ONE_BYTE, "ISO-8859-2" },
	{ "latin3 l3 iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 "
	  "csisolatin3",
	  RG_ONE_BYTE, "ISO-8859-3" },
	{ "latin4 l4 iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 "
	  "csisolatin4",
	  RG_ONE_BYTE, "ISO-8859-4" },
	{ "cyrillic iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 "
	  "csisolatincyrillic",
	  RG_ONE_BYTE, "ISO-8859-5" },
	{ "arabic iso-8859-6 iso8859-6 iso88596 iso_8859-6 asmo-708 ecma-114", RG_ONE_BYTE,
	  "ISO-8859-6" },
	{ "greek greek8 iso-8859-7 iso8859-7 iso88597 iso_8859-7 ecma-118 elot_928", RG_ONE_BYTE,
	  "ISO-8859-7" },
	{ "hebrew visual iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso-8859-8-i logical",
	  RG_ONE_BYTE, "ISO-8859-8" },
	{ "latin6 l6 iso-8859-10 iso8859-10 iso885910 iso-ir-157 csisolatin6", RG_ONE_BYTE,
	  "ISO-8859-10" },
	{ "iso-8859-13 iso8859-13 iso885913", RG_ONE_BYTE, "ISO-8859-13" },
	{ "iso-8859-14 iso8859-14 iso885914", RG_ONE_BYTE, "ISO-8859-14" },
	{ "l9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9", RG_ONE_BYTE,
	  "ISO-8859-15" },
	{ "iso-8859-16", RG_ONE_BYTE, "ISO-8859-16" },
	{ "windows-1250 cp1250 x-cp1250", RG_ONE_BYTE, "CP1250" },
	{ "windows-1251 cp1251 x-cp1251", RG_ONE_BYTE, "CP1251" },
	{ "windows-1253 cp1253 x-cp1253", RG_ONE_BYTE, "CP1253" },
	{ "latin5 l5 iso-8859-9 iso8859-9 iso88599 iso_8859-9 windows-1254 cp1254 x-cp1254",
	  RG_ONE_BYTE, "CP1254" },
	{ "windows-1255 cp1255 x-cp1255", RG_ONE_BYTE, "CP1255" },
	{ "windows-1256 cp1256 x-cp1256", RG_ONE_BYTE, "CP1256" },
	{ "windows-1257 cp1257 x-cp1257", RG_ONE_BYTE, "CP1257" },
	{ "windows-1258 cp1258 x-cp1258", RG_ONE_BYTE, "CP1258" },
	{ "ibm866 866 cp866 csibm866", RG_ONE_BYTE, "CP866" },
	{ "koi8-r koi8 koi koi8_r cskoi8r", RG_ONE_BYTE, "KOI8-R" },
	{ "koi8-u koi8-ru", RG_ONE_BYTE, "KOI8-U" },
	{ "macintosh mac csmacintosh x-mac-roman", RG_ONE_BYTE, "MACINTOSH" },
	{ "gbk gb2312 gb_2312 gb_2312-80 x-gbk chinese csgb2312 gb18030", RG_WIDE, "GB18030" },
	{ "big5 big5-hkscs cn-big5 csbig5 x-x-big5", RG_WIDE, "BIG5" },
	{ "euc-jp x-euc-jp cseucpkdfmtjapanese", RG_WIDE, "EUC-JP" },
	{ "shift_jis shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis", RG_WIDE,
	  "CP932" },
	{ "euc-kr korean cseuckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 "
	  "iso-ir-149 csksc56011987",
	  RG_WIDE, "CP949" },
};

/* Whether one of the words (separated by blanks) is the text. */
static bool has_word(const char *words, struct bytes text)
{
	while (*words != '\0') {
		size_t len = strcspn(words, " ");

		if (bytes_eq((struct bytes){ words, len }, text))
			return true;
		words += len + (words[len] == ' ');
	}
	return false;
}

static void choose_set(struct rg *g, const char *set)
{
	for (size_t i = 0; g->encoding == RG_ONE_BYTE && iconv_halves[i].name != NULL; i++)
		if (strcmp(iconv_halves[i].name, set) == 0)
			g->half = &iconv_halves[i];
	for (size_t i = 0; g->encoding == RG_WIDE && iconv_wide_name(i) != NULL; i++)
		if (strcmp(iconv_wide_name(i), set) == 0)
			g->wide = iconv_wide_new(g->c, i);
}

int rg_set_encoding(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt;
	g->c = c;
	g->encoding = RG_ENCODING_AUTO;
	if (arg == NULL || strcmp(arg, "auto") == 0)
		return 0;
	if (strcmp(arg, "none") == 0) {
		g->encoding = RG_ENCODING_NONE;
		return 0;
	}
	char *lower = arena_dup(c->arena, bytes_trim(bytes_of(arg)));

	for (char *at = lower; *at != '\0'; at++)
		*at = (char)byte_to_lower(*at);
	for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
		if (!has_word(encodings[i].labels, bytes_of(lower)))
			continue;
		g->encoding = encodings[i].kind;
		choose_set(g, encodings[i].set);
		return 0;
	}
	return rg_fail(g, "grep config error: unknown encoding: %s", arg);
}

/* --- decoding --- */

static size_t from_utf16(struct bytes text, bool little, char *out)
{
	size_t len = 0;

	for (size_t i = 0; i + 1 < text.len; i += 2) {
		const unsigned char *p = (const unsigned char *)text.ptr + i;
		uint32_t unit = (uint32_t)(little ? p[0] | p[1] << 8 : p[0] << 8 | p[1]);

		if (unit >= 0xd800 && unit < 0xdc00 && i + 3 < text.len) {
			uint32_t low = (uint32_t)(little ? p[2] | p[3] << 8 : p[2] << 8 | p[3]);

			if (low >= 0xdc00 && low < 0xe000) {
				unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		if (unit >= 0xd800 && unit < 0xe000)
			unit = REPLACEMENT;
		len += utf8_encode(unit, out + len);
	}
	if (text.len % 2 != 0)
		len += utf8_encode(REPLACEMENT, out + len);
	return len;
}

/* The Encoding Standard fills the controls of a set that has none. */
static uint32_t one_byte(const struct rg *g, unsigned char byte)
{
	if (byte < 0x80)
		return byte;
	if (g->encoding == RG_USER_DEFINED)
		return USER_DEFINED + byte;
	uint32_t point = g->half->point[byte - 0x80];

	return point != 0 ? point : byte < 0xa0 ? byte : (uint32_t)REPLACEMENT;
}

/* One character; how many bytes it takes. */
static size_t take_wide(const struct rg *g, struct bytes text, size_t at, uint32_t *point)
{
	int len = (unsigned char)text.ptr[at] < 0x80 ? 0
						     : iconv_wide_decode(g->wide, text, at, point);

	if (len > 0)
		return (size_t)len;
	*point = len == 0 ? (unsigned char)text.ptr[at] : (uint32_t)REPLACEMENT;
	/* A second byte that is ASCII stands for itself. */
	bool pair = len == ICONV_BAD && at + 1 < text.len &&
		    (unsigned char)text.ptr[at + 1] >= 0x80;

	return pair ? 2 : 1;
}

static size_t take_utf8(struct bytes text, size_t at, uint32_t *point)
{
	size_t len = utf8_decode(text, at, point);

	if (len > 0)
		return len;
	*point = REPLACEMENT;
	return 1;
}

static size_t from_bytes(struct rg *g, struct bytes text, char *out)
{
	size_t len = 0;

	for (size_t at = 0; at < text.len;) {
		uint32_t point = 0;

		if (g->encoding == RG_UTF8)
			at += take_utf8(text, at, &point);
		else if (g->encoding == RG_WIDE)
			at += take_wide(g, text, at, &point);
		else
			point = one_byte(g, (unsigned char)text.ptr[at++]);
		len += utf8_encode(point, out + len);
	}
	return len;
}

static bool has_mark(struct bytes text)
{
	return bytes_starts(text, BYTES("\xff\xfe")) || bytes_starts(text, BYTES("\xfe\xff"));
}

bool rg_must_decode(const struct rg *g, struct bytes head)
{
	return g->encoding != RG_ENCODING_NONE &&
	       (g->encoding != RG_ENCODING_AUTO || has_mark(head));
}

size_t rg_decode(struct rg *g, struct bytes text, char *out)
{
	cmd_charge_bytes(g->c, text.len * 4);
	if (has_mark(text))
		return from_utf16(bytes_slice(text, 2, text.len), text.ptr[0] == '\xff', out);
	if (g->encoding == RG_UTF16LE || g->encoding == RG_UTF16BE)
		return from_utf16(text, g->encoding == RG_UTF16LE, out);
	return from_bytes(g, text, out);
}
