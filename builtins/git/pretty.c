/* SPDX-License-Identifier: MIT
 *
 * How a commit is written: the named formats, and decorations. pretty_format.c has the rest.
 */
#include "builtins/git/mail.h"
#include "builtins/git/notes.h"
#include "builtins/git/walk.h"

enum { ALIASES_MAX = 100 };

bool pretty_of(struct git *g, const char *text, struct pretty *p)
{
	static const struct {
		const char *name;
		enum pretty_kind kind;
	} kinds[] = { { "oneline", PRETTY_ONELINE },     { "short", PRETTY_SHORT },
		      { "medium", PRETTY_MEDIUM },       { "full", PRETTY_FULL },
		      { "fuller", PRETTY_FULLER },       { "raw", PRETTY_RAW },
		      { "reference", PRETTY_REFERENCE }, { "email", PRETTY_EMAIL },
		      { "mboxrd", PRETTY_MBOXRD } };
	const char *alias;

	if (git_starts(text, "format:") || git_starts(text, "tformat:")) {
		p->kind = PRETTY_USER;
		p->separate = text[0] == 'f';
		p->format = strchr(text, ':') + 1;
		return true;
	}
	if (text[0] == '\0' || strchr(text, '%') != NULL) {
		p->kind = PRETTY_USER;
		p->separate = false;
		p->format = text;
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		/* A beginning of a name will do. */
		if (!git_starts(kinds[i].name, text) || text[0] == '\0')
			continue;
		p->kind = kinds[i].kind;
		if (p->kind == PRETTY_REFERENCE && !p->date_given)
			p->date = (struct date_style){ .mode = DATE_SHORT };
		return true;
	}
	alias = config_get(g, git_format(g->a, "pretty.%s", text));
	if (alias == NULL)
		return false;
	if (p->alias_depth == 0)
		p->alias = text;
	if (p->alias_depth++ > ALIASES_MAX)
		git_die(g,
			"invalid --pretty format: '%s' references an alias which points to itself",
			p->alias);
	return pretty_of(g, alias, p);
}

/* --- decorations --- */

static void add_decoration(struct git *g, struct pretty *p, const struct oid *o, const char *name)
{
	struct decoration *d = arena_zalloc(g->keep, sizeof(*d));
	struct oid *key = arena_alloc(g->keep, sizeof(*key));
	struct decoration **at;

	*key = *o;
	d->name = arena_dup(g->keep, bytes_of(name));
	at = (struct decoration **)lookup_at(p->decorations, oid_key(key));
	d->next = *at;
	*at = d;
}

/* A name below the pattern counts, too. */
static bool decoration_matches(struct git *g, const char *pattern, const char *name)
{
	git_charge_search(g, 4, name);
	if (!git_starts(pattern, "refs/") && strcmp(pattern, "HEAD") != 0)
		pattern = git_format(g->a, "refs/%s", pattern);
	if (wild_has_magic(pattern))
		return wild_match(pattern, bytes_of(name), 0);

	size_t n = strlen(pattern);

	return strncmp(name, pattern, n) == 0 &&
	       (name[n] == '\0' || name[n] == '/' || (n > 0 && pattern[n - 1] == '/'));
}

static bool is_decoration(struct git *g, const struct names *patterns, const char *name)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (decoration_matches(g, patterns->at[i], name))
			return true;
	return false;
}

static bool is_configured_out(struct git *g, const char *name)
{
	git_charge_search(g, g->config->n, name);
	for (size_t i = 0; i < g->config->n; i++)
		if (strcmp(g->config->at[i].key, "log.excludedecoration") == 0 &&
		    g->config->at[i].value != NULL &&
		    decoration_matches(g, g->config->at[i].value, name))
			return true;
	return false;
}

/* What is asked for by pattern; else branches, tags, the stash and HEAD, or all. */
static bool takes_decoration(struct git *g, const struct pretty *p, const char *name)
{
	if (is_decoration(g, &p->decorate_without, name))
		return false;
	if (is_decoration(g, &p->decorate_only, name))
		return true;
	if (p->decorate_only.n != 0 || is_configured_out(g, name))
		return false;
	return p->decorate_all || git_starts(name, "refs/heads/") ||
	       git_starts(name, "refs/tags/") || git_starts(name, "refs/remotes/") ||
	       git_starts(name, "refs/replace/") || strcmp(name, "refs/stash") == 0 ||
	       strcmp(name, "HEAD") == 0 || config_get(g, "log.initialdecorationset") != NULL;
}

void pretty_load_decorations(struct git *g, struct pretty *p)
{
	struct ref *list;
	size_t n;
	struct oid o;

	if (p->decorations != NULL)
		return;
	p->decorations = lookup_new(g);
	n = ref_list(g, "refs/", &list);
	for (size_t i = 0; i < n; i++) {
		struct oid peeled;

		if (list[i].broken || !takes_decoration(g, p, list[i].name))
			continue;
		if (git_starts(list[i].name, "refs/replace/")) {
			if (oid_parse(list[i].name + 13, &peeled))
				add_decoration(g, p, &peeled, "replaced");
			continue;
		}
		add_decoration(g, p, &list[i].oid, list[i].name);
		if (object_peel(g, &list[i].oid, OBJECT_NONE, &peeled) &&
		    !oid_eq(&peeled, &list[i].oid))
			add_decoration(g, p, &peeled, list[i].name);
	}
	if (head_oid(g, &o) && takes_decoration(g, p, "HEAD"))
		add_decoration(g, p, &o, "HEAD");
	for (size_t i = 0; i < g->shallow.n; i++)
		if (oid_parse(g->shallow.at[i], &o))
			add_decoration(g, p, &o, "grafted");
}

static const char *decoration_color(struct git *g, const struct pretty *p, const char *name)
{
	if (!p->use_color)
		return "";
	if (strcmp(name, "HEAD") == 0)
		return color_of(g, "color.decorate.head", "\033[1;36m");
	if (git_starts(name, "refs/heads/"))
		return color_of(g, "color.decorate.branch", "\033[1;32m");
	if (git_starts(name, "refs/remotes/"))
		return color_of(g, "color.decorate.remotebranch", "\033[1;31m");
	if (git_starts(name, "refs/tags/"))
		return color_of(g, "color.decorate.tag", "\033[1;33m");
	if (strcmp(name, "replaced") == 0 || strcmp(name, "grafted") == 0)
		return color_of(g, "color.decorate.grafted", "\033[1;34m");
	return color_of(g, "color.decorate.stash", "\033[1;35m");
}

static const char *decoration_text(struct git *g, const struct pretty *p, const char *name)
{
	const char *shown = p->decorate == 2 ? name : ref_short(g, name);

	if (strcmp(name, "refs/stash") == 0 && p->decorate != 2)
		shown = "refs/stash";
	if (git_starts(name, "refs/tags/"))
		return git_format(g->a, "tag: %s", shown);
	return shown;
}

void pretty_decorate(struct git *g, struct pretty *p, const struct oid *o, const char *before,
		     const char *after, struct buf *out)
{
	const struct decoration *list;
	const char *reset = p->use_color ? COLOR_RESET : "";
	const char *commit = p->use_color ? color_of(g, "color.diff.commit", "\033[33m") : "";
	char *head = head_ref(g);
	const char *separator = before;
	bool has_head = false;

	pretty_load_decorations(g, p);
	list = lookup_get(p->decorations, oid_key(o));
	if (list == NULL)
		return;
	for (const struct decoration *d = list; d != NULL; d = d->next)
		has_head = has_head || strcmp(d->name, "HEAD") == 0;
	for (const struct decoration *d = list; d != NULL; d = d->next) {
		/* The branch HEAD stands for is shown with it. */
		if (has_head && head != NULL && strcmp(d->name, head) == 0)
			continue;
		buf_printf(out, "%s%s%s", commit, separator, reset);
		separator = before[0] == ' ' || before[0] == '\0' ? ", " : ", ";
		buf_printf(out, "%s%s", decoration_color(g, p, d->name),
			   decoration_text(g, p, d->name));
		if (strcmp(d->name, "HEAD") == 0 && head != NULL) {
			bool shown = false;

			for (const struct decoration *e = list; e != NULL; e = e->next)
				shown = shown || strcmp(e->name, head) == 0;
			if (shown)
				buf_printf(out, "%s%s -> %s%s%s", p->use_color ? "" : "", "", reset,
					   decoration_color(g, p, head),
					   decoration_text(g, p, head));
		}
		buf_puts(out, reset);
	}
	buf_printf(out, "%s%s%s", commit, after, reset);
}

/* --- named formats --- */

static void put_person(struct git *g, struct pretty *p, struct buf *out, const char *label,
		       struct bytes text, const char *date_label)
{
	struct person who;

	if (text.ptr == NULL)
		return;
	person_split(text, &who);
	if (config_bool(g, "log.mailmap", true))
		mailmap_apply(g, &who);
	if (label != NULL) {
		buf_puts(out, label);
		buf_add(out, who.name);
		buf_puts(out, " <");
		buf_add(out, who.mail);
		buf_puts(out, ">\n");
	}
	if (date_label != NULL) {
		buf_puts(out, date_label);
		date_put(g, out, who.time, who.zone, &p->date);
		buf_putc(out, '\n');
	}
}

static void put_merge_line(struct git *g, const struct pretty *p, const struct commit *c,
			   struct buf *out)
{
	uint32_t n = c->parents_saved ? c->saved_nparents : c->nparents;
	struct commit *const *parent = c->parents_saved ? c->saved_parent : c->parent;

	if (n < 2)
		return;
	buf_puts(out, "Merge:");
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, " %s",
			   p->no_abbrev ? oid_hex(g, &parent[i]->oid)
					: oid_short(g, &parent[i]->oid, p->abbrev));
	buf_putc(out, '\n');
}

static void trim_end(struct bytes *line)
{
	while (line->len != 0 && byte_is_space((unsigned char)line->ptr[line->len - 1]))
		line->len--;
}

static void put_expanded(struct bytes line, size_t tabs, struct buf *out)
{
	size_t width = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\t' && tabs > 0) {
			size_t n = tabs - width % tabs;

			buf_fill(out, ' ', n);
			width += n;
			continue;
		}
		buf_putc(out, line.ptr[i]);
		width += ((unsigned char)line.ptr[i] & 0xc0) != 0x80;
	}
}

/* A letter without tabs below its header. */
static struct bytes expand_body(struct git *g, struct bytes text, size_t tabs)
{
	struct buf out = buf_in(g->a);
	struct bytes line;
	bool body = false;

	while (git_line(&text, &line)) {
		put_expanded(line, body ? tabs : 0, &out);
		buf_putc(&out, '\n');
		body = body || line.len == 0;
	}
	return buf_bytes(&out);
}

/* The message, each line behind blanks; blank lines at both ends are gone. */
static void put_message(const struct pretty *p, struct bytes message, int indent, struct buf *out)
{
	struct bytes line;
	bool first = true;
	size_t blank = 0;
	bool usual = p->kind == PRETTY_MEDIUM || p->kind == PRETTY_FULL || p->kind == PRETTY_FULLER;
	size_t tabs = p->tabs >= 0 ? (size_t)p->tabs : usual ? 8 : 0;

	while (git_line(&message, &line)) {
		trim_end(&line);
		if (line.len == 0) {
			if (p->kind == PRETTY_SHORT && !first)
				break;
			blank += !first;
			continue;
		}
		for (; blank > 0; blank--) {
			/* Blank lines carry the indent, as other lines do. */
			buf_fill(out, ' ', (size_t)indent);
			buf_putc(out, '\n');
		}
		first = false;
		buf_fill(out, ' ', (size_t)indent);
		/* Tabs line up as they would without the indent. */
		put_expanded(line, tabs, out);
		buf_putc(out, '\n');
	}
}

static void put_headers(struct git *g, struct pretty *p, const struct commit_text *t,
			const struct commit *c, struct buf *out)
{
	switch (p->kind) {
	case PRETTY_RAW: buf_add(out, (struct bytes){ t->header.ptr, t->header.len - 1 }); return;
	case PRETTY_SHORT:
		put_merge_line(g, p, c, out);
		put_person(g, p, out, "Author: ", t->author, NULL);
		return;
	case PRETTY_FULL:
		put_merge_line(g, p, c, out);
		put_person(g, p, out, "Author: ", t->author, NULL);
		put_person(g, p, out, "Commit: ", t->committer, NULL);
		return;
	case PRETTY_FULLER:
		put_merge_line(g, p, c, out);
		put_person(g, p, out, "Author:     ", t->author, "AuthorDate: ");
		put_person(g, p, out, "Commit:     ", t->committer, "CommitDate: ");
		return;
	default:
		put_merge_line(g, p, c, out);
		put_person(g, p, out, "Author: ", t->author, "Date:   ");
	}
}

static void put_notes(struct git *g, const struct oid *o, struct buf *out)
{
	struct bytes text, line;

	for (struct notes *ns = notes_shown(g); ns != NULL; ns = ns->next) {
		if (!notes_text(g, ns, o, &text))
			continue;
		buf_puts(out, "\nNotes");
		if (strcmp(ns->ref, "refs/notes/commits") != 0)
			buf_printf(out, " (%s)",
				   git_starts(ns->ref, "refs/notes/")
					   ? ns->ref + strlen("refs/notes/")
					   : ns->ref);
		buf_puts(out, ":\n");
		while (git_line(&text, &line)) {
			buf_puts(out, "    ");
			buf_add(out, line);
			buf_putc(out, '\n');
		}
	}
}

/* "From " behind any number of > gets one more. */
static void quote_from(struct bytes text, struct buf *out)
{
	struct bytes line;

	while (git_line(&text, &line)) {
		size_t marks = 0;

		while (marks < line.len && line.ptr[marks] == '>')
			marks++;
		if (bytes_starts(bytes_slice(line, marks, line.len), BYTES("From ")))
			buf_putc(out, '>');
		buf_add(out, line);
		buf_putc(out, '\n');
	}
}

static void put_mail(struct git *g, const struct pretty *p, const struct commit *c, struct buf *out)
{
	const struct mail_style style = { .prefix = "PATCH" };
	struct buf mail = buf_in(g->a);
	struct bytes text, first;

	mail_put(g, &c->oid, &style, &mail);
	text = buf_bytes(&mail);
	if (p->tabs > 0)
		text = expand_body(g, text, (size_t)p->tabs);
	if (p->kind == PRETTY_EMAIL) {
		buf_add(out, text);
		return;
	}
	git_line(&text, &first);
	buf_add(out, first);
	buf_putc(out, '\n');
	quote_from(text, out);
}

void pretty_commit(struct git *g, struct pretty *p, struct commit *c, struct buf *out)
{
	struct arena a;
	struct commit_text t;

	if (p->kind == PRETTY_USER) {
		pretty_format(g, p, c, p->format, out);
		return;
	}
	if (p->kind == PRETTY_REFERENCE) {
		pretty_format(g, p, c, "%C(auto)%h (%s, %ad)", out);
		return;
	}
	if (p->kind == PRETTY_EMAIL || p->kind == PRETTY_MBOXRD) {
		put_mail(g, p, c, out);
		return;
	}
	arena_init_under(&a, g->a);
	commit_text_shown(g, &a, &c->oid, &t, false);
	if (p->kind == PRETTY_ONELINE) {
		buf_add(out, message_subject(&a, t.message));
		if (p->notes)
			put_notes(g, &c->oid, out);
		buf_putc(out, '\n');
	} else {
		put_headers(g, p, &t, c, out);
		size_t body = out->len;

		buf_putc(out, '\n');
		size_t text = out->len;

		put_message(p, t.message, 4, out);
		if (out->len == text)
			out->len = body;
		if (p->notes)
			put_notes(g, &c->oid, out);
	}
	arena_clear(&a);
	buf_cstr(out);
}
