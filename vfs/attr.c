/* SPDX-License-Identifier: MIT
 *
 * chmod, chown, utimes, readlink: metadata by inode, with Linux's rules (setattr_prepare).
 */
#include "vfs/private.h"

/* An inode of the tree whose metadata may be changed at all. */
static int get_changeable(struct vfs *v, vfs_ino ino, struct inode **out)
{
	if (ino_is_dynamic(ino))
		return -E_PERM;
	*out = inode_get(v, ino);
	if (*out == NULL)
		return -E_NOENT;
	return inode_read_only(*out) ? -E_ROFS : 0;
}

static int set_mode(struct vfs *v, vfs_ino ino, uint32_t mode)
{
	struct inode *n = inode_edit(v, ino);

	if (n == NULL)
		return -E_NOMEM;
	n->mode = mode;
	n->ctime_ns = vfs_now(v);
	return 0;
}

int vfs_chmod(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, uint32_t mode)
{
	struct inode *n;
	int err = get_changeable(v, ino, &n);

	if (err != 0)
		return err;
	if (inode_is(n, S_LNK))
		return -E_OPNOTSUPP;
	if (!cred_owns(c, n))
		return -E_PERM;
	mode = (n->mode & S_FMT) | (mode & 07777);
	if (c->uid != 0 && !cred_in_group(c, n->gid))
		mode &= ~(uint32_t)S_SGID;
	return set_mode(v, ino, mode);
}

int vfs_drop_setid(struct vfs *v, const struct vfs_cred *c, vfs_ino ino)
{
	struct inode *n = ino_is_dynamic(ino) ? NULL : inode_get(v, ino);
	uint32_t mode;

	if (n == NULL || c->uid == 0 || !inode_is(n, S_REG))
		return 0;
	mode = mode_without_setid(c, n);
	return mode == n->mode ? 0 : set_mode(v, ino, mode);
}

static int check_owner_change(const struct vfs_cred *c, const struct inode *n, uint32_t uid,
			      uint32_t gid)
{
	if (c->uid == 0)
		return 0;
	if (uid != VFS_KEEP_ID && (c->uid != n->uid || uid != n->uid))
		return -E_PERM;
	if (gid != VFS_KEEP_ID && (c->uid != n->uid || (gid != n->gid && !cred_in_group(c, gid))))
		return -E_PERM;
	return 0;
}

int vfs_chown(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, uint32_t uid, uint32_t gid)
{
	struct inode *n;
	uint32_t mode;
	int err = get_changeable(v, ino, &n);

	if (err == 0)
		err = check_owner_change(c, n, uid, gid);
	if (err != 0)
		return err;
	mode = inode_is(n, S_DIR) ? n->mode : mode_without_setid(c, n);
	if (mode != n->mode && !cred_owns(c, n))
		return -E_PERM;
	n = inode_edit(v, ino);
	if (n == NULL)
		return -E_NOMEM;
	n->mode = mode;
	if (uid != VFS_KEEP_ID)
		n->uid = uid;
	if (gid != VFS_KEEP_ID)
		n->gid = gid;
	n->ctime_ns = vfs_now(v);
	return 0;
}

static void set_time(int64_t *field, int64_t value, int64_t now)
{
	if (value != VFS_UTIME_OMIT)
		*field = value == VFS_UTIME_NOW ? now : value;
}

int vfs_utimes(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, int64_t atime_ns,
	       int64_t mtime_ns)
{
	bool both_now = atime_ns == VFS_UTIME_NOW && mtime_ns == VFS_UTIME_NOW;
	struct inode *n;
	int err;

	if (atime_ns == VFS_UTIME_OMIT && mtime_ns == VFS_UTIME_OMIT)
		return 0;
	err = get_changeable(v, ino, &n);
	if (err != 0)
		return err;
	if (!cred_owns(c, n) && (!both_now || may(c, n, MAY_WRITE) != 0))
		return both_now ? -E_ACCES : -E_PERM;
	n = inode_edit(v, ino);
	if (n == NULL)
		return -E_NOMEM;
	n->ctime_ns = vfs_now(v);
	set_time(&n->atime_ns, atime_ns, n->ctime_ns);
	set_time(&n->mtime_ns, mtime_ns, n->ctime_ns);
	return 0;
}

int64_t vfs_readlink(struct vfs *v, vfs_ino ino, char *out, size_t n)
{
	struct inode *node;
	struct blob *blob;
	size_t len;
	vfs_ino jump;

	if (ino_is_dynamic(ino)) {
		int err = dynamic_readlink(v, ino, &blob, &len, &jump);

		if (err != 0)
			return err;
	} else {
		node = inode_get(v, ino);
		if (node == NULL)
			return -E_NOENT;
		if (!inode_is(node, S_LNK))
			return -E_INVAL;
		blob = node->blob;
		ref_get(&blob->refs);
		len = (size_t)node->size;
	}
	memcpy(out, blob->bytes, len < n ? len : n);
	blob_put(v->store, blob);
	return (int64_t)len;
}
