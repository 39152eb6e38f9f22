/* SPDX-License-Identifier: MIT
 *
 * Which processes ps shows: lists of numbers and names, and options that take many at once.
 *
 * No process has a terminal. So plain ps shows all of one's own, as they have the same one as ps,
 * and what BSD's style takes by terminals is nothing.
 */
#include "base/number.h"
#include "builtins/ps/private.h"

enum { NAME_MAX_ = 15, OTHER_TTY = 1 };

static void add_match(struct ps *s, struct ps_match m)
{
	s->o.match = arena_room(s->c->arena, s->o.match, s->o.nmatches, sizeof m);
	s->o.match[s->o.nmatches++] = m;
}

/* As strtol reads it, 0x and 0 included; what is too large is negative. */
static bool read_number(const char *text, int64_t *out)
{
	bool overflow = false;
	size_t len = strlen(text);
	size_t used = number_parse_i64((struct bytes){ text, len }, 0, out, &overflow);

	if (overflow)
		*out = -1;
	if (len == 0)
		*out = 0;
	return used == len;
}

static const char *read_pid(const char *text, int64_t *id)
{
	if (!read_number(text, id))
		return "process ID list syntax error";
	return *id < 1 || *id > INT32_MAX ? "process ID out of range" : NULL;
}

/* Behind -N those that are not there are no error: all are others. */
static const char *read_id(struct ps *s, bool group, const char *text, int64_t *id)
{
	const char *wrong = NULL;
	uint32_t a = 0;
	uint32_t b;

	if (!read_number(text, id)) {
		if (group ? !cmd_group_id(s->c, text, &a) : !cmd_user_id(s->c, text, &a, &b))
			wrong = group ? "group name does not exist" : "user name does not exist";
		*id = a;
	}
	if (wrong == NULL && (*id < 0 || *id >= UINT32_MAX))
		wrong = group ? "group ID out of range" : "user ID out of range";
	if (wrong != NULL && s->o.negate) {
		*id = -1;
		return NULL;
	}
	return wrong;
}

/* Terminals are named as in /dev, in /dev/tty, or by their path. */
static const char *read_tty(struct ps *s, const char *text, int64_t *id)
{
	static const char *const places[] = { "/dev/%s", "/dev/tty%s", "%s" };

	*id = 0;
	if (strcmp(text, "-") == 0 || strcmp(text, "?") == 0)
		return NULL;
	*id = OTHER_TTY;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct buf path = buf_in(s->c->arena);
		struct vfs_stat st;

		buf_printf(&path, places[i], text);
		if (cmd_stat(s->c, buf_cstr(&path), &st) == 0 && (st.mode & S_FMT) == S_CHR)
			return NULL;
	}
	return "TTY could not be found";
}

static const char *read_item(struct ps *s, enum ps_by by, const char *text, struct ps_match *m)
{
	*m = (struct ps_match){ by, 0, text };
	switch (by) {
	case BY_NAME: return NULL;
	case BY_TTY: return read_tty(s, text, &m->id);
	case BY_USER:
	case BY_REAL_USER: return read_id(s, false, text, &m->id);
	case BY_GROUP:
	case BY_REAL_GROUP: return read_id(s, true, text, &m->id);
	default: return read_pid(text, &m->id);
	}
}

/* The next item of a list, separated by commas or blanks; NULL: it is empty. */
static const char *next_item(struct ps *s, const char **list, bool *last)
{
	size_t len = strcspn(*list, ", \t\n");
	const char *item = arena_dup(s->c->arena, (struct bytes){ *list, len });

	cmd_charge(s->c, 2);
	*last = (*list)[len] == '\0';
	*list += len + !*last;
	return len != 0 ? item : NULL;
}

const char *ps_add_list(struct ps *s, enum ps_by by, const char *list, const char *what,
			const char *option)
{
	bool last = false;

	if (list == NULL || *list == '\0')
		return ps_error(s, "%s must follow %s", what, option);
	/* That the list is well formed comes before what its items say. */
	for (const char *at = list; !last;)
		if (next_item(s, &at, &last) == NULL)
			return "improper list";
	for (last = false; !last;) {
		struct ps_match m;
		const char *wrong = read_item(s, by, next_item(s, &list, &last), &m);

		if (wrong != NULL)
			return wrong;
		add_match(s, m);
	}
	return NULL;
}

const char *ps_add_number(struct ps *s, enum ps_by by, const char *text)
{
	struct ps_match m;
	const char *wrong = read_item(s, by, text, &m);

	if (wrong == NULL)
		add_match(s, m);
	return wrong;
}

const char *ps_add_quick(struct ps *s, const char *list, const char *option)
{
	size_t before = s->o.nmatches;

	if (list == NULL || *list == '\0')
		return ps_error(s, "List of process IDs must follow %s.%s", option, "");
	s->o.quick_twice |= s->o.nquick != 0;
	const char *wrong = ps_add_list(s, BY_PID, list, "", "");

	for (size_t i = before; i < s->o.nmatches; i++) {
		s->o.quick = arena_room(s->c->arena, s->o.quick, s->o.nquick, sizeof *s->o.quick);
		s->o.quick[s->o.nquick++] = s->o.match[i].id;
	}
	s->o.nmatches = before;
	return wrong;
}

const char *ps_add_sessions_or_groups(struct ps *s, const char *list)
{
	static const char wrong[] = "list of session leaders OR effective group IDs was invalid";
	bool numbers = true;
	bool last = false;
	int64_t id;

	if (list == NULL || *list == '\0')
		return "list of session leaders OR effective group names must follow -g";
	for (const char *at = list; !last;) {
		const char *item = next_item(s, &at, &last);

		if (item == NULL)
			return wrong;
		numbers &= read_number(item, &id);
	}
	for (last = false; !last;) {
		const char *item = next_item(s, &list, &last);

		if (numbers ? !read_number(item, &id) || id < 0 || id > INT32_MAX
			    : read_id(s, true, item, &id) != NULL)
			return wrong;
		add_match(s, (struct ps_match){ numbers ? BY_SID : BY_GROUP, id, item });
	}
	return NULL;
}

/* --- matching --- */

static bool matches(const struct ps_match *m, const struct cmd_proc *p)
{
	switch (m->by) {
	case BY_PID: return p->pid == m->id;
	case BY_PPID: return p->ppid == m->id;
	case BY_NAME: return strncmp(p->name, m->name, NAME_MAX_) == 0;
	case BY_USER: return p->uid == m->id;
	case BY_REAL_USER: return p->real_uid == m->id;
	case BY_GROUP: return p->gid == m->id;
	case BY_REAL_GROUP: return p->real_gid == m->id;
	case BY_SID: return p->sid == m->id;
	case BY_PGID: return p->pgid == m->id;
	case BY_TTY: return m->id == 0;
	}
	return false;
}

/* What options without a list take. */
static bool taken(const struct ps *s, const struct cmd_proc *p)
{
	const struct ps_options *o = &s->o;
	bool own = p->uid == cmd_uid(s->c);

	if (o->all || (o->others && o->without_tty))
		return true;
	if (o->not_leaders && p->pid != p->sid)
		return true;
	if (o->without_tty)
		return own;
	return own && !o->bsd && o->nmatches == 0 && !o->with_tty && !o->not_leaders;
}

bool ps_is_chosen(const struct ps *s, const struct cmd_proc *p)
{
	bool yes = taken(s, p);

	for (size_t i = 0; i < s->o.nmatches && !yes; i++)
		yes = matches(&s->o.match[i], p);
	cmd_charge(s->c, s->o.nmatches / 16 + 1);
	if (s->o.running && p->state != 'R')
		yes = false;
	return yes != s->o.negate;
}
