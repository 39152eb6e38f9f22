/* SPDX-License-Identifier: MIT
 *
 * Lists of what is in a session, for hosts that look at it between steps. Memory is the looked-at
 * process's own, given back at once; steps are not counted.
 */
#include "api/watch.h"

struct look {
	struct cowsh *s;
	struct proc *p; /* whose memory is used */
	int (*process)(void *user, const struct cowsh_process *process);
	int (*variable)(void *user, const struct cowsh_variable *variable);
	int (*descriptor)(void *user, const struct cowsh_descriptor *descriptor);
	void *user;
};

/* The process that a number stands for: 0 is the session's shell. */
static struct proc *find(struct cowsh *s, int pid)
{
	struct proc *p = pid == 0 ? s->shell_proc : proc_find(s->kernel, pid);

	return p != NULL && p->state != PROC_ZOMBIE ? p : NULL;
}

static int run(struct look *look, int (*fn)(void *arg))
{
	struct arena_mark mark = arena_mark(&look->p->arena);
	int err = kernel_peek(look->s->kernel, fn, look);

	arena_release(&look->p->arena, mark);
	return err;
}

/* --- processes --- */

static int tell_process(const struct look *look, struct proc *p)
{
	struct arena *a = &look->p->arena;
	struct arena_mark mark = arena_mark(a);
	char *cwd = NULL;
	struct cowsh_process out = {
		.pid = p->pid,
		.ppid = p->ppid,
		.pgid = p->pgid,
		.stage = p->stage,
		.line = proc_line(p),
		.state = proc_state_letter(p),
		.name = p->name,
		.program = program_kind(proc_format(p)),
		.argc = count_args(p->argv),
		.argv = (const char *const *)p->argv,
		.steps = p->steps,
		.bytes_read = p->bytes_read,
		.bytes_written = p->bytes_written,
		.memory = proc_memory(p),
	};
	int stop;

	if (vfs_dir_path(kernel_vfs(look->s->kernel), p->cwd, a, &cwd) == 0)
		out.cwd = cwd;
	stop = look->process(look->user, &out);
	arena_release(a, mark);
	return stop;
}

static int list_processes(void *arg)
{
	const struct look *look = arg;
	struct kernel *k = look->s->kernel;

	for (struct proc *p = proc_next(k, 0); p != NULL; p = proc_next(k, p->pid))
		if (tell_process(look, p) != 0)
			break;
	return 0;
}

int cowsh_list_processes(cowsh *s, int (*each)(void *, const struct cowsh_process *), void *user)
{
	struct look look = { .s = s, .process = each, .user = user };

	if (s == NULL || each == NULL)
		return -E_INVAL;
	look.p = s->shell_proc;
	return run(&look, list_processes);
}

/* --- variables --- */

static int tell_variable(void *user, const struct interp_variable *v)
{
	const struct look *look = user;
	struct cowsh_variable out = { v->name, v->attributes, v->value.ptr, v->value.len };

	return look->variable(look->user, &out);
}

static int list_variables(void *arg)
{
	struct look *look = arg;

	interp_list_variables(look->p->task, tell_variable, look);
	return 0;
}

int cowsh_list_variables(cowsh *s, int pid, int (*each)(void *, const struct cowsh_variable *),
			 void *user)
{
	struct look look = { .s = s, .variable = each, .user = user };

	if (s == NULL || each == NULL)
		return -E_INVAL;
	look.p = find(s, pid);
	if (look.p == NULL)
		return -E_SRCH;
	/* Only shells have lines; one that was just forked has no state yet. */
	if (look.p->line == NULL || look.p->task == NULL)
		return -E_INVAL;
	return run(&look, list_variables);
}

/* --- descriptors --- */

static int list_descriptors(void *arg)
{
	const struct look *look = arg;
	struct arena *a = &look->p->arena;
	struct fd_info fd = { .fd = -1 };
	int stop = 0;

	while (stop == 0) {
		struct arena_mark mark = arena_mark(a);
		struct cowsh_descriptor out;

		if (!proc_next_fd(look->p, fd.fd + 1, a, &fd))
			break;
		out = (struct cowsh_descriptor){ fd.fd,    fd.kind, fd.path,
						 fd.flags, fd.pos,  fd.cloexec };
		stop = look->descriptor(look->user, &out);
		arena_release(a, mark);
	}
	return 0;
}

int cowsh_list_descriptors(cowsh *s, int pid, int (*each)(void *, const struct cowsh_descriptor *),
			   void *user)
{
	struct look look = { .s = s, .descriptor = each, .user = user };

	if (s == NULL || each == NULL)
		return -E_INVAL;
	look.p = find(s, pid);
	return look.p == NULL ? -E_SRCH : run(&look, list_descriptors);
}
