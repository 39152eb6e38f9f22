/* SPDX-License-Identifier: MIT
 *
 * Shell patterns, compiled.
 *
 *   pattern -> glob.c       items: characters, ?, *, brackets, extended globs
 *   items   -> glob_match.c simple patterns: two pointers, one way back (the last star)
 *           -> glob_sets.c  all others: sets of places, moved over the items
 */
#ifndef BASE_GLOB_PRIVATE_H
#define BASE_GLOB_PRIVATE_H

#include "base/glob.h"
#include "base/regex/set.h"

enum glob_op { GLOB_CHAR, GLOB_ANY, GLOB_STAR, GLOB_SET, GLOB_EXT };

struct glob_seq;

struct glob_item {
	uint8_t op;
	char ext;        /* ? * + @ ! */
	uint32_t c;      /* in small letters with GLOB_ICASE */
	uint32_t number; /* of a !(..), from 0: its memory in a match */
	const struct rx_set *set;
	const struct glob_seq *alts;
};

/* Items in a row; alternatives are linked. */
struct glob_seq {
	struct glob_item *item;
	uint32_t n;
	uint32_t cap;
	struct glob_seq *next;
};

struct glob {
	struct glob_seq *all;
	unsigned flags;
	bool simple; /* no extended globs */
	bool open;   /* a bracket in an extended glob is not closed: only `source` matches */
	struct bytes source;
	bool literal;
	bool star; /* has a * or an extended glob: no bound on the length */
	uint32_t nnots;
	struct bytes text; /* of a literal, or what follows a first * */
	bool star_text;    /* exactly * and then `text` */
	bool text_star;    /* exactly `text` and then * */
	bool star_first;   /* the first character is an unquoted * */
	void (*poll)(void *arg, uint64_t work);
	void *poll_arg;
	uint64_t work;
};

void glob_charge(struct glob *g, uint64_t steps);

/* Whether an item of one character takes c, at a place where a leading '.' counts if `first`. */
bool glob_takes(const struct glob *g, const struct glob_item *i, uint32_t c, bool first);
/* Whether a leading '.' at this place must be matched by a '.'. */
bool glob_is_first(const struct glob *g, struct bytes text, size_t at);
/* Whether a dot stands at `at` that only a dot in the pattern may match. */
bool glob_at_dot(const struct glob *g, struct bytes text, size_t at);

static inline size_t glob_char(const struct glob *g, struct bytes text, size_t at, uint32_t *c)
{
	return rx_char_at(text, at, (g->flags & GLOB_UTF8) != 0, c);
}

/* glob_symbol.c: the character with a POSIX name ("hyphen"), or GLOB_NO_SYMBOL. */
#define GLOB_NO_SYMBOL UINT32_MAX
uint32_t glob_symbol(struct bytes name);

/* glob_match.c: a simple pattern against all of text. */
bool glob_simple(struct glob *g, struct bytes text);

/* glob_sets.c: places where a match of the pattern that begins at `from` may end (backwards:
 * begin, that ends at `from`); first or last of them, SIZE_MAX for none. */
enum glob_want { GLOB_NEAREST, GLOB_FARTHEST, GLOB_EDGE };
size_t glob_reach(struct glob *g, struct arena *scratch, struct bytes text, size_t from,
		  bool backwards, enum glob_want want);
/* The first place at or after `from` where any match begins. */
size_t glob_first_start(struct glob *g, struct arena *scratch, struct bytes text, size_t from);

#endif
