/* SPDX-License-Identifier: MIT
 *
 * Formats that begin with a mark.
 */
#include "base/time.h"
#include "builtins/file/file.h"

uint64_t load_le(struct bytes s, size_t at, size_t size)
{
	uint64_t v = 0;

	for (size_t i = size; i > 0; i--)
		v = v << 8 | (at + i - 1 < s.len ? (unsigned char)s.ptr[at + i - 1] : 0);
	return v;
}

uint64_t load_be(struct bytes s, size_t at, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | (at + i < s.len ? (unsigned char)s.ptr[at + i] : 0);
	return v;
}

bool has_at(struct bytes s, size_t at, const char *mark, size_t len)
{
	return at <= s.len && s.len - at >= len && memcmp(s.ptr + at, mark, len) == 0;
}

static const char octets[] = "application/octet-stream";

static unsigned le(const struct guess *g, size_t at, size_t size)
{
	return (unsigned)load_le(g->data, at, size);
}

static unsigned be(const struct guess *g, size_t at, size_t size)
{
	return (unsigned)load_be(g->data, at, size);
}

static void put_time(struct guess *g, int64_t seconds, const char *format)
{
	struct civil civil;

	time_civil(zone_of_text(g->c->arena, NULL), seconds, &civil);
	time_format(&g->text, bytes_of(format), &civil, seconds, TIME_LIBC);
}

/* --- images --- */

static void png(struct guess *g)
{
	static const char *const colors[] = { "grayscale",  "?", "/color RGB", " colormap",
					      "gray+alpha", "?", "/color RGBA" };
	unsigned color = be(g, 25, 1);
	const char *name = color < 7 ? colors[color] : "?";

	buf_printf(&g->text, "PNG image data, %u x %u, %u-bit%s%s, %s", be(g, 16, 4), be(g, 20, 4),
		   be(g, 24, 1), color == 0 || color == 4 ? " " : "", name,
		   be(g, 28, 1) == 0 ? "non-interlaced" : "interlaced");
}

static void gif(struct guess *g)
{
	buf_printf(&g->text, "GIF image data, version %.3s, %u x %u", g->data.ptr + 3, le(g, 6, 2),
		   le(g, 8, 2));
}

static void jpeg_comment(struct guess *g, size_t at)
{
	size_t end = at + 2 + be(g, at + 2, 2);

	if (end > g->data.len || end < at + 4)
		return;
	struct bytes s = bytes_slice(g->data, at + 4, end);
	size_t n = 0;

	while (n < s.len && s.ptr[n] != '\0' && s.ptr[n] != '\n')
		n++;
	buf_puts(&g->text, ", comment: \"");
	put_octal(g, bytes_slice(s, 0, n));
	buf_putc(&g->text, '"');
}

/* The frame header behind the other segments. */
static void jpeg_frame(struct guess *g)
{
	for (size_t at = 2; at + 4 <= g->data.len;) {
		unsigned kind = be(g, at + 1, 1);

		if (be(g, at, 1) != 0xff || kind == 0xda || kind == 0xd9)
			return;
		if (kind == 0xfe)
			jpeg_comment(g, at);
		if (kind >= 0xc0 && kind <= 0xc2) {
			static const char *const names[] = { "baseline", "extended sequential",
							     "progressive" };

			buf_printf(&g->text, ", %s, precision %u, %ux%u, components %u",
				   names[kind - 0xc0], be(g, at + 4, 1), be(g, at + 7, 2),
				   be(g, at + 5, 2), be(g, at + 9, 1));
			return;
		}
		at += 2 + be(g, at + 2, 2);
		cmd_charge(g->c, 1);
	}
}

static void jpeg(struct guess *g)
{
	static const char *const units[] = { "aspect ratio", "resolution (DPI)",
					     "resolution (DPCM)" };
	unsigned unit = be(g, 13, 1);

	buf_puts(&g->text, "JPEG image data");
	if (HAS(g->data, 6, "JFIF"))
		buf_printf(&g->text,
			   ", JFIF standard %u.%02u, %s, density %ux%u, segment length %u",
			   be(g, 11, 1), be(g, 12, 1), units[unit < 3 ? unit : 0], be(g, 14, 2),
			   be(g, 16, 2), be(g, 4, 2));
	else if (HAS(g->data, 6, "Exif"))
		buf_puts(&g->text, ", Exif standard");
	jpeg_frame(g);
}

static void bmp(struct guess *g)
{
	static const struct {
		unsigned size;
		const char *text;
	} kinds[] = {
		{ 12, "OS/2 1.x format" },
		{ 40, "Windows 3.x format" },
		{ 52, "Adobe Photoshop" },
		{ 56, "Adobe Photoshop with alpha channel mask" },
		{ 64, "OS/2 2.x format" },
		{ 108, "Windows 95/NT4 and newer format" },
		{ 124, "Windows 98/2000 and newer format" },
	};
	unsigned size = le(g, 14, 4);

	buf_puts(&g->text, "PC bitmap");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (kinds[i].size == size)
			buf_printf(&g->text, ", %s", kinds[i].text);
	if (size == 12)
		buf_printf(&g->text, ", %u x %u x %u", le(g, 18, 2), le(g, 20, 2), le(g, 24, 2));
	else
		buf_printf(&g->text, ", %d x %d x %u", (int)le(g, 18, 4), (int)le(g, 22, 4),
			   le(g, 28, 2));
	if (size == 40) {
		if (le(g, 30, 4) != 0)
			buf_printf(&g->text, ", %u compression", le(g, 30, 4));
		if (le(g, 34, 4) != 0)
			buf_printf(&g->text, ", image size %u", le(g, 34, 4));
		if (le(g, 38, 4) != 0)
			buf_printf(&g->text, ", resolution %u x %u px/m", le(g, 38, 4),
				   le(g, 42, 4));
	}
	if (le(g, 2, 4) != 0)
		buf_printf(&g->text, ", cbSize %u", le(g, 2, 4));
	buf_printf(&g->text, ", bits offset %u", le(g, 10, 4));
}

/* The first two say what they are. */
static void icon(struct guess *g)
{
	unsigned n = le(g, 4, 2);
	bool cursor = le(g, 2, 2) == 2;

	buf_printf(&g->text, "MS Windows %s resource - %u icon%s", cursor ? "cursor" : "icon", n,
		   n == 1 ? "" : "s");
	for (size_t at = 6; at < 6 + 16 * (size_t)(n == 1 || cursor ? 1 : 2); at += 16) {
		unsigned w = be(g, at, 1);
		unsigned h = be(g, at + 1, 1);

		buf_printf(&g->text, ", %ux%u", w != 0 ? w : 256, h != 0 ? h : 256);
		if (cursor) {
			buf_printf(&g->text, ", hotspot @%ux%u", le(g, at + 4, 2),
				   le(g, at + 6, 2));
			continue;
		}
		if (be(g, at + 2, 1) != 0)
			buf_printf(&g->text, ", %u colors", be(g, at + 2, 1));
		if (le(g, at + 6, 2) != 0)
			buf_printf(&g->text, ", %u bits/pixel", le(g, at + 6, 2));
	}
}

static void riff(struct guess *g)
{
	buf_puts(&g->text, "RIFF (little-endian) data");
	g->mime = "application/octet-stream";
	if (HAS(g->data, 8, "WEBP")) {
		buf_puts(&g->text, ", Web/P image");
		g->mime = "image/webp";
	} else if (HAS(g->data, 8, "AVI ")) {
		buf_puts(&g->text, ", AVI");
		g->mime = "video/x-msvideo";
	} else if (HAS(g->data, 8, "WAVE")) {
		buf_puts(&g->text, ", WAVE audio");
		g->mime = "audio/x-wav";
		if (le(g, 20, 2) == 1)
			buf_printf(&g->text, ", Microsoft PCM, %u bit, %s %u Hz", le(g, 34, 2),
				   le(g, 22, 2) == 1 ? "mono" : "stereo", le(g, 24, 4));
	}
}

static void iso_media(struct guess *g)
{
	static const struct {
		const char *brand;
		const char *text;
		const char *mime;
	} brands[] = {
		{ "mp41", "MP4 v1 [ISO 14496-1:ch13]", "video/mp4" },
		{ "dash", "MPEG v4 system, Dynamic Adaptive Streaming over HTTP", "video/mp4" },
		{ "M4V ", "Apple iTunes Video (.M4V) Video", "video/x-m4v" },
		{ "mp42", "MP4 v2 [ISO 14496-14]", "video/mp4" },
		{ "isom", "MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4" },
		{ "qt  ", "Apple QuickTime movie, Apple QuickTime (.MOV/QT)", "video/quicktime" },
		{ "M4A ", "Apple iTunes ALAC/AAC-LC (.M4A) Audio", "audio/x-m4a" },
		{ "avif", "AVIF Image", "image/avif" },
		{ "heic", "HEIF Image HEVC Main or Main Still Picture Profile", "image/heic" },
		{ "3gp4", "MPEG v4 system, 3GPP", "video/3gpp" },
	};

	buf_puts(&g->text, "ISO Media");
	g->mime = "video/mp4";
	for (size_t i = 0; i < sizeof(brands) / sizeof(*brands); i++)
		if (has_at(g->data, 8, brands[i].brand, 4)) {
			buf_printf(&g->text, ", %s", brands[i].text);
			g->mime = brands[i].mime;
		}
}

/* --- archives --- */

static void gzip(struct guess *g)
{
	unsigned flags = be(g, 3, 1);
	unsigned time = le(g, 4, 4);

	buf_puts(&g->text, "gzip compressed data");
	if (g->data.len < 10)
		return;
	if (be(g, 2, 1) != 8)
		buf_puts(&g->text, ", reserved method");
	if ((flags & 1) != 0)
		buf_puts(&g->text, ", ASCII");
	if ((flags & 2) != 0)
		buf_puts(&g->text, ", has CRC");
	if ((flags & 4) != 0)
		buf_puts(&g->text, ", extra field");
	if ((flags & 8) != 0) {
		size_t at = (flags & 4) != 0 ? 12 + le(g, 10, 2) : 10;
		const char *end = at < g->data.len
					  ? memchr(g->data.ptr + at, '\0', g->data.len - at)
					  : NULL;

		if (end != NULL)
			buf_printf(&g->text, ", was \"%s\"", g->data.ptr + at);
	}
	if ((flags & 16) != 0)
		buf_puts(&g->text, ", has comment");
	if (time != 0) {
		buf_puts(&g->text, ", last modified: ");
		put_time(g, time, "%a %b %e %H:%M:%S %Y");
	}
	if (be(g, 8, 1) == 2)
		buf_puts(&g->text, ", max compression");
	if (be(g, 8, 1) == 4)
		buf_puts(&g->text, ", max speed");
	if (be(g, 9, 1) == 3)
		buf_puts(&g->text, ", from Unix");
	else if (be(g, 9, 1) == 0)
		buf_puts(&g->text, ", from FAT filesystem (MS-DOS, OS/2, NT)");
	if (g->data.len > 10 && g->data.len < LOOK_BYTES && !g->unpacked)
		buf_printf(&g->text, ", original size modulo 2^32 %u", le(g, g->data.len - 4, 4));
}

static void zip_entry(struct guess *g)
{
	static const char *const methods[] = {
		"store", "?", "?", "?", "?", "?", "?", "?", "deflate"
	};
	unsigned version = le(g, 4, 2) & 0xff;
	unsigned method = le(g, 8, 2);

	buf_printf(&g->text, "Zip archive data, at least v%u.%u to extract", version / 10,
		   version % 10);
	if (method < 9 && methods[method][0] != '?')
		buf_printf(&g->text, ", compression method=%s", methods[method]);
	g->mime = "application/zip";
}

/* The name of the n-th entry, walking over the sizes in local headers. */
static struct bytes zip_name(const struct guess *g, unsigned n)
{
	size_t at = 0;

	for (; n > 0 && HAS(g->data, at, "PK\3\4"); n--)
		at += 30 + le(g, at + 26, 2) + le(g, at + 28, 2) + (size_t)le(g, at + 18, 4);
	size_t len = le(g, at + 26, 2);

	if (!HAS(g->data, at, "PK\3\4") || at + 30 + len > g->data.len)
		return BYTES("");
	return bytes_slice(g->data, at + 30, at + 30 + len);
}

static bool open_document(struct guess *g)
{
	static const struct {
		const char *mime;
		const char *text;
	} kinds[] = {
		{ "application/vnd.oasis.opendocument.text", "OpenDocument Text" },
		{ "application/vnd.oasis.opendocument.spreadsheet", "OpenDocument Spreadsheet" },
		{ "application/vnd.oasis.opendocument.presentation", "OpenDocument Presentation" },
		{ "application/vnd.oasis.opendocument.graphics", "OpenDocument Drawing" },
		{ "application/epub+zip", "EPUB document" },
	};

	if (!HAS(g->data, 30, "mimetype"))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (has_at(g->data, 38, kinds[i].mime, strlen(kinds[i].mime)) &&
		    le(g, 22, 4) == strlen(kinds[i].mime)) {
			buf_puts(&g->text, kinds[i].text);
			g->mime = kinds[i].mime;
			return true;
		}
	return false;
}

static void zip(struct guess *g)
{
	static const struct {
		const char *dir;
		const char *text;
		const char *mime;
	} office[] = {
		{ "word/", "Microsoft Word 2007+",
		  "application/vnd.openxmlformats-officedocument.wordprocessingml.document" },
		{ "xl/", "Microsoft Excel 2007+",
		  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
		{ "ppt/", "Microsoft PowerPoint 2007+",
		  "application/vnd.openxmlformats-officedocument.presentationml.presentation" },
	};
	struct bytes first = zip_name(g, 0);

	if (open_document(g))
		return;
	if (bytes_is(first, "AndroidManifest.xml")) {
		buf_puts(&g->text, "Android package (APK), with AndroidManifest.xml");
		g->mime = "application/vnd.android.package-archive";
		return;
	}
	if (bytes_is(first, "[Content_Types].xml") || bytes_is(first, "_rels/.rels") ||
	    bytes_is(first, "docProps/app.xml"))
		for (unsigned n = 1; n < 8; n++)
			for (int i = 0; i < 3; i++)
				if (bytes_starts(zip_name(g, n), bytes_of(office[i].dir))) {
					buf_puts(&g->text, office[i].text);
					g->mime = office[i].mime;
					return;
				}
	if (le(g, 30 + le(g, 26, 2), 2) == 0xcafe) {
		buf_puts(&g->text, "Java archive data (JAR)");
		g->mime = "application/java-archive";
		return;
	}
	zip_entry(g);
}

/* Fields as they stand in the header. */
static void tar_header(struct guess *g)
{
	static const struct {
		const char *name;
		unsigned at;
		unsigned len;
	} fields[] = {
		{ "file", 0, 100 },  { "mode", 100, 8 },   { "uid", 108, 8 },
		{ "gid", 116, 8 },   { "size", 124, 12 },  { "seconds", 136, 12 },
		{ "user", 265, 32 }, { "group", 297, 32 },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const char *value = g->data.ptr + fields[i].at;
		const char *end = memchr(value, '\0', fields[i].len);
		size_t len = end != NULL ? (size_t)(end - value) : fields[i].len;

		if (len > 0)
			buf_printf(&g->text, ", %s %.*s", fields[i].name, (int)len, value);
	}
}

static bool tar(struct guess *g)
{
	unsigned sum = 0;
	unsigned want = 0;
	size_t at = 148;

	if (g->data.len < 512)
		return false;
	for (size_t i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)g->data.ptr[i];
	while (at < 156 && g->data.ptr[at] == ' ')
		at++;
	for (; at < 156 && g->data.ptr[at] >= '0' && g->data.ptr[at] <= '7'; at++)
		want = want * 8 + (unsigned)(g->data.ptr[at] - '0');
	if (sum != want || sum == 256)
		return false;
	bool ustar = HAS(g->data, 257, "ustar");

	if ((g->skip & (SKIP_TAR | SKIP_SOFT)) == (SKIP_TAR | SKIP_SOFT))
		return false;
	buf_puts(&g->text, HAS(g->data, 257, "ustar  \0") ? "POSIX tar archive (GNU)"
			   : HAS(g->data, 257, "ustar\0") ? "POSIX tar archive"
							  : "tar archive");
	g->mime = "application/x-tar";
	if ((g->skip & SKIP_TAR) != 0 && ustar)
		tar_header(g);
	return true;
}

static void ar(struct guess *g)
{
	buf_puts(&g->text, "current ar archive");
	g->mime = "application/x-archive";
	if (!HAS(g->data, 8, "debian-binary"))
		return;
	g->text.len -= strlen("current ar archive");
	buf_printf(&g->text, "Debian binary package (format %.3s)", g->data.ptr + 68);
	g->mime = "application/vnd.debian.binary-package";
	if (HAS(g->data, 72, "control.tar")) {
		struct bytes name = bytes_slice(g->data, 72, g->data.len);
		size_t n = 0;

		while (n < 16 && n < name.len && name.ptr[n] != ' ' && name.ptr[n] != '/')
			n++;
		buf_printf(&g->text, ", with %.*s", (int)n, name.ptr);
	}
	const char *hit = bytes_find(g->data, BYTES("data.tar."));

	if (hit != NULL)
		buf_printf(&g->text, ", data compression %.*s", (int)strcspn(hit + 9, " /"),
			   hit + 9);
}

/* --- documents and programs --- */

static void sqlite(struct guess *g)
{
	static const char *const encodings[] = { "?", "UTF-8", "UTF-16 little endian",
						 "UTF-16 big endian" };

	buf_puts(&g->text, "SQLite 3.x database");
	if (be(g, 68, 4) != 0)
		buf_printf(&g->text, ", application id %u", be(g, 68, 4));
	if (be(g, 60, 4) != 0)
		buf_printf(&g->text, ", user version %u", be(g, 60, 4));
	buf_printf(&g->text, ", last written using SQLite version %u", be(g, 96, 4));
	if (be(g, 16, 2) != 4096)
		buf_printf(&g->text, ", page size %u", be(g, 16, 2));
	if (be(g, 18, 1) == 2)
		buf_puts(&g->text, ", writer version 2, read version 2");
	buf_printf(&g->text, ", file counter %u, database pages %u", be(g, 24, 4), be(g, 28, 4));
	if (be(g, 32, 4) != 0)
		buf_printf(&g->text, ", 1st free page %u, free pages %u", be(g, 32, 4),
			   be(g, 36, 4));
	buf_printf(&g->text, ", cookie 0x%x, schema %u", be(g, 40, 4), be(g, 44, 4));
	if (be(g, 56, 4) < 4)
		buf_printf(&g->text, ", %s", encodings[be(g, 56, 4)]);
	buf_printf(&g->text, ", version-valid-for %u", be(g, 92, 4));
}

static void pdf(struct guess *g)
{
	struct bytes s = g->data;
	const char *count = bytes_find(s, BYTES("/Count "));
	uint64_t n = 0;

	buf_printf(&g->text, "PDF document, version %.3s", s.ptr + 5);
	if (count == NULL)
		return;
	size_t at = (size_t)(count - s.ptr) + 7;

	at += at < s.len && s.ptr[at] == '-';
	for (; at < s.len && byte_is_digit(s.ptr[at]) && n < UINT32_MAX; at++)
		n = n * 10 + (unsigned)(s.ptr[at] - '0');
	buf_printf(&g->text, ", %llu pages", (unsigned long long)n);
}

static void java_class(struct guess *g)
{
	unsigned major = be(g, 6, 2);

	if (major < 20) {
		buf_printf(&g->text, "Mach-O universal binary with %u architectures", be(g, 4, 4));
		g->mime = "application/x-mach-binary";
		return;
	}
	buf_printf(&g->text, "compiled Java class data, version %u.%u", major, be(g, 4, 2));
	if (major >= 49 && major <= 52)
		buf_printf(&g->text, " (Java 1.%u)", major - 44);
	else if (major > 52)
		buf_printf(&g->text, " (Java SE %u)", major - 44);
	g->mime = "application/x-java-applet";
}

static void dos(struct guess *g)
{
	unsigned at = le(g, 60, 4);
	unsigned machine = le(g, at + 4, 2);
	unsigned flags = le(g, at + 22, 2);
	unsigned subsystem = le(g, at + 92, 2);

	g->mime = "application/x-dosexec";
	if (at == 0 || !HAS(g->data, at, "PE\0\0")) {
		buf_puts(&g->text, "MS-DOS executable, MZ for MS-DOS");
		return;
	}
	g->mime = "application/vnd.microsoft.portable-executable";
	buf_printf(&g->text, "PE32%s executable", le(g, at + 24, 2) == 0x20b ? "+" : "");
	buf_printf(&g->text, "%s%s", (flags & 0x2000) != 0 ? " (DLL)" : "",
		   subsystem == 3   ? " (console)"
		   : subsystem == 2 ? " (GUI)"
				    : "");
	buf_printf(&g->text, " %s, for MS Windows, %u sections",
		   machine == 0x8664   ? "x86-64"
		   : machine == 0x14c  ? "Intel 80386"
		   : machine == 0xaa64 ? "Aarch64"
				       : "unknown",
		   le(g, at + 6, 2));
}

static void python(struct guess *g)
{
	static const struct {
		unsigned from;
		const char *version;
	} versions[] = { { 3500, "3.12 or newer" }, { 3450, "3.11" }, { 3430, "3.10" },
			 { 3420, "3.9" },           { 3400, "3.8" },  { 3392, "3.7" } };
	unsigned magic = le(g, 0, 2);

	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions) && g->text.len == 0; i++)
		if (versions[i].from <= magic)
			buf_printf(&g->text, "Byte-compiled Python module for CPython %s",
				   versions[i].version);
	if (g->text.len == 0) {
		buf_puts(&g->text, "python byte-compiled");
		return;
	}
	if ((be(g, 4, 1) & 1) != 0) {
		buf_printf(&g->text, ", hash-based, check-source flag %sset, hash: 0x%llx",
			   (be(g, 4, 1) & 2) != 0 ? "" : "un",
			   (unsigned long long)load_le(g->data, 8, 8));
		return;
	}
	buf_puts(&g->text, ", timestamp-based, .py timestamp: ");
	put_time(g, le(g, 8, 4), "%a %b %e %H:%M:%S %Y UTC");
	buf_printf(&g->text, ", .py size: %u bytes", le(g, 12, 4));
}

static void bzip2(struct guess *g)
{
	buf_printf(&g->text, "bzip2 compressed data, block size = %c00k", g->data.ptr[3]);
}

static void xz(struct guess *g)
{
	unsigned check = be(g, 7, 1);

	buf_puts(&g->text, "XZ compressed data, checksum ");
	buf_puts(&g->text, check == 0   ? "NONE"
			   : check == 1 ? "CRC32"
			   : check == 4 ? "CRC64"
					: "SHA-256");
}

static void zstd(struct guess *g)
{
	unsigned id = be(g, 4, 1) & 3;

	buf_puts(&g->text, "Zstandard compressed data (v0.8+), Dictionary ID: ");
	if (id == 0)
		buf_puts(&g->text, "None");
	else
		buf_printf(&g->text, "%u",
			   le(g, (be(g, 4, 1) & 0x20) != 0 ? 5 : 6, id == 3 ? 4 : id));
}

static void compress(struct guess *g)
{
	buf_printf(&g->text, "compress'd data %u bits", be(g, 2, 1) & 31);
}

static void wasm(struct guess *g)
{
	buf_printf(&g->text, "WebAssembly (wasm) binary module version 0x%x (MVP)", le(g, 4, 4));
}

static void git_index(struct guess *g)
{
	buf_printf(&g->text, "Git index, version %u, %u entries", be(g, 4, 4), be(g, 8, 4));
}

static void git_pack(struct guess *g)
{
	buf_printf(&g->text, "Git pack, version %u, %u objects", be(g, 4, 4), be(g, 8, 4));
}

static void seven_zip(struct guess *g)
{
	buf_printf(&g->text, "7-zip archive data, version %u.%u", be(g, 6, 1), be(g, 7, 1));
}

static void tiff(struct guess *g)
{
	bool big = g->data.ptr[0] == 'M';
	unsigned at = big ? be(g, 4, 4) : le(g, 4, 4);

	buf_printf(&g->text, "TIFF image data, %s-endian, direntries=%u", big ? "big" : "little",
		   big ? be(g, at, 2) : le(g, at, 2));
}

static void matroska(struct guess *g)
{
	struct bytes head = g->data;

	head.len = head.len > 64 ? 64 : head.len;
	bool webm = bytes_find(head, BYTES("webm")) != NULL;

	buf_puts(&g->text, webm ? "WebM" : "Matroska data");
	g->mime = webm ? "video/webm" : "video/x-matroska";
}

static void numpy(struct guess *g)
{
	buf_printf(&g->text, "NumPy array, version %u.%u, header length %u", be(g, 6, 1),
		   be(g, 7, 1), le(g, 8, 2));
}

static void iso_9660(struct guess *g)
{
	struct bytes name = { g->data.ptr + 32808, g->data.len >= 32840 ? 32 : 0 };

	while (name.len > 0 && name.ptr[name.len - 1] == ' ')
		name.len--;
	buf_printf(&g->text, "ISO 9660 CD-ROM filesystem data '%.*s'", (int)name.len, name.ptr);
}

static void put_font_names(struct guess *g, size_t at)
{
	static const char *const platforms[] = { ", Unicode", ", Macintosh", "", ", Microsoft" };
	unsigned platform = be(g, at + 6, 2);

	if (at + 18 > g->data.len)
		return;
	buf_printf(&g->text, ", %u names%s", be(g, at + 2, 2),
		   platform < 4 ? platforms[platform] : "");
	if (be(g, at + 10, 2) != 0)
		buf_printf(&g->text, ", language 0x%x", be(g, at + 10, 2));
	if (be(g, at + 12, 2) != 0)
		buf_printf(&g->text, ", type %u string", be(g, at + 12, 2));
}

static void truetype(struct guess *g)
{
	buf_printf(&g->text, "TrueType Font data, %u tables, 1st \"%.4s\"", be(g, 4, 2),
		   g->data.ptr + 12);
	for (size_t i = 0; i < be(g, 4, 2) && 28 + 16 * i <= g->data.len; i++)
		if (HAS(g->data, 12 + 16 * i, "name"))
			put_font_names(g, be(g, 20 + 16 * i, 4));
}

/* What the tags in front of an MP3 say of themselves. */
static void id3(struct guess *g)
{
	unsigned flags = be(g, 5, 1);
	size_t at = 10 + ((be(g, 6, 1) & 127) << 21 | (be(g, 7, 1) & 127) << 14 |
			  (be(g, 8, 1) & 127) << 7 | (be(g, 9, 1) & 127));

	g->mime = octets;
	buf_printf(&g->text, "Audio file with ID3 version 2.%u.%u", be(g, 3, 1), be(g, 4, 1));
	if ((flags & 0x80) != 0)
		buf_puts(&g->text, ", unsynchronized frames");
	if ((flags & 0x40) != 0)
		buf_puts(&g->text, ", extended header");
	if ((flags & 0x20) != 0)
		buf_puts(&g->text, ", experimental");
	if (HAS(g->data, at, "\xff\xfb"))
		buf_puts(&g->text, ", contains: ");
	else if (HAS(g->data, at, "\xff\xf3"))
		buf_puts(&g->text, ", contains:\\012- ");
	else
		return;
	put_mpeg(g, at);
}

/* --- the table --- */

struct format {
	size_t at;
	const char *mark;
	size_t len;
	const char *text; /* or put */
	const char *mime; /* NULL: put sets it */
	void (*put)(struct guess *g);
};

#define MARK(at, literal, text, mime)                                                              \
	{                                                                                          \
		at, literal, sizeof(literal) - 1, text, mime, NULL                                 \
	}
#define PARSE(at, literal, mime, fn)                                                               \
	{                                                                                          \
		at, literal, sizeof(literal) - 1, NULL, mime, fn                                   \
	}

static const struct format formats[] = {
	PARSE(0, "\x89PNG\r\n\x1a\n", "image/png", png),
	PARSE(0, "GIF8", "image/gif", gif),
	PARSE(0, "\xff\xd8\xff", "image/jpeg", jpeg),
	PARSE(0, "BM", "image/bmp", bmp),
	PARSE(0, "\0\0\1\0", "image/vnd.microsoft.icon", icon),
	PARSE(0, "\0\0\2\0", "image/x-win-bitmap", icon),
	PARSE(0, "RIFF", NULL, riff),
	PARSE(0, "II*\0", "image/tiff", tiff),
	PARSE(0, "MM\0*", "image/tiff", tiff),
	PARSE(0, "\x1a\x45\xdf\xa3", NULL, matroska),
	PARSE(0, "\x93NUMPY", octets, numpy),
	PARSE(32769, "CD001", "application/x-iso9660-image", iso_9660),
	PARSE(0, "\0\1\0\0\0", "font/sfnt", truetype),
	PARSE(4, "ftyp", NULL, iso_media),
	PARSE(0, "\x1f\x8b", "application/gzip", gzip),
	PARSE(0, "BZh", "application/x-bzip2", bzip2),
	PARSE(0,
	      "\xfd"
	      "7zXZ\0",
	      "application/x-xz", xz),
	PARSE(0, "\x28\xb5\x2f\xfd", "application/zstd", zstd),
	PARSE(0, "\x1f\x9d", "application/x-compress", compress),
	PARSE(0, "PK\3\4", NULL, zip),
	MARK(0, "PK\5\6", "Zip archive data (empty)", "application/zip"),
	PARSE(0, "7z\xbc\xaf'\x1c", "application/x-7z-compressed", seven_zip),
	MARK(0, "Rar!\x1a\7\1", "RAR archive data, v5", "application/x-rar"),
	MARK(0, "Rar!\x1a\7\0", "RAR archive data", "application/x-rar"),
	PARSE(0, "!<arch>\n", NULL, ar),
	MARK(0, "070701", "ASCII cpio archive (SVR4 with no CRC)", "application/x-cpio"),
	MARK(0, "070702", "ASCII cpio archive (SVR4 with CRC)", "application/x-cpio"),
	MARK(0, "070707", "ASCII cpio archive (pre-SVR4 or odc)", "application/x-cpio"),
	MARK(0, "\x5d\0\0\x80\0\xff", "LZMA compressed data, streamed", "application/x-lzma"),
	MARK(0, "\4\x22\x4d\x18", "LZ4 compressed data (v1.4+)", "application/x-lz4"),
	MARK(0, "LZIP\1", "lzip compressed data, version: 1", "application/x-lzip"),
	MARK(0, "\x89LZO\0\r\n\x1a\n", "lzop compressed data", octets),
	MARK(0, "\xff\6\0\0sNaPpY", "snappy framed data", "application/x-snappy-framed"),
	PARSE(0, "SQLite format 3\0", "application/vnd.sqlite3", sqlite),
	PARSE(0, "%PDF-", "application/pdf", pdf),
	PARSE(0, "\xca\xfe\xba\xbe", NULL, java_class),
	PARSE(0, "MZ", NULL, dos),
	PARSE(2, "\r\n", "application/x-bytecode.python", python),
	PARSE(0, "\0asm", "application/wasm", wasm),
	PARSE(0, "DIRC", octets, git_index),
	PARSE(0, "PACK", "application/x-git", git_pack),
	PARSE(0, "ID3\2", NULL, id3),
	PARSE(0, "ID3\3", NULL, id3),
	PARSE(0, "ID3\4", NULL, id3),
	MARK(0, "\x89HDF\r\n\x1a\n", "Hierarchical Data Format (version 5) data",
	     "application/x-hdf5"),
	MARK(0, "PAR1", "Apache Parquet", "text/plain"),
	MARK(0, "BC\xc0\xde", "LLVM IR bitcode", octets),
	MARK(0, "OTTO", "OpenType font data", "application/vnd.ms-opentype"),
	MARK(0, "\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000 Part 1 (JP2)", "image/jp2"),
	MARK(0, "FLV\1", "Macromedia Flash Video", "video/x-flv"),
};

static bool is_likely(const struct guess *g, const struct format *f)
{
	/* Marks of two letters need more proof. */
	if (f->put == bmp)
		return le(g, 6, 4) == 0 && le(g, 14, 4) >= 12 && le(g, 14, 4) <= 124;
	if (f->put == icon)
		return be(g, 9, 1) == 0 && le(g, 4, 2) != 0 && g->data.len > 22;
	if (f->put == python)
		return le(g, 0, 2) >= 3000 && le(g, 0, 2) < 3584 && g->data.len >= 16;
	if (f->put == dos)
		return g->data.len >= 64;
	if (f->put == gif)
		return g->data.len >= 10;
	if (f->put == png)
		return HAS(g->data, 12, "IHDR");
	if (f->put == zip)
		return g->data.len >= 30;
	if (f->put == truetype)
		return g->data.len > 16 && byte_is_print(g->data.ptr[12]);
	if (f->put == bzip2)
		return g->data.len > 3;
	return true;
}

bool guess_binary(struct guess *g)
{
	if (tar(g))
		return true;
	if ((g->skip & SKIP_SOFT) != 0)
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		const struct format *f = &formats[i];

		if (!has_at(g->data, f->at, f->mark, f->len) || !is_likely(g, f))
			continue;
		g->mime = f->mime;
		if (f->put != NULL)
			f->put(g);
		else
			buf_puts(&g->text, f->text);
		return true;
	}
	if (g->encoding != NULL || !guess_is_zlib(g->data))
		return false;
	buf_puts(&g->text, "zlib compressed data");
	g->mime = "application/zlib";
	return true;
}
