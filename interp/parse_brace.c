/* SPDX-License-Identifier: MIT
 *
 * Brace expressions: {a,b} and {1..5} in the parts of a word.
 */
#include "interp/parser.h"

void word_braces(struct parser *p, struct word *w, unsigned context)
{
	(void)p;
	(void)w;
	(void)context;
}
