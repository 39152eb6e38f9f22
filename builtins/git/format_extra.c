/* SPDX-License-Identifier: MIT
 *
 * The base of a series, with the patches between it and the series by their ids; what of a series
 * is upstream already; how it differs from its last version.
 */
#include "builtins/git/format_extra.h"

/* --- ids of patches --- */

/* The patch as its id has it: with modes, and names of both sides, but nothing else of renames. */
static void put_for_id(struct git *g, struct diff_opts *o, struct diff_pair *p, struct buf *out)
{
	struct diff_file *one = p->one, *two = p->two;
	struct buf b = buf_in(g->a);
	const char *hunks;

	bool binary;

	diff_patch(g, o, p, &b);
	binary = diff_is_binary(g, o, one) || diff_is_binary(g, o, two);
	buf_printf(out, "diff --git a/%s b/%s\n", one->path, two->path);
	if (one->mode == 0)
		buf_printf(out, "new file mode %06o\n", two->mode);
	else if (two->mode == 0)
		buf_printf(out, "deleted file mode %06o\n", one->mode);
	else if (one->mode != two->mode)
		buf_printf(out, "old mode %06o\nnew mode %06o\n", one->mode, two->mode);
	if (binary) {
		/* Line ends do not count, but lines have to begin as headers do. */
		out->len--;
		buf_printf(out, "%s%s\n", oid_hex(g, &one->oid), oid_hex(g, &two->oid));
		return;
	}
	buf_printf(out, one->mode == 0 ? "--- /dev/null\n" : "--- a/%s\n", one->path);
	buf_printf(out, two->mode == 0 ? "+++ /dev/null\n" : "+++ b/%s\n", two->path);
	hunks = bytes_find(buf_bytes(&b), BYTES("\n@@ "));
	if (hunks != NULL)
		buf_put(out, hunks + 1, (size_t)(b.ptr + b.len - hunks) - 1);
}

static bool commit_patch_id(struct git *g, struct commit *c, struct oid *out)
{
	struct arena_mark mark = arena_mark(g->a);
	struct diff_opts o;
	struct diff_queue q = { .at = NULL };
	struct buf b = buf_in(g->a);
	bool any;

	diff_init(g, &o);
	o.color = 0;
	o.format = DIFF_PATCH;
	o.full_index = true;
	diff_settle(g, &o);
	o.context = 3;
	if (c->nparents != 0)
		commit_need(g, c->parent[0]);
	diff_trees(g, &o, c->nparents != 0 ? &c->parent[0]->tree : NULL, &c->tree, &q);
	diff_finish(g, &o, &q);
	for (size_t i = 0; i < q.n; i++)
		put_for_id(g, &o, &q.at[i], &b);
	any = patch_id_of(g, buf_bytes(&b), out);
	pool_free(g->c->pool, q.at, q.cap * sizeof(*q.at));
	arena_release(g->a, mark);
	return any;
}

/* --- --base --- */

static _Noreturn void no_upstream(struct git *g)
{
	git_die(g, "failed to get upstream, if you want to record base commit automatically,\n"
		   "please use git branch --set-upstream-to to track a remote branch.\n"
		   "Or you could specify base commit by --base=<base-commit-id> manually");
}

/* Where the series left the upstream branch. */
static struct commit *upstream_base(struct git *g, const struct commits *list, bool quiet)
{
	const char *why;
	char *head = head_ref(g), *up = head != NULL ? rev_upstream(g, head, &why) : NULL;
	struct commit **bases;
	struct oid o;

	if (up == NULL || rev_commit(g, up, &o) < 0) {
		if (quiet)
			return NULL;
		no_upstream(g);
	}
	commit_need(g, commit_at(g, &o));
	if (merge_bases_many(g, commit_at(g, &o), list->at, list->n, &bases) == 1)
		return bases[0];
	if (!quiet)
		git_die(g, "could not find exact merge base");
	return NULL;
}

/* What all of the list come from. */
static struct commit *common_base(struct git *g, const struct commits *list)
{
	struct commit *base = list->at[0], **bases;

	for (size_t i = 1; i < list->n; i++) {
		commit_need(g, list->at[i]);
		if (merge_bases(g, base, list->at[i], &bases) != 1)
			git_die(g, "failed to find exact merge base");
		base = bases[0];
	}
	return base;
}

static struct commit *base_of(struct git *g, const char *given, bool quiet,
			      const struct commits *list)
{
	struct commit *base;
	struct oid o;

	if (strcmp(given, "auto") == 0) {
		base = upstream_base(g, list, quiet);
		if (base == NULL)
			return NULL;
	} else {
		if (rev_commit(g, given, &o) < 0)
			git_die(g, "unknown commit %s", given);
		base = commit_at(g, &o);
	}
	commit_need(g, base);
	if (!is_ancestor(g, base, common_base(g, list))) {
		if (quiet)
			return NULL;
		git_die(g, "base commit should be the ancestor of revision list");
	}
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == base) {
			if (quiet)
				return NULL;
			git_die(g, "base commit shouldn't be in revision list");
		}
	return base;
}

void format_base(struct git *g, const char *given, bool quiet, const struct commits *list,
		 struct buf *out)
{
	struct commit *base = list->n != 0 ? base_of(g, given, quiet, list) : NULL;
	struct commits between = { NULL, 0, 0 };
	struct commit *c;
	struct revs r;
	struct oid id;

	if (base == NULL)
		return;
	buf_printf(out, "\nbase-commit: %s\n", oid_hex(g, &base->oid));
	revs_forget(g);
	revs_init(g, &r);
	r.max_parents = 1;
	r.order = ORDER_TOPO;
	revs_add_commit(g, &r, base, true);
	for (size_t i = 0; i < list->n; i++)
		revs_add_commit(g, &r, list->at[i], false);
	while ((c = revs_next(&r)) != NULL) {
		bool own = false;

		for (size_t i = 0; i < list->n && !own; i++)
			own = list->at[i] == c;
		cmd_charge(g->c, list->n);
		if (own)
			continue;
		LIST_ROOM(g, between.at, between.n, between.cap);
		between.at[between.n++] = c;
	}
	revs_forget(g);
	for (size_t i = between.n; i-- > 0;)
		if (commit_patch_id(g, between.at[i], &id))
			buf_printf(out, "prerequisite-patch-id: %s\n", oid_hex(g, &id));
}

/* --- --ignore-if-in-upstream --- */

void format_drop_upstream(struct git *g, const struct revs *r, struct commits *list)
{
	struct lookup *known = lookup_new(g);
	const struct revs_item *it = r->item;
	struct commit *c;
	struct revs other;
	size_t kept = 0;
	struct oid id;

	if (r->nitems != 2)
		git_die(g, "need exactly one range");
	if (it[0].uninteresting == it[1].uninteresting)
		git_die(g, "not a range");
	revs_forget(g);
	revs_init(g, &other);
	other.max_parents = 1;
	for (size_t i = 0; i < 2; i++)
		if (it[i].c != NULL)
			revs_add_commit(g, &other, it[i].c, !it[i].uninteresting);
	while ((c = revs_next(&other)) != NULL)
		if (commit_patch_id(g, c, &id))
			*lookup_at(known,
				   bytes_of(arena_dup(g->keep, bytes_of(oid_hex(g, &id))))) = g;
	revs_forget(g);
	for (size_t i = 0; i < list->n; i++)
		if (!commit_patch_id(g, list->at[i], &id) ||
		    lookup_get(known, bytes_of(oid_hex(g, &id))) == NULL)
			list->at[kept++] = list->at[i];
	list->n = kept;
}

/* --- --interdiff --- */

void format_interdiff(struct git *g, const struct oid *before, struct commit *tip,
		      const struct diff_opts *opts, const char *indent, struct buf *out)
{
	struct diff_opts o = *opts;
	struct diff_queue q = { .at = NULL };
	struct buf b = buf_in(g->a);
	struct bytes rest, line;
	struct oid tree;

	o.format = DIFF_PATCH;
	o.binary = false;
	if (!tree_of(g, before, &tree))
		return;
	diff_trees(g, &o, &tree, &tip->tree, &q);
	diff_finish(g, &o, &q);
	for (size_t i = 0; i < q.n; i++)
		diff_patch(g, &o, &q.at[i], &b);
	rest = buf_bytes(&b);
	while (git_line(&rest, &line)) {
		buf_puts(out, indent);
		buf_add(out, line);
		buf_putc(out, '\n');
	}
}
