/* SPDX-License-Identifier: MIT
 *
 * Values as bytes, for saved state: written one after the other, read back in the same order.
 *
 * Numbers take 8 bytes, little-endian; a text is its length and its bytes. Reading never goes
 * beyond the end: what is not there is 0 or empty, and `bad` says so.
 */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include "base/buf.h"

static inline void pack_u64(struct buf *b, uint64_t v)
{
	char bytes[8];

	for (size_t i = 0; i < sizeof bytes; i++, v >>= 8)
		bytes[i] = (char)v;
	buf_put(b, bytes, sizeof bytes);
}

static inline void pack_bytes(struct buf *b, struct bytes s)
{
	pack_u64(b, s.len);
	buf_add(b, s);
}

/* A C string, or NULL. */
static inline void pack_text(struct buf *b, const char *s)
{
	pack_u64(b, s != NULL);
	if (s != NULL)
		pack_bytes(b, bytes_of(s));
}

struct unpack {
	const unsigned char *at;
	const unsigned char *end;
	bool bad; /* something was not there, or not possible */
};

static inline struct unpack unpack_of(struct bytes s)
{
	const unsigned char *at = (const unsigned char *)s.ptr;

	return (struct unpack){ at, at + s.len, false };
}

static inline uint64_t unpack_u64(struct unpack *u)
{
	uint64_t v = 0;

	if (u->bad || u->end - u->at < 8) {
		u->bad = true;
		return 0;
	}
	for (int i = 8; i-- > 0;)
		v = v << 8 | u->at[i];
	u->at += 8;
	return v;
}

/* At most `max`, or bad. */
static inline uint64_t unpack_below(struct unpack *u, uint64_t max)
{
	uint64_t v = unpack_u64(u);

	if (v > max) {
		u->bad = true;
		return 0;
	}
	return v;
}

/* How many things follow, each of which takes at least 8 bytes. */
static inline size_t unpack_count(struct unpack *u)
{
	return (size_t)unpack_below(u, (uint64_t)(u->end - u->at) / 8);
}

/* A view. */
static inline struct bytes unpack_bytes(struct unpack *u)
{
	uint64_t len = unpack_u64(u);
	struct bytes s = { (const char *)u->at, 0 };

	if (u->bad || len > (uint64_t)(u->end - u->at)) {
		u->bad = true;
		return (struct bytes){ "", 0 };
	}
	s.len = (size_t)len;
	u->at += len;
	return s;
}

/* A view of bytes without NUL; ptr NULL: it was NULL. */
static inline struct bytes unpack_text(struct unpack *u)
{
	struct bytes s = { NULL, 0 };

	if (unpack_below(u, 1) == 0)
		return s;
	s = unpack_bytes(u);
	if (memchr(s.ptr, '\0', s.len) != NULL) {
		u->bad = true;
		return (struct bytes){ "", 0 };
	}
	return s;
}

#endif
