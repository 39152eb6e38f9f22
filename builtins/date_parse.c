/* SPDX-License-Identifier: MIT
 *
 * The grammar of GNU dates.
 *
 * A date is a sequence of items in any order: calendar dates, times of day, zones, days of the
 * week, relative amounts, and bare numbers, whose meaning depends on what was seen before them.
 * Each item is tried on the tokens from the current place on; the longest form first.
 */
#include "builtins/date_private.h"

/* Seconds of many years; days and months are checked apart. */
#define RELATIVE_MAX ((int64_t)1000000000000)
#define DAYS_MAX     1000000000
#define QUARTER_S    ((int64_t)90 * 24 * 3600)

/* --- tokens --- */

static const struct token *peek(const struct parser *p, int ahead)
{
	return &p->token[p->at + ahead < p->n ? p->at + ahead : TOKENS_MAX - 1];
}

static bool is_char(const struct parser *p, int ahead, char ch)
{
	const struct token *t = peek(p, ahead);

	return t->kind == TOKEN_CHAR && t->value == ch;
}

static bool is_unsigned(const struct parser *p, int ahead)
{
	const struct token *t = peek(p, ahead);

	return t->kind == TOKEN_NUMBER && t->sign == 0;
}

/* --- words --- */

struct word {
	const char *text;
	int value;
	int64_t amount;
};

static const struct word months[] = {
	{ "JANUARY", 1, 0 },   { "FEBRUARY", 2, 0 }, { "MARCH", 3, 0 },    { "APRIL", 4, 0 },
	{ "MAY", 5, 0 },       { "JUNE", 6, 0 },     { "JULY", 7, 0 },     { "AUGUST", 8, 0 },
	{ "SEPTEMBER", 9, 0 }, { "SEPT", 9, 0 },     { "OCTOBER", 10, 0 }, { "NOVEMBER", 11, 0 },
	{ "DECEMBER", 12, 0 }, { NULL, 0, 0 },
};
static const struct word weekdays[] = {
	{ "SUNDAY", 0, 0 },    { "MONDAY", 1, 0 }, { "TUESDAY", 2, 0 },  { "TUES", 2, 0 },
	{ "WEDNESDAY", 3, 0 }, { "WEDNES", 3, 0 }, { "THURSDAY", 4, 0 }, { "THUR", 4, 0 },
	{ "THURS", 4, 0 },     { "FRIDAY", 5, 0 }, { "SATURDAY", 6, 0 }, { NULL, 0, 0 },
};
static const struct word units[] = {
	{ "YEAR", REL_YEAR, 1 },
	{ "MONTH", REL_MONTH, 1 },
	{ "FORTNIGHT", REL_DAY, 14 },
	{ "WEEK", REL_DAY, 7 },
	{ "DAY", REL_DAY, 1 },
	{ "HOUR", REL_HOUR, 1 },
	{ "MINUTE", REL_MINUTE, 1 },
	{ "MIN", REL_MINUTE, 1 },
	{ "SECOND", REL_SECOND, 1 },
	{ "SEC", REL_SECOND, 1 },
	{ NULL, 0, 0 },
};
static const struct word ordinals[] = {
	{ "LAST", -1, 0 },     { "THIS", 0, 0 },     { "NEXT", 1, 0 },  { "FIRST", 1, 0 },
	{ "THIRD", 3, 0 },     { "FOURTH", 4, 0 },   { "FIFTH", 5, 0 }, { "SIXTH", 6, 0 },
	{ "SEVENTH", 7, 0 },   { "EIGHTH", 8, 0 },   { "NINTH", 9, 0 }, { "TENTH", 10, 0 },
	{ "ELEVENTH", 11, 0 }, { "TWELFTH", 12, 0 }, { NULL, 0, 0 },
};
static const struct word shifts[] = {
	{ "TOMORROW", 1, 0 }, { "YESTERDAY", -1, 0 }, { "TODAY", 0, 0 },
	{ "NOW", 0, 0 },      { NULL, 0, 0 },
};
/* Hours east of UTC, times 60; amount 1: with daylight saving. */
static const struct word zones[] = {
	{ "GMT", 0, 0 },     { "UT", 0, 0 },     { "UTC", 0, 0 },     { "WET", 0, 0 },
	{ "WEST", 0, 1 },    { "BST", 0, 1 },    { "ART", -180, 0 },  { "BRT", -180, 0 },
	{ "BRST", -180, 1 }, { "NST", -210, 0 }, { "NDT", -210, 1 },  { "AST", -240, 0 },
	{ "ADT", -240, 1 },  { "CLT", -240, 0 }, { "CLST", -240, 1 }, { "EST", -300, 0 },
	{ "EDT", -300, 1 },  { "CST", -360, 0 }, { "CDT", -360, 1 },  { "MST", -420, 0 },
	{ "MDT", -420, 1 },  { "PST", -480, 0 }, { "PDT", -480, 1 },  { "AKST", -540, 0 },
	{ "AKDT", -540, 1 }, { "HST", -600, 0 }, { "HAST", -600, 0 }, { "HADT", -600, 1 },
	{ "SST", -720, 0 },  { "WAT", 60, 0 },   { "CET", 60, 0 },    { "CEST", 60, 1 },
	{ "MET", 60, 0 },    { "MEZ", 60, 0 },   { "MEST", 60, 1 },   { "MESZ", 60, 1 },
	{ "EET", 120, 0 },   { "EEST", 120, 1 }, { "CAT", 120, 0 },   { "SAST", 120, 0 },
	{ "EAT", 180, 0 },   { "MSK", 180, 0 },  { "MSD", 180, 1 },   { "IST", 330, 0 },
	{ "SGT", 480, 0 },   { "KST", 540, 0 },  { "JST", 540, 0 },   { "GST", 600, 0 },
	{ "NZST", 720, 0 },  { "NZDT", 720, 1 }, { NULL, 0, 0 },
};

/* The word, whole or cut to three letters where `short_form`. */
static const struct word *find(const struct word *list, const char *text, bool short_form)
{
	for (; list->text != NULL; list++)
		if (strcmp(list->text, text) == 0 ||
		    (short_form && strlen(text) == 3 && strncmp(list->text, text, 3) == 0))
			return list;
	return NULL;
}

static const struct word *word_at(const struct parser *p, int ahead, const struct word *list,
				  bool short_form)
{
	const struct token *t = peek(p, ahead);

	return t->kind == TOKEN_WORD ? find(list, t->word, short_form) : NULL;
}

static bool is_word(const struct parser *p, int ahead, const char *text)
{
	const struct token *t = peek(p, ahead);

	return t->kind == TOKEN_WORD && strcmp(t->word, text) == 0;
}

static const struct word *unit_at(const struct parser *p, int ahead)
{
	const struct word *w = word_at(p, ahead, units, false);
	const struct token *t = peek(p, ahead);
	size_t len = strlen(t->word);
	char singular[24];

	if (w != NULL || t->kind != TOKEN_WORD || len < 2 || t->word[len - 1] != 'S')
		return w;
	memcpy(singular, t->word, len);
	singular[len - 1] = '\0';
	return find(units, singular, false);
}

/* Tells of the word that comes there, once, if it means nothing. */
static void tell_strange(struct parser *p, int ahead)
{
	static const char *const others[] = { "AM", "PM", "AGO", "DST" };
	const char *word = peek(p, ahead)->word;
	bool known = peek(p, ahead)->kind != TOKEN_WORD || p->strange == word ||
		     (word[1] == '\0' && word[0] != 'J') || find(months, word, true) != NULL ||
		     find(weekdays, word, true) != NULL || find(ordinals, word, false) != NULL ||
		     find(shifts, word, false) != NULL || find(zones, word, false) != NULL ||
		     unit_at(p, ahead) != NULL;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		known |= strcmp(others[i], word) == 0;
	if (known)
		return;
	p->strange = word;
	explain_say(p, "error: unknown word '%s'", word);
}

static bool has_ago(struct parser *p)
{
	if (p->complete || !is_word(p, 0, "AGO"))
		return false;
	p->at++;
	return true;
}

/* --- times and zones --- */

static bool take_relative(struct parser *p);

/* 1: "AM", 2: "PM", 0: neither. */
static int meridian_at(const struct parser *p, int ahead)
{
	if (is_word(p, ahead, "AM"))
		return 1;
	return is_word(p, ahead, "PM") ? 2 : 0;
}

/* The hour of the day. -1: there is no such hour. */
static int hour_of_day(const struct parser *p)
{
	if (p->meridian == 0)
		return p->hour >= 0 && p->hour < 24 ? (int)p->hour : -1;
	if (p->hour < 1 || p->hour > 12)
		return -1;
	return (int)p->hour % 12 + (p->meridian == 2 ? 12 : 0);
}

/* A signed number as a zone: +hh, +hhmm, +hh:mm. */
static bool take_offset(struct parser *p, int64_t *out)
{
	const struct token *t = peek(p, 0);
	int64_t hours = t->value;
	int64_t minutes = 0;

	if (t->kind != TOKEN_NUMBER || t->sign == 0 || t->has_fraction)
		return false;
	p->at++;
	if (is_char(p, 0, ':') && is_unsigned(p, 1)) {
		minutes = peek(p, 1)->value;
		p->at += 2;
		p->complete = true;
	} else if (t->digits > 2) {
		minutes = t->value % 100;
		hours = t->value / 100;
	}
	if (hours > 24 || minutes > 59)
		return false;
	*out = t->sign * (hours * 3600 + minutes * 60);
	return true;
}

/* Military zones: A..I 1..9, K..M 10..12, N..Y -1..-12, Z 0. */
static bool military(const char *word, int64_t *out)
{
	int letter = word[0];

	if (word[1] != '\0' || letter == 'J')
		return false;
	if (letter == 'Z')
		*out = 0;
	else if (letter <= 'I')
		*out = letter - 'A' + 1;
	else if (letter <= 'M')
		*out = letter - 'A';
	else
		*out = -(letter - 'N' + 1);
	*out *= 3600;
	return true;
}

/* A name that clocks here show at some time of the year: whether daylight is saved. */
static bool take_local_zone(struct parser *p)
{
	const struct word *w = word_at(p, 0, zones, false);

	if (peek(p, 0)->kind != TOKEN_WORD || (w != NULL && w->value == 0 && w->amount == 0))
		return false;
	for (int quarter = 0; quarter < 4; quarter++) {
		struct civil t;

		time_civil(p->zone, p->now_s + quarter * QUARTER_S, &t);
		if (strcmp(t.zone, peek(p, 0)->word) != 0)
			continue;
		p->at++;
		p->local_zones++;
		p->dst_said = is_word(p, 0, "DST");
		p->local_dst = t.is_dst || p->dst_said;
		p->complete = p->dst_said;
		p->at += p->dst_said;
		return true;
	}
	return false;
}

/* A zone by name, with "DST" or an offset behind. */
static bool take_zone(struct parser *p)
{
	const struct word *w = word_at(p, 0, zones, false);
	int64_t offset;

	if (peek(p, 0)->kind != TOKEN_WORD)
		return false;
	if (w == NULL && !military(peek(p, 0)->word, &offset))
		return false;
	if (w != NULL)
		offset = w->value * 60 + w->amount * 3600;
	p->at++;
	p->zones++;
	p->zone_s = offset;
	p->complete = w != NULL && w->amount == 1;
	if (p->complete)
		return true;
	if (is_word(p, 0, "DST")) {
		p->zone_s += 3600;
		p->at++;
		p->complete = true;
		return true;
	}
	/* Amounts behind a zone count before it does. */
	if (peek(p, 0)->kind == TOKEN_NUMBER && peek(p, 0)->sign != 0 && unit_at(p, 1) != NULL) {
		p->complete = true;
		return take_relative(p);
	}
	/* "UTC+2", but not "UTC +2 days" nor "UTC+2 hours". */
	if (peek(p, 0)->kind == TOKEN_NUMBER && peek(p, 0)->sign != 0 && take_offset(p, &offset))
		p->zone_s += offset;
	return true;
}

/* hh:mm[:ss[.fraction]] [am|pm] [zone]; hh am|pm. */
static bool take_time(struct parser *p)
{
	const struct token *t = peek(p, 0);
	int meridian = meridian_at(p, 1);

	if (t->kind != TOKEN_NUMBER || t->has_fraction || t->sign < 0)
		return false;
	if (meridian != 0) {
		p->hour = t->value;
		p->minute = p->second = p->ns = 0;
		p->at += 2;
		p->times++;
		p->meridian = meridian;
		p->complete = true;
		return true;
	}
	if (!is_char(p, 1, ':') || !is_unsigned(p, 2))
		return false;
	p->hour = t->value;
	p->minute = peek(p, 2)->value;
	p->second = p->ns = 0;
	bool fraction = peek(p, 2)->has_fraction;

	p->at += 3;
	if (!fraction && is_char(p, 0, ':') && is_unsigned(p, 1)) {
		p->second = peek(p, 1)->value;
		p->ns = peek(p, 1)->fraction_ns;
		p->at += 2;
	}
	p->times++;
	meridian = meridian_at(p, 0);
	p->meridian = meridian;
	p->complete = meridian != 0;
	p->at += meridian != 0;
	/* Even "10:00 +1 day": that is a zone, and a day. */
	if (meridian == 0 && peek(p, 0)->kind == TOKEN_NUMBER && peek(p, 0)->sign != 0 &&
	    !peek(p, 0)->has_fraction) {
		p->zones++;
		if (!take_offset(p, &p->zone_s))
			return false;
	}
	return !fraction;
}

/* --- dates --- */

static void set_year(struct parser *p, const struct token *t)
{
	p->year = t->value;
	p->year_digits = t->digits;
	p->has_year = true;
}

/* "Y-M-D" as tokens Y, -M, -D; also "D-Mon-Y" pieces are handled by take_named_date. */
static bool take_iso_date(struct parser *p)
{
	const struct token *y = peek(p, 0);
	const struct token *m = peek(p, 1);
	const struct token *d = peek(p, 2);

	if (y->kind != TOKEN_NUMBER || m->kind != TOKEN_NUMBER || d->kind != TOKEN_NUMBER ||
	    m->sign >= 0 || d->sign >= 0 || y->sign < 0)
		return false;
	set_year(p, y);
	p->month = m->value;
	p->day = d->value;
	p->at += 3;
	p->dates++;
	return true;
}

/* M/D, M/D/Y, Y/M/D. */
static bool take_slash_date(struct parser *p)
{
	if (!is_unsigned(p, 0) || !is_char(p, 1, '/') || !is_unsigned(p, 2))
		return false;
	const struct token *a = peek(p, 0);
	const struct token *b = peek(p, 2);

	if (!is_char(p, 3, '/') || !is_unsigned(p, 4)) {
		p->month = a->value;
		p->day = b->value;
		p->at += 3;
		p->dates++;
		return true;
	}
	p->complete = true;
	if (a->digits >= 4) {
		explain_say(p, "warning: value %lld has %d digits. Assuming YYYY/MM/DD",
			    (long long)a->value, a->digits);
		set_year(p, a);
		p->month = b->value;
		p->day = peek(p, 4)->value;
		p->at += 5;
	} else {
		explain_say(p, "warning: value %lld has less than 4 digits. Assuming MM/DD/YY[YY]",
			    (long long)a->value);
		p->month = a->value;
		p->day = b->value;
		set_year(p, peek(p, 4));
		p->at += 5;
	}
	p->dates++;
	return true;
}

static bool in_month_name(const struct parser *p, int ahead)
{
	return word_at(p, ahead, months, true) != NULL;
}

/* "Mon D", "Mon D, Y", "Mon-D-Y"; "D Mon [Y]", "D-Mon-Y". */
static bool take_named_date(struct parser *p)
{
	if (in_month_name(p, 0) && peek(p, 1)->kind == TOKEN_NUMBER) {
		const struct token *d = peek(p, 1);

		p->month = word_at(p, 0, months, true)->value;
		if (d->sign < 0 && !(peek(p, 2)->kind == TOKEN_NUMBER && peek(p, 2)->sign < 0))
			return false;
		p->day = d->value;
		p->at += 2;
		p->complete = d->sign < 0 || is_char(p, 0, ',');
		if (d->sign < 0) {
			set_year(p, peek(p, 0));
			p->at++;
		} else if (is_char(p, 0, ',') && is_unsigned(p, 1)) {
			set_year(p, peek(p, 1));
			p->at += 2;
		}
		p->dates++;
		return true;
	}
	if (!is_unsigned(p, 0) || !in_month_name(p, 1))
		return false;
	p->day = peek(p, 0)->value;
	p->month = word_at(p, 1, months, true)->value;
	p->at += 2;
	/* A number behind is the year, even if it would begin a time. */
	if (peek(p, 0)->kind == TOKEN_NUMBER && !peek(p, 0)->has_fraction) {
		set_year(p, peek(p, 0));
		if (peek(p, 0)->sign > 0)
			p->year = -p->year;
		p->at++;
		p->complete = true;
	}
	p->dates++;
	return true;
}

static bool take_weekday(struct parser *p)
{
	const struct word *ordinal = word_at(p, 0, ordinals, false);
	int skip = 0;
	int64_t count = 0;

	if (ordinal != NULL && word_at(p, 1, weekdays, true) != NULL) {
		count = ordinal->value;
		skip = 1;
	} else if (is_unsigned(p, 0) && word_at(p, 1, weekdays, true) != NULL) {
		count = peek(p, 0)->value;
		skip = 1;
	}
	const struct word *w = word_at(p, skip, weekdays, true);

	if (w == NULL)
		return false;
	p->at += skip + 1;
	p->complete = skip != 0 || is_char(p, 0, ',');
	if (skip == 0 && is_char(p, 0, ','))
		p->at++;
	p->weekday = w->value;
	p->weekday_count = count;
	p->weekday_counted = skip != 0;
	p->days++;
	return true;
}

/* --- relative amounts --- */

static void add_relative(struct parser *p, const struct word *unit, int64_t n, int64_t ns)
{
	int sign = has_ago(p) ? -1 : 1;

	if (sign > 0 && !p->complete)
		tell_strange(p, 0);
	/* Further away than any year that can be shown. */
	if (n > RELATIVE_MAX || n < -RELATIVE_MAX) {
		p->too_far = true;
		return;
	}
	p->rel[unit->value] += sign * n * unit->amount;
	if (unit->value == REL_SECOND)
		p->rel[REL_NS] += sign * ns;
	p->has_rel = true;
	explain_relative(p);
}

static bool take_relative(struct parser *p)
{
	const struct token *t = peek(p, 0);
	const struct word *shift = word_at(p, 0, shifts, false);
	const struct word *ordinal = word_at(p, 0, ordinals, false);
	const struct word *unit = unit_at(p, 0);

	if (shift != NULL) {
		p->rel[REL_DAY] += shift->value;
		p->has_rel = true;
		explain_relative(p);
		p->at++;
		return true;
	}
	if (unit != NULL) {
		p->at++;
		add_relative(p, unit, 1, 0);
		return true;
	}
	unit = unit_at(p, 1);
	if (unit == NULL || (t->kind != TOKEN_NUMBER && ordinal == NULL))
		return false;
	p->at += 2;
	if (ordinal != NULL) {
		add_relative(p, unit, ordinal->value, 0);
		return true;
	}
	int sign = t->sign < 0 ? -1 : 1;

	if (t->has_fraction && unit->value != REL_SECOND)
		return false;
	add_relative(p, unit, sign * t->value, sign * t->fraction_ns);
	return true;
}

/* --- bare numbers --- */

static bool take_number(struct parser *p)
{
	const struct token *t = peek(p, 0);

	if (t->kind != TOKEN_NUMBER || t->has_fraction || t->sign < 0)
		return false;
	p->at++;
	if (p->dates > 0 && !p->has_year && !p->has_rel && (p->times > 0 || t->digits > 2)) {
		set_year(p, t);
		return true;
	}
	if (t->digits > 4) {
		p->dates++;
		p->day = t->value % 100;
		p->month = t->value / 100 % 100;
		p->year = t->value / 10000;
		p->year_digits = t->digits - 4;
		p->has_year = true;
		return true;
	}
	p->times++;
	p->hour = t->digits <= 2 ? t->value : t->value / 100;
	p->minute = t->digits <= 2 ? 0 : t->value % 100;
	p->second = p->ns = 0;
	p->meridian = 0;
	return true;
}

/* Tells of an item, after the word behind it, if that had to be looked at to find its end. */
static void told(struct parser *p, const char *kind)
{
	if (!p->complete)
		tell_strange(p, 0);
	p->complete = false;
	explain_part(p, kind);
}

/* Takes an item, and tells of it. */
static bool take_as(struct parser *p, bool (*take)(struct parser *), const char *kind)
{
	if (!take(p))
		return false;
	told(p, kind);
	return true;
}

/* The time behind a date and "T", which is not the zone of that name here: also hh and an offset.
 */
static bool take_iso_time(struct parser *p)
{
	p->at++;
	if (take_time(p))
		return true;
	if (!is_unsigned(p, 0) || peek(p, 0)->has_fraction)
		return false;
	p->hour = peek(p, 0)->value;
	p->at++;
	p->times++;
	p->zones++;
	return take_offset(p, &p->zone_s);
}

static bool take_iso(struct parser *p)
{
	if (!take_iso_date(p))
		return false;
	bool both = is_word(p, 0, "T");

	if (both && !take_iso_time(p))
		return false;
	told(p, both ? "datetime" : "date");
	return true;
}

static bool take_item(struct parser *p)
{
	int at = p->at;

	if (take_relative(p) || (p->at == at && take_as(p, take_weekday, "day")))
		return true;
	if (p->at != at)
		return false;
	if (take_as(p, take_time, "time"))
		return true;
	if (p->at != at)
		return false;
	if (take_iso(p) || take_as(p, take_slash_date, "date") ||
	    take_as(p, take_named_date, "date") || take_as(p, take_local_zone, "local_zone") ||
	    take_as(p, take_zone, "zone"))
		return true;
	return take_as(p, take_number, "number");
}

/* --- putting it together --- */

static bool take_epoch(struct parser *p)
{
	const struct token *t = peek(p, 1);

	if (!is_char(p, 0, '@') || t->kind != TOKEN_NUMBER)
		return false;
	p->epoch = true;
	p->epoch_s = t->sign < 0 ? -t->value : t->value;
	p->ns = t->sign < 0 ? -t->fraction_ns : t->fraction_ns;
	return true;
}

static int64_t full_year(const struct parser *p)
{
	if (p->year < 0)
		return -p->year;
	if (p->year_digits != 2)
		return p->year;
	return p->year + (p->year < 69 ? 2000 : 1900);
}

static int month_days(int64_t year, int64_t month)
{
	return (int)(time_days(year, (int)month + 1, 1) - time_days(year, (int)month, 1));
}

#define YEAR_MAX ((int64_t)INT32_MAX + 1900)

/* False: no year of a struct tm. */
static bool fill_date(const struct parser *p, struct civil *t)
{
	if (p->dates == 0)
		return true;
	if (p->has_year)
		t->year = full_year(p);
	if (p->has_year && p->year >= 0 && t->year != p->year)
		explain_say(p, "warning: adjusting year value %lld to %lld", (long long)p->year,
			    (long long)t->year);
	if (t->year > YEAR_MAX || t->year < -YEAR_MAX) {
		explain_say(p, "error: out-of-range year %lld", (long long)t->year);
		return false;
	}
	if (p->month > INT16_MAX || p->day > INT16_MAX)
		return false;
	t->month = (int)p->month;
	t->day = (int)p->day;
	return true;
}

static bool fill_time(const struct parser *p, struct civil *t, int64_t *ns)
{
	bool midnight = p->times == 0 && (p->dates > 0 || p->days > 0 || !p->has_rel);

	if (p->times > 0) {
		static const char *const words[] = { "", "am", "pm" };

		t->hour = hour_of_day(p);
		if (t->hour < 0)
			explain_say(p, "error: invalid hour %lld%s", (long long)p->hour,
				    words[p->meridian]);
		if (t->hour < 0 || p->minute > INT16_MAX || p->second > INT16_MAX)
			return false;
		t->minute = (int)p->minute;
		t->second = (int)p->second;
		*ns = p->ns;
	} else if (midnight) {
		t->hour = t->minute = t->second = 0;
		*ns = 0;
	}
	explain_start_time(p, t, midnight);
	return true;
}

static void move_to_weekday(const struct parser *p, struct civil *t)
{
	int64_t days = time_days(t->year, t->month, t->day);
	int64_t weekday = ((days + 4) % 7 + 7) % 7;
	int64_t step = (p->weekday - weekday + 7) % 7;
	int64_t weeks = p->weekday_count;

	/* "next monday" on a Monday is a week away; on another day it is the first one. */
	if (weeks > 0 && step != 0)
		weeks--;
	t->day += (int)(step + weeks * 7);
}

/* Nanoseconds are brought into one second. */
static void set_moment(struct moment *out, int64_t seconds, int64_t ns)
{
	int64_t carry = ns / SECOND_NS - (ns % SECOND_NS < 0);

	*out = (struct moment){ seconds + carry, ns - carry * SECOND_NS };
}

/* time_of_civil; where the date says whether daylight is saved, the time that this makes of it. */
static int64_t seconds_of(const struct parser *p, const struct zone *zone, struct civil *t)
{
	const struct civil asked = *t;
	int64_t seconds = time_of_civil(zone, t);

	if (p->local_zones == 0 || p->zones > 0 || t->is_dst == p->local_dst)
		return seconds;
	/* An hour that comes twice, or one that is not there. */
	time_civil(zone, seconds + 3600, t);
	if (t->hour == asked.hour && t->is_dst == p->local_dst)
		return seconds + 3600;
	seconds += p->local_dst ? -3600 : 3600;
	time_civil(zone, seconds, t);
	return seconds;
}

/* Whether calendars and clocks show that time at all: some hours are skipped when clocks are set
 * forward. Where a zone was named, clocks here do not matter. */
static bool exists(const struct parser *p, const struct zone *zone, struct civil *t)
{
	struct civil found = *t;

	seconds_of(p, zone, &found);
	if (found.year == t->year && found.month == t->month && found.day == t->day &&
	    found.hour == t->hour && found.minute == t->minute && found.second == t->second)
		return true;
	explain_invalid(p, t, &found);
	return false;
}

static bool compose(const struct parser *p, int64_t now_ns, const struct zone *utc,
		    struct moment *out)
{
	const struct zone *zone = p->zones > 0 ? utc : p->zone;
	struct civil t;
	int64_t ns = now_ns - p->now_s * SECOND_NS;

	time_civil(p->zone, p->now_s, &t);
	if (!fill_date(p, &t) || !fill_time(p, &t, &ns) || !exists(p, zone, &t))
		return false;
	if (p->days > 0 && p->dates == 0) {
		move_to_weekday(p, &t);
		time_of_civil(zone, &t);
	}
	explain_start(p, &t);
	for (int i = REL_YEAR; i <= REL_DAY; i++)
		if (p->rel[i] > DAYS_MAX || p->rel[i] < -DAYS_MAX) {
			explain_warnings(p, &t);
			explain_say(p, "error: parse-datetime.y:2148");
			return false;
		}
	struct civil start = t;

	t.year += p->rel[REL_YEAR];
	t.month += (int)p->rel[REL_MONTH];
	t.day += (int)p->rel[REL_DAY];
	int64_t seconds = seconds_of(p, zone, &t) - (p->zones > 0 ? p->zone_s : 0);

	explain_adjusted(p, &start, &t);
	explain_seconds(p, &t, seconds);
	seconds += p->rel[REL_HOUR] * 3600 + p->rel[REL_MINUTE] * 60 + p->rel[REL_SECOND];
	set_moment(out, seconds, ns + p->rel[REL_NS]);
	explain_time_adjusted(p, &t, out->seconds);
	return true;
}

/* TZ="..." in front of a date. Returns where the rest begins. */
static const char *leading_zone(struct cmd *c, const char *text, struct parser *p)
{
	struct buf name = buf_in(c->arena);

	while (byte_is_space(*text))
		text++;
	if (strncmp(text, "TZ=\"", 4) != 0)
		return text;
	for (text += 4; *text != '\0' && *text != '"'; text++) {
		if (*text == '\\' && text[1] != '\0')
			text++;
		buf_putc(&name, *text);
	}
	p->zone_text = buf_cstr(&name);
	p->zone = zone_of_name(c, p->zone_text);
	return *text == '"' ? text + 1 : text;
}

/* Where it could not go on: false. */
static bool tell_failure(struct parser *p)
{
	int at = p->at;
	const char *rest;

	/* What may begin an item was taken; the one behind it was wrong. */
	if (peek(p, 0)->kind == TOKEN_NUMBER || in_month_name(p, 0) ||
	    word_at(p, 0, ordinals, false) != NULL)
		at++;
	tell_strange(p, at - p->at);
	rest = at < p->n ? p->token[at].end : "";
	if (*rest != '\0')
		explain_say(p, "error: parsing failed, stopped at '%s'", rest);
	else
		explain_say(p, "error: parsing failed");
	return false;
}

static bool parse(struct cmd *c, struct parser *p, const char *text, int64_t now_ns,
		  struct moment *out)
{
	p->now_s = now_ns / SECOND_NS - (now_ns % SECOND_NS < 0);
	text = leading_zone(c, text, p);
	date_tokens(p, text);
	if (take_epoch(p)) {
		set_moment(out, p->epoch_s, p->ns);
		explain_say(p, "parsed number of seconds part: number of seconds: %lld",
			    (long long)out->seconds);
		p->at = 2;
		if (p->n > p->at)
			return tell_failure(p);
		explain_counts(p);
		explain_final(p, out);
		return true;
	}
	/* Nothing is midnight. */
	if (p->n == 0) {
		p->times = 1;
		explain_part(p, "number");
	}
	while (p->at < p->n) {
		p->complete = false;
		tell_strange(p, 0);
		if (!take_item(p))
			return tell_failure(p);
	}
	explain_counts(p);
	if (p->too_far || p->dates > 1 || p->times > 1 || p->days > 1 ||
	    p->zones + p->local_zones > 1)
		return false;
	if (!compose(p, now_ns, zone_of_text(c->arena, NULL), out))
		return false;
	explain_final(p, out);
	return true;
}

bool date_parse_moment(struct cmd *c, const char *text, int64_t now_ns, const struct zone *zone,
		       struct moment *out)
{
	struct parser *p = arena_zalloc(c->arena, sizeof(*p));

	p->zone = zone;
	return parse(c, p, text, now_ns, out);
}

bool date_explain(struct cmd *c, const char *text, int64_t now_ns, const struct zone *zone,
		  const char *zone_name, struct moment *out)
{
	struct parser *p = arena_zalloc(c->arena, sizeof(*p));

	p->zone = zone;
	p->zone_name = zone_name;
	p->trace = c;
	return parse(c, p, text, now_ns, out);
}

bool date_parse(struct cmd *c, const char *text, int64_t now_ns, const struct zone *zone,
		int64_t *out_ns)
{
	struct moment m;

	return date_parse_moment(c, text, now_ns, zone, &m) &&
	       !__builtin_mul_overflow(m.seconds, SECOND_NS, out_ns) &&
	       !__builtin_add_overflow(*out_ns, m.ns, out_ns);
}

bool date_parse_posix(const char *text, bool year_last, int64_t now_ns, const struct zone *zone,
		      int64_t *out_ns)
{
	size_t len = strspn(text, "0123456789");
	struct civil t;
	int pair[6];
	int n = (int)(len / 2);
	int second = 0;

	if (len % 2 != 0 || len < 8 || len > 12)
		return false;
	if (text[len] == '.') {
		if (!byte_is_digit(text[len + 1]) || !byte_is_digit(text[len + 2]) ||
		    text[len + 3] != '\0')
			return false;
		second = (text[len + 1] - '0') * 10 + text[len + 2] - '0';
	} else if (text[len] != '\0') {
		return false;
	}
	for (int i = 0; i < n; i++)
		pair[i] = (text[i * 2] - '0') * 10 + text[i * 2 + 1] - '0';
	const int *rest = year_last ? pair : pair + n - 4;
	const int *year = year_last ? pair + 4 : pair;

	time_civil(zone, now_ns / SECOND_NS, &t);
	if (n == 5)
		t.year = year[0] + (year[0] < 69 ? 2000 : 1900);
	else if (n == 6)
		t.year = year[0] * 100 + year[1];
	if (rest[0] < 1 || rest[0] > 12 || rest[1] < 1 || rest[1] > month_days(t.year, rest[0]) ||
	    rest[2] > 23 || rest[3] > 59 || second > 60)
		return false;
	t.month = rest[0];
	t.day = rest[1];
	t.hour = rest[2];
	t.minute = rest[3];
	t.second = second;
	return !__builtin_mul_overflow(time_of_civil(zone, &t), SECOND_NS, out_ns);
}
