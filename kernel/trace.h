/* SPDX-License-Identifier: MIT
 *
 * What a session reports while it runs, one struct at a time. Off, it costs one test.
 *
 * Pointers are valid during the callback. Paths are absolute, as the process meant them: "."
 * and ".." and symlinks are not resolved.
 */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include "kernel/kernel.h"

enum trace_kind {
	TRACE_START,   /* a process was started, or executed another program */
	TRACE_END,     /* a process ended */
	TRACE_CREATE,  /* path was made */
	TRACE_WRITE,   /* path was opened for writing */
	TRACE_RENAME,  /* path became path2 */
	TRACE_REMOVE,  /* path was removed */
	TRACE_LIMIT,   /* the command was stopped */
	TRACE_NETWORK, /* api/'s: a request; path is the URL, path2 the method */
};

struct trace_event {
	enum trace_kind kind;
	uint64_t seq;    /* 1, 2, 3, ... of the session */
	int64_t time_ns; /* of the session's clock */
	int pid;         /* whose doing it was; 0: the host's */
	int ppid;
	/* START, END */
	const char *format; /* name of the program format; "fork" for a copy of its parent */
	const char *name;
	char *const *argv; /* may be NULL */
	const char *cwd;   /* START */
	int status;        /* END: as wait(2) encodes it */
	uint64_t steps;    /* END */
	uint64_t bytes_read;
	uint64_t bytes_written;
	size_t memory_peak; /* END: of the session so far */
	/* CREATE, WRITE, RENAME, REMOVE */
	const char *path;
	const char *path2;
	/* LIMIT */
	enum limit limit;
};

/* Fills seq, time and process, and gives the event to the host. For api/'s own events. */
void trace_emit(struct kernel *k, struct trace_event *event);

#endif
