/* SPDX-License-Identifier: MIT
 *
 * Names of objects: 20 bytes, 40 digits, and the shortest prefix that is still unique.
 */
#include "builtins/git/git.h"

const struct oid oid_null;
const struct oid oid_empty_tree = {
	{ 0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60,
	  0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49, 0x04 }
};
const struct oid oid_empty_blob = {
	{ 0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b,
	  0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c, 0x53, 0x91 }
};

bool oid_eq(const struct oid *a, const struct oid *b)
{
	return memcmp(a->hash, b->hash, OID_BYTES) == 0;
}

int oid_cmp(const struct oid *a, const struct oid *b)
{
	return memcmp(a->hash, b->hash, OID_BYTES);
}

bool oid_is_null(const struct oid *o)
{
	return oid_eq(o, &oid_null);
}

struct bytes oid_key(const struct oid *o)
{
	return (struct bytes){ (const char *)o->hash, OID_BYTES };
}

bool oid_parse(const char *text, struct oid *out)
{
	for (int i = 0; i < OID_HEX; i++)
		if (!byte_is_xdigit((unsigned char)text[i]))
			return false;
	for (int i = 0; i < OID_BYTES; i++)
		out->hash[i] = (uint8_t)(byte_digit(text[2 * i]) << 4 |
					 byte_digit(text[2 * i + 1]));
	return true;
}

bool oid_parse_bytes(struct bytes text, struct oid *out)
{
	return text.len >= OID_HEX && oid_parse(text.ptr, out);
}

void oid_put(struct buf *out, const struct oid *o)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < OID_BYTES; i++) {
		buf_putc(out, digits[o->hash[i] >> 4]);
		buf_putc(out, digits[o->hash[i] & 15]);
	}
}

char *oid_hex(struct git *g, const struct oid *o)
{
	struct buf b = buf_in(g->a);

	buf_reserve(&b, OID_HEX);
	oid_put(&b, o);
	return b.ptr;
}

static int digit_at(const struct oid *o, size_t i)
{
	return i % 2 == 0 ? o->hash[i / 2] >> 4 : o->hash[i / 2] & 15;
}

static bool begins(const struct oid *o, const struct oid *prefix, size_t digits)
{
	if (memcmp(o->hash, prefix->hash, digits / 2) != 0)
		return false;
	return digits % 2 == 0 || digit_at(o, digits - 1) == digit_at(prefix, digits - 1);
}

/* Digits that two names share. */
static int shared(const struct oid *a, const struct oid *b)
{
	int i = 0;

	while (i < OID_HEX && digit_at(a, (size_t)i) == digit_at(b, (size_t)i))
		i++;
	return i;
}

struct search {
	struct git *g;
	struct oid *at;
	size_t n;
	size_t cap;
};

static void add(struct search *s, const struct oid *o)
{
	LIST_ROOM(s->g, s->at, s->n, s->cap);
	s->at[s->n++] = *o;
}

static void search_loose(struct search *s, const struct oid *prefix, size_t digits)
{
	struct git *g = s->g;

	for (size_t d = 0; d < g->odb->dirs.n; d++) {
		struct arena_mark mark = arena_mark(g->a);
		char *dir = git_format(g->a, "%s/%.2s", g->odb->dirs.at[d], oid_hex(g, prefix));
		struct vfs_dirent *list;
		size_t n;

		if (cmd_list(g->c, CMD_CWD, dir, g->a, &list, &n) >= 0) {
			for (size_t i = 0; i < n; i++) {
				char text[OID_HEX + 1];
				struct oid o;

				if (list[i].name.len != OID_HEX - 2)
					continue;
				memcpy(text, oid_hex(g, prefix), 2);
				memcpy(text + 2, list[i].name.ptr, OID_HEX - 2);
				if (oid_parse(text, &o) && begins(&o, prefix, digits))
					add(s, &o);
			}
			cmd_charge(g->c, n);
		}
		arena_release(g->a, mark);
	}
}

static void search_packs(struct search *s, const struct oid *prefix, size_t digits)
{
	pack_load(s->g);
	for (const struct pack *p = s->g->odb->packs; p != NULL; p = p->next) {
		for (uint32_t i = pack_lower_bound(p, prefix); i < p->n; i++) {
			struct oid o;

			pack_oid(p, i, &o);
			if (!begins(&o, prefix, digits))
				break;
			add(s, &o);
		}
	}
}

static int cmp_oids(const void *a, const void *b)
{
	return oid_cmp(a, b);
}

static size_t search(struct git *g, const struct oid *prefix, size_t digits, struct oid **out)
{
	struct search s = { .g = g };
	size_t kept = 0;

	search_loose(&s, prefix, digits);
	search_packs(&s, prefix, digits);
	git_sort(g, s.at, s.n, sizeof(*s.at), cmp_oids);
	for (size_t i = 0; i < s.n; i++)
		if (kept == 0 || !oid_eq(&s.at[kept - 1], &s.at[i]))
			s.at[kept++] = s.at[i];
	*out = s.at;
	return kept;
}

size_t oid_candidates(struct git *g, const char *prefix, struct oid **out)
{
	char text[OID_HEX];
	size_t digits = strlen(prefix);
	struct oid o;

	*out = NULL;
	if (digits < 2 || digits > OID_HEX)
		return 0;
	memset(text, '0', sizeof(text));
	memcpy(text, prefix, digits);
	if (!oid_parse(text, &o))
		return 0;
	return search(g, &o, digits, out);
}

int oid_complete(struct git *g, const char *prefix, enum object_type want, struct oid *out)
{
	struct oid *list;
	size_t n = oid_candidates(g, prefix, &list);
	size_t fitting = 0;

	if (n == 0)
		return -1;
	*out = list[0];
	if (n == 1)
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct oid peeled;

		if (want == OBJECT_NONE || !object_peel(g, &list[i], want, &peeled))
			continue;
		*out = list[i];
		fitting++;
	}
	return fitting == 1 ? 0 : -2;
}

int oid_default_length(struct git *g)
{
	const char *given = config_get(g, "core.abbrev");
	int64_t n;

	if (given != NULL && strcmp(given, "auto") != 0) {
		if (config_truth(given) == 0 && strcmp(given, "0") != 0)
			return OID_HEX;
		if (!git_number(given, &n) || n < 4 || n > OID_HEX)
			git_die(g, "abbrev length out of range: %s", given);
		return (int)n;
	}
	if (g->abbrev == 0) {
		uint64_t count = 0;
		int bits = 0;

		if (g->odb != NULL) {
			pack_load(g);
			for (const struct pack *p = g->odb->packs; p != NULL; p = p->next)
				count += p->n;
		}
		for (; count != 0; count >>= 1)
			bits++;
		/* Half the bits again, in digits. */
		g->abbrev = (bits + 1) / 2 < 7 ? 7 : (bits + 1) / 2;
	}
	return g->abbrev;
}

const char *oid_short(struct git *g, const struct oid *o, int length)
{
	struct oid *list;
	int need;
	size_t n;
	char *hex = oid_hex(g, o);

	if (length == 0)
		length = oid_default_length(g);
	if (length >= OID_HEX || g->odb == NULL) {
		hex[length < OID_HEX ? length : OID_HEX] = '\0';
		return hex;
	}
	need = length;
	n = search(g, o, (size_t)length, &list);
	for (size_t i = 0; i < n; i++) {
		int same = shared(o, &list[i]);

		if (same < OID_HEX && same + 1 > need)
			need = same + 1;
	}
	hex[need] = '\0';
	return hex;
}
