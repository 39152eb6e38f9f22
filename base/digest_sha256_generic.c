/* SPDX-License-Identifier: MIT
 *
 * SHA-256 where no instructions for it are known.
 */
#include "base/digest.h"

void digest_sha256_blocks(uint32_t state[8], const uint8_t *at, size_t nblocks)
{
	digest_sha256_plain(state, at, nblocks);
}

bool digest_sha256_is_fast(void)
{
	return false;
}

void digest_sha256_fast(uint32_t state[8], const uint8_t *at, size_t nblocks)
{
	digest_sha256_plain(state, at, nblocks);
}
