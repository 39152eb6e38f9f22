/* SPDX-License-Identifier: MIT
 *
 * xz -l: what is in files, from the indexes at the ends of their streams. -v: of each stream and
 * block; -vv: their headers; --robot: in columns for programs.
 */
#include "builtins/coder/xz.h"

struct stream {
	struct stream *next;
	struct xz_block *block; /* NULL without -v */
	uint64_t nblocks;
	uint64_t size; /* without the zeros behind it */
	uint64_t out;
	uint64_t padding;
	unsigned check;
};

struct totals {
	uint64_t files, streams, blocks, in, out, padding;
	unsigned checks;       /* a bit for each kind */
	struct stream *stream; /* of one file, in its order */
	/* -vv: what unpacking takes, that not all blocks say their sizes, the library it needs */
	uint64_t memory;
	bool unsized;
	uint32_t version;
};

static const char *const check_names[] = { "None",       "CRC32",      "Unknown-2",  "Unknown-3",
					   "CRC64",      "Unknown-5",  "Unknown-6",  "Unknown-7",
					   "Unknown-8",  "Unknown-9",  "SHA-256",    "Unknown-11",
					   "Unknown-12", "Unknown-13", "Unknown-14", "Unknown-15" };

/* --- reading --- */

/* The blocks of the index at text. False: it is damaged. */
static bool read_blocks(struct xz *x, struct stream *s, const uint8_t *text, uint64_t len)
{
	const uint8_t *at = text + 1;
	const uint8_t *end = text + len - 4;

	if (text[0] != 0 || xz_le32(end) != codec_crc32(0, text, (size_t)len - 4) ||
	    !xz_read_vli(&at, end, &s->nblocks) || s->nblocks > len / 2)
		return false;
	if (x->verbose > 0)
		s->block = arena_array(x->c->arena, heap_size(s->nblocks) + 1, sizeof *s->block);
	for (uint64_t i = 0; i < s->nblocks; i++) {
		uint64_t size;
		uint64_t out;

		if (!xz_read_vli(&at, end, &size) || !xz_read_vli(&at, end, &out) || size < 5)
			return false;
		uint64_t total = (size + 3) & ~UINT64_C(3);

		/* No sum may reach the top bit. */
		s->size += total;
		s->out += out;
		if ((s->size | s->out) >> 63 != 0)
			return false;
		if (s->block != NULL)
			s->block[i] = (struct xz_block){ total, size, out };
		cmd_charge(x->c, 1);
	}
	if (end - at > 3)
		return false;
	while (at < end)
		if (*at++ != 0)
			return false;
	return true;
}

/* Flags of a stream, and what is behind them in the checksum. */
static enum codec_result check_flags(const uint8_t *flags, const uint8_t *summed, size_t n,
				     const uint8_t *sum)
{
	if (xz_le32(sum) != codec_crc32(0, summed, n))
		return CODEC_BAD;
	return flags[0] != 0 || flags[1] > 15 ? CODEC_OPTIONS : CODEC_END;
}

/* The stream that ends there: CODEC_END, or what is wrong. */
static enum codec_result read_stream(struct xz *x, int fd, uint64_t end, const uint8_t foot[12],
				     struct stream *s)
{
	uint64_t index = (uint64_t)xz_le32(foot + 4) * 4 + 4;
	enum codec_result result = check_flags(foot + 8, foot + 4, 6, foot);
	uint8_t head[12];

	if (memcmp(foot + 10, "YZ", 2) != 0)
		return CODEC_BAD;
	if (result != CODEC_END)
		return result;
	if (index < 8 || index > end - 24)
		return CODEC_BAD;
	uint8_t *text = pool_alloc(x->c->pool, heap_size(index));
	bool good = cmd_pread(x->c, fd, text, (size_t)index, end - 12 - index) == (int64_t)index;

	s->size = 24 + index;
	s->check = foot[9] & 15;
	good = good && read_blocks(x, s, text, index);
	pool_free(x->c->pool, text, (size_t)index);
	if (!good || s->size > end || cmd_pread(x->c, fd, head, 12, end - s->size) != 12 ||
	    memcmp(head, "\3757zXZ\0", 6) != 0)
		return CODEC_BAD;
	result = check_flags(head + 6, head + 6, 2, head + 8);
	return result == CODEC_END && memcmp(head + 6, foot + 8, 2) != 0 ? CODEC_BAD : result;
}

/* Reads streams from the end: CODEC_END, or what is wrong. */
static enum codec_result read_indexes(struct xz *x, int fd, uint64_t size, struct totals *t)
{
	uint64_t end = size;
	uint64_t padding = 0;

	while (end > 0) {
		struct stream *s = arena_zalloc(x->c->arena, sizeof *s);
		uint8_t foot[12];

		if (end < 24 || cmd_pread(x->c, fd, foot, 12, end - 12) != 12)
			return CODEC_BAD;
		cmd_charge(x->c, 2);
		if (memcmp(foot + 8, "\0\0\0\0", 4) == 0) {
			end -= 4;
			padding += 4;
			continue;
		}
		enum codec_result result = read_stream(x, fd, end, foot, s);

		if (result != CODEC_END)
			return result;
		end -= s->size;
		s->padding = padding;
		s->next = t->stream;
		t->stream = s;
		t->streams++;
		t->blocks += s->nblocks;
		t->out += s->out;
		t->padding += padding;
		t->checks |= 1u << s->check;
		padding = 0;
		if (t->out >> 63 != 0)
			return CODEC_BAD;
	}
	return CODEC_END;
}

/* --- writing --- */

static unsigned long long n_of(uint64_t n)
{
	return n;
}

static const char *ratio_of(struct xz *x, uint64_t in, uint64_t out)
{
	struct buf text = buf_in(x->c->arena);

	xz_put_ratio(&text, in, out);
	return buf_cstr(&text);
}

static const char *checks_of(struct xz *x, unsigned checks, const char *between)
{
	struct buf text = buf_in(x->c->arena);

	if (checks == 0)
		return check_names[0];
	for (int i = 0; i < 16; i++)
		if (checks & 1u << i)
			buf_printf(&text, "%s%s", text.len != 0 ? between : "", check_names[i]);
	return buf_cstr(&text);
}

static const char *size_of(struct xz *x, uint64_t n)
{
	struct buf text = buf_in(x->c->arena);

	xz_put_size(&text, n);
	return buf_cstr(&text);
}

static void put_row(struct xz *x, const struct totals *t, const char *name)
{
	cmd_printf(x->c, "%5llu %7llu  %11s  %11s  %5s  %-7s %s\n", n_of(t->streams),
		   n_of(t->blocks), size_of(x, t->in), size_of(x, t->out),
		   ratio_of(x, t->in, t->out), checks_of(x, t->checks, ","), name);
}

static void put_robot(struct xz *x, const char *what, const struct totals *t)
{
	cmd_printf(x->c, "%s\t%llu\t%llu\t%llu\t%llu\t%s\t%s\t%llu", what, n_of(t->streams),
		   n_of(t->blocks), n_of(t->in), n_of(t->out), ratio_of(x, t->in, t->out),
		   checks_of(x, t->checks, ","), n_of(t->padding));
}

/* Large sizes also in bytes. */
static void put_exact(struct xz *x, const char *what, uint64_t n)
{
	cmd_printf(x->c, "  %-19s%s", what, size_of(x, n));
	if (n >= 10000)
		cmd_printf(x->c, " (%llu B)", n_of(n));
	cmd_putc(x->c, '\n');
}

static void put_summary(struct xz *x, const struct totals *t)
{
	cmd_printf(x->c, "  Streams:           %llu\n  Blocks:            %llu\n", n_of(t->streams),
		   n_of(t->blocks));
	put_exact(x, "Compressed size:", t->in);
	put_exact(x, "Uncompressed size:", t->out);
	cmd_printf(x->c, "  Ratio:             %s\n  Check:             %s\n",
		   ratio_of(x, t->in, t->out), checks_of(x, t->checks, ", "));
	put_exact(x, "Stream Padding:", t->padding);
}

static void put_streams(struct xz *x, const struct totals *t)
{
	const char *format =
		x->robot ? "stream\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\t%s\t%llu\n"
			 : "    %6llu %9llu %15llu %15llu %15llu %15llu  %5s  %-10s %7llu\n";
	uint64_t number = 0;
	uint64_t in = 0;
	uint64_t out = 0;

	if (!x->robot)
		cmd_puts(x->c, "  Streams:\n    Stream    Blocks      CompOffset    UncompOffset"
			       "        CompSize      UncompSize  Ratio  Check      Padding\n");
	for (const struct stream *s = t->stream; s != NULL; s = s->next) {
		cmd_printf(x->c, format, n_of(++number), n_of(s->nblocks), n_of(in), n_of(out),
			   n_of(s->size), n_of(s->out), ratio_of(x, s->size, s->out),
			   check_names[s->check], n_of(s->padding));
		in += s->size + s->padding;
		out += s->out;
	}
}

/* How wide the column of checksums is. */
static int check_width(const struct totals *t)
{
	unsigned width = sizeof "CheckVal" - 1;

	for (unsigned i = 0; i < 16; i++)
		if ((t->checks & 1u << i) && xz_check_size(i) * 2 > width)
			width = xz_check_size(i) * 2;
	return (int)width;
}

/* What the header of a block says; CODEC_END, or what is wrong with it. */
static enum codec_result put_header(struct xz *x, struct totals *t, const struct xz_block_header *h)
{
	const char *flags = h->has_compressed     ? h->has_uncompressed ? "cu" : "c-"
			    : h->has_uncompressed ? "-u"
						  : "--";

	if (x->robot)
		cmd_printf(x->c, "\t%s\t%u\t%s\t%llu\t%llu\t%s\n", h->check, h->size, flags,
			   n_of(h->compressed), n_of(h->memory), h->filters);
	else
		cmd_printf(x->c, "  %-*s  %6u  %-5s %15llu %7llu MiB  %s\n", check_width(t),
			   h->check, h->size, flags, n_of(h->compressed), n_of(xz_mib(h->memory)),
			   h->filters);
	t->memory = h->memory > t->memory ? h->memory : t->memory;
	t->version = h->version > t->version ? h->version : t->version;
	t->unsized |= !h->has_compressed || !h->has_uncompressed;
	return CODEC_END;
}

struct position {
	uint64_t stream, block, all; /* numbers */
	uint64_t in, out;
};

static enum codec_result put_block(struct xz *x, int fd, struct totals *t, const struct stream *s,
				   const struct xz_block *b, const struct position *at)
{
	const char *ratio = ratio_of(x, b->total, b->out);
	struct xz_block_header h;

	if (x->verbose > 1) {
		enum codec_result result = xz_read_block_header(x, fd, at->in, s->check, b, &h);

		if (result != CODEC_END)
			return result;
	}
	if (x->robot)
		cmd_printf(x->c, "block\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\t%s",
			   n_of(at->stream), n_of(at->block), n_of(at->all), n_of(at->in),
			   n_of(at->out), n_of(b->total), n_of(b->out), ratio,
			   check_names[s->check]);
	else
		cmd_printf(x->c, "    %6llu %9llu %15llu %15llu %15llu %15llu  %5s  %-*s",
			   n_of(at->stream), n_of(at->block), n_of(at->in), n_of(at->out),
			   n_of(b->total), n_of(b->out), ratio, x->verbose > 1 ? 9 : 0,
			   check_names[s->check]);
	if (x->verbose > 1)
		return put_header(x, t, &h);
	cmd_putc(x->c, '\n');
	return CODEC_END;
}

static enum codec_result put_blocks(struct xz *x, int fd, struct totals *t)
{
	struct position at = { 0 };
	uint64_t begin = 0;

	if (!x->robot && t->blocks > 0) {
		cmd_puts(x->c, "  Blocks:\n    Stream     Block      CompOffset    UncompOffset"
			       "       TotalSize      UncompSize  Ratio  Check");
		if (x->verbose > 1)
			cmd_printf(x->c,
				   "      %-*s  Header  Flags        CompSize    MemUsage"
				   "  Filters",
				   check_width(t), "CheckVal");
		cmd_putc(x->c, '\n');
	}
	for (const struct stream *s = t->stream; s != NULL; s = s->next) {
		at.in = begin + 12;
		at.stream++;
		at.block = 0;
		for (uint64_t i = 0; i < s->nblocks; i++) {
			const struct xz_block *b = &s->block[i];
			struct arena_mark mark = arena_mark(x->c->arena);
			enum codec_result result;

			at.block++;
			at.all++;
			result = put_block(x, fd, t, s, b, &at);
			arena_release(x->c->arena, mark);
			if (result != CODEC_END)
				return result;
			at.in += b->total;
			at.out += b->out;
			cmd_charge(x->c, 2);
		}
		begin += s->size + s->padding;
	}
	return CODEC_END;
}

/* The end of -lvv, of a file or of all. */
static void put_needs(struct xz *x, const struct totals *t)
{
	uint32_t version = t->version;

	if (x->robot)
		cmd_printf(x->c, "\t%llu\t%s\t%u", n_of(t->memory), t->unsized ? "no" : "yes",
			   version);
	else
		cmd_printf(x->c,
			   "  Memory needed:     %llu MiB\n  Sizes in headers:  %s\n"
			   "  Minimum XZ Utils version: %u.%u.%u\n",
			   n_of(xz_mib(t->memory)), t->unsized ? "No" : "Yes", version / 10000000,
			   version / 10000 % 1000, version / 10 % 1000);
}

/* --- files --- */

struct lister {
	struct totals all;
	uint64_t seen; /* files, also those that can't be listed */
	uint64_t count;
};

/* CODEC_END, or what is wrong with a block. */
static enum codec_result put_file(struct xz *x, struct lister *l, int fd, struct totals *t,
				  const char *name)
{
	enum codec_result result = CODEC_END;

	if (x->robot) {
		cmd_printf(x->c, "name\t%s\n", name);
		put_robot(x, "file", t);
		cmd_putc(x->c, '\n');
	} else if (x->verbose > 0) {
		put_summary(x, t);
	} else {
		if (l->all.files == 0)
			cmd_puts(x->c, "Strms  Blocks   Compressed Uncompressed  Ratio  Check   "
				       "Filename\n");
		put_row(x, t, name);
	}
	if (x->verbose > 0) {
		put_streams(x, t);
		result = put_blocks(x, fd, t);
	}
	if (x->verbose > 1 && result == CODEC_END) {
		cmd_puts(x->c, x->robot ? "summary" : "");
		put_needs(x, t);
		cmd_puts(x->c, x->robot ? "\n" : "");
	}
	return result;
}

/* What is wrong with the file, or NULL. */
static const char *read_file(struct xz *x, int fd, uint64_t size, struct totals *t)
{
	uint8_t head[6];

	t->in = size;
	if (size == 0)
		return "File is empty";
	if (size < 24)
		return "Too small to be a valid .xz file";
	if (cmd_pread(x->c, fd, head, 6, 0) != 6 || memcmp(head, "\3757zXZ\0", 6) != 0)
		return "File format not recognized";
	enum codec_result result = read_indexes(x, fd, size, t);

	return result == CODEC_END ? NULL : xz_text_of(result);
}

static void list_file(struct xz *x, const char *name, bool operand, void *arg)
{
	struct arena_mark mark = arena_mark(x->c->arena);
	struct lister *l = arg;
	struct totals t = { .version = XZ_VERSION_OLDEST };
	struct vfs_stat st;
	enum codec_result result = CODEC_END;

	if (operand && strcmp(name, "-") == 0) {
		cmd_error(x->c, 0, "--list does not support reading from standard input");
		x->status = 1;
		return;
	}
	int fd = cmd_open(x->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);
	int err = fd < 0 ? fd : cmd_fstat(x->c, fd, &st);

	if (err < 0) {
		xz_fail(x, name, err_text(err));
		return;
	}
	if (x->verbose > 0 && !x->robot) {
		cmd_printf(x->c, l->count > 0 ? "%s%s (%llu/%llu)\n" : "%s%s (%llu)\n",
			   l->seen > 0 ? "\n" : "", name, n_of(l->seen + 1), n_of(l->count));
	}
	l->seen++;
	const char *wrong = read_file(x, fd, st.size, &t);

	if (wrong == NULL)
		result = put_file(x, l, fd, &t, name);
	if (result != CODEC_END)
		wrong = xz_text_of(result);
	if (wrong != NULL) {
		xz_fail(x, name, wrong);
	} else {
		l->all.files++;
		l->all.streams += t.streams;
		l->all.blocks += t.blocks;
		l->all.in += t.in;
		l->all.out += t.out;
		l->all.padding += t.padding;
		l->all.checks |= t.checks;
		l->all.memory = t.memory > l->all.memory ? t.memory : l->all.memory;
		l->all.unsized |= t.unsized;
		l->all.version = t.version > l->all.version ? t.version : l->all.version;
	}
	cmd_close(x->c, fd);
	arena_release(x->c->arena, mark);
}

static void put_end(struct xz *x, const struct lister *l)
{
	struct buf name = buf_in(x->c->arena);

	if (x->robot) {
		put_robot(x, "totals", &l->all);
		cmd_printf(x->c, "\t%llu", n_of(l->all.files));
		if (x->verbose > 1)
			put_needs(x, &l->all);
		cmd_putc(x->c, '\n');
		return;
	}
	if (l->all.files < 2)
		return;
	if (x->verbose > 0) {
		cmd_printf(x->c, "\nTotals:\n  Number of files:   %llu\n", n_of(l->all.files));
		put_summary(x, &l->all);
		if (x->verbose > 1)
			put_needs(x, &l->all);
		return;
	}
	cmd_puts(x->c, "-------------------------------------------------------------------"
		       "------------\n");
	buf_printf(&name, "%llu files", n_of(l->all.files));
	put_row(x, &l->all, buf_cstr(&name));
}

int xz_list(struct xz *x)
{
	struct lister l = { .all = { .version = XZ_VERSION_OLDEST },
			    .count = x->names == NULL ? (uint64_t)x->c->nfiles : 0 };

	xz_each(x, list_file, &l);
	put_end(x, &l);
	return x->status;
}
