/* SPDX-License-Identifier: MIT
 *
 * git column.
 */
#include "builtins/git/columns.h"
#include "builtins/git/options.h"

struct column_opts {
	const char *command, *indent, *newline;
	int width, padding;
};

static const struct git_option column_options[] = {
	GIT_STR(0, "command", struct column_opts, command),
	GIT_CALL_MAYBE(0, "mode", git_opt_columns),
	GIT_MISSING_ARG(0, "raw-mode"),
	GIT_INT(0, "width", struct column_opts, width),
	GIT_STR(0, "indent", struct column_opts, indent),
	GIT_STR(0, "nl", struct column_opts, newline),
	GIT_INT(0, "padding", struct column_opts, padding),
	GIT_END(),
};
static const char *const column_usage[] = { "git column [<options>]", NULL };

int git_cmd_column(struct git *g, struct args *args)
{
	struct column_opts o = { .padding = 1 };
	const struct git_parser p = { column_options, &o, column_usage, 0, NULL };
	struct columns columns;
	struct names cells = { NULL, 0, 0 };
	struct bytes text, line;
	bool first = args->argc > 0 && git_starts(args->argv[0], "--command=");

	git_parse(g, args, &p);
	if (o.command != NULL && !first)
		git_die(g, "--command must be the first argument");
	if (args->argc != 0)
		git_usage(g, column_usage);
	if (o.padding < 0)
		git_die(g, "%s must be non-negative", "--padding");
	columns_settle(g, o.command, &columns);
	columns.width = o.width;
	columns.padding = o.padding;
	columns.indent = o.indent != NULL ? o.indent : "";
	columns.newline = o.newline != NULL ? o.newline : "\n";
	if (!columns_active(g, &columns)) {
		columns.layout = 'p';
		columns.indent = "";
		columns.newline = "\n";
	}
	for (text = file_stdin(g); git_line(&text, &line);)
		names_add(g, &cells, arena_dup(g->keep, line));
	columns_put(g, &columns, &cells);
	return 0;
}
