/* SPDX-License-Identifier: MIT
 *
 * Message digests over a stream of bytes: MD5, SHA-1, SHA-2, BLAKE2b, SM3, and the CRC of cksum.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/bytes.h"

enum digest_kind {
	DIGEST_MD5,
	DIGEST_SHA1,
	DIGEST_SHA224,
	DIGEST_SHA256,
	DIGEST_SHA384,
	DIGEST_SHA512,
	DIGEST_SHA512_224, /* as SHA-512 from another start, cut off */
	DIGEST_SHA512_256,
	DIGEST_SM3,
	DIGEST_BLAKE2B,
};

enum { DIGEST_MAX = 64, DIGEST_BLOCK_MAX = 128 };

union digest_state {
	uint32_t w32[8];
	uint64_t w64[8];
};

struct digest {
	enum digest_kind kind;
	size_t size; /* of the result, in bytes */
	size_t block_size;
	size_t fill; /* bytes in block */
	uint64_t total;
	bool fast; /* of SHA-256: digest_sha256_is_fast said so, nobody is asked again */
	union digest_state state;
	uint8_t block[DIGEST_BLOCK_MAX];
};

/* size: bytes of a BLAKE2b result (1..64), else 0. */
void digest_init(struct digest *d, enum digest_kind kind, size_t size);
void digest_update(struct digest *d, struct bytes s);
/* Writes d->size bytes. d must be initialised again before it is used further. */
void digest_final(struct digest *d, uint8_t out[DIGEST_MAX]);

/* The polynomial 0x04c11db7, highest bit first: begins with 0, the caller adds the length. */
uint32_t digest_crc(uint32_t crc, struct bytes s);

/* --- the parts: whole blocks into a state --- */

void digest_md5_blocks(uint32_t state[8], const uint8_t *at, size_t nblocks);
void digest_sha1_blocks(uint32_t state[8], const uint8_t *at, size_t nblocks);
void digest_sha256_blocks(uint32_t state[8], const uint8_t *at, size_t nblocks);
void digest_sha512_blocks(uint64_t state[8], const uint8_t *at, size_t nblocks);
void digest_sm3_blocks(uint32_t state[8], const uint8_t *at, size_t nblocks);
/* before: bytes hashed ahead of these blocks. */
void digest_blake2b_blocks(uint64_t state[8], const uint8_t *at, size_t nblocks, uint64_t before);
/* The last block, of which `used` bytes count. */
void digest_blake2b_last(uint64_t state[8], const uint8_t block[128], uint64_t total);

/* Whether the processor has instructions for it. Asking may cost as much as some pages. */
bool digest_sha256_is_fast(void);
/* With them. */
void digest_sha256_fast(uint32_t state[8], const uint8_t *at, size_t nblocks);

extern const uint32_t digest_sha256_keys[64];
/* The portable one, for processors without instructions for it. */
void digest_sha256_plain(uint32_t state[8], const uint8_t *at, size_t nblocks);

static inline uint32_t digest_rotl32(uint32_t v, int n)
{
	return v << n | v >> (32 - n);
}
static inline uint32_t digest_rotr32(uint32_t v, int n)
{
	return v >> n | v << (32 - n);
}
static inline uint64_t digest_rotr64(uint64_t v, int n)
{
	return v >> n | v << (64 - n);
}
static inline uint32_t digest_be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static inline uint32_t digest_le32(const uint8_t *at)
{
	return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}
static inline uint64_t digest_be64(const uint8_t *at)
{
	return (uint64_t)digest_be32(at) << 32 | digest_be32(at + 4);
}
static inline uint64_t digest_le64(const uint8_t *at)
{
	return (uint64_t)digest_le32(at + 4) << 32 | digest_le32(at);
}

#endif
