/* SPDX-License-Identifier: MIT
 *
 * A pack without index, read from its beginning to its end: which objects are in it, where,
 * and what they are called.
 *
 * Entries say their own end only by being inflated. Deltas whose base is named (not pointed at)
 * can be resolved once the base's name is known: so there are rounds until nothing is new.
 */
#include "base/digest.h"
#include "builtins/git/transport.h"

enum { HEAD = 12, CHUNK = 1 << 16 };

static uint32_t be32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Sums bytes of the file: *crc or the digest, whichever is wanted. */
static bool sum_range(struct git *g, int fd, uint64_t from, uint64_t to, uint32_t *crc,
		      struct digest *d)
{
	char *chunk = pool_alloc(g->c->pool, CHUNK);
	bool good = true;

	while (from < to && good) {
		size_t want = to - from < CHUNK ? (size_t)(to - from) : CHUNK;
		int64_t got = cmd_pread(g->c, fd, chunk, want, from);

		good = got > 0;
		if (!good)
			break;
		struct bytes part = { chunk, (size_t)got };

		if (crc != NULL)
			*crc = zlib_crc32(*crc, part);
		if (d != NULL)
			digest_update(d, part);
		from += (uint64_t)got;
		cmd_charge_bytes(g->c, (size_t)got);
	}
	pool_free(g->c->pool, chunk, CHUNK);
	return good;
}

static const char *check_frame(struct git *g, struct pack_scan *s)
{
	unsigned char head[HEAD];
	unsigned char tail[OID_BYTES];
	uint8_t sum[DIGEST_MAX];
	struct digest d;

	if (s->pack.size < s->start || s->pack.size - s->start < HEAD + OID_BYTES ||
	    cmd_pread(g->c, s->pack.fd, head, HEAD, s->start) != HEAD ||
	    cmd_pread(g->c, s->pack.fd, tail, OID_BYTES, s->pack.size - OID_BYTES) != OID_BYTES)
		return "early EOF";
	if (memcmp(head, "PACK", 4) != 0)
		return "bad pack file";
	if (be32(head + 4) < 2 || be32(head + 4) > 3)
		return git_format(g->a, "pack version %u unsupported", be32(head + 4));
	/* An entry takes two bytes at the least. */
	if (be32(head + 8) > s->pack.size / 2)
		return "early EOF";
	s->count = be32(head + 8);
	digest_init(&d, DIGEST_SHA1, 0);
	if (!sum_range(g, s->pack.fd, s->start, s->pack.size - OID_BYTES, NULL, &d))
		return "early EOF";
	digest_final(&d, sum);
	memcpy(s->name.hash, sum, OID_BYTES);
	return memcmp(sum, tail, OID_BYTES) == 0 ? NULL : "pack is corrupted (SHA1 mismatch)";
}

static const char *find_entries(struct git *g, struct pack_scan *s)
{
	uint64_t at = s->start + HEAD;

	s->at = arena_array(g->keep, s->count, sizeof(*s->at));
	for (; s->n < s->count; s->n++) {
		struct scanned *e = &s->at[s->n];
		struct pack_item it;
		struct arena a;
		struct buf data;
		uint64_t used = 0;
		bool good;

		*e = (struct scanned){ .offset = at };
		if (!pack_read_item(g, &s->pack, at, &it) || it.size > SIZE_MAX / 4)
			return git_format(g->a, "bad object at offset %llu",
					  (unsigned long long)at);
		arena_init_under(&a, g->a);
		data = buf_in(&a);
		good = zlib_inflate_fd(g, s->pack.fd, it.data, (size_t)it.size, &data, &used) &&
		       data.len == it.size;
		arena_clear(&a);
		if (!good)
			return git_format(g->a, "inflate returned -3 at offset %llu",
					  (unsigned long long)at);
		e->kind = it.kind;
		e->stored_size = it.size;
		e->base_offset = it.base;
		e->base_oid = it.base_oid;
		e->end = it.data + used;
		if (e->end > s->pack.size - OID_BYTES ||
		    !sum_range(g, s->pack.fd, at, e->end, &e->crc, NULL))
			return "early EOF";
		at = e->end;
	}
	return at == s->pack.size - OID_BYTES ? NULL : "pack has junk at the end";
}

void pack_scan_index(struct git *g, struct pack_scan *s)
{
	struct placed *list = arena_array(g->keep, s->n, sizeof(*list));
	struct buf idx = buf_in(g->keep);
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].type != OBJECT_NONE)
			list[n++] = (struct placed){ s->at[i].oid, s->at[i].offset, s->at[i].crc };
	pack_put_index(g, list, n, &s->name, &idx);
	s->pack.idx = buf_bytes(&idx);
	s->pack.n = (uint32_t)n;
}

/* Reads what can be read; how many became known. */
static size_t resolve_round(struct git *g, struct pack_scan *s)
{
	size_t found = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct scanned *e = &s->at[i];
		const char *why = NULL;
		struct bytes data;
		struct arena a;

		if (e->type != OBJECT_NONE)
			continue;
		arena_init_under(&a, g->a);
		e->type = pack_read(g, &a, &s->pack, e->offset, &data, &why);
		if (e->type != OBJECT_NONE) {
			object_hash(e->type, data, &e->oid);
			e->size = data.len;
			found++;
			cmd_charge_bytes(g->c, data.len * 4 + 64);
		}
		arena_clear(&a);
	}
	return found;
}

const char *pack_scan(struct git *g, int fd, bool thin, struct pack_scan *s)
{
	return pack_scan_from(g, fd, 0, thin, s);
}

const char *pack_scan_from(struct git *g, int fd, uint64_t start, bool thin, struct pack_scan *s)
{
	struct vfs_stat st;
	const char *why;
	size_t left;

	*s = (struct pack_scan){ .pack = { .fd = fd, .thin = thin }, .start = start };
	/* Outside of a repository there are no other objects. */
	if (g->odb == NULL)
		g->odb = arena_zalloc(g->keep, sizeof(*g->odb));
	if (cmd_fstat(g->c, fd, &st) < 0)
		return "cannot fstat packfile";
	s->pack.size = st.size;
	why = check_frame(g, s);
	if (why == NULL)
		why = find_entries(g, s);
	if (why != NULL)
		return why;
	for (left = s->n; left > 0;) {
		size_t found = resolve_round(g, s);

		left -= found;
		if (found == 0 || left == 0)
			break;
		/* Bases that are named are found by it. */
		pack_scan_index(g, s);
	}
	s->unresolved = left;
	return NULL;
}

enum object_type pack_scan_read(struct git *g, struct arena *a, struct pack_scan *s, size_t i,
				struct bytes *out)
{
	const char *why = NULL;
	enum object_type type = pack_read(g, a, &s->pack, s->at[i].offset, out, &why);

	if (type == OBJECT_NONE)
		git_die(g, "%s", why);
	return type;
}
