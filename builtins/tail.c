/* SPDX-License-Identifier: MIT
 *
 * tail - write the last lines or bytes of files.
 *
 * A regular file is looked at from its end; of a pipe only what may still be the end is kept.
 * Following (-f) polls twenty times a second of the session's clock, as GNU is told of changes.
 */
#include "builtins/builtin.h"

enum { BLOCK = 8192 };

struct tail_opts {
	bool bytes;
	bool from_start; /* +N */
	uint64_t count;
	bool quiet;
	bool verbose;
	bool zero;
	bool follow;
	bool by_name;
	bool retry;
	int64_t interval_ns;
	int pid;
	bool headers;
	int header_of; /* index of the file whose header was written last, -1: none */
	char end;
};

/* A file that is followed. */
struct followed {
	const char *path;
	int fd; /* -1: not there */
	uint64_t pos;
	vfs_ino ino;
	bool missing; /* said so */
};

static int set_number(struct cmd *c, bool bytes, const char *arg)
{
	struct tail_opts *o = c->opts;

	o->bytes = bytes;
	o->from_start |= arg[0] == '+'; /* and so it stays, as the real one has it */
	const char *number = arg + (arg[0] == '-');
	int err = num_parse_u64(number, "bkKmMGTPEZY0", &o->count);

	if (err == 0 && byte_is_digit(num_start(number)[0]))
		return 0;
	return cmd_error(c, err == -E_OVERFLOW ? err : 0, "invalid number of %s: %s",
			 bytes ? "bytes" : "lines", cmd_quote(c, number));
}

static int set_count(struct cmd *c, const struct opt *opt, const char *arg)
{
	return set_number(c, opt->letter == 'c', arg);
}

static int set_quiet(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tail_opts *o = c->opts;

	(void)arg;
	o->quiet = opt->letter == 'q';
	o->verbose = opt->letter == 'v';
	return 0;
}

static int set_follow(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct opt_word words[] = { { "descriptor", 0 }, { "name", 1 }, { NULL, 0 } };
	struct tail_opts *o = c->opts;
	int how = opt->letter == 'F';

	if (arg != NULL && opt_word(c, words, "--follow", arg, &how) != 0)
		return 1;
	o->follow = true;
	o->by_name = how == 1;
	o->retry |= opt->letter == 'F';
	return 0;
}

static int set_interval(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tail_opts *o = c->opts;
	size_t len = strlen(arg);

	(void)opt;
	if (len == 0 || strchr("smhd", arg[len - 1]) != NULL ||
	    !num_parse_span(arg, &o->interval_ns))
		return cmd_error(c, 0, "invalid number of seconds: %s", cmd_quote(c, arg));
	return 0;
}

static int set_pid(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tail_opts *o = c->opts;
	uint64_t pid;

	(void)opt;
	if (!num_plain(arg, &pid) || pid > INT32_MAX)
		return cmd_error(c, 0, "invalid PID: %s", cmd_quote(c, arg));
	o->pid = (int)pid;
	return 0;
}

/* "-5" where the old form is not allowed. */
static int refuse_digit(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return cmd_error(c, 0, "option used in invalid context -- %c", arg[0]);
}

static const struct opt tail_options[] = {
	OPT_CALL_ARG('c', "bytes", set_count, "[+]NUM", "the last NUM bytes; +: from byte NUM on"),
	OPT_CALL_OPTIONAL(0, "follow", set_follow, "HOW", "wait for more: descriptor or name"),
	OPT_CALL('f', NULL, set_follow, "the same, by descriptor"),
	OPT_CALL('F', NULL, set_follow, "the same as --follow=name --retry"),
	OPT_CALL_ARG('n', "lines", set_count, "[+]NUM", "the last NUM lines; +: from line NUM on"),
	OPT_IGNORED_ARG(0, "max-unchanged-stats", "N", "no effect"),
	OPT_CALL_ARG(0, "pid", set_pid, "PID", "with -f: end when process PID has ended"),
	OPT_CALL('q', "quiet", set_quiet, "no headers with file names"),
	OPT_CALL('q', "silent", set_quiet, NULL),
	OPT_FLAG(0, "retry", struct tail_opts, retry, "keep trying to open a file"),
	OPT_CALL_ARG('s', "sleep-interval", set_interval, "N", "with -f: seconds between looks"),
	OPT_CALL('v', "verbose", set_quiet, "headers always"),
	OPT_FLAG('z', "zero-terminated", struct tail_opts, zero, "lines end with NUL"),
	OPT_DIGIT(refuse_digit),
	OPT_END(),
};

/* "-N", "+N" with b, c or l and f behind, as the first argument. */
static int tail_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct tail_opts *o = c->opts;
	const char *at = argv[i];
	bool start = at[0] == '+';

	if (i != 1 || (at[0] != '-' && !start))
		return 0;
	/* With one operand at most, and no other options. */
	if (argc > 3 || (argc == 3 && argv[2][0] == '-' && argv[2][1] != '\0'))
		if (argc > 4 || strcmp(argv[2], "--") != 0)
			return 0;
	size_t digits = strspn(at + 1, "0123456789");
	const char *rest = at + 1 + digits;
	char unit = *rest == 'b' || *rest == 'c' || *rest == 'l' ? *rest++ : '\0';

	if (*rest == 'f')
		rest++;
	if (*rest != '\0' || (digits == 0 && (!start || unit == '\0')))
		return 0;
	o->bytes = unit == 'b' || unit == 'c';
	o->from_start = start;
	o->follow |= rest[-1] == 'f';
	if (digits > 0) {
		const char *text = arena_dup(c->arena, (struct bytes){ at + 1, digits });

		num_parse_u64(text, "", &o->count);
	}
	if (unit == 'b')
		o->count *= 512;
	return 1;
}

/* --- from the start --- */

static int put_rest(struct input *in)
{
	struct bytes block;
	int more;

	while ((more = input_chunk(in, &block)) > 0) {
		cmd_bytes(in->c, block);
		cmd_charge_bytes(in->c, block.len);
	}
	return more;
}

static int put_from(struct input *in, const struct tail_opts *o)
{
	uint64_t skip = o->count > 0 ? o->count - 1 : 0;
	struct bytes block;
	struct vfs_stat st;
	int more = 1;

	/* What is not shown of a file is not read: it may be a hole of any size. */
	if (o->bytes && skip > 0 && skip <= INT64_MAX && cmd_fstat(in->c, in->fd, &st) == 0 &&
	    (st.mode & S_FMT) == S_REG && cmd_seek(in->c, in->fd, (int64_t)skip, 1) >= 0)
		skip = 0;
	while (skip > 0 && (more = input_block(in, &block)) > 0) {
		size_t at = 0;

		while (skip > 0 && at < block.len) {
			const char *hit = o->bytes ? NULL
						   : memchr(block.ptr + at, o->end, block.len - at);
			size_t left = block.len - at;

			if (o->bytes) {
				size_t step = skip < left ? (size_t)skip : left;

				at += step;
				skip -= step;
			} else {
				at = hit != NULL ? (size_t)(hit - block.ptr) + 1 : block.len;
				skip -= hit != NULL;
			}
		}
		cmd_write(in->c, block.ptr + at, block.len - at);
	}
	return more < 0 ? more : put_rest(in);
}

/* --- the end of a file --- */

/* Where the last `count` lines begin, searched backwards from `size`; not before `start`. */
static int64_t find_lines(struct cmd *c, const struct tail_opts *o, int fd, uint64_t start,
			  uint64_t size)
{
	char *buffer = pool_alloc(c->pool, BLOCK);
	uint64_t left = o->count;
	uint64_t at = size;
	int64_t result = (int64_t)start;

	if (left == 0)
		return (int64_t)size;
	while (at > start) {
		uint64_t from = at - start > BLOCK ? at - BLOCK : start;
		int64_t got = cmd_pread(c, fd, buffer, (size_t)(at - from), from);

		if (got < 0)
			return got;
		for (size_t i = (size_t)got; i-- > 0;) {
			/* The end of the last line does not begin another. */
			if (buffer[i] != o->end || from + i + 1 == size)
				continue;
			if (--left == 0) {
				result = (int64_t)(from + i + 1);
				goto out;
			}
		}
		at = from;
		cmd_charge_bytes(c, BLOCK);
	}
out:
	pool_free(c->pool, buffer, BLOCK);
	return result;
}

static int put_file_end(struct input *in, const struct tail_opts *o, uint64_t start, uint64_t size)
{
	int64_t from;

	if (o->bytes)
		from = (int64_t)(size - start > o->count ? size - o->count : start);
	else
		from = find_lines(in->c, o, in->fd, start, size);
	if (from < 0)
		return (int)from;
	cmd_seek(in->c, in->fd, from, 0);
	return put_rest(in);
}

/* --- the end of a pipe --- */

struct held {
	char *ptr;
	size_t cap;
	size_t from;
	size_t to;
	uint64_t lines;
};

static void hold(struct cmd *c, struct held *h, struct bytes s)
{
	if (h->from > 0 && h->cap - h->to < s.len) {
		memmove(h->ptr, h->ptr + h->from, h->to - h->from);
		h->to -= h->from;
		h->from = 0;
	}
	if (h->cap - h->to < s.len) {
		size_t cap = (h->to + s.len) * 2;

		h->ptr = pool_resize(c->pool, h->ptr, h->cap, cap);
		h->cap = cap;
	}
	memcpy(h->ptr + h->to, s.ptr, s.len);
	h->to += s.len;
}

/* Drops lines from the front until only `count` ends are left. */
static void drop_lines(struct held *h, const struct tail_opts *o)
{
	while (h->lines > o->count) {
		char *hit = memchr(h->ptr + h->from, o->end, h->to - h->from);

		h->from = (size_t)(hit - h->ptr) + 1;
		h->lines--;
	}
}

static int put_pipe_end(struct input *in, const struct tail_opts *o)
{
	struct held h = { .lines = 0 };
	struct bytes block;
	int more;

	while ((more = input_chunk(in, &block)) > 0) {
		hold(in->c, &h, block);
		cmd_charge_bytes(in->c, block.len);
		if (o->bytes) {
			if (h.to - h.from > o->count)
				h.from = h.to - (size_t)o->count;
			continue;
		}
		for (size_t i = 0; i < block.len; i++)
			h.lines += block.ptr[i] == o->end;
		drop_lines(&h, o);
	}
	/* An unfinished last line counts as one. */
	if (!o->bytes && h.to > h.from && h.ptr[h.to - 1] != o->end) {
		h.lines++;
		drop_lines(&h, o);
	}
	if (!o->bytes && o->count == 0)
		return more;
	if (h.to > h.from)
		cmd_write(in->c, h.ptr + h.from, h.to - h.from);
	return more;
}

/* --- one file --- */

static void put_header(struct cmd *c, struct tail_opts *o, const char *path, int index)
{
	if (!o->headers || o->header_of == index)
		return;
	cmd_printf(c, "%s==> %s <==\n", o->header_of >= 0 ? "\n" : "",
		   strcmp(path, "-") == 0 ? "standard input" : path);
	o->header_of = index;
}

static int put_end(struct input *in, const struct tail_opts *o)
{
	struct vfs_stat st;
	int err = cmd_fstat(in->c, in->fd, &st);

	if (err < 0)
		return err;
	if (o->from_start)
		return put_from(in, o);
	int64_t pos = (st.mode & S_FMT) == S_REG ? cmd_seek(in->c, in->fd, 0, 1) : -1;

	if (pos < 0)
		return put_pipe_end(in, o);
	return put_file_end(in, o, (uint64_t)pos < st.size ? (uint64_t)pos : st.size, st.size);
}

static int tail_file(struct cmd *c, struct tail_opts *o, const char *path, int index,
		     struct followed *f)
{
	struct input in;
	struct vfs_stat st;
	int err = input_open(&in, c, path);
	const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;

	f->path = path;
	f->fd = -1;
	if (err < 0) {
		f->missing = true;
		return cmd_error(c, err, "cannot open %s for reading", cmd_quoteaf(c, shown));
	}
	put_header(c, o, path, index);
	err = put_end(&in, o);
	if (err < 0) {
		input_close(&in);
		cmd_error(c, err, "error reading %s", cmd_quoteaf(c, shown));
		/* Where the rest was to be copied as it is the real one gives up at once. */
		if (o->from_start && (o->bytes || o->count <= 1))
			cmd_exit(c, 1);
		return 1;
	}
	if (!o->follow) {
		input_close(&in);
		return 0;
	}
	f->fd = in.fd;
	if (cmd_fstat(c, in.fd, &st) == 0)
		f->ino = st.ino;
	int64_t pos = cmd_seek(c, in.fd, 0, 1);

	f->pos = pos > 0 ? (uint64_t)pos : 0;
	return 0;
}

/* --- following --- */

static void put_new(struct cmd *c, struct tail_opts *o, struct followed *f, int index)
{
	char *buffer = pool_alloc(c->pool, BLOCK);
	int64_t got;

	while ((got = cmd_pread(c, f->fd, buffer, BLOCK, f->pos)) > 0) {
		put_header(c, o, f->path, index);
		cmd_write(c, buffer, (size_t)got);
		f->pos += (uint64_t)got;
		cmd_charge_bytes(c, (size_t)got);
	}
	pool_free(c->pool, buffer, BLOCK);
	cmd_flush(c);
}

/* By name: another file may have taken it. */
static void look_again(struct cmd *c, struct followed *f)
{
	struct vfs_stat st;
	int err = cmd_stat(c, f->path, &st);

	if (err < 0) {
		if (!f->missing)
			cmd_error(c, err, "%s has become inaccessible", cmd_quoteaf(c, f->path));
		f->missing = true;
		return;
	}
	if (f->fd >= 0 && st.ino == f->ino) {
		f->missing = false;
		return;
	}
	int fd = cmd_open(c, CMD_CWD, f->path, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0)
		return;
	cmd_error(c, 0,
		  f->missing || f->fd < 0 ? "%s has appeared;  following new file"
					  : "%s has been replaced;  following new file",
		  cmd_quoteaf(c, f->path));
	if (f->fd >= 0)
		cmd_close(c, f->fd);
	f->fd = fd;
	f->ino = st.ino;
	f->pos = 0;
	f->missing = false;
}

static void follow_turn(struct cmd *c, struct tail_opts *o, struct followed *f, int index)
{
	struct vfs_stat st;

	if (o->by_name || (o->retry && f->fd < 0))
		look_again(c, f);
	if (f->fd < 0 || cmd_fstat(c, f->fd, &st) != 0)
		return;
	if ((st.mode & S_FMT) == S_REG && st.size < f->pos) {
		cmd_error(c, 0, "%s: file truncated", cmd_quotef(c, f->path));
		f->pos = 0;
	}
	if ((st.mode & S_FMT) == S_REG && st.size > f->pos)
		put_new(c, o, f, index);
}

static int follow(struct cmd *c, struct tail_opts *o, struct followed *list, int n)
{
	int live = 0;

	for (int i = 0; i < n; i++)
		live += list[i].fd >= 0 || o->retry;
	if (live == 0)
		return cmd_error(c, 0, "no files remaining");
	for (;;) {
		bool last = o->pid != 0 && !cmd_alive(c, o->pid);

		for (int i = 0; i < n; i++)
			follow_turn(c, o, &list[i], i);
		if (last)
			return 0;
		cmd_flush(c);
		if (cmd_unread(c, 1)) { /* before there is more to write */
			cmd_kill(c, cmd_pid(c), cmd_sig_number("PIPE"));
			return 1;
		}
		cmd_charge(c, 100);
		cmd_sleep(c, o->interval_ns);
	}
}

static bool is_pipe(struct cmd *c)
{
	struct vfs_stat st;

	return cmd_fstat(c, 0, &st) == 0 && (st.mode & S_FMT) == S_FIFO;
}

static void warn_unused(struct cmd *c, const struct tail_opts *o)
{
	if (o->retry && !o->follow)
		cmd_error(c, 0, "warning: --retry ignored; --retry is useful only when following");
	else if (o->retry && !o->by_name)
		cmd_error(c, 0, "warning: --retry only effective for the initial open");
	if (o->pid != 0 && !o->follow)
		cmd_error(c, 0, "warning: PID ignored; --pid=PID is useful only when following");
}

static int tail_run(struct cmd *c)
{
	struct tail_opts *o = c->opts;
	struct followed *list = arena_array(c->arena, (size_t)c->nfiles, sizeof(*list));
	int status = 0;

	warn_unused(c, o);
	c->out.before_end = "error writing 'standard output'";
	o->end = o->zero ? '\0' : '\n';
	o->header_of = -1;
	o->headers = o->verbose || (!o->quiet && c->nfiles > 1);
	if (o->count == 0 && !o->follow && !o->from_start)
		return 0;
	for (int i = 0; i < c->nfiles; i++)
		if (tail_file(c, o, c->files[i], i, &list[i]) != 0)
			status = 1;
	/* The end of a pipe on standard input is the end. */
	if (!o->follow || (c->nfiles == 1 && strcmp(c->files[0], "-") == 0 && is_pipe(c)))
		return status;
	int ended = follow(c, o, list, c->nfiles);

	return ended != 0 ? ended : status;
}

static void tail_defaults(struct cmd *c)
{
	struct tail_opts *o = c->opts;

	o->count = 10;
	o->interval_ns = 50000000;
}

const struct builtin builtin_tail = {
	.name = "tail",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes the last 10 lines of each file.",
	.run = tail_run,
	.opts = tail_options,
	.opts_size = sizeof(struct tail_opts),
	.legacy = tail_legacy,
	.defaults = tail_defaults,
};
