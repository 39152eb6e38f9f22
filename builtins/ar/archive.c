/* SPDX-License-Identifier: MIT
 *
 * ar: archives read and written.
 *
 * An archive is read whole; its members are views of it. Names longer than 15 bytes stand in a
 * member "//", the table of symbols in "/" before it. A thin archive has no data: its members are
 * files, named from the directory of the archive, and all names are in "//".
 */
#include "builtins/ar/ar.h"

/* --- reading --- */

/* The number in a field of a header. */
static bool field(struct bytes header, size_t at, size_t len, int base, uint64_t *out)
{
	struct bytes s = bytes_slice(header, at, at + len);

	while (s.len > 0 && s.ptr[s.len - 1] == ' ')
		s.len--;
	*out = 0;
	return s.len == 0 || number_parse_u64(s, base, out, NULL) == s.len;
}

/* A name behind "//": up to "/\n". */
static const char *long_name(struct ar *r, struct bytes names, struct bytes number)
{
	uint64_t at;
	const char *end;

	if (number_parse_u64(number, 10, &at, NULL) == 0 || at >= names.len)
		return "";
	struct bytes rest = bytes_slice(names, (size_t)at, names.len);

	end = memchr(rest.ptr, '\n', rest.len);
	rest.len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
	if (bytes_ends(rest, BYTES("/")))
		rest.len--;
	return arena_dup(r->c->arena, rest);
}

/* The name of a member. BSD's "#1/N": the first N bytes of its data, which are taken off. */
static const char *member_name(struct ar *r, struct bytes header, struct bytes names,
			       struct member *m)
{
	struct bytes name = bytes_slice(header, 0, 16);
	uint64_t n;

	if (name.ptr[0] == '/' && byte_is_digit(name.ptr[1]))
		return long_name(r, names, bytes_slice(name, 1, 16));
	if (bytes_starts(name, BYTES("#1/")) &&
	    number_parse_u64(bytes_slice(name, 3, 16), 10, &n, NULL) > 0 && n <= m->data.len) {
		struct bytes inner = bytes_slice(m->data, 0, (size_t)n);

		m->data = bytes_slice(m->data, (size_t)n, m->data.len);
		m->size -= n;
		while (inner.len > 0 && inner.ptr[inner.len - 1] == '\0')
			inner.len--;
		return arena_dup(r->c->arena, inner);
	}
	const char *slash = memchr(name.ptr, '/', name.len);

	name.len = slash != NULL ? (size_t)(slash - name.ptr) : name.len;
	while (slash == NULL && name.len > 0 && name.ptr[name.len - 1] == ' ')
		name.len--;
	return arena_dup(r->c->arena, name);
}

_Noreturn static void not_an_archive(struct ar *r, const char *text)
{
	cmd_fatal(r->c, 0, "%s: %s", r->path, text);
}

static bool parse_header(struct bytes header, struct member *m)
{
	uint64_t date;
	uint64_t mode;

	if (!field(header, 48, 10, 10, &m->size) || header.ptr[48] == ' ' ||
	    header.ptr[58] != '`' || header.ptr[59] != '\n' || !field(header, 40, 8, 8, &mode) ||
	    !field(header, 16, 12, 10, &date) || !field(header, 28, 6, 10, &m->uid) ||
	    !field(header, 34, 6, 10, &m->gid))
		return false;
	m->date = (int64_t)date;
	m->mode = (uint32_t)mode;
	return true;
}

const char *ar_beside(struct ar *r, const char *name)
{
	const char *slash = strrchr(r->path, '/');
	struct buf path = buf_in(r->c->arena);

	if (slash == NULL || name[0] == '/')
		return name;
	buf_put(&path, r->path, (size_t)(slash - r->path) + 1);
	buf_puts(&path, name);
	return buf_cstr(&path);
}

/* A member of the archive that m->name is: its name and data. False: there is none. */
static bool find_inner(struct ar *r, struct member *m)
{
	struct ar inner = { .c = r->c,
			    .operation = 't',
			    .path = m->name,
			    .inner = true,
			    .members = buf_in(r->c->arena) };

	if (r->inner || ar_read(&inner) < 0)
		return false;
	for (size_t i = 0; i < ar_count(&inner); i++) {
		const struct member *at = &ar_all(&inner)[i];

		cmd_charge(r->c, 1);
		if (at->offset != m->inner || at->outside)
			continue;
		m->name = at->name;
		m->data = at->data;
		m->outside = false;
		return true;
	}
	return false;
}

/* A member of a thin archive is a file, or "/N:M" a member of another archive. */
static void take_thin(struct ar *r, struct bytes header, struct member *m)
{
	const char *colon = memchr(header.ptr, ':', 16);

	m->stored = m->name;
	m->name = ar_beside(r, m->name);
	m->data = BYTES("");
	m->outside = true;
	if (header.ptr[0] != '/' || colon == NULL ||
	    number_parse_u64((struct bytes){ colon + 1, (size_t)(header.ptr + 15 - colon) }, 10,
			     &m->inner, NULL) == 0)
		return;
	if (m->inner == 0 || !find_inner(r, m))
		not_an_archive(r, "malformed archive");
}

static void parse(struct ar *r, struct bytes a)
{
	struct bytes names = BYTES("");
	size_t at = 8;

	r->thin = bytes_starts(a, BYTES("!<thin>\n"));
	if ((!r->thin && !bytes_starts(a, BYTES("!<arch>\n"))) ||
	    (a.len > 8 && a.len < 8 + AR_HEADER))
		not_an_archive(r, "file format not recognized");
	while (a.len - at >= AR_HEADER) {
		struct bytes header = bytes_slice(a, at, at + AR_HEADER);
		struct member m = { .offset = at };
		bool is_names = bytes_starts(header, BYTES("//              "));
		bool is_symbols = bytes_starts(header, BYTES("/               ")) ||
				  bytes_starts(header, BYTES("/SYM64/ "));

		if (!parse_header(header, &m))
			not_an_archive(r, "malformed archive");
		at += AR_HEADER;
		m.data = bytes_slice(a, at, m.size < a.len - at ? at + (size_t)m.size : a.len);
		if (!r->thin || is_names || is_symbols)
			at += m.data.len + (m.size & 1);
		at = at < a.len ? at : a.len;
		cmd_charge(r->c, 4);
		if (is_names)
			names = m.data;
		r->had_symbols |= is_symbols;
		if (is_names || is_symbols)
			continue;
		m.name = member_name(r, header, names, &m);
		if (r->thin)
			take_thin(r, header, &m);
		buf_put(&r->members, &m, sizeof m);
	}
}

int ar_read(struct ar *r)
{
	struct bytes a;
	int err = cmd_read_all(r->c, r->path, &a);

	if (err < 0)
		return err;
	r->exists = true;
	parse(r, arena_bytes(r->c->arena, a));
	return 0;
}

bool ar_load(struct ar *r, struct member *m)
{
	struct bytes data;
	int err;

	if (m->outside) {
		err = cmd_read_all(r->c, m->name, &data);
		if (err < 0) {
			cmd_error(r->c, err, "%s", r->path);
			return false;
		}
		data.len = data.len < m->size ? data.len : (size_t)m->size;
		m->data = arena_bytes(r->c->arena, data);
		m->outside = false;
	}
	return true;
}

/* From one directory to a file, both without links and dots. */
static const char *way(struct cmd *c, const char *from, const char *to)
{
	struct buf path = buf_in(c->arena);
	size_t same = 0;

	for (size_t i = 0; from[i] == to[i] && from[i] != '\0'; i++)
		if (from[i] == '/')
			same = i + 1;
	if (strncmp(from, to, strlen(from)) == 0 && to[strlen(from)] == '/')
		same = strlen(from) + 1;
	if (same <= strlen(from))
		for (const char *at = from + same; *at != '\0'; at++)
			if (at[1] == '/' || at[1] == '\0')
				buf_puts(&path, "../");
	buf_puts(&path, to + same);
	return buf_cstr(&path);
}

const char *ar_relative(struct ar *r, const char *path)
{
	const char *slash = strrchr(r->path, '/');
	struct bytes dir = { r->path, slash != NULL ? (size_t)(slash - r->path) + 1 : 0 };
	char *from;
	char *to;

	if (path[0] == '/' ||
	    cmd_canonical(r->c, dir.len > 0 ? arena_dup(r->c->arena, dir) : ".", 0, &from) < 0 ||
	    cmd_canonical(r->c, path, 0, &to) < 0)
		return path;
	return way(r->c, from, to);
}

/* --- writing --- */

struct writing {
	struct buf names;   /* of the member "//" */
	struct buf shorts;  /* 16 bytes for each member: what its header says */
	struct buf numbers; /* of members, for each symbol */
	struct buf symbols; /* their names */
	bool objects;
};

static void put_header(struct buf *out, const char *name, const struct member *m, uint64_t size)
{
	buf_printf(out, "%-16.16s%-12lld%-6llu%-6llu%-8o%-10llu`\n", name, (long long)m->date,
		   (unsigned long long)m->uid % 1000000, (unsigned long long)m->gid % 1000000,
		   m->mode, (unsigned long long)size);
}

static void put_padded(struct output *o, struct bytes data)
{
	output_write(o, data.ptr, data.len);
	if (data.len & 1)
		output_putc(o, '\n');
}

/* What stands in the headers as names, and the long ones behind "//". */
static void name_members(struct ar *r, struct writing *w)
{
	const char *last = NULL; /* of archives whose members are here */
	size_t last_at = 0;

	for (size_t i = 0; i < ar_count(r); i++) {
		const struct member *m = &ar_all(r)[i];
		char text[48] = "";
		struct buf row = buf_in(r->c->arena);
		bool again = m->inner != 0 && last != NULL && strcmp(last, m->stored) == 0;
		const char *name = r->thin ? m->stored : m->name;

		if (!r->thin && strlen(name) <= AR_NAME_MAX) {
			buf_printf(&row, "%s/", name);
		} else {
			buf_printf(&row, "/%zu", again ? last_at : w->names.len);
			if (m->inner != 0)
				buf_printf(&row, ":%llu", (unsigned long long)m->inner);
			last = m->inner != 0 ? m->stored : NULL;
			last_at = again ? last_at : w->names.len;
			if (!again)
				buf_printf(&w->names, "%s/\n", name);
		}
		memcpy(text, row.ptr, row.len < 16 ? row.len : 16);
		buf_put(&w->shorts, text, 17);
		cmd_charge(r->c, 4);
	}
	if (w->names.len & 1)
		buf_putc(&w->names, '\n');
}

/* Nothing is written when a member's data are not there. */
static void gather(struct ar *r, struct writing *w)
{
	for (size_t i = 0; i < ar_count(r); i++) {
		struct member *m = &ar_all(r)[i];

		if (!ar_load(r, m))
			cmd_exit(r->c, 1);
		if (!r->no_symbols && ar_symbols(r->c, m->data, i, &w->numbers, &w->symbols) >= 0)
			w->objects = true;
	}
}

static void put_u32(struct output *o, uint64_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		output_putc(o, (char)(v >> shift));
}

static uint64_t symbol_count(const struct writing *w)
{
	return w->numbers.len / sizeof(uint64_t);
}

static void put_symbols(struct ar *r, struct output *o, struct writing *w, uint64_t first)
{
	struct buf header = buf_in(r->c->arena);
	struct member table = { .date = r->real ? cmd_now(r->c) / AR_NS : 0 };
	uint64_t n = symbol_count(w);
	uint64_t at = first;
	size_t i = 0;

	put_header(&header, "/", &table, 4 + 4 * n + w->symbols.len);
	output_write(o, header.ptr, header.len);
	put_u32(o, n);
	for (uint64_t k = 0; k < n; k++) {
		uint64_t number;

		memcpy(&number, w->numbers.ptr + k * sizeof number, sizeof number);
		for (; i < number; i++) {
			size_t size = ar_all(r)[i].data.len;

			at += AR_HEADER + (r->thin ? 0 : size + (size & 1));
		}
		put_u32(o, at);
		cmd_charge(r->c, 1);
	}
	output_write(o, w->symbols.ptr, w->symbols.len);
}

static void put_all(struct ar *r, struct output *o, struct writing *w)
{
	uint64_t first = 8 + (w->names.len > 0 ? AR_HEADER + w->names.len : 0);
	struct buf header = buf_in(r->c->arena);

	if (w->symbols.len & 1)
		buf_putc(&w->symbols, '\0');
	output_write(o, r->thin ? "!<thin>\n" : "!<arch>\n", 8);
	if (w->objects)
		put_symbols(r, o, w, first + AR_HEADER + 4 + 4 * symbol_count(w) + w->symbols.len);
	if (w->names.len > 0) {
		buf_printf(&header, "%-48s%-10zu`\n", "//", w->names.len);
		output_write(o, header.ptr, header.len);
		output_write(o, w->names.ptr, w->names.len);
	}
	for (size_t i = 0; i < ar_count(r); i++) {
		const struct member *m = &ar_all(r)[i];

		header.len = 0;
		put_header(&header, w->shorts.ptr + i * 17, m, r->thin ? m->size : m->data.len);
		output_write(o, header.ptr, header.len);
		if (!r->thin)
			put_padded(o, m->data);
		cmd_charge_bytes(r->c, m->data.len);
	}
}

/* The file that takes the archive's place when all of it is written; NULL: it has other names, or
 * is none that can be replaced. mode: what the archive has, or 0. */
static const char *new_file(struct ar *r, uint32_t *mode)
{
	struct cmd *c = r->c;
	const char *slash = strrchr(r->path, '/');
	struct vfs_stat st;
	struct buf name = buf_in(c->arena);

	*mode = 0;
	if (cmd_lstat(c, r->path, &st) == 0) {
		if ((st.mode & S_FMT) != S_REG || st.nlink != 1 ||
		    cmd_access(c, CMD_CWD, r->path, 2) < 0)
			return NULL;
		*mode = st.mode;
	}
	buf_put(&name, r->path, slash != NULL ? (size_t)(slash - r->path) + 1 : 0);
	buf_printf(&name, "st%06llx", (unsigned long long)(cmd_random(c) & 0xffffff));
	return buf_cstr(&name);
}

void ar_write(struct ar *r)
{
	struct cmd *c = r->c;
	uint32_t mode;
	struct writing w = { .names = buf_in(c->arena),
			     .shorts = buf_in(c->arena),
			     .numbers = buf_in(c->arena),
			     .symbols = buf_in(c->arena) };
	struct output o;

	gather(r, &w);
	name_members(r, &w);
	const char *temp = new_file(r, &mode);
	int err = temp != NULL ? output_open(&o, c, temp, O_EXCL_, false) : -E_ACCES;

	/* Where the directory can't be written the archive is. */
	if (err < 0) {
		temp = NULL;
		err = output_open(&o, c, r->path, O_TRUNC_, false);
	}
	if (err < 0)
		cmd_fatal(c, err, "%s", r->path);
	o.drop = temp;
	o.name = r->path;
	put_all(r, &o, &w);
	output_close(&o);
	if (temp == NULL)
		return;
	if (mode != 0)
		cmd_chmod(c, CMD_CWD, temp, mode & 07777, 0);
	err = cmd_rename(c, CMD_CWD, temp, CMD_CWD, r->path, 0);
	if (err < 0) {
		cmd_unlink(c, CMD_CWD, temp, 0);
		cmd_fatal(c, err, "%s", r->path);
	}
}
