/* SPDX-License-Identifier: MIT
 *
 * Which words of a command are paths, and what it does with them.
 */
#ifndef API_ROLES_H
#define API_ROLES_H

#include "cowsh_analyze.h"

/* Tells each path among the words of a call of a common command. */
void roles_tell(const struct cowsh_word *words, int n,
		void (*tell)(void *user, const struct cowsh_word *path, unsigned access),
		void *user);

#endif
