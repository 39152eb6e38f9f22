/* SPDX-License-Identifier: MIT
 *
 * Watching a session of cowsh.h: trace events, breakpoints, and lists of what is in it. What
 * watches changes nothing: a script does the same, in the same steps, whether watched or not.
 */
#ifndef COWSH_WATCH_H
#define COWSH_WATCH_H

#include "cowsh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- trace --- */

enum cowsh_event_kind {
	COWSH_EVENT_COMMAND, /* the host started a command: text */
	COWSH_EVENT_RESULT,  /* it ended: status, limit, steps, output, processes, memory_peak */
	COWSH_EVENT_START,   /* a process was started: program, argv, cwd */
	COWSH_EVENT_EXEC,    /* a process executed another program: the same */
	COWSH_EVENT_END,     /* a process ended: argv, status, steps, bytes, memory_peak */
	COWSH_EVENT_CALL,    /* a shell begins a simple command: program, argv */
	COWSH_EVENT_CREATE,  /* path was made: a file, directory, link, ... */
	COWSH_EVENT_WRITE,   /* path, which existed, was opened for writing */
	COWSH_EVENT_RENAME,  /* path became path2 */
	COWSH_EVENT_REMOVE,  /* path was removed */
	/* A connection inside was asked for: path is its address. Or a request to the network is
	 * over: name is the method, path the URL, status that of the answer or 0; bytes of body
	 * and answer. */
	COWSH_EVENT_NETWORK,
	COWSH_EVENT_LIMIT,    /* limit, limit_value and limit_where: everything stops */
	COWSH_EVENT_ESCALATE, /* a real program: path, argv; status 0: allowed, 1: refused */
	COWSH_EVENT_SUMMARY,  /* tracing ends: totals of the session */
};

/* Pointers are views during the callback; NULL or 0 where the kind has no such thing. */
struct cowsh_event {
	int kind;
	const char *session; /* as the tracer was told */
	uint64_t seq;        /* 1, 2, 3, ... */
	uint64_t command;    /* of the session, from 1 */
	int64_t time_ns;     /* of the session's clock */
	int pid;             /* whose doing it was; 0: the host's */
	int ppid;
	int stage; /* position in the innermost pipeline, from 1; 0: in none */
	int line;  /* of the script that the process, or who started it, was at; 0: of none */
	/* "builtin", "microvm"; "fork": a subshell; "session": the session's shell. CALL: what the
	 * name stands for: "function", "builtin" (of the shell), "program". */
	const char *program;
	const char *name;
	int argc;
	const char *const *argv;
	const char *cwd;
	int status; /* exit status, 128 + n after signal n */
	int limit;  /* enum cowsh_limit, or -1 */
	uint64_t limit_value;
	const char *limit_where;
	int64_t started_ns;
	uint64_t steps;
	uint64_t bytes_read;
	uint64_t bytes_written;
	uint64_t memory_peak;   /* of a process; RESULT, SUMMARY: of the session */
	uint64_t output_bytes;  /* RESULT, SUMMARY */
	uint64_t processes;     /* RESULT, SUMMARY */
	uint64_t files_written; /* RESULT, SUMMARY: opened for writing, made, renamed, removed */
	const char *path;
	const char *path2;
	const char *text; /* COMMAND */
	size_t text_len;
};

struct cowsh_tracer {
	size_t size;         /* COWSH_TRACER_INIT sets it */
	const char *session; /* name in events; copied, up to 63 bytes. NULL: "" */
	bool calls;          /* also COWSH_EVENT_CALL */
	/* As other callbacks of the host: may not call back into the session. */
	void (*event)(void *user, const struct cowsh_event *event);
	void *user;
};
#define COWSH_TRACER_INIT                                                                          \
	{                                                                                          \
		sizeof(struct cowsh_tracer), NULL, false, NULL, NULL                               \
	}

/* Traces from now on. NULL: ends tracing, with a summary. Not while a command runs (-EBUSY);
 * forks are not traced. */
COWSH_API int cowsh_trace(cowsh *session, const struct cowsh_tracer *tracer);
/* "start", "end", ... */
COWSH_API const char *cowsh_event_name(int kind);

/* --- breakpoints --- */

enum cowsh_break_kind {
	COWSH_BREAK_COMMAND =
		1,        /* before a command of that name runs, also a function, or in a shell */
	COWSH_BREAK_PATH, /* before a path that matches is opened for writing, made,
			   * renamed or removed; paths are absolute, without links. What open
			   * would make is told as "write" */
	COWSH_BREAK_STEP, /* when so many steps of the command are used up, once */
};

struct cowsh_breakpoint {
	size_t size; /* COWSH_BREAKPOINT_INIT sets it */
	int kind;
	const char *pattern; /* * and ? are wildcards, also for /; NULL: any. Up to 255 bytes */
	uint64_t step;
};
#define COWSH_BREAKPOINT_INIT                                                                      \
	{                                                                                          \
		sizeof(struct cowsh_breakpoint), 0, NULL, 0                                        \
	}

/* At most 32 at a time. The number of the new one, from 1, or -ENOSPC. cowsh_step and cowsh_drain
 * return COWSH_BREAK when one is reached, and go on from there when they are called again. */
COWSH_API int cowsh_break_add(cowsh *session, const struct cowsh_breakpoint *point);
/* -ENOENT if there is no such number; 0 removes all. */
COWSH_API int cowsh_break_remove(cowsh *session, int number);

/* Where a session stands after COWSH_BREAK. Views until it runs on. */
struct cowsh_stop {
	int number; /* of the breakpoint */
	int kind;
	uint64_t steps; /* of the command so far */
	int pid;        /* STEP: 0 */
	int line;
	const char *program; /* COMMAND: as COWSH_EVENT_CALL */
	int argc;
	const char *const *argv;
	const char *action; /* PATH: "write", "create", "rename", "remove" */
	const char *path;
	const char *path2; /* rename: the new one */
};
COWSH_API int cowsh_get_stop(const cowsh *session, struct cowsh_stop *out);

/* --- what is there; also while a command runs, between steps. Each stops when `each` returns
 * non-zero. Strings are views during the call; `each` may not call the session --- */

struct cowsh_process {
	int pid;
	int ppid;
	int pgid;
	int stage;
	int line;
	char state; /* R, S, T, Z, as ps */
	const char *name;
	const char *program; /* as in events */
	int argc;
	const char *const *argv;
	const char *cwd;
	uint64_t steps;
	uint64_t bytes_read;
	uint64_t bytes_written;
	uint64_t memory;
};
COWSH_API int cowsh_list_processes(cowsh *session,
				   int (*each)(void *user, const struct cowsh_process *process),
				   void *user);

struct cowsh_variable {
	const char *name;
	const char *attributes; /* letters of `declare`: "x", "ar", ... */
	const char *value;      /* arrays: ([0]="a" [1]="b"); NULL: declared only */
	size_t len;
};
/* Of the shell that runs as process pid, by name; 0: the session's own shell. What is computed
 * when it is read ($RANDOM, $SECONDS) is left out. -ESRCH, -EINVAL: it is no shell. */
COWSH_API int cowsh_list_variables(cowsh *session, int pid,
				   int (*each)(void *user, const struct cowsh_variable *variable),
				   void *user);

struct cowsh_descriptor {
	int fd;
	const char *kind; /* "file", "directory", "pipe", "console", "device", ... */
	const char *path; /* as it was opened, made absolute; NULL: none */
	unsigned flags;   /* O_ flags of Linux */
	uint64_t pos;
	bool cloexec;
};
COWSH_API int cowsh_list_descriptors(cowsh *session, int pid,
				     int (*each)(void *user,
						 const struct cowsh_descriptor *descriptor),
				     void *user);

#ifdef __cplusplus
}
#endif

#endif
