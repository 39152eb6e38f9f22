/* SPDX-License-Identifier: MIT
 *
 * What trace.c, stop.c and inspect.c share, and what a session calls of them.
 */
#ifndef API_WATCH_H
#define API_WATCH_H

#include "api/private.h"
#include "cowsh_watch.h"
#include "kernel/trace.h"

enum { BREAKPOINTS_MAX = 32, BREAK_PATTERN_MAX = 256, TRACE_SESSION_MAX = 64 };

struct trace_totals {
	uint64_t files;
	uint64_t bytes_read;
	uint64_t bytes_written;
	uint64_t output;
};

struct trace_state {
	struct cowsh_tracer tracer;
	char session[TRACE_SESSION_MAX];
	uint64_t seq;
	uint64_t command;
	int64_t began_ns; /* of the command */
	uint64_t steps_before;
	uint64_t processes_before;
	struct trace_totals here; /* of the command */
	struct trace_totals all;
};

struct breakpoint {
	int kind; /* 0: free */
	bool any;
	uint64_t step;
	char pattern[BREAK_PATTERN_MAX];
};

struct break_state {
	struct breakpoint point[BREAKPOINTS_MAX];
	struct cowsh_stop stop;
	bool stopped;
	char path[2][VFS_PATH_MAX];
};

/* trace.c: each only if s->trace is set. */
void trace_command(struct cowsh *s, struct bytes text, int argc, const char *const *argv);
void trace_result(struct cowsh *s);
void trace_free(struct cowsh *s);
/* The public name of a program format. */
const char *program_kind(const char *format);
int count_args(char *const *argv);

/* stop.c: each only if s->breaks is set. */
/* How many steps may be run when `left` are wanted (0: all) and `used` were: never 0 unless
 * there is no bound. */
uint64_t break_budget(const struct cowsh *s, uint64_t left, uint64_t used);
/* Whether the run that has just ended did so at a breakpoint. */
bool break_reached(struct cowsh *s, uint64_t used);
void break_free(struct cowsh *s);

#endif
