/* SPDX-License-Identifier: MIT
 *
 * --analyze (analyze.c): what a script would do, told without running it. --dry-run
 * (rehearse.c): runs it in a fork of the session, which is then forgotten, and reports.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/cli.h"

/* Takes argv[*i] if it is one of these options. */
bool report_option(const char *arg);

bool analyze_wanted(void);
/* Instead of runner_run: the exit status. */
int analyze_run(struct runner *r);

void rehearse_want(void);
bool rehearse_wanted(void);
/* Memory for the report, if it is wanted. Before the lock. */
void rehearse_open(void);
/* Goes on in a fork of the session, and watches it. */
void rehearse_begin(struct runner *r);
/* The report: on standard error, or with --json a member of the object. */
void rehearse_tell(struct runner *r, const cowsh_snapshot *before);

#endif
