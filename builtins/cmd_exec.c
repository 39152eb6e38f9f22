/* SPDX-License-Identifier: MIT
 *
 * The environment, starting programs, waiting, signals.
 */
#include "builtins/cmd_private.h"

/* The value in a "NAME=value" list, or NULL. */
static const char *lookup(char *const *list, struct bytes name)
{
	for (size_t i = 0; list != NULL && list[i] != NULL; i++)
		if (strncmp(list[i], name.ptr, name.len) == 0 && list[i][name.len] == '=')
			return list[i] + name.len + 1;
	return NULL;
}

const char *cmd_getenv(struct cmd *c, const char *name)
{
	return lookup(c->envp, bytes_of(name));
}

void env_init(struct env *e, struct cmd *c, bool empty)
{
	size_t n = 0;

	while (!empty && c->envp != NULL && c->envp[n] != NULL)
		n++;
	*e = (struct env){ .c = c, .n = n, .cap = n + 16 };
	e->list = arena_array(c->arena, e->cap, sizeof(char *));
	if (n != 0)
		memcpy(e->list, c->envp, n * sizeof(char *));
}

static size_t find_name(const struct env *e, struct bytes name)
{
	size_t i = 0;

	while (i < e->n &&
	       !(strncmp(e->list[i], name.ptr, name.len) == 0 && e->list[i][name.len] == '='))
		i++;
	return i;
}

void env_put(struct env *e, const char *assignment)
{
	const char *equals = strchr(assignment, '=');
	struct bytes name = { assignment, (size_t)(equals - assignment) };
	size_t at = find_name(e, name);

	if (at == e->n) {
		if (e->n + 2 > e->cap) {
			e->list = arena_grow(e->c->arena, e->list, e->cap * sizeof(char *),
					     e->cap * 2 * sizeof(char *));
			e->cap *= 2;
		}
		e->n++;
		e->list[e->n] = NULL;
	}
	e->list[at] = arena_dup(e->c->arena, bytes_of(assignment));
}

void env_unset(struct env *e, const char *name)
{
	size_t at = find_name(e, bytes_of(name));

	if (at == e->n)
		return;
	memmove(e->list + at, e->list + at + 1, (e->n - at) * sizeof(char *));
	e->n--;
}

/* --- programs --- */

/* argv for /bin/sh, which runs a file that no format takes. */
static char **shell_argv(struct cmd *c, const char *path, char *const *argv)
{
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	char **list = arena_array(c->arena, n + 3, sizeof(char *));

	list[0] = arena_dup(c->arena, BYTES("/bin/sh"));
	list[1] = arena_dup(c->arena, bytes_of(path));
	for (size_t i = 1; i < n; i++)
		list[i + 1] = argv[i];
	return list;
}

/* Spawns or becomes one path. */
static int64_t try_path(struct cmd *c, const struct cmd_program *prog, const char *path,
			bool become)
{
	struct exec e = {
		.path = path,
		.argv = prog->argv,
		.envp = prog->envp,
		.fds = prog->fds,
		.nfds = prog->nfds,
		.pgid = prog->pgid,
		.ignore_int = prog->ignore_int,
	};
	int64_t got = become ? sys_exec(c->p, path, e.argv, e.envp) : sys_spawn_program(c->p, &e);

	if (got != -E_NOEXEC)
		return got;
	e.argv = shell_argv(c, path, prog->argv);
	e.path = "/bin/sh";
	return become ? sys_exec(c->p, e.path, e.argv, e.envp) : sys_spawn_program(c->p, &e);
}

static int64_t search_path(struct cmd *c, const struct cmd_program *prog, bool become)
{
	const char *list = lookup(prog->envp, BYTES("PATH"));
	const char *name = prog->argv[0];
	int64_t result = -E_NOENT;

	if (list == NULL)
		list = "/bin:/usr/bin";
	for (;;) {
		size_t len = strcspn(list, ":");
		struct buf path = buf_in(c->arena);

		buf_put(&path, list, len);
		if (len != 0)
			buf_putc(&path, '/');
		buf_puts(&path, name);
		int64_t got = try_path(c, prog, buf_cstr(&path), become);

		if (got == -E_ACCES)
			result = got;
		else if (got != -E_NOENT && got != -E_NOTDIR)
			return got;
		if (list[len] == '\0')
			return result;
		list += len + 1;
	}
}

static int64_t start(struct cmd *c, const struct cmd_program *prog, bool become)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct cmd_program full = *prog;
	int64_t got;

	cmd_flush(c);
	if (full.envp == NULL)
		full.envp = c->envp;
	if (full.argv[0][0] == '\0')
		got = -E_NOENT;
	else if (strchr(full.argv[0], '/') != NULL)
		got = try_path(c, &full, full.argv[0], become);
	else
		got = search_path(c, &full, become);
	if (got == -E_NOENT)
		kernel_advise(c->p, full.argv);
	arena_release(c->arena, mark);
	return got;
}

bool cmd_is_program(struct cmd *c, const char *path)
{
	struct vfs_stat st;

	return cmd_stat(c, path, &st) == 0 && (st.mode & S_FMT) == S_REG &&
	       cmd_access(c, CMD_CWD, path, 1) == 0;
}

int cmd_spawn(struct cmd *c, const struct cmd_program *prog)
{
	return (int)start(c, prog, false);
}

int cmd_become(struct cmd *c, char *const *argv, char *const *envp)
{
	struct cmd_program prog = { .argv = argv, .envp = envp };

	return (int)start(c, &prog, true);
}

int cmd_wait(struct cmd *c, int pid, int *status, bool nohang)
{
	return (int)sys_wait(c->p, pid, status, nohang ? WNOHANG_ : 0);
}

int cmd_pipe(struct cmd *c, int fds[2])
{
	return (int)sys_pipe(c->p, fds, true);
}

int cmd_exit_status(int wait_status)
{
	int sig = wait_status & 0x7f;

	return sig != 0 ? 128 + sig : (wait_status >> 8) & 0xff;
}

int cmd_wait_end(struct cmd *c, int pid)
{
	int status = 0;

	while (cmd_wait(c, pid, &status, false) < 0)
		cmd_charge(c, 1);
	return cmd_exit_status(status);
}

/* --- processes and signals --- */

int cmd_pid(struct cmd *c)
{
	return c->p->pid;
}

int cmd_ppid(struct cmd *c)
{
	return c->p->ppid;
}

int cmd_kill(struct cmd *c, int pid, int sig)
{
	return (int)sys_kill(c->p, pid, sig);
}

bool cmd_alive(struct cmd *c, int pid)
{
	const struct proc *p = proc_find(c->p->k, pid);

	return p != NULL && p->state != PROC_ZOMBIE;
}

bool cmd_unread(struct cmd *c, int fd)
{
	struct poll_item item = { .fd = fd, .want = POLL_WRITE_ };

	return sys_poll(c->p, &item, 1, 0) > 0 && (item.got & (POLL_HUP_ | POLL_ERR_)) != 0;
}

int cmd_setpgid(struct cmd *c, int pid, int pgid)
{
	return (int)sys_setpgid(c->p, pid, pgid);
}

int cmd_setsid(struct cmd *c)
{
	return (int)sys_setsid(c->p);
}

int cmd_pgid(struct cmd *c)
{
	return c->p->pgid;
}

int cmd_sid(struct cmd *c)
{
	return c->p->sid;
}

void cmd_alarm(struct cmd *c, int64_t ns)
{
	sys_alarm(c->p, ns, SIGALRM_);
}

void cmd_signal(struct cmd *c, int sig, enum cmd_action action)
{
	static const enum sig_action actions[] = { SIG_DEFAULT, SIG_IGNORED, SIG_CAUGHT };

	sys_sigaction(c->p, sig, actions[action]);
}

enum cmd_action cmd_signal_action(struct cmd *c, int sig)
{
	switch (c->p->sig_action[sig]) {
	case SIG_IGNORED: return CMD_SIG_IGNORE;
	case SIG_CAUGHT: return CMD_SIG_CATCH;
	default: return CMD_SIG_DEFAULT;
	}
}

int cmd_next_signal(struct cmd *c)
{
	return proc_next_signal(c->p);
}

void cmd_block_signal(struct cmd *c, int sig, bool on)
{
	uint64_t bit = (uint64_t)1 << (sig - 1);

	sys_sigmask(c->p, on ? c->p->sig_blocked | bit : c->p->sig_blocked & ~bit);
}

const char *cmd_sig_name(int sig)
{
	return sig_name(sig);
}

int cmd_sig_number(const char *text)
{
	uint64_t n;

	if (num_plain(text, &n))
		return n < SIG_COUNT ? (int)n : -1;
	return sig_of_name(bytes_of(text));
}

int cmd_nice(struct cmd *c, int add)
{
	int value = c->p->nice + add;

	c->p->nice = value > 19 ? 19 : value < -20 ? -20 : value;
	return c->p->nice;
}
