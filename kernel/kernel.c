/* SPDX-License-Identifier: MIT
 *
 * Life of a kernel, and what the host asks it.
 */
#include "kernel/internal.h"

static int64_t vfs_clock(void *user)
{
	return kernel_now(user);
}

static struct kernel *alloc_kernel(struct store *store)
{
	struct heap heap = { .store = store };
	struct kernel *k = heap_zalloc(&heap, sizeof *k);

	if (k == NULL)
		return NULL;
	k->heap = heap;
	k->limit_hit = -1;
	k->slice_steps = SLICE_STEPS;
	k->home_memory = coro_adopt_bytes() != 0 ? heap_alloc(&k->heap, coro_adopt_bytes()) : NULL;
	if (coro_adopt_bytes() == 0 || k->home_memory != NULL)
		return k;
	heap_free(&heap, k, sizeof *k);
	return NULL;
}

static void settings(struct kernel *k, const struct kernel_config *c)
{
	const char *name = c->hostname != NULL ? c->hostname : "cowsh";
	size_t n = strlen(name);

	if (c->host != NULL)
		k->host = *c->host;
	memcpy(k->limit, c->limit, sizeof k->limit);
	k->step_ps = c->step_ps != 0 ? c->step_ps : 10000;
	k->epoch_ns = c->epoch_ns;
	k->cred = c->cred;
	k->console.settings = tty_usual;
	kernel_size_terminal(k, 0, 0);
	if (n > sizeof k->hostname - 1)
		n = sizeof k->hostname - 1;
	memcpy(k->hostname, name, n);
	if (k->host.clock != NULL)
		k->real_start_ns = k->host.clock(k->host.user);
	random_seed(k, c->seed);
}

int kernel_furnish(struct vfs *v)
{
	int r = procfs_mount(v);

	return r == 0 ? dev_make_nodes(v) : r;
}

int kernel_new(const struct kernel_config *config, struct kernel **out)
{
	struct kernel *k = alloc_kernel(config->store);
	int r;

	if (k == NULL)
		return -E_NOMEM;
	settings(k, config);
	r = vfs_new(config->store, config->tree, vfs_clock, k, &k->vfs);
	if (r == 0) {
		if (config->carry_on)
			vfs_continue(k->vfs, config->tree);
		r = kernel_furnish(k->vfs);
		if (r == 0)
			r = procfs_connect(k);
		limit_apply_vfs(k);
	}
	if (r != 0) {
		kernel_free(k);
		return r;
	}
	*out = k;
	return 0;
}

void kernel_kill_all(struct kernel *k)
{
	while (k->all_first != NULL) {
		struct proc *p = k->all_first;

		p->priv->from_host = false;
		if (p->state == PROC_ZOMBIE) {
			proc_free(p);
			continue;
		}
		proc_unlink_child(p);
		stack_put_all(k, proc_end(p, SIGKILL_));
	}
}

size_t kernel_free(struct kernel *k)
{
	struct heap heap;

	if (k == NULL)
		return 0;
	kernel_kill_all(k);
	fetch_settle(k);
	k->console.out_len = 0;
	k->console.in_pos = k->console.in_len;
	console_clear(k);
	capture_clear_cache(k);
	ring_clear_cache(k);
	stack_clear_cache(k);
	proc_clear_cache(k);
	if (k->bucket != NULL)
		heap_free(&k->heap, k->bucket, k->nbuckets * sizeof(struct proc *));
	if (k->vfs != NULL)
		vfs_free(k->vfs);
	if (k->home_memory != NULL)
		heap_free(&k->heap, k->home_memory, coro_adopt_bytes());
	heap = k->heap;
	heap_free(&heap, k, sizeof *k);
	return heap.used;
}

void kernel_swap_hosts(struct kernel *a, struct kernel *b)
{
	struct kernel_host host = a->host;
	bool calls = a->trace_calls;
	bool watched = a->fuel.watched;

	a->host = b->host;
	a->trace_calls = b->trace_calls;
	a->fuel.watched = b->fuel.watched;
	b->host = host;
	b->trace_calls = calls;
	b->fuel.watched = watched;
}

void kernel_follow(struct kernel *k, const struct kernel *like)
{
	memcpy(k->rng, like->rng, sizeof k->rng);
	k->slept_ns = like->slept_ns;
	k->real_start_ns = like->real_start_ns;
	k->steps_total = like->steps_total;
	k->steps_begin = like->steps_begin;
	k->steps_polled = like->steps_polled;
	k->processes = like->processes;
	k->output_total = like->output_total + like->output_bytes;
	k->output_bytes = 0;
	k->requests_made = like->requests_made;
	k->pipes_made = like->pipes_made;
	k->ports_made = like->ports_made;
}

int kernel_fork(struct kernel *k, const struct kernel_host *host, struct kernel **out)
{
	struct kernel_config c = { .store = k->heap.store,
				   .host = host,
				   .step_ps = k->step_ps,
				   .epoch_ns = k->epoch_ns,
				   .carry_on = true,
				   .cred = k->cred,
				   .hostname = k->hostname };
	struct kernel *n;
	int r;

	memcpy(c.limit, k->limit, sizeof c.limit);
	c.tree = vfs_snapshot(k->vfs);
	r = c.tree != NULL ? kernel_new(&c, &n) : -E_NOMEM;
	if (c.tree != NULL)
		vfs_tree_put(c.tree);
	if (r != 0)
		return r;
	kernel_follow(n, k);
	memcpy(n->boot_id, k->boot_id, sizeof n->boot_id);
	memcpy(n->format, k->format, sizeof n->format);
	n->console.settings = k->console.settings;
	memcpy(n->console.size, k->console.size, sizeof n->console.size);
	n->nformats = k->nformats;
	n->last_pid = k->last_pid;
	*out = n;
	return 0;
}

int kernel_restore(struct kernel *k, struct vfs_tree *tree)
{
	int r = vfs_restore_mixes(k->vfs, tree) ? -E_BUSY : view_protect_all(k);

	if (r != 0)
		return r;
	vfs_restore(k->vfs, tree);
	r = procfs_mount(k->vfs);
	return r == 0 ? procfs_connect(k) : r;
}

int kernel_look(struct kernel *k, struct vfs **out)
{
	struct vfs_tree *now = vfs_snapshot(k->vfs);
	int r = now != NULL ? vfs_new(k->heap.store, now, NULL, NULL, out) : -E_NOMEM;

	if (now != NULL)
		vfs_tree_put(now);
	if (r != 0)
		return r;
	vfs_set_asker(*out, k);
	r = procfs_mount(*out);
	if (r != 0)
		vfs_free(*out);
	return r;
}

void kernel_begin(struct kernel *k)
{
	k->limit_hit = -1;
	k->died = 0;
	k->steps_begin = k->steps_total;
	k->output_total += k->output_bytes;
	k->output_bytes = 0;
	k->network_bytes = 0;
	k->network_requests = 0;
	if (k->host.clock != NULL)
		k->real_begin_ns = k->host.clock(k->host.user);
	k->console.error[1] = k->console.error[2] = 0;
	k->console.stuck = false;
	k->console.in_end = false;
	k->heap.peak = k->heap.used;
	limit_memory(k);
	atomic_store_explicit(&k->cancel, false, memory_order_relaxed);
}

void kernel_get_usage(const struct kernel *k, struct kernel_usage *out)
{
	uint64_t steps = kernel_steps(k);

	*out = (struct kernel_usage){
		.steps = steps - k->steps_begin,
		.steps_total = steps,
		.output_bytes = k->output_bytes,
		.processes = k->processes,
		.memory = k->heap.used,
		.memory_peak = k->heap.peak,
	};
}

struct vfs *kernel_vfs(struct kernel *k)
{
	return k->vfs;
}

struct heap *kernel_heap(struct kernel *k)
{
	return &k->heap;
}

void kernel_set_user(struct kernel *k, void *user)
{
	k->user = user;
}

void *kernel_user(struct kernel *k)
{
	return k->user;
}

const char *sys_hostname(struct proc *p)
{
	return p->k->hostname;
}
