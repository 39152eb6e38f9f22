/* SPDX-License-Identifier: MIT
 *
 * Real programs as a program format, where the host supplies a machine for them.
 */
#include "api/watch.h"

#include "microvm/microvm.h"

static bool probe(struct proc *p, struct bytes head)
{
	(void)p;
	return microvm_takes(head);
}

struct question {
	struct cowsh *s;
	const char *path;
	int argc;
	char **argv;
};

static int ask_host(void *arg)
{
	const struct question *q = arg;

	return q->s->host.escalate(q->s->host.user, q->path, q->argc, (const char *const *)q->argv);
}

static int run(struct proc *p, struct bytes head, const char *path, int argc, char **argv,
	       char **envp)
{
	struct cowsh *s = kernel_user(p->k);
	struct question q = { s, path, argc, argv };
	struct buf b = buf_in(&p->arena);
	bool refused;

	(void)head;
	refused = s->host.escalate != NULL && proc_call_host(p, ask_host, &q) != 0;
	if (s->trace != NULL)
		trace_emit(p->k, &(struct trace_event){ .kind = TRACE_ESCALATE,
							.path = path,
							.argv = argv,
							.status = refused ? 1 << 8 : 0 });
	if (refused) {
		buf_printf(&b, "%s: the host does not allow real programs\n",
			   argc > 0 ? argv[0] : path);
		sys_write(p, 2, b.ptr, b.len);
		return 126;
	}
	return microvm_run(s->microvm, p, path, argc, argv, envp);
}

int escalate_start(struct cowsh *s)
{
	static const struct program_format format = {
		.name = "elf", .probe = probe, .run = run, .tells_tracer = true, .real_path = true
	};
	int err;

	if (s->machine == NULL)
		return 0;
	err = microvm_new(s->kernel, s->machine, &s->microvm);
	if (err == 0)
		err = kernel_make_devices(s->kernel);
	if (err == 0)
		microvm_warm(s->microvm, s->warm_starts);
	return err < 0 ? err : kernel_add_format(s->kernel, &format);
}

void escalate_share(const struct cowsh *from, struct cowsh *to)
{
	if (from->microvm != NULL && to->microvm != NULL)
		microvm_share(from->microvm, to->microvm);
}

enum { SETTLE_STEPS = 2000000, START_STEPS = 50000000 };

int escalate_copy(struct cowsh *from, struct cowsh *to, struct copying *w)
{
	if (from->microvm == NULL || to->microvm == NULL)
		return 0;
	return microvm_copy(from->microvm, to->microvm, w);
}

bool escalate_has_programs(const struct cowsh *s)
{
	return s->microvm != NULL && microvm_has_programs(s->microvm);
}

int escalate_pack(struct cowsh *s, struct packing *w, struct memory_list *pages)
{
	return microvm_pack(s->microvm, w, pages);
}

int escalate_unpack(struct cowsh *s, struct unpacking *u, vfs_ino memory)
{
	return microvm_unpack(s->microvm, u, memory);
}

vfs_ino escalate_saved(const struct cowsh *s)
{
	return s->microvm != NULL ? microvm_saved(s->microvm) : 0;
}

int escalate_settle(struct cowsh *s)
{
	if (s->microvm == NULL || s->tape != NULL)
		return 0;
	/* What has just been started may be a script's process that is to become a program. */
	(void)kernel_settle(s->kernel, microvm_ready, SETTLE_STEPS);
	return kernel_settle(s->kernel, microvm_programs_ready, START_STEPS) ? 0 : -E_AGAIN;
}

void escalate_clear(struct cowsh *s)
{
	if (s->microvm != NULL)
		microvm_clear(s->microvm);
}

void escalate_forget(struct cowsh *s)
{
	if (s->microvm == NULL)
		return;
	microvm_warm(s->microvm, false);
	microvm_warm(s->microvm, s->warm_starts);
}

void escalate_end(struct cowsh *s)
{
	microvm_free(s->microvm);
}
