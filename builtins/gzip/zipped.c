/* SPDX-License-Identifier: MIT
 *
 * gzip -d of zip archives: the first member, stored or deflated. The rest is not looked at.
 */
#include "builtins/gzip/gzip.h"

enum {
	ZIP_ENCRYPTED = 1,
	ZIP_SIZES_BEHIND = 8,
	ZIP_STORED = 0,
	ZIP_DEFLATED = 8,
	ZIP_FIELDS = 28, /* of the header, with the rest of the magic */
	ZIP_BEHIND = 16,
};

static uint32_t number(const unsigned char *at, size_t bytes)
{
	uint32_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | at[bytes];
	return v;
}

/* How many of n bytes there are. */
static size_t take(struct gzip_job *j, unsigned char *to, size_t n)
{
	size_t got = 0;

	for (int byte; got < n && (byte = gzip_byte(j)) >= 0; got++)
		to[got] = (unsigned char)byte;
	return got;
}

int gzip_zip_header(struct gzip_job *j)
{
	unsigned char h[ZIP_FIELDS];
	size_t left;

	if (take(j, h, sizeof h) < sizeof h) {
		gzip_error(j, "not a valid zip file");
		return 0;
	}
	j->zip = (struct gzip_zip){
		.flags = number(h + 4, 2),
		.method = number(h + 6, 2),
		.crc = number(h + 12, 4),
		.packed = number(h + 16, 4),
		.size = number(h + 20, 4),
	};
	/* Name and extra field. */
	for (left = number(h + 24, 2) + number(h + 26, 2); left > 0; left--)
		if (gzip_byte(j) < 0) {
			gzip_error(j, "not a valid zip file");
			return 0;
		}
	if (j->zip.method != ZIP_STORED && j->zip.method != ZIP_DEFLATED)
		gzip_error(j, "first entry not deflated or stored -- use unzip");
	else if (j->zip.flags & ZIP_ENCRYPTED)
		gzip_error(j, "encrypted file -- use unzip");
	else
		return 1;
	return 0;
}

static bool copy_stored(struct gzip_job *j)
{
	struct bytes part;

	if (j->zip.packed != j->zip.size) {
		struct buf text = buf_in(j->g->c->arena);

		buf_printf(&text, "len %u, siz %u\n", j->zip.size, j->zip.packed);
		cmd_err_write(j->g->c, text.ptr, text.len);
		gzip_error(j, "invalid compressed data--length mismatch");
		return false;
	}
	for (uint32_t left = j->zip.size; left > 0; left -= (uint32_t)part.len) {
		int more = input_block(&j->in, &part);

		if (more < 0)
			cmd_fatal(j->g->c, more, "%s", j->name);
		if (more == 0)
			gzip_abort(j, "unexpected end of file");
		if (part.len > left) {
			j->in.from -= part.len - left;
			part.len = left;
		}
		j->bytes_in += part.len;
		j->crc = codec_crc32(j->crc, part.ptr, part.len);
		gzip_put(j, part.ptr, part.len);
		cmd_charge_bytes(j->g->c, part.len);
	}
	return true;
}

bool gzip_unzip(struct gzip_job *j, uint8_t *block)
{
	unsigned char behind[ZIP_BEHIND];

	if (j->zip.method == ZIP_DEFLATED)
		gzip_inflate(j, block);
	else if (!copy_stored(j))
		return false;
	if (j->zip.flags & ZIP_SIZES_BEHIND) {
		if (take(j, behind, sizeof behind) < sizeof behind)
			gzip_abort(j, "unexpected end of file");
		j->zip.crc = number(behind + 4, 4);
		j->zip.size = number(behind + 12, 4);
	}
	if (!gzip_check(j, j->zip.crc, j->zip.size))
		return false;
	if (take(j, behind, 4) == 4 && memcmp(behind, "PK\3\4", 4) == 0)
		gzip_warn(j->g, "%s: %s has more than one entry--rest ignored\n", j->g->c->name,
			  j->name);
	/* The ratio counts what was read. */
	j->bytes_in += j->in.to - j->in.from;
	return true;
}
