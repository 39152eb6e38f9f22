/* SPDX-License-Identifier: MIT
 *
 * date --debug: how a date was understood, in the words of coreutils.
 */
#include "builtins/date_private.h"

enum shown {
	SHOWN_DATE = 1,
	SHOWN_YEAR = 2,
	SHOWN_TIME = 4,
	SHOWN_DAY = 8,
	SHOWN_ZONE = 16,
	SHOWN_LOCAL = 32
};

void explain_say(const struct parser *p, const char *format, ...)
{
	struct arena_mark mark;
	struct buf line;
	va_list args;

	if (p->trace == NULL)
		return;
	mark = arena_mark(p->trace->arena);
	line = buf_in(p->trace->arena);
	va_start(args, format);
	buf_vprintf(&line, format, args);
	va_end(args);
	cmd_warn(p->trace, 0, "%s", buf_cstr(&line));
	arena_release(p->trace->arena, mark);
}

static void put_signed(struct buf *b, int64_t n)
{
	if (n >= 0)
		buf_putc(b, '+');
	buf_put_i64(b, n);
}

/* +hh, with minutes and seconds where there are any. */
static void put_offset(struct buf *b, int64_t seconds)
{
	int64_t rest = seconds < 0 ? -seconds : seconds;

	buf_printf(b, "%c%02d", seconds < 0 ? '-' : '+', (int)(rest / 3600));
	if (rest % 3600 != 0)
		buf_printf(b, ":%02d", (int)(rest / 60 % 60));
	if (rest % 60 != 0)
		buf_printf(b, ":%02d", (int)(rest % 60));
}

static void put_date(struct buf *b, int64_t year, int64_t month, int64_t day)
{
	buf_printf(b, "(Y-M-D) %04lld-%02lld-%02lld", (long long)year, (long long)month,
		   (long long)day);
}

static void put_civil(struct buf *b, const struct civil *t)
{
	put_date(b, t->year, t->month, t->day);
	buf_printf(b, " %02d:%02d:%02d", t->hour, t->minute, t->second);
}

static const char *show_civil(const struct parser *p, const struct civil *t)
{
	struct buf b = buf_in(p->trace->arena);

	put_civil(&b, t);
	if (p->zones > 0) {
		buf_puts(&b, " TZ=");
		put_offset(&b, p->zone_s);
	}
	return buf_cstr(&b);
}

static const char *show_weekday(const struct parser *p)
{
	static const char *const ordinals[] = { "last",     "this",   "next/first", "(SECOND)",
						"third",    "fourth", "fifth",      "sixth",
						"seventh",  "eight",  "ninth",      "tenth",
						"eleventh", "twelfth" };
	static const char *const names[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	struct buf b = buf_in(p->trace->arena);

	if (p->weekday_counted && p->weekday_count >= -1 && p->weekday_count <= 12)
		buf_printf(&b, "%s ", ordinals[p->weekday_count + 1]);
	else if (p->weekday_counted)
		buf_printf(&b, "%lld ", (long long)p->weekday_count);
	buf_puts(&b, names[p->weekday]);
	return buf_cstr(&b);
}

/* Whether a part is there that was not told; it counts as told from now on. */
static bool is_new(struct parser *p, enum shown part, bool seen, struct buf *b, bool *first)
{
	if (!seen || (p->shown & part) != 0)
		return false;
	p->shown |= part;
	if (!*first)
		buf_putc(b, ' ');
	*first = false;
	return true;
}

void explain_part(struct parser *p, const char *kind)
{
	bool first = true;
	struct buf b;

	if (p->trace == NULL)
		return;
	b = buf_in(p->trace->arena);
	if (is_new(p, SHOWN_DATE, p->dates > 0, &b, &first)) {
		struct civil now;

		time_civil(p->zone, p->now_s, &now);
		put_date(&b, p->has_year ? p->year : now.year, p->month, p->day);
		if (p->has_year)
			p->shown |= SHOWN_YEAR;
	}
	if (is_new(p, SHOWN_YEAR, p->has_year, &b, &first))
		buf_printf(&b, "year: %04lld", (long long)p->year);
	if (is_new(p, SHOWN_TIME, p->times > 0, &b, &first)) {
		buf_printf(&b, "%02lld:%02lld:%02lld", (long long)p->hour, (long long)p->minute,
			   (long long)p->second);
		if (p->ns != 0)
			buf_printf(&b, ".%09lld", (long long)p->ns);
		buf_puts(&b, p->meridian == 2 ? "pm" : "");
	}
	if (is_new(p, SHOWN_DAY, p->days > 0, &b, &first))
		buf_printf(&b, "%s (day ordinal=%lld number=%lld)", show_weekday(p),
			   (long long)p->weekday_count, (long long)p->weekday);
	if (is_new(p, SHOWN_LOCAL, p->local_zones > 0, &b, &first))
		buf_printf(&b, "isdst=%d%s", p->local_dst, p->dst_said ? " DST" : "");
	if (is_new(p, SHOWN_ZONE, p->zones > 0, &b, &first)) {
		buf_puts(&b, "UTC");
		put_offset(&b, p->zone_s);
	}
	explain_say(p, "parsed %s part: %s", kind, buf_cstr(&b));
}

void explain_relative(const struct parser *p)
{
	static const char *const units[] = {
		"year(s)", "month(s)", "day(s)", "hour(s)", "minutes", "seconds", "nanoseconds",
	};
	struct buf b;

	if (p->trace == NULL)
		return;
	b = buf_in(p->trace->arena);
	for (int i = 0; i < 7; i++) {
		if (p->rel[i] == 0)
			continue;
		buf_putc(&b, ' ');
		put_signed(&b, p->rel[i]);
		buf_printf(&b, " %s", units[i]);
	}
	explain_say(p, "parsed relative part:%s",
		    buf_bytes(&b).len > 0 ? buf_cstr(&b) : " today/this/now");
}

static void say_input_zone(const struct parser *p)
{
	struct buf b = buf_in(p->trace->arena);

	if (p->epoch)
		buf_puts(&b, "'@timespec' - always UTC");
	else if (p->zones > 0)
		buf_puts(&b, "parsed date/time string");
	else if (p->zone_text != NULL)
		buf_printf(&b, "TZ=\"%s\" in date string", p->zone_text);
	else if (p->zone_name == NULL)
		buf_puts(&b, "system default");
	else if (strcmp(p->zone_name, "UTC0") == 0)
		buf_puts(&b, "TZ=\"UTC0\" environment value or -u");
	else
		buf_printf(&b, "TZ=\"%s\" environment value", p->zone_name);
	if (p->zones > 0 && !p->epoch) {
		buf_puts(&b, " (");
		put_offset(&b, p->zone_s);
		buf_putc(&b, ')');
	}
	if (p->local_zones > 0 && p->local_dst && p->zones == 0)
		buf_puts(&b, ", dst");
	explain_say(p, "input timezone: %s", buf_cstr(&b));
}

void explain_counts(const struct parser *p)
{
	if (p->trace == NULL)
		return;
	say_input_zone(p);
	if (p->times > 1)
		explain_say(p, "error: seen multiple time parts");
	if (p->dates > 1)
		explain_say(p, "error: seen multiple date parts");
	if (p->days > 1)
		explain_say(p, "error: seen multiple days parts");
	if (p->zones + p->local_zones > 1)
		explain_say(p, "error: seen multiple time-zone parts");
}

void explain_start_time(const struct parser *p, const struct civil *t, bool midnight)
{
	if (midnight)
		explain_say(p, "warning: using midnight as starting time: 00:00:00");
	else
		explain_say(p, "using %s time as starting value: '%02d:%02d:%02d'",
			    p->times > 0 ? "specified" : "current", t->hour, t->minute, t->second);
}

void explain_invalid(const struct parser *p, const struct civil *asked, const struct civil *found)
{
	bool year = asked->year != found->year;
	bool month = asked->month != found->month;
	bool day = asked->day != found->day;
	bool hour = asked->hour != found->hour;
	bool minute = asked->minute != found->minute;
	bool second = asked->second != found->second;
	struct buf marks;

	if (p->trace == NULL)
		return;
	explain_say(p, "error: invalid date/time value:");
	explain_say(p, "    user provided time: '%s'", show_civil(p, asked));
	explain_say(p, "       normalized time: '%s'", show_civil(p, found));
	marks = buf_in(p->trace->arena);
	buf_printf(&marks, "%33s%s %s %s %s %s %s", "", year ? "----" : "    ", month ? "--" : "  ",
		   day ? "--" : "  ", hour ? "--" : "  ", minute ? "--" : "  ",
		   second ? "--" : "  ");
	struct bytes line = buf_bytes(&marks);

	while (line.len > 0 && line.ptr[line.len - 1] == ' ')
		line.len--;
	explain_say(p, "%s", arena_dup(p->trace->arena, line));
	explain_say(p, "     possible reasons:");
	if (hour && !year && !month && !day && !minute && !second)
		explain_say(p, "       non-existing due to daylight-saving time;");
	if (day && month)
		explain_say(p, "       invalid day/month combination;");
	explain_say(p, "       numeric values overflow;");
	explain_say(p, "       %s timezone", p->zones > 0 ? "incorrect" : "missing");
}

void explain_start(const struct parser *p, const struct civil *t)
{
	struct buf b;

	if (p->trace == NULL)
		return;
	b = buf_in(p->trace->arena);
	put_date(&b, t->year, t->month, t->day);
	if (p->days > 0 && p->dates > 0)
		explain_say(p, "warning: day (%s) ignored when explicit dates are given",
			    show_weekday(p));
	else if (p->days > 0)
		explain_say(p, "new start date: '%s' is '%s'", show_weekday(p), show_civil(p, t));
	else if (p->dates == 0)
		explain_say(p, "using current date as starting value: '%s'", buf_cstr(&b));
	explain_say(p, "starting date/time: '%s'", show_civil(p, t));
}

void explain_warnings(const struct parser *p, const struct civil *start)
{
	const int64_t *rel = p->rel;

	if ((rel[REL_YEAR] | rel[REL_MONTH]) != 0 && start->day != 15)
		explain_say(p, "warning: when adding relative months/years, it is recommended "
			       "to specify the 15th of the months");
	if (rel[REL_DAY] != 0 && start->hour != 12)
		explain_say(p, "warning: when adding relative days, it is recommended "
			       "to specify noon");
}

void explain_adjusted(const struct parser *p, const struct civil *start, const struct civil *found)
{
	const int64_t *rel = p->rel;
	struct buf b;

	if (p->trace == NULL || (rel[REL_YEAR] | rel[REL_MONTH] | rel[REL_DAY]) == 0)
		return;
	explain_warnings(p, start);
	b = buf_in(p->trace->arena);
	put_signed(&b, rel[REL_YEAR]);
	buf_puts(&b, " years, ");
	put_signed(&b, rel[REL_MONTH]);
	buf_puts(&b, " months, ");
	put_signed(&b, rel[REL_DAY]);
	explain_say(p, "after date adjustment (%s days),", buf_cstr(&b));
	explain_say(p, "    new date/time = '%s'", show_civil(p, found));
	if (p->local_zones > 0 && p->zones == 0 && found->is_dst != p->local_dst)
		explain_say(p, "warning: daylight saving time changed after date adjustment");
	if (rel[REL_DAY] != 0 || found->day == start->day)
		return;
	explain_say(p, "warning: month/year adjustment resulted in shifted dates:");
	explain_say(p, "     adjusted Y M D: %04lld %02lld %02d",
		    (long long)(start->year + rel[REL_YEAR]),
		    (long long)(start->month + rel[REL_MONTH]), start->day);
	explain_say(p, "   normalized Y M D: %04lld %02d %02d", (long long)found->year,
		    found->month, found->day);
}

void explain_seconds(const struct parser *p, const struct civil *t, int64_t seconds)
{
	if (p->trace != NULL)
		explain_say(p, "'%s' = %lld epoch-seconds", show_civil(p, t), (long long)seconds);
}

void explain_time_adjusted(const struct parser *p, const struct civil *t, int64_t seconds)
{
	static const char *const units[] = { " hours, ", " minutes, ", " seconds, ", " ns" };
	struct civil after;
	int64_t any = 0;
	struct buf b;

	if (p->trace == NULL)
		return;
	b = buf_in(p->trace->arena);
	for (int i = REL_HOUR; i <= REL_NS; i++) {
		any |= p->rel[i];
		put_signed(&b, p->rel[i]);
		buf_puts(&b, units[i - REL_HOUR]);
	}
	if (any == 0)
		return;
	explain_say(p, "after time adjustment (%s),", buf_cstr(&b));
	explain_say(p, "    new time = %lld epoch-seconds", (long long)seconds);
	time_civil(p->zone, seconds, &after);
	if (p->zones == 0 && after.is_dst != t->is_dst)
		explain_say(p, "warning: daylight saving time changed after time adjustment");
}

void explain_final(const struct parser *p, const struct moment *m)
{
	const char *name = p->zone_text != NULL ? p->zone_text : p->zone_name;
	struct civil t;
	struct buf utc;
	struct buf local;

	if (p->trace == NULL)
		return;
	if (name == NULL)
		explain_say(p, "timezone: system default");
	else if (strcmp(name, "UTC0") == 0)
		explain_say(p, "timezone: Universal Time");
	else
		explain_say(p, "timezone: TZ=\"%s\" environment value", name);
	explain_say(p, "final: %lld.%09lld (epoch-seconds)", (long long)m->seconds,
		    (long long)m->ns);
	utc = local = buf_in(p->trace->arena);
	time_civil(zone_of_text(p->trace->arena, NULL), m->seconds, &t);
	put_civil(&utc, &t);
	time_civil(p->zone, m->seconds, &t);
	put_civil(&local, &t);
	buf_puts(&local, " (UTC");
	put_offset(&local, t.offset_s);
	explain_say(p, "final: %s (UTC)", buf_cstr(&utc));
	explain_say(p, "final: %s)", buf_cstr(&local));
}
