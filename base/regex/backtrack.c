/* SPDX-License-Identifier: MIT
 *
 * The backtracking matcher.
 */
#include "base/regex/private.h"

int rx_backtrack(struct regex *re, const struct rx_try *t, struct regex_span *spans,
		 size_t nspans)
{
	(void)re;
	(void)t;
	(void)spans;
	(void)nspans;
	return REGEX_EWORK;
}
