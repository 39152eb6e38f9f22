/* SPDX-License-Identifier: MIT
 *
 * Objects of fast-import: into a pack that grows, and read back out of it.
 */
#include "builtins/git/import.h"

enum { DELTA_MOST = 1 << 22, COUNT_AT = 8, HEAD_SIZE = 12, SUM_CHUNK = 1 << 16 };

struct import_object *import_known(struct import *im, const struct oid *o)
{
	return lookup_get(im->objects, oid_key(o));
}

struct import_object *import_know(struct import *im, const struct oid *o, enum object_type type)
{
	struct import_object *it = import_known(im, o);

	if (it != NULL)
		return it;
	it = arena_zalloc(im->g->keep, sizeof(*it));
	it->oid = *o;
	it->type = type;
	*lookup_at(im->objects, oid_key(&it->oid)) = it;
	return it;
}

enum object_type import_type(struct import *im, const struct oid *o)
{
	const struct import_object *it = import_known(im, o);
	uint64_t size;

	return it != NULL ? it->type : object_info(im->g, o, &size);
}

enum object_type import_read(struct import *im, struct arena *a, const struct oid *o,
			     struct bytes *out)
{
	const struct import_object *it = import_known(im, o);
	const char *why = NULL;
	enum object_type type;

	if (it == NULL || !it->here)
		return object_read(im->g, a, o, out);
	pack_out_flush(&im->out);
	im->pack.size = im->out.written;
	type = pack_read(im->g, a, &im->pack, it->offset, out, &why);
	if (type == OBJECT_NONE)
		git_die(im->g, "%s", why);
	return type;
}

/* --- writing --- */

static void open_pack(struct import *im)
{
	struct git *g = im->g;
	int err;
	int fd;

	im->temporary = git_format(g->keep, "%s/pack/tmp_pack_%08x", g->odb->dirs.at[0],
				   (unsigned)cmd_pid(g->c));
	err = file_make_parents(g, im->temporary);
	fd = cmd_open(g->c, CMD_CWD, im->temporary, O_RDWR_ | O_CREAT_ | O_TRUNC_, 0444);
	if (err < 0 || fd < 0)
		git_die_errno(g, err < 0 ? err : fd, "unable to create '%s'", im->temporary);
	pack_out_begin(&im->out, g, fd, 0);
	im->pack = (struct pack){ .path = im->temporary, .fd = fd };
	im->nplaced = 0;
	im->open = true;
}

static bool in_other_pack(struct import *im, const struct oid *o)
{
	struct pack *p;
	uint64_t offset;

	return pack_find(im->g, o, &p, &offset);
}

/* The delta in *out; false: the object is stored as it is. */
static bool make_delta(struct import *im, const struct import_base *base, struct bytes data,
		       enum object_type type, struct buf *out)
{
	struct git *g = im->g;
	struct delta_index *x;

	if (base == NULL || base->at == NULL || !base->at->here || base->data.len == 0 ||
	    base->at->depth >= im->depth_max || data.len <= OID_BYTES || data.len > DELTA_MOST ||
	    base->data.len > DELTA_MOST)
		return false;
	im->counts[type].attempts++;
	x = delta_index_new(g, out->arena, base->data);
	return x != NULL && delta_make(g, x, data, data.len - OID_BYTES, out);
}

/* Whether the pack would become larger than it may. */
static bool too_large(struct import *im, struct bytes data)
{
	struct buf packed = buf_in(im->g->a);

	if (im->pack_max == 0)
		return false;
	zlib_deflate(im->g, data, 6, &packed);
	return im->out.written + packed.len > im->pack_max;
}

static void store(struct import *im, struct import_object *it, struct bytes data,
		  const struct import_base *base)
{
	struct git *g = im->g;
	struct arena_mark mark = arena_mark(g->a);
	struct buf delta = buf_in(g->a);
	bool is_delta;

	if (!im->open)
		open_pack(im);
	is_delta = make_delta(im, base, data, it->type, &delta);
	if (too_large(im, is_delta ? buf_bytes(&delta) : data)) {
		import_end_pack(im);
		open_pack(im);
		is_delta = false;
	}
	it->offset = im->out.written;
	it->depth = is_delta ? base->at->depth + 1 : 0;
	if (is_delta)
		pack_out_delta(&im->out, base->at->offset, buf_bytes(&delta));
	else
		pack_out_object(&im->out, it->type, data);
	it->here = true;
	im->counts[it->type].stored++;
	im->counts[it->type].deltas += is_delta;
	arena_release(g->a, mark);
	LIST_ROOM(g, im->placed, im->nplaced, im->placed_cap);
	im->placed[im->nplaced++] = (struct placed){ it->oid, it->offset, im->out.crc };
}

struct import_object *import_put(struct import *im, enum object_type type, struct bytes data,
				 const struct import_base *base)
{
	struct git *g = im->g;
	struct import_object *it;
	struct oid oid;

	object_hash(type, data, &oid);
	cmd_charge_bytes(g->c, data.len * 4 + 64);
	it = import_know(im, &oid, type);
	if (it->here || it->offset != 0 || in_other_pack(im, &oid)) {
		im->counts[type].again++;
		return it;
	}
	store(im, it, data, base);
	return it;
}

struct import_object *import_put_blob(struct import *im, struct bytes data)
{
	struct pool *pool = im->g->c->pool;
	const struct import_base base = { im->last, im->last_at };
	uint64_t before = im->counts[OBJECT_BLOB].stored;
	struct import_object *it = import_put(im, OBJECT_BLOB, data, &base);

	if (im->counts[OBJECT_BLOB].stored == before)
		return it;
	if (im->last.ptr != NULL)
		pool_free(pool, (char *)im->last.ptr, im->last.len + 1);
	im->last = (struct bytes){ pool_dup(pool, data), data.len };
	im->last_at = it;
	return it;
}

/* --- the end of a pack --- */

static int64_t unpack_limit(struct git *g)
{
	return config_int(g, "fastimport.unpacklimit", config_int(g, "transfer.unpacklimit", 100));
}

static void to_files(struct import *im)
{
	struct git *g = im->g;

	for (size_t i = 0; i < im->nplaced; i++) {
		struct arena a;
		struct bytes data;
		struct oid same;
		enum object_type type;

		arena_init_under(&a, g->keep);
		type = import_read(im, &a, &im->placed[i].oid, &data);
		object_write_loose(g, type, data, &same);
		arena_clear(&a);
	}
}

/* The number of objects is known at last: it, and the sum of all. */
static void finish_file(struct import *im, struct oid *name)
{
	struct git *g = im->g;
	char count[4], chunk[1024];
	struct digest sum;
	uint8_t result[DIGEST_MAX];
	uint64_t at = 0;

	for (int i = 0; i < 4; i++)
		count[i] = (char)(im->nplaced >> 8 * (3 - i) & 0xff);
	if (cmd_pwrite(g->c, im->pack.fd, count, sizeof(count), COUNT_AT) != sizeof(count))
		git_die(g, "unable to write pack");
	digest_init(&sum, DIGEST_SHA1, 0);
	while (at < im->out.written) {
		int64_t got = cmd_pread(g->c, im->pack.fd, chunk, sizeof(chunk), at);

		if (got <= 0)
			git_die(g, "unable to read pack");
		digest_update(&sum, (struct bytes){ chunk, (size_t)got });
		cmd_charge_bytes(g->c, (size_t)got);
		at += (uint64_t)got;
	}
	digest_final(&sum, result);
	memcpy(name->hash, result, OID_BYTES);
	if (cmd_write_fd(g->c, im->pack.fd, result, OID_BYTES) < 0)
		git_die(g, "unable to write pack");
}

static void put_edges(struct import *im, const char *path)
{
	struct git *g = im->g;
	struct buf b = buf_in(g->a);

	if (im->edges == NULL)
		return;
	buf_printf(&b, "%s:", path);
	for (const struct import_branch *br = im->branches; br != NULL; br = br->next)
		if (!oid_is_null(&br->oid) && import_known(im, &br->oid) != NULL &&
		    import_known(im, &br->oid)->here)
			buf_printf(&b, " %s", oid_hex(g, &br->oid));
	for (const struct import_tag *t = im->tags; t != NULL; t = t->next)
		if (import_known(im, &t->oid) != NULL && import_known(im, &t->oid)->here)
			buf_printf(&b, " %s", oid_hex(g, &t->oid));
	buf_putc(&b, '\n');
	file_append(g, im->edges, buf_bytes(&b));
}

static void keep_pack(struct import *im)
{
	struct git *g = im->g;
	struct buf idx = buf_in(g->a);
	struct oid name;
	char *base;
	int err;

	finish_file(im, &name);
	base = git_format(g->a, "%s/pack/pack-%s", g->odb->dirs.at[0], oid_hex(g, &name));
	put_edges(im, git_hook_path(
			      g, git_format(g->a, "objects/pack/pack-%s.pack", oid_hex(g, &name))));
	pack_put_index(g, im->placed, im->nplaced, &name, &idx);
	err = cmd_rename(g->c, CMD_CWD, im->temporary, CMD_CWD, git_format(g->a, "%s.pack", base),
			 0);
	cmd_unlink(g->c, CMD_CWD, git_format(g->a, "%s.idx", base), 0);
	if (err >= 0)
		err = file_write(g, git_format(g->a, "%s.idx", base), buf_bytes(&idx), 0444);
	if (err < 0)
		git_die_errno(g, err, "unable to write '%s.idx'", base);
}

void import_end_pack(struct import *im)
{
	struct git *g = im->g;

	if (!im->open)
		return;
	pack_out_flush(&im->out);
	im->open = false;
	if ((int64_t)im->nplaced <= unpack_limit(g)) {
		to_files(im);
		cmd_unlink(g->c, CMD_CWD, im->temporary, 0);
	} else {
		keep_pack(im);
	}
	cmd_close(g->c, im->pack.fd);
	for (size_t i = 0; i < im->nplaced; i++)
		import_known(im, &im->placed[i].oid)->here = false;
	im->nplaced = 0;
	im->last_at = NULL;
	object_forget_packs(g);
}
