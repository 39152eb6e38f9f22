/* SPDX-License-Identifier: MIT
 *
 * yq with programs of jq: documents go to it as JSON, and its results come back as nodes that
 * take styles and comments from the document they came from, place by place.
 */
#include "builtins/yq/yq.h"

#include "builtins/jq/jq.h"

enum { LIST_MAX = 256 };

static void take_looks(struct yaml_node *n, const struct yaml_node *old)
{
	n->head = old->head;
	n->tail = old->tail;
	n->foot = old->foot;
	n->source = old->source;
	if (n->kind == old->kind && n->n > 0)
		n->style = old->style;
}

static bool same(struct yq *y, struct yaml_node *a, struct yaml_node *b)
{
	y->expanded = 0;
	return yq_equal(y, a, b);
}

/* The item of an old list that item i of the new one was: an equal one, or the one in its place
 * unless that has gone elsewhere. Lists too long for that are compared place by place. */
static struct yaml_node *former_item(struct yq *y, struct yaml_node *n, uint32_t i,
				     struct yaml_node *old)
{
	bool here = i < old->n;

	if ((here && same(y, n->items[i], old->items[i])) || n->n > LIST_MAX || old->n > LIST_MAX)
		return here ? old->items[i] : NULL;
	for (uint32_t k = 0; k < old->n; k++)
		if (same(y, n->items[i], old->items[k]))
			return old->items[k];
	for (uint32_t k = 0; here && k < n->n; k++)
		if (same(y, n->items[k], old->items[i]))
			return NULL;
	return here ? old->items[i] : NULL;
}

struct yaml_node *yq_reconcile(struct yq *y, struct yaml_node *n, struct yaml_node *old)
{
	cmd_charge(y->c, 1);
	if (old->kind == YAML_ALIAS) {
		y->expanded = 0;
		return yq_equal(y, n, old) ? yq_copy(y, old) : n;
	}
	if (old->kind == YAML_SCALAR) {
		y->expanded = 0;
		if (n->kind == YAML_SCALAR && yaml_is(n, old->tag.ptr) && yq_equal(y, n, old))
			return yq_copy(y, old);
		take_looks(n, old);
		if (n->kind == YAML_SCALAR && yaml_is(n, "!!str") && yaml_is(old, "!!str"))
			n->style = old->style;
		return n;
	}
	take_looks(n, old);
	n->anchor = old->anchor;
	for (uint32_t i = 0; n->kind == YAML_SEQ && old->kind == YAML_SEQ && i < n->n; i++) {
		struct yaml_node *item = former_item(y, n, i, old);

		if (item == NULL)
			continue;
		n->items[i] = yq_reconcile(y, n->items[i], item);
		n->items[i]->parent = n;
		n->items[i]->index = i;
	}
	for (uint32_t i = 0; n->kind == YAML_MAP && i + 1 < n->n; i += 2) {
		struct yaml_node *value = yq_get_own(old, n->items[i]->value);

		cmd_charge(y->c, old->n / 8 + 1);
		if (value == NULL)
			continue;
		n->items[i] = yq_copy(y, old->items[value->index - 1]);
		n->items[i + 1] = yq_reconcile(y, n->items[i + 1], value);
		for (uint32_t k = i; k < i + 2; k++) {
			n->items[k]->parent = n;
			n->items[k]->index = k;
		}
		n->items[i]->is_key = true;
	}
	return n;
}

static _Noreturn void bad_program(void *arg)
{
	struct yq *y = arg;

	yq_fatal(y, "%zu: %s in expression: %s", y->error_at + 1, y->error, y->program);
}

struct run {
	struct yq *y;
	struct yaml_node *doc;
};

/* Whether a result looks like the document with changes. */
static bool is_version(const struct yaml_node *n, struct yaml_node *doc)
{
	if (n->kind != doc->kind || n->kind == YAML_SCALAR)
		return false;
	for (uint32_t i = 0; i < n->n && n->kind == YAML_MAP; i += 2)
		if (yq_get_own(doc, n->items[i]->value) != NULL)
			return true;
	return n->kind == YAML_SEQ || n->n == 0;
}

static void take_result(void *arg, struct json_mem *m, struct json v)
{
	struct run *r = arg;
	struct yaml_node *n = yq_node_of_json(r->y, m, v);

	n->source = r->doc->source;
	if (is_version(n, r->doc))
		n = yq_reconcile(r->y, n, r->doc);
	n->source = r->doc->source;
	yq_print(r->y, n);
}

static void bad_run(void *arg)
{
	bad_program(((struct run *)arg)->y);
}

/* jq over one document; its status. */
static int run_program(struct yq *y, const char *program, struct yaml_node *doc)
{
	struct buf text = buf_in(y->a);
	struct run run = { y, doc };
	struct jq_host host = { .result = take_result, .bad_program = bad_run, .arg = &run };
	char *argv[] = { arena_dup(y->a, BYTES("jq")), arena_dup(y->a, bytes_of("--")),
			 arena_dup(y->a, bytes_of(program)), NULL };
	struct cmd *c = y->c;
	int argc = c->argc;
	char **old = c->argv;
	int status;

	yq_write_json(y, &text, doc, 0);
	host.input = buf_bytes(&text);
	c->argc = 3;
	c->argv = argv;
	status = jq_main(c, &host);
	c->argc = argc;
	c->argv = old;
	return status;
}

int yq_run_jq(struct yq *y, const char *program, struct yq_list docs)
{
	y->program = program;
	for (size_t i = 0; i < docs.n; i++) {
		int status = run_program(y, program, docs.items[i]);

		if (status != 0)
			cmd_exit(y->c, status);
	}
	return 0;
}
