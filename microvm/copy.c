/* SPDX-License-Identifier: MIT
 *
 * Copies between the kernel and a program's memory. Addresses come from the program: each page
 * is looked up among the areas of its space, with the right that is needed.
 */
#include "microvm/private.h"

static size_t part_of_page(uint64_t address, size_t n)
{
	size_t left = PAGE_BYTES - (size_t)(address & PAGE_MASK_);

	return n < left ? n : left;
}

int guest_read(struct proc *p, struct space *s, void *out, uint64_t address, size_t n)
{
	for (size_t done = 0; done < n;) {
		size_t part = part_of_page(address + done, n - done);
		const char *page = space_page(p, s, address + done, PROT_READ_);

		if (page == NULL)
			return -E_FAULT;
		memcpy((char *)out + done, page + ((address + done) & PAGE_MASK_), part);
		done += part;
	}
	return 0;
}

int guest_write(struct proc *p, struct space *s, uint64_t address, const void *data, size_t n)
{
	for (size_t done = 0; done < n;) {
		size_t part = part_of_page(address + done, n - done);
		char *page = space_page(p, s, address + done, PROT_WRITE_);

		if (page == NULL)
			return -E_FAULT;
		memcpy(page + ((address + done) & PAGE_MASK_), (const char *)data + done, part);
		done += part;
	}
	return 0;
}

int guest_zero(struct proc *p, struct space *s, uint64_t address, size_t n)
{
	for (size_t done = 0; done < n;) {
		size_t part = part_of_page(address + done, n - done);
		char *page = space_page(p, s, address + done, PROT_WRITE_);

		if (page == NULL)
			return -E_FAULT;
		memset(page + ((address + done) & PAGE_MASK_), 0, part);
		done += part;
	}
	return 0;
}

int guest_string(struct proc *p, struct space *s, uint64_t address, size_t max, struct arena *a,
		 char **out)
{
	struct buf b = buf_in(a);

	while (b.len < max) {
		size_t part = part_of_page(address, max - b.len);
		const char *page = space_page(p, s, address, PROT_READ_);
		const char *end;

		if (page == NULL)
			return -E_FAULT;
		page += address & PAGE_MASK_;
		end = memchr(page, '\0', part);
		buf_put(&b, page, end != NULL ? (size_t)(end - page) : part);
		if (end != NULL) {
			*out = buf_cstr(&b);
			return 0;
		}
		address += part;
	}
	return -E_NAMETOOLONG;
}
