/* SPDX-License-Identifier: MIT
 *
 * Saving a session and going on with it later: cowsh_image.h.
 *
 * The state of the shell is taken from a fork, so that the session itself does nothing, not even
 * a step. Limits are never in a file; how much of them was used is.
 */
#include <setjmp.h>

#include "api/private.h"
#include "base/pack.h"
#include "cowsh_image.h"
#include "vfs/image.h"

enum { STATE_VERSION = 7 };

/* --- saving --- */

struct saving {
	struct cowsh *s;
	struct cowsh *live; /* a fork with the real programs, which does not run; or NULL */
	struct cowsh *fork; /* a fork without, in which the shell's state is packed */
	struct buf state;   /* in the fork's arena */
	struct memory_list memory;
	int descriptors;
	int functions;
	int err;
	bool done;
};

static int count_descriptors(const struct proc *p, struct arena *a)
{
	struct arena_mark mark = arena_mark(a);
	struct fd_info info;
	int n = 0;

	for (int fd = 0; proc_next_fd(p, fd, a, &info); fd = info.fd + 1)
		n++;
	arena_release(a, mark);
	return n;
}

/* How many programs, and what is to be known of them. */
static void pack_programs(struct saving *w, struct packing *packing)
{
	struct buf section = buf_in(packing->a);

	packing->out = &section;
	if (w->live != NULL)
		w->err = escalate_pack(w->live, packing, &w->memory);
	kernel_pack_rest(packing);
	packing->out = &w->state;
	pack_u64(&w->state, w->live != NULL ? session_others(w->live) : 0);
	pack_bytes(&w->state, buf_bytes(&section));
}

/* In the shell process of the fork. */
static int pack_all(struct proc *p, void *arg)
{
	struct saving *w = arg;
	struct cowsh *from = w->live != NULL ? w->live : w->s;
	struct packing *packing = arena_zalloc(&p->arena, sizeof *packing);

	w->state = buf_in(&p->arena);
	packing->k = from->kernel;
	packing->out = &w->state;
	packing->a = &p->arena;
	packing->live = w->live != NULL;
	pack_u64(&w->state, STATE_VERSION);
	kernel_pack(w->s->kernel, &w->state);
	proc_pack(packing, from->shell_proc);
	pack_programs(w, packing);
	w->functions = interp_pack(w->fork->shell, &w->state, w->s->shell, w->live != NULL);
	w->descriptors = packing->lost + count_descriptors(w->s->shell_proc, &p->arena) -
			 count_descriptors(from->shell_proc, &p->arena);
	w->done = true;
	proc_park(p);
}

static int pack_state(struct saving *w)
{
	int err = escalate_settle(w->s);

	/* Where they can't be copied, they are lost. */
	if (err == 0 && escalate_has_programs(w->s))
		err = session_fork(w->s, NULL, true, &w->live);
	if (err == -E_AGAIN)
		err = 0;
	if (err == 0)
		err = session_fork(w->s, NULL, false, &w->fork);
	if (err == 0)
		err = proc_restart(w->fork->shell_proc, pack_all, w);
	if (err < 0)
		return err;
	session_run_free(w->fork);
	return w->done ? w->err : -E_NOMEM;
}

/* Which processes are not in the file. */
static void tell_lost(const struct saving *w, struct cowsh_saved *out)
{
	struct kernel *k = w->s->kernel;

	for (struct proc *p = proc_next(k, 0); p != NULL; p = proc_next(k, p->pid)) {
		struct proc *kept = w->live != NULL ? proc_find(w->live->kernel, p->pid) : NULL;

		if (p == w->s->shell_proc || (kept != NULL && proc_state_letter(kept) != 'Z'))
			continue;
		if (out->processes < sizeof out->lost / sizeof *out->lost)
			out->lost[out->processes] = p->pid;
		out->processes++;
	}
}

struct counted {
	const struct cowsh_sink *sink;
	uint64_t bytes;
};

static int write_counted(void *user, const void *data, size_t len)
{
	struct counted *c = user;

	c->bytes += len;
	return c->sink->write(c->sink->user, data, len);
}

int cowsh_save(cowsh *s, const struct cowsh_sink *sink, cowsh_image *base, const char *base_name,
	       struct cowsh_saved *out)
{
	struct saving w = { .s = s };
	struct counted counted = { sink, 0 };
	struct image_sink to = { write_counted, &counted, false };
	struct image_save save = { .base = (struct image *)base };
	struct image_info info;
	int err;

	if (s == NULL || sink == NULL || sink->size < sizeof *sink || sink->write == NULL)
		return -E_INVAL;
	if (s->running)
		return -E_BUSY;
	to.compress = sink->compress;
	save.base_name = base_name != NULL ? bytes_of(base_name) : BYTES("");
	err = pack_state(&w);
	if (err == 0) {
		save.state = buf_bytes(&w.state);
		save.memory = (const void *const *)w.memory.page;
		save.nmemory = w.memory.n;
		save.left_out = escalate_saved(s);
		err = image_write(kernel_vfs(s->kernel), &to, &save, &info);
	}
	if (err == VFS_PENDING)
		err = -E_AGAIN;
	if (err == 0 && out != NULL) {
		struct cowsh_saved saved = { .size = sizeof saved,
					     .descriptors = (unsigned)w.descriptors };

		tell_lost(&w, &saved);
		image_give_info(&info, counted.bytes, &saved.info);
		memcpy(out, &saved, out->size < sizeof saved ? out->size : sizeof saved);
	}
	cowsh_free(w.fork);
	cowsh_free(w.live);
	return err;
}

/* --- loading --- */

struct loading {
	struct image *image;
	struct cowsh *s;
	const struct cowsh_config *config;
	struct arena arena;
	jmp_buf full;
	struct unpack in;
	struct unpacking u;
	bool bad;
};

static void no_memory(void *arg)
{
	longjmp(*(jmp_buf *)arg, 1);
}

/* Runs as the shell process, so that running out of memory ends it and not the host. */
static int load_shell(struct proc *p, void *arg)
{
	struct loading *l = arg;

	l->s->shell = interp_unpack(p, &l->in, (char *const *)(uintptr_t)l->config->env);
	l->bad = l->s->shell == NULL;
	proc_park(p);
}

static int make_kernel(struct loading *l)
{
	struct kernel_config settings;
	struct vfs_tree *tree;
	int err = image_tree(l->image, &tree);

	if (err != 0)
		return err;
	session_settings(l->s, l->config, &settings);
	settings.tree = tree;
	settings.carry_on = true;
	err = kernel_new(&settings, &l->s->kernel);
	vfs_tree_put(tree);
	return err;
}

/* Without a machine they are lost. */
static int load_programs(struct loading *l)
{
	uint64_t programs = unpack_u64(&l->in);
	struct unpack section = unpack_of(unpack_bytes(&l->in));
	struct image_info info;
	vfs_ino memory;
	int err = 0;

	if (l->in.bad || programs > INT32_MAX)
		return -E_IO;
	if (programs != 0 && l->s->microvm == NULL) {
		l->s->lost = (unsigned)programs;
		return 0;
	}
	image_get_info(l->image, &info);
	memory = info.numbers - 1;
	l->u.in = &section;
	if (programs != 0)
		err = escalate_unpack(l->s, &l->u, memory);
	return err == 0 ? kernel_unpack_rest(&l->u) : err;
}

static int restart_shell(struct loading *l)
{
	static char name[] = "bash";
	char *const argv[] = { name, NULL };
	struct spawn spawn = { .fn = load_shell, .arg = l, .name = "bash" };
	struct cowsh *s = l->s;
	struct unpack clock;
	int err;

	if (unpack_u64(&l->in) != STATE_VERSION)
		return -E_IO;
	clock = l->in;
	err = kernel_unpack(s->kernel, &l->in);
	if (err == 0)
		err = session_connect(s, l->config);
	l->u = (struct unpacking){ .k = s->kernel, .in = &l->in, .a = &l->arena };
	if (err == 0)
		err = kernel_start_packed(&l->u, &spawn, argv, &s->shell_proc);
	if (err == 0)
		err = load_programs(l);
	if (err != 0)
		return err;
	s->cred = s->shell_proc->cred;
	proc_set_survivor(s->shell_proc, true);
	session_run_free(s);
	if (s->shell == NULL)
		return l->bad ? -E_IO : -E_NOMEM;
	kernel_unpack_end(&l->u, true);
	/* Starting took no time. */
	return kernel_unpack(s->kernel, &clock);
}

static int load_all(struct loading *l)
{
	struct arena_fail fail = { no_memory, &l->full };
	struct bytes state;
	int err = make_kernel(l);

	if (err != 0)
		return err;
	arena_init(&l->arena, kernel_heap(l->s->kernel), fail);
	if (setjmp(l->full) != 0) {
		err = -E_NOMEM;
	} else {
		err = image_state(l->image, &l->arena, &state);
		l->in = unpack_of(state);
		if (err == 0)
			err = restart_shell(l);
	}
	if (err != 0 && l->u.k != NULL)
		kernel_unpack_end(&l->u, false);
	arena_clear(&l->arena);
	return err;
}

static int begin_loaded(struct cowsh *s, const struct cowsh_config *c, void *arg)
{
	struct loading l = { .image = arg, .s = s, .config = c };

	return load_all(&l);
}

int cowsh_load(cowsh_store *store, const struct cowsh_config *config, const struct cowsh_host *host,
	       cowsh_image *image, cowsh **out)
{
	struct image_info info;

	if (image == NULL)
		return -E_INVAL;
	image_get_info((struct image *)image, &info);
	if (info.kind != IMAGE_SESSION)
		return -E_INVAL;
	return session_make(store, config, host, begin_loaded, image, out);
}
