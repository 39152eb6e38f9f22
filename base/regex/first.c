/* SPDX-License-Identifier: MIT
 *
 * The bytes that a match can begin with: where none of them is, no automaton needs to look.
 */
#include "base/regex/private.h"

/* More ASCII characters than this and there is little to skip in common text. */
enum { FIRST_MAX = 64, FIRST_LETTERS_MAX = 12 };

/* Bytes of longer characters come all or not at all, so that skipping stops at the first of one. */
static void add_longer(uint8_t *first)
{
	memset(first + 0x80, 1, 0x80);
}

static void add_char(uint32_t c, bool utf8, uint8_t *first)
{
	if (utf8 && c >= 0x80)
		add_longer(first);
	else if (c < 256)
		first[c] = 1;
}

static void add_set(const struct rx_set *set, bool utf8, uint8_t *first)
{
	for (uint32_t b = 0; b < (utf8 ? 0x80u : 256u); b++)
		if (rx_set_has(set, b))
			first[b] = 1;
	if (utf8 && set->n != 0 && set->range[set->n - 1].hi >= 0x80)
		add_longer(first);
}

/* Adds what the instructions reached from the start take. False when a match may be empty. */
static bool add_all(struct arena *scratch, const struct rx_prog *prog, uint8_t *first)
{
	uint32_t *stack = arena_array(scratch, 2 * (size_t)prog->n + 2, sizeof(stack[0]));
	uint8_t *seen = arena_zalloc(scratch, prog->n + 1);
	uint32_t depth = 0;

	stack[depth++] = prog->start;
	while (depth != 0) {
		uint32_t pc = stack[--depth];
		const struct rx_inst *i = &prog->inst[pc];

		if (seen[pc] != 0)
			continue;
		seen[pc] = 1;
		switch (i->op) {
		case RX_I_MATCH: return false;
		case RX_I_SPLIT:
			stack[depth++] = i->alt;
			stack[depth++] = i->out;
			break;
		case RX_I_OPEN:
		case RX_I_CLOSE:
		case RX_I_ASSERT: stack[depth++] = i->out; break;
		case RX_I_CHAR: add_char(i->n, prog->utf8, first); break;
		case RX_I_SET: add_set(i->set, prog->utf8, first); break;
		default: break;
		}
	}
	return true;
}

const uint8_t *rx_first_bytes(struct arena *a, const struct rx_prog *prog)
{
	uint8_t *first = arena_zalloc(a, 256);
	struct rx_scratch scratch;
	struct arena *s = rx_scratch(&scratch, a);
	bool full = add_all(s, prog, first);
	unsigned n = 0;
	unsigned letters = 0;

	rx_scratch_end(&scratch);
	for (unsigned b = 0; b < 0x80; b++) {
		n += first[b];
		letters += byte_is_lower((int)b) ? first[b] : 0u;
	}
	return full && n <= FIRST_MAX && letters <= FIRST_LETTERS_MAX ? first : NULL;
}

size_t rx_next_first(const uint8_t *first, struct bytes text, size_t from)
{
	const unsigned char *t = (const unsigned char *)text.ptr;
	size_t at = from;

	for (; at + 4 <= text.len; at += 4)
		if ((first[t[at]] | first[t[at + 1]] | first[t[at + 2]] | first[t[at + 3]]) != 0)
			break;
	for (; at < text.len; at++)
		if (first[t[at]] != 0)
			return at;
	return SIZE_MAX;
}
