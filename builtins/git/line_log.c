/* SPDX-License-Identifier: MIT
 *
 * log -L: ranges of lines, carried from each commit to its parents through the differences. A
 * commit is shown if it changed something in a range; what it shows of it is the whole range.
 */
#include "builtins/git/line_range.h"

struct spans {
	struct line_range *at;
	size_t n;
	size_t cap;
};

/* A file whose ranges are followed. */
struct followed {
	const char *path;
	struct spans ranges;
	struct followed *next;
};

struct line_log {
	struct git *g;
	struct lookup *at;     /* struct followed by the commit's name */
	struct lookup *passed; /* commits that changed nothing: the parent that has all of it */
};

static void add_span(struct git *g, struct spans *s, size_t from, size_t to)
{
	LIST_ROOM(g, s->at, s->n, s->cap);
	s->at[s->n++] = (struct line_range){ from, to };
}

static int span_cmp(const void *a, const void *b)
{
	const struct line_range *x = a;
	const struct line_range *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* In order, those that meet joined, empty ones left out. */
static void tidy(struct git *g, struct spans *s)
{
	size_t kept = 0;

	git_sort(g, s->at, s->n, sizeof(*s->at), span_cmp);
	for (size_t i = 0; i < s->n; i++) {
		struct line_range r = s->at[i];

		if (r.from == r.to)
			continue;
		if (kept > 0 && r.from <= s->at[kept - 1].to)
			s->at[kept - 1].to = r.to > s->at[kept - 1].to ? r.to : s->at[kept - 1].to;
		else
			s->at[kept++] = r;
	}
	s->n = kept;
}

static struct followed *file_of(struct line_log *log, const struct commit *c, const char *path)
{
	struct followed **at = (struct followed **)lookup_at(log->at, oid_key(&c->oid));
	struct followed *f;

	while (*at != NULL && strcmp((*at)->path, path) < 0)
		at = &(*at)->next;
	if (*at != NULL && strcmp((*at)->path, path) == 0)
		return *at;
	f = arena_zalloc(log->g->keep, sizeof(*f));
	*f = (struct followed){ .path = path, .next = *at };
	*at = f;
	return f;
}

/* Ranges that another child of the commit brought as well are joined. */
static void follow(struct line_log *log, const struct commit *c, const char *path,
		   const struct spans *s)
{
	struct followed *f = file_of(log, c, path);

	for (size_t i = 0; i < s->n; i++)
		add_span(log->g, &f->ranges, s->at[i].from, s->at[i].to);
	tidy(log->g, &f->ranges);
}

struct line_log *line_log_new(struct git *g, const struct names *specs, struct commit *c)
{
	struct line_log *log = arena_zalloc(g->keep, sizeof(*log));

	log->g = g;
	log->at = lookup_new(g);
	log->passed = lookup_new(g);
	commit_need(g, c);
	for (size_t i = 0; i < specs->n; i++) {
		const char *spec = specs->at[i];
		const char *end = line_range_skip(spec);
		struct followed *f;
		struct line_range r;
		struct oid o;
		uint32_t mode;
		char *path;

		if (end[0] != ':' || end[1] == '\0')
			git_die(g, "-L argument not 'start,end:file' or ':funcname:file': %s",
				spec);
		path = path_in_work(g, end + 1);
		if (!tree_find(g, &c->tree, path, &mode, &o))
			git_die(g, "There is no path %s in the commit", path);
		f = file_of(log, c, path);
		r = line_range_read(g, git_format(g->a, "%.*s", (int)(end - spec), spec),
				    object_need(g, g->keep, &o, OBJECT_BLOB),
				    f->ranges.n != 0 ? f->ranges.at[f->ranges.n - 1].to + 1 : 1,
				    path);
		add_span(g, &f->ranges, r.from, r.to);
		tidy(g, &f->ranges);
	}
	return log;
}

/* --- across one difference --- */

/* A file in a commit and in its parent. */
struct step {
	struct git *g;
	const char *path;
	const char *before; /* NULL: it was not there */
	struct lines l;
	struct spans touched; /* changes in the ranges: indexes into l.change */
	struct spans ranges;  /* before */
};

static bool meets(const struct line_range *r, const struct lines_change *c)
{
	return r->to > c->from[1] && c->from[1] + c->count[1] > r->from;
}

static void find_touched(struct step *s, const struct spans *ranges)
{
	size_t from = 0;

	for (size_t i = 0; i < s->l.n; i++) {
		const struct lines_change *c = &s->l.change[i];

		while (from < ranges->n && ranges->at[from].to <= c->from[1])
			from++;
		if (from < ranges->n && meets(&ranges->at[from], c))
			add_span(s->g, &s->touched, i, i + 1);
	}
}

/* A stretch that no touched change covers, as the parent numbers its lines. */
static void shift(struct step *s, size_t from, size_t to, size_t *change, int64_t *offset)
{
	while (*change < s->l.n && from >= s->l.change[*change].from[1]) {
		*offset += (int64_t)s->l.change[*change].count[0] -
			   (int64_t)s->l.change[*change].count[1];
		++*change;
	}
	if (from < to)
		add_span(s->g, &s->ranges, (size_t)((int64_t)from + *offset),
			 (size_t)((int64_t)to + *offset));
}

static void map_ranges(struct step *s, const struct spans *ranges)
{
	size_t change = 0, t = 0;
	int64_t offset = 0;

	for (size_t i = 0; i < ranges->n; i++) {
		size_t from = ranges->at[i].from;

		cmd_charge(s->g->c, 1);
		while (t < s->touched.n) {
			const struct lines_change *c = &s->l.change[s->touched.at[t].from];

			if (c->from[1] >= ranges->at[i].to)
				break;
			shift(s, from, c->from[1], &change, &offset);
			if (from < c->from[1] + c->count[1])
				from = c->from[1] + c->count[1];
			if (from > ranges->at[i].to)
				break;
			t++;
		}
		shift(s, from, ranges->at[i].to, &change, &offset);
	}
	for (size_t i = 0; i < s->touched.n; i++) {
		const struct lines_change *c = &s->l.change[s->touched.at[i].from];

		add_span(s->g, &s->ranges, c->from[0], c->from[0] + c->count[0]);
	}
	tidy(s->g, &s->ranges);
}

/* Whether the commit changed something in the file's ranges. p NULL: there is no parent. */
static bool step_file(struct step *s, struct commit *c, struct commit *p, const struct followed *f)
{
	struct git *g = s->g;
	struct bytes before = { "", 0 };
	struct oid now, old;
	uint32_t mode;

	s->path = s->before = f->path;
	if (!tree_find(g, &c->tree, f->path, &mode, &now))
		return false;
	if (p == NULL || !commit_file_before(g, p, c, f->path, &s->before, &old)) {
		s->before = NULL;
	} else if (oid_eq(&now, &old)) {
		s->ranges = f->ranges;
		return false;
	} else {
		before = object_need(g, g->keep, &old, OBJECT_BLOB);
	}
	lines_diff(g, g->keep, before, object_need(g, g->keep, &now, OBJECT_BLOB),
		   LINES_NO_INDENT_HEURISTIC | LINES_NO_CONTEXT, &s->l);
	find_touched(s, &f->ranges);
	map_ranges(s, &f->ranges);
	return s->touched.n != 0;
}

/* --- output --- */

static void put_line(struct git *g, const struct diff_opts *o, struct buf *out, char sign,
		     struct bytes line)
{
	bool ended = bytes_ends(line, BYTES("\n"));
	const char *slot = sign == '+' ? "new" : sign == '-' ? "old" : "context";

	buf_printf(out, "%s%c%.*s%s\n", o->use_color ? diff_escape(o, g, slot) : "", sign,
		   (int)(line.len - ended), line.ptr, o->use_color ? COLOR_RESET : "");
	if (!ended)
		buf_puts(out, "\\ No newline at end of file\n");
}

static void put_lines(struct git *g, const struct diff_opts *o, struct buf *out, char sign,
		      const struct lines_file *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		put_line(g, o, out, sign, f->line[i]);
	cmd_charge(g->c, to - from + 1);
}

static const struct lines_change *touched(const struct step *s, size_t i)
{
	return &s->l.change[s->touched.at[i].from];
}

/* One range with the changes from *j on that lie in it. */
static void put_range(struct step *s, const struct diff_opts *o, const struct line_range *r,
		      size_t *j, struct buf *out)
{
	struct git *g = s->g;
	const struct lines_change *first, *last;
	size_t at = r->from, end = *j;

	while (*j < s->touched.n && touched(s, *j)->from[1] + touched(s, *j)->count[1] < r->from)
		++*j;
	if (*j == s->touched.n || touched(s, *j)->from[1] > r->to)
		return;
	for (end = *j; end < s->touched.n && touched(s, end)->from[1] < r->to; end++)
		;
	first = touched(s, *j);
	last = touched(s, end > *j ? end - 1 : *j);
	size_t last_to = last->from[1] + last->count[1];
	int64_t from = (int64_t)first->from[0];
	int64_t to = (int64_t)(last->from[0] + last->count[0]);

	if (r->from < first->from[1])
		from -= (int64_t)(first->from[1] - r->from);
	if (r->to > last_to)
		to += (int64_t)(r->to - last_to);
	buf_printf(out, "%s@@ -%lld,%lld +%zu,%zu @@%s\n",
		   o->use_color ? diff_escape(o, g, "frag") : "",
		   (long long)(from == 0 && to == 0 ? 0 : from + 1), (long long)(to - from),
		   r->from + 1, r->to - r->from, o->use_color ? COLOR_RESET : "");
	for (; *j < s->touched.n && touched(s, *j)->from[1] < r->to; ++*j) {
		const struct lines_change *c = touched(s, *j);
		size_t changed_to = c->from[1] + c->count[1];

		if (at < c->from[1])
			put_lines(g, o, out, ' ', &s->l.file[1], at, c->from[1]);
		at = at > c->from[1] ? at : c->from[1];
		put_lines(g, o, out, '-', &s->l.file[0], c->from[0], c->from[0] + c->count[0]);
		changed_to = changed_to < r->to ? changed_to : r->to;
		if (at < changed_to)
			put_lines(g, o, out, '+', &s->l.file[1], at, changed_to);
		at = at > changed_to ? at : changed_to;
	}
	if (at < r->to)
		put_lines(g, o, out, ' ', &s->l.file[1], at, r->to);
}

static void put_file(struct step *s, const struct diff_opts *o, const struct spans *ranges,
		     struct buf *out)
{
	const char *on = o->use_color ? diff_escape(o, s->g, "meta") : "";
	const char *off = o->use_color ? COLOR_RESET : "";
	const char *old = s->before != NULL ? s->before : s->path;
	size_t j = 0;

	buf_printf(out, "%sdiff --git a/%s b/%s%s\n", on, old, s->path, off);
	buf_printf(out, "%s--- %s%s%s\n", on, s->before != NULL ? "a/" : "",
		   s->before != NULL ? s->before : "/dev/null", off);
	buf_printf(out, "%s+++ b/%s%s\n", on, s->path, off);
	for (size_t i = 0; i < ranges->n; i++)
		put_range(s, o, &ranges->at[i], &j, out);
}

/* --- a commit --- */

/* All files against one parent: whether something changed. before: what it is asked for. */
static bool step_parent(struct line_log *log, struct commit *c, struct commit *p,
			const struct followed *files, const struct diff_opts *o, struct buf *out,
			struct followed **before)
{
	bool changed = false;

	if (p != NULL)
		commit_need(log->g, p);
	for (const struct followed *f = files; f != NULL; f = f->next) {
		struct step s = { .g = log->g };
		struct followed *b;

		if (step_file(&s, c, p, f)) {
			changed = true;
			if (out != NULL)
				put_file(&s, o, &f->ranges, out);
		}
		if (s.before == NULL || s.ranges.n == 0)
			continue;
		b = arena_zalloc(log->g->keep, sizeof(*b));
		*b = (struct followed){ s.before, s.ranges, *before };
		*before = b;
	}
	return changed;
}

static void follow_all(struct line_log *log, const struct commit *p, const struct followed *f)
{
	for (; f != NULL; f = f->next)
		follow(log, p, f->path, &f->ranges);
}

/* Its parent stands for a commit that changed nothing; itself: there is none. */
static void pass(struct line_log *log, struct commit *c, struct commit *parent)
{
	*lookup_at(log->passed, oid_key(&c->oid)) = parent != NULL ? parent : c;
}

/* The nearest one above, or itself, that changed something. */
static struct commit *that_changed(struct line_log *log, struct commit *c)
{
	struct commit *next;

	while ((next = lookup_get(log->passed, oid_key(&c->oid))) != NULL) {
		cmd_charge(log->g->c, 1);
		if (next == c)
			return NULL;
		c = next;
	}
	return c;
}

void line_log_parents(struct line_log *log, struct commit *c)
{
	struct commit **kept = arena_array(log->g->keep, c->nparents + 1, sizeof(struct commit *));
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nparents; i++) {
		struct commit *p = that_changed(log, c->parent[i]);
		bool twice = p == NULL;

		for (uint32_t j = 0; j < n && !twice; j++)
			twice = kept[j] == p;
		if (!twice)
			kept[n++] = p;
	}
	c->parent = kept;
	c->nparents = n;
}

bool line_log_step(struct line_log *log, struct commit *c, const struct diff_opts *o,
		   struct bytes *out)
{
	const struct followed *files = lookup_get(log->at, oid_key(&c->oid));
	struct followed **before = arena_array(log->g->keep, c->nparents + 1, sizeof(*before));
	struct buf b = buf_in(log->g->keep);
	uint32_t n = c->nparents;
	bool changed;

	*out = BYTES("");
	if (files == NULL) {
		pass(log, c, n > 0 ? c->parent[0] : NULL);
		return false;
	}
	if (n <= 1) {
		changed = step_parent(log, c, n == 1 ? c->parent[0] : NULL, files, o, &b, before);
		if (n == 1)
			follow_all(log, c->parent[0], before[0]);
		if (!changed)
			pass(log, c, n > 0 ? c->parent[0] : NULL);
		*out = buf_bytes(&b);
		return changed;
	}
	/* A parent that has all of it as it is answers for it alone. */
	for (uint32_t i = 0; i < n; i++) {
		if (step_parent(log, c, c->parent[i], files, o, NULL, &before[i]))
			continue;
		follow_all(log, c->parent[i], before[i]);
		pass(log, c, c->parent[i]);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		follow_all(log, c->parent[i], before[i]);
	return true;
}
