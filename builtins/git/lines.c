/* SPDX-License-Identifier: MIT
 *
 * Which lines change between two texts: equal ends are cut off, lines the other side does not
 * have are left out, the rest goes through Myers' algorithm in linear space; last, runs of
 * changes are moved to where they read best (slide.c).
 */
#include "builtins/git/lines.h"
#include "builtins/git/slide.h"
#include "builtins/myers.h"

enum { HASH_MIN = 64, COST_MIN = 256, MANY_MAX = 1024, TAIL_BLOCK = 1024 };

/* Behind the line that begins at `at`, which lies within the text. */
static size_t line_end(struct bytes text, size_t at)
{
	const char *end = memchr(text.ptr + at, '\n', text.len - at);

	return end != NULL ? (size_t)(end - text.ptr) + 1 : text.len;
}

size_t lines_split(struct arena *a, struct bytes text, struct bytes **out)
{
	size_t n = 0;
	size_t at = 0;

	for (; at < text.len; n++)
		at = line_end(text, at);
	*out = arena_alloc(a, (n + 1) * sizeof(**out));
	at = 0;
	for (size_t i = 0; i < n; i++) {
		size_t to = line_end(text, at);

		(*out)[i] = bytes_slice(text, at, to);
		at = to;
	}
	return n;
}

bool lines_binary(struct bytes data)
{
	return data.len != 0 && memchr(data.ptr, '\0', data.len < 8000 ? data.len : 8000) != NULL;
}

bool lines_blank(struct bytes line, unsigned flags)
{
	if (!(flags & LINES_SPACE))
		return line.len <= 1 && (line.len == 0 || line.ptr[0] == '\n');
	for (size_t i = 0; i < line.len; i++)
		if (!byte_is_space((unsigned char)line.ptr[i]))
			return false;
	return true;
}

/* --- lines into classes --- */

struct bytes lines_compared(struct arena *a, struct bytes line, unsigned flags)
{
	struct buf out = buf_in(a);
	size_t end = line.len;

	if (!(flags & LINES_SPACE))
		return line;
	if (flags == LINES_IGNORE_CR_AT_EOL || !(flags & 7)) {
		if (end > 1 && line.ptr[end - 1] == '\n' && line.ptr[end - 2] == '\r') {
			buf_put(&out, line.ptr, end - 2);
			buf_putc(&out, '\n');
			return buf_bytes(&out);
		}
		return line;
	}
	while (end > 0 && byte_is_space((unsigned char)line.ptr[end - 1]))
		end--;
	if (!(flags & (LINES_IGNORE_ALL_SPACE | LINES_IGNORE_SPACE_CHANGE)))
		return (struct bytes){ line.ptr, end };
	for (size_t i = 0; i < end; i++) {
		bool space = byte_is_space((unsigned char)line.ptr[i]);

		if (!space)
			buf_putc(&out, line.ptr[i]);
		else if (!(flags & LINES_IGNORE_ALL_SPACE) &&
			 (i == 0 || !byte_is_space((unsigned char)line.ptr[i - 1])))
			buf_putc(&out, ' ');
	}
	return buf_bytes(&out);
}

bool lines_equal(struct arena *a, struct bytes x, struct bytes y, unsigned flags)
{
	return bytes_eq(x, y) ||
	       ((flags & LINES_SPACE) != 0 &&
		bytes_eq(lines_compared(a, x, flags), lines_compared(a, y, flags)));
}

struct class_slot {
	struct bytes text;
	uint64_t hash;
	uint32_t class; /* 0: free */
};

static void classify(struct git *g, struct arena *a, unsigned flags, struct lines *l,
		     uint32_t *classes)
{
	size_t total = l->file[0].n + l->file[1].n;
	size_t cap = HASH_MIN;
	struct class_slot *table;

	while (cap < total * 2)
		cap *= 2;
	table = arena_zalloc(a, cap * sizeof(*table));
	*classes = 0;
	for (int which = 0; which < 2; which++) {
		struct lines_file *f = &l->file[which];

		f->class = arena_alloc(a, (f->n + 1) * sizeof(*f->class));
		for (size_t i = 0; i < f->n; i++) {
			struct bytes text = lines_compared(a, f->line[i], flags);
			uint64_t hash = bytes_hash(text);
			size_t at = hash & (cap - 1);

			while (table[at].class != 0 &&
			       !(table[at].hash == hash && bytes_eq(table[at].text, text)))
				at = (at + 1) & (cap - 1);
			if (table[at].class == 0)
				table[at] = (struct class_slot){ text, hash, ++*classes };
			f->class[i] = table[at].class;
			cmd_charge_bytes(g->c, text.len * 2);
		}
	}
}

/* --- what takes part --- */

static size_t many_for(size_t n)
{
	size_t root = 1;

	while (n > 0) {
		n >>= 2;
		root <<= 1;
	}
	return root < MANY_MAX ? root : MANY_MAX;
}

enum { LEAVE, TAKE, MANY };

/* Whether a line that occurs often is among lines that are left out anyway. */
static bool drop_many(const char *mark, size_t i, size_t from, size_t to)
{
	size_t lo = i > from + 100 ? i - 100 : from;
	size_t hi = to - 1 - i > 100 ? i + 100 : to - 1;
	size_t left0 = 0, left1 = 0, right0 = 0, right1 = 0;

	for (size_t r = 1; i >= lo + r; r++) {
		if (mark[i - r] == LEAVE)
			left0++;
		else if (mark[i - r] == MANY)
			left1++;
		else
			break;
	}
	if (left0 == 0)
		return false;
	for (size_t r = 1; i + r <= hi; r++) {
		if (mark[i + r] == LEAVE)
			right0++;
		else if (mark[i + r] == MANY)
			right1++;
		else
			break;
	}
	if (right0 == 0)
		return false;
	right0 += left0;
	right1 += left1 + 2;
	return right1 * 4 < right1 + right0;
}

static struct myers_side take_part(struct git *g, struct arena *a, struct lines *l, int which,
				   const uint32_t *others, size_t from, size_t to)
{
	struct lines_file *f = &l->file[which];
	char *mark = arena_alloc(a, f->n + 1);
	struct myers_side s = { arena_alloc(a, (f->n + 1) * sizeof(uint32_t)),
				arena_alloc(a, (f->n + 1) * sizeof(size_t)), 0, f->changed };
	size_t many = many_for(f->n);

	for (size_t i = from; i < to; i++) {
		uint32_t n = others[f->class[i]];

		mark[i] = n == 0 ? LEAVE : n >= many ? MANY : TAKE;
	}
	for (size_t i = from; i < to; i++) {
		if (mark[i] == TAKE || (mark[i] == MANY && !drop_many(mark, i, from, to))) {
			s.class[s.n] = f->class[i];
			s.real[s.n++] = i;
		} else {
			f->changed[i] = 1;
		}
	}
	cmd_charge(g->c, (to - from) / 4 + 1);
	return s;
}

void lines_compare(struct git *g, struct arena *a, struct lines *l, unsigned flags,
		   uint32_t classes)
{
	struct lines_file *f = l->file;
	size_t from = 0;
	size_t tail = 0;
	uint32_t *count[2];
	struct myers_side s[2];

	while (from < f[0].n && from < f[1].n && f[0].class[from] == f[1].class[from])
		from++;
	while (tail < f[0].n - from && tail < f[1].n - from &&
	       f[0].class[f[0].n - 1 - tail] == f[1].class[f[1].n - 1 - tail])
		tail++;
	for (int i = 0; i < 2; i++) {
		count[i] = arena_zalloc(a, (classes + 1) * sizeof(uint32_t));
		for (size_t j = 0; j < f[i].n; j++)
			count[i][f[i].class[j]]++;
	}
	for (int i = 0; i < 2; i++)
		s[i] = take_part(g, a, l, i, count[1 - i], from, f[i].n - tail);
	myers_mark(g->c, a, s,
		   &(struct myers_effort){ .cost_min = COST_MIN,
					   .minimal = (flags & LINES_MINIMAL) != 0,
					   .snakes = true });
}

/* --- the list of changes --- */

static void list_changes(struct git *g, struct arena *a, struct lines *l, unsigned flags)
{
	const struct lines_file *f = l->file;
	size_t i[2] = { 0, 0 };
	size_t cap = 0;

	l->n = 0;
	l->change = NULL;
	while (i[0] < f[0].n || i[1] < f[1].n) {
		struct lines_change c = { { i[0], i[1] }, { 0, 0 }, false };
		bool blank = (flags & LINES_IGNORE_BLANK_LINES) != 0;

		for (int w = 0; w < 2; w++) {
			while (i[w] < f[w].n && f[w].changed[i[w]]) {
				blank = blank && lines_blank(f[w].line[i[w]], flags);
				i[w]++;
			}
			c.count[w] = i[w] - c.from[w];
		}
		if (c.count[0] != 0 || c.count[1] != 0) {
			if (l->n == cap) {
				size_t bigger = cap * 2 + 16;

				l->change = arena_grow(a, l->change, cap * sizeof(c),
						       bigger * sizeof(c));
				cap = bigger;
			}
			c.ignored = blank;
			l->change[l->n++] = c;
			continue;
		}
		i[0]++;
		i[1]++;
	}
	cmd_charge(g->c, (f[0].n + f[1].n) / 16 + 1);
}

/* How many last lines are in equal blocks of TAIL_BLOCK bytes at the end of both texts, as git
 * leaves them out: lines that occur often are judged without them, and no change moves into them.
 */
static size_t equal_tail(struct bytes one, struct bytes two)
{
	size_t least = one.len < two.len ? one.len : two.len;
	size_t tail = 0;
	size_t n = 0;
	const char *nl;

	while (tail + TAIL_BLOCK <= least &&
	       memcmp(one.ptr + one.len - tail - TAIL_BLOCK, two.ptr + two.len - tail - TAIL_BLOCK,
		      TAIL_BLOCK) == 0)
		tail += TAIL_BLOCK;
	if (tail == 0)
		return 0;
	struct bytes rest = bytes_slice(one, one.len - tail, one.len);

	while (rest.len != 0 && (nl = memchr(rest.ptr, '\n', rest.len)) != NULL) {
		n++;
		rest = bytes_slice(rest, (size_t)(nl - rest.ptr) + 1, rest.len);
	}
	/* The first one may have begun before the tail; a last one may have no newline. */
	return n != 0 ? n - 1 + (rest.len != 0) : 0;
}

void lines_diff(struct git *g, struct arena *a, struct bytes one, struct bytes two, unsigned flags,
		struct lines *out)
{
	lines_diff_anchored(g, a, one, two, flags, NULL, out);
}

void lines_diff_anchored(struct git *g, struct arena *a, struct bytes one, struct bytes two,
			 unsigned flags, const struct names *anchors, struct lines *out)
{
	uint32_t classes;
	size_t tail = flags & LINES_NO_CONTEXT ? equal_tail(one, two) : 0;

	*out = (struct lines){ .anchors = anchors };
	out->file[0].n = lines_split(a, one, &out->file[0].line);
	out->file[1].n = lines_split(a, two, &out->file[1].line);
	for (int i = 0; i < 2; i++)
		out->file[i].changed = (char *)arena_zalloc(a, out->file[i].n + 2) + 1;
	for (int i = 0; i < 2; i++)
		out->file[i].n -= tail;
	classify(g, a, flags, out, &classes);
	if (flags & (LINES_PATIENCE | LINES_HISTOGRAM))
		lines_compare_unique(g, a, out, flags, classes);
	else
		lines_compare(g, a, out, flags, classes);
	slide_changes(g, out, 0, (flags & LINES_NO_INDENT_HEURISTIC) == 0);
	slide_changes(g, out, 1, (flags & LINES_NO_INDENT_HEURISTIC) == 0);
	for (int i = 0; i < 2; i++)
		out->file[i].n += tail;
	list_changes(g, a, out, flags);
}
