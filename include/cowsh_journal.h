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

/* --- writing a journal --- */

/* Takes the bytes of a journal in order. 0, or a negative error, after which no more come. */
struct cowsh_journal {
	size_t size; /* COWSH_JOURNAL_INIT sets it */
	int (*write)(void *user, const void *data, size_t len);
	void *user;
};
#define COWSH_JOURNAL_INIT                                                                         \
	{                                                                                          \
		sizeof(struct cowsh_journal), NULL, NULL                                           \
	}

/*
 * As cowsh_new, and everything that is done with the session from now on is journaled: what it was
 * made with, each command, what comes from outside (input, readings of a real clock, files of
 * sources as they are read, custom commands, cancelling), and digests of what came of it.
 *
 * Not with a microvm (-EINVAL). The session refuses what a journal can't have: cowsh_restore,
 * cowsh_mount_image (-EINVAL), forks while sources are mounted (-EINVAL; others are not
 * journaled), and what the host does while a command runs, or while cowsh_drain has not come to its
 * end (-EBUSY), but for waking, signals and cancelling. Looking at files is always possible, and
 * not in the journal; sessions that were made of its snapshots must run on its thread, as long as
 * its sources are mounted in them.
 */
COWSH_API int cowsh_new_journaled(cowsh_store *store, const struct cowsh_config *config,
				  const struct cowsh_host *host,
				  const struct cowsh_journal *journal, cowsh **out);
/* Writes what is still held back of a running command: then a replay can follow to this point. */
COWSH_API int cowsh_journal_flush(cowsh *session);
/* Writes the end; the session goes on without. cowsh_free does that as well. The first error of
 * writing, or 0. */
COWSH_API int cowsh_journal_end(cowsh *session);
/* The first error of writing so far, or 0. */
COWSH_API int cowsh_journal_error(const cowsh *session);
/* How many commands are in the journal whole, as cowsh_replay_next counts them. */
COWSH_API uint64_t cowsh_journal_commands(const cowsh *session);

/* --- replaying --- */

typedef struct cowsh_replay cowsh_replay;

struct cowsh_replay_config {
	size_t size;         /* COWSH_REPLAY_CONFIG_INIT sets it */
	const void *journal; /* stays the caller's, until the replay is freed */
	size_t journal_len;
	/* output (may be NULL) is told what commands write; what `expired` ends is a difference.
	 * Its other callbacks serve the session after cowsh_replay_take. */
	const struct cowsh_host *host;
	cowsh_snapshot *tree;              /* if the session was made with one: the same files */
	struct cowsh_image *const *images; /* if it was made with some: the same, in order */
	size_t nimages;
	/* Of what it was mounted with, in order, the sources count: a session that is taken goes on
	 * with them. NULL: what it had not read gives EIO there. */
	const struct cowsh_mount_config *mounts;
	size_t nmounts;
	/* Of it the limits and the profile count: a journal whose session had more memory, files,
	 * processes, or recursion is refused. NULL: the default profile. */
	const struct cowsh_config *most;
};
#define COWSH_REPLAY_CONFIG_INIT                                                                   \
	{                                                                                          \
		sizeof(struct cowsh_replay_config), NULL, 0, NULL, NULL, NULL, 0, NULL, 0, NULL    \
	}

enum cowsh_replay_state {
	COWSH_REPLAY_END,       /* nothing more is in the journal */
	COWSH_REPLAY_SAME,      /* one more command ran, and did what it had done */
	COWSH_REPLAY_DIFFERENT, /* it did not: see `what` */
	COWSH_REPLAY_CUT,       /* the journal ends in the middle, or without its end */
	COWSH_REPLAY_DAMAGED,   /* a record is not as it was written */
};

struct cowsh_replay_report {
	uint64_t command; /* its number, from 1 */
	const char *text; /* of the script, or the name of the program */
	size_t text_len;
	const char *what;  /* DIFFERENT, DAMAGED: "steps", "the files", ...; else "" */
	uint64_t recorded; /* numbers, where `what` is one */
	uint64_t replayed;
	size_t offset; /* in the journal, of the record this is about */
	struct cowsh_result result;
};

/* Reads the head and makes the session. -COWSH_EINVAL: these are no bytes of a journal, one of a
 * newer version, not the images or files it needs, or limits above `most`; *why (may be NULL) says
 * which. */
COWSH_API int cowsh_replay_new(cowsh_store *store, const struct cowsh_replay_config *config,
			       cowsh_replay **out, const char **why);
/* Runs one more command, with what the host did before it. A state, or -COWSH_ENOMEM; after any but
 * SAME it is the same again. */
COWSH_API int cowsh_replay_next(cowsh_replay *replay, struct cowsh_replay_report *out);
/* The same, but the next command stops when `steps` are used up: a state of cowsh_step, after which
 * the session can only be looked at, or taken, and goes on from there. Together with a journal
 * kept in memory, that forks a running session. */
COWSH_API int cowsh_replay_into(cowsh_replay *replay, uint64_t steps);
/* The version of cowsh that wrote the journal. */
COWSH_API const char *cowsh_replay_version(const cowsh_replay *replay);
/* The session as it is now, to be looked at. */
COWSH_API cowsh *cowsh_replay_session(cowsh_replay *replay);
/* The session becomes the caller's, as it is now, and goes on with the host and the sources of the
 * config. */
COWSH_API cowsh *cowsh_replay_take(cowsh_replay *replay);
COWSH_API void cowsh_replay_free(cowsh_replay *replay);

#ifdef __cplusplus
}
#endif

#endif
