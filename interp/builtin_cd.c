/* SPDX-License-Identifier: MIT
 *
 * cd and pwd.
 *
 * The shell keeps the path by which it came to its directory: `cd ..` goes back that way, not
 * where a symbolic link led. $PWD only shows it. Not here: cd -@.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/dirs.h"
#include "interp/var_private.h"

void no_current_directory(struct shell *sh, const char *who, int64_t err)
{
	struct buf out = buf_in(sh->arena);

	buf_printf(&out,
		   "%s: error retrieving current directory: getcwd: "
		   "cannot access parent directories: %s\n",
		   who, err_text((int)err));
	err_write(sh, buf_bytes(&out));
}

const char *logical_directory(struct shell *sh, const char *who)
{
	char *path;

	if (sh->dirs != NULL && sh->dirs->cwd != NULL)
		return sh->dirs->cwd;
	int64_t err = sys_getcwd(sh->p, sh->arena, &path);

	if (err < 0) {
		no_current_directory(sh, who, err);
		return NULL;
	}
	dirs_set_cwd(sh, path);
	return sh->dirs->cwd;
}

/* --- paths --- */

static bool is_directory(struct shell *sh, const char *path)
{
	struct vfs_stat st;

	return sys_stat(sh->p, AT_FDCWD_, path, 0, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

/* Drops the last component of a path of `root` leading slashes; a relative one may go up. */
static void drop_component(struct buf *out, size_t root)
{
	struct bytes path = buf_bytes(out);

	if (root == 0 &&
	    (path.len == 0 || bytes_is(path, "..") || bytes_ends(path, BYTES("/..")))) {
		buf_puts(out, path.len == 0 ? ".." : "/..");
		return;
	}
	while (out->len > root && out->ptr[out->len - 1] != '/')
		out->len--;
	if (out->len > root)
		out->len--;
	out->ptr[out->len] = '\0';
}

/* The path without ".", ".." and double slashes; false if ".." follows what is no directory. */
static bool canonical(struct shell *sh, struct buf *out, const char *path)
{
	size_t root = path[0] != '/' ? 0 : path[1] == '/' && path[2] != '/' ? 2 : 1;

	buf_put(out, "//", root);
	while (*path != '\0') {
		path += strspn(path, "/");
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.') {
			if (out->len != 0 && !is_directory(sh, buf_cstr(out)))
				return false;
			drop_component(out, root);
		} else if (len != 0 && !(len == 1 && path[0] == '.')) {
			if (out->len > root)
				buf_putc(out, '/');
			buf_put(out, path, len);
		}
		path += len;
	}
	if (out->len == 0)
		buf_putc(out, '.');
	buf_cstr(out);
	return true;
}

/* Tells the variables where the shell is now. */
static int set_directory(struct shell *sh, const char *path)
{
	static const struct bytes before = { "OLDPWD", 6 };
	const char *old = var_get_text(sh, "PWD");
	struct var *v = var_find(sh, before, bytes_hash(before));
	int status = 0;

	if (old != NULL && var_set_text(sh, "OLDPWD", arena_dup(sh->arena, bytes_of(old))) != 0)
		status = 1;
	if (old == NULL && v != NULL && (v->flags & VAR_READONLY) == 0)
		var_free_value(sh, var_own(sh, v));
	dirs_set_cwd(sh, path);
	return var_set_text(sh, "PWD", path) != 0 ? 1 : status;
}

/* Where nobody knows where that is, the name is what was asked for. */
static int set_physical(struct shell *sh, const char *asked, bool *unknown)
{
	char *path;
	int64_t err = sys_getcwd(sh->p, sh->arena, &path);

	*unknown = err < 0;
	if (*unknown)
		no_current_directory(sh, "cd", err);
	return set_directory(sh, *unknown ? asked : path);
}

/* 0 and the status of the variables in *status, or a negative error. */
static int64_t enter(struct shell *sh, const char *path, bool physical, bool *unknown, int *status)
{
	struct buf full = buf_in(sh->arena);
	struct buf clean = buf_in(sh->arena);
	int64_t err;

	*unknown = false;
	if (path[0] != '/') {
		const char *here = logical_directory(sh, "chdir");

		buf_puts(&full, here != NULL ? here : ".");
		if (*path != '\0' && !bytes_ends(buf_bytes(&full), BYTES("/")))
			buf_putc(&full, '/');
	}
	buf_puts(&full, path);
	if (!physical && canonical(sh, &clean, full.ptr) && sys_chdir(sh->p, clean.ptr) == 0) {
		*status = set_directory(sh, clean.ptr);
		return 0;
	}
	err = sys_chdir(sh->p, *path != '\0' || physical ? path : ".");
	if (err < 0)
		return err;
	*status = set_physical(sh, buf_cstr(&full), unknown);
	return 0;
}

static int cannot_enter(struct shell *sh, const char *who, const char *path, int64_t err)
{
	struct buf shown = buf_in(sh->arena);

	quote_for_error(sh, &shown, bytes_of(path));
	builtin_error(sh, who, "%s: %s", buf_cstr(&shown), err_text((int)err));
	return 1;
}

int change_directory(struct shell *sh, const char *who, const char *path)
{
	bool unknown;
	int status;
	int64_t err = enter(sh, path, opt_set(sh, SET_PHYSICAL), &unknown, &status);

	if (err == 0)
		return status;
	return cannot_enter(sh, who, path, err);
}

/* --- cd --- */

struct cd_options {
	bool physical;
	bool strict; /* -e */
};

static int show(struct shell *sh, const char *path)
{
	struct buf out = buf_in(sh->arena);

	buf_printf(&out, "%s\n", path != NULL ? path : "");
	return out_flush(sh, "cd", &out);
}

static bool uses_cdpath(const char *path)
{
	if (path[0] == '.')
		path += path[1] == '.' ? 2 : 1;
	else if (path[0] != '/')
		return true;
	return *path != '/' && *path != '\0';
}

/* Tries the entries of CDPATH. True when one led somewhere. */
static bool enter_cdpath(struct shell *sh, const char *path, const struct cd_options *o,
			 int *status)
{
	const char *at = var_get_text(sh, "CDPATH");
	bool unknown;

	while (at != NULL && *at != '\0') {
		size_t len = strcspn(at, ":");
		struct buf full = buf_in(sh->arena);

		buf_put(&full, at, len);
		if (len != 0 && at[len - 1] != '/')
			buf_putc(&full, '/');
		buf_puts(&full, path);
		at = at[len] == ':' ? at + len + 1 : NULL;
		if (enter(sh, full.ptr, o->physical, &unknown, status) == 0) {
			if (len != 0 && show(sh, logical_directory(sh, "cd")) != 0)
				*status = 1;
			return true;
		}
	}
	return false;
}

static int cd_to(struct shell *sh, const char *path, const struct cd_options *o, bool back)
{
	bool unknown = false;
	int status;

	if (!back && uses_cdpath(path) && enter_cdpath(sh, path, o, &status))
		return status;
	int64_t err = enter(sh, path, o->physical, &unknown, &status);

	if (err < 0 && opt_shopt(sh, SHOPT_cdable_vars)) {
		const char *value = var_get_text(sh, path);

		if (value != NULL)
			value = arena_dup(sh->arena, bytes_of(value));
		if (value != NULL && enter(sh, value, o->physical, &unknown, &status) == 0)
			return show(sh, value) != 0 ? 1 : status;
	}
	if (err < 0 && opt_shopt(sh, SHOPT_cdspell) && opt_set(sh, SET_INTERACTIVE)) {
		const char *meant = spelled_directory(sh, path);

		if (meant != NULL && enter(sh, meant, o->physical, &unknown, &status) == 0)
			return show(sh, meant) != 0 ? 1 : status;
	}
	if (err < 0)
		return cannot_enter(sh, "cd", path, err);
	if (back && show(sh, path) != 0)
		return 1;
	return unknown && o->strict ? 1 : status;
}

int do_cd(struct shell *sh, int argc, char **argv)
{
	struct cd_options o = { .physical = opt_set(sh, SET_PHYSICAL) };
	struct optscan scan = { 0 };
	const char *path;
	int c;

	if (restricted(sh, "cd", NULL))
		return 1;
	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "eLP")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (c == 'e')
			o.strict = true;
		else
			o.physical = c == 'P';
	}
	if (argc > scan.index + 1) {
		builtin_error(sh, "cd", "too many arguments");
		return 1;
	}
	bool back = scan.index < argc && strcmp(argv[scan.index], "-") == 0;

	if (scan.index < argc && !back) {
		path = argv[scan.index];
	} else {
		path = var_get_text(sh, back ? "OLDPWD" : "HOME");
		if (path == NULL) {
			builtin_error(sh, "cd", "%s not set", back ? "OLDPWD" : "HOME");
			return 1;
		}
		path = arena_dup(sh->arena, bytes_of(path));
	}
	o.strict = o.strict && o.physical;
	return cd_to(sh, path, &o, back);
}

int do_pwd(struct shell *sh, int argc, char **argv)
{
	bool physical = opt_set(sh, SET_PHYSICAL);
	struct buf out = buf_in(sh->arena);
	struct optscan o = { 0 };
	char *path;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "LP")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		physical = c == 'P';
	}
	if (!physical) {
		const char *here = logical_directory(sh, "pwd");

		if (here == NULL)
			return 1;
		buf_printf(&out, "%s\n", here);
		return out_flush(sh, "pwd", &out);
	}
	int64_t err = sys_getcwd(sh->p, sh->arena, &path);

	if (err < 0) {
		no_current_directory(sh, "pwd", err);
		dirs_set_cwd(sh, NULL);
		return 1;
	}
	buf_printf(&out, "%s\n", path);
	return out_flush(sh, "pwd", &out);
}
