/* SPDX-License-Identifier: MIT
 *
 * Programs of a saved session that is loaded: what pack.c wrote. They stand as in a fork that has
 * not run. Private pages are read, and checked against the image's hashes, when they are first
 * used.
 *
 * Every byte may be an attacker's. Areas must be in order and within the program's half of the
 * addresses, pages within areas and within the file; what goes into the processor's registers is
 * checked here, and again by the machine, which takes no selectors and no privileged flags from
 * anybody.
 */
#include "base/pack.h"
#include "microvm/private.h"

enum { STRINGS_MAX = 16 << 20 };
#define TIMER_MAX (INT64_MAX / 4)

struct loading {
	struct microvm *m;
	struct unpacking *u;
	struct file *memory; /* NULL: there are no pages */
	uint64_t npages;
};

static uint64_t number(struct loading *l)
{
	return unpack_u64(l->u->in);
}

static uint64_t below(struct loading *l, uint64_t max)
{
	return unpack_below(l->u->in, max);
}

static bool flag(struct loading *l)
{
	return below(l, 1) != 0;
}

static int verdict(const struct loading *l)
{
	return l->u->in->bad ? -E_IO : 0;
}

/* --- memory that is shared --- */

/* A run of pages: how many, at which place, and the first of them in the file. 0: no more. */
static uint64_t unpack_run(struct loading *l, uint64_t *at, uint64_t *first)
{
	uint64_t n = number(l);

	if (n == 0 || l->u->in->bad)
		return 0;
	*at = number(l);
	*first = number(l);
	if (n > l->npages || *first > l->npages - n)
		l->u->in->bad = true;
	return l->u->in->bad ? 0 : n;
}

static int fill_object(struct loading *l, struct object *o)
{
	struct heap *heap = kernel_heap(l->m->k);
	uint64_t at, first, n;

	while ((n = unpack_run(l, &at, &first)) != 0) {
		if (at > (uint64_t)1 << 32 || n > (uint64_t)1 << 32)
			return -E_IO;
		for (uint64_t i = 0; i < n; i++) {
			void **slot = object_slot(o, at + i);

			if (slot == NULL)
				return -E_NOMEM;
			if (*slot != NULL)
				return -E_IO; /* no page comes twice */
			*slot = heap_pages(heap, 1);
			if (*slot == NULL)
				return -E_NOMEM;
			if (sys_file_read(NULL, l->memory, *slot, PAGE_BYTES,
					  (first + i) * PAGE_BYTES) != PAGE_BYTES)
				return -E_IO;
		}
	}
	return verdict(l);
}

static int make_object(struct loading *l, struct object **out)
{
	struct file *file = NULL;
	struct vfs_stat st = { .ino = 0 };
	bool has_file = flag(l);
	int r = has_file ? unpack_file(l->u, &file) : 0;

	if (r == 0 && has_file &&
	    (file == NULL || !sys_file_regular(file) || sys_file_stat(NULL, file, &st) != 0))
		r = -E_IO;
	if (r == 0)
		r = object_new(l->m, file, st.ino, out);
	if (file != NULL)
		file_put(file);
	if (r == 0) {
		(*out)->writable = flag(l);
		r = fill_object(l, *out);
	}
	return r;
}

/* *out is for the area, also on failure. */
static int unpack_object(struct loading *l, struct object **out)
{
	bool fresh;
	size_t at;
	struct object *o = unpack_thing(l->u, THING_OBJECT, &at, &fresh);
	int r;

	if (!fresh) {
		*out = o != NULL ? object_get(o) : NULL;
		return o != NULL ? 0 : -E_IO;
	}
	r = make_object(l, out);
	if (r == 0)
		unpack_set(l->u, at, *out);
	return r;
}

/* --- spaces --- */

static int note_followed(struct loading *l, struct file *f)
{
	struct vfs_stat st;

	if (sys_file_stat(NULL, f, &st) != 0)
		return -E_IO;
	spaces_note_followed(l->m, st.ino);
	return 0;
}

static int unpack_area(struct loading *l, struct space *s, uint64_t low)
{
	struct area *a = &s->area[s->nareas];
	uint64_t flags;
	int r;

	*a = (struct area){ .start = number(l) };
	a->end = number(l);
	a->offset = number(l);
	a->prot = (uint8_t)below(l, PROT_READ_ | PROT_WRITE_ | PROT_EXEC_);
	flags = below(l, 63);
	a->shared = (flags & 1) != 0;
	a->stack = (flags & 2) != 0;
	a->special = (flags & 4) != 0;
	a->read_only = (flags & 16) != 0;
	a->program = (flags & 32) != 0;
	if (l->u->in->bad || a->start < low || a->end <= a->start || a->end > USER_END ||
	    ((a->start | a->end | a->offset) & PAGE_MASK_) != 0 || a->offset > INT64_MAX / 2)
		return -E_IO;
	s->nareas++; /* what it holds from now on goes with the space */
	r = unpack_file(l->u, &a->file);
	if (r == 0 && a->file != NULL && !sys_file_regular(a->file))
		r = -E_IO;
	if (r == 0 && (flags & 8) != 0)
		r = unpack_object(l, &a->object);
	else if (r == 0 && a->shared && a->file != NULL)
		r = note_followed(l, a->file);
	return r;
}

static int unpack_areas(struct loading *l, struct space *s, size_t n)
{
	uint64_t low = USER_FIRST;
	int r = 0;

	if (n == 0)
		return 0;
	s->area = vm_alloc(l->m, n * sizeof *s->area);
	if (s->area == NULL)
		return -E_NOMEM;
	s->areas_cap = n;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = unpack_area(l, s, low);
		low = r == 0 ? s->area[i].end : low;
	}
	return r;
}

static int unpack_pages(struct loading *l, struct space *s)
{
	uint64_t at, first, n;

	while ((n = unpack_run(l, &at, &first)) != 0) {
		const struct area *a = NULL;

		if ((at & PAGE_MASK_) != 0)
			return -E_IO;
		for (uint64_t i = 0; i < n; i++) {
			uint64_t address = at + i * PAGE_BYTES;
			page_entry *slot;

			if (a == NULL || address >= a->end)
				a = space_area(s, address);
			if (a == NULL || a->object != NULL)
				return -E_IO;
			slot = page_slot(s, address, true);
			if (slot == NULL)
				return -E_NOMEM;
			if (*slot != 0)
				return -E_IO;
			*slot = (first + i) << SAVED_SHIFT | PAGE_SAVED;
		}
	}
	return verdict(l);
}

/* The page that the clock is written to is the space's own from the beginning. */
static int unpack_clock(struct space *s)
{
	static const char zeros[PAGE_BYTES];
	const struct area *a = s->vdso != 0 ? space_area(s, s->vdso) : NULL;

	if (s->vdso == 0)
		return 0;
	if (a == NULL || !a->special || a->file != NULL || a->object != NULL ||
	    (s->vdso & PAGE_MASK_) != 0)
		return -E_IO;
	if (space_put_page(s, s->vdso, zeros) != 0)
		return -E_NOMEM;
	s->vdso_data = page_bytes(*page_slot(s, s->vdso, false));
	return 0;
}

static bool is_range(uint64_t start, uint64_t end)
{
	return start <= end && end <= USER_END;
}

static int fill_space(struct loading *l, struct space *s)
{
	size_t nareas;
	int r;

	s->brk_start = number(l);
	s->brk = number(l);
	s->vdso = number(l);
	s->arg_start = number(l);
	s->arg_end = number(l);
	s->env_start = number(l);
	s->env_end = number(l);
	nareas = (size_t)below(l, AREAS_MAX);
	if (l->u->in->bad || !is_range(s->brk_start, s->brk) || s->vdso > USER_END ||
	    !is_range(s->arg_start, s->arg_end) || !is_range(s->env_start, s->env_end) ||
	    s->arg_end - s->arg_start > STRINGS_MAX || s->env_end - s->env_start > STRINGS_MAX)
		return -E_IO;
	if (l->memory != NULL)
		s->saved = file_get(l->memory);
	r = unpack_areas(l, s, nareas);
	if (r == 0)
		r = unpack_pages(l, s);
	return r == 0 ? unpack_clock(s) : r;
}

static int unpack_space(struct loading *l, struct space **out)
{
	bool fresh;
	size_t at;
	struct space *s = unpack_thing(l->u, THING_SPACE, &at, &fresh);
	int r;

	if (!fresh) {
		*out = s != NULL ? space_get(s) : NULL;
		return s != NULL ? 0 : -E_IO;
	}
	r = space_bare(l->m, out);
	if (r == 0)
		r = fill_space(l, *out);
	if (r == 0)
		unpack_set(l->u, at, *out);
	return r;
}

/* --- tasks --- */

static void read_handler(struct loading *l, struct handler *h)
{
	h->address = number(l);
	h->flags = number(l);
	h->restorer = number(l);
	h->mask = number(l);
}

static int unpack_handlers(struct loading *l, struct handlers **out)
{
	bool fresh;
	size_t at;
	struct handlers *h = unpack_thing(l->u, THING_HANDLERS, &at, &fresh);

	*out = h;
	if (h != NULL)
		h->refs++;
	if (!fresh)
		return h != NULL ? 0 : -E_IO;
	h = handlers_new(l->m, NULL);
	*out = h;
	if (h == NULL)
		return -E_NOMEM;
	for (int i = 1; i < NSIG_; i++)
		read_handler(l, &h->of[i]);
	/* These are never caught, whatever it says. */
	h->of[SIGKILL_] = h->of[SIGSTOP_] = (struct handler){ 0, 0, 0, 0 };
	unpack_set(l->u, at, h);
	return 0;
}

static int unpack_group(struct loading *l, struct group **out)
{
	bool fresh;
	size_t at;
	struct group *g = unpack_thing(l->u, THING_GROUP, &at, &fresh);

	*out = g;
	if (g != NULL)
		g->refs++;
	if (!fresh)
		return g != NULL ? 0 : -E_IO;
	g = group_new(l->m);
	*out = g;
	if (g == NULL)
		return -E_NOMEM;
	g->timer_at = (int64_t)below(l, INT64_MAX);
	g->timer_every = (int64_t)below(l, INT64_MAX);
	for (int i = 0; i < 2; i++) {
		g->cpu_timer_at[i] = (int64_t)below(l, TIMER_MAX);
		g->cpu_timer_every[i] = (int64_t)below(l, TIMER_MAX);
	}
	g->exit_status = (int)below(l, 255);
	g->owner_gone = flag(l);
	unpack_set(l->u, at, g);
	return 0;
}

static int unpack_vectors(struct loading *l, struct task *t)
{
	struct bytes state = unpack_bytes(l->u->in);

	if (state.len < VECTOR_BYTES_MIN || state.len > VECTOR_BYTES_MAX)
		return -E_IO;
	t->fpu = vm_alloc(l->m, state.len);
	if (t->fpu == NULL)
		return -E_NOMEM;
	t->nfpu = state.len;
	memcpy(t->fpu, state.ptr, state.len);
	return 0;
}

static bool is_canonical(uint64_t address)
{
	uint64_t high = address >> 47;

	return high == 0 || high == ((uint64_t)1 << 17) - 1;
}

static int unpack_numbers(struct loading *l, struct task *t)
{
#define READ(name) t->r.name = number(l);
	TASK_REGISTERS(READ)
#undef READ
#define READ(name) t->name = number(l);
	TASK_NUMBERS(READ)
#undef READ
#define READ(name) t->name = flag(l);
	TASK_FLAGS(READ)
#undef READ
	t->result = (int64_t)number(l);
	t->deadline = (int64_t)below(l, INT64_MAX);
	t->vfork_pid = (int)below(l, INT32_MAX);
	t->personality = (uint32_t)below(l, UINT32_MAX);
	t->raised = (uint32_t)below(l, UINT32_MAX);
	t->runs = true;
	if (t->waits_vfork > l->m->tokens || t->vfork_token > l->m->tokens || t->r.rip > USER_END ||
	    !is_canonical(t->r.fs_base) || !is_canonical(t->r.gs_base))
		l->u->in->bad = true;
	t->r.rflags = (t->r.rflags & FLAGS_USER) | 0x202;
	return verdict(l);
}

/* Threads share all of this with their process. */
static bool fits_owner(const struct task *t, struct proc *p)
{
	const struct task *owner = task_of(proc_owner_of(p));

	return proc_owner_of(p) == p ||
	       (owner->space == t->space && owner->handlers == t->handlers &&
		owner->group == t->group);
}

static int fill_task(struct loading *l, struct task *t)
{
	int r = unpack_space(l, &t->space);

	if (r == 0)
		r = unpack_handlers(l, &t->handlers);
	if (r == 0)
		r = unpack_group(l, &t->group);
	if (r == 0)
		r = unpack_vectors(l, t);
	return r == 0 ? unpack_numbers(l, t) : r;
}

static int unpack_task(struct loading *l)
{
	struct proc *p;
	struct task *t;
	int r = proc_unpack_program(l->u, task_go_on, &p);

	if (r != 0)
		return r;
	t = vm_alloc(l->m, sizeof *t);
	if (t == NULL)
		return -E_NOMEM;
	*t = (struct task){ .m = l->m, .trace = { .call = -1 } };
	r = fill_task(l, t);
	if (r == 0 && !fits_owner(t, p))
		r = -E_IO;
	if (r != 0) {
		task_free(t);
		return r;
	}
	task_adopt(t, p);
	if (proc_owner_of(p) == p)
		t->group->owner = p;
	handlers_apply(t);
	return 0;
}

static int unpack_all(struct loading *l)
{
	uint64_t n;
	int r = 0;

	l->m->tokens = below(l, INT64_MAX);
	l->m->start_ns = (int64_t)(below(l, INT64_MAX) - INT64_MAX / 2);
	n = unpack_count(l->u->in);
	for (uint64_t i = 0; i < n && r == 0; i++)
		r = unpack_task(l);
	return r == 0 ? verdict(l) : r;
}

int microvm_unpack(struct microvm *m, struct unpacking *u, vfs_ino memory)
{
	struct loading l = { .m = m, .u = u };
	struct vfs_stat st;
	int r = 0;

	if (memory != 0) {
		r = sys_file_nameless(m->k, memory, &l.memory);
		if (r == 0 && sys_file_stat(NULL, l.memory, &st) == 0)
			l.npages = st.size / PAGE_BYTES;
		m->saved = memory;
	}
	if (r == 0)
		r = unpack_all(&l);
	if (l.memory != NULL)
		file_put(l.memory);
	return r;
}
