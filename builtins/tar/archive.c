/* SPDX-License-Identifier: MIT
 *
 * tar's archive as a stream of blocks: a file or a pipe, maybe through a filter program, which
 * runs beside tar as gzip does beside GNU's.
 */
#include "builtins/tar/tar.h"

enum { READ_CAP = 65536, ARGS_MAX = 16 };

struct filter {
	const char *suffix; /* between ".tar." or "." and the end */
	const char *short_suffix;
	const char *program;
	const char *magic;
	size_t magic_len;
};

static const struct filter filters[] = {
	{ "gz", "tgz", "gzip", "\037\213", 2 },   { "bz2", "tbz2", "bzip2", "BZh", 3 },
	{ "bz2", "tbz", "bzip2", "BZh", 3 },      { "bz2", "tz2", "bzip2", "BZh", 3 },
	{ "xz", "txz", "xz", "\3757zXZ", 5 },     { "zst", "tzst", "zstd", "\050\265\057\375", 4 },
	{ "lzma", "tlz", "lzma", "\135\0\0", 3 }, { "lz", NULL, "lzip", "LZIP", 4 },
	{ "lzo", NULL, "lzop", "\211LZO", 4 },    { "Z", "taZ", "compress", "\037\235", 2 },
	{ NULL, "taz", "gzip", "\037\213", 2 },
};
enum { NFILTERS = sizeof filters / sizeof filters[0] };

const char *archive_filter_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (int i = 0; dot != NULL && i < NFILTERS; i++) {
		const struct filter *f = &filters[i];

		if ((f->suffix != NULL && strcmp(dot + 1, f->suffix) == 0) ||
		    (f->short_suffix != NULL && strcmp(dot + 1, f->short_suffix) == 0))
			return f->program;
	}
	return NULL;
}

static const char *filter_by_magic(const char *head, size_t n)
{
	for (int i = 0; i < NFILTERS; i++)
		if (n >= filters[i].magic_len &&
		    memcmp(head, filters[i].magic, filters[i].magic_len) == 0)
			return filters[i].program;
	return NULL;
}

/* --- filters --- */

/* Starts the filter between fd and a pipe, whose other end becomes the archive. */
static void start_filter(struct tar *t, const char *program, bool decode)
{
	struct cmd *c = t->c;
	char *argv[ARGS_MAX + 2] = { NULL };
	char *text = arena_dup(c->arena, bytes_of(program));
	static char flag[] = "-d";
	int n = 0;
	int ends[2];

	for (char *at = text + strspn(text, " "); *at != '\0' && n < ARGS_MAX;
	     at += strspn(at, " ")) {
		argv[n++] = at;
		at += strcspn(at, " ");
		if (*at != '\0')
			*at++ = '\0';
	}
	if (n == 0)
		tar_fatal(t, 0, "Invalid compression program");
	if (decode)
		argv[n++] = flag;
	int err = cmd_pipe(c, ends);

	if (err < 0)
		tar_fatal(t, err, "Cannot open pipe");
	int fds[] = { decode ? t->a.fd : ends[0], decode ? ends[1] : t->a.fd, 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };

	t->a.pid = cmd_spawn(c, &prog);
	if (t->a.pid < 0) {
		cmd_error(c, t->a.pid, "%s: Cannot exec", argv[0]);
		cmd_error(c, 0, "Error is not recoverable: exiting now");
		t->a.pid = 0;
		tar_fatal(t, 0, "Child returned status 2");
	}
	if (t->a.fd > 2)
		cmd_close(c, t->a.fd);
	cmd_close(c, ends[decode ? 1 : 0]);
	t->a.fd = ends[decode ? 0 : 1];
	t->a.seekable = false;
	t->a.fifo = true;
}

static void wait_filter(struct tar *t)
{
	int status = 0;
	int pid = t->a.pid;

	t->a.pid = 0;
	if (pid == 0 || cmd_wait(t->c, pid, &status, false) < 0)
		return;
	if ((status & 0x7f) != 0 && (status & 0x7f) != 13)
		tar_fatal(t, 0, "Child died with signal %d", status & 0x7f);
	if ((status & 0x7f) == 0 && status >> 8 != 0)
		tar_fatal(t, 0, "Child returned status %d", status >> 8);
}

/* --- opening --- */

static bool is_stream(const struct tar *t)
{
	return strcmp(t->file, "-") == 0;
}

static void look_at(struct tar *t)
{
	struct vfs_stat st;
	int err = cmd_fstat(t->c, t->a.fd, &st);

	t->a.seekable = err == 0 && (st.mode & S_FMT) == S_REG;
	t->a.fifo = err == 0 && (st.mode & S_FMT) == S_FIFO;
	if (t->a.seekable)
		t->a.own = st;
}

static void refuse_terminal(struct tar *t, const char *what)
{
	if (is_stream(t) && cmd_isatty(t->c, t->a.fd))
		tar_fatal(t, 0, "Refusing to %s terminal (missing -f option?)", what);
}

static void start_reading(struct tar *t)
{
	t->a.cap = READ_CAP;
	t->a.buf = pool_alloc(t->c->pool, t->a.cap);
}

static void compact(struct tar_archive *a)
{
	if (a->from == 0)
		return;
	memmove(a->buf, a->buf + a->from, a->to - a->from);
	a->base += a->from;
	a->to -= a->from;
	a->from = 0;
}

/* Reads until n bytes are in the buffer, or the end. */
static void fill(struct tar *t, size_t n)
{
	struct tar_archive *a = &t->a;

	compact(a);
	while (a->to < n && !a->at_end) {
		int64_t got = cmd_read(t->c, a->fd, a->buf + a->to, a->cap - a->to);

		if (got < 0)
			tar_fatal(t, (int)got, "%s: Cannot read", tar_quote(t, t->file));
		if (got == 0 && t->volumes.wanted && !t->volumes.inside) {
			volumes_next_read(t);
			compact(a);
			continue;
		}
		a->at_end = got == 0;
		a->to += (size_t)got;
		cmd_charge_bytes(t->c, (size_t)got);
	}
}

/* What the first bytes say of a filter. */
static void detect_filter(struct tar *t)
{
	struct tar_archive *a = &t->a;

	fill(t, TAR_BLOCK);
	const char *program = filter_by_magic(a->buf, a->to);
	int64_t sum;

	/* lzma has hardly a magic: what has a good checksum is an archive. */
	if (program != NULL && a->to == TAR_BLOCK && program[0] == 'l' &&
	    tar_number(a->buf + 148, 8, &sum) && sum > 0)
		return;
	if (program == NULL) {
		if (a->to < TAR_BLOCK)
			tar_error(t, 0, "This does not look like a tar archive");
		return;
	}
	if (!a->seekable) {
		const char *option = strcmp(program, "gzip") == 0    ? "-z"
				     : strcmp(program, "bzip2") == 0 ? "-j"
				     : strcmp(program, "xz") == 0    ? "-J"
				     : strcmp(program, "zstd") == 0  ? "--zstd"
				     : strcmp(program, "lzma") == 0  ? "--lzma"
				     : strcmp(program, "lzip") == 0  ? "--lzip"
				     : strcmp(program, "lzop") == 0  ? "--lzop"
								     : "-Z";

		tar_fatal(t, 0, "Archive is compressed. Use %s option", option);
	}
	cmd_seek(t->c, a->fd, -(int64_t)a->to, 1);
	a->from = a->to = 0;
	a->at_end = false;
	start_filter(t, program, true);
}

void archive_open_read(struct tar *t)
{
	struct tar_archive *a = &t->a;

	a->fd = 0;
	if (!is_stream(t))
		a->fd = cmd_open(t->c, CMD_CWD, t->file, O_RDONLY_ | O_CLOEXEC_, 0);
	if (a->fd < 0)
		tar_fatal(t, a->fd, "%s: Cannot open", tar_quote(t, t->file));
	refuse_terminal(t, "read archive contents from");
	look_at(t);
	start_reading(t);
	if (t->filter != NULL)
		start_filter(t, t->filter, true);
	else
		detect_filter(t);
}

void archive_open_write(struct tar *t)
{
	struct tar_archive *a = &t->a;

	a->fd = 1;
	if (!is_stream(t) && !tar_backup(t, t->file))
		tar_fatal(t, 0, NULL);
	if (!is_stream(t))
		a->fd = cmd_open(t->c, CMD_CWD, t->file,
				 O_WRONLY_ | O_CREAT_ | O_TRUNC_ | O_CLOEXEC_, 0666);
	if (a->fd < 0)
		tar_fatal(t, a->fd, "%s: Cannot open", tar_quote(t, t->file));
	refuse_terminal(t, "write archive contents to");
	look_at(t);
	if (t->filter != NULL)
		start_filter(t, t->filter, false);
	output_init(&a->out, t->c, a->fd, true);
	a->out.by_line = false;
	a->open_write = true;
}

void archive_open_update(struct tar *t)
{
	struct tar_archive *a = &t->a;
	unsigned flags = O_RDWR_ | O_CLOEXEC_;

	if (t->mode == TAR_APPEND || t->mode == TAR_UPDATE || t->mode == TAR_CONCAT)
		flags |= O_CREAT_;
	if (t->filter != NULL)
		tar_fatal(t, 0, "Cannot update compressed archives");
	a->fd = is_stream(t) ? 0 : cmd_open(t->c, CMD_CWD, t->file, flags, 0666);
	if (a->fd < 0)
		tar_fatal(t, a->fd, "%s: Cannot open", tar_quote(t, t->file));
	look_at(t);
	start_reading(t);
	fill(t, TAR_BLOCK);
	if (filter_by_magic(a->buf, a->to) != NULL && a->to > 3 && a->buf[0] != ']')
		tar_fatal(t, 0, "Cannot update compressed archives");
}

/* Tells how many records have passed, every so many. */
static void checkpoint(struct tar *t, const char *what, uint64_t bytes)
{
	uint64_t record = t->factor * TAR_BLOCK;

	while (bytes / record >= t->a.next_checkpoint + t->checkpoint) {
		t->a.next_checkpoint += t->checkpoint;
		if (t->checkpoint_dots)
			cmd_write_fd(t->c, 1, ".", 1);
		else
			tar_warn(t, 0, "%s checkpoint %llu", what,
				 (unsigned long long)t->a.next_checkpoint);
		cmd_charge(t->c, 1);
	}
}

/* --- reading --- */

const char *archive_block(struct tar *t)
{
	struct tar_archive *a = &t->a;

	if (a->to - a->from < TAR_BLOCK)
		fill(t, TAR_BLOCK);
	if (a->to - a->from < TAR_BLOCK)
		return NULL;
	a->from += TAR_BLOCK;
	if (t->checkpoint != 0)
		checkpoint(t, "Read", a->base + a->from + t->factor * TAR_BLOCK - TAR_BLOCK);
	return a->buf + a->from - TAR_BLOCK;
}

struct bytes archive_data(struct tar *t, uint64_t max)
{
	struct tar_archive *a = &t->a;

	if (a->from == a->to)
		fill(t, 1);
	size_t n = a->to - a->from;

	if (n > max)
		n = (size_t)max;
	a->from += n;
	t->volumes.left -= t->volumes.left < n ? t->volumes.left : n;
	return (struct bytes){ a->buf + a->from - n, n };
}

static _Noreturn void cut(struct tar *t)
{
	tar_error(t, 0, "Unexpected EOF in archive");
	tar_fatal(t, 0, NULL);
}

/* Jumps over data of a file that was not read yet. */
static uint64_t seek_over(struct tar *t, uint64_t n)
{
	struct tar_archive *a = &t->a;
	struct vfs_stat st;
	uint64_t have = a->to - a->from;

	if (!a->seekable || t->volumes.wanted || n < have + READ_CAP ||
	    cmd_fstat(t->c, a->fd, &st) < 0)
		return n;
	uint64_t at = a->base + a->from;

	if (n > st.size || at > st.size - n)
		cut(t);
	a->base = at + n;
	a->from = a->to = 0;
	cmd_seek(t->c, a->fd, (int64_t)a->base, 0);
	return 0;
}

void archive_skip(struct tar *t, uint64_t n)
{
	uint64_t pad = (TAR_BLOCK - n % TAR_BLOCK) % TAR_BLOCK;

	if (n > UINT64_MAX - pad)
		cut(t);
	n = seek_over(t, n + pad);
	while (n > 0) {
		size_t got = archive_data(t, n).len;

		if (got == 0)
			cut(t);
		n -= got;
	}
}

void archive_skip_padding(struct tar *t, uint64_t n)
{
	uint64_t pad = (TAR_BLOCK - n % TAR_BLOCK) % TAR_BLOCK;

	while (pad > 0) {
		size_t got = archive_data(t, pad).len;

		if (got == 0)
			cut(t);
		pad -= got;
	}
}

uint64_t archive_tell(const struct tar *t)
{
	return t->a.base + t->a.from;
}

void archive_close_read(struct tar *t)
{
	struct tar_archive *a = &t->a;

	/* What writes into the pipe is not to die of it. */
	while (a->fifo && !a->at_end) {
		a->from = a->to;
		fill(t, 1);
	}
	if (a->fd > 2)
		cmd_close(t->c, a->fd);
	wait_filter(t);
}

/* --- writing --- */

static void check_written(struct tar *t)
{
	int err = t->a.out.err;

	if (err == 0)
		return;
	t->a.out.err = 0;
	if (err == -E_PIPE)
		cmd_die(t->c, 13);
	tar_fatal(t, err, "%s: Cannot write", tar_quote(t, t->file));
}

/* Ends this volume and begins the next. */
static void turn_volume(struct tar *t)
{
	output_flush(&t->a.out);
	check_written(t);
	volumes_next_write(t);
}

static void write_bytes(struct tar *t, const void *data, size_t n)
{
	output_write(&t->a.out, data, n);
	t->a.written += n;
	t->volumes.left -= t->volumes.left < n ? t->volumes.left : n;
	cmd_charge_bytes(t->c, n);
	check_written(t);
}

void archive_write(struct tar *t, const void *data, size_t n)
{
	for (size_t at = 0; at < n;) {
		uint64_t room = volumes_room(t);

		if (room == 0) {
			turn_volume(t);
			continue;
		}
		size_t step = n - at < room ? n - at : (size_t)room;

		write_bytes(t, (const char *)data + at, step);
		at += step;
	}
	if (t->checkpoint != 0)
		checkpoint(t, "Write", t->a.base + t->a.written);
}

void archive_pad(struct tar *t, uint64_t n)
{
	static const char zeros[TAR_BLOCK];

	if (n % TAR_BLOCK != 0)
		archive_write(t, zeros, TAR_BLOCK - n % TAR_BLOCK);
}

/* Two blocks of zeros, and more to the end of a record. */
void archive_end(struct tar *t)
{
	static const char zeros[TAR_BLOCK];
	struct tar_archive *a = &t->a;
	uint64_t record = t->factor * TAR_BLOCK;

	archive_write(t, zeros, TAR_BLOCK);
	archive_write(t, zeros, TAR_BLOCK);
	while ((a->base + a->written) % record != 0)
		archive_write(t, zeros, TAR_BLOCK);
	output_flush(&a->out);
	check_written(t);
	if (a->fd > 2)
		cmd_close(t->c, a->fd);
	a->open_write = false;
	wait_filter(t);
}

void archive_rewrite(struct tar *t, uint64_t offset)
{
	struct tar_archive *a = &t->a;

	if (!a->seekable)
		tar_fatal(t, 0, "%s: Cannot seek", tar_quote(t, t->file));
	cmd_seek(t->c, a->fd, (int64_t)offset, 0);
	cmd_truncate_fd(t->c, a->fd, offset);
	a->base = offset;
	a->written = 0;
	output_init(&a->out, t->c, a->fd, true);
	a->open_write = true;
}

bool archive_is(struct tar *t, const struct vfs_stat *st)
{
	return t->a.own.ino != 0 && t->a.own.ino == st->ino && t->a.own.dev == st->dev;
}
