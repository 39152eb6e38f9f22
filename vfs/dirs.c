/* SPDX-License-Identifier: MIT
 *
 * Making and removing names: mkdir, mknod, symlink, link, unlink, rmdir.
 *
 * Each operation checks in Linux's order, then makes everything it will touch its own, and
 * only then changes: a failure leaves the tree as it was.
 */
#include "vfs/private.h"

int may_add(const struct vfs_cred *c, const struct inode *dir)
{
	if (inode_read_only(dir))
		return -E_ROFS;
	if (dir->nlink == 0)
		return -E_NOENT;
	return may(c, dir, MAY_WRITE | MAY_EXEC);
}

int may_remove(const struct vfs_cred *c, const struct inode *dir, const struct inode *victim,
	       bool as_dir)
{
	int err;

	if (inode_read_only(dir))
		return -E_ROFS;
	err = may(c, dir, MAY_WRITE | MAY_EXEC);
	if (err != 0)
		return err;
	if ((dir->mode & S_SVTX) != 0 && c->uid != 0 && c->uid != victim->uid && c->uid != dir->uid)
		return -E_PERM;
	if (as_dir != inode_is(victim, S_DIR))
		return as_dir ? -E_NOTDIR : -E_ISDIR;
	return (victim->flags & INODE_MOUNT) != 0 ? -E_BUSY : 0;
}

void dir_touch(struct vfs *v, struct inode *dir)
{
	dir->mtime_ns = dir->ctime_ns = vfs_now(v);
}

int dir_add(struct vfs *v, struct inode *dir, struct bytes name, vfs_ino ino, uint32_t mode)
{
	struct name_entry entry = { name, ino, (mode & S_FMT) >> 12 };
	int err = inode_charge(v, dir, name.len + NAME_COST, false);

	if (err != 0)
		return err;
	err = names_insert(v->store, &dir->names, &entry);
	if (err != 0) {
		inode_uncharge(v, dir, name.len + NAME_COST);
		return err;
	}
	dir->size++;
	return 0;
}

void dir_take(struct vfs *v, struct inode *dir, struct bytes name)
{
	names_remove(v->store, &dir->names, name);
	inode_uncharge(v, dir, name.len + NAME_COST);
	dir->size--;
}

/* The mode and group of a new object, as the directory's setgid bit rules. */
static void inherit(const struct vfs_cred *c, const struct inode *dir, struct inode *n)
{
	n->uid = c->uid;
	n->gid = c->gid;
	if ((dir->mode & S_SGID) == 0)
		return;
	n->gid = dir->gid;
	if (inode_is(n, S_DIR))
		n->mode |= S_SGID;
	else if ((n->mode & (S_SGID | 010)) == (S_SGID | 010) && c->uid != 0 &&
		 !cred_in_group(c, dir->gid))
		n->mode &= ~(uint32_t)S_SGID;
}

int dir_create(struct walk *w, uint32_t mode, vfs_ino *ino, struct inode **out)
{
	struct vfs *v = w->v;
	struct inode *dir;
	int err;

	if (ino_is_dynamic(w->at))
		return -E_NOENT;
	err = may_add(w->cred, inode_get(v, w->at));
	if (err != 0)
		return err;
	dir = inode_edit(v, w->at);
	if (dir == NULL)
		return -E_NOMEM;
	err = inode_new(v, mode, ino, out);
	if (err != 0)
		return err;
	err = dir_add(v, dir, w->last, *ino, mode);
	if (err != 0) {
		inode_remove(v, *ino);
		return err;
	}
	inherit(w->cred, dir, *out);
	(*out)->parent = w->at;
	dir->mtime_ns = dir->ctime_ns = (*out)->btime_ns;
	if (inode_is(*out, S_DIR)) {
		(*out)->nlink = 2;
		dir->nlink++;
	}
	return 0;
}

/* 0 if the last name of a walk can be made: there is nothing yet. */
static int check_free(struct walk *w, bool directory)
{
	vfs_ino there;
	int err;

	if (w->kind != WALK_NAME)
		return -E_EXIST;
	err = walk_last(w, &there);
	if (err != -E_NOENT)
		return err == 0 ? -E_EXIST : err;
	if (dir_is_dead(w->v, w->at) || (w->slash && !directory))
		return -E_NOENT;
	return 0;
}

static int make_node(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
		     uint32_t mode, uint64_t rdev)
{
	struct walk w;
	struct inode *n;
	vfs_ino ino;
	int err = walk_start(&w, v, c, dir, path);

	if (err == 0)
		err = check_free(&w, (mode & S_FMT) == S_DIR);
	if (err == 0)
		err = dir_create(&w, mode, &ino, &n);
	if (err == 0 && ((mode & S_FMT) == S_CHR || (mode & S_FMT) == S_BLK))
		n->rdev = rdev;
	walk_end(&w);
	return err;
}

int vfs_mkdir(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path, uint32_t mode)
{
	return make_node(v, c, dir, path, S_DIR | (mode & (0777 | S_SVTX)), 0);
}

/* Devices are root's to make, but for the "whiteout" 0:0. */
static int check_device(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
			uint32_t mode, uint64_t rdev)
{
	uint32_t type = mode & S_FMT;
	struct walk w;
	int err;

	if ((type != S_CHR && type != S_BLK) || c->uid == 0 || (type == S_CHR && rdev == 0))
		return 0;
	err = walk_start(&w, v, c, dir, path);
	if (err == 0)
		err = check_free(&w, false);
	if (err == 0 && !ino_is_dynamic(w.at))
		err = may_add(c, inode_get(v, w.at));
	walk_end(&w);
	return err != 0 ? err : -E_PERM;
}

int vfs_mknod(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path, uint32_t mode,
	      uint64_t rdev)
{
	int err;

	if ((mode & S_FMT) == 0)
		mode |= S_REG;
	switch (mode & S_FMT) {
	case S_REG:
	case S_CHR:
	case S_BLK:
	case S_FIFO:
	case S_SOCK: break;
	case S_DIR: return -E_PERM;
	default: return -E_INVAL;
	}
	err = check_device(v, c, dir, path, mode, rdev);
	return err != 0 ? err : make_node(v, c, dir, path, mode & (S_FMT | 07777), rdev);
}

static int fill_small(struct vfs *v, struct inode *n, struct bytes content)
{
	size_t cap = store_rounded(content.len + sizeof(struct blob)) - sizeof(struct blob);
	int err = inode_charge(v, n, content.len, false);

	if (err != 0)
		return err;
	n->blob = blob_new(v->store, cap);
	if (n->blob == NULL)
		return -E_NOMEM;
	memcpy(n->blob->bytes, content.ptr, content.len);
	n->flags |= INODE_INLINE;
	n->inlined = (uint32_t)content.len;
	n->size = content.len;
	return 0;
}

int vfs_put_small(struct vfs *v, vfs_ino dir, struct bytes name, struct bytes content,
		  uint32_t mode)
{
	struct inode *parent = inode_edit(v, dir);
	struct name_entry same;
	struct inode *n;
	vfs_ino ino;
	int err;

	if (parent == NULL)
		return -E_NOMEM;
	if (content.len == 0 || content.len > VFS_SMALL_MAX)
		return -E_INVAL;
	if (names_get(parent->names, name, &same))
		return -E_EXIST;
	err = inode_new(v, S_REG | (mode & 07777), &ino, &n);
	if (err != 0)
		return err;
	err = fill_small(v, n, content);
	if (err == 0)
		err = dir_add(v, parent, name, ino, n->mode);
	if (err != 0) {
		inode_remove(v, ino);
		return err;
	}
	n->parent = dir;
	dir_touch(v, parent);
	return 0;
}

int vfs_symlink(struct vfs *v, const struct vfs_cred *c, const char *target, vfs_ino dir,
		const char *path)
{
	size_t len = strlen(target);
	struct blob *blob;
	struct inode *n;
	struct walk w;
	vfs_ino ino;
	int err;

	if (len == 0)
		return -E_NOENT;
	if (len >= VFS_PATH_MAX)
		return -E_NAMETOOLONG;
	blob = blob_new(v->store, len + 1);
	if (blob == NULL)
		return -E_NOMEM;
	memcpy(blob->bytes, target, len + 1);
	err = walk_start(&w, v, c, dir, path);
	if (err == 0)
		err = check_free(&w, false);
	if (err == 0)
		err = dir_create(&w, S_LNK | 0777, &ino, &n);
	walk_end(&w);
	if (err != 0) {
		blob_put(v->store, blob);
		return err;
	}
	n->blob = blob;
	n->flags |= INODE_INLINE;
	n->size = len;
	return 0;
}

/* fs.protected_hardlinks: others' files may be linked only if they could be written. */
static int may_link(const struct vfs_cred *c, const struct inode *n)
{
	if (cred_owns(c, n))
		return 0;
	if (!inode_is(n, S_REG) || (n->mode & S_SUID) != 0 ||
	    (n->mode & (S_SGID | 010)) == (S_SGID | 010))
		return -E_PERM;
	return may(c, n, MAY_READ | MAY_WRITE) == 0 ? 0 : -E_PERM;
}

static int add_link(struct walk *w, vfs_ino ino)
{
	struct vfs *v = w->v;
	struct inode *n;
	struct inode *dir;
	int err;

	if (ino_is_dynamic(ino) || ino_is_dynamic(w->at))
		return -E_XDEV;
	n = inode_get(v, ino);
	err = may_link(w->cred, n);
	if (err == 0)
		err = may_add(w->cred, inode_get(v, w->at));
	if (err != 0)
		return err;
	if (inode_is(n, S_DIR))
		return -E_PERM;
	if (n->nlink == 0)
		return -E_NOENT;
	if (n->nlink >= INT32_MAX)
		return -E_MLINK;
	dir = inode_edit(v, w->at);
	n = inode_edit(v, ino);
	if (dir == NULL || n == NULL)
		return -E_NOMEM;
	err = dir_add(v, dir, w->last, ino, n->mode);
	if (err != 0)
		return err;
	n->nlink++;
	n->flags |= INODE_LINKED;
	dir_touch(v, dir);
	n->ctime_ns = dir->ctime_ns;
	return 0;
}

int vfs_link(struct vfs *v, const struct vfs_cred *c, vfs_ino old_dir, const char *old_path,
	     unsigned flags, vfs_ino new_dir, const char *new_path)
{
	struct walk w;
	vfs_ino ino;
	int err = vfs_lookup(v, c, old_dir, old_path, flags, &ino);

	if (err != 0)
		return err;
	err = walk_start(&w, v, c, new_dir, new_path);
	if (err == 0)
		err = check_free(&w, false);
	if (err == 0)
		err = add_link(&w, ino);
	walk_end(&w);
	return err;
}

/* Takes the last name of a walk away from the inode it stands for. */
static int remove_name(struct walk *w, vfs_ino ino)
{
	struct vfs *v = w->v;
	struct inode *dir = inode_edit(v, w->at);
	struct inode *n = inode_edit(v, ino);

	if (dir == NULL || n == NULL || names_own(v->store, &dir->names, w->last) != 0)
		return -E_NOMEM;
	dir_take(v, dir, w->last);
	dir_touch(v, dir);
	n->ctime_ns = dir->ctime_ns;
	if (inode_is(n, S_DIR)) {
		dir->nlink--;
		n->nlink = 1;
	}
	inode_unlinked(v, ino, n);
	return 0;
}

static int unlink_last(struct walk *w)
{
	struct inode *n;
	vfs_ino ino;
	int err;

	if (w->kind != WALK_NAME)
		return -E_ISDIR;
	err = walk_last(w, &ino);
	if (err != 0)
		return err;
	if (ino_is_dynamic(w->at))
		return -E_PERM;
	n = inode_get(w->v, dynamic_uncover(w->v, ino));
	if (w->slash)
		return inode_is(n, S_DIR) ? -E_ISDIR : -E_NOTDIR;
	err = may_remove(w->cred, inode_get(w->v, w->at), n, false);
	return err != 0 ? err : remove_name(w, ino);
}

int vfs_unlink(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path)
{
	struct walk w;
	int err = walk_start(&w, v, c, dir, path);

	if (err == 0)
		err = unlink_last(&w);
	walk_end(&w);
	return err;
}

/* 0 if a directory of the tree has no entries. */
int dir_check_empty(struct vfs *v, vfs_ino ino)
{
	if ((inode_get(v, ino)->flags & INODE_UNLOADED) != 0) {
		int err = lazy_load_dir(v, ino);

		if (err != 0)
			return err;
	}
	return inode_get(v, ino)->size == 0 ? 0 : -E_NOTEMPTY;
}

static int rmdir_last(struct walk *w)
{
	vfs_ino ino;
	int err;

	switch (w->kind) {
	case WALK_ROOT: return -E_BUSY;
	case WALK_DOT: return -E_INVAL;
	case WALK_DOTDOT: return -E_NOTEMPTY;
	default: break;
	}
	err = walk_last(w, &ino);
	if (err != 0)
		return err;
	if (ino_is_dynamic(w->at))
		return -E_PERM;
	ino = dynamic_uncover(w->v, ino);
	err = may_remove(w->cred, inode_get(w->v, w->at), inode_get(w->v, ino), true);
	if (err == 0)
		err = dir_check_empty(w->v, ino);
	return err != 0 ? err : remove_name(w, ino);
}

int vfs_rmdir(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path)
{
	struct walk w;
	int err = walk_start(&w, v, c, dir, path);

	if (err == 0)
		err = rmdir_last(&w);
	walk_end(&w);
	return err;
}
