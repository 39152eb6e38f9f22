/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a script that is analysed: it ends, within its limits, and what is told is whole.
 */
#include "cowsh_analyze.h"

#include "fuzz/session.h"

static size_t told;

static void check(const struct cowsh_word *w)
{
	if (w->len != 0 && w->text == NULL)
		abort();
	for (size_t i = 0; i < w->len; i++)
		told += (unsigned char)w->text[i];
}

static int each(void *user, const struct cowsh_finding *f)
{
	(void)user;
	if (f->kind < COWSH_FOUND_COMMAND || f->kind > COWSH_FOUND_SYNTAX || f->within == NULL ||
	    (f->kind == COWSH_FOUND_COMMAND) != (f->nwords > 0) ||
	    (f->kind == COWSH_FOUND_PATH &&
	     (f->access == 0 || (f->by != NULL && f->word.len == 0))))
		abort();
	for (int i = 0; i < f->nwords; i++)
		check(&f->words[i]);
	check(&f->word);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *s;

	if (s == NULL)
		s = fuzz_fork("echo a > f; g() { :; }", NULL);
	cowsh_analyze(s, (const char *)data, size, each, NULL);
	return 0;
}
