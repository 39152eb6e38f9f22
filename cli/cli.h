/* SPDX-License-Identifier: MIT
 *
 * The command line program: a customer of cowsh.h like any other.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cowsh.h"

enum { MOUNTS_MAX = 64, ENV_MAX = 256 };

struct options {
	struct cowsh_config config;
	const char *env[ENV_MAX + 1];
	int nenv;
	struct cowsh_mount_config mounts[MOUNTS_MAX];
	const char *host_dirs[MOUNTS_MAX];
	int nmounts;
	const char *script; /* -c */
	const char *file;   /* FILE */
	char **args;        /* what follows; args[0] is $0 for -c */
	int nargs;
	bool json;
	bool diff;
	bool real_clock;
	uint64_t time_limit_ms;
	int shell_argc; /* options handed on to bash: -e, -x, -o NAME, ... */
	const char *shell_argv[64];
};

/* Fills out from the command line. Exits by itself for --help, --version (0) and bad usage (2). */
void options_parse(int argc, char **argv, struct options *out);

/* One clear line on stderr, and exit status 2. */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* hostdir.c: a directory of the host as a source; never written. Exits with a message if it
 * can't be opened. The result lives as long as the program. */
const struct cowsh_source *hostdir_open(const char *path);

/* session.c: what the host callbacks share. */
struct runner {
	cowsh_store *store;
	cowsh *session;
	struct options *options;
	char *captured[3]; /* --json: output of descriptor 1 and 2 */
	size_t captured_len[3];
	size_t captured_cap[3];
	int64_t deadline_ns; /* of the monotonic clock; 0: none */
};

void runner_start(struct runner *r, struct options *o);
/* Runs what the options ask for; the exit status. */
int runner_run(struct runner *r);
int64_t monotonic_ns(void);
int64_t realtime_ns(void);

/* json.c: the result of --json on standard output. */
void json_result(struct runner *r, const struct cowsh_result *result, cowsh_snapshot *before);

/* interactive.c: reads commands from the terminal until its end. */
int interactive(struct runner *r);

#endif
