/* SPDX-License-Identifier: MIT
 *
 * ELF files: what the first bytes say about segments, entry and interpreter. Everything here is
 * written by an attacker; what comes out is consistent, whatever went in.
 */
#include "microvm/private.h"

enum {
	ET_EXEC = 2,
	ET_DYN = 3,
	EM_X86_64 = 62,
	PT_LOAD = 1,
	PT_INTERP = 3,
	PT_PHDR = 6,
	PT_GNU_STACK = 0x6474e551,
	HEADER_BYTES = 64,
	ENTRY_BYTES = 56,
};

static uint64_t number(struct bytes b, size_t at, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, b.ptr + at, n);
	return v;
}

bool microvm_takes(struct bytes head)
{
	return head.len >= 20 && memcmp(head.ptr, "\177ELF\2\1\1", 7) == 0 &&
	       number(head, 18, 2) == EM_X86_64;
}

static int add_segment(struct elf *e, struct bytes head, size_t at)
{
	struct elf_segment *s = &e->segment[e->nsegments];
	unsigned flags = (unsigned)number(head, at + 4, 4);
	uint64_t end;

	s->offset = number(head, at + 8, 8);
	s->address = number(head, at + 16, 8);
	s->file_bytes = number(head, at + 32, 8);
	s->memory_bytes = number(head, at + 40, 8);
	s->prot = ((flags & 4) != 0 ? PROT_READ_ : 0u) | ((flags & 2) != 0 ? PROT_WRITE_ : 0u) |
		  ((flags & 1) != 0 ? PROT_EXEC_ : 0u);
	if (s->memory_bytes == 0)
		return 0;
	if (s->file_bytes > s->memory_bytes || s->address > USER_END ||
	    s->memory_bytes > USER_END - s->address || s->offset > INT64_MAX ||
	    s->file_bytes > INT64_MAX - s->offset ||
	    (s->address & PAGE_MASK_) != (s->offset & PAGE_MASK_))
		return -E_NOEXEC;
	end = s->address + s->memory_bytes;
	if (e->nsegments != 0 && s->address < e->segment[e->nsegments - 1].address)
		return -E_NOEXEC;
	if (e->nsegments == 0)
		e->low = s->address & ~PAGE_MASK_;
	if (end > e->high)
		e->high = (end + PAGE_MASK_) & ~PAGE_MASK_;
	e->nsegments++;
	return 0;
}

/* Where the program headers are in memory: in the segment that holds their part of the file. */
static void find_headers(struct elf *e, uint64_t offset)
{
	for (int i = 0; i < e->nsegments; i++) {
		const struct elf_segment *s = &e->segment[i];

		if (offset >= s->offset && offset - s->offset < s->file_bytes) {
			e->headers = s->address + (offset - s->offset);
			return;
		}
	}
}

int elf_parse(struct bytes head, struct elf *e)
{
	uint64_t offset;
	uint64_t type;

	memset(e, 0, sizeof *e);
	if (head.len < HEADER_BYTES || !microvm_takes(head))
		return -E_NOEXEC;
	type = number(head, 16, 2);
	offset = number(head, 32, 8);
	e->moves = type == ET_DYN;
	e->entry = number(head, 24, 8);
	e->header_bytes = (uint16_t)number(head, 54, 2);
	e->nheaders = (uint16_t)number(head, 56, 2);
	if ((type != ET_EXEC && type != ET_DYN) || e->header_bytes != ENTRY_BYTES ||
	    e->nheaders == 0 || e->nheaders > ELF_SEGMENTS_MAX || offset > head.len ||
	    (uint64_t)e->nheaders * ENTRY_BYTES > head.len - offset)
		return -E_NOEXEC;
	for (unsigned i = 0; i < e->nheaders; i++) {
		size_t at = (size_t)offset + (size_t)i * ENTRY_BYTES;
		uint64_t kind = number(head, at, 4);

		if (kind == PT_LOAD && add_segment(e, head, at) != 0)
			return -E_NOEXEC;
		if (kind == PT_INTERP) {
			e->interp_offset = number(head, at + 8, 8);
			e->interp_bytes = number(head, at + 32, 8);
		}
		if (kind == PT_GNU_STACK)
			e->exec_stack = (number(head, at + 4, 4) & 1) != 0;
	}
	if (e->nsegments == 0 || (!e->moves && e->low < USER_FIRST))
		return -E_NOEXEC;
	if (e->interp_bytes > 4096 || (e->interp_bytes != 0 && e->interp_offset > INT64_MAX))
		return -E_NOEXEC;
	find_headers(e, offset);
	return 0;
}
