/* SPDX-License-Identifier: MIT
 *
 * The functions that a program calls without entering the kernel: they read the time from a page
 * of data in front of them, which is filled before the program runs. Each reading moves time on
 * by a step, which the program is charged for afterwards; the page is its own, so what it
 * writes there deceives nobody else.
 */
#include "microvm/private.h"

struct vdso_data {
	int64_t real_ns;
	int64_t mono_ns;
	uint64_t calls;
};

enum { CALL_STEPS = 5, CALLS_MAX = 100000 };

void vdso_enter(struct task *t)
{
	struct vdso_data *d = (struct vdso_data *)(void *)t->space->vdso_data;

	if (d == NULL)
		return;
	d->real_ns = kernel_now(t->m->k);
	d->mono_ns = d->real_ns - t->m->start_ns;
	d->calls = 0;
}

uint64_t vdso_leave(struct task *t)
{
	const struct vdso_data *d = (struct vdso_data *)(void *)t->space->vdso_data;
	uint64_t calls = d != NULL ? d->calls : 0;

	return (calls < CALLS_MAX ? calls : CALLS_MAX) * CALL_STEPS;
}

int vdso_map(struct task *t)
{
	size_t code = (size_t)(vdso_image_end - vdso_image);
	uint64_t span = (PAGE_BYTES + code + PAGE_MASK_) & ~PAGE_MASK_;
	uint64_t at = space_find(t->space, span, MMAP_TOP);
	struct map m = { .address = at,
			 .length = PAGE_BYTES,
			 .prot = PROT_READ_ | PROT_WRITE_,
			 .fixed = true,
			 .special = true };
	int64_t r = space_map(t->space, &m);

	t->m->start_ns = sys_now(t->p) - sys_uptime(t->p);
	if (r < 0)
		return (int)r;
	t->space->vdso_data = space_page(t->p, t->space, at, PROT_WRITE_);
	m.address = at + PAGE_BYTES;
	m.length = code;
	r = space_map(t->space, &m);
	if (r >= 0)
		r = put_user(t, at + PAGE_BYTES, vdso_image, code);
	if (r >= 0)
		r = space_protect(t->space, at + PAGE_BYTES, (code + PAGE_MASK_) & ~PAGE_MASK_,
				  PROT_READ_ | PROT_EXEC_);
	if (r < 0)
		return (int)r;
	t->space->vdso = at;
	r = space_populate(t->p, t->space, at, at + PAGE_BYTES);
	if (r == 0)
		r = space_populate(t->p, t->space, at + PAGE_BYTES, at + span);
	return (int)r;
}
