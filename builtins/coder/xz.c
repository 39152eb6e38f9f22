/* SPDX-License-Identifier: MIT
 *
 * xz, unxz, xzcat, lzma, unlzma, lzcat - strong compression.
 * Reference: XZ Utils 5.4; the bytes are the same, since the library is.
 */
#include "builtins/coder/coder.h"

enum xz_format { XZ_AUTO, XZ_XZ, XZ_LZMA };

struct xz {
	struct cmd *c;
	bool decompress;
	bool test;
	bool list;
	bool to_stdout;
	int force;
	bool keep;
	int quiet;
	int verbose;
	bool extreme;
	bool no_sparse;
	bool no_warn;
	bool single_stream;
	int level;
	int format;
	int check;
	const char *suffix;
	int status;
};

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
	OPT_CALL_ARG('F', "format", opt_format, "FORMAT", "auto, xz or lzma"),
	OPT_CALL_ARG('C', "check", opt_check, "CHECK", "none, crc32, crc64 or sha256"),
	OPT_FLAG(0, "single-stream", struct xz, single_stream, "only the first stream"),
	OPT_IGNORED_ARG('T', "threads", "NUM", "no effect: one thread"),
	OPT_IGNORED_ARG('M', "memlimit", "LIMIT", "no effect: the session's limit counts"),
	OPT_IGNORED(0, "no-sparse", NULL),
	OPT_IGNORED(0, "no-adjust", NULL),
	{ .name = "fast", .kind = OPT_KIND_CALL, .value = 0, .fn = opt_level, .help = "-0" },
	{ .name = "best", .kind = OPT_KIND_CALL, .value = 9, .fn = opt_level, .help = "-9" },
	{ .kind = OPT_KIND_DIGIT, .fn = opt_level },
	OPT_MISSING_ARG(0, "block-size"),
	OPT_MISSING_ARG(0, "block-list"),
	OPT_MISSING(0, "robot"),
	OPT_MISSING(0, "files"),
	OPT_MISSING(0, "files0"),
	OPT_MISSING(0, "lzma1"),
	OPT_MISSING(0, "lzma2"),
	OPT_MISSING(0, "x86"),
	OPT_MISSING(0, "delta"),
	OPT_END(),
};

/* --- messages --- */

static void fail(struct xz *x, const char *name, const char *text)
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

static const char *text_of(enum codec_result result)
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
static void put_size(struct buf *out, uint64_t n)
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

static void put_ratio(struct buf *out, uint64_t small, uint64_t large)
{
	uint64_t ratio = large != 0 ? (uint64_t)((double)small * 1000 / (double)large + 0.5) : 0;

	if (large == 0 || ratio > 9999)
		buf_puts(out, "---");
	else
		buf_printf(out, "%llu.%03llu", (unsigned long long)ratio / 1000,
			   (unsigned long long)ratio % 1000);
}

static void put_progress(struct xz *x, const struct coder *k, const char *name)
{
	struct buf text = buf_in(x->c->arena);
	uint64_t small = x->decompress ? k->bytes_in : k->bytes_out;
	uint64_t large = x->decompress ? k->bytes_out : k->bytes_in;

	buf_printf(&text, "%s: ", name);
	put_size(&text, small);
	buf_puts(&text, " / ");
	put_size(&text, large);
	buf_puts(&text, " = ");
	put_ratio(&text, small, large);
	buf_putc(&text, '\n');
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

/* All streams. The result that ends it; *format is what was found. */
static enum codec_result unpack(struct xz *x, struct coder *k)
{
	enum codec_result result;
	uint8_t byte;

	if (x->format != XZ_XZ && !is_xz(k) && is_lzma(k)) {
		k->options.kind = CODEC_LZMA;
		result = coder_stream(k);
		return result == CODEC_END && coder_peek(k, &byte, 1) == 1 ? CODEC_BAD : result;
	}
	if (x->format == XZ_LZMA || !is_xz(k))
		return coder_peek(k, &byte, 1) == 0 && x->format == XZ_LZMA ? CODEC_MORE
									    : CODEC_BAD_MAGIC;
	for (;;) {
		result = coder_stream(k);
		if (result != CODEC_END || x->single_stream)
			return result;
		uint64_t zeros = coder_skip_zeros(k);

		if (coder_peek(k, &byte, 1) == 0)
			return zeros % 4 == 0 ? CODEC_END : CODEC_BAD;
		if (!is_xz(k))
			return k->in.to - k->in.from < 6 && k->at_end ? CODEC_MORE : CODEC_BAD;
	}
}

/* False after a message. */
static bool convert(struct xz *x, struct coder *k, const char *name)
{
	enum codec_result result;
	uint8_t head[6];

	if (!x->decompress) {
		coder_stream(k);
		return true;
	}
	if (x->force && x->to_stdout && !is_xz(k) && !is_lzma(k)) {
		coder_copy(k);
		return true;
	}
	/* A short beginning of the magic is a cut file. */
	size_t n = coder_peek(k, head, 6);

	if (n > 0 && n < 6 && memcmp(head, "\3757zXZ\0", n) == 0)
		result = CODEC_MORE;
	else
		result = unpack(x, k);
	if (result == CODEC_END)
		return true;
	fail(x, name, text_of(result));
	return false;
}

static void set_options(struct xz *x, struct coder *k)
{
	k->options = (struct codec_options){
		.kind = x->format == XZ_LZMA ? CODEC_LZMA : CODEC_XZ,
		.decode = x->decompress,
		.level = x->level,
		.extreme = x->extreme,
		.check = x->check,
	};
}

/* --- files --- */

static const char *output_name(struct xz *x, const char *name)
{
	static const char *const from[] = { ".xz", ".txz", ".lzma", ".tlz" };
	static const char *const to[] = { "", ".tar", "", ".tar" };
	const char *own = x->suffix != NULL ? x->suffix : x->format == XZ_LZMA ? ".lzma" : ".xz";

	if (x->decompress) {
		for (int i = 0; i < 4; i++)
			if (coder_has_suffix(name, from[i]))
				return coder_replace_suffix(x->c, name, from[i], to[i]);
		if (x->suffix != NULL && coder_has_suffix(name, x->suffix))
			return coder_replace_suffix(x->c, name, x->suffix, "");
		warn(x, name, "Filename has an unknown suffix, skipping");
		return NULL;
	}
	for (int i = 0; i < 4; i++)
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
		fail(x, to, err_text(err));
	return err == 0;
}

static void do_stdin(struct xz *x)
{
	struct coder k;

	set_options(x, &k);
	coder_begin(&k, x->c, 0, "-");
	if (!x->test)
		coder_to_stdout(&k);
	if (convert(x, &k, "(stdin)") && x->verbose > 0)
		put_progress(x, &k, "(stdin)");
	coder_finish(&k);
	coder_end(&k);
}

/* What is to be decompressed is looked at before its name is. */
static bool recognized(struct xz *x, struct coder *k, const char *name)
{
	uint8_t head[6];
	size_t n;

	if (!x->decompress || (x->format != XZ_LZMA && is_xz(k)) ||
	    (x->format != XZ_XZ && is_lzma(k)))
		return true;
	n = coder_peek(k, head, 6);
	fail(x, name,
	     text_of(n > 0 && n < 6 && memcmp(head, "\3757zXZ\0", n) == 0 ? CODEC_MORE
									  : CODEC_BAD_MAGIC));
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
		fail(x, name, err_text(fd));
		return;
	}
	set_options(x, &k);
	coder_begin(&k, x->c, fd, name);
	k.in.is_stdin = false;
	if (acceptable(x, name, &st) && (!in_place || recognized(x, &k, name)) &&
	    (!in_place || (to = output_name(x, name)) != NULL) && open_output(x, &k, to)) {
		if (convert(x, &k, name)) {
			coder_finish(&k);
			if (x->verbose > 0)
				put_progress(x, &k, name);
			if (in_place && !x->keep)
				cmd_unlink(x->c, CMD_CWD, name, 0);
		} else {
			coder_discard(&k);
		}
	}
	coder_end(&k);
}

/* --- -l --- */

struct totals {
	uint64_t files, streams, blocks, in, out;
};

static uint64_t read_vli(const uint8_t **at, const uint8_t *end)
{
	uint64_t v = 0;

	for (int shift = 0; *at < end && shift < 63; shift += 7) {
		uint8_t byte = *(*at)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return v;
	}
	return v;
}

/* Reads streams from the end: their indexes say what they hold. False: not such a file. */
static bool read_indexes(struct xz *x, int fd, uint64_t size, struct totals *t, unsigned *checks)
{
	uint64_t end = size;

	while (end > 0) {
		uint8_t foot[12];
		uint64_t index;

		if (end < 24 || cmd_pread(x->c, fd, foot, 12, end - 12) != 12)
			return false;
		if (memcmp(foot + 8, "\0\0\0\0", 4) == 0) {
			end -= 4;
			continue;
		}
		if (memcmp(foot + 10, "YZ", 2) != 0)
			return false;
		index = ((uint64_t)foot[4] | (uint64_t)foot[5] << 8 | (uint64_t)foot[6] << 16 |
			 (uint64_t)foot[7] << 24) *
				4 +
			4;
		if (index > end - 24)
			return false;
		uint8_t *text = arena_alloc(x->c->arena, (size_t)index);

		if (cmd_pread(x->c, fd, text, (size_t)index, end - 12 - index) != (int64_t)index)
			return false;
		const uint8_t *at = text + 1;
		uint64_t n = read_vli(&at, text + index);
		uint64_t used = 24 + index;

		for (uint64_t i = 0; i < n && at < text + index; i++) {
			used += (read_vli(&at, text + index) + 3) & ~UINT64_C(3);
			t->out += read_vli(&at, text + index);
			cmd_charge(x->c, 1);
		}
		if (used > end)
			return false;
		end -= used;
		t->streams++;
		t->blocks += n;
		*checks |= 1u << (foot[9] & 15);
	}
	return true;
}

static void list_row(struct xz *x, const struct totals *t, unsigned checks, const char *name)
{
	static const char *const names[] = {
		"None",       "CRC32",      "Unknown-2",  "Unknown-3", "CRC64",   "Unknown-5",
		"Unknown-6",  "Unknown-7",  "Unknown-8",  "Unknown-9", "SHA-256", "Unknown-11",
		"Unknown-12", "Unknown-13", "Unknown-14", "Unknown-15"
	};
	struct buf in = buf_in(x->c->arena);
	struct buf out = buf_in(x->c->arena);
	struct buf ratio = buf_in(x->c->arena);
	struct buf check = buf_in(x->c->arena);

	put_size(&in, t->in);
	put_size(&out, t->out);
	put_ratio(&ratio, t->in, t->out);
	for (int i = 0; i < 16; i++)
		if (checks & 1u << i)
			buf_printf(&check, "%s%s", check.len != 0 ? "," : "", names[i]);
	cmd_printf(x->c, "%5llu %7llu  %11s  %11s  %5s  %-7s %s\n", (unsigned long long)t->streams,
		   (unsigned long long)t->blocks, buf_cstr(&in), buf_cstr(&out), buf_cstr(&ratio),
		   buf_cstr(&check), name);
}

static void list_file(struct xz *x, const char *name, struct totals *all, unsigned *checks)
{
	struct totals t = { 0 };
	unsigned own = 0;
	struct vfs_stat st;
	uint8_t head[6];
	int fd = cmd_open(x->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);

	if (strcmp(name, "-") == 0) {
		cmd_error(x->c, 0, "--list does not support reading from standard input");
		x->status = 1;
		return;
	}
	if (fd < 0 || cmd_fstat(x->c, fd, &st) < 0) {
		fail(x, name, err_text(fd));
		return;
	}
	t.in = st.size;
	if (st.size == 0)
		fail(x, name, "File is empty");
	else if (st.size < 24)
		fail(x, name, "Too small to be a valid .xz file");
	else if (cmd_pread(x->c, fd, head, 6, 0) != 6 || memcmp(head, "\3757zXZ\0", 6) != 0 ||
		 !read_indexes(x, fd, st.size, &t, &own))
		fail(x, name, "File format not recognized");
	else {
		if (all->files++ == 0)
			cmd_puts(x->c, "Strms  Blocks   Compressed Uncompressed  Ratio  Check   "
				       "Filename\n");
		list_row(x, &t, own, name);
		all->streams += t.streams;
		all->blocks += t.blocks;
		all->in += t.in;
		all->out += t.out;
		*checks |= own;
	}
	cmd_close(x->c, fd);
}

static int list_all(struct xz *x)
{
	struct totals all = { 0 };
	unsigned checks = 0;

	for (int i = 0; i < x->c->nfiles; i++)
		list_file(x, x->c->files[i], &all, &checks);
	if (all.files > 1) {
		struct buf name = buf_in(x->c->arena);

		cmd_puts(x->c, "-------------------------------------------------------------------"
			       "------------\n");
		buf_printf(&name, "%llu files", (unsigned long long)all.files);
		list_row(x, &all, checks, buf_cstr(&name));
	}
	return x->status;
}

static int xz_run(struct cmd *c)
{
	struct xz *x = c->opts;

	if (x->list)
		return list_all(x);
	for (int i = 0; i < c->nfiles; i++) {
		if (strcmp(c->files[i], "-") == 0)
			do_stdin(x);
		else
			do_file(x, c->files[i]);
	}
	return x->status;
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
