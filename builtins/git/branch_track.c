/* SPDX-License-Identifier: MIT
 *
 * What branches follow: branch.NAME.remote, .merge and .rebase, and the names @{-1} and
 * @{upstream} for branches.
 */
#include "builtins/git/branch.h"
#include "builtins/git/transport.h"

enum branch_track branch_track_option(struct git *g, const char *value, bool unset)
{
	if (unset)
		return TRACK_NEVER;
	if (value == NULL || strcmp(value, "direct") == 0)
		return TRACK_EXPLICIT;
	if (strcmp(value, "inherit") == 0)
		return TRACK_INHERIT;
	git_error(g, "option `--track' expects \"direct\" or \"inherit\"");
	git_exit(g, GIT_STATUS_USAGE);
}

enum branch_track branch_track_settle(struct git *g, enum branch_track how)
{
	const char *v = config_get(g, "branch.autosetupmerge");

	if (how != TRACK_CONFIGURED)
		return how;
	if (v == NULL)
		return TRACK_REMOTE;
	if (strcmp(v, "always") == 0)
		return TRACK_ALWAYS;
	if (strcmp(v, "inherit") == 0)
		return TRACK_INHERIT;
	if (strcmp(v, "simple") == 0)
		return TRACK_SIMPLE;
	return config_bool(g, "branch.autosetupmerge", true) ? TRACK_REMOTE : TRACK_NEVER;
}

void branch_check_config(struct git *g)
{
	static const char *const values[] = { "never", "local", "remote", "always" };
	const char *v = config_get(g, "branch.autosetuprebase");

	branch_track_settle(g, TRACK_CONFIGURED);
	for (size_t i = 0; v != NULL && i < sizeof(values) / sizeof(values[0]); i++)
		if (strcmp(v, values[i]) == 0)
			return;
	if (v == NULL)
		return;
	git_error(g, "malformed value for %s", "branch.autosetuprebase");
	config_die(g, "branch.autosetuprebase");
}

/* The remotes that are fetched to this name: how many; one of them and its name there. */
static size_t find_remotes(struct git *g, const char *name, struct names *hits, char **merge)
{
	struct names all = { NULL, 0, 0 };

	remote_list(g, &all);
	for (size_t i = 0; i < all.n; i++) {
		struct remote r;
		char *other;

		remote_get(g, all.at[i], &r);
		other = refspecs_source(g, &r.fetch, name);
		cmd_charge(g->c, 1);
		if (other == NULL)
			continue;
		names_add(g, hits, all.at[i]);
		*merge = other;
	}
	return hits->n;
}

char *branch_track_start(struct git *g, const char *start, enum branch_track how)
{
	struct names hits = { NULL, 0, 0 };
	struct oid o;
	bool several = false;
	char *full = ref_expand(g, start, &o, &several);
	char *merge;

	if (several)
		git_die(g, "ambiguous object name: '%s'", start);
	if (full != NULL && ref_symbolic(g, full) != NULL && ref_read(g, full, &o, &merge) == 0)
		full = merge;
	if (full != NULL &&
	    (git_starts(full, "refs/heads/") || find_remotes(g, full, &hits, &merge) != 0))
		return full;
	if (how == TRACK_EXPLICIT)
		git_die(g,
			"cannot set up tracking information; starting point '%s' is not a branch",
			start);
	return NULL;
}

static _Noreturn void die_ambiguous(struct git *g, const char *name, const struct names *hits)
{
	struct buf b = buf_in(g->a);

	git_say(g, "fatal: not tracking: ambiguous information for ref '%s'\n", name);
	buf_printf(&b,
		   "There are multiple remotes whose fetch refspecs map to the remote\n"
		   "tracking ref '%s':\n",
		   name);
	for (size_t i = 0; i < hits->n; i++)
		buf_printf(&b, "  %s\n", hits->at[i]);
	buf_puts(&b, "\nThis is typically a configuration error.\n\n"
		     "To support setting up tracking branches, ensure that\n"
		     "different remotes' fetch refspecs map into different\n"
		     "tracking namespaces.\n");
	git_hint(g, "ambiguousfetchrefspec", "%s", buf_cstr(&b));
	git_exit(g, GIT_STATUS_FATAL);
}

/* Whether branch.autosetuprebase wants new branches to be rebased. */
static bool wants_rebase(struct git *g, bool remote)
{
	const char *v = config_get(g, "branch.autosetuprebase");

	return v != NULL &&
	       (strcmp(v, "always") == 0 || strcmp(v, remote ? "remote" : "local") == 0);
}

static const char *at_remote(const char *name)
{
	return git_starts(name, "refs/heads/") ? name + 11 : name;
}

/* Writes what a branch follows. remote NULL: it is of this repository. */
static void install(struct git *g, const char *branch, const char *remote,
		    const struct names *merge, bool quiet)
{
	char *config = config_local_path(g);
	char *key = git_format(g->a, "branch.%s.merge", branch);
	bool rebase = wants_rebase(g, remote != NULL);

	if (remote == NULL && git_starts(merge->at[0], "refs/heads/") &&
	    strcmp(merge->at[0] + 11, branch) == 0) {
		git_warn(g, "not setting branch '%s' as its own upstream", branch);
		return;
	}
	config_change(g, config, git_format(g->a, "branch.%s.remote", branch),
		      remote != NULL ? remote : ".", NULL, CONFIG_SET);
	config_change(g, config, key, NULL, NULL, CONFIG_UNSET_ALL);
	for (size_t i = 0; i < merge->n; i++)
		config_change(g, config, key, merge->at[i], NULL, CONFIG_ADD);
	if (rebase)
		config_change(g, config, git_format(g->a, "branch.%s.rebase", branch), "true", NULL,
			      CONFIG_SET);
	config_reload(g);
	if (quiet)
		return;
	if (merge->n == 1) {
		git_printf(g, "branch '%s' set up to track '%s%s%s'%s.\n", branch,
			   remote != NULL ? remote : "", remote != NULL ? "/" : "",
			   at_remote(merge->at[0]), rebase ? " by rebasing" : "");
		return;
	}
	git_printf(g, "branch '%s' set up to track%s:\n", branch, rebase ? " by rebasing" : "");
	for (size_t i = 0; i < merge->n; i++)
		git_printf(g, "  %s%s%s\n", remote != NULL ? remote : "", remote != NULL ? "/" : "",
			   at_remote(merge->at[i]));
}

/* The same as the branch it starts at. */
static void inherit(struct git *g, const char *branch, const char *start, bool quiet)
{
	const char *name = git_starts(start, "refs/heads/") ? start + 11 : start;
	const char *remote = config_get(g, git_format(g->a, "branch.%s.remote", name));
	struct names merge = { NULL, 0, 0 };

	config_all(g, git_format(g->a, "branch.%s.merge", name), &merge);
	if (remote == NULL)
		git_warn(g, "asked to inherit tracking from '%s', but no remote is set", name);
	else if (merge.n == 0)
		git_warn(g,
			 "asked to inherit tracking from '%s', but no merge configuration is set",
			 name);
	else
		install(g, branch, remote, &merge, quiet);
}

void branch_track(struct git *g, const char *branch, const char *start, enum branch_track how,
		  bool quiet)
{
	struct names hits = { NULL, 0, 0 };
	struct names merges = { NULL, 0, 0 };
	char *merge = NULL;

	if (how == TRACK_NEVER)
		return;
	if (how == TRACK_INHERIT) {
		inherit(g, branch, start, quiet);
		return;
	}
	if (find_remotes(g, start, &hits, &merge) > 1)
		die_ambiguous(g, start, &hits);
	if (hits.n == 0 && (how == TRACK_REMOTE || how == TRACK_SIMPLE))
		return;
	if (how == TRACK_SIMPLE &&
	    !(git_starts(merge, "refs/heads/") && strcmp(merge + 11, branch) == 0))
		return;
	names_add(g, &merges, merge != NULL ? merge : start);
	install(g, branch, hits.n != 0 ? hits.at[0] : NULL, &merges, quiet);
}

const char *branch_name(struct git *g, const char *name, const char *part)
{
	size_t part_length = strlen(part);
	const char *brace = strstr(name, "@{");
	const char *why;
	char *full;
	struct oid o;
	bool several;
	int64_t n;

	if (brace == NULL || !git_ends(name, "}"))
		return name;
	if (git_starts(name, "@{-")) {
		size_t digits = strcspn(name + 3, "}");
		char *previous = NULL;

		if (git_number(git_format(g->a, "%.*s", (int)digits, name + 3), &n) && n > 0 &&
		    n < INT32_MAX)
			previous = rev_previous(g, (int)n);
		if (previous == NULL)
			return name;
		if (name[3 + digits + 1] == '\0')
			return previous;
		name = git_format(g->a, "%s%s", previous, name + 3 + digits + 1);
		brace = strstr(name, "@{");
	}
	if (brace == NULL || (strcmp(brace, "@{u}") != 0 && strcmp(brace, "@{upstream}") != 0 &&
			      strcmp(brace, "@{push}") != 0))
		return name;
	full = brace == name ? head_ref(g)
			     : ref_expand(g, git_format(g->a, "%.*s", (int)(brace - name), name),
					  &o, &several);
	if (full == NULL)
		return name;
	full = brace[2] == 'u' ? rev_upstream(g, full, &why) : rev_push(g, full, &why);
	if (full == NULL)
		git_die(g, "%s", why);
	if (!git_starts(full, "refs/") || strncmp(full + 5, part, part_length) != 0 ||
	    full[5 + part_length] != '/')
		return name;
	return full + 5 + part_length + 1;
}
