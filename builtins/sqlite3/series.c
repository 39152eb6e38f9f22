/* SPDX-License-Identifier: MIT
 *
 * The table generate_series(start, stop, step).
 */
#include "builtins/sqlite3/shell.h"

enum { COLUMN_VALUE, COLUMN_START, COLUMN_STOP, COLUMN_STEP };
/* What best_index found, handed to filter. */
enum { HAS_START = 1, HAS_STOP = 2, HAS_STEP = 4, DESCENDING = 8, ASCENDING = 16 };

static const sqlite3_int64 stop_default = 0xffffffff;

struct cursor {
	sqlite3_vtab_cursor base;
	bool descending;
	bool ended;
	sqlite3_int64 value;
	sqlite3_int64 least;
	sqlite3_int64 most;
	sqlite3_int64 step;
	sqlite3_int64 rowid;
};

static struct cursor *as_cursor(sqlite3_vtab_cursor *c)
{
	return (struct cursor *)(void *)c;
}

static int series_connect(sqlite3 *db, void *arg, int argc, const char *const *argv,
			  sqlite3_vtab **out, char **error)
{
	int code = sqlite3_declare_vtab(
		db, "CREATE TABLE x(value,start hidden,stop hidden,step hidden)");

	(void)arg;
	(void)argc;
	(void)argv;
	(void)error;
	*out = NULL;
	if (code != SQLITE_OK)
		return code;
	*out = sqlite3_malloc(sizeof **out);
	if (*out == NULL)
		return SQLITE_NOMEM;
	memset(*out, 0, sizeof **out);
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	return SQLITE_OK;
}

static int series_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int series_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct cursor *c = sqlite3_malloc(sizeof *c);

	(void)table;
	if (c == NULL)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof *c);
	*out = &c->base;
	return SQLITE_OK;
}

static int series_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static int series_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = as_cursor(base);

	/* Differences as unsigned numbers do not overflow. */
	if (c->descending) {
		c->ended = (uint64_t)c->value - (uint64_t)c->least < (uint64_t)c->step;
		if (!c->ended)
			c->value -= c->step;
	} else {
		c->ended = (uint64_t)c->most - (uint64_t)c->value < (uint64_t)c->step;
		if (!c->ended)
			c->value += c->step;
	}
	c->rowid++;
	return SQLITE_OK;
}

static int series_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	const struct cursor *c = as_cursor(base);
	sqlite3_int64 x = c->value;

	switch (column) {
	case COLUMN_START: x = c->least; break;
	case COLUMN_STOP: x = c->most; break;
	case COLUMN_STEP: x = c->step; break;
	default: break;
	}
	sqlite3_result_int64(ctx, x);
	return SQLITE_OK;
}

static int series_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = as_cursor(base)->rowid;
	return SQLITE_OK;
}

static int series_eof(sqlite3_vtab_cursor *base)
{
	return as_cursor(base)->ended;
}

static int series_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
			 sqlite3_value **argv)
{
	struct cursor *c = as_cursor(base);
	int i = 0;

	(void)text;
	c->least = (plan & HAS_START) != 0 ? sqlite3_value_int64(argv[i++]) : 0;
	c->most = (plan & HAS_STOP) != 0 ? sqlite3_value_int64(argv[i++]) : stop_default;
	c->step = (plan & HAS_STEP) != 0 ? sqlite3_value_int64(argv[i++]) : 1;
	if (c->step == 0)
		c->step = 1;
	if (c->step < 0) {
		c->step = c->step == INT64_MIN ? INT64_MAX : -c->step;
		if ((plan & ASCENDING) == 0)
			plan |= DESCENDING;
	}
	c->ended = c->least > c->most;
	for (int j = 0; j < argc; j++)
		c->ended = c->ended || sqlite3_value_type(argv[j]) == SQLITE_NULL;
	c->descending = (plan & DESCENDING) != 0;
	c->value = c->least;
	if (c->descending && !c->ended)
		c->value = (sqlite3_int64)((uint64_t)c->most -
					   ((uint64_t)c->most - (uint64_t)c->least) %
						   (uint64_t)c->step);
	c->rowid = 1;
	return SQLITE_OK;
}

static int series_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	int at[3] = { -1, -1, -1 };
	bool unusable[3] = { false, false, false };
	int n = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn - COLUMN_START;

		if (column < 0)
			continue;
		if (info->aConstraint[i].usable == 0)
			unusable[column] = true;
		else if (info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
			at[column] = i;
	}
	info->idxNum = 0;
	for (int j = 0; j < 3; j++) {
		if (at[j] < 0 && unusable[j])
			return SQLITE_CONSTRAINT;
		if (at[j] < 0)
			continue;
		info->idxNum |= 1 << j;
		info->aConstraintUsage[at[j]].argvIndex = ++n;
		info->aConstraintUsage[at[j]].omit = 1;
	}
	if (at[0] < 0) {
		sqlite3_free(table->zErrMsg);
		table->zErrMsg = sqlite3_mprintf(
			"first argument to \"generate_series()\" missing or unusable");
		return SQLITE_ERROR;
	}
	info->estimatedCost = at[1] >= 0 ? 2.0 - (at[2] >= 0) : 2147483647.0;
	info->estimatedRows = at[1] >= 0 ? 1000 : 2147483647;
	if (info->nOrderBy >= 1 && info->aOrderBy[0].iColumn == COLUMN_VALUE) {
		info->idxNum |= info->aOrderBy[0].desc != 0 ? DESCENDING : ASCENDING;
		info->orderByConsumed = 1;
	}
	return SQLITE_OK;
}

void add_series(struct shell *s)
{
	static const sqlite3_module module = {
		.xConnect = series_connect,
		.xBestIndex = series_best_index,
		.xDisconnect = series_disconnect,
		.xOpen = series_open,
		.xClose = series_close,
		.xFilter = series_filter,
		.xNext = series_next,
		.xEof = series_eof,
		.xColumn = series_column,
		.xRowid = series_rowid,
	};

	sqlite3_create_module(s->db, "generate_series", &module, NULL);
}
