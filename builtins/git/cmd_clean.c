/* SPDX-License-Identifier: MIT
 *
 * git clean: what is not tracked goes.
 */
#include "builtins/git/menu.h"
#include "builtins/git/walk.h"

struct clean_opts {
	bool dry_run, quiet, dirs, ignored_too, only_ignored, interactive;
	int force;
	struct names exclude;
};
static const struct git_option clean_options[] = {
	GIT_FLAG('q', "quiet", struct clean_opts, quiet),
	GIT_FLAG('n', "dry-run", struct clean_opts, dry_run),
	GIT_COUNT('f', "force", struct clean_opts, force),
	GIT_FLAG('i', "interactive", struct clean_opts, interactive),
	GIT_FLAG('d', NULL, struct clean_opts, dirs),
	GIT_LIST('e', "exclude", struct clean_opts, exclude),
	GIT_FLAG('x', NULL, struct clean_opts, ignored_too),
	GIT_FLAG('X', NULL, struct clean_opts, only_ignored),
	GIT_END(),
};
static const char *const clean_usage[] = {
	"git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]", NULL
};

/* Without -d and paths, directories are no candidates. */
static void choose_kind(struct names *list, bool dirs)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (dirs || !git_ends(list->at[i], "/"))
			list->at[kept++] = list->at[i];
	list->n = kept;
}

/* What goes of one directory. Other repositories in it stay, and so do all directories above them.
 */
struct removing {
	struct git *g;
	const struct clean_opts *o;
	const char *shown; /* the directory, with its slash */
	size_t skip;       /* so much of paths is shown that way */
	struct names gone; /* in directories that stay, if they do */
	bool failed;
};
struct removed_dir {
	size_t from; /* of gone */
	bool stays;
};

static void say_gone(const struct removing *r, const char *shown)
{
	if (r->o->dry_run)
		git_printf(r->g, "Would remove %s\n", shown);
	else if (!r->o->quiet)
		git_printf(r->g, "Removing %s\n", shown);
}

static const char *shown_name(const struct removing *r, const struct walk_entry *e)
{
	struct git *g = r->g;

	if (strlen(e->path) <= r->skip)
		return r->shown;
	return git_quoted(g, git_format(g->keep, "%s%s", r->shown, e->path + r->skip));
}

static bool remove_entry(struct removing *r, const struct walk_entry *e)
{
	struct git *g = r->g;
	bool dir = e->kind == WALK_DIR_END;
	int err = e->kind == WALK_ERROR ? e->err : 0;

	if (dir && strcmp(path_join(g->a, g->work, e->path), g->start) == 0) {
		git_say(g, "%s current working directory\n",
			r->o->dry_run ? "Would refuse to remove" : "Refusing to remove");
		return false;
	}
	if (err == 0 && !r->o->dry_run)
		err = cmd_unlink(g->c, e->dir, e->at, dir ? CMD_REMOVEDIR : 0);
	if (err >= 0)
		return true;
	git_warn(g, "failed to remove %s: %s", shown_name(r, e), err_text(err));
	r->failed = true;
	return false;
}

/* The directory ends: what went from it is told if it stays itself. */
static bool end_dir(struct removing *r, const struct walk_entry *e)
{
	struct removed_dir *d = e->data;
	bool gone = !d->stays && remove_entry(r, e);

	for (size_t i = d->from; !gone && i < r->gone.n; i++)
		say_gone(r, r->gone.at[i]);
	r->gone.n = d->from;
	return gone;
}

static void remove_dir(struct removing *r, const char *path)
{
	struct git *g = r->g;
	struct walk *w = walk_new(g->c, path, WALK_POST | WALK_NO_STAT);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		bool gone;

		cmd_charge(g->c, 4);
		if (e->kind == WALK_DIR && (r->o->force > 1 || !repo_is_nested(g, e->path))) {
			struct removed_dir *d = arena_zalloc(g->keep, sizeof(*d));

			d->from = r->gone.n;
			*walk_data(w, e->level) = d;
			continue;
		}
		if (e->kind == WALK_DIR) {
			walk_skip(w);
			if (!r->o->quiet)
				git_printf(g, "%s repository %s\n",
					   r->o->dry_run ? "Would skip" : "Skipping",
					   shown_name(r, e));
			gone = false;
		} else {
			gone = e->kind == WALK_DIR_END ? end_dir(r, e) : remove_entry(r, e);
		}
		if (gone && e->level == 0)
			say_gone(r, r->shown);
		else if (gone)
			names_add(g, &r->gone, shown_name(r, e));
		else if (e->level > 0)
			((struct removed_dir *)*walk_data(w, e->level - 1))->stays = true;
	}
	walk_free(w);
}

/* False after a message. */
static bool remove_one(struct git *g, const struct clean_opts *o, char *path)
{
	size_t n = strlen(path);
	struct removing r = {
		.g = g, .o = o, .shown = git_quoted(g, path_relative(g, path)), .skip = n
	};
	int err = 0;

	r.shown = arena_dup(g->keep, bytes_of(r.shown));
	if (n > 0 && path[n - 1] == '/') {
		path[n - 1] = '\0';
		if (o->force > 1 || !repo_is_nested(g, path))
			remove_dir(&r, path);
		return !r.failed;
	}
	if (!o->dry_run)
		err = cmd_unlink(g->c, CMD_CWD, path, 0);
	if (err < 0) {
		git_warn(g, "failed to remove %s: %s", r.shown, err_text(err));
		return false;
	}
	say_gone(&r, r.shown);
	return true;
}

int git_cmd_clean(struct git *g, struct args *args)
{
	struct clean_opts o = { .dry_run = false };
	const struct git_parser p = { clean_options, &o, clean_usage, 0, NULL };
	struct names list = { NULL, 0, 0 };
	struct pathspec ps;
	char dot[] = ".";
	char *here[1] = { dot };
	int status = 0;

	git_parse(g, args, &p);
	/* Who names something means also directories. */
	bool dirs = o.dirs || args->argc != 0;

	if (!o.dry_run && !o.interactive && o.force == 0 &&
	    config_bool(g, "clean.requireforce", true))
		git_die(g, config_get(g, "clean.requireforce") != NULL
				   ? "clean.requireForce set to true and neither -i, -n, nor -f "
				     "given; "
				     "refusing to clean"
				   : "clean.requireForce defaults to true and neither -i, -n, nor "
				     "-f given; "
				     "refusing to clean");
	if (o.ignored_too && o.only_ignored)
		git_die(g, "options '%s' and '%s' cannot be used together", "-x", "-X");
	if (o.ignored_too)
		gitignore_standard(g, false);
	for (size_t i = 0; i < o.exclude.n; i++)
		gitignore_add_pattern(g, o.exclude.at[i]);
	if (args->argc == 0 && g->prefix[0] != '\0')
		pathspec_of(g, here, 1, &ps);
	else
		pathspec_of(g, args->argv, args->argc, &ps);
	work_untracked(g, index_get(g),
		       UNTRACKED_EMPTY_DIRS | (o.only_ignored ? UNTRACKED_IGNORED : 0u) |
			       (dirs ? UNTRACKED_KEEP : 0u),
		       &ps, &list, NULL);
	if (o.interactive) {
		choose_kind(&list, dirs);
		if (!clean_ask(g, &list))
			return 0;
	}
	for (size_t i = 0; i < list.n; i++) {
		bool dir = git_ends(list.at[i], "/");

		if ((!dir || dirs) && !remove_one(g, &o, list.at[i]))
			status = 1;
	}
	return status;
}
