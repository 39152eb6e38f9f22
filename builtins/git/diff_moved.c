/* SPDX-License-Identifier: MIT
 *
 * --color-moved: lines that went here and came there. The patches are made twice: first their
 * changed lines are noted, in order, and blocks of them that stand on the other side too are
 * looked for; then they are written, each line with what was found.
 */
#include "builtins/git/moved.h"

enum { LETTERS_MIN = 20, TAB_WIDTH = 8, BLANK = -1, UNKNOWN = INT32_MIN };

struct noted {
	char sign;
	bool apart; /* something else stands in front of it */
	int indent; /* of a line of blanks: BLANK */
	uint32_t class;
	uint32_t letters; /* letters and digits, as far as they count */
	unsigned marks;   /* enum moved_marks */
	size_t next;      /* the next one of its class and sign; SIZE_MAX: none */
};

/* A place on the other side that the lines so far match; `line` is the last of it. */
struct place {
	size_t line;
	int shift; /* of the indentation; UNKNOWN: blank lines only */
};

struct moved {
	struct git *g;
	enum moved_mode mode;
	unsigned flags; /* enum lines_flags */
	bool indentation;
	struct lookup *classes;
	struct noted *at;
	size_t n, cap;
	size_t *first[2]; /* of each class; by side: 0 is '-' */
	struct place *place;
	size_t nplaces, places_cap;
	const void *pair;
	size_t end; /* where the last one's text ends in the patch */
	size_t shown;
	bool noting;
};

struct moved *moved_new(struct git *g, const struct diff_opts *o)
{
	struct moved *m = arena_zalloc(g->a, sizeof(*m));

	m->g = g;
	m->mode = moved_mode_of(o->moved);
	m->flags = o->moved_space;
	m->indentation = o->moved_indentation;
	m->classes = lookup_new(g);
	m->noting = true;
	return m;
}

/* --- noting --- */

static struct bytes without_indent(struct bytes line, int *width)
{
	size_t i = 0;
	int n = 0;

	while (i < line.len && (line.ptr[i] == '\f' || line.ptr[i] == '\v' || line.ptr[i] == '\r'))
		i++;
	for (; i < line.len && byte_is_blank((unsigned char)line.ptr[i]); i++)
		n = line.ptr[i] == ' ' ? n + 1 : n + TAB_WIDTH - n % TAB_WIDTH;
	*width = lines_blank(bytes_slice(line, i, line.len), LINES_IGNORE_ALL_SPACE) ? BLANK : n;
	return bytes_slice(line, *width == BLANK ? line.len : i, line.len);
}

static uint32_t letters_in(struct bytes line)
{
	uint32_t n = 0;

	for (size_t i = 0; i < line.len && n < LETTERS_MIN; i++)
		n += byte_is_alnum((unsigned char)line.ptr[i]);
	return n;
}

static uint32_t class_of(struct moved *m, struct bytes text)
{
	void **at = lookup_at(m->classes, text);

	if (*at == NULL)
		*at = (void *)(uintptr_t)lookup_count(m->classes);
	return (uint32_t)(uintptr_t)*at;
}

static void note(struct moved *m, char sign, struct bytes line, bool apart)
{
	struct noted l = { .sign = sign, .apart = apart, .next = SIZE_MAX };
	struct bytes text = line;

	l.letters = letters_in(line);
	if (m->indentation)
		text = without_indent(line, &l.indent);
	text = lines_compared(m->g->keep, text, m->flags);
	if (text.ptr >= line.ptr && text.ptr <= line.ptr + line.len)
		text = bytes_of(arena_dup(m->g->keep, text));
	l.class = class_of(m, text);
	cmd_charge_bytes(m->g->c, line.len);
	LIST_ROOM(m->g, m->at, m->n, m->cap);
	m->at[m->n++] = l;
}

unsigned moved_line(struct moved *m, const void *pair, size_t from, char sign, struct bytes line)
{
	bool apart = m->pair != pair || from != m->end;

	m->pair = pair;
	if (m->noting)
		note(m, sign, line, apart);
	else if (m->shown < m->n)
		return m->at[m->shown++].marks;
	return 0;
}

void moved_line_end(struct moved *m, size_t to)
{
	m->end = to;
}

/* --- blocks --- */

static void index_lines(struct moved *m)
{
	size_t classes = lookup_count(m->classes) + 1;

	for (int side = 0; side < 2; side++) {
		m->first[side] = pool_alloc(m->g->c->pool, classes * sizeof(size_t));
		for (size_t i = 0; i < classes; i++)
			m->first[side][i] = SIZE_MAX;
	}
	for (size_t i = m->n; i-- > 0;) {
		size_t *first = &m->first[m->at[i].sign == '+'][m->at[i].class];

		m->at[i].next = *first;
		*first = i;
	}
}

/* The first line like it on the other side. */
static size_t other_side(const struct moved *m, size_t i)
{
	return m->first[m->at[i].sign == '-'][m->at[i].class];
}

/* The places go on to their next lines; those that differ from line i are gone. */
static void advance(struct moved *m, size_t i)
{
	const struct noted *l = &m->at[i];
	size_t kept = 0;

	for (size_t k = 0; k < m->nplaces; k++) {
		struct place p = m->place[k];
		const struct noted *old = &m->at[p.line];
		size_t next = p.line + 1;

		cmd_charge(m->g->c, 1);
		if (next >= m->n || m->at[next].apart || m->at[next].sign != old->sign ||
		    m->at[next].class != l->class)
			continue;
		if (m->indentation && m->at[next].indent != BLANK) {
			int shift = l->indent - m->at[next].indent;

			if (p.shift != UNKNOWN && p.shift != shift)
				continue;
			p.shift = shift;
		}
		p.line = next;
		m->place[kept++] = p;
	}
	m->nplaces = kept;
}

static void start_block(struct moved *m, size_t i)
{
	const struct noted *l = &m->at[i];

	m->nplaces = 0;
	for (size_t k = other_side(m, i); k != SIZE_MAX; k = m->at[k].next) {
		struct place p = { k, 0 };

		cmd_charge(m->g->c, 1);
		if (m->indentation)
			p.shift = l->indent == BLANK ? UNKNOWN : l->indent - m->at[k].indent;
		LIST_ROOM(m->g, m->place, m->nplaces, m->places_cap);
		m->place[m->nplaces++] = p;
	}
}

/* Whether the block of so many lines in front of i is large enough; else it is none. */
static bool end_block(struct moved *m, size_t i, size_t length)
{
	uint32_t letters = 0;

	for (size_t k = 1; k <= length && letters < LETTERS_MIN; k++)
		letters += m->at[i - k].letters;
	if (letters >= LETTERS_MIN)
		return true;
	for (size_t k = 1; k <= length; k++)
		m->at[i - k].marks = 0;
	return false;
}

static void mark_plain(struct moved *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (other_side(m, i) != SIZE_MAX)
			m->at[i].marks = MOVED;
}

/* A block that proves too small is looked at again from its second line on. */
static void mark_blocks(struct moved *m)
{
	size_t length = 0;
	bool flipped = false;
	char sign = '\0';

	for (size_t i = 0; i < m->n; i++) {
		struct noted *l = &m->at[i];
		bool match = other_side(m, i) != SIZE_MAX;

		cmd_charge(m->g->c, 1);
		if (l->apart)
			flipped = false;
		if (m->nplaces != 0 && (!match || l->apart || l->sign != sign)) {
			bool again = !end_block(m, i, length) && length > 1;

			m->nplaces = 0;
			flipped = false;
			if (again) {
				i -= length;
				length = 0;
				sign = '\0';
				continue;
			}
			length = 0;
		}
		if (!match) {
			sign = '\0';
			continue;
		}
		advance(m, i);
		if (m->nplaces == 0) {
			bool large = end_block(m, i, length);

			if (!large && length > 1) {
				i -= length;
				sign = '\0';
				flipped = false;
				length = 0;
				continue;
			}
			start_block(m, i);
			flipped = large && sign == l->sign && !flipped;
			sign = l->sign;
			length = 0;
		}
		length++;
		l->marks = MOVED | (flipped && m->mode != MOVED_BLOCKS ? MOVED_OTHER : 0u);
	}
	end_block(m, m->n, length);
}

/* What is not at the edge between two blocks. */
static void dim(struct moved *m)
{
	const unsigned kind = MOVED | MOVED_OTHER;

	for (size_t i = 0; i < m->n; i++) {
		struct noted *l = &m->at[i];
		const struct noted *prev = i > 0 && !l->apart ? l - 1 : NULL;
		const struct noted *next = i + 1 < m->n && !l[1].apart ? l + 1 : NULL;

		if (!(l->marks & MOVED))
			continue;
		if (prev != NULL && next != NULL && (prev->marks & kind) == (l->marks & kind) &&
		    (next->marks & kind) == (l->marks & kind)) {
			l->marks |= MOVED_DIM;
			continue;
		}
		if (prev != NULL && (prev->marks & MOVED) &&
		    ((prev->marks ^ l->marks) & MOVED_OTHER))
			continue;
		if (next != NULL && (next->marks & MOVED) &&
		    ((next->marks ^ l->marks) & MOVED_OTHER))
			continue;
		l->marks |= MOVED_DIM;
	}
}

void moved_find(struct moved *m)
{
	index_lines(m);
	if (m->mode == MOVED_PLAIN)
		mark_plain(m);
	else
		mark_blocks(m);
	if (m->mode == MOVED_DIMMED_ZEBRA)
		dim(m);
	m->noting = false;
	m->pair = NULL;
}

/* --- colours, options --- */

const char *moved_color(struct git *g, const struct diff_opts *o, char sign, unsigned marks)
{
	static const char *const slots[2][4] = {
		{ "oldmoved", "oldmovedalternative", "oldmoveddimmed",
		  "oldmovedalternativedimmed" },
		{ "newmoved", "newmovedalternative", "newmoveddimmed",
		  "newmovedalternativedimmed" },
	};
	int which = (marks & MOVED_OTHER ? 1 : 0) + (marks & MOVED_DIM ? 2 : 0);

	return diff_escape(o, g, slots[sign == '+'][which]);
}

enum moved_mode moved_mode_of(const char *word)
{
	static const struct {
		const char *word;
		enum moved_mode mode;
	} words[] = {
		{ "no", MOVED_OFF },
		{ "false", MOVED_OFF },
		{ "plain", MOVED_PLAIN },
		{ "blocks", MOVED_BLOCKS },
		{ "zebra", MOVED_ZEBRA },
		{ "default", MOVED_ZEBRA },
		{ "true", MOVED_ZEBRA },
		{ "dimmed-zebra", MOVED_DIMMED_ZEBRA },
		{ "dimmed_zebra", MOVED_DIMMED_ZEBRA },
	};

	for (size_t i = 0; word != NULL && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0)
			return words[i].mode;
	return word == NULL ? MOVED_OFF : MOVED_BAD;
}
