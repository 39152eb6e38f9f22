/* SPDX-License-Identifier: MIT
 *
 * Time zones: POSIX TZ strings and TZif files (RFC 8536), both as hostile bytes.
 */
#include "base/time.h"

void civil_of_seconds(int64_t seconds, struct civil *c);

/* When a POSIX rule switches: Mm.w.d, Jn or n, at a time of day that may be negative. */
struct rule {
	char kind; /* 'M', 'J' or '0' */
	int month;
	int week;
	int day;
	int time_s;
};

struct local_type {
	int offset_s;
	bool is_dst;
	char name[16];
};

struct zone {
	struct local_type standard;
	struct local_type summer;
	bool has_summer;
	bool has_rules; /* false: only what the file lists */
	struct rule begin;
	struct rule end;
	/* Of a file: transitions in ascending order. */
	const unsigned char *times;
	const unsigned char *kinds;
	const unsigned char *types;
	const char *names;
	size_t nnames;
	size_t ntimes;
	size_t ntypes;
};

/* --- POSIX strings --- */

struct scan {
	const char *at;
	bool bad;
};

static int scan_number(struct scan *s, int max)
{
	int v = 0;

	if (!byte_is_digit((unsigned char)*s->at))
		s->bad = true;
	for (; byte_is_digit((unsigned char)*s->at); s->at++) {
		v = v * 10 + (*s->at - '0');
		if (v > max) {
			s->bad = true;
			v = max;
		}
	}
	return v;
}

static void scan_name(struct scan *s, char name[16])
{
	size_t n = 0;
	bool quoted = *s->at == '<';

	s->at += quoted;
	while (*s->at != '\0' && (quoted ? *s->at != '>' : byte_is_alpha((unsigned char)*s->at))) {
		if (n < 15)
			name[n++] = *s->at;
		s->at++;
	}
	if (quoted && *s->at == '>')
		s->at++;
	name[n] = '\0';
	if (n < 3)
		s->bad = true;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static int scan_time(struct scan *s, int max_hours)
{
	int sign = *s->at == '-' ? -1 : 1;

	if (*s->at == '-' || *s->at == '+')
		s->at++;
	int v = scan_number(s, max_hours) * 3600;

	if (*s->at == ':') {
		s->at++;
		v += scan_number(s, 59) * 60;
	}
	if (*s->at == ':') {
		s->at++;
		v += scan_number(s, 59);
	}
	return sign * v;
}

static void scan_rule(struct scan *s, struct rule *r)
{
	*r = (struct rule){ .kind = '0', .time_s = 2 * 3600 };
	if (*s->at == 'M') {
		s->at++;
		r->kind = 'M';
		r->month = scan_number(s, 12);
		s->bad = s->bad || *s->at != '.' || r->month == 0;
		s->at += *s->at == '.';
		r->week = scan_number(s, 5);
		s->bad = s->bad || *s->at != '.' || r->week == 0;
		s->at += *s->at == '.';
		r->day = scan_number(s, 6);
	} else {
		if (*s->at == 'J') {
			s->at++;
			r->kind = 'J';
		}
		r->day = scan_number(s, 365);
	}
	if (*s->at == '/') {
		s->at++;
		r->time_s = scan_time(s, 167);
	}
}

/* False if the text is no TZ string. */
static bool scan_posix(struct zone *z, const char *text)
{
	struct scan s = { text, false };

	scan_name(&s, z->standard.name);
	if (s.bad)
		return false;
	z->standard.offset_s = -scan_time(&s, 24);
	z->has_rules = true;
	if (s.bad)
		return false;
	if (*s.at == '\0')
		return true;
	scan_name(&s, z->summer.name);
	if (s.bad)
		return false;
	z->has_summer = true;
	z->summer.is_dst = true;
	z->summer.offset_s = z->standard.offset_s + 3600;
	if (*s.at != '\0' && *s.at != ',')
		z->summer.offset_s = -scan_time(&s, 24);
	/* Without rules those of the United States hold. */
	struct scan usual = { ",M3.2.0,M11.1.0", false };

	if (*s.at == '\0')
		s = usual;
	s.at += *s.at == ',';
	scan_rule(&s, &z->begin);
	s.bad = s.bad || *s.at != ',';
	s.at += *s.at == ',';
	scan_rule(&s, &z->end);
	return !s.bad;
}

static struct zone *zone_utc(struct arena *a)
{
	struct zone *z = arena_zalloc(a, sizeof(*z));

	memcpy(z->standard.name, "UTC", 4);
	z->has_rules = true;
	return z;
}

struct zone *zone_of_text(struct arena *a, const char *text)
{
	struct zone *z = arena_zalloc(a, sizeof(*z));

	if (text == NULL || *text == '\0')
		return zone_utc(a);
	text += *text == ':';
	static const char folder[] = "/usr/share/zoneinfo/";
	bool is_path = strncmp(text, folder, sizeof folder - 1) == 0;
	const char *rule = zone_rule_of_name(is_path ? text + sizeof folder - 1 : text);

	if (scan_posix(z, rule != NULL ? rule : text))
		return z;
	struct zone *utc = zone_utc(a);
	struct scan s = { text, false };

	/* glibc shows the name, or nothing if it is none, and counts from Greenwich. */
	scan_name(&s, utc->standard.name);
	if (s.bad)
		utc->standard.name[0] = '\0';
	return utc;
}

/* The moment of a rule in a year, as seconds of local standard or summer time since 1970. */
static int64_t rule_moment(const struct rule *r, int64_t year)
{
	int64_t first = time_days(year, 1, 1);
	int64_t day;

	if (r->kind == 'M') {
		int64_t month = time_days(year, r->month, 1);
		int length = (int)(time_days(year, r->month + 1, 1) - month);
		int weekday = (int)((month % 7 + 11) % 7);
		int of_month = (r->day - weekday + 7) % 7 + (r->week - 1) * 7;

		while (of_month >= length)
			of_month -= 7;
		day = month + of_month;
	} else {
		bool leap = time_days(year + 1, 1, 1) - first == 366;

		day = first + r->day - (r->kind == 'J');
		if (r->kind == 'J' && leap && r->day >= 60)
			day++;
	}
	return day * 86400 + r->time_s;
}

static const struct local_type *type_by_rules(const struct zone *z, int64_t seconds)
{
	struct civil c;

	if (!z->has_summer)
		return &z->standard;
	civil_of_seconds(seconds + z->standard.offset_s, &c);
	int64_t begin = rule_moment(&z->begin, c.year) - z->standard.offset_s;
	int64_t end = rule_moment(&z->end, c.year) - z->summer.offset_s;
	bool summer = begin < end ? seconds >= begin && seconds < end
				  : seconds >= begin || seconds < end;

	return summer ? &z->summer : &z->standard;
}

/* --- TZif --- */

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t be64(const unsigned char *p)
{
	return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

enum { TZIF_HEAD = 44, TZIF_TYPE = 6 };

/* Counts of a header: isut, isstd, leap, time, type, char. */
struct tzif_counts {
	size_t v[6];
};

static bool tzif_head(struct bytes in, size_t at, struct tzif_counts *n)
{
	if (in.len < at + TZIF_HEAD || memcmp(in.ptr + at, "TZif", 4) != 0)
		return false;
	for (int i = 0; i < 6; i++) {
		n->v[i] = be32((const unsigned char *)in.ptr + at + 20 + 4 * i);
		if (n->v[i] > in.len)
			return false;
	}
	return true;
}

static size_t tzif_body(const struct tzif_counts *n, size_t time_bytes)
{
	return n->v[3] * time_bytes + n->v[3] + n->v[4] * TZIF_TYPE + n->v[5] +
	       n->v[2] * (time_bytes + 4) + n->v[1] + n->v[0];
}

/* The TZ string between newlines at the end. */
static void tzif_footer(struct arena *a, struct zone *z, struct bytes rest)
{
	struct zone posix = { 0 };

	if (rest.len < 2 || rest.ptr[0] != '\n')
		return;
	const char *end = memchr(rest.ptr + 1, '\n', rest.len - 1);

	if (end == NULL || end == rest.ptr + 1)
		return;
	char *text = arena_dup(a, (struct bytes){ rest.ptr + 1, (size_t)(end - rest.ptr - 1) });

	if (!scan_posix(&posix, text))
		return;
	z->standard = posix.standard;
	z->summer = posix.summer;
	z->has_summer = posix.has_summer;
	z->begin = posix.begin;
	z->end = posix.end;
	z->has_rules = true;
}

struct zone *zone_of_file(struct arena *a, struct bytes in)
{
	struct tzif_counts n;
	struct zone *z;
	size_t at = TZIF_HEAD;

	if (!tzif_head(in, 0, &n) || in.ptr[4] < '2')
		return NULL;
	at += tzif_body(&n, 4);
	if (at > in.len || !tzif_head(in, at, &n))
		return NULL;
	at += TZIF_HEAD;
	if (n.v[4] == 0 || n.v[5] == 0 || tzif_body(&n, 8) > in.len - at)
		return NULL;
	z = arena_zalloc(a, sizeof(*z));
	z->ntimes = n.v[3];
	z->ntypes = n.v[4];
	z->nnames = n.v[5];
	z->times = (const unsigned char *)in.ptr + at;
	z->kinds = z->times + 8 * z->ntimes;
	z->types = z->kinds + z->ntimes;
	z->names = (const char *)z->types + TZIF_TYPE * z->ntypes;
	at += tzif_body(&n, 8);
	tzif_footer(a, z, bytes_slice(in, at, in.len));
	return z;
}

static void tzif_type(const struct zone *z, size_t i, struct local_type *out)
{
	const unsigned char *t = z->types + TZIF_TYPE * (i < z->ntypes ? i : 0);
	size_t at = t[5];
	size_t n = 0;

	out->offset_s = (int)(int32_t)be32(t);
	if (out->offset_s > 93600 || out->offset_s < -93600)
		out->offset_s = 0;
	out->is_dst = t[4] != 0;
	while (at < z->nnames && z->names[at] != '\0' && n < sizeof(out->name) - 1)
		out->name[n++] = z->names[at++];
	out->name[n] = '\0';
}

/* The first type that is not summer time holds before the first transition. */
static size_t tzif_first(const struct zone *z)
{
	for (size_t i = 0; i < z->ntypes; i++) {
		if (z->types[TZIF_TYPE * i + 4] == 0)
			return i;
	}
	return 0;
}

static void type_at(const struct zone *z, int64_t seconds, struct local_type *out)
{
	size_t from = 0;
	size_t to = z->ntimes;

	if (z->types == NULL ||
	    (z->has_rules && (to == 0 || seconds >= be64(z->times + 8 * (to - 1))))) {
		*out = *type_by_rules(z, seconds);
		return;
	}
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (be64(z->times + 8 * mid) <= seconds)
			from = mid + 1;
		else
			to = mid;
	}
	tzif_type(z, from == 0 ? tzif_first(z) : z->kinds[from - 1], out);
}

void time_civil(const struct zone *z, int64_t seconds, struct civil *out)
{
	struct local_type type = { 0 };

	/* Far beyond any calendar: nothing sensible can be shown. */
	if (seconds > (int64_t)1 << 55)
		seconds = (int64_t)1 << 55;
	if (seconds < -((int64_t)1 << 55))
		seconds = -((int64_t)1 << 55);
	type_at(z, seconds, &type);
	civil_of_seconds(seconds + type.offset_s, out);
	out->offset_s = type.offset_s;
	out->is_dst = type.is_dst;
	memcpy(out->zone, type.name, sizeof(out->zone));
}

int64_t time_of_civil(const struct zone *z, struct civil *c)
{
	int64_t local = time_days(c->year, c->month, 1) + c->day - 1;
	struct local_type type = { 0 };

	local = local * 86400 + (int64_t)c->hour * 3600 + (int64_t)c->minute * 60 + c->second;
	/* The offset depends on the moment: two rounds settle it, except in the hour that is
	 * skipped, which counts as the time after it. */
	type_at(z, local, &type);
	int64_t seconds = local - type.offset_s;

	type_at(z, seconds, &type);
	int64_t again = local - type.offset_s;

	if (again != seconds) {
		struct local_type other = { 0 };

		type_at(z, again, &other);
		seconds = other.offset_s == type.offset_s || again > seconds ? again : seconds;
	}
	time_civil(z, seconds, c);
	return seconds;
}
