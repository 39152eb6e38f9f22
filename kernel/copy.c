/* SPDX-License-Identifier: MIT
 *
 * Open files in a forked kernel, and what they stand for: pipes with what is in them, sockets,
 * terminals, counters. Each is copied when somebody who is copied has it, and only once. What a
 * kind of file has to do for that is its operation `copy`, in its own file.
 */
#include "kernel/internal.h"

static struct copied **bucket_of(const struct copying *w, const void *old)
{
	uintptr_t h = (uintptr_t)old >> 4;

	return &w->bucket[(h ^ h >> 8) & (w->nbuckets - 1)];
}

static struct copied *find(const struct copying *w, const void *old)
{
	struct copied *c = w->nbuckets != 0 ? *bucket_of(w, old) : NULL;

	while (c != NULL && c->old != old)
		c = c->next;
	return c;
}

void *copy_find(const struct copying *w, const void *old)
{
	const struct copied *c = find(w, old);

	return c != NULL ? c->new : NULL;
}

static int more_buckets(struct copying *w)
{
	struct copied **few = w->bucket;
	size_t nfew = w->nbuckets;
	size_t n = nfew != 0 ? 2 * nfew : COPY_BUCKETS_FIRST;
	struct copied **more = heap_zalloc(&w->to->heap, n * sizeof(struct copied *));

	if (more == NULL)
		return -E_NOMEM;
	w->bucket = more;
	w->nbuckets = n;
	for (size_t i = 0; i < nfew; i++) {
		for (struct copied *c = few[i], *next; c != NULL; c = next) {
			struct copied **bucket = bucket_of(w, c->old);

			next = c->next;
			c->next = *bucket;
			*bucket = c;
		}
	}
	heap_free(&w->to->heap, few, nfew * sizeof(struct copied *));
	return 0;
}

int copy_note(struct copying *w, const void *old, void *new)
{
	struct copied **bucket;
	struct copied *c;

	if (w->ncopied == w->nbuckets && more_buckets(w) != 0)
		return -E_NOMEM;
	bucket = bucket_of(w, old);
	c = heap_alloc(&w->to->heap, sizeof *c);
	if (c == NULL)
		return -E_NOMEM;
	*c = (struct copied){ .next = *bucket, .old = old, .new = new };
	*bucket = c;
	w->ncopied++;
	return 0;
}

int copy_plain(struct copying *w, const struct file *like, struct file *f)
{
	(void)w;
	f->u = like->u;
	return 0;
}

static int copy_place(struct file *f, const struct file *like)
{
	size_t n = like->path != NULL ? strlen(like->path) + 1 : 0;
	int r = like->ino != 0 ? vfs_hold(f->k->vfs, like->ino) : 0;

	if (r != 0)
		return r;
	f->ino = like->ino;
	f->dir = like->dir;
	f->path = n != 0 ? heap_alloc(&f->k->heap, n) : NULL;
	if (f->path != NULL)
		memcpy(f->path, like->path, n);
	return 0;
}

/* Fills a file that was just made. On failure what it stands for is there or not, so that it
 * can be closed. */
static int copy_content(struct copying *w, const struct file *like, struct file *f)
{
	int r = copy_place(f, like);

	if (r == 0)
		r = copy_note(w, like, f);
	if (r == 0) {
		w->depth++;
		r = like->ops->copy(w, like, f);
		w->depth--;
	}
	if (r == 0 || f->u.object != NULL)
		f->ops = like->ops;
	if (r == 0 && like->ops == &file_epoll)
		find(w, like)->is_epoll = true;
	return r;
}

struct file *copy_file(struct copying *w, const struct file *like, int *err)
{
	struct file *f = copy_find(w, like);

	*err = 0;
	if (f != NULL)
		return file_get(f);
	if (like->ops->copy == NULL || w->depth == COPY_DEPTH)
		return NULL;
	f = file_new(w->to, &file_path, like->flags);
	if (f == NULL) {
		*err = -E_NOMEM;
		return NULL;
	}
	f->flags = like->flags;
	f->pos = like->pos;
	*err = copy_content(w, like, f);
	if (*err == 0)
		return f;
	file_put(f);
	/* A file of a tree that is gone since the session's files were restored. */
	if (*err == -E_NOENT)
		*err = 0;
	return NULL;
}
