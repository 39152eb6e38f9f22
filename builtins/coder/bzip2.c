/* SPDX-License-Identifier: MIT
 *
 * bzip2, bunzip2, bzcat - block-sorting compression.
 * Reference: bzip2 1.0.8; the bytes are the same, since the library is.
 */
#include "builtins/coder/coder.h"

struct bzip2 {
	struct cmd *c;
	bool decompress;
	bool test;
	bool to_stdout;
	bool force;
	bool keep;
	bool quiet;
	bool bad; /* a test has failed */
	int verbose;
	int level;
	int status;
};

static int opt_mode(struct cmd *c, const struct opt *o, const char *arg)
{
	struct bzip2 *b = c->opts;

	(void)arg;
	b->decompress = o->letter != 'z';
	b->test = o->letter == 't';
	return 0;
}

static int opt_level(struct cmd *c, const struct opt *o, const char *arg)
{
	struct bzip2 *b = c->opts;

	/* Of several digits the last counts. */
	b->level = arg != NULL ? arg[strlen(arg) - 1] - '0' : o->value;
	return 0;
}

static const struct opt bzip2_options[] = {
	OPT_CALL('d', "decompress", opt_mode, "decompress"),
	OPT_CALL('z', "compress", opt_mode, "compress"),
	OPT_CALL('t', "test", opt_mode, "check compressed files"),
	OPT_FLAG('c', "stdout", struct bzip2, to_stdout, "write to standard output"),
	OPT_FLAG('k', "keep", struct bzip2, keep, "keep the files that were read"),
	OPT_FLAG('f', "force", struct bzip2, force, "overwrite"),
	OPT_FLAG('q', "quiet", struct bzip2, quiet, "fewer messages"),
	OPT_COUNT('v', "verbose", struct bzip2, verbose, "say what is done"),
	OPT_IGNORED('s', "small", "no effect"),
	{ .name = "fast", .kind = OPT_KIND_CALL, .value = 1, .fn = opt_level, .help = "-1" },
	{ .name = "best", .kind = OPT_KIND_CALL, .value = 9, .fn = opt_level, .help = "-9" },
	{ .kind = OPT_KIND_DIGIT, .fn = opt_level },
	OPT_END(),
};

static void put(struct bzip2 *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct bzip2 *b, const char *format, ...)
{
	struct buf text = buf_in(b->c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	cmd_flush(b->c);
	cmd_err_write(b->c, text.ptr, text.len);
}

static void raise(struct bzip2 *b, int status)
{
	if (b->status < status)
		b->status = status;
}

static const char recover[] = "You can use the `bzip2recover' program to attempt to recover\n"
			      "data from undamaged sections of corrupted files.\n\n";

/* --- coding --- */

/* "2.945:1,  2.717 bits/byte, 66.04% saved": in thousandths. */
static void put_share(struct bzip2 *b, const struct coder *k)
{
	struct buf text = buf_in(b->c->arena);
	double in = (double)k->bytes_in;
	double out = (double)k->bytes_out;
	uint64_t ratio = (uint64_t)(in / out * 1000 + 0.5);
	uint64_t bits = (uint64_t)(out * 8 / in * 1000 + 0.5);
	double saved = 100 * (1 - out / in);
	uint64_t share = (uint64_t)((saved < 0 ? -saved : saved) * 100 + 0.5);
	struct buf percent = buf_in(b->c->arena);

	buf_printf(&percent, "%s%llu.%02llu", saved < 0 ? "-" : "", (unsigned long long)share / 100,
		   (unsigned long long)share % 100);
	buf_printf(&text,
		   "%2llu.%03llu:1, %2llu.%03llu bits/byte, %5s%% saved, %llu in, %llu out.\n",
		   (unsigned long long)ratio / 1000, (unsigned long long)ratio % 1000,
		   (unsigned long long)bits / 1000, (unsigned long long)bits % 1000,
		   buf_cstr(&percent), (unsigned long long)k->bytes_in,
		   (unsigned long long)k->bytes_out);
	put(b, "%s", buf_cstr(&text));
}

static _Noreturn void corrupt(struct bzip2 *b, struct coder *k, const char *what, const char *name)
{
	bool has_file = k->out_name != NULL;

	if (b->quiet) {
		coder_discard(k);
		cmd_exit(b->c, 2);
	}
	put(b, "\n%s: %s\n", b->c->name, what);
	if (strstr(what, "ends") != NULL)
		put(b,
		    "\tperhaps it is corrupted?  *Possible* reason follows.\n"
		    "%s: %s\n",
		    b->c->name,
		    has_file                       ? "No such file or directory"
		    : strcmp(name, "(stdin)") == 0 ? "Inappropriate ioctl for device"
						   : "Success");
	put(b, "\tInput file = %s, output file = %s\n", name, has_file ? k->out_name : "(stdout)");
	if (has_file || strstr(what, "Data") != NULL || strstr(what, "ends") != NULL)
		put(b,
		    "\nIt is possible that the compressed file(s) have become corrupted.\n"
		    "You can use the -tvv option to test integrity of such files.\n\n%s",
		    recover);
	if (has_file)
		put(b, "%s: Deleting output file %s, if it exists.\n", b->c->name, k->out_name);
	coder_discard(k);
	cmd_exit(b->c, 2);
}

static bool is_bzip2(struct coder *k)
{
	uint8_t head[4];

	return coder_peek(k, head, 4) >= 4 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' &&
	       head[3] <= '9';
}

/* Whether the file ends within the first four bytes, right as far as they go. */
static bool is_cut_head(struct coder *k)
{
	uint8_t head[4];
	size_t n = coder_peek(k, head, 4);

	return n < 4 && memcmp(head, "BZh", n) == 0;
}

/* Says what is wrong in a test. */
static bool test_failed(struct bzip2 *b, const char *name, enum codec_result result)
{
	const char *what = result == CODEC_BAD_MAGIC
				   ? "bad magic number (file not created by bzip2)"
			   : result == CODEC_MORE ? "file ends unexpectedly"
						  : "data integrity (CRC) error in data";

	if (b->verbose == 0)
		put(b, "%s: %s: ", b->c->name, name);
	put(b, "%s\n", what);
	b->bad = true;
	raise(b, 2);
	return false;
}

/* All streams of a file. False after a message. */
static bool unpack(struct bzip2 *b, struct coder *k, const char *name)
{
	uint8_t byte;

	if (!is_bzip2(k)) {
		bool empty = coder_peek(k, &byte, 1) == 0;

		if (b->test)
			return test_failed(b, name, is_cut_head(k) ? CODEC_MORE : CODEC_BAD_MAGIC);
		if (empty)
			corrupt(b, k, "Compressed file ends unexpectedly;", name);
		if (b->force) {
			coder_copy(k);
			return true;
		}
		if (b->verbose > 0)
			put(b, "not a bzip2 file.\n");
		else
			put(b, "%s: %s is not a bzip2 file.\n", b->c->name, name);
		raise(b, 2);
		return false;
	}
	do {
		enum codec_result result = coder_stream(k);

		if (result == CODEC_END)
			continue;
		if (b->test)
			return test_failed(b, name, result);
		corrupt(b, k,
			result == CODEC_MORE ? "Compressed file ends unexpectedly;"
					     : "Data integrity error when decompressing.",
			name);
	} while (is_bzip2(k));
	if (coder_peek(k, &byte, 1) == 1 && !b->quiet)
		put(b, "%s%s: %s: trailing garbage after EOF ignored\n", b->test ? "" : "\n",
		    b->c->name, name);
	return true;
}

static bool convert(struct bzip2 *b, struct coder *k, const char *name)
{
	if (b->decompress)
		return unpack(b, k, name);
	coder_stream(k);
	return true;
}

static void put_result(struct bzip2 *b, const struct coder *k)
{
	if (b->verbose == 0)
		return;
	if (b->test)
		put(b, "ok\n");
	else if (b->decompress)
		put(b, "done\n");
	else if (k->bytes_in == 0)
		put(b, " no data compressed.\n");
	else
		put_share(b, k);
}

/* What -v says stands in one column. */
static void begin_line(struct bzip2 *b, const char *name)
{
	size_t width = sizeof "(stdin)" - 1;

	if (b->verbose == 0)
		return;
	for (int i = 0; i < b->c->nargs; i++)
		if (strlen(b->c->args[i]) > width)
			width = strlen(b->c->args[i]);
	put(b, "  %s: %*s", name, (int)(width - strlen(name)), "");
}

static void set_options(struct bzip2 *b, struct coder *k)
{
	k->options = (struct codec_options){ .kind = CODEC_BZIP2,
					     .decode = b->decompress,
					     .level = b->level };
}

/* --- files --- */

/* fd 0 is read, 1 written: not if that is a terminal. */
static bool is_refused(struct bzip2 *b, int fd)
{
	if (!cmd_isatty(b->c, fd))
		return false;
	put(b, "%s: I won't %s a terminal.\n%s: For help, type: `%s --help'.\n", b->c->name,
	    fd == 0 ? "read compressed data from" : "write compressed data to", b->c->name,
	    b->c->name);
	raise(b, 1);
	return true;
}

static void do_stdin(struct bzip2 *b)
{
	struct coder k;

	if (is_refused(b, b->decompress || b->test ? 0 : 1))
		return;
	set_options(b, &k);
	coder_begin(&k, b->c, 0, "-");
	if (!b->test)
		coder_to_stdout(&k);
	begin_line(b, "(stdin)");
	if (convert(b, &k, "(stdin)"))
		put_result(b, &k);
	coder_finish(&k);
	coder_end(&k);
}

/* The name of the new file. */
static const char *output_name(struct bzip2 *b, const char *name)
{
	static const char *const from[] = { ".bz2", ".bz", ".tbz2", ".tbz" };
	static const char *const to[] = { "", "", ".tar", ".tar" };

	if (!b->decompress)
		return coder_add_suffix(b->c, name, ".bz2");
	for (int i = 0; i < 4; i++)
		if (coder_has_suffix(name, from[i]))
			return coder_replace_suffix(b->c, name, from[i], to[i]);
	if (!b->quiet)
		put(b, "%s: Can't guess original name for %s -- using %s.out\n", b->c->name, name,
		    name);
	return coder_add_suffix(b->c, name, ".out");
}

static bool refuse(struct bzip2 *b, const char *format, const char *name)
{
	put(b, "%s: ", b->c->name);
	put(b, "%s %s", strncmp(format, "Output", 6) == 0 ? "Output file" : "Input file", name);
	put(b, "%s\n", strchr(format, ' '));
	raise(b, 1);
	return false;
}

/* Whether a file is to be worked on. */
static bool acceptable(struct bzip2 *b, const char *name)
{
	static const char *const suffixes[] = { ".bz2", ".bz", ".tbz2", ".tbz" };
	struct vfs_stat st;
	int err = cmd_stat(b->c, name, &st);

	if (err < 0) {
		put(b, "%s: Can't open input%s %s: %s.\n", b->c->name, b->test ? "" : " file", name,
		    err_text(err));
		raise(b, 1);
		return false;
	}
	for (int i = 0; i < 4 && !b->decompress; i++)
		if (coder_has_suffix(name, suffixes[i])) {
			if (!b->quiet)
				put(b, "%s: Input file %s already has %s suffix.\n", b->c->name,
				    name, suffixes[i]);
			raise(b, 1);
			return false;
		}
	if ((st.mode & S_FMT) == S_DIR)
		return refuse(b, "Input is a directory.", name);
	if (b->to_stdout || b->test)
		return true;
	if (!b->force && (cmd_lstat(b->c, name, &st) < 0 || (st.mode & S_FMT) != S_REG)) {
		raise(b, 1);
		return b->quiet ? false : refuse(b, "Input is not a normal file.", name);
	}
	return true;
}

/* Whether a new file may take the place of an old one. */
static bool may_replace(struct bzip2 *b, const char *name, const char *to)
{
	struct vfs_stat st;

	if (b->force)
		return true;
	if (cmd_lstat(b->c, to, &st) == 0)
		return refuse(b, "Output already exists.", to);
	if (cmd_stat(b->c, name, &st) == 0 && st.nlink > 1) {
		put(b, "%s: Input file %s has %u other link%s.\n", b->c->name, name, st.nlink - 1,
		    st.nlink > 2 ? "s" : "");
		raise(b, 1);
		return false;
	}
	return true;
}

static bool open_output(struct bzip2 *b, struct coder *k, const char *name)
{
	struct vfs_stat st;
	int err;

	if (b->test)
		return true;
	if (b->to_stdout && !b->decompress && is_refused(b, 1))
		return false;
	if (b->to_stdout) {
		coder_to_stdout(k);
		return true;
	}
	if (cmd_lstat(b->c, name, &st) == 0)
		cmd_unlink(b->c, CMD_CWD, name, 0);
	err = coder_create(k, name);
	if (err < 0) {
		put(b, "%s: Can't create output file %s: %s.\n", b->c->name, name, err_text(err));
		raise(b, 1);
	}
	return err == 0;
}

static void do_file(struct bzip2 *b, const char *name)
{
	const char *to = NULL;
	struct coder k;
	int fd;

	if (!acceptable(b, name))
		return;
	if (!b->to_stdout && !b->test) {
		to = output_name(b, name);
		if (!may_replace(b, name, to))
			return;
	}
	fd = cmd_open(b->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);
	if (fd < 0) {
		put(b, "%s: Can't open input file %s: %s.\n", b->c->name, name, err_text(fd));
		raise(b, 1);
		return;
	}
	set_options(b, &k);
	coder_begin(&k, b->c, fd, name);
	k.in.is_stdin = false;
	if (open_output(b, &k, to)) {
		begin_line(b, name);
		if (convert(b, &k, name)) {
			coder_finish(&k);
			put_result(b, &k);
			if (to != NULL && !b->keep)
				cmd_unlink(b->c, CMD_CWD, name, 0);
		} else {
			coder_discard(&k);
		}
	}
	coder_end(&k);
}

static int bzip2_run(struct cmd *c)
{
	struct bzip2 *b = c->opts;

	if (b->test && b->to_stdout) {
		put(b, "%s: -c and -t cannot be used together.\n", c->name);
		return 1;
	}
	for (int i = 0; i < c->nfiles; i++) {
		if (c->nargs == 0)
			do_stdin(b);
		else
			do_file(b, c->files[i]);
	}
	if (b->bad && !b->quiet)
		put(b, "\n%s", recover);
	return b->status;
}

static void bzip2_defaults(struct cmd *c)
{
	struct bzip2 *b = c->opts;
	const char *slash = strrchr(c->name, '/');

	if (slash != NULL)
		c->name = slash + 1;
	b->c = c;
	b->level = 9;
	cmd_words_before(c, "BZIP");
	cmd_words_before(c, "BZIP2");
}

static void bunzip2_defaults(struct cmd *c)
{
	((struct bzip2 *)c->opts)->decompress = true;
	bzip2_defaults(c);
}

static void bzcat_defaults(struct cmd *c)
{
	((struct bzip2 *)c->opts)->to_stdout = true;
	bunzip2_defaults(c);
}

#define BZIP2_COMMAND(id, text, before)                                                            \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = "[OPTION]... [FILE]...",                                                  \
		.summary = text,                                                                   \
		.run = bzip2_run,                                                                  \
		.opts = bzip2_options,                                                             \
		.opts_size = sizeof(struct bzip2),                                                 \
		.defaults = before,                                                                \
		.family = "bzip2 1.0.8",                                                           \
		.version = "bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.", \
		.unknown = "Bad flag `%s'",                                                        \
	}

BZIP2_COMMAND(bzip2, "Replaces each FILE by its compressed form, or (-d) the reverse.",
	      bzip2_defaults);
BZIP2_COMMAND(bunzip2, "Replaces each compressed FILE by what it holds.", bunzip2_defaults);
BZIP2_COMMAND(bzcat, "Writes what each compressed FILE holds.", bzcat_defaults);
