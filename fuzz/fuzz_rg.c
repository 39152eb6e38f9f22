/* SPDX-License-Identifier: MIT
 *
 * rg: the input's first line is a .gitignore (its rules separated by '|'), the others are the
 * arguments. Through the public interface, so that walks, printing and the engine are reached.
 */
#include "fuzz/session.h"

enum { ARGS_MAX = 40 };

static const char tree[] = "mkdir -p .git d/e; echo foo bar > d/f; printf 'a\\0foo\\n' > d/b;"
			   "printf 'caf\\303\\251\\n\\377 x\\n' > d/e/x.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[ARGS_MAX + 1] = { "rg" };
	char *text = malloc(size + 1);
	int argc = 1;
	cowsh *s;

	if (base == NULL)
		base = fuzz_base(tree);
	memcpy(text, data, size);
	text[size] = '\0';
	char *first = strchr(text, '\n');

	if (first != NULL)
		*first++ = '\0';
	argc = fuzz_args(first, argv, argc, ARGS_MAX);
	s = fuzz_fork(base);
	for (char *at = text; *at != '\0'; at++)
		if (*at == '|')
			*at = '\n';
	if (cowsh_put_file(s, ".gitignore", text, strlen(text), 0644) < 0)
		abort();
	fuzz_run(s, argc, argv);
	free(text);
	return 0;
}
