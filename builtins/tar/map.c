/* SPDX-License-Identifier: MIT
 *
 * tar --owner-map, --group-map: who is stored in place of whom. A line of such a file is
 * "OLD NEW", where OLD is a name or +ID, and NEW a name, +ID, NAME:ID or :ID.
 */
#include "builtins/tar/tar.h"

struct tar_map {
	struct tar_map *next;
	uint64_t from;
	uint64_t id;
	const char *name; /* NULL: that of the id */
};

static bool find_id(struct cmd *c, const char *name, bool group, uint32_t *id)
{
	uint32_t unused;

	return group ? cmd_group_id(c, name, id) : cmd_user_id(c, name, id, &unused);
}

/* "+12", or a name. False after a message. */
static bool take_id(struct tar *t, const char *text, bool group, const char *place, uint64_t *out)
{
	const char *what = group ? "GID" : "UID";
	uint32_t id;

	if (text[0] != '+') {
		if (!find_id(t->c, text, group, &id)) {
			tar_error(t, 0, "%s: can't obtain %s of %s", place, what, text);
			return false;
		}
		*out = id;
		return true;
	}
	text++;
	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') {
		tar_error(t, 0, "%s: invalid %s: %s", place, what, text);
		return false;
	}
	if (!num_plain(text, out) || *out > UINT32_MAX) {
		tar_error(t, 0, "%s: %s out of range: %s", place, what, text);
		return false;
	}
	return true;
}

/* NEW. False after a message. */
static bool take_new(struct tar *t, char *text, bool group, const char *place, struct tar_map *m)
{
	char *colon = strchr(text, ':');
	struct buf number = buf_in(t->c->arena);

	if (colon == NULL) {
		m->name = text[0] != '+' ? text : NULL;
		return take_id(t, text, group, place, &m->id);
	}
	*colon = '\0';
	m->name = text;
	buf_printf(&number, "+%s", colon + 1);
	return take_id(t, buf_cstr(&number), group, place, &m->id);
}

/* One line. False after a message. */
static bool take_line(struct tar *t, char *line, bool group, const char *place)
{
	struct tar_map ***end = group ? &t->groups_end : &t->owners_end;
	struct tar_map *m = arena_zalloc(t->c->arena, sizeof *m);
	char *from = line + strspn(line, " \t");
	char *to = from + strcspn(from, " \t");

	if (*from == '\0' || *from == '#')
		return true;
	if (*to != '\0')
		*to++ = '\0';
	to += strspn(to, " \t");
	char *rest = to + strcspn(to, " \t");

	bool good = *to != '\0' && take_id(t, from, group, place, &m->from);

	/* Blanks at the end are no more words. */
	if (*to == '\0' || (good && rest[strspn(rest, " \t")] != '\0')) {
		tar_error(t, 0, "%s: malformed line", place);
		return false;
	}
	*rest = '\0';
	if (!good || !take_new(t, to, group, place, m))
		return false;
	**end = m;
	*end = &m->next;
	return true;
}

void tar_read_map(struct tar *t, const char *path, bool group)
{
	struct input in;
	struct bytes line;
	size_t number = 0;
	bool good = true;

	t->owners_end = t->owners_end != NULL ? t->owners_end : &t->owners;
	t->groups_end = t->groups_end != NULL ? t->groups_end : &t->groups;
	if (path == NULL)
		return;
	int err = input_open(&in, t->c, path);

	if (err < 0)
		tar_fatal(t, err, "%s: Cannot open", tar_quote(t, path));
	while (input_line(&in, '\n', &line) > 0) {
		struct buf place = buf_in(t->c->arena);

		buf_printf(&place, "%s:%zu", path, ++number);
		good &= take_line(t, arena_dup(t->c->arena, line), group, buf_cstr(&place));
		cmd_charge_bytes(t->c, line.len + 64);
	}
	input_close(&in);
	if (!good) {
		tar_error(t, 0, "errors reading map file");
		tar_fatal(t, 0, NULL);
	}
}

/* Who stands for id, or NULL: nobody. */
static const struct tar_map *look_up(struct tar *t, const struct tar_map *m, uint64_t id)
{
	for (; m != NULL; m = m->next) {
		cmd_charge(t->c, 1);
		if (m->from == id)
			return m;
	}
	return NULL;
}

bool tar_map_owner(struct tar *t, uint32_t uid, uint64_t *out, const char **name)
{
	const struct tar_map *m = look_up(t, t->owners, uid);

	if (m == NULL)
		return false;
	*out = m->id;
	*name = m->name != NULL ? m->name : cmd_user_name(t->c, (uint32_t)m->id);
	return true;
}

bool tar_map_group(struct tar *t, uint32_t gid, uint64_t *out, const char **name)
{
	const struct tar_map *m = look_up(t, t->groups, gid);

	if (m == NULL)
		return false;
	*out = m->id;
	*name = m->name != NULL ? m->name : cmd_group_name(t->c, (uint32_t)m->id);
	return true;
}
