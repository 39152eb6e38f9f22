/* SPDX-License-Identifier: MIT
 *
 * Extended attributes: a name and a value of bytes, kept with the inode. All of an inode's lie in
 * one counted block, sorted by name, which is made anew when one changes: for each a byte with
 * the length of the name, two with that of the value (little-endian), name, value.
 */
#include "vfs/private.h"

enum { HEAD = 3, NAME_MAX_ = 255, VALUE_MAX = 65536 };

/* One of them, as it lies in the block. */
struct attribute {
	struct bytes name;
	struct bytes value;
};

void xattrs_put(struct store *s, struct xattrs *x)
{
	if (x != NULL && ref_put(&x->refs))
		store_free(s, x, sizeof *x + x->len);
}

static struct xattrs *block_new(struct store *s, size_t len, uint32_t owner)
{
	struct xattrs *x = store_alloc(s, sizeof *x + len);

	if (x == NULL)
		return NULL;
	atomic_init(&x->refs, 1);
	x->len = (uint32_t)len;
	x->owner = owner;
	return x;
}

/* The attribute at *pos, which moves behind it; false at the end. */
static bool next(struct bytes all, size_t *pos, struct attribute *out)
{
	const unsigned char *at = (const unsigned char *)all.ptr + *pos;
	size_t left = all.len - *pos;
	size_t value;

	if (left < HEAD)
		return false;
	value = at[1] | (size_t)at[2] << 8;
	if (left - HEAD < at[0] + value)
		return false;
	out->name = (struct bytes){ all.ptr + *pos + HEAD, at[0] };
	out->value = (struct bytes){ out->name.ptr + at[0], value };
	*pos += HEAD + at[0] + value;
	return true;
}

bool xattrs_are_sound(struct bytes all)
{
	struct attribute a;
	struct bytes before = { "", 0 };
	size_t pos = 0;

	while (next(all, &pos, &a)) {
		if (bytes_cmp(before, a.name) >= 0 || memchr(a.name.ptr, '\0', a.name.len) != NULL)
			return false;
		before = a.name;
	}
	return pos == all.len && all.len <= VFS_XATTRS_MAX;
}

struct bytes xattrs_of(const struct inode *n)
{
	return n->xattrs != NULL ? (struct bytes){ n->xattrs->bytes, n->xattrs->len }
				 : (struct bytes){ "", 0 };
}

int xattrs_take(struct store *s, struct inode *n, struct bytes all)
{
	n->xattrs = all.len != 0 ? block_new(s, all.len, 0) : NULL;
	if (n->xattrs != NULL)
		memcpy(n->xattrs->bytes, all.ptr, all.len);
	return n->xattrs != NULL || all.len == 0 ? 0 : -E_NOMEM;
}

uint64_t xattrs_cost(const struct vfs *v, const struct inode *n)
{
	return n->xattrs != NULL && n->xattrs->owner == v->generation ? n->xattrs->len : 0;
}

static bool find(struct bytes all, struct bytes name, struct attribute *out)
{
	size_t pos = 0;

	while (next(all, &pos, out))
		if (bytes_eq(out->name, name))
			return true;
	return false;
}

/* --- rules --- */

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* May c read (write) an attribute of this name there, as Linux's xattr_permission has it. */
static int may_xattr(const struct vfs_cred *c, const struct inode *n, const char *name,
		     unsigned mask)
{
	bool write = mask == MAY_WRITE;

	if (write && inode_read_only(n))
		return -E_ROFS;
	/* Nobody has set any of these: programs ask for access lists and labels. */
	if (begins(name, "security.") || begins(name, "system.posix_acl_"))
		return write ? -E_OPNOTSUPP : -E_NODATA;
	if (begins(name, "trusted.")) {
		if (c->uid != 0)
			return write ? -E_PERM : -E_NODATA;
	} else if (begins(name, "user.")) {
		if (!inode_is(n, S_REG) && !inode_is(n, S_DIR))
			return write ? -E_PERM : -E_NODATA;
		if (write && inode_is(n, S_DIR) && (n->mode & S_SVTX) != 0 && !cred_owns(c, n))
			return -E_PERM;
		if (may(c, n, mask) != 0)
			return -E_ACCES;
	} else {
		return -E_OPNOTSUPP;
	}
	return strchr(name, '.')[1] != '\0' ? 0 : -E_INVAL;
}

static int get_inode(struct vfs *v, vfs_ino ino, struct inode **out)
{
	*out = ino_is_dynamic(ino) ? NULL : inode_get(v, ino);
	if (*out == NULL)
		return ino_is_dynamic(ino) ? -E_OPNOTSUPP : -E_NOENT;
	return 0;
}

static int64_t give(struct bytes what, void *out, size_t n)
{
	if (n != 0 && n < what.len)
		return -E_RANGE;
	if (n != 0 && what.len != 0)
		memcpy(out, what.ptr, what.len);
	return (int64_t)what.len;
}

/* --- calls --- */

int64_t vfs_xattr_get(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, const char *name,
		      void *out, size_t n)
{
	struct attribute a;
	struct inode *node;
	int err = get_inode(v, ino, &node);

	if (err == 0)
		err = may_xattr(c, node, name, MAY_READ);
	if (err != 0)
		return err;
	if (!find(xattrs_of(node), bytes_of(name), &a))
		return -E_NODATA;
	return give(a.value, out, n);
}

int64_t vfs_xattr_list(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, char *out, size_t n)
{
	char names[VFS_XATTRS_MAX];
	struct bytes list = { names, 0 };
	struct attribute a;
	struct inode *node;
	size_t pos = 0;
	int err = get_inode(v, ino, &node);

	if (err != 0)
		return err == -E_OPNOTSUPP ? 0 : err;
	while (next(xattrs_of(node), &pos, &a)) {
		if (c->uid != 0 && bytes_starts(a.name, BYTES("trusted.")))
			continue;
		memcpy(names + list.len, a.name.ptr, a.name.len);
		names[list.len + a.name.len] = '\0';
		list.len += a.name.len + 1;
	}
	return give(list, out, n);
}

static size_t put_one(char *at, struct attribute a)
{
	at[0] = (char)a.name.len;
	at[1] = (char)(a.value.len & 0xff);
	at[2] = (char)(a.value.len >> 8);
	memcpy(at + HEAD, a.name.ptr, a.name.len);
	if (a.value.len != 0)
		memcpy(at + HEAD + a.name.len, a.value.ptr, a.value.len);
	return HEAD + a.name.len + a.value.len;
}

/* `all` without the attribute of that name and, unless its value is NULL, with the new one. */
static size_t merge(char *into, struct bytes all, struct attribute new)
{
	bool put = new.value.ptr == NULL;
	struct attribute a;
	size_t len = 0;
	size_t pos = 0;

	while (next(all, &pos, &a)) {
		int order = bytes_cmp(a.name, new.name);

		if (order >= 0 && !put) {
			len += put_one(into + len, new);
			put = true;
		}
		if (order != 0)
			len += put_one(into + len, a);
	}
	return put ? len : len + put_one(into + len, new);
}

/* Replaces the block of ino by these bytes. */
static int replace(struct vfs *v, vfs_ino ino, struct bytes all)
{
	struct inode *n = inode_edit(v, ino);
	struct xattrs *x = NULL;
	uint64_t limit = v->limits.bytes;
	uint64_t had;

	if (n == NULL)
		return -E_NOMEM;
	had = xattrs_cost(v, n);
	if (limit != 0 && all.len > had &&
	    limit - (limit < v->usage.bytes ? limit : v->usage.bytes) < all.len - had)
		return -E_NOSPC;
	if (all.len != 0) {
		x = block_new(v->store, all.len, v->generation);
		if (x == NULL)
			return -E_NOMEM;
		memcpy(x->bytes, all.ptr, all.len);
	}
	v->usage.bytes += all.len;
	v->usage.bytes -= had < v->usage.bytes ? had : v->usage.bytes;
	xattrs_put(v->store, n->xattrs);
	n->xattrs = x;
	n->ctime_ns = vfs_now(v);
	return 0;
}

int vfs_xattr_set(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, const char *name,
		  struct bytes value, unsigned how)
{
	struct attribute new = { bytes_of(name), { value.len != 0 ? value.ptr : "", value.len } };
	char all[VFS_XATTRS_MAX];
	struct attribute old;
	struct inode *n;
	size_t had;
	int err;

	if (new.name.len == 0 || new.name.len > NAME_MAX_)
		return -E_RANGE;
	if (value.len > VALUE_MAX)
		return -E_2BIG;
	err = get_inode(v, ino, &n);
	if (err == 0)
		err = may_xattr(c, n, name, MAY_WRITE);
	if (err != 0)
		return err;
	had = find(xattrs_of(n), new.name, &old) ? HEAD + old.name.len + old.value.len : 0;
	if (had != 0 && (how & VFS_XATTR_CREATE) != 0)
		return -E_EXIST;
	if (had == 0 && (how & VFS_XATTR_REPLACE) != 0)
		return -E_NODATA;
	if (xattrs_of(n).len - had + HEAD + new.name.len + value.len > sizeof all)
		return -E_NOSPC;
	return replace(v, ino, (struct bytes){ all, merge(all, xattrs_of(n), new) });
}

int vfs_xattr_remove(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, const char *name)
{
	struct attribute gone = { bytes_of(name), { NULL, 0 } };
	char all[VFS_XATTRS_MAX];
	struct attribute old;
	struct inode *n;
	int err = get_inode(v, ino, &n);

	if (err == 0)
		err = may_xattr(c, n, name, MAY_WRITE);
	if (err != 0)
		return err;
	if (!find(xattrs_of(n), gone.name, &old))
		return -E_NODATA;
	return replace(v, ino, (struct bytes){ all, merge(all, xattrs_of(n), gone) });
}

struct bytes vfs_xattrs(struct vfs *v, vfs_ino ino)
{
	struct inode *n;

	return get_inode(v, ino, &n) == 0 ? xattrs_of(n) : (struct bytes){ "", 0 };
}

int vfs_xattrs_copy(struct vfs *v, vfs_ino ino, struct bytes all)
{
	struct inode *n;
	int err = get_inode(v, ino, &n);

	if (err != 0)
		return err;
	return bytes_eq(xattrs_of(n), all) ? 0 : replace(v, ino, all);
}
