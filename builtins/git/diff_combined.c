/* SPDX-License-Identifier: MIT
 *
 * A result against several parents at once: --cc for merges, diff for files with conflicts.
 *
 * For each line of the result: which parents do not have it; in front of each line: which lines
 * of which parents are lost there. Hunks where the result is as one parent are not interesting.
 */
#include "builtins/git/diff.h"

enum { CONTEXT_GAP = 3, LOST_TABLE_MAX = 1 << 20 };

struct lost {
	struct bytes text;
	uint32_t parents;
	struct lost *next;
};

struct result_line {
	struct bytes text;
	uint32_t added;    /* bit n: parent n does not have it */
	struct lost *lost; /* in front of it */
	bool shown;
	bool mark;
	size_t at[16]; /* the line of each parent that comes next */
};

struct combined {
	struct git *g;
	struct diff_opts *o;
	const struct combined_path *p;
	struct result_line *line;
	size_t n; /* one more than the result has: what is lost at its end */
	size_t total[16];
	struct buf *out;
	bool ended;
};

/* How many of the first i lost lines and the first j others stand in the same order in both. */
static uint32_t *common_table(struct combined *c, struct lost **old, size_t n,
			      const struct bytes *fresh, size_t m)
{
	uint32_t *t = arena_zalloc(c->g->a, (n + 1) * (m + 1) * sizeof(*t));
	size_t w = m + 1;

	for (size_t i = 1; i <= n; i++) {
		cmd_charge(c->g->c, 1 + m / 4);
		for (size_t j = 1; j <= m; j++) {
			uint32_t up = t[(i - 1) * w + j], left = t[i * w + j - 1];

			t[i * w + j] = bytes_eq(old[i - 1]->text, fresh[j - 1])
					       ? t[(i - 1) * w + j - 1] + 1
				       : left >= up ? left
						    : up;
		}
	}
	return t;
}

static struct lost *lost_new(struct combined *c, struct bytes text, uint32_t bit, struct lost *next)
{
	struct lost *l = arena_zalloc(c->g->a, sizeof(*l));

	l->text = text;
	l->parents = bit;
	l->next = next;
	return l;
}

/* Lines that one more parent lost in front of l: those which others lost too stand once. */
static void add_lost(struct combined *c, struct result_line *l, const struct bytes *fresh, size_t m,
		     uint32_t bit)
{
	struct lost *list = NULL;
	struct lost **old;
	uint32_t *t;
	size_t n = 0, w = m + 1, j = m;

	for (struct lost *p = l->lost; p != NULL; p = p->next)
		n++;
	old = arena_array(c->g->a, n + 1, sizeof(*old));
	n = 0;
	for (struct lost *p = l->lost; p != NULL; p = p->next)
		old[n++] = p;
	/* Too many to compare all with all: they stand apart. */
	t = n * m <= LOST_TABLE_MAX ? common_table(c, old, n, fresh, m) : NULL;
	for (size_t i = n; i > 0 || j > 0;) {
		bool both = t != NULL && i > 0 && j > 0 && bytes_eq(old[i - 1]->text, fresh[j - 1]);

		if (!both && j > 0 &&
		    (i == 0 || t == NULL || t[i * w + j - 1] >= t[(i - 1) * w + j])) {
			list = lost_new(c, fresh[--j], bit, list);
			continue;
		}
		if (both) {
			old[i - 1]->parents |= bit;
			j--;
		}
		old[--i]->next = list;
		list = old[i];
	}
	l->lost = list;
}

static void add_parent(struct combined *c, size_t which, struct bytes parent, struct bytes result)
{
	struct lines l;
	uint32_t bit = 1u << which;
	size_t next = 0, i = 0;

	lines_diff(c->g, c->g->a, parent, result, c->o->lines | LINES_NO_CONTEXT, &l);
	c->total[which] = l.file[0].n;
	for (size_t at = 0; at < c->n; at++) {
		c->line[at].at[which] = next;
		if (i < l.n && l.change[i].from[1] == at) {
			add_lost(c, &c->line[at], l.file[0].line + l.change[i].from[0],
				 l.change[i].count[0], bit);
			next += l.change[i].count[0];
			for (size_t k = 0; k < l.change[i].count[1]; k++) {
				c->line[at + k].added |= bit;
				if (k > 0)
					c->line[at + k].at[which] = next;
			}
			if (l.change[i].count[1] != 0)
				at += l.change[i].count[1] - 1;
			i++;
			if (l.change[i - 1].count[1] == 0)
				next += at < l.file[1].n;
			continue;
		}
		next++;
	}
}

static bool interesting(const struct combined *c, const struct result_line *l)
{
	(void)c;
	return l->added != 0 || l->lost != NULL;
}

/* Dense: a stretch counts only if it differs from all parents. */
static void mark_dense(struct combined *c, uint32_t all)
{
	for (size_t i = 0; i < c->n;) {
		size_t end = i;
		bool same = true;
		uint32_t first = 0;
		bool has = false;

		while (end < c->n && interesting(c, &c->line[end]))
			end++;
		if (end == i) {
			i++;
			continue;
		}
		for (size_t j = i; j < end && same; j++) {
			const struct result_line *l = &c->line[j];

			if (l->added != 0 && !has) {
				first = l->added;
				has = true;
			} else if (l->added != 0 && l->added != first) {
				same = false;
			}
			for (const struct lost *p = l->lost; p != NULL && same; p = p->next) {
				if (!has) {
					first = p->parents;
					has = true;
				} else if (p->parents != first) {
					same = false;
				}
			}
		}
		for (size_t j = i; j < end; j++)
			c->line[j].mark = !(same && first != all);
		i = end;
	}
}

static void spread_context(struct combined *c)
{
	size_t context = (size_t)c->o->context;

	for (size_t i = 0; i < c->n; i++) {
		if (!c->line[i].mark)
			continue;
		size_t lo = i > context ? i - context : 0;
		size_t end = i;
		/* Lines lost in front of this one: it is itself context. */
		size_t tail = context;

		if (c->line[i].added == 0)
			tail = context > 0 ? context - 1 : 0;
		end = i + tail + 1 < c->n ? i + tail + 1 : c->n;
		if (c->line[i].added == 0 && context == 0)
			end = i;
		for (size_t j = lo; j < end || j <= i; j++)
			c->line[j].shown = true;
	}
}

static const char *color(const struct combined *c, const char *slot)
{
	return diff_escape(c->o, c->g, slot);
}

static void put_line(struct combined *c, const char *slot, const char *marks, struct bytes text)
{
	const char *reset = c->o->use_color ? COLOR_RESET : "";
	bool ended = text.len != 0 && text.ptr[text.len - 1] == '\n';

	buf_printf(c->out, "%s%s", color(c, slot), marks);
	buf_put(c->out, text.ptr, ended ? text.len - 1 : text.len);
	buf_printf(c->out, "%s\n", reset);
	if (!ended)
		buf_puts(c->out, "\\ No newline at end of file\n");
}

/* What a hunk is in: the last line in front of it, behind `after`, that begins with a letter. As
 * git shows it: of its first 40 bytes, without the last one. */
static void put_function(struct combined *c, size_t after, size_t from)
{
	size_t end = 0;

	while (from > after) {
		struct bytes text = c->line[--from].text;
		unsigned char first = text.len != 0 ? (unsigned char)text.ptr[0] : 0;

		if (!byte_is_alpha(first) && first != '_' && first != '$')
			continue;
		for (size_t i = 0; i < 40 && i < text.len && text.ptr[i] != '\n'; i++)
			if (!byte_is_space((unsigned char)text.ptr[i]))
				end = i;
		if (end == 0)
			return;
		buf_printf(c->out, "%s %s%s%.*s%s", color(c, "context"),
			   c->o->use_color ? COLOR_RESET : "", color(c, "func"), (int)end, text.ptr,
			   c->o->use_color ? COLOR_RESET : "");
		return;
	}
}

static void put_hunk(struct combined *c, size_t after, size_t from, size_t to)
{
	size_t n = c->p->n;
	size_t lines = to < c->n ? to - from : c->n - 1 - from;
	size_t first_end = to < c->n ? to : c->n;
	char marks[20];

	buf_puts(c->out, color(c, "frag"));
	buf_fill(c->out, '@', n + 1);
	for (size_t k = 0; k < n; k++) {
		size_t a = c->line[from].at[k];
		size_t b = to < c->n ? c->line[to].at[k] : c->total[k];

		/* What is lost in front of the line behind the hunk is not part of it. */
		buf_printf(c->out, " -%zu,%zu", a + 1, b - a);
	}
	buf_printf(c->out, " +%zu,%zu ", lines == 0 ? from : from + 1, lines);
	buf_fill(c->out, '@', n + 1);
	if (c->o->use_color)
		buf_puts(c->out, COLOR_RESET);
	put_function(c, after, from);
	buf_putc(c->out, '\n');
	for (size_t i = from; i < first_end; i++) {
		for (const struct lost *p = c->line[i].lost; p != NULL; p = p->next) {
			for (size_t k = 0; k < n; k++)
				marks[k] = p->parents >> k & 1 ? '-' : ' ';
			marks[n] = '\0';
			put_line(c, "old", marks, p->text);
		}
		if (i + 1 == c->n)
			break;
		for (size_t k = 0; k < n; k++)
			marks[k] = c->line[i].added >> k & 1 ? '+' : ' ';
		marks[n] = '\0';
		put_line(c, c->line[i].added != 0 ? "new" : "context", marks, c->line[i].text);
	}
}

static void put_header(struct combined *c, const struct oid *result, bool dense)
{
	struct git *g = c->g;
	const char *meta = color(c, "meta");
	const char *reset = c->o->use_color ? COLOR_RESET : "";
	bool modes = false, added = true;
	struct buf *out = c->out;

	int length = c->o->full_index ? OID_HEX : 0;

	buf_printf(out, "%sdiff --%s %s%s\n", meta, dense ? "cc" : "combined",
		   git_quoted(g, c->p->path), reset);
	buf_printf(out, "%sindex ", meta);
	for (size_t k = 0; k < c->p->n; k++) {
		buf_printf(out, "%s%s", k > 0 ? "," : "",
			   oid_is_null(&c->p->parent[k].oid)
				   ? git_format(g->a, "%.*s", oid_default_length(g),
						oid_hex(g, &oid_null))
				   : oid_short(g, &c->p->parent[k].oid, length));
		modes = modes || c->p->parent[k].mode != c->p->mode;
		added = added && c->p->parent[k].mode == 0;
	}
	buf_printf(out, "..%s%s\n",
		   oid_is_null(result)
			   ? git_format(g->a, "%.*s", oid_default_length(g), oid_hex(g, &oid_null))
			   : oid_short(g, result, length),
		   reset);
	if (modes && added) {
		buf_printf(out, "%snew file mode %06o%s\n", meta, c->p->mode, reset);
	} else if (modes) {
		buf_printf(out, "%s%smode ", meta, c->p->mode == 0 ? "deleted file " : "");
		for (size_t k = 0; k < c->p->n; k++)
			buf_printf(out, "%s%06o", k > 0 ? "," : "", c->p->parent[k].mode);
		if (c->p->mode != 0)
			buf_printf(out, "..%06o", c->p->mode);
		buf_printf(out, "%s\n", reset);
	}
	const char *quoted = git_quoted(g, git_format(g->a, "%s%s", c->o->src_prefix, c->p->path));
	const char *quoted_b = git_quoted(g,
					  git_format(g->a, "%s%s", c->o->dst_prefix, c->p->path));

	buf_printf(out, "%s--- %s%s\n", meta, added ? "/dev/null" : quoted, reset);
	buf_printf(out, "%s+++ %s%s\n", meta, c->p->mode == 0 ? "/dev/null" : quoted_b, reset);
}

void diff_combined(struct git *g, struct diff_opts *o, const struct combined_path *p, bool dense,
		   struct buf *out)
{
	struct combined c = { .g = g, .o = o, .p = p, .out = out };
	struct bytes result = { "", 0 };
	struct bytes parent[16];
	struct bytes *split;
	struct oid shown = p->oid;
	size_t from = out->len;
	bool binary;
	bool any = false;

	if (p->in_work) {
		if (p->mode != 0)
			work_read(g, g->a, p->path, p->mode, &result);
		shown = oid_null;
	} else if (p->mode != 0 && p->mode != MODE_GITLINK) {
		object_read(g, g->a, &p->oid, &result);
	}
	binary = lines_binary(result);
	for (size_t k = 0; k < p->n; k++) {
		parent[k] = (struct bytes){ "", 0 };
		if (p->parent[k].mode != 0 && p->parent[k].mode != MODE_GITLINK)
			object_read(g, g->a, &p->parent[k].oid, &parent[k]);
		binary = binary || lines_binary(parent[k]);
	}
	put_header(&c, &shown, dense);
	if (binary) {
		buf_puts(out, "Binary files differ\n");
		return;
	}
	c.n = lines_split(g->a, result, &split) + 1;
	c.line = arena_array(g->a, c.n, sizeof(*c.line));
	for (size_t i = 0; i + 1 < c.n; i++)
		c.line[i].text = split[i];
	for (size_t k = 0; k < p->n; k++)
		add_parent(&c, k, parent[k], result);
	if (dense)
		mark_dense(&c, (1u << p->n) - 1);
	else
		for (size_t i = 0; i < c.n; i++)
			c.line[i].mark = interesting(&c, &c.line[i]);
	spread_context(&c);
	for (size_t i = 0, after = 0; i < c.n;) {
		size_t end = i;

		while (end < c.n && c.line[end].shown)
			end++;
		if (end == i) {
			i++;
			continue;
		}
		put_hunk(&c, after, i, end);
		any = true;
		after = i = end;
	}
	if (!any && dense && !p->in_work)
		out->len = from;
}

static void put_combined_path(struct git *g, struct diff_opts *o, const struct combined_path *p,
			      struct buf *out)
{
	char end = o->zero ? '\0' : '\n';
	bool raw = (o->format & DIFF_RAW) != 0;

	if (raw) {
		for (size_t k = 0; k < p->n; k++)
			buf_putc(out, ':');
		for (size_t k = 0; k < p->n; k++)
			buf_printf(out, "%06o ", p->parent[k].mode);
		buf_printf(out, "%06o", p->mode);
		for (size_t k = 0; k < p->n; k++)
			buf_printf(out, " %s", diff_raw_name(g, o, &p->parent[k].oid));
		buf_printf(out, " %s ", diff_raw_name(g, o, &p->oid));
	}
	if (raw || (o->format & DIFF_NAME_STATUS)) {
		for (size_t k = 0; k < p->n; k++)
			buf_putc(out, p->parent[k].mode == 0 ? 'A' : p->mode == 0 ? 'D' : 'M');
		buf_putc(out, o->zero ? '\0' : '\t');
	}
	buf_puts(out, o->zero ? p->path : git_quoted(g, p->path));
	buf_putc(out, end);
}

void diff_merge_text(struct git *g, struct diff_opts *o, struct commit *c, bool dense,
		     struct buf *out)
{
	struct buf patches = buf_in(g->a);
	struct diff_opts plain = *o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };

	plain.renames = 0;
	for (uint32_t k = 0; k < c->nparents; k++)
		commit_need(g, c->parent[k]);
	if (c->nparents > 16)
		return;
	diff_trees(g, &plain, &c->parent[0]->tree, &c->tree, &q);
	for (size_t i = 0; i < q.n; i++) {
		struct combined_path p = { .path = q.at[i].two->path,
					   .mode = q.at[i].two->mode,
					   .oid = q.at[i].two->oid,
					   .n = c->nparents };
		bool all = true;

		for (uint32_t k = 0; k < c->nparents && all; k++) {
			if (!tree_find(g, &c->parent[k]->tree, p.path, &p.parent[k].mode,
				       &p.parent[k].oid)) {
				p.parent[k].mode = 0;
				p.parent[k].oid = oid_null;
			}
			all = p.parent[k].mode != p.mode || !oid_eq(&p.parent[k].oid, &p.oid);
		}
		if (!all)
			continue;
		if (o->format & DIFF_PATCH)
			diff_combined(g, o, &p, dense, &patches);
		if (o->format & (DIFF_RAW | DIFF_NAMES | DIFF_NAME_STATUS))
			put_combined_path(g, o, &p, out);
	}
	if (out->len != 0 && patches.len != 0)
		buf_putc(out, '\n');
	buf_add(out, buf_bytes(&patches));
}
