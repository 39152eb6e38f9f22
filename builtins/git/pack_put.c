/* SPDX-License-Identifier: MIT
 *
 * The bytes of a pack as they are written: objects and deltas one behind the other, their sums.
 */
#include "builtins/git/transport.h"

enum { OUT_CHUNK = 1 << 16, LEVEL = 6, TEXT_MAX = 16 };

static void write_all(struct pack_out *o, struct bytes data)
{
	int err = cmd_write_fd(o->g->c, o->fd, data.ptr, data.len);

	if (err < 0)
		git_die_errno(o->g, err, "unable to write pack");
}

void pack_out_flush(struct pack_out *o)
{
	if (o->text.len != 0)
		write_all(o, buf_bytes(&o->text));
	o->text.len = 0;
}

static void put(struct pack_out *o, struct bytes data)
{
	digest_update(&o->sum, data);
	o->crc = zlib_crc32(o->crc, data);
	o->written += data.len;
	if (o->text.len + data.len > OUT_CHUNK)
		pack_out_flush(o);
	if (data.len > OUT_CHUNK)
		write_all(o, data);
	else
		buf_add(&o->text, data);
}

static void put_packed(struct pack_out *o, struct bytes data)
{
	struct git *g = o->g;
	struct arena_mark mark = arena_mark(g->a);
	struct buf packed = buf_in(g->a);

	zlib_deflate(g, data, LEVEL, &packed);
	put(o, buf_bytes(&packed));
	arena_release(g->a, mark);
}

static void put_head(struct pack_out *o, unsigned kind, size_t size)
{
	char head[TEXT_MAX];
	size_t n = 0;
	unsigned first = kind << 4 | (unsigned)(size & 15);

	o->crc = 0;
	for (size >>= 4; size != 0; size >>= 7) {
		head[n++] = (char)(first | 0x80);
		first = (unsigned)(size & 0x7f);
	}
	head[n++] = (char)first;
	put(o, (struct bytes){ head, n });
}

void pack_out_object(struct pack_out *o, enum object_type type, struct bytes data)
{
	put_head(o, (unsigned)type, data.len);
	put_packed(o, data);
}

static void put_delta_head(struct pack_out *o, uint64_t base, size_t size)
{
	uint64_t back = o->written - base;
	char text[TEXT_MAX];
	size_t at = sizeof(text);

	put_head(o, PACK_OFS_DELTA, size);
	text[--at] = (char)(back & 0x7f);
	while ((back >>= 7) != 0)
		text[--at] = (char)(0x80 | (--back & 0x7f));
	put(o, (struct bytes){ text + at, sizeof(text) - at });
}

void pack_out_delta(struct pack_out *o, uint64_t base, struct bytes delta)
{
	put_delta_head(o, base, delta.len);
	put_packed(o, delta);
}

void pack_out_raw(struct pack_out *o, int kind, size_t size, uint64_t base, struct bytes packed)
{
	if (kind == PACK_OFS_DELTA)
		put_delta_head(o, base, size);
	else
		put_head(o, (unsigned)kind, size);
	put(o, packed);
}

void pack_out_begin(struct pack_out *o, struct git *g, int fd, size_t n)
{
	char head[] = { 'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0, 0 };

	for (int i = 0; i < 4; i++)
		head[8 + i] = (char)(n >> 8 * (3 - i) & 0xff);
	*o = (struct pack_out){ .g = g, .fd = fd, .text = buf_in(g->keep) };
	digest_init(&o->sum, DIGEST_SHA1, 0);
	put(o, (struct bytes){ head, sizeof(head) });
}

void pack_out_end(struct pack_out *o, struct oid *name)
{
	uint8_t sum[DIGEST_MAX];

	digest_final(&o->sum, sum);
	memcpy(name->hash, sum, OID_BYTES);
	buf_put(&o->text, sum, OID_BYTES);
	pack_out_flush(o);
}
