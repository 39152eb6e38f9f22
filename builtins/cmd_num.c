/* SPDX-License-Identifier: MIT
 *
 * Numbers in options, with the suffixes GNU's tools take, and sizes for people.
 */
#include "base/number.h"
#include "builtins/cmd_private.h"

/* How many times a suffix letter multiplies by its base; -1: by a fixed factor in *factor. */
static int suffix_power(char letter, uint64_t *factor)
{
	switch (letter) {
	case 'b': *factor = 512; return -1;
	case 'B': *factor = 1024; return -1;
	case 'c': *factor = 1; return -1;
	case 'w': *factor = 2; return -1;
	case 'k':
	case 'K': return 1;
	case 'm':
	case 'M': return 2;
	case 'g':
	case 'G': return 3;
	case 't':
	case 'T': return 4;
	case 'P': return 5;
	case 'E': return 6;
	case 'Z': return 7;
	default: return 8;
	}
}

static bool multiply(uint64_t *value, uint64_t by)
{
	if (*value != 0 && by > UINT64_MAX / *value) {
		*value = UINT64_MAX;
		return false;
	}
	*value *= by;
	return true;
}

/* The suffix at `at`: multiplies *value. The text after it in *end; false on overflow. */
static bool apply_suffix(const char *at, const char *suffixes, uint64_t *value, const char **end)
{
	uint64_t factor = 1024;
	int power = suffix_power(*at, &factor);
	bool fits = true;

	*end = at + 1;
	if (strchr(suffixes, '0') != NULL && at[1] == 'i' && at[2] == 'B') {
		*end = at + 3;
	} else if (strchr(suffixes, '0') != NULL && (at[1] == 'B' || at[1] == 'D')) {
		factor = power > 0 ? 1000 : factor;
		*end = at + 2;
	}
	for (int i = 0; i < (power < 0 ? 1 : power); i++)
		fits = multiply(value, factor) && fits;
	return fits;
}

static bool takes(const char *suffixes, char letter)
{
	return letter != '\0' && letter != '0' && strchr(suffixes, letter) != NULL;
}

/* The unsigned number at `at`, suffix included, up to the end of the text. */
static int parse_magnitude(const char *at, const char *suffixes, uint64_t *out)
{
	bool overflow = false;
	size_t used = 0;

	*out = 0;
	for (; byte_is_digit(at[used]); used++) {
		uint64_t digit = (uint64_t)(at[used] - '0');

		overflow |= *out > (UINT64_MAX - digit) / 10;
		*out = overflow ? UINT64_MAX : *out * 10 + digit;
	}
	if (used == 0) {
		if (!takes(suffixes, *at))
			return -E_INVAL;
		*out = 1;
	}
	at += used;
	if (takes(suffixes, *at))
		overflow |= !apply_suffix(at, suffixes, out, &at);
	if (*at != '\0')
		return -E_INVAL;
	return overflow ? -E_OVERFLOW : 0;
}

static const char *skip_space(const char *at)
{
	while (byte_is_space(*at))
		at++;
	return at;
}

int num_parse_u64(const char *text, const char *suffixes, uint64_t *out)
{
	const char *at = skip_space(text);

	return parse_magnitude(*at == '+' ? at + 1 : at, suffixes, out);
}

int num_parse_i64(const char *text, const char *suffixes, int64_t *out)
{
	const char *at = skip_space(text);
	bool negative = *at == '-';
	uint64_t value;
	int err = parse_magnitude(negative || *at == '+' ? at + 1 : at, suffixes, &value);
	uint64_t most = (uint64_t)INT64_MAX + negative;

	if (err == -E_INVAL)
		return err;
	if (value > most) {
		value = most;
		err = -E_OVERFLOW;
	}
	*out = negative ? -(int64_t)(value - (value != 0)) - (value != 0) : (int64_t)value;
	return err;
}

const char *num_start(const char *text)
{
	const char *at = skip_space(text);

	at += *at == '+';
	return byte_is_digit(*at) ? at : text;
}

bool num_plain(const char *text, uint64_t *out)
{
	return byte_is_digit(*text) && parse_magnitude(text, "", out) == 0;
}

bool num_parse_span(const char *text, int64_t *ns)
{
	struct bytes s = bytes_of(text);
	double seconds;
	size_t used = number_parse_double(s, &seconds, NULL);
	double unit = 1;

	if (used == 0 || !(seconds >= 0) || s.len > used + 1)
		return false;
	switch (text[used]) {
	case '\0':
	case 's': break;
	case 'm': unit = 60; break;
	case 'h': unit = 3600; break;
	case 'd': unit = 86400; break;
	default: return false;
	}
	seconds *= unit * 1e9;
	*ns = seconds >= 9.2e18 ? INT64_MAX : (int64_t)seconds;
	if ((double)*ns < seconds && *ns != INT64_MAX)
		++*ns;
	return true;
}

void num_human(uint64_t bytes, unsigned base, char out[8])
{
	const char *units = base == 1000 ? "kMGTPEZY" : "KMGTPEZY";
	uint64_t unit = 1;
	int power = 0;
	size_t len;

	while (bytes / unit >= base) {
		unit *= base;
		power++;
	}
	uint64_t whole = bytes / unit;
	uint64_t rest = bytes % unit;
	/* Rounded up, as df and ls do; tenths only below ten. The remainder is below 2^60. */
	uint64_t tenths = rest == 0 ? 0 : (rest * 10 - 1) / unit + 1;

	if (power > 0 && tenths == 10) {
		whole++;
		tenths = 0;
		rest = 0;
	}
	if (power > 0 && whole >= 10) {
		whole += rest != 0;
		if (whole == base) {
			whole = 1;
			power++;
			tenths = 0;
		}
	}
	len = number_put_u64(out, whole, 10, false);
	if (power > 0 && whole < 10) {
		out[len++] = '.';
		out[len++] = (char)('0' + tenths);
	}
	if (power > 0)
		out[len++] = units[power - 1];
	out[len] = '\0';
}

size_t num_format_u64(uint64_t v, char out[20])
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char text[20];
	size_t at = sizeof(text);

	while (v >= 100) {
		at -= 2;
		memcpy(text + at, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		at -= 2;
		memcpy(text + at, pairs + v * 2, 2);
	} else {
		text[--at] = (char)('0' + v);
	}
	memcpy(out, text + at, sizeof(text) - at);
	return sizeof(text) - at;
}
