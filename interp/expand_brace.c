/* SPDX-License-Identifier: MIT
 *
 * Brace expansion: every combination of a word's {a,b} and {1..9}, one after the other, so
 * that a huge range costs only the words that are made of it.
 *
 * The word is walked from left to right. At a brace, each alternative takes its turn: its
 * parts are walked and then what stood behind the brace (`rest`), so that braces to the right
 * vary fastest, as in bash. The parts chosen so far are a stack.
 */
#include "interp/expand.h"

/* Each combination is expanded where the walk ends. */
enum { BRACE_STACK_BYTES = 24 * 1024 };

/* What is to be walked after the parts at hand. */
struct rest {
	const struct part *parts;
	int n;
	const struct rest *next;
};

struct walk {
	struct shell *sh;
	struct part *chosen;
	int n;
	int cap;
	int (*each)(void *arg, const struct part *parts, int n);
	void *arg;
};

struct step {
	struct walk *walk;
	const struct rest *rest;
};

static int walk_rest(struct walk *w, const struct rest *rest);

static int walk_run(void *arg)
{
	struct step *s = arg;

	return walk_rest(s->walk, s->rest);
}

static int walk_deeper(struct walk *w, const struct rest *rest)
{
	struct step s = { w, rest };

	if (proc_stack_left(w->sh->p) > BRACE_STACK_BYTES)
		return walk_rest(w, rest);
	return proc_deepen(w->sh->p, BRACE_STACK_BYTES, walk_run, &s);
}

static void choose(struct walk *w, const struct part *part)
{
	if (w->n == w->cap) {
		int cap = w->cap == 0 ? 16 : w->cap * 2;

		w->chosen = arena_grow(w->sh->arena, w->chosen, (size_t)w->cap * sizeof *part,
				       (size_t)cap * sizeof *part);
		w->cap = cap;
	}
	w->chosen[w->n++] = *part;
}

/* --- sequences --- */

static struct bytes sequence_text(const struct brace *b, int64_t value, char text[48])
{
	char *end = text + 47;
	char *at = end;
	uint64_t u = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	int width = b->width < 40 ? b->width : 40;

	*end = '\0';
	if (b->letters) {
		/* {Z..a} passes a backslash, which then quotes what follows: it disappears. */
		if (value == '\\')
			return BYTES("");
		*--at = (char)value;
		return (struct bytes){ at, 1 };
	}
	do {
		*--at = (char)('0' + u % 10);
		u /= 10;
	} while (u != 0);
	while (end - at < width - (value < 0))
		*--at = '0';
	if (value < 0)
		*--at = '-';
	return (struct bytes){ at, (size_t)(end - at) };
}

static int walk_sequence(struct walk *w, const struct brace *b, const struct rest *behind)
{
	uint64_t step = b->step < 0 ? 0 - (uint64_t)b->step : (uint64_t)b->step;
	bool up = b->from <= b->to;
	uint64_t left = up ? (uint64_t)b->to - (uint64_t)b->from
			   : (uint64_t)b->from - (uint64_t)b->to;
	int64_t value = b->from;
	char text[48];

	if (step == 0)
		step = 1;
	for (;;) {
		struct part part = { .kind = PART_TEXT };
		int mark = w->n;

		part.text = sequence_text(b, value, text);
		/* {A..z} passes [ and ^, which make no pattern. */
		part.quoted = b->letters && !byte_is_alnum((int)value);
		choose(w, &part);
		if (walk_deeper(w, behind) != 0)
			return -1;
		w->n = mark;
		if (left < step)
			return 0;
		left -= step;
		value = (int64_t)(up ? (uint64_t)value + step : (uint64_t)value - step);
	}
}

/* --- the walk --- */

static int walk_alternatives(struct walk *w, const struct brace *b, const struct rest *behind)
{
	for (int i = 0; i < b->nalt; i++) {
		struct rest inner = { b->alt[i]->parts, b->alt[i]->nparts, behind };
		int mark = w->n;

		if (walk_deeper(w, &inner) != 0)
			return -1;
		w->n = mark;
	}
	return 0;
}

/* --- names --- */

/* $x and what continues its name, taken from the parts behind it. */
static void join_name(struct shell *sh, struct part *parts, int n)
{
	struct param *longer = arena_alloc(sh->arena, sizeof *longer);
	struct buf name = buf_in(sh->arena);

	*longer = *parts->param;
	buf_add(&name, longer->name);
	for (int i = 1; i < n; i++) {
		size_t taken = brace_name_bytes(&parts[i]);
		bool whole = parts[i].kind == PART_TEXT && taken == parts[i].text.len;

		buf_add(&name, bytes_slice(parts[i].text, 0, taken));
		if (taken != 0)
			parts[i].text = bytes_slice(parts[i].text, taken, parts[i].text.len);
		if (!whole || parts[i].quoted)
			break;
	}
	longer->name = (struct bytes){ buf_cstr(&name), name.len };
	longer->hash = bytes_hash(longer->name);
	parts->param = longer;
}

/* bash looks for braces first and for variables then: {$a,b}{1,2} makes $a1 and $a2. */
static int finish(struct walk *w)
{
	struct part *parts = w->chosen;

	for (int i = 0; i + 1 < w->n; i++) {
		int next = i + 1;

		if (!brace_open_name(&parts[i]))
			continue;
		while (next + 1 < w->n && parts[next].kind == PART_TEXT && !parts[next].quoted &&
		       parts[next].text.len == 0)
			next++;
		if (brace_name_bytes(&parts[next]) == 0)
			continue;
		if (parts == w->chosen) {
			parts = arena_array(w->sh->arena, (size_t)w->n, sizeof *parts);
			memcpy(parts, w->chosen, (size_t)w->n * sizeof *parts);
		}
		join_name(w->sh, parts + i, w->n - i);
	}
	return w->each(w->arg, parts, w->n);
}

static int walk_rest(struct walk *w, const struct rest *rest)
{
	for (; rest != NULL; rest = rest->next) {
		for (int i = 0; i < rest->n; i++) {
			const struct part *part = &rest->parts[i];
			struct rest behind = { part + 1, rest->n - i - 1, rest->next };

			if (part->kind != PART_BRACE) {
				choose(w, part);
				continue;
			}
			if (part->brace->sequence)
				return walk_sequence(w, part->brace, &behind);
			return walk_alternatives(w, part->brace, &behind);
		}
	}
	if (w->n == 0) {
		proc_charge(w->sh->p, 1);
		return 0;
	}
	return finish(w);
}

int brace_each(struct shell *sh, const struct word *w,
	       int (*each)(void *arg, const struct part *parts, int n), void *arg)
{
	struct walk walk = { .sh = sh, .each = each, .arg = arg };
	struct rest rest = { w->parts, w->nparts, NULL };

	return walk_deeper(&walk, &rest);
}
