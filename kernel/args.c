/* SPDX-License-Identifier: MIT
 *
 * Arguments and environment of a process: one block of memory, counted, because a forked
 * process shares its parent's until it executes something.
 *
 *   [ head | argv pointers NULL envp pointers NULL | start of the file | path \0 strings \0 ... ]
 */
#include "kernel/internal.h"

struct args_block {
	size_t refs;
	size_t size;
};

static int add_strings(char *const *list, size_t *count, size_t *bytes)
{
	for (; list != NULL && *list != NULL; list++) {
		size_t n = strlen(*list) + 1;

		if (n > ARG_STRING_MAX)
			return -E_2BIG;
		*bytes += n;
		++*count;
		if (*bytes + *count * sizeof(char *) > ARG_TOTAL_MAX)
			return -E_2BIG;
	}
	return 0;
}

/* argv without its first element when something takes its place. */
static char *const *rest_of(const struct args *a)
{
	bool skip = a->nhead != 0 && a->argv != NULL && a->argv[0] != NULL;

	return skip ? a->argv + 1 : a->argv;
}

static int measure(const struct args *a, size_t *count, size_t *bytes)
{
	*count = 2 + (size_t)a->nhead;
	*bytes = strlen(a->path) + 1 + a->start.len + 1;
	for (int i = 0; i < a->nhead; i++)
		*bytes += strlen(a->head[i]) + 1;
	if (add_strings(rest_of(a), count, bytes) != 0)
		return -E_2BIG;
	return add_strings(a->envp, count, bytes);
}

static char *put(char **at, const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = memcpy(*at, s, n);

	*at += n;
	return copy;
}

static char **put_list(char **slot, char **at, char *const *list)
{
	for (; list != NULL && *list != NULL; list++)
		*slot++ = put(at, *list);
	return slot;
}

static void fill(struct proc *p, const struct args *a, struct args_block *b, size_t count)
{
	char **slot = (char **)(b + 1);
	char *at = (char *)(slot + count);
	char **argv = slot;

	p->priv->start = (struct bytes){ at, a->start.len };
	if (a->start.len != 0)
		memcpy(at, a->start.ptr, a->start.len);
	at += a->start.len;
	*at++ = '\0';
	p->priv->path = put(&at, a->path);
	slot = put_list(slot, &at, a->nhead != 0 ? a->head : NULL);
	slot = put_list(slot, &at, rest_of(a));
	p->priv->argc = (int)(slot - argv);
	*slot++ = NULL;
	p->argv = argv;
	p->envp = slot;
	slot = put_list(slot, &at, a->envp);
	*slot = NULL;
	p->priv->args = b;
}

static void put_block(struct kernel *k, struct args_block *b)
{
	if (b != NULL && --b->refs == 0)
		heap_free(&k->heap, b, b->size);
}

static uint64_t list_steps(char *const *list)
{
	uint64_t steps = 0;

	for (; list != NULL && *list != NULL; list++)
		steps += 1 + strlen(*list) / 64;
	return steps / 4;
}

uint64_t args_steps(char *const *argv, char *const *envp)
{
	return list_steps(argv) + list_steps(envp);
}

int args_set(struct proc *p, const struct args *a)
{
	size_t count;
	size_t bytes;
	struct args_block *b;
	struct args_block *old;

	if (measure(a, &count, &bytes) != 0)
		return -E_2BIG;
	bytes += sizeof *b + count * sizeof(char *);
	b = heap_alloc(&p->k->heap, bytes);
	if (b == NULL)
		return -E_NOMEM;
	*b = (struct args_block){ 1, bytes };
	/* The strings may come from the old block. */
	old = p->priv->args;
	fill(p, a, b, count);
	if (a->name != NULL)
		proc_set_name(p, a->name);
	put_block(p->k, old);
	return 0;
}

void args_share(struct proc *child, const struct proc *parent)
{
	child->priv->args = parent->priv->args;
	child->priv->path = parent->priv->path;
	child->priv->start = parent->priv->start;
	child->priv->argc = parent->priv->argc;
	child->argv = parent->argv;
	child->envp = parent->envp;
	if (child->priv->args != NULL)
		child->priv->args->refs++;
}

void args_clear(struct proc *p)
{
	struct args_block *old = p->priv->args;

	p->priv->args = NULL;
	p->priv->path = "";
	p->priv->start = (struct bytes){ "", 0 };
	p->priv->argc = 0;
	p->argv = NULL;
	p->envp = NULL;
	put_block(p->k, old);
}

void proc_rename(struct proc *p, const char *name)
{
	size_t n = strlen(name);

	if (n > sizeof p->priv->comm - 1)
		n = sizeof p->priv->comm - 1;
	memcpy(p->priv->comm, name, n);
	p->priv->comm[n] = '\0';
	p->name = p->priv->comm;
}

void proc_set_name(struct proc *p, const char *path)
{
	const char *slash = strrchr(path, '/');

	proc_rename(p, slash != NULL ? slash + 1 : path);
}
