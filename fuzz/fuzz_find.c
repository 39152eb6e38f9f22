/* SPDX-License-Identifier: MIT
 *
 * find's expressions: the input's lines are the arguments. Through the public interface, so that
 * options, walks, formats and -exec are reached too.
 */
#include "fuzz/session.h"

enum { ARGS_MAX = 40 };

static const char tree[] = "mkdir -p d/e; echo a > d/f; ln -s f d/l; touch 'd/s p' d/e/x.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[ARGS_MAX + 1] = { "find" };
	char *text = malloc(size + 1);
	int argc = 1;
	cowsh *s;

	if (base == NULL)
		base = fuzz_base(tree);
	memcpy(text, data, size);
	text[size] = '\0';
	argc = fuzz_args(text, argv, argc, ARGS_MAX);
	s = fuzz_fork(base);
	fuzz_run(s, argc, argv);
	free(text);
	return 0;
}
