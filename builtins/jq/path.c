/* SPDX-License-Identifier: MIT
 *
 * Indexing and paths: reading, setting and deleting at them. Paths may be long, so nothing
 * here recurses: what is on the way down is kept in a list.
 */
#include <math.h>

#include "builtins/jq/jq.h"

/* --- reading --- */

/* The bounds of a slice within len elements; false: they are no numbers. */
static bool slice_bounds(struct json from, struct json to, size_t len, size_t *start, size_t *end)
{
	double n = (double)len;
	double a = 0;
	double b = n;

	if (from.kind != JSON_NULL && !json_is_number(from))
		return false;
	if (to.kind != JSON_NULL && !json_is_number(to))
		return false;
	if (from.kind != JSON_NULL)
		a = json_num(from) < 0 ? json_num(from) + n : json_num(from);
	if (to.kind != JSON_NULL)
		b = json_num(to) < 0 ? json_num(to) + n : json_num(to);
	a = !(a > 0) ? 0 : a > n ? n : a;
	b = b > n ? n : !(b > a) ? a : b;
	*start = (size_t)a;
	*end = (size_t)b + ((double)(size_t)b < b ? 1 : 0);
	return true;
}

static struct json slice_string(struct jq *j, struct json v, struct json from, struct json to)
{
	struct bytes s = json_text(v);
	size_t start;
	size_t end;
	struct json out;

	if (!slice_bounds(from, to, utf8_count(s), &start, &end)) {
		json_put(&j->m, v);
		return jq_error(j, "Array/string slice indices must be integers");
	}
	start = utf8_offset(s, start);
	end = utf8_offset(s, end);
	out = json_string(&j->m, bytes_slice(s, start, end));
	cmd_charge_bytes(j->c, s.len);
	json_put(&j->m, v);
	return out;
}

struct json jq_slice(struct jq *j, struct json v, struct json from, struct json to)
{
	struct json out;
	size_t start;
	size_t end;

	if (v.kind == JSON_NULL)
		out = json_simple(JSON_NULL);
	else if (v.kind == JSON_STRING)
		out = slice_string(j, v, from, to);
	else if (v.kind != JSON_ARRAY) {
		out = jq_error(j, "Cannot index %s with object", json_kind_name(v));
		json_put(&j->m, v);
	} else if (!slice_bounds(from, to, json_len(v), &start, &end)) {
		json_put(&j->m, v);
		out = jq_error(j, "Array/string slice indices must be integers");
	} else {
		out = json_slice(&j->m, v, start, end);
		cmd_charge(j->c, (end - start) / 8 + 1);
		json_put(&j->m, v);
	}
	json_put(&j->m, from);
	json_put(&j->m, to);
	return out;
}

static struct json cannot_index(struct jq *j, struct json v, struct json key)
{
	if (key.kind == JSON_STRING) {
		JQ_SCRATCH(j, mark);
		struct buf b = buf_in(&j->scratch);

		buf_printf(&b, "Cannot index %s with string \"", json_kind_name(v));
		buf_add(&b, json_text(key));
		buf_putc(&b, '"');
		jq_raise(j, json_string(&j->m, buf_bytes(&b)));
		arena_release(&j->scratch, mark);
	} else {
		jq_error(j, "Cannot index %s with %s", json_kind_name(v), json_kind_name(key));
	}
	json_put(&j->m, v);
	json_put(&j->m, key);
	return json_simple(JSON_NONE);
}

static struct json element(struct jq *j, struct json v, struct json key)
{
	double at = json_num(key);
	struct json out = json_simple(JSON_NULL);

	at = floor(at);
	if (at < 0)
		at += (double)json_len(v);
	if (at >= 0 && at < (double)json_len(v))
		out = json_copy(json_at(v, (size_t)at));
	json_put(&j->m, v);
	json_put(&j->m, key);
	return out;
}

/* Where array b begins in a: an array of offsets. */
static struct json indexes_of(struct jq *j, struct json a, struct json b)
{
	struct json out = json_array(&j->m, 0);
	size_t n = json_len(b);

	for (size_t i = 0; n > 0 && i + n <= json_len(a); i++) {
		size_t k = 0;

		while (k < n && json_equal(&j->m, json_at(a, i + k), json_at(b, k)))
			k++;
		cmd_charge(j->c, k / 4 + 1);
		if (k == n)
			out = json_push(&j->m, out, json_number((double)i));
	}
	json_put(&j->m, a);
	json_put(&j->m, b);
	return n > 0 ? out : (json_put(&j->m, out), json_simple(JSON_NULL));
}

static struct json slice_part(struct json key, const char *name)
{
	return json_get_bytes(key, bytes_of(name));
}

struct json jq_index(struct jq *j, struct json v, struct json key)
{
	struct json out;

	if (v.kind == JSON_OBJECT && key.kind == JSON_STRING) {
		json_worked(&j->m, key.u.str->len);
		out = json_copy(json_get(v, key));
		if (out.kind == JSON_NONE)
			out = json_simple(JSON_NULL);
		json_put(&j->m, v);
		json_put(&j->m, key);
		return out;
	}
	if (v.kind == JSON_ARRAY && json_is_number(key))
		return element(j, v, key);
	if (key.kind == JSON_OBJECT &&
	    (v.kind == JSON_ARRAY || v.kind == JSON_NULL || v.kind == JSON_STRING)) {
		out = jq_slice(j, v, json_copy(slice_part(key, "start")),
			       json_copy(slice_part(key, "end")));
		json_put(&j->m, key);
		return out;
	}
	if (v.kind == JSON_ARRAY && key.kind == JSON_ARRAY)
		return indexes_of(j, v, key);
	if (v.kind == JSON_NULL && (key.kind == JSON_STRING || json_is_number(key))) {
		json_put(&j->m, key);
		return v;
	}
	return cannot_index(j, v, key);
}

struct json jq_getpath(struct jq *j, struct json v, struct json path)
{
	if (path.kind != JSON_ARRAY) {
		json_put(&j->m, v);
		json_put(&j->m, path);
		return jq_error(j, "Path must be specified as an array");
	}
	for (size_t i = 0; i < json_len(path) && v.kind != JSON_NULL && !j->raised; i++)
		v = jq_index(j, v, json_copy(json_at(path, i)));
	cmd_charge(j->c, json_len(path) / 8 + 1);
	json_put(&j->m, path);
	return v;
}

/* --- setting --- */

static struct json bad_update(struct jq *j, struct json v, struct json key, struct json to,
			      const char *text)
{
	json_put(&j->m, v);
	json_put(&j->m, key);
	json_put(&j->m, to);
	return jq_error(j, "%s", text);
}

static struct json set_slice(struct jq *j, struct json v, struct json key, struct json to)
{
	struct json out;
	size_t start;
	size_t end;

	if (v.kind == JSON_STRING)
		return bad_update(j, v, key, to, "Cannot update string slices");
	if (v.kind == JSON_NULL)
		v = json_array(&j->m, 0);
	if (v.kind != JSON_ARRAY)
		return bad_update(j, v, key, to,
				  "Cannot update field at object index of something else");
	if (!slice_bounds(slice_part(key, "start"), slice_part(key, "end"), json_len(v), &start,
			  &end))
		return bad_update(j, v, key, to, "Array/string slice indices must be integers");
	if (to.kind != JSON_ARRAY)
		return bad_update(j, v, key, to,
				  "A slice of an array can only be assigned another array");
	out = json_slice(&j->m, v, 0, start);
	out = json_concat(&j->m, out, to);
	out = json_concat(&j->m, out, json_slice(&j->m, v, end, json_len(v)));
	cmd_charge(j->c, json_len(out) / 8 + 1);
	json_put(&j->m, v);
	json_put(&j->m, key);
	return out;
}

static struct json set_element(struct jq *j, struct json v, struct json key, struct json to)
{
	double at = floor(json_num(key));

	if (v.kind == JSON_NULL)
		v = json_array(&j->m, 0);
	if (at != at)
		return bad_update(j, v, key, to, "Cannot set array element at NaN index");
	if (at < 0)
		at += (double)json_len(v);
	if (at < 0)
		return bad_update(j, v, key, to, "Out of bounds negative array index");
	if (at > 536870911)
		return bad_update(j, v, key, to, "Array index too large");
	json_put(&j->m, key);
	if (at > (double)json_len(v))
		cmd_charge(j->c, (uint64_t)(at - (double)json_len(v)) / 8);
	return json_set_at(&j->m, v, (size_t)at, to);
}

struct json jq_set(struct jq *j, struct json v, struct json key, struct json to)
{
	if (key.kind == JSON_STRING && (v.kind == JSON_OBJECT || v.kind == JSON_NULL))
		return json_set(&j->m, v.kind == JSON_NULL ? json_object(&j->m, 4) : v, key, to);
	if (json_is_number(key) && (v.kind == JSON_ARRAY || v.kind == JSON_NULL))
		return set_element(j, v, key, to);
	if (key.kind == JSON_OBJECT &&
	    (v.kind == JSON_ARRAY || v.kind == JSON_NULL || v.kind == JSON_STRING))
		return set_slice(j, v, key, to);
	if (key.kind == JSON_ARRAY && v.kind == JSON_ARRAY)
		return bad_update(j, v, key, to, "Cannot update field at array index of array");
	json_put(&j->m, to);
	return cannot_index(j, v, key);
}

/* Takes the member out of *v, leaving null, if that is possible: then it has one owner less. */
static struct json take_member(struct jq *j, struct json *v, struct json key)
{
	struct json out;

	if (v->kind == JSON_OBJECT && key.kind == JSON_STRING) {
		struct json_slot *slot;

		json_worked(&j->m, key.u.str->len);
		*v = json_own(&j->m, *v);
		slot = json_find(*v, key.u.str);
		if (slot == NULL)
			return json_simple(JSON_NULL);
		out = slot->val;
		slot->val = json_simple(JSON_NULL);
		return out;
	}
	if (v->kind == JSON_ARRAY && json_is_number(key)) {
		double at = floor(json_num(key));

		at = at < 0 ? at + (double)json_len(*v) : at;
		if (!(at >= 0 && at < (double)json_len(*v)))
			return json_simple(JSON_NULL);
		*v = json_own(&j->m, *v);
		out = v->u.arr->items[(size_t)at];
		v->u.arr->items[(size_t)at] = json_simple(JSON_NULL);
		return out;
	}
	return jq_index(j, json_copy(*v), json_copy(key));
}

/* Goes down all but the last `keep` keys of path; what was passed is on levels[0..n). */
static size_t descend(struct jq *j, struct json *v, struct json path, size_t keep,
		      struct json *levels)
{
	size_t n = 0;

	while (n + keep < json_len(path) && !j->raised) {
		levels[n] = *v;
		*v = take_member(j, &levels[n], json_at(path, n));
		n++;
	}
	return n;
}

/* And up again, putting each level into the one above. */
static struct json ascend(struct jq *j, struct json v, struct json path, size_t n,
			  struct json *levels)
{
	while (n > 0) {
		n--;
		if (j->raised) {
			json_put(&j->m, v);
			json_put(&j->m, levels[n]);
			v = json_simple(JSON_NONE);
			continue;
		}
		v = jq_set(j, levels[n], json_copy(json_at(path, n)), v);
	}
	return v;
}

struct json jq_setpath(struct jq *j, struct json v, struct json path, struct json to)
{
	struct json *levels;
	size_t n;
	size_t len;

	if (path.kind != JSON_ARRAY)
		return bad_update(j, v, path, to, "Path must be specified as an array");
	len = json_len(path);
	if (len == 0) {
		json_put(&j->m, v);
		json_put(&j->m, path);
		return to;
	}
	cmd_charge(j->c, len / 8 + 1);
	levels = pool_alloc(j->m.pool, len * sizeof(*levels));
	n = descend(j, &v, path, 1, levels);
	if (j->raised)
		json_put(&j->m, to);
	else
		v = jq_set(j, v, json_copy(json_at(path, len - 1)), to);
	v = ascend(j, v, path, n, levels);
	pool_free(j->m.pool, levels, len * sizeof(*levels));
	json_put(&j->m, path);
	return v;
}

static bool all_plain(struct json path)
{
	for (size_t i = 0; i < json_len(path); i++)
		if (json_at(path, i).kind != JSON_STRING && !json_is_number(json_at(path, i)))
			return false;
	return true;
}

struct json jq_takepath(struct jq *j, struct json *v, struct json path)
{
	struct json *at = v;

	if (path.kind != JSON_ARRAY || !all_plain(path))
		return jq_getpath(j, json_copy(*v), path);
	for (size_t i = 0; i < json_len(path); i++) {
		struct json key = json_at(path, i);
		struct json_slot *slot;
		double index;

		*at = json_own(&j->m, *at);
		if (at->kind == JSON_OBJECT && key.kind == JSON_STRING &&
		    (slot = json_find(*at, key.u.str)) != NULL) {
			at = &slot->val;
			continue;
		}
		if (at->kind != JSON_ARRAY || !json_is_number(key))
			return jq_getpath(j, json_copy(*v), path);
		index = floor(json_num(key));
		index = index < 0 ? index + (double)json_len(*at) : index;
		if (!(index >= 0 && index < (double)json_len(*at)))
			return jq_getpath(j, json_copy(*v), path);
		at = &at->u.arr->items[(size_t)index];
	}
	struct json out = *at;

	*at = json_simple(JSON_NULL);
	json_put(&j->m, path);
	return out;
}

/* --- deleting --- */

static struct json del_slice(struct jq *j, struct json v, struct json key)
{
	size_t start;
	size_t end;

	if (!slice_bounds(slice_part(key, "start"), slice_part(key, "end"), json_len(v), &start,
			  &end)) {
		json_put(&j->m, v);
		return jq_error(j, "Array/string slice indices must be integers");
	}
	v = json_own(&j->m, v);
	for (size_t i = start; i < end; i++)
		json_put(&j->m, v.u.arr->items[i]);
	memmove(v.u.arr->items + start, v.u.arr->items + end,
		(json_len(v) - end) * sizeof(struct json));
	v.u.arr->len -= (uint32_t)(end - start);
	cmd_charge(j->c, (end - start) / 8 + (json_len(v) - start) / 64 + 1);
	return v;
}

static struct json del_element(struct jq *j, struct json v, struct json key)
{
	double at = floor(json_num(key));

	if (at < 0)
		at += (double)json_len(v);
	if (!(at >= 0 && at < (double)json_len(v)))
		return v;
	v = json_own(&j->m, v);

	size_t i = (size_t)at;

	json_put(&j->m, v.u.arr->items[i]);
	memmove(v.u.arr->items + i, v.u.arr->items + i + 1,
		(json_len(v) - i - 1) * sizeof(struct json));
	v.u.arr->len--;
	cmd_charge(j->c, json_len(v) / 64 + 1);
	return v;
}

/* Looks at key. */
static struct json del_member(struct jq *j, struct json v, struct json key)
{
	if (v.kind == JSON_NULL)
		return v;
	if (v.kind == JSON_OBJECT && key.kind == JSON_STRING)
		return json_delete(&j->m, v, key);
	if (v.kind == JSON_ARRAY && json_is_number(key))
		return del_element(j, v, key);
	if (v.kind == JSON_ARRAY && key.kind == JSON_OBJECT)
		return del_slice(j, v, key);
	if (v.kind == JSON_OBJECT)
		jq_error(j, "Cannot delete field at object index of %s", json_kind_name(key));
	else if (v.kind == JSON_ARRAY)
		jq_error(j, "Cannot delete %s element of array", json_kind_name(key));
	else
		jq_error(j, "Cannot delete fields from %s", json_kind_name(v));
	json_put(&j->m, v);
	return json_simple(JSON_NONE);
}

static struct json delpath(struct jq *j, struct json v, struct json path)
{
	size_t len = json_len(path);
	struct json *levels = pool_alloc(j->m.pool, (len + 1) * sizeof(*levels));
	size_t n = 0;

	cmd_charge(j->c, len / 8 + 1);
	while (n + 1 < len && !j->raised && v.kind != JSON_NULL) {
		levels[n] = v;
		v = take_member(j, &levels[n], json_at(path, n));
		n++;
	}
	/* Where there is nothing, nothing is made. */
	if (!j->raised && v.kind == JSON_NULL && n > 0) {
		n--;
		struct json key = json_at(path, n);
		bool there = levels[n].kind == JSON_OBJECT && key.kind == JSON_STRING
				     ? json_find(levels[n], key.u.str) != NULL
				     : levels[n].kind == JSON_ARRAY && json_is_number(key) &&
					       json_num(key) < (double)json_len(levels[n]);

		v = there ? jq_set(j, levels[n], json_copy(key), v) : levels[n];
	} else if (!j->raised) {
		v = del_member(j, v, json_at(path, len - 1));
	}
	v = ascend(j, v, path, n, levels);
	pool_free(j->m.pool, levels, (len + 1) * sizeof(*levels));
	return v;
}

struct json jq_delpaths(struct jq *j, struct json v, struct json paths)
{
	if (paths.kind != JSON_ARRAY) {
		json_put(&j->m, v);
		json_put(&j->m, paths);
		return jq_error(j, "Paths must be specified as an array");
	}
	paths = json_sort(&j->m, paths);
	for (size_t i = 0; i < json_len(paths); i++) {
		if (json_at(paths, i).kind == JSON_ARRAY)
			continue;
		json_put(&j->m, v);
		json_put(&j->m, paths);
		return jq_error(j, "Path must be specified as an array");
	}
	for (size_t i = json_len(paths); i-- > 0 && !j->raised;) {
		struct json path = json_at(paths, i);

		if (json_len(path) == 0) {
			json_put(&j->m, v);
			v = json_simple(JSON_NULL);
			break;
		}
		v = delpath(j, v, path);
	}
	json_put(&j->m, paths);
	return v;
}
