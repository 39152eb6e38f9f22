/* SPDX-License-Identifier: MIT
 *
 * The regular expression engine's inside.
 *
 *   pattern -> posix.c, perl.c -> tree of rx_node
 *   tree    -> prog.c    instructions, forwards or backwards; factor.c: lists of words as tries
 *   program -> dfa.c     whether it matches, and where (alphabet.c: classes of characters)
 *           -> captures.c, backtrack.c   groups, and all that no automaton can do
 *   tree    -> literal.c strings that must occur, to skip to
 *
 * A POSIX match is found in three passes: the forward DFA finds where the leftmost-longest
 * match ends, the backward one where it begins, and only then are groups looked for, within it.
 *
 * Characters are code points; a byte that is not part of well-formed UTF-8 is the character
 * RX_RAW + byte. Without REGEX_UTF8 every byte is the character of its value.
 */
#ifndef BASE_REGEX_PRIVATE_H
#define BASE_REGEX_PRIVATE_H

#include "base/regex.h"
#include "base/regex/set.h"

enum {
	RX_DEPTH_MAX = 110,    /* nesting of the tree, and of each recursion over it */
	RX_REPEAT_MAX = 32767, /* in {n,m} */
};
#define RX_INFINITE UINT32_MAX
#define RX_NONE     UINT32_MAX

#define RX_TOO_BIG "Regular expression too big"

/* node.c: the tree of a pattern. */
enum rx_op {
	RX_EMPTY,
	RX_CHAR,    /* c */
	RX_SET,     /* set */
	RX_CAT,     /* kids in order */
	RX_ALT,     /* kids, the preferred first */
	RX_REPEAT,  /* one kid, min to max times; mode: greedy, lazy or possessive */
	RX_GROUP,   /* one kid; n is its number */
	RX_ASSERT,  /* kind is enum rx_assert */
	RX_BACKREF, /* n */
	RX_LOOK,    /* one kid; kind is enum rx_look */
	RX_ATOMIC,  /* one kid */
	RX_COND,    /* kind is enum rx_cond; then yes, no */
	RX_KEEP,    /* \K */
	RX_CALL,    /* n: the group to run as a subroutine, 0 the whole pattern */
	RX_VERB,    /* kind is enum rx_verb */
	RX_FAIL,
};

enum rx_mode { RX_GREEDY, RX_LAZY, RX_POSSESSIVE };
enum rx_look { RX_BEHIND = 1, RX_NOT = 2 };
/* A group took part; a group runs as a subroutine (RX_NONE: any); never; the look-around that is
 * the first kid. */
enum rx_cond { RX_IF_GROUP, RX_IF_CALLED, RX_IF_NEVER, RX_IF_LOOK };
/* Where it would be gone back over them: nothing matches; not from this start; not from any before
 * here. */
enum rx_verb { RX_COMMIT, RX_PRUNE, RX_SKIP };

/* Conditions on a place between two characters; the order is that of a table in prog.c. */
enum rx_assert {
	RX_LINE_BEGIN,
	RX_LINE_END,
	RX_TEXT_BEGIN,
	RX_TEXT_END,
	RX_WORD_BEGIN,
	RX_WORD_END,
	RX_WORD_INSIDE,
	RX_WORD_OUTSIDE,
	RX_NO_WORD_BEFORE,
	RX_NO_WORD_BEHIND,
	RX_DFA_ASSERTS,
	RX_TEXT_END_NL = RX_DFA_ASSERTS, /* Perl's \Z: also before a final newline */
	RX_SEARCH_BEGIN,                 /* Perl's \G */
};

struct rx_node {
	uint8_t op;
	uint8_t kind; /* rx_mode, rx_assert, rx_look */
	uint16_t depth;
	bool icase;    /* of a back-reference */
	bool nullable; /* may match nothing */
	bool groups;   /* holds groups */
	uint8_t fold;  /* RX_SET: the small ASCII letter whose two cases this set is, or 0 */
	uint32_t n;    /* group number; character */
	uint32_t min;
	uint32_t max;
	const struct rx_set *set;
	struct rx_node *kid;
	struct rx_node *last;
	struct rx_node *next;
	struct rx_node *prev;
};

/* What parsing a pattern gives; both parsers fill it. */
struct rx_parse {
	struct arena *arena;
	struct bytes p;
	size_t at;
	unsigned flags;
	const char *error; /* static text, or NULL */
	size_t error_at;
	uint32_t ngroups;
	const char **names; /* by group, or NULL: ngroups + 1 entries when not NULL */
	uint32_t names_cap;
	const struct rx_set *cases[0x80]; /* of ASCII letters, once asked for */
	const struct rx_set *any[2];      /* all characters; all but a line's end */
	bool backrefs; /* also set by everything else that only backtrack.c can do */
};

struct rx_node *rx_node(struct rx_parse *p, enum rx_op op);
struct rx_node *rx_unary(struct rx_parse *p, enum rx_op op, struct rx_node *kid);
void rx_append(struct rx_parse *p, struct rx_node *list, struct rx_node *kid);
/* A list of one is its kid, of none RX_EMPTY. */
struct rx_node *rx_simplify(struct rx_parse *p, struct rx_node *list);
struct rx_node *rx_repeat(struct rx_parse *p, struct rx_node *kid, uint32_t min, uint32_t max,
			  enum rx_mode mode);
/* A character, as a set when case is ignored. */
struct rx_node *rx_char(struct rx_parse *p, uint32_t c);
struct rx_node *rx_set_node(struct rx_parse *p, const struct rx_set *s);
struct rx_node *rx_assertion(struct rx_parse *p, enum rx_assert kind);
/* \b and \B. */
struct rx_node *rx_word_edge(struct rx_parse *p, bool negate);
/* '.', without the character that ends lines if `line` is set. */
struct rx_node *rx_any(struct rx_parse *p, bool line);
/* Takes one character of the pattern at p->at. */
uint32_t rx_take_char(struct rx_parse *p);
/* Records an error (the first one stays). */
void rx_error(struct rx_parse *p, const char *text);
static inline bool rx_utf8(const struct rx_parse *p)
{
	return (p->flags & REGEX_UTF8) != 0;
}
/* The byte that ends lines for these flags. */
static inline char rx_eol(unsigned flags)
{
	return (flags & REGEX_NULDATA) != 0 ? '\0' : '\n';
}

/* Bytes a match of the node takes; max is SIZE_MAX when not bounded. */
struct rx_extent {
	size_t min;
	size_t max;
};
struct rx_extent rx_extent(const struct rx_node *n, bool utf8);
/* Whether every match begins where a buffer (or, with `line`, a line) begins. */
bool rx_anchored(const struct rx_node *n, bool line);

/* bracket.c: parses [...] of POSIX syntax; p->at is behind '['. NULL on error. */
struct rx_node *rx_bracket(struct rx_parse *p);
/* [:name:] of a set; false if the name is not known. */
bool rx_add_named_class(struct rx_parse *p, struct rx_set *s, struct bytes name);

/* posix.c, perl.c, escape.c. NULL and p->error when the pattern is wrong. */
struct rx_node *rx_parse_posix(struct rx_parse *p);
struct rx_node *rx_parse_perl(struct rx_parse *p);
struct rx_node *rx_parse_fixed(struct rx_parse *p);
/* An escape of sed or awk behind a backslash (p->at is behind it): its character, or RX_NONE
 * with p->at unmoved. */
uint32_t rx_escape(struct rx_parse *p, bool in_bracket);

/* What is known about one side of a place. */
enum rx_side { RX_EDGE = 1, RX_LINE = 2, RX_WORD = 4 };
struct rx_condition {
	uint8_t left_mask, left_value;
	uint8_t right_mask, right_value;
};
extern const struct rx_condition rx_conditions[RX_DFA_ASSERTS];

static inline bool rx_holds(unsigned kind, unsigned left, unsigned right)
{
	const struct rx_condition *c = &rx_conditions[kind];

	return (left & c->left_mask) == c->left_value && (right & c->right_mask) == c->right_value;
}

/* prog.c: the tree as instructions over characters. */
enum rx_inst_op {
	RX_I_MATCH,
	RX_I_FAIL,
	RX_I_CHAR, /* n: the character */
	RX_I_SET,
	RX_I_SPLIT,  /* out is preferred to alt */
	RX_I_OPEN,   /* n: group */
	RX_I_CLOSE,  /* n: group; kind 1: an empty turn behind others is undone */
	RX_I_ASSERT, /* kind */
	/* these need the backtracking matcher */
	RX_I_BACKREF,   /* n */
	RX_I_LOOP,      /* n: slot; remembers where a turn began */
	RX_I_LOOP_TEST, /* n: slot; a turn that took nothing goes to alt */
	RX_I_HOLD,      /* n: slot; remembers the height of the stack, and the place */
	RX_I_CUT,       /* n: slot; forgets alternatives since HOLD; kind 1: and moves back */
	RX_I_NOT_HOLD,  /* n: slot; as HOLD, and where this fails goes on at alt */
	RX_I_NOT_CUT,   /* n: slot; fails for good what began at NOT_HOLD */
	RX_I_BACK,      /* n: steps back so many characters */
	RX_I_IF_GROUP,  /* n: out if the group took part, else alt; kind 1: if it was called */
	RX_I_KEEP,
	RX_I_CALL, /* n: the group at alt; then on at out */
	RX_I_VERB, /* kind */
	RX_I_STAR, /* set; n: at least so many; kind: rx_mode; one character repeated */
};

struct rx_inst {
	uint8_t op;
	uint8_t kind;
	bool icase;
	uint32_t n;
	uint32_t out;
	uint32_t alt;
	const struct rx_set *set;
};

struct rx_prog {
	struct arena *arena;
	struct rx_inst *inst;
	uint32_t n;
	uint32_t max; /* more and the pattern is too big */
	uint32_t cap;
	uint32_t start;
	uint32_t ngroups;
	uint32_t nslots; /* registers besides the groups' */
	uint32_t *entry; /* by group: its OPEN, for calls */
	bool reverse;
	bool perl;
	bool utf8;
	bool words;      /* has an assertion about words */
	uint32_t copies; /* while building: of how many repeats this is another copy */
	bool loops;      /* a turn of a loop may take nothing */
	bool linear;     /* registers don't influence whether it matches */
	bool too_big;
	const char *error;
};

enum rx_prog_kind { RX_FORWARD, RX_BACKWARD, RX_PERL };
/* NULL, and *error set, when it would be too big or holds what can't be done. */
struct rx_prog *rx_prog_build(struct arena *a, const struct rx_node *tree, uint32_t ngroups,
			      enum rx_prog_kind kind, bool utf8, const char **error);

/* Whether it asks what is around a place. */
bool rx_has_conditions(const struct rx_prog *prog);

/* For perl_prog.c, which builds what POSIX syntax does not have. */
uint32_t rx_prog_add(struct rx_prog *g, struct rx_inst i);
uint32_t rx_prog_node(struct rx_prog *g, const struct rx_node *n, uint32_t next);
/* The repeat n, whatever its mode. */
uint32_t rx_prog_repeat(struct rx_prog *g, const struct rx_node *n, uint32_t next);
/* Tells calls where their groups are, once all is built. */
void rx_link_calls(struct rx_prog *g, const struct rx_node *tree);
uint32_t rx_build_perl(struct rx_prog *g, const struct rx_node *n, uint32_t next);

/* alphabet.c: characters that no part of a program tells apart are one class. */
struct rx_interval {
	uint32_t lo; /* up to the next one's */
	uint32_t class;
};

enum { RX_MEMO = 256 };

struct rx_alphabet {
	uint16_t low[256]; /* by byte; 0: a byte of a longer character, or a stray one */
	uint32_t n;        /* classes, 0 included */
	uint32_t *sample;  /* by class: a character of it */
	uint8_t *side;     /* by class: bits of enum rx_side */
	struct rx_interval *interval;
	uint32_t nintervals;
	struct rx_interval memo[RX_MEMO]; /* classes of characters seen lately */
};

struct rx_alphabet *rx_alphabet(struct arena *a, const struct rx_prog *prog, unsigned flags);
uint32_t rx_class_of(struct rx_alphabet *alpha, uint32_t c);

/* dfa.c */
enum rx_dfa_mode {
	RX_D_SEEDED = 1,   /* a match may begin anywhere */
	RX_D_LEFTMOST = 2, /* matches that begin later are dropped once one is found */
	RX_D_LINES = 4,    /* every line is a text of its own */
};

/* A state is named by where its row of transitions begins. */
enum {
	RX_D_SPECIAL = 1u << 31, /* in a transition: the state has flags to look at */
	RX_D_UNKNOWN = RX_D_SPECIAL | 0x7fffffff, /* not made yet, or a byte that is no class */
	RX_D_END = 0,                             /* further columns: the end of the text, */
	RX_D_END_NOTEOL = 1,                      /* or with REGEX_NOTEOL; */
	RX_D_FLAGS = 2,  /* no transition: enum rx_dfa_flags of the state; */
	RX_D_CLASS0 = 3, /* and classes from here on */
};

enum rx_dfa_flags {
	RX_D_DEAD = 1, /* no match can follow */
	RX_D_NOW = 2,  /* a match ends here */
	RX_D_PREV = 4, /* a match ended before the last character */
	RX_D_HOME = 8, /* nothing has begun: one may skip to where something can */
	RX_D_NOSEED = 16,
	RX_D_PENDING = 32, /* holds conditions on what follows */
	/* Flags that say nothing to a reader. */
	RX_D_INNER = RX_D_NOSEED | RX_D_PENDING,
};

struct rx_dstate {
	uint32_t set;   /* where its instructions begin in `sets`, */
	uint32_t n;     /* and how many: groups of one start, ended by RX_NONE each */
	uint32_t chain; /* the next of the same hash */
	uint8_t flags;
	uint8_t known; /* enum rx_side of what was read last; only if pending */
};

struct rx_list {
	uint32_t *item;
	uint32_t n;
	uint32_t *place; /* by instruction: where it is in `item`, if it is */
};

struct rx_dfa {
	struct arena *arena;
	const struct rx_prog *prog;
	struct rx_alphabet *alpha;
	unsigned flags; /* of the regex */
	unsigned mode;
	uint32_t stride;
	uint32_t *trans;
	struct rx_dstate *state;
	uint32_t nstates;
	uint32_t cap;
	uint32_t cap_max;
	uint32_t *bucket;
	uint32_t buckets;
	uint32_t *sets;
	uint32_t nsets;
	uint32_t sets_cap;
	uint32_t flushes;
	uint32_t start[8]; /* by enum rx_side of what is before */
	struct rx_list now;
	struct rx_list next;
	uint32_t *made;
	uint32_t *stack;
	bool skips;           /* the reader skips ahead from states that are RX_D_HOME */
	bool conditions;      /* the program asks what is around a place */
	size_t gap;           /* with LINES: how far searches have read lately */
	uint32_t column[256]; /* by byte: its column in a row, or 0 for a longer character */
	uint64_t cost;        /* instructions looked at since the last report */
};

struct rx_dfa *rx_dfa_new(struct arena *a, const struct rx_prog *prog, struct rx_alphabet *alpha,
			  unsigned regex_flags, unsigned mode);
/* The state before anything is read, where `side` is what the reader has behind it. */
uint32_t rx_dfa_start(struct rx_dfa *d, unsigned side);
/* The transition of a state (without RX_D_SPECIAL) by a column. */
uint32_t rx_dfa_step(struct rx_dfa *d, uint32_t state, uint32_t column);
static inline unsigned rx_dfa_flags(const struct rx_dfa *d, uint32_t state)
{
	return d->trans[(state & ~RX_D_SPECIAL) + RX_D_FLAGS];
}

/* first.c: by byte, whether a match can begin with it. NULL when that is no help: a match may be
 * empty, or too many can. */
const uint8_t *rx_first_bytes(struct arena *a, const struct rx_prog *prog);
/* Where the next byte at or after `from` is that a match can begin with, or SIZE_MAX. */
size_t rx_next_first(const uint8_t *first, struct bytes text, size_t from);

/* factor.c: the tree with alternatives that are strings as a trie of common beginnings, or ends
 * if backward, where there are many and no groups; else the tree itself. It matches the same, but
 * the order of alternatives is another one. */
const struct rx_node *rx_factor(struct arena *a, unsigned flags, const struct rx_node *tree,
				bool backward);

/* literal.c: strings of which one must occur in every match. */
enum { RX_LITERALS_MAX = 64, RX_LITERAL_BYTES = 64 };
struct rx_literals {
	struct bytes *str; /* small letters where `fold` */
	uint32_t n;
	bool fold;     /* ASCII letters match in both cases */
	bool exact;    /* a match is one of the strings, nothing more */
	bool prefix;   /* a match begins with one */
	uint8_t *byte; /* by byte, whether it is one of the strings; NULL if some are longer */
	struct simd_finder *finder;
};
/* NULL when there is nothing useful. */
struct rx_literals *rx_literals(struct arena *a, const struct rx_node *tree, unsigned flags);
/* Where one of the strings begins at or after `from`, or SIZE_MAX. */
size_t rx_literal_next(const struct rx_literals *l, struct bytes text, size_t from);
/* The length of the longest of the strings at `at`, or SIZE_MAX. */
size_t rx_literal_at(const struct rx_literals *l, struct bytes text, size_t at);

struct regex {
	struct arena *arena;
	unsigned flags;
	uint32_t ngroups;
	const char **names;
	const struct rx_node *tree;
	struct rx_prog *prog;
	struct rx_prog *automaton; /* what the DFA runs: prog, or another one for Perl */
	struct rx_prog *backward;  /* made when first needed */
	struct rx_alphabet *alphabet;
	struct rx_dfa *test_dfa; /* made when first needed */
	struct rx_dfa *line_dfa;
	struct rx_dfa *left_dfa;
	struct rx_dfa *back_dfa;
	struct rx_literals *literals;
	const uint8_t *first; /* rx_first_bytes; this and one_byte once there is an alphabet */
	struct rx_extent extent;
	bool anchored;  /* matches begin at the beginning of the text only */
	bool backtrack; /* spans come from backtracking */
	bool by_dfa;    /* whether there is a match can be asked of the DFA */
	bool one_byte;  /* matches are the bytes of `first` */
	void (*poll)(void *arg, uint64_t work);
	void *poll_arg;
	uint64_t work;   /* not yet reported */
	uint32_t near;   /* how often in a row such a string was found at once */
	uint32_t pause;  /* for how many searches of lines the strings were left out last, */
	uint32_t paused; /* and for how many more */
	uint64_t backtrack_max;
};

enum { RX_WORK_STEP = 4096 };

static inline void rx_charge(struct regex *re, uint64_t units)
{
	re->work += units;
	if (re->work >= RX_WORK_STEP) {
		uint64_t work = re->work;

		re->work = 0;
		if (re->poll != NULL)
			re->poll(re->poll_arg, work);
	}
}

/* dfa_search.c. A part of the text; what is around it is looked at for conditions only. */
struct rx_part {
	struct bytes text;
	size_t from;
	size_t to;
	unsigned exec_flags;
	size_t begin; /* set by rx_dfa_forward */
};
/* Where a match ends: the earliest end (mode without LEFTMOST) or that of the leftmost-longest
 * match; SIZE_MAX if there is none. With LINES, a place in or at the end of a line with one.
 * part->begin is where the match (with LINES: the line) begins, or SIZE_MAX: it was not seen. */
size_t rx_dfa_forward(struct regex *re, struct rx_dfa *d, struct rx_part *part);
/* The leftmost place in the part where a match begins that ends at part->to. */
size_t rx_dfa_backward(struct regex *re, struct rx_dfa *d, const struct rx_part *part);

/* backtrack.c: the preferred match that begins in [from, last_start]. 0, REGEX_NOMATCH,
 * REGEX_EWORK. */
struct rx_try {
	struct bytes text;
	size_t from;
	size_t last_start;
	unsigned exec_flags;
	bool longest; /* POSIX with back-references: the longest at the first start */
};
int rx_backtrack(struct regex *re, const struct rx_try *t, struct regex_span *spans, size_t nspans);

/* captures.c: groups of a match known to be text[from, to), as GNU's regexec gives them. */
int rx_captures(struct regex *re, struct bytes text, const struct regex_span *match,
		unsigned exec_flags, struct regex_span *spans, size_t nspans);

/* text.c. Memory beside `a` for a moment, until rx_scratch_end; if it or that of `a` runs out, it
 * is given back first. */
struct rx_scratch {
	struct arena arena;
	struct arena *beside;
	struct arena_fail up; /* of `a` */
};
struct arena *rx_scratch(struct rx_scratch *s, struct arena *a);
void rx_scratch_end(struct rx_scratch *s);

bool rx_is_word(uint32_t c, unsigned flags);
/* Whether words are made of more than ASCII. */
static inline bool rx_wide_words(unsigned flags)
{
	return (flags & REGEX_UTF8) != 0 &&
	       ((flags & REGEX_SYNTAX) != REGEX_PERL || (flags & REGEX_UCP) != 0);
}
/* What a matcher knows about the two sides of `at`: bits of enum rx_side. */
unsigned rx_left_of(struct bytes text, size_t at, unsigned flags, unsigned exec_flags);
unsigned rx_right_of(struct bytes text, size_t at, unsigned flags, unsigned exec_flags);

#endif
