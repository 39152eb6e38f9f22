/* SPDX-License-Identifier: MIT
 *
 * A path in a tree whose symbolic links are followed, as far as they stay inside of it.
 */
#include "builtins/git/follow_links.h"

enum { LINKS_MAX = 40 };

struct walker {
	struct git *g;
	struct oid tree[GIT_DEPTH_MAX]; /* from the top down to where it is */
	size_t depth;
	const char *rest;
	int links;
};

static enum followed_to step_out(struct walker *w, const char **outside)
{
	if (w->depth == 1) {
		*outside = w->rest;
		return FOLLOWED_OUTSIDE;
	}
	w->depth--;
	w->rest += 2;
	return FOLLOWED_ON;
}

static enum followed_to step_link(struct walker *w, const struct oid *o, size_t len,
				  const char **outside)
{
	struct bytes target = object_need(w->g, w->g->a, o, OBJECT_BLOB);

	if (++w->links > LINKS_MAX)
		return FOLLOWED_LOOP;
	if (target.len != 0 && target.ptr[0] == '/') {
		*outside = arena_dup(w->g->a, target);
		return FOLLOWED_OUTSIDE;
	}
	w->rest = git_format(w->g->a, "%.*s%s", (int)target.len, target.ptr, w->rest + len);
	return FOLLOWED_ON;
}

static enum followed_to step(struct walker *w, struct oid *out, const char **outside)
{
	size_t len = strcspn(w->rest, "/");
	const char *name = git_format(w->g->a, "%.*s", (int)len, w->rest);
	uint32_t mode;

	cmd_charge(w->g->c, 1 + len / 16);
	if (strcmp(name, "..") == 0)
		return step_out(w, outside);
	if (!tree_find(w->g, &w->tree[w->depth - 1], name, &mode, out))
		return w->links > 0 ? FOLLOWED_DANGLING : FOLLOWED_NONE;
	switch (mode & S_FMT) {
	case S_LNK: return step_link(w, out, len, outside);
	case S_DIR:
		if (w->depth == GIT_DEPTH_MAX)
			return FOLLOWED_NONE;
		w->tree[w->depth++] = *out;
		w->rest += len;
		return FOLLOWED_ON;
	default: return w->rest[len] == '\0' ? FOLLOWED_FOUND : FOLLOWED_NOT_DIR;
	}
}

enum followed_to follow_links(struct git *g, const char *name, struct oid *out,
			      const char **outside)
{
	const char *colon = strchr(name, ':');
	struct walker *w = arena_zalloc(g->a, sizeof(*w));
	enum followed_to to = FOLLOWED_ON;
	struct oid top;

	if (colon == NULL || colon == name)
		return rev_parse(g, name, out) == 0 ? FOLLOWED_FOUND : FOLLOWED_NONE;
	if (rev_parse(g, git_format(g->a, "%.*s", (int)(colon - name), name), &top) < 0 ||
	    !tree_of(g, &top, &w->tree[0]))
		return FOLLOWED_NONE;
	w->g = g;
	w->depth = 1;
	w->rest = colon + 1;
	if (git_starts(w->rest, "./") || git_starts(w->rest, "../")) {
		w->rest = path_normal(g->a, git_format(g->a, "/%s%s", g->prefix, w->rest));
		if (w->rest == NULL)
			return FOLLOWED_NONE;
	}
	while (to == FOLLOWED_ON) {
		w->rest += strspn(w->rest, "/");
		if (*w->rest == '\0') {
			*out = w->tree[w->depth - 1];
			return FOLLOWED_FOUND;
		}
		to = step(w, out, outside);
	}
	return to;
}
