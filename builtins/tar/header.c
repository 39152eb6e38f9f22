/* SPDX-License-Identifier: MIT
 *
 * Headers of tar members, written: five formats that differ in what does not fit into 512 bytes.
 */
#include "builtins/tar/tar.h"

/* Offsets of the fields. */
static bool is_gnu(const struct tar *t)
{
	return t->format == TAR_GNU || t->format == TAR_OLDGNU;
}

bool tar_put_number(struct tar *t, char *at, size_t n, int64_t v)
{
	size_t digits = n - 1;

	if (v >= 0 && (uint64_t)v >> (3 * digits) == 0) {
		for (size_t i = digits; i-- > 0; v >>= 3)
			at[i] = (char)('0' + (v & 7));
		at[digits] = '\0';
		return true;
	}
	if (!is_gnu(t))
		return false;
	for (size_t i = n; i-- > 1; v >>= 8)
		at[i] = (char)(v & 0xff);
	at[0] = v < 0 ? (char)0xff : (char)0x80;
	return true;
}

void header_put_checksum(char *header)
{
	unsigned sum = 0;

	memset(header + AT_CHECKSUM, ' ', 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)header[i];
	for (size_t i = 6; i-- > 0; sum >>= 3)
		header[AT_CHECKSUM + i] = (char)('0' + (sum & 7));
	header[AT_CHECKSUM + 6] = '\0';
}

static void put_text(char *at, size_t n, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len < n ? len : n);
}

static bool is_ascii(const char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s > 0x7f)
			return false;
	return true;
}

/* A member of GNU's that holds a long name (L) or link (K). */
static void put_gnu_long(struct tar *t, const char *text, char type)
{
	char header[TAR_BLOCK] = { 0 };
	size_t size = strlen(text) + 1;

	put_text(header, NAME_BYTES, "././@LongLink");
	tar_put_number(t, header + AT_MODE, 8, 0644);
	tar_put_number(t, header + AT_UID, 8, 0);
	tar_put_number(t, header + AT_GID, 8, 0);
	tar_put_number(t, header + AT_SIZE, 12, (int64_t)size);
	tar_put_number(t, header + AT_MTIME, 12, 0);
	header[AT_TYPE] = type;
	memcpy(header + AT_MAGIC, "ustar  ", 8);
	if (!t->numeric) {
		put_text(header + AT_UNAME, OWNER_BYTES, "root");
		put_text(header + AT_GNAME, OWNER_BYTES, "root");
	}
	header_put_checksum(header);
	archive_write(t, header, TAR_BLOCK);
	archive_write(t, text, size);
	archive_pad(t, size);
}

/* Where a long name is cut for ustar's prefix, or 0. */
static size_t split_at(const char *name)
{
	size_t len = strlen(name);
	size_t at;

	if (len > PREFIX_BYTES + 1)
		at = PREFIX_BYTES + 1;
	else
		at = len;
	if (at == len && len > 0 && name[len - 1] == '/')
		at--;
	do
		at--;
	while (at > 0 && name[at] != '/');
	return at;
}

static bool put_ustar_name(struct tar *t, char *header, const char *name)
{
	size_t len = strlen(name);
	size_t cut;

	if (len > PREFIX_BYTES + NAME_BYTES + 1) {
		tar_error(t, 0, "%s: file name is too long (max %d); not dumped",
			  tar_quote(t, name), PREFIX_BYTES + NAME_BYTES + 1);
		return false;
	}
	cut = split_at(name);
	if (cut == 0 || len - cut - 1 > NAME_BYTES) {
		tar_error(t, 0, "%s: file name is too long (cannot be split); not dumped",
			  tar_quote(t, name));
		return false;
	}
	memcpy(header + AT_PREFIX, name, cut);
	put_text(header, NAME_BYTES, name + cut + 1);
	return true;
}

/* The name, where it fits; ahead of the header, or in records, where not. */
static bool put_name(struct tar *t, char *header, const char *name, struct buf *records)
{
	size_t max = t->format == TAR_OLDGNU || t->format == TAR_V7 ? NAME_BYTES - 1 : NAME_BYTES;
	bool fits = strlen(name) <= max;

	if (t->format == TAR_PAX && (!fits || !is_ascii(name)))
		pax_put(t, records, "path", bytes_of(name));
	if (fits || t->format == TAR_PAX) {
		put_text(header, NAME_BYTES, name);
		return true;
	}
	if (t->format == TAR_USTAR)
		return put_ustar_name(t, header, name);
	if (t->format == TAR_V7) {
		tar_error(t, 0, "%s: file name is too long (max %d); not dumped",
			  tar_quote(t, name), NAME_BYTES - 1);
		return false;
	}
	put_gnu_long(t, name, 'L');
	put_text(header, max, name);
	return true;
}

/* The name of a link, in front of that of the member. Where it can't be long it is cut, as the real
 * one does it in spite of its message. */
static void put_link(struct tar *t, char *header, const char *link, struct buf *records)
{
	size_t max = t->format == TAR_OLDGNU ? NAME_BYTES - 1 : NAME_BYTES;

	if (strlen(link) > max) {
		if (t->format == TAR_USTAR || t->format == TAR_V7)
			tar_error(t, 0, "%s: link name is too long; not dumped",
				  tar_quote(t, link));
		else if (t->format == TAR_PAX)
			pax_put(t, records, "linkpath", bytes_of(link));
		else
			put_gnu_long(t, link, 'K');
	}
	put_text(header + AT_LINK, NAME_BYTES, link);
}

/* A number that the format can't hold goes into a record, or ends the member. */
static bool put_wide(struct tar *t, char *header, size_t n, int64_t v, const char *what,
		     struct buf *records)
{
	char text[20];

	if (tar_put_number(t, header, n, v))
		return true;
	if (t->format == TAR_PAX && v >= 0) {
		pax_put(t, records, what,
			(struct bytes){ text, num_format_u64((uint64_t)v, text) });
		tar_put_number(t, header, n, 0);
		return true;
	}
	tar_error(t, 0, "value %lld out of %s range 0..%llu", (long long)v,
		  strcmp(what, "size") == 0 ? "off_t"
		  : *what == 'u'            ? "uid_t"
					    : "gid_t",
		  (unsigned long long)((UINT64_C(1) << (3 * (n - 1))) - 1));
	return false;
}

static void time_record(struct tar *t, struct buf *records, const char *key, int64_t seconds,
			uint32_t ns)
{
	struct buf text = buf_in(records->arena);
	char digits[10];
	size_t n = 9;

	/* Before 1970 the fraction counts towards the past. */
	if (seconds < 0 && ns != 0) {
		seconds++;
		ns = 1000000000 - ns;
		if (seconds == 0)
			buf_putc(&text, '-');
	}
	buf_put_i64(&text, seconds);
	if (ns != 0) {
		for (size_t i = n; i-- > 0; ns /= 10)
			digits[i] = (char)('0' + ns % 10);
		while (digits[n - 1] == '0')
			n--;
		buf_putc(&text, '.');
		buf_put(&text, digits, n);
	}
	pax_put(t, records, key, buf_bytes(&text));
}

static void put_times(struct tar *t, char *header, const struct tar_member *m, int64_t atime_ns,
		      int64_t ctime_ns, struct buf *records)
{
	bool fits = tar_put_number(t, header + AT_MTIME, 12, m->mtime_s);

	if (!fits)
		tar_put_number(t, header + AT_MTIME, 12, 0);
	if (t->format != TAR_PAX)
		return;
	if (!fits || m->mtime_ns != 0)
		time_record(t, records, "mtime", m->mtime_s, m->mtime_ns);
	time_record(t, records, "atime", atime_ns / 1000000000, (uint32_t)(atime_ns % 1000000000));
	time_record(t, records, "ctime", ctime_ns / 1000000000, (uint32_t)(ctime_ns % 1000000000));
}

static void put_owner(struct tar *t, char *at, const char *name, const char *key,
		      struct buf *records)
{
	if (t->format == TAR_V7 || name == NULL)
		return;
	if (t->format == TAR_PAX && (strlen(name) > OWNER_BYTES || !is_ascii(name)))
		pax_put(t, records, key, bytes_of(name));
	put_text(at, OWNER_BYTES, name);
}

static void put_magic(struct tar *t, char *header)
{
	if (is_gnu(t))
		memcpy(header + AT_MAGIC, "ustar  ", 8);
	else if (t->format != TAR_V7)
		memcpy(header + AT_MAGIC, "ustar\00000", 8);
}

static char type_byte(const struct tar *t, const struct tar_member *m)
{
	/* Before POSIX a regular file had no type. */
	return m->type == '0' && t->format == TAR_V7 ? '\0' : m->type;
}

static void put_sparse_records(struct tar *t, const struct tar_member *m, char *header,
			       struct buf *records)
{
	struct buf name = buf_in(records->arena);
	const char *slash = strrchr(m->name, '/');
	char text[20];

	pax_record(records, "GNU.sparse.major", BYTES("1"));
	pax_record(records, "GNU.sparse.minor", BYTES("0"));
	pax_record(records, "GNU.sparse.name", bytes_of(m->name));
	pax_record(records, "GNU.sparse.realsize",
		   (struct bytes){ text, num_format_u64(m->real, text) });
	if (slash != NULL)
		buf_put(&name, m->name, (size_t)(slash - m->name) + 1);
	else
		buf_puts(&name, "./");
	buf_printf(&name, "GNUSparseFile.%d/%s", cmd_pid(t->c),
		   slash != NULL ? slash + 1 : m->name);
	memset(header, 0, NAME_BYTES);
	put_text(header, NAME_BYTES, buf_cstr(&name));
}

bool header_write(struct tar *t, struct tar_member *m, int64_t atime_ns, int64_t ctime_ns)
{
	char header[TAR_BLOCK] = { 0 };
	struct buf records = buf_in(t->c->arena);
	bool gnu = is_gnu(t);
	bool sparse_pax = m->is_sparse && t->format == TAR_PAX;

	m->block = (t->a.base + t->a.written) / TAR_BLOCK;
	t->pax_wanted = false;
	volumes_header(t, m);
	if (m->link != NULL)
		put_link(t, header, m->link, &records);
	if (!put_name(t, header, m->name, &records))
		return false;
	if (!put_wide(t, header + AT_MODE, 8, m->mode & 07777, "mode", &records) ||
	    !put_wide(t, header + AT_UID, 8, (int64_t)m->uid, "uid", &records) ||
	    !put_wide(t, header + AT_GID, 8, (int64_t)m->gid, "gid", &records) ||
	    !put_wide(t, header + AT_SIZE, 12, (int64_t)m->size, "size", &records))
		return false;
	put_times(t, header, m, atime_ns, ctime_ns, &records);
	header[AT_TYPE] = sparse_pax ? '0' : type_byte(t, m);
	put_magic(t, header);
	put_owner(t, header + AT_UNAME, m->uname, "uname", &records);
	put_owner(t, header + AT_GNAME, m->gname, "gname", &records);
	if ((!gnu && m->type != 'x' && m->type != 'g') || m->type == '3' || m->type == '4') {
		tar_put_number(t, header + AT_MAJOR, 8, m->major);
		tar_put_number(t, header + AT_MINOR, 8, m->minor);
	}
	xattr_records(t, m, &records);
	if (t->format == TAR_PAX && m->list.ptr != NULL)
		pax_record(&records, "GNU.dumpdir", m->list);
	if (gnu && t->incremental && m->type != 'V') {
		tar_put_number(t, header + AT_GNU_ATIME, 12, atime_ns / 1000000000);
		tar_put_number(t, header + AT_GNU_CTIME, 12, ctime_ns / 1000000000);
	}
	if (sparse_pax)
		put_sparse_records(t, m, header, &records);
	if (m->is_sparse && gnu)
		sparse_write_old(t, header, m);
	header_put_checksum(header);
	if (records.len != 0 || t->pax_wanted)
		pax_write(t, m, &records);
	archive_write(t, header, TAR_BLOCK);
	if (m->is_sparse && gnu)
		sparse_write_more(t, m);
	return true;
}
