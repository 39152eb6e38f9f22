/* SPDX-License-Identifier: MIT
 *
 * xan, csv - work on files of comma separated values, by subcommands.
 *
 * Each subcommand is a record of its own, with options and help. No other program is the
 * measure: names and options are those of xan's help.
 */
#include "builtins/xan/xan.h"

static const struct builtin *const *const families[] = {
	xan_rows_commands,
	xan_group_commands,
	xan_join_commands,
	xan_convert_commands,
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

static const struct {
	const char *name;
	const char *meant;
} aliases[] = {
	{ "h", "headers" }, { "freq", "frequency" }, { "v", "view" },        { "table", "view" },
	{ "f", "flatten" }, { "tojson", "to" },      { "group", "groupby" },
};

static const struct builtin *find(const char *name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i].name, name) == 0)
			name = aliases[i].meant;
	for (int f = 0; f < FAMILIES; f++)
		for (const struct builtin *const *b = families[f]; *b != NULL; b++)
			if (strcmp((*b)->name, name) == 0)
				return *b;
	return NULL;
}

static int list(struct cmd *c)
{
	cmd_printf(c, "Usage: %s SUBCOMMAND [OPTION]... [FILE]\n", c->name);
	cmd_puts(c, "Works on files of comma separated values.\n\n");
	for (int f = 0; f < FAMILIES; f++)
		for (const struct builtin *const *b = families[f]; *b != NULL; b++)
			cmd_printf(c, "  %-12s%s\n", (*b)->name, (*b)->summary);
	cmd_printf(c, "\n%s SUBCOMMAND --help says more about one.\n", c->name);
	return 0;
}

static int xan_run(struct cmd *c)
{
	struct buf name = buf_in(c->arena);
	const struct builtin *b;

	if (c->nargs == 0)
		return cmd_usage(c, "a subcommand is needed");
	if (strcmp(c->args[0], "--help") == 0 || strcmp(c->args[0], "-h") == 0 ||
	    strcmp(c->args[0], "help") == 0)
		return list(c);
	if (strcmp(c->args[0], "--version") == 0) {
		cmd_put_version(c);
		return 0;
	}
	b = find(c->args[0]);
	if (b == NULL)
		return cmd_usage(c, "unknown subcommand: %s", c->args[0]);
	buf_printf(&name, "%s %s", c->name, c->args[0]);
	c->args[0] = arena_dup(c->arena, buf_bytes(&name));
	return builtin_run(c->p, b, c->nargs, c->args, c->envp);
}

#define RECORD(id)                                                                                 \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = "SUBCOMMAND [OPTION]... [FILE]",                                          \
		.summary = "Works on files of comma separated values: select, filter, sort, "      \
			   "groupby, join, to json...",                                            \
		.run = xan_run,                                                                    \
		.flags = BUILTIN_RAW,                                                              \
		.family = "xan 0.50",                                                              \
	}
RECORD(xan);
RECORD(csv);
