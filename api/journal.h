/* SPDX-License-Identifier: MIT
 *
 * What digest.c, journal.c and replay.c share.
 */
#ifndef API_JOURNAL_H
#define API_JOURNAL_H

#include "api/private.h"
#include "cowsh_journal.h"

/* digest.c: of what changed since that tree; NULL: of all. */
int tree_digest(struct cowsh *s, struct vfs_tree *since, uint8_t out[COWSH_DIGEST_BYTES]);

#endif
