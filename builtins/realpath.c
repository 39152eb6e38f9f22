/* SPDX-License-Identifier: MIT
 *
 * realpath - write canonical paths, absolute or relative to a directory.
 */
#include "builtins/builtin.h"

enum links {
	LINKS_PHYSICAL, /* symbolic links before ".." */
	LINKS_LOGICAL,  /* ".." before symbolic links */
	LINKS_STRIP,    /* not resolved */
};

struct realpath_opts {
	int mode; /* enum canon_mode */
	bool quiet;
	int links; /* enum links: the last of -L, -P, -s */
	bool zero;
	const char *relative_to;
	const char *relative_base;
};

static const struct opt realpath_options[] = {
	OPT_SET('e', "canonicalize-existing", struct realpath_opts, mode, CANON_EXISTING,
		"all parts must exist"),
	OPT_SET('m', "canonicalize-missing", struct realpath_opts, mode, CANON_MISSING,
		"nothing need exist"),
	OPT_SET('L', "logical", struct realpath_opts, links, LINKS_LOGICAL,
		"resolve .. before symbolic links"),
	OPT_SET('P', "physical", struct realpath_opts, links, LINKS_PHYSICAL,
		"symbolic links first (default)"),
	OPT_FLAG('q', "quiet", struct realpath_opts, quiet, "no messages about most errors"),
	OPT_STR(0, "relative-to", struct realpath_opts, relative_to, NULL, "DIR",
		"relative to DIR"),
	OPT_STR(0, "relative-base", struct realpath_opts, relative_base, NULL, "DIR",
		"absolute paths unless below DIR"),
	OPT_SET('s', "strip", struct realpath_opts, links, LINKS_STRIP,
		"do not follow symbolic links"),
	OPT_SET('s', "no-symlinks", struct realpath_opts, links, LINKS_STRIP, NULL),
	OPT_FLAG('z', "zero", struct realpath_opts, zero, "end each line with NUL"),
	OPT_END(),
};

static int resolve(struct cmd *c, const struct realpath_opts *o, const char *path, char **out)
{
	unsigned mode = (unsigned)o->mode;
	struct vfs_stat st;

	if (o->links == LINKS_STRIP) {
		int err = cmd_canonical(c, path, mode | CANON_NOLINKS, out);

		/* What a link names must be there, too. */
		return err == 0 && mode == CANON_EXISTING ? cmd_stat(c, *out, &st) : err;
	}
	if (o->links == LINKS_LOGICAL) {
		char *plain;
		int err = cmd_canonical(c, path, mode | CANON_NOLINKS, &plain);

		if (err < 0)
			return err;
		path = plain;
	}
	return cmd_canonical(c, path, mode, out);
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(path, dir, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* path as seen from dir; both canonical. */
static void put_relative(struct cmd *c, const char *path, const char *dir)
{
	size_t same = 0;
	bool any = false;

	for (size_t i = 0;; i++) {
		bool end_path = path[i] == '\0' || path[i] == '/';
		bool end_dir = dir[i] == '\0' || dir[i] == '/';

		if (end_path && end_dir)
			same = i;
		if (path[i] != dir[i] || path[i] == '\0')
			break;
	}
	for (const char *at = dir + same; *at != '\0'; at++) {
		if (*at != '/' || at[1] == '\0')
			continue;
		cmd_puts(c, any ? "/.." : "..");
		any = true;
	}
	const char *rest = path + same + strspn(path + same, "/");

	if (*rest != '\0')
		cmd_printf(c, "%s%s", any ? "/" : "", rest);
	else if (!any)
		cmd_putc(c, '.');
}

/* The directory of an option, canonical: ends the command if it is none. */
static const char *option_dir(struct cmd *c, const struct realpath_opts *o, const char *dir)
{
	struct vfs_stat st;
	char *out;
	int err = resolve(c, o, dir, &out);

	if (err < 0)
		cmd_fatal(c, err, "%s", cmd_quotef(c, dir));
	if (o->mode == CANON_EXISTING && (cmd_stat(c, out, &st) != 0 || (st.mode & S_FMT) != S_DIR))
		cmd_fatal(c, -E_NOTDIR, "%s", cmd_quotef(c, dir));
	return out;
}

static int realpath_run(struct cmd *c)
{
	struct realpath_opts *o = c->opts;
	const char *base = NULL;
	const char *to = NULL;
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (o->relative_base != NULL)
		base = option_dir(c, o, o->relative_base);
	if (o->relative_to != NULL)
		to = option_dir(c, o, o->relative_to);
	else if (base != NULL)
		to = base;
	/* A directory outside of the base makes everything absolute. */
	if (base != NULL && to != NULL && !is_below(to, base))
		to = base = NULL;
	for (int i = 0; i < c->nargs; i++) {
		char *path;
		int err = resolve(c, o, c->args[i], &path);

		if (err < 0) {
			status = 1;
			if (!o->quiet)
				cmd_error(c, err, "%s",
					  c->args[i][0] == '\0' ? "''" : cmd_quotef(c, c->args[i]));
			continue;
		}
		if (to == NULL || (base != NULL && !is_below(path, base)))
			cmd_puts(c, path);
		else
			put_relative(c, path, to);
		cmd_putc(c, o->zero ? '\0' : '\n');
	}
	return status;
}

static void realpath_defaults(struct cmd *c)
{
	((struct realpath_opts *)c->opts)->mode = CANON_PARENT;
}

const struct builtin builtin_realpath = {
	.name = "realpath",
	.usage = "[OPTION]... FILE...",
	.summary = "Writes the absolute path of each file, without symbolic links.",
	.run = realpath_run,
	.opts = realpath_options,
	.opts_size = sizeof(struct realpath_opts),
	.defaults = realpath_defaults,
};
