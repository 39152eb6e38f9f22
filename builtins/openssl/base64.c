/* SPDX-License-Identifier: MIT
 *
 * base64 as openssl's filter has it: lines of 64 letters, each ended. Reading, it begins at the
 * first whole line that is base64, and stops silently at what is not, at "-" and behind "=".
 */
#include "builtins/openssl/openssl.h"

enum { LINE_BYTES = 48 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* At most three bytes as four letters. */
static void put_group(struct output *out, const uint8_t *at, size_t n)
{
	uint32_t bits = (uint32_t)at[0] << 16 | (n > 1 ? (uint32_t)at[1] << 8 : 0) |
			(n > 2 ? (uint32_t)at[2] : 0);

	for (unsigned i = 0; i < 4; i++)
		output_putc(out, i <= n ? letters[bits >> (18 - 6 * i) & 63] : '=');
}

static void put_line(struct output *out, const uint8_t *at, size_t n, bool one_line)
{
	for (size_t i = 0; i < n; i += 3)
		put_group(out, at + i, n - i < 3 ? n - i : 3);
	if (!one_line)
		output_putc(out, '\n');
}

int openssl_encode(struct input *in, struct output *out, bool one_line)
{
	uint8_t line[LINE_BYTES];
	size_t n = 0;
	struct bytes block;
	int more;

	while ((more = input_block(in, &block)) > 0) {
		for (size_t i = 0; i < block.len; i++) {
			line[n++] = (uint8_t)block.ptr[i];
			if (n == LINE_BYTES) {
				put_line(out, line, n, one_line);
				n = 0;
			}
		}
		cmd_charge_bytes(in->c, block.len);
	}
	if (n > 0)
		put_line(out, line, n, one_line);
	return more;
}

static int value_of(char ch)
{
	const char *hit = ch != '\0' ? strchr(letters, ch) : NULL;

	return hit != NULL ? (int)(hit - letters) : -1;
}

/* Decodes until the text ends or is wrong. */
static void decode(struct bytes text, struct output *out)
{
	uint32_t bits = 0;
	unsigned n = 0;
	unsigned padding = 0;

	for (size_t i = 0; i < text.len; i++) {
		char ch = text.ptr[i];
		int value = value_of(ch);

		if (byte_is_space((unsigned char)ch))
			continue;
		if (ch == '=' && n >= 2)
			padding++;
		else if (value < 0 || padding > 0)
			return;
		bits = bits << 6 | (value < 0 ? 0 : (uint32_t)value);
		if (++n < 4)
			continue;
		for (unsigned b = 0; b < 3 - padding; b++)
			output_putc(out, (char)(bits >> (16 - 8 * b)));
		if (padding > 0)
			return;
		n = 0;
	}
}

/* Whether the letters of a line are all base64 and, padded, whole groups. */
static bool is_base64(struct bytes line)
{
	size_t n = 0;
	size_t padding = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (byte_is_space((unsigned char)line.ptr[i]))
			continue;
		if (line.ptr[i] == '=')
			padding++;
		else if (value_of(line.ptr[i]) < 0 || padding > 0)
			return false;
		n++;
	}
	return n > 0 && padding <= 2;
}

void openssl_decode(struct cmd *c, struct bytes text, struct output *out, bool one_line)
{
	cmd_charge_bytes(c, 4 * text.len);
	while (!one_line) {
		const char *end = text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;

		if (end == NULL)
			return;
		if (is_base64(bytes_slice(text, 0, (size_t)(end - text.ptr))))
			break;
		text = bytes_slice(text, (size_t)(end + 1 - text.ptr), text.len);
	}
	decode(text, out);
}
