/* SPDX-License-Identifier: MIT
 *
 * Incremental archives, read: a directory's list of what is in it (incremental.c) is shown, or
 * what is not in it is deleted.
 *
 * The list is an attacker's: names that lead out are refused, and only what stands in the
 * directory itself is ever deleted.
 */
#include "builtins/tar/tar.h"

/* The next record: its code, or 0 at the end. name is NUL-terminated. */
static char next_record(struct tar *t, struct bytes list, size_t *at, const char **name)
{
	if (*at >= list.len || list.ptr[*at] == '\0')
		return '\0';
	char code = list.ptr[(*at)++];

	*name = list.ptr + *at;
	*at += strlen(*name) + 1;
	cmd_charge(t->c, 1);
	return code;
}

bool tar_read_list(struct tar *t, struct tar_member *m)
{
	struct buf text = buf_in(t->c->arena);
	uint64_t left = m->size;

	if (m->type != 'D')
		return m->list.ptr != NULL;
	if (m->size > TAR_EXTENDED_MAX)
		tar_fatal(t, 0, "Header of %llu bytes: too long", (unsigned long long)m->size);
	while (left > 0) {
		struct bytes part = archive_data(t, left);

		if (part.len == 0) {
			tar_error(t, 0, "Unexpected EOF in archive");
			tar_fatal(t, 0, NULL);
		}
		buf_add(&text, part);
		left -= part.len;
	}
	archive_skip_padding(t, m->size);
	m->size = 0;
	buf_cstr(&text);
	m->list = buf_bytes(&text);
	return true;
}

void tar_show_list(struct tar *t, const struct tar_member *m)
{
	struct buf out = buf_in(t->c->arena);
	const char *name;
	size_t at = 0;
	char code;

	while ((code = next_record(t, m->list, &at, &name)) != '\0') {
		buf_printf(&out, "%c ", code);
		tar_put_name(t, &out, name);
		buf_putc(&out, '\n');
	}
	buf_putc(&out, '\n');
	output_write(t->listing, out.ptr, out.len);
}

/* --- renaming --- */

/* Whether the name stays below; "" is the temporary directory. */
static bool is_safe(struct tar *t, const char *name)
{
	if (t->absolute || (name[0] != '/' && !tar_has_dotdot(name)))
		return true;
	tar_error(t, 0, "%s: Member name contains '..'", tar_quote(t, name));
	return false;
}

static const char *make_temporary(struct tar *t, const char *dir)
{
	struct buf path = buf_in(t->c->arena);

	for (unsigned i = 0; i < 1000; i++) {
		path.len = 0;
		buf_printf(&path, "%s%star.%06u", dir, *dir != '\0' ? "/" : "", i);
		int err = cmd_mkdir(t->c, CMD_CWD, buf_cstr(&path), 0700);

		if (err == 0)
			return path.ptr;
		if (err != -E_EXIST)
			break;
	}
	tar_error(t, 0, "Cannot create temporary directory using template %s",
		  cmd_quote(t->c, "tar.XXXXXX"));
	return NULL;
}

static bool move(struct tar *t, const char *from, const char *to)
{
	if (!is_safe(t, from) || !is_safe(t, to))
		return false;
	int err = cmd_rename(t->c, CMD_CWD, from, CMD_CWD, to, 0);

	if (err < 0) {
		struct buf text = buf_in(t->c->arena);

		buf_puts(&text, cmd_quote(t->c, from));
		tar_error(t, err, "Cannot rename %s to %s", buf_cstr(&text), cmd_quote(t->c, to));
	}
	return err >= 0;
}

/* Does what X, R and T say. False: something could not be done. */
static bool rename_listed(struct tar *t, struct bytes list)
{
	const char *temporary = NULL;
	const char *from = NULL;
	const char *name;
	size_t at = 0;
	char code;

	while ((code = next_record(t, list, &at, &name)) != '\0') {
		if (code == 'X') {
			if (!is_safe(t, name))
				return false;
			temporary = make_temporary(t, name);
			if (temporary == NULL)
				return false;
		}
		if (code != 'R' && code != 'T')
			continue;
		if (*name == '\0')
			name = temporary;
		if (name == NULL || (code == 'T' && from == NULL)) {
			tar_error(t, 0, "Malformed dumpdir: %s",
				  name == NULL ? "empty name in 'R'" : "'T' not preceded by 'R'");
			return false;
		}
		if (code == 'R')
			from = name;
		else if (!move(t, from, name))
			return false;
		else
			from = NULL;
	}
	return true;
}

/* --- deleting --- */

/* The code of a name, or 0. at: where the last one was found; lists mostly are in order. */
static char find_record(struct tar *t, struct bytes list, size_t *at, const char *wanted)
{
	const char *name;
	char code;

	for (int pass = 0; pass < 2; pass++) {
		while ((code = next_record(t, list, at, &name)) != '\0')
			if (strchr("YND", code) != NULL && strcmp(name, wanted) == 0)
				return code;
		*at = 0;
	}
	return '\0';
}

static void delete (struct tar *t, const char *path)
{
	struct buf text = buf_in(t->c->arena);

	if (t->interactive && !tar_confirm(t, "delete", path))
		return;
	if (t->verbose > 0) {
		buf_printf(&text, "%s: Deleting %s\n", t->c->name, cmd_quote(t->c, path));
		output_write(t->listing, text.ptr, text.len);
	}
	int err = tar_remove_tree(t, path);

	if (err < 0)
		tar_error(t, err, "%s: Cannot remove", tar_quote(t, path));
}

void tar_purge(struct tar *t, const char *dir, struct bytes list)
{
	struct vfs_dirent *entries;
	struct vfs_stat own;
	struct vfs_stat st;
	size_t n;
	size_t at = 0;

	if (!rename_listed(t, list) || cmd_lstat(t->c, dir, &own) < 0 ||
	    (own.mode & S_FMT) != S_DIR ||
	    cmd_list(t->c, CMD_CWD, dir, t->c->arena, &entries, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct arena_mark mark = arena_mark(t->c->arena);
		struct buf path = buf_in(t->c->arena);
		char code = find_record(t, list, &at, entries[i].name.ptr);

		buf_printf(&path, "%s/%s", dir, entries[i].name.ptr);
		if (cmd_lstat(t->c, buf_cstr(&path), &st) == 0) {
			bool is_dir = (st.mode & S_FMT) == S_DIR;

			if (is_dir && t->one_device && st.dev != own.dev)
				tar_warn(t, 0,
					 "%s: directory is on a different device: not purging",
					 tar_quote(t, path.ptr));
			else if (code == '\0' || (code == 'D') != is_dir)
				if (code != 'N')
					delete (t, path.ptr);
		}
		tar_release(t, mark);
		cmd_charge(t->c, 4);
	}
}
