/* SPDX-License-Identifier: MIT
 *
 * Digests of a session's files, its journal, and replaying one: see docs/formats.md for the bytes.
 */
#ifndef COWSH_JOURNAL_H
#define COWSH_JOURNAL_H

#include "cowsh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- digests --- */

enum { COWSH_DIGEST_BYTES = 32 };

/*
 * A digest (SHA-256) of what changed in the files since the snapshot, in order of paths: kind of
 * change, path, mode, owner, number and count of names, times, and content. NULL: of all files;
 * what mounted sources have is read for that. The same on every processor. Between commands.
 */
COWSH_API int cowsh_digest(cowsh *session, const cowsh_snapshot *since,
			   unsigned char out[COWSH_DIGEST_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
