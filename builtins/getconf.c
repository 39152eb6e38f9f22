/* SPDX-License-Identifier: MIT
 *
 * getconf - values of the system's configuration, as glibc on x86-64 Linux gives them.
 *
 * Not here: what belongs to a compiler (CFLAGS of the programming environments) and to caches.
 */
#include "builtins/builtin.h"

enum { GETCONF_USAGE = 2, GETCONF_PATH = 3 };

enum row_kind {
	ROW_PATH,  /* of a file: needs a path */
	ROW_VALUE, /* of the system */
	ROW_CPUS,
	ROW_PAGES_FREE,
	ROW_PAGES,
};

/* Not bounded, or not there. */
#define UNDEFINED NULL

static const struct row {
	const char *name;
	const char *value;
	enum row_kind kind;
} rows[] = {
	{ "LINK_MAX", "65000", ROW_PATH },
	{ "_POSIX_LINK_MAX", "65000", ROW_PATH },
	{ "MAX_CANON", "255", ROW_PATH },
	{ "_POSIX_MAX_CANON", "255", ROW_PATH },
	{ "MAX_INPUT", "255", ROW_PATH },
	{ "_POSIX_MAX_INPUT", "255", ROW_PATH },
	{ "NAME_MAX", "255", ROW_PATH },
	{ "_POSIX_NAME_MAX", "255", ROW_PATH },
	{ "PATH_MAX", "4096", ROW_PATH },
	{ "_POSIX_PATH_MAX", "4096", ROW_PATH },
	{ "PIPE_BUF", "4096", ROW_PATH },
	{ "_POSIX_PIPE_BUF", "4096", ROW_PATH },
	{ "_POSIX_CHOWN_RESTRICTED", "1", ROW_PATH },
	{ "_POSIX_NO_TRUNC", "1", ROW_PATH },
	{ "_POSIX_VDISABLE", "0", ROW_PATH },
	{ "ARG_MAX", "2097152", ROW_VALUE },
	{ "ATEXIT_MAX", "2147483647", ROW_VALUE },
	{ "CHAR_BIT", "8", ROW_VALUE },
	{ "CHAR_MAX", "127", ROW_VALUE },
	{ "CHAR_MIN", "-128", ROW_VALUE },
	{ "CLK_TCK", "100", ROW_VALUE },
	{ "INT_MAX", "2147483647", ROW_VALUE },
	{ "INT_MIN", "-2147483648", ROW_VALUE },
	{ "IOV_MAX", "1024", ROW_VALUE },
	{ "LOGNAME_MAX", "256", ROW_VALUE },
	{ "LONG_BIT", "64", ROW_VALUE },
	{ "MB_LEN_MAX", "16", ROW_VALUE },
	{ "NGROUPS_MAX", "65536", ROW_VALUE },
	{ "NZERO", "20", ROW_VALUE },
	{ "OPEN_MAX", "1024", ROW_VALUE },
	{ "PAGESIZE", "4096", ROW_VALUE },
	{ "PAGE_SIZE", "4096", ROW_VALUE },
	{ "PTHREAD_KEYS_MAX", "1024", ROW_VALUE },
	{ "PTHREAD_STACK_MIN", "16384", ROW_VALUE },
	{ "PTHREAD_THREADS_MAX", UNDEFINED, ROW_VALUE },
	{ "SCHAR_MAX", "127", ROW_VALUE },
	{ "SCHAR_MIN", "-128", ROW_VALUE },
	{ "SHRT_MAX", "32767", ROW_VALUE },
	{ "SHRT_MIN", "-32768", ROW_VALUE },
	{ "SSIZE_MAX", "32767", ROW_VALUE },
	{ "TTY_NAME_MAX", "32", ROW_VALUE },
	{ "TZNAME_MAX", UNDEFINED, ROW_VALUE },
	{ "UCHAR_MAX", "255", ROW_VALUE },
	{ "UINT_MAX", "4294967295", ROW_VALUE },
	{ "UIO_MAXIOV", "1024", ROW_VALUE },
	{ "ULONG_MAX", "18446744073709551615", ROW_VALUE },
	{ "USHRT_MAX", "65535", ROW_VALUE },
	{ "WORD_BIT", "32", ROW_VALUE },
	{ "_AVPHYS_PAGES", NULL, ROW_PAGES_FREE },
	{ "_NPROCESSORS_CONF", NULL, ROW_CPUS },
	{ "_NPROCESSORS_ONLN", NULL, ROW_CPUS },
	{ "_PHYS_PAGES", NULL, ROW_PAGES },
	{ "_POSIX_ARG_MAX", "2097152", ROW_VALUE },
	{ "_POSIX_ASYNCHRONOUS_IO", "200809", ROW_VALUE },
	{ "_POSIX_FSYNC", "200809", ROW_VALUE },
	{ "_POSIX_JOB_CONTROL", "1", ROW_VALUE },
	{ "_POSIX_MAPPED_FILES", "200809", ROW_VALUE },
	{ "_POSIX_MEMLOCK", "200809", ROW_VALUE },
	{ "_POSIX_NGROUPS_MAX", "65536", ROW_VALUE },
	{ "_POSIX_OPEN_MAX", "1024", ROW_VALUE },
	{ "_POSIX_SAVED_IDS", "1", ROW_VALUE },
	{ "_POSIX_SEMAPHORES", "200809", ROW_VALUE },
	{ "_POSIX_SHELL", "1", ROW_VALUE },
	{ "_POSIX_SSIZE_MAX", "32767", ROW_VALUE },
	{ "_POSIX_STREAM_MAX", "16", ROW_VALUE },
	{ "_POSIX_THREADS", "200809", ROW_VALUE },
	{ "_POSIX_TIMERS", "200809", ROW_VALUE },
	{ "_POSIX_VERSION", "200809", ROW_VALUE },
	{ "_XOPEN_VERSION", "700", ROW_VALUE },
	{ "BC_BASE_MAX", "99", ROW_VALUE },
	{ "BC_DIM_MAX", "2048", ROW_VALUE },
	{ "BC_SCALE_MAX", "99", ROW_VALUE },
	{ "BC_STRING_MAX", "1000", ROW_VALUE },
	{ "CHARCLASS_NAME_MAX", "2048", ROW_VALUE },
	{ "COLL_WEIGHTS_MAX", "255", ROW_VALUE },
	{ "EXPR_NEST_MAX", "32", ROW_VALUE },
	{ "LINE_MAX", "2048", ROW_VALUE },
	{ "POSIX2_VERSION", "200809", ROW_VALUE },
	{ "RE_DUP_MAX", "32767", ROW_VALUE },
	{ "PATH", "/bin:/usr/bin", ROW_VALUE },
	{ "CS_PATH", "/bin:/usr/bin", ROW_VALUE },
	{ "LFS_CFLAGS", "", ROW_VALUE },
	{ "LFS_LDFLAGS", "", ROW_VALUE },
	{ "LFS_LIBS", "", ROW_VALUE },
	{ "SYMLOOP_MAX", UNDEFINED, ROW_VALUE },
	{ "STREAM_MAX", "16", ROW_VALUE },
	{ "HOST_NAME_MAX", "64", ROW_VALUE },
	{ "LOGIN_NAME_MAX", "256", ROW_VALUE },
	{ "RTSIG_MAX", "32", ROW_VALUE },
	{ "SEM_VALUE_MAX", "2147483647", ROW_VALUE },
	{ "FILESIZEBITS", "64", ROW_PATH },
	{ "POSIX_ALLOC_SIZE_MIN", "4096", ROW_PATH },
	{ "POSIX_REC_MIN_XFER_SIZE", "4096", ROW_PATH },
	{ "POSIX_REC_XFER_ALIGN", "4096", ROW_PATH },
	{ "SYMLINK_MAX", UNDEFINED, ROW_PATH },
	{ "GNU_LIBC_VERSION", "glibc 2.36", ROW_VALUE },
	{ "GNU_LIBPTHREAD_VERSION", "NPTL 2.36", ROW_VALUE },
	{ "POSIX2_SYMLINKS", "1", ROW_PATH },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

struct getconf_opts {
	bool all;
	const char *specification;
};

static const struct opt getconf_options[] = {
	OPT_FLAG('a', NULL, struct getconf_opts, all, "write all names with their values"),
	OPT_STR('v', NULL, struct getconf_opts, specification, NULL, "SPEC",
		"of that programming environment: POSIX_V7_LP64_OFF64 is the only one"),
	OPT_END(),
};

static void put_value(struct cmd *c, const struct row *r, const char *undefined)
{
	struct cmd_usage_totals t;

	if (r->kind == ROW_CPUS) {
		cmd_puts(c, "1\n");
		return;
	}
	if (r->kind == ROW_PAGES || r->kind == ROW_PAGES_FREE) {
		cmd_totals(c, &t);
		uint64_t used = r->kind == ROW_PAGES ? 0 : t.memory_used;

		cmd_printf(c, "%llu\n", (unsigned long long)((t.memory_total - used) / 4096));
		return;
	}
	cmd_printf(c, "%s\n", r->value != NULL ? r->value : undefined);
}

static int usage(struct cmd *c)
{
	static const char text[] = "Usage: getconf [-v specification] variable_name [pathname]\n"
				   "       getconf -a [pathname]\n";

	cmd_err_write(c, text, sizeof text - 1);
	return GETCONF_USAGE;
}

static const struct row *find(const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

static int getconf_run(struct cmd *c)
{
	const struct getconf_opts *o = c->opts;

	if (o->all) {
		for (size_t i = 0; i < ROWS; i++) {
			cmd_printf(c, "%-34s ", rows[i].name);
			put_value(c, &rows[i], "");
		}
		return 0;
	}
	if (c->nargs < 1 || c->nargs > 2)
		return usage(c);
	const struct row *r = find(c->args[0]);
	struct vfs_stat st;

	if (r == NULL) {
		cmd_warn(c, 0, "Unrecognized variable `%s'", c->args[0]);
		return GETCONF_USAGE;
	}
	if ((c->nargs == 2) != (r->kind == ROW_PATH))
		return usage(c);
	int err = c->nargs == 2 ? cmd_stat(c, c->args[1], &st) : 0;

	if (err < 0) {
		cmd_warn(c, err, "pathconf: %s", c->args[1]);
		return GETCONF_PATH;
	}
	put_value(c, r, "undefined");
	return 0;
}

const struct builtin builtin_getconf = {
	.name = "getconf",
	.usage = "[-v SPEC] NAME [PATH] | -a",
	.summary = "Writes the value that the system has for NAME, of PATH if it is one of files.",
	.run = getconf_run,
	.opts = getconf_options,
	.opts_size = sizeof(struct getconf_opts),
	.usage_status = GETCONF_USAGE,
	.family = "GNU libc 2.36",
	.version = "getconf (Debian GLIBC 2.36) 2.36",
};
