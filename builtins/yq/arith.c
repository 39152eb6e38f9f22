/* SPDX-License-Identifier: MIT
 *
 * Operators with two operands: + - * / %, merging, comparing.
 */
#include "builtins/yq/yq.h"

#include <math.h>

#include "base/number.h"

/* --- numbers --- */

bool yq_int(const struct yaml_node *n, int64_t *out)
{
	struct bytes s = n->value;
	char text[72];
	size_t len = 0;
	bool overflow = false;
	int base = 10;
	bool negative;

	if (n->kind != YAML_SCALAR || s.len == 0 || s.len > 70)
		return false;
	if (!yaml_is(n, "!!int") && !bytes_is(yaml_resolve(s), "!!int"))
		return false;
	negative = s.ptr[0] == '-';
	for (size_t i = negative || s.ptr[0] == '+'; i < s.len; i++)
		if (s.ptr[i] != '_')
			text[len++] = s.ptr[i];
	struct bytes digits = { text, len };

	if (len > 2 && text[0] == '0' && !byte_is_digit(text[1])) {
		base = text[1] == 'x' ? 16 : text[1] == 'o' ? 8 : 2;
		digits = bytes_slice(digits, 2, len);
	}
	if (number_parse_i64(digits, base, out, &overflow) != digits.len || digits.len == 0 ||
	    overflow)
		return false;
	if (negative)
		*out = -*out;
	return true;
}

bool yq_double(const struct yaml_node *n, double *out)
{
	struct bytes s = n->value;
	int64_t i;

	if (n->kind != YAML_SCALAR || s.len == 0)
		return false;
	if (yq_int(n, &i)) {
		*out = (double)i;
		return true;
	}
	struct bytes tag = yaml_resolve(s);

	if (!bytes_is(tag, "!!float") && !bytes_is(tag, "!!int"))
		return false;
	size_t sign = s.ptr[0] == '-' || s.ptr[0] == '+';

	if (s.len == sign + 4 && s.ptr[sign] == '.' && (s.ptr[sign + 1] | 0x20) == 'i') {
		*out = s.ptr[0] == '-' ? -(double)INFINITY : (double)INFINITY;
		return true;
	}
	if (s.len == 4 && s.ptr[0] == '.' && (s.ptr[1] | 0x20) == 'n') {
		*out = (double)NAN;
		return true;
	}
	return number_parse_double(s, out, NULL) == s.len;
}

static bool is_null(const struct yaml_node *n)
{
	return n->kind == YAML_SCALAR && yaml_is(n, "!!null");
}

static bool is_str(const struct yaml_node *n)
{
	return n->kind == YAML_SCALAR && yaml_is(n, "!!str");
}

static _Noreturn void cannot(struct yq *y, const char *what, const struct yaml_node *a,
			     const char *to, const struct yaml_node *b)
{
	yq_fatal(y, "%.*s (%s) cannot be %s %.*s", (int)b->tag.len, b->tag.ptr, yq_kind_name(b),
		 what, (int)a->tag.len, a->tag.ptr);
	(void)to;
}

/* A new number in the form of the first operand. */
static struct yaml_node *number(struct yq *y, const struct yaml_node *like, int64_t v)
{
	struct yaml_node *n = yq_number(y, v);

	if (bytes_starts(like->value, BYTES("0x")) && v >= 0) {
		struct buf b = buf_in(y->a);
		char digits[65];

		buf_puts(&b, "0x");
		buf_put(&b, digits, number_put_u64(digits, (uint64_t)v, 16, true));
		n->value = buf_bytes(&b);
	}
	return n;
}

static int64_t wrap(uint64_t v)
{
	return (int64_t)v;
}

static struct yaml_node *arithmetic(struct yq *y, char op, struct yaml_node *a, struct yaml_node *b)
{
	int64_t i;
	int64_t k;
	double x;
	double z;

	if (yq_int(a, &i) && yq_int(b, &k) && op != '/') {
		switch (op) {
		case '+': return number(y, a, wrap((uint64_t)i + (uint64_t)k));
		case '-': return number(y, a, wrap((uint64_t)i - (uint64_t)k));
		case '*': return number(y, a, wrap((uint64_t)i * (uint64_t)k));
		default:
			if (k == 0)
				yq_fatal(y, "cannot modulo by 0");
			return number(y, a, k == -1 ? 0 : i % k);
		}
	}
	if (!yq_double(a, &x) || !yq_double(b, &z))
		return NULL;
	switch (op) {
	case '+': return yq_real(y, x + z);
	case '-': return yq_real(y, x - z);
	case '*': return yq_real(y, x * z);
	case '/': return yq_real(y, x / z);
	default: return yq_real(y, fmod(x, z));
	}
}

/* --- merging --- */

static void keep_comments(struct yaml_node *to, const struct yaml_node *from)
{
	if (from->head.len > 0)
		to->head = from->head;
	if (from->tail.len > 0)
		to->tail = from->tail;
	if (from->foot.len > 0)
		to->foot = from->foot;
}

static void merge_into(struct yq *y, struct yaml_node *to, struct yaml_node *from, unsigned flags);

static void merge_entry(struct yq *y, struct yaml_node *to, struct yaml_node *key,
			struct yaml_node *value, unsigned flags)
{
	struct yaml_node *old = yq_get_own(to, key->value);

	cmd_charge(y->c, to->n / 8 + 1);
	if (old == NULL) {
		if (flags & YQ_ONLY_EXISTING)
			return;
		struct yaml_node *name = yq_copy(y, key);

		name->is_key = true;
		yaml_push(y->a, to, name);
		yaml_push(y->a, to, yq_copy(y, value));
		return;
	}
	keep_comments(to->items[old->index - 1], key);
	merge_into(y, old, value, flags);
}

static void merge_lists(struct yq *y, struct yaml_node *to, struct yaml_node *from, unsigned flags)
{
	if (flags & YQ_APPEND) {
		for (uint32_t i = 0; i < from->n; i++)
			yaml_push(y->a, to, yq_copy(y, from->items[i]));
		return;
	}
	for (uint32_t i = 0; i < from->n; i++) {
		if (i < to->n)
			merge_into(y, to->items[i], from->items[i], flags);
		else
			yaml_push(y->a, to, yq_copy(y, from->items[i]));
	}
}

/* What `from` says wins, in maps key by key. */
static void merge_into(struct yq *y, struct yaml_node *to, struct yaml_node *from, unsigned flags)
{
	bool both_lists = to->kind == YAML_SEQ && from->kind == YAML_SEQ;

	cmd_charge(y->c, 1);
	if (to->kind == YAML_MAP && from->kind == YAML_MAP) {
		if (to->n == 0)
			to->style = from->style;
		keep_comments(to, from);
		for (uint32_t i = 0; i + 1 < from->n; i += 2)
			merge_entry(y, to, from->items[i], from->items[i + 1], flags);
	} else if (both_lists && (flags & (YQ_APPEND | YQ_DEEP_LISTS))) {
		merge_lists(y, to, from, flags);
	} else if (!(flags & YQ_ONLY_NEW)) {
		yq_update(y, to, yq_copy(y, from), flags & YQ_CLOBBER);
	}
}

static struct yaml_node *repeat(struct yq *y, struct yaml_node *s, struct yaml_node *count)
{
	struct buf b = buf_in(y->a);
	int64_t n;

	if (!yq_int(count, &n) || n < 0)
		yq_fatal(y, "cannot repeat string by a negative number (%.*s)",
			 (int)count->value.len, count->value.ptr);
	if (n > 10000000)
		yq_fatal(y, "cannot repeat string by more than 10 million (%lld)", (long long)n);
	for (int64_t i = 0; i < n; i++) {
		cmd_charge_bytes(y->c, s->value.len);
		buf_add(&b, s->value);
	}
	return yq_text(y, buf_bytes(&b));
}

struct yaml_node *yq_op_multiply(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
				 struct yaml_node *b)
{
	struct yaml_node *l = yq_real_node(y, a);
	struct yaml_node *r = yq_real_node(y, b);
	struct yaml_node *out;

	if ((l->kind == YAML_MAP && r->kind == YAML_MAP) ||
	    (l->kind == YAML_SEQ && r->kind == YAML_SEQ)) {
		out = yq_copy(y, a->kind == YAML_ALIAS ? l : a);
		merge_into(y, out, r, e->flags);
		return out;
	}
	if (is_null(l) && r->kind != YAML_SCALAR) {
		out = yq_copy(y, r);
		out->source = l->source;
		return out;
	}
	if (is_null(r))
		return yq_copy(y, a);
	if (is_str(l) && yq_is_number(r))
		return repeat(y, l, r);
	if (yq_is_number(l) && is_str(r))
		return repeat(y, r, l);
	out = l->kind == YAML_SCALAR && r->kind == YAML_SCALAR ? arithmetic(y, '*', l, r) : NULL;
	if (out == NULL)
		yq_fatal(y, "cannot multiply %.*s with %.*s", (int)l->tag.len, l->tag.ptr,
			 (int)r->tag.len, r->tag.ptr);
	return out;
}

/* --- the others --- */

static struct yaml_node *join_text(struct yq *y, struct yaml_node *a, struct yaml_node *b)
{
	struct buf text = buf_in(y->a);
	struct yaml_node *out = yq_copy(y, a);

	cmd_charge_bytes(y->c, a->value.len + b->value.len);
	buf_add(&text, a->value);
	buf_add(&text, b->value);
	out->value = buf_bytes(&text);
	out->tag = BYTES("!!str");
	if (out->style == YAML_PLAIN)
		out->style = b->style;
	return out;
}

static struct yaml_node *add_lists(struct yq *y, struct yaml_node *a, struct yaml_node *b)
{
	struct yaml_node *out = yq_copy(y, a);

	if (out->n == 0)
		out->style = b->kind == YAML_SEQ ? b->style : YAML_PLAIN;
	if (b->kind != YAML_SEQ) {
		if (!is_null(b))
			yaml_push(y->a, out, yq_copy(y, b));
		return out;
	}
	for (uint32_t i = 0; i < b->n; i++)
		yaml_push(y->a, out, yq_copy(y, b->items[i]));
	return out;
}

static struct yaml_node *add_maps(struct yq *y, struct yaml_node *a, struct yaml_node *b)
{
	struct yaml_node *out = yq_copy(y, a);

	if (out->n == 0)
		out->style = b->style;
	for (uint32_t i = 0; i + 1 < b->n; i += 2) {
		struct yaml_node *old = yq_get_own(out, b->items[i]->value);

		cmd_charge(y->c, out->n / 8 + 1);
		if (old != NULL) {
			yq_update(y, old, yq_copy(y, b->items[i + 1]), false);
			continue;
		}
		yaml_push(y->a, out, yq_copy(y, b->items[i]));
		out->items[out->n - 1]->is_key = true;
		yaml_push(y->a, out, yq_copy(y, b->items[i + 1]));
	}
	return out;
}

struct yaml_node *yq_op_add(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
			    struct yaml_node *b)
{
	struct yaml_node *l = yq_real_node(y, a);
	struct yaml_node *r = yq_real_node(y, b);
	struct yaml_node *out;

	(void)e;
	if (is_null(l)) {
		out = yq_copy(y, r);
		out->source = l->source;
		return out;
	}
	if (l->kind == YAML_SEQ)
		return add_lists(y, l, r);
	if (is_null(r))
		return yq_copy(y, l);
	if (l->kind == YAML_MAP && r->kind == YAML_MAP)
		return add_maps(y, l, r);
	if (l->kind != YAML_SCALAR || r->kind != YAML_SCALAR)
		cannot(y, "added to a", l, "", r);
	if (!is_str(l) && !is_str(r)) {
		out = yq_add_time(y, l, r, 1);
		if (out == NULL)
			out = arithmetic(y, '+', l, r);
		if (out != NULL) {
			out->source = l->source;
			return out;
		}
	}
	out = is_str(r) ? yq_add_time(y, l, r, 1) : NULL;
	return out != NULL ? out : join_text(y, l, r);
}

struct yaml_node *yq_op_subtract(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
				 struct yaml_node *b)
{
	struct yaml_node *l = yq_real_node(y, a);
	struct yaml_node *r = yq_real_node(y, b);
	struct yaml_node *out = NULL;

	(void)e;
	if (is_null(l) && r->kind == YAML_SCALAR)
		l = yq_number(y, 0);
	if (l->kind == YAML_SEQ && r->kind == YAML_SEQ) {
		out = yq_copy(y, l);
		struct yq_list gone = { NULL, 0, 0 };

		for (uint32_t i = 0; i < out->n; i++)
			for (uint32_t k = 0; k < r->n; k++)
				if (yq_equal(y, out->items[i], r->items[k])) {
					yq_add(y, &gone, out->items[i]);
					break;
				}
		yq_delete(y, gone);
		if (out->n == 0)
			out->style = YAML_FLOW;
		return out;
	}
	if (l->kind == YAML_SCALAR && r->kind == YAML_SCALAR) {
		out = yq_add_time(y, l, r, -1);
		if (out == NULL)
			out = arithmetic(y, '-', l, r);
	}
	if (out == NULL)
		cannot(y, "subtracted from", l, "", r);
	return out;
}

struct yaml_node *yq_op_divide(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
			       struct yaml_node *b)
{
	struct yaml_node *l = yq_real_node(y, a);
	struct yaml_node *r = yq_real_node(y, b);
	struct yaml_node *out = NULL;

	(void)e;
	if (is_str(l) && is_str(r))
		return yq_split(y, l->value, r->value);
	if (l->kind == YAML_SCALAR && r->kind == YAML_SCALAR)
		out = arithmetic(y, '/', l, r);
	if (out == NULL)
		cannot(y, "divided by", r, "", l);
	return out;
}

struct yaml_node *yq_op_modulo(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
			       struct yaml_node *b)
{
	struct yaml_node *l = yq_real_node(y, a);
	struct yaml_node *r = yq_real_node(y, b);
	struct yaml_node *out = NULL;

	(void)e;
	if (l->kind == YAML_SCALAR && r->kind == YAML_SCALAR)
		out = arithmetic(y, '%', l, r);
	if (out == NULL)
		cannot(y, "moduloed by", r, "", l);
	return out;
}

/* --- comparing --- */

bool yq_match(struct yq *y, struct bytes s, struct bytes pattern)
{
	size_t at = 0;
	size_t star = SIZE_MAX; /* the last '*' in the pattern, and where it was tried */
	size_t tried = 0;
	size_t i = 0;

	while (i < s.len) {
		if (at < pattern.len && pattern.ptr[at] == '*') {
			star = at++;
			tried = i;
		} else if (at < pattern.len &&
			   (pattern.ptr[at] == '?' || pattern.ptr[at] == s.ptr[i])) {
			at++;
			i++;
		} else if (star != SIZE_MAX) {
			at = star + 1;
			i = ++tried;
			if ((tried & 63) == 0)
				cmd_charge(y->c, pattern.len / 8 + 1);
		} else {
			return false;
		}
	}
	while (at < pattern.len && pattern.ptr[at] == '*')
		at++;
	return at == pattern.len;
}

static bool equal_items(struct yq *y, struct yaml_node *a, struct yaml_node *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i += a->kind == YAML_MAP ? 2 : 1) {
		struct yaml_node *other = b->items[i];

		if (a->kind == YAML_MAP) {
			other = yq_get_own(b, a->items[i]->value);
			cmd_charge(y->c, b->n / 8 + 1);
			if (other == NULL || !yq_equal(y, a->items[i + 1], other))
				return false;
		} else if (!yq_equal(y, a->items[i], other)) {
			return false;
		}
	}
	return true;
}

bool yq_equal(struct yq *y, struct yaml_node *a, struct yaml_node *b)
{
	double x;
	double z;

	cmd_charge(y->c, 1);
	if (++y->expanded > YQ_EXPAND_MAX)
		yq_fatal(y, "document contains excessive aliasing");
	a = yq_real_node(y, a);
	b = yq_real_node(y, b);
	if (a->kind != b->kind)
		return false;
	if (a->kind != YAML_SCALAR) {
		bool same;

		if (++y->depth > YAML_DEPTH_MAX + YQ_DEPTH_MAX)
			yq_fatal(y, "aliases nest too deeply");
		same = equal_items(y, a, b);
		y->depth--;
		return same;
	}
	if (is_null(a) || is_null(b))
		return is_null(a) && is_null(b);
	if (bytes_eq(a->value, b->value))
		return true;
	return yq_is_number(a) && yq_is_number(b) && yq_double(a, &x) && yq_double(b, &z) && x == z;
}

struct yaml_node *yq_op_equal(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
			      struct yaml_node *b)
{
	struct yaml_node *l = yq_real_node(y, a);
	struct yaml_node *r = yq_real_node(y, b);

	(void)e;
	y->expanded = 0;
	if (l->kind == YAML_SCALAR && r->kind == YAML_SCALAR && is_str(r) && !is_null(l))
		return yq_bool(y, yq_match(y, l->value, r->value));
	return yq_bool(y, yq_equal(y, l, r));
}

struct yaml_node *yq_op_unequal(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
				struct yaml_node *b)
{
	return yq_bool(y, !yq_truth(yq_op_equal(y, e, a, b)));
}

/* null, false, true, numbers, times, strings, then collections. */
static int rank(const struct yaml_node *n)
{
	if (n->kind != YAML_SCALAR)
		return n->kind == YAML_SEQ ? 6 : 7;
	if (is_null(n))
		return 0;
	if (yaml_is(n, "!!bool"))
		return yq_truth(n) ? 2 : 1;
	return yq_is_number(n) ? 3 : yaml_is(n, "!!timestamp") ? 4 : 5;
}

int yq_compare(struct yq *y, struct yaml_node *a, struct yaml_node *b)
{
	double x;
	double z;
	int64_t i;
	int64_t k;
	int cmp;

	cmd_charge(y->c, 1);
	a = yq_real_node(y, a);
	b = yq_real_node(y, b);
	if (rank(a) != rank(b))
		return rank(a) < rank(b) ? -1 : 1;
	if (rank(a) == 3 && yq_int(a, &i) && yq_int(b, &k))
		return (i > k) - (i < k);
	if (rank(a) == 3 && yq_double(a, &x) && yq_double(b, &z))
		return (x > z) - (x < z);
	if (rank(a) == 4 && yq_time_of(y, a, &i) && yq_time_of(y, b, &k))
		return (i > k) - (i < k);
	if (a->kind == YAML_SCALAR)
		return bytes_cmp(a->value, b->value);
	for (uint32_t n = 0; n < a->n && n < b->n; n++) {
		/* One level of collections is compared: deeper ones by their number. */
		if (a->items[n]->kind != YAML_SCALAR || b->items[n]->kind != YAML_SCALAR)
			continue;
		cmp = yq_compare(y, a->items[n], b->items[n]);
		if (cmp != 0)
			return cmp;
	}
	return (a->n > b->n) - (a->n < b->n);
}

static struct yaml_node *compared(struct yq *y, struct yaml_node *a, struct yaml_node *b, bool less,
				  bool equal)
{
	struct yaml_node *l = yq_real_node(y, a);
	struct yaml_node *r = yq_real_node(y, b);
	int cmp;

	if (is_null(l) || is_null(r))
		return yq_bool(y, equal && is_null(l) && is_null(r));
	if (l->kind != YAML_SCALAR || r->kind != YAML_SCALAR)
		yq_fatal(y, "%.*s not yet supported for comparison", (int)l->tag.len, l->tag.ptr);
	if (rank(l) != rank(r))
		yq_fatal(y, "%.*s cannot be compared with %.*s", (int)l->tag.len, l->tag.ptr,
			 (int)r->tag.len, r->tag.ptr);
	cmp = yq_compare(y, l, r);
	return yq_bool(y, cmp == 0 ? equal : (cmp < 0) == less);
}

struct yaml_node *yq_op_less(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
			     struct yaml_node *b)
{
	(void)e;
	return compared(y, a, b, true, false);
}

struct yaml_node *yq_op_less_equal(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
				   struct yaml_node *b)
{
	(void)e;
	return compared(y, a, b, true, true);
}

struct yaml_node *yq_op_greater(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
				struct yaml_node *b)
{
	(void)e;
	return compared(y, a, b, false, false);
}

struct yaml_node *yq_op_greater_equal(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
				      struct yaml_node *b)
{
	(void)e;
	return compared(y, a, b, false, true);
}
