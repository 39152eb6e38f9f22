/* SPDX-License-Identifier: MIT
 *
 * Alternatives that are plain strings, by what they have in common: of abc|abd|x becomes
 * ab(c|d)|x, a trie. Otherwise every state of the automaton holds the beginnings of all of them,
 * and a list of a thousand words is a thousand times as slow as one.
 *
 * The programs of the automata are built of it; groups and Perl's order of alternatives, which
 * this would change, are not its business. Backwards the common ends count.
 */
#include "base/regex/private.h"
#include "base/sort.h"

enum {
	FACTOR_MIN = 8,        /* alternatives; fewer are found as literals */
	FACTOR_DEPTH_MAX = 24, /* levels of the trie; what is below stays a list */
	TREE_DEPTH_MAX = 50,   /* of the tree: two levels more for each of those */
};

/* The characters and conditions that a string consists of, in the order of the search. */
struct string {
	const struct rx_node **item;
	size_t n;
};

struct factor {
	struct rx_parse *p; /* its arena gets the nodes */
	struct arena *scratch;
	bool backward;
};

/* --- strings --- */

static bool is_item(const struct rx_node *n)
{
	return n->op == RX_CHAR || n->op == RX_SET || n->op == RX_ASSERT;
}

/* How many items, or SIZE_MAX: it is no string. */
static size_t count_items(const struct rx_node *n)
{
	size_t total = 0;

	if (n->op != RX_CAT)
		return is_item(n) ? 1 : SIZE_MAX;
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next) {
		size_t k = count_items(kid);

		if (k == SIZE_MAX)
			return SIZE_MAX;
		total += k;
	}
	return total;
}

static const struct rx_node **put_items(const struct factor *f, const struct rx_node *n,
					const struct rx_node **out)
{
	if (n->op != RX_CAT) {
		*out = n;
		return out + 1;
	}
	for (const struct rx_node *kid = f->backward ? n->last : n->kid; kid != NULL;
	     kid = f->backward ? kid->prev : kid->next)
		out = put_items(f, kid, out);
	return out;
}

static struct string string_of(const struct factor *f, const struct rx_node *n, size_t items)
{
	struct string s = { .n = items };

	s.item = arena_alloc(f->scratch, (items + 1) * sizeof(s.item[0]));
	put_items(f, n, s.item);
	return s;
}

static int order(uint32_t x, uint32_t y)
{
	return x < y ? -1 : x > y;
}

static int compare_items(const struct rx_node *x, const struct rx_node *y)
{
	size_t ranges;

	if (x->op != y->op)
		return order(x->op, y->op);
	switch (x->op) {
	case RX_CHAR: return order(x->n, y->n);
	case RX_ASSERT: return order(x->kind, y->kind);
	default:
		ranges = x->set->n * sizeof(x->set->range[0]);
		if (x->set->n != y->set->n)
			return order(x->set->n, y->set->n);
		return ranges != 0 ? memcmp(x->set->range, y->set->range, ranges) : 0;
	}
}

static int compare_strings(void *arg, const void *a, const void *b)
{
	const struct string *x = a;
	const struct string *y = b;

	(void)arg;
	for (size_t i = 0; i < x->n && i < y->n; i++) {
		int c = compare_items(x->item[i], y->item[i]);

		if (c != 0)
			return c;
	}
	return x->n < y->n ? -1 : x->n > y->n;
}

/* --- the trie --- */

static struct rx_node *bare_copy(const struct factor *f, const struct rx_node *n)
{
	struct rx_node *copy = rx_node(f->p, (enum rx_op)n->op);

	*copy = *n;
	copy->kid = copy->last = copy->next = copy->prev = NULL;
	return copy;
}

/* Nodes that a search meets one after the other, as a CAT. */
static struct rx_node *sequence(const struct factor *f, struct rx_node **node, size_t n)
{
	struct rx_node *cat = rx_node(f->p, RX_CAT);

	for (size_t i = 0; i < n; i++)
		rx_append(f->p, cat, node[f->backward ? n - 1 - i : i]);
	return rx_simplify(f->p, cat);
}

static struct rx_node *rest_of(const struct factor *f, const struct string *s, size_t at)
{
	struct rx_node **node = arena_alloc(f->scratch, (s->n + 1) * sizeof(struct rx_node *));

	for (size_t i = at; i < s->n; i++)
		node[i - at] = bare_copy(f, s->item[i]);
	return sequence(f, node, s->n - at);
}

/* Where strings that agree up to `at` cease to. */
static size_t common_end(const struct string *first, const struct string *last, size_t at)
{
	while (at < first->n && at < last->n && compare_items(first->item[at], last->item[at]) == 0)
		at++;
	return at;
}

static struct rx_node *trie(const struct factor *f, const struct string *s, size_t n, size_t at,
			    unsigned depth);

/* What can follow where sorted strings differ. */
static struct rx_node *branches(const struct factor *f, const struct string *s, size_t n, size_t at,
				unsigned depth)
{
	struct rx_node *alt = rx_node(f->p, RX_ALT);
	size_t from = 0;

	while (from < n && s[from].n == at)
		from++;
	bool ends = from > 0;

	while (from < n) {
		size_t to = from + 1;

		while (to < n && depth < FACTOR_DEPTH_MAX &&
		       compare_items(s[from].item[at], s[to].item[at]) == 0)
			to++;
		rx_append(f->p, alt, trie(f, s + from, to - from, at, depth + 1));
		from = to;
	}
	if (ends)
		rx_append(f->p, alt, rx_node(f->p, RX_EMPTY));
	return alt;
}

/* n > 0 sorted strings that agree up to `at`, from there on. */
static struct rx_node *trie(const struct factor *f, const struct string *s, size_t n, size_t at,
			    unsigned depth)
{
	size_t end = common_end(&s[0], &s[n - 1], at);
	struct rx_node **node;

	if (n == 1 || (end == s[0].n && end == s[n - 1].n))
		return rest_of(f, &s[0], at);
	node = arena_alloc(f->scratch, (end - at + 1) * sizeof(struct rx_node *));
	for (size_t i = at; i < end; i++)
		node[i - at] = bare_copy(f, s[0].item[i]);
	node[end - at] = branches(f, s, n, end, depth);
	return sequence(f, node, end - at + 1);
}

/* --- the tree --- */

static struct rx_node *copy_tree(const struct factor *f, const struct rx_node *n);

static struct rx_node *copy_alternatives(const struct factor *f, const struct rx_node *n)
{
	struct rx_node *alt = bare_copy(f, n);
	struct string *list;
	struct string *spare;
	size_t kids = 0;
	size_t strings = 0;

	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		kids++;
	list = arena_alloc(f->scratch, (kids + 1) * sizeof(*list));
	spare = arena_alloc(f->scratch, (kids + 1) * sizeof(*spare));
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next) {
		size_t items = count_items(kid);

		if (items == SIZE_MAX)
			rx_append(f->p, alt, copy_tree(f, kid));
		else
			list[strings++] = string_of(f, kid, items);
	}
	sort_stable(list, strings, sizeof(*list), spare, compare_strings, NULL);
	if (strings != 0)
		rx_append(f->p, alt, trie(f, list, strings, 0, 0));
	alt->nullable = n->nullable;
	return alt;
}

static struct rx_node *copy_tree(const struct factor *f, const struct rx_node *n)
{
	struct rx_node *copy;

	if (n->op == RX_ALT)
		return copy_alternatives(f, n);
	copy = bare_copy(f, n);
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		rx_append(f->p, copy, copy_tree(f, kid));
	copy->nullable = n->nullable;
	return copy;
}

static bool has_many_alternatives(const struct rx_node *n)
{
	unsigned kids = 0;

	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		if ((n->op == RX_ALT && ++kids > FACTOR_MIN) || has_many_alternatives(kid))
			return true;
	return false;
}

const struct rx_node *rx_factor(struct arena *a, unsigned flags, const struct rx_node *tree,
				bool backward)
{
	struct rx_parse p = { .arena = a, .flags = flags };
	struct rx_scratch scratch;
	struct factor f = { .p = &p, .backward = backward };

	if (tree->groups || tree->op == RX_GROUP || tree->depth > TREE_DEPTH_MAX ||
	    !has_many_alternatives(tree))
		return tree;
	f.scratch = rx_scratch(&scratch, a);
	tree = copy_tree(&f, tree);
	rx_scratch_end(&scratch);
	return tree;
}
