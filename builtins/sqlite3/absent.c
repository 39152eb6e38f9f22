/* SPDX-License-Identifier: MIT
 *
 * What SQLite's other members call in those that cowsh does not take (see host.c): counters
 * that nobody reads, mutexes and threads there are none of, extensions that can't be loaded.
 * Their prototypes are the library's internal ones.
 */
#include "builtins/sqlite3/sqlite.h"

struct Btree;

int sqlite3BtreeOpen(sqlite3_vfs *vfs, const char *name, sqlite3 *db, struct Btree **out, int flags,
		     int open_flags);
int cowsh_to_sqlite3BtreeOpen(sqlite3_vfs *vfs, const char *name, sqlite3 *db, struct Btree **out,
			      int flags, int open_flags);
/* Never with a cache that other connections would share: it would outlive its process. */
int cowsh_to_sqlite3BtreeOpen(sqlite3_vfs *vfs, const char *name, sqlite3 *db, struct Btree **out,
			      int flags, int open_flags)
{
	return sqlite3BtreeOpen(vfs, name, db, out, flags, open_flags & ~SQLITE_OPEN_SHAREDCACHE);
}

/* --- counters --- */

sqlite3_int64 sqlite3StatusValue(int what);
sqlite3_int64 sqlite3StatusValue(int what)
{
	(void)what;
	return 0;
}

void sqlite3StatusUp(int what, int n);
void sqlite3StatusUp(int what, int n)
{
	(void)what;
	(void)n;
}

void sqlite3StatusDown(int what, int n);
void sqlite3StatusDown(int what, int n)
{
	(void)what;
	(void)n;
}

void sqlite3StatusHighwater(int what, int n);
void sqlite3StatusHighwater(int what, int n)
{
	(void)what;
	(void)n;
}

int sqlite3_status64(int what, sqlite3_int64 *now, sqlite3_int64 *most, int reset)
{
	(void)what;
	(void)reset;
	*now = 0;
	*most = 0;
	return SQLITE_OK;
}

/* --- threads --- */

const sqlite3_mutex_methods *sqlite3NoopMutex(void);
const sqlite3_mutex_methods *sqlite3DefaultMutex(void);
const sqlite3_mutex_methods *sqlite3DefaultMutex(void)
{
	return sqlite3NoopMutex();
}

void sqlite3MemoryBarrier(void);
void sqlite3MemoryBarrier(void)
{
}

int sqlite3ThreadCreate(void **out, void *(*task)(void *), void *arg);
int sqlite3ThreadCreate(void **out, void *(*task)(void *), void *arg)
{
	(void)task;
	(void)arg;
	*out = NULL;
	return SQLITE_ERROR;
}

int sqlite3ThreadJoin(void *thread, void **out);
int sqlite3ThreadJoin(void *thread, void **out)
{
	(void)thread;
	*out = NULL;
	return SQLITE_ERROR;
}

void sqlite3ConnectionBlocked(sqlite3 *db, sqlite3 *by);
void sqlite3ConnectionBlocked(sqlite3 *db, sqlite3 *by)
{
	(void)db;
	(void)by;
}

void sqlite3ConnectionUnlocked(sqlite3 *db);
void sqlite3ConnectionUnlocked(sqlite3 *db)
{
	(void)db;
}

void sqlite3ConnectionClosed(sqlite3 *db);
void sqlite3ConnectionClosed(sqlite3 *db)
{
	(void)db;
}

/* --- the generator's state, which tests of SQLite save; named memory databases --- */

void sqlite3PrngSaveState(void);
void sqlite3PrngSaveState(void)
{
}

void sqlite3PrngRestoreState(void);
void sqlite3PrngRestoreState(void)
{
}

int sqlite3MemdbInit(void);
int sqlite3MemdbInit(void)
{
	return SQLITE_OK;
}

/* --- extensions --- */

void sqlite3AutoLoadExtensions(sqlite3 *db);
void sqlite3AutoLoadExtensions(sqlite3 *db)
{
	(void)db;
}

void sqlite3CloseExtensions(sqlite3 *db);
void sqlite3CloseExtensions(sqlite3 *db)
{
	(void)db;
}

void sqlite3_reset_auto_extension(void)
{
}

int sqlite3_load_extension(sqlite3 *db, const char *file, const char *entry, char **message)
{
	(void)db;
	(void)entry;
	if (message != NULL)
		*message = sqlite3_mprintf("%s: cannot open shared object file: "
					   "No such file or directory",
					   file);
	return SQLITE_ERROR;
}
