/* SPDX-License-Identifier: MIT
 *
 * What the parts of ps share: the columns it knows, and what was asked for. top shows the same
 * columns.
 */
#ifndef BUILTINS_PS_PS_H
#define BUILTINS_PS_PS_H

#include "builtins/builtin.h"
#include "builtins/zone.h"

/* What a column shows. */
enum ps_kind {
	PS_PID,
	PS_PPID,
	PS_PGID,
	PS_SID,
	PS_UID,
	PS_GID,
	PS_USER,
	PS_GROUP,
	PS_COMM,
	PS_ARGS,
	PS_EXE,
	PS_STATE,
	PS_STAT,
	PS_NICE,
	PS_PRI,      /* 39 - 20 - nice */
	PS_PRIORITY, /* 20 + nice */
	PS_PRI_BSD,  /* 80 + nice, of -l */
	PS_CPU_PERCENT,
	PS_CPU_WHOLE,
	PS_CPU_MILLE,
	PS_MEM_PERCENT,
	PS_RSS,
	PS_SZ,
	PS_TIME,
	PS_TIMES,
	PS_BSDTIME,
	PS_ETIME,
	PS_ETIMES,
	PS_STIME,
	PS_START,
	PS_LSTART,
	PS_TTY,
	PS_ONE,
	PS_ZERO,
	PS_MINUS_ONE,
	PS_DASH,
	PS_CLASS,
	PS_PENDING,
	PS_BLOCKED,
	PS_IGNORED,
	PS_CAUGHT,
};

struct ps_column {
	const char *name;
	const char *header;
	int width;
	bool right; /* set to the right: numbers */
	enum ps_kind kind;
};

/* NULL: no such column. */
const struct ps_column *ps_column_find(struct bytes name);

/* A column of the output. */
struct ps_field {
	const struct ps_column *column;
	const char *header;
	int width;
};

struct ps_key {
	enum ps_kind kind;
	bool down;
};

enum { PS_FIELDS_MAX = 64, PS_KEYS_MAX = 16 };

struct ps_view {
	struct cmd *c;
	struct zone *zone;
	int64_t now_ns;
	uint64_t memory_total;
	struct ps_field field[PS_FIELDS_MAX];
	int nfields;
	bool command_short; /* BSD's c: the name instead of the arguments */
};

/* The text of one column for a process, appended. */
void ps_put_value(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *p,
		  struct buf *out);
/* Orders two processes by one column. */
int ps_compare(const struct ps_view *v, enum ps_kind kind, const struct cmd_proc *a,
	       const struct cmd_proc *b);
/* Sorts by keys, stably. */
void ps_sort(const struct ps_view *v, const struct ps_key *keys, int nkeys, struct cmd_proc *list,
	     size_t n);
/* What -L, -T, -c and -M add to the usual columns. */
struct ps_shape {
	bool lwp;     /* -L */
	bool spid;    /* -T */
	bool classes; /* -c */
	bool label;   /* -M */
	bool full;    /* the lines are those of -f */
};

void ps_add_shape(struct ps_view *v, const struct ps_shape *shape);

/* With -m a process has two lines: its own, and that of its thread. */
enum ps_side { PS_WHOLE, PS_PROCESS, PS_THREAD };
/* Whether such a line shows only a dash there. */
bool ps_hides(const struct ps_column *col, enum ps_side side);

/* Writes the names of all columns with their headers (ps L). */
void ps_put_columns(struct cmd *c);

#endif
