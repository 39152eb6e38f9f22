/* SPDX-License-Identifier: MIT
 *
 * Which pairs are shown and in which order: -O, --skip-to, --rotate-to, --find-object. And which
 * changes do not count: -I.
 */
#include "builtins/git/diff.h"

/* --- order --- */

struct ordered {
	struct diff_pair pair;
	size_t rank;
};

static const char *pair_path(const struct diff_pair *p)
{
	return p->two->mode != 0 || p->status == 'U' ? p->two->path : p->one->path;
}

/* The first pattern that takes the path or a directory above it. */
static size_t rank_of(struct git *g, const struct names *patterns, const char *path)
{
	for (size_t i = 0; i < patterns->n; i++) {
		char *part = arena_dup(g->a, bytes_of(path));

		for (;;) {
			cmd_charge(g->c, 1);
			if (wild_match(patterns->at[i], bytes_of(part), 0))
				return i;
			char *slash = strrchr(part, '/');

			if (slash == NULL)
				break;
			*slash = '\0';
		}
	}
	return patterns->n;
}

static int rank_cmp(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void read_patterns(struct git *g, const char *file, struct names *out)
{
	struct bytes text, line;
	int err = file_read(g, g->keep, file, &text);

	if (err < 0)
		git_die(g, "failed to read orderfile '%s': %s", file, err_text(err));
	while (git_line(&text, &line))
		if (line.len != 0 && line.ptr[0] != '#')
			names_add(g, out, arena_dup(g->keep, line));
}

static void order(struct git *g, const struct diff_opts *o, struct diff_queue *q)
{
	struct names patterns = { NULL, 0, 0 };
	struct ordered *list;

	if (o->orderfile == NULL || o->orderfile[0] == '\0' || q->n == 0)
		return;
	read_patterns(g, o->orderfile, &patterns);
	list = arena_array(g->a, q->n, sizeof(*list));
	for (size_t i = 0; i < q->n; i++)
		list[i] = (struct ordered){ q->at[i], rank_of(g, &patterns, pair_path(&q->at[i])) };
	git_sort(g, list, q->n, sizeof(*list), rank_cmp);
	for (size_t i = 0; i < q->n; i++)
		q->at[i] = list[i].pair;
}

/* The path that comes first: what is in front of it goes, or goes to the end. */
static void rotate(struct git *g, const struct diff_opts *o, struct diff_queue *q)
{
	struct diff_pair *list;
	size_t at = 0;

	if (o->rotate_to == NULL || q->n == 0)
		return;
	while (at < q->n && strcmp(o->rotate_to, pair_path(&q->at[at])) > 0)
		at++;
	if (at == q->n || strcmp(o->rotate_to, pair_path(&q->at[at])) != 0) {
		if (o->rotate_strict)
			git_die(g, "No such path '%s' in the diff", o->rotate_to);
		if (at == q->n)
			return;
	}
	list = arena_array(g->a, q->n, sizeof(*list));
	for (size_t i = 0; i < q->n; i++)
		list[i] = q->at[(at + i) % q->n];
	if (o->skip_to)
		q->n -= at;
	for (size_t i = 0; i < q->n; i++)
		q->at[i] = list[i];
}

/* --- which --- */

static void find_object(const struct diff_opts *o, struct diff_queue *q)
{
	size_t kept = 0;

	if (!o->object_wanted)
		return;
	for (size_t i = 0; i < q->n; i++) {
		const struct diff_pair *p = &q->at[i];
		bool one = p->one->mode != 0 && p->one->oid_known &&
			   oid_eq(&p->one->oid, &o->object);
		bool two = p->two->mode != 0 && p->two->oid_known &&
			   oid_eq(&p->two->oid, &o->object);

		if (one != two)
			q->at[kept++] = *p;
	}
	q->n = kept;
}

void diff_choose(struct git *g, const struct diff_opts *o, struct diff_queue *q)
{
	find_object(o, q);
	order(g, o, q);
	rotate(g, o, q);
}

/* --- -I --- */

void diff_ignore_lines(struct git *g, struct diff_opts *o, const char *pattern)
{
	const char *message;
	struct regex *re;

	if (regex_compile(g->keep, bytes_of(pattern),
			  REGEX_ERE | REGEX_NEWLINE | REGEX_NOSUB | g->utf8, &re, &message,
			  NULL) < 0) {
		git_error(g, "invalid regex given to -I: '%s'", pattern);
		git_exit(g, GIT_STATUS_USAGE);
	}
	regex_set_work(re, cmd_work, g->c);
	LIST_ROOM(g, o->ignored, o->nignored, o->ignored_cap);
	o->ignored[o->nignored++] = re;
}

static bool is_ignored(const struct diff_opts *o, struct bytes line)
{
	/* With its newline: what is behind that is an empty line, as git has it. */
	for (size_t i = 0; i < o->nignored; i++)
		if (regex_test(o->ignored[i], line, 0) == 0)
			return true;
	return false;
}

void diff_lines(struct git *g, struct arena *a, const struct diff_opts *o, struct diff_pair *p,
		struct lines *out)
{
	unsigned ends = o->context == 0 && !o->function_context ? LINES_NO_CONTEXT : 0;

	lines_diff_anchored(g, a, p->one->data, p->two->data, o->lines | ends, o->anchors, out);
	for (size_t i = 0; o->nignored != 0 && i < out->n; i++) {
		struct lines_change *c = &out->change[i];
		bool all = true;

		for (int w = 0; w < 2; w++)
			for (size_t k = 0; k < c->count[w] && all; k++)
				all = is_ignored(o, out->file[w].line[c->from[w] + k]);
		c->ignored = c->ignored || all;
	}
}
