/* SPDX-License-Identifier: MIT
 *
 * The traditional encryption of zip (APPNOTE 6.1): three keys that the password and each byte
 * stir. It is weak; it keeps curious people out, and opens what others locked.
 */
#include "builtins/zip/zip.h"

static uint32_t crc_step(const struct zip_keys *k, uint32_t crc, unsigned char ch)
{
	return k->table[(crc ^ ch) & 0xff] ^ crc >> 8;
}

static void stir(struct zip_keys *k, unsigned char plain)
{
	k->key[0] = crc_step(k, k->key[0], plain);
	k->key[1] = (k->key[1] + (k->key[0] & 0xff)) * 134775813 + 1;
	k->key[2] = crc_step(k, k->key[2], (unsigned char)(k->key[1] >> 24));
}

static unsigned char mask(const struct zip_keys *k)
{
	uint32_t v = (k->key[2] | 2) & 0xffff;

	return (unsigned char)(v * (v ^ 1) >> 8);
}

void zip_keys_init(struct zip_keys *k, const char *password)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (int bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? 0xedb88320 : 0);
		k->table[i] = v;
	}
	k->key[0] = 0x12345678;
	k->key[1] = 0x23456789;
	k->key[2] = 0x34567890;
	for (; *password != '\0'; password++)
		stir(k, (unsigned char)*password);
}

void zip_encrypt(struct zip_keys *k, unsigned char *out, const void *data, size_t n)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < n; i++) {
		unsigned char plain = at[i];

		out[i] = plain ^ mask(k);
		stir(k, plain);
	}
}

void zip_decrypt(struct zip_keys *k, void *data, size_t n)
{
	unsigned char *at = data;

	for (size_t i = 0; i < n; i++) {
		at[i] ^= mask(k);
		stir(k, at[i]);
	}
}
