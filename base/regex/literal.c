/* SPDX-License-Identifier: MIT
 *
 * Literals.
 */
#include "base/regex/private.h"

struct rx_literals *rx_literals(struct arena *a, const struct rx_node *tree, unsigned flags)
{
	(void)a;
	(void)tree;
	(void)flags;
	return NULL;
}

size_t rx_literal_next(const struct rx_literals *l, struct bytes text, size_t from)
{
	(void)l;
	(void)text;
	return from;
}

size_t rx_literal_at(const struct rx_literals *l, struct bytes text, size_t at)
{
	(void)l;
	(void)text;
	(void)at;
	return SIZE_MAX;
}
