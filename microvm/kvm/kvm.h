/* SPDX-License-Identifier: MIT
 *
 * A machine under KVM that runs programs in ring 3 and has no kernel of its own.
 *
 *   guest-physical   0             system pages: descriptor tables, stubs, exception stack
 *                    64 KiB        page tables, handed out from a pool
 *                    4 GiB + n     the host's memory, in chunks of 64 MiB as they come to use, and
 *                                 a first one of 4 MiB: a slot's size is time
 *   guest-virtual    0 .. 2^47     the program's pages
 *                    slot 511      the system pages
 *
 * `syscall` leads to a stub whose `out` ends the run; exceptions lead to others. The host answers
 * by setting all registers. Where the stub runs in ring 3, it knows some answers itself
 * (answers.c).
 *
 * The processor may remember translations that the page tables no longer have (a nested KVM
 * shadows them and sees only what the guest writes). So wherever rights shrink or a page
 * changes, the host's page is made read-only and writable again: that drops every translation
 * of it, on every kind of KVM. And frames of page tables are used again only after a flush of
 * everything.
 */
#ifndef MICROVM_KVM_H
#define MICROVM_KVM_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/kvm.h>

#include "cowsh_microvm.h"

enum {
	KVM_PAGE = 4096,
	CHUNK_BITS = 26,
	FIRST_BITS = 22, /* of the first chunk, which is all that a small program needs */
	CHUNKS_MAX = 4096,
	TABLES_FIRST = 16, /* page number of the first page table */
	SYSTEM_PAGES = 16384,
	SYSTEM_STEP = 1024, /* pages that a memory slot gives to page tables */
	ANSWERS_AT = 1024,  /* where `syscall` leads, within PAGE_STUBS */
	PORT_SYSCALL = 0x80,
	PORT_TRAP = 0xa0,
	VECTORS = 32,
	TICK_NS = 4000000,
	TICKS_IDLE = 50,
	XSAVE_BYTES = 4096,
	INT3 = 0xcc,
	INT_N = 0xcd,
};

#define DATA_GPA    ((uint64_t)1 << 32)
#define TICK_SIGNAL (SIGRTMIN + 3)
#define SYSTEM_VA   0xffffff8000000000u

/* Pages of the system, by number. */
enum {
	PAGE_GDT = 0, /* and the task state segment behind it */
	PAGE_IDT = 1,
	PAGE_STUBS = 2,
	PAGE_ANSWERS = 3,
	PAGE_STACK = 4,
	PAGE_NOTES = 5,
	PAGE_PDPT = 8, /* page tables of slot 511 */
	PAGE_PD = 9,
	PAGE_PT = 10,
};

struct kvm_space {
	uint64_t root;         /* guest-physical address of its top table */
	uint32_t first, count; /* tables[]: chained through machine->next_table */
};

struct kvm_context {
	struct kvm_xsave state;
};

struct kvm_machine {
	int kvm, vm, vcpu;
	struct kvm_run *run;
	size_t run_bytes;
	char *system;               /* host address of guest-physical 0 */
	uint64_t chunk[CHUNKS_MAX]; /* host address, in order of their use */
	uint32_t nchunks;
	uint32_t last_chunk;
	uint32_t system_pages; /* in memory slots */
	uint32_t next_table;   /* never used from here on */
	uint32_t free_tables;  /* list through table_link; 0: none */
	uint32_t dead_tables;  /* usable after a flush */
	uint32_t ndead;
	uint32_t *table_link;
	struct kvm_context *loaded; /* whose state the processor holds */
	struct kvm_context *spare;  /* memory for the next one, or NULL */
	bool called;                /* it is known where `syscall` leads */
	bool answering;             /* to ring 3, as far as is known: the stub answers some calls */
	bool asked;                 /* for the answers of the next run; */
	bool silent;                /* it was not, and the stub gives none */
	bool interrupted;           /* the last run was */
	int timer;                  /* -1: none */
	atomic_bool ticking;
	atomic_int idle_ticks;
	atomic_int ticks; /* since the last run that was interrupted */
	struct kvm_sregs sregs;
	char why[160];
	struct kvm_xsave fresh; /* its type has no fixed end */
};

/* ioctl, which C libraries declare differently. */
static inline int kvm_number(int fd, unsigned long request, unsigned long value)
{
	return (int)syscall(SYS_ioctl, fd, request, value);
}

static inline int kvm_call(int fd, unsigned long request, void *arg)
{
	return kvm_number(fd, request, (unsigned long)(uintptr_t)arg);
}

/* tables.c */
int tables_init(struct kvm_machine *m);
/* A memory slot with more pages of the system: 0 or a negative error. */
int tables_grow(struct kvm_machine *m);
int kvm_space_new(void *machine, void **out);
void kvm_space_free(void *machine, void *space);
int kvm_map(void *machine, void *space, uint64_t address, void *const *pages, size_t n,
	    unsigned protection);
void kvm_unmap(void *machine, void *space, uint64_t address, size_t n);
void kvm_protect(void *machine, void *space, uint64_t address, size_t n, unsigned protection);
/* What the program has at an address; -1: nothing that it could execute as it is now. */
int table_byte(struct kvm_machine *m, struct kvm_space *s, uint64_t address);
/* Adds a memory slot; size 0 removes it. */
int kvm_slot(struct kvm_machine *m, uint32_t slot, uint64_t gpa, void *host, uint64_t size);

/* setup.c */
int setup_processor(struct kvm_machine *m);

/* cpuid.c */
/* Finds out which KVM and processor this is; once, before anything is locked down. */
void cpuid_open(void);
/* Tells the processor's CPUID: 0 or a negative error. */
int cpuid_set(struct kvm_machine *m);
/* The parts of the processor's state that programs have: XCR0. */
uint64_t cpuid_xcr0(void);
/* What XSAVE writes of them, in its layout of this processor. */
uint32_t cpuid_xsave_bytes(void);

/* answers.c */
void answers_install(struct kvm_machine *m);
/* Every call is the host's: where `syscall` leads to ring 0. */
void answers_remove(struct kvm_machine *m);
/* Before a run: there are answers if the host has asked where they are kept. */
void answers_choose(struct kvm_machine *m);
/* If the program stands in the stub, it is put back before its call, or behind it. */
bool answers_undo(const struct kvm_machine *m, struct cowsh_vm_registers *r);

/* run.c */
int run_start_ticks(struct kvm_machine *m);
void run_end_ticks(struct kvm_machine *m);
void kvm_run_guest(void *machine, void *space, void *context, struct cowsh_vm_registers *r,
		   struct cowsh_vm_event *event);
int kvm_load_context(struct kvm_machine *m, struct kvm_context *c);
int kvm_save_context(struct kvm_machine *m);

#endif
