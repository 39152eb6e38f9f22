/* SPDX-License-Identifier: MIT
 *
 * rsync's rules: the input is a file of filters, over a small tree.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[] = { "rsync", "-anv", "--filter", ". f", "t/", "u/" };
	cowsh *s;

	if (base == NULL)
		base = fuzz_base(
			"mkdir -p t/a/b u; touch t/x.c t/a/y.o t/a/b/z t/.hid; ln -s x.c t/l");
	s = fuzz_fork(base);
	if (cowsh_put_file(s, "f", (const char *)data, size, 0644) < 0)
		abort();
	fuzz_run(s, sizeof argv / sizeof *argv, argv);
	return 0;
}
