/* SPDX-License-Identifier: MIT
 *
 * Functions written in C: the search for them, and those about types, arrays and objects.
 */
#include <math.h>

#include "base/sort.h"
#include "builtins/jq/jq.h"

static const struct native *const *tables(void)
{
	static const struct native *const list[] = { jq_natives_core, jq_natives_text,
						     jq_natives_math, jq_natives_time,
						     jq_natives_io,   NULL };

	return list;
}

const struct native *jq_native(struct bytes name, size_t nargs)
{
	for (const struct native *const *t = tables(); *t != NULL; t++)
		for (const struct native *n = *t; n->name != NULL; n++)
			if (n->nargs == nargs && bytes_is(name, n->name))
				return n;
	return NULL;
}

const struct native *jq_native_nth(size_t i)
{
	for (const struct native *const *t = tables(); *t != NULL; t++)
		for (const struct native *n = *t; n->name != NULL; n++)
			if (i-- == 0)
				return n;
	return NULL;
}

/* --- types --- */

static struct json fn_type(struct jq *j, struct json in, struct json *arg)
{
	struct json out = json_key(&j->m, bytes_of(json_kind_name(in)));

	(void)arg;
	json_put(&j->m, in);
	return out;
}

static struct json fn_length(struct jq *j, struct json in, struct json *arg)
{
	double n;

	(void)arg;
	switch (in.kind) {
	case JSON_NULL: n = 0; break;
	case JSON_NUMBER:
	case JSON_LITERAL: n = fabs(json_num(in)); break;
	case JSON_STRING:
		n = (double)utf8_count(json_text(in));
		cmd_charge_bytes(j->c, in.u.str->len);
		break;
	case JSON_ARRAY: n = (double)json_len(in); break;
	case JSON_OBJECT: n = (double)json_count(in); break;
	default: return jq_bad(j, in, "has no length");
	}
	json_put(&j->m, in);
	return json_number(n);
}

static struct json fn_utf8bytelength(struct jq *j, struct json in, struct json *arg)
{
	double n;

	(void)arg;
	if (in.kind != JSON_STRING)
		return jq_bad(j, in, "only strings have UTF-8 byte length");
	n = in.u.str->len;
	json_put(&j->m, in);
	return json_number(n);
}

static struct json fn_tostring(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return jq_tostring(j, in);
}

static struct json fn_tojson(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return jq_tojson(j, in);
}

static struct json fn_fromjson(struct jq *j, struct json in, struct json *arg)
{
	JQ_SCRATCH(j, mark);
	struct buf message = buf_in(&j->scratch);
	struct json out;
	enum json_next got;

	(void)arg;
	if (in.kind != JSON_STRING)
		return jq_bad(j, in, "only strings can be parsed");
	cmd_charge_bytes(j->c, in.u.str->len);
	got = json_parse(&j->m, json_text(in), &out, &message);
	if (got == JSON_ERROR)
		out = jq_error(j, "%s", buf_cstr(&message));
	else if (got == JSON_MORE)
		out = jq_error(j, "Expected JSON value (while parsing '%s')", in.u.str->ptr);
	arena_release(&j->scratch, mark);
	json_put(&j->m, in);
	return out;
}

static struct json fn_tonumber(struct jq *j, struct json in, struct json *arg)
{
	struct json out;

	(void)arg;
	if (json_is_number(in))
		return in;
	if (in.kind != JSON_STRING)
		return jq_bad(j, in, "cannot be parsed as a number");
	struct bytes s = json_text(in);

	json_worked(&j->m, s.len);
	while (s.len > 0 && byte_is_space(s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	while (s.len > 0 && byte_is_space(s.ptr[s.len - 1]))
		s.len--;
	out = json_parse_number(&j->m, s);
	if (out.kind != JSON_NONE) {
		json_put(&j->m, in);
		return out;
	}
	/* Anything else that is JSON has its own error; what is not, the parser's. */
	out = fn_fromjson(j, json_copy(in), NULL);
	if (!j->raised) {
		json_put(&j->m, out);
		return jq_bad(j, in, "cannot be parsed as a number");
	}
	json_put(&j->m, in);
	return out;
}

static struct json fn_toboolean(struct jq *j, struct json in, struct json *arg)
{
	bool yes = in.kind == JSON_STRING && bytes_is(json_text(in), "true");

	(void)arg;
	if (in.kind == JSON_TRUE || in.kind == JSON_FALSE)
		return in;
	if (!yes && !(in.kind == JSON_STRING && bytes_is(json_text(in), "false")))
		return jq_bad(j, in, "cannot be parsed as a boolean");
	json_put(&j->m, in);
	return json_bool(yes);
}

static struct json fn_format(struct jq *j, struct json in, struct json *arg)
{
	struct json out;

	if (arg[0].kind != JSON_STRING) {
		json_put(&j->m, in);
		return jq_bad(j, arg[0], "is not a valid format");
	}
	out = jq_format(j, json_text(arg[0]), in);
	json_put(&j->m, arg[0]);
	return out;
}

static struct json fn_keys(struct jq *j, struct json in, bool sorted)
{
	struct json out;

	if (in.kind == JSON_OBJECT) {
		out = json_keys(&j->m, in, sorted);
	} else if (in.kind == JSON_ARRAY) {
		out = json_array(&j->m, json_len(in));
		for (size_t i = 0; i < json_len(in); i++)
			out = json_push(&j->m, out, json_number((double)i));
	} else {
		return jq_bad(j, in, "has no keys");
	}
	cmd_charge(j->c, json_len(out) / 4 + 1);
	json_put(&j->m, in);
	return out;
}

static struct json fn_keys_sorted(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return fn_keys(j, in, true);
}

static struct json fn_keys_unsorted(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return fn_keys(j, in, false);
}

static struct json fn_has(struct jq *j, struct json in, struct json *arg)
{
	bool out;

	if (in.kind == JSON_OBJECT && arg[0].kind == JSON_STRING) {
		json_worked(&j->m, arg[0].u.str->len);
		out = json_get(in, arg[0]).kind != JSON_NONE;
	} else if (in.kind == JSON_ARRAY && json_is_number(arg[0])) {
		double at = json_num(arg[0]);

		out = at >= 0 && at < (double)json_len(in);
	} else if (in.kind == JSON_NULL) {
		out = false;
	} else {
		jq_error(j, "Cannot check whether %s has a %s key", json_kind_name(in),
			 json_kind_name(arg[0]));
		json_put(&j->m, in);
		json_put(&j->m, arg[0]);
		return json_simple(JSON_NONE);
	}
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	return json_bool(out);
}

static struct json fn_contains(struct jq *j, struct json in, struct json *arg)
{
	return jq_contains(j, in, arg[0]);
}

/* --- arrays --- */

static struct json fn_add(struct jq *j, struct json in, struct json *arg)
{
	struct json sum = json_simple(JSON_NULL);
	size_t n;

	(void)arg;
	if (in.kind != JSON_ARRAY && in.kind != JSON_OBJECT) {
		jq_error(j, "Cannot iterate over %s (%s)", json_kind_name(in), jq_dump(j, in));
		json_put(&j->m, in);
		return json_simple(JSON_NONE);
	}
	n = in.kind == JSON_ARRAY ? json_len(in) : in.u.obj->used;
	for (size_t i = 0; i < n && !j->raised; i++) {
		struct json v;

		if (in.kind == JSON_OBJECT && in.u.obj->slots[i].key == NULL)
			continue;
		v = in.kind == JSON_ARRAY ? json_at(in, i) : in.u.obj->slots[i].val;
		sum = sum.kind == JSON_NUMBER && v.kind == JSON_NUMBER
			      ? json_number(sum.u.num + v.u.num)
			      : jq_binary(j, B_ADD, sum, json_copy(v));
	}
	cmd_charge(j->c, n / 8 + 1);
	json_put(&j->m, in);
	return sum;
}

static struct json fn_any_all(struct jq *j, struct json in, bool any)
{
	bool out = !any;
	size_t n;

	if (in.kind != JSON_ARRAY && in.kind != JSON_OBJECT) {
		jq_error(j, "Cannot iterate over %s (%s)", json_kind_name(in), jq_dump(j, in));
		json_put(&j->m, in);
		return json_simple(JSON_NONE);
	}
	n = in.kind == JSON_ARRAY ? json_len(in) : in.u.obj->used;
	for (size_t i = 0; i < n && out != any; i++) {
		bool dead = in.kind == JSON_OBJECT && in.u.obj->slots[i].key == NULL;
		struct json v = in.kind == JSON_ARRAY ? json_at(in, i) : in.u.obj->slots[i].val;

		if (!dead && json_truth(v) == any)
			out = any;
	}
	cmd_charge(j->c, n / 16 + 1);
	json_put(&j->m, in);
	return json_bool(out);
}

static struct json fn_any(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return fn_any_all(j, in, true);
}

static struct json fn_all(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return fn_any_all(j, in, false);
}

static struct json fn_reverse(struct jq *j, struct json in, struct json *arg)
{
	size_t n;

	if (in.kind != JSON_ARRAY) {
		const char *kind = json_kind_name(in);
		struct json length = fn_length(j, in, arg);

		/* As if its elements were asked for from the last on. */
		if (!j->raised && json_num(length) > 0)
			return jq_error(j, "Cannot index %s with number", kind);
		return j->raised ? length : json_array(&j->m, 0);
	}
	in = json_own(&j->m, in);
	n = json_len(in);
	for (size_t i = 0; i < n / 2; i++) {
		struct json t = in.u.arr->items[i];

		in.u.arr->items[i] = in.u.arr->items[n - 1 - i];
		in.u.arr->items[n - 1 - i] = t;
	}
	cmd_charge(j->c, n / 16 + 1);
	return in;
}

static struct json fn_sort(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	if (in.kind != JSON_ARRAY)
		return jq_bad(j, in, "cannot be sorted, as it is not an array");
	return json_sort(&j->m, in);
}

/* An element of an array and what it is sorted by; both are the arrays'. */
struct entry {
	struct json key;
	struct json v;
};

static int compare_entries(void *arg, const void *a, const void *b)
{
	struct jq *j = arg;
	const struct entry *x = a;
	const struct entry *y = b;

	cmd_charge(j->c, 1);
	return json_cmp(&j->m, x->key, y->key);
}

/* The elements in the order of their keys, equal ones as they were; in the pool. NULL after an
 * error, in and keys then being consumed. */
static struct entry *sorted_entries(struct jq *j, struct json in, struct json keys)
{
	size_t n;
	struct entry *a;
	struct entry *tmp;
	bool ones = true;

	if (in.kind != JSON_ARRAY || keys.kind != JSON_ARRAY || json_len(in) != json_len(keys)) {
		jq_bad2(j, in, keys, "cannot be sorted, as they are not both arrays");
		return NULL;
	}
	n = json_len(in);
	/* Arrays of one are in order as their elements are. */
	for (size_t i = 0; i < n && ones; i++)
		ones = json_at(keys, i).kind == JSON_ARRAY && json_len(json_at(keys, i)) == 1;
	a = pool_alloc(j->m.pool, (n + 1) * sizeof(*a));
	tmp = pool_alloc(j->m.pool, (n + 1) * sizeof(*a));
	for (size_t i = 0; i < n; i++) {
		struct json key = json_at(keys, i);

		a[i] = (struct entry){ ones ? json_at(key, 0) : key, json_at(in, i) };
	}
	sort_stable(a, n, sizeof(*a), tmp, compare_entries, j);
	pool_free(j->m.pool, tmp, (n + 1) * sizeof(*a));
	return a;
}

static void free_entries(struct jq *j, struct entry *e, struct json in, struct json keys)
{
	pool_free(j->m.pool, e, (json_len(in) + 1) * sizeof(*e));
	json_put(&j->m, in);
	json_put(&j->m, keys);
}

static struct json fn_sort_by(struct jq *j, struct json in, struct json *arg)
{
	struct entry *e = sorted_entries(j, in, arg[0]);
	struct json out;

	if (e == NULL)
		return json_simple(JSON_NONE);
	out = json_array(&j->m, json_len(in));
	for (size_t i = 0; i < json_len(in); i++)
		out = json_push(&j->m, out, json_copy(e[i].v));
	free_entries(j, e, in, arg[0]);
	return out;
}

/* Groups of equal keys; first: only the first of each. */
static struct json grouped(struct jq *j, struct json in, struct json keys, bool first)
{
	struct entry *e = sorted_entries(j, in, keys);
	struct json out;
	struct json group = json_simple(JSON_NONE);

	if (e == NULL)
		return json_simple(JSON_NONE);
	out = json_array(&j->m, 4);
	for (size_t i = 0; i < json_len(in); i++) {
		bool same = i > 0 && json_equal(&j->m, e[i].key, e[i - 1].key);

		if (first && !same)
			out = json_push(&j->m, out, json_copy(e[i].v));
		if (first)
			continue;
		if (!same) {
			if (group.kind != JSON_NONE)
				out = json_push(&j->m, out, group);
			group = json_array(&j->m, 2);
		}
		group = json_push(&j->m, group, json_copy(e[i].v));
	}
	if (group.kind != JSON_NONE)
		out = json_push(&j->m, out, group);
	free_entries(j, e, in, keys);
	return out;
}

static struct json fn_group_by(struct jq *j, struct json in, struct json *arg)
{
	return grouped(j, in, arg[0], false);
}

static struct json fn_unique_by(struct jq *j, struct json in, struct json *arg)
{
	return grouped(j, in, arg[0], true);
}

static struct json fn_unique(struct jq *j, struct json in, struct json *arg)
{
	struct json out;

	(void)arg;
	if (in.kind != JSON_ARRAY)
		return jq_bad(j, in, "cannot be sorted, as it is not an array");
	in = json_sort(&j->m, in);
	out = json_array(&j->m, 4);
	for (size_t i = 0; i < json_len(in); i++)
		if (i == 0 || !json_equal(&j->m, json_at(in, i), json_at(in, i - 1)))
			out = json_push(&j->m, out, json_copy(json_at(in, i)));
	json_put(&j->m, in);
	return out;
}

/* Of equal ones min gives the first, max the last. */
static struct json extreme(struct jq *j, struct json in, struct json keys, bool max)
{
	struct json out = json_simple(JSON_NULL);
	size_t best = 0;

	if (in.kind != JSON_ARRAY || keys.kind != JSON_ARRAY || json_len(in) != json_len(keys))
		return jq_bad2(j, in, keys, "cannot be iterated over");
	for (size_t i = 1; i < json_len(in); i++) {
		int cmp = json_cmp(&j->m, json_at(keys, i), json_at(keys, best));

		if (max ? cmp >= 0 : cmp < 0)
			best = i;
	}
	cmd_charge(j->c, json_len(in) / 4 + 1);
	if (json_len(in) > 0)
		out = json_copy(json_at(in, best));
	json_put(&j->m, in);
	json_put(&j->m, keys);
	return out;
}

static struct json fn_min(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return extreme(j, in, json_copy(in), false);
}

static struct json fn_max(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return extreme(j, in, json_copy(in), true);
}

static struct json fn_min_by(struct jq *j, struct json in, struct json *arg)
{
	return extreme(j, in, arg[0], false);
}

static struct json fn_max_by(struct jq *j, struct json in, struct json *arg)
{
	return extreme(j, in, arg[0], true);
}

static struct json fn_indexes(struct jq *j, struct json in, struct json *arg)
{
	struct json one;

	if (in.kind == JSON_ARRAY && arg[0].kind == JSON_ARRAY && json_len(arg[0]) == 0) {
		json_put(&j->m, in);
		return arg[0];
	}
	if (in.kind == JSON_ARRAY && arg[0].kind != JSON_ARRAY) {
		one = json_push(&j->m, json_array(&j->m, 1), arg[0]);
		return jq_index(j, in, one);
	}
	if (in.kind == JSON_STRING && arg[0].kind == JSON_STRING) {
		struct bytes s = json_text(in);
		struct bytes needle = json_text(arg[0]);
		struct json out = json_array(&j->m, 0);
		const char *at = s.ptr;
		const char *end = s.ptr + s.len;

		while (needle.len > 0 && at < end &&
		       (at = bytes_find((struct bytes){ at, (size_t)(end - at) }, needle)) !=
			       NULL) {
			struct bytes before = { s.ptr, (size_t)(at - s.ptr) };

			out = json_push(&j->m, out, json_number((double)before.len));
			cmd_charge_bytes(j->c, needle.len);
			at++;
		}
		cmd_charge_bytes(j->c, s.len);
		json_put(&j->m, in);
		json_put(&j->m, arg[0]);
		return out;
	}
	return jq_index(j, in, arg[0]);
}

/* --- objects --- */

static struct json fn_to_entries(struct jq *j, struct json in, struct json *arg)
{
	struct json key = json_key(&j->m, BYTES("key"));
	struct json value = json_key(&j->m, BYTES("value"));
	struct json out;

	(void)arg;
	if (in.kind != JSON_OBJECT) {
		json_put(&j->m, key);
		json_put(&j->m, value);
		if (in.kind != JSON_ARRAY)
			return jq_bad(j, in, "has no keys");
	}
	size_t n = in.kind == JSON_OBJECT ? in.u.obj->used : json_len(in);

	out = json_array(&j->m, n);
	for (size_t i = 0; i < n; i++) {
		bool object = in.kind == JSON_OBJECT;
		struct json name = json_number((double)i);
		struct json o;

		if (object && in.u.obj->slots[i].key == NULL)
			continue;
		if (object)
			name = json_copy((struct json){ .kind = JSON_STRING,
							.u.str = in.u.obj->slots[i].key });
		o = json_object(&j->m, 2);
		o = json_set(&j->m, o, object ? json_copy(key) : json_key(&j->m, BYTES("key")),
			     name);
		o = json_set(&j->m, o, object ? json_copy(value) : json_key(&j->m, BYTES("value")),
			     json_copy(object ? in.u.obj->slots[i].val : json_at(in, i)));
		out = json_push(&j->m, out, o);
	}
	cmd_charge(j->c, n / 2 + 1);
	if (in.kind == JSON_OBJECT) {
		json_put(&j->m, key);
		json_put(&j->m, value);
	}
	json_put(&j->m, in);
	return out;
}

/* The first of some fields that is neither null nor false; NONE after an error. */
static struct json first_field(struct jq *j, struct json v, const char *const *names)
{
	struct json out = json_simple(JSON_NULL);

	for (; *names != NULL && !json_truth(out) && !j->raised; names++)
		out = jq_index(j, json_copy(v), json_key(&j->m, bytes_of(*names)));
	return out;
}

static struct json fn_from_entries(struct jq *j, struct json in, struct json *arg)
{
	static const char *const keys[] = { "key", "Key", "name", "Name", NULL };
	struct json out = json_object(&j->m, 4);
	size_t n = in.kind == JSON_ARRAY    ? json_len(in)
		   : in.kind == JSON_OBJECT ? in.u.obj->used
					    : 0;

	(void)arg;
	if (in.kind != JSON_ARRAY && in.kind != JSON_OBJECT)
		jq_error(j, "Cannot iterate over %s (%s)", json_kind_name(in), jq_dump(j, in));
	for (size_t i = 0; i < n && !j->raised; i++) {
		struct json e = in.kind == JSON_ARRAY ? json_at(in, i) : in.u.obj->slots[i].val;
		struct json key;
		struct json v;

		if (in.kind == JSON_OBJECT && in.u.obj->slots[i].key == NULL)
			continue;
		key = first_field(j, e, keys);
		if (j->raised)
			break;
		if (key.kind != JSON_STRING) {
			jq_error(j, "Cannot use %s (%s) as object key", json_kind_name(key),
				 jq_dump(j, key));
			json_put(&j->m, key);
			break;
		}
		v = json_get_bytes(e, BYTES("value"));
		if (v.kind == JSON_NONE)
			v = json_get_bytes(e, BYTES("Value"));
		if (v.kind == JSON_NONE)
			v = json_simple(JSON_NULL);
		out = json_set(&j->m, out, key, json_copy(v));
		if (i % 16 == 0)
			cmd_charge(j->c, 16);
	}
	json_put(&j->m, in);
	if (!j->raised)
		return out;
	json_put(&j->m, out);
	return json_simple(JSON_NONE);
}

static struct json fn_delpaths(struct jq *j, struct json in, struct json *arg)
{
	return jq_delpaths(j, in, arg[0]);
}

static struct json fn_setpath(struct jq *j, struct json in, struct json *arg)
{
	return jq_setpath(j, in, arg[0], arg[1]);
}

struct json jq_values(struct jq *j, struct json in)
{
	struct json out = json_array(&j->m, json_count(in));

	for (size_t i = json_next_slot(in, 0); i < in.u.obj->used; i = json_next_slot(in, i + 1))
		out = json_push(&j->m, out, json_copy(in.u.obj->slots[i].val));
	json_put(&j->m, in);
	return out;
}

/* Looks into nested arrays to a depth; in an explicit stack, for they may nest deep. */
static struct json fn_flatten(struct jq *j, struct json in, struct json *arg)
{
	struct open {
		struct json v;
		size_t at;
	} *stack = NULL;
	size_t n = 0;
	size_t cap = 0;
	double depth;
	struct json out;

	if (!json_is_number(arg[0]) || json_num(arg[0]) < 0) {
		json_put(&j->m, in);
		json_put(&j->m, arg[0]);
		return jq_error(j, "flatten depth must not be negative");
	}
	depth = json_num(arg[0]);
	json_put(&j->m, arg[0]);
	if (in.kind == JSON_OBJECT)
		in = jq_values(j, in);
	if (in.kind != JSON_ARRAY) {
		jq_error(j, "Cannot iterate over %s (%s)", json_kind_name(in), jq_dump(j, in));
		json_put(&j->m, in);
		return json_simple(JSON_NONE);
	}
	out = json_array(&j->m, json_len(in));
	for (struct open top = { in, 0 };;) {
		cmd_charge(j->c, 1);
		if (top.at == json_len(top.v)) {
			if (n == 0)
				break;
			top = stack[--n];
			continue;
		}
		struct json v = json_at(top.v, top.at++);

		if (v.kind != JSON_ARRAY || (double)n >= depth) {
			out = json_push(&j->m, out, json_copy(v));
			continue;
		}
		if (n == cap) {
			stack = pool_resize(j->m.pool, stack, cap * sizeof(*stack),
					    (cap * 2 + 16) * sizeof(*stack));
			cap = cap * 2 + 16;
		}
		stack[n++] = top;
		top = (struct open){ v, 0 };
	}
	pool_free(j->m.pool, stack, cap * sizeof(*stack));
	json_put(&j->m, in);
	return out;
}

static struct json fn_transpose(struct jq *j, struct json in, struct json *arg)
{
	size_t rows = 0;
	struct json out;

	(void)arg;
	for (size_t i = 0; in.kind == JSON_ARRAY && i < json_len(in); i++)
		if (json_at(in, i).kind == JSON_ARRAY && json_len(json_at(in, i)) > rows)
			rows = json_len(json_at(in, i));
	if (in.kind != JSON_ARRAY)
		return jq_bad(j, in, "cannot be iterated over");
	out = json_array(&j->m, rows);
	for (size_t r = 0; r < rows && !j->raised; r++) {
		struct json row = json_array(&j->m, json_len(in));

		for (size_t i = 0; i < json_len(in) && !j->raised; i++)
			row = json_push(
				&j->m, row,
				jq_index(j, json_copy(json_at(in, i)), json_number((double)r)));
		cmd_charge(j->c, json_len(in) / 4 + 1);
		out = json_push(&j->m, out, row);
	}
	json_put(&j->m, in);
	if (j->raised) {
		json_put(&j->m, out);
		return json_simple(JSON_NONE);
	}
	return out;
}

const struct native jq_natives_core[] = {
	{ "type", 0, fn_type },
	{ "length", 0, fn_length },
	{ "utf8bytelength", 0, fn_utf8bytelength },
	{ "tostring", 0, fn_tostring },
	{ "tojson", 0, fn_tojson },
	{ "fromjson", 0, fn_fromjson },
	{ "tonumber", 0, fn_tonumber },
	{ "toboolean", 0, fn_toboolean },
	{ "format", 1, fn_format },
	{ "keys", 0, fn_keys_sorted },
	{ "keys_unsorted", 0, fn_keys_unsorted },
	{ "has", 1, fn_has },
	{ "contains", 1, fn_contains },
	{ "add", 0, fn_add },
	{ "any", 0, fn_any },
	{ "all", 0, fn_all },
	{ "reverse", 0, fn_reverse },
	{ "sort", 0, fn_sort },
	{ "_sort_by", 1, fn_sort_by },
	{ "_group_by", 1, fn_group_by },
	{ "_unique_by", 1, fn_unique_by },
	{ "_unique", 0, fn_unique },
	{ "min", 0, fn_min },
	{ "max", 0, fn_max },
	{ "_min_by", 1, fn_min_by },
	{ "_max_by", 1, fn_max_by },
	{ "_indices", 1, fn_indexes },
	{ "indices", 1, fn_indexes },
	{ "to_entries", 0, fn_to_entries },
	{ "from_entries", 0, fn_from_entries },
	{ "delpaths", 1, fn_delpaths },
	{ "setpath", 2, fn_setpath },
	{ "flatten", 1, fn_flatten },
	{ "_transpose", 0, fn_transpose },
	{ NULL, 0, NULL },
};
