/* SPDX-License-Identifier: MIT
 *
 * ed with any script on any file. The first byte chooses options, what follows up to a NUL is
 * the script, the rest is the file.
 */
#include "fuzz/session.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const char *const options[] = { "", "-s", "-E", "-G", "-v", "-r", "-l", "-p:" };
	static cowsh *base;
	const char *text = (const char *)data + 1;
	char command[128];

	if (base == NULL)
		base = fuzz_base("printf 'one\\ntwo\\nthree\\n' > /tmp/f");
	if (size < 2)
		return 0;
	const char *end = memchr(text, '\0', size - 1);
	size_t len = end != NULL ? (size_t)(end - text) : size - 1;
	cowsh *s = fuzz_fork(base);

	cowsh_put_file(s, "/tmp/script", text, len, 0644);
	if (len < size - 1)
		cowsh_put_file(s, "/tmp/f", text + len, size - 1 - len, 0644);
	snprintf(command, sizeof command, "cd /tmp; cat script | ed %s %s f", options[data[0] & 7],
		 options[data[0] >> 3 & 7]);
	cowsh_run(s, command, strlen(command), NULL);
	cowsh_free(s);
	return 0;
}
