/* SPDX-License-Identifier: MIT
 *
 * Time zones from the environment and the session's zone files.
 */
#include "builtins/zone.h"

static struct zone *zone_of_path(struct cmd *c, const char *path)
{
	struct bytes content;

	if (cmd_read_all(c, path, &content) != 0)
		return NULL;
	return zone_of_file(c->arena, content);
}

struct zone *zone_of_name(struct cmd *c, const char *name)
{
	struct buf path = buf_in(c->arena);
	struct zone *zone;

	if (name[0] == ':')
		name++;
	if (name[0] != '/')
		buf_puts(&path, "/usr/share/zoneinfo/");
	buf_puts(&path, name);
	zone = name[0] != '\0' ? zone_of_path(c, buf_cstr(&path)) : NULL;
	return zone != NULL ? zone : zone_of_text(c->arena, name);
}

struct zone *zone_of_command(struct cmd *c)
{
	const char *name = cmd_getenv(c, "TZ");
	struct zone *zone;

	if (name != NULL)
		return zone_of_name(c, name);
	zone = zone_of_path(c, "/etc/localtime");
	return zone != NULL ? zone : zone_of_text(c->arena, NULL);
}
