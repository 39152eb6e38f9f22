/* SPDX-License-Identifier: MIT
 *
 * Where the repository is: from the start directory upwards, or as the environment says; how a
 * new one is made.
 */
#include "builtins/git/git.h"
#include "builtins/git/share.h"

/* The path that a ".git" file or a commondir file names; NULL: none. */
static char *read_link_file(struct git *g, const char *file, const char *prefix, const char *base)
{
	struct bytes text;
	char *path;

	if (file_read(g, g->keep, file, &text) < 0 || !bytes_starts(text, bytes_of(prefix)))
		return NULL;
	text = git_trim(bytes_slice(text, strlen(prefix), text.len));
	if (text.len == 0)
		return NULL;
	path = arena_dup(g->keep, text);
	if (path[0] != '/')
		path = git_format(g->keep, "%s/%s", base, path);
	path = path_normal(g->keep, path);
	if (path != NULL && strlen(path) > 1 && git_ends(path, "/"))
		path[strlen(path) - 1] = '\0';
	return path;
}

static char *common_of(struct git *g, const char *dir)
{
	char *common = read_link_file(g, path_join(g->keep, dir, "commondir"), "", dir);

	return common != NULL ? common : arena_dup(g->keep, bytes_of(dir));
}

static bool head_is_valid(struct git *g, const char *path)
{
	struct bytes text;
	struct oid o;
	struct bytes target;

	if (cmd_readlink(g->c, CMD_CWD, path, &target) >= 0)
		return bytes_starts(target, BYTES("refs/"));
	if (file_read(g, g->a, path, &text) < 0)
		return false;
	if (bytes_starts(text, BYTES("ref:")))
		return bytes_starts(git_trim(bytes_slice(text, 4, text.len)), BYTES("refs/"));
	return oid_parse_bytes(text, &o);
}

bool repo_is_dir(struct git *g, const char *path)
{
	char *common;

	if (!file_is_dir(g, path) || !head_is_valid(g, path_join(g->a, path, "HEAD")))
		return false;
	common = common_of(g, path);
	return file_is_dir(g, path_join(g->a, common, "objects")) &&
	       file_is_dir(g, path_join(g->a, common, "refs"));
}

char *repo_of_dir(struct git *g, const char *dir)
{
	char *path = path_join(g->keep, dir, ".git");
	struct vfs_stat st;
	char *target;

	if (cmd_stat(g->c, path, &st) < 0)
		return NULL;
	if ((st.mode & S_FMT) == S_DIR)
		return repo_is_dir(g, path) ? path : NULL;
	if ((st.mode & S_FMT) != S_REG)
		return NULL;
	target = read_link_file(g, path, "gitdir: ", dir);
	if (target == NULL)
		git_die(g, "invalid gitfile format: %s", path);
	if (!repo_is_dir(g, target))
		git_die(g, "not a git repository: %s", target);
	return target;
}

bool repo_is_nested(struct git *g, const char *path)
{
	char *dir = path_join(g->keep, g->work, path);
	char *link = path_join(g->keep, dir, ".git");
	struct vfs_stat st;

	if (cmd_lstat(g->c, link, &st) < 0)
		return false;
	if ((st.mode & S_FMT) == S_REG)
		link = read_link_file(g, link, "gitdir: ", dir);
	return link != NULL && repo_is_dir(g, link);
}

static void add_alternates(struct git *g, const char *objects, int depth)
{
	struct bytes text;
	struct bytes line;

	if (depth > 5 ||
	    file_read(g, g->keep, path_join(g->a, objects, "info/alternates"), &text) < 0)
		return;
	while (git_line(&text, &line)) {
		char *path;

		if (line.len == 0 || line.ptr[0] == '#')
			continue;
		path = arena_dup(g->keep, line);
		if (path[0] != '/')
			path = git_format(g->keep, "%s/%s", objects, path);
		path = path_normal(g->keep, path);
		if (path == NULL || names_has(g, &g->odb->dirs, path))
			continue;
		names_add(g, &g->odb->dirs, path);
		add_alternates(g, path, depth + 1);
	}
}

static void open_odb(struct git *g)
{
	const char *given = cmd_getenv(g->c, "GIT_OBJECT_DIRECTORY");
	const char *more = cmd_getenv(g->c, "GIT_ALTERNATE_OBJECT_DIRECTORIES");
	struct bytes text;
	struct bytes line;

	g->odb = arena_zalloc(g->keep, sizeof(*g->odb));
	names_add(g, &g->odb->dirs,
		  given != NULL ? path_join(g->a, g->start, given)
				: path_join(g->a, g->common, "objects"));
	add_alternates(g, g->odb->dirs.at[0], 0);
	while (more != NULL && *more != '\0') {
		size_t len = strcspn(more, ":");

		if (len != 0)
			names_add(g, &g->odb->dirs, arena_dup(g->a, (struct bytes){ more, len }));
		more += len + (more[len] == ':');
	}
	if (file_read(g, g->a, path_join(g->a, g->common, "shallow"), &text) == 0)
		while (git_line(&text, &line))
			if (line.len == OID_HEX)
				names_add(g, &g->shallow, arena_dup(g->a, line));
}

/* A value of the repository's own configuration, before all of it is read. */
static const char *own_config(struct git *g, const char *key)
{
	struct config own = { .at = NULL };
	const struct config_entry *e;

	config_add_file(g, &own, path_join(g->a, g->common, "config"), CONFIG_LOCAL, false, 0);
	e = config_find(g, &own, key);
	if (e == NULL)
		return NULL;
	return e->value != NULL ? e->value : "true";
}

static void check_format(struct git *g)
{
	const char *version = own_config(g, "core.repositoryformatversion");
	const char *format = own_config(g, "extensions.objectformat");

	if (version != NULL && strcmp(version, "0") != 0 && strcmp(version, "1") != 0)
		git_die(g, "Expected git repo version <= 1, found %s", version);
	if (format != NULL && strcmp(format, "sha1") != 0)
		git_refuse(g, git_format(g->a, "the object format '%s'", format));
}

/* Goes to the top of the work tree and says where the command was started below it. */
static void enter_work(struct git *g)
{
	size_t top = strlen(g->work);

	if (strcmp(g->work, "/") == 0) {
		g->prefix = git_format(g->keep, "%s%s", g->start + 1,
				       g->start[1] != '\0' ? "/" : "");
	} else if (strncmp(g->start, g->work, top) == 0 && g->start[top] == '/') {
		g->prefix = git_format(g->keep, "%s/", g->start + top + 1);
	}
	cmd_chdir(g->c, g->work);
}

static void use(struct git *g, char *dir, const char *work)
{
	g->dir = dir;
	g->common = cmd_getenv(g->c, "GIT_COMMON_DIR") != NULL
			    ? path_join(g->keep, g->start, cmd_getenv(g->c, "GIT_COMMON_DIR"))
			    : common_of(g, dir);
	g->work = work != NULL ? arena_dup(g->keep, bytes_of(work)) : NULL;
	g->bare = work == NULL;
	check_format(g);
	open_odb(g);
	if (g->work != NULL)
		enter_work(g);
}

static char *absolute(struct git *g, const char *path)
{
	char *real;

	if (cmd_canonical(g->c, path_join(g->a, g->start, path), CANON_MISSING, &real) < 0)
		return path_normal(g->keep, path_join(g->a, g->start, path));
	return arena_dup(g->keep, bytes_of(real));
}

/* GIT_DIR is given. */
static bool find_given(struct git *g, const char *dir)
{
	const char *work = cmd_getenv(g->c, "GIT_WORK_TREE");
	char *full = absolute(g, dir);
	struct vfs_stat st;

	if (cmd_stat(g->c, full, &st) == 0 && (st.mode & S_FMT) == S_REG)
		full = read_link_file(g, full, "gitdir: ", g->start);
	if (full == NULL || !repo_is_dir(g, full))
		git_die(g, "not a git repository: '%s'", dir);
	g->dir_shown = dir;
	g->dir = full;
	g->common = common_of(g, full);
	if (work == NULL) {
		const char *bare = own_config(g, "core.bare");

		work = own_config(g, "core.worktree");
		if (work != NULL)
			work = path_normal(g->keep, path_join(g->a, full, work));
		else if (bare == NULL || config_truth(bare) != 1)
			work = g->start;
	}
	use(g, full, work != NULL ? absolute(g, work) : NULL);
	return true;
}

bool repo_find(struct git *g)
{
	const char *given = cmd_getenv(g->c, "GIT_DIR");
	const char *work = cmd_getenv(g->c, "GIT_WORK_TREE");
	char *at = arena_dup(g->keep, bytes_of(g->start));

	if (given != NULL)
		return find_given(g, given);
	for (;;) {
		char *dir = repo_of_dir(g, at);

		if (dir != NULL) {
			const char *own;

			g->common = common_of(g, dir);
			own = own_config(g, "core.worktree");
			if (work != NULL)
				at = absolute(g, work);
			else if (own != NULL)
				at = path_normal(g->keep, path_join(g->a, dir, own));
			else if (own_config(g, "core.bare") != NULL &&
				 config_truth(own_config(g, "core.bare")) == 1)
				at = NULL;
			use(g, dir, at);
			return true;
		}
		if (repo_is_dir(g, at)) {
			use(g, at, work != NULL ? absolute(g, work) : NULL);
			return true;
		}
		char *slash = strrchr(at, '/');

		if (strcmp(at, "/") == 0)
			return false;
		slash[slash == at ? 1 : 0] = '\0';
	}
}

void repo_need(struct git *g)
{
	if (g->dir == NULL)
		git_die(g, "not a git repository (or any of the parent directories): .git");
}

void repo_need_work(struct git *g)
{
	repo_need(g);
	if (g->work == NULL || git_starts(g->start, git_format(g->a, "%s/", g->dir)) ||
	    strcmp(g->start, g->dir) == 0)
		git_die(g, "this operation must be run in a work tree");
}

char *repo_path(struct git *g, struct arena *a, const char *name)
{
	static const char *const shared[] = { "refs/",   "packed-refs", "objects/",
					      "info/",   "config",      "hooks/",
					      "shallow", "worktrees/",  "logs/refs/" };
	static const char *const own[] = { "refs/bisect/",        "refs/worktree/",
					   "refs/rewritten/",     "logs/refs/bisect/",
					   "logs/refs/worktree/", "info/sparse-checkout" };

	repo_need(g);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (git_starts(name, own[i]))
			return git_format(a, "%s/%s", g->dir, name);
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (git_starts(name, shared[i]))
			return git_format(a, "%s/%s", g->common, name);
	return git_format(a, "%s/%s", g->dir, name);
}

struct git *repo_open(struct git *g, const char *path)
{
	struct git *other = arena_zalloc(g->keep, sizeof(*other));
	char *full = path_normal(g->keep, path_join(g->a, g->start, path));
	char *dir;

	other->c = g->c;
	other->a = g->a;
	other->keep = g->keep;
	other->command = g->command;
	other->start = g->start;
	other->prefix = g->prefix;
	other->color = -1;
	other->zone = g->zone;
	other->utc = g->utc;
	if (full == NULL)
		return NULL;
	if (strlen(full) > 1 && git_ends(full, "/"))
		full[strlen(full) - 1] = '\0';
	dir = repo_of_dir(other, full);
	if (dir != NULL)
		other->work = full;
	else if (repo_is_dir(other, full))
		dir = full;
	else if (!git_ends(full, ".git") && repo_is_dir(other, git_format(g->keep, "%s.git", full)))
		dir = git_format(g->keep, "%s.git", full);
	else
		return NULL;
	other->dir = dir;
	other->common = common_of(other, dir);
	other->bare = other->work == NULL;
	other->config = arena_zalloc(g->keep, sizeof(*other->config));
	other->commits = lookup_new(other);
	other->replaced = lookup_new(other); /* what is stored there is wanted as it is */
	open_odb(other);
	config_load(other);
	return other;
}

/* --- making one --- */

const char *repo_initial_branch(struct git *g, bool quiet)
{
	const char *name = config_get(g, "init.defaultbranch");

	if (name == NULL || name[0] == '\0') {
		if (!quiet)
			git_hint(
				g, NULL,
				"Using 'master' as the name for the initial branch. This default "
				"branch name\n"
				"is subject to change. To configure the initial branch name to use "
				"in all\n"
				"of your new repositories, which will suppress this warning, "
				"call:\n"
				"\n"
				"\tgit config --global init.defaultBranch <name>\n"
				"\n"
				"Names commonly chosen instead of 'master' are 'main', 'trunk' "
				"and\n"
				"'development'. The just-created branch can be renamed via this "
				"command:\n"
				"\n"
				"\tgit branch -m <name>\n");
		return "master";
	}
	if (!ref_branch_valid(name))
		git_die(g, "invalid branch name: init.defaultBranch = %s", name);
	return name;
}

static void write_new(struct git *g, const char *dir, const char *name, const char *text)
{
	char *path = path_join(g->a, dir, name);

	if (!file_exists(g, path) && file_write(g, path, bytes_of(text), 0666) < 0)
		git_die(g, "cannot write %s", path);
	share_path(g, path);
}

void repo_create(struct git *g, const char *dir, const char *work, bool bare, const char *branch)
{
	static const char *const dirs[] = { "branches",     "hooks",        "info",
					    "objects/info", "objects/pack", "refs/heads",
					    "refs/tags" };
	struct buf config = buf_in(g->a);
	char *common = g->common;
	int err = 0;

	g->common = arena_dup(g->keep, bytes_of(dir));
	for (size_t i = 0; err >= 0 && i < sizeof(dirs) / sizeof(dirs[0]); i++)
		err = file_make_dirs(g, path_join(g->a, dir, dirs[i]));
	if (err < 0)
		git_die_errno(g, err, "cannot mkdir %s", dir);
	share_path(g, dir);
	write_new(g, dir, "HEAD", git_format(g->a, "ref: refs/heads/%s\n", branch));
	write_new(g, dir, "description",
		  "Unnamed repository; edit this file 'description' to name the repository.\n");
	write_new(g, dir, "info/exclude",
		  "# Patterns in this file are ignored by git, as those in .gitignore are,\n"
		  "# but they are not shared with other people.\n");
	buf_printf(&config,
		   "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = %s\n",
		   bare ? "true" : "false");
	if (!bare)
		buf_puts(&config, "\tlogallrefupdates = true\n");
	if (work != NULL)
		buf_printf(&config, "\tworktree = %s\n", work);
	if (g->shared != 0)
		buf_printf(&config,
			   "\tsharedrepository = %s\n[receive]\n\tdenyNonFastforwards = true\n",
			   share_value(g, g->shared));
	write_new(g, dir, "config", buf_cstr(&config));
	g->common = common;
}
