/* SPDX-License-Identifier: MIT
 *
 * What changed between two points of a session, as a list. export.c makes patches and archives
 * of the same.
 */
#include "api/private.h"

int points_open(struct cowsh *s, const cowsh_snapshot *since, const cowsh_snapshot *until,
		struct points *out)
{
	struct store *store = &s->store->store;
	struct vfs_tree *old = (struct vfs_tree *)(uintptr_t)since;
	struct vfs_tree *now = NULL;
	struct vfs_tree *new = (struct vfs_tree *)(uintptr_t)until;
	int err;

	*out = (struct points){ NULL, NULL };
	if (new == NULL)
		new = now = vfs_snapshot(kernel_vfs(s->kernel));
	if (new == NULL)
		return -E_NOMEM;
	err = vfs_new(store, old, NULL, NULL, &out->old);
	if (err == 0)
		err = vfs_new(store, new, NULL, NULL, &out->new);
	if (now != NULL)
		vfs_tree_put(now);
	if (err != 0)
		points_close(out);
	return err;
}

void points_close(struct points *p)
{
	vfs_free(p->old);
	vfs_free(p->new);
}

struct listing {
	struct points points;
	int (*each)(void *user, const struct cowsh_change *change);
	void *user;
};

static int tell(void *user, const struct vfs_change *change)
{
	struct listing *l = user;
	struct cowsh_change c = { .kind = change->kind, .path = change->path };
	struct vfs_stat st;
	int err = 0;

	if (change->old_ino != 0) {
		err = vfs_getattr(l->points.old, change->old_ino, &st);
		c.old_mode = st.mode;
		c.old_size = st.size;
		c.old_uid = st.uid;
		c.old_gid = st.gid;
		c.old_mtime_ns = st.mtime_ns;
	}
	if (err == 0 && change->new_ino != 0) {
		err = vfs_getattr(l->points.new, change->new_ino, &st);
		c.mode = st.mode;
		c.size = st.size;
		c.mtime_ns = st.mtime_ns;
		c.uid = st.uid;
		c.gid = st.gid;
	}
	return err < 0 ? err : l->each(l->user, &c);
}

int cowsh_diff_between(cowsh *s, const cowsh_snapshot *since, const cowsh_snapshot *until,
		       int (*each)(void *, const struct cowsh_change *), void *user)
{
	struct listing l = { .each = each, .user = user };
	int err;

	if (s == NULL || since == NULL || each == NULL)
		return -E_INVAL;
	err = points_open(s, since, until, &l.points);
	if (err < 0)
		return err;
	err = vfs_diff(l.points.old, l.points.new, tell, &l);
	points_close(&l.points);
	return err < 0 ? err : 0;
}

int cowsh_diff(cowsh *s, const cowsh_snapshot *since,
	       int (*each)(void *, const struct cowsh_change *), void *user)
{
	return cowsh_diff_between(s, since, NULL, each, user);
}
