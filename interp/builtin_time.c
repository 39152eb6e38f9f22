/* SPDX-License-Identifier: MIT
 *
 * The time zone of the shell: what printf's %(format)T shows.
 */
#include "base/time.h"
#include "interp/builtin.h"

/* A file of the zone database, or NULL. */
static struct zone *zone_file(struct shell *sh, const char *path)
{
	struct bytes data;

	if (sys_read_file(sh->p, path, sh->arena, &data) < 0)
		return NULL;
	return zone_of_file(sh->arena, data);
}

struct zone *shell_zone(struct shell *sh)
{
	struct var *v = var_find(sh, BYTES("TZ"), name_hash(BYTES("TZ")));
	struct zone *zone = NULL;

	/* As libc sees it: only from the environment. */
	if (v == NULL || (v->flags & VAR_EXPORT) == 0 || (v->flags & VAR_SET) == 0)
		zone = zone_file(sh, "/etc/localtime");
	if (zone != NULL || v == NULL || (v->flags & VAR_EXPORT) == 0 || v->value == NULL)
		return zone != NULL ? zone : zone_of_text(sh->arena, NULL);
	const char *text = v->value + (v->value[0] == ':');
	struct buf path = buf_in(sh->arena);

	if (text[0] != '/')
		buf_puts(&path, "/usr/share/zoneinfo/");
	buf_puts(&path, text);
	if (*text != '\0' && strstr(text, "..") == NULL)
		zone = zone_file(sh, path.ptr);
	return zone != NULL ? zone : zone_of_text(sh->arena, text);
}
