/* SPDX-License-Identifier: MIT
 *
 * The parser of dates, as its explanations (date --debug) see it.
 */
#ifndef BUILTINS_DATE_PRIVATE_H
#define BUILTINS_DATE_PRIVATE_H

#include "builtins/date_parse.h"

enum { TOKENS_MAX = 1024 };
#define SECOND_NS ((int64_t)1000000000)

enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_WORD, TOKEN_CHAR };

struct token {
	enum token_kind kind;
	int64_t value;       /* of a number; a character */
	int digits;          /* of a number */
	int sign;            /* -1, +1: written in front of the number; 0: none */
	int64_t fraction_ns; /* what followed a '.' or ',' */
	bool has_fraction;
	char word[24];   /* upper case */
	const char *end; /* of its text */
};

struct parser {
	struct token token[TOKENS_MAX];
	int n;
	int at;
	int dates;
	int times;
	int days;
	int zones;
	int local_zones; /* names of the zone that clocks here show */
	bool local_dst;
	bool dst_said;
	bool has_rel;
	bool has_year;
	int64_t year;
	int year_digits;
	int64_t month;
	int64_t day;
	int64_t hour;
	int64_t minute;
	int64_t second;
	int64_t ns;
	int meridian;   /* 1: am, 2: pm */
	int64_t zone_s; /* east of UTC */
	int64_t weekday;
	int64_t weekday_count;
	bool weekday_counted;
	int64_t rel[7]; /* year, month, day, hour, minute, second, ns */
	bool too_far;
	bool epoch; /* @seconds */
	int64_t epoch_s;
	/* date --debug: what it says so far, NULL: nothing. */
	struct cmd *trace;
	const char *strange;   /* the unknown word that was told */
	bool complete;         /* the end of the item is known without what follows */
	unsigned shown;        /* what it told already */
	const char *zone_text; /* TZ="..." in the date */
	const char *zone_name; /* the environment's, NULL: none */
	const struct zone *zone;
	int64_t now_s;
};

enum { REL_YEAR, REL_MONTH, REL_DAY, REL_HOUR, REL_MINUTE, REL_SECOND, REL_NS };

/* Reads the tokens of a text. A number or word that is too long becomes a character of no meaning,
 * behind which nothing is read; so does what follows TOKENS_MAX of them. */
void date_tokens(struct parser *p, const char *text);

/* All of these say nothing where p->trace is NULL. */

/* A line of its own. */
void explain_say(const struct parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "parsed KIND part: ", with what was not told before. */
void explain_part(struct parser *p, const char *kind);
void explain_relative(const struct parser *p);
/* Where the time zone comes from, and which parts there are too many of. */
void explain_counts(const struct parser *p);
/* The time that a date begins with. */
void explain_start_time(const struct parser *p, const struct civil *t, bool midnight);
/* A time that is none, what it would be, and why that may be. */
void explain_invalid(const struct parser *p, const struct civil *asked, const struct civil *found);
/* The date that it begins with; a weekday may have moved it. */
void explain_start(const struct parser *p, const struct civil *t);
/* What may surprise when amounts are added to this date. */
void explain_warnings(const struct parser *p, const struct civil *start);
/* What years, months and days were added, and what came of it. */
void explain_adjusted(const struct parser *p, const struct civil *start, const struct civil *found);
void explain_seconds(const struct parser *p, const struct civil *t, int64_t seconds);
/* The same of hours, minutes and seconds. */
void explain_time_adjusted(const struct parser *p, const struct civil *t, int64_t seconds);
void explain_final(const struct parser *p, const struct moment *m);

#endif
