/* SPDX-License-Identifier: MIT
 *
 * pgrep, pkill - find processes by name or otherwise; tell their numbers, or send a signal.
 *
 * Not here: terminals (-t: no process has one), namespaces, cgroups.
 */
#include "base/regex.h"
#include "builtins/builtin.h"

enum { NAME_MAX = 15, NS = 1000000000 };

enum pgrep_by { BY_PGID, BY_GID, BY_PPID, BY_SID, BY_UID, BY_PID, BY_KINDS };

struct id_list {
	int64_t *id;
	size_t n;
	bool given;
};

struct pgrep_opts {
	const char *delimiter;
	bool names;
	bool full_names;
	bool inverse;
	bool count;
	bool full;
	bool ignore_case;
	bool newest;
	bool oldest;
	bool exact;
	bool echo;
	const char *states;
	const char *older;
	const char *pidfile;
	const char *terminal; /* a list */
	bool namespace;       /* as all have the same: only whether it was asked for */
	bool no_ancestors;
	struct id_list by[BY_KINDS];
	int sig;
};

static void add_id(struct cmd *c, struct id_list *l, int64_t id)
{
	l->id = arena_room(c->arena, l->id, l->n, sizeof id);
	l->id[l->n++] = id;
	l->given = true;
}

static int64_t id_of(struct cmd *c, enum pgrep_by by, const char *text)
{
	uint64_t id;
	uint32_t uid;
	uint32_t gid;

	/* An empty item is 0. */
	if (*text == '\0')
		text = "0";
	if (num_plain(text, &id)) {
		if (id == 0 && by == BY_SID)
			return cmd_sid(c);
		return id == 0 && by == BY_PGID ? cmd_pgid(c) : (int64_t)(id & INT64_MAX);
	}
	if (by == BY_UID && cmd_user_id(c, text, &uid, &gid))
		return uid;
	if (by == BY_GID && cmd_group_id(c, text, &gid))
		return gid;
	return -1;
}

static int add_list(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char *const wrong[] = {
		[BY_UID] = "invalid user name: %s",      [BY_GID] = "invalid group name: %s",
		[BY_PGID] = "invalid process group: %s", [BY_SID] = "invalid session id: %s",
		[BY_PPID] = "not a number: %s",
	};
	struct pgrep_opts *o = c->opts;
	enum pgrep_by by = (enum pgrep_by)opt->value;

	if (*arg == '\0')
		return cmd_usage(c, NULL);
	for (;;) {
		size_t len = strcspn(arg, ",");
		char *item = arena_dup(c->arena, (struct bytes){ arg, len });
		int64_t id = id_of(c, by, item);

		if (id < 0)
			return cmd_error(c, 0, wrong[by], item);
		add_id(c, &o->by[by], id);
		if (arg[len] == '\0')
			return 0;
		arg += len + 1;
	}
}

static int set_signal(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pgrep_opts *o = c->opts;

	(void)opt;
	o->sig = cmd_sig_number(strncmp(arg, "SIG", 3) == 0 ? arg + 3 : arg);
	return o->sig < 0 ? cmd_usage(c, "Unknown signal \"%s\".", arg) : 0;
}

static int set_namespace(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pgrep_opts *o = c->opts;
	uint64_t pid;

	(void)opt;
	if (!num_plain(arg, &pid) || pid > INT32_MAX || !cmd_alive(c, (int)pid))
		return cmd_usage(c, NULL) != 0;
	o->namespace = true;
	return 0;
}

/* No process has a terminal: whether the list says "?". */
static bool wants_no_terminal(const char *list)
{
	while (*list != '\0') {
		size_t n = strcspn(list, ",");

		if (n == 1 && *list == '?')
			return true;
		list += n + (list[n] != '\0');
	}
	return false;
}

static bool is_ancestor(struct cmd *c, const struct cmd_proc *list, size_t n, int pid)
{
	int at = cmd_pid(c);

	for (size_t turn = 0; turn < n && at != pid; turn++) {
		size_t i = 0;

		while (i < n && list[i].pid != at)
			i++;
		cmd_charge(c, i / 8 + 1);
		if (i == n)
			return false;
		at = list[i].ppid;
	}
	return at == pid;
}

/* pkill -9, -KILL, -SIGKILL. */
static int pkill_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct pgrep_opts *o = c->opts;
	const char *name = argv[i] + 1;
	int sig;

	(void)argc;
	if (argv[i][0] != '-' || *name == '\0' || *name == '-')
		return 0;
	sig = cmd_sig_number(strncmp(name, "SIG", 3) == 0 ? name + 3 : name);
	if (sig < 0)
		return 0;
	o->sig = sig;
	return 1;
}

#define LIST(s, l, v, meta, text)                                                                  \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,        \
		.fn = add_list, .value = (v), .metavar = (meta), .help = (text)                    \
	}
#define COMMON                                                                                     \
	OPT_FLAG('c', "count", struct pgrep_opts, count, "write how many match"),                  \
		OPT_FLAG('f', "full", struct pgrep_opts, full, "match the whole command line"),    \
		LIST('g', "pgroup", BY_PGID, "PGID,...", "of these process groups"),               \
		LIST('G', "group", BY_GID, "GID,...", "of these groups"),                          \
		OPT_FLAG('i', "ignore-case", struct pgrep_opts, ignore_case,                       \
			 "letters match in either case"),                                          \
		OPT_FLAG('n', "newest", struct pgrep_opts, newest, "the last one started"),        \
		OPT_FLAG('o', "oldest", struct pgrep_opts, oldest, "the first one started"),       \
		OPT_STR('O', "older", struct pgrep_opts, older, NULL, "SECONDS",                   \
			"started longer ago than this"),                                           \
		LIST('P', "parent", BY_PPID, "PPID,...", "children of these processes"),           \
		LIST('s', "session", BY_SID, "SID,...", "of these sessions"),                      \
		LIST('u', "euid", BY_UID, "ID,...", "of these users"),                             \
		LIST('U', "uid", BY_UID, "ID,...", "the same"),                                    \
		OPT_FLAG('x', "exact", struct pgrep_opts, exact, "the pattern is all of it"),      \
		OPT_STR('F', "pidfile", struct pgrep_opts, pidfile, NULL, "FILE",                  \
			"processes whose number is in FILE"),                                      \
		OPT_STR('r', "runstates", struct pgrep_opts, states, NULL, "STATE",                \
			"in these states: R, S, T, Z"),                                            \
		OPT_STR('t', "terminal", struct pgrep_opts, terminal, NULL, "TTY,...",             \
			"at these terminals; ? is none"),                                          \
		OPT_FLAG('A', "ignore-ancestors", struct pgrep_opts, no_ancestors,                 \
			 "without those that started this"),                                       \
		OPT_CALL_ARG(0, "ns", set_namespace, "PID", "of the namespaces of PID: all are"),  \
		OPT_MISSING_ARG(0, "nslist"), OPT_MISSING_ARG(0, "cgroup"),                        \
		OPT_MISSING('L', "logpidfile")

static const struct opt pgrep_options[] = {
	OPT_STR('d', "delimiter", struct pgrep_opts, delimiter, "\n", "TEXT",
		"write TEXT between numbers"),
	OPT_FLAG('l', "list-name", struct pgrep_opts, names, "write names too"),
	OPT_FLAG('a', "list-full", struct pgrep_opts, full_names, "write command lines too"),
	OPT_FLAG('v', "inverse", struct pgrep_opts, inverse, "those that do not match"),
	OPT_IGNORED('w', "lightweight", "threads too: processes have one"),
	OPT_CALL_ARG(0, "signal", set_signal, "SIGNAL", "no effect"),
	COMMON,
	OPT_END(),
};

static const struct opt pkill_options[] = {
	OPT_CALL_ARG(0, "signal", set_signal, "SIGNAL", "what to send (TERM)"),
	OPT_FLAG('e', "echo", struct pgrep_opts, echo, "say what is killed"),
	COMMON,
	OPT_END(),
};
#undef COMMON
#undef LIST

static bool in_list(const struct id_list *l, int64_t id)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->id[i] == id)
			return true;
	return !l->given;
}

static bool is_chosen(struct cmd *c, struct regex *re, const struct cmd_proc *p)
{
	const struct pgrep_opts *o = c->opts;
	const char *text = o->full ? p->args : p->name;
	struct bytes subject = bytes_of(text);
	struct regex_span span;
	uint64_t older;

	if (!in_list(&o->by[BY_PGID], p->pgid) || !in_list(&o->by[BY_GID], p->gid) ||
	    !in_list(&o->by[BY_PPID], p->ppid) || !in_list(&o->by[BY_SID], p->sid) ||
	    !in_list(&o->by[BY_UID], p->uid) || !in_list(&o->by[BY_PID], p->pid))
		return false;
	if (o->terminal != NULL && !wants_no_terminal(o->terminal))
		return false;
	if (o->states != NULL && strchr(o->states, p->state) == NULL)
		return false;
	if (o->older != NULL && num_plain(o->older, &older) &&
	    (uint64_t)((cmd_now(c) - p->started_ns) / NS) < older)
		return false;
	if (re == NULL)
		return true;
	if (regex_search(re, subject, 0, 0, &span, 1) != 0)
		return false;
	return !o->exact || (span.from == 0 && span.to == subject.len);
}

static struct regex *compile(struct cmd *c, const char *pattern)
{
	const struct pgrep_opts *o = c->opts;
	struct buf text = buf_in(c->arena);
	const char *message;
	struct regex *re;
	size_t offset;
	unsigned flags = REGEX_ERE | (o->ignore_case ? (unsigned)REGEX_ICASE : 0) |
			 (c->utf8 ? (unsigned)REGEX_UTF8 : 0);

	buf_printf(&text, o->exact ? "^(%s)$" : "%s", pattern);
	if (regex_compile(c->arena, buf_bytes(&text), flags, &re, &message, &offset) != 0)
		cmd_fatal_status(c, 2, 0, "regex error: %s", message);
	regex_set_work(re, cmd_work, c);
	return re;
}

static void read_pidfile(struct cmd *c, const char *path)
{
	struct pgrep_opts *o = c->opts;
	struct bytes text;
	uint64_t pid;

	if (cmd_read_all(c, path, &text) == 0) {
		char *digits = arena_dup(
			c->arena, (struct bytes){ text.ptr, strspn(text.ptr, "0123456789") });

		if (num_plain(digits, &pid) && pid <= INT32_MAX) {
			add_id(c, &o->by[BY_PID], (int64_t)pid);
			return;
		}
	}
	cmd_usage(c, "pidfile not valid");
	cmd_exit(c, 1);
}

/* The processes that were asked for: how many, at the front of *out. */
static size_t choose(struct cmd *c, struct regex *re, struct cmd_proc **out)
{
	const struct pgrep_opts *o = c->opts;
	struct cmd_proc *list;
	size_t all = cmd_procs(c, &list);
	/* The list is overwritten by what is chosen. */
	struct cmd_proc *whole = arena_array(c->arena, all + 1, sizeof *whole);
	size_t n = 0;

	memcpy(whole, list, all * sizeof *whole);

	for (size_t i = 0; i < all; i++) {
		bool left_out = o->no_ancestors && is_ancestor(c, whole, all, list[i].pid);

		if (left_out || list[i].pid == cmd_pid(c) ||
		    is_chosen(c, re, &list[i]) == o->inverse)
			continue;
		cmd_charge(c, 4);
		if (n == 1 && (o->newest || o->oldest)) {
			bool newer = list[i].started_ns >= list[0].started_ns;

			if (newer == o->newest)
				list[0] = list[i];
		} else {
			list[n++] = list[i];
		}
	}
	*out = list;
	return n;
}

/* As procps writes it, with a grave accent in front. */
static int usage(struct cmd *c, const char *message)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s: %s\nTry `%s --help' for more information.\n", c->name, message,
		   c->name);
	cmd_err_write(c, text.ptr, text.len);
	return 2;
}

/* What both check first. 0, or a status. */
static int prepare(struct cmd *c, struct regex **re)
{
	struct pgrep_opts *o = c->opts;
	bool any = o->newest || o->oldest || o->pidfile != NULL || o->states != NULL ||
		   o->older != NULL || o->terminal != NULL || o->namespace;

	for (int i = 0; i < BY_KINDS; i++)
		any |= o->by[i].given;
	if (o->newest + o->oldest + o->inverse > 1)
		return cmd_usage(c, NULL);
	if (c->nargs > 1)
		return usage(c, "only one pattern can be provided");
	if (c->nargs == 0 && !any)
		return usage(c, "no matching criteria specified");
	if (o->pidfile != NULL)
		read_pidfile(c, o->pidfile);
	*re = c->nargs == 1 ? compile(c, c->args[0]) : NULL;
	if (c->nargs == 1 && !o->full && strlen(c->args[0]) > NAME_MAX &&
	    strpbrk(c->args[0], "[]()|*+?.{}\\^$") == NULL) {
		cmd_warn(c, 0,
			 "pattern that searches for process name longer than 15 characters will "
			 "result in zero matches\nTry `%s -f' option to match against the "
			 "complete command line.",
			 c->name);
	}
	return 0;
}

static int pgrep_run(struct cmd *c)
{
	const struct pgrep_opts *o = c->opts;
	struct regex *re;
	struct cmd_proc *list;
	int status = prepare(c, &re);

	if (status != 0)
		return status;
	size_t n = choose(c, re, &list);

	for (size_t i = 0; i < n && !o->count; i++) {
		if (i > 0)
			cmd_puts(c, o->delimiter);
		cmd_printf(c, "%d", list[i].pid);
		if (o->names || o->full_names)
			cmd_printf(c, " %s", o->full_names ? list[i].args : list[i].name);
	}
	if (o->count)
		cmd_printf(c, "%llu\n", (unsigned long long)n);
	else if (n > 0)
		cmd_putc(c, '\n');
	return n > 0 ? 0 : 1;
}

static void pkill_defaults(struct cmd *c)
{
	struct pgrep_opts *o = c->opts;

	o->sig = 15;
}

static int pkill_run(struct cmd *c)
{
	const struct pgrep_opts *o = c->opts;
	struct regex *re;
	struct cmd_proc *list;
	size_t sent = 0;
	int status = prepare(c, &re);

	if (status != 0)
		return status;
	size_t n = choose(c, re, &list);

	for (size_t i = 0; i < n; i++) {
		int err = cmd_kill(c, list[i].pid, o->sig);

		if (err == -E_SRCH)
			continue;
		if (err < 0) {
			cmd_error(c, err, "killing pid %d failed", list[i].pid);
			continue;
		}
		sent++;
		if (o->echo)
			cmd_printf(c, "%s killed (pid %d)\n", re != NULL ? list[i].name : "",
				   list[i].pid);
	}
	if (o->count)
		cmd_printf(c, "%llu\n", (unsigned long long)n);
	return sent > 0 ? 0 : 1;
}

const struct builtin builtin_pgrep = {
	.name = "pgrep",
	.usage = "[OPTION]... PATTERN",
	.summary = "Writes the numbers of processes that match an extended regular expression.",
	.run = pgrep_run,
	.opts = pgrep_options,
	.opts_size = sizeof(struct pgrep_opts),
	.usage_status = 2,
	.error_status = 2,
	.family = "procps-ng 4.0.2",
	.hint = "Try `%s --help' for more information.\n",
};

const struct builtin builtin_pkill = {
	.name = "pkill",
	.usage = "[-SIGNAL] [OPTION]... PATTERN",
	.summary = "Sends a signal to processes that match an extended regular expression.",
	.run = pkill_run,
	.opts = pkill_options,
	.opts_size = sizeof(struct pgrep_opts),
	.usage_status = 2,
	.error_status = 2,
	.family = "procps-ng 4.0.2",
	.hint = "Try `%s --help' for more information.\n",
	.legacy = pkill_legacy,
	.defaults = pkill_defaults,
};
