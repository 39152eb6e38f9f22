/* SPDX-License-Identifier: MIT
 *
 * xz and lzma streams, by liblzma: its single-threaded coders only.
 */
#include "base/codec.h"

#include <lzma.h>

struct lzma_state {
	lzma_stream z;
	lzma_allocator hooks;
};

static void *hook_alloc(void *pool, size_t count, size_t size)
{
	return codec_alloc(pool, count, size);
}

static void hook_free(void *pool, void *block)
{
	codec_free(pool, block);
}

static lzma_ret start_encoder(lzma_stream *z, const struct codec_options *o)
{
	uint32_t preset = (uint32_t)o->level | (o->extreme ? LZMA_PRESET_EXTREME : 0);
	lzma_options_lzma lzma;

	if (o->kind == CODEC_XZ)
		return lzma_easy_encoder(z, preset, (lzma_check)o->check);
	if (lzma_lzma_preset(&lzma, preset))
		return LZMA_OPTIONS_ERROR;
	return lzma_alone_encoder(z, &lzma);
}

static bool start(struct codec *c, const struct codec_options *o)
{
	struct lzma_state *s = pool_zalloc(c->pool, sizeof *s);
	uint64_t max = o->memory_max != 0 ? o->memory_max : UINT64_MAX;
	lzma_ret err;

	s->hooks = (lzma_allocator){ hook_alloc, hook_free, c->pool };
	s->z = (lzma_stream)LZMA_STREAM_INIT;
	s->z.allocator = &s->hooks;
	c->state = s;
	if (!o->decode)
		err = start_encoder(&s->z, o);
	else if (o->kind == CODEC_XZ)
		err = lzma_stream_decoder(&s->z, max, LZMA_TELL_UNSUPPORTED_CHECK);
	else
		err = lzma_alone_decoder(&s->z, max);
	return err == LZMA_OK;
}

static enum codec_result result_of(lzma_ret err)
{
	switch (err) {
	case LZMA_STREAM_END: return CODEC_END;
	case LZMA_FORMAT_ERROR: return CODEC_BAD_MAGIC;
	case LZMA_OPTIONS_ERROR: return CODEC_OPTIONS;
	case LZMA_MEMLIMIT_ERROR: return CODEC_MEMORY;
	case LZMA_OK:
	case LZMA_NO_CHECK:
	case LZMA_GET_CHECK:
	case LZMA_UNSUPPORTED_CHECK: return CODEC_MORE;
	default: return CODEC_BAD;
	}
}

static enum codec_result run(struct codec *c, bool finish)
{
	struct lzma_state *s = c->state;
	lzma_stream *z = &s->z;

	z->next_in = c->in;
	z->avail_in = c->in_len;
	z->next_out = c->out;
	z->avail_out = c->out_len;
	lzma_ret err = lzma_code(z, finish ? LZMA_FINISH : LZMA_RUN);

	/* No progress: with finish the stream is cut, else the caller brings more. */
	if (err == LZMA_BUF_ERROR && !(c->decode && finish && c->out_len > 0))
		err = LZMA_OK;
	c->in = z->next_in;
	c->in_len = z->avail_in;
	c->out = z->next_out;
	c->out_len = z->avail_out;
	return result_of(err);
}

static void stop(struct codec *c)
{
	struct lzma_state *s = c->state;

	lzma_end(&s->z);
	pool_free(c->pool, s, sizeof *s);
}

const struct codec_ops codec_lzma = { start, run, stop };
