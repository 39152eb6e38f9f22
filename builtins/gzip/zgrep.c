/* SPDX-License-Identifier: MIT
 *
 * zgrep, bzgrep, xzgrep, zstdgrep and their -E and -F forms - grep over what compressed files
 * hold.
 *
 * As the scripts of these names they start the program that decompresses and grep, with a pipe
 * between. Reference: GNU gzip 1.12, bzip2 1.0.8, XZ Utils 5.4.1, zstd 1.5.4.
 */
#include "builtins/gzip/zfilter.h"

struct zgrep {
	struct cmd *c;
	const struct zfamily *z;
	char **args; /* of grep, the program's name first */
	int n;
	const char *pattern;
	bool has_pattern; /* -e or -f was given */
	bool names;       /* -H */
	bool no_names;    /* -h */
	bool list;        /* -l or -L */
	bool without;     /* -L */
	bool label;
	bool has_files; /* standard input is not the only one */
};

static void push(struct zgrep *z, const char *arg)
{
	z->args[z->n++] = arena_dup(z->c->arena, bytes_of(arg));
}

/* -f of what can be read but once (grep's own input is a pipe): its lines are given as -e. */
static bool push_patterns(struct zgrep *z, const char *path)
{
	struct cmd *c = z->c;
	struct vfs_stat st;
	struct bytes all;

	if (z->z != &zfamily_gzip)
		return false;
	if (strcmp(path, "-") != 0 && (cmd_stat(c, path, &st) < 0 || (st.mode & S_FMT) == S_REG ||
				       (st.mode & S_FMT) == S_DIR))
		return false;
	if (cmd_read_all(c, path, &all) < 0 || all.len == 0)
		return false;
	if (all.ptr[all.len - 1] == '\n')
		all.len--;
	push(z, "-e");
	push(z, arena_dup(c->arena, all));
	return true;
}

/* Letters of one argument. *i moves over an argument of its own. 0, or a status. */
static int short_options(struct zgrep *z, int *i)
{
	struct cmd *c = z->c;
	const char *arg = c->argv[*i];

	for (const char *at = arg + 1; *at != '\0'; at++) {
		if (strchr("drRzZ", *at) != NULL)
			return zfilter_complain(c, "-%c: %s", *at, z->z->refused);
		z->names |= *at == 'H';
		z->no_names |= *at == 'h';
		z->list |= *at == 'l' || *at == 'L';
		z->without |= *at == 'L';
		z->has_pattern |= *at == 'e' || *at == 'f';
		if (strchr("ABCDefm", *at) == NULL)
			continue;
		if (*at == 'f' && at[1] == '\0' && at == arg + 1 && *i + 1 < c->argc &&
		    push_patterns(z, c->argv[*i + 1])) {
			++*i;
			return 0;
		}
		push(z, arg);
		if (at[1] == '\0' && *i + 1 < c->argc)
			push(z, c->argv[++*i]);
		return 0;
	}
	push(z, arg);
	return 0;
}

static int long_option(struct zgrep *z, int *i)
{
	static const char *const refused[] = {
		"--directories",  "--exclude",     "--include",
		"--exclude-from", "--exclude-dir", "--null",
		"--null-data",    "--recursive",   "--dereference-recursive",
	};
	struct cmd *c = z->c;
	const char *arg = c->argv[*i];
	size_t len = strcspn(arg, "=");

	for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
		if (strlen(refused[k]) == len && strncmp(arg, refused[k], len) == 0)
			return zfilter_complain(c, "%s: %s", arg, z->z->refused);
	z->names |= strcmp(arg, "--with-filename") == 0;
	z->no_names |= strcmp(arg, "--no-filename") == 0;
	z->list |= strncmp(arg, "--files-with", 12) == 0;
	z->without |= strncmp(arg, "--files-without", 15) == 0;
	z->label |= strncmp(arg, "--label", 7) == 0;
	z->has_pattern |= strncmp(arg, "--regexp", 8) == 0 || strncmp(arg, "--file=", 7) == 0;
	push(z, arg);
	if (strcmp(arg, "--regexp") == 0 && *i + 1 < c->argc)
		push(z, c->argv[++*i]);
	return 0;
}

/* Options for grep go to z->args; the rest becomes the pattern and, from *first on, files. */
static int parse(struct zgrep *z, int *nfiles, char **files)
{
	struct cmd *c = z->c;
	bool ended = false;
	int status = 0;

	*nfiles = 0;
	for (int i = 1; i < c->argc && status == 0; i++) {
		char *arg = c->argv[i];

		if (!ended && strcmp(arg, "--") == 0)
			ended = true;
		else if (!ended && strncmp(arg, "--", 2) == 0)
			status = long_option(z, &i);
		else if (!ended && arg[0] == '-' && arg[1] != '\0')
			status = short_options(z, &i);
		else
			files[(*nfiles)++] = arg;
	}
	if (status != 0 || z->has_pattern)
		return status;
	if (*nfiles == 0)
		return zfilter_complain(c, "missing pattern; try `%s%s --help' for help",
					strchr(c->name, '/') != NULL ? "" : "/usr/bin/", c->name);
	z->pattern = files[0];
	memmove(files, files + 1, (size_t)-- * nfiles * sizeof *files);
	return 0;
}

/* grep over one file: its status, or what gzip's trouble makes of it. */
static int grep_file(struct zgrep *z, const char *file, bool several)
{
	struct cmd *c = z->c;
	int n = z->n;
	int from;
	int filter = zfilter_start(c, z->z, file, &from);
	struct buf label = buf_in(c->arena);
	bool named = (several && !z->no_names) || z->names || z->list;

	if ((named || z->z == &zfamily_gzip) && !z->label) {
		buf_printf(&label, "--label=%s",
			   strcmp(file, "-") == 0 ? "(standard input)" : file);
		push(z, buf_cstr(&label));
	}
	if (named && !z->no_names && !z->list)
		push(z, "-H");
	if (z->pattern != NULL) {
		push(z, "-e");
		push(z, z->pattern);
	}
	z->args[z->n] = NULL;
	int fds[] = { from, 1, 2 };
	struct cmd_program prog = { .argv = z->args, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, from);
	int status = zfilter_wait(c, pid, false);
	int trouble = zfilter_wait(c, filter, true);

	z->n = n;
	if (pid < 0)
		return cmd_error(c, pid, "grep");
	/* bzgrep does not tell which of its files are listed. */
	if (z->without && z->z == &zfamily_bzip2 && z->has_files)
		return 0;
	if (z->z->strict)
		return status;
	return trouble != 0 && status < ZFILTER_TROUBLE ? ZFILTER_TROUBLE : status;
}

static int zgrep_as(struct cmd *c, const struct zfamily *family, const char *flag)
{
	struct zgrep z = { .c = c, .z = family };
	char **files = arena_array(c->arena, (size_t)c->argc + 2, sizeof *files);
	int nfiles;
	int result = 1;
	int status;

	z.args = arena_array(c->arena, (size_t)c->argc * 2 + 8, sizeof *z.args);
	push(&z, "grep");
	if (flag != NULL)
		push(&z, flag);
	status = parse(&z, &nfiles, files);
	if (status != 0)
		return status;
	z.has_files = nfiles > 0;
	if (nfiles == 0)
		files[nfiles++] = arena_dup(c->arena, BYTES("-"));
	for (int i = 0; i < nfiles; i++) {
		status = grep_file(&z, files[i], nfiles > 1);
		if (status > 1)
			result = status;
		else if (family->strict)
			result = i == 0 || status != 0 ? status : result;
		else if (status == 0 && result == 1)
			result = 0;
		if (status > 2)
			break;
	}
	return result;
}

#define GREP_COMMAND(id, which, flag, text, version)                                               \
	static int id##_run(struct cmd *c)                                                         \
	{                                                                                          \
		return zgrep_as(c, &zfamily_##which, flag);                                        \
	}                                                                                          \
	Z_COMMAND(id, "[OPTION]... [-e] PATTERN [FILE]...", text, version)

GREP_COMMAND(zgrep, gzip, NULL, "Searches what compressed files hold. Options are those of grep.",
	     ZGZIP);
GREP_COMMAND(zegrep, gzip, "-E", "zgrep -E.", ZGZIP);
GREP_COMMAND(zfgrep, gzip, "-F", "zgrep -F.", ZGZIP);
GREP_COMMAND(bzgrep, bzip2, NULL, "Searches what files of bzip2 hold. Options are those of grep.",
	     ZBZIP2);
GREP_COMMAND(bzegrep, bzip2, "-E", "bzgrep -E.", ZBZIP2);
GREP_COMMAND(bzfgrep, bzip2, "-F", "bzgrep -F.", ZBZIP2);
GREP_COMMAND(xzgrep, xz, NULL, "Searches what compressed files hold. Options are those of grep.",
	     ZXZ);
GREP_COMMAND(xzegrep, xz, "-E", "xzgrep -E.", ZXZ);
GREP_COMMAND(xzfgrep, xz, "-F", "xzgrep -F.", ZXZ);
GREP_COMMAND(zstdgrep, zstd, NULL,
	     "Searches what compressed files hold. Options are those of grep.", ZZSTD);
