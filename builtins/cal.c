/* SPDX-License-Identifier: MIT
 *
 * cal, ncal - show months: cal with weeks as lines, ncal with weekdays as lines.
 *
 * A date is a Julian day number; up to the day of the switch it is a date of the Julian calendar,
 * after it one of the Gregorian, so that September 1752 lacks eleven days. Months stand side by
 * side; a row that begins where a row of a year's calendar does has the year above it.
 */
#include "builtins/zone.h"

enum { USAGE_STATUS = 64, YEAR_MAX = 9999, MONTHS_MAX = 12000, CELL_MAX = 4, NS = 1000000000 };

struct cal_opts {
	char count;  /* '1' or '3': the last of -1 and -3; 0: neither */
	bool banner; /* weeks as lines */
	bool julian_days;
	bool year;
	bool monday;
	bool weeks;
	int64_t week_days; /* -W: how many a year's first week has at least */
	bool julian_calendar;
	bool easter;
	bool orthodox;
	bool countries;
	const char *month;
	const char *date;
	const char *country;
	int before;
	int after;
	int three; /* -3: 1 more on both sides */
	/* worked out */
	int64_t switch_day; /* the last day of the Julian calendar */
	int64_t now_year;
	int now_month;
};

static struct cal_opts *opts_of(struct cmd *c)
{
	return c->opts;
}

/* --- calendars --- */

/* The Julian day number of a date. */
static int64_t day_of(int64_t y, int m, int d, bool gregorian)
{
	int64_t a = (14 - m) / 12;
	int64_t year = y + 4800 - a;
	int64_t month = m + 12 * a - 3;
	int64_t n = d + (153 * month + 2) / 5 + 365 * year + year / 4;

	return gregorian ? n - year / 100 + year / 400 - 32045 : n - 32083;
}

/* The day of the month of a day number. */
static int date_of(int64_t n, bool gregorian)
{
	int64_t c = n + 32082;
	int64_t b = 0;

	if (gregorian) {
		int64_t a = n + 32044;

		b = (4 * a + 3) / 146097;
		c = a - 146097 * b / 4;
	}
	int64_t d = (4 * c + 3) / 1461;
	int64_t e = c - 1461 * d / 4;
	int64_t m = (5 * e + 2) / 153;

	return (int)(e - (153 * m + 2) / 5 + 1);
}

/* The first day of a month that was in the calendar. */
static int64_t first_day(const struct cal_opts *o, int64_t y, int m)
{
	int64_t julian = day_of(y, m, 1, false);
	int64_t gregorian = day_of(y, m, 1, true);

	if (julian <= o->switch_day)
		return julian;
	return gregorian > o->switch_day ? gregorian : o->switch_day + 1;
}

/* 0 is Monday. */
static int weekday(int64_t day)
{
	return (int)(day % 7);
}

/* The number of the week that begins on a day around year y: it is of the year in which it has
 * enough days (-W). */
static int week_of(const struct cal_opts *o, int64_t day, int64_t y)
{
	int64_t decides = day + 7 - o->week_days;
	int64_t start = first_day(o, y + 1, 1);

	if (decides < start)
		start = first_day(o, y, 1);
	if (decides < start)
		start = first_day(o, y - 1, 1);
	return (int)((decides - start) / 7) + 1;
}

/* --- a month, as cells --- */

struct month {
	int64_t year;
	int month;
	int first_column; /* of the first day */
	int days;
	int64_t start;
};

static struct month month_at(const struct cal_opts *o, int64_t index)
{
	struct month m = { .year = index / 12, .month = (int)(index % 12) + 1 };
	int64_t next = first_day(o, (index + 1) / 12, (int)((index + 1) % 12) + 1);

	m.start = first_day(o, m.year, m.month);
	m.days = (int)(next - m.start);
	m.first_column = (weekday(m.start) + (o->monday ? 0 : 1)) % 7;
	return m;
}

static const char *month_name(int month)
{
	static const char *const names[] = { "January",   "February", "March",    "April",
					     "May",       "June",     "July",     "August",
					     "September", "October",  "November", "December" };

	return names[month - 1];
}

static const char *day_name(const struct cal_opts *o, int column)
{
	static const char *const names[] = { "Mo", "Tu", "We", "Th", "Fr", "Sa", "Su" };

	return names[(column + (o->monday ? 0 : 6)) % 7];
}

/* The cell of week `row` and weekday `column`: right-aligned, or blank. */
static void put_cell(struct buf *out, const struct cal_opts *o, const struct month *m, int row,
		     int column, int width)
{
	int at = row * 7 + column - m->first_column;
	int64_t day = m->start + at;

	if (at < 0 || at >= m->days)
		buf_fill(out, ' ', (size_t)width);
	else if (o->julian_days)
		buf_printf(out, "%*d", width, (int)(day - first_day(o, m->year, 1)) + 1);
	else
		buf_printf(out, "%*d", width, date_of(day, day > o->switch_day));
}

static void put_centered(struct buf *out, const char *text, int width, int total)
{
	int len = (int)strlen(text);
	int left = width > len ? (width - len) / 2 : 0;

	buf_fill(out, ' ', (size_t)left);
	buf_puts(out, text);
	if (total > left + len)
		buf_fill(out, ' ', (size_t)(total - left - len));
}

static const char *title(struct cmd *c, const struct month *m, bool with_year)
{
	struct buf text = buf_in(c->arena);

	buf_puts(&text, month_name(m->month));
	if (with_year)
		buf_printf(&text, " %lld", (long long)m->year);
	return buf_cstr(&text);
}

/* --- rows of months --- */

/* A line of the row: what `put` gives for each of its months. */
static void put_line(struct cmd *c, struct buf *line)
{
	buf_putc(line, '\n');
	cmd_bytes(c, buf_bytes(line));
	line->len = 0;
}

/* -w: the number of a week in front of its line. */
static void put_week_number(struct buf *line, const struct cal_opts *o, const struct month *m,
			    int row)
{
	int at = row * 7 - m->first_column;

	if (at < m->days)
		buf_printf(line, "%2d| ", week_of(o, m->start + at, m->year));
	else
		buf_puts(line, "    ");
}

/* cal: names of weekdays above, a line a week. */
static void put_weeks_as_lines(struct cmd *c, const struct month *m, size_t n, bool with_year)
{
	const struct cal_opts *o = opts_of(c);
	int cell = o->julian_days ? 3 : 2;
	int width = 7 * (cell + 1) - 1 + (o->weeks ? 5 : 0);
	const char *gap = o->weeks ? "  " : " ";
	struct buf line = buf_in(c->arena);

	for (size_t i = 0; i < n; i++)
		put_centered(&line, title(c, &m[i], with_year), width, width + 2);
	put_line(c, &line);
	for (size_t i = 0; i < n; i++) {
		buf_puts(&line, o->weeks ? " w| " : "");
		for (int d = 0; d < 7; d++)
			buf_printf(&line, "%*s ", cell, day_name(o, d));
		buf_puts(&line, gap);
	}
	put_line(c, &line);
	for (int row = 0; row < 6; row++) {
		for (size_t i = 0; i < n; i++) {
			if (o->weeks)
				put_week_number(&line, o, &m[i], row);
			for (int d = 0; d < 7; d++) {
				put_cell(&line, o, &m[i], row, d, cell);
				buf_putc(&line, ' ');
			}
			buf_puts(&line, gap);
		}
		put_line(c, &line);
	}
}

static void put_week_numbers(struct cmd *c, const struct month *m, size_t n, int cell)
{
	const struct cal_opts *o = opts_of(c);
	struct buf line = buf_in(c->arena);

	buf_puts(&line, "  ");
	for (size_t i = 0; i < n; i++) {
		for (int row = 0; row < 6; row++) {
			int at = row * 7 - m[i].first_column;

			if (at >= m[i].days)
				buf_fill(&line, ' ', (size_t)cell);
			else
				buf_printf(&line, "%*d", cell,
					   week_of(o, m[i].start + at, m[i].year));
		}
	}
	put_line(c, &line);
}

/* ncal: a line a weekday. */
static void put_days_as_lines(struct cmd *c, const struct month *m, size_t n, bool with_year)
{
	const struct cal_opts *o = opts_of(c);
	int cell = o->julian_days ? 4 : 3;
	struct buf line = buf_in(c->arena);

	buf_puts(&line, "    ");
	for (size_t i = 0; i < n; i++)
		buf_printf(&line, "%-*s", cell * 6, title(c, &m[i], with_year));
	put_line(c, &line);
	for (int d = 0; d < 7; d++) {
		buf_puts(&line, day_name(o, d));
		for (size_t i = 0; i < n; i++)
			for (int row = 0; row < 6; row++)
				put_cell(&line, o, &m[i], row, d, cell);
		put_line(c, &line);
	}
	if (o->weeks)
		put_week_numbers(c, m, n, cell);
}

static void put_months(struct cmd *c, int64_t from, int64_t to)
{
	const struct cal_opts *o = opts_of(c);
	int64_t a_row = o->banner ? (o->julian_days ? 2 : 3) : (o->julian_days ? 3 : 4);
	bool with_year = from % a_row != 0 || to - from + 1 < a_row;
	int column = o->julian_days ? 27 : o->weeks ? 25 : 20;
	int width = o->banner ? (int)a_row * column : 72;
	int64_t year = -1;

	for (int64_t at = from; at <= to; at += a_row) {
		struct arena_mark mark = arena_mark(c->arena);
		struct buf head = buf_in(c->arena);
		struct buf line = buf_in(c->arena);
		struct month m[4];
		size_t n = 0;

		for (; n < (size_t)a_row && at + (int64_t)n <= to; n++)
			m[n] = month_at(o, at + (int64_t)n);
		if (at > from)
			cmd_putc(c, '\n');
		if (!with_year && m[0].year != year) {
			buf_printf(&head, "%lld", (long long)m[0].year);
			put_centered(&line, buf_cstr(&head), width, 0);
			put_line(c, &line);
			year = m[0].year;
		}
		if (o->banner)
			put_weeks_as_lines(c, m, n, with_year);
		else
			put_days_as_lines(c, m, n, with_year);
		cmd_charge(c, 50);
		arena_release(c->arena, mark);
	}
}

/* --- Easter --- */

/* Easter Sunday by either calendar's rule, as a day number. */
static int64_t easter_day(int64_t y, bool gregorian)
{
	int64_t a = y % 19;
	int64_t b = y / 100;
	int64_t epact = gregorian ? (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30
				  : (19 * a + 15) % 30;

	if (gregorian && (epact == 29 || (epact == 28 && a > 10)))
		epact--;
	/* The full moon is so many days behind March 21; Easter is the Sunday after it. */
	int64_t moon = day_of(y, 3, 21, gregorian) + epact;

	return moon + 7 - (weekday(moon) + 1) % 7;
}

static void put_easter(struct cmd *c, int64_t y)
{
	/* Whatever the country: as Rome had it. */
	bool shown = y > 1582;
	int64_t day = easter_day(y, shown && !opts_of(c)->orthodox);
	int month = 3;

	while (month < 12 && day_of(y, month + 1, 1, shown) <= day)
		month++;
	cmd_printf(c, "%02d/%02d/%02d\n", month, date_of(day, shown), (int)(y % 100));
}

/* --- countries --- */

struct country {
	const char *code;
	const char *name;
	int year; /* the last day of the Julian calendar */
	int month;
	int day;
};

static const struct country countries[] = {
	{ "AL", "Albania", 1912, 11, 30 },      { "AT", "Austria", 1583, 10, 5 },
	{ "AU", "Australia", 1752, 9, 2 },      { "BE", "Belgium", 1582, 12, 14 },
	{ "BG", "Bulgaria", 1916, 3, 31 },      { "CA", "Canada", 1752, 9, 2 },
	{ "CH", "Switzerland", 1655, 2, 28 },   { "CN", "China", 1911, 12, 18 },
	{ "CZ", "Czech Republic", 1584, 1, 6 }, { "DE", "Germany", 1700, 2, 18 },
	{ "DK", "Denmark", 1700, 2, 18 },       { "ES", "Spain", 1582, 10, 4 },
	{ "FI", "Finland", 1753, 2, 17 },       { "FR", "France", 1582, 12, 9 },
	{ "GB", "United Kingdom", 1752, 9, 2 }, { "GR", "Greece", 1924, 3, 9 },
	{ "HU", "Hungary", 1587, 10, 21 },      { "IS", "Iceland", 1700, 11, 16 },
	{ "IT", "Italy", 1582, 10, 4 },         { "JP", "Japan", 1918, 12, 18 },
	{ "LI", "Lithuania", 1918, 2, 1 },      { "LU", "Luxembourg", 1582, 12, 14 },
	{ "LV", "Latvia", 1918, 2, 1 },         { "NL", "Netherlands", 1582, 12, 14 },
	{ "NO", "Norway", 1700, 2, 18 },        { "PL", "Poland", 1582, 10, 4 },
	{ "PT", "Portugal", 1582, 10, 4 },      { "RO", "Romania", 1919, 3, 31 },
	{ "RU", "Russia", 1918, 1, 31 },        { "SI", "Slovenia", 1919, 3, 4 },
	{ "SE", "Sweden", 1753, 2, 17 },        { "TR", "Turkey", 1926, 12, 18 },
	{ "US", "United States", 1752, 9, 2 },  { "YU", "Yugoslavia", 1919, 3, 4 },
};

enum { COUNTRIES = sizeof countries / sizeof countries[0] };

static void put_countries(struct cmd *c)
{
	for (int i = 0; i < COUNTRIES / 2; i++) {
		for (int k = i; k < COUNTRIES; k += COUNTRIES / 2) {
			const struct country *at = &countries[k];

			cmd_printf(c, "%c%s %-15s%04d-%02d-%02d%s",
				   strcmp(at->code, "US") == 0 ? '*' : ' ', at->code, at->name,
				   at->year, at->month, at->day, k == i ? "     " : "\n");
		}
	}
}

static void set_switch(struct cmd *c, const char *code)
{
	struct cal_opts *o = opts_of(c);

	for (int i = 0; i < COUNTRIES; i++) {
		const struct country *at = &countries[i];

		if (strcmp(at->code, code) != 0)
			continue;
		o->switch_day = day_of(at->year, at->month, at->day, false);
		return;
	}
	cmd_fatal_status(c, USAGE_STATUS, 0, "%s: invalid country code", code);
}

/* --- options and operands --- */

/* -A and -B: what is no number is 0. */
static int set_around(struct cmd *c, const struct opt *opt, const char *arg)
{
	int *field = opt->letter == 'A' ? &opts_of(c)->after : &opts_of(c)->before;
	int value = 0;

	for (; byte_is_digit(*arg) && value < MONTHS_MAX; arg++)
		value = value * 10 + byte_digit(*arg);
	*field = value;
	return 0;
}

/* What is no number counts as 0, as in the real one. */
static int set_week_days(struct cmd *c, const struct opt *opt, const char *arg)
{
	bool minus = arg[0] == '-';
	uint64_t n = 0;

	(void)opt;
	if (!num_plain(arg + minus, &n) || n > 1000)
		n = n > 1000 ? 1000 : 0;
	opts_of(c)->week_days = minus ? -(int64_t)n : (int64_t)n;
	return 0;
}

static void ncal_defaults(struct cmd *c)
{
	opts_of(c)->week_days = 4;
}

static int set_first_day(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	opts_of(c)->monday = opt->letter == 'M';
	return 0;
}

static int set_three(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct cal_opts *o = opts_of(c);

	(void)arg;
	o->three = opt->value;
	o->count = (char)opt->letter;
	o->year = false;
	return 0;
}

/* A whole year: -1 or -3 in front of it has no effect. */
static int set_year(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct cal_opts *o = opts_of(c);

	(void)opt, (void)arg;
	o->three = 0;
	o->count = '\0';
	o->year = true;
	return 0;
}

static int set_days_as_lines(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt, (void)arg;
	opts_of(c)->banner = true;
	return 0;
}

#define AROUND                                                                                     \
	{ .letter = '1', .kind = OPT_KIND_CALL, .fn = set_three, .help = "one month" },            \
		{ .letter = '3',                                                                   \
		  .kind = OPT_KIND_CALL,                                                           \
		  .fn = set_three,                                                                 \
		  .value = 1,                                                                      \
		  .help = "the months before and after, too" },                                    \
		OPT_CALL_ARG('A', NULL, set_around, "N", "and N months after"),                    \
		OPT_CALL_ARG('B', NULL, set_around, "N", "and N months before"),                   \
		OPT_STR('d', NULL, struct cal_opts, date, NULL, "YYYY-MM",                         \
			"as if it were that month"),                                               \
		OPT_FLAG('j', NULL, struct cal_opts, julian_days, "days of the year"),             \
		OPT_CALL('y', NULL, set_year, "a whole year"),                                     \
		OPT_STR('m', NULL, struct cal_opts, month, NULL, "MONTH", "that month"),           \
		OPT_CALL('C', NULL, set_days_as_lines, "weeks as lines")

static const struct opt cal_options[] = {
	AROUND,
	OPT_END(),
};

static const struct opt ncal_options[] = {
	AROUND,
	OPT_FLAG('b', NULL, struct cal_opts, banner, "the same"),
	OPT_CALL('M', NULL, set_first_day, "weeks begin on Monday"),
	OPT_CALL('S', NULL, set_first_day, "weeks begin on Sunday (as they do)"),
	OPT_FLAG('w', NULL, struct cal_opts, weeks, "numbers of weeks below"),
	OPT_IGNORED('h', NULL, "no effect: today is not marked"),
	OPT_FLAG('J', NULL, struct cal_opts, julian_calendar, "the Julian calendar"),
	OPT_FLAG('e', NULL, struct cal_opts, easter, "the date of Easter"),
	OPT_FLAG('o', NULL, struct cal_opts, orthodox, "the date of Orthodox Easter"),
	OPT_STR('s', NULL, struct cal_opts, country, "US", "CODE",
		"where the calendar changed when it did there"),
	OPT_FLAG('p', NULL, struct cal_opts, countries, "list the countries"),
	OPT_IGNORED_ARG('H', NULL, "YYYY-MM-DD", "no effect: no day is marked"),
	OPT_CALL_ARG('W', NULL, set_week_days, "N", "a year's first week has at least N days (4)"),
	OPT_END(),
};

static int64_t parse_year(struct cmd *c, const char *text)
{
	uint64_t year;

	if (!num_plain(text, &year))
		cmd_fatal_status(c, USAGE_STATUS, 0, "not a valid year %s", text);
	if (year < 1 || year > YEAR_MAX)
		cmd_fatal_status(c, USAGE_STATUS, 0, "year `%s' not in range 1..%d", text,
				 YEAR_MAX);
	return (int64_t)year;
}

/* A number, or the first three letters of a name. "3f" and "3p" are of the year after or before
 * *year, which behind a name they are not. */
static int parse_month(struct cmd *c, const char *text, int64_t *year)
{
	size_t digits = strspn(text, "0123456789");
	int suffix = byte_to_lower((unsigned char)text[digits]);
	uint64_t number;

	if (num_plain(arena_dup(c->arena, (struct bytes){ text, digits }), &number) &&
	    number >= 1 && number <= 12 && (suffix == '\0' || suffix == 'f' || suffix == 'p')) {
		*year += suffix == 'f' ? 1 : suffix == 'p' ? -1 : 0;
		if (*year < 1 || *year > YEAR_MAX)
			cmd_fatal_status(c, USAGE_STATUS, 0, "year `%lld' not in range 1..%d",
					 (long long)*year, YEAR_MAX);
		return (int)number;
	}
	for (int m = 1; m <= 12 && strlen(text) > 2; m++) {
		const char *name = month_name(m);
		size_t i = 0;

		while (i < 3 && byte_to_lower(text[i]) == byte_to_lower(name[i]))
			i++;
		if (i == 3)
			return m;
	}
	cmd_fatal_status(c, USAGE_STATUS, 0, "%s is neither a month number (1..12) nor a name",
			 text);
}

/* -d: the year and month that count as now. */
static void set_now(struct cmd *c)
{
	struct cal_opts *o = opts_of(c);
	struct civil now;
	uint64_t year;
	uint64_t month;

	time_civil(zone_of_command(c), cmd_now(c) / NS, &now);
	o->now_year = now.year;
	o->now_month = now.month;
	if (o->date == NULL)
		return;
	const char *dash = strchr(o->date, '-');
	struct bytes head = { o->date, dash != NULL ? (size_t)(dash - o->date) : 0 };

	if (dash == NULL || !num_plain(arena_dup(c->arena, head), &year) ||
	    !num_plain(dash + 1, &month) || year < 1 || year > YEAR_MAX || month < 1 || month > 99)
		cmd_fatal_status(c, USAGE_STATUS, 0, "%s: not YYYY-MM", o->date);
	o->now_year = (int64_t)year + (int64_t)(month - 1) / 12;
	o->now_month = (int)((month - 1) % 12) + 1;
}

static int show(struct cmd *c)
{
	struct cal_opts *o = opts_of(c);
	int64_t year = o->now_year;
	int64_t given = year; /* by -d: it stays */
	int month = o->now_month;
	/* A month given as an operand is the one that is looked at. */
	bool has_month = c->nargs == 2 || o->month != NULL;

	if (c->nargs > 2)
		return cmd_usage(c, "too many operands");
	if (c->nargs != 2 && o->month != NULL)
		month = parse_month(c, o->month, o->date != NULL ? &given : &year);
	if (c->nargs > 0)
		year = parse_year(c, c->args[c->nargs - 1]);
	if (c->nargs == 2)
		month = parse_month(c, c->args[0], &year);
	if (o->easter || o->orthodox) {
		if (c->nargs > 1)
			return cmd_usage(c, "Easter is asked for a year");
		put_easter(c, year);
		return 0;
	}
	bool whole = o->year || (c->nargs == 1 && !has_month);

	if (o->year && o->count != '\0' && c->nargs != 1)
		o->three = 0;
	if (whole && o->count != '\0' && c->nargs == 1)
		cmd_fatal_status(c, USAGE_STATUS, 0,
				 "-%c together with a given year but no given month is not "
				 "supported.",
				 o->count);
	int64_t from = year * 12 + (whole ? 0 : month - 1);
	int64_t to = whole ? from + 11 : from;

	from -= o->before + o->three;
	put_months(c, from > 0 ? from : 0, to + o->after + o->three);
	return 0;
}

static int cal_run(struct cmd *c)
{
	struct cal_opts *o = opts_of(c);

	o->banner |= c->b == &builtin_cal;
	if (o->countries) {
		put_countries(c);
		return 0;
	}
	set_switch(c, o->country != NULL ? o->country : "US");
	if (o->julian_calendar && !o->easter)
		o->switch_day = INT64_MAX;
	set_now(c);
	return show(c);
}

const struct builtin builtin_cal = {
	.name = "cal",
	.usage = "[OPTION]... [[MONTH] YEAR]",
	.summary = "Shows a month or a year, weeks as lines.",
	.run = cal_run,
	.defaults = ncal_defaults,
	.opts = cal_options,
	.opts_size = sizeof(struct cal_opts),
	.usage_status = USAGE_STATUS,
	.error_status = USAGE_STATUS,
	.family = "ncal 12.1.8",
};

const struct builtin builtin_ncal = {
	.name = "ncal",
	.usage = "[OPTION]... [[MONTH] YEAR]",
	.summary = "Shows a month or a year, weekdays as lines.",
	.run = cal_run,
	.defaults = ncal_defaults,
	.opts = ncal_options,
	.opts_size = sizeof(struct cal_opts),
	.usage_status = USAGE_STATUS,
	.error_status = USAGE_STATUS,
	.family = "ncal 12.1.8",
};
