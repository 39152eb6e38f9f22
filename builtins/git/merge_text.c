/* SPDX-License-Identifier: MIT
 *
 * Three texts: what one side changed is taken; where both changed, and not alike, both versions
 * stand between markers.
 */
#include "builtins/git/merge.h"

enum { MARKER = 7, NEAR = 3 };

/* A stretch that changed: [from, to) of base and of each side. */
struct region {
	size_t base[2];
	size_t side[2][2];
	enum { CONFLICT, OURS, THEIRS, ALIKE } kind;
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

static struct bytes side_line(const struct state *s, int k, size_t i)
{
	return s->d[k].file[1].line[i];
}

/* Whether both sides have made the same of the same lines. */
static bool same_change(const struct state *s, const struct lines_change *a,
			const struct lines_change *b)
{
	if (a->from[0] != b->from[0] || a->count[0] != b->count[0] || a->count[1] != b->count[1])
		return false;
	for (size_t i = 0; i < a->count[1]; i++)
		if (!lines_equal(s->g->a, side_line(s, 0, a->from[1] + i),
				 side_line(s, 1, b->from[1] + i), s->m->lines))
			return false;
	return true;
}

static void add_region(struct state *s, struct regions *l, const struct region *r)
{
	LIST_ROOM(s->g, l->at, l->n, l->cap);
	l->at[l->n++] = *r;
	cmd_charge(s->g->c, 1);
}

/* What touches the region before it on either side becomes one with it. */
static void add_change(struct state *s, struct regions *l, const struct region *r)
{
	struct region *last = l->n != 0 ? &l->at[l->n - 1] : NULL;

	if (last == NULL ||
	    (r->side[0][0] > last->side[0][1] && r->side[1][0] > last->side[1][1])) {
		add_region(s, l, r);
		return;
	}
	if (last->kind != r->kind)
		last->kind = CONFLICT;
	last->base[1] = r->base[1];
	for (int k = 0; k < 2; k++)
		last->side[k][1] = r->side[k][1];
}

/* A change of side k alone; the other side is shifted by what it changed before. */
static struct region one_sided(const struct lines_change *c, int k, int64_t shift)
{
	struct region r = { .kind = k == 0 ? OURS : THEIRS };

	for (int end = 0; end < 2; end++) {
		r.base[end] = c->from[0] + (end ? c->count[0] : 0);
		r.side[k][end] = c->from[1] + (end ? c->count[1] : 0);
		r.side[1 - k][end] = (size_t)((int64_t)r.base[end] + shift);
	}
	return r;
}

/* Two changes that overlap, each widened to where the other begins and ends. */
static struct region both_sided(const struct lines_change *const c[2])
{
	struct region r = { .kind = CONFLICT };
	size_t end[2] = { c[0]->from[0] + c[0]->count[0], c[1]->from[0] + c[1]->count[0] };

	r.base[0] = c[0]->from[0] < c[1]->from[0] ? c[0]->from[0] : c[1]->from[0];
	r.base[1] = end[0] > end[1] ? end[0] : end[1];
	for (int k = 0; k < 2; k++) {
		r.side[k][0] = c[k]->from[1] - (c[k]->from[0] - r.base[0]);
		r.side[k][1] = c[k]->from[1] + c[k]->count[1] + (r.base[1] - end[k]);
	}
	return r;
}

/* Goes over the changes of both sides in the order of the base. Those that are the same are no
 * region: what ours has there is taken. */
static struct regions find_regions(struct state *s)
{
	struct regions out = { NULL, 0, 0 };
	size_t i[2] = { 0, 0 };
	int64_t shift[2] = { 0, 0 }; /* side line - base line, behind the changes that are done */

	while (i[0] < s->d[0].n || i[1] < s->d[1].n) {
		const struct lines_change *c[2];
		size_t end[2];
		struct region r;

		for (int k = 0; k < 2; k++) {
			c[k] = i[k] < s->d[k].n ? &s->d[k].change[i[k]] : NULL;
			end[k] = c[k] != NULL ? c[k]->from[0] + c[k]->count[0] : SIZE_MAX;
		}
		for (int k = 0; k < 2; k++)
			if (c[k] != NULL && (c[1 - k] == NULL || end[k] < c[1 - k]->from[0])) {
				r = one_sided(c[k], k, shift[1 - k]);
				add_change(s, &out, &r);
				end[1 - k] = SIZE_MAX;
				break;
			}
		if (end[0] != SIZE_MAX && end[1] != SIZE_MAX && !same_change(s, c[0], c[1])) {
			r = both_sided(c);
			add_change(s, &out, &r);
		}
		for (int k = 0; k < 2; k++)
			if (end[k] <= end[1 - k] && c[k] != NULL) {
				shift[k] += (int64_t)c[k]->count[1] - (int64_t)c[k]->count[0];
				i[k]++;
			}
		cmd_charge(s->g->c, 1);
	}
	return out;
}

/* --- conflicts made smaller --- */

/* A conflict without the lines both sides have in common: several smaller ones. */
static void refine(struct state *s, const struct region *r, struct regions *out)
{
	struct git *g = s->g;
	struct buf text[2] = { buf_in(g->a), buf_in(g->a) };
	struct region part = *r;
	struct lines l;

	if (r->side[0][0] == r->side[0][1] || r->side[1][0] == r->side[1][1]) {
		add_region(s, out, r);
		return;
	}
	for (int k = 0; k < 2; k++)
		for (size_t i = r->side[k][0]; i < r->side[k][1]; i++)
			buf_add(&text[k], side_line(s, k, i));
	lines_diff(g, g->a, buf_bytes(&text[0]), buf_bytes(&text[1]), s->m->lines, &l);
	if (l.n == 0) {
		part.kind = ALIKE;
		add_region(s, out, &part);
	}
	for (size_t i = 0; i < l.n; i++) {
		for (int k = 0; k < 2; k++) {
			part.side[k][0] = r->side[k][0] + l.change[i].from[k];
			part.side[k][1] = part.side[k][0] + l.change[i].count[k];
		}
		add_region(s, out, &part);
	}
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

/* Conflicts with at most three lines between them read better as one; where it is wished, also
 * those with nothing but punctuation between. */
static void join_near(struct state *s, struct regions *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct region *r = &l->at[i];
		struct region *last = kept > 0 ? &l->at[kept - 1] : NULL;

		if (last != NULL && r->kind == CONFLICT && last->kind == CONFLICT &&
		    (r->side[0][0] - last->side[0][1] <= NEAR ||
		     (s->m->punctuation && !has_alnum(s, last->side[0][1], r->side[0][0])))) {
			for (int k = 0; k < 2; k++)
				last->side[k][1] = r->side[k][1];
			last->base[1] = r->base[1];
			continue;
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

		if (r->kind != CONFLICT)
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
		if (r->kind == CONFLICT)
			put_conflict(s, r);
		else if (r->kind == THEIRS)
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
			if (first.at[i].kind == CONFLICT)
				refine(&s, &first.at[i], &all);
			else
				add_region(&s, &all, &first.at[i]);
		}
		join_near(&s, &all);
	} else {
		all = first;
		if (m->style == MERGE_STYLE_ZDIFF3)
			trim_common(&s, &all);
	}
	put_all(&s, &all);
	m->result = (struct bytes){ buf_cstr(&s.out), s.out.len };
}
