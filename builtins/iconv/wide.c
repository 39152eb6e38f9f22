/* SPDX-License-Identifier: MIT
 *
 * Character sets of East Asia: two bytes a character beside those of one, three behind 0x8f in
 * EUC-JP, four in GB18030. tools/gen_iconv_tables.py says how a record is made of cells of 16
 * bits; it is unpacked when its set is asked for.
 */
#include "builtins/iconv/iconv.h"

#include "base/codec.h"

enum {
	LEAD = 0x81,
	LEADS = 126,
	TRAIL = 0x40,
	TRAILS = 191,
	PLANE = LEADS * TRAILS,
	NONE = 0xffff,
	THIRD_LEAD = 0x8f,
	/* Codes of four bytes: those below are the runs', those from HIGH_FOUR on are regular. */
	HIGH_FOUR = 189000,
	HIGH_POINT = 0x10000,
	POINTS = 0x110000,
};

/* Pairs that mean nothing but are left out together: by their first byte and the lowest second. */
struct pair_skip {
	uint8_t first;
	uint8_t last;
	uint8_t trail;
};

/* Where records are: cells from the beginning of what a family's text unpacks to. */
static const struct {
	const char *name;
	const char *text;
	size_t from;
	size_t cells;
	bool third;
	struct pair_skip skip;
} records[] = {
	{ "EUC-JP", iconv_wide_japanese, 0, 48395, true, { 0xff, 0, 0 } },
	{ "SHIFT_JIS", iconv_wide_japanese, 48395, 24335, false, { 0x81, 0xea, 0x40 } },
	{ "CP932", iconv_wide_japanese, 72730, 25089, false, { 0x89, 0xea, 0x40 } },
	{ "EUC-KR", iconv_wide_korean, 0, 24327, false, { 0xa1, 0xfd, 0 } },
	{ "CP949", iconv_wide_korean, 24327, 24325, false, { 0xff, 0, 0 } },
	{ "GB2312", iconv_wide_chinese, 0, 24325, false, { 0xa1, 0xf7, 0x80 } },
	{ "GBK", iconv_wide_chinese, 24325, 24325, false, { 0x81, 0xfe, 0x40 } },
	{ "GB18030", iconv_wide_chinese, 48650, 24973, false, { 0x81, 0xfe, 0 } },
	{ "BIG5", iconv_wide_taiwan, 0, 24329, false, { 0xa1, 0xf9, 0x80 } },
};

/* Rows of two or three numbers. */
struct rows {
	const uint16_t *row;
	size_t n;
};

struct wide {
	const uint16_t *alone;
	const uint16_t *two;
	const uint16_t *third; /* NULL: there are none of three bytes */
	struct rows four;      /* index, point, length */
	struct rows high;      /* code, point's high half, low half */
	struct pair_skip skip;
	uint16_t *code; /* by point; 0: none. Below 0x100 one byte, below 0x8000 three */
};

const char *iconv_wide_name(size_t i)
{
	return i < sizeof(records) / sizeof(records[0]) ? records[i].name : NULL;
}

/* --- unpacking --- */

/* The bytes that base64 text stands for, in the arena. */
static struct bytes from_base64(struct cmd *c, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t value[256] = { 0 };
	size_t len = strlen(text);
	char *out = arena_alloc(c->arena, len);
	size_t n = 0;
	uint32_t bits = 0;

	for (uint8_t i = 0; i < 64; i++)
		value[(unsigned char)digits[i]] = i;
	for (size_t i = 0; i < len && text[i] != '='; i++) {
		bits = bits << 6 | value[(unsigned char)text[i]];
		if (i % 4 != 0)
			out[n++] = (char)(bits >> (6 - i % 4 * 2));
	}
	cmd_charge_bytes(c, len);
	return (struct bytes){ out, n };
}

/* The first `cells` cells of what a family's text unpacks to, in the arena. */
static uint16_t *unpack(struct cmd *c, const char *text, size_t cells)
{
	struct codec_options o = { .kind = CODEC_XZ, .decode = true };
	uint16_t *out = arena_array(c->arena, cells, sizeof(*out));
	struct bytes packed = from_base64(c, text);
	struct codec z;

	if (!codec_start(&z, c->pool, &o))
		cmd_fatal(c, 0, "memory exhausted");
	z.in = (const uint8_t *)packed.ptr;
	z.in_len = packed.len;
	z.out = (uint8_t *)out;
	z.out_len = cells * sizeof(*out);
	z.flush = false;
	enum codec_result got = codec_run(&z, true);
	bool full = z.out_len == 0;

	codec_stop(&z);
	if (!full || got == CODEC_BAD)
		cmd_fatal(c, 0, "memory exhausted");
	for (size_t i = 0; i < cells; i++) {
		const uint8_t *cell = (const uint8_t *)(out + i);

		out[i] = (uint16_t)(cell[0] | cell[1] << 8);
	}
	cmd_charge_bytes(c, cells * 4);
	return out;
}

static struct rows take_rows(const uint16_t **at, size_t width)
{
	struct rows r = { *at + 1, **at };

	*at += 1 + r.n * width;
	return r;
}

static void set_code(struct wide *w, uint16_t point, unsigned code)
{
	if (w->code[point] == 0)
		w->code[point] = (uint16_t)code;
}

/* What is written for a point: of several codes the lowest, unless `special` has another one. */
static void fill_codes(struct cmd *c, struct wide *w, struct rows special)
{
	w->code = arena_zalloc(c->arena, (UINT16_MAX + 1) * sizeof(*w->code));
	for (unsigned b = 0; b < 256; b++)
		if (w->alone[b] != NONE)
			set_code(w, w->alone[b], b);
	for (unsigned i = 0; i < PLANE; i++)
		if (w->two[i] != 0)
			set_code(w, w->two[i], (LEAD + i / TRAILS) << 8 | (TRAIL + i % TRAILS));
	for (unsigned i = 0; i < PLANE && w->third != NULL; i++)
		if (w->third[i] != 0)
			set_code(w, w->third[i],
				 ((LEAD + i / TRAILS) & 0x7f) << 8 | (TRAIL + i % TRAILS));
	for (size_t i = 0; i < special.n; i++)
		w->code[special.row[i * 2]] = special.row[i * 2 + 1];
	cmd_charge_bytes(c, PLANE * 2);
}

struct wide *iconv_wide_new(struct cmd *c, size_t i)
{
	struct wide *w = arena_zalloc(c->arena, sizeof(*w));
	const uint16_t *at = unpack(c, records[i].text, records[i].from + records[i].cells);

	w->skip = records[i].skip;
	w->alone = at + records[i].from;
	w->two = w->alone + 256;
	at = w->two + PLANE;
	if (records[i].third) {
		w->third = at;
		at += PLANE;
	}
	struct rows special = take_rows(&at, 2);

	w->four = take_rows(&at, 3);
	w->high = take_rows(&at, 3);
	fill_codes(c, w, special);
	return w;
}

/* --- decoding --- */

/* The point of a code of two bytes, in a plane; 0: none. */
static uint32_t in_plane(const uint16_t *plane, unsigned lead, unsigned trail)
{
	if (lead < LEAD || lead >= LEAD + LEADS || trail < TRAIL || trail >= TRAIL + TRAILS)
		return 0;
	return plane[(lead - LEAD) * TRAILS + (trail - TRAIL)];
}

static uint32_t high_point(const struct wide *w, unsigned code)
{
	for (size_t i = 0; i < w->high.n; i++) {
		const uint16_t *row = w->high.row + i * 3;

		if (row[0] == code)
			return (uint32_t)row[1] << 16 | row[2];
	}
	return 0;
}

static bool is_digit_of_four(unsigned char ch)
{
	return ch >= '0' && ch <= '9';
}

static int decode_four(const struct wide *w, struct bytes s, size_t at, uint32_t *out)
{
	const unsigned char *b = (const unsigned char *)s.ptr + at;

	if (s.len - at < 4)
		return ICONV_SHORT;
	if (b[2] < LEAD || b[2] >= LEAD + LEADS || !is_digit_of_four(b[3]))
		return ICONV_BAD;
	uint32_t index = ((b[0] - LEAD) * 10u + b[1] - '0') * 1260u + (b[2] - LEAD) * 10u + b[3] -
			 '0';

	if (index >= HIGH_FOUR && index < HIGH_FOUR + POINTS - HIGH_POINT) {
		*out = index - HIGH_FOUR + HIGH_POINT;
		return 4;
	}
	for (size_t i = 0; i < w->four.n; i++) {
		const uint16_t *row = w->four.row + i * 3;

		if (index >= row[0] && index < (uint32_t)row[0] + row[2]) {
			*out = row[1] + index - row[0];
			return 4;
		}
	}
	return ICONV_BAD;
}

int iconv_wide_decode(const struct wide *w, struct bytes s, size_t at, uint32_t *out)
{
	const unsigned char *b = (const unsigned char *)s.ptr + at;

	*out = w->alone[b[0]];
	if (*out != NONE)
		return 1;
	if (b[0] < LEAD || b[0] >= LEAD + LEADS)
		return ICONV_BAD;
	if (s.len - at < 2)
		return ICONV_SHORT;
	if (w->four.n > 0 && is_digit_of_four(b[1]))
		return decode_four(w, s, at, out);
	if (w->third != NULL && b[0] == THIRD_LEAD) {
		if (s.len - at < 3)
			return ICONV_SHORT;
		*out = in_plane(w->third, b[1], b[2]);
		return *out != 0 ? 3 : ICONV_BAD;
	}
	*out = in_plane(w->two, b[0], b[1]);
	if (*out == 0)
		*out = high_point(w, (unsigned)b[0] << 8 | b[1]);
	return *out != 0 ? 2 : ICONV_BAD;
}

size_t iconv_wide_skip(const struct wide *w, struct bytes s, size_t at)
{
	unsigned char lead = (unsigned char)s.ptr[at];

	return s.len - at >= 2 && lead >= w->skip.first && lead <= w->skip.last &&
			       (unsigned char)s.ptr[at + 1] >= w->skip.trail
		       ? 2
		       : 1;
}

/* --- encoding --- */

static size_t put_four(uint32_t index, char out[4])
{
	out[3] = (char)('0' + index % 10);
	out[2] = (char)(LEAD + index / 10 % LEADS);
	out[1] = (char)('0' + index / 1260 % 10);
	out[0] = (char)(LEAD + index / 12600);
	return 4;
}

static size_t encode_high(const struct wide *w, uint32_t point, char out[4])
{
	for (size_t i = 0; i < w->high.n; i++) {
		const uint16_t *row = w->high.row + i * 3;

		if (((uint32_t)row[1] << 16 | row[2]) == point) {
			out[0] = (char)(row[0] >> 8);
			out[1] = (char)row[0];
			return 2;
		}
	}
	return w->four.n > 0 ? put_four(point - HIGH_POINT + HIGH_FOUR, out) : 0;
}

size_t iconv_wide_encode(const struct wide *w, uint32_t point, char out[4])
{
	size_t n = 0;

	if (point >= HIGH_POINT)
		return encode_high(w, point, out);
	unsigned code = w->code[point];

	for (size_t i = 0; code == 0 && point != 0 && i < w->four.n; i++) {
		const uint16_t *row = w->four.row + i * 3;

		if (point >= row[1] && point < (uint32_t)row[1] + row[2])
			return put_four(row[0] + point - row[1], out);
	}
	if (code == 0 && point != 0)
		return 0;
	if (code >= 0x100 && code < 0x8000) {
		out[n++] = (char)THIRD_LEAD;
		code |= 0x8000;
	}
	if (code >= 0x100)
		out[n++] = (char)(code >> 8);
	out[n++] = (char)code;
	return n;
}
