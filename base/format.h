/* SPDX-License-Identifier: MIT
 *
 * The printf of the shell and of the commands: one conversion at a time.
 *
 * The caller walks its format: format_next copies what is literal and stops at a conversion;
 * the caller finds an argument for it (in its own way, with its own messages) and hands the
 * value to one of the format_put functions, which apply flags, width and precision.
 */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include "base/number.h"

enum format_flags {
	FORMAT_LEFT = 1,
	FORMAT_PLUS = 2,
	FORMAT_SPACE = 4,
	FORMAT_ALT = 8,
	FORMAT_ZERO = 16,
	FORMAT_GROUP = 32, /* ': no effect in the C locale */
};

struct format_spec {
	unsigned flags;
	int64_t width;     /* -1: none; may exceed int: see format_put */
	int64_t precision; /* -1: none */
	bool width_star;   /* '*': the caller sets width from an argument */
	bool precision_star;
	bool has_long;     /* an l before the conversion */
	char conv;         /* 0: the format ended within the conversion */
	struct bytes text; /* the conversion as written, from '%' */
};

/* Reads the conversion at format.ptr[at], which is '%'. Returns where it ends. Length modifiers
 * (h j l t z L) are skipped. conv may be any byte: the caller decides what it means. */
size_t format_parse(struct bytes format, size_t at, struct format_spec *out);
/* Sets width (precision) from the value of a '*' argument: a negative width means '-', a
 * negative precision none. */
void format_set_width(struct format_spec *spec, int64_t v);
void format_set_precision(struct format_spec *spec, int64_t v);

/* %d %i */
void format_put_i64(struct buf *out, const struct format_spec *spec, int64_t v);
/* %u %o %x %X as spec->conv says */
void format_put_u64(struct buf *out, const struct format_spec *spec, uint64_t v);
/* %e %f %g %a and their capitals. a_double: how %a shows the mantissa (number.h). */
void format_put_real(struct buf *out, const struct format_spec *spec, struct real v, bool a_double);
/* %s: width and precision count bytes, or characters. */
void format_put_text(struct buf *out, const struct format_spec *spec, struct bytes s, bool chars);

/* --- backslash escapes --- */

enum format_escape_mode {
	ESCAPE_PRINTF, /* \NNN of up to three octal digits; \" \' \? */
	ESCAPE_ECHO,   /* \0NNN; \c stops; no quotes */
	ESCAPE_B,      /* printf %b: \0NNN or \NNN; \c stops; no quotes */
};

enum format_escape_error {
	ESCAPE_OK,
	ESCAPE_STOP,       /* \c */
	ESCAPE_NO_HEX,     /* \x without digits: written as it stands */
	ESCAPE_NO_UNICODE, /* \u or \U without digits: written as it stands */
};

/*
 * Writes what the escape at s.ptr[*at] (a backslash) stands for and moves *at behind it. An
 * escape that is none is written as it stands. utf8: how \u is encoded outside ASCII; else
 * \uXXXX is written as it stands.
 */
enum format_escape_error format_escape(struct buf *out, struct bytes s, size_t *at,
				       enum format_escape_mode mode, bool utf8);

/* The character c as \u writes it: UTF-8 as it was first defined, or, where characters beyond ASCII
 * are not known, \uXXXX again. */
void format_put_unicode(struct buf *out, uint32_t c, bool utf8);

#endif
