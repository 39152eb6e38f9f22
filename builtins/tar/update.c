/* SPDX-License-Identifier: MIT
 *
 * Archives changed in place: tar -r, -u, -A, --delete. Only what is a file can be.
 */
#include "builtins/tar/tar.h"

enum { COPY_BYTES = 65536, KNOWN_FIRST = 256 };

/* --- where the archive ends; what it holds --- */

struct known {
	struct known *next;
	uint64_t hash;
	int64_t mtime_s;
	size_t len;
	char name[];
};

struct tar_known {
	struct known **bucket;
	size_t nbuckets;
	size_t n;
};

static struct known *find(const struct tar_known *k, struct bytes name, uint64_t hash)
{
	struct known *at = k->nbuckets != 0 ? k->bucket[hash % k->nbuckets] : NULL;

	while (at != NULL &&
	       (at->hash != hash || !bytes_eq((struct bytes){ at->name, at->len }, name)))
		at = at->next;
	return at;
}

static void grow(struct tar *t, struct tar_known *k)
{
	size_t n = k->nbuckets != 0 ? k->nbuckets * 2 : KNOWN_FIRST;
	struct known **bucket = pool_zalloc(t->c->pool, n * sizeof *bucket);

	for (size_t i = 0; i < k->nbuckets; i++) {
		struct known *next;

		for (struct known *at = k->bucket[i]; at != NULL; at = next) {
			next = at->next;
			at->next = bucket[at->hash % n];
			bucket[at->hash % n] = at;
		}
	}
	pool_free(t->c->pool, k->bucket, k->nbuckets * sizeof *bucket);
	k->bucket = bucket;
	k->nbuckets = n;
}

static struct bytes without_slashes(const char *name)
{
	struct bytes s = bytes_of(name);

	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	return s;
}

static void remember(struct tar *t, struct tar_known *k, const struct tar_member *m)
{
	struct bytes name = without_slashes(m->stored);
	uint64_t hash = bytes_hash(name);
	struct known *at = find(k, name, hash);

	if (at == NULL) {
		if (k->n >= k->nbuckets)
			grow(t, k);
		at = pool_zalloc(t->c->pool, sizeof *at + name.len);
		at->hash = hash;
		at->len = name.len;
		memcpy(at->name, name.ptr, name.len);
		at->next = k->bucket[hash % k->nbuckets];
		k->bucket[hash % k->nbuckets] = at;
		k->n++;
	}
	at->mtime_s = m->mtime_s;
}

/* Reads to the end of the archive: where it is. known may be NULL. */
static uint64_t find_end(struct tar *t, struct tar_known *known)
{
	struct tar_member m;

	for (;;) {
		struct arena_mark mark = arena_mark(t->c->arena);

		bool end = tar_next(t, &m) == TAR_END;

		tar_check_label(t, end ? NULL : &m);
		if (end)
			return m.start;
		tar_skip_data(t, &m);
		if (known != NULL)
			remember(t, known, &m);
		tar_release(t, mark);
	}
}

bool tar_is_known(struct tar *t, const char *path, const struct vfs_stat *st)
{
	struct bytes name = without_slashes(path);
	const struct known *k;

	if (t->known == NULL)
		return false;
	k = find(t->known, name, bytes_hash(name));
	if (k == NULL)
		return false;
	/* A directory that is there stays as it is. */
	return (st->mode & S_FMT) == S_DIR || st->mtime_ns / 1000000000 <= k->mtime_s;
}

void tar_append(struct tar *t)
{
	struct tar_known known = { 0 };

	archive_open_update(t);
	archive_rewrite(t, find_end(t, t->mode == TAR_UPDATE ? &known : NULL));
	if (t->mode == TAR_UPDATE)
		t->known = &known;
	names_each(t, tar_dump);
	t->known = NULL;
	archive_end(t);
	tar_report_links(t);
}

/* --- -A --- */

static void copy_range(struct tar *t, int fd, uint64_t from, uint64_t to)
{
	char *buf = pool_alloc(t->c->pool, COPY_BYTES);

	while (from < to) {
		size_t n = to - from < COPY_BYTES ? (size_t)(to - from) : COPY_BYTES;
		int64_t got = cmd_pread(t->c, fd, buf, n, from);

		if (got <= 0)
			tar_fatal(t, (int)got, "%s: Cannot read", tar_quote(t, t->file));
		archive_write(t, buf, (size_t)got);
		from += (uint64_t)got;
	}
	pool_free(t->c->pool, buf, COPY_BYTES);
}

static void add_archive(struct tar *t, const char *name)
{
	struct tar_archive own = t->a;
	const char *file = t->file;
	uint64_t end;

	t->a = (struct tar_archive){ .fd = -1 };
	t->file = name;
	t->read_state = 0;
	archive_open_read(t);
	end = find_end(t, NULL);
	int fd = t->a.fd;

	if (!t->a.seekable)
		tar_fatal(t, 0, "Cannot update compressed archives");
	t->a = own;
	t->file = file;
	copy_range(t, fd, 0, end);
	cmd_close(t->c, fd);
	if (t->verbose > 0) {
		struct buf text = buf_in(t->c->arena);

		tar_put_name(t, &text, name);
		buf_putc(&text, '\n');
		output_write(t->listing, text.ptr, text.len);
	}
}

void tar_concat(struct tar *t)
{
	archive_open_update(t);
	archive_rewrite(t, find_end(t, NULL));
	names_each(t, add_archive);
	archive_end(t);
}

/* --- --delete --- */

static bool wanted(struct tar *t, struct tar_member *m)
{
	return names_match(t, arena_dup(t->c->arena, without_slashes(m->stored)));
}

/*
 * What stays moves up: each stretch between deleted members is copied to where the output has
 * come to, which is never behind where it is read.
 */
void tar_delete(struct tar *t)
{
	struct tar_archive *a = &t->a;
	uint64_t keep_from = 0; /* of the stretch that stays */
	bool cut = false;
	struct tar_member m;
	int reader;

	names_gather(t);
	archive_open_update(t);
	reader = cmd_open(t->c, CMD_CWD, t->file, O_RDONLY_ | O_CLOEXEC_, 0);
	if (!a->seekable || reader < 0)
		tar_fatal(t, 0, "%s: Cannot seek", tar_quote(t, t->file));
	int writer = a->fd;

	a->fd = reader;
	cmd_seek(t->c, reader, (int64_t)a->to, 0);
	for (;;) {
		struct arena_mark mark = arena_mark(t->c->arena);
		bool end = tar_next(t, &m) == TAR_END;
		uint64_t start = m.start;

		tar_check_label(t, end ? NULL : &m);
		if (!end)
			tar_skip_data(t, &m);
		if (end || wanted(t, &m)) {
			if (!cut) {
				a->written = 0;
				output_init(&a->out, t->c, writer, true);
				cmd_seek(t->c, writer, 0, 0);
			}
			cut = true;
			copy_range(t, reader, keep_from, start);
			keep_from = archive_tell(t);
		}
		tar_release(t, mark);
		if (end)
			break;
	}
	cmd_close(t->c, reader);
	a->fd = writer;
	a->base = 0;
	uint64_t size = (a->written + 2 * TAR_BLOCK + t->factor * TAR_BLOCK - 1) /
			(t->factor * TAR_BLOCK) * t->factor * TAR_BLOCK;

	cmd_truncate_fd(t->c, writer, size);
	archive_end(t);
	names_report(t);
}

/* --- --test-label --- */

void tar_label(struct tar *t)
{
	struct tar_member m;

	archive_open_read(t);
	const char *label = tar_label_of(t, tar_next(t, &m) == TAR_MEMBER ? &m : NULL);

	if (label != NULL && (t->verbose > 0 || t->c->nargs == 0))
		cmd_printf(t->c, "%s\n", label);
	if (t->c->nargs == 0)
		return;
	for (int i = 0; i < t->c->nargs; i++)
		if (label != NULL && strcmp(t->c->args[i], label) == 0)
			return;
	if (t->verbose > 0)
		tar_warn(t, 0, "Archive label mismatch");
	t->status = 1;
}
