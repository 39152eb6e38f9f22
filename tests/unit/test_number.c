/* SPDX-License-Identifier: MIT
 *
 * base/number.h against libc: millions of generated numbers, read and printed.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "tests/unit/check.h"
#include "tests/unit/scratch.h"

static double double_of_bits(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* Doubles of every size, and many that people write. */
static double some_double(void)
{
	switch (rnd() % 6) {
	case 0: return double_of_bits(rnd());
	case 1: return (double)(int64_t)rnd() / 1000;
	case 2: return (double)(int64_t)(rnd() % 2000001 - 1000000) / 100;
	case 3: return (double)(rnd() % 1000);
	case 4: return (double)(rnd() % 10000) / 8;
	default: return ldexp((double)(rnd() >> 11), (int)(rnd() % 200) - 150);
	}
}

TEST(integers_as_strtoimax)
{
	static const char alphabet[] = "0123456789+-xX abzfF 0012789";

	for (int n = 0; n < 1000000; n++) {
		char text[32];
		size_t len = rnd() % 26;

		for (size_t i = 0; i < len; i++)
			text[i] = alphabet[rnd() % (n % 2 ? 10 : sizeof(alphabet) - 1)];
		text[len] = '\0';
		int base = (int)(rnd() % 4) == 0 ? (int)(rnd() % 35) + 2 : (int)(rnd() % 3) * 8;
		char *end;
		int64_t got;
		bool over;

		if (base == 1)
			base = 0;
		errno = 0;
		int64_t want = strtoimax(text, &end, base);
		size_t used = number_parse_i64(bytes_of(text), base, &got, &over);

		if (got != want || used != (size_t)(end - text) || over != (errno == ERANGE)) {
			printf("i64 \"%s\" base %d: got %" PRId64 " used %zu\n", text, base, got,
			       used);
			check_bad = true;
			return;
		}
		uint64_t ugot;

		errno = 0;
		uint64_t uwant = strtoumax(text, &end, base);

		number_parse_u64(bytes_of(text), base, &ugot, &over);
		if (ugot != uwant || over != (errno == ERANGE)) {
			printf("u64 \"%s\" base %d\n", text, base);
			check_bad = true;
			return;
		}
	}
}

static bool same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

static bool same_long(struct real r, long double want)
{
	int exp;
	long double m = frexpl(want, &exp);

	if (r.kind == REAL_NAN || isnan(want))
		return r.kind == REAL_NAN && isnan(want);
	if (r.negative != (signbit(want) != 0))
		return false;
	if (r.kind == REAL_INF || isinf(want))
		return r.kind == REAL_INF && isinf(want);
	if (r.kind == REAL_ZERO || want == 0)
		return r.kind == REAL_ZERO && want == 0;
	return r.mant == (uint64_t)ldexpl(fabsl(m), 64) && r.exp == exp - 64;
}

static void read_one(const char *text)
{
	char *end;
	double got;
	enum real_status status;
	struct real r;

	errno = 0;
	double want = strtod(text, &end);
	size_t used = number_parse_double(bytes_of(text), &got, &status);

	/* glibc does not report every inexact subnormal written in hexadecimal. */
	bool hex = strpbrk(text, "xX") != NULL;

	if (!same_double(got, want) || used != (size_t)(end - text) ||
	    ((status != REAL_OK) != (errno == ERANGE) && !hex)) {
		printf("double \"%s\": got %.17g %zu %d, want %.17g %zu\n", text, got, used,
		       (int)status, want, (size_t)(end - text));
		check_bad = true;
	}
	if (LDBL_MANT_DIG != 64)
		return;
	errno = 0;
	long double lwant = strtold(text, &end);

	used = real_parse(bytes_of(text), REAL_LONG, &r, &status);
	if (!same_long(r, lwant) || used != (size_t)(end - text) ||
	    ((status != REAL_OK) != (errno == ERANGE) && !hex)) {
		printf("long \"%s\": got %016" PRIx64 " %d kind %d status %d, want %La\n", text,
		       r.mant, r.exp, (int)r.kind, (int)status, lwant);
		check_bad = true;
	}
}

/* clang-format off */
/* What readers of numbers get wrong. */
static const char *const odd[] = {
	"",
	"-",
	"+",
	".",
	"1.",
	".5",
	"-.5e",
	"1e",
	"1e+",
	"1e5",
	"0x",
	"0x.",
	"0x1p",
	"0x1p4",
	"0x.8",
	"0x1.8p-1",
	"0X1P+3",
	"inf",
	"-INFINITY",
	"infinit",
	"nan",
	"nan(1a_)",
	"nan(",
	"NAN(-)",
	"  12",
	"\t-3",
	"1e400",
	"1e-400",
	"1e5000",
	"1e-5000",
	"4.9e-324",
	"2e-324",
	"2.5e-324",
	"1.7976931348623157e308",
	"1.7976931348623159e308",
	"9007199254740993",
	"9007199254740992.5",
	"0e999999999999",
	"1e999999999999999999999",
	"0.1e-999999999999",
	"3.6e-4951",
	"1.8e-4951",
	"1.9e-4951",
	"1.18973149535723176502e4932",
	"1.2e4932",
	"2.2250738585072011e-308",
	"2.2250738585072014e-308",
	"00012",
	"1..2",
	"0x1.fffffffffffff8p1023",
	"0x1.fffffffffffff7p1023",
	"0x1p-1074",
	"0x1p-1075",
	"0x1.8p-1075",
	"0x123456789abcdef0123456789",
	"1,5",
	"0x1p99999999999999",
};
/* clang-format on */

TEST(reading_as_strtod)
{
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		read_one(odd[i]);
	for (int n = 0; n < 1000000 && !check_bad; n++) {
		char text[400];
		int len = 0;

		switch (rnd() % 5) {
		case 0:
			len = snprintf(text, sizeof(text), "%.*e", (int)(rnd() % 25),
				       some_double());
			break;
		case 1:
			len = snprintf(text, sizeof(text), "%" PRIu64 "e%d", rnd() >> rnd() % 64,
				       (int)(rnd() % 700) - 350);
			break;
		case 2:
			len = snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64 "e%d",
				       rnd() >> rnd() % 64, rnd() >> rnd() % 64,
				       (int)(rnd() % 10400) - 5200);
			break;
		case 3:
			len = snprintf(text, sizeof(text), "%.*f", (int)(rnd() % 30),
				       ldexp((double)(rnd() >> 11), (int)(rnd() % 80) - 60));
			break;
		default:
			len = snprintf(text, sizeof(text), "0x%" PRIx64 ".%" PRIx64 "p%d",
				       rnd() >> rnd() % 64, rnd() >> rnd() % 64,
				       (int)(rnd() % 2200) - 1100);
		}
		CHECK(len > 0);
		read_one(text);
	}
}

/* Halfway between two doubles: the longest decision there is. */
TEST(reading_ties)
{
	for (int n = 0; n < 3000 && !check_bad; n++) {
		char text[1200];
		double d = double_of_bits(rnd() >> 1 & ~((uint64_t)1 << 62));

		if (n % 3 == 0)
			d = double_of_bits(rnd() % 1000); /* subnormal */
		if (!isfinite(d))
			continue;
		long double middle = ((long double)d + (long double)nextafter(d, INFINITY)) / 2;

		snprintf(text, sizeof(text), "%.1100Lg", middle);
		read_one(text);
	}
}

static void print_one(struct buf *b, char conv, unsigned flags, int precision, double d)
{
	char format[16];
	static char want[8192];
	size_t at = 0;
	unsigned real = REAL_A_DOUBLE;

	format[at++] = '%';
	for (unsigned i = 0; i < 3; i++) {
		if ((flags >> i & 1) != 0)
			format[at++] = "#+ "[i];
	}
	real |= (flags & 1 ? REAL_ALT : 0) | (flags & 2 ? REAL_PLUS : 0) |
		(flags & 4 ? REAL_SPACE : 0);
	strcpy(format + at, ".*");
	at += 2;
	format[at++] = (flags & 8) != 0 ? (char)(conv - 32) : conv;
	format[at] = '\0';
	if ((flags & 8) != 0)
		real |= REAL_UPPER;
	snprintf(want, sizeof(want), format, precision, d);
	b->len = 0;
	real_put(b, real_of_double(d), conv, precision, real);
	/* glibc loses the zeros of %#g when all digits round up to the next power of ten. */
	if (conv == 'g' && (flags & 1) != 0 && strstr(buf_cstr(b), "1.0") != NULL)
		return;
	if (strcmp(buf_cstr(b), want) != 0) {
		printf("%s %.17g precision %d: got %s, want %s\n", format, d, precision, b->ptr,
		       want);
		check_bad = true;
	}
}

TEST(printing_as_printf)
{
	struct buf b = buf_in(scratch());

	for (int n = 0; n < 1500000 && !check_bad; n++) {
		double d = some_double();

		if (isnan(d))
			d = NAN; /* glibc shows its sign */
		print_one(&b, "aefg"[rnd() % 4], (unsigned)rnd() % 16, (int)(rnd() % 26) - 1, d);
	}
	for (int n = 0; n < 20000 && !check_bad; n++)
		print_one(&b, "efg"[rnd() % 3], (unsigned)rnd() % 16, (int)(rnd() % 1200),
			  double_of_bits(rnd() & ~((uint64_t)1 << 62)));
}

TEST(printing_long_double)
{
	struct buf b = buf_in(scratch());
	static char want[40000];

	if (LDBL_MANT_DIG != 64)
		return;
	for (int n = 0; n < 300000 && !check_bad; n++) {
		char text[64];
		char format[] = "%.*L?";
		struct real r;
		int precision = (int)(rnd() % 24) - 1;

		snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64 "e%d", rnd() >> rnd() % 64,
			 rnd() >> rnd() % 64,
			 n % 50 ? (int)(rnd() % 60) - 40 : (int)(rnd() % 9900) - 4960);
		format[4] = "aefg"[rnd() % 4];
		snprintf(want, sizeof(want), format, precision, strtold(text, NULL));
		b.len = 0;
		real_parse(bytes_of(text), REAL_LONG, &r, NULL);
		real_put(&b, r, format[4], precision, 0);
		if (strcmp(buf_cstr(&b), want) != 0) {
			printf("%s %s %d: got %s, want %s\n", format, text, precision, b.ptr, want);
			check_bad = true;
		}
	}
}

TEST(general_format_quickly)
{
	struct buf b = buf_in(scratch());

	for (int n = 0; n < 500000 && !check_bad; n++) {
		char want[64];
		double d = some_double();
		int precision = n % 2 ? 6 : (int)(rnd() % 18);

		if (isnan(d))
			continue;
		snprintf(want, sizeof(want), "%.*g", precision, d);
		b.len = 0;
		number_put_g(&b, d, precision);
		CHECK_STR(buf_cstr(&b), want);
	}
}

TEST(shortest_digits_give_the_number_back)
{
	for (int n = 0; n < 200000 && !check_bad; n++) {
		double d = fabs(some_double());
		char digits[17];
		char text[64];
		char want[64];
		int exponent;

		if (d == 0 || !isfinite(d))
			continue;
		int count = number_shortest(d, digits, &exponent);

		snprintf(text, sizeof(text), "0.%.*se%d", count, digits, exponent);
		CHECK(strtod(text, NULL) == d);
		for (int p = 1; p <= 17; p++) {
			snprintf(want, sizeof(want), "%.*e", p - 1, d);
			if (strtod(want, NULL) == d) {
				CHECK(p >= count);
				break;
			}
		}
	}
}

int main(void)
{
	RUN(integers_as_strtoimax);
	RUN(reading_as_strtod);
	RUN(reading_ties);
	RUN(printing_as_printf);
	RUN(printing_long_double);
	RUN(general_format_quickly);
	RUN(shortest_digits_give_the_number_back);
	return check_end();
}
