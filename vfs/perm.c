/* SPDX-License-Identifier: MIT
 *
 * Permissions: who may do what with an inode. uid 0 has all capabilities.
 */
#include "vfs/private.h"

bool cred_in_group(const struct vfs_cred *c, uint32_t gid)
{
	if (c->gid == gid)
		return true;
	for (uint32_t i = 0; i < c->ngroups && i < VFS_GROUPS_MAX; i++)
		if (c->groups[i] == gid)
			return true;
	return false;
}

int may_stat(const struct vfs_cred *c, uint32_t mode, uint32_t uid, uint32_t gid, unsigned mask)
{
	bool directory = (mode & S_FMT) == S_DIR;

	if (c->uid == 0) {
		bool runs = directory || (mode & 0111) != 0;

		return (mask & MAY_EXEC) == 0 || runs ? 0 : -E_ACCES;
	}
	if (c->uid == uid)
		mode >>= 6;
	else if (cred_in_group(c, gid))
		mode >>= 3;
	return (mask & ~mode & 7) == 0 ? 0 : -E_ACCES;
}

uint32_t mode_without_setid(const struct vfs_cred *c, const struct inode *n)
{
	uint32_t mode = n->mode & ~(uint32_t)S_SUID;
	bool keeps = c->uid == 0 || cred_in_group(c, n->gid);

	if ((mode & S_SGID) != 0 && ((mode & 010) != 0 || !keeps))
		mode &= ~(uint32_t)S_SGID;
	return mode;
}

int vfs_access(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, unsigned mask)
{
	struct inode *n;

	if (ino_is_dynamic(ino)) {
		struct vfs_stat st;
		int err = dynamic_stat(v, ino, &st);

		return err != 0 ? err : may_stat(c, st.mode, st.uid, st.gid, mask);
	}
	n = inode_get(v, ino);
	if (n == NULL)
		return -E_NOENT;
	if ((mask & MAY_WRITE) != 0 && inode_read_only(n) &&
	    (inode_is(n, S_REG) || inode_is(n, S_DIR) || inode_is(n, S_LNK)))
		return -E_ROFS;
	return may(c, n, mask);
}
