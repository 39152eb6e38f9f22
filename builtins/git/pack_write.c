/* SPDX-License-Identifier: MIT
 *
 * Packs written: objects one after the other, alike ones as deltas of their neighbours, and
 * the index that finds them.
 *
 * Objects are sorted so that alike ones stand together; each is tried against a small window
 * of those in front of it. What is read is hashed again: a broken object does not spread. What
 * other packs have is copied as it is packed (its sum is looked at), deltas with their bases.
 */
#include "base/digest.h"
#include "builtins/git/transport.h"
#include "builtins/git/share.h"

enum {
	WINDOW = 10,
	CHAIN_MAX = 50,
	CHAIN_MOST = 1000, /* of deltas that are copied */
	DELTA_LEAST = 50,
	DELTA_MOST = 1 << 22, /* larger objects are not tried */
};

/* One of those that came last. Its bytes are read when they are needed. */
struct slot {
	struct arena a;
	struct oid oid;
	const struct pack *from; /* the pack it was copied out of; NULL: it was not */
	struct bytes data;
	struct delta_index *index;
	enum object_type type;
	uint64_t offset;
	int chain;
	bool used;
	bool loaded;
};

struct item {
	uint64_t offset;
	int chain; /* of deltas */
	bool written;
};

struct packing {
	struct git *g;
	struct pack_out out;
	struct oid name; /* at the end: the sum of all */
	const struct reached *list;
	struct item *item;     /* of each */
	struct lookup *number; /* + 1 of each, by name */
	size_t *chain;         /* of put_with_bases */
	struct placed *at;
	size_t n;
	struct slot window[WINDOW];
	size_t next;
};

/* Fills what a delta against it needs; false: it cannot have one. */
static bool load_slot(struct packing *p, struct slot *s)
{
	struct git *g = p->g;

	if (!s->loaded) {
		s->loaded = true;
		object_read(g, &s->a, &s->oid, &s->data);
	}
	if (s->data.len < DELTA_LEAST || s->data.len > DELTA_MOST)
		return false;
	if (s->index == NULL)
		s->index = delta_index_new(g, &s->a, s->data);
	return s->index != NULL;
}

/* The shortest delta against the window: which slot it is based on, or NULL. from: the pack the
 * object is whole in: against others of that it was tried before. */
static struct slot *best_delta(struct packing *p, enum object_type type, struct bytes data,
			       const struct pack *from, struct buf *delta)
{
	struct slot *best = NULL;
	size_t max = data.len / 2;

	if (data.len < DELTA_LEAST || data.len > DELTA_MOST)
		return NULL;
	max = max > OID_BYTES ? max - OID_BYTES : 0;
	for (size_t i = 0; i < WINDOW; i++) {
		struct slot *s = &p->window[(p->next + WINDOW - 1 - i) % WINDOW];
		struct buf one = buf_in(delta->arena);

		if (!s->used || s->type != type || s->chain >= CHAIN_MAX ||
		    (from != NULL && s->from == from) || !load_slot(p, s) ||
		    data.len < s->data.len / 32)
			continue;
		if (!delta_make(p->g, s->index, data, max, &one))
			continue;
		best = s;
		max = one.len - 1;
		*delta = one;
	}
	return best;
}

static void remember(struct packing *p, size_t i, enum object_type type, const struct pack *from,
		     const struct bytes *data)
{
	struct slot *s = &p->window[p->next];

	if (data != NULL && (data->len < DELTA_LEAST || data->len > DELTA_MOST))
		return;
	if (s->used)
		arena_clear(&s->a);
	arena_init_under(&s->a, p->g->keep);
	s->oid = p->list[i].oid;
	s->from = from;
	s->loaded = data != NULL;
	s->data = data != NULL ? arena_bytes(&s->a, *data) : BYTES("");
	s->index = NULL;
	s->type = type;
	s->offset = p->item[i].offset;
	s->chain = p->item[i].chain;
	s->used = true;
	p->next = (p->next + 1) % WINDOW;
}

static void note_written(struct packing *p, size_t i, uint64_t offset, int chain)
{
	p->item[i] = (struct item){ offset, chain, true };
	p->at[p->n++] = (struct placed){ p->list[i].oid, offset, p->out.crc };
}

static void put_object(struct packing *p, size_t i, const struct pack *from)
{
	struct git *g = p->g;
	const struct oid *o = &p->list[i].oid;
	struct arena a;
	struct bytes data;
	struct buf delta;
	struct oid check;
	enum object_type type;
	struct slot *base;
	uint64_t offset = p->out.written;

	arena_init_under(&a, g->a);
	delta = buf_in(&a);
	type = object_read(g, &a, o, &data);
	if (type == OBJECT_NONE)
		git_die(g, "unable to read %s", oid_hex(g, o));
	object_hash(type, data, &check);
	if (!oid_eq(&check, o))
		git_die(g, "object %s is corrupt", oid_hex(g, o));
	cmd_charge_bytes(g->c, data.len * 4 + 64);
	base = best_delta(p, type, data, from, &delta);
	if (base != NULL)
		pack_out_delta(&p->out, base->offset, buf_bytes(&delta));
	else
		pack_out_object(&p->out, type, data);
	note_written(p, i, offset, base != NULL ? base->chain + 1 : 0);
	remember(p, i, type, from, &data);
	arena_clear(&a);
}

/* --- what another pack has --- */

struct reuse {
	struct pack *pack;
	struct pack_item item;
	struct pack_place place;
	size_t base; /* of a delta: its number in the list */
};

/* Whether an object stands in a pack as it can stand in this one. */
static bool find_reuse(struct packing *p, size_t i, struct reuse *u)
{
	struct git *g = p->g;
	struct pack_place base;
	uint64_t offset;
	uintptr_t number;

	if (g->fresh_deltas || !oid_eq(object_replaced(g, &p->list[i].oid), &p->list[i].oid) ||
	    !pack_find(g, &p->list[i].oid, &u->pack, &offset) ||
	    !pack_read_item(g, u->pack, offset, &u->item) ||
	    !pack_place(g, u->pack, offset, &u->place) || u->item.data >= u->place.end)
		return false;
	if (u->item.kind <= OBJECT_TAG)
		return true;
	if (u->item.kind == PACK_OFS_DELTA) {
		if (!pack_place(g, u->pack, u->item.base, &base))
			return false;
		pack_oid(u->pack, base.number, &u->item.base_oid);
	}
	number = (uintptr_t)lookup_get(p->number, oid_key(&u->item.base_oid));
	u->base = number - 1;
	return number != 0;
}

/* Copies the packed bytes, if they are what the other index says. */
static bool copy_packed(struct packing *p, size_t i, const struct reuse *u)
{
	struct git *g = p->g;
	struct arena_mark mark = arena_mark(g->a);
	size_t all = (size_t)(u->place.end - u->place.offset);
	size_t head = (size_t)(u->item.data - u->place.offset);
	bool delta = u->item.kind > OBJECT_TAG;
	uint64_t offset = p->out.written;
	char *raw = arena_alloc(g->a, all);
	bool good = cmd_pread(g->c, u->pack->fd, raw, all, u->place.offset) == (int64_t)all &&
		    zlib_crc32(0, (struct bytes){ raw, all }) == u->place.crc;

	if (good) {
		pack_out_raw(&p->out, delta ? PACK_OFS_DELTA : u->item.kind, (size_t)u->item.size,
			     delta ? p->item[u->base].offset : 0,
			     (struct bytes){ raw + head, all - head });
		note_written(p, i, offset, delta ? p->item[u->base].chain + 1 : 0);
		remember(p, i, p->list[i].type, u->pack, NULL);
		cmd_charge_bytes(g->c, all * 2);
	}
	arena_release(g->a, mark);
	return good;
}

/* Whether one in front of it may make a better base than none. */
static bool has_others(const struct packing *p, size_t i, const struct pack *from)
{
	for (size_t k = 0; k < WINDOW; k++)
		if (p->window[k].used && p->window[k].from != from &&
		    p->window[k].type == p->list[i].type)
			return true;
	return false;
}

static void put_one(struct packing *p, size_t i)
{
	struct reuse u;
	bool found = find_reuse(p, i, &u);
	bool delta = found && u.item.kind > OBJECT_TAG;

	if (p->item[i].written)
		return;
	if (delta && p->item[u.base].written && p->item[u.base].chain < CHAIN_MOST &&
	    copy_packed(p, i, &u))
		return;
	if (found && !delta && !has_others(p, i, u.pack) && copy_packed(p, i, &u))
		return;
	put_object(p, i, found && !delta ? u.pack : NULL);
}

/* One, but first what its delta leans on. */
static void put_with_bases(struct packing *p, size_t i)
{
	size_t *chain = p->chain;
	size_t n = 0;
	struct reuse u;

	chain[n++] = i;
	while (n < CHAIN_MOST && find_reuse(p, chain[n - 1], &u) && u.item.kind > OBJECT_TAG &&
	       !p->item[u.base].written)
		chain[n++] = u.base;
	while (n > 0)
		put_one(p, chain[--n]);
}

/* --- all of them --- */

/* Commits and tags first, then trees, then blobs; alike names together. */
static int by_likeness(const void *a, const void *b)
{
	static const int rank[] = { 9, 0, 2, 3, 1 };
	const struct reached *x = a;
	const struct reached *y = b;

	if (rank[x->type] != rank[y->type])
		return rank[x->type] < rank[y->type] ? -1 : 1;
	return (x->hint > y->hint) - (x->hint < y->hint);
}

static void write_objects(struct packing *p, struct reached *list, size_t n)
{
	struct git *g = p->g;

	pack_out_begin(&p->out, g, p->out.fd, n);
	p->at = arena_array(g->keep, n, sizeof(*p->at));
	git_sort(g, list, n, sizeof(*list), by_likeness);
	p->list = list;
	p->item = arena_array(g->keep, n + 1, sizeof(*p->item));
	p->number = lookup_new(g);
	p->chain = arena_array(g->keep, CHAIN_MOST, sizeof(*p->chain));
	for (size_t i = 0; i < n; i++)
		*lookup_at(p->number, oid_key(&list[i].oid)) = (void *)(uintptr_t)(i + 1);
	for (size_t i = 0; i < n; i++)
		if (!p->item[i].written)
			put_with_bases(p, i);
	for (size_t i = 0; i < WINDOW; i++)
		if (p->window[i].used)
			arena_clear(&p->window[i].a);
	pack_out_end(&p->out, &p->name);
}

/* --- the index, version 2 --- */

static void put_be32(struct buf *out, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_putc(out, (char)(v >> shift & 0xff));
}

static int by_name(const void *a, const void *b)
{
	return oid_cmp(&((const struct placed *)a)->oid, &((const struct placed *)b)->oid);
}

static void put_offsets(const struct packing *p, struct buf *out)
{
	uint32_t large = 0;

	for (size_t i = 0; i < p->n; i++)
		put_be32(out, p->at[i].offset < 0x80000000u ? (uint32_t)p->at[i].offset
							    : 0x80000000u | large++);
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].offset >= 0x80000000u) {
			put_be32(out, (uint32_t)(p->at[i].offset >> 32));
			put_be32(out, (uint32_t)p->at[i].offset);
		}
}

void pack_put_index(struct git *g, struct placed *at, size_t n, const struct oid *pack_name,
		    struct buf *out)
{
	struct packing p = { .g = g, .at = at, .n = n };
	struct digest sum;
	uint8_t result[DIGEST_MAX];
	size_t from = out->len;
	size_t k = 0;

	git_sort(g, at, n, sizeof(*at), by_name);
	buf_put(out, "\377tOc\0\0\0\2", 8);
	for (unsigned first = 0; first < 256; first++) {
		while (k < n && at[k].oid.hash[0] <= first)
			k++;
		put_be32(out, (uint32_t)k);
	}
	for (size_t i = 0; i < n; i++)
		buf_put(out, at[i].oid.hash, OID_BYTES);
	for (size_t i = 0; i < n; i++)
		put_be32(out, at[i].crc);
	put_offsets(&p, out);
	buf_put(out, pack_name->hash, OID_BYTES);
	digest_init(&sum, DIGEST_SHA1, 0);
	digest_update(&sum, bytes_slice(buf_bytes(out), from, out->len));
	digest_final(&sum, result);
	buf_put(out, result, OID_BYTES);
	cmd_charge(g->c, n);
}

void pack_stream(struct git *g, int fd, struct reached *list, size_t n, struct oid *name)
{
	struct packing p = { .g = g, .out = { .fd = fd } };

	write_objects(&p, list, n);
	*name = p.name;
}

char *pack_write(struct git *g, const char *dir, struct reached *list, size_t n)
{
	return git_format(g->keep, "pack-%s",
			  pack_write_as(g, path_join(g->keep, dir, "pack"), list, n));
}

char *pack_write_as(struct git *g, const char *prefix, struct reached *list, size_t n)
{
	struct packing p = { .g = g };
	struct buf idx = buf_in(g->keep);
	char *temporary = git_format(g->keep, "%s.tmp_%08x", prefix, (unsigned)cmd_pid(g->c));
	char *base;
	int err = file_make_parents(g, temporary);

	p.out.fd = cmd_open(g->c, CMD_CWD, temporary, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0444);
	if (err < 0 || p.out.fd < 0)
		git_die_errno(g, err < 0 ? err : p.out.fd, "unable to create '%s'", temporary);
	write_objects(&p, list, n);
	cmd_close(g->c, p.out.fd);
	pack_put_index(g, p.at, p.n, &p.name, &idx);
	base = git_format(g->keep, "%s-%s", prefix, oid_hex(g, &p.name));
	/* The same pack may be there: it keeps its index until there is another. */
	char *index = git_format(g->keep, "%s.idx", temporary);

	cmd_unlink(g->c, CMD_CWD, index, 0);
	err = file_write(g, index, buf_bytes(&idx), 0444);
	if (err >= 0)
		err = cmd_rename(g->c, CMD_CWD, temporary, CMD_CWD,
				 git_format(g->a, "%s.pack", base), 0);
	if (err >= 0)
		err = cmd_rename(g->c, CMD_CWD, index, CMD_CWD, git_format(g->a, "%s.idx", base),
				 0);
	if (err < 0) {
		cmd_unlink(g->c, CMD_CWD, index, 0);
		cmd_unlink(g->c, CMD_CWD, temporary, 0);
		git_die_errno(g, err, "unable to write '%s.idx'", base);
	}
	share_path(g, git_format(g->a, "%s.pack", base));
	share_path(g, git_format(g->a, "%s.idx", base));
	return arena_dup(g->keep, bytes_of(oid_hex(g, &p.name)));
}
