/* SPDX-License-Identifier: MIT
 *
 * Replacements: refs/replace/OID says which object is read in place of OID. Commands about what
 * is really stored (fsck, packs, transport) do not look at them.
 */
#include "builtins/git/git.h"

enum { REPLACE_DEPTH_MAX = 5 };

static const char prefix[] = "refs/replace/";

static bool is_off(struct git *g)
{
	static const char *const commands[] = { "fsck",  "gc",     "index-pack",     "pack-objects",
						"prune", "repack", "unpack-objects", "bundle",
						"push",  "clone",  "fetch",          "replace" };

	for (size_t i = 0; g->command != NULL && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(g->command, commands[i]) == 0)
			return true;
	return cmd_getenv(g->c, "GIT_NO_REPLACE_OBJECTS") != NULL ||
	       !config_bool(g, "core.usereplacerefs", true);
}

static void load(struct git *g)
{
	struct ref *list;
	size_t n;

	g->replaced = lookup_new(g);
	if (is_off(g))
		return;
	n = ref_list(g, prefix, &list);
	for (size_t i = 0; i < n; i++) {
		struct oid *pair;

		if (list[i].broken)
			continue;
		pair = arena_array(g->keep, 2, sizeof(*pair));
		if (!oid_parse(list[i].name + sizeof(prefix) - 1, &pair[0]))
			continue;
		pair[1] = list[i].oid;
		*lookup_at(g->replaced, oid_key(&pair[0])) = &pair[1];
	}
}

const struct oid *object_replaced(struct git *g, const struct oid *o)
{
	const struct oid *at = o;

	if (g->replaced == NULL)
		load(g);
	if (lookup_count(g->replaced) == 0)
		return o;
	for (int depth = 0; depth < REPLACE_DEPTH_MAX; depth++) {
		const struct oid *next = lookup_get(g->replaced, oid_key(at));

		if (next == NULL)
			return at;
		at = next;
	}
	git_die(g, "replace depth too high for object %s", oid_hex(g, o));
}
