/* SPDX-License-Identifier: MIT
 *
 * Expressions of Perl: the tree is walked for each text. Values are texts and numbers, which
 * become each other as in Perl.
 */
#include "builtins/edit_expr.h"

#include "base/format.h"
#include "base/number.h"

#include <math.h>

enum { TEXT_MAX = 1 << 20, DIGITS = 15 };

struct value {
	bool is_number;
	double number;
	struct bytes text;
};

static struct value of_number(double d)
{
	return (struct value){ .is_number = true, .number = d };
}

static struct value of_text(struct bytes s)
{
	return (struct value){ .text = s };
}

static struct value of_truth(bool b)
{
	return b ? of_number(1) : of_text(BYTES(""));
}

static struct bytes text_of(struct perl_env *env, struct value v)
{
	struct buf out = buf_in(env->a);

	if (!v.is_number)
		return v.text;
	if (!isfinite(v.number)) {
		buf_puts(&out, isnan(v.number) ? "NaN" : v.number > 0 ? "Inf" : "-Inf");
		return buf_bytes(&out);
	}
	number_put_g(&out, v.number == 0 ? 0 : v.number, DIGITS);
	return buf_bytes(&out);
}

/* The number a text begins with. */
static double number_of(struct value v)
{
	enum real_status status;
	double d = 0;
	size_t sign;

	if (v.is_number)
		return v.number;
	while (v.text.len > 0 && byte_is_space((unsigned char)v.text.ptr[0]))
		v.text = bytes_slice(v.text, 1, v.text.len);
	sign = v.text.len > 0 && (v.text.ptr[0] == '-' || v.text.ptr[0] == '+');
	if (v.text.len <= sign || (!byte_is_digit(v.text.ptr[sign]) && v.text.ptr[sign] != '.'))
		return 0;
	bool minus = v.text.ptr[0] == '-';

	v.text = bytes_slice(v.text, sign, v.text.len);
	if (number_parse_double(v.text, &d, &status) == 0)
		return 0;
	return minus ? -d : d;
}

static bool is_true(struct value v)
{
	if (v.is_number)
		return v.number != 0;
	return v.text.len > 0 && !bytes_is(v.text, "0");
}

/* A whole number, as far as one fits. */
static int64_t whole(double d)
{
	if (!(d > -9.2e18 && d < 9.2e18))
		return d > 0 ? INT64_MAX : d < 0 ? INT64_MIN : 0;
	return (int64_t)d;
}

static struct value eval(struct perl_env *env, const struct perl_expr *e);

static struct value get(struct perl_env *env, const struct perl_expr *e)
{
	const struct variable *v = e->var;

	if (e->kind == NODE_TOPIC)
		return of_text(env->topic);
	return (struct value){ v->is_number, v->number,
			       v->is_number || v->text.ptr == NULL ? v->text
								   : arena_bytes(env->a, v->text) };
}

static void set(struct perl_env *env, const struct perl_expr *e, struct value v)
{
	struct pool *pool = env->c->pool;

	if (e->kind == NODE_TOPIC) {
		env->topic = text_of(env, v);
		return;
	}
	char *old = (char *)(uintptr_t)e->var->text.ptr;
	size_t old_size = e->var->text.len + 1;
	struct bytes text = v.is_number ? BYTES("") : v.text;

	e->var->is_number = v.is_number;
	e->var->number = v.number;
	e->var->text = text;
	if (text.ptr != NULL)
		e->var->text.ptr = pool_dup(pool, text);
	if (old != NULL)
		pool_free(pool, old, old_size);
}

/* --- functions --- */

static struct value format(struct perl_env *env, const struct perl_expr *kid)
{
	struct bytes f = text_of(env, eval(env, kid));
	struct buf out = buf_in(env->a);

	kid = kid->next;
	for (size_t at = 0; at < f.len && out.len < TEXT_MAX;) {
		struct format_spec spec;

		if (f.ptr[at] != '%') {
			buf_putc(&out, f.ptr[at++]);
			continue;
		}
		at = format_parse(f, at, &spec);
		if (spec.conv == '%') {
			buf_putc(&out, '%');
			continue;
		}
		if (spec.width_star && kid != NULL) {
			format_set_width(&spec, whole(number_of(eval(env, kid))));
			kid = kid->next;
		}
		if (spec.precision_star && kid != NULL) {
			format_set_precision(&spec, whole(number_of(eval(env, kid))));
			kid = kid->next;
		}
		struct value v = kid != NULL ? eval(env, kid) : of_text(BYTES(""));

		kid = kid != NULL ? kid->next : NULL;
		spec.width = spec.width < TEXT_MAX ? spec.width : TEXT_MAX;
		spec.precision = spec.precision < TEXT_MAX ? spec.precision : TEXT_MAX;
		cmd_charge(env->c, 4);
		if (spec.conv == 'd' || spec.conv == 'i')
			format_put_i64(&out, &spec, whole(number_of(v)));
		else if (spec.conv != '\0' && strchr("uoxX", spec.conv) != NULL)
			format_put_u64(&out, &spec, (uint64_t)whole(number_of(v)));
		else if (spec.conv != '\0' && strchr("eEfFgG", spec.conv) != NULL)
			format_put_real(&out, &spec, real_of_double(number_of(v)), true);
		else if (spec.conv == 's')
			format_put_text(&out, &spec, text_of(env, v), false);
		else if (spec.conv == 'c')
			buf_putc(&out, (char)whole(number_of(v)));
		else
			buf_add(&out, spec.text);
	}
	return of_text(buf_bytes(&out));
}

static struct value change_case(struct perl_env *env, struct bytes s, enum function f)
{
	struct buf out = buf_in(env->a);

	for (size_t i = 0; i < s.len; i++) {
		bool first_only = f == F_LCFIRST || f == F_UCFIRST;
		bool upper = f == F_UC || f == F_UCFIRST;
		int ch = (unsigned char)s.ptr[i];

		if (!first_only || i == 0)
			ch = upper ? byte_to_upper(ch) : byte_to_lower(ch);
		buf_putc(&out, (char)ch);
	}
	return of_text(buf_bytes(&out));
}

/* Where a piece begins or ends: from the end where it is below 0. */
static size_t place(int64_t at, size_t len)
{
	if (at < 0)
		at += (int64_t)len;
	return at < 0 ? 0 : (uint64_t)at > len ? len : (size_t)at;
}

static struct value piece(struct perl_env *env, const struct perl_expr *kid)
{
	struct bytes s = text_of(env, eval(env, kid));
	size_t from = place(whole(number_of(eval(env, kid->next))), s.len);
	size_t to = s.len;

	if (kid->next->next != NULL) {
		int64_t n = whole(number_of(eval(env, kid->next->next)));

		to = n < 0                        ? place(n, s.len)
		     : (uint64_t)n < s.len - from ? from + (size_t)n
						  : s.len;
	}
	return of_text(to > from ? bytes_slice(s, from, to) : BYTES(""));
}

static struct value find(struct perl_env *env, const struct perl_expr *kid, bool last)
{
	struct bytes s = text_of(env, eval(env, kid));
	struct bytes what = text_of(env, eval(env, kid->next));
	size_t from = 0;

	if (kid->next->next != NULL)
		from = place(whole(number_of(eval(env, kid->next->next))), s.len);
	struct bytes part = last && kid->next->next != NULL && from + what.len < s.len
				    ? bytes_slice(s, 0, from + what.len)
			    : last ? s
				   : bytes_slice(s, from, s.len);
	const char *hit = last ? bytes_rfind(part, what) : bytes_find(part, what);

	cmd_charge_bytes(env->c, s.len);
	return of_number(hit != NULL ? (double)(hit - s.ptr) : -1);
}

static struct value join(struct perl_env *env, const struct perl_expr *kid, bool reversed)
{
	struct buf out = buf_in(env->a);
	struct bytes between = reversed ? BYTES("") : text_of(env, eval(env, kid));

	for (const struct perl_expr *e = reversed ? kid : kid->next; e != NULL; e = e->next) {
		buf_add(&out, text_of(env, eval(env, e)));
		if (e->next != NULL)
			buf_add(&out, between);
	}
	for (size_t i = 0, k = out.len; reversed && i + 1 < k; i++) {
		char ch = out.ptr[--k];

		out.ptr[k] = out.ptr[i];
		out.ptr[i] = ch;
	}
	return of_text(buf_bytes(&out));
}

static struct value read_digits(struct bytes s, int base)
{
	uint64_t v = 0;
	size_t at = s.len > 1 && s.ptr[0] == '0' && byte_to_lower((unsigned char)s.ptr[1]) == 'x'
			    ? 2
			    : 0;

	(void)number_parse_u64(bytes_slice(s, at, s.len), at > 0 ? 16 : base, &v, NULL);
	return of_number((double)v);
}

static struct value call(struct perl_env *env, const struct perl_expr *e)
{
	const struct perl_expr *kid = e->kid;
	struct bytes s;

	switch ((enum function)e->op) {
	case F_SPRINTF: return format(env, kid);
	case F_SUBSTR: return piece(env, kid);
	case F_INDEX: return find(env, kid, false);
	case F_RINDEX: return find(env, kid, true);
	case F_JOIN: return join(env, kid, false);
	case F_REVERSE: return join(env, kid, true);
	case F_INT: return of_number(trunc(number_of(eval(env, kid))));
	case F_ABS: return of_number(fabs(number_of(eval(env, kid))));
	case F_CHR: {
		char ch = (char)whole(number_of(eval(env, kid)));

		return of_text(arena_bytes(env->a, (struct bytes){ &ch, 1 }));
	}
	default: break;
	}
	s = text_of(env, eval(env, kid));
	switch ((enum function)e->op) {
	case F_LENGTH: return of_number((double)s.len);
	case F_ORD: return of_number(s.len > 0 ? (unsigned char)s.ptr[0] : 0);
	case F_HEX: return read_digits(s, 16);
	case F_OCT: return read_digits(s, 8);
	default: return change_case(env, s, (enum function)e->op);
	}
}

/* --- operators --- */

static int compare(struct bytes a, struct bytes b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n > 0 ? memcmp(a.ptr, b.ptr, n) : 0;

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static struct value repeat(struct perl_env *env, struct bytes s, int64_t n)
{
	struct buf out = buf_in(env->a);

	for (int64_t i = 0; i < n && s.len > 0 && out.len < TEXT_MAX; i++) {
		buf_add(&out, s);
		cmd_charge_bytes(env->c, s.len);
	}
	return of_text(buf_bytes(&out));
}

/* As Perl's %: whole numbers, with the sign of the right one. */
static double modulo(double a, double b)
{
	int64_t x = whole(a);
	int64_t y = whole(b);

	if (y == -1)
		return 0;
	int64_t rest = x % y;

	return (double)(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
}

static struct value combine(struct perl_env *env, int op, struct value a, struct value b)
{
	double x = number_of(a);
	double y = number_of(b);
	int order = op >= OP_STR_EQ && op <= OP_STR_GE ? compare(text_of(env, a), text_of(env, b))
						       : 0;
	struct buf out = buf_in(env->a);

	switch (op) {
	case '+': return of_number(x + y);
	case '-': return of_number(x - y);
	case '*': return of_number(x * y);
	case '/':
		if (y == 0)
			cmd_fatal(env->c, 0, "Illegal division by zero");
		return of_number(x / y);
	case '%':
		if (whole(y) == 0)
			cmd_fatal(env->c, 0, "Illegal modulus zero");
		return of_number(modulo(x, y));
	case OP_POW: return of_number(pow(x, y));
	case '<': return of_truth(x < y);
	case '>': return of_truth(x > y);
	case OP_LE: return of_truth(x <= y);
	case OP_GE: return of_truth(x >= y);
	case OP_EQ: return of_truth(x == y);
	case OP_NE: return of_truth(x != y);
	case OP_STR_EQ: return of_truth(order == 0);
	case OP_STR_NE: return of_truth(order != 0);
	case OP_STR_LT: return of_truth(order < 0);
	case OP_STR_GT: return of_truth(order > 0);
	case OP_STR_LE: return of_truth(order <= 0);
	case OP_STR_GE: return of_truth(order >= 0);
	case OP_REPEAT: return repeat(env, text_of(env, a), whole(y));
	default: break;
	}
	buf_add(&out, text_of(env, a));
	if (out.len < TEXT_MAX)
		buf_add(&out, text_of(env, b));
	return of_text(buf_bytes(&out));
}

static struct value binary(struct perl_env *env, int op, struct value left,
			   const struct perl_expr *right)
{
	if (op == OP_AND)
		return is_true(left) ? eval(env, right) : left;
	if (op == OP_OR)
		return is_true(left) ? left : eval(env, right);
	if (op == OP_DOR)
		return left.is_number || left.text.ptr != NULL ? left : eval(env, right);
	return combine(env, op, left, eval(env, right));
}

static struct value match(struct perl_env *env, const struct perl_expr *e)
{
	struct bytes s = e->kid != NULL ? text_of(env, eval(env, e->kid)) : env->topic;
	struct regex_span span[EXPR_GROUPS];

	for (size_t i = 0; i < EXPR_GROUPS; i++)
		span[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
	bool hit = regex_search(e->re, s, 0, 0, span, EXPR_GROUPS) == 0;

	if (hit) {
		env->text = s;
		memcpy(env->span, span, sizeof span);
	}
	return of_truth(hit != e->negated);
}

static struct value group(const struct perl_env *env, unsigned n)
{
	const struct regex_span *s = &env->span[n < EXPR_GROUPS ? n : 0];

	if (n >= EXPR_GROUPS || s->from == SIZE_MAX || s->to > env->text.len)
		return (struct value){ .is_number = false };
	return of_text(bytes_slice(env->text, s->from, s->to));
}

static struct value step(struct perl_env *env, const struct perl_expr *e)
{
	struct value before = get(env, e->kid);
	struct value after = of_number(number_of(before) + (e->op == '+' ? 1 : -1));

	set(env, e->kid, after);
	return !e->late ? after : before.is_number ? before : of_number(number_of(before));
}

static struct value eval(struct perl_env *env, const struct perl_expr *e)
{
	struct value v;
	struct buf out = buf_in(env->a);

	cmd_charge(env->c, 1);
	switch (e->kind) {
	case NODE_TEXT: return of_text(e->text);
	case NODE_NUMBER: return of_number(e->number);
	case NODE_JOIN:
		for (const struct perl_expr *kid = e->kid; kid != NULL; kid = kid->next)
			buf_add(&out, text_of(env, eval(env, kid)));
		return of_text(buf_bytes(&out));
	case NODE_GROUP: return group(env, e->group);
	case NODE_MY: set(env, e, (struct value){ .is_number = false }); return get(env, e);
	case NODE_TOPIC:
	case NODE_VAR: return get(env, e);
	case NODE_ASSIGN:
		v = e->op != 0 ? binary(env, e->op, get(env, e->kid), e->kid->next)
			       : eval(env, e->kid->next);
		set(env, e->kid, v);
		return v;
	case NODE_STEP: return step(env, e);
	case NODE_UNARY:
		v = eval(env, e->kid);
		return e->op == '!'   ? of_truth(!is_true(v))
		       : e->op == '-' ? of_number(-number_of(v))
				      : v;
	case NODE_BINARY: return binary(env, e->op, eval(env, e->kid), e->kid->next);
	case NODE_CHOICE:
		return eval(env, is_true(eval(env, e->kid)) ? e->kid->next : e->kid->next->next);
	case NODE_CALL: return call(env, e);
	case NODE_MATCH: break;
	}
	return match(env, e);
}

struct bytes perl_expr_text(struct perl_env *env, const struct perl_expr *e)
{
	return text_of(env, eval(env, e));
}

bool perl_expr_true(struct perl_env *env, const struct perl_expr *e)
{
	return is_true(eval(env, e));
}
