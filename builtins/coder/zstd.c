/* SPDX-License-Identifier: MIT
 *
 * zstd, unzstd, zstdcat - fast compression.
 * Reference: zstd 1.5.4. Not here: threads, benchmarks, making dictionaries, LZ4.
 */
#include "builtins/coder/coder.h"

enum {
	LEVEL_MAX = 19,
	CHECK_CRC64 = 4,
	XZ_DICTIONARY_MAX = 32 << 20,
	LEVEL_ULTRA = 22,
	DICT_MAX = 32 << 20,
	LEVEL_DEFAULT = 3,
	LONG_DEFAULT = 27,
	LONG_MIN = 10,
	LONG_MAX_LOG = 31,
};

#define BANNER "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***"

struct format;

struct zstd {
	struct cmd *c;
	bool decompress;
	bool test;
	bool list;
	bool to_stdout;
	bool force;
	bool remove;
	bool recursive;
	bool ultra;
	bool no_check;
	int display; /* 2: results, 1: errors only, 0: nothing */
	int level;
	const struct format *format; /* to write; NULL: zstd */
	int window_log;
	const char *output;
	bool several; /* inputs */
	bool sharing; /* -o takes all of them */
	struct coder shared;
	struct input answers;
	bool has_answers;
	const char *dict_name;
	struct bytes dict;
	int files;
	uint64_t in_total;
	uint64_t out_total;
	int status;
};

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

static int incorrect(struct cmd *c)
{
	static const char text[] = "Incorrect parameters \n";

	cmd_err_write(c, text, sizeof text - 1);
	return 1;
}

static int opt_level(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint64_t v;

	(void)o;
	if (!num_plain(arg, &v) || v > 1000)
		return incorrect(c);
	z->level = (int)v;
	return 0;
}

static int opt_fast(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint64_t v = 1;

	(void)o;
	if (arg != NULL && (!num_plain(arg, &v) || v == 0 || v > 131072))
		return incorrect(c);
	z->level = -(int)v;
	return 0;
}

static int opt_long(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;
	uint64_t v = LONG_DEFAULT;

	(void)o;
	if (arg != NULL && (!num_plain(arg, &v) || v < LONG_MIN || v > LONG_MAX_LOG))
		return incorrect(c);
	z->window_log = (int)v;
	return 0;
}

/* Formats that are written and read, by the first bytes of each. */
static const struct format {
	const char *name;
	const char *suffix;
	const char *tar_suffix; /* what stands for ".tar" and the suffix, or NULL */
	enum codec_kind kind;
	struct bytes magic;
} formats[] = {
	{ "zstd", ".zst", ".tzst", CODEC_ZSTD, { "\050\265\057\375", 4 } },
	{ "gzip", ".gz", ".tgz", CODEC_DEFLATE, { "\037\213", 2 } },
	{ "xz", ".xz", ".txz", CODEC_XZ, { "\3757z", 3 } },
	{ "lzma", ".lzma", NULL, CODEC_LZMA, { "\135\0", 2 } },
};

enum { FORMATS = sizeof formats / sizeof *formats };

static int opt_format(struct cmd *c, const struct opt *o, const char *arg)
{
	struct zstd *z = c->opts;

	(void)o;
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i].name, arg) == 0) {
			z->format = &formats[i];
			return 0;
		}
	if (strcmp(arg, "lz4") == 0)
		return cmd_error(c, 0, "--format=lz4 is not supported");
	return incorrect(c);
}

static const struct opt zstd_options[] = {
	OPT_CALL('z', "compress", opt_mode, "compress"),
	OPT_CALL('d', "decompress", opt_mode, "decompress"),
	OPT_CALL('d', "uncompress", opt_mode, NULL),
	OPT_CALL('t', "test", opt_mode, "check compressed files"),
	OPT_CALL('l', "list", opt_mode, "list compressed files"),
	OPT_FLAG('c', "stdout", struct zstd, to_stdout, "write to standard output"),
	OPT_STR('o', NULL, struct zstd, output, NULL, "FILE", "write to FILE"),
	OPT_FLAG('f', "force", struct zstd, force, "overwrite"),
	OPT_IGNORED('k', "keep", "keep the files that were read (the default)"),
	OPT_FLAG(0, "rm", struct zstd, remove, "remove them"),
	OPT_FLAG('r', NULL, struct zstd, recursive, "the files in directories too"),
	{ .letter = 'q',
	  .name = "quiet",
	  .kind = OPT_KIND_CALL,
	  .value = -1,
	  .fn = opt_display,
	  .help = "fewer messages" },
	{ .letter = 'v',
	  .name = "verbose",
	  .kind = OPT_KIND_CALL,
	  .value = 1,
	  .fn = opt_display,
	  .help = "more messages" },
	OPT_FLAG(0, "ultra", struct zstd, ultra, "levels 20 to 22"),
	OPT_CALL_OPTIONAL(0, "fast", opt_fast, "N", "quicker than -1"),
	OPT_CALL_OPTIONAL(0, "long", opt_long, "N", "a window of 2^N bytes"),
	OPT_FLAG(0, "no-check", struct zstd, no_check, "no checksum"),
	OPT_IGNORED('C', "check", "a checksum (the default)"),
	OPT_IGNORED_ARG('T', "threads", "N", "no effect: one thread"),
	OPT_IGNORED_ARG('M', "memory", "N", "no effect: the session's limit counts"),
	OPT_IGNORED(0, "single-thread", NULL),
	OPT_IGNORED(0, "no-progress", NULL),
	OPT_IGNORED(0, "progress", NULL),
	OPT_IGNORED(0, "sparse", NULL),
	OPT_IGNORED(0, "no-sparse", NULL),
	OPT_CALL_ARG(0, "format", opt_format, "FORMAT", "zstd, gzip, xz or lzma"),
	OPT_STR('D', NULL, struct zstd, dict_name, NULL, "FILE", "with FILE as a dictionary"),
	OPT_MISSING('b', NULL),
	OPT_MISSING(0, "train"),
	OPT_MISSING(0, "adapt"),
	OPT_MISSING(0, "rsyncable"),
	OPT_MISSING_ARG(0, "patch-from"),
	OPT_MISSING_ARG(0, "output-dir-flat"),
	OPT_MISSING_ARG(0, "output-dir-mirror"),
	OPT_MISSING_ARG(0, "filelist"),
	OPT_DIGITS(opt_level),
	OPT_END(),
};

static void put(struct zstd *z, int display, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void put(struct zstd *z, int display, const char *format, ...)
{
	struct buf text = buf_in(z->c->arena);
	va_list args;

	if (z->display < display)
		return;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	cmd_flush(z->c);
	cmd_err_write(z->c, text.ptr, text.len);
}

/* "   692 B", "  3.80 KiB": three digits that count. */
static void put_size(struct buf *out, uint64_t n, bool table)
{
	static const char *const units[] = { " B", " KiB", " MiB", " GiB", " TiB" };
	double v = (double)n;
	int unit = 0;
	int digits;
	uint64_t scale = 1;
	struct buf number = buf_in(out->arena);

	while (v >= 1024 && unit < 4) {
		v /= 1024;
		unit++;
	}
	digits = v >= 100 || unit == 0 ? 0 : v >= 10 ? 1 : v > 1 ? 2 : 3;
	for (int i = 0; i < digits; i++)
		scale *= 10;
	uint64_t whole = (uint64_t)(v * (double)scale + 0.5);

	buf_put_u64(&number, whole / scale);
	if (digits > 0) {
		buf_putc(&number, '.');
		for (uint64_t s = scale / 10; s > 0; s /= 10)
			buf_putc(&number, (char)('0' + whole / s % 10));
	}
	buf_printf(out, table ? "%6s%4s" : "%6s%s", buf_cstr(&number), units[unit]);
}

static void put_share(struct buf *out, uint64_t part, uint64_t whole, int width)
{
	struct buf number = buf_in(out->arena);
	uint64_t share = (uint64_t)((double)part / (double)whole * 10000 + 0.5);

	buf_printf(&number, "%llu.%02llu", (unsigned long long)share / 100,
		   (unsigned long long)share % 100);
	buf_printf(out, "%*s%%", width, buf_cstr(&number));
}

/* --- coding --- */

/* What the next frame is, or NULL. Of zstd there are frames to be skipped, too. */
static const struct format *find_format(struct coder *k)
{
	char h[4];

	if (coder_peek(k, (uint8_t *)h, 4) != 4)
		return NULL;
	for (size_t i = 0; i < FORMATS; i++)
		if (memcmp(h, formats[i].magic.ptr, formats[i].magic.len) == 0)
			return &formats[i];
	return (h[0] & 0xf0) == 0x50 && memcmp(h + 1, "\x2a\x4d\x18", 3) == 0 ? formats : NULL;
}

/* zlib's and liblzma's errors are told by their numbers. */
static bool failed_other(struct zstd *z, enum codec_kind kind, const char *name,
			 enum codec_result result)
{
	bool lzma = kind != CODEC_DEFLATE;

	if (result == CODEC_MORE)
		put(z, 1, "zstd: %s: premature %s end \n", name, lzma ? "lzma" : "gz");
	else if (lzma)
		put(z, 1, "zstd: %s: lzma_code decoding error %d \n", name,
		    result == CODEC_MEMORY    ? 6
		    : result == CODEC_OPTIONS ? 8
					      : 9);
	else
		put(z, 1, "zstd: %s: inflate error -3 \n", name);
	z->status = 1;
	return false;
}

static bool failed(struct zstd *z, enum codec_kind kind, const char *name, enum codec_result result)
{
	if (kind != CODEC_ZSTD)
		return failed_other(z, kind, name, result);
	if (result == CODEC_MORE)
		put(z, 1, "%s : Read error (39) : premature end \n", name);
	else if (result == CODEC_MEMORY)
		put(z, 1,
		    "%s : Decoding error (36) : Frame requires too much memory for decoding \n",
		    name);
	else
		put(z, 1, "%s : Decoding error (36) : %s \n", name,
		    result == CODEC_BAD_CHECK ? "Restored data doesn't match checksum"
					      : "Data corruption detected");
	z->status = 1;
	return false;
}

/* All frames. False after a message. */
static bool unpack(struct zstd *z, struct coder *k, const char *name)
{
	uint8_t byte;

	if (coder_peek(k, &byte, 1) == 0) {
		put(z, 1, "zstd: %s: unexpected end of file \n", name);
		z->status = 1;
		return false;
	}
	while (coder_peek(k, &byte, 1) == 1) {
		const struct format *format = find_format(k);

		if (format == NULL) {
			if (z->force && z->to_stdout) {
				coder_copy(k);
				return true;
			}
			put(z, 1, "zstd: %s: unsupported format \n", name);
			z->status = 1;
			return false;
		}
		k->options.kind = format->kind;
		k->options.gzip = format->kind == CODEC_DEFLATE;
		enum codec_result result = coder_stream(k);

		/* Each frame looks at the dictionary anew. */
		cmd_charge(z->c, z->dict.len != 0 ? 256 : 1);
		if (result != CODEC_END)
			return failed(z, format->kind, name, result);
	}
	return true;
}

static void set_options(struct zstd *z, struct coder *k, uint64_t size)
{
	cmd_charge_bytes(z->c, z->dict.len);
	k->options = (struct codec_options){ .kind = CODEC_ZSTD,
					     .decode = z->decompress,
					     .level = z->level,
					     .check = !z->no_check,
					     .window_log = z->window_log,
					     .dict = z->dict,
					     .size = size };
	if (z->format == NULL || z->decompress || z->format->kind == CODEC_ZSTD)
		return;
	k->options.kind = z->format->kind;
	k->options.gzip = z->format->kind == CODEC_DEFLATE;
	k->options.check = CHECK_CRC64;
	k->options.level = z->level > 9 ? 9 : z->level;
	/* Level 9 takes more memory than a session has. */
	if (k->options.level == 9 && !k->options.gzip)
		k->options.dictionary = XZ_DICTIONARY_MAX;
	if (z->level < 0)
		k->options.level = k->options.gzip ? -1 : 0;
}

static void put_result(struct zstd *z, const struct coder *k, const char *name, const char *to)
{
	struct buf text = buf_in(z->c->arena);

	z->files++;
	z->in_total += k->bytes_in;
	z->out_total += k->bytes_out;
	if (z->display < (z->several ? 3 : 2))
		return;
	if (z->decompress) {
		put(z, 2, "%-20s: %llu bytes \n", name, (unsigned long long)k->bytes_out);
		return;
	}
	buf_printf(&text, "%-20s :", name);
	if (k->bytes_in > 0) {
		put_share(&text, k->bytes_out, k->bytes_in, 6);
		buf_puts(&text, "   (");
	} else {
		buf_puts(&text, "  (");
	}
	put_size(&text, k->bytes_in, false);
	buf_puts(&text, " => ");
	put_size(&text, k->bytes_out, false);
	buf_printf(&text, ", %s) \n", to);
	put(z, 2, "%s", buf_cstr(&text));
}

/* --- files --- */

static const char *output_name(struct zstd *z, const char *name)
{
	if (z->output != NULL)
		return z->output;
	if (!z->decompress)
		return coder_add_suffix(z->c, name, z->format != NULL ? z->format->suffix : ".zst");
	for (size_t i = 0; i < FORMATS; i++) {
		const struct format *f = &formats[i];

		if (coder_has_suffix(name, f->suffix))
			return coder_replace_suffix(z->c, name, f->suffix, "");
		if (f->tar_suffix != NULL && coder_has_suffix(name, f->tar_suffix))
			return coder_replace_suffix(z->c, name, f->tar_suffix, ".tar");
	}
	put(z, 1,
	    "zstd: %s: unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). "
	    "Can't derive the output file name. Specify it with -o dstFileName. Ignoring.\n",
	    name);
	z->status = 1;
	return NULL;
}

/* Asks on standard input, which may hold several answers. */
static bool says_yes(struct zstd *z)
{
	struct bytes line = { "", 0 };

	if (!z->has_answers)
		input_init(&z->answers, z->c, 0, "-");
	z->has_answers = true;
	return input_line(&z->answers, '\n', &line) > 0 && line.len > 0 &&
	       (line.ptr[0] | 0x20) == 'y';
}

static bool may_overwrite(struct zstd *z, const char *to)
{
	struct vfs_stat st;
	bool yes;

	if (z->force || cmd_lstat(z->c, to, &st) < 0 || (st.mode & S_FMT) != S_REG)
		return true;
	if (z->display < 2) {
		put(z, 1, "zstd: %s already exists; not overwritten  \n", to);
		return false;
	}
	put(z, 1, "zstd: %s already exists; overwrite (y/n) ? ", to);
	yes = says_yes(z);
	if (!yes)
		put(z, 1, "Not overwritten  \n \n");
	return yes;
}

static bool open_output(struct zstd *z, struct coder *k, const char *to)
{
	int err;

	if (z->test)
		return true;
	if (z->to_stdout) {
		coder_to_stdout(k);
		return true;
	}
	if (z->sharing) {
		k->out = z->shared.out;
		k->has_out = true;
		return true;
	}
	if (!may_overwrite(z, to)) {
		z->status = 1;
		return false;
	}
	cmd_unlink(z->c, CMD_CWD, to, 0);
	err = coder_create(k, to);
	if (err < 0) {
		put(z, 1, "zstd: %s: %s \n", to, err_text(err));
		z->status = 1;
	}
	return err == 0;
}

static void work(struct zstd *z, struct coder *k, const char *name, const char *to)
{
	bool good = true;

	if (!open_output(z, k, to))
		return;
	if (z->decompress)
		good = unpack(z, k, name);
	else
		coder_stream(k);
	/* A shared file is only flushed, whatever became of this input. */
	if (good)
		coder_finish(k);
	else
		coder_discard(k);
	if (z->sharing)
		z->shared.out = k->out;
	if (good)
		put_result(z, k, name, to != NULL ? to : "/*stdout*\\");
}

static void do_stdin(struct zstd *z)
{
	struct coder k;
	bool own = z->output != NULL;

	z->to_stdout |= !own;
	set_options(z, &k, UINT64_MAX);
	coder_begin(&k, z->c, 0, "-");
	work(z, &k, "/*stdin*\\", z->output);
	coder_end(&k);
}

static void do_file(struct zstd *z, const char *name)
{
	const char *to = NULL;
	struct vfs_stat st;
	struct coder k;
	int fd;
	int err = cmd_lstat(z->c, name, &st);

	if (!z->to_stdout && !z->test && (to = output_name(z, name)) == NULL)
		return;
	if (err == 0 && (st.mode & S_FMT) == S_LNK) {
		if (!z->force) {
			put(z, 2, "Warning : %s is a symbolic link, ignoring \n", name);
			z->status = 1;
			return;
		}
		err = cmd_stat(z->c, name, &st);
	}
	if (err < 0) {
		put(z, 1, "zstd: can't stat %s : %s -- ignored \n", name, err_text(err));
		z->status = 1;
		return;
	}
	if ((st.mode & S_FMT) == S_DIR) {
		put(z, 1, "zstd: %s is a directory -- ignored \n", name);
		z->status = 1;
		return;
	}
	fd = cmd_open(z->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);
	if (fd < 0) {
		put(z, 1, "zstd: %s: %s \n", name, err_text(fd));
		z->status = 1;
		return;
	}
	int before = z->status;

	z->status = 0;
	set_options(z, &k, (st.mode & S_FMT) == S_REG ? st.size : UINT64_MAX);
	coder_begin(&k, z->c, fd, name);
	k.in.is_stdin = false;
	work(z, &k, name, to);
	coder_end(&k);
	if (z->status == 0 && z->remove && to != NULL)
		cmd_unlink(z->c, CMD_CWD, name, 0);
	z->status |= before;
}

static void do_tree(struct zstd *z, const char *root)
{
	struct walk *w = walk_new(z->c, root, WALK_FOLLOW_ROOT);
	struct walk_entry *e;

	/* All names first: new files must not be met on the way. */
	struct buf names = buf_in(z->c->arena);

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_FILE)
			buf_put(&names, e->path, strlen(e->path) + 1);
		cmd_charge(z->c, 1);
	}
	walk_free(w);
	for (size_t at = 0; at < names.len; at += strlen(names.ptr + at) + 1)
		do_file(z, names.ptr + at);
}

/* --- -l --- */

struct frames {
	uint64_t frames, skips, in, out;
	bool unknown;
	bool check;
};

static uint64_t little(const uint8_t *at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = n; i-- > 0;)
		v = v << 8 | at[i];
	return v;
}

/* One frame from its headers: where the next begins; 0: damaged. */
static uint64_t read_frame(struct zstd *z, int fd, uint64_t at, struct frames *f)
{
	static const uint8_t content_bytes[] = { 0, 2, 4, 8 };
	static const uint8_t id_bytes[] = { 0, 1, 2, 4 };
	uint8_t h[18];
	int64_t got = cmd_pread(z->c, fd, h, sizeof h, at);
	uint8_t block[3];

	if (got < 8)
		return 0;
	if ((h[0] & 0xf0) == 0x50 && little(h + 1, 3) == 0x184d2a) {
		f->skips++;
		return at + 8 + little(h + 4, 4);
	}
	if (little(h, 4) != 0xfd2fb528)
		return 0;
	bool single = h[4] & 0x20;
	size_t n = content_bytes[h[4] >> 6];
	size_t next = 5 + (single ? 0u : 1u) + id_bytes[h[4] & 3];

	if (n == 0 && single)
		n = 1;
	if (n == 0)
		f->unknown = true;
	else
		f->out += little(h + next, n) + (n == 2 ? 256 : 0);
	f->check = h[4] & 4;
	f->frames++;
	at += next + n;
	for (;;) {
		if (cmd_pread(z->c, fd, block, 3, at) != 3)
			return 0;
		uint32_t head = (uint32_t)little(block, 3);

		at += 3 + ((head >> 1 & 3) == 1 ? 1 : head >> 3);
		cmd_charge(z->c, 1);
		if (head & 1)
			return at + (f->check ? 4 : 0);
	}
}

static void list_file(struct zstd *z, const char *name)
{
	struct frames f = { 0 };
	struct buf row = buf_in(z->c->arena);
	struct vfs_stat st;
	uint64_t at = 0;
	int fd = cmd_open(z->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0 || cmd_fstat(z->c, fd, &st) < 0) {
		put(z, 1, "Error : %s is not a file \n", name);
		z->status = 1;
		return;
	}
	while (at < st.size && (at = read_frame(z, fd, at, &f)) != 0 && at <= st.size)
		;
	cmd_close(z->c, fd);
	if (at != st.size || st.size == 0 || f.out > INT64_MAX / 2000) {
		put(z, 1, "File \"%s\" not compressed by zstd \n", name);
		z->status = 1;
		return;
	}
	buf_printf(&row, "%6llu  %5llu  ", (unsigned long long)f.frames,
		   (unsigned long long)f.skips);
	put_size(&row, st.size, true);
	if (f.unknown) {
		buf_printf(&row, "%21s", "");
	} else {
		uint64_t ratio = (uint64_t)((double)f.out / (double)st.size * 1000 + 0.5);

		buf_puts(&row, "  ");
		buf_puts(&row, "  ");
		put_size(&row, f.out, true);
		buf_printf(&row, "  %llu.%03llu", (unsigned long long)ratio / 1000,
			   (unsigned long long)ratio % 1000);
	}
	buf_printf(&row, "  %5s  %s\n", f.check ? "XXH64" : "None", name);
	cmd_bytes(z->c, buf_bytes(&row));
}

static int list_all(struct zstd *z)
{
	cmd_puts(z->c, "Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
	for (int i = 0; i < z->c->nfiles; i++)
		list_file(z, z->c->files[i]);
	return z->status;
}

/* --- -D --- */

/* A dictionary that is damaged is noticed by the library when it is loaded. */
static int check_dict(struct zstd *z)
{
	struct codec_options options = {
		.kind = CODEC_ZSTD, .decode = true, .dict = z->dict, .size = UINT64_MAX
	};
	struct codec codec;
	bool good = codec_start(&codec, z->c->pool, &options);

	codec_stop(&codec);
	cmd_charge_bytes(z->c, z->dict.len);
	if (good)
		return 0;
	put(z, 1, "zstd: error 11 : Allocation error : not enough memory \n");
	return 11;
}

static int read_dict(struct zstd *z)
{
	const char *name = z->dict_name;
	struct vfs_stat st;
	int err;

	if (name == NULL)
		return 0;
	err = cmd_stat(z->c, name, &st);
	if (err < 0) {
		put(z, 1, "zstd: error 31 : Stat failed on dictionary file %s: %s \n", name,
		    err_text(err));
		return 31;
	}
	if ((st.mode & S_FMT) != S_REG) {
		put(z, 1, "zstd: error 32 : Dictionary %s must be a regular file. \n", name);
		return 32;
	}
	err = st.size > DICT_MAX ? -E_FBIG : cmd_read_all(z->c, name, &z->dict);
	if (err < 0) {
		put(z, 1, "zstd: error 33 : Couldn't open dictionary %s: %s \n", name,
		    err_text(err));
		return 33;
	}
	return check_dict(z);
}

/* --- -o with several inputs --- */

static bool agrees(struct zstd *z)
{
	if (z->display < 2 && !z->force) {
		put(z, 0,
		    "Concatenating multiple processed inputs into a single output loses file "
		    "metadata. \nAborting. \n");
		return false;
	}
	put(z, 2,
	    "zstd: WARNING: all input files will be processed and concatenated into a single "
	    "output file: %s \n"
	    "The concatenated output CANNOT regenerate original file names nor directory "
	    "structure. \n",
	    z->output);
	if (z->remove)
		put(z, 2,
		    "Since it's a destructive operation, input files will not be removed. \n");
	z->remove = false;
	if (z->force)
		return true;
	put(z, 2, "Proceed? (y/n): ");
	if (says_yes(z))
		return true;
	put(z, 2, "Aborting... \n");
	return false;
}

static bool share_output(struct zstd *z)
{
	z->shared.c = z->c;
	if (!agrees(z) || !open_output(z, &z->shared, z->output))
		return false;
	z->sharing = true;
	return true;
}

static void put_summary(struct zstd *z)
{
	struct buf text = buf_in(z->c->arena);

	if (!z->several || z->files == 0)
		return;
	if (z->decompress) {
		put(z, 2, "%d files decompressed : %6llu bytes total \n", z->files,
		    (unsigned long long)z->out_total);
		return;
	}
	if (z->in_total > 0) {
		put_share(&text, z->out_total, z->in_total, 6);
		buf_putc(&text, ' ');
	}
	buf_putc(&text, '(');
	put_size(&text, z->in_total, true);
	buf_puts(&text, " => ");
	put_size(&text, z->out_total, true);
	put(z, 2, "%3d files compressed : %s)\n", z->files, buf_cstr(&text));
}

static int zstd_run(struct cmd *c)
{
	struct zstd *z = c->opts;
	int max = z->ultra ? LEVEL_ULTRA : LEVEL_MAX;

	if (z->level > max) {
		put(z, 2, "Warning : compression level higher than max, reduced to %d \n", max);
		z->level = max;
	}
	put(z, 3, "%s\n", BANNER);
	if (z->list)
		return list_all(z);
	int err = read_dict(z);

	if (err != 0)
		return err;
	if (z->output != NULL && strcmp(z->output, "-") == 0)
		z->to_stdout = true;
	z->several = c->nargs > 1;
	if (z->several && z->output != NULL && !z->to_stdout && !z->test && !share_output(z))
		return 1;
	/* Results are not told when the output itself is looked at. */
	if (c->nargs == 0 || z->to_stdout)
		z->display -= z->display == 2;
	for (int i = 0; i < c->nfiles; i++) {
		struct vfs_stat st;

		if (strcmp(c->files[i], "-") == 0)
			do_stdin(z);
		else if (z->recursive && cmd_stat(c, c->files[i], &st) == 0 &&
			 (st.mode & S_FMT) == S_DIR)
			do_tree(z, c->files[i]);
		else
			do_file(z, c->files[i]);
	}
	if (z->sharing)
		output_close(&z->shared.out);
	put_summary(z);
	return z->status;
}

static void zstd_defaults(struct cmd *c)
{
	struct zstd *z = c->opts;
	const char *slash = strrchr(c->name, '/');

	if (slash != NULL)
		c->name = slash + 1;
	z->c = c;
	z->level = LEVEL_DEFAULT;
	z->display = 2;
}

static void unzstd_defaults(struct cmd *c)
{
	((struct zstd *)c->opts)->decompress = true;
	zstd_defaults(c);
}

static void zstdcat_defaults(struct cmd *c)
{
	struct zstd *z = c->opts;

	unzstd_defaults(c);
	z->to_stdout = z->force = true;
	z->display = 1;
}

#define ZSTD_COMMAND(id, text, before)                                                             \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = "[OPTION]... [FILE]... [-o FILE]",                                        \
		.summary = text,                                                                   \
		.run = zstd_run,                                                                   \
		.opts = zstd_options,                                                              \
		.opts_size = sizeof(struct zstd),                                                  \
		.defaults = before,                                                                \
		.family = "zstd 1.5.4",                                                            \
		.version = BANNER,                                                                 \
	}

ZSTD_COMMAND(zstd, "Compresses each FILE to FILE.zst, or (-d) the reverse.", zstd_defaults);
ZSTD_COMMAND(unzstd, "Decompresses each FILE.zst.", unzstd_defaults);
ZSTD_COMMAND(zstdcat, "Writes what each compressed FILE holds.", zstdcat_defaults);
