/* SPDX-License-Identifier: MIT
 *
 * base64, base32 - encode and decode (RFC 4648).
 *
 * Both are one code: a group of `size` bytes stands for `digits` letters. Decoding keeps a
 * group until it is full; of a group that is wrong base64 writes the bytes before the error.
 */
#include "builtins/builtin.h"

enum { GROUP_MAX = 8, WRAP_DEFAULT = 76, ENCODE_STEP = 12288 };

struct alphabet {
	const char *letters;
	unsigned bits; /* of a letter */
	size_t size;   /* bytes of a group */
	size_t digits; /* letters of a group */
	bool partial;  /* what a wrong group begins with is written */
};

static const struct alphabet base64 = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 3, 4, true,
};
static const struct alphabet base32 = { "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 5, 8, false };

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

static const struct opt base_options[] = {
	OPT_FLAG('d', "decode", struct base_opts, decode, "decode"),
	OPT_FLAG('i', "ignore-garbage", struct base_opts, ignore_garbage,
		 "when decoding: skip what is no letter of the alphabet"),
	OPT_CALL_ARG('w', "wrap", set_wrap, "COLS", "letters of a line (76); 0: no line ends"),
	OPT_END(),
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
	char text[ENCODE_STEP / 3 * 4];

	while (n > 0) {
		size_t step = n < ENCODE_STEP / 8 * 5 ? n : ENCODE_STEP / 8 * 5;
		char *end = text;
		size_t done = 0;

		if (a->size == 3) {
			end = encode64(a->letters, at, step / 3, end);
			done = step / 3 * 3;
		}
		for (; done < step; done += a->size)
			end = encode_group(a, at + done,
					   step - done < a->size ? step - done : a->size, end);
		put_wrapped(c, o, (struct bytes){ text, (size_t)(end - text) });
		at += step;
		n -= step;
	}
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
	for (int i = 0; i < 1 << a->bits; i++)
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

/* Writes a group; false if it is wrong. */
static bool put_group(struct cmd *c, struct decoder *d)
{
	size_t letters;
	bool good = count_letters(d, &letters);
	uint64_t v = 0;

	if (!good && !d->a->partial && d->n < d->a->digits)
		return false;
	for (size_t i = 0; i < d->a->digits; i++)
		v = v << d->a->bits |
		    (i < letters ? (uint64_t)d->value[(unsigned char)d->group[i]] : 0);
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

static bool decode_block(struct cmd *c, const struct base_opts *o, struct decoder *d,
			 struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (d->n == 0 && d->a->digits == 4 && s.len - i >= 4)
			i += decode64(c, d, bytes_slice(s, i, s.len));
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

	if (c->nargs > 1)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[1]));
	int err = input_open(&in, c, c->files[0]);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, c->files[0]));
	err = o->decode ? decode_input(&in, o) : encode_input(&in, o);
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
