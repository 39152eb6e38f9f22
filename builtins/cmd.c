/* SPDX-License-Identifier: MIT
 *
 * The life of a command: from the arguments of a process to its exit status.
 */
#include "builtins/cmd_private.h"

static struct bytes locale_name(struct cmd *c)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = cmd_getenv(c, names[i]);

		if (value != NULL && value[0] != '\0')
			return bytes_of(value);
	}
	return BYTES("");
}

static bool locale_is_utf8(struct cmd *c)
{
	struct bytes name = locale_name(c);

	return bytes_find(name, BYTES("UTF-8")) != NULL ||
	       bytes_find(name, BYTES("utf8")) != NULL ||
	       bytes_find(name, BYTES("utf-8")) != NULL || bytes_find(name, BYTES("UTF8")) != NULL;
}

int builtin_run(struct proc *p, const struct builtin *b, int argc, char **argv, char *const *envp)
{
	static char stdin_name[] = "-";
	struct cmd_private private = { .next_slot = 0 };
	char *default_files[] = { stdin_name, NULL };
	struct cmd c = {
		.p = p,
		.b = b,
		.name = argc > 0 ? argv[0] : b->name,
		.argc = argc,
		.argv = argv,
		.envp = envp,
		.arena = &p->arena,
		.pool = &p->pool,
		.priv = &private,
	};

	c.utf8 = locale_is_utf8(&c);
	output_init(&c.out, &c, 1, false);
	if (b->opts_size != 0)
		c.opts = arena_zalloc(c.arena, b->opts_size);
	if (b->defaults != NULL)
		b->defaults(&c);
	int status = opts_parse(&c);

	if (status >= 0)
		goto out;
	c.nfiles = c.nargs;
	c.files = c.args;
	if (c.nargs == 0) {
		c.nfiles = 1;
		c.files = default_files;
	}
	status = b->run(&c);
out:
	cmd_flush(&c);
	return status & 0xff;
}

void cmd_exit(struct cmd *c, int status)
{
	if (!c->priv->ending)
		cmd_flush(c);
	proc_exit(c->p, (status & 0xff) << 8);
}

void cmd_die(struct cmd *c, int sig)
{
	cmd_flush(c);
	proc_die(c->p, sig);
}

void cmd_charge(struct cmd *c, uint64_t n)
{
	proc_charge(c->p, n);
}

void cmd_work(void *arg, uint64_t work)
{
	struct cmd *c = arg;

	proc_charge(c->p, work);
}

size_t cmd_stack_left(struct cmd *c)
{
	return proc_stack_left(c->p);
}

int cmd_deepen(struct cmd *c, size_t need, int (*fn)(void *arg), void *arg)
{
	return proc_deepen(c->p, need, fn, arg);
}

void cmd_set_own(struct cmd *c, void *own)
{
	c->p->task = own;
}

void *cmd_running_own(void)
{
	const struct proc *p = kernel_running();

	return p != NULL ? p->task : NULL;
}

/* --- clock, machine --- */

int64_t cmd_now(struct cmd *c)
{
	return sys_now(c->p);
}

int64_t cmd_uptime(struct cmd *c)
{
	return sys_uptime(c->p);
}

int cmd_sleep(struct cmd *c, int64_t ns)
{
	return (int)sys_sleep(c->p, ns);
}

uint64_t cmd_random(struct cmd *c)
{
	return sys_random(c->p);
}

void cmd_random_bytes(struct cmd *c, void *out, size_t n)
{
	sys_random_bytes(c->p, out, n);
}

const char *cmd_hostname(struct cmd *c)
{
	return sys_hostname(c->p);
}
