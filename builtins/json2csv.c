/* SPDX-License-Identifier: MIT
 *
 * json2csv - objects of JSON as rows of a table.
 *
 * The input is an array of objects, or objects one after another. All are read before any is
 * written, since the header names the keys of all. Values that nest are written as JSON, or
 * (--flatten) under keys joined by dots.
 */
#include "base/json.h"
#include "builtins/builtin.h"

enum { FLATTEN_DEPTH_MAX = 64 };

struct json2csv_opts {
	struct bytes delimiter;
	const char *fields;
	bool flatten;
	bool no_header;
};

static const struct opt json2csv_options[] = {
	OPT_BYTES('d', "delimiter", struct json2csv_opts, delimiter, ",", "CHAR",
		  "between columns (a comma); '\\t' is a tab"),
	OPT_STR('k', "fields", struct json2csv_opts, fields, NULL, "KEY,...",
		"only these columns, in this order"),
	OPT_FLAG('F', "flatten", struct json2csv_opts, flatten,
		 "objects inside become columns a.b"),
	OPT_FLAG('H', "no-header", struct json2csv_opts, no_header, "leave the header out"),
	OPT_END(),
};

struct table {
	struct cmd *c;
	const struct json2csv_opts *o;
	struct json_mem *m;
	struct json columns; /* an object whose keys are the names, in order */
	struct json rows;    /* an array of objects */
};

/* Puts the members of `from` into row, their keys behind prefix. */
static struct json flatten(struct table *t, struct json row, struct json from, struct bytes prefix,
			   int depth)
{
	for (size_t i = json_next_slot(from, 0); i < from.u.obj->used;
	     i = json_next_slot(from, i + 1)) {
		struct json_slot *slot = &from.u.obj->slots[i];
		struct bytes key = { slot->key->ptr, slot->key->len };
		struct buf name = buf_in(t->c->arena);

		cmd_charge(t->c, 1);
		if (prefix.len > 0) {
			buf_add(&name, prefix);
			buf_putc(&name, '.');
			buf_add(&name, key);
			key = buf_bytes(&name);
		}
		if (t->o->flatten && slot->val.kind == JSON_OBJECT && depth < FLATTEN_DEPTH_MAX &&
		    json_count(slot->val) > 0)
			row = flatten(t, row, slot->val, key, depth + 1);
		else
			row = json_set(t->m, row, json_string(t->m, key), json_copy(slot->val));
	}
	return row;
}

static void add_row(struct table *t, struct json v)
{
	struct json row = json_object(t->m, 8);

	if (v.kind != JSON_OBJECT)
		cmd_fatal(t->c, 0, "a row is no object");
	row = flatten(t, row, v, BYTES(""), 0);
	for (size_t i = json_next_slot(row, 0); i < row.u.obj->used;
	     i = json_next_slot(row, i + 1)) {
		struct json_str *key = row.u.obj->slots[i].key;
		struct bytes name = { key->ptr, key->len };

		if (t->o->fields == NULL && json_get_bytes(t->columns, name).kind == JSON_NONE)
			t->columns = json_set(t->m, t->columns, json_string(t->m, name),
					      json_simple(JSON_TRUE));
	}
	t->rows = json_push(t->m, t->rows, row);
}

static void add_value(struct table *t, struct json v)
{
	if (v.kind != JSON_ARRAY) {
		add_row(t, v);
	} else {
		for (size_t i = 0; i < v.u.arr->len; i++)
			add_row(t, v.u.arr->items[i]);
	}
	json_put(t->m, v);
}

static int read_file(struct input *in, void *arg)
{
	struct table *t = arg;
	struct json_parser parser;
	struct bytes block;
	struct json v;
	enum json_next next = JSON_MORE;
	int got;

	json_parser_init(&parser, t->m);
	while ((got = input_block(in, &block)) > 0) {
		cmd_charge_bytes(t->c, block.len);
		json_parser_feed(&parser, block);
		while ((next = json_parser_next(&parser, &v)) == JSON_VALUE)
			add_value(t, v);
		if (next == JSON_ERROR)
			break;
	}
	if (got < 0)
		return got;
	if (next != JSON_ERROR && (next = json_parser_finish(&parser, &v)) == JSON_VALUE)
		add_value(t, v);
	if (next == JSON_ERROR) {
		json_parser_place(&parser);
		return cmd_error(t->c, 0, "%s: %s at line %llu", in->name, parser.error,
				 (unsigned long long)parser.line + 1);
	}
	return 0;
}

static void put_cell(struct table *t, struct bytes s)
{
	bool quote = false;

	for (size_t i = 0; i < s.len; i++)
		quote |= s.ptr[i] == '"' || s.ptr[i] == '\n' || s.ptr[i] == '\r' ||
			 s.ptr[i] == t->o->delimiter.ptr[0];
	cmd_charge_bytes(t->c, s.len);
	if (!quote) {
		cmd_bytes(t->c, s);
		return;
	}
	cmd_putc(t->c, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"')
			cmd_putc(t->c, '"');
		cmd_putc(t->c, s.ptr[i]);
	}
	cmd_putc(t->c, '"');
}

/* Null and what is missing are empty cells. */
static void put_value(struct table *t, struct json v, struct buf *text)
{
	text->len = 0;
	if (v.kind == JSON_STRING) {
		put_cell(t, (struct bytes){ v.u.str->ptr, v.u.str->len });
	} else if (v.kind != JSON_NONE && v.kind != JSON_NULL) {
		json_print(t->m, text, v, NULL);
		put_cell(t, buf_bytes(text));
	}
}

static void put_table(struct table *t)
{
	struct json_obj *columns = t->columns.u.obj;
	struct buf text = buf_in(t->c->arena);

	for (size_t i = 0; i < columns->used && !t->o->no_header; i++) {
		if (i > 0)
			cmd_putc(t->c, t->o->delimiter.ptr[0]);
		put_cell(t,
			 (struct bytes){ columns->slots[i].key->ptr, columns->slots[i].key->len });
	}
	if (!t->o->no_header && columns->used > 0)
		cmd_putc(t->c, '\n');
	for (size_t r = 0; r < t->rows.u.arr->len; r++) {
		for (size_t i = 0; i < columns->used; i++) {
			struct json_str *key = columns->slots[i].key;

			if (i > 0)
				cmd_putc(t->c, t->o->delimiter.ptr[0]);
			put_value(t,
				  json_get_bytes(t->rows.u.arr->items[r],
						 (struct bytes){ key->ptr, key->len }),
				  &text);
			cmd_charge(t->c, 1);
		}
		cmd_putc(t->c, '\n');
	}
}

static void name_columns(struct table *t)
{
	for (const char *at = t->o->fields; at != NULL;) {
		size_t n = strcspn(at, ",");

		t->columns = json_set(t->m, t->columns, json_string(t->m, (struct bytes){ at, n }),
				      json_simple(JSON_TRUE));
		at = at[n] != '\0' ? at + n + 1 : NULL;
	}
}

static int json2csv_run(struct cmd *c)
{
	struct json2csv_opts *o = c->opts;
	struct json_mem *m = arena_zalloc(c->arena, sizeof(*m));
	struct table t = { .c = c, .o = o, .m = m };

	if (bytes_is(o->delimiter, "\\t"))
		o->delimiter = BYTES("\t");
	if (o->delimiter.len != 1)
		return cmd_usage(c, "the delimiter must be one character");
	json_mem_init(m, c->pool);
	m->poll = cmd_work;
	m->arg = c;
	t.columns = json_object(m, 8);
	t.rows = json_array(m, 64);
	name_columns(&t);
	int status = cmd_each_file(c, read_file, &t);

	put_table(&t);
	return status;
}

const struct builtin builtin_json2csv = {
	.name = "json2csv",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes objects of JSON (an array of them, or one after another) as a table of\n"
		   "comma separated values. The header has the keys of all objects.",
	.run = json2csv_run,
	.opts = json2csv_options,
	.opts_size = sizeof(struct json2csv_opts),
	.family = "cowsh",
};
