/* SPDX-License-Identifier: MIT
 *
 * Conflicts that were resolved before are resolved again in the same way.
 *
 *   rr-cache/ID[/preimage|postimage|thisimage][.VARIANT]    MERGE_RR: which paths wait for what
 *
 * ID is the hash of the conflicts of a file, whatever their sides are called and in which order
 * they stand. One ID may have several variants: other text around the same conflicts.
 */
#ifndef BUILTINS_GIT_RERERE_H
#define BUILTINS_GIT_RERERE_H

#include "builtins/git/merge.h"

enum rerere_update { RERERE_AS_CONFIGURED, RERERE_UPDATE, RERERE_NO_UPDATE };

struct rerere_item {
	char *path;
	struct oid id;
	int variant;   /* -1: not chosen */
	bool done;     /* nothing waits any more */
	bool no_id;    /* rerere remaining: a conflict of another kind */
	bool resolved; /* rerere remaining */
};
struct rerere {
	struct git *g;
	struct rerere_item *at; /* by path */
	size_t n, cap;
};

/* Records what is new, replays what is known, after a merge of any kind or a commit. Does nothing
 * unless it is switched on. */
void rerere_run(struct git *g);
/* What waits is forgotten, and preimages without resolution go. */
void rerere_clear(struct git *g);

/* cmd_rerere.c: what was not used for long goes. */
void rerere_gc(struct git *g);

bool rerere_is_on(struct git *g);
void rerere_read(struct git *g, struct rerere *r);
void rerere_write(struct rerere *r);
struct rerere_item *rerere_find(struct rerere *r, const char *path);
struct rerere_item *rerere_add(struct rerere *r, const char *path);
/* A file of an item: "preimage" and so on. */
char *rerere_path(struct git *g, const struct rerere_item *it, const char *name);
bool rerere_has_resolution(struct git *g, const struct rerere_item *it);
/* How many variants there may be. */
int rerere_variants(struct git *g, const struct rerere_item *it);
/* The conflicts of a text: how many, -1: markers are broken. out: the text with plain markers; id:
 * their name. Both may be NULL. */
int rerere_conflicts(struct git *g, struct bytes text, int marker, struct buf *out, struct oid *id);
int rerere_marker_size(struct git *g, const char *path);
/* Applies a resolution to the conflicts in `text` (markers plain): false if it does not fit. */
bool rerere_replay(struct git *g, const struct rerere_item *it, struct bytes text,
		   struct bytes *out);
enum rerere_kind { RERERE_RESOLVED, RERERE_PUNTED, RERERE_THREE };
/* What the index says of the entry at *i, which moves behind its path. */
enum rerere_kind rerere_next_path(const struct index *x, size_t *i);

#endif
