/* SPDX-License-Identifier: MIT
 *
 * A kernel for unit tests: a store in one region, a host that records output, and a first
 * process that runs a test's function.
 */
#ifndef TESTS_UNIT_KERNEL_ENV_H
#define TESTS_UNIT_KERNEL_ENV_H

#include <stdlib.h>

#include "kernel/kernel.h"
#include "kernel/trace.h"
#include "tests/unit/check.h"

enum { ENV_BYTES = 64 << 20 };

struct env {
	struct store store;
	void *region;
	struct kernel *k;
	struct kernel_host host;
	char out[65536]; /* "1:...": fd and bytes of each call of output */
	size_t out_len;
	const char *input;
	size_t input_chunk;
	bool output_pending;
	bool input_pending;
	int calls;
};

static struct env env;

static int env_output(void *user, int fd, const char *data, size_t n)
{
	(void)user;
	env.calls++;
	if (env.output_pending)
		return KERNEL_PENDING;
	if (env.out_len + n + 3 < sizeof env.out) {
		env.out[env.out_len++] = (char)('0' + fd);
		env.out[env.out_len++] = ':';
		memcpy(env.out + env.out_len, data, n);
		env.out_len += n;
		env.out[env.out_len] = '\0';
	}
	return 0;
}

static int64_t env_input(void *user, char *out, size_t n)
{
	size_t have = env.input != NULL ? strlen(env.input) : 0;

	(void)user;
	if (env.input_pending)
		return KERNEL_PENDING;
	if (have > n)
		have = n;
	if (env.input_chunk != 0 && have > env.input_chunk)
		have = env.input_chunk;
	if (have != 0)
		memcpy(out, env.input, have);
	env.input += have;
	return (int64_t)have;
}

static inline struct kernel_config env_config(void)
{
	return (struct kernel_config){ .store = &env.store,
				       .host = &env.host,
				       .seed = 42,
				       .epoch_ns = 1000000000000,
				       .cred = { .uid = 0 } };
}

static inline bool env_open_with(const struct kernel_config *c)
{
	return kernel_new(c, &env.k) == 0;
}

static inline void env_prepare(void)
{
	void *region = env.region != NULL ? env.region : aligned_alloc(65536, ENV_BYTES);

	memset(&env, 0, sizeof env);
	env.region = region;
	env.host = (struct kernel_host){ .output = env_output, .input = env_input };
	store_init(&env.store, region, ENV_BYTES, NULL, NULL);
}

static inline bool env_open(void)
{
	struct kernel_config c;

	env_prepare();
	c = env_config();
	return CHECK(env_open_with(&c));
}

static inline void env_close(void)
{
	CHECK_EQ(kernel_free(env.k), 0);
	env.k = NULL;
	free(env.region);
	env.region = NULL;
}

static inline struct proc *env_start(int (*fn)(struct proc *, void *), void *arg)
{
	static char *const argv[] = { "test", "arg", NULL };
	static char *const envp[] = { "HOME=/", NULL };
	struct spawn s = { .fn = fn, .arg = arg, .name = "test" };
	struct proc *p = NULL;

	CHECK_EQ(kernel_start(env.k, &s, argv, envp, &p), 0);
	return p;
}

/* Runs fn as a first process until it has ended: its wait status. */
static inline int env_run(int (*fn)(struct proc *, void *), void *arg)
{
	struct proc *p = env_start(fn, arg);
	int pid = p->pid;
	int status = -1;

	while (kernel_run(env.k, 0) == KERNEL_SLICE)
		if (proc_find(env.k, pid)->state == PROC_ZOMBIE)
			break;
	kernel_reap(env.k, pid, &status);
	return status;
}

static inline int64_t env_spawn(struct proc *p, int (*fn)(struct proc *, void *), void *arg)
{
	struct spawn s = { .fn = fn, .arg = arg };

	return sys_spawn(p, &s, NULL);
}

static inline int env_wait(struct proc *p, int64_t pid)
{
	int status = -1;

	return sys_wait(p, (int)pid, &status, 0) == pid ? status : -1;
}

#endif
