/* SPDX-License-Identifier: MIT
 *
 * ar: the input is an archive, which is listed, printed, extracted and changed.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char script[] = "ar tvO x.a; ar p x.a; ar xo x.a; ar r x.a g; ar m x.a a; "
				     "ar d x.a b; ar t x.a; ar s x.a; ar rcT t.a x.a g; "
				     "ar p t.a; ar rc y.a x.a; ar -M < x.a";
	static const char *const argv[] = { "bash", "-c", script };

	return fuzz_file("echo g > g", "x.a", FUZZ_COUNT(argv), argv, data, size);
}
