/* SPDX-License-Identifier: MIT
 *
 * Formats that begin with a mark, second part: sounds, fonts, plain images, and the databases
 * of a system (terminals, time zones, messages).
 */
#include "builtins/file/file.h"

static const char octets[] = "application/octet-stream";

static unsigned le(const struct guess *g, size_t at, size_t size)
{
	return (unsigned)load_le(g->data, at, size);
}

static unsigned be(const struct guess *g, size_t at, size_t size)
{
	return (unsigned)load_be(g->data, at, size);
}

/* Bytes of the data up to one of `ends`, or their end. */
static struct bytes word_at(const struct guess *g, size_t at, const char *ends)
{
	size_t to = at < g->data.len ? at : g->data.len;
	size_t from = to;

	while (to < g->data.len && g->data.ptr[to] != '\0' && strchr(ends, g->data.ptr[to]) == NULL)
		to++;
	return bytes_slice(g->data, from, to);
}

/* --- sounds --- */

static void put_rate(struct guess *g, unsigned hertz)
{
	unsigned tenth = hertz / 100;

	if (hertz % 1000 == 0)
		buf_printf(&g->text, ", %u kHz", tenth / 10);
	else if (hertz % 100 != 0)
		buf_printf(&g->text, ", %u.%02u kHz", hertz / 1000, hertz % 1000 / 10);
	else
		buf_printf(&g->text, ", %u.%u kHz", tenth / 10, tenth % 10);
}

/* Who made it says the second packet of Vorbis, which the second page begins with. */
static void put_vendor(struct guess *g)
{
	static const struct {
		const char *date;
		const char *version;
	} releases[] = {
		{ "20020717", "1.0" },   { "20030909", "1.0.1" }, { "20040629", "1.1.0 RC1" },
		{ "20050304", "1.1.2" }, { "20070622", "1.2.0" }, { "20090624", "1.2.2" },
		{ "20090709", "1.2.3" }, { "20100325", "1.3.1" }, { "20101101", "1.3.2" },
		{ "20120203", "1.3.3" }, { "20140122", "1.3.4" }, { "20150105", "1.3.5" },
	};
	size_t at = 58 + 27 + (size_t)be(g, 58 + 26, 1);

	if (!HAS(g->data, 58, "OggS") || !HAS(g->data, at, "\3vorbis"))
		return;
	size_t len = le(g, at + 7, 4);
	size_t from = at + 11;

	if (from >= g->data.len || len > g->data.len - from || len > 255)
		return;
	struct bytes vendor = bytes_slice(g->data, from, from + len);
	size_t name = sizeof "Xiph.Org libVorbis I" - 1;

	buf_puts(&g->text, ", created by: ");
	if (!bytes_starts(vendor, BYTES("Xiph.Org libVorbis I"))) {
		buf_add(&g->text, vendor);
		return;
	}
	buf_put(&g->text, vendor.ptr, name);
	for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++)
		if (has_at(vendor, name + 1, releases[i].date, 8))
			buf_printf(&g->text, " (%s)", releases[i].version);
}

static void ogg(struct guess *g)
{
	buf_puts(&g->text, "Ogg data");
	g->mime = "application/octet-stream";
	if (HAS(g->data, 28, "\1vorbis")) {
		unsigned channels = be(g, 39, 1);

		g->mime = "audio/ogg";
		buf_puts(&g->text, ", Vorbis audio, ");
		if (channels <= 2)
			buf_puts(&g->text, channels == 1 ? "mono" : "stereo");
		else
			buf_printf(&g->text, "%u channels", channels);
		buf_printf(&g->text, ", %u Hz", le(g, 40, 4));
		if (le(g, 48, 4) != 0 && le(g, 48, 4) != UINT32_MAX)
			buf_printf(&g->text, ", ~%u bps", le(g, 48, 4));
		put_vendor(g);
	} else if (HAS(g->data, 28, "OpusHead")) {
		g->mime = "audio/ogg";
		buf_printf(&g->text, ", Opus audio, version 0.%u, ", be(g, 36, 1));
		if (be(g, 37, 1) <= 2)
			buf_puts(&g->text, be(g, 37, 1) == 1 ? "mono" : "stereo");
		else
			buf_printf(&g->text, "%u channels", be(g, 37, 1));
		if (le(g, 40, 4) != 0)
			buf_printf(&g->text, ", %u Hz (Input Sample Rate)", le(g, 40, 4));
	} else if (HAS(g->data, 28, "\177FLAC")) {
		g->mime = "audio/ogg";
		buf_puts(&g->text, ", FLAC audio");
	} else if (HAS(g->data, 28, "\200theora")) {
		g->mime = "video/ogg";
		buf_puts(&g->text, ", Theora video");
	}
}

static void flac(struct guess *g)
{
	unsigned word = be(g, 18, 3);
	unsigned rate = word >> 4;
	unsigned channels = (word >> 1 & 7) + 1;
	unsigned bits = (word & 1) << 4 | be(g, 21, 1) >> 4;

	g->mime = "audio/flac";
	buf_puts(&g->text, "FLAC audio bitstream data");
	if (g->data.len < 26)
		return;
	buf_printf(&g->text, ", %u bit", bits + 1);
	if (channels <= 2)
		buf_puts(&g->text, channels == 1 ? ", mono" : ", stereo");
	else
		buf_printf(&g->text, ", %u channels", channels);
	put_rate(g, rate);
	if (be(g, 22, 4) != 0)
		buf_printf(&g->text, ", %u samples", be(g, 22, 4));
	else
		buf_puts(&g->text, ", length unknown");
}

/* A frame header of MPEG audio, layer III. */
void put_mpeg(struct guess *g, size_t at)
{
	static const unsigned short rates[2][16] = {
		{ 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0 },
		{ 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0 },
	};
	static const unsigned short hertz[2][4] = { { 44100, 48000, 32000, 0 },
						    { 22050, 24000, 16000, 0 } };
	static const char *const modes[] = { "Stereo", "JntStereo", "2x Monaural", "Monaural" };
	bool second = (be(g, at + 1, 1) & 8) == 0;
	unsigned rate = rates[second][be(g, at + 2, 1) >> 4];

	g->mime = "audio/mpeg";
	buf_printf(&g->text, "MPEG ADTS, layer III, v%d", second ? 2 : 1);
	if (rate != 0)
		buf_printf(&g->text, second ? ", %3u kbps" : ", %u kbps", rate);
	if (hertz[second][be(g, at + 2, 1) >> 2 & 3] != 0)
		put_rate(g, hertz[second][be(g, at + 2, 1) >> 2 & 3]);
	buf_printf(&g->text, ", %s", modes[be(g, at + 3, 1) >> 6]);
}

static void mpeg(struct guess *g)
{
	put_mpeg(g, 0);
}

/* --- fonts and images --- */

static void web_font(struct guess *g)
{
	bool second = g->data.ptr[3] == '2';
	size_t version = second ? 24 : 20;

	g->mime = second ? "font/woff2" : "font/woff";
	buf_printf(&g->text, "Web Open Font Format%s", second ? " (Version 2)" : "");
	if (be(g, 4, 4) == 0x10000)
		buf_puts(&g->text, ", TrueType");
	else if (HAS(g->data, 4, "OTTO"))
		buf_puts(&g->text, ", CFF");
	if (g->data.len < 28)
		return;
	buf_printf(&g->text, ", length %u, version %u.%u", be(g, 8, 4), be(g, version, 2),
		   be(g, version + 2, 2));
}

/* P1 to P6, blanks and comments, width and height. */
static bool netpbm(struct guess *g)
{
	static const char *const kinds[] = { "bitmap", "greymap", "pixmap" };
	static const char *const mimes[] = { "image/x-portable-bitmap", "image/x-portable-graymap",
					     "image/x-portable-pixmap" };
	unsigned which = be(g, 1, 1) - '1';
	unsigned size[2] = { 0, 0 };
	size_t at = 2;

	if (be(g, 0, 1) != 'P' || which > 5 || !byte_is_space((unsigned char)be(g, 2, 1)))
		return false;
	for (int i = 0; i < 2; i++) {
		while (at < g->data.len &&
		       (byte_is_space(g->data.ptr[at]) || g->data.ptr[at] == '#')) {
			if (g->data.ptr[at] == '#')
				at += word_at(g, at, "\n").len;
			at++;
		}
		if (!byte_is_digit((int)be(g, at, 1)))
			return false;
		for (; byte_is_digit((int)be(g, at, 1)) && size[i] < 100000000; at++)
			size[i] = size[i] * 10 + be(g, at, 1) - '0';
	}
	buf_printf(&g->text, "Netpbm image data, size = %u x %u, %s%s", size[0], size[1],
		   which >= 3 ? "rawbits, " : "", kinds[which % 3]);
	if (which < 3 && g->encoding != NULL)
		buf_printf(&g->text, ", %s", g->encoding);
	g->mime = which == 4 ? "image/x-portable-greymap" : mimes[which % 3];
	return true;
}

/* --- databases of a system --- */

static void terminfo(struct guess *g)
{
	struct bytes name = word_at(g, 12, "|");

	g->mime = be(g, 0, 1) == 0x1a ? "application/x-terminfo" : "application/x-terminfo2";
	buf_printf(&g->text, "Compiled %sterminfo entry \"%.*s\"",
		   be(g, 0, 1) == 0x1a ? "" : "32-bit ", (int)name.len, name.ptr);
}

static void put_count(struct guess *g, unsigned n, const char *what)
{
	if (n == 0)
		buf_printf(&g->text, ", no %ss", what);
	else
		buf_printf(&g->text, ", %u %s%s", n, what, n != 1 ? "s" : "");
}

static void time_zone(struct guess *g)
{
	unsigned version = be(g, 4, 1);
	bool slim = version >= '2' && be(g, 32, 4) == 0 && be(g, 36, 4) <= 1 && be(g, 40, 4) <= 1;
	/* The old form comes first; the numbers of a slim file are in the second header. */
	size_t at = slim ? 44 + be(g, 36, 4) * 6 + be(g, 40, 4) : 0;

	g->mime = octets;
	buf_printf(&g->text, "timezone data (%s)", version < '2' ? "old" : slim ? "slim" : "fat");
	if (version >= '2')
		buf_printf(&g->text, ", version %c", (int)version);
	else
		buf_puts(&g->text, ", version 1");
	put_count(g, be(g, at + 20, 4), "gmt time flag");
	put_count(g, be(g, at + 24, 4), "std time flag");
	put_count(g, be(g, at + 28, 4), "leap second");
	put_count(g, be(g, at + 32, 4), "transition time");
	put_count(g, be(g, at + 36, 4), "local time type");
	put_count(g, be(g, at + 40, 4), "abbreviation char");
}

void put_octal(struct guess *g, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];

		if (byte_is_print(ch))
			buf_putc(&g->text, (char)ch);
		else
			buf_printf(&g->text, "\\%03o", ch);
	}
}

static void catalogue(struct guess *g)
{
	static const char field[] = "Project-Id-Version: ";
	bool little = be(g, 0, 1) == 0xde;
	uint64_t (*load)(struct bytes, size_t, size_t) = little ? load_le : load_be;
	unsigned n = (unsigned)load(g->data, 8, 4);
	size_t texts = (size_t)load(g->data, 16, 4);
	size_t head = (size_t)load(g->data, texts + 4, 4);

	g->mime = "application/x-gettext-translation";
	buf_printf(&g->text, "GNU message catalog (%s endian), revision %u.%u, %u message%s",
		   little ? "little" : "big", (unsigned)load(g->data, 4, 4) >> 16,
		   (unsigned)load(g->data, 4, 4) & 0xffff, n, n == 1 ? "" : "s");
	if ((load(g->data, 4, 4) & 0xffff) == 1)
		buf_printf(&g->text, ", %u sysdep message%s", (unsigned)load(g->data, 36, 4),
			   load(g->data, 36, 4) == 1 ? "" : "s");
	struct bytes first = word_at(g, head, "");
	const char *id = bytes_find(first, BYTES("Project-Id-Version: "));

	if (id == NULL)
		return;
	buf_printf(&g->text, ", %s", field);
	put_octal(g, word_at(g, (size_t)(id - g->data.ptr) + sizeof field - 1, "\n"));
	if (n < 2)
		return;
	buf_puts(&g->text, " '");
	put_octal(g, word_at(g, (size_t)load(g->data, texts + 12, 4), "\n"));
	buf_putc(&g->text, '\'');
}

/* Any byte is taken for a version: so is what "Object" begins with. */
static void avro(struct guess *g)
{
	g->mime = octets;
	buf_printf(&g->text, "Apache Avro version %u", be(g, 3, 1));
}

/* --- the table --- */

struct medium {
	const char *mark;
	size_t len;
	const char *text; /* or put */
	const char *mime;
	void (*put)(struct guess *g);
};

#define MARK(literal, text, mime)                                                                  \
	{                                                                                          \
		literal, sizeof(literal) - 1, text, mime, NULL                                     \
	}
#define PARSE(literal, fn)                                                                         \
	{                                                                                          \
		literal, sizeof(literal) - 1, NULL, NULL, fn                                       \
	}

static const struct medium media[] = {
	PARSE("OggS\0", ogg),
	PARSE("fLaC", flac),
	PARSE("\xff\xfb", mpeg),
	PARSE("\xff\xf3", mpeg),
	PARSE("wOFF", web_font),
	PARSE("wOF2", web_font),
	PARSE("\x1a\1", terminfo),
	PARSE("\x1e\2", terminfo),
	PARSE("TZif", time_zone),
	PARSE("\xde\x12\4\x95", catalogue),
	PARSE("\x95\4\x12\xde", catalogue),
	MARK("\xcf\x9a\x57\x13", "GNU dbm 1.x or ndbm database, little endian, 64-bit",
	     "application/x-gdbm"),
	MARK("\xce\x9a\x57\x13", "GNU dbm 1.x or ndbm database, little endian, 32-bit",
	     "application/x-gdbm"),
	MARK("icns", "Mac OS X icon", "image/x-icns"),
	MARK("Xcur", "X11 cursor", octets),
	MARK("Salted__", "openssl enc'd data with salted password", "text/plain"),
	MARK("CDF\1", "NetCDF Data Format data", "application/x-netcdf"),
	PARSE("Obj", avro),
	MARK("glTF\2\0\0\0", "glTF binary model, version 2", octets),
	MARK("GVariant", "GVariant Database file, version 0", octets),
	MARK("\xfe\xed\xfe\xed", "Java KeyStore", "application/x-java-keystore"),
	MARK("JM\1\0", "Java jmod module version 1.0", "application/x-java-jmod"),
	MARK("\xed\xab\xee\xdb", "RPM", "application/x-rpm"),
	MARK("\xff\x4f\xff\x51\0", "JPEG 2000 codestream", "image/x-jp2-codestream"),
	MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Composite Document File V2 Document",
	     "application/CDFV2"),
};

/* A terminal's entry has the sizes of its tables behind the mark. */
static bool is_terminfo(const struct guess *g)
{
	return le(g, 2, 2) > 0 && le(g, 2, 2) < 512 && le(g, 4, 2) < 512 && le(g, 6, 2) < 1024 &&
	       byte_is_print((int)be(g, 12, 1));
}

bool guess_media(struct guess *g)
{
	if (netpbm(g))
		return true;
	for (size_t i = 0; i < sizeof media / sizeof media[0]; i++) {
		const struct medium *m = &media[i];

		if (!has_at(g->data, 0, m->mark, m->len) || (m->put == terminfo && !is_terminfo(g)))
			continue;
		g->mime = m->mime;
		if (m->put != NULL)
			m->put(g);
		else
			buf_puts(&g->text, m->text);
		return true;
	}
	return false;
}
