/* SPDX-License-Identifier: MIT
 *
 * Collects what differs between HEAD, index and work tree. status_long.c and status_short.c
 * write it.
 */
#include "builtins/git/status_private.h"

static void collect_changes(struct git *g, struct status *s)
{
	struct diff_opts o;
	struct oid head, tree;
	bool has = head_oid(g, &head);

	if (has && s->o.amend) {
		struct commit *c = commit_at(g, &head);

		commit_need(g, c);
		has = c->nparents != 0;
		if (has)
			head = c->parent[0]->oid;
	}
	s->initial = !has;
	diff_init(g, &o);
	o.renames = s->o.no_renames ? 0 : -1;
	o.paths = s->o.paths;
	diff_settle(g, &o);
	if (config_get(g, "status.renames") != NULL && !s->o.no_renames)
		o.renames = config_bool(g, "status.renames", true);
	o.submodules_asked = s->o.submodules;
	if (has && tree_of(g, &head, &tree))
		diff_cached(g, &o, &tree, &s->staged);
	else
		diff_cached(g, &o, NULL, &s->staged);
	diff_finish(g, &o, &s->staged);
	o.submodules = SUBMODULE_IGNORE_NONE;
	diff_work(g, &o, &s->work);
	diff_finish(g, &o, &s->work);
}

/* Paths with conflicts, once, in order. */
static void collect_unmerged(struct git *g, struct status *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->work.n; i++) {
		if (s->work.at[i].status == 'U')
			names_add(g, &s->unmerged, s->work.at[i].one->path);
		else
			s->work.at[kept++] = s->work.at[i];
	}
	s->work.n = kept;
	kept = 0;
	for (size_t i = 0; i < s->staged.n; i++)
		if (s->staged.at[i].status != 'U')
			s->staged.at[kept++] = s->staged.at[i];
	s->staged.n = kept;
}

void status_collect(struct git *g, struct status *s, const struct status_opts *o)
{
	const char *show = config_get(g, "status.showuntrackedfiles");
	struct index *x = index_get(g);

	*s = (struct status){ .g = g, .o = *o };
	if (s->o.untracked < 0)
		s->o.untracked = show == NULL || strcmp(show, "normal") == 0 ? SHOW_NORMAL
				 : strcmp(show, "all") == 0                  ? SHOW_ALL
									     : SHOW_NO;
	collect_changes(g, s);
	collect_unmerged(g, s);
	if (s->o.untracked != SHOW_NO)
		work_untracked(g, x,
			       UNTRACKED_BOTH | (s->o.untracked == SHOW_ALL ? UNTRACKED_ALL : 0u) |
				       (s->o.ignored == 2 ? UNTRACKED_MATCHING : 0u),
			       &s->o.paths, &s->untracked, &s->ignored);
	s->committable = s->staged.n != 0 || (merge_in_progress(g) && s->unmerged.n == 0);
	/* What was found to be unchanged need not be looked at next time. */
	if (x->dirty && x->exists && cmd_getenv(g->c, "GIT_OPTIONAL_LOCKS") == NULL &&
	    !index_is_others(g, x))
		index_write(g, x);
}

unsigned status_stages(struct git *g, const char *path)
{
	struct index *x = index_get(g);
	unsigned mask = 0;
	bool found;
	size_t i = index_search(x, path, 1, &found);

	for (; i < x->n && strcmp(x->at[i].path, path) == 0; i++)
		if (x->at[i].stage != 0)
			mask |= 1u << (x->at[i].stage - 1);
	return mask;
}

const char *status_unmerged_code(unsigned mask)
{
	static const char *const codes[] = { "??", "DD", "AU", "UD", "UA", "DU", "AA", "UU" };

	return codes[mask & 7];
}

const char *status_color(struct status *s, const char *slot, const char *otherwise)
{
	if (!color_wanted(s->g, "color.status"))
		return "";
	return color_of(s->g, git_format(s->g->a, "color.status.%s", slot), otherwise);
}

void status_put(struct status *s, struct buf *out)
{
	if (s->o.format == STATUS_LONG)
		status_put_long(s, out);
	else if (s->o.format == STATUS_V2)
		status_put_v2(s, out);
	else
		status_put_short(s, out);
}

/* --- ahead and behind --- */

void status_put_tracking(struct git *g, const char *branch, struct buf *out, bool quick)
{
	const char *why;
	char *upstream = rev_upstream(g, branch, &why);
	struct oid a, b;
	size_t ahead, behind;
	const char *name;

	if (upstream == NULL)
		return;
	name = ref_shorten(g, upstream);
	if (ref_read(g, upstream, &b, NULL) < 0) {
		buf_printf(out, "Your branch is based on '%s', but the upstream is gone.\n", name);
		if (config_bool(g, "advice.statushints", true))
			buf_puts(out, "  (use \"git branch --unset-upstream\" to fixup)\n");
		return;
	}
	if (ref_read(g, branch, &a, NULL) < 0)
		return;
	(void)quick;
	count_ahead_behind(g, commit_at(g, &a), commit_at(g, &b), &ahead, &behind);
	bool hints = config_bool(g, "advice.statushints", true);

	if (ahead == 0 && behind == 0) {
		buf_printf(out, "Your branch is up to date with '%s'.\n", name);
	} else if (behind == 0) {
		buf_printf(out, "Your branch is ahead of '%s' by %zu commit%s.\n", name, ahead,
			   ahead == 1 ? "" : "s");
		if (hints)
			buf_puts(out, "  (use \"git push\" to publish your local commits)\n");
	} else if (ahead == 0) {
		buf_printf(
			out,
			"Your branch is behind '%s' by %zu commit%s, and can be fast-forwarded.\n",
			name, behind, behind == 1 ? "" : "s");
		if (hints)
			buf_puts(out, "  (use \"git pull\" to update your local branch)\n");
	} else {
		buf_printf(out,
			   "Your branch and '%s' have diverged,\n"
			   "and have %zu and %zu different commits each, respectively.\n",
			   name, ahead, behind);
		if (hints)
			buf_puts(out,
				 "  (use \"git pull\" to merge the remote branch into yours)\n");
	}
}
