/* SPDX-License-Identifier: MIT
 *
 * On other processors, and in a browser, no real programs run.
 */
#include "api/private.h"

int escalate_start(struct cowsh *s)
{
	(void)s;
	return 0;
}

void escalate_end(struct cowsh *s)
{
	(void)s;
}

void escalate_clear(struct cowsh *s)
{
	(void)s;
}

void escalate_forget(struct cowsh *s)
{
	(void)s;
}

void escalate_share(const struct cowsh *from, struct cowsh *to)
{
	(void)from;
	(void)to;
}

int escalate_settle(struct cowsh *s)
{
	(void)s;
	return 0;
}

bool escalate_has_programs(const struct cowsh *s)
{
	(void)s;
	return false;
}

int escalate_pack(struct cowsh *s, struct packing *w, struct memory_list *pages)
{
	(void)s;
	(void)w;
	(void)pages;
	return 0;
}

int escalate_unpack(struct cowsh *s, struct unpacking *u, vfs_ino memory)
{
	(void)s;
	(void)u;
	(void)memory;
	return 0;
}

vfs_ino escalate_saved(const struct cowsh *s)
{
	(void)s;
	return 0;
}

int escalate_copy(struct cowsh *from, struct cowsh *to, struct copying *w)
{
	(void)from;
	(void)to;
	(void)w;
	return 0;
}
