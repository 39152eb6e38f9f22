/* SPDX-License-Identifier: MIT
 *
 * killall - send a signal to all processes of a name.
 *
 * Each process counts for the first name that it has. Nothing has a context (-Z), and all are in
 * the same namespaces (-n).
 */
#include "base/regex.h"
#include "builtins/signals.h"

struct killall_opts {
	bool interactive;
	bool exact;
	bool ignore_case;
	bool group;
	bool list;
	bool quiet;
	bool regexp;
	bool verbose;
	bool wait;
	const char *user;
	const char *younger;
	const char *older;
	int sig;
};

/* A message without the program's name in front. */
static int complain(struct cmd *c, const char *format, const char *arg)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, format, arg);
	cmd_err_write(c, text.ptr, text.len);
	return 1;
}

static int set_signal(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct killall_opts *o = c->opts;

	uint64_t n;

	(void)opt;
	o->sig = num_plain(arg, &n) && n <= INT32_MAX ? (int)n : signals_number(c, arg);
	if (o->sig >= 0)
		return 0;
	return complain(c, "%s: unknown signal; killall -l lists signals.\n", arg);
}

/* A number with whatever behind it. */
static int check_namespace(struct cmd *c, const struct opt *opt, const char *arg)
{
	const char *at = arg + strspn(arg, " \t");

	(void)opt;
	at += *at == '-' || *at == '+';
	size_t digits = strspn(at, "0123456789");

	if (digits > 0 && digits <= 18)
		return 0;
	complain(c, "%s\n", "Invalid namespace PID");
	return cmd_usage(c, NULL);
}

static int check_context(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct regex *re;
	const char *message;
	size_t offset;

	(void)opt;
	if (regex_compile(c->arena, bytes_of(arg), REGEX_ERE, &re, &message, &offset) != 0)
		return complain(c, "Bad regular expression: %s\n", arg);
	return 0;
}

static const struct opt killall_options[] = {
	OPT_FLAG('e', "exact", struct killall_opts, exact, "no effect: names are compared whole"),
	OPT_FLAG('I', "ignore-case", struct killall_opts, ignore_case,
		 "letters match in either case"),
	OPT_FLAG('g', "process-group", struct killall_opts, group, "kill the process groups"),
	OPT_STR('y', "younger-than", struct killall_opts, younger, NULL, "TIME",
		"started since: 10s, 5m, 2h, 1d, 1w"),
	OPT_STR('o', "older-than", struct killall_opts, older, NULL, "TIME", "started before"),
	OPT_FLAG('i', "interactive", struct killall_opts, interactive, "ask before each"),
	OPT_FLAG('l', "list", struct killall_opts, list, "list the names of signals"),
	OPT_FLAG('q', "quiet", struct killall_opts, quiet, "do not complain"),
	OPT_FLAG('r', "regexp", struct killall_opts, regexp, "NAME is a regular expression"),
	OPT_CALL_ARG('s', "signal", set_signal, "SIGNAL", "what to send (TERM); also -SIGNAL"),
	OPT_STR('u', "user", struct killall_opts, user, NULL, "USER", "only processes of USER"),
	OPT_FLAG('v', "verbose", struct killall_opts, verbose, "say what was sent"),
	OPT_FLAG('w', "wait", struct killall_opts, wait, "wait until they have ended"),
	OPT_CALL_ARG('n', "ns", check_namespace, "PID", "of PID's namespaces: all are"),
	OPT_CALL_ARG('Z', "context", check_context, "REGEXP",
		     "of this security context: without labels all are"),
	OPT_END(),
};

/* -9, -KILL, -SIGKILL: not the letters that are options. */
static int killall_legacy(struct cmd *c, int argc, char **argv, int i)
{
	const char *name = argv[i] + 1;

	(void)argc;
	if (argv[i][0] != '-' || name[0] == '-' || name[0] == '\0')
		return 0;
	if (byte_is_digit(name[0]) || (name[0] >= 'A' && name[0] <= 'Z' && name[1] != '\0' &&
				       strspn(name, "IegilqrvwV") != strlen(name))) {
		int status = set_signal(c, NULL, name);

		if (status != 0)
			cmd_exit(c, status);
		return 1;
	}
	return 0;
}

struct target {
	struct regex *re;
	const char *name;
	bool path; /* the name is one, made absolute */
	size_t sent;
};

static char lower(char ch)
{
	return (char)(ch >= 'A' && ch <= 'Z' ? ch + 32 : ch);
}

/* The first len bytes of both, or up to the end of both. */
static bool same_name(const char *a, const char *b, size_t len, bool ignore_case)
{
	for (size_t i = 0; i < len; i++) {
		if (a[i] != b[i] && !(ignore_case && lower(a[i]) == lower(b[i])))
			return false;
		if (a[i] == '\0')
			return true;
	}
	return true;
}

static bool is_target(const struct killall_opts *o, const struct target *t,
		      const struct cmd_proc *p)
{
	struct regex_span span;

	if (t->re != NULL)
		return regex_search(t->re, bytes_of(p->name), 0, 0, &span, 1) == 0;
	if (t->path)
		return strcmp(p->path, t->name) == 0;
	/* The kernel keeps 15 bytes of a name. */
	return same_name(p->name, t->name, 15, o->ignore_case);
}

/* 10s, 5m, 2h, 1d, 1w, 1M, 1y in ns; -1: not a time. */
static int64_t span_of(const char *text)
{
	static const char units[] = "smhdwMy";
	static const int64_t seconds[] = { 1, 60, 3600, 86400, 604800, 2419200, 31536000 };
	size_t digits = strspn(text, "0123456789");
	const char *unit = text[digits] != '\0' ? strchr(units, text[digits]) : NULL;
	int64_t n = 0;

	if (digits == 0 || digits > 6 || unit == NULL || text[digits + 1] != '\0')
		return -1;
	for (size_t i = 0; i < digits; i++)
		n = n * 10 + (text[i] - '0');
	n *= seconds[unit - units];
	return n > INT64_MAX / 1000000000 ? INT64_MAX : n * 1000000000;
}

static int wrong_time(struct cmd *c)
{
	complain(c, "%s\n", "Invalid time format");
	return cmd_usage(c, NULL);
}

struct filter {
	uint32_t uid;
	bool by_user;
	int64_t younger;
	int64_t older;
};

static bool passes(struct cmd *c, const struct filter *f, const struct cmd_proc *p)
{
	int64_t age = cmd_now(c) - p->started_ns;

	if (f->by_user && p->uid != f->uid)
		return false;
	if (f->younger >= 0 && age > f->younger)
		return false;
	return f->older < 0 || age >= f->older;
}

static void wait_for(struct cmd *c, int pid)
{
	while (cmd_alive(c, pid)) {
		cmd_sleep(c, 10000000);
		cmd_charge(c, 10);
	}
}

/* -i: whether a line of standard input begins with y. */
static bool is_wanted(struct cmd *c, const struct cmd_proc *p)
{
	const struct killall_opts *o = c->opts;
	char first = '\0';
	char ch = '\0';

	if (!o->interactive)
		return true;
	cmd_printf(c, "%s %s(%s%d) ? (y/N) ", o->sig == 15 ? "Kill" : "Signal", p->name,
		   o->group ? "pgid " : "", o->group ? p->pgid : p->pid);
	cmd_flush(c);
	for (size_t i = 0; cmd_read(c, 0, &ch, 1) == 1 && ch != '\n'; i++) {
		first = i == 0 ? ch : first;
		cmd_charge(c, 1);
	}
	return first == 'y' || first == 'Y';
}

static void tell(struct cmd *c, const struct cmd_proc *p)
{
	const struct killall_opts *o = c->opts;
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "Killed %s(%s%d) with signal %d\n", p->name, o->group ? "pgid " : "",
		   o->group ? p->pgid : p->pid, o->sig);
	cmd_err_write(c, text.ptr, text.len);
}

static void tell_error(struct cmd *c, const struct cmd_proc *p, int err)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s(%d): %s\n", p->name, p->pid, err_text(err));
	cmd_err_write(c, text.ptr, text.len);
}

/* The first target that the process is of counts it; NULL: of none. */
static struct target *target_of(struct cmd *c, struct target *t, int n, const struct cmd_proc *p)
{
	for (int i = 0; i < n; i++) {
		cmd_charge(c, 1);
		if (t[i].name == NULL || is_target(c->opts, &t[i], p))
			return &t[i];
	}
	return NULL;
}

static void send(struct cmd *c, struct target *targets, int ntargets, const struct filter *f)
{
	const struct killall_opts *o = c->opts;
	struct cmd_proc *list;
	size_t n = cmd_procs(c, &list);
	bool *sent = arena_zalloc(c->arena, n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct cmd_proc *p = &list[i];
		struct target *t = target_of(c, targets, ntargets, p);

		if (p->pid == cmd_pid(c) || t == NULL || !passes(c, f, p) || !is_wanted(c, p))
			continue;
		int err = cmd_kill(c, o->group ? -p->pgid : p->pid, o->sig);

		if (err < 0 && !o->quiet)
			tell_error(c, p, err);
		if (err < 0)
			continue;
		t->sent++;
		sent[i] = true;
		if (o->verbose)
			tell(c, p);
	}
	for (size_t i = 0; o->wait && i < n; i++)
		if (sent[i])
			wait_for(c, list[i].pid);
}

/* What the names on the command line mean. 0, or a status. */
static int read_targets(struct cmd *c, struct target *t)
{
	const struct killall_opts *o = c->opts;
	unsigned flags = REGEX_ERE | (o->ignore_case ? (unsigned)REGEX_ICASE : 0);
	const char *message;
	size_t offset;

	for (int i = 0; i < c->nargs; i++) {
		const char *name = c->args[i];
		char *path;

		t[i].name = name;
		if (o->regexp) {
			if (regex_compile(c->arena, bytes_of(name), flags, &t[i].re, &message,
					  &offset) != 0)
				return cmd_error(c, 0, "Bad regular expression: %s", name);
			regex_set_work(t[i].re, cmd_work, c);
		} else if (strchr(name, '/') != NULL) {
			int err = cmd_canonical(c, name, CANON_EXISTING, &path);

			if (err < 0) {
				complain(c, "%s: ", name);
				return complain(c, "%s\n", err_text(err));
			}
			t[i].name = path;
			t[i].path = true;
		}
	}
	return 0;
}

static void killall_defaults(struct cmd *c)
{
	struct killall_opts *o = c->opts;

	o->sig = 15;
}

static int killall_run(struct cmd *c)
{
	const struct killall_opts *o = c->opts;
	struct filter f = { .younger = -1, .older = -1, .by_user = o->user != NULL };
	int status = 0;
	uint32_t gid;

	if (o->list) {
		signals_put_all(c);
		return 0;
	}
	if (o->user != NULL && !cmd_user_id(c, o->user, &f.uid, &gid))
		return complain(c, "Cannot find user %s\n", o->user);
	if (o->younger != NULL && (f.younger = span_of(o->younger)) < 0)
		return wrong_time(c);
	if (o->older != NULL && (f.older = span_of(o->older)) < 0)
		return wrong_time(c);
	if (c->nargs == 0 && o->user == NULL)
		return cmd_usage(c, NULL);
	struct target *t = arena_zalloc(c->arena, (size_t)(c->nargs + 1) * sizeof *t);

	status = read_targets(c, t);
	if (status != 0)
		return status;
	send(c, t, c->nargs > 0 ? c->nargs : 1, &f);
	if (c->nargs == 0)
		return t->sent > 0 ? 0 : 1;
	for (int i = 0; i < c->nargs; i++) {
		if (t[i].sent > 0)
			continue;
		status = 1;
		if (!o->quiet)
			complain(c, "%s: no process found\n", c->args[i]);
	}
	return status;
}

const struct builtin builtin_killall = {
	.name = "killall",
	.usage = "[OPTION]... NAME...",
	.summary = "Sends a signal to all processes that run NAME.",
	.run = killall_run,
	.opts = killall_options,
	.opts_size = sizeof(struct killall_opts),
	.legacy = killall_legacy,
	.defaults = killall_defaults,
	.family = "PSmisc 23.6",
};
