/* SPDX-License-Identifier: MIT
 *
 * Processes and their open files as bytes, for a saved session. What several have is packed where
 * it comes first; from then on its number stands for it. The shell comes first (proc_pack,
 * kernel_start_packed as kernel_start: the first process of a kernel that was just made), then
 * the programs, each without its memory, owners before their threads; at the end what all files
 * are needed for. Then those that were unpacked run.
 */
#ifndef KERNEL_PACK_H
#define KERNEL_PACK_H

#include "kernel/kernel.h"

enum thing {
	THING_FILE,
	THING_PIPE,
	THING_SOCKET,
	THING_SPACE,
	THING_OBJECT,
	THING_HANDLERS,
	THING_GROUP
};
struct packing {
	struct kernel *k;
	struct buf *out;
	struct arena *a;
	struct packed **bucket;
	size_t nbuckets;      /* a power of two */
	struct packed *first; /* in the order of their numbers */
	struct packed *last;
	uint64_t count;
	int depth;
	bool live; /* processes besides the shell are packed: pipes and the like are kept */
	int lost;  /* open files that were left out */
};
struct unpacked;
struct unpacking {
	struct kernel *k;
	struct unpack *in;
	struct arena *a; /* only for what no process of the kernel has yet */
	struct unpacked *thing;
	size_t count;
	size_t cap;
	int depth;
};
/* The pages of programs that are saved, in order. */
struct memory_list {
	const void **page; /* in the arena of the packing */
	size_t n;
	size_t cap;
};
/* Packs the number of what. Whether it has not been packed: then it must follow. */
bool pack_thing(struct packing *w, enum thing kind, const void *what);
/* What was packed, or NULL: then it follows, if *fresh, and unpack_set is to be told of it, at
 * *at, when it was read. Else it could not be had, or in->bad. */
void *unpack_thing(struct unpacking *u, enum thing kind, size_t *at, bool *fresh);
void unpack_set(struct unpacking *u, size_t at, void *what);
/* An open file. What is read is for one more holder; NULL: none, or it is no more. 0 or an error.
 */
void pack_file(struct packing *w, struct file *f);
int unpack_file(struct unpacking *u, struct file **out);
/* The shell's descriptors that can't be kept are counted in w->lost. */
void proc_pack(struct packing *w, const struct proc *p);
int kernel_start_packed(struct unpacking *u, const struct spawn *s, char *const *argv,
			struct proc **out);
void proc_pack_program(struct packing *w, const struct proc *p);
/* Those of a process's descriptors that `mine` names, and back into another of any kernel. False:
 * one is not a pipe, a counter or a set of epoll. */
bool proc_pack_own(struct proc *p, bool (*mine)(const void *arg, const struct proc *p, int fd),
		   const void *arg, struct buf *out);
int proc_unpack_own(struct proc *p, struct bytes in);
/* A process that does not run yet, nor has a parent. */
int proc_unpack_program(struct unpacking *u, int (*fn)(struct proc *, void *), struct proc **out);
/* Children of them that have ended, locks, sets of epoll. */
void kernel_pack_rest(struct packing *w);
int kernel_unpack_rest(struct unpacking *u);
/* Gives up what was read; with run, those processes run that were unpacked. */
void kernel_unpack_end(struct unpacking *u, bool run);

#endif
