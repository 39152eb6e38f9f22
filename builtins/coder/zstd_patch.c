/* SPDX-License-Identifier: MIT
 *
 * zstd --patch-from=FILE: what is compressed is told as a continuation of FILE, so that only what
 * is new takes room.
 */
#include "builtins/coder/zstd.h"

enum { WINDOW_LOG_MIN = 10, WINDOW_LOG_MAX = 31, STRATEGY_OPTIMAL = 7 };

static const char optimal_notes[] = "[Optimal parser notes] Consider the following to improve "
				    "patch size at the cost of speed:\n"
				    "- Use --single-thread mode in the zstd cli\n"
				    "- Set a larger targetLength (e.g. --zstd=targetLength=4096)\n"
				    "- Set a larger chainLog (e.g. --zstd=chainLog=30)\n"
				    "Also consider playing around with searchLog and hashLog\n";

/* How many bits a number has. */
static int bits_of(uint64_t n)
{
	int bits = 0;

	for (; n != 0; n >>= 1)
		bits++;
	return bits;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A window over the whole file, and what finds matches that far away. */
static void set_window(struct zstd *z, uint64_t size)
{
	int log = bits_of(size);
	struct codec_zstd_choice choice = codec_zstd_choose(z->level, size, z->dict.len);

	z->params[CODEC_ZSTD_WINDOW_LOG] = log < WINDOW_LOG_MIN   ? WINDOW_LOG_MIN
					   : log > WINDOW_LOG_MAX ? WINDOW_LOG_MAX
								  : log;
	if (log > choice.cycle_log) {
		if (z->params[CODEC_ZSTD_LONG] == 0)
			zstd_put(z, 1, "long mode automatically triggered\n");
		z->params[CODEC_ZSTD_LONG] = 1;
	}
	if (choice.strategy >= STRATEGY_OPTIMAL)
		zstd_put(z, 1, "%s", optimal_notes);
}

static bool is_file(struct zstd *z, const char *name, uint64_t *size)
{
	struct vfs_stat st;

	*size = 0;
	if (cmd_stat(z->c, name, &st) < 0 || (st.mode & S_FMT) != S_REG)
		return false;
	*size = st.size;
	return true;
}

int zstd_check_patch(struct zstd *z)
{
	static const char stdin_size[] =
		"zstd: error 42 : Using --patch-from with stdin requires --stream-size \n";
	uint64_t size;

	if (z->patch_from == NULL)
		return 0;
	if (z->dict_name != NULL) {
		zstd_put(z, 1, "error : can't use -D and --patch-from=# at the same time \n");
		return 1;
	}
	if (z->several) {
		zstd_put(z, 1, "error : can't use --patch-from=# on multiple files \n");
		return 1;
	}
	if (!is_file(z, z->patch_from, &size) ||
	    (!z->decompress && z->stream_size == 0 && !is_file(z, z->names.ptr, &size))) {
		zstd_put(z, 1, "%s", stdin_size);
		return 42;
	}
	z->dict_name = z->patch_from;
	return 0;
}

bool zstd_begin_patch(struct zstd *z)
{
	uint64_t size = z->stream_size;

	if (z->patch_from == NULL)
		return true;
	if (!z->decompress) {
		if (size == 0)
			is_file(z, z->names.ptr, &size);
		set_window(z, size);
	}
	z->memory_max = max_of(zstd_memory_max(z), max_of(z->dict.len, size));
	if (z->decompress || strcmp(z->names.ptr, z->patch_from) != 0)
		return true;
	zstd_put(z, 1, "zstd: cannot use %s as an input file and dictionary \n", z->patch_from);
	return false;
}
