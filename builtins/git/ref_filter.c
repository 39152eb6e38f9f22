/* SPDX-License-Identifier: MIT
 *
 * --contains, --merged and their opposites of branch, tag and for-each-ref.
 */
#include "builtins/git/ref_format.h"

/* The commit that an option names; ends the command if it names none. */
static struct commit *option_commit(struct git *g, const char *name, const char *option,
				    bool contains)
{
	struct oid o;
	uint64_t size;
	enum object_type type;

	if (rev_parse(g, name, &o) < 0) {
		if (!contains)
			git_die(g, "malformed object name %s", name);
		git_error(g, "malformed object name %s", name);
		git_exit(g, GIT_STATUS_USAGE);
	}
	object_peel(g, &o, OBJECT_NONE, &o);
	type = object_info(g, &o, &size);
	if (type == OBJECT_COMMIT)
		return commit_at(g, &o);
	git_error(g, "object %s is a %s, not a commit", oid_hex(g, &o), object_type_name(type));
	if (contains)
		git_error(g, "no such commit %s", name);
	else
		git_error(g, "option `%s' must point to a commit", option);
	git_exit(g, GIT_STATUS_USAGE);
}

bool ref_filter_commits(struct git *g, const struct names *list, const struct oid *o,
			const char *option)
{
	bool want = !git_starts(option, "no-");
	bool contains = git_ends(option, "contains");
	struct oid c;

	if (list->n == 0)
		return true;
	if (!object_peel(g, o, OBJECT_COMMIT, &c))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		struct commit *other = option_commit(g, list->at[i], option, contains);

		if (contains ? is_ancestor(g, other, commit_at(g, &c))
			     : is_ancestor(g, commit_at(g, &c), other))
			return want;
	}
	return !want;
}
