/* SPDX-License-Identifier: MIT
 *
 * Program files. What elf_parse accepts must be consistent, whatever the bytes were.
 */
#include <stdlib.h>

#include "microvm/private.h"

static void must(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes head = { (const char *)data, size < ELF_HEAD_BYTES ? size : ELF_HEAD_BYTES };
	struct elf e;

	if (elf_parse(head, &e) != 0)
		return 0;
	must(microvm_takes(head) && e.nsegments > 0 && e.nsegments <= ELF_SEGMENTS_MAX);
	must((e.low & PAGE_MASK_) == 0 && (e.high & PAGE_MASK_) == 0 && e.low < e.high);
	must(e.interp_bytes <= 4096);
	for (int i = 0; i < e.nsegments; i++) {
		const struct elf_segment *s = &e.segment[i];

		must(s->address >= e.low && s->address + s->memory_bytes <= e.high);
		must(s->file_bytes <= s->memory_bytes && s->prot <= 7);
		must((s->address & PAGE_MASK_) == (s->offset & PAGE_MASK_));
		must(i == 0 || s->address >= e.segment[i - 1].address);
	}
	return 0;
}
