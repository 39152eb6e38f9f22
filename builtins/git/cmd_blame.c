/* SPDX-License-Identifier: MIT
 *
 * git blame: which commit each line comes from. Lines are passed from a commit to its parents
 * as long as they are there unchanged; renames are followed.
 */
#include "builtins/git/line_range.h"

struct blame_opts {
	bool porcelain, line_porcelain, suppress, show_name, show_number, show_mail, raw_time,
		long_names, root, blank_boundary, incremental, first_parent;
	struct names ranges;
	int abbrev;
	const char *date;
	unsigned lines;
};

static int ignore_space(struct git *g, void *o, const char *a, bool unset)
{
	(void)g, (void)a, (void)unset;
	((struct blame_opts *)o)->lines |= LINES_IGNORE_ALL_SPACE;
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
	GIT_MISSING('M', NULL),
	GIT_MISSING('C', NULL),
	GIT_MISSING('S', NULL),
	GIT_MISSING(0, "incremental"),
	GIT_MISSING(0, "reverse"),
	GIT_MISSING_ARG(0, "ignore-rev"),
	GIT_END(),
};
static const char *const blame_usage[] = { "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>",
					   NULL };

/* A version of the file with lines of the result that it may be the origin of. */
struct suspect {
	struct commit *c; /* NULL: the work tree */
	const char *path;
	struct bytes text;
	size_t *line;  /* numbers here, of each line that is asked for */
	size_t *final; /* numbers in the result */
	size_t n, cap;
	struct suspect *next;
};

struct verdict {
	struct commit *c;
	const char *path;
	size_t line;
	bool known;
};

struct blaming {
	struct git *g;
	struct blame_opts o;
	struct suspect *todo;
	struct verdict *verdict;
	struct bytes *line;
	size_t n;
	bool *wanted;    /* of each line: -L */
	size_t from, to; /* of the first and behind the last that is wanted */
	const char *path;
	struct date_style style;
};

static void ask(struct blaming *b, struct suspect *s, size_t line, size_t final)
{
	if (s->n == s->cap) {
		size_t cap = s->cap * 2 + 16;

		s->line = pool_resize(b->g->c->pool, s->line, s->cap * sizeof(size_t),
				      cap * sizeof(size_t));
		s->final = pool_resize(b->g->c->pool, s->final, s->cap * sizeof(size_t),
				       cap * sizeof(size_t));
		s->cap = cap;
	}
	s->line[s->n] = line;
	s->final[s->n++] = final;
}

static struct suspect *suspect_of(struct blaming *b, struct commit *c, const char *path,
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
	s->next = b->todo;
	b->todo = s;
	return s;
}

static bool find_in(struct blaming *b, struct commit *p, struct commit *child, const char *path,
		    const char **name, struct bytes *text)
{
	struct oid o;

	return commit_file_before(b->g, p, child, path, name, &o) &&
	       object_read(b->g, b->g->keep, &o, text) == OBJECT_BLOB;
}

/* Lines that the parent has too are asked of it; the others stay in s. */
static void pass_to(struct blaming *b, struct suspect *s, struct commit *p)
{
	struct git *g = b->g;
	const char *name;
	struct bytes text;
	struct arena a;
	struct lines l;
	struct suspect *t;
	size_t kept = 0, change = 0;

	commit_need(g, p);
	if (!find_in(b, p, s->c, s->path, &name, &text))
		return;
	t = suspect_of(b, p, name, text);
	arena_init_under(&a, g->a);
	lines_diff(g, &a, text, s->text, b->o.lines, &l);
	int64_t shift = 0;

	/* Numbers come in order. */
	for (size_t i = 0; i < s->n; i++) {
		while (change < l.n &&
		       s->line[i] >= l.change[change].from[1] + l.change[change].count[1]) {
			shift += (int64_t)l.change[change].count[0] -
				 (int64_t)l.change[change].count[1];
			change++;
		}
		if (change < l.n && s->line[i] >= l.change[change].from[1]) {
			s->line[kept] = s->line[i];
			s->final[kept++] = s->final[i];
		} else {
			ask(b, t, (size_t)((int64_t)s->line[i] + shift), s->final[i]);
		}
	}
	s->n = kept;
	arena_clear(&a);
}

static void sort_lines(struct suspect *s)
{
	/* Two children may have asked: a merge of two sorted runs, by insertion. */
	for (size_t i = 1; i < s->n; i++)
		for (size_t j = i; j > 0 && s->line[j - 1] > s->line[j]; j--) {
			size_t line = s->line[j], final = s->final[j];

			s->line[j] = s->line[j - 1];
			s->final[j] = s->final[j - 1];
			s->line[j - 1] = line;
			s->final[j - 1] = final;
		}
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
	return s;
}

static void run(struct blaming *b)
{
	while (b->todo != NULL) {
		struct suspect *s = youngest(b);
		struct oid head;

		cmd_charge(b->g->c, 4);
		sort_lines(s);
		if (s->c == NULL && head_oid(b->g, &head))
			pass_to(b, s, commit_at(b->g, &head));
		for (uint32_t i = 0; s->c != NULL && i < s->c->nparents && s->n != 0; i++) {
			if (b->o.first_parent && i > 0)
				break;
			pass_to(b, s, s->c->parent[i]);
		}
		for (size_t i = 0; i < s->n; i++)
			b->verdict[s->final[i]] = (struct verdict){ s->c, s->path, s->line[i],
								    true };
		pool_free(b->g->c->pool, s->line, s->cap * sizeof(size_t));
		pool_free(b->g->c->pool, s->final, s->cap * sizeof(size_t));
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

static void put_porcelain(struct blaming *b)
{
	struct git *g = b->g;
	struct lookup *seen = lookup_new(g);

	for (size_t i = b->from; i < b->to; i++) {
		const struct verdict *v = &b->verdict[i];
		struct oid o = v->c != NULL ? v->c->oid : oid_null;
		struct buf out = buf_in(g->a);
		struct oid *key = arena_alloc(g->keep, sizeof(*key));
		size_t group = 1;
		bool first = i == b->from || b->verdict[i - 1].c != v->c ||
			     !b->verdict[i - 1].known || b->verdict[i - 1].line + 1 != v->line;

		if (!v->known)
			continue;
		while (i + group < b->to && b->verdict[i + group].known &&
		       b->verdict[i + group].c == v->c &&
		       b->verdict[i + group].line == v->line + group)
			group++;
		buf_printf(&out, "%s %zu %zu", oid_hex(g, &o), v->line + 1, i + 1);
		if (first)
			buf_printf(&out, " %zu", group);
		buf_putc(&out, '\n');
		*key = o;
		void **at = lookup_at(seen, oid_key(key));

		if (*at == NULL || b->o.line_porcelain) {
			struct commit_text t;

			*at = b;
			put_person(b, v->c, true, &out);
			put_person(b, v->c, false, &out);
			if (v->c != NULL) {
				commit_text(g, g->a, &v->c->oid, &t);
				buf_puts(&out, "summary ");
				buf_add(&out, message_subject(g->a, t.message));
				buf_putc(&out, '\n');
				if (v->c->nparents == 0)
					buf_puts(&out, "boundary\n");
				else
					for (uint32_t k = 0; k < 1; k++) {
						const char *name;
						struct bytes text;

						if (find_in(b, v->c->parent[0], v->c, v->path,
							    &name, &text))
							buf_printf(
								&out, "previous %s %s\n",
								oid_hex(g, &v->c->parent[0]->oid),
								name);
					}
			} else {
				buf_printf(&out, "summary Version of %s from %s\n", v->path,
					   v->path);
			}
			buf_printf(&out, "filename %s\n", v->path);
		}
		buf_putc(&out, '\t');
		buf_add(&out, b->line[i]);
		if (b->line[i].len == 0 || b->line[i].ptr[b->line[i].len - 1] != '\n')
			buf_putc(&out, '\n');
		cmd_bytes(g->c, buf_bytes(&out));
	}
}

/* long: widths, then lines */
static void put_plain(struct blaming *b)
{
	struct git *g = b->g;
	size_t width = 0, name_width = 0, line_digits = 1;
	bool several = false;
	int length = b->o.long_names   ? OID_HEX
		     : b->o.abbrev > 0 ? b->o.abbrev + 1
				       : oid_default_length(g) + 1;

	for (size_t i = b->from; i < b->to; i++) {
		struct person who;
		struct commit_text t;
		size_t w;

		if (!b->verdict[i].known)
			continue;
		person_of(b, b->verdict[i].c, true, &who, &t);
		w = b->o.show_mail ? who.mail.len + 2 : git_columns(who.name);
		width = w > width ? w : width;
		w = strlen(b->verdict[i].path);
		name_width = w > name_width ? w : name_width;
		several = several || strcmp(b->verdict[i].path, b->path) != 0;
		w = git_digits(b->verdict[i].line + 1);
		line_digits = w > line_digits ? w : line_digits;
	}
	for (size_t i = b->from; i < b->to; i++) {
		const struct verdict *v = &b->verdict[i];
		struct oid o = v->c != NULL ? v->c->oid : oid_null;
		bool boundary = v->c != NULL && v->c->nparents == 0 && !b->o.root;
		struct buf out = buf_in(g->a);
		struct person who;
		struct commit_text t;

		if (!v->known)
			continue;
		if (boundary && b->o.blank_boundary)
			buf_fill(&out, ' ', (size_t)length);
		else
			buf_printf(&out, "%s%.*s", boundary ? "^" : "", length - boundary,
				   oid_hex(g, &o));
		if (several || b->o.show_name)
			buf_printf(&out, " %-*s", (int)name_width, v->path);
		if (b->o.show_number)
			buf_printf(&out, " %*zu", (int)line_digits, v->line + 1);
		if (!b->o.suppress) {
			size_t used;

			person_of(b, v->c, true, &who, &t);
			buf_puts(&out, " (");
			if (b->o.show_mail) {
				buf_printf(&out, "<%.*s>", (int)who.mail.len, who.mail.ptr);
				used = who.mail.len + 2;
			} else {
				buf_add(&out, who.name);
				used = git_columns(who.name);
			}
			buf_fill(&out, ' ', width - used + 1);
			if (b->o.raw_time)
				buf_printf(&out, "%lld %c%04d", (long long)who.time,
					   who.zone < 0 ? '-' : '+',
					   who.zone < 0 ? -who.zone : who.zone);
			else
				date_put(g, &out, who.time, who.zone, &b->style);
			buf_putc(&out, ' ');
		} else {
			buf_putc(&out, ' ');
		}
		buf_printf(&out, "%*zu) ", (int)git_digits(b->to), i + 1);
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

/* long: operands of two forms */
int git_cmd_blame(struct git *g, struct args *args)
{
	struct blaming b = { .g = g, .style = { .mode = DATE_ISO } };
	const struct git_parser p = { blame_options, &b.o, blame_usage, 0, NULL };
	struct suspect *first;
	struct bytes text;
	struct oid o;
	struct commit *c = NULL;
	uint32_t mode;
	char *path;

	git_parse(g, args, &p);
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
	if (args->argc == 2) {
		if (rev_commit(g, args->argv[0], &o) < 0)
			git_die(g, "bad revision '%s'", args->argv[0]);
		c = commit_at(g, &o);
		commit_need(g, c);
	}
	path = path_in_work(g, args->argv[args->argc - 1]);
	if (c != NULL) {
		if (!tree_find(g, &c->tree, path, &mode, &o))
			git_die(g, "no such path %s in %s", path, args->argv[0]);
		text = object_need(g, g->keep, &o, OBJECT_BLOB);
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
	}
	b.n = b.to = lines_split(g->keep, text, &b.line);
	b.path = path;
	choose_lines(&b, text);
	b.verdict = arena_array(g->keep, b.n + 1, sizeof(*b.verdict));
	first = suspect_of(&b, c, path, text);
	for (size_t i = b.from; i < b.to; i++)
		if (b.wanted[i])
			ask(&b, first, i, i);
	run(&b);
	if (b.o.porcelain || b.o.line_porcelain)
		put_porcelain(&b);
	else
		put_plain(&b);
	return 0;
}
