/* SPDX-License-Identifier: MIT
 *
 * kill - send signals to processes. The shell has a kill of its own, which knows jobs.
 */
#include "builtins/signals.h"

enum { SIGNALS = 31 };

const char *signals_name(int sig)
{
	if (sig < 1 || sig > SIGNALS)
		return NULL;
	return sig == 29 ? "POLL" : cmd_sig_name(sig);
}

void signals_put_all(struct cmd *c)
{
	for (int sig = 1; sig <= SIGNALS; sig++)
		cmd_printf(c, "%s%c", signals_name(sig), sig == 16 || sig == SIGNALS ? '\n' : ' ');
}

int signals_number(struct cmd *c, const char *text)
{
	struct buf name = buf_in(c->arena);
	uint64_t n;

	if (num_plain(text, &n))
		return n <= 64 ? (int)n : -1;
	for (; *text != '\0'; text++)
		buf_putc(&name, (char)(*text >= 'a' && *text <= 'z' ? *text - 32 : *text));
	const char *upper = buf_cstr(&name);

	if (strncmp(upper, "SIG", 3) == 0)
		upper += 3;
	if (strcmp(upper, "POLL") == 0)
		return 29;
	return cmd_sig_number(upper);
}

static const struct opt kill_options[] = {
	OPT_CALL_ARG('s', "signal", opt_ignored, "SIGNAL", "what to send (TERM); also -SIGNAL"),
	OPT_CALL_OPTIONAL('l', "list", opt_ignored, "SIGNAL", "list the names, or translate one"),
	OPT_CALL('L', "table", opt_ignored, "list the names with their numbers"),
	OPT_END(),
};

static void put_table(struct cmd *c)
{
	for (int sig = 1; sig <= SIGNALS; sig++) {
		cmd_printf(c, sig % 7 == 0 ? "%2d %s\n" : "%2d %-8s", sig, signals_name(sig));
	}
	cmd_putc(c, '\n');
}

/* The name of a number, or the number of a name. */
static int translate(struct cmd *c, const char *text)
{
	uint64_t n;
	int sig = signals_number(c, text);

	if (num_plain(text, &n) && n <= SIGNALS && signals_name((int)n) != NULL)
		cmd_printf(c, "%s\n", signals_name((int)n));
	else if (!num_plain(text, &n) && sig > 0)
		cmd_printf(c, "%d\n", sig);
	else
		cmd_error(c, 0, "unknown signal name %s", text);
	return 0;
}

/* The words before the processes: the signal, or -1 after all was done. */
static int take_signal(struct cmd *c, int *at, int *status)
{
	const char *word = c->nargs > 0 ? c->args[0] : "";
	const char *name = NULL;

	*at = 1;
	if (strcmp(word, "-l") == 0 || strcmp(word, "--list") == 0) {
		if (c->nargs > 1)
			*status = translate(c, c->args[1]);
		else
			signals_put_all(c);
		return -1;
	}
	if (strncmp(word, "--list=", 7) == 0) {
		*status = translate(c, word + 7);
		return -1;
	}
	if (strcmp(word, "-L") == 0 || strcmp(word, "--table") == 0) {
		put_table(c);
		return -1;
	}
	if (word[0] != '-' || strcmp(word, "--") == 0) {
		*at = strcmp(word, "--") == 0;
		return 15;
	}
	if ((strcmp(word, "-s") == 0 || strcmp(word, "--signal") == 0) && c->nargs > 1)
		name = c->args[(*at)++];
	else if (strncmp(word, "--signal=", 9) == 0)
		name = word + 9;
	else
		name = word + 1;
	int sig = signals_number(c, name);

	if (sig < 0)
		*status = cmd_usage(c, "invalid argument %c", name[0] != '\0' ? name[0] : '-');
	if (*at < c->nargs && strcmp(c->args[*at], "--") == 0)
		++*at;
	return sig;
}

static int kill_run(struct cmd *c)
{
	int status = 0;
	int at;
	int sig = take_signal(c, &at, &status);

	if (sig < 0)
		return status;
	if (at >= c->nargs)
		return cmd_usage(c, "no process is given");
	for (; at < c->nargs; at++) {
		int64_t pid;

		if (num_parse_i64(c->args[at], "", &pid) != 0 || pid > INT32_MAX ||
		    pid < -INT32_MAX) {
			status = cmd_error(c, 0, "failed to parse argument: '%s'", c->args[at]);
			continue;
		}
		int err = cmd_kill(c, (int)pid, sig);

		if (err < 0)
			status = cmd_error(c, err, "(%s)", c->args[at]);
	}
	return status;
}

const struct builtin builtin_kill = {
	.name = "kill",
	.usage = "[-SIGNAL] PID...",
	.summary = "Sends a signal to processes, or to groups if PID is negative.",
	.run = kill_run,
	.opts = kill_options,
	.flags = BUILTIN_RAW_HELP,
	.family = "procps-ng 4.0.2",
};
