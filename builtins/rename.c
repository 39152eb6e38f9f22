/* SPDX-License-Identifier: MIT
 *
 * rename - rename files by a piece of Perl: rename 's/\.txt$/.md/' *.txt
 *
 * The code changes the name in $_; edit.c has the part of Perl that there is. A file whose new
 * name exists stays as it is, unless -f. Whatever happens to the files, the status is 0.
 */
#include "builtins/edit.h"

struct rename_opts {
	bool verbose;
	bool null;
	bool dry_run;
	bool force;
	bool name_only;
	struct buf code;
	bool has_code;
};

static int add_code(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rename_opts *o = c->opts;

	if (o->code.arena == NULL)
		o->code = buf_in(c->arena);
	buf_puts(&o->code, arg);
	buf_puts(&o->code, opt->letter == 'E' ? ";\n" : "\n");
	o->has_code = true;
	return 0;
}

static int whole_path(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rename_opts *o = c->opts;

	(void)opt, (void)arg;
	o->name_only = false;
	return 0;
}

static const struct opt rename_options[] = {
	OPT_FLAG('v', "verbose", struct rename_opts, verbose, "say what is renamed"),
	OPT_FLAG('0', "null", struct rename_opts, null, "names of standard input end with NUL"),
	OPT_FLAG('n', "nono", struct rename_opts, dry_run, "only say what would be renamed"),
	OPT_FLAG('f', "force", struct rename_opts, force, "replace files that exist"),
	OPT_CALL(0, "path", whole_path, "the code sees the whole path (the default)"),
	OPT_CALL(0, "fullpath", whole_path, NULL),
	OPT_FLAG('d', "filename", struct rename_opts, name_only,
		 "the code sees the last part of the path only"),
	OPT_FLAG(0, "nopath", struct rename_opts, name_only, NULL),
	OPT_FLAG(0, "nofullpath", struct rename_opts, name_only, NULL),
	OPT_CALL_ARG('e', NULL, add_code, "CODE", "code; several are lines of one"),
	OPT_CALL_ARG('E', NULL, add_code, "CODE", "the same, with a semicolon behind"),
	OPT_MISSING('u', "unicode"),
	OPT_END(),
};

/* One dash is as good as two: -nono, and -nv is no bundle. */
static int rename_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct buf word = buf_in(c->arena);

	(void)argc;
	if (argv[i][0] != '-' || argv[i][1] == '-' || argv[i][1] == '\0' || argv[i][2] == '\0')
		return 0;
	buf_printf(&word, "-%s", argv[i]);
	argv[i] = buf_cstr(&word);
	return -1;
}

static bool has_space(const char *s)
{
	for (; *s != '\0'; s++)
		if (byte_is_space(*s))
			return true;
	return false;
}

/* Both names stand in quotes if one of them has white space. */
static void say_exists(struct cmd *c, const char *from, const char *to)
{
	const char *quote = has_space(from) || has_space(to) ? "'" : "";
	struct buf line = buf_in(c->arena);

	buf_printf(&line, "%s%s%s not renamed: %s%s%s already exists\n", quote, from, quote, quote,
		   to, quote);
	cmd_err_write(c, line.ptr, line.len);
}

static void say_failed(struct cmd *c, const char *from, const char *to, int err)
{
	struct buf line = buf_in(c->arena);

	buf_printf(&line, "Can't rename %s %s: %s\n", from, to, err_text(err));
	cmd_err_write(c, line.ptr, line.len);
}

/* The name after the code; NULL if it stays as it is. */
static const char *new_name(const struct rename_opts *o, const struct edit *e, struct arena *a,
			    const char *path)
{
	struct bytes whole = bytes_of(path);
	const char *slash = o->name_only ? strrchr(path, '/') : NULL;
	size_t head = slash != NULL ? (size_t)(slash - path) + 1 : 0;
	struct bytes changed = edit_apply(e, a, bytes_slice(whole, head, whole.len));
	struct buf out = buf_in(a);

	buf_put(&out, path, head);
	buf_add(&out, changed);
	return strcmp(buf_cstr(&out), path) == 0 ? NULL : out.ptr;
}

static void rename_one(struct cmd *c, const struct edit *e, const char *from)
{
	const struct rename_opts *o = c->opts;
	struct arena scratch;
	struct vfs_stat st;

	arena_init_under(&scratch, c->arena);
	const char *to = new_name(o, e, &scratch, from);

	cmd_charge(c, 4);
	if (to == NULL) {
		arena_clear(&scratch);
		return;
	}
	if (!o->force && cmd_stat(c, to, &st) == 0) {
		say_exists(c, from, to);
	} else if (o->dry_run) {
		cmd_printf(c, "rename(%s, %s)\n", from, to);
	} else {
		int err = cmd_rename(c, CMD_CWD, from, CMD_CWD, to, 0);

		if (err < 0)
			say_failed(c, from, to, err);
		else if (o->verbose)
			cmd_printf(c, "%s renamed as %s\n", from, to);
	}
	arena_clear(&scratch);
}

static int rename_input(struct cmd *c, const struct edit *e)
{
	const struct rename_opts *o = c->opts;
	struct input in;
	struct bytes line;
	int got = input_open(&in, c, "-");

	while (got >= 0 && (got = input_line(&in, o->null ? '\0' : '\n', &line)) > 0) {
		char *name = pool_dup(c->pool, line);

		rename_one(c, e, name);
		pool_free(c->pool, name, line.len + 1);
	}
	return got < 0 ? cmd_error(c, got, "standard input") : 0;
}

static int rename_run(struct cmd *c)
{
	struct rename_opts *o = c->opts;
	int first = o->has_code ? 0 : 1;
	const char *message;

	if (!o->has_code && c->nargs == 0)
		return cmd_usage(c, "no code is given");
	struct bytes code = o->has_code ? buf_bytes(&o->code) : bytes_of(c->args[0]);
	struct edit *e = edit_compile(c, code, true, &message);

	if (e == NULL)
		return cmd_error(c, 0, "%s", message);
	if (c->nargs == first)
		return rename_input(c, e);
	for (int i = first; i < c->nargs; i++)
		rename_one(c, e, c->args[i]);
	return 0;
}

const struct builtin builtin_rename = {
	.name = "rename",
	.usage = "[OPTION]... CODE [FILE]...",
	.summary = "Renames each FILE (or those that standard input names) by a piece of Perl.\n"
		   "CODE is a line of s///, y/// or tr///, $_ = lc, uc, ucfirst, lcfirst, chop, "
		   "chomp,\nwith semicolons between. A name that exists is not taken.",
	.run = rename_run,
	.opts = rename_options,
	.opts_size = sizeof(struct rename_opts),
	.flags = BUILTIN_STOP,
	.usage_status = 2,
	.error_status = 2,
	.family = "File::Rename 2.01",
	.version = "rename using File::Rename version 2.01",
	.legacy = rename_legacy,
};
