/* SPDX-License-Identifier: MIT
 *
 * Objects judged: for fsck and mktag.
 */
#ifndef BUILTINS_GIT_FSCK_H
#define BUILTINS_GIT_FSCK_H

#include "builtins/git/transport.h"

struct fsck_report {
	bool strict; /* warnings are errors */
	void (*say)(void *arg, bool error, const char *id, const char *text);
	void *arg;
	size_t errors;
};
/* Says everything that is wrong; false: some of it is an error. */
bool fsck_object(struct git *g, enum object_type type, struct bytes data, struct fsck_report *r);

#endif
