/* SPDX-License-Identifier: MIT
 *
 * UTF-8: decoding, and the properties of characters.
 *
 * Properties are looked up in runs of equal code points (base/utf8_tables.h): the page of a
 * code point gives the first run to look at, the rest is bisection.
 */
#include "base/utf8.h"

#include "base/utf8_tables.h"

enum { UTF8_TOP = 0x110000 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Three bytes are there at p, the first of them 0xe0 to 0xef. */
static size_t decode3(const unsigned char *p, uint32_t *out)
{
	uint32_t c;

	if (!is_tail(p[1]) || !is_tail(p[2]))
		return 0;
	c = (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	if (c < 0x800 || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out = c;
	return 3;
}

static size_t decode4(const unsigned char *p, uint32_t *out)
{
	uint32_t c;

	if (!is_tail(p[1]) || !is_tail(p[2]) || !is_tail(p[3]))
		return 0;
	c = (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
	if (c < 0x10000 || c >= UTF8_TOP)
		return 0;
	*out = c;
	return 4;
}

size_t utf8_decode(struct bytes s, size_t at, uint32_t *out)
{
	const unsigned char *p = (const unsigned char *)s.ptr + at;
	size_t left = s.len - at;

	if (p[0] < 0x80) {
		*out = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4 || left < 2)
		return 0;
	if (p[0] < 0xe0) {
		*out = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
		return is_tail(p[1]) ? 2 : 0;
	}
	if (p[0] < 0xf0)
		return left >= 3 ? decode3(p, out) : 0;
	return left >= 4 ? decode4(p, out) : 0;
}

size_t utf8_encode(uint32_t c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c >= UTF8_TOP || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* How many bytes from `at` on are ASCII, in steps of eight. */
static size_t ascii_run(struct bytes s, size_t at)
{
	size_t from = at;
	uint64_t eight;

	while (s.len - at >= 8) {
		memcpy(&eight, s.ptr + at, 8);
		if ((eight & 0x8080808080808080u) != 0)
			break;
		at += 8;
	}
	return at - from;
}

/* The length of the character at `at`, 1 for a byte that is not part of one. */
static size_t step(struct bytes s, size_t at)
{
	uint32_t c;
	size_t n = utf8_decode(s, at, &c);

	return n != 0 ? n : 1;
}

size_t utf8_count(struct bytes s)
{
	size_t count = 0;

	for (size_t at = 0; at < s.len; count++) {
		size_t run = ascii_run(s, at);

		count += run;
		at += run;
		if (at == s.len)
			break;
		at += step(s, at);
	}
	return count;
}

size_t utf8_offset(struct bytes s, size_t n)
{
	size_t at = 0;

	while (n != 0 && at < s.len) {
		/* No further than n: who takes a text apart calls this for each part. */
		size_t end = s.len - at > n ? at + n : s.len;
		size_t run = ascii_run((struct bytes){ s.ptr, end }, at);

		at += run;
		n -= run;
		if (n == 0 || at == s.len)
			break;
		at += step(s, at);
		n--;
	}
	return at;
}

bool utf8_valid(struct bytes s)
{
	for (size_t at = 0; at < s.len;) {
		uint32_t c;
		size_t n;

		at += ascii_run(s, at);
		if (at == s.len)
			break;
		n = utf8_decode(s, at, &c);
		if (n == 0)
			return false;
		at += n;
	}
	return true;
}

/* The kind of a code point: the last run that does not begin after it. */
static const struct utf8_kind *kind_of(uint32_t c)
{
	size_t page = c >> 8;
	size_t low, high;

	if (c >= UTF8_TOP)
		c = UTF8_TOP - 1;
	if (page >= COUNT(utf8_pages))
		page = COUNT(utf8_pages) - 1;
	low = utf8_pages[page];
	high = page + 1 < COUNT(utf8_pages) ? utf8_pages[page + 1] + 1u : COUNT(utf8_runs);
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (utf8_runs[mid] >> 8 <= c)
			low = mid;
		else
			high = mid;
	}
	return &utf8_kinds[utf8_runs[low] & 0xff];
}

bool utf8_is(uint32_t c, enum utf8_class class)
{
	if (c >= UTF8_TOP)
		return false;
	return (kind_of(c)->classes >> class & 1) != 0;
}

enum utf8_class utf8_class_of(struct bytes name)
{
	static const char names[UTF8_NCLASSES][8] = {
		[UTF8_ALPHA] = "alpha", [UTF8_DIGIT] = "digit", [UTF8_ALNUM] = "alnum",
		[UTF8_UPPER] = "upper", [UTF8_LOWER] = "lower", [UTF8_SPACE] = "space",
		[UTF8_BLANK] = "blank", [UTF8_PUNCT] = "punct", [UTF8_PRINT] = "print",
		[UTF8_GRAPH] = "graph", [UTF8_CNTRL] = "cntrl", [UTF8_XDIGIT] = "xdigit",
	};

	for (unsigned i = 0; i < UTF8_NCLASSES; i++)
		if (bytes_is(name, names[i]))
			return (enum utf8_class)i;
	return UTF8_NCLASSES;
}

static uint32_t change_case(uint32_t c, const struct utf8_case_run *runs, size_t nruns)
{
	size_t low = 0;

	if (c < runs[0].first)
		return c;
	while (nruns - low > 1) {
		size_t mid = low + (nruns - low) / 2;

		if (runs[mid].first <= c)
			low = mid;
		else
			nruns = mid;
	}
	if (c > runs[low].last || (runs[low].step == 2 && ((c - runs[low].first) & 1) != 0))
		return c;
	return (uint32_t)((int32_t)c + runs[low].delta);
}

uint32_t utf8_to_upper(uint32_t c)
{
	if (c < 0x80)
		return (uint32_t)byte_to_upper((int)c);
	return c < UTF8_TOP ? change_case(c, utf8_upper_runs, COUNT(utf8_upper_runs)) : c;
}

uint32_t utf8_to_lower(uint32_t c)
{
	if (c < 0x80)
		return (uint32_t)byte_to_lower((int)c);
	return c < UTF8_TOP ? change_case(c, utf8_lower_runs, COUNT(utf8_lower_runs)) : c;
}

uint32_t utf8_next_cased(uint32_t c)
{
	size_t low = 0;
	size_t high = COUNT(utf8_upper_runs);

	/* The first run that does not end before or at c. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (utf8_upper_runs[mid].last <= c)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == COUNT(utf8_upper_runs))
		return 0;
	if (c < utf8_upper_runs[low].first)
		return utf8_upper_runs[low].first;
	return c + (uint32_t)utf8_upper_runs[low].step;
}

int utf8_width(uint32_t c)
{
	if (c >= 0x20 && c < 0x7f)
		return 1;
	return c < UTF8_TOP ? kind_of(c)->width : -1;
}

/* Names of the general categories, in the order of the generated table. */
static const char general_names[][3] = {
	"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
	"Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
};

uint32_t utf8_general_mask(struct bytes name)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < COUNT(general_names); i++) {
		const char *known = general_names[i];

		if ((name.len == 1 || name.len == 2) && name.ptr[0] == known[0] &&
		    (name.len == 1 || name.ptr[1] == known[1]))
			mask |= 1u << i;
	}
	return mask;
}

uint32_t utf8_next_run(uint32_t c, uint32_t *classes, uint32_t *general)
{
	const struct utf8_kind *kind = kind_of(c);
	size_t low = 0;
	size_t high = COUNT(utf8_runs);

	*classes = kind->classes;
	*general = 1u << kind->general;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (utf8_runs[mid] >> 8 <= c)
			low = mid;
		else
			high = mid;
	}
	return high < COUNT(utf8_runs) ? utf8_runs[high] >> 8 : UTF8_TOP;
}
