/* SPDX-License-Identifier: MIT
 *
 * lscpu - the processor: a virtual one, the same on every host.
 */
#include "builtins/builtin.h"

static int lscpu_run(struct cmd *c)
{
	static const char *const rows[][2] = {
		{ "Architecture:", "x86_64" },
		{ "CPU op-mode(s):", "32-bit, 64-bit" },
		{ "Byte Order:", "Little Endian" },
		{ "CPU(s):", "1" },
		{ "On-line CPU(s) list:", "0" },
		{ "Vendor ID:", "cowsh" },
		{ "Model name:", "cowsh virtual processor" },
		{ "Thread(s) per core:", "1" },
		{ "Core(s) per socket:", "1" },
		{ "Socket(s):", "1" },
		{ "BogoMIPS:", "2000.00" },
	};

	if (c->nargs > 0)
		return cmd_usage(c, "bad usage");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cmd_printf(c, "%-41s%s\n", rows[i][0], rows[i][1]);
	return 0;
}

static const struct opt lscpu_options[] = {
	OPT_MISSING('J', "json"), OPT_MISSING_ARG('p', "parse"), OPT_MISSING('e', "extended"),
	OPT_MISSING('x', "hex"),  OPT_MISSING('C', "caches"),    OPT_END(),
};

const struct builtin builtin_lscpu = {
	.name = "lscpu",
	.usage = "[OPTION]...",
	.summary = "Writes what processor there is.",
	.run = lscpu_run,
	.opts = lscpu_options,
	.family = "util-linux 2.38.1",
};
