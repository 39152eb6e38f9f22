/* SPDX-License-Identifier: MIT
 *
 * Sparse work trees: patterns read, compared with paths, and applied to index and files.
 */
#include "builtins/git/sparse.h"
#include "builtins/git/transport.h"

struct sparse_rule {
	const char *pattern;
	bool negated;
	bool dir_only;
	bool base_only; /* no slash: matched against the last part */
};

struct sparse {
	bool on, cone;
	bool loaded; /* what follows is known */
	bool has_rules;
	struct sparse_rule *rule;
	size_t n, cap;
};

char *sparse_file(struct git *g)
{
	return repo_path(g, g->a, "info/sparse-checkout");
}

/* --- cones --- */

static bool is_cone_dir(struct bytes line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\\')
			i++;
		else if (strchr("*?[", line.ptr[i]) != NULL)
			return false;
	}
	return line.len > 2 && line.ptr[0] == '/' && line.ptr[line.len - 1] == '/';
}

/* Without the slashes around and what makes letters plain. */
static char *cone_name(struct git *g, struct bytes line)
{
	struct buf b = buf_in(g->keep);

	for (size_t i = 1; i + 1 < line.len; i++) {
		if (line.ptr[i] == '\\' && i + 2 < line.len)
			i++;
		buf_putc(&b, line.ptr[i]);
	}
	return buf_cstr(&b);
}

static bool cone_line(struct git *g, struct bytes line, struct cone *out, bool warn)
{
	bool negative = line.ptr[0] == '!';
	struct bytes rest = negative ? bytes_slice(line, 1, line.len) : line;

	if (bytes_is(line, "/*") || bytes_is(line, "!/*/"))
		return true;
	if (!negative && is_cone_dir(rest)) {
		names_add(g, &out->dirs, cone_name(g, rest));
		return true;
	}
	if (negative && bytes_ends(rest, BYTES("/*/")) && out->dirs.n > 0 &&
	    is_cone_dir(bytes_slice(rest, 0, rest.len - 2)) &&
	    strcmp(cone_name(g, bytes_slice(rest, 0, rest.len - 2)),
		   out->dirs.at[out->dirs.n - 1]) == 0) {
		names_add(g, &out->parents, out->dirs.at[--out->dirs.n]);
		return true;
	}
	if (warn) {
		size_t end = rest.len - (rest.ptr[rest.len - 1] == '/');

		git_warn(g, "unrecognized %spattern: '%.*s'", negative ? "negative " : "", (int)end,
			 rest.ptr);
		git_warn(g, "disabling cone pattern matching");
	}
	return false;
}

bool cone_parse(struct git *g, struct bytes text, struct cone *out, bool warn)
{
	struct bytes line;

	while (git_line(&text, &line)) {
		cmd_charge(g->c, 2);
		if (line.len != 0 && line.ptr[0] != '#' && !cone_line(g, line, out, warn))
			return false;
	}
	return true;
}

/* --- patterns --- */

static void add_rule(struct git *g, struct sparse *s, struct bytes line)
{
	struct sparse_rule r = { .negated = false };

	while (line.len > 0 && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\r') &&
	       !(line.len > 1 && line.ptr[line.len - 2] == '\\'))
		line.len--;
	if (line.len == 0 || line.ptr[0] == '#')
		return;
	r.negated = line.ptr[0] == '!';
	if (r.negated)
		line = bytes_slice(line, 1, line.len);
	r.dir_only = line.len > 0 && line.ptr[line.len - 1] == '/';
	line.len -= r.dir_only;
	r.base_only = line.len > 0 && memchr(line.ptr, '/', line.len) == NULL;
	if (line.len > 0 && line.ptr[0] == '/')
		line = bytes_slice(line, 1, line.len);
	r.pattern = arena_dup(g->keep, line);
	LIST_ROOM(g, s->rule, s->n, s->cap);
	s->rule[s->n++] = r;
}

/* 1 in, 0 out, -1: no pattern says so. */
static int match_rules(struct git *g, const struct sparse *s, struct bytes path, bool is_dir)
{
	const char *base = path.ptr + path.len;

	while (base > path.ptr && base[-1] != '/')
		base--;
	for (size_t i = s->n; i > 0; i--) {
		const struct sparse_rule *r = &s->rule[i - 1];
		struct bytes name = { base, (size_t)(path.ptr + path.len - base) };

		cmd_charge(g->c, 1);
		if (r->dir_only && !is_dir)
			continue;
		if (r->base_only ? wild_match(r->pattern, name, 0)
				 : wild_match(r->pattern, path, WILD_PATHNAME))
			return !r->negated;
	}
	return -1;
}

static struct sparse *settings(struct git *g)
{
	struct sparse *s = g->sparse;

	if (s != NULL)
		return s;
	s = g->sparse = arena_zalloc(g->keep, sizeof(*s));
	s->on = g->dir != NULL && config_bool(g, "core.sparsecheckout", false);
	return s;
}

static struct sparse *load(struct git *g)
{
	struct sparse *s = settings(g);
	struct cone cone = { .dirs = { NULL, 0, 0 } };
	struct bytes text, rest, line;

	if (!s->on || s->loaded)
		return s;
	s->loaded = true;
	s->cone = config_bool(g, "core.sparsecheckoutcone", false);
	s->has_rules = file_read(g, g->keep, sparse_file(g), &text) == 0;
	if (!s->has_rules)
		return s;
	rest = text;
	while (git_line(&rest, &line))
		add_rule(g, s, line);
	s->cone = s->cone && cone_parse(g, text, &cone, true);
	return s;
}

void sparse_forget(struct git *g)
{
	g->sparse = NULL;
}

bool sparse_is_on(struct git *g)
{
	return settings(g)->on;
}

bool sparse_is_cone(struct git *g)
{
	return load(g)->cone;
}

bool sparse_has(struct git *g, const char *path)
{
	const struct sparse *s = load(g);
	struct bytes part = bytes_of(path);

	if (!s->on || !s->has_rules)
		return true;
	for (bool is_dir = false; part.len > 0; is_dir = true) {
		int v = match_rules(g, s, part, is_dir);

		if (v >= 0)
			return v == 1;
		while (part.len > 0 && part.ptr[part.len - 1] != '/')
			part.len--;
		part.len -= part.len > 0;
	}
	return false;
}

/* --- the index --- */

void sparse_show_present(struct git *g, struct index *x)
{
	if (!sparse_is_on(g) || config_bool(g, "sparse.expectfilesoutsideofpatterns", false))
		return;
	for (size_t i = 0; i < x->n; i++) {
		cmd_charge(g->c, 1);
		if ((x->at[i].xflags & ENTRY_SKIP_WORKTREE) && file_exists(g, x->at[i].path))
			x->at[i].xflags &= (uint16_t)~ENTRY_SKIP_WORKTREE;
	}
}

void sparse_mark_new(struct git *g, struct index *x)
{
	if (!sparse_is_on(g))
		return;
	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->at[i];

		cmd_charge(g->c, 1);
		if (e->fresh && e->stage == 0 && !(e->xflags & ENTRY_SKIP_WORKTREE) &&
		    !sparse_has(g, e->path) && !file_exists(g, e->path))
			e->xflags |= ENTRY_SKIP_WORKTREE;
	}
}

/* --- files --- */

static void put_left(struct git *g, const char *what, const struct names *list)
{
	struct buf b = buf_in(g->a);

	if (list->n == 0)
		return;
	for (size_t i = 0; i < list->n; i++)
		buf_printf(&b, "\t%s\n", list->at[i]);
	git_warn(g, "The following paths %s despite sparse patterns:\n%s", what, buf_cstr(&b));
}

/* Paths that are not as the patterns want them, for one reason each. */
struct sparse_left {
	struct names dirty, unmerged, present;
};

static void apply_one(struct git *g, struct index *x, struct entry *e, bool inside,
		      struct sparse_left *left)
{
	const char *in_the_way;
	bool skipped = (e->xflags & ENTRY_SKIP_WORKTREE) != 0;
	enum entry_state state;
	struct vfs_stat st;

	if (inside && skipped) {
		e->xflags &= (uint16_t)~ENTRY_SKIP_WORKTREE;
		in_the_way = work_in_the_way(g, e->path);
		if (in_the_way != NULL || file_exists(g, e->path)) {
			names_add(g, &left->present, in_the_way != NULL ? in_the_way : e->path);
			return;
		}
		if (work_write(g, e->path, e->mode, &e->oid, NULL) &&
		    cmd_lstat(g->c, e->path, &st) == 0)
			index_stat(g, e, &st);
		return;
	}
	if (inside || skipped)
		return;
	state = index_check(g, x, e, NULL);
	if (state != ENTRY_SAME && state != ENTRY_MISSING) {
		names_add(g, &left->dirty, e->path);
		return;
	}
	e->xflags |= ENTRY_SKIP_WORKTREE;
	if (state == ENTRY_SAME)
		work_remove(g, e->path);
}

/* Whether all that the index has below a directory is left out. */
static bool is_left_out(const struct index *x, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (x->at[i].stage != 0 || !(x->at[i].xflags & ENTRY_SKIP_WORKTREE))
			return false;
	return true;
}

static size_t end_of_dir(const struct index *x, size_t from, const char *dir, size_t len)
{
	while (from < x->n && strncmp(x->at[from].path, dir, len) == 0)
		from++;
	return from;
}

/* What is not tracked in a directory that is left out stays, and that is said. */
static void clean_dir(struct git *g, const char *dir, const struct names *untracked)
{
	if (!file_is_dir(g, dir))
		return;
	git_charge_search(g, untracked->n, dir);
	for (size_t i = 0; i < untracked->n; i++)
		if (git_starts(untracked->at[i], dir)) {
			git_warn(g,
				 "directory '%s' contains untracked files, but is not in the "
				 "sparse-checkout cone",
				 dir);
			return;
		}
	file_remove_tree(g, dir);
}

static void clean_dirs(struct git *g, struct index *x)
{
	struct names untracked = { NULL, 0, 0 };

	work_untracked(g, x, UNTRACKED_ALL, NULL, &untracked, NULL);
	for (size_t i = 0; i < x->n;) {
		const char *path = x->at[i].path;
		size_t next = i + 1;

		cmd_charge(g->c, 2);
		for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
			size_t len = (size_t)(p - path) + 1;
			size_t end = end_of_dir(x, i, path, len);

			cmd_charge(g->c, (end - i) / 4 + 1);
			if ((i > 0 && strncmp(x->at[i - 1].path, path, len) == 0) ||
			    !is_left_out(x, i, end))
				continue;
			clean_dir(g, arena_dup(g->a, (struct bytes){ path, len }), &untracked);
			next = end;
			break;
		}
		i = next;
	}
}

void sparse_apply(struct git *g, bool all)
{
	struct index *x = index_get(g);
	struct sparse_left left = { .dirty = { NULL, 0, 0 } };

	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->at[i];

		cmd_charge(g->c, 4);
		if (e->stage == 0)
			apply_one(g, x, e, all || sparse_has(g, e->path), &left);
		else if (!all && !sparse_has(g, e->path) && !names_has(g, &left.unmerged, e->path))
			names_add(g, &left.unmerged, e->path);
	}
	put_left(g, "are not up to date and were left", &left.dirty);
	put_left(g, "are unmerged and were left", &left.unmerged);
	put_left(g, "were already present and thus not updated", &left.present);
	if (left.dirty.n + left.unmerged.n + left.present.n != 0)
		git_say(g, "After fixing the above paths, you may want to run `git sparse-checkout "
			   "reapply`.\n");
	if (!all && sparse_is_cone(g))
		clean_dirs(g, x);
	index_write(g, x);
}

/* --- configuration --- */

static void set(struct git *g, const char *file, const char *key, bool value)
{
	config_change(g, file, key, value ? "true" : "false", NULL, CONFIG_SET);
}

/* What the shared file has of one work tree moves to the file of that. */
static void move_own(struct git *g, const char *shared, const char *own, const char *key)
{
	struct config cf = { .at = NULL };
	const struct config_entry *e;

	config_add_file(g, &cf, shared, CONFIG_LOCAL, false, 0);
	e = config_find(g, &cf, key);
	if (e == NULL || e->value == NULL ||
	    (strcmp(key, "core.bare") == 0 && config_truth(e->value) != 1))
		return;
	config_change(g, own, key, e->value, NULL, CONFIG_SET);
	config_change(g, shared, key, NULL, NULL, CONFIG_UNSET);
}

void sparse_configure(struct git *g, bool on, bool cone)
{
	char *shared = git_format(g->keep, "%s/config", g->common);
	char *own = git_format(g->keep, "%s/config.worktree", g->dir);

	if (!config_bool(g, "extensions.worktreeconfig", false)) {
		set(g, shared, "extensions.worktreeConfig", true);
		move_own(g, shared, own, "core.bare");
		move_own(g, shared, own, "core.worktree");
	}
	set(g, own, "core.sparseCheckout", on);
	set(g, own, "core.sparseCheckoutCone", cone);
	if (!on)
		set(g, own, "index.sparse", false);
	config_reload(g);
	sparse_forget(g);
}

void sparse_begin(struct git *g)
{
	char *path = sparse_file(g);

	sparse_configure(g, true, true);
	file_make_parents(g, path);
	file_write(g, path, BYTES("/*\n!/*/\n"), 0666);
	sparse_forget(g);
}

size_t sparse_take_outside(struct git *g, struct args *args, struct names *out)
{
	int kept = 0;

	if (!sparse_is_on(g))
		return 0;
	for (int i = 0; i < args->argc; i++) {
		const char *path = path_in_work_try(g, args->argv[i]);

		if (path != NULL && path[0] != '\0' && !sparse_has(g, path) &&
		    (index_has(index_get(g), path) ||
		     (file_exists(g, path) && !file_is_dir(g, path))))
			names_add(g, out, args->argv[i]);
		else
			args->argv[kept++] = args->argv[i];
	}
	args->argv[kept] = NULL;
	args->argc = kept;
	return out->n;
}

void sparse_say_outside(struct git *g, const struct names *paths)
{
	if (paths->n == 0)
		return;
	git_say(g, "The following paths and/or pathspecs matched paths that exist\n"
		   "outside of your sparse-checkout definition, so will not be\n"
		   "updated in the index:\n");
	for (size_t i = 0; i < paths->n; i++)
		git_say(g, "%s\n", paths->at[i]);
	git_hint(g, "updateSparsePath",
		 "If you intend to update such entries, try one of the following:\n"
		 "* Use the --sparse option.\n"
		 "* Disable or modify the sparsity rules.\n"
		 "Disable this message with \"git config advice.updateSparsePath false\"\n");
}
