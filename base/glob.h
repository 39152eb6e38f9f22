/* SPDX-License-Identifier: MIT
 *
 * Shell patterns: ? * [..] and bash's extended globs, compiled once, matched without
 * exponential cost.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/heap.h"

enum glob_flags {
	GLOB_EXTGLOB = 1 << 0, /* ?(..) *(..) +(..) @(..) !(..) */
	GLOB_ICASE = 1 << 1,
	GLOB_UTF8 = 1 << 2,     /* '?' and brackets take a character, else a byte */
	GLOB_PATHNAME = 1 << 3, /* '/' is matched only by '/': find -path does not set it */
	GLOB_PERIOD = 1 << 4,   /* a leading '.' must be matched explicitly */
	GLOB_NOESCAPE = 1 << 5, /* backslash is an ordinary character */
};

enum { GLOB_DEPTH_MAX = 50 };

struct glob;

/*
 * Compiles a pattern into the arena. Never fails on syntax: as in bash, an unclosed bracket
 * or parenthesis stands for itself. NULL only when nested deeper than GLOB_DEPTH_MAX.
 */
struct glob *glob_compile(struct arena *arena, struct bytes pattern, unsigned flags);

/* True if the pattern contains nothing special: then only `glob_literal(g)` matches. */
bool glob_is_literal(const struct glob *g);
/* The literal with escapes removed; only if glob_is_literal. */
struct bytes glob_literal(const struct glob *g);

/* Whether its first character is an unquoted *. */
bool glob_begins_with_star(const struct glob *g);

/* Whether the whole of text matches. scratch is used and released. */
bool glob_match(const struct glob *g, struct arena *scratch, struct bytes text);

/*
 * The longest or shortest prefix (suffix) of text that matches, for ${x#p} ${x##p} ${x%p}
 * ${x%%p}: its length, or SIZE_MAX when none does. Linear in the text for patterns without
 * extended globs.
 */
size_t glob_prefix(const struct glob *g, struct arena *scratch, struct bytes text, bool longest);
size_t glob_suffix(const struct glob *g, struct arena *scratch, struct bytes text, bool longest);

/*
 * The first longest match at or after `from`, for ${x/p/r}: its span in *start and *end.
 * False if there is none. A sequence of calls over one text is linear for ordinary patterns.
 */
bool glob_find(const struct glob *g, struct arena *scratch, struct bytes text, size_t from,
	       size_t *start, size_t *end);

/* Whether a word contains what makes it a pattern: backslashes alone do not. */
bool glob_has_magic(struct bytes word, bool extglob);

/* Called every some thousand steps of a match with the steps since; may not return. */
void glob_set_work(struct glob *g, void (*poll)(void *arg, uint64_t work), void *arg);

#endif
