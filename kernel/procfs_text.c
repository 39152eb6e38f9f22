/* SPDX-License-Identifier: MIT
 *
 * What the files of /proc say, in the formats that programs parse.
 */
#include "kernel/internal.h"

#define RELEASE "6.1.0"
#define BUILD   "#1 SMP cowsh"

static unsigned long long kb(uint64_t bytes)
{
	return (unsigned long long)(bytes / 1024);
}

static uint64_t memory_total(const struct kernel *k)
{
	return k->limit[LIMIT_MEMORY] != 0 ? k->limit[LIMIT_MEMORY] : (uint64_t)8 << 30;
}

static void meminfo(struct kernel *k, struct buf *b)
{
	uint64_t total = memory_total(k);
	uint64_t free_bytes = total > k->heap.used ? total - k->heap.used : 0;

	buf_printf(b, "MemTotal:       %8llu kB\n", kb(total));
	buf_printf(b, "MemFree:        %8llu kB\n", kb(free_bytes));
	buf_printf(b, "MemAvailable:   %8llu kB\n", kb(free_bytes));
	buf_puts(b, "Buffers:               0 kB\nCached:                0 kB\n");
	buf_puts(b, "SwapTotal:             0 kB\nSwapFree:              0 kB\n");
}

static void cpuinfo(struct buf *b)
{
	buf_puts(b, "processor\t: 0\nvendor_id\t: cowsh\nmodel name\t: cowsh virtual processor\n"
		    "cpu MHz\t\t: 1000.000\ncache size\t: 1024 KB\nsiblings\t: 1\ncore id\t\t: 0\n"
		    "cpu cores\t: 1\nflags\t\t:\nbogomips\t: 2000.00\n\n");
}

static int64_t uptime_ns(struct kernel *k)
{
	return kernel_now(k) - (k->host.clock != NULL ? k->real_start_ns : k->epoch_ns);
}

static void hundredths(struct buf *b, int64_t ns)
{
	int64_t h = ns / 10000000;

	buf_printf(b, "%lld.%02lld", (long long)(h / 100), (long long)(h % 100));
}

static void uptime(struct kernel *k, struct buf *b)
{
	hundredths(b, uptime_ns(k));
	buf_putc(b, ' ');
	hundredths(b, k->slept_ns);
	buf_putc(b, '\n');
}

/* Virtual processor time in Linux's ticks of 10 ms. */
static unsigned long long ticks(const struct kernel *k, uint64_t steps)
{
	return (unsigned long long)kernel_steps_ns(k, steps) / 10000000;
}

static void loadavg(struct kernel *k, struct buf *b)
{
	int ready = 1;

	for (const struct proc *p = k->run_first; p != NULL; p = p->priv->run_next)
		ready++;
	buf_printf(b, "0.00 0.00 0.00 %d/%d %d\n", ready, k->nprocs, k->last_pid);
}

static void system_stat(struct kernel *k, struct buf *b)
{
	unsigned long long busy = ticks(k, kernel_steps(k));
	unsigned long long idle = (unsigned long long)(k->slept_ns / 10000000);
	int64_t start = kernel_now(k) - uptime_ns(k);

	buf_printf(b, "cpu  %llu 0 0 %llu 0 0 0 0 0 0\n", busy, idle);
	buf_printf(b, "cpu0 %llu 0 0 %llu 0 0 0 0 0 0\n", busy, idle);
	buf_printf(b, "intr 0\nctxt 0\nbtime %lld\n", (long long)(start / 1000000000));
	buf_printf(b, "processes %llu\n", (unsigned long long)k->processes);
	buf_puts(b, "procs_running 1\nprocs_blocked 0\n");
}

static void put_hex(struct buf *b, uint64_t v, int digits)
{
	while (digits-- > 0)
		buf_putc(b, "0123456789abcdef"[v >> (digits * 4) & 15]);
}

/* A version 4 UUID from 128 bits. */
static void put_uuid(struct buf *b, uint64_t hi, uint64_t lo)
{
	hi = (hi & ~(uint64_t)0xf000) | 0x4000;
	lo = (lo & ~((uint64_t)3 << 62)) | (uint64_t)2 << 62;
	put_hex(b, hi >> 32, 8);
	buf_putc(b, '-');
	put_hex(b, hi >> 16, 4);
	buf_putc(b, '-');
	put_hex(b, hi, 4);
	buf_putc(b, '-');
	put_hex(b, lo >> 48, 4);
	buf_putc(b, '-');
	put_hex(b, lo, 12);
	buf_putc(b, '\n');
}

static int system_text(struct kernel *k, enum procfs_kind kind, struct buf *b)
{
	uint64_t word;

	switch (kind) {
	case PROCFS_CPUINFO: cpuinfo(b); break;
	case PROCFS_FILESYSTEMS: buf_puts(b, "nodev\tproc\n\tcowsh\n"); break;
	case PROCFS_NET_TCP:
	case PROCFS_NET_TCP6:
	case PROCFS_NET_UDP:
	case PROCFS_NET_UDP6:
	case PROCFS_NET_UNIX: procnet_text(k, kind, b); break;
	case PROCFS_LOADAVG: loadavg(k, b); break;
	case PROCFS_MEMINFO: meminfo(k, b); break;
	case PROCFS_STAT: system_stat(k, b); break;
	case PROCFS_UPTIME: uptime(k, b); break;
	case PROCFS_VERSION:
		buf_puts(b, "Linux version " RELEASE " (cowsh) (virtual) " BUILD "\n");
		break;
	case PROCFS_HOSTNAME: buf_printf(b, "%s\n", k->hostname); break;
	case PROCFS_OSRELEASE: buf_puts(b, RELEASE "\n"); break;
	case PROCFS_OSTYPE: buf_puts(b, "Linux\n"); break;
	case PROCFS_PID_MAX: buf_printf(b, "%d\n", (int)PID_MAX); break;
	case PROCFS_KVERSION: buf_puts(b, BUILD "\n"); break;
	case PROCFS_BOOT_ID: put_uuid(b, k->boot_id[0], k->boot_id[1]); break;
	case PROCFS_ENTROPY: buf_puts(b, "256\n"); break;
	case PROCFS_UUID:
		word = random_next(k);
		put_uuid(b, word, random_next(k));
		break;
	default: return -E_INVAL;
	}
	return 0;
}

/* --- of one process --- */

char proc_state_letter(const struct proc *p)
{
	switch (p->state) {
	case PROC_READY:
	case PROC_RUNNING: return 'R';
	case PROC_STOPPED: return p->priv->ptrace.stopped ? 't' : 'T';
	case PROC_ZOMBIE: return 'Z';
	default: return 'S';
	}
}

static const char *state_word(const struct proc *p)
{
	switch (proc_state_letter(p)) {
	case 'R': return "R (running)";
	case 'T': return "T (stopped)";
	case 't': return "t (tracing stop)";
	case 'Z': return "Z (zombie)";
	default: return "S (sleeping)";
	}
}

static void put_strings(struct buf *b, char *const *list)
{
	for (; list != NULL && *list != NULL; list++)
		buf_put(b, *list, strlen(*list) + 1);
}

static uint64_t action_mask(const struct proc *p, enum sig_action action)
{
	uint64_t mask = 0;

	for (int sig = 1; sig < SIG_COUNT; sig++)
		if (p->sig_action[sig] == action)
			mask |= (uint64_t)1 << (sig - 1);
	return mask;
}

static void put_mask(struct buf *b, const char *name, uint64_t mask)
{
	buf_puts(b, name);
	put_hex(b, mask, 16);
	buf_putc(b, '\n');
}

struct proc_sizes proc_sizes(struct proc *p)
{
	uint64_t n = proc_memory(p);

	return p->program != NULL ? p->program->sizes(p)
				  : (struct proc_sizes){ .size = n, .resident = n };
}

static unsigned long long pages(uint64_t bytes)
{
	return (unsigned long long)bytes / PAGE_BYTES;
}

static int threads(const struct proc *p)
{
	int n = 1;

	for (const struct proc *t = proc_owner(p)->priv->threads; t; t = t->priv->thread_next)
		n++;
	return n;
}

static void status_memory(struct proc *p, struct buf *b)
{
	struct proc_sizes s = proc_sizes(p);

	buf_printf(b, "VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\n", kb(s.size), kb(s.size));
	if (p->program != NULL)
		buf_printf(b, "VmLck:\t%8d kB\nVmPin:\t%8d kB\nVmHWM:\t%8llu kB\n", 0, 0,
			   kb(s.resident));
	buf_printf(b, "VmRSS:\t%8llu kB\n", kb(s.resident));
	if (p->program == NULL)
		return;
	buf_printf(b, "RssAnon:\t%8llu kB\nRssFile:\t%8llu kB\nRssShmem:\t%8d kB\n",
		   kb(s.resident - s.shared), kb(s.shared), 0);
	buf_printf(b, "VmData:\t%8llu kB\nVmStk:\t%8llu kB\nVmExe:\t%8llu kB\n", kb(s.data),
		   kb(s.stack), kb(s.text));
	buf_printf(b, "VmLib:\t%8d kB\nVmPTE:\t%8d kB\nVmSwap:\t%8d kB\n", 0, 0, 0);
}

static void status(struct proc *p, struct buf *b)
{
	const struct vfs_cred *c = &p->cred;
	int tgid = proc_owner(p)->pid;

	buf_printf(b, "Name:\t%s\nUmask:\t%04o\nState:\t%s\nTgid:\t%d\nNgid:\t0\nPid:\t%d\n",
		   p->name, (unsigned)proc_owner(p)->umask, state_word(p), tgid, p->pid);
	buf_printf(b, "PPid:\t%d\nTracerPid:\t%d\nUid:\t%u\t%u\t%u\t%u\n", p->ppid,
		   p->priv->ptrace.tracer != NULL ? p->priv->ptrace.tracer->pid : 0, p->real_uid,
		   c->uid, p->saved_uid, c->uid);
	buf_printf(b, "Gid:\t%u\t%u\t%u\t%u\nFDSize:\t%d\nGroups:\t", p->real_gid, c->gid,
		   p->saved_gid, c->gid, p->nfds);
	for (uint32_t i = 0; i < c->ngroups; i++)
		buf_printf(b, "%u ", c->groups[i]);
	buf_printf(b, "\nNStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\n", tgid, p->pid, p->pgid,
		   p->sid);
	status_memory(p, b);
	buf_printf(b, "Threads:\t%d\n", threads(p));
	put_mask(b, "SigPnd:\t", 0);
	put_mask(b, "ShdPnd:\t", p->sig_pending);
	put_mask(b, "SigBlk:\t", p->sig_blocked);
	put_mask(b, "SigIgn:\t", action_mask(p, SIG_IGNORED));
	put_mask(b, "SigCgt:\t", action_mask(p, SIG_CAUGHT));
	buf_printf(b, "NoNewPrivs:\t%d\nSeccomp:\t0\nSeccomp_filters:\t0\n",
		   p->traits.no_new_privs);
}

static void stat(const struct kernel *k, struct proc *p, struct buf *b)
{
	struct proc_sizes s = proc_sizes(p);
	int64_t begin = k->host.clock != NULL ? k->real_start_ns : k->epoch_ns;
	int64_t since = (int64_t)((uint64_t)p->started_ns - (uint64_t)begin);

	buf_printf(b, "%d (%s) %c %d %d %d 0 -1 0 0 0 0 0 ", p->pid, p->name, proc_state_letter(p),
		   p->ppid, p->pgid, p->sid);
	buf_printf(b, "%llu 0 %llu 0 %d %d %d 0 %lld ", ticks(k, p->steps),
		   ticks(k, p->child_steps), 20 + p->nice, p->nice, threads(p),
		   (long long)(since / 10000000));
	buf_printf(b, "%llu %llu ", (unsigned long long)s.size, pages(s.resident));
	buf_puts(b, "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		    "0\n");
}

static void put_limit(struct buf *b, uint64_t v)
{
	if (v == RLIMIT_NONE)
		buf_printf(b, "%-21s", "unlimited");
	else
		buf_printf(b, "%-21llu", (unsigned long long)v);
}

static void limits(const struct proc *p, struct buf *b)
{
	static const char *const names[16][2] = {
		{ "Max cpu time", "seconds" },     { "Max file size", "bytes" },
		{ "Max data size", "bytes" },      { "Max stack size", "bytes" },
		{ "Max core file size", "bytes" }, { "Max resident set", "bytes" },
		{ "Max processes", "processes" },  { "Max open files", "files" },
		{ "Max locked memory", "bytes" },  { "Max address space", "bytes" },
		{ "Max file locks", "locks" },     { "Max pending signals", "signals" },
		{ "Max msgqueue size", "bytes" },  { "Max nice priority", "" },
		{ "Max realtime priority", "" },   { "Max realtime timeout", "us" },
	};

	buf_printf(b, "%-26s%-21s%-21s%-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	for (int i = 0; i < 16; i++) {
		buf_printf(b, "%-26s", names[i][0]);
		put_limit(b, p->rlimit[i][0]);
		put_limit(b, p->rlimit[i][1]);
		buf_printf(b, "%-10s\n", names[i][1]);
	}
}

/* How many arguments; the arguments; the environment; an empty string. */
static void request(const struct proc *p, struct buf *b)
{
	int argc = 0;

	while (p->argv[argc] != NULL)
		argc++;
	buf_printf(b, "%d %d", argc, p->launcher_streams);
	buf_putc(b, '\0');
	put_strings(b, p->argv);
	put_strings(b, p->envp);
	buf_putc(b, '\0');
}

int procfs_fdinfo(const struct proc *p, int fd, struct buf *b)
{
	const struct file *f = fd_file(p, fd);

	if (f == NULL)
		return -E_NOENT;
	buf_printf(b, "pos:\t%llu\nflags:\t0%o\nmnt_id:\t1\nino:\t%llu\n",
		   (unsigned long long)f->pos,
		   f->flags | (proc_owner(p)->fd[fd].cloexec ? (unsigned)O_CLOEXEC_ : 0u),
		   (unsigned long long)f->ino);
	return 0;
}

int procfs_text(struct kernel *k, struct proc *p, enum procfs_kind kind, struct buf *b)
{
	struct proc_sizes s;

	if (p == NULL)
		return system_text(k, kind, b);
	if (p->program != NULL && (kind == PROCFS_CMDLINE || kind == PROCFS_ENVIRON) &&
	    p->program->strings(p, kind == PROCFS_ENVIRON, b))
		return 0;
	switch (kind) {
	case PROCFS_CMDLINE: put_strings(b, p->argv); break;
	case PROCFS_AUX:
		if (p->program != NULL)
			p->program->aux(p, b);
		break;
	case PROCFS_COMM: buf_printf(b, "%s\n", p->name); break;
	case PROCFS_ENVIRON: put_strings(b, p->envp); break;
	case PROCFS_LIMITS: limits(p, b); break;
	case PROCFS_MAPS:
	case PROCFS_SMAPS: break;
	case PROCFS_MOUNTINFO:
		buf_puts(b, "1 0 0:1 / / rw,relatime - cowsh cowsh rw\n"
			    "2 1 0:16 / /proc rw,nosuid,nodev,noexec - proc proc rw\n");
		break;
	case PROCFS_MOUNTS:
		buf_puts(b, "cowsh / cowsh rw,relatime 0 0\n"
			    "proc /proc proc rw,nosuid,nodev,noexec 0 0\n");
		break;
	case PROCFS_PID_STAT: stat(k, p, b); break;
	case PROCFS_STATM:
		s = proc_sizes(p);
		buf_printf(b, "%llu %llu %llu %llu 0 %llu 0\n", pages(s.size), pages(s.resident),
			   pages(s.shared), pages(s.text), pages(s.data + s.stack));
		break;
	case PROCFS_STATUS: status(p, b); break;
	case PROCFS_LAUNCHER: buf_put(b, p->launcher.ptr, p->launcher.len); break;
	case PROCFS_REQUEST: request(p, b); break;
	default: return -E_INVAL;
	}
	return 0;
}
