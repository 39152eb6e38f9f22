/* SPDX-License-Identifier: MIT
 *
 * SQLite's library and what stands below it.
 *
 *   shell.c, dot.c, ...    the commands and output modes of the sqlite3 shell
 *        |
 *   SQLite (Debian's libsqlite3.a, less what knows an operating system)
 *        |
 *   host.c                 memory, randomness, charging: what the library calls
 *   files.c                its VFS: files and locks by the system calls of the process
 */
#ifndef BUILTINS_SQLITE3_SQLITE_H
#define BUILTINS_SQLITE3_SQLITE_H

#include <sqlite3.h>

#include "builtins/builtin.h"

/* What the library may need of the process it runs in. */
struct sqlite_host {
	struct cmd *c;
	struct zone *zone;        /* of 'localtime'; NULL: not asked for yet */
	sqlite3_int64 soft_limit; /* PRAGMA soft_heap_limit, hard_heap_limit: only remembered */
	sqlite3_int64 hard_limit;
	int last_error; /* of the VFS: an E_ number */
};

/* Makes the library ready to be used by this process, which must have SQLITE_STACK left. */
void sqlite_host_start(struct sqlite_host *h, struct cmd *c);
/* After opening: limits, charging, and what a database must not be able to ask for. */
void sqlite_host_guard(sqlite3 *db);
/* The authorizer that it sets. */
int sqlite_host_authorize(void *arg, int action, const char *a, const char *b, const char *c,
			  const char *d);
/* The host of the process that runs now; NULL while the library starts. */
struct sqlite_host *sqlite_host_now(void);

/* Bytes of stack that the deepest statement may take. */
enum { SQLITE_STACK = 4 << 20 };

extern sqlite3_vfs sqlite_files;

#endif
