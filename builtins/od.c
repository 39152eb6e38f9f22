/* SPDX-License-Identifier: MIT
 *
 * od - write bytes as numbers or characters.
 *
 * Each output type is a spec; a line is written once for each of them. Columns are spread so
 * that specs of different sizes stand below each other.
 */
#include "builtins/builtin.h"
#include "base/number.h"

enum { WIDTH_DEFAULT = 16, WIDTH_BARE = 32, TEXT_MAX = 80 };

enum od_kind { OD_OCTAL, OD_SIGNED, OD_UNSIGNED, OD_HEX, OD_FLOAT, OD_NAME, OD_CHAR };

struct spec {
	enum od_kind kind;
	size_t size;
	size_t width; /* of a field */
	size_t pad;   /* blanks to spread over a line */
	bool text;    /* z: the characters behind */
};

struct od_opts {
	bool traditional; /* one file, and an offset */
	int radix;        /* o d x n */
	uint64_t skip;
	uint64_t limit;
	uint64_t strings; /* -S: the least length; UINT64_MAX: no */
	uint64_t width;
	bool all;
	int big_endian;
	struct spec *spec;
	size_t nspecs;
	size_t block; /* bytes of a line */
};

/* --- types --- */

static size_t field_width(enum od_kind kind, size_t size)
{
	static const uint8_t octal[] = { 3, 6, 11, 22 };
	static const uint8_t is_signed[] = { 4, 6, 11, 20 };
	static const uint8_t is_unsigned[] = { 3, 5, 10, 20 };
	size_t log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

	switch (kind) {
	case OD_OCTAL: return octal[log];
	case OD_SIGNED: return is_signed[log];
	case OD_UNSIGNED: return is_unsigned[log];
	case OD_HEX: return size * 2;
	case OD_FLOAT: return size == 4 ? 15 : size == 8 ? 24 : 29;
	default: return 3;
	}
}

static void add_spec(struct cmd *c, enum od_kind kind, size_t size)
{
	struct od_opts *o = c->opts;

	o->spec = arena_room(c->arena, o->spec, o->nspecs, sizeof(*o->spec));
	o->spec[o->nspecs++] = (struct spec){ kind, size, field_width(kind, size), 0, false };
}

/* A size behind a type letter: a number or a letter; 0 after a message. */
static size_t take_size(struct cmd *c, const char **at, const char *text, bool is_float)
{
	static const char letters[] = "CSILFD";
	static const uint8_t sizes[] = { 1, 2, 4, 8, 4, 8 };
	const char *hit = **at != '\0' ? strchr(letters, **at) : NULL;
	uint64_t n = 0;

	if (hit != NULL && (is_float ? **at == 'L' || hit - letters >= 4 : hit - letters < 4)) {
		++*at;
		return is_float && *hit == 'L' ? 16 : sizes[hit - letters];
	}
	if (!byte_is_digit(**at))
		return is_float ? 8 : 4;
	for (; byte_is_digit(**at); ++*at)
		n = n < 1000000 ? n * 10 + (uint64_t)(**at - '0') : n;
	if (is_float ? n == 4 || n == 8 || n == 16 : n == 1 || n == 2 || n == 4 || n == 8)
		return (size_t)n;
	cmd_error(c, 0, "invalid type string %s;\nthis system doesn't provide a %llu-byte %s type",
		  cmd_quote(c, text), (unsigned long long)n,
		  is_float ? "floating point" : "integral");
	return 0;
}

static int add_types(struct cmd *c, const char *text)
{
	static const char letters[] = "oduxfac";
	struct od_opts *o = c->opts;

	for (const char *at = text; *at != '\0';) {
		const char *hit = strchr(letters, *at);
		size_t size = 1;

		if (hit == NULL)
			return cmd_error(c, 0, "invalid character '%c' in type string %s", *at,
					 cmd_quote(c, text));
		enum od_kind kind = (enum od_kind)(hit - letters);

		at++;
		if (kind <= OD_FLOAT)
			size = take_size(c, &at, text, kind == OD_FLOAT);
		if (size == 0)
			return 1;
		add_spec(c, kind, size);
		if (*at == 'z') {
			o->spec[o->nspecs - 1].text = true;
			at++;
		}
	}
	return 0;
}

static int set_types(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return add_types(c, arg);
}

/* -b, -x...: short for a type. */
static int set_short(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char letters[] = "abcdDefFhHiIlLoOBsxX";
	static const char *const types[] = {
		"a",  "o1", "c",  "u2", "u4", "fD", "fF", "fD", "x2", "x4",
		"dI", "dL", "dL", "dL", "o2", "o4", "o2", "d2", "x2", "x4",
	};

	(void)arg;
	return add_types(c, types[strchr(letters, opt->letter) - letters]);
}

static int set_radix(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct od_opts *o = c->opts;

	(void)opt;
	if (arg[0] == '\0' || strchr("doxn", arg[0]) == NULL)
		return cmd_error(c, 0,
				 "invalid output address radix '%c'; it must be one character "
				 "from [doxn]",
				 arg[0]);
	o->radix = arg[0];
	return 0;
}

/* A number as C writes it, with a suffix. */
static int parse_number(const char *text, uint64_t *out)
{
	text = num_start(text);
	struct bytes s = bytes_of(text);
	bool overflow = false;
	size_t used = byte_is_digit(text[0]) ? number_parse_u64(s, 0, out, &overflow) : 0;
	static const char units[] = "kKmMGTPE";
	static const uint8_t powers[] = { 1, 1, 2, 2, 3, 4, 5, 6 };
	const char *hit = used > 0 && text[used] != '\0' ? strchr(units, text[used]) : NULL;
	uint64_t factor = 1;
	unsigned base = 1024;

	if (used == 0)
		return -E_INVAL;
	if (text[used] == 'b' && text[used + 1] == '\0') {
		factor = 512;
	} else if (hit != NULL) {
		const char *rest = text + used + 1;

		if (strcmp(rest, "B") == 0)
			base = 1000;
		else if (rest[0] != '\0' && strcmp(rest, "iB") != 0)
			return -E_INVAL;
		for (int i = powers[hit - units]; i > 0; i--)
			factor *= base;
	} else if (text[used] != '\0') {
		return -E_INVAL;
	}
	if (overflow || (*out != 0 && factor > UINT64_MAX / *out))
		return -E_OVERFLOW;
	*out *= factor;
	return 0;
}

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct od_opts *o = c->opts;
	uint64_t *field = opt->letter == 'j'   ? &o->skip
			  : opt->letter == 'N' ? &o->limit
			  : opt->letter == 'w' ? &o->width
					       : &o->strings;
	uint64_t n = opt->letter == 'w' ? WIDTH_BARE : 3;
	int err = arg != NULL ? parse_number(arg, &n) : 0;

	if (err != 0)
		return cmd_error(c, err == -E_OVERFLOW ? err : 0, "invalid %s%s argument '%s'",
				 err == -E_INVAL && byte_is_digit(num_start(arg)[0]) ? "suffix in "
										     : "",
				 opt_given(c, opt), arg);
	*field = n;
	return 0;
}

static const struct opt_word endian_words[] = { { "little", 0 }, { "big", 1 }, { NULL, 0 } };

#define SHORT(letter, text) OPT_CALL(letter, NULL, set_short, text)

static const struct opt od_options[] = {
	OPT_CALL_ARG('A', "address-radix", set_radix, "RADIX", "of offsets: o, d, x, n (none)"),
	OPT_ENUM(0, "endian", struct od_opts, big_endian, endian_words, "ORDER", "little or big"),
	OPT_CALL_ARG('j', "skip-bytes", set_number, "BYTES", "skip the first BYTES"),
	OPT_CALL_ARG('N', "read-bytes", set_number, "BYTES", "read at most BYTES"),
	OPT_CALL_ARG('S', NULL, set_number, "BYTES", "text of at least BYTES, up to NUL"),
	OPT_CALL_OPTIONAL(0, "strings", set_number, "BYTES", "the same; of 3 without BYTES"),
	OPT_CALL_ARG('t', "format", set_types, "TYPE", "a, c, d, f, o, u, x, with size, z"),
	OPT_FLAG('v', "output-duplicates", struct od_opts, all, "no * for lines that repeat"),
	OPT_CALL_OPTIONAL('w', "width", set_number, "BYTES", "bytes of a line (16; 32)"),
	SHORT('a', "-t a"),
	SHORT('b', "-t o1"),
	SHORT('c', "-t c"),
	SHORT('d', "-t u2"),
	SHORT('D', NULL),
	SHORT('e', NULL),
	SHORT('f', "-t fF"),
	SHORT('F', NULL),
	SHORT('h', NULL),
	SHORT('H', NULL),
	SHORT('i', "-t dI"),
	SHORT('I', NULL),
	SHORT('l', "-t dL"),
	SHORT('L', NULL),
	SHORT('o', "-t o2"),
	SHORT('O', NULL),
	SHORT('B', NULL),
	SHORT('s', "-t d2"),
	SHORT('x', "-t x2"),
	SHORT('X', NULL),
	OPT_FLAG(0, "traditional", struct od_opts, traditional, "one file, behind it an offset"),
	OPT_END(),
};

/* --- fields --- */

static uint64_t load(const struct od_opts *o, const uint8_t *at, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)at[i] << (8 * (o->big_endian ? size - 1 - i : i));
	return v;
}

static struct real load_real(const struct od_opts *o, const uint8_t *at, size_t size)
{
	uint64_t low = load(o, o->big_endian && size == 16 ? at + 8 : at, size > 8 ? 8 : size);
	union {
		uint64_t bits;
		double value;
	} d = { .bits = low };

	if (size == 8)
		return real_of_double(d.value);
	if (size == 4) {
		union {
			uint32_t bits;
			float value;
		} f = { .bits = (uint32_t)low };

		return real_of_double((double)f.value);
	}
	unsigned head = (unsigned)load(o, o->big_endian ? at + 6 : at + 8, 2);
	int exponent = (int)(head & 0x7fff);
	struct real r = { low, exponent - 16383 - 63, REAL_FINITE, (head & 0x8000) != 0 };

	if (exponent == 0x7fff)
		r.kind = low << 1 == 0 ? REAL_INF : REAL_NAN;
	else if (low == 0)
		r.kind = REAL_ZERO;
	else if (exponent != 0 && low >> 63 == 0)
		r.kind = REAL_NAN;
	for (r.exp += exponent == 0; r.kind == REAL_FINITE && r.mant >> 63 == 0; r.exp--)
		r.mant <<= 1;
	return r;
}

/* Whether text reads back as the same number of that size. */
static bool reads_back(struct bytes text, struct real r, size_t size)
{
	struct real back;

	real_parse(text, size == 16 ? REAL_LONG : REAL_DOUBLE, &back, NULL);
	if (size == 4)
		return (float)real_to_double(back) == (float)real_to_double(r);
	return back.kind == r.kind && back.mant == r.mant && back.exp == r.exp;
}

/* The fewest digits that read back as the same. */
static void put_real(struct buf *out, struct real r, size_t size)
{
	int digits = size == 4 ? 6 : size == 8 ? 15 : 18;
	int most = size == 4 ? 9 : size == 8 ? 17 : 21;
	int exp_min = size == 4 ? -126 : size == 8 ? -1022 : -16382;

	if (r.kind == REAL_FINITE && r.exp + 63 < exp_min)
		digits = 1;
	for (;; digits++) {
		out->len = 0;
		real_put(out, r, 'g', digits, 0);
		if (r.kind != REAL_FINITE || digits >= most || reads_back(buf_bytes(out), r, size))
			return;
	}
}

static void put_name(struct buf *out, uint8_t b)
{
	static const char names[][4] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",  "ht",  "nl",
		"vt",  "ff",  "cr",  "so",  "si",  "dle", "dc1", "dc2", "dc3", "dc4", "nak",
		"syn", "etb", "can", "em",  "sub", "esc", "fs",  "gs",  "rs",  "us",  "sp",
	};

	b &= 0x7f;
	if (b <= ' ')
		buf_puts(out, names[b]);
	else if (b == 0x7f)
		buf_puts(out, "del");
	else
		buf_putc(out, (char)b);
}

static void put_char(struct buf *out, uint8_t b)
{
	static const char escapes[] = "abtnvfr";

	if (b == 0)
		buf_puts(out, "\\0");
	else if (b >= '\a' && b <= '\r')
		buf_printf(out, "\\%c", escapes[b - '\a']);
	else if (byte_is_print(b))
		buf_putc(out, (char)b);
	else
		buf_printf(out, "%03o", (unsigned)b);
}

static void put_number(struct buf *out, const struct spec *s, uint64_t v)
{
	char digits[65];
	size_t len;

	if (s->kind == OD_SIGNED) {
		uint64_t sign = (uint64_t)1 << (8 * s->size - 1);

		buf_put_i64(out, (int64_t)((v ^ sign) - sign));
		return;
	}
	len = number_put_u64(digits, v,
			     s->kind == OD_OCTAL ? 8
			     : s->kind == OD_HEX ? 16
						 : 10,
			     false);
	if (s->kind != OD_UNSIGNED)
		buf_fill(out, '0', s->width - len);
	buf_put(out, digits, len);
}

static void put_field(const struct od_opts *o, const struct spec *s, const uint8_t *at,
		      struct buf *out)
{
	out->len = 0;
	if (s->kind == OD_NAME)
		put_name(out, *at);
	else if (s->kind == OD_CHAR)
		put_char(out, *at);
	else if (s->kind == OD_FLOAT)
		put_real(out, load_real(o, at, s->size), s->size);
	else
		put_number(out, s, load(o, at, s->size));
}

/* --- lines --- */

static void put_offset(struct cmd *c, const struct od_opts *o, uint64_t offset)
{
	char digits[65];
	size_t least = o->radix == 'x' ? 6 : 7;
	size_t len = number_put_u64(digits, offset,
				    o->radix == 'x'   ? 16
				    : o->radix == 'd' ? 10
						      : 8,
				    false);

	if (o->radix == 'n')
		return;
	for (size_t i = len; i < least; i++)
		cmd_putc(c, '0');
	cmd_write(c, digits, len);
}

static void put_blanks(struct cmd *c, size_t n)
{
	for (; n > 0; n--)
		cmd_putc(c, ' ');
}

/* One spec's part of a line; n bytes of the block are there. */
static void put_spec(struct cmd *c, const struct od_opts *o, const struct spec *s,
		     const uint8_t *block, size_t n, struct buf *text)
{
	size_t fields = o->block / s->size;
	size_t have = (n + s->size - 1) / s->size;
	size_t pad_left = s->pad;

	for (size_t i = 0; i < fields; i++) {
		size_t next_pad = s->pad * (fields - i - 1) / fields;
		size_t width = pad_left - next_pad + s->width;

		pad_left = next_pad;
		if (i >= have) {
			put_blanks(c, s->text ? width : 0);
			continue;
		}
		put_field(o, s, block + i * s->size, text);
		put_blanks(c, width > text->len ? width - text->len : 0);
		cmd_write(c, text->ptr, text->len);
	}
	if (s->text) {
		cmd_puts(c, "  >");
		for (size_t i = 0; i < n; i++)
			cmd_putc(c, byte_is_print(block[i]) ? (char)block[i] : '.');
		cmd_putc(c, '<');
	}
	cmd_putc(c, '\n');
}

static void put_line(struct cmd *c, const struct od_opts *o, uint64_t offset, const uint8_t *block,
		     size_t n, struct buf *text)
{
	for (size_t i = 0; i < o->nspecs; i++) {
		if (i == 0)
			put_offset(c, o, offset);
		else
			put_blanks(c, o->radix == 'n' ? 0 : o->radix == 'x' ? 6 : 7);
		put_spec(c, o, &o->spec[i], block, n, text);
	}
	cmd_charge(c, n / 4 + 1);
}

/* --- all files as one --- */

struct source {
	struct cmd *c;
	const struct od_opts *o;
	struct input in;
	int next; /* file to be opened next */
	bool open;
	bool any;    /* a file was opened */
	bool device; /* such as /dev/null: one can go anywhere */
	int status;
	uint64_t left;
	bool skipping;
};

/* The file that is open, or the next that can be opened. False: there is none. */
static bool have_file(struct source *s)
{
	struct vfs_stat st;

	while (!s->open && s->next < s->c->nfiles) {
		const char *path = s->c->files[s->next++];
		int err = input_open(&s->in, s->c, path);

		if (err < 0)
			s->status = cmd_error(s->c, err, "%s", cmd_quotef(s->c, path));
		else
			s->open = s->any = true;
		s->device = s->open && cmd_fstat(s->c, s->in.fd, &st) == 0 &&
			    (st.mode & S_FMT) == S_CHR && cmd_seek(s->c, s->in.fd, 0, 1) >= 0;
	}
	return s->open;
}

/* A byte; -1 behind the last, -2 where skipping is at a device. */
static int next_byte(struct source *s)
{
	while (s->left > 0) {
		if (!have_file(s))
			return -1;
		if (s->skipping && s->device)
			return -2;
		int b = input_byte(&s->in);

		if (b >= 0) {
			s->left--;
			return b;
		}
		if (b < -1)
			s->status = cmd_error(s->c, b + 1, "%s", cmd_quotef(s->c, s->in.name));
		input_close(&s->in);
		s->open = false;
	}
	return -1;
}

static size_t read_block(struct source *s, uint8_t *block, size_t n)
{
	size_t have = 0;

	while (have < n) {
		int b = next_byte(s);

		if (b < 0)
			break;
		block[have++] = (uint8_t)b;
	}
	return have;
}

static void dump(struct cmd *c, const struct od_opts *o, struct source *s)
{
	uint8_t *block = arena_array(c->arena, o->block * 2 + 16, 1);
	uint8_t *before = block + o->block;
	struct buf text = buf_in(c->arena);
	uint64_t offset = o->skip;
	bool first = true;
	bool starred = false;
	size_t n;

	while ((n = read_block(s, block, o->block)) > 0) {
		memset(block + n, 0, o->block - n);
		if (!o->all && !first && n == o->block && memcmp(block, before, n) == 0) {
			if (!starred)
				cmd_puts(c, "*\n");
			starred = true;
		} else {
			put_line(c, o, offset, block, n, &text);
			starred = false;
		}
		memcpy(before, block, o->block);
		first = false;
		offset += n;
	}
	if (!s->any && s->status != 0)
		return;
	put_offset(c, o, offset);
	if (o->radix != 'n')
		cmd_putc(c, '\n');
}

static void put_string(struct cmd *c, const struct od_opts *o, uint64_t offset, struct bytes s)
{
	put_offset(c, o, offset);
	if (o->radix != 'n')
		cmd_putc(c, ' ');
	cmd_write(c, s.ptr, s.len);
	cmd_putc(c, '\n');
}

/* -S: runs of text that end in NUL; or at -N, then the real one shows the place before. */
static void dump_strings(struct cmd *c, const struct od_opts *o, struct source *s)
{
	struct buf run = buf_in(c->arena);
	bool limited = o->limit != UINT64_MAX;
	uint64_t end = o->skip + o->limit;
	uint64_t offset = o->skip;
	int b;

	for (; (b = next_byte(s)) >= 0; offset++) {
		if (run.len == 0 && limited && (end < o->strings || end - o->strings <= offset))
			return;
		if (byte_is_print(b)) {
			buf_putc(&run, (char)b);
			continue;
		}
		if (b == 0 && run.len >= o->strings)
			put_string(c, o, offset - run.len, buf_bytes(&run));
		run.len = 0;
		if (offset % 1024 == 0)
			cmd_charge(c, 16);
	}
	if (limited && offset == end && run.len >= o->strings && run.len != 0)
		put_string(c, o, offset - run.len - 1, buf_bytes(&run));
}

/* --- layout --- */

static size_t common_multiple(const struct od_opts *o)
{
	size_t most = 1;

	for (size_t i = 0; i < o->nspecs; i++)
		most = o->spec[i].size > most ? o->spec[i].size : most;
	return most;
}

static void lay_out(struct cmd *c, struct od_opts *o)
{
	size_t multiple = common_multiple(o);
	size_t widest = 0;

	o->block = WIDTH_DEFAULT;
	if (o->width != UINT64_MAX) {
		o->block = (size_t)o->width;
		if (o->width == 0 || o->width % multiple != 0 || o->width > 1 << 20) {
			cmd_error(c, 0, "warning: invalid width %llu; using %zu instead",
				  (unsigned long long)o->width, multiple);
			o->block = multiple;
		}
	}
	for (size_t i = 0; i < o->nspecs; i++) {
		size_t width = (o->spec[i].width + 1) * (o->block / o->spec[i].size);

		widest = width > widest ? width : widest;
	}
	for (size_t i = 0; i < o->nspecs; i++)
		o->spec[i].pad = widest - o->block / o->spec[i].size * o->spec[i].width;
}

static int od_run(struct cmd *c)
{
	struct od_opts *o = c->opts;
	struct source s = { .c = c, .o = o, .left = UINT64_MAX };

	if (o->strings != UINT64_MAX && o->nspecs > 0)
		return cmd_error(c, 0, "no type may be specified when dumping strings");
	if (o->nspecs == 0)
		add_types(c, "oS");
	if (o->traditional && c->nargs > 1) {
		cmd_error(c, 0, "extra operand %s", cmd_quote(c, c->args[1]));
		return cmd_usage(c, "compatibility mode supports at most one file");
	}
	lay_out(c, o);
	s.skipping = true;
	for (uint64_t left = o->skip; left > 0; left--) {
		int b = next_byte(&s);

		if (b == -2)
			break;
		if (b < 0 && !s.any)
			return s.status;
		if (b < 0)
			return cmd_error(c, 0, "cannot skip past end of combined input");
		if (left % 1024 == 0)
			cmd_charge(c, 16);
	}
	s.skipping = false;
	s.left = o->limit;
	if (o->strings != UINT64_MAX)
		dump_strings(c, o, &s);
	else
		dump(c, o, &s);
	/* What -N left is for whoever reads on. */
	if (s.open)
		input_close(&s.in);
	return s.status;
}

/* "od FILE +OFFSET[b]", also OFFSET alone behind a file. */
static int od_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct od_opts *o = c->opts;
	const char *text = argv[i] + (argv[i][0] == '+');
	size_t digits = strspn(text, "0123456789");
	uint64_t n;
	const char *rest = text + digits;

	if (i + 1 != argc || (argv[i][0] != '+' && i != 2) || digits == 0 || argv[1][0] == '-')
		return 0;
	if (rest[*rest == 'b'] != '\0')
		return 0;
	number_parse_u64((struct bytes){ text, digits }, 8, &n, NULL);
	o->skip = *rest == 'b' ? n * 512 : n;
	return 1;
}

static void od_defaults(struct cmd *c)
{
	struct od_opts *o = c->opts;

	o->radix = 'o';
	o->limit = o->strings = o->width = UINT64_MAX;
}

const struct builtin builtin_od = {
	.name = "od",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes the bytes of all files as octal words, or as TYPE says.",
	.run = od_run,
	.opts = od_options,
	.opts_size = sizeof(struct od_opts),
	.legacy = od_legacy,
	.defaults = od_defaults,
};
