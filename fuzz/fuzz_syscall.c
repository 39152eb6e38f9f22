/* SPDX-License-Identifier: MIT
 *
 * The table of system calls under random programs: a machine that executes nothing but plays
 * calls, faults and interruptions out of the input, with arguments that are often nearly right.
 * Half of the programs are called python3 and start warm. Now and then all that is alive is copied
 * into a fork, which runs for a while, or is packed as in a saved session. Then some of the bytes
 * are changed, and what comes of them in another kernel runs for a while. Half of the programs come
 * from a host that lets the parts of their file be waited for, while others run.
 *
 * Whenever a program runs, what the machine has mapped for it must be what its space says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pack.h"
#include "microvm/zygote.h"

enum { REGION_BYTES = 24 << 20, RUNS_MAX = 1500 };

static struct {
	const uint8_t *at;
	const uint8_t *end;
	int runs;
	struct microvm *m;
	bool late;         /* the program's file is the source's */
	uint64_t seen[16]; /* results of calls: addresses, descriptors, pids */
} script;

static uint8_t byte(void)
{
	return script.at < script.end ? *script.at++ : 0;
}

/* --- the machine --- */

static int open_machine(void *user, void **out, const char **why)
{
	(void)user;
	(void)why;
	*out = &script;
	return 0;
}

static void close_machine(void *machine)
{
	(void)machine;
}

/* What is mapped, by page number modulo TABLE_PAGES, with linear probing. */
enum { TABLE_PAGES = 8192 };

struct table {
	struct {
		uint64_t address;
		void *page; /* NULL: nothing is mapped there any more */
		unsigned protection;
	} entry[TABLE_PAGES];
	size_t used;
};

/* The place of an address, in which another one's or nothing stands if it is not there yet; -1:
 * too much is mapped, and nothing is checked any more. */
static int place_of(const struct table *t, uint64_t address)
{
	size_t at = address / PAGE_BYTES % TABLE_PAGES;

	if (t->used > TABLE_PAGES / 2)
		return -1;
	while (t->entry[at].address != 0 && t->entry[at].address != address)
		at = (at + 1) % TABLE_PAGES;
	return (int)at;
}

static int new_table(void *machine, void **out)
{
	(void)machine;
	*out = calloc(1, sizeof(struct table));
	return *out != NULL ? 0 : -1;
}

static void check_entry(struct space *s, uint64_t address, const void *page, unsigned protection)
{
	const page_entry *slot = page_slot(s, address, false);
	const struct area *a = space_area(s, address);

	if (slot == NULL || a == NULL || !page_is_there(*slot) || (*slot & PAGE_MAPPED) == 0 ||
	    page_bytes(*slot) != page || (protection & 7 & ~(unsigned)a->prot) != 0 ||
	    ((protection & PROT_WRITE_) != 0 && (*slot & PAGE_KIND) == PAGE_FILE))
		abort();
}

static void check_table(const struct table *t, struct space *s)
{
	for (size_t i = 0; i < TABLE_PAGES && t->used <= TABLE_PAGES / 2; i++)
		if (t->entry[i].page != NULL)
			check_entry(s, t->entry[i].address, t->entry[i].page,
				    t->entry[i].protection);
}

static int make_thing(void *machine, void **out)
{
	(void)machine;
	*out = malloc(16);
	return *out != NULL ? 0 : -1;
}

static void free_thing(void *machine, void *thing)
{
	(void)machine;
	free(thing);
}

static int make_context(void *machine, void *copy, void **out)
{
	(void)copy;
	return make_thing(machine, out);
}

static int map_pages(void *machine, void *space, uint64_t address, void *const *pages, size_t n,
		     unsigned protection)
{
	struct table *t = space;

	(void)machine;
	if ((address & PAGE_MASK_) != 0 || address + n * PAGE_BYTES > USER_END ||
	    (protection & 7) == 0)
		abort();
	for (size_t i = 0; i < n; i++) {
		uint64_t at = address + i * PAGE_BYTES;
		int place = place_of(t, at);

		/* What is mapped is real memory of ours. */
		if (((uintptr_t)pages[i] & PAGE_MASK_) != 0 || *(volatile char *)pages[i] == 77)
			byte();
		if (place < 0)
			continue;
		t->used += t->entry[place].address == 0;
		t->entry[place].address = at;
		t->entry[place].page = pages[i];
		t->entry[place].protection = protection & 7;
	}
	return 0;
}

static void protect_pages(void *machine, void *space, uint64_t address, size_t n,
			  unsigned protection)
{
	struct table *t = space;

	(void)machine;
	if ((address & PAGE_MASK_) != 0 || address + n * PAGE_BYTES > USER_END)
		abort();
	for (size_t i = 0; i < n; i++) {
		int place = place_of(t, address + i * PAGE_BYTES);

		if (place < 0 || t->entry[place].address == 0)
			continue;
		t->entry[place].protection = protection & 7;
		if ((protection & 7) == 0)
			t->entry[place].page = NULL;
	}
}

static void unmap_pages(void *machine, void *space, uint64_t address, size_t n)
{
	protect_pages(machine, space, address, n, 0);
}

static size_t context_get(void *machine, void *context, void *area, size_t n)
{
	(void)machine;
	(void)context;
	if (area != NULL)
		memset(area, 0, n < 832 ? n : 832);
	return 832;
}

static int context_set(void *machine, void *context, const void *area, size_t n)
{
	(void)machine;
	(void)context;
	return ((const char *)area)[n - 1] == 1 ? -1 : 0;
}

static uint64_t number(const struct cowsh_vm_registers *r)
{
	static const uint64_t usual[] = { 0,          1,          4096,       8192, 0x1000000,
					  UINT64_MAX, 1u << 31,   0x7fffffff, 2,    8,
					  3,          USER_END,   USER_FIRST, 1024, 0x10000,
					  0x400000,   PAGE_MASK_, 0x22,       0x32, 100 };
	uint8_t b = byte();

	if (b < 100)
		return b % 24;
	if (b < 140)
		return usual[b % (sizeof usual / sizeof usual[0])];
	if (b < 180)
		return r->rsp - 4096 + (uint64_t)byte() * 32;
	if (b < 220)
		return script.seen[byte() % 16] + (byte() % 4 == 0 ? byte() : 0);
	if (b < 240)
		return 0x400000 + (uint64_t)byte() * 256;
	return (uint64_t)byte() << (byte() % 64);
}

/* Leaves structures and strings where calls will look for them. */
static void scribble(const struct cowsh_vm_registers *r)
{
	struct task *t = task_of(kernel_current(script.m->k));
	static const char *const strings[] = { "/f",
					       "/d",
					       "..",
					       "/proc/self/exe",
					       "/dev/null",
					       "/proc/self/fd",
					       "x/y",
					       "",
					       "/d/a",
					       "/l/f",
					       "/proc/self/smaps",
					       "/proc/self/task",
					       "/proc/self/fdinfo/3",
					       "/d/b",
					       "/proc/self/stat",
					       "f" };
	uint64_t at = r->rsp - 4096 + (uint64_t)byte() * 32;
	uint64_t words[4] = { number(r), number(r), number(r), number(r) };

	if (byte() % 2 == 0)
		guest_write(t->p, t->space, at, words, sizeof words);
	else
		guest_write(t->p, t->space, at, strings[at / 32 % 16],
			    strlen(strings[at / 32 % 16]) + 1);
}

/* Node's memory, as far as its zygote is looked for in it: see zygote_node.c. */
static void be_node(struct task *t)
{
	uint16_t *text = call_memory(t, ZYGOTE_NODE_TEXT_MAX * sizeof *text);
	uint32_t length[2] = { 3, ZYGOTE_NODE_TEXT_MAX - byte() % 2 };
	uint64_t at = 0x404000 + byte() * 64u;

	for (size_t i = 0; i < ZYGOTE_NODE_TEXT_MAX; i++)
		text[i] = 0x100;
	guest_write(t->p, t->space, at + 8, length, sizeof length);
	guest_write(t->p, t->space, at + 16, text, ZYGOTE_NODE_TEXT_MAX * sizeof *text);
	for (int fd = 0; fd < 3; fd++) {
		char bytes[USER_STAT_BYTES];
		struct vfs_stat st;

		if (sys_fstat(t->p, fd, &st) != 0)
			continue;
		user_stat_bytes(&st, bytes);
		guest_write(t->p, t->space, 0x402008 + (uint64_t)fd * 216, bytes, sizeof bytes);
	}
	guest_write(t->p, t->space, 0x403000 + byte() * 8u, ZYGOTE_DIR "/run.js", 24);
}

/* What an interpreter would do that gets as far as its launcher. */
static void ask_for_work(struct cowsh_vm_registers *r)
{
	struct task *t = task_of(kernel_current(script.m->k));
	const char *text = zygote_placeholder(&t->p->arena);
	uint32_t *wide = call_memory(t, (ZYGOTE_TEXT_MAX + 1) * sizeof *wide);

	for (size_t i = 0; i <= ZYGOTE_TEXT_MAX; i++)
		wide[i] = (unsigned char)text[i];
	wide[byte() % 2 == 0 ? ZYGOTE_TEXT_MAX : byte() * 32] = byte() % 4 == 0 ? 'x' : 0;
	guest_write(t->p, t->space, 0x400800 + byte() % 16 * 4u, wide,
		    (ZYGOTE_TEXT_MAX + 1) * sizeof *wide);
	if (t->zygote != NULL && zygote_is_node(t->zygote->form))
		be_node(t);
	guest_write(t->p, t->space, r->rsp - 4096, ZYGOTE_REQUEST, sizeof ZYGOTE_REQUEST);
	r->rax = 257;
	r->rdi = (uint64_t)AT_FDCWD_;
	r->rsi = r->rsp - 4096;
	r->rdx = 0;
}

/* Calls that do something only after one another. */
static const uint8_t together[] = { 253, 254, 254, 254, 255, 2,  1,   0,   3,   83,
				    87,  84,  82,  86,  76,  90, 222, 222, 223, 224,
				    225, 226, 22,  127, 131, 14, 13,  17 };

static void run(void *machine, void *space, void *context, struct cowsh_vm_registers *r,
		struct cowsh_vm_event *e)
{
	struct space *current = task_of(kernel_current(script.m->k))->space;
	uint8_t kind = byte();

	(void)machine;
	(void)context;
	if (current->tables != space)
		abort();
	if (script.runs % 4 == 0)
		check_table(space, current);
	script.seen[script.runs % 16] = r->rax;
	*e = (struct cowsh_vm_event){ .exit = COWSH_VM_SYSCALL };
	if (script.at == script.end || script.runs++ > RUNS_MAX) {
		r->rax = 231;
		return;
	}
	if (r->rsp < 0x10000 || r->rsp > USER_END)
		r->rsp = STACK_TOP - 8192;
	if (kind % 4 == 0)
		scribble(r);
	if (kind == 229 || (kind < 60 && task_of(kernel_current(script.m->k))->zygote != NULL)) {
		ask_for_work(r);
		return;
	}
	if (kind >= 250) {
		e->exit = COWSH_VM_INTERRUPTED;
		e->ran_ns = 1000;
		return;
	}
	if (kind >= 230) {
		e->exit = COWSH_VM_TRAP;
		e->vector = kind < 245 ? 14 : kind % 20;
		e->error = byte() & 23;
		e->address = kind < 243 ? r->rsp - 4096 + (uint64_t)byte() * 4096 : number(r);
		return;
	}
	r->rax = byte() + (kind % 8 == 1 ? 256u : 0u);
	/* Inotify and what it tells of; timers; bytes between descriptors. */
	if (kind % 8 == 3)
		r->rax = together[byte() % sizeof together];
	/* Most programs should live for a while. */
	if ((r->rax == 60 || r->rax == 231 || r->rax == 15) && byte() % 8 != 0)
		r->rax = 9 + byte() % 4u;
	r->rdi = number(r);
	r->rsi = number(r);
	r->rdx = number(r);
	r->r10 = number(r);
	r->r8 = number(r);
	r->r9 = number(r);
}

static const struct cowsh_microvm machine = {
	.size = sizeof machine,
	.open = open_machine,
	.close = close_machine,
	.space_new = new_table,
	.space_free = free_thing,
	.map = map_pages,
	.unmap = unmap_pages,
	.protect = protect_pages,
	.context_new = make_context,
	.context_free = free_thing,
	.context_get = context_get,
	.context_set = context_set,
	.run = run,
};

/* --- the program --- */

static bool probe(struct proc *p, struct bytes head)
{
	(void)p;
	return microvm_takes(head);
}

static int start(struct proc *p, struct bytes head, const char *path, int argc, char **argv,
		 char **envp)
{
	(void)head;
	return microvm_run(script.m, p, path, argc, argv, envp);
}

static void put(char *image, size_t at, uint64_t value, size_t n)
{
	memcpy(image + at, &value, n);
}

enum { IMAGE_BYTES = 12288, LATE_BYTES = 400000 };

/* Of which `bytes` are in its file. */
static void make_program(char *image, uint64_t bytes)
{
	memset(image, 0, IMAGE_BYTES);
	memcpy(image, "\177ELF\2\1\1", 7);
	put(image, 16, 2, 2);
	put(image, 18, 62, 2);
	put(image, 24, 0x400100, 8);
	put(image, 32, 64, 8);
	put(image, 54, 56, 2);
	put(image, 56, 1, 2);
	put(image, 64, 1, 4);
	put(image, 68, 7, 4);
	put(image, 80, 0x400000, 8);
	put(image, 96, bytes, 8);
	put(image, 104, LATE_BYTES, 8);
}

static void write_program(struct proc *p, const char *name)
{
	static char image[IMAGE_BYTES];
	int64_t fd = sys_open(p, AT_FDCWD_, name, O_CREAT_ | O_RDWR_, 0755);

	make_program(image, 9000);
	sys_write(p, (int)fd, image, sizeof image);
	sys_close(p, (int)fd);
}

static int list_late(void *user, uint64_t id,
		     int (*emit)(void *sink, const struct vfs_source_entry *), void *sink)
{
	const struct vfs_source_entry e = {
		.name = "f", .id = 1, .mode = S_REG | 0755, .nlink = 1, .size = LATE_BYTES
	};

	(void)user;
	(void)id;
	return emit(sink, &e);
}

/* The program, and behind it vectors of memory that is late, too. */
static int64_t read_late(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	static char whole[LATE_BYTES];

	(void)user;
	(void)id;
	if (byte() % 4 != 0)
		return VFS_PENDING;
	if (whole[0] == 0) {
		for (size_t i = 0; i < LATE_BYTES; i += 16) {
			put(whole, i, 0x400000 + i * 64 % LATE_BYTES, 8);
			put(whole, i + 8, i % 2000, 8);
		}
		make_program(whole, LATE_BYTES);
	}
	n = pos < LATE_BYTES ? n < LATE_BYTES - pos ? n : LATE_BYTES - pos : 0;
	memcpy(out, whole + pos, n);
	return (int64_t)n;
}

static const struct vfs_source late_source = { .list = list_late, .read = read_late };

/* Starts it, or as python3 or node three times: the first makes a zygote, if it gets that far. */
static int first(struct proc *p, void *arg)
{
	static char plain[] = "/f", late[] = "/l/f", python[] = "/python3", node[] = "/node";
	static char *const forms[] = { "-c", "-m", "-", "/f", "-e", "-p", "/f", "-e" };
	unsigned form;
	char *name;
	char text[] = "import this";
	char *argv[] = { plain, NULL, text, NULL };
	char *envp[] = { text, NULL };

	(void)arg;
	text[6] = '=';
	write_program(p, plain);
	write_program(p, python);
	write_program(p, node);
	sys_mkdir(p, AT_FDCWD_, "/d", 0755);
	if (script.late || !script.m->warm)
		return (int)sys_exec(p, script.late ? late : plain, argv, envp);
	form = byte() % 8;
	name = form < 4 ? python : node;
	argv[0] = name;
	argv[1] = forms[form];
	for (int i = 0; i < 3; i++) {
		struct exec e = { .path = name, .argv = argv, .envp = envp };
		int64_t pid = sys_spawn_program(p, &e);
		int status;

		if (pid < 0 || sys_wait(p, (int)pid, &status, 0) < 0)
			return 1;
		if (byte() % 4 == 0)
			sys_chmod(p, AT_FDCWD_, name, 0700, 0);
	}
	return 0;
}

static int output(void *user, int fd, const char *data, size_t n)
{
	(void)user;
	(void)fd;
	(void)data;
	(void)n;
	return 0;
}

static const struct program_format format = {
	.name = "elf", .probe = probe, .run = start, .real_path = true
};

/* --- saved sessions --- */

static struct arena_fail fail_of(struct kernel *k)
{
	struct proc nobody = { .k = k };

	return proc_arena_fail(&nobody);
}

struct saved {
	struct kernel *fork;
	struct arena arena;
	struct buf state;
	struct memory_list pages;
	vfs_ino memory;
};

/* Between runs, where running out of memory comes back to kernel_guard. */
static int pack_fork(void *arg)
{
	static const struct vfs_cred root = { 0 };
	struct saved *s = arg;
	struct vfs *v = kernel_vfs(s->fork);
	struct packing *w = arena_zalloc(&s->arena, sizeof *w);
	bool created;
	int r;

	s->state = buf_in(&s->arena);
	*w = (struct packing){ .k = s->fork, .out = &s->state, .a = &s->arena, .live = true };
	r = microvm_pack(script.m, w, &s->pages);
	kernel_pack_rest(w);
	if (r == 0)
		r = vfs_open(v, &root, VFS_ROOT, "/m", O_RDWR_ | O_CREAT_, 0600, &s->memory,
			     &created);
	for (size_t i = 0; i < s->pages.n && r == 0; i++)
		if (vfs_write(v, s->memory, i * PAGE_BYTES, s->pages.page[i], PAGE_BYTES) !=
		    PAGE_BYTES)
			r = -E_NOSPC;
	return r;
}

/* Whether anything was changed. */
static bool change_state(char *state, size_t len)
{
	int n = byte() % 4;

	for (int i = 0; i < n; i++) {
		size_t at = ((size_t)byte() << 8 | byte()) * 8 % len;

		if (byte() % 2 == 0)
			state[at] = (char)byte();
		else if (len - at >= 8)
			memset(state + at, byte() % 2 == 0 ? 0 : 0xff, byte() % 2 == 0 ? 4 : 8);
	}
	return n != 0;
}

struct loaded {
	struct kernel *k;
	struct arena arena;
	struct unpack in;
	struct unpacking u;
	vfs_ino memory;
};

static int unpack_loaded(void *arg)
{
	struct loaded *l = arg;
	int r;

	l->u = (struct unpacking){ .k = l->k, .in = &l->in, .a = &l->arena };
	r = microvm_unpack(script.m, &l->u, l->memory);
	return r == 0 ? kernel_unpack_rest(&l->u) : r;
}

static void load_state(const struct kernel_config *c, struct bytes state, vfs_ino memory,
		       bool changed)
{
	struct loaded l = { .in = unpack_of(state), .memory = memory };
	struct microvm *m = script.m;
	int r;

	if (kernel_new(c, &l.k) != 0)
		return;
	if (microvm_new(l.k, &machine, &script.m) != 0)
		abort();
	kernel_add_format(l.k, &format);
	arena_init(&l.arena, kernel_heap(l.k), fail_of(l.k));
	r = kernel_guard(l.k, unpack_loaded, &l);
	if (!changed && r != 0 && r != -E_NOMEM && r != -E_AGAIN)
		abort();
	kernel_unpack_end(&l.u, r == 0);
	arena_clear(&l.arena);
	for (int i = 0; i < 20 && r == 0; i++) {
		if (kernel_run(l.k, 5000) == KERNEL_DONE)
			break;
		kernel_wake_host(l.k);
	}
	microvm_clear(script.m);
	if (kernel_free(l.k) != 0)
		abort();
	microvm_free(script.m);
	script.m = m;
}

/* The fork, which has not run, as a saved session that somebody may have changed. */
static void save_fork(struct kernel *fork, const struct kernel_config *config)
{
	struct saved s = { .fork = fork };
	struct kernel_config c = *config;

	arena_init(&s.arena, kernel_heap(fork), fail_of(fork));
	if (kernel_guard(fork, pack_fork, &s) == 0 && s.state.len != 0) {
		bool changed = change_state(s.state.ptr, s.state.len);

		c.tree = vfs_snapshot(kernel_vfs(fork));
		if (c.tree != NULL)
			load_state(&c, buf_bytes(&s.state), s.memory, changed);
		if (c.tree != NULL)
			vfs_tree_put(c.tree);
	}
	if (s.memory != 0)
		vfs_drop(kernel_vfs(fork), s.memory);
	arena_clear(&s.arena);
}

/* What can be copied goes on in a fork; the session is as before. */
static void fork_session(struct kernel *k, const struct kernel_config *config)
{
	struct microvm *m = script.m;
	struct copying *w;
	struct kernel *fork;
	int r;

	(void)kernel_settle(k, microvm_programs_ready, 20000);
	if (kernel_fork(k, config->host, &fork) != 0)
		return;
	if (microvm_new(fork, &machine, &script.m) != 0)
		abort();
	r = kernel_copy_begin(k, fork, NULL, &w);
	if (r == 0) {
		r = microvm_copy(m, script.m, w);
		if (r == 0)
			r = kernel_copy_files(w);
		kernel_copy_end(w, r == 0);
	}
	if (r == 0 && byte() % 2 == 0)
		save_fork(fork, config);
	for (int i = 0; i < 20 && r == 0; i++) {
		if (kernel_run(fork, 5000) == KERNEL_DONE)
			break;
		kernel_wake_host(fork);
	}
	microvm_clear(script.m);
	if (kernel_free(fork) != 0)
		abort();
	microvm_free(script.m);
	script.m = m;
}

static void session(struct store *store)
{
	struct kernel_host host = { .output = output };
	struct kernel_config c = { .store = store, .host = &host, .seed = 1 };
	struct spawn s = { .fn = first };
	struct kernel *k;
	struct proc *p;
	uint8_t way;

	c.limit[LIMIT_STEPS] = 3000000;
	c.limit[LIMIT_PROCESSES] = 20;
	c.limit[LIMIT_MEMORY] = 12 << 20;
	c.limit[LIMIT_DISK] = 4 << 20;
	c.limit[LIMIT_DESCRIPTORS] = 64;
	way = byte();
	c.cred.uid = way % 2 == 0 ? 0 : 1000;
	script.late = way / 2 % 2 == 0;
	if (kernel_new(&c, &k) != 0 || microvm_new(k, &machine, &script.m) != 0)
		abort();
	if (script.late && vfs_mount_source(kernel_vfs(k), "/l", &late_source, 0, NULL) != 0)
		abort();
	microvm_warm(script.m, byte() % 2 == 0);
	kernel_add_format(k, &format);
	if (kernel_start(k, &s, NULL, NULL, &p) == 0)
		for (int i = 0; i < 300; i++) {
			enum kernel_state state = kernel_run(k, i % 4 == 0 ? 4000 : 0);

			if (i % 4 == 0 && script.at < script.end && byte() % 2 == 0)
				fork_session(k, &c);

			if (state == KERNEL_DONE || (state == KERNEL_WAIT && i > 200))
				break;
			kernel_wake_host(k);
		}
	microvm_clear(script.m);
	if (kernel_free(k) != 0)
		abort();
	microvm_free(script.m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store store;
	void *region;

	if (size < 4)
		return 0;
	memset(&script, 0, sizeof script);
	script.at = data;
	script.end = data + size;
	region = aligned_alloc(65536, REGION_BYTES);
	store_init(&store, region, REGION_BYTES, NULL, NULL);
	session(&store);
	free(region);
	return 0;
}
