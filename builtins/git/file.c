/* SPDX-License-Identifier: MIT
 *
 * Files, paths and programs: whole files read and written, locks as git has them, hooks.
 */
#include "builtins/git/git.h"
#include "builtins/git/share.h"

enum { READ_CHUNK = 1 << 16 };

static int read_rest(struct git *g, int fd, struct buf *b)
{
	for (;;) {
		buf_reserve(b, READ_CHUNK);
		int64_t got = cmd_read(g->c, fd, b->ptr + b->len, b->cap - b->len - 1);

		if (got <= 0)
			return (int)got;
		b->len += (size_t)got;
		b->ptr[b->len] = '\0';
		cmd_charge_bytes(g->c, (size_t)got);
	}
}

int file_read(struct git *g, struct arena *a, const char *path, struct bytes *out)
{
	struct vfs_stat st;
	struct buf b = buf_in(a);
	int fd = cmd_open(g->c, CMD_CWD, path, O_RDONLY_, 0);
	int err;

	*out = BYTES("");
	if (fd < 0)
		return fd;
	if (cmd_fstat(g->c, fd, &st) == 0 && (st.mode & S_FMT) == S_DIR) {
		cmd_close(g->c, fd);
		return -E_ISDIR;
	}
	/* Read until it ends: the size may be that of a device, or lie. */
	buf_reserve(&b, st.size < READ_CHUNK ? (size_t)st.size + 1 : READ_CHUNK);
	b.ptr[0] = '\0';
	err = 0;
	for (;;) {
		if (b.cap - b.len < 2)
			buf_reserve(&b, b.len + READ_CHUNK);
		int64_t got = cmd_read(g->c, fd, b.ptr + b.len, b.cap - b.len - 1);

		if (got <= 0) {
			err = (int)got;
			break;
		}
		b.len += (size_t)got;
		b.ptr[b.len] = '\0';
		cmd_charge_bytes(g->c, (size_t)got);
	}
	cmd_close(g->c, fd);
	*out = (struct bytes){ b.ptr, b.len };
	return err;
}

struct bytes file_stdin(struct git *g)
{
	struct buf b = buf_in(g->a);
	int err = read_rest(g, 0, &b);

	if (err < 0)
		git_die_errno(g, err, "could not read from standard input");
	return (struct bytes){ buf_cstr(&b), b.len };
}

bool file_exists(struct git *g, const char *path)
{
	struct vfs_stat st;

	return cmd_lstat(g->c, path, &st) == 0;
}

bool file_is_dir(struct git *g, const char *path)
{
	struct vfs_stat st;

	return cmd_stat(g->c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

static bool is_of_repository(const struct git *g, const char *path)
{
	size_t n = g->common != NULL ? strlen(g->common) : 0;

	return n != 0 && strncmp(path, g->common, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

int file_make_dirs(struct git *g, const char *path)
{
	char *copy = arena_dup(g->a, bytes_of(path));
	int err = 0;

	for (char *p = copy + 1;; p++) {
		char ch = *p;

		if (ch != '/' && ch != '\0')
			continue;
		*p = '\0';
		err = cmd_mkdir(g->c, CMD_CWD, copy, 0777);
		if (err >= 0 && g->shared != 0 && is_of_repository(g, copy))
			share_path(g, copy);
		if (err == -E_EXIST && file_is_dir(g, copy))
			err = 0;
		*p = ch;
		if (ch == '\0' || (err < 0 && err != -E_EXIST))
			return err;
	}
}

int file_make_parents(struct git *g, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL || slash == path)
		return 0;
	return file_make_dirs(g, arena_dup(g->a, (struct bytes){ path, (size_t)(slash - path) }));
}

void file_prune_parents(struct git *g, const char *path, const char *stop)
{
	char *copy = arena_dup(g->a, bytes_of(path));
	size_t keep = strlen(stop);

	for (;;) {
		char *slash = strrchr(copy, '/');

		if (slash == NULL || (size_t)(slash - copy) <= keep)
			return;
		*slash = '\0';
		if (cmd_unlink(g->c, CMD_CWD, copy, CMD_REMOVEDIR) < 0)
			return;
	}
}

int file_write(struct git *g, const char *path, struct bytes data, uint32_t mode)
{
	int fd = cmd_open(g->c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_TRUNC_, mode);
	int err;

	if (fd < 0)
		return fd;
	err = cmd_write_fd(g->c, fd, data.ptr, data.len);
	cmd_close(g->c, fd);
	return err < 0 ? err : 0;
}

int file_append(struct git *g, const char *path, struct bytes data)
{
	int fd = cmd_open(g->c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_APPEND_, 0666);
	int err;

	if (fd < 0)
		return fd;
	err = cmd_write_fd(g->c, fd, data.ptr, data.len);
	cmd_close(g->c, fd);
	return err < 0 ? err : 0;
}

void file_is_locked(struct git *g, const char *path)
{
	git_die(g,
		"Unable to create '%s.lock': File exists.\n\n"
		"Another git process seems to be running in this repository, e.g.\n"
		"an editor opened by 'git commit'. Please make sure all processes\n"
		"are terminated then try again. If it still fails, a git process\n"
		"may have crashed in this repository earlier:\n"
		"remove the file manually to continue.",
		path);
}

void file_write_locked(struct git *g, const char *path, struct bytes data)
{
	char *lock = git_format(g->a, "%s.lock", path);
	int fd = cmd_open(g->c, CMD_CWD, lock, O_WRONLY_ | O_CREAT_ | O_EXCL_, 0666);
	int err;

	if (fd == -E_EXIST)
		file_is_locked(g, path);
	if (fd < 0)
		git_die_errno(g, fd, "Unable to create '%s'", lock);
	err = cmd_write_fd(g->c, fd, data.ptr, data.len);
	cmd_close(g->c, fd);
	share_path(g, lock);
	if (err >= 0)
		err = cmd_rename(g->c, CMD_CWD, lock, CMD_CWD, path, 0);
	if (err < 0) {
		cmd_unlink(g->c, CMD_CWD, lock, 0);
		git_die_errno(g, err, "unable to write %s", path);
	}
}

bool file_remove_tree(struct git *g, const char *path)
{
	struct walk *w = walk_new(g->c, path, WALK_POST | WALK_NO_STAT);
	struct walk_entry *e;
	bool all = true;

	while ((e = walk_next(w)) != NULL) {
		int err = 0;

		cmd_charge(g->c, 1);
		if (e->kind == WALK_FILE)
			err = cmd_unlink(g->c, e->dir, e->at, 0);
		else if (e->kind == WALK_DIR_END)
			err = cmd_unlink(g->c, e->dir, e->at, CMD_REMOVEDIR);
		else if (e->kind != WALK_DIR)
			err = -E_IO;
		all = all && err >= 0;
	}
	walk_free(w);
	return all;
}

/* --- paths --- */

char *path_join(struct arena *a, const char *dir, const char *name)
{
	if (dir[0] == '\0' || name[0] == '/')
		return arena_dup(a, bytes_of(name));
	return git_format(a, "%s%s%s", dir, git_ends(dir, "/") ? "" : "/", name);
}

char *path_normal(struct arena *a, const char *path)
{
	struct buf out = buf_in(a);
	bool absolute = path[0] == '/';

	buf_reserve(&out, strlen(path) + 2);
	if (absolute)
		buf_putc(&out, '/');
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.') {
			if (out.len <= (absolute ? 1u : 0u))
				return NULL;
			out.len--; /* the slash behind the last part */
			while (out.len > 0 && out.ptr[out.len - 1] != '/')
				out.len--;
		} else if (len != 0 && !(len == 1 && path[0] == '.')) {
			buf_put(&out, path, len);
			if (path[len] == '/')
				buf_putc(&out, '/');
			else
				break;
		}
		path += len;
		path += *path == '/';
	}
	return buf_cstr(&out);
}

char *path_in_work_try(struct git *g, const char *operand)
{
	char *full;
	size_t top;

	if (operand[0] != '/')
		return path_normal(g->a, git_format(g->a, "%s%s", g->prefix, operand));
	full = path_normal(g->a, operand);
	top = g->work != NULL ? strlen(g->work) : 0;
	if (full == NULL || g->work == NULL)
		return full;
	if (top == 1)
		return full + 1;
	if (strncmp(full, g->work, top) != 0 || (full[top] != '/' && full[top] != '\0')) {
		char *real;
		const char *slash = strrchr(full, '/');
		char *dir = arena_dup(g->a, (struct bytes){ full, (size_t)(slash - full) });

		/* Through a symlink it may be inside all the same. */
		if (cmd_canonical(g->c, dir[0] != '\0' ? dir : "/", CANON_MISSING, &real) < 0)
			return NULL;
		full = path_join(g->a, real, slash + 1);
		if (strncmp(full, g->work, top) != 0 || (full[top] != '/' && full[top] != '\0'))
			return NULL;
	}
	return full + top + (full[top] == '/');
}

char *path_in_work(struct git *g, const char *operand)
{
	char *path = path_in_work_try(g, operand);

	if (path == NULL)
		git_die(g, "%s: '%s' is outside repository at '%s'", operand, operand,
			g->work != NULL ? g->work : g->dir);
	return path;
}

const char *path_relative(struct git *g, const char *path)
{
	struct buf out = buf_in(g->a);
	const char *from = g->prefix;

	for (;;) {
		size_t len = strcspn(from, "/");

		if (from[len] == '\0' || strncmp(from, path, len + 1) != 0)
			break;
		from += len + 1;
		path += len + 1;
	}
	for (; *from != '\0'; from++)
		if (*from == '/')
			buf_puts(&out, "../");
	buf_puts(&out, path);
	if (out.len == 0)
		buf_puts(&out, "./");
	return buf_cstr(&out);
}

/* ".git" as some file systems also spell it: other case, blanks or dots behind, "git~1". */
static bool is_git_dir(const char *part, size_t n)
{
	static const char dot_git[] = ".git";
	static const char short_name[] = "git~1";
	const char *word = n > 0 && part[0] == '.' ? dot_git : short_name;
	size_t len = strlen(word);

	if (n < len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (byte_to_lower((unsigned char)part[i]) != (unsigned char)word[i])
			return false;
	for (size_t i = len; i < n; i++) {
		if (part[i] == ':')
			return true;
		if (part[i] != ' ' && part[i] != '.')
			return false;
	}
	return true;
}

bool path_safe(const char *path)
{
	if (*path == '/')
		return false;
	for (;;) {
		size_t n = strcspn(path, "/");

		if (n == 0 || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.') || is_git_dir(path, n))
			return false;
		if (path[n] == '\0')
			return true;
		path += n + 1;
	}
}

void path_need_safe(struct git *g, const char *path)
{
	if (path_safe(path))
		return;
	git_error(g, "invalid path '%s'", path);
	git_exit(g, GIT_STATUS_FATAL);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* --- programs --- */

int git_spawn(struct git *g, char *const *argv, char *const *envp, int in, int out)
{
	const int fds[3] = { in < 0 ? 0 : in, out < 0 ? 1 : out, 2 };
	struct cmd_program prog = {
		.argv = argv, .envp = envp != NULL ? envp : g->c->envp, .fds = fds, .nfds = 3
	};
	int status = 0;
	int pid;

	cmd_flush(g->c);
	pid = cmd_spawn(g->c, &prog);
	if (pid < 0)
		return pid == -E_NOENT ? 127 : 126;
	int err = cmd_wait(g->c, pid, &status, false);

	index_changed_by_child(g);
	return err < 0 ? 1 : cmd_exit_status(status);
}

int git_spawn_shell(struct git *g, const char *command, char *const *args, char *const *envp)
{
	size_t nargs = 0;
	char **argv;
	int n = 0;

	while (args[nargs] != NULL)
		nargs++;
	argv = arena_array(g->a, nargs + 5, sizeof(*argv));
	argv[n++] = arena_dup(g->a, BYTES("/bin/sh"));
	argv[n++] = arena_dup(g->a, BYTES("-c"));
	argv[n++] = git_format(g->a, "%s%s", command, args[0] != NULL ? " \"$@\"" : "");
	argv[n++] = arena_dup(g->a, bytes_of(command));
	for (size_t i = 0; i < nargs; i++)
		argv[n++] = args[i];
	argv[n] = NULL;
	return git_spawn(g, argv, envp, -1, -1);
}

/* A file that is gone from its directory, with these bytes to be read: its descriptor or -E_. */
static int hidden_file(struct git *g, struct bytes data)
{
	if (data.len == 0)
		return cmd_open(g->c, CMD_CWD, "/dev/null", O_RDONLY_, 0);

	/* Others may do the same at the same time. */
	char *path = repo_path(g, g->a, git_format(g->a, "input-%d.tmp", cmd_pid(g->c)));
	int err = file_write(g, path, data, 0600);
	int fd = err < 0 ? err : cmd_open(g->c, CMD_CWD, path, O_RDONLY_, 0);

	cmd_unlink(g->c, CMD_CWD, path, 0);
	return fd;
}

int git_capture(struct git *g, struct arena *a, char *const *argv, int in, struct bytes *out)
{
	int pipe[2], status = 0;
	struct buf b = buf_in(a);
	char block[4096];
	int64_t n;
	int err = cmd_pipe(g->c, pipe);

	if (err < 0)
		return err;
	const int fds[3] = { in < 0 ? 0 : in, pipe[1], 2 };
	struct cmd_program prog = { .argv = argv, .envp = g->c->envp, .fds = fds, .nfds = 3 };

	cmd_flush(g->c);
	int pid = cmd_spawn(g->c, &prog);

	cmd_close(g->c, pipe[1]);
	while (pid >= 0 && (n = cmd_read(g->c, pipe[0], block, sizeof(block))) > 0)
		buf_put(&b, block, (size_t)n);
	cmd_close(g->c, pipe[0]);
	if (pid < 0)
		return pid;
	cmd_wait(g->c, pid, &status, false);
	*out = (struct bytes){ buf_cstr(&b), b.len };
	return cmd_exit_status(status);
}

int git_filter(struct git *g, struct arena *a, const char *command, struct bytes data,
	       struct bytes *out)
{
	char *argv[4] = { arena_dup(g->a, BYTES("/bin/sh")), arena_dup(g->a, BYTES("-c")),
			  arena_dup(g->a, bytes_of(command)), NULL };
	int in = hidden_file(g, data);
	int status = in < 0 ? in : git_capture(g, a, argv, in, out);

	if (in >= 0)
		cmd_close(g->c, in);
	return status >= 0 ? status : status == -E_NOENT ? 127 : 126;
}

char *const *git_shell_argv(struct git *g, const char *command, char *const *args)
{
	char **argv;
	size_t n = 0;

	for (size_t i = 0; args[i] != NULL; i++)
		n++;
	argv = arena_array(g->a, n + 5, sizeof(*argv));
	n = 0;
	if (strpbrk(command, "|&;<>()$`\\\"' \t\n*?[#~=%") != NULL) {
		argv[n++] = arena_dup(g->a, BYTES("/bin/sh"));
		argv[n++] = arena_dup(g->a, BYTES("-c"));
		if (args[0] != NULL)
			argv[n++] = git_format(g->a, "%s \"$@\"", command);
	}
	argv[n++] = arena_dup(g->a, bytes_of(command));
	for (size_t i = 0; args[i] != NULL; i++)
		argv[n++] = args[i];
	argv[n] = NULL;
	return argv;
}

static char *hook_path(struct git *g, const char *name)
{
	const char *dir = config_get(g, "core.hookspath");

	if (dir != NULL)
		return path_join(g->a, config_expand_path(g, dir), name);
	return git_format(g->a, "%s/hooks/%s", g->common, name);
}

bool git_hook_exists(struct git *g, const char *name)
{
	char *path = hook_path(g, name);
	struct vfs_stat st;

	if (cmd_stat(g->c, path, &st) < 0 || (st.mode & S_FMT) != S_REG)
		return false;
	if (cmd_access(g->c, CMD_CWD, path, 1) == 0)
		return true;
	if (g->hook_hinted)
		return false;
	g->hook_hinted = true;
	git_hint(g, "ignoredHook",
		 "The '%s' hook was ignored because it's not set as executable.\n"
		 "You can disable this warning with `git config advice.ignoredHook false`.\n",
		 g->work != NULL && git_starts(path, g->work) ? path + strlen(g->work) + 1 : path);
	return false;
}

static bool is_usual_dir(struct git *g)
{
	return g->work != NULL && strcmp(g->dir, path_join(g->a, g->work, ".git")) == 0;
}

char *git_hook_path(struct git *g, const char *name)
{
	return is_usual_dir(g) ? git_format(g->keep, ".git/%s", name) : repo_path(g, g->keep, name);
}

/* GIT_DIR is told where it is not found from the directory; the index to those who may change
 * what is committed. */
static void hook_env(struct git *g, const char *name, struct env *e)
{
	static const char *const with_index[] = { "pre-commit", "prepare-commit-msg", "commit-msg",
						  "post-commit", "pre-merge-commit" };
	bool usual = is_usual_dir(g);

	env_put(e, git_format(g->a, "GIT_PREFIX=%s", g->prefix));
	if (!usual)
		env_put(e, git_format(g->a, "GIT_DIR=%s", g->dir));
	if (cmd_getenv(g->c, "GIT_INDEX_FILE") != NULL && g->index_file == NULL)
		return;
	for (size_t i = 0; i < sizeof(with_index) / sizeof(with_index[0]); i++)
		if (strcmp(name, with_index[i]) == 0)
			env_put(e, g->index_file != NULL
					   ? git_format(g->a, "GIT_INDEX_FILE=%s", g->index_file)
					   : git_format(g->a, "GIT_INDEX_FILE=%s/index",
							usual ? ".git" : g->dir));
}

static int run_hook(struct git *g, const char *name, char *const *args, char *const *env_extra,
		    int in)
{
	struct env e;
	char *argv[16];
	int n = 0;

	if (!git_hook_exists(g, name))
		return 0;
	env_init(&e, g->c, false);
	hook_env(g, name, &e);
	for (size_t i = 0; env_extra != NULL && env_extra[i] != NULL; i++)
		env_put(&e, env_extra[i]);
	argv[n++] = hook_path(g, name);
	for (size_t i = 0; args != NULL && args[i] != NULL && n < 15; i++)
		argv[n++] = args[i];
	argv[n] = NULL;
	/* What hooks write are messages, but for this one. */
	return git_spawn(g, argv, e.list, in, strcmp(name, "pre-push") == 0 ? -1 : 2);
}

int git_hook(struct git *g, const char *name, char *const *args, char *const *env_extra)
{
	return run_hook(g, name, args, env_extra, -1);
}

int git_hook_input(struct git *g, const char *name, char *const *args, const char *path)
{
	int fd = cmd_open(g->c, CMD_CWD, path, O_RDONLY_, 0);
	int status = run_hook(g, name, args, NULL, fd);

	if (fd >= 0)
		cmd_close(g->c, fd);
	return status;
}

int git_hook_text(struct git *g, const char *name, char *const *args, struct bytes text)
{
	int status;

	if (!git_hook_exists(g, name))
		return 0;
	int fd = hidden_file(g, text);

	if (fd < 0)
		git_die_errno(g, fd, "unable to write the input of hook '%s'", name);
	status = run_hook(g, name, args, NULL, fd);
	cmd_close(g->c, fd);
	return status;
}
