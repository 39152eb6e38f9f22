/* SPDX-License-Identifier: MIT
 *
 * Three texts: what one side changed is taken; where both changed, and not alike, both versions
 * stand between markers.
 */
#include "builtins/git/merge.h"

enum { MARKER = 7, NEAR = 3 };

/* A stretch of the base that changed: [from, to) of base and of each side. */
struct region {
	size_t base[2];
	size_t side[2][2];
	int kind;      /* 1 ours changed, 2 theirs, 3 both the same way, 0 conflict */
	bool refined;  /* part of a conflict that was taken apart */
	size_t before; /* equal lines that zdiff3 leaves outside */
	size_t after;
};

struct regions {
	struct region *at;
	size_t n;
	size_t cap;
};

struct state {
	struct git *g;
	struct merge_text *m;
	struct lines d[2]; /* base against ours, theirs */
	struct buf out;
};

enum merge_style merge_style_of(struct git *g, const char *text)
{
	if (text == NULL)
		text = config_get(g, "merge.conflictstyle");
	if (text == NULL || strcmp(text, "merge") == 0)
		return MERGE_STYLE_MERGE;
	if (strcmp(text, "diff3") == 0)
		return MERGE_STYLE_DIFF3;
	if (strcmp(text, "zdiff3") == 0)
		return MERGE_STYLE_ZDIFF3;
	git_die(g, "unknown conflict style '%s'", text);
}

static bool same_lines(const struct state *s, const struct region *r)
{
	size_t n = r->side[0][1] - r->side[0][0];

	if (n != r->side[1][1] - r->side[1][0])
		return false;
	for (size_t i = 0; i < n; i++)
		if (!bytes_eq(s->d[0].file[1].line[r->side[0][0] + i],
			      s->d[1].file[1].line[r->side[1][0] + i]))
			return false;
	return true;
}

/* Changes of both sides that touch become one region. */
static struct regions find_regions(struct state *s)
{
	struct regions out = { NULL, 0, 0 };
	size_t i[2] = { 0, 0 };
	int64_t shift[2] = { 0, 0 }; /* side line - base line, outside of changes */

	while (i[0] < s->d[0].n || i[1] < s->d[1].n) {
		struct region r = { .kind = 0 };
		bool has[2] = { false, false };
		size_t from = SIZE_MAX, to;

		for (int k = 0; k < 2; k++)
			if (i[k] < s->d[k].n && s->d[k].change[i[k]].from[0] < from)
				from = s->d[k].change[i[k]].from[0];
		to = from;
		int64_t start_shift[2] = { shift[0], shift[1] };

		for (bool more = true; more;) {
			more = false;
			for (int k = 0; k < 2; k++) {
				const struct lines_change *c = &s->d[k].change[i[k]];

				if (i[k] >= s->d[k].n || c->from[0] > to)
					continue;
				if (has[k] && !has[1 - k] && c->from[0] > to)
					continue;
				has[k] = true;
				if (c->from[0] + c->count[0] > to)
					to = c->from[0] + c->count[0];
				shift[k] += (int64_t)c->count[1] - (int64_t)c->count[0];
				i[k]++;
				more = true;
			}
		}
		r.base[0] = from;
		r.base[1] = to;
		for (int k = 0; k < 2; k++) {
			r.side[k][0] = (size_t)((int64_t)from + start_shift[k]);
			r.side[k][1] = (size_t)((int64_t)to + shift[k]);
		}
		r.kind = !has[1] ? 1 : !has[0] ? 2 : same_lines(s, &r) ? 3 : 0;
		LIST_ROOM(s->g, out.at, out.n, out.cap);
		out.at[out.n++] = r;
		cmd_charge(s->g->c, 1);
	}
	return out;
}

/* --- conflicts made smaller --- */

static struct bytes side_line(const struct state *s, int k, size_t i)
{
	return s->d[k].file[1].line[i];
}

/* A conflict without the lines both sides have in common: several smaller ones. */
static void refine(struct state *s, const struct region *r, struct regions *out)
{
	struct git *g = s->g;
	struct buf text[2] = { buf_in(g->a), buf_in(g->a) };
	struct lines l;
	size_t n0 = r->side[0][1] - r->side[0][0];

	for (int k = 0; k < 2; k++)
		for (size_t i = r->side[k][0]; i < r->side[k][1]; i++)
			buf_add(&text[k], side_line(s, k, i));
	lines_diff(g, g->a, buf_bytes(&text[0]), buf_bytes(&text[1]), s->m->lines, &l);
	if (n0 == 0 || r->side[1][0] == r->side[1][1] || l.n == 0) {
		LIST_ROOM(g, out->at, out->n, out->cap);
		out->at[out->n++] = *r;
		return;
	}
	size_t done = 0; /* lines of ours that are out */

	for (size_t i = 0; i < l.n; i++) {
		const struct lines_change *c = &l.change[i];
		struct region part = { .base = { r->base[0], r->base[0] }, .kind = 0 };

		if (c->from[0] > done) {
			struct region common = { .base = { r->base[0], r->base[0] }, .kind = 3 };

			common.side[0][0] = r->side[0][0] + done;
			common.side[0][1] = r->side[0][0] + c->from[0];
			LIST_ROOM(g, out->at, out->n, out->cap);
			out->at[out->n++] = common;
		}
		for (int k = 0; k < 2; k++) {
			part.side[k][0] = r->side[k][0] + c->from[k];
			part.side[k][1] = part.side[k][0] + c->count[k];
		}
		done = c->from[0] + c->count[0];
		LIST_ROOM(g, out->at, out->n, out->cap);
		out->at[out->n++] = part;
	}
	if (done < n0) {
		struct region common = { .base = { r->base[1], r->base[1] }, .kind = 3 };

		common.side[0][0] = r->side[0][0] + done;
		common.side[0][1] = r->side[0][1];
		LIST_ROOM(g, out->at, out->n, out->cap);
		out->at[out->n++] = common;
	}
	/* What is between is told by the first base line: the whole belongs together. */
	for (size_t i = 0; i < out->n; i++)
		if (out->at[i].base[0] == r->base[0])
			out->at[i].base[1] = r->base[1];
}

static bool has_alnum(const struct state *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct bytes line = side_line(s, 0, i);

		for (size_t j = 0; j < line.len; j++)
			if (byte_is_alnum((unsigned char)line.ptr[j]))
				return true;
	}
	return false;
}

/* Conflicts with at most three equal lines between them read better as one; and those with
 * nothing but punctuation between. */
static void join_near(struct state *s, struct regions *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct region *r = &l->at[i];

		if (kept >= 2 && r->kind == 0 && l->at[kept - 1].kind == 3 &&
		    l->at[kept - 2].kind == 0 && l->at[kept - 1].refined) {
			size_t gap = l->at[kept - 1].side[0][1] - l->at[kept - 1].side[0][0];

			if (gap <= NEAR ||
			    !has_alnum(s, l->at[kept - 1].side[0][0], l->at[kept - 1].side[0][1])) {
				struct region *to = &l->at[kept - 2];

				to->side[0][1] = r->side[0][1];
				to->side[1][1] = r->side[1][1];
				to->base[1] = r->base[1];
				kept--;
				continue;
			}
		}
		l->at[kept++] = *r;
	}
	l->n = kept;
}

/* Conflicts of the first look that are close to each other. */
static void join_regions(struct state *s, struct regions *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct region *r = &l->at[i];

		if (kept > 0 && r->kind == 0 && l->at[kept - 1].kind == 0) {
			struct region *to = &l->at[kept - 1];
			size_t gap = r->side[0][0] - to->side[0][1];

			if (gap <= NEAR || !has_alnum(s, to->side[0][1], r->side[0][0])) {
				for (int k = 0; k < 2; k++)
					to->side[k][1] = r->side[k][1];
				to->base[1] = r->base[1];
				continue;
			}
		}
		l->at[kept++] = *r;
	}
	l->n = kept;
}

/* zdiff3: lines that both begin or end with stand outside of the markers. */
static void trim_common(struct state *s, struct regions *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct region *r = &l->at[i];

		if (r->kind != 0)
			continue;
		while (r->side[0][0] < r->side[0][1] && r->side[1][0] < r->side[1][1] &&
		       bytes_eq(side_line(s, 0, r->side[0][0]), side_line(s, 1, r->side[1][0]))) {
			r->side[0][0]++;
			r->side[1][0]++;
			r->before++;
		}
		while (r->side[0][0] < r->side[0][1] && r->side[1][0] < r->side[1][1] &&
		       bytes_eq(side_line(s, 0, r->side[0][1] - 1),
				side_line(s, 1, r->side[1][1] - 1))) {
			r->side[0][1]--;
			r->side[1][1]--;
			r->after++;
		}
	}
}

/* --- output --- */

enum eol { EOL_LF, EOL_CRLF, EOL_UNKNOWN };

/* How the line ends; the last one, if it has no end, as the one before it. */
static enum eol eol_of(const struct lines_file *f, size_t i)
{
	if (i < f->n && i > 0 && !bytes_ends(f->line[i], BYTES("\n")))
		i--;
	if (i >= f->n || !bytes_ends(f->line[i], BYTES("\n")))
		return EOL_UNKNOWN;
	return bytes_ends(f->line[i], BYTES("\r\n")) ? EOL_CRLF : EOL_LF;
}

/* Markers end as the lines in front of them do in both sides, and as the base begins. */
static bool wants_cr(const struct state *s, const struct region *r)
{
	enum eol eol = EOL_UNKNOWN;

	for (int k = 0; k < 2 && eol != EOL_LF; k++)
		eol = eol_of(&s->d[k].file[1], r->side[k][0] > 0 ? r->side[k][0] - 1 : 0);
	if (eol != EOL_LF)
		eol = eol_of(&s->d[0].file[0], 0);
	return eol == EOL_CRLF;
}

/* end: a marker follows, which begins on a line of its own. */
static void put_lines(struct state *s, const struct lines_file *f, size_t from, size_t to,
		      const char *end)
{
	for (size_t i = from; i < to; i++)
		buf_add(&s->out, f->line[i]);
	if (end != NULL && to > from && s->out.ptr[s->out.len - 1] != '\n')
		buf_puts(&s->out, end);
	cmd_charge(s->g->c, 1 + (to - from) / 8);
}

static void put_marker(struct state *s, char ch, const char *label, const char *end)
{
	buf_fill(&s->out, ch, (size_t)(s->m->marker_size > 0 ? s->m->marker_size : MARKER));
	if (label != NULL && label[0] != '\0')
		buf_printf(&s->out, " %s", label);
	buf_puts(&s->out, end);
}

static void put_conflict(struct state *s, const struct region *r)
{
	struct merge_text *m = s->m;
	const char *end = wants_cr(s, r) ? "\r\n" : "\n";

	if (m->favor == FAVOR_OURS || m->favor == FAVOR_UNION)
		put_lines(s, &s->d[0].file[1], r->side[0][0], r->side[0][1],
			  m->favor == FAVOR_UNION ? end : NULL);
	if (m->favor == FAVOR_THEIRS || m->favor == FAVOR_UNION)
		put_lines(s, &s->d[1].file[1], r->side[1][0], r->side[1][1], NULL);
	if (m->favor != FAVOR_NONE)
		return;
	m->conflicts++;
	put_lines(s, &s->d[0].file[1], r->side[0][0] - r->before, r->side[0][0], end);
	put_marker(s, '<', m->label[0], end);
	put_lines(s, &s->d[0].file[1], r->side[0][0], r->side[0][1], end);
	if (m->style != MERGE_STYLE_MERGE) {
		put_marker(s, '|', m->label[1], end);
		put_lines(s, &s->d[0].file[0], r->base[0], r->base[1], end);
	}
	put_marker(s, '=', NULL, end);
	put_lines(s, &s->d[1].file[1], r->side[1][0], r->side[1][1], end);
	put_marker(s, '>', m->label[2], end);
	put_lines(s, &s->d[0].file[1], r->side[0][1], r->side[0][1] + r->after, NULL);
}

static void put_all(struct state *s, const struct regions *l)
{
	const struct lines_file *ours = &s->d[0].file[1];
	size_t at = 0; /* of ours */

	for (size_t i = 0; i < l->n; i++) {
		const struct region *r = &l->at[i];

		put_lines(s, ours, at, r->side[0][0] - r->before, NULL);
		if (r->kind == 0)
			put_conflict(s, r);
		else if (r->kind == 2)
			put_lines(s, &s->d[1].file[1], r->side[1][0], r->side[1][1], NULL);
		else
			put_lines(s, ours, r->side[0][0], r->side[0][1], NULL);
		at = r->side[0][1] + r->after;
	}
	put_lines(s, ours, at, ours->n, NULL);
}

void merge_text(struct git *g, struct arena *a, struct merge_text *m)
{
	struct state s = { .g = g, .m = m, .out = buf_in(a) };
	struct regions first;
	struct regions all = { NULL, 0, 0 };

	m->conflicts = 0;
	lines_diff(g, g->a, m->base, m->ours, m->lines, &s.d[0]);
	lines_diff(g, g->a, m->base, m->theirs, m->lines, &s.d[1]);
	first = find_regions(&s);
	if (m->style == MERGE_STYLE_MERGE) {
		for (size_t i = 0; i < first.n; i++) {
			size_t from = all.n;

			if (first.at[i].kind == 0) {
				refine(&s, &first.at[i], &all);
				for (size_t j = from; j < all.n; j++)
					all.at[j].refined = true;
				continue;
			}
			LIST_ROOM(g, all.at, all.n, all.cap);
			all.at[all.n++] = first.at[i];
		}
		join_near(&s, &all);
		join_regions(&s, &all);
	} else {
		all = first;
		if (m->style == MERGE_STYLE_ZDIFF3)
			trim_common(&s, &all);
	}
	put_all(&s, &all);
	m->result = (struct bytes){ buf_cstr(&s.out), s.out.len };
}
