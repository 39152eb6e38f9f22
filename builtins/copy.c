/* SPDX-License-Identifier: MIT
 *
 * Copying files and trees, for cp, mv and install.
 *
 * A tree is walked once; each entry's destination is the operand's plus the rest of its path.
 * Directories are made writable first and get their real mode after their contents.
 */
#include "builtins/ask.h"
#include "builtins/copy.h"

/* An inode seen, and the name its copy has. */
struct seen {
	vfs_ino ino;
	uint64_t dev;
	const char *name;
};

struct seen_list {
	struct seen *list;
	size_t n;
	size_t cap;
};

struct copier {
	struct cmd *c;
	const struct copy_opts *o;
	uint32_t umask;
	struct seen_list links;   /* sources with several names, for -d and -a */
	struct seen_list sources; /* operands that were copied */
	struct seen_list made;    /* what this command made of operands */
	/* of the current operand */
	const char *from;
	const char *to;
	bool several;             /* one of several operands */
	struct vfs_stat made_dir; /* the first directory made: meeting it ends the operand */
	bool made_root;           /* it is the operand's own copy */
	bool met_itself;          /* the operand ends */
	bool has_made_dir;
};

struct pair {
	const char *from;
	const char *to;
	int dir; /* of the source: (dir, at) */
	const char *at;
	struct vfs_stat st;  /* of the source */
	struct vfs_stat old; /* of what is there */
	bool exists;
	bool was_dir; /* a directory that was there before */
	const char *backup;
	int level;
};

struct copier *copier_new(struct cmd *c, const struct copy_opts *o)
{
	struct copier *k = arena_zalloc(c->arena, sizeof(*k));

	k->c = c;
	k->o = o;
	k->umask = cmd_umask(c);
	return k;
}

static struct seen *find_seen(const struct seen_list *l, const struct vfs_stat *st)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i].ino == st->ino && l->list[i].dev == st->dev)
			return &l->list[i];
	return NULL;
}

static void add_seen(struct copier *k, struct seen_list *l, const struct vfs_stat *st,
		     const char *name)
{
	struct pool *pool = k->c->pool;

	if (l->n == l->cap) {
		size_t cap = l->cap * 2 + 8;

		l->list = pool_resize(pool, l->list, l->cap * sizeof(struct seen),
				      cap * sizeof(struct seen));
		l->cap = cap;
	}
	l->list[l->n++] = (struct seen){ st->ino, st->dev, pool_dup(pool, bytes_of(name)) };
}

static uint32_t type_of(const struct vfs_stat *st)
{
	return st->mode & S_FMT;
}

static bool is_dir(const struct vfs_stat *st)
{
	return type_of(st) == S_DIR;
}

static void say(struct copier *k, const struct pair *f, const char *what)
{
	struct cmd *c = k->c;

	if (!k->o->verbose)
		return;
	cmd_printf(c, "%s%s -> %s", what, cmd_quoteaf(c, f->from), cmd_quoteaf(c, f->to));
	if (f->backup != NULL)
		cmd_printf(c, " (backup: %s)", cmd_quoteaf(c, f->backup));
	cmd_putc(c, '\n');
}

static unsigned walk_flags_of(const struct copy_opts *o)
{
	unsigned flags = WALK_POST | (o->one_device ? WALK_ONE_DEVICE : 0);

	if (o->move || o->links == LINKS_KEEP)
		return flags;
	if (o->links == LINKS_FOLLOW ||
	    (o->links == LINKS_DEFAULT && (!o->recursive || o->hard_link)))
		return flags | WALK_FOLLOW | WALK_FOLLOW_ROOT;
	return o->links == LINKS_FOLLOW_ROOT ? flags | WALK_FOLLOW_ROOT : flags;
}

/* Whether links are what they lead to, at a depth. */
static bool follows(const struct copier *k, int level)
{
	return (walk_flags_of(k->o) & (level == 0 ? WALK_FOLLOW_ROOT : WALK_FOLLOW)) != 0;
}

/* --- what is at the destination already --- */

/* Whether the destination is looked at through a symlink, because it will be written through. */
static bool writes_through(const struct copier *k, const struct pair *f)
{
	const struct copy_opts *o = k->o;
	bool regular = type_of(&f->st) == S_REG ||
		       (!o->recursive && !is_dir(&f->st) && type_of(&f->st) != S_LNK);

	return regular && !o->move && !o->sym_link && !o->hard_link && !o->remove_first &&
	       o->backup.kind == BACKUP_NONE;
}

static bool is_inode(const struct vfs_stat *a, const struct vfs_stat *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

static bool is_same(const struct pair *f)
{
	return is_inode(&f->st, &f->old);
}

static int same_file(struct copier *k, const struct pair *f)
{
	return cmd_error(k->c, 0, "%s and %s are the same file", cmd_quoteaf(k->c, f->from),
			 cmd_quoteaf(k->c, f->to));
}

static bool wants_overwrite(struct copier *k, const struct pair *f)
{
	struct cmd *c = k->c;
	bool unwritable = k->o->ask != ASK_FORCE && type_of(&f->old) != S_LNK &&
			  cmd_access(c, CMD_CWD, f->to, 2) == -E_ACCES;
	char text[11];

	if (k->o->ask == ASK_NEVER)
		return false;
	bool must = k->o->ask == ASK_ALWAYS ||
		    (k->o->move && k->o->ask == ASK_DEFAULT && unwritable && cmd_isatty(c, 0));

	if (!must)
		return true;
	if (!unwritable)
		return ask(c, "overwrite %s?", cmd_quoteaf(c, f->to));
	mode_text(f->old.mode, text);
	return ask(c,
		   k->o->move || k->o->force ? "replace %s, overriding mode %04o (%s)?"
					     : "unwritable %s (mode %04o, %s); try anyway?",
		   cmd_quoteaf(c, f->to), f->old.mode & 07777, text + 1);
}

/* 0: go on; -1: nothing to do; else a status. */
static int check_types(struct copier *k, const struct pair *f)
{
	struct cmd *c = k->c;

	if (is_dir(&f->old) && !is_dir(&f->st) && !(k->o->move && k->o->backup.kind != BACKUP_NONE))
		return cmd_error(c, 0, "cannot overwrite directory %s with non-directory",
				 cmd_quoteaf(c, f->to));
	if (!is_dir(&f->old) && is_dir(&f->st) && !(k->o->move && k->o->backup.kind != BACKUP_NONE))
		return cmd_error(c, 0, "cannot overwrite non-directory %s with directory %s",
				 cmd_quoteaf(c, f->to), cmd_quoteaf(c, f->from));
	return 0;
}

static int check_just_made(struct copier *k, const struct pair *f)
{
	if (!k->several || f->level != 0 || is_dir(&f->st) || k->o->backup.kind == BACKUP_NUMBERED)
		return 0;
	if (find_seen(&k->made, &f->old) == NULL)
		return 0;
	return cmd_error(k->c, 0, "will not overwrite just-created %s with %s",
			 cmd_quoteaf(k->c, f->to), cmd_quoteaf(k->c, f->from));
}

/* After a failure the old file gets its name back. */
static void move_back(struct copier *k, const struct pair *f)
{
	if (f->backup == NULL || cmd_rename(k->c, CMD_CWD, f->backup, CMD_CWD, f->to, 0) < 0)
		return;
	if (k->o->verbose)
		cmd_printf(k->c, "%s -> %s (unbackup)\n", cmd_quoteaf(k->c, f->backup),
			   cmd_quoteaf(k->c, f->to));
}

static int move_away(struct copier *k, struct pair *f)
{
	const char *name = backup_name(k->c, &k->o->backup, f->to);
	struct vfs_stat old;

	if (cmd_lstat(k->c, name, &old) == 0 && is_inode(&old, &f->st) &&
	    target_same_entry(k->c, name, f->from))
		return cmd_error(k->c, 0, "backing up %s might destroy source;  %s not %s",
				 cmd_quoteaf(k->c, f->to), cmd_quoteaf(k->c, f->from),
				 k->o->move ? "moved" : "copied");
	int err = cmd_rename(k->c, CMD_CWD, f->to, CMD_CWD, name, 0);

	if (err < 0)
		return cmd_error(k->c, err, "cannot backup %s", cmd_quoteaf(k->c, f->to));
	f->backup = name;
	f->exists = false;
	return 0;
}

/* The entries themselves, links not followed. False: one is not there any more. */
static bool look_at_entries(struct copier *k, const struct pair *f, struct vfs_stat *from,
			    struct vfs_stat *to)
{
	*from = f->st;
	return (!follows(k, f->level) ||
		cmd_stat_at(k->c, f->dir, f->at, CMD_NOFOLLOW, from) == 0) &&
	       cmd_lstat(k->c, f->to, to) == 0;
}

/* Whether both names lead to one file in the end. */
static bool lead_to_same(struct copier *k, const struct pair *f)
{
	struct vfs_stat from;
	struct vfs_stat to;

	return cmd_stat_at(k->c, f->dir, f->at, 0, &from) == 0 && cmd_stat(k->c, f->to, &to) == 0 &&
	       is_inode(&from, &to);
}

/* A link and a file that it leads to, or two names of a file; entry: they are even one entry. */
static int check_copy_to_itself(struct copier *k, const struct pair *f, bool from_link,
				bool to_link, bool entry)
{
	const struct copy_opts *o = k->o;
	bool onto_end = from_link && !to_link; /* a link onto what it leads to */
	bool fine;

	if (o->backup.kind != BACKUP_NONE)
		fine = follows(k, f->level) ? !onto_end && !(entry && !from_link) : !entry;
	else if (o->hard_link)
		return onto_end && !follows(k, f->level) ? -1 : 0;
	else if (o->remove_first)
		fine = to_link || !(from_link || entry);
	else
		fine = o->sym_link && to_link;
	return fine ? 0 : same_file(k, f);
}

/* Whether the destination is the source. -1: nothing to do, 0: go on, else a status. */
static int check_same(struct copier *k, const struct pair *f)
{
	const struct copy_opts *o = k->o;
	struct vfs_stat from;
	struct vfs_stat to;

	if (!look_at_entries(k, f, &from, &to))
		return 0;
	bool from_link = type_of(&from) == S_LNK;
	bool to_link = type_of(&to) == S_LNK;
	bool entry = is_inode(&from, &to) && target_same_entry(k->c, f->from, f->to);

	if (!is_same(f) && !from_link && !to_link)
		return 0;
	if (o->move) {
		bool onto_end = from_link && !to_link && lead_to_same(k, f);
		bool same = o->backup.kind != BACKUP_NONE ? entry : onto_end || is_same(f);

		return same ? same_file(k, f) : 0;
	}
	if (o->hard_link && is_inode(&f->st, &to))
		return -1;
	if (from_link && to_link && !follows(k, f->level)) {
		if (entry)
			return same_file(k, f);
		return is_inode(&from, &to) && o->backup.kind == BACKUP_NONE ? -1 : 0;
	}
	if (!lead_to_same(k, f))
		return 0;
	return check_copy_to_itself(k, f, from_link, to_link, entry);
}

/* Something exists at f->to: decides. -1: nothing to do, 0: go on, else a status. */
static int check_existing(struct copier *k, struct pair *f)
{
	const struct copy_opts *o = k->o;
	int status;

	if (!is_dir(&f->st) || (o->move && is_same(f))) {
		if (o->ask == ASK_NEVER)
			return -1;
		status = check_same(k, f);
		if (status != 0)
			return status;
	}
	if (is_same(f) && is_dir(&f->st) && f->level == 0)
		return same_file(k, f);
	if (is_dir(&f->st) && is_dir(&f->old) && !o->move)
		return 0;
	if (!is_dir(&f->st) && o->update && f->old.mtime_ns >= f->st.mtime_ns)
		return -1;
	if (!is_dir(&f->st) || o->move) {
		/* mv asks even where it will not be able to. */
		if (o->ask == ASK_NEVER || (o->move && !wants_overwrite(k, f)))
			return -1;
		status = check_types(k, f);
		if (status == 0)
			status = check_just_made(k, f);
		if (status != 0)
			return status;
		if (!o->move && !wants_overwrite(k, f))
			return -1;
	} else {
		status = check_types(k, f);
		if (status != 0)
			return status;
	}
	return o->backup.kind != BACKUP_NONE ? move_away(k, f) : 0;
}

/* Clears the way where the old file can't be written into. */
static int clear_way(struct copier *k, struct pair *f)
{
	const struct copy_opts *o = k->o;
	bool kept = !o->attributes_only && !follows(k, f->level) && type_of(&f->st) != S_REG;
	bool several_names = !o->attributes_only && o->keep_links && f->old.nlink > 1;

	if (!f->exists || o->move || is_dir(&f->st) || is_dir(&f->old))
		return 0;
	if (!kept && !several_names && !o->remove_first)
		return 0;
	int err = cmd_unlink(k->c, CMD_CWD, f->to, 0);

	if (err < 0)
		return cmd_error(k->c, err, "cannot remove %s", cmd_quoteaf(k->c, f->to));
	if (k->o->verbose)
		cmd_printf(k->c, "removed %s\n", cmd_quoteaf(k->c, f->to));
	f->exists = false;
	return 0;
}

/* --- attributes --- */

/* A file that its owner may not write takes none: it is made writable for the moment. */
static int keep_xattrs(struct copier *k, const struct pair *f, int flags)
{
	struct cmd *c = k->c;
	struct vfs_stat st;
	int err = cmd_copy_xattrs(c, f->dir, f->at, f->to, flags);

	if (err == -E_ACCES && flags == 0 && cmd_stat(c, f->to, &st) == 0 &&
	    cmd_chmod(c, CMD_CWD, f->to, (st.mode & 07777) | 0200, 0) == 0) {
		err = cmd_copy_xattrs(c, f->dir, f->at, f->to, flags);
		cmd_chmod(c, CMD_CWD, f->to, st.mode & 07777, 0);
	}
	if (err < 0 && k->o->need_xattrs)
		return cmd_error(c, err, "setting attributes for %s", cmd_quoteaf(c, f->to));
	return 0;
}

static int set_attributes(struct copier *k, const struct pair *f, bool is_new)
{
	const struct copy_opts *o = k->o;
	struct cmd *c = k->c;
	bool link = type_of(&f->st) == S_LNK;
	int flags = link ? CMD_NOFOLLOW : 0;
	int err = o->keep_xattrs ? keep_xattrs(k, f, flags) : 0;

	if (err != 0)
		return err;
	if (o->keep_owner && cmd_chown(c, CMD_CWD, f->to, f->st.uid, f->st.gid, flags) < 0)
		cmd_chown(c, CMD_CWD, f->to, UINT32_MAX, f->st.gid, flags);
	if (!link && o->keep_mode) {
		err = cmd_chmod(c, CMD_CWD, f->to, f->st.mode & 07777, 0);
		if (err < 0)
			return cmd_error(c, err, "preserving permissions for %s",
					 cmd_quoteaf(c, f->to));
	} else if (!link && is_new && is_dir(&f->st)) {
		uint32_t mode = o->plain_mode ? 0777 : f->st.mode & 07777;

		cmd_chmod(c, CMD_CWD, f->to, mode & ~k->umask, 0);
	}
	if (!o->keep_times)
		return 0;
	err = cmd_utimes(c, CMD_CWD, f->to, f->st.atime_ns, f->st.mtime_ns, flags);
	return err < 0 ? cmd_error(c, err, "preserving times for %s", cmd_quoteaf(c, f->to)) : 0;
}

/* --- one file --- */

static int cannot_create(struct copier *k, const struct pair *f, int err)
{
	return cmd_error(k->c, err, "cannot create regular file %s", cmd_quoteaf(k->c, f->to));
}

static int open_destination(struct copier *k, struct pair *f, int *fd)
{
	struct cmd *c = k->c;
	struct vfs_stat st;
	uint32_t mode = k->o->plain_mode ? 0666 : f->st.mode & 0777;
	unsigned base = O_WRONLY_ | O_CLOEXEC_;

	if (f->exists) {
		*fd = cmd_open(c, CMD_CWD, f->to, base | (k->o->attributes_only ? 0 : O_TRUNC_), 0);
		if (*fd >= 0)
			return 0;
		if (!k->o->force || cmd_unlink(c, CMD_CWD, f->to, 0) < 0)
			return cannot_create(k, f, *fd);
		if (k->o->verbose)
			cmd_printf(c, "removed %s\n", cmd_quoteaf(c, f->to));
	}
	*fd = cmd_open(c, CMD_CWD, f->to, base | O_CREAT_ | O_EXCL_, mode);
	if (*fd == -E_EXIST && cmd_lstat(c, f->to, &st) == 0 && type_of(&st) == S_LNK)
		return cmd_error(c, 0, "not writing through dangling symlink %s",
				 cmd_quoteaf(c, f->to));
	if (*fd == -E_ISDIR && f->to[0] != '\0')
		*fd = -E_NOTDIR;
	return *fd < 0 ? cannot_create(k, f, *fd) : 0;
}

/* Up to `most` bytes from where both files stand. */
static int copy_bytes(struct copier *k, const struct pair *f, int in, int out, uint64_t most)
{
	struct cmd *c = k->c;
	const char *view;
	int64_t got = 0;

	for (; most != 0; most -= (uint64_t)got) {
		size_t n = most < 1 << 18 ? (size_t)most : 1 << 18;
		int err;

		got = cmd_view(c, in, n, &view);
		if (got <= 0)
			break;
		err = cmd_write_fd(c, out, view, (size_t)got);
		if (err < 0)
			return cmd_error(c, err, "error writing %s", cmd_quoteaf(c, f->to));
		cmd_charge_bytes(c, (size_t)got);
	}
	if (got < 0)
		return cmd_error(c, (int)got, "error reading %s", cmd_quoteaf(c, f->from));
	return 0;
}

/* The copy of a file with holes has them, too. */
static int copy_sparse(struct copier *k, const struct pair *f, int in, int out)
{
	enum { SEEK_DATA_ = 3, SEEK_HOLE_ = 4 };
	struct cmd *c = k->c;
	int64_t at = 0;
	int status = 0;
	int err;

	while (status == 0 && (at = cmd_seek(c, in, at, SEEK_DATA_)) >= 0) {
		int64_t end = cmd_seek(c, in, at, SEEK_HOLE_);

		if (end <= at)
			break;
		cmd_seek(c, in, at, 0);
		cmd_seek(c, out, at, 0);
		status = copy_bytes(k, f, in, out, (uint64_t)(end - at));
		at = end;
		cmd_charge(c, 1);
	}
	err = status == 0 ? cmd_truncate_fd(c, out, f->st.size) : 0;
	return err < 0 ? cmd_error(c, err, "failed to extend %s", cmd_quoteaf(c, f->to)) : status;
}

static int copy_data(struct copier *k, const struct pair *f, int in, int out)
{
	struct vfs_stat to;

	if (type_of(&f->st) == S_REG && f->st.blocks * 512 < f->st.size &&
	    cmd_fstat(k->c, out, &to) == 0 && type_of(&to) == S_REG)
		return copy_sparse(k, f, in, out);
	return copy_bytes(k, f, in, out, UINT64_MAX);
}

static int copy_regular(struct copier *k, struct pair *f)
{
	struct cmd *c = k->c;
	int out;
	int in = cmd_open(c, f->dir, f->at, O_RDONLY_ | O_CLOEXEC_, 0);

	if (in < 0)
		return cmd_error(c, in, "cannot open %s for reading", cmd_quoteaf(c, f->from));
	int status = open_destination(k, f, &out);

	if (status == 0) {
		if (!k->o->attributes_only)
			status = copy_data(k, f, in, out);
		cmd_close(c, out);
	}
	cmd_close(c, in);
	return status;
}

static int copy_link(struct copier *k, const struct pair *f)
{
	struct cmd *c = k->c;
	struct bytes target;
	int err = cmd_readlink(c, f->dir, f->at, &target);

	if (err < 0)
		return cmd_error(c, err, "cannot read symbolic link %s", cmd_quoteaf(c, f->from));
	err = cmd_symlink(c, target.ptr, CMD_CWD, f->to);
	if (err < 0)
		return cmd_error(c, err, "cannot create symbolic link %s", cmd_quoteaf(c, f->to));
	return 0;
}

static int make_link(struct copier *k, const char *old, int dir, const char *at,
		     const struct pair *f, bool replace)
{
	bool follow = follows(k, f->level);
	int err = cmd_link(k->c, dir, at, CMD_CWD, f->to, follow);

	if (err == -E_EXIST && replace && cmd_unlink(k->c, CMD_CWD, f->to, 0) == 0)
		err = cmd_link(k->c, dir, at, CMD_CWD, f->to, follow);
	if (err < 0)
		return cmd_error(k->c, err, "cannot create hard link %s to %s",
				 cmd_quoteaf(k->c, f->to), cmd_quoteaf(k->c, old));
	return 0;
}

/* Whether the last name of the path, with slashes behind or not, would be in this directory. */
static bool is_here(struct cmd *c, const char *path)
{
	struct bytes parent = bytes_of(path);
	struct vfs_stat there;
	struct vfs_stat here;

	while (parent.len > 0 && parent.ptr[parent.len - 1] == '/')
		parent.len--;
	while (parent.len > 0 && parent.ptr[parent.len - 1] != '/')
		parent.len--;
	return parent.len == 0 || cmd_stat(c, arena_dup(c->arena, parent), &there) != 0 ||
	       cmd_stat(c, ".", &here) != 0 || (there.ino == here.ino && there.dev == here.dev);
}

static int make_symlink(struct copier *k, const struct pair *f)
{
	struct cmd *c = k->c;

	if (f->from[0] != '/' && !is_here(c, f->to))
		return cmd_error(c, 0,
				 "%s: can make relative symbolic links only in current directory",
				 cmd_quotef(c, f->to));
	int err = cmd_symlink(c, f->from, CMD_CWD, f->to);

	if (err == -E_EXIST && k->o->force && cmd_unlink(c, CMD_CWD, f->to, 0) == 0)
		err = cmd_symlink(c, f->from, CMD_CWD, f->to);
	if (err < 0)
		return cmd_error(c, err, "cannot create symbolic link %s to %s",
				 cmd_quoteaf(c, f->to), cmd_quoteaf(c, f->from));
	return 0;
}

static int make_special(struct copier *k, const struct pair *f)
{
	int err = cmd_mknod(k->c, CMD_CWD, f->to, f->st.mode & (S_FMT | 0777), f->st.rdev);

	if (err < 0)
		return cmd_error(k->c, err,
				 type_of(&f->st) == S_FIFO ? "cannot create fifo %s"
							   : "cannot create special file %s",
				 cmd_quoteaf(k->c, f->to));
	return 0;
}

/* A further name of a file that was copied already. True: handled, *status set. */
static bool link_again(struct copier *k, const struct pair *f, int *status)
{
	/* A file with one name has several here if links to it are followed. */
	if (!k->o->keep_links || (f->st.nlink < 2 && !follows(k, f->level)))
		return false;
	const struct seen *s = find_seen(&k->links, &f->st);

	if (s == NULL) {
		add_seen(k, &k->links, &f->st, f->to);
		return false;
	}
	*status = make_link(k, s->name, CMD_CWD, s->name, f, true);
	return true;
}

static int copy_content(struct copier *k, struct pair *f)
{
	const struct copy_opts *o = k->o;
	uint32_t type = type_of(&f->st);
	int status = 0;

	if (link_again(k, f, &status))
		return status;
	if (o->hard_link)
		return make_link(k, f->from, f->dir, f->at, f, o->force);
	if (o->sym_link)
		return make_symlink(k, f);
	if (type == S_LNK)
		status = copy_link(k, f);
	else if (type == S_REG || !o->recursive || o->copy_contents)
		status = copy_regular(k, f);
	else
		status = make_special(k, f);
	return status != 0 ? status : set_attributes(k, f, true);
}

/* Looks at the destination: fills f->old and f->exists. 0, or a status. */
static int look(struct copier *k, struct pair *f)
{
	int err = cmd_lstat(k->c, f->to, &f->old);

	if (err < 0 && err != -E_NOENT)
		return cmd_error(k->c, err, "cannot stat %s", cmd_quoteaf(k->c, f->to));
	if (err == 0 && type_of(&f->old) == S_LNK && writes_through(k, f)) {
		struct vfs_stat link = f->old;

		int end = cmd_stat(k->c, f->to, &f->old);
		/* A loop of links is something in the way, what leads nowhere is not. */
		if (end == -E_LOOP && k->o->force)
			f->old = link;
		else if (end < 0 && end != -E_NOENT)
			return cmd_error(k->c, end, "cannot stat %s", cmd_quoteaf(k->c, f->to));
		else
			err = end;
	}
	f->exists = err == 0;
	return 0;
}

/* A link that this command made is no way to write elsewhere. */
static int check_made_link(struct copier *k, const struct pair *f)
{
	struct vfs_stat st;

	if (!k->several || f->level != 0 || k->o->move || k->o->backup.kind != BACKUP_NONE ||
	    cmd_lstat(k->c, f->to, &st) != 0 || type_of(&st) != S_LNK ||
	    find_seen(&k->made, &st) == NULL)
		return 0;
	return cmd_error(k->c, 0, "will not copy %s through just-created symlink %s",
			 cmd_quoteaf(k->c, f->from), cmd_quoteaf(k->c, f->to));
}

/* A source that was given before, for the same destination: it is left, with a warning. */
static bool was_given(struct copier *k, const struct pair *f)
{
	bool dir = is_dir(&f->st);

	if (f->level != 0 || !k->several || k->o->repeats || k->o->move ||
	    (k->o->backup.kind != BACKUP_NONE && !dir))
		return false;
	const struct seen *s = find_seen(&k->sources, &f->st);

	if (s == NULL || strcmp(s->name, f->to) != 0 || (!dir && !f->exists)) {
		add_seen(k, &k->sources, &f->st, f->to);
		return false;
	}
	cmd_warn(k->c, 0, "warning: source %s %s specified more than once",
		 dir ? "directory" : "file", cmd_quoteaf(k->c, f->from));
	return true;
}

static int copy_file(struct copier *k, struct pair *f)
{
	int status = check_made_link(k, f);

	if (status != 0)
		return status;
	status = look(k, f);
	if (status != 0)
		return status;
	if (was_given(k, f))
		return 0;
	if (f->exists)
		status = check_existing(k, f);
	if (status == 0)
		status = clear_way(k, f);
	if (status != 0)
		return status < 0 ? 0 : status;
	say(k, f, "");
	status = copy_content(k, f);
	if (status != 0)
		move_back(k, f);
	if (status == 0 && f->level == 0 && k->several && cmd_lstat(k->c, f->to, &f->old) == 0)
		add_seen(k, &k->made, &f->old, f->to);
	return status;
}

/* --- trees --- */

/* 0: go in; -1: skip silently; else a status. */
static int begin_dir(struct copier *k, struct pair *f)
{
	struct cmd *c = k->c;
	int status = 0;

	if (!k->o->recursive)
		return cmd_error(c, 0, "-r not specified; omitting directory %s",
				 cmd_quoteaf(c, f->from));
	if (was_given(k, f))
		return -1;
	if (k->has_made_dir && f->st.ino == k->made_dir.ino && f->st.dev == k->made_dir.dev) {
		/* All that was made lies below; or the rest would be copied without end. */
		k->met_itself = !k->made_root;
		return cmd_error(c, 0, "cannot copy a directory, %s, into itself, %s",
				 cmd_quoteaf(c, k->from), cmd_quoteaf(c, k->to));
	}
	status = look(k, f);
	if (f->exists && type_of(&f->old) == S_LNK && cmd_stat(c, f->to, &f->old) != 0)
		f->exists = true;
	if (f->exists)
		status = check_existing(k, f);
	if (status != 0)
		return status;
	f->was_dir = f->exists;
	if (f->exists)
		return 0;
	uint32_t mode = k->o->plain_mode ? 0777 : f->st.mode & 0777;
	uint32_t mask = k->umask;

	cmd_set_umask(c, mask & ~(uint32_t)0700);
	int err = cmd_mkdir(c, CMD_CWD, f->to, mode | 0700);

	cmd_set_umask(c, mask);
	if (err < 0)
		return cmd_error(c, err, "cannot create directory %s", cmd_quoteaf(c, f->to));
	say(k, f, "");
	if (!k->has_made_dir) {
		k->has_made_dir = cmd_lstat(c, f->to, &k->made_dir) == 0;
		k->made_root = f->level == 0;
	}
	return 0;
}

/* The destination of an entry: the operand's, and the rest of the path. */
static const char *destination(struct copier *k, const struct walk_entry *e)
{
	struct buf out = buf_in(k->c->arena);
	const char *rest = e->path + strlen(k->from);

	if (e->level == 0)
		return k->to;
	buf_puts(&out, k->to);
	while (*rest == '/')
		rest++;
	if (out.len == 0 || out.ptr[out.len - 1] != '/')
		buf_putc(&out, '/');
	buf_puts(&out, rest);
	return buf_cstr(&out);
}

static int copy_entry(struct copier *k, struct walk *w, struct walk_entry *e)
{
	static char was_there;
	static char failed;
	struct cmd *c = k->c;
	struct pair f = {
		.from = e->path,
		.to = destination(k, e),
		.dir = e->dir,
		.at = e->at,
		.st = e->st,
		.level = e->level,
	};

	switch (e->kind) {
	case WALK_FILE:
		/* A link that must be followed but leads nowhere. */
		if (follows(k, e->level) && type_of(&e->st) == S_LNK)
			return cmd_error(c, e->err, "cannot stat %s", cmd_quoteaf(c, e->path));
		return copy_file(k, &f);
	case WALK_DIR: {
		int status = begin_dir(k, &f);

		if (status != 0)
			walk_skip(w);
		else if (f.was_dir)
			e->data = &was_there;
		return status < 0 ? 0 : status;
	}
	case WALK_DIR_END:
		return e->data == &failed ? 0 : set_attributes(k, &f, e->data != &was_there);
	case WALK_LOOP:
		return cmd_error(c, 0, "%s: warning: recursive directory loop",
				 cmd_quoteaf(c, e->path));
	case WALK_ERROR:
		if (e->in_dir)
			return cmd_error(c, e->err, "cannot access %s", cmd_quoteaf(c, e->path));
		return cmd_error(c, e->err, "cannot stat %s", cmd_quoteaf(c, e->path));
	}
	return 0;
}

static int copy_tree(struct copier *k)
{
	struct walk *w = walk_new(k->c, k->from, walk_flags_of(k->o));
	struct walk_entry *e;
	int status = 0;

	while (!k->met_itself && (e = walk_next(w)) != NULL) {
		struct arena_mark mark = arena_mark(k->c->arena);

		status |= copy_entry(k, w, e);
		arena_release(k->c->arena, mark);
	}
	walk_free(w);
	return status;
}

/* --- moving --- */

static int remove_source(struct copier *k)
{
	struct walk *w = walk_new(k->c, k->from, WALK_POST);
	struct walk_entry *e;
	int status = 0;

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_DIR)
			continue;
		bool dir = e->kind == WALK_DIR_END;
		int err = cmd_unlink(k->c, e->dir, e->at, dir ? CMD_REMOVEDIR : 0);

		if (err < 0)
			status = cmd_error(k->c, err, "cannot remove %s",
					   cmd_quoteaf(k->c, e->path));
		else if (k->o->verbose)
			cmd_printf(k->c, dir ? "removed directory %s\n" : "removed %s\n",
				   cmd_quoteaf(k->c, e->path));
	}
	walk_free(w);
	return status;
}

static int rename_failed(struct copier *k, const struct pair *f, int err)
{
	struct cmd *c = k->c;

	if (err == -E_INVAL)
		return cmd_error(c, 0, "cannot move %s to a subdirectory of itself, %s",
				 cmd_quoteaf(c, f->from), cmd_quoteaf(c, f->to));
	if (err == -E_XDEV) {
		int status = copy_tree(k);

		return status != 0 ? status : remove_source(k);
	}
	return cmd_error(c, err, "cannot move %s to %s", cmd_quoteaf(c, f->from),
			 cmd_quoteaf(c, f->to));
}

static int move_file(struct copier *k)
{
	struct cmd *c = k->c;
	struct pair f = { .from = k->from, .to = k->to, .dir = CMD_CWD, .at = k->from };
	int err = cmd_lstat(c, k->from, &f.st);
	int status = 0;

	if (err < 0)
		return cmd_error(c, err, "cannot stat %s", cmd_quoteaf(c, k->from));
	status = look(k, &f);
	if (f.exists)
		status = check_existing(k, &f);
	if (status != 0)
		return status < 0 ? 0 : status;
	err = cmd_rename(c, CMD_CWD, k->from, CMD_CWD, k->to, 0);
	if (err < 0)
		return rename_failed(k, &f, err);
	say(k, &f, "renamed ");
	if (k->several && cmd_lstat(c, k->to, &f.old) == 0)
		add_seen(k, &k->made, &f.old, k->to);
	return 0;
}

int copier_run(struct copier *k, const char *from, const char *to, bool several)
{
	k->from = from;
	k->to = to;
	k->several = several;
	k->has_made_dir = k->met_itself = false;
	return k->o->move ? move_file(k) : copy_tree(k);
}
