/* SPDX-License-Identifier: MIT
 *
 * file - tell what files contain.
 *
 * Reference: file 5.44. Not here: own magic files (-m, -C), -k.
 */
#include "builtins/file/file.h"

enum { UNPACK_NEVER, UNPACK_BOTH, UNPACK_INSIDE };

struct file_opts {
	bool brief;
	bool zero; /* -0 */
	bool zero_twice;
	bool follow;
	bool no_follow;
	bool no_pad;
	bool special;
	bool exit_on_error;
	bool mime_type;
	bool mime_encoding;
	bool extension;
	int unpack; /* UNPACK_... */
	unsigned skip;
	int zeros;
	const char *separator;
	/* state */
	size_t width;
	bool listed; /* -f was given */
	bool failed;
};

static int put_usage(struct cmd *c)
{
	static const char usage[] =
		"Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] "
		"[--mime-encoding]\n            [--mime-type] [-e <testname>] [-F <separator>] "
		" [-f <namefile>]\n            [-m <magicfiles>] [-P <parameter=value>] "
		"[--exclude-quiet]\n            <file> ...\n       file -C [-m "
		"<magicfiles>]\n       file [--help]\n";

	cmd_err_write(c, usage, sizeof(usage) - 1);
	return 1;
}

static int set_mime(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct file_opts *o = c->opts;
	bool both = opt->letter == 'i' || strcmp(opt->name, "mime") == 0;

	(void)arg;
	o->mime_type |= both || strcmp(opt->name, "mime-type") == 0;
	o->mime_encoding |= both || strcmp(opt->name, "mime-encoding") == 0;
	return 0;
}

static int set_skip(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct {
		const char *name;
		unsigned skip;
	} tests[] = {
		{ "apptype", 0 },
		{ "ascii", SKIP_TEXT },
		{ "cdf", 0 },
		{ "csv", SKIP_CSV },
		{ "compress", SKIP_COMPRESS },
		{ "elf", SKIP_ELF },
		{ "json", SKIP_JSON },
		{ "soft", SKIP_SOFT },
		{ "tar", SKIP_TAR },
		{ "text", SKIP_TEXT },
		{ "tokens", 0 },
	};
	struct file_opts *o = c->opts;

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (strcmp(tests[i].name, arg) == 0) {
			o->skip |= tests[i].skip;
			return 0;
		}
	if (strcmp(arg, "encoding") == 0)
		return cmd_usage(c, "option '--%s=%s' is not supported", opt->name, arg);
	return opt->letter == 'e' ? put_usage(c) : 0;
}

static opt_fn name_file;

static const struct opt file_options[] = {
	OPT_FLAG('b', "brief", struct file_opts, brief, "no names before answers"),
	OPT_MISSING('C', "compile"),
	OPT_CALL_ARG('e', "exclude", set_skip, "TEST",
		     "without TEST: ascii, compress, csv, elf, json, soft, tar, text"),
	OPT_CALL_ARG(0, "exclude-quiet", set_skip, "TEST", "the same, if there is such a test"),
	OPT_FLAG('E', NULL, struct file_opts, exit_on_error, "files that can't be read are errors"),
	OPT_CALL_ARG('f', "files-from", name_file, "FILE", "read the names of files from FILE"),
	OPT_STR('F', "separator", struct file_opts, separator, ":", "STRING", "behind names"),
	OPT_FLAG('h', "no-dereference", struct file_opts, no_follow, "look at links (default)"),
	OPT_CALL('i', "mime", set_mime, "MIME types and encodings"),
	OPT_CALL(0, "mime-type", set_mime, "only MIME types"),
	OPT_CALL(0, "mime-encoding", set_mime, "only MIME encodings"),
	OPT_MISSING(0, "apple"),
	OPT_FLAG(0, "extension", struct file_opts, extension, "what their names may end with"),
	OPT_MISSING('k', "keep-going"),
	OPT_MISSING('l', "list"),
	OPT_FLAG('L', "dereference", struct file_opts, follow, "look at what links point to"),
	OPT_MISSING_ARG('m', "magic-file"),
	OPT_FLAG('N', "no-pad", struct file_opts, no_pad, "no blanks behind names"),
	OPT_IGNORED('n', "no-buffer", "no effect"),
	OPT_IGNORED('p', "preserve-date", "no effect: times of access never move"),
	OPT_MISSING_ARG('P', "parameter"),
	OPT_IGNORED('r', "raw", "no effect: texts are written as they are"),
	OPT_FLAG('s', "special-files", struct file_opts, special, "read devices, too"),
	OPT_IGNORED('S', "no-sandbox", "no effect"),
	OPT_CALL('v', NULL, cmd_opt_version, NULL),
	OPT_SET('z', "uncompress", struct file_opts, unpack, UNPACK_BOTH,
		"look into what gzip, bzip2, xz, lzma, zstd and zlib packed"),
	OPT_SET('Z', "uncompress-noreport", struct file_opts, unpack, UNPACK_INSIDE,
		"the same, saying nothing of the wrapping"),
	OPT_COUNT('0', "print0", struct file_opts, zeros, "a NUL behind names"),
	OPT_END(),
};

/* --- what is no regular file --- */

static void put_device(struct guess *g, const struct vfs_stat *st, const char *what)
{
	buf_printf(&g->text, "%s (%u/%u)", what, (unsigned)(st->rdev >> 8),
		   (unsigned)(st->rdev & 0xff));
}

static void put_link(struct guess *g, const char *path)
{
	struct bytes target;
	struct vfs_stat st;
	bool broken = cmd_stat(g->c, path, &st) < 0;

	if (cmd_readlink(g->c, CMD_CWD, path, &target) < 0)
		target = BYTES("");
	buf_printf(&g->text, "%ssymbolic link to %.*s", broken ? "broken " : "", (int)target.len,
		   target.ptr);
	g->mime = "inode/symlink";
}

/* True: the kind of the file says it all. */
static bool guess_kind(struct guess *g, const struct file_opts *o, const char *path,
		       const struct vfs_stat *st)
{
	uint32_t type = st->mode & S_FMT;

	g->charset = "binary";
	if (type == S_LNK) {
		put_link(g, path);
		return true;
	}
	const char *flags[] = { (st->mode & S_SUID) != 0 ? "setuid" : "",
				(st->mode & S_SGID) != 0 ? "setgid" : "",
				(st->mode & S_SVTX) != 0 ? "sticky" : "" };

	for (int i = 0; i < 3; i++)
		if (flags[i][0] != '\0')
			buf_printf(&g->text, "%s%s", g->text.len != 0 ? ", " : "", flags[i]);
	if (g->text.len != 0)
		buf_puts(&g->text, type == S_REG && st->size > 0 ? " " : ", ");
	if (o->mime_type || o->mime_encoding)
		g->text.len = 0;
	switch (type) {
	case S_DIR:
		buf_puts(&g->text, "directory");
		g->mime = "inode/directory";
		return true;
	case S_CHR:
		if (o->special)
			return false;
		put_device(g, st, "character special");
		g->mime = "inode/chardevice";
		return true;
	case S_BLK:
		if (o->special)
			return false;
		put_device(g, st, "block special");
		g->mime = "inode/blockdevice";
		return true;
	case S_FIFO:
		if (o->special)
			return false;
		buf_puts(&g->text, "fifo (named pipe)");
		g->mime = "inode/fifo";
		return true;
	case S_SOCK:
		buf_puts(&g->text, "socket");
		g->mime = "inode/socket";
		return true;
	default: break;
	}
	if (st->size > 0)
		return false;
	buf_puts(&g->text, "empty");
	g->mime = "inode/x-empty";
	return true;
}

/* --- contents --- */

static int read_start(struct cmd *c, const char *path, struct bytes *out)
{
	struct buf data = buf_in(c->arena);
	struct input in;
	struct bytes part;
	int err = input_open(&in, c, path);

	if (err < 0)
		return err;
	while (data.len < LOOK_BYTES && (err = input_block(&in, &part)) > 0) {
		buf_put(&data, part.ptr,
			part.len < LOOK_BYTES - data.len ? part.len : LOOK_BYTES - data.len);
		cmd_charge_bytes(c, part.len);
	}
	input_close(&in);
	*out = buf_bytes(&data);
	return err < 0 ? err : 0;
}

static void guess_content(struct guess *g)
{
	static const char octets[] = "application/octet-stream";

	if (g->data.len == 0) {
		buf_puts(&g->text, "empty");
		g->mime = "application/x-empty";
		g->charset = "binary";
		return;
	}
	guess_encoding(g);
	cmd_charge_bytes(g->c, g->data.len);
	if (g->data.len == 1) {
		buf_puts(&g->text, "very short file (no magic)");
		g->mime = octets;
		g->charset = "binary";
		return;
	}
	bool soft = (g->skip & SKIP_SOFT) == 0;

	if ((soft && guess_elf(g)) || guess_binary(g) || (soft && guess_media(g)))
		return;
	if (g->text.len != 0)
		buf_puts(&g->text, ", ");
	if ((soft && guess_marked_text(g)) || guess_text(g))
		return;
	buf_puts(&g->text, "data");
	g->mime = octets;
}

/* --- answers --- */

/* The type as the options ask for it. */
static struct bytes answer(const struct file_opts *o, const struct guess *g)
{
	struct buf out = buf_in(g->c->arena);
	const char *extensions = o->extension ? guess_extensions(g) : NULL;

	if (o->extension && (extensions != NULL || !(o->mime_type || o->mime_encoding)))
		buf_puts(&out, extensions != NULL ? extensions : "???");
	else if (o->mime_type)
		buf_puts(&out, g->mime);
	if (o->mime_type && o->mime_encoding)
		buf_puts(&out, "; charset=");
	if (o->mime_encoding)
		buf_puts(&out, g->charset);
	if (!o->mime_type && !o->mime_encoding && !o->extension)
		buf_add(&out, buf_bytes(&g->text));
	return buf_bytes(&out);
}

static void put_answer(struct cmd *c, const struct file_opts *o, const struct guess *g)
{
	cmd_bytes(c, answer(o, g));
	cmd_putc(c, o->zeros > 1 ? '\0' : '\n');
}

/* "ERROR:[zlib: File too short]", or the same as a type. */
static void put_failure(struct buf *out, const struct file_opts *o, const char *error)
{
	if (!o->mime_type && !o->mime_encoding) {
		buf_printf(out, "ERROR:[%s]", error);
		return;
	}
	buf_puts(out, "application/x-decompression-error-");
	for (const char *at = error; *at != '\0'; at++)
		if (*at != ':')
			buf_putc(out, *at == ' ' ? '-' : *at);
}

/* -z: what is inside, and behind it the wrapping. False: it is not packed. */
static bool put_inside(struct cmd *c, const struct file_opts *o, const struct guess *g)
{
	struct guess inside = { .c = c, .text = buf_in(c->arena), .skip = g->skip };
	struct guess outside = inside;
	struct buf out = buf_in(c->arena);
	const char *error;
	bool mime = o->mime_type || o->mime_encoding;

	outside.data = g->data;
	outside.unpacked = inside.unpacked = true;
	if (o->unpack == UNPACK_NEVER || (g->skip & SKIP_COMPRESS) != 0 ||
	    !guess_unpack(c, g->data, &inside.data, &error))
		return false;
	guess_content(&outside);
	guess_content(&inside);
	if (!mime && !o->extension && g->text.len > 0)
		buf_printf(&out, "%.*s, ", (int)g->text.len, g->text.ptr);
	if (error != NULL)
		put_failure(&out, o, error);
	else
		buf_add(&out, answer(o, &inside));
	struct bytes wrapping = answer(o, &outside);

	if (o->unpack == UNPACK_BOTH && !mime)
		buf_printf(&out, " (%.*s)", (int)wrapping.len, wrapping.ptr);
	else if (o->unpack == UNPACK_BOTH && o->mime_type && o->mime_encoding)
		buf_printf(&out, " compressed-encoding=%.*s", (int)wrapping.len, wrapping.ptr);
	cmd_bytes(c, buf_bytes(&out));
	cmd_putc(c, o->zeros > 1 ? '\0' : '\n');
	return true;
}

/* Columns that a name takes. */
static size_t name_width(struct bytes name)
{
	size_t width = 0;

	for (size_t at = 0; at < name.len;) {
		uint32_t ch;
		size_t n = utf8_decode(name, at, &ch);
		int columns = n > 0 ? utf8_width(ch) : 1;

		width += columns > 0 ? (size_t)columns : 0;
		at += n > 0 ? n : 1;
	}
	return width;
}

static void put_name(struct cmd *c, const struct file_opts *o, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
	size_t len = name_width(bytes_of(name));

	if (o->brief)
		return;
	cmd_puts(c, name);
	if (o->zeros > 0)
		cmd_putc(c, '\0');
	if (o->zeros > 1)
		return;
	cmd_puts(c, o->separator);
	cmd_putc(c, ' ');
	for (size_t i = len; !o->no_pad && i < o->width; i++)
		cmd_putc(c, ' ');
}

/* What can't be looked at is an answer, too. */
static void cannot(struct cmd *c, struct file_opts *o, const char *path, int err)
{
	put_name(c, o, path);
	if (o->exit_on_error) {
		cmd_printf(c, "ERROR: cannot stat `%s' (%s)\n", path, err_text(err));
		o->failed = true;
		return;
	}
	cmd_printf(c, "cannot open `%s' (%s)\n", path, err_text(err));
}

static void look_inside(struct cmd *c, struct file_opts *o, const char *path, struct guess *g,
			bool executable)
{
	int err = read_start(c, path, &g->data);

	g->path = strcmp(path, "-") != 0 ? path : NULL;

	if (err < 0 && err != -E_ACCES) {
		cannot(c, o, path, err);
		return;
	}
	put_name(c, o, path);
	if (err == -E_ACCES) {
		buf_puts(&g->text, executable ? "executable, regular file, no read permission"
					      : "regular file, no read permission");
		g->mime = "text/plain";
		g->charset = "binary";
	} else if (put_inside(c, o, g)) {
		return;
	} else {
		guess_content(g);
	}
	put_answer(c, o, g);
}

static void look(struct cmd *c, struct file_opts *o, const char *path)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct guess g = { .c = c, .text = buf_in(c->arena), .skip = o->skip };
	bool standard = strcmp(path, "-") == 0;
	struct vfs_stat st = { .mode = S_REG, .size = 1 };
	int err = 0;

	if (!standard)
		err = o->follow ? cmd_stat(c, path, &st) : cmd_lstat(c, path, &st);
	if (err < 0) {
		cannot(c, o, path, err);
	} else if (guess_kind(&g, o, path, &st)) {
		put_name(c, o, path);
		put_answer(c, o, &g);
	} else {
		look_inside(c, o, path, &g, (st.mode & 0111) != 0);
	}
	arena_release(c->arena, mark);
}

static int name_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct file_opts *o = c->opts;
	struct bytes all;
	int err = cmd_read_all(c, arg, &all);

	(void)opt;
	if (err < 0)
		cmd_fatal(c, 0, "Cannot open `%s' (%s)", arg, err_text(err));
	o->listed = true;
	/* All names first: they say how wide the column is. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t from = 0; from < all.len;) {
			const char *newline = memchr(all.ptr + from, '\n', all.len - from);
			size_t to = newline != NULL ? (size_t)(newline - all.ptr) : all.len;
			struct bytes line = bytes_slice(all, from, to);

			if (pass == 1)
				look(c, o, arena_dup(c->arena, line));
			else if (name_width(line) > o->width)
				o->width = name_width(line);
			from = to + 1;
			cmd_charge(c, 1);
		}
	return 0;
}

static int file_run(struct cmd *c)
{
	struct file_opts *o = c->opts;

	if (c->nargs == 0 && !o->listed)
		return put_usage(c);
	o->width = 0;
	for (int i = 0; i < c->nargs; i++) {
		const char *name = strcmp(c->args[i], "-") == 0 ? "/dev/stdin" : c->args[i];
		size_t len = name_width(bytes_of(name));

		o->width = len > o->width ? len : o->width;
	}
	for (int i = 0; i < c->nargs; i++)
		look(c, o, c->args[i]);
	return o->failed;
}

const struct builtin builtin_file = {
	.name = "file",
	.usage = "[OPTION...] [FILE...]",
	.summary = "Tells what FILEs contain.",
	.run = file_run,
	.opts = file_options,
	.opts_size = sizeof(struct file_opts),
	.family = "file 5.44",
	.version = "file-5.44",
};
