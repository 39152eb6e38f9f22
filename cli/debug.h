/* SPDX-License-Identifier: MIT
 *
 * --break (debug.c): a run stops before a command, before a path is changed or at a step; what is
 * there is looked at, and the run goes on, ends, or goes on in a copy.
 */
#ifndef CLI_DEBUG_H
#define CLI_DEBUG_H

#include "cli/cli.h"

/* Takes argv[*i], and its value, if it is one of these options. */
bool debug_option(int argc, char **argv, int *i);
bool debug_wanted(void);
/* Checks what the options say; before the session is made. */
void debug_check(const struct options *o);
/* Whether standard input has the commands of --at-break: the script's own is empty. */
bool debug_reads_input(void);
/* Sets the breakpoints. Before the lock. */
void debug_begin(struct runner *r);
/* The session stands at a breakpoint: does what is to be done there. */
void debug_stop(struct runner *r);
/* The exit status of a run that was ended at a breakpoint; 0: none was. */
int debug_ended(void);

#endif
