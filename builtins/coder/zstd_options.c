/* SPDX-License-Identifier: MIT
 *
 * zstd's options. What is wrong with a number is told in a line and ends the command.
 */
#include "builtins/coder/zstd.h"

enum { LONG_DEFAULT = 27, FAST_MAX = 131072, LEVELS_MAX = 1000 };

const struct zstd_format zstd_formats[ZSTD_FORMATS] = {
	{ "zstd", ".zst", ".tzst", CODEC_ZSTD, { "\050\265\057\375", 4 } },
	{ "gzip", ".gz", ".tgz", CODEC_DEFLATE, { "\037\213", 2 } },
	{ "xz", ".xz", ".txz", CODEC_XZ, { "\3757z", 3 } },
	{ "lzma", ".lzma", NULL, CODEC_LZMA, { "\135\0", 2 } },
};

static int complain(struct cmd *c, const char *text)
{
	cmd_err_write(c, text, strlen(text));
	return 1;
}

static int incorrect(struct cmd *c)
{
	return complain(c, "Incorrect parameters \n");
}

/* --- numbers --- */

/* "12", "12KiB" at *at, which moves behind it; without digits it is 0. False: it is too large,
 * after a message. */
static bool take_number(struct cmd *c, const char **at, uint32_t *out)
{
	uint64_t v = 0;

	while (**at >= '0' && **at <= '9' && v <= UINT32_MAX)
		v = v * 10 + (uint64_t)(*(*at)++ - '0');
	if (v <= UINT32_MAX && (**at == 'K' || **at == 'M')) {
		v <<= **at == 'K' ? 10 : 20;
		(*at)++;
		*at += **at == 'i';
		*at += **at == 'B';
	}
	*out = (uint32_t)v;
	if (v > UINT32_MAX)
		complain(c, "error: numeric value overflows 32-bit unsigned int \n");
	return v <= UINT32_MAX;
}

/* The number of a long option: nothing may follow it. */
static bool whole_number(struct cmd *c, const char *arg, uint32_t *out)
{
	if (!take_number(c, &arg, out))
		return false;
	if (*arg != '\0')
		complain(c, "error: only numeric values with optional suffixes K, KB, KiB, M, MB, "
			    "MiB are allowed \n");
	return *arg == '\0';
}

/* That of a letter, which may be missing. */
static int letter_number(struct cmd *c, const char *arg, uint32_t *out)
{
	*out = 0;
	if (arg == NULL)
		return 0;
	if (!take_number(c, &arg, out))
		return 1;
	return *arg != '\0' ? incorrect(c) : 0;
}

/* --- options --- */

static int opt_mode(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;

	(void)arg;
	z->decompress = o->letter != 'z';
	z->test = o->letter == 't';
	z->list = o->letter == 'l';
	return 0;
}

static int opt_display(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;

	(void)arg;
	z->display += o->value;
	return 0;
}

static int opt_level(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint32_t v;

	(void)o;
	if (letter_number(c, arg, &v) != 0)
		return 1;
	z->level = v > LEVELS_MAX ? LEVELS_MAX : (int)v;
	return 0;
}

static int opt_fast(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint32_t v = 1;

	(void)o;
	if (arg != NULL && !take_number(c, &arg, &v))
		return 1;
	if (v == 0)
		return incorrect(c);
	z->level = v > FAST_MAX ? -FAST_MAX : -(int)v;
	return 0;
}

static int opt_long(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint32_t v = 0;

	(void)o;
	if (arg != NULL && !take_number(c, &arg, &v))
		return 1;
	z->params[CODEC_ZSTD_LONG] = 1;
	z->params[CODEC_ZSTD_WINDOW_LOG] = v == 0          ? LONG_DEFAULT
					   : v > INT32_MAX ? INT32_MAX
							   : (int)v;
	return 0;
}

static int opt_format(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;

	(void)o;
	for (size_t i = 0; i < ZSTD_FORMATS; i++)
		if (strcmp(zstd_formats[i].name, arg) == 0) {
			z->format = &zstd_formats[i];
			return 0;
		}
	if (strcmp(arg, "lz4") == 0)
		return cmd_error(c, 0, "--format=lz4 is not supported");
	return incorrect(c);
}

/* "wlog=20,strat=3": each name has a short form. */
static int opt_params(struct cmd *c, const struct opt *o, const char *arg)
{
	static const struct {
		const char *name, *brief;
		enum codec_zstd_param param;
	} names[] = {
		{ "strategy=", "strat=", CODEC_ZSTD_STRATEGY },
		{ "windowLog=", "wlog=", CODEC_ZSTD_WINDOW_LOG },
		{ "hashLog=", "hlog=", CODEC_ZSTD_HASH_LOG },
		{ "chainLog=", "clog=", CODEC_ZSTD_CHAIN_LOG },
		{ "searchLog=", "slog=", CODEC_ZSTD_SEARCH_LOG },
		{ "minMatch=", "mml=", CODEC_ZSTD_MIN_MATCH },
		{ "targetLength=", "tlen=", CODEC_ZSTD_TARGET_LENGTH },
		{ "overlapLog=", "ovlog=", CODEC_ZSTD_OVERLAP_LOG },
		{ "ldmHashLog=", "lhlog=", CODEC_ZSTD_LONG_HASH_LOG },
		{ "ldmMinMatch=", "lmml=", CODEC_ZSTD_LONG_MIN_MATCH },
		{ "ldmBucketSizeLog=", "lblog=", CODEC_ZSTD_LONG_BUCKET_LOG },
		{ "ldmHashRateLog=", "lhrlog=", CODEC_ZSTD_LONG_RATE_LOG },
	};
	struct zstd *z = c->opts;

	(void)o;
	for (;;) {
		size_t i = 0;
		size_t len = 0;
		uint32_t v;

		for (; i < sizeof names / sizeof *names; i++) {
			const char *name = names[i].name;

			if (strncmp(arg, name, strlen(name)) != 0)
				name = names[i].brief;
			len = strlen(name);
			if (strncmp(arg, name, len) == 0)
				break;
		}
		if (i == sizeof names / sizeof *names)
			return incorrect(c);
		arg += len;
		if (!take_number(c, &arg, &v))
			return 1;
		z->params[names[i].param] = v > INT32_MAX ? INT32_MAX : (int)v;
		if (*arg == '\0')
			return 0;
		if (*arg++ != ',')
			return incorrect(c);
	}
}

/* --adapt=min=1,max=9: a session never waits, so the level stays, but is looked at. */
static int opt_adapt(struct cmd *c, const struct opt *o, const char *arg)
{
	long bounds[2] = { -FAST_MAX, 22 };

	(void)o;
	while (arg != NULL && *arg != '\0') {
		int which = strncmp(arg, "min=", 4) == 0   ? 0
			    : strncmp(arg, "max=", 4) == 0 ? 1
							   : -1;
		uint32_t v;

		if (which < 0)
			return incorrect(c);
		arg += 4;
		bool negative = *arg == '-';

		arg += negative;
		if (!take_number(c, &arg, &v))
			return 1;
		bounds[which] = negative ? -(long)v : (long)v;
		if (*arg != '\0' && *arg++ != ',')
			return incorrect(c);
	}
	return bounds[0] > bounds[1] || bounds[1] > 22 ? incorrect(c) : 0;
}

/* A number that becomes a parameter; --no-X and --X of two kinds are 2 and 1. */
static int opt_number(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint32_t v;

	if (!whole_number(c, arg, &v))
		return 1;
	z->params[o->value] = v > INT32_MAX ? INT32_MAX : (int)v;
	return 0;
}

static int opt_first(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)arg;
	((struct zstd *)c->opts)->params[o->value] = 1;
	return 0;
}

static int opt_second(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)arg;
	((struct zstd *)c->opts)->params[o->value] = 2;
	return 0;
}

static int opt_size(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint32_t v;

	(void)o;
	if (!whole_number(c, arg, &v))
		return 1;
	z->params[CODEC_ZSTD_NO_SIZE] = 0;
	z->stream_size = v;
	return 0;
}

static int opt_content_size(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)arg;
	((struct zstd *)c->opts)->params[CODEC_ZSTD_NO_SIZE] = o->value;
	return 0;
}

static int opt_threads(struct cmd *c, const struct opt *o, const char *arg)
{
	uint32_t v;

	if (o->name != NULL ? !whole_number(c, arg, &v) : letter_number(c, arg, &v) != 0)
		return 1;
	((struct zstd *)c->opts)->threads = v > 2 ? 2 : (int)v;
	return 0;
}

static int opt_memory(struct cmd *c, const struct opt *o, const char *arg)
{
	uint32_t v;

	if (o->name != NULL ? !whole_number(c, arg, &v) : letter_number(c, arg, &v) != 0)
		return 1;
	((struct zstd *)c->opts)->memory_max = v;
	return 0;
}

/* What would be cut for threads. */
static int opt_block(struct cmd *c, const struct opt *o, const char *arg)
{
	uint32_t v;

	return o->name != NULL ? !whole_number(c, arg, &v) : letter_number(c, arg, &v);
}

static int opt_directory(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;

	if (*arg == '\0')
		return complain(c, "error: output dir cannot be empty string (did you mean to pass "
				   "'.' instead?)\n");
	*(o->value == 'f' ? &z->flat_dir : &z->mirror_dir) = arg;
	return 0;
}

static int opt_filelist(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;

	(void)o;
	if (z->lists.arena == NULL)
		z->lists = buf_in(c->arena);
	buf_put(&z->lists, arg, strlen(arg) + 1);
	return 0;
}

static int opt_pass_through(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)arg;
	((struct zstd *)c->opts)->pass_through = o->value;
	return 0;
}

/* --- the table --- */

#define OPT_VALUE(letter_, name_, value_, fn_, help_)                                              \
	{                                                                                          \
		.letter = (letter_), .name = (name_), .kind = OPT_KIND_CALL, .value = (value_),    \
		.fn = (fn_), .help = (help_)                                                       \
	}

#define OPT_VALUE_ARG(name_, value_, fn_, metavar_, help_)                                         \
	{                                                                                          \
		.name = (name_), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,                   \
		.value = (value_), .fn = (fn_), .metavar = (metavar_), .help = (help_)             \
	}

const struct opt zstd_options[] = {
	OPT_CALL('z', "compress", opt_mode, "compress"),
	OPT_CALL('d', "decompress", opt_mode, "decompress"),
	OPT_CALL('d', "uncompress", opt_mode, NULL),
	OPT_CALL('t', "test", opt_mode, "check compressed files"),
	OPT_CALL('l', "list", opt_mode, "list compressed files"),
	OPT_FLAG('c', "stdout", struct zstd, to_stdout, "write to standard output"),
	OPT_STR('o', NULL, struct zstd, output, NULL, "FILE", "write to FILE"),
	OPT_VALUE_ARG("output-dir-flat", 'f', opt_directory, "DIR", "write files into DIR"),
	OPT_VALUE_ARG("output-dir-mirror", 'm', opt_directory, "DIR", "... in its directories"),
	OPT_CALL_ARG(0, "filelist", opt_filelist, "FILE", "names are in FILE, one a line"),
	OPT_FLAG(0, "exclude-compressed", struct zstd, exclude_compressed,
		 "nothing with a suffix of compressed files"),
	OPT_FLAG('f', "force", struct zstd, force, "overwrite"),
	OPT_IGNORED('k', "keep", "keep the files that were read (the default)"),
	OPT_FLAG(0, "rm", struct zstd, remove, "remove them"),
	OPT_FLAG('r', NULL, struct zstd, recursive, "the files in directories too"),
	OPT_VALUE('q', "quiet", -1, opt_display, "fewer messages"),
	OPT_VALUE('v', "verbose", 1, opt_display, "more messages"),
	OPT_FLAG(0, "ultra", struct zstd, ultra, "levels 20 to 22"),
	OPT_CALL_OPTIONAL(0, "fast", opt_fast, "N", "quicker than -1"),
	OPT_CALL_OPTIONAL(0, "long", opt_long, "N", "a window of 2^N bytes"),
	OPT_CALL_OPTIONAL(0, "adapt", opt_adapt, "min=N,max=N", "no effect: nothing waits"),
	OPT_CALL_ARG(0, "zstd", opt_params, "NAME=N,...", "what levels are made of"),
	OPT_FLAG(0, "no-check", struct zstd, no_check, "no checksum, none is verified"),
	OPT_IGNORED('C', "check", "a checksum (the default)"),
	OPT_VALUE(0, "content-size", 0, opt_content_size, "the size in front (the default)"),
	OPT_VALUE(0, "no-content-size", 1, opt_content_size, "... which is left out"),
	OPT_VALUE(0, "no-dictID", CODEC_ZSTD_NO_DICT_ID, opt_first, "no number of a dictionary"),
	OPT_VALUE(0, "compress-literals", CODEC_ZSTD_LITERALS, opt_first, "also where it is slow"),
	OPT_VALUE(0, "no-compress-literals", CODEC_ZSTD_LITERALS, opt_second, "... nowhere"),
	OPT_VALUE(0, "row-match-finder", CODEC_ZSTD_ROWS, opt_first, "find matches by rows"),
	OPT_VALUE(0, "no-row-match-finder", CODEC_ZSTD_ROWS, opt_second, "... or not"),
	OPT_CALL_ARG(0, "stream-size", opt_size, "N", "of standard input"),
	OPT_VALUE_ARG("size-hint", CODEC_ZSTD_SIZE_HINT, opt_number, "N", "about that much input"),
	OPT_VALUE_ARG("target-compressed-block-size", CODEC_ZSTD_TARGET_BLOCK, opt_number, "N",
		      "blocks of about N bytes"),
	OPT_VALUE(0, "pass-through", 1, opt_pass_through, "write what is not compressed as it is"),
	OPT_VALUE(0, "no-pass-through", -1, opt_pass_through, "... which is an error"),
	OPT_CALL_OPTIONAL('T', NULL, opt_threads, "N", "no effect: one thread"),
	OPT_CALL_ARG(0, "threads", opt_threads, "N", NULL),
	OPT_CALL_OPTIONAL('M', NULL, opt_memory, "N", "the largest window to decompress"),
	OPT_CALL_ARG(0, "memory", opt_memory, "N", NULL),
	OPT_CALL_ARG(0, "memlimit", opt_memory, "N", NULL),
	OPT_CALL_OPTIONAL('B', NULL, opt_block, "N", "no effect: one thread"),
	OPT_CALL_ARG(0, "block-size", opt_block, "N", NULL),
	OPT_IGNORED_ARG(0, "auto-threads", "KIND", NULL),
	OPT_IGNORED(0, "single-thread", NULL),
	OPT_IGNORED(0, "no-progress", NULL),
	OPT_IGNORED(0, "progress", NULL),
	OPT_IGNORED(0, "sparse", NULL),
	OPT_IGNORED(0, "no-sparse", NULL),
	OPT_IGNORED(0, "asyncio", NULL),
	OPT_IGNORED(0, "no-asyncio", NULL),
	OPT_CALL_ARG(0, "format", opt_format, "FORMAT", "zstd, gzip, xz or lzma"),
	OPT_STR('D', NULL, struct zstd, dict_name, NULL, "FILE", "with FILE as a dictionary"),
	OPT_STR(0, "patch-from", struct zstd, patch_from, NULL, "FILE",
		"tell what is new since FILE"),
	OPT_MISSING('b', NULL),
	OPT_MISSING(0, "train"),
	OPT_MISSING(0, "rsyncable"),
	OPT_MISSING_ARG(0, "trace"),
	OPT_DIGIT(opt_level),
	OPT_END(),
};

/* --- the environment --- */

/* False: there is no such variable, or it is no number, after a message. */
static bool environment_number(struct zstd *z, const char *name, bool sign, int64_t *out)
{
	const char *text = cmd_getenv(z->c, name);
	const char *at = text;
	uint64_t v = 0;

	if (text == NULL)
		return false;
	if (sign && (*at == '-' || *at == '+'))
		at++;
	const char *digits = at;

	while (*at >= '0' && *at <= '9' && v <= UINT32_MAX)
		v = v * 10 + (uint64_t)(*at++ - '0');
	if (v > UINT32_MAX) {
		zstd_put(z, 2,
			 "Ignore environment variable setting %s=%s: numeric value too large \n",
			 name, text);
		return false;
	}
	if (*at != '\0' || at == digits) {
		zstd_put(z, 2, "Ignore environment variable setting %s=%s: not a valid %s value \n",
			 name, text, sign ? "integer" : "unsigned");
		return false;
	}
	*out = *text == '-' ? -(int64_t)v : (int64_t)v;
	return true;
}

void zstd_read_environment(struct zstd *z)
{
	int display = z->display;
	int64_t v;

	z->display = 2;
	if (environment_number(z, "ZSTD_CLEVEL", true, &v))
		z->level = v > LEVELS_MAX ? LEVELS_MAX : v < -FAST_MAX ? -FAST_MAX : (int)v;
	if (environment_number(z, "ZSTD_NBTHREADS", false, &v))
		z->threads = v > 2 ? 2 : (int)v;
	z->display = display;
}
