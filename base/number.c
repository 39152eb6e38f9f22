/* SPDX-License-Identifier: MIT
 *
 * Integers as text.
 */
#include "base/number.h"

/* Skips white space, sign and prefix. Returns where the digits begin. */
static size_t number_head(struct bytes s, int *base, bool *negative)
{
	size_t i = 0;

	while (i < s.len && byte_is_space((unsigned char)s.ptr[i]))
		i++;
	*negative = i < s.len && s.ptr[i] == '-';
	if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+'))
		i++;
	if ((*base == 0 || *base == 16) && s.len - i > 2 && s.ptr[i] == '0' &&
	    (s.ptr[i + 1] | 0x20) == 'x' && byte_is_xdigit((unsigned char)s.ptr[i + 2])) {
		*base = 16;
		return i + 2;
	}
	if (*base == 0)
		*base = i < s.len && s.ptr[i] == '0' ? 8 : 10;
	return i;
}

/* The magnitude, saturated. Returns the bytes used. */
static size_t number_digits(struct bytes s, int base, bool *negative, uint64_t *out, bool *over)
{
	size_t start = number_head(s, &base, negative);
	size_t i = start;
	uint64_t v = 0;

	*over = false;
	for (; i < s.len; i++) {
		int digit = byte_digit((unsigned char)s.ptr[i]);

		if (digit < 0 || digit >= base)
			break;
		if (v > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
			*over = true;
		else
			v = v * (uint64_t)base + (uint64_t)digit;
	}
	*out = *over ? UINT64_MAX : v;
	return i > start ? i : 0;
}

size_t number_parse_u64(struct bytes s, int base, uint64_t *out, bool *overflow)
{
	bool negative;
	bool over;
	size_t used = number_digits(s, base, &negative, out, &over);

	if (negative && !over)
		*out = 0 - *out;
	if (used == 0)
		*out = 0;
	if (overflow != NULL)
		*overflow = over;
	return used;
}

size_t number_parse_i64(struct bytes s, int base, int64_t *out, bool *overflow)
{
	uint64_t v;
	bool negative;
	bool over;
	size_t used = number_digits(s, base, &negative, &v, &over);
	uint64_t max = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;

	if (v > max) {
		over = true;
		v = max;
	}
	if (used == 0)
		v = 0;
	*out = (int64_t)(negative ? 0 - v : v);
	if (overflow != NULL)
		*overflow = over;
	return used;
}

bool number_is_i64(struct bytes s, int64_t *out)
{
	bool over;
	size_t used = number_parse_i64(s, 10, out, &over);

	if (used == 0 || over)
		return false;
	while (used < s.len && byte_is_blank((unsigned char)s.ptr[used]))
		used++;
	return used == s.len;
}

size_t number_put_u64(char *out, uint64_t v, unsigned base, bool upper)
{
	char text[64];
	size_t at = sizeof(text);
	char letter = upper ? 'A' - 10 : 'a' - 10;

	do {
		unsigned digit = (unsigned)(v % base);

		text[--at] = (char)(digit + (unsigned)(digit < 10 ? '0' : letter));
		v /= base;
	} while (v != 0);
	memcpy(out, text + at, sizeof(text) - at);
	return sizeof(text) - at;
}

size_t number_put_i64(char *out, int64_t v)
{
	if (v >= 0)
		return number_put_u64(out, (uint64_t)v, 10, false);
	*out = '-';
	return 1 + number_put_u64(out + 1, 0 - (uint64_t)v, 10, false);
}
