/* SPDX-License-Identifier: MIT
 *
 * xan: the input's first line is a file (its rows separated by '|'), the others are the
 * arguments. Through the public interface, so that CSV, expressions and JSON are reached.
 */
#include "fuzz/session.h"

enum { ARGS_MAX = 40 };

static const char tree[] = "printf 'a,b\\n1,x\\n2,y\\n' > g.csv";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[ARGS_MAX + 1] = { "xan" };
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
	if (cowsh_put_file(s, "f.csv", text, strlen(text), 0644) < 0)
		abort();
	fuzz_run(s, argc, argv);
	free(text);
	return 0;
}
