/* SPDX-License-Identifier: MIT
 *
 * The index: versions 2, 3 and 4 read, 2 (3 where an entry needs it) written. Extensions that
 * may be left out are; what they speed up is computed again.
 */
#include "base/digest.h"
#include "builtins/git/sparse.h"

enum { HEADER_BYTES = 12, ENTRY_BYTES = 62, NAME_MASK = 0xfff };

static uint32_t be32(const char *at)
{
	return digest_be32((const uint8_t *)at);
}

static uint16_t be16(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	return (uint16_t)(p[0] << 8 | p[1]);
}

/* --- reading --- */

struct reader {
	struct index *x;
	struct bytes rest;
	struct bytes last; /* version 4: the name before */
	const char *why;   /* what an entry could not be read for */
};

static bool read_name_v4(struct reader *r, struct entry *e)
{
	size_t strip = 0;
	const char *nul;

	for (;;) {
		if (r->rest.len == 0 || strip > 1u << 20)
			return false;
		unsigned char ch = (unsigned char)r->rest.ptr[0];

		r->rest = bytes_slice(r->rest, 1, r->rest.len);
		strip = (strip << 7) + (ch & 0x7f);
		if ((ch & 0x80) == 0)
			break;
		strip++;
	}
	nul = memchr(r->rest.ptr, '\0', r->rest.len);
	if (strip > r->last.len || nul == NULL)
		return false;
	size_t keep = r->last.len - strip;
	size_t more = (size_t)(nul - r->rest.ptr);

	if (keep + more > 4096)
		return false;
	e->length = keep + more;
	e->path = arena_alloc(r->x->g->keep, e->length + 1);
	memcpy(e->path, r->last.ptr, keep);
	memcpy(e->path + keep, r->rest.ptr, more);
	e->path[e->length] = '\0';
	r->last = (struct bytes){ e->path, e->length };
	r->rest = bytes_slice(r->rest, more + 1, r->rest.len);
	return true;
}

static bool read_name(struct reader *r, struct entry *e, size_t head)
{
	const char *nul = memchr(r->rest.ptr, '\0', r->rest.len);
	size_t padded;

	if (nul == NULL)
		return false;
	e->length = (size_t)(nul - r->rest.ptr);
	e->path = arena_dup(r->x->g->keep, (struct bytes){ r->rest.ptr, e->length });
	padded = ((head + e->length + 8) & ~(size_t)7) - head;
	if (padded > r->rest.len)
		return false;
	r->rest = bytes_slice(r->rest, padded, r->rest.len);
	return true;
}

/* No name that could leave the work tree or reach .git. */
static bool path_is_safe(const char *path)
{
	if (path[0] == '\0')
		return false;
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len == 0 || (len == 1 && path[0] == '.') ||
		    (len == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (len == 4 && path[0] == '.' && (path[1] | 0x20) == 'g' &&
		    (path[2] | 0x20) == 'i' && (path[3] | 0x20) == 't')
			return false;
		path += len;
		if (*path == '/' && *++path == '\0')
			return false;
	}
	return true;
}

static bool read_entry(struct reader *r, struct entry *e)
{
	const char *p = r->rest.ptr;
	size_t head = ENTRY_BYTES;

	if (r->rest.len < ENTRY_BYTES + 1)
		return false;
	*e = (struct entry){ .ctime_s = be32(p),
			     .ctime_ns = be32(p + 4),
			     .mtime_s = be32(p + 8),
			     .mtime_ns = be32(p + 12),
			     .dev = be32(p + 16),
			     .ino = be32(p + 20),
			     .mode = be32(p + 24),
			     .uid = be32(p + 28),
			     .gid = be32(p + 32),
			     .size = be32(p + 36),
			     .flags = be16(p + 60) };
	memcpy(e->oid.hash, p + 40, OID_BYTES);
	e->stage = (uint8_t)(e->flags >> ENTRY_STAGE_SHIFT & 3);
	if (e->flags & ENTRY_EXTENDED) {
		if (r->x->version < 3 || r->rest.len < ENTRY_BYTES + 3)
			return false;
		e->xflags = be16(p + 62);
		head += 2;
	}
	r->rest = bytes_slice(r->rest, head, r->rest.len);
	if (r->x->version == 4 ? !read_name_v4(r, e) : !read_name(r, e, head))
		return false;
	/* Names are left out where another file has them: a split index. */
	if (e->path[0] == '\0')
		r->why = "index uses link extension, which we do not understand";
	return path_is_safe(e->path);
}

static int entry_cmp(const char *path, unsigned stage, const struct entry *e)
{
	int got = strcmp(path, e->path);

	return got != 0 ? got : (int)stage - (int)e->stage;
}

static bool check_extensions(struct reader *r, const char **why)
{
	while (r->rest.len >= 8 + OID_BYTES) {
		uint32_t size = be32(r->rest.ptr + 4);

		if (size > r->rest.len - 8 - OID_BYTES)
			return false;
		/* Small letters: not to be left out. */
		if (!byte_is_upper((unsigned char)r->rest.ptr[0])) {
			*why = git_format(r->x->g->a,
					  "index uses %.4s extension, which we do not understand",
					  r->rest.ptr);
			return false;
		}
		r->rest = bytes_slice(r->rest, 8 + (size_t)size, r->rest.len);
	}
	return true;
}

struct index *index_new(struct git *g)
{
	struct index *x = arena_zalloc(g->keep, sizeof(*x));

	x->g = g;
	x->version = 2;
	return x;
}

static const char too_small[] = "index file smaller than expected";

struct index *index_of_bytes(struct git *g, struct bytes data, const char **why)
{
	struct index *x = index_new(g);
	struct reader r = { .x = x, .rest = data, .last = BYTES("") };
	uint32_t n;

	*why = "index file corrupt";
	if (data.len < HEADER_BYTES + OID_BYTES) {
		*why = too_small;
		return NULL;
	}
	if (memcmp(data.ptr, "DIRC", 4) != 0) {
		*why = git_format(g->a, "bad signature 0x%08x", be32(data.ptr));
		return NULL;
	}
	x->version = be32(data.ptr + 4);
	if (x->version < 2 || x->version > 4) {
		*why = git_format(g->a, "bad index version %u", x->version);
		return NULL;
	}
	n = be32(data.ptr + 8);
	r.rest = bytes_slice(data, HEADER_BYTES, data.len);
	for (uint32_t i = 0; i < n; i++) {
		struct entry e;

		cmd_charge(g->c, 1);
		if (!read_entry(&r, &e)) {
			*why = r.why != NULL ? r.why : *why;
			return NULL;
		}
		if (x->n > 0 && entry_cmp(e.path, e.stage, &x->at[x->n - 1]) <= 0) {
			*why = git_format(g->a, "unordered stage entries in index");
			return NULL;
		}
		LIST_ROOM(g, x->at, x->n, x->cap);
		x->at[x->n++] = e;
	}
	return check_extensions(&r, why) ? x : NULL;
}

/* An index as it was named, the usual one from the top of the work tree. */
static const char *shown_path(struct git *g, const char *path)
{
	const char *given = cmd_getenv(g->c, "GIT_INDEX_FILE");

	if (given != NULL)
		return given;
	return cmd_getenv(g->c, "GIT_DIR") == NULL && g->work != NULL &&
			       strcmp(path, path_join(g->a, g->work, ".git/index")) == 0
		       ? ".git/index"
		       : path;
}

struct index *index_read(struct git *g, const char *path)
{
	struct vfs_stat st;
	struct bytes data;
	struct index *x;
	const char *why;
	int err = file_read(g, g->a, path, &data);

	if (err == -E_NOENT || err == -E_NOTDIR) {
		x = index_new(g);
		x->read = true;
		return x;
	}
	if (err < 0)
		git_die_errno(g, err, "%s: index file open failed", path);
	x = index_of_bytes(g, data, &why);
	if (x == NULL) {
		if (git_starts(why, "bad ") || git_starts(why, "index uses"))
			git_error(g, "%s", why);
		if (strcmp(why, too_small) == 0)
			git_die(g, "%s: %s", shown_path(g, path), why);
		git_die(g, "%s", git_starts(why, "bad ") ? "index file corrupt" : why);
	}
	x->exists = true;
	x->read = true;
	if (cmd_stat(g->c, path, &st) == 0) {
		x->mtime_ns = st.mtime_ns;
		x->ino = st.ino;
	}
	return x;
}

static char *index_path(struct git *g)
{
	const char *given = cmd_getenv(g->c, "GIT_INDEX_FILE");

	if (given != NULL)
		return given[0] == '/'
			       ? arena_dup(g->a, bytes_of(given))
			       : path_join(g->a, g->work != NULL ? g->work : g->start, given);
	return path_join(g->a, g->dir, "index");
}

struct index *index_get(struct git *g)
{
	repo_need(g);
	if (g->index == NULL) {
		g->index = index_read(g, index_path(g));
		sparse_show_present(g, g->index);
	}
	return g->index;
}

/* --- writing --- */

static void put32(struct buf *b, uint32_t v)
{
	char out[4] = { (char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v };

	buf_put(b, out, 4);
}

static void put_entry(struct buf *out, const struct entry *e)
{
	size_t from = out->len;
	uint16_t flags = (uint16_t)(((unsigned)e->flags & ENTRY_VALID) |
				    (unsigned)e->stage << ENTRY_STAGE_SHIFT |
				    (e->length < NAME_MASK ? e->length : NAME_MASK));

	if (e->xflags != 0)
		flags |= ENTRY_EXTENDED;
	put32(out, e->ctime_s);
	put32(out, e->ctime_ns);
	put32(out, e->mtime_s);
	put32(out, e->mtime_ns);
	put32(out, e->dev);
	put32(out, e->ino);
	put32(out, e->mode);
	put32(out, e->uid);
	put32(out, e->gid);
	put32(out, e->size);
	buf_put(out, e->oid.hash, OID_BYTES);
	buf_putc(out, (char)(flags >> 8));
	buf_putc(out, (char)(flags & 0xff));
	if (e->xflags != 0) {
		buf_putc(out, (char)(e->xflags >> 8));
		buf_putc(out, (char)(e->xflags & 0xff));
	}
	buf_put(out, e->path, e->length);
	buf_fill(out, '\0', 8 - (out->len - from) % 8);
}

/* Changed in the moment the index was written or later: times prove nothing. */
static bool racy(const struct index *x, const struct entry *e)
{
	int64_t mtime = (int64_t)e->mtime_s * 1000000000 + e->mtime_ns;

	return x->mtime_ns == 0 || mtime >= x->mtime_ns;
}

void index_write_to(struct git *g, struct index *x, const char *path)
{
	struct buf out = buf_in(g->a);
	struct digest d;
	uint8_t sum[DIGEST_MAX];
	uint32_t version = 2;

	index_sweep(x);
	for (size_t i = 0; i < x->n; i++) {
		if (x->at[i].xflags != 0)
			version = 3;
		path_need_safe(g, x->at[i].path);
	}
	buf_puts(&out, "DIRC");
	put32(&out, version);
	put32(&out, (uint32_t)x->n);
	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->at[i];

		/* What could have changed unseen is marked, or the new index would vouch for it. */
		if (x->exists && racy(x, e) && !e->checked && (e->mode & S_FMT) == S_REG)
			e->size = 0;
		put_entry(&out, e);
		cmd_charge(g->c, 2);
	}
	digest_init(&d, DIGEST_SHA1, 0);
	digest_update(&d, buf_bytes(&out));
	digest_final(&d, sum);
	buf_put(&out, sum, OID_BYTES);
	file_write_locked(g, path, buf_bytes(&out));
	x->dirty = false;
}

static uint64_t file_now(struct git *g)
{
	struct vfs_stat st;

	return cmd_stat(g->c, index_path(g), &st) == 0 ? st.ino : 0;
}

bool index_is_others(struct git *g, const struct index *x)
{
	return x->read && file_now(g) != x->ino;
}

void index_changed_by_child(struct git *g)
{
	if (g->index != NULL && g->index->read)
		g->index->ino = file_now(g);
}

void index_write(struct git *g, struct index *x)
{
	if (x->unsaved)
		return;
	sparse_mark_new(g, x);
	if (index_is_others(g, x))
		file_is_locked(g, index_path(g));
	index_write_to(g, x, index_path(g));
	x->read = true;
	x->ino = file_now(g);
}

/* --- entries --- */

size_t index_search(const struct index *x, const char *path, unsigned stage, bool *found)
{
	size_t lo = 0;
	size_t hi = x->n;

	*found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int got = entry_cmp(path, stage, &x->at[mid]);

		if (got == 0) {
			*found = true;
			return mid;
		}
		if (got > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct entry *index_find(struct index *x, const char *path)
{
	bool found;
	size_t i = index_search(x, path, 0, &found);

	return found && !x->at[i].gone ? &x->at[i] : NULL;
}

bool index_has(const struct index *x, const char *path)
{
	bool found;
	size_t i = index_search(x, path, 0, &found);

	for (; i < x->n && strcmp(x->at[i].path, path) == 0; i++)
		if (!x->at[i].gone)
			return true;
	return false;
}

bool index_has_dir(const struct index *x, const char *dir, size_t length)
{
	struct arena *a = x->g->a;
	char *name = git_format(a, "%.*s/", (int)length, dir);
	bool found;
	size_t i = index_search(x, name, 0, &found);

	for (; i < x->n && strncmp(x->at[i].path, name, length + 1) == 0; i++)
		if (!x->at[i].gone)
			return true;
	return false;
}

/* What can't be beside this path goes: files that would be its directories, and the reverse. */
static void clear_way(struct index *x, const char *path)
{
	size_t len = strlen(path);
	bool found;
	size_t i;

	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
		char *part = git_format(x->g->a, "%.*s", (int)(p - path), path);

		cmd_charge_bytes(x->g->c, (size_t)(p - path));
		if (index_has(x, part))
			index_remove(x, part);
	}
	if (!index_has_dir(x, path, len))
		return;
	i = index_search(x, git_format(x->g->a, "%s/", path), 0, &found);
	for (; i < x->n && strncmp(x->at[i].path, path, len) == 0 && x->at[i].path[len] == '/'; i++)
		x->at[i].gone = true;
	index_sweep(x);
	cmd_charge(x->g->c, x->n / 8);
}

static struct entry *insert(struct index *x, const char *path, unsigned stage)
{
	bool found;
	size_t i = index_search(x, path, stage, &found);

	if (!found) {
		LIST_ROOM(x->g, x->at, x->n, x->cap);
		memmove(x->at + i + 1, x->at + i, (x->n - i) * sizeof(*x->at));
		x->n++;
		cmd_charge(x->g->c, 1 + (x->n - i) / 16);
		x->at[i] = (struct entry){ .path = arena_dup(x->g->keep, bytes_of(path)),
					   .length = strlen(path),
					   .stage = (uint8_t)stage };
	}
	return &x->at[i];
}

struct entry *index_put_stage(struct index *x, const char *path, uint32_t mode, const struct oid *o,
			      unsigned stage)
{
	struct entry *e;

	if (!path_safe(path)) {
		git_error(x->g, "invalid path '%s'", path);
		git_exit(x->g, GIT_STATUS_FATAL);
	}
	if (stage == 0) {
		for (unsigned s = 1; s <= 3; s++) {
			bool found;
			size_t i = index_search(x, path, s, &found);

			if (!found)
				continue;
			memmove(x->at + i, x->at + i + 1, (x->n - i - 1) * sizeof(*x->at));
			x->n--;
			cmd_charge(x->g->c, 1 + (x->n - i) / 16);
		}
		/* The common case, an entry that is there, needs no look around. */
		if (index_find(x, path) == NULL)
			clear_way(x, path);
	}
	e = insert(x, path, stage);
	if (e->gone || e->mode != mode || !oid_eq(&e->oid, o) || (e->xflags & ENTRY_INTENT)) {
		e->ctime_s = e->ctime_ns = e->mtime_s = e->mtime_ns = 0;
		e->dev = e->ino = e->uid = e->gid = e->size = 0;
		x->dirty = true;
	}
	e->mode = mode;
	e->oid = *o;
	e->gone = false;
	e->checked = false;
	e->fresh = true;
	e->xflags &= (uint16_t)~ENTRY_INTENT;
	return e;
}

struct entry *index_put(struct index *x, const char *path, uint32_t mode, const struct oid *o)
{
	return index_put_stage(x, path, mode, o, 0);
}

void index_remove(struct index *x, const char *path)
{
	bool found;
	size_t i = index_search(x, path, 0, &found);
	size_t end = i;

	while (end < x->n && strcmp(x->at[end].path, path) == 0)
		end++;
	if (end == i)
		return;
	memmove(x->at + i, x->at + end, (x->n - end) * sizeof(*x->at));
	x->n -= end - i;
	x->dirty = true;
	cmd_charge(x->g->c, 1 + (x->n - i) / 16);
}

void index_sweep(struct index *x)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->n; i++)
		if (!x->at[i].gone)
			x->at[kept++] = x->at[i];
	x->dirty = x->dirty || kept != x->n;
	x->n = kept;
}

bool index_put_unmerged(struct git *g, const struct index *x)
{
	bool any = false;

	for (size_t i = 0; i < x->n; i++) {
		if (x->at[i].stage == 0)
			continue;
		any = true;
		if (i == 0 || strcmp(x->at[i - 1].path, x->at[i].path) != 0)
			git_printf(g, "%s: needs merge\n", x->at[i].path);
	}
	return any;
}

bool index_unmerged(const struct index *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i].stage != 0)
			return true;
	return false;
}

/* --- files --- */

void index_stat(struct git *g, struct entry *e, const struct vfs_stat *st)
{
	(void)g;
	e->ctime_s = (uint32_t)(st->ctime_ns / 1000000000);
	e->ctime_ns = (uint32_t)(st->ctime_ns % 1000000000);
	e->mtime_s = (uint32_t)(st->mtime_ns / 1000000000);
	e->mtime_ns = (uint32_t)(st->mtime_ns % 1000000000);
	e->dev = (uint32_t)st->dev;
	e->ino = (uint32_t)st->ino;
	e->uid = st->uid;
	e->gid = st->gid;
	e->size = (uint32_t)st->size;
	e->checked = true;
}

bool index_stat_same(const struct entry *e, const struct vfs_stat *st)
{
	return e->mtime_s == (uint32_t)(st->mtime_ns / 1000000000) &&
	       e->mtime_ns == (uint32_t)(st->mtime_ns % 1000000000) &&
	       e->ctime_s == (uint32_t)(st->ctime_ns / 1000000000) &&
	       e->ctime_ns == (uint32_t)(st->ctime_ns % 1000000000) &&
	       e->ino == (uint32_t)st->ino && e->size == (uint32_t)st->size;
}

static enum entry_state check_gitlink(struct git *g, const struct entry *e)
{
	struct git *sub = repo_open(g, path_join(g->a, g->work, e->path));
	struct oid o;

	if (sub == NULL || !head_oid(sub, &o))
		return ENTRY_SAME;
	return oid_eq(&o, &e->oid) ? ENTRY_SAME : ENTRY_CHANGED;
}

enum entry_state index_check(struct git *g, struct index *x, struct entry *e, struct vfs_stat *out)
{
	struct vfs_stat st;
	struct oid o;
	uint32_t mode;

	cmd_charge(g->c, 2);
	if (e->flags & ENTRY_VALID || e->xflags & ENTRY_SKIP_WORKTREE)
		return ENTRY_SAME;
	if (cmd_lstat(g->c, e->path, &st) < 0 || work_behind_link(g, e->path))
		return ENTRY_MISSING;
	if (out != NULL)
		*out = st;
	if (e->mode == MODE_GITLINK)
		return (st.mode & S_FMT) == S_DIR ? check_gitlink(g, e) : ENTRY_TYPE_CHANGED;
	if ((st.mode & S_FMT) == S_DIR)
		return ENTRY_MISSING;
	mode = work_mode(g, &st, e);
	if ((mode & S_FMT) != (e->mode & S_FMT))
		return ENTRY_TYPE_CHANGED;
	if (e->xflags & ENTRY_INTENT)
		return ENTRY_CHANGED;
	if (mode != e->mode)
		return ENTRY_CHANGED;
	if (e->checked || (index_stat_same(e, &st) && !racy(x, e)))
		return ENTRY_SAME;
	if (work_hash(g, e->path, mode, false, &o) < 0 || !oid_eq(&o, &e->oid))
		return ENTRY_CHANGED;
	if (!index_stat_same(e, &st)) {
		index_stat(g, e, &st);
		x->dirty = true;
	}
	e->checked = true;
	return ENTRY_SAME;
}

void index_read_tree(struct git *g, struct index *x, const struct oid *tree)
{
	struct leaves l = { NULL, 0, 0 };
	struct entry *fresh;
	size_t at = 0;

	tree_flatten(g, g->keep, tree, &l);
	fresh = pool_alloc(g->c->pool, (l.n + 1) * sizeof(*fresh));
	for (size_t i = 0; i < l.n; i++) {
		struct entry e = { .mode = l.at[i].mode,
				   .oid = l.at[i].oid,
				   .path = l.at[i].path,
				   .length = strlen(l.at[i].path),
				   .fresh = true };

		/* What is known of a file that stays the same is kept. */
		while (at < x->n && strcmp(x->at[at].path, e.path) < 0)
			at++;
		if (at < x->n && strcmp(x->at[at].path, e.path) == 0 && x->at[at].stage == 0 &&
		    x->at[at].mode == e.mode && oid_eq(&x->at[at].oid, &e.oid) &&
		    (x->at[at].xflags & ENTRY_INTENT) == 0)
			e = x->at[at];
		fresh[i] = e;
	}
	x->at = fresh;
	x->n = l.n;
	x->cap = l.n + 1;
	x->dirty = true;
}
