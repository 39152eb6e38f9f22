/* SPDX-License-Identifier: MIT
 *
 * awk's arrays that mirror the program: SYMTAB, whose elements are the global variables,
 * FUNCTAB, which names the functions, and PROCINFO["identifiers"].
 *
 * SYMTAB is an array whose keys are the names; what is read and written is the variable. A
 * special variable is copied into the element before and set from it afterwards. All this is
 * made only for a program that names one of the arrays.
 */
#include "builtins/awk/code.h"

static const char *name_of(const struct array *x)
{
	return x->table == TABLE_VARIABLES ? "SYMTAB" : "FUNCTAB";
}

static bool is_table(int global)
{
	return global == GLOBAL_SYMTAB || global == GLOBAL_FUNCTAB;
}

void awk_tables_declare(struct program *p)
{
	const struct awk_opts *o = p->a->o;

	for (int i = 0; o->dump != NULL && !o->exec && i < p->a->c->nargs; i++) {
		struct bytes name = { p->a->c->args[i], strcspn(p->a->c->args[i], "=") };

		if (awk_is_assignment(p->a->c->args[i]) && awk_fn_find(name) < 0 &&
		    awk_program_find_function(p, name) == NULL)
			awk_program_global(p, name);
	}
	/* What -v sets is there, even if the program does not name it. */
	for (int i = 0; i < o->nassigns; i++) {
		struct bytes name = { o->assigns[i], strcspn(o->assigns[i], "=") };

		if (awk_fn_find(name) < 0 && awk_program_find_function(p, name) == NULL)
			awk_program_global(p, name);
	}
}

/* Whether a function is awk's own, or of a library that is loaded. */
static bool is_there(const struct awk *a, int fn)
{
	return fn < FN_LIBRARY || (awk_fn_rows[fn].library & a->libraries) != 0;
}

/* PROCINFO["identifiers"]: what each name is before the program runs. */
static void fill_identifiers(struct awk *a)
{
	struct array *procinfo = a->globals[GLOBAL_PROCINFO].u.array;
	struct array *x = awk_array_new(a);
	struct program *p = a->prog;

	x->used = true;
	awk_array_set(a, procinfo, BYTES("identifiers"),
		      (struct val){ .kind = VAL_ARRAY, .u.array = x });
	for (int i = 0; i < FN_COUNT; i++)
		if (is_there(a, i))
			awk_array_set(a, x, bytes_of(awk_fn_rows[i].name),
				      val_bytes(a, i < FN_LIBRARY ? BYTES("builtin")
								  : BYTES("extension")));
	for (int i = 0; i < p->nglobals; i++) {
		bool scalar = i < SP_COUNT;

		awk_array_set(a, x, p->names[i],
			      val_bytes(a, bytes_of(scalar             ? "scalar"
						    : i < GLOBAL_FIRST ? "array"
								       : "untyped")));
	}
	for (struct function *f = p->functions; f != NULL; f = f->next)
		if (f->defined)
			awk_array_set(a, x, f->name, val_bytes(a, BYTES("user")));
}

void awk_tables_fill(struct awk *a)
{
	struct program *p = a->prog;
	struct array *symtab = awk_var_array(a, &a->globals[GLOBAL_SYMTAB]);
	struct array *functab = awk_var_array(a, &a->globals[GLOBAL_FUNCTAB]);

	for (int i = 0; i < p->nglobals; i++)
		if (!is_table(i) && (i != GLOBAL_PROCINFO || awk_is_gnu(a)))
			awk_array_at(a, symtab, awk_key(p->names[i]));
	for (int i = 0; i < FN_COUNT; i++)
		if ((awk_is_gnu(a) || !awk_fn_rows[i].gnu) && is_there(a, i))
			awk_array_set(a, functab, bytes_of(awk_fn_rows[i].name),
				      val_bytes(a, bytes_of(awk_fn_rows[i].name)));
	for (struct function *f = p->functions; f != NULL; f = f->next)
		if (f->defined)
			awk_array_set(a, functab, f->name, val_bytes(a, f->name));
	symtab->table = TABLE_VARIABLES;
	functab->table = TABLE_FUNCTIONS;
	fill_identifiers(a);
	awk_work(a, (uint64_t)p->nglobals + FN_COUNT);
}

struct val *awk_table_at(struct awk *a, struct array *x, struct key k, bool write)
{
	struct text_room tmp;
	struct bytes key = awk_key_text(&k, &tmp);
	struct val *e = awk_array_find(x, k);
	int n;

	if (write && x->table == TABLE_FUNCTIONS)
		awk_fatal(a, "cannot assign to elements of FUNCTAB");
	if (e == NULL && write)
		awk_fatal(a, "cannot assign to arbitrary elements of SYMTAB");
	if (e == NULL)
		awk_fatal(a, "reference to uninitialized element `%s[\"%.*s\"] is not allowed'",
			  name_of(x), (int)key.len, key.ptr);
	if (x->table == TABLE_FUNCTIONS)
		return e;
	n = awk_program_find_global(a->prog, key);
	if (n >= SP_COUNT)
		return &a->globals[n];
	val_put(a, *e);
	*e = awk_special_get(a, (enum special)n);
	return e;
}

void awk_table_stored(struct awk *a, struct array *x, struct key k)
{
	struct text_room tmp;
	int n = awk_program_find_global(a->prog, awk_key_text(&k, &tmp));

	if (n >= 0 && n < SP_COUNT)
		awk_special_set(a, (enum special)n, val_get(*awk_array_find(x, k)));
}

void awk_table_refuse(struct awk *a, const struct array *x, const char *function)
{
	if (function != NULL)
		awk_fatal(a, "%s: cannot use %s as second argument", function, name_of(x));
	awk_fatal(a, "`delete' is not allowed with %s", name_of(x));
}
