/* SPDX-License-Identifier: MIT
 *
 * semver: each line of the input is an argument.
 */
#include "fuzz/session.h"

enum { ARGS_MAX = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[ARGS_MAX + 1] = { "semver" };
	char *text = malloc(size + 1);

	if (base == NULL)
		base = fuzz_base("true");
	memcpy(text, data, size);
	text[size] = '\0';
	int argc = fuzz_args(text, argv, 1, ARGS_MAX);

	fuzz_run(fuzz_fork(base), argc, argv);
	free(text);
	return 0;
}
