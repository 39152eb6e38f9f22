/* SPDX-License-Identifier: MIT
 *
 * Headers of cpio archives: old binary, octal digits (odc), hexadecimal digits (newc, crc).
 */
#include "builtins/cpio/cpio.h"

enum { NEWC_BYTES = 110, ODC_BYTES = 76, BIN_BYTES = 26, MAGIC_BYTES = 6 };

static size_t alignment(const struct cpio *p)
{
	if (cpio_is_tar(p))
		return CPIO_BLOCK;
	return p->format == CPIO_NEWC || p->format == CPIO_CRC ? 4 : p->format == CPIO_BIN ? 2 : 1;
}

/* --- writing --- */

void cpio_put(struct cpio *p, const void *data, size_t n)
{
	output_write(&p->out, data, n);
	p->bytes += n;
	cmd_charge_bytes(p->c, n);
}

void cpio_pad(struct cpio *p, uint64_t n)
{
	static const char zeros[CPIO_BLOCK];
	size_t rest = (size_t)(n % alignment(p));

	if (rest != 0)
		cpio_put(p, zeros, alignment(p) - rest);
}

static void put_octal(struct buf *b, uint64_t v, int digits)
{
	for (int i = digits; i-- > 0;)
		buf_putc(b, (char)('0' + (v >> (3 * i) & 7)));
}

static void put_hex(struct buf *b, uint64_t v)
{
	buf_printf(b, "%08X", (unsigned)(v & 0xffffffff));
}

static void put_short(struct buf *b, uint64_t v)
{
	buf_putc(b, (char)v);
	buf_putc(b, (char)(v >> 8));
}

static void put_newc(struct buf *b, const struct cpio_entry *e, bool crc)
{
	buf_puts(b, crc ? "070702" : "070701");
	put_hex(b, e->ino);
	put_hex(b, e->mode);
	put_hex(b, e->uid);
	put_hex(b, e->gid);
	put_hex(b, e->nlink);
	put_hex(b, e->mtime);
	put_hex(b, e->size);
	put_hex(b, e->dev_major);
	put_hex(b, e->dev_minor);
	put_hex(b, e->rdev_major);
	put_hex(b, e->rdev_minor);
	put_hex(b, strlen(e->name) + 1);
	put_hex(b, e->check);
}

static void put_odc(struct buf *b, const struct cpio_entry *e)
{
	buf_puts(b, "070707");
	put_octal(b, (uint64_t)e->dev_major << 8 | e->dev_minor, 6);
	put_octal(b, e->ino, 6);
	put_octal(b, e->mode, 6);
	put_octal(b, e->uid, 6);
	put_octal(b, e->gid, 6);
	put_octal(b, e->nlink, 6);
	put_octal(b, (uint64_t)e->rdev_major << 8 | e->rdev_minor, 6);
	put_octal(b, e->mtime, 11);
	put_octal(b, strlen(e->name) + 1, 6);
	put_octal(b, e->size, 11);
}

static void put_bin(struct buf *b, const struct cpio_entry *e)
{
	put_short(b, 070707);
	put_short(b, (uint64_t)e->dev_major << 8 | e->dev_minor);
	put_short(b, e->ino);
	put_short(b, e->mode);
	put_short(b, e->uid);
	put_short(b, e->gid);
	put_short(b, e->nlink);
	put_short(b, (uint64_t)e->rdev_major << 8 | e->rdev_minor);
	put_short(b, e->mtime >> 16);
	put_short(b, e->mtime);
	put_short(b, strlen(e->name) + 1);
	put_short(b, e->size >> 16);
	put_short(b, e->size);
}

static void tell_truncated(struct cpio *p, const struct cpio_entry *e, uint64_t most,
			   uint64_t mtime_most)
{
	const struct {
		uint64_t value, most;
		const char *what;
	} rows[] = {
		{ e->ino, most, "inode number" },
		{ e->uid, most, "uid" },
		{ e->gid, most, "gid" },
		{ e->mtime, mtime_most, "modification time" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && p->warn_truncate; i++)
		if (rows[i].value > rows[i].most)
			cmd_warn(p->c, 0, "%s: truncating %s", e->name, rows[i].what);
}

bool cpio_put_header(struct cpio *p, const struct cpio_entry *e)
{
	struct buf b = buf_in(p->c->arena);

	if (cpio_is_tar(p))
		return cpio_put_tar(p, e);
	if (p->format == CPIO_ODC)
		tell_truncated(p, e, 0777777, 077777777777);
	else if (p->format == CPIO_BIN)
		tell_truncated(p, e, 0xffff, UINT64_MAX);
	else
		tell_truncated(p, e, UINT32_MAX, UINT32_MAX);
	if (p->format == CPIO_NEWC || p->format == CPIO_CRC)
		put_newc(&b, e, p->format == CPIO_CRC);
	else if (p->format == CPIO_ODC)
		put_odc(&b, e);
	else
		put_bin(&b, e);
	buf_put(&b, e->name, strlen(e->name) + 1);
	cpio_put(p, b.ptr, b.len);
	cpio_pad(p, b.len);
	return true;
}

/* --- reading --- */

struct bytes cpio_get(struct cpio *p, uint64_t n)
{
	struct bytes part;

	if (p->peek_from < p->peek_to) {
		part = (struct bytes){ p->peek + p->peek_from, p->peek_to - p->peek_from };
		part.len = n < part.len ? (size_t)n : part.len;
		p->peek_from += part.len;
		p->bytes += part.len;
		return part;
	}
	if (p->in.from == p->in.to) {
		int more = input_block(&p->in, &part);

		if (more < 0)
			cmd_fatal_status(p->c, 2, more, "read error");
		if (more == 0)
			cmd_fatal_status(p->c, 2, 0,
					 p->seeking ? "premature end of archive"
						    : "premature end of file");
		p->in.from -= part.len;
	}
	part = (struct bytes){ p->in.ptr + p->in.from, p->in.to - p->in.from };
	if (part.len > n)
		part.len = (size_t)n;
	p->in.from += part.len;
	p->bytes += part.len;
	return part;
}

void cpio_skip(struct cpio *p, uint64_t n)
{
	while (n > 0)
		n -= cpio_get(p, n).len;
}

void cpio_skip_pad(struct cpio *p, uint64_t n)
{
	size_t rest = (size_t)(n % alignment(p));

	if (rest != 0)
		cpio_skip(p, alignment(p) - rest);
}

void cpio_get_all(struct cpio *p, char *to, size_t n)
{
	while (n > 0) {
		struct bytes part = cpio_get(p, n);

		memcpy(to, part.ptr, part.len);
		to += part.len;
		n -= part.len;
	}
}

static uint64_t get_number(const char *at, size_t n, int shift)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		int digit = byte_digit(at[i]);

		if (digit < 0 || digit >= 1 << shift)
			break;
		v = v << shift | (uint64_t)digit;
	}
	return v;
}

static uint64_t get_short(const char *at, bool swapped)
{
	unsigned char lo = (unsigned char)at[swapped ? 1 : 0];
	unsigned char hi = (unsigned char)at[swapped ? 0 : 1];

	return (uint64_t)(lo | hi << 8);
}

static size_t get_newc(struct cpio *p, struct cpio_entry *e)
{
	char h[NEWC_BYTES - MAGIC_BYTES];
	uint64_t v[13];

	cpio_get_all(p, h, sizeof h);
	for (int i = 0; i < 13; i++)
		v[i] = get_number(h + i * 8, 8, 4);
	*e = (struct cpio_entry){
		.ino = v[0],
		.mode = (uint32_t)v[1],
		.uid = (uint32_t)v[2],
		.gid = (uint32_t)v[3],
		.nlink = (uint32_t)v[4],
		.mtime = v[5],
		.size = v[6],
		.dev_major = (uint32_t)v[7],
		.dev_minor = (uint32_t)v[8],
		.rdev_major = (uint32_t)v[9],
		.rdev_minor = (uint32_t)v[10],
		.check = (uint32_t)v[12],
	};
	return (size_t)v[11];
}

static size_t get_odc(struct cpio *p, struct cpio_entry *e)
{
	char h[ODC_BYTES - MAGIC_BYTES];

	cpio_get_all(p, h, sizeof h);
	uint32_t dev = (uint32_t)get_number(h, 6, 3);
	uint32_t rdev = (uint32_t)get_number(h + 36, 6, 3);

	*e = (struct cpio_entry){
		.dev_major = dev >> 8,
		.dev_minor = dev & 0xff,
		.ino = get_number(h + 6, 6, 3),
		.mode = (uint32_t)get_number(h + 12, 6, 3),
		.uid = (uint32_t)get_number(h + 18, 6, 3),
		.gid = (uint32_t)get_number(h + 24, 6, 3),
		.nlink = (uint32_t)get_number(h + 30, 6, 3),
		.rdev_major = rdev >> 8,
		.rdev_minor = rdev & 0xff,
		.mtime = get_number(h + 42, 11, 3),
		.size = get_number(h + 59, 11, 3),
	};
	return (size_t)get_number(h + 53, 6, 3);
}

/* first: the bytes that were read to look at the magic. */
static size_t get_bin(struct cpio *p, struct cpio_entry *e, const char *first, bool swapped)
{
	char h[BIN_BYTES];
	uint64_t v[13];

	memcpy(h, first, MAGIC_BYTES);
	cpio_get_all(p, h + MAGIC_BYTES, sizeof h - MAGIC_BYTES);
	for (int i = 0; i < 13; i++)
		v[i] = get_short(h + i * 2, swapped);
	*e = (struct cpio_entry){
		.dev_major = (uint32_t)v[1] >> 8,
		.dev_minor = v[1] & 0xff,
		.ino = v[2],
		.mode = (uint32_t)v[3],
		.uid = (uint32_t)v[4],
		.gid = (uint32_t)v[5],
		.nlink = (uint32_t)v[6],
		.rdev_major = (uint32_t)v[7] >> 8,
		.rdev_minor = v[7] & 0xff,
		.mtime = v[8] << 16 | v[9],
		.size = v[11] << 16 | v[12],
	};
	return (size_t)v[10];
}

static enum cpio_format format_of(const char *magic, bool *swapped)
{
	*swapped = memcmp(magic, "\161\307", 2) == 0;
	if (memcmp(magic, "070701", 6) == 0)
		return CPIO_NEWC;
	if (memcmp(magic, "070702", 6) == 0)
		return CPIO_CRC;
	if (memcmp(magic, "070707", 6) == 0)
		return CPIO_ODC;
	return memcmp(magic, "\307\161", 2) == 0 || *swapped ? CPIO_BIN : CPIO_UNKNOWN;
}

/* Bytes that begin no header are skipped, and told of at the end of them. */
static bool find_magic(struct cpio *p, char *magic, bool *swapped)
{
	uint64_t skipped = 0;
	enum cpio_format format;

	p->seeking = !p->has_format;
	cpio_get_all(p, magic, MAGIC_BYTES);
	while ((format = format_of(magic, swapped)) == CPIO_UNKNOWN) {
		memmove(magic, magic + 1, MAGIC_BYTES - 1);
		cpio_get_all(p, magic + MAGIC_BYTES - 1, 1);
		skipped++;
		cmd_charge(p->c, 1);
	}
	if (skipped > 0)
		cmd_warn(p->c, 0, "warning: skipped %llu byte%s of junk",
			 (unsigned long long)skipped, skipped == 1 ? "" : "s");
	p->format = format;
	p->seeking = false;
	return true;
}

/* Of an archive of unknown form the first block is looked at: is it tar's? */
static void find_tar(struct cpio *p)
{
	while (p->peek_to < CPIO_BLOCK) {
		struct bytes part;

		if (input_block(&p->in, &part) <= 0)
			break;
		p->in.from -= part.len;
		if (part.len > CPIO_BLOCK - p->peek_to)
			part.len = CPIO_BLOCK - p->peek_to;
		memcpy(p->peek + p->peek_to, part.ptr, part.len);
		p->peek_to += part.len;
		p->in.from += part.len;
	}
	if (p->peek_to == CPIO_BLOCK)
		p->format = cpio_tar_format(p->peek);
}

bool cpio_get_header(struct cpio *p, struct cpio_entry *e)
{
	char magic[MAGIC_BYTES];
	bool swapped;
	size_t n;
	size_t head;

	if (p->format == CPIO_UNKNOWN && !p->has_format)
		find_tar(p);
	if (cpio_is_tar(p))
		return cpio_get_tar(p, e);
	find_magic(p, magic, &swapped);
	if (p->format == CPIO_NEWC || p->format == CPIO_CRC) {
		n = get_newc(p, e);
		head = NEWC_BYTES;
	} else if (p->format == CPIO_ODC) {
		n = get_odc(p, e);
		head = ODC_BYTES;
	} else {
		n = get_bin(p, e, magic, swapped);
		head = BIN_BYTES;
	}
	if (n == 0 || n > CPIO_NAME_MAX)
		cmd_fatal_status(p->c, 2, 0, "malformed header: name of %zu bytes", n);
	char *name = arena_alloc(p->c->arena, n + 1);

	cpio_get_all(p, name, n);
	name[n] = '\0';
	cpio_skip_pad(p, head + n);
	e->name = name;
	return strcmp(name, "TRAILER!!!") != 0;
}
