/* SPDX-License-Identifier: MIT
 *
 * git show-index: what the index of a pack, on standard input, has.
 */
#include "builtins/git/git.h"

enum { FANOUT = 256, SHA1_BYTES = 20, SHA256_BYTES = 32 };

struct index_reader {
	struct git *g;
	struct bytes rest;
	uint32_t hash_bytes;
};

static uint32_t be32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* The next n bytes; NULL: there are fewer. */
static const char *take(struct index_reader *r, size_t n)
{
	const char *at = r->rest.ptr;

	if (r->rest.len < n)
		return NULL;
	r->rest = bytes_slice(r->rest, n, r->rest.len);
	return at;
}

static void put_hash(struct index_reader *r, const char *hash)
{
	for (uint32_t i = 0; i < r->hash_bytes; i++)
		git_printf(r->g, "%02x", (unsigned char)hash[i]);
}

static void show_old(struct index_reader *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *entry = take(r, 4 + r->hash_bytes);

		if (entry == NULL)
			git_die(r->g, "unable to read entry %u/%u", i, n);
		git_printf(r->g, "%u ", be32(entry));
		put_hash(r, entry + 4);
		cmd_putc(r->g->c, '\n');
		cmd_charge(r->g->c, 1);
	}
}

/* A table of n rows; ends the command at the first one that is missing. */
static const char *table(struct index_reader *r, uint32_t n, size_t row, const char *what)
{
	if (r->rest.len / row < n)
		git_die(r->g, "unable to read %s %u/%u", what, (uint32_t)(r->rest.len / row), n);
	return take(r, n * row);
}

static void show_new(struct index_reader *r, uint32_t n)
{
	const char *hashes = table(r, n, r->hash_bytes, "sha1");
	const char *sums = table(r, n, 4, "crc");
	const char *offsets = table(r, n, 4, "32b offset");
	uint32_t large = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t offset = be32(offsets + 4 * (size_t)i);

		if (offset & 0x80000000u) {
			const char *wide;

			if ((offset & 0x7fffffffu) != large)
				git_die(r->g, "inconsistent 64b offset index");
			wide = take(r, 8);
			if (wide == NULL)
				git_die(r->g, "unable to read 64b offset %u", large);
			offset = (uint64_t)be32(wide) << 32 | be32(wide + 4);
			large++;
		}
		git_printf(r->g, "%llu ", (unsigned long long)offset);
		put_hash(r, hashes + (size_t)i * r->hash_bytes);
		git_printf(r->g, " (%08x)\n", be32(sums + 4 * (size_t)i));
		cmd_charge(r->g->c, 1);
	}
}

int git_cmd_show_index(struct git *g, struct args *args)
{
	static const char *const usage[] = {
		"git show-index [--object-format=<hash-algorithm>]\n\n"
		"    --object-format <hash-algorithm>\n"
		"                          specify the hash algorithm to use",
		NULL
	};
	struct {
		const char *format;
	} o = { NULL };
	const struct git_option options[] = {
		{ .name = "object-format", .kind = GIT_OPT_STR, .offset = 0 },
		GIT_END(),
	};
	const struct git_parser p = { options, &o, usage, 0, NULL };
	struct index_reader r = { .g = g, .hash_bytes = SHA1_BYTES };
	const char *fanout, *head;
	uint32_t n = 0;
	bool has_sums;

	if (args->argc == 1 && strcmp(args->argv[0], "-h") == 0) {
		git_printf(g, "usage: %s\n\n", usage[0]);
		return GIT_STATUS_USAGE;
	}
	git_parse(g, args, &p);
	if (o.format != NULL && strcmp(o.format, "sha256") == 0)
		r.hash_bytes = SHA256_BYTES;
	else if (o.format != NULL && strcmp(o.format, "sha1") != 0)
		git_die(g, "Unknown hash algorithm");
	r.rest = file_stdin(g);
	if (r.rest.len < 8)
		git_die(g, "unable to read header");
	head = r.rest.ptr;
	has_sums = memcmp(head, "\377tOc", 4) == 0;
	if (has_sums && be32(head + 4) != 2)
		git_die(g, "unknown index version");
	if (has_sums)
		take(&r, 8);
	fanout = take(&r, 4 * (size_t)FANOUT);
	if (fanout == NULL)
		git_die(g, "unable to read index");
	for (size_t i = 0; i < FANOUT; i++) {
		if (be32(fanout + 4 * i) < n)
			git_die(g, "corrupt index file");
		n = be32(fanout + 4 * i);
	}
	if (has_sums)
		show_new(&r, n);
	else
		show_old(&r, n);
	return 0;
}
