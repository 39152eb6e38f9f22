/* SPDX-License-Identifier: MIT
 *
 * The memory of a zygote: its areas with the paths of their files, and its own pages. Pages of
 * files are not kept: each start takes them from the tree, as it is shown to be unchanged.
 */
#include "microvm/zygote.h"

/* --- keeping --- */

/* The index of an area's file; -1 if it can't be found again by its path. */
static int keep_file(struct task *t, struct zygote *z, struct file *f)
{
	struct zygote_file *out = &z->files[z->nfiles];
	struct vfs_stat st;
	char *path;

	if (sys_file_stat(t->p, f, &st) != 0)
		return -1;
	for (size_t i = 0; i < z->nfiles; i++)
		if (z->files[i].ino == st.ino)
			return (int)i;
	path = sys_file_path(f, &t->p->arena);
	if (!zygote_record(t, path, 0) || z->records->result != 0 || z->records->st.ino != st.ino)
		return -1;
	out->path = zygote_alloc(t->m, z, strlen(path) + 1);
	if (out->path == NULL)
		return -1;
	memcpy(out->path, path, strlen(path) + 1);
	out->ino = st.ino;
	return (int)z->nfiles++;
}

static bool keep_areas(struct task *t, struct zygote *z)
{
	const struct space *s = t->space;
	uint64_t changes = s->changes;
	size_t n = s->nareas;

	z->areas = zygote_alloc(t->m, z, n * sizeof *z->areas);
	z->files = zygote_alloc(t->m, z, n * sizeof *z->files);
	z->nareas = z->areas != NULL && z->files != NULL ? n : 0;
	for (size_t i = 0; i < z->nareas; i++) {
		const struct area *a = &s->area[i];
		int file = -1;

		if (a->object != NULL)
			return false;
		if (a->file != NULL) {
			t->held[HELD_MAPPED] = file_get(a->file);
			file = keep_file(t, z, t->held[HELD_MAPPED]);
			task_let_go(t, HELD_MAPPED);
		}
		/* Asking for a file may have waited, and another thread run. */
		if (s->changes != changes || (a->file != NULL && file < 0))
			return false;
		z->areas[i] = (struct zygote_area){ .start = a->start,
						    .length = a->end - a->start,
						    .offset = a->offset,
						    .file = file,
						    .prot = a->prot,
						    .stack = a->stack,
						    .special = a->special,
						    .program = a->program,
						    .shared = a->shared };
	}
	return z->nareas == n;
}

static bool keep_pages(struct task *t, struct zygote *z)
{
	const struct space *s = t->space;
	size_t n = s->npages;

	z->addresses = zygote_alloc(t->m, z, (n + 1) * sizeof *z->addresses);
	z->contents = zygote_alloc(t->m, z, n * PAGE_BYTES + 1);
	if (z->addresses == NULL || z->contents == NULL)
		return false;
	for (int i = 0; i < LEAF_BUCKETS; i++) {
		for (const struct leaf *l = s->bucket[i]; l != NULL; l = l->next) {
			for (size_t k = 0; k < LEAF_PAGES; k++) {
				bool own = (l->page[k] & PAGE_KIND) == PAGE_OWN ||
					   (l->page[k] & PAGE_KEPT) != 0;

				if (!own || z->npages == n)
					continue;
				z->addresses[z->npages] = (l->number << 21) + k * PAGE_BYTES;
				memcpy(z->contents + z->npages++ * PAGE_BYTES,
				       page_bytes(l->page[k]), PAGE_BYTES);
			}
		}
	}
	return true;
}

bool zygote_keep_space(struct task *t, struct zygote *z)
{
	const struct space *s = t->space;

	z->brk_start = s->brk_start;
	z->brk = s->brk;
	z->vdso = s->vdso;
	return keep_areas(t, z) && keep_pages(t, z);
}

/* --- filling --- */

/* The task holds it: it may be killed while a file is opened. */
static struct file *open_file(struct task *t, const struct zygote_file *f)
{
	int64_t fd = sys_open(t->p, AT_FDCWD_, f->path, O_RDONLY_ | O_CLOEXEC_, 0);
	struct vfs_stat st;

	task_let_go(t, HELD_MAPPED);
	if (fd < 0)
		return NULL;
	t->held[HELD_MAPPED] = sys_file(t->p, (int)fd);
	sys_close(t->p, (int)fd);
	if (sys_file_stat(t->p, t->held[HELD_MAPPED], &st) != 0 || st.ino != f->ino)
		task_let_go(t, HELD_MAPPED);
	return t->held[HELD_MAPPED];
}

static int fill_area(struct task *t, const struct zygote *z, const struct zygote_area *a)
{
	struct map m = { .address = a->start,
			 .length = a->length,
			 .offset = a->offset,
			 .prot = a->prot,
			 .fixed = true,
			 .noreserve = true,
			 .stack = a->stack,
			 .special = a->special,
			 .program = a->program,
			 .shared = a->shared,
			 .read_only = a->shared };
	int64_t r;

	if (a->file >= 0) {
		m.file = open_file(t, &z->files[a->file]);
		if (m.file == NULL)
			return -E_NOENT;
		m.object = a->shared ? object_find(t->m, z->files[a->file].ino) : NULL;
		if (m.object != NULL)
			object_get(m.object);
		else if (a->shared)
			spaces_note_followed(t->m, z->files[a->file].ino);
	}
	r = space_map(t->space, &m);
	return r < 0 ? (int)r : 0;
}

static int fill_pages(struct task *t, const struct zygote *z)
{
	for (size_t i = 0; i < z->npages; i++)
		if (space_put_page(t->space, z->addresses[i], z->contents + i * PAGE_BYTES) != 0)
			return -E_NOMEM;
	return 0;
}

int zygote_fill_space(struct task *t, const struct zygote *z)
{
	struct space *s = t->space;
	int r = 0;

	for (size_t i = 0; i < z->nareas && r == 0; i++)
		r = fill_area(t, z, &z->areas[i]);
	task_let_go(t, HELD_MAPPED);
	if (r == 0)
		r = fill_pages(t, z);
	if (r != 0)
		return r;
	s->brk_start = z->brk_start;
	s->brk = z->brk;
	s->vdso = z->vdso;
	if (s->vdso != 0)
		s->vdso_data = space_page(t->p, s, s->vdso, PROT_WRITE_);
	space_look(s);
	return 0;
}
