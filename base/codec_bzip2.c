/* SPDX-License-Identifier: MIT
 *
 * bzip2 streams, by libbz2.
 */
#include "base/codec.h"

#include <bzlib.h>
#include <limits.h>

static void *hook_alloc(void *pool, int count, int size)
{
	return codec_alloc(pool, (size_t)count, (size_t)size);
}

static void hook_free(void *pool, void *block)
{
	codec_free(pool, block);
}

static bool start(struct codec *c, const struct codec_options *o)
{
	bz_stream *z = pool_zalloc(c->pool, sizeof *z);
	int err;

	z->bzalloc = hook_alloc;
	z->bzfree = hook_free;
	z->opaque = c->pool;
	c->state = z;
	if (o->decode)
		err = BZ2_bzDecompressInit(z, 0, 0);
	else
		err = BZ2_bzCompressInit(z, o->level, 0, 0);
	return err == BZ_OK;
}

static enum codec_result result_of(int err)
{
	switch (err) {
	case BZ_STREAM_END: return CODEC_END;
	case BZ_DATA_ERROR_MAGIC: return CODEC_BAD_MAGIC;
	case BZ_DATA_ERROR: return CODEC_BAD_CHECK;
	default: return err < 0 ? CODEC_BAD : CODEC_MORE;
	}
}

static enum codec_result run(struct codec *c, bool finish)
{
	bz_stream *z = c->state;
	unsigned in = c->in_len < UINT_MAX ? (unsigned)c->in_len : UINT_MAX;
	unsigned out = c->out_len < UINT_MAX ? (unsigned)c->out_len : UINT_MAX;
	int err;

	z->next_in = (char *)(uintptr_t)c->in;
	z->avail_in = in;
	z->next_out = (char *)c->out;
	z->avail_out = out;
	if (c->decode)
		err = BZ2_bzDecompress(z);
	else if (in == 0 && !finish)
		err = BZ_RUN_OK;
	else
		err = BZ2_bzCompress(z, finish && in == c->in_len ? BZ_FINISH : BZ_RUN);
	codec_advance(c, in - z->avail_in, out - z->avail_out);
	/* Nothing was done though there was room: the stream is cut. */
	if (c->decode && err == BZ_OK && finish && c->in_len == 0 && z->avail_out == out)
		return CODEC_BAD;
	return result_of(err);
}

static void stop(struct codec *c)
{
	if (c->decode)
		BZ2_bzDecompressEnd(c->state);
	else
		BZ2_bzCompressEnd(c->state);
	pool_free(c->pool, c->state, sizeof(bz_stream));
}

const struct codec_ops codec_bzip2 = { start, run, stop };
