/* SPDX-License-Identifier: MIT
 *
 * bc - calculate with numbers of any length.
 *
 * Reference: GNU bc 1.07.1.
 */
#include "builtins/bc/bc.h"

struct bc_opts {
	bool library;
	bool quiet;
	bool standard;
	bool warn;
};

static const struct opt bc_options[] = {
	OPT_IGNORED('i', "interactive", "no effect"),
	OPT_FLAG('l', "mathlib", struct bc_opts, library, "functions s c a l e j; scale is 20"),
	OPT_FLAG('q', "quiet", struct bc_opts, quiet, "no banner (there is none)"),
	OPT_FLAG('s', "standard", struct bc_opts, standard, "what POSIX bc lacks is an error"),
	OPT_FLAG('w', "warn", struct bc_opts, warn, "warn of what POSIX bc lacks"),
	OPT_CALL('v', NULL, cmd_opt_version, NULL),
	OPT_END(),
};

/* Columns of a line, 0: no end. */
static uint64_t line_length(struct cmd *c)
{
	const char *text = cmd_getenv(c, "BC_LINE_LENGTH");
	int64_t n;

	if (text == NULL || num_parse_i64(text, "", &n) != 0)
		return 70;
	return n == 0 ? 0 : n < 3 ? 70 : (uint64_t)n;
}

static int bc_run_command(struct cmd *c)
{
	const struct bc_opts *o = c->opts;
	struct bc *b = arena_zalloc(c->arena, sizeof(*b));

	b->c = c;
	b->library = o->library;
	b->posix = o->standard;
	b->warn = o->warn;
	b->source = "(standard_in)";
	b->line = 1;
	b->line_length = line_length(c);
	bc_start(b);
	bc_program(b);
	return 0;
}

static void bc_defaults(struct cmd *c)
{
	cmd_words_before(c, "BC_ENV_ARGS");
}

const struct builtin builtin_bc = {
	.name = "bc",
	.usage = "[options] [file ...]",
	.summary = "Calculates with numbers of any length.",
	.run = bc_run_command,
	.defaults = bc_defaults,
	.opts = bc_options,
	.opts_size = sizeof(struct bc_opts),
	.family = "GNU bc 1.07.1",
	.version = "bc 1.07.1",
};
