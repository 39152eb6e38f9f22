/* SPDX-License-Identifier: MIT
 *
 * .mailmap: people who appear under several names or addresses; git check-mailmap.
 */
#include "builtins/git/walk.h"

struct mailmap {
	struct map_line {
		struct bytes name, mail;         /* proper ones; empty: as they are */
		struct bytes old_name, old_mail; /* name empty: any */
	} * at;
	size_t n;
	size_t cap;
};

/* "Name <mail>": false if there is none. */
static bool take_person(struct bytes *line, struct bytes *name, struct bytes *mail)
{
	const char *open = line->len != 0 ? memchr(line->ptr, '<', line->len) : NULL;
	const char *close = open != NULL ? memchr(open, '>', line->len - (size_t)(open - line->ptr))
					 : NULL;

	if (close == NULL)
		return false;
	*name = git_trim((struct bytes){ line->ptr, (size_t)(open - line->ptr) });
	*mail = git_trim((struct bytes){ open + 1, (size_t)(close - open - 1) });
	*line = bytes_slice(*line, (size_t)(close + 1 - line->ptr), line->len);
	return true;
}

static void add_text(struct git *g, struct mailmap *m, struct bytes text)
{
	struct bytes line;

	while (git_line(&text, &line)) {
		struct map_line l = { .old_name = { "", 0 } };
		struct bytes name, mail;

		if (line.len == 0 || line.ptr[0] == '#' || !take_person(&line, &name, &mail))
			continue;
		l.name = name;
		l.mail = mail;
		if (!take_person(&line, &l.old_name, &l.old_mail)) {
			l.old_mail = mail;
			l.mail = (struct bytes){ "", 0 };
		}
		LIST_ROOM(g, m->at, m->n, m->cap);
		m->at[m->n++] = l;
		cmd_charge(g->c, 1);
	}
}

static struct mailmap *load(struct git *g)
{
	struct bytes text;
	const char *file = config_get(g, "mailmap.file");
	const char *blob = config_get(g, "mailmap.blob");
	struct oid o;

	if (g->mailmap != NULL)
		return g->mailmap;
	g->mailmap = arena_zalloc(g->keep, sizeof(*g->mailmap));
	if (!g->bare && file_read(g, g->keep, ".mailmap", &text) == 0)
		add_text(g, g->mailmap, text);
	if (blob == NULL && g->bare)
		blob = "HEAD:.mailmap";
	if (blob != NULL && rev_parse(g, blob, &o) == 0) {
		if (object_read(g, g->keep, &o, &text) == OBJECT_BLOB)
			add_text(g, g->mailmap, text);
		else
			git_error(g, "mailmap is not a blob: %s", blob);
	}
	if (file != NULL && file_read(g, g->keep, config_expand_path(g, file), &text) == 0)
		add_text(g, g->mailmap, text);
	return g->mailmap;
}

void mailmap_apply(struct git *g, struct person *who)
{
	struct mailmap *m = load(g);
	const struct map_line *hit = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct map_line *l = &m->at[i];

		if (!git_eq_nocase(l->old_mail, who->mail))
			continue;
		if (l->old_name.len != 0 && !git_eq_nocase(l->old_name, who->name))
			continue;
		if (hit == NULL || l->old_name.len != 0 || hit->old_name.len == 0)
			hit = l;
	}
	cmd_charge(g->c, m->n / 8 + 1);
	if (hit == NULL)
		return;
	if (hit->name.len != 0)
		who->name = hit->name;
	if (hit->mail.len != 0)
		who->mail = hit->mail;
}

/* --- check-mailmap --- */

struct check_opts {
	bool from_stdin;
};

static const struct git_option check_options[] = {
	GIT_FLAG(0, "stdin", struct check_opts, from_stdin),
	GIT_END(),
};
static const char *const check_usage[] = { "git check-mailmap [<options>] <contact>...", NULL };

static void check_contact(struct git *g, struct bytes contact)
{
	struct bytes rest = contact;
	struct person who = { .valid = true };

	if (!take_person(&rest, &who.name, &who.mail))
		git_die(g, "unable to parse contact: %.*s", (int)contact.len, contact.ptr);
	mailmap_apply(g, &who);
	cmd_bytes(g->c, who.name);
	if (who.name.len != 0)
		cmd_putc(g->c, ' ');
	git_printf(g, "<%.*s>\n", (int)who.mail.len, who.mail.ptr);
}

int git_cmd_check_mailmap(struct git *g, struct args *args)
{
	struct check_opts o = { false };
	const struct git_parser p = { check_options, &o, check_usage, 0, NULL };
	struct bytes text, line;

	git_parse(g, args, &p);
	if (args->argc == 0 && !o.from_stdin)
		git_die(g, "no contacts specified");
	for (int i = 0; i < args->argc; i++)
		check_contact(g, bytes_of(args->argv[i]));
	text = o.from_stdin ? file_stdin(g) : BYTES("");
	while (git_line(&text, &line))
		check_contact(g, line);
	return 0;
}
