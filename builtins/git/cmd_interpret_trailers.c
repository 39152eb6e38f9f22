/* SPDX-License-Identifier: MIT
 *
 * git interpret-trailers.
 */
#include "builtins/git/trailer.h"

struct interpret_opts {
	struct trailer_opts t;
	bool in_place;
	struct trailer_rules rules; /* of the trailers that follow */
	struct trailer_args args;
};

static int add_arg(struct git *g, void *opts, const char *arg, bool unset)
{
	struct interpret_opts *o = opts;

	if (unset) {
		o->args.n = 0;
		return 0;
	}
	LIST_ROOM(g, o->args.at, o->args.n, o->args.cap);
	o->args.at[o->args.n++] = (struct trailer_arg){ arg, o->rules };
	return 0;
}

static int bad_value(struct git *g, const char *option, const char *arg)
{
	return git_error(g, "invalid value '%s' for --%s", arg, option) * GIT_STATUS_USAGE;
}

static int set_where(struct git *g, void *opts, const char *arg, bool unset)
{
	struct interpret_opts *o = opts;

	o->rules.where = WHERE_UNSAID;
	return unset || trailer_rule_where(arg, &o->rules.where) ? 0 : bad_value(g, "where", arg);
}

static int set_exists(struct git *g, void *opts, const char *arg, bool unset)
{
	struct interpret_opts *o = opts;

	o->rules.exists = EXISTS_UNSAID;
	return unset || trailer_rule_exists(arg, &o->rules.exists) ? 0
								   : bad_value(g, "if-exists", arg);
}

static int set_missing(struct git *g, void *opts, const char *arg, bool unset)
{
	struct interpret_opts *o = opts;

	o->rules.missing = MISSING_UNSAID;
	return unset || trailer_rule_missing(arg, &o->rules.missing)
		       ? 0
		       : bad_value(g, "if-missing", arg);
}

static int set_parse(struct git *g, void *opts, const char *arg, bool unset)
{
	struct interpret_opts *o = opts;

	(void)g, (void)arg, (void)unset;
	o->t.only_trailers = o->t.only_input = o->t.unfold = true;
	return 0;
}

static const struct git_option interpret_options[] = {
	GIT_FLAG(0, "in-place", struct interpret_opts, in_place),
	GIT_FLAG(0, "trim-empty", struct interpret_opts, t.trim_empty),
	GIT_CALL_ARG(0, "where", set_where),
	GIT_CALL_ARG(0, "if-exists", set_exists),
	GIT_CALL_ARG(0, "if-missing", set_missing),
	GIT_FLAG(0, "only-trailers", struct interpret_opts, t.only_trailers),
	GIT_FLAG(0, "only-input", struct interpret_opts, t.only_input),
	GIT_FLAG(0, "unfold", struct interpret_opts, t.unfold),
	GIT_CALL(0, "parse", set_parse),
	GIT_FLAG(0, "no-divider", struct interpret_opts, t.no_divider),
	GIT_CALL_ARG(0, "trailer", add_arg),
	GIT_END(),
};
static const char *const interpret_usage[] = {
	"git interpret-trailers [--in-place] [--trim-empty]\n"
	"                       [(--trailer <token>[(=|:)<value>])...]\n"
	"                       [--parse] [<file>...]",
	NULL
};

int git_cmd_interpret_trailers(struct git *g, struct args *args)
{
	struct interpret_opts o = { .in_place = false };
	const struct git_parser p = { interpret_options, &o, interpret_usage, 0, NULL };

	git_parse(g, args, &p);
	if (o.t.only_input && o.args.n != 0) {
		git_error(g, "--trailer with --only-input does not make sense");
		git_usage(g, interpret_usage);
	}
	if (args->argc == 0) {
		if (o.in_place)
			git_die(g, "no input file given for in-place editing");
		cmd_bytes(g->c, trailers_apply(g, file_stdin(g), &o.args, &o.t));
		return 0;
	}
	for (int i = 0; i < args->argc; i++) {
		char *path = path_join(g->a, g->start, args->argv[i]);
		struct bytes text;
		int err = file_read(g, g->keep, path, &text);

		if (err < 0)
			git_die_errno(g, err, "could not read input file '%s'", args->argv[i]);
		text = trailers_apply(g, text, &o.args, &o.t);
		if (!o.in_place)
			cmd_bytes(g->c, text);
		else if ((err = file_write(g, path, text, 0666)) < 0)
			git_die_errno(g, err, "could not open temporary file '%s'", path);
	}
	return 0;
}
