/* SPDX-License-Identifier: MIT
 *
 * The variables a shell starts with: the imported environment and bash's own.
 */
#include "interp/builtin.h"
#include "interp/dirs.h"
#include "interp/exec.h"
#include "interp/var_private.h"
#include "interp/var_special.h"

enum { FOREIGN_BUCKETS = 64, SHLVL_MAX = 999 };

static struct var *ensure(struct shell *sh, const char *name)
{
	return var_ensure(sh, bytes_of(name), bytes_hash(bytes_of(name)));
}

static struct var *give(struct shell *sh, const char *name, const char *value, unsigned flags)
{
	struct var *v = ensure(sh, name);

	var_assign(sh, v, bytes_of(value), VAR_FORCE);
	v->flags |= flags;
	return v;
}

static void give_default(struct shell *sh, const char *name, const char *value)
{
	if (var_get_text(sh, name) == NULL)
		give(sh, name, value, 0);
}

static void give_number(struct shell *sh, const char *name, int64_t n, unsigned flags)
{
	char digits[24];

	give(sh, name, i64_text(n, digits).ptr, flags);
}

/* --- the environment --- */

static unsigned foreign_bucket(const char *entry)
{
	return assoc_hash((struct bytes){ entry, strcspn(entry, "=") }) & (FOREIGN_BUCKETS - 1);
}

/* Names that are no names are passed on unseen, in the order of bash's table for them. */
static void keep_foreign(struct shell *sh, const char *entry, size_t *n)
{
	struct var_table *t = &sh->vars;
	size_t at = *n;
	size_t unit = sizeof *t->foreign;

	t->foreign = pool_resize(sh->pool, t->foreign, *n == 0 ? 0 : (*n + 1) * unit,
				 (*n + 2) * unit);
	while (at > 0 && foreign_bucket(t->foreign[at - 1]) >= foreign_bucket(entry)) {
		t->foreign[at] = t->foreign[at - 1];
		at--;
	}
	t->foreign[at] = pool_dup(sh->pool, bytes_of(entry));
	t->foreign[++*n] = NULL;
}

static bool is_function_entry(struct bytes name, const char *value)
{
	return bytes_starts(name, BYTES("BASH_FUNC_")) && bytes_ends(name, BYTES("%%")) &&
	       strncmp(value, "() {", 4) == 0;
}

static void import(struct shell *sh, char *const *envp)
{
	size_t nforeign = 0;

	for (; envp != NULL && *envp != NULL; envp++) {
		const char *equals = strchr(*envp, '=');
		struct bytes name;
		struct var *v;

		if (equals == NULL)
			continue;
		name = (struct bytes){ *envp, (size_t)(equals - *envp) };
		if (is_function_entry(name, equals + 1) || bytes_is(name, "SHELLOPTS") ||
		    bytes_is(name, "BASHOPTS"))
			continue;
		if (!is_name(name)) {
			keep_foreign(sh, *envp, &nforeign);
			continue;
		}
		if (bytes_is(name, "_")) {
			set_last_arg(sh, equals + 1);
			sh->last_arg_exported = true;
			continue;
		}
		v = var_ensure(sh, name, bytes_hash(name));
		var_assign(sh, v, bytes_of(equals + 1), 0);
		v->flags |= VAR_EXPORT;
	}
}

/* --- bash's own --- */

static bool same_directory(struct shell *sh, const char *path)
{
	struct vfs_stat there;
	struct vfs_stat here;

	return path[0] == '/' && sys_stat(sh->p, AT_FDCWD_, path, 0, &there) == 0 &&
	       sys_stat(sh->p, AT_FDCWD_, ".", 0, &here) == 0 && there.ino == here.ino &&
	       there.dev == here.dev;
}

static void init_directories(struct shell *sh, bool say)
{
	const char *pwd = var_get_text(sh, "PWD");
	const char *old = var_get_text(sh, "OLDPWD");
	struct vfs_stat st;
	char *path = NULL;
	int64_t err = 0;

	if (pwd != NULL && same_directory(sh, pwd))
		path = arena_dup(sh->arena, bytes_of(pwd));
	else
		err = sys_getcwd(sh->p, sh->arena, &path);
	if (err < 0 && say) {
		no_current_directory(sh, "shell-init", err);
	} else if (err >= 0) {
		dirs_set_cwd(sh, path);
		give(sh, "PWD", path, VAR_EXPORT);
	}
	if (old == NULL || sys_stat(sh->p, AT_FDCWD_, old, 0, &st) != 0 ||
	    (st.mode & S_FMT) != S_DIR) {
		struct var *v = ensure(sh, "OLDPWD");

		var_free_value(sh, v);
		v->flags |= VAR_EXPORT;
	}
}

static void init_shlvl(struct shell *sh)
{
	const char *text = var_get_text(sh, "SHLVL");
	int64_t level = 0;

	if (text != NULL && !arith_plain_number(bytes_of(text), &level))
		level = 0;
	level = level < 0 ? 0 : level + 1;
	if (level > SHLVL_MAX) {
		shell_error(sh, "warning: shell level (%lld) too high, resetting to 1",
			    (long long)level);
		level = 1;
	}
	give_number(sh, "SHLVL", level, VAR_EXPORT);
}

void var_init(struct shell *sh, char *const *envp)
{
	set_last_arg(sh, sh->is_sh ? "sh" : "bash");
	import(sh, envp);
	give(sh, "IFS", " \t\n", 0);
	ensure(sh, "IFS")->flags &= ~(unsigned)VAR_EXPORT;
	init_directories(sh, envp != NULL);
	init_shlvl(sh);
	give(sh, "BASH", sh->is_sh ? "/bin/sh" : "/bin/bash", 0);
	give_default(sh, "COMP_WORDBREAKS", " \t\n\"'@><=;|&(:");
	give_default(sh, "HOSTNAME", sys_hostname(sh->p));
	give(sh, "OPTERR", "1", 0);
	give(sh, "OPTIND", "1", VAR_INTEGER);
	give_default(sh, "PATH", "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:.");
	give_default(sh, "PS4", "+ ");
	give_default(sh, "SHELL", "/bin/bash");
	give_default(sh, "TERM", "dumb");
	give_number(sh, "PPID", sh->p->ppid, VAR_INTEGER | VAR_READONLY);
	give_number(sh, "UID", sh->p->cred.uid, VAR_INTEGER | VAR_READONLY);
	give_number(sh, "EUID", sh->p->cred.uid, VAR_INTEGER | VAR_READONLY);
	var_init_late(sh);
	var_init_special(sh);
	if (sh->last_arg_exported)
		ensure(sh, "_")->flags |= VAR_EXPORT;
}
