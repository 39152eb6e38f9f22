/* SPDX-License-Identifier: MIT
 *
 * Path resolution, in the order of Linux's link_path_walk, because the order of the checks
 * decides which error a caller sees.
 *
 * A walk stops at the last name, so that operations which make or remove names can look at it
 * themselves. Symlinks in the middle push the remaining path; at most 40 are followed.
 */
#include "vfs/private.h"

/* The directory behind "..", the root's is itself. */
static int find_parent(struct vfs *v, vfs_ino dir, vfs_ino *out)
{
	struct inode *n;

	if (ino_is_dynamic(dir))
		return dynamic_parent(v, dir, out);
	n = inode_get(v, dir);
	if (n == NULL || inode_get(v, n->parent) == NULL)
		return -E_NOENT;
	*out = n->parent;
	return 0;
}

int dir_find(struct vfs *v, vfs_ino dir, struct bytes name, vfs_ino *out)
{
	struct name_entry entry;
	struct inode *n = ino_is_dynamic(dir) ? NULL : inode_get(v, dir);

	if (n != NULL && n->nlink == 0)
		return -E_NOENT;
	if (name.len > VFS_NAME_MAX)
		return -E_NAMETOOLONG;
	if (n == NULL)
		return dynamic_find(v, dir, name, out);
	if ((n->flags & INODE_UNLOADED) != 0) {
		int err = lazy_load_dir(v, dir);

		if (err != 0)
			return err;
		n = inode_get(v, dir);
	}
	if (!names_get(n->names, name, &entry))
		return -E_NOENT;
	*out = entry.value;
	if (entry.type == S_DIR >> 12) {
		n = inode_get(v, entry.value);
		*out = dynamic_cover(v, entry.value, n);
	}
	return 0;
}

/* 0 if names can be looked up in this inode by the walker. */
static int may_search(struct walk *w, vfs_ino dir)
{
	struct inode *n;

	if (ino_is_dynamic(dir)) {
		struct vfs_stat st;
		int err = dynamic_stat(w->v, dir, &st);

		if (err != 0)
			return err;
		if ((st.mode & S_FMT) != S_DIR)
			return -E_NOTDIR;
		return may_stat(w->cred, st.mode, st.uid, st.gid, MAY_EXEC);
	}
	n = inode_get(w->v, dir);
	if (n == NULL)
		return -E_NOENT;
	if (!inode_is(n, S_DIR))
		return -E_NOTDIR;
	return may(w->cred, n, MAY_EXEC);
}

static enum walk_kind kind_of(struct bytes name)
{
	if (name.len == 1 && name.ptr[0] == '.')
		return WALK_DOT;
	if (name.len == 2 && name.ptr[0] == '.' && name.ptr[1] == '.')
		return WALK_DOTDOT;
	return WALK_NAME;
}

/* Whether an inode is a symlink; asks providers. Negative: an error. */
static int is_link(struct vfs *v, vfs_ino ino)
{
	struct inode *n;

	if (ino_is_dynamic(ino)) {
		struct vfs_stat st;
		int err = dynamic_stat(v, ino, &st);

		return err != 0 ? err : (st.mode & S_FMT) == S_LNK;
	}
	n = inode_get(v, ino);
	return n == NULL ? -E_NOENT : inode_is(n, S_LNK);
}

int walk_last(struct walk *w, vfs_ino *out)
{
	switch (w->kind) {
	case WALK_DOTDOT: return find_parent(w->v, w->at, out);
	case WALK_NAME: return dir_find(w->v, w->at, w->last, out);
	default: *out = w->at; return 0;
	}
}

/* The target of a symlink as text held by the walk, or a place to jump to. */
static int link_text(struct walk *w, vfs_ino link, const char **text, vfs_ino *jump)
{
	struct blob *blob;
	size_t len;

	*jump = 0;
	if (w->hops == VFS_LINK_HOPS_MAX)
		return -E_LOOP;
	if (ino_is_dynamic(link)) {
		int err = dynamic_readlink(w->v, link, &blob, &len, jump);

		if (err != 0)
			return err;
	} else {
		blob = inode_get(w->v, link)->blob;
		ref_get(&blob->refs);
	}
	w->text[w->hops++] = blob;
	*text = blob->bytes;
	return **text == '\0' && *jump == 0 ? -E_NOENT : 0;
}

static const char *skip_slashes(const char *path)
{
	while (*path == '/')
		path++;
	return path;
}

/* Takes the next name off the path. */
static const char *next_name(struct walk *w, const char *path)
{
	const char *end = path;

	while (*end != '\0' && *end != '/')
		end++;
	w->names++;
	w->last = (struct bytes){ path, (size_t)(end - path) };
	w->kind = kind_of(w->last);
	w->slash = *end == '/';
	return skip_slashes(end);
}

/* Steps into the name just read, which is not the last. path becomes what to walk next. */
static int step(struct walk *w, const char **path)
{
	vfs_ino next;
	vfs_ino jump;
	const char *text;
	int err = walk_last(w, &next);
	int link = err == 0 && w->kind == WALK_NAME ? is_link(w->v, next) : err;

	if (link < 0)
		return link;
	if (link == 0) {
		w->at = next;
		return 0;
	}
	err = link_text(w, next, &text, &jump);
	if (err != 0)
		return err;
	if (jump != 0) {
		w->at = jump;
		return 0;
	}
	w->rest[w->depth++] = *path;
	if (*text == '/')
		w->at = VFS_ROOT;
	*path = skip_slashes(text);
	return 0;
}

/* Walks until only the last name is left. */
static int walk_path(struct walk *w, const char *path)
{
	if (*path == '/')
		w->at = VFS_ROOT;
	path = skip_slashes(path);
	w->kind = WALK_ROOT;
	w->slash = false;
	w->last = (struct bytes){ path, 0 };
	for (;;) {
		int err;

		while (*path == '\0') {
			if (w->depth == 0)
				return 0;
			path = w->rest[--w->depth];
		}
		err = may_search(w, w->at);
		if (err != 0)
			return err;
		path = next_name(w, path);
		if (*path == '\0' && w->depth == 0)
			return 0;
		err = step(w, &path);
		if (err != 0)
			return err;
	}
}

int walk_start(struct walk *w, struct vfs *v, const struct vfs_cred *c, vfs_ino dir,
	       const char *path)
{
	w->v = v;
	w->cred = c;
	w->at = dir;
	w->hops = 0;
	w->depth = 0;
	w->names = 0;
	if (*path == '\0')
		return -E_NOENT;
	if (strlen(path) >= VFS_PATH_MAX)
		return -E_NAMETOOLONG;
	return walk_path(w, path);
}

int walk_follow(struct walk *w, vfs_ino link, vfs_ino *jump)
{
	const char *text;
	int err = link_text(w, link, &text, jump);

	if (err != 0 || *jump != 0)
		return err;
	return walk_path(w, text);
}

static int check_directory(struct vfs *v, vfs_ino ino)
{
	struct inode *n;

	if (ino_is_dynamic(ino)) {
		struct vfs_stat st;
		int err = dynamic_stat(v, ino, &st);

		return err != 0 ? err : (st.mode & S_FMT) == S_DIR ? 0 : -E_NOTDIR;
	}
	n = inode_get(v, ino);
	return n == NULL ? -E_NOENT : inode_is(n, S_DIR) ? 0 : -E_NOTDIR;
}

int walk_target(struct walk *w, unsigned flags, vfs_ino *out)
{
	bool slash = false;

	for (;;) {
		vfs_ino jump;
		int err = walk_last(w, out);
		int link;

		slash = slash || w->slash;
		if (err != 0)
			return err;
		if ((flags & VFS_NOFOLLOW) != 0 && !slash)
			return 0;
		link = is_link(w->v, *out);
		if (link <= 0)
			return link != 0 || !slash ? link : check_directory(w->v, *out);
		err = walk_follow(w, *out, &jump);
		if (err != 0)
			return err;
		if (jump != 0) {
			*out = jump;
			return slash ? check_directory(w->v, jump) : 0;
		}
	}
}

void walk_end(struct walk *w)
{
	for (unsigned i = 0; i < w->hops; i++)
		blob_put(w->v->store, w->text[i]);
	w->hops = 0;
	w->v->looked += w->names / NAMES_A_STEP;
}

uint64_t vfs_looked(struct vfs *v)
{
	uint64_t looked = v->looked;

	v->looked = 0;
	return looked;
}

int vfs_lookup(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
	       unsigned flags, vfs_ino *out)
{
	struct walk w;
	int err;

	if (*path == '\0' && (flags & VFS_EMPTY_PATH) != 0) {
		*out = dir;
		return ino_is_dynamic(dir) || inode_get(v, dir) != NULL ? 0 : -E_NOENT;
	}
	err = walk_start(&w, v, c, dir, path);
	if (err == 0)
		err = walk_target(&w, flags, out);
	walk_end(&w);
	return err;
}

/* The name of `child` in a directory, into the arena. */
static int name_in(struct vfs *v, vfs_ino dir, vfs_ino child, struct arena *a, struct bytes *out)
{
	struct names_cursor c;
	struct name_entry entry;
	struct vfs_dirent found;
	const char *after = NULL;
	uint64_t names = 0;
	bool is_it = false;

	if (ino_is_dynamic(dir)) {
		while (dynamic_readdir(v, dir, after, a, &found, 1) == 1) {
			if (found.ino == child) {
				*out = found.name;
				return 0;
			}
			after = found.name.ptr;
		}
		return -E_NOENT;
	}
	names_seek(&c, inode_get(v, dir)->names, (struct bytes){ NULL, 0 });
	while (!is_it && names_next(&c, &entry)) {
		is_it = entry.value == child;
		names++;
	}
	v->looked += names / NAMES_A_STEP;
	if (is_it)
		*out = arena_bytes(a, entry.name);
	return is_it ? 0 : -E_NOENT;
}

/* One step up: the parent of *dir and the name there. A provider's root has its mount's. */
static int step_up(struct vfs *v, vfs_ino *dir, struct arena *a, struct bytes *name)
{
	vfs_ino child = *dir;
	struct inode *n;
	int err = find_parent(v, *dir, dir);

	if (err != 0)
		return err;
	if (ino_is_dynamic(child) && !ino_is_dynamic(*dir))
		child = dynamic_uncover(v, child);
	n = ino_is_dynamic(child) ? NULL : inode_get(v, child);
	if (n != NULL && n->nlink == 0)
		return -E_NOENT;
	return name_in(v, *dir, child, a, name);
}

int vfs_dir_path(struct vfs *v, vfs_ino dir, struct arena *a, char **out)
{
	char *path = arena_dup(a, BYTES("/"));
	size_t len = 0;

	while (dir != VFS_ROOT) {
		struct bytes name;
		int err = step_up(v, &dir, a, &name);
		char *longer;

		if (err != 0)
			return err;
		if (name.len + len + 2 > VFS_PATH_MAX)
			return -E_NAMETOOLONG;
		longer = arena_alloc(a, name.len + len + 2);
		longer[0] = '/';
		memcpy(longer + 1, name.ptr, name.len);
		memcpy(longer + 1 + name.len, path, len + 1);
		len += 1 + name.len;
		longer[len] = '\0';
		path = longer;
	}
	*out = path;
	return 0;
}
