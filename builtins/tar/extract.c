/* SPDX-License-Identifier: MIT
 *
 * tar -x: members into files.
 *
 * An archive must not write outside the directory it is extracted in: names lose what leads
 * out, members named ".." are refused, and a symbolic link that leads out is made only when all
 * else is done; until then an empty file stands in its place. Directories get their modes and
 * times at the end as well, so that they can be filled before.
 */
#include "builtins/tar/tar.h"

struct tar_restore {
	struct tar_restore *next;
	char *path;
	int dir; /* where the path begins */
	uint32_t mode;
	bool has_mode;
	bool has_owner;
	uint32_t uid;
	uint32_t gid;
	int64_t mtime_ns;
};

struct tar_delayed {
	struct tar_delayed *next;
	char *path;
	char *target;
	int dir;
	vfs_ino ino; /* of the file that stands in its place */
	int64_t mtime_ns;
	uint32_t uid;
	uint32_t gid;
};

static int64_t member_time(const struct tar_member *m)
{
	if (m->mtime_s > INT64_MAX / 1000000000 - 1)
		return INT64_MAX - 1;
	if (m->mtime_s < INT64_MIN / 1000000000 + 1)
		return INT64_MIN + 1;
	return m->mtime_s * 1000000000 + m->mtime_ns;
}

/* --- attributes --- */

void tar_owner_of(struct tar *t, const struct tar_member *m, uint32_t *uid, uint32_t *gid)
{
	uint32_t unused;

	*uid = (uint32_t)m->uid;
	*gid = (uint32_t)m->gid;
	if (t->has_uid)
		*uid = (uint32_t)t->uid;
	else if (!t->numeric && m->uname != NULL && *m->uname != '\0')
		cmd_user_id(t->c, m->uname, uid, &unused);
	if (t->has_gid)
		*gid = (uint32_t)t->gid;
	else if (!t->numeric && m->gname != NULL && *m->gname != '\0')
		cmd_group_id(t->c, m->gname, gid);
}

static uint32_t mode_of(struct tar *t, const struct tar_member *m)
{
	uint32_t mode = m->mode;

	if (t->mode_change != NULL)
		mode = mode_apply(t->mode_change, mode, m->type == '5', cmd_umask(t->c));
	return t->same_mode > 0 ? mode : mode & 0777 & ~cmd_umask(t->c);
}

static void set_owner(struct tar *t, const char *path, const struct tar_member *m)
{
	uint32_t uid;
	uint32_t gid;

	if (t->same_owner <= 0)
		return;
	tar_owner_of(t, m, &uid, &gid);
	int err = cmd_chown(t->c, CMD_CWD, path, uid, gid, CMD_NOFOLLOW);

	if (err < 0)
		tar_error(t, err, "%s: Cannot change ownership to uid %u, gid %u",
			  tar_quote(t, path), uid, gid);
}

/* A time that can't be, or not yet. */
static void check_time(struct tar *t, const char *path, const struct tar_member *m)
{
	int64_t now = cmd_now(t->c);
	int64_t time = member_time(m);
	struct buf text = buf_in(t->c->arena);

	if (t->unwanted & NOTE_TIME)
		return;
	if (m->mtime_s < 0) {
		tar_time_text(t, &text, m->mtime_s, m->mtime_ns, true);
		tar_warn(t, 0, "%s: implausibly old time stamp %s", tar_quote(t, path),
			 buf_cstr(&text));
	} else if (time > now) {
		uint64_t ahead = (uint64_t)(time - now);
		struct buf span = buf_in(t->c->arena);

		tar_time_text(t, &text, m->mtime_s, m->mtime_ns, true);
		buf_printf(&span, "%llu.%09llu", (unsigned long long)(ahead / 1000000000),
			   (unsigned long long)(ahead % 1000000000));
		while (span.ptr[span.len - 1] == '0')
			span.ptr[--span.len] = '\0';
		if (span.ptr[span.len - 1] == '.')
			span.ptr[--span.len] = '\0';
		tar_warn(t, 0, "%s: time stamp %s is %s s in the future", tar_quote(t, path),
			 buf_cstr(&text), buf_cstr(&span));
	}
}

/* Owner, mode and time of what was just made. */
static void set_attributes(struct tar *t, const char *path, const struct tar_member *m)
{
	bool link = m->type == '2';
	bool attributes = xattr_any(t, m);

	if (attributes) {
		/* Who may not write a file gives it none. */
		if (!link && (m->mode & 0200) == 0)
			(void)cmd_chmod(t->c, CMD_CWD, path, 0600, 0);
		xattr_restore(t, path, m);
	}
	set_owner(t, path, m);
	if (!link && (t->same_mode > 0 || (attributes && (m->mode & 0200) == 0))) {
		int err = cmd_chmod(t->c, CMD_CWD, path, mode_of(t, m), 0);

		if (err < 0)
			tar_error(t, err, "%s: Cannot change mode to %s", tar_quote(t, path), "");
	}
	if (t->touch)
		return;
	if (!link)
		check_time(t, path, m);
	int err = cmd_utimes(t->c, CMD_CWD, path, CMD_TIME_NOW, member_time(m), CMD_NOFOLLOW);

	if (err < 0)
		tar_error(t, err, "%s: Cannot utime", tar_quote(t, path));
}

static void restore_later(struct tar *t, const char *path, const struct tar_member *m)
{
	struct tar_restore *r = pool_zalloc(t->c->pool, sizeof *r);

	xattr_restore(t, path, m);
	r->path = pool_dup(t->c->pool, bytes_of(path));
	r->dir = t->here;
	r->mode = mode_of(t, m);
	r->has_mode = true;
	r->has_owner = t->same_owner > 0;
	tar_owner_of(t, m, &r->uid, &r->gid);
	r->mtime_ns = t->touch ? CMD_TIME_OMIT : member_time(m);
	if (!t->touch)
		check_time(t, path, m);
	r->next = t->restore;
	t->restore = r;
}

/* --- making room for a file --- */

/* The directories that lead to path. False: they can't be made. */
static bool make_parents(struct tar *t, const char *path)
{
	bool made = false;

	for (const char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
		char *dir = arena_dup(t->c->arena, (struct bytes){ path, (size_t)(at - path) });
		int err = cmd_mkdir(t->c, CMD_CWD, dir, 0777);

		cmd_charge(t->c, 1);
		if (err == 0)
			made = true;
		else if (err != -E_EXIST)
			return false;
	}
	return made;
}

int tar_remove_tree(struct tar *t, const char *path)
{
	struct vfs_stat st;
	struct walk *w = walk_new(t->c, path, WALK_POST);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_DIR)
			continue;
		cmd_unlink(t->c, e->dir, e->at, e->kind == WALK_DIR_END ? CMD_REMOVEDIR : 0);
		cmd_charge(t->c, 1);
	}
	walk_free(w);
	return cmd_lstat(t->c, path, &st) == 0 ? -E_NOTEMPTY : 0;
}

static bool remove_old(struct tar *t, const char *path)
{
	struct vfs_stat st;

	if (cmd_lstat(t->c, path, &st) < 0)
		return false;
	if ((st.mode & S_FMT) != S_DIR)
		return cmd_unlink(t->c, CMD_CWD, path, 0) == 0;
	if (t->recursive_unlink)
		tar_remove_tree(t, path);
	return cmd_unlink(t->c, CMD_CWD, path, CMD_REMOVEDIR) == 0 ||
	       cmd_lstat(t->c, path, &st) == -E_NOENT;
}

enum recovery { RECOVER_AGAIN, RECOVER_SKIP, RECOVER_FAIL };

/* What to do about an error of making path. */
static enum recovery recover(struct tar *t, const char *path, int err, const struct tar_member *m,
			     int *tries)
{
	struct vfs_stat st;

	if (++*tries > 3)
		return RECOVER_FAIL;
	if (err == -E_NOENT)
		return make_parents(t, path) ? RECOVER_AGAIN : RECOVER_FAIL;
	if (err != -E_EXIST && err != -E_ISDIR && err != -E_LOOP)
		return RECOVER_FAIL;
	switch (t->keep) {
	case KEEP_SKIP:
		if (tar_tells(t, NOTE_EXISTING))
			tar_note(t, NOTE_EXISTING, "%s: skipping existing file",
				 tar_quote(t, path));
		return RECOVER_SKIP;
	case KEEP_OLD: return RECOVER_FAIL;
	case KEEP_NEWER:
		if (cmd_lstat(t->c, path, &st) == 0 && st.mtime_ns >= member_time(m)) {
			tar_note(t, NOTE_NEWER, "Current %s is newer or same age",
				 cmd_quote(t->c, path));
			return RECOVER_SKIP;
		}
		break;
	default: break;
	}
	return remove_old(t, path) ? RECOVER_AGAIN : RECOVER_FAIL;
}

/* --- data --- */

struct sink {
	int fd;
	int err; /* of writing: the rest of the data is skipped */
};

static void put(struct tar *t, struct sink *s, struct bytes data)
{
	if (s->err == 0)
		s->err = cmd_write_fd(t->c, s->fd, data.ptr, data.len);
	cmd_charge_bytes(t->c, data.len);
}

static void copy_bytes(struct tar *t, struct sink *s, uint64_t n)
{
	while (n > 0) {
		struct bytes part = archive_data(t, n);

		if (part.len == 0) {
			/* Once for reading, and once for skipping what is missing. */
			tar_error(t, 0, "Unexpected EOF in archive");
			tar_error(t, 0, "Unexpected EOF in archive");
			tar_fatal(t, 0, NULL);
		}
		put(t, s, part);
		n -= part.len;
	}
}

static void put_hole(struct tar *t, struct sink *s, uint64_t n)
{
	static const char zeros[4096];

	for (; n > 0 && s->err == 0; n -= n < sizeof zeros ? n : sizeof zeros)
		put(t, s, (struct bytes){ zeros, n < sizeof zeros ? (size_t)n : sizeof zeros });
}

/* A sparse file: seeks over holes, or (pipes) writes zeros. */
static void copy_sparse(struct tar *t, struct sink *s, const struct tar_member *m, bool seek)
{
	uint64_t left = m->size;
	uint64_t at = 0;

	for (size_t i = 0; i < m->nmap; i++) {
		uint64_t n = m->map[i].size < left ? m->map[i].size : left;

		if (seek)
			cmd_seek(t->c, s->fd, (int64_t)m->map[i].offset, 0);
		else
			put_hole(t, s, m->map[i].offset - at);
		copy_bytes(t, s, n);
		at = m->map[i].offset + n;
		left -= n;
	}
	while (left > 0) {
		size_t got = archive_data(t, left).len;

		if (got == 0)
			break;
		left -= got;
	}
	if (seek && s->err == 0)
		s->err = cmd_truncate_fd(t->c, s->fd, m->real);
	else if (m->real > at)
		put_hole(t, s, m->real - at);
}

static void copy_data(struct tar *t, struct sink *s, const struct tar_member *m, bool seek)
{
	if (m->is_sparse)
		copy_sparse(t, s, m, seek);
	else
		copy_bytes(t, s, m->size);
	archive_skip_padding(t, m->size);
}

bool tar_backup(struct tar *t, const char *path)
{
	struct vfs_stat st;

	if (!t->backup.wanted || t->backup.kind == BACKUP_NONE || cmd_lstat(t->c, path, &st) < 0 ||
	    (st.mode & S_FMT) == S_DIR)
		return true;
	const char *to = backup_name(t->c, &t->backup, path);
	int err = cmd_rename(t->c, CMD_CWD, path, CMD_CWD, to, 0);

	if (err < 0) {
		tar_error(t, err, "%s: Cannot rename to %s", tar_quote(t, path),
			  cmd_quote(t->c, to));
		return false;
	}
	if (t->verbose > 0) {
		struct buf text = buf_in(t->c->arena);

		/* Quoted texts are in slots of their own. */
		buf_printf(&text, "Renaming %s to ", cmd_quote(t->c, path));
		buf_printf(&text, "%s\n", cmd_quote(t->c, to));
		output_write(t->listing, text.ptr, text.len);
	}
	return true;
}

static void extract_regular(struct tar *t, const char *path, const struct tar_member *m)
{
	bool over = t->keep == KEEP_OVERWRITE;
	unsigned flags = O_WRONLY_ | O_CREAT_ | O_CLOEXEC_ |
			 (over ? O_TRUNC_ | O_NOFOLLOW_ : O_EXCL_);
	int tries = 0;
	int fd;

	if (!tar_backup(t, path)) {
		tar_skip_data(t, m);
		return;
	}
	if (t->keep == KEEP_UNLINK)
		remove_old(t, path);
	while ((fd = cmd_open(t->c, CMD_CWD, path, flags, m->mode & 0777)) < 0) {
		enum recovery r = recover(t, path, fd, m, &tries);

		if (r == RECOVER_AGAIN)
			continue;
		if (r == RECOVER_FAIL)
			tar_error(t, fd, "%s: Cannot open", tar_quote(t, path));
		tar_skip_data(t, m);
		return;
	}
	struct sink s = { fd, 0 };

	copy_data(t, &s, m, true);
	cmd_close(t->c, fd);
	if (s.err < 0)
		tar_error(t, s.err, "%s: Cannot write", tar_quote(t, path));
	else
		set_attributes(t, path, m);
}

/* --- to other places --- */

static void extract_stdout(struct tar *t, const struct tar_member *m)
{
	struct sink s = { 1, 0 };

	output_flush(&t->c->out);
	copy_data(t, &s, m, false);
	if (s.err == -E_PIPE)
		cmd_die(t->c, 13);
	if (s.err < 0)
		tar_fatal(t, s.err, "-: Cannot write");
}

static void set_variable(struct tar *t, struct env *env, const char *name, const char *value)
{
	struct buf text = buf_in(t->c->arena);

	buf_printf(&text, "TAR_%s=%s", name, value);
	env_put(env, buf_cstr(&text));
}

static void set_number(struct tar *t, struct env *env, const char *name, const char *format,
		       uint64_t v)
{
	struct buf text = buf_in(t->c->arena);

	if (format[1] == 'o')
		buf_printf(&text, "0%o", (unsigned)v);
	else
		buf_put_u64(&text, v);
	set_variable(t, env, name, buf_cstr(&text));
}

static void set_environment(struct tar *t, struct env *env, const struct tar_member *m)
{
	static const char *const formats[] = { "gnu", "oldgnu", "ustar", "v7", "posix" };

	env_init(env, t->c, false);
	set_variable(t, env, "VERSION", "1.34");
	set_variable(t, env, "ARCHIVE", t->file);
	set_number(t, env, "VOLUME", "%u", 1);
	set_number(t, env, "BLOCKING_FACTOR", "%u", t->factor);
	set_variable(t, env, "FORMAT", formats[m->format]);
	set_variable(t, env, "FILETYPE", "f");
	set_number(t, env, "MODE", "%o", m->mode);
	set_variable(t, env, "FILENAME", m->name);
	set_variable(t, env, "REALNAME", m->stored);
	set_variable(t, env, "UNAME", m->uname);
	set_variable(t, env, "GNAME", m->gname);
	set_number(t, env, "MTIME", "%u", (uint64_t)m->mtime_s);
	set_number(t, env, "SIZE", "%u", m->real);
	set_number(t, env, "UID", "%u", m->uid);
	set_number(t, env, "GID", "%u", m->gid);
}

static void extract_command(struct tar *t, const struct tar_member *m)
{
	static char sh[] = "/bin/sh";
	static char flag[] = "-c";
	char *argv[] = { sh, flag, arena_dup(t->c->arena, bytes_of(t->to_command)), NULL };
	struct env env;
	int ends[2];
	int err = cmd_pipe(t->c, ends);

	if (err < 0)
		tar_fatal(t, err, "Cannot open pipe");
	set_environment(t, &env, m);
	int fds[] = { ends[0], 1, 2 };
	struct cmd_program prog = { .argv = argv, .envp = env.list, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(t->c, &prog);

	cmd_close(t->c, ends[0]);
	struct sink s = { ends[1], 0 };

	copy_data(t, &s, m, false);
	cmd_close(t->c, ends[1]);
	int status = 0;

	if (pid < 0)
		tar_fatal(t, pid, "%s: Cannot exec", "/bin/sh");
	cmd_wait(t->c, pid, &status, false);
	if ((status & 0x7f) != 0)
		tar_error(t, 0, "%d: Child terminated on signal %d", pid, status & 0x7f);
	else if (status >> 8 != 0 && !t->ignore_command)
		tar_error(t, 0, "%d: Child returned status %d", pid, status >> 8);
}

/* --- other kinds --- */

static bool is_directory(struct tar *t, const char *path)
{
	struct vfs_stat st;

	if (cmd_lstat(t->c, path, &st) < 0)
		return false;
	if ((st.mode & S_FMT) == S_LNK && t->keep_dir_symlink && cmd_stat(t->c, path, &st) < 0)
		return false;
	return (st.mode & S_FMT) == S_DIR;
}

static void extract_dir(struct tar *t, const char *path, const struct tar_member *m)
{
	int tries = 0;
	int err;

	tar_skip_data(t, m);
	while ((err = cmd_mkdir(t->c, CMD_CWD, path, (m->mode & 0777) | 0700)) < 0) {
		if (err == -E_EXIST && is_directory(t, path)) {
			if (!t->no_overwrite_dir && t->keep != KEEP_OLD && t->keep != KEEP_SKIP)
				restore_later(t, path, m);
			else if (t->keep == KEEP_SKIP && tar_tells(t, NOTE_EXISTING))
				tar_note(t, NOTE_EXISTING, "%s: skipping existing file",
					 tar_quote(t, path));
			return;
		}
		enum recovery r = recover(t, path, err, m, &tries);

		if (r == RECOVER_AGAIN)
			continue;
		if (r == RECOVER_FAIL)
			tar_error(t, err, "%s: Cannot mkdir", tar_quote(t, path));
		return;
	}
	restore_later(t, path, m);
}

static void delay(struct tar *t, const char *path, const struct tar_member *m, const char *target,
		  vfs_ino ino)
{
	struct tar_delayed *d = pool_zalloc(t->c->pool, sizeof *d);

	d->path = pool_dup(t->c->pool, bytes_of(path));
	d->target = pool_dup(t->c->pool, bytes_of(target));
	d->dir = t->here;
	d->ino = ino;
	d->mtime_ns = t->touch ? CMD_TIME_OMIT : member_time(m);
	tar_owner_of(t, m, &d->uid, &d->gid);
	d->next = t->delayed;
	t->delayed = d;
}

/* An empty file where a link that leads out will be. */
static int place_holder(struct tar *t, const char *path, const struct tar_member *m)
{
	struct vfs_stat st;
	int fd = cmd_open(t->c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_EXCL_ | O_CLOEXEC_, 0);

	if (fd < 0)
		return fd;
	if (cmd_fstat(t->c, fd, &st) == 0)
		delay(t, path, m, m->link, st.ino);
	cmd_close(t->c, fd);
	return 0;
}

static int make_symlink(struct tar *t, const char *path, const struct tar_member *m)
{
	if (!t->absolute && (m->link[0] == '/' || tar_has_dotdot(m->link)))
		return place_holder(t, path, m);
	int err = cmd_symlink(t->c, m->link, CMD_CWD, path);

	if (err == 0)
		set_attributes(t, path, m);
	return err;
}

static int make_link(struct tar *t, const char *path, const struct tar_member *m)
{
	struct vfs_stat old;
	struct vfs_stat new;
	int err = cmd_link(t->c, CMD_CWD, m->link, CMD_CWD, path, false);

	if (err == -E_EXIST && cmd_lstat(t->c, m->link, &old) == 0 &&
	    cmd_lstat(t->c, path, &new) == 0 && old.ino == new.ino &&old.dev == new.dev)
		return 0;
	if (err < 0 || cmd_lstat(t->c, path, &new) < 0)
		return err;
	for (struct tar_delayed *d = t->delayed; d != NULL; d = d->next) {
		cmd_charge(t->c, 1);
		if (d->ino != new.ino)
			continue;
		delay(t, path, m, d->target, d->ino);
		break;
	}
	return 0;
}

static int make_node(struct tar *t, const char *path, const struct tar_member *m)
{
	uint32_t type = m->type == '6' ? S_FIFO : m->type == '3' ? S_CHR : S_BLK;
	int err = cmd_mknod(t->c, CMD_CWD, path, type | (m->mode & 0777),
			    (uint64_t)m->major << 8 | (m->minor & 0xff));

	if (err == 0)
		set_attributes(t, path, m);
	return err;
}

static void report(struct tar *t, int err, const char *path, const struct tar_member *m)
{
	if (m->type == '2')
		tar_error(t, err, "%s: Cannot create symlink to %s", tar_quote(t, path),
			  cmd_quote(t->c, m->link));
	else if (m->type == '1')
		tar_error(t, err, "%s: Cannot hard link to %s", tar_quote(t, path),
			  cmd_quote(t->c, m->link));
	else
		tar_error(t, err, m->type == '6' ? "%s: Cannot mkfifo" : "%s: Cannot mknod",
			  tar_quote(t, path));
}

static void extract_special(struct tar *t, const char *path, const struct tar_member *m)
{
	int tries = 0;

	tar_skip_data(t, m);
	if (!tar_backup(t, path))
		return;
	if (t->keep == KEEP_UNLINK)
		remove_old(t, path);
	for (;;) {
		int err = m->type == '2'   ? make_symlink(t, path, m)
			  : m->type == '1' ? make_link(t, path, m)
					   : make_node(t, path, m);

		if (err >= 0)
			return;
		/* A missing target is not to be recovered from by making directories. */
		enum recovery r = recover(t, path, err, m, &tries);

		if (r == RECOVER_FAIL)
			report(t, err, path, m);
		if (r != RECOVER_AGAIN)
			return;
	}
}

/* --- one member --- */

static const char *below_top(struct tar *t, const char *name)
{
	struct bytes top = bytes_of(t->top_level);
	struct buf out = buf_in(t->c->arena);

	if (bytes_starts(bytes_of(name), top) && (name[top.len] == '/' || name[top.len] == '\0'))
		return name;
	buf_printf(&out, strcmp(name, ".") == 0 ? "%s" : "%s/%s", t->top_level, name);
	return buf_cstr(&out);
}

static bool refused(struct tar *t, struct tar_member *m)
{
	if (!t->absolute && tar_has_dotdot(m->stored)) {
		tar_error(t, 0, "%s: Member name contains '..'", tar_quote(t, m->stored));
		return true;
	}
	return m->name[0] == '\0' || (t->interactive && !tar_confirm(t, "extract", m->name));
}

void tar_extract_member(struct tar *t, struct tar_member *m)
{
	bool to_other = t->to_stdout || t->to_command != NULL;

	if (m->type != 'V' && refused(t, m)) {
		tar_skip_data(t, m);
		return;
	}
	if (t->has_top_level && m->type != 'V') {
		m->name = below_top(t, m->name);
		if (m->type == '1')
			m->link = below_top(t, m->link);
	}
	if (t->verbose > 0)
		tar_list_line(t, m, t->verbose > 1);
	if (m->type == 'M') {
		tar_error(t, 0, "%s: Cannot extract -- file is continued from another volume",
			  tar_quote(t, m->name));
		tar_skip_data(t, m);
		return;
	}
	if (strchr("0123456DV", m->type) == NULL) {
		tar_warn(t, 0, "%s: Unknown file type '%c', extracted as normal file",
			 tar_quote(t, m->name), m->type);
		m->type = '0';
	}
	if (m->type == 'V' || (to_other && m->type != '0'))
		tar_skip_data(t, m);
	else if (t->to_stdout)
		extract_stdout(t, m);
	else if (t->to_command != NULL)
		extract_command(t, m);
	else if (m->type == '0')
		extract_regular(t, m->name, m);
	else if (m->type == '5' || m->type == 'D') {
		if (t->incremental && tar_read_list(t, m))
			tar_purge(t, m->name, m->list);
		extract_dir(t, m->name, m);
	} else
		extract_special(t, m->name, m);
}

/* --- the beginning and the end --- */

void tar_extract_begin(struct tar *t)
{
	bool root = cmd_uid(t->c) == 0;

	if (t->same_owner < 0)
		t->same_owner = root;
	if (t->same_mode < 0)
		t->same_mode = root;
	if (t->to_command != NULL)
		cmd_signal(t->c, 13, CMD_SIG_IGNORE);
}

static void make_delayed(struct tar *t, const struct tar_delayed *d)
{
	struct vfs_stat st;

	names_chdir(t, d->dir);
	if (cmd_lstat(t->c, d->path, &st) < 0 || st.ino != d->ino || (st.mode & S_FMT) != S_REG)
		return;
	int err = cmd_unlink(t->c, CMD_CWD, d->path, 0);

	if (err == 0)
		err = cmd_symlink(t->c, d->target, CMD_CWD, d->path);
	if (err < 0) {
		tar_error(t, err, "%s: Cannot create symlink to %s", tar_quote(t, d->path),
			  cmd_quote(t->c, d->target));
		return;
	}
	if (t->same_owner > 0)
		cmd_chown(t->c, CMD_CWD, d->path, d->uid, d->gid, CMD_NOFOLLOW);
	cmd_utimes(t->c, CMD_CWD, d->path, CMD_TIME_NOW, d->mtime_ns, CMD_NOFOLLOW);
}

void tar_extract_end(struct tar *t)
{
	for (const struct tar_delayed *d = t->delayed; d != NULL; d = d->next) {
		make_delayed(t, d);
		cmd_charge(t->c, 1);
	}
	for (const struct tar_restore *r = t->restore; r != NULL; r = r->next) {
		names_chdir(t, r->dir);
		if (r->has_owner)
			cmd_chown(t->c, CMD_CWD, r->path, r->uid, r->gid, CMD_NOFOLLOW);
		if (is_directory(t, r->path))
			cmd_chmod(t->c, CMD_CWD, r->path, r->mode, 0);
		if (r->mtime_ns != CMD_TIME_OMIT)
			cmd_utimes(t->c, CMD_CWD, r->path, CMD_TIME_NOW, r->mtime_ns, CMD_NOFOLLOW);
		cmd_charge(t->c, 1);
	}
}
