/* SPDX-License-Identifier: MIT
 *
 * date with any text as dates, one a line, in a few time zones; and any format.
 */
#include "fuzz/session.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const zones[] = { "UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "XYZ5:30",
					     "EST5EDT,M3.2.0,M11.1.0" };
	char command[128];
	cowsh *s;

	if (size < 1)
		return 0;
	s = fuzz_fork("true", NULL);
	fuzz_put(s, "/tmp/dates", data + 1, size - 1);
	snprintf(command, sizeof command, "TZ='%s' date %s", zones[data[0] & 3],
		 (data[0] & 4) != 0 ? "-d @86399 +\"$(cat /tmp/dates)\""
				    : "-f /tmp/dates '+%s %N %c %z %G %V'");
	fuzz_script(s, command);
	return 0;
}
