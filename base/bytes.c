/* SPDX-License-Identifier: MIT
 *
 * Byte strings: comparing, searching, hashing.
 */
#include "base/bytes.h"

#include "base/simd.h"

int bytes_cmp(struct bytes a, struct bytes b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n != 0 ? memcmp(a.ptr, b.ptr, n) : 0;

	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

const char *bytes_find(struct bytes hay, struct bytes needle)
{
	const char *at = hay.ptr;
	const char *end;

	if (needle.len == 0 || needle.len > hay.len)
		return needle.len == 0 ? hay.ptr : NULL;
	end = hay.ptr + hay.len;
	while ((size_t)(end - at) >= needle.len) {
		at = memchr(at, needle.ptr[0], (size_t)(end - at) - needle.len + 1);
		if (at == NULL)
			return NULL;
		if (memcmp(at, needle.ptr, needle.len) == 0)
			return at;
		at++;
	}
	return NULL;
}

const char *bytes_rfind(struct bytes hay, struct bytes needle)
{
	if (needle.len > hay.len)
		return NULL;
	for (const char *at = hay.ptr + hay.len - needle.len;; at--) {
		if (memcmp(at, needle.ptr, needle.len) == 0)
			return at;
		if (at == hay.ptr)
			return NULL;
	}
}

uint64_t bytes_hash(struct bytes s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3u;
	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15u;
}

bool bytes_are_zero(struct bytes s)
{
	return s.len == 0 || (s.ptr[0] == 0 && memcmp(s.ptr, s.ptr + 1, s.len - 1) == 0);
}

uint64_t bytes_count(struct bytes s, char byte)
{
	return simd_count(s.ptr, s.len, byte);
}
