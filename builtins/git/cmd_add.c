/* SPDX-License-Identifier: MIT
 *
 * git add, rm, mv.
 */
#include "builtins/git/git.h"
#include "builtins/git/menu.h"
#include "builtins/git/patch_mode.h"
#include "builtins/git/sparse.h"
#include "builtins/git/submodule.h"

/* --- add --- */

struct add_opts {
	bool dry_run, verbose, force, update, all, no_all, intent, refresh, ignore_errors,
		ignore_missing, renormalize, sparse, patch, edit, interactive;
	const char *chmod;
	struct pathspec_file from;
};

static int no_all(struct git *g, void *opts, const char *arg, bool unset)
{
	struct add_opts *o = opts;

	(void)g, (void)arg;
	o->all = unset;
	o->no_all = !unset;
	return 0;
}

static int set_all(struct git *g, void *opts, const char *arg, bool unset)
{
	struct add_opts *o = opts;

	(void)g, (void)arg;
	o->all = !unset;
	o->no_all = unset;
	return 0;
}

static const struct git_option add_options[] = {
	GIT_FLAG('n', "dry-run", struct add_opts, dry_run),
	GIT_FLAG('v', "verbose", struct add_opts, verbose),
	GIT_FLAG('i', "interactive", struct add_opts, interactive),
	GIT_FLAG('p', "patch", struct add_opts, patch),
	GIT_FLAG('e', "edit", struct add_opts, edit),
	GIT_FLAG('f', "force", struct add_opts, force),
	GIT_FLAG('u', "update", struct add_opts, update),
	GIT_FLAG(0, "renormalize", struct add_opts, renormalize),
	GIT_FLAG('N', "intent-to-add", struct add_opts, intent),
	GIT_CALL('A', "all", set_all),
	GIT_CALL(0, "ignore-removal", no_all),
	GIT_FLAG(0, "refresh", struct add_opts, refresh),
	GIT_FLAG(0, "ignore-errors", struct add_opts, ignore_errors),
	GIT_FLAG(0, "ignore-missing", struct add_opts, ignore_missing),
	GIT_FLAG(0, "sparse", struct add_opts, sparse),
	GIT_STR(0, "chmod", struct add_opts, chmod),
	GIT_PATHSPEC_FILE(struct add_opts, from),
	GIT_END(),
};
static const char *const add_usage[] = { "git add [<options>] [--] <pathspec>...", NULL };

struct adding {
	struct git *g;
	const struct add_opts *o;
	struct index *x;
	struct pathspec ps;
	int status;
};

static void stage(struct adding *ad, const char *path)
{
	struct git *g = ad->g;
	struct vfs_stat st;
	struct entry *old = index_find(ad->x, path);
	struct oid o = oid_empty_blob;
	uint32_t mode;
	struct entry *e;

	if (cmd_lstat(g->c, path, &st) < 0)
		return;
	mode = work_mode(g, &st, old);
	if (mode == MODE_GITLINK && !submodule_head(g, path, &o))
		return;
	if (ad->o->verbose || ad->o->dry_run)
		git_printf(g, "add '%s'\n", path);
	if (ad->o->dry_run)
		return;
	if (!ad->o->intent && work_hash(g, path, mode, true, &o) < 0) {
		int err = cmd_access(g->c, CMD_CWD, path, 4);

		git_error(g, "open(\"%s\"): %s", path, err_text(err < 0 ? err : -E_IO));
		git_error(g, "unable to index file '%s'", path);
		if (!ad->o->ignore_errors)
			git_die(g, "adding files failed");
		ad->status = 1;
		return;
	}
	e = index_put(ad->x, path, mode, &o);
	if (ad->o->intent) {
		e->xflags |= ENTRY_INTENT;
		return;
	}
	index_stat(g, e, &st);
	ad->x->dirty = true;
}

/* Files that are in the index: changed ones are added, missing ones leave. */
static void update_known(struct adding *ad)
{
	struct git *g = ad->g;
	struct {
		const char *path;
		bool gone;
	} *list = NULL;
	size_t n = 0, cap = 0;
	const char *last = "";

	for (size_t i = 0; i < ad->x->n; i++) {
		struct entry *e = &ad->x->at[i];
		enum entry_state state;

		if (strcmp(e->path, last) == 0 || !pathspec_match(g, &ad->ps, e->path, false))
			continue;
		last = e->path;
		state = index_check(g, ad->x, e, NULL);
		if (state == ENTRY_MISSING
			    ? ad->o->no_all
			    : state == ENTRY_SAME && e->stage == 0 && !ad->o->renormalize &&
				      (!(e->xflags & ENTRY_INTENT) || ad->o->intent))
			continue;
		LIST_ROOM(g, list, n, cap);
		list[n].path = arena_dup(g->keep, bytes_of(e->path));
		list[n++].gone = state == ENTRY_MISSING;
	}
	for (size_t i = 0; i < n; i++) {
		if (!list[i].gone) {
			stage(ad, list[i].path);
			continue;
		}
		if (ad->o->verbose || ad->o->dry_run)
			git_printf(g, "remove '%s'\n", list[i].path);
		if (!ad->o->dry_run)
			index_remove(ad->x, list[i].path);
	}
}

static bool is_submodule(struct index *x, const char *path)
{
	const struct entry *e = index_find(x, path);

	return e != NULL && e->mode == MODE_GITLINK;
}

/* What is in a submodule can't be added here. */
static void refuse_inside(struct adding *ad)
{
	for (size_t i = 0; i < ad->ps.n; i++) {
		const struct pathspec_item *it = &ad->ps.at[i];

		for (size_t k = 0; k < it->plain; k++) {
			char *dir;

			if (it->match[k] != '/' || k + 1 == it->length)
				continue;
			dir = git_format(ad->g->a, "%.*s", (int)k, it->match);
			if (is_submodule(index_get(ad->g), dir))
				git_die(ad->g, "Pathspec '%s' is in submodule '%s'", it->original,
					dir);
		}
	}
}

static void warn_embedded(struct adding *ad, const char *path)
{
	struct git *g = ad->g;
	struct git *sub = repo_open(g, path_join(g->a, g->work, path));
	struct oid o;
	char *name = git_format(g->a, "%.*s", (int)strlen(path) - 1, path);

	if (sub == NULL || !head_oid(sub, &o)) {
		git_error(g, "'%s' does not have a commit checked out", path);
		git_die(g, "adding files failed");
	}
	git_warn(g, "adding embedded git repository: %s", name);
	git_hint(g, "addEmbeddedRepo",
		 "You've added another git repository inside your current repository.\n"
		 "Clones of the outer repository will not contain the contents of\n"
		 "the embedded repository and will not know how to obtain it.\n"
		 "If you meant to add a submodule, use:\n\n"
		 "\tgit submodule add <url> %s\n\n"
		 "If you added this path by mistake, you can remove it from the\n"
		 "index with:\n\n"
		 "\tgit rm --cached %s\n\n"
		 "See \"git help submodule\" for more information.\n",
		 name, name);
	if (!ad->o->dry_run) {
		index_put(ad->x, name, MODE_GITLINK, &o);
		ad->x->dirty = true;
	}
}

static void add_new(struct adding *ad)
{
	struct git *g = ad->g;
	struct names list = { NULL, 0, 0 };

	work_untracked(g, ad->x,
		       ad->o->force ? UNTRACKED_ALL | UNTRACKED_EVERYTHING : UNTRACKED_ALL, &ad->ps,
		       &list, NULL);
	for (size_t i = 0; i < list.n; i++) {
		if (git_ends(list.at[i], "/"))
			warn_embedded(ad, list.at[i]);
		else
			stage(ad, list.at[i]);
	}
}

/* Operands that match nothing, or only what is ignored. */
static void check_operands(struct adding *ad)
{
	struct git *g = ad->g;
	struct names ignored = { NULL, 0, 0 };

	for (size_t i = 0; i < ad->ps.n; i++) {
		struct pathspec_item *it = &ad->ps.at[i];
		struct vfs_stat st;

		if (it->seen || it->exclude || it->length == 0)
			continue;
		if (it->plain == it->length && cmd_lstat(g->c, it->match, &st) == 0) {
			bool is_dir = (st.mode & S_FMT) == S_DIR;

			if (work_behind_link(g, it->match))
				git_die(g, "pathspec '%s' is beyond a symbolic link", it->original);
			if (!ad->o->force && gitignore_path_deep(g, it->match, is_dir, NULL)) {
				const char *slash = strchr(it->match, '/');
				const char *name = it->match;

				/* The outermost directory that is ignored is named. */
				for (; slash != NULL; slash = strchr(slash + 1, '/')) {
					char *part = git_format(
						g->a, "%.*s", (int)(slash - it->match), it->match);

					if (gitignore_path(g, part, true, NULL)) {
						name = part;
						break;
					}
				}
				names_add(g, &ignored, name);
			}
			continue;
		}
		if (!ad->o->ignore_missing)
			git_die(g, "pathspec '%s' did not match any files", it->original);
	}
	if (ignored.n == 0)
		return;
	git_say(g, "The following paths are ignored by one of your .gitignore files:\n");
	for (size_t i = 0; i < ignored.n; i++)
		git_say(g, "%s\n", ignored.at[i]);
	git_hint(g, "addIgnoredFile",
		 "Use -f if you really want to add them.\n"
		 "Turn this message off by running\n"
		 "\"git config advice.addIgnoredFile false\"\n");
	ad->status = 1;
}

static void set_modes(struct adding *ad)
{
	for (size_t i = 0; i < ad->x->n; i++) {
		struct entry *e = &ad->x->at[i];

		if (!pathspec_match(ad->g, &ad->ps, e->path, false))
			continue;
		if ((e->mode & S_FMT) != S_REG) {
			git_error(ad->g, "cannot chmod %s '%s'", ad->o->chmod, e->path);
			ad->status = 255;
			continue;
		}
		e->mode = ad->o->chmod[0] == '+' ? MODE_EXEC : MODE_FILE;
		ad->x->dirty = true;
	}
}

/* -e: the whole difference goes through an editor. */
static int edit_patch(struct git *g, struct args *args)
{
	char *path = repo_path(g, g->keep, "ADD_EDIT.patch");
	struct bytes text = patch_difference(g, PATCH_STAGE, NULL, args->argv, args->argc);

	if (file_write(g, path, text, 0666) < 0)
		git_die(g, "Could not write patch");
	if (!message_edit(g, path))
		git_die(g, "editing patch failed");
	if (file_read(g, g->keep, path, &text) < 0 || text.len == 0)
		git_die(g, "Empty patch. Aborted.");
	if (!apply_text(g, text, APPLY_CACHED | APPLY_RECOUNT))
		git_die(g, "Could not apply '%s'", ".git/ADD_EDIT.patch");
	cmd_unlink(g->c, CMD_CWD, path, 0);
	return 0;
}

int git_cmd_add(struct git *g, struct args *args)
{
	struct add_opts o = { .dry_run = false };
	const struct git_parser p = { add_options, &o, add_usage, 0, NULL };
	struct adding ad = { .g = g, .o = &o };
	struct names outside = { NULL, 0, 0 };

	git_parse(g, args, &p);
	if (o.all && o.update)
		git_die(g, "options '%s' and '%s' cannot be used together", "-A", "-u");
	if (o.ignore_missing && !o.dry_run)
		git_die(g, "the option '%s' requires '%s'", "--ignore-missing", "--dry-run");
	if (o.chmod != NULL && strcmp(o.chmod, "+x") != 0 && strcmp(o.chmod, "-x") != 0)
		git_die(g, "--chmod param '%s' must be either -x or +x", o.chmod);
	o.patch = o.patch || o.interactive;
	if (o.from.name != NULL && (o.patch || o.edit))
		git_die(g, "options '%s' and '%s' cannot be used together", "--pathspec-from-file",
			o.patch ? "--interactive/--patch" : "--edit");
	pathspec_from_file(g, &o.from, args, false);
	if (o.patch) {
		if (o.dry_run)
			git_die(g, "options '%s' and '%s' cannot be used together", "--dry-run",
				"--interactive/--patch");
		return o.interactive ? add_interactive(g, args->argv, args->argc)
				     : patch_mode(g, PATCH_STAGE, NULL, args->argv, args->argc);
	}
	if (o.edit)
		return edit_patch(g, args);
	if (!o.sparse && sparse_take_outside(g, args, &outside) != 0 && args->argc == 0) {
		sparse_say_outside(g, &outside);
		return 1;
	}
	if (args->argc == 0 && !o.all && !o.update && !o.renormalize) {
		git_say(g, "Nothing specified, nothing added.\n");
		git_hint(g, "addEmptyPathspec",
			 "Maybe you wanted to say 'git add .'?\n"
			 "Turn this message off by running\n"
			 "\"git config advice.addEmptyPathspec false\"\n");
		return 0;
	}
	pathspec_of(g, args->argv, args->argc, &ad.ps);
	refuse_inside(&ad);
	ad.x = index_get(g);
	if (args->argc != 0 && !o.update)
		for (size_t i = 0; i < ad.ps.n; i++)
			if (strcmp(ad.ps.at[i].original, ".") == 0 || ad.ps.at[i].length == 0)
				ad.ps.at[i].seen = true;
	update_known(&ad);
	if (!o.update && !o.renormalize)
		add_new(&ad);
	check_operands(&ad);
	if (o.chmod != NULL)
		set_modes(&ad);
	if (!o.dry_run && ad.x->dirty)
		index_write(g, ad.x);
	sparse_say_outside(g, &outside);
	return outside.n != 0 ? 1 : ad.status;
}

/* --- rm --- */

struct rm_opts {
	bool dry_run, quiet, cached, force, recursive, ignore_unmatch, sparse;
	struct pathspec_file from;
};

static const struct git_option rm_options[] = {
	GIT_FLAG('n', "dry-run", struct rm_opts, dry_run),
	GIT_FLAG('q', "quiet", struct rm_opts, quiet),
	GIT_PATHSPEC_FILE(struct rm_opts, from),
	GIT_FLAG(0, "cached", struct rm_opts, cached),
	GIT_FLAG('f', "force", struct rm_opts, force),
	GIT_FLAG('r', NULL, struct rm_opts, recursive),
	GIT_FLAG(0, "ignore-unmatch", struct rm_opts, ignore_unmatch),
	GIT_FLAG(0, "sparse", struct rm_opts, sparse),
	GIT_END(),
};
static const char *const rm_usage[] = {
	"git rm [-f | --force] [-n] [-r] [--cached] [--ignore-unmatch]\n"
	"       [--quiet] [--pathspec-from-file=<file> [--pathspec-file-nul]]\n"
	"       [--] [<pathspec>...]",
	NULL
};

static void rm_complain(struct git *g, const struct names *list, const char *one, const char *many,
			const char *hint)
{
	struct buf b = buf_in(g->a);

	if (list->n == 0)
		return;
	buf_printf(&b, "%s", list->n == 1 ? one : many);
	for (size_t i = 0; i < list->n; i++)
		buf_printf(&b, "\n    %s", list->at[i]);
	if (config_bool(g, "advice.rmhints", true))
		buf_printf(&b, "%s", hint);
	git_error(g, "%s", buf_cstr(&b));
}

static bool rm_is_safe(struct git *g, const struct rm_opts *o, struct index *x,
		       const struct names *list)
{
	struct names both = { NULL, 0, 0 }, staged = { NULL, 0, 0 }, local = { NULL, 0, 0 };
	struct oid head, tree;
	bool has = head_oid(g, &head) && tree_of(g, &head, &tree);

	for (size_t i = 0; i < list->n; i++) {
		struct entry *e = index_find(x, list->at[i]);
		uint32_t mode;
		struct oid old;
		bool changed, differs;
		enum entry_state state;

		if (e == NULL)
			continue;
		state = index_check(g, x, e, NULL);
		if (state == ENTRY_MISSING)
			continue;
		changed = state != ENTRY_SAME ||
			  (e->mode == MODE_GITLINK &&
			   submodule_dirt(g, e->path, SUBMODULE_IGNORE_NONE) != 0);
		differs = !has || !tree_find(g, &tree, e->path, &mode, &old) || mode != e->mode ||
			  !oid_eq(&old, &e->oid);
		if (changed && differs) {
			if (!o->cached || !(e->xflags & ENTRY_INTENT))
				names_add(g, &both, e->path);
		} else if (!o->cached && differs) {
			names_add(g, &staged, e->path);
		} else if (!o->cached && changed) {
			names_add(g, &local, e->path);
		}
	}
	rm_complain(
		g, &both,
		"the following file has staged content different from both the\nfile and the HEAD:",
		"the following files have staged content different from both the\nfile and the "
		"HEAD:",
		"\n(use -f to force removal)");
	rm_complain(g, &staged, "the following file has changes staged in the index:",
		    "the following files have changes staged in the index:",
		    "\n(use --cached to keep the file, or -f to force removal)");
	rm_complain(g, &local, "the following file has local modifications:",
		    "the following files have local modifications:",
		    "\n(use --cached to keep the file, or -f to force removal)");
	return both.n + staged.n + local.n == 0;
}

static void rm_check_operands(struct git *g, const struct rm_opts *o, const struct pathspec *ps,
			      struct index *x)
{
	for (size_t i = 0; i < ps->n; i++) {
		const struct pathspec_item *it = &ps->at[i];

		if (!it->seen && !it->exclude && !o->ignore_unmatch)
			git_die(g, "pathspec '%s' did not match any files", it->original);
		if (it->seen && !o->recursive && !it->exclude &&
		    (it->length == 0 || (it->plain == it->length && !index_has(x, it->match))))
			git_die(g, "not removing '%s' recursively without -r",
				it->original[0] != '\0' ? it->original : ".");
	}
}

/* Submodules among them: their sections leave .gitmodules, so that must be as it is staged. */
static void find_submodules(struct git *g, struct index *x, const struct names *list,
			    struct names *out)
{
	for (size_t i = 0; i < list->n; i++) {
		struct entry *e = index_find(x, list->at[i]);
		const char *dot_git = path_join(g->a, list->at[i], ".git");

		if (e == NULL || e->mode != MODE_GITLINK)
			continue;
		if (file_is_dir(g, dot_git))
			git_refuse(g, git_format(g->a, "rm of '%s', whose .git is a directory,",
						 list->at[i]));
		names_add(g, out, list->at[i]);
	}
	if (out->n != 0)
		submodule_check_file(g, x, "please");
}

int git_cmd_rm(struct git *g, struct args *args)
{
	struct rm_opts o = { .dry_run = false };
	const struct git_parser p = { rm_options, &o, rm_usage, 0, NULL };
	struct index *x;
	struct pathspec ps;
	struct names list = { NULL, 0, 0 }, modules = { NULL, 0, 0 }, outside = { NULL, 0, 0 };

	git_parse(g, args, &p);
	pathspec_from_file(g, &o.from, args, false);
	if (args->argc == 0)
		git_die(g, "No pathspec was given. Which files should I remove?");
	x = index_get(g);
	if (!o.sparse && sparse_take_outside(g, args, &outside) != 0) {
		sparse_say_outside(g, &outside);
		if (args->argc == 0)
			return 1;
	}
	pathspec_of(g, args->argv, args->argc, &ps);
	for (size_t i = 0; i < x->n; i++)
		if (pathspec_match(g, &ps, x->at[i].path, false) &&
		    (list.n == 0 || strcmp(list.at[list.n - 1], x->at[i].path) != 0))
			names_add(g, &list, x->at[i].path);
	rm_check_operands(g, &o, &ps, x);
	if (!o.force && !rm_is_safe(g, &o, x, &list))
		return 1;
	if (!o.cached)
		find_submodules(g, x, &list, &modules);
	for (size_t i = 0; i < list.n; i++) {
		if (!o.quiet)
			git_printf(g, "rm '%s'\n", list.at[i]);
		index_remove(x, list.at[i]);
	}
	if (o.dry_run)
		return 0;
	for (size_t i = 0; !o.cached && i < list.n; i++) {
		struct vfs_stat st;

		if (names_has(g, &modules, list.at[i]))
			continue;
		/* Where a file was there may be a directory. */
		if (cmd_lstat(g->c, list.at[i], &st) < 0 || (st.mode & S_FMT) != S_DIR)
			work_remove(g, list.at[i]);
		else if (i == 0)
			git_die(g, "git rm: '%s': %s", list.at[i], err_text(-E_ISDIR));
	}
	for (size_t i = 0; i < modules.n; i++) {
		if (!submodule_forget(g, x, modules.at[i]))
			git_warn(g, "Could not find section in .gitmodules where path=%s",
				 modules.at[i]);
		file_remove_tree(g, modules.at[i]);
		file_prune_parents(g, modules.at[i], "");
	}
	if (x->dirty)
		index_write(g, x);
	return 0;
}

/* --- mv --- */

struct mv_opts {
	bool verbose, dry_run, force, skip;
};

static const struct git_option mv_options[] = {
	GIT_FLAG('v', "verbose", struct mv_opts, verbose),
	GIT_FLAG('n', "dry-run", struct mv_opts, dry_run),
	GIT_FLAG('f', "force", struct mv_opts, force),
	GIT_FLAG('k', NULL, struct mv_opts, skip),
	GIT_END(),
};
static const char *const mv_usage[] = { "git mv [<options>] <source>... <destination>", NULL };

static const char *mv_problem(struct git *g, const struct mv_opts *o, struct index *x,
			      const char *from, const char *to)
{
	struct vfs_stat st;
	size_t len = strlen(from);

	if (cmd_lstat(g->c, from, &st) < 0)
		return "bad source";
	if (strncmp(to, from, len) == 0 && (to[len] == '/' || to[len] == '\0'))
		return "can not move directory into itself";
	if ((st.mode & S_FMT) == S_DIR) {
		if (file_exists(g, to))
			return "destination already exists";
		if (is_submodule(x, from))
			return NULL;
		return index_has_dir(x, from, len) ? NULL : "source directory is empty";
	}
	if (index_find(x, from) == NULL)
		return index_has(x, from) ? "conflicted" : "not under version control";
	if (cmd_lstat(g->c, to, &st) == 0) {
		if (o->force && (st.mode & S_FMT) != S_DIR) {
			if (o->verbose)
				git_warn(g, "overwriting '%s'", to);
			return NULL;
		}
		return o->force ? "Cannot overwrite" : "destination exists";
	}
	if (to[0] == '\0' || git_ends(to, "/"))
		return "destination directory does not exist";
	return NULL;
}

/* The entries below `from` get their names below `to`. */
static void mv_entries(struct git *g, struct index *x, const char *from, const char *to)
{
	size_t len = strlen(from);
	struct entry *moved = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->at[i];

		if (strncmp(e->path, from, len) != 0 ||
		    (e->path[len] != '\0' && e->path[len] != '/'))
			continue;
		LIST_ROOM(g, moved, n, cap);
		moved[n] = *e;
		moved[n].path = git_format(g->keep, "%s%s", to, e->path + len);
		n++;
		e->gone = true;
	}
	index_sweep(x);
	for (size_t i = 0; i < n; i++) {
		struct entry *e = index_put(x, moved[i].path, moved[i].mode, &moved[i].oid);
		struct vfs_stat st;

		e->xflags = moved[i].xflags;
		if (cmd_lstat(g->c, e->path, &st) == 0 && (st.mode & S_FMT) != S_DIR) {
			/* As it was known: a change that is not staged stays one. */
			uint32_t ctime_s = (uint32_t)(st.ctime_ns / 1000000000);
			uint32_t ctime_ns = (uint32_t)(st.ctime_ns % 1000000000);

			e->mtime_s = moved[i].mtime_s;
			e->mtime_ns = moved[i].mtime_ns;
			e->size = moved[i].size;
			e->ino = moved[i].ino;
			e->dev = moved[i].dev;
			e->uid = moved[i].uid;
			e->gid = moved[i].gid;
			e->ctime_s = ctime_s;
			e->ctime_ns = ctime_ns;
		}
	}
	x->dirty = true;
}

int git_cmd_mv(struct git *g, struct args *args)
{
	struct mv_opts o = { .verbose = false };
	const struct git_parser p = { mv_options, &o, mv_usage, 0, NULL };
	struct index *x;
	char *dest;
	bool into;

	git_parse(g, args, &p);
	if (args->argc < 2)
		git_usage(g, mv_usage);
	x = index_get(g);
	dest = path_in_work(g, args->argv[args->argc - 1]);
	into = dest[0] == '\0' || file_is_dir(g, dest);
	if (!into && args->argc > 2)
		git_die(g, "destination '%s' is not a directory", dest);
	for (int i = 0; i + 1 < args->argc; i++) {
		char *from = path_in_work(g, args->argv[i]);
		char *to;
		const char *problem;
		int err;

		if (git_ends(from, "/"))
			from[strlen(from) - 1] = '\0';
		to = into ? path_join(g->a, dest, path_base(from)) : dest;
		if (!into && git_ends(to, "/") && file_is_dir(g, from))
			to[strlen(to) - 1] = '\0';
		if (o.dry_run)
			git_printf(g, "Checking rename of '%s' to '%s'\n", from, to);
		problem = mv_problem(g, &o, x, from, to);
		if (problem != NULL && o.skip)
			continue;
		if (problem != NULL)
			git_die(g, "%s, source=%s, destination=%s", problem, from, to);
		if (o.verbose || o.dry_run)
			git_printf(g, "Renaming %s to %s\n", from, to);
		if (o.dry_run)
			continue;
		bool module = is_submodule(x, from);

		if (module)
			submodule_check_file(g, x, "Please");
		err = cmd_rename(g->c, CMD_CWD, from, CMD_CWD, to, 0);
		if (err < 0)
			git_die_errno(g, err, "renaming '%s' failed", from);
		mv_entries(g, x, from, to);
		if (module)
			submodule_moved(g, x, from, to);
	}
	if (x->dirty && !o.dry_run)
		index_write(g, x);
	return 0;
}
