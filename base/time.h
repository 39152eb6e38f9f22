/* SPDX-License-Identifier: MIT
 *
 * Civil time: the calendar, time zones from bytes, and strftime with GNU's conversions, in the
 * C locale. No state: what the clock says is the caller's to ask.
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include "base/buf.h"

struct civil {
	int64_t year; /* 2024, not 124 */
	int month;    /* 1..12 */
	int day;      /* 1..31 */
	int hour;
	int minute;
	int second;   /* 60 only when read from text */
	int weekday;  /* 0: Sunday */
	int yearday;  /* 0..365 */
	int offset_s; /* east of UTC */
	bool is_dst;
	char zone[16]; /* abbreviation */
};

/*
 * A time zone: UTC, a POSIX TZ string such as "CET-1CEST,M3.5.0,M10.5.0/3", a name, or the bytes of
 * a TZif file (which must live as long).
 */
struct zone;

/* In the arena. text is the value of TZ (a ':' in front is skipped); NULL or an unusable text
 * gives UTC, as glibc does. */
struct zone *zone_of_text(struct arena *a, const char *text);
/* The rule that the zone of a name such as "Europe/Berlin" follows today; NULL: not known. */
const char *zone_rule_of_name(const char *name);
/* NULL if the bytes are no TZif file. */
struct zone *zone_of_file(struct arena *a, struct bytes tzif);

/* The civil time of a number of seconds since 1970. */
void time_civil(const struct zone *z, int64_t seconds, struct civil *out);
/* The reverse: fields may be out of range (month 14, day -3) and are normalised in *c; is_dst
 * and offset are found from the zone. As mktime: is_dst < 0 does not exist here. */
int64_t time_of_civil(const struct zone *z, struct civil *c);
/* Days since 1970 of a date of the proleptic Gregorian calendar; month may be out of range. */
int64_t time_days(int64_t year, int month, int day);

/*
 * Appends the time as `format` says. Conversions of libc's strftime; with nanoseconds other than
 * TIME_LIBC also those of date(1): %N %q %:z %::z %:::z. Unknown ones are copied.
 */
#define TIME_LIBC UINT32_MAX
void time_format(struct buf *out, struct bytes format, const struct civil *c, int64_t seconds,
		 uint32_t nanoseconds);

#endif
