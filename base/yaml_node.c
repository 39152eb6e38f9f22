/* SPDX-License-Identifier: MIT
 *
 * YAML nodes, and what plain scalars are.
 */
#include "base/yaml.h"

#include "base/utf8.h"

struct yaml_node *yaml_new(struct arena *a, enum yaml_kind kind, struct bytes tag)
{
	struct yaml_node *n = arena_zalloc(a, sizeof(*n));

	n->kind = (uint8_t)kind;
	n->tag = tag;
	return n;
}

struct yaml_node *yaml_scalar(struct arena *a, struct bytes tag, struct bytes value)
{
	struct yaml_node *n = yaml_new(a, YAML_SCALAR, tag);

	n->value = value;
	return n;
}

static void grow(struct arena *a, struct yaml_node *n)
{
	size_t cap = n->cap == 0 ? 4 : (size_t)n->cap * 2;

	n->items = arena_grow(a, n->items, n->cap * sizeof(n->items[0]), cap * sizeof(n->items[0]));
	n->cap = (uint32_t)cap;
}

void yaml_push(struct arena *a, struct yaml_node *to, struct yaml_node *item)
{
	if (to->n == to->cap)
		grow(a, to);
	item->parent = to;
	item->index = to->n;
	to->items[to->n++] = item;
}

static void renumber(struct yaml_node *n, size_t from)
{
	for (size_t i = from; i < n->n; i++)
		n->items[i]->index = (uint32_t)i;
}

void yaml_insert(struct arena *a, struct yaml_node *to, size_t at, struct yaml_node *item)
{
	if (to->n == to->cap)
		grow(a, to);
	memmove(to->items + at + 1, to->items + at, (to->n - at) * sizeof(to->items[0]));
	to->items[at] = item;
	item->parent = to;
	to->n++;
	renumber(to, at);
}

void yaml_remove(struct yaml_node *from, size_t at, size_t count)
{
	memmove(from->items + at, from->items + at + count,
		(from->n - at - count) * sizeof(from->items[0]));
	from->n -= (uint32_t)count;
	renumber(from, at);
}

struct yaml_node *yaml_follow(struct yaml_node *n)
{
	for (int hops = 0; n != NULL && n->kind == YAML_ALIAS; hops++)
		n = hops < YAML_DEPTH_MAX ? n->target : NULL;
	return n;
}

/* --- copies --- */

/* Anchored nodes know their copies until the whole tree is copied. */
static struct yaml_node *copy_tree(struct arena *a, struct yaml_node *n)
{
	struct yaml_node *c = arena_alloc(a, sizeof(*c));

	*c = *n;
	c->parent = NULL;
	if (n->anchor.len > 0)
		n->twin = c;
	if (n->kind == YAML_ALIAS && n->target != NULL && n->target->twin != NULL)
		c->target = n->target->twin;
	c->items = n->n > 0 ? arena_array(a, n->n, sizeof(c->items[0])) : NULL;
	c->cap = n->n;
	for (uint32_t i = 0; i < n->n; i++) {
		c->items[i] = copy_tree(a, n->items[i]);
		c->items[i]->parent = c;
		c->items[i]->index = i;
	}
	return c;
}

static void forget_twins(struct yaml_node *n)
{
	n->twin = NULL;
	for (uint32_t i = 0; i < n->n; i++)
		forget_twins(n->items[i]);
}

struct yaml_node *yaml_copy(struct arena *a, struct yaml_node *n)
{
	struct yaml_node *c = copy_tree(a, n);

	forget_twins(n);
	return c;
}

/* --- tags of plain scalars --- */

bool yaml_is(const struct yaml_node *n, const char *tag)
{
	return bytes_is(n->tag, tag);
}

static size_t digits(struct bytes s, size_t at)
{
	size_t n = 0;

	while (at + n < s.len && (byte_is_digit(s.ptr[at + n]) || s.ptr[at + n] == '_'))
		n++;
	return n;
}

static bool all_of(struct bytes s, size_t from, const char *set)
{
	for (size_t i = from; i < s.len; i++)
		if (strchr(set, s.ptr[i]) == NULL || s.ptr[i] == '\0')
			return false;
	return s.len > from;
}

static bool is_int(struct bytes s)
{
	size_t sign = s.ptr[0] == '-' || s.ptr[0] == '+';

	if (s.len > sign + 2 && s.ptr[sign] == '0' && s.ptr[sign + 1] == 'x')
		return all_of(s, sign + 2, "0123456789abcdefABCDEF_");
	if (s.len > sign + 2 && s.ptr[sign] == '0' && s.ptr[sign + 1] == 'o')
		return all_of(s, sign + 2, "01234567_");
	if (s.len > sign + 2 && s.ptr[sign] == '0' && s.ptr[sign + 1] == 'b')
		return all_of(s, sign + 2, "01_");
	return s.len > sign && byte_is_digit(s.ptr[sign]) && digits(s, sign) == s.len - sign;
}

static bool is_float(struct bytes s)
{
	size_t at = s.ptr[0] == '-' || s.ptr[0] == '+';
	struct bytes word = bytes_slice(s, at, s.len);
	size_t n;

	if (bytes_is(word, ".inf") || bytes_is(word, ".Inf") || bytes_is(word, ".INF"))
		return true;
	if (bytes_is(s, ".nan") || bytes_is(s, ".NaN") || bytes_is(s, ".NAN"))
		return true;
	n = digits(s, at);
	at += n;
	if (at < s.len && s.ptr[at] == '.') {
		size_t m = digits(s, at + 1);

		n += m;
		at += 1 + m;
	}
	if (n == 0)
		return false;
	if (at < s.len && (s.ptr[at] | 0x20) == 'e') {
		at++;
		at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
		n = digits(s, at);
		at += n;
	}
	return n > 0 && at == s.len;
}

/* 2001-02-03, maybe with a time behind T, t or a blank. */
static bool is_timestamp(struct bytes s)
{
	static const char form[] = "dddd-dd-dd";
	size_t at = sizeof(form) - 1;

	if (s.len < at)
		return false;
	for (size_t i = 0; i < at; i++)
		if (form[i] == 'd' ? !byte_is_digit(s.ptr[i]) : s.ptr[i] != form[i])
			return false;
	if (s.len == at)
		return true;
	if (strchr("Tt ", s.ptr[at]) == NULL || s.len < at + 6 || !byte_is_digit(s.ptr[at + 1]))
		return false;
	return all_of(s, at + 1, "0123456789:.Zz+- ") && memchr(s.ptr + at, ':', 4) != NULL;
}

static bool one_of(struct bytes s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (bytes_is(s, *words))
			return true;
	return false;
}

struct bytes yaml_resolve(struct bytes s)
{
	static const char *const nulls[] = { "~", "null", "Null", "NULL", NULL };
	static const char *const bools[] = {
		"true", "True", "TRUE", "false", "False", "FALSE", NULL
	};

	if (s.len == 0 || one_of(s, nulls))
		return BYTES("!!null");
	if (one_of(s, bools))
		return BYTES("!!bool");
	if (bytes_is(s, "<<"))
		return BYTES("!!merge");
	if (!byte_is_digit(s.ptr[0]) && strchr("-+.", s.ptr[0]) == NULL)
		return BYTES("!!str");
	if (is_int(s))
		return BYTES("!!int");
	if (is_float(s))
		return BYTES("!!float");
	return is_timestamp(s) ? BYTES("!!timestamp") : BYTES("!!str");
}
