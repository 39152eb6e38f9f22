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
	GIT_MISSING('S', NULL),
	GIT_MISSING(0, "reverse"),
	GIT_LIST(0, "ignore-rev", struct blame_opts, ignore_revs),
	GIT_CALL_ARG(0, "ignore-revs-file", add_ignore_file),
	GIT_FLAG(0, "incremental", struct blame_opts, incremental),
	GIT_FLAG('c', NULL, struct blame_opts, annotate),
	GIT_CALL(0, "minimal", minimal),
	GIT_FLAG(0, "no-textconv", struct blame_opts, no_textconv),
	GIT_MISSING(0, "show-stats"),
	GIT_MISSING(0, "score-debug"),
	GIT_MISSING(0, "color-lines"),
	GIT_MISSING(0, "color-by-age"),
	GIT_MISSING_ARG(0, "contents"),
	GIT_END(),
};
static const char *const blame_usage[] = { "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>",
					   NULL };

/* Lines that are asked for together. */
struct piece {
	struct asked first; /* in front, as pieces are sorted like lines */
	size_t count;
};

void blame_ask(struct blaming *b, struct suspect *s, size_t line, size_t final)
{
	LIST_ROOM(b->g, s->at, s->n, s->cap);
	s->at[s->n++] = (struct asked){ line, final };
}

struct suspect *blame_suspect(struct blaming *b, struct commit *c, const char *path,
			      struct bytes text)
{
	struct suspect *s;

	for (s = b->todo; s != NULL; s = s->next)
		if (s->c == c && strcmp(s->path, path) == 0)
			return s;
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

static bool find_in(struct blaming *b, struct commit *p, struct commit *child, const char *path,
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
	if (!find_in(b, p, s->c, s->path, &name, &text))
		return;
	t = blame_suspect(b, p, name, text);
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

static struct suspect *youngest(struct blaming *b)
{
	struct suspect **best = &b->todo;
	struct suspect *s;

	for (struct suspect **p = &b->todo; *p != NULL; p = &(*p)->next)
		if ((*p)->c == NULL || ((*best)->c != NULL && (*p)->c->date > (*best)->c->date))
			best = p;
	s = *best;
	*best = s->next;
	if (*best == NULL)
		b->todo_end = best;
	return s;
}

static void pass_on(struct blaming *b, struct suspect *s, bool guess)
{
	struct oid head;

	if (s->c == NULL && head_oid(b->g, &head))
		pass_to(b, s, commit_at(b->g, &head), guess);
	for (uint32_t i = 0; s->c != NULL && i < s->c->nparents && s->n != 0; i++) {
		if (b->o.first_parent && i > 0)
			break;
		pass_to(b, s, s->c->parent[i], guess);
	}
}

static bool is_boundary(const struct blaming *b, const struct commit *c)
{
	return c != NULL &&
	       (c->nparents == 0 || (c->flags & COMMIT_UNINTERESTING) || c->date < b->since);
}

/* --root: roots are commits like others. */
static bool shows_boundary(const struct blaming *b, const struct commit *c)
{
	return is_boundary(b, c) && !(b->o.root && c->nparents == 0 &&
				      !(c->flags & COMMIT_UNINTERESTING) && c->date >= b->since);
}

static void put_found(struct blaming *b, struct suspect *s);

static void run(struct blaming *b)
{
	while (b->todo != NULL) {
		struct suspect *s = youngest(b);

		cmd_charge(b->g->c, 4);
		git_sort(b->g, s->at, s->n, sizeof(*s->at), blame_compare_asked);
		if (s->c == NULL || !is_boundary(b, s->c)) {
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
			put_found(b, s);
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

/* --- output --- */

static void person_of(struct blaming *b, struct commit *c, bool author, struct person *who,
		      struct commit_text *t)
{
	struct git *g = b->g;

	if (c == NULL) {
		int64_t now = date_now(g);

		*who = (struct person){ BYTES("Not Committed Yet"), BYTES("not.committed.yet"), now,
					date_local_zone(g, now), true };
		return;
	}
	commit_text(g, g->a, &c->oid, t);
	person_split(author ? t->author : t->committer, who);
	mailmap_apply(g, who);
}

static void put_person(struct blaming *b, struct commit *c, bool author, struct buf *out)
{
	struct person who;
	struct commit_text t;
	const char *word = author ? "author" : "committer";

	person_of(b, c, author, &who, &t);
	buf_printf(out, "%s %.*s\n%s-mail <%.*s>\n%s-time %lld\n%s-tz %c%04d\n", word,
		   (int)who.name.len, who.name.ptr, word, (int)who.mail.len, who.mail.ptr, word,
		   (long long)who.time, word, who.zone < 0 ? '-' : '+',
		   who.zone < 0 ? -who.zone : who.zone);
}

/* What the version before is called; the first parent that has one. */
static void put_previous(struct blaming *b, const struct verdict *v, struct buf *out)
{
	const char *name;
	struct bytes text;
	struct oid head;

	if (v->c == NULL) {
		if (head_oid(b->g, &head) &&
		    find_in(b, commit_at(b->g, &head), NULL, v->path, &name, &text))
			buf_printf(out, "previous %s %s\n", oid_hex(b->g, &head), name);
		return;
	}
	for (uint32_t k = 0; k < v->c->nparents; k++) {
		struct commit *p = v->c->parent[k];

		commit_need(b->g, p);
		if (!find_in(b, p, v->c, v->path, &name, &text))
			continue;
		buf_printf(out, "previous %s %s\n", oid_hex(b->g, &p->oid), name);
		return;
	}
}

/* Of the commit, and which file it was there. */
static void put_details(struct blaming *b, const struct verdict *v, struct buf *out)
{
	struct git *g = b->g;
	struct commit_text t;
	struct bytes subject;

	put_person(b, v->c, true, out);
	put_person(b, v->c, false, out);
	if (v->c == NULL) {
		buf_printf(out, "summary Version of %s from %s\n", v->path, v->path);
		return;
	}
	commit_text(g, g->a, &v->c->oid, &t);
	while (git_line(&t.message, &subject) && git_trim(subject).len == 0)
		continue;
	buf_printf(out, "summary %.*s\n", (int)subject.len, subject.ptr);
	if (shows_boundary(b, v->c))
		buf_puts(out, "boundary\n");
}

/* Whether the commit is told of for the first time. */
static bool first_time(struct blaming *b, const struct verdict *v)
{
	static const struct oid work;
	void **at = lookup_at(b->seen, oid_key(v->c != NULL ? &v->c->oid : &work));
	bool first = *at == NULL;

	*at = b;
	return first;
}

/* The head of group lines from the i-th of the result. */
static void put_group(struct blaming *b, size_t i, size_t group, struct buf *out)
{
	const struct verdict *v = &b->verdict[i];

	buf_printf(out, "%s %zu %zu", oid_hex(b->g, v->c != NULL ? &v->c->oid : &oid_null),
		   v->line + 1, i + 1);
	if (group != 0)
		buf_printf(out, " %zu", group);
	buf_putc(out, '\n');
}

/* --incremental: what this suspect is found to be the origin of, piece by piece. */
static void put_found(struct blaming *b, struct suspect *s)
{
	struct git *g = b->g;
	struct piece *piece = arena_array(g->a, s->n + 1, sizeof(*piece));
	size_t n = 0;

	git_sort(g, s->at, s->n, sizeof(*s->at), blame_compare_final);
	for (size_t i = 0; i < s->n; i++)
		if (i > 0 && s->at[i].line == s->at[i - 1].line + 1 &&
		    s->at[i].final == s->at[i - 1].final + 1 &&
		    (b->verdict[s->at[i].final].mark & MARK_START) == 0)
			piece[n - 1].count++;
		else
			piece[n++] = (struct piece){ s->at[i], 1 };
	git_sort(g, piece, n, sizeof(*piece), blame_compare_asked);
	for (size_t i = 0; i < n; i++) {
		const struct verdict *v = &b->verdict[piece[i].first.final];
		struct buf out = buf_in(g->a);

		put_group(b, piece[i].first.final, piece[i].count, &out);
		if (first_time(b, v))
			put_details(b, v, &out);
		put_previous(b, v, &out);
		buf_printf(&out, "filename %s\n", v->path);
		cmd_bytes(g->c, buf_bytes(&out));
	}
}

/* Whether line i + 1 belongs to the same group as line i. */
static bool continues(const struct blaming *b, size_t i)
{
	const struct verdict *v = &b->verdict[i], *w = &b->verdict[i + 1];
	unsigned marks = MARK_IGNORED | MARK_UNBLAMABLE;

	return i + 1 < b->to && v->known && w->known && v->c == w->c && v->line + 1 == w->line &&
	       strcmp(v->path, w->path) == 0 && (v->mark & marks) == (w->mark & marks);
}

/* Of each commit whether it had the file under several names. */
static void note_paths(struct blaming *b)
{
	static const struct oid work;

	b->paths = lookup_new(b->g);
	for (size_t i = b->from; i < b->to; i++) {
		const struct verdict *v = &b->verdict[i];
		void **at;

		if (!v->known)
			continue;
		at = lookup_at(b->paths, oid_key(v->c != NULL ? &v->c->oid : &work));
		*at = *at == NULL || strcmp(*at, v->path) == 0
			      ? arena_dup(b->g->keep, bytes_of(v->path))
			      : "";
	}
}

static void put_porcelain(struct blaming *b)
{
	struct git *g = b->g;
	static const struct oid work;

	note_paths(b);
	for (size_t i = b->from; i < b->to; i++) {
		const struct verdict *v = &b->verdict[i];
		struct buf out = buf_in(g->a);
		size_t group = 0;
		const char *paths;
		bool head = i == b->from || !continues(b, i - 1), told;

		if (!v->known)
			continue;
		for (group = 1; head && continues(b, i + group - 1); group++)
			continue;
		put_group(b, i, head ? group : 0, &out);
		told = first_time(b, v) || b->o.line_porcelain;
		if (told)
			put_details(b, v, &out);
		paths = lookup_get(b->paths, oid_key(v->c != NULL ? &v->c->oid : &work));
		if (told || (head && *paths == '\0')) {
			put_previous(b, v, &out);
			buf_printf(&out, "filename %s\n", v->path);
		}
		buf_putc(&out, '\t');
		buf_add(&out, b->line[i]);
		if (b->line[i].len == 0 || b->line[i].ptr[b->line[i].len - 1] != '\n')
			buf_putc(&out, '\n');
		cmd_bytes(g->c, buf_bytes(&out));
	}
}

struct widths {
	size_t person, path, line;
	bool several;
	int name; /* of commits */
};

static void measure(struct blaming *b, struct widths *w)
{
	*w = (struct widths){ .line = 1 };
	w->name = b->o.long_names   ? OID_HEX
		  : b->o.abbrev > 0 ? b->o.abbrev + 1
				    : oid_default_length(b->g) + 1;
	for (size_t i = b->from; i < b->to; i++) {
		const struct verdict *v = &b->verdict[i];
		struct person who;
		struct commit_text t;
		size_t n;

		if (!v->known)
			continue;
		person_of(b, v->c, true, &who, &t);
		n = b->o.show_mail ? who.mail.len + 2 : git_columns(who.name);
		w->person = n > w->person ? n : w->person;
		n = strlen(v->path);
		w->path = n > w->path ? n : w->path;
		w->several = w->several || strcmp(v->path, b->path) != 0;
		n = git_digits(v->line + 1);
		w->line = n > w->line ? n : w->line;
	}
}

static void put_commit(struct blaming *b, const struct verdict *v, int length, struct buf *out)
{
	const char *hex = oid_hex(b->g, v->c != NULL ? &v->c->oid : &oid_null);

	if (shows_boundary(b, v->c)) {
		if (b->o.blank_boundary) {
			hex = "                                        ";
		} else if (!b->o.annotate) {
			length--;
			buf_putc(out, '^');
		}
	}
	if (b->mark_unblamable && (v->mark & MARK_UNBLAMABLE) != 0) {
		length--;
		buf_putc(out, '*');
	}
	if (b->mark_ignored && (v->mark & MARK_IGNORED) != 0) {
		length--;
		buf_putc(out, '?');
	}
	buf_printf(out, "%.*s", length, hex);
}

static void put_time(struct blaming *b, const struct person *who, struct buf *out)
{
	if (b->o.raw_time)
		buf_printf(out, "%lld %c%04d", (long long)who->time, who->zone < 0 ? '-' : '+',
			   who->zone < 0 ? -who->zone : who->zone);
	else
		date_put(b->g, out, who->time, who->zone, &b->style);
}

/* "(NAME DATE NUMBER) ", with what is asked for in front. */
static void put_columns(struct blaming *b, const struct widths *w, size_t i, struct buf *out)
{
	const struct verdict *v = &b->verdict[i];
	struct person who;
	struct commit_text t;

	if (w->several || b->o.show_name)
		buf_printf(out, " %-*s", (int)w->path, v->path);
	if (b->o.show_number)
		buf_printf(out, " %*zu", (int)w->line, v->line + 1);
	if (!b->o.suppress) {
		size_t used;

		person_of(b, v->c, true, &who, &t);
		buf_puts(out, " (");
		if (b->o.show_mail) {
			buf_printf(out, "<%.*s>", (int)who.mail.len, who.mail.ptr);
			used = who.mail.len + 2;
		} else {
			buf_add(out, who.name);
			used = git_columns(who.name);
		}
		buf_fill(out, ' ', w->person - used + 1);
		put_time(b, &who, out);
	}
	buf_printf(out, " %*zu) ", (int)git_digits(b->to), i + 1);
}

/* As git annotate does. */
static void put_annotated(struct blaming *b, size_t i, struct buf *out)
{
	const struct verdict *v = &b->verdict[i];
	struct person who;
	struct commit_text t;
	struct bytes name;
	struct buf time = buf_in(b->g->a);

	person_of(b, v->c, true, &who, &t);
	name = who.name;
	if (b->o.show_mail)
		name = bytes_of(git_format(b->g->a, "<%.*s>", (int)who.mail.len, who.mail.ptr));
	put_time(b, &who, &time);
	buf_printf(out, "\t(%10.*s\t%10s\t%zu)", (int)name.len, name.ptr, buf_cstr(&time), i + 1);
}

static void put_plain(struct blaming *b)
{
	struct git *g = b->g;
	struct widths w;

	measure(b, &w);
	for (size_t i = b->from; i < b->to; i++) {
		struct buf out = buf_in(g->a);

		if (!b->verdict[i].known)
			continue;
		put_commit(b, &b->verdict[i], w.name, &out);
		if (b->o.annotate)
			put_annotated(b, i, &out);
		else
			put_columns(b, &w, i, &out);
		buf_add(&out, b->line[i]);
		if (b->line[i].len == 0 || b->line[i].ptr[b->line[i].len - 1] != '\n')
			buf_putc(&out, '\n');
		cmd_bytes(g->c, buf_bytes(&out));
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

/* long: operands of two forms */
static int blame(struct git *g, struct args *args, bool annotate)
{
	struct blaming b = { .g = g, .style = { .mode = DATE_ISO }, .o.annotate = annotate };
	const struct git_parser p = { blame_options, &b.o, blame_usage, 0, NULL };
	struct suspect *first;
	struct bytes text;
	struct oid o;
	struct commit *c = NULL;
	uint32_t mode;
	char *path;

	b.todo_end = &b.todo;
	b.seen = lookup_new(g);
	configure(&b);
	git_parse(g, args, &p);
	read_ignored(&b);
	if (args->argc < 1 || args->dashdash == args->argc)
		git_usage(g, blame_usage);
	if (args->argc > 2)
		git_die(g, "More than one commit to dig from %s and %s?",
			args->argv[args->argc - 2], args->argv[args->argc - 3]);
	/* "FILE REVISION", too */
	if (args->argc == 2 && args->dashdash != 1 &&
	    (args->dashdash == 0 || rev_commit(g, args->argv[1], &o) == 0)) {
		char *name = args->argv[0];

		args->argv[0] = args->argv[1];
		args->argv[1] = name;
	}
	if (b.o.date != NULL && !date_style_of(g, b.o.date, &b.style))
		git_die(g, "unknown date format %s", b.o.date);
	b.since = b.o.since != NULL ? date_approximate(g, b.o.since) : INT64_MIN;
	if (args->argc == 2)
		c = blamed_commit(&b, args->argv[0]);
	path = path_in_work(g, args->argv[args->argc - 1]);
	if (c != NULL) {
		if (!tree_find(g, &c->tree, path, &mode, &o))
			git_die(g, "no such path %s in %s", path, args->argv[0]);
		if (!blame_read(&b, path, &o, &text))
			git_die(g, "unable to read tree %s", oid_hex(g, &c->oid));
	} else {
		struct vfs_stat st;
		struct commit *head;

		if (!head_oid(g, &o))
			git_die(g, "no such ref: HEAD");
		head = commit_at(g, &o);
		commit_need(g, head);
		if (!tree_find(g, &head->tree, path, &mode, &o) && !index_has(index_get(g), path))
			git_die(g, "no such path '%s' in HEAD", path);
		if (cmd_lstat(g->c, path, &st) < 0)
			git_die(g, "Cannot lstat '%s': %s", path, err_text(-E_NOENT));
		if (work_read(g, g->keep, path, work_mode(g, &st, NULL), &text) < 0)
			git_die(g, "cannot open '%s'", path);
		if (!b.o.no_textconv)
			userdiff_textconv(g, g->keep, path, work_mode(g, &st, NULL), NULL, text,
					  &text);
	}
	b.n = b.to = lines_split(g->keep, text, &b.line);
	b.path = path;
	choose_lines(&b, text);
	b.verdict = arena_array(g->keep, b.n + 1, sizeof(*b.verdict));
	first = blame_suspect(&b, c, path, text);
	for (size_t i = b.from; i < b.to; i++)
		if (b.wanted[i])
			blame_ask(&b, first, i, i);
	run(&b);
	if (b.o.incremental)
		return 0;
	if (b.o.porcelain || b.o.line_porcelain)
		put_porcelain(&b);
	else
		put_plain(&b);
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
