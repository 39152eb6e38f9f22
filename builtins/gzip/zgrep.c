/* SPDX-License-Identifier: MIT
 *
 * zgrep, zegrep, zfgrep, zcmp, zdiff - grep, cmp and diff over what compressed files hold.
 *
 * As the scripts of these names they start gzip and the tool, with a pipe between.
 * Reference: GNU gzip 1.12.
 */
#include "builtins/builtin.h"

enum { STATUS_TROUBLE = 2, SECOND_FD = 5 };

/* Messages begin with the path of the script. */
static int complain(struct cmd *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int complain(struct cmd *c, const char *format, ...)
{
	struct buf text = buf_in(c->arena);
	va_list args;

	buf_printf(&text, "%s%s: ", strchr(c->name, '/') != NULL ? "" : "/usr/bin/", c->name);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	cmd_err_write(c, text.ptr, text.len);
	return STATUS_TROUBLE;
}

/* Starts "gzip -cdfq -- FILE": its pid; *out is where it can be read. */
static int start_gzip(struct cmd *c, const char *file, int *out)
{
	char *argv[] = { arena_dup(c->arena, BYTES("gzip")), arena_dup(c->arena, BYTES("-cdfq")),
			 arena_dup(c->arena, BYTES("--")), arena_dup(c->arena, bytes_of(file)),
			 NULL };
	int ends[2];
	int err = cmd_pipe(c, ends);

	if (err < 0)
		cmd_fatal_status(c, STATUS_TROUBLE, err, "pipe");
	int fds[] = { 0, ends[1], 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, ends[1]);
	*out = ends[0];
	if (pid < 0)
		cmd_fatal_status(c, STATUS_TROUBLE, pid, "gzip");
	return pid;
}

/* Waits; a status that only tells of a warning or of a closed pipe is none. */
static int wait_for(struct cmd *c, int pid, bool gzip)
{
	int status = 0;

	if (pid <= 0 || cmd_wait(c, pid, &status, false) < 0)
		return 0;
	if (gzip && ((status & 0x7f) == 13 || status >> 8 == 2))
		return 0;
	return cmd_exit_status(status);
}

/* --- zgrep --- */

struct zgrep {
	struct cmd *c;
	char **args; /* of grep, the program's name first */
	int n;
	const char *pattern;
	bool has_pattern; /* -e or -f was given */
	bool names;       /* -H */
	bool no_names;    /* -h */
	bool list;        /* -l or -L */
	bool label;
};

static void push(struct zgrep *z, const char *arg)
{
	z->args[z->n++] = arena_dup(z->c->arena, bytes_of(arg));
}

/* Letters of one argument. *i moves over an argument of its own. 0, or a status. */
static int short_options(struct zgrep *z, int *i)
{
	struct cmd *c = z->c;
	const char *arg = c->argv[*i];

	for (const char *at = arg + 1; *at != '\0'; at++) {
		if (strchr("drRzZ", *at) != NULL)
			return complain(c, "-%c: option not supported", *at);
		z->names |= *at == 'H';
		z->no_names |= *at == 'h';
		z->list |= *at == 'l' || *at == 'L';
		z->has_pattern |= *at == 'e' || *at == 'f';
		if (strchr("ABCDefm", *at) == NULL)
			continue;
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
			return complain(c, "%s: option not supported", arg);
	z->names |= strcmp(arg, "--with-filename") == 0;
	z->no_names |= strcmp(arg, "--no-filename") == 0;
	z->list |= strncmp(arg, "--files-with", 12) == 0;
	z->label |= strncmp(arg, "--label", 7) == 0;
	z->has_pattern |= strncmp(arg, "--regexp", 8) == 0 || strncmp(arg, "--file=", 7) == 0;
	push(z, arg);
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
		return complain(c, "missing pattern; try `%s%s --help' for help",
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
	int gzip = start_gzip(c, file, &from);
	struct buf label = buf_in(c->arena);
	bool named = (several && !z->no_names) || z->names || z->list;

	if (named && !z->label) {
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
	int status = wait_for(c, pid, false);
	int trouble = wait_for(c, gzip, true);

	z->n = n;
	if (pid < 0)
		return cmd_error(c, pid, "grep");
	return trouble != 0 && status < STATUS_TROUBLE ? STATUS_TROUBLE : status;
}

static int zgrep_as(struct cmd *c, const char *flag)
{
	struct zgrep z = { .c = c };
	char **files = arena_array(c->arena, (size_t)c->argc + 2, sizeof *files);
	int nfiles;
	int result = 1;
	int status;

	z.args = arena_array(c->arena, (size_t)c->argc + 8, sizeof *z.args);
	push(&z, "grep");
	if (flag != NULL)
		push(&z, flag);
	status = parse(&z, &nfiles, files);
	if (status != 0)
		return status;
	if (nfiles == 0)
		files[nfiles++] = arena_dup(c->arena, BYTES("-"));
	for (int i = 0; i < nfiles; i++) {
		status = grep_file(&z, files[i], nfiles > 1);
		if (status > 1)
			result = status;
		else if (status == 0 && result == 1)
			result = 0;
		if (status > 2)
			break;
	}
	return result;
}

static int zgrep_run(struct cmd *c)
{
	return zgrep_as(c, NULL);
}

static int zegrep_run(struct cmd *c)
{
	return zgrep_as(c, "-E");
}

static int zfgrep_run(struct cmd *c)
{
	return zgrep_as(c, "-F");
}

/* --- zcmp, zdiff --- */

static bool is_compressed(const char *name)
{
	static const char *const suffixes[] = { ".gz", "-gz", ".Z", "-z", ".z", ".tgz", ".taz" };
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(name + len - n, suffixes[i]) == 0)
			return true;
	}
	return strcmp(name, "-") == 0;
}

/* The name a file had before it was compressed. */
static const char *plain_name(struct cmd *c, const char *name)
{
	struct bytes s = bytes_of(name);
	struct buf out = buf_in(c->arena);

	if (bytes_ends(s, BYTES(".tgz")) || bytes_ends(s, BYTES(".taz"))) {
		buf_printf(&out, "%.*s.tar", (int)s.len - 4, s.ptr);
		return buf_cstr(&out);
	}
	size_t cut = bytes_ends(s, BYTES(".gz")) || bytes_ends(s, BYTES("-gz")) ? 3 : 2;

	return arena_dup(c->arena, bytes_slice(s, 0, s.len - cut));
}

struct compare {
	struct cmd *c;
	char **args;
	int n;
	const char *files[2];
	int nfiles;
};

static int run_compare(struct compare *p)
{
	struct cmd *c = p->c;
	int fds[SECOND_FD + 1] = { 0, 1, 2, -1, -1, -1 };
	int pids[2] = { 0, 0 };
	int opened[2] = { -1, -1 };
	bool both = is_compressed(p->files[0]) && is_compressed(p->files[1]);

	for (int i = 0; i < 2; i++) {
		const char *operand = p->files[i];

		if (is_compressed(operand) && !(strcmp(operand, "-") == 0 && !both)) {
			bool second = both && i == 0;

			pids[i] = start_gzip(c, operand, &opened[i]);
			fds[second ? SECOND_FD : 0] = opened[i];
			operand = second ? "/dev/fd/5" : "-";
		}
		p->args[p->n++] = arena_dup(c->arena, bytes_of(operand));
	}
	p->args[p->n] = NULL;
	struct cmd_program prog = { .argv = p->args, .fds = fds, .nfds = both ? SECOND_FD + 1 : 3 };
	int pid = cmd_spawn(c, &prog);

	for (int i = 0; i < 2; i++)
		if (opened[i] >= 0)
			cmd_close(c, opened[i]);
	int status = wait_for(c, pid, false);

	for (int i = 0; i < 2; i++)
		if (wait_for(c, pids[i], true) != 0)
			status = STATUS_TROUBLE;
	return pid < 0 ? cmd_error(c, pid, "%s", p->args[0]) : status;
}

static int compare_with(struct cmd *c, const char *program)
{
	struct compare p = { .c = c };
	bool ended = false;

	p.args = arena_array(c->arena, (size_t)c->argc + 8, sizeof *p.args);
	p.args[p.n++] = arena_dup(c->arena, bytes_of(program));
	/* Messages are those of the one script behind both names. */
	c->name = "/usr/bin/zdiff";
	for (int i = 1; i < c->argc; i++) {
		char *arg = c->argv[i];

		if (!ended && strcmp(arg, "--") == 0)
			ended = true;
		else if (!ended && arg[0] == '-' && arg[1] != '\0')
			p.args[p.n++] = arg;
		else if (p.nfiles == 2)
			return complain(c, "extra operand '%s'", arg);
		else
			p.files[p.nfiles++] = arg;
	}
	if (p.nfiles == 0)
		return complain(c, "missing operand");
	if (p.nfiles == 1) {
		if (!is_compressed(p.files[0]))
			return complain(c, "%s: unknown compressed file extension", p.files[0]);
		p.files[1] = plain_name(c, p.files[0]);
	}
	return run_compare(&p);
}

static int zcmp_run(struct cmd *c)
{
	return compare_with(c, "cmp");
}

static int zdiff_run(struct cmd *c)
{
	return compare_with(c, "diff");
}

#define Z_COMMAND(id, operands, text)                                                              \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = operands,                                                                 \
		.summary = text,                                                                   \
		.run = id##_run,                                                                   \
		.flags = BUILTIN_RAW_HELP,                                                         \
		.usage_status = 2,                                                                 \
		.error_status = 2,                                                                 \
		.family = "GNU gzip 1.12",                                                         \
	}

Z_COMMAND(zgrep, "[OPTION]... [-e] PATTERN [FILE]...",
	  "Searches what compressed files hold. Options are those of grep.");
Z_COMMAND(zegrep, "[OPTION]... [-e] PATTERN [FILE]...", "zgrep -E.");
Z_COMMAND(zfgrep, "[OPTION]... [-e] PATTERN [FILE]...", "zgrep -F.");
Z_COMMAND(zcmp, "[OPTION]... FILE1 [FILE2]",
	  "Compares what compressed files hold. Options: cmp's.");
Z_COMMAND(zdiff, "[OPTION]... FILE1 [FILE2]",
	  "Compares what compressed files hold. Options: diff's.");
