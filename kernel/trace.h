/* SPDX-License-Identifier: MIT
 *
 * What a session reports while it runs, one struct at a time, and where it can be stopped. Off,
 * it costs one test.
 *
 * Pointers are valid during the callback. Paths are absolute, as the process meant them: "."
 * and ".." and symlinks are not resolved.
 */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include "kernel/kernel.h"

enum trace_kind {
	TRACE_START,    /* a process was started */
	TRACE_EXEC,     /* a process executed another program */
	TRACE_END,      /* a process ended */
	TRACE_CALL,     /* a shell is about to run a simple command: format says what it names */
	TRACE_CREATE,   /* path was made */
	TRACE_WRITE,    /* path was opened for writing */
	TRACE_RENAME,   /* path became path2 */
	TRACE_REMOVE,   /* path was removed */
	TRACE_NETWORK,  /* a connection: path is the address. A request that is over: name is the
			 * method, path the URL, status that of the answer or 0, bytes */
	TRACE_LIMIT,    /* the command was stopped */
	TRACE_ESCALATE, /* api/'s: a real program; path, argv, status 0 if it is allowed */
};

struct trace_event {
	enum trace_kind kind;
	uint64_t seq;    /* 1, 2, 3, ... of the session */
	int64_t time_ns; /* of the session's clock */
	int pid;         /* whose doing it was; 0: the host's */
	int ppid;
	int stage; /* of the innermost pipeline it is in, from 1; 0: of none */
	int line;  /* of the script that it, or who started it, was at; 0: of none */
	/* START, EXEC, END, CALL, ESCALATE */
	const char *format; /* name of the program format; "fork" for a copy of its parent */
	const char *name;
	char *const *argv; /* may be NULL */
	const char *cwd;   /* START, EXEC */
	/* END */
	int status; /* as wait(2) encodes it */
	int64_t started_ns;
	uint64_t steps;
	uint64_t bytes_read;
	uint64_t bytes_written;
	size_t memory_peak;
	/* CREATE, WRITE, RENAME, REMOVE, NETWORK, ESCALATE */
	const char *path;
	const char *path2;
	/* LIMIT */
	enum limit limit;
	const char *where;
};

/* The time of events: of a clock of the host, what it said last. */
int64_t kernel_trace_time(const struct kernel *k);

/* Fills seq, time and process, and gives the event to the host. For api/'s own events. */
void trace_emit(struct kernel *k, struct trace_event *event);

/*
 * Both may be NULL. `trace` is told what happened. `watch` is asked before it does (CALL, WRITE,
 * CREATE, RENAME, REMOVE; paths are without links, and a path to be opened is a WRITE): what is
 * not 0 makes the process stop before it, and kernel_run return KERNEL_SLICE. calls: whether
 * `trace` wants CALL.
 */
void kernel_set_trace(struct kernel *k, void (*trace)(void *user, const struct trace_event *),
		      bool calls);
void kernel_set_watch(struct kernel *k, int (*watch)(void *user, const struct trace_event *));

#endif
