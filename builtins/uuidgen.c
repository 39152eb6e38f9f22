/* SPDX-License-Identifier: MIT
 *
 * uuidgen - makes a UUID: out of random bytes, the time, or the digest of a name.
 */
#include "base/digest.h"
#include "builtins/builtin.h"

enum { UUID_BYTES = 16, UUID_TEXT = 36 };

/* 100 ns between 1582-10-15, where UUIDs count from, and 1970. */
static const uint64_t gregorian_ticks = 0x01b21dd213814000;

struct uuidgen_opts {
	bool random;
	bool time;
	bool md5;
	bool sha1;
	bool hex;
	const char *space;
	const char *name;
};

static const struct opt uuidgen_options[] = {
	OPT_FLAG('r', "random", struct uuidgen_opts, random, "out of random bytes (default)"),
	OPT_FLAG('t', "time", struct uuidgen_opts, time, "out of the time"),
	OPT_STR('n', "namespace", struct uuidgen_opts, space, NULL, "NS",
		"where NAME belongs: a UUID, or @dns, @url, @oid, @x500"),
	OPT_STR('N', "name", struct uuidgen_opts, name, NULL, "NAME", "what is digested"),
	OPT_FLAG('m', "md5", struct uuidgen_opts, md5, "the MD5 digest of NS and NAME"),
	OPT_FLAG('s', "sha1", struct uuidgen_opts, sha1, "the SHA-1 digest of NS and NAME"),
	OPT_FLAG('x', "hex", struct uuidgen_opts, hex, "NAME is in hexadecimal digits"),
	OPT_END(),
};

static void put_uuid(struct cmd *c, const uint8_t id[UUID_BYTES])
{
	for (int i = 0; i < UUID_BYTES; i++)
		cmd_printf(c, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
	cmd_putc(c, '\n');
}

static void stamp(uint8_t id[UUID_BYTES], int version)
{
	id[6] = (uint8_t)((id[6] & 0x0f) | version << 4);
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
}

/* Pairs of hexadecimal digits; false if there is anything else. */
static bool read_hex(const char *text, size_t n, uint8_t *out)
{
	for (size_t i = 0; i < 2 * n; i++) {
		int digit = byte_digit((unsigned char)text[i]);

		if (digit < 0 || digit > 15)
			return false;
		out[i / 2] = (uint8_t)(i % 2 == 0 ? digit << 4 : out[i / 2] | digit);
	}
	return true;
}

static bool read_uuid(const char *text, uint8_t id[UUID_BYTES])
{
	static const struct {
		size_t at;
		size_t bytes;
	} groups[] = { { 0, 4 }, { 9, 2 }, { 14, 2 }, { 19, 2 }, { 24, 6 } };

	if (strlen(text) != UUID_TEXT)
		return false;
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		if (i > 0 && text[groups[i].at - 1] != '-')
			return false;
		if (!read_hex(text + groups[i].at, groups[i].bytes, id))
			return false;
		id += groups[i].bytes;
	}
	return true;
}

/* The UUIDs of well-known name spaces differ in one byte. */
static bool known_space(const char *name, uint8_t id[UUID_BYTES])
{
	static const char *const names[] = { "dns", "url", "oid", NULL, "x500" };

	read_uuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8", id);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (names[i] != NULL && strcmp(name, names[i]) == 0) {
			id[3] = (uint8_t)(id[3] + i);
			return true;
		}
	return false;
}

static int of_name(struct cmd *c, const struct uuidgen_opts *o, uint8_t id[UUID_BYTES])
{
	struct bytes name = bytes_of(o->name);
	uint8_t out[DIGEST_MAX];
	struct digest d;

	if (o->space[0] == '@' ? !known_space(o->space + 1, id) : !read_uuid(o->space, id))
		return cmd_usage(c,
				 o->space[0] == '@' ? "unknown namespace alias: '%s'"
						    : "invalid uuid for namespace: '%s'",
				 o->space);
	if (o->hex) {
		uint8_t *bytes = arena_alloc(c->arena, name.len / 2 + 1);

		if (name.len % 2 != 0 || !read_hex(name.ptr, name.len / 2, bytes))
			return cmd_usage(c, "not a valid hex string");
		name = (struct bytes){ (const char *)bytes, name.len / 2 };
	}
	digest_init(&d, o->sha1 ? DIGEST_SHA1 : DIGEST_MD5, 0);
	digest_update(&d, (struct bytes){ (const char *)id, UUID_BYTES });
	digest_update(&d, name);
	digest_final(&d, out);
	memcpy(id, out, UUID_BYTES);
	stamp(id, o->sha1 ? 5 : 3);
	return 0;
}

/* The time in three parts, then a random clock sequence and a random node, marked as such. */
static void of_time(struct cmd *c, uint8_t id[UUID_BYTES])
{
	uint64_t ticks = (uint64_t)cmd_now(c) / 100 + gregorian_ticks;
	static const int shift[8] = { 24, 16, 8, 0, 40, 32, 56, 48 };

	cmd_random_bytes(c, id, UUID_BYTES);
	for (int i = 0; i < 8; i++)
		id[i] = (uint8_t)(ticks >> shift[i]);
	stamp(id, 1);
	id[10] |= 1;
}

static int uuidgen_run(struct cmd *c)
{
	const struct uuidgen_opts *o = c->opts;
	bool digest = o->md5 || o->sha1;
	uint8_t id[UUID_BYTES];
	int status = 0;

	if (o->space != NULL && o->name == NULL)
		return cmd_usage(c, "--namespace requires --name argument");
	if (o->name != NULL && o->space == NULL)
		return cmd_usage(c, "--name requires --namespace argument");
	if (digest && o->space == NULL)
		return cmd_usage(c, "--md5 or --sha1 requires --namespace argument");
	if (o->space != NULL && !digest)
		return cmd_usage(c, "--namespace requires --md5 or --sha1");
	if (o->space != NULL) {
		status = of_name(c, o, id);
	} else if (o->time && !o->random) {
		of_time(c, id);
	} else {
		cmd_random_bytes(c, id, sizeof id);
		stamp(id, 4);
	}
	if (status == 0)
		put_uuid(c, id);
	return status;
}

const struct builtin builtin_uuidgen = {
	.name = "uuidgen",
	.usage = "[OPTION]...",
	.summary = "Writes a new UUID: random, or (with -n and -N) one that belongs to a name.",
	.run = uuidgen_run,
	.opts = uuidgen_options,
	.opts_size = sizeof(struct uuidgen_opts),
	.family = "util-linux 2.38.1",
};
