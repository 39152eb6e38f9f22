/* SPDX-License-Identifier: MIT
 *
 * Which lines change between two texts: equal ends are cut off, lines the other side does not
 * have are left out, the rest goes through Myers' algorithm in linear space; last, runs of
 * changes are moved to where they read best (slide.c).
 */
#include "builtins/git/slide.h"

enum { HASH_MIN = 64, COST_MIN = 256, SNAKE_MIN = 20, HEURISTIC_FACTOR = 4, MANY_MAX = 1024 };

size_t lines_split(struct arena *a, struct bytes text, struct bytes **out)
{
	size_t n = 0;
	size_t at = 0;

	for (const char *p = text.ptr; p < text.ptr + text.len; n++) {
		const char *end = memchr(p, '\n', text.len - (size_t)(p - text.ptr));

		p = end != NULL ? end + 1 : text.ptr + text.len;
	}
	*out = arena_alloc(a, (n + 1) * sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		const char *end = memchr(text.ptr + at, '\n', text.len - at);
		size_t to = end != NULL ? (size_t)(end - text.ptr) + 1 : text.len;

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

/* A line as it is compared: what white space is to be ignored is gone. */
static struct bytes compared(struct arena *a, struct bytes line, unsigned flags)
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
			struct bytes text = compared(a, f->line[i], flags);
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

struct side {
	uint32_t *class;
	size_t *real;
	int64_t n;
};

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
	right1 += left1 + 1;
	return right1 * 4 < right1 + right0;
}

static struct side take_part(struct git *g, struct arena *a, struct lines *l, int which,
			     const uint32_t *others, size_t from, size_t to)
{
	struct lines_file *f = &l->file[which];
	char *mark = arena_alloc(a, f->n + 1);
	struct side s = { arena_alloc(a, (f->n + 1) * sizeof(uint32_t)),
			  arena_alloc(a, (f->n + 1) * sizeof(size_t)), 0 };
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

/* --- the shortest way --- */

struct box {
	int64_t x0, x1, y0, y1;
	bool minimal;
};

struct path {
	struct git *g;
	const uint32_t *x;
	const uint32_t *y;
	int64_t *forward; /* furthest x on each diagonal x - y */
	int64_t *backward;
	int64_t cost_max;
	int64_t snake;
	int64_t heuristic_min;
};

struct split {
	int64_t x, y;
	bool low_minimal, high_minimal;
};

struct reach {
	int64_t min, max;
};

static void widen(struct reach *r, int64_t *v, int64_t low, int64_t high, int64_t none)
{
	if (r->min > low)
		v[--r->min - 1] = none;
	else
		++r->min;
	if (r->max < high)
		v[++r->max + 1] = none;
	else
		--r->max;
}

static bool forward(const struct path *p, const struct box *b, const struct reach *f,
		    const struct reach *back, bool meet, bool *snake, struct split *out)
{
	int64_t *v = p->forward;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = v[k - 1] >= v[k + 1] ? v[k - 1] + 1 : v[k + 1];
		int64_t y = x - k;
		int64_t from = x;

		while (x < b->x1 && y < b->y1 && p->x[x] == p->y[y])
			x++, y++;
		*snake = *snake || x - from > SNAKE_MIN;
		v[k] = x;
		if (meet && back->min <= k && k <= back->max && p->backward[k] <= x) {
			*out = (struct split){ x, y, true, true };
			return true;
		}
	}
	return false;
}

static bool backward(const struct path *p, const struct box *b, const struct reach *f,
		     const struct reach *back, bool meet, bool *snake, struct split *out)
{
	int64_t *v = p->backward;

	for (int64_t k = back->max; k >= back->min; k -= 2) {
		int64_t x = v[k - 1] < v[k + 1] ? v[k - 1] : v[k + 1] - 1;
		int64_t y = x - k;
		int64_t from = x;

		while (b->x0 < x && b->y0 < y && p->x[x - 1] == p->y[y - 1])
			x--, y--;
		*snake = *snake || from - x > SNAKE_MIN;
		v[k] = x;
		if (meet && f->min <= k && k <= f->max && x <= p->forward[k]) {
			*out = (struct split){ x, y, true, true };
			return true;
		}
	}
	return false;
}

static bool run_before(const struct path *p, int64_t x, int64_t y)
{
	for (int64_t k = 1; p->x[x - k] == p->y[y - k]; k++)
		if (k == SNAKE_MIN)
			return true;
	return false;
}

static bool run_behind(const struct path *p, int64_t x, int64_t y)
{
	for (int64_t k = 0; p->x[x + k] == p->y[y + k]; k++)
		if (k == SNAKE_MIN - 1)
			return true;
	return false;
}

/* A long run of equal lines far from the beginning (or end) will do. */
static bool good_enough(const struct path *p, const struct box *b, const struct reach *f,
			const struct reach *back, int64_t cost, struct split *out)
{
	int64_t best = 0;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = p->forward[k];
		int64_t y = x - k;
		int64_t off = k - (b->x0 - b->y0);
		int64_t v = x - b->x0 + (y - b->y0) - (off < 0 ? -off : off);

		if (v > HEURISTIC_FACTOR * cost && v > best && b->x0 + SNAKE_MIN <= x &&
		    x < b->x1 && b->y0 + SNAKE_MIN <= y && y < b->y1 && run_before(p, x, y)) {
			best = v;
			*out = (struct split){ x, y, true, false };
		}
	}
	if (best > 0)
		return true;
	for (int64_t k = back->max; k >= back->min; k -= 2) {
		int64_t x = p->backward[k];
		int64_t y = x - k;
		int64_t off = k - (b->x1 - b->y1);
		int64_t v = b->x1 - x + (b->y1 - y) - (off < 0 ? -off : off);

		if (v > HEURISTIC_FACTOR * cost && v > best && b->x0 < x &&
		    x <= b->x1 - SNAKE_MIN && b->y0 < y && y <= b->y1 - SNAKE_MIN &&
		    run_behind(p, x, y)) {
			best = v;
			*out = (struct split){ x, y, false, true };
		}
	}
	return best > 0;
}

/* Too much was spent: the place furthest from where it began. */
static struct split give_up(const struct path *p, const struct box *b, const struct reach *f,
			    const struct reach *back)
{
	int64_t best = -1, best_x = -1;
	int64_t least = INT64_MAX, least_x = INT64_MAX;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = p->forward[k] < b->x1 ? p->forward[k] : b->x1;
		int64_t y = x - k;

		if (b->y1 < y) {
			x = b->y1 + k;
			y = b->y1;
		}
		if (best < x + y) {
			best = x + y;
			best_x = x;
		}
	}
	for (int64_t k = back->max; k >= back->min; k -= 2) {
		int64_t x = p->backward[k] > b->x0 ? p->backward[k] : b->x0;
		int64_t y = x - k;

		if (y < b->y0) {
			x = b->y0 + k;
			y = b->y0;
		}
		if (x + y < least) {
			least = x + y;
			least_x = x;
		}
	}
	if (b->x1 + b->y1 - least < best - (b->x0 + b->y0))
		return (struct split){ best_x, best - best_x, true, false };
	return (struct split){ least_x, least - least_x, false, true };
}

static struct split find_middle(const struct path *p, const struct box *b)
{
	int64_t low = b->x0 - b->y1;
	int64_t high = b->x1 - b->y0;
	struct reach f = { b->x0 - b->y0, b->x0 - b->y0 };
	struct reach back = { b->x1 - b->y1, b->x1 - b->y1 };
	bool odd = ((f.min - back.min) & 1) != 0;
	struct split out;

	p->forward[f.min] = b->x0;
	p->backward[back.min] = b->x1;
	for (int64_t cost = 1;; cost++) {
		bool snake = false;

		widen(&f, p->forward, low, high, -1);
		if (forward(p, b, &f, &back, odd, &snake, &out))
			return out;
		widen(&back, p->backward, low, high, INT64_MAX);
		if (backward(p, b, &f, &back, !odd, &snake, &out))
			return out;
		cmd_charge(p->g->c, (uint64_t)cost / 4 + 1);
		if (b->minimal)
			continue;
		if (snake && cost > p->heuristic_min && good_enough(p, b, &f, &back, cost, &out))
			return out;
		if (cost >= p->cost_max)
			return give_up(p, b, &f, &back);
	}
}

struct boxes {
	struct box *at;
	size_t n;
	size_t cap;
};

static void push(struct git *g, struct boxes *s, struct box b)
{
	LIST_ROOM(g, s->at, s->n, s->cap);
	s->at[s->n++] = b;
}

static void search(struct git *g, struct lines *l, const struct side s[2], struct path *p,
		   bool minimal)
{
	struct boxes todo = { NULL, 0, 0 };

	push(g, &todo, (struct box){ 0, s[0].n, 0, s[1].n, minimal });
	while (todo.n > 0) {
		struct box b = todo.at[--todo.n];

		while (b.x0 < b.x1 && b.y0 < b.y1 && p->x[b.x0] == p->y[b.y0])
			b.x0++, b.y0++;
		while (b.x0 < b.x1 && b.y0 < b.y1 && p->x[b.x1 - 1] == p->y[b.y1 - 1])
			b.x1--, b.y1--;
		if (b.x0 == b.x1 || b.y0 == b.y1) {
			for (; b.y0 < b.y1; b.y0++)
				l->file[1].changed[s[1].real[b.y0]] = 1;
			for (; b.x0 < b.x1; b.x0++)
				l->file[0].changed[s[0].real[b.x0]] = 1;
			continue;
		}
		struct split m = find_middle(p, &b);

		push(g, &todo, (struct box){ m.x, b.x1, m.y, b.y1, m.high_minimal });
		push(g, &todo, (struct box){ b.x0, m.x, b.y0, m.y, m.low_minimal });
	}
	pool_free(g->c->pool, todo.at, todo.cap * sizeof(*todo.at));
}

static void compare(struct git *g, struct arena *a, struct lines *l, unsigned flags,
		    uint32_t classes)
{
	struct lines_file *f = l->file;
	size_t from = 0;
	size_t tail = 0;
	uint32_t *count[2];
	struct side s[2];

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
	int64_t diagonals = s[0].n + s[1].n + 3;
	int64_t *room = arena_zalloc(a, (size_t)(2 * diagonals + 2) * sizeof(*room));
	struct path p = { .g = g,
			  .x = s[0].class,
			  .y = s[1].class,
			  .cost_max = 1,
			  .forward = room + s[1].n + 1,
			  .backward = room + diagonals + s[1].n + 1,
			  .heuristic_min = COST_MIN };

	for (int64_t rest = diagonals; rest > 0; rest >>= 2)
		p.cost_max <<= 1;
	if (p.cost_max < COST_MIN)
		p.cost_max = COST_MIN;
	search(g, l, s, &p, (flags & LINES_MINIMAL) != 0);
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

void lines_diff(struct git *g, struct arena *a, struct bytes one, struct bytes two, unsigned flags,
		struct lines *out)
{
	uint32_t classes;

	*out = (struct lines){ .n = 0 };
	out->file[0].n = lines_split(a, one, &out->file[0].line);
	out->file[1].n = lines_split(a, two, &out->file[1].line);
	for (int i = 0; i < 2; i++)
		out->file[i].changed = (char *)arena_zalloc(a, out->file[i].n + 2) + 1;
	classify(g, a, flags, out, &classes);
	compare(g, a, out, flags, classes);
	slide_changes(g, out, 0, (flags & LINES_NO_INDENT_HEURISTIC) == 0);
	slide_changes(g, out, 1, (flags & LINES_NO_INDENT_HEURISTIC) == 0);
	list_changes(g, a, out, flags);
}
