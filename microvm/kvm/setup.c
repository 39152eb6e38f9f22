/* SPDX-License-Identifier: MIT
 *
 * Opening the machine: the checks that say why it can't be, the system pages, the registers
 * that never change.
 */
#include "microvm/kvm/kvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	SELECT_KERNEL_CODE = 0x10,
	SELECT_KERNEL_DATA = 0x18,
	SELECT_USER_BASE = 0x20, /* sysret's: data at +8, code at +16 */
	SELECT_TSS = 0x40,
	TSS_AT = 0x100, /* within PAGE_GDT */
	TSS_BITMAP = 0x68,
	TSS_BYTES = TSS_BITMAP + 33,
	STUB_BYTES = 16,
	MSR_STAR_ = (int)0xc0000081,
	MSR_LSTAR_ = (int)0xc0000082,
	MSR_FMASK_ = (int)0xc0000084,
};

static int fail(struct kvm_machine *m, const char *what, int err)
{
	snprintf(m->why, sizeof m->why, "%s: %s", what, strerror(err));
	return -err;
}

_Static_assert(sizeof(struct cowsh_vm_answers) <= KVM_PAGE, "the answers are one page");

static uint64_t system_va(unsigned page)
{
	return SYSTEM_VA + (uint64_t)page * KVM_PAGE;
}

static void *system_page(struct kvm_machine *m, unsigned page)
{
	return m->system + (size_t)page * KVM_PAGE;
}

/* --- descriptor tables and stubs --- */

static void write_gdt(struct kvm_machine *m)
{
	uint64_t *gdt = system_page(m, PAGE_GDT);
	uint64_t tss = system_va(PAGE_GDT) + TSS_AT;
	char *segment = (char *)gdt + TSS_AT;
	uint64_t stack = system_va(PAGE_STACK) + KVM_PAGE;
	uint16_t bitmap = TSS_BITMAP;

	gdt[2] = 0x00af9b000000ffff;
	gdt[3] = 0x00cf93000000ffff;
	gdt[5] = 0x00cff3000000ffff;
	gdt[6] = 0x00affb000000ffff;
	gdt[8] = (TSS_BYTES - 1) | (tss & 0xffffff) << 16 | (uint64_t)0x8b << 40 |
		 (tss >> 24 & 0xff) << 56;
	gdt[9] = tss >> 32;
	memset(segment, 0, TSS_BITMAP);
	memcpy(segment + 4, &stack, 8);
	memcpy(segment + 0x66, &bitmap, 2);
	/* One port is the program's: it can only make a system call with it. */
	memset(segment + TSS_BITMAP, 0xff, 33);
	segment[TSS_BITMAP + PORT_SYSCALL / 8] = (char)~(1 << PORT_SYSCALL % 8);
}

static void write_idt(struct kvm_machine *m)
{
	uint64_t *idt = system_page(m, PAGE_IDT);

	for (unsigned v = 0; v < VECTORS; v++) {
		uint64_t stub = system_va(PAGE_STUBS) + (v + 1) * STUB_BYTES;
		uint64_t gate = v == 3 || v == 4 ? 0xee00 : 0x8e00;

		idt[2 * v] = (stub & 0xffff) | (uint64_t)SELECT_KERNEL_CODE << 16 | gate << 32 |
			     (stub >> 16 & 0xffff) << 48;
		idt[2 * v + 1] = stub >> 32;
	}
}

static void write_stubs(struct kvm_machine *m)
{
	unsigned char *code = system_page(m, PAGE_STUBS);

	memset(code, 0xcc, KVM_PAGE);
	for (unsigned i = 0; i <= VECTORS; i++) {
		unsigned char *stub = code + (size_t)i * STUB_BYTES;

		stub[0] = 0xe6; /* out %al, port */
		stub[1] = (unsigned char)(i == 0 ? PORT_SYSCALL : PORT_TRAP + i - 1);
		stub[2] = 0x0f; /* never reached: ud2 */
		stub[3] = 0x0b;
	}
	answers_install(m);
}

/* --- the processor --- */

static struct kvm_segment segment(uint16_t selector, uint8_t type, uint8_t dpl, bool code)
{
	return (struct kvm_segment){
		.limit = 0xffffffff,
		.selector = selector,
		.type = type,
		.present = 1,
		.dpl = dpl,
		.db = !code,
		.s = 1,
		.l = code,
		.g = 1,
	};
}

static void set_sregs(struct kvm_machine *m)
{
	struct kvm_sregs *s = &m->sregs;

	s->cs = segment(SELECT_USER_BASE + 16 + 3, 0xb, 3, true);
	s->ss = segment(SELECT_USER_BASE + 8 + 3, 0x3, 3, false);
	s->ds = s->es = s->fs = s->gs = s->ss;
	s->tr = (struct kvm_segment){ .base = system_va(PAGE_GDT) + TSS_AT,
				      .limit = TSS_BYTES - 1,
				      .selector = SELECT_TSS,
				      .type = 0xb,
				      .present = 1 };
	s->ldt.unusable = 1;
	s->gdt.base = system_va(PAGE_GDT);
	s->gdt.limit = 10 * 8 - 1;
	s->idt.base = system_va(PAGE_IDT);
	s->idt.limit = VECTORS * 16 - 1;
	s->cr0 = 0x80050033;
	s->cr4 = 0x20 | 0x200 | 0x400 | 0x10000 | 0x40000; /* PAE FXSR XMM FSGSBASE XSAVE */
	s->efer = 0x1 | 0x100 | 0x400 | 0x800;             /* SCE LME LMA NXE */
}

static int set_msrs(struct kvm_machine *m)
{
	_Alignas(struct kvm_msrs) char
		room[sizeof(struct kvm_msrs) + 3 * sizeof(struct kvm_msr_entry)] = { 0 };
	struct kvm_msrs *msrs = (struct kvm_msrs *)(void *)room;

	msrs->nmsrs = 3;
	msrs->entries[0].index = (uint32_t)MSR_STAR_;
	msrs->entries[0].data = (uint64_t)SELECT_KERNEL_CODE << 32 | (uint64_t)SELECT_USER_BASE
									     << 48;
	msrs->entries[1].index = (uint32_t)MSR_LSTAR_;
	msrs->entries[1].data = system_va(PAGE_STUBS) + ANSWERS_AT;
	msrs->entries[2].index = (uint32_t)MSR_FMASK_;
	msrs->entries[2].data = 0x47700; /* TF IF DF IOPL NT AC */
	return kvm_call(m->vcpu, KVM_SET_MSRS, msrs) == 3 ? 0 : fail(m, "KVM_SET_MSRS", EINVAL);
}

static int set_xcr0(struct kvm_machine *m)
{
	struct kvm_xcrs xcrs = { .nr_xcrs = 1 };

	xcrs.xcrs[0].value = cpuid_xcr0();
	if (kvm_call(m->vcpu, KVM_SET_XCRS, &xcrs) < 0)
		return fail(m, "KVM_SET_XCRS", errno);
	return 0;
}

int setup_processor(struct kvm_machine *m)
{
	int err;

	write_gdt(m);
	write_idt(m);
	write_stubs(m);
	err = cpuid_set(m);
	if (err != 0)
		fail(m, "KVM_SET_CPUID2", -err);
	if (err == 0 && kvm_call(m->vcpu, KVM_GET_SREGS, &m->sregs) < 0)
		err = fail(m, "KVM_GET_SREGS", errno);
	set_sregs(m);
	m->sregs.cr3 = 0;
	if (err == 0)
		err = set_xcr0(m);
	if (err == 0)
		err = set_msrs(m);
	if (err == 0 && kvm_call(m->vcpu, KVM_GET_XSAVE, &m->fresh) < 0)
		err = fail(m, "KVM_GET_XSAVE", errno);
	return err;
}

/* --- opening --- */

static int check_abilities(struct kvm_machine *m)
{
	int sync = kvm_number(m->kvm, KVM_CHECK_EXTENSION, KVM_CAP_SYNC_REGS);

	if (kvm_call(m->kvm, KVM_GET_API_VERSION, NULL) != KVM_API_VERSION)
		return fail(m, "/dev/kvm", ENOTSUP);
	if ((sync & 7) != 7)
		return fail(m, "KVM_CAP_SYNC_REGS", ENOTSUP);
	if (kvm_number(m->kvm, KVM_CHECK_EXTENSION, KVM_CAP_IMMEDIATE_EXIT) == 0)
		return fail(m, "KVM_CAP_IMMEDIATE_EXIT", ENOTSUP);
	return 0;
}

static int device; /* of the process, for all machines; an error once opening has failed */

void cowsh_kvm_open(void)
{
	if (device > 0)
		return;
	device = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (device < 0)
		device = -errno;
	cpuid_open();
}

static int make(struct kvm_machine *m)
{
	size_t bytes = (size_t)SYSTEM_PAGES * KVM_PAGE;
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	int err;

	cowsh_kvm_open();
	if (device < 0)
		return fail(m, "/dev/kvm", -device);
	m->kvm = device;
	err = check_abilities(m);
	if (err != 0)
		return err;
	m->vm = kvm_call(m->kvm, KVM_CREATE_VM, NULL);
	if (m->vm < 0)
		return fail(m, "KVM_CREATE_VM", errno);
	kvm_number(m->vm, KVM_SET_TSS_ADDR, 0xfffbd000);
	/* Without an interrupt controller KVM would patch its own code, on all processors, twice.
	 */
	kvm_call(m->vm, KVM_ENABLE_CAP, &split);
	m->system = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->system == MAP_FAILED)
		return fail(m, "memory for page tables", errno);
	err = tables_grow(m);
	if (err != 0)
		return fail(m, "KVM_SET_USER_MEMORY_REGION", -err);
	m->vcpu = kvm_call(m->vm, KVM_CREATE_VCPU, NULL);
	if (m->vcpu < 0)
		return fail(m, "KVM_CREATE_VCPU", errno);
	m->run_bytes = (size_t)kvm_call(m->kvm, KVM_GET_VCPU_MMAP_SIZE, NULL);
	m->run = mmap(NULL, m->run_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->vcpu, 0);
	if (m->run == MAP_FAILED)
		return fail(m, "KVM_GET_VCPU_MMAP_SIZE", errno);
	err = tables_init(m);
	if (err != 0)
		return fail(m, "page tables", -err);
	err = setup_processor(m);
	if (err == 0 && (err = run_start_ticks(m)) != 0)
		return fail(m, "timer", -err);
	return err;
}

static void close_machine(void *machine)
{
	struct kvm_machine *m = machine;

	run_end_ticks(m);
	if (m->run != NULL && m->run != MAP_FAILED)
		munmap(m->run, m->run_bytes);
	if (m->vcpu > 0)
		close(m->vcpu);
	if (m->vm > 0)
		close(m->vm);
	if (m->system != NULL && m->system != MAP_FAILED)
		munmap(m->system, (size_t)SYSTEM_PAGES * KVM_PAGE);
	free(m->table_link);
	free(m->spare);
	free(m);
}

/* --- contexts --- */

static int context_new(void *machine, void *copy, void **out)
{
	struct kvm_machine *m = machine;
	struct kvm_context *from = copy;
	struct kvm_context *c = m->spare;

	m->spare = NULL;
	if (c == NULL)
		c = malloc(sizeof *c);
	if (c == NULL)
		return -ENOMEM;
	if (from != NULL && from == m->loaded)
		kvm_save_context(m);
	c->state = from != NULL ? from->state : m->fresh;
	*out = c;
	return 0;
}

static void context_free(void *machine, void *context)
{
	struct kvm_machine *m = machine;

	if (m->loaded == context)
		m->loaded = NULL;
	free(m->spare);
	m->spare = context;
}

static size_t context_get(void *machine, void *context, void *area, size_t n)
{
	struct kvm_machine *m = machine;
	struct kvm_context *c = context;
	size_t size = cpuid_xsave_bytes();

	if (area == NULL)
		return size;
	if (c == m->loaded)
		kvm_save_context(m);
	memcpy(area, &c->state, n < size ? n : size);
	return size;
}

static int context_set(void *machine, void *context, const void *area, size_t n)
{
	struct kvm_machine *m = machine;
	struct kvm_context *c = context;
	enum { YMM_END = 832 };
	uint64_t features = cpuid_xcr0();

	if (n < 576 || n > sizeof c->state)
		return -EINVAL;
	if (c == m->loaded) {
		kvm_save_context(m);
		m->loaded = NULL;
	}
	memcpy(&c->state, area, n);
	/* Reserved bits of MXCSR would make KVM refuse the state. */
	((uint32_t *)&c->state)[6] &= 0xffff;
	/* Of a shorter state, as of another processor, what all have in the same place. */
	if (n < cpuid_xsave_bytes())
		features &= n >= YMM_END ? 7 : 3;
	((uint64_t *)(void *)&c->state)[64] &= features;
	memset((char *)&c->state + 520, 0, 56);
	return 0;
}

/* --- the whole --- */

static int open_machine(void *user, void **out, const char **why)
{
	static char reason[160];
	struct kvm_machine *m = calloc(1, sizeof *m);
	sigset_t ticks;
	sigset_t old;
	int err;

	(void)user;
	*why = "no memory";
	if (m == NULL)
		return -ENOMEM;
	m->timer = -1;
	/* The ticks of another machine would interrupt what makes this one. */
	sigemptyset(&ticks);
	sigaddset(&ticks, TICK_SIGNAL);
	sigprocmask(SIG_BLOCK, &ticks, &old);
	err = make(m);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (err != 0) {
		memcpy(reason, m->why, sizeof reason);
		*why = reason;
		close_machine(m);
		return err;
	}
	*out = m;
	return 0;
}

static struct cowsh_vm_answers *machine_answers(void *machine, struct cowsh_vm_notes **notes)
{
	struct kvm_machine *m = machine;

	m->asked = true;
	*notes = system_page(m, PAGE_NOTES);
	return m->answering ? system_page(m, PAGE_ANSWERS) : NULL;
}

const struct cowsh_microvm *cowsh_kvm(void)
{
	static const struct cowsh_microvm kvm = {
		.size = sizeof kvm,
		.open = open_machine,
		.close = close_machine,
		.space_new = kvm_space_new,
		.space_free = kvm_space_free,
		.map = kvm_map,
		.unmap = kvm_unmap,
		.protect = kvm_protect,
		.context_new = context_new,
		.context_free = context_free,
		.context_get = context_get,
		.context_set = context_set,
		.run = kvm_run_guest,
		.answers = machine_answers,
	};

	return &kvm;
}
