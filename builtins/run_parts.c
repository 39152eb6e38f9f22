/* SPDX-License-Identifier: MIT
 *
 * run-parts - runs the programs in a directory, in the order of their names.
 */
#include "base/regex.h"
#include "builtins/builtin.h"
#include "builtins/temp.h"

enum { ARGS_MAX = 64 };

struct run_parts_opts {
	bool test;
	bool list;
	bool verbose;
	bool debug;
	bool report;
	bool reverse;
	bool exit_on_error;
	bool from_stdin;
	bool lsb;
	bool new_session;
	const char *pattern;
	int nargs;
	char *args[ARGS_MAX];
	/* settled */
	struct regex *names;
	struct regex *refused; /* of the LSB's names */
	int input;             /* --stdin: what each program reads; else -1 */
	bool failed;
};

static int add_arg(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct run_parts_opts *o = c->opts;

	(void)opt;
	if (o->nargs == ARGS_MAX)
		return cmd_error(c, 0, "too many arguments");
	o->args[o->nargs++] = arena_dup(c->arena, bytes_of(arg));
	return 0;
}

static int set_umask(struct cmd *c, const struct opt *opt, const char *arg)
{
	uint32_t mask = 0;
	size_t n = strspn(arg, "01234567");

	(void)opt;
	if (n == 0 || n > 4 || arg[n] != '\0')
		return cmd_error(c, 0, "bad umask value");
	for (size_t i = 0; i < n; i++)
		mask = mask << 3 | (uint32_t)(arg[i] - '0');
	cmd_set_umask(c, mask & 0777);
	return 0;
}

static const struct opt run_parts_options[] = {
	OPT_FLAG(0, "test", struct run_parts_opts, test, "write what would run, and run nothing"),
	OPT_FLAG(0, "list", struct run_parts_opts, list, "write all files with valid names"),
	OPT_FLAG('v', "verbose", struct run_parts_opts, verbose, "say what runs"),
	OPT_FLAG(0, "report", struct run_parts_opts, report,
		 "write the names of programs that write something"),
	OPT_FLAG(0, "reverse", struct run_parts_opts, reverse, "last name first"),
	OPT_FLAG(0, "exit-on-error", struct run_parts_opts, exit_on_error,
		 "end at the first program that fails"),
	OPT_FLAG(0, "stdin", struct run_parts_opts, from_stdin,
		 "standard input is given to each program"),
	OPT_FLAG(0, "lsbsysinit", struct run_parts_opts, lsb, "names as the LSB allows them"),
	OPT_FLAG(0, "new-session", struct run_parts_opts, new_session,
		 "no effect: sessions have no terminal to be separate from"),
	OPT_STR(0, "regex", struct run_parts_opts, pattern, NULL, "PATTERN",
		"names that match the extended regular expression"),
	OPT_CALL_ARG('u', "umask", set_umask, "UMASK", "022 if it is not given"),
	OPT_CALL_ARG('a', "arg", add_arg, "ARG", "an argument for each program"),
	OPT_END(),
};

/* --- names --- */

static struct regex *compile(struct cmd *c, const char *pattern)
{
	struct regex *re;
	const char *message;
	size_t offset;

	if (regex_compile(c->arena, bytes_of(pattern), REGEX_ERE | REGEX_NOSUB, &re, &message,
			  &offset) < 0)
		cmd_fatal(c, 0, "failed to compile regular expression: %s", message);
	regex_set_work(re, cmd_work, c);
	return re;
}

static void settle_names(struct cmd *c, struct run_parts_opts *o)
{
	const char *pattern = o->pattern;

	if (pattern == NULL && o->lsb) {
		o->refused = compile(c, "\\.dpkg-(old|dist|new|tmp)$");
		pattern = "^[a-z0-9]+$|^_?([a-z0-9_.]+-)+[a-z0-9]+$|^[a-z0-9][a-z0-9-]*$";
	}
	o->names = compile(c, pattern != NULL ? pattern : "^[a-zA-Z0-9_-]+$");
}

static bool is_valid(const struct run_parts_opts *o, const char *name)
{
	struct bytes text = bytes_of(name);

	return regex_test(o->names, text, 0) == 0 &&
	       (o->refused == NULL || regex_test(o->refused, text, 0) != 0);
}

/* --- running --- */

/* Passes on what the program writes, its name first. */
static void relay(struct cmd *c, const struct run_parts_opts *o, int fd, const char *path)
{
	struct input in;
	struct bytes block;

	input_init(&in, c, fd, "-");
	for (bool first = true; input_block(&in, &block) > 0; first = false) {
		if (first && o->report)
			cmd_printf(c, "%s:\n", path);
		cmd_bytes(c, block);
		cmd_charge_bytes(c, block.len);
	}
	cmd_flush(c);
}

static void run(struct cmd *c, struct run_parts_opts *o, char *path)
{
	char **argv = arena_array(c->arena, (size_t)o->nargs + 2, sizeof *argv);
	int ends[2];
	int err = cmd_pipe(c, ends);

	if (err < 0)
		cmd_fatal(c, err, "pipe");
	argv[0] = path;
	memcpy(argv + 1, o->args, (size_t)o->nargs * sizeof *argv);
	if (o->input >= 0)
		cmd_seek(c, o->input, 0, 0);
	const int fds[3] = { o->input >= 0 ? o->input : 0, ends[1], 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, ends[1]);
	if (pid < 0)
		cmd_error(c, pid, "failed to exec %s", path);
	else
		relay(c, o, ends[0], path);
	cmd_close(c, ends[0]);
	int status = pid < 0 ? 1 : cmd_wait_end(c, pid);

	if (status != 0) {
		cmd_error(c, 0, "%s exited with return code %d", path, status);
		o->failed = true;
	}
}

/* One entry of the directory: false if nothing is to follow. */
static bool visit(struct cmd *c, struct run_parts_opts *o, const char *dir, const char *name)
{
	struct buf path = buf_in(c->arena);
	struct vfs_stat st;

	if (!is_valid(o, name))
		return true;
	buf_printf(&path, "%s/%s", dir, name);
	int err = cmd_stat(c, buf_cstr(&path), &st);

	if (err < 0) {
		cmd_error(c, err, "failed to stat component %s", path.ptr);
		o->failed = o->failed || o->exit_on_error;
		return !o->exit_on_error;
	}
	if ((st.mode & S_FMT) != S_REG)
		return true;
	if (o->list || (o->test && cmd_access(c, CMD_CWD, path.ptr, 1) == 0))
		cmd_printf(c, "%s\n", path.ptr);
	if (o->list || o->test || cmd_access(c, CMD_CWD, path.ptr, 1) != 0)
		return true;
	if (o->verbose)
		cmd_warn(c, 0, "executing %s", path.ptr);
	run(c, o, path.ptr);
	return !(o->exit_on_error && o->failed);
}

/* What is on standard input, in a file that each program can read from its beginning. */
static int keep_input(struct cmd *c)
{
	int fd = temp_open(c, NULL);
	struct input in;
	struct bytes block;

	input_init(&in, c, 0, "-");
	while (input_block(&in, &block) > 0) {
		if (cmd_write_fd(c, fd, block.ptr, block.len) < 0)
			break;
		cmd_charge_bytes(c, block.len);
	}
	return fd;
}

static int run_parts_run(struct cmd *c)
{
	struct run_parts_opts *o = c->opts;
	struct vfs_dirent *entries;
	size_t n;

	if (c->nargs != 1 || c->args[0][0] == '\0')
		return cmd_usage(c, "missing operand");
	if (o->list && o->test)
		return cmd_usage(c, "--list and --test can not be used together");
	settle_names(c, o);
	int err = cmd_list(c, CMD_CWD, c->args[0], c->arena, &entries, &n);

	if (err < 0)
		return cmd_error(c, err, "failed to open directory %s", c->args[0]);
	o->input = o->from_stdin ? keep_input(c) : -1;
	for (size_t i = 0; i < n; i++) {
		cmd_charge(c, 1);
		if (!visit(c, o, c->args[0], entries[o->reverse ? n - 1 - i : i].name.ptr))
			break;
	}
	return o->failed ? 1 : 0;
}

static void run_parts_defaults(struct cmd *c)
{
	cmd_set_umask(c, 022);
}

const struct builtin builtin_run_parts = {
	.name = "run-parts",
	.usage = "[OPTION]... DIRECTORY",
	.summary = "Runs the programs in DIRECTORY, in the order of their names, of which all\n"
		   "characters must be letters, digits, _ or -.",
	.run = run_parts_run,
	.opts = run_parts_options,
	.opts_size = sizeof(struct run_parts_opts),
	.defaults = run_parts_defaults,
	.family = "debianutils 5.7",
	.hint = "Try `%s --help' for more information.\n",
};
