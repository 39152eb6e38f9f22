/* SPDX-License-Identifier: MIT
 *
 * Growing byte buffers, and the small printf that messages need.
 */
#include "base/buf.h"

void buf_reserve(struct buf *b, size_t n)
{
	size_t need = b->len + n + 1;
	size_t cap = b->cap < 64 ? 64 : b->cap;

	if (need <= b->len)
		need = SIZE_MAX; /* the arena refuses it */
	if (b->cap >= need)
		return;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
	b->ptr = arena_grow(b->arena, b->ptr, b->cap == 0 ? 0 : b->cap, cap);
	b->cap = cap;
}

void buf_put(struct buf *b, const void *ptr, size_t len)
{
	if (b->cap - b->len <= len)
		buf_reserve(b, len);
	if (len != 0)
		memcpy(b->ptr + b->len, ptr, len);
	b->len += len;
	b->ptr[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *cstr)
{
	buf_put(b, cstr, strlen(cstr));
}

void buf_fill(struct buf *b, char c, size_t n)
{
	buf_reserve(b, n);
	memset(b->ptr + b->len, c, n);
	b->len += n;
	b->ptr[b->len] = '\0';
}

/* Digits of v, written backwards from end; returns their beginning. */
static char *digits(char *end, uint64_t v, unsigned base, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	do {
		*--end = set[v % base];
		v /= base;
	} while (v != 0);
	return end;
}

void buf_put_u64(struct buf *b, uint64_t v)
{
	char text[24];
	char *start = digits(text + sizeof text, v, 10, false);

	buf_put(b, start, (size_t)(text + sizeof text - start));
}

void buf_put_i64(struct buf *b, int64_t v)
{
	if (v < 0)
		buf_putc(b, '-');
	buf_put_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

struct spec {
	bool left;
	bool zero;
	int width;
	int precision; /* -1: none */
	size_t size;   /* of the argument, by h l ll z j t */
	char conv;
};

static const char *parse_spec(const char *f, struct spec *s, va_list *args)
{
	*s = (struct spec){ .precision = -1 };
	for (; *f == '-' || *f == '0' || *f == '+'; f++) {
		s->left |= *f == '-';
		s->zero |= *f == '0';
	}
	if (*f == '*') {
		s->width = va_arg(*args, int);
		f++;
	}
	for (; byte_is_digit(*f); f++)
		s->width = s->width * 10 + *f - '0';
	if (*f == '.') {
		s->precision = 0;
		if (*++f == '*') {
			s->precision = va_arg(*args, int);
			f++;
		}
		for (; byte_is_digit(*f); f++)
			s->precision = s->precision * 10 + *f - '0';
	}
	s->size = sizeof(int);
	for (; *f == 'l' || *f == 'z' || *f == 'j' || *f == 't' || *f == 'h'; f++) {
		if (*f == 'l')
			s->size = s->size == sizeof(int) && f[1] != 'l' ? sizeof(long)
									: sizeof(long long);
		else if (*f != 'h')
			s->size = *f == 'j' ? sizeof(intmax_t) : sizeof(size_t);
	}
	s->conv = *f;
	return *f != '\0' ? f + 1 : f;
}

static void put_padded(struct buf *b, const struct spec *s, struct bytes text)
{
	size_t width = s->width > 0 ? (size_t)s->width : 0;
	size_t pad = width > text.len ? width - text.len : 0;

	if (s->zero && !s->left && text.len != 0 && text.ptr[0] == '-') {
		buf_putc(b, '-');
		text = bytes_slice(text, 1, text.len);
	}
	if (!s->left)
		buf_fill(b, s->zero ? '0' : ' ', pad);
	buf_add(b, text);
	if (s->left)
		buf_fill(b, ' ', pad);
}

static void put_string(struct buf *b, struct spec *s, const char *text)
{
	size_t len = 0;

	if (text == NULL)
		text = "(null)";
	while ((s->precision < 0 || len < (size_t)s->precision) && text[len] != '\0')
		len++;
	s->zero = false;
	put_padded(b, s, (struct bytes){ text, len });
}

static void put_number(struct buf *b, const struct spec *s, va_list *args)
{
	char text[32];
	char *end = text + sizeof text;
	char *start;
	bool is_signed = s->conv == 'd' || s->conv == 'i';
	unsigned base = s->conv == 'x' || s->conv == 'X' ? 16 : s->conv == 'o' ? 8 : 10;

	if (is_signed) {
		int64_t v = s->size == sizeof(int64_t) ? va_arg(*args, int64_t)
						       : va_arg(*args, int32_t);

		start = digits(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, false);
		if (v < 0)
			*--start = '-';
	} else {
		uint64_t v = s->size == sizeof(uint64_t) ? va_arg(*args, uint64_t)
							 : va_arg(*args, uint32_t);

		start = digits(end, v, base, s->conv == 'X');
	}
	put_padded(b, s, (struct bytes){ start, (size_t)(end - start) });
}

void buf_vprintf(struct buf *b, const char *format, va_list args)
{
	va_list ap;

	va_copy(ap, args);
	buf_reserve(b, 0);
	for (const char *f = format; *f != '\0';) {
		const char *percent = strchr(f, '%');
		struct spec s;

		if (percent == NULL) {
			buf_puts(b, f);
			break;
		}
		buf_put(b, f, (size_t)(percent - f));
		f = parse_spec(percent + 1, &s, &ap);
		if (s.conv == 's')
			put_string(b, &s, va_arg(ap, const char *));
		else if (s.conv == 'c')
			buf_putc(b, (char)va_arg(ap, int));
		else if (s.conv == '%')
			buf_putc(b, '%');
		else
			put_number(b, &s, &ap);
	}
	va_end(ap);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(b, format, args);
	va_end(args);
}
