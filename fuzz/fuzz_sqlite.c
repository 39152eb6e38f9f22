/* SPDX-License-Identifier: MIT
 *
 * sqlite3: the input up to the first NUL byte is read by the shell (SQL and dot-commands); what
 * follows is a database's file, f.db, and other bytes for .import.
 */
#include "fuzz/session.h"

static const char tree[] = "sqlite3 g.db 'create table t(a,b); insert into t values(1,2)'";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "sqlite3", "-init", "script", "f.db", ".dump" };
	const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
	size_t script = end != NULL ? (size_t)(end - data) : size;
	size_t from = end != NULL ? script + 1 : size;
	cowsh *s;

	s = fuzz_fork(tree, NULL);
	fuzz_put(s, "script", data, script);
	fuzz_put(s, "f.db", data + from, size - from);
	fuzz_run(s, 5, argv);
	return 0;
}
