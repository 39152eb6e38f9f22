/* SPDX-License-Identifier: MIT
 *
 * patch --merge: where a hunk's old lines fit best, and the three texts there as one. The old
 * text is the hunk's; what the file and what the hunk made of it are two lists of changes, of
 * which those that touch each other are in conflict, if they don't say the same.
 */
#include "builtins/myers.h"
#include "builtins/patch/patch.h"

/* Old lines from..to became others: lines of the file, or of the hunk. */
struct change {
	size_t from, to;
	size_t new_from, new_to;
};

struct changes {
	struct change *list;
	size_t n;
	size_t at;
};

struct merge {
	struct patch_target *t;
	const struct patch_opts *o;
	const struct patch_hunk *h;
	const struct patch_line **old; /* the hunk's old lines */
	const struct patch_line **new;
	size_t where; /* in the file, from 0 */
	bool exact;
	bool fits;
	size_t beyond;  /* lines of the file that are missing in front of it */
	size_t matched; /* lines of the file that stand for the old ones */
	struct changes mine;
	struct changes theirs;
	struct patch_merged *out;
	int64_t said;   /* where, if nothing fits, even if the file ends before */
	size_t *excess; /* what later places are too large by, as GNU patch says them */
	int first;
};

enum { NONE, MERGED, APPLIED, CONFLICT };

/* --- where ---
 *
 * A place is good if few lines have to go or to come. It has at least as many lines as the hunk
 * deletes and, once something is found, as what was found; at most all kept lines differ. */

struct search {
	struct patch_target *t;
	const struct patch_opts *o;
	const struct patch_line **old;
	size_t n;
	bool to_end;   /* the text has to go to the end of the file */
	size_t *reach; /* of each diagonal: old lines passed plus 1; 0: none */
};

static bool same_line(const struct search *s, size_t i, size_t at)
{
	return patch_same_line(s->t, s->o, s->old[i], at);
}

/* How many lines have to go and to come, so that a text from line `from` on becomes the old
 * lines; it has at least `least` lines. More than `most` changes: most + 1. */
static size_t count_changes(const struct search *s, size_t from, size_t least, size_t most,
			    size_t *end)
{
	size_t lines = s->t->n - from;

	memset(s->reach, 0, (2 * most + 3) * sizeof(*s->reach));
	for (size_t d = 0; d <= most; d++) {
		cmd_charge(s->t->c, d + 1);
		/* Diagonals are lines passed here minus old lines, plus most + 1. */
		for (size_t i = 0; i <= d; i++) {
			size_t k = most + 1 + d - 2 * i;
			size_t *v = &s->reach[k];
			size_t x = d == 0 ? 1 : v[1] != 0 ? v[1] + 1 : 0;

			if (d > 0 && v[-1] > x)
				x = v[-1];
			if (x == 0 || x - 1 > s->n || x + k < most + 2 ||
			    x + k - most - 2 > lines) {
				*v = 0;
				continue;
			}
			size_t y = x + k - most - 2;

			for (x--; x < s->n && y < lines && same_line(s, x, from + y); x++)
				y++;
			*v = x + 1;
			if (x == s->n && y >= least) {
				*end = y;
				return d;
			}
		}
	}
	return most + 1;
}

/* Tries the lines from low to high, the nearest to guess first, and keeps the best. */
static void try_lines(struct merge *m, struct search *s, int64_t guess, int64_t low, int64_t high)
{
	size_t kept = m->h->old_count + m->h->new_count - m->h->n;
	size_t least = s->n - kept;
	size_t most = 2 * kept;
	int64_t far = guess - low > high - guess ? guess - low : high - guess;

	for (int64_t i = 0; i <= 2 * far + 1; i++) {
		int64_t from = (i & 1) == 0 ? guess + i / 2 : guess - i / 2 - 1;

		if (from < low || from > high)
			continue;
		size_t rest = s->t->n - (size_t)from;
		size_t end = 0;
		size_t d = count_changes(s, (size_t)from, s->to_end && rest > least ? rest : least,
					 most, &end);

		if (d > most)
			continue;
		m->fits = true;
		m->where = (size_t)from;
		m->matched = end;
		if (d == 0)
			return;
		most = d - 1;
		least = end;
	}
}

/* Sets where and matched: the exact text, or what is most like it. */
static void locate(struct merge *m)
{
	struct patch_target *t = m->t;
	size_t n = m->h->old_count;
	size_t kept = n + m->h->new_count - m->h->n;
	size_t before, after;
	int64_t offset = t->offset;
	int64_t guess = (int64_t)m->h->old_first - 1 + offset;
	int64_t low = (int64_t)t->frozen;
	int64_t high = (int64_t)t->n - (int64_t)(n > kept ? n - kept : 1);
	size_t exact = patch_locate(t, m->o, m->h, 0);

	m->said = guess;
	guess = guess < low ? low : guess > (int64_t)t->n ? (int64_t)t->n : guess;
	m->exact = exact != 0;
	m->where = exact != 0 ? exact - 1 : (size_t)guess;
	m->matched = exact != 0 ? n : 0;
	if (n == 0 || exact != 0)
		return;
	t->offset = offset;
	patch_context(m->h, &before, &after);

	struct search s = {
		t, m->o,           m->old,
		n, before > after, arena_array(t->c->arena, 4 * kept + 3, sizeof(size_t))
	};

	if (before < after && m->h->old_first <= 1 && low == 0)
		try_lines(m, &s, 0, 0, high < 0 ? high : 0);
	if (!m->fits)
		try_lines(m, &s, guess, low, high);
}

/* --- changes --- */

static void add_change(struct changes *s, struct change c)
{
	s->list[s->n++] = c;
}

/* The hunk's own changes. */
static void find_theirs(struct merge *m)
{
	size_t old = 0;
	size_t new = 0;

	for (size_t i = 0; i < m->h->n;) {
		struct change c = { old, old, new, new };

		for (; i < m->h->n && m->h->line[i].kind != ' '; i++)
			if (m->h->line[i].kind == '-')
				c.to++;
			else
				c.new_to++;
		if (c.to > c.from || c.new_to > c.new_from)
			add_change(&m->theirs, c);
		old = c.to + 1;
		new = c.new_to + 1;
		i++;
	}
}

/* Numbers of lines: equal lines have equal ones. */
static void number_lines(struct merge *m, uint32_t *old, uint32_t *mine)
{
	struct arena *a = m->t->c->arena;
	size_t n = m->h->old_count;
	size_t mask = 1;

	while (mask < 2 * (n + m->matched) + 2)
		mask *= 2;
	uint32_t *seen = arena_array(a, mask--, sizeof(*seen)); /* an old line plus 1 */

	for (size_t i = 0; i < n + m->matched; i++) {
		struct bytes text = i < n ? m->old[i]->text : m->t->line[m->where + i - n];
		size_t at = (size_t)patch_hash_line(m->o, text) & mask;

		for (; seen[at] != 0; at = (at + 1) & mask) {
			const struct patch_line *l = m->old[seen[at] - 1];

			cmd_charge(m->t->c, 1);
			if (i < n ? patch_equal(m->o, l->text, text) &&
					    l->unended == m->old[i]->unended
				  : patch_same_line(m->t, m->o, l, m->where + i - n))
				break;
		}
		if (i < n && seen[at] == 0)
			seen[at] = (uint32_t)i + 1;
		if (i < n)
			old[i] = seen[at];
		else /* a number of its own: it is nowhere else */
			mine[i - n] = seen[at] != 0 ? seen[at] : (uint32_t)i + 1;
	}
}

/* What the file made of the old lines. */
static void find_mine(struct merge *m)
{
	struct arena *a = m->t->c->arena;
	size_t n[2] = { m->h->old_count, m->matched };
	struct myers_side side[2];

	for (int k = 0; k < 2; k++) {
		side[k].n = (int64_t)n[k];
		side[k].class = arena_array(a, n[k] + 1, sizeof(*side[k].class));
		side[k].real = arena_array(a, n[k] + 1, sizeof(*side[k].real));
		side[k].changed = arena_array(a, n[k] + 1, 1);
		for (size_t i = 0; i < n[k]; i++)
			side[k].real[i] = i;
	}
	number_lines(m, side[0].class, side[1].class);
	myers_mark(m->t->c, a, side, &(struct myers_effort){ .minimal = true });
	for (size_t x = 0, y = 0; x < n[0] || y < n[1]; x++, y++) {
		struct change c = { x, x, y, y };

		while (c.to < n[0] && side[0].changed[c.to])
			c.to++;
		while (c.new_to < n[1] && side[1].changed[c.new_to])
			c.new_to++;
		if (c.to > x || c.new_to > y)
			add_change(&m->mine, c);
		x = c.to;
		y = c.new_to;
	}
}

/* --- the result --- */

static void put_mine(struct merge *m, size_t from, size_t to)
{
	m->t->frozen = m->where + from;
	patch_copy_lines(m->t, m->where + to);
}

static void put_lines(struct merge *m, const struct patch_line **line, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		patch_put_line(m->t, line[i]->text, !line[i]->unended);
}

static void put_mark(struct merge *m, const char *mark)
{
	patch_put_line(m->t, bytes_of(mark), true);
}

static void say(struct merge *m, int what, size_t first, size_t last)
{
	static const char *const words[] = {
		[MERGED] = "merged", [APPLIED] = "already applied", [CONFLICT] = "NOT MERGED"
	};
	struct buf *text = &m->out->places;

	if (what != CONFLICT && m->o->silent)
		return;
	/* The word is left out where it is the first one, not the one before. */
	if (what != m->first)
		buf_printf(text, "%s%s at ", m->first != NONE ? ", " : " ", words[what]);
	else
		buf_putc(text, ',');
	if (m->first == NONE)
		m->first = what;
	buf_printf(text, "%zu", first + *m->excess + m->beyond);
	if (last > first)
		buf_printf(text, "-%zu", last + *m->excess + m->beyond);
}

static bool says_same(const struct merge *m, struct change mine, struct change theirs)
{
	if (mine.new_to - mine.new_from != theirs.new_to - theirs.new_from)
		return false;
	for (size_t i = 0; i < mine.new_to - mine.new_from; i++)
		if (!patch_same_line(m->t, m->o, m->new[theirs.new_from + i],
				     m->where + mine.new_from + i))
			return false;
	return true;
}

/* Changes of one text that touch the range, which they may widen; lines in front of and behind
 * them are as they were. */
static bool widen(struct changes *s, struct change *range)
{
	bool wider = false;

	while (s->at < s->n && s->list[s->at].from <= range->to) {
		wider = true;
		range->to = s->list[s->at].to > range->to ? s->list[s->at].to : range->to;
		s->at++;
	}
	return wider;
}

/* The range of a text that stands for old lines from..to, by its changes up to the current. */
static struct change side_of(const struct changes *s, size_t from_change, struct change range)
{
	struct change out = range;
	int64_t shift = 0;

	if (from_change > 0)
		shift = (int64_t)s->list[from_change - 1].new_to -
			(int64_t)s->list[from_change - 1].to;
	out.new_from = (size_t)((int64_t)range.from + shift);
	if (s->at > 0)
		shift = (int64_t)s->list[s->at - 1].new_to - (int64_t)s->list[s->at - 1].to;
	out.new_to = (size_t)((int64_t)range.to + shift);
	return out;
}

static void put_conflict(struct merge *m, struct change mine, struct change theirs)
{
	struct change tail = mine;

	/* Without the old text in between, equal lines at both ends are nobody's. */
	while (m->o->merge == PATCH_MERGE && mine.new_from < mine.new_to &&
	       theirs.new_from < theirs.new_to &&
	       patch_same_line(m->t, m->o, m->new[theirs.new_from], m->where + mine.new_from)) {
		mine.new_from++;
		theirs.new_from++;
	}
	put_mine(m, tail.new_from, mine.new_from);
	while (m->o->merge == PATCH_MERGE && mine.new_from < mine.new_to &&
	       theirs.new_from < theirs.new_to &&
	       patch_same_line(m->t, m->o, m->new[theirs.new_to - 1], m->where + mine.new_to - 1)) {
		mine.new_to--;
		theirs.new_to--;
	}
	size_t first = m->t->put + 1;

	put_mark(m, "<<<<<<<");
	put_mine(m, mine.new_from, mine.new_to);
	if (m->o->merge == PATCH_MERGE_DIFF3) {
		put_mark(m, "|||||||");
		put_lines(m, m->old, mine.from, mine.to);
	}
	put_mark(m, "=======");
	put_lines(m, m->new, theirs.new_from, theirs.new_to);
	put_mark(m, ">>>>>>>");
	say(m, CONFLICT, first, m->t->put);
	put_mine(m, mine.new_to, tail.new_to);
	m->out->conflict = true;
}

/* The next changes that touch each other, and the lines in front of them. */
static void put_group(struct merge *m)
{
	size_t at[2] = { m->mine.at, m->theirs.at };
	const struct change *a = at[0] < m->mine.n ? &m->mine.list[at[0]] : NULL;
	const struct change *b = at[1] < m->theirs.n ? &m->theirs.list[at[1]] : NULL;
	size_t from = a == NULL || (b != NULL && b->from < a->from) ? b->from : a->from;
	struct change range = { from, from, 0, 0 };
	bool mine_changes = false;
	bool theirs_change = false;

	for (bool more = true; more;) {
		bool one = widen(&m->mine, &range);
		bool other = widen(&m->theirs, &range);

		mine_changes |= one;
		theirs_change |= other;
		more = one || other;
	}
	struct change mine = side_of(&m->mine, at[0], range);
	struct change theirs = side_of(&m->theirs, at[1], range);
	size_t first = m->t->put + 1 + (m->where + mine.new_from - m->t->frozen);

	patch_copy_lines(m->t, m->where + mine.new_from);
	if (!theirs_change) {
		put_mine(m, mine.new_from, mine.new_to);
	} else if (!mine_changes) {
		put_lines(m, m->new, theirs.new_from, theirs.new_to);
		say(m, MERGED, first, m->t->put);
		*m->excess += range.to - range.from;
	} else if (says_same(m, mine, theirs)) {
		put_mine(m, mine.new_from, mine.new_to);
		say(m, APPLIED, first, m->t->put);
	} else {
		put_conflict(m, mine, theirs);
	}
	m->t->frozen = m->where + mine.new_to;
}

void patch_merge(struct patch_target *t, const struct patch_opts *o, const struct patch_hunk *h,
		 struct patch_merged *out)
{
	struct arena *a = t->c->arena;
	struct merge m = { .t = t, .o = o, .h = h, .out = out, .excess = &t->excess };
	size_t n[2] = { 0, 0 };

	*out = (struct patch_merged){ .places = buf_in(a) };
	m.old = arena_array(a, h->n + 1, sizeof(*m.old));
	m.new = arena_array(a, h->n + 1, sizeof(*m.new));
	for (size_t i = 0; i < h->n; i++) {
		if (h->line[i].kind != '+')
			m.old[n[0]++] = &h->line[i];
		if (h->line[i].kind != '-')
			m.new[n[1]++] = &h->line[i];
	}
	locate(&m);
	if (!m.exact && !m.fits && m.said > (int64_t)m.where)
		m.beyond = (size_t)m.said - m.where;
	if (m.exact || m.fits)
		t->offset = (int64_t)m.where + 1 - (int64_t)h->old_first;
	m.mine.list = arena_array(a, h->n + 1, sizeof(struct change));
	m.theirs.list = arena_array(a, h->n + 1, sizeof(struct change));
	find_theirs(&m);
	find_mine(&m);
	out->plain = m.exact;
	patch_copy_lines(t, m.where);
	while (m.mine.at < m.mine.n || m.theirs.at < m.theirs.n)
		put_group(&m);
}
