/* SPDX-License-Identifier: MIT
 *
 * eval, . and source, exec, builtin, caller, let: commands that run other text or commands.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/exec.h"

static struct bytes joined(struct shell *sh, int argc, char **argv)
{
	struct buf text = buf_in(sh->arena);

	for (int i = 0; i < argc; i++) {
		if (i > 0)
			buf_putc(&text, ' ');
		buf_puts(&text, argv[i]);
	}
	return buf_bytes(&text);
}

int do_eval(struct shell *sh, int argc, char **argv)
{
	int i = no_options(sh, argc, argv);
	const struct node *command = sh->command;
	bool held = sh->no_errexit > 0;
	int line = sh->line;
	int status;

	if (i < 0)
		return STATUS_MISUSE;
	if (i == argc)
		return 0;
	struct bytes text = i + 1 == argc ? bytes_of(argv[i]) : joined(sh, argc - i, argv + i);

	sh->errexit_held += held;
	sh->entered = "eval";
	status = exec_text(sh, text, "eval", line);
	sh->errexit_held -= held;
	if (sh->flow == FLOW_NONE)
		sh->line = line;
	sh->command = command;
	return status;
}

/* --- source --- */

/* A file for `.` is looked for in PATH, where it need not be executable, then here. */
static const char *source_in_path(struct shell *sh, const char *name)
{
	const char *at = var_get_text(sh, "PATH");

	while (at != NULL && *at != '\0') {
		size_t len = strcspn(at, ":");
		struct buf path = buf_in(sh->arena);
		struct vfs_stat st;

		buf_put(&path, len != 0 ? at : ".", len != 0 ? len : 1);
		buf_putc(&path, '/');
		buf_puts(&path, name);
		if (sys_stat(sh->p, AT_FDCWD_, path.ptr, 0, &st) == 0 && (st.mode & S_FMT) == S_REG)
			return path.ptr;
		at = at[len] == ':' ? at + len + 1 : NULL;
	}
	return NULL;
}

static int source_failed(struct shell *sh)
{
	return special_error(sh, 1);
}

int source_text(struct shell *sh, const char *path, struct bytes text, int argc, char **argv)
{
	struct frame *f = frame_push(sh, "source", path);
	struct params outer = sh->params;
	struct params *own = NULL;
	const struct node *command = sh->command;
	int loops = sh->loop_depth;
	int line = sh->line;

	f->is_source = true;
	if (argc == 0) {
		f->argc = 1;
		f->argv = arena_alloc(sh->arena, sizeof(*f->argv));
		f->argv[0] = arena_dup(sh->arena, bytes_of(path));
	} else if (opt_shopt(sh, SHOPT_extdebug)) {
		f->argc = argc;
		f->argv = argv;
	}
	if (argc > 0) {
		own = &sh->params;
		*own = (struct params){ .count = argc, .values = argv };
		f->saved_params = &outer;
	}
	if (!opt_set(sh, SET_FUNCTRACE))
		trap_hide(sh, f, TRAP_DEBUG);
	int status = exec_text(sh, text, NULL, 1);

	bool returned = sh->flow == FLOW_RETURN;

	if (returned) {
		sh->flow = FLOW_NONE;
		status = sh->status;
	}
	/* `set --` in the file replaced them: then they stay. */
	if (own != NULL && !own->pooled) {
		sh->params = outer;
	} else if (own != NULL) {
		params_free(sh, &outer);
	}
	frame_pop(sh);
	sh->loop_depth = loops;
	sh->line = line;
	sh->command = command;
	if (sh->traps[TRAP_RETURN].text != NULL && sh->flow == FLOW_NONE) {
		if (returned)
			sh->status = sh->before_return;
		trap_run(sh, TRAP_RETURN);
		if (sh->flow == FLOW_NONE)
			sh->status = status;
	}
	trap_show(sh, f);
	return status;
}

/* who: as which of its names it was called. */
static int source_file(struct shell *sh, const char *who, const char *name, int argc, char **argv)
{
	const char *path = NULL;
	struct bytes text;

	if (restricted_path(sh, who, name))
		return 1;
	if (strchr(name, '/') == NULL && opt_shopt(sh, SHOPT_sourcepath)) {
		path = source_in_path(sh, name);
		if (path == NULL && opt_set(sh, SET_POSIX)) {
			builtin_error(sh, who, "%s: file not found", name);
			return source_failed(sh);
		}
	}
	if (path == NULL)
		path = name;
	int64_t err = exec_read_file(sh, path, &text);

	trap_poll(sh);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	if (err == -E_ISDIR) {
		builtin_error(sh, who, "%s: is a directory", path);
		return source_failed(sh);
	}
	if (err < 0) {
		shell_error(sh, "%s: %s", path, err_text((int)err));
		return source_failed(sh);
	}
	if (text.len != 0 && text.ptr[0] == '\177') { /* a builtin's file, or ELF */
		builtin_error(sh, who, "%s: cannot execute binary file", path);
		return STATUS_NOT_EXECUTABLE;
	}
	return source_text(sh, path, text, argc, argv);
}

int do_dot(struct shell *sh, int argc, char **argv)
{
	int i = no_options(sh, argc, argv);

	if (i < 0)
		return STATUS_MISUSE;
	if (i == argc) {
		builtin_error(sh, argv[0], "filename argument required");
		usage_error(sh, argv[0]);
		return special_error(sh, STATUS_MISUSE);
	}
	if ((uint64_t)sh->frames > kernel_limit(sh->p->k, LIMIT_RECURSION)) {
		builtin_error(sh, argv[0], "%s: maximum source nesting level exceeded", argv[i]);
		return 1;
	}
	return source_file(sh, argv[0], argv[i], argc - i - 1, argv + i + 1);
}

int do_source(struct shell *sh, int argc, char **argv)
{
	return do_dot(sh, argc, argv);
}

/* --- exec --- */

struct exec_options {
	bool empty_environ;
	bool login;
	const char *name;
};

/* exec with a changed name or environment. Returns only if it failed. */
static int exec_changed(struct shell *sh, char **argv, const struct exec_options *o)
{
	static char *const nothing[] = { NULL };
	char *path = program_path(sh, argv[0]);
	struct buf name = buf_in(sh->arena);

	if (path == NULL) {
		builtin_error(sh, "exec", "%s: not found", argv[0]);
		return STATUS_NOT_FOUND;
	}
	if (o->login)
		buf_putc(&name, '-');
	buf_puts(&name, o->name != NULL ? o->name : argv[0]);
	argv[0] = buf_cstr(&name);
	struct exec e = { .path = path, .argv = argv };

	e.envp = o->empty_environ ? nothing : program_environ(sh, path);
	if (!sh->in_parens)
		e.envp = environ_level_down(sh, e.envp);
	if (sh->session) {
		int64_t pid = sys_spawn_program(sh->p, &e);

		if (pid < 0)
			return program_failed(sh, path, pid);
		sh->status = exec_wait(sh, (int)pid, NULL);
		sh->flow = FLOW_EXIT;
		return sh->status;
	}
	return program_failed(sh, path, sys_exec(sh->p, path, e.argv, e.envp));
}

int do_exec(struct shell *sh, int argc, char **argv)
{
	struct exec_options o = { 0 };
	struct optscan scan = { 0 };
	int c;
	int status;

	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "cla:")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		o.empty_environ = o.empty_environ || c == 'c';
		o.login = o.login || c == 'l';
		if (c == 'a')
			o.name = scan.value;
	}
	argc -= scan.index;
	argv += scan.index;
	if (argc == 0)
		return 0;
	if (restricted(sh, "exec", NULL))
		return 1;
	if (o.empty_environ || o.login || o.name != NULL)
		status = exec_changed(sh, argv, &o);
	else
		status = exec_argv(sh, argc, argv, RUN_EXEC);
	if (sh->flow == FLOW_NONE && !opt_shopt(sh, SHOPT_execfail) &&
	    (!opt_set(sh, SET_INTERACTIVE) || sh->task != NULL)) {
		/* What was there but did not start leaves no shell that would run a trap. */
		if (status != STATUS_NOT_FOUND || strchr(argv[0], '/') != NULL)
			sh->traps[TRAP_EXIT].done = true;
		sh->exit_called = true;
		return exec_end(sh, status);
	}
	return status;
}

int do_builtin(struct shell *sh, int argc, char **argv)
{
	int i = no_options(sh, argc, argv);

	if (i < 0)
		return STATUS_MISUSE;
	if (i == argc)
		return 0;
	const struct shell_builtin *b = shell_builtin_find(sh, bytes_of(argv[i]));

	if (b == NULL || !builtin_enabled(sh, b)) {
		builtin_error(sh, "builtin", "%s: not a shell builtin", argv[i]);
		return 1;
	}
	/* What was parsed as assignments stands under the numbers of our own words. */
	if (sh->declare_args != NULL)
		sh->declare_args += i;
	if (sh->elements != NULL)
		sh->elements += i;
	return exec_builtin(sh, b, argc - i, argv + i);
}

/* --- caller --- */

int do_caller(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);
	struct frame *f = sh->frame;
	int64_t n = 0;

	if (f->up == NULL && *f->source == '\0')
		return 1;
	int i = no_options(sh, argc, argv);

	if (i < 0)
		return STATUS_MISUSE;
	if (i < argc && !number_argument(argv[i], &n)) {
		builtin_error(sh, "caller", "%s: invalid number", argv[i]);
		return usage_error(sh, "caller");
	}
	if (f->up == NULL && i == argc && *f->source != '\0') {
		buf_puts(&out, "0 NULL\n");
		out_flush_unchecked(sh, &out);
		return 0;
	}
	for (int64_t k = n; k > 0 && f != NULL; k--)
		f = f->up;
	if (f == NULL || f->up == NULL)
		return 1;
	/* With -c nothing stands below the first function. */
	const char *source = f->up->source;

	if (*source == '\0' && f->up->up == NULL) {
		if (i < argc)
			return 1;
		source = "NULL";
	}
	if (i < argc)
		buf_printf(&out, "%d %s %s\n", f->call_line, f->up->function, source);
	else
		buf_printf(&out, "%d %s\n", f->call_line, source);
	out_flush_unchecked(sh, &out);
	return 0;
}

/* --- let --- */

int do_let(struct shell *sh, int argc, char **argv)
{
	int64_t value = 0;
	int i = 1;

	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		no_options(sh, argc, argv);
		return STATUS_MISUSE;
	}
	if (argc > 1 && strcmp(argv[1], "--") == 0)
		i++;
	if (i == argc) {
		builtin_error(sh, "let", "expression expected");
		return 1;
	}
	for (; i < argc; i++) {
		if (eval_let(sh, bytes_of(argv[i]), &value) != 0) {
			if (sh->flow == FLOW_ABORT && !sh->abort_firm)
				sh->flow = FLOW_NONE;
			return 1;
		}
	}
	return value == 0;
}
