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

enum { STATE_VERSION = 1 };

/* --- saving --- */

struct saving {
	struct cowsh *s;
	struct cowsh *fork;
	struct buf state; /* in the fork's arena */
	int descriptors;
	int functions;
	bool done;
};

/* In the shell process of the fork. */
static int pack_all(struct proc *p, void *arg)
{
	struct saving *w = arg;

	w->state = buf_in(&p->arena);
	pack_u64(&w->state, STATE_VERSION);
	kernel_pack(w->s->kernel, &w->state);
	w->descriptors = proc_pack(w->s->shell_proc, &w->state, &p->arena);
	w->functions = interp_pack(w->fork->shell, &w->state, w->s->shell);
	w->done = true;
	proc_park(p);
}

static int pack_state(struct saving *w)
{
	int err = session_fork(w->s, NULL, false, &w->fork);

	if (err == 0)
		err = proc_restart(w->fork->shell_proc, pack_all, w);
	if (err < 0)
		return err;
	session_run_free(w->fork);
	return w->done ? 0 : -E_NOMEM;
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
		err = image_write(kernel_vfs(s->kernel), &to, &save, &info);
	}
	cowsh_free(w.fork);
	if (err == VFS_PENDING)
		err = -E_AGAIN;
	if (err == 0 && out != NULL) {
		struct cowsh_saved saved = { .size = sizeof saved,
					     .processes = session_others(s),
					     .descriptors = (unsigned)w.descriptors };

		image_give_info(&info, counted.bytes, &saved.info);
		memcpy(out, &saved, out->size < sizeof saved ? out->size : sizeof saved);
	}
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
	if (err == 0)
		err = kernel_start_packed(s->kernel, &l->in, &l->arena, &spawn, argv,
					  &s->shell_proc);
	if (err != 0)
		return err;
	s->cred = s->shell_proc->cred;
	proc_set_survivor(s->shell_proc, true);
	session_run_free(s);
	if (s->shell == NULL)
		return l->bad ? -E_IO : -E_NOMEM;
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
