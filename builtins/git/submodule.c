/* SPDX-License-Identifier: MIT
 *
 * Submodules as diff, status, add and rm see them. The command itself is in cmd_submodule.c.
 */
#include "builtins/git/submodule.h"
#include "builtins/git/status.h"

enum { NESTED_MAX = 16 };

int submodule_ignore_of(const char *word)
{
	static const char *const words[] = { "none", "untracked", "dirty", "all" };

	for (int i = 0; i < 4; i++)
		if (strcmp(words[i], word) == 0)
			return SUBMODULE_IGNORE_NONE + i;
	return -1;
}

/* The name of the section of .gitmodules whose path this is; NULL: there is none. */
static const char *name_of(struct git *g, const struct config *cf, const char *path)
{
	git_charge_search(g, cf->n * 4, path);
	for (size_t i = 0; i < cf->n; i++) {
		const char *key = cf->at[i].key;

		if (git_starts(key, "submodule.") && git_ends(key, ".path") &&
		    cf->at[i].value != NULL && strcmp(cf->at[i].value, path) == 0)
			return git_format(g->a, "%.*s", (int)strlen(key) - 15, key + 10);
	}
	return NULL;
}

static const char *modules_path(struct git *g)
{
	return path_join(g->a, g->work, ".gitmodules");
}

int submodule_ignored(struct git *g, int asked, const char *path, int otherwise)
{
	struct config cf = { .at = NULL };
	const struct config_entry *e;
	const char *name, *word = NULL;
	int level;

	if (asked != 0 || g->work == NULL)
		return asked != 0 ? asked : otherwise;
	config_add_file(g, &cf, modules_path(g), CONFIG_LOCAL, false, 0);
	name = name_of(g, &cf, path);
	if (name != NULL) {
		const char *key = git_format(g->a, "submodule.%s.ignore", name);

		word = config_get(g, key);
		e = config_find(g, &cf, key);
		if (word == NULL && e != NULL)
			word = e->value;
	}
	if (word == NULL)
		word = config_get(g, "diff.ignoresubmodules");
	level = word != NULL ? submodule_ignore_of(word) : -1;
	return level > 0 ? level : otherwise;
}

static struct git *open_sub(struct git *g, const char *path)
{
	struct git *sub;

	if (g->work == NULL)
		return NULL;
	sub = repo_open(g, path_join(g->a, g->work, path));
	return sub != NULL && sub->work != NULL ? sub : NULL;
}

bool submodule_head(struct git *g, const char *path, struct oid *out)
{
	struct git *sub = open_sub(g, path);

	return sub != NULL && head_oid(sub, out);
}

unsigned submodule_dirt(struct git *g, const char *path, int ignored)
{
	struct git *sub = ignored < SUBMODULE_IGNORE_DIRTY ? open_sub(g, path) : NULL;
	struct status_opts o = { .untracked = ignored == SUBMODULE_IGNORE_UNTRACKED ? SHOW_NO
										    : SHOW_NORMAL };
	struct status s;
	unsigned dirt = 0;

	if (sub == NULL || g->nested >= NESTED_MAX || cmd_chdir(g->c, sub->work) < 0)
		return 0;
	sub->nested = g->nested + 1;
	sub->prefix = arena_dup(g->keep, BYTES(""));
	status_collect(sub, &s, &o);
	cmd_chdir(g->c, g->work);
	if (s.staged.n + s.unmerged.n != 0)
		dirt |= SUBMODULE_MODIFIED;
	for (size_t i = 0; i < s.work.n; i++)
		dirt |= s.work.at[i].two->dirty == SUBMODULE_UNTRACKED &&
					s.work.at[i].one->oid_known && s.work.at[i].two->oid_known
				? SUBMODULE_UNTRACKED
				: SUBMODULE_MODIFIED;
	if (s.untracked.n != 0)
		dirt |= SUBMODULE_UNTRACKED;
	return dirt;
}

/* --- --submodule=log --- */

static bool has_commit(struct git *sub, const struct oid *o)
{
	return sub != NULL && object_exists(sub, o);
}

static void put_commits(struct git *sub, const struct diff_opts *o, struct commit *a,
			struct commit *b, struct commit **bases, size_t n, struct buf *out)
{
	struct revs r;

	revs_init(sub, &r);
	r.left_right = r.first_parent = true;
	a->flags |= COMMIT_LEFT;
	revs_add_commit(sub, &r, a, false);
	revs_add_commit(sub, &r, b, false);
	for (size_t i = 0; i < n; i++)
		revs_add_commit(sub, &r, bases[i], true);
	for (struct commit *c; (c = revs_next(&r)) != NULL;) {
		struct commit_text t;

		commit_text(sub, sub->a, &c->oid, &t);
		bool left = (c->flags & COMMIT_LEFT) != 0;

		buf_printf(out, "%s  %c ", diff_escape(o, sub, left ? "old" : "new"),
			   left ? '<' : '>');
		buf_add(out, message_subject(sub->a, t.message));
		buf_printf(out, "%s\n", o->use_color ? COLOR_RESET : "");
	}
	revs_forget(sub);
}

/* Where its objects are: it may be known though nothing is checked out. */
static struct git *open_objects(struct git *g, const char *path)
{
	struct git *sub = open_sub(g, path);
	struct config cf = { .at = NULL };
	const char *name = NULL;

	if (sub != NULL)
		return sub;
	if (g->work != NULL) {
		config_add_file(g, &cf, modules_path(g), CONFIG_LOCAL, false, 0);
		name = name_of(g, &cf, path);
	}
	return repo_open(g,
			 git_format(g->a, "%s/modules/%s", g->common, name != NULL ? name : path));
}

/* --submodule=diff: the trees of both commits, or the first and the work tree. */
static void put_trees(struct git *g, struct git *sub, const struct diff_opts *o, const char *path,
		      const struct oid *a, const struct oid *b, struct buf *out)
{
	struct diff_queue q = { .at = NULL };
	struct diff_opts so;
	struct oid tree[2] = { oid_empty_tree, oid_empty_tree };

	if (sub->work == NULL && g->work != NULL &&
	    file_is_dir(g, path_join(g->a, g->work, path))) {
		git_error(g, "Could not access '%s'", oid_hex(g, a));
		buf_puts(out, "(diff failed)\n");
		return;
	}
	if (g->nested >= NESTED_MAX || (sub->work != NULL && cmd_chdir(g->c, sub->work) < 0))
		return;
	sub->nested = g->nested + 1;
	sub->prefix = arena_dup(g->keep, BYTES(""));
	diff_init(sub, &so);
	so.submodule_format = SUBMODULE_DIFF;
	so.submodules = SUBMODULE_IGNORE_UNTRACKED;
	so.external = so.textconv = so.prefix_given = true;
	so.color = o->use_color;
	so.format = DIFF_PATCH;
	diff_settle(sub, &so);
	so.src_prefix = git_format(g->a, "%s%s/", o->src_prefix, path);
	so.dst_prefix = git_format(g->a, "%s%s/", o->dst_prefix, path);
	if (!oid_is_null(a))
		tree_of(sub, a, &tree[0]);
	if (b != NULL && !oid_is_null(b))
		tree_of(sub, b, &tree[1]);
	if (b != NULL)
		diff_trees(sub, &so, &tree[0], &tree[1], &q);
	else
		diff_tree_work(sub, &so, &tree[0], &q);
	diff_finish(sub, &so, &q);
	for (size_t i = 0; i < q.n; i++)
		diff_patch(sub, &so, &q.at[i], out);
	if (g->work != NULL)
		cmd_chdir(g->c, g->work);
}

struct submodule_change {
	const char *path;
	struct git *sub;
	struct oid a, b;
	const char *message; /* in place of commits */
	bool absent;         /* its commits are not here */
};

static void put_head(struct git *g, const struct diff_opts *o, const struct submodule_change *ch,
		     struct buf *out)
{
	struct git *sub = ch->sub;
	struct commit **bases = NULL;
	size_t n = 0;
	int length = oid_default_length(g);

	if (ch->message == NULL) {
		commit_need(sub, commit_at(sub, &ch->a));
		commit_need(sub, commit_at(sub, &ch->b));
		n = merge_bases(sub, commit_at(sub, &ch->a), commit_at(sub, &ch->b), &bases);
	}
	bool forward = n > 0 && oid_eq(&bases[0]->oid, &ch->a);
	bool rewind = n > 0 && oid_eq(&bases[0]->oid, &ch->b);

	buf_printf(out, "Submodule %s %.*s%s%.*s", ch->path, length, oid_hex(g, &ch->a),
		   forward || rewind ? ".." : "...", length, oid_hex(g, &ch->b));
	if (ch->message != NULL)
		buf_printf(out, " %s\n", ch->message);
	else
		buf_printf(out, "%s:\n", rewind ? " (rewind)" : "");
	if (ch->message == NULL && o->submodule_format == SUBMODULE_LOG)
		put_commits(sub, o, commit_at(sub, &ch->a), commit_at(sub, &ch->b), bases, n, out);
}

void submodule_put_change(struct git *g, const struct diff_opts *o, const struct diff_pair *p,
			  struct buf *out)
{
	unsigned dirty = p->two->dirty;
	struct submodule_change ch = { .path = p->two->mode != 0 ? p->two->path : p->one->path };

	ch.sub = open_objects(g, ch.path);
	ch.a = p->one->mode != 0 ? p->one->oid : oid_null;
	ch.b = p->two->mode != 0 ? p->two->oid : oid_null;
	if (p->two->mode != 0 && !p->two->oid_known)
		submodule_head(g, ch.path, &ch.b);
	if (p->one->mode != 0 && !p->one->oid_known)
		submodule_head(g, ch.path, &ch.a);
	if (dirty & SUBMODULE_UNTRACKED)
		buf_printf(out, "Submodule %s contains untracked content\n", ch.path);
	if (dirty & SUBMODULE_MODIFIED)
		buf_printf(out, "Submodule %s contains modified content\n", ch.path);
	ch.absent = ch.sub == NULL || (p->one->mode != 0 && !has_commit(ch.sub, &ch.a)) ||
		    (p->two->mode != 0 && !has_commit(ch.sub, &ch.b));
	if (p->one->mode == 0)
		ch.message = "(new submodule)";
	else if (p->two->mode == 0)
		ch.message = "(submodule deleted)";
	else if (ch.absent)
		ch.message = "(commits not present)";
	if (!oid_eq(&ch.a, &ch.b))
		put_head(g, o, &ch, out);
	if (o->submodule_format == SUBMODULE_DIFF && !ch.absent)
		put_trees(g, ch.sub, o, ch.path, &ch.a, (dirty & SUBMODULE_MODIFIED) ? NULL : &ch.b,
			  out);
}

/* --- rm, mv --- */

void submodule_check_file(struct git *g, struct index *x, const char *please)
{
	struct entry *file = index_find(x, ".gitmodules");

	if (file != NULL && index_check(g, x, file, NULL) != ENTRY_SAME)
		git_die(g, "%s stage your changes to .gitmodules or stash them to proceed", please);
}

static void stage_file(struct git *g, struct index *x)
{
	struct oid o;

	if (work_hash(g, ".gitmodules", MODE_FILE, true, &o) == 0) {
		struct vfs_stat st;
		struct entry *e = index_put(x, ".gitmodules", MODE_FILE, &o);

		if (cmd_lstat(g->c, ".gitmodules", &st) == 0)
			index_stat(g, e, &st);
		x->dirty = true;
	}
}

bool submodule_forget(struct git *g, struct index *x, const char *path)
{
	struct config cf = { .at = NULL };
	const char *name;

	config_add_file(g, &cf, modules_path(g), CONFIG_LOCAL, false, 0);
	name = name_of(g, &cf, path);
	if (name == NULL)
		return false;
	config_rename_section(g, modules_path(g), git_format(g->a, "submodule.%s", name), NULL);
	stage_file(g, x);
	return true;
}

void submodule_moved(struct git *g, struct index *x, const char *from, const char *to)
{
	struct config cf = { .at = NULL };
	const char *name;

	config_add_file(g, &cf, modules_path(g), CONFIG_LOCAL, false, 0);
	name = name_of(g, &cf, from);
	if (name == NULL) {
		git_warn(g, "Could not find section in .gitmodules where path=%s", from);
		return;
	}
	config_change(g, modules_path(g), git_format(g->a, "submodule.%s.path", name), to, NULL,
		      CONFIG_SET);
	stage_file(g, x);
	if (!file_is_dir(g, path_join(g->a, to, ".git")) &&
	    file_exists(g, path_join(g->a, to, ".git")))
		submodule_connect(g, name, to);
}
