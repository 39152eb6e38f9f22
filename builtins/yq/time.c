/* SPDX-License-Identifier: MIT
 *
 * Times: reading and writing them by layouts that show how a certain moment would look
 * ("2006-01-02T15:04:05Z07:00"), zones, and spans such as 3h10m.
 */
#include "builtins/yq/yq.h"

#include "base/time.h"
#include "builtins/zone.h"

#define HANDLER(name)                                                                              \
	static struct yq_list name(struct yq *y, const struct yq_expr *e, struct yq_list in,       \
				   const struct yq_vars *vars)

#define NS_PER_SECOND INT64_C(1000000000)
static const char rfc3339[] = "2006-01-02T15:04:05Z07:00";

struct moment {
	int64_t seconds; /* since 1970 */
	int32_t nanoseconds;
	int offset_s;
	char zone[16];
};

/* --- layouts --- */

enum part {
	P_TEXT,
	P_YEAR,
	P_YEAR2,
	P_MONTH0,
	P_MONTH,
	P_MONTH_NAME,
	P_MONTH_SHORT,
	P_DAY0,
	P_DAY,
	P_DAY_SPACE,
	P_WEEKDAY,
	P_WEEKDAY_SHORT,
	P_HOUR24,
	P_HOUR12_0,
	P_HOUR12,
	P_MINUTE0,
	P_MINUTE,
	P_SECOND0,
	P_SECOND,
	P_AMPM,
	P_ampm,
	P_ZONE,
	P_OFFSET_Z_COLON,
	P_OFFSET_Z,
	P_OFFSET_COLON,
	P_OFFSET,
	P_FRACTION,
};

static const struct {
	const char *text;
	enum part part;
} layout_parts[] = {
	{ "2006", P_YEAR },
	{ "January", P_MONTH_NAME },
	{ "Jan", P_MONTH_SHORT },
	{ "Monday", P_WEEKDAY },
	{ "Mon", P_WEEKDAY_SHORT },
	{ "MST", P_ZONE },
	{ "Z07:00", P_OFFSET_Z_COLON },
	{ "Z0700", P_OFFSET_Z },
	{ "-07:00", P_OFFSET_COLON },
	{ "-0700", P_OFFSET },
	{ "01", P_MONTH0 },
	{ "02", P_DAY0 },
	{ "03", P_HOUR12_0 },
	{ "04", P_MINUTE0 },
	{ "05", P_SECOND0 },
	{ "06", P_YEAR2 },
	{ "_2", P_DAY_SPACE },
	{ "15", P_HOUR24 },
	{ "PM", P_AMPM },
	{ "pm", P_ampm },
	{ "1", P_MONTH },
	{ "2", P_DAY },
	{ "3", P_HOUR12 },
	{ "4", P_MINUTE },
	{ "5", P_SECOND },
};

/* The next part of a layout at `at`; its length in *len. */
static enum part next_part(struct bytes layout, size_t at, size_t *len)
{
	struct bytes rest = bytes_slice(layout, at, layout.len);
	size_t digits = 1;

	for (size_t i = 0; i < sizeof(layout_parts) / sizeof(layout_parts[0]); i++)
		if (bytes_starts(rest, bytes_of(layout_parts[i].text))) {
			*len = strlen(layout_parts[i].text);
			return layout_parts[i].part;
		}
	while (digits < rest.len && (rest.ptr[digits] == '0' || rest.ptr[digits] == '9'))
		digits++;
	*len = 1;
	if (rest.ptr[0] != '.' || digits == 1)
		return P_TEXT;
	*len = digits;
	return P_FRACTION;
}

static const char *const months[] = { "January",   "February", "March",    "April",
				      "May",       "June",     "July",     "August",
				      "September", "October",  "November", "December" };
static const char *const days[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
				    "Thursday", "Friday", "Saturday" };

static void civil_of(struct yq *y, const struct moment *m, struct civil *c)
{
	if (y->utc == NULL)
		y->utc = zone_of_text(y->a, "UTC0");
	time_civil(y->utc, m->seconds + m->offset_s, c);
}

static void put_padded(struct buf *b, int64_t v, int width, char pad)
{
	char text[20];
	size_t len = num_format_u64((uint64_t)v, text);

	if ((int)len < width)
		buf_fill(b, pad, (size_t)width - len);
	buf_put(b, text, len);
}

static void put_offset(struct buf *b, int offset, bool z, bool colon)
{
	int minutes = (offset < 0 ? -offset : offset) / 60;

	if (z && offset == 0) {
		buf_putc(b, 'Z');
		return;
	}
	buf_putc(b, offset < 0 ? '-' : '+');
	put_padded(b, minutes / 60, 2, '0');
	if (colon)
		buf_putc(b, ':');
	put_padded(b, minutes % 60, 2, '0');
}

static void put_fraction(struct buf *b, int32_t ns, struct bytes part)
{
	char text[10];
	size_t n = part.len - 1 < 9 ? part.len - 1 : 9;

	for (int i = 8; i >= 0; i--, ns /= 10)
		text[i] = (char)('0' + ns % 10);
	if (part.ptr[1] == '9')
		while (n > 0 && text[n - 1] == '0')
			n--;
	if (n == 0)
		return;
	buf_putc(b, '.');
	buf_put(b, text, n);
}

static void put_clock(struct buf *b, enum part part, const struct civil *c)
{
	int hour12 = c->hour % 12 == 0 ? 12 : c->hour % 12;

	switch (part) {
	case P_HOUR24: put_padded(b, c->hour, 2, '0'); break;
	case P_HOUR12_0: put_padded(b, hour12, 2, '0'); break;
	case P_HOUR12: put_padded(b, hour12, 1, '0'); break;
	case P_MINUTE0: put_padded(b, c->minute, 2, '0'); break;
	case P_MINUTE: put_padded(b, c->minute, 1, '0'); break;
	case P_SECOND0: put_padded(b, c->second, 2, '0'); break;
	case P_SECOND: put_padded(b, c->second, 1, '0'); break;
	case P_AMPM: buf_puts(b, c->hour < 12 ? "AM" : "PM"); break;
	default: buf_puts(b, c->hour < 12 ? "am" : "pm"); break;
	}
}

static void put_part(struct buf *b, enum part part, struct bytes text, const struct moment *m,
		     const struct civil *c)
{
	switch (part) {
	case P_TEXT: buf_add(b, text); break;
	case P_YEAR: put_padded(b, c->year, 4, '0'); break;
	case P_YEAR2: put_padded(b, c->year % 100, 2, '0'); break;
	case P_MONTH0: put_padded(b, c->month, 2, '0'); break;
	case P_MONTH: put_padded(b, c->month, 1, '0'); break;
	case P_MONTH_NAME: buf_puts(b, months[c->month - 1]); break;
	case P_MONTH_SHORT: buf_put(b, months[c->month - 1], 3); break;
	case P_DAY0: put_padded(b, c->day, 2, '0'); break;
	case P_DAY: put_padded(b, c->day, 1, '0'); break;
	case P_DAY_SPACE: put_padded(b, c->day, 2, ' '); break;
	case P_WEEKDAY: buf_puts(b, days[c->weekday]); break;
	case P_WEEKDAY_SHORT: buf_put(b, days[c->weekday], 3); break;
	case P_ZONE: buf_puts(b, m->zone[0] != '\0' ? m->zone : "UTC"); break;
	case P_OFFSET_Z_COLON: put_offset(b, m->offset_s, true, true); break;
	case P_OFFSET_Z: put_offset(b, m->offset_s, true, false); break;
	case P_OFFSET_COLON: put_offset(b, m->offset_s, false, true); break;
	case P_OFFSET: put_offset(b, m->offset_s, false, false); break;
	case P_FRACTION: put_fraction(b, m->nanoseconds, text); break;
	default: put_clock(b, part, c); break;
	}
}

static struct bytes format_moment(struct yq *y, const struct moment *m, struct bytes layout)
{
	struct buf b = buf_in(y->a);
	struct civil c;

	civil_of(y, m, &c);
	for (size_t at = 0; at < layout.len;) {
		size_t len;
		enum part part = next_part(layout, at, &len);

		put_part(&b, part, bytes_slice(layout, at, at + len), m, &c);
		at += len;
	}
	return buf_bytes(&b);
}

/* --- reading --- */

struct scan {
	struct bytes s;
	size_t at;
	struct civil c;
	int32_t ns;
	int offset;
	bool pm, half;
};

static bool scan_number(struct scan *p, size_t min, size_t max, int low, int high, int *out)
{
	size_t from = p->at;
	int v = 0;

	while (p->at < p->s.len && p->at - from < max && byte_is_digit(p->s.ptr[p->at]))
		v = v * 10 + (p->s.ptr[p->at++] - '0');
	*out = v;
	return p->at - from >= min && v >= low && v <= high;
}

static bool scan_name(struct scan *p, const char *const *names, int n, size_t cut, int *out)
{
	for (int i = 0; i < n; i++) {
		size_t len = cut > 0 ? cut : strlen(names[i]);

		if (p->s.len - p->at >= len && memcmp(p->s.ptr + p->at, names[i], len) == 0) {
			p->at += len;
			*out = i;
			return true;
		}
	}
	return false;
}

static bool scan_offset(struct scan *p, bool z, bool colon)
{
	int hours;
	int minutes;
	bool minus;

	if (z && p->at < p->s.len && p->s.ptr[p->at] == 'Z') {
		p->at++;
		return true;
	}
	if (p->at >= p->s.len || (p->s.ptr[p->at] != '+' && p->s.ptr[p->at] != '-'))
		return false;
	minus = p->s.ptr[p->at++] == '-';
	if (!scan_number(p, 2, 2, 0, 24, &hours))
		return false;
	if (colon && (p->at >= p->s.len || p->s.ptr[p->at++] != ':'))
		return false;
	if (!scan_number(p, 2, 2, 0, 59, &minutes))
		return false;
	p->offset = (hours * 60 + minutes) * (minus ? -60 : 60);
	return true;
}

static bool scan_fraction(struct scan *p)
{
	int32_t scale = 100000000;

	if (p->at >= p->s.len || p->s.ptr[p->at] != '.')
		return true;
	for (p->at++; p->at < p->s.len && byte_is_digit(p->s.ptr[p->at]); p->at++, scale /= 10)
		p->ns += (p->s.ptr[p->at] - '0') * scale;
	return true;
}

static bool scan_clock(struct scan *p, enum part part)
{
	static const char *const halves[] = { "AM", "PM", "am", "pm" };
	int v;

	switch (part) {
	case P_HOUR24: return scan_number(p, 2, 2, 0, 23, &p->c.hour);
	case P_HOUR12_0:
	case P_HOUR12: return scan_number(p, 1, 2, 1, 12, &p->c.hour);
	case P_MINUTE0:
	case P_MINUTE: return scan_number(p, 1, 2, 0, 59, &p->c.minute);
	case P_SECOND0:
	case P_SECOND:
		/* A fraction may follow though the layout has none. */
		return scan_number(p, 1, 2, 0, 59, &p->c.second) && scan_fraction(p);
	default:
		p->half = true;
		if (!scan_name(p, halves, 4, 0, &v))
			return false;
		p->pm = v & 1;
		return true;
	}
}

static bool scan_zone_name(struct scan *p)
{
	size_t from = p->at;

	while (p->at < p->s.len && byte_is_upper(p->s.ptr[p->at]))
		p->at++;
	return p->at - from >= 3;
}

static bool scan_part(struct scan *p, enum part part, struct bytes text)
{
	int v = 0;

	switch (part) {
	case P_TEXT: return p->at < p->s.len && p->s.ptr[p->at++] == text.ptr[0];
	case P_YEAR:
		if (!scan_number(p, 4, 4, 0, 9999, &v))
			return false;
		p->c.year = v;
		return true;
	case P_YEAR2:
		if (!scan_number(p, 2, 2, 0, 99, &v))
			return false;
		p->c.year = v < 69 ? 2000 + v : 1900 + v;
		return true;
	case P_MONTH0:
	case P_MONTH: return scan_number(p, part == P_MONTH0 ? 2 : 1, 2, 1, 12, &p->c.month);
	case P_MONTH_NAME:
	case P_MONTH_SHORT:
		if (!scan_name(p, months, 12, part == P_MONTH_SHORT ? 3 : 0, &v))
			return false;
		p->c.month = v + 1;
		return true;
	case P_DAY_SPACE:
	case P_DAY0:
	case P_DAY:
		if (part == P_DAY_SPACE && p->at < p->s.len && p->s.ptr[p->at] == ' ')
			p->at++;
		return scan_number(p, part == P_DAY0 ? 2 : 1, 2, 1, 31, &p->c.day);
	case P_WEEKDAY: return scan_name(p, days, 7, 0, &v);
	case P_WEEKDAY_SHORT: return scan_name(p, days, 7, 3, &v);
	case P_ZONE: return scan_zone_name(p);
	case P_OFFSET_Z_COLON: return scan_offset(p, true, true);
	case P_OFFSET_Z: return scan_offset(p, true, false);
	case P_OFFSET_COLON: return scan_offset(p, false, true);
	case P_OFFSET: return scan_offset(p, false, false);
	case P_FRACTION: return scan_fraction(p);
	default: return scan_clock(p, part);
	}
}

static bool scan_moment(struct bytes s, struct bytes layout, struct moment *m)
{
	struct scan p = { .s = s, .c = { .year = 0, .month = 1, .day = 1 } };

	for (size_t at = 0; at < layout.len;) {
		size_t len;
		enum part part = next_part(layout, at, &len);

		if (!scan_part(&p, part, bytes_slice(layout, at, at + len)))
			return false;
		at += len;
	}
	if (p.at != s.len)
		return false;
	if (p.half)
		p.c.hour = p.c.hour % 12 + (p.pm ? 12 : 0);
	*m = (struct moment){ .nanoseconds = p.ns, .offset_s = p.offset };
	m->seconds = time_days(p.c.year, p.c.month, p.c.day) * 86400 + p.c.hour * 3600 +
		     p.c.minute * 60 + p.c.second - p.offset;
	return true;
}

/* As the layout in force says, or a date alone. */
static bool moment_of(struct yq *y, const struct yaml_node *n, struct moment *m)
{
	if (n->kind != YAML_SCALAR)
		return false;
	if (y->layout.len > 0)
		return scan_moment(n->value, y->layout, m);
	return scan_moment(n->value, BYTES(rfc3339), m) ||
	       scan_moment(n->value, BYTES("2006-01-02"), m);
}

bool yq_time_of(struct yq *y, const struct yaml_node *n, int64_t *out)
{
	struct moment m;

	if (!moment_of(y, n, &m))
		return false;
	*out = m.seconds > INT64_MAX / NS_PER_SECOND || m.seconds < INT64_MIN / NS_PER_SECOND
		       ? m.seconds
		       : m.seconds * NS_PER_SECOND + m.nanoseconds;
	return true;
}

/* 1h30m5.5s, with a sign. */
static bool span_of(struct bytes s, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "ns", 1 },
		      { "us", 1000 },
		      { "ms", 1000000 },
		      { "s", NS_PER_SECOND },
		      { "m", 60 * NS_PER_SECOND },
		      { "h", 3600 * NS_PER_SECOND } };
	size_t at = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+');
	double total = 0;
	bool any = false;

	while (at < s.len) {
		double v = 0;
		double scale = 1;
		size_t from = at;
		size_t unit = 0;

		for (; at < s.len && (byte_is_digit(s.ptr[at]) || s.ptr[at] == '.'); at++) {
			if (s.ptr[at] != '.')
				v = v * 10 + (s.ptr[at] - '0');
			if (s.ptr[at] == '.' || scale != 1)
				scale *= s.ptr[at] == '.' ? 10 : 10;
		}
		if (at == from)
			return false;
		if (scale != 1)
			v /= scale / 10;
		struct bytes rest = bytes_slice(s, at, s.len);

		while (unit < 6 && !bytes_starts(rest, bytes_of(units[unit].name)))
			unit++;
		if (unit == 6)
			return false;
		at += strlen(units[unit].name);
		total += v * (double)units[unit].ns;
		any = true;
	}
	if (!any || total > 9e18)
		return false;
	*ns = (int64_t)total * (s.ptr[0] == '-' ? -1 : 1);
	return true;
}

static struct yaml_node *time_node(struct yq *y, const struct moment *m, struct bytes layout)
{
	struct bytes text = format_moment(y, m, layout);

	return yaml_scalar(y->a, yaml_resolve(text), text);
}

struct yaml_node *yq_add_time(struct yq *y, struct yaml_node *time, struct yaml_node *span,
			      int sign)
{
	struct moment m;
	int64_t ns;
	bool day_only = time->value.len == 10;
	struct bytes layout = y->layout;

	if (!yaml_is(time, "!!timestamp") && y->layout.len == 0)
		return NULL;
	if (!span_of(span->value, &ns) || !moment_of(y, time, &m))
		return NULL;
	ns = ns * sign + m.nanoseconds;
	m.seconds += ns / NS_PER_SECOND;
	m.nanoseconds = (int32_t)(ns % NS_PER_SECOND);
	if (m.nanoseconds < 0) {
		m.nanoseconds += (int32_t)NS_PER_SECOND;
		m.seconds--;
	}
	if (layout.len == 0)
		layout = day_only && m.seconds % 86400 == 0 ? BYTES("2006-01-02") : BYTES(rfc3339);
	return time_node(y, &m, layout);
}

/* --- functions --- */

static struct bytes text_argument(struct yq *y, const struct yq_expr *e, size_t i,
				  struct yaml_node *in, const struct yq_vars *vars)
{
	struct yaml_node *n = yq_first(y, e->args[i], in, vars);

	return n != NULL ? n->value : BYTES("");
}

static struct moment need_moment(struct yq *y, struct yaml_node *n)
{
	struct moment m;

	n = yq_real_node(y, n);
	if (!moment_of(y, n, &m))
		yq_fatal(y, "could not parse datetime of [%s]: parsing time \"%.*s\" as \"%s\"", "",
			 (int)n->value.len, n->value.ptr,
			 y->layout.len > 0 ? arena_dup(y->a, y->layout) : rfc3339);
	return m;
}

HANDLER(fn_now)
{
	struct yq_list out = { NULL, 0, 0 };
	struct moment m = { .seconds = cmd_now(y->c) / NS_PER_SECOND };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, time_node(y, &m, BYTES(rfc3339)));
	return out;
}

HANDLER(fn_format)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct moment m = need_moment(y, in.items[i]);

		yq_add(y, &out, time_node(y, &m, text_argument(y, e, 0, in.items[i], vars)));
	}
	return out;
}

HANDLER(fn_with_layout)
{
	struct yq_list out = { NULL, 0, 0 };
	struct bytes outer = y->layout;

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list r;

		y->layout = text_argument(y, e, 0, in.items[i], vars);
		r = yq_eval_one(y, e->args[1], in.items[i], vars);
		y->layout = outer;
		for (size_t k = 0; k < r.n; k++)
			yq_add(y, &out, r.items[k]);
	}
	return out;
}

HANDLER(fn_tz)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct moment m = need_moment(y, in.items[i]);
		const char *name = arena_dup(y->a, text_argument(y, e, 0, in.items[i], vars));
		struct zone *z = strcmp(name, "UTC") == 0 ? zone_of_text(y->a, "UTC0")
							  : zone_of_name(y->c, name);
		struct civil c;

		if (z == NULL)
			yq_fatal(y, "could not load tz [%s]: unknown time zone %s", name, name);
		time_civil(z, m.seconds, &c);
		m.offset_s = c.offset_s;
		memcpy(m.zone, c.zone, sizeof(m.zone));
		yq_add(y, &out, time_node(y, &m, y->layout.len > 0 ? y->layout : BYTES(rfc3339)));
	}
	return out;
}

HANDLER(fn_from_unix)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct moment m = { 0 };
		double d;

		if (!yq_double(yq_real_node(y, in.items[i]), &d) || !(d > -1e11 && d < 1e12))
			yq_fatal(y, "from_unix only works on numbers, found %.*s instead",
				 (int)in.items[i]->tag.len, in.items[i]->tag.ptr);
		m.seconds = (int64_t)d;
		yq_add(y, &out, time_node(y, &m, BYTES(rfc3339)));
	}
	return out;
}

HANDLER(fn_to_unix)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, yq_number(y, need_moment(y, in.items[i]).seconds));
	return out;
}

const struct yq_fn yq_fns_time[] = {
	{ "now", 0, 0, fn_now, 0 },
	{ "format_datetime", 1, 1, fn_format, 0 },
	{ "formatDateTime", 1, 1, fn_format, 0 },
	{ "with_dtf", 2, 2, fn_with_layout, 0 },
	{ "withDateTimeFormat", 2, 2, fn_with_layout, 0 },
	{ "tz", 1, 1, fn_tz, 0 },
	{ "from_unix", 0, 0, fn_from_unix, 0 },
	{ "to_unix", 0, 0, fn_to_unix, 0 },
	{ NULL, 0, 0, NULL, 0 },
};
