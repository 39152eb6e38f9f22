/* SPDX-License-Identifier: MIT
 *
 * The command line program: a customer of cowsh.h like any other.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cowsh.h"
#include "cowsh_image.h"

#include <limits.h>

enum { MOUNTS_MAX = 64, ENV_MAX = 256 };

struct options {
	struct cowsh_config config;
	const char *env[ENV_MAX + 1];
	int nenv;
	struct cowsh_mount_config mounts[MOUNTS_MAX];
	const char *host_dirs[MOUNTS_MAX];
	int nmounts;
	struct cowsh_image_mount images[MOUNTS_MAX];
	const char *image_files[MOUNTS_MAX];
	int nimages;
	const char *script; /* -c */
	const char *file;   /* FILE */
	char **args;        /* what follows; args[0] is $0 for -c */
	int nargs;
	bool json;
	bool real_clock;
	bool no_lockdown;
	bool microvm; /* --microvm auto */
	uint64_t time_limit_ms;
	int shell_argc; /* options handed on to bash: -e, -x, -o NAME, ... */
	const char *shell_argv[64];
};

/* Fills out from the command line. Exits by itself for --help, --version (0) and bad usage (2). */
void options_parse(int argc, char **argv, struct options *out);
/* For the interactive shell: TERM is that of the terminal, unless --env says otherwise. */
void options_add_terminal(struct options *o);

/* What --limit and --profile say. Exits (2) if that is nothing. */
void options_limit(struct cowsh_config *config, const char *arg);
void options_profile(struct cowsh_config *config, const char *name);

/* The value of `--name VALUE` or `--name=VALUE` at argv[*i]; NULL if that is another option. */
char *option_value(const char *name, int argc, char **argv, int *i);

/* One clear line on stderr, and exit status 2. */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* hostdir.c: gives each mount of the options its source, and starts the process that reads
 * them. Exits with a message if a directory can't be opened. */
void hostdirs_open(struct options *o);

/* whole.c: all of the bytes. 0 or a negative errno; false at the end before them, and on errors. */
int write_all(int fd, const char *data, size_t len);
bool read_exactly(int fd, void *into, size_t len);

/* out.c: bytes to one descriptor, 1 until out_to; what is buffered goes out with out_flush. */
void out_to(int fd);
void out_bytes(const char *data, size_t len);
void out_text(const char *text);
void out_char(char c);
/* A name of a file; in quotes, with escapes, if it has control characters, quotes or backslashes:
 * one line a name, whatever a script calls its files. */
void out_name(const char *name);
/* A word as a shell would read it back; and text as it is written, but for control characters. */
void out_word(const char *text, size_t len);
void out_source(const char *text, size_t len);
void out_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void out_flush(void);
/* Output is lost for this reason (errno), and nobody may have been told; that a reader is gone is
 * no loss. out_status tells it at the end: the status, which is 1 then if it was 0. */
void out_lost(int reason);
int out_status(int status);
/* The same goes to another stream until the one before is selected again. */
struct out_stream {
	int fd;
	char *buffer;
	size_t size;
	size_t used;
};
struct out_stream *out_select(struct out_stream *stream);

/* clock.c. Starting and arming come before the lock. */
int64_t realtime_ns(void); /* before the lock only */
void clock_start(void);
int64_t clock_now(void);
/* Up to a millisecond, if the clock was started. */
void clock_sleep(void);
bool clock_is_real(void); /* clock_start was called */
/* A deadline from now on; repeated: from each deadline_begin on, to 10 ms; 0 ms: none. With the
 * real clock what waits for the host is interrupted every 10 ms, since others wait for the time. */
void deadline_arm(uint64_t ms, bool repeated);
void deadline_begin(void);
bool deadline_passed(void);

/* machine_*.c: what real programs run in; NULL: nothing. */
const struct cowsh_microvm *machine_of_host(void);

/* session.c: what the host callbacks share. */
struct runner {
	cowsh_store *store;
	cowsh *session;
	struct options *options;
	struct cowsh_host host;
	unsigned rows, columns; /* of the terminal; 0: there is none */
	cowsh_snapshot *before; /* of the run, if something compares with it */
	char *captured[3];      /* --json: output of descriptor 1 and 2 */
	size_t captured_len[3];
	size_t captured_cap;
};

void runner_start(struct runner *r, struct options *o);
/* Runs what the options ask for; the exit status. */
int runner_run(struct runner *r);
/* The memory that everything in the sandbox is made of. */
cowsh_store *program_store(bool machine);
/* Locks the process, and only then makes or loads the session (saved_begin). */
void runner_lock(struct runner *r);
/* What options about changes need before a run; and all that is to be said and done after it. The
 * exit status: the script's, if that is not 0, else that of what failed. */
void runner_prepare(struct runner *r);
int runner_report(struct runner *r, const struct cowsh_result *result);
/* Address space: pages that are not touched cost nothing. NULL: there is none. */
char *map_region(size_t size);
/* When the session waits for time to pass. */
void runner_wait(struct runner *r);
/* Runs on with cowsh_step or cowsh_drain, over waits and breakpoints, until that is done. */
int runner_go(struct runner *r, int (*step)(cowsh *session, uint64_t steps));

/* saved.c: the file of an image, and that of its base. Mapped before the lock; what is read then
 * is the name of the base. */
struct image_file {
	const char *path;
	const void *bytes;
	size_t size;
	const char *base; /* NULL: it has none */
	const void *base_bytes;
	size_t base_size;
	char named[PATH_MAX]; /* the base, where the image says it */
};

/* base NULL: where it says itself. The texts stay the caller's. Both end the program with a
 * message if the file can't be used. */
void image_map(struct image_file *f, const char *path, const char *base, cowsh_store *store);
cowsh_image *image_read(const struct image_file *f, cowsh_store *store);
/* Maps those of the options. */
void images_map(const struct options *o, cowsh_store *store);
/* Whether an option is one of saved sessions; whether there is one. */
bool saved_option(int argc, char **argv, int *i);
bool saved_wanted(void);
/* As cowsh_drain, until there are only processes that will be saved. */
int saved_drain(cowsh *session, uint64_t steps);
bool checkpoints_wanted(void);
/* --session: opens the files, starts what keeps them. Before the lock. */
void saved_open(const struct options *o, cowsh_store *store);
/* Reads images, and loads the session of the file, or makes a new one: every byte may be an
 * attacker's. Until then there is none. */
void saved_begin(struct runner *r);
/* What is to be run in the session's own shell: put together before the lock, and started. */
void saved_prepare(const struct options *o);
int saved_start(struct runner *r);
/* Replaces the file; the exit status, `status` unless something fails. Nothing without --session.
 */
int saved_keep(struct runner *r, int status);

/* image.c: cowsh image ...; the exit status. */
int image_command(int argc, char **argv);

/* json.c: text in quotes, bytes that are not UTF-8 as U+FFFD; whether there were none. */
bool json_string(const char *text, size_t len);
/* The result of --json on standard output; --apply, too: its exit status, or 0. */
int json_result(struct runner *r, const struct cowsh_result *result, cowsh_snapshot *before);

/* trace.c: whether an option is its own; opens the file, before the lock; traces the session
 * into it; ends tracing. All do nothing without --trace. */
bool trace_option(int argc, char **argv, int *i);
bool trace_wanted(void);
void trace_open(void);
void trace_begin(struct runner *r);
void trace_end(struct runner *r);

/* journal.c: whether an option is its own; opens the file, before the lock; makes the session,
 * with a journal if there is to be one; ends that. */
bool journal_option(int argc, char **argv, int *i);
/* Ends the program if there is to be a journal, which that option does not go with. */
void journal_refuse(const char *option);
void journal_open(const struct options *o);
int journal_session(struct runner *r);
void journal_end(struct runner *r);
/* --break: all of the journal so far; NULL if it can't be had. */
const void *journal_in_memory(struct runner *r, size_t *len);

/* fetch.c: whether an option is its own; the network that they allow, as a callback of the host:
 * nothing without --allow-url. Instead, one that allows nothing: what only tries has no effects. */
bool fetch_option(int argc, char **argv, int *i);
void fetch_open(struct cowsh_host *host);
void fetch_refuse(struct cowsh_host *host);

/* replay.c: cowsh replay ...; the exit status. */
int replay_command(int argc, char **argv);

/* interactive.c: starts the line editor, before the lock; reads commands from the terminal until
 * its end. */
void interactive_open(bool lock);
int interactive(struct runner *r);
/* The terminal is about to be read for the command that runs: it becomes as the session wants it,
 * until the next prompt. */
void interactive_reads(void);

/* keys.c: from here on ^C and ^\ are the session's; before the lock. typed: so is ^Z, and a
 * terminal that goes away, or SIGTERM, is a wish to end (keys_leave). */
void keys_catch(bool typed);
bool keys_caught(void);
/* Whose they are while it runs a command; NULL: nobody's. */
void keys_for(cowsh *session);
cowsh *keys_whose(void);
bool keys_leave(void);
/* Whether ^C was pressed so often that what runs must end: it is cancelled. */
bool keys_insist(void);
/* Whether a key came that the running command has not seen; sends it those. */
bool interrupted(void);
void keys_pass(void);

#endif
