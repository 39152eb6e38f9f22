/* SPDX-License-Identifier: MIT
 *
 * ionice, taskset, setarch, linux64 - run a command on certain terms of the kernel, of which a
 * session has one kind: one processor, one class of input and output, x86-64.
 */
#include "builtins/builtin.h"

enum { NOT_EXECUTABLE = 126, NO_PROGRAM = 127 };

/* Becomes the command; the status if that can't be. */
static int become(struct cmd *c, char **argv)
{
	int err = cmd_become(c, argv, c->envp);

	cmd_warn(c, err, "failed to execute %s", argv[0]);
	return err == -E_NOENT ? NO_PROGRAM : NOT_EXECUTABLE;
}

/* --- ionice --- */

struct ionice_opts {
	const char *class;
	const char *data;
	bool ignore;
	bool of_processes;
};

static const struct opt ionice_options[] = {
	OPT_STR('c', "class", struct ionice_opts, class, NULL, "CLASS",
		"0 none, 1 realtime, 2 best-effort, 3 idle"),
	OPT_STR('n', "classdata", struct ionice_opts, data, NULL, "N", "0 to 7 within the class"),
	OPT_FLAG('p', "pid", struct ionice_opts, of_processes, "processes, not a command"),
	OPT_FLAG('t', "ignore", struct ionice_opts, ignore, "failures do not count"),
	OPT_END(),
};

static const char *const ionice_classes[] = { "none", "realtime", "best-effort", "idle" };
enum { CLASS_COUNT = sizeof ionice_classes / sizeof ionice_classes[0] };

/* Of a name or a number: CLASS_COUNT if there is no such class. */
static size_t class_of(const char *name)
{
	uint64_t number;

	if (num_plain(name, &number))
		return number < CLASS_COUNT ? (size_t)number : CLASS_COUNT;
	for (size_t i = 0; i < CLASS_COUNT; i++)
		if (strcmp(name, ionice_classes[i]) == 0)
			return i;
	return CLASS_COUNT;
}

/* The class and its data, as far as they can be wrong: 0, or the status. */
static int check_class(struct cmd *c, const struct ionice_opts *o)
{
	size_t class = o->class != NULL ? class_of(o->class) : 2;
	bool ignores_data = class == 0 || class == 3;
	uint64_t number;

	if (class == CLASS_COUNT && !byte_is_digit((unsigned char)o->class[0]))
		return cmd_error(c, 0, "unknown scheduling class: '%s'", o->class);
	if (o->data != NULL && !num_plain(o->data, &number))
		return cmd_error(c, 0, "invalid class data argument: '%s'", o->data);
	if (o->ignore)
		return 0;
	if (ignores_data && o->data != NULL)
		cmd_warn(c, 0, "ignoring given class data for %s class", ionice_classes[class]);
	if (class < CLASS_COUNT)
		return 0;
	cmd_warn(c, 0, "unknown prio class %s", o->class);
	return cmd_error(c, -E_INVAL, "ioprio_set failed");
}

static int ionice_run(struct cmd *c)
{
	const struct ionice_opts *o = c->opts;
	bool set = o->class != NULL || o->data != NULL;
	uint64_t number;

	if (check_class(c, o) != 0)
		return 1;
	if (!o->of_processes && c->nargs > 0)
		return become(c, c->args);
	for (int i = 0; i < c->nargs; i++) {
		if (!num_plain(c->args[i], &number) || number > INT32_MAX)
			return cmd_error(c, 0, "invalid PID argument: '%s'", c->args[i]);
		if (!cmd_alive(c, (int)number)) {
			cmd_warn(c, -E_SRCH, set ? "ioprio_set failed" : "ioprio_get failed");
			return o->ignore ? 0 : 1;
		}
	}
	for (int i = 0; !set && i < (c->nargs > 0 ? c->nargs : 1); i++)
		cmd_puts(c, "none: prio 0\n");
	return 0;
}

const struct builtin builtin_ionice = {
	.name = "ionice",
	.usage = "[OPTION]... [COMMAND [ARG]...]",
	.summary = "Runs COMMAND; a class of input and output changes nothing here.",
	.run = ionice_run,
	.opts = ionice_options,
	.opts_size = sizeof(struct ionice_opts),
	.flags = BUILTIN_STOP,
	.family = "util-linux 2.38.1",
};

/* --- taskset --- */

struct taskset_opts {
	bool list;
	bool all;
	bool of_process;
};

static const struct opt taskset_options[] = {
	OPT_FLAG('a', "all-tasks", struct taskset_opts, all, "all threads of a process"),
	OPT_FLAG('p', "pid", struct taskset_opts, of_process, "a process, not a command"),
	OPT_FLAG('c', "cpu-list", struct taskset_opts, list, "processors as a list: 0,2-3"),
	OPT_END(),
};

/* Whether the text is a list or a mask of processors; *first: processor 0 is one of them. */
static bool parse_processors(const char *text, bool list, bool *first)
{
	size_t n = strlen(text);

	if (list) {
		*first = text[0] == '0' && !byte_is_digit((unsigned char)text[1]);
		return n > 0 && byte_is_digit((unsigned char)text[0]) &&
		       strspn(text, "0123456789-,:") == n;
	}
	if (n >= 2 && text[0] == '0' && text[1] == 'x') {
		text += 2;
		n -= 2;
	}
	if (strspn(text, "0123456789abcdefABCDEF,") != n)
		return false;
	while (n > 0 && text[n - 1] == ',')
		n--;
	*first = n > 0 && (byte_digit((unsigned char)text[n - 1]) & 1) != 0;
	return true;
}

static int show_processors(struct cmd *c, const struct taskset_opts *o, const char *arg)
{
	uint64_t pid;

	if (!num_plain(arg, &pid) || pid > INT32_MAX)
		return cmd_error(c, 0, "invalid PID argument: '%s'", arg);
	if (!cmd_alive(c, (int)pid))
		return cmd_error(c, -E_SRCH, "failed to get pid %s's affinity", arg);
	cmd_printf(c,
		   o->list ? "pid %s's current affinity list: 0\n"
			   : "pid %s's current affinity mask: 1\n",
		   arg);
	return 0;
}

static int taskset_run(struct cmd *c)
{
	const struct taskset_opts *o = c->opts;
	bool first;

	if (o->of_process && c->nargs == 1)
		return show_processors(c, o, c->args[0]);
	if (c->nargs < 2)
		return cmd_usage(c, "bad usage");
	if (!parse_processors(c->args[0], o->list, &first))
		return cmd_error(c, 0,
				 o->list ? "failed to parse CPU list: %s"
					 : "failed to parse CPU mask: %s",
				 c->args[0]);
	if (!first)
		return cmd_error(c, -E_INVAL, "failed to set pid %d's affinity", cmd_pid(c));
	return o->of_process ? show_processors(c, o, c->args[1]) : become(c, c->args + 1);
}

const struct builtin builtin_taskset = {
	.name = "taskset",
	.usage = "[OPTION]... MASK COMMAND [ARG]... | -p [MASK] PID",
	.summary = "Runs COMMAND on the processors of MASK: there is processor 0 only.",
	.run = taskset_run,
	.opts = taskset_options,
	.opts_size = sizeof(struct taskset_opts),
	.flags = BUILTIN_STOP,
	.family = "util-linux 2.38.1",
};

/* --- setarch, linux64 --- */

struct setarch_opts {
	bool list;
	bool no_random;
};

static const struct opt setarch_options[] = {
	OPT_FLAG(0, "list", struct setarch_opts, list, "write the names of architectures"),
	OPT_FLAG('R', "addr-no-randomize", struct setarch_opts, no_random,
		 "no random addresses: there are none anyway"),
	OPT_END(),
};

static int run_shell_or(struct cmd *c, int at)
{
	static char shell[] = "/bin/sh";
	char *only[] = { shell, NULL };

	return become(c, at < c->nargs ? c->args + at : only);
}

static int setarch_run(struct cmd *c)
{
	const struct setarch_opts *o = c->opts;
	int at = 0;

	if (o->list) {
		cmd_puts(c, "linux64\nx86_64\n");
		return 0;
	}
	if (c->nargs > 0 &&
	    (strcmp(c->args[0], "x86_64") == 0 || strcmp(c->args[0], "linux64") == 0))
		at = 1;
	else if (c->nargs == 0 && !o->no_random)
		return cmd_error(c, 0, "no architecture argument or personality flags specified");
	else if (!o->no_random)
		return cmd_error(c, 0, "%s: Unrecognized architecture", c->args[0]);
	if (at == 1 && at < c->nargs && strcmp(c->args[at], "-R") == 0)
		at++;
	return run_shell_or(c, at);
}

const struct builtin builtin_setarch = {
	.name = "setarch",
	.usage = "[x86_64] [-R] [COMMAND [ARG]...]",
	.summary = "Runs COMMAND as on another architecture: x86_64 is the only one here.",
	.run = setarch_run,
	.opts = setarch_options,
	.opts_size = sizeof(struct setarch_opts),
	.flags = BUILTIN_STOP,
	.family = "util-linux 2.38.1",
};

static int linux64_run(struct cmd *c)
{
	return run_shell_or(c, 0);
}

const struct builtin builtin_linux64 = {
	.name = "linux64",
	.usage = "[-R] [COMMAND [ARG]...]",
	.summary = "setarch x86_64.",
	.run = linux64_run,
	.opts = setarch_options,
	.opts_size = sizeof(struct setarch_opts),
	.flags = BUILTIN_STOP,
	.family = "util-linux 2.38.1",
};
