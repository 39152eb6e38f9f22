/* SPDX-License-Identifier: MIT
 *
 * yq: an expression, and behind a byte \001 its input. Through the public interface.
 */
#include "fuzz/session.h"

static const char tree[] = "printf '# c\na: &x {b: [1, two]}\nc: *x # d\n' > f";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	char *text = malloc(size + 1);
	const char *argv[] = { "yq", "--", text, "f", NULL };
	cowsh *s;

	if (base == NULL)
		base = fuzz_base(tree);
	memcpy(text, data, size);
	text[size] = '\0';
	char *input = strchr(text, '\001');

	s = fuzz_fork(base);
	if (input != NULL) {
		*input++ = '\0';
		cowsh_put_file(s, "f", input, size - (size_t)(input - text), 0644);
	}
	fuzz_run(s, 4, argv);
	free(text);
	return 0;
}
