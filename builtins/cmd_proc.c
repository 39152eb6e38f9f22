/* SPDX-License-Identifier: MIT
 *
 * The process table as commands see it.
 */
#include "builtins/cmd_private.h"

/* What a real program has written over its arguments counts. */
static bool title(struct proc *p, struct buf *text)
{
	if (p->program == NULL || !p->program->strings(p, false, text))
		return false;
	while (text->len != 0 && text->ptr[text->len - 1] == '\0')
		text->len--;
	for (size_t i = 0; i < text->len; i++)
		if (text->ptr[i] == '\0')
			text->ptr[i] = ' ';
	return text->len != 0;
}

static const char *join(struct cmd *c, struct proc *p)
{
	struct buf text = buf_in(c->arena);

	if (title(p, &text))
		return buf_cstr(&text);
	for (char *const *arg = p->argv; arg != NULL && *arg != NULL; arg++)
		buf_printf(&text, "%s%s", arg == p->argv ? "" : " ", *arg);
	if (text.len == 0)
		buf_printf(&text, "[%s]", p->name);
	return buf_cstr(&text);
}

static char letter(const struct proc *p)
{
	switch (p->state) {
	case PROC_READY:
	case PROC_RUNNING: return 'R';
	case PROC_STOPPED: return 'T';
	case PROC_ZOMBIE: return 'Z';
	case PROC_BLOCKED: break;
	}
	return 'S';
}

static uint64_t mask_of(const struct proc *p, enum sig_action action)
{
	uint64_t mask = 0;

	for (int sig = 1; sig < SIG_COUNT; sig++)
		if (p->sig_action[sig] == action)
			mask |= (uint64_t)1 << (sig - 1);
	return mask;
}

static const uint32_t *copy_groups(struct cmd *c, const struct vfs_cred *cred)
{
	uint32_t *out = arena_array(c->arena, cred->ngroups + 1, sizeof *out);

	memcpy(out, cred->groups, cred->ngroups * sizeof *out);
	return out;
}

static void fill(struct cmd *c, struct proc *p, struct cmd_proc *out)
{
	bool args = p->argv != NULL && p->argv[0] != NULL;
	struct proc_sizes sizes = proc_sizes(p);

	*out = (struct cmd_proc){
		.pid = p->pid,
		.ppid = p->ppid,
		.pgid = p->pgid,
		.sid = p->sid,
		.uid = p->cred.uid,
		.gid = p->cred.gid,
		.real_uid = p->real_uid,
		.real_gid = p->real_gid,
		.saved_uid = p->saved_uid,
		.saved_gid = p->saved_gid,
		.groups = copy_groups(c, &p->cred),
		.ngroups = p->cred.ngroups,
		.state = letter(p),
		.nice = p->nice,
		.cpu_ns = kernel_steps_ns(p->k, p->steps),
		.child_cpu_ns = kernel_steps_ns(p->k, p->child_steps),
		.started_ns = p->started_ns,
		.memory = sizes.resident,
		.size = sizes.size,
		.shared = sizes.shared,
		.data = sizes.data + sizes.stack,
		.name = arena_dup(c->arena, bytes_of(p->name)),
		.args = join(c, p),
		.argv0 = args ? arena_dup(c->arena, bytes_of(p->argv[0])) : "",
		.pending = p->sig_pending,
		.blocked = p->sig_blocked,
		.ignored = mask_of(p, SIG_IGNORED),
		.caught = mask_of(p, SIG_CAUGHT),
	};
}

/* /proc/PID/exe. */
static const char *program_of(struct cmd *c, int pid)
{
	struct buf link = buf_in(c->arena);
	struct bytes target;

	buf_printf(&link, "/proc/%d/exe", pid);
	if (cmd_readlink(c, CMD_CWD, buf_cstr(&link), &target) < 0)
		return "";
	return arena_dup(c->arena, target);
}

size_t cmd_procs(struct cmd *c, struct cmd_proc **out)
{
	struct kernel *k = c->p->k;
	size_t n = 0;
	size_t cap = 16;
	struct cmd_proc *list = arena_array(c->arena, cap, sizeof *list);

	/* As long as a real ps takes to start: its neighbours in a pipeline have become their
	 * programs by then, and no longer carry the shell's arguments. */
	cmd_sleep(c, 1000000);
	/* Nothing here gives up the processor: the table does not change meanwhile. */
	for (struct proc *p = proc_next(k, 0); p != NULL; p = proc_next(k, p->pid)) {
		if (n == cap) {
			list = arena_grow(c->arena, list, cap * sizeof *list,
					  2 * cap * sizeof *list);
			cap *= 2;
		}
		fill(c, p, &list[n++]);
	}
	for (size_t i = 0; i < n; i++) {
		list[i].path = program_of(c, list[i].pid);
		cmd_charge(c, 10);
	}
	*out = list;
	return n;
}

struct bytes cmd_proc_environment(struct cmd *c, int pid)
{
	struct buf path = buf_in(c->arena);
	struct buf text = buf_in(c->arena);
	struct bytes all;

	buf_printf(&path, "/proc/%d/environ", pid);
	if (cmd_read_all(c, buf_cstr(&path), &all) < 0)
		return BYTES("");
	buf_add(&text, all);
	while (text.len != 0 && text.ptr[text.len - 1] == '\0')
		text.len--;
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\0')
			text.ptr[i] = ' ';
	return buf_bytes(&text);
}

int cmd_set_nice(struct cmd *c, int pid, int value)
{
	struct proc *p = proc_find(c->p->k, pid);
	int nice = value > 19 ? 19 : value < -20 ? -20 : value;
	uint32_t uid = c->p->cred.uid;

	if (p == NULL || p->state == PROC_ZOMBIE)
		return -E_SRCH;
	if (uid != 0 && uid != p->cred.uid)
		return -E_PERM;
	if (uid != 0 && nice < p->nice)
		return -E_ACCES;
	p->nice = nice;
	return 0;
}

int cmd_limit(struct cmd *c, int pid, int resource, const uint64_t *set, uint64_t *old)
{
	struct proc *p = pid == 0 ? c->p : proc_find(c->p->k, pid);
	uint32_t uid = c->p->cred.uid;

	if (p == NULL || p->state == PROC_ZOMBIE)
		return -E_SRCH;
	if (uid != 0 && uid != p->cred.uid)
		return -E_PERM;
	uint64_t *limit = p->rlimit[resource];

	if (old != NULL)
		memcpy(old, limit, sizeof p->rlimit[resource]);
	if (set == NULL)
		return 0;
	if (set[0] > set[1])
		return -E_INVAL;
	if (set[1] > limit[1] && uid != 0)
		return -E_PERM;
	memcpy(limit, set, sizeof p->rlimit[resource]);
	return 0;
}

int64_t cmd_child_cpu(struct cmd *c)
{
	return kernel_steps_ns(c->p->k, c->p->child_steps);
}

void cmd_totals(struct cmd *c, struct cmd_usage_totals *out)
{
	const struct kernel *k = c->p->k;
	uint64_t limit = kernel_limit(k, LIMIT_MEMORY);
	struct kernel_usage usage;

	kernel_get_usage(k, &usage);
	*out = (struct cmd_usage_totals){
		.memory_total = limit != 0 ? limit : (uint64_t)8 << 30,
		.memory_used = usage.memory,
		.memory_peak = usage.memory_peak,
	};
	for (struct proc *p = proc_next(c->p->k, 0); p != NULL; p = proc_next(c->p->k, p->pid))
		out->processes++;
}
