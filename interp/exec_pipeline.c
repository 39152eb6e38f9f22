/* SPDX-License-Identifier: MIT
 *
 * Pipelines: every stage is a process (with lastpipe the last one is this shell); negation,
 * pipefail, time.
 */
#include "interp/exec.h"

/* --- stages --- */

struct stages {
	const struct pipeline *pipeline;
	int *pids;
	int *statuses; /* as wait gives them */
	int started;
	int in; /* read end for the next stage; -1: none */
	bool background;
	bool here; /* the last one runs in this shell, while the others do: lastpipe */
};

static void close_end(struct shell *sh, int *fd)
{
	if (*fd >= 0)
		sys_close(sh->p, *fd);
	*fd = -1;
}

/* Starts stage i, which is not run by this shell. False after an error. */
static bool start_stage(struct shell *sh, struct stages *s, int i, bool has_next)
{
	const struct pipeline *p = s->pipeline;
	struct task t = { .run = task_run_node,
			  .node = p->commands[i],
			  .in = s->in,
			  .out = -1,
			  .close = { -1, -1 },
			  /* What runs in this shell meanwhile may change it. */
			  .copy = s->here || sh->traps[TRAP_DEBUG].text != NULL,
			  .background = s->background,
			  .stage = i + 1,
			  .stops = true,
			  .pgid = i > 0 ? s->pids[0] : 0,
			  .unstarted = true };
	struct proc *child;
	int ends[2] = { -1, -1 };
	int64_t pid;

	if (has_next) {
		int64_t err = sys_pipe(sh->p, ends, true);

		if (err < 0) {
			shell_error(sh, "pipe error: %s", err_text((int)err));
			sh->status = STATUS_NO_FORK;
			sh->flow = FLOW_ABORT;
			return false;
		}
		sys_set_passing(sh->p, ends[0], true);
		sys_set_passing(sh->p, ends[1], true);
		t.out = ends[1];
		t.close[0] = ends[0];
	}
	if (p->commands[i]->kind == NODE_SIMPLE)
		exec_debug(sh, p->commands[i]);
	else if (p->commands[i]->kind == NODE_SUBSHELL)
		exec_note_subshell(sh, p->commands[i]);
	pid = task_start(sh, &t, &child);
	close_end(sh, &s->in);
	close_end(sh, &ends[1]);
	s->in = ends[0];
	if (pid < 0)
		return false;
	/* A child that has ended at once, of a limit, has no shell. */
	if (p->commands[i]->kind == NODE_SIMPLE && !s->background && child->task != NULL)
		((struct shell *)child->task)->subshell_depth--;
	if (p->commands[i]->kind == NODE_SUBSHELL && has_next)
		sh->outer_line = ((const struct group *)p->commands[i])->last_line + sh->line_shift;
	s->pids[s->started++] = (int)pid;
	return true;
}

/* The last stage in this shell: shopt lastpipe. */
static int run_here(struct shell *sh, struct stages *s, const struct node *n)
{
	struct saved_fd *saved = sh->saved_fds;
	struct arena_mark mark = arena_mark(sh->arena);
	bool closed = s->in == 0; /* the pipe itself became descriptor 0 */
	int status;

	if (!closed) {
		if (redir_save(sh, 0) != 0)
			return sh->status = 1;
		sys_dup2(sh->p, s->in, 0, false);
		close_end(sh, &s->in);
	} else {
		sys_set_cloexec(sh->p, 0, false);
		s->in = -1;
	}
	status = exec_node(sh, n);
	if (closed)
		sys_close(sh->p, 0);
	redir_undo(sh, saved);
	arena_release(sh->arena, mark);
	return status;
}

/* Whether one of them was stopped: then the pipeline is a job. */
static bool wait_stages(struct shell *sh, struct stages *s)
{
	bool held = exec_hold_interrupt(sh);
	int options = exec_wait_options(sh);
	bool stopped = false;

	for (int i = 0; i < s->started; i++) {
		int64_t got;

		s->statuses[i] = 0;
		while ((got = sys_wait(sh->p, s->pids[i], &s->statuses[i], options)) == -E_INTR)
			trap_note(sh);
		if (got > 0 && is_stop(s->statuses[i]))
			stopped = true;
		else if (got > 0)
			child_ended(sh);
	}
	if (held)
		exec_release_interrupt(sh, s->started > 0 ? s->statuses[s->started - 1] : 0);
	follow_window(sh);
	return stopped;
}

/* Its status. */
static int become_job(struct shell *sh, const struct stages *s)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf text = buf_in(sh->arena);
	struct job *j;

	print_command(&text, &s->pipeline->node);
	j = job_add(sh, s->pids, s->started, s->pids[0], buf_bytes(&text));
	job_set_stages(sh, j, s->pipeline->commands);
	int status = 0;

	for (int i = 0; i < s->started; i++)
		if (is_stop(s->statuses[i]))
			status = s->statuses[i];
		else
			job_ended(sh, j, i, s->statuses[i]);
	job_stopped(sh, j, status);
	arena_release(sh->arena, mark);
	return status_of_wait(s->statuses[s->started - 1]);
}

/* The statuses as PIPESTATUS has them, and the pipeline's own. */
static int collect(struct shell *sh, const struct stages *s, int *codes, int n)
{
	int status = codes[n - 1];

	set_pipestatus(sh, codes, n);
	if (!opt_set(sh, SET_PIPEFAIL))
		return status;
	for (int i = n - 1; i >= 0; i--) {
		if (codes[i] != 0)
			return codes[i];
	}
	(void)s;
	return 0;
}

int pipeline_background(struct shell *sh, const struct pipeline *p, int **pids)
{
	struct stages s = { .pipeline = p, .in = -1, .background = true };
	int n = p->ncommands;

	s.pids = *pids = arena_array(sh->arena, (size_t)n, sizeof(int));
	while (s.started < n && start_stage(sh, &s, s.started, s.started + 1 < n))
		continue;
	close_end(sh, &s.in);
	return s.started;
}

static int run_stages(struct shell *sh, const struct pipeline *p)
{
	int n = p->ncommands;
	struct stages s = { .pipeline = p, .in = -1 };
	int *codes = arena_array(sh->arena, (size_t)n, sizeof(int));
	bool ok = true;
	int last = 0;

	s.here = opt_shopt(sh, SHOPT_lastpipe) && !opt_set(sh, SET_MONITOR);
	if (sh->last_arg_exported)
		last_arg_is_own(sh);
	s.pids = arena_array(sh->arena, (size_t)n, sizeof(int));
	s.statuses = arena_array(sh->arena, (size_t)n, sizeof(int));
	for (int i = 0; i < n && ok; i++) {
		if (s.here && i == n - 1)
			last = run_here(sh, &s, p->commands[i]);
		else
			ok = start_stage(sh, &s, i, i + 1 < n);
	}
	close_end(sh, &s.in);
	if (wait_stages(sh, &s))
		return sh->status = become_job(sh, &s);
	job_settle(sh);
	if (!ok)
		return sh->status;
	for (int i = 0; i < s.started; i++)
		codes[i] = status_of_wait(s.statuses[i]);
	if (s.started < n)
		codes[n - 1] = last;
	else if ((s.statuses[n - 1] & 0x7f) != 0)
		job_report_pipeline(sh, p, s.pids, s.statuses);
	return collect(sh, &s, codes, n);
}

/* --- time --- */

struct times {
	int64_t real_ns;
	int64_t user_ns;
};

enum { NS_PER_STEP = 10 };

static struct times times_now(struct shell *sh)
{
	uint64_t steps = sh->p->steps + sh->p->child_steps;

	return (struct times){ sys_now(sh->p), (int64_t)steps * NS_PER_STEP };
}

/* Seconds with `places` decimals; with minutes if `minutes`. */
static void put_seconds(struct buf *out, int64_t ns, int places, bool minutes)
{
	int64_t ms = ns / 1000000;
	int64_t seconds = ms / 1000;
	int64_t scale = places == 3 ? 1 : places == 2 ? 10 : places == 1 ? 100 : 1000;

	if (minutes) {
		buf_put_i64(out, seconds / 60);
		buf_putc(out, 'm');
		seconds %= 60;
	}
	buf_put_i64(out, seconds);
	if (places > 0) {
		int64_t rest = ms % 1000 / scale;

		buf_putc(out, '.');
		for (int64_t at = scale == 1 ? 100 : scale == 10 ? 10 : 1; at > 0; at /= 10)
			buf_putc(out, (char)('0' + rest / at % 10));
	}
	if (minutes)
		buf_putc(out, 's');
}

static void put_share(struct buf *out, const struct times *t)
{
	int64_t hundredths = t->real_ns > 0 ? t->user_ns * 10000 / t->real_ns : 0;

	hundredths = hundredths > 10000 ? 10000 : hundredths;
	buf_printf(out, "%d.%d%d", (int)(hundredths / 100), (int)(hundredths / 10 % 10),
		   (int)(hundredths % 10));
}

/* What stands behind a '%'. False with *at where it goes wrong. */
static bool put_conversion(struct buf *out, const char **at, const struct times *t)
{
	const char *f = *at;
	int places = 3;
	bool minutes = false;

	if (*f == '%' || *f == '\0') {
		buf_putc(out, '%');
		*at = f + (*f == '%');
		return true;
	}
	if (*f == 'P') {
		put_share(out, t);
		*at = f + 1;
		return true;
	}
	if (byte_is_digit(*f))
		places = *f - '0' > 3 ? 3 : *f - '0';
	f += byte_is_digit(*f);
	minutes = *f == 'l';
	f += *f == 'l';
	*at = f;
	if (*f != 'R' && *f != 'U' && *f != 'S')
		return false;
	put_seconds(out, *f == 'R' ? t->real_ns : *f == 'U' ? t->user_ns : 0, places, minutes);
	*at = f + 1;
	return true;
}

static void print_times(struct shell *sh, const struct times *t, bool posix)
{
	struct buf out = buf_in(sh->arena);
	const char *format = posix ? "real %2R\nuser %2U\nsys %2S" : var_get_text(sh, "TIMEFORMAT");

	if (format == NULL)
		format = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
	if (*format == '\0')
		return;
	while (*format != '\0') {
		if (*format != '%') {
			buf_putc(&out, *format++);
			continue;
		}
		format++;
		if (!put_conversion(&out, &format, t)) {
			shell_error(sh, "TIMEFORMAT: `%c': invalid format character", *format);
			return;
		}
	}
	buf_putc(&out, '\n');
	sys_write(sh->p, 2, out.ptr, out.len);
}

/* --- the pipeline --- */

/* A subshell that fails at the end of a pipeline runs the ERR trap, then the pipeline again. */
static void trap_last_subshell(struct shell *sh, const struct pipeline *p)
{
	const struct node *last = p->commands[p->ncommands - 1];

	if (last->kind != NODE_SUBSHELL || opt_shopt(sh, SHOPT_lastpipe))
		return;
	shell_at(sh, ((const struct group *)last)->last_line);
	if (sh->traps[TRAP_ERR].text == NULL || sh->no_errexit > 0 ||
	    sh->npipestatus != p->ncommands || sh->pipestatus[sh->npipestatus - 1] == 0)
		return;
	trap_run(sh, TRAP_ERR);
}

static int run_commands(struct shell *sh, const struct pipeline *p)
{
	int status;

	if (p->ncommands == 0)
		return sh->status = 0;
	if (p->ncommands == 1)
		return exec_node(sh, p->commands[0]);
	status = run_stages(sh, p);
	if (sh->flow == FLOW_NONE)
		status = exec_signals(sh, status);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	if (p->commands[p->ncommands - 1]->kind == NODE_SIMPLE)
		shell_at(sh, p->commands[p->ncommands - 1]->line);
	trap_last_subshell(sh, p);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	return p->negated ? status : exec_check(sh, status);
}

static int run_timed(struct shell *sh, const struct pipeline *p)
{
	struct times before = times_now(sh);
	struct times after;
	int status = run_commands(sh, p);

	after = times_now(sh);
	after.real_ns -= before.real_ns;
	after.user_ns -= before.user_ns;
	print_times(sh, &after, p->time_posix);
	return status;
}

int exec_pipeline(struct shell *sh, const struct pipeline *p)
{
	struct arena_mark mark = arena_mark(sh->arena);
	/* `! command &` ends with the command's own status. */
	bool negated = p->negated &&
		       (sh->task == NULL || !sh->task->background || sh->task->node != &p->node);
	bool forgiven = negated && opt_set(sh, SET_ERREXIT);
	int status;

	proc_charge(sh->p, 1);
	shell_at(sh, p->node.line);
	sh->no_errexit += forgiven;
	sh->inverted = negated && p->ncommands == 1;
	sh->uninverted = NULL;
	status = p->timed ? run_timed(sh, p) : run_commands(sh, p);
	sh->no_errexit -= forgiven;
	arena_release(sh->arena, mark);
	if (sh->flow != FLOW_NONE && sh->flow != FLOW_BREAK && sh->flow != FLOW_CONTINUE)
		return sh->status;
	/* `!` does not count when the redirections of a compound command fail. */
	if (negated && (p->ncommands != 1 || sh->uninverted != p->commands[0]))
		status = status == 0;
	return sh->status = status;
}
