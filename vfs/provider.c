/* SPDX-License-Identifier: MIT
 *
 * Dynamic directories: everything below is asked from a provider each time.
 *
 * An object's inode number is made of the provider's index and the provider's own id, so
 * nothing is stored. The tree holds one directory that a provider's root covers; it knows the
 * index only, since the tree is shared by sessions which each have their own provider.
 */
#include "vfs/private.h"

#include <setjmp.h>

enum { ID_BITS = 56 };
#define ID_MASK (((uint64_t)1 << ID_BITS) - 1)

static vfs_ino ino_of(unsigned index, uint64_t id)
{
	return DYNAMIC_BIT | (vfs_ino)index << ID_BITS | (id & ID_MASK);
}

/* The mount an inode number belongs to, or NULL. */
static const struct vfs_mount *mount_of(struct vfs *v, vfs_ino ino)
{
	unsigned index = (unsigned)(ino >> ID_BITS) & 0x7f;

	if (index >= PROVIDERS_MAX || v->mount[index].provider == NULL)
		return NULL;
	return &v->mount[index];
}

vfs_ino dynamic_cover(struct vfs *v, vfs_ino ino, const struct inode *n)
{
	if ((n->flags & INODE_DYNAMIC) == 0 || v->mount[n->provider].provider == NULL ||
	    v->mount[n->provider].at != ino)
		return ino;
	return ino_of(n->provider, v->mount[n->provider].root);
}

vfs_ino dynamic_uncover(struct vfs *v, vfs_ino ino)
{
	const struct vfs_mount *m = ino_is_dynamic(ino) ? mount_of(v, ino) : NULL;

	return m != NULL && (ino & ID_MASK) == m->root ? m->at : ino;
}

int dynamic_find(struct vfs *v, vfs_ino dir, struct bytes name, vfs_ino *out)
{
	const struct vfs_mount *m = mount_of(v, dir);
	uint64_t id;
	int err;

	if (m == NULL)
		return -E_NOENT;
	err = m->provider->lookup(m->provider->user, v->asker, dir & ID_MASK, name, &id);
	if (err == 0)
		*out = ino_of((unsigned)(m - v->mount), id);
	return err;
}

int dynamic_parent(struct vfs *v, vfs_ino dir, vfs_ino *out)
{
	const struct vfs_mount *m = mount_of(v, dir);
	struct inode *n;

	if (m == NULL)
		return -E_NOENT;
	if ((dir & ID_MASK) != m->root)
		return dynamic_find(v, dir, BYTES(".."), out);
	n = inode_get(v, m->at);
	if (n == NULL)
		return -E_NOENT;
	*out = n->parent;
	return 0;
}

int dynamic_stat(struct vfs *v, vfs_ino ino, struct vfs_stat *out)
{
	const struct vfs_mount *m = mount_of(v, ino);
	int err;

	if (m == NULL)
		return -E_NOENT;
	*out = (struct vfs_stat){ .nlink = 1 };
	err = m->provider->getattr(m->provider->user, v->asker, ino & ID_MASK, out);
	out->ino = ino;
	return err;
}

/* An arena of the store's memory whose end is an error here. */
struct answer {
	struct heap heap;
	struct arena arena;
	jmp_buf full;
};

static void answer_full(void *arg)
{
	longjmp(((struct answer *)arg)->full, 1);
}

static int ask_link(const struct vfs_mount *m, void *asker, uint64_t id, struct answer *a,
		    struct bytes *text, vfs_ino *jump)
{
	if (setjmp(a->full) != 0)
		return -E_NOMEM;
	return m->provider->readlink(m->provider->user, asker, id, &a->arena, text, jump);
}

int dynamic_readlink(struct vfs *v, vfs_ino ino, struct blob **out, size_t *len, vfs_ino *jump)
{
	const struct vfs_mount *m = mount_of(v, ino);
	struct bytes text = { "", 0 };
	struct answer a = { .heap = { .store = v->store } };
	struct vfs_stat st;
	int err = dynamic_stat(v, ino, &st);

	if (err == 0 && ((st.mode & S_FMT) != S_LNK || m->provider->readlink == NULL))
		err = -E_INVAL;
	if (err != 0)
		return err;
	*jump = 0;
	arena_init(&a.arena, &a.heap, (struct arena_fail){ answer_full, &a });
	err = ask_link(m, v->asker, ino & ID_MASK, &a, &text, jump);
	if (err == 0 && text.len >= VFS_PATH_MAX)
		err = -E_NAMETOOLONG;
	*out = err == 0 ? blob_new(v->store, text.len + 1) : NULL;
	if (*out != NULL) {
		memcpy((*out)->bytes, text.ptr, text.len);
		(*out)->bytes[text.len] = '\0';
	} else if (err == 0) {
		err = -E_NOMEM;
	}
	*len = text.len;
	arena_clear(&a.arena);
	return err;
}

int dynamic_readdir(struct vfs *v, vfs_ino dir, const char *after, struct arena *a,
		    struct vfs_dirent *out, size_t n)
{
	const struct vfs_mount *m = mount_of(v, dir);
	size_t done = 0;

	if (m == NULL)
		return 0;
	while (done < n) {
		int err = m->provider->next(m->provider->user, v->asker, dir & ID_MASK, after, a,
					    &out[done]);

		if (err == -E_NOENT)
			break;
		if (err != 0)
			return done != 0 ? (int)done : err;
		out[done].ino = ino_of((unsigned)(m - v->mount), out[done].ino);
		after = out[done++].name.ptr;
	}
	return (int)done;
}

/* The directory to cover: found, or made. */
static int ready_directory(struct vfs *v, const char *path, vfs_ino *out)
{
	static const struct vfs_cred root = { 0 };
	int err = vfs_lookup(v, &root, VFS_ROOT, path, 0, out);

	if (err == -E_NOENT) {
		err = vfs_mkdir(v, &root, VFS_ROOT, path, 0755);
		if (err == 0)
			err = vfs_lookup(v, &root, VFS_ROOT, path, 0, out);
	}
	*out = err == 0 ? dynamic_uncover(v, *out) : 0;
	if (err == 0 && ino_is_dynamic(*out))
		return -E_BUSY;
	return err;
}

static bool index_is_free(const struct vfs *v, uint32_t index, vfs_ino at)
{
	return v->mount[index].provider == NULL || v->mount[index].at == at;
}

int vfs_mount_provider(struct vfs *v, const char *path, const struct vfs_provider *p, uint64_t root)
{
	struct inode *n;
	uint32_t index = 0;
	vfs_ino at;
	int err = ready_directory(v, path, &at);

	if (err != 0)
		return err;
	n = inode_get(v, at);
	if (!inode_is(n, S_DIR))
		return -E_NOTDIR;
	if ((n->flags & INODE_DYNAMIC) == 0 && (err = dir_check_empty(v, at)) != 0)
		return err;
	if ((n->flags & INODE_DYNAMIC) != 0 && index_is_free(v, n->provider, at))
		index = n->provider;
	while (index < PROVIDERS_MAX && !index_is_free(v, index, at))
		index++;
	if (index == PROVIDERS_MAX)
		return -E_NFILE;
	if ((n->flags & INODE_DYNAMIC) == 0 || n->provider != index) {
		n = inode_edit(v, at);
		if (n == NULL)
			return -E_NOMEM;
		n->flags |= INODE_DYNAMIC | INODE_MOUNT;
		n->provider = index;
	}
	v->mount[index] = (struct vfs_mount){ p, root & ID_MASK, at };
	return 0;
}

void vfs_set_asker(struct vfs *v, void *asker)
{
	v->asker = asker;
}

bool vfs_is_dynamic(struct vfs *v, vfs_ino ino, const struct vfs_provider **p, uint64_t *id)
{
	const struct vfs_mount *m = ino_is_dynamic(ino) ? mount_of(v, ino) : NULL;

	if (m == NULL)
		return false;
	*p = m->provider;
	*id = ino & ID_MASK;
	return true;
}
