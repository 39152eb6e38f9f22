/* SPDX-License-Identifier: MIT
 *
 * wc - count lines, words, characters, bytes, and the width of the longest line.
 *
 * A word is a run of printable characters between white space; what is neither (control
 * characters, invalid bytes) does not begin one. Blocks of plain ASCII are counted with
 * loops of fixed length that compilers turn into vector code; the rest byte by byte.
 */
#include "builtins/builtin.h"

enum { WC_BLOCK = 128 };

struct wc_opts {
	bool lines;
	bool words;
	bool chars;
	bool bytes;
	bool width;
	const char *files0;
	int digits; /* width of a number in the output */
};

struct counts {
	uint64_t lines;
	uint64_t words;
	uint64_t chars;
	uint64_t bytes;
	uint64_t longest;
};

struct counter {
	struct counts n;
	bool in_word;
	uint64_t column;
	bool utf8;
	bool posix;      /* POSIXLY_CORRECT: no-break spaces belong to words */
	char partial[4]; /* a character that the end of a block cut */
	size_t npartial;
};

static const struct opt wc_options[] = {
	OPT_FLAG('c', "bytes", struct wc_opts, bytes, "count bytes"),
	OPT_FLAG('m', "chars", struct wc_opts, chars, "count characters"),
	OPT_FLAG('l', "lines", struct wc_opts, lines, "count lines"),
	OPT_FLAG('L', "max-line-length", struct wc_opts, width, "width of the longest line"),
	OPT_FLAG('w', "words", struct wc_opts, words, "count words"),
	OPT_STR(0, "files0-from", struct wc_opts, files0, NULL, "F",
		"take file names, each ended by NUL, from file F (-: standard input)"),
	OPT_END(),
};

/* --- counting --- */

static uint64_t count_newlines(struct bytes s)
{
	uint64_t total = 0;
	size_t i = 0;

	for (; s.len - i >= WC_BLOCK; i += WC_BLOCK) {
		const char *at = s.ptr + i;
		uint8_t n = 0;

		for (int k = 0; k < WC_BLOCK; k++)
			n = (uint8_t)(n + (at[k] == '\n'));
		total += n;
	}
	for (; i < s.len; i++)
		total += s.ptr[i] == '\n';
	return total;
}

/* Whether a block is printable ASCII, blanks and newlines only. */
static bool is_plain(const char *at)
{
	uint8_t odd = 0;

	for (int k = 0; k < WC_BLOCK; k++) {
		uint8_t b = (uint8_t)at[k];

		odd |= (uint8_t)(((uint8_t)(b - 0x20) > 0x5e) & ((uint8_t)(b - 9) > 4));
	}
	return odd == 0;
}

/* Lines and words of a plain block; before: the byte in front of it counts as white space. */
static void count_plain(struct counter *w, const char *at)
{
	uint8_t lines = 0;
	uint8_t words = 0;
	uint8_t gap[WC_BLOCK + 1];

	gap[0] = !w->in_word;
	for (int k = 0; k < WC_BLOCK; k++)
		gap[k + 1] = (uint8_t)at[k] <= 0x20;
	for (int k = 0; k < WC_BLOCK; k++) {
		lines = (uint8_t)(lines + (at[k] == '\n'));
		words = (uint8_t)(words + (gap[k] & (gap[k + 1] ^ 1)));
	}
	w->n.lines += lines;
	w->n.words += words;
	w->n.chars += WC_BLOCK;
	w->in_word = !gap[WC_BLOCK];
}

static void end_line(struct counter *w)
{
	if (w->column > w->n.longest)
		w->n.longest = w->column;
	w->column = 0;
}

static void count_ascii(struct counter *w, unsigned char b)
{
	w->n.chars++;
	if (b > ' ' && b < 0x7f) {
		w->column++;
		w->n.words += !w->in_word;
		w->in_word = true;
		return;
	}
	if (b != ' ' && !(b >= '\t' && b <= '\r'))
		return;
	w->in_word = false;
	if (b == '\n')
		w->n.lines++;
	if (b == '\n' || b == '\r' || b == '\f')
		end_line(w);
	else if (b == '\t')
		w->column += 8 - w->column % 8;
	else if (b == ' ')
		w->column++;
}

static bool is_nbsp(uint32_t code)
{
	return code == 0xa0 || code == 0x2007 || code == 0x202f || code == 0x2060;
}

static void count_wide(struct counter *w, uint32_t code)
{
	int width = utf8_width(code);

	w->n.chars++;
	w->column += width > 0 ? (uint64_t)width : 0;
	if (utf8_is(code, UTF8_SPACE) || (!w->posix && is_nbsp(code))) {
		w->in_word = false;
	} else if (utf8_is(code, UTF8_PRINT)) {
		w->n.words += !w->in_word;
		w->in_word = true;
	}
}

/* The length that the sequence beginning with this byte claims to have. */
static size_t claimed(unsigned char first)
{
	return first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Whether the bytes at the end could be the beginning of a character. */
static bool is_cut(struct bytes s, size_t at)
{
	size_t have = s.len - at;

	if (have >= claimed((unsigned char)s.ptr[at]))
		return false;
	for (size_t i = 1; i < have; i++)
		if (((unsigned char)s.ptr[at + i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Everything about s; returns how many bytes at its end are a cut character. */
static size_t count_all(struct counter *w, struct bytes s, bool skip_plain)
{
	size_t i = 0;

	while (i < s.len) {
		unsigned char b = (unsigned char)s.ptr[i];
		uint32_t code;

		if (skip_plain && s.len - i >= WC_BLOCK && is_plain(s.ptr + i)) {
			count_plain(w, s.ptr + i);
			i += WC_BLOCK;
			continue;
		}
		for (size_t to = i + WC_BLOCK; i < s.len && i < to;) {
			b = (unsigned char)s.ptr[i];
			if (b < 0x80 || !w->utf8) {
				count_ascii(w, b);
				i++;
				continue;
			}
			size_t len = utf8_decode(s, i, &code);

			if (len == 0 && is_cut(s, i))
				return s.len - i;
			if (len != 0)
				count_wide(w, code);
			i += len != 0 ? len : 1;
		}
	}
	return 0;
}

/* Characters only. */
static uint64_t count_chars(struct counter *w, struct bytes s, size_t *cut)
{
	struct counter copy = *w;

	*cut = count_all(&copy, s, true);
	return copy.n.chars - w->n.chars;
}

static void count_block(struct counter *w, const struct wc_opts *o, struct bytes s)
{
	size_t cut;

	if (o->words || o->width) {
		cut = count_all(w, s, !o->width);
	} else {
		w->n.lines += o->lines ? count_newlines(s) : 0;
		w->n.chars += count_chars(w, s, &cut);
	}
	memcpy(w->partial, s.ptr + s.len - cut, cut);
	w->npartial = cut;
}

/* A block, with what the one before left over put in front of its first bytes. */
static void count_joined(struct counter *w, const struct wc_opts *o, struct bytes s)
{
	char joined[8];

	if (w->npartial > 0) {
		size_t had = w->npartial;
		size_t need = claimed((unsigned char)w->partial[0]) - had;
		size_t take = need < s.len ? need : s.len;

		memcpy(joined, w->partial, had);
		memcpy(joined + had, s.ptr, take);
		count_block(w, o, (struct bytes){ joined, had + take });
		s = bytes_slice(s, take, s.len);
	}
	if (s.len > 0)
		count_block(w, o, s);
}

static bool only_bytes(const struct wc_opts *o)
{
	return !o->lines && !o->words && !o->chars && !o->width;
}

/* The bytes left in a regular file, without reading it; false if that can't be known. */
static bool size_left(struct input *in, uint64_t *out)
{
	struct vfs_stat st;

	if (cmd_fstat(in->c, in->fd, &st) != 0 || (st.mode & S_FMT) != S_REG || st.size == 0)
		return false;
	int64_t pos = cmd_seek(in->c, in->fd, 0, 1);

	if (pos < 0)
		return false;
	*out = (uint64_t)pos < st.size ? st.size - (uint64_t)pos : 0;
	cmd_seek(in->c, in->fd, 0, 2);
	return true;
}

static int count_input(struct input *in, const struct wc_opts *o, struct counts *out)
{
	struct counter w = { .utf8 = in->c->utf8 };
	struct bytes block;
	int more;

	*out = w.n;
	if (only_bytes(o) && size_left(in, &out->bytes))
		return 0;
	w.posix = cmd_getenv(in->c, "POSIXLY_CORRECT") != NULL;
	bool simple = !o->words && !o->width && !(o->chars && w.utf8);

	while ((more = input_chunk(in, &block)) > 0) {
		w.n.bytes += block.len;
		if (!simple)
			count_joined(&w, o, block);
		else if (o->lines)
			w.n.lines += count_newlines(block);
		cmd_charge_bytes(in->c, block.len);
	}
	end_line(&w);
	if (simple)
		w.n.chars = w.n.bytes;
	*out = w.n;
	return more;
}

/* --- output --- */

static void put_count(struct cmd *c, const struct wc_opts *o, bool wanted, uint64_t n, bool *first)
{
	char digits[20];

	if (!wanted)
		return;
	size_t len = num_format_u64(n, digits);

	if (!*first)
		cmd_putc(c, ' ');
	for (int pad = (int)len; pad < o->digits; pad++)
		cmd_putc(c, ' ');
	cmd_write(c, digits, len);
	*first = false;
}

static void put_counts(struct cmd *c, const struct wc_opts *o, const struct counts *n,
		       const char *name)
{
	bool first = true;

	put_count(c, o, o->lines, n->lines, &first);
	put_count(c, o, o->words, n->words, &first);
	put_count(c, o, o->chars, n->chars, &first);
	put_count(c, o, o->bytes, n->bytes, &first);
	put_count(c, o, o->width, n->longest, &first);
	if (name != NULL)
		cmd_printf(c, " %s", strchr(name, '\n') != NULL ? cmd_quotef(c, name) : name);
	cmd_putc(c, '\n');
}

/* Digits enough for the sum of the sizes; 7 if a file's size can't be known. */
static int number_width(struct cmd *c, const struct wc_opts *o, char **files, int n)
{
	uint64_t total = 0;
	int width = 1;
	int wanted = o->lines + o->words + o->chars + o->bytes + o->width;

	if (n == 0 || (n == 1 && wanted == 1))
		return 1;
	for (int i = 0; i < n; i++) {
		struct vfs_stat st;
		bool is_stdin = strcmp(files[i], "-") == 0;

		if ((is_stdin ? cmd_fstat(c, 0, &st) : cmd_stat(c, files[i], &st)) != 0)
			continue;
		if ((st.mode & S_FMT) == S_REG)
			total += st.size;
		else
			width = 7;
	}
	char digits[20];
	int len = (int)num_format_u64(total, digits);

	return len > width ? len : width;
}

static void add_counts(struct counts *sum, const struct counts *n)
{
	sum->lines += n->lines;
	sum->words += n->words;
	sum->chars += n->chars;
	sum->bytes += n->bytes;
	if (n->longest > sum->longest)
		sum->longest = n->longest;
}

/* One file; name NULL: standard input without a name. */
static int count_file(struct cmd *c, const struct wc_opts *o, const char *path, const char *name,
		      struct counts *sum)
{
	struct input in;
	struct counts n;
	int status = 0;
	int err;

	if (path[0] == '\0')
		return cmd_error(c, 0, "invalid zero-length file name");
	err = input_open(&in, c, path);
	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, path));
	err = count_input(&in, o, &n);
	input_close(&in);
	if (err < 0)
		status = cmd_error(c, err, "%s", cmd_quotef(c, path));
	put_counts(c, o, &n, name);
	add_counts(sum, &n);
	return status;
}

/* --- names from a file --- */

/* The names in the list as an array, for the width of numbers; only regular files are read so. */
static int listed_width(struct cmd *c, const struct wc_opts *o)
{
	struct vfs_stat st;
	struct bytes all;

	if (cmd_stat(c, o->files0, &st) != 0 || (st.mode & S_FMT) != S_REG ||
	    cmd_read_all(c, o->files0, &all) != 0)
		return 1;
	char **names = arena_array(c->arena, all.len + 1, sizeof(char *));
	int n = 0;

	for (size_t at = 0; at < all.len; at += strlen(all.ptr + at) + 1)
		if (all.ptr[at] != '\0')
			names[n++] = arena_dup(c->arena, bytes_of(all.ptr + at));
	return number_width(c, o, names, n);
}

static int count_listed(struct cmd *c, struct wc_opts *o)
{
	struct input in;
	struct counts sum = { 0 };
	struct bytes name;
	size_t n = 0;
	int status = 0;
	int err = input_open(&in, c, o->files0);

	if (c->nargs > 0) {
		cmd_error(c, 0, "extra operand %s", cmd_quoteaf(c, c->args[0]));
		cmd_err_write(c, "file operands cannot be combined with --files0-from\n", 52);
		return cmd_usage(c, NULL);
	}
	if (err < 0)
		return cmd_error(c, err, "cannot open %s for reading", cmd_quoteaf(c, o->files0));
	o->digits = listed_width(c, o);
	while ((err = input_line(&in, '\0', &name)) > 0) {
		n++;
		if (in.is_stdin && bytes_is(name, "-")) {
			status = cmd_error(c, 0, CMD_NO_DASH, "'-'");
			continue;
		}
		if (name.len == 0) {
			status = cmd_error(c, 0, "%s:%zu: invalid zero-length file name",
					   cmd_quotef(c, o->files0), n);
			continue;
		}
		char *path = arena_dup(c->arena, name);

		if (count_file(c, o, path, path, &sum) != 0)
			status = 1;
	}
	if (err < 0)
		status = cmd_error(c, err, "%s: read error", cmd_quotef(c, o->files0));
	if (n > 1)
		put_counts(c, o, &sum, "total");
	return status;
}

static int wc_run(struct cmd *c)
{
	struct wc_opts *o = c->opts;
	struct counts sum = { 0 };
	int status = 0;

	c->out.by_line = true; /* GNU wc does so, for the sake of processes side by side */
	if (!o->lines && !o->words && !o->chars && !o->bytes && !o->width)
		o->lines = o->words = o->bytes = true;
	if (o->files0 != NULL)
		return count_listed(c, o);
	o->digits = number_width(c, o, c->files, c->nfiles);
	for (int i = 0; i < c->nfiles; i++)
		if (count_file(c, o, c->files[i], c->nargs > 0 ? c->files[i] : NULL, &sum) != 0)
			status = 1;
	if (c->nargs > 1)
		put_counts(c, o, &sum, "total");
	return status;
}

const struct builtin builtin_wc = {
	.name = "wc",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Counts lines, words and bytes of each file, and of all together.",
	.run = wc_run,
	.opts = wc_options,
	.opts_size = sizeof(struct wc_opts),
	.flags = BUILTIN_WRITE_BARE,
};
