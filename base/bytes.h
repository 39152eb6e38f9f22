/* SPDX-License-Identifier: MIT
 *
 * Byte strings: a pointer and a length, never "a C string, hopefully".
 *
 * A struct bytes is a view: it owns nothing, and lives as long as what it points to.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const char *ptr;
	size_t len;
};

#define BYTES(literal) ((struct bytes){ (literal), sizeof(literal) - 1 })

static inline struct bytes bytes_of(const char *cstr)
{
	return (struct bytes){ cstr, strlen(cstr) };
}

/* What is empty may be nowhere (NULL). */
static inline bool bytes_eq(struct bytes a, struct bytes b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool bytes_is(struct bytes a, const char *cstr)
{
	return a.len == strlen(cstr) && memcmp(a.ptr, cstr, a.len) == 0;
}

static inline bool bytes_starts(struct bytes s, struct bytes prefix)
{
	return s.len >= prefix.len && memcmp(s.ptr, prefix.ptr, prefix.len) == 0;
}

static inline bool bytes_ends(struct bytes s, struct bytes suffix)
{
	return s.len >= suffix.len &&
	       memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0;
}

/* The part from `from` up to, not including, `to`. Both must lie within s, whose pointer may be
 * NULL if it is empty. */
static inline struct bytes bytes_slice(struct bytes s, size_t from, size_t to)
{
	return (struct bytes){ s.ptr != NULL ? s.ptr + from : NULL, to - from };
}

/* As memcmp; a prefix sorts before what it begins. */
int bytes_cmp(struct bytes a, struct bytes b);

/* Where `needle` first (last) occurs in hay, or NULL. An empty needle is found at the edge. */
const char *bytes_find(struct bytes hay, struct bytes needle);
const char *bytes_rfind(struct bytes hay, struct bytes needle);

/* Whether there is nothing but zero bytes in it. */
bool bytes_are_zero(struct bytes s);

/* A 64-bit hash that is the same on every platform (FNV-1a with a final mix). */
uint64_t bytes_hash(struct bytes s);

/* ASCII only, whatever the locale of the host. */
static inline bool byte_is_digit(int c)
{
	return c >= '0' && c <= '9';
}
static inline bool byte_is_lower(int c)
{
	return c >= 'a' && c <= 'z';
}
static inline bool byte_is_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}
static inline bool byte_is_alpha(int c)
{
	return byte_is_lower(c | 0x20);
}
static inline bool byte_is_alnum(int c)
{
	return byte_is_digit(c) || byte_is_alpha(c);
}
static inline bool byte_is_name(int c)
{
	return byte_is_alnum(c) || c == '_';
}
static inline bool byte_is_blank(int c)
{
	return c == ' ' || c == '\t';
}
static inline bool byte_is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}
static inline bool byte_is_print(int c)
{
	return c >= 0x20 && c < 0x7f;
}
static inline bool byte_is_punct(int c)
{
	return byte_is_print(c) && c != ' ' && !byte_is_alnum(c);
}
static inline bool byte_is_xdigit(int c)
{
	return byte_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Without the blanks, newlines and their like at its end. */
static inline struct bytes bytes_trim_end(struct bytes s)
{
	while (s.len > 0 && byte_is_space((unsigned char)s.ptr[s.len - 1]))
		s.len--;
	return s;
}
/* The same at both ends. */
static inline struct bytes bytes_trim(struct bytes s)
{
	while (s.len > 0 && byte_is_space((unsigned char)s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	return bytes_trim_end(s);
}
static inline int byte_to_lower(int c)
{
	return byte_is_upper(c) ? c + 32 : c;
}
static inline int byte_to_upper(int c)
{
	return byte_is_lower(c) ? c - 32 : c;
}
/* The value of a digit in bases up to 36, or -1. */
static inline int byte_digit(int c)
{
	if (byte_is_digit(c))
		return c - '0';
	return byte_is_alpha(c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* How often the byte occurs. */
uint64_t bytes_count(struct bytes s, char byte);

#endif
