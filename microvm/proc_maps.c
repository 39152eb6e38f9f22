/* SPDX-License-Identifier: MIT
 *
 * What /proc tells of a real program's memory: maps, smaps, its size, its arguments.
 */
#include "microvm/private.h"

enum { NAME_COLUMN = 73, LEAVES_MAX = 1 << 18 };

static void put_hex(struct buf *b, uint64_t v, int digits)
{
	while (digits < 16 && v >> (digits * 4) != 0)
		digits++;
	while (digits-- > 0)
		buf_putc(b, "0123456789abcdef"[v >> (digits * 4) & 15]);
}

/* Pages of a leaf that are there, from one address to another. */
static uint64_t in_leaf(const struct leaf *l, uint64_t start, uint64_t end)
{
	uint64_t base = l->number << 21;
	size_t from = start > base ? (size_t)(start - base) >> 12 : 0;
	size_t to = end < base + (1u << 21) ? (size_t)(end - base) >> 12 : LEAF_PAGES;
	uint64_t n = 0;

	for (size_t i = from; i < to; i++)
		n += page_is_there(l->page[i]);
	return n;
}

/* Bytes of an area that are there. Who has many areas of terabytes is told of the first ones:
 * nobody is charged for the search. */
static uint64_t resident(struct space *s, const struct area *a, uint32_t *budget)
{
	uint64_t n = 0;

	if ((a->end - a->start) >> 21 < LEAF_BUCKETS) {
		for (uint64_t at = a->start; at < a->end; at = (at | 0x1fffff) + 1)
			if (page_slot(s, at, false) != NULL)
				n += in_leaf(s->last_leaf, a->start, a->end);
		return n * PAGE_BYTES;
	}
	for (int i = 0; i < LEAF_BUCKETS; i++)
		for (const struct leaf *l = s->bucket[i]; l != NULL && *budget != 0; l = l->next) {
			--*budget;
			if (l->number << 21 < a->end && (l->number + 1) << 21 > a->start)
				n += in_leaf(l, a->start, a->end);
		}
	return n * PAGE_BYTES;
}

static const char *name_of(struct space *s, const struct area *a, struct arena *arena)
{
	if (a->file != NULL)
		return sys_file_path(a->file, arena);
	if (a->object != NULL && a->object->file != NULL)
		return sys_file_path(a->object->file, arena);
	if (a->object != NULL)
		return "/dev/zero (deleted)";
	if (a->special)
		return a->start == s->vdso ? "[vvar]" : "[vdso]";
	if (a->stack)
		return "[stack]";
	if (a->start >= s->brk_start && a->start < s->brk)
		return "[heap]";
	return "";
}

static vfs_ino ino_of(struct proc *p, const struct area *a)
{
	struct file *f = a->object != NULL ? a->object->file : a->file;
	struct vfs_stat st;

	return f != NULL && sys_file_stat(p, f, &st) == 0 ? st.ino : 0;
}

static void put_line(struct proc *p, const struct area *a, struct arena *arena, struct buf *b)
{
	struct space *s = task_of(p)->space;
	const char *name = name_of(s, a, arena);
	size_t begin = b->len;
	vfs_ino ino = ino_of(p, a);

	put_hex(b, a->start, 8);
	buf_putc(b, '-');
	put_hex(b, a->end, 8);
	buf_putc(b, ' ');
	buf_putc(b, (a->prot & PROT_READ_) != 0 ? 'r' : '-');
	buf_putc(b, (a->prot & PROT_WRITE_) != 0 ? 'w' : '-');
	buf_putc(b, (a->prot & PROT_EXEC_) != 0 ? 'x' : '-');
	buf_putc(b, a->shared ? 's' : 'p');
	buf_putc(b, ' ');
	put_hex(b, ino != 0 ? a->offset : 0, 8);
	buf_printf(b, " 00:%s %llu ", ino != 0 ? "01" : "00", (unsigned long long)ino);
	while (*name != '\0' && b->len - begin < NAME_COLUMN)
		buf_putc(b, ' ');
	buf_puts(b, name);
	buf_putc(b, '\n');
}

static void put_details(const struct area *a, uint64_t there_bytes, struct buf *b)
{
	unsigned long long size = (a->end - a->start) / 1024;
	unsigned long long there = there_bytes / 1024;
	bool changes = (a->prot & PROT_WRITE_) != 0 && !a->shared;

	buf_printf(b, "Size:           %8llu kB\nKernelPageSize:        4 kB\n", size);
	buf_printf(b, "MMUPageSize:           4 kB\nRss:            %8llu kB\n", there);
	buf_printf(b, "Pss:            %8llu kB\nShared_Clean:   %8llu kB\n", there,
		   changes ? 0 : there);
	buf_printf(b, "Shared_Dirty:          0 kB\nPrivate_Clean:         0 kB\n");
	buf_printf(b, "Private_Dirty:  %8llu kB\nReferenced:     %8llu kB\n", changes ? there : 0,
		   there);
	buf_printf(b, "Anonymous:      %8llu kB\nSwap:                  0 kB\n",
		   changes ? there : 0);
}

static void maps(struct proc *p, bool details, struct arena *arena, struct buf *b)
{
	struct space *s = task_of(p)->space;
	uint32_t budget = LEAVES_MAX;

	for (size_t i = 0; i < s->nareas; i++) {
		put_line(p, &s->area[i], arena, b);
		if (details)
			put_details(&s->area[i], resident(s, &s->area[i], &budget), b);
	}
}

static struct proc_sizes sizes(struct proc *p)
{
	const struct space *s = task_of(p)->space;
	struct proc_sizes out = { 0 };

	for (size_t i = 0; i < s->nareas; i++) {
		const struct area *a = &s->area[i];
		uint64_t bytes = a->end - a->start;

		out.size += bytes;
		if (a->stack)
			out.stack += bytes;
		else if ((a->prot & PROT_WRITE_) != 0 && !a->shared)
			out.data += bytes;
		else if ((a->prot & PROT_EXEC_) != 0)
			out.text += bytes;
	}
	for (int i = 0; i < LEAF_BUCKETS; i++)
		for (const struct leaf *l = s->bucket[i]; l != NULL; l = l->next)
			out.resident += in_leaf(l, 0, USER_END) * PAGE_BYTES;
	out.shared = out.resident - s->npages * PAGE_BYTES;
	return out;
}

static void put_memory(struct space *s, uint64_t from, uint64_t to, struct buf *b)
{
	while (from < to) {
		uint64_t end = (from | PAGE_MASK_) + 1 < to ? (from | PAGE_MASK_) + 1 : to;
		page_entry *slot = page_slot(s, from, false);

		if (slot == NULL || *slot == 0 ||
		    (!page_is_there(*slot) && page_load(s, slot) != 0))
			return;
		buf_put(b, page_bytes(*slot) + (from & PAGE_MASK_), (size_t)(end - from));
		from = end;
	}
}

/* A program may write a title there, and further than its arguments go. */
static bool strings(struct proc *p, bool environment, struct buf *b)
{
	struct space *s = task_of(p)->space;
	const char *end;

	if (s->arg_start == 0)
		return false;
	if (environment) {
		put_memory(s, s->env_start, s->env_end, b);
		return true;
	}
	put_memory(s, s->arg_start, s->arg_end, b);
	if (b->len == 0 || b->ptr[b->len - 1] == '\0')
		return true;
	put_memory(s, s->env_start, s->env_end, b);
	end = memchr(b->ptr, '\0', b->len);
	if (end != NULL)
		b->len = (size_t)(end - b->ptr);
	return true;
}

const struct proc_program microvm_program = { .maps = maps, .sizes = sizes, .strings = strings };
