/* SPDX-License-Identifier: MIT
 *
 * Files from the host's side: put, get, list, mounts, snapshots.
 */
#include "api/journal.h"

static const struct vfs_cred root_cred = { .uid = 0, .gid = 0 };

enum { SEEK_TO_DATA = 3 };

/* Who only looks does not make a session know more of its sources than its journal says. */
static int look_begin(struct cowsh *s, struct vfs **out)
{
	*out = kernel_vfs(s->kernel);
	return s->tape != NULL && s->tape->sources != 0 ? kernel_look(s->kernel, out) : 0;
}

static void look_end(struct cowsh *s, struct vfs *v)
{
	if (v != kernel_vfs(s->kernel))
		vfs_free(v);
}

static int find(struct cowsh *s, struct vfs *v, const char *path, unsigned flags, vfs_ino *out)
{
	return vfs_lookup(v, &root_cred, s->shell_proc->cwd, path, flags, out);
}

int cowsh_put_file(cowsh *s, const char *path, const void *data, size_t len, unsigned mode)
{
	struct bytes content = { data, len };
	struct vfs *v;
	bool listened;
	int err;

	if (s == NULL || path == NULL || (data == NULL && len != 0))
		return -E_INVAL;
	err = journal_note(s, HOST_PUT_FILE, path, mode, 0, content);
	if (err < 0)
		return err;
	v = kernel_vfs(s->kernel);
	listened = tape_listen(s->tape, true);
	err = make_parents(v, &s->cred, s->shell_proc->cwd, path);
	if (err == 0)
		err = write_file(v, &s->cred, s->shell_proc->cwd, path, content, mode);
	(void)tape_listen(s->tape, listened);
	return err;
}

static int read_all(struct vfs *v, vfs_ino ino, char *out, size_t len)
{
	for (size_t done = 0; done < len;) {
		int64_t n = vfs_read(v, ino, done, out + done, len - done);

		if (n <= 0)
			return n < 0 ? (int)n : -E_IO;
		done += (size_t)n;
	}
	out[len] = '\0';
	return 0;
}

static int get_file(struct cowsh *s, struct vfs *v, const char *path, char **out, size_t *out_len)
{
	struct vfs_stat st;
	vfs_ino ino;
	char *copy;
	int err = find(s, v, path, 0, &ino);

	if (err == 0)
		err = vfs_getattr(v, ino, &st);
	if (err < 0)
		return err;
	if ((st.mode & S_FMT) != S_REG)
		return (st.mode & S_FMT) == S_DIR ? -E_ISDIR : -E_INVAL;
	copy = heap_alloc(kernel_heap(s->kernel), heap_size(st.size) + 1);
	if (copy == NULL)
		return -E_NOMEM;
	err = read_all(v, ino, copy, (size_t)st.size);
	if (err < 0) {
		heap_free(kernel_heap(s->kernel), copy, (size_t)st.size + 1);
		return err;
	}
	*out = copy;
	*out_len = (size_t)st.size;
	return 0;
}

int cowsh_get_file(cowsh *s, const char *path, char **out, size_t *out_len)
{
	struct vfs *v;
	int err;

	if (s == NULL || path == NULL || out == NULL || out_len == NULL)
		return -E_INVAL;
	err = look_begin(s, &v);
	if (err < 0)
		return err;
	err = get_file(s, v, path, out, out_len);
	look_end(s, v);
	return err;
}

static int64_t read_at(struct cowsh *s, struct vfs *v, const char *path, uint64_t *pos, void *into,
		       size_t len)
{
	struct vfs_stat st;
	int64_t data;
	vfs_ino ino;
	int err = find(s, v, path, VFS_NOFOLLOW, &ino);

	if (err == 0)
		err = vfs_getattr(v, ino, &st);
	if (err < 0)
		return err;
	if ((st.mode & S_FMT) != S_REG)
		return (st.mode & S_FMT) == S_DIR ? -E_ISDIR : -E_INVAL;
	data = vfs_seek_data(v, ino, *pos, SEEK_TO_DATA);
	if (data == -E_NXIO)
		return 0;
	if (data < 0)
		return data;
	*pos = (uint64_t)data;
	return vfs_read(v, ino, *pos, into, len);
}

int64_t cowsh_read_at(cowsh *s, const char *path, uint64_t *pos, void *into, size_t len)
{
	struct vfs *v;
	int64_t n;
	int err;

	if (s == NULL || path == NULL || pos == NULL || (into == NULL && len != 0))
		return -E_INVAL;
	err = look_begin(s, &v);
	if (err < 0)
		return err;
	n = read_at(s, v, path, pos, into, len);
	look_end(s, v);
	return n;
}

int64_t cowsh_read_link(cowsh *s, const char *path, char *into, size_t len)
{
	struct vfs *v;
	vfs_ino ino;
	int64_t n;

	if (s == NULL || path == NULL || (into == NULL && len != 0))
		return -E_INVAL;
	n = look_begin(s, &v);
	if (n < 0)
		return n;
	n = find(s, v, path, VFS_NOFOLLOW, &ino);
	if (n == 0)
		n = vfs_readlink(v, ino, into, len);
	look_end(s, v);
	return n;
}

void cowsh_bytes_free(cowsh *s, char *bytes, size_t len)
{
	heap_free(kernel_heap(s->kernel), bytes, len + 1);
}

int cowsh_make_directory(cowsh *s, const char *path, unsigned mode)
{
	struct vfs *v;
	vfs_ino ino;
	bool listened;
	int err;

	if (s == NULL || path == NULL)
		return -E_INVAL;
	err = journal_note(s, HOST_MAKE_DIRECTORY, path, mode, 0, NOTHING);
	if (err < 0)
		return err;
	v = kernel_vfs(s->kernel);
	listened = tape_listen(s->tape, true);
	err = make_parents(v, &s->cred, s->shell_proc->cwd, path);
	if (err == 0)
		err = vfs_mkdir(v, &root_cred, s->shell_proc->cwd, path, mode & 07777);
	if (err == 0)
		err = find(s, v, path, 0, &ino);
	if (err == 0)
		err = vfs_chown(v, &root_cred, ino, s->cred.uid, s->cred.gid);
	(void)tape_listen(s->tape, listened);
	return err;
}

/* Removes what is at path; a directory with all that is in it. Deep trees need no stack: the
 * walk goes down to a directory without directories, empties it, and goes up again. */
struct removal {
	struct cowsh *s;
	const char *path;
};

/* Removes the directory, which is empty, and goes to the one above: it is the first there. */
static int remove_empty(struct vfs *v, struct arena *a, vfs_ino *at)
{
	struct vfs_dirent e;
	vfs_ino above = *at;
	int err = vfs_lookup(v, &root_cred, *at, "..", 0, &above);
	int n = err == 0 ? vfs_readdir(v, above, NULL, a, &e, 1) : err;

	if (n == 1)
		n = e.ino == *at ? vfs_rmdir(v, &root_cred, above, e.name.ptr) : -E_BUSY;
	*at = above;
	return n;
}

static int remove_tree(void *arg)
{
	const struct removal *r = arg;
	struct vfs *v = kernel_vfs(r->s->kernel);
	struct arena *a = &r->s->shell_proc->arena;
	vfs_ino dir = r->s->shell_proc->cwd;
	vfs_ino top;
	int err = vfs_lookup(v, &root_cred, dir, r->path, VFS_NOFOLLOW, &top);
	vfs_ino at = top;

	while (err == 0) {
		struct arena_mark mark = arena_mark(a);
		struct vfs_dirent e;
		int n = vfs_readdir(v, at, NULL, a, &e, 1);

		if (n == 1 && e.type == S_DIR)
			at = e.ino;
		else if (n == 1)
			err = vfs_unlink(v, &root_cred, at, e.name.ptr);
		else if (n == 0 && at == top)
			err = 1;
		else
			err = n < 0 ? n : remove_empty(v, a, &at);
		arena_release(a, mark);
	}
	return err == 1 ? vfs_rmdir(v, &root_cred, dir, r->path) : err;
}

static int remove_path(struct cowsh *s, const char *path)
{
	struct removal removal = { s, path };
	struct vfs *v = kernel_vfs(s->kernel);
	struct vfs_stat st;
	vfs_ino ino;
	int err = find(s, v, path, VFS_NOFOLLOW, &ino);

	if (err == 0)
		err = vfs_getattr(v, ino, &st);
	if (err < 0)
		return err;
	if ((st.mode & S_FMT) != S_DIR)
		return vfs_unlink(v, &root_cred, s->shell_proc->cwd, path);
	return kernel_guard(s->kernel, remove_tree, &removal);
}

int cowsh_remove(cowsh *s, const char *path)
{
	bool listened;
	int err;

	if (s == NULL || path == NULL)
		return -E_INVAL;
	err = journal_note(s, HOST_REMOVE, path, 0, 0, NOTHING);
	if (err < 0)
		return err;
	listened = tape_listen(s->tape, true);
	err = remove_path(s, path);
	(void)tape_listen(s->tape, listened);
	return err;
}

int cowsh_stat_file(cowsh *s, const char *path, struct cowsh_stat *out)
{
	struct vfs *v;
	struct vfs_stat st;
	vfs_ino ino;
	int err;

	if (s == NULL || path == NULL || out == NULL)
		return -E_INVAL;
	err = look_begin(s, &v);
	if (err < 0)
		return err;
	err = find(s, v, path, VFS_NOFOLLOW, &ino);
	if (err == 0)
		err = vfs_getattr(v, ino, &st);
	look_end(s, v);
	if (err == 0)
		*out = (struct cowsh_stat){ st.mode, st.size, st.ino,     st.nlink,
					    st.uid,  st.gid,  st.mtime_ns };
	return err;
}

struct listing {
	struct cowsh *s;
	struct vfs *v;
	vfs_ino dir;
	int (*each)(void *user, const char *name, unsigned mode);
	void *user;
};

static int list_names(void *arg)
{
	const struct listing *l = arg;
	struct vfs *v = l->v;
	struct arena *a = &l->s->shell_proc->arena;
	char after[VFS_NAME_MAX + 1];
	const char *last = NULL;

	for (;;) {
		struct arena_mark mark = arena_mark(a);
		struct vfs_dirent e;
		struct vfs_stat st;
		int stop = 0;
		int n = vfs_readdir(v, l->dir, last, a, &e, 1);

		if (n == 1) {
			memcpy(after, e.name.ptr, e.name.len + 1);
			last = after;
			if (vfs_getattr(v, e.ino, &st) == 0)
				stop = l->each(l->user, after, st.mode);
		}
		arena_release(a, mark);
		if (n <= 0 || stop != 0)
			return n < 0 ? n : 0;
	}
}

int cowsh_list(cowsh *s, const char *path, int (*each)(void *, const char *, unsigned), void *user)
{
	struct listing listing = { .s = s, .each = each, .user = user };
	int err;

	if (s == NULL || path == NULL || each == NULL)
		return -E_INVAL;
	err = look_begin(s, &listing.v);
	if (err < 0)
		return err;
	err = find(s, listing.v, path, 0, &listing.dir);
	if (err == 0)
		err = kernel_guard(s->kernel, list_names, &listing);
	look_end(s, listing.v);
	return err;
}

/* --- mounts --- */

struct emit {
	int (*fn)(void *sink, const struct vfs_source_entry *);
	void *sink;
	bool holes; /* the source can tell where they are */
};

static int emit_entry(void *sink, const struct cowsh_entry *e)
{
	struct emit *emit = sink;
	struct vfs_source_entry entry = { .name = e->name,
					  .id = e->id,
					  .mode = e->mode,
					  .size = e->size,
					  .mtime_ns = e->mtime_ns,
					  .target = e->target,
					  .hole_bytes = emit->holes ? e->hole_bytes : 0 };

	return emit->fn(emit->sink, &entry);
}

static int source_list(void *user, uint64_t id, int (*fn)(void *, const struct vfs_source_entry *),
		       void *sink)
{
	struct mounted *m = user;
	struct emit emit = { fn, sink, m->source.seek != NULL };

	if (tape_listens(m->tape))
		return tape_list(m, id, emit_entry, &emit);
	if (m->callbacks.list == NULL)
		return -E_NOTDIR;
	return m->callbacks.list(m->callbacks.user, id, emit_entry, &emit);
}

static int64_t source_read(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	struct mounted *m = user;

	if (tape_listens(m->tape))
		return tape_read(m, id, pos, out, n);
	return m->callbacks.read(m->callbacks.user, id, pos, out, n);
}

static const char *source_map(void *user, uint64_t id, uint64_t *size)
{
	struct mounted *m = user;

	return m->callbacks.map(m->callbacks.user, id, size);
}

enum { SEEK_DATA_ = 3 };

static int64_t source_seek(void *user, uint64_t id, uint64_t pos, int whence)
{
	struct mounted *m = user;

	return m->callbacks.seek(m->callbacks.user, id, pos, whence == SEEK_DATA_);
}

static void source_ahead(void *user, uint64_t id, uint64_t pos, uint64_t n)
{
	struct mounted *m = user;

	m->callbacks.ahead(m->callbacks.user, id, pos, n);
}

static int add_source(struct cowsh *s, const struct cowsh_source *source, bool read_only,
		      struct mounted **out)
{
	struct mounted *m;

	if (source == NULL || source->size < offsetof(struct cowsh_source, ahead) ||
	    source->read == NULL)
		return -E_INVAL;
	m = store_alloc(&s->store->store, sizeof *m);
	if (m == NULL)
		return -E_NOMEM;
	m->callbacks = (struct cowsh_source){ 0 };
	memcpy(&m->callbacks, source,
	       source->size < sizeof *source ? source->size : sizeof *source);
	m->tape = s->tape;
	m->number = s->tape != NULL ? s->tape->sources++ : 0;
	m->source = (struct vfs_source){
		.list = source_list,
		.read = source_read,
		.map = source->map != NULL && s->tape == NULL ? source_map : NULL,
		.seek = source->seek != NULL && s->tape == NULL ? source_seek : NULL,
		.ahead = m->callbacks.ahead != NULL && s->tape == NULL ? source_ahead : NULL,
		.user = m,
		.read_only = read_only
	};
	store_lock(s->store);
	m->next = s->store->mounts;
	s->store->mounts = m;
	store_unlock(s->store);
	*out = m;
	return 0;
}

static int mount(struct cowsh *s, const char *path, const struct cowsh_source *source, uint64_t id,
		 bool read_only)
{
	struct mounted *m;
	int err = make_parents(kernel_vfs(s->kernel), &s->cred, VFS_ROOT, path);

	if (err == 0)
		err = add_source(s, source, read_only, &m);
	if (err < 0)
		return err;
	err = vfs_mount_source(kernel_vfs(s->kernel), path, &m->source, id, &s->cred);
	/* A system's root is its own, not the user's. */
	if (err == -E_NOTEMPTY)
		err = session_merge_source(s, path, &m->source, id);
	return err;
}

int cowsh_mount(cowsh *s, const char *path, const struct cowsh_source *source, uint64_t id,
		bool read_only)
{
	bool listened;
	int err;

	if (s == NULL || path == NULL || path[0] != '/')
		return -E_INVAL;
	err = journal_note(s, HOST_MOUNT, path, id, read_only, NOTHING);
	if (err < 0)
		return err;
	listened = tape_listen(s->tape, true);
	err = mount(s, path, source, id, read_only);
	(void)tape_listen(s->tape, listened);
	return err;
}

int cowsh_put_lazy(cowsh *s, const char *path, const struct cowsh_source *source, uint64_t id,
		   uint64_t size, unsigned mode)
{
	struct mounted *m;
	struct vfs *v;
	bool listened;
	int err;

	if (s == NULL || path == NULL)
		return -E_INVAL;
	err = journal_note_lazy(s, path, id, size, mode);
	if (err < 0)
		return err;
	v = kernel_vfs(s->kernel);
	listened = tape_listen(s->tape, true);
	err = make_parents(v, &s->cred, s->shell_proc->cwd, path);
	if (err == 0)
		err = add_source(s, source, false, &m);
	if (err == 0)
		err = vfs_put_lazy(v, s->shell_proc->cwd, path, &m->source, id, size, mode,
				   &s->cred);
	(void)tape_listen(s->tape, listened);
	return err;
}

/* --- snapshots: a cowsh_snapshot is the vfs's tree --- */

int cowsh_snapshot_new(cowsh *s, cowsh_snapshot **out)
{
	struct vfs_tree *tree;

	if (s == NULL || out == NULL)
		return -E_INVAL;
	tree = vfs_snapshot(kernel_vfs(s->kernel));
	if (tree == NULL)
		return -E_NOMEM;
	*out = (cowsh_snapshot *)tree;
	return 0;
}

void cowsh_snapshot_free(cowsh_snapshot *snapshot)
{
	if (snapshot != NULL)
		vfs_tree_put((struct vfs_tree *)snapshot);
}

int cowsh_restore(cowsh *s, const cowsh_snapshot *snapshot)
{
	if (s == NULL || snapshot == NULL)
		return -E_INVAL;
	if (s->running)
		return -E_BUSY;
	if (s->tape != NULL)
		return -E_INVAL;
	escalate_forget(s);
	return kernel_restore(s->kernel, (struct vfs_tree *)(uintptr_t)snapshot);
}
