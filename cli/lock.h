/* SPDX-License-Identifier: MIT
 *
 * The locks of the program's processes: after lock_down a process can make only the system
 * calls of its list, whatever a script does to it. A process or thread that needs others gets
 * a list of its own here; it must be started before the runner locks itself.
 */
#ifndef CLI_LOCK_H
#define CLI_LOCK_H

#include <stdbool.h>

enum lock {
	LOCK_RUNNER,       /* runs the scripts */
	LOCK_BROKER,       /* reads mounted directories: broker.c */
	LOCK_BROKER_APPLY, /* and changes what is in them: apply_host.c */
	LOCK_KEEPER,       /* replaces the file of a session: keep.c */
	LOCK_MACHINE,      /* a runner that may run real programs, with --microvm */
	LOCK_EDITOR,       /* edits lines on the terminal: edit/main.c */
};

/* From here on every other call kills the process. Ends the program with a message if the
 * kernel can't do that. */
void lock_down(enum lock which);
/* Only what lies beneath these directories can be opened, and only for reading, but for those in
 * `writable` (NULL: none). Kernels that have no Landlock leave that to the broker's lists. */
void lock_files(const int *roots, const bool *writable, int count);
/* Ends the process, with what a locked one may still call. */
_Noreturn void leave(int status);

#endif
