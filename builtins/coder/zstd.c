/* SPDX-License-Identifier: MIT
 *
 * zstd, unzstd, zstdcat - fast compression.
 * Reference: zstd 1.5.4. Not here: threads, benchmarks, making dictionaries, LZ4.
 */
#include "builtins/coder/zstd.h"

enum {
	LEVEL_MAX = 19,
	CHECK_CRC64 = 4,
	XZ_DICTIONARY_MAX = 32 << 20,
	LEVEL_ULTRA = 22,
	DICT_MAX = 32 << 20,
	LEVEL_DEFAULT = 3,
	WINDOW_LOG_MAX = 27,
	WINDOW_MIN = 1 << 10,
	ERROR_LIBRARY = 11, /* the status when libzstd refuses something */
};

#define WINDOW_MAX (UINT64_C(1) << 31)
#define BANNER     "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***"

void zstd_put(struct zstd *z, int display, const char *format, ...)
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

void zstd_put_size(struct buf *out, uint64_t n, bool table)
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
static const struct zstd_format *find_format(struct zstd *z, struct coder *k)
{
	uint8_t head[6] = { 0 };
	const char *h = (const char *)head;

	if (coder_peek(k, head, 6) < 4)
		return NULL;
	z->window = zstd_window(head);
	z->reserved = head[4] & 8;
	for (size_t i = 0; i < ZSTD_FORMATS; i++)
		if (memcmp(h, zstd_formats[i].magic.ptr, zstd_formats[i].magic.len) == 0)
			return &zstd_formats[i];
	return (h[0] & 0xf0) == 0x50 && memcmp(h + 1, "\x2a\x4d\x18", 3) == 0 ? zstd_formats : NULL;
}

/* The largest window that is unpacked. */
uint64_t zstd_memory_max(const struct zstd *z)
{
	int log = z->params[CODEC_ZSTD_WINDOW_LOG];

	if (z->memory_max != 0)
		return z->memory_max;
	return UINT64_C(1) << (log > 0 && log < 32 ? log : WINDOW_LOG_MAX);
}

/* zlib's and liblzma's errors are told by their numbers. */
static bool failed_other(struct zstd *z, enum codec_kind kind, const char *name,
			 enum codec_result result)
{
	bool lzma = kind != CODEC_DEFLATE;

	if (result == CODEC_MORE)
		zstd_put(z, 1, "zstd: %s: premature %s end \n", name, lzma ? "lzma" : "gz");
	else if (lzma)
		zstd_put(z, 1, "zstd: %s: lzma_code decoding error %d \n", name,
			 result == CODEC_MEMORY    ? 6
			 : result == CODEC_OPTIONS ? 8
						   : 9);
	else
		zstd_put(z, 1, "zstd: %s: inflate error -3 \n", name);
	z->status = 1;
	return false;
}

static const char *fault_text(const struct zstd *z, enum codec_result result)
{
	switch (result) {
	case CODEC_MEMORY: return "Frame requires too much memory for decoding";
	case CODEC_BAD_CHECK: return "Restored data doesn't match checksum";
	case CODEC_OPTIONS:
		return z->reserved ? "Unsupported frame parameter" : "Dictionary mismatch";
	default: return "Data corruption detected";
	}
}

/* What would be enough. */
static void put_window(struct zstd *z, const char *name)
{
	uint64_t window = z->window;
	unsigned bits = 0;

	while (UINT64_C(1) << bits < window)
		bits++;
	zstd_put(z, 1,
		 "%s : Window size larger than maximum : %llu > %llu \n"
		 "%s : Use --long=%u or --memory=%lluMB \n",
		 name, (unsigned long long)window, (unsigned long long)zstd_memory_max(z), name,
		 bits, (unsigned long long)((window + (1 << 20) - 1) >> 20));
}

static bool failed(struct zstd *z, enum codec_kind kind, const char *name, enum codec_result result)
{
	if (kind != CODEC_ZSTD)
		return failed_other(z, kind, name, result);
	if (result == CODEC_MORE)
		zstd_put(z, 1, "%s : Read error (39) : premature end \n", name);
	else
		zstd_put(z, 1, "%s : Decoding error (36) : %s \n", name, fault_text(z, result));
	if (result == CODEC_MEMORY && z->window > zstd_memory_max(z))
		put_window(z, name);
	z->status = 1;
	return false;
}

static bool passes_through(const struct zstd *z)
{
	return z->pass_through != 0 ? z->pass_through > 0 : z->force && z->to_stdout;
}

static bool refused(struct zstd *z, const char *text)
{
	zstd_put(z, 1, "zstd: error 11 : %s \n", text);
	z->status = ERROR_LIBRARY;
	z->stopped = true;
	return false;
}

/* All frames. False after a message. */
static bool unpack(struct zstd *z, struct coder *k, const char *name)
{
	uint8_t head[4];

	if (zstd_memory_max(z) < WINDOW_MIN || zstd_memory_max(z) > WINDOW_MAX)
		return refused(z, "Parameter is out of bound");

	if (coder_peek(k, head, 1) == 0) {
		zstd_put(z, 1, "zstd: %s: unexpected end of file \n", name);
		z->status = 1;
		return false;
	}
	while (coder_peek(k, head, 1) == 1) {
		const struct zstd_format *format = find_format(z, k);

		if (format == NULL && passes_through(z)) {
			coder_copy(k);
			z->passed = true;
			return true;
		}
		if (format == NULL) {
			zstd_put(z, 1, "zstd: %s: %s \n", name,
				 coder_peek(k, head, 4) < 4 ? "unknown header"
							    : "unsupported format");
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

/* False after a message: the encoder can't do what was asked for, which ends the run. */
static bool pack(struct zstd *z, struct coder *k)
{
	enum codec_result result = coder_stream(k);

	if (result == CODEC_END)
		return true;
	return refused(z, result == CODEC_OPTIONS ? "Parameter is out of bound"
						  : "Src size is incorrect");
}

static void set_options(struct zstd *z, struct coder *k, uint64_t size)
{
	cmd_charge_bytes(z->c, z->dict.len);
	k->options = (struct codec_options){ .kind = CODEC_ZSTD,
					     .decode = z->decompress,
					     .level = z->level,
					     .check = !z->no_check,
					     .zstd = z->params,
					     .memory_max = zstd_memory_max(z),
					     .unverified = z->no_check,
					     .dict = z->dict,
					     .prefix = z->patch_from != NULL,
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
		zstd_put(z, 2, "%-20s: %llu bytes \n", name, (unsigned long long)k->bytes_out);
		return;
	}
	buf_printf(&text, "%-20s :", name);
	if (k->bytes_in > 0) {
		put_share(&text, k->bytes_out, k->bytes_in, 6);
		buf_puts(&text, "   (");
	} else {
		buf_puts(&text, "  (");
	}
	zstd_put_size(&text, k->bytes_in, false);
	buf_puts(&text, " => ");
	zstd_put_size(&text, k->bytes_out, false);
	buf_printf(&text, ", %s) \n", to);
	zstd_put(z, 2, "%s", buf_cstr(&text));
}

/* --- files --- */

/* The name without the suffix of its format, or NULL. */
static const char *plain_name(struct zstd *z, const char *name)
{
	for (size_t i = 0; i < ZSTD_FORMATS; i++) {
		const struct zstd_format *f = &zstd_formats[i];

		if (coder_has_suffix(name, f->suffix))
			return coder_replace_suffix(z->c, name, f->suffix, "");
		if (f->tar_suffix != NULL && coder_has_suffix(name, f->tar_suffix))
			return coder_replace_suffix(z->c, name, f->tar_suffix, ".tar");
	}
	return NULL;
}

static bool has_parent_part(const char *name)
{
	for (const char *at = name; at != NULL; at = strchr(at, '/')) {
		at += strspn(at, "/");
		if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == '\0'))
			return true;
	}
	return false;
}

static void make_dir(struct zstd *z, const char *dir, uint32_t mode)
{
	int err = cmd_mkdir(z->c, CMD_CWD, dir, mode & 0777);

	if (err < 0 && err != -E_EXIST)
		zstd_put(z, 1, "zstd: failed to create DIR %s: %s\n", dir, err_text(err));
}

/* DIR/a/b/FILE for a/b/FILE, whose directories are made as they are needed. NULL: no. */
static const char *mirrored(struct zstd *z, const char *name)
{
	struct buf to = buf_in(z->c->arena);
	const char *at = name;
	const char *slash;

	if (has_parent_part(name))
		return NULL;
	while (*at == '/' || (at[0] == '.' && at[1] == '/'))
		at++;
	buf_puts(&to, z->mirror_dir);
	make_dir(z, buf_cstr(&to), 0777);
	if (to.ptr[to.len - 1] != '/')
		buf_putc(&to, '/');
	for (; (slash = strchr(at, '/')) != NULL; at = slash) {
		struct bytes dir = { name, (size_t)(slash - name) };
		struct vfs_stat st = { .mode = 0777 };

		buf_put(&to, at, (size_t)(slash - at));
		/* With the permissions of the directory it stands for. */
		cmd_stat(z->c, arena_dup(z->c->arena, dir), &st);
		make_dir(z, buf_cstr(&to), st.mode);
		size_t slashes = strspn(slash, "/");

		/* Of the last ones only one is kept. */
		buf_put(&to, slash, strchr(slash + slashes, '/') != NULL ? slashes : 1);
		slash += slashes;
	}
	buf_puts(&to, at);
	return buf_cstr(&to);
}

/* Where it goes below --output-dir-flat or --output-dir-mirror; NULL after a message. */
static const char *placed(struct zstd *z, const char *name)
{
	struct buf to = buf_in(z->c->arena);
	const char *slash = strrchr(name, '/');
	const char *found;

	if (z->flat_dir != NULL) {
		size_t len = strlen(z->flat_dir);

		buf_printf(&to, "%s%s%s", z->flat_dir, z->flat_dir[len - 1] != '/' ? "/" : "",
			   slash != NULL ? slash + 1 : name);
		return buf_cstr(&to);
	}
	found = mirrored(z, name);
	if (found == NULL) {
		zstd_put(z, 1, "zstd: --output-dir-mirror cannot %s '%s' into '%s' \n",
			 z->decompress ? "decompress" : "compress", name, z->mirror_dir);
		z->status = 1;
	}
	return found;
}

static const char *output_name(struct zstd *z, const char *name)
{
	const char *to = name;

	if (z->output != NULL)
		return z->output;
	if (z->decompress && (to = plain_name(z, name)) == NULL) {
		zstd_put(z, 1,
			 "zstd: %s: unknown suffix "
			 "(.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). "
			 "Can't derive the output file name. Specify it with -o dstFileName. "
			 "Ignoring.\n",
			 name);
		z->status = 1;
		return NULL;
	}
	if (z->flat_dir != NULL || z->mirror_dir != NULL)
		to = placed(z, to);
	if (to == NULL || z->decompress)
		return to;
	return coder_add_suffix(z->c, to, z->format != NULL ? z->format->suffix : ".zst");
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
		zstd_put(z, 1, "zstd: %s already exists; not overwritten  \n", to);
		return false;
	}
	zstd_put(z, 1, "zstd: %s already exists; overwrite (y/n) ? ", to);
	yes = says_yes(z);
	if (!yes)
		zstd_put(z, 1, "Not overwritten  \n \n");
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
		zstd_put(z, 1, "zstd: %s: %s\n", to, err_text(err));
		z->status = 1;
	}
	return err == 0;
}

static void work(struct zstd *z, struct coder *k, const char *name, const char *to)
{
	bool good = true;

	z->passed = false;
	if (!open_output(z, k, to))
		return;
	if (z->decompress)
		good = unpack(z, k, name);
	else
		good = pack(z, k);
	/* A shared file is only flushed, whatever became of this input. */
	if (good)
		coder_finish(k);
	else
		coder_discard(k);
	if (z->sharing)
		z->shared.out = k->out;
	if (good && !z->passed)
		put_result(z, k, name, to != NULL ? to : "/*stdout*\\");
}

/* Without a name for it the output is standard output, for this input only. */
static void do_stdin(struct zstd *z)
{
	bool to_stdout = z->to_stdout;
	struct coder k;

	if (!z->force && cmd_isatty(z->c, 0)) {
		zstd_put(z, 1, "stdin is a console, aborting\n");
		z->status = 1;
		return;
	}
	z->to_stdout |= z->output == NULL;
	set_options(z, &k, z->stream_size != 0 ? z->stream_size : UINT64_MAX);
	coder_begin(&k, z->c, 0, "-");
	work(z, &k, "/*stdin*\\", z->output);
	coder_end(&k);
	z->to_stdout = to_stdout;
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
			zstd_put(z, 2, "Warning : %s is a symbolic link, ignoring \n", name);
			z->status = 1;
			return;
		}
		err = cmd_stat(z->c, name, &st);
	}
	if (err < 0) {
		zstd_put(z, 1, "zstd: can't stat %s : %s -- ignored \n", name, err_text(err));
		z->status = 1;
		return;
	}
	if ((st.mode & S_FMT) == S_DIR) {
		zstd_put(z, 1, "zstd: %s is a directory -- ignored \n", name);
		z->status = 1;
		return;
	}
	fd = cmd_open(z->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);
	if (fd < 0) {
		zstd_put(z, 1, "zstd: %s: %s \n", name, err_text(fd));
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
	if (!z->stopped)
		z->status |= before;
}

/* --- names --- */

static void add_name(struct zstd *z, const char *name)
{
	buf_put(&z->names, name, strlen(name) + 1);
}

/* All names first: new files must not be met on the way. */
static void add_tree(struct zstd *z, const char *root)
{
	struct walk *w = walk_new(z->c, root, WALK_FOLLOW_ROOT);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_FILE)
			add_name(z, e->path);
		cmd_charge(z->c, 1);
	}
	walk_free(w);
}

/* False after a message. */
static bool add_list(struct zstd *z, const char *list)
{
	struct vfs_stat st;
	struct bytes text;

	if (cmd_stat(z->c, list, &st) < 0 || (st.mode & S_FMT) != S_REG || st.size == 0 ||
	    cmd_read_all(z->c, list, &text) < 0) {
		zstd_put(z, 1, "zstd: error reading %s \n", list);
		return false;
	}
	cmd_charge_bytes(z->c, text.len);
	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;

		buf_put(&z->names, text.ptr, len);
		buf_putc(&z->names, '\0');
		len += end != NULL;
		text = (struct bytes){ text.ptr + len, text.len - len };
	}
	return true;
}

/* The inputs: operands, what is in their directories with -r, and names in files. */
static bool collect_names(struct zstd *z)
{
	size_t n = 0;

	z->names = buf_in(z->c->arena);
	for (int i = 0; i < z->c->nfiles; i++) {
		const char *name = z->c->files[i];
		struct vfs_stat st;

		if (z->c->nargs == 0 && z->lists.len > 0)
			break;
		if (z->recursive && cmd_stat(z->c, name, &st) == 0 && (st.mode & S_FMT) == S_DIR)
			add_tree(z, name);
		else
			add_name(z, name);
	}
	for (size_t at = 0; at < z->lists.len; at += strlen(z->lists.ptr + at) + 1)
		if (!add_list(z, z->lists.ptr + at))
			return false;
	for (size_t at = 0; at < z->names.len; at += strlen(z->names.ptr + at) + 1)
		n++;
	z->several = n > 1;
	return true;
}

/* --- -D --- */

/* A dictionary that is damaged is noticed by the library when it is loaded. */
static int check_dict(struct zstd *z)
{
	struct codec_options options = {
		.kind = CODEC_ZSTD,
		.decode = true,
		.dict = z->dict,
		.size = UINT64_MAX,
		.prefix = z->patch_from != NULL,
	};
	struct codec codec;
	bool good = codec_start(&codec, z->c->pool, &options);

	codec_stop(&codec);
	cmd_charge_bytes(z->c, z->dict.len);
	if (good)
		return 0;
	zstd_put(z, 1, "zstd: error 11 : Allocation error : not enough memory \n");
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
		zstd_put(z, 1, "zstd: error 31 : Stat failed on dictionary file %s: %s \n", name,
			 err_text(err));
		return 31;
	}
	if ((st.mode & S_FMT) != S_REG) {
		zstd_put(z, 1, "zstd: error 32 : Dictionary %s must be a regular file. \n", name);
		return 32;
	}
	err = st.size > DICT_MAX ? -E_FBIG : cmd_read_all(z->c, name, &z->dict);
	if (err < 0) {
		zstd_put(z, 1, "zstd: error 33 : Couldn't open dictionary %s: %s \n", name,
			 err_text(err));
		return 33;
	}
	return check_dict(z);
}

/* --- -o with several inputs --- */

static bool agrees(struct zstd *z)
{
	if (z->display < 2 && !z->force) {
		zstd_put(z, 0,
			 "Concatenating multiple processed inputs into a single output loses file "
			 "metadata. \nAborting. \n");
		return false;
	}
	zstd_put(z, 2,
		 "zstd: WARNING: all input files will be processed and concatenated into a single "
		 "output file: %s \n"
		 "The concatenated output CANNOT regenerate original file names nor directory "
		 "structure. \n",
		 z->output);
	if (z->remove)
		zstd_put(z, 2,
			 "Since it's a destructive operation, input files will not be removed. \n");
	z->remove = false;
	if (z->force)
		return true;
	zstd_put(z, 2, "Proceed? (y/n): ");
	if (says_yes(z))
		return true;
	zstd_put(z, 2, "Aborting... \n");
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
		zstd_put(z, 2, "%d files decompressed : %6llu bytes total \n", z->files,
			 (unsigned long long)z->out_total);
		return;
	}
	if (z->in_total > 0) {
		put_share(&text, z->out_total, z->in_total, 0);
		buf_putc(&text, ' ');
	}
	buf_putc(&text, '(');
	zstd_put_size(&text, z->in_total, true);
	buf_puts(&text, " => ");
	zstd_put_size(&text, z->out_total, true);
	zstd_put(z, 2, "%3d files compressed : %s)\n", z->files, buf_cstr(&text));
}

static void do_all(struct zstd *z)
{
	for (size_t at = 0; at < z->names.len && !z->stopped; at += strlen(z->names.ptr + at) + 1) {
		const char *name = z->names.ptr + at;

		if (strcmp(name, "-") == 0)
			do_stdin(z);
		else if (z->exclude_compressed && !z->decompress && plain_name(z, name) != NULL)
			z->files++;
		else
			do_file(z, name);
	}
}

static int zstd_run(struct cmd *c)
{
	struct zstd *z = c->opts;
	int max = z->ultra ? LEVEL_ULTRA : LEVEL_MAX;

	if (z->level > max) {
		zstd_put(z, 2, "Warning : compression level higher than max, reduced to %d \n",
			 max);
		z->level = max;
	}
	zstd_put(z, 3, "%s\n", BANNER);
	if (z->decompress && !z->test && !z->list && z->threads > 1)
		zstd_put(z, 2, "Warning : decompression does not support multi-threading\n");
	if (!collect_names(z))
		return 1;
	if (z->list)
		return zstd_list(z);
	int err = zstd_check_patch(z);

	if (err == 0)
		err = read_dict(z);
	if (err != 0)
		return err;
	if (!zstd_begin_patch(z))
		return 1;
	if (z->output != NULL && strcmp(z->output, "-") == 0)
		z->to_stdout = true;
	if (z->several && z->output != NULL && !z->to_stdout && !z->test && !share_output(z))
		return 1;
	/* Results are not told when the output itself is looked at. */
	if (z->to_stdout || (!z->several && !z->test && z->output == NULL && z->names.len == 2 &&
			     z->names.ptr[0] == '-'))
		z->display -= z->display == 2;
	do_all(z);
	if (z->sharing)
		output_close(&z->shared.out);
	if (!z->stopped)
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
	zstd_read_environment(z);
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
