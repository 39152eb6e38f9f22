/* SPDX-License-Identifier: MIT
 *
 * git checkout-index: files of the index into the work tree, below another directory, or into
 * files of their own.
 */
#include "builtins/git/git.h"

enum { STAGE_ALL = 4 };

struct place_opts {
	bool all, force, quiet, no_create, zero, from_stdin, temporary, update, ignore_skip;
	const char *prefix;
	int stage; /* 0 to 3, STAGE_ALL */
};

struct placing {
	struct git *g;
	struct place_opts o;
	struct index *x;
	const char *prefix; /* "" is the work tree */
	size_t serial;      /* of temporary files */
};

static int set_stage(struct git *g, void *opts, const char *arg, bool unset)
{
	struct place_opts *o = opts;

	(void)unset;
	if (strcmp(arg, "all") == 0) {
		o->stage = STAGE_ALL;
		o->temporary = true;
	} else if (arg[0] >= '1' && arg[0] <= '3') {
		o->stage = arg[0] - '0';
	} else {
		git_die(g, "stage should be between 1 and 3 or all");
	}
	return 0;
}

static const struct git_option place_options[] = {
	GIT_FLAG('a', "all", struct place_opts, all),
	GIT_FLAG('f', "force", struct place_opts, force),
	GIT_FLAG('q', "quiet", struct place_opts, quiet),
	GIT_FLAG('n', "no-create", struct place_opts, no_create),
	GIT_FLAG('u', "index", struct place_opts, update),
	GIT_FLAG('z', NULL, struct place_opts, zero),
	GIT_FLAG(0, "stdin", struct place_opts, from_stdin),
	GIT_FLAG(0, "temp", struct place_opts, temporary),
	GIT_FLAG(0, "ignore-skip-worktree-bits", struct place_opts, ignore_skip),
	GIT_STR(0, "prefix", struct place_opts, prefix),
	GIT_CALL_ARG(0, "stage", set_stage),
	GIT_END(),
};
static const char *const place_usage[] = { "git checkout-index [<options>] [--] [<file>...]",
					   NULL };

/* --- files of their own --- */

static const char *put_temporary(struct placing *p, const struct entry *e)
{
	struct git *g = p->g;
	struct bytes data = object_need(g, g->a, &e->oid, OBJECT_BLOB);
	const char *name;

	do {
		name = git_format(g->a, ".merge_file_%06zu", p->serial++);
		cmd_charge(g->c, 1);
	} while (file_exists(g, name));
	if ((e->mode & S_FMT) == S_REG)
		data = convert_out(g, g->a, e->path, data);
	if (file_write(g, name, data, 0600) < 0)
		git_die(g, "unable to create temporary file");
	return name;
}

/* Their names and that of the entry; an entry without any of the stages has no line. */
static void put_temporaries(struct placing *p, size_t from, size_t to)
{
	struct buf b = buf_in(p->g->a);
	const char *name[4] = { ".", ".", ".", "." };
	int first = p->o.stage == STAGE_ALL ? 1 : p->o.stage;
	int last = p->o.stage == STAGE_ALL ? 3 : p->o.stage;
	bool any = false;

	for (size_t i = from; i < to; i++) {
		const struct entry *e = &p->x->at[i];

		if (e->stage < first || e->stage > last)
			continue;
		name[e->stage] = put_temporary(p, e);
		any = true;
	}
	if (!any)
		return;
	for (int i = first; i <= last; i++)
		buf_printf(&b, "%s%s", i > first ? " " : "", name[i]);
	buf_putc(&b, '\t');
	if (p->o.zero)
		buf_puts(&b, path_relative(p->g, p->x->at[from].path));
	else
		git_quote(p->g, &b, path_relative(p->g, p->x->at[from].path));
	buf_putc(&b, p->o.zero ? '\0' : '\n');
	cmd_bytes(p->g->c, buf_bytes(&b));
}

/* --- the work tree, or a copy of it --- */

/* What stands where a directory is needed: taken away, or the end of the command. */
static void clear_parents(struct placing *p, const char *path)
{
	struct git *g = p->g;
	struct vfs_stat st;
	size_t skip = strlen(p->prefix);

	for (const char *slash = strchr(path + skip, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		const char *dir = git_format(g->a, "%.*s", (int)(slash - path), path);

		if (cmd_lstat(g->c, dir, &st) < 0)
			return;
		if ((st.mode & S_FMT) == S_DIR)
			continue;
		if (!p->o.force)
			git_die(g, "cannot create directory at '%s': %s", dir, err_text(-E_EXIST));
		cmd_unlink(g->c, CMD_CWD, dir, 0);
		return;
	}
}

/* Whether the file is to be written; *status: it is in the way. */
static bool may_place(struct placing *p, struct entry *e, const char *path, int *status)
{
	struct git *g = p->g;
	struct vfs_stat st;

	if (cmd_lstat(g->c, path, &st) < 0)
		return !p->o.no_create;
	/* As the real one: what was written without -u is not known to be the same. */
	if (p->prefix[0] == '\0' && work_mode(g, &st, e) == e->mode && index_stat_same(e, &st))
		return false;
	if (!p->o.force) {
		if (!p->o.quiet)
			git_say(g, "%s already exists, no checkout\n", path);
		*status = 1;
		return false;
	}
	if ((st.mode & S_FMT) != S_DIR)
		cmd_unlink(g->c, CMD_CWD, path, 0);
	else if (e->mode != MODE_GITLINK)
		file_remove_tree(g, path);
	return true;
}

static int place(struct placing *p, struct entry *e)
{
	struct git *g = p->g;
	const char *path = git_format(g->a, "%s%s", p->prefix, e->path);
	struct bytes data = BYTES("");
	struct vfs_stat st;
	int status = 0;

	if (!path_safe(e->path))
		git_die(g, "invalid path '%s'", e->path);
	clear_parents(p, path);
	if (!may_place(p, e, path, &status))
		return status;
	if (p->prefix[0] == '\0') {
		if (!work_write(g, e->path, e->mode, &e->oid, NULL))
			return 1;
		if (p->o.update && cmd_lstat(g->c, e->path, &st) == 0) {
			index_stat(g, e, &st);
			p->x->dirty = true;
		}
		return 0;
	}
	if (file_make_parents(g, path) < 0)
		git_die(g, "cannot create directory at '%s': %s", path, err_text(-E_NOTDIR));
	if (e->mode == MODE_GITLINK) {
		file_make_dirs(g, path);
		return 0;
	}
	data = object_need(g, g->a, &e->oid, OBJECT_BLOB);
	if (e->mode == MODE_LINK)
		status = cmd_symlink(g->c, arena_dup(g->a, data), CMD_CWD, path);
	else
		status = file_write(g, path, convert_out(g, g->a, e->path, data),
				    e->mode == MODE_EXEC ? 0777 : 0666);
	if (status < 0)
		git_error(g, "unable to create file %s: %s", path, err_text(status));
	return status < 0;
}

/* Entries [from, to) are of one path. */
static int place_path(struct placing *p, size_t from, size_t to)
{
	struct arena_mark mark = arena_mark(p->g->a);
	int status = 0;

	cmd_charge(p->g->c, 1);
	if (p->o.temporary)
		put_temporaries(p, from, to);
	else
		for (size_t i = from; i < to; i++)
			if (p->x->at[i].stage == p->o.stage)
				status |= place(p, &p->x->at[i]);
	arena_release(p->g->a, mark);
	return status;
}

static int place_all(struct placing *p)
{
	int status = 0;

	for (size_t i = 0, end; i < p->x->n; i = end) {
		for (end = i + 1; end < p->x->n; end++)
			if (strcmp(p->x->at[end].path, p->x->at[i].path) != 0)
				break;
		if (!(p->x->at[i].xflags & ENTRY_SKIP_WORKTREE) || p->o.ignore_skip)
			status |= place_path(p, i, end);
	}
	return status;
}

static int place_named(struct placing *p, const char *operand)
{
	struct git *g = p->g;
	char *path = path_in_work(g, operand);
	bool found, wanted = p->o.stage == STAGE_ALL;
	size_t from = index_search(p->x, path, 0, &found), to = from;

	for (; to < p->x->n && strcmp(p->x->at[to].path, path) == 0; to++)
		wanted = wanted || p->x->at[to].stage == p->o.stage;
	if (to > from && (p->x->at[from].xflags & ENTRY_SKIP_WORKTREE) && !p->o.ignore_skip)
		return 0;
	if (to > from && wanted)
		return place_path(p, from, to);
	if (!p->o.quiet && to == from)
		git_say(g, "git checkout-index: %s is not in the cache\n", path);
	else if (!p->o.quiet && p->o.stage == 0)
		git_say(g, "git checkout-index: %s is unmerged\n", path);
	else if (!p->o.quiet)
		git_say(g, "git checkout-index: %s does not exist at stage %d\n", path, p->o.stage);
	return 1;
}

static int place_from_stdin(struct placing *p)
{
	struct git *g = p->g;
	struct bytes rest = file_stdin(g);
	int status = 0;

	while (rest.len != 0) {
		const char *end = memchr(rest.ptr, p->o.zero ? '\0' : '\n', rest.len);
		size_t n = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
		char *name = arena_dup(g->a, bytes_slice(rest, 0, n));
		const char *at = name;

		if (!p->o.zero && name[0] == '"') {
			name = git_unquote(g->a, &at);
			if (name == NULL)
				git_die(g, "line is badly quoted");
		}
		status |= place_named(p, name);
		rest = bytes_slice(rest, n + (end != NULL), rest.len);
	}
	return status;
}

int git_cmd_checkout_index(struct git *g, struct args *args)
{
	struct placing p = { .g = g };
	const struct git_parser parser = { place_options, &p.o, place_usage, 0, NULL };
	int status = 0;

	git_parse(g, args, &parser);
	if (p.o.all && args->argc != 0)
		git_die(g, "git checkout-index: don't mix '--all' and explicit filenames");
	if (p.o.from_stdin && args->argc != 0)
		git_die(g, "git checkout-index: don't mix '--stdin' and explicit filenames");
	if (p.o.all && p.o.from_stdin)
		git_die(g, "git checkout-index: don't mix '--all' and '--stdin'");
	p.x = index_get(g);
	p.prefix = p.o.prefix != NULL ? p.o.prefix : "";
	if (p.prefix[0] != '\0')
		p.o.update = false;
	for (int i = 0; i < args->argc; i++)
		status |= place_named(&p, args->argv[i]);
	if (p.o.from_stdin)
		status |= place_from_stdin(&p);
	if (p.o.all)
		status |= place_all(&p);
	if (p.o.update && p.x->dirty)
		index_write(g, p.x);
	return status;
}
