/* SPDX-License-Identifier: MIT
 *
 * git remote.
 */
#include "builtins/git/fetch.h"
#include "builtins/git/ref_format.h"

struct remote_opts {
	bool verbose, fetch, tags, no_tags, push, all, add, delete, auto_, dry_run, no_query, prune;
	const char *master;
	const char *mirror;
	struct names track;
};

static bool is_known(struct git *g, const char *name)
{
	struct names list = { NULL, 0, 0 };

	remote_list(g, &list);
	return names_has(g, &list, name);
}

static int need_known(struct git *g, const char *name)
{
	if (is_known(g, name))
		return 0;
	git_error(g, "No such remote '%s'", name);
	return 2;
}

static char *key_of(struct git *g, const char *name, const char *what)
{
	return git_format(g->keep, "remote.%s.%s", name, what);
}

/* --- the list --- */

static int list_all(struct git *g, bool verbose)
{
	struct names list = { NULL, 0, 0 };

	remote_list(g, &list);
	for (size_t i = 0; i < list.n; i++) {
		struct remote r;

		if (!verbose) {
			git_printf(g, "%s\n", list.at[i]);
			continue;
		}
		remote_get(g, list.at[i], &r);
		git_printf(g, "%s\t%s (fetch)\n%s\t%s (push)\n", list.at[i], r.url, list.at[i],
			   r.push_url);
	}
	return 0;
}

/* --- add, rename, remove --- */

static int set_no_tags(struct git *g, void *opts, const char *arg, bool unset)
{
	struct remote_opts *o = opts;

	(void)g, (void)arg;
	o->tags = !unset;
	o->no_tags = unset;
	return 0;
}

static const struct git_option add_options[] = {
	GIT_FLAG('f', "fetch", struct remote_opts, fetch),
	GIT_CALL(0, "tags", set_no_tags),
	GIT_LIST('t', "track", struct remote_opts, track),
	GIT_STR('m', "master", struct remote_opts, master),
	GIT_STR_MAYBE(0, "mirror", struct remote_opts, mirror),
	GIT_END(),
};
static const char *const add_usage[] = { "git remote add [<options>] <name> <url>", NULL };

static void put_fetch(struct git *g, const char *name, const char *branch, bool mirror)
{
	char *spec = mirror ? git_format(g->a, "+refs/%s:refs/%s", branch, branch)
			    : git_format(g->a, "+refs/heads/%s:refs/remotes/%s/%s", branch, name,
					 branch);

	config_change(g, config_local_path(g), key_of(g, name, "fetch"), spec, NULL, CONFIG_ADD);
}

static int remote_add(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { add_options, o, add_usage, 0, NULL };
	char *config = config_local_path(g);
	const char *name;

	git_parse(g, args, &p);
	if (args->argc != 2)
		git_usage(g, add_usage);
	name = args->argv[0];
	if (is_known(g, name)) {
		git_error(g, "remote %s already exists.", name);
		return 3;
	}
	if (!ref_name_valid(git_format(g->a, "refs/remotes/%s/x", name)))
		git_die(g, "'%s' is not a valid remote name", name);
	config_change(g, config, key_of(g, name, "url"), args->argv[1], NULL, CONFIG_SET);
	if (o->mirror != NULL && strcmp(o->mirror, "push") != 0)
		put_fetch(g, name, "*", true);
	else if (o->mirror == NULL && o->track.n == 0)
		put_fetch(g, name, "*", false);
	for (size_t i = 0; i < o->track.n; i++)
		put_fetch(g, name, o->track.at[i], o->mirror != NULL);
	if (o->mirror != NULL && strcmp(o->mirror, "fetch") != 0)
		config_change(g, config, key_of(g, name, "mirror"), "true", NULL, CONFIG_SET);
	if (o->tags || o->no_tags)
		config_change(g, config, key_of(g, name, "tagopt"),
			      o->tags ? "--tags" : "--no-tags", NULL, CONFIG_SET);
	config_reload(g);
	if (o->fetch) {
		struct fetch_opts f = { .verbose = 0 };

		git_printf(g, "Updating %s\n", name);
		cmd_flush(g->c);
		if (fetch_remote(g, &f, name, NULL, 0, "remote update") != 0)
			return 1;
	}
	if (o->master != NULL)
		ref_set_symbolic(g, git_format(g->a, "refs/remotes/%s/HEAD", name),
				 git_format(g->a, "refs/remotes/%s/%s", name, o->master),
				 "remote add");
	return 0;
}

/* Branches whose upstream is of this remote. */
static void each_branch(struct git *g, const char *name, struct names *out)
{
	git_charge_search(g, g->config->n * 4, name);
	for (size_t i = 0; i < g->config->n; i++) {
		const struct config_entry *e = &g->config->at[i];
		size_t n = strlen(e->key);

		if (git_starts(e->key, "branch.") && git_ends(e->key, ".remote") &&
		    e->value != NULL && strcmp(e->value, name) == 0)
			names_add(g, out, git_format(g->keep, "%.*s", (int)(n - 14), e->key + 7));
	}
}

/* In refspecs of the old name the new one is written. */
static void rename_specs(struct git *g, const char *from, const char *to)
{
	char *config = config_local_path(g);
	char *key = key_of(g, to, "fetch");
	char *part = git_format(g->a, ":refs/remotes/%s/", from);
	struct names specs = { NULL, 0, 0 };

	config_reload(g);
	config_all(g, key, &specs);
	if (specs.n != 0)
		config_change(g, config, key, NULL, NULL, CONFIG_UNSET_ALL);
	for (size_t i = 0; i < specs.n; i++) {
		char *hit = strstr(specs.at[i], part);
		char *text = specs.at[i];

		if (hit != NULL)
			text = git_format(g->a, "%.*s:refs/remotes/%s/%s", (int)(hit - text), text,
					  to, hit + strlen(part));
		config_change(g, config, key, text, NULL, CONFIG_ADD);
	}
}

static void rename_refs(struct git *g, const char *from, const char *to)
{
	char *prefix = git_format(g->keep, "refs/remotes/%s/", from);
	struct ref *list;
	size_t n = ref_list(g, prefix, &list);

	/* Symbolic ones last: they name others. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			char *name = git_format(g->keep, "refs/remotes/%s/%s", to,
						list[i].name + strlen(prefix));
			char *log = git_format(g->a, "remote: renamed %s to %s", list[i].name,
					       name);
			const char *target = list[i].target;

			if ((target != NULL) != (pass == 1))
				continue;
			if (target == NULL) {
				if (!ref_rename(g, list[i].name, name, log))
					git_die(g, "renaming '%s' failed", list[i].name);
				continue;
			}
			ref_delete(g, list[i].name);
			if (git_starts(target, prefix))
				target = git_format(g->a, "refs/remotes/%s/%s", to,
						    target + strlen(prefix));
			ref_set_symbolic(g, name, target, log);
		}
}

static int remote_rename(struct git *g, struct args *args)
{
	static const char *const usage[] = { "git remote rename [--[no-]progress] <old> <new>",
					     NULL };
	const char *from, *to;
	struct names branches = { NULL, 0, 0 };

	if (args->argc != 2)
		git_usage(g, usage);
	from = args->argv[0];
	to = args->argv[1];
	if (!is_known(g, from)) {
		git_error(g, "No such remote: '%s'", from);
		return 2;
	}
	if (is_known(g, to)) {
		git_error(g, "remote %s already exists.", to);
		return 3;
	}
	if (!ref_name_valid(git_format(g->a, "refs/remotes/%s/x", to)))
		git_die(g, "'%s' is not a valid remote name", to);
	each_branch(g, from, &branches);
	config_rename_section(g, config_local_path(g), git_format(g->a, "remote.%s", from),
			      git_format(g->a, "remote.%s", to));
	rename_specs(g, from, to);
	for (size_t i = 0; i < branches.n; i++)
		config_change(g, config_local_path(g),
			      git_format(g->a, "branch.%s.remote", branches.at[i]), to, NULL,
			      CONFIG_SET);
	rename_refs(g, from, to);
	return 0;
}

/* Whether this remote is fetched to that name, and no other one. */
static bool is_only_of(struct git *g, const char *remote, const char *name)
{
	struct names all = { NULL, 0, 0 };
	bool ours = false;

	remote_list(g, &all);
	for (size_t i = 0; i < all.n; i++) {
		struct remote r;

		cmd_charge(g->c, 1);
		remote_get(g, all.at[i], &r);
		if (refspecs_source(g, &r.fetch, name) == NULL)
			continue;
		if (strcmp(all.at[i], remote) != 0)
			return false;
		ours = true;
	}
	return ours;
}

/* Nothing is pushed there any more. */
static void forget_pushes(struct git *g, char *config, const char *remote)
{
	struct names keys = { NULL, 0, 0 };

	for (size_t i = 0; i < g->config->n; i++) {
		const struct config_entry *e = &g->config->at[i];

		if (e->value != NULL && strcmp(e->value, remote) == 0 &&
		    (strcmp(e->key, "remote.pushdefault") == 0 ||
		     (git_starts(e->key, "branch.") && git_ends(e->key, ".pushremote"))))
			names_add(g, &keys, e->key);
	}
	for (size_t i = 0; i < keys.n; i++)
		config_change(g, config, keys.at[i], NULL, NULL, CONFIG_UNSET_ALL);
}

static int remote_remove(struct git *g, struct args *args)
{
	static const char *const usage[] = { "git remote remove <name>", NULL };
	struct names branches = { NULL, 0, 0 };
	char *config = config_local_path(g);
	const char *name;
	struct ref *list;
	size_t n;

	if (args->argc != 1)
		git_usage(g, usage);
	name = args->argv[0];
	if (!is_known(g, name)) {
		git_error(g, "No such remote: '%s'", name);
		return 2;
	}
	each_branch(g, name, &branches);
	for (size_t i = 0; i < branches.n; i++) {
		const char *b = branches.at[i];

		config_change(g, config, git_format(g->a, "branch.%s.remote", b), NULL, NULL,
			      CONFIG_UNSET_ALL);
		config_change(g, config, git_format(g->a, "branch.%s.merge", b), NULL, NULL,
			      CONFIG_UNSET_ALL);
	}
	forget_pushes(g, config, name);
	n = ref_list(g, "refs/remotes/", &list);
	for (size_t i = 0; i < n; i++)
		if (is_only_of(g, name, list[i].name))
			ref_delete_logged(g, list[i].name, NULL, true);
	config_rename_section(g, config, git_format(g->a, "remote.%s", name), NULL);
	return 0;
}

/* --- URLs, branches, HEAD --- */

static const struct git_option url_options[] = {
	GIT_FLAG(0, "push", struct remote_opts, push),
	GIT_FLAG(0, "all", struct remote_opts, all),
	GIT_FLAG(0, "add", struct remote_opts, add),
	GIT_FLAG(0, "delete", struct remote_opts, delete),
	GIT_END(),
};
static const char *const get_url_usage[] = { "git remote get-url [--push] [--all] <name>", NULL };
static const char *const set_url_usage[] = {
	"git remote set-url [--push] <name> <newurl> [<oldurl>]",
	"git remote set-url --add <name> <newurl>", "git remote set-url --delete <name> <url>", NULL
};

static int get_url(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { url_options, o, get_url_usage, 0, NULL };
	struct names urls = { NULL, 0, 0 };
	struct remote r;

	git_parse(g, args, &p);
	if (args->argc != 1)
		git_usage(g, get_url_usage);
	if (need_known(g, args->argv[0]) != 0)
		return 2;
	remote_get(g, args->argv[0], &r);
	if (o->push)
		config_all(g, key_of(g, r.name, "pushurl"), &urls);
	if (!o->all || urls.n == 0) {
		if (urls.n == 0 && o->all)
			config_all(g, key_of(g, r.name, "url"), &urls);
		else
			names_add(g, &urls, o->push ? r.push_url : r.url);
	}
	for (size_t i = 0; i < (o->all ? urls.n : 1); i++)
		git_printf(g, "%s\n", o->all ? urls.at[i] : o->push ? r.push_url : r.url);
	return 0;
}

/* A regular expression that only takes this text. */
static char *exact_pattern(struct git *g, const char *text)
{
	struct buf b = buf_in(g->a);

	buf_putc(&b, '^');
	for (; *text != '\0'; text++) {
		if (strchr(".[]*^$+?(){}|\\", *text) != NULL)
			buf_putc(&b, '\\');
		buf_putc(&b, *text);
	}
	buf_putc(&b, '$');
	return buf_cstr(&b);
}

static int set_url(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { url_options, o, set_url_usage, 0, NULL };
	char *config = config_local_path(g);
	const char *old;
	char *key;
	struct names urls = { NULL, 0, 0 };

	git_parse(g, args, &p);
	if (args->argc < 2 || args->argc > (o->add || o->delete ? 2 : 3))
		git_usage(g, set_url_usage);
	if (need_known(g, args->argv[0]) != 0)
		return 2;
	key = key_of(g, args->argv[0], o->push ? "pushurl" : "url");
	if (o->add) {
		config_change(g, config, key, args->argv[1], NULL, CONFIG_ADD);
		return 0;
	}
	old = o->delete ? args->argv[1] : args->argc == 3 ? args->argv[2] : NULL;
	if (old == NULL) {
		config_change(g, config, key, args->argv[1], NULL, CONFIG_SET);
		return 0;
	}
	config_all(g, key, &urls);
	if (o->delete &&urls.n == 1 && strcmp(urls.at[0], old) == 0 && !o->push)
		git_die(g, "Will not delete all non-push URLs");
	if (!names_has(g, &urls, old))
		git_die(g, "No such URL found: %s", old);
	config_change(g, config, key, o->delete ? NULL : args->argv[1], exact_pattern(g, old),
		      o->delete ? CONFIG_UNSET_ALL : CONFIG_SET);
	return 0;
}

static const struct git_option branches_options[] = {
	GIT_FLAG(0, "add", struct remote_opts, add),
	GIT_END(),
};
static const char *const branches_usage[] = { "git remote set-branches <name> <branch>...",
					      "git remote set-branches --add <name> <branch>...",
					      NULL };

static int set_branches(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { branches_options, o, branches_usage, 0, NULL };

	git_parse(g, args, &p);
	if (args->argc == 0) {
		git_error(g, "no remote specified");
		git_usage(g, branches_usage);
	}
	if (need_known(g, args->argv[0]) != 0)
		return 2;
	if (!o->add)
		config_change(g, config_local_path(g), key_of(g, args->argv[0], "fetch"), NULL,
			      NULL, CONFIG_UNSET_ALL);
	for (int i = 1; i < args->argc; i++)
		put_fetch(g, args->argv[0], args->argv[i], false);
	return 0;
}

static const struct git_option head_options[] = {
	GIT_FLAG('a', "auto", struct remote_opts, auto_),
	GIT_FLAG('d', "delete", struct remote_opts, delete),
	GIT_END(),
};
static const char *const head_usage[] = {
	"git remote set-head <name> (-a | --auto | -d | --delete | <branch>)", NULL
};

/* The branch that the remote's HEAD stands for; NULL: none. */
static const char *head_there(struct git *g, const struct remote *r)
{
	struct git *from = remote_open(g, r->url);
	char *head = from->bundle != NULL ? bundle_head(from) : head_ref(from);
	struct ref *refs;
	size_t n = remote_refs(from, &refs);

	for (size_t i = 0; i < n; i++)
		if (head != NULL && git_starts(head, "refs/heads/") &&
		    strcmp(refs[i].name, head) == 0)
			return arena_dup(g->keep, bytes_of(head + 11));
	return NULL;
}

static int set_head(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { head_options, o, head_usage, 0, NULL };
	const char *branch = NULL;
	char *name;

	git_parse(g, args, &p);
	if (args->argc == 0 || (o->auto_ || o->delete ? args->argc != 1 : args->argc != 2))
		git_usage(g, head_usage);
	name = git_format(g->keep, "refs/remotes/%s/HEAD", args->argv[0]);
	if (o->delete) {
		if (ref_symbolic(g, name) == NULL)
			return git_error(g, "Could not delete %s", name);
		ref_delete(g, name);
		return 0;
	}
	if (o->auto_) {
		struct remote r;

		remote_get(g, args->argv[0], &r);
		branch = head_there(g, &r);
		if (branch == NULL)
			return git_error(g, "Cannot determine remote HEAD");
	} else {
		branch = args->argv[1];
	}
	char *target = git_format(g->keep, "refs/remotes/%s/%s", args->argv[0], branch);

	if (!ref_exists(g, target))
		return git_error(g, "Not a valid ref: %s", target);
	ref_set_symbolic(g, name, target, "remote set-head");
	if (o->auto_)
		git_printf(g, "%s/HEAD set to %s\n", args->argv[0], branch);
	return 0;
}

/* --- show --- */

enum tracked { TRACKED_NEW, TRACKED_YES, TRACKED_STALE };

struct branch_there {
	const char *name;
	enum tracked state;
};

struct showing {
	struct git *g;
	struct remote r;
	struct git *from;
	struct ref *refs;
	size_t n;
};

static size_t widest(const struct names *list)
{
	size_t width = 0;

	for (size_t i = 0; i < list->n; i++)
		if (git_columns(bytes_of(list->at[i])) > width)
			width = git_columns(bytes_of(list->at[i]));
	return width;
}

static void show_branches(struct showing *s)
{
	struct git *g = s->g;
	struct names all = { NULL, 0, 0 };
	struct names states = { NULL, 0, 0 };
	char *prefix = git_format(g->keep, "refs/remotes/%s/", s->r.name);
	struct ref *list;
	size_t n = ref_list(g, prefix, &list);
	size_t width;

	for (size_t i = 0; i < s->n; i++) {
		char *local;

		if (!git_starts(s->refs[i].name, "refs/heads/"))
			continue;
		local = refspecs_map(g, &s->r.fetch, s->refs[i].name, NULL);
		names_add(g, &all, s->refs[i].name + 11);
		names_add(g, &states,
			  local == NULL          ? "skipped"
			  : ref_exists(g, local) ? "tracked"
						 : git_format(g->keep,
							      "new (next fetch will store in "
							      "remotes/%s)",
							      s->r.name));
	}
	for (size_t i = 0; i < n; i++) {
		const char *tail = list[i].name + strlen(prefix);

		if (list[i].target != NULL || names_has(g, &all, tail))
			continue;
		names_add(g, &all, git_format(g->keep, "%s", list[i].name));
		names_add(g, &states, "stale (use 'git remote prune' to remove)");
	}
	if (all.n == 0)
		return;
	git_printf(g, "  Remote branch%s:\n", all.n > 1 ? "es" : "");
	width = widest(&all);
	for (size_t i = 0; i < all.n; i++)
		git_printf(g, "    %-*s %s\n", (int)width, all.at[i], states.at[i]);
}

static void show_pulls(struct showing *s)
{
	struct git *g = s->g;
	struct names list = { NULL, 0, 0 };
	size_t width;

	each_branch(g, s->r.name, &list);
	git_sort(g, list.at, list.n, sizeof(*list.at), git_name_cmp);
	if (list.n == 0)
		return;
	width = widest(&list);
	git_printf(g, "  Local branch%s configured for 'git pull':\n", list.n > 1 ? "es" : "");
	for (size_t i = 0; i < list.n; i++) {
		const char *b = list.at[i];
		const char *merge = config_get(g, git_format(g->a, "branch.%s.merge", b));
		const char *rebase = config_get(g, git_format(g->a, "branch.%s.rebase", b));
		bool on = rebase != NULL && config_truth(rebase) == 1;

		if (merge == NULL)
			continue;
		git_printf(g, "    %-*s %s remote %s\n", (int)width, b,
			   on ? "rebases onto" : "merges with", ref_short(g, merge));
	}
}

static const char *push_state(struct showing *s, const struct oid *mine, const char *name)
{
	struct git *g = s->g;

	for (size_t i = 0; i < s->n; i++) {
		const struct oid *o = &s->refs[i].oid;

		if (strcmp(s->refs[i].name, name) != 0)
			continue;
		if (oid_eq(o, mine))
			return "up to date";
		if (object_exists(g, o) && is_ancestor(g, commit_at(g, o), commit_at(g, mine)))
			return "fast-forwardable";
		return "local out of date";
	}
	return NULL;
}

static void show_pushes(struct showing *s)
{
	struct git *g = s->g;
	struct names names = { NULL, 0, 0 };
	struct names states = { NULL, 0, 0 };
	struct ref *list;
	size_t n = ref_list(g, "refs/heads/", &list);
	size_t width;

	for (size_t i = 0; i < n; i++) {
		const char *state = push_state(s, &list[i].oid, list[i].name);

		if (state == NULL)
			continue;
		names_add(g, &names, list[i].name + 11);
		names_add(g, &states, state);
	}
	if (names.n == 0)
		return;
	width = widest(&names);
	git_printf(g, "  Local ref%s configured for 'git push':\n", names.n > 1 ? "s" : "");
	for (size_t i = 0; i < names.n; i++)
		git_printf(g, "    %-*s pushes to %-*s (%s)\n", (int)width, names.at[i], (int)width,
			   names.at[i], states.at[i]);
}

static int show_one(struct git *g, const char *name, bool no_query)
{
	struct showing s = { .g = g };
	struct names by_name = { NULL, 0, 0 };
	const char *head;

	remote_get(g, name, &s.r);
	if (no_query)
		git_refuse(g, "remote show -n");
	s.from = remote_open(g, s.r.url);
	s.n = remote_refs(s.from, &s.refs);
	names_add(g, &by_name, "refname");
	ref_sort(s.from, s.refs, s.n, &by_name, false);
	head = head_there(g, &s.r);
	git_printf(g, "* remote %s\n  Fetch URL: %s\n  Push  URL: %s\n  HEAD branch: %s\n", name,
		   s.r.configured ? s.r.url : name, s.r.push_url,
		   head != NULL ? head : "(unknown)");
	show_branches(&s);
	show_pulls(&s);
	show_pushes(&s);
	return 0;
}

static const struct git_option show_options[] = {
	GIT_FLAG('n', NULL, struct remote_opts, no_query),
	GIT_FLAG('v', "verbose", struct remote_opts, verbose),
	GIT_END(),
};
static const struct git_option prune_options[] = {
	GIT_FLAG('n', "dry-run", struct remote_opts, dry_run),
	GIT_END(),
};
static const struct git_option update_options[] = {
	GIT_FLAG('p', "prune", struct remote_opts, prune),
	GIT_END(),
};
static const char *const show_usage[] = { "git remote show [<options>] <name>", NULL };
static const char *const prune_usage[] = { "git remote prune [<options>] <name>", NULL };
static const char *const update_usage[] = { "git remote update [<options>] [<group> | <remote>]...",
					    NULL };

static int remote_show(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { show_options, o, show_usage, 0, NULL };

	git_parse(g, args, &p);
	if (args->argc == 0)
		return list_all(g, o->verbose);
	for (int i = 0; i < args->argc; i++)
		show_one(g, args->argv[i], o->no_query);
	return 0;
}

/* --- prune, update --- */

static void prune_one(struct git *g, const char *name, bool dry_run)
{
	struct remote r;
	struct git *from;
	char *prefix = git_format(g->keep, "refs/remotes/%s/", name);
	struct ref *list, *refs;
	size_t n = ref_list(g, prefix, &list), there;
	bool said = false;

	remote_get(g, name, &r);
	from = remote_open(g, r.url);
	there = remote_refs(from, &refs);
	for (size_t i = 0; i < n; i++) {
		bool kept = list[i].target != NULL;

		for (size_t k = 0; k < there && !kept; k++) {
			char *local = refspecs_map(g, &r.fetch, refs[k].name, NULL);

			kept = local != NULL && strcmp(local, list[i].name) == 0;
		}
		if (kept)
			continue;
		if (!said)
			git_printf(g, "Pruning %s\nURL: %s\n", name, r.url);
		said = true;
		if (!dry_run)
			ref_delete(g, list[i].name);
		git_printf(g, " * [%s] %s\n", dry_run ? "would prune" : "pruned",
			   ref_short(g, list[i].name));
	}
}

static int remote_prune(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { prune_options, o, prune_usage, 0, NULL };

	git_parse(g, args, &p);
	if (args->argc == 0)
		git_usage(g, prune_usage);
	for (int i = 0; i < args->argc; i++)
		prune_one(g, args->argv[i], o->dry_run);
	return 0;
}

static int remote_update(struct git *g, struct remote_opts *o, struct args *args)
{
	const struct git_parser p = { update_options, o, update_usage, 0, NULL };
	struct names words = { NULL, 0, 0 };

	git_parse(g, args, &p);
	names_add(g, &words, "fetch");
	if (o->prune)
		names_add(g, &words, "--prune");
	names_add(g, &words, args->argc == 0 ? "--all" : "--multiple");
	for (int i = 0; i < args->argc; i++)
		names_add(g, &words, args->argv[i]);

	char **argv = arena_array(g->keep, words.n + 1, sizeof(*argv));

	memcpy(argv, words.at, words.n * sizeof(*argv));
	argv[words.n] = NULL;
	return git_run(g, (int)words.n, argv);
}

static const char *const remote_usage[] = {
	"git remote [-v | --verbose]",
	"git remote add [-t <branch>] [-m <master>] [-f] [--tags | --no-tags] "
	"[--mirror=<fetch|push>] <name> <url>",
	"git remote rename [--[no-]progress] <old> <new>",
	"git remote remove <name>",
	"git remote set-head <name> (-a | --auto | -d | --delete | <branch>)",
	"git remote [-v | --verbose] show [-n] <name>",
	"git remote prune [-n | --dry-run] <name>",
	"git remote [-v | --verbose] update [-p | --prune] [(<group> | <remote>)...]",
	"git remote set-branches [--add] <name> <branch>...",
	"git remote get-url [--push] [--all] <name>",
	"git remote set-url [--push] <name> <newurl> [<oldurl>]",
	"git remote set-url --add <name> <newurl>",
	"git remote set-url --delete <name> <url>",
	NULL
};

static const struct git_option remote_options[] = {
	GIT_FLAG('v', "verbose", struct remote_opts, verbose),
	GIT_END(),
};

int git_cmd_remote(struct git *g, struct args *args)
{
	struct remote_opts o = { .verbose = false };
	const struct git_parser p = { remote_options, &o, remote_usage, GIT_STOP_AT_OPERAND, NULL };
	struct args rest;
	const char *what;

	git_parse(g, args, &p);
	if (args->argc == 0)
		return list_all(g, o.verbose);
	what = args->argv[0];
	rest = (struct args){ args->argc - 1, args->argv + 1, -1 };
	if (strcmp(what, "add") == 0)
		return remote_add(g, &o, &rest);
	if (strcmp(what, "rename") == 0)
		return remote_rename(g, &rest);
	if (strcmp(what, "remove") == 0 || strcmp(what, "rm") == 0)
		return remote_remove(g, &rest);
	if (strcmp(what, "get-url") == 0)
		return get_url(g, &o, &rest);
	if (strcmp(what, "set-url") == 0)
		return set_url(g, &o, &rest);
	if (strcmp(what, "set-branches") == 0)
		return set_branches(g, &o, &rest);
	if (strcmp(what, "set-head") == 0)
		return set_head(g, &o, &rest);
	if (strcmp(what, "show") == 0)
		return remote_show(g, &o, &rest);
	if (strcmp(what, "prune") == 0)
		return remote_prune(g, &o, &rest);
	if (strcmp(what, "update") == 0)
		return remote_update(g, &o, &rest);
	git_error(g, "unknown subcommand: `%s'", what);
	git_usage(g, remote_usage);
}
