/* SPDX-License-Identifier: MIT
 *
 * Directory listing.
 */
#include "vfs/private.h"

int vfs_readdir(struct vfs *v, vfs_ino dir, const char *after, struct arena *a,
		struct vfs_dirent *out, size_t n)
{
	struct bytes from = { after, after != NULL ? strlen(after) : 0 };
	struct names_cursor c;
	struct name_entry entry;
	struct inode *d;
	size_t done = 0;

	if (ino_is_dynamic(dir))
		return dynamic_readdir(v, dir, after, a, out, n);
	d = inode_get(v, dir);
	if (d == NULL)
		return -E_NOENT;
	if (!inode_is(d, S_DIR))
		return -E_NOTDIR;
	if ((d->flags & INODE_UNLOADED) != 0) {
		int err = lazy_load_dir(v, dir);

		if (err != 0)
			return err;
		d = inode_get(v, dir);
	}
	names_seek(&c, d->names, from);
	while (done < n && names_next(&c, &entry)) {
		out[done].name = arena_bytes(a, entry.name);
		out[done].ino = entry.value;
		out[done++].type = entry.type << 12;
	}
	return (int)done;
}
