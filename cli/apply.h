/* SPDX-License-Identifier: MIT
 *
 * --apply: what a run has changed in mounted directories goes back to the host. apply.c tells
 * the broker, which does it (apply_host.c).
 */
#ifndef CLI_APPLY_H
#define CLI_APPLY_H

#include "cli/broker.h"
#include "cli/cli.h"

/* Takes argv[*i] if it is --apply or --apply=dry-run. */
bool apply_option(const char *arg);
/* What the broker may do. */
enum broker_rights apply_rights(void);
bool apply_wanted(void);
/* Exits with a message when a mounted directory can't be found again by its path. Before the
 * lock. */
void apply_check(struct runner *r);
/* After the run: says on standard error, or with --json as a member of the object, what could
 * not be applied; a rehearsal also what would be. 0, or the exit status for failures. */
int apply_run(struct runner *r, const cowsh_snapshot *before, const struct cowsh_result *result);

#endif
