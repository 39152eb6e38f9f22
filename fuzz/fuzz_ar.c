/* SPDX-License-Identifier: MIT
 *
 * ar: the input is an archive, which is listed, printed, extracted and changed.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	static const char script[] = "ar tvO x.a; ar p x.a; ar xo x.a; ar r x.a g; ar m x.a a; "
				     "ar d x.a b; ar t x.a";
	const char *argv[] = { "bash", "-c", script };
	cowsh *s;

	if (base == NULL)
		base = fuzz_base("echo g > g");
	s = fuzz_fork(base);
	if (cowsh_put_file(s, "x.a", (const char *)data, size, 0644) < 0)
		abort();
	fuzz_run(s, 3, argv);
	return 0;
}
