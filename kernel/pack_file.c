/* SPDX-License-Identifier: MIT
 *
 * Open files as bytes, and back, with what they stand for: a graph, as processes share files and
 * files share pipes. Each thing is written where it comes first, and is a number from then on.
 * What a kind of file has besides is its operations `pack` and `unpack`, in its own file. Every
 * byte that is read may have been written by an attacker: a number can mean the wrong kind of
 * thing, or one that is not complete yet.
 */
#include "base/pack.h"
#include "kernel/pipe.h"
#include "kernel/socket.h"

enum { PACK_DEPTH = 48, PACK_BUCKETS_FIRST = 256 };

/* What of an open file's flags means something once it is open. */
#define FLAGS_KEPT (O_ACCMODE_ | O_APPEND_ | O_NONBLOCK_)

#define NOTHING       UINT64_MAX
#define NO_DESCRIPTOR UINT32_MAX /* the end of them */

/* --- numbers --- */

struct packed {
	struct packed *next;  /* in its bucket */
	struct packed *after; /* the one with the next number */
	const void *what;
	enum thing kind;
	uint64_t number;
};

static struct packed **bucket_of(const struct packing *w, const void *what)
{
	uintptr_t h = (uintptr_t)what >> 4;

	return &w->bucket[(h ^ h >> 8) & (w->nbuckets - 1)];
}

uint64_t pack_number_of(const struct packing *w, const void *what)
{
	const struct packed *p = w->nbuckets != 0 ? *bucket_of(w, what) : NULL;

	while (p != NULL && p->what != what)
		p = p->next;
	return p != NULL ? p->number : NOTHING;
}

static void more_buckets(struct packing *w)
{
	w->nbuckets = w->nbuckets != 0 ? 2 * w->nbuckets : PACK_BUCKETS_FIRST;
	w->bucket = arena_zalloc(w->a, w->nbuckets * sizeof(struct packed *));
	for (struct packed *p = w->first; p != NULL; p = p->after) {
		struct packed **bucket = bucket_of(w, p->what);

		p->next = *bucket;
		*bucket = p;
	}
}

bool pack_thing(struct packing *w, enum thing kind, const void *what)
{
	uint64_t number = pack_number_of(w, what);
	struct packed **bucket;
	struct packed *p;

	if (number != NOTHING) {
		pack_u64(w->out, number);
		return false;
	}
	if (w->count == w->nbuckets)
		more_buckets(w);
	bucket = bucket_of(w, what);
	p = arena_alloc(w->a, sizeof *p);
	*p = (struct packed){ *bucket, NULL, what, kind, w->count++ };
	*bucket = p;
	*(w->last != NULL ? &w->last->after : &w->first) = p;
	w->last = p;
	pack_u64(w->out, p->number);
	return true;
}

struct unpacked {
	void *what;
	enum thing kind;
	bool complete; /* with what NULL: it could not be had */
};

static bool unpack_grow(struct unpacking *u)
{
	size_t cap = u->cap != 0 ? 2 * u->cap : 64;
	struct unpacked *more = heap_alloc(&u->k->heap, cap * sizeof *more);

	if (more == NULL)
		return false;
	if (u->count != 0)
		memcpy(more, u->thing, u->count * sizeof *more);
	heap_free(&u->k->heap, u->thing, u->cap * sizeof *more);
	u->thing = more;
	u->cap = cap;
	return true;
}

void *unpack_thing(struct unpacking *u, enum thing kind, size_t *at, bool *fresh)
{
	uint64_t number = unpack_u64(u->in);

	*fresh = false;
	*at = 0;
	if (number > u->count || (number == u->count && u->count == u->cap && !unpack_grow(u)))
		u->in->bad = true;
	if (u->in->bad)
		return NULL;
	if (number < u->count) {
		u->in->bad = u->thing[number].kind != kind || !u->thing[number].complete;
		return u->in->bad ? NULL : u->thing[number].what;
	}
	u->thing[u->count] = (struct unpacked){ NULL, kind, false };
	*at = u->count++;
	*fresh = true;
	return NULL;
}

void unpack_set(struct unpacking *u, size_t at, void *what)
{
	u->thing[at].what = what;
	u->thing[at].complete = true;
}

struct file *unpack_file_of(const struct unpacking *u, uint64_t number)
{
	if (number >= u->count || u->thing[number].kind != THING_FILE)
		return NULL;
	return u->thing[number].what;
}

/* --- kinds of files --- */

enum {
	FILE_NONE,
	FILE_CONSOLE,
	FILE_REGULAR,
	FILE_DIRECTORY,
	FILE_DEVICE,
	FILE_MEMORY,
	FILE_PATH,
	/* only while programs are saved, too */
	FILE_PIPE,
	FILE_SOCKET,
	FILE_EVENT,
	FILE_TIMER,
	FILE_SIGNAL,
	FILE_PROCESS,
	FILE_EPOLL,
	FILE_KINDS
};

static const struct file_ops *ops_of(uint64_t kind)
{
	switch (kind) {
	case FILE_CONSOLE: return &file_console;
	case FILE_REGULAR: return &file_regular;
	case FILE_DIRECTORY: return &file_dir;
	case FILE_DEVICE: return dev_file_ops();
	case FILE_MEMORY: return &file_mem;
	case FILE_PATH: return &file_path;
	case FILE_PIPE: return &file_pipe;
	case FILE_SOCKET: return &file_socket;
	case FILE_EVENT: return &file_event;
	case FILE_TIMER: return &file_timerfd;
	case FILE_SIGNAL: return &file_signalfd;
	case FILE_PROCESS: return &file_pidfd;
	case FILE_EPOLL: return &file_epoll;
	default: return NULL;
	}
}

static uint64_t kind_of(const struct packing *w, const struct file *f)
{
	struct vfs_stat st;
	uint64_t kind = 1;

	/* Gone since the session's files were restored. */
	if (f->ino != 0 && vfs_getattr(f->k->vfs, f->ino, &st) == -E_NOENT)
		return FILE_NONE;
	while (kind < FILE_KINDS && ops_of(kind) != f->ops)
		kind++;
	if (kind == FILE_KINDS || (kind >= FILE_PIPE && !w->live) || w->depth == PACK_DEPTH)
		return FILE_NONE;
	return kind;
}

/* Directories go by their path; an inode that is one has no other name for long. */
static char *directory_path(struct packing *w, const struct file *f)
{
	struct vfs_stat st;
	char *path;

	if (f->ops != &file_dir &&
	    (vfs_getattr(f->k->vfs, f->ino, &st) != 0 || (st.mode & S_FMT) != S_DIR))
		return NULL;
	return vfs_dir_path(f->k->vfs, f->ino, w->a, &path) == 0 ? path : NULL;
}

static void pack_content(struct packing *w, uint64_t kind, struct file *f)
{
	switch (kind) {
	case FILE_CONSOLE: pack_u64(w->out, (uint64_t)f->u.console); break;
	case FILE_DEVICE: pack_u64(w->out, f->u.dev); break;
	case FILE_MEMORY:
		pack_bytes(w->out, (struct bytes){ f->u.mem->data, f->u.mem->size });
		break;
	case FILE_DIRECTORY:
	case FILE_PATH: pack_text(w->out, directory_path(w, f)); break;
	default: break;
	}
	if (f->ops->pack != NULL) {
		w->depth++;
		f->ops->pack(w, f);
		w->depth--;
	}
}

void pack_file(struct packing *w, struct file *f)
{
	uint64_t kind = f != NULL ? kind_of(w, f) : (uint64_t)FILE_NONE;

	if (kind == FILE_NONE) {
		w->lost += f != NULL;
		pack_u64(w->out, NOTHING);
		return;
	}
	if (!pack_thing(w, THING_FILE, f))
		return;
	pack_u64(w->out, kind);
	pack_u64(w->out, f->flags & FLAGS_KEPT);
	pack_u64(w->out, f->pos);
	pack_u64(w->out, f->ino >> 63 == 0 ? f->ino : 0);
	pack_text(w->out, sys_file_path(f, w->a));
	pack_content(w, kind, f);
}

/* --- and back --- */

/* Holds an inode of a type that the kind of file can have. */
static int take_inode(struct file *f, uint64_t kind, vfs_ino ino)
{
	struct vfs *v = f->k->vfs;
	struct vfs_stat st;
	int r;

	if ((ino == 0 && kind == FILE_PIPE) || (kind != FILE_REGULAR && kind != FILE_PIPE))
		return 0;
	if (ino == 0 || ino >> 63 != 0)
		return -E_IO;
	r = vfs_hold(v, ino);
	if (r != 0)
		return r == -E_NOENT ? -E_IO : r;
	f->ino = ino;
	r = vfs_getattr(v, ino, &st);
	return r == 0 && (st.mode & S_FMT) != (kind == FILE_PIPE ? S_FIFO : S_REG) ? -E_IO : r;
}

/* Finds the directory that was there, one without a path by its number. 1: there is none any
 * more. */
static int take_directory(struct file *f, struct bytes path, vfs_ino nameless)
{
	static const struct vfs_cred root = { 0 };
	char name[VFS_PATH_MAX];
	struct vfs_stat st;
	vfs_ino ino;
	int r;

	if (path.ptr == NULL && (nameless == 0 || nameless >> 63 != 0))
		return 1;
	if (path.ptr != NULL && path.len >= sizeof name)
		return -E_IO;
	if (path.ptr != NULL) {
		memcpy(name, path.ptr, path.len);
		name[path.len] = '\0';
	}
	ino = nameless;
	r = path.ptr != NULL ? vfs_lookup(f->k->vfs, &root, VFS_ROOT, name, 0, &ino) : 0;
	if (r == 0)
		r = vfs_getattr(f->k->vfs, ino, &st);
	if (r == 0 && (st.mode & S_FMT) != S_DIR)
		return 1;
	if (r == 0)
		r = vfs_hold(f->k->vfs, ino);
	if (r == 0)
		f->ino = ino;
	return r == 0 || r == -E_IO || r == -E_NOMEM ? r : 1;
}

/* The inode that a device was opened by, if its path still leads there. */
static void take_device_inode(struct file *f, uint64_t rdev)
{
	static const struct vfs_cred root = { 0 };
	struct vfs *v = f->k->vfs;
	struct vfs_stat st;
	vfs_ino ino;

	if (f->path != NULL && vfs_lookup(v, &root, VFS_ROOT, f->path, 0, &ino) == 0 &&
	    vfs_getattr(v, ino, &st) == 0 && (st.mode & S_FMT) == S_CHR && st.rdev == rdev &&
	    vfs_hold(v, ino) == 0)
		f->ino = ino;
}

static int take_device(struct file *f, uint64_t rdev)
{
	struct file *made = NULL;
	struct proc nobody = { .k = f->k };
	int r = rdev >> 8 == 1 ? dev_open(&nobody, rdev, 0, &made) : -E_IO;

	if (r != 0)
		return r == -E_NOMEM ? r : -E_IO;
	file_put(made);
	f->u.dev = rdev;
	take_device_inode(f, rdev);
	return 0;
}

static int take_memory(struct file *f, struct bytes content)
{
	f->u.mem = mem_new(f->k, content);
	return f->u.mem != NULL ? 0 : -E_NOMEM;
}

static int take_content(struct unpacking *u, uint64_t kind, vfs_ino ino, struct file *f)
{
	const struct file_ops *ops = ops_of(kind);
	int r = 0;

	switch (kind) {
	case FILE_CONSOLE: f->u.console = (int)unpack_below(u->in, 2); break;
	case FILE_DEVICE: r = take_device(f, unpack_u64(u->in)); break;
	case FILE_MEMORY: r = take_memory(f, unpack_bytes(u->in)); break;
	case FILE_DIRECTORY:
	case FILE_PATH: r = take_directory(f, unpack_text(u->in), ino); break;
	default: break;
	}
	if (r == 0 && ops->unpack != NULL) {
		u->depth++;
		r = u->depth < PACK_DEPTH ? ops->unpack(u, f) : -E_IO;
		u->depth--;
	}
	if (r == 0 && u->in->bad)
		r = -E_IO;
	/* What it stands for is there to be closed, also if it is not whole. */
	if (r == 0 || f->u.object != NULL)
		f->ops = ops;
	return r;
}

static void take_path(struct file *f, struct bytes path)
{
	if (path.ptr == NULL || path.len == 0 || path.len >= VFS_PATH_MAX)
		return;
	f->dir = VFS_ROOT;
	f->path = heap_alloc(&f->k->heap, path.len + 1);
	if (f->path == NULL)
		return;
	memcpy(f->path, path.ptr, path.len);
	f->path[path.len] = '\0';
}

static unsigned flags_of(uint64_t kind, unsigned flags)
{
	switch (kind) {
	case FILE_MEMORY:
	case FILE_DIRECTORY: return O_RDONLY_;
	case FILE_PATH: return O_PATH_;
	case FILE_CONSOLE:
	case FILE_REGULAR:
	case FILE_DEVICE:
	case FILE_PIPE: return flags;
	default: return O_RDWR_ | (flags & O_NONBLOCK_);
	}
}

static int read_file(struct unpacking *u, struct file **out)
{
	uint64_t kind = unpack_below(u->in, FILE_KINDS - 1);
	unsigned flags = (unsigned)unpack_u64(u->in) & FLAGS_KEPT;
	uint64_t pos = unpack_below(u->in, INT64_MAX);
	vfs_ino ino = unpack_u64(u->in);
	struct bytes path = unpack_text(u->in);
	struct file *f;
	int r;

	*out = NULL;
	if (u->in->bad || kind == FILE_NONE)
		return -E_IO;
	f = file_new(u->k, &file_path, flags_of(kind, flags));
	if (f == NULL)
		return -E_NOMEM;
	f->pos = kind == FILE_DIRECTORY ? 0 : pos;
	take_path(f, path);
	r = take_inode(f, kind, ino);
	if (r == 0)
		r = take_content(u, kind, ino, f);
	if (r != 0)
		file_put(f);
	else
		*out = f;
	return r == 1 ? 0 : r; /* a directory that is gone */
}

int unpack_file(struct unpacking *u, struct file **out)
{
	struct unpack ahead = *u->in;
	struct file *f;
	size_t at;
	bool fresh;
	int r;

	*out = NULL;
	if (unpack_u64(&ahead) == NOTHING && !ahead.bad) {
		*u->in = ahead;
		return 0;
	}
	f = unpack_thing(u, THING_FILE, &at, &fresh);
	if (!fresh) {
		*out = f != NULL ? file_get(f) : NULL;
		return u->in->bad ? -E_IO : 0;
	}
	r = read_file(u, &f);
	if (r != 0)
		return r;
	/* One reference is the list's own. */
	unpack_set(u, at, f);
	*out = f != NULL ? file_get(f) : NULL;
	return 0;
}

/* --- descriptors --- */

void pack_descriptors(struct packing *w, const struct proc *p)
{
	for (int fd = 0; fd < p->priv->fd_top; fd++) {
		struct file *f = p->fd[fd].file;

		if (f == NULL)
			continue;
		pack_u64(w->out, (uint64_t)fd);
		pack_u64(w->out, p->fd[fd].cloexec);
		pack_file(w, f);
	}
	pack_u64(w->out, NO_DESCRIPTOR);
}

int unpack_descriptors(struct unpacking *u, struct proc *p)
{
	int last = -1;

	for (;;) {
		uint64_t fd = unpack_u64(u->in);
		bool cloexec;
		struct file *f;
		int at;
		int r;

		if (fd == NO_DESCRIPTOR && !u->in->bad)
			return 0;
		cloexec = unpack_below(u->in, 1) != 0;
		if (u->in->bad || fd > INT32_MAX || (int)fd <= last)
			return -E_IO;
		last = (int)fd;
		r = unpack_file(u, &f);
		if (r != 0)
			return r;
		if (f == NULL)
			continue;
		at = fd_slot_at(p, last);
		if (at < 0) {
			file_put(f);
			return at;
		}
		fd_set(p, last, f, cloexec);
	}
}

/* --- what needs all files --- */

void pack_sets(struct packing *w)
{
	for (const struct packed *p = w->first; p != NULL; p = p->after) {
		const struct file *f = p->what;

		if (p->kind != THING_FILE || f->ops != &file_epoll)
			continue;
		pack_u64(w->out, p->number);
		epoll_pack_members(w, f);
	}
	pack_u64(w->out, NOTHING);
}

int unpack_sets(struct unpacking *u)
{
	for (;;) {
		uint64_t number = unpack_u64(u->in);
		struct file *f = unpack_file_of(u, number);
		int r;

		if (u->in->bad)
			return -E_IO;
		if (number == NOTHING)
			return 0;
		if (f == NULL || f->ops != &file_epoll)
			return -E_IO;
		r = epoll_unpack_members(u, f);
		if (r != 0)
			return r;
	}
}

void unpack_take(struct unpacking *u, size_t number)
{
	file_put(u->thing[number].what);
	u->thing[number] = (struct unpacked){ .kind = THING_FILE };
}

void unpack_forget(struct unpacking *u)
{
	for (size_t i = 0; i < u->count; i++)
		if (u->thing[i].kind == THING_FILE && u->thing[i].what != NULL)
			file_put(u->thing[i].what);
	heap_free(&u->k->heap, u->thing, u->cap * sizeof *u->thing);
	u->thing = NULL;
	u->count = u->cap = 0;
}

/* --- of one process --- */

/* What a program makes for itself alone. */
static bool is_own(const struct file *f)
{
	return f->ops == &file_event || f->ops == &file_epoll ||
	       (f->ops == &file_pipe && f->ino == 0);
}

bool proc_pack_own(struct proc *p, bool (*mine)(const void *, const struct proc *, int),
		   const void *arg, struct buf *out)
{
	struct packing w = { .k = p->k, .out = out, .a = &p->arena, .live = true };

	for (int fd = 0; fd < p->priv->fd_top; fd++) {
		struct file *f = p->fd[fd].file;

		if (f == NULL || !mine(arg, p, fd))
			continue;
		if (!is_own(f))
			return false;
		pack_u64(out, (uint64_t)fd);
		pack_u64(out, p->fd[fd].cloexec);
		pack_file(&w, f);
	}
	pack_u64(out, NO_DESCRIPTOR);
	pack_sets(&w);
	return true;
}

int proc_unpack_own(struct proc *p, struct bytes s)
{
	struct unpack in = unpack_of(s);
	struct unpacking u = { .k = p->k, .in = &in, .a = &p->arena };
	int r = unpack_descriptors(&u, p);

	if (r == 0)
		r = unpack_sets(&u);
	/* Copies have numbers of their own. */
	for (size_t i = 0; i < u.count; i++)
		if (u.thing[i].kind == THING_PIPE && u.thing[i].what != NULL)
			((struct pipe *)u.thing[i].what)->id = ++p->k->pipes_made + PIPE_ID_FIRST;
	unpack_forget(&u);
	return r;
}
