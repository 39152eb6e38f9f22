/* SPDX-License-Identifier: MIT
 *
 * Traps: actions for signals, EXIT, DEBUG, ERR and RETURN.
 *
 * DEBUG, ERR and RETURN are not inherited by functions unless -T or -E is set, nor DEBUG by
 * sourced files: the frame of the call keeps them meanwhile.
 */
#include "base/number.h"
#include "interp/exec.h"

static const struct {
	const char *name;
	int which;
} pseudo[] = {
	{ "EXIT", TRAP_EXIT },
	{ "DEBUG", TRAP_DEBUG },
	{ "ERR", TRAP_ERR },
	{ "RETURN", TRAP_RETURN },
};

enum { NPSEUDO = sizeof(pseudo) / sizeof(pseudo[0]) };

static bool same_letters(struct bytes a, const char *b)
{
	size_t i;

	for (i = 0; i < a.len && b[i] != '\0'; i++) {
		if (byte_to_upper(a.ptr[i]) != b[i])
			return false;
	}
	return i == a.len && b[i] == '\0';
}

int trap_number(struct bytes name)
{
	int64_t number;

	if (arith_plain_number(name, &number))
		return number >= 0 && number < SIG_COUNT ? (int)number : -1;
	for (int i = 0; i < NPSEUDO; i++) {
		if (same_letters(name, pseudo[i].name))
			return pseudo[i].which;
	}
	return sig_of_name(name);
}

void trap_name(int which, char out[16], bool sig_prefix)
{
	const char *name = NULL;
	size_t at = 0;

	for (int i = 0; i < NPSEUDO; i++) {
		if (pseudo[i].which == which)
			name = pseudo[i].name;
	}
	if (name == NULL) {
		name = sig_name(which);
		if (sig_prefix) {
			memcpy(out, "SIG", 3);
			at = 3;
		}
	}
	if (name == NULL) { /* between the fixed ones and those for real time */
		out[number_put_u64(out, (uint64_t)which, 10, false)] = '\0';
		return;
	}
	while (*name != '\0' && at < 15)
		out[at++] = *name++;
	out[at] = '\0';
}

/* --- setting --- */

static bool is_signal(int which)
{
	return which > 0 && which < SIG_COUNT;
}

static void free_text(struct shell *sh, const struct trap *t)
{
	if (t->text != NULL && !t->parents && *t->text != '\0')
		pool_free(sh->pool, t->text, strlen(t->text) + 1);
}

static void forget(struct shell *sh, int which)
{
	struct trap *t = &sh->traps[which];

	free_text(sh, t);
	t->text = NULL;
	t->parents = false;
	t->done = false;
	if (which < 64)
		sh->traps_set &= ~((uint64_t)1 << which);
}

void trap_forget_parents(struct shell *sh)
{
	for (int i = 0; i < TRAP_COUNT; i++) {
		if (sh->traps[i].parents)
			forget(sh, i);
	}
}

void trap_interruptible(struct shell *sh, bool on)
{
	sh->interruptible = on;
	if (sh->traps[SIGINT_].text == NULL)
		sys_sigaction(sh->p, SIGINT_, on ? SIG_CAUGHT : SIG_DEFAULT);
}

/* Stands for "ignored"; never written, never freed. */
static const char ignored_text[1] = "";

/* With an EXIT trap these are caught, so that it runs before they end the shell. */
static const int fatal[] = {
	SIGHUP_,  SIGINT_,  SIGILL_,  SIGTRAP_, SIGABRT_, SIGBUS_,  SIGFPE_,    SIGUSR1_, SIGSEGV_,
	SIGUSR2_, SIGPIPE_, SIGALRM_, SIGTERM_, SIGXCPU_, SIGXFSZ_, SIGVTALRM_, SIGSYS_,
};

static void catch_fatal(struct shell *sh, bool on)
{
	if (sh->session || opt_set(sh, SET_INTERACTIVE))
		return;
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
		if (sh->traps[fatal[i]].text == NULL)
			sys_sigaction(sh->p, fatal[i], on ? SIG_CAUGHT : SIG_DEFAULT);
	}
}

/* SIGQUIT ends no shell but a subshell. Its children do not inherit that, so it is caught. */
static bool shrugs_off(const struct shell *sh, int which)
{
	return which == SIGQUIT_ && sh->task == NULL;
}

/*
 * What the shell does with a signal of that trap's text. It waits for its children even where it is
 * to ignore that they end.
 */
static enum sig_action action_of(const struct shell *sh, int which, const char *text)
{
	if (text == NULL)
		return shrugs_off(sh, which) ? SIG_CAUGHT : SIG_DEFAULT;
	if (*text != '\0')
		return SIG_CAUGHT;
	return which == SIGCHLD_ ? SIG_DEFAULT : SIG_IGNORED;
}

int trap_set(struct shell *sh, int which, const char *text)
{
	struct trap *t = &sh->traps[which];
	char *copy = NULL;

	if (t->inherited_ignored && !opt_set(sh, SET_INTERACTIVE))
		return 0;
	trap_forget_parents(sh);
	sh->has_traps |= text != NULL;
	if (text != NULL)
		copy = *text != '\0' ? pool_dup(sh->pool, bytes_of(text))
				     : (char *)(uintptr_t)ignored_text;
	forget(sh, which);
	t->text = copy;
	if (copy != NULL && *copy != '\0' && which < 64)
		sh->traps_set |= (uint64_t)1 << which;
	if (which == SIGCHLD_)
		sh->children_ended = 0;
	if (is_signal(which) && which != SIGKILL_ && which != SIGSTOP_)
		sys_sigaction(sh->p, which, action_of(sh, which, copy));
	if (which == SIGINT_ && copy == NULL && sh->interruptible)
		trap_interruptible(sh, true);
	if (which == TRAP_EXIT || trap_is_set(sh, TRAP_EXIT))
		catch_fatal(sh, copy != NULL || which != TRAP_EXIT);
	return 0;
}

void trap_init(struct shell *sh)
{
	for (int i = 1; i < SIG_COUNT; i++) {
		if (sh->p->sig_action[i] == SIG_IGNORED) {
			sh->traps[i].inherited_ignored = true;
			sh->traps[i].text = (char *)(uintptr_t)ignored_text;
		} else if (sh->p->sig_action[i] == SIG_CAUGHT) {
			sys_sigaction(sh->p, i, SIG_DEFAULT);
		}
	}
	if (sh->traps[SIGQUIT_].text == NULL)
		sys_sigaction(sh->p, SIGQUIT_, SIG_CAUGHT);
}

void trap_hide(struct shell *sh, struct frame *f, int which)
{
	size_t count = TRAP_COUNT - TRAP_DEBUG;

	if (sh->traps[which].text == NULL || sh->traps[which].parents)
		return;
	if (f->hidden_traps == NULL)
		f->hidden_traps = arena_zalloc(sh->arena, count * sizeof(*f->hidden_traps));
	f->hidden_traps[which - TRAP_DEBUG] = sh->traps[which];
	sh->traps[which] = (struct trap){ 0 };
}

void trap_show(struct shell *sh, struct frame *f)
{
	for (int i = TRAP_DEBUG; f->hidden_traps != NULL && i < TRAP_COUNT; i++) {
		struct trap *hidden = &f->hidden_traps[i - TRAP_DEBUG];

		if (sh->traps[i].text == NULL) {
			sh->traps[i] = *hidden;
			*hidden = (struct trap){ 0 };
		}
		free_text(sh, hidden);
	}
	f->hidden_traps = NULL;
}

static bool stays_in_subshell(const struct shell *sh, int which)
{
	if (which == TRAP_ERR)
		return opt_set(sh, SET_ERRTRACE);
	return which > TRAP_EXIT && opt_set(sh, SET_FUNCTRACE) && !is_signal(which);
}

void trap_reset_for_subshell(struct shell *sh)
{
	sh->traps_set = 0;
	sh->traps_pending = 0;
	if (sh->p->sig_action[SIGQUIT_] == SIG_CAUGHT)
		sys_sigaction(sh->p, SIGQUIT_, SIG_DEFAULT);
	if (sh->interruptible)
		trap_interruptible(sh, false);
	if (!sh->has_traps)
		return;
	/* Those that are caught for the EXIT trap's sake only: catch_fatal. */
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
		if (sh->p->sig_action[fatal[i]] == SIG_CAUGHT)
			sys_sigaction(sh->p, fatal[i], SIG_DEFAULT);
	}
	for (int i = 0; i < TRAP_COUNT; i++) {
		struct trap *t = &sh->traps[i];

		if (t->text == NULL || *t->text == '\0')
			continue;
		if (stays_in_subshell(sh, i)) {
			t->text = pool_dup(sh->pool, bytes_of(t->text));
			t->parents = false;
			continue;
		}
		if (!sh->overlay)
			t->text = pool_dup(sh->pool, bytes_of(t->text));
		t->parents = sh->overlay || i >= SIG_COUNT || i == TRAP_EXIT || is_signal(i);
		if (is_signal(i))
			sys_sigaction(sh->p, i, SIG_DEFAULT);
	}
}

void trap_ignore_interrupts(struct shell *sh)
{
	forget(sh, SIGINT_);
	sh->traps[SIGINT_].text = (char *)(uintptr_t)ignored_text;
	sh->has_traps = true;
}

/* --- running --- */

static unsigned busy_bit(int which)
{
	return 1U << (which - TRAP_DEBUG);
}

bool trap_busy(const struct shell *sh, int which)
{
	return which >= TRAP_DEBUG && (sh->traps_busy & busy_bit(which)) != 0;
}

static void run_action(struct shell *sh, int which, const char *name, int line)
{
	int outer = sh->trap_running;
	unsigned outer_busy = sh->traps_busy;
	int no_errexit = sh->no_errexit;
	const struct node *command = sh->command;
	struct buf *out = sh->captured;
	struct arena_mark mark = arena_mark(sh->arena);
	/* The action may set another trap in its own place. */
	struct bytes text = bytes_of(arena_dup(sh->arena, bytes_of(sh->traps[which].text)));
	int was = sh->line;
	int outer_status = sh->trap_status;
	int n = sh->npipestatus;
	int *statuses = copy_pipestatus(sh);

	sh->trap_status = sh->status;
	if (which == TRAP_EXIT)
		sh->traps[which].done = true;
	sh->captured = NULL;
	/* set -e minds an action's commands also where it would forgive the command it interrupts,
	 * but not behind a sourced file. */
	if (which != TRAP_RETURN || sh->frame->is_function)
		sh->no_errexit = 0;
	sh->trap_running = which;
	if (which >= TRAP_DEBUG)
		sh->traps_busy |= busy_bit(which);
	exec_text(sh, text, name, line);
	sh->no_errexit = no_errexit;
	sh->trap_running = outer;
	sh->traps_busy = outer_busy;
	sh->trap_status = outer_status;
	sh->captured = out;
	sh->command = command;
	sh->line = was;
	set_pipestatus(sh, statuses, n);
	arena_release(sh->arena, mark);
}

void trap_run(struct shell *sh, int which)
{
	static const char *const names[] = { "debug trap", "error trap", "return trap" };
	const struct trap *t = &sh->traps[which];
	int status = sh->status;

	if (t->text == NULL || t->parents || *t->text == '\0' || trap_busy(sh, which))
		return;
	if (which == TRAP_RETURN && trap_busy(sh, TRAP_DEBUG))
		return;
	if (which == TRAP_EXIT) {
		if (t->done)
			return;
		run_action(sh, which, "exit trap", 1);
		return;
	}
	run_action(sh, which, names[which - TRAP_DEBUG], sh->line);
	if (sh->flow == FLOW_NONE && which != TRAP_DEBUG)
		sh->status = status;
}

static int next_pending(struct shell *sh)
{
	for (int i = 1; i < SIG_COUNT && sh->traps_pending != 0; i++) {
		if ((sh->traps_pending & trap_bit(i)) != 0) {
			sh->traps_pending &= ~trap_bit(i);
			return i;
		}
	}
	return proc_next_signal(sh->p);
}

/* A signal that is only caught for the EXIT trap. */
static void end_by_signal(struct shell *sh, int sig)
{
	shell_end_children(sh); /* it may have waited for one */
	exec_finish(sh, sh->status);
	proc_die(sh->p, sig);
}

static bool gives_up_line(const struct shell *sh, int sig)
{
	return sh->interruptible && sig == SIGINT_ && !trap_is_set(sh, sig);
}

void trap_note(struct shell *sh)
{
	int sig;

	while ((sig = proc_next_signal(sh->p)) != 0) {
		if (!trap_is_set(sh, sig) && shrugs_off(sh, sig))
			continue;
		if (!trap_is_set(sh, sig) && !gives_up_line(sh, sig))
			end_by_signal(sh, sig);
		sh->traps_pending |= trap_bit(sig);
	}
}

/* Signals that are pending are one, but CHLD tells of each child. */
static int times_due(struct shell *sh, int sig)
{
	int ended;

	if (sig != SIGCHLD_)
		return 1;
	if (sh->trap_running == SIGCHLD_) /* the next one will tell of those that end now */
		return 0;
	job_poll(sh);
	ended = sh->children_ended;
	sh->children_ended = 0;
	return ended;
}

/* Runs the action of a signal that arrived. */
static void run_signal(struct shell *sh, int sig)
{
	const char *name = sig == SIGINT_ ? "interrupt trap" : "trap";
	int status = sh->status;

	for (int i = times_due(sh, sig); i > 0 && sh->flow == FLOW_NONE; i--) {
		if (trap_is_set(sh, sig) && *sh->traps[sig].text != '\0')
			run_action(sh, sig, name, 1);
		if (sh->flow == FLOW_NONE)
			sh->status = status;
	}
	if (sig != SIGCHLD_ || sh->trap_running == SIGCHLD_)
		return;
	trap_note(sh);
	sh->traps_pending &= ~trap_bit(SIGCHLD_);
}

void trap_poll(struct shell *sh)
{
	int sig;

	while (sh->flow == FLOW_NONE && (sig = next_pending(sh)) != 0) {
		if (gives_up_line(sh, sig)) {
			sh->flow = FLOW_ABORT;
			sh->status = STATUS_SIGNAL + sig;
			return;
		}
		if (trap_is_set(sh, sig))
			run_signal(sh, sig);
		else if (!shrugs_off(sh, sig))
			end_by_signal(sh, sig);
	}
}
