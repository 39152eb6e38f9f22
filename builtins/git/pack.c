/* SPDX-License-Identifier: MIT
 *
 * Packs: their indexes (version 2 and 1), objects in them, deltas.
 *
 * A chain of deltas is followed down to its base first (the offsets on the way are kept), then
 * applied upwards: no recursion. Bases read lately are kept, since neighbours share them.
 */
#include "builtins/git/git.h"

enum {
	IDX_HEADER = 8,
	IDX_FAN = 1024,
	CACHE_SLOTS = 64,
	CACHE_OBJECT_MAX = 1 << 20,
};

struct delta_base {
	const struct pack *p;
	uint64_t offset;
	enum object_type type;
	char *ptr;
	size_t len;
};

static uint32_t be32(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool is_v2(const struct pack *p)
{
	return memcmp(p->idx.ptr, "\377tOc\0\0\0\2", 8) == 0;
}

static const char *fan(const struct pack *p)
{
	return p->idx.ptr + (is_v2(p) ? IDX_HEADER : 0);
}

static const char *table(const struct pack *p)
{
	return fan(p) + IDX_FAN;
}

static const char *name_at(const struct pack *p, uint32_t i)
{
	if (is_v2(p))
		return table(p) + (size_t)i * OID_BYTES;
	return table(p) + (size_t)i * (OID_BYTES + 4) + 4;
}

void pack_oid(const struct pack *p, uint32_t i, struct oid *out)
{
	memcpy(out->hash, name_at(p, i), OID_BYTES);
}

uint64_t pack_offset(const struct pack *p, uint32_t i)
{
	size_t n = p->n;
	const char *small;
	uint32_t v;
	size_t large;

	if (!is_v2(p))
		return be32(table(p) + (size_t)i * (OID_BYTES + 4));
	small = table(p) + n * (OID_BYTES + 4);
	v = be32(small + (size_t)i * 4);
	if ((v & 0x80000000u) == 0)
		return v;
	large = (size_t)(small - p->idx.ptr) + n * 4 + (size_t)(v & 0x7fffffffu) * 8;
	if (large + 8 > p->idx.len)
		return UINT64_MAX;
	return (uint64_t)be32(p->idx.ptr + large) << 32 | be32(p->idx.ptr + large + 4);
}

/* Whether lengths and the fan-out table make sense; fills p->n. */
static bool check_index(struct pack *p)
{
	size_t head = p->idx.len >= 8 && is_v2(p) ? IDX_HEADER : 0;
	size_t each = head != 0 ? OID_BYTES + 8 : OID_BYTES + 4;
	uint32_t last = 0;

	if (p->idx.len < head + IDX_FAN + 2 * OID_BYTES)
		return false;
	for (int i = 0; i < 256; i++) {
		uint32_t v = be32(p->idx.ptr + head + 4 * i);

		if (v < last)
			return false;
		last = v;
	}
	p->n = last;
	return (p->idx.len - head - IDX_FAN - 2 * OID_BYTES) / each >= last;
}

static void add_pack(struct git *g, const char *dir, struct bytes name)
{
	struct pack *p = arena_zalloc(g->keep, sizeof(*p));

	p->path = git_format(g->keep, "%s/pack/%.*s", dir, (int)(name.len - 4), name.ptr);
	p->fd = -1;
	if (file_read(g, g->keep, git_format(g->a, "%s.idx", p->path), &p->idx) < 0)
		return;
	if (!check_index(p)) {
		git_error(g, "packfile index %s.idx is corrupt", p->path);
		return;
	}
	p->next = g->odb->packs;
	g->odb->packs = p;
}

void pack_load(struct git *g)
{
	struct odb *o = g->odb;

	if (o->packs_loaded)
		return;
	o->packs_loaded = true;
	for (size_t i = 0; i < o->dirs.n; i++) {
		struct vfs_dirent *list;
		size_t n;

		if (cmd_list(g->c, CMD_CWD, git_format(g->a, "%s/pack", o->dirs.at[i]), g->keep,
			     &list, &n) < 0)
			continue;
		for (size_t j = 0; j < n; j++)
			if (list[j].name.len > 4 && bytes_ends(list[j].name, BYTES(".idx")))
				add_pack(g, o->dirs.at[i], list[j].name);
	}
}

void object_forget_packs(struct git *g)
{
	for (struct pack *p = g->odb->packs; p != NULL; p = p->next)
		if (p->fd >= 0)
			cmd_close(g->c, p->fd);
	if (g->odb->cache != NULL)
		memset(g->odb->cache, 0, CACHE_SLOTS * sizeof(*g->odb->cache));
	g->odb->packs = NULL;
	g->odb->packs_loaded = false;
}

uint32_t pack_lower_bound(const struct pack *p, const struct oid *key)
{
	uint32_t lo = key->hash[0] == 0 ? 0 : be32(fan(p) + 4 * (key->hash[0] - 1));
	uint32_t hi = be32(fan(p) + 4 * key->hash[0]);

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (memcmp(name_at(p, mid), key->hash, OID_BYTES) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool pack_find(struct git *g, const struct oid *o, struct pack **out, uint64_t *offset)
{
	pack_load(g);
	for (struct pack *p = g->odb->packs; p != NULL; p = p->next) {
		uint32_t i = pack_lower_bound(p, o);

		cmd_charge(g->c, p->next != NULL);
		if (p->broken || i >= p->n || memcmp(name_at(p, i), o->hash, OID_BYTES) != 0)
			continue;
		*out = p;
		*offset = pack_offset(p, i);
		return true;
	}
	return false;
}

/* --- objects by place --- */

static int by_offset(const void *a, const void *b)
{
	uint64_t x = ((const struct pack_place *)a)->offset;
	uint64_t y = ((const struct pack_place *)b)->offset;

	return (x > y) - (x < y);
}

static void find_places(struct git *g, struct pack *p)
{
	const char *sums = table(p) + (size_t)p->n * OID_BYTES;

	p->places = arena_array(g->keep, (size_t)p->n + 1, sizeof(*p->places));
	for (uint32_t i = 0; i < p->n; i++)
		p->places[i] = (struct pack_place){ .offset = pack_offset(p, i),
						    .number = i,
						    .crc = be32(sums + 4 * (size_t)i) };
	git_sort(g, p->places, p->n, sizeof(*p->places), by_offset);
	for (uint32_t i = 0; i < p->n; i++)
		p->places[i].end = i + 1 < p->n ? p->places[i + 1].offset : p->size - OID_BYTES;
	cmd_charge(g->c, p->n);
}

bool pack_place(struct git *g, struct pack *p, uint64_t offset, struct pack_place *out)
{
	size_t lo = 0, hi = p->n;

	if (p->idx.len == 0 || !is_v2(p) || p->size < OID_BYTES)
		return false;
	if (p->places == NULL)
		find_places(g, p);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->places[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == p->n || p->places[lo].offset != offset)
		return false;
	*out = p->places[lo];
	return out->end > out->offset && out->end <= p->size;
}

/* --- objects --- */

static bool open_pack(struct git *g, struct pack *p)
{
	struct vfs_stat st;
	char head[12];

	if (p->fd >= 0)
		return true;
	if (p->broken || p->path == NULL)
		return false;
	p->fd = cmd_open(g->c, CMD_CWD, git_format(g->a, "%s.pack", p->path), O_RDONLY_, 0);
	if (p->fd < 0 || cmd_fstat(g->c, p->fd, &st) < 0 ||
	    cmd_pread(g->c, p->fd, head, 12, 0) != 12 || memcmp(head, "PACK", 4) != 0 ||
	    be32(head + 4) < 2 || be32(head + 4) > 3 || be32(head + 8) != p->n) {
		p->broken = true;
		return false;
	}
	p->size = st.size;
	return true;
}

bool pack_read_item(struct git *g, struct pack *p, uint64_t offset, struct pack_item *out)
{
	unsigned char head[48];
	int64_t got;
	size_t at = 0;
	int shift = 4;

	if (!open_pack(g, p) || offset >= p->size)
		return false;
	got = cmd_pread(g->c, p->fd, head, sizeof(head), offset);
	if (got < 4)
		return false;
	memset(head + got, 0, sizeof(head) - (size_t)got);
	out->kind = head[0] >> 4 & 7;
	out->size = head[0] & 15;
	while (head[at++] & 0x80) {
		if (shift > 57)
			return false;
		out->size |= (uint64_t)(head[at] & 0x7f) << shift;
		shift += 7;
	}
	if (out->kind == PACK_REF_DELTA) {
		memcpy(out->base_oid.hash, head + at, OID_BYTES);
		at += OID_BYTES;
	} else if (out->kind == PACK_OFS_DELTA) {
		uint64_t back = head[at] & 0x7f;

		while (head[at++] & 0x80) {
			if (back > UINT64_MAX >> 8)
				return false;
			back = (back + 1) << 7 | (head[at] & 0x7f);
		}
		if (back == 0 || back > offset)
			return false;
		out->base = offset - back;
	} else if (out->kind < OBJECT_COMMIT || out->kind > OBJECT_TAG) {
		return false;
	}
	out->data = offset + at;
	return true;
}

static bool inflate_item(struct git *g, struct arena *a, struct pack *p, const struct pack_item *it,
			 struct bytes *out)
{
	struct buf b = buf_in(a);
	uint64_t used;

	if (it->size > SIZE_MAX / 4 ||
	    !zlib_inflate_fd(g, p->fd, it->data, (size_t)it->size, &b, &used) || b.len != it->size)
		return false;
	*out = (struct bytes){ b.ptr, b.len };
	return true;
}

static bool delta_size(struct bytes *d, uint64_t *out)
{
	int shift = 0;

	*out = 0;
	for (;;) {
		if (d->len == 0 || shift > 56)
			return false;
		unsigned char ch = (unsigned char)d->ptr[0];

		*d = bytes_slice(*d, 1, d->len);
		*out |= (uint64_t)(ch & 0x7f) << shift;
		shift += 7;
		if ((ch & 0x80) == 0)
			return true;
	}
}

/* One copy instruction: offset and size out of the bytes that are there. */
static bool read_copy(struct bytes *d, unsigned op, size_t *offset, size_t *size)
{
	size_t v[2] = { 0, 0 };

	for (unsigned i = 0; i < 7; i++) {
		if ((op >> i & 1) == 0)
			continue;
		if (d->len == 0)
			return false;
		v[i >= 4] |= (size_t)(unsigned char)d->ptr[0] << 8 * (i >= 4 ? i - 4 : i);
		*d = bytes_slice(*d, 1, d->len);
	}
	*offset = v[0];
	*size = v[1] == 0 ? 0x10000 : v[1];
	return true;
}

bool delta_apply(struct git *g, struct arena *a, struct bytes base, struct bytes d,
		 struct bytes *out)
{
	struct buf b = buf_in(a);
	uint64_t from;
	uint64_t to;

	if (!delta_size(&d, &from) || !delta_size(&d, &to) || from != base.len)
		return false;
	buf_reserve(&b, to < base.len * 2 + d.len + 64 ? (size_t)to : base.len + 64);
	while (d.len != 0) {
		unsigned op = (unsigned char)d.ptr[0];
		size_t offset;
		size_t size;

		d = bytes_slice(d, 1, d.len);
		if (op & 0x80) {
			if (!read_copy(&d, op, &offset, &size) || offset > base.len ||
			    size > base.len - offset || size > to - b.len)
				return false;
			buf_put(&b, base.ptr + offset, size);
		} else {
			if (op == 0 || op > d.len || op > to - b.len)
				return false;
			buf_put(&b, d.ptr, op);
			d = bytes_slice(d, op, d.len);
			size = op;
		}
		cmd_charge_bytes(g->c, size);
	}
	*out = (struct bytes){ buf_cstr(&b), b.len };
	return b.len == to;
}

/* --- bases kept --- */

static struct delta_base *cache_slot(struct git *g, const struct pack *p, uint64_t offset)
{
	if (g->odb->cache == NULL)
		g->odb->cache = pool_zalloc(g->c->pool, CACHE_SLOTS * sizeof(struct delta_base));
	return &g->odb->cache[(offset * 0x9e3779b97f4a7c15u + p->size) >> 32 & (CACHE_SLOTS - 1)];
}

static void cache_put(struct git *g, const struct pack *p, uint64_t offset, enum object_type type,
		      struct bytes data)
{
	struct delta_base *s = cache_slot(g, p, offset);

	if (data.len > CACHE_OBJECT_MAX || (s->p == p && s->offset == offset))
		return;
	if (s->ptr != NULL)
		pool_free(g->c->pool, s->ptr, s->len + 1);
	*s = (struct delta_base){ p, offset, type, pool_dup(g->c->pool, data), data.len };
}

static bool cache_get(struct git *g, struct arena *a, const struct pack *p, uint64_t offset,
		      enum object_type *type, struct bytes *out)
{
	const struct delta_base *s = cache_slot(g, p, offset);

	if (s->p != p || s->offset != offset)
		return false;
	*type = s->type;
	*out = arena_bytes(a, (struct bytes){ s->ptr, s->len });
	return true;
}

static bool base_offset(struct git *g, struct pack *p, const struct pack_item *it, uint64_t *out)
{
	uint32_t i;

	(void)g;
	if (it->kind == PACK_OFS_DELTA) {
		*out = it->base;
		return true;
	}
	if (p->idx.len == 0)
		return false;
	i = pack_lower_bound(p, &it->base_oid);
	if (i >= p->n || memcmp(name_at(p, i), it->base_oid.hash, OID_BYTES) != 0)
		return false;
	*out = pack_offset(p, i);
	return true;
}

static const char *broken(struct git *g, const struct pack *p, uint64_t offset)
{
	return git_format(g->a, "packed object at offset %llu in %s.pack is corrupt",
			  (unsigned long long)offset, p->path != NULL ? p->path : "a");
}

struct chain {
	struct pack_item *item;
	uint64_t *offset;
	size_t n;
	size_t cap;
};

static void chain_add(struct git *g, struct chain *ch, const struct pack_item *it, uint64_t offset)
{
	size_t cap = ch->cap;

	LIST_ROOM(g, ch->item, ch->n, cap);
	LIST_ROOM(g, ch->offset, ch->n, ch->cap);
	ch->item[ch->n] = *it;
	ch->offset[ch->n++] = offset;
}

enum object_type pack_read(struct git *g, struct arena *a, struct pack *p, uint64_t offset,
			   struct bytes *out, const char **why)
{
	struct chain ch = { NULL, NULL, 0, 0 };
	enum object_type type = OBJECT_NONE;
	uint64_t at = offset;
	struct pack_item it;

	for (;;) {
		if (ch.n > 0 && cache_get(g, a, p, at, &type, out))
			break;
		if (!pack_read_item(g, p, at, &it) || ch.n > GIT_DELTA_DEPTH_MAX)
			goto bad;
		if (it.kind <= OBJECT_TAG) {
			type = (enum object_type)it.kind;
			if (!inflate_item(g, a, p, &it, out))
				goto bad;
			break;
		}
		chain_add(g, &ch, &it, at);
		if (base_offset(g, p, &it, &at))
			continue;
		/* A thin pack leans on what is here already. */
		if (!p->thin || it.kind != PACK_REF_DELTA)
			goto bad;
		type = object_try(g, a, &it.base_oid, out, why);
		if (type == OBJECT_NONE)
			goto bad;
		at = UINT64_MAX;
		break;
	}
	for (size_t i = ch.n; i > 0; i--) {
		struct bytes delta;
		struct bytes base = *out;

		if (at != UINT64_MAX)
			cache_put(g, p, at, type, base);
		at = ch.offset[i - 1];
		if (!inflate_item(g, a, p, &ch.item[i - 1], &delta) ||
		    !delta_apply(g, a, base, delta, out))
			goto bad;
	}
	pool_free(g->c->pool, ch.item, ch.cap * sizeof(*ch.item));
	pool_free(g->c->pool, ch.offset, ch.cap * sizeof(*ch.offset));
	return type;
bad:
	if (*why == NULL)
		*why = broken(g, p, offset);
	return OBJECT_NONE;
}

enum object_type pack_info(struct git *g, struct pack *p, uint64_t offset, uint64_t *size)
{
	struct pack_item it;
	uint64_t at = offset;

	for (size_t depth = 0; depth < GIT_DELTA_DEPTH_MAX; depth++) {
		if (!pack_read_item(g, p, at, &it))
			return OBJECT_NONE;
		if (depth == 0)
			*size = it.size;
		if (depth == 0 && it.kind > OBJECT_TAG) {
			struct buf b = buf_in(g->a);
			struct bytes head;
			uint64_t used;
			uint64_t base;

			/* Only the beginning is wanted, but a delta is short. */
			if (it.size > SIZE_MAX / 4 ||
			    !zlib_inflate_fd(g, p->fd, it.data, (size_t)it.size, &b, &used))
				return OBJECT_NONE;
			head = buf_bytes(&b);
			if (!delta_size(&head, &base) || !delta_size(&head, size))
				return OBJECT_NONE;
		}
		if (it.kind <= OBJECT_TAG)
			return (enum object_type)it.kind;
		if (!base_offset(g, p, &it, &at))
			return OBJECT_NONE;
	}
	return OBJECT_NONE;
}
