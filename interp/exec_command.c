/* SPDX-License-Identifier: MIT
 *
 * Running what a command name stands for when it is no function: builtins, programs found in
 * PATH, scripts without "#!", and the messages when nothing can be run.
 */
#include "base/number.h"
#include "interp/exec.h"
#include "interp/print.h"
#include "interp/hash.h"
#include "interp/interp.h"
#include "interp/state.h"

/* --- what a command leaves behind --- */

void last_arg_is_own(struct shell *sh)
{
	struct bytes name = BYTES("_");

	var_ensure(sh, name, bytes_hash(name))->flags &= ~(unsigned)VAR_EXPORT;
	sh->last_arg_exported = false;
}

void set_last_arg(struct shell *sh, const char *value)
{
	size_t need = strlen(value) + 1;
	char *room = (char *)(uintptr_t)sh->last_arg;

	if (need > sh->last_arg_cap) {
		size_t cap = need + 32;

		room = pool_alloc(sh->pool, cap);
		if (sh->last_arg_cap != 0)
			pool_free(sh->pool, (void *)(uintptr_t)sh->last_arg, sh->last_arg_cap);
		sh->last_arg_cap = cap;
	}
	memcpy(room, value, need);
	sh->last_arg = room;
	if (sh->last_arg_exported)
		last_arg_is_own(sh);
}

void set_pipestatus(struct shell *sh, const int *statuses, int n)
{
	if (n > sh->pipestatus_cap) {
		int cap = n + 4;
		int *room = pool_alloc(sh->pool, (size_t)cap * sizeof(int));

		if (sh->pipestatus_cap != 0)
			pool_free(sh->pool, sh->pipestatus,
				  (size_t)sh->pipestatus_cap * sizeof(int));
		sh->pipestatus = room;
		sh->pipestatus_cap = cap;
	}
	for (int i = 0; i < n; i++)
		sh->pipestatus[i] = statuses[i];
	sh->npipestatus = n;
}

int *copy_pipestatus(struct shell *sh)
{
	size_t n = (size_t)sh->npipestatus;
	int *copy = arena_array(sh->arena, n + 1, sizeof *copy);

	for (size_t i = 0; i < n; i++)
		copy[i] = sh->pipestatus[i];
	return copy;
}

int exec_builtin(struct shell *sh, const struct shell_builtin *b, int argc, char **argv)
{
	const char *outer = sh->command_name;
	int status;

	sh->command_name = b->name;
	status = b->run(sh, argc, argv);
	sh->command_name = outer;
	return sh->flow >= FLOW_EXIT ? sh->status : status;
}

/* --- finding programs --- */

bool program_ignored(struct shell *sh, const char *path)
{
	const char *at = var_get_text(sh, "EXECIGNORE");

	while (at != NULL && *at != '\0') {
		size_t n = strcspn(at, ":");
		struct glob *g = shell_glob(sh, (struct bytes){ at, n }, false);

		if (g != NULL && glob_match(g, sh->arena, bytes_of(path)))
			return true;
		at += at[n] == ':' ? n + 1 : n;
	}
	return false;
}

/* Whether path is a file that may be executed; exists: that it is one, or a directory. */
static bool is_program(struct shell *sh, const char *path, bool *exists)
{
	struct vfs_stat st;

	if (sys_stat(sh->p, AT_FDCWD_, path, 0, &st) != 0 || program_ignored(sh, path))
		return false;
	*exists = true;
	return (st.mode & S_FMT) != S_DIR && sys_access(sh->p, AT_FDCWD_, path, 1) == 0;
}

static bool is_directory(struct shell *sh, const char *path)
{
	struct vfs_stat st;

	return sys_stat(sh->p, AT_FDCWD_, path, 0, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

char *find_program(struct shell *sh, const char *name, const char *path_value)
{
	char *unusable = NULL;

	if (path_value == NULL)
		path_value = "";
	for (const char *at = path_value;; at++) {
		const char *end = at + strcspn(at, ":");
		struct buf path = buf_in(sh->arena);
		bool exists = false;

		if (end == at)
			buf_putc(&path, '.');
		buf_put(&path, at, (size_t)(end - at));
		if (path.ptr[path.len - 1] != '/')
			buf_putc(&path, '/');
		buf_puts(&path, name);
		if (is_program(sh, path.ptr, &exists))
			return path.ptr;
		if (exists && unusable == NULL)
			unusable = path.ptr;
		if (*end == '\0')
			return unusable != NULL && is_directory(sh, unusable) ? NULL : unusable;
		at = end;
	}
}

static void hash_found(struct shell *sh, const char *name, const char *path)
{
	if (path[0] != '/' || !opt_set(sh, SET_HASHALL))
		return;
	hash_keep(sh, bytes_of(name), bytes_of(path));
	hash_use(sh, bytes_of(name));
}

char *program_path(struct shell *sh, const char *name)
{
	struct bytes key = bytes_of(name);
	struct hash_entry *e;
	const char *path_value;
	char *found;

	if (*name == '\0')
		return NULL;
	if (strchr(name, '/') != NULL)
		return (char *)(uintptr_t)name;
	e = hash_use(sh, key);
	if (e != NULL) {
		bool exists = false;

		if (!opt_shopt(sh, SHOPT_checkhash) || is_program(sh, e->path, &exists))
			return e->path;
		hash_remove(sh, key);
	}
	path_value = var_get_text(sh, "PATH");
	found = find_program(sh, name, path_value);
	if (found != NULL)
		hash_found(sh, name, found);
	return found;
}

char *const *program_environ(struct shell *sh, const char *path)
{
	char *const *environ = function_environ(sh, var_environ(sh));
	size_t n = 0;
	size_t kept = 0;
	char **out;
	struct buf underscore = buf_in(sh->arena);

	while (environ[n] != NULL)
		n++;
	out = arena_alloc(sh->arena, (n + 2) * sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		if (environ[i][0] != '_' || environ[i][1] != '=')
			out[kept++] = environ[i];
	}
	buf_puts(&underscore, "_=");
	buf_puts(&underscore, path);
	out[kept++] = buf_cstr(&underscore);
	out[kept] = NULL;
	return out;
}

/* --- why a program does not start --- */

/* What is said about a program of the system that is not there: a status, or -1. */
static int advise(struct shell *sh, const char *path)
{
	static const char *const places[] = { "/usr/bin/", "/bin/", "/usr/local/bin/" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t len = strlen(places[i]);
		char *argv[] = { (char *)(uintptr_t)path + len, NULL };

		if (strncmp(path, places[i], len) == 0)
			return kernel_advise(sh->p, argv);
	}
	return -1;
}

/* The same about what the first line of a script names. */
static void advise_script(struct shell *sh, const char *path)
{
	char head[128];
	int64_t fd = exec_open(sh, path, 0);
	int64_t n = fd < 0 ? -1 : sys_read(sh->p, (int)fd, head, sizeof(head) - 1);
	size_t from = 2;

	if (fd >= 0)
		sys_close(sh->p, (int)fd);
	if (n < 3 || head[0] != '#' || head[1] != '!')
		return;
	head[n] = '\0';
	from += strspn(head + from, " \t");
	head[from + strcspn(head + from, " \t\n")] = '\0';
	advise(sh, head + from);
}

int program_failed(struct shell *sh, const char *path, int64_t err)
{
	struct vfs_stat st;
	int status;

	if (is_directory(sh, path)) {
		shell_error(sh, "%s: Is a directory", path);
		return STATUS_NOT_EXECUTABLE;
	}
	if (err == -E_NOENT && sys_stat(sh->p, AT_FDCWD_, path, 0, &st) == 0) {
		/* The interpreter that its first line names. */
		advise_script(sh, path);
		shell_error(sh, "%s: cannot execute: required file not found", path);
		return STATUS_NOT_FOUND;
	}
	status = err == -E_NOENT ? advise(sh, path) : -1;
	if (status >= 0)
		return status;
	shell_error(sh, "%s: %s", path, err_text((int)err));
	return err == -E_NOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

/* --- scripts without "#!" --- */

/* Whether the beginning of a file says that it is no text: a NUL in its first line. */
static bool looks_binary(struct shell *sh, const char *path)
{
	char head[80];
	int64_t fd = exec_open(sh, path, 0);
	int64_t n;

	if (fd < 0)
		return false;
	n = sys_read(sh->p, (int)fd, head, sizeof(head));
	sys_close(sh->p, (int)fd);
	if (n >= 4 && memcmp(head, "\177ELF", 4) == 0)
		return true;
	for (int64_t i = 0; i < n && head[i] != '\n'; i++) {
		if (head[i] == '\0')
			return true;
	}
	return false;
}

struct script_task {
	char **argv;
	char *const *envp;
	const char *path;
};

/* The script is run by a shell that starts afresh in this process. */
static int run_script(struct shell *sh, struct task *t)
{
	struct script_task *s = t->arg;
	struct proc *p = sh->p;
	int argc = 0;
	char **argv;

	while (s->argv[argc] != NULL)
		argc++;
	argv = arena_alloc(&p->arena, (size_t)(argc + 2) * sizeof(*argv));
	argv[0] = arena_dup(&p->arena, BYTES("bash"));
	argv[1] = arena_dup(&p->arena, bytes_of(s->path));
	/* Words may be in the syntax tree, which goes with the shell. */
	for (int i = 1; i < argc; i++)
		argv[i + 1] = arena_dup(&p->arena, bytes_of(s->argv[i]));
	argv[argc + 1] = NULL;
	shell_release(p);
	p->task = NULL;
	p->release = NULL;
	proc_exit(p, (interp_program(p, argc + 1, argv, (char **)(uintptr_t)s->envp) & 255) << 8);
}

static int64_t spawn_script(struct shell *sh, const char *path, char **argv, char *const *envp)
{
	struct script_task s = { argv, envp, path };
	struct task t = { .run = run_script, .in = -1, .out = -1, .close = { -1, -1 } };
	struct script_task *kept = arena_alloc(sh->arena, sizeof(s));

	if (looks_binary(sh, path)) {
		shell_error(sh, "%s: cannot execute binary file: %s", path, err_text(E_NOEXEC));
		return -STATUS_NOT_EXECUTABLE;
	}
	*kept = s;
	t.arg = kept;
	return task_start(sh, &t, NULL);
}

/* --- starting --- */

int64_t program_spawn(struct shell *sh, const char *path, char **argv)
{
	struct exec e = { .path = path, .argv = argv, .pgid = exec_minds_stops(sh) ? -1 : 0 };
	int64_t pid;

	e.envp = program_environ(sh, path);
	pid = sys_spawn_program(sh->p, &e);
	for (int i = 0; pid == -E_AGAIN && i < FORK_TRIES; i++) {
		fork_wait(sh, i);
		pid = sys_spawn_program(sh->p, &e);
	}
	if (pid == -E_NOEXEC)
		return spawn_script(sh, path, argv, e.envp);
	if (pid == -E_AGAIN) {
		shell_error(sh, "fork: %s", err_text(E_AGAIN));
		sh->status = STATUS_NO_FORK;
		sh->flow = FLOW_ABORT;
		return -STATUS_NO_FORK;
	}
	return pid < 0 ? -(int64_t)program_failed(sh, path, pid) : pid;
}

/* With job control a child in the foreground that is stopped becomes a job. */
static int stopped(struct shell *sh, int pid, const struct node *n, int status)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf text = buf_in(sh->arena);

	if (n != NULL)
		print_command(&text, n);
	buf_cstr(&text);
	job_stopped(sh, job_add(sh, &pid, 1, pid, buf_bytes(&text)), status);
	arena_release(sh->arena, mark);
	return status_of_wait(status);
}

bool exec_hold_interrupt(struct shell *sh)
{
	const uint64_t bit = (uint64_t)1 << (SIGINT_ - 1);

	if (sh->interruptible || opt_set(sh, SET_MONITOR) || trap_is_set(sh, SIGINT_) ||
	    sh->p->sig_action[SIGINT_] == SIG_IGNORED || (sh->p->sig_blocked & bit) != 0)
		return false;
	sys_sigmask(sh->p, sh->p->sig_blocked | bit);
	return true;
}

void exec_release_interrupt(struct shell *sh, int wait_status)
{
	enum sig_action action = (enum sig_action)sh->p->sig_action[SIGINT_];

	if ((wait_status & 0x7f) != SIGINT_) {
		sys_sigaction(sh->p, SIGINT_, SIG_IGNORED); /* forgets it */
		sys_sigaction(sh->p, SIGINT_, action);
	}
	sys_sigmask(sh->p, sh->p->sig_blocked & ~((uint64_t)1 << (SIGINT_ - 1)));
}

/* A subshell without a copy of the shell's state: that must not change before it has ended. */
static bool reads_through(const struct shell *sh, int pid)
{
	const struct shell *child = sh->children;

	while (child != NULL && child->p->pid != pid)
		child = child->next_child;
	return child != NULL;
}

int exec_wait(struct shell *sh, int pid, const struct node *n)
{
	int options = exec_wait_options(sh);
	int status = 0;
	bool held = exec_hold_interrupt(sh);
	int64_t got;

	do {
		while ((got = sys_wait(sh->p, pid, &status, options)) == -E_INTR)
			trap_note(sh);
	} while (got > 0 && is_stop(status) && reads_through(sh, pid));
	if (held)
		exec_release_interrupt(sh, status);
	if (got < 0)
		return STATUS_NOT_FOUND;
	if (is_stop(status))
		return stopped(sh, pid, n, status);
	child_ended(sh);
	sh->unsettled = sh->jobs != NULL || sh->coproc != NULL;
	follow_window(sh);
	if ((status & 0x7f) != 0) {
		sh->killed_pid = pid;
		sh->killed_status = status;
		sh->killed_node = n;
	}
	return status_of_wait(status);
}

char *const *environ_level_down(struct shell *sh, char *const *envp)
{
	struct bytes name = BYTES("SHLVL=");
	size_t n = 0;
	size_t at = 0;
	int64_t level;

	while (envp[n] != NULL && !bytes_starts(bytes_of(envp[n]), name))
		n++;
	at = n;
	if (envp[n] == NULL || !number_is_i64(bytes_of(envp[n] + name.len), &level))
		return envp;
	while (envp[n] != NULL)
		n++;
	char **out = arena_array(sh->arena, n + 1, sizeof(*out));
	struct buf text = buf_in(sh->arena);

	memcpy(out, envp, (n + 1) * sizeof(*out));
	buf_add(&text, name);
	buf_put_i64(&text, level > 0 ? level - 1 : 0);
	out[at] = buf_cstr(&text);
	return out;
}

/* In place of the process, if nothing is to be done after it. Returns only on failure. level:
 * the program stands where the shell stood, and SHLVL says so. */
static int replace_process(struct shell *sh, const char *path, char **argv, bool level)
{
	char *const *envp = program_environ(sh, path);

	if (level)
		envp = environ_level_down(sh, envp);
	struct script_task s = { argv, envp, path };
	struct task t = { .arg = &s };
	int64_t err;

	err = sys_exec(sh->p, path, argv, envp);
	if (err != -E_NOEXEC)
		return program_failed(sh, path, err);
	if (looks_binary(sh, path)) {
		shell_error(sh, "%s: cannot execute binary file: %s", path, err_text(E_NOEXEC));
		return STATUS_NOT_EXECUTABLE;
	}
	return run_script(sh, &t);
}

/* A process of a pipeline that is no subshell was made for the program. */
static bool is_stage(const struct shell *sh)
{
	return sh->task != NULL && sh->task->stage != 0 &&
	       (sh->task->node == NULL || sh->task->node->kind != NODE_SUBSHELL);
}

bool exec_may_replace(const struct shell *sh)
{
	return !sh->session && sh->traps_set == 0 && !trap_is_set(sh, SIGRTMAX_) &&
	       sh->traps[TRAP_ERR].text == NULL && sh->traps[TRAP_DEBUG].text == NULL;
}

/* --- not found --- */

struct handler_task {
	struct function *handler;
	char **argv;
};

static int run_handler(struct shell *sh, struct task *t)
{
	struct handler_task *h = t->arg;
	int argc = 0;
	char **argv;

	while (h->argv[argc] != NULL)
		argc++;
	argv = arena_alloc(sh->arena, (size_t)(argc + 2) * sizeof(*argv));
	argv[0] = arena_dup(sh->arena, h->handler->name);
	memcpy(argv + 1, h->argv, (size_t)(argc + 1) * sizeof(*argv));
	return exec_function(sh, h->handler, argc + 1, argv);
}

static int not_found(struct shell *sh, char **argv, const char *path, const struct node *n)
{
	struct bytes name = BYTES("command_not_found_handle");
	struct handler_task h = { function_find(sh, name, bytes_hash(name)), argv };
	struct task t = { .run = run_handler, .arg = &h, .in = -1, .out = -1, .close = { -1, -1 } };
	int64_t pid;

	if (h.handler == NULL) {
		int status = kernel_advise(sh->p, argv);
		struct buf shown = buf_in(sh->arena);

		if (status >= 0)
			return status;
		/* Without a PATH the name is taken for a file's. */
		if (path == NULL || *path == '\0') {
			shell_error(sh, "%s: %s", argv[0], err_text(E_NOENT));
			return STATUS_NOT_FOUND;
		}
		quote_for_error(sh, &shown, bytes_of(argv[0]));
		shell_error(sh, "%s: command not found", buf_cstr(&shown));
		return STATUS_NOT_FOUND;
	}
	pid = task_start(sh, &t, NULL);
	return pid < 0 ? sh->status : exec_wait(sh, (int)pid, n);
}

/* `%1` alone brings a job to the foreground. */
static int exec_job_spec(struct shell *sh, char **argv)
{
	const struct shell_builtin *fg = shell_builtin_find(sh, BYTES("fg"));
	int argc = 0;
	char **words;

	while (argv[argc] != NULL)
		argc++;
	words = arena_alloc(sh->arena, (size_t)(argc + 2) * sizeof(*words));
	words[0] = arena_dup(sh->arena, BYTES("fg"));
	memcpy(words + 1, argv, (size_t)(argc + 1) * sizeof(*words));
	return exec_builtin(sh, fg, argc + 1, words);
}

/* A program takes long to start: until then the other stages have opened their files, so that
 * `find . | sort >list` finds the list. */
static void await_stages(struct shell *sh)
{
	if (sh->task == NULL || !sh->task->unstarted)
		return;
	sh->task->unstarted = false;
	sys_yield(sh->p);
}

/* shopt -s autocd: whether the command is a directory's name. */
static bool leads_to_directory(struct shell *sh, const char *name)
{
	const char *path;

	if (!opt_shopt(sh, SHOPT_autocd) || !opt_set(sh, SET_INTERACTIVE) || sh->jobs_foreign ||
	    sh->in_parens)
		return false;
	path = program_path(sh, name);
	return is_directory(sh, path != NULL ? path : name);
}

static int exec_autocd(struct shell *sh, char **argv)
{
	struct buf out = buf_in(sh->arena);
	int argc = 2;
	char **words;

	while (argv[argc - 2] != NULL)
		argc++;
	words = arena_alloc(sh->arena, (size_t)(argc + 1) * sizeof(*words));
	words[0] = arena_dup(sh->arena, BYTES("cd"));
	words[1] = arena_dup(sh->arena, BYTES("--"));
	memcpy(words + 2, argv, (size_t)(argc - 1) * sizeof(*words));
	for (int i = 0; i < argc; i++) {
		quote_for_xtrace(sh, &out, bytes_of(words[i]));
		buf_putc(&out, i < argc - 1 ? ' ' : '\n');
	}
	sys_write(sh->p, sh->trace_fd >= 0 ? sh->trace_fd : 2, out.ptr, out.len);
	return exec_argv(sh, argc, words, 0);
}

int exec_program(struct shell *sh, char **argv, bool last, const struct node *n)
{
	char *path;
	int64_t pid;

	if (argv[0][0] == '%')
		return exec_job_spec(sh, argv);
	if (opt_set(sh, SET_RESTRICTED) && strchr(argv[0], '/') != NULL) {
		shell_error(sh, "%s: restricted: cannot specify `/' in command names", argv[0]);
		return 1;
	}
	if (leads_to_directory(sh, argv[0]))
		return exec_autocd(sh, argv);
	path = program_path(sh, argv[0]);
	if (path == NULL)
		return not_found(sh, argv, var_get_text(sh, "PATH"), n);
	await_stages(sh);
	if (last && exec_may_replace(sh))
		return replace_process(sh, path, argv, n->nredirs == 0 && !is_stage(sh));
	pid = program_spawn(sh, path, argv);
	return pid < 0 ? (int)-pid : exec_wait(sh, (int)pid, n);
}

/* --- command, builtin, exec --- */

/* The path without "./" in front, from the root. */
static const char *absolute_path(struct shell *sh, const char *path)
{
	struct buf out = buf_in(sh->arena);
	const char *here = var_get_text(sh, "PWD");

	if (path[0] == '/' || here == NULL)
		return path;
	buf_printf(&out, "%s/%s", here, path + (path[0] == '.' && path[1] == '/' ? 2 : 0));
	return buf_cstr(&out);
}

/* `exec program`: its messages, and what failure means. */
static int exec_replace(struct shell *sh, char **argv)
{
	const char *path = program_path(sh, argv[0]);
	int status;

	if (path == NULL) {
		builtin_error(sh, "exec", "%s: not found", argv[0]);
		return STATUS_NOT_FOUND;
	}
	path = absolute_path(sh, path);
	if (is_directory(sh, path)) {
		shell_error(sh, "%s: Is a directory", path);
		builtin_error(sh, "exec", "%s: cannot execute: Is a directory", path);
		return STATUS_NOT_EXECUTABLE;
	}
	if (sh->session) {
		int64_t pid = program_spawn(sh, path, argv);

		status = pid < 0 ? (int)-pid : exec_wait(sh, (int)pid, NULL);
		sh->status = status;
		sh->flow = FLOW_EXIT;
		return status;
	}
	status = replace_process(sh, path, argv, !sh->in_parens);
	if (status != STATUS_NOT_FOUND) {
		int64_t err = sys_access(sh->p, AT_FDCWD_, path, 1);

		builtin_error(sh, "exec", "%s: cannot execute: %s", path,
			      err_text(err < 0 ? (int)err : E_ACCES));
	}
	return status;
}

const char standard_path[] = "/bin:/usr/bin:/sbin:/usr/sbin:/etc:/usr/etc";

int exec_argv(struct shell *sh, int argc, char **argv, unsigned flags)
{
	struct bytes name = bytes_of(argv[0]);
	const struct shell_builtin *b;
	char *path;
	int64_t pid;

	if ((flags & RUN_EXEC) != 0)
		return exec_replace(sh, argv);
	if ((flags & (RUN_NO_FUNCTIONS | RUN_BUILTIN_ONLY)) == 0) {
		struct function *f = function_find(sh, name, bytes_hash(name));

		if (f != NULL)
			return exec_function(sh, f, argc, argv);
	}
	b = shell_builtin_find(sh, name);
	if (b != NULL && builtin_enabled(sh, b))
		return exec_builtin(sh, b, argc, argv);
	if ((flags & RUN_BUILTIN_ONLY) != 0)
		return -1;
	if ((flags & RUN_DEFAULT_PATH) == 0 || strchr(argv[0], '/') != NULL)
		return exec_program(sh, argv, false, sh->command);
	path = find_program(sh, argv[0], standard_path);
	if (path == NULL)
		return not_found(sh, argv, standard_path, sh->command);
	hash_found(sh, argv[0], path);
	pid = program_spawn(sh, path, argv);
	return pid < 0 ? (int)-pid : exec_wait(sh, (int)pid, sh->command);
}
