/* SPDX-License-Identifier: MIT
 *
 * git bisect - finds the commit that made something bad by halving what may be it.
 *
 * What is known stands in refs/bisect (bad, good-OID, skip-OID) and the files BISECT_*, as the real
 * one keeps it. Among commits that were not skipped the one nearest to the middle is tested next.
 */
#include "builtins/git/commit.h"

enum { NOTHING_LEFT = 2, RUN_SKIP = 125, RUN_ERROR = 128 };
enum { FOUND = 10 }; /* inside: not a status of the command */

static const char bad_ref[] = "refs/bisect/bad";
static const char good_prefix[] = "refs/bisect/good-";
static const char skip_prefix[] = "refs/bisect/skip-";

static const char *const files[] = { "BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK", "BISECT_LOG",
				     "BISECT_NAMES",        "BISECT_RUN",          "BISECT_TERMS",
				     "BISECT_START" };

static void add_log(struct git *g, const char *line)
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

static void need_start(struct git *g)
{
	if (state_read(g, "BISECT_START") != NULL)
		return;
	git_say(g, "You need to start by \"git bisect start\"\n\n");
	git_exit(g, 1);
}

static struct commit *commit_of(struct git *g, const char *text)
{
	struct oid o;

	if (rev_commit(g, text, &o) != 0) {
		git_error(g, "Bad rev input: %s", text);
		git_exit(g, 1);
	}
	return commit_at(g, &o);
}

/* --- what is known --- */

static void mark(struct git *g, const char *term, const struct oid *o, bool with_log)
{
	const char *name = strcmp(term, "bad") == 0
				   ? bad_ref
				   : git_format(g->a, "refs/bisect/%s-%s", term, oid_hex(g, o));

	ref_update(g, name, o, NULL, NULL, true);
	add_log(g, git_format(g->a, "# %s: [%s] %s\n", term, oid_hex(g, o), subject_of(g, o)));
	if (with_log)
		add_log(g, git_format(g->a, "git bisect %s %s\n", term, oid_hex(g, o)));
}

static void say_status(struct git *g, const char *text)
{
	git_printf(g, "status: %s\n", text);
	add_log(g, git_format(g->a, "# status: %s\n", text));
}

static int reset_state(struct git *g)
{
	struct ref *list;
	size_t n = ref_list(g, "refs/bisect/", &list);

	for (size_t i = 0; i < n; i++)
		ref_delete(g, list[i].name);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		state_remove(g, files[i]);
	return 0;
}

static int checkout(struct git *g, const char *target, bool quiet)
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
	static const char *const words[] = { "git", "show", "--stat", "--summary" };
	char *argv[] = { (char *)(uintptr_t)words[0],
			 (char *)(uintptr_t)words[1],
			 (char *)(uintptr_t)words[2],
			 (char *)(uintptr_t)words[3],
			 oid_hex(g, o),
			 NULL };

	cmd_flush(g->c);
	return git_spawn(g, argv, NULL, -1, -1);
}

/* --- the middle --- */

/* A commit that may be the first bad one. */
struct candidate {
	struct commit *c;
	size_t reaches; /* candidates that it contains, itself among them; 0: not known yet */
	bool skipped;
};

struct search {
	struct git *g;
	struct candidate *at; /* oldest first */
	size_t n;
	struct lookup *index;
};

static struct candidate *candidate_of(const struct search *s, const struct commit *c)
{
	return lookup_get(s->index, oid_key(&c->oid));
}

/* Counts what a merge contains by walking it. */
static size_t count_reached(struct search *s, struct candidate *from)
{
	struct lookup *seen = lookup_new(s->g);
	struct candidate **queue = arena_array(s->g->a, s->n, sizeof(struct candidate *));
	size_t head = 0;
	size_t tail = 0;

	*lookup_at(seen, oid_key(&from->c->oid)) = from;
	queue[tail++] = from;
	while (head < tail) {
		struct commit *c = queue[head++]->c;

		for (uint32_t i = 0; i < c->nparents; i++) {
			struct candidate *parent = candidate_of(s, c->parent[i]);

			if (parent == NULL || lookup_get(seen, oid_key(&parent->c->oid)) != NULL)
				continue;
			*lookup_at(seen, oid_key(&parent->c->oid)) = parent;
			queue[tail++] = parent;
		}
		cmd_charge(s->g->c, 2);
	}
	return tail;
}

static size_t candidate_parents(struct search *s, const struct commit *c, struct candidate **last)
{
	size_t n = 0;

	for (uint32_t i = 0; i < c->nparents; i++) {
		struct candidate *parent = candidate_of(s, c->parent[i]);

		if (parent == NULL)
			continue;
		*last = parent;
		n++;
	}
	return n;
}

static bool is_half(const struct search *s, const struct candidate *k)
{
	size_t twice = 2 * k->reaches;

	return twice + 1 >= s->n && twice <= s->n + 1;
}

/* Merges are counted first, then what has one parent: the first one at the middle is taken (stop),
 * or all are counted. */
static struct candidate *find_half(struct search *s, bool stop)
{
	struct candidate *parent = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (candidate_parents(s, s->at[i].c, &parent) == 0)
			s->at[i].reaches = 1;
	for (size_t i = 0; i < s->n; i++)
		if (candidate_parents(s, s->at[i].c, &parent) > 1) {
			s->at[i].reaches = count_reached(s, &s->at[i]);
			if (stop && is_half(s, &s->at[i]))
				return &s->at[i];
		}
	/* Parents come first but for clocks that were wrong: then another round is needed. */
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < s->n; i++) {
			cmd_charge(s->g->c, 1);
			if (s->at[i].reaches != 0)
				continue;
			candidate_parents(s, s->at[i].c, &parent);
			if (parent->reaches == 0) {
				again = true;
				continue;
			}
			s->at[i].reaches = parent->reaches + 1;
			if (stop && is_half(s, &s->at[i]))
				return &s->at[i];
		}
	}
	return NULL;
}

static struct candidate *nearest(struct search *s, bool skipped)
{
	struct candidate *best = NULL;
	size_t best_distance = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct candidate *k = &s->at[i];
		size_t rest = s->n - k->reaches;
		size_t distance = (k->reaches < rest ? k->reaches : rest) + 1;

		if ((k->skipped && !skipped) || distance <= best_distance)
			continue;
		best_distance = distance;
		best = k;
	}
	return best;
}

/* The one that halves best; NULL: all were skipped. *reaches is that of the best one even if it
 * was skipped. */
static struct candidate *choose(struct search *s, size_t *reaches)
{
	struct candidate *best = find_half(s, true);

	if (best == NULL)
		best = nearest(s, true);
	*reaches = best != NULL ? best->reaches : 0;
	if (best == NULL || !best->skipped)
		return best;
	find_half(s, false);
	return nearest(s, false);
}

/* Everything that the bad commit contains and no good one does, oldest first. */
static void load(struct search *s, struct commit *bad, struct ref *good, size_t ngood)
{
	struct git *g = s->g;
	struct revs r;
	struct commits list = { .at = NULL };

	revs_init(g, &r);
	revs_add_commit(g, &r, bad, false);
	for (size_t i = 0; i < ngood; i++)
		revs_add_commit(g, &r, commit_at(g, &good[i].oid), true);
	for (struct commit *c; (c = revs_next(&r)) != NULL;) {
		LIST_ROOM(g, list.at, list.n, list.cap);
		list.at[list.n++] = c;
	}
	s->n = list.n;
	s->at = arena_array(g->a, list.n + 1, sizeof *s->at);
	s->index = lookup_new(g);
	for (size_t i = 0; i < list.n; i++) {
		struct candidate *k = &s->at[i];

		k->c = list.at[list.n - 1 - i];
		k->skipped = ref_exists(
			g, git_format(g->a, "%s%s", skip_prefix, oid_hex(g, &k->c->oid)));
		*lookup_at(s->index, oid_key(&k->c->oid)) = k;
	}
	revs_forget(g);
}

static int steps_left(size_t all)
{
	int n = 0;

	if (all < 3)
		return 0;
	while (all >> (n + 1) != 0)
		n++;
	size_t power = (size_t)1 << n;

	return power < 3 * (all - power) ? n : n - 1;
}

static int say_only_skipped(struct search *s)
{
	git_printf(s->g, "There are only 'skip'ped commits left to test.\n"
			 "The first bad commit could be any of:\n");
	for (size_t i = 0; i < s->n; i++)
		git_printf(s->g, "%s\n", oid_hex(s->g, &s->at[i].c->oid));
	git_printf(s->g, "We cannot bisect more!\n");
	return NOTHING_LEFT;
}

static void check_ancestors(struct git *g, struct commit *bad, struct ref *good, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_ancestor(g, commit_at(g, &good[i].oid), bad))
			continue;
		git_say(g, "Some good revs are not ancestors of the bad rev.\n"
			   "git bisect cannot work properly in this case.\n"
			   "Maybe you mistook good and bad revs?\n");
		git_exit(g, 1);
	}
}

/* Goes to the next commit to test: 0, FOUND, or a status. */
static int next(struct git *g)
{
	struct search s = { .g = g };
	struct ref *good;
	size_t ngood = ref_list(g, good_prefix, &good);
	struct oid o;
	bool has_bad = ref_read(g, bad_ref, &o, NULL) == 0;

	if (!has_bad && ngood == 0)
		return say_status(g, "waiting for both good and bad commits"), 0;
	if (!has_bad)
		return say_status(
			       g,
			       git_format(
				       g->a,
				       ngood == 1
					       ? "waiting for bad commit, %zu good commit known"
					       : "waiting for bad commit, %zu good commits known",
				       ngood)),
		       0;
	if (ngood == 0)
		return say_status(g, "waiting for good commit(s), bad commit known"), 0;
	struct commit *bad = commit_at(g, &o);

	/* Once is enough: what is good of a merge's other side may not be below a later bad one. */
	if (state_read(g, "BISECT_ANCESTORS_OK") == NULL)
		check_ancestors(g, bad, good, ngood);
	state_write(g, "BISECT_ANCESTORS_OK", "");
	load(&s, bad, good, ngood);
	size_t reaches;
	struct candidate *k = choose(&s, &reaches);

	if (k == NULL)
		return s.n == 0 ? git_error(g, "%s was both good and bad", oid_hex(g, &o))
				: say_only_skipped(&s);
	if (k->c == bad) {
		for (size_t i = 0; i < s.n; i++)
			if (s.at[i].skipped)
				return say_only_skipped(&s);
		git_printf(g, "%s is the first bad commit\n", oid_hex(g, &bad->oid));
		show_commit(g, &bad->oid);
		add_log(g, git_format(g->a, "# first bad commit: [%s] %s\n", oid_hex(g, &bad->oid),
				      subject_of(g, &bad->oid)));
		return FOUND;
	}
	size_t left = s.n - reaches - 1;
	int steps = steps_left(s.n);

	git_printf(g, "Bisecting: %zu revision%s left to test after this (roughly %d step%s)\n",
		   left, left == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
	state_write(g, "BISECT_EXPECTED_REV", git_format(g->a, "%s\n", oid_hex(g, &k->c->oid)));
	int status = checkout(g, oid_hex(g, &k->c->oid), true);

	if (status == 0)
		git_printf(g, "[%s] %s\n", oid_hex(g, &k->c->oid), subject_of(g, &k->c->oid));
	return status;
}

/* --- subcommands --- */

static int start(struct git *g, struct args *args)
{
	struct buf line = buf_in(g->a);
	char *before = state_read(g, "BISECT_START");
	const char *branch = head_ref(g);
	struct oid head;
	int last = 0;

	while (last < args->argc && strcmp(args->argv[last], "--") != 0) {
		if (args->argv[last][0] == '-')
			git_refuse(g, git_format(g->a, "bisect start %s", args->argv[last]));
		commit_of(g, args->argv[last++]);
	}
	if (last + 1 < args->argc)
		git_refuse(g, "bisect start with paths");
	if (!head_oid(g, &head))
		git_die(g, "bad HEAD - I need a HEAD");
	if (before != NULL &&
	    checkout(g, git_format(g->a, "%.*s", (int)strcspn(before, "\n"), before), true) != 0)
		return 1;
	branch = before != NULL ? head_ref(g) : branch;
	head_oid(g, &head);
	reset_state(g);
	state_write(g, "BISECT_START",
		    git_format(g->a, "%s\n",
			       branch != NULL ? ref_short(g, branch) : oid_hex(g, &head)));
	state_write(g, "BISECT_NAMES", "\n");
	state_write(g, "BISECT_TERMS", "bad\ngood\n");
	buf_puts(&line, "git bisect start");
	for (int i = 0; i < last; i++) {
		mark(g, i == 0 ? "bad" : "good", &commit_of(g, args->argv[i])->oid, false);
		buf_putc(&line, ' ');
		git_quote_shell(&line, args->argv[i]);
	}
	buf_putc(&line, '\n');
	add_log(g, buf_cstr(&line));
	return next(g);
}

static int set_state(struct git *g, const char *term, struct args *args)
{
	need_start(g);
	if (strcmp(term, "bad") == 0 && args->argc > 1)
		return git_error(g, "'git bisect bad' can take only one argument.");
	if (args->argc == 0)
		mark(g, term, &commit_of(g, "HEAD")->oid, true);
	for (int i = 0; i < args->argc; i++)
		commit_of(g, args->argv[i]);
	for (int i = 0; i < args->argc; i++)
		mark(g, term, &commit_of(g, args->argv[i])->oid, true);
	return next(g);
}

static int reset(struct git *g, struct args *args)
{
	char *branch = state_read(g, "BISECT_START");

	if (branch == NULL) {
		git_printf(g, "We are not bisecting.\n");
		return 0;
	}
	branch[strcspn(branch, "\n")] = '\0';
	if (args->argc > 0)
		commit_of(g, args->argv[0]);
	const char *target = args->argc > 0 ? args->argv[0] : branch;

	if (checkout(g, target, false) != 0)
		return git_error(g,
				 "could not check out original HEAD '%s'. Try 'git bisect reset "
				 "<commit>'.",
				 target);
	return reset_state(g);
}

static int show_log(struct git *g)
{
	char *log = state_read(g, "BISECT_LOG");

	if (log == NULL)
		return git_error(g, "We are not bisecting.");
	git_printf(g, "%s", log);
	return 0;
}

/* Runs a command at each commit: what its status says is what the commit is. */
static int run(struct git *g, struct args *args)
{
	struct buf line = buf_in(g->a);
	struct args none = { 0, NULL, -1 };

	if (args->argc == 0)
		return git_error(g, "bisect run failed: no command provided.");
	need_start(g);
	for (int i = 0; i < args->argc; i++) {
		buf_putc(&line, ' ');
		git_quote_shell(&line, args->argv[i]);
	}
	if (ref_read(g, bad_ref, &(struct oid){ { 0 } }, NULL) != 0)
		return next(g);
	for (;;) {
		git_printf(g, "running %s\n", buf_cstr(&line));
		cmd_flush(g->c);
		int status = git_spawn(g, args->argv, NULL, -1, -1);

		if (status < 0 || status >= RUN_ERROR) {
			git_error(g, "bisect run failed: exit code %d from '%s' is < 0 or >= 128",
				  status, buf_cstr(&line));
			return (RUN_ERROR * 2 - status) & 0xff;
		}
		status = set_state(g,
				   status == RUN_SKIP ? "skip"
				   : status == 0      ? "good"
						      : "bad",
				   &none);
		if (status == NOTHING_LEFT)
			return git_error(g, "bisect run cannot continue any more") + 1;
		if (status == FOUND)
			git_printf(g, "bisect found first bad commit");
		if (status != 0)
			return status;
	}
}

int git_cmd_bisect(struct git *g, struct args *args)
{
	struct args rest = { args->argc - 1, args->argv + 1, -1 };
	const char *what = args->argc > 0 ? args->argv[0] : "";
	int status;

	if (args->argc == 0) {
		git_say(g, "usage: git bisect [help|start|bad|good|new|old|terms|skip|next|reset|"
			   "visualize|view|replay|log|run]\n");
		return 1;
	}
	if (strcmp(what, "start") == 0)
		status = start(g, &rest);
	else if (strcmp(what, "bad") == 0 || strcmp(what, "good") == 0 || strcmp(what, "skip") == 0)
		status = set_state(g, what, &rest);
	else if (strcmp(what, "reset") == 0)
		status = reset(g, &rest);
	else if (strcmp(what, "log") == 0)
		status = show_log(g);
	else if (strcmp(what, "run") == 0)
		status = run(g, &rest);
	else if (strcmp(what, "next") == 0) {
		need_start(g);
		status = next(g);
	} else
		git_refuse(g, git_format(g->a, "bisect %s", what));
	return status == FOUND ? 0 : status;
}
