/* SPDX-License-Identifier: MIT
 *
 * The parser of Perl's syntax.
 */
#include "base/regex/private.h"

struct rx_node *rx_parse_perl(struct rx_parse *p)
{
	rx_error(p, "Perl syntax is not there yet");
	return NULL;
}

uint32_t rx_build_perl(struct rx_prog *g, const struct rx_node *n, uint32_t next)
{
	(void)n;
	(void)g;
	return next;
}
