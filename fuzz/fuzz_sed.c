/* SPDX-License-Identifier: MIT
 *
 * sed with any script on any input. The first byte chooses options, what follows up to a NUL is
 * the script, the rest is the input.
 */
#include "fuzz/session.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const options[] = { "", "-n", "-E", "-z", "-s", "-u", "-i", "--posix" };
	const char *text = (const char *)data + 1;
	char command[128];
	const char *end;
	size_t len;
	cowsh *s;

	if (size < 2)
		return 0;
	end = memchr(text, '\0', size - 1);
	len = end != NULL ? (size_t)(end - text) : size - 1;
	s = fuzz_fork("true", NULL);
	fuzz_put(s, "/tmp/script", text, len);
	fuzz_put(s, "/tmp/input", text + len, size - 1 - len);
	snprintf(command, sizeof command, "cd /tmp; sed %s %s -f script input input",
		 options[data[0] & 7], options[data[0] >> 3 & 7]);
	fuzz_script(s, command);
	return 0;
}
