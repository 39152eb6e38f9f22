/* SPDX-License-Identifier: MIT
 *
 * Walking directory trees without recursion.
 *
 *   level 0: the root's entries   level 1: entries of a directory in it   level 2 ...
 *
 * Each level has a descriptor and a batch of entries read ahead, in the pool. So that deep
 * trees need few descriptors, a level far up is read to its end and its descriptor closed;
 * on the way back it is opened again as ".." and compared with what it was.
 */
#include "base/sort.h"
#include "builtins/cmd_private.h"

enum { WALK_OPEN_MAX = 64, WALK_BATCH = 64 };

struct batch {
	size_t size; /* of the whole block */
	size_t n;
	size_t next;
	struct vfs_dirent entry[]; /* their names behind them */
};

struct level {
	int fd;      /* -1: closed for now */
	bool at_end; /* everything was read into the batch */
	struct batch *batch;
	size_t path_len; /* of the directory's path */
	size_t name_at;  /* where its own name begins in the path */
	struct vfs_stat st;
	bool has_stat;
	void *data;
};

struct walk {
	struct cmd *c;
	unsigned flags;
	struct level *level;
	int depth; /* levels in use */
	int cap;
	char *path;
	size_t path_len;
	size_t path_cap;
	size_t root_len;
	uint64_t root_dev;
	enum { STEP_ROOT, STEP_ENTER, STEP_NEXT, STEP_END } step;
	bool pending_end; /* DIR_END of a directory that could not be read */
	struct walk_entry e;
};

static void set_path(struct walk *w, size_t base, struct bytes name)
{
	size_t need = base + name.len + 2;

	if (need > w->path_cap) {
		size_t cap = need * 2 + 256;

		w->path = pool_resize(w->c->pool, w->path, w->path_cap, cap);
		w->path_cap = cap;
	}
	if (base > 0 && w->path[base - 1] != '/')
		w->path[base++] = '/';
	memcpy(w->path + base, name.ptr, name.len);
	w->path_len = base + name.len;
	w->path[w->path_len] = '\0';
}

struct walk *walk_new(struct cmd *c, const char *root, unsigned flags)
{
	struct walk *w = pool_zalloc(c->pool, sizeof(*w));

	w->c = c;
	w->flags = flags;
	set_path(w, 0, bytes_of(root));
	w->root_len = w->path_len;
	return w;
}

/* --- the entry --- */

static int parent_fd(const struct walk *w, int level)
{
	return level == 0 ? CMD_CWD : w->level[level - 1].fd;
}

/* Fills w->e for the name that begins at name_at of the path. */
static void set_entry(struct walk *w, enum walk_kind kind, int level, size_t name_at)
{
	struct walk_entry *e = &w->e;

	e->kind = kind;
	e->path = w->path;
	e->at = w->path + name_at;
	e->name = e->at;
	e->level = level;
	e->dir = parent_fd(w, level);
	e->err = 0;
	e->in_dir = false;
	e->loop = NULL;
	e->data = NULL;
}

static bool follows(const struct walk *w, int level)
{
	return (w->flags & WALK_FOLLOW) || (level == 0 && (w->flags & WALK_FOLLOW_ROOT));
}

static int examine(struct walk *w)
{
	struct walk_entry *e = &w->e;
	int err = -E_NOENT;

	if (follows(w, e->level)) {
		err = cmd_stat_at(w->c, e->dir, e->at, 0, &e->st);
		e->err = err;
	}
	if (err == -E_NOENT || err == -E_LOOP)
		err = cmd_stat_at(w->c, e->dir, e->at, CMD_NOFOLLOW, &e->st);
	e->has_stat = err == 0;
	return err;
}

static bool is_type(const struct walk_entry *e, uint32_t type)
{
	return (e->st.mode & S_FMT) == type;
}

/* The path of the ancestor that this directory is, if it is one. */
static const char *find_loop(struct walk *w)
{
	const struct vfs_stat *st = &w->e.st;

	if (!(w->flags & WALK_FOLLOW))
		return NULL;
	for (int i = 0; i < w->depth; i++) {
		const struct level *l = &w->level[i];

		if (l->st.ino == st->ino && l->st.dev == st->dev)
			return cmd_slot(w->c, (struct bytes){ w->path, l->path_len });
	}
	return NULL;
}

/* Decides what the entry is once st is known, and what comes next. */
static struct walk_entry *classify(struct walk *w)
{
	struct walk_entry *e = &w->e;

	w->step = STEP_NEXT;
	if (!is_type(e, S_DIR)) {
		e->kind = WALK_FILE;
		return e;
	}
	e->loop = find_loop(w);
	e->kind = e->loop != NULL ? WALK_LOOP : WALK_DIR;
	if (e->kind == WALK_DIR)
		w->step = STEP_ENTER;
	if (e->level > 0 && (w->flags & WALK_ONE_DEVICE) && e->st.dev != w->root_dev)
		w->step = STEP_NEXT;
	return e;
}

static struct walk_entry *failed(struct walk *w, int err, bool in_dir)
{
	w->e.kind = WALK_ERROR;
	w->e.err = err;
	w->e.in_dir = in_dir;
	w->step = STEP_NEXT;
	return &w->e;
}

static struct walk_entry *give_root(struct walk *w)
{
	set_entry(w, WALK_FILE, 0, 0);
	const char *slash = bytes_rfind(bytes_of(w->path), BYTES("/"));

	if (slash != NULL && slash[1] != '\0')
		w->e.name = slash + 1;
	int err = examine(w);

	if (err < 0)
		return failed(w, err, false);
	w->root_dev = w->e.st.dev;
	return classify(w);
}

/* --- levels --- */

/* Copies entries behind those that wait in the batch: one block with names at its end. */
static void extend_batch(struct walk *w, struct level *l, const struct vfs_dirent *list, size_t n)
{
	struct batch *old = l->batch;
	size_t kept = old != NULL ? old->n - old->next : 0;
	size_t names = 0;

	for (size_t i = 0; i < kept; i++)
		names += old->entry[old->next + i].name.len + 1;
	for (size_t i = 0; i < n; i++)
		names += list[i].name.len + 1;
	size_t size = sizeof(struct batch) + (kept + n) * sizeof(struct vfs_dirent) + names;
	struct batch *b = pool_alloc(w->c->pool, size);
	char *to = (char *)(b->entry + kept + n);

	b->size = size;
	b->n = kept + n;
	b->next = 0;
	for (size_t i = 0; i < b->n; i++) {
		b->entry[i] = i < kept ? old->entry[old->next + i] : list[i - kept];
		memcpy(to, b->entry[i].name.ptr, b->entry[i].name.len + 1);
		b->entry[i].name.ptr = to;
		to += b->entry[i].name.len + 1;
	}
	if (old != NULL)
		pool_free(w->c->pool, old, old->size);
	l->batch = b;
}

/* Reads more entries of the level: 0 (also at the end), or -E_. */
static int read_more(struct walk *w, struct level *l)
{
	struct vfs_dirent list[WALK_BATCH];
	struct arena_mark mark = arena_mark(w->c->arena);
	int got = cmd_readdir(w->c, l->fd, w->c->arena, list, WALK_BATCH);

	if (got > 0)
		extend_batch(w, l, list, (size_t)got);
	else
		l->at_end = true;
	arena_release(w->c->arena, mark);
	cmd_charge(w->c, (uint64_t)(got > 0 ? got : 1));
	return got < 0 ? got : 0;
}

static int by_inode(void *arg, const void *a, const void *b)
{
	const struct vfs_dirent *x = a;
	const struct vfs_dirent *y = b;

	cmd_charge(arg, 1);
	return (x->ino > y->ino) - (x->ino < y->ino);
}

/* A whole directory at once, in order: what was read has the names. */
static int read_by_inode(struct walk *w, struct level *l)
{
	int err = 0;

	while (!l->at_end && err == 0)
		err = read_more(w, l);
	if (l->batch == NULL || l->batch->n < 2)
		return err;
	struct arena_mark mark = arena_mark(w->c->arena);
	size_t size = sizeof *l->batch->entry;

	sort_stable(l->batch->entry, l->batch->n, size, arena_array(w->c->arena, l->batch->n, size),
		    by_inode, w->c);
	arena_release(w->c->arena, mark);
	return err;
}

/* Closes the descriptor of a level far up, after reading all of it. */
static void retire(struct walk *w)
{
	struct level *l = w->depth > WALK_OPEN_MAX ? &w->level[w->depth - 1 - WALK_OPEN_MAX] : NULL;

	if (l == NULL || l->fd < 0)
		return;
	while (!l->at_end)
		if (read_more(w, l) < 0)
			break;
	cmd_close(w->c, l->fd);
	l->fd = -1;
}

static struct level *push(struct walk *w, int fd)
{
	if (w->depth == w->cap) {
		int cap = w->cap * 2 + 16;

		w->level = pool_resize(w->c->pool, w->level, (size_t)w->cap * sizeof(*w->level),
				       (size_t)cap * sizeof(*w->level));
		w->cap = cap;
	}
	struct level *l = &w->level[w->depth++];

	*l = (struct level){
		.fd = fd,
		.path_len = w->path_len,
		.name_at = (size_t)(w->e.at - w->path),
		.st = w->e.st,
		.has_stat = w->e.has_stat,
		.data = w->e.data,
	};
	return l;
}

static struct walk_entry *enter(struct walk *w)
{
	unsigned oflags = O_RDONLY_ | O_DIRECTORY_ | O_CLOEXEC_;
	int fd = cmd_open(w->c, w->e.dir, w->e.at,
			  follows(w, w->e.level) ? oflags : oflags | O_NOFOLLOW_, 0);
	int err = fd;

	if (fd >= 0) {
		struct level *l = push(w, fd);

		retire(w);
		err = (w->flags & WALK_BY_INODE) ? read_by_inode(w, l) : read_more(w, l);
		w->step = STEP_NEXT;
		if (err >= 0)
			return NULL;
		l->at_end = true;
	} else {
		w->pending_end = (w->flags & WALK_POST) != 0;
	}
	return failed(w, err, true);
}

/* A descriptor for the level above the one about to be closed. */
static int reopen(struct walk *w, struct level *l, int child)
{
	struct vfs_stat st;
	int fd = cmd_open(w->c, child, "..", O_RDONLY_ | O_DIRECTORY_ | O_CLOEXEC_, 0);

	if (fd < 0)
		return fd;
	if (cmd_fstat(w->c, fd, &st) == 0 && st.ino == l->st.ino)
		return fd;
	cmd_close(w->c, fd);
	w->path[l->path_len] = '\0';
	return cmd_open(w->c, CMD_CWD, w->path, O_RDONLY_ | O_DIRECTORY_ | O_CLOEXEC_, 0);
}

/* Ends the deepest level. */
static struct walk_entry *leave(struct walk *w)
{
	struct level l = w->level[--w->depth];

	if (w->depth > 0 && w->level[w->depth - 1].fd < 0)
		w->level[w->depth - 1].fd = reopen(w, &w->level[w->depth - 1], l.fd);
	cmd_close(w->c, l.fd);
	if (l.batch != NULL)
		pool_free(w->c->pool, l.batch, l.batch->size);
	w->path_len = l.path_len;
	w->path[l.path_len] = '\0';
	if (!(w->flags & WALK_POST))
		return NULL;
	set_entry(w, WALK_DIR_END, w->depth, l.name_at);
	w->e.st = l.st;
	w->e.has_stat = l.has_stat;
	w->e.data = l.data;
	return &w->e;
}

static struct walk_entry *give_next(struct walk *w)
{
	struct level *l = &w->level[w->depth - 1];

	if (l->batch == NULL || l->batch->next == l->batch->n) {
		int err = l->at_end ? 0 : read_more(w, l);

		if (err < 0) {
			w->path[l->path_len] = '\0';
			set_entry(w, WALK_ERROR, w->depth - 1, l->name_at);
			return failed(w, err, true);
		}
		if (l->at_end)
			return leave(w);
	}
	const struct vfs_dirent *d = &l->batch->entry[l->batch->next++];

	set_path(w, l->path_len, d->name);
	set_entry(w, WALK_FILE, w->depth, w->path_len - d->name.len);
	cmd_charge(w->c, 1);
	bool by_type = (w->flags & (WALK_NO_STAT | WALK_ONE_DEVICE)) == WALK_NO_STAT &&
		       !(d->type == S_LNK && (w->flags & WALK_FOLLOW));

	if (by_type) {
		w->e.st = (struct vfs_stat){ .mode = d->type, .ino = d->ino, .dev = w->root_dev };
		w->e.has_stat = false;
		return classify(w);
	}
	int err = examine(w);

	return err < 0 ? failed(w, err, false) : classify(w);
}

struct walk_entry *walk_next(struct walk *w)
{
	struct walk_entry *e = NULL;

	if (w->pending_end) {
		w->pending_end = false;
		w->e.kind = WALK_DIR_END;
		return &w->e;
	}
	while (e == NULL && w->step != STEP_END) {
		if (w->step == STEP_ROOT)
			e = give_root(w);
		else if (w->step == STEP_ENTER)
			e = enter(w);
		else if (w->depth > 0)
			e = give_next(w);
		else
			w->step = STEP_END;
	}
	return e;
}

void walk_skip(struct walk *w)
{
	if (w->step == STEP_ENTER)
		w->step = STEP_NEXT;
}

void **walk_data(struct walk *w, int level)
{
	return level < w->depth ? &w->level[level].data : &w->e.data;
}

void walk_free(struct walk *w)
{
	while (w->depth > 0) {
		struct level *l = &w->level[--w->depth];

		if (l->fd >= 0)
			cmd_close(w->c, l->fd);
		if (l->batch != NULL)
			pool_free(w->c->pool, l->batch, l->batch->size);
	}
	pool_free(w->c->pool, w->level, (size_t)w->cap * sizeof(*w->level));
	pool_free(w->c->pool, w->path, w->path_cap);
	pool_free(w->c->pool, w, sizeof(*w));
}
