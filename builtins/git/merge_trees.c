/* SPDX-License-Identifier: MIT
 *
 * Three trees: for each path what the sides made of the base; renames of one side meet changes
 * of the other (merge_dirs.c: of whole directories; merge_file.c: what becomes of the content).
 * The result is a tree (conflicts with markers in it) and, for conflicts, the three versions for
 * the index.
 */
#include "builtins/git/merge_private.h"

static void find_renames(struct merger *s, int side, const struct oid *base, const struct oid *tree)
{
	struct git *g = s->g;
	struct diff_opts o = { .renames = 1, .rename_limit = RENAME_LIMIT };
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct side_renames *r = &s->moved[side];

	r->to = lookup_new(g);
	r->from = lookup_new(g);
	if (s->m->no_renames || !merge_renames_matter(s, side))
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

static void conflict(struct merger *s, struct merge_file *f)
{
	s->m->clean = false;
	f->conflict = true;
}

/* The name a file gets that can't have its own. */
static char *unique_name(struct merger *s, const char *path, const char *branch)
{
	struct buf b = buf_in(s->g->keep);
	char *name;

	buf_printf(&b, "%s~", path);
	for (const char *p = branch; *p != '\0'; p++)
		buf_putc(&b, *p == '/' ? '_' : *p);
	name = buf_cstr(&b);
	for (int i = 0; leaf_at(s, 0, name) != NULL || leaf_at(s, 1, name) != NULL ||
			leaf_at(s, 2, name) != NULL;
	     i++)
		name = git_format(s->g->keep, "%.*s_%d", (int)b.len, b.ptr, i);
	return name;
}

/* Takes the versions that side k (1 ours, 2 theirs) has nothing to do with out of f. */
static void keep_side(struct merge_file *f, const struct leaf *leaf[3], int k)
{
	int other = 3 - k;

	f->mode[other] = 0;
	if ((f->mode[0] & S_FMT) != (f->mode[k] & S_FMT))
		f->mode[0] = 0;
	set_result(f, leaf[k]);
}

/* A file here and a link there: both are kept, and what is a file gets a name of its own. */
static void different_kinds(struct merger *s, struct merge_file *f, const struct leaf *leaf[3])
{
	struct merging *m = s->m;
	const char *path = f->path;
	bool ours_moves = (leaf[1]->mode & S_FMT) == S_REG;
	bool theirs_moves = !ours_moves && (leaf[2]->mode & S_FMT) == S_REG;
	struct merge_file *other;

	conflict(s, f);
	if (m->depth > 0) {
		set_result(f, leaf[0]);
		return;
	}
	if (!ours_moves && !theirs_moves)
		ours_moves = theirs_moves = true;
	merge_say(s, path,
		  "CONFLICT (distinct types): %s had different types on each side; renamed %s of "
		  "them so each can be recorded somewhere.\n",
		  path, ours_moves && theirs_moves ? "both" : "one");
	/* add_file may move f. */
	size_t at = (size_t)(f - m->at);

	other = add_file(s, theirs_moves ? unique_name(s, path, m->theirs) : path);
	set_stages(other, leaf);
	conflict(s, other);
	keep_side(other, leaf, 2);
	f = &m->at[at];
	f->path = ours_moves ? unique_name(s, path, m->ours) : path;
	keep_side(f, leaf, 1);
}

/* old: its path in the base; now: the path that one side gave it. */
static void deleted_or_changed(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
			       const char *old, const char *now)
{
	struct merging *m = s->m;
	bool ours_gone = leaf[1] == NULL;
	const struct leaf *left = ours_gone ? leaf[2] : leaf[1];
	const char *gone_in = ours_gone ? m->ours : m->theirs;
	const char *kept_in = ours_gone ? m->theirs : m->ours;

	conflict(s, f);
	set_result(f, left);
	if (strcmp(old, now) != 0) {
		merge_say(s, f->path,
			  "CONFLICT (rename/delete): %s renamed to %s in %s, but deleted in %s.\n",
			  old, f->path, kept_in, gone_in);
		if (same(leaf[0], left))
			return;
	}
	merge_say(s, f->path,
		  "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of "
		  "%s left "
		  "in tree.\n",
		  f->path, gone_in, kept_in, kept_in, f->path);
}

/* Whether a merge of these versions leaves a file. */
static bool remains(const struct leaf *leaf[3])
{
	if (leaf[1] == NULL)
		return leaf[2] != NULL && !same(leaf[0], leaf[2]);
	return leaf[2] != NULL || !same(leaf[0], leaf[1]);
}

/* NULL: it is settled already. Where its path is a directory it gets another one. */
static struct merge_file *start_path(struct merger *s, const char *path, const struct leaf *leaf[3])
{
	void **at = lookup_at(s->done, bytes_of(path));
	struct merge_file *f;

	if (*at != NULL)
		return NULL;
	*at = s;
	cmd_charge(s->g->c, 2);
	f = add_file(s, path);
	set_stages(f, leaf);
	if (remains(leaf) && merge_directory_stays(s, path)) {
		const char *branch = leaf[1] != NULL ? s->m->ours : s->m->theirs;

		f->path = unique_name(s, path, branch);
		conflict(s, f);
		merge_say(s, f->path,
			  "CONFLICT (file/directory): directory in the way of %s from %s; moving "
			  "it to %s instead.\n",
			  path, branch, f->path);
	}
	return f;
}

static void one_path(struct merger *s, const char *path, const struct leaf *leaf[3],
		     const char *names[3])
{
	struct merge_file *f = start_path(s, path, leaf);

	if (f == NULL)
		return;
	if (same(leaf[1], leaf[2]) || same(leaf[0], leaf[2])) {
		set_result(f, leaf[1]);
	} else if (same(leaf[0], leaf[1])) {
		set_result(f, leaf[2]);
	} else if (leaf[1] == NULL || leaf[2] == NULL) {
		if (leaf[0] == NULL)
			set_result(f, leaf[1] != NULL ? leaf[1] : leaf[2]);
		else
			deleted_or_changed(s, f, leaf, names[0], path);
	} else if ((leaf[1]->mode & S_FMT) != (leaf[2]->mode & S_FMT)) {
		different_kinds(s, f, leaf);
	} else {
		if (!merge_content(s, f, leaf, names))
			conflict(s, f);
	}
}

/* What the content of a renamed file becomes, where its new name is taken as well. */
static const struct leaf *merge_before_add(struct merger *s, const char *path,
					   const struct leaf *leaf[3], const char *names[3],
					   struct leaf *out)
{
	struct merge_file f = { .path = leaf[0]->path };
	bool clean;

	for (int k = 1; k < 3; k++)
		if (same(leaf[0], leaf[k]))
			return leaf[3 - k];
	if ((leaf[1]->mode & S_FMT) != (leaf[2]->mode & S_FMT))
		return leaf[1];
	s->nested = true;
	clean = merge_content(s, &f, leaf, names);
	s->nested = false;
	if (!clean)
		merge_say(s, path,
			  "CONFLICT (rename involved in collision): rename of %s -> %s has content "
			  "conflicts AND collides with another path; this may result in nested "
			  "conflict markers.\n",
			  names[0], path);
	*out = (struct leaf){ (char *)(uintptr_t)path, f.result_mode, f.result };
	return out;
}

/* What the side k has at path is there by a rename as well: its content merged. */
static const struct leaf *renamed_too(struct merger *s, const char *path, int k,
				      const struct leaf *there, struct leaf *out)
{
	const char *from = lookup_get(s->moved[k - 1].from, bytes_of(path));
	const struct leaf *leaf[3] = { leaf_at(s, 0, from) };
	const char *names[3] = { from, from, from };

	leaf[k] = there;
	leaf[3 - k] = leaf_at(s, 3 - k, from);
	if (leaf[0] == NULL)
		return there;
	*lookup_at(s->done, bytes_of(leaf[0]->path)) = s;
	if (leaf[3 - k] == NULL)
		return there;
	names[k] = path;
	return merge_before_add(s, path, leaf, names, out);
}

/* One side renamed a file, or both did alike. */
static void one_rename(struct merger *s, const struct leaf *base, const char *const to[2])
{
	const char *now = to[0] != NULL ? to[0] : to[1];
	int still = to[0] == NULL ? 1 : 2; /* the side that did not, if one did */
	const struct leaf *leaf[3] = { base, NULL, NULL };
	const char *names[3] = { base->path, NULL, NULL };
	const struct leaf *added;
	struct leaf merged, second;

	for (int k = 1; k < 3; k++) {
		names[k] = to[k - 1] != NULL ? to[k - 1] : base->path;
		leaf[k] = leaf_at(s, k, names[k]);
	}
	*lookup_at(s->done, bytes_of(base->path)) = s;
	added = to[0] == NULL || to[1] == NULL ? leaf_at(s, still, now) : NULL;
	if (added == NULL && leaf[still] == NULL) {
		struct merge_file *f = start_path(s, now, leaf);

		if (f != NULL)
			deleted_or_changed(s, f, leaf, base->path, now);
		return;
	}
	if (added != NULL) {
		/* The other side has something else under the new name: both added. */
		if (leaf[still] != NULL)
			leaf[3 - still] = merge_before_add(s, now, leaf, names, &merged);
		added = renamed_too(s, now, still, added, &second);
		leaf[0] = NULL;
		leaf[still] = added;
		names[0] = names[1] = names[2] = now;
	}
	one_path(s, now, leaf, names);
}

/* A file of the base that at least one side calls differently now. */
static void renamed_path(struct merger *s, const struct leaf *base)
{
	const char *to[2];

	for (int k = 0; k < 2; k++)
		to[k] = lookup_get(s->moved[k].to, bytes_of(base->path));
	if ((to[0] == NULL && to[1] == NULL) || lookup_get(s->done, bytes_of(base->path)) != NULL)
		return;
	if (to[0] != NULL && to[1] != NULL && strcmp(to[0], to[1]) != 0) {
		struct merging *m = s->m;

		merge_say(s, base->path,
			  "CONFLICT (rename/rename): %s renamed to %s in %s and to %s in %s.\n",
			  base->path, to[0], m->ours, to[1], m->theirs);
		for (int k = 0; k < 3; k++) {
			struct merge_file *f = add_file(s, k == 0 ? base->path : to[k - 1]);
			const struct leaf *l = leaf_at(s, k, f->path);

			conflict(s, f);
			*lookup_at(s->done, bytes_of(f->path)) = s;
			if (l != NULL) {
				f->mode[k] = l->mode;
				f->oid[k] = l->oid;
				if (k > 0)
					set_result(f, l);
			}
		}
		return;
	}
	one_rename(s, base, to);
}

/* What the side (1 ours, 2 theirs) called it before a renamed directory took it along. */
static const char *original_name(const struct merger *s, int k, const char *path)
{
	const char *name = lookup_get(s->original[k - 1], bytes_of(path));

	return name != NULL ? name : path;
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
			names[k] = k > 0 ? original_name(s, k, path) : path;
			i[k] += hit;
		}
		one_path(s, path, leaf, names);
	}
}

/* Files that a renamed directory takes along are conflicts where that is a suggestion only. */
static void mark_suggested(struct merger *s)
{
	for (size_t i = 0; i < s->m->n; i++)
		if (lookup_get(s->suggested, bytes_of(s->m->at[i].path)) != NULL)
			conflict(s, &s->m->at[i]);
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

static int note_cmp(const void *a, const void *b)
{
	return strcmp(((const struct merge_note *)a)->path, ((const struct merge_note *)b)->path);
}

void merge_say(struct merger *s, const char *path, const char *format, ...)
{
	struct buf b = buf_in(s->g->keep);
	va_list ap;

	va_start(ap, format);
	buf_vprintf(&b, format, ap);
	va_end(ap);
	LIST_ROOM(s->g, s->note, s->nnotes, s->notes_cap);
	s->note[s->nnotes++] = (struct merge_note){ path, buf_bytes(&b) };
}

static void advise_submodules(struct merger *s)
{
	struct buf *out = &s->m->messages;

	buf_puts(out, "Recursive merging with submodules currently only supports trivial cases.\n"
		      "Please manually handle the merging of each conflicted submodule.\n"
		      "This can be accomplished with the following steps:\n");
	for (size_t i = 0; i < s->submodules.n; i++)
		if (s->submodule_commits.at[i][0] != '\0')
			buf_printf(out,
				   " - go to submodule (%s), and either merge commit %s\n"
				   "   or update to an existing commit which has merged those "
				   "changes\n",
				   s->submodules.at[i], s->submodule_commits.at[i]);
	buf_puts(out, " - come back to superproject and run:\n\n      git add");
	for (size_t i = 0; i < s->submodules.n; i++)
		buf_printf(out, " %s", s->submodules.at[i]);
	buf_puts(out, "\n\n   to record the above merge or update\n"
		      " - resolve any other conflicts in the superproject\n"
		      " - commit the resulting index in the superproject\n");
}

/* Messages come in the order of the paths they are about. */
static void join_notes(struct merger *s)
{
	git_sort(s->g, s->note, s->nnotes, sizeof(*s->note), note_cmp);
	for (size_t i = 0; i < s->nnotes; i++)
		buf_add(&s->m->messages, s->note[i].text);
	pool_free(s->g->c->pool, s->note, s->notes_cap * sizeof(*s->note));
	if (s->submodules.n != 0)
		advise_submodules(s);
}

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
	s.suggested = lookup_new(m->g);
	s.original[0] = lookup_new(m->g);
	s.original[1] = lookup_new(m->g);
	find_renames(&s, 0, base, ours);
	find_renames(&s, 1, base, theirs);
	if (m->depth == 0)
		merge_follow_directories(&s);
	all_paths(&s);
	mark_suggested(&s);
	join_notes(&s);
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
