/* SPDX-License-Identifier: MIT
 *
 * Regular expressions for every command: POSIX BRE and ERE with GNU's extensions, and Perl's
 * syntax.
 *
 * POSIX patterns match leftmost-longest. Whether and where a pattern matches is found by a
 * lazily built DFA (linear in the text, cache bounded); a literal that must occur is searched
 * first. Captures come from a second pass over the match only, without exponential cost.
 * Back-references and Perl syntax (lazy quantifiers, look-around, named groups, possessive)
 * run in a backtracking matcher that counts its work against a limit.
 *
 * Text is bytes; with REGEX_UTF8 a well-formed sequence is one character and a byte that is
 * not part of one matches no '.', no bracket expression, and no literal but itself.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include "base/heap.h"

enum regex_flags {
	REGEX_BRE = 0,    /* POSIX basic: \( \) \{ \} \| \+ \? as GNU */
	REGEX_ERE = 1,    /* POSIX extended, with GNU's \w \W \s \S \b \B \< \> \` \' */
	REGEX_PERL = 2,   /* Perl-compatible, for grep -P and jq */
	REGEX_FIXED = 3,  /* the pattern is one literal string */
	REGEX_SYNTAX = 3, /* mask of the four above */
	REGEX_ICASE = 1 << 2,
	REGEX_UTF8 = 1 << 3,
	REGEX_NEWLINE = 1 << 4,  /* ^ and $ match at lines, '.' and [^a] do not match '\n' */
	REGEX_NOSUB = 1 << 5,    /* only regex_test and the span of the whole match are wanted */
	REGEX_EXTENDED = 1 << 6, /* Perl's x: white space and comments in the pattern */
	REGEX_DOTALL = 1 << 7,   /* Perl's s */
	REGEX_NULDATA = 1 << 8,  /* with REGEX_NEWLINE: lines end in NUL, not in newline */
	REGEX_AWK = 1 << 9,      /* ERE as awk has it: \/ \" \ddd \n escapes, also in brackets */
	REGEX_SED = 1 << 10,     /* \n \t \dNNN \oNNN \xHH escapes as GNU sed has them */
	/* POSIX syntax as GNU grep reads it: a newline separates patterns, an operator with
	 * nothing before it is skipped (ERE), and a{1 is text. Without it as regcomp, and so
	 * bash, reads it; or, with REGEX_SED, as sed. */
	REGEX_GREP = 1 << 12,
	REGEX_UCP = 1 << 13,  /* Perl's \d \w \s \b know all of Unicode (jq), not ASCII only */
	REGEX_WORD = 1 << 14, /* no word character right before or behind the match (grep -w) */
	REGEX_LINE = 1 << 15, /* the match is a whole line (grep -x) */
	REGEX_SAME_NAMES = 1 << 16,  /* Perl: groups may have the same name (jq) */
	REGEX_ANY_REPEAT = 1 << 17,  /* basic syntax: a** and a \{ at the beginning are no errors */
	REGEX_HAT_NEWLINE = 1 << 18, /* with REGEX_NEWLINE: [^a] does match '\n' */
	REGEX_UNGREEDY = 1 << 19,    /* Perl's syntax, (?U): quantifiers are lazy, X*? is greedy */
	/* What regex_from_emacs returns is compiled with these (and REGEX_NEWLINE). */
	REGEX_EMACS = REGEX_BRE | REGEX_ANY_REPEAT | REGEX_HAT_NEWLINE,
	REGEX_LAZY_LIMIT = 1 << 11, /* reserved for tests: smallest DFA cache, to force flushes */
};

/* At the edges of the text given to a search. */
enum regex_exec_flags {
	REGEX_NOTBOL = 1, /* the text does not begin at the beginning of a line */
	REGEX_NOTEOL = 2,
};

enum {
	REGEX_NOMATCH = 1,   /* not an error: no match */
	REGEX_EWORK = -1000, /* the work limit of a backtracking search was hit */
	REGEX_GROUPS_MAX = 1000,
	REGEX_PATTERN_MAX = 1 << 20,
	REGEX_STATES_MAX = 100000, /* that repeats may add to an NFA; all of Perl's */
};

struct regex;

/* A half-open span of the text; from == SIZE_MAX for a group that took no part. */
struct regex_span {
	size_t from;
	size_t to;
};

/*
 * Compiles a pattern. Everything is allocated in `arena` and lives as long as it does; the
 * lazily built states of the DFA also go there, up to a bounded cache: so the arena must not be
 * released to a mark taken while the regex was in use.
 * Returns 0 and *out, or a negative value with *message set to a static text such as
 * "Unmatched ( or \\(" (the texts are GNU regcomp's; for REGEX_PERL PCRE2's, and *offset is
 * where in the pattern).
 */
int regex_compile(struct arena *arena, struct bytes pattern, unsigned flags, struct regex **out,
		  const char **message, size_t *offset);

/* The same over several patterns: matches where any of them does (grep -e, -f; rg). */
int regex_compile_set(struct arena *arena, const struct bytes *patterns, size_t npatterns,
		      unsigned flags, struct regex **out, const char **message);

/* A pattern of Emacs's syntax as a basic one, for REGEX_EMACS: + and ? repeat without a backslash,
 * there are no intervals, and no classes in brackets. */
struct bytes regex_from_emacs(struct arena *a, const char *pattern);

/* Number of capture groups, the whole match not counted. */
unsigned regex_groups(const struct regex *re);
/* The name of group n (Perl syntax), or NULL. */
const char *regex_group_name(const struct regex *re, unsigned n);

/* Work done by calls is added to *counter (about one per 64 bytes looked at); when `poll` is
 * not NULL it is called every some thousand units with the work since the last call, and may
 * not return (the caller's limits). */
void regex_set_work(struct regex *re, void (*poll)(void *arg, uint64_t work), void *arg);
/* Backtracking steps allowed to one search; the default is 10 million. */
void regex_set_backtrack_limit(struct regex *re, uint64_t steps);

/*
 * Searches text from offset `from` (what precedes it is still seen by ^, \b, look-behind).
 * 0: found, spans[0..nspans) filled, group 0 is the whole match; REGEX_NOMATCH; REGEX_EWORK.
 */
int regex_search(struct regex *re, struct bytes text, size_t from, unsigned exec_flags,
		 struct regex_span *spans, size_t nspans);

/* Only whether there is a match: stops at the earliest proof. 0, REGEX_NOMATCH, REGEX_EWORK. */
int regex_test(struct regex *re, struct bytes text, unsigned exec_flags);

/* Where at or after `from` something stands that every match holds: no match ends before. SIZE_MAX:
 * nowhere; `from`: such a thing is not known. Much faster than a search. */
size_t regex_hope(struct regex *re, struct bytes text, size_t from);

/*
 * For line-oriented searching of large buffers without splitting them first: finds the first
 * line at or after `from` that contains a match (needs REGEX_NEWLINE). A line ends with '\n'
 * (NUL with REGEX_NULDATA) or with the text. *line is the line's span without its end; it is
 * left alone when nothing was found.
 * Uses the literal prefilter across lines, so that lines without the literal cost no DFA step.
 */
int regex_search_line(struct regex *re, struct bytes text, size_t from, struct regex_span *line);

#endif
