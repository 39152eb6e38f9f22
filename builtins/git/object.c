/* SPDX-License-Identifier: MIT
 *
 * Objects: loose ones read and written, packed ones asked from pack.c.
 */
#include "base/digest.h"
#include "builtins/git/git.h"
#include "builtins/git/share.h"

enum { HEADER_MAX = 64, LOOSE_LEVEL = 1 };

static const char *const type_names[] = { "none", "commit", "tree", "blob", "tag" };

const char *object_type_name(enum object_type t)
{
	return type_names[t];
}

enum object_type object_type_of(struct bytes name)
{
	for (int i = OBJECT_COMMIT; i <= OBJECT_TAG; i++)
		if (bytes_is(name, type_names[i]))
			return (enum object_type)i;
	return OBJECT_NONE;
}

char *object_loose_path(struct git *g, struct arena *a, const char *objects, const struct oid *o)
{
	char *hex = oid_hex(g, o);

	return git_format(a, "%s/%.2s/%s", objects, hex, hex + 2);
}

/* "blob 12\0" in front of data: its length, or 0. */
static size_t parse_header(struct bytes data, enum object_type *type, uint64_t *size)
{
	const char *nul = memchr(data.ptr, '\0', data.len < HEADER_MAX ? data.len : HEADER_MAX);
	const char *blank;

	if (nul == NULL)
		return 0;
	blank = memchr(data.ptr, ' ', (size_t)(nul - data.ptr));
	if (blank == NULL || blank + 1 == nul || nul - blank > 19)
		return 0;
	*type = object_type_of((struct bytes){ data.ptr, (size_t)(blank - data.ptr) });
	*size = 0;
	for (const char *p = blank + 1; p < nul; p++) {
		if (!byte_is_digit((unsigned char)*p))
			return 0;
		*size = *size * 10 + (uint64_t)(*p - '0');
	}
	return (size_t)(nul - data.ptr) + 1;
}

/* The loose file: 0 and its path, or -E_NOENT. */
static int find_loose(struct git *g, struct arena *a, const struct oid *o, char **path,
		      struct bytes *raw)
{
	for (size_t i = 0; i < g->odb->dirs.n; i++) {
		int err;

		*path = object_loose_path(g, a, g->odb->dirs.at[i], o);
		err = file_read(g, a, *path, raw);
		if (err == 0)
			return 0;
		if (err != -E_NOENT && err != -E_NOTDIR)
			return err;
	}
	return -E_NOENT;
}

static enum object_type read_loose(struct git *g, struct arena *a, const struct oid *o,
				   struct bytes *out, const char **why)
{
	struct bytes raw;
	struct buf data = buf_in(a);
	enum object_type type = OBJECT_NONE;
	uint64_t size;
	size_t header;
	char *path;
	int err = find_loose(g, a, o, &path, &raw);

	if (err == -E_NOENT)
		return OBJECT_NONE;
	if (err < 0) {
		*why = git_format(g->a, "unable to open %s: %s", path, err_text(err));
		return OBJECT_NONE;
	}
	if (raw.len == 0) {
		*why = git_format(g->a, "object file %s is empty", path);
		return OBJECT_NONE;
	}
	if (!zlib_inflate(g, &raw, SIZE_MAX >> 1, &data)) {
		*why = git_format(g->a, "loose object %s (stored in %s) is corrupt", oid_hex(g, o),
				  path);
		return OBJECT_NONE;
	}
	header = parse_header(buf_bytes(&data), &type, &size);
	if (header == 0 || type == OBJECT_NONE || data.len - header != size) {
		*why = git_format(g->a, "loose object %s (stored in %s) is corrupt", oid_hex(g, o),
				  path);
		return OBJECT_NONE;
	}
	*out = (struct bytes){ data.ptr + header, (size_t)size };
	return type;
}

enum object_type object_try(struct git *g, struct arena *a, const struct oid *o, struct bytes *out,
			    const char **why)
{
	enum object_type type;
	struct pack *p;
	uint64_t offset;

	*why = NULL;
	cmd_charge(g->c, 4);
	o = object_replaced(g, o);
	if (oid_eq(o, &oid_empty_tree)) {
		*out = BYTES("");
		return OBJECT_TREE;
	}
	if (pack_find(g, o, &p, &offset))
		return pack_read(g, a, p, offset, out, why);
	type = read_loose(g, a, o, out, why);
	if (type == OBJECT_NONE && *why == NULL && oid_eq(o, &oid_empty_blob)) {
		*out = BYTES("");
		return OBJECT_BLOB;
	}
	return type;
}

enum object_type object_read(struct git *g, struct arena *a, const struct oid *o, struct bytes *out)
{
	const char *why;
	enum object_type type = object_try(g, a, o, out, &why);

	if (why != NULL)
		git_die(g, "%s", why);
	return type;
}

struct bytes object_need(struct git *g, struct arena *a, const struct oid *o, enum object_type want)
{
	struct bytes out;
	enum object_type type = object_read(g, a, o, &out);

	if (type == OBJECT_NONE)
		git_die(g, "unable to read %s", oid_hex(g, o));
	if (type != want)
		git_die(g, "object %s is a %s, not a %s", oid_hex(g, o), object_type_name(type),
			object_type_name(want));
	return out;
}

enum object_type object_info(struct git *g, const struct oid *o, uint64_t *size)
{
	struct pack *p;
	uint64_t offset;
	struct bytes data = { NULL, 0 };
	struct arena a;
	enum object_type type;
	const char *why = NULL;

	o = object_replaced(g, o);
	if (pack_find(g, o, &p, &offset)) {
		type = pack_info(g, p, offset, size);
		if (type != OBJECT_NONE)
			return type;
	}
	arena_init_under(&a, g->a);
	type = object_try(g, &a, o, &data, &why);
	*size = data.len;
	arena_clear(&a);
	if (why != NULL)
		git_die(g, "%s", why);
	return type;
}

static bool is_stored(struct git *g, const struct oid *o)
{
	struct pack *p;
	uint64_t offset;

	if (pack_find(g, o, &p, &offset))
		return true;
	for (size_t i = 0; i < g->odb->dirs.n; i++) {
		struct arena_mark mark = arena_mark(g->a);
		bool there = file_exists(g, object_loose_path(g, g->a, g->odb->dirs.at[i], o));

		arena_release(g->a, mark);
		if (there)
			return true;
	}
	return false;
}

bool object_exists(struct git *g, const struct oid *o)
{
	/* The empty tree is known without being stored. */
	return oid_eq(o, &oid_empty_tree) || is_stored(g, o);
}

/* --- writing --- */

static void hash_parts(struct bytes header, struct bytes data, struct oid *out)
{
	struct digest d;
	uint8_t result[DIGEST_MAX];

	digest_init(&d, DIGEST_SHA1, 0);
	digest_update(&d, header);
	digest_update(&d, data);
	digest_final(&d, result);
	memcpy(out->hash, result, OID_BYTES);
}

static struct bytes put_header(char header[HEADER_MAX], const char *type, size_t size)
{
	char digits[20];
	size_t n = num_format_u64(size, digits);
	size_t len = strlen(type);

	if (len > HEADER_MAX - 24)
		len = HEADER_MAX - 24;
	memcpy(header, type, len);
	header[len] = ' ';
	memcpy(header + len + 1, digits, n);
	header[len + 1 + n] = '\0';
	return (struct bytes){ header, len + n + 2 };
}

void object_hash_named(const char *type, struct bytes data, struct oid *out)
{
	char header[HEADER_MAX];

	hash_parts(put_header(header, type, data.len), data, out);
}

void object_hash(enum object_type type, struct bytes data, struct oid *out)
{
	object_hash_named(type_names[type], data, out);
}

static void store(struct git *g, struct bytes raw, const struct oid *o)
{
	const char *objects = g->odb->dirs.at[0];
	char *path = object_loose_path(g, g->a, objects, o);
	char *temporary = git_format(g->a, "%s/%.2s/tmp_obj_%06x", objects, oid_hex(g, o),
				     (unsigned)cmd_pid(g->c));
	int err = file_write(g, temporary, raw, 0444);

	/* One is there that was killed. */
	if (err == -E_ACCES && cmd_unlink(g->c, CMD_CWD, temporary, 0) == 0)
		err = file_write(g, temporary, raw, 0444);
	if (err == -E_NOENT || err == -E_NOTDIR) {
		file_make_parents(g, temporary);
		err = file_write(g, temporary, raw, 0444);
	}
	if (err == -E_ACCES || err == -E_PERM) {
		git_error(g,
			  "insufficient permission for adding an object to repository database %s",
			  git_starts(objects, g->work != NULL ? g->work : "") && g->work != NULL
				  ? objects + strlen(g->work) + 1
				  : objects);
		git_exit(g, GIT_STATUS_FATAL);
	}
	share_path(g, temporary);
	if (err == 0)
		err = cmd_rename(g->c, CMD_CWD, temporary, CMD_CWD, path, 0);
	if (err < 0) {
		cmd_unlink(g->c, CMD_CWD, temporary, 0);
		git_die_errno(g, err, "unable to write file %s", path);
	}
}

static void write_object(struct git *g, const char *type, struct bytes data, bool even_packed,
			 struct oid *out)
{
	struct arena_mark mark;
	char header[HEADER_MAX];
	struct bytes head = put_header(header, type, data.len);
	struct buf whole;
	struct buf packed;

	hash_parts(head, data, out);
	cmd_charge_bytes(g->c, data.len);
	if (!even_packed && is_stored(g, out))
		return;
	mark = arena_mark(g->a);
	whole = buf_in(g->a);
	packed = buf_in(g->a);
	buf_reserve(&whole, head.len + data.len);
	buf_add(&whole, head);
	buf_add(&whole, data);
	zlib_deflate(g, buf_bytes(&whole), LOOSE_LEVEL, &packed);
	store(g, buf_bytes(&packed), out);
	arena_release(g->a, mark);
}

void object_write_named(struct git *g, const char *type, struct bytes data, struct oid *out)
{
	write_object(g, type, data, false, out);
}

void object_write_loose(struct git *g, enum object_type type, struct bytes data, struct oid *out)
{
	write_object(g, type_names[type], data, true, out);
}

void object_write(struct git *g, enum object_type type, struct bytes data, struct oid *out)
{
	object_write_named(g, type_names[type], data, out);
}

void object_copy(struct git *from, struct git *to, const struct oid *o)
{
	struct arena a;
	struct bytes data;
	struct oid same;
	enum object_type type;

	if (is_stored(to, o))
		return;
	arena_init_under(&a, from->a);
	type = object_read(from, &a, o, &data);
	if (type == OBJECT_NONE)
		git_die(to, "unable to read %s", oid_hex(to, o));
	object_write(to, type, data, &same);
	arena_clear(&a);
	if (!oid_eq(&same, o))
		git_die(to, "object %s is corrupt", oid_hex(to, o));
}

/* --- all of them --- */

struct all {
	struct oid *at;
	size_t n;
	size_t cap;
};

static void add_oid(struct git *g, struct all *l, const struct oid *o)
{
	LIST_ROOM(g, l->at, l->n, l->cap);
	l->at[l->n++] = *o;
}

static void add_fan(struct git *g, struct all *l, const char *objects, unsigned first)
{
	struct arena_mark mark = arena_mark(g->a);
	char *name = git_format(g->a, "%c%c", "0123456789abcdef"[first >> 4],
				"0123456789abcdef"[first & 15]);
	struct vfs_dirent *list;
	size_t n;

	if (cmd_list(g->c, CMD_CWD, path_join(g->a, objects, name), g->a, &list, &n) >= 0) {
		for (size_t i = 0; i < n; i++) {
			char text[OID_HEX];
			struct oid o;

			if (list[i].name.len != OID_HEX - 2)
				continue;
			memcpy(text, name, 2);
			memcpy(text + 2, list[i].name.ptr, OID_HEX - 2);
			if (oid_parse(text, &o))
				add_oid(g, l, &o);
		}
		cmd_charge(g->c, n);
	}
	arena_release(g->a, mark);
}

static int cmp_oids(const void *a, const void *b)
{
	return oid_cmp(a, b);
}

size_t object_list(struct git *g, struct oid **out)
{
	struct all l = { NULL, 0, 0 };
	size_t kept = 0;

	for (size_t d = 0; d < g->odb->dirs.n; d++)
		for (unsigned i = 0; i < 256; i++)
			add_fan(g, &l, g->odb->dirs.at[d], i);
	pack_load(g);
	for (const struct pack *p = g->odb->packs; p != NULL; p = p->next) {
		for (uint32_t i = 0; i < p->n; i++) {
			struct oid o;

			pack_oid(p, i, &o);
			add_oid(g, &l, &o);
		}
	}
	git_sort(g, l.at, l.n, sizeof(*l.at), cmp_oids);
	for (size_t i = 0; i < l.n; i++)
		if (kept == 0 || !oid_eq(&l.at[kept - 1], &l.at[i]))
			l.at[kept++] = l.at[i];
	*out = l.at;
	return kept;
}

uint64_t object_stored(struct git *g, const struct oid *o, struct oid *base)
{
	struct pack *p;
	uint64_t at, end;
	struct pack_item item;
	struct vfs_stat st;

	*base = oid_null;
	if (!pack_find(g, o, &p, &at)) {
		for (size_t i = 0; i < g->odb->dirs.n; i++)
			if (cmd_stat(g->c, object_loose_path(g, g->a, g->odb->dirs.at[i], o),
				     &st) == 0)
				return st.size;
		return 0;
	}
	end = p->size - OID_BYTES;
	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t other = pack_offset(p, i);

		end = other > at && other < end ? other : end;
	}
	cmd_charge(g->c, p->n / 16 + 1);
	if (!pack_read_item(g, p, at, &item))
		return end - at;
	if (item.kind == PACK_REF_DELTA)
		*base = item.base_oid;
	for (uint32_t i = 0; item.kind == PACK_OFS_DELTA && i < p->n; i++)
		if (pack_offset(p, i) == item.base)
			pack_oid(p, i, base);
	return end - at;
}
