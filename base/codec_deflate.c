/* SPDX-License-Identifier: MIT
 *
 * Deflate streams and CRC-32, by zlib. The wrappings (gzip, zip) are the commands' own, but where
 * gzip's is asked for.
 */
#include "base/codec.h"

#include <limits.h>
#include <zlib.h>

static voidpf hook_alloc(voidpf pool, uInt count, uInt size)
{
	return codec_alloc(pool, count, size);
}

static void hook_free(voidpf pool, voidpf block)
{
	codec_free(pool, block);
}

static bool start(struct codec *c, const struct codec_options *o)
{
	z_stream *z = pool_zalloc(c->pool, sizeof *z);
	int bits = o->gzip ? MAX_WBITS + 16 : -MAX_WBITS;
	int err;

	z->zalloc = hook_alloc;
	z->zfree = hook_free;
	z->opaque = c->pool;
	c->state = z;
	if (o->decode)
		err = inflateInit2(z, bits);
	else
		err = deflateInit2(z, o->level, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
	return err == Z_OK;
}

static enum codec_result run(struct codec *c, bool finish)
{
	z_stream *z = c->state;
	uInt in = c->in_len < UINT_MAX ? (uInt)c->in_len : UINT_MAX;
	uInt out = c->out_len < UINT_MAX ? (uInt)c->out_len : UINT_MAX;
	int err;

	z->next_in = (z_const Bytef *)c->in;
	z->avail_in = in;
	z->next_out = c->out;
	z->avail_out = out;
	if (c->decode)
		err = inflate(z, Z_NO_FLUSH);
	else
		err = deflate(z, finish && in == c->in_len ? Z_FINISH
				 : c->flush                ? Z_FULL_FLUSH
							   : Z_NO_FLUSH);
	codec_advance(c, in - z->avail_in, out - z->avail_out);
	if (err == Z_STREAM_END)
		return CODEC_END;
	if (err == Z_OK || (err == Z_BUF_ERROR && !(c->decode && finish && c->out_len > 0)))
		return CODEC_MORE;
	c->message = z->msg;
	return CODEC_BAD;
}

static void stop(struct codec *c)
{
	if (c->decode)
		inflateEnd(c->state);
	else
		deflateEnd(c->state);
	pool_free(c->pool, c->state, sizeof(z_stream));
}

const struct codec_ops codec_deflate = { start, run, stop };

uint32_t codec_crc32(uint32_t crc, const void *data, size_t len)
{
	const Bytef *at = data;

	while (len > 0) {
		uInt step = len < UINT_MAX ? (uInt)len : UINT_MAX;

		crc = (uint32_t)crc32(crc, at, step);
		at += step;
		len -= step;
	}
	return crc;
}
