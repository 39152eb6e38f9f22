/* SPDX-License-Identifier: MIT
 *
 * rename, with all of Linux's checks in its order (do_renameat2, vfs_rename).
 */
#include "vfs/private.h"

/* One side of a rename: a name and what it stands for. */
struct side {
	struct walk w;
	vfs_ino ino;     /* 0: nothing has this name */
	struct inode *n; /* not owned until own_all */
	struct inode *dir;
	bool is_dir;
};

/* Whether `above` is `dir` or lies on the way from it to the root. */
static bool is_above(struct vfs *v, vfs_ino above, vfs_ino dir)
{
	struct inode *n;
	uint64_t depth = 0;

	while (dir != above && dir != VFS_ROOT && (n = inode_get(v, dir)) != NULL) {
		dir = n->parent;
		depth++;
	}
	v->looked += depth / NAMES_A_STEP;
	return dir == above;
}

static int find_side(struct side *s)
{
	int err = walk_last(&s->w, &s->ino);

	if (err != 0) {
		s->ino = 0;
		return err;
	}
	s->ino = dynamic_uncover(s->w.v, s->ino);
	s->n = inode_get(s->w.v, s->ino);
	s->is_dir = inode_is(s->n, S_DIR);
	return 0;
}

static int check_paths(struct side *from, struct side *to, unsigned flags)
{
	if (ino_is_dynamic(from->w.at) || ino_is_dynamic(to->w.at))
		return from->w.at == to->w.at ? -E_PERM : -E_XDEV;
	if (from->w.kind != WALK_NAME)
		return -E_BUSY;
	if (to->w.kind != WALK_NAME)
		return (flags & VFS_RENAME_NOREPLACE) != 0 ? -E_EXIST : -E_BUSY;
	return 0;
}

/* Finds both names, and refuses what cannot be moved there whoever asks. */
static int find_both(struct side *from, struct side *to, unsigned flags)
{
	bool exchange = (flags & VFS_RENAME_EXCHANGE) != 0;
	int err = find_side(from);

	if (err != 0)
		return err;
	err = find_side(to);
	if (err != 0 && (err != -E_NOENT || exchange || dir_is_dead(to->w.v, to->w.at)))
		return err;
	if (err == 0 && (flags & VFS_RENAME_NOREPLACE) != 0)
		return -E_EXIST;
	/* Finding may have loaded a lazy directory: this one. */
	from->n = inode_get(from->w.v, from->ino);
	if (exchange && !to->is_dir && to->w.slash)
		return -E_NOTDIR;
	if (!from->is_dir && (from->w.slash || (!exchange && to->w.slash)))
		return -E_NOTDIR;
	if (from->is_dir && is_above(from->w.v, from->ino, to->w.at))
		return -E_INVAL;
	if (to->ino != 0 && to->is_dir && is_above(from->w.v, to->ino, from->w.at))
		return exchange ? -E_INVAL : -E_NOTEMPTY;
	return 0;
}

/* A directory that changes its parent must be writable: its ".." is changed. */
static int check_moved(const struct side *s)
{
	return s->is_dir ? may(s->w.cred, s->n, MAY_WRITE) : 0;
}

static int check_rights(struct side *from, struct side *to, unsigned flags)
{
	const struct vfs_cred *c = from->w.cred;
	struct vfs *v = from->w.v;
	struct inode *from_dir = inode_get(v, from->w.at);
	struct inode *to_dir = inode_get(v, to->w.at);
	bool exchange = (flags & VFS_RENAME_EXCHANGE) != 0;
	int err = may_remove(c, from_dir, from->n, from->is_dir);

	if (err != 0)
		return err;
	if (to->ino == 0)
		err = may_add(c, to_dir);
	else
		err = may_remove(c, to_dir, to->n, exchange ? to->is_dir : from->is_dir);
	if (err == 0 && from_dir != to_dir)
		err = check_moved(from);
	if (err == 0 && from_dir != to_dir && exchange)
		err = check_moved(to);
	if (err == 0 && to->ino != 0 && to->is_dir && !exchange)
		err = dir_check_empty(v, to->ino);
	return err;
}

/* Makes everything one's own that a rename touches. */
static int own_side(struct side *s)
{
	struct vfs *v = s->w.v;

	s->dir = inode_edit(v, s->w.at);
	if (s->dir == NULL)
		return -E_NOMEM;
	if (s->ino == 0)
		return 0;
	s->n = inode_edit(v, s->ino);
	if (s->n == NULL)
		return -E_NOMEM;
	return names_own(v->store, &s->dir->names, s->w.last);
}

static void set_parent(struct side *moved, struct side *left, struct side *entered)
{
	moved->n->parent = entered->w.at;
	if (!moved->is_dir || left->dir == entered->dir)
		return;
	left->dir->nlink--;
	entered->dir->nlink++;
}

static void set_times(struct vfs *v, struct side *from, struct side *to)
{
	dir_touch(v, from->dir);
	to->dir->mtime_ns = to->dir->ctime_ns = from->n->ctime_ns = from->dir->ctime_ns;
	if (to->ino != 0)
		to->n->ctime_ns = from->dir->ctime_ns;
}

static void set_entry(struct side *at, const struct side *value)
{
	struct name_entry entry = { at->w.last, value->ino, (value->n->mode & S_FMT) >> 12 };

	names_set(at->dir->names, &entry);
}

/* Adds the new name; the old one makes room for it in the quota. */
static int add_new_name(struct side *from, struct side *to)
{
	struct vfs *v = from->w.v;
	uint64_t freed = inode_uncharge(v, from->dir, from->w.last.len + NAME_COST);
	int err = dir_add(v, to->dir, to->w.last, from->ino, from->n->mode);

	from->dir->charged += freed;
	v->usage.bytes += freed;
	return err;
}

static int move(struct side *from, struct side *to)
{
	struct vfs *v = from->w.v;
	int err = 0;

	if (to->ino == 0)
		err = add_new_name(from, to);
	else
		set_entry(to, from);
	if (err != 0)
		return err;
	dir_take(v, from->dir, from->w.last);
	set_parent(from, from, to);
	set_times(v, from, to);
	if (to->ino == 0)
		return 0;
	if (to->is_dir) {
		to->dir->nlink--;
		to->n->nlink = 1;
	}
	inode_unlinked(v, to->ino, to->n);
	return 0;
}

static int rename_sides(struct side *from, struct side *to, unsigned flags)
{
	int err = check_paths(from, to, flags);

	if (err == 0)
		err = find_both(from, to, flags);
	if (err != 0 || from->ino == to->ino)
		return err;
	err = check_rights(from, to, flags);
	if (err == 0)
		err = own_side(from);
	if (err == 0)
		err = own_side(to);
	if (err != 0)
		return err;
	if ((flags & VFS_RENAME_EXCHANGE) == 0)
		return move(from, to);
	set_entry(from, to);
	set_entry(to, from);
	set_parent(from, from, to);
	set_parent(to, to, from);
	set_times(from->w.v, from, to);
	return 0;
}

int vfs_rename(struct vfs *v, const struct vfs_cred *c, vfs_ino old_dir, const char *old_path,
	       vfs_ino new_dir, const char *new_path, unsigned flags)
{
	struct side from = { .ino = 0 };
	struct side to = { .ino = 0 };
	int err;

	if ((flags & ~(unsigned)(VFS_RENAME_NOREPLACE | VFS_RENAME_EXCHANGE)) != 0 ||
	    flags == (VFS_RENAME_NOREPLACE | VFS_RENAME_EXCHANGE))
		return -E_INVAL;
	err = walk_start(&from.w, v, c, old_dir, old_path);
	if (err == 0) {
		err = walk_start(&to.w, v, c, new_dir, new_path);
		if (err == 0)
			err = rename_sides(&from, &to, flags);
		walk_end(&to.w);
	}
	walk_end(&from.w);
	return err;
}
