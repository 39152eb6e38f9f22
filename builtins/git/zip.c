/* SPDX-License-Identifier: MIT
 *
 * zlib's format around the deflate streams of base/codec.h: two bytes in front, Adler-32 behind.
 */
#include "base/codec.h"
#include "builtins/git/git.h"

enum { CHUNK = 1 << 14, ADLER_MOD = 65521, ADLER_RUN = 5552 };

static uint32_t adler32(const char *ptr, size_t len)
{
	uint32_t a = 1;
	uint32_t b = 0;

	while (len > 0) {
		size_t n = len < ADLER_RUN ? len : ADLER_RUN;

		for (size_t i = 0; i < n; i++) {
			a += (unsigned char)ptr[i];
			b += a;
		}
		a %= ADLER_MOD;
		b %= ADLER_MOD;
		ptr += n;
		len -= n;
	}
	return b << 16 | a;
}

/* Compressed bytes, out of memory or a file. */
struct source {
	struct git *g;
	struct bytes in;
	int fd; /* -1: only what is in `in` */
	uint64_t at;
	uint64_t taken;
	char *chunk;
};

static bool fill(struct source *s)
{
	int64_t got;

	if (s->in.len != 0)
		return true;
	if (s->fd < 0)
		return false;
	got = cmd_pread(s->g->c, s->fd, s->chunk, CHUNK / 4, s->at);
	if (got <= 0)
		return false;
	s->at += (uint64_t)got;
	s->in = (struct bytes){ s->chunk, (size_t)got };
	return true;
}

static int next_byte(struct source *s)
{
	int ch;

	if (!fill(s))
		return -1;
	ch = (unsigned char)s->in.ptr[0];
	s->in = bytes_slice(s->in, 1, s->in.len);
	s->taken++;
	return ch;
}

static bool read_header(struct source *s)
{
	int method = next_byte(s);
	int flags = next_byte(s);

	return method >= 0 && flags >= 0 && (method & 15) == 8 && method >> 4 <= 7 &&
	       (method << 8 | flags) % 31 == 0 && (flags & 0x20) == 0;
}

/* The stream itself. Room grows as bytes come: a length that lies costs nothing. */
static bool inflate_body(struct source *s, size_t size_max, struct buf *out)
{
	struct codec_options o = { .kind = CODEC_DEFLATE, .decode = true };
	enum codec_result got = CODEC_MORE;
	struct git *g = s->g;
	struct codec z;

	if (!codec_start(&z, g->c->pool, &o))
		git_die(g, "inflateInit: out of memory");
	while (got == CODEC_MORE) {
		size_t before;
		size_t had;

		if (!fill(s))
			break;
		buf_reserve(out, out->len < CHUNK ? CHUNK / 4 : out->len);
		had = s->in.len;
		z.in = (const uint8_t *)s->in.ptr;
		z.in_len = had;
		z.out = (uint8_t *)out->ptr + out->len;
		before = out->cap - out->len - 1;
		z.out_len = before;
		got = codec_run(&z, false);
		out->len += before - z.out_len;
		s->taken += had - z.in_len;
		s->in = bytes_slice(s->in, had - z.in_len, had);
		cmd_charge_bytes(g->c, before - z.out_len);
		if (out->len > size_max || (had == z.in_len && before == z.out_len))
			break;
	}
	codec_stop(&z);
	buf_cstr(out);
	return got == CODEC_END && out->len <= size_max;
}

static bool inflate_all(struct source *s, size_t size_max, struct buf *out)
{
	size_t from = out->len;
	uint32_t sum = 0;

	if (!read_header(s) || !inflate_body(s, size_max, out))
		return false;
	for (int i = 0; i < 4; i++) {
		int ch = next_byte(s);

		if (ch < 0)
			return false;
		sum = sum << 8 | (uint32_t)ch;
	}
	return sum == adler32(out->ptr + from, out->len - from);
}

bool zlib_inflate(struct git *g, struct bytes *in, size_t size_max, struct buf *out)
{
	struct source s = { .g = g, .in = *in, .fd = -1 };
	bool good = inflate_all(&s, size_max, out);

	*in = s.in;
	return good;
}

bool zlib_inflate_fd(struct git *g, int fd, uint64_t pos, size_t size_max, struct buf *out,
		     uint64_t *used)
{
	struct source s = { .g = g, .fd = fd, .at = pos };
	bool good;

	s.chunk = pool_alloc(g->c->pool, CHUNK / 4);
	good = inflate_all(&s, size_max, out);
	pool_free(g->c->pool, s.chunk, CHUNK / 4);
	*used = s.taken;
	return good;
}

void zlib_deflate_raw(struct git *g, struct bytes in, int level, struct buf *out)
{
	struct codec_options o = { .kind = CODEC_DEFLATE, .level = level };
	enum codec_result got = CODEC_MORE;
	struct codec z;

	if (!codec_start(&z, g->c->pool, &o))
		git_die(g, "deflateInit: out of memory");
	z.in = (const uint8_t *)in.ptr;
	z.in_len = in.len;
	z.flush = false;
	while (got == CODEC_MORE) {
		buf_reserve(out, CHUNK);
		z.out = (uint8_t *)out->ptr + out->len;
		z.out_len = CHUNK;
		got = codec_run(&z, true);
		out->len += CHUNK - z.out_len;
		cmd_charge(g->c, CHUNK / 16);
	}
	codec_stop(&z);
	buf_cstr(out);
	if (got != CODEC_END)
		git_die(g, "unable to deflate new object");
}

void zlib_deflate(struct git *g, struct bytes in, int level, struct buf *out)
{
	uint32_t sum = adler32(in.ptr, in.len);

	buf_put(out, "\x78\x01", 2);
	zlib_deflate_raw(g, in, level, out);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_putc(out, (char)(sum >> shift & 0xff));
}

uint32_t zlib_crc32(uint32_t crc, struct bytes in)
{
	return codec_crc32(crc, in.ptr, in.len);
}
