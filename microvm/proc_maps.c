/* SPDX-License-Identifier: MIT
 *
 * What /proc tells of a real program's memory: maps, smaps, its size, its arguments.
 */
#include "microvm/private.h"

enum { NAME_COLUMN = 73, NUMBER_WIDTH = 24 };

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

/* Of each area, how many of its pages are there. All leaves are looked at once, whatever the areas
 * are: nobody is charged for the search. */
static uint64_t *resident(const struct space *s, struct arena *arena)
{
	uint64_t *n = arena_zalloc(arena, (s->nareas + 1) * sizeof *n);

	for (int b = 0; b < LEAF_BUCKETS; b++) {
		for (const struct leaf *l = s->bucket[b]; l != NULL; l = l->next) {
			uint64_t base = l->number << 21;

			for (size_t i = space_area_index(s, base);
			     i < s->nareas && s->area[i].start < base + (1u << 21); i++)
				n[i] += in_leaf(l, s->area[i].start, s->area[i].end);
		}
	}
	return n;
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
	buf_puts(b, ino != 0 ? " 00:01 " : " 00:00 ");
	buf_put_u64(b, ino);
	buf_putc(b, ' ');
	while (*name != '\0' && b->len - begin < NAME_COLUMN)
		buf_putc(b, ' ');
	buf_puts(b, name);
	buf_putc(b, '\n');
}

/* A list may have a million of these. */
static void put_kilobytes(struct buf *b, const char *name, uint64_t kilobytes)
{
	size_t begin = b->len;
	size_t digits = 1;

	buf_puts(b, name);
	for (uint64_t v = kilobytes; v >= 10; v /= 10)
		digits++;
	while (b->len - begin + digits < NUMBER_WIDTH)
		buf_putc(b, ' ');
	buf_put_u64(b, kilobytes);
	buf_puts(b, " kB\n");
}

static void put_details(const struct area *a, uint64_t there, struct buf *b)
{
	bool changes = (a->prot & PROT_WRITE_) != 0 && !a->shared;

	put_kilobytes(b, "Size:", (a->end - a->start) / 1024);
	put_kilobytes(b, "KernelPageSize:", 4);
	put_kilobytes(b, "MMUPageSize:", 4);
	put_kilobytes(b, "Rss:", there);
	put_kilobytes(b, "Pss:", there);
	put_kilobytes(b, "Shared_Clean:", changes ? 0 : there);
	put_kilobytes(b, "Shared_Dirty:", 0);
	put_kilobytes(b, "Private_Clean:", 0);
	put_kilobytes(b, "Private_Dirty:", changes ? there : 0);
	put_kilobytes(b, "Referenced:", there);
	put_kilobytes(b, "Anonymous:", changes ? there : 0);
	put_kilobytes(b, "Swap:", 0);
}

static void maps(struct proc *p, bool details, struct arena *arena, struct buf *b)
{
	struct space *s = task_of(p)->space;
	const uint64_t *there = details ? resident(s, arena) : NULL;

	for (size_t i = 0; i < s->nareas; i++) {
		put_line(p, &s->area[i], arena, b);
		if (details)
			put_details(&s->area[i], there[i] * (PAGE_BYTES / 1024), b);
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

static void aux(struct proc *p, struct buf *b)
{
	struct space *s = task_of(p)->space;

	put_memory(s, s->aux_start, s->aux_end, b);
}

const struct proc_program microvm_program = {
	.maps = maps, .sizes = sizes, .strings = strings, .aux = aux, .memory = memory_of_other
};
