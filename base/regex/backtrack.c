/* SPDX-License-Identifier: MIT
 *
 * The backtracking matcher: Perl's syntax, and POSIX patterns with back-references.
 *
 * Registers hold the ends of groups and the slots of the program; every change pushes the old
 * value, every fork the other way, so failing is popping. All stacks are in the arena: nothing
 * recurses. Work is counted, and bounded by the regex's limit. When a search gets long and no
 * register can influence the outcome, places that failed are remembered, which makes the rest
 * of it linear.
 */
#include "base/regex/private.h"

enum {
	FRAMES_FIRST = 64,
	FRAMES_MAX = 1 << 20,
	MEMO_AFTER = 20000, /* steps */
	MEMO_BITS_MAX = 1 << 26,
	CALLS_MAX = 100000,
	SAVED_MAX = 1 << 22, /* registers of all calls */
};

/* reg of a frame that is no register. */
enum { BRANCH = -1, STAR_LEFT = -2, LEAST = -3, VERB = -4 /* and below, by enum rx_verb */ };

/* A group that runs as a subroutine. */
struct call {
	size_t up;    /* the call that it was made in, from 1 */
	uint32_t ret; /* where to go on */
	uint32_t group;
	size_t at;
	size_t *saved; /* the registers as they were */
};

struct frame {
	uint32_t pc;
	int32_t reg;
	size_t value;
};

struct machine {
	struct regex *re;
	const struct rx_prog *prog;
	const struct rx_try *t;
	struct bytes text;
	size_t *regs;
	uint32_t nregs;
	uint32_t opens; /* register of where group 0 was opened, and so on */
	uint32_t slots; /* first register of the slots */
	struct frame *frame;
	uint32_t n;
	uint32_t cap;
	uint64_t steps;
	uint64_t *memo; /* by place and instruction: was tried, and failed */
	struct call *call;
	uint32_t calls_cap;
	uint32_t in_call; /* register of the running call's number, 0: none; */
	uint32_t ncalls;  /* of how many calls are remembered */
	bool committed;   /* no later start is tried */
	size_t skip_to;   /* none before here is */
	bool stop;        /* out of work */
	bool utf8;
	size_t *best; /* registers of the longest match so far */
	size_t best_end;
};

static void push(struct machine *m, uint32_t pc, int32_t reg, size_t value)
{
	if (m->n == m->cap) {
		uint32_t cap = m->cap * 2;

		if (m->cap >= FRAMES_MAX) {
			m->stop = true;
			return;
		}
		m->frame = arena_grow(m->re->arena, m->frame, m->cap * sizeof(m->frame[0]),
				      cap * sizeof(m->frame[0]));
		m->cap = cap;
	}
	m->frame[m->n++] = (struct frame){ pc, reg, value };
}

static void set(struct machine *m, uint32_t reg, size_t value)
{
	push(m, 0, (int32_t)reg, m->regs[reg]);
	m->regs[reg] = value;
}

static bool same_case(uint32_t a, uint32_t b)
{
	return a == b ||
	       (a < RX_UNICODE_TOP && b < RX_UNICODE_TOP && utf8_to_upper(a) == utf8_to_upper(b));
}

/* The length of what repeats group n at `at`, or SIZE_MAX. */
static size_t take_backref(const struct machine *m, const struct rx_inst *i, size_t at)
{
	size_t from = m->regs[2 * i->n];
	size_t to = m->regs[2 * i->n + 1];
	size_t begin = at;

	if (to == SIZE_MAX)
		return SIZE_MAX;
	if (!i->icase) {
		if (m->text.len - at < to - from ||
		    memcmp(m->text.ptr + from, m->text.ptr + at, to - from) != 0)
			return SIZE_MAX;
		return to - from;
	}
	while (from < to) {
		uint32_t a, b;

		if (at == m->text.len)
			return SIZE_MAX;
		from += rx_char_at(m->text, from, m->utf8, &a);
		at += rx_char_at(m->text, at, m->utf8, &b);
		if (!same_case(a, b))
			return SIZE_MAX;
	}
	return at - begin;
}

static bool holds(const struct machine *m, unsigned kind, size_t at)
{
	unsigned flags = m->re->flags;

	if (kind == RX_SEARCH_BEGIN)
		return at == m->t->from;
	if (kind == RX_TEXT_END_NL)
		return at == m->text.len || (at + 1 == m->text.len && m->text.ptr[at] == '\n');
	return rx_holds(kind, rx_left_of(m->text, at, flags, m->t->exec_flags),
			rx_right_of(m->text, at, flags, m->t->exec_flags));
}

static size_t take_char(const struct machine *m, const struct rx_inst *i, size_t at)
{
	uint32_t c;
	size_t n;

	if (at >= m->text.len)
		return 0;
	n = rx_char_at(m->text, at, m->utf8, &c);
	if (i->set != NULL ? rx_set_has(i->set, c) : c == i->n)
		return n;
	return 0;
}

/* As many characters as there are; where fewer would do, a frame is left. */
static size_t take_star(struct machine *m, uint32_t pc, const struct rx_inst *i, size_t at)
{
	size_t least = at;
	size_t n;

	while ((n = take_char(m, i, at)) != 0) {
		at += n;
		m->steps++;
	}
	if (i->kind != RX_POSSESSIVE && at != least) {
		push(m, 0, LEAST, least);
		push(m, pc, STAR_LEFT, at);
	}
	return at;
}

/* A turn of a star where places are remembered: one character, so that none is read twice. */
static void take_one(struct machine *m, const struct rx_inst *i, uint32_t *pc, size_t *at)
{
	size_t n = take_char(m, i, *at);

	if (n == 0) {
		*pc = i->out;
		return;
	}
	push(m, i->out, BRANCH, *at);
	*at += n;
}

/* Forgets the other ways since a height of the stack; old values of registers are kept. */
static void cut(struct machine *m, uint32_t height)
{
	uint32_t kept = height;

	for (uint32_t k = height; k < m->n; k++)
		if (m->frame[k].reg >= 0)
			m->frame[kept++] = m->frame[k];
	m->n = kept;
}

static void unwind(struct machine *m, uint32_t height)
{
	while (m->n > height) {
		const struct frame *f = &m->frame[--m->n];

		if (f->reg >= 0)
			m->regs[f->reg] = f->value;
	}
}

/* Going back over a verb: nothing is left of this start. */
static void stop_start(struct machine *m, unsigned verb, size_t at)
{
	m->committed |= verb == RX_COMMIT;
	if (verb == RX_SKIP)
		m->skip_to = at;
	m->n = 0;
}

/* Goes back to the last fork. False if there is none above the bottom. */
static bool fail(struct machine *m, uint32_t *pc, size_t *at)
{
	while (m->n != 0) {
		struct frame f = m->frame[--m->n];
		uint32_t c;

		if (f.reg >= 0) {
			m->regs[f.reg] = f.value;
		} else if (f.reg == BRANCH) {
			*pc = f.pc;
			*at = f.value;
			return true;
		} else if (f.reg == STAR_LEFT) {
			size_t least = m->frame[m->n - 1].value;

			*at = f.value - rx_char_before(m->text, f.value, m->utf8, &c);
			*pc = m->prog->inst[f.pc].out;
			if (*at > least)
				push(m, f.pc, STAR_LEFT, *at);
			return true;
		} else if (f.reg <= VERB) {
			stop_start(m, (unsigned)(VERB - f.reg), f.value);
		}
	}
	return false;
}

static bool step_back(const struct machine *m, uint32_t n, size_t *at)
{
	uint32_t c;

	for (; n != 0; n--) {
		if (*at == 0)
			return false;
		*at -= rx_char_before(m->text, *at, m->utf8, &c);
	}
	return true;
}

/* Whether (pc, at) was tried before; it is from now on. */
static bool tried(struct machine *m, uint32_t pc, size_t at)
{
	size_t bit;
	bool before;

	if (m->memo == NULL)
		return false;
	bit = (at - m->t->from) * m->prog->n + pc;
	before = (m->memo[bit >> 6] >> (bit & 63) & 1) != 0;
	m->memo[bit >> 6] |= (uint64_t)1 << (bit & 63);
	return before;
}

static void room_for_call(struct machine *m, size_t n)
{
	uint32_t cap = m->calls_cap != 0 ? m->calls_cap * 2 : 16;

	if (n < m->calls_cap)
		return;
	m->call = arena_grow(m->re->arena, m->call, m->calls_cap * sizeof(m->call[0]),
			     cap * sizeof(m->call[0]));
	memset(m->call + m->calls_cap, 0, (cap - m->calls_cap) * sizeof(m->call[0]));
	m->calls_cap = cap;
}

/* Begins to run a group; one that runs here already would do so forever. */
static bool enter(struct machine *m, const struct rx_inst *i, uint32_t *pc, size_t at)
{
	size_t n = m->regs[m->ncalls];
	size_t up = m->regs[m->in_call];

	m->stop |= n >= CALLS_MAX || n * m->nregs > SAVED_MAX;
	for (size_t k = up; k != 0 && m->call[k - 1].at == at && !m->stop; k = m->call[k - 1].up) {
		m->stop |= m->call[k - 1].group == i->n;
		m->steps++;
	}
	if (m->stop)
		return false;
	room_for_call(m, n);
	struct call *c = &m->call[n];

	if (c->saved == NULL)
		c->saved = arena_array(m->re->arena, m->nregs, sizeof(c->saved[0]));
	memcpy(c->saved, m->regs, m->nregs * sizeof(c->saved[0]));
	m->steps += m->nregs;
	c->up = up;
	c->ret = i->out;
	c->group = i->n;
	c->at = at;
	set(m, m->ncalls, n + 1);
	set(m, m->in_call, n + 1);
	*pc = i->alt;
	return true;
}

/* The end of the group that runs: what it has set is as before. */
static void leave(struct machine *m, uint32_t *pc)
{
	const struct call *c = &m->call[m->regs[m->in_call] - 1];

	for (uint32_t r = 1; r < m->in_call; r++)
		if (m->regs[r] != c->saved[r])
			set(m, r, c->saved[r]);
	m->steps += m->nregs;
	set(m, m->in_call, c->up);
	*pc = c->ret;
}

static bool is_called(const struct machine *m, uint32_t group)
{
	size_t k = m->regs[m->in_call];

	return k != 0 && (group == RX_NONE || m->call[k - 1].group == group);
}

/* The instructions that only change registers and the stack; false: this way fails. */
static bool control(struct machine *m, const struct rx_inst *i, uint32_t *pc, size_t *at)
{
	uint32_t slot = m->slots + i->n;

	*pc = i->out;
	switch (i->op) {
	case RX_I_LOOP: set(m, slot, *at); return true;
	case RX_I_LOOP_TEST:
		if (m->regs[slot] == *at)
			*pc = i->alt;
		return true;
	case RX_I_HOLD:
		set(m, slot + 1, *at);
		set(m, slot, m->n + 1);
		return true;
	case RX_I_CUT:
		cut(m, (uint32_t)m->regs[slot]);
		if (i->kind != 0)
			*at = m->regs[slot + 1];
		return true;
	case RX_I_NOT_HOLD:
		set(m, slot + 1, *at);
		set(m, slot, m->n + 1);
		push(m, i->alt, BRANCH, *at);
		return true;
	case RX_I_NOT_CUT: unwind(m, (uint32_t)m->regs[slot]); return false;
	case RX_I_BACK: return step_back(m, i->n, at);
	case RX_I_IF_GROUP:
		if (i->kind != 0 ? !is_called(m, i->n) : m->regs[2 * i->n + 1] == SIZE_MAX)
			*pc = i->alt;
		return true;
	case RX_I_CALL: return enter(m, i, pc, *at);
	case RX_I_VERB: push(m, 0, VERB - (int32_t)i->kind, *at); return true;
	case RX_I_KEEP: set(m, 0, *at); return true;
	default: return false;
	}
}

/* One instruction; false: this way fails. */
static bool step(struct machine *m, uint32_t *pc, size_t *at)
{
	const struct rx_inst *i = &m->prog->inst[*pc];
	size_t n;

	switch (i->op) {
	case RX_I_CHAR:
	case RX_I_SET:
		n = take_char(m, i, *at);
		*at += n;
		*pc = i->out;
		return n != 0;
	case RX_I_SPLIT:
		if (tried(m, *pc, *at))
			return false;
		push(m, i->alt, BRANCH, *at);
		*pc = i->out;
		return true;
	case RX_I_STAR:
		if (tried(m, *pc, *at))
			return false;
		if (m->memo != NULL) {
			take_one(m, i, pc, at);
			return true;
		}
		*at = take_star(m, *pc, i, *at);
		*pc = i->out;
		return true;
	case RX_I_OPEN:
		set(m, m->opens + i->n, *at);
		*pc = i->out;
		return true;
	case RX_I_CLOSE:
		if (is_called(m, i->n)) {
			leave(m, pc);
			return true;
		}
		set(m, 2 * i->n, m->regs[m->opens + i->n]);
		set(m, 2 * i->n + 1, *at);
		*pc = i->out;
		return true;
	case RX_I_ASSERT: *pc = i->out; return holds(m, i->kind, *at);
	case RX_I_BACKREF:
		n = take_backref(m, i, *at);
		*at += n != SIZE_MAX ? n : 0;
		*pc = i->out;
		return n != SIZE_MAX;
	default: return control(m, i, pc, at);
	}
}

/* At a match: true if it is the one wanted. */
static bool accept(struct machine *m, size_t at)
{
	m->regs[1] = at;
	if (!m->t->longest)
		return true;
	if (m->best_end == SIZE_MAX || at > m->best_end) {
		m->best_end = at;
		memcpy(m->best, m->regs, m->nregs * sizeof(m->regs[0]));
	}
	return at == m->text.len;
}

/* Reports the steps since `before`; makes the memory of failed places when it gets long. */
static void report(struct machine *m, uint64_t before)
{
	size_t bits = (m->text.len - m->t->from + 1);

	rx_charge(m->re, (m->steps - before) / 4);
	if (m->steps > m->re->backtrack_max)
		m->stop = true;
	if (m->memo != NULL || m->steps < MEMO_AFTER || !m->prog->linear ||
	    bits > MEMO_BITS_MAX / m->prog->n)
		return;
	bits *= m->prog->n;
	m->memo = arena_array(m->re->arena, bits / 64 + 1, sizeof(uint64_t));
}

/* Tries to match at one place. */
static bool try_at(struct machine *m, size_t start)
{
	uint32_t pc = m->prog->start;
	size_t at = start;
	uint64_t before = m->steps;

	for (uint32_t k = 0; k < m->nregs; k++)
		m->regs[k] = SIZE_MAX;
	m->regs[0] = start;
	m->regs[m->in_call] = m->regs[m->ncalls] = 0;
	m->n = 0;
	m->best_end = SIZE_MAX;
	while (!m->stop) {
		bool good;

		if ((++m->steps - before) >= RX_WORK_STEP) {
			report(m, before);
			before = m->steps;
		}
		if (m->prog->inst[pc].op == RX_I_MATCH && m->regs[m->in_call] != 0) {
			leave(m, &pc);
			good = true;
		} else if (m->prog->inst[pc].op == RX_I_MATCH) {
			if (accept(m, at))
				break;
			good = false;
		} else {
			good = step(m, &pc, &at);
		}
		if (!good && !fail(m, &pc, &at)) {
			rx_charge(m->re, (m->steps - before) / 4);
			return m->best_end != SIZE_MAX;
		}
	}
	rx_charge(m->re, (m->steps - before) / 4);
	return !m->stop;
}

static void give_spans(const struct machine *m, struct regex_span *spans, size_t nspans)
{
	const size_t *regs = m->best_end != SIZE_MAX ? m->best : m->regs;

	for (size_t i = 0; i < nspans; i++) {
		spans[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
		if (i <= m->re->ngroups && regs[2 * i + 1] != SIZE_MAX)
			spans[i] = (struct regex_span){ regs[2 * i], regs[2 * i + 1] };
	}
	/* \K behind the end, as in a look-ahead: nothing is left. */
	if (nspans != 0 && spans[0].from > spans[0].to)
		spans[0].from = spans[0].to;
}

/* The next place to try, or SIZE_MAX. */
static size_t next_start(const struct machine *m, size_t at)
{
	const struct rx_literals *l = m->re->literals;

	if (l != NULL && l->prefix && at <= m->text.len)
		at = rx_literal_next(l, m->text, at);
	return at <= m->t->last_start ? at : SIZE_MAX;
}

static int search(struct machine *m, struct regex_span *spans, size_t nspans)
{
	size_t at = next_start(m, m->t->from);
	uint32_t c;

	while (at != SIZE_MAX) {
		if (try_at(m, at)) {
			give_spans(m, spans, nspans);
			return 0;
		}
		if (m->stop)
			return REGEX_EWORK;
		if (at == m->text.len || m->re->anchored || m->committed)
			break;
		at += rx_char_at(m->text, at, m->utf8, &c);
		at = next_start(m, m->skip_to > at ? m->skip_to : at);
	}
	return REGEX_NOMATCH;
}

int rx_backtrack(struct regex *re, const struct rx_try *t, struct regex_span *spans, size_t nspans)
{
	struct arena_mark mark = arena_mark(re->arena);
	struct machine m = { .re = re, .prog = re->prog, .t = t, .text = t->text };
	int result;

	m.utf8 = (re->flags & REGEX_UTF8) != 0;
	m.opens = 2 * (re->ngroups + 1);
	m.slots = m.opens + re->ngroups + 1;
	m.in_call = m.slots + re->prog->nslots;
	m.ncalls = m.in_call + 1;
	m.nregs = m.ncalls + 1;
	m.regs = arena_array(re->arena, m.nregs, sizeof(m.regs[0]));
	m.best = arena_array(re->arena, m.nregs, sizeof(m.regs[0]));
	m.cap = FRAMES_FIRST;
	m.frame = arena_alloc(re->arena, m.cap * sizeof(m.frame[0]));
	result = search(&m, spans, nspans);
	arena_release(re->arena, mark);
	return result;
}
