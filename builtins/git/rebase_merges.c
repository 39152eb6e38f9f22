/* SPDX-License-Identifier: MIT
 *
 * git rebase --rebase-merges and --update-refs: lists that make merges anew, and that move other
 * branches along.
 *
 * Lines of first parents are written one after the other: those that merges bring in first. Where
 * one leaves another that commit gets a label, as does the end of each.
 */
#include "builtins/git/sequence.h"
#include "builtins/git/worktree.h"

struct lining {
	struct git *g;
	const struct rebase_merges *m;
	struct commits list;  /* oldest first */
	struct lookup *in;    /* those of the list */
	struct lookup *label; /* by commit */
	struct lookup *used;  /* labels, in lower case */
	struct lookup *shown;
	struct commits tips;
	struct todo out;
};

static void add_comment(struct lining *l, const char *text)
{
	todo_add(l->g, &l->out, (struct todo_item){ .kind = TODO_COMMENT, .arg = bytes_of(text) });
}

static void add_line(struct lining *l, enum todo_kind kind, const char *arg)
{
	todo_add(l->g, &l->out, (struct todo_item){ .kind = kind, .arg = bytes_of(arg) });
}

/* --- labels --- */

static struct bytes lower(struct git *g, const char *text)
{
	char *copy = arena_dup(g->keep, bytes_of(text));

	for (char *p = copy; *p != '\0'; p++)
		*p = (char)byte_to_lower((unsigned char)*p);
	return bytes_of(copy);
}

/* The label, or "label-2" if that is taken, and so on. */
static const char *unique(struct lining *l, const char *wanted)
{
	const char *name = wanted;

	for (int i = 2; lookup_get(l->used, lower(l->g, name)) != NULL; i++)
		name = git_format(l->g->keep, "%s-%d", wanted, i);
	*lookup_at(l->used, lower(l->g, name)) = l;
	return name;
}

static const char *label_as(struct lining *l, struct commit *c, const char *wanted)
{
	void **at = lookup_at(l->label, oid_key(&c->oid));

	if (*at == NULL)
		*at = arena_dup(l->g->keep, bytes_of(unique(l, wanted)));
	return *at;
}

/* What is no letter or digit becomes one "-". */
static const char *plain_name(struct git *g, struct bytes text)
{
	struct buf b = buf_in(g->keep);

	for (size_t i = 0; i < text.len; i++) {
		unsigned char ch = (unsigned char)text.ptr[i];

		if (ch >= 0x80 || byte_is_alnum(ch))
			buf_putc(&b, (char)ch);
		else if (b.len != 0 && b.ptr[b.len - 1] != '-')
			buf_putc(&b, '-');
	}
	return buf_cstr(&b);
}

/* What a merge calls the line that it brings in. */
static const char *merge_label(struct git *g, struct commit *merge)
{
	const char *subject = pick_subject(g, merge);
	const char *open, *close;

	if (git_starts(subject, "Merge ") && (open = strchr(subject, '\'')) != NULL &&
	    (close = strchr(open + 1, '\'')) != NULL)
		return plain_name(g, (struct bytes){ open + 1, (size_t)(close - open - 1) });
	if (git_starts(subject, "Merge pull request ") &&
	    (open = strstr(subject, " from ")) != NULL)
		return plain_name(g, bytes_of(open + 6));
	return plain_name(g, bytes_of(subject));
}

static bool in_list(const struct lining *l, const struct commit *c)
{
	return lookup_get(l->in, oid_key(&c->oid)) != NULL;
}

/* The base of all is called onto; what lies elsewhere has its own name, or is moved, too. */
static const char *name_outside(struct lining *l, struct commit *c)
{
	for (size_t i = 0; i < l->m->nbases; i++)
		if (l->m->base[i] == c)
			return "onto";
	return oid_short(l->g, &c->oid, 0);
}

static const char *parent_name(struct lining *l, struct commit *c)
{
	const char *label = lookup_get(l->label, oid_key(&c->oid));

	return label != NULL ? label : name_outside(l, c);
}

/* --- which lines there are --- */

static void add_tip(struct lining *l, struct commit *c)
{
	cmd_charge(l->g->c, l->tips.n / 8);
	for (size_t i = 0; i < l->tips.n; i++)
		if (l->tips.at[i] == c)
			return;
	LIST_ROOM(l->g, l->tips.at, l->tips.n, l->tips.cap);
	l->tips.at[l->tips.n++] = c;
}

static void find_tips(struct lining *l)
{
	for (size_t i = 0; i < l->list.n; i++) {
		struct commit *c = l->list.at[i];

		for (uint32_t k = 1; k < c->nparents; k++) {
			if (!in_list(l, c->parent[k]))
				continue;
			label_as(l, c->parent[k], merge_label(l->g, c));
			add_tip(l, c->parent[k]);
		}
	}
	if (l->list.n != 0)
		add_tip(l, l->list.at[l->list.n - 1]);
}

/* Where a line begins: the commit in front of its first one; NULL: it has none. */
static struct commit *walk_line(struct lining *l, struct commit *tip, struct commits *line)
{
	struct commit *c = tip;

	while (c != NULL && in_list(l, c) && lookup_get(l->shown, oid_key(&c->oid)) == NULL) {
		cmd_charge(l->g->c, 1);
		*lookup_at(l->shown, oid_key(&c->oid)) = l;
		if (line != NULL) {
			LIST_ROOM(l->g, line->at, line->n, line->cap);
			line->at[line->n++] = c;
		}
		c = c->nparents != 0 ? c->parent[0] : NULL;
	}
	return c;
}

static void label_branch_points(struct lining *l)
{
	l->shown = lookup_new(l->g);
	for (size_t i = 0; i < l->tips.n; i++) {
		struct commit *from;

		if (lookup_get(l->shown, oid_key(&l->tips.at[i]->oid)) != NULL)
			continue;
		from = walk_line(l, l->tips.at[i], NULL);
		if (from != NULL && in_list(l, from))
			label_as(l, from, "branch-point");
	}
	l->shown = lookup_new(l->g);
}

/* --- writing them --- */

static void put_merge(struct lining *l, struct commit *c)
{
	struct buf b = buf_in(l->g->keep);

	for (uint32_t k = 1; k < c->nparents; k++)
		buf_printf(&b, "%s%s", k > 1 ? " " : "", parent_name(l, c->parent[k]));
	buf_printf(&b, " # %s", pick_subject(l->g, c));
	todo_add(l->g, &l->out,
		 (struct todo_item){ .kind = TODO_MERGE,
				     .flags = TODO_USE_MESSAGE,
				     .commit = c,
				     .arg = bytes_of(buf_cstr(&b)) });
}

static void put_start(struct lining *l, struct commit *from)
{
	const char *name;

	if (from == NULL) {
		add_line(l, TODO_RESET, l->m->cousins || !l->m->root ? "onto" : "[new root]");
		return;
	}
	name = parent_name(l, from);
	if (strcmp(name, "onto") == 0 || (l->m->cousins && !in_list(l, from)))
		add_line(l, TODO_RESET, "onto");
	else
		add_line(l, TODO_RESET,
			 git_format(l->g->keep, "%s # %s", name, pick_subject(l->g, from)));
}

static void put_line(struct lining *l, struct commit *tip)
{
	struct commits line = { NULL, 0, 0 };
	const char *label = lookup_get(l->label, oid_key(&tip->oid));
	struct commit *from;

	if (lookup_get(l->shown, oid_key(&tip->oid)) != NULL)
		return;
	from = walk_line(l, tip, &line);
	add_comment(l, "");
	if (label != NULL)
		add_comment(l, git_format(l->g->keep, "# Branch %s", label));
	put_start(l, from);
	for (size_t i = line.n; i > 0; i--) {
		struct commit *c = line.at[i - 1];

		if (c->nparents > 1)
			put_merge(l, c);
		else
			l->m->pick(l->m->user, c, &l->out);
		label = lookup_get(l->label, oid_key(&c->oid));
		if (label != NULL)
			add_line(l, TODO_LABEL, label);
	}
}

void rebase_list_merges(struct git *g, const struct rebase_merges *m, const struct commits *list,
			struct todo *out)
{
	struct lining l = { .g = g, .m = m, .list = *list };

	l.in = lookup_new(g);
	l.label = lookup_new(g);
	l.used = lookup_new(g);
	unique(&l, "onto");
	for (size_t i = 0; i < list->n; i++)
		*lookup_at(l.in, oid_key(&list->at[i]->oid)) = list->at[i];
	find_tips(&l);
	label_branch_points(&l);
	add_line(&l, TODO_LABEL, "onto");
	for (size_t i = 0; i < l.tips.n; i++)
		put_line(&l, l.tips.at[i]);
	*out = l.out;
}

/* --- --update-refs --- */

/* Branches at a commit of the list, last name first. */
static void add_refs(struct git *g, const struct commit *c, const char *own, struct todo *out)
{
	struct ref *list;
	size_t n = ref_list(g, "refs/heads/", &list);
	bool any = false;

	for (size_t i = n; i > 0; i--) {
		const struct ref *r = &list[i - 1];
		const char *used;

		cmd_charge(g->c, 1);
		if (r->broken || r->target != NULL || !oid_eq(&r->oid, &c->oid) ||
		    (own != NULL && strcmp(own, r->name) == 0))
			continue;
		used = worktree_using(g, r->name);
		if (used != NULL)
			todo_add(g, out,
				 (struct todo_item){
					 .kind = TODO_COMMENT,
					 .arg = bytes_of(git_format(g->keep,
								    "# Ref %s checked out at '%s'",
								    r->name, used)) });
		else
			todo_add(g, out,
				 (struct todo_item){
					 .kind = TODO_UPDATE_REF,
					 .arg = bytes_of(arena_dup(g->keep, bytes_of(r->name))) });
		todo_add(g, out, (struct todo_item){ .kind = TODO_COMMENT, .arg = BYTES("") });
		any = true;
	}
	(void)any;
}

void rebase_list_refs(struct git *g, const char *own, struct todo *t)
{
	struct todo out = { NULL, 0, 0 };

	for (size_t i = 0; i < t->n; i++) {
		todo_add(g, &out, t->at[i]);
		if (t->at[i].commit != NULL)
			add_refs(g, t->at[i].commit, own, &out);
	}
	*t = out;
}

/* The file has three lines for each: the name, what it was, what it becomes (or zeros). */
void rebase_note_refs(struct git *g, const struct todo *t)
{
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < t->n; i++) {
		char *name = arena_dup(g->a, t->at[i].arg);
		struct oid o = oid_null;

		if (t->at[i].kind != TODO_UPDATE_REF)
			continue;
		ref_read(g, name, &o, NULL);
		buf_printf(&b, "%s\n%s\n%s\n", name, oid_hex(g, &o), oid_hex(g, &oid_null));
	}
	if (b.len != 0)
		state_write(g, REBASE_DIR "update-refs", buf_cstr(&b));
}

static bool next_noted(struct bytes *rest, struct bytes *name, struct oid *before,
		       struct oid *after)
{
	struct bytes a, b;

	return git_line(rest, name) && git_line(rest, &a) && git_line(rest, &b) &&
	       oid_parse_bytes(a, before) && oid_parse_bytes(b, after);
}

int rebase_note_ref(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	char *text = state_read(g, REBASE_DIR "update-refs");
	struct bytes rest = bytes_of(text != NULL ? text : ""), name;
	struct buf out = buf_in(g->a);
	struct oid head, before, after;
	bool found = false;

	head_oid(g, &head);
	while (next_noted(&rest, &name, &before, &after)) {
		bool is = bytes_eq(name, item->arg);

		found = found || is;
		buf_printf(&out, "%.*s\n%s\n%s\n", (int)name.len, name.ptr, oid_hex(g, &before),
			   oid_hex(g, is ? &head : &after));
	}
	if (!found) {
		before = oid_null;
		ref_read(g, arena_dup(g->a, item->arg), &before, NULL);
		buf_printf(&out, "%.*s\n%s\n%s\n", (int)item->arg.len, item->arg.ptr,
			   oid_hex(g, &before), oid_hex(g, &head));
	}
	state_write(g, REBASE_DIR "update-refs", buf_cstr(&out));
	return STEP_DONE;
}

void rebase_update_refs(struct git *g, bool quiet)
{
	char *text = state_read(g, REBASE_DIR "update-refs");
	struct bytes rest = bytes_of(text != NULL ? text : ""), name;
	struct names done = { NULL, 0, 0 };
	struct oid before, after;

	while (next_noted(&rest, &name, &before, &after)) {
		char *ref = arena_dup(g->keep, name);

		if (!oid_is_null(&after) &&
		    ref_update(g, ref, &after, oid_is_null(&before) ? NULL : &before,
			       "rewritten during rebase", true))
			names_add(g, &done, ref);
	}
	if (done.n == 0 || quiet)
		return;
	git_sort(g, done.at, done.n, sizeof(*done.at), git_name_cmp);
	git_say(g, "Updated the following refs with --update-refs:\n");
	for (size_t i = 0; i < done.n; i++)
		git_say(g, "\t%s\n", done.at[i]);
}
