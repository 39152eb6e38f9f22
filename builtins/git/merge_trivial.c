/* SPDX-License-Identifier: MIT
 *
 * git merge-tree BASE OURS THEIRS: what a merge of three trees would change, shown and not done.
 * A name that one side alone has touched is that side's; of others all versions are told.
 */
#include "builtins/git/merge.h"

/* A name in the three trees; mode 0: it is not there. */
struct side {
	uint32_t mode;
	struct oid oid;
};

struct trivial {
	struct git *g;
	struct buf path;
	int depth;
};

static bool is_dir(const struct side *s)
{
	return (s->mode & S_FMT) == S_DIR;
}

static bool same(const struct side *a, const struct side *b)
{
	return a->mode != 0 && a->mode == b->mode && oid_eq(&a->oid, &b->oid);
}

static bool both_empty(const struct side *a, const struct side *b)
{
	return a->mode == 0 && b->mode == 0;
}

/* --- what is shown --- */

static void put_side(struct trivial *t, const char *what, const struct side *s)
{
	git_printf(t->g, "  %-6s %o %s %s\n", what, (unsigned)s->mode, oid_hex(t->g, &s->oid),
		   buf_cstr(&t->path));
}

static struct bytes text_of(struct git *g, const struct side *s)
{
	struct bytes text = BYTES("");

	if (s->mode != 0)
		object_read(g, g->a, &s->oid, &text);
	return text;
}

static void show_theirs(struct trivial *t, const struct side *ours, const struct side *theirs)
{
	git_printf(t->g, "merged\n");
	put_side(t, "result", theirs);
	put_side(t, "our", ours);
	plain_diff(t->g, text_of(t->g, ours), text_of(t->g, theirs));
}

static const char *explanation(const struct side *s)
{
	if (s[0].mode == 0)
		return s[1].mode == 0   ? "added in remote"
		       : s[2].mode != 0 ? "added in both"
					: "added in local";
	if (s[1].mode == 0)
		return s[2].mode == 0 ? "removed in both" : "removed in local";
	return s[2].mode != 0 ? "changed in both" : "removed in remote";
}

/* What it would become: both versions, if both are there. */
static struct bytes merged_text(struct git *g, const struct side *s)
{
	struct merge_text m = { .label = { ".our", "", ".their" } };

	if (s[1].mode == 0 || s[2].mode == 0)
		return s[0].mode != 0 ? BYTES("") : text_of(g, &s[s[1].mode == 0 ? 2 : 1]);
	m.base = text_of(g, &s[0]);
	m.ours = text_of(g, &s[1]);
	m.theirs = text_of(g, &s[2]);
	merge_text(g, g->a, &m);
	return m.result;
}

static void show_files(struct trivial *t, const struct side *all)
{
	static const char *const names[] = { "base", "our", "their" };
	struct side s[3];
	bool any = false;

	for (int i = 0; i < 3; i++) {
		s[i] = is_dir(&all[i]) ? (struct side){ .mode = 0 } : all[i];
		any = any || s[i].mode != 0;
	}
	if (!any)
		return;
	git_printf(t->g, "%s\n", explanation(s));
	for (int i = 0; i < 3; i++)
		if (s[i].mode != 0)
			put_side(t, names[i], &s[i]);
	plain_diff(t->g, text_of(t->g, &s[1]), merged_text(t->g, s));
}

/* --- trees --- */

static void merge_below(struct trivial *t, const struct side *trees);

static void merge_name(struct trivial *t, const struct side *s)
{
	struct git *g = t->g;
	struct arena_mark mark = arena_mark(g->a);
	bool dir = is_dir(&s[0]) || is_dir(&s[1]) || is_dir(&s[2]);

	cmd_charge(g->c, 4);
	if (same(&s[1], &s[2]) || both_empty(&s[1], &s[2]))
		return;
	if (same(&s[0], &s[1]) && s[2].mode != 0 && !is_dir(&s[2])) {
		show_theirs(t, &s[1], &s[2]);
	} else if (!same(&s[0], &s[2]) && !both_empty(&s[0], &s[2])) {
		if (dir)
			merge_below(t, s);
		show_files(t, s);
	}
	arena_release(g->a, mark);
}

struct reading {
	struct bytes rest;
	struct tree_entry e;
	bool there;
};

static void advance(struct trivial *t, struct reading *r)
{
	int got = tree_next(&r->rest, &r->e);

	if (got < 0)
		git_die(t->g, "corrupt tree file");
	r->there = got > 0;
}

static void merge_below(struct trivial *t, const struct side *trees)
{
	struct git *g = t->g;
	struct reading *r = arena_array(g->keep, 3, sizeof(*r));
	size_t length = t->path.len;

	if (++t->depth > GIT_DEPTH_MAX)
		git_die(g, "exceeded maximum allowed tree depth");
	if (length != 0)
		buf_putc(&t->path, '/');
	for (int i = 0; i < 3; i++) {
		r[i].rest = BYTES("");
		if (is_dir(&trees[i]) &&
		    object_read(g, g->keep, &trees[i].oid, &r[i].rest) != OBJECT_TREE)
			git_die(g, "unable to read tree %s", oid_hex(g, &trees[i].oid));
		advance(t, &r[i]);
	}
	for (;;) {
		struct side s[3] = { { .mode = 0 }, { .mode = 0 }, { .mode = 0 } };
		struct bytes first = { NULL, 0 };
		size_t prefix = t->path.len;

		/* A file and a directory of one name belong together. */
		for (int i = 0; i < 3; i++)
			if (r[i].there && (first.ptr == NULL || bytes_cmp(r[i].e.name, first) < 0))
				first = r[i].e.name;
		if (first.ptr == NULL)
			break;
		buf_add(&t->path, first);
		for (int i = 0; i < 3; i++)
			if (r[i].there && bytes_eq(r[i].e.name, first)) {
				s[i] = (struct side){ r[i].e.mode, r[i].e.oid };
				advance(t, &r[i]);
			}
		merge_name(t, s);
		t->path.len = prefix;
	}
	t->path.len = length;
	t->depth--;
}

int merge_trivial(struct git *g, char **names)
{
	struct trivial t = { .g = g, .path = buf_in(g->keep) };
	struct side s[3];

	for (int i = 0; i < 3; i++) {
		struct oid o;
		bool known = rev_parse(g, names[i], &o) == 0;

		if (!known)
			git_die(g, "unknown rev %s", names[i]);
		s[i].mode = S_DIR;
		if (!tree_of(g, &o, &s[i].oid))
			git_die(g, "unable to read tree %s", oid_hex(g, &o));
	}
	merge_below(&t, s);
	return 0;
}
