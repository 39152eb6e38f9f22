/* SPDX-License-Identifier: MIT
 *
 * A growing byte buffer in an arena. There is always a NUL behind the bytes once something
 * was put, so buf.ptr can serve as a C string where the bytes contain no NUL.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/heap.h"

struct buf {
	struct arena *arena;
	char *ptr;
	size_t len;
	size_t cap;
};

static inline struct buf buf_in(struct arena *a)
{
	return (struct buf){ .arena = a };
}

static inline struct bytes buf_bytes(const struct buf *b)
{
	return (struct bytes){ b->len != 0 ? b->ptr : "", b->len };
}

/* Room for n more bytes and the NUL. */
void buf_reserve(struct buf *b, size_t n);

static inline void buf_putc(struct buf *b, char c)
{
	if (b->cap - b->len < 2)
		buf_reserve(b, 1);
	b->ptr[b->len++] = c;
	b->ptr[b->len] = '\0';
}

void buf_put(struct buf *b, const void *ptr, size_t len);
void buf_puts(struct buf *b, const char *cstr);
static inline void buf_add(struct buf *b, struct bytes s)
{
	buf_put(b, s.ptr, s.len);
}
void buf_fill(struct buf *b, char c, size_t n);
/* Decimal. */
void buf_put_i64(struct buf *b, int64_t v);
void buf_put_u64(struct buf *b, uint64_t v);
/* The subset of printf that messages need: %s %c %d %i %u %x %o %ld %lu %lld %llu %zu %jd
 * %ju with width, '-', '0' and precision for %s, %% and %.*s. No floating point. */
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *format, va_list args);
/* The bytes as a C string; "" when nothing was put. Valid until the next put. */
static inline char *buf_cstr(struct buf *b)
{
	buf_reserve(b, 0);
	b->ptr[b->len] = '\0';
	return b->ptr;
}

#endif
