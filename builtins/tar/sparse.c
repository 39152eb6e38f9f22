/* SPDX-License-Identifier: MIT
 *
 * Files with holes: where their data are. GNU's old format has the map in headers, the newest
 * of the pax formats in front of the data.
 */
#include "builtins/tar/tar.h"

enum {
	OLD_AT = 386,
	OLD_ENTRIES = 4,
	OLD_MORE = 482,
	OLD_REAL = 483,
	MORE_ENTRIES = 21,
	MORE_MORE = 504,
	ENTRY_BYTES = 24,
	SEEK_DATA_ = 3,
	SEEK_HOLE_ = 4,
};

/* Adds an entry; false when the map does not make sense. */
static bool add(struct tar *t, struct tar_member *m, size_t *cap, uint64_t offset, uint64_t size)
{
	uint64_t end = m->nmap > 0 ? m->map[m->nmap - 1].offset + m->map[m->nmap - 1].size : 0;

	if (m->nmap >= TAR_SPARSE_MAX || offset < end || offset > INT64_MAX ||
	    size > INT64_MAX - offset)
		return false;
	if (m->nmap == *cap) {
		size_t grown = *cap * 2 + 16;

		m->map = arena_grow(t->c->arena, m->map, *cap * sizeof *m->map,
				    grown * sizeof *m->map);
		*cap = grown;
	}
	m->map[m->nmap++] = (struct tar_sparse){ offset, size };
	return true;
}

static _Noreturn void bad_map(struct tar *t, const struct tar_member *m)
{
	tar_fatal(t, 0, "%s: invalid sparse archive member", tar_quote(t, m->name));
}

/* --- reading --- */

static bool read_entries(struct tar *t, const char *at, int n, struct tar_member *m, size_t *cap)
{
	for (int i = 0; i < n; i++, at += ENTRY_BYTES) {
		int64_t offset;
		int64_t size;

		if (at[12] == '\0')
			return false;
		if (!tar_number(at, 12, &offset) || !tar_number(at + 12, 12, &size) || offset < 0 ||
		    size < 0 || !add(t, m, cap, (uint64_t)offset, (uint64_t)size))
			bad_map(t, m);
	}
	return true;
}

void sparse_read_old(struct tar *t, const char *header, struct tar_member *m)
{
	size_t cap = 0;
	int64_t real = 0;
	bool more = header[OLD_MORE] != 0;

	m->is_sparse = true;
	tar_number(header + OLD_REAL, 12, &real);
	m->real = (uint64_t)real;
	read_entries(t, header + OLD_AT, OLD_ENTRIES, m, &cap);
	while (more) {
		const char *block = archive_block(t);

		if (block == NULL)
			tar_fatal(t, 0, "Unexpected EOF in archive");
		more = block[MORE_MORE] != 0;
		read_entries(t, block, MORE_ENTRIES, m, &cap);
		cmd_charge(t->c, 1);
	}
}

/* A decimal line out of the data; *used counts bytes. */
static uint64_t map_line(struct tar *t, struct tar_member *m, const char **block, size_t *at)
{
	uint64_t v = 0;

	for (;;) {
		if (*at == TAR_BLOCK) {
			*block = m->size >= TAR_BLOCK ? archive_block(t) : NULL;
			if (*block == NULL)
				bad_map(t, m);
			m->size -= TAR_BLOCK;
			*at = 0;
		}
		char ch = (*block)[(*at)++];

		if (ch == '\n')
			return v;
		if (!byte_is_digit(ch) || v > (uint64_t)INT64_MAX / 10 - 1)
			bad_map(t, m);
		v = v * 10 + (uint64_t)(ch - '0');
	}
}

void sparse_read_map(struct tar *t, struct tar_member *m)
{
	const char *block = NULL;
	size_t at = TAR_BLOCK;
	size_t cap = 0;
	uint64_t n = map_line(t, m, &block, &at);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t offset = map_line(t, m, &block, &at);
		uint64_t size = map_line(t, m, &block, &at);

		if (!add(t, m, &cap, offset, size))
			bad_map(t, m);
		cmd_charge(t->c, 1);
	}
}

/* --- writing --- */

bool sparse_scan(struct tar *t, int fd, struct tar_member *m)
{
	uint64_t at = 0;
	uint64_t data = 0;
	size_t cap = 0;

	while (at < m->real) {
		int64_t from = cmd_seek(t->c, fd, (int64_t)at, SEEK_DATA_);

		if (from < 0)
			break;
		int64_t to = cmd_seek(t->c, fd, from, SEEK_HOLE_);

		/* A map that is too long: all is data. */
		if (to <= from || !add(t, m, &cap, (uint64_t)from, (uint64_t)(to - from))) {
			data = m->real;
			break;
		}
		data += (uint64_t)(to - from);
		at = (uint64_t)to;
		cmd_charge(t->c, 1);
	}
	cmd_seek(t->c, fd, 0, 0);
	if (data == m->real)
		return false;
	/* The end is told by an entry without data. */
	add(t, m, &cap, m->real, 0);
	m->size = data;
	m->is_sparse = true;
	return true;
}

static size_t put_entries(struct tar *t, char *at, size_t n, const struct tar_member *m,
			  size_t first)
{
	size_t i = 0;

	for (; i < n && first + i < m->nmap; i++) {
		const struct tar_sparse *e = &m->map[first + i];

		tar_put_number(t, at + i * ENTRY_BYTES, 12, (int64_t)e->offset);
		tar_put_number(t, at + i * ENTRY_BYTES + 12, 12, (int64_t)e->size);
	}
	return first + i;
}

void sparse_write_old(struct tar *t, char *header, const struct tar_member *m)
{
	header[OLD_MORE] = put_entries(t, header + OLD_AT, OLD_ENTRIES, m, 0) < m->nmap;
	tar_put_number(t, header + OLD_REAL, 12, (int64_t)m->real);
}

void sparse_write_more(struct tar *t, const struct tar_member *m)
{
	size_t at = OLD_ENTRIES;

	while (at < m->nmap) {
		char block[TAR_BLOCK] = { 0 };

		at = put_entries(t, block, MORE_ENTRIES, m, at);
		block[MORE_MORE] = at < m->nmap;
		archive_write(t, block, TAR_BLOCK);
	}
}

struct bytes sparse_map_text(struct tar *t, const struct tar_member *m)
{
	struct buf text = buf_in(t->c->arena);

	buf_printf(&text, "%zu\n", m->nmap);
	for (size_t i = 0; i < m->nmap; i++)
		buf_printf(&text, "%llu\n%llu\n", (unsigned long long)m->map[i].offset,
			   (unsigned long long)m->map[i].size);
	buf_fill(&text, '\0', (TAR_BLOCK - text.len % TAR_BLOCK) % TAR_BLOCK);
	return buf_bytes(&text);
}
