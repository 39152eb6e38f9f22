/* SPDX-License-Identifier: MIT
 *
 * xz, unxz, xzcat, lzma, unlzma, lzcat - strong compression.
 * Reference: XZ Utils 5.4; the bytes are the same, since the library is.
 */
#include "builtins/coder/xz.h"

static int opt_mode(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;

	(void)arg;
	x->decompress = o->letter != 'z';
	x->test = o->letter == 't';
	x->list = o->letter == 'l';
	return 0;
}

static int opt_level(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;

	/* Of several digits the last counts. */
	x->level = arg != NULL ? arg[strlen(arg) - 1] - '0' : o->value;
	x->nfilters = 0;
	return 0;
}

static int opt_format(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;

	(void)o;
	if (strcmp(arg, "auto") == 0)
		x->format = XZ_AUTO;
	else if (strcmp(arg, "xz") == 0)
		x->format = XZ_XZ;
	else if (strcmp(arg, "lzma") == 0 || strcmp(arg, "alone") == 0)
		x->format = XZ_LZMA;
	else if (strcmp(arg, "lzip") == 0)
		x->format = XZ_LZIP;
	else if (strcmp(arg, "raw") == 0)
		x->format = XZ_RAW;
	else
		return cmd_error(c, 0, "%s: Unknown file format type", arg);
	return 0;
}

static int opt_check(struct cmd *c, const struct opt *o, const char *arg)
{
	static const struct opt_word words[] = {
		{ "none", 0 }, { "crc32", 1 }, { "crc64", 4 }, { "sha256", 10 }, { NULL, 0 },
	};
	struct xz *x = c->opts;

	(void)o;
	for (const struct opt_word *w = words; w->word != NULL; w++)
		if (strcmp(w->word, arg) == 0) {
			x->check = w->value;
			return 0;
		}
	return cmd_error(c, 0, "%s: Unsupported integrity check type", arg);
}

/* There is one thread, but the number is looked at. */
static int opt_threads(struct cmd *c, const struct opt *o, const char *arg)
{
	uint64_t n;

	(void)o;
	arg += strspn(arg, " \t");
	arg += *arg == '+';
	return xz_number(c, "threads", arg, 0, 16384, &n);
}

static int opt_block_size(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;

	(void)o;
	return xz_number(c, "block-size", arg, 0, INT64_MAX, &x->block_size);
}

/* "SIZE,SIZE,...": an empty one repeats the one before; the last may be 0. */
static int opt_block_list(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;
	uint64_t *sizes = arena_array(c->arena, strlen(arg) + 1, sizeof *sizes);
	const char *at = arg;

	(void)o;
	x->block_list = sizes;
	x->nblocks = 0;
	if (*arg == '\0' || *arg == ',')
		return cmd_error(c, 0, "%s: Invalid argument to --block-list", arg);
	for (;;) {
		size_t len = strcspn(at, ",");
		uint64_t n = x->nblocks > 0 ? sizes[x->nblocks - 1] : 0;

		if (len > 0 &&
		    xz_number(c, "block-list", arena_dup(c->arena, (struct bytes){ at, len }), 0,
			      UINT64_MAX, &n) != 0)
			return 1;
		if (n == 0 && at[len] != '\0')
			return cmd_error(c, 0,
					 "0 can only be used as the last element in --block-list");
		sizes[x->nblocks++] = n;
		if (at[len] == '\0')
			return 0;
		at += len + 1;
	}
}

static int opt_files(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;

	if (x->names != NULL)
		return cmd_error(c, 0,
				 "Only one file can be specified with `--files' or `--files0'.");
	x->names = arg != NULL ? arg : "-";
	x->names_end = (char)o->value;
	return 0;
}

#define OPT_FILTER(name_, value_, help_)                                                           \
	{                                                                                          \
		.name = (name_), .kind = OPT_KIND_CALL, .arg = OPT_ARG_OPTIONAL,                   \
		.value = (value_), .fn = xz_opt_filter, .metavar = "OPTIONS", .help = (help_)      \
	}

#define OPT_MEMLIMIT(letter_, name_, value_, help_)                                                \
	{                                                                                          \
		.letter = (letter_), .name = (name_), .kind = OPT_KIND_CALL,                       \
		.arg = OPT_ARG_REQUIRED, .metavar = "LIMIT", .value = (value_),                    \
		.fn = xz_opt_memlimit, .help = (help_)                                             \
	}

static const struct opt xz_options[] = {
	OPT_CALL('z', "compress", opt_mode, "compress"),
	OPT_CALL('d', "decompress", opt_mode, "decompress"),
	OPT_CALL('d', "uncompress", opt_mode, NULL),
	OPT_CALL('t', "test", opt_mode, "check compressed files"),
	OPT_CALL('l', "list", opt_mode, "list compressed files"),
	OPT_FLAG('k', "keep", struct xz, keep, "keep the files that were read"),
	OPT_COUNT('f', "force", struct xz, force, "overwrite, and compress links"),
	OPT_FLAG('c', "stdout", struct xz, to_stdout, "write to standard output"),
	OPT_FLAG('c', "to-stdout", struct xz, to_stdout, NULL),
	OPT_COUNT('q', "quiet", struct xz, quiet, "no warnings; twice: no errors"),
	OPT_COUNT('v', "verbose", struct xz, verbose, "say what is done"),
	OPT_FLAG('Q', "no-warn", struct xz, no_warn, "warnings do not change the status"),
	OPT_FLAG('e', "extreme", struct xz, extreme, "smaller and slower"),
	OPT_STR('S', "suffix", struct xz, suffix, NULL, ".SUF", "what names end with"),
	OPT_CALL_ARG('F', "format", opt_format, "FORMAT", "auto, xz, lzma, lzip or raw"),
	OPT_CALL_ARG('C', "check", opt_check, "CHECK", "none, crc32, crc64 or sha256"),
	OPT_FLAG(0, "single-stream", struct xz, single_stream, "only the first stream"),
	OPT_FLAG(0, "ignore-check", struct xz, ignore_check, "do not verify what is unpacked"),
	OPT_CALL_ARG('T', "threads", opt_threads, "NUM", "no effect: one thread"),
	OPT_MEMLIMIT('M', "memlimit", 3,
		     "memory that may be used; the session's limit counts, too"),
	OPT_MEMLIMIT('M', "memory", 3, NULL),
	OPT_MEMLIMIT(0, "memlimit-compress", XZ_MEMORY_COMPRESS, "the same, when compressing"),
	OPT_MEMLIMIT(0, "memlimit-decompress", XZ_MEMORY_DECOMPRESS, "... and decompressing"),
	OPT_MEMLIMIT(0, "memlimit-mt-decompress", 0, "no effect: one thread"),
	OPT_IGNORED(0, "no-sparse", NULL),
	OPT_FLAG(0, "no-adjust", struct xz, no_adjust, "do not take a smaller dictionary"),
	{ .name = "fast", .kind = OPT_KIND_CALL, .value = 0, .fn = opt_level, .help = "-0" },
	{ .name = "best", .kind = OPT_KIND_CALL, .value = 9, .fn = opt_level, .help = "-9" },
	{ .kind = OPT_KIND_DIGIT, .fn = opt_level },
	OPT_CALL_ARG(0, "block-size", opt_block_size, "SIZE", "blocks of that much input"),
	OPT_CALL_ARG(0, "block-list", opt_block_list, "SIZES", "sizes of the first blocks"),
	OPT_FLAG(0, "robot", struct xz, robot, "-l for programs"),
	{ .name = "files",
	  .kind = OPT_KIND_CALL,
	  .arg = OPT_ARG_OPTIONAL,
	  .metavar = "FILE",
	  .value = '\n',
	  .fn = opt_files,
	  .help = "names are in FILE, one a line" },
	{ .name = "files0",
	  .kind = OPT_KIND_CALL,
	  .arg = OPT_ARG_OPTIONAL,
	  .metavar = "FILE",
	  .value = '\0',
	  .fn = opt_files,
	  .help = "the same, they end with NUL" },
	OPT_FILTER("lzma1", CODEC_FILTER_LZMA1, "the filter of .lzma"),
	OPT_FILTER("lzma2", CODEC_FILTER_LZMA2, "the last filter of .xz"),
	OPT_FILTER("delta", CODEC_FILTER_DELTA, "differences of bytes (dist=N)"),
	OPT_FILTER("x86", CODEC_FILTER_X86, "for programs (start=N)"),
	OPT_FILTER("powerpc", CODEC_FILTER_POWERPC, "the same"),
	OPT_FILTER("ia64", CODEC_FILTER_IA64, "the same"),
	OPT_FILTER("arm", CODEC_FILTER_ARM, "the same"),
	OPT_FILTER("armthumb", CODEC_FILTER_ARMTHUMB, "the same"),
	OPT_FILTER("arm64", CODEC_FILTER_ARM64, "the same"),
	OPT_FILTER("sparc", CODEC_FILTER_SPARC, "the same"),
	OPT_END(),
};

/* --- messages --- */

void xz_fail(struct xz *x, const char *name, const char *text)
{
	if (x->quiet < 2)
		cmd_error(x->c, 0, "%s: %s", name, text);
	x->status = 1;
}

static void warn(struct xz *x, const char *name, const char *text)
{
	if (x->quiet < 1)
		cmd_error(x->c, 0, "%s: %s", name, text);
	if (x->status == 0 && !x->no_warn)
		x->status = 2;
}

const char *xz_text_of(enum codec_result result)
{
	switch (result) {
	case CODEC_MORE: return "Unexpected end of input";
	case CODEC_BAD_MAGIC: return "File format not recognized";
	case CODEC_OPTIONS: return "Unsupported options";
	case CODEC_MEMORY: return "Memory usage limit reached";
	default: return "Compressed data is corrupt";
	}
}

/* "280 B", "1.5 KiB": as tables show sizes. */
void xz_put_size(struct buf *out, uint64_t n)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double v = (double)n;
	int unit = -1;

	if (n < 10000) {
		buf_printf(out, "%llu B", (unsigned long long)n);
		return;
	}
	do {
		v /= 1024;
		unit++;
	} while (unit < 3 && v > 9999.9);
	uint64_t tenths = (uint64_t)(v * 10 + 0.5);

	buf_printf(out, "%llu.%llu %s", (unsigned long long)tenths / 10,
		   (unsigned long long)tenths % 10, units[unit]);
}

void xz_put_ratio(struct buf *out, uint64_t small, uint64_t large)
{
	uint64_t ratio = large != 0 ? (uint64_t)((double)small * 1000 / (double)large + 0.5) : 0;

	if (large == 0 || ratio > 9999)
		buf_puts(out, "---");
	else
		buf_printf(out, "%llu.%03llu", (unsigned long long)ratio / 1000,
			   (unsigned long long)ratio % 1000);
}

/* failed: also how much of the file that is. */
static void put_progress(struct xz *x, const struct coder *k, const char *name, bool failed)
{
	struct buf text = buf_in(x->c->arena);
	uint64_t small = x->decompress ? k->bytes_in : k->bytes_out;
	uint64_t large = x->decompress ? k->bytes_out : k->bytes_in;

	if (x->verbose == 0 || x->quiet > 0)
		return;
	buf_printf(&text, "%s: ", name);
	if (failed && !k->in.is_stdin && k->st.size >= k->bytes_in && k->st.size > 0) {
		unsigned tenths = (unsigned)((double)k->bytes_in * 999 / (double)k->st.size + 0.5);

		buf_printf(&text, "%u.%u %%, ", tenths / 10, tenths % 10);
	}
	xz_put_size(&text, small);
	buf_puts(&text, " / ");
	xz_put_size(&text, large);
	if (large == 0 || (double)small / (double)large > 9.999) {
		buf_puts(&text, " > 9.999\n");
	} else {
		buf_puts(&text, " = ");
		xz_put_ratio(&text, small, large);
		buf_putc(&text, '\n');
	}
	cmd_err_write(x->c, text.ptr, text.len);
}

/* --- coding --- */

static bool is_xz(struct coder *k)
{
	uint8_t head[6];

	return coder_peek(k, head, 6) == 6 && memcmp(head, "\3757zXZ\0", 6) == 0;
}

/* An lzma header: properties, a dictionary of 2^n or 2^n + 2^(n-1), a size that can be. */
static bool is_lzma(struct coder *k)
{
	uint8_t h[13];
	uint32_t dict;
	uint64_t size = 0;

	if (coder_peek(k, h, 13) != 13 || h[0] >= 9 * 5 * 5)
		return false;
	dict = (uint32_t)h[1] | (uint32_t)h[2] << 8 | (uint32_t)h[3] << 16 | (uint32_t)h[4] << 24;
	for (int i = 0; i < 8; i++)
		size |= (uint64_t)h[5 + i] << (8 * i);
	if (size != UINT64_MAX && size >= UINT64_C(1) << 38)
		return false;
	uint32_t d = dict - 1;

	if (dict == UINT32_MAX)
		return true;
	d |= d >> 2;
	d |= d >> 3;
	d |= d >> 4;
	d |= d >> 8;
	d |= d >> 16;
	return d + 1 == dict;
}

static bool is_lzip(struct coder *k)
{
	uint8_t head[4];

	return coder_peek(k, head, 4) == 4 && memcmp(head, "LZIP", 4) == 0;
}

/* What it is; XZ_AUTO: nothing that is wanted. */
static enum xz_format found_format(const struct xz *x, struct coder *k)
{
	if (x->format == XZ_RAW)
		return XZ_RAW;
	enum xz_format found = is_xz(k) ? XZ_XZ : is_lzip(k) ? XZ_LZIP : XZ_AUTO;

	if (found == XZ_AUTO && is_lzma(k))
		found = XZ_LZMA;
	return x->format == XZ_AUTO || x->format == (int)found ? found : XZ_AUTO;
}

/* One stream of xz, or all of lzip, with a warning if it can't be verified. */
static enum codec_result unpack_stream(struct xz *x, struct coder *k, const char *name)
{
	enum codec_result result = coder_stream(k);

	if (k->unchecked)
		warn(x, name, "Unsupported type of integrity check; not verifying file integrity");
	return result;
}

/* All streams, and zeros between them. */
static enum codec_result unpack_xz(struct xz *x, struct coder *k, const char *name)
{
	uint8_t header[12];

	for (;;) {
		enum codec_result result = unpack_stream(x, k, name);

		if (result != CODEC_END || x->single_stream)
			return result;
		uint64_t zeros = coder_skip_zeros(k);
		size_t n = coder_peek(k, header, 12);

		if (zeros % 4 != 0)
			return CODEC_BAD;
		if (n < 12)
			return n == 0 ? CODEC_END : CODEC_MORE;
		if (!is_xz(k))
			return CODEC_BAD;
	}
}

/* The result that ends it. */
static enum codec_result unpack(struct xz *x, struct coder *k, const char *name)
{
	enum codec_result result;
	uint8_t byte;

	switch (found_format(x, k)) {
	case XZ_RAW:
	case XZ_LZMA:
		k->options.kind = x->format == XZ_RAW ? CODEC_RAW : CODEC_LZMA;
		result = coder_stream(k);
		return result == CODEC_END && coder_peek(k, &byte, 1) == 1 ? CODEC_BAD : result;
	case XZ_LZIP:
		k->options.kind = CODEC_LZIP;
		k->options.all_members = !x->single_stream;
		return unpack_stream(x, k, name);
	case XZ_XZ: return unpack_xz(x, k, name);
	default: return CODEC_BAD_MAGIC;
	}
}

/* False after a message. */
static bool convert(struct xz *x, struct coder *k, const char *name)
{
	enum codec_result result;

	if (!x->decompress) {
		/* A filter may refuse its options only now. */
		result = coder_stream(k);
		if (result == CODEC_OPTIONS)
			xz_fail(x, name, xz_text_of(result));
		return result != CODEC_OPTIONS;
	}
	if (x->force && x->to_stdout && found_format(x, k) == XZ_AUTO) {
		coder_copy(k);
		return true;
	}
	result = unpack(x, k, name);
	if (result == CODEC_END)
		return true;
	/* What fails in the first header fails before anything is shown. */
	if (k->bytes_out > 0)
		put_progress(x, k, name, true);
	xz_fail(x, name, xz_text_of(result));
	if (k->bytes_out > 0)
		put_progress(x, k, name, true);
	if (result == CODEC_MEMORY)
		xz_say_needed(x, k->needed, x->decompress_max);
	return false;
}

static void set_options(struct xz *x, struct coder *k)
{
	k->options = (struct codec_options){
		.kind = x->format == XZ_LZMA  ? CODEC_LZMA
			: x->format == XZ_RAW ? CODEC_RAW
					      : CODEC_XZ,
		.decode = x->decompress,
		.level = x->level,
		.extreme = x->extreme,
		.check = x->check,
		.dictionary = x->dictionary,
		.block_size = x->block_size,
		.block_list = x->block_list,
		.nblocks = x->nblocks,
		.filters = x->filters,
		.nfilters = x->nfilters,
		.memory_max = x->decompress_max,
		.unverified = x->ignore_check,
	};
}

/* --- files --- */

static const char *output_name(struct xz *x, const char *name)
{
	static const char *const from[] = { ".xz", ".txz", ".lzma", ".tlz", ".lz" };
	static const char *const to[] = { "", ".tar", "", ".tar", "" };
	const char *own = x->suffix != NULL ? x->suffix : x->format == XZ_LZMA ? ".lzma" : ".xz";

	if (x->format == XZ_RAW && x->suffix == NULL) {
		xz_fail(x, name,
			"With --format=raw, --suffix=.SUF is required unless writing to stdout");
		return NULL;
	}
	if (x->decompress) {
		for (int i = 0; i < 5 && x->format != XZ_RAW; i++)
			if (coder_has_suffix(name, from[i]))
				return coder_replace_suffix(x->c, name, from[i], to[i]);
		if (x->suffix != NULL && coder_has_suffix(name, x->suffix))
			return coder_replace_suffix(x->c, name, x->suffix, "");
		warn(x, name, "Filename has an unknown suffix, skipping");
		return NULL;
	}
	for (int i = 0; i < 4 && x->format != XZ_RAW; i++)
		if (coder_has_suffix(name, from[i]) && (i >= 2) == (x->format == XZ_LZMA)) {
			struct buf text = buf_in(x->c->arena);

			buf_printf(&text, "File already has `%s' suffix, skipping", from[i]);
			warn(x, name, buf_cstr(&text));
			return NULL;
		}
	if (x->suffix != NULL && coder_has_suffix(name, x->suffix)) {
		struct buf text = buf_in(x->c->arena);

		buf_printf(&text, "File already has `%s' suffix, skipping", x->suffix);
		warn(x, name, buf_cstr(&text));
		return NULL;
	}
	return coder_add_suffix(x->c, name, own);
}

static bool acceptable(struct xz *x, const char *name, const struct vfs_stat *st)
{
	const char *text = NULL;

	if ((st->mode & S_FMT) == S_DIR)
		text = "Is a directory, skipping";
	else if (x->to_stdout || x->test)
		return true;
	else if ((st->mode & S_FMT) != S_REG)
		text = "Not a regular file, skipping";
	else if (!x->force && !x->keep && (st->mode & (S_SUID | S_SGID)))
		text = "File has setuid or setgid bit set, skipping";
	else if (!x->force && !x->keep && (st->mode & S_SVTX))
		text = "File has sticky bit set, skipping";
	else if (!x->force && !x->keep && st->nlink > 1)
		text = "Input file has more than one hard link, skipping";
	if (text != NULL)
		warn(x, name, text);
	return text == NULL;
}

static bool open_output(struct xz *x, struct coder *k, const char *to)
{
	int err;

	if (x->test)
		return true;
	if (x->to_stdout) {
		coder_to_stdout(k);
		return true;
	}
	if (x->force)
		cmd_unlink(x->c, CMD_CWD, to, 0);
	err = coder_create(k, to);
	if (err < 0)
		xz_fail(x, to, err_text(err));
	return err == 0;
}

static void do_stdin(struct xz *x)
{
	struct coder k;

	if (x->decompress && cmd_isatty(x->c, 0)) {
		cmd_error(x->c, 0, "Compressed data cannot be read from a terminal");
		x->status = 1;
		return;
	}
	set_options(x, &k);
	coder_begin(&k, x->c, 0, "-");
	if (!x->test)
		coder_to_stdout(&k);
	if (convert(x, &k, "(stdin)"))
		put_progress(x, &k, "(stdin)", false);
	coder_finish(&k);
	coder_end(&k);
}

/* What is to be decompressed is looked at before its name is. */
static bool recognized(struct xz *x, struct coder *k, const char *name)
{
	if (!x->decompress || found_format(x, k) != XZ_AUTO)
		return true;
	xz_fail(x, name, xz_text_of(CODEC_BAD_MAGIC));
	return false;
}

static void do_file(struct xz *x, const char *name)
{
	bool in_place = !x->to_stdout && !x->test;
	const char *to = NULL;
	struct vfs_stat st;
	struct coder k;
	int err = cmd_lstat(x->c, name, &st);

	if (err == 0 && (st.mode & S_FMT) == S_LNK) {
		if (in_place && !x->force && !x->keep) {
			warn(x, name, "Is a symbolic link, skipping");
			return;
		}
		err = cmd_stat(x->c, name, &st);
	}
	int fd = err < 0 ? err : cmd_open(x->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0) {
		xz_fail(x, name, err_text(fd));
		return;
	}
	set_options(x, &k);
	coder_begin(&k, x->c, fd, name);
	k.in.is_stdin = false;
	if (acceptable(x, name, &st) && (!in_place || recognized(x, &k, name)) &&
	    (!in_place || (to = output_name(x, name)) != NULL) && open_output(x, &k, to)) {
		if (convert(x, &k, name)) {
			coder_finish(&k);
			put_progress(x, &k, name, false);
			if (in_place && !x->keep)
				cmd_unlink(x->c, CMD_CWD, name, 0);
		} else {
			coder_discard(&k);
		}
	}
	coder_end(&k);
}

/* One name of --files. False: the list ends here. */
static bool take_name(struct xz *x, struct input *in, struct bytes line, char **name)
{
	const char *from = x->names[0] == '-' && x->names[1] == '\0' ? "(stdin)" : x->names;

	if (!in->ended) {
		xz_fail(x, from, "Unexpected end of input when reading filenames");
		return false;
	}
	if (x->names_end != '\0' && memchr(line.ptr, '\0', line.len) != NULL) {
		xz_fail(x, from,
			"Null character found when reading filenames; maybe you meant to use "
			"`--files0' instead of `--files'?");
		return false;
	}
	*name = arena_dup(x->c->arena, line);
	return true;
}

void xz_each(struct xz *x, void (*fn)(struct xz *x, const char *name, bool operand, void *arg),
	     void *arg)
{
	int n = x->names != NULL ? x->c->nargs : x->c->nfiles;
	struct input in;
	struct bytes line;

	for (int i = 0; i < n; i++)
		fn(x, x->c->files[i], true, arg);
	if (x->names == NULL)
		return;
	int err = input_open(&in, x->c, x->names);

	if (err < 0) {
		xz_fail(x, x->names, err_text(err));
		return;
	}
	while (input_line(&in, x->names_end, &line) > 0) {
		char *name = NULL;

		if (line.len == 0 && in.ended)
			continue;
		if (!take_name(x, &in, line, &name))
			break;
		fn(x, name, false, arg);
	}
	input_close(&in);
}

static void do_one(struct xz *x, const char *name, bool operand, void *arg)
{
	(void)arg;
	if (operand && strcmp(name, "-") == 0)
		do_stdin(x);
	else
		do_file(x, name);
}

static int xz_run(struct cmd *c)
{
	struct xz *x = c->opts;

	if (x->robot && !x->list)
		return cmd_error(
			c, 0, "Compression and decompression with --robot are not supported yet.");
	if (!x->decompress && x->format == XZ_LZIP)
		return cmd_error(c, 0, "Compression of lzip files (.lz) is not supported");
	if (!xz_check_filters(x))
		return 1;
	if (x->list && x->format != XZ_AUTO && x->format != XZ_XZ)
		return cmd_error(c, 0,
				 "--list works only on .xz files (--format=xz or --format=auto)");
	if (x->list)
		return xz_list(x);
	if (!x->decompress && x->nfilters == 0 && !xz_fit_memory(x))
		return 1;
	if (!x->decompress && !x->test && (x->to_stdout || c->nargs == 0) && cmd_isatty(c, 1))
		return cmd_usage(c, "Compressed data cannot be written to a terminal");
	xz_each(x, do_one, NULL);
	return x->status;
}

/* --- the environment --- */

/* Options in XZ_DEFAULTS and XZ_OPT come first. */
static void take_environment(struct xz *x, const char *name)
{
	static const char blanks[] = " \t\n\v\f\r";
	struct cmd *c = x->c;
	const char *text = cmd_getenv(c, name);
	size_t room = text != NULL ? strlen(text) / 2 + 1 : 0;
	char **argv;
	size_t n = (size_t)x->given_words + 1;

	if (room == 0)
		return;
	argv = arena_array(c->arena, (size_t)c->argc + room + 1, sizeof *argv);
	memcpy(argv, c->argv, n * sizeof *argv);
	for (text += strspn(text, blanks); *text != '\0'; text += strspn(text, blanks)) {
		size_t len = strcspn(text, blanks);

		argv[n++] = arena_dup(c->arena, (struct bytes){ text, len });
		text += len;
	}
	memcpy(argv + n, c->argv + x->given_words + 1,
	       (size_t)(c->argc - x->given_words - 1) * sizeof *argv);
	c->argc += (int)n - x->given_words - 1;
	x->given_words = (int)n - 1;
	c->argv = argv;
}

/* What is no option there means nothing, and behind "--" nothing does. */
static int skip_words(struct cmd *c, int argc, char **argv, int i)
{
	const struct xz *x = c->opts;

	(void)argc;
	if (i > x->given_words ||
	    (argv[i][0] == '-' && argv[i][1] != '\0' && strcmp(argv[i], "--") != 0))
		return 0;
	return argv[i][0] == '-' && argv[i][1] == '-' ? x->given_words - i + 1 : 1;
}

static void xz_defaults(struct cmd *c)
{
	struct xz *x = c->opts;
	const char *slash = strrchr(c->name, '/');

	if (slash != NULL)
		c->name = slash + 1;
	x->c = c;
	x->level = 6;
	x->check = 4;
	take_environment(x, "XZ_DEFAULTS");
	take_environment(x, "XZ_OPT");
}

static void unxz_defaults(struct cmd *c)
{
	((struct xz *)c->opts)->decompress = true;
	xz_defaults(c);
}

static void xzcat_defaults(struct cmd *c)
{
	((struct xz *)c->opts)->to_stdout = true;
	unxz_defaults(c);
}

static void lzma_defaults(struct cmd *c)
{
	((struct xz *)c->opts)->format = XZ_LZMA;
	xz_defaults(c);
}

static void unlzma_defaults(struct cmd *c)
{
	((struct xz *)c->opts)->format = XZ_LZMA;
	unxz_defaults(c);
}

static void lzcat_defaults(struct cmd *c)
{
	((struct xz *)c->opts)->format = XZ_LZMA;
	xzcat_defaults(c);
}

#define XZ_COMMAND(id, text, before)                                                               \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = "[OPTION]... [FILE]...",                                                  \
		.summary = text,                                                                   \
		.run = xz_run,                                                                     \
		.opts = xz_options,                                                                \
		.opts_size = sizeof(struct xz),                                                    \
		.legacy = skip_words,                                                              \
		.defaults = before,                                                                \
		.family = "XZ Utils 5.4.1",                                                        \
		.version = "xz (XZ Utils) 5.4.1",                                                  \
		.hint = "%s: Try `%s --help' for more information.\n",                             \
	}

XZ_COMMAND(xz, "Replaces each FILE by its compressed form, or (-d) the reverse.", xz_defaults);
XZ_COMMAND(unxz, "Replaces each compressed FILE by what it holds.", unxz_defaults);
XZ_COMMAND(xzcat, "Writes what each compressed FILE holds.", xzcat_defaults);
XZ_COMMAND(lzma, "xz in the old format.", lzma_defaults);
XZ_COMMAND(unlzma, "unxz for the old format.", unlzma_defaults);
XZ_COMMAND(lzcat, "xzcat for the old format.", lzcat_defaults);
