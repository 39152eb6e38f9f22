/* SPDX-License-Identifier: MIT
 *
 * Notes: texts that hang on objects without changing them, in a tree of their own.
 */
#ifndef BUILTINS_GIT_NOTES_H
#define BUILTINS_GIT_NOTES_H

#include "builtins/git/commit.h"

struct note {
	struct oid on; /* the object */
	struct oid blob;
};
struct notes {
	const char *ref;
	struct oid commit; /* null: there is none yet */
	struct note *at;   /* in the order of objects */
	size_t n, cap;
	struct leaves others; /* files of the tree that are no notes */
	struct notes *next;   /* of those that log shows */
};

/* "x" as refs/notes/x; NULL: the configured one. */
const char *notes_ref(struct git *g, const char *name);
/* Reads the notes of a reference. */
void notes_load(struct git *g, const char *ref, struct notes *out);
struct note *notes_find(struct notes *ns, const struct oid *on);
/* Sets (blob not NULL) or removes one. */
void notes_set(struct git *g, struct notes *ns, const struct oid *on, const struct oid *blob);
/* Commits what changed. message: "Notes added by 'git notes add'". */
void notes_save(struct git *g, struct notes *ns, const char *message);
/* Only the commit, with these parents. */
void notes_commit(struct git *g, const struct notes *ns, const struct oid *parents, size_t n,
		  const char *message, struct oid *out);
/* The notes of a commit that no reference need name; null: none. */
void notes_load_commit(struct git *g, const char *ref, const struct oid *commit, struct notes *out);
/* Two texts with an empty line between, as the note; first null: the second. */
void notes_join(struct git *g, const struct oid *first, const struct oid *second, struct oid *out);
/* notes_merge.c: git notes merge. */
int notes_merge(struct git *g, const char *ref, struct args *args);
/* What log shows, remembered between calls: the references that were asked for by name or
 * pattern, or the configured ones. */
struct notes *notes_shown(struct git *g);
/* Asks for one; NULL: for the configured ones. */
void notes_show(struct git *g, const char *pattern);
bool notes_text(struct git *g, struct notes *ns, const struct oid *on, struct bytes *out);

#endif
