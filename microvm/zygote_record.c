/* SPDX-License-Identifier: MIT
 *
 * What a start depended on. While a zygote is made, only calls are allowed whose results are
 * the same for every start with the same key, or are known to depend on files alone; what they
 * asked of files is written down, and asked again before the zygote is used.
 */
#include "microvm/zygote.h"

enum {
	CALL_READ = 0,
	CALL_WRITE = 1,
	CALL_OPEN = 2,
	CALL_CLOSE = 3,
	CALL_STAT = 4,
	CALL_FSTAT = 5,
	CALL_LSTAT = 6,
	CALL_LSEEK = 8,
	CALL_MMAP = 9,
	CALL_IOCTL = 16,
	CALL_PREAD = 17,
	CALL_ACCESS = 21,
	CALL_FCNTL = 72,
	CALL_MKDIR = 83,
	CALL_READLINK = 89,
	CALL_FUTEX = 202,
	CALL_GETDENTS = 217,
	CALL_OPENAT = 257,
	CALL_FSTATAT = 262,
	CALL_PRLIMIT = 302,
	CALL_STATX = 332,
	TCGETS_ = 0x5401,
	FIOCLEX_ = 0x5451,
	FUTEX_WAKE_ = 1,
	RECORD_STEPS = 20,
};

/* Calls whose arguments need no look: memory, signals, identity (which is in the key). */
static bool is_harmless(uint64_t number)
{
	static const uint16_t harmless[] = {
		10 /* mprotect */,         11 /* munmap */,         12 /* brk */,
		13 /* rt_sigaction */,     14 /* rt_sigprocmask */, 25 /* mremap */,
		28 /* madvise */,          99 /* sysinfo */,        102 /* getuid */,
		104 /* getgid */,          107 /* geteuid */,       108 /* getegid */,
		131 /* sigaltstack */,     158 /* arch_prctl */,    186 /* gettid */,
		218 /* set_tid_address */, 228 /* clock_gettime */, 273 /* set_robust_list */,
		318 /* getrandom */,       334 /* rseq */,
	};

	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (harmless[i] == number)
			return true;
	return false;
}

/* Besides, of a program with threads and a loop of events of its own. */
static bool is_harmless_in_node(struct task *t, uint64_t number, const uint64_t *a)
{
	static const uint16_t harmless[] = {
		24 /* sched_yield */,   39 /* getpid */,      63 /* uname */,
		79 /* getcwd */,        110 /* getppid */,    125 /* capget */,
		157 /* prctl */,        202 /* futex */,      204 /* getaffinity */,
		229 /* clock_getres */, 232 /* epoll_wait */, 233 /* epoll_ctl */,
		281 /* epoll_pwait */,  290 /* eventfd2 */,   291 /* epoll_create1 */,
		293 /* pipe2 */,        435 /* clone3 */,
	};

	if (!zygote_is_node(t->zygote->form))
		return false;
	if (number >= SYSCALLS_MAX || syscall_table[number].fn == NULL)
		return true; /* it is refused */
	if (number == CALL_WRITE)
		return !zygote_was_open(t->zygote, t->p, (int)a[0]);
	if (number == CALL_PRLIMIT)
		return a[0] == 0;
	if (number == CALL_FCNTL)
		return a[1] == 2; /* F_SETFD: each copy does it, too */
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (harmless[i] == number)
			return true;
	return false;
}

static bool starts_with(const char *text, const char *what)
{
	return strncmp(text, what, strlen(what)) == 0;
}

static int64_t ask(struct task *t, const char *path, int flags, struct vfs_stat *st)
{
	memset(st, 0, sizeof *st);
	return sys_stat(t->p, AT_FDCWD_, path, flags, st);
}

bool zygote_record(struct task *t, const char *path, int flags)
{
	struct zygote *z = t->zygote;
	size_t size = sizeof(struct zygote_record) + strlen(path) + 1;
	struct zygote_record *r = z->nrecords < ZYGOTE_RECORDS_MAX ? zygote_alloc(t->m, z, size)
								   : NULL;

	if (r == NULL)
		return false;
	*r = (struct zygote_record){ .next = z->records, .flags = flags };
	memcpy(r->path, path, size - sizeof *r);
	z->records = r;
	z->nrecords++;
	r->result = ask(t, path, flags, &r->st);
	return true;
}

/* What Node asks the system: how much memory there is, its own program, the launcher's way. */
static bool is_same_for_all(const char *path)
{
	return strcmp(path, "/proc") == 0 || starts_with(path, "/proc/self") ||
	       strcmp(path, "/proc/package.json") == 0 || strcmp(path, "/proc/meminfo") == 0 ||
	       starts_with(path, "/sys/fs/cgroup/") ||
	       (starts_with(path, "/proc/") && path[6] >= '0' && path[6] <= '9');
}

/* Writes down what is at a path; false if it depends on more than the files. */
static bool record(struct task *t, uint64_t address, int flags)
{
	char *path;

	if (get_path(t, address, &path) != 0 || path[0] != '/')
		return false;
	if (starts_with(path, ZYGOTE_DIR))
		return true;
	if (zygote_is_node(t->zygote->form) && is_same_for_all(path))
		return true;
	if (starts_with(path, "/proc/") || starts_with(path, "/dev/"))
		return false;
	return zygote_record(t, path, flags);
}

static bool is_in_launchers_directory(struct task *t, uint64_t address)
{
	char *path;

	return get_path(t, address, &path) == 0 && starts_with(path, ZYGOTE_DIR "/");
}

bool zygote_allows(struct task *t, uint64_t number, const uint64_t *a)
{
	bool inside = a[0] > 2; /* not one of the descriptors that the program was given */
	bool here = (int)a[0] == AT_FDCWD_;

	if (is_harmless_in_node(t, number, a))
		return true;

	switch (number) {
	case CALL_READ:
	case CALL_PREAD:
	case CALL_CLOSE:
	case CALL_GETDENTS: return inside;
	case CALL_FSTAT:
	case CALL_LSEEK: return true;
	case CALL_MMAP: return (a[3] & MAP_SHARED_) == 0 || (a[2] & PROT_WRITE_) == 0;
	case CALL_IOCTL: return a[1] == TCGETS_ || (inside && a[1] == FIOCLEX_);
	case CALL_FCNTL: return a[1] == 1 || a[1] == 3 || (inside && a[1] == 2);
	case CALL_FUTEX: return (a[1] & 127) == FUTEX_WAKE_;
	case CALL_PRLIMIT: return a[2] == 0;
	case CALL_MKDIR: return is_in_launchers_directory(t, a[0]);
	case CALL_OPEN:
		return (a[1] & (O_ACCMODE_ | O_CREAT_ | O_TRUNC_)) == 0 && record(t, a[0], 0);
	case CALL_OPENAT:
		if (is_in_launchers_directory(t, a[1]))
			return true;
		return here && (a[2] & (O_ACCMODE_ | O_CREAT_ | O_TRUNC_)) == 0 &&
		       record(t, a[1], 0);
	case CALL_STAT:
	case CALL_ACCESS: return record(t, a[0], 0);
	case CALL_LSTAT:
	case CALL_READLINK: return record(t, a[0], AT_NOFOLLOW_);
	case CALL_FSTATAT:
		if ((a[3] & AT_EMPTY_) != 0 && !here)
			return true;
		return here && record(t, a[1], (int)a[3] & AT_NOFOLLOW_);
	case CALL_STATX:
		if ((a[2] & AT_EMPTY_) != 0 && !here)
			return true;
		return here && record(t, a[1], (int)a[2] & AT_NOFOLLOW_);
	default: return is_harmless(number);
	}
}

static bool same_answer(const struct zygote_record *r, int64_t result, const struct vfs_stat *st)
{
	if (r->result != result)
		return false;
	return result != 0 ||
	       (r->st.dev == st->dev && r->st.ino == st->ino && r->st.mode == st->mode &&
		r->st.uid == st->uid && r->st.gid == st->gid && r->st.size == st->size &&
		r->st.mtime_ns == st->mtime_ns && r->st.ctime_ns == st->ctime_ns);
}

bool zygote_still_true(struct task *t, const struct zygote *z)
{
	for (const struct zygote_record *r = z->records; r != NULL; r = r->next) {
		struct vfs_stat st;

		proc_charge(t->p, RECORD_STEPS);
		if (!same_answer(r, ask(t, r->path, r->flags, &st), &st))
			return false;
	}
	return true;
}
