/* SPDX-License-Identifier: MIT
 *
 * Completion specifications: what `complete` stores and `compgen` carries out.
 */
#ifndef INTERP_COMPLETION_H
#define INTERP_COMPLETION_H

#include "interp/shell.h"

/* clang-format off */
/* COMPACTION(letter, name): in the order in which `complete -p` prints their options. */
#define COMPACTION_LIST(A)                                                                         \
	A('a', alias) A(0, arrayvar) A(0, binding) A('b', builtin) A('c', command)                 \
	A('d', directory) A(0, disabled) A(0, enabled) A('e', export) A('f', file)                 \
	A(0, function) A('g', group) A(0, helptopic) A(0, hostname) A('j', job) A('k', keyword)    \
	A(0, running) A('s', service) A(0, setopt) A(0, shopt) A(0, signal) A(0, stopped)          \
	A('u', user) A('v', variable)

/* In the order in which `complete -p` prints them. */
#define COMPOPTION_LIST(O)                                                                         \
	O(bashdefault) O(default) O(dirnames) O(filenames) O(noquote) O(nosort) O(nospace)         \
	O(plusdirs)
enum completion_action {
#define A(letter, name) ACTION_##name,
	COMPACTION_LIST(A)
#undef A
	ACTION_COUNT
};

enum completion_option {
#define O(name) COMPOPT_##name,
	COMPOPTION_LIST(O)
#undef O
	COMPOPT_COUNT
};
/* clang-format on */

struct completion {
	uint32_t actions; /* a bit per enum completion_action */
	uint32_t options;
	const char *words;    /* -W */
	const char *pattern;  /* -G */
	const char *function; /* -F */
	const char *command;  /* -C */
	const char *filter;   /* -X */
	const char *prefix;   /* -P */
	const char *suffix;   /* -S */
};

/* The candidates for `word` that c names, into out. */
void completion_generate(struct shell *sh, const struct completion *c, const char *word,
			 struct fields *out);
/* The letter of an action in options, or 0; its name. */
char completion_action_letter(enum completion_action a);
const char *completion_action_name(enum completion_action a);

#endif
