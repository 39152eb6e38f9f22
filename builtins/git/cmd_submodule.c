/* SPDX-License-Identifier: MIT
 *
 * git submodule: other repositories at paths of the work tree, each checked out at the commit
 * that the index names. Their repositories lie in .git/modules; what is done in one of them is
 * done by git, started there.
 *
 * Not here: summary, absorbgitdirs, update --merge and --rebase.
 */
#include "builtins/git/submodule.h"
#include "builtins/git/walk.h"

struct sub_opts {
	bool quiet, cached, recursive, init, force, remote, no_fetch, all, no_branch;
	const char *branch;
	const char *name;
};

struct module {
	const char *path;
	const char *name; /* of the section in .gitmodules; NULL: it is not there */
	const char *url;  /* as .gitmodules has it */
	const char *how;  /* its "update" there; NULL: not said */
	struct oid oid;
	bool unmerged;
};

struct modules {
	struct git *g;
	struct sub_opts o;
	struct module *at;
	size_t n;
	size_t cap;
	const char *above; /* in front of paths that are shown: this is a submodule itself */
};

#define SUB_ABOVE "GIT_INTERNAL_SUPER_PREFIX"

static const char *const sub_usage[] = {
	"git submodule [--quiet] [--cached]",
	"git submodule [--quiet] add [-b <branch>] [-f|--force] [--name <name>] "
	"[--reference <repository>] [--] <repository> [<path>]",
	"git submodule [--quiet] status [--cached] [--recursive] [--] [<path>...]",
	"git submodule [--quiet] init [--] [<path>...]",
	"git submodule [--quiet] deinit [-f|--force] (--all| [--] <path>...)",
	"git submodule [--quiet] update [--init [--filter=<filter-spec>]] [--remote] "
	"[-N|--no-fetch] [-f|--force] [--checkout|--merge|--rebase] [--[no-]recommend-shallow] "
	"[--reference <repository>] [--recursive] [--[no-]single-branch] [--] [<path>...]",
	"git submodule [--quiet] set-branch (--default|--branch <branch>) [--] <path>",
	"git submodule [--quiet] set-url [--] <path> <newurl>",
	"git submodule [--quiet] summary [--cached|--files] [--summary-limit <n>] [commit] [--] "
	"[<path>...]",
	"git submodule [--quiet] foreach [--recursive] <command>",
	"git submodule [--quiet] sync [--recursive] [--] [<path>...]",
	"git submodule [--quiet] absorbgitdirs [--] [<path>...]",
	NULL,
};

/* The script that this once was ends with 1, not with git's 129. */
static _Noreturn void usage(struct git *g)
{
	for (size_t i = 0; sub_usage[i] != NULL; i++)
		git_say(g, "%s %s\n", i == 0 ? "usage:" : "   or:", sub_usage[i]);
	git_exit(g, 1);
}

/* --- running git in a submodule --- */

/* The environment without what names this repository. */
static void sub_env(struct modules *m, struct env *e, const char *above)
{
	static const char *const own[] = { "GIT_DIR",         "GIT_WORK_TREE",
					   "GIT_INDEX_FILE",  "GIT_PREFIX",
					   "GIT_COMMON_DIR",  "GIT_OBJECT_DIRECTORY",
					   "GIT_SHALLOW_FILE" };

	env_init(e, m->g->c, false);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		env_unset(e, own[i]);
	env_unset(e, SUB_ABOVE);
	if (above != NULL)
		env_put(e, git_format(m->g->keep, SUB_ABOVE "=%s/", above));
}

static const char *shown_path(struct modules *m, const char *path)
{
	return git_format(m->g->keep, "%s%s", m->above, path_relative(m->g, path));
}

/* Runs git with these words in the submodule at path; NULL: here. Its status. */
static int run_git(struct modules *m, const char *path, const char *const *words)
{
	struct git *g = m->g;
	struct env e;
	char *argv[24];
	int n = 0;

	sub_env(m, &e, path != NULL ? shown_path(m, path) : NULL);
	argv[n++] = arena_dup(g->keep, BYTES("git"));
	if (path != NULL) {
		argv[n++] = arena_dup(g->keep, BYTES("-C"));
		argv[n++] = path_join(g->keep, g->work, path);
	}
	for (size_t i = 0; words[i] != NULL && n < 23; i++)
		argv[n++] = arena_dup(g->keep, bytes_of(words[i]));
	argv[n] = NULL;
	return git_spawn(g, argv, e.list, -1, -1);
}

/* --- which there are --- */

static const char *module_key(struct git *g, const char *name, const char *key)
{
	return git_format(g->keep, "submodule.%s.%s", name, key);
}

/* The section whose path this is. */
static void find_section(struct git *g, const struct config *cf, struct module *mod)
{
	git_charge_search(g, cf->n * 4, mod->path);
	for (size_t i = 0; i < cf->n; i++) {
		const char *key = cf->at[i].key;
		const struct config_entry *url, *how;

		if (!git_starts(key, "submodule.") || !git_ends(key, ".path") ||
		    cf->at[i].value == NULL || strcmp(cf->at[i].value, mod->path) != 0)
			continue;
		mod->name = git_format(g->keep, "%.*s", (int)strlen(key) - 15, key + 10);
		url = config_find(g, cf, module_key(g, mod->name, "url"));
		mod->url = url != NULL ? url->value : NULL;
		how = config_find(g, cf, module_key(g, mod->name, "update"));
		mod->how = how != NULL ? how->value : NULL;
	}
	if (mod->name != NULL && (!path_safe(mod->name) || mod->name[0] == '-'))
		git_die(g, "ignoring suspicious submodule name: %s", mod->name);
	if (mod->url != NULL && mod->url[0] == '-')
		git_die(g, "invalid url '%s' of submodule '%s'", mod->url, mod->name);
}

static void load(struct modules *m, struct args *args)
{
	struct git *g = m->g;
	struct index *x = index_get(g);
	struct config cf = { .n = 0 };
	struct pathspec ps;

	pathspec_of(g, args->argv, args->argc, &ps);
	config_add_file(g, &cf, path_join(g->a, g->work, ".gitmodules"), CONFIG_LOCAL, false, 0);
	for (size_t i = 0; i < x->n; i++) {
		const struct entry *e = &x->at[i];
		struct module mod = { .path = e->path, .oid = e->oid, .unmerged = e->stage != 0 };

		if (!pathspec_match(g, &ps, e->path, e->mode == MODE_GITLINK) ||
		    e->mode != MODE_GITLINK || (i > 0 && strcmp(x->at[i - 1].path, e->path) == 0))
			continue;
		find_section(g, &cf, &mod);
		LIST_ROOM(g, m->at, m->n, m->cap);
		m->at[m->n++] = mod;
	}
	for (size_t i = 0; i < ps.n; i++)
		if (!ps.at[i].seen && !ps.at[i].exclude) {
			git_error(g, "pathspec '%s' did not match any file(s) known to git",
				  ps.at[i].original);
			git_exit(g, 1);
		}
}

static void need_section(struct git *g, const struct module *mod)
{
	if (mod->name == NULL)
		git_die(g, "no submodule mapping found in .gitmodules for path '%s'", mod->path);
}

static struct git *open_module(struct git *g, const struct module *mod)
{
	char *path = path_join(g->keep, g->work, mod->path);

	/* A directory without a repository of its own is part of this one. */
	return file_exists(g, path_join(g->a, path, ".git")) ? repo_open(g, path) : NULL;
}

static bool is_active(struct git *g, const struct module *mod)
{
	const char *own = module_key(g, mod->name, "active");

	const char *paths = config_get(g, "submodule.active");

	if (config_get(g, own) != NULL)
		return config_bool(g, own, false);
	if (paths != NULL) {
		char *operand[1] = { git_format(g->a, ":(top)%s", paths) };
		struct pathspec ps;

		pathspec_of(g, operand, 1, &ps);
		return pathspec_match(g, &ps, mod->path, true);
	}
	return config_get(g, module_key(g, mod->name, "url")) != NULL;
}

/* --- URLs --- */

/* "../x" is meant from where this repository comes from. */
static char *resolve_url(struct git *g, const char *url)
{
	const char *base = config_get(g, "remote.origin.url");
	char *head = head_ref(g);
	struct buf b = buf_in(g->keep);

	if (!git_starts(url, "./") && !git_starts(url, "../"))
		return arena_dup(g->keep, bytes_of(url));
	if (head != NULL) {
		const char *remote = config_get(
			g, git_format(g->a, "branch.%s.remote", ref_short(g, head)));

		if (remote != NULL && strcmp(remote, ".") != 0)
			base = config_get(g, git_format(g->a, "remote.%s.url", remote));
	}
	buf_puts(&b, base != NULL ? base : g->work);
	while (b.len > 0 && b.ptr[b.len - 1] == '/')
		b.len--;
	for (;;) {
		if (git_starts(url, "../")) {
			const char *cut = bytes_rfind(buf_bytes(&b), BYTES("/"));

			if (cut == NULL)
				cut = bytes_rfind(buf_bytes(&b), BYTES(":"));
			if (cut == NULL)
				git_die(g, "cannot strip one component off url '%s'", buf_cstr(&b));
			b.len = (size_t)(cut - b.ptr);
			url += 3;
		} else if (git_starts(url, "./")) {
			url += 2;
		} else {
			break;
		}
	}
	buf_printf(&b, "/%s", url);
	while (b.len > 0 && b.ptr[b.len - 1] == '/')
		b.len--;
	return buf_cstr(&b);
}

/* Submodules are not read from files unless the user said so: protocol.file.allow. */
static bool is_allowed(struct git *g, const char *url)
{
	const char *list = cmd_getenv(g->c, "GIT_ALLOW_PROTOCOL");
	const char *allow = config_get(g, "protocol.file.allow");

	if (url[0] != '/' && url[0] != '.' && !git_starts(url, "file://"))
		return true;
	if (list != NULL)
		return strstr(git_format(g->a, ":%s:", list), ":file:") != NULL;
	if (allow == NULL)
		allow = config_get(g, "protocol.allow");
	return allow != NULL && strcmp(allow, "always") == 0;
}

/* --- cloning --- */

static char *module_dir(struct git *g, const char *name)
{
	return git_format(g->keep, "%s/modules/%s", g->common, name);
}

/* "../" for each directory of a path. */
static char *way_up(struct git *g, const char *path)
{
	struct buf b = buf_in(g->keep);

	for (const char *p = path; p != NULL && *p != '\0'; p = strchr(p, '/')) {
		p += *p == '/';
		buf_puts(&b, "../");
	}
	return buf_cstr(&b);
}

/* The work tree at path and the repository in .git/modules find each other. */
void submodule_connect(struct git *g, const char *name, const char *path)
{
	char *dir = module_dir(g, name);
	char *top = path_join(g->keep, g->work, path);
	const char *shown = git_starts(dir, g->work) ? dir + strlen(g->work) + 1 : NULL;
	char *link = shown != NULL ? git_format(g->keep, "gitdir: %s%s\n", way_up(g, path), shown)
				   : git_format(g->keep, "gitdir: %s\n", dir);
	char *back = shown != NULL ? git_format(g->keep, "%s%s", way_up(g, shown), path) : top;

	if (file_make_dirs(g, top) < 0 ||
	    file_write(g, path_join(g->a, top, ".git"), bytes_of(link), 0666) < 0)
		git_die(g, "could not create work tree dir '%s'", path);
	config_change(g, path_join(g->a, dir, "config"), "core.worktree", back, NULL, CONFIG_SET);
}

/* A directory that is a symbolic link could lead out of the work tree. */
static void refuse_links(struct git *g, const char *path)
{
	struct vfs_stat st;

	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/'))
		if (cmd_lstat(g->c, git_format(g->a, "%.*s", (int)(p - path), path), &st) == 0 &&
		    (st.mode & S_FMT) == S_LNK)
			git_die(g,
				"expected '%s' to be in the work tree, not beyond a symbolic "
				"link",
				path);
}

/* The submodule's repository, without files yet. */
static void clone(struct modules *m, const char *name, const char *path, const char *url)
{
	struct git *g = m->g;
	char *top = path_join(g->keep, g->work, path);
	char *dir = module_dir(g, name);
	const char *words[] = { "clone",
				"--no-checkout",
				m->o.quiet ? "-q" : "--",
				m->o.quiet ? "--" : url,
				m->o.quiet ? url : top,
				m->o.quiet ? top : NULL,
				NULL };
	bool ok;

	refuse_links(g, path);
	if (file_exists(g, dir)) {
		submodule_connect(g, name, path);
		return;
	}
	if (!is_allowed(g, url)) {
		if (!m->o.quiet)
			git_say(g, "Cloning into '%s'...\n", top);
		git_say(g, "fatal: transport 'file' not allowed\n");
		ok = false;
	} else {
		ok = run_git(m, NULL, words) == 0;
	}
	if (!ok)
		git_die(g, "clone of '%s' into submodule path '%s' failed", url, top);
	if (file_make_parents(g, dir) < 0 ||
	    cmd_rename(g->c, CMD_CWD, path_join(g->a, top, ".git"), CMD_CWD, dir, 0) < 0)
		git_die(g, "could not create directory '%s'", dir);
	submodule_connect(g, name, path);
}

/* --- status --- */

/* What describe says of the commit, as " (v1)"; nothing where it knows no name. */
static char *described(struct modules *m, const struct module *mod, const struct oid *o)
{
	struct git *g = m->g;
	struct buf b = buf_in(g->keep);
	struct bytes out;
	static const char *const ways[] = { "", "--tags", "--contains", "--all --always" };

	buf_puts(&b, "cd ");
	git_quote_shell(&b, path_join(g->a, g->work, mod->path));
	buf_puts(&b, " || exit; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; ");
	for (size_t i = 0; i < 4; i++)
		buf_printf(&b, "%sgit describe %s %s 2> /dev/null", i > 0 ? " || " : "", ways[i],
			   oid_hex(g, o));
	if (git_filter(g, g->keep, buf_cstr(&b), BYTES(""), &out) != 0)
		return arena_dup(g->keep, BYTES(""));
	out = git_trim(out);
	return git_format(g->keep, " (%.*s)", (int)out.len, out.ptr);
}

static void put_status(struct modules *m, const struct module *mod)
{
	struct git *g = m->g;
	struct git *sub = mod->name != NULL && is_active(g, mod) ? open_module(g, mod) : NULL;
	const char *path = shown_path(m, mod->path);
	struct oid o = mod->oid;
	char sign = ' ';

	if (mod->unmerged) {
		git_printf(g, "U%s %s\n", oid_hex(g, &oid_null), path);
		return;
	}
	if (sub == NULL) {
		git_printf(g, "-%s %s\n", oid_hex(g, &o), path);
		return;
	}
	if (head_oid(sub, &o) && !oid_eq(&o, &mod->oid))
		sign = '+';
	if (m->o.cached)
		o = mod->oid;
	git_printf(g, "%c%s %s%s\n", sign, oid_hex(g, &o), path, described(m, mod, &o));
}

static int status(struct modules *m, struct args *args)
{
	const char *again[] = { "submodule", "status", "--recursive",
				m->o.cached ? "--cached" : NULL, NULL };

	load(m, args);
	for (size_t i = 0; i < m->n; i++) {
		need_section(m->g, &m->at[i]);
		if (!m->o.quiet)
			put_status(m, &m->at[i]);
		if (m->o.recursive && open_module(m->g, &m->at[i]) != NULL &&
		    run_git(m, m->at[i].path, again) != 0)
			return 1;
	}
	return 0;
}

/* --- init, deinit, sync --- */

/* Known from now on: its URL is in the configuration. */
static void register_module(struct modules *m, const struct module *mod)
{
	struct git *g = m->g;
	const char *key;
	char *url;

	need_section(g, mod);
	key = module_key(g, mod->name, "active");
	if (!is_active(g, mod))
		config_change(g, config_local_path(g), key, "true", NULL, CONFIG_SET);
	key = module_key(g, mod->name, "url");
	if (config_get(g, key) != NULL)
		return;
	if (mod->url == NULL)
		git_die(g, "No url found for submodule path '%s' in .gitmodules", mod->path);
	url = resolve_url(g, mod->url);
	config_change(g, config_local_path(g), key, url, NULL, CONFIG_SET);
	if (!m->o.quiet)
		git_say(g, "Submodule '%s' (%s) registered for path '%s'\n", mod->name, url,
			shown_path(m, mod->path));
}

/* New keys are seen; what was said with -c stays. */
static void reload_config(struct git *g)
{
	g->config->loaded = false;
	config_load(g);
}

static int init(struct modules *m, struct args *args)
{
	load(m, args);
	for (size_t i = 0; i < m->n; i++)
		register_module(m, &m->at[i]);
	return 0;
}

static int sync_urls(struct modules *m, struct args *args)
{
	struct git *g = m->g;

	load(m, args);
	for (size_t i = 0; i < m->n; i++) {
		const struct module *mod = &m->at[i];
		const char *words[] = { "config", "remote.origin.url", NULL, NULL };
		const char *again[] = { "submodule", "sync", "--recursive", NULL };

		need_section(g, mod);
		if (!is_active(g, mod) || mod->url == NULL)
			continue;
		if (!m->o.quiet)
			git_printf(g, "Synchronizing submodule url for '%s'\n",
				   shown_path(m, mod->path));
		words[2] = resolve_url(g, mod->url);
		config_change(g, config_local_path(g), module_key(g, mod->name, "url"), words[2],
			      NULL, CONFIG_SET);
		if (open_module(g, mod) == NULL)
			continue;
		run_git(m, mod->path, words);
		if (m->o.recursive)
			run_git(m, mod->path, again);
	}
	return 0;
}

/* The section of the one submodule that is named. */
static const struct module *named(struct modules *m, struct args *args)
{
	args->argc = 1;
	load(m, args);
	if (m->n != 1)
		git_die(m->g, "no submodule mapping found in .gitmodules for path '%s'",
			args->argv[0]);
	need_section(m->g, &m->at[0]);
	return &m->at[0];
}

static int set_branch(struct modules *m, struct args *args)
{
	struct git *g = m->g;
	char *file = path_join(g->keep, g->work, ".gitmodules");
	const char *key;

	if ((m->o.branch == NULL) != m->o.no_branch)
		git_die(g,
			m->o.no_branch ? "options '%s' and '%s' cannot be used together"
				       : "--branch or --default required",
			"--branch", "--default");
	if (args->argc != 1)
		usage(g);
	key = module_key(g, named(m, args)->name, "branch");
	config_change(g, file, key, m->o.branch, NULL, m->o.no_branch ? CONFIG_UNSET : CONFIG_SET);
	return 0;
}

static int set_url(struct modules *m, struct args *args)
{
	struct git *g = m->g;
	char *file = path_join(g->keep, g->work, ".gitmodules");

	if (args->argc != 2)
		usage(g);
	config_change(g, file, module_key(g, named(m, args)->name, "url"), args->argv[1], NULL,
		      CONFIG_SET);
	m->n = 0;
	return sync_urls(m, args);
}

static void forget(struct modules *m, const struct module *mod)
{
	struct git *g = m->g;
	char *top = path_join(g->keep, g->work, mod->path);
	const char *path = shown_path(m, mod->path);
	const char *words[] = { "diff-index", "--quiet", "HEAD", NULL };

	need_section(g, mod);
	if (open_module(g, mod) != NULL && !m->o.force && run_git(m, mod->path, words) != 0)
		git_die(g,
			"Submodule work tree '%s' contains local modifications; use '-f' to "
			"discard them",
			path);
	if (file_is_dir(g, top)) {
		file_remove_tree(g, top);
		if (!m->o.quiet)
			git_printf(g, "Cleared directory '%s'\n", path);
	}
	file_make_dirs(g, top);
	if (config_get(g, module_key(g, mod->name, "url")) == NULL)
		return;
	config_rename_section(g, config_local_path(g),
			      git_format(g->keep, "submodule.%s", mod->name), NULL);
	if (!m->o.quiet)
		git_printf(g, "Submodule '%s' (%s) unregistered for path '%s'\n", mod->name,
			   mod->url, path);
}

static int deinit(struct modules *m, struct args *args)
{
	if (m->o.all && args->argc != 0) {
		git_error(m->g, "pathspec and --all are incompatible");
		usage(m->g);
	}
	if (!m->o.all && args->argc == 0)
		git_die(m->g, "Use '--all' if you really want to deinitialize all submodules");
	load(m, args);
	for (size_t i = 0; i < m->n; i++)
		forget(m, &m->at[i]);
	return 0;
}

/* --- update --- */

/* The commit that the branch has where the submodule comes from. */
static void remote_commit(struct modules *m, const struct module *mod, struct oid *out)
{
	struct git *g = m->g;
	struct config cf = { .n = 0 };
	const char *key = module_key(g, mod->name, "branch");
	const char *branch = config_get(g, key);
	const char *words[] = { "fetch", NULL };
	const struct config_entry *e;

	config_add_file(g, &cf, path_join(g->a, g->work, ".gitmodules"), CONFIG_LOCAL, false, 0);
	e = config_find(g, &cf, key);
	if (branch == NULL && e != NULL)
		branch = e->value;
	if (!m->o.no_fetch && run_git(m, mod->path, words) != 0)
		git_die(g, "Unable to fetch in submodule path '%s'", mod->path);
	char *name = git_format(g->keep, "refs/remotes/origin/%s",
				branch != NULL ? branch : "HEAD");

	if (ref_read(open_module(g, mod), name, out, NULL) < 0)
		git_die(g, "Unable to find current origin/%s revision in submodule path '%s'",
			branch != NULL ? branch : "HEAD", mod->path);
}

static int check_out(struct modules *m, const struct module *mod, bool fresh)
{
	struct git *g = m->g;
	const char *fetch[] = { "fetch", "-q", NULL, NULL, NULL };
	const char *words[] = { "checkout", "-q", m->o.force || fresh ? "-f" : "--detach", NULL,
				NULL };
	struct oid o = mod->oid, head;
	const char *path = shown_path(m, mod->path);

	if (m->o.remote)
		remote_commit(m, mod, &o);
	if (!fresh && !m->o.force && head_oid(open_module(g, mod), &head) && oid_eq(&head, &o))
		return 0;
	words[3] = oid_hex(g, &o);
	if (!object_exists(open_module(g, mod), &o) && !m->o.no_fetch)
		run_git(m, mod->path, fetch);
	if (!object_exists(open_module(g, mod), &o)) {
		fetch[2] = "origin";
		fetch[3] = words[3];
		run_git(m, mod->path, fetch);
	}
	if (run_git(m, mod->path, words) != 0) {
		git_say(g, "fatal: Unable to checkout '%s' in submodule path '%s'\n", words[3],
			path);
		return 1;
	}
	if (!m->o.quiet)
		git_printf(g, "Submodule path '%s': checked out '%s'\n", path, words[3]);
	return 0;
}

/* Whether it is to be left as it is: "update = none". */
static bool is_skipped(struct modules *m, const struct module *mod)
{
	struct git *g = m->g;
	const char *how = config_get(g, module_key(g, mod->name, "update"));

	how = how != NULL ? how : mod->how;
	if (how == NULL || strcmp(how, "checkout") == 0)
		return false;
	if (strcmp(how, "none") != 0)
		git_refuse(g, git_format(g->a, "submodule.%s.update=%s", mod->name, how));
	return true;
}

static int update(struct modules *m, struct args *args)
{
	struct git *g = m->g;
	const char *again[] = { "submodule", "update", "--recursive", m->o.init ? "--init" : NULL,
				NULL };
	bool *fresh;
	int status = 0;

	load(m, args);
	fresh = arena_array(g->keep, m->n + 1, sizeof(bool));
	for (size_t i = 0; m->o.init && i < m->n; i++)
		register_module(m, &m->at[i]);
	reload_config(g);
	for (size_t i = 0; i < m->n; i++) {
		const struct module *mod = &m->at[i];
		const char *url;

		need_section(g, mod);
		if (!is_active(g, mod))
			continue;
		if (is_skipped(m, mod)) {
			git_say(g, "Skipping submodule '%s'\n", shown_path(m, mod->path));
			continue;
		}
		if (open_module(g, mod) != NULL)
			continue;
		url = config_get(g, module_key(g, mod->name, "url"));
		clone(m, mod->name, mod->path,
		      url != NULL ? url : resolve_url(g, mod->url != NULL ? mod->url : ""));
		fresh[i] = true;
	}
	for (size_t i = 0; i < m->n; i++) {
		if (!is_active(g, &m->at[i]) || is_skipped(m, &m->at[i]))
			continue;
		if (check_out(m, &m->at[i], fresh[i]) != 0 ||
		    (m->o.recursive && run_git(m, m->at[i].path, again) != 0))
			status = 1;
	}
	return status;
}

/* --- add --- */

static void stage_module(struct modules *m, const char *name, const char *path, const char *url)
{
	struct git *g = m->g;
	char *file = path_join(g->keep, g->work, ".gitmodules");
	const char *add[] = { "add", "--force", "--", ".gitmodules", NULL };
	struct git *sub = repo_open(g, path_join(g->keep, g->work, path));
	struct index *x = index_get(g);
	struct oid o;

	if (sub == NULL || !head_oid(sub, &o))
		git_die(g, "Failed to add submodule '%s'", path);
	index_put(x, path, MODE_GITLINK, &o);
	x->dirty = true;
	index_write(g, x);
	config_change(g, file, module_key(g, name, "path"), path, NULL, CONFIG_SET);
	config_change(g, file, module_key(g, name, "url"), url, NULL, CONFIG_SET);
	if (m->o.branch != NULL)
		config_change(g, file, module_key(g, name, "branch"), m->o.branch, NULL,
			      CONFIG_SET);
	if (run_git(m, NULL, add) != 0)
		git_die(g, "Failed to register submodule '%s'", path);
}

static char *name_of_url(struct git *g, const char *url)
{
	struct bytes s = bytes_of(url);

	while (s.len > 0 && s.ptr[s.len - 1] == '/')
		s.len--;
	if (bytes_ends(s, BYTES("/.git")))
		s.len -= 5;
	if (bytes_ends(s, BYTES(".git")))
		s.len -= 4;
	for (size_t i = s.len; i > 0; i--)
		if (s.ptr[i - 1] == '/' || s.ptr[i - 1] == ':')
			return git_format(g->keep, "%.*s", (int)(s.len - i), s.ptr + i);
	return arena_dup(g->keep, s);
}

static int add(struct modules *m, struct args *args)
{
	struct git *g = m->g;
	const char *checkout[] = { "checkout", "-f", "-q", NULL, NULL, NULL, NULL };
	const char *url, *real, *name;
	char *path, *top;

	if (args->argc < 1 || args->argc > 2)
		usage(g);
	url = args->argv[0];
	path = path_in_work(g, args->argc == 2 ? args->argv[1] : name_of_url(g, url));
	while (git_ends(path, "/"))
		path[strlen(path) - 1] = '\0';
	name = m->o.name != NULL ? m->o.name : path;
	if (!path_safe(name))
		git_die(g, "'%s' is not a valid submodule name", name);
	if (index_has(index_get(g), path))
		git_die(g, "'%s' already exists in the index", path);
	if (!git_starts(url, "./") && !git_starts(url, "../") && url[0] != '/' &&
	    strchr(url, ':') == NULL)
		git_die(g, "repo URL: '%s' must be absolute or begin with ./|../", url);
	real = resolve_url(g, url);
	top = path_join(g->keep, g->work, path);
	if (file_exists(g, path_join(g->a, top, ".git"))) {
		git_say(g, "Adding existing repo at '%s' to the index\n", path);
	} else if (file_exists(g, top) && !m->o.force && !file_is_dir(g, top)) {
		git_die(g, "'%s' already exists and is not a valid git repo", path);
	} else {
		if (file_exists(g, module_dir(g, name)) && !m->o.force)
			git_refuse(g, "submodule add of what is in .git/modules already");
		clone(m, name, path, real);
		if (m->o.branch != NULL) {
			checkout[3] = "-B";
			checkout[4] = m->o.branch;
			checkout[5] = git_format(g->keep, "origin/%s", m->o.branch);
		}
		if (run_git(m, path, checkout) != 0)
			git_die(g, "unable to checkout submodule '%s'", path);
	}
	config_change(g, config_local_path(g), module_key(g, name, "url"), real, NULL, CONFIG_SET);
	config_change(g, config_local_path(g), module_key(g, name, "active"), "true", NULL,
		      CONFIG_SET);
	stage_module(m, name, path, url);
	return 0;
}

/* --- foreach --- */

static int run_in(struct modules *m, const struct module *mod, char **argv)
{
	struct git *g = m->g;
	struct env e;
	int status;

	sub_env(m, &e, NULL);
	env_put(&e, git_format(g->keep, "name=%s", mod->name));
	env_put(&e, git_format(g->keep, "sm_path=%s", mod->path));
	env_put(&e, git_format(g->keep, "path=%s", mod->path));
	env_put(&e, git_format(g->keep, "displaypath=%s", shown_path(m, mod->path)));
	env_put(&e, git_format(g->keep, "sha1=%s", oid_hex(g, &mod->oid)));
	env_put(&e, git_format(g->keep, "toplevel=%s", g->work));
	if (cmd_chdir(g->c, path_join(g->a, g->work, mod->path)) < 0)
		return 1;
	status = git_spawn_shell(g, argv[0], argv + 1, e.list);
	cmd_chdir(g->c, g->work);
	return status;
}

static int foreach (struct modules *m, struct args * args)
{
	struct git *g = m->g;
	struct args none = { 0, NULL, -1 };
	const char *again[24] = { "submodule", "foreach", "--recursive" };
	int n = 3;

	if (args->argc == 0)
		usage(g);
	if (m->o.quiet)
		again[n++] = "--quiet";
	for (int i = 0; i < args->argc && n < 22; i++)
		again[n++] = args->argv[i];
	load(m, &none);
	for (size_t i = 0; i < m->n; i++) {
		const struct module *mod = &m->at[i];
		const char *path = shown_path(m, mod->path);

		need_section(g, mod);
		if (open_module(g, mod) == NULL)
			continue;
		if (!m->o.quiet)
			git_printf(g, "Entering '%s'\n", path);
		if (run_in(m, mod, args->argv) != 0)
			git_die(g, "run_command returned non-zero status for %s\n.", path);
		if (m->o.recursive && run_git(m, mod->path, again) != 0)
			git_die(g,
				"run_command returned non-zero status while recursing in the "
				"nested submodules of %s\n.",
				path);
	}
	return 0;
}

/* --- the command --- */

static const struct git_option sub_options[] = {
	GIT_FLAG('q', "quiet", struct sub_opts, quiet),
	GIT_FLAG(0, "cached", struct sub_opts, cached),
	GIT_FLAG(0, "recursive", struct sub_opts, recursive),
	GIT_FLAG(0, "init", struct sub_opts, init),
	GIT_FLAG('f', "force", struct sub_opts, force),
	GIT_FLAG(0, "remote", struct sub_opts, remote),
	GIT_FLAG('N', "no-fetch", struct sub_opts, no_fetch),
	GIT_FLAG(0, "all", struct sub_opts, all),
	GIT_STR('b', "branch", struct sub_opts, branch),
	GIT_FLAG('d', "default", struct sub_opts, no_branch),
	GIT_STR(0, "name", struct sub_opts, name),
	GIT_CALL(0, "checkout", git_opt_taken),
	GIT_MISSING(0, "merge"),
	GIT_MISSING(0, "rebase"),
	GIT_MISSING_ARG(0, "reference"),
	GIT_MISSING_ARG(0, "depth"),
	GIT_MISSING_ARG(0, "filter"),
	GIT_END(),
};

int git_cmd_submodule(struct git *g, struct args *args)
{
	static const struct {
		const char *name;
		int (*run)(struct modules *m, struct args *args);
	} commands[] = { { "add", add },        { "status", status },
			 { "init", init },      { "sync", sync_urls },
			 { "update", update },  { "foreach", foreach },
			 { "deinit", deinit },  { "set-branch", set_branch },
			 { "set-url", set_url } };
	static const char *const missing[] = { "summary", "absorbgitdirs" };
	struct modules m = { .g = g, .above = cmd_getenv(g->c, SUB_ABOVE) };
	int (*run)(struct modules * m, struct args * args) = status;
	struct git_parser p = { sub_options, &m.o, sub_usage, GIT_STOP_AT_OPERAND, NULL };

	m.above = m.above != NULL ? m.above : "";
	git_parse(g, args, &p);
	if (args->argc == 0)
		return status(&m, args);
	const char *name = args->argv[0];

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (strcmp(name, missing[i]) == 0)
			git_refuse(g, git_format(g->a, "submodule %s", name));
	run = NULL;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			run = commands[i].run;
	if (run == NULL)
		usage(g);
	args->argv++;
	args->argc--;
	/* The command of foreach has options of its own. */
	p.flags = run == foreach ? GIT_STOP_AT_OPERAND : 0;
	git_parse(g, args, &p);
	return run(&m, args);
}
