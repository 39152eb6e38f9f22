/* SPDX-License-Identifier: MIT
 *
 * Objects from one repository into another: what is missing there, as files or as one pack.
 */
#include "builtins/git/transport.h"

enum { UNPACK_LIMIT = 100 };

void shallow_write(struct git *g)
{
	char *path = repo_path(g, g->a, "shallow");
	struct buf b = buf_in(g->a);

	if (g->shallow.n == 0) {
		cmd_unlink(g->c, CMD_CWD, path, 0);
		return;
	}
	git_sort(g, g->shallow.at, g->shallow.n, sizeof(*g->shallow.at), git_name_cmp);
	for (size_t i = 0; i < g->shallow.n; i++)
		buf_printf(&b, "%s\n", g->shallow.at[i]);
	file_write_locked(g, path, buf_bytes(&b));
}

/* Commits that came and are cut off there, or whose parents have come now. */
static void settle_shallow(struct copying *t, const struct reach *r)
{
	struct git *to = t->to;
	size_t kept = 0;

	for (size_t i = 0; i < r->shallow.n; i++)
		if (!names_has(to, &to->shallow, r->shallow.at[i]))
			names_add(to, &to->shallow, r->shallow.at[i]);
	/* What `from` has no parents of, `to` can't have either. */
	for (size_t i = 0; i < t->from->shallow.n; i++) {
		struct oid o;

		if (oid_parse(t->from->shallow.at[i], &o) && object_exists(to, &o) &&
		    !names_has(to, &to->shallow, t->from->shallow.at[i]))
			names_add(to, &to->shallow, t->from->shallow.at[i]);
	}
	for (size_t i = 0; i < to->shallow.n; i++) {
		struct commit *c;
		bool whole = true;
		struct oid o;

		if (!oid_parse(to->shallow.at[i], &o))
			continue;
		c = commit_at(t->from, &o);
		if (names_has(to, &r->shallow, to->shallow.at[i]))
			whole = false;
		else if (!object_exists(t->from, &o) || !commit_load(t->from, c) ||
			 names_has(to, &t->from->shallow, to->shallow.at[i]))
			whole = false;
		for (uint32_t k = 0; whole && k < c->nparents; k++)
			whole = object_exists(to, &c->parent[k]->oid);
		if (!whole)
			to->shallow.at[kept++] = to->shallow.at[i];
	}
	to->shallow.n = kept;
	shallow_write(to);
}

void transport_copy(struct copying *t, const struct oid *want, size_t n)
{
	struct reach r = { .g = t->from, .depth = t->depth };
	struct oid *have = NULL;
	bool shallow = t->depth != 0 || t->to->shallow.n != 0 || t->from->shallow.n != 0;
	/* Where cuts move all of it is looked at again. */
	size_t nhave = t->depth != 0 || t->whole ? 0 : reach_tips(t->to, false, &have);

	r.cut = &t->to->shallow;

	reach_find(&r, want, n, have, nhave);
	if (r.n >= UNPACK_LIMIT || (t->keep_pack && r.n != 0)) {
		pack_write(t->from, path_join(t->to->keep, t->to->odb->dirs.at[0], "pack"), r.at,
			   r.n);
		object_forget_packs(t->to);
	} else {
		/* What others point to comes first. */
		for (size_t i = r.n; i > 0; i--)
			object_copy(t->from, t->to, &r.at[i - 1].oid);
	}
	if (shallow)
		settle_shallow(t, &r);
}
