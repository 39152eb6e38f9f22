/* SPDX-License-Identifier: MIT
 *
 * tar -c with -g or -G: what changed since the last time.
 *
 * Directories are found first and stored first, in the order of their names, each with a list of
 * what is in it: Y NAME (in this archive), N NAME (not changed), D NAME (a directory); behind the
 * first one's list R OLD, T NEW tell of directories that were renamed, X DIR of a ring of such.
 */
#include "base/sort.h"
#include "builtins/tar/incremental.h"

/* An operand that is no directory. */
struct tar_top {
	struct tar_top *next;
	const char *name;
	int here;
};

/* What is stored in the first pass. */
struct item {
	const char *name;
	int here;
	struct tar_dir *dir; /* NULL: a file */
};

/* --- finding directories --- */

static void tell(struct tar *t, const char *what, const char *name, const char *from)
{
	enum tar_note kind = from != NULL ? NOTE_RENAMED_DIRECTORY : NOTE_NEW_DIRECTORY;

	if (!tar_tells(t, kind))
		return;
	if (from != NULL)
		tar_note(t, kind, "%s: Directory has been %s from %s", tar_quote(t, name), what,
			 cmd_quote(t->c, from));
	else
		tar_note(t, kind, "%s: Directory %s", tar_quote(t, name), what);
}

/* A directory that is there: as the snapshot knows it, by another name, or new. */
static struct tar_dir *find_dir(struct tar *t, const char *name, const struct vfs_stat *st)
{
	struct tar_inc *inc = t->inc;
	struct tar_dir *d = snapshot_by_name(t, inc, name);

	if (d != NULL && d->found)
		return d;
	if (d == NULL || d->ino != st->ino || !snapshot_same_device(t, d, st)) {
		struct tar_dir *was = snapshot_by_inode(t, inc, st);
		bool known = d != NULL;

		d = snapshot_add(t, inc, name, st->ino);
		d->all = was == NULL;
		if (was != NULL) {
			tell(t, "renamed", name, was->name);
			d->old = was->old;
			d->from = was->name;
			snapshot_moved(t, inc, was->name, name);
		} else {
			tell(t, known ? "has been renamed" : "is new", name, NULL);
		}
	}
	d->found = true;
	d->dev = st->dev;
	d->mtime_s = st->mtime_ns / 1000000000;
	d->mtime_ns = (uint32_t)(st->mtime_ns - d->mtime_s * 1000000000);
	d->here = t->here;
	return d;
}

static char *join(struct tar *t, const char *dir, struct bytes name)
{
	struct buf path = buf_in(t->c->arena);
	size_t len = strlen(dir);

	buf_printf(&path, "%s%s%.*s", dir, len > 0 && dir[len - 1] == '/' ? "" : "/", (int)name.len,
		   name.ptr);
	return buf_cstr(&path);
}

/* Whether the last time's list has the name. Both lists are in order: at goes on. */
static bool was_there(struct tar *t, struct bytes old, size_t *at, struct bytes name)
{
	while (*at < old.len) {
		struct bytes entry = { old.ptr + *at + 1, strlen(old.ptr + *at + 1) };
		int order = bytes_cmp(entry, name);

		if (order > 0)
			return false;
		*at += entry.len + 2;
		cmd_charge(t->c, 1);
		if (order == 0)
			return true;
	}
	return false;
}

static void enqueue(struct tar_inc *inc, struct tar_dir *d, uint64_t root)
{
	if (d->queued)
		return;
	d->queued = true;
	d->root = root;
	*inc->queue_end = d;
	inc->queue_end = &d->next_queued;
}

static char code_of(struct tar *t, struct tar_dir *d, const char *path, bool was)
{
	struct vfs_stat st;

	if (names_excluded(t, path))
		return 'N';
	int err = cmd_stat_at(t->c, CMD_CWD, path, t->follow ? 0 : CMD_NOFOLLOW, &st);

	if (err < 0) {
		tar_error(t, err, "%s: Cannot stat", tar_quote(t, path));
		return 'N';
	}
	if ((st.mode & S_FMT) == S_DIR) {
		if (t->one_device && st.dev != d->root)
			return 'N';
		struct tar_dir *in = find_dir(t, path, &st);

		if (t->match & MATCH_NO_RECURSION)
			return 'N';
		enqueue(t->inc, in, d->root);
		return 'D';
	}
	if (t->match & MATCH_NO_RECURSION)
		return 'N';
	if (d->all || !was)
		return 'Y';
	return st.mtime_ns < t->inc->last_ns && st.ctime_ns < t->inc->last_ns ? 'N' : 'Y';
}

static void scan_dir(struct tar *t, struct tar_dir *d)
{
	struct arena_mark mark = arena_mark(t->c->arena);
	struct buf now = buf_in(t->c->arena);
	struct vfs_dirent *list;
	size_t at = 0;
	size_t n;
	int err;

	names_chdir(t, d->here);
	err = cmd_list(t->c, CMD_CWD, d->name, t->c->arena, &list, &n);
	if (err < 0) {
		tar_error(t, err, "%s: Cannot open", tar_quote(t, d->name));
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		bool was = was_there(t, d->old, &at, list[i].name);

		buf_putc(&now, code_of(t, d, join(t, d->name, list[i].name), was));
		buf_add(&now, list[i].name);
		buf_putc(&now, '\0');
		cmd_charge(t->c, 8);
	}
	d->now = (struct bytes){ pool_dup(t->c->pool, buf_bytes(&now)), now.len };
	arena_release(t->c->arena, mark);
}

static void add_top(struct tar *t, const char *name)
{
	struct tar_top *top = pool_zalloc(t->c->pool, sizeof *top);

	*top = (struct tar_top){ NULL, name, t->here };
	*t->inc->tops_end = top;
	t->inc->tops_end = &top->next;
	t->inc->ntops++;
}

/* An operand. */
static void find_operand(struct tar *t, const char *name)
{
	struct bytes s = bytes_of(name);
	struct tar_inc *inc = t->inc;
	struct vfs_stat st;

	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	const char *path = pool_dup(t->c->pool, s);

	if (names_excluded(t, path))
		return;
	int err = cmd_stat_at(t->c, CMD_CWD, path, t->follow ? 0 : CMD_NOFOLLOW, &st);

	if (err < 0) {
		tar_error(t, err, "%s: Cannot stat", tar_quote(t, path));
		return;
	}
	if ((st.mode & S_FMT) != S_DIR) {
		if (st.mtime_ns >= inc->last_ns || st.ctime_ns >= inc->last_ns)
			add_top(t, path);
		return;
	}
	int here = t->here;
	struct tar_dir *d = find_dir(t, path, &st);

	/* Those below are queued as they are found. */
	inc->queue = NULL;
	inc->queue_end = &inc->queue;
	enqueue(inc, d, st.dev);
	for (d = inc->queue; d != NULL; d = d->next_queued)
		scan_dir(t, d);
	names_chdir(t, here);
}

/* --- directories that were renamed --- */

static void put_move(struct buf *out, const char *from, const char *to)
{
	buf_printf(out, "R%s%cT%s%c", from, '\0', to, '\0');
}

static struct tar_dir *source_of(struct tar *t, struct tar_dir **list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		cmd_charge(t->c, 1);
		if (list[i]->from != NULL && strcmp(list[i]->from, name) == 0)
			return list[i];
	}
	return NULL;
}

/* Renames d, before it what stands where it goes. A ring is opened by moving one out of it. */
static void put_chain(struct tar *t, struct buf *out, struct tar_dir **list, size_t n,
		      struct tar_dir *d)
{
	struct tar_dir **chain = arena_array(t->c->arena, n, sizeof *chain);
	struct tar_dir *next = d;
	size_t len = 0;
	bool ring;

	do {
		chain[len++] = next;
		next = source_of(t, list, n, next->name);
	} while (next != NULL && next != d && len < n);
	ring = next == d && len > 1;
	if (ring) {
		const char *slash = strrchr(d->name, '/');
		size_t dir = slash != NULL ? (size_t)(slash - d->name) : 0;

		buf_printf(out, "X%.*s%c", (int)dir, d->name, '\0');
		put_move(out, d->from, "");
	}
	while (len > (ring ? 1u : 0u)) {
		struct tar_dir *e = chain[--len];

		put_move(out, e->from, e->name);
		e->from = NULL;
	}
	if (ring)
		put_move(out, "", d->name);
	d->from = NULL;
}

/* All renamings, as records. */
static struct bytes put_renamed(struct tar *t)
{
	struct tar_inc *inc = t->inc;
	struct buf out = buf_in(t->c->arena);
	struct tar_dir **list = arena_array(t->c->arena, inc->n + 1, sizeof *list);
	size_t n = 0;

	for (struct tar_dir *d = inc->first; d != NULL; d = d->next)
		if (d->found && d->from != NULL)
			list[n++] = d;
	for (size_t i = 0; i < n; i++)
		if (list[i]->from != NULL)
			put_chain(t, &out, list, n, list[i]);
	return buf_bytes(&out);
}

/* --- storing --- */

static int by_name(void *arg, const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;

	cmd_charge(arg, 1);
	return strcmp(x->name, y->name);
}

static size_t list_items(struct tar *t, struct item **out)
{
	struct tar_inc *inc = t->inc;
	struct item *list = arena_array(t->c->arena, inc->n + inc->ntops + 1, sizeof *list);
	size_t n = 0;
	struct item *spare;

	for (struct tar_dir *d = inc->first; d != NULL; d = d->next)
		if (d->found && d->now.ptr != NULL)
			list[n++] = (struct item){ d->name, d->here, d };
	for (struct tar_top *top = inc->tops; top != NULL; top = top->next)
		list[n++] = (struct item){ top->name, top->here, NULL };
	spare = arena_array(t->c->arena, n + 1, sizeof *spare);
	sort_stable(list, n, sizeof *list, spare, by_name, t->c);
	*out = list;
	return n;
}

static void put_files(struct tar *t, const struct tar_dir *d)
{
	for (size_t at = 0; at < d->now.len; at += strlen(d->now.ptr + at) + 1) {
		struct arena_mark mark = arena_mark(t->c->arena);

		if (d->now.ptr[at] == 'Y')
			tar_dump_file(t, join(t, d->name, bytes_of(d->now.ptr + at + 1)));
		tar_release(t, mark);
		cmd_charge(t->c, 4);
	}
}

/* The list of a directory as it is stored: with a NUL behind. */
static struct bytes whole_list(struct tar *t, const struct tar_dir *d, struct bytes *renamed)
{
	struct buf out = buf_in(t->c->arena);

	buf_add(&out, d->now);
	buf_add(&out, *renamed);
	buf_putc(&out, '\0');
	renamed->len = 0;
	return buf_bytes(&out);
}

void tar_dump_changed(struct tar *t)
{
	struct tar_inc *inc = pool_zalloc(t->c->pool, sizeof *inc);
	struct item *list;
	size_t n;

	t->inc = inc;
	inc->end = &inc->first;
	inc->tops_end = &inc->tops;
	inc->fd = -1;
	inc->last_ns = t->has_newer ? t->newer_ns : INT64_MIN;
	t->has_newer = false;
	if (t->snapshot != NULL)
		snapshot_open(t, inc);
	names_each(t, find_operand);
	n = list_items(t, &list);
	struct bytes renamed = put_renamed(t);

	for (size_t i = 0; i < n; i++) {
		struct arena_mark mark = arena_mark(t->c->arena);

		names_chdir(t, list[i].here);
		if (list[i].dir != NULL)
			tar_dump_listed(t, list[i].name, whole_list(t, list[i].dir, &renamed));
		else
			tar_dump_file(t, list[i].name);
		tar_release(t, mark);
	}
	for (size_t i = 0; i < n; i++) {
		names_chdir(t, list[i].here);
		if (list[i].dir != NULL)
			put_files(t, list[i].dir);
	}
	names_chdir(t, -1);
	if (t->snapshot != NULL)
		snapshot_write(t, inc);
}
