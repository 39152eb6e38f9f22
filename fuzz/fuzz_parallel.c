/* SPDX-License-Identifier: MIT
 *
 * parallel --dry-run: each line of the input is an argument, so that replacement strings, {= =},
 * sources and the filling of jobs are reached.
 */
#include "fuzz/session.h"

enum { ARGS_MAX = 30 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[ARGS_MAX + 1] = { "parallel", "--dry-run" };
	char *text = malloc(size + 1);

	if (base == NULL)
		base = fuzz_base("printf 'a b\\nd/c.d\\n' > f");
	memcpy(text, data, size);
	text[size] = '\0';
	int argc = fuzz_args(text, argv, 2, ARGS_MAX);

	fuzz_run(fuzz_fork(base), argc, argv);
	free(text);
	return 0;
}
