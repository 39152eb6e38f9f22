/* SPDX-License-Identifier: MIT
 *
 * open(2) without the descriptor, in the order of Linux's path_openat and do_open.
 */
#include "vfs/private.h"

struct opening {
	struct walk w;
	unsigned flags;
	uint32_t mode;
	vfs_ino ino;
	bool slashed; /* a '/' came behind a last name: symlinks are followed from then on */
	bool created;
};

static unsigned wanted_access(unsigned flags)
{
	static const unsigned char by_mode[] = { MAY_READ, MAY_WRITE, MAY_READ | MAY_WRITE,
						 MAY_READ | MAY_WRITE };

	return by_mode[flags & O_ACCMODE_] | ((flags & O_TRUNC_) != 0 ? MAY_WRITE : 0);
}

static int create_file(struct opening *o)
{
	struct inode *n;
	int err = dir_create(&o->w, S_REG | (o->mode & 07777), &o->ino, &n);

	o->created = err == 0;
	return err;
}

/* Follows the symlink found last, if open does. 1: the walk goes on; 0: done. */
static int follow_last(struct opening *o)
{
	bool stays = (o->flags & O_NOFOLLOW_) != 0 ||
		     (o->flags & (O_CREAT_ | O_EXCL_)) == (O_CREAT_ | O_EXCL_);
	struct vfs_stat st;
	vfs_ino jump;
	int err;

	if (stays && !o->slashed)
		return 0;
	err = vfs_getattr(o->w.v, o->ino, &st);
	if (err != 0 || (st.mode & S_FMT) != S_LNK)
		return err;
	err = walk_follow(&o->w, o->ino, &jump);
	if (err == 0 && jump != 0)
		o->ino = jump;
	return err != 0 ? err : jump == 0;
}

/* Whether the inode found last is one that open would follow. */
static bool plain_type(const struct opening *o)
{
	const struct inode *n = ino_is_dynamic(o->ino) ? NULL : inode_get(o->w.v, o->ino);

	return n != NULL && !inode_is(n, S_LNK);
}

/* Finds or creates what the path names. */
static int find_or_create(struct opening *o)
{
	for (;;) {
		int err;

		if ((o->flags & O_CREAT_) != 0 && o->w.kind == WALK_NAME && o->w.slash)
			return -E_ISDIR;
		err = walk_last(&o->w, &o->ino);
		o->slashed = o->slashed || o->w.slash;
		if (err == -E_NOENT && (o->flags & O_CREAT_) != 0 && o->w.kind == WALK_NAME)
			return create_file(o);
		if (err != 0 || plain_type(o))
			return err;
		err = follow_last(o);
		if (err <= 0)
			return err;
	}
}

/* O_CREAT does not open others' special files in a sticky directory that all may write. */
static int check_sticky(const struct opening *o, uint32_t type)
{
	const struct inode *dir = ino_is_dynamic(o->w.at) ? NULL : inode_get(o->w.v, o->w.at);
	const struct inode *n = ino_is_dynamic(o->ino) ? NULL : inode_get(o->w.v, o->ino);

	if (dir == NULL || n == NULL || type == S_REG || type == S_FIFO)
		return 0;
	if ((dir->mode & (S_SVTX | 02)) != (S_SVTX | 02))
		return 0;
	return n->uid == dir->uid || n->uid == o->w.cred->uid ? 0 : -E_ACCES;
}

/* What do_open and may_open refuse by type. */
static int check_type(const struct opening *o, uint32_t mode, unsigned access)
{
	uint32_t type = mode & S_FMT;

	if ((o->flags & O_CREAT_) != 0) {
		int err = check_sticky(o, type);

		if ((o->flags & O_EXCL_) != 0)
			return -E_EXIST;
		if (type == S_DIR)
			return -E_ISDIR;
		if (err != 0)
			return err;
	}
	if ((o->slashed || (o->flags & O_DIRECTORY_) != 0) && type != S_DIR)
		return -E_NOTDIR;
	if (type == S_LNK)
		return -E_LOOP;
	return type == S_DIR && (access & MAY_WRITE) != 0 ? -E_ISDIR : 0;
}

static int check_open(struct opening *o)
{
	unsigned access = wanted_access(o->flags);
	struct vfs *v = o->w.v;
	struct vfs_stat st;
	struct inode *n;
	int err;

	if (ino_is_dynamic(o->ino)) {
		err = dynamic_stat(v, o->ino, &st);
		if (err == 0)
			err = check_type(o, st.mode, access);
		return err != 0 ? err : may_stat(o->w.cred, st.mode, st.uid, st.gid, access);
	}
	n = inode_get(v, o->ino);
	if (n == NULL)
		return -E_NOENT;
	err = check_type(o, n->mode, access);
	if (err == 0 && (access & MAY_WRITE) != 0 && inode_is(n, S_REG) && inode_read_only(n))
		err = -E_ROFS;
	return err != 0 ? err : may(o->w.cred, n, access);
}

/* The file is there and may be opened: empties it if asked to. */
static int truncate_opened(struct opening *o)
{
	struct vfs *v = o->w.v;
	struct inode *n = ino_is_dynamic(o->ino) ? NULL : inode_get(v, o->ino);
	int err;

	if ((o->flags & O_TRUNC_) == 0 || n == NULL || !inode_is(n, S_REG))
		return 0;
	err = vfs_truncate(v, o->ino, 0);
	return err != 0 ? err : vfs_drop_setid(v, o->w.cred, o->ino);
}

static int open_path(struct opening *o)
{
	int err = find_or_create(o);

	if (err != 0 || o->created)
		return err;
	err = check_open(o);
	return err != 0 ? err : truncate_opened(o);
}

/* O_PATH: only finds the place. */
static int open_place(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
		      unsigned flags, vfs_ino *out)
{
	struct vfs_stat st;
	int err = vfs_lookup(v, c, dir, path, (flags & O_NOFOLLOW_) != 0 ? VFS_NOFOLLOW : 0, out);

	if (err != 0 || (flags & O_DIRECTORY_) == 0)
		return err;
	err = vfs_getattr(v, *out, &st);
	return err != 0 || (st.mode & S_FMT) == S_DIR ? err : -E_NOTDIR;
}

int vfs_open(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
	     unsigned oflags, uint32_t mode, vfs_ino *out, bool *created)
{
	struct opening o;
	int err;

	*created = false;
	if (hold_reserve(v) != 0)
		return -E_NOMEM;
	if ((oflags & O_PATH_) != 0) {
		err = open_place(v, c, dir, path, oflags, out);
		return err != 0 ? err : vfs_hold(v, *out);
	}
	if ((oflags & O_CREAT_) != 0 && (oflags & O_DIRECTORY_) != 0)
		return -E_INVAL;
	o.flags = oflags;
	o.mode = mode;
	o.slashed = false;
	o.created = false;
	err = walk_start(&o.w, v, c, dir, path);
	if (err == 0)
		err = open_path(&o);
	walk_end(&o.w);
	if (err != 0)
		return err;
	*out = o.ino;
	*created = o.created;
	return vfs_hold(v, o.ino);
}
