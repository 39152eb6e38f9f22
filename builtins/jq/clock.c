/* SPDX-License-Identifier: MIT
 *
 * Time: now, gmtime, localtime, mktime, strftime, strptime.
 */
#include <math.h>

#include "base/time.h"
#include "builtins/jq/jq.h"

static struct zone *local_zone(struct jq *j)
{
	return zone_of_text(&j->scratch, cmd_getenv(j->c, "TZ"));
}

static struct json fn_now(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	return json_number((double)(cmd_now(j->c) / 1000) / 1e6);
}

static struct json broken_down(struct jq *j, const struct civil *c, double seconds)
{
	const double parts[] = { (double)c->year, c->month - 1, c->day,     c->hour,
				 c->minute,       seconds,      c->weekday, c->yearday };
	struct json out = json_array(&j->m, 8);

	for (int i = 0; i < 8; i++)
		out = json_push(&j->m, out, json_number(parts[i]));
	return out;
}

static struct json split_time(struct jq *j, struct json in, bool local)
{
	JQ_SCRATCH(j, mark);
	struct civil c;
	double t;

	if (!json_is_number(in))
		return jq_bad(j, in,
			      local ? "localtime() requires numeric inputs"
				    : "gmtime() requires numeric inputs");
	t = json_num(in);
	json_put(&j->m, in);
	if (!(fabs(t) < 1e15))
		return jq_error(j, "error converting number of seconds since epoch to datetime");
	time_civil(local ? local_zone(j) : zone_of_text(&j->scratch, "UTC0"), (int64_t)t, &c);
	arena_release(&j->scratch, mark);
	return broken_down(j, &c, c.second + (t - floor(t)));
}

static struct json fn_gmtime(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	if (!json_is_number(in)) {
		json_put(&j->m, in);
		return jq_error(j, "gmtime() requires numeric inputs");
	}
	return split_time(j, in, false);
}

static struct json fn_localtime(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	if (!json_is_number(in)) {
		json_put(&j->m, in);
		return jq_error(j, "localtime() requires numeric inputs");
	}
	return split_time(j, in, true);
}

/* The fields of a broken down time; false if v is none. */
static bool read_civil(struct json v, struct civil *c)
{
	int64_t n[8];

	if (v.kind != JSON_ARRAY || json_len(v) < 6)
		return false;
	for (size_t i = 0; i < 8; i++) {
		double d = 0;

		if (i < json_len(v) && !json_is_number(json_at(v, i)))
			return false;
		if (i < json_len(v))
			d = json_num(json_at(v, i));
		if (!(fabs(d) < 1e9))
			return false;
		n[i] = (int64_t)d;
	}
	*c = (struct civil){ .year = n[0],
			     .month = (int)n[1] + 1,
			     .day = (int)n[2],
			     .hour = (int)n[3],
			     .minute = (int)n[4],
			     .second = (int)n[5],
			     .weekday = (int)(n[6] % 7),
			     .yearday = (int)n[7] };
	return true;
}

static struct json fn_mktime(struct jq *j, struct json in, struct json *arg)
{
	JQ_SCRATCH(j, mark);
	struct civil c;
	int64_t t;

	(void)arg;
	if (in.kind != JSON_ARRAY) {
		json_put(&j->m, in);
		return jq_error(j, "mktime requires array inputs");
	}
	if (!read_civil(in, &c)) {
		json_put(&j->m, in);
		return jq_error(j, "mktime requires parsed datetime inputs");
	}
	t = time_of_civil(zone_of_text(&j->scratch, "UTC0"), &c);
	arena_release(&j->scratch, mark);
	json_put(&j->m, in);
	return json_number((double)t);
}

static struct json format_time(struct jq *j, struct json in, struct json format, bool local)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);
	const char *name = local ? "strflocaltime/1" : "strftime/1";
	struct zone *zone = local ? local_zone(j) : zone_of_text(&j->scratch, "UTC0");
	struct civil c;
	struct json out = json_simple(JSON_NONE);

	if (json_is_number(in))
		in = split_time(j, in, local);
	if (j->raised) {
		json_put(&j->m, format);
		return out;
	}
	if (in.kind != JSON_ARRAY) {
		jq_error(j, "%s requires parsed datetime inputs", name);
	} else if (format.kind != JSON_STRING) {
		jq_error(j, "%s requires a string format", name);
	} else if (!read_civil(in, &c)) {
		jq_error(j, "%s requires parsed datetime inputs", name);
	} else {
		int64_t t = time_of_civil(zone, &c);

		if (!local)
			memcpy(c.zone, "UTC", 4);
		time_format(&b, json_text(format), &c, t, TIME_LIBC);
		out = json_string_utf8(&j->m, buf_bytes(&b));
	}
	arena_release(&j->scratch, mark);
	json_put(&j->m, in);
	json_put(&j->m, format);
	return out;
}

static struct json fn_strftime(struct jq *j, struct json in, struct json *arg)
{
	return format_time(j, in, arg[0], false);
}

static struct json fn_strflocaltime(struct jq *j, struct json in, struct json *arg)
{
	return format_time(j, in, arg[0], true);
}

/* --- strptime --- */

struct scan {
	struct bytes s;
	size_t at;
	struct civil c;
	bool pm;
	bool has_pm;
	bool has_epoch;
	int century;
	int64_t epoch;
};

static bool scan_number(struct scan *p, unsigned width, int low, int high, int *out)
{
	int v = 0;
	size_t from;

	while (p->at < p->s.len && byte_is_space(p->s.ptr[p->at]))
		p->at++;
	from = p->at;
	while (p->at < p->s.len && p->at - from < width && byte_is_digit(p->s.ptr[p->at]))
		v = v * 10 + (p->s.ptr[p->at++] - '0');
	*out = v;
	return p->at > from && v >= low && v <= high;
}

/* The longest of the names; their first three letters do. */
static bool scan_name(struct scan *p, const char *const *names, int n, int *out)
{
	for (int i = 0; i < n; i++) {
		size_t len = strlen(names[i]);
		size_t k = 0;

		while (k < len && p->at + k < p->s.len &&
		       byte_to_lower(p->s.ptr[p->at + k]) == byte_to_lower(names[i][k]))
			k++;
		if (k != len && k < 3)
			continue;
		p->at += k == len ? len : 3;
		*out = i;
		return true;
	}
	return false;
}

static bool scan_offset(struct scan *p)
{
	int hours = 0;
	int minutes = 0;
	bool negative;

	if (p->at < p->s.len && p->s.ptr[p->at] == 'Z') {
		p->at++;
		return true;
	}
	if (p->at >= p->s.len || (p->s.ptr[p->at] != '+' && p->s.ptr[p->at] != '-'))
		return false;
	negative = p->s.ptr[p->at++] == '-';
	if (!scan_number(p, 2, 0, 99, &hours))
		return false;
	if (p->at < p->s.len && p->s.ptr[p->at] == ':')
		p->at++;
	if (p->at < p->s.len && byte_is_digit(p->s.ptr[p->at]) &&
	    !scan_number(p, 2, 0, 59, &minutes))
		return false;
	p->c.offset_s = (hours * 3600 + minutes * 60) * (negative ? -1 : 1);
	return true;
}

static bool scan_format(struct scan *p, struct bytes format);

static bool scan_epoch(struct scan *p)
{
	bool negative = p->at < p->s.len && p->s.ptr[p->at] == '-';
	size_t from = p->at += negative;

	while (p->at < p->s.len && byte_is_digit(p->s.ptr[p->at]) && p->at - from < 15)
		p->epoch = p->epoch * 10 + (p->s.ptr[p->at++] - '0');
	if (negative)
		p->epoch = -p->epoch;
	p->has_epoch = true;
	return p->at > from;
}

static bool scan_year(struct scan *p, char conv)
{
	int v;

	if (conv == 'Y') {
		if (!scan_number(p, 4, 0, 9999, &v))
			return false;
		p->c.year = v;
		return true;
	}
	if (!scan_number(p, 2, 0, 99, &v))
		return false;
	p->c.year = v < 69 ? 2000 + v : 1900 + v;
	return true;
}

static bool scan_zone_name(struct scan *p)
{
	size_t from = p->at;

	while (p->at < p->s.len && byte_is_alpha(p->s.ptr[p->at]))
		p->at++;
	return p->at > from;
}

static bool scan_date(struct scan *p, char conv)
{
	static const char *const months[] = { "January",   "February", "March",    "April",
					      "May",       "June",     "July",     "August",
					      "September", "October",  "November", "December" };
	static const char *const days[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
					    "Thursday", "Friday", "Saturday" };
	int v;

	switch (conv) {
	case 'd':
	case 'e': return scan_number(p, 2, 1, 31, &p->c.day);
	case 'm': return scan_number(p, 2, 1, 12, &p->c.month);
	case 'b':
	case 'B':
	case 'h':
		if (!scan_name(p, months, 12, &v))
			return false;
		p->c.month = v + 1;
		return true;
	case 'a':
	case 'A': return scan_name(p, days, 7, &v);
	case 'j': return scan_number(p, 3, 1, 366, &v);
	case 'u': return scan_number(p, 1, 1, 7, &v);
	case 'w': return scan_number(p, 1, 0, 6, &v);
	case 'U':
	case 'W':
	case 'V': return scan_number(p, 2, 0, 53, &v);
	case 'C': return scan_number(p, 2, 0, 99, &p->century);
	case 'G': return scan_number(p, 4, 0, 9999, &v);
	case 'g': return scan_number(p, 2, 0, 99, &v);
	default: return false;
	}
}

static bool scan_clock(struct scan *p, char conv)
{
	static const char *const halves[] = { "AM", "PM" };
	int v;

	switch (conv) {
	case 'H':
	case 'k': return scan_number(p, 2, 0, 23, &p->c.hour);
	case 'I':
	case 'l':
		if (!scan_number(p, 2, 1, 12, &p->c.hour))
			return false;
		p->has_pm = true;
		return true;
	case 'M': return scan_number(p, 2, 0, 59, &p->c.minute);
	case 'S': return scan_number(p, 2, 0, 61, &p->c.second);
	case 'p':
	case 'P':
		if (!scan_name(p, halves, 2, &v))
			return false;
		p->pm = v == 1;
		p->has_pm = true;
		return true;
	case 's': return scan_epoch(p);
	case 'z': return scan_offset(p);
	case 'Z': return scan_zone_name(p);
	default: return false;
	}
}

static bool scan_one(struct scan *p, char conv)
{
	switch (conv) {
	case 'T': return scan_format(p, BYTES("%H:%M:%S"));
	case 'R': return scan_format(p, BYTES("%H:%M"));
	case 'r': return scan_format(p, BYTES("%I:%M:%S %p"));
	case 'D':
	case 'x': return scan_format(p, BYTES("%m/%d/%y"));
	case 'X': return scan_format(p, BYTES("%H:%M:%S"));
	case 'F': return scan_format(p, BYTES("%Y-%m-%d"));
	case 'c': return scan_format(p, BYTES("%a %b %e %H:%M:%S %Y"));
	case 'Y':
	case 'y': return scan_year(p, conv);
	case 'n':
	case 't':
		while (p->at < p->s.len && byte_is_space(p->s.ptr[p->at]))
			p->at++;
		return true;
	case '%': return p->at < p->s.len && p->s.ptr[p->at++] == '%';
	default:
		if (strchr("HklIMSpPszZ", conv) != NULL)
			return scan_clock(p, conv);
		return scan_date(p, conv);
	}
}

static bool scan_format(struct scan *p, struct bytes format)
{
	for (size_t i = 0; i < format.len; i++) {
		char ch = format.ptr[i];

		if (byte_is_space(ch)) {
			while (p->at < p->s.len && byte_is_space(p->s.ptr[p->at]))
				p->at++;
		} else if (ch == '%' && i + 1 < format.len) {
			i++;
			if (strchr("EO_-0^#", format.ptr[i]) != NULL && i + 1 < format.len)
				i++;
			if (format.ptr[i] == '\0' || !scan_one(p, format.ptr[i]))
				return false;
		} else if (p->at >= p->s.len || p->s.ptr[p->at++] != ch) {
			return false;
		}
	}
	return true;
}

static struct json fn_strptime(struct jq *j, struct json in, struct json *arg)
{
	JQ_SCRATCH(j, mark);
	struct scan p = { .c = { .year = 1900, .month = 1, .day = 0 } };
	struct zone *utc = zone_of_text(&j->scratch, "UTC0");
	struct json out = json_simple(JSON_NONE);
	int second;

	if (in.kind != JSON_STRING) {
		jq_error(j, "strptime/1 requires string inputs and arguments");
	} else if (arg[0].kind != JSON_STRING) {
		jq_error(j, "strptime/1 requires string inputs and arguments");
	} else {
		p.s = json_text(in);
		json_worked(&j->m, arg[0].u.str->len);
		if (!scan_format(&p, json_text(arg[0])) || p.at != p.s.len) {
			jq_error(j, "date \"%s\" does not match format \"%s\"", in.u.str->ptr,
				 arg[0].u.str->ptr);
		} else {
			if (p.has_pm)
				p.c.hour = p.c.hour % 12 + (p.pm ? 12 : 0);
			if (p.has_epoch)
				time_civil(utc, p.epoch, &p.c);
			second = p.c.second;
			struct civil whole = p.c;

			whole.day = whole.day == 0 ? 1 : whole.day;
			time_of_civil(utc, &whole);
			p.c.weekday = whole.weekday;
			p.c.yearday = whole.yearday;
			out = broken_down(j, &p.c, second);
		}
	}
	arena_release(&j->scratch, mark);
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	return out;
}

const struct native jq_natives_time[] = {
	{ "now", 0, fn_now },
	{ "gmtime", 0, fn_gmtime },
	{ "localtime", 0, fn_localtime },
	{ "mktime", 0, fn_mktime },
	{ "strftime", 1, fn_strftime },
	{ "strflocaltime", 1, fn_strflocaltime },
	{ "strptime", 1, fn_strptime },
	{ NULL, 0, NULL },
};
