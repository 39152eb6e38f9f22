/* SPDX-License-Identifier: MIT
 *
 * Logs of references: one line for each change, oldest first.
 */
#include "builtins/git/git.h"
#include "builtins/git/share.h"

static char *log_path(struct git *g, const char *ref)
{
	/* Those of another work tree are in its own part. */
	if (git_starts(ref, "main-worktree/"))
		return git_format(g->a, "%s/logs/%s", g->common, ref + 14);
	if (git_starts(ref, "worktrees/") && strchr(ref + 10, '/') != NULL) {
		int n = (int)(strchr(ref + 10, '/') - ref);

		return git_format(g->a, "%s/%.*s/logs%s", g->common, n, ref, ref + n);
	}
	return repo_path(g, g->a, git_format(g->a, "logs/%s", ref));
}

bool reflog_exists(struct git *g, const char *ref)
{
	struct vfs_stat st;

	return cmd_lstat(g->c, log_path(g, ref), &st) == 0 && (st.mode & S_FMT) == S_REG;
}

static bool parse_line(struct bytes line, struct reflog_entry *out)
{
	const char *tab;

	if (line.len < 2 * OID_HEX + 2 || !oid_parse(line.ptr, &out->before) ||
	    line.ptr[OID_HEX] != ' ' || !oid_parse(line.ptr + OID_HEX + 1, &out->after) ||
	    line.ptr[2 * OID_HEX + 1] != ' ')
		return false;
	line = bytes_slice(line, 2 * OID_HEX + 2, line.len);
	tab = memchr(line.ptr, '\t', line.len);
	out->who = line;
	out->message = (struct bytes){ "", 0 };
	if (tab != NULL) {
		out->who.len = (size_t)(tab - line.ptr);
		out->message = bytes_slice(line, out->who.len + 1, line.len);
	}
	return true;
}

size_t reflog_read(struct git *g, const char *ref, struct reflog_entry **out)
{
	struct bytes text;
	struct bytes line;
	size_t n = 0;
	size_t cap = 0;

	*out = NULL;
	if (file_read(g, g->keep, log_path(g, ref), &text) < 0)
		return 0;
	while (git_line(&text, &line)) {
		LIST_ROOM(g, *out, n, cap);
		if (parse_line(line, &(*out)[n]))
			n++;
		cmd_charge(g->c, 1);
	}
	return n;
}

void reflog_add(struct git *g, const char *ref, const struct oid *before, const struct oid *after,
		const char *message)
{
	struct buf line = buf_in(g->a);
	char *path = log_path(g, ref);
	bool blank = false;
	int err;

	oid_put(&line, before);
	buf_putc(&line, ' ');
	oid_put(&line, after);
	buf_printf(&line, " %s", ident_log(g));
	for (const char *p = message; *p != '\0'; p++) {
		if (byte_is_space((unsigned char)*p)) {
			blank = true;
			continue;
		}
		if (p == message || line.ptr[line.len - 1] == '>')
			blank = false;
		if (memchr(line.ptr, '\t', line.len) == NULL)
			buf_putc(&line, '\t');
		else if (blank)
			buf_putc(&line, ' ');
		blank = false;
		buf_putc(&line, *p);
	}
	buf_putc(&line, '\n');
	err = file_append(g, path, buf_bytes(&line));
	if (err == -E_NOENT) {
		file_make_parents(g, path);
		err = file_append(g, path, buf_bytes(&line));
	}
	share_path(g, path);
	if (err < 0)
		git_warn(g, "unable to append to '%s': %s", path, err_text(err));
}

void reflog_create(struct git *g, const char *ref)
{
	char *path = log_path(g, ref);

	if (file_exists(g, path))
		return;
	file_make_parents(g, path);
	file_append(g, path, (struct bytes){ "", 0 });
	share_path(g, path);
}

void reflog_write(struct git *g, const char *ref, const struct reflog_entry *e, size_t n)
{
	struct buf out = buf_in(g->a);
	char *path = log_path(g, ref);

	for (size_t i = 0; i < n; i++) {
		oid_put(&out, &e[i].before);
		buf_putc(&out, ' ');
		oid_put(&out, &e[i].after);
		buf_putc(&out, ' ');
		buf_add(&out, e[i].who);
		if (e[i].message.len != 0) {
			buf_putc(&out, '\t');
			buf_add(&out, e[i].message);
		}
		buf_putc(&out, '\n');
	}
	file_make_parents(g, path);
	file_write_locked(g, path, buf_bytes(&out));
}
