/* SPDX-License-Identifier: MIT
 *
 * Page tables of the guest, memory slots, and making the processor forget.
 */
#include "microvm/kvm/kvm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PTE_PRESENT  1u
#define PTE_WRITE    2u
#define PTE_USER     4u
#define PTE_USED     0x60u /* accessed and dirty: spares the processor from setting them */
#define PTE_NX       ((uint64_t)1 << 63)
#define PTE_ADDRESS  0x000ffffffffff000u
#define USER_VA_END  ((uint64_t)1 << 47)
#define TABLE_RIGHTS (PTE_PRESENT | PTE_WRITE | PTE_USER | PTE_USED)

int kvm_slot(struct kvm_machine *m, uint32_t slot, uint64_t gpa, void *host, uint64_t size)
{
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.guest_phys_addr = gpa,
		.memory_size = size,
		.userspace_addr = (uint64_t)(uintptr_t)host,
	};

	return kvm_call(m->vm, KVM_SET_USER_MEMORY_REGION, &region) < 0 ? -errno : 0;
}

/* --- frames of page tables --- */

static uint64_t *table_at(struct kvm_machine *m, uint64_t gpa)
{
	return (uint64_t *)(void *)(m->system + (gpa & PTE_ADDRESS));
}

int tables_grow(struct kvm_machine *m)
{
	uint32_t step = m->system_pages / SYSTEM_STEP;
	uint64_t from = (uint64_t)m->system_pages * KVM_PAGE;
	int err;

	if (m->system_pages == SYSTEM_PAGES)
		return -ENOMEM;
	err = kvm_slot(m, CHUNKS_MAX + 2 + step, from, m->system + from,
		       (uint64_t)SYSTEM_STEP * KVM_PAGE);
	if (err == 0)
		m->system_pages += SYSTEM_STEP;
	return err;
}

/* Everything the processor has remembered goes; so dead tables can be used again. */
static void flush_all(struct kvm_machine *m)
{
	static char dummy[KVM_PAGE] __attribute__((aligned(4096)));

	kvm_slot(m, CHUNKS_MAX + 1, (uint64_t)1 << 30, dummy, KVM_PAGE);
	kvm_slot(m, CHUNKS_MAX + 1, (uint64_t)1 << 30, dummy, 0);
	m->free_tables = m->dead_tables;
	m->dead_tables = 0;
	m->ndead = 0;
}

/* A zeroed table's guest-physical address, or 0. */
static uint64_t new_table(struct kvm_machine *m, struct kvm_space *s)
{
	uint32_t page;

	/* Living spaces have to be remembered again after a flush: not for a few tables. */
	if (m->free_tables == 0 && m->next_table == m->system_pages &&
	    (m->ndead > m->system_pages / 2 || (tables_grow(m) != 0 && m->ndead != 0)))
		flush_all(m);
	if (m->free_tables != 0) {
		page = m->free_tables;
		m->free_tables = m->table_link[page];
		memset(m->system + (size_t)page * KVM_PAGE, 0, KVM_PAGE);
	} else if (m->next_table < m->system_pages) {
		page = m->next_table++;
	} else {
		return 0;
	}
	m->table_link[page] = s->first;
	s->first = page;
	return (uint64_t)page * KVM_PAGE;
}

int tables_init(struct kvm_machine *m)
{
	uint64_t *pdpt = table_at(m, PAGE_PDPT * KVM_PAGE);
	uint64_t *pd = table_at(m, PAGE_PD * KVM_PAGE);
	uint64_t *pt = table_at(m, PAGE_PT * KVM_PAGE);

	m->table_link = calloc(SYSTEM_PAGES, sizeof *m->table_link);
	if (m->table_link == NULL)
		return -ENOMEM;
	m->next_table = TABLES_FIRST;
	pdpt[0] = PAGE_PD * KVM_PAGE | TABLE_RIGHTS;
	pd[0] = PAGE_PT * KVM_PAGE | TABLE_RIGHTS;
	pt[PAGE_GDT] = PAGE_GDT * KVM_PAGE | PTE_PRESENT | PTE_WRITE | PTE_USED | PTE_NX;
	pt[PAGE_IDT] = PAGE_IDT * KVM_PAGE | PTE_PRESENT | PTE_USED | PTE_NX;
	/* On a nested KVM the stub of `syscall` runs in ring 3. */
	pt[PAGE_STUBS] = PAGE_STUBS * KVM_PAGE | PTE_PRESENT | PTE_USER | PTE_USED;
	pt[PAGE_ANSWERS] = PAGE_ANSWERS * KVM_PAGE | PTE_PRESENT | PTE_USER | PTE_USED | PTE_NX;
	pt[PAGE_NOTES] = PAGE_NOTES * KVM_PAGE | PTE_PRESENT | PTE_WRITE | PTE_USER | PTE_USED |
			 PTE_NX;
	pt[PAGE_STACK] = PAGE_STACK * KVM_PAGE | PTE_PRESENT | PTE_WRITE | PTE_USED | PTE_NX;
	return 0;
}

int kvm_space_new(void *machine, void **out)
{
	struct kvm_machine *m = machine;
	struct kvm_space *s = calloc(1, sizeof *s);

	if (s == NULL)
		return -ENOMEM;
	s->root = new_table(m, s);
	if (s->root == 0) {
		free(s);
		return -ENOMEM;
	}
	table_at(m, s->root)[511] = PAGE_PDPT * KVM_PAGE | TABLE_RIGHTS;
	*out = s;
	return 0;
}

/* Its tables may still be remembered: nobody will load them, but they can't become others. */
void kvm_space_free(void *machine, void *space)
{
	struct kvm_machine *m = machine;
	struct kvm_space *s = space;
	uint32_t page = s->first;

	while (page != 0) {
		uint32_t next = m->table_link[page];

		m->table_link[page] = m->dead_tables;
		m->dead_tables = page;
		m->ndead++;
		page = next;
	}
	free(s);
}

/* --- the host's memory --- */

static unsigned chunk_bits(uint32_t i)
{
	return i == 0 ? FIRST_BITS : CHUNK_BITS;
}

static bool in_chunk(const struct kvm_machine *m, uint32_t i, uint64_t host)
{
	return i < m->nchunks && host - m->chunk[i] < (uint64_t)1 << chunk_bits(i);
}

/* The guest-physical address of a page of the host, or 0 when there is no room for it. */
static uint64_t frame_of(struct kvm_machine *m, const void *page)
{
	uint64_t host = (uint64_t)(uintptr_t)page;
	uint32_t i = m->last_chunk;

	if (!in_chunk(m, i, host))
		for (i = 0; i < m->nchunks && !in_chunk(m, i, host); i++)
			;
	if (i == m->nchunks) {
		uint64_t size = (uint64_t)1 << chunk_bits(i);
		uint64_t from = host & ~(size - 1);

		if (i == CHUNKS_MAX || kvm_slot(m, i + 1, DATA_GPA + ((uint64_t)i << CHUNK_BITS),
						(void *)(uintptr_t)from, size) != 0)
			return 0;
		m->chunk[m->nchunks++] = from;
	}
	m->last_chunk = i;
	return DATA_GPA + ((uint64_t)i << CHUNK_BITS) + (host - m->chunk[i]);
}

static char *host_of(const struct kvm_machine *m, uint64_t pte)
{
	uint64_t at = (pte & PTE_ADDRESS) - DATA_GPA;

	return (char *)(uintptr_t)(m->chunk[at >> CHUNK_BITS] +
				   (at & (((uint64_t)1 << CHUNK_BITS) - 1)));
}

/* Pages whose translations are to be dropped, as a run of neighbours. */
struct stale {
	char *from;
	size_t bytes;
};

static void stale_drop(struct stale *s)
{
	if (s->bytes == 0)
		return;
	mprotect(s->from, s->bytes, PROT_READ);
	mprotect(s->from, s->bytes, PROT_READ | PROT_WRITE);
	s->bytes = 0;
}

static void stale_add(struct stale *s, char *page)
{
	if (s->bytes != 0 && page == s->from + s->bytes) {
		s->bytes += KVM_PAGE;
	} else if (s->bytes != 0 && page + KVM_PAGE == s->from) {
		s->from = page;
		s->bytes += KVM_PAGE;
	} else {
		stale_drop(s);
		s->from = page;
		s->bytes = KVM_PAGE;
	}
}

/* --- entries --- */

/* The table of the last level for an address; NULL if it is missing (and can't be made). */
static uint64_t *last_table(struct kvm_machine *m, struct kvm_space *s, uint64_t address, bool make)
{
	uint64_t *table = table_at(m, s->root);

	for (unsigned shift = 39; shift > 12; shift -= 9) {
		uint64_t *entry = &table[address >> shift & 511];

		if (*entry == 0) {
			uint64_t fresh = make ? new_table(m, s) : 0;

			if (fresh == 0)
				return NULL;
			*entry = fresh | TABLE_RIGHTS;
		}
		table = table_at(m, *entry);
	}
	return table;
}

int table_byte(struct kvm_machine *m, struct kvm_space *s, uint64_t address)
{
	const uint64_t *table = address < USER_VA_END ? last_table(m, s, address, false) : NULL;
	uint64_t entry = table != NULL ? table[address >> 12 & 511] : 0;

	if ((entry & PTE_PRESENT) == 0)
		return -1;
	return (unsigned char)host_of(m, entry)[address & (KVM_PAGE - 1)];
}

static uint64_t rights(unsigned protection)
{
	uint64_t bits = PTE_PRESENT | PTE_USER | PTE_USED;

	if ((protection & COWSH_VM_WRITE) != 0)
		bits |= PTE_WRITE;
	if ((protection & COWSH_VM_EXECUTE) == 0)
		bits |= PTE_NX;
	return bits;
}

static bool shrinks(uint64_t was, uint64_t now)
{
	if ((was & PTE_PRESENT) == 0)
		return false;
	return (was & PTE_ADDRESS) != (now & PTE_ADDRESS) || (was & ~now & PTE_WRITE) != 0 ||
	       (~was & now & PTE_NX) != 0;
}

int kvm_map(void *machine, void *space, uint64_t address, void *const *pages, size_t n,
	    unsigned protection)
{
	struct kvm_machine *m = machine;
	struct stale stale = { NULL, 0 };
	uint64_t *table = NULL;

	for (size_t i = 0; i < n; i++, address += KVM_PAGE) {
		uint64_t frame = frame_of(m, pages[i]);
		uint64_t *entry;
		uint64_t now = frame | rights(protection);

		if (table == NULL || (address >> 12 & 511) == 0)
			table = last_table(m, space, address, true);
		if (table == NULL || frame == 0) {
			stale_drop(&stale);
			return -ENOMEM;
		}
		entry = &table[address >> 12 & 511];
		if (shrinks(*entry, now))
			stale_add(&stale, host_of(m, *entry));
		*entry = now;
	}
	stale_drop(&stale);
	return 0;
}

/* Calls for every present entry of a range; tables that are missing are stepped over. */
static void change(struct kvm_machine *m, struct kvm_space *s, uint64_t address, size_t n,
		   uint64_t keep, uint64_t set)
{
	struct stale stale = { NULL, 0 };
	uint64_t end = address + (uint64_t)n * KVM_PAGE;

	while (address < end) {
		uint64_t next = (address | 0x1fffff) + 1;
		uint64_t *table = last_table(m, s, address, false);

		if (next > end)
			next = end;
		for (; table != NULL && address < next; address += KVM_PAGE) {
			uint64_t *entry = &table[address >> 12 & 511];
			uint64_t now = (*entry & keep) | set;

			if ((*entry & PTE_PRESENT) == 0)
				continue;
			if (set == 0 || shrinks(*entry, now))
				stale_add(&stale, host_of(m, *entry));
			*entry = now;
		}
		address = next;
	}
	stale_drop(&stale);
}

void kvm_unmap(void *machine, void *space, uint64_t address, size_t n)
{
	change(machine, space, address, n, 0, 0);
}

void kvm_protect(void *machine, void *space, uint64_t address, size_t n, unsigned protection)
{
	change(machine, space, address, n, PTE_ADDRESS, rights(protection));
}
