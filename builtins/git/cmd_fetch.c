/* SPDX-License-Identifier: MIT
 *
 * git fetch, pull, ls-remote.
 */
#include "builtins/git/fetch.h"
#include "builtins/git/merge_run.h"
#include "builtins/git/ref_format.h"
#include "builtins/git/sequence.h"

/* --- fetch --- */

static int set_tags(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct fetch_opts *)opts)->tags = unset ? -1 : 1;
	return 0;
}

static int set_no_tags(struct git *g, void *opts, const char *arg, bool unset)
{
	return set_tags(g, opts, arg, !unset);
}

static int set_prune(struct git *g, void *opts, const char *arg, bool unset)
{
	struct fetch_opts *o = opts;

	(void)g, (void)arg;
	o->prune = !unset;
	o->prune_given = true;
	return 0;
}

static int set_write(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct fetch_opts *)opts)->no_write = unset;
	return 0;
}

static const struct git_option fetch_options[] = {
	GIT_COUNT('v', "verbose", struct fetch_opts, verbose),
	GIT_FLAG('q', "quiet", struct fetch_opts, quiet),
	GIT_FLAG(0, "all", struct fetch_opts, all),
	GIT_FLAG(0, "set-upstream", struct fetch_opts, set_upstream),
	GIT_FLAG('a', "append", struct fetch_opts, append),
	GIT_FLAG(0, "atomic", struct fetch_opts, atomic),
	GIT_STR(0, "upload-pack", struct fetch_opts, upload),
	GIT_FLAG('f', "force", struct fetch_opts, force),
	GIT_FLAG('m', "multiple", struct fetch_opts, multiple),
	GIT_CALL('t', "tags", set_tags),
	GIT_CALL('n', NULL, set_no_tags),
	GIT_STR('j', "jobs", struct fetch_opts, jobs),
	GIT_CALL('p', "prune", set_prune),
	GIT_MISSING('P', "prune-tags"),
	GIT_MISSING(0, "recurse-submodules"),
	GIT_FLAG(0, "dry-run", struct fetch_opts, dry_run),
	GIT_CALL(0, "write-fetch-head", set_write),
	GIT_FLAG('k', "keep", struct fetch_opts, keep),
	GIT_FLAG('u', "update-head-ok", struct fetch_opts, update_head),
	GIT_FLAG(0, "progress", struct fetch_opts, progress),
	GIT_INT(0, "depth", struct fetch_opts, depth),
	GIT_MISSING_ARG(0, "deepen"),
	GIT_MISSING_ARG(0, "shallow-since"),
	GIT_FLAG(0, "unshallow", struct fetch_opts, unshallow),
	GIT_MISSING_ARG(0, "refmap"),
	GIT_MISSING_ARG(0, "filter"),
	GIT_END(),
};
static const char *const fetch_usage[] = {
	"git fetch [<options>] [<repository> [<refspec>...]]", "git fetch [<options>] <group>",
	"git fetch --multiple [<options>] [(<repository> | <group>)...]",
	"git fetch --all [<options>]", NULL
};

static const char *join_args(struct git *g, const char *command, char *const *argv, int argc)
{
	struct buf b = buf_in(g->keep);

	buf_puts(&b, command);
	for (int i = 0; i < argc; i++)
		buf_printf(&b, " %s", argv[i]);
	return buf_cstr(&b);
}

/* What logs say of it, in the words of git's own command for each. */
static char *many_action(struct git *g, const struct fetch_opts *o, const char *name)
{
	return git_format(g->keep,
			  "GIT_REFLOG_ACTION=fetch --append --no-auto-gc --no-write-commit-graph"
			  "%s%s%s %s",
			  o->prune_given && o->prune ? " --prune" : "", o->force ? " --force" : "",
			  o->quiet ? " -q" : "", name);
}

/* Each by a command of its own, with the options of this one: an error ends that alone. */
static int fetch_many(struct git *g, const struct fetch_opts *o, const struct names *list,
		      struct args *given, const struct args *operands)
{
	char **argv = arena_array(g->keep, (size_t)given->argc + 5, sizeof(*argv));
	int n = 0, status = 0;

	argv[n++] = arena_dup(g->keep, BYTES("git"));
	argv[n++] = arena_dup(g->keep, BYTES("fetch"));
	argv[n++] = arena_dup(g->keep, BYTES("--append"));
	for (int i = 0; i < given->argc; i++) {
		bool operand = strcmp(given->argv[i], "--all") == 0 ||
			       strcmp(given->argv[i], "--multiple") == 0 ||
			       strcmp(given->argv[i], "-m") == 0;

		for (int k = 0; k < operands->argc && !operand; k++)
			operand = given->argv[i] == operands->argv[k];
		if (!operand)
			argv[n++] = given->argv[i];
	}
	argv[n + 1] = NULL;
	if (!o->append && !o->no_write && !o->dry_run)
		file_write(g, repo_path(g, g->a, "FETCH_HEAD"), BYTES(""), 0666);
	for (size_t i = 0; i < list->n; i++) {
		struct env e;

		if (!o->quiet)
			git_printf(g, "Fetching %s\n", list->at[i]);
		argv[n] = list->at[i];
		env_init(&e, g->c, false);
		if (g->reflog_action == NULL)
			env_put(&e, many_action(g, o, list->at[i]));
		if (git_spawn(g, argv, e.list, -1, -1) != 0) {
			git_error(g, "could not fetch %s", list->at[i]);
			status = 1;
		}
	}
	return status;
}

/* Without any remote there is nothing to do, and that is no error. */
static bool nothing_configured(struct git *g)
{
	struct remote r;

	remote_get(g, remote_default(g), &r);
	return !r.configured && r.fetch.n == 0 && strcmp(r.name, "origin") == 0;
}

int git_cmd_fetch(struct git *g, struct args *args)
{
	struct fetch_opts o = { .verbose = 0 };
	const struct git_parser p = { fetch_options, &o, fetch_usage, 0, NULL };
	const char *action = g->reflog_action != NULL
				     ? g->reflog_action
				     : join_args(g, "fetch", args->argv, args->argc);
	struct names list = { NULL, 0, 0 };
	struct args given = { .argc = args->argc,
			      .argv = arena_array(g->keep, (size_t)args->argc + 1,
						  sizeof(*given.argv)) };

	for (int i = 0; i < args->argc; i++)
		given.argv[i] = args->argv[i];
	git_parse(g, args, &p);
	if (o.depth < 0)
		git_die(g, "depth %d is not a positive number", o.depth);
	if (o.all) {
		if (args->argc > 0)
			git_die(g, args->argc == 1
					   ? "fetch --all does not take a repository argument"
					   : "fetch --all does not make sense with refspecs");
		remote_list_as_configured(g, &list);
		if (list.n > 1)
			return fetch_many(g, &o, &list, &given, args);
		return list.n == 1 ? fetch_remote(g, &o, list.at[0], NULL, 0, action) : 0;
	}
	if (o.multiple) {
		for (int i = 0; i < args->argc; i++)
			names_add(g, &list, args->argv[i]);
		return fetch_many(g, &o, &list, &given, args);
	}
	if (args->argc == 0 && nothing_configured(g))
		return 0;
	return fetch_remote(g, &o, args->argc > 0 ? args->argv[0] : remote_default(g),
			    args->argv + (args->argc > 0), args->argc - (args->argc > 0), action);
}

/* --- pull --- */

struct pull_opts {
	struct fetch_opts fetch;
	int rebase;         /* -1: as configured */
	int ff;             /* -1: as configured, 0 --ff, 1 --no-ff, 2 --ff-only */
	int autostash;      /* -1: as configured */
	struct names merge; /* options for merge as they are */
};

enum { REBASE_NO, REBASE_PLAIN, REBASE_MERGES, REBASE_INTERACTIVE };

/* How to rebase; -1 after a message, or none. */
static int rebase_mode(struct git *g, const char *text)
{
	if (strcmp(text, "merges") == 0 || strcmp(text, "m") == 0)
		return REBASE_MERGES;
	if (strcmp(text, "interactive") == 0 || strcmp(text, "i") == 0)
		return REBASE_INTERACTIVE;
	if (strcmp(text, "preserve") == 0 || strcmp(text, "p") == 0)
		git_error(g, "%s: 'preserve' superseded by 'merges'", text);
	return config_truth(text);
}

static int set_autostash(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct pull_opts *)opts)->autostash = !unset;
	return 0;
}

static int set_rebase(struct git *g, void *opts, const char *arg, bool unset)
{
	struct pull_opts *o = opts;

	o->rebase = unset ? REBASE_NO : arg == NULL ? REBASE_PLAIN : rebase_mode(g, arg);
	if (o->rebase < 0) {
		git_error(g, "invalid value for '--rebase': '%s'", arg);
		git_exit(g, GIT_STATUS_USAGE);
	}
	return 0;
}

static int set_ff(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct pull_opts *)opts)->ff = unset;
	return 0;
}

static int set_ff_only(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct pull_opts *)opts)->ff = unset ? -1 : 2;
	return 0;
}

/* Options that only merge understands. */
static int pass_option(struct git *g, void *opts, int argc, char **argv)
{
	static const char *const flags[] = {
		"--squash",  "--no-squash", "--commit",    "--no-commit",
		"--edit",    "-e",          "--no-edit",   "--stat",
		"--no-stat", "-n",          "--signoff",   "--no-signoff",
		"--log",     "--no-log",    "--no-verify", "--allow-unrelated-histories"
	};
	struct pull_opts *o = opts;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(argv[0], flags[i]) == 0) {
			names_add(g, &o->merge, argv[0]);
			return 1;
		}
	if ((strcmp(argv[0], "-X") == 0 || strcmp(argv[0], "-s") == 0 ||
	     strcmp(argv[0], "--strategy") == 0 || strcmp(argv[0], "--strategy-option") == 0) &&
	    argc > 1) {
		names_add(g, &o->merge, argv[0]);
		names_add(g, &o->merge, argv[1]);
		return 2;
	}
	if (git_starts(argv[0], "-X") || git_starts(argv[0], "--strategy") ||
	    git_starts(argv[0], "--log=")) {
		names_add(g, &o->merge, argv[0]);
		return 1;
	}
	return 0;
}

static const struct git_option pull_options[] = {
	GIT_COUNT('v', "verbose", struct pull_opts, fetch.verbose),
	GIT_FLAG('q', "quiet", struct pull_opts, fetch.quiet),
	GIT_FLAG(0, "progress", struct pull_opts, fetch.progress),
	GIT_CALL_MAYBE('r', "rebase", set_rebase),
	GIT_CALL(0, "ff", set_ff),
	GIT_CALL(0, "ff-only", set_ff_only),
	GIT_CALL(0, "autostash", set_autostash),
	GIT_FLAG(0, "all", struct pull_opts, fetch.all),
	GIT_FLAG('a', "append", struct pull_opts, fetch.append),
	GIT_FLAG('f', "force", struct pull_opts, fetch.force),
	GIT_SET('t', "tags", struct pull_opts, fetch.tags, 1),
	GIT_FLAG('p', "prune", struct pull_opts, fetch.prune),
	GIT_FLAG('k', "keep", struct pull_opts, fetch.keep),
	GIT_INT(0, "depth", struct pull_opts, fetch.depth),
	GIT_FLAG(0, "unshallow", struct pull_opts, fetch.unshallow),
	GIT_FLAG(0, "set-upstream", struct pull_opts, fetch.set_upstream),
	GIT_END(),
};
static const char *const pull_usage[] = { "git pull [<options>] [<repository> [<refspec>...]]",
					  NULL };

/* What is to be merged, in hexadecimal. */
static void read_fetch_head(struct git *g, struct names *out)
{
	struct merge_head *heads;
	size_t n = fetch_head_read(g, &heads);

	for (size_t i = 0; i < n; i++)
		names_add(g, out, heads[i].name);
}

/* Nothing came that could be merged: why. */
static _Noreturn void nothing_to_merge(struct git *g, struct args *args, bool rebase)
{
	const char *verb = rebase ? "rebase against" : "merge with";
	char *head = head_ref(g);
	const char *name = head != NULL ? ref_short(g, head) : NULL;
	const char *remote = args->argc > 0 ? args->argv[0] : remote_default(g);
	const char *merge = name != NULL ? config_get(g, git_format(g->a, "branch.%s.merge", name))
					 : NULL;

	if (args->argc > 1) {
		if (rebase)
			git_say(g, "There is no candidate for rebasing against among the refs that "
				   "you just fetched.\n");
		else
			git_say(g, "There are no candidates for merging among the refs that you "
				   "just fetched.\n");
		git_say(g, "Generally this means that you provided a wildcard refspec which had "
			   "no\nmatches on the remote end.\n");
	} else if (args->argc == 1 && name != NULL && strcmp(remote, remote_default(g)) != 0) {
		git_say(g,
			"You asked to pull from the remote '%s', but did not specify\n"
			"a branch. Because this is not the default configured remote\n"
			"for your current branch, you must specify a branch on the command "
			"line.\n",
			remote);
	} else if (name == NULL) {
		git_say(g,
			"You are not currently on a branch.\nPlease specify which branch you want "
			"to %s.\nSee git-pull(1) for details.\n\n    git pull <remote> "
			"<branch>\n\n",
			verb);
	} else if (merge == NULL) {
		git_say(g,
			"There is no tracking information for the current branch.\n"
			"Please specify which branch you want to %s.\n"
			"See git-pull(1) for details.\n\n    git pull <remote> <branch>\n\n"
			"If you wish to set tracking information for this branch you can do so "
			"with:\n\n    git branch --set-upstream-to=%s/<branch> %s\n\n",
			verb, nothing_configured(g) ? "<remote>" : remote, name);
	} else {
		git_say(g,
			"Your configuration specifies to merge with the ref '%s'\n"
			"from the remote, but no such ref was fetched.\n",
			merge);
	}
	git_exit(g, 1);
}

static int run(struct git *g, struct names *words)
{
	char **argv = arena_array(g->keep, words->n + 1, sizeof(*argv));

	for (size_t i = 0; i < words->n; i++)
		argv[i] = words->at[i];
	argv[words->n] = NULL;
	return git_run(g, (int)words->n, argv);
}

static bool is_forward(struct git *g, const char *from, const char *to)
{
	struct oid a, b;

	return rev_commit(g, from, &a) == 0 && rev_commit(g, to, &b) == 0 &&
	       is_ancestor(g, commit_at(g, &a), commit_at(g, &b));
}

static void settle_mode(struct git *g, struct pull_opts *o, bool *chosen)
{
	char *head = head_ref(g);
	const char *key = "pull.rebase", *v = NULL;

	*chosen = o->rebase >= 0 || o->ff >= 0;
	if (o->ff < 0 && o->rebase < 0) {
		v = config_get(g, "pull.ff");
		if (v != NULL) {
			o->ff = strcmp(v, "only") == 0 ? 2 : config_truth(v) == 0;
			*chosen = true;
		}
	}
	if (o->rebase >= 0)
		return;
	if (head != NULL)
		v = config_get(g, git_format(g->a, "branch.%s.rebase", ref_short(g, head)));
	if (v != NULL)
		key = git_format(g->a, "branch.%s.rebase", ref_short(g, head));
	else
		v = config_get(g, key);
	if (v == NULL) {
		o->rebase = REBASE_NO;
		return;
	}
	*chosen = true;
	o->rebase = rebase_mode(g, v);
	if (o->rebase < 0)
		git_die(g, "invalid value for '%s': '%s'", key, v);
	/* An option that says how to merge is stronger. */
	if (o->ff == 0 || o->ff == 1)
		o->rebase = 0;
}

static _Noreturn void divergent(struct git *g)
{
	git_hint(g, "diverging",
		 "You have divergent branches and need to specify how to reconcile them.\n"
		 "You can do so by running one of the following commands sometime before\n"
		 "your next pull:\n\n"
		 "  git config pull.rebase false  # merge\n"
		 "  git config pull.rebase true   # rebase\n"
		 "  git config pull.ff only       # fast-forward only\n\n"
		 "You can replace \"git config\" with \"git config --global\" to set a default\n"
		 "preference for all repositories. You can also pass --rebase, --no-rebase,\n"
		 "or --ff-only on the command line to override the configured default per\n"
		 "invocation.\n");
	git_die(g, "Need to specify how to reconcile divergent branches.");
}

static void refuse_dirty(struct git *g)
{
	if (index_unmerged(index_get(g))) {
		git_error(g, "Pulling is not possible because you have unmerged files.");
		git_hint(g, "resolveConflict",
			 "Fix them up in the work tree, and then use 'git add/rm <file>'\n"
			 "as appropriate to mark resolution and make a commit.\n");
		git_die(g, "Exiting because of an unresolved conflict.");
	}
	if (file_exists(g, repo_path(g, g->a, "MERGE_HEAD"))) {
		git_error(g, "You have not concluded your merge (MERGE_HEAD exists).");
		git_hint(g, "resolveConflict", "Please, commit your changes before merging.\n");
		git_die(g, "Exiting because of unfinished merge.");
	}
}

/* As it is before anything is fetched: a rebase would have to be given up later on. */
static void refuse_unclean(struct git *g, const struct pull_opts *o)
{
	if (o->autostash == 1)
		return;

	bool unstaged = pick_unstaged_changes(g);
	bool staged = pick_staged_changes(g);

	if (unstaged)
		git_error(g, "cannot pull with rebase: You have unstaged changes.");
	if (staged)
		git_error(g, unstaged ? "additionally, your index contains uncommitted changes."
				      : "cannot pull with rebase: Your index contains "
					"uncommitted changes.");
	if (unstaged || staged) {
		git_error(g, "please commit or stash them.");
		git_exit(g, GIT_STATUS_FATAL);
	}
}

/* Where the branch left what it follows, before that is fetched again: what was thrown away there
 * since is not brought back. NULL: not known. */
static struct commit *left_upstream(struct git *g, struct args *args)
{
	const char *name = args->argc > 0 ? args->argv[0] : remote_default(g);
	char *head = head_ref(g), *track = NULL;
	const char *why;
	struct remote r;
	struct oid o, now;

	if (head == NULL || !head_oid(g, &now))
		return NULL;
	if (args->argc < 2 && strcmp(name, remote_default(g)) == 0)
		track = rev_upstream(g, head, &why);
	else if (args->argc == 2) {
		remote_get(g, name, &r);
		for (size_t i = 0; i < r.fetch.n && track == NULL; i++)
			track = refspec_map(g, &r.fetch.at[i],
					    git_format(g->a, "refs/heads/%s", args->argv[1]));
	}
	return track != NULL && ref_read(g, track, &o, NULL) >= 0
		       ? fork_point(g, track, commit_at(g, &now))
		       : NULL;
}

static int do_rebase(struct git *g, const struct pull_opts *o, const struct names *merge,
		     struct commit *left)
{
	struct names words = { NULL, 0, 0 };
	struct oid theirs;

	if (merge->n > 1)
		git_die(g, "Cannot rebase onto multiple branches.");
	if (is_forward(g, "HEAD", merge->at[0]) && o->ff != 1) {
		/* As git does: a merge can do this more simply. */
		names_add(g, &words, "merge");
		names_add(g, &words, "--ff-only");
	} else {
		names_add(g, &words, "rebase");
		if (o->rebase == REBASE_MERGES)
			names_add(g, &words, "--rebase-merges");
		if (o->rebase == REBASE_INTERACTIVE)
			names_add(g, &words, "--interactive");
	}
	if (o->fetch.quiet)
		names_add(g, &words, "-q");
	names_add(g, &words, o->autostash == 1 ? "--autostash" : "--no-autostash");
	if (strcmp(words.at[0], "rebase") == 0) {
		names_add(g, &words, "--onto");
		names_add(g, &words, merge->at[0]);
		if (left != NULL && rev_commit(g, merge->at[0], &theirs) == 0 &&
		    !is_ancestor(g, left, commit_at(g, &theirs))) {
			names_add(g, &words, oid_hex(g, &left->oid));
			return run(g, &words);
		}
	}
	names_add(g, &words, merge->at[0]);
	return run(g, &words);
}

static int do_merge(struct git *g, const struct pull_opts *o)
{
	struct names words = { NULL, 0, 0 };

	names_add(g, &words, "merge");
	if (o->fetch.quiet)
		names_add(g, &words, "-q");
	if (o->ff >= 0)
		names_add(g, &words, o->ff == 0 ? "--ff" : o->ff == 1 ? "--no-ff" : "--ff-only");
	if (o->autostash >= 0)
		names_add(g, &words, o->autostash ? "--autostash" : "--no-autostash");
	for (size_t i = 0; i < o->merge.n; i++)
		names_add(g, &words, o->merge.at[i]);
	names_add(g, &words, "FETCH_HEAD");
	return run(g, &words);
}

int git_cmd_pull(struct git *g, struct args *args)
{
	struct pull_opts o = { .rebase = -1, .ff = -1, .autostash = -1 };
	const struct git_parser p = { pull_options, &o, pull_usage, 0, pass_option };
	const char *action = g->reflog_action != NULL
				     ? g->reflog_action
				     : join_args(g, "pull", args->argv, args->argc);
	struct names merge = { NULL, 0, 0 };
	struct commit *left = NULL;
	bool chosen, unborn;
	struct oid o_head;

	git_parse(g, args, &p);
	refuse_dirty(g);
	settle_mode(g, &o, &chosen);
	o.fetch.prune_given = o.fetch.prune;
	o.fetch.update_head = true;
	g->reflog_action = action;
	unborn = !head_oid(g, &o_head);
	if (args->argc == 0 && nothing_configured(g))
		nothing_to_merge(g, args, o.rebase > 0);
	if (o.rebase > 0) {
		if (o.autostash < 0)
			o.autostash = config_bool(g, "rebase.autostash", false);
		refuse_unclean(g, &o);
		left = left_upstream(g, args);
	}
	if (fetch_remote(g, &o.fetch, args->argc > 0 ? args->argv[0] : remote_default(g),
			 args->argv + (args->argc > 0), args->argc - (args->argc > 0), action) != 0)
		return 1;
	read_fetch_head(g, &merge);
	if (merge.n == 0)
		nothing_to_merge(g, args, o.rebase > 0);
	if (unborn && merge.n > 1)
		git_die(g, "Cannot merge multiple branches into empty head.");
	if (!unborn && o.ff == 2 && merge.n == 1 && !is_forward(g, "HEAD", merge.at[0]) &&
	    !is_forward(g, merge.at[0], "HEAD"))
		git_die(g, "Not possible to fast-forward, aborting.");
	if (!unborn && !chosen && merge.n == 1 && !is_forward(g, "HEAD", merge.at[0]) &&
	    !is_forward(g, merge.at[0], "HEAD"))
		divergent(g);
	if (o.rebase > 0 && !unborn && o.ff != 2)
		return do_rebase(g, &o, &merge, left);
	return do_merge(g, &o);
}

/* --- ls-remote --- */

struct ls_opts {
	bool heads, tags, refs, quiet, exit_code, get_url, symref;
	struct names sort;
	const char *upload;
};

static const struct git_option ls_options[] = {
	GIT_FLAG('q', "quiet", struct ls_opts, quiet),
	GIT_STR(0, "upload-pack", struct ls_opts, upload),
	GIT_FLAG('t', "tags", struct ls_opts, tags),
	GIT_FLAG('h', "heads", struct ls_opts, heads),
	GIT_FLAG(0, "refs", struct ls_opts, refs),
	GIT_FLAG(0, "get-url", struct ls_opts, get_url),
	GIT_LIST(0, "sort", struct ls_opts, sort),
	GIT_FLAG(0, "exit-code", struct ls_opts, exit_code),
	GIT_FLAG(0, "symref", struct ls_opts, symref),
	GIT_END(),
};
static const char *const ls_usage[] = {
	"git ls-remote [--heads] [--tags] [--refs] [--upload-pack=<exec>]\n"
	"              [-q | --quiet] [--exit-code] [--get-url] [--sort=<key>]\n"
	"              [--symref] [<repository> [<refs>...]]",
	NULL
};

/* A pattern fits the end of a name, from a slash on. */
static bool tail_fits(struct git *g, const char *pattern, const char *name)
{
	return wild_match(git_format(g->a, "*/%s", pattern),
			  bytes_of(git_format(g->a, "/%s", name)), 0);
}

static bool is_listed(struct git *g, const struct ls_opts *o, const struct args *args,
		      const char *name)
{
	bool hit = args->argc < 2;

	if ((o->heads || o->tags) && !(o->heads && git_starts(name, "refs/heads/")) &&
	    !(o->tags && git_starts(name, "refs/tags/")))
		return false;
	for (int i = 1; i < args->argc && !hit; i++)
		hit = tail_fits(g, args->argv[i], name);
	return hit;
}

int git_cmd_ls_remote(struct git *g, struct args *args)
{
	struct ls_opts o = { .heads = false };
	const struct git_parser p = { ls_options, &o, ls_usage, 0, NULL };
	struct remote remote;
	struct git *from;
	struct ref *list;
	size_t n;
	bool any = false;

	git_parse(g, args, &p);
	if (g->dir == NULL && args->argc == 0)
		git_die(g, "No remote configured to list refs from.");
	remote_get(g, args->argc > 0 ? args->argv[0] : remote_default(g), &remote);
	if (args->argc == 0 && !remote.configured)
		git_die(g, "No remote configured to list refs from.");
	if (o.get_url) {
		git_printf(g, "%s\n", remote.url);
		return 0;
	}
	from = remote_open(g, remote.url);
	if (args->argc == 0 && !o.quiet)
		git_say(g, "From %s\n", remote.url);
	n = remote_refs(from, &list);
	if (o.sort.n != 0)
		ref_sort(from, list, n, &o.sort, false);
	for (size_t i = 0; i < n; i++) {
		struct oid peeled;
		char *below = git_format(g->a, "%s^{}", list[i].name);

		if (is_listed(g, &o, args, list[i].name) &&
		    !(o.refs && strcmp(list[i].name, "HEAD") == 0)) {
			if (o.symref && list[i].target != NULL)
				git_printf(g, "ref: %s\t%s\n", list[i].target, list[i].name);
			git_printf(g, "%s\t%s\n", oid_hex(g, &list[i].oid), list[i].name);
			any = true;
		}
		if (!o.refs && from->bundle == NULL && is_listed(g, &o, args, below) &&
		    object_peel(from, &list[i].oid, OBJECT_NONE, &peeled) &&
		    !oid_eq(&peeled, &list[i].oid))
			git_printf(g, "%s\t%s\n", oid_hex(g, &peeled), below);
	}
	return o.exit_code && !any ? 2 : 0;
}
