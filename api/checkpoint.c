/* SPDX-License-Identifier: MIT
 *
 * Checkpoints: a fork of the session before each command, so that any command can be undone.
 *
 * To undo is to change places: the session's handle takes over the inside of the fork, which
 * dies with what was undone.
 */
#include "api/watch.h"

static void drop(struct cowsh **link)
{
	struct cowsh *c = *link;

	*link = c->older;
	c->older = NULL;
	cowsh_free(c);
}

void checkpoints_free(struct cowsh *s)
{
	while (s->checkpoints != NULL)
		drop(&s->checkpoints);
	s->ncheckpoints = 0;
}

static void drop_oldest(struct cowsh *s)
{
	struct cowsh **link = &s->checkpoints;

	while ((*link)->older != NULL)
		link = &(*link)->older;
	drop(link);
	s->ncheckpoints--;
}

int checkpoint_take(struct cowsh *s)
{
	struct cowsh *c;
	int err;

	if (s->checkpoints_max == 0)
		return 0;
	err = session_fork(s, NULL, true, &c);
	/* A program that can't be copied now must not keep the command from running. */
	if (err == -E_AGAIN)
		err = session_fork(s, NULL, false, &c);
	if (err < 0)
		return err;
	c->older = s->checkpoints;
	s->checkpoints = c;
	if (++s->ncheckpoints > s->checkpoints_max)
		drop_oldest(s);
	return 0;
}

#define SWAP(type, member)                                                                         \
	do {                                                                                       \
		type kept = s->member;                                                             \
		s->member = c->member;                                                             \
		c->member = kept;                                                                  \
	} while (0)

/* What belongs to a kernel goes with it. */
static void swap_insides(struct cowsh *s, struct cowsh *c)
{
	SWAP(struct kernel *, kernel);
	SWAP(struct custom *, customs);
	SWAP(struct microvm *, microvm);
	SWAP(struct proc *, shell_proc);
	SWAP(struct shell *, shell);
	SWAP(struct vfs_cred, cred);
	SWAP(unsigned, lost);
	SWAP(char *, script);
	SWAP(size_t, script_len);
	SWAP(char *, temp);
	SWAP(size_t, temp_size);
	kernel_set_user(s->kernel, s);
	kernel_set_user(c->kernel, c);
}

/* A block that stays with the session changes the account it is counted in. */
static void move_block(struct cowsh *s, struct cowsh *c, const void *block, size_t size)
{
	if (block == NULL)
		return;
	kernel_heap(c->kernel)->used -= store_rounded(size);
	kernel_heap(s->kernel)->used += store_rounded(size);
}

int cowsh_undo(cowsh *s)
{
	struct cowsh *c;

	if (s == NULL)
		return -E_INVAL;
	/* A journal has no way back. */
	if (s->running || s->tape != NULL)
		return -E_BUSY;
	c = s->checkpoints;
	if (c == NULL)
		return -E_NOENT;
	swap_insides(s, c);
	move_block(s, c, s->trace, sizeof *s->trace);
	move_block(s, c, s->breaks, sizeof *s->breaks);
	kernel_swap_hosts(s->kernel, c->kernel);
	drop(&s->checkpoints);
	s->ncheckpoints--;
	return 0;
}
