/* SPDX-License-Identifier: MIT
 *
 * /proc: the directories, links and attributes of it. What its files say is in procfs_text.c.
 *
 * An object's id is its kind, the process it belongs to and the descriptor. The asker is the
 * kernel; the process that asks is the one that runs.
 */
#include "kernel/socket.h"

#define ID(kind, pid, fd)                                                                          \
	((uint64_t)(kind) << 48 | (uint64_t)(unsigned)(pid) << 24 | (uint64_t)(unsigned)(fd))

static enum procfs_kind kind_of(uint64_t id)
{
	return (enum procfs_kind)(id >> 48 & 0xff);
}

static int pid_of(uint64_t id)
{
	return (int)(id >> 24 & 0xffffff);
}

static int fd_of(uint64_t id)
{
	return (int)(id & 0xffffff);
}

struct entry {
	enum procfs_kind dir;
	const char *name;
	enum procfs_kind kind;
	uint32_t mode;
	const char *text; /* of PROCFS_CONSTANT, which the number of its row tells apart */
};

#define CONSTANT(dir, name, text)                                                                  \
	{                                                                                          \
		dir, name, PROCFS_CONSTANT, S_REG | 0444, text                                     \
	}

/* Sorted by bytes within a directory. */
static const struct entry entries[] = {
	CONSTANT(PROCFS_ROOT, "cmdline", "BOOT_IMAGE=cowsh\n"),
	{ PROCFS_ROOT, "cpuinfo", PROCFS_CPUINFO, S_REG | 0444, NULL },
	{ PROCFS_ROOT, "filesystems", PROCFS_FILESYSTEMS, S_REG | 0444, NULL },
	{ PROCFS_ROOT, "loadavg", PROCFS_LOADAVG, S_REG | 0444, NULL },
	{ PROCFS_ROOT, "meminfo", PROCFS_MEMINFO, S_REG | 0444, NULL },
	{ PROCFS_ROOT, "mounts", PROCFS_MOUNTS_LINK, S_LNK | 0777, NULL },
	{ PROCFS_ROOT, "net", PROCFS_NET, S_DIR | 0555, NULL },
	{ PROCFS_ROOT, "self", PROCFS_SELF, S_LNK | 0777, NULL },
	{ PROCFS_ROOT, "stat", PROCFS_STAT, S_REG | 0444, NULL },
	CONSTANT(PROCFS_ROOT, "swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"),
	{ PROCFS_ROOT, "sys", PROCFS_SYS, S_DIR | 0555, NULL },
	{ PROCFS_ROOT, "thread-self", PROCFS_THREAD_SELF, S_LNK | 0777, NULL },
	{ PROCFS_ROOT, "uptime", PROCFS_UPTIME, S_REG | 0444, NULL },
	{ PROCFS_ROOT, "version", PROCFS_VERSION, S_REG | 0444, NULL },
	CONSTANT(PROCFS_NET, "dev",
		 "Inter-|   Receive                                                |  Transmit\n"
		 " face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
		 "packets "
		 "errs drop fifo colls carrier compressed\n"
		 "    lo:       0       0    0    0    0     0          0         0        0       "
		 "0    "
		 "0    0    0     0       0          0\n"),
	CONSTANT(PROCFS_NET, "if_inet6", "00000000000000000000000000000001 01 80 10 80       lo\n"),
	CONSTANT(PROCFS_NET, "route",
		 "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow"
		 "\tIRTT                                                       \n"),
	{ PROCFS_NET, "tcp", PROCFS_NET_TCP, S_REG | 0444, NULL },
	{ PROCFS_NET, "tcp6", PROCFS_NET_TCP6, S_REG | 0444, NULL },
	{ PROCFS_NET, "udp", PROCFS_NET_UDP, S_REG | 0444, NULL },
	{ PROCFS_NET, "udp6", PROCFS_NET_UDP6, S_REG | 0444, NULL },
	{ PROCFS_NET, "unix", PROCFS_NET_UNIX, S_REG | 0444, NULL },
	{ PROCFS_SYS, "fs", PROCFS_SYS_FS, S_DIR | 0555, NULL },
	{ PROCFS_SYS, "kernel", PROCFS_SYS_KERNEL, S_DIR | 0555, NULL },
	{ PROCFS_SYS, "net", PROCFS_SYS_NET, S_DIR | 0555, NULL },
	{ PROCFS_SYS, "vm", PROCFS_SYS_VM, S_DIR | 0555, NULL },
	CONSTANT(PROCFS_SYS_FS, "file-max", "9223372036854775807\n"),
	CONSTANT(PROCFS_SYS_FS, "nr_open", "1048576\n"),
	CONSTANT(PROCFS_SYS_FS, "pipe-max-size", "65536\n"),
	{ PROCFS_SYS_NET, "core", PROCFS_SYS_NET_CORE, S_DIR | 0555, NULL },
	CONSTANT(PROCFS_SYS_NET_CORE, "somaxconn", "4096\n"),
	CONSTANT(PROCFS_SYS_VM, "max_map_count", "65530\n"),
	CONSTANT(PROCFS_SYS_VM, "overcommit_memory", "0\n"),
	CONSTANT(PROCFS_SYS_KERNEL, "cap_last_cap", "40\n"),
	{ PROCFS_SYS_KERNEL, "hostname", PROCFS_HOSTNAME, S_REG | 0444, NULL },
	CONSTANT(PROCFS_SYS_KERNEL, "ngroups_max", "65536\n"),
	{ PROCFS_SYS_KERNEL, "osrelease", PROCFS_OSRELEASE, S_REG | 0444, NULL },
	{ PROCFS_SYS_KERNEL, "ostype", PROCFS_OSTYPE, S_REG | 0444, NULL },
	{ PROCFS_SYS_KERNEL, "pid_max", PROCFS_PID_MAX, S_REG | 0444, NULL },
	{ PROCFS_SYS_KERNEL, "random", PROCFS_RANDOM, S_DIR | 0555, NULL },
	CONSTANT(PROCFS_SYS_KERNEL, "threads-max", "4194304\n"),
	{ PROCFS_SYS_KERNEL, "version", PROCFS_KVERSION, S_REG | 0444, NULL },
	{ PROCFS_RANDOM, "boot_id", PROCFS_BOOT_ID, S_REG | 0444, NULL },
	{ PROCFS_RANDOM, "entropy_avail", PROCFS_ENTROPY, S_REG | 0444, NULL },
	{ PROCFS_RANDOM, "uuid", PROCFS_UUID, S_REG | 0444, NULL },
	{ PROCFS_PID, "auxv", PROCFS_AUX, S_REG | 0400, NULL },
	CONSTANT(PROCFS_PID, "cgroup", "0::/\n"),
	{ PROCFS_PID, "cmdline", PROCFS_CMDLINE, S_REG | 0444, NULL },
	{ PROCFS_PID, "comm", PROCFS_COMM, S_REG | 0444, NULL },
	{ PROCFS_PID, "cwd", PROCFS_CWD, S_LNK | 0777, NULL },
	{ PROCFS_PID, "environ", PROCFS_ENVIRON, S_REG | 0400, NULL },
	{ PROCFS_PID, "exe", PROCFS_EXE, S_LNK | 0777, NULL },
	{ PROCFS_PID, "fd", PROCFS_FD_DIR, S_DIR | 0500, NULL },
	{ PROCFS_PID, "fdinfo", PROCFS_FDINFO_DIR, S_DIR | 0555, NULL },
	{ PROCFS_PID, "limits", PROCFS_LIMITS, S_REG | 0444, NULL },
	{ PROCFS_PID, "maps", PROCFS_MAPS, S_REG | 0444, NULL },
	{ PROCFS_PID, "mem", PROCFS_MEMORY, S_REG | 0600, NULL },
	{ PROCFS_PID, "mountinfo", PROCFS_MOUNTINFO, S_REG | 0444, NULL },
	{ PROCFS_PID, "mounts", PROCFS_MOUNTS, S_REG | 0444, NULL },
	CONSTANT(PROCFS_PID, "oom_score", "0\n"),
	CONSTANT(PROCFS_PID, "oom_score_adj", "0\n"),
	{ PROCFS_PID, "root", PROCFS_PID_ROOT, S_LNK | 0777, NULL },
	{ PROCFS_PID, "smaps", PROCFS_SMAPS, S_REG | 0444, NULL },
	{ PROCFS_PID, "stat", PROCFS_PID_STAT, S_REG | 0444, NULL },
	{ PROCFS_PID, "statm", PROCFS_STATM, S_REG | 0444, NULL },
	{ PROCFS_PID, "status", PROCFS_STATUS, S_REG | 0444, NULL },
	{ PROCFS_PID, "task", PROCFS_TASK, S_DIR | 0555, NULL },
	CONSTANT(PROCFS_PID, "wchan", "0"),
	{ PROCFS_PID, "zygote", PROCFS_ZYGOTE, S_DIR | 0500, NULL },
	{ PROCFS_ZYGOTE, "request", PROCFS_REQUEST, S_REG | 0400, NULL },
	{ PROCFS_ZYGOTE, "run.js", PROCFS_LAUNCHER, S_REG | 0400, NULL },
	{ PROCFS_ZYGOTE, "sitecustomize.py", PROCFS_LAUNCHER, S_REG | 0400, NULL },
	/* Behind those of processes, whose files they are. */
	{ PROCFS_THREAD, "auxv", PROCFS_AUX, S_REG | 0400, NULL },
	{ PROCFS_THREAD, "cmdline", PROCFS_CMDLINE, S_REG | 0444, NULL },
	{ PROCFS_THREAD, "comm", PROCFS_COMM, S_REG | 0444, NULL },
	{ PROCFS_THREAD, "environ", PROCFS_ENVIRON, S_REG | 0400, NULL },
	{ PROCFS_THREAD, "exe", PROCFS_EXE, S_LNK | 0777, NULL },
	{ PROCFS_THREAD, "limits", PROCFS_LIMITS, S_REG | 0444, NULL },
	{ PROCFS_THREAD, "maps", PROCFS_MAPS, S_REG | 0444, NULL },
	{ PROCFS_THREAD, "mem", PROCFS_MEMORY, S_REG | 0600, NULL },
	{ PROCFS_THREAD, "stat", PROCFS_PID_STAT, S_REG | 0444, NULL },
	{ PROCFS_THREAD, "statm", PROCFS_STATM, S_REG | 0444, NULL },
	{ PROCFS_THREAD, "status", PROCFS_STATUS, S_REG | 0444, NULL },
};

enum { NENTRIES = sizeof entries / sizeof entries[0] };

/* The name of no file: where links to objects without an inode lead. */
#define JUMP_NAME "\001jump"

static const struct entry *entry_of(enum procfs_kind kind)
{
	for (int i = 0; i < NENTRIES; i++)
		if (entries[i].kind == kind)
			return &entries[i];
	return NULL;
}

static enum procfs_kind parent_of(enum procfs_kind kind)
{
	const struct entry *e = entry_of(kind);

	if (kind == PROCFS_FD)
		return PROCFS_FD_DIR;
	if (kind == PROCFS_THREAD)
		return PROCFS_TASK;
	return e != NULL ? e->dir : PROCFS_ROOT;
}

/* A decimal number without sign or leading zeros, or -1. */
static int number_of(struct bytes s)
{
	int n = 0;

	if (s.len == 0 || s.len > 7 || (s.ptr[0] == '0' && s.len > 1))
		return -1;
	for (size_t i = 0; i < s.len; i++) {
		if (!byte_is_digit((unsigned char)s.ptr[i]))
			return -1;
		n = n * 10 + (s.ptr[i] - '0');
	}
	return n;
}

/* The directory of a warm start is there only while that goes on. */
static bool is_there(struct kernel *k, uint64_t dir, const struct entry *e)
{
	const struct proc *p = e->kind == PROCFS_ZYGOTE ? proc_find(k, pid_of(dir)) : NULL;

	return e->kind != PROCFS_ZYGOTE || (p != NULL && p->launcher.len != 0);
}

static uint64_t row_id(uint64_t dir, int row)
{
	enum procfs_kind kind = entries[row].kind;

	return ID(kind, pid_of(dir), kind == PROCFS_CONSTANT ? row : 0);
}

static int lookup_entry(struct kernel *k, uint64_t dir, struct bytes name, uint64_t *id)
{
	for (int i = 0; i < NENTRIES; i++) {
		if (entries[i].dir == kind_of(dir) && bytes_is(name, entries[i].name) &&
		    is_there(k, dir, &entries[i])) {
			*id = row_id(dir, i);
			return 0;
		}
	}
	return -E_NOENT;
}

static int lookup_up(struct kernel *k, uint64_t dir, uint64_t *id)
{
	enum procfs_kind up = parent_of(kind_of(dir));

	/* From a thread to its process. */
	if (up == PROCFS_TASK && proc_find(k, pid_of(dir)) != NULL)
		dir = ID(up, proc_owner(proc_find(k, pid_of(dir)))->pid, 0);
	*id = ID(up, up == PROCFS_ROOT ? 0 : pid_of(dir), 0);
	return 0;
}

/* Descriptors and threads, by number. */
static int lookup_number(struct kernel *k, uint64_t dir, int n, uint64_t *id)
{
	const struct proc *p = proc_find(k, pid_of(dir));
	const struct proc *t = kind_of(dir) == PROCFS_TASK ? proc_find(k, n) : NULL;

	if (p == NULL || n < 0)
		return -E_NOENT;
	if (kind_of(dir) == PROCFS_TASK && (t == NULL || proc_owner(t) != proc_owner(p)))
		return -E_NOENT;
	if (kind_of(dir) != PROCFS_TASK && fd_file(p, n) == NULL)
		return -E_NOENT;
	*id = kind_of(dir) == PROCFS_TASK     ? ID(PROCFS_THREAD, n, 0)
	      : kind_of(dir) == PROCFS_FD_DIR ? ID(PROCFS_FD, pid_of(dir), n)
					      : ID(PROCFS_FDINFO, pid_of(dir), n);
	return 0;
}

static bool has_numbers(enum procfs_kind kind)
{
	return kind == PROCFS_FD_DIR || kind == PROCFS_FDINFO_DIR || kind == PROCFS_TASK;
}

static int proc_lookup(void *user, void *asker, uint64_t dir, struct bytes name, uint64_t *id)
{
	struct kernel *k = asker;
	int n = number_of(name);

	(void)user;
	if (bytes_is(name, ".."))
		return lookup_up(k, dir, id);
	if (has_numbers(kind_of(dir)))
		return lookup_number(k, dir, n, id);
	if (kind_of(dir) == PROCFS_ROOT && proc_find(k, n) != NULL) {
		*id = ID(PROCFS_PID, n, 0);
		return 0;
	}
	if (kind_of(dir) == PROCFS_ROOT && bytes_is(name, JUMP_NAME)) {
		*id = ID(PROCFS_JUMP, 0, 0);
		return 0;
	}
	return lookup_entry(k, dir, name, id);
}

static uint32_t mode_of(const struct proc *p, uint64_t id)
{
	enum procfs_kind kind = kind_of(id);
	const struct entry *e = entry_of(kind);
	const struct file *f = kind == PROCFS_FD ? fd_file(p, fd_of(id)) : NULL;

	if (f != NULL)
		return S_LNK | 0100 | (file_reads(f) ? 0400u : 0) | (file_writes(f) ? 0200u : 0);
	if (kind == PROCFS_JUMP)
		return S_CHR | 0666;
	if (kind == PROCFS_FDINFO)
		return S_REG | 0444;
	if (kind == PROCFS_CONSTANT)
		return entries[fd_of(id)].mode;
	return e != NULL ? e->mode : S_DIR | 0555;
}

static int proc_getattr(void *user, void *asker, uint64_t id, struct vfs_stat *out)
{
	struct kernel *k = asker;
	const struct proc *p = NULL;

	(void)user;
	if (pid_of(id) != 0) {
		p = proc_find(k, pid_of(id));
		if (p == NULL || ((kind_of(id) == PROCFS_FD || kind_of(id) == PROCFS_FDINFO) &&
				  fd_file(p, fd_of(id)) == NULL))
			return -E_NOENT;
		if (!proc_owner(p)->traits.hidden) {
			out->uid = p->cred.uid;
			out->gid = p->cred.gid;
		}
	}
	out->dev = 16;
	out->mode = mode_of(p, id);
	out->nlink = (out->mode & S_FMT) == S_DIR ? 2 : 1;
	out->size = kind_of(id) == PROCFS_FD ? 64 : 0;
	out->atime_ns = kernel_now(k);
	out->mtime_ns = out->atime_ns;
	out->ctime_ns = out->atime_ns;
	out->btime_ns = out->atime_ns;
	return 0;
}

/* --- listing --- */

struct candidate {
	char name[12];
	int number;
	bool found;
};

static void put_decimal(char *out, int n)
{
	char digits[12];
	size_t at = sizeof digits;

	digits[--at] = '\0';
	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	memcpy(out, digits + at, sizeof digits - at);
}

/* Keeps the number whose digits come first after `after`. */
static void consider(struct candidate *best, int n, const char *after)
{
	char name[12];

	put_decimal(name, n);
	if (after != NULL && strcmp(name, after) <= 0)
		return;
	if (best->found && strcmp(name, best->name) >= 0)
		return;
	memcpy(best->name, name, sizeof name);
	best->number = n;
	best->found = true;
}

static int next_number(struct kernel *k, uint64_t dir, const char *after, struct arena *a,
		       struct vfs_dirent *out)
{
	struct candidate best = { .found = false };
	bool numbers = has_numbers(kind_of(dir));
	bool fds = numbers && kind_of(dir) != PROCFS_TASK;
	const struct proc *of = proc_find(k, pid_of(dir));
	uint64_t id;

	if (of != NULL)
		of = proc_owner(of);
	/* All are looked at for each: a switch comes at the next charge. */
	for (int fd = 0; fds && of != NULL && fd < of->nfds; fd++)
		if (of->fd[fd].file != NULL) {
			kernel_fuel(k)->left--;
			consider(&best, fd, after);
		}
	for (const struct proc *p = k->all_first; !fds && p != NULL; p = p->priv->all_next) {
		kernel_fuel(k)->left--;
		if (numbers ? of != NULL && proc_owner(p) == of : p->priv->owner == NULL)
			consider(&best, p->pid, after);
	}
	if (!best.found)
		return -E_NOENT;
	id = ID(PROCFS_PID, best.number, 0);
	if (numbers && lookup_number(k, dir, best.number, &id) != 0)
		return -E_NOENT;
	out->name = arena_bytes(a, bytes_of(best.name));
	out->ino = id;
	out->type = kind_of(id) == PROCFS_FD ? S_LNK : kind_of(id) == PROCFS_FDINFO ? S_REG : S_DIR;
	return 0;
}

static int proc_next_entry(void *user, void *asker, uint64_t dir, const char *after,
			   struct arena *a, struct vfs_dirent *out)
{
	enum procfs_kind kind = kind_of(dir);

	(void)user;
	if ((kind == PROCFS_ROOT || has_numbers(kind)) &&
	    next_number(asker, dir, after, a, out) == 0)
		return 0;
	for (int i = 0; i < NENTRIES; i++) {
		const struct entry *e = &entries[i];

		if (e->dir != kind || (after != NULL && strcmp(e->name, after) <= 0) ||
		    !is_there(asker, dir, e))
			continue;
		out->name = arena_bytes(a, bytes_of(e->name));
		out->ino = row_id(dir, i);
		out->type = e->mode & S_FMT;
		return 0;
	}
	return -E_NOENT;
}

/* --- links --- */

static void put_path(struct kernel *k, const struct file *f, struct arena *a, struct buf *b)
{
	char *dir;

	if (f->path[0] != '/' && vfs_dir_path(k->vfs, f->dir, a, &dir) == 0) {
		buf_puts(b, dir);
		if (strcmp(dir, "/") != 0)
			buf_putc(b, '/');
	}
	buf_puts(b, f->path);
}

static bool is_deleted(struct kernel *k, const struct file *f)
{
	struct vfs_stat st;

	return f->ino != 0 && f->ino >> 63 == 0 && vfs_getattr(k->vfs, f->ino, &st) == 0 &&
	       st.nlink == 0;
}

static void put_target(struct kernel *k, const struct file *f, struct arena *a, struct buf *b)
{
	struct bytes memfd = BYTES("/memfd:"); /* says so already */
	char *dir;

	if (f->ops == &file_dir && vfs_dir_path(k->vfs, f->ino, a, &dir) == 0) {
		buf_puts(b, dir);
	} else if (f->path != NULL) {
		put_path(k, f, a, b);
		if (is_deleted(k, f) && !bytes_starts(bytes_of(f->path), memfd))
			buf_puts(b, " (deleted)");
	} else if (console_is_terminal(k, f)) {
		buf_puts(b, "/dev/tty");
	} else if (f->ops == &file_pipe) {
		buf_printf(b, "pipe:[%llu]", (unsigned long long)f->u.pipe->id);
	} else if (f->ops == &file_socket) {
		buf_printf(b, "socket:[%llu]", (unsigned long long)socket_of(f)->id);
	} else {
		buf_printf(b, "%s:[0]", f->ops->name);
	}
}

static int read_fd_link(struct kernel *k, const struct proc *p, int fd, struct arena *a,
			struct buf *b, vfs_ino *jump)
{
	struct file *f = fd_file(p, fd);

	if (f == NULL)
		return -E_NOENT;
	put_target(k, f, a, b);
	*jump = f->ino;
	if (f->ino == 0) {
		*jump = k->jump_ino;
		k->jump = f;
	}
	return 0;
}

static int read_cwd_link(struct kernel *k, const struct proc *p, struct arena *a, struct buf *b,
			 vfs_ino *jump)
{
	char *dir;
	vfs_ino cwd = proc_owner(p)->cwd;
	int r = vfs_dir_path(k->vfs, cwd, a, &dir);

	buf_puts(b, r == 0 ? dir : "(deleted)");
	*jump = cwd;
	return 0;
}

static int proc_readlink(void *user, void *asker, uint64_t id, struct arena *a, struct bytes *out,
			 vfs_ino *jump)
{
	struct kernel *k = asker;
	const struct proc *self = k->current != NULL ? k->current : k->all_first;
	const struct proc *p = proc_find(k, pid_of(id));
	struct buf b = buf_in(a);
	int r = 0;

	(void)user;
	if (kind_of(id) == PROCFS_MOUNTS_LINK)
		buf_puts(&b, "self/mounts");
	else if (kind_of(id) == PROCFS_SELF && self != NULL)
		buf_put_i64(&b, proc_owner(self)->pid);
	else if (kind_of(id) == PROCFS_THREAD_SELF && self != NULL)
		buf_printf(&b, "%d/task/%d", proc_owner(self)->pid, self->pid);
	else if (p == NULL || p->state == PROC_ZOMBIE)
		r = -E_NOENT;
	else if (kind_of(id) == PROCFS_FD)
		r = read_fd_link(k, p, fd_of(id), a, &b, jump);
	else if (kind_of(id) == PROCFS_CWD)
		r = read_cwd_link(k, p, a, &b, jump);
	else if (kind_of(id) == PROCFS_PID_ROOT)
		buf_puts(&b, "/");
	else if (p->priv->path[0] != '\0')
		buf_puts(&b, p->priv->path);
	else
		r = -E_NOENT;
	*out = buf_bytes(&b);
	return r;
}

/* --- contents --- */

static int proc_content(void *user, void *asker, uint64_t id, struct arena *a, struct bytes *out)
{
	struct kernel *k = asker;
	struct proc *p = pid_of(id) != 0 ? proc_find(k, pid_of(id)) : NULL;
	struct buf b = buf_in(a);
	int r = -E_SRCH;

	(void)user;
	if (kind_of(id) == PROCFS_CONSTANT) {
		buf_puts(&b, entries[fd_of(id)].text);
		r = 0;
	} else if (kind_of(id) == PROCFS_FDINFO && p != NULL) {
		r = procfs_fdinfo(p, fd_of(id), &b);
	} else if (p != NULL && p->program != NULL &&
		   (kind_of(id) == PROCFS_MAPS || kind_of(id) == PROCFS_SMAPS)) {
		p->program->maps(p, kind_of(id) == PROCFS_SMAPS, a, &b);
		r = 0;
	} else if (pid_of(id) == 0 || p != NULL) {
		r = procfs_text(k, p, kind_of(id), &b);
	}
	*out = buf_bytes(&b);
	/* Who opens it need not read it. A switch here would change what is told. */
	if (k->current != NULL)
		kernel_fuel(k)->left -= (int64_t)(b.len / 64);
	return r;
}

const struct vfs_provider procfs_provider = {
	.lookup = proc_lookup,
	.getattr = proc_getattr,
	.next = proc_next_entry,
	.content = proc_content,
	.readlink = proc_readlink,
};

int procfs_mount(struct vfs *v)
{
	return vfs_mount_provider(v, "/proc", &procfs_provider, ID(PROCFS_ROOT, 0, 0));
}

int procfs_connect(struct kernel *k)
{
	static const struct vfs_cred root = { 0 };

	vfs_set_asker(k->vfs, k);
	return vfs_lookup(k->vfs, &root, VFS_ROOT, "/proc/" JUMP_NAME, 0, &k->jump_ino);
}

int procfs_open(struct proc *p, const struct vfs_provider *provider, uint64_t id, unsigned oflags,
		struct file **out)
{
	struct arena_mark mark = arena_mark(&p->arena);
	struct bytes text;
	struct mem *m;
	int r;

	if (provider == &procfs_provider && kind_of(id) == PROCFS_MEMORY)
		return memory_open(p, pid_of(id), oflags, out);
	if ((oflags & O_ACCMODE_) != O_RDONLY_)
		return -E_ACCES;
	if (provider == &procfs_provider && kind_of(id) == PROCFS_JUMP)
		return -E_NXIO;
	r = provider->content(provider->user, p->k, id, &p->arena, &text);
	m = r == 0 ? mem_new(p->k, text) : NULL;
	arena_release(&p->arena, mark);
	if (r != 0)
		return r;
	return m != NULL ? mem_open(p->k, m, oflags, out) : -E_NOMEM;
}
