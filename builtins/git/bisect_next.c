/* SPDX-License-Identifier: MIT
 *
 * git bisect: what is known of which commits, and which one is tested next.
 *
 * A good commit that is no ancestor of the bad one says nothing by itself: what both descend from
 * is tested first.
 */
#include "builtins/git/bisect.h"

char *bisect_first_line(char *text)
{
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* False: nobody has said yet; then they are bad and good. */
bool bisect_read_terms(struct git *g, struct bisect_terms *t)
{
	char *text = state_read(g, "BISECT_TERMS");
	char *second = text != NULL ? strchr(text, '\n') : NULL;

	t->bad = arena_dup(g->keep, BYTES("bad"));
	t->good = arena_dup(g->keep, BYTES("good"));
	if (second == NULL)
		return false;
	t->good = bisect_first_line(arena_dup(g->keep, bytes_of(second + 1)));
	t->bad = bisect_first_line(arena_dup(g->keep, bytes_of(text)));
	return true;
}

char *bisect_bad_ref(struct git *g, const struct bisect_terms *t)
{
	return git_format(g->a, "refs/bisect/%s", t->bad);
}

char *bisect_good_prefix(struct git *g, const struct bisect_terms *t)
{
	return git_format(g->a, "refs/bisect/%s-", t->good);
}

void bisect_log(struct git *g, const char *line)
{
	file_append(g, repo_path(g, g->a, "BISECT_LOG"), bytes_of(line));
}

static char *subject_of(struct git *g, const struct oid *o)
{
	struct commit_text text;
	struct bytes subject;

	commit_text(g, g->a, o, &text);
	subject = message_subject(g->a, text.message);
	return git_format(g->a, "%.*s", (int)subject.len, subject.ptr);
}

struct commit *bisect_commit(struct git *g, const char *text)
{
	struct oid o;

	if (rev_commit(g, text, &o) != 0) {
		git_error(g, "Bad rev input: %s", text);
		git_exit(g, 1);
	}
	return commit_at(g, &o);
}

/* --- what is known --- */

void bisect_mark(struct git *g, const struct bisect_terms *t, const char *term, const struct oid *o,
		 const char *shown)
{
	const char *name = strcmp(term, t->bad) == 0
				   ? bisect_bad_ref(g, t)
				   : git_format(g->a, "refs/bisect/%s-%s", term, oid_hex(g, o));

	ref_update(g, name, o, NULL, NULL, true);
	bisect_log(g, git_format(g->a, "# %s: [%s] %s\n", term, oid_hex(g, o), subject_of(g, o)));
	if (shown != NULL)
		bisect_log(g, git_format(g->a, "git bisect %s %s\n", term, shown));
}

static void say_status(struct git *g, const char *text)
{
	git_printf(g, "status: %s\n", text);
	bisect_log(g, git_format(g->a, "# status: %s\n", text));
}

int bisect_checkout(struct git *g, const char *target, bool quiet)
{
	char *argv[6] = { (char *)(uintptr_t) "git", (char *)(uintptr_t) "checkout" };
	int n = 2;

	if (quiet)
		argv[n++] = (char *)(uintptr_t) "-q";
	argv[n++] = arena_dup(g->a, bytes_of(target));
	argv[n++] = (char *)(uintptr_t) "--";
	cmd_flush(g->c);
	return git_spawn(g, argv, NULL, -1, -1);
}

static int show_commit(struct git *g, const struct oid *o)
{
	static const char *const words[] = { "git", "show", "--stat", "--summary", "--no-renames" };
	char *argv[] = { (char *)(uintptr_t)words[0],
			 (char *)(uintptr_t)words[1],
			 (char *)(uintptr_t)words[2],
			 (char *)(uintptr_t)words[3],
			 (char *)(uintptr_t)words[4],
			 oid_hex(g, o),
			 NULL };

	cmd_flush(g->c);
	return git_spawn(g, argv, NULL, -1, -1);
}

static int say_only_skipped(struct bisect_search *s, const struct bisect_terms *t)
{
	git_printf(s->g,
		   "There are only 'skip'ped commits left to test.\n"
		   "The first %s commit could be any of:\n",
		   t->bad);
	for (size_t i = 0; i < s->all; i++)
		git_printf(s->g, "%s\n", oid_hex(s->g, &s->ranked[i]->c->oid));
	git_printf(s->g, "We cannot bisect more!\n");
	bisect_log(s->g, "# only skipped commits left to test\n");
	for (size_t i = s->n; i > 0; i--) {
		const struct oid *o = &s->at[i - 1].c->oid;

		bisect_log(s->g, git_format(s->g->a, "# possible first %s commit: [%s] %s\n",
					    t->bad, oid_hex(s->g, o), subject_of(s->g, o)));
	}
	return BISECT_NOTHING_LEFT;
}

/* Makes the commit the one to test. */
int bisect_go_to(struct git *g, const struct oid *o)
{
	int status = 0;

	state_write(g, "BISECT_EXPECTED_REV", git_format(g->a, "%s\n", oid_hex(g, o)));
	if (file_exists(g, repo_path(g, g->a, "BISECT_HEAD")))
		ref_update(g, "BISECT_HEAD", o, NULL, NULL, true);
	else
		status = bisect_checkout(g, oid_hex(g, o), true);
	if (status == 0)
		git_printf(g, "[%s] %s\n", oid_hex(g, o), subject_of(g, o));
	return status;
}

/* --- goods that are no ancestors of the bad commit --- */

struct bases {
	struct git *g;
	const struct bisect_terms *t;
	struct commit *bad;
	struct commit **good;
	size_t n;
	char *good_names;
};

static int mistaken(struct git *g, const struct bisect_terms *t)
{
	git_say(g,
		"Some %s revs are not ancestors of the %s rev.\n"
		"git bisect cannot work properly in this case.\n"
		"Maybe you mistook %s and %s revs?\n",
		t->good, t->bad, t->good, t->bad);
	return 1;
}

static int base_is_bad(const struct bases *b)
{
	struct git *g = b->g;
	const char *base = oid_hex(g, &b->bad->oid);
	char *expected = state_read(g, "BISECT_EXPECTED_REV");

	if (expected == NULL || strcmp(bisect_first_line(expected), base) != 0)
		return mistaken(g, b->t);
	if (strcmp(b->t->bad, "bad") == 0 && strcmp(b->t->good, "good") == 0)
		git_say(g,
			"The merge base %s is bad.\n"
			"This means the bug has been fixed between %s and [%s].\n",
			base, base, b->good_names);
	else if (strcmp(b->t->bad, "new") == 0 && strcmp(b->t->good, "old") == 0)
		git_say(g,
			"The merge base %s is new.\n"
			"The property has changed between %s and [%s].\n",
			base, base, b->good_names);
	else
		git_say(g,
			"The merge base %s is %s.\n"
			"This means the first '%s' commit is between %s and [%s].\n",
			base, b->t->bad, b->t->good, base, b->good_names);
	return BISECT_BASE_IS_BAD;
}

static bool is_good(const struct bases *b, const struct commit *c)
{
	cmd_charge(b->g->c, b->n / 8);
	for (size_t i = 0; i < b->n; i++)
		if (b->good[i] == c)
			return true;
	return false;
}

/* Each base must be known to be good. -1: they are; else a status, with a base to test at 0. */
static int check_bases(const struct bases *b)
{
	struct git *g = b->g;
	struct commit **list;
	size_t n = merge_bases_many(g, b->bad, b->good, b->n, &list);

	for (size_t i = 0; i < n; i++) {
		const char *hex = oid_hex(g, &list[i]->oid);

		if (list[i] == b->bad)
			return base_is_bad(b);
		if (is_good(b, list[i]))
			continue;
		if (ref_exists(g, git_format(g->a, BISECT_SKIP_PREFIX "%s", hex))) {
			git_warn(g,
				 "the merge base between %s and [%s] must be skipped.\n"
				 "So we cannot be sure the first %s commit is between %s and %s.\n"
				 "We continue anyway.",
				 oid_hex(g, &b->bad->oid), b->good_names, b->t->bad, hex,
				 oid_hex(g, &b->bad->oid));
			continue;
		}
		git_printf(g, "Bisecting: a merge base must be tested\n");
		return bisect_go_to(g, &list[i]->oid);
	}
	return -1;
}

/* Once is enough: what is good of a merge's other side may not be below a later bad one. */
static int check_ancestors(struct git *g, const struct bisect_terms *t, struct commit *bad,
			   struct ref *good, size_t n)
{
	struct bases b = { .g = g, .t = t, .bad = bad, .n = n };
	struct buf names = buf_in(g->a);
	bool all = true;

	if (n == 0 || state_read(g, "BISECT_ANCESTORS_OK") != NULL)
		return -1;
	b.good = arena_array(g->a, n, sizeof(struct commit *));
	for (size_t i = 0; i < n; i++) {
		b.good[i] = commit_at(g, &good[i].oid);
		commit_need(g, b.good[i]);
		buf_printf(&names, "%s%s", i > 0 ? " " : "", oid_hex(g, &good[i].oid));
		all = all && is_ancestor(g, b.good[i], bad);
	}
	b.good_names = buf_cstr(&names);
	int status = all ? -1 : check_bases(&b);

	if (status < 0)
		state_write(g, "BISECT_ANCESTORS_OK", "");
	return status;
}

/* --- the next one --- */

/* False after what is missing was said. */
static bool both_known(struct git *g, bool has_bad, size_t ngood)
{
	if (!has_bad && ngood == 0)
		say_status(g, "waiting for both good and bad commits");
	else if (!has_bad)
		say_status(g,
			   git_format(g->a,
				      ngood == 1 ? "waiting for bad commit, %zu good commit known"
						 : "waiting for bad commit, %zu good commits known",
				      ngood));
	else if (ngood == 0)
		say_status(g, "waiting for good commit(s), bad commit known");
	return has_bad && ngood != 0;
}

static int found(struct git *g, const struct bisect_terms *t, const struct oid *o)
{
	git_printf(g, "%s is the first %s commit\n", oid_hex(g, o), t->bad);
	show_commit(g, o);
	bisect_log(g, git_format(g->a, "# first %s commit: [%s] %s\n", t->bad, oid_hex(g, o),
				 subject_of(g, o)));
	return BISECT_FOUND;
}

/* Goes to the next commit to test: 0, BISECT_FOUND, or a status. */
static int find_next(struct git *g, const struct bisect_terms *t, struct commit *bad,
		     struct ref *good, size_t ngood)
{
	struct bisect_search s = { .g = g };
	size_t reaches;
	int status = check_ancestors(g, t, bad, good, ngood);

	if (status >= 0)
		return status;
	bisect_load(&s, bad, good, ngood);
	struct candidate *k = bisect_choose(&s, &reaches);

	if (k == NULL && s.all == 0) {
		git_printf(g, "%s was both %s and %s\n", oid_hex(g, &bad->oid), t->good, t->bad);
		return 1;
	}
	if (k == NULL)
		return say_only_skipped(&s, t);
	if (k->c == bad) {
		for (size_t i = 0; i < s.n; i++)
			if (s.at[i].skipped)
				return say_only_skipped(&s, t);
		return found(g, t, &bad->oid);
	}
	size_t left = s.all - reaches - 1;
	int steps = bisect_steps_left(s.all);

	git_printf(g, "Bisecting: %zu revision%s left to test after this (roughly %d step%s)\n",
		   left, left == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
	return bisect_go_to(g, &k->c->oid);
}

/* asked: by `git bisect next`, which may go on with a bad commit alone. */
int bisect_next(struct git *g, bool asked)
{
	struct bisect_terms t;
	struct ref *good;
	struct oid o;

	bool known = bisect_read_terms(g, &t);
	size_t ngood = ref_list(g, bisect_good_prefix(g, &t), &good);
	bool has_bad = ref_read(g, bisect_bad_ref(g, &t), &o, NULL) == 0;

	if (!asked && !both_known(g, has_bad, ngood))
		return 0;
	if (asked && !known)
		return 1;
	if (asked && !has_bad)
		return git_error(g,
				 "You need to give me at least one bad|new and good|old revision."
				 "\nYou can use \"git bisect bad|new\" and \"git bisect "
				 "good|old\" for that.");
	if (ngood == 0)
		git_warn(g, "bisecting only with a %s commit", t.bad);
	return find_next(g, &t, commit_at(g, &o), good, ngood);
}
