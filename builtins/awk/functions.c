/* SPDX-License-Identifier: MIT
 *
 * The table of awk's functions.
 */
#include "builtins/awk/code.h"

const struct fn_row awk_fn_rows[FN_COUNT] = {
	/* name, arguments, arrays, patterns, gnu, pure, library, arguments that it needs */
	[FN_ATAN2] = { "atan2", 2, 2, 0, 0, false, true, 0, 0 },
	[FN_COS] = { "cos", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_EXP] = { "exp", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_INT] = { "int", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_LOG] = { "log", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_RAND] = { "rand", 0, 0, 0, 0, false, true, 0, 0 },
	[FN_SIN] = { "sin", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_SQRT] = { "sqrt", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_SRAND] = { "srand", 0, 1, 0, 0, false, true, 0, 0 },
	[FN_AND] = { "and", 2, -1, 0, 0, true, true, 0, 0 },
	[FN_OR] = { "or", 2, -1, 0, 0, true, true, 0, 0 },
	[FN_XOR] = { "xor", 2, -1, 0, 0, true, true, 0, 0 },
	[FN_COMPL] = { "compl", 1, 1, 0, 0, true, true, 0, 0 },
	[FN_LSHIFT] = { "lshift", 2, 2, 0, 0, true, true, 0, 0 },
	[FN_RSHIFT] = { "rshift", 2, 2, 0, 0, true, true, 0, 0 },
	[FN_ASORT] = { "asort", 1, 3, 3, 0, true, false, 0, 0 },
	[FN_ASORTI] = { "asorti", 1, 3, 3, 0, true, false, 0, 0 },
	[FN_CLOSE] = { "close", 1, 2, 0, 0, false, false, 0, 0 },
	[FN_FFLUSH] = { "fflush", 0, 1, 0, 0, false, false, 0, 0 },
	[FN_GENSUB] = { "gensub", 3, 4, 0, 1, true, true, 0, 0 },
	[FN_GSUB] = { "gsub", 2, 3, 0, 1, false, false, 0, 0 },
	[FN_INDEX] = { "index", 2, 2, 0, 0, false, true, 0, 0 },
	[FN_ISARRAY] = { "isarray", 1, 1, 0, 0, true, false, 0, 0 },
	[FN_LENGTH] = { "length", 0, 1, 0, 0, false, true, 0, 0 },
	[FN_MATCH] = { "match", 2, 3, 4, 2, false, false, 0, 0 },
	[FN_MKTIME] = { "mktime", 1, 2, 0, 0, true, true, 0, 0 },
	[FN_PATSPLIT] = { "patsplit", 2, 4, 10, 4, true, false, 0, 0 },
	[FN_SPLIT] = { "split", 2, 4, 10, 4, false, false, 0, 0 },
	[FN_SPRINTF] = { "sprintf", 1, -1, 0, 0, false, true, 0, 0 },
	[FN_STRFTIME] = { "strftime", 0, 3, 0, 0, true, true, 0, 0 },
	[FN_STRTONUM] = { "strtonum", 1, 1, 0, 0, true, true, 0, 0 },
	[FN_SUB] = { "sub", 2, 3, 0, 1, false, false, 0, 0 },
	[FN_SUBSTR] = { "substr", 2, 3, 0, 0, false, true, 0, 0 },
	[FN_SYSTEM] = { "system", 1, 1, 0, 0, false, false, 0, 0 },
	[FN_SYSTIME] = { "systime", 0, 0, 0, 0, true, true, 0, 0 },
	[FN_TOLOWER] = { "tolower", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_TOUPPER] = { "toupper", 1, 1, 0, 0, false, true, 0, 0 },
	[FN_TYPEOF] = { "typeof", 1, 2, 2, 0, true, false, 0, 0 },
	[FN_BINDTEXTDOMAIN] = { "bindtextdomain", 1, 2, 0, 0, true, false, 0, 0 },
	[FN_DCGETTEXT] = { "dcgettext", 1, 3, 0, 0, true, true, 0, 0 },
	[FN_DCNGETTEXT] = { "dcngettext", 3, 5, 0, 0, true, true, 0, 0 },
	[FN_MKBOOL] = { "mkbool", 1, 1, 0, 0, true, true, 0, 0 },
	[FN_ORD] = { "ord", 0, -1, 0, 0, true, false, LIBRARY_ORDCHR, 1 },
	[FN_CHR] = { "chr", 0, -1, 0, 0, true, false, LIBRARY_ORDCHR, 1 },
	[FN_READFILE] = { "readfile", 0, -1, 0, 0, true, false, LIBRARY_READFILE, 1 },
	[FN_GETTIMEOFDAY] = { "gettimeofday", 0, -1, 0, 0, true, false, LIBRARY_TIME, 0 },
	[FN_SLEEP] = { "sleep", 0, -1, 0, 0, true, false, LIBRARY_TIME, 1 },
	[FN_INTDIV] = { "intdiv", 0, -1, 4, 0, true, false, LIBRARY_INTDIV, 3 },
	[FN_FNMATCH] = { "fnmatch", 0, -1, 0, 0, true, false, LIBRARY_FNMATCH, 3 },
	[FN_CHDIR] = { "chdir", 0, -1, 0, 0, true, false, LIBRARY_FILEFUNCS, 1 },
	[FN_STAT] = { "stat", 0, -1, 2, 0, true, false, LIBRARY_FILEFUNCS, 2 },
};

int awk_fn_find(struct bytes name)
{
	for (int i = 0; i < FN_LIBRARY; i++)
		if (bytes_is(name, awk_fn_rows[i].name))
			return i;
	return -1;
}

static struct val length_of(struct awk *a, struct val *args, int n)
{
	struct val record;

	if (n > 0)
		return awk_fn_length(a, &args[0]);
	record = (struct val){ .kind = VAL_UNINIT };
	struct bytes s = awk_rec_text(a);

	if (!a->utf8)
		return val_num((double)s.len);
	record = awk_rec_whole(a);
	struct val v = awk_fn_length(a, &record);

	val_put(a, record);
	return v;
}

struct val awk_fn_call(struct awk *a, unsigned id, struct val *args, int n)
{
	if (id <= FN_SRAND)
		return awk_fn_math(a, id, args, n);
	if (id <= FN_RSHIFT)
		return awk_fn_bits(a, id, args, n);
	if (id >= FN_LIBRARY)
		return awk_library_call(a, id, args, n);
	switch ((enum builtin_fn)id) {
	case FN_ASORT:
	case FN_ASORTI: return val_num(awk_fn_asort(a, args, n, id == FN_ASORTI));
	case FN_CLOSE: return val_num(awk_fn_close(a, args, n));
	case FN_FFLUSH: return val_num(awk_fn_fflush(a, args, n));
	case FN_GENSUB: return awk_fn_gensub(a, args, n);
	case FN_INDEX: return awk_fn_index(a, args);
	case FN_ISARRAY:
	case FN_TYPEOF: return awk_fn_typeof(a, &args[0], id == FN_ISARRAY);
	case FN_LENGTH: return length_of(a, args, n);
	case FN_MATCH: return awk_fn_match(a, args, n);
	case FN_MKTIME: return awk_fn_mktime(a, args, n);
	case FN_PATSPLIT: return awk_fn_patsplit(a, args, n);
	case FN_SPLIT: return awk_fn_split(a, args, n);
	case FN_SPRINTF: return awk_fn_sprintf(a, args, n);
	case FN_STRFTIME: return awk_fn_strftime(a, args, n);
	case FN_STRTONUM: return awk_fn_strtonum(a, &args[0]);
	case FN_SUBSTR: return awk_fn_substr(a, args, n);
	case FN_SYSTEM: return val_num(awk_fn_system(a, args));
	case FN_SYSTIME: return val_num((double)(cmd_now(a->c) / 1000000000));
	case FN_TOLOWER:
	case FN_TOUPPER: return awk_fn_case(a, &args[0], id == FN_TOUPPER);
	case FN_DCGETTEXT: return val_own(a, val_get(args[0]));
	case FN_DCNGETTEXT: return val_own(a, val_get(args[val_to_num(a, &args[2]) == 1 ? 0 : 1]));
	case FN_MKBOOL: {
		struct val v = val_num(awk_val_true(a, &args[0]));

		v.assigned = NUM_BOOL;
		return v;
	}
	default: return val_str(str_get(a->empty));
	}
}

/* --- called by name --- */

/* How many arguments are missing or too many: said as gawk says it, and the end. */
static void check_count(struct awk *a, unsigned id, int n)
{
	const struct fn_row *row = &awk_fn_rows[id];
	bool good = n >= row->min && (row->max < 0 || n <= row->max);

	if ((id == FN_SUB || id == FN_GSUB) && n != 2)
		awk_fatal(a, "%s: can be called indirectly only with two arguments", row->name);
	if (id == FN_LENGTH && n == 0)
		good = false;
	if (good)
		return;
	switch (id) {
	case FN_GENSUB: awk_fatal(a, "indirect call to gensub requires three or four arguments");
	case FN_MATCH: awk_fatal(a, "indirect call to match requires two or three arguments");
	case FN_SPLIT:
	case FN_PATSPLIT:
		awk_fatal(a, "indirect call to %s requires two to four arguments", row->name);
	case FN_AND:
	case FN_OR:
	case FN_XOR: awk_fatal(a, "%s: called with less than two arguments", row->name);
	case FN_SPRINTF: awk_fatal(a, "sprintf: no arguments");
	default: awk_fatal(a, "%s: called with %d arguments", row->name, n);
	}
}

/* sub and gsub of two arguments: they change $0. */
static struct val substitute_record(struct awk *a, struct val *args, bool all)
{
	struct val three[] = { args[0], args[1], awk_rec_whole(a) };
	struct str *out;
	size_t n = awk_fn_subst(a, three, all, &out);

	/* Numbers have become text there. */
	args[0] = three[0];
	args[1] = three[1];
	val_put(a, three[2]);
	if (n != 0)
		awk_rec_set_field(a, 0, val_str(out));
	return val_num((double)n);
}

struct val awk_fn_call_indirect(struct awk *a, unsigned id, struct val *args, int n)
{
	static const char *const nth[] = { "first", "second", "third", "fourth" };
	const struct fn_row *row = &awk_fn_rows[id];

	check_count(a, id, n);
	for (int i = 0; i < n; i++) {
		bool wanted = i < 4 && (row->array_args >> i & 1) != 0;
		bool any = id == FN_LENGTH || id == FN_TYPEOF || id == FN_ISARRAY;

		if (wanted && awk_var_array(a, &args[i]) == NULL)
			awk_fatal(a, "%s: %s argument is not an array", row->name, nth[i]);
		if (!wanted && !any && args[i].kind == VAL_ARRAY)
			awk_array_as_scalar(a, BYTES(""), args[i].u.array);
	}
	if (id == FN_SUB || id == FN_GSUB)
		return substitute_record(a, args, id == FN_GSUB);
	return awk_fn_call(a, id, args, n);
}
