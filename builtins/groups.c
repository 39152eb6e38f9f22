/* SPDX-License-Identifier: MIT
 *
 * groups - the groups of users.
 */
#include "builtins/builtin.h"

static void put_group(struct cmd *c, uint32_t gid, bool first)
{
	const char *name = cmd_group_name(c, gid);

	if (!first)
		cmd_putc(c, ' ');
	if (name != NULL)
		cmd_puts(c, name);
	else
		cmd_printf(c, "%u", gid);
}

/* The groups of this process: the effective one first. */
static int put_own(struct cmd *c)
{
	const uint32_t *list;
	size_t n = cmd_groups(c, &list);

	put_group(c, cmd_gid(c), true);
	for (size_t i = 0; i < n; i++)
		if (list[i] != cmd_gid(c))
			put_group(c, list[i], false);
	cmd_putc(c, '\n');
	return 0;
}

static int put_user(struct cmd *c, const char *user)
{
	uint32_t *list;
	uint32_t uid;
	uint32_t gid;

	if (!cmd_user_id(c, user, &uid, &gid))
		return cmd_error(c, 0, "%s: no such user", cmd_quote(c, user));
	size_t n = cmd_user_groups(c, user, gid, &list);

	cmd_printf(c, "%s : ", user);
	for (size_t i = 0; i < n; i++)
		put_group(c, list[i], i == 0);
	cmd_putc(c, '\n');
	return 0;
}

static int groups_run(struct cmd *c)
{
	int status = 0;

	if (c->nargs == 0)
		return put_own(c);
	for (int i = 0; i < c->nargs; i++) {
		status |= put_user(c, c->args[i]);
		cmd_charge(c, 4);
	}
	return status;
}

const struct builtin builtin_groups = {
	.name = "groups",
	.usage = "[OPTION]... [USERNAME]...",
	.summary = "Writes the groups of each user, or of this process.",
	.run = groups_run,
};
