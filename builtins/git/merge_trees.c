/* SPDX-License-Identifier: MIT
 *
 * Three trees: for each path what the sides made of the base; renames of one side meet changes
 * of the other. The result is a tree (conflicts with markers in it) and, for conflicts, the
 * three versions for the index.
 */
#include "builtins/git/merge.h"

struct side_renames {
	struct lookup *to;   /* old path -> new path */
	struct lookup *from; /* new path -> old path */
};

struct merger {
	struct merging *m;
	struct git *g;
	struct leaves tree[3]; /* base, ours, theirs */
	struct side_renames moved[2];
	struct lookup *done;
};

static void find_renames(struct merger *s, int side, const struct oid *base, const struct oid *tree)
{
	struct git *g = s->g;
	struct diff_opts o = { .renames = 1, .rename_limit = RENAME_LIMIT };
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct side_renames *r = &s->moved[side];

	r->to = lookup_new(g);
	r->from = lookup_new(g);
	if (s->m->no_renames)
		return;
	diff_trees(g, &o, base, tree, &q);
	diff_renames(g, &o, &q);
	for (size_t i = 0; i < q.n; i++) {
		char *from, *to;

		if (q.at[i].status != 'R')
			continue;
		from = arena_dup(g->keep, bytes_of(q.at[i].one->path));
		to = arena_dup(g->keep, bytes_of(q.at[i].two->path));
		*lookup_at(r->to, bytes_of(from)) = to;
		*lookup_at(r->from, bytes_of(to)) = from;
	}
}

static const struct leaf *leaf_at(const struct merger *s, int k, const char *path)
{
	return path != NULL ? leaves_find(&s->tree[k], path) : NULL;
}

static bool same(const struct leaf *a, const struct leaf *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->mode == b->mode && oid_eq(&a->oid, &b->oid);
}

static struct merge_file *add_file(struct merger *s, const char *path)
{
	struct merging *m = s->m;

	LIST_ROOM(s->g, m->at, m->n, m->cap);
	m->at[m->n] = (struct merge_file){ .path = path };
	return &m->at[m->n++];
}

static void set_stages(struct merge_file *f, const struct leaf *leaf[3])
{
	for (int k = 0; k < 3; k++)
		if (leaf[k] != NULL) {
			f->mode[k] = leaf[k]->mode;
			f->oid[k] = leaf[k]->oid;
		}
}

static void set_result(struct merge_file *f, const struct leaf *l)
{
	f->result_mode = l != NULL ? l->mode : 0;
	if (l != NULL)
		f->result = l->oid;
}

static struct bytes blob(struct git *g, const struct leaf *l)
{
	struct bytes data = { "", 0 };

	if (l != NULL)
		object_read(g, g->a, &l->oid, &data);
	return data;
}

static void conflict(struct merger *s, struct merge_file *f)
{
	s->m->clean = false;
	f->conflict = true;
}

/* Both changed the content. names: as each side calls the file (renamed ones differ). */
static void merge_content(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
			  const char *names[3])
{
	struct git *g = s->g;
	struct merging *m = s->m;
	struct merge_text t = { .style = m->style, .favor = m->favor, .lines = m->lines };
	const char *labels[3] = { m->ours, m->base, m->theirs };
	static const int order[3] = { 1, 0, 2 };
	bool binary, differ;

	t.base = blob(g, leaf[0]);
	t.ours = blob(g, leaf[1]);
	t.theirs = blob(g, leaf[2]);
	differ = strcmp(names[1], names[2]) != 0 ||
		 (leaf[0] != NULL && strcmp(names[0], names[1]) != 0);
	for (int i = 0; i < 3; i++)
		t.label[i] = differ ? git_format(g->a, "%s:%s", labels[i], names[order[i]])
				    : labels[i];
	t.marker_size = m->depth * 2 + 7;
	f->result_mode = leaf[0] != NULL && leaf[1]->mode == leaf[0]->mode ? leaf[2]->mode
									   : leaf[1]->mode;
	binary = lines_binary(t.base) || lines_binary(t.ours) || lines_binary(t.theirs);
	if (binary || (leaf[1]->mode & S_FMT) != S_REG) {
		if (m->favor == FAVOR_THEIRS) {
			f->result = leaf[2]->oid;
			return;
		}
		f->result = leaf[1]->oid;
		if (m->favor == FAVOR_OURS)
			return;
		conflict(s, f);
		buf_printf(&m->messages,
			   "warning: Cannot merge binary files: %s (%s vs. %s)\nAuto-merging "
			   "%s\nCONFLICT "
			   "(content): Merge conflict in %s\n",
			   f->path, m->ours, m->theirs, f->path, f->path);
		return;
	}
	merge_text(g, g->a, &t);
	object_write(g, OBJECT_BLOB, t.result, &f->result);
	buf_printf(&m->messages, "Auto-merging %s\n", f->path);
	if (t.conflicts == 0)
		return;
	conflict(s, f);
	buf_printf(&m->messages, "CONFLICT (%s): Merge conflict in %s\n",
		   leaf[0] == NULL ? "add/add" : "content", f->path);
}

/* The name a file gets that can't have its own. */
static char *unique_name(struct merger *s, const char *path, const char *branch)
{
	struct buf b = buf_in(s->g->keep);

	buf_printf(&b, "%s~", path);
	for (const char *p = branch; *p != '\0'; p++)
		buf_putc(&b, *p == '/' ? '_' : *p);
	return buf_cstr(&b);
}

static void different_kinds(struct merger *s, struct merge_file *f, const struct leaf *leaf[3])
{
	/* A file here and a link there: both are kept under names of their own. */
	struct merge_file *other;
	char *name = unique_name(s, f->path, s->m->theirs);

	conflict(s, f);
	set_result(f, leaf[1]);
	f->mode[2] = 0;
	buf_printf(&s->m->messages,
		   "CONFLICT (distinct types): %s had different types on each side; renamed one of "
		   "them "
		   "so each can be recorded somewhere.\n",
		   f->path);
	other = add_file(s, name);
	conflict(s, other);
	other->mode[2] = leaf[2]->mode;
	other->oid[2] = leaf[2]->oid;
	set_result(other, leaf[2]);
}

static void deleted_or_changed(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
			       const char *old)
{
	struct merging *m = s->m;
	bool ours_gone = leaf[1] == NULL;
	const struct leaf *left = ours_gone ? leaf[2] : leaf[1];
	const char *gone_in = ours_gone ? m->ours : m->theirs;
	const char *kept_in = ours_gone ? m->theirs : m->ours;

	if (m->favor == FAVOR_NONE || true)
		conflict(s, f);
	set_result(f, left);
	if (strcmp(old, f->path) != 0) {
		buf_printf(&m->messages,
			   "CONFLICT (rename/delete): %s renamed to %s in %s, but deleted in %s.\n",
			   old, f->path, kept_in, gone_in);
		if (same(leaf[0], left))
			return;
	}
	buf_printf(&m->messages,
		   "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of "
		   "%s left "
		   "in tree.\n",
		   f->path, gone_in, kept_in, kept_in, f->path);
}

static void one_path(struct merger *s, const char *path, const struct leaf *leaf[3],
		     const char *names[3])
{
	struct merge_file *f;
	void **at = lookup_at(s->done, bytes_of(path));

	if (*at != NULL)
		return;
	*at = s;
	cmd_charge(s->g->c, 2);
	f = add_file(s, path);
	set_stages(f, leaf);
	if (same(leaf[1], leaf[2]) || same(leaf[0], leaf[2])) {
		set_result(f, leaf[1]);
	} else if (same(leaf[0], leaf[1])) {
		set_result(f, leaf[2]);
	} else if (leaf[1] == NULL || leaf[2] == NULL) {
		if (leaf[0] == NULL)
			set_result(f, leaf[1] != NULL ? leaf[1] : leaf[2]);
		else
			deleted_or_changed(s, f, leaf, names[0]);
	} else if ((leaf[1]->mode & S_FMT) != (leaf[2]->mode & S_FMT)) {
		different_kinds(s, f, leaf);
	} else if (oid_eq(&leaf[1]->oid, &leaf[2]->oid)) {
		set_result(f,
			   leaf[0] != NULL && leaf[0]->mode == leaf[1]->mode ? leaf[2] : leaf[1]);
	} else if (leaf[0] != NULL && oid_eq(&leaf[0]->oid, &leaf[1]->oid)) {
		set_result(f, leaf[2]);
		if (leaf[0]->mode != leaf[1]->mode)
			f->result_mode = leaf[1]->mode;
	} else if (leaf[0] != NULL && oid_eq(&leaf[0]->oid, &leaf[2]->oid)) {
		set_result(f, leaf[1]);
		if (leaf[0]->mode != leaf[2]->mode)
			f->result_mode = leaf[2]->mode;
	} else {
		merge_content(s, f, leaf, names);
	}
}

/* A file of the base that at least one side calls differently now. */
static bool renamed_path(struct merger *s, const struct leaf *base)
{
	const char *to[2];
	const struct leaf *leaf[3] = { base, NULL, NULL };
	const char *names[3];

	for (int k = 0; k < 2; k++)
		to[k] = lookup_get(s->moved[k].to, bytes_of(base->path));
	if (to[0] == NULL && to[1] == NULL)
		return false;
	if (to[0] != NULL && to[1] != NULL && strcmp(to[0], to[1]) != 0) {
		struct merging *m = s->m;

		buf_printf(&m->messages,
			   "CONFLICT (rename/rename): %s renamed to %s in %s and to %s in %s.\n",
			   base->path, to[0], m->ours, to[1], m->theirs);
		for (int k = 0; k < 3; k++) {
			struct merge_file *f = add_file(s, k == 0 ? base->path : to[k - 1]);

			conflict(s, f);
			leaf[k] = leaf_at(s, k, f->path);
			*lookup_at(s->done, bytes_of(f->path)) = s;
			if (leaf[k] != NULL) {
				f->mode[k] = leaf[k]->mode;
				f->oid[k] = leaf[k]->oid;
				if (k > 0)
					set_result(f, leaf[k]);
			}
		}
		return true;
	}
	const char *now = to[0] != NULL ? to[0] : to[1];

	for (int k = 0; k < 2; k++) {
		names[k + 1] = to[k] != NULL ? to[k] : base->path;
		leaf[k + 1] = leaf_at(s, k + 1, names[k + 1]);
		/* The other side has something else under the new name: both added. */
		if (to[k] == NULL && leaf_at(s, k + 1, now) != NULL && leaf[k + 1] == NULL)
			leaf[k + 1] = leaf_at(s, k + 1, now), leaf[0] = NULL;
	}
	names[0] = base->path;
	*lookup_at(s->done, bytes_of(base->path)) = s;
	if (strcmp(names[1], names[2]) != 0 && leaf[1] != NULL && leaf[2] != NULL &&
	    leaf[0] != NULL) {
		/* The content of both under the new name. */
		one_path(s, now, leaf, names);
		return true;
	}
	names[1] = leaf[1] != NULL ? names[1] : now;
	names[2] = leaf[2] != NULL ? names[2] : now;
	one_path(s, now, leaf, names);
	return true;
}

static void all_paths(struct merger *s)
{
	size_t i[3] = { 0, 0, 0 };

	for (size_t k = 0; k < s->tree[0].n; k++)
		renamed_path(s, &s->tree[0].at[k]);
	for (;;) {
		const char *path = NULL;
		const struct leaf *leaf[3];
		const char *names[3];

		for (int k = 0; k < 3; k++)
			if (i[k] < s->tree[k].n &&
			    (path == NULL || strcmp(s->tree[k].at[i[k]].path, path) < 0))
				path = s->tree[k].at[i[k]].path;
		if (path == NULL)
			return;
		for (int k = 0; k < 3; k++) {
			bool hit = i[k] < s->tree[k].n &&
				   strcmp(s->tree[k].at[i[k]].path, path) == 0;

			leaf[k] = hit ? &s->tree[k].at[i[k]] : NULL;
			names[k] = path;
			i[k] += hit;
		}
		one_path(s, path, leaf, names);
	}
}

static int file_cmp(const void *a, const void *b)
{
	return strcmp(((const struct merge_file *)a)->path, ((const struct merge_file *)b)->path);
}

static void write_result(struct merging *m)
{
	struct leaves l = { NULL, 0, 0 };

	git_sort(m->g, m->at, m->n, sizeof(*m->at), file_cmp);
	for (size_t i = 0; i < m->n; i++) {
		if (m->at[i].result_mode == 0)
			continue;
		LIST_ROOM(m->g, l.at, l.n, l.cap);
		l.at[l.n++] = (struct leaf){ (char *)(uintptr_t)m->at[i].path, m->at[i].result_mode,
					     m->at[i].result };
	}
	tree_write_leaves(m->g, &l, &m->tree);
	pool_free(m->g->c->pool, l.at, l.cap * sizeof(*l.at));
}

/* Messages are sorted by path, as they come from a table of paths in the real one. */
void merge_trees(struct merging *m, const struct oid *base, const struct oid *ours,
		 const struct oid *theirs)
{
	struct merger s = { .m = m, .g = m->g };
	const struct oid *trees[3] = { base, ours, theirs };

	m->clean = true;
	m->n = 0;
	m->messages = buf_in(m->g->keep);
	for (int k = 0; k < 3; k++)
		tree_flatten(m->g, m->g->keep, trees[k], &s.tree[k]);
	s.done = lookup_new(m->g);
	find_renames(&s, 0, base, ours);
	find_renames(&s, 1, base, theirs);
	all_paths(&s);
	write_result(m);
}

void merge_commits(struct merging *m, struct commit *ours, struct commit *theirs)
{
	struct commit **bases;
	size_t n;

	commit_need(m->g, ours);
	commit_need(m->g, theirs);
	n = merge_bases(m->g, ours, theirs, &bases);
	struct oid base = n > 0 ? bases[n - 1]->tree : oid_empty_tree;

	if (m->base == NULL)
		m->base = n == 0   ? "empty tree"
			  : n == 1 ? arena_dup(m->g->keep,
					       bytes_of(oid_short(m->g, &bases[0]->oid, 0)))
				   : "merged common ancestors";
	/* Several bases: merged one into the other, with their conflicts in them. */
	for (size_t i = n; i > 1; i--) {
		struct merging v = { .g = m->g,
				     .ours = "Temporary merge branch 1",
				     .theirs = "Temporary merge branch 2",
				     .base = "merged common ancestors",
				     .depth = m->depth + 1,
				     .style = m->style,
				     .lines = m->lines };
		struct commit **under;
		size_t k = merge_bases(m->g, bases[n - 1], bases[i - 2], &under);

		merge_trees(&v, k > 0 ? &under[0]->tree : &oid_empty_tree, &base,
			    &bases[i - 2]->tree);
		base = v.tree;
	}
	merge_trees(m, &base, &ours->tree, &theirs->tree);
}

/* --- into index and files --- */

bool merge_apply(struct merging *m, const struct oid *head_tree, const char *action)
{
	struct git *g = m->g;
	struct switch_opts so = { .action = action };
	struct index *x = index_get(g);

	if (!work_switch(g, head_tree, &m->tree, &so))
		return false;
	for (size_t i = 0; i < m->n; i++) {
		const struct merge_file *f = &m->at[i];

		if (!f->conflict)
			continue;
		index_remove(x, f->path);
		for (unsigned k = 0; k < 3; k++)
			if (f->mode[k] != 0)
				index_put_stage(x, f->path, f->mode[k], &f->oid[k], k + 1);
	}
	x->dirty = true;
	index_write(g, x);
	return true;
}

bool merge_option(struct merging *m, const char *text)
{
	static const struct {
		const char *name;
		unsigned lines;
	} words[] = { { "ignore-space-change", LINES_IGNORE_SPACE_CHANGE },
		      { "ignore-all-space", LINES_IGNORE_ALL_SPACE },
		      { "ignore-space-at-eol", LINES_IGNORE_SPACE_AT_EOL },
		      { "ignore-cr-at-eol", LINES_IGNORE_CR_AT_EOL },
		      /* Its own algorithm is taken whatever these say. */
		      { "patience", 0 },
		      { "histogram", 0 } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i].name) == 0) {
			m->lines |= words[i].lines;
			return true;
		}
	if (strcmp(text, "ours") == 0)
		m->favor = FAVOR_OURS;
	else if (strcmp(text, "theirs") == 0)
		m->favor = FAVOR_THEIRS;
	else if (strcmp(text, "no-renames") == 0 || strcmp(text, "find-renames") == 0)
		m->no_renames = text[0] == 'n';
	else if (git_starts(text, "diff-algorithm="))
		return diff_algorithm(text + strlen("diff-algorithm=")) >= 0;
	else if (strcmp(text, "no-renormalize") != 0)
		return false;
	return true;
}
