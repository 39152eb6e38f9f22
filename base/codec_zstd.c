/* SPDX-License-Identifier: MIT
 *
 * zstd frames, by libzstd: in the caller's thread only.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include "base/codec.h"

#include <zstd.h>
#include <zstd_errors.h>

static void *hook_alloc(void *pool, size_t size)
{
	return codec_alloc(pool, 1, size);
}

static void hook_free(void *pool, void *block)
{
	codec_free(pool, block);
}

static bool set(ZSTD_CCtx *z, ZSTD_cParameter what, int value)
{
	return !ZSTD_isError(ZSTD_CCtx_setParameter(z, what, value));
}

static bool start_encoder(struct codec *c, const struct codec_options *o, ZSTD_customMem hooks)
{
	ZSTD_CCtx *z = ZSTD_createCCtx_advanced(hooks);

	c->state = z;
	if (z == NULL || !set(z, ZSTD_c_compressionLevel, o->level) ||
	    !set(z, ZSTD_c_checksumFlag, o->check))
		return false;
	if (o->window_log != 0 && (!set(z, ZSTD_c_enableLongDistanceMatching, 1) ||
				   !set(z, ZSTD_c_windowLog, o->window_log)))
		return false;
	if (o->dict.len != 0 &&
	    ZSTD_isError(ZSTD_CCtx_loadDictionary_byReference(z, o->dict.ptr, o->dict.len)))
		return false;
	return o->size == UINT64_MAX || !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(z, o->size));
}

static bool start(struct codec *c, const struct codec_options *o)
{
	ZSTD_customMem hooks = { hook_alloc, hook_free, c->pool };

	if (!o->decode)
		return start_encoder(c, o, hooks);
	ZSTD_DCtx *z = ZSTD_createDCtx_advanced(hooks);

	c->state = z;
	if (z == NULL)
		return false;
	if (o->dict.len != 0 &&
	    ZSTD_isError(ZSTD_DCtx_loadDictionary_byReference(z, o->dict.ptr, o->dict.len)))
		return false;
	return o->window_log == 0 ||
	       !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, o->window_log));
}

static enum codec_result result_of(size_t code)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_prefix_unknown: return CODEC_BAD_MAGIC;
	case ZSTD_error_checksum_wrong: return CODEC_BAD_CHECK;
	case ZSTD_error_frameParameter_unsupported:
	case ZSTD_error_dictionary_wrong: return CODEC_OPTIONS;
	case ZSTD_error_frameParameter_windowTooLarge: return CODEC_MEMORY;
	default: return CODEC_BAD;
	}
}

static enum codec_result run(struct codec *c, bool finish)
{
	ZSTD_inBuffer in = { c->in, c->in_len, 0 };
	ZSTD_outBuffer out = { c->out, c->out_len, 0 };
	size_t left;

	if (c->decode)
		left = ZSTD_decompressStream(c->state, &out, &in);
	else
		left = ZSTD_compressStream2(c->state, &out, &in,
					    finish ? ZSTD_e_end : ZSTD_e_continue);
	codec_advance(c, in.pos, out.pos);
	if (ZSTD_isError(left))
		return result_of(left);
	if (left == 0 && (c->decode || finish))
		return CODEC_END;
	if (c->decode && finish && c->in_len == 0 && out.pos == 0 && c->out_len > 0)
		return CODEC_BAD;
	return CODEC_MORE;
}

static void stop(struct codec *c)
{
	if (c->decode)
		ZSTD_freeDCtx(c->state);
	else
		ZSTD_freeCCtx(c->state);
}

const struct codec_ops codec_zstd = { start, run, stop };
