/* SPDX-License-Identifier: MIT
 *
 * Members of an archive, read: whatever the format, with what headers ahead of it say.
 * Every byte is an attacker's: sizes are bounded, numbers are checked, memory of one member is
 * gone with it.
 */
#include "base/glob.h"
#include "builtins/tar/tar.h"

/* --- fields --- */

static bool base256(const char *field, size_t n, int64_t *out)
{
	bool negative = (field[0] & 0x40) != 0;
	uint64_t v = negative ? ~UINT64_C(0) : 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)field[i];

		if (i == 0)
			ch = negative ? ch | 0x80 : ch & 0x7f;
		if (v >> 55 != (negative ? 0x1ff : 0))
			return false;
		v = v << 8 | ch;
	}
	*out = (int64_t)v;
	return true;
}

/* A number in octal, or in GNU's base 256. False: it is none. */
bool tar_number(const char *field, size_t n, int64_t *out)
{
	size_t i = 0;
	uint64_t v = 0;

	*out = 0;
	if (((unsigned char)field[0] & 0x80) != 0)
		return base256(field, n, out);
	while (i < n && (field[i] == ' ' || field[i] == '\0'))
		i++;
	if (i == n)
		return true;
	if (field[i] < '0' || field[i] > '7')
		return false;
	for (; i < n && field[i] >= '0' && field[i] <= '7'; i++) {
		if (v >> 60 != 0)
			return false;
		v = v << 3 | (uint64_t)(field[i] - '0');
	}
	*out = (int64_t)v;
	return i == n || field[i] == ' ' || field[i] == '\0';
}

int64_t tar_field(struct tar *t, const char *field, size_t n, const char *what)
{
	int64_t v;

	if (tar_number(field, n, &v))
		return v;
	while (n > 1 && field[n - 1] == '\0')
		n--;
	struct buf text = buf_in(t->c->arena);

	quote_put(&text, (struct bytes){ field, n }, QUOTE_LOCALE, "", t->c->utf8);
	tar_error(t, 0, "Archive contains %s where numeric %s value expected", buf_cstr(&text),
		  what);
	return -1;
}

static uint64_t unsigned_field(struct tar *t, const char *field, size_t n, const char *what)
{
	int64_t v = tar_field(t, field, n, what);

	return v < 0 ? 0 : (uint64_t)v;
}

static const char *text_field(struct tar *t, const char *field, size_t n)
{
	const char *end = memchr(field, '\0', n);

	return arena_dup(t->c->arena,
			 (struct bytes){ field, end != NULL ? (size_t)(end - field) : n });
}

enum header_state header_check(const char *header)
{
	int64_t stored;
	int64_t sum = 0;
	int64_t signed_sum = 0;
	bool zero = true;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		bool inside = i >= AT_CHECKSUM && i < AT_CHECKSUM + 8;
		char ch = inside ? ' ' : header[i];

		zero = zero && header[i] == 0;
		sum += (unsigned char)ch;
		signed_sum += (signed char)ch;
	}
	if (zero)
		return HEADER_ZERO;
	if (!tar_number(header + AT_CHECKSUM, 8, &stored))
		return HEADER_BAD;
	return stored == sum || stored == signed_sum ? HEADER_GOOD : HEADER_BAD;
}

/* --- members --- */

struct ahead {
	const char *long_name;
	const char *long_link;
	struct pax_values pax;
};

/* The data of a header ahead of a member. */
static char *read_text(struct tar *t, uint64_t size, uint64_t max)
{
	struct buf text = buf_in(t->c->arena);
	uint64_t left = size;

	if (size > max)
		tar_fatal(t, 0, "Header of %llu bytes: too long", (unsigned long long)size);
	while (left > 0) {
		const char *block = archive_block(t);
		size_t n = left < TAR_BLOCK ? (size_t)left : TAR_BLOCK;

		if (block == NULL) {
			tar_error(t, 0, "Unexpected EOF in archive");
			tar_fatal(t, 0, NULL);
		}
		buf_put(&text, block, n);
		left -= n;
	}
	return buf_cstr(&text);
}

static void read_pax(struct tar *t, uint64_t size, struct pax_values *v)
{
	char *text = read_text(t, size, TAR_EXTENDED_MAX);

	pax_read(t, (struct bytes){ text, (size_t)size }, v);
}

static enum tar_format format_of(const char *header)
{
	if (memcmp(header + AT_MAGIC, "ustar\0", 6) == 0)
		return TAR_USTAR;
	if (memcmp(header + AT_MAGIC, "ustar  ", 8) == 0)
		return TAR_GNU;
	return TAR_V7;
}

static void decode_names(struct tar *t, const char *header, struct tar_member *m,
			 const struct ahead *a)
{
	const char *name = text_field(t, header, 100);

	if (m->format == TAR_USTAR && header[AT_PREFIX] != '\0') {
		struct buf whole = buf_in(t->c->arena);

		buf_printf(&whole, "%s/%s", text_field(t, header + AT_PREFIX, 155), name);
		name = buf_cstr(&whole);
	}
	m->link = text_field(t, header + AT_LINK, 100);
	if (a->long_name != NULL)
		name = a->long_name;
	if (a->long_link != NULL)
		m->link = a->long_link;
	if (a->pax.path != NULL)
		name = a->pax.path;
	if (a->pax.linkpath != NULL)
		m->link = a->pax.linkpath;
	if (a->pax.sparse_name != NULL)
		name = a->pax.sparse_name;
	m->stored = name;
	m->name = name;
}

static void decode_owner(struct tar *t, const char *header, struct tar_member *m,
			 const struct ahead *a)
{
	m->uid = unsigned_field(t, header + AT_UID, 8, "uid_t");
	m->gid = unsigned_field(t, header + AT_GID, 8, "gid_t");
	if (m->format != TAR_V7) {
		m->uname = text_field(t, header + AT_UNAME, 32);
		m->gname = text_field(t, header + AT_GNAME, 32);
	} else {
		m->uname = m->gname = "";
	}
	if (a->pax.uname != NULL)
		m->uname = a->pax.uname;
	if (a->pax.gname != NULL)
		m->gname = a->pax.gname;
	if (a->pax.has_uid)
		m->uid = a->pax.uid;
	if (a->pax.has_gid)
		m->gid = a->pax.gid;
}

static void decode_sparse(struct tar *t, const char *header, struct tar_member *m,
			  const struct ahead *a)
{
	if (m->type == 'S') {
		sparse_read_old(t, header, m);
		m->type = '0';
	} else if (a->pax.sparse_major == 1 && a->pax.sparse_minor == 0) {
		m->is_sparse = true;
		m->real = a->pax.has_real ? a->pax.real : m->size;
		sparse_read_map(t, m);
	} else if (a->pax.has_map) {
		m->is_sparse = true;
		m->real = a->pax.has_real ? a->pax.real : m->size;
		m->map = a->pax.map;
		m->nmap = a->pax.nmap;
	}
}

/* header is copied: what follows reads more of the archive. */
static void decode(struct tar *t, const char *block, struct tar_member *m, const struct ahead *a)
{
	char header[TAR_BLOCK];

	memcpy(header, block, TAR_BLOCK);
	m->type = header[AT_TYPE];
	m->format = format_of(header);
	decode_names(t, header, m, a);
	m->mode = (uint32_t)tar_field(t, header + AT_MODE, 8, "mode_t") & 07777;
	m->mtime_s = tar_field(t, header + AT_MTIME, 12, "time_t");
	decode_owner(t, header, m, a);
	if (a->pax.has_mtime) {
		m->mtime_s = a->pax.mtime_s;
		m->mtime_ns = a->pax.mtime_ns;
	}
	m->size = unsigned_field(t, header + AT_SIZE, 12, "off_t");
	if (a->pax.has_size)
		m->size = a->pax.size;
	if (m->type == '3' || m->type == '4') {
		m->major = (uint32_t)unsigned_field(t, header + AT_MAJOR, 8, "major_t");
		m->minor = (uint32_t)unsigned_field(t, header + AT_MINOR, 8, "minor_t");
	}
	size_t len = strlen(m->name);

	m->slash = len > 1 && m->name[len - 1] == '/';
	if (m->slash && (m->type == '0' || m->type == '\0'))
		m->type = '5';
	if (m->type == '\0' || m->type == '7')
		m->type = '0';
	/* Links and the like have no data, whatever the header says. */
	if (m->type >= '1' && m->type <= '6')
		m->size = 0;
	m->real = m->size;
	if (m->type == 'M')
		m->offset = unsigned_field(t, header + AT_GNU_OFFSET, 12, "off_t");
	if (m->type == '5')
		m->list = a->pax.list;
	m->xattrs = a->pax.xattrs;
	decode_sparse(t, header, m, a);
}

/* A zero block: the end if another follows. */
static bool at_zero_block(struct tar *t)
{
	uint64_t at = archive_tell(t) / TAR_BLOCK;
	const char *next;

	if (t->ignore_zeros)
		return false;
	if (t->block_numbers) {
		struct buf text = buf_in(t->c->arena);

		buf_printf(&text, "block %llu: ** Block of NULs **\n", (unsigned long long)at - 1);
		output_write(t->listing, text.ptr, text.len);
	}
	next = archive_block(t);
	if (next == NULL || header_check(next) != HEADER_ZERO)
		tar_note(t, NOTE_ZERO_BLOCK, "A lone zero block at %llu", (unsigned long long)at);
	return true;
}

enum { STATE_FIRST, STATE_GOOD, STATE_BAD };

static int read_state(struct tar *t, bool good)
{
	int before = t->read_state;

	t->read_state = good ? STATE_GOOD : STATE_BAD;
	return before;
}

static bool is_ahead(struct tar *t, const char *header, struct ahead *a)
{
	char type = header[AT_TYPE];
	uint64_t size;

	if (type != 'L' && type != 'K' && type != 'x' && type != 'X' && type != 'g')
		return false;
	size = unsigned_field(t, header + AT_SIZE, 12, "off_t");
	if (type == 'L')
		a->long_name = read_text(t, size, TAR_NAME_MAX);
	else if (type == 'K')
		a->long_link = read_text(t, size, TAR_NAME_MAX);
	else if (type == 'g') {
		read_pax(t, size, &t->global);
		a->pax = t->global;
		t->keeps_memory = true;
	} else
		read_pax(t, size, &a->pax);
	return true;
}

enum tar_read tar_next(struct tar *t, struct tar_member *m)
{
	struct ahead a = { .pax = t->global };
	uint64_t start = UINT64_MAX;
	const char *header;

	if (!t->pax_begun) {
		pax_apply(t, t->pax_global, &t->global);
		a.pax = t->global;
		t->pax_begun = true;
	}
	*m = (struct tar_member){ .type = 0 };
	while ((header = archive_block(t)) != NULL) {
		enum header_state state = header_check(header);
		uint64_t at = archive_tell(t) - TAR_BLOCK;

		cmd_charge(t->c, 16);
		m->block = at / TAR_BLOCK;
		if (start == UINT64_MAX || state != HEADER_GOOD)
			start = at;
		m->start = start;
		if (state == HEADER_ZERO) {
			if (at_zero_block(t))
				return TAR_END;
			continue;
		}
		if (state == HEADER_BAD) {
			int before = read_state(t, false);

			if (before == STATE_FIRST)
				tar_error(t, 0, "This does not look like a tar archive");
			if (before != STATE_BAD)
				tar_error(t, 0, "Skipping to next header");
			continue;
		}
		read_state(t, true);
		if (is_ahead(t, header, &a))
			continue;
		pax_apply(t, t->pax_forced, &a.pax);
		decode(t, header, m, &a);
		volumes_header(t, m);
		volumes_data(t);
		return TAR_MEMBER;
	}
	m->start = archive_tell(t);
	return TAR_END;
}

void tar_skip_data(struct tar *t, const struct tar_member *m)
{
	archive_skip(t, m->size);
}

/* --- all that are selected --- */

static bool too_old(const struct tar *t, const struct tar_member *m)
{
	return t->has_newer && m->mtime_s < t->newer_ns / 1000000000;
}

static bool selected(struct tar *t, struct tar_member *m)
{
	struct bytes name = bytes_of(m->name);

	while (name.len > 1 && name.ptr[name.len - 1] == '/')
		name.len--;
	m->name = arena_dup(t->c->arena, name);
	return names_match(t, m->name) && !too_old(t, m) && !names_excluded(t, m->name);
}

const char *tar_label_of(const struct tar *t, const struct tar_member *first)
{
	return first != NULL && first->type == 'V' ? first->stored : t->global.label;
}

void tar_check_label(struct tar *t, const struct tar_member *first)
{
	if (t->label == NULL || t->label_seen)
		return;
	t->label_seen = true;
	const char *label = tar_label_of(t, first);

	if (label == NULL)
		tar_fatal(t, 0, "Archive not labeled to match %s", cmd_quote(t->c, t->label));
	if (!glob_match(glob_compile(t->c->arena, bytes_of(t->label), 0), t->c->arena,
			bytes_of(label)))
		tar_fatal(t, 0, "Volume %s does not match %s", cmd_quote(t->c, label),
			  cmd_quote(t->c, t->label));
}

void tar_each(struct tar *t, void (*fn)(struct tar *t, struct tar_member *m))
{
	struct tar_member m;

	for (;;) {
		struct arena_mark mark = arena_mark(t->c->arena);

		bool end = names_done(t) || tar_next(t, &m) == TAR_END;

		tar_check_label(t, end ? NULL : &m);
		if (end)
			break;
		if (m.type == 'M' && t->mode == TAR_DIFF)
			tar_fatal(t, 0, "%s: continued from another volume: not supported",
				  tar_quote(t, m.name));
		if (m.type != 'V' && !selected(t, &m)) {
			tar_skip_data(t, &m);
		} else {
			if (m.type != 'V')
				xform_member(t, &m);
			fn(t, &m);
		}
		tar_release(t, mark);
	}
}
