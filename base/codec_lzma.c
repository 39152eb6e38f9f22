/* SPDX-License-Identifier: MIT
 *
 * xz, lzma and lzip streams, by liblzma: its single-threaded coders only.
 */
#include "base/codec.h"

#include <lzma.h>

struct lzma_state {
	lzma_stream z;
	lzma_allocator hooks;
	uint64_t block_size; /* at most, of input */
	const uint64_t *block_list;
	size_t nblocks;
	uint64_t listed; /* what is left of the size in the list */
	uint64_t left;   /* of input for the block */
};

static void *hook_alloc(void *pool, size_t count, size_t size)
{
	return codec_alloc(pool, count, size);
}

static void hook_free(void *pool, void *block)
{
	codec_free(pool, block);
}

static bool preset_of(int level, bool extreme, uint32_t dictionary, lzma_options_lzma *out)
{
	if (lzma_lzma_preset(out, (uint32_t)level | (extreme ? LZMA_PRESET_EXTREME : 0)))
		return false;
	if (dictionary != 0)
		out->dict_size = dictionary;
	return true;
}

uint32_t codec_xz_dictionary(int level, bool extreme)
{
	lzma_options_lzma lzma;

	return preset_of(level, extreme, 0, &lzma) ? lzma.dict_size : 0;
}

uint64_t codec_xz_memory(enum codec_kind kind, int level, bool extreme, uint32_t dictionary)
{
	lzma_options_lzma lzma;
	lzma_filter filters[2] = { { kind == CODEC_XZ ? LZMA_FILTER_LZMA2 : LZMA_FILTER_LZMA1,
				     &lzma },
				   { LZMA_VLI_UNKNOWN, NULL } };

	return preset_of(level, extreme, dictionary, &lzma) ? lzma_raw_encoder_memusage(filters)
							    : UINT64_MAX;
}

bool codec_filter_preset(struct codec_filter *f, int level, bool extreme)
{
	lzma_options_lzma lzma;

	if (!preset_of(level, extreme, 0, &lzma))
		return false;
	f->dict = lzma.dict_size;
	f->lc = lzma.lc;
	f->lp = lzma.lp;
	f->pb = lzma.pb;
	f->mode = (uint32_t)lzma.mode;
	f->finder = (uint32_t)lzma.mf;
	f->nice = lzma.nice_len;
	f->depth = lzma.depth;
	return true;
}

/* The library's own form of a chain. */
struct chain {
	lzma_filter filters[CODEC_FILTERS_MAX + 1];
	union {
		lzma_options_lzma lzma;
		lzma_options_delta delta;
		lzma_options_bcj bcj;
	} options[CODEC_FILTERS_MAX];
};

static void make_chain(struct chain *out, const struct codec_filter *filters, int n)
{
	static const lzma_vli ids[] = {
		[CODEC_FILTER_LZMA1] = LZMA_FILTER_LZMA1,
		[CODEC_FILTER_LZMA2] = LZMA_FILTER_LZMA2,
		[CODEC_FILTER_DELTA] = LZMA_FILTER_DELTA,
		[CODEC_FILTER_X86] = LZMA_FILTER_X86,
		[CODEC_FILTER_POWERPC] = LZMA_FILTER_POWERPC,
		[CODEC_FILTER_IA64] = LZMA_FILTER_IA64,
		[CODEC_FILTER_ARM] = LZMA_FILTER_ARM,
		[CODEC_FILTER_ARMTHUMB] = LZMA_FILTER_ARMTHUMB,
		[CODEC_FILTER_ARM64] = LZMA_FILTER_ARM64,
		[CODEC_FILTER_SPARC] = LZMA_FILTER_SPARC,
	};

	*out = (struct chain){ 0 };
	for (int i = 0; i < n; i++) {
		const struct codec_filter *f = &filters[i];

		if (f->kind == CODEC_FILTER_LZMA1 || f->kind == CODEC_FILTER_LZMA2)
			out->options[i].lzma = (lzma_options_lzma){
				.dict_size = f->dict,
				.lc = f->lc,
				.lp = f->lp,
				.pb = f->pb,
				.mode = (lzma_mode)f->mode,
				.mf = (lzma_match_finder)f->finder,
				.nice_len = f->nice,
				.depth = f->depth
			};
		else if (f->kind == CODEC_FILTER_DELTA)
			out->options[i].delta = (lzma_options_delta){ .type = LZMA_DELTA_TYPE_BYTE,
								      .dist = f->value };
		else
			out->options[i].bcj.start_offset = f->value;
		out->filters[i] = (lzma_filter){ ids[f->kind], &out->options[i] };
	}
	out->filters[n].id = LZMA_VLI_UNKNOWN;
}

uint64_t codec_filters_memory(const struct codec_filter *filters, int n, bool decode)
{
	struct chain chain;

	make_chain(&chain, filters, n);
	return decode ? lzma_raw_decoder_memusage(chain.filters)
		      : lzma_raw_encoder_memusage(chain.filters);
}

static lzma_ret start_chain(lzma_stream *z, const struct codec_options *o)
{
	struct chain chain;

	make_chain(&chain, o->filters, o->nfilters);
	if (o->kind == CODEC_RAW)
		return o->decode ? lzma_raw_decoder(z, chain.filters)
				 : lzma_raw_encoder(z, chain.filters);
	return o->kind == CODEC_XZ ? lzma_stream_encoder(z, chain.filters, (lzma_check)o->check)
				   : lzma_alone_encoder(z, &chain.options[0].lzma);
}

static lzma_ret start_encoder(lzma_stream *z, const struct codec_options *o)
{
	lzma_options_lzma lzma;
	lzma_filter filters[2] = { { LZMA_FILTER_LZMA2, &lzma }, { LZMA_VLI_UNKNOWN, NULL } };

	if (o->nfilters > 0)
		return start_chain(z, o);
	if (!preset_of(o->level, o->extreme, o->dictionary, &lzma))
		return LZMA_OPTIONS_ERROR;
	return o->kind == CODEC_XZ ? lzma_stream_encoder(z, filters, (lzma_check)o->check)
				   : lzma_alone_encoder(z, &lzma);
}

static lzma_ret start_decoder(lzma_stream *z, const struct codec_options *o)
{
	uint64_t max = o->memory_max != 0 ? o->memory_max : UINT64_MAX;
	uint32_t flags = o->unverified ? LZMA_IGNORE_CHECK : LZMA_TELL_UNSUPPORTED_CHECK;

	if (o->kind == CODEC_RAW)
		return start_chain(z, o);
	if (o->kind == CODEC_XZ)
		return lzma_stream_decoder(z, max, flags);
	if (o->kind == CODEC_LZIP)
		return lzma_lzip_decoder(z, max, flags | (o->all_members ? LZMA_CONCATENATED : 0));
	return lzma_alone_decoder(z, max);
}

static void next_block(struct lzma_state *s)
{
	if (s->listed == 0 && s->nblocks > 0) {
		s->listed = *s->block_list != 0 ? *s->block_list : UINT64_MAX;
		if (s->nblocks > 1) {
			s->block_list++;
			s->nblocks--;
		}
	}
	s->left = s->nblocks > 0 && s->listed < s->block_size ? s->listed : s->block_size;
}

/* Bytes of the input went into the block. */
static void took(struct lzma_state *s, size_t n)
{
	s->left -= n;
	s->listed -= s->nblocks > 0 ? n : 0;
}

static bool start(struct codec *c, const struct codec_options *o)
{
	struct lzma_state *s = pool_zalloc(c->pool, sizeof *s);
	lzma_ret err;

	s->hooks = (lzma_allocator){ hook_alloc, hook_free, c->pool };
	s->z = (lzma_stream)LZMA_STREAM_INIT;
	s->z.allocator = &s->hooks;
	c->state = s;
	s->block_size = o->block_size != 0 ? o->block_size : UINT64_MAX;
	if (!o->decode && o->kind == CODEC_XZ) {
		s->block_list = o->block_list;
		s->nblocks = o->nblocks;
	} else {
		s->block_size = UINT64_MAX;
	}
	next_block(s);
	if (!o->decode)
		err = start_encoder(&s->z, o);
	else
		err = start_decoder(&s->z, o);
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

	lzma_action action = finish ? LZMA_FINISH : LZMA_RUN;
	size_t held = 0; /* input of further blocks */

	if (s->left == 0) {
		action = LZMA_FULL_FLUSH;
		held = c->in_len;
	} else if (c->in_len > s->left) {
		action = LZMA_RUN;
		held = c->in_len - (size_t)s->left;
	}
	size_t given = c->in_len - held;

	z->next_in = c->in;
	z->avail_in = given;
	z->next_out = c->out;
	z->avail_out = c->out_len;
	lzma_ret err = lzma_code(z, action);

	took(s, given - z->avail_in);
	if (action == LZMA_FULL_FLUSH && err == LZMA_STREAM_END) {
		next_block(s);
		err = LZMA_OK;
	}

	/* No progress: with finish the stream is cut, else the caller brings more. */
	if (err == LZMA_BUF_ERROR && !(c->decode && finish && c->out_len > 0))
		err = LZMA_OK;
	c->unchecked |= err == LZMA_UNSUPPORTED_CHECK;
	if (err == LZMA_MEMLIMIT_ERROR)
		c->needed = lzma_memusage(z);
	c->in = z->next_in;
	c->in_len = z->avail_in + held;
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
