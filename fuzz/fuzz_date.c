/* SPDX-License-Identifier: MIT
 *
 * date with any text as dates, one a line, in a few time zones; and any format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowsh.h"

enum { REGION_BYTES = 64 << 20 };

static cowsh *base;

static void start(void)
{
	struct cowsh_store_config memory = COWSH_STORE_CONFIG_INIT;
	cowsh_store *store;

	memory.region = aligned_alloc(4096, REGION_BYTES);
	memory.region_size = REGION_BYTES;
	if (cowsh_store_new(&memory, &store) != 0 || cowsh_new(store, NULL, NULL, &base) != 0)
		abort();
	cowsh_set_limit(base, COWSH_LIMIT_STEPS, 200000);
	cowsh_set_limit(base, COWSH_LIMIT_MEMORY, 32 << 20);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const char *const zones[] = { "UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "XYZ5:30",
					     "EST5EDT,M3.2.0,M11.1.0" };
	struct cowsh_result result;
	cowsh *session;
	char command[128];

	if (base == NULL)
		start();
	if (size < 1)
		return 0;
	if (cowsh_fork(base, NULL, &session) != 0)
		abort();
	cowsh_put_file(session, "/tmp/dates", data + 1, size - 1, 0644);
	snprintf(command, sizeof command, "TZ='%s' date %s", zones[data[0] & 3],
		 (data[0] & 4) != 0 ? "-d @86399 +\"$(cat /tmp/dates)\""
				    : "-f /tmp/dates '+%s %N %c %z %G %V'");
	cowsh_run(session, command, strlen(command), &result);
	cowsh_free(session);
	return 0;
}
