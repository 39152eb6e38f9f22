/* SPDX-License-Identifier: MIT
 *
 * The calendar, and strftime.
 */
#include "base/time.h"
#include "base/number.h"

enum { DAY_S = 86400 };

static const char *const weekdays[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
					"Thursday", "Friday", "Saturday" };
static const char *const months[] = { "January",   "February", "March",    "April",
				      "May",       "June",     "July",     "August",
				      "September", "October",  "November", "December" };

/* --- the calendar --- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Years begin in March here, so that the leap day is the last one. */
int64_t time_days(int64_t year, int month, int day)
{
	int64_t m = month - 1;

	year += floor_div(m, 12);
	m -= floor_div(m, 12) * 12;
	year -= m < 2;
	int64_t era = floor_div(year, 400);
	int64_t of_era = year - era * 400;
	int64_t of_year = (153 * (m < 2 ? m + 10 : m - 2) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void civil_of_seconds(int64_t seconds, struct civil *c)
{
	int64_t days = floor_div(seconds, DAY_S);
	int rest = (int)(seconds - days * DAY_S);
	int64_t z = days + 719468;
	int64_t era = floor_div(z, 146097);
	int64_t of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t m = (5 * of_year + 2) / 153;

	c->day = (int)(of_year - (153 * m + 2) / 5 + 1);
	c->month = (int)(m < 10 ? m + 3 : m - 9);
	c->year = year + era * 400 + (c->month <= 2);
	c->hour = rest / 3600;
	c->minute = rest / 60 % 60;
	c->second = rest % 60;
	c->weekday = (int)((days % 7 + 11) % 7);
	c->yearday = (int)(days - time_days(c->year, 1, 1));
}

/* --- strftime --- */

struct conversion {
	char pad;   /* '_', '-', '0', '+' or 0: as the conversion has it */
	bool upper; /* ^ */
	bool swap;  /* # */
	int width;  /* -1: none */
	int colons;
	char letter;
};

struct format {
	struct buf *out;
	const struct civil *c;
	int64_t seconds;
	uint32_t nanoseconds;
	int depth;
};

static void put_padding(struct format *f, const struct conversion *v, size_t len, char fill)
{
	if (v->pad == '-')
		return;
	if (v->pad == '_')
		fill = ' ';
	else if (v->pad == '0' || v->pad == '+')
		fill = '0';
	if (v->width > 0 && (size_t)v->width > len)
		buf_fill(f->out, fill, (size_t)v->width - len);
}

static void put_word(struct format *f, const struct conversion *v, struct bytes s)
{
	bool lower = v->swap && (v->letter == 'Z' || v->letter == 'p');
	bool upper = (v->upper || (v->swap && strchr("aAbBh", v->letter) != NULL)) &&
		     v->letter != 'P';

	put_padding(f, v, s.len, ' ');
	for (size_t i = 0; i < s.len; i++) {
		int c = (unsigned char)s.ptr[i];

		buf_putc(f->out, (char)(lower ? byte_to_lower(c) : upper ? byte_to_upper(c) : c));
	}
}

/* A number of at least `digits` digits; fill is what bash's padding is without flags. */
static void put_number(struct format *f, const struct conversion *v, int64_t n, int digits,
		       char fill)
{
	char text[24];
	size_t len = number_put_u64(text, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, 10, false);
	size_t width = v->width > digits ? (size_t)v->width : (size_t)digits;

	if (v->pad == '_')
		fill = ' ';
	else if (v->pad == '0' || v->pad == '+')
		fill = '0';
	size_t shown = len + (n < 0);
	size_t more = shown >= width ? 0 : width - shown;

	/* '-' takes the padding away; libc does not take away a width that was asked for. */
	if (v->pad == '-') {
		more = f->nanoseconds == TIME_LIBC && v->width > 0 && (size_t)v->width > shown
			       ? (size_t)v->width - shown
			       : 0;
		fill = ' ';
	}

	if (v->pad == '+' && n >= 0 && (more > 0 || len > (size_t)digits)) {
		more -= more > 0;
		buf_putc(f->out, '+');
	}
	if (fill == ' ')
		buf_fill(f->out, ' ', more);
	if (n < 0)
		buf_putc(f->out, '-');
	if (fill != ' ')
		buf_fill(f->out, fill, more);
	buf_put(f->out, text, len);
}

/* The ISO 8601 week and the year it belongs to. */
static int iso_week(const struct civil *c, int64_t *year)
{
	int weekday = (c->weekday + 6) % 7; /* Monday is 0 */
	int week = (c->yearday - weekday + 10) / 7;

	*year = c->year;
	if (week < 1) {
		--*year;
		int length = is_leap(*year) ? 366 : 365;

		return (c->yearday + length - weekday + 10) / 7;
	}
	int length = is_leap(c->year) ? 366 : 365;

	if (week == 53 && c->yearday - weekday + 3 >= length) {
		++*year;
		return 1;
	}
	return week;
}

static void put_offset(struct format *f, const struct conversion *v)
{
	int s = f->c->offset_s;
	unsigned u = (unsigned)(s < 0 ? -s : s);
	struct buf text = buf_in(f->out->arena);

	buf_putc(&text, s < 0 ? '-' : '+');
	if (v->colons == 0)
		buf_printf(&text, "%02u%02u", u / 3600, u / 60 % 60);
	else if (v->colons == 1)
		buf_printf(&text, "%02u:%02u", u / 3600, u / 60 % 60);
	else if (v->colons == 2 || u % 60 != 0)
		buf_printf(&text, "%02u:%02u:%02u", u / 3600, u / 60 % 60, u % 60);
	else if (u / 60 % 60 != 0)
		buf_printf(&text, "%02u:%02u", u / 3600, u / 60 % 60);
	else
		buf_printf(&text, "%02u", u / 3600);
	struct conversion plain = *v;

	if (v->pad == 0)
		plain.pad = '0';
	size_t more = v->width > 0 && (size_t)v->width > text.len ? (size_t)v->width - text.len : 0;

	if (plain.pad == '_')
		buf_fill(f->out, ' ', more);
	buf_putc(f->out, text.ptr[0]);
	if (plain.pad == '0' || plain.pad == '+')
		buf_fill(f->out, '0', more);
	buf_put(f->out, text.ptr + 1, text.len - 1);
}

static void put_nanoseconds(struct format *f, const struct conversion *v)
{
	char text[10];
	uint32_t n = f->nanoseconds;
	int digits = v->width > 0 ? v->width : 9;

	for (int i = 8; i >= 0; i--, n /= 10)
		text[i] = (char)('0' + n % 10);
	size_t len = digits < 9 ? (size_t)digits : 9;

	if (v->pad == '_' || (v->pad == '-' && v->width > 0)) {
		while (len > 1 && text[len - 1] == '0')
			len--;
	}
	buf_put(f->out, text, len);
	if (v->pad != '-' && (size_t)digits > len)
		buf_fill(f->out, v->pad == '_' ? ' ' : '0', (size_t)digits - len);
}

static void run_format(struct format *f, struct bytes format);

/* A conversion that stands for a format: padded as a whole. */
static void put_composite(struct format *f, const struct conversion *v, const char *format)
{
	struct buf text = buf_in(f->out->arena);
	struct format inner = *f;

	inner.out = &text;
	if (++inner.depth > 4)
		return;
	run_format(&inner, bytes_of(format));
	put_word(f, v, buf_bytes(&text));
}

static const char *composite_of(char letter)
{
	switch (letter) {
	case 'c': return "%a %b %e %H:%M:%S %Y";
	case 'D':
	case 'x': return "%m/%d/%y";
	case 'r': return "%I:%M:%S %p";
	case 'R': return "%H:%M";
	case 'T':
	case 'X': return "%H:%M:%S";
	default: return NULL;
	}
}

/* Names and signs; false if the letter is none of them. */
static bool run_text(struct format *f, const struct conversion *v)
{
	const struct civil *c = f->c;
	const char *text;

	switch (v->letter) {
	case 'A':
	case 'a':
		text = weekdays[c->weekday];
		put_word(f, v, (struct bytes){ text, v->letter == 'a' ? 3 : strlen(text) });
		return true;
	case 'B':
	case 'b':
	case 'h':
		text = months[c->month - 1];
		put_word(f, v, (struct bytes){ text, v->letter != 'B' ? 3 : strlen(text) });
		return true;
	case 'p':
	case 'P':
		text = v->letter == 'p' ? (c->hour < 12 ? "AM" : "PM") : c->hour < 12 ? "am" : "pm";
		put_word(f, v, bytes_of(text));
		return true;
	case 'Z': put_word(f, v, bytes_of(c->zone)); return true;
	case 'n': put_word(f, v, BYTES("\n")); return true;
	case 't': put_word(f, v, BYTES("\t")); return true;
	case '%': put_word(f, v, BYTES("%")); return true;
	default: return false;
	}
}

/* %y: of years before 0 the C library counts up from the century, date down. */
static int64_t short_year(const struct format *f, int64_t year)
{
	int64_t last = (year % 100 + 100) % 100;

	return f->nanoseconds != TIME_LIBC && year < 0 ? (100 - last) % 100 : last;
}

static bool run_year(struct format *f, const struct conversion *v)
{
	const struct civil *c = f->c;
	int64_t year;
	int week = iso_week(c, &year);

	switch (v->letter) {
	case 'C':
		put_number(f, v, c->year / 100 - (c->year % 100 < 0 && c->year > 0), 2, '0');
		return true;
	case 'y': put_number(f, v, short_year(f, c->year), 2, '0'); return true;
	case 'Y': put_number(f, v, c->year, f->nanoseconds == TIME_LIBC ? 1 : 4, '0'); return true;
	case 'G': put_number(f, v, year, f->nanoseconds == TIME_LIBC ? 1 : 4, '0'); return true;
	case 'g': put_number(f, v, short_year(f, year), 2, '0'); return true;
	case 'V': put_number(f, v, week, 2, '0'); return true;
	case 'U': put_number(f, v, (c->yearday - c->weekday + 7) / 7, 2, '0'); return true;
	case 'W':
		put_number(f, v, (c->yearday - (c->weekday + 6) % 7 + 7) / 7, 2, '0');
		return true;
	default: return false;
	}
}

static bool run_number(struct format *f, const struct conversion *v)
{
	const struct civil *c = f->c;
	int hour12 = c->hour % 12 == 0 ? 12 : c->hour % 12;

	switch (v->letter) {
	case 'd':
	case 'e': put_number(f, v, c->day, 2, v->letter == 'd' ? '0' : ' '); return true;
	case 'H':
	case 'k': put_number(f, v, c->hour, 2, v->letter == 'H' ? '0' : ' '); return true;
	case 'I':
	case 'l': put_number(f, v, hour12, 2, v->letter == 'I' ? '0' : ' '); return true;
	case 'j': put_number(f, v, c->yearday + 1, 3, '0'); return true;
	case 'm': put_number(f, v, c->month, 2, '0'); return true;
	case 'M': put_number(f, v, c->minute, 2, '0'); return true;
	case 'S': put_number(f, v, c->second, 2, '0'); return true;
	case 's':
		put_number(f, v, f->seconds, 1, f->nanoseconds == TIME_LIBC ? ' ' : '0');
		return true;
	case 'u': put_number(f, v, c->weekday == 0 ? 7 : c->weekday, 1, '0'); return true;
	case 'w': put_number(f, v, c->weekday, 1, '0'); return true;
	default: return run_year(f, v);
	}
}

/* %F: the year takes what width is left by the rest. */
static void put_date(struct format *f, const struct conversion *v)
{
	struct conversion year = *v;
	const struct civil *c = f->c;

	year.letter = 'Y';
	year.width = v->width > 6 ? v->width - 6 : -1;
	/* Years of more than four digits have a sign, so that they can be told from others. */
	if (v->pad == 0 && v->width < 0 && c->year > 9999)
		year.pad = '+';
	if (f->nanoseconds == TIME_LIBC) {
		put_composite(f, v, "%Y-%m-%d");
		return;
	}
	put_number(f, &year, c->year, v->pad == '+' || v->width < 0 ? 4 : 1, '0');
	buf_printf(f->out, "-%02d-%02d", c->month, c->day);
}

static bool run_conversion(struct format *f, const struct conversion *v)
{
	bool gnu_date = f->nanoseconds != TIME_LIBC;
	const char *composite = v->colons == 0 ? composite_of(v->letter) : NULL;

	if (v->colons > 0 && (v->letter != 'z' || !gnu_date || v->colons > 3))
		return false;
	if (v->letter == 'z')
		put_offset(f, v);
	else if (v->letter == 'F')
		put_date(f, v);
	else if (composite != NULL)
		put_composite(f, v, composite);
	else if (v->letter == 'N' && gnu_date)
		put_nanoseconds(f, v);
	else if (v->letter == 'q' && gnu_date)
		put_number(f, v, (f->c->month + 2) / 3, 1, '0');
	else
		return run_text(f, v) || run_number(f, v);
	return true;
}

/* Reads flags, width, modifier and letter; returns where the conversion ends. */
static size_t scan_conversion(struct bytes s, size_t at, bool gnu_date, struct conversion *v)
{
	*v = (struct conversion){ .width = -1 };
	for (at++; at < s.len; at++) {
		char c = s.ptr[at];

		if (c == '_' || c == '-' || c == '0' || (c == '+' && gnu_date))
			v->pad = c;
		else if (c == '^')
			v->upper = true;
		else if (c == '#')
			v->swap = true;
		else
			break;
	}
	for (; at < s.len && byte_is_digit((unsigned char)s.ptr[at]); at++) {
		v->width = v->width < 0 ? 0 : v->width;
		if (v->width < 100000)
			v->width = v->width * 10 + (s.ptr[at] - '0');
	}
	for (; at < s.len && s.ptr[at] == ':'; at++)
		v->colons++;
	if (at + 1 < s.len && (s.ptr[at] == 'E' || s.ptr[at] == 'O'))
		at++;
	if (at < s.len)
		v->letter = s.ptr[at++];
	return at;
}

static void run_format(struct format *f, struct bytes format)
{
	size_t at = 0;
	size_t told = f->out->len;

	while (at < format.len) {
		if (at + f->out->len - told >= 4096) {
			arena_charge(f->out->arena, (at + f->out->len - told) / 16);
			told = at + f->out->len;
		}
		const char *hit = memchr(format.ptr + at, '%', format.len - at);
		size_t end = hit != NULL ? (size_t)(hit - format.ptr) : format.len;
		struct conversion v;

		buf_put(f->out, format.ptr + at, end - at);
		if (hit == NULL)
			return;
		at = scan_conversion(format, end, f->nanoseconds != TIME_LIBC, &v);
		if (v.letter == '\0' || !run_conversion(f, &v))
			buf_put(f->out, format.ptr + end, at - end);
	}
}

void time_format(struct buf *out, struct bytes format, const struct civil *c, int64_t seconds,
		 uint32_t nanoseconds)
{
	struct format f = { out, c, seconds, nanoseconds, 0 };

	run_format(&f, format);
}
