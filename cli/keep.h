/* SPDX-License-Identifier: MIT
 *
 * A file that is replaced as a whole: the new one is written beside it as FILE.new, and takes its
 * name when it is complete and on the disk. A power cut leaves the old file or the new one.
 */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct kept {
	int dir; /* -1: standard output, nothing to do at the end */
	int fd;  /* the new file */
	char name[NAME_MAX + 1];
	char fresh[NAME_MAX + 8];
};

/* Makes the new file and locks it. Ends the program with a message if that can't be, or if
 * another process is at it. */
void keep_open(struct kept *k, const char *path, unsigned mode);
/* The new file takes the name: 0 or an errno. */
int keep_commit(const struct kept *k);
/* The file as it is gets a second name, FILE.before, if there is one. */
int keep_before(const struct kept *k);
/* FILE.before becomes FILE: 0 or an errno. */
int keep_undo(const struct kept *k);
/* The old file stays. */
void keep_drop(const struct kept *k);

/* The same for a locked runner: a process of its own does it when keep_ask is called, and drops
 * the new file if it ends without. Before the runner is locked. */
void keep_start(struct kept *k, bool lock, bool before);
int keep_ask(void);

/* A file of the host in memory, for reading. NULL: there is none of that name, if that is
 * allowed; all else ends the program with a message. */
const void *map_file(const char *path, size_t *size, bool may_lack);

#endif
