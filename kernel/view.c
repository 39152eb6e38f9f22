/* SPDX-License-Identifier: MIT
 *
 * Views: bytes of a file or pipe that a process looks at in place.
 *
 * A process has at most one view of an open file. It stays as it is until the process comes
 * back to that file, because whoever is in the way steps aside: a pipe whose ring is held gets
 * a new ring when it is full, and before a viewed file changes a snapshot of the tree is taken,
 * so that the change is made to a copy.
 */
#include "kernel/internal.h"

struct view *view_of(struct proc *p, struct file *f)
{
	struct view *v = p->priv->view;

	while (v != NULL && v->file != f)
		v = v->next;
	return v;
}

/* What the view held is let go; the record stays. */
static void let_go(struct kernel *k, struct view *v)
{
	if (v->pipe != NULL)
		pipe_release_view(k, v);
	if (v->ino != 0) {
		k->viewed[v->ino % VIEW_BUCKETS]--;
		k->nviewed--;
		v->ino = 0;
	}
	if (v->keep != NULL) {
		vfs_tree_put(v->keep);
		v->keep = NULL;
	}
}

struct view *view_begin(struct proc *p, struct file *f)
{
	struct view *v = view_of(p, f);

	if (v != NULL) {
		let_go(p->k, v);
		return v;
	}
	v = heap_zalloc(&p->k->heap, sizeof *v);
	if (v == NULL)
		return NULL;
	v->file = f;
	v->next = p->priv->view;
	p->priv->view = v;
	return v;
}

void view_end(struct proc *p, struct view *v)
{
	struct view **link = &p->priv->view;

	while (*link != v)
		link = &(*link)->next;
	*link = v->next;
	let_go(p->k, v);
	ring_put(p->k, v->run);
	heap_free(&p->k->heap, v, sizeof *v);
}

void view_end_file(struct proc *p, struct file *f)
{
	struct view *v = view_of(p, f);

	if (v != NULL)
		view_end(p, v);
}

void view_end_all(struct proc *p)
{
	while (p->priv->view != NULL)
		view_end(p, p->priv->view);
}

void view_pause(struct proc *p, struct file *f)
{
	struct view *v = view_of(p, f);

	if (v != NULL)
		let_go(p->k, v);
}

int64_t view_by_copy(struct proc *p, struct file *f, size_t max, const char **out)
{
	struct view *v = view_begin(p, f);
	int64_t n;

	if (v == NULL)
		return -E_NOMEM;
	if (v->run == NULL)
		v->run = ring_get(p->k);
	if (v->run == NULL)
		return -E_NOMEM;
	n = f->ops->read(p, f, v->run, max < PIPE_BYTES ? max : PIPE_BYTES);
	*out = v->run;
	return n;
}

void view_set_ino(struct kernel *k, struct view *v, vfs_ino ino)
{
	v->ino = ino;
	k->viewed[ino % VIEW_BUCKETS]++;
	k->nviewed++;
}

int view_protect(struct kernel *k, vfs_ino ino)
{
	for (struct proc *p = k->all_first; p != NULL; p = p->priv->all_next) {
		for (struct view *v = p->priv->view; v != NULL; v = v->next) {
			if (v->ino == 0 || v->keep != NULL || (ino != 0 && v->ino != ino))
				continue;
			v->keep = vfs_snapshot(k->vfs);
			if (v->keep == NULL)
				return -E_NOMEM;
		}
	}
	return 0;
}

int view_protect_all(struct kernel *k)
{
	return k->nviewed != 0 ? view_protect(k, 0) : 0;
}
