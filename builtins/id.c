/* SPDX-License-Identifier: MIT
 *
 * id - users and groups, of the process or by name.
 */
#include "builtins/builtin.h"

struct id_opts {
	bool group;
	bool groups;
	bool name;
	bool real;
	bool user;
	bool zero;
	bool context;
};

struct person {
	uint32_t uid;
	uint32_t gid;
	const uint32_t *groups;
	size_t ngroups;
};

static const struct opt id_options[] = {
	OPT_IGNORED('a', NULL, "no effect"),
	OPT_FLAG('Z', "context", struct id_opts, context, "security context (none here)"),
	OPT_FLAG('g', "group", struct id_opts, group, "only the group"),
	OPT_FLAG('G', "groups", struct id_opts, groups, "only all groups"),
	OPT_FLAG('n', "name", struct id_opts, name, "with -u, -g, -G: names"),
	OPT_FLAG('r', "real", struct id_opts, real, "with -u, -g, -G: real ids"),
	OPT_FLAG('u', "user", struct id_opts, user, "only the user"),
	OPT_FLAG('z', "zero", struct id_opts, zero, "with those: end with NUL"),
	OPT_END(),
};

static int put_id(struct cmd *c, const struct id_opts *o, uint32_t id, bool group)
{
	const char *name = NULL;

	if (o->name) {
		name = group ? cmd_group_name(c, id) : cmd_user_name(c, id);
		if (name == NULL) {
			cmd_error(c, 0, "cannot find name for %s ID %u", group ? "group" : "user",
				  id);
			cmd_printf(c, "%u", id);
			return 1;
		}
	}
	if (name != NULL)
		cmd_puts(c, name);
	else
		cmd_printf(c, "%u", id);
	return 0;
}

static void put_named(struct cmd *c, uint32_t id, bool group)
{
	const char *name = group ? cmd_group_name(c, id) : cmd_user_name(c, id);

	cmd_printf(c, "%u", id);
	if (name != NULL)
		cmd_printf(c, "(%s)", name);
}

static int put_person(struct cmd *c, const struct id_opts *o, const struct person *p)
{
	int status = 0;

	if (o->user || o->group)
		return put_id(c, o, o->user ? p->uid : p->gid, o->group);
	if (o->groups) {
		for (size_t i = 0; i < p->ngroups; i++) {
			if (i > 0)
				cmd_putc(c, o->zero ? '\0' : ' ');
			status |= put_id(c, o, p->groups[i], true);
		}
		return status;
	}
	cmd_puts(c, "uid=");
	put_named(c, p->uid, false);
	cmd_puts(c, " gid=");
	put_named(c, p->gid, true);
	for (size_t i = 0; i < p->ngroups; i++) {
		cmd_puts(c, i == 0 ? " groups=" : ",");
		put_named(c, p->groups[i], true);
	}
	return 0;
}

/* The process's own; its group first. */
static struct person myself(struct cmd *c)
{
	const uint32_t *list;
	size_t n = cmd_groups(c, &list);
	uint32_t *all = arena_array(c->arena, n + 1, sizeof(*all));
	struct person p = { cmd_uid(c), cmd_gid(c), all, 1 };

	all[0] = p.gid;
	for (size_t i = 0; i < n; i++)
		if (list[i] != p.gid)
			all[p.ngroups++] = list[i];
	return p;
}

/* A number as the real one takes it: after blanks, with a plus sign. */
static bool user_number(const char *text, uint64_t *out)
{
	while (byte_is_space((unsigned char)*text))
		text++;
	return num_plain(text + (*text == '+'), out) && *out <= UINT32_MAX;
}

static bool find_person(struct cmd *c, const char *name, struct person *p)
{
	uint32_t *list;
	uint64_t number;

	if (!cmd_user_id(c, name, &p->uid, &p->gid)) {
		if (!user_number(name, &number))
			return false;
		const char *real = cmd_user_name(c, (uint32_t)number);

		if (real == NULL || !cmd_user_id(c, real, &p->uid, &p->gid))
			return false;
		name = arena_dup(c->arena, bytes_of(real));
	}
	p->ngroups = cmd_user_groups(c, name, p->gid, &list);
	p->groups = list;
	return true;
}

static int check_options(struct cmd *c, const struct id_opts *o)
{
	int kinds = o->user + o->group + o->groups;

	if (o->context)
		return cmd_error(c, 0, "--context (-Z) works only on an SELinux-enabled kernel");
	if (kinds > 1)
		return cmd_error(c, 0, "cannot print \"only\" of more than one choice");
	if (kinds == 0 && (o->name || o->real))
		return cmd_error(c, 0, "cannot print only names or real IDs in default format");
	if (kinds == 0 && o->zero)
		return cmd_error(c, 0, "option --zero not permitted in default format");
	return 0;
}

static int id_run(struct cmd *c)
{
	const struct id_opts *o = c->opts;
	int status = check_options(c, o);

	if (status != 0)
		return status;
	if (c->nargs == 0) {
		struct person me = myself(c);

		status = put_person(c, o, &me);
		cmd_putc(c, o->zero ? '\0' : '\n');
	}
	for (int i = 0; i < c->nargs; i++) {
		struct person p;

		if (!find_person(c, c->args[i], &p)) {
			/* An empty name is not even looked for. */
			status = cmd_error(c, *c->args[i] == '\0' ? -E_NOENT : 0,
					   "%s: no such user", cmd_quote(c, c->args[i]));
			continue;
		}
		status |= put_person(c, o, &p);
		cmd_putc(c, o->zero ? '\0' : '\n');
		if (o->zero && o->groups && c->nargs > 1)
			cmd_putc(c, '\0');
	}
	return status;
}

const struct builtin builtin_id = {
	.name = "id",
	.usage = "[OPTION]... [USER]...",
	.summary = "Writes user and group ids.",
	.run = id_run,
	.opts = id_options,
	.opts_size = sizeof(struct id_opts),
};
