/* SPDX-License-Identifier: MIT
 *
 * The lazy automaton: states are sets of instructions, made when first reached.
 *
 * A set holds the instructions that take a character, MATCH, and conditions that need to see
 * what comes next (then the state is "pending": its transitions first decide them). For
 * leftmost-longest matching the set is a list of groups, one for each place where a match may
 * have begun, leftmost first; a match in one group drops the groups behind it.
 *
 * The cache is bounded: when it is full all states are forgotten.
 */
#include "base/regex/private.h"
#include "base/sort.h"

enum {
	CACHE_BYTES = 1 << 20,
	STATES_FIRST = 8,
	STATES_MIN = 8,
	SET_FIRST = 64,
};

static unsigned eol_column(const struct rx_dfa *d)
{
	return RX_D_CLASS0 + d->alpha->low[(unsigned char)rx_eol(d->flags)];
}

/* A set of instructions of which each may be followed by the end of its group. */
static uint32_t *new_set(struct arena *a, uint32_t n)
{
	return arena_alloc(a, (2 * (size_t)n + 2) * sizeof(uint32_t));
}

static struct rx_list new_list(struct arena *a, uint32_t n)
{
	struct rx_list l = { .n = 0 };

	l.item = new_set(a, n);
	l.place = arena_array(a, n + 1, sizeof(l.place[0]));
	return l;
}

static void forget_states(struct rx_dfa *d)
{
	d->nstates = 0;
	d->nsets = 0;
	d->flushes++;
	for (uint32_t i = 0; i < d->buckets; i++)
		d->bucket[i] = RX_NONE;
	for (uint32_t i = 0; i < 8; i++)
		d->start[i] = RX_D_UNKNOWN;
}

struct rx_dfa *rx_dfa_new(struct arena *a, const struct rx_prog *prog, struct rx_alphabet *alpha,
			  unsigned regex_flags, unsigned mode)
{
	struct rx_dfa *d = arena_zalloc(a, sizeof(*d));

	d->arena = a;
	d->prog = prog;
	d->alpha = alpha;
	d->flags = regex_flags;
	d->mode = mode;
	d->stride = RX_D_CLASS0 + alpha->n;
	d->cap_max = CACHE_BYTES / (d->stride * 4);
	if (d->cap_max < STATES_MIN || (regex_flags & REGEX_LAZY_LIMIT) != 0)
		d->cap_max = STATES_MIN;
	d->now = new_list(a, prog->n);
	d->next = new_list(a, prog->n);
	d->made = new_set(a, prog->n);
	d->stack = arena_alloc(a, (2 * (size_t)prog->n + 2) * sizeof(d->stack[0]));
	d->buckets = 16;
	d->bucket = arena_alloc(a, d->buckets * sizeof(d->bucket[0]));
	for (uint32_t b = 0; b < 256; b++)
		d->column[b] = RX_D_CLASS0 + alpha->low[b];
	d->conditions = rx_has_conditions(prog);
	forget_states(d);
	return d;
}

static bool listed(const struct rx_list *l, uint32_t pc)
{
	uint32_t at = l->place[pc];

	return at < l->n && l->item[at] == pc;
}

/* As the conditions of an assertion: 1 holds, 0 does not, 2 depends on what comes next. */
static int decide(const struct rx_dfa *d, unsigned kind, unsigned known, unsigned other, bool sure)
{
	const struct rx_condition *c = &rx_conditions[kind];
	bool back = d->prog->reverse;
	unsigned mask = back ? c->right_mask : c->left_mask;
	unsigned value = back ? c->right_value : c->left_value;

	if ((known & mask) != value)
		return 0;
	mask = back ? c->left_mask : c->right_mask;
	value = back ? c->left_value : c->right_value;
	if (mask == 0)
		return 1;
	return sure ? (other & mask) == value : 2;
}

struct sides {
	unsigned known;
	unsigned other;
	bool sure; /* whether `other` is known */
};

/* Adds what can be reached from pc without taking a character. True if that is a match. */
static bool close_over(struct rx_dfa *d, struct rx_list *l, uint32_t pc, const struct sides *s)
{
	bool match = false;
	uint32_t depth = 0;

	d->stack[depth++] = pc;
	while (depth != 0) {
		const struct rx_inst *i;

		pc = d->stack[--depth];
		if (listed(l, pc))
			continue;
		i = &d->prog->inst[pc];
		l->place[pc] = l->n;
		l->item[l->n++] = pc;
		d->cost++;
		switch (i->op) {
		case RX_I_MATCH: match = true; break;
		case RX_I_SPLIT:
			d->stack[depth++] = i->alt;
			d->stack[depth++] = i->out;
			break;
		case RX_I_OPEN:
		case RX_I_CLOSE: d->stack[depth++] = i->out; break;
		case RX_I_ASSERT:
			if (decide(d, i->kind, s->known, s->other, s->sure) == 1)
				d->stack[depth++] = i->out;
			break;
		default: break;
		}
	}
	return match;
}

/* What of a list makes the state: drops what close_over only passed through. */
static bool is_kept(const struct rx_dfa *d, uint32_t pc, const struct sides *s)
{
	const struct rx_inst *i = &d->prog->inst[pc];

	switch (i->op) {
	case RX_I_CHAR:
	case RX_I_SET:
	case RX_I_MATCH: return true;
	case RX_I_ASSERT: return decide(d, i->kind, s->known, s->other, s->sure) == 2;
	default: return false;
	}
}

static uint32_t hash_set(const uint32_t *item, uint32_t n, unsigned flags, unsigned known)
{
	uint64_t h = flags * 31u + known;

	for (uint32_t i = 0; i < n; i++)
		h = (h ^ item[i]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static void grow_buckets(struct rx_dfa *d)
{
	uint32_t buckets = d->buckets * 4;

	d->bucket = arena_alloc(d->arena, buckets * sizeof(d->bucket[0]));
	d->buckets = buckets;
	for (uint32_t i = 0; i < buckets; i++)
		d->bucket[i] = RX_NONE;
	for (uint32_t i = 0; i < d->nstates; i++) {
		struct rx_dstate *s = &d->state[i];
		uint32_t h = hash_set(d->sets + s->set, s->n, s->flags, s->known) & (buckets - 1);

		s->chain = d->bucket[h];
		d->bucket[h] = i;
	}
}

/* Room for one more state whose set has n members. */
static void make_room(struct rx_dfa *d, uint32_t n)
{
	if (d->nstates == d->cap_max || (d->nsets + n > CACHE_BYTES / 4 && d->nsets != 0))
		forget_states(d);
	if (d->nstates == d->cap) {
		uint32_t cap = d->cap != 0 ? d->cap * 2 : STATES_FIRST;
		size_t row = d->stride * sizeof(d->trans[0]);

		if (cap > d->cap_max)
			cap = d->cap_max;
		d->trans = arena_grow(d->arena, d->trans, d->cap * row, cap * row);
		d->state = arena_grow(d->arena, d->state, d->cap * sizeof(d->state[0]),
				      cap * sizeof(d->state[0]));
		d->cap = cap;
	}
	if (d->nsets + n > d->sets_cap) {
		uint32_t cap = d->sets_cap * 2 + n + SET_FIRST;

		d->sets = arena_grow(d->arena, d->sets, d->sets_cap * sizeof(d->sets[0]),
				     cap * sizeof(d->sets[0]));
		d->sets_cap = cap;
	}
	if (d->nstates >= d->buckets * 2)
		grow_buckets(d);
}

static uint32_t name_of(const struct rx_dfa *d, uint32_t index)
{
	uint32_t name = index * d->stride;

	return (d->state[index].flags & ~RX_D_INNER) != 0 ? name | RX_D_SPECIAL : name;
}

/* The state of this set, made if it is new. */
static uint32_t intern(struct rx_dfa *d, const uint32_t *item, uint32_t n, unsigned flags,
		       unsigned known)
{
	uint32_t h = hash_set(item, n, flags, known);
	struct rx_dstate *s;

	for (uint32_t i = d->bucket[h & (d->buckets - 1)]; i != RX_NONE; i = d->state[i].chain) {
		s = &d->state[i];
		if (s->n == n && s->flags == flags && s->known == known &&
		    (n == 0 || memcmp(d->sets + s->set, item, n * sizeof(item[0])) == 0))
			return name_of(d, i);
	}
	make_room(d, n);
	s = &d->state[d->nstates];
	*s = (struct rx_dstate){
		.set = d->nsets, .n = n, .flags = (uint8_t)flags, .known = (uint8_t)known
	};
	if (n != 0)
		memcpy(d->sets + d->nsets, item, n * sizeof(item[0]));
	d->nsets += n;
	s->chain = d->bucket[h & (d->buckets - 1)];
	d->bucket[h & (d->buckets - 1)] = d->nstates;
	for (uint32_t i = 0; i < d->stride; i++)
		d->trans[d->nstates * d->stride + i] = RX_D_UNKNOWN;
	d->trans[d->nstates * d->stride + RX_D_FLAGS] = flags;
	return name_of(d, d->nstates++);
}

static int compare_items(void *arg, const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	(void)arg;
	return x < y ? -1 : x > y;
}

/* A new state in the making: its set in d->made. */
struct making {
	uint32_t n;
	unsigned flags;
};

/* Keeps of l from `from` on what makes the state, as one group. Left out members stay listed,
 * so that later groups don't repeat them. */
static void collect(struct rx_dfa *d, const struct rx_list *l, uint32_t from, const struct sides *s,
		    struct making *m)
{
	uint32_t begin = m->n;

	for (uint32_t i = from; i < l->n; i++) {
		uint32_t pc = l->item[i];

		if (!is_kept(d, pc, s))
			continue;
		d->made[m->n++] = pc;
		if (d->prog->inst[pc].op == RX_I_ASSERT)
			m->flags |= RX_D_PENDING;
	}
	if (m->n == begin)
		return;
	sort_stable(d->made + begin, m->n - begin, sizeof d->made[0], d->stack, compare_items,
		    NULL);
	d->made[m->n++] = RX_NONE;
}

/* Adds the beginning of the program, behind all others, and makes the state. */
static uint32_t finish_state(struct rx_dfa *d, uint32_t from, const struct sides *s,
			     struct making *m)
{
	bool leftmost = (d->mode & RX_D_LEFTMOST) != 0;
	bool alone = d->next.n == 0;

	if ((m->flags & RX_D_NOSEED) == 0) {
		if (close_over(d, &d->next, d->prog->start, s))
			m->flags |= leftmost ? RX_D_NOW | RX_D_NOSEED : RX_D_NOW;
		if (alone && d->skips)
			m->flags |= RX_D_HOME;
	}
	collect(d, &d->next, from, s, m);
	if ((d->mode & RX_D_SEEDED) == 0)
		m->flags |= RX_D_NOSEED;
	if (m->n == 0 && (m->flags & RX_D_NOSEED) != 0)
		m->flags |= RX_D_DEAD;
	return intern(d, d->made, m->n, m->flags, (m->flags & RX_D_PENDING) != 0 ? s->known : 0);
}

static uint32_t start_state(struct rx_dfa *d, unsigned side, unsigned flags)
{
	struct sides s = { .known = side };
	struct making m = { .flags = flags };

	d->next.n = 0;
	return finish_state(d, 0, &s, &m);
}

uint32_t rx_dfa_start(struct rx_dfa *d, unsigned side)
{
	if (d->start[side] == RX_D_UNKNOWN) {
		uint32_t state = start_state(d, side, 0);

		d->start[side] = state;
	}
	return d->start[side];
}

/* What a column says about the place before its character. */
static unsigned side_of(const struct rx_dfa *d, uint32_t column)
{
	if (column == RX_D_END)
		return RX_EDGE | RX_LINE;
	if (column == RX_D_END_NOTEOL)
		return RX_EDGE;
	if ((d->mode & RX_D_LINES) != 0 && column == eol_column(d))
		return RX_EDGE | RX_LINE;
	return d->alpha->side[column - RX_D_CLASS0];
}

/* Decides the conditions of a pending state: leaves its set with `other` known in d->now.
 * Returns whether it matches here; then groups behind the match are dropped. */
static bool resolve(struct rx_dfa *d, const struct rx_dstate *state, unsigned other)
{
	struct sides s = { .known = state->known, .other = other, .sure = true };
	struct rx_list *l = &d->now;
	bool match = false;

	l->n = 0;
	for (uint32_t i = 0; i < state->n; i++) {
		uint32_t pc = d->sets[state->set + i];

		if (pc != RX_NONE) {
			if (close_over(d, l, pc, &s))
				match = true;
			continue;
		}
		l->item[l->n++] = RX_NONE;
		if (match && (d->mode & RX_D_LEFTMOST) != 0)
			break;
	}
	return match;
}

static void copy_set(struct rx_dfa *d, const struct rx_dstate *state)
{
	d->now.n = state->n;
	d->cost += state->n;
	if (state->n != 0)
		memcpy(d->now.item, d->sets + state->set, state->n * sizeof(d->now.item[0]));
}

static bool takes(const struct rx_inst *i, uint32_t c)
{
	return (i->op == RX_I_CHAR && i->n == c) || (i->op == RX_I_SET && rx_set_has(i->set, c));
}

/* The state behind the character c, from the set in d->now. */
static uint32_t advance(struct rx_dfa *d, uint32_t c, unsigned side, unsigned flags)
{
	bool leftmost = (d->mode & RX_D_LEFTMOST) != 0;
	struct sides s = { .known = side };
	struct making m = { .flags = flags };
	uint32_t from = 0;
	bool match = false;

	d->next.n = 0;
	for (uint32_t i = 0; i < d->now.n; i++) {
		uint32_t pc = d->now.item[i];

		if (pc != RX_NONE) {
			if (takes(&d->prog->inst[pc], c) &&
			    close_over(d, &d->next, d->prog->inst[pc].out, &s))
				match = true;
			continue;
		}
		if (!leftmost)
			continue;
		collect(d, &d->next, from, &s, &m);
		from = d->next.n;
		if (match) {
			m.flags |= RX_D_NOSEED;
			break;
		}
	}
	m.flags |= match ? RX_D_NOW : 0u;
	return finish_state(d, from, &s, &m);
}

static uint32_t make_step(struct rx_dfa *d, uint32_t index, uint32_t column)
{
	struct rx_dstate state = d->state[index];
	unsigned flags = state.flags & RX_D_NOSEED;
	uint32_t class = column - RX_D_CLASS0;

	if ((state.flags & RX_D_PENDING) == 0) {
		copy_set(d, &state);
	} else if (resolve(d, &state, side_of(d, column))) {
		flags |= RX_D_PREV;
		if ((d->mode & RX_D_LEFTMOST) != 0)
			flags |= RX_D_NOSEED;
	}
	if (column < RX_D_CLASS0)
		return intern(d, NULL, 0, (flags & RX_D_PREV) | RX_D_DEAD | RX_D_NOSEED, 0);
	if ((d->mode & RX_D_LINES) != 0 && column == eol_column(d))
		return start_state(d, RX_EDGE | RX_LINE, flags & RX_D_PREV);
	return advance(d, d->alpha->sample[class], d->alpha->side[class], flags);
}

uint32_t rx_dfa_step(struct rx_dfa *d, uint32_t state, uint32_t column)
{
	uint32_t flushes = d->flushes;
	uint32_t to = make_step(d, state / d->stride, column);

	if (d->flushes == flushes)
		d->trans[state + column] = to;
	return to;
}
