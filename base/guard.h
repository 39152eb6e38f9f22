/* SPDX-License-Identifier: MIT
 *
 * With `make asan GUARDED=1` each block of the store, of an arena and of a pool is an allocation of
 * its own, so that the sanitizer sees who reads beside it or after its end. Otherwise all of this
 * is nothing. It takes its time: tests of missing memory have many more places where it ends.
 */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include <stddef.h>

#ifndef GUARDED
#define GUARDED 0
#endif

/* Small blocks of the store when GUARDED. */
void *guard_alloc(size_t size);
void guard_free(void *block);
/* Pages that were handed out, and those that came back: only these may not be touched. */
void guard_open(void *run, size_t bytes);
void guard_close(void *run, size_t bytes);

#endif
