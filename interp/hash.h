/* SPDX-License-Identifier: MIT
 *
 * Remembered locations of commands: what `hash` lists.
 */
#ifndef INTERP_HASH_H
#define INTERP_HASH_H

#include "base/bytes.h"

struct shell;

struct hash_entry {
	struct hash_entry *next;
	struct bytes name;
	uint64_t hash;
	char *path;
	int hits;
	unsigned order; /* of insertion */
	bool hidden;    /* found by a subshell: used, but not shown until this shell uses it */
};

enum { HASH_SLOTS = 64 };

struct hash_table {
	struct hash_entry *slot[HASH_SLOTS];
	size_t count;
	unsigned inserted; /* so far */
	bool cleared;      /* a subshell's: the parent's entries are hidden */
};

/* The remembered entry, or NULL. */
struct hash_entry *hash_find(struct shell *sh, struct bytes name);
/* For starting a command: hidden entries too, and counts a hit. */
struct hash_entry *hash_use(struct shell *sh, struct bytes name);
/* After a search of PATH: keeps the location for this shell and those it reads through to. */
void hash_keep(struct shell *sh, struct bytes name, struct bytes path);
/* Remembers name at path (both copied), with no hits. */
void hash_put(struct shell *sh, struct bytes name, struct bytes path);
/* False if it was not remembered. */
bool hash_remove(struct shell *sh, struct bytes name);
/* Forgets all: `hash -r`, and whenever PATH changes. */
void hash_clear(struct shell *sh);
/* All entries in the order in which bash's `hash` lists them; in sh->arena. */
size_t hash_list(struct shell *sh, struct hash_entry ***out);

/* For saved sessions and forks. */
struct buf;
struct unpack;
void hash_pack(struct shell *sh, struct buf *out);
void hash_unpack(struct shell *sh, struct unpack *in);

#endif
