/* SPDX-License-Identifier: MIT
 *
 * The gzip format (RFC 1952): headers, deflated data, trailers; several members are one file.
 */
#include "builtins/gzip/gzip.h"

enum header_flags {
	HEADER_CRC = 2,
	HEADER_EXTRA = 4,
	HEADER_NAME = 8,
	HEADER_COMMENT = 16,
	HEADER_ENCRYPTED = 32,
	HEADER_RESERVED = 0xc0,
};
enum {
	METHOD_DEFLATE = 8,
	TRAILER_BYTES = 8,
	STORED_NAME_MAX = 4096,
	STEP_BYTES = 16, /* compressing costs a step for so many bytes */
	SYNC_BLOCK = 4096,
};

/* --- reading --- */

static const char truncated[] = "unexpected end of file";

int gzip_byte(struct gzip_job *j)
{
	int byte = input_byte(&j->in);

	if (byte < -1)
		cmd_fatal(j->g->c, byte + 1, "%s", j->name);
	j->bytes_in += byte >= 0;
	return byte;
}

/* The next byte of the header, added to its checksum. */
static unsigned header_byte(struct gzip_job *j, uint32_t *crc)
{
	int byte = gzip_byte(j);
	unsigned char ch = (unsigned char)byte;

	if (byte < 0)
		gzip_abort(j, truncated);
	*crc = codec_crc32(*crc, &ch, 1);
	return ch;
}

static uint32_t header_number(struct gzip_job *j, int bytes, uint32_t *crc)
{
	uint32_t v = 0;

	for (int i = 0; i < bytes; i++)
		v |= (uint32_t)header_byte(j, crc) << (8 * i);
	return v;
}

/* A NUL-ended text, kept if it is the name to restore. */
static void header_text(struct gzip_job *j, uint32_t *crc, bool keep)
{
	struct buf text = buf_in(j->g->c->arena);
	unsigned ch;

	while ((ch = header_byte(j, crc)) != 0) {
		if (keep && ch == '/')
			text.len = 0;
		else if (keep && text.len < STORED_NAME_MAX)
			buf_putc(&text, (char)ch);
		cmd_charge(j->g->c, 1);
	}
	if (keep)
		j->stored = buf_cstr(&text);
}

static int refuse(struct gzip_job *j, struct bytes text)
{
	struct buf line = buf_in(j->g->c->arena);

	buf_printf(&line, "%s: %s%.*s\n", j->g->c->name, j->name, (int)text.len, text.ptr);
	cmd_flush(j->g->c);
	cmd_err_write(j->g->c, line.ptr, line.len);
	j->g->status = 1;
	return 0;
}

/* What flags promise behind the fixed part. */
static int header_rest(struct gzip_job *j, unsigned flags, uint32_t *crc)
{
	struct buf text = buf_in(j->g->c->arena);

	if (flags & HEADER_EXTRA) {
		uint32_t n = header_number(j, 2, crc);

		if (j->g->verbose > 0)
			cmd_warn(j->g->c, 0, "%s: extra field of %u bytes ignored", j->name, n);
		for (; n > 0; n--)
			header_byte(j, crc);
	}
	if (flags & HEADER_NAME)
		header_text(j, crc, j->part == 1);
	if (flags & HEADER_COMMENT)
		header_text(j, crc, false);
	if (flags & HEADER_CRC) {
		uint32_t computed = *crc & 0xffff;
		uint32_t stored = header_number(j, 2, crc);

		if (stored != computed) {
			buf_printf(&text, ": header checksum 0x%04x != computed checksum 0x%04x",
				   stored, computed);
			return refuse(j, buf_bytes(&text));
		}
	}
	return 1;
}

static int gzip_fields(struct gzip_job *j, uint32_t crc)
{
	struct buf text = buf_in(j->g->c->arena);
	unsigned method = header_byte(j, &crc);

	j->format = GZIP_DEFLATE;
	if (method != METHOD_DEFLATE) {
		buf_printf(&text, ": unknown method %u -- not supported", method);
		return refuse(j, buf_bytes(&text));
	}
	unsigned flags = header_byte(j, &crc);

	if (flags & HEADER_ENCRYPTED)
		return refuse(j, BYTES(" is encrypted -- not supported"));
	if (flags & HEADER_RESERVED) {
		buf_printf(&text, " has flags 0x%x -- not supported", flags);
		return refuse(j, buf_bytes(&text));
	}
	uint32_t stamp = header_number(j, 4, &crc);

	if (stamp != 0 && j->part == 1)
		j->time = stamp;
	header_byte(j, &crc);
	header_byte(j, &crc);
	return header_rest(j, flags, &crc);
}

/* No magic of a known format at the start of a file: with -cf it is copied. */
static int unknown(struct gzip_job *j, int first, int second)
{
	if (j->g->force && j->g->to_stdout && !j->g->list) {
		j->magic[0] = (unsigned char)first;
		j->magic[1] = (unsigned char)second;
		j->magic_len = first < 0 ? 0 : second < 0 ? 1 : 2;
		j->format = GZIP_PLAIN;
		return 1;
	}
	if (second < 0)
		gzip_abort(j, truncated);
	gzip_error(j, "not in gzip format");
	return 0;
}

/* Behind a member stands neither another nor nothing. */
static int trailing(struct gzip_job *j, int first, int second)
{
	int byte = first;

	if (j->g->force && j->g->to_stdout && !j->g->list)
		return unknown(j, first, second);
	if (j->g->to_stdout)
		output_flush(&j->out);
	if (first != 0 && second < 0)
		gzip_abort(j, truncated);
	if (first == 0)
		byte = second;
	while (byte == 0) {
		byte = gzip_byte(j);
		cmd_charge(j->g->c, 1);
	}
	if (byte >= 0)
		gzip_warn(j->g, "\n%s: %s: decompression OK, trailing garbage ignored\n",
			  j->g->c->name, j->name);
	else if (j->g->verbose > 0)
		gzip_warn(j->g, "\n%s: %s: decompression OK, trailing zero bytes ignored\n",
			  j->g->c->name, j->name);
	return 0;
}

/* Behind "PK": the rest of the magic of a zip archive's first member. */
static bool is_zip(struct gzip_job *j)
{
	return j->in.to - j->in.from >= 2 && memcmp(j->in.ptr + j->in.from, "\3\4", 2) == 0;
}

int gzip_header(struct gzip_job *j)
{
	int first = gzip_byte(j);

	if (j->part++ > 0) {
		if (first < 0)
			return 0;
		j->header_bytes = 0;
	}
	int second = first < 0 ? -1 : gzip_byte(j);

	if (j->part > 1 && (first != 0x1f || second < 0))
		return trailing(j, first, second);
	if (first == 0x1f && second == 0x9d && j->part == 1) {
		j->format = GZIP_LZW;
		return 1;
	}
	if (j->part == 1 && first == 'P' && second == 'K' && !j->g->list && is_zip(j)) {
		j->format = GZIP_ZIP;
		return gzip_zip_header(j);
	}
	if (first != 0x1f || (second != 0x8b && second != 0x9e))
		return j->part > 1 ? trailing(j, first, second) : unknown(j, first, second);
	unsigned char magic[2] = { (unsigned char)first, (unsigned char)second };
	int found = gzip_fields(j, codec_crc32(0, magic, 2));

	if (j->part == 1)
		j->header_bytes = j->bytes_in + TRAILER_BYTES;
	return found;
}

void gzip_put(struct gzip_job *j, const void *data, size_t len)
{
	j->bytes_out += len;
	if (j->has_out)
		output_write(&j->out, data, len);
}

static uint32_t trailer_number(struct gzip_job *j)
{
	uint32_t unused = 0;

	return header_number(j, 4, &unused);
}

bool gzip_check(struct gzip_job *j, uint32_t crc, uint32_t size)
{
	bool good = crc == j->crc;

	if (!good)
		gzip_error(j, "invalid compressed data--crc error");
	if (size != (uint32_t)j->bytes_out) {
		gzip_error(j, "invalid compressed data--length error");
		good = false;
	}
	return good;
}

static void inflate_all(struct gzip_job *j, struct codec *z, uint8_t *block)
{
	struct cmd *c = j->g->c;
	enum codec_result result = CODEC_MORE;

	while (result != CODEC_END) {
		struct bytes part;

		if (z->in_len == 0 && z->out_len != 0) {
			int more = input_block(&j->in, &part);

			if (more < 0)
				cmd_fatal(c, more, "%s", j->name);
			if (more == 0)
				gzip_abort(j, truncated);
			z->in = (const uint8_t *)part.ptr;
			z->in_len = part.len;
			j->bytes_in += part.len;
		}
		z->out = block;
		z->out_len = GZIP_BLOCK;
		result = codec_run(z, false);
		size_t made = GZIP_BLOCK - z->out_len;

		if (result != CODEC_MORE && result != CODEC_END)
			gzip_abort(j, "invalid compressed data--format violated");
		j->crc = codec_crc32(j->crc, block, made);
		gzip_put(j, block, made);
		cmd_charge_bytes(c, made);
	}
	j->in.from -= z->in_len;
	j->bytes_in -= z->in_len;
}

void gzip_inflate(struct gzip_job *j, uint8_t *block)
{
	struct codec_options deflate = { .kind = CODEC_DEFLATE, .decode = true };
	struct codec z;

	j->bytes_out = 0;
	j->crc = 0;
	if (!codec_start(&z, j->g->c->pool, &deflate))
		gzip_abort(j, "out of memory");
	z.out_len = 1;
	inflate_all(j, &z, block);
	codec_stop(&z);
}

static bool unpack_member(struct gzip_job *j, uint8_t *block)
{
	gzip_inflate(j, block);
	uint32_t crc = trailer_number(j);

	return gzip_check(j, crc, trailer_number(j));
}

static void copy_plain(struct gzip_job *j)
{
	struct bytes part;
	int more;

	gzip_put(j, j->magic, j->magic_len);
	while ((more = input_block(&j->in, &part)) > 0)
		gzip_put(j, part.ptr, part.len);
	if (more < 0)
		cmd_fatal(j->g->c, more, "%s", j->name);
}

bool gzip_unpack(struct gzip_job *j)
{
	uint8_t *block = pool_alloc(j->g->c->pool, GZIP_BLOCK);
	bool good = true;

	if (j->format == GZIP_PLAIN) {
		copy_plain(j);
	} else if (j->format == GZIP_LZW) {
		gzip_unlzw(j);
	} else if (j->format == GZIP_ZIP) {
		good = gzip_unzip(j, block);
	} else {
		do
			good &= unpack_member(j, block);
		while (gzip_header(j) > 0 && j->format != GZIP_PLAIN);
		if (j->format == GZIP_PLAIN)
			copy_plain(j);
	}
	pool_free(j->g->c->pool, block, GZIP_BLOCK);
	return good;
}

/* --- writing --- */

static void put_number(struct output *o, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		output_putc(o, (char)(v >> (8 * i)));
}

/* The time to store: of a regular file unless -n; 0 for none. */
static uint32_t stored_time(struct gzip_job *j)
{
	int64_t seconds = j->st.mtime_ns / 1000000000 - (j->st.mtime_ns % 1000000000 < 0);

	if (j->g->no_time || (j->st.mode & S_FMT) != S_REG)
		return 0;
	if (seconds > 0 && seconds <= UINT32_MAX)
		return (uint32_t)seconds;
	gzip_warn(j->g, "%s: %s: warning: file timestamp out of range for gzip format\n",
		  j->g->c->name, j->name);
	return 0;
}

static void put_header(struct gzip_job *j)
{
	static const unsigned char magic[] = { 0x1f, 0x8b, METHOD_DEFLATE };
	const char *slash = strrchr(j->name, '/');
	const char *base = slash != NULL ? slash + 1 : j->name;
	bool named = !j->g->no_name && !j->in.is_stdin;
	int level = j->g->level;

	output_write(&j->out, magic, sizeof magic);
	output_putc(&j->out, named ? HEADER_NAME : 0);
	put_number(&j->out, stored_time(j), 4);
	output_putc(&j->out, level == 1 ? 4 : level == 9 ? 2 : 0);
	output_putc(&j->out, 3);
	j->header_bytes = 10 + TRAILER_BYTES;
	if (named) {
		output_write(&j->out, base, strlen(base) + 1);
		j->header_bytes += strlen(base) + 1;
	}
	j->bytes_out = j->header_bytes;
}

/*
 * --rsyncable: where the sum over the last SYNC_BLOCK bytes is a multiple of it the stream
 * begins anew, so that equal stretches give equal output. Returns how many of n bytes come
 * before such a place (n: none), and whether there is one.
 */
struct roll {
	uint8_t window[SYNC_BLOCK];
	size_t at;
	uint32_t sum;
};

static size_t find_sync(struct roll *r, const uint8_t *data, size_t n, bool *sync)
{
	for (size_t i = 0; i < n; i++) {
		r->sum += (uint32_t)data[i] - r->window[r->at];
		r->window[r->at] = data[i];
		r->at = (r->at + 1) % SYNC_BLOCK;
		if (r->sum % SYNC_BLOCK == 0) {
			*sync = true;
			return i + 1;
		}
	}
	*sync = false;
	return n;
}

static void deflate_part(struct gzip_job *j, struct codec *z, uint8_t *block, bool finish)
{
	enum codec_result result;

	do {
		z->out = block;
		z->out_len = GZIP_BLOCK;
		result = codec_run(z, finish);
		size_t made = GZIP_BLOCK - z->out_len;

		output_write(&j->out, block, made);
		j->bytes_out += made;
	} while (z->out_len == 0 || (finish && result == CODEC_MORE));
}

static void deflate_block(struct gzip_job *j, struct codec *z, struct bytes part, struct roll *r,
			  uint8_t *block)
{
	while (part.len > 0) {
		size_t n = part.len;
		bool sync = false;

		if (r != NULL)
			n = find_sync(r, (const uint8_t *)part.ptr, part.len, &sync);
		z->in = (const uint8_t *)part.ptr;
		z->in_len = n;
		z->flush = sync;
		deflate_part(j, z, block, false);
		part = bytes_slice(part, n, part.len);
	}
}

void gzip_pack(struct gzip_job *j)
{
	struct gzip *g = j->g;
	struct codec_options deflate = { .kind = CODEC_DEFLATE, .level = g->level };
	struct roll *roll = g->rsyncable ? pool_zalloc(g->c->pool, sizeof *roll) : NULL;
	uint8_t *block = pool_alloc(g->c->pool, GZIP_BLOCK);
	struct codec z;
	struct bytes part;
	int more;

	put_header(j);
	if (!codec_start(&z, g->c->pool, &deflate))
		gzip_abort(j, "out of memory");
	while ((more = input_block(&j->in, &part)) > 0) {
		j->crc = codec_crc32(j->crc, part.ptr, part.len);
		j->bytes_in += part.len;
		deflate_block(j, &z, part, roll, block);
		cmd_charge(g->c, part.len / STEP_BYTES + 1);
	}
	if (more < 0)
		cmd_fatal(g->c, more, "%s", j->name);
	z.in_len = 0;
	z.flush = false;
	deflate_part(j, &z, block, true);
	codec_stop(&z);
	put_number(&j->out, j->crc, 4);
	put_number(&j->out, (uint32_t)j->bytes_in, 4);
	pool_free(g->c->pool, block, GZIP_BLOCK);
	if (roll != NULL)
		pool_free(g->c->pool, roll, sizeof *roll);
}
