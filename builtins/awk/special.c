/* SPDX-License-Identifier: MIT
 *
 * awk's special variables: what setting them does; the arrays that are there from the start.
 */
#include "builtins/awk/code.h"

static const char *const names[GLOBAL_FIRST] = {
	"NR",        "FNR",         "NF",       "FS",       "OFS",        "ORS",
	"RS",        "RT",          "SUBSEP",   "CONVFMT",  "OFMT",       "IGNORECASE",
	"FPAT",      "FIELDWIDTHS", "FILENAME", "RSTART",   "RLENGTH",    "ERRNO",
	"ARGIND",    "ARGC",        "BINMODE",  "LINT",     "TEXTDOMAIN", "PREC",
	"ROUNDMODE", "ARGV",        "ENVIRON",  "PROCINFO", "SYMTAB",     "FUNCTAB",
};

int awk_special_find(struct bytes name)
{
	for (int i = 0; i < GLOBAL_FIRST; i++)
		if (bytes_is(name, names[i]))
			return i;
	return -1;
}

struct val awk_special_get(struct awk *a, enum special n)
{
	switch (n) {
	case SP_NR: return val_num(a->nr);
	case SP_FNR: return val_num(a->fnr);
	case SP_NF: return val_num((double)awk_rec_nf(a));
	default: return val_get(a->special[n]);
	}
}

void awk_procinfo_set(struct awk *a, const char *key, const char *text)
{
	awk_array_set(a, a->globals[GLOBAL_PROCINFO].u.array, bytes_of(key),
		      val_bytes(a, bytes_of(text)));
}

static void split_mode_changed(struct awk *a, const char *name)
{
	if (a->globals != NULL)
		awk_procinfo_set(a, "FS", name);
}

static void set_fs(struct awk *a)
{
	struct val *fs = &a->special[SP_FS];

	if (a->o->csv)
		return;
	awk_val_to_str(a, fs);
	awk_split_set_fs(a, &a->fs, fs, a->rs == RS_PARAGRAPH);
	if (a->fs.mode == SPLIT_REGEX)
		awk_pattern_of(a, a->fs.regex); /* errors are told now */
	split_mode_changed(a, "FS");
}

static void set_fpat(struct awk *a)
{
	awk_split_put(a, &a->fs);
	a->fs.mode = SPLIT_PATTERN;
	a->fs.regex = str_get(awk_val_to_str(a, &a->special[SP_FPAT]));
	awk_pattern_of(a, a->fs.regex);
	split_mode_changed(a, "FPAT");
}

static void set_fieldwidths(struct awk *a)
{
	struct bytes text = str_bytes(awk_val_to_str(a, &a->special[SP_FIELDWIDTHS]));
	size_t n;
	struct width *list = awk_widths_parse(a, text, &n);

	awk_split_put(a, &a->fs);
	a->fs.mode = SPLIT_WIDTHS;
	a->fs.widths = list;
	a->fs.nwidths = n;
	split_mode_changed(a, "FIELDWIDTHS");
}

static void set_rs(struct awk *a)
{
	struct str *rs = awk_val_to_str(a, &a->special[SP_RS]);
	bool was_paragraph = a->rs == RS_PARAGRAPH;

	if (a->o->csv) {
		a->rs = RS_CSV;
		return;
	}
	if (rs->len == 0) {
		a->rs = RS_PARAGRAPH;
	} else if (!awk_is_gnu(a) || (rs->len == 1 && a->special[SP_RS].kind != VAL_REGEX &&
				      !(a->ignorecase && byte_is_alpha(rs->ptr[0])))) {
		a->rs = RS_CHAR;
		a->rs_char = rs->ptr[0];
		str_put(a, a->rt_str);
		a->rt_str = awk_str_new(a, bytes_slice(str_bytes(rs), 0, 1));
	} else {
		a->rs = RS_REGEX;
		awk_pattern_of(a, rs);
	}
	if (was_paragraph != (a->rs == RS_PARAGRAPH) && a->fs.mode < SPLIT_PATTERN)
		set_fs(a);
}

/* The n of "%.{n}g", or -1. */
static int plain_g(struct str *s)
{
	int n = 0;
	size_t i = 2;

	if (s->len < 4 || s->ptr[0] != '%' || s->ptr[1] != '.' || s->ptr[s->len - 1] != 'g')
		return -1;
	for (; i + 1 < s->len; i++) {
		if (!byte_is_digit(s->ptr[i]) || n > 100)
			return -1;
		n = n * 10 + (s->ptr[i] - '0');
	}
	return n;
}

static void apply(struct awk *a, enum special n)
{
	struct val *v = &a->special[n];

	switch (n) {
	case SP_OFS: a->ofs = str_bytes(awk_val_to_str(a, v)); break;
	case SP_ORS: a->ors = str_bytes(awk_val_to_str(a, v)); break;
	case SP_SUBSEP: a->subsep = str_bytes(awk_val_to_str(a, v)); break;
	case SP_CONVFMT: a->convfmt_g = plain_g(awk_val_to_str(a, v)); break;
	case SP_OFMT: a->ofmt_g = plain_g(awk_val_to_str(a, v)); break;
	case SP_FS: set_fs(a); break;
	case SP_RS: set_rs(a); break;
	case SP_FPAT:
		if (awk_is_gnu(a))
			set_fpat(a);
		break;
	case SP_FIELDWIDTHS:
		if (awk_is_gnu(a))
			set_fieldwidths(a);
		break;
	case SP_IGNORECASE:
		a->ignorecase = awk_val_true(a, v) && awk_is_gnu(a);
		if (a->fs.mode < SPLIT_PATTERN)
			set_fs(a);
		set_rs(a);
		break;
	case SP_PREC:
		if (a->o->bignum)
			awk_big_set_precision(a, v);
		break;
	case SP_ROUNDMODE:
		if (a->o->bignum)
			awk_big_set_rounding(a, v);
		break;
	default: break;
	}
}

void awk_special_set(struct awk *a, enum special n, struct val v)
{
	struct val old = a->special[n];

	/* What was read before is split and joined by the rules of before. */
	if (n == SP_FS || n == SP_FPAT || n == SP_FIELDWIDTHS || n == SP_IGNORECASE)
		awk_rec_split_all(a);
	if (n == SP_OFS && a->rec.stale)
		awk_rec_rebuild(a);
	switch (n) {
	case SP_NR:
		a->nr = val_to_num(a, &v);
		val_put(a, v);
		return;
	case SP_FNR:
		a->fnr = val_to_num(a, &v);
		val_put(a, v);
		return;
	case SP_NF:
		awk_rec_set_nf(a, val_to_num(a, &v));
		val_put(a, v);
		return;
	default: break;
	}
	a->special[n] = v;
	apply(a, n);
	val_put(a, old);
}

struct array *awk_var_array(struct awk *a, struct val *v)
{
	if (v->kind == VAL_ARRAY)
		return v->u.array;
	if (v->kind == VAL_UNTYPED) {
		if (v->u.array->scalar)
			return NULL;
		v->kind = VAL_ARRAY;
		v->u.array->used = true;
		return v->u.array;
	}
	if (v->kind != VAL_UNINIT || v->assigned)
		return NULL;
	v->kind = VAL_ARRAY;
	v->u.array = awk_array_new(a);
	v->u.array->used = true;
	return v->u.array;
}

/* --- at the start --- */

static void set_text(struct awk *a, enum special n, const char *text)
{
	a->special[n] = val_bytes(a, bytes_of(text));
	apply(a, n);
}

/* Before parsing: names are numbered, values are ready for -v. */
void awk_special_init(struct awk *a)
{
	for (int i = 0; i < GLOBAL_FIRST; i++)
		awk_program_global(a->prog, bytes_of(names[i]));
	a->empty = awk_str_alloc(a, 0);
	a->rt_str = str_get(a->empty);
	for (int i = 0; i < 10; i++) {
		char digit = (char)('0' + i);

		a->digit[i] = awk_str_new(a, (struct bytes){ &digit, 1 });
	}
	a->rec.ptr = "";
	set_text(a, SP_FS, a->o->csv ? "," : " ");
	set_text(a, SP_OFS, " ");
	set_text(a, SP_ORS, "\n");
	set_text(a, SP_RS, "\n");
	set_text(a, SP_SUBSEP, "\034");
	set_text(a, SP_CONVFMT, "%.6g");
	set_text(a, SP_OFMT, "%.6g");
	/* $0 before the first record. */
	a->rec.whole = (struct val){ .kind = VAL_INPUT, .assigned = 1, .u.str = str_get(a->empty) };
	a->special[SP_FPAT] = val_bytes(a, BYTES("[^[:space:]]+"));
	a->special[SP_TEXTDOMAIN] = val_bytes(a, BYTES("messages"));
	a->special[SP_FILENAME] = val_str(str_get(a->empty));
	a->special[SP_ERRNO] = val_str(str_get(a->empty));
	a->special[SP_RT] = val_str(str_get(a->empty));
	a->special[SP_FIELDWIDTHS] = val_str(str_get(a->empty));
	a->special[SP_RSTART] = val_num(0);
	a->special[SP_RLENGTH] = val_num(0);
	a->special[SP_IGNORECASE] = val_num(0);
	a->special[SP_ARGIND] = val_num(0);
	a->special[SP_BINMODE] = val_num(0);
	a->special[SP_LINT] = val_num(0);
	a->special[SP_PREC] = val_num(53);
	a->special[SP_ROUNDMODE] = val_bytes(a, BYTES("N"));
	if (a->o->csv)
		a->fs.mode = SPLIT_CSV;
}

static void put_number(struct awk *a, const char *key, double d)
{
	awk_array_set(a, a->globals[GLOBAL_PROCINFO].u.array, bytes_of(key), val_num(d));
}

static void fill_environ(struct awk *a, struct array *environ)
{
	char *const *e = a->c->envp;

	for (; e != NULL && *e != NULL; e++) {
		const char *equals = strchr(*e, '=');

		if (equals != NULL)
			awk_array_set(a, environ, (struct bytes){ *e, (size_t)(equals - *e) },
				      val_input(a, bytes_of(equals + 1)));
	}
}

static void fill_argv(struct awk *a)
{
	struct array *x = awk_array_new(a);

	x->used = true;
	awk_array_set(a, a->globals[GLOBAL_PROCINFO].u.array, BYTES("argv"),
		      (struct val){ .kind = VAL_ARRAY, .u.array = x });
	for (int i = 0; i < a->c->argc; i++)
		awk_array_set_num(a, x, i, val_input(a, bytes_of(a->c->argv[i])));
}

void awk_fill_procinfo(struct awk *a)
{
	struct cmd *c = a->c;
	const uint32_t *groups;
	size_t n = cmd_groups(c, &groups);

	awk_var_array(a, &a->globals[GLOBAL_PROCINFO]);
	put_number(a, "pid", cmd_pid(c));
	put_number(a, "pgrpid", cmd_pgid(c));
	put_number(a, "ppid", cmd_ppid(c));
	put_number(a, "uid", cmd_uid(c));
	put_number(a, "euid", cmd_uid(c));
	put_number(a, "gid", cmd_gid(c));
	put_number(a, "egid", cmd_gid(c));
	for (size_t i = 0; i < n; i++) {
		struct buf key = buf_in(&a->scratch);

		buf_printf(&key, "group%zu", i + 1);
		put_number(a, buf_cstr(&key), groups[i]);
	}
	awk_procinfo_set(a, "version", "5.2.1");
	awk_procinfo_set(a, "platform", "posix");
	awk_procinfo_set(a, "gmp_version", "GNU MP 6.2.1");
	awk_procinfo_set(a, "mpfr_version", "GNU MPFR 4.2.0");
	put_number(a, "prec_max", 1 << 16);
	put_number(a, "prec_min", 1);
	put_number(a, "api_major", 3);
	put_number(a, "api_minor", 2);
	awk_procinfo_set(a, "FS", "FS");
	awk_procinfo_set(a, "strftime", "%a %b %e %H:%M:%S %Z %Y");
	fill_argv(a);
	fill_environ(a, awk_var_array(a, &a->globals[GLOBAL_ENVIRON]));
}
