/* SPDX-License-Identifier: MIT
 *
 * Running: a command is started, stepped until it is done, and leaves a result.
 *
 * A script runs in the session's shell process, which is given a fresh coroutine each time
 * and parks when it is done. A program runs as a child of that process.
 */
#include "api/journal.h"
#include "api/watch.h"

/* In a journal, what is left in the background runs as a command. */
static bool is_busy(const struct cowsh *s)
{
	return s->running || (s->tape != NULL && s->tape->draining);
}

int64_t elapsed_ns(const struct cowsh *s)
{
	int64_t ns;

	return __builtin_sub_overflow(kernel_now(s->kernel), s->started_ns, &ns) ? INT64_MAX : ns;
}

static void account_start(struct cowsh *s)
{
	struct kernel_usage usage;

	kernel_begin(s->kernel);
	interp_release(s->shell);
	kernel_get_usage(s->kernel, &usage);
	s->started_processes = usage.processes;
	s->started_ns = kernel_now(s->kernel);
	s->running = true;
	s->command_done = false;
	s->exited = false;
	s->status = 0;
	s->program_pid = 0;
	if (s->breaks != NULL)
		s->breaks->stopped = false;
}

static int recover_shell(void *arg)
{
	struct cowsh *s = arg;

	interp_recover(s->shell, s->status);
	return 0;
}

/* After the shell was stopped in the middle of something. There may be no memory at all. */
static void recover(struct cowsh *s)
{
	(void)kernel_guard(s->kernel, recover_shell, s);
	interp_release(s->shell);
}

static int run_script(struct proc *p, void *arg)
{
	struct cowsh *s = arg;

	s->status = interp_command(s->shell, (struct bytes){ s->script, s->script_len },
				   &s->exited);
	s->command_done = true;
	proc_park(p);
}

/* --- programs --- */

struct program {
	struct cowsh *s;
	char **argv;
};

static char **copy_list(struct arena *a, const char *const *list, int count)
{
	char **copy = arena_array(a, (size_t)count + 1, sizeof *copy);

	for (int i = 0; i < count; i++)
		copy[i] = arena_dup(a, bytes_of(list[i]));
	return copy;
}

/* The first file of that name in PATH; the name itself if it has a slash or is nowhere. */
static const char *find_in_path(struct proc *p, struct arena *a, const char *name)
{
	static const char *const dirs[] = { "/usr/local/bin/", "/usr/bin/" };
	struct vfs_stat st;

	for (size_t i = 0; i < 2 && strchr(name, '/') == NULL; i++) {
		struct buf path = buf_in(a);

		buf_printf(&path, "%s%s", dirs[i], name);
		if (sys_stat(p, AT_FDCWD_, buf_cstr(&path), 0, &st) == 0)
			return buf_cstr(&path);
	}
	return name;
}

/* In the shell process: starts the program and waits for it. */
static int run_program(struct proc *p, void *arg)
{
	struct program *program = arg;
	struct cowsh *s = program->s;
	struct exec e = { .path = find_in_path(p, &p->arena, program->argv[0]),
			  .argv = program->argv,
			  .envp = interp_environ(s->shell) };
	int64_t pid = sys_spawn_program(p, &e);
	int status = 0;

	if (pid < 0) {
		s->status = pid == -E_NOENT ? 127 : 126;
	} else {
		s->program_pid = (int)pid;
		while (sys_wait(p, (int)pid, &status, 0) == -E_INTR)
			proc_next_signal(p);
		s->status = (status & 127) != 0 ? 128 + (status & 127) : status >> 8 & 255;
	}
	s->command_done = true;
	proc_park(p);
}

struct copy_request {
	struct cowsh *s;
	int argc;
	const char *const *argv;
	struct program *out;
};

static int copy_program(void *arg)
{
	struct copy_request *r = arg;
	struct arena *a = &r->s->shell_proc->arena;

	r->out = arena_alloc(a, sizeof *r->out);
	*r->out = (struct program){ r->s, copy_list(a, r->argv, r->argc) };
	return 0;
}

int cowsh_start_program(cowsh *s, int argc, const char *const *argv)
{
	struct copy_request copy = { s, argc, argv, NULL };
	int err;

	if (s == NULL || argc < 1 || argv == NULL)
		return -E_INVAL;
	if (is_busy(s))
		return -E_BUSY;
	err = checkpoint_take(s);
	if (err < 0)
		return err;
	if (s->tape != NULL)
		journal_command(s, COMMAND_PROGRAM, NOTHING, argc, argv);
	account_start(s);
	if (s->trace != NULL)
		trace_command(s, (struct bytes){ NULL, 0 }, argc, argv);
	err = kernel_guard(s->kernel, copy_program, &copy);
	if (err == 0)
		err = proc_restart(s->shell_proc, run_program, copy.out);
	s->running = err == 0;
	if (err < 0 && s->tape != NULL)
		journal_failed(s, err);
	return err;
}

/* --- scripts --- */

int cowsh_start(cowsh *s, const char *script, size_t len)
{
	struct heap *heap;
	char *copy;
	int err;

	if (s == NULL || script == NULL)
		return -E_INVAL;
	if (is_busy(s))
		return -E_BUSY;
	err = checkpoint_take(s);
	if (err < 0)
		return err;
	heap = kernel_heap(s->kernel);
	copy = heap_alloc(heap, len + 1);
	if (copy == NULL)
		return -E_NOMEM;
	heap_free(heap, s->script, s->script_len + 1);
	memcpy(copy, script, len);
	copy[len] = '\0';
	s->script = copy;
	s->script_len = len;
	if (s->tape != NULL)
		journal_command(s, COMMAND_SCRIPT, (struct bytes){ copy, len }, 0, NULL);
	account_start(s);
	if (s->trace != NULL)
		trace_command(s, (struct bytes){ copy, len }, 0, NULL);
	err = proc_restart(s->shell_proc, run_script, s);
	s->running = err == 0;
	if (err < 0 && s->tape != NULL)
		journal_failed(s, err);
	return err;
}

struct check {
	struct cowsh *s;
	struct bytes text;
	bool incomplete;
};

static int run_check(struct proc *p, void *arg)
{
	struct check *check = arg;

	check->incomplete = interp_incomplete(check->s->shell, check->text);
	check->s->command_done = true;
	proc_park(p);
}

/* As much of what is in the background goes on meanwhile. */
enum { BETWEEN_STEPS = 1000000 };

static bool between_ends(const struct cowsh *s)
{
	struct kernel_usage usage;

	kernel_get_usage(s->kernel, &usage);
	return kernel_limit_hit(s->kernel) >= 0 ||
	       (s->command_done && usage.steps >= BETWEEN_STEPS);
}

/* Something short between commands, on the shell's coroutine. */
static int run_between(struct cowsh *s, int (*between)(struct proc *p, void *arg), void *arg)
{
	bool listened;
	int err;

	err = proc_restart(s->shell_proc, between, arg);
	if (err < 0)
		return err;
	listened = tape_listen(s->tape, true);
	s->command_done = false;
	kernel_begin(s->kernel);
	while (kernel_run(s->kernel, BETWEEN_STEPS) == KERNEL_SLICE && !between_ends(s))
		;
	(void)tape_listen(s->tape, listened);
	if (kernel_limit_hit(s->kernel) < 0)
		return 0;
	recover(s);
	return -E_NOMEM;
}

bool cowsh_incomplete(cowsh *s, const char *text, size_t len)
{
	struct check check = { s, { text, len }, false };

	if (s == NULL || s->running || journal_note(s, HOST_INCOMPLETE, NULL, 0, 0, check.text) < 0)
		return false;
	(void)run_between(s, run_check, &check);
	return check.incomplete;
}

/* --- prompts --- */

struct prompt {
	struct cowsh *s;
	const char *name;
	char *text;
	size_t size;
	int64_t len;
};

enum { PROMPT_STEPS = 1000000 };

static int run_prompt(struct proc *p, void *arg)
{
	struct prompt *prompt = arg;
	struct bytes shown = interp_prompt(prompt->s->shell, prompt->name);
	size_t len = shown.len < prompt->size ? shown.len : prompt->size - 1;

	memcpy(prompt->text, shown.ptr, len);
	prompt->text[len] = '\0';
	prompt->len = (int64_t)shown.len;
	prompt->s->command_done = true;
	proc_park(p);
}

int64_t cowsh_prompt(cowsh *s, const char *name, char *text, size_t size)
{
	struct cowsh_host host = COWSH_HOST_INIT;
	struct prompt prompt = { NULL, name, text, size, -E_NOMEM };
	int err;

	if (s == NULL || name == NULL || text == NULL || size == 0)
		return -E_INVAL;
	host.output = s->host.output;
	host.user = s->host.user;
	err = session_fork(s, &host, false, &prompt.s);
	if (err < 0)
		return err;
	(void)cowsh_set_limit(prompt.s, COWSH_LIMIT_STEPS, PROMPT_STEPS);
	account_start(prompt.s);
	err = proc_restart(prompt.s->shell_proc, run_prompt, &prompt);
	prompt.s->running = err == 0;
	if (err == 0)
		(void)cowsh_step(prompt.s, 0);
	cowsh_free(prompt.s);
	return err < 0 ? err : prompt.len;
}

struct typing {
	struct cowsh *s;
	bool on;
};

static int run_typing(struct proc *p, void *arg)
{
	const struct typing *typing = arg;

	interp_set_interactive(typing->s->shell, typing->on);
	typing->s->command_done = true;
	proc_park(p);
}

int cowsh_set_interactive(cowsh *s, bool on)
{
	struct typing typing = { s, on };

	if (s == NULL)
		return -E_INVAL;
	if (s->running || journal_note(s, HOST_SET_INTERACTIVE, NULL, on, 0, NOTHING) < 0)
		return -E_BUSY;
	return run_between(s, run_typing, &typing);
}

int cowsh_set_terminal_size(cowsh *s, unsigned rows, unsigned columns)
{
	if (s == NULL)
		return -E_INVAL;
	if (is_busy(s) || journal_note(s, HOST_TERMINAL_SIZE, NULL, rows, columns, NOTHING) < 0)
		return -E_BUSY;
	kernel_size_terminal(s->kernel, rows, columns);
	return 0;
}

void cowsh_get_terminal(const cowsh *s, struct cowsh_terminal *out)
{
	struct tty_settings set;

	kernel_get_terminal(s->kernel, &set);
	*out = (struct cowsh_terminal){ set.input, set.output, set.control, set.local, { 0 } };
	memcpy(out->keys, set.keys, sizeof out->keys);
}

static void finish(struct cowsh *s)
{
	int limit = kernel_limit_hit(s->kernel);
	int died = kernel_died(s->kernel);
	struct kernel_usage usage;

	if (s->tape != NULL)
		tape_cancelled(s->tape);
	if (limit >= 0 || died != 0) {
		s->status = limit >= 0 ? 137 : (died & 127) != 0 ? 128 + (died & 127) : died >> 8;
		recover(s);
		kernel_reset_terminal(s->kernel);
	} else {
		interp_release(s->shell);
	}
	kernel_flush(s->kernel);
	kernel_get_usage(s->kernel, &usage);
	s->running = false;
	/* The kernel's own text goes when the command is undone. */
	copy_text(s->limit_where, sizeof s->limit_where,
		  limit >= 0 ? kernel_limit_hit_where(s->kernel) : "");
	s->result = (struct cowsh_result){
		.status = s->status,
		.limit = limit,
		.exited = s->exited,
		.steps = usage.steps,
		.output_bytes = usage.output_bytes,
		.processes = usage.processes - s->started_processes,
		.memory_peak = usage.memory_peak,
		.time_ns = elapsed_ns(s),
		.limit_value = limit >= 0 ? kernel_limit_hit_value(s->kernel) : 0,
		.limit_where = s->limit_where,
	};
	if (s->trace != NULL)
		trace_result(s);
	if (s->tape != NULL)
		journal_result(s);
}

static enum cowsh_state state_of(enum kernel_state k)
{
	return k == KERNEL_WAIT ? COWSH_WAIT : k == KERNEL_SLICE ? COWSH_SLICE : COWSH_DONE;
}

static enum cowsh_state run_command(struct cowsh *s, uint64_t steps)
{
	struct kernel_usage usage;
	uint64_t end;
	enum kernel_state state = KERNEL_SLICE;

	kernel_get_usage(s->kernel, &usage);
	end = usage.steps + steps;
	for (;;) {
		uint64_t left = steps == 0 ? 0 : end > usage.steps ? end - usage.steps : 0;

		if (steps != 0 && left == 0)
			return COWSH_SLICE;
		if (s->breaks != NULL)
			left = break_budget(s, left, usage.steps);
		state = kernel_run(s->kernel, left);
		if (s->command_done || kernel_limit_hit(s->kernel) >= 0 ||
		    kernel_died(s->kernel) != 0 || state == KERNEL_DONE) {
			finish(s);
			return COWSH_DONE;
		}
		kernel_get_usage(s->kernel, &usage);
		if (s->breaks != NULL && break_reached(s, usage.steps))
			return COWSH_BREAK;
		if (state == KERNEL_WAIT)
			return COWSH_WAIT;
	}
}

static void tape_goes_on(struct tape *t)
{
	if (t != NULL)
		t->waits = false;
	(void)tape_listen(t, true);
}

static void tape_pauses(struct tape *t, enum cowsh_state state)
{
	if (t == NULL)
		return;
	t->waits = state == COWSH_WAIT;
	t->listens = false;
}

int cowsh_step(cowsh *s, uint64_t steps)
{
	enum cowsh_state state;

	if (s == NULL)
		return -E_INVAL;
	if (!s->running)
		return COWSH_DONE;
	tape_goes_on(s->tape);
	state = run_command(s, steps);
	tape_pauses(s->tape, state);
	return (int)state;
}

static bool alone(const struct cowsh *s)
{
	return proc_next(s->kernel, s->shell_proc->pid) == NULL &&
	       proc_next(s->kernel, 0) == s->shell_proc;
}

/* As cowsh_step, without a shell that ends it. */
static enum cowsh_state run_others(struct cowsh *s, uint64_t steps)
{
	enum kernel_state state;
	struct kernel_usage usage;

	do {
		uint64_t left = steps;

		kernel_get_usage(s->kernel, &usage);
		if (s->breaks != NULL)
			left = break_budget(s, left, usage.steps);
		state = kernel_run(s->kernel, left);
		kernel_get_usage(s->kernel, &usage);
		if (kernel_limit_hit(s->kernel) >= 0)
			state = KERNEL_DONE;
		else if (s->breaks != NULL && break_reached(s, usage.steps))
			return COWSH_BREAK;
	} while (steps == 0 && state == KERNEL_SLICE);
	kernel_flush(s->kernel);
	return state_of(state);
}

int cowsh_drain(cowsh *s, uint64_t steps)
{
	enum cowsh_state state;

	if (s == NULL)
		return -E_INVAL;
	if (s->running)
		return -E_BUSY;
	/* In a journal it is a command, if there is anything to do. */
	if (s->tape != NULL && !s->tape->draining && alone(s))
		return COWSH_DONE;
	if (s->tape != NULL && !s->tape->draining)
		journal_drain(s);
	tape_goes_on(s->tape);
	state = run_others(s, steps);
	if (s->tape != NULL)
		tape_cancelled(s->tape);
	if (s->tape != NULL && state == COWSH_DONE)
		journal_drained(s);
	tape_pauses(s->tape, state);
	return (int)state;
}

int cowsh_get_result(const cowsh *s, struct cowsh_result *out)
{
	if (s == NULL || out == NULL)
		return -E_INVAL;
	if (s->running)
		return -E_BUSY;
	*out = s->result;
	return 0;
}

int cowsh_run(cowsh *s, const char *script, size_t len, struct cowsh_result *out)
{
	int state = cowsh_start(s, script, len);

	if (state < 0)
		return state;
	state = cowsh_step(s, 0);
	if (state < 0)
		return state;
	if (state != COWSH_DONE)
		return -E_AGAIN;
	if (out != NULL)
		*out = s->result;
	return 0;
}

int64_t cowsh_next_timer(const cowsh *s)
{
	return kernel_next_timer(s->kernel);
}

void cowsh_wake(cowsh *s)
{
	if (s->tape != NULL && s->tape->in_command)
		tape_action(s->tape, ENTRY_WAKE, 0);
	else
		(void)journal_note(s, HOST_WAKE, NULL, 0, 0, NOTHING);
	kernel_wake_host(s->kernel);
}

void cowsh_cancel(cowsh *s)
{
	kernel_cancel(s->kernel);
}

/* As ^C: to every process but the shell that owns the session; to that one too if it runs a
 * script itself. */
int cowsh_signal(cowsh *s, int signal)
{
	if (s == NULL || signal < 1 || signal >= SIG_COUNT)
		return -E_INVAL;
	if (s->tape != NULL && s->tape->in_command)
		tape_action(s->tape, ENTRY_SIGNAL, (uint64_t)signal);
	else if (journal_note(s, HOST_SIGNAL, NULL, (uint64_t)signal, 0, NOTHING) < 0)
		return -E_BUSY;
	for (struct proc *p = proc_next(s->kernel, 0); p != NULL; p = proc_next(s->kernel, p->pid))
		if (interp_takes_signal(s->shell, p, signal))
			kernel_signal(s->kernel, p->pid, signal);
	return 0;
}

int cowsh_set_limit(cowsh *s, int limit, uint64_t value)
{
	if (s == NULL || limit < 0 || limit >= COWSH_LIMIT_COUNT)
		return -E_INVAL;
	if (journal_note(s, HOST_SET_LIMIT, NULL, (uint64_t)limit, value, NOTHING) < 0)
		return -E_BUSY;
	kernel_set_limit(s->kernel, (enum limit)limit, value);
	return 0;
}

uint64_t cowsh_get_limit(const cowsh *s, int limit)
{
	return limit >= 0 && limit < COWSH_LIMIT_COUNT ? kernel_limit(s->kernel, (enum limit)limit)
						       : 0;
}

struct lookup {
	struct cowsh *s;
	const char *name;
	struct bytes value;
};

static int look_up(void *arg)
{
	struct lookup *l = arg;

	return interp_get_variable(l->s->shell, bytes_of(l->name), &l->value) ? 0 : -E_NOENT;
}

int cowsh_get_variable(cowsh *s, const char *name, const char **out, size_t *out_len)
{
	struct lookup l = { s, name, { NULL, 0 } };
	int err;

	if (s == NULL || name == NULL || out == NULL || out_len == NULL)
		return -E_INVAL;
	err = kernel_guard(s->kernel, look_up, &l);
	if (err < 0)
		return err;
	*out = l.value.ptr;
	*out_len = l.value.len;
	return 0;
}
