/* SPDX-License-Identifier: MIT
 *
 * Which file a patch is for: the names in its headings, and which of them are refused.
 */
#include "builtins/patch/patch.h"

const char *patch_strip_name(const struct patch_opts *o, const char *name)
{
	int64_t left = o->strip;

	if (name == NULL || strcmp(name, "/dev/null") == 0)
		return NULL;
	if (left < 0) {
		const char *slash = strrchr(name, '/');

		return slash != NULL ? slash + 1 : name;
	}
	for (const char *at = name; *at != '\0'; at++) {
		if (*at != '/' || left <= 0)
			continue;
		while (at[1] == '/')
			at++;
		left--;
		name = at + 1;
	}
	return left <= 0 && *name != '\0' ? name : NULL;
}

static size_t count_parts(const char *name)
{
	size_t n = 1;

	for (; *name != '\0'; name++)
		n += *name == '/' && name[1] != '/';
	return n;
}

static const char *base_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash != NULL ? slash + 1 : name;
}

/* Fewest parts, then the shortest last part, then the shortest. */
static bool is_better(const char *a, const char *b)
{
	size_t parts[2] = { count_parts(a), count_parts(b) };
	size_t base[2] = { strlen(base_of(a)), strlen(base_of(b)) };

	if (parts[0] != parts[1])
		return parts[0] < parts[1];
	if (base[0] != base[1])
		return base[0] < base[1];
	return strlen(a) < strlen(b);
}

/* A name that could lead out of the directory is refused. */
static bool is_safe(struct cmd *c, const char *name, bool say)
{
	char *cwd = NULL;
	bool safe = name[0] != '/' || (cmd_getcwd(c, &cwd) == 0 && strcmp(cwd, "/") == 0);

	for (const char *at = name; safe && at != NULL; at = strchr(at, '/')) {
		at += *at == '/';
		safe = !(at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == '\0'));
	}
	if (!safe && say)
		cmd_printf(c, "Ignoring potentially dangerous file name %s\n", name);
	return safe;
}

const char *patch_choose_name(struct cmd *c, const struct patch_opts *o, struct patch_file *f,
			      bool reverse)
{
	const char *best[2] = { NULL, NULL }; /* existing, any */

	if (f->rename_from != NULL) {
		f->name[0] = reverse ? f->rename_to : f->rename_from;
		f->name[1] = NULL;
		best[1] = f->name[0];
		if (o->strip > 1)
			best[1] = patch_strip_name(&(struct patch_opts){ .strip = o->strip - 1 },
						   best[1]);
		return best[1];
	}
	for (int i = 0; i < 3; i++) {
		const char *name = patch_strip_name(o, f->name[i]);
		struct vfs_stat st;

		if (name == NULL)
			continue;
		if (best[1] == NULL || is_better(name, best[1]))
			best[1] = name;
		if (cmd_lstat(c, name, &st) < 0)
			continue;
		if (is_safe(c, name, false) && (best[0] == NULL || is_better(name, best[0])))
			best[0] = name;
	}
	if (best[0] != NULL)
		return best[0];
	if ((f->says[0] == 0 && f->says[1] == 0) || best[1] == NULL)
		return NULL;
	return is_safe(c, best[1], true) ? best[1] : NULL;
}

bool patch_leads_out(struct cmd *c, const struct patch_opts *o, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *to, *cwd;

	if (o->named || slash == NULL || slash == path)
		return false;
	path = arena_dup(c->arena, (struct bytes){ path, (size_t)(slash - path) });
	if (cmd_canonical(c, path, CANON_MISSING, &to) < 0)
		return true;
	if (cmd_canonical(c, ".", CANON_EXISTING, &cwd) < 0)
		return false;
	size_t len = strcmp(cwd, "/") == 0 ? 0 : strlen(cwd);

	return strncmp(to, cwd, len) != 0 || (to[len] != '/' && to[len] != '\0');
}
