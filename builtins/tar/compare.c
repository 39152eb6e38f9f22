/* SPDX-License-Identifier: MIT
 *
 * tar -d: what differs between members and files.
 */
#include "builtins/tar/tar.h"

static void differs(struct tar *t, const struct tar_member *m, const char *what)
{
	struct arena_mark mark = arena_mark(t->c->arena);
	struct buf text = buf_in(t->c->arena);

	tar_put_name(t, &text, m->name);
	buf_printf(&text, ": %s\n", what);
	output_write(t->listing, text.ptr, text.len);
	arena_release(t->c->arena, mark);
	if (t->status == 0)
		t->status = 1;
}

static void missing(struct tar *t, int err, const char *what, const struct tar_member *m)
{
	tar_warn(t, err, "%s: Warning: Cannot %s", tar_quote(t, m->name), what);
	if (t->status == 0)
		t->status = 1;
}

static void check_mode(struct tar *t, const struct tar_member *m, const struct vfs_stat *st)
{
	if ((st->mode & 07777) != m->mode)
		differs(t, m, "Mode differs");
}

static bool time_is_other(const struct tar_member *m, const struct vfs_stat *st)
{
	int64_t seconds = st->mtime_ns / 1000000000 - (st->mtime_ns % 1000000000 < 0);
	uint32_t ns = (uint32_t)(st->mtime_ns - seconds * 1000000000);

	/* Formats without fractions can't tell more. */
	return seconds != m->mtime_s || (m->mtime_ns != 0 && ns != m->mtime_ns);
}

static bool same_bytes(struct tar *t, int fd, uint64_t n)
{
	bool same = true;

	while (n > 0) {
		struct bytes part = archive_data(t, n);
		struct bytes rest = part;

		if (part.len == 0) {
			tar_error(t, 0, "Unexpected EOF in archive");
			tar_fatal(t, 0, NULL);
		}
		while (same && rest.len > 0) {
			const char *view;
			int64_t got = cmd_view(t->c, fd, rest.len, &view);

			same = got > 0 && memcmp(view, rest.ptr, (size_t)got) == 0;
			if (same)
				rest = bytes_slice(rest, (size_t)got, rest.len);
		}
		cmd_charge_bytes(t->c, part.len);
		n -= part.len;
	}
	return same;
}

static void compare_data(struct tar *t, const struct tar_member *m)
{
	int fd = cmd_open(t->c, CMD_CWD, m->name, O_RDONLY_ | O_CLOEXEC_ | O_NOFOLLOW_, 0);
	bool same = true;

	if (fd < 0) {
		tar_error(t, fd, "%s: Cannot open", tar_quote(t, m->name));
		tar_skip_data(t, m);
		return;
	}
	if (!m->is_sparse)
		same = same_bytes(t, fd, m->size);
	for (size_t i = 0; m->is_sparse && i < m->nmap; i++) {
		cmd_seek(t->c, fd, (int64_t)m->map[i].offset, 0);
		same = same_bytes(t, fd, m->map[i].size) && same;
	}
	archive_skip_padding(t, m->size);
	cmd_close(t->c, fd);
	if (!same)
		differs(t, m, "Contents differ");
}

static void diff_regular(struct tar *t, const struct tar_member *m, const struct vfs_stat *st)
{
	uint32_t uid;
	uint32_t gid;

	if ((st->mode & S_FMT) != S_REG) {
		differs(t, m, "File type differs");
		tar_skip_data(t, m);
		return;
	}
	check_mode(t, m, st);
	tar_owner_of(t, m, &uid, &gid);
	if (st->uid != uid)
		differs(t, m, "Uid differs");
	if (st->gid != gid)
		differs(t, m, "Gid differs");
	if (time_is_other(m, st))
		differs(t, m, "Mod time differs");
	if (st->size != m->real) {
		differs(t, m, "Size differs");
		tar_skip_data(t, m);
		return;
	}
	compare_data(t, m);
}

static void diff_link(struct tar *t, const struct tar_member *m)
{
	struct vfs_stat file;
	struct vfs_stat target;
	int err = cmd_lstat(t->c, m->name, &file);

	if (err < 0) {
		missing(t, err, "stat", m);
		return;
	}
	err = cmd_lstat(t->c, m->link, &target);
	if (err < 0) {
		missing(t, err, "stat", m);
		return;
	}
	if (file.ino != target.ino || file.dev != target.dev) {
		struct buf text = buf_in(t->c->arena);

		buf_puts(&text, "Not linked to ");
		tar_put_name(t, &text, m->link);
		differs(t, m, buf_cstr(&text));
	}
}

static void diff_symlink(struct tar *t, const struct tar_member *m)
{
	struct bytes target;
	int err = cmd_readlink(t->c, CMD_CWD, m->name, &target);

	if (err < 0)
		missing(t, err, "readlink", m);
	else if (!bytes_is(target, m->link))
		differs(t, m, "Symlink differs");
}

static void diff_other(struct tar *t, const struct tar_member *m, const struct vfs_stat *st)
{
	uint32_t type = m->type == '5' || m->type == 'D' ? S_DIR
			: m->type == '6'                 ? S_FIFO
			: m->type == '3'                 ? S_CHR
							 : S_BLK;

	if ((st->mode & S_FMT) != type) {
		differs(t, m, "File type differs");
		return;
	}
	if ((type == S_CHR || type == S_BLK) &&
	    st->rdev != ((uint64_t)m->major << 8 | (m->minor & 0xff)))
		differs(t, m, "Device number differs");
	check_mode(t, m, st);
}

void tar_diff_member(struct tar *t, struct tar_member *m)
{
	struct vfs_stat st;
	int err;

	if (t->verbose > 0)
		tar_list_line(t, m, t->verbose > 1);
	if (m->type == 'V' || m->type == '1' || m->type == '2') {
		if (m->type == '1')
			diff_link(t, m);
		else if (m->type == '2')
			diff_symlink(t, m);
		tar_skip_data(t, m);
		return;
	}
	err = t->follow ? cmd_stat(t->c, m->name, &st) : cmd_lstat(t->c, m->name, &st);
	if (err < 0) {
		missing(t, err, "stat", m);
		tar_skip_data(t, m);
	} else if (m->type == '0') {
		diff_regular(t, m, &st);
	} else {
		diff_other(t, m, &st);
		tar_skip_data(t, m);
	}
}
