/* SPDX-License-Identifier: MIT
 *
 * head - write the first lines or bytes of files, or all but the last ones.
 *
 * "All but the last" holds back only what may still be the end.
 */
#include "builtins/builtin.h"

struct head_opts {
	bool bytes;    /* -c, else lines */
	bool from_end; /* the number began with '-' */
	uint64_t count;
	bool quiet;
	bool verbose;
	bool zero;
	bool headers;
	bool written; /* a header has been written */
};

static int set_number(struct cmd *c, bool bytes, const char *arg)
{
	struct head_opts *o = c->opts;
	int err;

	o->bytes = bytes;
	o->from_end = arg[0] == '-';
	err = num_parse_u64(arg + o->from_end, "bkKmMGTPEZY0", &o->count);
	if (err == -E_OVERFLOW && o->from_end)
		err = 0;
	if (err == 0)
		return 0;
	return cmd_error(c, err == -E_OVERFLOW ? err : 0, "invalid number of %s: %s",
			 bytes ? "bytes" : "lines", cmd_quote(c, arg + o->from_end));
}

static int set_count(struct cmd *c, const struct opt *o, const char *arg)
{
	return set_number(c, o->letter == 'c', arg);
}

static int set_quiet(struct cmd *c, const struct opt *o, const char *arg)
{
	struct head_opts *head = c->opts;

	(void)arg;
	head->quiet = o->letter == 'q';
	head->verbose = o->letter == 'v';
	return 0;
}

/* -N is known as the first argument only. */
static int bad_digit(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	cmd_error(c, 0, "invalid trailing option -- %c", arg[0]);
	return cmd_usage(c, NULL);
}

static const struct opt head_options[] = {
	OPT_CALL_ARG('c', "bytes", set_count, "[-]NUM",
		     "the first NUM bytes; with -, all but the last"),
	OPT_CALL_ARG('n', "lines", set_count, "[-]NUM",
		     "the first NUM lines; with -, all but the last"),
	OPT_CALL('q', "quiet", set_quiet, "no headers with file names"),
	OPT_CALL('q', "silent", set_quiet, NULL),
	OPT_CALL('v', "verbose", set_quiet, "headers always"),
	OPT_FLAG('z', "zero-terminated", struct head_opts, zero, "lines end with NUL"),
	OPT_DIGIT(bad_digit),
	OPT_END(),
};

/* -NUM with letters behind it, as the first argument: "-5", "-20c", "-3kq". */
static int head_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct head_opts *o = c->opts;
	const char *at = argv[i] + 1;
	size_t digits = 0;
	char unit = '\0';
	bool bytes = false;

	(void)argc;
	if (i != 1 || argv[i][0] != '-' || !byte_is_digit(*at))
		return 0;
	while (byte_is_digit(at[digits]))
		digits++;
	for (const char *letter = at + digits; *letter != '\0'; letter++) {
		if (*letter == 'c')
			bytes = true, unit = '\0';
		else if (*letter == 'b' || *letter == 'k' || *letter == 'm')
			bytes = true, unit = *letter;
		else if (*letter == 'l')
			bytes = false;
		else if (*letter == 'q')
			o->quiet = true, o->verbose = false;
		else if (*letter == 'v')
			o->quiet = false, o->verbose = true;
		else if (*letter == 'z')
			o->zero = true;
		else {
			cmd_error(c, 0, "invalid trailing option -- %c", *letter);
			cmd_exit(c, cmd_usage(c, NULL));
		}
	}
	struct buf number = buf_in(c->arena);

	buf_put(&number, at, digits);
	if (unit != '\0')
		buf_putc(&number, unit);
	int status = set_number(c, bytes, buf_cstr(&number));

	if (status != 0)
		cmd_exit(c, status);
	return 1;
}

/* --- from the start --- */

/* Of a pipe, what is read and not wanted is lost to who reads on: as much as the real one takes. */
enum { LINES_BLOCK = 8192 };

static int put_first_bytes(struct input *in, uint64_t left)
{
	struct bytes block;
	int more = 1;

	while (left > 0) {
		in->most = left < SIZE_MAX ? (size_t)left : 0;
		more = input_block(in, &block);
		if (more <= 0)
			break;
		size_t take = left < block.len ? (size_t)left : block.len;

		cmd_write(in->c, block.ptr, take);
		in->from -= block.len - take;
		left -= take;
	}
	return more;
}

/* How many bytes the first *left lines take; *left becomes what is missing. */
static size_t measure_lines(struct bytes s, uint64_t *left, char end)
{
	size_t at = 0;

	while (*left > 0 && at < s.len) {
		const char *hit = memchr(s.ptr + at, end, s.len - at);

		if (hit == NULL)
			return s.len;
		at = (size_t)(hit - s.ptr) + 1;
		--*left;
	}
	return at;
}

static int put_first_lines(struct input *in, uint64_t left, char end)
{
	struct bytes block;
	int more = 1;

	in->most = LINES_BLOCK;
	while (left > 0 && (more = input_block(in, &block)) > 0) {
		size_t take = measure_lines(block, &left, end);

		cmd_write(in->c, block.ptr, take);
		in->from -= block.len - take;
	}
	return more;
}

/* --- all but the last --- */

/* Bytes that may be the end: a queue in the pool. */
struct held {
	struct cmd *c;
	char *ptr;
	size_t cap;
	size_t from;
	size_t to;
	uint64_t lines; /* ends of lines among them */
};

static void hold(struct held *h, struct bytes s)
{
	if (h->from > 0 && h->cap - h->to < s.len) {
		memmove(h->ptr, h->ptr + h->from, h->to - h->from);
		h->to -= h->from;
		h->from = 0;
	}
	if (h->cap - h->to < s.len) {
		size_t cap = (h->to + s.len) * 2;

		h->ptr = pool_resize(h->c->pool, h->ptr, h->cap, cap);
		h->cap = cap;
	}
	memcpy(h->ptr + h->to, s.ptr, s.len);
	h->to += s.len;
}

static void let_go(struct held *h, size_t n)
{
	cmd_write(h->c, h->ptr + h->from, n);
	h->from += n;
}

/* What was held back was not used: what follows on a shared descriptor continues there. */
static void give_back(struct input *in, const struct held *h)
{
	if (in->is_stdin && h->to > h->from)
		cmd_seek(in->c, in->fd, -(int64_t)(h->to - h->from), 1);
}

static int put_but_last_bytes(struct input *in, uint64_t keep)
{
	struct held h = { .c = in->c };
	struct bytes block;
	int more;

	while ((more = input_block(in, &block)) > 0) {
		hold(&h, block);
		if (h.to - h.from > keep)
			let_go(&h, h.to - h.from - (size_t)keep);
	}
	give_back(in, &h);
	return more;
}

static uint64_t count_ends(struct bytes s, char end)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == end;
	return n;
}

static void let_lines_go(struct held *h, uint64_t keep, char end)
{
	uint64_t left = h->lines > keep ? h->lines - keep : 0;

	h->lines -= left;
	if (left > 0)
		let_go(h, measure_lines((struct bytes){ h->ptr + h->from, h->to - h->from }, &left,
					end));
}

static int put_but_last_lines(struct input *in, uint64_t keep, char end)
{
	struct held h = { .c = in->c };
	struct bytes block;
	int more;

	while ((more = input_block(in, &block)) > 0) {
		hold(&h, block);
		h.lines += count_ends(block, end);
		let_lines_go(&h, keep, end);
	}
	if (h.to > h.from && h.ptr[h.to - 1] != end) {
		/* What follows the last end is a line of its own. */
		h.lines++;
		if (keep == 0)
			let_go(&h, h.to - h.from);
		else
			let_lines_go(&h, keep, end);
	}
	give_back(in, &h);
	return more;
}

static int put_file(struct input *in, const struct head_opts *o)
{
	char end = o->zero ? '\0' : '\n';

	if (o->from_end)
		return o->bytes ? put_but_last_bytes(in, o->count)
				: put_but_last_lines(in, o->count, end);
	return o->bytes ? put_first_bytes(in, o->count) : put_first_lines(in, o->count, end);
}

static int head_file(struct cmd *c, struct head_opts *o, const char *path)
{
	struct input in;
	bool is_stdin = strcmp(path, "-") == 0;
	int err = input_open(&in, c, path);

	if (err < 0)
		return cmd_error(c, err, "cannot open %s for reading", cmd_quoteaf(c, path));
	if (o->headers) {
		cmd_printf(c, "%s==> %s <==\n", o->written ? "\n" : "",
			   is_stdin ? "standard input" : path);
		o->written = true;
	}
	err = put_file(&in, o);
	input_close(&in);
	if (err < 0)
		return cmd_error(c, err, "error reading %s",
				 cmd_quoteaf(c, is_stdin ? "standard input" : path));
	return 0;
}

static int head_run(struct cmd *c)
{
	struct head_opts *o = c->opts;
	int status = 0;

	c->out.before_end = "error writing 'standard output'";
	o->headers = o->verbose || (!o->quiet && c->nfiles > 1);
	for (int i = 0; i < c->nfiles; i++)
		if (head_file(c, o, c->files[i]) != 0)
			status = 1;
	return status;
}

static void head_defaults(struct cmd *c)
{
	((struct head_opts *)c->opts)->count = 10;
}

const struct builtin builtin_head = {
	.name = "head",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes the first 10 lines of each file.",
	.run = head_run,
	.opts = head_options,
	.opts_size = sizeof(struct head_opts),
	.legacy = head_legacy,
	.defaults = head_defaults,
};
