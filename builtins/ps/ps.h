/* SPDX-License-Identifier: MIT
 *
 * The columns of ps, which top shows as well: their names, and what they say of a process.
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
	PS_RUID,
	PS_SUID,
	PS_GID,
	PS_RGID,
	PS_SGID,
	PS_USER,
	PS_RUSER,
	PS_SUSER,
	PS_GROUP,
	PS_RGROUP,
	PS_SGROUP,
	PS_GIDS,   /* supplementary groups */
	PS_GROUPS, /* their names */
	PS_COMM,
	PS_FNAME, /* the first eight characters of it */
	PS_ARGS,
	PS_EXE,
	PS_STATE,
	PS_STAT,
	PS_NICE,
	PS_PRI,      /* 39 - 20 - nice */
	PS_PRIORITY, /* 20 + nice */
	PS_PRI_BSD,  /* 80 + nice, of -l */
	PS_PRI_API,  /* -21 - nice */
	PS_PRI_BAR,  /* 21 + nice */
	PS_PRI_BAZ,  /* 120 + nice */
	PS_CPU_PERCENT,
	PS_CPU_WHOLE,
	PS_CPU_MILLE,
	PS_CPU_FINE,     /* percent with three decimals */
	PS_CPU_FINE_SUM, /* and with children that ended */
	PS_MEM_PERCENT,
	PS_RSS,
	PS_SZ,
	PS_VSZ,
	PS_VSZ_BYTES,
	PS_DATA,
	PS_TIME,
	PS_TICKS,    /* the same in hundredths, for an order */
	PS_TIME_SUM, /* of children that ended */
	PS_TIMES,
	PS_BSDTIME,
	PS_ETIME,
	PS_ETIMES,
	PS_STIME,
	PS_START,
	PS_BSDSTART,
	PS_LSTART,
	PS_TTY,
	PS_PROCESSOR, /* where it runs; '*': it does not */
	PS_ONE,
	PS_ZERO,
	PS_MINUS_ONE,
	PS_DASH,
	PS_CLASS,
	PS_LIMIT,
	PS_SLICE,
	PS_ADDRESS, /* 0, in 16 digits */
	PS_PENDING,
	PS_BLOCKED,
	PS_IGNORED,
	PS_CAUGHT,
	PS_SAMPLE,  /* by which the layout can be tested */
	PS_LITERAL, /* the header's text, between the columns of a format with '%' */
};

enum ps_flags {
	PS_RIGHT = 1,      /* set to the right: numbers */
	PS_OF_PROCESS = 2, /* not of threads */
	PS_OF_THREAD = 4,  /* not of processes that are listed with their threads */
	PS_NUMERIC = 8,    /* set to the right where names are numbers */
	PS_UNLISTED = 16,  /* not in ps L */
};

struct ps_column {
	const char *name;
	const char *header;
	int width;
	enum ps_kind kind;
	unsigned flags;
};

/* NULL: no such column. */
const struct ps_column *ps_column_find(struct bytes name);

/* A column of the output. */
struct ps_field {
	const struct ps_column *column;
	const char *header;
	int width;
	bool narrow; /* a mask of signals shows its lower half */
};

struct ps_key {
	enum ps_kind kind;
	bool down;
};

enum { PS_FIELDS_MAX = 256, PS_KEYS_MAX = 64 };

/* How processes are shown. */
struct ps_view {
	struct cmd *c;
	struct zone *zone;
	int64_t now_ns;
	uint64_t memory_total;
	struct ps_field field[PS_FIELDS_MAX];
	int nfields;
	bool command_short; /* the name instead of the arguments */
	bool environment;   /* behind the command */
	bool numeric;       /* numbers instead of names of users */
	bool cumulative;    /* processor time with that of children that ended */
	size_t row;         /* counts, for samples */
};

/* The text of one column for a process, appended. */
void ps_put_value(const struct ps_view *v, const struct ps_column *col, const struct cmd_proc *p,
		  struct buf *out);
/* Sorts by keys, stably. */
void ps_sort(const struct ps_view *v, const struct ps_key *keys, int nkeys, struct cmd_proc *list,
	     size_t n);

/* Writes the names of all columns with their headers (ps L). */
void ps_put_columns(struct cmd *c);

#endif
