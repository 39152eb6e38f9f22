/* SPDX-License-Identifier: MIT
 *
 * uname - what system this is: a Linux, the same on every host.
 */
#include "builtins/builtin.h"

enum {
	SYSNAME = 1,
	NODENAME = 2,
	RELEASE = 4,
	VERSION = 8,
	MACHINE = 16,
	PROCESSOR = 32,
	PLATFORM = 64,
	SYSTEM = 128
};

struct uname_opts {
	int what;
	bool all;
};

static int add(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct uname_opts *o = c->opts;

	(void)arg;
	o->what |= opt->value;
	return 0;
}

#define UNAME(s, l, v, text)                                                                       \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = add, .value = (v),        \
		.help = (text)                                                                     \
	}
static const struct opt uname_options[] = {
	OPT_FLAG('a', "all", struct uname_opts, all, "everything"),
	UNAME('s', "kernel-name", SYSNAME, "the kernel's name"),
	UNAME('s', "sysname", SYSNAME, NULL),
	UNAME('n', "nodename", NODENAME, "the host's name"),
	UNAME('r', "kernel-release", RELEASE, "the kernel's release"),
	UNAME('r', "release", RELEASE, NULL),
	UNAME('v', "kernel-version", VERSION, "the kernel's version"),
	UNAME('m', "machine", MACHINE, "the machine"),
	UNAME('p', "processor", PROCESSOR, "the processor"),
	UNAME('i', "hardware-platform", PLATFORM, "the hardware platform"),
	UNAME('o', "operating-system", SYSTEM, "the operating system"),
	OPT_END(),
};
#undef UNAME

static int uname_run(struct cmd *c)
{
	const struct uname_opts *o = c->opts;
	const char *text[] = {
		"Linux",  cmd_hostname(c), "6.1.0",   "#1 SMP",
		"x86_64", "unknown",       "unknown", "GNU/Linux",
	};
	int status = cmd_operands(c, 0, 0);
	int what = o->what != 0 ? o->what : SYSNAME;
	bool first = true;

	if (status != 0)
		return status;
	/* -a leaves out what is unknown. */
	if (o->all)
		what = SYSNAME | NODENAME | RELEASE | VERSION | MACHINE | SYSTEM;
	for (int i = 0; i < 8; i++) {
		if (!(what & 1 << i))
			continue;
		cmd_printf(c, "%s%s", first ? "" : " ", text[i]);
		first = false;
	}
	cmd_putc(c, '\n');
	return 0;
}

const struct builtin builtin_uname = {
	.name = "uname",
	.usage = "[OPTION]...",
	.summary = "Writes what system this is.",
	.run = uname_run,
	.opts = uname_options,
	.opts_size = sizeof(struct uname_opts),
};
