/* SPDX-License-Identifier: MIT
 *
 * tsort - a total order of what is ordered in pairs.
 *
 * Items without predecessors are written in the order of their names; when only loops are left
 * one is reported and cut.
 */
#include "base/sort.h"
#include "builtins/builtin.h"

struct item {
	struct bytes name;
	size_t before; /* predecessors that are not yet written */
	struct edge *edges;
	bool written;
	struct item *next; /* in the queue; of a loop */
};

struct edge {
	struct item *to;
	struct edge *next;
};

struct graph {
	struct cmd *c;
	struct item **item; /* sorted by name once all are read */
	size_t n;
	struct item **slot; /* hash table */
	size_t mask;
};

static void grow(struct graph *g)
{
	size_t size = (g->mask + 1) * 2;

	g->slot = arena_array(g->c->arena, size, sizeof(*g->slot));
	g->mask = size - 1;
	for (size_t i = 0; i < g->n; i++) {
		size_t at = (size_t)bytes_hash(g->item[i]->name) & g->mask;

		while (g->slot[at] != NULL)
			at = (at + 1) & g->mask;
		g->slot[at] = g->item[i];
	}
	g->item = arena_grow(g->c->arena, g->item, g->n * sizeof(*g->item),
			     size * sizeof(*g->item));
	cmd_charge(g->c, size / 8);
}

static struct item *find_item(struct graph *g, struct bytes name)
{
	size_t at;

	if (g->n * 2 >= g->mask)
		grow(g);
	at = (size_t)bytes_hash(name) & g->mask;
	for (; g->slot[at] != NULL; at = (at + 1) & g->mask)
		if (bytes_eq(g->slot[at]->name, name))
			return g->slot[at];
	g->slot[at] = arena_zalloc(g->c->arena, sizeof(struct item));
	g->slot[at]->name = name;
	g->item[g->n++] = g->slot[at];
	return g->slot[at];
}

static void add_pair(struct graph *g, struct item *a, struct item *b)
{
	struct edge *e;

	if (a == b)
		return;
	e = arena_alloc(g->c->arena, sizeof(*e));
	*e = (struct edge){ b, a->edges };
	a->edges = e;
	b->before++;
}

static bool is_delimiter(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n';
}

/* False if the number of words is odd. */
static bool read_pairs(struct graph *g, struct bytes text)
{
	struct item *first = NULL;

	for (size_t at = 0; at < text.len;) {
		size_t from = at;

		while (at < text.len && !is_delimiter(text.ptr[at]))
			at++;
		if (at > from) {
			/* A word is a C string: it ends at a NUL. */
			const char *nul = memchr(text.ptr + from, '\0', at - from);
			size_t to = nul != NULL ? (size_t)(nul - text.ptr) : at;
			struct item *item = find_item(g, bytes_slice(text, from, to));

			if (first != NULL)
				add_pair(g, first, item);
			first = first != NULL ? NULL : item;
			cmd_charge(g->c, 1);
		}
		at++;
	}
	return first == NULL;
}

static int compare_items(void *arg, const void *a, const void *b)
{
	struct graph *g = arg;

	cmd_charge(g->c, 1);
	return bytes_cmp((*(struct item *const *)a)->name, (*(struct item *const *)b)->name);
}

static void sort_items(struct graph *g)
{
	void *spare = arena_array(g->c->arena, g->n, sizeof *g->item);

	sort_stable(g->item, g->n, sizeof *g->item, spare, compare_items, g);
}

/* The place of the edge to an item, or NULL. */
static struct edge **find_edge(struct graph *g, struct item *from, const struct item *to)
{
	struct edge **e = &from->edges;
	size_t passed = 1;

	for (; *e != NULL && (*e)->to != to; e = &(*e)->next)
		passed++;
	cmd_charge(g->c, passed / 8);
	return *e != NULL ? e : NULL;
}

/* Reports the loop from `at` to `last`, along `next`, and cuts the edge that closes it. */
static void cut_loop(struct graph *g, struct item *at, struct item *last, struct edge **closing)
{
	for (struct item *i = at;; i = i->next) {
		cmd_error(g->c, 0, "%.*s", (int)i->name.len, i->name.ptr);
		if (i == last)
			break;
	}
	(*closing)->to->before--;
	*closing = (*closing)->next;
}

/* Finds a loop among what is left, in GNU's order: over the items again and again, from one to the
 * next that comes before it, until one that is on the way already comes again. `next` is the way
 * forwards. */
static void find_loop(struct graph *g, const char *path)
{
	struct item *at = NULL;
	struct edge **e;

	cmd_error(g->c, 0, "%s: input contains a loop:", cmd_quotef(g->c, path));
	for (size_t i = 0; i < g->n; i++)
		g->item[i]->next = NULL;
	cmd_charge(g->c, g->n / 8 + 1);
	for (size_t i = 0;; i = i + 1 < g->n ? i + 1 : 0) {
		struct item *k = g->item[i];

		cmd_charge(g->c, i % 8 == 0);
		if (k->before == 0)
			continue;
		if (at == NULL) {
			at = k;
		} else if ((e = find_edge(g, k, at)) != NULL) {
			if (k->next != NULL) {
				cut_loop(g, at, k, e);
				return;
			}
			k->next = at;
			at = k;
		}
	}
}

static int put_order(struct graph *g, const char *path)
{
	struct item *head = NULL;
	struct item **tail = &head;
	size_t left = g->n;
	int status = 0;

	while (left > 0) {
		for (size_t i = 0; i < g->n; i++) {
			if (g->item[i]->before > 0 || g->item[i]->written)
				continue;
			g->item[i]->written = true;
			g->item[i]->next = NULL;
			*tail = g->item[i];
			tail = &g->item[i]->next;
		}
		for (; head != NULL; head = head->next) {
			cmd_bytes(g->c, head->name);
			cmd_putc(g->c, '\n');
			cmd_charge(g->c, 1);
			left--;
			for (struct edge *e = head->edges; e != NULL; e = e->next) {
				if (--e->to->before > 0)
					continue;
				e->to->written = true;
				e->to->next = NULL;
				*tail = e->to;
				tail = &e->to->next;
			}
			if (head->next == NULL)
				tail = &head;
		}
		tail = &head;
		if (left > 0) {
			find_loop(g, path);
			status = 1;
		}
	}
	return status;
}

static int tsort_run(struct cmd *c)
{
	struct graph g = { .c = c, .mask = 31 };
	struct bytes text;

	if (c->nargs > 1)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[1]));
	int err = cmd_read_all(c, c->files[0], &text);

	/* What can't be read ends it in silence. */
	if (err == -E_ISDIR)
		return 0;
	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, c->files[0]));
	grow(&g);
	if (!read_pairs(&g, text))
		return cmd_error(c, 0, "%s: input contains an odd number of tokens",
				 cmd_quotef(c, c->files[0]));
	sort_items(&g);
	return put_order(&g, c->files[0]);
}

const struct builtin builtin_tsort = {
	.name = "tsort",
	.usage = "[FILE]",
	.summary = "Writes the words of FILE in an order that agrees with its pairs of words.",
	.run = tsort_run,
};
