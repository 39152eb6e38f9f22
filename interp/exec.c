/* SPDX-License-Identifier: MIT
 *
 * Execution: dispatch by kind of node, lists, conditions, set -e, subshell processes.
 */
#include "interp/exec.h"

/* --- the unit being executed --- */

void unit_enter(struct shell *sh, struct unit_ref *ref, struct ast *ast)
{
	ref->ast = ast_get(ast);
	ref->up = sh->units;
	ref->command = sh->command;
	sh->units = ref;
}

void unit_adopt(struct shell *sh, struct ast *ast)
{
	struct unit_ref *ref = arena_alloc(sh->arena, sizeof(*ref));

	*ref = (struct unit_ref){ sh->units, ast, sh->command };
	sh->units = ref;
	sh->building = NULL;
}

void unit_drop(struct shell *sh)
{
	struct ast *ended = sh->units->ast;

	sh->units = sh->units->up;
	ast_put(ended);
}

void unit_unused(struct shell *sh, struct ast *ast)
{
	sh->building = NULL;
	ast_put(ast);
}

void unit_leave(struct shell *sh)
{
	struct ast *ended = sh->units->ast;
	bool unchanged = sh->command == sh->units->command;

	sh->units = sh->units->up;
	/* Where BASH_COMMAND is that of an earlier unit, that one is still needed. */
	if (sh->trap_running >= 0 || unchanged) {
		ast_put(ended);
		return;
	}
	if (sh->last_unit != NULL)
		ast_put(sh->last_unit);
	sh->last_unit = ended;
}

/* --- statuses --- */

/* set -e: the EXIT trap runs where the command failed, but without local variables. */
static int end_by_errexit(struct shell *sh)
{
	int scope = sh->scope;

	sh->flow = FLOW_EXIT;
	sh->errexit_due = sh->redirected_calls > 0;
	if (sh->errexit_due || !exec_ends_here(sh))
		return sh->status;
	exec_leave_redirections(sh);
	while (sh->scope > 0)
		scope_pop(sh);
	sh->dead_frame = sh->frame;
	if (sh->text_command != NULL)
		sh->command = sh->text_command;
	exec_end_here(sh);
	sh->dead_frame = NULL;
	sh->scope = scope; /* for those that are yet to pop it */
	return sh->status;
}

int exec_redirected_call(struct shell *sh, int status)
{
	if (sh->flow != FLOW_EXIT || !sh->errexit_due)
		return status;
	sh->entered_main = true;
	sh->redirected_calls = 0;
	return end_by_errexit(sh);
}

int exec_check(struct shell *sh, int status)
{
	return exec_check_trapped(sh, status, true);
}

int exec_check_trapped(struct shell *sh, int status, bool trapped)
{
	sh->status = status;
	if (status == 0 || sh->no_errexit > 0 || sh->flow != FLOW_NONE)
		return status;
	if (trapped && sh->traps[TRAP_ERR].text != NULL)
		trap_run(sh, TRAP_ERR);
	if (opt_set(sh, SET_ERREXIT) && sh->flow == FLOW_NONE) {
		sh->status = status;
		return end_by_errexit(sh);
	}
	return status;
}

void exec_errexit(struct shell *sh)
{
	if (!opt_set(sh, SET_ERREXIT) || sh->flow == FLOW_EXIT || sh->errexit_held > 0)
		return;
	sh->status = 1;
	sh->flow = FLOW_EXIT;
	if (exec_ends_here(sh))
		exec_end_here(sh);
}

bool exec_debug(struct shell *sh, const struct node *n)
{
	int status = sh->status;

	if (sh->trap_running < 0 && !sh->command_kept)
		sh->command = n;
	if (sh->traps[TRAP_DEBUG].text == NULL || sh->traps[TRAP_DEBUG].parents ||
	    *sh->traps[TRAP_DEBUG].text == '\0' || trap_busy(sh, TRAP_DEBUG))
		return false;
	trap_run(sh, TRAP_DEBUG);
	if (sh->flow != FLOW_NONE)
		return true;
	if (opt_shopt(sh, SHOPT_extdebug) && sh->status != 0) {
		if (sh->status == 2 && sh->frame->up != NULL) {
			sh->flow = FLOW_RETURN;
			sh->before_return = status;
		} else {
			sh->status = status;
		}
		return true;
	}
	sh->status = status;
	return false;
}

/* A condition or another command whose failure set -e forgives. */
static int exec_forgiven(struct shell *sh, const struct node *n)
{
	int status;

	sh->no_errexit++;
	status = exec_node(sh, n);
	sh->no_errexit--;
	return status;
}

/* --- processes of the shell --- */

static void plumb(struct proc *p, const struct task *t)
{
	int out = t->out;

	/* The ends may be descriptors 0 and 1 themselves, where those were closed. */
	for (int i = 0; i < 2; i++) {
		if (t->close[i] >= 0)
			sys_close(p, t->close[i]);
	}
	if (out == 0 && t->in >= 0) {
		out = (int)sys_dup_from(p, 0, 3, false);
		sys_close(p, 0);
	}
	if (t->in >= 0 && t->in != 0) {
		sys_dup2(p, t->in, 0, false);
		sys_close(p, t->in);
	} else if (t->in == 0) {
		sys_set_cloexec(p, 0, false);
	}
	if (out >= 0 && out != 1) {
		sys_dup2(p, out, 1, false);
		sys_close(p, out);
	} else if (out == 1) {
		sys_set_cloexec(p, 1, false);
	}
}

/* A command in the background does not read what the shell reads. */
static void input_from_null(struct shell *sh)
{
	int64_t fd;

	if (opt_set(sh, SET_MONITOR))
		return;
	fd = sys_open(sh->p, AT_FDCWD_, "/dev/null", 0, 0);
	if (fd > 0) {
		sys_dup2(sh->p, (int)fd, 0, false);
		sys_close(sh->p, (int)fd);
	}
}

bool task_ends_as_shell(const struct shell *sh)
{
	const struct task *t = sh->task;

	return t == NULL || (!t->background && t->stage == 0) || t->node == NULL ||
	       t->node->kind == NODE_SIMPLE || t->node->kind == NODE_SUBSHELL ||
	       t->node->kind == NODE_GROUP || t->node->kind == NODE_PIPELINE;
}

static int task_main(struct proc *p, void *arg)
{
	struct shell *sh = p->task;
	struct task *t = sh->task;
	int status;

	(void)arg;
	if (t->background && t->in < 0 && !sh->input_redirected)
		input_from_null(sh);
	sh->input_redirected |= t->in >= 0;
	/* Loops end at ( ) and compound commands of pipelines, not at $( ). */
	if (t->run == task_run_node && !t->command_sub && t->node->kind != NODE_SIMPLE &&
	    !opt_compat(sh, SHOPT_compat44))
		sh->loop_depth = 0;
	if (t->node != NULL && t->node->kind == NODE_SUBSHELL)
		sh->is_command_sub = false;
	plumb(p, t);
	status = t->run(sh, t);
	if (!task_ends_as_shell(sh))
		trap_set(sh, TRAP_EXIT, NULL);
	return exec_finish(sh, status) & 255;
}

void fork_wait(struct shell *sh, int turn)
{
	shell_error(sh, "fork: retry: %s", err_text(E_AGAIN));
	sys_sleep(sh->p, (int64_t)1000000000 << turn);
}

/* Of subshells only substitutions see the shell's jobs, and `jobs` itself in a pipeline. */
static bool shows_jobs(const struct task *t)
{
	const struct simple *s = (const struct simple *)t->node;

	if (t->run != task_run_node || t->background || s == NULL || s->node.kind != NODE_SIMPLE)
		return false;
	return s->nwords != 0 && bytes_is(s->words[0]->literal, "jobs");
}

/* Started by a trap's action, subshells see the BASH_COMMAND that it sees; but not ( ) and compound
 * commands in processes of their own. */
static bool keeps_command(const struct shell *sh, const struct task *t)
{
	if (sh->trap_running < 0 && !sh->command_kept)
		return false;
	return t->run != task_run_node || t->node == NULL || t->node->kind == NODE_SIMPLE;
}

/* With job control what the shell starts is a process group of its own; not substitutions, and of
 * what subshells start only what goes to the background. */
static int group_of(const struct shell *sh, const struct task *t)
{
	bool own = t->background || (sh->task == NULL && !t->command_sub && !t->encloses);

	if (!own || !opt_set(sh, SET_MONITOR))
		return 0;
	return t->pgid != 0 ? t->pgid : -1;
}

int64_t task_start(struct shell *sh, const struct task *t, struct proc **child)
{
	struct spawn s = {
		.fn = task_main, .name = sh->p->name, .stage = t->stage, .pgid = group_of(sh, t)
	};
	struct proc *p;
	struct shell *sub;
	bool shows = t->command_sub || (t->copy && !t->background && t->stage == 0) ||
		     shows_jobs(t);
	int64_t pid;

	/* Before there is a child: another process may have its turn in it. */
	if (shows)
		job_poll(sh);
	s.ignore_int = t->background && !opt_set(sh, SET_MONITOR);
	pid = sys_spawn(sh->p, &s, &p);
	for (int i = 0; pid == -E_AGAIN && i < FORK_TRIES; i++) {
		fork_wait(sh, i);
		pid = sys_spawn(sh->p, &s, &p);
	}
	if (pid < 0) {
		shell_error(sh, "fork: %s", err_text((int)pid));
		sh->status = STATUS_NO_FORK;
		sh->flow = FLOW_ABORT;
		return pid;
	}
	sub = shell_subshell(p, sh, t->background || t->copy || (t->stops && exec_minds_stops(sh)));
	sub->task = arena_alloc(sub->arena, sizeof(*t));
	*sub->task = *t;
	sub->task->unstarted |= sh->task != NULL && sh->task->unstarted;
	sub->command_kept = keeps_command(sh, t);
	if (!sub->command_kept)
		sub->traps_busy = 0;
	if (t->background)
		sub->no_errexit = 0;
	if (s.ignore_int && t->node != NULL && t->node->kind != NODE_SIMPLE)
		trap_ignore_interrupts(sub);
	if (t->stage != 0)
		sub->in_parens = false;
	if (shows) {
		job_show(sh, sub);
		sub->jobs_last |= t->command_sub;
	}
	if (child != NULL)
		*child = p;
	return pid;
}

/* Whether one of the redirections sets descriptor 0. */
static bool redirects_input(const struct node *n)
{
	for (int i = 0; i < n->nredirs; i++) {
		const struct redir *r = &n->redirs[i];

		if (r->fd == 0 ||
		    (r->fd < 0 && r->var.len == 0 &&
		     (r->kind == REDIR_IN || r->kind == REDIR_RDWR || r->kind == REDIR_DUP_IN ||
		      r->kind == REDIR_HEREDOC || r->kind == REDIR_HERESTRING)))
			return true;
	}
	return false;
}

/* ( ! command ): the `!` is the subshell's own. It turns round whatever ends the command, an
 * error or set -e, too, but for `exit`. */
static int run_inverted(struct shell *sh, const struct pipeline *negated)
{
	struct pipeline *plain = arena_alloc(sh->arena, sizeof *plain);
	int status;

	*plain = *negated;
	plain->negated = false;
	sh->may_exec = false;
	status = exec_node(sh, &plain->node);
	if (sh->flow == FLOW_NONE)
		return sh->status = status == 0;
	if (sh->exit_called)
		return status;
	sh->flow = FLOW_NONE;
	return sh->status = sh->status == 0;
}

/* The body of a subshell that has a process of its own already. */
static int run_subshell_body(struct shell *sh, const struct node *n)
{
	if (!opt_compat(sh, SHOPT_compat44))
		sh->loop_depth = 0;
	sh->in_parens = true;
	if (n->nredirs != 0)
		sh->line = sh->outer_line;
	if (n->nredirs != 0 && redir_apply(sh, n->redirs, n->nredirs, true) != 0)
		return 1;
	sh->input_redirected |= redirects_input(n);
	const struct node *body = ((const struct group *)n)->body;
	const struct pipeline *p = (const struct pipeline *)body;

	if (body->kind == NODE_PIPELINE && p->negated && p->ncommands == 1)
		return run_inverted(sh, p);
	return exec_node(sh, body);
}

int task_run_node(struct shell *sh, struct task *t)
{
	sh->may_exec = true;
	if (t->node == NULL)
		return 0;
	if (t->node->kind != NODE_SUBSHELL)
		return exec_node(sh, t->node);
	sh->subshell_depth += t->encloses;
	return run_subshell_body(sh, t->node);
}

void exec_note_subshell(struct shell *sh, const struct node *n)
{
	if (sh->trap_running < 0 && !sh->command_kept && trap_is_set(sh, TRAP_ERR))
		sh->command = n;
}

static int exec_subshell(struct shell *sh, const struct node *n)
{
	struct task t = {
		.run = task_run_node,
		.node = n,
		.in = -1,
		.out = -1,
		.close = { -1, -1 },
		.stops = true,
	};
	bool inverted = exec_inverted(sh);
	int64_t pid;
	int status;

	shell_at(sh, n->line);
	exec_note_subshell(sh, n);
	pid = task_start(sh, &t, NULL);
	if (pid < 0)
		return sh->status;
	status = exec_wait(sh, (int)pid, n);
	exec_report(sh);
	set_pipestatus(sh, &status, 1);
	status = exec_signals(sh, status);
	shell_at(sh, ((const struct group *)n)->last_line);
	return inverted ? (sh->status = status) : exec_check(sh, status);
}

/* The DEBUG trap of what goes to the background is this shell's. */
static void debug_background(struct shell *sh, const struct node *n)
{
	const struct pipeline *p = (const struct pipeline *)n;

	if (n->kind == NODE_SIMPLE)
		exec_debug(sh, n);
	if (n->kind != NODE_PIPELINE || p->timed)
		return;
	for (int i = 0; i < p->ncommands; i++) {
		if (p->commands[i]->kind == NODE_SIMPLE)
			exec_debug(sh, p->commands[i]);
	}
}

/* Whether the stages of what goes to the background are the job's processes. */
static bool is_plain_pipeline(const struct node *n)
{
	const struct pipeline *p = (const struct pipeline *)n;

	return n->kind == NODE_PIPELINE && p->ncommands > 1 && !p->negated && !p->timed;
}

/* Starts the processes of a job: how many, their pids in *pids. */
static int start_background(struct shell *sh, const struct node *n, int **pids)
{
	struct task t = { .run = task_run_node,
			  .node = n,
			  .in = -1,
			  .out = -1,
			  .close = { -1, -1 },
			  .background = true };
	int64_t pid;

	if (is_plain_pipeline(n))
		return pipeline_background(sh, (const struct pipeline *)n, pids);
	debug_background(sh, n);
	pid = task_start(sh, &t, NULL);
	*pids = arena_alloc(sh->arena, sizeof(int));
	**pids = (int)pid;
	return pid > 0;
}

int exec_background(struct shell *sh, const struct group *g)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf text = buf_in(sh->arena);
	struct job *j;
	int *pids;
	int n = start_background(sh, g->body, &pids);

	if (n == 0)
		return sh->status;
	print_command(&text, g->body);
	j = job_add(sh, pids, n, opt_set(sh, SET_MONITOR) ? pids[0] : sh->p->pgid,
		    buf_bytes(&text));
	if (n > 1)
		job_set_stages(sh, j, ((const struct pipeline *)g->body)->commands);
	sh->last_background = pids[n - 1];
	if (opt_set(sh, SET_INTERACTIVE)) {
		struct buf out = buf_in(sh->arena);

		buf_printf(&out, "[%d] %d\n", j->number, sh->last_background);
		sys_write(sh->p, 2, out.ptr, out.len);
	}
	arena_release(sh->arena, mark);
	return sh->flow != FLOW_NONE ? sh->status : (sh->status = 0);
}

/* --- lists and conditions --- */

static int exec_list(struct shell *sh, const struct list *l, bool last)
{
	int status = 0;

	for (int i = 0; i < l->count; i++) {
		sh->may_exec = last && i == l->count - 1;
		status = exec_node(sh, l->commands[i]);
		if (sh->flow != FLOW_NONE)
			return sh->status;
	}
	return status;
}

static int exec_and_or(struct shell *sh, const struct binary *b, bool wanted, bool last)
{
	int status = exec_forgiven(sh, b->left);

	if (sh->flow != FLOW_NONE || (status == 0) != wanted)
		return status;
	sh->may_exec = last;
	return exec_node(sh, b->right);
}

static int exec_if(struct shell *sh, const struct if_node *n)
{
	for (;;) {
		int outer_line = sh->outer_line;
		int status = exec_forgiven(sh, n->test);

		sh->outer_line = outer_line;
		if (sh->flow != FLOW_NONE)
			return sh->status;
		if (status == 0)
			return exec_node(sh, n->then);
		if (n->otherwise == NULL)
			return sh->status = 0;
		if (n->otherwise->kind != NODE_IF || n->otherwise->nredirs != 0)
			return exec_node(sh, n->otherwise);
		n = (const struct if_node *)n->otherwise;
	}
}

/* --- dispatch --- */

static int exec_group(struct shell *sh, const struct group *g, bool last)
{
	if (g->body->kind == NODE_LIST)
		return exec_list(sh, (const struct list *)g->body, last);
	sh->may_exec = last;
	return exec_node(sh, g->body);
}

static int run_kind(struct shell *sh, const struct node *n, bool last)
{
	switch (n->kind) {
	case NODE_SIMPLE: return exec_simple(sh, (const struct simple *)n);
	case NODE_LIST: return exec_list(sh, (const struct list *)n, last);
	case NODE_GROUP: return exec_group(sh, (const struct group *)n, last);
	case NODE_PIPELINE: return exec_pipeline(sh, (const struct pipeline *)n);
	case NODE_AND: return exec_and_or(sh, (const struct binary *)n, true, last);
	case NODE_OR: return exec_and_or(sh, (const struct binary *)n, false, last);
	case NODE_BACKGROUND: return exec_background(sh, (const struct group *)n);
	case NODE_SUBSHELL: return exec_subshell(sh, n);
	case NODE_IF: return exec_if(sh, (const struct if_node *)n);
	case NODE_WHILE:
	case NODE_UNTIL: return exec_loop(sh, (const struct loop *)n);
	case NODE_FOR: return exec_for(sh, (const struct for_node *)n);
	case NODE_CFOR: return exec_cfor(sh, (const struct cfor *)n);
	case NODE_SELECT: return exec_select(sh, (const struct for_node *)n);
	case NODE_CASE: return exec_case(sh, (const struct case_node *)n);
	case NODE_COND: return exec_cond(sh, (const struct cond_node *)n);
	case NODE_ARITH: return exec_arith(sh, (const struct arith_node *)n);
	case NODE_COPROC: return exec_coproc(sh, (const struct coproc_node *)n);
	case NODE_FUNCTION:
		shell_at(sh, ((const struct function_node *)n)->last_line);
		return exec_check(sh, function_define(sh, (const struct function_node *)n));
	}
	return 0;
}

static int exec_kind(struct shell *sh, const struct node *n, bool last)
{
	bool counts = n->kind == NODE_FOR || n->kind == NODE_SELECT || n->kind == NODE_CASE;
	int outer_line = sh->outer_line;
	int status;

	if (counts)
		sh->outer_line = n->line + sh->line_shift;
	status = run_kind(sh, n, last);
	if (counts || n->kind == NODE_CFOR)
		sh->outer_line = outer_line;
	return status;
}

static bool redirects_itself(const struct node *n)
{
	return n->kind == NODE_SUBSHELL || n->kind == NODE_FUNCTION || n->kind == NODE_COPROC;
}

static int exec_redirected(struct shell *sh, const struct node *n)
{
	struct arena_mark mark = arena_mark(sh->arena);
	bool outer = sh->input_redirected;
	struct saved_fd *saved = sh->saved_fds;
	struct procsub *subs = sh->procsubs;
	int status;

	sh->line = sh->outer_line;
	if (redir_apply(sh, n->redirs, n->nredirs, false) == 0) {
		sh->input_redirected |= redirects_input(n);
		status = exec_kind(sh, n, false);
		sh->input_redirected = outer;
		if (sh->task == NULL || sh->task->node != n) /* the EXIT trap may be to come */
			redir_undo(sh, saved);
	} else {
		redir_undo(sh, saved);
		if (sh->flow == FLOW_NONE)
			set_pipestatus(sh, &(int){ 1 }, 1);
		sh->uninverted = n;
		status = sh->flow != FLOW_NONE ? sh->status : exec_check(sh, 1);
	}
	if (sh->procsubs != subs)
		procsub_close(sh, subs);
	arena_release(sh->arena, mark);
	return sh->status = status;
}

int exec_compound(struct shell *sh, const struct node *n)
{
	bool last = sh->may_exec;

	sh->may_exec = false;
	if (n->kind != NODE_SUBSHELL && n->kind != NODE_COND && n->kind != NODE_ARITH)
		sh->inverted = false;
	if (n->nredirs != 0 && !redirects_itself(n))
		return exec_redirected(sh, n);
	return exec_kind(sh, n, last);
}

struct deeper {
	struct shell *sh;
	const struct node *node;
};

static int run_deeper(void *arg)
{
	struct deeper *d = arg;

	return exec_compound(d->sh, d->node);
}

int exec_node(struct shell *sh, const struct node *n)
{
	if (n->kind == NODE_SIMPLE)
		return exec_simple(sh, (const struct simple *)n);
	if (proc_stack_left(sh->p) < EXEC_STACK_BYTES) {
		struct deeper d = { sh, n };

		return proc_deepen(sh->p, EXEC_STACK_BYTES, run_deeper, &d);
	}
	return exec_compound(sh, n);
}

/* --- the end --- */

int exec_finish(struct shell *sh, int status)
{
	if (sh->flow == FLOW_EXIT || sh->flow == FLOW_RETURN || sh->flow == FLOW_ABORT)
		status = sh->status;
	sh->flow = FLOW_NONE;
	sh->status = status;
	if (trap_is_set(sh, TRAP_EXIT)) {
		sh->loop_depth = 0;
		sh->no_errexit = 0;
		trap_run(sh, TRAP_EXIT);
		if (sh->flow == FLOW_EXIT || sh->flow == FLOW_RETURN)
			status = sh->status;
		sh->flow = FLOW_NONE;
	}
	return status;
}

bool exec_ends_here(const struct shell *sh)
{
	return sh->trap_running != TRAP_EXIT && trap_is_set(sh, TRAP_EXIT) &&
	       task_ends_as_shell(sh);
}

void exec_leave_redirections(struct shell *sh)
{
	bool subshell = sh->task != NULL && sh->task->node != NULL &&
			sh->task->node->kind == NODE_SUBSHELL;

	if (opt_set(sh, SET_COMMAND) && sh->function_depth == 0 && !subshell)
		redir_undo(sh, NULL);
}

void exec_end_here(struct shell *sh)
{
	int status = exec_finish(sh, sh->status);

	trap_set(sh, TRAP_EXIT, NULL);
	sh->exit_called = true;
	sh->flow = FLOW_EXIT;
	sh->status = status;
}

int exec_end(struct shell *sh, int status)
{
	sh->status = status;
	sh->flow = FLOW_EXIT;
	/* `bash -c` leaves its text first, but for what says that it is the end. */
	if (exec_ends_here(sh) && (sh->exit_called || !opt_set(sh, SET_COMMAND)))
		exec_end_here(sh);
	return sh->status;
}

void shell_exit(struct shell *sh, int status)
{
	sh->status = status;
	sh->flow = FLOW_EXIT;
	proc_exit(sh->p, (exec_finish(sh, status) & 255) << 8);
}
