/* SPDX-License-Identifier: MIT
 *
 * git merge-base: what histories share, and which of some commits no other one has.
 */
#include "builtins/git/walk.h"

enum base_mode { OF_TWO, OCTOPUS, INDEPENDENT, IS_ANCESTOR, FORK_POINT };

static const char *const mode_names[] = { "", "octopus", "independent", "is-ancestor",
					  "fork-point" };

struct base_opts {
	bool all;
	enum base_mode mode;
};

static int set_mode(struct git *g, struct base_opts *o, enum base_mode mode)
{
	if (o->mode != OF_TWO && o->mode != mode) {
		git_error(g, "option `%s' is incompatible with --%s", mode_names[mode],
			  mode_names[o->mode]);
		return 129;
	}
	o->mode = mode;
	return 0;
}

static int octopus(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)arg;
	(void)unset;
	return set_mode(g, opts, OCTOPUS);
}

static int independent(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)arg;
	(void)unset;
	return set_mode(g, opts, INDEPENDENT);
}

static int ancestor(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)arg;
	(void)unset;
	return set_mode(g, opts, IS_ANCESTOR);
}

static int set_fork_point(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)arg;
	(void)unset;
	return set_mode(g, opts, FORK_POINT);
}

static const struct git_option base_options[] = {
	GIT_FLAG('a', "all", struct base_opts, all), GIT_CALL(0, "octopus", octopus),
	GIT_CALL(0, "independent", independent),     GIT_CALL(0, "is-ancestor", ancestor),
	GIT_CALL(0, "fork-point", set_fork_point),   GIT_END(),
};
static const char *const base_usage[] = { "git merge-base [-a | --all] <commit> <commit>...",
					  "git merge-base [-a | --all] --octopus <commit>...",
					  "git merge-base --is-ancestor <commit> <commit>",
					  "git merge-base --independent <commit>...",
					  "git merge-base --fork-point <ref> [<commit>]",
					  NULL };

static struct commit *commit_named(struct git *g, const char *name)
{
	struct oid oid;

	if (rev_parse(g, name, &oid) < 0)
		git_die(g, "Not a valid object name %s", name);
	if (!object_peel(g, &oid, OBJECT_COMMIT, &oid))
		git_die(g, "Not a valid commit name %s", name);
	return commit_at(g, &oid);
}

/* Those that no other one has, each once, in their order. Their number. */
static size_t reduce(struct git *g, struct commit **c, size_t n)
{
	bool *gone = arena_array(g->keep, n, sizeof(*gone));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		gone[i] = false;
		for (size_t j = 0; j < n && !gone[i]; j++)
			if (j != i && !(c[i] == c[j] && j > i))
				gone[i] = is_ancestor(g, c[i], c[j]);
	}
	for (size_t i = 0; i < n; i++)
		if (!gone[i])
			c[kept++] = c[i];
	return kept;
}

/* What all of them share: the bases of the first, of each of those with the second, and so on. */
static size_t octopus_bases(struct git *g, struct commit **c, size_t n, struct commit ***out)
{
	struct commits found = { NULL, 0, 0 };

	for (size_t i = 0; i < n; i++) {
		struct commits next = { NULL, 0, 0 };

		for (size_t j = 0; j < (i == 0 ? 1 : found.n); j++) {
			struct commit **bases = c;
			size_t nbases = i == 0 ? 1 : merge_bases(g, c[i], found.at[j], &bases);

			for (size_t k = 0; k < nbases; k++) {
				LIST_ROOM(g, next.at, next.n, next.cap);
				next.at[next.n++] = bases[k];
			}
		}
		found = next;
	}
	*out = found.at;
	return reduce(g, found.at, found.n);
}

static void print_bases(struct git *g, struct commit **bases, size_t n, bool all)
{
	for (size_t i = 0; i < n && (all || i == 0); i++)
		git_printf(g, "%s\n", oid_hex(g, &bases[i]->oid));
}

/* Commits that a reference has been at. */
static struct commits tips_of(struct git *g, const char *ref, const struct oid *now)
{
	struct commits tips = { NULL, 0, 0 };
	struct reflog_entry *log;
	size_t n = reflog_read(g, ref, &log);

	for (size_t i = 0; i <= n; i++) {
		const struct oid *at = n == 0 ? now : i == 0 ? &log[0].before : &log[i - 1].after;
		struct oid oid;

		if (oid_is_null(at) || !object_peel(g, at, OBJECT_COMMIT, &oid))
			continue;
		LIST_ROOM(g, tips.at, tips.n, tips.cap);
		tips.at[tips.n++] = commit_at(g, &oid);
	}
	return tips;
}

/* The full name; ends the command if there is no such reference. */
static char *need_ref(struct git *g, const char *name)
{
	struct oid now;
	bool several;
	char *ref = strcmp(name, "HEAD") == 0 ? head_ref(g) : ref_expand(g, name, &now, &several);

	if (ref == NULL && strcmp(name, "HEAD") == 0)
		ref = arena_dup(g->a, BYTES("HEAD"));
	if (ref == NULL)
		git_die(g, "No such ref: '%s'", name);
	return ref;
}

struct commit *fork_point(struct git *g, const char *name, struct commit *c)
{
	char *ref = need_ref(g, name);
	struct commits tips;
	struct commit **bases;
	struct oid now;

	if (rev_parse(g, name, &now) < 0)
		return NULL;
	tips = tips_of(g, ref, &now);
	if (tips.n == 0 || merge_bases_many(g, c, tips.at, tips.n, &bases) != 1)
		return NULL;
	for (size_t i = 0; i < tips.n; i++)
		if (tips.at[i] == bases[0])
			return bases[0];
	return NULL;
}

static int show_fork_point(struct git *g, const char *name, const char *derived)
{
	struct commit *found;
	struct oid oid;

	need_ref(g, name);
	if (rev_parse(g, derived, &oid) < 0)
		git_die(g, "Not a valid object name: '%s'", derived);
	if (!object_peel(g, &oid, OBJECT_COMMIT, &oid))
		git_die(g, "Not a valid commit name %s", derived);
	found = fork_point(g, name, commit_at(g, &oid));
	if (found == NULL)
		return 1;
	print_bases(g, &found, 1, false);
	return 0;
}

/* How many operands a mode takes. */
static bool count_is_right(enum base_mode mode, int n)
{
	switch (mode) {
	case OF_TWO: return n >= 2;
	case IS_ANCESTOR: return n == 2;
	case FORK_POINT: return n == 1 || n == 2;
	default: return true;
	}
}

int git_cmd_merge_base(struct git *g, struct args *args)
{
	struct base_opts o = { .all = false };
	const struct git_parser p = { base_options, &o, base_usage, 0, NULL };
	struct commit **c;
	struct commit **bases;
	size_t n;

	git_parse(g, args, &p);
	if (o.all && (o.mode == INDEPENDENT || o.mode == IS_ANCESTOR))
		git_die(g, "options '--%s' and '--all' cannot be used together",
			mode_names[o.mode]);
	if (!count_is_right(o.mode, args->argc))
		git_usage(g, base_usage);
	if (o.mode == FORK_POINT)
		return show_fork_point(g, args->argv[0], args->argc > 1 ? args->argv[1] : "HEAD");
	n = (size_t)args->argc;
	c = arena_array(g->keep, n, sizeof(struct commit *));
	for (size_t i = 0; i < n; i++)
		c[i] = commit_named(g, args->argv[i]);
	bases = c;
	switch (o.mode) {
	case IS_ANCESTOR: return !is_ancestor(g, c[0], c[1]);
	case INDEPENDENT: n = reduce(g, c, n); break;
	case OCTOPUS: n = octopus_bases(g, c, n, &bases); break;
	default: n = merge_bases_many(g, c[0], c + 1, n - 1, &bases);
	}
	print_bases(g, bases, n, o.all || o.mode == INDEPENDENT);
	return n == 0;
}
