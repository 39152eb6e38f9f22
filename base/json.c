/* SPDX-License-Identifier: MIT
 *
 * JSON values: making, changing and freeing them.
 *
 * An object is a row of slots in the order of insertion. Up to JSON_SMALL slots a key is found
 * by looking at all of them, beyond that by an open hash table that lies behind the slots.
 */
#include "base/json.h"
#include "base/utf8.h"

enum { FREE_DEPTH_MAX = 32 };

void json_mem_init(struct json_mem *m, struct pool *pool)
{
	memset(m, 0, sizeof(*m));
	m->pool = pool;
}

const char *json_kind_name(struct json v)
{
	static const char *const names[] = { "<invalid>", "null",   "boolean", "boolean", "number",
					     "number",    "string", "array",   "object" };

	return names[v.kind];
}

/* --- sizes of blocks --- */

static size_t str_bytes(size_t cap)
{
	return sizeof(struct json_str) + cap + 1;
}

static size_t arr_bytes(size_t cap)
{
	return sizeof(struct json_arr) + cap * sizeof(struct json);
}

/* A power of two, at least twice the slots; 0: no table. */
static size_t table_size(size_t cap)
{
	size_t n = 16;

	if (cap <= JSON_SMALL)
		return 0;
	while (n < cap * 2)
		n *= 2;
	return n;
}

static size_t obj_bytes(size_t cap)
{
	return sizeof(struct json_obj) + cap * sizeof(struct json_slot) +
	       table_size(cap) * sizeof(uint32_t);
}

static uint32_t *obj_table(struct json_obj *o)
{
	return (uint32_t *)(void *)&o->slots[o->cap];
}

/* What is too large fails as no memory does. n bytes. */
static size_t checked_bytes(size_t n)
{
	return n > JSON_SIZE_MAX ? SIZE_MAX / 4 : n;
}

/* The same for n elements or slots: their size must not overflow where sizes are small. */
static size_t checked(size_t n)
{
	size_t most = SIZE_MAX / 256 < JSON_SIZE_MAX ? SIZE_MAX / 256 : JSON_SIZE_MAX;

	return n > most ? SIZE_MAX / 128 : n;
}

/* --- freeing --- */

static void str_put(struct json_mem *m, struct json_str *s)
{
	if (--s->refs == 0)
		pool_free(m->pool, s, str_bytes(s->cap));
}

static void free_at(struct json_mem *m, struct json v, int depth);

static void drop(struct json_mem *m, struct json v, int depth)
{
	if (v.kind < JSON_LITERAL || --*v.u.refs != 0)
		return;
	if (depth < FREE_DEPTH_MAX || v.kind < JSON_ARRAY) {
		free_at(m, v, depth + 1);
		return;
	}
	if (m->ndead == m->dead_cap) {
		size_t cap = m->dead_cap * 2 + 16;

		m->dead = pool_resize(m->pool, m->dead, m->dead_cap * sizeof(*m->dead),
				      cap * sizeof(*m->dead));
		m->dead_cap = cap;
	}
	m->dead[m->ndead++] = v;
}

static void free_at(struct json_mem *m, struct json v, int depth)
{
	if (v.kind == JSON_STRING) {
		pool_free(m->pool, v.u.str, str_bytes(v.u.str->cap));
	} else if (v.kind == JSON_ARRAY) {
		for (size_t i = 0; i < v.u.arr->len; i++)
			drop(m, v.u.arr->items[i], depth);
		pool_free(m->pool, v.u.arr, arr_bytes(v.u.arr->cap));
	} else if (v.kind == JSON_OBJECT) {
		for (size_t i = 0; i < v.u.obj->used; i++) {
			if (v.u.obj->slots[i].key == NULL)
				continue;
			str_put(m, v.u.obj->slots[i].key);
			drop(m, v.u.obj->slots[i].val, depth);
		}
		pool_free(m->pool, v.u.obj, obj_bytes(v.u.obj->cap));
	} else if (v.kind == JSON_LITERAL) {
		pool_free(m->pool, v.u.lit, sizeof(struct json_lit) + v.u.lit->len);
	}
}

void json_free(struct json_mem *m, struct json v)
{
	free_at(m, v, 0);
	while (m->ndead > 0)
		free_at(m, m->dead[--m->ndead], 0);
}

/* --- strings --- */

struct json json_string_new(struct json_mem *m, size_t len)
{
	struct json_str *s = pool_alloc(m->pool, str_bytes(checked_bytes(len)));

	s->refs = 1;
	s->hash = 0;
	s->len = (uint32_t)len;
	s->cap = (uint32_t)len;
	s->ptr[len] = '\0';
	json_worked(m, len);
	return (struct json){ .kind = JSON_STRING, .u.str = s };
}

struct json json_string(struct json_mem *m, struct bytes s)
{
	struct json v = json_string_new(m, s.len);

	if (s.len != 0)
		memcpy(v.u.str->ptr, s.ptr, s.len);
	return v;
}

/* Bytes of a sequence that is cut or ill-formed, to be replaced by one U+FFFD. */
static size_t bad_length(struct bytes s, size_t at)
{
	unsigned char lead = (unsigned char)s.ptr[at];
	size_t want = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
	size_t n = 1;

	if (lead >= 0xf5)
		return 1;
	while (n < want && at + n < s.len && ((unsigned char)s.ptr[at + n] & 0xc0) == 0x80)
		n++;
	return n;
}

void json_put_utf8(struct buf *out, struct bytes s)
{
	size_t from = 0;
	size_t at = 0;

	while (at < s.len) {
		uint32_t ch;
		size_t n = (unsigned char)s.ptr[at] < 0x80 ? 1 : utf8_decode(s, at, &ch);

		if (n == 0) {
			buf_put(out, s.ptr + from, at - from);
			buf_puts(out, "\xef\xbf\xbd");
			n = bad_length(s, at);
			from = at + n;
		}
		at += n;
	}
	buf_put(out, s.ptr + from, s.len - from);
}

struct json json_string_utf8(struct json_mem *m, struct bytes s)
{
	if (utf8_valid(s))
		return json_string(m, s);

	size_t n = 0;

	/* Twice over the text: the length first. A replaced byte becomes three. */
	for (size_t at = 0, len; at < s.len; at += len) {
		uint32_t ch;

		len = utf8_decode(s, at, &ch);
		n += len != 0 ? len : 3;
		if (len == 0)
			len = bad_length(s, at);
	}
	struct json v = json_string_new(m, n);

	n = 0;
	for (size_t at = 0, len; at < s.len; at += len) {
		uint32_t ch;

		len = utf8_decode(s, at, &ch);
		memcpy(v.u.str->ptr + n, len != 0 ? s.ptr + at : "\xef\xbf\xbd",
		       len != 0 ? len : 3);
		n += len != 0 ? len : 3;
		if (len == 0)
			len = bad_length(s, at);
	}
	return v;
}

struct json json_append(struct json_mem *m, struct json v, struct bytes s)
{
	struct json_str *old = v.u.str;
	size_t len = checked_bytes((size_t)old->len + s.len);

	if (s.len == 0)
		return v;
	if (old->refs == 1 && old->cap >= len) {
		memcpy(old->ptr + old->len, s.ptr, s.len);
	} else {
		/* Who appends once will do so again, unless others hold the text. */
		size_t cap = old->refs == 1 ? checked_bytes(len) + len / 2 : len;
		struct json_str *fresh = pool_alloc(m->pool, str_bytes(cap));

		memcpy(fresh->ptr, old->ptr, old->len);
		memcpy(fresh->ptr + old->len, s.ptr, s.len);
		json_worked(m, len);
		fresh->refs = 1;
		fresh->cap = (uint32_t)cap;
		str_put(m, old);
		v.u.str = fresh;
	}
	v.u.str->len = (uint32_t)len;
	v.u.str->hash = 0;
	v.u.str->ptr[len] = '\0';
	return v;
}

static uint32_t hash_bytes(struct bytes s)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ s.len;
	size_t i = 0;

	for (; i + 8 <= s.len; i += 8) {
		uint64_t word;

		memcpy(&word, s.ptr + i, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	for (; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3u;
	h ^= h >> 29;
	h *= 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(h >> 32) | 1;
}

static uint32_t str_hash(struct json_str *s)
{
	if (s->hash == 0)
		s->hash = hash_bytes((struct bytes){ s->ptr, s->len });
	return s->hash;
}

struct json json_key(struct json_mem *m, struct bytes s)
{
	if (s.len > 64)
		return json_string(m, s);

	uint32_t hash = hash_bytes(s);
	struct json_str **at = &m->keys[(hash >> 1) % JSON_KEYS];

	if (*at != NULL && (*at)->hash == hash &&
	    bytes_eq((struct bytes){ (*at)->ptr, (*at)->len }, s)) {
		(*at)->refs++;
	} else {
		struct json v = json_string(m, s);

		v.u.str->hash = hash;
		v.u.str->refs = 2;
		if (*at != NULL)
			str_put(m, *at);
		*at = v.u.str;
	}
	return (struct json){ .kind = JSON_STRING, .u.str = *at };
}

/* --- arrays --- */

struct json json_array(struct json_mem *m, size_t cap)
{
	struct json_arr *a = pool_alloc(m->pool, arr_bytes(checked(cap)));

	a->refs = 1;
	a->len = 0;
	a->cap = (uint32_t)cap;
	return (struct json){ .kind = JSON_ARRAY, .u.arr = a };
}

struct json json_slice(struct json_mem *m, struct json a, size_t from, size_t to)
{
	struct json out = json_array(m, to - from);

	for (size_t i = from; i < to; i++)
		out.u.arr->items[i - from] = json_copy(a.u.arr->items[i]);
	out.u.arr->len = (uint32_t)(to - from);
	return out;
}

/* One owner, and room for n elements. */
static struct json arr_room(struct json_mem *m, struct json a, size_t n)
{
	struct json_arr *old = a.u.arr;

	if (old->refs == 1 && old->cap >= n)
		return a;

	size_t cap = n <= old->cap ? old->cap : checked(n) + n / 2 + 2;

	if (old->refs == 1) {
		a.u.arr = pool_resize(m->pool, old, arr_bytes(old->cap), arr_bytes(cap));
		a.u.arr->cap = (uint32_t)cap;
		return a;
	}
	struct json fresh = json_array(m, cap);

	for (size_t i = 0; i < old->len; i++)
		fresh.u.arr->items[i] = json_copy(old->items[i]);
	fresh.u.arr->len = old->len;
	old->refs--;
	if (m->poll != NULL)
		m->poll(m->arg, old->len / 8 + 1);
	return fresh;
}

struct json json_push(struct json_mem *m, struct json a, struct json v)
{
	if (a.u.arr->refs != 1 || a.u.arr->len == a.u.arr->cap)
		a = arr_room(m, a, (size_t)a.u.arr->len + 1);
	a.u.arr->items[a.u.arr->len++] = v;
	return a;
}

struct json json_set_at(struct json_mem *m, struct json a, size_t i, struct json v)
{
	a = arr_room(m, a, i >= a.u.arr->len ? i + 1 : a.u.arr->len);
	while (a.u.arr->len <= i)
		a.u.arr->items[a.u.arr->len++] = json_simple(JSON_NULL);
	json_put(m, a.u.arr->items[i]);
	a.u.arr->items[i] = v;
	return a;
}

struct json json_concat(struct json_mem *m, struct json a, struct json b)
{
	size_t n = b.u.arr->len;

	a = arr_room(m, a, (size_t)a.u.arr->len + n);
	for (size_t i = 0; i < n; i++)
		a.u.arr->items[a.u.arr->len++] = json_copy(b.u.arr->items[i]);
	json_put(m, b);
	return a;
}

/* --- objects --- */

static struct json_obj *obj_new(struct json_mem *m, size_t cap)
{
	struct json_obj *o = pool_alloc(m->pool, obj_bytes(checked(cap)));

	o->refs = 1;
	o->used = 0;
	o->live = 0;
	o->cap = (uint32_t)cap;
	if (table_size(cap) != 0)
		memset(obj_table(o), 0, table_size(cap) * sizeof(uint32_t));
	return o;
}

struct json json_object(struct json_mem *m, size_t cap)
{
	return (struct json){ .kind = JSON_OBJECT, .u.obj = obj_new(m, cap) };
}

static bool key_equal(struct json_str *a, struct json_str *b)
{
	return a == b ||
	       (a->hash == b->hash && a->len == b->len && memcmp(a->ptr, b->ptr, a->len) == 0);
}

/*
 * Where a key stands in the table, or the empty place for it; 0 there means none. *steps: how
 * far that was, which is charged when objects grow: keys may have been chosen to collide.
 */
static uint32_t *table_place(struct json_obj *o, struct json_str *key, size_t *steps)
{
	uint32_t *table = obj_table(o);
	size_t mask = table_size(o->cap) - 1;
	size_t i = (str_hash(key) >> 1) & mask;

	while (table[i] != 0) {
		struct json_str *other = o->slots[table[i] - 1].key;

		if (other != NULL && key_equal(other, key))
			break;
		i = (i + 1) & mask;
		++*steps;
	}
	return &table[i];
}

static struct json_slot *find_slot(struct json_obj *o, struct json_str *key)
{
	if (o->cap > JSON_SMALL) {
		size_t steps = 0;
		uint32_t n = *table_place(o, key, &steps);

		return n != 0 ? &o->slots[n - 1] : NULL;
	}
	for (size_t i = 0; i < o->used; i++)
		if (o->slots[i].key == key)
			return &o->slots[i];
	str_hash(key);
	for (size_t i = 0; i < o->used; i++)
		if (o->slots[i].key != NULL && key_equal(o->slots[i].key, key))
			return &o->slots[i];
	return NULL;
}

struct json_slot *json_find(struct json o, struct json_str *key)
{
	return find_slot(o.u.obj, key);
}

struct json json_get(struct json o, struct json key)
{
	struct json_slot *slot = find_slot(o.u.obj, key.u.str);

	return slot != NULL ? slot->val : json_simple(JSON_NONE);
}

struct json json_get_bytes(struct json o, struct bytes key)
{
	for (size_t i = 0; i < o.u.obj->used; i++) {
		struct json_str *s = o.u.obj->slots[i].key;

		if (s != NULL && bytes_eq((struct bytes){ s->ptr, s->len }, key))
			return o.u.obj->slots[i].val;
	}
	return json_simple(JSON_NONE);
}

static size_t add_slot(struct json_obj *o, struct json_str *key, struct json v)
{
	size_t steps = 0;

	o->slots[o->used++] = (struct json_slot){ key, v };
	o->live++;
	if (o->cap > JSON_SMALL)
		*table_place(o, key, &steps) = o->used;
	return steps;
}

/* One owner, and room for one slot more if `more`. */
static struct json obj_room(struct json_mem *m, struct json v, bool more)
{
	struct json_obj *old = v.u.obj;

	if (old->refs == 1 && (!more || old->used < old->cap))
		return v;

	size_t cap = old->cap;

	if (more && old->used == old->cap)
		cap = old->live * 2 < 4 ? 4 : (size_t)old->live * 2;
	struct json_obj *o = obj_new(m, cap);
	size_t steps = 0;

	for (size_t i = 0; i < old->used; i++) {
		struct json_slot *slot = &old->slots[i];

		if (slot->key == NULL)
			continue;
		if (old->refs > 1) {
			slot->key->refs++;
			json_copy(slot->val);
		}
		str_hash(slot->key);
		steps += add_slot(o, slot->key, slot->val);
	}
	if (m->poll != NULL)
		m->poll(m->arg, (old->used + steps) / 4 + 1);
	if (old->refs > 1)
		old->refs--;
	else
		pool_free(m->pool, old, obj_bytes(old->cap));
	v.u.obj = o;
	return v;
}

struct json json_own(struct json_mem *m, struct json v)
{
	if (v.kind == JSON_ARRAY)
		return arr_room(m, v, v.u.arr->len);
	return v.kind == JSON_OBJECT ? obj_room(m, v, false) : v;
}

struct json json_set(struct json_mem *m, struct json o, struct json key, struct json v)
{
	struct json_slot *slot;

	str_hash(key.u.str);
	json_worked(m, key.u.str->len);
	o = obj_room(m, o, false);
	slot = find_slot(o.u.obj, key.u.str);
	if (slot != NULL) {
		struct json old = slot->val;

		slot->val = v;
		str_put(m, key.u.str);
		json_put(m, old);
		return o;
	}
	o = obj_room(m, o, true);

	size_t steps = add_slot(o.u.obj, key.u.str, v);

	if (steps > 32 && m->poll != NULL)
		m->poll(m->arg, steps / 4);
	return o;
}

struct json json_delete(struct json_mem *m, struct json o, struct json key)
{
	json_worked(m, key.u.str->len);
	if (find_slot(o.u.obj, key.u.str) == NULL)
		return o;
	o = obj_room(m, o, false);

	struct json_slot *slot = find_slot(o.u.obj, key.u.str);
	struct json_slot gone = *slot;

	/* The table goes on to lead here: what was moved behind it must stay in reach. */
	slot->key = NULL;
	slot->val = json_simple(JSON_NULL);
	o.u.obj->live--;
	str_put(m, gone.key);
	json_put(m, gone.val);
	return o;
}

size_t json_next_slot(struct json o, size_t i)
{
	while (i < o.u.obj->used && o.u.obj->slots[i].key == NULL)
		i++;
	return i;
}
