/* SPDX-License-Identifier: MIT
 *
 * Stops of --break. What to do comes from --at-break, from standard input, or is typed; what is
 * told goes to standard error, an item a line. Looking changes nothing: the script goes on with
 * the same steps.
 *
 * A copy that goes on (`fork`) is the same run again: a journal in memory (journal.c) has all that
 * came from outside, and is replayed up to the step of the stop.
 */
#include "cli/debug.h"
#include "cowsh_journal.h"
#include "cowsh_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS_MAX = 32, ACTIONS_MAX = 256, LINE_BYTES = 65536, STATUS_ENDED = 128 + 5 };

static struct {
	const char *points[POINTS_MAX];
	int npoints;
	const char *actions[ACTIONS_MAX];
	int nactions;
	bool input;    /* commands are read from standard input, */
	bool terminal; /* where somebody types them */
	struct cowsh_stop stop;
	int once;         /* a breakpoint for this time only; 0: none */
	uint64_t passing; /* stops that `continue N` goes past */
	bool ended;
} d;

static char text[4096];
static struct out_stream errors = { .fd = 2, .buffer = text, .size = sizeof text };

/* --- options --- */

bool debug_option(int argc, char **argv, int *i)
{
	const char *v;

	if ((v = option_value("--break", argc, argv, i)) != NULL) {
		if (d.npoints == POINTS_MAX)
			fatal("more than %d breakpoints", POINTS_MAX);
		d.points[d.npoints++] = v;
	} else if ((v = option_value("--at-break", argc, argv, i)) != NULL) {
		if (d.nactions == ACTIONS_MAX)
			fatal("more than %d --at-break options", ACTIONS_MAX);
		if (strcmp(v, "-") == 0)
			d.input = true;
		else
			d.actions[d.nactions++] = v;
	} else {
		return false;
	}
	return true;
}

bool debug_wanted(void)
{
	return d.npoints != 0;
}

void debug_check(const struct options *o)
{
	bool script = o->script != NULL || o->file != NULL;

	if (d.npoints == 0 && (d.nactions != 0 || d.input))
		fatal("--at-break wants --break");
	if (d.input && d.nactions != 0)
		fatal("--at-break - goes with no other --at-break");
	if (d.input && !script)
		fatal("--at-break - wants a script that is given by -c or as a file");
	d.terminal = d.npoints != 0 && d.nactions == 0 && isatty(0) && isatty(2);
}

bool debug_reads_input(void)
{
	return d.input;
}

int debug_ended(void)
{
	return d.ended ? STATUS_ENDED : 0;
}

/* --- breakpoints --- */

/* A path begins with a slash, a step is a number, all else the name of a command. A number, or a
 * negative error. */
static int add_point(cowsh *s, const char *where)
{
	struct cowsh_breakpoint point = COWSH_BREAKPOINT_INIT;

	point.pattern = where;
	if (where[0] == '/') {
		point.kind = COWSH_BREAK_PATH;
	} else if (where[0] != '\0' && strspn(where, "0123456789") == strlen(where)) {
		errno = 0;
		point.kind = COWSH_BREAK_STEP;
		point.step = strtoull(where, NULL, 10);
		if (errno != 0)
			return -COWSH_EINVAL;
	} else {
		point.kind = COWSH_BREAK_COMMAND;
	}
	return where[0] == '\0' ? -COWSH_EINVAL : cowsh_break_add(s, &point);
}

void debug_begin(struct runner *r)
{
	for (int i = 0; i < d.npoints; i++) {
		int err = add_point(r->session, d.points[i]);

		if (err < 0)
			fatal("--break: '%s': %s", d.points[i], cowsh_error_text(err));
	}
}

/* --- where it stands --- */

static void tell_error(const char *what, int err)
{
	out_format("cowsh: %s: %s\n", what, cowsh_error_text(err));
}

static void put_words(int argc, const char *const *argv)
{
	for (int i = 0; i < argc; i++) {
		out_char(' ');
		out_word(argv[i], strlen(argv[i]));
	}
}

static void do_where(struct runner *r, const char *rest)
{
	const struct cowsh_stop *s = &d.stop;

	(void)r;
	(void)rest;
	out_format("stop %d at step %llu", s->number, (unsigned long long)s->steps);
	if (s->pid != 0)
		out_format(", process %d, line %d", s->pid, s->line);
	if (s->kind == COWSH_BREAK_COMMAND) {
		out_format(": %s:", s->program);
		put_words(s->argc, s->argv);
	} else if (s->kind == COWSH_BREAK_PATH) {
		out_format(": %s ", s->action);
		out_name(s->path);
		if (s->path2 != NULL) {
			out_text(" to ");
			out_name(s->path2);
		}
	}
	out_char('\n');
}

/* --- processes --- */

static int put_process(void *user, const struct cowsh_process *p)
{
	(void)user;
	out_format("%5d %5d %c %5d %5d %10llu %-8s ", p->pid, p->ppid, p->state, p->stage, p->line,
		   (unsigned long long)p->steps, p->program);
	out_name(p->cwd != NULL ? p->cwd : "?");
	put_words(p->argc, p->argv);
	out_char('\n');
	return 0;
}

static void do_processes(struct runner *r, const char *rest)
{
	(void)rest;
	out_text("  PID  PPID S STAGE  LINE      STEPS PROGRAM  DIRECTORY COMMAND\n");
	cowsh_list_processes(r->session, put_process, NULL);
}

struct search {
	int pid; /* that is looked for; 0: the first behind the session's shell */
	int parent;
	char cwd[4096];
};

static int find_process(void *user, const struct cowsh_process *p)
{
	struct search *s = user;

	if (s->pid != 0 ? p->pid != s->pid : strcmp(p->program, "session") == 0)
		return 0;
	s->pid = p->pid;
	s->parent = p->ppid;
	if (p->cwd != NULL && strlen(p->cwd) < sizeof s->cwd)
		strcpy(s->cwd, p->cwd);
	return 1;
}

/* The process that the stop is about: at a step, the one that was started first. */
static struct search process_here(struct runner *r)
{
	struct search s = { .pid = d.stop.pid, .cwd = "" };

	cowsh_list_processes(r->session, find_process, &s);
	return s;
}

/* A number that was given, else `here`; -1, and a message, if it is none. */
static int pid_of(const char *rest, int here)
{
	char *end;
	long pid;

	if (*rest == '\0')
		return here;
	pid = strtol(rest, &end, 10);
	if (*end == '\0' && pid >= 0 && pid < 1 << 30)
		return (int)pid;
	out_format("cowsh: '%s' is no number of a process\n", rest);
	return -1;
}

/* --- variables --- */

struct wanted {
	const char *name; /* NULL: all */
	bool found;
};

static int put_variable(void *user, const struct cowsh_variable *v)
{
	struct wanted *w = user;

	if (w->name != NULL && strcmp(w->name, v->name) != 0)
		return 0;
	w->found = true;
	out_format("declare -%s %s", v->attributes[0] != '\0' ? v->attributes : "-", v->name);
	if (v->value != NULL) {
		out_char('=');
		if (strpbrk(v->attributes, "aA") != NULL)
			out_source(v->value, v->len);
		else
			out_word(v->value, v->len);
	}
	out_char('\n');
	return 0;
}

/* Of the shell that stands here, or runs what stands here: only shells have variables. */
static int list_variables(struct runner *r, struct wanted *w)
{
	struct search at = process_here(r);
	int err = cowsh_list_variables(r->session, at.pid, put_variable, w);

	while (err == -COWSH_EINVAL && at.pid > 0) {
		at.pid = at.parent;
		if (at.pid != 0)
			cowsh_list_processes(r->session, find_process, &at);
		err = cowsh_list_variables(r->session, at.pid, put_variable, w);
	}
	return err;
}

static void do_variables(struct runner *r, const char *rest)
{
	struct wanted all = { NULL, false };
	int pid = pid_of(rest, 0);
	int err = *rest == '\0' ? list_variables(r, &all)
		  : pid >= 0    ? cowsh_list_variables(r->session, pid, put_variable, &all)
				: 0;

	if (err == -COWSH_EINVAL)
		out_format("cowsh: process %d is no shell\n", pid);
	else if (err < 0)
		out_format("cowsh: there is no process %d\n", pid);
}

static void do_print(struct runner *r, const char *rest)
{
	struct wanted one = { rest, false };

	(void)list_variables(r, &one);
	if (!one.found)
		out_format("cowsh: there is no variable '%s'\n", rest);
}

/* --- descriptors, files --- */

static int put_descriptor(void *user, const struct cowsh_descriptor *fd)
{
	static const char *const access[] = { "read", "write", "both", "none" };

	(void)user;
	out_format("%3d %-9s %-5s %10llu", fd->fd, fd->kind, access[fd->flags & 3],
		   (unsigned long long)fd->pos);
	if (fd->path != NULL) {
		out_char(' ');
		out_name(fd->path);
	}
	out_char('\n');
	return 0;
}

static void do_descriptors(struct runner *r, const char *rest)
{
	int pid = pid_of(rest, process_here(r).pid);

	if (pid < 0)
		return;
	out_text(" FD KIND      FOR          POS PATH\n");
	if (cowsh_list_descriptors(r->session, pid, put_descriptor, NULL) < 0)
		out_format("cowsh: there is no process %d\n", pid);
}

static int put_change(void *user, const struct cowsh_change *c)
{
	(void)user;
	out_format("%c ", c->kind);
	out_name(c->path);
	out_char('\n');
	return 0;
}

static void do_files(struct runner *r, const char *rest)
{
	int err = cowsh_diff(r->session, r->before, put_change, NULL);

	(void)rest;
	if (err < 0)
		tell_error("files", err);
}

/* --- breakpoints, once more --- */

static void do_break(struct runner *r, const char *rest)
{
	int number = add_point(r->session, rest);

	if (number < 0)
		tell_error("break", number);
	else
		out_format("breakpoint %d\n", number);
}

static void do_delete(struct runner *r, const char *rest)
{
	int err = cowsh_break_remove(r->session, atoi(rest));

	if (err < 0)
		tell_error("delete", err);
}

/* --- going on --- */

static void go_until(struct runner *r, const char *where)
{
	int number = add_point(r->session, where);

	if (number < 0)
		tell_error("a breakpoint", number);
	else
		d.once = number;
}

static void do_continue(struct runner *r, const char *rest)
{
	(void)r;
	d.passing = strtoull(rest, NULL, 10);
	if (d.passing != 0)
		d.passing--;
}

static void do_step(struct runner *r, const char *rest)
{
	uint64_t steps = *rest != '\0' ? strtoull(rest, NULL, 10) : 1;
	char where[24];

	if (steps > UINT64_MAX - d.stop.steps)
		steps = UINT64_MAX - d.stop.steps;
	snprintf(where, sizeof where, "%llu", (unsigned long long)(d.stop.steps + steps));
	go_until(r, where);
}

static void do_next(struct runner *r, const char *rest)
{
	(void)rest;
	go_until(r, "*");
}

static void do_quit(struct runner *r, const char *rest)
{
	(void)rest;
	d.ended = true;
	cowsh_cancel(r->session);
}

/* --- copies --- */

static bool live; /* a copy runs, and what it writes is told */

static int copy_output(void *user, int fd, const char *data, size_t len)
{
	(void)user;
	(void)fd;
	if (live)
		out_bytes(data, len);
	return 0;
}

static struct cowsh_host host_of_copies(const struct runner *r)
{
	struct cowsh_host host = r->host;

	host.output = copy_output;
	host.input = NULL;
	fetch_refuse(&host);
	return host;
}

/* Runs a copy to its end, tells its status, and what it changed since then. */
static void run_copy(struct runner *r, cowsh *copy, const char *name)
{
	cowsh *original = r->session;
	struct cowsh_result result = { .status = -1 };
	cowsh_snapshot *from;

	if (cowsh_snapshot_new(copy, &from) < 0) {
		tell_error(name, -COWSH_ENOMEM);
		return;
	}
	r->session = copy;
	live = true;
	while (cowsh_step(copy, 0) == COWSH_WAIT)
		runner_wait(r);
	while (cowsh_drain(copy, 0) == COWSH_WAIT)
		runner_wait(r);
	live = false;
	r->session = original;
	cowsh_get_result(copy, &result);
	out_format("%s: status %d, %llu steps\n", name, result.status,
		   (unsigned long long)result.steps);
	cowsh_diff(copy, from, put_change, NULL);
	cowsh_snapshot_free(from);
}

/* Replays what is in the journal up to the stop. NULL: it can't be done, which was told. */
static cowsh_replay *replay_here(struct runner *r, const struct cowsh_host *host)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_replay_report report = { 0 };
	uint64_t commands = cowsh_journal_commands(r->session);
	cowsh_image *images[MOUNTS_MAX];
	cowsh_replay *replay;
	const char *why;

	for (int i = 0; i < r->options->nimages; i++)
		images[i] = r->options->images[i].image;
	config.images = images;
	config.nimages = (size_t)r->options->nimages;
	config.mounts = r->options->mounts;
	config.nmounts = (size_t)r->options->nmounts;
	config.most = &r->options->config;
	config.host = host;
	config.journal = journal_in_memory(r, &config.journal_len);
	if (config.journal == NULL) {
		out_text("cowsh: fork: not with --session, --dry-run and --microvm\n");
		return NULL;
	}
	if (cowsh_replay_new(r->store, &config, &replay, &why) < 0) {
		out_format("cowsh: fork: %s\n", why);
		return NULL;
	}
	while (report.command < commands && cowsh_replay_next(replay, &report) == COWSH_REPLAY_SAME)
		;
	if (report.command == commands &&
	    cowsh_replay_into(replay, d.stop.steps != 0 ? d.stop.steps : 1) >= 0)
		return replay;
	out_text("cowsh: fork: the run can't be repeated\n");
	cowsh_replay_free(replay);
	return NULL;
}

static void do_fork(struct runner *r, const char *rest)
{
	struct cowsh_host host = host_of_copies(r);
	cowsh_replay *replay = replay_here(r, &host);
	cowsh *copy;

	(void)rest;
	if (replay == NULL)
		return;
	copy = cowsh_replay_take(replay);
	cowsh_replay_free(replay);
	run_copy(r, copy, "fork");
	cowsh_free(copy);
}

/* A new computer with the files as they are now. */
static void do_try(struct runner *r, const char *rest)
{
	struct cowsh_host host = host_of_copies(r);
	struct cowsh_config config = r->options->config;
	struct search here = process_here(r);
	cowsh_snapshot *now;
	cowsh *copy;
	int err;

	err = cowsh_snapshot_new(r->session, &now);
	if (err == 0) {
		config.tree = now;
		config.nmounts = 0;
		config.nimages = 0;
		config.checkpoints = 0;
		config.cwd = here.cwd[0] != '\0' ? here.cwd : NULL;
		err = cowsh_new(r->store, &config, &host, &copy);
		cowsh_snapshot_free(now);
	}
	if (err == 0) {
		err = cowsh_start(copy, rest, strlen(rest));
		if (err == 0)
			run_copy(r, copy, "try");
		cowsh_free(copy);
	}
	if (err < 0)
		tell_error("try", err);
}

/* --- commands --- */

static void do_help(struct runner *r, const char *rest);

static const struct command {
	const char *name;
	void (*run)(struct runner *r, const char *rest);
	bool moves; /* the run goes on, or ends */
	enum { NO_VALUE, MAY_VALUE, WANTS_VALUE } value;
	const char *help;
} commands[] = {
	{ "where", do_where, false, NO_VALUE, "where it stands" },
	{ "print", do_print, false, WANTS_VALUE, "NAME  a variable of the shell" },
	{ "processes", do_processes, false, NO_VALUE, "processes" },
	{ "variables", do_variables, false, MAY_VALUE, "[PID]  variables of the shell, or of PID" },
	{ "descriptors", do_descriptors, false, MAY_VALUE, "[PID]  open files" },
	{ "files", do_files, false, NO_VALUE, "what changed in the files since the run began" },
	{ "break", do_break, false, WANTS_VALUE, "WHERE  stop there, too: as --break" },
	{ "delete", do_delete, false, MAY_VALUE, "[N]  breakpoint N, or all" },
	{ "continue", do_continue, true, MAY_VALUE, "[N]  go on, to the Nth stop from here" },
	{ "step", do_step, true, MAY_VALUE, "[N]  go on for N steps" },
	{ "next", do_next, true, NO_VALUE, "go on to the next command" },
	{ "fork", do_fork, false, NO_VALUE, "let a copy go on to its end; here nothing changes" },
	{ "try", do_try, false, WANTS_VALUE, "SCRIPT  run it on a copy of the files" },
	{ "quit", do_quit, true, NO_VALUE, "end the run here" },
	{ "help", do_help, false, NO_VALUE, "these commands; beginnings are enough: w, p x, c" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void do_help(struct runner *r, const char *rest)
{
	(void)r;
	(void)rest;
	for (int i = 0; i < COMMANDS; i++)
		out_format("%-12s %s\n", commands[i].name, commands[i].help);
}

/* Does what the line says; whether the run goes on. */
static bool execute(struct runner *r, const char *line)
{
	const char *rest;
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, " \t");
	rest = line + len;
	rest += strspn(rest, " \t");
	for (int i = 0; len != 0 && i < COMMANDS; i++) {
		const struct command *c = &commands[i];

		if (strncmp(c->name, line, len) != 0)
			continue;
		if ((c->value == NO_VALUE && *rest != '\0') ||
		    (c->value == WANTS_VALUE && *rest == '\0')) {
			out_format("cowsh: usage: %s %s\n", c->name, c->help);
			return false;
		}
		c->run(r, rest);
		return c->moves;
	}
	if (len != 0 && line[0] != '#')
		out_format("cowsh: unknown command '%s' (try help)\n", line);
	return false;
}

/* --- at a stop --- */

/* A line of standard input without its end; false at the end of it. Lines that are too long are
 * cut. */
static bool read_line(char line[LINE_BYTES])
{
	size_t len = 0;
	char c = '\n';
	ssize_t n;

	while ((n = read(0, &c, 1)) == 1 || (n < 0 && errno == EINTR)) {
		if (n == 1 && c == '\n')
			break;
		if (n == 1 && len < LINE_BYTES - 1)
			line[len++] = c;
	}
	line[len] = '\0';
	return n == 1 || len != 0;
}

static void ask(struct runner *r)
{
	static char line[LINE_BYTES];

	do {
		if (d.terminal)
			out_text("(cowsh) ");
		out_flush();
		if (!read_line(line))
			strcpy(line, "quit");
	} while (!execute(r, line));
}

void debug_stop(struct runner *r)
{
	struct out_stream *before = out_select(&errors);
	bool gone = false;

	cowsh_get_stop(r->session, &d.stop);
	if (d.once != 0) {
		cowsh_break_remove(r->session, d.once);
		d.once = 0;
	}
	if (d.passing != 0) {
		d.passing--;
		out_select(before);
		return;
	}
	if (d.nactions == 0)
		do_where(r, "");
	for (int i = 0; i < d.nactions && !gone; i++)
		gone = execute(r, d.actions[i]);
	if (d.input || d.terminal)
		ask(r);
	else if (d.nactions == 0)
		do_quit(r, "");
	out_flush();
	out_select(before);
	deadline_begin();
}
