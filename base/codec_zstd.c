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

static bool set_all(ZSTD_CCtx *z, const int *values)
{
	static const ZSTD_cParameter what[CODEC_ZSTD_PARAMS] = {
		[CODEC_ZSTD_WINDOW_LOG] = ZSTD_c_windowLog,
		[CODEC_ZSTD_CHAIN_LOG] = ZSTD_c_chainLog,
		[CODEC_ZSTD_HASH_LOG] = ZSTD_c_hashLog,
		[CODEC_ZSTD_SEARCH_LOG] = ZSTD_c_searchLog,
		[CODEC_ZSTD_MIN_MATCH] = ZSTD_c_minMatch,
		[CODEC_ZSTD_TARGET_LENGTH] = ZSTD_c_targetLength,
		[CODEC_ZSTD_STRATEGY] = ZSTD_c_strategy,
		[CODEC_ZSTD_LONG] = ZSTD_c_enableLongDistanceMatching,
		[CODEC_ZSTD_LONG_HASH_LOG] = ZSTD_c_ldmHashLog,
		[CODEC_ZSTD_LONG_MIN_MATCH] = ZSTD_c_ldmMinMatch,
		[CODEC_ZSTD_LONG_BUCKET_LOG] = ZSTD_c_ldmBucketSizeLog,
		[CODEC_ZSTD_LONG_RATE_LOG] = ZSTD_c_ldmHashRateLog,
		[CODEC_ZSTD_TARGET_BLOCK] = ZSTD_c_targetCBlockSize,
		[CODEC_ZSTD_SIZE_HINT] = ZSTD_c_srcSizeHint,
		[CODEC_ZSTD_LITERALS] = ZSTD_c_literalCompressionMode,
		[CODEC_ZSTD_ROWS] = ZSTD_c_useRowMatchFinder,
	};

	for (int i = 0; i < CODEC_ZSTD_NO_SIZE; i++)
		/* Overlaps are between threads only. */
		if (values[i] != 0 && i != CODEC_ZSTD_OVERLAP_LOG && !set(z, what[i], values[i]))
			return false;
	return set(z, ZSTD_c_contentSizeFlag, values[CODEC_ZSTD_NO_SIZE] == 0) &&
	       set(z, ZSTD_c_dictIDFlag, values[CODEC_ZSTD_NO_DICT_ID] == 0);
}

struct codec_zstd_choice codec_zstd_choose(int level, uint64_t size, size_t dict_size)
{
	ZSTD_compressionParameters p = ZSTD_getCParams(level, size, dict_size);

	/* Binary trees take two links for each position. */
	return (struct codec_zstd_choice){ (int)p.strategy,
					   (int)p.chainLog - (p.strategy >= ZSTD_btlazy2) };
}

/* The dictionary of an encoder or decoder, if there is one. */
static bool take_dict(void *z, const struct codec_options *o)
{
	size_t err = 0;

	if (o->dict.len == 0)
		return true;
	if (o->prefix)
		err = o->decode ? ZSTD_DCtx_refPrefix(z, o->dict.ptr, o->dict.len)
				: ZSTD_CCtx_refPrefix(z, o->dict.ptr, o->dict.len);
	else
		err = o->decode ? ZSTD_DCtx_loadDictionary_byReference(z, o->dict.ptr, o->dict.len)
				: ZSTD_CCtx_loadDictionary_byReference(z, o->dict.ptr, o->dict.len);
	return !ZSTD_isError(err);
}

static bool start_encoder(struct codec *c, const struct codec_options *o, ZSTD_customMem hooks)
{
	ZSTD_CCtx *z = ZSTD_createCCtx_advanced(hooks);

	c->state = z;
	if (z == NULL || !set(z, ZSTD_c_compressionLevel, o->level) ||
	    !set(z, ZSTD_c_checksumFlag, o->check))
		return false;
	if (o->zstd != NULL && !set_all(z, o->zstd))
		return false;
	if (!take_dict(z, o))
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
	if (z == NULL || !take_dict(z, o))
		return false;
	if (o->unverified && ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_forceIgnoreChecksum,
								 ZSTD_d_ignoreChecksum)))
		return false;
	return o->memory_max == 0 ||
	       !ZSTD_isError(ZSTD_DCtx_setMaxWindowSize(z, (size_t)o->memory_max));
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
