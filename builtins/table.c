/* SPDX-License-Identifier: MIT
 *
 * The table of commands, made from list.h and searched by bisection.
 */
#include "builtins/builtin.h"

static const struct builtin *const table[] = {
#define BUILTIN(name) &builtin_##name,
#include "builtins/list.h"
#undef BUILTIN
};

enum { COUNT = sizeof(table) / sizeof(table[0]) };

const struct builtin *builtin_nth(size_t index)
{
	return index < COUNT ? table[index] : NULL;
}

const struct builtin *builtin_lookup(const char *name)
{
	size_t low = 0;
	size_t high = COUNT;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(name, table[mid]->name);

		if (order == 0)
			return table[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}
