/* SPDX-License-Identifier: MIT
 *
 * git update-index: entries of the index, one by one.
 *
 * Options and operands act in the order they stand in: --chmod=+x holds for what comes behind.
 */
#include "builtins/git/walk.h"

struct updating {
	struct git *g;
	struct index *x;
	bool add, remove, force_remove, replace, ignore_missing, unmerged, verbose, quiet,
		info_only, zero, from_stdin, index_info, again, refresh, really, ignore_submodules;
	int mark_valid, mark_skip; /* 1 set, -1 clear, 0 neither */
	int chmod;                 /* '+', '-', 0 */
	bool stale;                /* --refresh found some */
};

static const char *const update_usage[] = { "git update-index [<options>] [--] [<file>...]", NULL };

/* --- one path --- */

static _Noreturn void fail(struct updating *u, const char *path)
{
	git_die(u->g, "Unable to process path %s", path);
}

static void say(struct updating *u, const char *what, const char *path)
{
	if (u->verbose)
		git_printf(u->g, "%s '%s'\n", what, path);
}

static void remove_path(struct updating *u, const char *path)
{
	if (index_has(u->x, path))
		index_remove(u->x, path);
	u->x->dirty = true;
}

static void take_file(struct updating *u, const char *path, const struct vfs_stat *st)
{
	struct git *g = u->g;
	struct entry *e = index_find(u->x, path);
	uint32_t mode = work_mode(g, st, e);
	struct oid o;

	if ((st->mode & S_FMT) == S_DIR && !file_exists(g, git_format(g->a, "%s/.git", path))) {
		git_error(g,
			  index_has_dir(u->x, path, strlen(path))
				  ? "%s: is a directory - add individual files instead"
				  : "%s: is a directory - add files inside instead",
			  path);
		fail(u, path);
	}
	if (!index_has(u->x, path) && !u->add) {
		git_error(g, "%s: cannot add to the index - missing --add option?", path);
		fail(u, path);
	}
	if (e != NULL && index_check(g, u->x, e, NULL) == ENTRY_SAME)
		return;
	if (work_hash(g, path, mode, !u->info_only, &o) < 0) {
		git_error(g, "%s: failed to insert into database", path);
		fail(u, path);
	}
	e = index_put(u->x, path, mode, &o);
	index_stat(g, e, st);
}

static void mark_entry(struct updating *u, const char *path)
{
	struct git *g = u->g;
	struct entry *e = index_find(u->x, path);

	if (e == NULL) {
		git_die(g, "Unable to mark file %s", path);
	}
	if (u->mark_valid > 0)
		e->flags |= ENTRY_VALID;
	else if (u->mark_valid < 0)
		e->flags &= (uint16_t)~ENTRY_VALID;
	if (u->mark_skip > 0)
		e->xflags |= ENTRY_SKIP_WORKTREE;
	else if (u->mark_skip < 0)
		e->xflags &= (uint16_t)~ENTRY_SKIP_WORKTREE;
	u->x->dirty = true;
}

static void change_mode(struct updating *u, const char *path)
{
	struct entry *e = index_find(u->x, path);

	if (e == NULL || (e->mode & S_FMT) != S_REG)
		git_die(u->g, "git update-index: cannot chmod %cx '%s'", u->chmod, path);
	e->mode = u->chmod == '+' ? MODE_EXEC : MODE_FILE;
	u->x->dirty = true;
	if (u->verbose)
		git_printf(u->g, "chmod %cx '%s'\n", u->chmod, path);
}

static void update_path(struct updating *u, const char *path)
{
	struct git *g = u->g;
	struct vfs_stat st;

	cmd_charge(g->c, 4);
	if (!path_safe(path)) {
		git_say(g, "Ignoring path %s\n", path);
		return;
	}
	if (u->mark_valid != 0 || u->mark_skip != 0) {
		mark_entry(u, path);
		return;
	}
	if (u->force_remove) {
		remove_path(u, path);
		say(u, "remove", path);
		return;
	}
	if (cmd_lstat(g->c, path, &st) < 0 || work_behind_link(g, path)) {
		if (!u->remove) {
			git_error(g, "%s: does not exist and --remove not passed", path);
			fail(u, path);
		}
		remove_path(u, path);
	} else {
		take_file(u, path, &st);
	}
	if (u->chmod != 0)
		change_mode(u, path);
	say(u, "add", path);
}

static void update_operand(struct updating *u, const char *operand)
{
	const char *path = path_in_work_try(u->g, operand);

	if (path == NULL)
		git_die(u->g, "'%s' is outside repository at '%s'", operand, u->g->work);
	update_path(u, path);
}

/* --- other actions --- */

static void cache_info(struct updating *u, const char *mode_text, const char *oid_text,
		       const char *path)
{
	struct git *g = u->g;
	uint32_t mode = 0;
	struct oid o;

	for (const char *p = mode_text; *p >= '0' && *p <= '7'; p++)
		mode = mode << 3 | (uint32_t)(*p - '0');
	if (!oid_parse(oid_text, &o) || strlen(oid_text) != OID_HEX)
		git_die(g, "git update-index: --cacheinfo cannot add %s", path);
	if ((mode & S_FMT) == S_REG)
		mode = mode & 0100 ? MODE_EXEC : MODE_FILE;
	if (!path_safe(path))
		git_error(g, "Invalid path '%s'", path);
	else if (!u->add && !index_has(u->x, path))
		git_error(g, "%s: cannot add to the index - missing --add option?", path);
	else {
		index_put(u->x, path, mode, &o);
		say(u, "add", path);
		return;
	}
	git_die(g, "git update-index: --cacheinfo cannot add %s", path);
}

static int cache_info_option(struct updating *u, const char *arg, int argc, char **argv)
{
	char *text;
	char *oid, *path;

	if (arg == NULL && argc >= 4 && strchr(argv[1], ',') == NULL) {
		cache_info(u, argv[1], argv[2], argv[3]);
		return 4;
	}
	text = arena_dup(u->g->a, bytes_of(arg != NULL ? arg : argc > 1 ? argv[1] : ""));
	oid = strchr(text, ',');
	path = oid != NULL ? strchr(oid + 1, ',') : NULL;
	if (path == NULL) {
		git_error(u->g, "option 'cacheinfo' expects <mode>,<sha1>,<path>");
		git_exit(u->g, GIT_STATUS_USAGE);
	}
	*oid++ = *path++ = '\0';
	cache_info(u, text, oid, path);
	return arg != NULL ? 1 : 2;
}

/* The next record of standard input: a line, perhaps quoted, or with -z up to a NUL. */
static bool next_record(struct updating *u, struct bytes *in, char **out)
{
	struct bytes one;
	const char *nul;

	if (!u->zero) {
		if (!git_line(in, &one))
			return false;
		*out = arena_dup(u->g->keep, one);
		if (**out == '"') {
			const char *at = *out;

			*out = git_unquote(u->g->keep, &at);
			if (*out == NULL)
				git_die(u->g, "line is badly quoted");
		}
		return true;
	}
	if (in->len == 0)
		return false;
	nul = memchr(in->ptr, '\0', in->len);
	one = (struct bytes){ in->ptr, nul != NULL ? (size_t)(nul - in->ptr) : in->len };
	*in = bytes_slice(*in, one.len + (nul != NULL), in->len);
	*out = arena_dup(u->g->keep, one);
	return true;
}

/* "mode oid TAB path", "mode type oid TAB path", "mode oid stage TAB path"; mode 0 removes. */
static void info_line(struct updating *u, const char *line)
{
	struct git *g = u->g;
	const char *tab = strchr(line, '\t');
	uint32_t mode = 0;
	unsigned stage = 0;
	const char *p = line;
	const char *path;
	struct oid o;

	for (; *p >= '0' && *p <= '7'; p++)
		mode = mode << 3 | (uint32_t)(*p - '0');
	if (tab == NULL || *p != ' ' || tab - p < OID_HEX + 1)
		git_die(g, "malformed index info %s", line);
	if (tab[-2] == ' ' && tab[-1] >= '0' && tab[-1] <= '3') {
		stage = (unsigned)(tab[-1] - '0');
		p = tab - 2 - OID_HEX;
	} else {
		p = tab - OID_HEX;
	}
	if (p < line + 2 || p[-1] != ' ' || !oid_parse(p, &o))
		git_die(g, "malformed index info %s", line);
	path = tab + 1;
	if (*path == '"' && !u->zero) {
		const char *at = path;

		path = git_unquote(g->keep, &at);
		if (path == NULL)
			git_die(g, "git update-index: bad quoting of path name");
	}
	if (!path_safe(path)) {
		git_say(g, "Ignoring path %s\n", path);
		return;
	}
	if (mode == 0) {
		remove_path(u, path);
		return;
	}
	if ((mode & S_FMT) == S_REG)
		mode = mode & 0100 ? MODE_EXEC : MODE_FILE;
	index_put_stage(u->x, arena_dup(g->keep, bytes_of(path)), mode, &o, stage);
}

static void refresh(struct updating *u)
{
	struct git *g = u->g;

	for (size_t i = 0; i < u->x->n; i++) {
		struct entry *e = &u->x->at[i];
		enum entry_state state;
		struct vfs_stat st;

		cmd_charge(g->c, 1);
		if (u->ignore_submodules && e->mode == MODE_GITLINK)
			continue;
		if (e->stage != 0) {
			if (u->unmerged)
				continue;
			if (!u->quiet && (i == 0 || strcmp(e[-1].path, e->path) != 0))
				git_printf(g, "%s: needs merge\n", e->path);
			u->stale = true;
			continue;
		}
		if (u->really)
			e->flags &= (uint16_t)~ENTRY_VALID;
		state = index_check(g, u->x, e, &st);
		if (state == ENTRY_SAME) {
			u->x->dirty = u->x->dirty || (e->flags & ENTRY_VALID) == 0;
			if (!(e->flags & ENTRY_VALID) && !(e->xflags & ENTRY_SKIP_WORKTREE))
				index_stat(g, e, &st);
			continue;
		}
		if (state == ENTRY_MISSING && u->ignore_missing)
			continue;
		if (!u->quiet)
			git_printf(g, "%s: needs update\n", e->path);
		u->stale = !u->quiet;
	}
}

/* Paths that are not as in HEAD, updated once more. */
static void again(struct updating *u)
{
	struct git *g = u->g;
	struct leaves l = { NULL, 0, 0 };
	struct names list = { NULL, 0, 0 };
	struct oid head, tree;

	if (head_oid(g, &head) && tree_of(g, &head, &tree))
		tree_flatten(g, g->keep, &tree, &l);
	for (size_t i = 0; i < u->x->n; i++) {
		const struct entry *e = &u->x->at[i];
		const struct leaf *f = leaves_find(&l, e->path);

		if (e->stage == 0 && (f == NULL || f->mode != e->mode || !oid_eq(&f->oid, &e->oid)))
			names_add(g, &list, e->path);
	}
	for (size_t i = 0; i < list.n; i++)
		update_path(u, list.at[i]);
}

/* --- options --- */

static bool flag_option(struct updating *u, const char *arg)
{
	const struct {
		const char *name;
		bool *field;
	} flags[] = {
		{ "--add", &u->add },
		{ "--remove", &u->remove },
		{ "--force-remove", &u->force_remove },
		{ "--replace", &u->replace },
		{ "--ignore-missing", &u->ignore_missing },
		{ "--ignore-submodules", &u->ignore_submodules },
		{ "--force-write-index", &u->x->dirty },
		{ "--unmerged", &u->unmerged },
		{ "--verbose", &u->verbose },
		{ "-q", &u->quiet },
		{ "--info-only", &u->info_only },
		{ "-z", &u->zero },
		{ "--stdin", &u->from_stdin },
		{ "--index-info", &u->index_info },
	};
	const struct {
		const char *name;
		int *field;
		int value;
	} sets[] = {
		{ "--assume-unchanged", &u->mark_valid, 1 },
		{ "--no-assume-unchanged", &u->mark_valid, -1 },
		{ "--skip-worktree", &u->mark_skip, 1 },
		{ "--no-skip-worktree", &u->mark_skip, -1 },
		{ "--chmod=+x", &u->chmod, '+' },
		{ "--chmod=-x", &u->chmod, '-' },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(arg, flags[i].name) == 0)
			return *flags[i].field = true;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (strcmp(arg, sets[i].name) == 0) {
			*sets[i].field = sets[i].value;
			return true;
		}
	return false;
}

/* How many arguments it takes. */
static int option(struct updating *u, int argc, char **argv)
{
	struct git *g = u->g;
	const char *arg = argv[0];

	if (flag_option(u, arg))
		return 1;
	if (strcmp(arg, "--refresh") == 0 || strcmp(arg, "--really-refresh") == 0) {
		u->really = arg[3] == 'e' && arg[4] == 'a';
		refresh(u);
		return 1;
	}
	if (strcmp(arg, "--again") == 0 || strcmp(arg, "-g") == 0) {
		again(u);
		return 1;
	}
	if (strcmp(arg, "--cacheinfo") == 0)
		return cache_info_option(u, NULL, argc, argv);
	if (git_starts(arg, "--cacheinfo="))
		return cache_info_option(u, arg + 12, argc, argv);
	if (git_starts(arg, "--chmod")) {
		git_error(g, "option 'chmod' expects \"+x\" or \"-x\"");
		git_exit(g, GIT_STATUS_USAGE);
	}
	if (strcmp(arg, "-h") == 0)
		git_usage(g, update_usage);
	git_refuse(g, git_format(g->a, "update-index %s", arg));
}

int git_cmd_update_index(struct git *g, struct args *args)
{
	struct updating u = { .g = g, .x = index_get(g) };
	bool options = true;
	char *record;

	for (int i = 0; i < args->argc;) {
		const char *arg = args->argv[i];

		if (options && strcmp(arg, "--") == 0) {
			options = false;
			i++;
		} else if (options && arg[0] == '-' && arg[1] != '\0') {
			i += option(&u, args->argc - i, args->argv + i);
		} else {
			update_operand(&u, arg);
			i++;
		}
	}
	if (u.from_stdin || u.index_info) {
		struct bytes in = file_stdin(g);

		while (next_record(&u, &in, &record)) {
			if (u.index_info)
				info_line(&u, record);
			else
				update_operand(&u, record);
		}
	}
	if (u.x->dirty)
		index_write(g, u.x);
	return u.stale;
}
