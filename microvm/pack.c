/* SPDX-License-Identifier: MIT
 *
 * Programs as bytes, for a saved session: what a fork of the session has of them before it runs.
 * Their pages are not among these bytes but go into a nameless file of the session's image, each
 * once; here is only which page of it lies where. Pages of files that nobody has changed are not
 * saved at all: they come from their files again.
 *
 *   programs = tokens, start of the session, number of them, then each (owners first):
 *              process, space, handlers, group, registers, vector state, task
 */
#include "base/pack.h"
#include "microvm/private.h"

struct saving {
	struct packing *w;
	struct memory_list *pages;
	int err;
};

static struct buf *out_of(const struct saving *s)
{
	return s->w->out;
}

/* --- pages --- */

static void add_page(struct saving *s, const void *page)
{
	struct memory_list *l = s->pages;

	if (l->n == l->cap) {
		size_t cap = l->cap != 0 ? 2 * l->cap : 1024;
		const void **more = arena_alloc(s->w->a, cap * sizeof *more);

		if (l->n != 0)
			memcpy(more, l->page, l->n * sizeof *more);
		l->page = more;
		l->cap = cap;
	}
	l->page[l->n++] = page;
}

static bool is_zero(const char *page)
{
	return page[0] == 0 && memcmp(page, page + 1, PAGE_BYTES - 1) == 0;
}

/* Whether it must be saved: not if it is a file's, or as it would be if it had not been used. */
static bool is_private(struct saving *s, struct space *of, uint64_t address, page_entry *slot)
{
	const struct area *a;

	if (*slot == 0 || (of->vdso != 0 && address == of->vdso))
		return false;
	if (!page_is_there(*slot)) {
		int r = page_load(of, slot);

		s->err = r == -E_NXIO ? -E_IO : r;
		return r == 0;
	}
	if ((*slot & PAGE_KIND) == PAGE_SHARED ||
	    ((*slot & PAGE_KIND) == PAGE_FILE && (*slot & PAGE_KEPT) == 0))
		return false;
	a = space_area(of, address);
	return a != NULL && (a->file != NULL || !is_zero(page_bytes(*slot)));
}

/* Runs of pages with neighbouring addresses; their places in the file follow each other. */
static void pack_leaf(struct saving *s, struct space *of, struct leaf *l)
{
	for (size_t i = 0, n; i < LEAF_PAGES && s->err == 0; i += n + 1) {
		uint64_t address = (l->number << 21) + i * PAGE_BYTES;
		size_t first = s->pages->n;

		for (n = 0; i + n < LEAF_PAGES &&
			    is_private(s, of, address + n * PAGE_BYTES, &l->page[i + n]);
		     n++)
			add_page(s, page_bytes(l->page[i + n]));
		if (n == 0)
			continue;
		pack_u64(out_of(s), n);
		pack_u64(out_of(s), address);
		pack_u64(out_of(s), first);
	}
}

static void pack_pages(struct saving *s, struct space *of)
{
	for (int i = 0; i < LEAF_BUCKETS; i++)
		for (struct leaf *l = of->bucket[i]; l != NULL; l = l->next)
			pack_leaf(s, of, l);
	pack_u64(out_of(s), 0);
}

static void pack_object(struct saving *s, const struct object *o)
{
	if (!pack_thing(s->w, THING_OBJECT, o))
		return;
	pack_u64(out_of(s), o->file != NULL);
	if (o->file != NULL)
		pack_file(s->w, o->file);
	pack_u64(out_of(s), o->writable);
	for (size_t i = 0, n; i < o->npages; i += n + 1) {
		size_t first = s->pages->n;

		for (n = 0; i + n < o->npages && o->page[i + n] != NULL; n++)
			add_page(s, o->page[i + n]);
		if (n == 0)
			continue;
		pack_u64(out_of(s), n);
		pack_u64(out_of(s), i);
		pack_u64(out_of(s), first);
	}
	pack_u64(out_of(s), 0);
}

/* --- spaces --- */

static void pack_area(struct saving *s, const struct area *a)
{
	pack_u64(out_of(s), a->start);
	pack_u64(out_of(s), a->end);
	pack_u64(out_of(s), a->offset);
	pack_u64(out_of(s), a->prot);
	pack_u64(out_of(s), (uint64_t)a->shared | (uint64_t)a->stack << 1 |
				    (uint64_t)a->special << 2 | (uint64_t)(a->object != NULL) << 3 |
				    (uint64_t)a->read_only << 4 | (uint64_t)a->program << 5);
	pack_file(s->w, a->file);
	if (a->object != NULL)
		pack_object(s, a->object);
}

static void pack_space(struct saving *s, struct space *of)
{
	const uint64_t numbers[] = { of->brk_start, of->brk,       of->vdso,    of->arg_start,
				     of->arg_end,   of->env_start, of->env_end, of->nareas };

	if (!pack_thing(s->w, THING_SPACE, of))
		return;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		pack_u64(out_of(s), numbers[i]);
	for (size_t i = 0; i < of->nareas; i++)
		pack_area(s, &of->area[i]);
	pack_pages(s, of);
}

/* --- tasks --- */

static void pack_handlers(struct saving *s, const struct handlers *h)
{
	if (!pack_thing(s->w, THING_HANDLERS, h))
		return;
	for (int i = 1; i < NSIG_; i++) {
		pack_u64(out_of(s), h->of[i].address);
		pack_u64(out_of(s), h->of[i].flags);
		pack_u64(out_of(s), h->of[i].restorer);
		pack_u64(out_of(s), h->of[i].mask);
	}
}

static void pack_group(struct saving *s, const struct group *g)
{
	if (!pack_thing(s->w, THING_GROUP, g))
		return;
	pack_u64(out_of(s), (uint64_t)g->timer_at);
	pack_u64(out_of(s), (uint64_t)g->timer_every);
	for (int i = 0; i < 2; i++) {
		pack_u64(out_of(s), (uint64_t)g->cpu_timer_at[i]);
		pack_u64(out_of(s), (uint64_t)g->cpu_timer_every[i]);
	}
	pack_u64(out_of(s), (uint64_t)(g->exit_status & 255));
	pack_u64(out_of(s), g->owner_gone);
}

static void pack_numbers(struct buf *out, const struct task *t)
{
#define PACK(name) pack_u64(out, t->r.name);
	TASK_REGISTERS(PACK)
#undef PACK
#define PACK(name) pack_u64(out, t->name);
	TASK_NUMBERS(PACK)
	TASK_FLAGS(PACK)
#undef PACK
	pack_u64(out, (uint64_t)t->result);
	pack_u64(out, (uint64_t)t->deadline);
	pack_u64(out, (uint64_t)t->vfork_pid);
	pack_u64(out, t->personality);
	pack_u64(out, t->raised);
}

static void pack_task(struct saving *s, const struct task *t)
{
	proc_pack_program(s->w, t->p);
	pack_space(s, t->space);
	pack_handlers(s, t->handlers);
	pack_group(s, t->group);
	pack_bytes(out_of(s), (struct bytes){ t->fpu, t->nfpu });
	pack_numbers(out_of(s), t);
}

static const struct task *program_after(const struct microvm *m, struct proc **p)
{
	while ((*p = proc_after(m->k, *p)) != NULL)
		if ((*p)->release == task_release && (*p)->task != NULL)
			return task_of(*p);
	return NULL;
}

bool microvm_has_programs(const struct microvm *m)
{
	struct proc *p = NULL;

	return program_after(m, &p) != NULL;
}

int microvm_pack(struct microvm *m, struct packing *w, struct memory_list *pages)
{
	struct saving s = { w, pages, 0 };
	const struct task *t;
	struct proc *p = NULL;
	uint64_t n = 0;

	while (program_after(m, &p) != NULL)
		n++;
	pack_u64(w->out, m->tokens);
	/* It may lie before 1970. */
	pack_u64(w->out, (uint64_t)(m->start_ns + INT64_MAX / 2));
	pack_u64(w->out, n);
	for (int threads = 0; threads < 2; threads++)
		for (p = NULL; (t = program_after(m, &p)) != NULL;)
			if ((proc_owner_of(p) != p) == (threads != 0))
				pack_task(&s, t);
	return s.err;
}

vfs_ino microvm_saved(const struct microvm *m)
{
	return m->saved;
}
