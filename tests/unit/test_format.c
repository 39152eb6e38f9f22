/* SPDX-License-Identifier: MIT
 *
 * base/format.h against libc's snprintf, and the escapes.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/format.h"
#include "tests/unit/check.h"
#include "tests/unit/scratch.h"

static size_t some_format(char *out, char conv)
{
	size_t at = 0;

	out[at++] = '%';
	for (uint64_t n = rnd() % 4; n > 0; n--)
		out[at++] = "-+ #0"[rnd() % 5];
	if (rnd() % 2)
		at += (size_t)sprintf(out + at, "%d", (int)(rnd() % 30));
	if (rnd() % 2)
		at += (size_t)sprintf(out + at, ".%d", (int)(rnd() % 20));
	out[at++] = 'j';
	out[at++] = conv;
	out[at] = '\0';
	return at;
}

static void compare(struct buf *b, const char *format, const char *want)
{
	if (strcmp(buf_cstr(b), want) != 0) {
		printf("%s: got \"%s\", want \"%s\"\n", format, b->ptr, want);
		check_bad = true;
	}
}

TEST(integers_as_snprintf)
{
	struct buf b = buf_in(scratch());

	for (int n = 0; n < 1000000 && !check_bad; n++) {
		char format[64];
		char want[512];
		struct format_spec spec;
		char conv = "diuoxX"[rnd() % 6];
		uint64_t v = n % 5 ? rnd() >> rnd() % 64 : 0;

		some_format(format, conv);
		snprintf(want, sizeof(want), format, (intmax_t)v);
		CHECK(format_parse(bytes_of(format), 0, &spec) == strlen(format));
		b.len = 0;
		if (conv == 'd' || conv == 'i')
			format_put_i64(&b, &spec, (int64_t)v);
		else
			format_put_u64(&b, &spec, v);
		compare(&b, format, want);
	}
}

TEST(floats_as_snprintf)
{
	struct buf b = buf_in(scratch());

	for (int n = 0; n < 300000 && !check_bad; n++) {
		char format[64];
		char want[1024];
		struct format_spec spec;
		char conv = "eEfFgGaA"[rnd() % 8];
		double d = (double)(int64_t)rnd() / (double)(1 + (rnd() >> rnd() % 64));
		size_t len = some_format(format, conv);

		/* glibc loses zeros of %#g that appear by rounding up. */
		if ((conv | 0x20) == 'g' && strchr(format, '#') != NULL)
			continue;
		memmove(format + len - 2, format + len - 1, 2); /* without the j */
		snprintf(want, sizeof(want), format, d);
		format_parse(bytes_of(format), 0, &spec);
		b.len = 0;
		format_put_real(&b, &spec, real_of_double(d), true);
		compare(&b, format, want);
	}
}

TEST(strings)
{
	struct buf b = buf_in(scratch());
	struct format_spec spec;

	format_parse(BYTES("%5.2s"), 0, &spec);
	format_put_text(&b, &spec, BYTES("abc"), false);
	CHECK_STR(buf_cstr(&b), "   ab");
	b.len = 0;
	format_put_text(&b, &spec, BYTES("\xc3\xa9\xc3\xa9z"), true);
	CHECK_STR(buf_cstr(&b), "   \xc3\xa9\xc3\xa9");
	format_parse(BYTES("%-*.*s|"), 0, &spec);
	CHECK(spec.width_star && spec.precision_star && spec.conv == 's');
	format_set_width(&spec, -4);
	format_set_precision(&spec, -1);
	b.len = 0;
	format_put_text(&b, &spec, BYTES("a"), false);
	CHECK_STR(buf_cstr(&b), "a   ");
}

TEST(conversions_cut_short)
{
	struct format_spec spec;

	CHECK(format_parse(BYTES("%"), 0, &spec) == 1 && spec.conv == '\0');
	CHECK(format_parse(BYTES("%-5.3l"), 0, &spec) == 6 && spec.conv == '\0');
	CHECK(format_parse(BYTES("x%99999999999d"), 1, &spec) == 14 && spec.width == INT32_MAX);
}

static const char *escaped(const char *text, enum format_escape_mode mode,
			   enum format_escape_error *err)
{
	static struct buf b;
	struct bytes s = bytes_of(text);
	size_t at = 0;

	b = buf_in(scratch());
	*err = ESCAPE_OK;
	while (at < s.len && *err == ESCAPE_OK) {
		if (s.ptr[at] == '\\')
			*err = format_escape(&b, s, &at, mode, true);
		else
			buf_putc(&b, s.ptr[at++]);
	}
	return buf_cstr(&b);
}

TEST(escapes)
{
	enum format_escape_error err;

	CHECK_STR(escaped("\\101\\0101", ESCAPE_PRINTF, &err), "A\b1");
	CHECK_STR(escaped("\\101\\0101", ESCAPE_ECHO, &err), "\\101A");
	CHECK_STR(escaped("\\101\\0101", ESCAPE_B, &err), "AA");
	CHECK_STR(escaped("\\x41\\u00e9\\U1F600", ESCAPE_B, &err), "A\xc3\xa9\xf0\x9f\x98\x80");
	CHECK_STR(escaped("\\\"\\'", ESCAPE_PRINTF, &err), "\"'");
	CHECK_STR(escaped("\\\"", ESCAPE_B, &err), "\\\"");
	CHECK_STR(escaped("a\\", ESCAPE_B, &err), "a\\");
	CHECK_STR(escaped("a\\cb", ESCAPE_B, &err), "a");
	CHECK(err == ESCAPE_STOP);
	CHECK_STR(escaped("\\xz", ESCAPE_B, &err), "\\x");
	CHECK(err == ESCAPE_NO_HEX);
	CHECK_STR(escaped("\\uz", ESCAPE_B, &err), "\\u");
	CHECK(err == ESCAPE_NO_UNICODE);
}

int main(void)
{
	RUN(integers_as_snprintf);
	RUN(floats_as_snprintf);
	RUN(strings);
	RUN(conversions_cut_short);
	RUN(escapes);
	return check_end();
}
