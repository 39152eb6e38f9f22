/* SPDX-License-Identifier: MIT
 *
 * Packs written: objects one after the other, alike ones as deltas of their neighbours, and
 * the index that finds them.
 *
 * Objects are sorted so that alike ones stand together; each is tried against a small window
 * of those in front of it. What is read is hashed again: a broken object does not spread.
 */
#include "base/digest.h"
#include "builtins/git/transport.h"

enum {
	WINDOW = 10,
	CHAIN_MAX = 50,
	DELTA_LEAST = 50,
	DELTA_MOST = 1 << 22, /* larger objects are not tried */
};

struct slot {
	struct arena a;
	struct bytes data;
	struct delta_index *index;
	enum object_type type;
	uint64_t offset;
	int chain;
	bool used;
};

struct packing {
	struct git *g;
	struct pack_out out;
	struct oid name; /* at the end: the sum of all */
	struct placed *at;
	size_t n;
	struct slot window[WINDOW];
	size_t next;
};

/* The shortest delta against the window: which slot it is based on, or NULL. */
static struct slot *best_delta(struct packing *p, enum object_type type, struct bytes data,
			       struct buf *delta)
{
	struct slot *best = NULL;
	size_t max = data.len / 2;

	if (data.len < DELTA_LEAST || data.len > DELTA_MOST)
		return NULL;
	max = max > OID_BYTES ? max - OID_BYTES : 0;
	for (size_t i = 0; i < WINDOW; i++) {
		struct slot *s = &p->window[(p->next + WINDOW - 1 - i) % WINDOW];
		struct buf one = buf_in(delta->arena);

		if (!s->used || s->type != type || s->chain >= CHAIN_MAX || s->index == NULL ||
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

static void remember(struct packing *p, enum object_type type, struct bytes data, uint64_t offset,
		     int chain)
{
	struct git *g = p->g;
	struct slot *s = &p->window[p->next];

	if (data.len < DELTA_LEAST || data.len > DELTA_MOST)
		return;
	if (s->used)
		arena_clear(&s->a);
	arena_init_under(&s->a, g->keep);
	s->data = arena_bytes(&s->a, data);
	s->index = delta_index_new(g, &s->a, s->data);
	s->type = type;
	s->offset = offset;
	s->chain = chain;
	s->used = true;
	p->next = (p->next + 1) % WINDOW;
}

static void put_object(struct packing *p, const struct reached *r)
{
	struct git *g = p->g;
	struct arena a;
	struct bytes data;
	struct buf delta;
	struct oid check;
	enum object_type type;
	struct slot *base;
	uint64_t offset = p->out.written;
	int chain = 0;

	arena_init_under(&a, g->a);
	delta = buf_in(&a);
	type = object_read(g, &a, &r->oid, &data);
	if (type == OBJECT_NONE)
		git_die(g, "unable to read %s", oid_hex(g, &r->oid));
	object_hash(type, data, &check);
	if (!oid_eq(&check, &r->oid))
		git_die(g, "object %s is corrupt", oid_hex(g, &r->oid));
	cmd_charge_bytes(g->c, data.len * 4 + 64);
	base = best_delta(p, type, data, &delta);
	if (base != NULL) {
		pack_out_delta(&p->out, base->offset, buf_bytes(&delta));
		chain = base->chain + 1;
	} else {
		pack_out_object(&p->out, type, data);
	}
	p->at[p->n++] = (struct placed){ r->oid, offset, p->out.crc };
	remember(p, type, data, offset, chain);
	arena_clear(&a);
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
	for (size_t i = 0; i < n; i++)
		put_object(p, &list[i]);
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
	err = cmd_rename(g->c, CMD_CWD, temporary, CMD_CWD, git_format(g->a, "%s.pack", base), 0);
	cmd_unlink(g->c, CMD_CWD, git_format(g->a, "%s.idx", base), 0);
	if (err >= 0)
		err = file_write(g, git_format(g->a, "%s.idx", base), buf_bytes(&idx), 0444);
	if (err < 0)
		git_die_errno(g, err, "unable to write '%s.idx'", base);
	return arena_dup(g->keep, bytes_of(oid_hex(g, &p.name)));
}
