/* SPDX-License-Identifier: MIT
 *
 * UTF-8 against the C library's C.UTF-8 locale, for every code point.
 */
#define _XOPEN_SOURCE 700
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "base/utf8.h"
#include "tests/unit/check.h"

enum { TOP = 0x110000 };

TEST(every_code_point_survives)
{
	for (uint32_t c = 0; c < TOP; c++) {
		char b[4];
		uint32_t back = 0;
		size_t n = utf8_encode(c, b);

		if (c >= 0xd800 && c <= 0xdfff) {
			CHECK_EQ(n, 0);
			continue;
		}
		if (!CHECK_EQ(utf8_decode((struct bytes){ b, n }, 0, &back), n) ||
		    !CHECK_EQ(back, c))
			return;
		for (size_t cut = 1; cut < n; cut++)
			CHECK_EQ(utf8_decode((struct bytes){ b, cut }, 0, &back), 0);
	}
}

/* The same verdict as mbrtowc on random bytes. */
TEST(malformed_as_mbrtowc)
{
	srand(1);
	for (int i = 0; i < 300000; i++) {
		char b[4];
		uint32_t c = 0;
		wchar_t w = 0;
		mbstate_t state = { 0 };
		size_t want, got;

		for (int k = 0; k < 4; k++)
			b[k] = (char)(rand() % 3 ? 0x80 | (rand() & 0x7f) : rand());
		want = mbrtowc(&w, b, 4, &state);
		got = utf8_decode((struct bytes){ b, 4 }, 0, &c);
		if (want == (size_t)-1 || want == (size_t)-2 || w >= TOP)
			want = 0; /* the C library takes some past U+10FFFF */
		else if (w == 0)
			want = 1;
		if (!CHECK_EQ(got, want) || (got != 0 && !CHECK_EQ(c, w)))
			return;
	}
}

TEST(properties_as_the_locale)
{
	static const char *const names[] = {
		"alpha", "digit", "alnum", "upper", "lower", "space",
		"blank", "punct", "print", "graph", "cntrl", "xdigit",
	};
	wctype_t types[UTF8_NCLASSES];

	for (int k = 0; k < UTF8_NCLASSES; k++) {
		types[k] = wctype(names[k]);
		CHECK_EQ(utf8_class_of(bytes_of(names[k])), k);
	}
	CHECK_EQ(utf8_class_of(BYTES("alphabet")), UTF8_NCLASSES);
	CHECK_EQ(utf8_class_of(BYTES("")), UTF8_NCLASSES);
	for (uint32_t c = 0; c < TOP; c++) {
		for (int k = 0; k < UTF8_NCLASSES; k++)
			CHECK_EQ(utf8_is(c, (enum utf8_class)k), iswctype(c, types[k]) != 0);
		CHECK_EQ(utf8_to_upper(c), towupper(c));
		CHECK_EQ(utf8_to_lower(c), towlower(c));
		CHECK_EQ(utf8_width(c), wcwidth((wchar_t)c));
		if (check_bad)
			return;
	}
}

TEST(counting)
{
	struct bytes s = BYTES("a\xc3\xa9\xe2\x82\xac\xff\xe2\x82"
			       "abcdefghijk\xf0\x9f\x98\x80");

	CHECK_EQ(utf8_count(s), 18);
	CHECK_EQ(utf8_offset(s, 0), 0);
	CHECK_EQ(utf8_offset(s, 2), 3);
	CHECK_EQ(utf8_offset(s, 4), 7);
	CHECK_EQ(utf8_offset(s, 17), s.len - 4);
	CHECK_EQ(utf8_offset(s, 18), s.len);
	CHECK_EQ(utf8_offset(s, 99), s.len);
	CHECK(!utf8_valid(s));
	CHECK(utf8_valid(BYTES("abcdefgh\xc3\xa9")));
	CHECK(utf8_valid(BYTES("")));
}

TEST(categories)
{
	uint32_t classes, general;

	CHECK_EQ(utf8_next_run('A', &classes, &general), 'G');
	CHECK(general == utf8_general_mask(BYTES("Lu")));
	CHECK((classes & 1u << UTF8_UPPER) != 0);
	CHECK_EQ(utf8_general_mask(BYTES("Xy")), 0);
	CHECK_EQ(utf8_general_mask(BYTES("")), 0);
}

int main(void)
{
	if (setlocale(LC_ALL, "C.UTF-8") == NULL)
		return 1;
	RUN(every_code_point_survives);
	RUN(malformed_as_mbrtowc);
	RUN(properties_as_the_locale);
	RUN(counting);
	RUN(categories);
	return check_end();
}
