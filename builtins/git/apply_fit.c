/* SPDX-License-Identifier: MIT
 *
 * Where the hunks of a patch fit into a file: at the line they name, else as near to it as they
 * can, with less context if -C allows it.
 */
#include "builtins/git/apply.h"

/* A hunk as it is looked for: lines at both ends may have been given up. */
struct sought {
	const struct hunk *h;
	size_t first, last; /* lines of the hunk: [first, last) */
	size_t old;         /* how many of them the file has */
	bool at_begin, at_end;
	bool loose; /* blanks do not count */
};

static struct bytes without_end(struct bytes s)
{
	while (s.len > 0 && (s.ptr[s.len - 1] == '\n' || s.ptr[s.len - 1] == '\r'))
		s.len--;
	return s;
}

/* loose: one blank is as good as several. */
static bool same_line(struct bytes a, struct bytes b, bool loose)
{
	size_t i = 0, j = 0;

	if (!loose || bytes_eq(a, b))
		return bytes_eq(a, b);
	a = without_end(a);
	b = without_end(b);
	while (i < a.len && j < b.len) {
		bool blank = byte_is_space((unsigned char)a.ptr[i]);

		if (blank != byte_is_space((unsigned char)b.ptr[j]) ||
		    (!blank && a.ptr[i] != b.ptr[j]))
			return false;
		i++;
		j++;
		while (blank && i < a.len && byte_is_space((unsigned char)a.ptr[i]))
			i++;
		while (blank && j < b.len && byte_is_space((unsigned char)b.ptr[j]))
			j++;
	}
	return i == a.len && j == b.len;
}

static bool fits(struct git *g, const struct sought *s, const struct bytes *line, size_t n,
		 size_t at)
{
	for (size_t j = s->first; j < s->last; j++) {
		if (s->h->at[j].sign == '+')
			continue;
		if (at >= n || !same_line(line[at], s->h->at[j].text, s->loose))
			return false;
		at++;
	}
	cmd_charge(g->c, 1);
	return true;
}

static size_t find(struct git *g, const struct sought *s, const struct bytes *line, size_t n,
		   size_t floor, size_t guess)
{
	if (s->at_begin)
		return floor == 0 && fits(g, s, line, n, 0) && (!s->at_end || s->old == n)
			       ? 0
			       : SIZE_MAX;
	if (s->at_end)
		return n >= s->old && n - s->old >= floor && fits(g, s, line, n, n - s->old)
			       ? n - s->old
			       : SIZE_MAX;
	for (size_t d = 0; d <= n; d++) {
		if (guess + d <= n && guess + d >= floor && fits(g, s, line, n, guess + d))
			return guess + d;
		if (d != 0 && d <= guess && guess - d >= floor && fits(g, s, line, n, guess - d))
			return guess - d;
	}
	return SIZE_MAX;
}

static size_t leading(const struct sought *s)
{
	size_t n = 0;

	while (s->first + n < s->last && s->h->at[s->first + n].sign == ' ')
		n++;
	return n;
}

static size_t trailing(const struct sought *s)
{
	size_t n = 0;

	while (s->last > s->first + n && s->h->at[s->last - 1 - n].sign == ' ')
		n++;
	return n;
}

/* One line of context less at the longer end. False: -C does not allow it. */
static bool loosen(const struct apply_opts *o, struct sought *s, size_t *guess)
{
	size_t before = leading(s), behind = trailing(s);
	size_t least = o->context < 0 ? SIZE_MAX : (size_t)o->context;

	if (before <= least && behind <= least)
		return false;
	if (s->at_begin || s->at_end) {
		s->at_begin = s->at_end = false;
		return true;
	}
	if (before >= behind) {
		s->first++;
		s->old--;
		*guess += 1;
	}
	if (behind > leading(s)) {
		s->last--;
		s->old--;
	}
	return true;
}

static size_t locate(struct git *g, const struct apply_opts *o, struct sought *s,
		     const struct bytes *line, size_t n, size_t floor, size_t *guess)
{
	const struct hunk *h = s->h;

	s->first = 0;
	s->last = h->n;
	s->old = h->count[0];
	s->loose = o->ignore_space;
	s->at_end = h->n != 0 && h->at[h->n - 1].sign != ' ' && !o->unidiff_zero;
	s->at_begin = h->from[0] <= 1 && !o->unidiff_zero;
	for (;;) {
		size_t at = find(g, s, line, n, floor, *guess < n ? *guess : n);

		if (at != SIZE_MAX || !loosen(o, s, guess))
			return at;
	}
}

static void say_searched(struct applying *p, const struct hunk *h)
{
	struct buf b = buf_in(p->g->a);

	for (size_t j = 0; j < h->n; j++)
		if (h->at[j].sign != '+')
			buf_add(&b, h->at[j].text);
	git_error(p->g, "while searching for:\n%.*s", (int)b.len, b.ptr);
}

/* A hunk that fits nowhere: whether the others may go on. */
static bool reject(struct applying *p, struct file_patch *f, size_t k, const char *name)
{
	struct git *g = p->g;
	const struct hunk *h = &f->hunk[k];

	if (!p->o.quiet) {
		if (p->o.verbose)
			say_searched(p, h);
		git_error(g, "patch failed: %s:%zu", name, h->from[0]);
	}
	if (!p->o.reject) {
		if (!p->o.quiet)
			git_error(g, "%s: patch does not apply", name);
		return false;
	}
	if (f->rejected == NULL) {
		f->rejected = arena_array(g->keep, f->n, sizeof(*f->rejected));
		memset(f->rejected, 0, f->n * sizeof(*f->rejected));
	}
	f->rejected[k] = true;
	f->rejects++;
	return true;
}

static void say_moved(struct applying *p, size_t k, size_t at, size_t want, const struct sought *s)
{
	long long offset = (long long)at - (long long)want;

	if (p->o.verbose && offset != 0)
		git_say(p->g, "Hunk #%zu succeeded at %zu (offset %lld line%s).\n", k + 1, at + 1,
			offset, offset == 1 ? "" : "s");
	if (!p->o.quiet && s->last - s->first != s->h->n)
		git_say(p->g, "Context reduced to (%zu/%zu) to apply fragment at %zu\n", leading(s),
			trailing(s), at + 1);
}

static void drop_lines(struct buf *out, size_t n)
{
	for (; n > 0 && out->len > 0; n--)
		do
			out->len--;
		while (out->len > 0 && out->ptr[out->len - 1] != '\n');
}

bool apply_hunks(struct applying *p, struct file_patch *f, const char *name, struct bytes text)
{
	struct git *g = p->g;
	struct bytes *line;
	size_t n = lines_split(g->a, text, &line);
	struct buf out = buf_in(g->keep);
	size_t done = 0;
	int64_t shift = 0;

	for (size_t k = 0; k < f->n; k++) {
		struct sought s = { .h = &f->hunk[k] };
		int64_t begin = (int64_t)s.h->from[0] - (s.h->from[0] > 0 && s.h->count[0] > 0);
		int64_t guess = begin + shift;
		size_t want = guess < 0 ? 0 : (size_t)guess > n ? n : (size_t)guess;
		size_t at = locate(g, &p->o, &s, line, n, done, &want);

		if (at == SIZE_MAX) {
			if (!reject(p, f, k, name))
				return false;
			continue;
		}
		say_moved(p, k, at, want, &s);
		shift += (int64_t)at - (int64_t)want;
		for (; done < at; done++)
			buf_add(&out, line[done]);
		for (size_t j = s.first; j < s.last; j++) {
			/* Context stays as the file has it. */
			if (s.h->at[j].sign == ' ')
				buf_add(&out, line[done]);
			else if (s.h->at[j].sign == '+')
				buf_add(&out, s.h->at[j].text);
			done += s.h->at[j].sign != '+';
		}
		if (at + s.old >= n)
			drop_lines(&out, apply_space_end_of_file(p, f, s.h));
	}
	for (; done < n; done++)
		buf_add(&out, line[done]);
	f->result = (struct bytes){ buf_cstr(&out), out.len };
	return true;
}

void apply_write_rejects(struct applying *p, const struct file_patch *f)
{
	struct git *g = p->g;
	struct buf b = buf_in(g->a);

	git_say(g, "Applying patch %s with %zu reject%s...\n", f->name[1], f->rejects,
		f->rejects == 1 ? "" : "s");
	buf_printf(&b, "diff a/%s b/%s\t(rejected hunks)\n", f->name[1], f->name[1]);
	for (size_t k = 0; k < f->n; k++) {
		git_say(g,
			f->rejected[k] ? "Rejected hunk #%zu.\n" : "Hunk #%zu applied cleanly.\n",
			k + 1);
		if (!f->rejected[k])
			continue;
		buf_add(&b, f->hunk[k].raw);
		if (!bytes_ends(f->hunk[k].raw, BYTES("\n")))
			buf_putc(&b, '\n');
	}
	file_write(g, git_format(g->a, "%s.rej", f->name[1]), buf_bytes(&b), 0666);
}
