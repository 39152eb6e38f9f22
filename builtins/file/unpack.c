/* SPDX-License-Identifier: MIT
 *
 * -z and -Z: the start of what is compressed. Only one layer is taken off.
 *
 * What was unpacked before an error of bzip2 or xz does not count, as with the real one; data that
 * are merely cut off are no error.
 */
#include "base/codec.h"
#include "builtins/file/file.h"

enum { NO_HEADER = SIZE_MAX };

/* How long the header of gzip is; NO_HEADER: longer than the data. */
static size_t gzip_header(struct bytes s)
{
	unsigned flags = (unsigned)load_le(s, 3, 1);
	size_t at = 10;

	if ((flags & 4) != 0)
		at += 2 + (size_t)load_le(s, 10, 2);
	for (unsigned bit = 8; bit <= 16; bit *= 2) {
		const char *end;

		if ((flags & bit) == 0)
			continue;
		end = at < s.len ? memchr(s.ptr + at, '\0', s.len - at) : NULL;
		if (end == NULL)
			return NO_HEADER;
		at = (size_t)(end - s.ptr) + 1;
	}
	at += (flags & 2) != 0 ? 2 : 0;
	return at < s.len ? at : NO_HEADER;
}

bool guess_is_zlib(struct bytes s)
{
	return s.len > 2 && (s.ptr[0] & 0x8f) == 8 && load_be(s, 0, 2) % 31 == 0;
}

/* Which of the known kinds; where its stream begins. */
static bool kind_of(struct bytes s, enum codec_kind *kind, size_t *at)
{
	*at = 0;
	if (HAS(s, 0, "\x1f\x8b")) {
		*kind = CODEC_DEFLATE;
		*at = gzip_header(s);
	} else if (HAS(s, 0, "BZh")) {
		*kind = CODEC_BZIP2;
	} else if (HAS(s, 0,
		       "\xfd"
		       "7zXZ\0")) {
		*kind = CODEC_XZ;
	} else if (HAS(s, 0, "\x5d\0\0")) {
		*kind = CODEC_LZMA;
	} else if (HAS(s, 0, "\x28\xb5\x2f\xfd")) {
		*kind = CODEC_ZSTD;
	} else if (guess_is_zlib(s)) { /* text may begin so, too: the caller knows */
		*kind = CODEC_DEFLATE;
		*at = 2;
	} else {
		return false;
	}
	return true;
}

static const char *what_failed(struct cmd *c, enum codec_kind kind, enum codec_result result,
			       const char *message)
{
	struct buf text = buf_in(c->arena);

	switch (kind) {
	case CODEC_DEFLATE:
		buf_printf(&text, "zlib: %s", message != NULL ? message : "data error");
		break;
	case CODEC_BZIP2: buf_puts(&text, "bzlib: bunzip error -4"); break;
	case CODEC_ZSTD: buf_puts(&text, "zstd: data error"); break;
	default:
		buf_printf(&text, "xzlib: unxz error %d",
			   result == CODEC_MEMORY      ? 6
			   : result == CODEC_BAD_MAGIC ? 7
			   : result == CODEC_OPTIONS   ? 8
						       : 9);
	}
	return buf_cstr(&text);
}

bool guess_unpack(struct cmd *c, struct bytes packed, struct bytes *out, const char **error)
{
	struct codec_options o = { .decode = true };
	size_t at;
	struct codec z = { 0 };
	enum codec_result result = CODEC_MORE;

	*error = NULL;
	*out = BYTES("");
	if (!kind_of(packed, &o.kind, &at))
		return false;
	if (at == NO_HEADER) {
		*error = "zlib: File too short";
		return true;
	}
	char *room = arena_alloc(c->arena, LOOK_BYTES);

	if (!codec_start(&z, c->pool, &o)) {
		*error = what_failed(c, o.kind, CODEC_BAD, NULL);
		return true;
	}
	z.in = (const uint8_t *)packed.ptr + at;
	z.in_len = packed.len - at;
	z.out = (uint8_t *)room;
	z.out_len = LOOK_BYTES;
	while (result == CODEC_MORE && z.in_len > 0 && z.out_len > 0) {
		size_t before = z.in_len + z.out_len;

		result = codec_run(&z, false);
		cmd_charge_bytes(c, before - z.in_len - z.out_len);
		if (before == z.in_len + z.out_len)
			break;
	}
	if (result != CODEC_MORE && result != CODEC_END)
		*error = what_failed(c, o.kind, result, z.message);
	else
		*out = (struct bytes){ room, LOOK_BYTES - z.out_len };
	codec_stop(&z);
	return true;
}
