/* SPDX-License-Identifier: MIT
 *
 * Starting programs: from a path to a program format, through "#!" lines.
 */
#include "kernel/internal.h"

enum { HEAD_BYTES = 256, HEAD_ARGS = 2 * SHEBANG_MAX + 1 };

/* What a path leads to. "#!" lines put arguments in front: the last one read comes first. */
struct image {
	const struct program_format *format;
	const char *path;                       /* of the program itself, not the script */
	char line[SHEBANG_MAX][HEAD_BYTES + 1]; /* the lines, cut into strings */
	char start[HEAD_BYTES + 1];             /* of the program itself */
	size_t nstart;
	char *head[HEAD_ARGS + 1];
	int nhead;
	int depth;
};

int kernel_add_format(struct kernel *k, const struct program_format *format)
{
	for (int i = 0; i < k->nformats; i++)
		if (k->format[i] == format)
			return 0;
	if (k->nformats == FORMATS_MAX)
		return -E_NOMEM;
	k->format[k->nformats++] = format;
	return 0;
}

int kernel_advise(struct proc *p, char *const *argv)
{
	struct arena_mark mark = arena_mark(&p->arena);
	int status = -1;
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	for (int i = 0; i < p->k->nformats && status < 0; i++)
		if (p->k->format[i]->advise != NULL)
			status = p->k->format[i]->advise(p, argc, (char **)(uintptr_t)argv);
	arena_release(&p->arena, mark);
	return status;
}

static int64_t read_head(struct proc *p, const char *path, char *out)
{
	struct vfs *v = p->k->vfs;
	struct vfs_stat st;
	vfs_ino ino;
	int64_t r;

	do
		r = vfs_lookup(v, &p->cred, proc_owner(p)->cwd, path, 0, &ino);
	while (path_again(p, &r));
	if (r == 0)
		r = vfs_getattr(v, ino, &st);
	if (r != 0)
		return r;
	if ((st.mode & S_FMT) != S_REG)
		return -E_ACCES;
	r = vfs_access(v, &p->cred, ino, 1);
	if (r != 0)
		return r;
	do
		r = vfs_read(v, ino, 0, out, HEAD_BYTES);
	while (path_again(p, &r));
	return r;
}

static void push_front(struct image *im, char *s)
{
	memmove(im->head + 1, im->head, (size_t)im->nhead * sizeof im->head[0]);
	im->head[0] = s;
	im->nhead++;
}

/*
 * "#! /bin/x arg" as Linux reads it: the interpreter's path, and the rest of the line without
 * surrounding blanks as a single argument. False if there is no usable interpreter.
 */
static bool cut_line(char *line, size_t n, char **interp, char **arg)
{
	char *end = memchr(line, '\n', n);
	char *at = line + 2;
	bool cut = end == NULL;

	if (cut)
		end = line + n;
	while (end > at && byte_is_blank(end[-1]))
		end--;
	*end = '\0';
	while (byte_is_blank(*at))
		at++;
	if (*at == '\0')
		return false;
	*interp = at;
	while (*at != '\0' && !byte_is_blank(*at))
		at++;
	if (cut && *at == '\0' && n == HEAD_BYTES)
		return false;
	while (byte_is_blank(*at))
		*at++ = '\0';
	*arg = *at != '\0' ? at : NULL;
	return true;
}

static int follow_line(struct image *im, size_t n)
{
	char *line = im->line[im->depth];
	char *script = (char *)(uintptr_t)im->path;
	char *interp;
	char *arg;

	if (!cut_line(line, n, &interp, &arg))
		return -E_NOEXEC;
	if (im->nhead != 0)
		im->head[0] = script;
	else
		push_front(im, script);
	if (arg != NULL)
		push_front(im, arg);
	push_front(im, interp);
	im->path = interp;
	im->depth++;
	return 0;
}

static int find_format(struct proc *p, struct image *im)
{
	struct bytes head = { im->start, im->nstart };

	for (int i = 0; i < p->k->nformats; i++) {
		const struct program_format *f = p->k->format[i];

		if (f->probe(p, head)) {
			im->format = f;
			return 0;
		}
	}
	return -E_NOEXEC;
}

static int resolve(struct proc *p, const char *path, struct image *im)
{
	im->path = path;
	im->nhead = 0;
	im->depth = 0;
	memset(im->head, 0, sizeof im->head);
	for (;;) {
		int64_t n = read_head(p, im->path, im->start);

		if (n < 0)
			return (int)n;
		im->start[n] = '\0';
		im->nstart = (size_t)n;
		if (n < 2 || im->start[0] != '#' || im->start[1] != '!')
			return find_format(p, im);
		if (im->depth == SHEBANG_MAX)
			return -E_LOOP;
		memcpy(im->line[im->depth], im->start, (size_t)n + 1);
		if (follow_line(im, (size_t)n) != 0)
			return -E_NOEXEC;
	}
}

static int run_image(struct proc *p, void *arg)
{
	const struct program_format *format = arg;

	if (!format->tells_tracer)
		ptrace_exec(p);
	return format->run(p, p->priv->start, p->priv->path, p->priv->argc,
			   (char **)(uintptr_t)p->argv, (char **)(uintptr_t)p->envp);
}

static void *as_arg(const struct program_format *format)
{
	return (void *)(uintptr_t)format;
}

/* p becomes what the image is, and the running process asks for it. */
static int load(struct proc *p, const char *path, const struct image *im, char *const *argv,
		char *const *envp)
{
	struct proc *by = p->k->current != NULL ? p->k->current : p;
	struct args args = { .path = im->path,
			     .name = path,
			     .head = im->head,
			     .nhead = im->nhead,
			     .argv = argv,
			     .envp = envp,
			     .start = { im->start, im->nstart } };
	struct arena_mark mark = arena_mark(&by->arena);
	int r;

	if (im->format->real_path || im->path[0] != '/')
		args.path = path_real(p, proc_owner(p)->cwd, im->path, &by->arena);
	r = args_set(p, &args);
	arena_release(&by->arena, mark);

	if (r != 0)
		return r;
	p->priv->format = im->format->name;
	p->priv->loaded = true;
	p->no_zombies = false;
	for (int sig = 1; sig < SIG_COUNT; sig++)
		if (p->sig_action[sig] == SIG_CAUGHT)
			p->sig_action[sig] = SIG_DEFAULT;
	return 0;
}

int64_t sys_spawn_program(struct proc *p, const struct exec *e)
{
	struct image im;
	struct proc *c;
	int r;

	proc_charge(p, 40 + args_steps(e->argv, e->envp));
	r = resolve(p, e->path, &im);
	if (r == 0 && p->line == NULL)
		proc_watch_call(p, "program", e->argv);
	if (r == 0)
		r = proc_new(p->k, p, &c);
	if (r != 0)
		return r;
	r = e->fds != NULL ? fd_map(c, p, e->fds, e->nfds) : fd_inherit(c, p);
	if (r == 0)
		r = load(c, e->path, &im, e->argv, e->envp);
	if (r == 0)
		r = proc_set_stack(c, run_image, as_arg(im.format));
	if (r != 0) {
		proc_undo(c);
		return r;
	}
	fd_close_on_exec(c);
	proc_set_spawned(c, e->pgid, e->ignore_int);
	ptrace_inherit(c, p);
	sched_ready(c);
	if (tracing(p->k))
		trace_start(c, TRACE_START);
	return c->pid;
}

/* What the old program had goes. */
static void forget_program(struct proc *p)
{
	if (p->release != NULL)
		p->release(p);
	p->release = NULL;
	p->program = NULL;
	p->task = NULL;
	p->line = NULL;
	fd_close_on_exec(p);
	ptimer_clear_all(p);
	p->traits.hidden = false;
	p->saved_uid = p->cred.uid;
	p->saved_gid = p->cred.gid;
	view_end_all(p);
	arena_clear(&p->arena);
	pool_clear(&p->pool);
	p->priv->ran_exec = true;
	p->priv->whole = false;
	if (tracing(p->k))
		trace_start(p, TRACE_EXEC);
}

/* Another thread than the first has asked for a program: the process goes on with it where its
 * first one stood, with the user and the blocked signals of the other, which ends. */
static _Noreturn void hand_over(struct proc *t, struct segment *fresh)
{
	struct proc *p = proc_owner(t);
	struct segment *old = p->priv->top;

	sched_forget(p);
	path_leave_opening(p);
	p->priv->waits = p->priv->waits_host = p->priv->waits_child = false;
	p->priv->waits_lock_of = 0;
	p->cred = t->cred;
	p->real_uid = t->real_uid;
	p->real_gid = t->real_gid;
	p->sig_blocked = t->sig_blocked;
	p->sig_pending |= t->sig_pending;
	p->nice = t->nice;
	forget_program(p);
	p->priv->top = fresh;
	stack_put_all(p->k, old);
	sched_ready(p);
	proc_exit(t, 0);
}

/* The process continues on a new stack; the old one is freed from there. */
int64_t sys_exec(struct proc *p, const char *path, char *const *argv, char *const *envp)
{
	struct proc *owner = proc_owner(p);
	struct segment *old = owner->priv->top;
	struct segment *fresh;
	struct image im;
	int r;

	proc_charge(p, 40 + args_steps(argv, envp));
	r = resolve(p, path, &im);
	if (r == 0 && p->line == NULL)
		proc_watch_call(p, "program", argv);
	if (r == 0)
		r = proc_set_stack(owner, run_image, as_arg(im.format));
	if (r != 0)
		return r;
	fresh = owner->priv->top;
	owner->priv->top = old;
	r = load(owner, path, &im, argv, envp);
	if (r != 0) {
		stack_put(p->k, fresh);
		return r;
	}
	proc_end_threads(owner, 0);
	if (owner != p)
		hand_over(p, fresh);
	forget_program(p);
	p->priv->top = fresh;
	p->k->doomed = old;
	coro_leave(&old->coro, &fresh->coro);
}
