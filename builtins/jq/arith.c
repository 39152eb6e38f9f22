/* SPDX-License-Identifier: MIT
 *
 * The operators on values.
 */
#include <math.h>

#include "builtins/jq/jq.h"

/* --- adding --- */

static struct json merge(struct jq *j, struct json a, struct json b)
{
	for (size_t i = json_next_slot(b, 0); i < b.u.obj->used; i = json_next_slot(b, i + 1)) {
		struct json key = { .kind = JSON_STRING, .u.str = b.u.obj->slots[i].key };

		a = json_set(&j->m, a, json_copy(key), json_copy(b.u.obj->slots[i].val));
	}
	cmd_charge(j->c, json_count(b) / 4 + 1);
	json_put(&j->m, b);
	return a;
}

static struct json add(struct jq *j, struct json a, struct json b)
{
	if (a.kind == JSON_NULL || b.kind == JSON_NULL) {
		json_put(&j->m, a.kind == JSON_NULL ? a : b);
		return a.kind == JSON_NULL ? b : a;
	}
	if (a.kind == JSON_STRING && b.kind == JSON_STRING) {
		a = json_append(&j->m, a, json_text(b));
		cmd_charge_bytes(j->c, b.u.str->len);
		json_put(&j->m, b);
		return a;
	}
	if (a.kind == JSON_ARRAY && b.kind == JSON_ARRAY) {
		cmd_charge(j->c, json_len(b) / 8 + 1);
		return json_concat(&j->m, a, b);
	}
	if (a.kind == JSON_OBJECT && b.kind == JSON_OBJECT)
		return merge(j, a, b);
	return jq_bad2(j, a, b, "cannot be added");
}

/* --- subtracting --- */

static struct json subtract(struct jq *j, struct json a, struct json b)
{
	struct json out;

	if (a.kind != JSON_ARRAY || b.kind != JSON_ARRAY)
		return jq_bad2(j, a, b, "cannot be subtracted");
	out = json_array(&j->m, json_len(a));
	for (size_t i = 0; i < json_len(a); i++) {
		bool found = false;

		cmd_charge(j->c, json_len(b) / 4 + 1);
		for (size_t k = 0; k < json_len(b) && !found; k++)
			found = json_equal(&j->m, json_at(a, i), json_at(b, k));
		if (!found)
			out = json_push(&j->m, out, json_copy(json_at(a, i)));
	}
	json_put(&j->m, a);
	json_put(&j->m, b);
	return out;
}

/* --- multiplying --- */

static struct json repeat(struct jq *j, struct json s, double times)
{
	struct json out;
	size_t n;

	if (!(times >= 0)) {
		json_put(&j->m, s);
		return json_simple(JSON_NULL);
	}
	n = times > 1e15 ? (size_t)1e15 : (size_t)times;
	if (s.u.str->len != 0 && n > JSON_SIZE_MAX / s.u.str->len) {
		json_put(&j->m, s);
		return jq_error(j, "Repeat string result too long");
	}
	out = json_string_new(&j->m, s.u.str->len * n);
	for (size_t i = 0; i < n && s.u.str->len != 0; i++)
		memcpy(out.u.str->ptr + i * s.u.str->len, s.u.str->ptr, s.u.str->len);
	cmd_charge_bytes(j->c, out.u.str->len);
	json_put(&j->m, s);
	return out;
}

struct merge_args {
	struct jq *j;
	struct json a;
	struct json b;
	int depth;
};

static int deep_merge(void *arg)
{
	struct merge_args *args = arg;
	struct jq *j = args->j;
	struct json b = args->b;

	cmd_charge(j->c, json_count(b) + 1);
	args->a = json_own(&j->m, args->a);
	for (size_t i = json_next_slot(b, 0); i < b.u.obj->used; i = json_next_slot(b, i + 1)) {
		struct json key = { .kind = JSON_STRING, .u.str = b.u.obj->slots[i].key };
		struct json v = b.u.obj->slots[i].val;
		struct json_slot *slot = json_find(args->a, key.u.str);

		if (slot != NULL && slot->val.kind == JSON_OBJECT && v.kind == JSON_OBJECT &&
		    args->depth < JSON_PRINT_DEPTH_MAX) {
			struct merge_args inner = { j, slot->val, v, args->depth + 1 };

			slot->val = json_simple(JSON_NULL);
			jq_deep(j, deep_merge, &inner);
			slot->val = inner.a;
		} else {
			args->a = json_set(&j->m, args->a, json_copy(key), json_copy(v));
		}
	}
	return 0;
}

static struct json multiply(struct jq *j, struct json a, struct json b)
{
	if (json_is_number(a) && b.kind == JSON_STRING)
		return repeat(j, b, json_num(a));
	if (a.kind == JSON_STRING && json_is_number(b))
		return repeat(j, a, json_num(b));
	if (a.kind == JSON_OBJECT && b.kind == JSON_OBJECT) {
		struct merge_args args = { j, a, b, 0 };

		jq_deep(j, deep_merge, &args);
		json_put(&j->m, b);
		return args.a;
	}
	return jq_bad2(j, a, b, "cannot be multiplied");
}

/* --- dividing --- */

static struct json split(struct jq *j, struct json s, struct json sep)
{
	struct json args[1] = { sep };

	return jq_native(BYTES("split"), 1)->fn(j, s, args);
}

static struct json divide(struct jq *j, struct json a, struct json b)
{
	if (a.kind == JSON_STRING && b.kind == JSON_STRING)
		return split(j, a, b);
	return jq_bad2(j, a, b, "cannot be divided");
}

static int64_t to_integer(double d)
{
	if (d >= 9223372036854775807.0)
		return INT64_MAX;
	return d <= -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static struct json modulo(struct jq *j, struct json a, struct json b)
{
	double x = json_num(a);
	double y = json_num(b);
	int64_t ix;
	uint64_t left;

	if (x != x || y != y) {
		json_put(&j->m, a);
		json_put(&j->m, b);
		return json_number(x != x ? x : y);
	}
	ix = to_integer(x);
	if (to_integer(y) == 0)
		return jq_bad2(j, a, b,
			       "cannot be divided (remainder) because the divisor is zero");
	left = magnitude(ix) % magnitude(to_integer(y));
	json_put(&j->m, a);
	json_put(&j->m, b);
	return json_number(ix < 0 ? -(double)left : (double)left);
}

/* --- all --- */

static struct json compute(struct jq *j, enum binary op, struct json a, struct json b)
{
	double x = json_num(a);
	double y = json_num(b);

	if (op == B_MOD)
		return modulo(j, a, b);
	if (op == B_DIV && y == 0)
		return jq_bad2(j, a, b, "cannot be divided because the divisor is zero");
	json_put(&j->m, a);
	json_put(&j->m, b);
	return json_number(op == B_ADD ? x + y : op == B_SUB ? x - y : op == B_MUL ? x * y : x / y);
}

static struct json compare(struct jq *j, enum binary op, struct json a, struct json b)
{
	bool out;

	if (op == B_EQ || op == B_NE) {
		/* NaN is equal to nothing. */
		out = json_equal(&j->m, a, b) && !(json_is_number(a) && json_num(a) != json_num(a));
		out = out == (op == B_EQ);
	} else {
		int cmp = json_cmp(&j->m, a, b);

		out = op == B_LT   ? cmp < 0
		      : op == B_LE ? cmp <= 0
		      : op == B_GT ? cmp > 0
				   : cmp >= 0;
	}
	json_put(&j->m, a);
	json_put(&j->m, b);
	return json_bool(out);
}

struct json jq_binary(struct jq *j, enum binary op, struct json a, struct json b)
{
	if (op >= B_EQ)
		return compare(j, op, a, b);
	if (json_is_number(a) && json_is_number(b))
		return compute(j, op, a, b);
	switch (op) {
	case B_ADD: return add(j, a, b);
	case B_SUB: return subtract(j, a, b);
	case B_MUL: return multiply(j, a, b);
	case B_DIV: return divide(j, a, b);
	default: return jq_bad2(j, a, b, "cannot be divided (remainder)");
	}
}

struct json jq_negate(struct jq *j, struct json v)
{
	double d;

	if (!json_is_number(v))
		return jq_bad(j, v, "cannot be negated");
	d = json_num(v);
	json_put(&j->m, v);
	return json_number(-d);
}

/* --- contains --- */

struct contains_args {
	struct jq *j;
	struct json a;
	struct json b;
	int depth;
};

static bool contains(struct jq *j, struct json a, struct json b, int depth);

static bool object_contains(struct contains_args *c)
{
	struct json b = c->b;

	for (size_t i = json_next_slot(b, 0); i < b.u.obj->used; i = json_next_slot(b, i + 1)) {
		struct json_slot *slot = json_find(c->a, b.u.obj->slots[i].key);

		if (slot == NULL || !contains(c->j, slot->val, b.u.obj->slots[i].val, c->depth + 1))
			return false;
	}
	return true;
}

static int run_contains(void *arg)
{
	struct contains_args *c = arg;

	cmd_charge(c->j->c, 1);
	if (c->a.kind == JSON_OBJECT)
		return object_contains(c);
	for (size_t i = 0; i < json_len(c->b); i++) {
		bool any = false;

		for (size_t k = 0; k < json_len(c->a) && !any; k++) {
			any = contains(c->j, json_at(c->a, k), json_at(c->b, i), c->depth + 1);
			jq_turn(c->j, k);
		}
		cmd_charge(c->j->c, 1);
		if (!any)
			return false;
	}
	return true;
}

static bool contains(struct jq *j, struct json a, struct json b, int depth)
{
	struct contains_args args = { j, a, b, depth };

	if (a.kind == b.kind && a.kind >= JSON_ARRAY)
		return depth < JSON_PRINT_DEPTH_MAX && jq_deep(j, run_contains, &args);
	if (a.kind == JSON_STRING && b.kind == JSON_STRING) {
		json_worked(&j->m, a.u.str->len);
		return bytes_find(json_text(a), json_text(b)) != NULL;
	}
	return json_equal(&j->m, a, b);
}

struct json jq_contains(struct jq *j, struct json a, struct json b)
{
	bool out;

	if (a.kind != b.kind && !(json_is_number(a) && json_is_number(b)))
		return jq_bad2(j, a, b, "cannot have their containment checked");
	out = contains(j, a, b, 0);
	json_put(&j->m, a);
	json_put(&j->m, b);
	return json_bool(out);
}
