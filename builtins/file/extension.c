/* SPDX-License-Identifier: MIT
 *
 * --extension: the names' ends that go with a type. Most types have none in the real one's marks.
 */
#include "builtins/file/file.h"

static const struct {
	const char *mime;
	const char *text; /* what the answer contains; NULL: anything */
	const char *extensions;
} table[] = {
	{ "application/gzip", ", was \"", "gz/tgz/tpz/zabw/svgz/adz/kmy/xcfgz" },
	{ "application/gzip", ", original size",
	  "gz/tgz/tpz/ipk/vbox-extpack/svgz/blend/dia/gnucash/rdata/xoj" },
	{ "application/javascript", "JavaScript", "js" },
	{ "application/octet-stream", "lzop", "lzo" },
	{ "application/pdf", NULL, "pdf" },
	{ "application/pgp-encrypted", NULL, "asc" },
	{ "application/pgp-keys", NULL, "asc" },
	{ "application/pgp-signature", NULL, "asc" },
	{ "application/vnd.android.package-archive", NULL, "apk" },
	{ "application/vnd.debian.binary-package", NULL, "deb/udeb/ipk" },
	{ "application/vnd.microsoft.portable-executable", "(DLL)", "dll/cpl/tlb/ocx/acm/ax/ime" },
	{ "application/vnd.microsoft.portable-executable", "(GUI)", "exe/scr" },
	{ "application/vnd.microsoft.portable-executable", "(console)", "exe/com" },
	{ "application/vnd.oasis.opendocument.graphics", NULL, "odg" },
	{ "application/vnd.oasis.opendocument.presentation", NULL, "odp" },
	{ "application/vnd.oasis.opendocument.spreadsheet", NULL, "ods" },
	{ "application/vnd.oasis.opendocument.text", NULL, "odt" },
	{ "application/vnd.openxmlformats-officedocument.presentationml.presentation", NULL,
	  "pptx" },
	{ "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", NULL, "xlsx" },
	{ "application/vnd.openxmlformats-officedocument.wordprocessingml.document", NULL, "docx" },
	{ "application/vnd.sqlite3", NULL, "sqlite/sqlite3/db/db3/dbe/sdb/help" },
	{ "application/wasm", NULL, "wasm" },
	{ "application/x-7z-compressed", NULL, "7z/cb7" },
	{ "application/x-archive", NULL, "a/lib/ar" },
	{ "application/x-bittorrent", NULL, "torrent" },
	{ "application/x-bzip2", NULL, "bz2" },
	{ "application/x-compress", NULL, "Z" },
	{ "application/x-dosexec", NULL, "exe/com/vlm/drv" },
	{ "application/x-gettext-translation", NULL, "gmo/mo" },
	{ "application/x-git", NULL, "pack" },
	{ "application/x-hdf5", NULL, "h5/hdf5/hdf/he5" },
	{ "application/x-iso9660-image", NULL, "iso/iso9660" },
	{ "application/java-archive", NULL, "jar" },
	{ "application/x-java-applet", NULL, "class" },
	{ "application/x-lz4", NULL, "lz4" },
	{ "application/x-lzip", NULL, "lz" },
	{ "application/x-lzma", NULL, "lzma" },
	{ "application/x-netcdf", NULL, "nc" },
	{ "application/x-rar", "v5", "rar" },
	{ "application/x-rar", NULL, "rar/cbr" },
	{ "application/x-setupscript", NULL, "inf" },
	{ "application/x-subrip", NULL, "srt" },
	{ "application/x-tar", "(GNU)", "tar/gtar" },
	{ "application/x-tar", "POSIX", "tar/ustar" },
	{ "application/x-tar", NULL, "tar" },
	{ "application/x-wine-extension-ini", "Generic", "ini/inf" },
	{ "application/x-wine-extension-ini", NULL, "ini" },
	{ "application/x-xz", NULL, "xz" },
	{ "application/zip", "(empty)", "zip/cbz" },
	{ "application/zstd", NULL, "zst" },
	{ "audio/x-wav", NULL, "wav/wave" },
	{ "font/sfnt", NULL, "ttf/tte" },
	{ "font/woff2", NULL, "woff2" },
	{ "image/bmp", "Windows 3.x", "bmp/ico" },
	{ "image/bmp", NULL, "bmp" },
	{ "image/x-icns", NULL, "icns" },
	{ "image/gif", NULL, "gif" },
	{ "image/jp2", NULL, "jp2" },
	{ "image/jpeg", NULL, "jpeg/jpg/jpe/jfif" },
	{ "image/png", NULL, "png" },
	{ "image/svg+xml", NULL, "svg" },
	{ "image/tiff", NULL, "tif/tiff" },
	{ "image/vnd.microsoft.icon", NULL, "ico" },
	{ "image/webp", NULL, "webp" },
	{ "image/x-jp2-codestream", NULL, "jpc/j2c/j2k" },
	{ "image/x-portable-bitmap", NULL, "pbm" },
	{ "image/x-portable-graymap", NULL, "pgm" },
	{ "image/x-portable-greymap", NULL, "pgm" },
	{ "image/x-portable-pixmap", "rawbits", "ppm/pnm" },
	{ "image/x-portable-pixmap", NULL, "ppm" },
	{ "image/x-xpixmap", NULL, "xpm" },
	{ "text/rtf", NULL, "rtf" },
	{ "text/vtt", NULL, "vtt" },
	{ "text/x-msdos-batch", NULL, "bat" },
	{ "video/mp4", "MP4 Base Media", "mp4" },
	{ "video/x-msvideo", NULL, "avi/divx" },
};

const char *guess_extensions(const struct guess *g)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (g->mime != NULL && strcmp(g->mime, table[i].mime) == 0 &&
		    (table[i].text == NULL ||
		     bytes_find(buf_bytes(&g->text), bytes_of(table[i].text)) != NULL))
			return table[i].extensions;
	return NULL;
}
