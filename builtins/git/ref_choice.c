/* SPDX-License-Identifier: MIT
 *
 * Options that choose references: --all, --branches[=PATTERN] and its kin, --glob, --exclude.
 */
#include "builtins/git/walk.h"

static const struct choice {
	const char *option;
	const char *prefix; /* of the patterns */
	size_t cut;         /* bytes of the prefix that names are shown and excluded without */
} choices[] = {
	{ "--all", "refs/", 0 },        { "--branches", "refs/heads/", 11 },
	{ "--tags", "refs/tags/", 10 }, { "--remotes", "refs/remotes/", 13 },
	{ "--glob", "refs/", 0 },
};

/* PATTERN stands for what is below it if it has no wildcards. */
static const char *full_pattern(struct git *g, const struct choice *c, const char *pattern)
{
	const char *full = git_format(g->a, "%s%s", git_starts(pattern, "refs/") ? "" : c->prefix,
				      pattern);

	if (!wild_has_magic(full))
		full = git_format(g->a, "%s%s*", full, git_ends(full, "/") ? "" : "/");
	return full;
}

static bool is_excluded(struct git *g, const struct names *exclude, const char *name)
{
	git_charge_search(g, exclude->n * 4, name);
	for (size_t i = 0; i < exclude->n; i++)
		if (wild_match(exclude->at[i], bytes_of(name), 0))
			return true;
	return false;
}

static void choose(struct git *g, const struct choice *c, const char *pattern,
		   struct names *exclude, void (*visit)(void *, const struct ref *, const char *),
		   void *user)
{
	struct ref *list;
	size_t n = ref_list(g, pattern != NULL ? "refs/" : c->prefix, &list);

	for (size_t i = 0; i < n; i++) {
		const char *name = list[i].name;

		if (list[i].broken || (pattern != NULL && !wild_match(pattern, bytes_of(name), 0)))
			continue;
		if (git_starts(name, c->prefix))
			name += c->cut;
		if (!is_excluded(g, exclude, name))
			visit(user, &list[i], name);
	}
	exclude->n = 0;
}

bool refs_choose(struct git *g, struct names *exclude, const char *arg,
		 void (*visit)(void *user, const struct ref *ref, const char *name), void *user)
{
	if (git_starts(arg, "--exclude=")) {
		names_add(g, exclude, arg + 10);
		return true;
	}
	for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
		const struct choice *c = &choices[i];
		size_t n = strlen(c->option);
		bool takes = strcmp(c->option, "--all") != 0;
		bool needs = strcmp(c->option, "--glob") == 0;

		if (strncmp(arg, c->option, n) != 0)
			continue;
		if (arg[n] == '\0' && !needs)
			choose(g, c, NULL, exclude, visit, user);
		else if (arg[n] == '=' && takes)
			choose(g, c, full_pattern(g, c, arg + n + 1), exclude, visit, user);
		else
			continue;
		return true;
	}
	return false;
}
