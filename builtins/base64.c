/* SPDX-License-Identifier: MIT
 *
 * base64, base32, basenc - encode and decode (RFC 4648, and Z85).
 *
 * All are one code: a group of `size` bytes stands for `digits` letters, each for some bits; Z85's
 * letters are digits of a number instead. Decoding keeps a group until it is full; of a group that
 * is wrong base64 writes the bytes before the error.
 */
#include "builtins/builtin.h"

enum { GROUP_MAX = 8, WRAP_DEFAULT = 76, TEXT_STEP = 16384, BLOCK_85 = 30720 };

struct alphabet {
	const char *letters;
	unsigned bits;  /* of a letter; 0: Z85, whose letters are digits of base 85 */
	size_t size;    /* bytes of a group */
	size_t digits;  /* letters of a group */
	bool partial;   /* what a wrong group begins with is written */
	bool low_first; /* the lowest bit of a byte comes first */
};

static const struct alphabet base64 = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 3, 4, true, false,
};
static const struct alphabet base64url = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, 3, 4, true, false,
};
static const struct alphabet base32 = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 5, 8, false, false,
};
static const struct alphabet base32hex = {
	"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 5, 8, false, false,
};
static const struct alphabet base16 = { "0123456789ABCDEF", 4, 1, 2, false, false };
static const struct alphabet base2msbf = { "01", 1, 1, 8, false, false };
static const struct alphabet base2lsbf = { "01", 1, 1, 8, false, true };
static const struct alphabet z85 = {
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
	0,
	4,
	5,
	false,
	false,
};

struct base_opts {
	const struct alphabet *alphabet;
	bool decode;
	bool ignore_garbage;
	uint64_t wrap; /* letters a line; 0: all in one */
	uint64_t column;
};

static int set_wrap(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct base_opts *o = c->opts;
	int64_t wrap;
	int err = num_parse_i64(arg, "", &wrap);

	(void)opt;
	if ((err != 0 && err != -E_OVERFLOW) || arg[0] == '-')
		return cmd_error(c, 0, "invalid wrap size: %s", cmd_quote(c, arg));
	o->wrap = err != 0 ? 0 : (uint64_t)wrap;
	return 0;
}

/* --base64 and its like: the last of them counts. */
static int set_alphabet(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct {
		const char *name;
		const struct alphabet *alphabet;
	} known[] = {
		{ "base64", &base64 },       { "base64url", &base64url },
		{ "base32", &base32 },       { "base32hex", &base32hex },
		{ "base16", &base16 },       { "base2msbf", &base2msbf },
		{ "base2lsbf", &base2lsbf }, { "z85", &z85 },
	};

	(void)arg;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, opt->name) == 0)
			((struct base_opts *)c->opts)->alphabet = known[i].alphabet;
	return 0;
}

#define BASE_OPTIONS                                                                               \
	OPT_FLAG('d', "decode", struct base_opts, decode, "decode"),                               \
		OPT_FLAG('i', "ignore-garbage", struct base_opts, ignore_garbage,                  \
			 "when decoding: skip what is no letter of the alphabet"),                 \
		OPT_CALL_ARG('w', "wrap", set_wrap, "COLS",                                        \
			     "letters of a line (76); 0: no line ends"),                           \
		OPT_END()

static const struct opt base_options[] = { BASE_OPTIONS };
static const struct opt basenc_options[] = {
	OPT_CALL(0, "base64", set_alphabet, "as base64"),
	OPT_CALL(0, "base64url", set_alphabet, "base 64 with - and _ for + and /"),
	OPT_CALL(0, "base32", set_alphabet, "as base32"),
	OPT_CALL(0, "base32hex", set_alphabet, "base 32 with 0 to V"),
	OPT_CALL(0, "base16", set_alphabet, "hexadecimal"),
	OPT_CALL(0, "base2msbf", set_alphabet, "bits, the highest first"),
	OPT_CALL(0, "base2lsbf", set_alphabet, "bits, the lowest first"),
	OPT_CALL(0, "z85", set_alphabet, "ZeroMQ's base 85: groups of 4 bytes are 5 letters"),
	BASE_OPTIONS,
};

/* --- encoding --- */

static char *encode64(const char *letters, const uint8_t *at, size_t ngroups, char *out)
{
	for (; ngroups > 0; ngroups--, at += 3, out += 4) {
		uint32_t v = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];

		out[0] = letters[v >> 18];
		out[1] = letters[v >> 12 & 63];
		out[2] = letters[v >> 6 & 63];
		out[3] = letters[v & 63];
	}
	return out;
}

/* A group, maybe the last and short one, padded. */
static char *encode_group(const struct alphabet *a, const uint8_t *at, size_t n, char *out)
{
	uint64_t v = 0;
	size_t used = (n * 8 + a->bits - 1) / a->bits;

	for (size_t i = 0; i < a->size; i++)
		v = v << 8 | (i < n ? at[i] : 0);
	for (size_t i = 0; i < a->digits; i++) {
		size_t shift = a->bits * (a->digits - 1 - i);

		*out++ = i < used ? a->letters[v >> shift & ((1u << a->bits) - 1)] : '=';
	}
	return out;
}

static char *encode16(const char *letters, const uint8_t *at, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++) {
		*out++ = letters[at[i] >> 4];
		*out++ = letters[at[i] & 15];
	}
	return out;
}

static char *encode2(const struct alphabet *a, const uint8_t *at, size_t n, char *out)
{
	unsigned flip = a->low_first ? 7 : 0;

	for (size_t i = 0; i < n; i++, out += 8) {
		unsigned v = at[i];

		out[flip] = (char)('0' + (v >> 7));
		out[1 ^ flip] = (char)('0' + (v >> 6 & 1));
		out[2 ^ flip] = (char)('0' + (v >> 5 & 1));
		out[3 ^ flip] = (char)('0' + (v >> 4 & 1));
		out[4 ^ flip] = (char)('0' + (v >> 3 & 1));
		out[5 ^ flip] = (char)('0' + (v >> 2 & 1));
		out[6 ^ flip] = (char)('0' + (v >> 1 & 1));
		out[7 ^ flip] = (char)('0' + (v & 1));
	}
	return out;
}

static char *encode85(const char *letters, const uint8_t *at, size_t ngroups, char *out)
{
	for (; ngroups > 0; ngroups--, at += 4, out += 5) {
		uint32_t v = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
			     at[3];

		for (int i = 4; i >= 0; i--, v /= 85)
			out[i] = letters[v % 85];
	}
	return out;
}

/* Whole groups, by the quickest way for their kind. */
static char *encode_groups(const struct alphabet *a, const uint8_t *at, size_t ngroups, char *out)
{
	switch (a->bits) {
	case 0: return encode85(a->letters, at, ngroups, out);
	case 1: return encode2(a, at, ngroups, out);
	case 4: return encode16(a->letters, at, ngroups, out);
	case 6: return encode64(a->letters, at, ngroups, out);
	default: break;
	}
	for (; ngroups > 0; ngroups--, at += a->size)
		out = encode_group(a, at, a->size, out);
	return out;
}

static void put_wrapped(struct cmd *c, struct base_opts *o, struct bytes s)
{
	while (o->wrap != 0 && s.len > 0) {
		uint64_t room = o->wrap - o->column;
		size_t take = s.len < room ? s.len : (size_t)room;

		cmd_write(c, s.ptr, take);
		o->column += take;
		if (o->column == o->wrap) {
			cmd_putc(c, '\n');
			o->column = 0;
		}
		s = bytes_slice(s, take, s.len);
	}
	cmd_bytes(c, s);
}

static void encode(struct cmd *c, struct base_opts *o, const uint8_t *at, size_t n)
{
	const struct alphabet *a = o->alphabet;
	char text[TEXT_STEP];

	while (n > 0) {
		size_t groups = n / a->size < TEXT_STEP / a->digits ? n / a->size
								    : TEXT_STEP / a->digits;
		char *end = encode_groups(a, at, groups, text);

		at += groups * a->size;
		n -= groups * a->size;
		if (n > 0 && n < a->size && end < text + TEXT_STEP - GROUP_MAX) {
			end = encode_group(a, at, n, end);
			n = 0;
		}
		put_wrapped(c, o, (struct bytes){ text, (size_t)(end - text) });
	}
}

/* Z85 has no way to write a part of a group: nothing of the block with one is written. */
static int encode_input85(struct input *in, struct base_opts *o)
{
	uint8_t *block = arena_alloc(in->c->arena, BLOCK_85);
	size_t n;

	do {
		int ch = 0;

		for (n = 0; n < BLOCK_85 && (ch = input_byte(in)) >= 0; n++)
			block[n] = (uint8_t)ch;
		if (n % 4 != 0)
			return cmd_error(in->c, 0,
					 "invalid input (length must be multiple of 4 characters)");
		encode(in->c, o, block, n);
		if (n < BLOCK_85 && ch < -1)
			return ch;
	} while (n == BLOCK_85);
	if (o->wrap != 0 && o->column > 0)
		cmd_putc(in->c, '\n');
	return 0;
}

static int encode_input(struct input *in, struct base_opts *o)
{
	uint8_t rest[GROUP_MAX];
	size_t nrest = 0;
	size_t size = o->alphabet->size;
	struct bytes part;
	int more;

	while ((more = input_block(in, &part)) > 0) {
		const uint8_t *at = (const uint8_t *)part.ptr;
		size_t left = part.len;

		while (nrest > 0 && nrest < size && left > 0) {
			rest[nrest++] = *at++;
			left--;
		}
		if (nrest == size) {
			encode(in->c, o, rest, nrest);
			nrest = 0;
		}
		if (nrest > 0)
			continue;
		encode(in->c, o, at, left - left % size);
		nrest = left % size;
		memcpy(rest, at + left - nrest, nrest);
	}
	encode(in->c, o, rest, nrest);
	if (o->wrap != 0 && o->column > 0)
		cmd_putc(in->c, '\n');
	return more;
}

/* --- decoding --- */

struct decoder {
	const struct alphabet *a;
	int8_t value[256]; /* of a letter; -1: none */
	char group[GROUP_MAX];
	size_t n;
};

static void init_decoder(struct decoder *d, const struct alphabet *a)
{
	d->a = a;
	d->n = 0;
	memset(d->value, -1, sizeof(d->value));
	for (int i = 0; a->letters[i] != '\0'; i++)
		d->value[(unsigned char)a->letters[i]] = (int8_t)i;
}

/* How many letters a group has before its padding; false if the padding is wrong. */
static bool count_letters(const struct decoder *d, size_t *out)
{
	size_t letters = 0;
	size_t at;
	bool good = d->n == d->a->digits;

	while (letters < d->n && d->value[(unsigned char)d->group[letters]] >= 0)
		letters++;
	for (at = letters; at < d->n; at++)
		good &= d->group[at] == '=';
	*out = letters;
	/* The bits of the letters must reach a byte, and the last letter must add to it. */
	return good && letters > 0 && letters * d->a->bits / 8 > (letters - 1) * d->a->bits / 8;
}

static bool put_group85(struct cmd *c, struct decoder *d)
{
	uint64_t v = 0;

	for (size_t i = 0; i < d->n; i++) {
		int8_t value = d->value[(unsigned char)d->group[i]];

		if (value < 0)
			return false;
		v = v * 85 + (uint64_t)value;
	}
	if (d->n < d->a->digits || v > UINT32_MAX)
		return false;
	for (int shift = 24; shift >= 0; shift -= 8)
		cmd_putc(c, (char)(v >> shift));
	d->n = 0;
	return true;
}

static uint64_t reverse_byte(uint64_t v)
{
	uint64_t reversed = 0;

	for (int bit = 0; bit < 8; bit++)
		reversed |= (v >> bit & 1) << (7 - bit);
	return reversed;
}

/* Writes a group; false if it is wrong. */
static bool put_group(struct cmd *c, struct decoder *d)
{
	if (d->a->bits == 0)
		return put_group85(c, d);
	size_t letters;
	bool good = count_letters(d, &letters);
	uint64_t v = 0;

	if (!good && !d->a->partial && d->n < d->a->digits)
		return false;
	for (size_t i = 0; i < d->a->digits; i++)
		v = v << d->a->bits |
		    (i < letters ? (uint64_t)d->value[(unsigned char)d->group[i]] : 0);
	if (d->a->low_first)
		v = reverse_byte(v);
	for (size_t i = 0; i < letters * d->a->bits / 8; i++)
		cmd_putc(c, (char)(v >> (8 * (d->a->size - 1 - i))));
	d->n = 0;
	return good;
}

/* Whole groups of base64 letters without anything between them: how many bytes were used. */
static size_t decode64(struct cmd *c, const struct decoder *d, struct bytes s)
{
	const uint8_t *at = (const uint8_t *)s.ptr;
	const uint8_t *end = at + s.len / 4 * 4;
	char *to = output_space(&c->out, s.len / 4 * 3);
	char *start = to;

	for (; at < end; at += 4, to += 3) {
		int32_t v = d->value[at[0]] * (1 << 18) | d->value[at[1]] * (1 << 12) |
			    d->value[at[2]] * (1 << 6) | d->value[at[3]];

		if (v < 0)
			break;
		to[0] = (char)(v >> 16);
		to[1] = (char)(v >> 8);
		to[2] = (char)v;
	}
	output_added(&c->out, (size_t)(to - start));
	return (size_t)(at - (const uint8_t *)s.ptr);
}

static size_t decode16(struct cmd *c, const struct decoder *d, struct bytes s)
{
	const uint8_t *at = (const uint8_t *)s.ptr;
	size_t n = s.len / 2;
	char *to = output_space(&c->out, n);
	size_t i = 0;

	for (; i < n; i++) {
		int v = d->value[at[2 * i]] * 16 | d->value[at[2 * i + 1]];

		if (v < 0)
			break;
		to[i] = (char)v;
	}
	output_added(&c->out, i);
	return i * 2;
}

static bool decode_block(struct cmd *c, const struct base_opts *o, struct decoder *d,
			 struct bytes s)
{
	/* The real tool looks for these first. */
	if (d->a == &base64url && !o->ignore_garbage &&
	    (memchr(s.ptr, '+', s.len) != NULL || memchr(s.ptr, '/', s.len) != NULL))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (d->n == 0 && d->a->digits == 4 && s.len - i >= 4)
			i += decode64(c, d, bytes_slice(s, i, s.len));
		else if (d->n == 0 && d->a->digits == 2 && s.len - i >= 2)
			i += decode16(c, d, bytes_slice(s, i, s.len));
		if (i >= s.len)
			break;
		char ch = s.ptr[i];

		if (ch == '\n' ||
		    (o->ignore_garbage && ch != '=' && d->value[(unsigned char)ch] < 0))
			continue;
		d->group[d->n++] = ch;
		if (d->n == d->a->digits && !put_group(c, d))
			return false;
	}
	return true;
}

static int decode_input(struct input *in, const struct base_opts *o)
{
	struct decoder d;
	struct bytes part;
	bool good = true;
	int more;

	init_decoder(&d, o->alphabet);
	while (good && (more = input_block(in, &part)) > 0)
		good = decode_block(in->c, o, &d, part);
	if (good && more < 0)
		return more;
	if (good && d.n > 0)
		good = put_group(in->c, &d);
	return good ? 0 : cmd_error(in->c, 0, "invalid input");
}

static int base_run(struct cmd *c)
{
	struct base_opts *o = c->opts;
	struct input in;

	if (o->alphabet == NULL)
		return cmd_usage(c, "missing encoding type");
	if (c->nargs > 1)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[1]));
	int err = input_open(&in, c, c->files[0]);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, c->files[0]));
	err = o->decode                ? decode_input(&in, o)
	      : o->alphabet->bits == 0 ? encode_input85(&in, o)
				       : encode_input(&in, o);
	input_close(&in);
	return err < 0 ? cmd_error(c, err, "read error") : err;
}

static void base64_defaults(struct cmd *c)
{
	struct base_opts *o = c->opts;

	o->alphabet = &base64;
	o->wrap = WRAP_DEFAULT;
}

static void base32_defaults(struct cmd *c)
{
	struct base_opts *o = c->opts;

	o->alphabet = &base32;
	o->wrap = WRAP_DEFAULT;
}

static void basenc_defaults(struct cmd *c)
{
	((struct base_opts *)c->opts)->wrap = WRAP_DEFAULT;
}

const struct builtin builtin_base64 = {
	.name = "base64",
	.usage = "[OPTION]... [FILE]",
	.summary = "Writes FILE in base 64, or what base 64 stands for.",
	.run = base_run,
	.opts = base_options,
	.opts_size = sizeof(struct base_opts),
	.defaults = base64_defaults,
};

const struct builtin builtin_base32 = {
	.name = "base32",
	.usage = "[OPTION]... [FILE]",
	.summary = "Writes FILE in base 32, or what base 32 stands for.",
	.run = base_run,
	.opts = base_options,
	.opts_size = sizeof(struct base_opts),
	.defaults = base32_defaults,
};

const struct builtin builtin_basenc = {
	.name = "basenc",
	.usage = "ENCODING [OPTION]... [FILE]",
	.summary = "Writes FILE in one of several encodings, or what it stands for in it.",
	.run = base_run,
	.opts = basenc_options,
	.opts_size = sizeof(struct base_opts),
	.defaults = basenc_defaults,
};
