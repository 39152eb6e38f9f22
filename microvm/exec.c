/* SPDX-License-Identifier: MIT
 *
 * Starting a program: its segments and its interpreter's, the stack with arguments, environment
 * and auxiliary values, the first registers.
 */
#include "microvm/private.h"

enum {
	AT_PHDR = 3,
	AT_PHENT = 4,
	AT_PHNUM = 5,
	AT_PAGESZ = 6,
	AT_BASE = 7,
	AT_FLAGS = 8,
	AT_ENTRY = 9,
	AT_UID = 11,
	AT_EUID = 12,
	AT_GID = 13,
	AT_EGID = 14,
	AT_PLATFORM = 15,
	AT_HWCAP = 16,
	AT_CLKTCK = 17,
	AT_SECURE = 23,
	AT_RANDOM = 25,
	AT_HWCAP2 = 26,
	AT_EXECFN = 31,
	AT_SYSINFO_EHDR = 33,
	AT_MINSIGSTKSZ = 51,
	AUX_MAX = 24,
	STACK_AHEAD = 3,    /* pages below the arguments that most programs use */
	HWCAP = 0x178bfbff, /* what every x86-64 processor has */
	HWCAP2_FSGSBASE = 2,
};

/* A program file that is open, and where it was put. */
struct program {
	struct file *file;
	struct elf elf;
	uint64_t bias;
};

/* Small programs are needed as a whole. */
static int64_t open_ahead(struct proc *p, const char *path)
{
	int64_t fd = sys_open(p, AT_FDCWD_, path, O_RDONLY_ | O_CLOEXEC_, 0);
	struct vfs_stat st;
	struct file *f;

	if (fd < 0)
		return fd;
	f = sys_file(p, (int)fd);
	if (sys_file_stat(p, f, &st) == 0 && st.size <= FETCHED_BYTES)
		sys_file_ahead(f, 0, FETCHED_BYTES / PAGE_BYTES);
	file_put(f);
	return fd;
}

void exec_ahead(struct proc *p, const char *path)
{
	int64_t fd = open_ahead(p, path);

	if (fd >= 0)
		sys_close(p, (int)fd);
}

/* The task holds the file, as which. */
static int64_t open_program(struct task *t, const char *path, int held, struct program *out)
{
	struct proc *p = t->p;
	char *head = arena_alloc(&p->arena, ELF_HEAD_BYTES);
	int64_t n = open_ahead(p, path);

	if (n < 0)
		return n;
	task_let_go(t, held);
	out->file = t->held[held] = sys_file(p, (int)n);
	sys_close(p, (int)n);
	n = sys_file_read(p, out->file, head, ELF_HEAD_BYTES, 0);
	if (n >= 0)
		n = elf_parse((struct bytes){ head, (size_t)n }, &out->elf);
	if (n < 0)
		task_let_go(t, held);
	return n;
}

/* --- segments --- */

static int map_part(struct task *t, const struct program *g, const struct elf_segment *e,
		    uint64_t start, uint64_t end, bool file)
{
	struct map m = { .address = start,
			 .length = end - start,
			 .offset = file ? e->offset & ~PAGE_MASK_ : 0,
			 .file = file ? g->file : NULL,
			 .prot = e->prot,
			 .fixed = true,
			 .program = file };
	int64_t r = start < end ? space_map(t->space, &m) : 0;

	if (r < 0 || start >= end || end - start > POPULATED_BYTES)
		return r < 0 ? (int)r : 0;
	/* Of memory without a file, as much as the first fault in it would bring. */
	if (!file && end - start > AROUND * PAGE_BYTES)
		end = start + AROUND * PAGE_BYTES;
	r = space_populate(t->p, t->space, start, end);
	return r == -E_AGAIN ? 0 : (int)r;
}

static int map_segment(struct task *t, const struct program *g, const struct elf_segment *e)
{
	uint64_t start = (g->bias + e->address) & ~PAGE_MASK_;
	uint64_t file_end = g->bias + e->address + e->file_bytes;
	uint64_t cut = (file_end + PAGE_MASK_) & ~PAGE_MASK_;
	uint64_t end = (g->bias + e->address + e->memory_bytes + PAGE_MASK_) & ~PAGE_MASK_;
	int r = 0;

	if (e->file_bytes == 0)
		cut = start;
	r = map_part(t, g, e, start, cut, true);
	if (r == 0)
		r = map_part(t, g, e, cut, end, false);
	/* What lies between the file's bytes and the end of their page is not the file's. */
	if (r == 0 && e->file_bytes != 0 && e->memory_bytes > e->file_bytes && cut > file_end &&
	    (e->prot & PROT_WRITE_) != 0)
		r = guest_zero(t->p, t->space, file_end, cut - file_end);
	return r;
}

static int map_program(struct task *t, struct program *g, uint64_t wanted)
{
	const struct elf *e = &g->elf;
	uint64_t span = e->high - e->low;
	uint64_t base;
	int r = 0;

	if (!e->moves) {
		base = e->low;
	} else {
		base = wanted;
		if (base == 0 || !space_is_free(t->space, base, span))
			base = space_find(t->space, span, MMAP_TOP);
		if (base == 0)
			return -E_NOMEM;
	}
	g->bias = base - e->low;
	for (int i = 0; i < e->nsegments && r == 0; i++)
		r = map_segment(t, g, &e->segment[i]);
	return r;
}

static int load_interpreter(struct task *t, const struct program *g, struct program *interp)
{
	char *path = arena_zalloc(&t->p->arena, (size_t)g->elf.interp_bytes + 1);
	int64_t r = sys_file_read(t->p, g->file, path, (size_t)g->elf.interp_bytes,
				  g->elf.interp_offset);

	if (r < 0)
		return (int)r;
	r = open_program(t, path, HELD_INTERPRETER, interp);
	if (r < 0)
		return (int)r;
	r = map_program(t, interp, 0);
	task_let_go(t, HELD_INTERPRETER);
	return (int)r;
}

/* --- stack --- */

struct stack {
	struct task *t;
	uint64_t at;
	int error;
	uint64_t aux[AUX_MAX * 2];
	int naux;
};

static uint64_t push(struct stack *s, const void *data, size_t n)
{
	s->at -= n;
	if (s->error == 0)
		s->error = put_user(s->t, s->at, data, n);
	return s->at;
}

static uint64_t push_string(struct stack *s, const char *text)
{
	return push(s, text, strlen(text) + 1);
}

static void aux(struct stack *s, uint64_t type, uint64_t value)
{
	s->aux[2 * s->naux] = type;
	s->aux[2 * s->naux + 1] = value;
	s->naux++;
}

static void push_aux(struct stack *s, const struct program *g, const struct program *interp)
{
	const struct vfs_cred *cred = &s->t->p->cred;

	if (s->t->space->vdso != 0)
		aux(s, AT_SYSINFO_EHDR, s->t->space->vdso + PAGE_BYTES);
	aux(s, AT_HWCAP, HWCAP);
	aux(s, AT_PAGESZ, PAGE_BYTES);
	aux(s, AT_CLKTCK, 100);
	aux(s, AT_PHDR, g->elf.headers != 0 ? g->elf.headers + g->bias : 0);
	aux(s, AT_PHENT, g->elf.header_bytes);
	aux(s, AT_PHNUM, g->elf.nheaders);
	aux(s, AT_BASE, interp != NULL ? interp->bias + interp->elf.low : 0);
	aux(s, AT_FLAGS, 0);
	aux(s, AT_ENTRY, g->elf.entry + g->bias);
	aux(s, AT_UID, s->t->p->real_uid);
	aux(s, AT_EUID, cred->uid);
	aux(s, AT_GID, s->t->p->real_gid);
	aux(s, AT_EGID, cred->gid);
	aux(s, AT_SECURE, 0);
	aux(s, AT_HWCAP2, HWCAP2_FSGSBASE);
	aux(s, AT_MINSIGSTKSZ, 3632); /* with AVX-512 */
}

static int count(char *const *list)
{
	int n = 0;

	while (list[n] != NULL)
		n++;
	return n;
}

/* Strings from the last to the first, so that they stand in order. */
static void push_strings(struct stack *s, char *const *list, int n, uint64_t *out)
{
	for (int i = n - 1; i >= 0; i--)
		out[i] = push_string(s, list[i]);
	out[n] = 0;
}

static int fill_stack(struct task *t, const struct program *g, const struct program *interp,
		      const char *path, char *const *argv, char *const *envp)
{
	struct arena *a = &t->p->arena;
	struct stack *s = arena_zalloc(a, sizeof *s);
	int argc = count(argv);
	int envc = count(envp);
	uint64_t *words = arena_array(a, (size_t)argc + (size_t)envc + 3, sizeof *words);
	uint64_t random[2] = { sys_random(t->p), sys_random(t->p) };
	size_t bytes;

	s->t = t;
	s->at = STACK_TOP - 8;
	aux(s, AT_EXECFN, push_string(s, path));
	t->space->env_end = s->at;
	push_strings(s, envp, envc, words + 1 + argc + 1);
	t->space->env_start = t->space->arg_end = s->at;
	push_strings(s, argv, argc, words + 1);
	t->space->arg_start = s->at;
	aux(s, AT_PLATFORM, push_string(s, "x86_64"));
	s->at &= ~(uint64_t)15;
	aux(s, AT_RANDOM, push(s, random, sizeof random));
	push_aux(s, g, interp);
	aux(s, 0, 0);
	words[0] = (uint64_t)argc;
	bytes = ((size_t)argc + (size_t)envc + 3) * sizeof *words;
	s->at &= ~(uint64_t)15;
	if (((bytes / 8) & 1) != 0)
		s->at -= 8;
	t->space->aux_start = push(s, s->aux, (size_t)s->naux * 16);
	t->space->aux_end = t->space->aux_start + (uint64_t)s->naux * 16;
	push(s, words, bytes);
	t->r.rsp = s->at;
	if (s->error == 0)
		s->error = space_populate(t->p, t->space, s->at - STACK_AHEAD * PAGE_BYTES,
					  STACK_TOP);
	return s->error;
}

static int make_stack(struct task *t, bool executable)
{
	struct map m = { .address = STACK_TOP - STACK_BYTES,
			 .length = STACK_BYTES,
			 .prot = PROT_READ_ | PROT_WRITE_ | (executable ? PROT_EXEC_ : 0u),
			 .fixed = true,
			 .stack = true };
	int64_t r = space_map(t->space, &m);

	return r < 0 ? (int)r : 0;
}

static int load(struct task *t, struct program *g, const char *path, char **argv, char **envp)
{
	struct program *interp = NULL;
	int r = map_program(t, g, PIE_BASE);

	if (r == 0 && g->elf.interp_bytes != 0) {
		interp = arena_zalloc(&t->p->arena, sizeof *interp);
		r = load_interpreter(t, g, interp);
	}
	if (r == 0)
		r = vdso_map(t);
	if (r == 0)
		r = make_stack(t, g->elf.exec_stack);
	if (r != 0)
		return r;
	t->space->brk_start = t->space->brk = g->elf.high + g->bias;
	t->r.rip = interp != NULL ? interp->elf.entry + interp->bias : g->elf.entry + g->bias;
	t->r.rflags = 0x202;
	return fill_stack(t, g, interp, path, argv, envp);
}

int exec_plain(struct task *t, const char *path, char **argv, char **envp)
{
	struct program *g = arena_zalloc(&t->p->arena, sizeof *g);
	int64_t r = open_program(t, path, HELD_PROGRAM, g);

	if (r < 0)
		return (int)r;
	r = load(t, g, path, argv, envp);
	task_let_go(t, HELD_PROGRAM);
	return (int)r;
}

int exec_load(struct task *t, const char *path, int argc, char **argv, char **envp)
{
	int r;

	if (t->m->warm && !task_is_traced(t) && zygote_exec(t, path, argc, argv, envp, &r))
		return r;
	return exec_plain(t, path, argv, envp);
}
