/* SPDX-License-Identifier: MIT
 *
 * rsync: an entry against what the destination has.
 *
 * What differs is gathered as bits, which say what is done and how it is reported. A file is
 * written under another name and then takes its place; directories get their times and modes
 * when all is done.
 */
#include "builtins/rsync/rsync.h"

static uint32_t kind(const struct vfs_stat *st)
{
	return st->mode & S_FMT;
}

static int64_t seconds(int64_t ns)
{
	return ns >= 0 ? ns / NS : -((-ns + NS - 1) / NS);
}

/* --- names --- */

char *joined_path(struct cmd *c, const char *dir, const char *name)
{
	struct buf out = buf_in(c->arena);

	if (strcmp(name, ".") == 0)
		return arena_dup(c->arena, bytes_of(dir));
	buf_puts(&out, dir);
	if (out.len == 0 || out.ptr[out.len - 1] != '/')
		buf_putc(&out, '/');
	buf_puts(&out, name);
	return buf_cstr(&out);
}

char *dest_path(struct cmd *c, const struct updater *u, const char *name)
{
	return u->dest_is_file ? arena_dup(c->arena, bytes_of(u->dest))
			       : joined_path(c, u->dest, name);
}

/* --- errors --- */

static void failed(struct updater *u, const char *what, const char *path, int err)
{
	rsync_failed(u->c, "generator", what, path, err);
	u->status = RSYNC_PARTIAL;
}

/* "NAME is newer": why a file is left as it is. */
static void say_left(struct updater *u, const struct entry *e, const char *why)
{
	struct buf line = buf_in(u->c->arena);

	if (rsync_says(u->o, INFO_SKIP) == 0)
		return;
	rsync_name(u->c, u->o, &line, e->name);
	buf_printf(&line, " %s\n", why);
	cmd_bytes(u->c, buf_bytes(&line));
}

/* --- removing --- */

static struct buf backup_path(struct updater *u, const char *name)
{
	struct buf out = buf_in(u->c->arena);
	const char *dir = u->o->backup_dir;

	if (dir == NULL)
		buf_puts(&out, dest_path(u->c, u, name));
	else
		buf_puts(&out,
			 joined_path(u->c, dir[0] == '/' ? dir : joined_path(u->c, u->dest, dir),
				     name));
	buf_puts(&out, u->o->suffix != NULL ? u->o->suffix : dir == NULL ? "~" : "");
	return out;
}

/* Puts what stands at a name aside. False: it could not be. */
static bool make_backup(struct updater *u, const char *name)
{
	struct cmd *c = u->c;
	struct buf to = backup_path(u, name);
	size_t dest = strlen(dest_path(c, u, name)) - strlen(name);
	char *at = to.ptr;

	for (size_t i = 1; u->o->backup_dir != NULL && i < to.len; i++) {
		if (at[i] != '/')
			continue;
		at[i] = '\0';
		cmd_mkdir(c, CMD_CWD, at, 0777);
		at[i] = '/';
	}
	int err = cmd_rename(c, CMD_CWD, dest_path(c, u, name), CMD_CWD, buf_cstr(&to), 0);

	if (err < 0)
		failed(u, "make_backup", buf_cstr(&to), err);
	if (err >= 0 && rsync_says(u->o, INFO_BACKUP) > 0) {
		struct buf line = buf_in(c->arena);

		buf_puts(&line, "backed up ");
		rsync_name(c, u->o, &line, name);
		buf_puts(&line, " to ");
		rsync_name(c, u->o, &line, buf_cstr(&to) + (u->o->backup_dir == NULL ? dest : 0));
		buf_putc(&line, '\n');
		cmd_bytes(c, buf_bytes(&line));
	}
	return err >= 0;
}

static bool delete_one(struct updater *u, const char *name, bool dir, bool made_room)
{
	struct cmd *c = u->c;
	int err = 0;

	if (u->o->max_delete >= 0 && u->totals.deleted >= (uint64_t)u->o->max_delete &&
	    !made_room) {
		u->totals.kept++;
		return false;
	}
	if (u->o->backup && !dir && !u->o->dry_run) {
		if (!make_backup(u, name))
			return false;
	} else if (!u->o->dry_run) {
		err = cmd_unlink(c, CMD_CWD, dest_path(c, u, name), dir ? CMD_REMOVEDIR : 0);
	}
	if (err == -E_NOTEMPTY) {
		struct buf line = buf_in(c->arena);

		buf_puts(&line, "cannot delete non-empty directory: ");
		rsync_name(c, u->o, &line, name);
		buf_putc(&line, '\n');
		cmd_bytes(c, buf_bytes(&line));
		return false;
	}
	if (err < 0) {
		failed(u, dir ? "delete_file: rmdir" : "delete_file: unlink", dest_path(c, u, name),
		       err);
		return false;
	}
	if (!made_room)
		rsync_report_deleted(u, name, dir);
	return true;
}

/* What is left to do in a directory that is being deleted: its entries, last first. */
struct level {
	struct level *up;
	const char *name;
	struct vfs_dirent *list;
	size_t left;
	bool kept; /* something in it stays */
};

static int dirent_order(const void *a, const void *b)
{
	const struct vfs_dirent *x = a;
	const struct vfs_dirent *y = b;

	return list_order(x->name.ptr, x->type == S_DIR, y->name.ptr, y->type == S_DIR);
}

static struct level *enter(struct updater *u, struct level *up, const char *name)
{
	struct cmd *c = u->c;
	struct level *l = arena_zalloc(c->arena, sizeof *l);
	struct vfs_dirent *list;
	size_t n = 0;

	l->up = up;
	l->name = name;
	filters_enter(u->o->filters, SIDE_RECEIVER, name, dest_path(c, u, name));
	if (cmd_list(c, CMD_CWD, dest_path(c, u, name), c->arena, &list, &n) < 0)
		n = 0;
	void **at = arena_array(c->arena, n + 1, sizeof *at);

	for (size_t i = 0; i < n; i++)
		at[i] = &list[i];
	list_sort(c, at, n, dirent_order);
	l->list = arena_array(c->arena, n + 1, sizeof *list);
	for (size_t i = 0; i < n; i++)
		l->list[i] = *(struct vfs_dirent *)at[i];
	l->left = n;
	return l;
}

bool delete_item(struct updater *u, const char *name, const struct vfs_stat *st, bool made_room)
{
	struct cmd *c = u->c;
	struct level *l;

	if (kind(st) != S_DIR)
		return delete_one(u, name, false, made_room);
	l = enter(u, NULL, name);
	for (;;) {
		cmd_charge(c, 4);
		if (l->left > 0) {
			const struct vfs_dirent *d = &l->list[--l->left];
			const char *below = joined_path(c, l->name, d->name.ptr);
			bool dir = d->type == S_DIR;

			if (filters_exclude(u->o->filters, bytes_of(below), dir,
					    SIDE_RECEIVER | SIDE_DELETED))
				l->kept = true;
			else if (dir)
				l = enter(u, l, below);
			else
				l->kept |= !delete_one(u, below, false, false) ||
					   (u->o->backup && u->o->backup_dir == NULL);
			continue;
		}
		bool top = l->up == NULL;
		bool gone = !l->kept && delete_one(u, l->name, true, top && made_room);

		if (l->kept && !u->o->dry_run) {
			struct buf line = buf_in(c->arena);

			buf_puts(&line, "cannot delete non-empty directory: ");
			rsync_name(c, u->o, &line, l->name);
			buf_putc(&line, '\n');
			cmd_bytes(c, buf_bytes(&line));
		}
		if (top)
			return gone;
		l->up->kept |= !gone;
		l = l->up;
	}
}

/* --- comparing --- */

static bool same_content(struct updater *u, const char *a, const char *b)
{
	struct cmd *c = u->c;
	char left[4096];
	char right[4096];
	int x = cmd_open(c, CMD_CWD, a, O_RDONLY_ | O_CLOEXEC_, 0);
	int y = cmd_open(c, CMD_CWD, b, O_RDONLY_ | O_CLOEXEC_, 0);
	bool same = x >= 0 && y >= 0;
	uint64_t pos = 0;

	while (same) {
		int64_t n = cmd_pread(c, x, left, sizeof left, pos);
		int64_t m = cmd_pread(c, y, right, sizeof right, pos);

		same = n == m && n >= 0 && memcmp(left, right, (size_t)n) == 0;
		if (n <= 0)
			break;
		pos += (uint64_t)n;
		cmd_charge_bytes(c, (size_t)n);
	}
	if (x >= 0)
		cmd_close(c, x);
	if (y >= 0)
		cmd_close(c, y);
	return same;
}

static uint32_t wanted_mode(const struct updater *u, const struct entry *e,
			    const struct vfs_stat *old)
{
	const struct rsync_opts *o = u->o;
	bool dir = kind(&e->st) == S_DIR;
	const struct mode_change *change = dir ? o->dir_mode : o->file_mode;
	uint32_t mode = e->st.mode & 07777;

	if (change != NULL)
		mode = mode_apply(change, mode, dir, 0);
	if (o->perms)
		return mode;
	if (old == NULL)
		return mode & 0777 & ~cmd_umask(u->c);
	uint32_t kept = old->mode & 07777;

	if (o->executability && !dir) {
		if ((mode & 0111) == 0)
			kept &= ~(uint32_t)0111;
		else if ((kept & 0111) == 0)
			kept |= (kept & 0444) >> 2;
	}
	return kept;
}

static bool may_give_group(const struct updater *u, uint32_t gid)
{
	const uint32_t *groups;
	size_t n = cmd_groups(u->c, &groups);
	bool mine = cmd_uid(u->c) == 0 || cmd_gid(u->c) == gid;

	for (size_t i = 0; i < n; i++)
		mine |= groups[i] == gid;
	return mine;
}

/* Whether two files have other extended attributes. */
static bool xattrs_differ(struct updater *u, const char *a, const char *b)
{
	struct cmd *c = u->c;
	struct bytes names = BYTES("");
	struct bytes others = BYTES("");
	struct bytes x;
	struct bytes y;
	bool same = cmd_listxattr(c, CMD_CWD, a, CMD_NOFOLLOW, &names) >= 0 &&
		    cmd_listxattr(c, CMD_CWD, b, CMD_NOFOLLOW, &others) >= 0 &&
		    names.len == others.len;

	for (size_t at = 0; same && at < names.len; at += strlen(names.ptr + at) + 1)
		same = cmd_getxattr(c, CMD_CWD, a, CMD_NOFOLLOW, names.ptr + at, &x) >= 0 &&
		       cmd_getxattr(c, CMD_CWD, b, CMD_NOFOLLOW, names.ptr + at, &y) >= 0 &&
		       bytes_eq(x, y);
	return !same;
}

/* Gives `path` the extended attributes of an entry, and takes all others away. */
static void set_xattrs(struct updater *u, const struct entry *e, const char *path)
{
	struct cmd *c = u->c;
	struct bytes names = BYTES("");
	struct vfs_stat st;
	int err = cmd_stat(c, path, &st);
	/* One that its owner may not write takes none. */
	bool closed = err >= 0 && (st.mode & 0200) == 0 &&
		      cmd_chmod(c, CMD_CWD, path, (st.mode & 07777) | 0200, 0) >= 0;

	if (cmd_listxattr(c, CMD_CWD, path, 0, &names) < 0)
		names.len = 0;
	for (size_t at = 0; at < names.len; at += strlen(names.ptr + at) + 1)
		cmd_removexattr(c, path, 0, names.ptr + at);
	err = cmd_copy_xattrs(c, CMD_CWD, e->path, path, 0);
	if (err < 0) {
		rsync_failed(c, "receiver", "rsync_xal_set: lsetxattr", path, err);
		u->status = RSYNC_PARTIAL;
	}
	if (closed)
		cmd_chmod(c, CMD_CWD, path, st.mode & 07777, 0);
}

/* `at` is where the old one is. */
static unsigned compare_attrs(struct updater *u, const struct entry *e, const char *at,
			      const struct vfs_stat *old)
{
	const struct rsync_opts *o = u->o;
	uint32_t k = kind(&e->st);
	bool times = o->times && !(k == S_DIR && o->omit_dir_times) &&
		     !(k == S_LNK && o->omit_link_times);
	unsigned diff = 0;

	if (times && seconds(e->st.mtime_ns) != seconds(old->mtime_ns))
		diff |= DIFF_TIME;
	if (k != S_LNK && wanted_mode(u, e, old) != (old->mode & 07777))
		diff |= DIFF_MODE;
	if (o->owner && cmd_uid(u->c) == 0 && e->st.uid != old->uid)
		diff |= DIFF_OWNER;
	if (o->group && e->st.gid != old->gid && may_give_group(u, e->st.gid))
		diff |= DIFF_GROUP;
	if (o->xattrs && k != S_LNK && xattrs_differ(u, e->path, at))
		diff |= DIFF_XATTR;
	return diff;
}

/* Whether a file's data are taken to be the same. */
static bool up_to_date(struct updater *u, const struct entry *e, const char *path,
		       const struct vfs_stat *old)
{
	const struct rsync_opts *o = u->o;

	if (kind(old) != S_REG || old->size != e->st.size)
		return false;
	if (o->checksum)
		return same_content(u, e->path, path);
	if (o->size_only)
		return true;
	return !o->ignore_times && seconds(old->mtime_ns) == seconds(e->st.mtime_ns);
}

/* --- making --- */

static void set_attrs(struct updater *u, const struct entry *e, const char *path,
		      const struct vfs_stat *old)
{
	struct cmd *c = u->c;
	const struct rsync_opts *o = u->o;
	uint32_t k = kind(&e->st);
	bool root = cmd_uid(c) == 0;
	uint32_t uid = o->owner && root ? e->st.uid : UINT32_MAX;
	uint32_t gid = o->group && may_give_group(u, e->st.gid) ? e->st.gid : UINT32_MAX;

	if (uid != UINT32_MAX || gid != UINT32_MAX)
		cmd_chown(c, CMD_CWD, path, uid, gid, CMD_NOFOLLOW);
	if (o->xattrs && k != S_LNK)
		set_xattrs(u, e, path);
	if (k != S_LNK)
		cmd_chmod(c, CMD_CWD, path, wanted_mode(u, e, old), 0);
	if (o->times && !(k == S_LNK && o->omit_link_times) && !(k == S_DIR && o->omit_dir_times))
		cmd_utimes(c, CMD_CWD, path, CMD_TIME_OMIT, e->st.mtime_ns, CMD_NOFOLLOW);
}

/* Copies into a new file beside the old one, or (--inplace) over it, or (--append) behind it. Its
 * path, or NULL. */
static const char *copy_data(struct updater *u, const struct entry *e, const char *path,
			     const struct vfs_stat *old)
{
	struct cmd *c = u->c;
	struct buf name = buf_in(c->arena);
	const char *slash = strrchr(path, '/');
	bool append = u->o->append && old != NULL && kind(old) == S_REG;
	const char *view;
	int64_t got;
	int in = cmd_open(c, CMD_CWD, e->path, O_RDONLY_ | O_CLOEXEC_, 0);

	if (in < 0) {
		rsync_failed(c, "sender", "send_files failed to open", e->path, in);
		u->status = RSYNC_PARTIAL;
		return NULL;
	}
	if (u->o->inplace || append)
		buf_puts(&name, path);
	else
		buf_printf(&name, "%.*s.%s.%06llx", slash != NULL ? (int)(slash - path) + 1 : 0,
			   path, slash != NULL ? slash + 1 : path,
			   (unsigned long long)(cmd_random(c) & 0xffffff));
	int out = cmd_open(c, CMD_CWD, buf_cstr(&name),
			   O_WRONLY_ | O_CREAT_ | O_CLOEXEC_ |
				   (append          ? O_APPEND_
				    : u->o->inplace ? O_TRUNC_
						    : O_EXCL_),
			   0600);

	if (out < 0) {
		rsync_failed(c, "receiver", "mkstemp", name.ptr, out);
		u->status = RSYNC_PARTIAL;
		cmd_close(c, in);
		return NULL;
	}
	if (append)
		cmd_seek(c, in, (int64_t)old->size, 0);
	while ((got = cmd_view(c, in, 1 << 18, &view)) > 0 &&
	       (got = cmd_write_fd(c, out, view, (size_t)got)) >= 0)
		cmd_charge_bytes(c, 1 << 14);
	cmd_close(c, in);
	cmd_close(c, out);
	if (got < 0) {
		failed(u, "write", path, (int)got);
		if (!u->o->inplace && !append)
			cmd_unlink(c, CMD_CWD, name.ptr, 0);
		return NULL;
	}
	return name.ptr;
}

/* Takes away what is in the way of something of another type. */
static bool clear_way(struct updater *u, const struct entry *e, const struct vfs_stat *old)
{
	static const char *const what[] = { "regular file", "directory", "symlink",
					    "special file" };
	uint32_t k = kind(&e->st);
	struct vfs_stat st;
	bool dir = kind(old) == S_DIR;
	bool may = u->o->force || u->o->deletes != DELETE_NOT;

	if (dir && !may)
		may = cmd_unlink(u->c, CMD_CWD, dest_path(u->c, u, e->name), CMD_REMOVEDIR) >= 0;
	else if (!u->o->dry_run || dir)
		may = delete_item(u, e->name, old, true);
	if (may || u->o->dry_run || cmd_lstat(u->c, dest_path(u->c, u, e->name), &st) < 0)
		return true;
	cmd_printf(u->c, "could not make way for new %s: %s\n",
		   what[k == S_REG   ? 0
			: k == S_DIR ? 1
			: k == S_LNK ? 2
				     : 3],
		   e->name);
	cmd_printf(u->c, "cannot delete non-empty directory: %s\n", e->name);
	u->status = RSYNC_PARTIAL;
	return false;
}

static int inode_order(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->st.dev != y->st.dev)
		return x->st.dev < y->st.dev ? -1 : 1;
	return (x->st.ino > y->st.ino) - (x->st.ino < y->st.ino);
}

void update_find_links(struct updater *u)
{
	u->link = arena_array(u->c->arena, u->list->n + 1, sizeof *u->link);
	for (size_t i = 0; i < u->list->n && u->o->hard_links; i++)
		if (kind(&u->list->entry[i]->st) == S_REG && u->list->entry[i]->st.nlink > 1)
			u->link[u->nlinks++] = u->list->entry[i];
	list_sort(u->c, u->link, u->nlinks, inode_order);
}

/* The first file of the list that this one is a hard link to (-H), unless it is that itself. */
static const struct entry *earlier_link(const struct updater *u, const struct entry *e)
{
	size_t low = 0;
	size_t high = u->nlinks;

	if (e->st.nlink < 2)
		return NULL;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (inode_order(u->link[mid], e) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < u->nlinks && u->link[low] != e && inode_order(u->link[low], e) == 0
		       ? u->link[low]
		       : NULL;
}

/* What --link-dest and its kin have of an entry: its path, or NULL. */
static const char *find_alternative(struct updater *u, const struct entry *e, struct vfs_stat *st)
{
	for (size_t i = 0; i < u->o->nalt; i++) {
		const char *dir = u->o->alt_dir[i];
		const char *top = dir[0] == '/' ? dir : joined_path(u->c, u->dest, dir);
		const char *path = joined_path(u->c, top, e->name);

		if (cmd_lstat(u->c, path, st) >= 0 && kind(st) == kind(&e->st))
			return path;
	}
	return NULL;
}

static void remember_new(struct updater *u, const struct entry *e)
{
	uint32_t k = kind(&e->st);

	u->totals.created[k == S_REG ? 0 : k == S_DIR ? 1 : k == S_LNK ? 2 : 3]++;
}

/* --- each type --- */

static void remove_source(struct updater *u, const struct entry *e)
{
	if (!u->o->remove_source || u->o->dry_run)
		return;
	int err = cmd_unlink(u->c, CMD_CWD, e->path, 0);

	if (err < 0) {
		failed(u, "sender failed to remove", e->path, err);
	} else if (rsync_says(u->o, INFO_REMOVE) > 0) {
		struct buf line = buf_in(u->c->arena);

		buf_puts(&line, "sender removed ");
		rsync_name(u->c, u->o, &line, e->name);
		buf_putc(&line, '\n');
		cmd_bytes(u->c, buf_bytes(&line));
	}
}

static void update_dir(struct updater *u, const struct entry *e, const char *path,
		       const struct vfs_stat *old)
{
	struct vfs_stat alt;
	unsigned diff;

	if (old == NULL) {
		const char *found = find_alternative(u, e, &alt);
		uint32_t mode = wanted_mode(u, e, NULL) | 0700;
		int err = u->o->dry_run ? 0 : cmd_mkdir(u->c, CMD_CWD, path, mode);

		if (err < 0 && err != -E_EXIST) {
			failed(u, "recv_generator: mkdir", path, err);
			return;
		}
		diff = found != NULL ? compare_attrs(u, e, found, &alt) : DIFF_NEW | DIFF_MADE;
		remember_new(u, e);
	} else {
		diff = compare_attrs(u, e, path, e->had_stat ? &e->was : old);
	}
	rsync_report(u, e, diff, NULL);
}

static bool same_target(struct updater *u, const char *path, const struct entry *e)
{
	struct bytes target;

	return cmd_readlink(u->c, CMD_CWD, path, &target) >= 0 && bytes_is(target, e->target);
}

static void update_link(struct updater *u, const struct entry *e, const char *path,
			const struct vfs_stat *old)
{
	unsigned diff = DIFF_NEW | DIFF_MADE;
	struct vfs_stat alt;
	const char *found = old == NULL ? find_alternative(u, e, &alt) : NULL;
	bool known = found != NULL && same_target(u, found, e);
	int err = 0;

	if (old != NULL)
		diff = compare_attrs(u, e, path, old) |
		       (same_target(u, path, e) ? 0 : DIFF_MADE | DIFF_CHECKSUM);
	/* --compare-dest has it already. */
	if (known && !u->o->alt_links && !u->o->alt_copies)
		return;
	if ((diff & DIFF_MADE) && !u->o->dry_run) {
		if (old != NULL && u->o->backup)
			make_backup(u, e->name);
		else if (old != NULL)
			cmd_unlink(u->c, CMD_CWD, path, 0);
		err = known && u->o->alt_links
			      ? cmd_link(u->c, CMD_CWD, found, CMD_CWD, path, false)
			      : cmd_symlink(u->c, e->target, CMD_CWD, path);
	}
	if (err < 0) {
		failed(u, "symlink", path, err);
		return;
	}
	if (diff != 0 && !u->o->dry_run)
		set_attrs(u, e, path, NULL);
	if (diff & DIFF_NEW)
		remember_new(u, e);
	rsync_report(u, e, known ? compare_attrs(u, e, path, &alt) : diff, NULL);
	remove_source(u, e);
}

static void update_special(struct updater *u, const struct entry *e, const char *path,
			   const struct vfs_stat *old)
{
	unsigned diff = old != NULL ? compare_attrs(u, e, path, old) : DIFF_NEW | DIFF_MADE;
	int err = 0;

	if (old == NULL && !u->o->dry_run)
		err = cmd_mknod(u->c, CMD_CWD, path, e->st.mode, e->st.rdev);
	if (err < 0) {
		failed(u, "mknod", path, err);
		return;
	}
	if (diff != 0 && !u->o->dry_run)
		set_attrs(u, e, path, NULL);
	if (diff & DIFF_NEW)
		remember_new(u, e);
	rsync_report(u, e, diff, NULL);
}

/* Puts the new data in the place of the old. */
static bool replace(struct updater *u, const struct entry *e, const char *path,
		    const struct vfs_stat *old)
{
	const char *temp;
	int err = 0;

	if (u->o->backup && old != NULL && !make_backup(u, e->name))
		return false;
	temp = copy_data(u, e, path, old);
	if (temp == NULL)
		return false;
	set_attrs(u, e, temp, old);
	if (!u->o->inplace)
		err = cmd_rename(u->c, CMD_CWD, temp, CMD_CWD, path, 0);
	if (err < 0) {
		failed(u, "rename", path, err);
		cmd_unlink(u->c, CMD_CWD, temp, 0);
	}
	return err >= 0;
}

/* An unchanged file that is found elsewhere: linked, or copied, or left there. */
static bool take_alternative(struct updater *u, const struct entry *e, const char *path,
			     const char *alt, const struct vfs_stat *alt_st)
{
	unsigned attrs = compare_attrs(u, e, alt, alt_st);

	if (u->o->alt_links && attrs == 0) {
		if (!u->o->dry_run && cmd_link(u->c, CMD_CWD, alt, CMD_CWD, path, false) < 0)
			return false;
	} else if (u->o->alt_copies || u->o->alt_links) {
		if (!u->o->dry_run && !replace(u, e, path, NULL))
			return false;
	} else if (attrs != 0) {
		return false;
	}
	rsync_report(u, e, attrs, NULL);
	return true;
}

static void link_file(struct updater *u, const struct entry *e, const char *path,
		      const struct vfs_stat *old, const struct entry *first)
{
	struct vfs_stat st;
	const char *from = dest_path(u->c, u, first->name);
	bool same = old != NULL && cmd_lstat(u->c, from, &st) >= 0 && st.ino == old->ino;

	if (!same && !u->o->dry_run) {
		if (old != NULL)
			cmd_unlink(u->c, CMD_CWD, path, 0);
		int err = cmd_link(u->c, CMD_CWD, from, CMD_CWD, path, false);

		if (err < 0) {
			failed(u, "link", path, err);
			return;
		}
	}
	rsync_report(u, e, same ? 0 : DIFF_LINKED | (old == NULL ? DIFF_NEW : 0), first->name);
}

/* `basis` is what stands there, or elsewhere (`at`), for the report. */
static void transfer(struct updater *u, const struct entry *e, const char *path,
		     const struct vfs_stat *old, const char *at, const struct vfs_stat *basis)
{
	unsigned diff = DIFF_NEW | DIFF_COPIED;

	if (basis != NULL) {
		diff = DIFF_COPIED | compare_attrs(u, e, at, basis);
		if (basis->size != e->st.size)
			diff |= DIFF_SIZE;
		/* Without -t it gets a new time. */
		if (!u->o->times || seconds(basis->mtime_ns) != seconds(e->st.mtime_ns))
			diff |= DIFF_TIME;
		if (u->o->checksum)
			diff |= DIFF_CHECKSUM;
	}
	if (old == NULL)
		remember_new(u, e);
	if (!u->o->dry_run && !replace(u, e, path, old))
		return;
	u->totals.transferred++;
	u->totals.transferred_size += e->st.size;
	u->totals.literal += u->o->dry_run ? 0 : e->st.size;
	u->totals.sent += (u->o->dry_run ? 0 : e->st.size) + 20;
	rsync_report(u, e, diff, NULL);
	if (rsync_says(u->o, INFO_PROGRESS) > 0 && !u->o->dry_run)
		rsync_progress(u, e);
	remove_source(u, e);
}

static void update_file(struct updater *u, const struct entry *e, const char *path,
			const struct vfs_stat *old)
{
	const struct entry *first = earlier_link(u, e);
	struct vfs_stat alt;

	if (e->st.size > u->o->max_size || e->st.size < u->o->min_size) {
		say_left(u, e,
			 e->st.size > u->o->max_size ? "is over max-size" : "is under min-size");
		return;
	}
	if (old != NULL && u->o->update && seconds(old->mtime_ns) > seconds(e->st.mtime_ns)) {
		say_left(u, e, "is newer");
		return;
	}
	if (first != NULL) {
		link_file(u, e, path, old, first);
		return;
	}
	if (old != NULL && up_to_date(u, e, path, old)) {
		unsigned diff = compare_attrs(u, e, path, old);

		if (diff != 0 && !u->o->dry_run)
			set_attrs(u, e, path, old);
		rsync_report(u, e, diff, NULL);
		remove_source(u, e);
		return;
	}
	/* --append leaves alone what is no shorter. */
	if (old != NULL && u->o->append && kind(old) == S_REG && old->size >= e->st.size)
		return;
	const char *found = old == NULL ? find_alternative(u, e, &alt) : NULL;

	if (found != NULL && up_to_date(u, e, found, &alt) &&
	    take_alternative(u, e, path, found, &alt))
		return;
	transfer(u, e, path, old, old != NULL ? path : found,
		 old != NULL     ? old
		 : found != NULL ? &alt
				 : NULL);
}

/* Whether a type is copied at all. */
static bool is_wanted(const struct updater *u, const struct entry *e)
{
	uint32_t k = kind(&e->st);

	if (k == S_REG || k == S_DIR)
		return true;
	if (k == S_LNK)
		return u->o->links && e->target != NULL;
	return k == S_FIFO || k == S_SOCK ? u->o->specials : u->o->devices;
}

/* Nothing is said of what would be in a directory that is not there. */
static bool has_parent(struct cmd *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct vfs_stat st;

	return slash == NULL || slash == path ||
	       cmd_stat(c, arena_dup(c->arena, (struct bytes){ path, (size_t)(slash - path) }),
			&st) >= 0;
}

/* --existing and --ignore-existing leave it out. */
static bool is_excused(struct updater *u, const struct entry *e, const char *path,
		       const struct vfs_stat *old)
{
	bool dir = kind(&e->st) == S_DIR;

	if (old == NULL && u->o->existing && strcmp(e->name, ".") != 0) {
		struct buf line = buf_in(u->c->arena);

		buf_printf(&line, "not creating new %s \"", dir ? "directory" : "file");
		rsync_name(u->c, u->o, &line, e->name);
		buf_puts(&line, "\"\n");
		if (rsync_says(u->o, INFO_SKIP) > 0 && has_parent(u->c, path))
			cmd_bytes(u->c, buf_bytes(&line));
		return true;
	}
	if (old == NULL || !u->o->ignore_existing || dir)
		return false;
	if (rsync_says(u->o, INFO_SKIP) < 2)
		say_left(u, e, "exists");
	else if (kind(old) != kind(&e->st))
		say_left(u, e, "exists (type change)");
	else if (kind(old) == S_LNK ? same_target(u, path, e) : up_to_date(u, e, path, old))
		say_left(u, e, "exists (uptodate)");
	else
		say_left(u, e, "exists (file change)");
	return true;
}

/* --safe-links: what is left out of a directory is said before the directory; its files come right
 * behind it. */
static void say_unsafe(struct updater *u, const struct entry *e)
{
	struct list *l = u->list;
	size_t skip = strcmp(e->name, ".") != 0 ? strlen(e->name) + 1 : 0;

	if (!u->o->safe_links || rsync_says(u->o, INFO_SYMSAFE) == 0 || kind(&e->st) != S_DIR)
		return;
	for (size_t i = u->done + 1; i < l->n && kind(&l->entry[i]->st) != S_DIR; i++) {
		const struct entry *k = l->entry[i];
		struct buf line = buf_in(u->c->arena);

		cmd_charge(u->c, 1);
		if (!k->unsafe || strlen(k->name) < skip || strchr(k->name + skip, '/') != NULL)
			continue;
		buf_printf(&line, "ignoring unsafe symlink \"%s\" -> \"%s\"\n", k->name, k->target);
		cmd_bytes(u->c, buf_bytes(&line));
	}
}

void update_entry(struct updater *u, const struct entry *e)
{
	struct cmd *c = u->c;
	struct arena_mark mark = arena_mark(c->arena);
	char *path = dest_path(c, u, e->name);
	uint32_t k = kind(&e->st);
	struct vfs_stat st;
	int err = u->o->keep_dirlinks && k == S_DIR ? cmd_stat(c, path, &st)
						    : cmd_lstat(c, path, &st);
	struct vfs_stat *old = err >= 0 ? &st : NULL;

	cmd_charge(c, 8);
	say_unsafe(u, e);
	if (e->unsafe) {
		arena_release(c->arena, mark);
		return;
	}
	if (u->dest_is_new && strcmp(e->name, ".") == 0)
		old = NULL;
	if (!is_wanted(u, e) || is_excused(u, e, path, old)) {
		arena_release(c->arena, mark);
		return;
	}
	/* The destination itself may be a symlink to a directory. */
	if (old != NULL && k == S_DIR && strcmp(e->name, ".") == 0 && kind(old) == S_LNK)
		old = cmd_stat(c, path, &st) >= 0 ? &st : NULL;
	if (old != NULL && kind(old) != k && (k != S_REG || kind(old) == S_DIR)) {
		if (!clear_way(u, e, old)) {
			arena_release(c->arena, mark);
			return;
		}
		old = NULL;
	} else if (old != NULL && kind(old) != k) {
		/* A file takes the place of a link or a fifo when it is renamed. */
		if (!u->o->dry_run)
			cmd_unlink(c, CMD_CWD, path, 0);
		old = NULL;
	}
	if (k == S_DIR)
		update_dir(u, e, path, old);
	else if (k == S_LNK)
		update_link(u, e, path, old);
	else if (k == S_REG)
		update_file(u, e, path, old);
	else
		update_special(u, e, path, old);
	arena_release(c->arena, mark);
}

void update_dirs(struct updater *u)
{
	struct cmd *c = u->c;

	for (size_t i = u->list->n; i-- > 0 && !u->o->dry_run;) {
		const struct entry *e = u->list->entry[i];
		struct arena_mark mark = arena_mark(c->arena);
		char *path = dest_path(c, u, e->name);
		struct vfs_stat st;

		cmd_charge(c, 2);
		if (kind(&e->st) == S_DIR && cmd_stat(c, path, &st) >= 0 && kind(&st) == S_DIR)
			set_attrs(u, e, path, u->o->perms ? NULL : &st);
		arena_release(c->arena, mark);
	}
}
