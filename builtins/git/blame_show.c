/* SPDX-License-Identifier: MIT
 *
 * What git blame prints: lines with their commits, or one of the forms for programs.
 */
#include "builtins/git/blame.h"
#include "builtins/git/transport.h"

/* Lines that are asked for together. */
struct piece {
	struct asked first; /* in front, as pieces are sorted like lines */
	size_t count;
};

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

int64_t blame_time(struct blaming *b, const struct verdict *v)
{
	struct commit_text t;
	struct person who;

	person_of(b, v->c, true, &who, &t);
	return who.time;
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
	struct commit **source;
	const char *name;
	struct bytes text;
	uint32_t n = blame_sources(b, v->c, &source);

	for (uint32_t k = 0; k < n; k++) {
		struct commit *p = source[k];

		commit_need(b->g, p);
		if (!blame_find(b, p, v->c, v->path, &name, &text))
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
		const char *from = b->o.contents != NULL ? b->o.contents : v->path;

		if (strcmp(from, "-") == 0)
			from = "standard input";
		buf_printf(out, "summary Version of %s from %s\n", v->path, from);
		return;
	}
	commit_text(g, g->a, &v->c->oid, &t);
	while (git_line(&t.message, &subject) && git_trim(subject).len == 0)
		continue;
	buf_printf(out, "summary %.*s\n", (int)subject.len, subject.ptr);
	if (blame_is_boundary(b, v->c))
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
void blame_put_found(struct blaming *b, struct suspect *s)
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
bool blame_continues(const struct blaming *b, size_t i)
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

void blame_put_porcelain(struct blaming *b)
{
	struct git *g = b->g;
	static const struct oid work;

	note_paths(b);
	for (size_t i = b->from; i < b->to; i++) {
		const struct verdict *v = &b->verdict[i];
		struct buf out = buf_in(g->a);
		size_t group = 0;
		const char *paths;
		bool head = i == b->from || !blame_continues(b, i - 1), told;

		if (!v->known)
			continue;
		for (group = 1; head && blame_continues(b, i + group - 1); group++)
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

	if (blame_is_boundary(b, v->c)) {
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

void blame_put_plain(struct blaming *b)
{
	struct git *g = b->g;
	struct widths w;

	measure(b, &w);
	for (size_t i = b->from; i < b->to; i++) {
		struct buf out = buf_in(g->a);

		if (!b->verdict[i].known)
			continue;
		const char *color = b->o.annotate ? "" : blame_color(b, i);

		buf_puts(&out, color);
		put_commit(b, &b->verdict[i], w.name, &out);
		if (b->o.annotate)
			put_annotated(b, i, &out);
		else
			put_columns(b, &w, i, &out);
		buf_puts(&out, color[0] != '\0' ? COLOR_RESET : "");
		buf_add(&out, b->line[i]);
		if (b->line[i].len == 0 || b->line[i].ptr[b->line[i].len - 1] != '\n')
			buf_putc(&out, '\n');
		cmd_bytes(g->c, buf_bytes(&out));
	}
}
