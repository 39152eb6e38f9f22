/* SPDX-License-Identifier: MIT
 *
 * Users and groups, as /etc/passwd and /etc/group of the session name them.
 */
#include "builtins/cmd_private.h"

enum { FIELDS_MAX = 7 };

struct record {
	struct bytes field[FIELDS_MAX];
};

static struct bytes *table(struct cmd *c, bool groups)
{
	struct bytes *text = groups ? &c->priv->group : &c->priv->passwd;
	bool *have = groups ? &c->priv->has_group : &c->priv->has_passwd;
	const char *path = groups ? "/etc/group" : "/etc/passwd";
	struct arena_mark mark = arena_mark(c->arena);
	struct bytes whole;

	if (*have)
		return text;
	*have = true;
	if (sys_read_file(c->p, path, c->arena, &whole) >= 0)
		*text = (struct bytes){ pool_dup(c->pool, whole), whole.len };
	else
		*text = BYTES("");
	arena_release(c->arena, mark);
	return text;
}

/* Takes one line off *rest. False at the end. */
static bool next_record(struct bytes *rest, struct record *out)
{
	if (rest->len == 0)
		return false;
	const char *end = memchr(rest->ptr, '\n', rest->len);
	size_t len = end != NULL ? (size_t)(end - rest->ptr) : rest->len;
	struct bytes line = bytes_slice(*rest, 0, len);

	*rest = bytes_slice(*rest, end != NULL ? len + 1 : len, rest->len);
	*out = (struct record){ 0 };
	for (size_t i = 0, from = 0; i < FIELDS_MAX; i++) {
		const char *colon = from < len ? memchr(line.ptr + from, ':', len - from) : NULL;
		size_t to = colon != NULL ? (size_t)(colon - line.ptr) : len;

		out->field[i] = bytes_slice(line, from, to);
		from = to < len ? to + 1 : len;
	}
	return true;
}

static bool field_number(struct bytes s, uint32_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!byte_is_digit(s.ptr[i]) || value > UINT32_MAX)
			return false;
		value = value * 10 + (uint64_t)(s.ptr[i] - '0');
	}
	*out = (uint32_t)value;
	return s.len > 0;
}

static const char *name_of(struct cmd *c, uint32_t id, bool groups)
{
	struct bytes rest = *table(c, groups);
	struct record r;
	uint32_t value;

	while (next_record(&rest, &r))
		if (field_number(r.field[2], &value) && value == id)
			return cmd_slot(c, r.field[0]);
	return NULL;
}

const char *cmd_user_name(struct cmd *c, uint32_t uid)
{
	return name_of(c, uid, false);
}

const char *cmd_group_name(struct cmd *c, uint32_t gid)
{
	return name_of(c, gid, true);
}

bool cmd_user_id(struct cmd *c, const char *name, uint32_t *uid, uint32_t *gid)
{
	struct bytes rest = *table(c, false);
	struct record r;

	while (next_record(&rest, &r))
		if (bytes_is(r.field[0], name))
			return field_number(r.field[2], uid) && field_number(r.field[3], gid);
	return false;
}

bool cmd_group_id(struct cmd *c, const char *name, uint32_t *gid)
{
	struct bytes rest = *table(c, true);
	struct record r;

	while (next_record(&rest, &r))
		if (bytes_is(r.field[0], name))
			return field_number(r.field[2], gid);
	return false;
}

static bool lists(struct bytes members, struct bytes user)
{
	for (size_t from = 0; from <= members.len;) {
		size_t to = from;

		while (to < members.len && members.ptr[to] != ',')
			to++;
		if (bytes_eq(bytes_slice(members, from, to), user))
			return true;
		from = to + 1;
	}
	return false;
}

size_t cmd_user_groups(struct cmd *c, const char *user, uint32_t gid, uint32_t **out)
{
	struct bytes rest = *table(c, true);
	struct record r;
	size_t n = 1;

	/* As many as there are lines, at most. */
	*out = arena_array(c->arena, rest.len / 4 + 2, sizeof(**out));
	(*out)[0] = gid;
	while (next_record(&rest, &r)) {
		uint32_t id;

		if (field_number(r.field[2], &id) && id != gid && lists(r.field[3], bytes_of(user)))
			(*out)[n++] = id;
	}
	return n;
}

uint32_t cmd_uid(struct cmd *c)
{
	return c->p->cred.uid;
}

uint32_t cmd_gid(struct cmd *c)
{
	return c->p->cred.gid;
}

size_t cmd_groups(struct cmd *c, const uint32_t **out)
{
	*out = c->p->cred.groups;
	return c->p->cred.ngroups;
}
