/* SPDX-License-Identifier: MIT
 *
 * The options about what a run has changed: changes.c.
 */
#ifndef CLI_CHANGES_H
#define CLI_CHANGES_H

#include "cli/cli.h"

/* Takes argv[*i], and its value, if it is one of these options. */
bool changes_option(int argc, char **argv, int *i);
/* Whether there will be something to tell: then a snapshot is needed before the run. */
bool changes_wanted(void);
/* Opens the file of --export; before the lock. */
void changes_open(void);
/* After the run. 0, or the exit status when something could not be told. */
int changes_tell(struct runner *r, const cowsh_snapshot *before);

#endif
