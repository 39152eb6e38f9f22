/* SPDX-License-Identifier: MIT
 *
 * A kernel and its first process as bytes, and back: what a saved session needs besides its
 * files. Every byte that is read may have been written by an attacker.
 *
 * Limits are not here: they are the host's. How much of them was used is.
 */
#include "base/pack.h"
#include "kernel/internal.h"

enum { FILE_CONSOLE = 1, FILE_REGULAR, FILE_DIRECTORY, FILE_DEVICE, FILE_MEMORY, FILE_AGAIN };

/* What of an open file's flags means something once it is open. */
#define FLAGS_KEPT (O_ACCMODE_ | O_APPEND_ | O_NONBLOCK_)
#define TIME_MAX   ((uint64_t)INT64_MAX / 4)
#define STEPS_MAX  ((uint64_t)1 << 62)

static void pack_cred(struct buf *out, const struct vfs_cred *c)
{
	pack_u64(out, c->uid);
	pack_u64(out, c->gid);
	pack_u64(out, c->ngroups);
	for (uint32_t i = 0; i < c->ngroups; i++)
		pack_u64(out, c->groups[i]);
}

static void unpack_cred(struct unpack *in, struct vfs_cred *c)
{
	c->uid = (uint32_t)unpack_below(in, UINT32_MAX);
	c->gid = (uint32_t)unpack_below(in, UINT32_MAX);
	c->ngroups = (uint32_t)unpack_below(in, VFS_GROUPS_MAX);
	for (uint32_t i = 0; i < c->ngroups; i++)
		c->groups[i] = (uint32_t)unpack_below(in, UINT32_MAX);
}

void kernel_pack(const struct kernel *k, struct buf *out)
{
	pack_u64(out, (uint64_t)k->epoch_ns);
	pack_u64(out, (uint64_t)k->slept_ns);
	pack_u64(out, k->step_ps);
	pack_u64(out, kernel_steps(k));
	pack_u64(out, k->output_total + k->output_bytes);
	pack_u64(out, k->processes);
	pack_u64(out, (uint64_t)k->last_pid);
	pack_u64(out, k->pipes_made);
	pack_u64(out, k->ports_made);
	for (int i = 0; i < 4; i++)
		pack_u64(out, k->rng[i]);
	for (int i = 0; i < 2; i++)
		pack_u64(out, k->boot_id[i]);
	pack_text(out, k->hostname);
	pack_cred(out, &k->cred);
}

int kernel_unpack(struct kernel *k, struct unpack *in)
{
	struct bytes name;

	k->epoch_ns = (int64_t)unpack_below(in, TIME_MAX);
	k->slept_ns = (int64_t)unpack_below(in, TIME_MAX);
	k->step_ps = unpack_below(in, (uint64_t)1 << 40);
	k->steps_total = k->steps_begin = k->steps_polled = unpack_below(in, STEPS_MAX);
	k->output_total = unpack_below(in, STEPS_MAX);
	k->processes = unpack_below(in, STEPS_MAX);
	k->last_pid = (int)unpack_below(in, PID_MAX - 1);
	k->pipes_made = unpack_below(in, STEPS_MAX);
	k->ports_made = (uint32_t)unpack_below(in, UINT32_MAX);
	for (int i = 0; i < 4; i++)
		k->rng[i] = unpack_u64(in);
	for (int i = 0; i < 2; i++)
		k->boot_id[i] = unpack_u64(in);
	name = unpack_text(in);
	if (name.ptr == NULL || name.len >= sizeof k->hostname)
		in->bad = true;
	unpack_cred(in, &k->cred);
	if (in->bad || k->step_ps == 0 || (k->rng[0] | k->rng[1] | k->rng[2] | k->rng[3]) == 0 ||
	    k->steps_total / 1000000 * k->step_ps > TIME_MAX / 1000)
		return -E_IO;
	memcpy(k->hostname, name.ptr, name.len);
	k->hostname[name.len] = '\0';
	return 0;
}

/* --- open files --- */

/* The lowest descriptor of the same open file. */
static int first_of(const struct proc *p, int fd)
{
	int i = 0;

	while (p->fd[i].file != p->fd[fd].file)
		i++;
	return i;
}

static bool pack_kind(struct buf *out, struct file *f, struct arena *a)
{
	char *path;

	if (f->ops == &file_console) {
		pack_u64(out, FILE_CONSOLE);
		pack_u64(out, (uint64_t)f->u.console);
	} else if (f->ops == &file_regular) {
		pack_u64(out, FILE_REGULAR);
		pack_u64(out, f->ino);
	} else if (f->ops == &file_dir && vfs_dir_path(f->k->vfs, f->ino, a, &path) == 0) {
		pack_u64(out, FILE_DIRECTORY);
		pack_text(out, path);
	} else if (f->ops == dev_file_ops()) {
		pack_u64(out, FILE_DEVICE);
		pack_u64(out, f->u.dev);
	} else if (f->ops == &file_mem) {
		pack_u64(out, FILE_MEMORY);
		pack_bytes(out, (struct bytes){ f->u.mem->data, f->u.mem->size });
	} else {
		return false;
	}
	pack_u64(out, f->flags & FLAGS_KEPT);
	pack_u64(out, f->pos);
	pack_text(out, sys_file_path(f, a));
	return true;
}

/* One descriptor; false if it can't be kept. */
static bool pack_descriptor(struct buf *out, const struct proc *p, int fd, struct arena *a)
{
	size_t start = out->len;
	int first = first_of(p, fd);

	pack_u64(out, (uint64_t)fd);
	pack_u64(out, p->fd[fd].cloexec);
	if (first < fd) {
		pack_u64(out, FILE_AGAIN);
		pack_u64(out, (uint64_t)first);
		return true;
	}
	if (pack_kind(out, p->fd[fd].file, a))
		return true;
	out->len = start;
	return false;
}

static bool can_pack(const struct file *f)
{
	return f->ops == &file_console || f->ops == &file_regular || f->ops == &file_dir ||
	       f->ops == dev_file_ops() || f->ops == &file_mem;
}

int proc_pack(const struct proc *p, struct buf *out, struct arena *a)
{
	struct vfs *v = p->k->vfs;
	int lost = 0;
	char *path = NULL;

	pack_u64(out, (uint64_t)p->pid);
	pack_u64(out, (uint64_t)p->ppid);
	pack_u64(out, (uint64_t)p->pgid);
	pack_u64(out, (uint64_t)p->sid);
	pack_u64(out, p->umask);
	pack_cred(out, &p->cred);
	pack_u64(out, (uint64_t)(p->nice + 64));
	pack_u64(out, p->sig_blocked);
	for (int i = 0; i < 16; i++) {
		pack_u64(out, p->rlimit[i][0]);
		pack_u64(out, p->rlimit[i][1]);
	}
	pack_text(out, vfs_dir_path(v, p->cwd, a, &path) == 0 ? path : NULL);
	pack_u64(out, p->cwd);
	for (int fd = 0; fd < p->priv->fd_top; fd++) {
		const struct file *f = p->fd[fd].file;

		if (f == NULL)
			continue;
		if (!can_pack(f) || !pack_descriptor(out, p, fd, a))
			lost++;
	}
	pack_u64(out, UINT32_MAX); /* no descriptor: the end */
	return lost;
}

/* --- and back --- */

static int open_regular(struct kernel *k, vfs_ino ino, struct file **out)
{
	struct vfs_stat st;
	struct file *f;
	int r = vfs_hold(k->vfs, ino);

	if (r != 0)
		return r == -E_NOENT ? -E_IO : r;
	r = ino >> 63 == 0 ? vfs_getattr(k->vfs, ino, &st) : -E_IO;
	if (r == 0 && (st.mode & S_FMT) != S_REG)
		r = -E_IO;
	f = r == 0 ? file_new(k, &file_regular, 0) : NULL;
	if (f == NULL) {
		vfs_drop(k->vfs, ino);
		return r != 0 ? r : -E_NOMEM;
	}
	f->ino = ino;
	*out = f;
	return 0;
}

/* Holds the directory at a path. 1: there is none any more, as when it was saved. */
static int hold_directory(struct kernel *k, const char *path, vfs_ino *out)
{
	static const struct vfs_cred root = { 0 };
	struct vfs_stat st;
	int r = vfs_lookup(k->vfs, &root, VFS_ROOT, path, 0, out);

	if (r == 0)
		r = vfs_getattr(k->vfs, *out, &st);
	if (r == 0)
		return (st.mode & S_FMT) == S_DIR ? vfs_hold(k->vfs, *out) : 1;
	return r == -E_IO || r == -E_NOMEM ? r : 1;
}

/* A directory that was there; one that can't be found leaves the descriptor closed. */
static int open_directory(struct kernel *k, struct bytes path, struct file **out)
{
	struct file *f;
	vfs_ino ino;
	int r;

	*out = NULL;
	if (path.ptr == NULL || path.len >= VFS_PATH_MAX)
		return -E_IO;
	r = hold_directory(k, path.ptr, &ino);
	if (r != 0)
		return r == 1 ? 0 : r;
	f = file_new(k, &file_dir, 0);
	if (f == NULL) {
		vfs_drop(k->vfs, ino);
		return -E_NOMEM;
	}
	f->ino = ino;
	*out = f;
	return 0;
}

static int open_memory(struct kernel *k, struct bytes content, struct file **out)
{
	struct mem *m = mem_new(k, content);

	return m != NULL ? mem_open(k, m, O_RDONLY_, out) : -E_NOMEM;
}

/* A text that is followed by the next number, not by a NUL, as a C string in the arena. */
static struct bytes unpack_cstr(struct unpack *in, struct arena *a)
{
	struct bytes s = unpack_text(in);

	return s.ptr != NULL ? arena_bytes(a, s) : s;
}

/* The open file of a descriptor; *out NULL: it is to be closed. */
static int unpack_file(struct proc *p, struct unpack *in, struct arena *a, struct file **out)
{
	struct kernel *k = p->k;
	uint64_t kind = unpack_u64(in);
	unsigned flags;
	uint64_t pos;
	struct bytes path;
	int fd;
	int r = 0;

	*out = NULL;
	switch (in->bad ? 0 : kind) {
	case FILE_CONSOLE: r = console_open(k, (int)unpack_below(in, 2), 0, out); break;
	case FILE_REGULAR: r = open_regular(k, unpack_u64(in), out); break;
	case FILE_DIRECTORY: r = open_directory(k, unpack_cstr(in, a), out); break;
	case FILE_DEVICE: r = dev_open(p, unpack_u64(in), 0, out); break;
	case FILE_MEMORY: r = open_memory(k, unpack_bytes(in), out); break;
	case FILE_AGAIN:
		fd = (int)unpack_below(in, INT32_MAX);
		*out = fd < p->nfds && p->fd[fd].file != NULL ? file_get(p->fd[fd].file) : NULL;
		return in->bad ? -E_IO : 0;
	default: return -E_IO;
	}
	if (r != 0)
		return r;
	flags = (unsigned)unpack_u64(in) & FLAGS_KEPT;
	pos = unpack_below(in, INT64_MAX);
	path = unpack_cstr(in, a);
	if (*out == NULL)
		return in->bad ? -E_IO : 0;
	(*out)->flags = kind == FILE_MEMORY || kind == FILE_DIRECTORY ? O_RDONLY_ : flags;
	(*out)->pos = kind == FILE_DIRECTORY ? 0 : pos;
	if (path.ptr != NULL && path.len != 0 && path.len < VFS_PATH_MAX) {
		(*out)->dir = VFS_ROOT;
		(*out)->path = heap_alloc(&k->heap, path.len + 1);
		if ((*out)->path != NULL)
			memcpy((*out)->path, path.ptr, path.len + 1);
	}
	return in->bad ? -E_IO : 0;
}

static int unpack_descriptors(struct proc *p, struct unpack *in, struct arena *a)
{
	int last = -1;

	for (;;) {
		uint64_t fd = unpack_u64(in);
		bool cloexec;
		struct file *f;
		int r;

		if (fd == UINT32_MAX && !in->bad)
			return 0;
		cloexec = unpack_below(in, 1) != 0;
		if (in->bad || fd > INT32_MAX || (int)fd <= last)
			return -E_IO;
		last = (int)fd;
		r = unpack_file(p, in, a, &f);
		if (r == 0 && f != NULL) {
			int at = fd_slot(p, last);

			r = at == last ? 0 : at < 0 ? at : -E_IO;
			if (r == 0)
				fd_set(p, last, f, cloexec);
		}
		if (r != 0) {
			if (f != NULL)
				file_put(f);
			return r;
		}
	}
}

/* A directory without a name is found by its number. */
static int hold_nameless(struct kernel *k, vfs_ino ino)
{
	struct vfs_stat st;

	if (ino >> 63 != 0 || vfs_getattr(k->vfs, ino, &st) != 0 || (st.mode & S_FMT) != S_DIR)
		return 1;
	return vfs_hold(k->vfs, ino);
}

/* Where it was; the root if that is gone. */
static int unpack_cwd(struct proc *p, struct unpack *in, struct arena *a)
{
	struct bytes path = unpack_cstr(in, a);
	vfs_ino ino = unpack_u64(in);
	int r;

	if (in->bad || path.len >= VFS_PATH_MAX)
		return -E_IO;
	r = path.ptr != NULL ? hold_directory(p->k, path.ptr, &ino) : hold_nameless(p->k, ino);
	if (r != 0)
		return r == 1 ? 0 : r;
	vfs_drop(p->k->vfs, p->cwd);
	p->cwd = ino;
	return 0;
}

static int unpack_proc(struct proc *p, struct unpack *in, struct arena *a)
{
	int r;

	p->ppid = (int)unpack_below(in, PID_MAX);
	p->pgid = (int)unpack_below(in, PID_MAX);
	p->sid = (int)unpack_below(in, PID_MAX);
	p->umask = (uint32_t)unpack_below(in, 0777);
	unpack_cred(in, &p->cred);
	p->nice = (int)unpack_below(in, 127) - 64;
	p->sig_blocked = unpack_u64(in);
	for (int i = 0; i < 16; i++) {
		p->rlimit[i][0] = unpack_u64(in);
		p->rlimit[i][1] = unpack_u64(in);
	}
	r = unpack_cwd(p, in, a);
	return r != 0 ? r : unpack_descriptors(p, in, a);
}

int kernel_start_packed(struct kernel *k, struct unpack *in, struct arena *a, const struct spawn *s,
			char *const *argv, struct proc **out)
{
	static char *const none[] = { NULL };
	struct args args = { .path = "", .argv = argv, .envp = none };
	int last = k->last_pid;
	int pid = (int)unpack_below(in, PID_MAX - 1);
	struct proc *p;
	int r;

	if (in->bad || pid == 0)
		return -E_IO;
	k->last_pid = pid - 1;
	r = proc_new(k, NULL, &p);
	k->last_pid = last > pid ? last : pid;
	k->processes--; /* it was counted when it was first made */
	if (r != 0)
		return r;
	proc_set_name(p, s->name);
	r = unpack_proc(p, in, a);
	if (r == 0)
		r = args_set(p, &args);
	if (r == 0)
		r = proc_set_stack(p, s->fn, s->arg);
	if (r != 0) {
		proc_undo(p);
		return r;
	}
	vfs_reap(k->vfs);
	sched_ready(p);
	*out = p;
	return 0;
}
