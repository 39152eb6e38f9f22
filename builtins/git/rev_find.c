/* SPDX-License-Identifier: MIT
 *
 * Revisions found by text, and what is said of names that mean nothing or too much.
 */
#include "base/regex.h"
#include "builtins/git/rev.h"

struct queue {
	struct commit **at;
	size_t n;
	size_t cap;
};

static void push(struct git *g, struct queue *q, struct commit *c)
{
	if ((c->mark & 0x80000000u) || !commit_load(g, c))
		return;
	c->mark |= 0x80000000u;
	LIST_ROOM(g, q->at, q->n, q->cap);
	q->at[q->n++] = c;
}

static struct commit *pop_youngest(struct git *g, struct queue *q)
{
	size_t best = 0;
	struct commit *c;

	for (size_t i = 1; i < q->n; i++)
		if (q->at[i]->date > q->at[best]->date)
			best = i;
	cmd_charge(g->c, q->n / 16 + 1);
	c = q->at[best];
	memmove(q->at + best, q->at + best + 1, (q->n - best - 1) * sizeof(*q->at));
	q->n--;
	return c;
}

static bool message_matches(struct git *g, struct regex *re, const struct commit *c)
{
	struct arena a;
	struct commit_text t;
	bool hit;

	arena_init_under(&a, g->a);
	commit_text(g, &a, &c->oid, &t);
	hit = regex_test(re, t.message, 0) == 0;
	arena_clear(&a);
	return hit;
}

bool rev_find_text(struct git *g, const char *pattern, const struct oid *from, struct oid *out)
{
	struct queue q = { NULL, 0, 0 };
	struct queue seen = { NULL, 0, 0 };
	const char *message;
	struct regex *re;
	bool negated = git_starts(pattern, "!-");
	bool found = false;

	if (pattern[0] == '!')
		pattern += pattern[1] == '-' ? 2 : 1;
	if (regex_compile(g->keep, bytes_of(pattern),
			  REGEX_ERE | REGEX_NEWLINE | REGEX_NOSUB | g->utf8, &re, &message,
			  NULL) < 0)
		git_die(g, "invalid regex: %s", pattern);
	regex_set_work(re, cmd_work, g->c);
	if (from != NULL) {
		push(g, &q, commit_at(g, from));
	} else {
		struct ref *list;
		size_t n = ref_list(g, "refs/", &list);
		struct oid o;

		for (size_t i = 0; i < n; i++)
			if (!list[i].broken && object_peel(g, &list[i].oid, OBJECT_COMMIT, &o))
				push(g, &q, commit_at(g, &o));
		if (head_oid(g, &o))
			push(g, &q, commit_at(g, &o));
	}
	while (q.n > 0 && !found) {
		struct commit *c = pop_youngest(g, &q);

		LIST_ROOM(g, seen.at, seen.n, seen.cap);
		seen.at[seen.n++] = c;
		found = message_matches(g, re, c) != negated;
		*out = c->oid;
		for (uint32_t i = 0; !found && i < c->nparents; i++)
			push(g, &q, c->parent[i]);
	}
	for (size_t i = 0; i < seen.n; i++)
		seen.at[i]->mark &= 0x7fffffffu;
	for (size_t i = 0; i < q.n; i++)
		q.at[i]->mark &= 0x7fffffffu;
	return found;
}

void rev_put_candidate(struct git *g, struct buf *out, const struct oid *o, enum object_type type)
{
	struct commit_text t;
	struct person who;
	struct bytes data;
	struct date_style style = { .mode = DATE_SHORT };
	uint64_t size;

	if (object_info(g, o, &size) != type)
		return;
	buf_printf(out, "  %s %s", oid_short(g, o, 0), object_type_name(type));
	if (type == OBJECT_COMMIT) {
		commit_text(g, g->a, o, &t);
		person_split(t.committer, &who);
		buf_puts(out, " ");
		date_put(g, out, who.time, who.zone, &style);
		buf_puts(out, " - ");
		buf_add(out, message_subject(g->a, t.message));
	} else if (type == OBJECT_TAG && object_read(g, g->a, o, &data) == OBJECT_TAG) {
		commit_split(data, &t);
		person_split(t.tagger, &who);
		buf_puts(out, " ");
		date_put(g, out, who.time, who.zone, &style);
		buf_puts(out, " - ");
		buf_add(out, t.tag);
	}
	buf_putc(out, '\n');
}

/* --- what is wrong with a name --- */

void rev_die_ambiguous(struct git *g, const char *arg)
{
	git_die(g,
		"ambiguous argument '%s': unknown revision or path not in the working tree.\n"
		"Use '--' to separate paths from revisions, like this:\n"
		"'git <command> [<revision>...] -- [<file>...]'",
		arg);
}

/* Whether it could be a path: a file, a pattern, or magic. */
static bool looks_like_path(struct git *g, const char *arg)
{
	char *path;

	if (arg[0] == ':' && arg[1] != '\0')
		return arg[1] != '/' || strlen(arg) == 2 || !g->bare;
	if (wild_has_magic(arg))
		return true;
	path = path_in_work_try(g, arg);
	return path != NULL && (path[0] == '\0' || file_exists(g, path));
}

/* tree:path where the tree has no such path: said more clearly. */
void rev_diagnose(struct git *g, const char *arg)
{
	const char *colon = strchr(arg, ':');
	struct oid o;
	char *rev;

	if (colon == NULL || colon[1] == '\0')
		return;
	if (colon == arg) {
		char *path = arena_dup(g->a, bytes_of(arg + 1));

		if (arg[1] == '/')
			return;
		if (file_exists(g, path))
			git_die(g, "path '%s' exists on disk, but not in the index", path);
		git_die(g, "path '%s' does not exist (neither on disk nor in the index)", path);
	}
	rev = git_format(g->a, "%.*s", (int)(colon - arg), arg);
	if (rev_parse(g, rev, &o) < 0)
		git_die(g, "invalid object name '%s'.", rev);
	if (file_exists(g, colon + 1))
		git_die(g, "path '%s' exists on disk, but not in '%s'", colon + 1, rev);
	git_die(g, "path '%s' does not exist in '%s'", colon + 1, rev);
}

void rev_check_path(struct git *g, const char *arg, bool first)
{
	if (arg[0] == '-')
		git_die(g, "option '%s' must come before non-option arguments", arg);
	if (looks_like_path(g, arg))
		return;
	if (first)
		rev_diagnose(g, arg);
	rev_die_ambiguous(g, arg);
}

void rev_check_not_path(struct git *g, const char *arg)
{
	char *path;

	if (g->work == NULL || arg[0] == '-' || wild_has_magic(arg) || arg[0] == ':')
		return;
	path = path_in_work_try(g, arg);
	if (path == NULL || path[0] == '\0' || !file_exists(g, path))
		return;
	git_die(g,
		"ambiguous argument '%s': both revision and filename\n"
		"Use '--' to separate paths from revisions, like this:\n"
		"'git <command> [<revision>...] -- [<file>...]'",
		arg);
}
