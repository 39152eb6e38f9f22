/* SPDX-License-Identifier: MIT
 *
 * sed with any script on any input. The first byte chooses options, what follows up to a NUL is
 * the script, the rest is the input. Each run is a fork of one session, with small limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowsh.h"

enum { REGION_BYTES = 256 << 20 };

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
	cowsh_set_limit(base, COWSH_LIMIT_MEMORY, 64 << 20);
	cowsh_set_limit(base, COWSH_LIMIT_DISK, 16 << 20);
}

static void run(const char *command, const char *script, size_t script_len, const char *input,
		size_t input_len)
{
	struct cowsh_result result;
	cowsh *session;

	if (cowsh_fork(base, NULL, &session) != 0)
		abort();
	cowsh_put_file(session, "/tmp/script", script, script_len, 0644);
	cowsh_put_file(session, "/tmp/input", input, input_len, 0644);
	cowsh_run(session, command, strlen(command), &result);
	cowsh_free(session);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const char *const options[] = { "", "-n", "-E", "-z", "-s", "-u", "-i", "--posix" };
	const char *text = (const char *)data + 1;
	char command[128];

	if (base == NULL)
		start();
	if (size < 2)
		return 0;
	const char *end = memchr(text, '\0', size - 1);
	size_t len = end != NULL ? (size_t)(end - text) : size - 1;

	snprintf(command, sizeof command, "cd /tmp; sed %s %s -f script input input",
		 options[data[0] & 7], options[data[0] >> 3 & 7]);
	run(command, text, len, text + len, size - 1 - len);
	return 0;
}
