/* SPDX-License-Identifier: MIT
 *
 * coproc: a command in the background with a pipe to it and a pipe from it.
 *
 * When it has ended, its descriptors are closed and its variables unset; one that is closed
 * before becomes -1 in the array. Only the newest coprocess is looked after like that.
 */
#include "base/pack.h"
#include "interp/exec.h"
#include "interp/print.h"
#include "interp/var_private.h"

struct coproc {
	struct bytes name;
	int pid;
	int fd[2]; /* to read from, to write to; -1: closed */
};

static struct bytes pid_name(struct shell *sh, struct bytes name)
{
	struct buf text = buf_in(sh->arena);

	buf_add(&text, name);
	buf_puts(&text, "_PID");
	buf_cstr(&text);
	return buf_bytes(&text);
}

static void set_element(struct shell *sh, struct var *v, int i, int fd)
{
	struct buf text = buf_in(sh->arena);

	buf_put_i64(&text, fd);
	var_assign_at(sh, v, i, buf_bytes(&text), 0);
}

/* The array that c->name is or refers to, made; NULL after a message. */
static struct var *array_of(struct shell *sh, const struct coproc *c)
{
	struct bytes name = c->name;
	uint64_t hash = bytes_hash(name);
	struct bytes sub;
	struct var *v;

	if (var_follow(sh, &name, &hash, &sub, &v) != 0)
		return NULL;
	if (sub.ptr != NULL) {
		var_refuse_element(sh, NULL, name, sub);
		return NULL;
	}
	v = v != NULL ? var_own(sh, v) : var_ensure(sh, name, hash);
	if (var_check_writable(sh, v, 0) != 0)
		return NULL;
	if ((v->flags & VAR_NAMEREF) != 0) {
		shell_error(sh, "warning: %s: removing nameref attribute", v->name.ptr);
		v->flags &= ~(unsigned)VAR_NAMEREF;
	}
	return var_make_array(sh, v, false) == 0 ? v : NULL;
}

static void set_variables(struct shell *sh, const struct coproc *c)
{
	struct var *v = array_of(sh, c);

	if (v == NULL)
		return;
	for (int i = 0; i < 2; i++)
		set_element(sh, v, i, c->fd[i]);
	var_set_int(sh, pid_name(sh, c->name).ptr, c->pid);
}

static void forget(struct shell *sh)
{
	struct coproc *c = sh->coproc;

	pool_free(sh->pool, (void *)(uintptr_t)c->name.ptr, c->name.len + 1);
	pool_free(sh->pool, c, sizeof(*c));
	sh->coproc = NULL;
}

static void keep(struct shell *sh, struct bytes name, int pid, int in, int out)
{
	struct coproc *c;

	if (sh->coproc != NULL) {
		shell_error(sh, "warning: execute_coproc: coproc [%d:%s] still exists",
			    sh->coproc->pid, sh->coproc->name.ptr);
		forget(sh);
	}
	c = pool_zalloc(sh->pool, sizeof(*c));
	c->name = (struct bytes){ pool_dup(sh->pool, name), name.len };
	sh->coproc = c;
	c->pid = pid;
	c->fd[0] = in;
	c->fd[1] = out;
	set_variables(sh, c);
}

static void unset_one(struct shell *sh, struct bytes name, bool readonly)
{
	struct bytes sub;
	struct var *v = var_resolve(sh, name, bytes_hash(name), &sub);

	if (v == NULL || sub.ptr != NULL)
		return;
	if ((v->flags & VAR_READONLY) != 0 && (!readonly || !bytes_eq(v->name, name))) {
		if (!readonly)
			shell_error(sh, "%s: cannot unset: readonly variable", v->name.ptr);
		return;
	}
	v = var_own(sh, v);
	v->flags &= ~(unsigned)VAR_READONLY;
	var_unset(sh, v->name, v->hash, true);
}

void coproc_ended(struct shell *sh, int pid)
{
	struct coproc *c = sh->coproc;

	if (c == NULL || c->pid != pid)
		return;
	for (int i = 0; i < 2; i++) {
		if (c->fd[i] >= 0)
			sys_close(sh->p, c->fd[i]);
	}
	unset_one(sh, c->name, false);
	unset_one(sh, pid_name(sh, c->name), true);
	forget(sh);
}

void coproc_copy(struct shell *sh, const struct shell *from)
{
	const struct coproc *c = from->coproc;

	if (c == NULL || proc_find(sh->p->k, c->pid) == NULL)
		return;
	sh->coproc = pool_alloc(sh->pool, sizeof *sh->coproc);
	*sh->coproc = *c;
	sh->coproc->name.ptr = pool_dup(sh->pool, c->name);
}

void coproc_pack(const struct shell *sh, struct buf *out)
{
	const struct coproc *c = sh->coproc;

	pack_u64(out, c != NULL);
	if (c == NULL)
		return;
	pack_bytes(out, c->name);
	pack_u64(out, (uint64_t)c->pid);
	for (int i = 0; i < 2; i++)
		pack_u64(out, (uint64_t)(c->fd[i] + 1));
}

void coproc_unpack(struct shell *sh, struct unpack *in)
{
	struct coproc *c;
	struct bytes name;

	if (unpack_below(in, 1) == 0)
		return;
	name = unpack_bytes(in);
	if (!is_name(name))
		in->bad = true;
	if (in->bad)
		return;
	c = pool_zalloc(sh->pool, sizeof *c);
	c->name = (struct bytes){ pool_dup(sh->pool, name), name.len };
	c->pid = (int)unpack_below(in, INT32_MAX);
	for (int i = 0; i < 2; i++)
		c->fd[i] = (int)unpack_below(in, INT32_MAX) - 1;
	if (proc_find(sh->p->k, c->pid) != NULL)
		sh->coproc = c;
}

void coproc_closed(struct shell *sh, int fd)
{
	struct coproc *c = sh->coproc;

	for (int i = 0; c != NULL && i < 2; i++) {
		struct bytes sub;
		struct var *v;

		if (c->fd[i] != fd)
			continue;
		c->fd[i] = -1;
		v = var_resolve(sh, c->name, bytes_hash(c->name), &sub);
		if (v != NULL && (v->flags & VAR_ARRAY) != 0)
			set_element(sh, v, i, -1);
	}
}

int exec_coproc(struct shell *sh, const struct coproc_node *c)
{
	enum { HIGHEST = 63 };
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf text = buf_in(sh->arena);
	struct task t = { .run = task_run_node,
			  .node = c->body,
			  .background = true,
			  .encloses = true,
			  .close = { -1, -1 } };
	int to[2];
	int from[2];
	int64_t pid;
	int started;
	struct job *j;

	shell_at(sh, c->node.line);
	if (!is_name(c->name)) {
		shell_error(sh, "`%s': not a valid identifier", c->name.ptr);
		return sh->status = 1;
	}
	if (sys_pipe(sh->p, from, true) < 0)
		return sh->status = 1;
	if (sys_pipe(sh->p, to, true) < 0) {
		sys_close(sh->p, from[0]);
		sys_close(sh->p, from[1]);
		return sh->status = 1;
	}
	/* All four are moved: so they have the numbers that bash gives them. */
	from[0] = fd_move_high(sh, from[0], HIGHEST, true);
	from[1] = fd_move_high(sh, from[1], HIGHEST, true);
	to[0] = fd_move_high(sh, to[0], HIGHEST, true);
	to[1] = fd_move_high(sh, to[1], HIGHEST, true);
	t.in = to[0];
	t.out = from[1];
	t.close[0] = to[1];
	t.close[1] = from[0];
	pid = task_start(sh, &t, NULL);
	sys_close(sh->p, to[0]);
	sys_close(sh->p, from[1]);
	if (pid < 0)
		return sh->status;
	started = (int)pid;
	print_command(&text, &c->node);
	j = job_add(sh, &started, 1, sh->p->pgid, buf_bytes(&text));
	j->is_coproc = true;
	sh->last_background = started;
	keep(sh, c->name, started, from[0], to[1]);
	arena_release(sh->arena, mark);
	return sh->status = 0;
}
