/* SPDX-License-Identifier: MIT
 *
 * Zip archives read: the directory at the end of the file, and the data of entries. Every number
 * in it is checked against the file's size before it is used.
 */
#include "base/glob.h"

#include "builtins/zip/zip.h"

#include <limits.h>

enum { END_SEARCH = 65536 + ZIP_END_BYTES };

static bool read_at(struct zip_file *z, uint64_t at, void *out, size_t n)
{
	char *to = out;

	while (n > 0) {
		int64_t got = cmd_pread(z->c, z->fd, to, n, at);

		if (got <= 0)
			return false;
		to += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

/* --- the end record --- */

struct end {
	uint64_t at;
	uint64_t entries;
	uint64_t size;
	uint64_t offset;
};

/* The 64-bit record, if a locator stands in front of the end. */
static void read_end64(struct zip_file *z, struct end *e)
{
	char locator[ZIP_LOCATOR_BYTES];
	char end[ZIP_END64_BYTES];
	uint64_t at;

	if (e->at < ZIP_LOCATOR_BYTES ||
	    !read_at(z, e->at - ZIP_LOCATOR_BYTES, locator, sizeof locator) ||
	    zip_get32(locator) != ZIP_LOCATOR64)
		return;
	at = zip_get64(locator + 8);
	if (at > z->size - ZIP_END64_BYTES || !read_at(z, at, end, sizeof end) ||
	    zip_get32(end) != ZIP_END64)
		return;
	e->entries = zip_get64(end + 32);
	e->size = zip_get64(end + 40);
	e->offset = zip_get64(end + 48);
	e->at = at;
}

static bool find_end(struct zip_file *z, struct end *e)
{
	size_t n = z->size < END_SEARCH ? (size_t)z->size : END_SEARCH;
	char *tail = arena_alloc(z->c->arena, n + 1);
	uint64_t from = z->size - n;

	if (n < ZIP_END_BYTES || !read_at(z, from, tail, n))
		return false;
	cmd_charge_bytes(z->c, n);
	for (size_t i = n - ZIP_END_BYTES + 1; i-- > 0;) {
		const char *at = tail + i;
		size_t comment;

		if (zip_get32(at) != ZIP_END)
			continue;
		comment = zip_get16(at + 20);
		if (comment > n - i - ZIP_END_BYTES)
			comment = n - i - ZIP_END_BYTES;
		z->comment = (struct bytes){ at + ZIP_END_BYTES, comment };
		e->at = from + i;
		e->entries = zip_get16(at + 10);
		e->size = zip_get32(at + 12);
		e->offset = zip_get32(at + 16);
		read_end64(z, e);
		return true;
	}
	return false;
}

/* --- the directory --- */

static void read_extra64(struct zip_entry *e, const char *at, size_t n)
{
	uint64_t *const fields[] = { &e->size, &e->csize, &e->offset };

	for (int i = 0; i < 3; i++) {
		if (*fields[i] != UINT32_MAX)
			continue;
		if (n < 8)
			return;
		*fields[i] = zip_get64(at);
		at += 8;
		n -= 8;
	}
}

static void read_extra(struct zip_entry *e)
{
	struct bytes s = e->extra;

	while (s.len >= 4) {
		unsigned id = zip_get16(s.ptr);
		size_t n = zip_get16(s.ptr + 2);

		if (n > s.len - 4)
			return;
		if (id == ZIP_EXTRA64)
			read_extra64(e, s.ptr + 4, n);
		if (id == ZIP_EXTRA_TIME && n >= 5 && (s.ptr[4] & 1)) {
			e->mtime_s = (int32_t)zip_get32(s.ptr + 5);
			e->has_mtime = true;
		}
		s = bytes_slice(s, 4 + n, s.len);
	}
}

/* One entry; how many bytes it takes, 0: bad. */
static size_t read_entry(struct zip_file *z, struct bytes s, struct zip_entry *e)
{
	size_t name;
	size_t extra;
	size_t comment;

	if (s.len < ZIP_CENTRAL_BYTES || zip_get32(s.ptr) != ZIP_CENTRAL)
		return 0;
	name = zip_get16(s.ptr + 28);
	extra = zip_get16(s.ptr + 30);
	comment = zip_get16(s.ptr + 32);
	if (s.len - ZIP_CENTRAL_BYTES < name + extra + comment)
		return 0;
	*e = (struct zip_entry){
		.made_by = zip_get16(s.ptr + 4),
		.needed = zip_get16(s.ptr + 6),
		.flags = zip_get16(s.ptr + 8),
		.method = zip_get16(s.ptr + 10),
		.dos_time = zip_get16(s.ptr + 12),
		.dos_date = zip_get16(s.ptr + 14),
		.crc = zip_get32(s.ptr + 16),
		.csize = zip_get32(s.ptr + 20),
		.size = zip_get32(s.ptr + 24),
		.internal = zip_get16(s.ptr + 36),
		.external = zip_get32(s.ptr + 38),
		.offset = zip_get32(s.ptr + 42),
	};
	e->name = arena_dup(z->c->arena, (struct bytes){ s.ptr + ZIP_CENTRAL_BYTES, name });
	e->extra = (struct bytes){ s.ptr + ZIP_CENTRAL_BYTES + name, extra };
	e->comment = (struct bytes){ s.ptr + ZIP_CENTRAL_BYTES + name + extra, comment };
	read_extra(e);
	if (e->offset > z->size - z->before)
		return 0;
	e->offset += z->before;
	return ZIP_CENTRAL_BYTES + name + extra + comment;
}

enum zip_state zip_read(struct zip_file *z)
{
	struct end end;
	struct vfs_stat st;

	if (cmd_fstat(z->c, z->fd, &st) < 0 || (st.mode & S_FMT) != S_REG)
		return ZIP_NO_END;
	z->size = st.size;
	if (!find_end(z, &end))
		return ZIP_NO_END;
	if (end.size > end.at || end.offset > end.at - end.size ||
	    end.entries > end.size / ZIP_CENTRAL_BYTES)
		return ZIP_BAD;
	z->before = end.at - end.size - end.offset;
	z->directory = end.at - end.size;
	char *text = arena_alloc(z->c->arena, heap_size(end.size) + 1);

	if (!read_at(z, z->directory, text, (size_t)end.size))
		return ZIP_BAD;
	struct bytes rest = { text, (size_t)end.size };

	z->entries = arena_array(z->c->arena, heap_size(end.entries) + 1, sizeof *z->entries);
	for (z->n = 0; z->n < end.entries; z->n++) {
		size_t n = read_entry(z, rest, &z->entries[z->n]);

		if (n == 0)
			return ZIP_BAD;
		rest = bytes_slice(rest, n, rest.len);
		cmd_charge(z->c, 2);
	}
	return ZIP_GOOD;
}

/* --- entries --- */

uint64_t zip_data_offset(struct zip_file *z, const struct zip_entry *e)
{
	char head[ZIP_LOCAL_BYTES];
	uint64_t at;

	if (e->offset > z->size - ZIP_LOCAL_BYTES || !read_at(z, e->offset, head, sizeof head) ||
	    zip_get32(head) != ZIP_LOCAL)
		return 0;
	at = e->offset + ZIP_LOCAL_BYTES + zip_get16(head + 26) + zip_get16(head + 28);
	return at <= z->size && e->csize <= z->size - at ? at : 0;
}

bool zip_is_dir(const struct zip_entry *e)
{
	size_t n = strlen(e->name);

	return n > 0 && e->name[n - 1] == '/';
}

bool zip_is_link(const struct zip_entry *e)
{
	return e->made_by >> 8 == ZIP_UNIX && (e->external >> 16 & S_FMT) == S_LNK;
}

static void sift(struct cmd *c, const struct zip_entry **list, size_t root, size_t n)
{
	for (size_t child; (child = root * 2 + 1) < n; root = child) {
		if (child + 1 < n && list[child]->offset < list[child + 1]->offset)
			child++;
		if (list[root]->offset >= list[child]->offset)
			return;
		const struct zip_entry *e = list[root];

		list[root] = list[child];
		list[child] = e;
		cmd_charge(c, 1);
	}
}

bool zip_overlaps(struct zip_file *z)
{
	const struct zip_entry **list = arena_array(z->c->arena, z->n + 1, sizeof *list);
	uint64_t end = 0;

	for (size_t i = 0; i < z->n; i++)
		list[i] = &z->entries[i];
	for (size_t i = z->n / 2; i-- > 0;)
		sift(z->c, list, i, z->n);
	for (size_t n = z->n; n > 1; n--) {
		const struct zip_entry *e = list[0];

		list[0] = list[n - 1];
		list[n - 1] = e;
		sift(z->c, list, 0, n - 1);
	}
	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = list[i];
		uint64_t least = ZIP_LOCAL_BYTES + strlen(e->name);

		if (e->offset < end || e->csize > z->size ||
		    e->offset + least + e->csize > z->directory)
			return true;
		end = e->offset + least + e->csize;
	}
	return false;
}

void zip_civil(const struct zip_entry *e, const struct zone *zone, struct civil *out)
{
	if (e->has_mtime) {
		time_civil(zone, e->mtime_s, out);
		return;
	}
	*out = (struct civil){
		.year = 1980 + (e->dos_date >> 9),
		.month = e->dos_date >> 5 & 15,
		.day = e->dos_date & 31,
		.hour = e->dos_time >> 11,
		.minute = e->dos_time >> 5 & 63,
		.second = (e->dos_time & 31) * 2,
	};
}

int64_t zip_time_ns(const struct zip_entry *e, const struct zone *zone)
{
	struct civil t;

	if (e->has_mtime)
		return e->mtime_s * 1000000000;
	zip_civil(e, zone, &t);
	return time_of_civil(zone, &t) * 1000000000;
}

int zip_percent(uint64_t size, uint64_t csize)
{
	double growth;

	if (size == 0)
		return 0;
	if (csize <= size)
		return (int)(((double)(size - csize) * 200 / (double)size + 1) / 2);
	/* An archive may claim any sizes. */
	growth = ((double)(csize - size) * 200 / (double)size + 1) / 2;
	return growth < INT_MAX ? -(int)growth : -INT_MAX;
}

/* --- data --- */

struct reader {
	struct zip_file *z;
	uint64_t at;
	uint64_t left;
	char *buf;
	struct zip_keys *keys; /* NULL: not encrypted */
};

static void decrypt(struct reader *r, size_t n)
{
	zip_decrypt(r->keys, r->buf, n);
	cmd_charge_bytes(r->z->c, n * 16);
}

static int64_t next_part(struct reader *r)
{
	size_t n = r->left < ZIP_BLOCK ? (size_t)r->left : ZIP_BLOCK;
	int64_t got = n > 0 ? cmd_pread(r->z->c, r->z->fd, r->buf, n, r->at) : 0;

	if (got > 0) {
		r->at += (uint64_t)got;
		r->left -= (uint64_t)got;
		cmd_charge_bytes(r->z->c, (size_t)got);
		if (r->keys != NULL)
			decrypt(r, (size_t)got);
	}
	return got;
}

/* Reads what stands ahead of encrypted data: the keys are right behind it. The last byte, or -1. */
static int open_lock(struct reader *r, struct zip_keys *keys)
{
	unsigned char head[ZIP_CRYPT_BYTES];

	if (r->at == 0 || r->left < sizeof head || r->z->password == NULL ||
	    !read_at(r->z, r->at, head, sizeof head))
		return -1;
	r->at += sizeof head;
	r->left -= sizeof head;
	zip_keys_init(keys, r->z->password);
	zip_decrypt(keys, head, sizeof head);
	cmd_charge(r->z->c, 64);
	return head[sizeof head - 1];
}

bool zip_password_fits(struct zip_file *z, const struct zip_entry *e)
{
	struct reader r = { .z = z, .at = zip_data_offset(z, e), .left = e->csize };
	struct zip_keys keys;
	int check = open_lock(&r, &keys);

	return check == (e->flags & ZIP_FLAG_DESCRIPTOR ? e->dos_time >> 8 : (int)(e->crc >> 24));
}

struct sink {
	void (*put)(void *arg, const void *data, size_t n);
	void *arg;
	uint32_t *crc;
	uint64_t *made;
};

static void give(const struct sink *s, const void *data, size_t n)
{
	*s->crc = codec_crc32(*s->crc, data, n);
	*s->made += n;
	if (n > 0)
		s->put(s->arg, data, n);
}

static int inflate_entry(struct reader *r, const struct zip_entry *e, const struct sink *s)
{
	struct codec_options options = { .kind = CODEC_DEFLATE, .decode = true };
	struct pool *pool = r->z->c->pool;
	uint8_t *block = pool_alloc(pool, ZIP_BLOCK);
	enum codec_result result = CODEC_MORE;
	struct codec z;
	int64_t got = 0;

	codec_start(&z, pool, &options);
	z.out_len = 1;
	while (result == CODEC_MORE) {
		if (z.in_len == 0 && z.out_len != 0) {
			got = next_part(r);
			if (got <= 0)
				break;
			z.in = (const uint8_t *)r->buf;
			z.in_len = (size_t)got;
		}
		z.out = block;
		z.out_len = ZIP_BLOCK;
		result = codec_run(&z, false);
		give(s, block, ZIP_BLOCK - z.out_len);
		cmd_charge_bytes(r->z->c, ZIP_BLOCK - z.out_len);
		/* More than was announced: a bomb, or damage. */
		if (*s->made > e->size)
			break;
	}
	codec_stop(&z);
	pool_free(pool, block, ZIP_BLOCK);
	if (got < 0)
		return (int)got;
	return result == CODEC_END ? 0 : 1;
}

int zip_inflate(struct zip_file *z, const struct zip_entry *e,
		void (*put)(void *arg, const void *data, size_t n), void *arg, uint32_t *crc,
		uint64_t *made)
{
	struct reader r = { .z = z, .at = zip_data_offset(z, e), .left = e->csize };
	struct sink s = { put, arg, crc, made };
	struct zip_keys keys;
	int64_t got = 0;
	int err = 0;

	*crc = 0;
	*made = 0;
	if (r.at == 0)
		return 1;
	if (e->flags & ZIP_FLAG_ENCRYPTED) {
		if (open_lock(&r, &keys) < 0)
			return 1;
		r.keys = &keys;
	}
	r.buf = pool_alloc(z->c->pool, ZIP_BLOCK);
	if (e->method == ZIP_DEFLATED)
		err = inflate_entry(&r, e, &s);
	else
		while ((got = next_part(&r)) > 0)
			give(&s, r.buf, (size_t)got);
	pool_free(z->c->pool, r.buf, ZIP_BLOCK);
	return got < 0 ? (int)got : err;
}

/* --- patterns --- */

void zip_names_add(struct cmd *c, struct zip_names *names, const char *text, bool icase)
{
	unsigned flags = (c->utf8 ? GLOB_UTF8 : 0) | (icase ? GLOB_ICASE : 0);
	size_t cap = names->cap * 2 + 8;

	if (names->n == names->cap) {
		names->globs = arena_grow(c->arena, names->globs, names->cap * sizeof *names->globs,
					  cap * sizeof *names->globs);
		names->texts = arena_grow(c->arena, names->texts, names->cap * sizeof *names->texts,
					  cap * sizeof *names->texts);
		names->found = arena_grow(c->arena, names->found, names->cap, cap);
		names->cap = cap;
	}
	names->globs[names->n] = glob_compile(c->arena, bytes_of(text), flags);
	names->texts[names->n] = text;
	names->found[names->n++] = false;
}

bool zip_names_match(struct cmd *c, struct zip_names *names, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < names->n; i++) {
		cmd_charge(c, 1);
		if (names->globs[i] == NULL ||
		    !glob_match(names->globs[i], c->arena, bytes_of(name)))
			continue;
		names->found[i] = true;
		any = true;
	}
	return any;
}
