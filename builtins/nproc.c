/* SPDX-License-Identifier: MIT
 *
 * nproc - the number of processors: a session has one.
 */
#include "builtins/builtin.h"

struct nproc_opts {
	uint64_t ignore;
};

static int set_ignore(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct nproc_opts *o = c->opts;
	int err = num_parse_u64(arg, "", &o->ignore);

	(void)opt;
	return err != 0 ? cmd_error(c, err == -E_OVERFLOW ? err : 0, "invalid number: %s",
				    cmd_quote(c, arg))
			: 0;
}

static const struct opt nproc_options[] = {
	OPT_IGNORED(0, "all", "all that are installed"),
	OPT_CALL_ARG(0, "ignore", set_ignore, "N", "leave out N of them, if there are more"),
	OPT_END(),
};

static int nproc_run(struct cmd *c)
{
	const char *limit = cmd_getenv(c, "OMP_NUM_THREADS");
	uint64_t n = 1;
	int status = cmd_operands(c, 0, 0);

	if (status != 0)
		return status;
	if (limit != NULL && (num_parse_u64(limit, "", &n) != 0 || n == 0))
		n = 1;
	const struct nproc_opts *o = c->opts;

	n = o->ignore < n ? n - o->ignore : 1;
	cmd_printf(c, "%llu\n", (unsigned long long)n);
	return 0;
}

const struct builtin builtin_nproc = {
	.name = "nproc",
	.usage = "[OPTION]...",
	.summary = "Writes the number of processors.",
	.run = nproc_run,
	.opts = nproc_options,
	.opts_size = sizeof(struct nproc_opts),
};
