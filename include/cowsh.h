/* SPDX-License-Identifier: MIT
 *
 * cowsh: a simulated computer for AI agents, in one library.
 *
 * A store holds memory. A session is one computer: a filesystem, processes, a clock and a
 * shell whose state lives from one command to the next. Sessions of one store share what
 * they have in common, so forking one costs microseconds. Nothing that runs inside reaches
 * the host: the library makes no system call, and knows only the memory it was given and
 * the callbacks below.
 *
 *	struct cowsh_store_config memory = COWSH_STORE_CONFIG_INIT;
 *	cowsh_store *store;
 *	cowsh *session;
 *	struct cowsh_result result;
 *
 *	memory.region = region;
 *	memory.region_size = region_size;
 *	cowsh_store_new(&memory, &store);
 *	cowsh_new(store, NULL, &host, &session);
 *	cowsh_run(session, "echo hello | tr a-z A-Z", 23, &result);
 *	cowsh_free(session);
 *	cowsh_store_free(store);
 *
 * Conventions. Functions return 0 or a negative COWSH_E... number; results come through the
 * last parameter, named `out`. A script that fails is not a failed call: its exit status is
 * in the result. Bytes are pointer and length; names and paths are C strings. A session
 * belongs to one thread at a time; sessions of one store may run on different threads.
 */
#ifndef COWSH_H
#define COWSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define COWSH_API __attribute__((visibility("default")))
#else
#define COWSH_API
#endif

/* --- version --- */

#define COWSH_VERSION_MAJOR 0
#define COWSH_VERSION_MINOR 1
#define COWSH_VERSION_PATCH 0
#define COWSH_VERSION       "0.1.0"

/* The version of the library that is linked, as "0.1.0". */
COWSH_API const char *cowsh_version(void);

/* --- types and errors --- */

typedef struct cowsh_store cowsh_store;
typedef struct cowsh cowsh;
typedef struct cowsh_snapshot cowsh_snapshot; /* an immutable filesystem tree */
typedef struct cowsh_call cowsh_call;         /* one run of a custom command */
struct cowsh_microvm;                         /* see cowsh_microvm.h */
struct cowsh_image_mount;                     /* see cowsh_image.h */

/* Values are Linux's errno numbers, negated when returned, on every platform. */
enum cowsh_error {
	COWSH_EPERM = 1,
	COWSH_ENOENT = 2,
	COWSH_EIO = 5,
	COWSH_ENXIO = 6,
	COWSH_EBADF = 9,
	COWSH_EAGAIN = 11,
	COWSH_ENOMEM = 12,
	COWSH_EACCES = 13,
	COWSH_EBUSY = 16, /* a command is still running in the session */
	COWSH_EEXIST = 17,
	COWSH_ENOTDIR = 20,
	COWSH_EISDIR = 21,
	COWSH_EINVAL = 22,
	COWSH_EFBIG = 27,
	COWSH_ENOSPC = 28,
	COWSH_EROFS = 30,
	COWSH_ENAMETOOLONG = 36,
	COWSH_ELOOP = 40,
	/* Of a fetch: */
	COWSH_EPROTO = 71,       /* no secure connection */
	COWSH_ENETUNREACH = 101, /* there is no network */
	COWSH_ECONNRESET = 104,  /* the answer broke off */
	COWSH_ETIMEDOUT = 110,
	COWSH_ECONNREFUSED = 111,
	COWSH_EHOSTUNREACH = 113, /* there is no host of that name */
};

/* "No such file or directory" for -COWSH_ENOENT. Static, never NULL. */
COWSH_API const char *cowsh_error_text(int error);

/* What a callback returns when the answer will come later; see cowsh_wake. */
#define COWSH_PENDING (-2000)

/* --- store --- */

struct cowsh_store_config {
	size_t size; /* of this struct: COWSH_STORE_CONFIG_INIT sets it */
	/* Memory for everything; stays the caller's, must outlive the store. May be NULL if grow
	 * is given. Untouched parts cost nothing when the host reserves lazily. */
	void *region;
	size_t region_size;
	/* Asked for more memory when the region is used up: at least `bytes`, valid as long as
	 * the store, or NULL. May be called from any thread that runs a session. */
	void *(*grow)(void *user, size_t bytes);
	void *user;
};
#define COWSH_STORE_CONFIG_INIT                                                                    \
	{                                                                                          \
		sizeof(struct cowsh_store_config), NULL, 0, NULL, NULL                             \
	}

/* -COWSH_ENOMEM when the region is too small (1 MiB is enough to begin with). */
COWSH_API int cowsh_store_new(const struct cowsh_store_config *config, cowsh_store **out);
/* All sessions and snapshots of the store must have been freed. */
COWSH_API void cowsh_store_free(cowsh_store *store);
/* Bytes of the region that are in use now, by all sessions and snapshots. */
COWSH_API size_t cowsh_store_used(const cowsh_store *store);

/* --- limits --- */

/* Each can be set per session; 0 means no limit. What is not set has the value of the session's
 * profile, always finite: cowsh_limit_value, `cowsh --help`. Reaching one ends all processes of
 * the command; files, processes and descriptors are refused with an error instead, as by Linux. */
enum cowsh_limit {
	COWSH_LIMIT_STEPS,         /* steps of one command */
	COWSH_LIMIT_TIME,          /* milliseconds of real time of one command (host.clock) */
	COWSH_LIMIT_CPU,           /* milliseconds of virtual time of one command */
	COWSH_LIMIT_MEMORY,        /* bytes of processes and variables */
	COWSH_LIMIT_OUTPUT,        /* bytes one command may write to the host */
	COWSH_LIMIT_FILES,         /* inodes added */
	COWSH_LIMIT_DISK,          /* bytes of file data added */
	COWSH_LIMIT_FILE_SIZE,     /* bytes of one file (files may be sparse) */
	COWSH_LIMIT_PROCESSES,     /* alive at once */
	COWSH_LIMIT_DESCRIPTORS,   /* of one process */
	COWSH_LIMIT_RECURSION,     /* nested calls in the shell */
	COWSH_LIMIT_PATTERN,       /* steps of one backtracking pattern match */
	COWSH_LIMIT_EXPANSION,     /* words made by one expansion */
	COWSH_LIMIT_SESSION_STEPS, /* of all commands; a fork goes on with what its parent used */
	COWSH_LIMIT_SESSION_OUTPUT,
	COWSH_LIMIT_SESSION_PROCESSES, /* started */
	COWSH_LIMIT_REQUESTS,          /* to the network, of one command */
	COWSH_LIMIT_NETWORK,           /* bytes of their bodies and answers */
	COWSH_LIMIT_COUNT,
	/* Not settable; what a result's `limit` may say besides: */
	COWSH_LIMIT_DEADLOCK, /* every process waited for another */
	COWSH_LIMIT_CANCEL,   /* cowsh_cancel was called */
};

/* "steps", "memory", ...; NULL for a number that is none. */
COWSH_API const char *cowsh_limit_name(int limit);
/* The number of a name, or -COWSH_ENOENT. */
COWSH_API int cowsh_limit_find(const char *name);
enum cowsh_profile { COWSH_PROFILE_DEFAULT, COWSH_PROFILE_SMALL, COWSH_PROFILE_LARGE };
/* The value in a profile, and what it counts. */
COWSH_API uint64_t cowsh_limit_value(int limit, int profile);
COWSH_API const char *cowsh_limit_help(int limit);

/* --- host callbacks --- */

/* A request of the session to the network. What it says is checked: letters of URL and headers
 * are printable, there is no user and no fragment in the URL, and no header says how the message
 * is sent (Host, Content-Length, Connection, ...): that is the host's to say. */
struct cowsh_request {
	uint64_t id;                /* 1, 2, 3, ... of the session */
	const char *method;         /* "GET" */
	const char *url;            /* absolute, http:// or https:// */
	const char *const *headers; /* "Name: value"; NULL-ended */
	const char *body;
	size_t body_len;
	uint64_t timeout_ms; /* 0: as the host likes */
	uint64_t received;   /* bytes of the answer that were taken already */
};

/* All are optional, called only inside cowsh_run, cowsh_step and the file functions, on the
 * calling thread; none may call back into the same session except where it says so. */
struct cowsh_host {
	size_t size; /* COWSH_HOST_INIT sets it */
	/* Output as it is produced: fd is 1 or 2. 0, COWSH_PENDING (the same bytes come again
	 * after cowsh_wake), or a negative error, which the writing process sees. NULL: discarded.
	 */
	int (*output)(void *user, int fd, const char *data, size_t len);
	/* Standard input: bytes put into `into`, 0 at its end, COWSH_PENDING, or an error. NULL:
	 * empty input. */
	int64_t (*input)(void *user, char *into, size_t len);
	/* Real time, nanoseconds since 1970. NULL: the clock is virtual, sleeping costs nothing. */
	int64_t (*clock)(void *user);
	/* Asked every some 10,000 steps: non-zero ends the command as COWSH_LIMIT_TIME. */
	int (*expired)(void *user);
	void *user;
	bool terminal[3]; /* whether descriptor 0, 1, 2 looks like a terminal */
	/* Asked before a real program runs (see cowsh_config.microvm): non-zero refuses. */
	int (*escalate)(void *user, const char *path, int argc, const char *const *argv);
	/*
	 * The network. Puts the next bytes of the answer to a request into `into`: a status line
	 * and headers as HTTP/1.1 writes them, an empty line, and the body as it is, without a
	 * transfer coding. Their number, 0 at the end, COWSH_PENDING (asked again after
	 * cowsh_wake), or an error: COWSH_EACCES (not allowed) or one of those above. Redirects
	 * are told, not followed: the session asks again. With len 0 nothing more is wanted. The
	 * answer is not trusted. NULL: there is no network.
	 */
	int64_t (*fetch)(void *user, const struct cowsh_request *request, char *into, size_t len);
};
#define COWSH_HOST_INIT                                                                            \
	{                                                                                          \
		sizeof(struct cowsh_host), NULL, NULL, NULL, NULL, NULL, { false, false, false },  \
			NULL, NULL                                                                 \
	}

/* --- sources: files that the host supplies --- */

/* One object of a source: `id` is the source's own number for it. */
struct cowsh_entry {
	const char *name;
	uint64_t id;
	unsigned mode; /* type and permissions */
	uint64_t size; /* of a regular file */
	int64_t mtime_ns;
	const char *target; /* of a symbolic link */
	/* How many bytes of a regular file lie in holes; 0 if the source has no `seek`. */
	uint64_t hole_bytes;
};

/* A read-only tree of the host. Objects are asked for at first use; what the session writes is
 * its own copy. Unlike other callbacks these may run on a stack of the session: they should not
 * need more than 32 KiB of it. What they refer to must live as long as the store. */
struct cowsh_source {
	size_t size;
	/* Calls emit for each entry of directory id, until it returns non-zero. */
	int (*list)(void *user, uint64_t id,
		    int (*emit)(void *sink, const struct cowsh_entry *entry), void *sink);
	/* Bytes of file id at pos: their number (fewer only at the end), COWSH_PENDING, an error.
	 */
	int64_t (*read)(void *user, uint64_t id, uint64_t pos, void *into, size_t len);
	/* Optional: memory that holds the whole content as long as the store lives. */
	const char *(*map)(void *user, uint64_t id, uint64_t *size);
	void *user;
	/* Optional: where the next data (or the next hole) at or behind pos begins, -COWSH_ENXIO
	 * if there is no data. Asked for files with hole_bytes, so that their holes are never
	 * read; not in a session with a journal, where files have no holes. */
	int64_t (*seek)(void *user, uint64_t id, uint64_t pos, bool data);
	/* Optional: reads from pos on will follow, up to len bytes, so that they can be under way
	 * meanwhile. Not in a session with a journal. */
	void (*ahead)(void *user, uint64_t id, uint64_t pos, uint64_t len);
};

/* --- sessions --- */

struct cowsh_mount_config {
	const char *path; /* absolute, in the session */
	const struct cowsh_source *source;
	uint64_t id; /* of the source's directory */
	bool read_only;
};

struct cowsh_config {
	size_t size; /* COWSH_CONFIG_INIT sets it; zero in a field below means the default */
	/* limit[i] holds when bit i of limits_set is set. */
	uint64_t limit[COWSH_LIMIT_COUNT];
	uint64_t limits_set;
	uint64_t seed;          /* of $RANDOM, shuf, mktemp, /dev/urandom */
	int64_t epoch_ns;       /* where the clock starts; default 2026-01-01 00:00:00 UTC */
	const char *user;       /* login name; default "user" (uid 1000); "root" is uid 0 */
	const char *hostname;   /* default "cowsh" */
	const char *cwd;        /* made if missing; default: the user's home */
	const char *const *env; /* NULL-ended "NAME=value", added to the default environment */
	const char *arg0;       /* name of the shell in messages; default "bash" */
	cowsh_snapshot *tree;   /* files to start with; NULL: the standard tree */
	const struct cowsh_mount_config
		*mounts; /* as cowsh_mount, before the shell starts in cwd */
	size_t nmounts;
	int profile; /* enum cowsh_profile: limits that are not set */
	/* What real programs (ELF files) run in, as cowsh_kvm() of cowsh_microvm.h; must live as
	 * long as the session and its forks. NULL: they are not executable files. */
	const struct cowsh_microvm *microvm;
	/* Images, mounted like `mounts` and before them; see cowsh_image.h. */
	const struct cowsh_image_mount *images;
	size_t nimages;
	/* How many states before commands are kept, for cowsh_undo. */
	size_t checkpoints;
	/* Real programs: what python3 does before it looks at its work is done once and kept, and
	 * later starts begin with a copy of it (docs/microvm.md says what differs). */
	bool warm_starts;
	/* With a microvm: which programs of a root filesystem among `images` and `mounts` answer
	 * though there are builtins of these names: "all", or names with commas between them, ""
	 * for none. NULL: "ar", whose index of symbols linkers need. */
	const char *image_programs;
};
#define COWSH_CONFIG_INIT                                                                          \
	{                                                                                          \
		sizeof(struct cowsh_config), { 0 }, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL,   \
			NULL, 0, COWSH_PROFILE_DEFAULT, NULL, NULL, 0, 0, false, NULL              \
	}

/* config and host may be NULL; both are copied. */
COWSH_API int cowsh_new(cowsh_store *store, const struct cowsh_config *config,
			const struct cowsh_host *host, cowsh **out);
/* Also while a command is running (between steps): it is dropped. */
COWSH_API void cowsh_free(cowsh *session);

/* --- running --- */

struct cowsh_result {
	int status;  /* exit status, 0..255; 128 + n after signal n */
	int limit;   /* enum cowsh_limit that ended the command, or -1 */
	bool exited; /* the script called `exit` or ended by set -e */
	uint64_t steps;
	uint64_t output_bytes;
	uint64_t processes; /* started by this command */
	size_t memory_peak; /* bytes */
	int64_t time_ns;    /* virtual time that passed */
	/* When limit >= 0: its value, and where ("awk, line 3"; a view until the next command). */
	uint64_t limit_value;
	const char *limit_where;
};

/*
 * Runs a script in the session's shell until it ends: variables, functions, directory and
 * background jobs stay for the next one. -COWSH_EAGAIN when it waits for the host (a callback
 * said COWSH_PENDING, or it sleeps on the real clock): call cowsh_wake and cowsh_step then.
 */
COWSH_API int cowsh_run(cowsh *session, const char *script, size_t len, struct cowsh_result *out);

/* The same in slices: start, then step until COWSH_DONE, then cowsh_get_result. */
COWSH_API int cowsh_start(cowsh *session, const char *script, size_t len);
/* Starts a program instead, as a new process: argv[0] is looked up in PATH. The session's shell
 * keeps its state; `bash -c` gives exactly the behaviour of that command. */
COWSH_API int cowsh_start_program(cowsh *session, int argc, const char *const *argv);

enum cowsh_state {
	COWSH_DONE,  /* the command has ended */
	COWSH_SLICE, /* the steps are used up: call again */
	COWSH_WAIT,  /* nothing can go on until the host completes something */
	COWSH_BREAK, /* a breakpoint of cowsh_watch.h: call again */
};
/* Runs for at most `steps` (0: no bound). Returns a cowsh_state, or an error. */
COWSH_API int cowsh_step(cowsh *session, uint64_t steps);
COWSH_API int cowsh_get_result(const cowsh *session, struct cowsh_result *out);
/* After COWSH_WAIT on the real clock: when the first sleeper wakes (nanoseconds since 1970), or
 * INT64_MAX if none sleeps. */
COWSH_API int64_t cowsh_next_timer(const cowsh *session);
/* Something that was pending can be asked for again. */
COWSH_API void cowsh_wake(cowsh *session);
/* Goes on with background processes that outlived their command until none is left or the
 * limits of one command are used up. States as cowsh_step. */
COWSH_API int cowsh_drain(cowsh *session, uint64_t steps);
/* Ends the running command soon, with COWSH_LIMIT_CANCEL. Safe from other threads and from
 * signal handlers. */
COWSH_API void cowsh_cancel(cowsh *session);
/* Sends a signal to the foreground processes, as a terminal does on ^C (SIGINT is 2); the
 * session's shell gets it if it is interactive. */
COWSH_API int cowsh_signal(cowsh *session, int signal);

/* Whether the text is the beginning of a command that needs more lines (an open quote, `if`,
 * here-document, ...), for line editors. Not while a command runs. What is in the background goes
 * on meanwhile, as it does while a shell waits for a line: for a million steps at most. */
COWSH_API bool cowsh_incomplete(cowsh *session, const char *text, size_t len);

/* For line editors: what the variable `name` (PS1 or PS2) shows as a prompt, with bash's escapes
 * and expansions. Made in a fork, so that it changes nothing; what that writes to standard error is
 * the session's output. Fills at most `size` bytes with NUL; the length of all. Negative: it can't
 * be made, or would take more than a million steps. */
COWSH_API int64_t cowsh_prompt(cowsh *session, const char *name, char *text, size_t size);

/* For line editors: makes the session's shell an interactive one (`$-` has i, aliases, a history
 * with expansion of `!`, messages without line numbers, PS1 and PS2 set; behind each command, also
 * an empty one, it tells of jobs and runs PROMPT_COMMAND; `exit` says so, and first tells of
 * stopped jobs; SIGINT of cowsh_signal gives up the command that runs, SIGTSTP makes a stopped job
 * of it), or one for scripts again, as it is at first. */
COWSH_API int cowsh_set_interactive(cowsh *session, bool on);

/* For hosts with a terminal: how the session wants it (stty, read -s, real programs), as termios(3)
 * has it on Linux; worth a look when a command waits for input. Where a limit ended a command it is
 * as at first. */
struct cowsh_terminal {
	unsigned input, output, control, local;
	unsigned char keys[19];
};
COWSH_API void cowsh_get_terminal(const cowsh *session, struct cowsh_terminal *out);
/* Its size, 24 by 80 if nobody says, or says 0. Not while a command runs. */
COWSH_API int cowsh_set_terminal_size(cowsh *session, unsigned rows, unsigned columns);

COWSH_API int cowsh_set_limit(cowsh *session, int limit, uint64_t value);
COWSH_API uint64_t cowsh_get_limit(const cowsh *session, int limit);
/* A shell variable's value as a view until the next call; -COWSH_ENOENT if it is unset. */
COWSH_API int cowsh_get_variable(cowsh *session, const char *name, const char **out,
				 size_t *out_len);

/* --- files; relative paths start at the shell's directory, permissions are not checked --- */

/* Makes or replaces a file, with missing directories, owned by the session's user. */
COWSH_API int cowsh_put_file(cowsh *session, const char *path, const void *data, size_t len,
			     unsigned mode);
/* A copy of the content: free with cowsh_bytes_free. */
COWSH_API int cowsh_get_file(cowsh *session, const char *path, char **out, size_t *out_len);
COWSH_API void cowsh_bytes_free(cowsh *session, char *bytes, size_t len);
COWSH_API int cowsh_make_directory(cowsh *session, const char *path, unsigned mode);
COWSH_API int cowsh_remove(cowsh *session, const char *path);

/* Bytes of a file from the first one at or behind *pos that is not in a hole; *pos is where they
 * begin. Their number, 0 at the end. */
COWSH_API int64_t cowsh_read_at(cowsh *session, const char *path, uint64_t *pos, void *into,
				size_t len);
/* The target of a symbolic link: its length; at most len bytes are copied, without a NUL. */
COWSH_API int64_t cowsh_read_link(cowsh *session, const char *path, char *into, size_t len);

struct cowsh_stat {
	unsigned mode; /* type and permissions, as Linux */
	uint64_t size;
	uint64_t ino;
	unsigned nlink;
	unsigned uid;
	unsigned gid;
	int64_t mtime_ns;
};
COWSH_API int cowsh_stat_file(cowsh *session, const char *path, struct cowsh_stat *out);
/* Calls `each` with the names in a directory, in byte order; stops when it returns non-zero. */
COWSH_API int cowsh_list(cowsh *session, const char *path,
			 int (*each)(void *user, const char *name, unsigned mode), void *user);

/* --- mounting what the host has --- */

/* The source's directory `id` appears at path; files in it belong to the session's user. With
 * read_only, changes fail with EROFS instead of going to a copy. */
COWSH_API int cowsh_mount(cowsh *session, const char *path, const struct cowsh_source *source,
			  uint64_t id, bool read_only);
/* One new file whose bytes the source supplies at first read, with missing directories; a relative
 * path starts at the shell's directory. */
COWSH_API int cowsh_put_lazy(cowsh *session, const char *path, const struct cowsh_source *source,
			     uint64_t id, uint64_t size, unsigned mode);

/* --- copies --- */

/*
 * A session with the same files, variables, functions, options, directory, clock and random
 * state, independent from now on. The fork has the parent's limits. Real programs that are alive
 * (cowsh_config.microvm) go on in both, with their memory, pipes and sockets, and are jobs in
 * both; other processes in the background are not copied (for the fork's shell they were killed:
 * `jobs` and `wait` say so), nor what the shell has of pipes to them. -COWSH_EBUSY while a command
 * runs; -COWSH_EAGAIN while a real program is in the middle of something that waits for the host,
 * or is being started and does not come further without it.
 */
COWSH_API int cowsh_fork(cowsh *session, const struct cowsh_host *host, cowsh **out);
/* How many processes in the background were not copied when this session was forked from its
 * parent, or became what it is by cowsh_undo. */
COWSH_API unsigned cowsh_lost_processes(const cowsh *session);
/* The whole session becomes what it was before the last command that is not undone: files and
 * shell, clock and limits used; processes in the background are ended, but for real programs that
 * were alive then, which are as they were. -COWSH_ENOENT when no such state was kept
 * (cowsh_config.checkpoints). */
COWSH_API int cowsh_undo(cowsh *session);
/* The files as they are now, in constant time. Free with cowsh_snapshot_free. */
COWSH_API int cowsh_snapshot_new(cowsh *session, cowsh_snapshot **out);
COWSH_API void cowsh_snapshot_free(cowsh_snapshot *snapshot);
/* The session's files become those of the snapshot, which stays valid. What a process has open that
 * is not in it is lost to it. -COWSH_EBUSY when the snapshot is another session's, and a file of it
 * would stand for one that a process has open. */
COWSH_API int cowsh_restore(cowsh *session, const cowsh_snapshot *snapshot);

/* --- what changed --- */

/* kind: '+' added, '-' removed, 'M' content changed, 'm' only metadata, 'T' type changed. */
struct cowsh_change {
	char kind;
	const char *path;
	unsigned old_mode; /* type and permissions before and after; 0: it was not there */
	unsigned mode;
	uint64_t old_size;
	uint64_t size;
	int64_t mtime_ns;
	unsigned old_uid; /* owner before and after */
	unsigned old_gid;
	unsigned uid;
	unsigned gid;
	int64_t old_mtime_ns;
};
/* What changed since the snapshot, in order of paths, a directory before what is in it; stops
 * when `each` returns non-zero. `each` may use the file functions of the session. */
COWSH_API int cowsh_diff(cowsh *session, const cowsh_snapshot *since,
			 int (*each)(void *user, const struct cowsh_change *change), void *user);
/* The same between any two points; until NULL: now. */
COWSH_API int cowsh_diff_between(cowsh *session, const cowsh_snapshot *since,
				 const cowsh_snapshot *until,
				 int (*each)(void *user, const struct cowsh_change *change),
				 void *user);

enum cowsh_form {
	/* As `diff -ruN` writes it, for patch -p1: content of regular files only. */
	COWSH_FORM_UNIFIED,
	/* As `git diff --binary -M`, for git apply: also modes, links, renames, any bytes; nothing
	 * of what is in a .git directory. */
	COWSH_FORM_GIT,
	/* A tar archive of what was added or changed; what was removed is an empty file .wh.NAME,
	 * as in a layer of a container image. */
	COWSH_FORM_TAR,
};
struct cowsh_export {
	size_t size; /* of this struct */
	int form;    /* enum cowsh_form */
	const cowsh_snapshot *since;
	const cowsh_snapshot *until; /* NULL: now */
	/* Only what lies below this directory, with names that begin there; NULL: all. */
	const char *path;
	/* Takes bytes as they are made; non-zero stops, and is returned. */
	int (*write)(void *user, const char *data, size_t len);
	void *user;
};
/* -COWSH_EFBIG when the session's limit of steps or memory is reached by it; -COWSH_EINVAL for
 * COWSH_FORM_TAR when a name begins with ".wh."; -COWSH_EAGAIN when a source is not ready. */
COWSH_API int cowsh_export_changes(cowsh *session, const struct cowsh_export *what);

/* --- custom commands --- */

/*
 * A command of the host, found as /usr/bin/NAME. `run` is called on the host's own stack; it
 * may use the cowsh_call functions, and returns an exit status (0..255), a negative error, or
 * COWSH_PENDING and calls cowsh_call_finish later (then cowsh_wake, cowsh_step), once, also when
 * the command has been killed meanwhile: writing gives -COWSH_EBADF then, and it has no arguments
 * any more. A call that is never finished stays until its store goes. Standard input is read
 * whole before `run` if want_input is set.
 */
struct cowsh_command {
	size_t size;
	const char *name;
	bool want_input;
	int (*run)(void *user, cowsh_call *call);
	void *user;
};
COWSH_API int cowsh_add_command(cowsh *session, const struct cowsh_command *command);
COWSH_API int cowsh_call_argc(const cowsh_call *call);
COWSH_API const char *const *cowsh_call_argv(const cowsh_call *call);
COWSH_API const char *cowsh_call_cwd(const cowsh_call *call);
COWSH_API const char *cowsh_call_getenv(const cowsh_call *call, const char *name);
COWSH_API const char *cowsh_call_input(const cowsh_call *call, size_t *len);
/* Bytes for the command's descriptor 1 or 2; copied. */
COWSH_API int cowsh_call_write(cowsh_call *call, int fd, const void *data, size_t len);
COWSH_API void cowsh_call_finish(cowsh_call *call, int status);

#ifdef __cplusplus
}
#endif

#endif
