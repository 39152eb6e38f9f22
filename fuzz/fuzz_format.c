/* SPDX-License-Identifier: MIT
 *
 * Any printf format, escape, number, time format and zone: nothing is read or written outside,
 * and numbers that are printed exactly are read back as what they were.
 *
 * Input: a byte that chooses, eight bytes of a number, the text.
 */
#include "fuzz/arena.h"

#include "base/format.h"
#include "base/time.h"

enum { WIDTH_MAX = 4000 };

static void format_once(struct arena *a, struct bytes text, uint64_t bits, double d)
{
	struct buf out = buf_in(a);
	struct format_spec spec;
	char with_percent[256] = "%";
	size_t len = text.len < 254 ? text.len : 254;

	memcpy(with_percent + 1, text.ptr, len);
	struct bytes format = { with_percent, len + 1 };
	size_t end = format_parse(format, 0, &spec);

	require(end <= format.len && spec.text.len == end);
	spec.width = spec.width > WIDTH_MAX ? WIDTH_MAX : spec.width;
	spec.precision = spec.precision > WIDTH_MAX ? WIDTH_MAX : spec.precision;
	format_put_i64(&out, &spec, (int64_t)bits);
	format_put_u64(&out, &spec, bits);
	format_put_text(&out, &spec, text, (bits & 1) != 0);
	spec.conv = "eEfFgGaA"[bits % 8];
	format_put_real(&out, &spec, real_of_double(d), (bits & 2) != 0);
}

static void read_back(struct arena *a, double d)
{
	struct buf out = buf_in(a);
	double back;

	if (d != d || d - d != 0)
		return;
	real_put(&out, real_of_double(d), 'g', 17, 0);
	require(number_parse_double(buf_bytes(&out), &back, NULL) == out.len && back == d);
	out.len = 0;
	real_put(&out, real_of_double(d), 'a', -1, 0);
	require(number_parse_double(buf_bytes(&out), &back, NULL) == out.len && back == d);
}

static void read_numbers(struct arena *a, struct bytes text)
{
	struct buf out = buf_in(a);
	struct real r;
	int64_t i;
	uint64_t u;
	bool over;

	require(number_parse_i64(text, 0, &i, &over) <= text.len);
	require(number_parse_u64(text, 16, &u, &over) <= text.len);
	require(real_parse(text, REAL_LONG, &r, NULL) <= text.len);
	real_put(&out, r, 'g', 25, 0);
	require(real_parse(text, REAL_DOUBLE, &r, NULL) <= text.len);
	real_put(&out, r, 'e', 20, 0);
	real_to_i64(r);
}

static void escapes(struct arena *a, struct bytes text, unsigned mode)
{
	struct buf out = buf_in(a);

	for (size_t at = 0; at < text.len;) {
		size_t before = at;

		if (text.ptr[at] != '\\') {
			at++;
			continue;
		}
		format_escape(&out, text, &at, (enum format_escape_mode)(mode % 3),
			      (mode & 4) != 0);
		require(at > before && at <= text.len);
	}
}

static void times(struct arena *a, struct bytes text, int64_t when)
{
	struct buf out = buf_in(a);
	struct zone *z = zone_of_file(a, text);
	struct civil c;

	if (z == NULL)
		z = zone_of_text(a, arena_dup(a, text));
	time_civil(z, when, &c);
	require(c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= 31);
	if (text.len > 200)
		text.len = 200;
	time_format(&out, text, &c, when, (when & 1) != 0 ? TIME_LIBC : 5);
	time_of_civil(z, &c);
}

static void check_input(struct arena *a, const uint8_t *data, size_t size)
{
	struct bytes text = { (const char *)data + 9, size - 9 };
	uint64_t bits;
	double d;

	memcpy(&bits, data + 1, sizeof(bits));
	memcpy(&d, &bits, sizeof(d));
	switch (data[0] % 4) {
	case 0:
		format_once(a, text, bits, d);
		read_back(a, d);
		break;
	case 1: read_numbers(a, text); break;
	case 2: escapes(a, text, (unsigned)bits); break;
	default: times(a, text, (int64_t)bits);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return size >= 9 ? fuzz_in_arena(check_input, data, size) : 0;
}
