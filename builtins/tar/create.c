/* SPDX-License-Identifier: MIT
 *
 * tar -c: files into the archive.
 */
#include "builtins/tar/tar.h"

enum { LINK_BUCKETS = 1024, VIEW_MAX = 1 << 18 };

/* Files with several names that were stored under one of them. */
struct tar_link {
	struct tar_link *next;
	uint64_t dev;
	vfs_ino ino;
	uint32_t missing; /* names not seen yet */
	char *name;       /* as stored */
};

struct tar_links {
	struct tar_link *bucket[LINK_BUCKETS];
};

/* --- attributes --- */

static void set_owner(struct tar *t, struct tar_member *m, const struct vfs_stat *st)
{
	m->uid = t->has_uid ? t->uid : st->uid;
	m->gid = t->has_gid ? t->gid : st->gid;
	bool owner = tar_map_owner(t, st->uid, &m->uid, &m->uname);
	bool group = tar_map_group(t, st->gid, &m->gid, &m->gname);

	if (t->numeric) {
		m->uname = m->gname = "";
		return;
	}
	if (!owner)
		m->uname = t->owner != NULL ? t->owner : cmd_user_name(t->c, (uint32_t)m->uid);
	if (!group)
		m->gname = t->group != NULL ? t->group : cmd_group_name(t->c, (uint32_t)m->gid);
	if (m->uname == NULL)
		m->uname = "";
	if (m->gname == NULL)
		m->gname = "";
}

static void set_attributes(struct tar *t, struct tar_member *m, const struct vfs_stat *st)
{
	int64_t ns = st->mtime_ns;

	if (t->has_mtime && (!t->clamp || ns > t->mtime_ns))
		ns = t->mtime_ns;
	m->mtime_s = ns / 1000000000 - (ns % 1000000000 < 0);
	m->mtime_ns = (uint32_t)(ns - m->mtime_s * 1000000000);
	m->mode = st->mode & 07777;
	if (t->mode_change != NULL)
		m->mode = mode_apply(t->mode_change, m->mode, (st->mode & S_FMT) == S_DIR,
				     cmd_umask(t->c)) &
			  07777;
	set_owner(t, m, st);
}

/* --- links --- */

static struct tar_link **link_bucket(struct tar *t, const struct vfs_stat *st)
{
	if (t->links == NULL)
		t->links = pool_zalloc(t->c->pool, sizeof *t->links);
	return &t->links->bucket[st->ino % LINK_BUCKETS];
}

static struct tar_link *find_link(struct tar *t, const struct vfs_stat *st)
{
	for (struct tar_link *l = *link_bucket(t, st); l != NULL; l = l->next) {
		if (l->ino == st->ino && l->dev == st->dev)
			return l;
		cmd_charge(t->c, 1);
	}
	return NULL;
}

static bool may_be_linked(const struct tar *t, const struct vfs_stat *st)
{
	return (st->nlink >= 2 || t->many || t->follow) && !t->hard_dereference;
}

void tar_report_links(struct tar *t)
{
	for (int i = 0; t->check_links && t->links != NULL && i < LINK_BUCKETS; i++)
		for (struct tar_link *l = t->links->bucket[i]; l != NULL; l = l->next)
			if (l->missing > 0)
				tar_warn(t, 0, "Missing links to %s.", cmd_quote(t->c, l->name));
}

/* --- data --- */

static void put_zeros(struct tar *t, uint64_t n)
{
	static const char zeros[4096];

	while (n > 0) {
		size_t step = n < sizeof zeros ? (size_t)n : sizeof zeros;

		archive_write(t, zeros, step);
		n -= step;
	}
}

/* Exactly `size` bytes, whatever becomes of the file meanwhile. */
static void put_bytes(struct tar *t, int fd, const char *name, uint64_t size)
{
	uint64_t left = size;

	while (left > 0) {
		const char *view;
		int64_t got = cmd_view(t->c, fd, left < VIEW_MAX ? (size_t)left : VIEW_MAX, &view);

		if (got < 0)
			tar_error(t, (int)got,
				  "%s: Read error at byte %llu, while reading %llu bytes",
				  tar_quote(t, name), (unsigned long long)(size - left),
				  (unsigned long long)left);
		else if (got == 0)
			tar_error(t, 0, "%s: File shrank by %llu bytes; padding with zeros",
				  tar_quote(t, name), (unsigned long long)left);
		if (got <= 0) {
			put_zeros(t, left);
			return;
		}
		archive_write(t, view, (size_t)got);
		left -= (uint64_t)got;
	}
}

static void put_data(struct tar *t, int fd, struct tar_member *m)
{
	uint64_t total = m->size;

	volumes_data(t);
	if (!m->is_sparse) {
		put_bytes(t, fd, m->stored, m->size);
		archive_pad(t, m->size);
		return;
	}
	if (t->format == TAR_PAX) {
		struct bytes text = sparse_map_text(t, m);

		archive_write(t, text.ptr, text.len);
		total = 0;
		for (size_t i = 0; i < m->nmap; i++)
			total += m->map[i].size;
	}
	for (size_t i = 0; i < m->nmap; i++) {
		cmd_seek(t->c, fd, (int64_t)m->map[i].offset, 0);
		put_bytes(t, fd, m->stored, m->map[i].size);
	}
	archive_pad(t, total);
}

/* --- one file --- */

/* A member that is stored now, for names that are links to it. */
static void remember_link(struct tar *t, const struct tar_member *m, const struct vfs_stat *st)
{
	struct tar_link **at = link_bucket(t, st);
	struct tar_link *l = pool_zalloc(t->c->pool, sizeof *l);
	const char *safe = xform_name(t, xform_safe(t, m->stored, true), XFORM_LINK);

	*l = (struct tar_link){ .dev = st->dev,
				.ino = st->ino,
				.missing = st->nlink - 1,
				.name = pool_dup(t->c->pool, bytes_of(safe)),
				.next = *at };
	*at = l;
}

/* Whether it is a link to a member. */
static bool make_link(struct tar *t, struct tar_member *m, const struct vfs_stat *st)
{
	struct tar_link *l = may_be_linked(t, st) ? find_link(t, st) : NULL;

	if (l == NULL)
		return false;
	if (l->missing > 0)
		l->missing--;
	m->type = '1';
	m->link = arena_dup(t->c->arena, bytes_of(l->name));
	return true;
}

/* With the file's own time, whatever is stored. */
static void tell(struct tar *t, const struct tar_member *m, const struct vfs_stat *st)
{
	struct tar_member shown = *m;

	shown.mtime_s = st->mtime_ns / 1000000000;
	shown.mtime_ns = (uint32_t)(st->mtime_ns % 1000000000);
	if (t->verbose > 0)
		tar_list_line(t, &shown, t->verbose > 1);
}

static void failed_read(struct tar *t, int err, const char *what, const char *name)
{
	if (t->no_failed_read)
		tar_warn(t, err, "%s: Warning: %s", tar_quote(t, name), what);
	else
		tar_error(t, err, "%s: %s", tar_quote(t, name), what);
}

/* False: nothing was stored. */
static bool dump_regular(struct tar *t, struct walk_entry *e, struct tar_member *m,
			 const struct vfs_stat *st)
{
	int fd;

	m->size = m->real = st->size;
	fd = cmd_open(t->c, e->dir, e->at, O_RDONLY_ | O_CLOEXEC_ | (t->follow ? 0 : O_NOFOLLOW_),
		      0);
	if (fd < 0) {
		failed_read(t, fd, "Cannot open", m->stored);
		return false;
	}
	if (t->sparse && t->format != TAR_V7 && t->format != TAR_USTAR &&
	    st->blocks * 512 < st->size && sparse_scan(t, fd, m)) {
		if (t->format == TAR_PAX)
			m->size += sparse_map_text(t, m).len;
		else
			m->type = 'S';
	}
	bool good = header_write(t, m, st->atime_ns, st->ctime_ns);

	if (good) {
		tell(t, m, st);
		put_data(t, fd, m);
	}
	cmd_close(t->c, fd);
	return good;
}

static bool dump_special(struct tar *t, struct walk_entry *e, struct tar_member *m,
			 const struct vfs_stat *st)
{
	struct bytes target;
	uint32_t type = st->mode & S_FMT;
	int err;

	if (t->format == TAR_V7 && (type == S_FIFO || type == S_CHR || type == S_BLK)) {
		tar_error(t, 0, "%s: Unknown file type; file ignored", tar_quote(t, m->stored));
		return false;
	}
	switch (type) {
	case S_LNK:
		err = cmd_readlink(t->c, e->dir, e->at, &target);
		if (err < 0) {
			failed_read(t, err, "Cannot readlink", m->stored);
			return false;
		}
		m->type = '2';
		m->link = xform_name(t, arena_dup(t->c->arena, target), XFORM_SYMLINK);
		break;
	case S_FIFO: m->type = '6'; break;
	case S_CHR:
	case S_BLK:
		m->type = (st->mode & S_FMT) == S_CHR ? '3' : '4';
		m->major = (uint32_t)(st->rdev >> 8);
		m->minor = (uint32_t)(st->rdev & 0xff);
		break;
	case S_DIR: m->type = '5'; break;
	case S_SOCK:
		tar_note(t, NOTE_IGNORED, "%s: socket ignored", tar_quote(t, m->stored));
		return false;
	default:
		tar_error(t, 0, "%s: Unknown file type; file ignored", tar_quote(t, m->stored));
		return false;
	}
	if (!header_write(t, m, st->atime_ns, st->ctime_ns))
		return false;
	tell(t, m, st);
	return true;
}

static const char *with_slash(struct tar *t, const char *name)
{
	struct buf out = buf_in(t->c->arena);
	size_t len = strlen(name);

	buf_put(&out, name, len);
	if (len == 0 || name[len - 1] != '/')
		buf_putc(&out, '/');
	return buf_cstr(&out);
}

static bool dump_entry(struct tar *t, struct walk_entry *e, const struct vfs_stat *st)
{
	bool dir = (st->mode & S_FMT) == S_DIR;
	struct tar_member m = { .type = '0', .stored = e->path };

	set_attributes(t, &m, st);
	m.name = xform_name(t, xform_safe(t, e->path, false), XFORM_FILE);
	if (dir) {
		m.stored = with_slash(t, e->path);
		m.name = with_slash(t, m.name);
	}
	if (!dir && make_link(t, &m, st)) {
		if (!header_write(t, &m, st->atime_ns, st->ctime_ns))
			return false;
		tell(t, &m, st);
		return true;
	}
	xattr_take(t, e, &m);
	bool stored = (st->mode & S_FMT) == S_REG ? dump_regular(t, e, &m, st)
						  : dump_special(t, e, &m, st);

	if (stored && !dir && may_be_linked(t, st))
		remember_link(t, &m, st);
	return stored;
}

/* --- what is left out --- */

static bool has_tag(struct tar *t, struct walk_entry *e, const struct tar_tag *tag)
{
	struct buf path = buf_in(t->c->arena);
	struct vfs_stat st;

	buf_printf(&path, "%s/%s", e->at, tag->name);
	if (cmd_stat_at(t->c, e->dir, buf_cstr(&path), CMD_NOFOLLOW, &st) < 0)
		return false;
	if (strcmp(tag->name, "CACHEDIR.TAG") != 0)
		return true;
	/* Only with its signature. */
	static const char signature[] = "Signature: 8a477f597d28d172789f06886806bc55";
	char head[sizeof signature];
	int fd = cmd_open(t->c, e->dir, path.ptr, O_RDONLY_ | O_CLOEXEC_, 0);
	int64_t got = fd >= 0 ? cmd_read(t->c, fd, head, sizeof signature - 1) : 0;

	if (fd >= 0)
		cmd_close(t->c, fd);
	return got == sizeof signature - 1 && memcmp(head, signature, sizeof signature - 1) == 0;
}

enum { TAG_CONTENTS = 1, TAG_UNDER, TAG_ALL };

/* What a tag in a directory says: 0, or one of TAG_*. */
static int find_tag(struct tar *t, struct walk_entry *e, const struct tar_tag **found)
{
	for (const struct tar_tag *tag = t->tags; tag != NULL; tag = tag->next)
		if (has_tag(t, e, tag)) {
			*found = tag;
			return tag->what;
		}
	return 0;
}

static void dump_tag_file(struct tar *t, struct walk_entry *e, const struct tar_tag *tag)
{
	struct walk_entry file = *e;
	struct buf path = buf_in(t->c->arena);
	struct buf at = buf_in(t->c->arena);
	struct vfs_stat st;

	buf_printf(&path, "%s/%s", e->path, tag->name);
	buf_printf(&at, "%s/%s", e->at, tag->name);
	file.path = buf_cstr(&path);
	file.at = buf_cstr(&at);
	if (cmd_stat_at(t->c, file.dir, file.at, CMD_NOFOLLOW, &st) == 0)
		dump_entry(t, &file, &st);
}

/* True: the directory is not entered; *all: it is not even stored. */
static bool tagged(struct tar *t, struct walk_entry *e, bool *all)
{
	const struct tar_tag *tag = NULL;
	int what = t->tags != NULL ? find_tag(t, e, &tag) : 0;

	*all = what == TAG_ALL;
	if (what == 0)
		return false;
	if (t->verbose > 0)
		tar_note(t, NOTE_CACHEDIR, "%s: contains a cache directory tag %s; %s",
			 tar_quote(t, with_slash(t, e->path)), tag->name,
			 what == TAG_ALL ? "directory not dumped" : "contents not dumped");
	if (what == TAG_CONTENTS) {
		struct vfs_stat st = e->st;

		dump_entry(t, e, &st);
		dump_tag_file(t, e, tag);
		*all = true;
	}
	return true;
}

static bool left_out(struct tar *t, struct walk_entry *e)
{
	if (e->level > 0 && names_excluded(t, e->path))
		return true;
	if (e->level == 0 && names_excluded(t, e->path))
		return true;
	if (e->kind == WALK_FILE && archive_is(t, &e->st)) {
		tar_note(t, NOTE_ARCHIVE, "%s: file is the archive; not dumped",
			 tar_quote(t, e->path));
		return true;
	}
	if (t->has_newer && e->kind == WALK_FILE && e->st.mtime_ns < t->newer_ns &&
	    (t->newer_mtime || e->st.ctime_ns < t->newer_ns)) {
		if (t->verbose > 0)
			tar_note(t, NOTE_UNCHANGED, "%s: file is unchanged; not dumped",
				 tar_quote(t, e->path));
		return true;
	}
	return t->interactive && !tar_confirm(t, "add", e->path);
}

/* --- trees --- */

static void remove_stored(struct tar *t, struct walk_entry *e)
{
	bool dir = e->kind == WALK_DIR_END;
	int err = cmd_unlink(t->c, e->dir, e->at, dir ? CMD_REMOVEDIR : 0);

	if (err < 0 && !(dir && (err == -E_NOTEMPTY || err == -E_INVAL)))
		tar_error(t, err, dir ? "%s: Cannot rmdir" : "%s: Cannot unlink",
			  tar_quote(t, e->path));
}

static void dump_walked(struct tar *t, struct walk *w, struct walk_entry *e)
{
	struct vfs_stat st = e->st;
	bool gone = false;

	if (e->kind == WALK_ERROR && names_excluded(t, e->path))
		return;
	if (e->kind == WALK_ERROR) {
		xform_safe(t, e->path, false); /* says what it would remove */
		failed_read(t, e->err, e->in_dir ? "Cannot open" : "Cannot stat", e->path);
		return;
	}
	if (e->kind == WALK_DIR_END) {
		if (t->remove_files)
			remove_stored(t, e);
		return;
	}
	if (t->follow && (st.mode & S_FMT) == S_LNK) {
		if (e->level == 0) {
			failed_read(t, -E_NOENT, "Cannot stat", e->path);
			return;
		}
		tar_note(t, NOTE_REMOVED, "%s: File removed before we read it",
			 tar_quote(t, e->path));
		t->status = t->status != 0 ? t->status : 1;
		return;
	}
	struct tar_ignored *ignored = e->level > 0 ? *walk_data(w, e->level - 1) : NULL;

	if (names_is_ignored(t, ignored, e->path) || left_out(t, e)) {
		if (e->kind == WALK_DIR)
			walk_skip(w);
		return;
	}
	if (e->kind == WALK_LOOP) {
		tar_error(t, -E_LOOP, "%s: Cannot open", tar_quote(t, e->path));
		return;
	}
	if (e->kind == WALK_DIR && tagged(t, e, &gone)) {
		walk_skip(w);
		if (gone)
			return;
	}
	if (e->kind == WALK_DIR && t->nignore_files > 0)
		e->data = names_ignored_in(t, e->dir, e->at, ignored);
	bool stored = tar_is_known(t, e->path, &st) || dump_entry(t, e, &st);

	if (e->kind == WALK_DIR && (t->match & MATCH_NO_RECURSION))
		walk_skip(w);
	if (stored && t->remove_files && e->kind == WALK_FILE)
		remove_stored(t, e);
}

void tar_dump(struct tar *t, const char *name)
{
	struct bytes root = bytes_of(name);
	unsigned flags = t->remove_files ? WALK_POST : 0;

	while (root.len > 1 && root.ptr[root.len - 1] == '/')
		root.len--;
	if (t->follow)
		flags |= WALK_FOLLOW;
	if (t->one_device)
		flags |= WALK_ONE_DEVICE;
	if (t->by_inode)
		flags |= WALK_BY_INODE;
	struct walk *w = walk_new(t->c, arena_dup(t->c->arena, root), flags);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		struct arena_mark mark = arena_mark(t->c->arena);

		dump_walked(t, w, e);
		tar_release(t, mark);
		cmd_charge(t->c, 4);
	}
	walk_free(w);
}

static bool examine(struct tar *t, const char *path, struct walk_entry *e)
{
	int err;

	*e = (struct walk_entry){
		.kind = WALK_FILE, .path = path, .dir = CMD_CWD, .at = path, .level = 1
	};
	err = cmd_stat_at(t->c, CMD_CWD, path, t->follow ? 0 : CMD_NOFOLLOW, &e->st);
	if (err < 0)
		failed_read(t, err, "Cannot stat", path);
	return err >= 0;
}

void tar_dump_file(struct tar *t, const char *path)
{
	struct walk_entry e;

	if (examine(t, path, &e) && !left_out(t, &e))
		dump_entry(t, &e, &e.st);
}

void tar_dump_listed(struct tar *t, const char *path, struct bytes list)
{
	bool pax = t->format == TAR_PAX;
	struct tar_member m = { .type = pax ? '5' : 'D', .list = list };
	struct walk_entry e;

	if (!examine(t, path, &e))
		return;
	set_attributes(t, &m, &e.st);
	m.stored = with_slash(t, path);
	m.name = with_slash(t, xform_name(t, xform_safe(t, path, false), XFORM_FILE));
	m.size = pax ? 0 : list.len;
	if (!header_write(t, &m, e.st.atime_ns, e.st.ctime_ns))
		return;
	tell(t, &m, &e.st);
	if (pax)
		return;
	archive_write(t, list.ptr, list.len);
	archive_pad(t, list.len);
}

void tar_create(struct tar *t)
{
	archive_open_write(t);
	pax_write_global(t);
	if (t->label != NULL && t->format != TAR_PAX)
		volumes_put_label(t);
	if (t->incremental)
		tar_dump_changed(t);
	else
		names_each(t, tar_dump);
	t->a.total = t->a.written;
	archive_end(t);
	tar_report_links(t);
}
