/* SPDX-License-Identifier: MIT
 *
 * git - version control: global options, aliases, the table of subcommands.
 *
 * Reference: git 2.39. Not here: what needs a network or another program's filters; see
 * docs/limits.md.
 */
#include "base/regex.h"
#include "builtins/git/external.h"

enum { ALIAS_DEPTH_MAX = 16, WORDS_MAX = 1024, GUESS_MAX = 7 };

static const struct git_command commands[] = {
#define GIT_COMMAND(name, fn, flags) { name, fn, flags },
#include "builtins/git/list.h"
#undef GIT_COMMAND
};
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Real git has these; here they are refused. */
static const char missing[] = " add--interactive bisect--helper bugreport"
			      " checkout--worker commit-graph credential"
			      " credential-cache credential-cache--daemon credential-store"
			      " daemon diagnose difftool difftool--helper env--helper"
			      " fetch-pack"
			      " for-each-repo fsmonitor--daemon hook http-backend http-fetch"
			      " http-push imap-send instaweb mailinfo mailsplit"
			      " merge-index merge-octopus merge-one-file merge-ours"
			      " merge-recursive merge-resolve merge-subtree mergetool"
			      " mergetool--lib multi-pack-index pack-redundant"
			      " quiltimport receive-pack remote-ext remote-fd"
			      " remote-ftp remote-ftps remote-http remote-https request-pull"
			      " send-pack shell show-index"
			      " submodule--helper subtree unpack-file upload-archive upload-pack"
			      " verify-commit verify-tag web--browse"
			      " ";

/* These are guessed from how they begin. */
static const char common[] =
	" add bisect branch clone commit diff fetch grep init log merge mv pull "
	"push rebase reset restore rm show status switch tag ";

static bool is_among(struct git *g, const char *list, const char *name)
{
	return strstr(list, git_format(g->a, " %s ", name)) != NULL;
}

static const struct git_command *find_command(const char *name)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* --- usage --- */

static const char usage_text[] = "usage: git [--version] [--help] [-C <path>] [-c <name>=<value>]\n"
				 "           [--git-dir=<path>] [--work-tree=<path>] [--no-pager]\n"
				 "           <command> [<args>]\n";

static const char summary_text[] = "\nThese are common Git commands used in various situations:\n\n"
				   "start a working area\n"
				   "   clone, init\n\n"
				   "work on the current change\n"
				   "   add, mv, restore, rm\n\n"
				   "examine the history and state\n"
				   "   blame, diff, grep, log, show, status\n\n"
				   "grow, mark and tweak your common history\n"
				   "   branch, commit, merge, rebase, reset, switch, tag\n\n"
				   "collaborate\n"
				   "   fetch, pull, push\n";

int git_cmd_version(struct git *g, struct args *args)
{
	(void)args;
	git_printf(g, "git version 2.39.5\n");
	return 0;
}

int git_cmd_help(struct git *g, struct args *args)
{
	if (args->argc > 0 && strcmp(args->argv[0], "-a") != 0 &&
	    find_command(args->argv[0]) == NULL)
		git_die(g, "no such command '%s'", args->argv[0]);
	git_printf(g, "%s%s\nAll of them:\n", usage_text, summary_text);
	for (size_t i = 0; i < NCOMMANDS; i++)
		git_printf(g, "   %s\n", commands[i].name);
	return 0;
}

/* --- what was meant --- */

static size_t distance(const char *a, const char *b)
{
	size_t row[3][64];
	size_t n = strlen(a), m = strlen(b);

	if (n >= 60 || m >= 60)
		return SIZE_MAX;
	/* Swaps cost nothing, insertions 1, replacements 2, deletions 3. */
	for (size_t j = 0; j <= m; j++)
		row[1][j] = j;
	for (size_t i = 0; i < n; i++) {
		row[2][0] = (i + 1) * 3;
		for (size_t j = 0; j < m; j++) {
			size_t best = row[1][j] + (a[i] != b[j] ? 2 : 0);

			if (i > 0 && j > 0 && a[i - 1] == b[j] && a[i] == b[j - 1] &&
			    best > row[0][j - 1])
				best = row[0][j - 1];
			if (best > row[1][j + 1] + 3)
				best = row[1][j + 1] + 3;
			if (best > row[2][j] + 1)
				best = row[2][j] + 1;
			row[2][j + 1] = best;
		}
		memcpy(row[0], row[1], sizeof(row[0]));
		memcpy(row[1], row[2], sizeof(row[1]));
	}
	return row[1][m];
}

struct guess {
	const char *name;
	size_t score; /* how far from what was written; 0: it begins so, and is often used */
};

static int guess_cmp(const void *a, const void *b)
{
	const struct guess *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int unknown_command(struct git *g, const char *name)
{
	struct names externals = { NULL, 0, 0 };
	struct guess *guess;
	size_t total = NCOMMANDS;
	size_t n = 0, begun;

	git_externals(g, &externals);
	guess = arena_array(g->a, NCOMMANDS + sizeof(missing) / 2 + externals.n, sizeof(*guess));
	for (size_t i = 0; i < NCOMMANDS; i++)
		guess[i].name = commands[i].name;
	for (const char *at = missing + 1; *at != '\0'; at = strchr(at, ' ') + 1)
		guess[total++].name = arena_dup(g->a, (struct bytes){ at, strcspn(at, " ") });
	for (size_t i = 0; i < externals.n; i++)
		guess[total++].name = externals.at[i];
	for (size_t i = 0; i < total; i++)
		guess[i].score = git_starts(guess[i].name, name) &&
						 is_among(g, common, guess[i].name)
					 ? 0
					 : distance(name, guess[i].name) + 1;
	git_sort(g, guess, total, sizeof(*guess), guess_cmp);
	git_say(g, "git: '%s' is not a git command. See 'git --help'.\n", name);
	while (n < total && guess[n].score == 0)
		n++;
	begun = n;
	if (begun == total || guess[begun].score >= GUESS_MAX)
		return 1;
	while (n < total && guess[n].score == guess[begun].score)
		n++;
	git_say(g, "\nThe most similar command%s\n", n > 1 ? "s are" : " is");
	for (size_t i = 0; i < n; i++)
		git_say(g, "\t%s\n", guess[i].name);
	return 1;
}

/* --- aliases --- */

/* Words as the shell has them, without expansion. */
static int split_words(struct git *g, const char *text, char **out)
{
	int n = 0;

	while (*text != '\0') {
		struct buf b = buf_in(g->keep);
		char quote = '\0';

		while (byte_is_space((unsigned char)*text))
			text++;
		if (*text == '\0')
			break;
		for (; *text != '\0' && (quote != '\0' || !byte_is_space((unsigned char)*text));
		     text++) {
			if (quote == '\0' && (*text == '\'' || *text == '"'))
				quote = *text;
			else if (*text == quote)
				quote = '\0';
			else if (*text == '\\' && quote != '\'' && text[1] != '\0')
				buf_putc(&b, *++text);
			else
				buf_putc(&b, *text);
		}
		if (quote != '\0')
			git_die(g, "bad alias string: unclosed quote");
		if (n == WORDS_MAX)
			git_die(g, "bad alias string: too many words");
		out[n++] = buf_cstr(&b);
	}
	return n;
}

static int shell_alias(struct git *g, const char *command, int argc, char **argv)
{
	char **rest = arena_array(g->keep, (size_t)argc + 1, sizeof(*rest));
	struct env e;

	for (int i = 1; i < argc; i++)
		rest[i - 1] = argv[i];
	env_init(&e, g->c, false);
	env_put(&e, git_format(g->a, "GIT_PREFIX=%s", g->prefix));
	return git_spawn_shell(g, command, rest, e.list);
}

/* The alias's words and the rest of the arguments; 0: it is none. */
static int expand_alias(struct git *g, int argc, char **argv, char ***out, int *status)
{
	const char *text = config_get(g, git_format(g->a, "alias.%s", argv[0]));
	char **words;
	int n;

	if (text == NULL)
		return 0;
	if (strcmp(text, argv[0]) == 0)
		git_die(g, "recursive alias: %s", argv[0]);
	if (text[0] == '!') {
		*status = shell_alias(g, text + 1, argc, argv);
		return -1;
	}
	words = arena_array(g->keep, (size_t)(WORDS_MAX + argc + 1), sizeof(*words));
	n = split_words(g, text, words);
	if (n == 0)
		git_die(g, "bad alias.%s string: empty", argv[0]);
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	words[n] = NULL;
	*out = words;
	return n;
}

/* --- running --- */

static int run_command(struct git *g, const struct git_command *cmd, int argc, char **argv)
{
	struct args args = { argc - 1, argv + 1, -1 };
	bool help = argc == 2 && strcmp(argv[1], "-h") == 0;

	g->command = cmd->name;
	if ((cmd->flags & GIT_NEEDS_REPO) && !help)
		repo_need(g);
	if ((cmd->flags & GIT_NEEDS_WORK) && !help)
		repo_need_work(g);
	return cmd->run(g, &args);
}

int git_run(struct git *g, int argc, char **argv)
{
	struct names seen = { NULL, 0, 0 };

	for (int depth = 0; depth < ALIAS_DEPTH_MAX; depth++) {
		const struct git_command *cmd = find_command(argv[0]);
		char **words;
		int status = 0;
		int n;

		if (cmd != NULL)
			return run_command(g, cmd, argc, argv);
		if (git_external(g, argc, argv, &status))
			return status;
		if (is_among(g, missing, argv[0]))
			git_refuse(g, git_format(g->a, "git %s", argv[0]));
		if (names_has(g, &seen, argv[0]))
			git_die(g, "alias loop detected: expansion of '%s' does not terminate:%s",
				seen.at[0], "");
		names_add(g, &seen, argv[0]);
		n = expand_alias(g, argc, argv, &words, &status);
		if (n < 0)
			return status;
		if (n == 0)
			return unknown_command(g, argv[0]);
		argc = n;
		argv = words;
	}
	git_die(g, "alias loop detected");
}

/* --- global options --- */

struct global {
	int i;
	bool done; /* nothing more to do: --version */
	int status;
};

static void set_env(struct git *g, struct env *e, const char *name, const char *value)
{
	env_put(e, git_format(g->keep, "%s=%s", name, value));
	g->c->envp = e->list;
}

static const char *next_arg(struct git *g, struct global *gl, const char *what)
{
	if (gl->i + 1 >= g->c->argc) {
		git_say(g, "%s\n%s", what, usage_text);
		git_exit(g, GIT_STATUS_USAGE);
	}
	return g->c->argv[++gl->i];
}

static void change_dir(struct git *g, const char *dir)
{
	int err = dir[0] == '\0' ? 0 : cmd_chdir(g->c, dir);

	if (err < 0)
		git_die(g, "cannot change to '%s': %s", dir, err_text(err));
}

static bool dir_option(struct git *g, struct env *e, struct global *gl, const char *arg)
{
	static const struct {
		const char *name;
		const char *env;
		const char *what;
	} dirs[] = {
		{ "--git-dir", "GIT_DIR", "no directory given for '--git-dir' option" },
		{ "--work-tree", "GIT_WORK_TREE", "no directory given for '--work-tree' option" },
		{ "--namespace", "GIT_NAMESPACE", "no namespace given for --namespace" },
	};

	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(dirs[i].name);

		if (strncmp(arg, dirs[i].name, n) != 0 || (arg[n] != '=' && arg[n] != '\0'))
			continue;
		if (i == 2)
			git_refuse(g, "--namespace");
		set_env(g, e, dirs[i].env,
			arg[n] == '=' ? arg + n + 1 : next_arg(g, gl, dirs[i].what));
		return true;
	}
	return false;
}

static bool flag_option(struct git *g, struct env *e, const char *arg)
{
	static const char *const without_effect[] = {
		"-p", "--paginate", "-P", "--no-pager", "--no-optional-locks", "--no-lazy-fetch"
	};
	static const struct {
		const char *option;
		const char *name;
	} variables[] = {
		{ "--no-replace-objects", "GIT_NO_REPLACE_OBJECTS" },
		{ "--literal-pathspecs", "GIT_LITERAL_PATHSPECS" },
		{ "--glob-pathspecs", "GIT_GLOB_PATHSPECS" },
		{ "--noglob-pathspecs", "GIT_NOGLOB_PATHSPECS" },
		{ "--icase-pathspecs", "GIT_ICASE_PATHSPECS" },
	};

	for (size_t i = 0; i < sizeof(without_effect) / sizeof(without_effect[0]); i++)
		if (strcmp(arg, without_effect[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (strcmp(arg, variables[i].option) == 0) {
			set_env(g, e, variables[i].name, "1");
			return true;
		}
	if (strcmp(arg, "--bare") != 0)
		return false;
	set_env(g, e, "GIT_DIR", g->start_dir);
	return true;
}

/* -c KEY=VALUE */
static void parameter_option(struct git *g, struct env *e, const char *text)
{
	size_t n = strcspn(text, "=");

	git_env_parameter(g, e, git_format(g->a, "%.*s", (int)n, text),
			  text[n] == '=' ? text + n + 1 : NULL);
}

/* --config-env=KEY=VARIABLE */
static void environment_option(struct git *g, struct env *e, const char *text)
{
	const char *equals = strrchr(text, '=');
	const char *key;

	if (equals == NULL)
		git_die(g, "invalid config format: %s", text);
	key = git_format(g->a, "%.*s", (int)(equals - text), text);
	if (equals[1] == '\0')
		git_die(g, "missing environment variable name for configuration '%s'", key);
	if (cmd_getenv(g->c, equals + 1) == NULL)
		git_die(g, "missing environment variable '%s' for configuration '%s'", equals + 1,
			key);
	git_env_parameter(g, e, key, cmd_getenv(g->c, equals + 1));
}

static void global_option(struct git *g, struct env *e, struct global *gl)
{
	const char *arg = g->c->argv[gl->i];

	if (strcmp(arg, "--version") == 0 || strcmp(arg, "-v") == 0) {
		gl->status = git_cmd_version(g, NULL);
		gl->done = true;
	} else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
		struct args none = { 0, NULL, -1 };

		gl->status = git_cmd_help(g, &none);
		gl->done = true;
	} else if (strcmp(arg, "-C") == 0) {
		change_dir(g, next_arg(g, gl, "no directory given for '-C' option"));
	} else if (strcmp(arg, "-c") == 0) {
		parameter_option(g, e, next_arg(g, gl, "-c expects a configuration string"));
	} else if (git_starts(arg, "--exec-path=")) {
		set_env(g, e, "GIT_EXEC_PATH", strchr(arg, '=') + 1);
	} else if (strcmp(arg, "--exec-path") == 0) {
		git_printf(g, "%s\n", git_exec_path(g));
		gl->done = true;
	} else if (strcmp(arg, "--html-path") == 0 || strcmp(arg, "--man-path") == 0 ||
		   strcmp(arg, "--info-path") == 0) {
		git_printf(g, "/usr/share/doc/git\n");
		gl->done = true;
	} else if (strcmp(arg, "--config-env") == 0) {
		environment_option(g, e, next_arg(g, gl, "no config key given for --config-env"));
	} else if (git_starts(arg, "--config-env=")) {
		environment_option(g, e, strchr(arg, '=') + 1);
	} else if (!dir_option(g, e, gl, arg) && !flag_option(g, e, arg)) {
		git_say(g, "unknown option: %s\n%s", arg, usage_text);
		git_exit(g, GIT_STATUS_USAGE);
	}
}

static int run_deep(void *arg)
{
	struct cmd *c = arg;
	struct arena *keep = arena_alloc(c->arena, sizeof(*keep));
	struct git git = { .c = c,
			   .a = c->arena,
			   .keep = keep,
			   .color = -1,
			   .prefix = "",
			   .utf8 = c->utf8 ? REGEX_UTF8 : 0 };
	struct git *g = &git;
	struct global gl = { .i = 1 };
	struct config config = { .at = NULL };
	struct env e;

	arena_init_under(keep, c->arena);
	g->config = &config;
	g->commits = lookup_new(g);
	env_init(&e, c, false);
	cmd_getcwd(c, &g->start_dir);
	for (; gl.i < c->argc && c->argv[gl.i][0] == '-' && !gl.done; gl.i++)
		global_option(g, &e, &gl);
	if (gl.done)
		return gl.status;
	git_env_exec_path(g, &e);
	if (gl.i >= c->argc) {
		git_printf(g, "%s%s", usage_text, summary_text);
		return 1;
	}
	char *start;
	int err = cmd_getcwd(c, &start);

	if (err < 0)
		git_die_errno(g, err, "Unable to read current working directory");
	g->start = arena_dup(g->keep, bytes_of(start));
	g->command = c->argv[gl.i];
	const struct git_command *cmd = find_command(c->argv[gl.i]);

	g->reflog_action = cmd_getenv(c, "GIT_REFLOG_ACTION");
	if (cmd == NULL || cmd->flags != 0)
		repo_find(g);
	config_load(g);
	/* Allocated in the command's arena, which loops release: so at once. */
	date_local_zone(g, 0);
	return git_run(g, c->argc - gl.i, c->argv + gl.i);
}

static int git_main(struct cmd *c)
{
	return cmd_deepen(c, GIT_STACK, run_deep, c);
}

const struct builtin builtin_git = {
	.name = "git",
	.usage = "[--version] [--help] [-C PATH] [-c NAME=VALUE] COMMAND [ARGS]",
	.run = git_main,
	.flags = BUILTIN_RAW,
	.write_status = 128,
	.family = "git 2.39.5",
};
