/* SPDX-License-Identifier: MIT
 *
 * ~, ~user, ~+, ~-: home directories, found in /etc/passwd when HOME does not say.
 */
#include "interp/dirs.h"
#include "interp/expand.h"

static struct bytes next_field(struct bytes *line, char end)
{
	const char *at = line->len != 0 ? memchr(line->ptr, end, line->len) : NULL;
	size_t n = at != NULL ? (size_t)(at - line->ptr) : line->len;
	struct bytes field = { line->ptr, n };

	*line = bytes_slice(*line, at != NULL ? n + 1 : n, line->len);
	return field;
}

/* The home directory of the line of /etc/passwd whose field (0 name, 2 uid) has that text. */
static struct bytes passwd_home(struct shell *sh, int key, struct bytes want)
{
	struct bytes file;

	if (sys_read_file(sh->p, "/etc/passwd", sh->arena, &file) < 0)
		return (struct bytes){ NULL, 0 };
	while (file.len != 0) {
		struct bytes line = next_field(&file, '\n');
		struct bytes field[7];

		for (int i = 0; i < 7; i++)
			field[i] = next_field(&line, ':');
		if (bytes_eq(field[key], want))
			return field[5];
	}
	return (struct bytes){ NULL, 0 };
}

static struct bytes own_home(struct shell *sh)
{
	const char *home = var_get_text(sh, "HOME");
	struct buf uid = buf_in(sh->arena);
	struct bytes found;

	if (home != NULL)
		return bytes_of(home);
	buf_put_u64(&uid, sh->p->cred.uid);
	found = passwd_home(sh, 2, buf_bytes(&uid));
	return found.ptr != NULL ? found : BYTES("/");
}

/* ~2, ~+2, ~-0: an entry of the directory stack, or NULL. */
static const char *stack_entry(struct shell *sh, struct bytes name)
{
	bool from_end = name.ptr[0] == '-';
	int64_t n;

	if (name.ptr[0] == '+' || from_end)
		name = bytes_slice(name, 1, name.len);
	if (name.len == 0 || !byte_is_digit(name.ptr[0]) || !arith_plain_number(name, &n) ||
	    n >= dirs_count(sh))
		return NULL;
	return dirs_at(sh, from_end ? dirs_count(sh) - 1 - (int)n : (int)n);
}

struct bytes tilde_directory(struct shell *sh, struct bytes name)
{
	const char *value = NULL;

	if (name.len == 0)
		return own_home(sh);
	if (name.len == 1 && name.ptr[0] == '+')
		value = var_get_text(sh, "PWD");
	else if (name.len == 1 && name.ptr[0] == '-')
		value = var_get_text(sh, "OLDPWD");
	else
		value = stack_entry(sh, name);
	if (value == NULL && name.ptr[0] != '+' && name.ptr[0] != '-')
		return passwd_home(sh, 0, name);
	return value != NULL ? bytes_of(value) : (struct bytes){ NULL, 0 };
}
