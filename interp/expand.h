/* SPDX-License-Identifier: MIT
 *
 * What the files of expansion share among themselves.
 *
 *   expand.c        words -> parts -> text of the current field
 *   expand_split.c  where fields begin and end (IFS)
 *   expand_param.c  which value a parameter has; expand_op.c the operators on it
 *   expand_brace.c  {a,b} {1..9}, before all else
 *   expand_path.c   * ? [..] against the filesystem
 *
 * One struct expander is at work for one word (of what braces made). It collects the text of
 * the current field in `cur` and remembers which spans of it were quoted, so that a pattern
 * can be made of it when an unquoted pattern character turned up. Words inside ${x:-word} are
 * expanded by the same expander: "$@" in there makes fields of the outer word.
 */
#ifndef INTERP_EXPAND_H
#define INTERP_EXPAND_H

#include "base/utf8.h"
#include "interp/shell.h"

enum expand_mode {
	EXPAND_FIELDS, /* splits; several results */
	EXPAND_STRING, /* one string: case, [[ ]] */
	/* One string each, in which $* and $@ join a little differently: list_separator(). */
	EXPAND_HERESTRING,
	EXPAND_ASSIGN, /* the value of an assignment */
	EXPAND_ITEM,   /* [i]=value in the literal of an array */
	EXPAND_KEYED,  /* a key or value in that of an associative one: tildes are text */
	EXPAND_HEREDOC,
	EXPAND_PATTERN, /* as STRING, but quoted bytes get a backslash */
	EXPAND_SHOWN,   /* the same, each of them: as set -x shows patterns */
	EXPAND_REGEX,
	EXPAND_PATSUB, /* the replacement of ${x/p/r}: quoted & and \ get a backslash */
};

/* Where the text stands, for splitting. */
enum field_state {
	FIELD_NONE,     /* nothing yet */
	FIELD_OPEN,     /* cur is a field, though maybe empty */
	FIELD_AFTER_WS, /* white space ended the last one: a separator may still belong to it */
	FIELD_AFTER_SEP,
};

struct quoted_span {
	size_t from;
	size_t to;
};

struct expander {
	struct shell *sh;
	enum expand_mode mode;
	enum field_state state;
	bool magic;          /* cur contains an unquoted pattern character */
	bool split_text;     /* unquoted literal text splits too: inside ${x:-word} */
	bool empty_at;       /* a quoted "$@" came to nothing: no empty field for it */
	bool in_bracket;     /* EXPAND_REGEX: behind an unquoted [ */
	struct bytes source; /* of the word, for messages */
	struct buf cur;
	struct fields *out;
	struct quoted_span *spans;
	size_t nspans;
	size_t spans_cap;
};

/* The value of a parameter: one string, or the list of $@, ${a[*]}, ... */
struct value {
	bool set;
	bool list;
	bool star;       /* joined when it is quoted */
	bool positional; /* of $@ or $*, for how it is joined */
	bool plain;      /* no operator changed it */
	struct bytes one;
	const struct bytes *many;
	size_t n;
	struct var *var;  /* NULL for special parameters */
	struct bytes sub; /* of an element; ptr NULL if none */
};

/* --- expand.c --- */

/* All parts of a word. 0 or -1. */
int expand_parts(struct expander *e, const struct part *parts, int n);
/* A word inside an expansion, by the same expander; its own stack if it is deep. */
int expand_inner(struct expander *e, const struct word *w);
/* A word by an expander of its own to one string in the arena. 0 or -1. */
int expand_one(struct shell *sh, const struct word *w, enum expand_mode mode, struct bytes *out);
/* The same, but the bytes may be a view of a variable. */
int expand_view(struct shell *sh, const struct word *w, enum expand_mode mode, struct bytes *out);
/* The text of an expression, to be evaluated: what expansions give in subscripts is quoted for
 * the second expansion that these have. A view, as above. */
int expand_arith_text(struct shell *sh, const struct word *w, struct bytes *out);
/* The same for an operand of -eq and its like in [[ ]]. */
int expand_operand(struct shell *sh, const struct word *w, struct bytes *out);
/* Sets status and flow of an expansion error that was reported; -1. */
int expand_fail(struct shell *sh);
/* The same for one that ends only the line in a POSIX shell, too. */
int expand_fail_line(struct shell *sh);
/* The same for `set -u` and ${x?}, which end a shell that is not interactive. */
int expand_fail_shell(struct shell *sh);

/* --- expand_split.c --- */

/* Whether s contains a byte that may begin a pattern. */
bool has_magic(struct bytes s);
/* Text that is not split. quoted: pattern characters mean themselves. */
void emit(struct expander *e, struct bytes text, bool quoted);
/* Text of an unquoted expansion: split at IFS where the mode splits. */
void emit_split(struct expander *e, struct bytes text);
/* A quoted part: there is a field even if it is empty. */
void emit_quoted_null(struct expander *e);
/* Between two elements of a list: what is open becomes a field. */
void field_break(struct expander *e);
/* The same where the list is not quoted: as if the first character of IFS stood there. */
void list_break(struct expander *e);
/* At the end of the word. 0, or -1 when failglob refused. */
int field_end(struct expander *e);
/* The first character of IFS ("" if IFS is empty, a space if it is unset). */
struct bytes ifs_first(struct shell *sh);

/* --- expand_param.c --- */

int expand_param(struct expander *e, const struct param *p, bool quoted);
/* Joins a list. */
struct bytes value_join(struct shell *sh, const struct bytes *many, size_t n, struct bytes sep);
/* "a[1]", "x", "3": the parameter in messages. */
struct bytes param_name(struct shell *sh, const struct param *p);
/* The text of a subscript: a key, or what is to be evaluated. */
int expand_subscript(struct shell *sh, const struct param *p, const struct var *v,
		     struct bytes *out);

/* --- expand_op.c, expand_case.c, expand_transform.c --- */

/* Applies an operator that maps values to values. */
int param_operate(struct expander *e, const struct param *p, bool quoted, struct value *v);
struct bytes case_change(struct shell *sh, struct glob *g, enum param_op op, struct bytes s);
int param_transform(struct shell *sh, const struct param *p, struct value *v);

/* --- expand_brace.c --- */

/* Calls each(arg, parts, n) for every combination. 0, or what each returned. */
int brace_each(struct shell *sh, const struct word *w,
	       int (*each)(void *arg, const struct part *parts, int n), void *arg);

/* --- expand_path.c --- */

/* Pathname expansion of one field: `text` is added if nothing matches. 0 or -1 (failglob). */
int expand_field(struct shell *sh, struct bytes pattern, char *text, struct fields *out);

/* What patterns outside pathname expansion are compiled with. */
unsigned shell_glob_flags(const struct shell *sh, bool for_case);

/* --- expand_tilde.c --- */

/* What ~name stands for, or ptr NULL. */
struct bytes tilde_directory(struct shell *sh, struct bytes name);

#endif
