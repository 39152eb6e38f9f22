/* SPDX-License-Identifier: MIT
 *
 * sleep - wait. On the virtual clock that takes no real time.
 */
#include "builtins/builtin.h"

static int sleep_run(struct cmd *c)
{
	int64_t total = 0;
	bool bad = false;
	int status = cmd_operands(c, 1, -1);

	if (status != 0)
		return status;
	for (int i = 0; i < c->nargs; i++) {
		int64_t ns;

		if (!num_parse_span(c->args[i], &ns)) {
			cmd_error(c, 0, "invalid time interval %s", cmd_quote(c, c->args[i]));
			bad = true;
			continue;
		}
		total = ns > INT64_MAX - total ? INT64_MAX : total + ns;
	}
	if (bad)
		return cmd_usage(c, NULL);
	cmd_sleep(c, total);
	return 0;
}

const struct builtin builtin_sleep = {
	.name = "sleep",
	.usage = "NUMBER[smhd]...",
	.summary = "Waits for the sum of the times, in seconds, minutes, hours or days.",
	.run = sleep_run,
};
