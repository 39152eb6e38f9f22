/* SPDX-License-Identifier: MIT
 *
 * cmp - compare two files byte by byte.
 */
#include "builtins/builtin.h"

struct cmp_opts {
	bool print;   /* -b */
	bool verbose; /* -l */
	bool silent;
	uint64_t skip[2];
	uint64_t limit;
};

static int bad_value(struct cmd *c, const char *what, const char *text)
{
	cmd_error(c, 0, "invalid %s value '%s'", what, text);
	return cmd_error(c, 0, "Try '%s --help' for more information.", c->name);
}

/* Of several the largest counts. */
static int parse_skip(struct cmd *c, const char *text, uint64_t *out)
{
	uint64_t skip;
	int err = num_parse_u64(text, "kKmMGTPEZY0", &skip);

	if (err != 0 && err != -E_OVERFLOW)
		return bad_value(c, "--ignore-initial", text);
	if (skip > *out)
		*out = skip;
	return 0;
}

static int set_skip(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct cmp_opts *o = c->opts;
	const char *colon = strchr(arg, ':');

	(void)opt;
	if (colon == NULL)
		return parse_skip(c, arg, &o->skip[0]) != 0 ? 2 : parse_skip(c, arg, &o->skip[1]);
	char *first = arena_dup(c->arena, (struct bytes){ arg, (size_t)(colon - arg) });

	if (parse_skip(c, first, &o->skip[0]) != 0)
		return 2;
	return parse_skip(c, colon + 1, &o->skip[1]);
}

static int set_limit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct cmp_opts *o = c->opts;
	uint64_t limit;
	int err = num_parse_u64(arg, "kKmMGTPEZY0", &limit);

	(void)opt;
	if (err != 0 && err != -E_OVERFLOW)
		return bad_value(c, "--bytes", arg);
	if (limit < o->limit)
		o->limit = limit;
	return 0;
}

static int extra_operand(struct cmd *c, const char *text)
{
	cmd_error(c, 0, "%s", text);
	return cmd_error(c, 0, "Try '%s --help' for more information.", c->name);
}

static int set_form(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct cmp_opts *o = c->opts;

	(void)arg;
	o->verbose |= opt->letter == 'l';
	o->silent |= opt->letter == 's';
	return o->verbose && o->silent ? extra_operand(c, "options -l and -s are incompatible") : 0;
}

static const struct opt cmp_options[] = {
	OPT_FLAG('b', "print-bytes", struct cmp_opts, print, "show the bytes that differ"),
	OPT_FLAG(0, "print-chars", struct cmp_opts, print, NULL),
	OPT_CALL_ARG('i', "ignore-initial", set_skip, "SKIP[:SKIP2]",
		     "skip the first bytes of both (of each) file"),
	OPT_CALL('l', "verbose", set_form, "all places where they differ"),
	OPT_CALL_ARG('n', "bytes", set_limit, "LIMIT", "compare at most LIMIT bytes"),
	OPT_CALL('s', "quiet", set_form, "write nothing"),
	OPT_CALL('s', "silent", set_form, NULL),
	OPT_END(),
};

/* A byte as cat -t shows it. */
static size_t show_byte(unsigned char b, char out[5])
{
	size_t n = 0;

	if (b >= 128) {
		out[n++] = 'M';
		out[n++] = '-';
		b = (unsigned char)(b - 128);
	}
	if (b < 32 || b == 127) {
		out[n++] = '^';
		b ^= 64;
	}
	out[n++] = (char)b;
	out[n] = '\0';
	return n;
}

/* A file, of which the part not yet compared is at hand. */
struct side {
	struct input in;
	const char *path;
	struct bytes have;
	bool at_end;
};

static void fill(struct cmd *c, struct side *s)
{
	while (s->have.len == 0 && !s->at_end) {
		int more = input_block(&s->in, &s->have);

		if (more < 0)
			cmd_fatal(c, more, "%s", s->path);
		s->at_end = more == 0;
	}
}

static void skip_bytes(struct cmd *c, struct side *s, uint64_t n)
{
	if (n > 0 && n < INT64_MAX && cmd_seek(c, s->in.fd, (int64_t)n, 1) >= 0)
		return;
	while (n > 0) {
		fill(c, s);
		if (s->at_end)
			return;
		size_t take = s->have.len < n ? s->have.len : (size_t)n;

		s->have = bytes_slice(s->have, take, s->have.len);
		n -= take;
	}
}

struct counts {
	uint64_t byte;   /* compared so far */
	uint64_t lines;  /* newlines among them */
	bool line_ended; /* the last of them was one */
	int width;       /* of byte numbers, with -l */
	bool differ;
};

static void count_lines(struct counts *n, struct bytes s)
{
	const char *at = s.ptr;
	const char *end = at + s.len;

	if (s.len == 0)
		return;
	n->line_ended = end[-1] == '\n';
	while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		n->lines++;
		at++;
	}
}

static void put_first(struct cmd *c, const struct cmp_opts *o, const struct side side[2],
		      const struct counts *n, const unsigned char b[2])
{
	char text[2][5];

	/* In the C locale bytes are characters, and are said to be, if they are not shown. */
	cmd_printf(c, "%s %s differ: %s %llu, line %llu", side[0].path, side[1].path,
		   c->utf8 || o->print ? "byte" : "char", (unsigned long long)n->byte + 1,
		   (unsigned long long)n->lines + 1);
	if (o->print) {
		show_byte(b[0], text[0]);
		show_byte(b[1], text[1]);
		cmd_printf(c, " is %3o %s %3o %s", b[0], text[0], b[1], text[1]);
	}
	cmd_putc(c, '\n');
}

static void put_place(struct cmd *c, const struct cmp_opts *o, const struct counts *n, uint64_t at,
		      const unsigned char b[2])
{
	char text[2][5];

	if (!o->print) {
		cmd_printf(c, "%*llu %3o %3o\n", n->width, (unsigned long long)at, b[0], b[1]);
		return;
	}
	show_byte(b[0], text[0]);
	show_byte(b[1], text[1]);
	cmd_printf(c, "%*llu %3o %-4s %3o %s\n", n->width, (unsigned long long)at, b[0], text[0],
		   b[1], text[1]);
}

/* Compares len bytes that both have. True: the first difference ends the command. */
static bool compare(struct cmd *c, const struct cmp_opts *o, struct side side[2], size_t len,
		    struct counts *n)
{
	struct bytes a = { side[0].have.ptr, len };
	const unsigned char *p = (const unsigned char *)a.ptr;
	const unsigned char *q = (const unsigned char *)side[1].have.ptr;
	bool same = memcmp(p, q, len) == 0;
	size_t i = 0;

	cmd_charge_bytes(c, len);
	n->differ |= !same;
	if (same || o->verbose) {
		for (; !same && i < len; i++)
			if (p[i] != q[i])
				put_place(c, o, n, n->byte + i + 1,
					  (unsigned char[2]){ p[i], q[i] });
		count_lines(n, a);
		n->byte += len;
		return false;
	}
	while (p[i] == q[i])
		i++;
	count_lines(n, bytes_slice(a, 0, i));
	n->byte += i;
	if (!o->silent)
		put_first(c, o, side, n, (unsigned char[2]){ p[i], q[i] });
	return true;
}

static void report_end(struct cmd *c, const struct cmp_opts *o, const struct side *s,
		       const struct counts *n)
{
	/* This message alone names the command itself. */
	c->name = "cmp";
	if (o->silent)
		return;
	if (n->byte == 0)
		cmd_warn(c, 0, "EOF on %s which is empty", s->path);
	else if (o->verbose)
		cmd_warn(c, 0, "EOF on %s after byte %llu", s->path, (unsigned long long)n->byte);
	else if (n->line_ended)
		cmd_warn(c, 0, "EOF on %s after byte %llu, line %llu", s->path,
			 (unsigned long long)n->byte, (unsigned long long)n->lines);
	else
		cmd_warn(c, 0, "EOF on %s after byte %llu, in line %llu", s->path,
			 (unsigned long long)n->byte, (unsigned long long)n->lines + 1);
}

static int compare_all(struct cmd *c, const struct cmp_opts *o, struct side side[2],
		       struct counts *n)
{
	while (n->byte < o->limit) {
		uint64_t left = o->limit - n->byte;
		size_t len;

		fill(c, &side[0]);
		fill(c, &side[1]);
		if (side[0].at_end && side[1].at_end)
			break;
		if (side[0].at_end || side[1].at_end) {
			report_end(c, o, &side[side[0].at_end ? 0 : 1], n);
			return 1;
		}
		len = side[0].have.len < side[1].have.len ? side[0].have.len : side[1].have.len;
		len = len < left ? len : (size_t)left;
		if (compare(c, o, side, len, n))
			return 1;
		for (int i = 0; i < 2; i++)
			side[i].have = bytes_slice(side[i].have, len, side[i].have.len);
	}
	return n->differ;
}

/* With -l: digits of the largest byte number there can be. */
static int number_width(struct cmd *c, const struct cmp_opts *o, const struct side side[2])
{
	uint64_t most = o->limit;
	char digits[20];

	for (int i = 0; i < 2; i++) {
		struct vfs_stat st;

		if (cmd_fstat(c, side[i].in.fd, &st) != 0 || (st.mode & S_FMT) != S_REG)
			continue;
		uint64_t left = st.size > o->skip[i] ? st.size - o->skip[i] : 0;

		most = left < most ? left : most;
	}
	return (int)num_format_u64(most < INT64_MAX ? most : INT64_MAX, digits);
}

/* The same file from the same place: nothing is read. */
static bool same_file(struct cmd *c, const struct cmp_opts *o, const struct side side[2])
{
	struct vfs_stat st[2];

	return o->skip[0] == o->skip[1] && cmd_fstat(c, side[0].in.fd, &st[0]) == 0 &&
	       cmd_fstat(c, side[1].in.fd, &st[1]) == 0 && st[0].dev == st[1].dev &&
	       st[0].ino == st[1].ino;
}

static int cmp_run(struct cmd *c)
{
	struct cmp_opts *o = c->opts;
	struct side *side = arena_array(c->arena, 2, sizeof(*side));
	struct counts n = { .byte = 0 };
	struct buf text = buf_in(c->arena);

	if (c->nargs == 0) {
		buf_printf(&text, "missing operand after '%s'", c->name);
		return extra_operand(c, buf_cstr(&text));
	}
	for (int i = 2; i < c->nargs && i < 4; i++)
		if (parse_skip(c, c->args[i], &o->skip[i - 2]) != 0)
			return 2;
	if (c->nargs > 4) {
		buf_printf(&text, "extra operand '%s'", c->args[4]);
		return extra_operand(c, buf_cstr(&text));
	}
	for (int i = 0; i < 2; i++) {
		side[i].path = i < c->nargs ? c->args[i] : "-";
		int err = input_open(&side[i].in, c, side[i].path);

		if (err < 0 && o->silent)
			return 2;
		if (err < 0)
			return cmd_error(c, err, "%s", side[i].path);
	}
	if (same_file(c, o, side))
		return 0;
	/* Of a directory not even nothing can be read. */
	for (int i = 0; i < 2 && o->limit == 0; i++) {
		struct vfs_stat st;

		if (cmd_fstat(c, side[i].in.fd, &st) == 0 && (st.mode & S_FMT) == S_DIR)
			cmd_fatal(c, -E_ISDIR, "%s", side[i].path);
	}
	n.width = number_width(c, o, side);
	skip_bytes(c, &side[0], o->skip[0]);
	skip_bytes(c, &side[1], o->skip[1]);
	return compare_all(c, o, side, &n);
}

static void cmp_defaults(struct cmd *c)
{
	((struct cmp_opts *)c->opts)->limit = UINT64_MAX;
}

const struct builtin builtin_cmp = {
	.name = "cmp",
	.usage = "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
	.summary =
		"Compares two files; the status is 0 if they are the same, 1 if not, 2 in trouble.",
	.run = cmp_run,
	.opts = cmp_options,
	.opts_size = sizeof(struct cmp_opts),
	.usage_status = 2,
	.error_status = 2,
	.hint = "%s: Try '%s --help' for more information.\n",
	.family = "GNU diffutils 3.8",
	.defaults = cmp_defaults,
	.write_error = "standard output",
};
