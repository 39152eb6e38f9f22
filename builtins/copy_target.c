/* SPDX-License-Identifier: MIT
 *
 * Where copies go: the rule of the last operand, and the names of backups.
 */
#include "builtins/copy.h"

/* --- destination --- */

static int target_missing(struct cmd *c, const struct target_opts *t)
{
	if (c->nargs == 0)
		return cmd_usage(c, "missing file operand");
	if (t->directory == NULL && c->nargs == 1)
		return cmd_usage(c, "missing destination file operand after %s",
				 cmd_quoteaf(c, c->args[0]));
	return 0;
}

/* 0 if path is a directory, else why not. */
static int is_directory(struct cmd *c, const char *path)
{
	struct vfs_stat st;
	int err = cmd_stat(c, path, &st);

	if (err < 0)
		return err;
	return (st.mode & S_FMT) == S_DIR ? 0 : -E_NOTDIR;
}

static int refuse_target(struct cmd *c, const struct target_opts *t, int err)
{
	const char *name = cmd_quoteaf(c, t->directory);

	if (!t->of_ln)
		return cmd_error(c, err, "target directory %s", name);
	if (err == -E_NOTDIR)
		return cmd_error(c, 0, "target %s is not a directory", name);
	return cmd_error(c, err, "failed to access %s", name);
}

int opt_target(struct cmd *c, const struct opt *o, const char *arg)
{
	struct target_opts *t = (void *)((char *)c->opts + o->offset);

	if (t->directory != NULL)
		return cmd_error(c, 0, "multiple target directories specified");
	t->directory = arg;
	/* ln looks at once. */
	int err = t->of_ln ? is_directory(c, arg) : 0;

	return err < 0 ? refuse_target(c, t, err) : 0;
}

int target_split(struct cmd *c, const struct target_opts *t, int *nsources, const char **dir,
		 const char **name)
{
	int status = target_missing(c, t);
	int err;

	*dir = *name = NULL;
	*nsources = c->nargs;
	if (status != 0)
		return status;
	if (t->no_directory) {
		if (t->directory != NULL)
			return cmd_error(c, 0,
					 t->of_ln ? "cannot combine --target-directory and "
						    "--no-target-directory"
						  : "cannot combine --target-directory (-t) and "
						    "--no-target-directory (-T)");
		if (c->nargs > 2)
			return cmd_usage(c, "extra operand %s", cmd_quoteaf(c, c->args[2]));
		*nsources = 1;
		*name = c->args[1];
		return 0;
	}
	if (t->directory != NULL) {
		*dir = t->directory;
		err = is_directory(c, *dir);
		return err == 0 ? 0 : refuse_target(c, t, err);
	}
	const char *last = c->args[c->nargs - 1];

	*nsources = c->nargs - 1;
	err = is_directory(c, last);
	if (err == 0)
		*dir = last;
	else if (c->nargs > 2)
		return cmd_error(c, err, "target %s", cmd_quoteaf(c, last));
	else
		*name = last;
	return 0;
}

/* path without slashes at its end, cut behind its last other slash. */
static const char *split_path(struct bytes path, struct bytes *name)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	const char *slash = bytes_rfind(path, BYTES("/"));
	size_t at = slash != NULL ? (size_t)(slash - path.ptr) + 1 : 0;

	*name = bytes_slice(path, at, path.len);
	return path.ptr + at;
}

bool target_same_entry(struct cmd *c, const char *a, const char *b)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct bytes names[2];
	struct vfs_stat dirs[2];
	const char *const paths[] = { a, b };
	bool known = true;

	for (int i = 0; i < 2; i++) {
		const char *end = split_path(bytes_of(paths[i]), &names[i]);
		struct bytes dir = { paths[i], (size_t)(end - paths[i]) };

		known &= cmd_stat(c, dir.len != 0 ? arena_dup(c->arena, dir) : ".", &dirs[i]) == 0;
	}
	arena_release(c->arena, mark);
	return known && bytes_eq(names[0], names[1]) && dirs[0].ino == dirs[1].ino &&
	       dirs[0].dev == dirs[1].dev;
}

char *target_join(struct cmd *c, const char *dir, const char *path)
{
	struct buf out = buf_in(c->arena);
	struct bytes name = bytes_of(path);

	while (name.len > 1 && name.ptr[name.len - 1] == '/')
		name.len--;
	const char *slash = name.len > 1 ? bytes_rfind(name, BYTES("/")) : NULL;

	if (slash != NULL)
		name = bytes_slice(name, (size_t)(slash - name.ptr) + 1, name.len);
	buf_puts(&out, dir);
	if (out.len > 0 && out.ptr[out.len - 1] != '/')
		buf_putc(&out, '/');
	if (!bytes_is(name, "/"))
		buf_add(&out, name);
	return buf_cstr(&out);
}

/* --- backups --- */

int opt_backup(struct cmd *c, const struct opt *o, const char *arg)
{
	struct backup_opts *b = (void *)((char *)c->opts + o->offset);

	b->wanted = true;
	if (o->letter == 'S')
		b->suffix = arg;
	else if (arg != NULL)
		b->control = arg;
	return 0;
}

int backup_setup(struct cmd *c, struct backup_opts *b)
{
	static const struct opt_word words[] = {
		{ "none", BACKUP_NONE },
		{ "off", BACKUP_NONE },
		{ "simple", BACKUP_SIMPLE },
		{ "never", BACKUP_SIMPLE },
		{ "existing", BACKUP_EXISTING },
		{ "nil", BACKUP_EXISTING },
		{ "numbered", BACKUP_NUMBERED },
		{ "t", BACKUP_NUMBERED },
		{ NULL, 0 },
	};
	const char *what = "backup type";
	int kind = BACKUP_EXISTING;
	int status = 0;

	if (!b->wanted)
		return 0;
	if (b->control == NULL) {
		b->control = cmd_getenv(c, "VERSION_CONTROL");
		what = "$VERSION_CONTROL";
	}
	if (b->control != NULL && b->control[0] != '\0')
		status = opt_word(c, words, what, b->control, &kind);
	if (b->suffix == NULL)
		b->suffix = cmd_getenv(c, "SIMPLE_BACKUP_SUFFIX");
	if (b->suffix == NULL || b->suffix[0] == '\0' || strchr(b->suffix, '/') != NULL)
		b->suffix = "~";
	b->kind = (enum backup_kind)kind;
	return status;
}

/* N of "base.~N~", or 0. */
static uint64_t backup_number(struct bytes entry, struct bytes base)
{
	uint64_t n = 0;

	if (entry.len < base.len + 4 || !bytes_starts(entry, base) ||
	    memcmp(entry.ptr + base.len, ".~", 2) != 0 || entry.ptr[entry.len - 1] != '~')
		return 0;
	for (size_t i = base.len + 2; i < entry.len - 1; i++) {
		if (!byte_is_digit(entry.ptr[i]) || n > UINT64_MAX / 16)
			return 0;
		n = n * 10 + (uint64_t)(entry.ptr[i] - '0');
	}
	return n;
}

static uint64_t highest_backup(struct cmd *c, const char *path)
{
	struct bytes whole = bytes_of(path);
	const char *slash = bytes_rfind(whole, BYTES("/"));
	size_t dir_len = slash != NULL ? (size_t)(slash - path) + 1 : 0;
	const char *dir = dir_len != 0 ? arena_dup(c->arena, bytes_slice(whole, 0, dir_len)) : ".";
	struct vfs_dirent *list;
	size_t n;
	uint64_t highest = 0;

	if (cmd_list(c, CMD_CWD, dir, c->arena, &list, &n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t number = backup_number(list[i].name,
						bytes_slice(whole, dir_len, whole.len));

		if (number > highest)
			highest = number;
	}
	return highest;
}

char *backup_name(struct cmd *c, const struct backup_opts *b, const char *path)
{
	struct buf out = buf_in(c->arena);
	struct bytes base = bytes_of(path);

	while (base.len > 1 && base.ptr[base.len - 1] == '/')
		base.len--;
	buf_add(&out, base);
	uint64_t highest = b->kind != BACKUP_SIMPLE ? highest_backup(c, buf_cstr(&out)) : 0;

	if (b->kind == BACKUP_NUMBERED || highest > 0) {
		buf_puts(&out, ".~");
		buf_put_u64(&out, highest + 1);
		buf_putc(&out, '~');
	} else {
		buf_puts(&out, b->suffix);
	}
	return buf_cstr(&out);
}
