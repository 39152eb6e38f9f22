/* SPDX-License-Identifier: MIT
 *
 * Definitions, destructuring patterns, import and include.
 */
#include "builtins/jq/parse.h"

/* --- patterns --- */

static struct pattern *parse_pattern(struct parser *p);

static void add_part(struct parser *p, struct pattern *o, struct pattern *part, struct node *key,
		     struct bytes name)
{
	struct arena *a = p->j->a;
	size_t n = o->n;

	o->parts = arena_room(a, o->parts, n, sizeof(*o->parts));
	o->keys = arena_room(a, o->keys, n, sizeof(*o->keys));
	o->names = arena_room(a, o->names, n, sizeof(*o->names));
	o->parts[n] = part;
	o->keys[n] = key;
	o->names[n] = name;
	o->n++;
}

static void object_part(struct parser *p, struct pattern *o)
{
	struct bytes name = BYTES("");
	struct node *key;

	if (p->tok.kind == T_BINDING) {
		name = p->tok.text;
		key = jqp_node(p, N_LITERAL, p->tok.at);
		key->value = json_key(&p->j->m, name);
		jqp_advance(p);
		if (!jqp_is(p, ":")) {
			add_part(p, o, NULL, key, name);
			return;
		}
	} else {
		key = jqp_key(p);
	}
	jqp_expect(p, ":", "':'");
	if (!p->failed)
		add_part(p, o, parse_pattern(p), key, name);
}

static struct pattern *parse_pattern(struct parser *p)
{
	struct pattern *out = arena_zalloc(p->j->a, sizeof(*out));
	bool array = jqp_is(p, "[");

	if (p->tok.kind == T_BINDING) {
		out->name = jqp_word(p, T_BINDING);
		return out;
	}
	if (!array && !jqp_is(p, "{")) {
		jqp_fail(p, "BINDING or '[' or '{'");
		return out;
	}
	if (++p->depth > JQ_NESTING_MAX / 100) {
		jqp_fail(p, NULL);
		return out;
	}
	jqp_advance(p);
	out->kind = array ? P_ARRAY : P_OBJECT;
	do {
		if (array)
			add_part(p, out, parse_pattern(p), NULL, BYTES(""));
		else
			object_part(p, out);
	} while (!p->failed && jqp_accept(p, ","));
	jqp_expect(p, array ? "]" : "}", array ? "',' or ']'" : "',' or '}'");
	p->depth--;
	return out;
}

struct pattern *jqp_patterns(struct parser *p)
{
	struct pattern *first = parse_pattern(p);
	struct pattern *last = first;

	while (!p->failed && jqp_accept(p, "?//")) {
		last->next = parse_pattern(p);
		last = last->next;
	}
	return first;
}

/* --- how a body uses names --- */

struct use_count {
	struct def *def;
};

static void count_uses(struct def *d, struct node *n, int depth);

static void count_pattern(struct def *d, struct pattern *pat, int depth)
{
	for (; pat != NULL; pat = pat->next)
		for (size_t i = 0; i < pat->n; i++) {
			if (pat->keys[i] != NULL)
				count_uses(d, pat->keys[i], depth);
			count_pattern(d, pat->parts[i], depth);
		}
}

static void count_call(struct def *d, struct node *n)
{
	if (n->n == d->nparams && bytes_eq(n->name, d->name))
		d->recursive = true;
	for (size_t i = 0; i < d->nparams && n->n == 0; i++)
		if (bytes_eq(n->name, d->params[i].name)) {
			d->params[i].closure = true;
			d->params[i].uses++;
		}
}

/* Shadowing is not looked at: it only makes a call less cheap than it could be. */
static void count_uses(struct def *d, struct node *n, int depth)
{
	for (; n != NULL; n = n->kind == N_PIPE ? n->b : NULL) {
		struct node *kids[4] = { n->a, n->kind == N_PIPE ? NULL : n->b, n->c, n->d };

		if (depth > 200) {
			d->recursive = true;
			for (size_t i = 0; i < d->nparams; i++)
				d->params[i].closure = true, d->params[i].uses = 2;
			return;
		}
		if (n->kind == N_CALL)
			count_call(d, n);
		for (int i = 0; i < 4; i++)
			if (kids[i] != NULL)
				count_uses(d, kids[i], depth + 1);
		for (size_t i = 0; i < n->n; i++)
			count_uses(d, n->list[i], depth + 1);
		count_pattern(d, n->pattern, depth + 1);
		if (n->def != NULL) {
			count_uses(d, n->def->body, depth + 1);
			/* An inner function may run many times. */
			for (size_t i = 0; i < d->nparams; i++)
				d->params[i].uses *= 2;
		}
	}
}

/* --- definitions --- */

static void add_param(struct parser *p, struct def *d)
{
	struct param param = { .value = p->tok.kind == T_BINDING, .name = p->tok.text };

	if (p->tok.kind != T_BINDING && p->tok.kind != T_IDENT && p->tok.kind != T_KEYWORD) {
		jqp_fail(p, "IDENT or BINDING");
		return;
	}
	d->params = arena_room(p->j->a, d->params, d->nparams, sizeof(param));
	d->params[d->nparams++] = param;
	jqp_advance(p);
}

struct def *jqp_def(struct parser *p)
{
	struct def *d = arena_zalloc(p->j->a, sizeof(*d));

	jqp_expect(p, "def", NULL);
	d->name = p->tok.text;
	if (p->tok.kind != T_IDENT && p->tok.kind != T_KEYWORD)
		jqp_fail(p, NULL);
	jqp_advance(p);
	if (jqp_accept(p, "(")) {
		do
			add_param(p, d);
		while (!p->failed && jqp_accept(p, ";"));
		jqp_expect(p, ")", "';' or ')'");
	}
	jqp_expect(p, ":", d->nparams > 0 ? "':'" : "'(' or ':'");
	d->body = jqp_main(p);
	jqp_expect(p, ";", NULL);
	if (!p->failed)
		count_uses(d, d->body, 0);
	return d;
}

/* --- programs --- */

static struct json constant_of(struct parser *p, struct node *n, int depth);

static struct json constant_object(struct parser *p, struct node *n, int depth)
{
	struct json o = json_object(&p->j->m, n->n / 2);

	for (size_t i = 0; i + 1 < n->n; i += 2) {
		struct json key = constant_of(p, n->list[i], depth + 1);
		struct json v = constant_of(p, n->list[i + 1], depth + 1);

		if (key.kind != JSON_STRING || v.kind == JSON_NONE)
			return json_simple(JSON_NONE);
		o = json_set(&p->j->m, o, key, v);
	}
	return o;
}

static struct json constant_list(struct parser *p, struct json a, struct node *n, int depth)
{
	struct json v;

	if (n == NULL || depth > 100)
		return a;
	if (n->kind == N_COMMA) {
		a = constant_list(p, a, n->a, depth + 1);
		return a.kind == JSON_NONE ? a : constant_list(p, a, n->b, depth + 1);
	}
	v = constant_of(p, n, depth + 1);
	return v.kind == JSON_NONE ? v : json_push(&p->j->m, a, v);
}

/* The value of a constant; JSON_NONE if it is none. */
static struct json constant_of(struct parser *p, struct node *n, int depth)
{
	if (depth > 100)
		return json_simple(JSON_NONE);
	if (n->kind == N_LITERAL)
		return json_copy(n->value);
	if (n->kind == N_OBJECT)
		return constant_object(p, n, depth);
	if (n->kind == N_ARRAY)
		return constant_list(p, json_array(&p->j->m, 0), n->a, depth);
	if (n->kind == N_CALL && n->n == 0) {
		if (bytes_is(n->name, "null"))
			return json_simple(JSON_NULL);
		if (bytes_is(n->name, "true") || bytes_is(n->name, "false"))
			return json_bool(bytes_is(n->name, "true"));
	}
	return json_simple(JSON_NONE);
}

static void complain_at(struct parser *p, struct node *n, const char *text)
{
	jq_complain(p->j, p->src, n->at, n->end, "%s", text);
	p->failed = true;
}

static struct json parse_meta(struct parser *p, const char *what)
{
	struct node *n;
	struct json v;

	if (jqp_is(p, ";"))
		return json_simple(JSON_NONE);
	n = jqp_main(p);
	if (p->failed)
		return json_simple(JSON_NONE);
	v = constant_of(p, n, 0);
	if (v.kind != JSON_OBJECT)
		complain_at(p, n, v.kind == JSON_NONE ? "Module metadata must be constant" : what);
	return v;
}

static struct import *parse_import(struct parser *p)
{
	struct import *i = arena_zalloc(p->j->a, sizeof(*i));
	bool include = jqp_is(p, "include");
	struct node *path;

	jqp_advance(p);
	if (p->tok.kind != T_QUOTE) {
		jqp_fail(p, "FORMAT or QQSTRING_START");
		return i;
	}
	path = jqp_key(p);
	if (p->failed)
		return i;
	if (path == NULL || path->kind != N_LITERAL) {
		complain_at(p, path, "Import path must be constant");
		return i;
	}
	i->path = json_text(path->value);
	i->at = path;
	if (!include) {
		jqp_expect(p, "as", "as");
		i->data = p->tok.kind == T_BINDING;
		i->as = p->tok.text;
		if (p->tok.kind != T_BINDING && p->tok.kind != T_IDENT)
			jqp_fail(p, "IDENT or BINDING");
		jqp_advance(p);
	}
	i->meta = parse_meta(p, "Module metadata must be an object");
	jqp_expect(p, ";", NULL);
	return i;
}

static void parse_imports(struct parser *p, struct program *prog)
{
	struct import **tail = &prog->imports;

	if (p->tok.kind == T_IDENT && bytes_is(p->tok.text, "module")) {
		jqp_advance(p);
		prog->meta = parse_meta(p, "Module metadata must be an object");
		jqp_expect(p, ";", NULL);
	}
	while (!p->failed && (jqp_is(p, "import") || jqp_is(p, "include"))) {
		*tail = parse_import(p);
		tail = &(*tail)->next;
	}
}

struct program *jq_parse(struct jq *j, struct source *src)
{
	struct parser p = { .j = j, .src = src, .lex = { .s = src->text, .nest = buf_in(j->a) } };
	struct program *prog = arena_zalloc(j->a, sizeof(*prog));

	jqp_advance(&p);
	parse_imports(&p, prog);
	while (!p.failed && jqp_is(&p, "def")) {
		struct def *d = jqp_def(&p);

		prog->defs = arena_room(j->a, prog->defs, prog->ndefs, sizeof(d));
		prog->defs[prog->ndefs++] = d;
	}
	if (!p.failed && p.tok.kind != T_END && !jqp_starts(&p))
		jqp_fail(&p, "end of file");
	if (!p.failed && p.tok.kind != T_END)
		prog->main = jqp_main(&p);
	if (!p.failed && p.tok.kind != T_END)
		jqp_fail(&p, "end of file");
	return p.failed ? NULL : prog;
}
