/* SPDX-License-Identifier: MIT
 *
 * Dates written: the styles of --date.
 */
#include "builtins/git/git.h"
#include "builtins/zone.h"

static const char *const weekdays[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
				      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

int64_t date_now(struct git *g)
{
	const char *test = cmd_getenv(g->c, "GIT_TEST_DATE_NOW");
	int64_t v;

	if (test != NULL && git_number(test, &v))
		return v;
	return cmd_now(g->c) / 1000000000;
}

static const struct zone *local_zone(struct git *g)
{
	if (g->zone == NULL)
		g->zone = zone_of_command(g->c);
	return g->zone;
}

int date_local_zone(struct git *g, int64_t seconds)
{
	struct civil c;
	int minutes;

	time_civil(local_zone(g), seconds, &c);
	minutes = c.offset_s / 60;
	return minutes / 60 * 100 + minutes % 60;
}

static int zone_seconds(int zone)
{
	int v = zone < 0 ? -zone : zone;

	v = (v / 100 * 60 + v % 100) * 60;
	return zone < 0 ? -v : v;
}

bool date_style_of(struct git *g, const char *text, struct date_style *out)
{
	static const struct {
		const char *name;
		enum date_mode mode;
	} modes[] = {
		{ "default", DATE_NORMAL },
		{ "relative", DATE_RELATIVE },
		{ "human", DATE_HUMAN },
		{ "iso8601-strict", DATE_ISO_STRICT },
		{ "iso-strict", DATE_ISO_STRICT },
		{ "iso8601", DATE_ISO },
		{ "iso", DATE_ISO },
		{ "rfc2822", DATE_RFC },
		{ "rfc", DATE_RFC },
		{ "short", DATE_SHORT },
		{ "raw", DATE_RAW },
		{ "unix", DATE_UNIX },
		{ "format", DATE_FORMAT },
		{ "local", DATE_NORMAL },
	};

	*out = (struct date_style){ .mode = DATE_NORMAL };
	if (git_starts(text, "auto:"))
		text = cmd_isatty(g->c, 1) ? text + 5 : "default";
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		size_t len = strlen(modes[i].name);

		if (strncmp(text, modes[i].name, len) != 0)
			continue;
		const char *rest = text + len;

		out->mode = modes[i].mode;
		out->local = strcmp(modes[i].name, "local") == 0;
		if (git_starts(rest, "-local")) {
			out->local = true;
			rest += 6;
		}
		if (out->mode == DATE_FORMAT && *rest == ':') {
			out->format = rest + 1;
			return true;
		}
		return *rest == '\0' && out->mode != DATE_FORMAT;
	}
	return false;
}

static void put_count(struct buf *out, int64_t n, const char *unit, const char *tail)
{
	buf_printf(out, "%lld %s%s%s", (long long)n, unit, n == 1 ? "" : "s", tail);
}

static void put_relative(struct git *g, struct buf *out, int64_t seconds)
{
	int64_t diff = date_now(g) - seconds;

	if (diff < 0) {
		buf_puts(out, "in the future");
		return;
	}
	if (diff < 90) {
		put_count(out, diff, "second", " ago");
		return;
	}
	diff = (diff + 30) / 60;
	if (diff < 90) {
		put_count(out, diff, "minute", " ago");
		return;
	}
	diff = (diff + 30) / 60;
	if (diff < 36) {
		put_count(out, diff, "hour", " ago");
		return;
	}
	diff = (diff + 12) / 24;
	if (diff < 14) {
		put_count(out, diff, "day", " ago");
	} else if (diff < 70) {
		put_count(out, (diff + 3) / 7, "week", " ago");
	} else if (diff < 365) {
		put_count(out, (diff + 15) / 30, "month", " ago");
	} else if (diff < 1825) {
		int64_t total = (diff * 12 * 2 + 365) / (365 * 2);

		if (total % 12 != 0) {
			put_count(out, total / 12, "year", ", ");
			put_count(out, total % 12, "month", " ago");
		} else {
			put_count(out, total / 12, "year", " ago");
		}
	} else {
		put_count(out, (diff + 183) / 365, "year", " ago");
	}
}

static void civil_of(struct git *g, int64_t seconds, int zone, struct civil *c)
{
	if (g->utc == NULL)
		g->utc = zone_of_text(g->keep, NULL);
	time_civil(g->utc, seconds + zone_seconds(zone), c);
}

static void put_zone(struct buf *out, int zone, bool colon)
{
	int v = zone < 0 ? -zone : zone;

	buf_printf(out, "%c%02d%s%02d", zone < 0 ? '-' : '+', v / 100, colon ? ":" : "", v % 100);
}

/* Parts that a reader near by in time does not need are left out. */
static void put_human(struct git *g, struct buf *out, int64_t seconds, int zone, bool local)
{
	struct civil c;
	struct civil now;
	int64_t today = date_now(g);
	int here = date_local_zone(g, today);
	bool same_year, hide_wday = false, hide_date = false, hide_time = false, hide_year = false;

	civil_of(g, seconds, zone, &c);
	civil_of(g, today, here, &now);
	same_year = c.year == now.year;
	if (same_year) {
		hide_year = true;
		if (c.month == now.month) {
			if (c.day > now.day) {
				/* In the future: all but the year. */
			} else if (c.day == now.day) {
				hide_date = hide_wday = true;
			} else if (c.day + 5 > now.day) {
				hide_date = true;
			}
		}
		if (hide_wday && hide_date) {
			put_relative(g, out, seconds);
			return;
		}
	}
	if (!hide_date)
		hide_wday = !same_year;
	if (!same_year) {
		hide_time = true;
		hide_wday = true;
	}
	if (!hide_wday)
		buf_printf(out, "%s ", weekdays[c.weekday]);
	if (!hide_date)
		buf_printf(out, "%s %d ", months[c.month - 1], c.day);
	if (!hide_time)
		buf_printf(out, "%02d:%02d", c.hour, c.minute);
	if (!hide_year)
		buf_printf(out, "%lld", (long long)c.year);
	if (!local && !hide_time && zone != here) {
		buf_putc(out, ' ');
		put_zone(out, zone, false);
	}
	while (out->len > 0 && out->ptr[out->len - 1] == ' ')
		out->len--;
}

static void put_formatted(struct buf *out, const char *format, struct civil *c, int64_t seconds,
			  int zone, bool local)
{
	struct buf f = buf_in(out->arena);

	for (; *format != '\0'; format++) {
		if (format[0] == '%' && format[1] == '%') {
			buf_puts(&f, "%%");
			format++;
		} else if (format[0] == '%' && format[1] == 'z') {
			put_zone(&f, zone, false);
			format++;
		} else if (format[0] == '%' && format[1] == 'Z' && !local) {
			format++;
		} else if (format[0] == '%' && format[1] == 's') {
			buf_printf(&f, "%lld", (long long)seconds);
			format++;
		} else {
			buf_putc(&f, *format);
		}
	}
	time_format(out, buf_bytes(&f), c, seconds, TIME_LIBC);
}

void date_put(struct git *g, struct buf *out, int64_t seconds, int zone, const struct date_style *s)
{
	struct civil c;

	if (s->mode == DATE_UNIX) {
		buf_printf(out, "%lld", (long long)seconds);
		return;
	}
	if (s->local)
		zone = date_local_zone(g, seconds);
	if (s->mode == DATE_RELATIVE) {
		put_relative(g, out, seconds);
		return;
	}
	if (s->mode == DATE_RAW) {
		buf_printf(out, "%lld ", (long long)seconds);
		put_zone(out, zone, false);
		return;
	}
	if (s->mode == DATE_HUMAN) {
		put_human(g, out, seconds, zone, s->local);
		return;
	}
	civil_of(g, seconds, zone, &c);
	switch (s->mode) {
	case DATE_SHORT:
		buf_printf(out, "%04lld-%02d-%02d", (long long)c.year, c.month, c.day);
		return;
	case DATE_ISO:
	case DATE_ISO_STRICT:
		buf_printf(out, "%04lld-%02d-%02d%c%02d:%02d:%02d", (long long)c.year, c.month,
			   c.day, s->mode == DATE_ISO ? ' ' : 'T', c.hour, c.minute, c.second);
		if (s->mode == DATE_ISO)
			buf_putc(out, ' ');
		put_zone(out, zone, s->mode == DATE_ISO_STRICT);
		return;
	case DATE_RFC:
		buf_printf(out, "%s, %d %s %lld %02d:%02d:%02d ", weekdays[c.weekday], c.day,
			   months[c.month - 1], (long long)c.year, c.hour, c.minute, c.second);
		put_zone(out, zone, false);
		return;
	case DATE_FORMAT: put_formatted(out, s->format, &c, seconds, zone, s->local); return;
	default: break;
	}
	buf_printf(out, "%s %s %d %02d:%02d:%02d %lld", weekdays[c.weekday], months[c.month - 1],
		   c.day, c.hour, c.minute, c.second, (long long)c.year);
	if (!s->local) {
		buf_putc(out, ' ');
		put_zone(out, zone, false);
	}
}
