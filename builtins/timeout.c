/* SPDX-License-Identifier: MIT
 *
 * timeout - run a program, and stop it after a time.
 *
 * The alarm is a caught signal that interrupts the wait; after it the program's group gets the
 * signal, and after another time (-k) SIGKILL.
 */
#include "builtins/builtin.h"

enum { SIG_KILL = 9, SIG_ALRM = 14, SIG_TERM = 15, SIG_CONT = 18 };

struct timeout_opts {
	bool foreground;
	bool kills; /* -k */
	int64_t kill_ns;
	bool preserve;
	int signal;
	bool verbose;
};

static int set_signal(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct timeout_opts *o = c->opts;

	(void)opt;
	o->signal = cmd_sig_number(arg);
	if (o->signal >= 0)
		return 0;
	cmd_error(c, 0, "%s: invalid signal", cmd_quote(c, arg));
	return cmd_usage(c, NULL);
}

static int set_kill_after(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct timeout_opts *o = c->opts;

	(void)opt;
	o->kills = true;
	return num_parse_span(arg, &o->kill_ns)
		       ? 0
		       : cmd_usage(c, "invalid time interval %s", cmd_quote(c, arg));
}

static void timeout_defaults(struct cmd *c)
{
	((struct timeout_opts *)c->opts)->signal = SIG_TERM;
}

static const struct opt timeout_options[] = {
	OPT_FLAG(0, "foreground", struct timeout_opts, foreground,
		 "only the program, not its children"),
	OPT_CALL_ARG('k', "kill-after", set_kill_after, "DURATION",
		     "send KILL if it still runs so long after the signal"),
	OPT_FLAG(0, "preserve-status", struct timeout_opts, preserve,
		 "give the program's status even after the time is over"),
	OPT_CALL_ARG('s', "signal", set_signal, "SIGNAL", "what to send (TERM)"),
	OPT_FLAG('v', "verbose", struct timeout_opts, verbose, "say what is sent"),
	OPT_END(),
};

struct run {
	struct cmd *c;
	const struct timeout_opts *o;
	int pid;
	int sig;
	int64_t kill_ns;
	bool timed_out;
	bool killed;
};

static void send(struct run *r, int sig)
{
	struct cmd *c = r->c;
	const char *name = cmd_sig_name(sig);

	if (r->o->verbose)
		cmd_error(c, 0, "sending signal %s to command %s",
			  name != NULL ? name
			  : sig == 0   ? "EXIT"
				       : "?",
			  cmd_quote(c, c->args[1]));
	cmd_kill(c, r->o->foreground ? r->pid : -r->pid, sig);
	if (sig != SIG_KILL && sig != SIG_CONT)
		cmd_kill(c, r->o->foreground ? r->pid : -r->pid, SIG_CONT);
}

static void time_is_over(struct run *r)
{
	if (r->timed_out) {
		r->killed = true;
		send(r, SIG_KILL);
		return;
	}
	r->timed_out = true;
	r->killed = r->sig == SIG_KILL;
	send(r, r->sig);
	if (r->kill_ns > 0)
		cmd_alarm(r->c, r->kill_ns);
}

static int wait_status(struct run *r)
{
	int status = 0;

	while (cmd_wait(r->c, r->pid, &status, false) < 0) {
		int sig = cmd_next_signal(r->c);

		if (sig == SIG_ALRM)
			time_is_over(r);
		else if (sig != 0)
			send(r, sig);
		else
			cmd_charge(r->c, 1);
	}
	return status;
}

static int finish(struct run *r, int status)
{
	int sig = status & 0x7f;

	if (r->timed_out && !r->o->preserve) {
		if (r->killed && sig == SIG_KILL)
			cmd_die(r->c, SIG_KILL);
		return 124;
	}
	if (sig == 0 || r->timed_out)
		return cmd_exit_status(status);
	/* The program's end by a signal becomes ours. */
	cmd_signal(r->c, sig, CMD_SIG_DEFAULT);
	cmd_die(r->c, sig);
}

static int timeout_run(struct cmd *c)
{
	struct run r = { .c = c, .o = c->opts, .sig = SIG_TERM };
	int64_t ns;

	if (c->nargs < 2)
		return cmd_usage(c, NULL);
	r.sig = r.o->signal;
	r.kill_ns = r.o->kill_ns;
	if (!num_parse_span(c->args[0], &ns))
		return cmd_usage(c, "invalid time interval %s", cmd_quote(c, c->args[0]));
	struct cmd_program prog = { .argv = c->args + 1, .pgid = r.o->foreground ? 0 : -1 };

	r.pid = cmd_spawn(c, &prog);
	if (r.pid < 0) {
		cmd_error(c, r.pid, "failed to run command %s", cmd_quote(c, c->args[1]));
		return r.pid == -E_NOENT ? 127 : 126;
	}
	cmd_signal(c, SIG_ALRM, CMD_SIG_CATCH);
	cmd_signal(c, SIG_TERM, CMD_SIG_CATCH);
	cmd_signal(c, 2, CMD_SIG_CATCH);
	cmd_signal(c, 1, CMD_SIG_CATCH);
	if (ns > 0)
		cmd_alarm(c, ns);
	return finish(&r, wait_status(&r));
}

const struct builtin builtin_timeout = {
	.name = "timeout",
	.usage = "[OPTION] DURATION COMMAND [ARG]...",
	.summary = "Runs COMMAND, and stops it if it still runs after DURATION (smhd).",
	.run = timeout_run,
	.opts = timeout_options,
	.opts_size = sizeof(struct timeout_opts),
	.defaults = timeout_defaults,
	.flags = BUILTIN_STOP,
	.usage_status = 125,
	.error_status = 125,
};
