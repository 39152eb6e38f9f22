/* SPDX-License-Identifier: MIT
 *
 * git branch: the list of branches.
 */
#include "builtins/git/columns.h"
#include "builtins/git/ref_format.h"
#include "builtins/git/worktree.h"

struct branch_row {
	const char *name; /* full; NULL: detached HEAD */
	const char *shown;
	struct oid oid;
	const char *target;
	bool current;
};

static char *detached_name(struct git *g)
{
	struct buf b = buf_in(g->a);
	char *text;

	status_put_detached(g, "", "", &b);
	text = buf_cstr(&b);
	text[strcspn(text, "\n")] = '\0';
	if (git_starts(text, "rebase in progress; onto ") ||
	    git_starts(text, "interactive rebase in progress; onto ")) {
		char *name = state_read(g, "rebase-merge/head-name");

		if (name != NULL) {
			name[strcspn(name, "\n")] = '\0';
			return git_format(g->a, "(no branch, rebasing %s)", ref_short(g, name));
		}
	}
	if (strcmp(text, "Not currently on any branch.") == 0)
		return arena_dup(g->a, BYTES("(no branch)"));
	return git_format(g->a, "(%s)", text);
}

static bool row_wanted(struct git *g, const struct branch_opts *o, const struct branch_row *r,
		       struct args *args)
{
	bool hit = args->argc == 0;

	for (int i = 0; i < args->argc && !hit; i++)
		hit = wild_match(args->argv[i], bytes_of(r->shown), o->icase ? WILD_ICASE : 0);
	for (size_t i = 0; i < o->points_at.n; i++) {
		struct oid p;

		if (rev_parse(g, o->points_at.at[i], &p) < 0)
			git_die(g, "malformed object name %s", o->points_at.at[i]);
		hit = hit && oid_eq(&p, &r->oid);
	}
	return hit && ref_filter_commits(g, &o->contains, &r->oid, "contains") &&
	       ref_filter_commits(g, &o->no_contains, &r->oid, "no-contains") &&
	       ref_filter_commits(g, &o->merged, &r->oid, "merged") &&
	       ref_filter_commits(g, &o->no_merged, &r->oid, "no-merged");
}

static const char *slot_color(struct git *g, const char *slot, const char *otherwise)
{
	return color_wanted(g, "color.branch")
		       ? color_of(g, git_format(g->a, "color.branch.%s", slot), otherwise)
		       : "";
}

static void put_verbose(struct git *g, const struct branch_opts *o, const struct branch_row *r,
			struct buf *out)
{
	struct commit_text t;
	const char *why;
	char *upstream = r->name != NULL && git_starts(r->name, "refs/heads/")
				 ? rev_upstream(g, r->name, &why)
				 : NULL;
	struct oid b;

	if (r->target != NULL && git_starts(r->name, "refs/remotes/")) {
		buf_printf(out, "-> %s", ref_short(g, r->target));
		return;
	}
	buf_printf(out, "%s ", oid_short(g, &r->oid, o->abbrev));
	if (o->verbose > 1 && !r->current && r->name != NULL && worktree_using(g, r->name) != NULL)
		buf_printf(out, "(%s%s%s) ", slot_color(g, "worktree", COLOR_CYAN),
			   worktree_using(g, r->name), slot_color(g, "reset", COLOR_RESET));
	if (upstream != NULL) {
		size_t ahead = 0, behind = 0;
		bool gone = ref_read(g, upstream, &b, NULL) < 0;

		if (!gone)
			count_ahead_behind(g, commit_at(g, &r->oid), commit_at(g, &b), &ahead,
					   &behind);
		if (o->verbose > 1)
			buf_printf(out, "[%s%s%s", slot_color(g, "upstream", "\033[34m"),
				   ref_shorten(g, upstream), slot_color(g, "reset", COLOR_RESET));
		if (gone || ahead != 0 || behind != 0) {
			buf_puts(out, o->verbose > 1 ? ": " : "[");
			if (gone)
				buf_puts(out, "gone");
			if (ahead != 0)
				buf_printf(out, "ahead %zu%s", ahead, behind != 0 ? ", " : "");
			if (behind != 0)
				buf_printf(out, "behind %zu", behind);
			buf_puts(out, "] ");
		} else if (o->verbose > 1) {
			buf_puts(out, "] ");
		}
	}
	commit_text(g, g->a, &r->oid, &t);
	buf_add(out, message_subject(g->a, t.message));
}

/* Of rows in order of their names. */
static const struct branch_row *row_of(const struct branch_row *rows, size_t n, const char *name)
{
	size_t from = 0, to = n;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(rows[middle].name, name) <= 0)
			from = middle;
		else
			to = middle;
	}
	return &rows[from];
}

/* Rows come in order of their names, that of a detached HEAD first, which stays there. */
static void sort_rows(struct git *g, struct branch_opts *o, struct branch_row *rows, size_t n)
{
	struct branch_row *copy;
	struct ref *refs;

	if (n != 0 && rows[0].name == NULL)
		rows++, n--;
	if (o->sort.n == 0 && config_get(g, "branch.sort") != NULL)
		names_add(g, &o->sort, config_get(g, "branch.sort"));
	if (o->sort.n == 0 && o->icase)
		names_add(g, &o->sort, "refname");
	if (n == 0 || o->sort.n == 0)
		return;
	copy = arena_array(g->a, n, sizeof(*copy));
	refs = arena_array(g->a, n, sizeof(*refs));
	memcpy(copy, rows, n * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		refs[i] = (struct ref){ .name = (char *)(uintptr_t)rows[i].name,
					.oid = rows[i].oid };
	ref_sort(g, refs, n, &o->sort, o->icase);
	for (size_t i = 0; i < n; i++)
		rows[i] = *row_of(copy, n, refs[i].name);
}

static char *row_text(struct git *g, const struct branch_opts *o, const struct branch_row *r,
		      size_t width)
{
	struct buf b = buf_in(g->a);
	bool elsewhere = !r->current && r->name != NULL && worktree_using(g, r->name) != NULL;
	bool remote = r->name != NULL && git_starts(r->name, "refs/remotes/");
	const char *set = r->current  ? slot_color(g, "current", "\033[32m")
			  : elsewhere ? slot_color(g, "worktree", COLOR_CYAN)
			  : remote    ? slot_color(g, "remote", "\033[31m")
				      : slot_color(g, "local", "");

	buf_printf(&b, "%s %s%s", r->current ? "*" : elsewhere ? "+" : " ", set, r->shown);
	if (o->verbose > 0)
		buf_fill(&b, ' ', width - git_columns(bytes_of(r->shown)));
	buf_puts(&b, slot_color(g, "reset", COLOR_RESET));
	if (o->verbose > 0) {
		buf_putc(&b, ' ');
		put_verbose(g, o, r, &b);
	} else if (r->target != NULL) {
		buf_printf(&b, " -> %s", ref_short(g, r->target));
	}
	return buf_cstr(&b);
}

int branch_list(struct git *g, struct branch_opts *o, struct args *args)
{
	struct branch_row *rows = NULL;
	size_t n = 0, cap = 0, width = 0;
	struct ref *list;
	struct oid head;
	char *current = head_ref(g);

	if (current == NULL && head_oid(g, &head) && !o->remotes) {
		LIST_ROOM(g, rows, n, cap);
		rows[n] = (struct branch_row){ .shown = detached_name(g),
					       .oid = head,
					       .current = true };
		n += row_wanted(g, o, &rows[n], args);
	}
	for (int k = 0; k < 2; k++) {
		size_t count;

		if (k == 0 ? o->remotes && !o->all : !o->remotes && !o->all)
			continue;
		count = ref_list(g, k == 0 ? "refs/heads/" : "refs/remotes/", &list);
		for (size_t i = 0; i < count; i++) {
			LIST_ROOM(g, rows, n, cap);
			rows[n] = (struct branch_row){ .name = list[i].name,
						       .oid = list[i].oid,
						       .shown = list[i].name + (k == 0   ? 11
										: o->all ? 5
											 : 13),
						       .target = list[i].target };
			rows[n].current = k == 0 && current != NULL &&
					  strcmp(current, list[i].name) == 0;
			n += !list[i].broken && row_wanted(g, o, &rows[n], args);
		}
	}
	sort_rows(g, o, rows, n);
	if (o->format != NULL) {
		for (size_t i = 0; i < n; i++)
			ref_put_format(g, o->format, REF_QUOTE_NONE,
				       rows[i].name != NULL ? rows[i].name : rows[i].shown,
				       &rows[i].oid, rows[i].target);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		size_t w = git_columns(bytes_of(rows[i].shown));

		width = w > width ? w : width;
	}
	struct names cells = { NULL, 0, 0 };
	struct columns columns;

	columns_settle(g, "branch", &columns);
	if (o->verbose > 0 && g->columns != NULL && columns_active(g, &columns))
		git_die(g, "options '%s' and '%s' cannot be used together", "--column",
			"--verbose");
	bool aside = o->verbose == 0 && columns_active(g, &columns);

	for (size_t i = 0; i < n; i++) {
		char *text = row_text(g, o, &rows[i], width);

		if (aside)
			names_add(g, &cells, text);
		else
			git_printf(g, "%s\n", text);
	}
	if (aside)
		columns_put(g, &columns, &cells);
	return 0;
}
