/* SPDX-License-Identifier: MIT
 *
 * Variables of bash's own that most scripts never ask for: made when somebody does, so that a
 * session begins small. A bit of vars.unmade stands for each that the shell has not made.
 */
#include "interp/var_private.h"

#define MACHINE "x86_64-pc-linux-gnu"

struct constant {
	const char *name;
	const char *value; /* NULL: the array of versions */
	bool is_default;   /* an imported value stays */
};

static const struct constant constants[] = {
	{ "BASH_LOADABLES_PATH",
	  "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:"
	  "/opt/pkg/lib/bash:.",
	  false },
	{ "BASH_VERSINFO", NULL, false },
	{ "BASH_VERSION", "5.2.15(1)-release", false },
	{ "HOSTTYPE", "x86_64", true },
	{ "MACHTYPE", MACHINE, true },
	{ "OSTYPE", "linux-gnu", true },
};

enum { ROWS = VAR_DYNAMIC_ROWS + sizeof constants / sizeof *constants };
_Static_assert((int)ROWS <= 32, "a bit of var_table.unmade each");

static const char *row_name(size_t row)
{
	return row < VAR_DYNAMIC_ROWS ? var_dynamic[row].name
				      : constants[row - VAR_DYNAMIC_ROWS].name;
}

/* ROWS if there is none of that name. */
static size_t row_of(struct bytes name)
{
	size_t row = 0;

	while (row < ROWS && (*row_name(row) != *name.ptr || !bytes_is(name, row_name(row))))
		row++;
	return row;
}

static void make_versions(struct shell *sh, struct var *v)
{
	static const char *const parts[] = { "5", "2", "15", "1", "release", MACHINE };

	var_make_array(sh, v, false);
	for (int i = 0; i < 6; i++)
		var_assign_at(sh, v, i, bytes_of(parts[i]), VAR_FORCE);
	v->flags |= VAR_READONLY;
}

static void fill(struct shell *sh, struct var *v, size_t row)
{
	const char *value;

	if (row < VAR_DYNAMIC_ROWS) {
		var_use_hook(v, &var_dynamic[row]);
		return;
	}
	value = constants[row - VAR_DYNAMIC_ROWS].value;
	if (value == NULL)
		make_versions(sh, v);
	else
		var_assign(sh, v, bytes_of(value), VAR_FORCE);
}

static struct shell *root_of(struct shell *sh)
{
	while (sh->overlay)
		sh = sh->parent;
	return sh;
}

static uint32_t bit(size_t row)
{
	return (uint32_t)1 << row;
}

struct var *var_make_late(struct shell *sh, struct shell *root, struct bytes name, uint64_t hash)
{
	size_t row = row_of(name);
	struct var *v;

	if (row == ROWS || (root->vars.unmade & bit(row)) == 0)
		return NULL;
	v = var_new(sh, name, hash);
	var_table_insert(sh, v);
	if (sh == root)
		root->vars.unmade &= ~bit(row);
	fill(sh, v, row);
	return v;
}

void var_make_all_late(struct shell *sh)
{
	uint32_t unmade = root_of(sh)->vars.unmade;

	for (size_t row = 0; row < ROWS; row++) {
		struct bytes name = bytes_of(row_name(row));

		if ((unmade & bit(row)) != 0)
			(void)var_find(sh, name, bytes_hash(name));
	}
}

uint32_t var_unmade(struct shell *sh)
{
	uint32_t unmade = root_of(sh)->vars.unmade;

	for (; sh->overlay; sh = sh->parent) {
		for (size_t row = 0; row < ROWS; row++) {
			struct bytes name = bytes_of(row_name(row));

			if (var_table_find(&sh->vars, name, bytes_hash(name)) != NULL)
				unmade &= ~bit(row);
		}
	}
	return unmade;
}

void var_init_late(struct shell *sh)
{
	for (size_t row = 0; row < ROWS; row++) {
		struct bytes name = bytes_of(row_name(row));
		struct var *v = var_table_find(&sh->vars, name, bytes_hash(name));

		if (v == NULL)
			sh->vars.unmade |= bit(row);
		else if (row < VAR_DYNAMIC_ROWS || !constants[row - VAR_DYNAMIC_ROWS].is_default)
			fill(sh, v, row);
	}
}
