/* SPDX-License-Identifier: MIT
 *
 * Dates read: exact ones as commits have them, and what people write ("2 weeks ago").
 */
#include "base/time.h"
#include "builtins/git/git.h"
#include "builtins/zone.h"

static const char *const month_names[] = { "january",   "february", "march",    "april",
					   "may",       "june",     "july",     "august",
					   "september", "october",  "november", "december" };
static const char *const weekday_names[] = { "sunday",   "monday", "tuesday", "wednesday",
					     "thursday", "friday", "saturday" };
static const struct {
	const char *name;
	int hours;
	bool dst;
} zone_names[] = {
	{ "utc", 0, false }, { "gmt", 0, false },  { "z", 0, false },   { "wet", 0, false },
	{ "bst", 0, true },  { "cet", 1, false },  { "cest", 1, true }, { "met", 1, false },
	{ "mest", 1, true }, { "eet", 2, false },  { "eest", 2, true }, { "est", -5, false },
	{ "edt", -5, true }, { "cst", -6, false }, { "cdt", -6, true }, { "mst", -7, false },
	{ "mdt", -7, true }, { "pst", -8, false }, { "pdt", -8, true }, { "jst", 9, false },
};

struct fields {
	int64_t year; /* -1: not said, as all of these */
	int month, day, hour, minute, second;
	bool has_zone;
	int zone_minutes;
	int64_t stamp; /* INT64_MIN: none */
};

/* How many letters of text are the name's; 0 unless it is at least three or all of them. */
static size_t match_word(const char *text, const char *name)
{
	size_t i = 0;

	while (name[i] != '\0' && byte_to_lower((unsigned char)text[i]) == name[i])
		i++;
	if (byte_is_alpha((unsigned char)text[i]))
		return 0;
	return i >= 3 || name[i] == '\0' ? i : 0;
}

static size_t read_word(const char *at, struct fields *f)
{
	size_t len = 0;

	for (int i = 0; i < 12; i++) {
		len = match_word(at, month_names[i]);
		if (len != 0) {
			f->month = i + 1;
			return len;
		}
	}
	for (int i = 0; i < 7; i++) {
		len = match_word(at, weekday_names[i]);
		if (len != 0)
			return len;
	}
	for (size_t i = 0; i < sizeof(zone_names) / sizeof(zone_names[0]); i++) {
		size_t n = strlen(zone_names[i].name);

		if (match_word(at, zone_names[i].name) == n) {
			f->has_zone = true;
			f->zone_minutes = (zone_names[i].hours + zone_names[i].dst) * 60;
			return n;
		}
	}
	if (match_word(at, "pm") == 2 && f->hour >= 0) {
		f->hour = f->hour % 12 + 12;
		return 2;
	}
	if (match_word(at, "am") == 2 && f->hour >= 0) {
		f->hour %= 12;
		return 2;
	}
	while (byte_is_alpha((unsigned char)at[len]))
		len++;
	return len;
}

static int64_t read_digits(const char *at, size_t *len)
{
	int64_t v = 0;
	size_t i = 0;

	for (; byte_is_digit((unsigned char)at[i]); i++)
		v = v > INT64_MAX / 10 - 1 ? v : v * 10 + (at[i] - '0');
	*len = i;
	return v;
}

static void set_date(struct fields *f, int64_t year, int64_t month, int64_t day)
{
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return;
	if (year >= 0 && year < 70)
		year += 2000;
	else if (year >= 70 && year < 100)
		year += 1900;
	if (year >= 0)
		f->year = year;
	f->month = (int)month;
	f->day = (int)day;
}

/* 10:11[:12[.5]], 2000-01-02, 1/2/2000, 2.1.2000: 0 if it is none of them. */
static size_t read_group(const char *at, struct fields *f)
{
	size_t n1, n2, n3 = 0;
	int64_t a = read_digits(at, &n1);
	char sep = at[n1];
	int64_t b, d = -1;

	if (strchr(":-/.", sep) == NULL || sep == '\0' || !byte_is_digit((unsigned char)at[n1 + 1]))
		return 0;
	b = read_digits(at + n1 + 1, &n2);
	size_t len = n1 + 1 + n2;

	if (at[len] == sep && byte_is_digit((unsigned char)at[len + 1])) {
		d = read_digits(at + len + 1, &n3);
		len += 1 + n3;
	}
	if (sep == ':') {
		if (a > 24 || b > 59 || d > 60)
			return len;
		f->hour = (int)a;
		f->minute = (int)b;
		f->second = d >= 0 ? (int)d : 0;
		/* Parts of a second do not count. */
		if (d >= 0 && at[len] == '.' && byte_is_digit((unsigned char)at[len + 1])) {
			read_digits(at + len + 1, &n3);
			len += 1 + n3;
		}
		return len;
	}
	if (n1 > 2 && d >= 0) {
		set_date(f, a, b, d);
		if (f->month != b)
			set_date(f, a, d, b);
	} else if (sep == '.' || (a > 12 && sep != '-')) {
		set_date(f, d, b, a);
	} else if (n1 <= 2) {
		set_date(f, d, a, b);
	}
	return len;
}

static size_t read_number(const char *text, const char *at, struct fields *f)
{
	size_t n;
	int64_t v = read_digits(at, &n);

	(void)text;
	if (n >= 9 && f->stamp == INT64_MIN && f->year < 0) {
		f->stamp = v;
		return n;
	}
	if (n == 14 || (n == 8 && at[8] == 'T')) {
		set_date(f, v / (n == 14 ? 10000000000 : 10000),
			 v / (n == 14 ? 100000000 : 100) % 100, v / (n == 14 ? 1000000 : 1) % 100);
		return n;
	}
	if (n == 4 && f->year < 0) {
		f->year = v;
		return n;
	}
	if (n <= 2 && v >= 1 && v <= 31 && f->day < 0) {
		f->day = (int)v;
		return n;
	}
	if (n == 2 && f->day > 0 && f->month > 0 && f->year < 0)
		f->year = v < 70 ? 2000 + v : 1900 + v;
	return n;
}

/* +0100, -01:30 */
static size_t read_zone(const char *at, struct fields *f)
{
	size_t n, m;
	int64_t hours = read_digits(at + 1, &n);
	int64_t minutes = 0;

	if (n == 4 || n == 3) {
		minutes = hours % 100;
		hours /= 100;
	} else if (n <= 2 && at[1 + n] == ':') {
		minutes = read_digits(at + 2 + n, &m);
		n += 1 + m;
	} else if (n > 4) {
		return n + 1;
	}
	if (minutes < 60 && hours < 24) {
		f->has_zone = true;
		f->zone_minutes = (int)(hours * 60 + minutes) * (*at == '-' ? -1 : 1);
	}
	return n + 1;
}

static void read_fields(const char *text, struct fields *f)
{
	const char *at = text;

	*f = (struct fields){ .year = -1,
			      .month = -1,
			      .day = -1,
			      .hour = -1,
			      .minute = -1,
			      .second = -1,
			      .stamp = INT64_MIN };
	while (*at != '\0' && *at != '\n') {
		size_t n = 0;

		if (byte_is_alpha((unsigned char)*at))
			n = read_word(at, f);
		else if (byte_is_digit((unsigned char)*at)) {
			n = read_group(at, f);
			if (n == 0)
				n = read_number(text, at, f);
		} else if ((*at == '-' || *at == '+') && f->hour >= 0 &&
			   byte_is_digit((unsigned char)at[1])) {
			n = read_zone(at, f);
		}
		at += n != 0 ? n : 1;
	}
}

static bool stamp_and_zone(const char *text, int64_t *seconds, int *zone)
{
	size_t n;
	bool at = *text == '@';
	int64_t v;
	size_t digits;

	text += at;
	v = read_digits(text, &n);
	if (n == 0 || (!at && n < 5))
		return false;
	text += n;
	if (*text == '\0' && (at || n >= 9)) {
		*seconds = v;
		*zone = 0;
		return true;
	}
	if (*text != ' ' || (text[1] != '+' && text[1] != '-'))
		return false;
	int64_t z = read_digits(text + 2, &digits);

	if (digits != 4 || text[6] != '\0' || z % 100 > 59)
		return false;
	*seconds = v;
	*zone = (int)(text[1] == '-' ? -z : z);
	return true;
}

static void local_civil(struct git *g, int64_t seconds, struct civil *c)
{
	date_local_zone(g, seconds);
	time_civil(g->zone, seconds, c);
}

bool date_exact(struct git *g, const char *text, int64_t *seconds, int *zone)
{
	struct fields f;
	struct civil c = { .year = 0 };

	if (stamp_and_zone(text, seconds, zone))
		return true;
	read_fields(text, &f);
	if (f.stamp != INT64_MIN && f.year < 0) {
		*seconds = f.stamp;
		*zone = f.has_zone ? f.zone_minutes / 60 * 100 + f.zone_minutes % 60
				   : date_local_zone(g, f.stamp);
		return true;
	}
	if (f.year < 0 || f.month < 0 || f.day < 0)
		return false;
	/* A time of day that is not said is the one it is now. */
	if (f.hour < 0) {
		struct civil now;

		local_civil(g, date_now(g), &now);
		f.hour = now.hour;
		f.minute = now.minute;
		f.second = now.second;
	}
	if (f.has_zone) {
		*seconds = time_days(f.year, f.month, f.day) * 86400 + f.hour * 3600 +
			   f.minute * 60 + f.second - f.zone_minutes * 60;
		*zone = f.zone_minutes / 60 * 100 + f.zone_minutes % 60;
		return true;
	}
	date_local_zone(g, 0);
	c = (struct civil){ .year = f.year,
			    .month = f.month,
			    .day = f.day,
			    .hour = f.hour,
			    .minute = f.minute,
			    .second = f.second };
	*seconds = time_of_civil(g->zone, &c);
	*zone = date_local_zone(g, *seconds);
	return true;
}

/* --- what people write --- */

static const struct {
	const char *name;
	int value;
} number_words[] = { { "zero", 0 }, { "one", 1 },  { "two", 2 },   { "three", 3 }, { "four", 4 },
		     { "five", 5 }, { "six", 6 },  { "seven", 7 }, { "eight", 8 }, { "nine", 9 },
		     { "ten", 10 }, { "last", 1 }, { "a", 1 },     { "an", 1 } };

struct guess {
	struct git *g;
	struct civil c;
	int64_t now;
	int64_t number; /* said and not used yet; -1: none */
	bool has_date;
	bool has_time;
};

static int64_t settle(struct guess *s)
{
	return time_of_civil(s->g->zone, &s->c);
}

static void move_seconds(struct guess *s, int64_t delta)
{
	int64_t t = settle(s) + delta;

	time_civil(s->g->zone, t, &s->c);
}

static void at_time(struct guess *s, int hour)
{
	if (s->c.hour < hour && !s->has_date)
		move_seconds(s, -86400);
	s->c.hour = hour;
	s->c.minute = s->c.second = 0;
	s->has_time = true;
}

static bool special_word(struct guess *s, const char *w, size_t len)
{
	struct bytes word = { w, len };

	if (bytes_is(word, "now")) {
		time_civil(s->g->zone, s->now, &s->c);
	} else if (bytes_is(word, "yesterday")) {
		move_seconds(s, -86400);
		s->has_date = true;
	} else if (bytes_is(word, "today")) {
		s->has_date = true;
	} else if (bytes_is(word, "midnight")) {
		at_time(s, 0);
	} else if (bytes_is(word, "noon")) {
		at_time(s, 12);
	} else if (bytes_is(word, "tea")) {
		at_time(s, 17);
	} else if (bytes_is(word, "never")) {
		time_civil(s->g->zone, 0, &s->c);
	} else {
		return false;
	}
	return true;
}

static bool unit_word(struct guess *s, const char *w, size_t len)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = { { "second", 1 },  { "minute", 60 },      { "hour", 3600 },
		      { "day", 86400 }, { "week", 7 * 86400 }, { "fortnight", 14 * 86400 },
		      { "sec", 1 },     { "min", 60 } };
	int64_t n = s->number > 0 ? s->number : s->number == 0 ? 0 : 1;

	if (len > 1 && w[len - 1] == 's')
		len--;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!bytes_is((struct bytes){ w, len }, units[i].name))
			continue;
		if (n < INT64_MAX / (14 * 86400) / 4)
			move_seconds(s, -n * units[i].seconds);
		s->number = -1;
		return true;
	}
	bool month = bytes_is((struct bytes){ w, len }, "month");

	if (!month && !bytes_is((struct bytes){ w, len }, "year"))
		return false;
	if (n > 100000)
		n = 100000;
	int64_t total = s->c.year * 12 + s->c.month - 1 - (month ? n : n * 12);

	s->c.year = total / 12;
	s->c.month = (int)(total % 12) + 1;
	s->number = -1;
	return true;
}

static bool weekday_word(struct guess *s, const char *w)
{
	for (int i = 0; i < 7; i++) {
		int diff;

		if (match_word(w, weekday_names[i]) == 0)
			continue;
		settle(s);
		diff = s->c.weekday - i;
		if (diff <= 0)
			diff += 7;
		if (s->number > 1)
			diff += (int)(s->number > 1000 ? 1000 : s->number - 1) * 7;
		move_seconds(s, -(int64_t)diff * 86400);
		s->number = -1;
		s->has_date = true;
		return true;
	}
	for (int i = 0; i < 12; i++) {
		if (match_word(w, month_names[i]) == 0)
			continue;
		if (i + 1 > s->c.month && !s->has_date)
			s->c.year--;
		s->c.month = i + 1;
		if (s->number >= 1 && s->number <= 31)
			s->c.day = (int)s->number;
		s->number = -1;
		s->has_date = true;
		return true;
	}
	return false;
}

static size_t guess_word(struct guess *s, const char *at)
{
	char low[32];
	size_t len = 0;
	size_t n = 0;

	while (byte_is_alpha((unsigned char)at[len]))
		len++;
	for (; n < len && n < sizeof(low) - 1; n++)
		low[n] = (char)byte_to_lower((unsigned char)at[n]);
	low[n] = '\0';
	if (special_word(s, low, n) || unit_word(s, low, n) || weekday_word(s, low))
		return len;
	for (size_t i = 0; i < sizeof(number_words) / sizeof(number_words[0]); i++)
		if (strcmp(low, number_words[i].name) == 0)
			s->number = number_words[i].value;
	if ((strcmp(low, "am") == 0 || strcmp(low, "pm") == 0) && (s->number >= 0 || s->has_time)) {
		int hour = (int)(s->number >= 0 ? s->number % 24 : s->c.hour);

		s->c.hour = hour % 12 + (low[0] == 'p' ? 12 : 0);
		if (s->number >= 0)
			s->c.minute = s->c.second = 0;
		s->number = -1;
	}
	return len;
}

int64_t date_approximate(struct git *g, const char *text)
{
	struct guess s = { .g = g, .now = date_now(g), .number = -1 };
	int64_t seconds;
	int zone;
	const char *at = text;

	if (date_exact(g, text, &seconds, &zone))
		return seconds;
	local_civil(g, s.now, &s.c);
	while (*at != '\0') {
		struct fields f;
		size_t n = 1;

		if (byte_is_digit((unsigned char)*at)) {
			read_fields("", &f);
			n = read_group(at, &f);
			if (n != 0 && f.hour >= 0) {
				s.c.hour = f.hour;
				s.c.minute = f.minute;
				s.c.second = f.second;
				s.has_time = true;
			} else if (n != 0 && f.month > 0) {
				s.c.month = f.month;
				s.c.day = f.day;
				if (f.year > 0)
					s.c.year = f.year;
				s.has_date = true;
			} else {
				int64_t v = read_digits(at, &n);

				if (n == 4 && v > 1900 && v < 2100)
					s.c.year = v;
				else
					s.number = v;
			}
		} else if (byte_is_alpha((unsigned char)*at)) {
			n = guess_word(&s, at);
		}
		at += n;
	}
	if (s.number >= 1 && s.number <= 31 && s.has_date)
		s.c.day = (int)s.number;
	return settle(&s);
}
