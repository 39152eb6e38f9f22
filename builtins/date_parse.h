/* SPDX-License-Identifier: MIT
 *
 * Dates as people write them: GNU's date syntax, for date -d, touch -d, find -newermt.
 */
#ifndef BUILTINS_DATE_PARSE_H
#define BUILTINS_DATE_PARSE_H

#include "builtins/zone.h"

/* A time of any year: ns is 0..999999999. */
struct moment {
	int64_t seconds; /* since 1970 */
	int64_t ns;
};

/* The time that `text` means when it is now_ns. False: not a date. */
bool date_parse_moment(struct cmd *c, const char *text, int64_t now_ns, const struct zone *zone,
		       struct moment *out);
/* The same, telling on standard error how it was understood; zone_name is TZ's value, NULL: none.
 */
bool date_explain(struct cmd *c, const char *text, int64_t now_ns, const struct zone *zone,
		  const char *zone_name, struct moment *out);
/* date_parse_moment in nanoseconds since 1970, as files have it: false also for years beyond that.
 */
bool date_parse(struct cmd *c, const char *text, int64_t now_ns, const struct zone *zone,
		int64_t *out_ns);
/* POSIX's digits: [[CC]YY]MMDDhhmm[.ss] as touch -t has them, or with the year behind the
 * minutes as date's operand. */
bool date_parse_posix(const char *text, bool year_last, int64_t now_ns, const struct zone *zone,
		      int64_t *out_ns);

#endif
