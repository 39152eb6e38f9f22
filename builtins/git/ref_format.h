/* SPDX-License-Identifier: MIT
 *
 * Fields and order of references: for-each-ref, branch, tag.
 */
#ifndef BUILTINS_GIT_REF_FORMAT_H
#define BUILTINS_GIT_REF_FORMAT_H

#include "builtins/git/walk.h"

/* The reference that is written; its object is read once a field asks for it. */
struct ref_subject {
	const char *name;
	struct oid oid;
	const char *target; /* of a symbolic one */
	enum object_type type;
	struct bytes data;
	struct commit_text t;
	bool loaded;
};
/* One field: what is between "%(" and ")". */
void ref_put_atom(struct git *g, struct ref_subject *r, const char *atom, struct buf *out);

enum ref_quote {
	REF_QUOTE_NONE,
	REF_QUOTE_PERL,
	REF_QUOTE_SHELL,
	REF_QUOTE_PYTHON,
	REF_QUOTE_TCL,
};
/* --format of for-each-ref and its kin, one line; fields are words of a language. */
void ref_put_format(struct git *g, const char *format, enum ref_quote quote, const char *name,
		    const struct oid *o, const char *target);
/* By keys as --sort has them, which may be texts of any case. */
void ref_sort(struct git *g, struct ref *list, size_t n, const struct names *keys, bool icase);
/* ref_filter.c: whether an object passes --contains, --no-contains, --merged or --no-merged
 * (option) of the commits in list. Ends the command if one is none. */
bool ref_filter_commits(struct git *g, const struct names *list, const struct oid *o,
			const char *option);

#endif
