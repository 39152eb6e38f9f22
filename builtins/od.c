/* SPDX-License-Identifier: MIT
 *
 * od - show bytes as numbers or characters, a block of some bytes a line.
 *
 * Each format prints the whole block on a line of its own; all lines of a block are as wide as
 * the widest, and what a narrower one lacks is spread over its fields. Not here: -S, long double.
 */
#include "base/format.h"
#include "builtins/builtin.h"

enum { SPECS_MAX = 64, BLOCK_MAX = 1 << 16 };

/* One output format: a letter of -t and the size of its items in bytes. */
struct spec {
	char kind; /* a c d f o u x */
	unsigned size;
	bool text;      /* z: the characters behind */
	unsigned width; /* of a field, without the blank before it */
};

struct od {
	struct spec spec[SPECS_MAX];
	unsigned nspecs;
	char radix;
	bool verbose;
	bool big_endian;
	bool width_given;
	uint64_t skip;
	uint64_t limit;
	bool limited;
	size_t block;
	/* while reading */
	struct cmd *c;
	int file;
	struct input in;
	bool open;
	int status;
	uint64_t at;
};

/* --- formats --- */

static unsigned field_width(char kind, unsigned size)
{
	static const unsigned octal[] = { 3, 6, 11, 22 };
	static const unsigned sign[] = { 4, 6, 11, 20 };
	static const unsigned plain[] = { 3, 5, 10, 20 };
	unsigned log = (unsigned)__builtin_ctz(size);

	switch (kind) {
	case 'o': return octal[log];
	case 'd': return sign[log];
	case 'u': return plain[log];
	case 'x': return size * 2;
	case 'f': return size == 4 ? 15 : 24;
	default: return 3;
	}
}

static void add_spec(struct od *o, char kind, unsigned size, bool text)
{
	if (o->nspecs < SPECS_MAX)
		o->spec[o->nspecs++] = (struct spec){ kind, size, text, field_width(kind, size) };
}

/* The size behind a type letter: digits, or C, S, I, L for integers and F, D for reals. */
static int read_size(struct cmd *c, const char **at, const char *whole)
{
	static const char names[] = "CSILFD";
	static const unsigned sizes[] = { 1, 2, 4, 8, 4, 8 };
	char kind = (*at)[-1];
	const char *name = **at != '\0' ? strchr(names, **at) : NULL;
	unsigned size = kind == 'f' ? 8 : 4;

	if (name != NULL && (kind == 'f') == (name - names >= 4)) {
		++*at;
		return (int)sizes[name - names];
	}
	if (byte_is_digit(**at))
		for (size = 0; byte_is_digit(**at) && size < 1000; ++*at)
			size = size * 10 + (unsigned)(**at - '0');
	if (kind == 'f' ? size == 4 || size == 8 : size == 1 || size == 2 || size == 4 || size == 8)
		return (int)size;
	cmd_error(c, 0, "invalid type string %s;\nthis system doesn't provide a %u-byte %s type",
		  cmd_quote(c, whole), size, kind == 'f' ? "floating point" : "integral");
	return -1;
}

static int opt_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct od *o = c->opts;
	const char *at = arg;

	(void)opt;
	while (*at != '\0') {
		char kind = *at++;
		int size = 1;

		if (strchr("acdfoux", kind) == NULL)
			return cmd_error(c, 0, "invalid character '%c' in type string %s", kind,
					 cmd_quote(c, arg));
		if (kind != 'a' && kind != 'c' && (size = read_size(c, &at, arg)) < 0)
			return 1;
		add_spec(o, kind, (unsigned)size, *at == 'z');
		at += *at == 'z';
	}
	return 0;
}

/* The traditional letters: each stands for a format. */
static int opt_letter(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct {
		char letter, kind, size;
	} old[] = { { 'a', 'a', 1 }, { 'b', 'o', 1 }, { 'c', 'c', 1 }, { 'd', 'u', 2 },
		    { 'f', 'f', 4 }, { 'i', 'd', 4 }, { 'l', 'd', 8 }, { 'o', 'o', 2 },
		    { 's', 'd', 2 }, { 'x', 'x', 2 } };

	(void)arg;
	for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
		if (old[i].letter == opt->letter)
			add_spec(c->opts, old[i].kind, (unsigned)old[i].size, false);
	return 0;
}

static int opt_radix(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (strchr("doxn", arg[0]) == NULL || arg[0] == '\0')
		return cmd_error(c, 0,
				 "invalid output address radix '%c'; it must be one character from "
				 "[doxn]",
				 arg[0]);
	((struct od *)c->opts)->radix = arg[0];
	return 0;
}

static int read_number(struct cmd *c, char letter, const char *arg, uint64_t *out)
{
	int base = strncmp(arg, "0x", 2) == 0 ? 16 : arg[0] == '0' ? 8 : 10;
	struct bytes text = bytes_of(arg);
	size_t used = 0;
	uint64_t v = 0;

	if (base == 16)
		text = bytes_slice(text, 2, text.len);
	for (; used < text.len && byte_digit(text.ptr[used]) >= 0 &&
	       byte_digit(text.ptr[used]) < base;
	     used++)
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)byte_digit(text.ptr[used]), &v))
			return cmd_error(c, -E_OVERFLOW, "-%c argument '%s' too large", letter,
					 arg);
	if (used != 0 && used == text.len) {
		*out = v;
		return 0;
	}
	if (used != 0 && base == 10 && num_parse_u64(arg, "bkKmMGTPEZY0", out) == 0)
		return 0;
	return cmd_error(c, 0, "invalid -%c argument '%s'", letter, arg);
}

static int opt_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct od *o = c->opts;
	uint64_t v = 32;
	int status = arg != NULL ? read_number(c, (char)opt->letter, arg, &v) : 0;

	if (status != 0)
		return status;
	if (opt->letter == 'j') {
		o->skip = v;
	} else if (opt->letter == 'N') {
		o->limit = v;
		o->limited = true;
	} else {
		o->width_given = true;
		o->block = v < BLOCK_MAX ? (size_t)v : BLOCK_MAX;
	}
	return 0;
}

static const struct opt_word endian_words[] = { { "little", 0 }, { "big", 1 }, { NULL, 0 } };

static int opt_endian(struct cmd *c, const struct opt *opt, const char *arg)
{
	int big = 0;
	int status = opt_word(c, endian_words, "--endian", arg, &big);

	(void)opt;
	((struct od *)c->opts)->big_endian = big == 1;
	return status;
}

static const struct opt od_options[] = {
	OPT_CALL_ARG('A', "address-radix", opt_radix, "RADIX",
		     "of offsets: d, o, x, or n for none"),
	OPT_CALL_ARG(0, "endian", opt_endian, "ORDER", "of bytes: big or little"),
	OPT_CALL_ARG('j', "skip-bytes", opt_number, "BYTES", "not shown at the start"),
	OPT_CALL_ARG('N', "read-bytes", opt_number, "BYTES", "shown at most"),
	OPT_MISSING_ARG('S', "strings"),
	OPT_CALL_ARG('t', "format", opt_format, "TYPE",
		     "a c d[SIZE] f[SIZE] o[SIZE] u[SIZE] x[SIZE]"),
	OPT_FLAG('v', "output-duplicates", struct od, verbose, "no * for equal lines"),
	OPT_CALL_OPTIONAL('w', "width", opt_number, "BYTES", "a line; 32 without a number"),
	OPT_MISSING(0, "traditional"),
	OPT_CALL('a', NULL, opt_letter, "-t a"),
	OPT_CALL('b', NULL, opt_letter, "-t o1"),
	OPT_CALL('c', NULL, opt_letter, "-t c"),
	OPT_CALL('d', NULL, opt_letter, "-t u2"),
	OPT_CALL('f', NULL, opt_letter, "-t fF"),
	OPT_CALL('i', NULL, opt_letter, "-t dI"),
	OPT_CALL('l', NULL, opt_letter, "-t dL"),
	OPT_CALL('o', NULL, opt_letter, "-t o2"),
	OPT_CALL('s', NULL, opt_letter, "-t d2"),
	OPT_CALL('x', NULL, opt_letter, "-t x2"),
	OPT_END(),
};

/* --- fields --- */

static uint64_t item(const struct od *o, const unsigned char *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[o->big_endian ? size - 1 - i : i] << (8 * i);
	return v;
}

static void put_char_field(struct buf *out, unsigned char ch)
{
	static const char escapes[] = "\0\a\b\t\n\v\f\r";
	static const char letters[] = "0abtnvfr";
	const char *hit = memchr(escapes, ch, sizeof escapes - 1);

	if (hit != NULL)
		buf_printf(out, "\\%c", letters[hit - escapes]);
	else if (byte_is_print(ch))
		buf_putc(out, (char)ch);
	else
		buf_printf(out, "%03o", ch);
}

static void put_named_field(struct buf *out, unsigned char ch)
{
	static const char names[33][4] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",  "ht",  "nl",
		"vt",  "ff",  "cr",  "so",  "si",  "dle", "dc1", "dc2", "dc3", "dc4", "nak",
		"syn", "etb", "can", "em",  "sub", "esc", "fs",  "gs",  "rs",  "us",  "sp",
	};

	ch &= 127;
	if (ch <= ' ')
		buf_puts(out, names[ch]);
	else if (ch == 127)
		buf_puts(out, "del");
	else
		buf_putc(out, (char)ch);
}

/* The fewest digits that read back as the same number. */
static void put_real_field(struct buf *out, uint64_t bits, unsigned size)
{
	struct format_spec spec = { .width = -1, .conv = 'g' };
	float single;
	double v;
	uint32_t half = (uint32_t)bits;

	memcpy(&single, &half, sizeof single);
	memcpy(&v, &bits, sizeof v);
	if (size == 4)
		v = (double)single;
	for (spec.precision = size == 4 ? 6 : 15;; spec.precision++) {
		size_t len = out->len;
		double back;
		enum real_status status;

		format_put_real(out, &spec, real_of_double(v), true);
		if (spec.precision >= (size == 4 ? 9 : 17) || v != v ||
		    number_parse_double(bytes_slice(buf_bytes(out), len, out->len), &back,
					&status) == 0 ||
		    (size == 4 ? (float)back == single : back == v))
			return;
		out->len = len;
	}
}

static void put_field(struct od *o, struct buf *out, const struct spec *s, const unsigned char *p)
{
	uint64_t v = item(o, p, s->size);
	unsigned shift = 64 - 8 * s->size;

	switch (s->kind) {
	case 'a': put_named_field(out, *p); break;
	case 'c': put_char_field(out, *p); break;
	case 'd': buf_put_i64(out, (int64_t)(v << shift) >> shift); break;
	case 'u': buf_put_u64(out, v); break;
	case 'o': buf_printf(out, "%0*llo", (int)s->width, (unsigned long long)v); break;
	case 'x': buf_printf(out, "%0*llx", (int)s->width, (unsigned long long)v); break;
	default: put_real_field(out, v, s->size); break;
	}
}

/* --- lines --- */

static void put_address(struct od *o, struct buf *out)
{
	switch (o->radix) {
	case 'd': buf_printf(out, "%07llu", (unsigned long long)o->at); break;
	case 'x': buf_printf(out, "%06llx", (unsigned long long)o->at); break;
	case 'o': buf_printf(out, "%07llo", (unsigned long long)o->at); break;
	default: break;
	}
}

static size_t line_width(const struct od *o, const struct spec *s)
{
	return (s->width + 1) * (o->block / s->size);
}

static size_t widest(const struct od *o)
{
	size_t most = 0;

	for (unsigned i = 0; i < o->nspecs; i++)
		if (line_width(o, &o->spec[i]) > most)
			most = line_width(o, &o->spec[i]);
	return most;
}

/* The block (zero behind its n bytes) in one format. */
static void put_spec(struct od *o, struct buf *out, const struct spec *s, const unsigned char *p,
		     size_t n)
{
	size_t fields = o->block / s->size;
	size_t pad = widest(o) - line_width(o, s);
	size_t start = out->len;

	for (size_t i = 0; i * s->size < n; i++) {
		size_t next = pad * (fields - 1 - i) / fields;
		size_t before = pad * (fields - i) / fields;
		size_t from = out->len;
		size_t len;

		put_field(o, out, s, p + i * s->size);
		len = out->len - from;
		if (len < s->width + 1 + before - next) {
			size_t blanks = s->width + 1 + before - next - len;

			buf_fill(out, ' ', blanks);
			memmove(out->ptr + from + blanks, out->ptr + from, len);
			memset(out->ptr + from, ' ', blanks);
		}
	}
	if (!s->text)
		return;
	if (out->len - start < widest(o))
		buf_fill(out, ' ', widest(o) - (out->len - start));
	buf_puts(out, "  >");
	for (size_t i = 0; i < n; i++)
		buf_putc(out, byte_is_print(p[i]) ? (char)p[i] : '.');
	buf_putc(out, '<');
}

static void put_block(struct od *o, const unsigned char *p, size_t n)
{
	struct arena_mark mark = arena_mark(o->c->arena);
	struct buf out = buf_in(o->c->arena);
	static const unsigned indent[] = { ['d'] = 7, ['o'] = 7, ['x'] = 6, ['n'] = 0 };

	for (unsigned i = 0; i < o->nspecs; i++) {
		if (i == 0)
			put_address(o, &out);
		else
			buf_fill(&out, ' ', indent[(unsigned char)o->radix]);
		put_spec(o, &out, &o->spec[i], p, n);
		buf_putc(&out, '\n');
	}
	cmd_bytes(o->c, buf_bytes(&out));
	arena_release(o->c->arena, mark);
	cmd_charge_bytes(o->c, n);
}

/* --- input: the files as one stream --- */

static int next_byte(struct od *o)
{
	for (;;) {
		int byte;

		if (!o->open) {
			int err;

			if (o->file == o->c->nfiles)
				return -1;
			err = input_open(&o->in, o->c, o->c->files[o->file++]);
			if (err < 0) {
				o->status = cmd_error(o->c, err, "%s",
						      cmd_quotef(o->c, o->c->files[o->file - 1]));
				continue;
			}
			o->open = true;
		}
		byte = input_byte(&o->in);
		if (byte >= 0)
			return byte;
		if (byte < -1)
			o->status = cmd_error(o->c, byte, "%s", cmd_quotef(o->c, o->in.name));
		input_close(&o->in);
		o->open = false;
	}
}

static size_t read_block(struct od *o, unsigned char *p)
{
	size_t n = 0;
	int byte;

	memset(p, 0, o->block);
	while (n < o->block && (!o->limited || o->at + n - o->skip < o->limit) &&
	       (byte = next_byte(o)) >= 0)
		p[n++] = (unsigned char)byte;
	return n;
}

static void dump(struct od *o)
{
	unsigned char *p = arena_zalloc(o->c->arena, o->block);
	unsigned char *last = arena_zalloc(o->c->arena, o->block);
	bool starred = false;
	bool first = true;
	size_t n;

	while ((n = read_block(o, p)) != 0) {
		bool same = !first && !o->verbose && n == o->block && memcmp(p, last, n) == 0;

		if (!same)
			put_block(o, p, n);
		else if (!starred)
			cmd_puts(o->c, "*\n");
		starred = same;
		first = false;
		memcpy(last, p, o->block);
		o->at += n;
	}
}

/* Lines hold whole items of every format. */
static void set_width(struct od *o)
{
	size_t unit = 1;

	for (unsigned i = 0; i < o->nspecs; i++)
		if (o->spec[i].size > unit)
			unit = o->spec[i].size;
	if (!o->width_given) {
		o->block = 16;
	} else if (o->block == 0 || o->block % unit != 0) {
		cmd_warn(o->c, 0, "warning: invalid width %zu; using %zu instead", o->block, unit);
		o->block = unit;
	}
}

static int od_run(struct cmd *c)
{
	struct od *o = c->opts;
	struct buf end = buf_in(c->arena);

	o->c = c;
	if (o->nspecs == 0)
		add_spec(o, 'o', 2, false);
	set_width(o);
	for (; o->at < o->skip; o->at++)
		if (next_byte(o) < 0)
			return o->status != 0
				       ? o->status
				       : cmd_error(c, 0, "cannot skip past end of combined input");
	dump(o);
	if (o->status != 0 && o->at == 0)
		return o->status;
	put_address(o, &end);
	if (o->radix != 'n')
		buf_putc(&end, '\n');
	cmd_bytes(c, buf_bytes(&end));
	return o->status;
}

static void set_defaults(struct cmd *c)
{
	((struct od *)c->opts)->radix = 'o';
}

const struct builtin builtin_od = {
	.name = "od",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Shows the bytes of the files, as octal numbers unless told otherwise.",
	.run = od_run,
	.opts = od_options,
	.opts_size = sizeof(struct od),
	.defaults = set_defaults,
};
