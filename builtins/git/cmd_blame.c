/* SPDX-License-Identifier: MIT
 *
 * git blame: which commit each line comes from. Lines are passed from a commit to its parents
 * as long as they are there unchanged; renames are followed. Lines that a commit to be ignored
 * changed go on to lines of its parents that look like them (blame_guess.c).
 */
#include "builtins/git/blame.h"
#include "builtins/git/line_range.h"
#include "builtins/git/userdiff.h"
#include "builtins/git/transport.h"

enum { MOVE_SCORE = 20, COPY_SCORE = 40 };

static size_t score_given(struct git *g, const char *arg, size_t otherwise)
{
	int64_t n = 0;

	(void)g;
	/* What is no number is none. */
	if (arg == NULL || !git_number(arg, &n) || n <= 0)
		return otherwise;
	return (size_t)n;
}

static int set_move(struct git *g, void *opts, const char *arg, bool unset)
{
	struct blame_opts *o = opts;

	(void)unset;
	o->move_score = score_given(g, arg, MOVE_SCORE);
	return 0;
}

static int set_copy(struct git *g, void *opts, const char *arg, bool unset)
{
	struct blame_opts *o = opts;

	(void)unset;
	o->copies += o->copies < 3;
	o->copy_score = score_given(g, arg, COPY_SCORE);
	if (o->move_score == 0)
		o->move_score = MOVE_SCORE;
	return 0;
}

static int ignore_space(struct git *g, void *o, const char *a, bool unset)
{
	(void)g, (void)a, (void)unset;
	((struct blame_opts *)o)->lines |= LINES_IGNORE_ALL_SPACE;
	return 0;
}

static int add_ignore_file(struct git *g, void *o, const char *a, bool unset)
{
	struct names *list = &((struct blame_opts *)o)->ignore_files;

	if (unset || *a == '\0')
		list->n = 0;
	else
		names_add(g, list, a);
	return 0;
}

static int minimal(struct git *g, void *o, const char *a, bool unset)
{
	(void)g, (void)a, (void)unset;
	((struct blame_opts *)o)->lines |= LINES_MINIMAL;
	return 0;
}

static const struct git_option blame_options[] = {
	GIT_FLAG('p', "porcelain", struct blame_opts, porcelain),
	GIT_FLAG(0, "line-porcelain", struct blame_opts, line_porcelain),
	GIT_FLAG('s', NULL, struct blame_opts, suppress),
	GIT_FLAG('f', "show-name", struct blame_opts, show_name),
	GIT_FLAG('n', "show-number", struct blame_opts, show_number),
	GIT_FLAG('e', "show-email", struct blame_opts, show_mail),
	GIT_FLAG('t', NULL, struct blame_opts, raw_time),
	GIT_FLAG('l', NULL, struct blame_opts, long_names),
	GIT_FLAG('b', NULL, struct blame_opts, blank_boundary),
	GIT_FLAG(0, "root", struct blame_opts, root),
	GIT_FLAG(0, "first-parent", struct blame_opts, first_parent),
	GIT_CALL('w', NULL, ignore_space),
	GIT_LIST('L', NULL, struct blame_opts, ranges),
	GIT_INT(0, "abbrev", struct blame_opts, abbrev),
	GIT_STR(0, "date", struct blame_opts, date),
	GIT_CALL_MAYBE('M', NULL, set_move),
	GIT_CALL_MAYBE('C', NULL, set_copy),
	GIT_STR(0, "since", struct blame_opts, since),
	GIT_STR('S', NULL, struct blame_opts, grafts),
	GIT_FLAG(0, "reverse", struct blame_opts, reverse),
	GIT_LIST(0, "ignore-rev", struct blame_opts, ignore_revs),
	GIT_CALL_ARG(0, "ignore-revs-file", add_ignore_file),
	GIT_FLAG(0, "incremental", struct blame_opts, incremental),
	GIT_FLAG('c', NULL, struct blame_opts, annotate),
	GIT_CALL(0, "minimal", minimal),
	GIT_FLAG(0, "no-textconv", struct blame_opts, no_textconv),
	GIT_FLAG(0, "show-stats", struct blame_opts, stats),
	GIT_MISSING(0, "score-debug"),
	GIT_FLAG(0, "color-lines", struct blame_opts, color_lines),
	GIT_FLAG(0, "color-by-age", struct blame_opts, color_age),
	GIT_STR(0, "contents", struct blame_opts, contents),
	GIT_END(),
};
static const char *const blame_usage[] = { "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>",
					   NULL };

void blame_ask(struct blaming *b, struct suspect *s, size_t line, size_t final)
{
	LIST_ROOM(b->g, s->at, s->n, s->cap);
	s->at[s->n++] = (struct asked){ line, final };
}

struct suspect *blame_suspect(struct blaming *b, struct commit *c, const char *path,
			      struct bytes text)
{
	struct suspect *s;

	for (s = b->todo; s != NULL; s = s->next) {
		cmd_charge(b->g->c, 1);
		if (s->c == c && strcmp(s->path, path) == 0)
			return s;
	}
	s = arena_zalloc(b->g->keep, sizeof(*s));
	s->c = c;
	s->path = path;
	s->text = text;
	*b->todo_end = s;
	b->todo_end = &s->next;
	return s;
}

bool blame_read(struct blaming *b, const char *path, const struct oid *o, struct bytes *text)
{
	if (object_read(b->g, b->g->keep, o, text) != OBJECT_BLOB)
		return false;
	if (!b->o.no_textconv)
		userdiff_textconv(b->g, b->g->keep, path, MODE_FILE, o, *text, text);
	return true;
}

bool blame_find(struct blaming *b, struct commit *p, struct commit *child, const char *path,
		const char **name, struct bytes *text)
{
	struct oid o;

	return commit_file_before(b->g, p, child, path, name, &o) && blame_read(b, *name, &o, text);
}

int blame_compare_final(const void *a, const void *b)
{
	size_t x = ((const struct asked *)a)->final, y = ((const struct asked *)b)->final;

	return x < y ? -1 : x > y;
}

/* Lines next to each other that part are two pieces from then on. */
static void mark_parted(struct blaming *b, const struct suspect *s, struct arena *a,
			const size_t *to)
{
	struct asked *by_final = arena_array(a, s->n + 1, sizeof(*by_final));

	for (size_t i = 0; i < s->n; i++)
		by_final[i] = (struct asked){ i, s->at[i].final };
	git_sort(b->g, by_final, s->n, sizeof(*by_final), blame_compare_final);
	for (size_t i = 1; i < s->n; i++) {
		size_t v = by_final[i - 1].line, w = by_final[i].line;
		bool stay = to[v] == SIZE_MAX && to[w] == SIZE_MAX;

		if (s->at[v].final + 1 == s->at[w].final && s->at[v].line + 1 == s->at[w].line &&
		    !stay && to[w] != to[v] + 1)
			b->verdict[s->at[w].final].mark |= MARK_START;
	}
}

/* Lines go to the other suspect, to[i] there; SIZE_MAX: they stay. */
static void move_lines(struct blaming *b, struct suspect *s, struct suspect *t, struct arena *a,
		       const size_t *to)
{
	size_t kept = 0;

	mark_parted(b, s, a, to);
	for (size_t i = 0; i < s->n; i++)
		if (to[i] == SIZE_MAX)
			s->at[kept++] = s->at[i];
		else
			blame_ask(b, t, to[i], s->at[i].final);
	s->n = kept;
}

/* Where each asked line of s is in the parent if it is there unchanged. */
static void match_unchanged(const struct suspect *s, const struct lines *l, size_t *to)
{
	size_t change = 0;
	int64_t shift = 0;

	/* Numbers come in order. */
	for (size_t i = 0; i < s->n; i++) {
		size_t line = s->at[i].line;

		while (change < l->n &&
		       line >= l->change[change].from[1] + l->change[change].count[1]) {
			shift += (int64_t)l->change[change].count[0] -
				 (int64_t)l->change[change].count[1];
			change++;
		}
		to[i] = change < l->n && line >= l->change[change].from[1]
				? SIZE_MAX
				: (size_t)((int64_t)line + shift);
	}
}

/* Where each asked line of s, all changed, may come from. */
static void match_alike(struct blaming *b, struct suspect *s, struct suspect *t, struct arena *a,
			const struct lines *l, size_t *to)
{
	size_t *match = arena_array(a, l->file[1].n + 1, sizeof(*match));

	for (size_t i = 0; i < l->file[1].n; i++)
		match[i] = SIZE_MAX;
	struct line_prints before, now;

	blame_prints(b->g, a, t->text, &before);
	blame_prints(b->g, a, s->text, &now);
	for (size_t i = 0; i < l->n; i++)
		blame_guess(b->g, &before, &now, &l->change[i], match + l->change[i].from[1]);
	for (size_t i = 0; i < s->n; i++) {
		unsigned *mark = &b->verdict[s->at[i].final].mark;

		to[i] = s->at[i].line < l->file[1].n ? match[s->at[i].line] : SIZE_MAX;
		*mark |= to[i] == SIZE_MAX ? MARK_UNBLAMABLE : MARK_IGNORED;
	}
}

/* Lines that the parent has too are asked of it; the others stay in s. guess: those that look
 * like lines of the parent go as well. */
static void pass_to(struct blaming *b, struct suspect *s, struct commit *p, bool guess)
{
	struct git *g = b->g;
	const char *name;
	struct bytes text;
	struct arena a;
	struct lines l;
	struct suspect *t;
	size_t *to;

	commit_need(g, p);
	if (!blame_find(b, p, s->c, s->path, &name, &text))
		return;
	t = blame_suspect(b, p, name, text);
	b->stat.blobs += t->read ? 0 : 1;
	b->stat.blobs += !s->read && s->c != NULL;
	t->read = s->read = true;
	b->stat.patches++;
	arena_init_under(&a, g->a);
	lines_diff(g, &a, text, s->text, b->o.lines | LINES_NO_CONTEXT, &l);
	to = arena_array(&a, s->n + 1, sizeof(*to));
	if (guess)
		match_alike(b, s, t, &a, &l, to);
	else
		match_unchanged(s, &l, to);
	move_lines(b, s, t, &a, to);
	arena_clear(&a);
}

int blame_compare_asked(const void *a, const void *b)
{
	size_t x = ((const struct asked *)a)->line, y = ((const struct asked *)b)->line;

	return x < y ? -1 : x > y;
}

static bool comes_first(const struct blaming *b, const struct commit *c, const struct commit *d)
{
	if (c == NULL || d == NULL)
		return c == NULL;
	return b->o.reverse ? c->date < d->date : c->date > d->date;
}

static struct suspect *next_suspect(struct blaming *b)
{
	struct suspect **best = &b->todo;
	struct suspect *s;

	for (struct suspect **p = &b->todo; *p != NULL; p = &(*p)->next) {
		cmd_charge(b->g->c, 1);
		if (comes_first(b, (*p)->c, (*best)->c))
			best = p;
	}
	s = *best;
	*best = s->next;
	if (*best == NULL)
		b->todo_end = best;
	return s;
}

uint32_t blame_sources(struct blaming *b, struct commit *c, struct commit ***out)
{
	struct oid head;

	if (c == NULL) {
		*out = arena_array(b->g->keep, 1, sizeof(**out));
		if (!head_oid(b->g, &head))
			return 0;
		(*out)[0] = commit_at(b->g, &head);
		return 1;
	}
	if (b->o.reverse)
		return blame_children(b, c, out);
	*out = c->parent;
	return b->o.first_parent && c->nparents > 1 ? 1 : c->nparents;
}

/* A source that has the whole file as it is answers for all of it. */
static bool pass_whole(struct blaming *b, struct suspect *s, struct commit *const *source,
		       uint32_t n)
{
	struct suspect *t;
	const char *name;
	struct bytes text;

	for (uint32_t i = 0; i < n; i++) {
		commit_need(b->g, source[i]);
		if (!blame_find(b, source[i], s->c, s->path, &name, &text) ||
		    !bytes_eq(text, s->text))
			continue;
		t = blame_suspect(b, source[i], name, text);
		b->stat.blobs += s->c == NULL && !t->read;
		t->read = t->read || s->c == NULL;
		for (size_t k = 0; k < s->n; k++)
			blame_ask(b, t, s->at[k].line, s->at[k].final);
		s->n = 0;
		return true;
	}
	return false;
}

static void pass_on(struct blaming *b, struct suspect *s, bool guess)
{
	struct commit **source;
	uint32_t n = blame_sources(b, s->c, &source);

	if (!guess && pass_whole(b, s, source, n))
		return;
	b->stat.commits += !guess;
	for (uint32_t i = 0; i < n && s->n != 0; i++)
		pass_to(b, s, source[i], guess);
}

/* A commit that nothing is passed on from. */
static bool is_end(const struct blaming *b, const struct commit *c)
{
	return c != NULL && !b->o.reverse &&
	       (c->nparents == 0 || (c->flags & COMMIT_UNINTERESTING) || c->date < b->since);
}

bool blame_is_boundary(const struct blaming *b, const struct commit *c)
{
	if (c != NULL && b->o.reverse)
		return (c->flags & COMMIT_UNINTERESTING) || (c->nparents == 0 && !b->o.root);
	/* --root: roots are commits like others. */
	return is_end(b, c) && !(b->o.root && c->nparents == 0 &&
				 !(c->flags & COMMIT_UNINTERESTING) && c->date >= b->since);
}

static void run(struct blaming *b)
{
	while (b->todo != NULL) {
		struct suspect *s = next_suspect(b);

		cmd_charge(b->g->c, 4);
		git_sort(b->g, s->at, s->n, sizeof(*s->at), blame_compare_asked);
		if (s->c == NULL || !is_end(b, s->c)) {
			pass_on(b, s, false);
			if (s->n != 0)
				blame_move_on(b, s);
		}
		if (s->c != NULL && s->n != 0 &&
		    lookup_get(b->ignored, oid_key(&s->c->oid)) != NULL)
			pass_on(b, s, true);
		for (size_t i = 0; i < s->n; i++) {
			struct verdict *v = &b->verdict[s->at[i].final];

			v->c = s->c;
			v->path = s->path;
			v->line = s->at[i].line;
			v->known = true;
		}
		if (b->o.incremental)
			blame_put_found(b, s);
		pool_free(b->g->c->pool, s->at, s->cap * sizeof(*s->at));
	}
}

/* --- commits that are ignored --- */

static void ignore_commit(struct blaming *b, const struct oid *o)
{
	struct oid *c = arena_alloc(b->g->keep, sizeof(*c));

	if (object_peel(b->g, o, OBJECT_COMMIT, c))
		*lookup_at(b->ignored, oid_key(c)) = b;
}

static void ignore_file(struct blaming *b, const char *path)
{
	struct bytes text, line;
	struct oid o;

	if (file_read(b->g, b->g->keep, path, &text) < 0)
		git_die(b->g, "could not open object name list: %s", path);
	while (git_line(&text, &line)) {
		const char *comment = memchr(line.ptr, '#', line.len);

		line = git_trim(comment != NULL ? bytes_slice(line, 0, (size_t)(comment - line.ptr))
						: line);
		if (line.len == 0)
			continue;
		if (!oid_parse_bytes(line, &o))
			git_die(b->g, "invalid object name: %.*s", (int)line.len, line.ptr);
		ignore_commit(b, &o);
	}
}

/* Files of the configuration first: an option with an empty name forgets them. */
static void configure(struct blaming *b)
{
	struct names files = { 0 };

	config_all(b->g, "blame.ignorerevsfile", &files);
	for (size_t i = 0; i < files.n; i++)
		add_ignore_file(b->g, &b->o, files.at[i], false);
	b->mark_ignored = config_bool(b->g, "blame.markignoredlines", false);
	b->mark_unblamable = config_bool(b->g, "blame.markunblamablelines", false);
}

static void read_ignored(struct blaming *b)
{
	struct oid o;

	b->ignored = lookup_new(b->g);
	for (size_t i = 0; i < b->o.ignore_files.n; i++)
		ignore_file(b, b->o.ignore_files.at[i]);
	for (size_t i = 0; i < b->o.ignore_revs.n; i++) {
		if (rev_commit(b->g, b->o.ignore_revs.at[i], &o) < 0)
			git_die(b->g, "cannot find revision %s to ignore", b->o.ignore_revs.at[i]);
		ignore_commit(b, &o);
	}
}

/* What -L says is asked for; without it everything. */
static void choose_lines(struct blaming *b, struct bytes text)
{
	size_t anchor = 1;

	b->wanted = arena_array(b->g->keep, b->n + 1, sizeof(bool));
	if (b->o.ranges.n == 0)
		memset(b->wanted, true, b->n);
	for (size_t i = 0; i < b->o.ranges.n; i++) {
		struct line_range r = line_range_read(b->g, b->o.ranges.at[i], text, anchor,
						      b->path);

		memset(b->wanted + r.from, true, r.to - r.from);
		b->from = i == 0 || r.from < b->from ? r.from : b->from;
		b->to = i == 0 || r.to > b->to ? r.to : b->to;
		anchor = r.to + 1;
	}
}

/* The commit that is named, with "A..B" the second: what A contains is not looked behind. NULL:
 * only "^A" was said. */
static struct commit *blamed_commit(struct blaming *b, const char *name)
{
	struct git *g = b->g;
	struct commits todo = { NULL, 0, 0 };
	struct commit *c = NULL;
	struct revs r;

	revs_init(g, &r);
	if (!revs_add(g, &r, name))
		git_die(g, "bad revision '%s'", name);
	for (size_t i = 0; i < r.nitems; i++) {
		if (r.item[i].c == NULL)
			continue;
		commit_need(g, r.item[i].c);
		if (!r.item[i].uninteresting) {
			c = r.item[i].c;
			continue;
		}
		r.item[i].c->flags |= COMMIT_UNINTERESTING;
		LIST_ROOM(g, todo.at, todo.n, todo.cap);
		todo.at[todo.n++] = r.item[i].c;
	}
	while (todo.n > 0) {
		struct commit *top = todo.at[--todo.n];

		cmd_charge(g->c, 1);
		commit_need(g, top);
		for (uint32_t i = 0; i < top->nparents; i++) {
			if (top->parent[i]->flags & COMMIT_UNINTERESTING)
				continue;
			top->parent[i]->flags |= COMMIT_UNINTERESTING;
			LIST_ROOM(g, todo.at, todo.n, todo.cap);
			todo.at[todo.n++] = top->parent[i];
		}
	}
	return c;
}

/* The file as it is in the commit. */
static struct bytes text_in(struct blaming *b, struct commit *c, const char *called,
			    const char *path)
{
	struct bytes text;
	uint32_t mode;
	struct oid o;

	if (!tree_find(b->g, &c->tree, path, &mode, &o) || !blame_read(b, path, &o, &text))
		git_die(b->g, "no such path %s in %s", path, called);
	return text;
}

/* The file as it is now, or as --contents has it. */
static struct bytes text_now(struct blaming *b, const char *path)
{
	struct git *g = b->g;
	const char *name = b->o.contents != NULL ? b->o.contents : path;
	struct commit *head;
	struct vfs_stat st;
	struct bytes text;
	uint32_t mode;
	struct oid o;
	int err;

	if (!head_oid(g, &o))
		git_die(g, "no such ref: HEAD");
	head = commit_at(g, &o);
	commit_need(g, head);
	if (!tree_find(g, &head->tree, path, &mode, &o) && !index_has(index_get(g), path))
		git_die(g, "no such path '%s' in HEAD", path);
	if (b->o.contents != NULL && strcmp(name, "-") == 0)
		return file_stdin(g);
	err = b->o.contents != NULL ? cmd_stat(g->c, name, &st) : cmd_lstat(g->c, name, &st);
	if (err < 0)
		git_die(g, "Cannot %s '%s': %s", b->o.contents != NULL ? "stat" : "lstat", name,
			err_text(err));
	if (b->o.contents != NULL ? file_read(g, g->keep, name, &text) < 0
				  : work_read(g, g->keep, path, work_mode(g, &st, NULL), &text) < 0)
		git_die(g, "cannot open '%s'", name);
	if (!b->o.no_textconv && b->o.contents == NULL)
		userdiff_textconv(g, g->keep, path, work_mode(g, &st, NULL), NULL, text, &text);
	return text;
}

/* Operands are "[REVISION] FILE", or "FILE REVISION". */
static void order_operands(struct blaming *b, struct args *args)
{
	struct git *g = b->g;
	struct oid o;

	if (args->argc < 1 || args->dashdash == args->argc)
		git_usage(g, blame_usage);
	if (b->o.reverse && args->argc != 2)
		git_die(g, "No commit to dig up from?");
	if (args->argc > 2)
		git_die(g, "More than one commit to dig from %s and %s?",
			args->argv[args->argc - 2], args->argv[args->argc - 3]);
	if (args->argc == 2 && args->dashdash != 1 &&
	    (args->dashdash == 0 || rev_commit(g, args->argv[1], &o) == 0)) {
		char *name = args->argv[0];

		args->argv[0] = args->argv[1];
		args->argv[1] = name;
	}
}

static void put_all(struct blaming *b)
{
	if (b->o.incremental)
		return;
	if (b->o.porcelain || b->o.line_porcelain)
		blame_put_porcelain(b);
	else
		blame_put_plain(b);
	if (b->o.stats)
		git_printf(b->g, "num read blob: %zu\nnum get patch: %zu\nnum commits: %zu\n",
			   b->stat.blobs, b->stat.patches, b->stat.commits);
}

static int blame(struct git *g, struct args *args, bool annotate)
{
	struct blaming b = { .g = g, .style = { .mode = DATE_ISO }, .o.annotate = annotate };
	const struct git_parser p = { blame_options, &b.o, blame_usage, 0, NULL };
	struct suspect *first;
	struct bytes text;
	struct commit *c = NULL;
	char *path;

	b.todo_end = &b.todo;
	b.seen = lookup_new(g);
	configure(&b);
	git_parse(g, args, &p);
	blame_set_colors(&b);
	read_ignored(&b);
	if (b.o.reverse && b.o.contents != NULL)
		git_die(g, "--contents and --reverse do not blend well.");
	order_operands(&b, args);
	if (b.o.date != NULL && !date_style_of(g, b.o.date, &b.style))
		git_die(g, "unknown date format %s", b.o.date);
	b.since = b.o.since != NULL ? date_approximate(g, b.o.since) : INT64_MIN;
	blame_graft(&b);
	if (args->argc == 2)
		c = b.o.reverse ? blame_reverse_start(&b, args->argv[0])
				: blamed_commit(&b, args->argv[0]);
	if (c != NULL && b.o.contents != NULL)
		git_die(g, "cannot use --contents with final commit object name");
	path = path_in_work(g, args->argv[args->argc - 1]);
	text = c != NULL ? text_in(&b, c, b.o.reverse ? b.start_name : args->argv[0], path)
			 : text_now(&b, path);
	b.n = b.to = lines_split(g->keep, text, &b.line);
	b.path = path;
	choose_lines(&b, text);
	b.verdict = arena_array(g->keep, b.n + 1, sizeof(*b.verdict));
	first = blame_suspect(&b, c, path, text);
	first->read = c != NULL;
	b.stat.blobs = c != NULL;
	for (size_t i = b.from; i < b.to; i++)
		if (b.wanted[i])
			blame_ask(&b, first, i, i);
	run(&b);
	put_all(&b);
	return 0;
}

int git_cmd_blame(struct git *g, struct args *args)
{
	return blame(g, args, false);
}

int git_cmd_annotate(struct git *g, struct args *args)
{
	return blame(g, args, true);
}
