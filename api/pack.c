/* SPDX-License-Identifier: MIT
 *
 * Numbers and bytes in a row, and the records of a journal. Everything that is read may have been
 * written by an attacker.
 */
#include "api/journal.h"

const char journal_magic[8] = { '\x89', 'C', 'W', 'J', '\r', '\n', '\x1a', '\n' };

/* --- writing --- */

static bool reserve(struct pack *p, size_t more)
{
	size_t cap = p->cap != 0 ? p->cap : 256;
	char *ptr;

	if (more > SIZE_MAX / 4 - p->len)
		p->failed = true;
	if (p->failed || p->len + more <= p->cap)
		return !p->failed;
	while (cap < p->len + more)
		cap *= 2;
	ptr = store_alloc(p->store, cap);
	p->failed = ptr == NULL;
	if (p->failed)
		return false;
	if (p->len != 0)
		memcpy(ptr, p->ptr, p->len);
	store_free(p->store, p->ptr, p->cap);
	p->ptr = ptr;
	p->cap = cap;
	return true;
}

void pack_number(struct pack *p, uint64_t v)
{
	if (!reserve(p, 10))
		return;
	for (; v >= 0x80; v >>= 7)
		p->ptr[p->len++] = (char)(v | 0x80);
	p->ptr[p->len++] = (char)v;
}

void pack_signed(struct pack *p, int64_t v)
{
	pack_number(p, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void pack_raw(struct pack *p, struct bytes b)
{
	if (b.len == 0 || !reserve(p, b.len))
		return;
	memcpy(p->ptr + p->len, b.ptr, b.len);
	p->len += b.len;
}

void pack_bytes(struct pack *p, struct bytes b)
{
	pack_number(p, b.len);
	pack_raw(p, b);
}

void pack_text(struct pack *p, const char *text)
{
	pack_bytes(p, (struct bytes){ text, text != NULL ? strlen(text) + 1 : 0 });
}

void pack_clear(struct pack *p)
{
	store_free(p->store, p->ptr, p->cap);
	*p = (struct pack){ .store = p->store };
}

/* --- reading --- */

uint64_t unpack_number(struct unpack *u)
{
	uint64_t v = 0;

	for (unsigned shift = 0; u->at < u->end && shift < 64; shift += 7) {
		uint8_t byte = (uint8_t)*u->at++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	u->bad = true;
	return 0;
}

int64_t unpack_signed(struct unpack *u)
{
	uint64_t v = unpack_number(u);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

struct bytes unpack_bytes(struct unpack *u)
{
	uint64_t len = unpack_number(u);
	struct bytes b = { u->at, 0 };

	if (u->bad || len > (size_t)(u->end - u->at)) {
		u->bad = true;
		return (struct bytes){ "", 0 };
	}
	b.len = (size_t)len;
	u->at += b.len;
	return b;
}

const char *unpack_text(struct unpack *u)
{
	struct bytes b = unpack_bytes(u);

	if (b.len == 0)
		return NULL;
	if (memchr(b.ptr, '\0', b.len) != b.ptr + b.len - 1) {
		u->bad = true;
		return "";
	}
	return b.ptr;
}

/* --- records --- */

static void check_of(uint8_t check[RECORD_CHECK], const uint8_t head[RECORD_HEAD],
		     struct bytes body)
{
	uint8_t result[DIGEST_MAX];
	struct digest d;

	digest_init(&d, DIGEST_SHA256, 0);
	digest_update(&d, (struct bytes){ (const char *)check, RECORD_CHECK });
	digest_update(&d, (struct bytes){ (const char *)head, RECORD_HEAD });
	digest_update(&d, body);
	digest_final(&d, result);
	memcpy(check, result, RECORD_CHECK);
}

void record_seal(uint8_t check[RECORD_CHECK], int type, struct bytes body,
		 uint8_t head[RECORD_HEAD])
{
	for (int i = 0; i < 4; i++)
		head[i] = (uint8_t)(body.len >> 8 * i);
	head[4] = (uint8_t)type;
	check_of(check, head, body);
}

enum record_state record_next(struct bytes journal, size_t *at, uint8_t check[RECORD_CHECK],
			      struct record *out)
{
	struct bytes left = bytes_slice(journal, *at, journal.len);
	const uint8_t *head = (const uint8_t *)left.ptr;
	struct bytes body;
	uint32_t len;

	if (left.len == 0)
		return RECORD_NONE;
	if (left.len < RECORD_HEAD + RECORD_CHECK)
		return RECORD_CUT;
	len = digest_le32(head);
	if (len > left.len - RECORD_HEAD - RECORD_CHECK)
		return RECORD_CUT;
	body = (struct bytes){ left.ptr + RECORD_HEAD, len };
	check_of(check, head, body);
	if (memcmp(check, body.ptr + len, RECORD_CHECK) != 0)
		return RECORD_DAMAGED;
	*out = (struct record){ head[4], { body.ptr, body.ptr + len, false }, *at };
	*at += RECORD_HEAD + len + RECORD_CHECK;
	return RECORD_OK;
}
