/* SPDX-License-Identifier: MIT
 *
 * awk's strftime and mktime, on the command's clock and time zone.
 */
#include <math.h>

#include "builtins/awk/awk.h"
#include "builtins/zone.h"

static struct zone *zone(struct awk *a, bool utc)
{
	if (a->zone[utc] == NULL)
		a->zone[utc] = utc ? zone_of_text(a->c->arena, "GMT0") : zone_of_command(a->c);
	return a->zone[utc];
}

/* strftime([format [, seconds [, utc]]]) */
struct val awk_fn_strftime(struct awk *a, struct val *args, int n)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf out = buf_in(&a->scratch);
	double seconds = n > 1 ? val_to_num(a, &args[1]) : (double)(cmd_now(a->c) / 1000000000);
	struct val *preset = awk_array_find(a->globals[GLOBAL_PROCINFO].u.array,
					    awk_key(BYTES("strftime")));
	struct val format = n > 0 ? val_get(args[0])
			    : preset != NULL && preset->kind != VAL_ARRAY
				    ? val_get(*preset)
				    : val_bytes(a, BYTES("%a %b %e %H:%M:%S %Z %Y"));
	struct civil civil;

	if (!(seconds > -6e16 && seconds < 6e16))
		awk_fatal(a, "strftime: second argument out of range for time_t");
	time_civil(zone(a, n > 2 && awk_val_true(a, &args[2])), (int64_t)floor(seconds), &civil);
	time_format(&out, str_bytes(awk_val_to_str(a, &format)), &civil, (int64_t)floor(seconds),
		    TIME_LIBC);
	cmd_charge(a->c, out.len / 8);
	struct val v = val_bytes(a, buf_bytes(&out));

	val_put(a, format);
	arena_release(&a->scratch, mark);
	return v;
}

/* By how much the clocks go forward in summer: as the zone does in that year, or an hour. */
static int64_t summer_shift(const struct zone *z, int64_t year)
{
	int offset[2] = { 0, 0 };
	bool seen[2] = { false, false };

	for (int month = 1; month <= 12; month++) {
		struct civil at = { .year = year, .month = month, .day = 1 };

		time_of_civil(z, &at);
		offset[at.is_dst] = at.offset_s;
		seen[at.is_dst] = true;
	}
	return seen[0] && seen[1] ? offset[1] - offset[0] : 3600;
}

/* mktime("YYYY MM DD HH MM SS [DST]" [, utc]): -1 if that is no date. */
struct val awk_fn_mktime(struct awk *a, struct val *args, int n)
{
	struct bytes s = str_bytes(awk_val_to_str(a, &args[0]));
	const struct zone *z = zone(a, n > 1 && awk_val_true(a, &args[1]));
	int64_t part[7] = { [6] = -1 };
	size_t at = 0;

	awk_work_long(a, s.len);
	for (int i = 0; i < 7; i++) {
		size_t used = number_parse_i64(bytes_slice(s, at, s.len), 10, &part[i], NULL);

		if (used == 0 && i == 6)
			part[6] = -1;
		else if (used == 0 || part[i] > 1000000000 || part[i] < -1000000000)
			return val_num(-1);
		at += used;
	}
	struct civil civil = {
		.year = part[0],
		.month = (int)part[1],
		.day = (int)part[2],
		.hour = (int)part[3],
		.minute = (int)part[4],
		.second = (int)part[5],
	};

	struct civil plain = civil;
	int64_t t = time_of_civil(z, &civil);

	if (part[6] < 0)
		return val_num((double)t);
	/* The fields are those of summer time (> 0) or of winter time, whatever applies then. */
	t = time_of_civil(zone(a, true), &plain) - civil.offset_s;
	if ((part[6] > 0) != civil.is_dst)
		t += (civil.is_dst ? 1 : -1) * summer_shift(z, civil.year);
	return val_num((double)t);
}
