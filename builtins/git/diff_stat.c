/* SPDX-License-Identifier: MIT
 *
 * Short forms of differences: --stat, --numstat, --shortstat, --summary, names, --raw.
 */
#include "builtins/git/diff.h"

void diff_put_renamed(struct git *g, struct buf *out, const char *a, const char *b)
{
	size_t la = strlen(a);
	size_t lb = strlen(b);
	size_t prefix = 0;
	size_t suffix = 0;

	if (strcmp(git_quoted(g, a), a) != 0 || strcmp(git_quoted(g, b), b) != 0) {
		buf_printf(out, "%s => %s", git_quoted(g, a), git_quoted(g, b));
		return;
	}
	for (size_t i = 0; i < la && i < lb && a[i] == b[i]; i++)
		if (a[i] == '/')
			prefix = i + 1;
	/* The common part at the end may use the prefix's slash, for a/b/c => a/c. */
	size_t floor = prefix > 0 ? prefix - 1 : 0;

	for (size_t i = 0; la - i > floor && lb - i > floor && a[la - 1 - i] == b[lb - 1 - i];
	     i++) {
		if (a[la - 1 - i] == '/')
			suffix = i + 1;
		if (la - 1 - i == 0 || lb - 1 - i == 0)
			break;
	}
	size_t ma = la > prefix + suffix ? la - prefix - suffix : 0;
	size_t mb = lb > prefix + suffix ? lb - prefix - suffix : 0;

	if (prefix + suffix == 0) {
		buf_printf(out, "%s => %s", a, b);
		return;
	}
	buf_printf(out, "%.*s{%.*s => %.*s}%s", (int)prefix, a, (int)ma, a + prefix, (int)mb,
		   b + prefix, a + la - suffix);
}

void diff_count(struct git *g, struct diff_opts *o, struct diff_pair *p, struct diff_counts *out)
{
	struct arena a;
	struct lines l;

	*out = (struct diff_counts){ 0, 0, false };
	if (p->status == 'U')
		return;
	if (p->one->oid_known && p->two->oid_known && oid_eq(&p->one->oid, &p->two->oid) &&
	    p->one->mode != 0 && p->two->mode != 0) {
		out->binary = diff_is_binary(g, o, p->one);
		return;
	}
	diff_load(g, p->one);
	diff_load(g, p->two);
	if (diff_is_binary(g, o, p->one) || diff_is_binary(g, o, p->two)) {
		out->binary = true;
		out->added = p->two->data.len;
		out->deleted = p->one->data.len;
		if (bytes_eq(p->one->data, p->two->data))
			out->added = out->deleted = 0;
		return;
	}
	arena_init_under(&a, g->a);
	if (diff_is_rewrite(p)) {
		struct bytes *line;

		out->deleted = lines_split(&a, p->one->data, &line);
		out->added = lines_split(&a, p->two->data, &line);
		arena_clear(&a);
		return;
	}
	diff_lines(g, &a, o, p, &l);
	diff_count_hunks(g, o, &l, out);
	arena_clear(&a);
}

/* --- --stat --- */

struct stat_row {
	const char *name;
	struct diff_counts n;
	bool shown;
	bool unmerged;
	const char *comment;
};

static const char *row_name(struct git *g, const struct diff_pair *p)
{
	struct buf b = buf_in(g->a);

	if (p->status == 'R' || p->status == 'C' ||
	    (p->one->mode != 0 && p->two->mode != 0 && strcmp(p->one->path, p->two->path) != 0)) {
		diff_put_renamed(g, &b, p->one->path, p->two->path);
		return buf_cstr(&b);
	}
	return git_quoted(g, p->one->mode != 0 ? p->one->path : p->two->path);
}

static const char *comment_of(const struct diff_pair *p)
{
	uint32_t a = p->one->mode, b = p->two->mode;

	if (a == 0)
		return b == MODE_EXEC ? "new +x" : b == MODE_LINK ? "new +l" : "new";
	if (b == 0)
		return "gone";
	if (a == MODE_FILE && b == MODE_EXEC)
		return "mode +x";
	if (a == MODE_EXEC && b == MODE_FILE)
		return "mode -x";
	if (a != MODE_LINK && b == MODE_LINK)
		return "mode +l";
	if (a == MODE_LINK && b != MODE_LINK)
		return "mode -l";
	return NULL;
}

static size_t fill_rows(struct git *g, struct diff_opts *o, struct diff_queue *q,
			struct stat_row *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];
		struct stat_row *r = &rows[n];

		r->name = row_name(g, p);
		r->unmerged = p->status == 'U';
		r->comment = o->compact_summary ? comment_of(p) : NULL;
		diff_count(g, o, p, &r->n);
		r->shown = r->n.binary || p->one->dirty != 0 || p->two->dirty != 0 ||
			   r->n.added + r->n.deleted != 0 || r->unmerged || p->status != 'M' ||
			   p->one->mode != p->two->mode;
		/* Only white space that does not count. */
		n += r->shown;
	}
	return n;
}

static size_t scale(size_t v, size_t width, size_t max)
{
	return v == 0 ? 0 : 1 + v * (width - 1) / max;
}

struct widths {
	size_t name;
	size_t number;
	size_t graph;
	size_t binary;
	size_t max_change;
};

static struct widths stat_widths(const struct diff_opts *o, const struct stat_row *rows, size_t n)
{
	struct widths w = { 0, 0, 0, 0, 0 };
	size_t width = o->stat_width > 0 ? (size_t)o->stat_width : 80;
	size_t extra = 0;

	if (o->prefix != NULL && o->stat_width <= 0)
		extra += git_columns(bytes_of(o->prefix));
	if (o->line_prefix != NULL && o->stat_width <= 0)
		extra += git_columns(bytes_of(o->line_prefix));

	width = width > extra ? width - extra : 16;
	for (size_t i = 0; i < n; i++) {
		size_t name = git_columns(bytes_of(rows[i].name)) +
			      (rows[i].comment != NULL ? strlen(rows[i].comment) + 3 : 0);

		w.name = name > w.name ? name : w.name;
		if (rows[i].unmerged) {
			w.binary = w.binary > 8 ? w.binary : 8;
			continue;
		}
		if (rows[i].n.binary) {
			size_t b = 14 + git_digits(rows[i].n.added) + git_digits(rows[i].n.deleted);

			w.binary = b > w.binary ? b : w.binary;
			w.number = 3;
			continue;
		}
		size_t change = rows[i].n.added + rows[i].n.deleted;

		w.max_change = change > w.max_change ? change : w.max_change;
	}
	size_t number = git_digits(w.max_change);

	w.number = number > w.number ? number : w.number;
	if (width < 16 + 6 + w.number)
		width = 16 + 6 + w.number;
	w.graph = w.max_change + 4 > w.binary ? w.max_change : w.binary > 4 ? w.binary - 4 : 0;
	if (o->stat_graph_width > 0 && w.graph > (size_t)o->stat_graph_width)
		w.graph = (size_t)o->stat_graph_width;
	size_t name_max = o->stat_name_width > 0 && (size_t)o->stat_name_width < w.name
				  ? (size_t)o->stat_name_width
				  : w.name;

	if (name_max + w.number + 6 + w.graph > width) {
		if (w.graph > width * 3 / 8 - w.number - 6) {
			w.graph = width * 3 / 8 - w.number - 6;
			if (w.graph < 6)
				w.graph = 6;
		}
		if (o->stat_graph_width > 0 && w.graph > (size_t)o->stat_graph_width)
			w.graph = (size_t)o->stat_graph_width;
		if (name_max > width - w.number - 6 - w.graph)
			name_max = width - w.number - 6 - w.graph;
		else
			w.graph = width - w.number - 6 - name_max;
	}
	w.name = name_max;
	return w;
}

static void put_row(struct git *g, const struct diff_opts *o, const struct widths *w,
		    const struct stat_row *r, struct buf *out)
{
	const char *name = r->comment != NULL ? git_format(g->a, "%s (%s)", r->name, r->comment)
					      : r->name;
	size_t width = git_columns(bytes_of(name));
	const char *dots = "";
	const char *add_color = diff_escape(o, g, "new");
	const char *del_color = diff_escape(o, g, "old");
	const char *reset = o->use_color ? COLOR_RESET : "";

	if (width > w->name) {
		const char *slash;

		while (width > w->name - 3 && *name != '\0') {
			name++;
			width = git_columns(bytes_of(name));
		}
		slash = strchr(name, '/');
		if (slash != NULL)
			name = slash;
		dots = "...";
		width = git_columns(bytes_of(name)) + 3;
	}
	buf_printf(out, " %s%s", dots, name);
	buf_fill(out, ' ', w->name > width ? w->name - width : 0);
	buf_puts(out, " | ");
	if (r->unmerged) {
		buf_puts(out, "Unmerged\n");
		return;
	}
	if (r->n.binary) {
		buf_fill(out, ' ', w->number > 3 ? w->number - 3 : 0);
		buf_puts(out, "Bin");
		if (r->n.added != 0 || r->n.deleted != 0)
			buf_printf(out, " %s%zu%s -> %s%zu%s bytes", del_color, r->n.deleted, reset,
				   add_color, r->n.added, reset);
		buf_putc(out, '\n');
		return;
	}
	size_t add = r->n.added, del = r->n.deleted, total = add + del;

	if (w->graph <= w->max_change && total != 0) {
		size_t all = scale(total, w->graph, w->max_change);

		if (all < 2 && add != 0 && del != 0)
			all = 2;
		if (add < del) {
			add = scale(add, w->graph, w->max_change);
			del = all - add;
		} else {
			del = scale(del, w->graph, w->max_change);
			add = all - del;
		}
	}
	buf_fill(out, ' ', w->number - git_digits(total));
	buf_printf(out, "%zu%s", total, total != 0 ? " " : "");
	if (add != 0) {
		buf_puts(out, add_color);
		buf_fill(out, '+', add);
		buf_puts(out, reset);
	}
	if (del != 0) {
		buf_puts(out, del_color);
		buf_fill(out, '-', del);
		buf_puts(out, reset);
	}
	buf_putc(out, '\n');
}

static void put_totals(struct buf *out, size_t files, size_t added, size_t deleted)
{
	if (files == 0) {
		buf_puts(out, " 0 files changed\n");
		return;
	}
	buf_printf(out, " %zu file%s changed", files, files == 1 ? "" : "s");
	if (added != 0 || deleted == 0)
		buf_printf(out, ", %zu insertion%s(+)", added, added == 1 ? "" : "s");
	if (deleted != 0 || added == 0)
		buf_printf(out, ", %zu deletion%s(-)", deleted, deleted == 1 ? "" : "s");
	buf_putc(out, '\n');
}

static void sum_rows(const struct stat_row *rows, size_t n, struct buf *out)
{
	size_t added = 0, deleted = 0, files = 0;

	for (size_t i = 0; i < n; i++) {
		files += !rows[i].unmerged;
		if (rows[i].n.binary || rows[i].unmerged)
			continue;
		added += rows[i].n.added;
		deleted += rows[i].n.deleted;
	}
	put_totals(out, files, added, deleted);
}

void diff_put_stat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	struct stat_row *rows = arena_array(g->a, q->n + 1, sizeof(*rows));
	size_t n = fill_rows(g, o, q, rows);
	size_t shown = o->stat_count > 0 && (size_t)o->stat_count < n ? (size_t)o->stat_count : n;
	struct widths w = stat_widths(o, rows, shown);

	if (n == 0)
		return;
	for (size_t i = 0; i < shown; i++)
		put_row(g, o, &w, &rows[i], out);
	if (shown < n)
		buf_puts(out, " ...\n");
	sum_rows(rows, n, out);
}

void diff_put_shortstat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	struct stat_row *rows = arena_array(g->a, q->n + 1, sizeof(*rows));
	size_t n = fill_rows(g, o, q, rows);

	if (n != 0)
		sum_rows(rows, n, out);
}

void diff_put_numstat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];
		struct diff_counts n;

		diff_count(g, o, p, &n);
		if (p->status == 'U')
			continue;
		if (n.binary)
			buf_puts(out, "-\t-\t");
		else
			buf_printf(out, "%zu\t%zu\t", n.added, n.deleted);
		if (!o->zero) {
			buf_printf(out, "%s\n", row_name(g, p));
		} else if (p->status == 'R' || p->status == 'C') {
			buf_putc(out, '\0');
			buf_puts(out, p->one->path);
			buf_putc(out, '\0');
			buf_puts(out, p->two->path);
			buf_putc(out, '\0');
		} else {
			buf_puts(out, p->two->path);
			buf_putc(out, '\0');
		}
	}
}

void diff_put_summary(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	(void)o;
	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];

		if (p->status == 'U')
			continue;
		if (p->one->mode == 0) {
			buf_printf(out, " create mode %06o %s\n", p->two->mode,
				   git_quoted(g, p->two->path));
		} else if (p->two->mode == 0) {
			buf_printf(out, " delete mode %06o %s\n", p->one->mode,
				   git_quoted(g, p->one->path));
		} else if (p->status == 'R' || p->status == 'C') {
			buf_printf(out, " %s ", p->status == 'R' ? "rename" : "copy");
			diff_put_renamed(g, out, p->one->path, p->two->path);
			buf_printf(out, " (%d%%)\n", p->score * 100 / SCORE_MAX);
			if (p->one->mode != p->two->mode)
				buf_printf(out, " mode change %06o => %06o\n", p->one->mode,
					   p->two->mode);
		} else if (diff_is_rewrite(p)) {
			buf_printf(out, " rewrite %s (%d%%)\n", git_quoted(g, p->two->path),
				   p->score * 100 / SCORE_MAX);
			if (p->one->mode != p->two->mode)
				buf_printf(out, " mode change %06o => %06o\n", p->one->mode,
					   p->two->mode);
		} else if (p->one->mode != p->two->mode) {
			buf_printf(out, " mode change %06o => %06o %s\n", p->one->mode,
				   p->two->mode, git_quoted(g, p->two->path));
		}
	}
}

/* --- names --- */

static void put_path(struct git *g, const struct diff_opts *o, struct buf *out, const char *path)
{
	if (o->zero) {
		buf_puts(out, path);
		buf_putc(out, '\0');
	} else {
		git_quote(g, out, path);
		buf_putc(out, '\n');
	}
}

static void put_status(struct buf *out, const struct diff_pair *p)
{
	if (p->status == 'R' || p->status == 'C' || diff_is_rewrite(p))
		buf_printf(out, "%c%03d", p->status, p->score * 100 / SCORE_MAX);
	else
		buf_putc(out, p->status);
}

static void put_status_path(struct git *g, struct diff_opts *o, struct buf *out,
			    const struct diff_pair *p)
{
	char sep = o->zero ? '\0' : '\t';

	put_status(out, p);
	buf_putc(out, sep);
	if (p->status == 'R' || p->status == 'C') {
		if (o->zero)
			buf_puts(out, p->one->path);
		else
			git_quote(g, out, p->one->path);
		buf_putc(out, sep);
	}
	put_path(g, o, out, p->two->path);
}

void diff_put_names(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct diff_pair *p = &q->at[i];

		if (o->format & DIFF_NAME_STATUS)
			put_status_path(g, o, out, p);
		else if (i == 0 || p->status == 'U' || q->at[i - 1].status != 'U' ||
			 strcmp(q->at[i - 1].two->path, p->two->path) != 0)
			put_path(g, o, out, p->two->path);
	}
}

const char *diff_raw_name(struct git *g, const struct diff_opts *o, const struct oid *id)
{
	int n = o->raw_full || o->full_index ? OID_HEX : o->abbrev;
	const char *dots = cmd_getenv(g->c, "GIT_PRINT_SHA1_ELLIPSIS");
	const char *name = oid_is_null(id)
				   ? git_format(g->a, "%.*s", n != 0 ? n : oid_default_length(g),
						oid_hex(g, id))
				   : oid_short(g, id, n);

	if (dots == NULL || !git_eq_nocase(bytes_of(dots), BYTES("yes")) || strlen(name) > 37)
		return name;
	return git_format(g->a, "%s...", name);
}

void diff_put_raw(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct diff_pair *p = &q->at[i];
		const struct oid *a = p->one->oid_known ? &p->one->oid : &oid_null;
		const struct oid *b = p->two->oid_known ? &p->two->oid : &oid_null;

		buf_printf(out, ":%06o %06o %s %s ", p->one->mode,
			   p->status == 'U' ? 0 : p->two->mode, diff_raw_name(g, o, a),
			   diff_raw_name(g, o, b));
		put_status_path(g, o, out, p);
	}
}
