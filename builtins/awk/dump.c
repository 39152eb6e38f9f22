/* SPDX-License-Identifier: MIT
 *
 * awk -d: the global variables at the end, in the order of their names.
 */
#include "builtins/awk/code.h"

#include "base/sort.h"

void awk_put_quoted(struct buf *out, struct bytes s, char quote)
{
	static const char letters[] = "\a\b\f\n\r\t\v";

	buf_putc(out, quote);
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];
		const char *at = ch != '\0' ? strchr(letters, ch) : NULL;

		if (ch == (unsigned char)quote || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else if (at != NULL)
			buf_printf(out, "\\%c", "abfnrtv"[at - letters]);
		else if (ch < 32 || ch >= 127)
			buf_printf(out, "\\%03o", ch);
		else
			buf_putc(out, (char)ch);
	}
	buf_putc(out, quote);
}

static void put_value(struct awk *a, struct buf *out, const struct val *v)
{
	switch (v->kind) {
	case VAL_NUM:
		if (awk_num_is_integer(v->u.num) && v->u.num > -1e18 && v->u.num < 1e18)
			buf_printf(out, "%lld", (long long)v->u.num);
		else if (v->u.num - v->u.num != 0)
			buf_puts(out, v->u.num != v->u.num ? v->u.num < 0 ? "-nan" : "nan"
				      : v->u.num < 0       ? "-inf"
							   : "inf");
		else
			number_put_g(out, v->u.num, 17);
		break;
	case VAL_BIG: {
		struct format_spec spec = { .width = -1, .precision = 17, .conv = 'g' };
		struct bytes text = awk_big_text(a, v, SP_CONVFMT);

		if (memchr(text.ptr, '.', text.len) == NULL &&
		    memchr(text.ptr, 'e', text.len) == NULL)
			buf_add(out, text);
		else
			awk_big_format(a, out, &spec, v);
		break;
	}
	case VAL_STR:
	case VAL_INPUT:
		/* What was used as a number is one. */
		if (v->kind == VAL_INPUT && v->u.str->look == LOOK_NUMBER) {
			struct val number = val_num(v->u.str->num);

			put_value(a, out, &number);
			break;
		}
		awk_put_quoted(out, str_bytes(v->u.str), '"');
		break;
	case VAL_REGEX: {
		struct bytes s = str_bytes(v->u.str);

		buf_printf(out, "@/%.*s/", (int)s.len, s.ptr);
		break;
	}
	case VAL_ARRAY: buf_printf(out, "array, %zu elements", v->u.array->count); break;
	case VAL_UNTYPED:
		if (v->u.array->used) {
			buf_printf(out, "array, %zu elements", v->u.array->count);
			break;
		}
		/* fallthrough */
	default:
		buf_puts(out, v->assigned || v->kind == VAL_UNTYPED ? "uninitialized scalar"
								    : "untyped variable");
	}
}

static int compare_names(void *arg, const void *x, const void *y)
{
	const struct bytes *names = arg;

	return bytes_cmp(names[*(const int *)x], names[*(const int *)y]);
}

static void put_all(struct awk *a, struct output *o)
{
	struct program *p = a->prog;
	int *order = arena_array(&a->scratch, (size_t)p->nglobals, sizeof *order);
	int n = 0;

	for (int i = 0; i < p->nglobals; i++)
		if (i != GLOBAL_PROCINFO || awk_is_gnu(a))
			order[n++] = i;
	sort_stable(order, (size_t)n, sizeof *order,
		    arena_array(&a->scratch, (size_t)n + 1, sizeof *order), compare_names,
		    p->names);
	for (int i = 0; i < n; i++) {
		struct arena_mark mark = arena_mark(&a->scratch);
		struct buf line = buf_in(&a->scratch);
		struct val v = order[i] < SP_COUNT ? awk_special_get(a, (enum special)order[i])
						   : a->globals[order[i]];

		buf_add(&line, p->names[order[i]]);
		buf_puts(&line, ": ");
		put_value(a, &line, &v);
		buf_putc(&line, '\n');
		output_write(o, line.ptr, line.len);
		if (order[i] < SP_COUNT)
			val_put(a, v);
		awk_work_bytes(a, line.len);
		arena_release(&a->scratch, mark);
	}
}

bool awk_open_report(struct awk *a, struct output *o, const char *path, const char *what)
{
	int err;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		cmd_flush(a->c);
		output_init(o, a->c, 1, true);
		return false;
	}
	err = strcmp(path, "/dev/stderr") == 0 ? -E_AGAIN
					       : output_open(o, a->c, path, O_TRUNC_, true);
	if (err >= 0)
		return true;
	if (err != -E_AGAIN) {
		a->ip = NULL;
		awk_warn(a, "could not open `%s' for writing: %s", path, err_text(err));
		awk_warn(a, "sending %s to standard error", what);
	}
	output_init(o, a->c, 2, true);
	return false;
}

void awk_dump_variables(struct awk *a)
{
	struct output o;
	bool opened = awk_open_report(a, &o, a->o->dump, "variable list");

	put_all(a, &o);
	if (opened)
		output_close(&o);
	else
		output_flush(&o);
}
