/* SPDX-License-Identifier: MIT
 *
 * See http.h: bodies that are packed, base64, dates.
 */
#include "builtins/http/http.h"

#include "base/time.h"

enum { ROOM = 32 << 10, WRAP_MAX = 64 << 10, GZIP_TRAILER = 8, YEAR_MAX = 2261 /* in ns */ };

bool http_decoder_init(struct http_decoder *d, struct cmd *c, struct bytes coding)
{
	*d = (struct http_decoder){ .c = c, .wrap = buf_in(c->arena) };
	if (http_name_is(coding, "gzip") || http_name_is(coding, "x-gzip"))
		d->kind = DECODE_GZIP;
	else if (http_name_is(coding, "deflate"))
		d->kind = DECODE_ZLIB;
	else if (http_name_is(coding, "zstd"))
		d->kind = DECODE_ZSTD;
	else
		return coding.len == 0 || http_name_is(coding, "identity");
	d->room = arena_alloc(c->arena, ROOM);
	return true;
}

/* The length of gzip's header; 0: more is needed, -1: it is none. */
static int64_t gzip_header(struct bytes s)
{
	enum { HAS_CRC = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16 };
	const uint8_t *at = (const uint8_t *)s.ptr;
	size_t len = 10;

	if (s.len < 10)
		return 0;
	if (at[0] != 0x1f || at[1] != 0x8b || at[2] != 8)
		return -1;
	if ((at[3] & HAS_EXTRA) != 0)
		len = s.len >= 12 ? 12 + (at[10] | (size_t)at[11] << 8) : SIZE_MAX;
	for (int flag = HAS_NAME; flag <= HAS_COMMENT; flag *= 2) {
		const char *end;

		if ((at[3] & flag) == 0 || len >= s.len)
			continue;
		end = memchr(s.ptr + len, '\0', s.len - len);
		len = end != NULL ? (size_t)(end - s.ptr) + 1 : SIZE_MAX;
	}
	if ((at[3] & HAS_CRC) != 0 && len < s.len)
		len += 2;
	return len <= s.len ? (int64_t)len : 0;
}

/* Takes the wrapping off the front; what follows it is left in *piece. 0: more is needed. */
static int64_t unwrap(struct http_decoder *d, struct bytes *piece)
{
	size_t before = d->wrap.len;
	int64_t len = 0;

	buf_put(&d->wrap, piece->ptr, piece->len < WRAP_MAX ? piece->len : WRAP_MAX);
	if (d->kind == DECODE_GZIP)
		len = gzip_header(buf_bytes(&d->wrap));
	else if (d->wrap.len >= 2)
		len = (d->wrap.ptr[0] & 15) == 8 ? 2 : -1;
	if (len == 0 && d->wrap.len >= WRAP_MAX)
		return -1;
	if (len > 0)
		*piece = bytes_slice(*piece, (size_t)len - before, piece->len);
	return len;
}

static bool begin(struct http_decoder *d)
{
	struct codec_options o = { .kind = d->kind == DECODE_ZSTD ? CODEC_ZSTD : CODEC_DEFLATE,
				   .decode = true,
				   .size = UINT64_MAX };

	d->started = codec_start(&d->codec, d->c->pool, &o);
	d->wrap.len = 0;
	return d->started;
}

/* What follows a gzip stream: its checksum. */
static int see_end(struct http_decoder *d, struct bytes piece)
{
	const uint8_t *at;

	if (d->kind != DECODE_GZIP || d->wrap.len >= GZIP_TRAILER)
		return 0;
	buf_put(&d->wrap, piece.ptr, piece.len < GZIP_TRAILER ? piece.len : GZIP_TRAILER);
	if (d->wrap.len < GZIP_TRAILER)
		return 0;
	at = (const uint8_t *)d->wrap.ptr;
	return (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24) ==
			       d->crc
		       ? 0
		       : HTTP_BAD_CODE;
}

int http_decode(struct http_decoder *d, struct bytes piece,
		void (*put)(void *arg, struct bytes part), void *arg)
{
	enum codec_result r = CODEC_MORE;

	if (d->kind == DECODE_NOTHING) {
		put(arg, piece);
		return 0;
	}
	if (piece.len == 0)
		return d->started && !d->ended ? HTTP_BAD_CODE : 0;
	if (!d->started) {
		int64_t n = d->kind == DECODE_ZSTD ? 1 : unwrap(d, &piece);

		if (n <= 0)
			return n < 0 ? HTTP_BAD_CODE : 0;
		if (!begin(d))
			return HTTP_BAD_CODE;
	}
	d->codec.in = (const uint8_t *)piece.ptr;
	d->codec.in_len = piece.len;
	while (r == CODEC_MORE && !d->ended) {
		size_t made;

		d->codec.out = d->room;
		d->codec.out_len = ROOM;
		r = codec_run(&d->codec, false);
		made = ROOM - d->codec.out_len;
		d->crc = codec_crc32(d->crc, d->room, made);
		cmd_charge_bytes(d->c, made);
		if (made != 0)
			put(arg, (struct bytes){ (const char *)d->room, made });
		if (made == 0 && d->codec.in_len == 0 && r == CODEC_MORE)
			return 0;
	}
	if (r != CODEC_END && !d->ended)
		return HTTP_BAD_CODE;
	d->ended = true;
	return see_end(d, (struct bytes){ (const char *)d->codec.in, d->codec.in_len });
}

void http_decoder_clear(struct http_decoder *d)
{
	if (d->started)
		codec_stop(&d->codec);
	d->started = false;
}

void http_base64(struct buf *out, struct bytes s)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < s.len; i += 3) {
		uint32_t v = (uint32_t)(unsigned char)s.ptr[i] << 16;

		v |= i + 1 < s.len ? (uint32_t)(unsigned char)s.ptr[i + 1] << 8 : 0;
		v |= i + 2 < s.len ? (uint32_t)(unsigned char)s.ptr[i + 2] : 0;
		buf_putc(out, digits[v >> 18]);
		buf_putc(out, digits[v >> 12 & 63]);
		buf_putc(out, i + 1 < s.len ? digits[v >> 6 & 63] : '=');
		buf_putc(out, i + 2 < s.len ? digits[v & 63] : '=');
	}
}

/* --- dates --- */

static int month_of(struct bytes word)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	for (int i = 0; word.len >= 3 && i < 12; i++)
		if (byte_to_lower(word.ptr[0]) == names[3 * i] &&
		    byte_to_lower(word.ptr[1]) == names[3 * i + 1] &&
		    byte_to_lower(word.ptr[2]) == names[3 * i + 2])
			return i + 1;
	return 0;
}

/* "07:28:00" */
static bool clock_of(struct bytes word, int64_t *seconds)
{
	unsigned part[3] = { 0 };
	int n = 0;

	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] == ':' && n < 2)
			n++;
		else if (byte_is_digit(word.ptr[i]) && part[n] < 100)
			part[n] = part[n] * 10 + (unsigned)(word.ptr[i] - '0');
		else
			return false;
	}
	*seconds = (int64_t)part[0] * 3600 + part[1] * 60 + part[2];
	return n == 2 && part[0] < 24 && part[1] < 60 && part[2] <= 60;
}

static unsigned number_of(struct bytes word)
{
	unsigned n = 0;

	for (size_t i = 0; i < word.len; i++) {
		if (!byte_is_digit(word.ptr[i]) || i == 4)
			return 0;
		n = n * 10 + (unsigned)(word.ptr[i] - '0');
	}
	return n;
}

/* Words in any order, as their shapes tell: a day, a month by name, a year, a time of day. */
bool http_date(struct bytes s, int64_t *seconds)
{
	unsigned day = 0, year = 0;
	int month = 0;
	int64_t clock = -1;

	for (size_t i = 0; i < s.len;) {
		size_t begin = i;
		struct bytes word;

		while (i < s.len && (byte_is_alnum(s.ptr[i]) || s.ptr[i] == ':'))
			i++;
		word = bytes_slice(s, begin, i);
		if (word.len == 0)
			i++;
		else if (memchr(word.ptr, ':', word.len) != NULL) {
			if (!clock_of(word, &clock))
				return false;
		} else if (month == 0 && month_of(word) != 0 && !byte_is_digit(word.ptr[0]))
			month = month_of(word);
		else if (byte_is_digit(word.ptr[0]) && day == 0 && word.len <= 2)
			day = number_of(word);
		else if (byte_is_digit(word.ptr[0]) && year == 0)
			year = number_of(word);
	}
	if (year != 0 && year < 100)
		year += year < 70 ? 2000 : 1900;
	if (day == 0 || day > 31 || month == 0 || year < 1583 || year > YEAR_MAX || clock < 0)
		return false;
	*seconds = time_days(year, month, (int)day) * 86400 + clock;
	return true;
}
