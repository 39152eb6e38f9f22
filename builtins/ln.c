/* SPDX-License-Identifier: MIT
 *
 * ln - make links.
 */
#include "builtins/ask.h"
#include "builtins/copy.h"

struct ln_opts {
	struct backup_opts backup;
	struct target_opts target;
	bool symbolic;
	bool relative;
	bool verbose;
	bool no_follow; /* -n */
	bool dirs;
	int logical; /* -L, -P */
	int ask;     /* ASK_FORCE: -f, ASK_ALWAYS: -i */
};

static const struct opt ln_options[] = {
	OPT_BACKUP(struct ln_opts, backup, "keep what would be replaced"),
	OPT_FLAG('d', "directory", struct ln_opts, dirs, "try hard links to directories"),
	OPT_FLAG('F', NULL, struct ln_opts, dirs, "the same"),
	OPT_SET('f', "force", struct ln_opts, ask, ASK_FORCE, "remove what has the name already"),
	OPT_SET('i', "interactive", struct ln_opts, ask, ASK_ALWAYS, "ask before removing it"),
	OPT_SET('L', "logical", struct ln_opts, logical, 1,
		"follow targets that are symbolic links"),
	OPT_FLAG('n', "no-dereference", struct ln_opts, no_follow,
		 "a name that is a link to a directory is a plain name"),
	OPT_SET('P', "physical", struct ln_opts, logical, 0, "link to symbolic links themselves"),
	OPT_FLAG('r', "relative", struct ln_opts, relative,
		 "with -s: relative to the link's place"),
	OPT_FLAG('s', "symbolic", struct ln_opts, symbolic, "symbolic links"),
	OPT_SUFFIX(struct ln_opts, backup),
	OPT_TARGET(struct ln_opts, target, "make the links in DIRECTORY"),
	OPT_FLAG('T', "no-target-directory", struct ln_opts, target.no_directory,
		 "the last operand is the link's name, never a directory"),
	OPT_FLAG('v', "verbose", struct ln_opts, verbose, "say what is made"),
	OPT_END(),
};

/* `target` as seen from the directory of the link `name`. */
static char *relative_to(struct cmd *c, const char *target, const char *name)
{
	struct buf out = buf_in(c->arena);
	struct bytes link = bytes_of(name);
	const char *slash = bytes_rfind(link, BYTES("/"));
	const char *dir = slash == NULL   ? "."
			  : slash == name ? "/"
					  : arena_dup(c->arena,
						      bytes_slice(link, 0, (size_t)(slash - name)));
	char *from;
	char *to;

	if (cmd_canonical(c, dir, CANON_MISSING, &from) != 0 ||
	    cmd_canonical(c, target, CANON_MISSING, &to) != 0)
		return arena_dup(c->arena, bytes_of(target));
	size_t same = 0; /* length of the common leading components */

	for (size_t i = 0;; i++) {
		bool end_from = from[i] == '\0' || from[i] == '/';
		bool end_to = to[i] == '\0' || to[i] == '/';

		if (end_from && end_to)
			same = i;
		if (from[i] != to[i] || from[i] == '\0')
			break;
	}
	if (strcmp(from, "/") == 0)
		same = 0;
	for (const char *at = from + same; *at != '\0'; at++)
		if (*at == '/' && at[1] != '\0')
			buf_puts(&out, out.len > 0 ? "/.." : "..");
	const char *rest = to + same + strspn(to + same, "/");

	if (*rest != '\0')
		buf_printf(&out, "%s%s", out.len > 0 ? "/" : "", rest);
	if (out.len == 0)
		buf_putc(&out, '.');
	return buf_cstr(&out);
}

static int failed(struct cmd *c, const struct ln_opts *o, int err, const char *target,
		  const char *name)
{
	bool short_form = err == -E_EXIST ||
			  (o->symbolic && (err == -E_NOENT || err == -E_NAMETOOLONG) &&
			   target[0] != '\0');

	if (o->symbolic)
		return short_form || target[0] != '\0'
			       ? cmd_error(c, err, "failed to create symbolic link %s",
					   cmd_quoteaf(c, name))
			       : cmd_error(c, err, "failed to create symbolic link %s -> %s",
					   cmd_quoteaf(c, name), cmd_quoteaf(c, target));
	if (short_form)
		return cmd_error(c, err, "failed to create hard link %s", cmd_quoteaf(c, name));
	return cmd_error(c, err, "failed to create hard link %s => %s", cmd_quoteaf(c, name),
			 cmd_quoteaf(c, target));
}

/* What stands at the link's name goes. -1: leave it and make nothing; 0; or a status. */
static int make_way(struct cmd *c, const struct ln_opts *o, const char *target, const char *name,
		    const char **backup, bool *replace)
{
	struct vfs_stat old;
	struct vfs_stat st;

	int err = cmd_lstat(c, name, &old);

	if (err < 0 && err != -E_NOENT && (o->ask != ASK_DEFAULT || o->backup.kind != BACKUP_NONE))
		return cmd_error(c, err, "failed to access %s", cmd_quoteaf(c, name));
	if (err < 0)
		return 0;
	if ((old.mode & S_FMT) == S_DIR)
		return o->ask == ASK_DEFAULT && o->backup.kind == BACKUP_NONE
			       ? 0
			       : cmd_error(c, 0, "%s: cannot overwrite directory",
					   cmd_quotef(c, name));
	if (o->ask == ASK_ALWAYS && !ask(c, "replace %s?", cmd_quoteaf(c, name)))
		return -1;
	if (o->ask == ASK_DEFAULT && o->backup.kind == BACKUP_NONE)
		return 0;
	bool through = o->symbolic || o->logical;

	err = through ? cmd_stat(c, target, &st) : cmd_lstat(c, target, &st);

	if (err == 0 && st.ino == old.ino && st.dev == old.dev &&
	    (st.nlink == 1 || target_same_entry(c, target, name)) &&
	    (o->backup.kind == BACKUP_NONE || !o->symbolic))
		return cmd_error(c, 0, "%s and %s are the same file", cmd_quoteaf(c, target),
				 cmd_quoteaf(c, name));
	if (o->backup.kind != BACKUP_NONE) {
		*backup = backup_name(c, &o->backup, name);
		err = cmd_rename(c, CMD_CWD, name, CMD_CWD, *backup, 0);
		/* If both were names of one file the old one is still there. */
		*replace = cmd_lstat(c, name, &old) == 0;
		return err < 0 ? cmd_error(c, err, "cannot backup %s", cmd_quoteaf(c, name)) : 0;
	}
	*replace = true;
	return 0;
}

static int make(struct cmd *c, const struct ln_opts *o, const char *target, const char *name)
{
	return o->symbolic ? cmd_symlink(c, target, CMD_CWD, name)
			   : cmd_link(c, CMD_CWD, target, CMD_CWD, name, o->logical);
}

/* What has the name stays until the link is made: then that takes its place. */
static int make_over(struct cmd *c, const struct ln_opts *o, const char *target, const char *name)
{
	char *temp = NULL;
	int err = -E_EXIST;

	for (int tries = 0; tries < 100 && err == -E_EXIST; tries++) {
		char text[24];

		temp = arena_dup(c->arena, bytes_of(name));
		size_t len = strlen(temp);

		while (len > 0 && temp[len - 1] != '/')
			len--;
		text[num_format_u64(cmd_random(c) >> 1, text)] = '\0';
		temp[len] = '\0';
		struct buf path = buf_in(c->arena);

		buf_printf(&path, "%sCu%.8s", temp, text);
		temp = buf_cstr(&path);
		err = make(c, o, target, temp);
	}
	if (err < 0)
		return err;
	err = cmd_rename(c, CMD_CWD, temp, CMD_CWD, name, 0);
	/* Two names of one file both stay where they are. */
	cmd_unlink(c, CMD_CWD, temp, 0);
	return err;
}

static int check_target(struct cmd *c, const struct ln_opts *o, const char *target)
{
	struct vfs_stat st;
	int err = o->logical ? cmd_stat(c, target, &st) : cmd_lstat(c, target, &st);

	if (err < 0)
		return cmd_error(c, err, "failed to access %s", cmd_quoteaf(c, target));
	if ((st.mode & S_FMT) == S_DIR && !o->dirs)
		return cmd_error(c, 0, "%s: hard link not allowed for directory",
				 cmd_quotef(c, target));
	return 0;
}

static int make_link(struct cmd *c, const struct ln_opts *o, const char *target, const char *name)
{
	const char *backup = NULL;
	bool replace = false;
	int status = o->symbolic ? 0 : check_target(c, o, target);

	if (status != 0)
		return status;
	if (o->symbolic && o->relative)
		target = relative_to(c, target, name);
	status = make_way(c, o, target, name, &backup, &replace);
	if (status != 0)
		return status < 0 ? 0 : status;
	int err = replace ? make_over(c, o, target, name) : make(c, o, target, name);

	if (err < 0) {
		if (backup != NULL)
			cmd_rename(c, CMD_CWD, backup, CMD_CWD, name, 0);
		return failed(c, o, err, target, name);
	}
	if (o->verbose) {
		if (backup != NULL)
			cmd_printf(c, "%s ~ ", cmd_quoteaf(c, backup));
		cmd_printf(c, "%s %s %s\n", cmd_quoteaf(c, name), o->symbolic ? "->" : "=>",
			   cmd_quoteaf(c, target));
	}
	return 0;
}

/* Where the links go: a directory, or one name. 0, or a status. */
static int split(struct cmd *c, const struct ln_opts *o, int *n, const char **dir,
		 const char **name)
{
	struct vfs_stat st;

	if (c->nargs == 1 && o->target.directory == NULL && !o->target.no_directory) {
		*n = 1;
		*dir = ".";
		return 0;
	}
	const char *last = c->nargs > 0 ? c->args[c->nargs - 1] : "";
	const char *target = o->target.directory != NULL ? o->target.directory : last;

	if (o->no_follow && !o->target.no_directory && (c->nargs > 1 || target != last) &&
	    cmd_lstat(c, target, &st) == 0 && (st.mode & S_FMT) == S_LNK) {
		if (c->nargs != 2 || target != last)
			return cmd_error(c, -E_NOTDIR, "target %s", cmd_quoteaf(c, target));
		*n = 1;
		*name = last;
		return 0;
	}
	return target_split(c, &o->target, n, dir, name);
}

/* Whether the link of operand i has the name of one that was made before: then it is refused. */
static bool was_made(struct cmd *c, const struct ln_opts *o, const char **made, int i)
{
	struct vfs_stat st;

	if (o->symbolic || o->backup.kind == BACKUP_NUMBERED || cmd_lstat(c, made[i], &st) != 0)
		return false;
	for (int k = 0; k < i; k++) {
		cmd_charge(c, 1);
		if (strcmp(made[k], made[i]) != 0)
			continue;
		cmd_error(c, 0, "will not overwrite just-created %s with %s",
			  cmd_quoteaf(c, made[i]), cmd_quoteaf(c, c->args[i]));
		return true;
	}
	return false;
}

static int ln_run(struct cmd *c)
{
	struct ln_opts *o = c->opts;
	const char *dir = NULL;
	const char *name = NULL;
	int n;
	int status = backup_setup(c, &o->backup);

	if (status == 0 && o->relative && !o->symbolic)
		status = cmd_error(c, 0, "cannot do --relative without --symbolic");
	if (status == 0)
		status = split(c, o, &n, &dir, &name);
	if (status != 0)
		return status;
	const char **made = arena_array(c->arena, (size_t)n, sizeof(*made));

	for (int i = 0; i < n; i++) {
		made[i] = dir != NULL ? target_join(c, dir, c->args[i]) : name;
		status |= was_made(c, o, made, i) ? 1 : make_link(c, o, c->args[i], made[i]);
	}
	return status;
}

static void ln_defaults(struct cmd *c)
{
	((struct ln_opts *)c->opts)->target.of_ln = true;
}

const struct builtin builtin_ln = {
	.name = "ln",
	.usage = "[OPTION]... TARGET... [LINK_NAME | DIRECTORY]",
	.summary = "Makes links to the targets: hard ones, or with -s symbolic ones.",
	.run = ln_run,
	.opts = ln_options,
	.opts_size = sizeof(struct ln_opts),
	.defaults = ln_defaults,
};
