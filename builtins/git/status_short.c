/* SPDX-License-Identifier: MIT
 *
 * status -s, --porcelain, --porcelain=v2.
 */
#include "builtins/git/status_private.h"
#include "builtins/git/submodule.h"

/* One line: a path with its two letters. */
struct row {
	const char *path;
	const struct diff_pair *staged;
	const struct diff_pair *work;
	unsigned stages;
};

static int row_cmp(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->path, ((const struct row *)b)->path);
}

static struct row *collect_rows(struct status *s, size_t *n)
{
	struct git *g = s->g;
	size_t max = s->staged.n + s->work.n + s->unmerged.n;
	struct row *rows = arena_array(g->a, max + 1, sizeof(*rows));
	size_t kept = 0;

	*n = 0;
	for (size_t i = 0; i < s->staged.n; i++)
		rows[(*n)++] = (struct row){ s->staged.at[i].two->path, &s->staged.at[i], NULL, 0 };
	for (size_t i = 0; i < s->work.n; i++)
		rows[(*n)++] = (struct row){ s->work.at[i].two->path, NULL, &s->work.at[i], 0 };
	for (size_t i = 0; i < s->unmerged.n; i++)
		rows[(*n)++] = (struct row){ s->unmerged.at[i], NULL, NULL,
					     status_stages(g, s->unmerged.at[i]) };
	git_sort(g, rows, *n, sizeof(*rows), row_cmp);
	for (size_t i = 0; i < *n; i++) {
		if (kept > 0 && strcmp(rows[kept - 1].path, rows[i].path) == 0) {
			if (rows[kept - 1].staged == NULL)
				rows[kept - 1].staged = rows[i].staged;
			if (rows[i].work != NULL)
				rows[kept - 1].work = rows[i].work;
			continue;
		}
		rows[kept++] = rows[i];
	}
	*n = kept;
	return rows;
}

static const char *shown_path(struct status *s, const char *path, bool from_start)
{
	if (from_start && config_bool(s->g, "status.relativepaths", true))
		path = path_relative(s->g, path);
	return path;
}

static void put_name(struct status *s, struct buf *out, const char *path)
{
	bool relative = s->o.format == STATUS_SHORT && !s->o.zero;

	path = shown_path(s, path, relative);
	buf_puts(out, s->o.zero ? path : git_quoted_blank(s->g, path));
}

static void end_line(const struct status *s, struct buf *out)
{
	buf_putc(out, s->o.zero ? '\0' : '\n');
}

/* What a submodule has besides another commit. */
static char work_letter(const struct status *s, const struct diff_pair *p)
{
	if (s->o.format != STATUS_SHORT || p->two->mode != MODE_GITLINK || !p->two->oid_known)
		return p->status;
	return p->two->dirty & SUBMODULE_MODIFIED    ? 'm'
	       : p->two->dirty & SUBMODULE_UNTRACKED ? '?'
						     : p->status;
}

static void put_row(struct status *s, const struct row *r, struct buf *out)
{
	const char *changed = status_color(s, "changed", "\033[31m");
	const char *added = status_color(s, "added", "\033[32m");
	const char *reset = changed[0] != '\0' ? COLOR_RESET : "";
	const struct diff_pair *renamed = NULL;

	if (r->stages != 0) {
		buf_printf(out, "%s%s%s ", status_color(s, "unmerged", "\033[31m"),
			   status_unmerged_code(r->stages), reset);
		put_name(s, out, r->path);
		end_line(s, out);
		return;
	}
	if (r->staged != NULL)
		buf_printf(out, "%s%c%s", added, r->staged->status, reset);
	else
		buf_putc(out, ' ');
	if (r->work != NULL)
		buf_printf(out, "%s%c%s", changed, work_letter(s, r->work), reset);
	else
		buf_putc(out, ' ');
	buf_putc(out, ' ');
	if (r->staged != NULL && (r->staged->status == 'R' || r->staged->status == 'C'))
		renamed = r->staged;
	else if (r->work != NULL && (r->work->status == 'R' || r->work->status == 'C'))
		renamed = r->work;
	if (renamed != NULL && s->o.zero) {
		buf_puts(out, r->path);
		buf_putc(out, '\0');
		buf_puts(out, renamed->one->path);
		buf_putc(out, '\0');
		return;
	}
	if (renamed != NULL) {
		put_name(s, out, renamed->one->path);
		buf_puts(out, " -> ");
	}
	put_name(s, out, r->path);
	end_line(s, out);
}

static void put_branch(struct status *s, struct buf *out)
{
	struct git *g = s->g;
	char *head = head_ref(g);
	const char *why;
	const char *local = status_color(s, "localbranch", "\033[32m");
	const char *remote = status_color(s, "remotebranch", "\033[31m");
	const char *reset = local[0] != '\0' ? COLOR_RESET : "";
	struct oid a, b;
	size_t ahead, behind;
	char *upstream;

	buf_puts(out, "## ");
	if (s->initial)
		buf_puts(out, "No commits yet on ");
	if (head == NULL) {
		buf_printf(out, "%sHEAD (no branch)%s", remote, reset);
		end_line(s, out);
		return;
	}
	buf_printf(out, "%s%s%s", local, ref_short(g, head), reset);
	upstream = rev_upstream(g, head, &why);
	if (upstream == NULL) {
		end_line(s, out);
		return;
	}
	buf_printf(out, "...%s%s%s", remote, ref_shorten(g, upstream), reset);
	if (ref_read(g, upstream, &b, NULL) < 0) {
		buf_puts(out, " [gone]");
	} else if (ref_read(g, head, &a, NULL) == 0) {
		count_ahead_behind(g, commit_at(g, &a), commit_at(g, &b), &ahead, &behind);
		if (ahead != 0 && behind != 0)
			buf_printf(out, " [ahead %s%zu%s, behind %s%zu%s]", local, ahead, reset,
				   remote, behind, reset);
		else if (ahead != 0)
			buf_printf(out, " [ahead %s%zu%s]", local, ahead, reset);
		else if (behind != 0)
			buf_printf(out, " [behind %s%zu%s]", remote, behind, reset);
	}
	end_line(s, out);
}

static void put_others(struct status *s, const struct names *list, const char *sign,
		       struct buf *out)
{
	const char *color = status_color(s, "untracked", "\033[31m");
	const char *reset = color[0] != '\0' ? COLOR_RESET : "";

	for (size_t i = 0; i < list->n; i++) {
		buf_printf(out, "%s%s%s ", color, sign, reset);
		put_name(s, out, list->at[i]);
		end_line(s, out);
	}
}

void status_put_short(struct status *s, struct buf *out)
{
	size_t n;
	struct row *rows = collect_rows(s, &n);

	if (s->o.branch)
		put_branch(s, out);
	for (size_t i = 0; i < n; i++)
		put_row(s, &rows[i], out);
	put_others(s, &s->untracked, "??", out);
	if (s->o.ignored)
		put_others(s, &s->ignored, "!!", out);
}

/* --- version 2 --- */

static void v2_branch(struct status *s, struct buf *out)
{
	struct git *g = s->g;
	struct oid a, b;
	char *head = head_ref(g);
	const char *why;
	char *upstream = head != NULL ? rev_upstream(g, head, &why) : NULL;
	size_t ahead, behind;

	buf_puts(out, "# branch.oid ");
	if (head_oid(g, &a))
		buf_puts(out, oid_hex(g, &a));
	else
		buf_puts(out, "(initial)");
	end_line(s, out);
	buf_printf(out, "# branch.head %s", head != NULL ? ref_short(g, head) : "(detached)");
	end_line(s, out);
	if (upstream == NULL)
		return;
	buf_printf(out, "# branch.upstream %s", ref_shorten(g, upstream));
	end_line(s, out);
	if (s->initial || ref_read(g, upstream, &b, NULL) < 0)
		return;
	count_ahead_behind(g, commit_at(g, &a), commit_at(g, &b), &ahead, &behind);
	buf_printf(out, "# branch.ab +%zu -%zu", ahead, behind);
	end_line(s, out);
}

static void v2_path(struct status *s, struct buf *out, const char *path)
{
	buf_puts(out, s->o.zero ? path : git_quoted(s->g, path));
}

/* "N..." or "SCMU" */
static const char *v2_submodule(struct git *g, const struct row *r)
{
	const struct diff_file *f = r->work != NULL ? r->work->two : NULL;
	bool is = (f != NULL && f->mode == MODE_GITLINK) ||
		  (r->staged != NULL &&
		   (r->staged->one->mode == MODE_GITLINK || r->staged->two->mode == MODE_GITLINK));

	if (!is)
		return "N...";
	return git_format(g->a, "S%c%c%c", f != NULL && !f->oid_known ? 'C' : '.',
			  f != NULL && (f->dirty & SUBMODULE_MODIFIED) ? 'M' : '.',
			  f != NULL && (f->dirty & SUBMODULE_UNTRACKED) ? 'U' : '.');
}

static void v2_changed(struct status *s, const struct row *r, struct buf *out)
{
	struct git *g = s->g;
	struct entry *e = index_find(index_get(g), r->path);
	uint32_t head_mode = r->staged != NULL ? r->staged->one->mode : e != NULL ? e->mode : 0;
	uint32_t index_mode = r->staged != NULL ? r->staged->two->mode : e != NULL ? e->mode : 0;
	uint32_t work_mode_ = r->work != NULL ? r->work->two->mode : index_mode;
	const struct oid *head = r->staged != NULL ? &r->staged->one->oid
				 : e != NULL       ? &e->oid
						   : &oid_null;
	const struct oid *index = r->staged != NULL ? &r->staged->two->oid
				  : e != NULL       ? &e->oid
						    : &oid_null;
	const struct diff_pair *moved = r->staged != NULL && r->staged->status == 'R' ? r->staged
					: r->work != NULL && r->work->status == 'R'   ? r->work
										      : NULL;

	if (r->work != NULL && r->work->status == 'A' && r->staged == NULL) {
		head_mode = index_mode = 0;
		head = index = &oid_null;
	}
	buf_printf(out, "%c %c%c %s %06o %06o %06o %s %s ", moved != NULL ? '2' : '1',
		   r->staged != NULL ? r->staged->status : '.',
		   r->work != NULL ? r->work->status : '.', v2_submodule(g, r), head_mode,
		   index_mode, work_mode_, oid_hex(g, head), oid_hex(g, index));
	if (moved != NULL)
		buf_printf(out, "%c%d ", moved->status, moved->score * 100 / SCORE_MAX);
	v2_path(s, out, r->path);
	if (moved != NULL) {
		buf_putc(out, s->o.zero ? '\0' : '\t');
		v2_path(s, out, moved->one->path);
	}
	end_line(s, out);
}

static void v2_unmerged(struct status *s, const struct row *r, struct buf *out)
{
	struct git *g = s->g;
	struct index *x = index_get(g);
	const struct entry *e[4] = { NULL, NULL, NULL, NULL };
	struct vfs_stat st;
	uint32_t mode = 0;
	bool found;
	size_t i = index_search(x, r->path, 1, &found);

	for (; i < x->n && strcmp(x->at[i].path, r->path) == 0; i++)
		e[x->at[i].stage] = &x->at[i];
	if (cmd_lstat(g->c, r->path, &st) == 0)
		mode = work_mode(g, &st, NULL);
	buf_printf(out, "u %s N...", status_unmerged_code(r->stages));
	for (int k = 1; k <= 3; k++)
		buf_printf(out, " %06o", e[k] != NULL ? e[k]->mode : 0);
	buf_printf(out, " %06o", mode);
	for (int k = 1; k <= 3; k++)
		buf_printf(out, " %s", oid_hex(g, e[k] != NULL ? &e[k]->oid : &oid_null));
	buf_putc(out, ' ');
	v2_path(s, out, r->path);
	end_line(s, out);
}

void status_put_v2(struct status *s, struct buf *out)
{
	size_t n;
	struct row *rows = collect_rows(s, &n);

	if (s->o.branch)
		v2_branch(s, out);
	for (size_t i = 0; i < n; i++)
		if (rows[i].stages == 0)
			v2_changed(s, &rows[i], out);
	for (size_t i = 0; i < n; i++)
		if (rows[i].stages != 0)
			v2_unmerged(s, &rows[i], out);
	for (size_t i = 0; i < s->untracked.n; i++) {
		buf_puts(out, "? ");
		v2_path(s, out, s->untracked.at[i]);
		end_line(s, out);
	}
	for (size_t i = 0; s->o.ignored && i < s->ignored.n; i++) {
		buf_puts(out, "! ");
		v2_path(s, out, s->ignored.at[i]);
		end_line(s, out);
	}
}
