/* SPDX-License-Identifier: MIT
 *
 * git shortlog: subjects by author.
 */
#include "builtins/git/walk.h"

enum { WRAP = 76, INDENT1 = 6, INDENT2 = 9 };

struct shortlog {
	struct git *g;
	struct revs revs;
	struct pretty pretty;
	bool summary, email, by_count, committer, has_format, wrap;
	int width, indent1, indent2;
	struct lookup *authors;
	struct person_log **list;
	size_t n;
	size_t cap;
};

struct person_log {
	char *who;
	struct names subjects; /* youngest first */
	size_t order;
};

static const char *const shortlog_usage[] = {
	"git shortlog [<options>] [<revision-range>] [[--] <path>...]",
	"git log --pretty=short | git shortlog [<options>]", NULL
};

/* --- collecting --- */

static void add_entry(struct shortlog *s, const char *who, const char *subject)
{
	struct git *g = s->g;
	struct person_log *p = lookup_get(s->authors, bytes_of(who));

	if (p == NULL) {
		p = arena_zalloc(g->keep, sizeof(*p));
		p->who = arena_dup(g->keep, bytes_of(who));
		*lookup_at(s->authors, bytes_of(p->who)) = p;
		LIST_ROOM(g, s->list, s->n, s->cap);
		s->list[s->n++] = p;
	}
	names_add(g, &p->subjects, s->summary ? "" : subject);
}

/* What stands in brackets at the front ("[PATCH 1/2]") is no part of the subject. */
static const char *without_tag(const char *subject)
{
	const char *end;

	if (git_starts(subject, "[PATCH") && (end = strchr(subject, ']')) != NULL) {
		subject = end + 1;
		while (byte_is_space((unsigned char)*subject))
			subject++;
	}
	return subject;
}

static char *who_text(struct shortlog *s, struct person *p)
{
	struct git *g = s->g;

	mailmap_apply(g, p);
	if (!s->email)
		return arena_dup(g->a, p->name);
	return git_format(g->a, "%.*s <%.*s>", (int)p->name.len, p->name.ptr, (int)p->mail.len,
			  p->mail.ptr);
}

static void add_commit(struct shortlog *s, struct commit *c)
{
	struct git *g = s->g;
	struct arena_mark mark = arena_mark(g->a);
	struct commit_text t;
	struct person who;
	struct buf b;
	const char *subject;

	commit_text_shown(g, g->a, &c->oid, &t, true);
	person_split(s->committer ? t.committer : t.author, &who);
	if (s->has_format) {
		b = buf_in(g->a);
		pretty_commit(g, &s->pretty, c, &b);
		subject = buf_cstr(&b);
	} else {
		struct bytes m = message_subject(g->a, t.message);

		subject = m.len != 0 ? without_tag(arena_dup(g->a, m)) : "<none>";
	}
	add_entry(s, who_text(s, &who), subject);
	arena_release(g->a, mark);
}

/* The output of log on standard input. */
static void read_log(struct shortlog *s)
{
	struct git *g = s->g;
	struct bytes in = file_stdin(g), line;
	const char *keys[2][2] = { { "Author: ", "author " }, { "Commit: ", "committer " } };

	while (git_line(&in, &line)) {
		struct person who;
		const char *key = NULL;
		char *text;

		for (int i = 0; i < 2 && key == NULL; i++)
			if (bytes_starts(line, bytes_of(keys[s->committer][i])))
				key = keys[s->committer][i];
		if (key == NULL)
			continue;
		text = git_format(g->a, "%.*s 0 +0000", (int)(line.len - strlen(key)),
				  line.ptr + strlen(key));
		person_split(bytes_of(text), &who);
		/* Headers end at a blank line; the first line behind is the subject. */
		while (git_line(&in, &line) && line.len != 0)
			continue;
		while (git_line(&in, &line) && git_trim(line).len == 0)
			continue;
		add_entry(s, who_text(s, &who), without_tag(arena_dup(g->a, git_trim(line))));
	}
}

/* --- showing --- */

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct person_log *const *)a)->who, (*(struct person_log *const *)b)->who);
}

static int by_count(const void *a, const void *b)
{
	size_t x = (*(struct person_log *const *)a)->subjects.n;
	size_t y = (*(struct person_log *const *)b)->subjects.n;

	return (x < y) - (x > y);
}

/* Words up to the width, further lines deeper. */
static void put_wrapped(struct shortlog *s, const char *text, struct buf *out)
{
	size_t column = (size_t)s->indent1;
	bool begin = true;

	buf_fill(out, ' ', (size_t)s->indent1);
	while (*text != '\0') {
		size_t n = strcspn(text, " ");
		size_t width = git_columns((struct bytes){ text, n });

		if (!begin && s->width > 0 && column + 1 + width > (size_t)s->width) {
			buf_putc(out, '\n');
			buf_fill(out, ' ', (size_t)s->indent2);
			column = (size_t)s->indent2;
			begin = true;
		}
		if (!begin) {
			buf_putc(out, ' ');
			column++;
		}
		buf_put(out, text, n);
		column += width;
		begin = false;
		text += n;
		while (*text == ' ')
			text++;
	}
	buf_putc(out, '\n');
}

static void show(struct shortlog *s, struct buf *out)
{
	struct git *g = s->g;

	git_sort(g, s->list, s->n, sizeof(*s->list), by_name);
	if (s->by_count)
		git_sort(g, s->list, s->n, sizeof(*s->list), by_count);
	for (size_t i = 0; i < s->n; i++) {
		const struct person_log *p = s->list[i];

		if (s->summary) {
			buf_printf(out, "%6zu\t%s\n", p->subjects.n, p->who);
			continue;
		}
		buf_printf(out, "%s (%zu):\n", p->who, p->subjects.n);
		for (size_t k = p->subjects.n; k > 0; k--) {
			if (s->wrap)
				put_wrapped(s, p->subjects.at[k - 1], out);
			else
				buf_printf(out, "      %s\n", p->subjects.at[k - 1]);
			cmd_charge(g->c, 1);
		}
		buf_putc(out, '\n');
	}
}

void shortlog_put(struct git *g, const struct commits *list, struct buf *out)
{
	struct shortlog s = { .g = g, .wrap = true, .width = 72, .indent1 = 2, .indent2 = 4 };

	s.authors = lookup_new(g);
	for (size_t i = list->n; i > 0; i--)
		add_commit(&s, list->at[i - 1]);
	show(&s, out);
}

/* --- options --- */

/* -w[<width>[,<indent1>[,<indent2>]]] */
static void set_wrap(struct shortlog *s, const char *arg)
{
	int *v[3] = { &s->width, &s->indent1, &s->indent2 };

	s->wrap = true;
	s->width = WRAP;
	s->indent1 = INDENT1;
	s->indent2 = INDENT2;
	for (int i = 0; i < 3 && *arg != '\0'; i++) {
		char *one = git_format(s->g->a, "%.*s", (int)strcspn(arg, ","), arg);
		int64_t n;

		if (!git_number(one, &n) || n < 0 || n > 10000) {
			git_error(s->g, "-w[<width>[,<indent1>[,<indent2>]]]");
			git_exit(s->g, GIT_STATUS_USAGE);
		}
		*v[i] = (int)n;
		arg += strlen(one);
		arg += *arg == ',';
	}
}

static void set_group(struct shortlog *s, const char *what)
{
	if (strcmp(what, "author") == 0)
		s->committer = false;
	else if (strcmp(what, "committer") == 0)
		s->committer = true;
	else if (git_starts(what, "trailer:"))
		git_refuse(s->g, "shortlog --group=trailer");
	else
		git_die(s->g, "unknown group type: %s", what);
}

static bool letters_option(struct shortlog *s, const char *arg)
{
	if (arg[0] != '-' || arg[1] == '-' || strspn(arg + 1, "nsec") != strlen(arg + 1))
		return false;
	for (const char *p = arg + 1; *p != '\0'; p++) {
		s->by_count = s->by_count || *p == 'n';
		s->summary = s->summary || *p == 's';
		s->email = s->email || *p == 'e';
		s->committer = s->committer || *p == 'c';
	}
	return true;
}

static int option(struct git *g, void *opts, int argc, char **argv)
{
	struct shortlog *s = opts;
	const char *arg = argv[0];

	if (letters_option(s, arg))
		return 1;
	if (strcmp(arg, "--numbered") == 0)
		s->by_count = true;
	else if (strcmp(arg, "--summary") == 0)
		s->summary = true;
	else if (strcmp(arg, "--email") == 0)
		s->email = true;
	else if (strcmp(arg, "--committer") == 0)
		s->committer = true;
	else if (git_starts(arg, "--group="))
		set_group(s, arg + 8);
	else if (git_starts(arg, "-w"))
		set_wrap(s, arg + 2);
	else if (git_starts(arg, "--format=") || git_starts(arg, "--pretty=")) {
		if (!pretty_of(g, arg + 9, &s->pretty))
			git_die(g, "invalid --pretty format: %s", arg + 9);
		s->has_format = s->pretty.kind == PRETTY_USER;
	} else
		return revs_option(g, &s->revs, argc, argv);
	return 1;
}

int git_cmd_shortlog(struct git *g, struct args *args)
{
	struct shortlog s = { .g = g, .pretty = { .kind = PRETTY_MEDIUM, .tabs = -1 } };
	const char *unknown;
	struct commit *c;

	s.authors = lookup_new(g);
	if (g->dir != NULL)
		revs_init(g, &s.revs);
	unknown = git_take_options(g, args, option, &s);
	if (unknown != NULL) {
		git_error(g, "unknown option `%s'", unknown);
		git_usage(g, shortlog_usage);
	}
	if (g->dir == NULL && args->argc > 0) {
		git_error(g, "too many arguments given outside repository");
		git_usage(g, shortlog_usage);
	}
	if (g->dir != NULL) {
		/* Without a revision: HEAD on a terminal, else standard input. */
		s.revs.default_head = cmd_isatty(g->c, 0);
		revs_operands(g, &s.revs, args);
	}
	if (g->dir == NULL || (s.revs.nitems == 0 && !s.revs.gave_rev)) {
		read_log(&s);
	} else {
		while ((c = revs_next(&s.revs)) != NULL)
			add_commit(&s, c);
	}
	struct buf out = buf_in(g->keep);

	show(&s, &out);
	cmd_bytes(g->c, buf_bytes(&out));
	return 0;
}
