/* SPDX-License-Identifier: MIT
 *
 * git clone: of repositories on this machine.
 *
 * By path the objects are linked as they are; by file:// those that are reached are packed.
 */
#include "builtins/git/checkout.h"
#include "builtins/git/merge.h"
#include "builtins/git/sparse.h"
#include "builtins/git/transport.h"

struct clone_opts {
	bool sparse, quiet, verbose, no_checkout, bare, mirror, local, no_hardlinks, shared,
		no_tags, recurse, progress;
	int single; /* -1: not said */
	int depth;
	const char *depth_text;
	const char *branch;
	const char *origin;
	const char *upload;
	const char *template;
	const char *jobs;
	struct names config;
};

static int set_single(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct clone_opts *)opts)->single = !unset;
	return 0;
}

static int set_tags(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct clone_opts *)opts)->no_tags = unset;
	return 0;
}

static int set_hardlinks(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct clone_opts *)opts)->no_hardlinks = unset;
	return 0;
}

static const struct git_option clone_options[] = {
	GIT_FLAG('v', "verbose", struct clone_opts, verbose),
	GIT_FLAG('q', "quiet", struct clone_opts, quiet),
	GIT_FLAG(0, "progress", struct clone_opts, progress),
	GIT_FLAG('n', "no-checkout", struct clone_opts, no_checkout),
	GIT_FLAG(0, "bare", struct clone_opts, bare),
	GIT_FLAG(0, "mirror", struct clone_opts, mirror),
	GIT_FLAG('l', "local", struct clone_opts, local),
	GIT_CALL(0, "hardlinks", set_hardlinks),
	GIT_FLAG('s', "shared", struct clone_opts, shared),
	GIT_FLAG(0, "recursive", struct clone_opts, recurse),
	GIT_FLAG(0, "recurse-submodules", struct clone_opts, recurse),
	GIT_STR('j', "jobs", struct clone_opts, jobs),
	GIT_STR(0, "template", struct clone_opts, template),
	GIT_MISSING_ARG(0, "reference"),
	GIT_MISSING_ARG(0, "reference-if-able"),
	GIT_MISSING(0, "dissociate"),
	GIT_STR('o', "origin", struct clone_opts, origin),
	GIT_STR('b', "branch", struct clone_opts, branch),
	GIT_STR('u', "upload-pack", struct clone_opts, upload),
	GIT_STR(0, "depth", struct clone_opts, depth_text),
	GIT_MISSING_ARG(0, "shallow-since"),
	GIT_MISSING_ARG(0, "shallow-exclude"),
	GIT_CALL(0, "single-branch", set_single),
	GIT_CALL(0, "tags", set_tags),
	GIT_MISSING_ARG(0, "separate-git-dir"),
	GIT_LIST('c', "config", struct clone_opts, config),
	GIT_MISSING_ARG(0, "filter"),
	GIT_FLAG(0, "sparse", struct clone_opts, sparse),
	GIT_END(),
};
static const char *const clone_usage[] = { "git clone [<options>] [--] <repo> [<dir>]", NULL };

struct cloning {
	struct git *g;
	struct clone_opts o;
	struct git *from;
	struct git *to;
	const char *url; /* as it is remembered */
	const char *dir;
	char *dir_full;
	bool by_path;
	bool made_dir;
	struct ref *refs; /* what is offered */
	size_t nrefs;
	struct ref *kept; /* as they are called here */
	size_t nkept;
	char *branch; /* "refs/heads/x" or "refs/tags/x" there: what is checked out; NULL: HEAD */
	bool unborn;
	struct oid head;
	bool detached;
};

/* --- names --- */

/* "path/x.git/" as "x"; "x.bundle" too. */
static char *guess_dir(struct git *g, const char *url, bool bare, bool bundle)
{
	const char *from = url;
	const char *scheme = strstr(url, "://");
	size_t n;

	if (scheme != NULL)
		from = scheme + 3;
	n = strlen(from);
	while (n > 0 && (from[n - 1] == '/' || byte_is_space((unsigned char)from[n - 1])))
		n--;
	if (n > 5 && strncmp(from + n - 5, "/.git", 5) == 0)
		for (n -= 5; n > 0 && from[n - 1] == '/';)
			n--;
	size_t start = n;

	while (start > 0 && from[start - 1] != '/' && from[start - 1] != ':')
		start--;
	if (n - start > 4 && strncmp(from + n - 4, ".git", 4) == 0)
		n -= 4;
	else if (bundle && n - start > 7 && strncmp(from + n - 7, ".bundle", 7) == 0)
		n -= 7;
	if (n == start)
		git_die(g, "No directory name could be guessed.\n"
			   "Please specify a directory on the command line");
	return git_format(g->keep, "%.*s%s", (int)(n - start), from + start, bare ? ".git" : "");
}

static bool empty_dir(struct git *g, const char *path)
{
	struct vfs_dirent *list;
	size_t n;

	return cmd_list(g->c, CMD_CWD, path, g->a, &list, &n) >= 0 && n == 0;
}

static void find_source(struct cloning *k, const char *url)
{
	struct git *g = k->g;

	k->url = url;
	if (remote_is_url(url) && !file_exists(g, path_join(g->a, g->start, url)))
		return;
	k->from = repo_open(g, url);
	k->by_path = k->from != NULL;
	if (k->from == NULL && bundle_is(g, path_join(g->a, g->start, url)))
		k->from = bundle_open(g, path_join(g->keep, g->start, url), url);
	if (k->from == NULL)
		git_die(g, "repository '%s' does not exist", url);
	if (url[0] != '/')
		k->url = git_format(g->keep, "%s/%s", g->start, url);
}

/* --- objects --- */

static void link_file(struct cloning *k, const char *from, const char *to)
{
	struct git *g = k->g;
	struct arena_mark mark = arena_mark(g->a);
	struct bytes data;
	int err;

	if (file_exists(g, to))
		return;
	err = k->o.no_hardlinks ? -1 : cmd_link(g->c, CMD_CWD, from, CMD_CWD, to, false);
	if (err < 0) {
		err = file_read(g, g->a, from, &data);
		if (err >= 0)
			err = file_write(g, to, data, 0444);
	}
	if (err < 0)
		git_die_errno(g, err, "failed to copy file to '%s'", to);
	arena_release(g->a, mark);
}

/* All files below objects/, as they are. */
static void link_objects(struct cloning *k)
{
	struct git *g = k->g;
	const char *from = k->from->odb->dirs.at[0];
	const char *to = k->to->odb->dirs.at[0];
	struct walk *w = walk_new(g->c, from, 0);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		const char *name = e->path + strlen(from);
		char *target = git_format(g->a, "%s%s", to, name);

		cmd_charge(g->c, 4);
		if (e->kind == WALK_DIR && e->level > 0)
			cmd_mkdir(g->c, CMD_CWD, target, 0777);
		if (e->kind != WALK_FILE || strcmp(name, "/info/alternates") == 0)
			continue;
		if ((e->st.mode & S_FMT) == S_LNK)
			git_die(g, "symlink '%s' exists, refusing to clone", e->path);
		link_file(k, arena_dup(g->a, bytes_of(e->path)), target);
	}
	walk_free(w);
}

static void write_alternates(struct cloning *k, size_t first)
{
	struct git *g = k->g;
	struct buf b = buf_in(g->a);
	char *path = path_join(g->a, k->to->odb->dirs.at[0], "info/alternates");

	for (size_t i = first; i < k->from->odb->dirs.n; i++) {
		buf_printf(&b, "%s\n", k->from->odb->dirs.at[i]);
		names_add(g, &k->to->odb->dirs, k->from->odb->dirs.at[i]);
	}
	if (b.len != 0 && file_write(g, path, buf_bytes(&b), 0666) < 0)
		git_die(g, "unable to write '%s'", path);
}

static void copy_objects(struct cloning *k)
{
	struct git *g = k->g;
	struct copying t = { .from = k->from, .to = k->to, .depth = k->o.depth, .keep_pack = true };
	struct oid *want = arena_array(g->keep, k->nkept + 1, sizeof(*want));

	for (size_t i = 0; i < k->nkept; i++)
		want[i] = k->kept[i].oid;
	if (k->detached)
		want[k->nkept] = k->head;
	if (!k->by_path) {
		transport_copy(&t, want, k->nkept + (k->detached ? 1 : 0));
		return;
	}
	if (k->o.shared) {
		write_alternates(k, 0);
	} else {
		link_objects(k);
		write_alternates(k, 1);
	}
	if (k->from->shallow.n != 0) {
		k->to->shallow = k->from->shallow;
		shallow_write(k->to);
	}
}

/* --- references --- */

static const struct ref *offered(const struct cloning *k, const char *name)
{
	git_charge_search(k->g, k->nrefs, name);
	for (size_t i = 0; i < k->nrefs; i++)
		if (strcmp(k->refs[i].name, name) == 0)
			return &k->refs[i];
	return NULL;
}

/* What will be checked out: the branch asked for, or what HEAD is there. */
static void choose_head(struct cloning *k)
{
	struct git *g = k->g;
	const struct ref *r = offered(k, "HEAD");
	char *target;

	if (k->o.branch != NULL) {
		char *name = git_format(g->keep, "refs/heads/%s", k->o.branch);

		r = offered(k, name);
		if (r == NULL)
			r = offered(k, name = git_format(g->keep, "refs/tags/%s", k->o.branch));
		if (r == NULL)
			git_die(g, "Remote branch %s not found in upstream %s", k->o.branch,
				k->o.origin);
		k->branch = name;
		k->detached = git_starts(name, "refs/tags/");
		if (!object_peel(k->from, &r->oid, OBJECT_COMMIT, &k->head))
			k->head = r->oid;
		return;
	}
	target = remote_head(k->from);
	k->unborn = r == NULL;
	if (target != NULL && git_starts(target, "refs/heads/"))
		k->branch = arena_dup(g->keep, bytes_of(target));
	else
		k->detached = r != NULL;
	if (r != NULL)
		k->head = r->oid;
}

static void keep_ref(struct cloning *k, const char *name, const struct oid *o)
{
	k->kept[k->nkept++] = (struct ref){ .name = arena_dup(k->g->keep, bytes_of(name)),
					    .oid = *o };
}

static void choose_refs(struct cloning *k)
{
	struct git *g = k->g;
	const char *base = k->o.bare ? "refs/heads/"
				     : git_format(g->keep, "refs/remotes/%s/", k->o.origin);

	k->kept = arena_array(g->keep, k->nrefs + 1, sizeof(*k->kept));
	for (size_t i = 0; i < k->nrefs; i++) {
		const struct ref *r = &k->refs[i];
		bool chosen = k->branch != NULL && strcmp(r->name, k->branch) == 0;

		if (strcmp(r->name, "HEAD") == 0)
			continue;
		if (k->o.mirror)
			keep_ref(k, r->name, &r->oid);
		else if (git_starts(r->name, "refs/heads/") && (k->o.single != 1 || chosen))
			keep_ref(k, git_format(g->a, "%s%s", base, r->name + 11), &r->oid);
		else if (git_starts(r->name, "refs/tags/") &&
			 (chosen || (k->o.single != 1 && !k->o.no_tags)))
			keep_ref(k, r->name, &r->oid);
	}
}

/* With --single-branch tags follow whose objects have come. */
static void follow_tags(struct cloning *k)
{
	if (k->o.single != 1 || k->o.no_tags || k->o.mirror)
		return;
	for (size_t i = 0; i < k->nrefs; i++) {
		const struct ref *r = &k->refs[i];
		struct oid peeled;

		if (!git_starts(r->name, "refs/tags/") || ref_exists(k->to, r->name) ||
		    !object_peel(k->from, &r->oid, OBJECT_NONE, &peeled) ||
		    !object_exists(k->to, &peeled))
			continue;
		object_copy(k->from, k->to, &r->oid);
		ref_update(k->to, r->name, &r->oid, NULL, NULL, false);
	}
}

static void set_config(struct cloning *k, const char *key, const char *value)
{
	config_change(k->g, path_join(k->g->a, k->to->dir, "config"),
		      git_format(k->g->a, "%s", key), value, NULL, CONFIG_ADD);
}

static void write_remote(struct cloning *k)
{
	struct git *g = k->g;
	const char *name = k->o.origin;
	char *fetch = git_format(g->a, "+refs/heads/*:refs/remotes/%s/*", name);

	for (size_t i = 0; i < k->o.config.n; i++) {
		char *text = arena_dup(g->a, bytes_of(k->o.config.at[i]));
		char *equal = strchr(text, '=');

		if (equal != NULL)
			*equal++ = '\0';
		if (config_key(g, g->a, text) == NULL)
			git_exit(g, GIT_STATUS_FATAL);
		set_config(k, text, equal != NULL ? equal : "true");
	}
	set_config(k, git_format(g->a, "remote.%s.url", name), k->url);
	if (k->o.mirror) {
		set_config(k, git_format(g->a, "remote.%s.fetch", name), "+refs/*:refs/*");
		set_config(k, git_format(g->a, "remote.%s.mirror", name), "true");
	} else if (k->o.single == 1 && k->branch != NULL && !k->unborn) {
		const char *tail = ref_short(g, k->branch);

		fetch = k->detached ? git_format(g->a, "+refs/tags/%s:refs/tags/%s", tail, tail)
				    : git_format(g->a, "+refs/heads/%s:refs/remotes/%s/%s", tail,
						 name, tail);
	}
	if (!k->o.bare && (k->o.single != 1 || k->branch != NULL))
		set_config(k, git_format(g->a, "remote.%s.fetch", name), fetch);
	if (k->o.no_tags)
		set_config(k, git_format(g->a, "remote.%s.tagopt", name), "--no-tags");
	config_reload(k->to);
}

/* HEAD, the branch it stands for, and what the remote's own HEAD is. */
static void write_heads(struct cloning *k)
{
	struct git *g = k->g;
	struct git *to = k->to;
	char *message = git_format(g->keep, "clone: from %s", k->url);
	char *there = remote_head(k->from);
	const char *tail = k->branch != NULL ? ref_short(g, k->branch) : NULL;

	if (!k->o.bare && there != NULL && git_starts(there, "refs/heads/")) {
		char *name = git_format(g->keep, "refs/remotes/%s/%s", k->o.origin, there + 11);

		if (ref_exists(to, name))
			ref_set_symbolic(to, git_format(g->a, "refs/remotes/%s/HEAD", k->o.origin),
					 name, message);
	}
	if (k->detached) {
		file_write(g, path_join(g->a, to->dir, "HEAD"),
			   bytes_of(git_format(g->a, "%s\n", oid_hex(g, &k->head))), 0666);
		if (!k->o.bare)
			reflog_add(to, "HEAD", &oid_null, &k->head, message);
		return;
	}
	if (k->branch == NULL)
		return;
	file_write(g, path_join(g->a, to->dir, "HEAD"),
		   bytes_of(git_format(g->a, "ref: %s\n", k->branch)), 0666);
	if (k->o.bare)
		return;
	if (!k->unborn)
		ref_update(to, "HEAD", &k->head, NULL, message, false);
	set_config(k, git_format(g->a, "branch.%s.remote", tail), k->o.origin);
	set_config(k, git_format(g->a, "branch.%s.merge", tail), k->branch);
	config_reload(to);
}

/* --- the work tree --- */

static int check_out(struct cloning *k)
{
	struct git *g = k->g;
	struct git *to = k->to;
	struct oid tree;

	if (k->o.bare || k->o.no_checkout || k->unborn)
		return 0;
	if (cmd_chdir(g->c, k->dir_full) < 0)
		git_die(g, "cannot chdir to %s", k->dir_full);
	if (k->detached && !k->o.quiet)
		checkout_say_detached(to, oid_hex(g, &k->head));
	if (!tree_of(to, &k->head, &tree))
		git_die(g, "unable to read tree %s", oid_hex(g, &k->head));
	if (k->o.sparse)
		sparse_begin(to);
	work_reset(to, &tree);
	index_write(to, index_get(to));
	return checkout_hook(to, &oid_null, &k->head, true) != 0;
}

static void make_repository(struct cloning *k)
{
	struct git *g = k->g;
	char *dir = k->o.bare ? k->dir_full : path_join(g->keep, k->dir_full, ".git");
	const char *branch = config_get(g, "init.defaultbranch");
	int err = file_make_dirs(g, k->dir_full);

	if (err < 0 && err != -E_EXIST)
		git_die_errno(g, err, "could not create work tree dir '%s'", k->dir);
	repo_create(g, dir, NULL, k->o.bare, branch != NULL ? branch : "master");
	k->to = repo_open(g, k->dir_full);
	if (k->to == NULL)
		git_die(g, "cannot open '%s'", k->dir_full);
	k->to->work = k->o.bare ? NULL : k->dir_full;
	k->to->start = k->dir_full;
	k->to->command = g->command;
}

/* --recurse-submodules: all that the commit names are known and cloned as well. */
static int update_submodules(struct cloning *k)
{
	struct git *g = k->g;
	char *words[] = { arena_dup(g->keep, BYTES("git")),
			  arena_dup(g->keep, BYTES("-C")),
			  k->dir_full,
			  arena_dup(g->keep, BYTES("submodule")),
			  arena_dup(g->keep, BYTES("update")),
			  arena_dup(g->keep, BYTES("--init")),
			  arena_dup(g->keep, BYTES("--recursive")),
			  k->o.quiet ? arena_dup(g->keep, BYTES("-q")) : NULL,
			  NULL };

	if (k->o.bare || k->o.no_checkout)
		return 0;
	config_change(g, path_join(g->keep, k->to->dir, "config"), "submodule.active", ".", NULL,
		      CONFIG_SET);
	return git_spawn(g, words, NULL, -1, -1);
}

static void settle_options(struct cloning *k, struct args *args)
{
	struct git *g = k->g;
	int64_t depth = 0;

	if (args->argc == 0) {
		git_say(g, "fatal: You must specify a repository to clone.\n\n");
		git_usage(g, clone_usage);
	}
	if (args->argc > 2) {
		git_say(g, "fatal: Too many arguments.\n\n");
		git_usage(g, clone_usage);
	}
	k->o.bare = k->o.bare || k->o.mirror;
	if (k->o.origin == NULL)
		k->o.origin = config_get(g, "clone.defaultremotename");
	if (k->o.origin == NULL)
		k->o.origin = "origin";
	if (!ref_name_valid(git_format(g->a, "refs/remotes/%s/x", k->o.origin)))
		git_die(g, "'%s' is not a valid remote name", k->o.origin);
	if (k->o.depth_text != NULL && (!git_number(k->o.depth_text, &depth) || depth <= 0))
		git_die(g, "depth %s is not a positive number", k->o.depth_text);
	k->o.depth = depth > INT32_MAX ? INT32_MAX : (int)depth;
	if (k->o.single < 0)
		k->o.single = k->o.depth > 0;
}

int git_cmd_clone(struct git *g, struct args *args)
{
	struct cloning k = { .g = g, .o = { .single = -1 } };
	const struct git_parser p = { clone_options, &k.o, clone_usage, 0, NULL };
	struct vfs_stat st;

	git_parse(g, args, &p);
	settle_options(&k, args);
	find_source(&k, args->argv[0]);
	k.dir = args->argc == 2 ? args->argv[1]
				: guess_dir(g, args->argv[0], k.o.bare,
					    k.from != NULL && k.from->bundle != NULL);
	k.dir_full = path_normal(g->keep, path_join(g->a, g->start, k.dir));
	if (k.dir_full == NULL)
		git_die(g, "could not create work tree dir '%s'", k.dir);
	if (cmd_lstat(g->c, k.dir_full, &st) == 0 && !empty_dir(g, k.dir_full))
		git_die(g, "destination path '%s' already exists and is not an empty directory.",
			k.dir);
	if (!k.o.quiet)
		git_say(g, "Cloning into %s'%s'...\n", k.o.bare ? "bare repository " : "", k.dir);
	if (k.from == NULL)
		k.from = remote_open(g, args->argv[0]);
	/* Nothing is here yet: a bundle must be complete. */
	if (k.from->bundle != NULL && !bundle_attach(k.from, g))
		git_die(g, "remote transport reported error");
	if (k.by_path && k.o.depth > 0) {
		git_warn(g, "--depth is ignored in local clones; use file:// instead.");
		k.o.depth = 0;
	}
	k.nrefs = remote_refs(k.from, &k.refs);
	choose_head(&k);
	choose_refs(&k);
	make_repository(&k);
	write_remote(&k);
	copy_objects(&k);
	if (k.nkept != 0)
		ref_add_packed(k.to, k.kept, k.nkept);
	else if (k.nrefs == 0)
		git_warn(g, "You appear to have cloned an empty repository.");
	follow_tags(&k);
	if (k.by_path && !k.o.quiet)
		git_say(g, "done.\n");
	if (k.unborn && k.nrefs != 0)
		git_warn(g, "remote HEAD refers to nonexistent ref, unable to checkout");
	write_heads(&k);
	int status = check_out(&k);

	return status == 0 && k.o.recurse ? update_submodules(&k) : status;
}
