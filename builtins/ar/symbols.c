/* SPDX-License-Identifier: MIT
 *
 * ar: which symbols an object of ELF defines for others. Both classes and byte orders; whatever
 * lies about its sizes has no symbols.
 */
#include "builtins/ar/ar.h"

enum {
	ELF_IDENT = 16,
	ELF_SYMTAB = 2,
	BIND_GLOBAL = 1,
	BIND_WEAK = 2,
	BIND_UNIQUE = 10,
};

struct elf {
	struct bytes all;
	bool wide; /* 64 bits */
	bool big;  /* the high byte first */
};

/* A number of n bytes; 0 where there are none. */
static uint64_t get(const struct elf *e, uint64_t at, size_t n)
{
	uint64_t v = 0;

	if (at > e->all.len || e->all.len - at < n)
		return 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | (unsigned char)e->all.ptr[at + (e->big ? i : n - 1 - i)];
	return v;
}

struct section {
	uint64_t type, offset, size, link;
};

static struct section section_at(const struct elf *e, uint64_t at)
{
	size_t word = e->wide ? 8 : 4;

	return (struct section){
		.type = get(e, at + 4, 4),
		.offset = get(e, at + 8 + 2 * word, word),
		.size = get(e, at + 8 + 3 * word, word),
		.link = get(e, at + 8 + 4 * word, 4),
	};
}

static struct bytes content(const struct elf *e, struct section s)
{
	if (s.offset > e->all.len || e->all.len - s.offset < s.size)
		return BYTES("");
	return (struct bytes){ e->all.ptr + s.offset, (size_t)s.size };
}

static bool is_defined(const struct elf *e, uint64_t at)
{
	uint64_t info = get(e, at + (e->wide ? 4 : 12), 1);
	uint64_t where = get(e, at + (e->wide ? 6 : 14), 2);
	uint64_t bind = info >> 4;

	return where != 0 && (bind == BIND_GLOBAL || bind == BIND_WEAK || bind == BIND_UNIQUE);
}

static int64_t take_table(struct cmd *c, const struct elf *e, struct section table,
			  struct bytes text, uint64_t number, struct buf *numbers,
			  struct buf *names)
{
	uint64_t each = e->wide ? 24 : 16;
	int64_t found = 0;

	for (uint64_t i = 1; i < content(e, table).len / each; i++) {
		uint64_t at = table.offset + i * each;
		uint64_t name = get(e, at, 4);
		const char *end;

		cmd_charge(c, 1);
		if (!is_defined(e, at) || name >= text.len)
			continue;
		end = memchr(text.ptr + name, '\0', text.len - (size_t)name);
		if (end == NULL)
			continue;
		buf_put(numbers, &number, sizeof number);
		buf_put(names, text.ptr + name, (size_t)(end - text.ptr) - (size_t)name + 1);
		cmd_charge_bytes(c, (size_t)(end - text.ptr) - (size_t)name);
		found++;
	}
	return found;
}

int64_t ar_symbols(struct cmd *c, struct bytes object, uint64_t number, struct buf *numbers,
		   struct buf *names)
{
	struct elf e = { .all = object };
	int64_t found = 0;

	if (object.len < 52 || !bytes_starts(object, BYTES("\177ELF")))
		return -1;
	e.wide = object.ptr[4] == 2;
	e.big = object.ptr[5] == 2;
	size_t word = e.wide ? 8 : 4;
	uint64_t type = get(&e, ELF_IDENT, 2);
	uint64_t first = get(&e, 24 + 2 * word, word);
	uint64_t tail = 24 + 3 * word + 4; /* of the header: sizes and counts */
	uint64_t each = get(&e, tail + 6, 2);
	uint64_t n = get(&e, tail + 8, 2);

	if (type < 1 || type > 3 || (!e.wide && object.ptr[4] != 1))
		return -1;
	if (n == 0 && first > 0)
		n = section_at(&e, first).size;
	if (n > 0 &&
	    (each < 24 + 2 * word || first > object.len || (object.len - first) / each < n))
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		struct section s = section_at(&e, first + i * each);

		cmd_charge(c, 1);
		if (s.type == ELF_SYMTAB && s.link < n)
			found += take_table(c, &e, s,
					    content(&e, section_at(&e, first + s.link * each)),
					    number, numbers, names);
	}
	return found;
}
