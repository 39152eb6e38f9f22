/* SPDX-License-Identifier: MIT
 *
 * Programs named git-NAME on PATH, which are subcommands too, and what git passes on to programs
 * through the environment.
 */
#include "builtins/git/external.h"

#define EXEC_PATH "/usr/lib/git-core"

enum { SIG_INT = 2, SIG_QUIT = 3 };

const char *git_exec_path(struct git *g)
{
	const char *path = cmd_getenv(g->c, "GIT_EXEC_PATH");

	return path != NULL && path[0] != '\0' ? path : EXEC_PATH;
}

void git_env_exec_path(struct git *g, struct env *e)
{
	const char *dir = git_exec_path(g);
	const char *path = cmd_getenv(g->c, "PATH");

	env_put(e, git_format(g->keep, "GIT_EXEC_PATH=%s", dir));
	env_put(e, git_format(g->keep, "PATH=%s:%s", dir, path != NULL ? path : "/usr/bin:/bin"));
	g->c->envp = e->list;
}

void git_env_parameter(struct git *g, struct env *e, const char *key, const char *value)
{
	const char *before = cmd_getenv(g->c, "GIT_CONFIG_PARAMETERS");
	struct buf b = buf_in(g->keep);

	buf_puts(&b, "GIT_CONFIG_PARAMETERS=");
	if (before != NULL && before[0] != '\0')
		buf_printf(&b, "%s ", before);
	git_quote_shell(&b, key);
	buf_putc(&b, '=');
	if (value != NULL)
		git_quote_shell(&b, value);
	env_put(e, buf_cstr(&b));
	g->c->envp = e->list;
}

bool git_external(struct git *g, int argc, char **argv, int *status)
{
	static const int fds[3] = { 0, 1, 2 };
	char **words = arena_array(g->keep, (size_t)argc + 1, sizeof(*words));
	struct cmd_program prog = { .argv = words, .envp = g->c->envp, .fds = fds, .nfds = 3 };
	int ended = 0;
	char *top;
	int pid;

	memcpy(words, argv, (size_t)argc * sizeof(*words));
	words[0] = git_format(g->keep, "git-%s", argv[0]);
	words[argc] = NULL;
	cmd_flush(g->c);
	/* It runs where git was started, not at the top of the work tree. */
	if (cmd_getcwd(g->c, &top) < 0 || cmd_chdir(g->c, g->start) < 0)
		return false;
	pid = cmd_spawn(g->c, &prog);
	if (pid < 0) {
		cmd_chdir(g->c, top);
		return false;
	}
	if (cmd_wait(g->c, pid, &ended, false) < 0)
		ended = 1 << 8;
	*status = cmd_exit_status(ended);
	if ((ended & 127) != 0 && (ended & 127) != SIG_INT && (ended & 127) != SIG_QUIT)
		git_error(g, "%s died of signal %d", words[0], ended & 127);
	return true;
}

/* The names in one directory of PATH. */
static void list_dir(struct git *g, const char *dir, struct names *out)
{
	struct vfs_dirent *list;
	size_t n;

	if (cmd_list(g->c, CMD_CWD, dir, g->a, &list, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const char *name = arena_dup(g->a, list[i].name);

		cmd_charge(g->c, 1);
		if (git_starts(name, "git-") &&
		    cmd_is_program(g->c, git_format(g->a, "%s/%s", dir, name)))
			names_add(g, out, name + 4);
	}
}

void git_externals(struct git *g, struct names *out)
{
	const char *at = cmd_getenv(g->c, "PATH");

	while (at != NULL) {
		size_t len = strcspn(at, ":");

		list_dir(g, len != 0 ? git_format(g->a, "%.*s", (int)len, at) : ".", out);
		at = at[len] == ':' ? at + len + 1 : NULL;
	}
}
