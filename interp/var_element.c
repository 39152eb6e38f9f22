/* SPDX-License-Identifier: MIT
 *
 * Variables as arrays: elements by index, by subscript text, all at once; references given
 * as text ("a[3]").
 */
#include "interp/exec.h"
#include "interp/var_private.h"
#include "interp/var_special.h"

enum { KEYS_A_STEP = 16 };

/* No switch happens here. */
static void keys_cost(struct shell *sh, const struct var *v)
{
	kernel_fuel(sh->p->k)->left -= (int64_t)(assoc_passed(v->assoc) / KEYS_A_STEP);
}

/* Brings the arrays that are made when they are looked at (FUNCNAME, ...) up to date. */
static void refresh(struct shell *sh, struct var *v)
{
	if ((v->flags & VAR_DYNAMIC) == 0 || v->hook->refresh == NULL)
		return;
	v->hook->refresh(sh, v);
	var_copy_cost(sh, v);
	if ((v->flags & VAR_ASSOC) != 0)
		keys_cost(sh, v);
}

static bool is_indexed(const struct var *v)
{
	return (v->flags & VAR_ARRAY) != 0 && v->array != NULL;
}

static bool is_assoc(const struct var *v)
{
	return (v->flags & VAR_ASSOC) != 0 && v->assoc != NULL;
}

/* --- reading --- */

/* Negative indexes count from the end of an array; false if that is before its beginning. */
static bool from_end(struct var *v, int64_t *index)
{
	if (*index >= 0)
		return true;
	if ((v->flags & VAR_ARRAY) == 0 || !is_indexed(v))
		return false;
	/* The last index may be the largest: the sum wraps. */
	*index = (int64_t)((uint64_t)*index + (uint64_t)array_last(v->array) + 1);
	return *index >= 0;
}

void var_before_start(struct shell *sh, struct bytes name)
{
	shell_error(sh, "%.*s: bad array subscript", (int)name.len, name.ptr);
	sh->status = 1;
	exec_errexit(sh);
}

static int get_key(struct shell *sh, const struct var *v, struct bytes key, struct bytes *out)
{
	bool found = is_assoc(v) && assoc_get(v->assoc, key, out);

	if (is_assoc(v))
		keys_cost(sh, v);
	return found;
}

int var_element_at(struct shell *sh, struct var *v, int64_t index, struct bytes *out)
{
	refresh(sh, v);
	if ((v->flags & VAR_ASSOC) != 0) {
		char digits[24];

		return get_key(sh, v, i64_text(index, digits), out);
	}
	if (!from_end(v, &index)) {
		var_before_start(sh, v->name);
		return 0;
	}
	if ((v->flags & VAR_ARRAY) != 0)
		return is_indexed(v) && array_get(v->array, index, out);
	return index == 0 && var_scalar(sh, v, out);
}

int var_element(struct shell *sh, struct var *v, struct bytes sub, struct bytes *out)
{
	int64_t index;

	if ((v->flags & VAR_ASSOC) != 0) {
		refresh(sh, v);
		return get_key(sh, v, sub, out);
	}
	if (eval_subscript(sh, sub, &index) != 0)
		return -1;
	return var_element_at(sh, v, index, out);
}

size_t var_count(struct shell *sh, struct var *v)
{
	struct bytes value;

	refresh(sh, v);
	if ((v->flags & VAR_ASSOC) != 0)
		return is_assoc(v) ? assoc_count(v->assoc) : 0;
	if ((v->flags & VAR_ARRAY) != 0)
		return is_indexed(v) ? array_count(v->array) : 0;
	return var_scalar(sh, v, &value);
}

/* The bytes of all values (or keys) in one block of the arena: scripts may change the variable
 * while they are in use. */
static size_t list_indexed(struct shell *sh, const struct array *a, struct bytes *out, bool keys)
{
	size_t n = 0;
	int64_t index = -1;
	struct bytes value;
	char digits[24];

	while (index < INT64_MAX && array_next(a, index + 1, &index, &value))
		out[n++] = arena_bytes(sh->arena, keys ? i64_text(index, digits) : value);
	return n;
}

static size_t list_assoc(struct shell *sh, const struct assoc *a, struct bytes *out, bool keys)
{
	size_t n = 0;
	size_t cursor = 0;
	struct bytes key;
	struct bytes value;

	while (assoc_next(a, &cursor, &key, &value))
		out[n++] = arena_bytes(sh->arena, keys ? key : value);
	return n;
}

static size_t list_all(struct shell *sh, struct var *v, struct bytes **out, bool keys)
{
	size_t n = var_count(sh, v);

	*out = arena_alloc(sh->arena, (n + 1) * sizeof **out);
	proc_charge(sh->p, n / 4);
	if (is_assoc(v))
		return list_assoc(sh, v->assoc, *out, keys);
	if (is_indexed(v))
		return list_indexed(sh, v->array, *out, keys);
	if (n == 0)
		return 0;
	if (keys)
		(*out)[0] = BYTES("0");
	else if (!var_scalar(sh, v, *out))
		return 0;
	(*out)[0] = arena_bytes(sh->arena, (*out)[0]);
	return n;
}

size_t var_values(struct shell *sh, struct var *v, struct bytes **out)
{
	return list_all(sh, v, out, false);
}

size_t var_keys(struct shell *sh, struct var *v, struct bytes **out)
{
	return list_all(sh, v, out, true);
}

/* --- writing --- */

int var_make_array(struct shell *sh, struct var *v, bool assoc)
{
	struct bytes value;
	bool had = (v->flags & (VAR_SET | VAR_ARRAY | VAR_ASSOC)) == VAR_SET;

	if ((v->flags & (assoc ? VAR_ASSOC : VAR_ARRAY)) != 0)
		return 0;
	value = had ? arena_bytes(sh->arena, (struct bytes){ v->value, v->len }) : BYTES("");
	var_free_value(sh, v);
	v->flags |= assoc ? VAR_ASSOC : VAR_ARRAY;
	if (had && assoc) {
		v->assoc = assoc_new(sh->pool, ASSOC_CONVERTED);
		assoc_put(sh->pool, v->assoc, BYTES("0"), value);
	} else if (had) {
		v->array = array_new(sh->pool);
		array_put(sh->pool, v->array, 0, value);
	}
	if (had)
		v->flags |= VAR_SET;
	sh->vars.export_serial += (v->flags & VAR_EXPORT) != 0;
	var_run_own_hook(sh, v);
	return 0;
}

int var_clear_array(struct shell *sh, struct var *v)
{
	unsigned kind = v->flags & (VAR_ARRAY | VAR_ASSOC);
	size_t buckets = ASSOC_BUCKETS;

	if (kind == 0)
		kind = VAR_ARRAY;
	if (kind == VAR_ASSOC && v->assoc != NULL)
		buckets = assoc_buckets(v->assoc);
	var_free_value(sh, v);
	v->flags |= kind | VAR_SET;
	if (kind == VAR_ASSOC)
		v->assoc = assoc_new(sh->pool, buckets);
	else
		v->array = array_new(sh->pool);
	sh->vars.export_serial += (v->flags & VAR_EXPORT) != 0;
	var_run_own_hook(sh, v);
	return 0;
}

/* Before an element is written. 1: go on; 0: nothing to do; -1: refused. */
static int begin_write(struct shell *sh, struct var *v, unsigned how)
{
	if (var_check_writable(sh, v, how) != 0)
		return -1;
	if ((v->flags & VAR_NOASSIGN) != 0)
		return 0;
	refresh(sh, v);
	if ((v->flags & (VAR_ARRAY | VAR_ASSOC)) == 0)
		var_make_array(sh, v, false);
	if ((v->flags & VAR_ASSOC) != 0 && v->assoc == NULL)
		v->assoc = assoc_new(sh->pool, ASSOC_BUCKETS);
	if ((v->flags & VAR_ARRAY) != 0 && v->array == NULL)
		v->array = array_new(sh->pool);
	v->flags |= VAR_SET;
	return 1;
}

static bool minds_elements(const struct var *v)
{
	return (v->flags & VAR_DYNAMIC) != 0 && v->hook->changed_element != NULL;
}

static int put_key(struct shell *sh, struct var *v, struct bytes key, struct bytes value,
		   unsigned how)
{
	struct bytes old = { "", 0 };
	char digits[24];

	shell_cost(sh, 4 * key.len + value.len);
	if ((v->flags & (VAR_INTEGER | VAR_CASED)) != 0) {
		assoc_get(v->assoc, key, &old);
		if (var_transform(sh, v, old, &value, &how, digits) != 0)
			return -1;
	}
	if ((how & VAR_APPEND) != 0)
		assoc_append(sh->pool, v->assoc, key, value);
	else
		assoc_put(sh->pool, v->assoc, key, value);
	keys_cost(sh, v);
	/* Of what was appended to the whole is told. */
	if (minds_elements(v) && assoc_get(v->assoc, key, &value))
		v->hook->changed_element(sh, key, arena_bytes(sh->arena, value));
	if (bytes_is(key, "0"))
		var_run_own_hook(sh, v);
	return 0;
}

static int put_index(struct shell *sh, struct var *v, int64_t index, struct bytes value,
		     unsigned how)
{
	struct bytes old = { "", 0 };
	char digits[24];
	char index_digits[24];

	if ((v->flags & (VAR_INTEGER | VAR_CASED)) != 0) {
		array_get(v->array, index, &old);
		if (var_transform(sh, v, old, &value, &how, digits) != 0)
			return -1;
	}
	if ((how & VAR_APPEND) != 0)
		array_append(sh->pool, v->array, index, value);
	else
		array_put(sh->pool, v->array, index, value);
	if (minds_elements(v) && array_get(v->array, index, &value))
		v->hook->changed_element(sh, i64_text(index, index_digits),
					 arena_bytes(sh->arena, value));
	if (index == 0)
		var_run_own_hook(sh, v);
	return 0;
}

static int bad_subscript(struct shell *sh, struct bytes name, struct bytes sub)
{
	shell_error(sh, "%.*s[%.*s]: bad array subscript", (int)name.len, name.ptr, (int)sub.len,
		    sub.ptr);
	exec_errexit(sh);
	return -1;
}

int var_assign_index(struct shell *sh, struct var *v, struct bytes sub, int64_t index,
		     struct bytes value, unsigned how)
{
	char digits[24];
	int go;

	v = var_own(sh, v);
	if ((v->flags & VAR_ASSOC) != 0)
		return var_assign_element(sh, v, i64_text(index, digits), value, how);
	if (index < 0) {
		refresh(sh, v);
		/* The value of what is no array yet is its first element. */
		if (index == -1 && (v->flags & (VAR_ARRAY | VAR_SET)) == VAR_SET)
			index = 0;
		else if (index == -1 && (v->flags & VAR_ARRAY) == 0 &&
			 var_check_writable(sh, v, how) != 0)
			return -1;
		else if (!from_end(v, &index))
			return bad_subscript(sh, v->name, sub);
	}
	go = begin_write(sh, v, how);
	return go <= 0 ? go : put_index(sh, v, index, value, how);
}

int var_assign_at(struct shell *sh, struct var *v, int64_t index, struct bytes value, unsigned how)
{
	char digits[24];

	return var_assign_index(sh, v, i64_text(index, digits), index, value, how);
}

int var_assign_element(struct shell *sh, struct var *v, struct bytes sub, struct bytes value,
		       unsigned how)
{
	int64_t index;
	int go;

	v = var_own(sh, v);
	if (sub.len == 0)
		return bad_subscript(sh, v->name, sub);
	if ((v->flags & VAR_ASSOC) == 0) {
		if (sub.len == 1 && (sub.ptr[0] == '@' || sub.ptr[0] == '*'))
			return bad_subscript(sh, v->name, sub);
		if (eval_subscript(sh, sub, &index) != 0)
			return -1;
		return var_assign_index(sh, v, sub, index, value, how);
	}
	go = begin_write(sh, v, how);
	return go <= 0 ? go : put_key(sh, v, sub, value, how);
}

static int unset_all(struct shell *sh, struct var *v)
{
	if ((v->flags & VAR_ARRAY) == 0) {
		builtin_error(sh, "unset", "%s: not an array variable", v->name.ptr);
		return -1;
	}
	if (v->array != NULL)
		var_clear_array(sh, v);
	return 0;
}

int var_unset_element(struct shell *sh, struct var *v, struct bytes sub, bool expanded)
{
	bool whole = sub.len == 1 && (sub.ptr[0] == '@' || sub.ptr[0] == '*');
	struct bytes written = sub;
	int64_t index;

	v = var_own(sh, v);
	if (var_stays(sh, v))
		return -1;
	refresh(sh, v);
	if (whole && (v->flags & (VAR_ARRAY | VAR_ASSOC)) != 0 && var_compat_level(sh) < 52)
		return var_unset(sh, v->name, v->hash, true);
	if ((!expanded || (v->flags & VAR_ASSOC) == 0) && subscript_argument(sh, v, sub, &sub) != 0)
		return -1;
	if ((v->flags & VAR_ASSOC) != 0) {
		if (sub.len == 0) {
			builtin_error(sh, "unset", "[%.*s]: bad array subscript", (int)written.len,
				      written.ptr);
			return -1;
		}
		if (is_assoc(v) && assoc_remove(sh->pool, v->assoc, sub) && minds_elements(v))
			v->hook->changed_element(sh, sub, (struct bytes){ NULL, 0 });
		if (is_assoc(v))
			keys_cost(sh, v);
		var_run_own_hook(sh, v);
		return 0;
	}
	if (whole)
		return unset_all(sh, v);
	if (eval_subscript(sh, sub, &index) != 0)
		return -1;
	if ((v->flags & VAR_ARRAY) == 0 && index == 0)
		return var_unset(sh, v->name, v->hash, true);
	if ((v->flags & VAR_ARRAY) == 0) {
		builtin_error(sh, "unset", "%s: not an array variable", v->name.ptr);
		return -1;
	}
	if (!from_end(v, &index)) {
		builtin_error(sh, "unset", "[%.*s]: bad array subscript", (int)sub.len, sub.ptr);
		return -1;
	}
	if (is_indexed(v))
		array_remove(sh->pool, v->array, index);
	var_run_own_hook(sh, v);
	return 0;
}

/* v may be NULL; a bad subscript must not make the variable. */
static int assign_new_element(struct shell *sh, struct var *v, struct bytes name, uint64_t hash,
			      struct bytes sub, struct bytes value)
{
	int64_t index;

	if (v != NULL)
		return var_assign_element(sh, v, sub, value, 0);
	if (sub.len == 0 || (sub.len == 1 && (sub.ptr[0] == '@' || sub.ptr[0] == '*')))
		return bad_subscript(sh, name, sub);
	if (eval_subscript(sh, sub, &index) != 0)
		return -1;
	if (index < 0)
		return bad_subscript(sh, name, sub);
	return var_assign_at(sh, var_ensure(sh, name, hash), index, value, 0);
}

int var_refuse_element(struct shell *sh, const char *builtin, struct bytes name, struct bytes sub)
{
	shell_error(sh, "%s%s`%.*s[%.*s]': not a valid identifier", builtin != NULL ? builtin : "",
		    builtin != NULL ? ": " : "", (int)name.len, name.ptr, (int)sub.len, sub.ptr);
	return -1;
}

int var_set_ref(struct shell *sh, const char *builtin, struct bytes ref, bool element,
		struct bytes value)
{
	struct bytes name;
	struct bytes sub;
	struct bytes target;
	struct bytes asked;
	struct var *v;
	uint64_t hash;

	if (!argument_ref(sh, ref, element, &name, &sub)) {
		builtin_error(sh, builtin, "`%.*s': not a valid identifier", (int)ref.len, ref.ptr);
		return -1;
	}
	hash = bytes_hash(name);
	if (sub.ptr == NULL)
		return var_set(sh, name, hash, value, 0);
	if (var_follow(sh, &name, &hash, &target, &v) != 0)
		return -1;
	if (target.ptr != NULL)
		return var_refuse_element(sh, builtin, name, target);
	asked = sub;
	if ((builtin != NULL ? subscript_argument(sh, v, sub, &sub)
			     : subscript_text(sh, v, sub, &sub)) != 0)
		return -1;
	if (sub.len == 0 && v != NULL && (v->flags & VAR_ASSOC) != 0)
		return bad_subscript(sh, name, asked);
	if (sub.len == 0)
		sub = BYTES("0"); /* an expression that expands to nothing */
	return assign_new_element(sh, v, name, hash, sub, value);
}
