/* SPDX-License-Identifier: MIT
 *
 * Dot-commands that open and copy databases: .open .backup .save .restore
 */
#include "builtins/sqlite3/shell.h"

enum { PAGES_PER_STEP = 100, BUSY_TRIES = 3, BUSY_WAIT_MS = 100 };

static sqlite3 *open_other(struct shell *s, const char *file)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(file, &db) == SQLITE_OK) {
		sqlite_host_guard(db);
		return db;
	}
	complain(s, "Error: cannot open \"%s\"\n", file);
	sqlite3_close(db);
	return NULL;
}

/* Copies one database over another; errors are of `to`. */
static int copy_database(struct shell *s, sqlite3 *to, const char *to_name, sqlite3 *from,
			 const char *from_name, sqlite3 *errors)
{
	sqlite3_backup *copy = sqlite3_backup_init(to, to_name, from, from_name);
	int tries = 0;
	int code;

	if (copy == NULL) {
		complain(s, "Error: %s\n", sqlite3_errmsg(errors));
		return DOT_ERROR;
	}
	while ((code = sqlite3_backup_step(copy, PAGES_PER_STEP)) == SQLITE_OK ||
	       code == SQLITE_BUSY) {
		if (code == SQLITE_BUSY) {
			if (tries++ >= BUSY_TRIES)
				break;
			sqlite3_sleep(BUSY_WAIT_MS);
		}
	}
	sqlite3_backup_finish(copy);
	if (code == SQLITE_DONE)
		return DOT_OK;
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		complain(s, "Error: source database is busy\n");
	else
		complain(s, "Error: %s\n", sqlite3_errmsg(errors));
	return DOT_ERROR;
}

int dot_backup(struct dot *d)
{
	struct shell *s = d->s;
	const char *database = NULL;
	const char *file = NULL;
	bool async = false;
	sqlite3 *to;
	int result;

	for (int i = 1; i < d->argc; i++) {
		const char *word = d->argv[i];

		if (word[0] == '-') {
			const char *name = word[1] == '-' ? word + 1 : word;

			if (strcmp(name, "-async") != 0) {
				complain(s, "unknown option: %s\n", word);
				return DOT_ERROR;
			}
			async = true;
		} else if (file == NULL) {
			file = word;
		} else if (database == NULL) {
			database = file;
			file = word;
		} else {
			complain(s, "Usage: .backup ?DB? ?OPTIONS? FILENAME\n");
			return DOT_ERROR;
		}
	}
	if (file == NULL) {
		complain(s, "missing FILENAME argument on .backup\n");
		return DOT_ERROR;
	}
	to = open_other(s, file);
	if (to == NULL)
		return DOT_ERROR;
	if (async)
		sqlite3_exec(to, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;", NULL, NULL,
			     NULL);
	result = shell_open(s) ? copy_database(s, to, "main", s->db,
					       database != NULL ? database : "main", to)
			       : DOT_ERROR;
	sqlite3_close(to);
	return result;
}

int dot_restore(struct dot *d)
{
	struct shell *s = d->s;
	const char *database = d->argc == 3 ? d->argv[1] : "main";
	sqlite3 *from;
	int result;

	if (d->argc != 2 && d->argc != 3) {
		complain(s, "Usage: .restore ?DB? FILE\n");
		return DOT_ERROR;
	}
	from = open_other(s, d->argv[d->argc - 1]);
	if (from == NULL)
		return DOT_ERROR;
	result = shell_open(s) ? copy_database(s, s->db, database, from, "main", s->db) : DOT_ERROR;
	sqlite3_close(from);
	return result;
}

int dot_open(struct dot *d)
{
	struct shell *s = d->s;
	const char *file = NULL;
	bool fresh = false;
	bool read_only = false;
	bool no_follow = false;

	for (int i = 1; i < d->argc; i++) {
		const char *word = d->argv[i];
		const char *name = word[0] == '-' && word[1] == '-' ? word + 1 : word;

		if (strcmp(name, "-new") == 0) {
			fresh = true;
		} else if (strcmp(name, "-readonly") == 0) {
			read_only = true;
		} else if (strcmp(name, "-nofollow") == 0) {
			no_follow = true;
		} else if (word[0] == '-') {
			complain(s, "unknown option: %s\n", word);
			return DOT_ERROR;
		} else if (file != NULL) {
			complain(s, "extra argument: \"%s\"\n", word);
			return DOT_ERROR;
		} else {
			file = word;
		}
	}
	shell_close(s);
	s->file = "";
	s->read_only = read_only;
	s->no_follow = no_follow;
	if (file != NULL) {
		if (fresh)
			cmd_unlink(s->c, CMD_CWD, file, 0);
		s->file = arena_dup(s->c->arena, bytes_of(file));
		if (!shell_open(s)) {
			complain(s, "Error: cannot open \"%s\"\n", file);
			s->file = ":memory:";
		}
	}
	return DOT_OK;
}
