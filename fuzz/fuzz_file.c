/* SPDX-License-Identifier: MIT
 *
 * file, iconv, strings, hexdump, dos2unix over any bytes; hexdump by any format.
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
		"file -i /tmp/p",
		"file /tmp/p",
		"iconv -f utf-16 -t utf-8 /tmp/p",
		"iconv -f utf-8 -t latin1//TRANSLIT -c /tmp/p",
		"iconv -c -f sjis -t euc-jp /tmp/p; iconv -c -f euc-jp -t cp932 /tmp/p",
		"iconv -c -f gb18030 -t big5 /tmp/p; iconv -c -t gb18030 /tmp/p",
		"hexdump -f /tmp/p /tmp/p",
		"hexdump -C /tmp/p; strings -el /tmp/p; dos2unix -i /tmp/p; unix2dos < /tmp/p",
		"a=b envsubst < /tmp/p",
		"dd if=/tmp/p conv=unblock,swab,sync cbs=3 ibs=5 obs=7",
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
