/* SPDX-License-Identifier: MIT
 *
 * inotify(7): what happens to inodes that are watched, told as a stream of records.
 *
 *   kernel ──> instances (open files) ──> watches, each of one inode, which it holds
 *                                    └──> records nobody has read yet
 *
 * The calls that change or use files tell of it here, only while there are watches at all. A
 * directory is told of what happens to its entries by the name that the call used. Left out:
 * changes through mapped memory; and a deleted file's last moment is that of its last name.
 */
#include "kernel/internal.h"

enum {
	WATCHES_MAX = 65536,
	INSTANCES_MAX = 1024,
	RECORDS_MAX = 16384,
	NAME_ALIGN = 16,
	MASK_EVENTS = 0xfff,
};

#define MASK_ONLY_DIR  0x01000000u
#define MASK_NO_FOLLOW 0x02000000u
#define MASK_CREATE    0x10000000u
#define MASK_ADD       0x20000000u
#define MASK_ONE_SHOT  0x80000000u
#define EVENT_Q_OVER   0x4000u
#define EVENT_IGNORED  0x8000u

struct watch {
	struct watch *next;
	vfs_ino ino; /* held */
	int number;
	uint32_t mask;
};

/* As programs read it; a name padded with NULs follows. */
struct record {
	int32_t watch;
	uint32_t mask;
	uint32_t cookie;
	uint32_t name_bytes;
};

struct inotify {
	struct inotify *next;
	struct watch *first; /* newest first */
	int last_number;
	char *queue;
	size_t cap;
	size_t head;
	size_t tail;
	size_t latest; /* where the last record begins */
	uint32_t records;
	struct waitq readers;
};

static struct inotify *inotify_of(const struct file *f)
{
	return f->u.object;
}

/* --- records --- */

static bool make_room(struct kernel *k, struct inotify *n, size_t bytes)
{
	size_t used = n->tail - n->head;
	size_t cap = n->cap;
	char *more;

	if (n->head != 0 && (used == 0 || n->head > cap / 2)) {
		memmove(n->queue, n->queue + n->head, used);
		n->latest -= n->head <= n->latest ? n->head : n->latest;
		n->tail = used;
		n->head = 0;
	}
	if (cap - n->tail >= bytes)
		return true;
	while (cap - n->tail < bytes)
		cap = cap == 0 ? PAGE_BYTES : cap * 2;
	more = heap_alloc(&k->heap, cap);
	if (more == NULL)
		return false;
	if (n->tail != 0)
		memcpy(more, n->queue, n->tail);
	heap_free(&k->heap, n->queue, n->cap);
	n->queue = more;
	n->cap = cap;
	return true;
}

static void put(struct kernel *k, struct inotify *n, struct record r, struct bytes name)
{
	size_t padded = name.len == 0 ? 0 : (name.len / NAME_ALIGN + 1) * NAME_ALIGN;
	size_t bytes = sizeof r + padded;

	if (n->records >= RECORDS_MAX) {
		r = (struct record){ .watch = -1, .mask = EVENT_Q_OVER };
		name.len = padded = 0;
		bytes = sizeof r;
	}
	r.name_bytes = (uint32_t)padded;
	if (!make_room(k, n, bytes))
		return;
	memcpy(n->queue + n->tail, &r, sizeof r);
	if (padded != 0) {
		memset(n->queue + n->tail + sizeof r, 0, padded);
		memcpy(n->queue + n->tail + sizeof r, name.ptr, name.len);
	}
	/* The same as the last one that is not read: once is enough. */
	if (n->records != 0 && n->tail - n->latest == bytes &&
	    memcmp(n->queue + n->latest, n->queue + n->tail, bytes) == 0)
		return;
	n->latest = n->tail;
	n->tail += bytes;
	n->records++;
	sched_wake_all(&n->readers);
	sched_wake_all(&k->poll_waiters);
}

/* --- watches --- */

static void forget(struct kernel *k, struct watch **link)
{
	struct watch *w = *link;

	*link = w->next;
	k->watches--;
	vfs_drop(k->vfs, w->ino);
	heap_free(&k->heap, w, sizeof *w);
}

static void end_watch(struct kernel *k, struct inotify *n, struct watch **link)
{
	put(k, n, (struct record){ .watch = (*link)->number, .mask = EVENT_IGNORED }, BYTES(""));
	forget(k, link);
}

/* Every watch is looked at. A switch here would change the lists: it comes at the next charge. */
static void charge(struct kernel *k)
{
	kernel_fuel(k)->left -= (int64_t)k->watches;
}

static void tell(struct kernel *k, vfs_ino ino, uint32_t mask, uint32_t cookie, struct bytes name)
{
	charge(k);
	for (struct inotify *n = k->inotifies; n != NULL; n = n->next) {
		for (struct watch **link = &n->first; *link != NULL; link = &(*link)->next) {
			struct watch *w = *link;

			if (w->ino != ino || (w->mask & mask & MASK_EVENTS) == 0)
				continue;
			put(k, n,
			    (struct record){ .watch = w->number, .mask = mask, .cookie = cookie },
			    name);
			if ((w->mask & MASK_ONE_SHOT) != 0)
				end_watch(k, n, link);
			break;
		}
	}
}

/* The inode has no name any more. */
static void tell_gone(struct kernel *k, vfs_ino ino)
{
	charge(k);
	for (struct inotify *n = k->inotifies; n != NULL; n = n->next)
		for (struct watch **link = &n->first; *link != NULL; link = &(*link)->next)
			if ((*link)->ino == ino) {
				end_watch(k, n, link);
				break;
			}
}

/* --- from the calls --- */

/* The directory that a path's last name is in, and that name. */
static bool parent_of(struct kernel *k, vfs_ino dir, const char *path, vfs_ino *parent,
		      struct bytes *name)
{
	static const struct vfs_cred root = { 0 };
	char text[VFS_PATH_MAX];
	size_t end = strlen(path);
	size_t begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--)
		;
	*name = (struct bytes){ path + begin, end - begin };
	if (name->len == 0 || begin + 2 > sizeof text || bytes_eq(*name, BYTES(".")) ||
	    bytes_eq(*name, BYTES("..")))
		return false;
	*parent = dir;
	if (begin == 0)
		return true;
	memcpy(text, path, begin);
	text[begin] = '\0';
	return vfs_lookup(k->vfs, &root, dir, text, 0, parent) == 0;
}

vfs_ino inotify_find(struct kernel *k, vfs_ino dir, const char *path)
{
	static const struct vfs_cred root = { 0 };
	vfs_ino ino;

	return vfs_lookup(k->vfs, &root, dir, path, VFS_NOFOLLOW, &ino) == 0 ? ino : 0;
}

static uint32_t kind_of(struct kernel *k, vfs_ino ino)
{
	struct vfs_stat st;

	return ino != 0 && vfs_getattr(k->vfs, ino, &st) == 0 && (st.mode & S_FMT) == S_DIR
		       ? INOTIFY_DIRECTORY
		       : 0;
}

static void entry(struct kernel *k, vfs_ino dir, const char *path, uint32_t mask, uint32_t cookie)
{
	struct bytes name;
	vfs_ino parent;

	if (parent_of(k, dir, path, &parent, &name))
		tell(k, parent, mask, cookie, name);
}

/* Whether the name that was used still leads there: the file may have been renamed since. */
static bool is_named(struct kernel *k, vfs_ino ino, vfs_ino dir, const char *path)
{
	return path != NULL && inotify_find(k, dir, path) == ino;
}

void inotify_use(struct kernel *k, vfs_ino ino, vfs_ino dir, const char *path, uint32_t mask)
{
	mask |= kind_of(k, ino);
	if (is_named(k, ino, dir, path))
		entry(k, dir, path, mask, 0);
	tell(k, ino, mask, 0, BYTES(""));
}

void inotify_file(struct kernel *k, const struct file *f, uint32_t mask)
{
	if (f->ino != 0 && (f->flags & O_PATH_) == 0)
		inotify_use(k, f->ino, f->dir, f->path, mask);
}

void inotify_opened(struct kernel *k, const struct file *f, unsigned oflags)
{
	inotify_file(k, f, INOTIFY_OPEN);
	if ((oflags & O_TRUNC_) != 0)
		inotify_file(k, f, INOTIFY_MODIFY);
}

void inotify_made(struct kernel *k, vfs_ino dir, const char *path)
{
	entry(k, dir, path, INOTIFY_CREATE | kind_of(k, inotify_find(k, dir, path)), 0);
}

static void unlinked(struct kernel *k, vfs_ino ino)
{
	struct vfs_stat st;

	if (ino == 0 || vfs_getattr(k->vfs, ino, &st) != 0)
		return;
	if ((st.mode & S_FMT) != S_DIR)
		tell(k, ino, INOTIFY_ATTRIB, 0, BYTES(""));
	if (st.nlink == 0) {
		tell(k, ino, INOTIFY_DELETE_SELF, 0, BYTES(""));
		tell_gone(k, ino);
	}
}

void inotify_removed(struct kernel *k, vfs_ino ino, bool was_dir, vfs_ino dir, const char *path)
{
	unlinked(k, ino);
	entry(k, dir, path, INOTIFY_DELETE | (was_dir ? INOTIFY_DIRECTORY : 0u), 0);
}

void inotify_renamed(struct kernel *k, const struct inotify_rename *r)
{
	uint32_t kind = kind_of(k, r->ino);
	uint32_t cookie = ++k->rename_cookie;

	entry(k, r->from, r->old, INOTIFY_MOVED_FROM | kind, cookie);
	entry(k, r->to, r->new, INOTIFY_MOVED_TO | kind, cookie);
	if (r->replaced != 0 && r->replaced != r->ino)
		unlinked(k, r->replaced);
	if (r->ino != 0)
		tell(k, r->ino, INOTIFY_MOVE_SELF, 0, BYTES(""));
}

/* --- the file --- */

static int64_t inotify_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct inotify *i = inotify_of(f);
	size_t done = 0;
	struct record r;

	while (i->records == 0) {
		int e = (f->flags & O_NONBLOCK_) != 0 ? -E_AGAIN
						      : sched_block(p, &i->readers, TIMER_NEVER);

		if (e != 0)
			return e;
	}
	while (i->records != 0) {
		memcpy(&r, i->queue + i->head, sizeof r);
		if (n - done < sizeof r + r.name_bytes)
			break;
		memcpy((char *)out + done, i->queue + i->head, sizeof r + r.name_bytes);
		done += sizeof r + r.name_bytes;
		i->head += sizeof r + r.name_bytes;
		i->records--;
	}
	return done != 0 ? (int64_t)done : -E_INVAL;
}

static unsigned inotify_poll(struct proc *p, struct file *f)
{
	(void)p;
	return inotify_of(f)->records != 0 ? POLL_READ_ : 0u;
}

static void inotify_close(struct kernel *k, struct file *f)
{
	struct inotify *n = inotify_of(f);
	struct inotify **link = &k->inotifies;

	while (n->first != NULL)
		forget(k, &n->first);
	while (*link != n)
		link = &(*link)->next;
	*link = n->next;
	heap_free(&k->heap, n->queue, n->cap);
	heap_free(&k->heap, n, sizeof *n);
}

static int64_t inotify_waiting(const struct file *f)
{
	return (int64_t)(inotify_of(f)->tail - inotify_of(f)->head);
}

static int copy_watches(struct kernel *k, const struct inotify *like, struct inotify *n)
{
	struct watch **link = &n->first;

	for (const struct watch *from = like->first; from != NULL; from = from->next) {
		struct watch *w = heap_alloc(&k->heap, sizeof *w);

		if (w == NULL || vfs_hold(k->vfs, from->ino) != 0) {
			heap_free(&k->heap, w, sizeof *w);
			return -E_NOMEM;
		}
		*w = *from;
		w->next = NULL;
		*link = w;
		link = &w->next;
		k->watches++;
	}
	return 0;
}

static int inotify_copy(struct copying *c, const struct file *like, struct file *f)
{
	const struct inotify *from = inotify_of(like);
	struct kernel *k = c->to;
	struct inotify *n = heap_alloc(&k->heap, sizeof *n);
	char *queue = from->cap != 0 ? heap_alloc(&k->heap, from->cap) : NULL;

	if (n == NULL || (from->cap != 0 && queue == NULL)) {
		heap_free(&k->heap, n, sizeof *n);
		heap_free(&k->heap, queue, from->cap);
		return -E_NOMEM;
	}
	*n = *from;
	n->first = NULL;
	n->queue = queue;
	n->readers = (struct waitq){ NULL, NULL };
	if (n->tail != 0)
		memcpy(n->queue, from->queue, n->tail);
	n->next = k->inotifies;
	k->inotifies = n;
	f->u.object = n;
	return copy_watches(k, from, n);
}

static const struct file_ops file_inotify = {
	.waiting = inotify_waiting,
	.name = "anon_inode:inotify",
	.read = inotify_read,
	.poll = inotify_poll,
	.stat = anonymous_stat,
	.close = inotify_close,
	.copy = inotify_copy,
};

int64_t sys_inotify(struct proc *p, unsigned oflags)
{
	struct kernel *k = p->k;
	int instances = 0;
	struct inotify *n;
	struct file *f;

	proc_charge(p, 4);
	for (n = k->inotifies; n != NULL; n = n->next)
		instances++;
	if (instances >= INSTANCES_MAX)
		return -E_MFILE;
	n = heap_zalloc(&k->heap, sizeof *n);
	f = n != NULL ? file_new(k, &file_inotify, O_RDONLY_ | (oflags & O_NONBLOCK_)) : NULL;
	if (f == NULL) {
		heap_free(&k->heap, n, sizeof *n);
		return -E_NOMEM;
	}
	n->next = k->inotifies;
	k->inotifies = n;
	f->u.object = n;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

static int64_t get(struct proc *p, int fd, struct inotify **out)
{
	const struct file *f = fd_file(p, fd);

	if (f == NULL)
		return -E_BADF;
	if (f->ops != &file_inotify)
		return -E_INVAL;
	*out = inotify_of(f);
	return 0;
}

static int64_t add(struct kernel *k, struct inotify *n, vfs_ino ino, uint32_t mask)
{
	struct watch *w;

	charge(k);
	for (w = n->first; w != NULL && w->ino != ino; w = w->next)
		;
	if (w != NULL) {
		if ((mask & MASK_CREATE) != 0)
			return -E_EXIST;
		w->mask = (mask & MASK_ADD) != 0 ? w->mask | mask : mask;
		return w->number;
	}
	if (k->watches == WATCHES_MAX)
		return -E_NOSPC;
	w = heap_alloc(&k->heap, sizeof *w);
	if (w == NULL || vfs_hold(k->vfs, ino) != 0) {
		heap_free(&k->heap, w, sizeof *w);
		return -E_NOMEM;
	}
	*w = (struct watch){ n->first, ino, ++n->last_number, mask };
	n->first = w;
	k->watches++;
	return w->number;
}

int64_t sys_inotify_add(struct proc *p, int fd, const char *path, uint32_t mask)
{
	struct vfs *v = p->k->vfs;
	struct inotify *n;
	struct vfs_stat st;
	int64_t r = get(p, fd, &n);

	if ((mask & MASK_EVENTS) == 0 || (mask & MASK_ADD && mask & MASK_CREATE))
		return -E_INVAL;
	if (r == 0)
		r = sys_stat(p, AT_FDCWD_, path, (mask & MASK_NO_FOLLOW) != 0 ? AT_NOFOLLOW_ : 0,
			     &st);
	if (r == 0 && (mask & MASK_ONLY_DIR) != 0 && (st.mode & S_FMT) != S_DIR)
		r = -E_NOTDIR;
	if (r == 0)
		r = vfs_access(v, &p->cred, st.ino, 4);
	/* While the path was looked up, another thread may have closed the descriptor. */
	if (r == 0)
		r = get(p, fd, &n);
	return r == 0 ? add(p->k, n, st.ino, mask) : r;
}

int64_t sys_inotify_remove(struct proc *p, int fd, int number)
{
	struct inotify *n;
	int64_t r = get(p, fd, &n);

	proc_charge(p, 2 + p->k->watches / 16);
	if (r == 0)
		r = get(p, fd, &n);
	if (r != 0)
		return r;
	for (struct watch **link = &n->first; *link != NULL; link = &(*link)->next) {
		if ((*link)->number == number) {
			end_watch(p->k, n, link);
			return 0;
		}
	}
	return -E_INVAL;
}
