/* SPDX-License-Identifier: MIT
 *
 * trap and kill.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/exec.h"

/* `kill -l` in posix mode. */
static int list_signal_names(struct shell *sh)
{
	struct buf out = buf_in(sh->arena);
	char name[16];

	for (int sig = 1; sig < SIG_COUNT; sig++) {
		if (sig == 32 || sig == 33)
			continue;
		trap_name(sig, name, false);
		buf_printf(&out, "%s%s", sig > 1 ? " " : "", name);
	}
	buf_putc(&out, '\n');
	out_flush_unchecked(sh, &out);
	return 0;
}

/* The table of `kill -l` and `trap -l`. */
static int list_signals(struct shell *sh, const char *who)
{
	struct buf out = buf_in(sh->arena);
	int column = 0;
	char name[16];

	for (int sig = 1; sig < SIG_COUNT; sig++) {
		if (sig == 32 || sig == 33)
			continue;
		trap_name(sig, name, true);
		buf_printf(&out, "%2d) %s", sig, name);
		column = (column + 1) % 5;
		buf_putc(&out, column == 0 ? '\n' : '\t');
	}
	if (column != 0)
		buf_putc(&out, '\n');
	if (strcmp(who, "trap") == 0)
		return out_flush(sh, who, &out);
	out_flush_unchecked(sh, &out);
	return 0;
}

static int invalid_signal(struct shell *sh, const char *who, const char *word)
{
	builtin_error(sh, who, "%s: invalid signal specification", word);
	return 1;
}

/* --- trap --- */

static void print_trap(struct shell *sh, struct buf *out, int which)
{
	char name[16];

	trap_name(which, name, !opt_set(sh, SET_POSIX));
	buf_puts(out, "trap -- ");
	if (sh->traps[which].text != NULL)
		quote_single(out, bytes_of(sh->traps[which].text));
	else
		buf_putc(out, '-');
	buf_printf(out, " %s\n", name);
}

/* With `all` also those that are at their default, as `trap -p` shows them in posix mode. */
static int print_traps(struct shell *sh, bool all, int n, char **names)
{
	struct buf out = buf_in(sh->arena);
	int status = 0;

	for (int i = 0; n == 0 && i < TRAP_COUNT; i++) {
		if (all || sh->traps[i].text != NULL)
			print_trap(sh, &out, i);
	}
	for (int i = 0; i < n; i++) {
		int which = trap_number(bytes_of(names[i]));

		if (which < 0)
			out_lines(sh, "trap", &out);
		if (which < 0)
			status = invalid_signal(sh, "trap", names[i]);
		else if (all || sh->traps[which].text != NULL)
			print_trap(sh, &out, which);
	}
	return out_flush(sh, "trap", &out) != 0 ? 1 : status;
}

static bool all_digits(const char *s)
{
	return *s != '\0' && s[strspn(s, "0123456789")] == '\0';
}

static int set_traps(struct shell *sh, int n, char **words)
{
	const char *action = words[0];
	bool signal = trap_number(bytes_of(action)) >= 0;
	int status = 0;
	int first = 1;

	/* A number in the place of the action, or no action: back to the default. */
	if (signal && (all_digits(action) || (n == 1 && !opt_set(sh, SET_POSIX)))) {
		action = "-";
		first = 0;
	}
	if (first == n)
		return usage_error(sh, "trap");
	proc_charge(sh->p, strlen(action) / 64);
	for (int i = first; i < n; i++) {
		int which = trap_number(bytes_of(words[i]));

		if (which < 0)
			status = invalid_signal(sh, "trap", words[i]);
		else
			trap_set(sh, which, strcmp(action, "-") == 0 ? NULL : action);
	}
	return status;
}

int do_trap(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { 0 };
	bool print = false;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "lp")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (c == 'l')
			return list_signals(sh, "trap");
		print = true;
	}
	if (print || o.index == argc)
		return print_traps(sh, print && opt_set(sh, SET_POSIX), argc - o.index,
				   argv + o.index);
	return set_traps(sh, argc - o.index, argv + o.index);
}

/* --- kill --- */

/* Of the names that kill takes: in posix mode they do not begin with SIG. */
static int kill_number(const struct shell *sh, const char *word)
{
	struct bytes name = bytes_of(word);

	return opt_set(sh, SET_POSIX) && bytes_starts(name, BYTES("SIG")) ? -1 : trap_number(name);
}

/* kill -l word: the name of a number or of an exit status, the number of a name. */
static int name_signal(struct shell *sh, struct buf *out, const char *word)
{
	int64_t n;
	char name[16];

	if (all_digits(word) && number_argument(word, &n)) {
		if (n > 128)
			n -= 128;
		if (n < 0 || n >= SIG_COUNT)
			return invalid_signal(sh, "kill", word);
		if (n == 32 || n == 33) /* they have no names */
			return 0;
		trap_name((int)n, name, false);
		buf_printf(out, "%s\n", name);
		return 0;
	}
	int which = kill_number(sh, word);

	if (which < 0)
		return invalid_signal(sh, "kill", word);
	buf_printf(out, "%d\n", which);
	return 0;
}

static int name_signals(struct shell *sh, int n, char **words)
{
	struct buf out = buf_in(sh->arena);
	int status = 0;

	if (n == 0)
		return opt_set(sh, SET_POSIX) ? list_signal_names(sh) : list_signals(sh, "kill");
	for (int i = 0; i < n; i++) {
		status = name_signal(sh, &out, words[i]) != 0 ? 1 : status;
		out_flush_unchecked(sh, &out);
		out.len = 0;
	}
	return status;
}

static int kill_failed(struct shell *sh, int64_t pid, int64_t err)
{
	builtin_error(sh, "kill", "(%lld) - %s", (long long)pid, err_text((int)err));
	return 1;
}

static int kill_job(struct shell *sh, const char *spec, int sig)
{
	struct job *j;
	int status = 0;

	job_poll(sh);
	j = job_of_spec(sh, spec);
	if (j == NULL) {
		builtin_error(sh, "kill", "%s: no such job", spec);
		return 1;
	}
	for (int i = 0; i < j->npids; i++) {
		int64_t err = j->statuses[i] >= 0 ? 0 : sys_kill(sh->p, j->pids[i], sig);

		if (err < 0)
			status = kill_failed(sh, j->pids[i], err);
	}
	return status;
}

static int kill_one(struct shell *sh, const char *word, int sig)
{
	int64_t pid;

	if (word[0] == '%')
		return kill_job(sh, word, sig);
	if (!number_argument(word, &pid) || pid > INT32_MAX || pid < -INT32_MAX) {
		if (*word == '\0')
			builtin_error(sh, "kill", "`%s': not a pid or valid job spec", word);
		else
			builtin_error(sh, "kill", "%s: arguments must be process or job IDs", word);
		return 1;
	}
	int64_t err = sys_kill(sh->p, (int)pid, sig);

	return err < 0 ? kill_failed(sh, pid, err) : 0;
}

struct kill_options {
	const char *signal; /* of -s, -n or -SIG, the last one; NULL: TERM */
	bool list;          /* -l, -L */
	bool seen;          /* there was one: another -SIG is a process group */
};

/* Reads the option at argv[i]: how many words it takes; 0: it is none; -1: after a message. */
static int kill_option(struct shell *sh, struct kill_options *o, char **argv, int i)
{
	const char *word = argv[i];

	if (word[0] != '-' || strcmp(word, "--") == 0)
		return 0;
	if (strcmp(word, "-l") == 0 || strcmp(word, "-L") == 0) {
		o->list = true;
		return 1;
	}
	if (strcmp(word, "-?") == 0) {
		usage_error(sh, "kill");
		return -1;
	}
	if (strcmp(word, "-s") == 0 || strcmp(word, "-n") == 0) {
		o->seen = true;
		o->signal = argv[i + 1];
		if (o->signal == NULL)
			builtin_error(sh, "kill", "%s: option requires an argument", word);
		return o->signal == NULL ? -1 : 2;
	}
	if (word[1] == 's' || (word[1] == 'n' && byte_is_digit(word[2]))) {
		o->seen = true;
		o->signal = word + 2;
		return 1;
	}
	if (o->seen)
		return 0;
	o->seen = true;
	o->signal = word + 1;
	return 1;
}

int do_kill(struct shell *sh, int argc, char **argv)
{
	struct kill_options o = { 0 };
	int sig = SIGTERM_;
	int64_t number;
	bool any = false;
	int first = 1;
	int took;

	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		no_options(sh, argc, argv);
		return STATUS_MISUSE;
	}
	while (first < argc && (took = kill_option(sh, &o, argv, first)) != 0) {
		if (took < 0)
			return strcmp(argv[first], "-?") == 0 ? STATUS_MISUSE : 1;
		first += took;
	}
	if (first < argc && strcmp(argv[first], "--") == 0)
		first++;
	if (o.list)
		return name_signals(sh, argc - first, argv + first);
	if (o.signal != NULL && number_argument(o.signal, &number))
		sig = number >= 0 && number < SIG_COUNT ? (int)number : -1;
	else if (o.signal != NULL)
		sig = kill_number(sh, o.signal);
	if (sig < 0 || sig >= SIG_COUNT)
		return invalid_signal(sh, "kill", o.signal);
	if (first >= argc)
		return usage_error(sh, "kill");
	/* Of children that have ended nothing is left to be signalled: `kill -0` waits for that. */
	job_poll(sh);
	for (int i = first; i < argc; i++)
		any = kill_one(sh, argv[i], sig) == 0 || any;
	return any ? 0 : 1;
}
