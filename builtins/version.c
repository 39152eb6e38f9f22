/* SPDX-License-Identifier: MIT
 *
 * Version order: runs of digits compare as numbers, letters before other characters, '~'
 * before everything, even the end. A file's suffix (".tar.gz") counts only between equals.
 */
#include "builtins/version.h"

static int order_of(struct bytes s, size_t at)
{
	if (at >= s.len)
		return -1;
	unsigned char ch = (unsigned char)s.ptr[at];

	if (byte_is_digit(ch))
		return 0;
	if (byte_is_alpha(ch))
		return ch;
	return ch == '~' ? -2 : ch + 256;
}

static bool digit_at(struct bytes s, size_t at)
{
	return at < s.len && byte_is_digit(s.ptr[at]);
}

static int compare(struct bytes a, struct bytes b)
{
	size_t i = 0;
	size_t j = 0;

	while (i < a.len || j < b.len) {
		while ((i < a.len && !digit_at(a, i)) || (j < b.len && !digit_at(b, j))) {
			int diff = order_of(a, i) - order_of(b, j);

			if (diff != 0)
				return diff;
			i++;
			j++;
		}
		while (i < a.len && a.ptr[i] == '0')
			i++;
		while (j < b.len && b.ptr[j] == '0')
			j++;
		int first = 0;

		for (; digit_at(a, i) && digit_at(b, j); i++, j++)
			if (first == 0)
				first = a.ptr[i] - b.ptr[j];
		if (digit_at(a, i))
			return 1;
		if (digit_at(b, j))
			return -1;
		if (first != 0)
			return first;
	}
	return 0;
}

/* Without suffixes such as ".tar.gz": each a dot, a letter or '~', then letters, digits, '~'. */
static struct bytes stem(struct bytes s)
{
	size_t len = 0;

	for (size_t i = 0; i < s.len;) {
		len = ++i;
		while (i + 1 < s.len && s.ptr[i] == '.' &&
		       (byte_is_alpha(s.ptr[i + 1]) || s.ptr[i + 1] == '~')) {
			for (i += 2; i < s.len && (byte_is_alnum(s.ptr[i]) || s.ptr[i] == '~'); i++)
				;
		}
	}
	return bytes_slice(s, 0, len);
}

int version_cmp(struct bytes a, struct bytes b)
{
	if (a.len == 0 || b.len == 0)
		return (a.len != 0) - (b.len != 0);
	if (a.ptr[0] == '.' || b.ptr[0] == '.') {
		if (a.ptr[0] != b.ptr[0])
			return a.ptr[0] == '.' ? -1 : 1;
		bool a_dots = bytes_is(a, ".") || bytes_is(a, "..");
		bool b_dots = bytes_is(b, ".") || bytes_is(b, "..");

		if (a_dots || b_dots)
			return a_dots && b_dots ? bytes_cmp(a, b) : a_dots ? -1 : 1;
	}
	struct bytes a_stem = stem(a);
	struct bytes b_stem = stem(b);
	int order = compare(a_stem, b_stem);

	if (order != 0 || (a_stem.len == a.len && b_stem.len == b.len))
		return order;
	return compare(a, b);
}
