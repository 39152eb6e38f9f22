/* SPDX-License-Identifier: MIT
 *
 * base/time.h against libc: dates, zones, strftime.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "tests/unit/check.h"
#include "tests/unit/scratch.h"

static int64_t some_time(void)
{
	if (rnd() % 4 == 0)
		return (int64_t)(rnd() % 200000000000) - 70000000000;
	return (int64_t)(rnd() % 4000000000);
}

static void compare_civil(const struct zone *z, const char *name, int64_t t)
{
	time_t when = (time_t)t;
	struct civil c;
	struct tm tm;

	localtime_r(&when, &tm);
	time_civil(z, t, &c);
	if (c.year != tm.tm_year + 1900 || c.month != tm.tm_mon + 1 || c.day != tm.tm_mday ||
	    c.hour != tm.tm_hour || c.minute != tm.tm_min || c.second != tm.tm_sec ||
	    c.weekday != tm.tm_wday || c.yearday != tm.tm_yday || c.offset_s != tm.tm_gmtoff ||
	    c.is_dst != (tm.tm_isdst > 0) || strcmp(c.zone, tm.tm_zone) != 0) {
		printf("%s %" PRId64 ": got %" PRId64
		       "-%d-%d %d:%d:%d %s %d, want %d-%d-%d %d:%d:%d %s %ld\n",
		       name, t, c.year, c.month, c.day, c.hour, c.minute, c.second, c.zone,
		       c.offset_s, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		       tm.tm_min, tm.tm_sec, tm.tm_zone, tm.tm_gmtoff);
		check_bad = true;
	}
	struct civil again = c;

	/* In the hour that comes twice either moment is right. */
	int64_t back = time_of_civil(z, &again);

	CHECK(back == t ||
	      (again.hour == c.hour && again.minute == c.minute && back / 86400 - t / 86400 < 2));
}

TEST(dates_in_utc)
{
	struct zone *z = zone_of_text(scratch(), "UTC0");

	setenv("TZ", "UTC0", 1);
	tzset();
	for (int n = 0; n < 500000 && !check_bad; n++)
		compare_civil(z, "UTC0", some_time());
}

TEST(posix_zones)
{
	static const char *const names[] = {
		"CET-1CEST,M3.5.0,M10.5.0/3",
		"EST5EDT,M3.2.0,M11.1.0",
		"XYZ-3:30",
		"<+0330>-3:30",
		"AEST-10AEDT,M10.1.0,M4.1.0/3",
		"NST3:30NDT,M3.2.0/0:01,M11.1.0/0:01",
		"IST-1GMT0,M10.5.0,M3.5.0/1",
		"AAA4BBB,J60,J300",
		"AAA4BBB,59,300/26",
		"UTC",
		"GMT0",
		"<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
		"",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct zone *z = zone_of_text(scratch(), names[i]);

		setenv("TZ", names[i], 1);
		tzset();
		for (int n = 0; n < 30000 && !check_bad; n++)
			compare_civil(z, names[i], (int64_t)(rnd() % 4000000000));
	}
}

TEST(zone_files)
{
	static const char *const names[] = { "Europe/Berlin",     "America/New_York",
					     "Asia/Kolkata",      "Australia/Lord_Howe",
					     "Africa/Casablanca", "America/Sao_Paulo",
					     "Asia/Tokyo",        "Europe/Dublin" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];
		char *data = malloc(65536);

		snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s", names[i]);
		FILE *f = fopen(path, "rb");

		if (f == NULL)
			continue;
		size_t len = fread(data, 1, 65536, f);

		fclose(f);
		struct zone *z = zone_of_file(scratch(), (struct bytes){ data, len });

		CHECK(z != NULL);
		setenv("TZ", names[i], 1);
		tzset();
		for (int n = 0; n < 30000 && !check_bad; n++)
			compare_civil(z, names[i], (int64_t)(rnd() % 6000000000) - 1500000000);
		/* Damaged files are refused or give some zone, never more. */
		for (int n = 0; n < 2000; n++) {
			size_t at = rnd() % len;
			char was = data[at];
			struct civil c;
			struct zone *bad;

			data[at] = (char)rnd();
			bad = zone_of_file(scratch(),
					   (struct bytes){ data, n % 4 ? len : rnd() % len });
			if (bad != NULL)
				time_civil(bad, (int64_t)rnd(), &c);
			data[at] = was;
		}
		free(data);
	}
}

TEST(strftime_as_libc)
{
	static const char letters[] = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%";
	struct buf b = buf_in(scratch());
	struct zone *z = zone_of_text(scratch(), "CET-1CEST,M3.5.0,M10.5.0/3");

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (int n = 0; n < 300000 && !check_bad; n++) {
		char format[16];
		char want[256];
		size_t at = 0;
		/* glibc applies the rules otherwise before 1970. */
		time_t t = (time_t)(rnd() % (n % 4 == 0 ? 200000000000 : 4000000000));
		struct civil c;
		struct tm tm;
		char letter = letters[rnd() % (sizeof(letters) - 1)];

		format[at++] = '%';
		if (rnd() % 2 && letter != 'z')
			format[at++] = "_-0^#"[rnd() % 5];
		if (rnd() % 4 == 0 && strchr("dHmMSjY", letter) != NULL)
			format[at++] = (char)('1' + rnd() % 9);
		format[at++] = letter;
		format[at] = '\0';
		localtime_r(&t, &tm);
		want[strftime(want, sizeof(want), format, &tm)] = '\0';
		time_civil(z, t, &c);
		b.len = 0;
		time_format(&b, bytes_of(format), &c, t, TIME_LIBC);
		if (strcmp(buf_cstr(&b), want) != 0) {
			printf("%s of %ld: got \"%s\", want \"%s\"\n", format, (long)t, b.ptr,
			       want);
			check_bad = true;
		}
	}
}

static const char *formatted(const char *format, int64_t t, uint32_t ns)
{
	static struct buf b;
	struct civil c;

	b = buf_in(scratch());
	time_civil(zone_of_text(scratch(), "XYZ-3:30"), t, &c);
	time_format(&b, bytes_of(format), &c, t, ns);
	return buf_cstr(&b);
}

TEST(conversions_of_date)
{
	CHECK_STR(formatted("%N|%3N|%-N", 0, 120000000), "120000000|120|120000000");
	CHECK_STR(formatted("%z %:z %::z %:::z", 0, 0), "+0330 +03:30 +03:30:00 +03:30");
	CHECK_STR(formatted("%q %F %s", 86400 * 100, 0), "2 1970-04-11 8640000");
	CHECK_STR(formatted("%N %q %:z %Q", 0, TIME_LIBC), "%N %q %:z %Q");
	CHECK_STR(formatted("%", 0, 0), "%");
}

int main(void)
{
	RUN(dates_in_utc);
	RUN(posix_zones);
	RUN(zone_files);
	RUN(strftime_as_libc);
	RUN(conversions_of_date);
	return check_end();
}
