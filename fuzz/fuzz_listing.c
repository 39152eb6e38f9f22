/* SPDX-License-Identifier: MIT
 *
 * col, column, json_pp, dircolors, tree over lists, colours and rules, ascii, env: any bytes.
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

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const char *const commands[] = {
		"col < /tmp/p; col -bfx < /tmp/p",
		"tree --fromfile -J /tmp/p; tree --fromfile -X --prune /tmp/p",
		"json_pp < /tmp/p",
		"TERM=xterm dircolors -b /tmp/p; TREE_COLORS=$(cat /tmp/p) tree -C /tmp",
		"column -t -N a,b,c -r c -i a -p b /tmp/p; column -J -N a,b,c -r c -i a -p b "
		"/tmp/p",
		"mkdir d; cp /tmp/p d/.gitignore; touch d/a d/b.c; tree --gitignore d",
		"file -i /tmp/p; file /tmp/p; ascii -- \"$(cat /tmp/p)\"",
		"gettext -es \"$(cat /tmp/p)\"; env -S \"$(cat /tmp/p)\"; env "
		"--ignore-signal=\"$(cat /tmp/p)\"",
	};
	struct cowsh_result result;
	const char *command;
	cowsh *session;

	if (base == NULL)
		start();
	if (size < 1)
		return 0;
	if (cowsh_fork(base, NULL, &session) != 0)
		abort();
	command = commands[data[0] & 7];
	cowsh_put_file(session, "/tmp/p", data + 1, size - 1, 0644);
	cowsh_run(session, command, strlen(command), &result);
	cowsh_free(session);
	return 0;
}
