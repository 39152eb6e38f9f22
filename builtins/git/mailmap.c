/* SPDX-License-Identifier: MIT
 *
 * .mailmap: people who appear under several names or addresses.
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
	struct oid o;

	if (g->mailmap != NULL)
		return g->mailmap;
	g->mailmap = arena_zalloc(g->keep, sizeof(*g->mailmap));
	if (!g->bare && file_read(g, g->keep, ".mailmap", &text) == 0)
		add_text(g, g->mailmap, text);
	if (g->bare && rev_parse(g, "HEAD:.mailmap", &o) == 0 &&
	    object_read(g, g->keep, &o, &text) == OBJECT_BLOB)
		add_text(g, g->mailmap, text);
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
