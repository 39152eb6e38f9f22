/* SPDX-License-Identifier: MIT
 *
 * Alternatives by what they have in common: of abc|ab[de]*|x becomes ab(c|[de]*)|x, a trie.
 * Otherwise every state of the automaton holds the beginnings of all of them, and a list of a
 * thousand words is a thousand times as slow as one.
 *
 * The programs of the automata are built of it; groups and Perl's order of alternatives, which
 * this would change, are not its business. Backwards the common ends count.
 */
#include "base/regex/private.h"
#include "base/sort.h"

enum {
	FACTOR_MIN = 8,        /* alternatives; fewer are found as literals */
	FACTOR_DEPTH_MAX = 24, /* levels of tries, those inside of others too; then lists stay */
	TREE_DEPTH_MAX = 50,   /* of the tree: two levels more for each of those */
};

/* What an alternative consists of, in the order of the search. */
struct sequence {
	const struct rx_node **item;
	size_t n;
};

struct factor {
	struct rx_parse *p; /* its arena gets the nodes */
	struct arena *scratch;
	bool backward;
	unsigned depth; /* levels of tries around what is made */
};

/* --- sequences --- */

static size_t count_items(const struct rx_node *n)
{
	size_t total = 0;

	if (n->op != RX_CAT)
		return 1;
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		total += count_items(kid);
	return total;
}

static const struct rx_node **put_items(struct factor *f, const struct rx_node *n,
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

static struct sequence sequence_of(struct factor *f, const struct rx_node *n)
{
	struct sequence s = { .n = count_items(n) };

	s.item = arena_alloc(f->scratch, (s.n + 1) * sizeof(s.item[0]));
	put_items(f, n, s.item);
	return s;
}

static int order(uint32_t x, uint32_t y)
{
	return x < y ? -1 : x > y;
}

static int compare_sets(const struct rx_set *x, const struct rx_set *y)
{
	if (x->n != y->n)
		return order(x->n, y->n);
	return x->n != 0 ? memcmp(x->range, y->range, x->n * sizeof(x->range[0])) : 0;
}

/* 0: they match the same. Any order will do. */
static int compare_items(const struct rx_node *x, const struct rx_node *y)
{
	const struct rx_node *a = x->kid;
	const struct rx_node *b = y->kid;
	int c = order(x->op, y->op);

	c = c != 0 ? c : order(x->kind, y->kind);
	c = c != 0 ? c : order(x->n, y->n);
	c = c != 0 ? c : order(x->min, y->min);
	c = c != 0 ? c : order(x->max, y->max);
	if (c == 0 && x->op == RX_SET)
		c = compare_sets(x->set, y->set);
	for (; c == 0 && a != NULL && b != NULL; a = a->next, b = b->next)
		c = compare_items(a, b);
	return c != 0 ? c : (a != NULL) - (b != NULL);
}

static int compare_sequences(void *arg, const void *a, const void *b)
{
	const struct sequence *x = a;
	const struct sequence *y = b;

	(void)arg;
	for (size_t i = 0; i < x->n && i < y->n; i++) {
		int c = compare_items(x->item[i], y->item[i]);

		if (c != 0)
			return c;
	}
	return x->n < y->n ? -1 : x->n > y->n;
}

/* --- the trie --- */

static struct rx_node *bare_copy(struct factor *f, const struct rx_node *n)
{
	struct rx_node *copy = rx_node(f->p, (enum rx_op)n->op);

	*copy = *n;
	copy->kid = copy->last = copy->next = copy->prev = NULL;
	return copy;
}

static struct rx_node *copy_tree(struct factor *f, const struct rx_node *n);

/* Nodes that a search meets one after the other, as a CAT. */
static struct rx_node *cat_of(struct factor *f, struct rx_node **node, size_t n)
{
	struct rx_node *cat = rx_node(f->p, RX_CAT);

	for (size_t i = 0; i < n; i++)
		rx_append(f->p, cat, node[f->backward ? n - 1 - i : i]);
	return rx_simplify(f->p, cat);
}

static struct rx_node *rest_of(struct factor *f, const struct sequence *s, size_t at)
{
	struct rx_node **node = arena_alloc(f->scratch, (s->n + 1) * sizeof(struct rx_node *));

	for (size_t i = at; i < s->n; i++)
		node[i - at] = copy_tree(f, s->item[i]);
	return cat_of(f, node, s->n - at);
}

/* Where strings that agree up to `at` cease to. */
static size_t common_end(const struct sequence *first, const struct sequence *last, size_t at)
{
	while (at < first->n && at < last->n && compare_items(first->item[at], last->item[at]) == 0)
		at++;
	return at;
}

static struct rx_node *trie(struct factor *f, const struct sequence *s, size_t n, size_t at);

/* What can follow where sorted strings differ. */
static struct rx_node *branches(struct factor *f, const struct sequence *s, size_t n, size_t at)
{
	struct rx_node *alt = rx_node(f->p, RX_ALT);
	size_t from = 0;

	while (from < n && s[from].n == at)
		from++;
	bool ends = from > 0;

	f->depth++;
	while (from < n) {
		size_t to = from + 1;

		while (to < n && f->depth <= FACTOR_DEPTH_MAX &&
		       compare_items(s[from].item[at], s[to].item[at]) == 0)
			to++;
		rx_append(f->p, alt, trie(f, s + from, to - from, at));
		from = to;
	}
	f->depth--;
	if (ends)
		rx_append(f->p, alt, rx_node(f->p, RX_EMPTY));
	return alt;
}

/* n > 0 sorted strings that agree up to `at`, from there on. */
static struct rx_node *trie(struct factor *f, const struct sequence *s, size_t n, size_t at)
{
	size_t end = common_end(&s[0], &s[n - 1], at);
	struct rx_node **node;

	if (n == 1 || (end == s[0].n && end == s[n - 1].n))
		return rest_of(f, &s[0], at);
	node = arena_alloc(f->scratch, (end - at + 1) * sizeof(struct rx_node *));
	for (size_t i = at; i < end; i++)
		node[i - at] = copy_tree(f, s[0].item[i]);
	node[end - at] = branches(f, s, n, end);
	return cat_of(f, node, end - at + 1);
}

/* --- the tree --- */

static struct rx_node *copy_alternatives(struct factor *f, const struct rx_node *n)
{
	struct sequence *list;
	struct sequence *spare;
	struct rx_node *alt;
	size_t kids = 0;

	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		kids++;
	list = arena_alloc(f->scratch, kids * sizeof(*list));
	spare = arena_alloc(f->scratch, kids * sizeof(*spare));
	kids = 0;
	for (const struct rx_node *kid = n->kid; kid != NULL; kid = kid->next)
		list[kids++] = sequence_of(f, kid);
	sort_stable(list, kids, sizeof(*list), spare, compare_sequences, NULL);
	alt = trie(f, list, kids, 0);
	alt->nullable = n->nullable;
	return alt;
}

static struct rx_node *copy_tree(struct factor *f, const struct rx_node *n)
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
