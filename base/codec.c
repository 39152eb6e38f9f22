/* SPDX-License-Identifier: MIT
 *
 * Compressed streams: which library does what, and where their memory comes from.
 */
#include "base/codec.h"

#include <limits.h>

/* Blocks begin with their size, which the libraries do not tell when they free. */
enum { CODEC_HEAD = 16 };

void *codec_alloc(struct pool *pool, size_t count, size_t size)
{
	if (size != 0 && count > (SIZE_MAX / 2 - CODEC_HEAD) / size)
		return NULL;
	size_t total = count * size + CODEC_HEAD;
	char *block = pool_alloc(pool, total);

	memcpy(block, &total, sizeof total);
	return block + CODEC_HEAD;
}

void codec_free(struct pool *pool, void *block)
{
	size_t total;

	if (block == NULL)
		return;
	char *start = (char *)block - CODEC_HEAD;

	memcpy(&total, start, sizeof total);
	pool_free(pool, start, total);
}

bool codec_start(struct codec *c, struct pool *pool, const struct codec_options *o)
{
	static const struct codec_ops *const ops[] = {
		[CODEC_DEFLATE] = &codec_deflate, [CODEC_BZIP2] = &codec_bzip2,
		[CODEC_XZ] = &codec_lzma,         [CODEC_LZMA] = &codec_lzma,
		[CODEC_LZIP] = &codec_lzma,       [CODEC_RAW] = &codec_lzma,
		[CODEC_ZSTD] = &codec_zstd,
	};

	*c = (struct codec){ .ops = ops[o->kind], .pool = pool, .decode = o->decode };
	return c->ops->start(c, o);
}

enum codec_result codec_run(struct codec *c, bool finish)
{
	return c->ops->run(c, finish);
}

void codec_stop(struct codec *c)
{
	if (c->state != NULL)
		c->ops->stop(c);
	c->state = NULL;
}
