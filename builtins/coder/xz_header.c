/* SPDX-License-Identifier: MIT
 *
 * xz -lvv: what the header of a block says.
 */
#include "builtins/coder/xz.h"

enum { ID_DELTA = 3, ID_LZMA2 = 0x21, KIND_BITS = 0x3f };
enum { VERSION_ARM64 = 50040002, VERSION_EMPTY = 50000022, DICT_LARGEST = 40 };
enum { HAS_COMPRESSED = 0x40, HAS_UNCOMPRESSED = 0x80 };

/* A filter of programs' code: its number in files, name, and of what its start is a multiple. */
static const struct code_filter {
	uint64_t id;
	const char *name;
	uint32_t align;
	enum codec_filter_kind kind;
} code_filters[] = {
	{ 4, "x86", 1, CODEC_FILTER_X86 },           { 5, "powerpc", 4, CODEC_FILTER_POWERPC },
	{ 6, "ia64", 16, CODEC_FILTER_IA64 },        { 7, "arm", 4, CODEC_FILTER_ARM },
	{ 8, "armthumb", 2, CODEC_FILTER_ARMTHUMB }, { 9, "sparc", 4, CODEC_FILTER_SPARC },
	{ 10, "arm64", 4, CODEC_FILTER_ARM64 },
};

struct reading {
	struct xz *x;
	const uint8_t *at;
	const uint8_t *end;
	struct codec_filter filters[CODEC_FILTERS_MAX];
	struct buf text;
};

uint32_t xz_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool xz_read_vli(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	*out = 0;
	for (int shift = 0; *at < end && shift < 63; shift += 7) {
		uint8_t byte = *(*at)++;

		*out |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return byte != 0 || shift == 0;
	}
	return false;
}

static void put_number(struct buf *out, const char *name, uint32_t n)
{
	const char *unit = n % (1 << 20) == 0 ? "MiB" : n % (1 << 10) == 0 ? "KiB" : "";

	n >>= *unit == 'M' ? 20 : *unit == 'K' ? 10 : 0;
	buf_printf(out, "=%s=%u%s", name, n, unit);
}

static bool read_code_filter(struct reading *r, uint64_t id, uint64_t len, struct codec_filter *f,
			     struct xz_block_header *h)
{
	const struct code_filter *c = code_filters;

	for (; c->id != id; c++)
		if (c + 1 == code_filters + sizeof code_filters / sizeof *code_filters)
			return false;
	if (len != 0 && len != 4)
		return false;
	f->kind = c->kind;
	f->value = len == 4 ? xz_le32(r->at) : 0;
	buf_printf(&r->text, "--%s", c->name);
	if (f->value != 0)
		put_number(&r->text, "start", f->value);
	if (c->kind == CODEC_FILTER_ARM64 && h->version < VERSION_ARM64)
		h->version = VERSION_ARM64;
	return f->value % c->align == 0;
}

/* False: it is none that is known. */
static bool read_filter(struct reading *r, uint64_t id, uint64_t len, bool last,
			struct codec_filter *f, struct xz_block_header *h)
{
	buf_puts(&r->text, r->text.len != 0 ? " " : "");
	if ((id == ID_LZMA2) != last)
		return false;
	if (id == ID_DELTA) {
		if (len != 1)
			return false;
		f->kind = CODEC_FILTER_DELTA;
		f->value = r->at[0] + 1u;
		buf_printf(&r->text, "--delta=dist=%u", f->value);
		return true;
	}
	if (id != ID_LZMA2)
		return read_code_filter(r, id, len, f, h);
	if (len != 1 || r->at[0] > DICT_LARGEST)
		return false;
	f->kind = CODEC_FILTER_LZMA2;
	codec_filter_preset(f, 0, false);
	f->dict = r->at[0] == DICT_LARGEST ? UINT32_MAX
					   : (2u | (r->at[0] & 1u)) << (r->at[0] / 2 + 11);
	buf_puts(&r->text, "--lzma2");
	put_number(&r->text, "dict", f->dict);
	return true;
}

static enum codec_result read_filters(struct reading *r, int n, struct xz_block_header *h)
{
	for (int i = 0; i < n; i++) {
		uint64_t id;
		uint64_t len;

		if (!xz_read_vli(&r->at, r->end, &id) || !xz_read_vli(&r->at, r->end, &len) ||
		    len > (uint64_t)(r->end - r->at))
			return CODEC_BAD;
		if (!read_filter(r, id, len, i == n - 1, &r->filters[i], h))
			return CODEC_OPTIONS;
		r->at += len;
	}
	while (r->at < r->end)
		if (*r->at++ != 0)
			return CODEC_OPTIONS;
	h->filters = buf_cstr(&r->text);
	h->memory = codec_filters_memory(r->filters, n, true);
	return h->memory == UINT64_MAX ? CODEC_OPTIONS : CODEC_END;
}

/* CRCs are numbers, which lie there from their lowest byte on. */
static void put_check(struct xz_block_header *h, const uint8_t *sum, unsigned n)
{
	memcpy(h->check, "---", sizeof "---");
	for (unsigned i = 0; i < n; i++) {
		uint8_t byte = sum[n <= 8 ? n - 1 - i : i];

		h->check[2 * i] = "0123456789abcdef"[byte >> 4];
		h->check[2 * i + 1] = "0123456789abcdef"[byte & 15];
		h->check[2 * i + 2] = '\0';
	}
}

unsigned xz_check_size(unsigned kind)
{
	static const uint8_t sizes[] = { 0, 4, 8, 16, 32, 64 };

	return sizes[kind == 0 ? 0 : (kind + 2) / 3];
}

enum codec_result xz_read_block_header(struct xz *x, int fd, uint64_t pos, unsigned check,
				       const struct xz_block *b, struct xz_block_header *h)
{
	uint8_t text[1024];
	uint8_t sum[64];
	unsigned check_size = xz_check_size(check);
	struct reading r = { .x = x, .text = buf_in(x->c->arena) };
	uint64_t compressed = 1;
	uint64_t out = b->out;
	enum codec_result result;

	*h = (struct xz_block_header){ .version = XZ_VERSION_OLDEST };
	if (cmd_pread(x->c, fd, text, 1, pos) != 1 || text[0] == 0)
		return CODEC_BAD;
	h->size = text[0] * 4u + 4;
	if (h->size + check_size > b->size ||
	    cmd_pread(x->c, fd, text, h->size, pos) != (int64_t)h->size ||
	    cmd_pread(x->c, fd, sum, check_size, pos + b->total - check_size) != check_size ||
	    xz_le32(text + h->size - 4) != codec_crc32(0, text, h->size - 4))
		return CODEC_BAD;
	if ((text[1] & KIND_BITS & ~3) != 0)
		return CODEC_OPTIONS;
	r.at = text + 2;
	r.end = text + h->size - 4;
	h->compressed = b->size - h->size - check_size;
	h->has_compressed = (text[1] & HAS_COMPRESSED) != 0;
	h->has_uncompressed = (text[1] & HAS_UNCOMPRESSED) != 0;
	if (h->has_compressed && !xz_read_vli(&r.at, r.end, &compressed))
		return CODEC_BAD;
	if (h->has_uncompressed && !xz_read_vli(&r.at, r.end, &out))
		return CODEC_BAD;
	put_check(h, sum, check_size);
	if (b->out == 0)
		h->version = VERSION_EMPTY;
	result = compressed != 0 ? read_filters(&r, (text[1] & 3) + 1, h) : CODEC_BAD;
	if (h->has_compressed && compressed != h->compressed)
		result = result == CODEC_END ? CODEC_BAD : result;
	return result == CODEC_END && out != b->out ? CODEC_BAD : result;
}
