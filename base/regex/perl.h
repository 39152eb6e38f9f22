/* SPDX-License-Identifier: MIT
 *
 * Shared by the files that parse Perl's syntax.
 */
#ifndef BASE_REGEX_PERL_H
#define BASE_REGEX_PERL_H

#include "base/regex/private.h"

struct perl_frame {
	struct perl_frame *up;
	struct rx_node *alt;
	struct rx_node *cat;
	unsigned flags; /* to go back to at the ')' */
	uint32_t group; /* number, for a capturing group */
	uint8_t kind;   /* enum rx_op: GROUP, CAT for (?:), LOOK, ATOMIC, COND */
	uint8_t look;
	bool wants_look;     /* a condition that is a look-around comes first */
	bool reset;          /* (?|: groups of each branch have the same numbers, */
	uint32_t reset_from; /* behind this one */
	uint32_t reset_max;  /* the largest of a branch */
};

/* A use of a group by name or number, to be checked at the end. */
struct perl_ref {
	struct perl_ref *next;
	struct rx_node *node;
	struct bytes name;
	size_t at;
};

struct perl {
	struct rx_parse *p;
	struct perl_frame *top;
	struct perl_ref *refs;
	struct rx_node *atom; /* the last one, to which a quantifier applies; NULL: none */
	uint32_t base;
	bool verbs;   /* has (*COMMIT) and the like */
	bool literal; /* between \Q and \E */
};

/* Whether more is left, and the next byte. */
static inline bool perl_more(const struct perl *x)
{
	return x->p->at < x->p->p.len;
}
static inline char perl_peek(const struct perl *x)
{
	return perl_more(x) ? x->p->p.ptr[x->p->at] : '\0';
}
/* Takes the text if it comes next. */
bool perl_take(struct perl *x, const char *text);

/* perl_escape.c: what follows a backslash, as an atom; NULL when it is none (or on error). */
struct rx_node *perl_escape(struct perl *x);
/* A reference to a group by name or number. */
struct rx_node *perl_backref(struct perl *x, struct bytes name, uint32_t number);
/* perl_class.c: [...], behind the '['. */
struct rx_node *perl_class(struct perl *x);
/* An error, and true, if [: :], [. .] or [= =] begins at `at`, where it may not be. */
bool perl_refuse_posix(struct perl *x, size_t at);
/* Adds \d \w \s \h \v \p{..} and their opposites, behind the backslash; false if it is none. */
bool perl_add_class(struct perl *x, struct rx_set *s);
/* A character given by an escape such as \n \x{..} \012; RX_NONE if it is none. */
uint32_t perl_char_escape(struct perl *x, bool in_class);
/* Remembers a use of a group, by name or else number. */
void perl_add_ref(struct perl *x, struct rx_node *n, struct bytes name);
/* perl_call.c: (?R) (?1) (?-1) (?&name) (?P>name), behind "(?"; false, and nothing taken, if it is
 * none. *out is NULL on error. */
bool perl_call(struct perl *x, struct rx_node **out);
struct rx_node *perl_call_escape(struct perl *x, char end);
/* A verb behind "(*", as an atom, or NULL. */
struct rx_node *perl_verb(struct perl *x);
/* What may stand in front of a pattern. */
void perl_settings(struct perl *x);
/* A decimal number at p->at; false if there is none, or too large a one. */
bool perl_number(struct perl *x, uint32_t *value);
/* A name up to the given end, which is taken too. */
bool perl_name(struct perl *x, char end, struct bytes *name);

#endif
