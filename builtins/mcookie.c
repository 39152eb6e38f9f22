/* SPDX-License-Identifier: MIT
 *
 * mcookie - 128 random bits in hexadecimal digits.
 */
#include "builtins/builtin.h"

static int mcookie_run(struct cmd *c)
{
	uint8_t bits[16];

	cmd_random_bytes(c, bits, sizeof bits);
	for (size_t i = 0; i < sizeof bits; i++)
		cmd_printf(c, "%02x", bits[i]);
	cmd_putc(c, '\n');
	return 0;
}

const struct builtin builtin_mcookie = {
	.name = "mcookie",
	.usage = "",
	.summary = "Writes a random number of 128 bits in hexadecimal digits.",
	.run = mcookie_run,
	.family = "util-linux 2.38.1",
};
