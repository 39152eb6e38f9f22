/* SPDX-License-Identifier: MIT
 *
 * What programs are told by CPUID.
 *
 * Where the processor runs guests itself (Intel's and AMD's KVM), what KVM supports. A nested KVM
 * (pvm) runs them as processes: some let them execute CPUID, others answer it with the list they
 * were given, and their own list leaves out nearly all that a program may use. A guest's
 * instructions are a process's there, so it gets a process's list: this one's, as far as nobody has
 * to switch a feature on. It also takes a fifth of the time.
 */
#include "microvm/kvm/kvm.h"

#include <cpuid.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	SUPPORTED_MAX = 256,
	OWN_MAX = 40,
	SUBLEAVES_MAX = 8,
	ADDRESS_BITS = 40, /* of guest-physical addresses */
	LEAF_FEATURES = 1,
	LEAF_CACHES = 4,
	LEAF_MORE_FEATURES = 7,
	LEAF_XSAVE = 0xd,
	XSAVE_HEAD = 576, /* x87, SSE and the header */
	LEAF_HIGH = (int)0x80000000,
	LEAF_HIGH_FEATURES = (int)0x80000001,
	LEAF_HIGH_L1 = (int)0x80000005,
	LEAF_HIGH_L2 = (int)0x80000006,
	LEAF_ADDRESSES = (int)0x80000008,
	LEAF_HIGH_CACHES = (int)0x8000001d,
};

/* Features that a program uses without anybody's leave but XCR0's, by their bits. */
enum {
	/* FPU PSE TSC MSR PAE CX8 SEP PGE CMOV CLFLUSH MMX FXSR SSE SSE2; some are for KVM */
	USER_1_EDX = 0x0788a979,
	/* SSE3 PCLMUL SSSE3 FMA CX16 SSE4.1 SSE4.2 MOVBE POPCNT AES XSAVE AVX F16C RDRAND */
	USER_1_ECX = 0x76d83203,
	/* FSGSBASE BMI1 AVX2 BMI2 ERMS AVX512F,DQ RDSEED ADX IFMA CLFLUSHOPT CLWB CD SHA BW VL */
	USER_7_EBX = (int)0xf1af0329,
	/* VBMI VBMI2 GFNI VAES VPCLMUL VNNI BITALG VPOPCNTDQ RDPID */
	USER_7_ECX = 0x00405f42,
	/* FSRM VP2INTERSECT AVX512_FP16 */
	USER_7_EDX = 0x00800110,
	/* LAHF ABM SSE4A PREFETCHW */
	USER_HIGH_ECX = 0x00000161,
	/* SYSCALL NX RDTSCP LM; AMD's have the first ones here, too */
	USER_HIGH_EDX = 0x28100800 | (USER_1_EDX & 0x0183f3ff),
};

uint64_t cpuid_xcr0(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & 0xe7; /* x87, SSE, AVX, AVX-512 */
}

struct own_list {
	struct kvm_cpuid2 head;
	struct kvm_cpuid_entry2 entries[OWN_MAX];
};

static struct kvm_cpuid_entry2 *add(struct own_list *l, unsigned leaf, unsigned sub, unsigned flags)
{
	struct kvm_cpuid_entry2 *e = &l->entries[l->head.nent++];

	e->function = leaf;
	e->index = sub;
	e->flags = flags;
	__cpuid_count(leaf, sub, e->eax, e->ebx, e->ecx, e->edx);
	return e;
}

/* Sub-leaves until the one without a cache. */
static void add_caches(struct own_list *l, unsigned leaf)
{
	for (unsigned i = 0; i < SUBLEAVES_MAX; i++)
		if ((add(l, leaf, i, KVM_CPUID_FLAG_SIGNIFCANT_INDEX)->eax & 31) == 0)
			break;
}

static uint32_t measure_xsave(void)
{
	uint32_t bytes = XSAVE_HEAD;

	for (unsigned i = 2; i < SUBLEAVES_MAX; i++) {
		uint32_t eax, ebx, ecx, edx;

		if ((cpuid_xcr0() >> i & 1) == 0)
			continue;
		__cpuid_count(LEAF_XSAVE, i, eax, ebx, ecx, edx);
		if (ebx + eax > bytes)
			bytes = ebx + eax;
	}
	return bytes;
}

/* Of the process. */
static bool nested;
static uint32_t xsave_bytes;

void cpuid_open(void)
{
	nested = access("/sys/module/kvm_pvm", F_OK) == 0;
	xsave_bytes = measure_xsave();
}

uint32_t cpuid_xsave_bytes(void)
{
	return xsave_bytes;
}

/* The layout of what XSAVE saves, without XSAVEC's. */
static void add_xsave(struct own_list *l)
{
	struct kvm_cpuid_entry2 *head = add(l, LEAF_XSAVE, 0, KVM_CPUID_FLAG_SIGNIFCANT_INDEX);

	head->eax = (uint32_t)cpuid_xcr0();
	head->edx = 0;
	head->ebx = head->ecx = cpuid_xsave_bytes();
	for (unsigned i = 2; i < SUBLEAVES_MAX; i++)
		if ((head->eax >> i & 1) != 0)
			add(l, LEAF_XSAVE, i, KVM_CPUID_FLAG_SIGNIFCANT_INDEX);
}

static void add_low(struct own_list *l)
{
	struct kvm_cpuid_entry2 *e = add(l, 0, 0, 0);
	unsigned last = e->eax;

	e->eax = LEAF_XSAVE;
	e = add(l, LEAF_FEATURES, 0, 0);
	e->ebx = (e->ebx & 0xff00) | 1 << 16; /* CLFLUSH's line; one processor */
	e->ecx &= USER_1_ECX;
	e->edx &= USER_1_EDX;
	add(l, 2, 0, 0);
	if (last >= LEAF_CACHES)
		add_caches(l, LEAF_CACHES);
	if (last >= LEAF_MORE_FEATURES) {
		e = add(l, LEAF_MORE_FEATURES, 0, KVM_CPUID_FLAG_SIGNIFCANT_INDEX);
		e->eax = 0;
		e->ebx &= (unsigned)USER_7_EBX;
		e->ecx &= USER_7_ECX;
		e->edx &= USER_7_EDX;
	}
	if (last >= LEAF_XSAVE)
		add_xsave(l);
}

static void add_high(struct own_list *l)
{
	struct kvm_cpuid_entry2 *e = add(l, (unsigned)LEAF_HIGH, 0, 0);
	unsigned last = e->eax;

	e = add(l, (unsigned)LEAF_HIGH_FEATURES, 0, 0);
	e->ecx &= USER_HIGH_ECX;
	e->edx &= USER_HIGH_EDX;
	if (last >= (unsigned)LEAF_HIGH_L2) {
		add(l, (unsigned)LEAF_HIGH_L1, 0, 0);
		add(l, (unsigned)LEAF_HIGH_L2, 0, 0);
	}
	e = &l->entries[l->head.nent++];
	e->function = (unsigned)LEAF_ADDRESSES;
	e->eax = 48 << 8 | ADDRESS_BITS;
	if (last >= (unsigned)LEAF_HIGH_CACHES)
		add_caches(l, (unsigned)LEAF_HIGH_CACHES);
}

static struct kvm_cpuid2 *own_list(void)
{
	static struct own_list list;

	if (list.head.nent == 0) {
		add_low(&list);
		add_high(&list);
	}
	return &list.head;
}

static int set_supported(struct kvm_machine *m)
{
	struct kvm_cpuid2 *list = calloc(1, sizeof *list + SUPPORTED_MAX * sizeof list->entries[0]);
	int err = 0;

	if (list == NULL)
		return -ENOMEM;
	list->nent = SUPPORTED_MAX;
	if (kvm_call(m->kvm, KVM_GET_SUPPORTED_CPUID, list) < 0 ||
	    kvm_call(m->vcpu, KVM_SET_CPUID2, list) < 0)
		err = -errno;
	free(list);
	return err;
}

int cpuid_set(struct kvm_machine *m)
{
	if (!nested)
		return set_supported(m);
	return kvm_call(m->vcpu, KVM_SET_CPUID2, own_list()) < 0 ? -errno : 0;
}
